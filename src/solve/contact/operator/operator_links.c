// The operator of one tree that is given as links (problem/links/links.h): M̃ and H = M̃ + Gᵀ C G are
// factored link by link, in time linear in their number.
#include "solve/contact/operator/operator.h"

#include "base/error.h"
#include "math/f64x2.h"

#include <string.h>

static dp_status take(dp_coulomb *c, dp_arena *scratch)
{
    const dp_links *l = c->p->links;
    const size_t n = (size_t)l->n;
    c->op.one_tree = true;
    DP_TRY(dp_arena_take(&c->op.square, scratch, DP_LINK_SQUARE * n, sizeof *c->op.square));
    DP_TRY(dp_link_factor_take(&c->op.mass, l, c->op.square, scratch));
    DP_TRY(dp_link_factor_take(&c->op.matrix, l, c->op.square, scratch));
    DP_TRY(dp_arena_take(&c->op.motion, scratch, n, sizeof *c->op.motion));
    DP_TRY(dp_arena_take(&c->op.wrench, scratch, n, sizeof *c->op.wrench));
    return dp_arena_take(&c->op.composite, scratch, n, sizeof *c->op.composite);
}

static dp_status restart(dp_coulomb *c)
{
    const dp_links *l = c->p->links;
    dp_link_factor_begin(&c->op.mass, l);
    const int bad = dp_link_factor_make(&c->op.mass, l);
    if (bad >= 0) {
        return dp_operator_refuse_mass(bad);
    }
    for (int k = c->p->nv - 1; k >= 0; --k) {
        if (!(c->op.mass.inverse[k] > 0.0)) {
            return dp_operator_refuse_mass(k);
        }
    }
    return DP_OK;
}

// ---- products

// What impulses y do to links: −wrench, and to velocities that rows see alone. @return the latter,
// in c->force; NULL: there are none
static const double *push_links(const dp_coulomb *c, const double *y)
{
    const dp_step_problem *p = c->p;
    const dp_links *l = p->links;
    bool alone = false;
    memset(c->op.wrench, 0, (size_t)l->n * sizeof *c->op.wrench);
    for (int b = 0; b < p->nblock; ++b) {
        const int on = l->on[b], first = p->row_start[b], end = p->row_start[b + 1];
        if (on < 0) {
            alone = true;
            continue;
        }
        dp_wrench sum = c->op.wrench[on];
        for (int r = first; r < end; ++r) {
            sum = dp_wrench_madd(sum, -c->scale[r] * y[r], l->along[r]);
        }
        c->op.wrench[on] = sum;
    }
    if (!alone) {
        return NULL;
    }
    memset(c->force, 0, (size_t)p->nv * sizeof *c->force);
    for (int b = 0; b < p->nblock; ++b) {
        for (int r = p->row_start[b]; l->on[b] < 0 && r < p->row_start[b + 1]; ++r) {
            c->force[-1 - l->on[b]] += l->along[r].t.x * (c->scale[r] * y[r]);
        }
    }
    return c->force;
}

// @param V how v moves the links
static void rates_of_links(const dp_coulomb *c, double *u, const dp_twist *V, const double *v)
{
    const dp_step_problem *p = c->p;
    for (int b = 0; b < p->nblock; ++b) {
        for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r) {
            u[r] = c->scale[r] * dp_links_rate(p->links, b, r, V, v);
        }
    }
}

// v = A⁻¹ Gᵀ y and u = G v. @param u NULL: not asked for
static void solve_links(const dp_coulomb *c, const dp_link_factor *A, double *v, double *u,
                        const double *y)
{
    const double *force = push_links(c, y);
    dp_link_factor_solve(v, A, c->p->links, force, c->op.motion, c->op.wrench);
    if (u) {
        rates_of_links(c, u, c->op.motion, v);
    }
}

static void row_velocities(const dp_coulomb *c, double *u, const double *v)
{
    dp_links_move(c->op.motion, c->p->links, v);
    rates_of_links(c, u, c->op.motion, v);
}

static void respond(dp_coulomb *c, double *v, double *u, const double *x)
{
    solve_links(c, &c->op.mass, v, u, x);
}

static void respond_to_row(dp_coulomb *c, int block, int row)
{
    (void)block;
    memset(c->trial, 0, (size_t)c->p->nrow * sizeof *c->trial);
    c->trial[row] = 1.0;
    solve_links(c, &c->op.mass, c->v, NULL, c->trial);
}

static void mobilities(dp_coulomb *c)
{
    const dp_step_problem *p = c->p;
    const dp_links *l = p->links;
    dp_links_mobility(c->op.square, l, c->op.mass.inverse, c->op.mass.U);
    memset(c->v, 0, (size_t)p->nv * sizeof *c->v);
    for (int b = 0; b < p->nblock; ++b) {
        for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r) {
            const double *omega = c->op.square;
            dp_wrench along = l->along[r];
            if (l->on[b] >= 0) {
                omega += (ptrdiff_t)DP_LINK_SQUARE * l->on[b];
                c->w[r] = c->scale[r] * c->scale[r] * dp_links_row_mobility(omega, along);
                continue;
            }
            const int k = -1 - l->on[b];
            c->v[k] = along.t.x * c->scale[r];
            memset(c->op.wrench, 0, (size_t)l->n * sizeof *c->op.wrench);
            dp_link_factor_solve(c->force, &c->op.mass, l, c->v, c->op.motion, c->op.wrench);
            c->w[r] = c->v[k] * c->force[k];
            c->v[k] = 0.0;
        }
    }
}

// ---- H

// I += gᵀ C g for n rows of one block
static inline void add_to_link(double *restrict I, const dp_wrench *along, const double *scale,
                               const double *C, const int n)
{
    double g[DP_CONTACT_ROWS][DP_LINK], Cg[DP_CONTACT_ROWS][DP_LINK] = {{0.0}};
    for (int i = 0; i < n; ++i) {
        const dp_v3 t = dp_v3_scale(along[i].t, scale[i]), f = dp_v3_scale(along[i].f, scale[i]);
        dp_v3_store(g[i], t);
        dp_v3_store(g[i] + 3, f);
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            const double element = C[i * n + j];
            for (int k = 0; element != 0.0 && k < DP_LINK; ++k) {
                Cg[i][k] += element * g[j][k];
            }
        }
    }
    for (int k = 0; k < DP_LINK; ++k, I += DP_LINK) {
        for (int i = 0; i < n; ++i) {
            const dp_f64x2 x = dp_f64x2_both(g[i][k]);
            for (int j = 0; j < DP_LINK; j += 2) {
                dp_f64x2_store(I + j,
                               dp_f64x2_madd(dp_f64x2_load(I + j), x, dp_f64x2_load(Cg[i] + j)));
            }
        }
    }
}

static void assemble(dp_coulomb *c)
{
    const dp_step_problem *p = c->p;
    const dp_links *l = p->links;
    dp_link_factor_begin(&c->op.matrix, l);
    for (int b = 0; b < p->nblock; ++b) {
        const int first = p->row_start[b], nrow = p->row_start[b + 1] - first;
        const double *C = c->C + c->block[b].C, *scale = c->scale + first;
        const int step = c->block[b].ngroup > 0 ? nrow : 1;
        for (int top = 0; top < nrow; top += step) {
            if (C[top] == 0.0) { // pushes nothing, and has no friction then
                continue;
            }
            double *I = c->op.matrix.inertia + (ptrdiff_t)DP_LINK_SQUARE * l->on[b];
            const dp_wrench *along = l->along + first + top;
            if (l->on[b] >= 0 && step == 3) { // a length that the compiler knows
                add_to_link(I, along, scale, C, 3);
            } else if (l->on[b] >= 0) {
                add_to_link(I, along, scale + top, C + top, step);
            } else {
                const double g = l->along[first + top].t.x * scale[top];
                c->op.matrix.diagonal[-1 - l->on[b]] += g * C[top] * g;
            }
        }
    }
}

static bool factor(dp_coulomb *c)
{
    assemble(c);
    return dp_link_factor_make(&c->op.matrix, c->p->links) < 0;
}

static void answer(dp_coulomb *c, double *v, double *u, const double *q)
{
    solve_links(c, &c->op.matrix, v, u, q);
}

const dp_operator dp_links_operator = {.name = "links",
                                       .take = take,
                                       .restart = restart,
                                       .mobilities = mobilities,
                                       .row_velocities = row_velocities,
                                       .respond = respond,
                                       .respond_to_row = respond_to_row,
                                       .factor = factor,
                                       .answer = answer};
