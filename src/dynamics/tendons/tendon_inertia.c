#include "dynamics/tendons/tendon_inertia.h"

#include <string.h>

void dp_tendon_inertia_carve(dp_tendon_inertia *set, dp_carver *c, const dp_model *m)
{
    const size_t count = (size_t)m->size.ntendon; // any may come to have armature
    set->tendon = dp_carve(c, count, sizeof *set->tendon);
    set->response = dp_carve(c, count * (size_t)m->size.nv, sizeof *set->response);
    set->pivot = dp_carve(c, count, sizeof *set->pivot);
    set->bias = dp_carve(c, count, sizeof *set->bias);
    set->ahead = dp_carve(c, count, sizeof *set->ahead);
}

void dp_tendon_inertia_init(dp_tendon_inertia *set, const dp_model *m)
{
    set->count = 0;
    for (int i = 0; i < m->size.ntendon; ++i) {
        if (m->tendon[i].armature > 0.0) {
            set->tendon[set->count++] = i;
        }
    }
}

// tau += f Jᵀ
static void add_gradient(double *tau, double f, const dp_tendon_set *tendon, int i)
{
    const size_t start = tendon->start[i];
    for (size_t k = start; k < start + (size_t)tendon->count[i]; ++k) {
        tau[tendon->dof[k]] += f * tendon->gradient[k];
    }
}

// (TI 1) for the first `count` tendons.
static void correct(double *x, const dp_tendon_inertia *set, const dp_tendon_set *tendon, int count,
                    int nv, bool biased)
{
    for (int n = 0; n < count; ++n) {
        const double *y = set->response + (size_t)n * (size_t)nv;
        const double rate = dp_tendon_rate(tendon, set->tendon[n], x);
        const double share = (rate + (biased ? set->bias[n] : 0.0)) / set->pivot[n];
        for (int k = 0; k < nv; ++k) {
            x[k] -= share * y[k];
        }
    }
}

void dp_tendon_inertia_factor(dp_tendon_inertia *set, const dp_tendon_set *tendon,
                              dp_articulated *art, const dp_kin *kin, const dp_model *m,
                              const double *v)
{
    const int nv = m->size.nv;
    for (int n = 0; n < set->count; ++n) {
        const int i = set->tendon[n];
        double *y = set->response + (size_t)n * (size_t)nv;
        memset(y, 0, (size_t)nv * sizeof *y);
        add_gradient(y, 1.0, tendon, i);
        dp_articulated_solve(y, art, kin, m, y, NULL);
        correct(y, set, tendon, n, nv, false);
        set->pivot[n] = 1.0 / m->tendon[i].armature + dp_tendon_rate(tendon, i, y);
        set->bias[n] = dp_tendon_move(kin, m, i, v).bias;
    }
}

void dp_tendon_inertia_correct(double *x, const dp_tendon_inertia *set, const dp_tendon_set *tendon,
                               const dp_model *m, bool biased)
{
    correct(x, set, tendon, set->count, m->size.nv, biased);
}

void dp_tendon_inertia_force(double *tau, const dp_tendon_inertia *set, const dp_tendon_set *tendon,
                             const dp_kin *kin, const dp_model *m, const double *x, const double *v)
{
    for (int n = 0; n < set->count; ++n) {
        const int i = set->tendon[n];
        const double accel =
            (x ? dp_tendon_rate(tendon, i, x) : 0.0) + dp_tendon_move(kin, m, i, v).bias;
        add_gradient(tau, m->tendon[i].armature * accel, tendon, i);
    }
}

void dp_tendon_inertia_matrix(double *M, const dp_tendon_inertia *set, const dp_tendon_set *tendon,
                              const dp_model *m)
{
    const size_t nv = (size_t)m->size.nv;
    for (int n = 0; n < set->count; ++n) {
        const int i = set->tendon[n];
        const size_t start = tendon->start[i];
        for (size_t k = start; k < start + (size_t)tendon->count[i]; ++k) {
            add_gradient(M + (size_t)tendon->dof[k] * nv,
                         m->tendon[i].armature * tendon->gradient[k], tendon, i);
        }
    }
}
