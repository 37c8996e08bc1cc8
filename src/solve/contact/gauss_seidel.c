// Sweeps over the blocks, one after the other: each takes the impulse that meets its own law while
// the others hold still, as far as one projection goes. Cheap and slow to converge; but it finds
// which contacts push, stick and slip in a collapse sooner than Newton's method does.
//
// What a sweep changes stands for a gradient, and conjugate directions are made of them
// [SilcowitzNiebeErleben2010]: they go on in the directions that sweeps get along with slowly.
#include "math/pair2.h"
#include "problem/polygon.h"
#include "solve/contact/gauss_seidel_simd.h"

#include <math.h>
#include <string.h>

// v += change of the impulse of row r through M̃⁻¹ Gᵀ
static void push(const dp_coulomb *c, int b, int r, double change)
{
    const dp_coulomb_block *block = &c->block[b];
    const double *y = c->op.response + c->op.response_at[r];
    for (int m = 0; m < block->nparts; ++m) {
        const int tree = c->part[block->part + m].tree;
        double *v = c->v + c->p->tree_start[tree];
        const int width = c->p->tree_start[tree + 1] - c->p->tree_start[tree];
        for (int k = 0; k < width; ++k) {
            v[k] += y[k] * change;
        }
        y += width;
    }
}

static double row_velocity(const dp_coulomb *c, int b, int r)
{
    const dp_step_problem *p = c->p;
    if (c->op.by_links) {
        return c->u_free[r] + c->scale[r] * dp_links_rate_alone(p->links, b, r, c->v);
    }
    const int *col = p->col + p->col_start[b], ncol = p->col_start[b + 1] - p->col_start[b];
    const double *G = p->G + p->G_start[b] + (size_t)(r - p->row_start[b]) * (size_t)ncol;
    double sum = 0.0;
    if (c->block[b].full_wrench) {
        for (int m = 0; m < c->block[b].nparts; ++m, G += DP_FREE_BODY) {
            const double *v = c->v + c->part[c->block[b].part + m].from;
            for (int k = 0; k < DP_FREE_BODY; ++k) {
                sum += G[k] * v[k];
            }
        }
    } else {
        for (int k = 0; k < ncol; ++k) {
            sum += G[k] * c->v[col[k]];
        }
    }
    return c->u_free[r] + c->scale[r] * sum;
}

// The nearest impulse that friction of a group may have.
static void draw_in(double y[2], const dp_coulomb *c, const dp_friction_group *group, double radius)
{
    if (group->count == 2 && c->law.corners > 0) {
        const dp_polygon_point point = dp_polygon_nearest(y, radius, c->law.corners);
        y[0] = point.at[0];
        y[1] = point.at[1];
        return;
    }
    const double size = sqrt(y[0] * y[0] + y[1] * y[1]);
    const double shrink = size > radius ? radius / size : 1.0;
    y[0] *= shrink;
    y[1] *= shrink;
}

static void sweep(dp_coulomb *c, int b)
{
    const dp_step_problem *p = c->p;
    const dp_coulomb_block *block = &c->block[b];
    const int first = p->row_start[b];
    const int plain = block->ngroup > 0 ? first + 1 : p->row_start[b + 1];
    for (int r = first; r < plain; ++r) {
        const double u = row_velocity(c, b, r);
        if (block->normal) {
            dp_coulomb_tangent(c, b, c->x[r], u);
        }
        const double a = block->normal ? c->w[r] + c->soft[r].R : c->a[r];
        const double y = c->x[r] - dp_soft_slack(c->soft[r], c->x[r], u) / a;
        const dp_row *row = &p->row[r];
        const double next = y < row->lo ? row->lo : y > row->hi ? row->hi : y;
        if (next != c->x[r]) {
            push(c, b, r, next - c->x[r]);
            c->x[r] = next;
        }
    }
    for (int g = 0; g < block->ngroup; ++g) {
        const dp_friction_group *group = &block->group[g];
        const int r0 = first + group->first;
        const bool at_rest = c->x[r0] == 0.0 && (group->count < 2 || c->x[r0 + 1] == 0.0);
        if (!(c->x[first] > 0.0) && at_rest) {
            continue; // open, as it was
        }
        double y[2] = {0.0, 0.0};
        for (int k = 0; k < group->count; ++k) {
            const double u = row_velocity(c, b, r0 + k);
            const double a = c->a[r0 + k] + (c->law.slip_speed > 0.0 ? c->soft[r0 + k].R : 0.0);
            y[k] = c->x[r0 + k] - dp_soft_slack(c->soft[r0 + k], c->x[r0 + k], u) / a;
        }
        const double radius = group->reach * c->x[first];
        draw_in(y, c, group, radius);
        for (int k = 0; k < group->count; ++k) {
            const double next = y[k];
            if (next != c->x[r0 + k]) {
                push(c, b, r0 + k, next - c->x[r0 + k]);
                c->x[r0 + k] = next;
            }
        }
    }
}

// ---- points of contact of free bodies among other blocks: the same, with their velocities at
// hand, and sums over pairs of numbers

enum { PAIRS = DP_FREE_BODY / 2, BODIES = 2 }; // of each of them at most two

static inline double velocity_of(const double *G, const dp_pair2 *v, const int npair)
{
    dp_pair2 sum = dp_pair2_mul(dp_pair2_load(G), v[0]);
    for (int k = 1; k < npair; ++k) {
        sum = dp_pair2_madd(sum, dp_pair2_load(G + 2 * k), v[k]);
    }
    return dp_pair2_sum(sum);
}

static inline void push_by(dp_pair2 *v, const double *y, double change, const int npair)
{
    const dp_pair2 by = dp_pair2_both(change);
    for (int k = 0; k < npair; ++k) {
        v[k] = dp_pair2_madd(v[k], dp_pair2_load(y + 2 * k), by);
    }
}

static inline void sweep_point(dp_coulomb *c, int b, const int nparts)
{
    const int npair = nparts * PAIRS, ncol = nparts * DP_FREE_BODY, r = c->p->row_start[b];
    const dp_block_part *part = c->part + c->block[b].part;
    const double *G = c->p->G + c->p->G_start[b], *y = c->op.response + c->op.response_at[r];
    const double *u_free = c->u_free + r, *scale = c->scale + r, *by = c->one_over_a + r;
    const dp_soft *soft = c->soft + r;
    double *x = c->x + r;
    dp_pair2 v[BODIES * PAIRS];
    for (int k = 0; k < npair; ++k) {
        v[k] = dp_pair2_load(c->v + part[k / PAIRS].from + 2 * (k % PAIRS));
    }
    const double u = u_free[0] + scale[0] * velocity_of(G, v, npair);
    const double pushed = x[0] - dp_soft_slack(soft[0], x[0], u) * by[0];
    const dp_row *row = &c->p->row[r];
    const double next = pushed < row->lo ? row->lo : pushed > row->hi ? row->hi : pushed;
    if (next != x[0]) {
        push_by(v, y, next - x[0], npair);
        x[0] = next;
    } else if (!(next > 0.0) && x[1] == 0.0 && x[2] == 0.0) {
        return; // open, as it was
    }
    double held[2];
    for (int k = 0; k < 2; ++k) {
        const int i = k + 1;
        const double u_t = u_free[i] + scale[i] * velocity_of(G + i * ncol, v, npair);
        held[k] = x[i] - dp_soft_slack(soft[i], x[i], u_t) * by[i];
    }
    const double radius = c->block[b].group[0].reach * x[0];
    const double square = held[0] * held[0] + held[1] * held[1];
    if (!(square <= radius * radius)) {
        const double shrink = radius / sqrt(square);
        held[0] *= shrink;
        held[1] *= shrink;
    }
    for (int k = 0; k < 2; ++k) {
        push_by(v, y + (k + 1) * ncol, held[k] - x[k + 1], npair);
        x[k + 1] = held[k];
    }
    for (int k = 0; k < npair; ++k) {
        dp_pair2_store(c->v + part[k / PAIRS].from + 2 * (k % PAIRS), v[k]);
    }
}

static bool is_point(const dp_coulomb *c, int b)
{
    const dp_coulomb_block *block = &c->block[b];
    return block->full_wrench && block->nparts <= BODIES && block->ngroup == 1 && !block->normal &&
           block->group[0].first == 1 && block->group[0].count == 2 && c->law.corners == 0;
}

static void sweep_any(dp_coulomb *c, int b)
{
    if (!is_point(c, b)) {
        sweep(c, b);
    } else if (c->block[b].nparts == 2) {
        sweep_point(c, b, 2);
    } else {
        sweep_point(c, b, 1);
    }
}

// ---- sweeps in a row

// Σ a dx² of what a sweep changed.
static double change_since(const dp_coulomb *c, const double *before)
{
    const int n = c->p->nrow;
    const double *x = c->x, *a = c->a;
    double sum = 0.0;
    for (int r = 0; r < n; ++r) {
        const double change = x[r] - before[r];
        sum += a[r] * change * change;
    }
    return sum;
}

// y is at a point that a sweep led to from `before`: go on along the conjugate direction d.
static void go_along(double *restrict y, double *restrict d, const double *restrict before,
                     double more, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        const double change = y[i] - before[i], before_it = more * d[i];
        y[i] += before_it;
        d[i] = before_it + change;
    }
}

// Blocks one after the other, every second time backwards.
static void sweep_all(dp_coulomb *c, bool forwards)
{
    const int n = c->p->nblock;
    for (int b = 0; b < n; ++b) {
        sweep_any(c, forwards ? b : n - 1 - b);
    }
}

bool dp_gauss_seidel_iterate(dp_coulomb *c, int most)
{
    if (c->gs.by_points) {
        dp_coulomb_velocities(c, c->u, c->x);
        return dp_gauss_seidel_until(c, most, 0.0);
    }
    const size_t nrow = (size_t)c->p->nrow, nv = (size_t)c->p->nv, bytes = nrow * sizeof *c->x;
    double *before = c->trial, *v_before = c->force, last = 0.0;
    if (!c->op.responds) {
        dp_coulomb_respond(c);
        c->op.responds = true;
    }
    dp_coulomb_velocities(c, c->u, c->x); // c->v = M̃⁻¹ Gᵀ x
    memset(c->direction, 0, bytes);
    memset(c->v_direction, 0, nv * sizeof *c->v_direction);
    for (int k = 0; k < most && !dp_coulomb_is_interrupted(c); ++k) {
        memcpy(before, c->x, bytes);
        memcpy(v_before, c->v, nv * sizeof *v_before);
        sweep_all(c, k % 2 == 0);
        if (k + 1 < most) { // the last leaves impulses that are within their discs
            const double now = change_since(c, before);
            const double more = now <= last && last > 0.0 ? now / last : 0.0; // or anew
            go_along(c->x, c->direction, before, more, nrow);
            go_along(c->v, c->v_direction, v_before, more, nv);
            last = now;
        }
    }
    dp_coulomb_velocities(c, c->u, c->x);
    return dp_coulomb_judge(c, c->x, c->u) <= c->tol.solved;
}
