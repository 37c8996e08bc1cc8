// The natural map of (CO 2) and its Newton step.
//
// With A = dLaw/dy and E = R + s a, the derivative of F is B = I − A + A ρ E with respect to x at
// constant u and A ρ with respect to u, so that dx = q − C du, q = −B⁻¹ F, C = B⁻¹ A ρ. Both are
// known in closed form, with τ = y/|y| the direction of slip and β = radius/|y|:
//
//     open    q = −F                    C = 0
//     pushes  q_n = −F_n/(ρ E)          C_nn = 1/E
//     sticks  q_t = −F_t/(ρ E)          C_tt = 1/E
//     slips   C_tn = reach τ/E_n,   C_tt = β ρ/(1 − β(1 − ρ E)) (I − ττᵀ)                  (CO 3)
//
// (polygons in the place of discs: τ the normal of the edge, reach times its height, β = 1; at a
// corner τ towards it, β = 0)
// and q_t of slip from B_tt = ττᵀ + (1 − β(1 − ρE))(I − ττᵀ), B_tn = −reach τ (1 − ρ_n E_n), or
// −reach τ where the radius is that of x_n.
#include "problem/laws/polygon.h"
#include "solve/contact/cone_map.h"
#include "solve/contact/operator/operator.h"
#include "solve/contact/three_row.h"

#include <math.h>
#include <string.h>

// ---- the map

void dp_coulomb_tangent(dp_coulomb *c, int block, double x, double u)
{
    const int r = c->p->row_start[block];
    const double R_open = c->w[r] > 0.0 ? c->w[r] : 1.0;
    c->soft[r] = dp_normal_tangent(c->block[block].normal, &c->p->row[r], c->p->h, x, u,
                                   c->u_free[r], R_open);
}

// The compliance of friction that is regularised, next to the normal impulse x: (TA 1).
static double give(const dp_coulomb *c, const dp_friction_group *g, int first, double x)
{
    const int r = first + g->first;
    return dp_friction_give(dp_coulomb_slip_speed(c, r), c->w[r], g->reach * x);
}

void dp_coulomb_regularise(dp_soft *soft, const dp_coulomb *c, int b, double x)
{
    for (int g = 0; g < c->block[b].ngroup; ++g) {
        const dp_friction_group *group = &c->block[b].group[g];
        for (int k = 0; k < group->count; ++k) {
            soft[group->first + k].R = give(c, group, c->p->row_start[b], x);
        }
    }
}

void dp_coulomb_tangents(dp_coulomb *c, const double *x, const double *u)
{
    for (int b = 0; b < c->p->nblock; ++b) {
        const int r = c->p->row_start[b];
        if (c->block[b].normal) {
            dp_coulomb_tangent(c, b, x[r], u[r]);
        }
        if (c->law.slip_speed > 0.0) {
            dp_coulomb_regularise(c->soft + r, c, b, x[r]);
        }
    }
}

// y = x − ρ ũ of a contact, by row.
typedef struct ahead {
    double way[DP_CONTACT_ROWS]; // ρ ũ
    double y[DP_CONTACT_ROWS];
} ahead;

static inline void look_ahead(ahead *out, const dp_coulomb *c, const dp_coulomb_map *map, int first,
                              int nrow, const double *x, const double *u)
{
    for (int i = 0; i < nrow; ++i) {
        const int r = first + i;
        out->way[i] = map->rho[r] * dp_coulomb_slack(c, map, r, x[r], u[r]);
        out->y[i] = x[r] - out->way[i];
    }
}

// How the law sees a group of friction there.
typedef struct grip {
    double radius; // of its disc
    bool within;
    double at[2];  // where the law takes y to, unless within: there
    double tau[2]; // τ,
    double beta;   // β, and
    double grow;   // what the point moves along τ by with the radius
} grip;

static inline void look_at(grip *out, const dp_coulomb *c, const dp_coulomb_map *map,
                           const dp_friction_group *g, int first, const ahead *to, const double *x)
{
    const double x_n = x[first], *y = to->y + g->first;
    const double normal = map->radius_of_impulse && x_n > 0.0 ? x_n : to->y[0];
    const double across = g->count == 2 ? y[1] : 0.0;
    out->radius = c->law.bound   ? c->law.bound[first + g->first]
                  : normal > 0.0 ? g->reach * normal
                                 : 0.0;
    if (g->count == 2 && c->law.corners > 0) {
        const dp_polygon_point point = dp_polygon_nearest(y, out->radius, c->law.corners);
        out->within = point.within;
        out->beta = point.slide;
        out->grow = point.grow;
        for (int k = 0; k < 2; ++k) {
            out->at[k] = point.at[k];
            out->tau[k] = point.out[k];
        }
        return;
    }
    const double size = sqrt(y[0] * y[0] + across * across);
    out->within = !(size > out->radius);
    if (out->within) {
        return;
    }
    out->beta = out->radius / size;
    out->grow = c->law.bound ? 0.0 : 1.0;
    out->at[0] = out->beta * y[0];
    out->at[1] = out->beta * across;
    out->tau[0] = y[0] / size;
    out->tau[1] = across / size;
}

static inline dp_three_row look_at_three_row(const dp_coulomb *c, const dp_coulomb_map *map,
                                             int first, double reach, const double *x,
                                             const double *u)
{
    const dp_soft *soft = c->soft + first;
    const double *a = c->a + first, *r = map->centre + first, *x0 = x + first, *u0 = u + first;
    const double own[3] = {dp_soft_slack(soft[0], x0[0], u0[0]),
                           dp_three_row_slack(soft[1], x0[1], u0[1]),
                           dp_three_row_slack(soft[2], x0[2], u0[2])};
    double gap[3];
    for (int k = 0; k < 3; ++k) {
        gap[k] = own[k] + map->shift * a[k] * (x0[k] - r[k]);
    }
    return dp_three_row_at(x + first, gap, map->rho + first, reach,
                           map->radius_of_impulse && x[first] > 0.0);
}

static void evaluate_three_row(double *F, const dp_three_row *at, const double *x)
{
    F[0] = at->y[0] < 0.0 ? x[0] : at->way[0];
    F[1] = at->way[1];
    F[2] = at->way[2];
    if (!at->within) {
        const double shrink = at->radius / sqrt(at->square);
        F[1] = x[1] - shrink * at->y[1];
        F[2] = x[2] - shrink * at->y[2];
    }
}

// (CO 2) of a scalar row. @param way ρ ũ
static inline double evaluate_row(const dp_row *row, double x, double way)
{
    const double y = x - way;
    return y < row->lo   ? x - row->lo
           : y > row->hi ? x - row->hi
                         : way; // x − (x − way), without the cancellation
}

// A contact whose friction is in discs or polygons.
static void evaluate_contact(const dp_coulomb *c, double *F, const dp_coulomb_map *map, int b,
                             const ahead *to, const double *x)
{
    const dp_coulomb_block *block = &c->block[b];
    const int first = c->p->row_start[b];
    F[first] = evaluate_row(&c->p->row[first], x[first], to->way[0]);
    for (int g = 0; g < block->ngroup; ++g) {
        const dp_friction_group *group = &block->group[g];
        grip at;
        look_at(&at, c, map, group, first, to, x);
        for (int k = 0; k < group->count; ++k) {
            const int i = group->first + k;
            F[first + i] = at.within ? to->way[i] : x[first + i] - at.at[k];
        }
    }
}

// A block that is no contact of three rows.
static void evaluate_block(dp_coulomb *c, double *F, const dp_coulomb_map *map, int b,
                           const double *x, const double *u)
{
    const dp_step_problem *p = c->p;
    const dp_coulomb_block *block = &c->block[b];
    const int first = p->row_start[b];
    if (block->ngroup == 0) {
        for (int r = first; r < p->row_start[b + 1]; ++r) {
            const double way = map->rho[r] * dp_coulomb_slack(c, map, r, x[r], u[r]);
            F[r] = evaluate_row(&p->row[r], x[r], way);
        }
        return;
    }
    if (c->law.cone) {
        dp_cone_evaluate(c, F, map, b, x, u);
        return;
    }
    ahead to;
    look_ahead(&to, c, map, first, p->row_start[b + 1] - first, x, u);
    evaluate_contact(c, F, map, b, &to, x);
}

double dp_coulomb_evaluate(dp_coulomb *c, double *F, const dp_coulomb_map *map, const double *x,
                           const double *u)
{
    const dp_step_problem *p = c->p;
    double merit = 0.0;
    for (int b = 0; b < p->nblock; ++b) {
        const dp_coulomb_block *block = &c->block[b];
        const int first = p->row_start[b];
        if (block->three_row) {
            const dp_three_row at = look_at_three_row(c, map, first, block->group[0].reach, x, u);
            evaluate_three_row(F + first, &at, x + first);
        } else {
            evaluate_block(c, F, map, b, x, u);
        }
    }
    for (int r = 0; r < p->nrow; ++r) {
        merit += c->a[r] * F[r] * F[r];
    }
    return merit;
}

// ---- the Newton step

// (CO 3) for scalar rows: those of blocks without friction, and normals.
static inline void linearise_row(dp_coulomb *c, const dp_coulomb_map *map, int r, double *C,
                                 double y, double x)
{
    const dp_row *row = &c->p->row[r];
    const double E = dp_coulomb_compliance(c, map, r, x);
    const bool within = y > row->lo && y < row->hi;
    *C = within ? 1.0 / E : 0.0;
    c->q[r] = within ? -c->F[r] / (map->rho[r] * E) : -c->F[r];
}

static void linearise_group(dp_coulomb *c, const dp_coulomb_map *map, const dp_friction_group *g,
                            int first, int nrow, double *C, const ahead *to, const double *x)
{
    const double C_nn = C[0];
    grip at = {.within = true};
    look_at(&at, c, map, g, first, to, x);
    const int r0 = first + g->first;
    const double rho = map->rho[r0], E = dp_coulomb_compliance(c, map, r0, x[r0]);
    if (at.within && at.radius > 0.0) {
        for (int k = 0; k < g->count; ++k) {
            C[(g->first + k) * nrow + g->first + k] = 1.0 / E;
            c->q[r0 + k] = -c->F[r0 + k] / (rho * E);
        }
        return;
    }
    if (!(at.radius > 0.0)) {
        for (int k = 0; k < g->count; ++k) {
            c->q[r0 + k] = -c->F[r0 + k];
        }
        return;
    }
    DP_ASSERT(g->count == 1 || g->count == 2);
    c->op.symmetric = c->op.symmetric && c->law.bound;
    const double *tau = at.tau, across = 1.0 - at.beta * (1.0 - rho * E);
    const double reach = g->reach * at.grow;
    const double E_n = dp_coulomb_compliance(c, map, first, x[first]);
    // B_tt q_t = −F_t − B_tn q_n
    const double pull =
        reach * c->q[first] *
        (map->radius_of_impulse && x[first] > 0.0 ? 1.0 : 1.0 - map->rho[first] * E_n);
    double rhs[2] = {0.0, 0.0}, along = 0.0;
    for (int k = 0; k < g->count; ++k) {
        rhs[k] = -c->F[r0 + k] + pull * tau[k];
        along += rhs[k] * tau[k];
    }
    for (int k = 0; k < g->count; ++k) {
        c->q[r0 + k] = along * tau[k] + (rhs[k] - along * tau[k]) / across;
        C[(g->first + k) * nrow] = reach * tau[k] * C_nn;
    }
    if (g->count == 2) {
        const double kappa = at.beta * rho / across;
        const double side[2] = {-tau[1], tau[0]};
        for (int k = 0; k < 2; ++k) {
            for (int l = 0; l < 2; ++l) {
                C[(g->first + k) * nrow + g->first + l] = kappa * side[k] * side[l];
            }
        }
    }
}

// As the two above.
static void linearise_three_row(dp_coulomb *c, const dp_coulomb_map *map, int b,
                                const dp_three_row *at, const double *x)
{
    const dp_coulomb_block *block = &c->block[b];
    const int first = c->p->row_start[b];
    double *C = c->C + block->C;
    const double *rho = map->rho + first, *F = c->F + first;
    double *q = c->q + first;
    memset(C, 0, 9 * sizeof *C);
    q[0] = -F[0];
    if (at->y[0] > 0.0) {
        const double over = 1.0 / (rho[0] * dp_coulomb_compliance(c, map, first, x[first]));
        C[0] = rho[0] * over;
        q[0] *= over;
    }
    q[1] = -F[1];
    q[2] = -F[2];
    if (at->radius > 0.0 && at->within) {
        const double over = 1.0 / (rho[1] * dp_coulomb_compliance(c, map, first + 1, x[first + 1]));
        C[4] = C[8] = rho[1] * over;
        q[1] *= over;
        q[2] *= over;
    } else if (at->radius > 0.0) {
        const ahead to = {.way = {at->way[0], at->way[1], at->way[2]},
                          .y = {at->y[0], at->y[1], at->y[2]}};
        linearise_group(c, map, &block->group[0], first, 3, C, &to, x);
    }
}

// A block that is no contact of three rows. @param fresh c->F is not known yet
static void linearise_block(dp_coulomb *c, const dp_coulomb_map *map, int b, const double *x,
                            const double *u, bool fresh)
{
    const dp_step_problem *p = c->p;
    const dp_coulomb_block *block = &c->block[b];
    const int first = p->row_start[b], nrow = p->row_start[b + 1] - first;
    double *C = c->C + block->C;
    if (block->ngroup == 0) {
        for (int i = 0; i < nrow; ++i) {
            const int r = first + i;
            const double way = map->rho[r] * dp_coulomb_slack(c, map, r, x[r], u[r]);
            c->F[r] = fresh ? evaluate_row(&p->row[r], x[r], way) : c->F[r];
            linearise_row(c, map, r, C + i, x[r] - way, x[r]);
        }
        return;
    }
    memset(C, 0, (size_t)(nrow * nrow) * sizeof *C);
    if (c->law.cone) {
        if (fresh) {
            dp_cone_evaluate(c, c->F, map, b, x, u);
        }
        dp_cone_linearise(c, map, b, C, x, u);
        return;
    }
    DP_ASSERT(nrow >= 3);
    ahead to;
    look_ahead(&to, c, map, first, nrow, x, u);
    if (fresh) {
        evaluate_contact(c, c->F, map, b, &to, x);
    }
    linearise_row(c, map, first, C, to.y[0], x[first]);
    for (int g = 0; g < block->ngroup; ++g) {
        linearise_group(c, map, &block->group[g], first, nrow, C, &to, x);
    }
}

// @param fresh c->F is not known yet
static void linearise(dp_coulomb *c, const dp_coulomb_map *map, const double *x, const double *u,
                      bool fresh)
{
    const dp_step_problem *p = c->p;
    c->op.symmetric = true;
    for (int b = 0; b < p->nblock; ++b) {
        const dp_coulomb_block *block = &c->block[b];
        const int first = p->row_start[b];
        if (block->three_row) {
            const dp_three_row at = look_at_three_row(c, map, first, block->group[0].reach, x, u);
            if (fresh) {
                evaluate_three_row(c->F + first, &at, x + first);
            }
            linearise_three_row(c, map, b, &at, x);
            continue;
        }
        linearise_block(c, map, b, x, u, fresh);
    }
}

void dp_coulomb_linearise(dp_coulomb *c, const dp_coulomb_map *map, const double *x,
                          const double *u)
{
    linearise(c, map, x, u, true);
}

void dp_coulomb_linearise_known(dp_coulomb *c, const dp_coulomb_map *map, const double *x,
                                const double *u)
{
    linearise(c, map, x, u, false);
}

void dp_coulomb_step(dp_coulomb *c, double *dx)
{
    const dp_step_problem *p = c->p;
    c->op.use->answer(c, c->v, c->du, c->q);
    for (int b = 0; b < p->nblock; ++b) {
        const dp_coulomb_block *block = &c->block[b];
        const int first = p->row_start[b], nrow = p->row_start[b + 1] - first;
        const double *C = c->C + block->C;
        if (block->three_row) {
            const double *du = c->du + first, *q = c->q + first;
            for (int i = 0; i < 3; ++i) {
                dx[first + i] =
                    q[i] - ((C[3 * i] * du[0] + C[3 * i + 1] * du[1]) + C[3 * i + 2] * du[2]);
            }
            continue;
        }
        for (int i = 0; i < nrow; ++i) {
            double sum = 0.0;
            if (block->ngroup == 0) {
                sum = C[i] * c->du[first + i];
            } else {
                for (int j = 0; j < nrow; ++j) {
                    sum += C[i * nrow + j] * c->du[first + j];
                }
            }
            dx[first + i] = c->q[first + i] - sum;
        }
    }
}

bool dp_coulomb_direction(dp_coulomb *c, double *dx, const dp_coulomb_map *map, const double *x,
                          const double *u)
{
    linearise(c, map, x, u, false);
    if (!dp_coulomb_factor(c)) {
        return false;
    }
    dp_coulomb_step(c, dx);
    return true;
}
