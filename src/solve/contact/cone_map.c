// With d = 1/ρ and e the ray on which the nearest point of the cone lies, 1 along the normal and
// reach τ along each group on its rim, τ = y/‖y‖, the derivative of the law is the d-projection on
// e, 1 for the groups within, and β(I − ττᵀ) across the rims. With E of (CO 3),
//
//     open     q = −F                                  C = 0
//     within   q = −F/(ρ E)                            C = 1/E
//     rim      q = −F + e eᵀ(E − d)F/(eᵀE e)           C = e eᵀ/(eᵀE e)                    (CV 2)
//
// and across each rim as in (CO 3).
#include "solve/contact/cone_map.h"

#include "problem/laws/friction_cone.h"

#include <math.h>

// How the law sees a contact at y = x − ρ ũ, all by row.
typedef struct cone_view {
    double way[DP_CONTACT_ROWS]; // ρ ũ
    double y[DP_CONTACT_ROWS];
    dp_cone_point at;
} cone_view;

static cone_view look_at(const dp_coulomb *c, const dp_coulomb_map *map, int b, const double *x,
                         const double *u)
{
    const dp_coulomb_block *block = &c->block[b];
    const int first = c->p->row_start[b], nrow = c->p->row_start[b + 1] - first;
    double d[DP_CONTACT_ROWS];
    cone_view out;
    for (int i = 0; i < nrow; ++i) {
        const int r = first + i;
        d[i] = 1.0 / map->rho[r];
        out.way[i] = map->rho[r] * dp_coulomb_slack(c, map, r, x[r], u[r]);
        out.y[i] = x[r] - out.way[i];
    }
    out.at = dp_cone_nearest(block->group, block->ngroup, d, out.y);
    return out;
}

// x_n is that of y: no group draws at it.
static bool stands_alone(const cone_view *view)
{
    return view->at.normal == view->y[0];
}

void dp_cone_evaluate(const dp_coulomb *c, double *F, const dp_coulomb_map *map, int block,
                      const double *x, const double *u)
{
    const dp_coulomb_block *own = &c->block[block];
    const int first = c->p->row_start[block];
    const cone_view view = look_at(c, map, block, x, u);
    const dp_cone_point *at = &view.at;
    // x − (x − way), without the cancellation
    F[first] = stands_alone(&view) ? view.way[0] : x[first] - at->normal;
    for (int g = 0; g < own->ngroup; ++g) {
        const dp_friction_group *group = &own->group[g];
        const double shrink = at->size[g] > 0.0 ? group->reach * at->normal / at->size[g] : 0.0;
        for (int i = group->first; i < group->first + group->count; ++i) {
            F[first + i] = at->within[g] ? view.way[i] : x[first + i] - shrink * view.y[i];
        }
    }
}

// Across the rim of a group of two rows; along it q is that of −F.
static void linearise_across(dp_coulomb *c, const dp_coulomb_map *map,
                             const dp_friction_group *group, int first, int nrow,
                             const cone_view *view, double size, const double tau[2], double *C)
{
    const int r = first + group->first, i = group->first;
    const double side[2] = {-tau[1], tau[0]};
    const double E = dp_coulomb_compliance(c, map, r, 0.0), rho = map->rho[r];
    const double beta = group->reach * view->at.normal / size;
    const double across = 1.0 - beta * (1.0 - rho * E), kappa = beta * rho / across;
    const double off = side[0] * c->F[r] + side[1] * c->F[r + 1];
    for (int k = 0; k < 2; ++k) {
        c->q[r + k] += off * side[k] * (1.0 - 1.0 / across);
        for (int l = 0; l < 2; ++l) {
            C[(i + k) * nrow + i + l] = kappa * side[k] * side[l];
        }
    }
}

void dp_cone_linearise(dp_coulomb *c, const dp_coulomb_map *map, int block, double *C,
                       const double *x, const double *u)
{
    const dp_coulomb_block *own = &c->block[block];
    const int first = c->p->row_start[block], nrow = c->p->row_start[block + 1] - first;
    const cone_view view = look_at(c, map, block, x, u);
    for (int i = 0; i < nrow; ++i) {
        c->q[first + i] = -c->F[first + i];
    }
    if (!(view.at.normal > 0.0)) {
        return;
    }
    double e[DP_CONTACT_ROWS] = {1.0}, along = 0.0, weight = 0.0;
    for (int g = 0; g < own->ngroup; ++g) {
        const dp_friction_group *group = &own->group[g];
        const int i0 = group->first;
        if (view.at.within[g]) {
            for (int i = i0; group->reach > 0.0 && i < i0 + group->count; ++i) {
                const double E = dp_coulomb_compliance(c, map, first + i, x[first + i]);
                C[i * nrow + i] = 1.0 / E;
                c->q[first + i] /= map->rho[first + i] * E;
            }
            continue;
        }
        const double size = view.at.size[g];
        const double tau[2] = {view.y[i0] / size, group->count == 2 ? view.y[i0 + 1] / size : 0.0};
        DP_ASSERT(group->count == 1 || group->count == 2);
        for (int k = 0; k < group->count; ++k) {
            e[i0 + k] = group->reach * tau[k];
        }
        if (group->count == 2) {
            linearise_across(c, map, group, first, nrow, &view, size, tau, C);
        }
    }
    for (int i = 0; i < nrow; ++i) {
        const double E = dp_coulomb_compliance(c, map, first + i, x[first + i]);
        weight += e[i] * e[i] * E;
        along += e[i] * (E - 1.0 / map->rho[first + i]) * c->F[first + i];
    }
    for (int i = 0; i < nrow; ++i) {
        c->q[first + i] += e[i] * along / weight;
        for (int j = 0; e[i] != 0.0 && j < nrow; ++j) {
            C[i * nrow + j] += e[i] * e[j] / weight;
        }
    }
}

double dp_cone_judge(const dp_coulomb *c, int block, const double *x, const double *u)
{
    const dp_coulomb_block *own = &c->block[block];
    const int first = c->p->row_start[block];
    const dp_soft *soft = c->soft + first;
    const double *a = c->a + first, *len = c->gauge + first;
    return c->law.cone
               ? dp_cone_residual(soft, own->group, own->ngroup, a, len, x + first, u + first)
               : dp_contact_residual_bound(soft, own->group, own->ngroup, c->law.bound + first, a,
                                           len, x + first, u + first);
}

void dp_cone_states(uint8_t *state, const dp_coulomb *c, int block, const double *x,
                    const double *u)
{
    const dp_coulomb_block *own = &c->block[block];
    const int first = c->p->row_start[block];
    const dp_coulomb_map judge = {.shift = 0.0, .centre = x, .rho = c->one_over_a};
    const cone_view view = look_at(c, &judge, block, x, u);
    const bool pushes = x[first] > 0.0;
    state[first] = pushes ? DP_ROW_STATE_ACTIVE : DP_ROW_STATE_OPEN;
    for (int g = 0; g < own->ngroup; ++g) {
        const dp_friction_group *group = &own->group[g];
        const bool sticks = view.at.within[g] && group->reach > 0.0;
        for (int i = group->first; i < group->first + group->count; ++i) {
            state[first + i] = !pushes  ? DP_ROW_STATE_OPEN
                               : sticks ? DP_ROW_STATE_STICK
                                        : DP_ROW_STATE_SLIP;
        }
    }
}
