// Joints that say the same twice, and not quite the same: what they ask for, c = û − u_free, is
// none of the velocities that there are, G dv. With a compliance s D they push against each other
// by e/(s D), without bound as s goes to 0. So the part e that no motion meets, that of the least
// squares
//
//     min Σ (c − G dv)²/D,   e = c − G dv,                                                  (CV 5)
//
// is taken from û beforehand. Its matrix is M̃ + Gᵀ C G with C = 1/(δ D), of which the part M̃ is
// iterated away.
#include "solve/contact/convex_search.h"

#include <math.h>
#include <string.h>

// Two-sided, and rigid but for the compliance of the law.
static bool is_joint(const dp_coulomb *c, int r)
{
    const dp_row *row = &c->p->row[r];
    return isinf(row->lo) && isinf(row->hi) && dp_convex_is_rigid(c, r) && c->w[r] > 0.0;
}

// C of joints, 0 of all other rows. @return how many there are
static int weigh(dp_coulomb *c)
{
    const dp_step_problem *p = c->p;
    double sum = 0.0;
    int count = 0;
    memset(c->C, 0, c->op.nC * sizeof *c->C);
    for (int b = 0; b < p->nblock; ++b) {
        for (int r = p->row_start[b]; c->block[b].ngroup == 0 && r < p->row_start[b + 1]; ++r) {
            if (is_joint(c, r)) {
                sum += (c->law.weight ? c->law.weight[r] : c->soft[r].R) / c->w[r];
                ++count;
            }
        }
    }
    for (int b = 0; count > 0 && b < p->nblock; ++b) {
        double *C = c->C + c->block[b].C;
        for (int r = p->row_start[b]; c->block[b].ngroup == 0 && r < p->row_start[b + 1];
             ++r, ++C) {
            const double D = (c->law.weight ? c->law.weight[r] : c->soft[r].R) * count / sum;
            *C = is_joint(c, r) ? 1.0 / (DP_SLIGHT * D) : 0.0;
        }
    }
    return count;
}

// q = C (c − G dv). @return the largest |c − G dv|
static double leave(dp_coulomb *c, const double *asked, const double *met)
{
    const dp_step_problem *p = c->p;
    double most = 0.0;
    memset(c->q, 0, (size_t)p->nrow * sizeof *c->q);
    for (int b = 0; b < p->nblock; ++b) {
        const double *C = c->C + c->block[b].C;
        for (int r = p->row_start[b]; c->block[b].ngroup == 0 && r < p->row_start[b + 1];
             ++r, ++C) {
            const double e = *C > 0.0 ? asked[r] - met[r] : 0.0;
            c->q[r] = *C * e;
            most = fmax(most, fabs(e) * c->len[r]);
        }
    }
    return most;
}

void dp_make_rows_consistent(dp_coulomb *c)
{
    const dp_step_problem *p = c->p;
    const size_t bytes = (size_t)p->nrow * sizeof(double);
    double *asked = c->trial, *met = c->u_trial;
    c->found.inconsistent = 0.0;
    c->op.symmetric = true;
    if (c->op.by_links || weigh(c) == 0 || !dp_coulomb_factor(c)) {
        return;
    }
    double size = 0.0;
    for (int r = 0; r < p->nrow; ++r) {
        asked[r] = c->soft[r].u_hat - c->u_free[r];
    }
    memset(met, 0, bytes);
    size = leave(c, asked, met);
    double off = size, step = size;
    for (int k = 0;
         k < DP_SAME_FACTORS && off > DP_ROUND_OFF * size && step > DP_GOAL * DP_ROUND_OFF * size;
         ++k) {
        dp_coulomb_forces(c, c->force, c->q);
        dp_coulomb_solve_factored(c, c->v, c->force);
        dp_coulomb_row_velocities(c, c->du, c->v);
        step = 0.0;
        for (int r = 0; r < p->nrow; ++r) {
            met[r] += c->du[r];
            step = fmax(step, c->q[r] != 0.0 ? fabs(c->du[r]) * c->len[r] : 0.0);
        }
        off = leave(c, asked, met);
        if (step <= DP_GOAL * off) { // as near to each other as they come
            break;
        }
    }
    if (!(off > DP_GOAL * c->tol.solved) || !(step <= DP_GOAL * off)) {
        return;
    }
    for (int b = 0; b < p->nblock; ++b) {
        const double *C = c->C + c->block[b].C;
        for (int r = p->row_start[b]; c->block[b].ngroup == 0 && r < p->row_start[b + 1];
             ++r, ++C) {
            c->soft[r].u_hat -= *C > 0.0 ? asked[r] - met[r] : 0.0;
        }
    }
    c->found.inconsistent = off;
}
