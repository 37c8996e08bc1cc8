#include "problem/feasibility.h"

#include "problem/gradient.h"
#include "problem/laws/friction_cone.h"

#include <math.h>
#include <string.h>

static const double WITHIN = 1e-9; // of the largest element: a direction is in its set
static const double FAR = 1e10;    // times the current energies: no velocity that bodies have

dp_soft dp_view_soft(const dp_step_problem *p, const dp_certify_view *view, int r)
{
    dp_soft soft = dp_row_soft(&p->row[r], p->h);
    const bool vanishes = view->vanishing && view->vanishing[view->row_of ? view->row_of[r] : r];
    soft.R = vanishes ? 0.0 : soft.R;
    soft.u_hat = soft.u_stop < soft.u_hat ? soft.u_stop : soft.u_hat;
    return soft;
}

// How far z is from the directions along which the impulse of a row may grow.
static double row_outside(const dp_row *row, dp_soft soft, double z)
{
    const bool up = row->hi == (double)INFINITY, down = row->lo == -(double)INFINITY;
    const bool may = soft.R == 0.0 && ((z > 0.0 && up) || (z < 0.0 && down));
    return may ? 0.0 : fabs(z);
}

static double contact_outside(const dp_friction *friction, int nrow, const double *z)
{
    dp_friction_group group[DP_CONTACT_GROUPS];
    const int ngroup = dp_friction_groups(group, friction, nrow);
    double worst = z[0] < 0.0 ? -z[0] : 0.0;
    for (int g = 0; g < ngroup; ++g) {
        double square = 0.0;
        for (int k = 0; k < group[g].count; ++k) {
            const double scale = group[g].scale[k], own = z[group[g].first + k];
            worst = scale > 0.0 ? worst : fmax(worst, fabs(own));
            square += scale > 0.0 ? own / scale * (own / scale) : 0.0;
        }
        worst = fmax(worst, sqrt(square) - group[g].reach * z[0]);
    }
    return worst;
}

// [J] ½ û²/w of a row, the energy that it takes to meet it alone.
static double energy_asked(const dp_step_problem *p, int block, int r, double u_hat)
{
    const int *col = p->col + p->col_start[block],
              ncol = p->col_start[block + 1] - p->col_start[block];
    const double *G = p->G + p->G_start[block] + (size_t)(r - p->row_start[block]) * (size_t)ncol;
    double w = 0.0;
    for (int k = 0; k < ncol; ++k) {
        w += G[k] * G[k] / p->Mt[p->Mt_start[col[k]]];
    }
    return w > 0.0 && isfinite(u_hat) ? 0.5 * u_hat * u_hat / w : 0.0;
}

void dp_problem_certify_ray_as(dp_ray_certificate *out, const dp_step_problem *p, const double *z,
                               dp_certify_view view, double *scratch)
{
    double *force = scratch, largest = 0.0, at_hand = 0.0, effect = 0.0, alone = 0.0;
    *out = (dp_ray_certificate){.outside = 0.0};
    memset(force, 0, (size_t)p->nv * sizeof *force);
    for (int i = 0; i < p->nv; ++i) {
        at_hand += 0.5 * p->Mt[p->Mt_start[i]] * p->v_free[i] * p->v_free[i];
    }
    for (int b = 0; b < p->nblock; ++b) {
        const int first = p->row_start[b], nrow = p->row_start[b + 1] - first;
        const int friction = p->friction_of ? p->friction_of[b] : -1;
        for (int r = first; r < first + nrow; ++r) {
            const dp_soft soft = dp_view_soft(p, &view, r);
            largest = fmax(largest, fabs(z[r]));
            out->outside = fmax(out->outside, friction >= 0 ? (soft.R == 0.0 ? 0.0 : fabs(z[r]))
                                                            : row_outside(&p->row[r], soft, z[r]));
            out->gain += z[r] != 0.0 ? z[r] * soft.u_hat : 0.0;
            at_hand = fmax(at_hand, energy_asked(p, b, r, soft.u_hat));
        }
        if (friction >= 0) {
            out->outside =
                fmax(out->outside, contact_outside(&p->friction[friction], nrow, z + first));
        }
        dp_gradient_add(force, p, b, z + first);
        for (int i = 0, ncol = p->col_start[b + 1] - p->col_start[b]; i < nrow * ncol; ++i) {
            const double own = p->G[p->G_start[b] + (size_t)i] * z[first + i / ncol];
            alone += own * own / p->Mt[p->Mt_start[p->col[p->col_start[b] + i % ncol]]];
        }
    }
    for (int i = 0; i < p->nv; ++i) {
        effect += force[i] * force[i] / p->Mt[p->Mt_start[i]];
    }
    out->outside = largest > 0.0 ? out->outside / largest : 0.0;
    out->effect = alone > 0.0 ? sqrt(effect / alone) : 0.0;
    out->energy = out->gain > 0.0 ? 0.5 * out->gain * (out->gain / effect) : 0.0;
    out->proven = out->outside <= WITHIN && out->gain > 0.0 && out->energy > FAR * at_hand;
}
