#include "dynamics/composite.h"

#include <string.h>

void dp_crba(double *M, dp_rigid_inertia *composite, const dp_kin *kin, const dp_model *m,
             const double *diagonal)
{
    for (int i = 0; i < m->size.nbody; ++i) {
        composite[i] = kin->link[i].J;
    }
    for (int i = m->size.nbody - 1; i > 0; --i) {
        const dp_body *body = &m->body[i];
        if (m->body[body->parent].tree >= 0) {
            dp_rigid_inertia_accumulate(&composite[body->parent], &composite[i], kin->link[i].r);
        }
        for (int k = body->dof_start + body->ndof - 1; k >= body->dof_start; --k) {
            // The momentum of the subtree when it moves along S_k, met by each ancestor's motion.
            dp_wrench F = dp_rigid_inertia_apply(&composite[i], kin->S[k]);
            double *row = M + m->dof_packed[k];
            int at = i;
            for (int j = k; j >= 0; j = m->dof_parent[j]) {
                while (at != m->dof_body[j]) {
                    F = dp_wrench_shift(F, kin->link[at].r);
                    at = m->body[at].parent;
                }
                *row++ = dp_power(kin->S[j], F);
            }
            M[m->dof_packed[k]] += diagonal[k];
        }
    }
}

void dp_packed_expand(double *dense, const dp_model *m, const double *M)
{
    const size_t nv = (size_t)m->size.nv;
    memset(dense, 0, nv * nv * sizeof *dense);
    for (int i = 0; i < m->size.nv; ++i) {
        const double *row = M + m->dof_packed[i];
        for (int j = i; j >= 0; j = m->dof_parent[j]) {
            dense[(size_t)i * nv + (size_t)j] = dense[(size_t)j * nv + (size_t)i] = *row++;
        }
    }
}

void dp_packed_factor(double *M, const dp_model *m)
{
    for (int k = m->size.nv - 1; k >= 0; --k) {
        double *row_k = M + m->dof_packed[k];
        const double inverse = 1.0 / row_k[0];
        int along = 1;
        for (int i = m->dof_parent[k]; i >= 0; i = m->dof_parent[i], ++along) {
            double *row_i = M + m->dof_packed[i];
            const double l = row_k[along] * inverse;
            const int length = (int)(m->dof_packed[k + 1] - m->dof_packed[k]) - along;
            for (int j = 0; j < length; ++j) { // both chains run to the root from dof i on
                row_i[j] -= l * row_k[along + j];
            }
            row_k[along] = l; // not read again: later i use elements further along
        }
    }
}

void dp_packed_solve(double *x, const dp_model *m, const double *LD, const double *b)
{
    const int nv = m->size.nv;
    if (x != b) {
        memcpy(x, b, (size_t)nv * sizeof *x);
    }
    for (int i = nv - 1; i >= 0; --i) { // Lᵀ
        const double *row = LD + m->dof_packed[i];
        for (int j = m->dof_parent[i]; j >= 0; j = m->dof_parent[j]) {
            x[j] -= *++row * x[i];
        }
    }
    for (int i = 0; i < nv; ++i) { // D
        x[i] /= LD[m->dof_packed[i]];
    }
    for (int i = 0; i < nv; ++i) { // L
        const double *row = LD + m->dof_packed[i];
        for (int j = m->dof_parent[i]; j >= 0; j = m->dof_parent[j]) {
            x[i] -= *++row * x[j];
        }
    }
}
