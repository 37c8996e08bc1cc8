// Which impulses make a motion, where several do: the limit of vanishing compliance s D.
//
// The velocities of a solution of (CV 1) are unique, and all impulses that go with them have the
// same sum f = Gᵀx and lie on the same faces of their sets: none where the slack points inward, a
// ray where a contact slides, the set itself where nothing moves. The least of them
// [PreclikRuedePopa2011, (35), (63), (65)],
//
//     min ½ Σ D x²,   Gᵀx = f,   x on its faces F,                                          (CV 4)
//
// is x = P_F(D⁻¹ G y), P_F the nearest point in the metric D, with y such that Gᵀx = f: the least
// of a convex function of y, of the size of the velocities, found by Newton's method with the
// matrix Gᵀ C G of (CV 2), E = D, and a small part of M̃ that makes it regular and is iterated away.
// No number is divided by s, so that no digits are lost to it.
#include "problem/laws/friction_cone.h"
#include "solve/contact/convex_search.h"

#include <math.h>
#include <string.h>

// The face of a contact.
typedef struct face {
    bool none;                      // no impulse
    double e[DP_CONTACT_ROWS];      // its ray: 1 along the normal, friction on rims beside it
    bool on_rim[DP_CONTACT_GROUPS]; // groups that are
    dp_friction_group within[DP_CONTACT_GROUPS]; // the others
    int nwithin;
} face;

// Arrays by row that are not used otherwise by now.
typedef struct least {
    dp_coulomb *c;
    double *D;      // c->rho: weights, about 1 over their mobilities in size; 0: the impulse stays
    double *slack;  // c->u_trial
    double *z;      // c->u: G y
    double *x;      // c->x
    double *y;      // c->v_direction
    double *target; // c->best.v, restored in the end: f
    double still;   // [m/s]
    bool factored;  // there are factors, of c->op.C_factored
} least;

static bool moves(const least *s, int r, int count)
{
    const double across = count == 2 ? s->slack[r + 1] : 0.0;
    return sqrt(s->slack[r] * s->slack[r] + across * across) * s->c->len[r] > s->still;
}

static face face_of(const least *s, int b)
{
    const dp_coulomb *c = s->c;
    const dp_coulomb_block *block = &c->block[b];
    const int first = c->p->row_start[b];
    face out = {.e = {1.0}};
    double lift = 0.0;
    for (int g = 0; g < block->ngroup; ++g) {
        const dp_friction_group *group = &block->group[g];
        const int i0 = group->first, r = first + i0;
        out.on_rim[g] = !(group->reach > 0.0) || moves(s, r, group->count);
        if (!out.on_rim[g]) {
            out.within[out.nwithin++] = *group;
            continue;
        }
        const double across = group->count == 2 ? s->slack[r + 1] : 0.0;
        const double speed = sqrt(s->slack[r] * s->slack[r] + across * across);
        lift += group->reach * speed;
        for (int k = 0; k < group->count; ++k) {
            out.e[i0 + k] = speed > 0.0 ? -group->reach * s->slack[r + k] / speed : 0.0;
        }
    }
    out.none = (s->slack[first] - lift) * c->len[first] > s->still;
    return out;
}

// x = P_F(D⁻¹ z) of a contact in its cone. @param C C·D of (CV 2), 0 before; NULL: not asked for
static void project_cone(const least *s, int b, double *C)
{
    const dp_coulomb *c = s->c;
    const int first = c->p->row_start[b], nrow = c->p->row_start[b + 1] - first;
    const face on = face_of(s, b);
    const double *D = s->D + first, *z = s->z + first;
    double *x = s->x + first, y[DP_CONTACT_ROWS] = {0.0}, d[DP_CONTACT_ROWS], e[DP_CONTACT_ROWS];
    memcpy(e, on.e, sizeof e);
    memset(x, 0, (size_t)nrow * sizeof *x);
    if (on.none) {
        return;
    }
    double weight = 0.0, pull = 0.0;
    for (int i = 0; i < nrow; ++i) {
        weight += e[i] * e[i] * D[i];
        pull += e[i] * z[i];
        d[i] = D[i];
        y[i] = z[i] / D[i];
    }
    d[0] = weight;
    y[0] = pull / weight;
    const dp_cone_point at = dp_cone_nearest(on.within, on.nwithin, d, y);
    for (int g = 0; g < on.nwithin; ++g) {
        const int i0 = on.within[g].first, count = on.within[g].count;
        const double size = at.size[g], reach = on.within[g].reach;
        const double beta = at.within[g] ? 1.0 : reach * at.normal / size;
        for (int k = 0; k < count; ++k) {
            x[i0 + k] = beta * y[i0 + k];
            e[i0 + k] = at.within[g] ? 0.0 : reach * y[i0 + k] / size;
        }
        for (int k = 0; C && at.normal > 0.0 && k < count; ++k) {
            for (int l = 0; l < count; ++l) {
                const double along = at.within[g] ? 0.0 : y[i0 + k] / size * (y[i0 + l] / size);
                C[(i0 + k) * nrow + i0 + l] += beta * ((k == l) - along) / D[i0 + k];
            }
        }
    }
    double all = 0.0; // of the ray, with what has come to its rim
    for (int i = 0; i < nrow; ++i) {
        x[i] += on.e[i] * at.normal;
        all += e[i] * e[i] * D[i];
    }
    for (int i = 0; C && at.normal > 0.0 && i < nrow; ++i) {
        for (int j = 0; j < nrow; ++j) {
            C[i * nrow + j] += e[i] * e[j] / all;
        }
    }
}

// The same of a scalar row: an impulse at an end of its range that its velocity confirms stays
// there.
static void project_row(const least *s, int r, double *C)
{
    const dp_row *row = &s->c->p->row[r];
    const double was = s->c->best.x[r], speed = s->slack[r] * s->c->len[r];
    *C = 0.0;
    s->x[r] = was;
    if (!(s->D[r] > 0.0) || (speed > s->still && isfinite(row->lo)) ||
        (speed < -s->still && isfinite(row->hi))) {
        return;
    }
    const double y = s->z[r] / s->D[r];
    s->x[r] = y < row->lo ? row->lo : y > row->hi ? row->hi : y;
    *C = y > row->lo && y < row->hi ? 1.0 / s->D[r] : 0.0;
}

// Friction in discs that are given.
static void project_discs(const least *s, int b, double *C)
{
    const dp_coulomb *c = s->c;
    const dp_coulomb_block *block = &c->block[b];
    const int first = c->p->row_start[b], nrow = c->p->row_start[b + 1] - first;
    project_row(s, first, C);
    for (int g = 0; g < block->ngroup; ++g) {
        const int i0 = block->group[g].first, r = first + i0, count = block->group[g].count;
        const double bound = c->law.bound[r], across = count == 2 ? s->z[r + 1] / s->D[r + 1] : 0.0;
        const double y[2] = {s->z[r] / s->D[r], across};
        const double size = sqrt(y[0] * y[0] + y[1] * y[1]);
        const bool free = bound > 0.0 && !moves(s, r, count), inside = size <= bound;
        for (int k = 0; k < count; ++k) {
            s->x[r + k] = !free ? c->best.x[r + k] : inside ? y[k] : bound * y[k] / size;
            for (int l = 0; free && l < count; ++l) {
                const double along = inside ? 0.0 : y[k] / size * (y[l] / size);
                const double beta = inside ? 1.0 : bound / size;
                C[(i0 + k) * nrow + i0 + l] = beta * ((k == l) - along) / s->D[r];
            }
        }
    }
}

// x at y, and C.
static void project(const least *s)
{
    dp_coulomb *c = s->c;
    const dp_step_problem *p = c->p;
    memset(c->C, 0, c->op.nC * sizeof *c->C);
    for (int b = 0; b < p->nblock; ++b) {
        const int first = p->row_start[b], nrow = p->row_start[b + 1] - first;
        double *C = c->C + c->block[b].C;
        if (c->block[b].ngroup > 0 && c->law.cone) {
            project_cone(s, b, C);
        } else if (c->block[b].ngroup > 0) {
            project_discs(s, b, C);
        } else {
            for (int i = 0; i < nrow; ++i) {
                project_row(s, first + i, C + i);
            }
        }
    }
}

static void set_weights(const least *s)
{
    const dp_coulomb *c = s->c;
    double sum = 0.0, count = 0.0;
    for (int r = 0; r < c->p->nrow; ++r) {
        const bool counts = dp_convex_is_rigid(c, r) && c->w[r] > 0.0;
        sum += counts ? c->law.weight[r] / c->w[r] : 0.0;
        count += counts;
    }
    for (int r = 0; r < c->p->nrow; ++r) {
        s->D[r] = dp_convex_is_rigid(c, r) ? c->law.weight[r] * count / sum : 0.0;
    }
}

// Contacts have weights in all their rows, or (CV 4) has no answer to give.
static bool is_weighted(const least *s)
{
    const dp_coulomb *c = s->c;
    bool any = false;
    for (int b = 0; b < c->p->nblock; ++b) {
        for (int r = c->p->row_start[b]; r < c->p->row_start[b + 1]; ++r) {
            any = any || s->D[r] > 0.0;
            if (c->block[b].ngroup > 0 && !(s->D[r] > 0.0)) {
                return false;
            }
        }
    }
    return any;
}

// What is missing of f, in c->force. @return its largest element, as a velocity of its own mass
static double missing(const least *s)
{
    dp_coulomb *c = s->c;
    double worst = 0.0;
    dp_coulomb_forces(c, c->force, s->x);
    for (int i = 0; i < c->p->nv; ++i) {
        c->force[i] = s->target[i] - c->force[i];
        worst = fmax(worst, fabs(c->force[i]) / c->p->Mt[c->p->Mt_start[i]]);
    }
    return worst;
}

// The slope of the convex function at a share of the step dy = c->v, G dy = c->du, from z =
// c->trial.
static double slope_at(void *job, double share)
{
    const least *s = job;
    const dp_coulomb *c = s->c;
    double sum = 0.0;
    for (int r = 0; r < c->p->nrow; ++r) {
        s->z[r] = c->trial[r] + share * c->du[r];
    }
    project(s);
    for (int r = 0; r < c->p->nrow; ++r) {
        sum += s->x[r] * c->du[r];
    }
    for (int i = 0; i < c->p->nv; ++i) {
        sum -= s->target[i] * c->v[i];
    }
    return sum;
}

// The factors of δM̃ + Gᵀ C G, over δ, if they are not there already.
static bool factor(least *s)
{
    dp_coulomb *c = s->c;
    for (size_t k = 0; k < c->op.nC; ++k) {
        c->C[k] *= 1.0 / DP_SLIGHT;
    }
    if (s->factored && memcmp(c->C, c->op.C_factored, c->op.nC * sizeof *c->C) == 0) {
        return true;
    }
    c->op.symmetric = true;
    s->factored = dp_coulomb_factor(c);
    return s->factored;
}

// One Newton step from y, where `project` has left x and C, and `missing` the force. @return false
// where there is none to make
static bool descend(least *s, bool whole)
{
    dp_coulomb *c = s->c;
    ++c->work.iterations;
    if (!factor(s)) {
        return false;
    }
    double first = 0.0, share = 1.0;
    dp_coulomb_solve_factored(c, c->v, c->force);
    for (int i = 0; i < c->p->nv; ++i) {
        c->v[i] *= 1.0 / DP_SLIGHT;
        first += c->force[i] * c->v[i];
    }
    if (!whole) {
        dp_coulomb_row_velocities(c, c->du, c->v);
        memcpy(c->trial, s->z, (size_t)c->p->nrow * sizeof *c->trial);
        share = dp_convex_share(slope_at, s, first);
    }
    for (int i = 0; i < c->p->nv; ++i) {
        s->y[i] += share * c->v[i];
    }
    return true;
}

// [m/s] The largest velocity that one of the impulses makes.
static double largest_push(const dp_coulomb *c, const double *x)
{
    double most = 0.0;
    for (int r = 0; r < c->p->nrow; ++r) {
        most = fmax(most, c->w[r] * fabs(x[r]) * c->len[r]);
    }
    return most;
}

void dp_minimum_norm(dp_coulomb *c)
{
    const size_t bytes = (size_t)c->p->nrow * sizeof *c->x;
    least s = {.c = c,
               .D = c->rho,
               .slack = c->u_trial,
               .z = c->u,
               .x = c->x,
               .y = c->v_direction,
               .target = c->best.v,
               .still = DP_FALL * c->tol.solved};
    set_weights(&s);
    if (!is_weighted(&s)) {
        return;
    }
    for (int r = 0; r < c->p->nrow; ++r) {
        s.slack[r] = dp_soft_slack(c->soft[r], c->best.x[r], c->best.u[r]);
    }
    const double before = c->best.residual, push = largest_push(c, c->best.x);
    dp_coulomb_forces(c, s.target, c->best.x);
    memset(s.y, 0, (size_t)c->p->nv * sizeof *s.y);
    for (int r = 0; r < c->p->nrow; ++r) { // the first step is taken where the impulses are now
        s.z[r] = s.D[r] * c->best.x[r];
    }
    project(&s);
    memcpy(c->force, s.target, (size_t)c->p->nv * sizeof *c->force);
    double off = (double)INFINITY, least_off = off;
    for (int k = 0, vain = 0; k < DP_NEWTON_STEPS && vain < DP_PATIENCE &&
                              off > DP_ROUND_OFF * push && !dp_coulomb_is_interrupted(c);
         ++k) {
        vain = k == 0 || off < DP_PROGRESS * least_off ? 0 : vain + 1;
        least_off = fmin(off, least_off);
        if (!descend(&s, k == 0)) {
            break;
        }
        dp_coulomb_row_velocities(c, s.z, s.y);
        project(&s);
        off = missing(&s);
    }
    dp_coulomb_velocities(c, c->u, c->x); // c->v = M̃⁻¹ Gᵀ x
    const double residual = dp_coulomb_residual(c, c->x, c->u);
    const bool still_solved = residual <= c->tol.solved || !(before <= c->tol.solved);
    if (still_solved && residual <= fmax(before / DP_FALL, DP_GOAL * c->tol.solved)) {
        memcpy(c->best.x, c->x, bytes);
        memcpy(c->best.u, c->u, bytes);
        c->best.residual = residual;
        memcpy(c->best.v, c->v, (size_t)c->p->nv * sizeof *c->v);
        return;
    }
    dp_coulomb_velocities(c, c->u, c->best.x);
    memcpy(c->best.v, c->v, (size_t)c->p->nv * sizeof *c->v);
}
