#include "problem/links/links.h"

#include <string.h>

void dp_links_move(dp_twist *V, const dp_links *l, const double *v)
{
    const dp_twist still = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    for (int i = 0; i < l->n; ++i) {
        dp_twist move = l->parent[i] < 0 ? still : dp_twist_shift(V[l->parent[i]], l->offset[i]);
        for (int k = l->first[i]; k < l->first[i + 1]; ++k) {
            move = dp_twist_madd(move, v[k], l->motion[k]);
        }
        V[i] = move;
    }
}

void dp_links_gather(double *tau, const dp_links *l, dp_wrench *F)
{
    for (int i = l->n - 1; i >= 0; --i) {
        for (int k = l->first[i]; k < l->first[i + 1]; ++k) {
            tau[k] = dp_power(l->motion[k], F[i]);
        }
        if (l->parent[i] >= 0) {
            F[l->parent[i]] = dp_wrench_add(F[l->parent[i]], dp_wrench_shift(F[i], l->offset[i]));
        }
    }
}

void dp_links_apply(double *y, const dp_links *l, const double *x, dp_twist *V, dp_wrench *F)
{
    dp_links_move(V, l, x);
    for (int i = 0; i < l->n; ++i) {
        const dp_rigid_inertia I = dp_link_inertia(l, i);
        F[i] = dp_rigid_inertia_apply(&I, V[i]);
    }
    dp_links_gather(y, l, F);
    for (int k = 0; k < l->first[l->n]; ++k) {
        y[k] += l->diagonal[k] * x[k];
    }
}

double dp_links_square(const dp_links *l, const double *x, dp_twist *V)
{
    double sum = 0.0;
    dp_links_move(V, l, x);
    for (int i = 0; i < l->n; ++i) {
        const dp_rigid_inertia I = dp_link_inertia(l, i);
        sum += dp_power(V[i], dp_rigid_inertia_apply(&I, V[i]));
        for (int k = l->first[i]; k < l->first[i + 1]; ++k) {
            sum += l->diagonal[k] * x[k] * x[k];
        }
    }
    return sum;
}

// All that moves with each link.
static void compose(dp_rigid_inertia *composite, const dp_links *l)
{
    for (int i = 0; i < l->n; ++i) {
        composite[i] = dp_link_inertia(l, i);
    }
    for (int i = l->n - 1; i >= 0; --i) {
        if (l->parent[i] >= 0) {
            dp_rigid_inertia_accumulate(&composite[l->parent[i]], &composite[i], l->offset[i]);
        }
    }
}

void dp_links_diagonal(double *M, const dp_links *l, dp_rigid_inertia *composite)
{
    compose(composite, l);
    for (int i = 0; i < l->n; ++i) {
        for (int k = l->first[i]; k < l->first[i + 1]; ++k) {
            const dp_wrench F = dp_rigid_inertia_apply(&composite[i], l->motion[k]);
            M[k] = dp_power(l->motion[k], F) + l->diagonal[k];
        }
    }
}

double dp_links_rate_alone(const dp_links *l, int block, int row, const double *v)
{
    dp_wrench F = l->along[row];
    if (l->on[block] < 0) {
        return F.t.x * v[-1 - l->on[block]];
    }
    double u = 0.0;
    for (int i = l->on[block]; i >= 0; i = l->parent[i]) {
        for (int k = l->first[i]; k < l->first[i + 1]; ++k) {
            u += dp_power(l->motion[k], F) * v[k];
        }
        F = dp_wrench_shift(F, l->offset[i]);
    }
    return u;
}

double dp_row_speed(const dp_step_problem *p, int block, int row, const double *v)
{
    if (p->links) {
        return dp_links_rate_alone(p->links, block, row, v);
    }
    const int first = p->col_start[block], ncol = p->col_start[block + 1] - first;
    const size_t place = (size_t)(row - p->row_start[block]);
    const double *G = p->G + p->G_start[block] + place * (size_t)ncol;
    double u = 0.0;
    for (int k = 0; k < ncol; ++k) {
        u += G[k] * v[p->col[first + k]];
    }
    return u;
}

void dp_links_push(double *f, const dp_step_problem *p, const double *x, dp_wrench *F)
{
    const dp_links *l = p->links;
    memset(F, 0, (size_t)l->n * sizeof *F);
    for (int b = 0; b < p->nblock; ++b) {
        for (int r = p->row_start[b]; l->on[b] >= 0 && r < p->row_start[b + 1]; ++r) {
            F[l->on[b]] = dp_wrench_madd(F[l->on[b]], x[r], l->along[r]);
        }
    }
    dp_links_gather(f, l, F);
    for (int b = 0; b < p->nblock; ++b) {
        for (int r = p->row_start[b]; l->on[b] < 0 && r < p->row_start[b + 1]; ++r) {
            f[-1 - l->on[b]] += l->along[r].t.x * x[r];
        }
    }
}

// ---- mobilities

enum { SIX = 6 };

static void store_twist(double x[SIX], dp_twist s)
{
    dp_v3_store(x, s.w);
    dp_v3_store(x + 3, s.v);
}

static void store_wrench(double x[SIX], dp_wrench f)
{
    dp_v3_store(x, f.t);
    dp_v3_store(x + 3, f.f);
}

// Ω about a point that lies at r from that of `from`: X Ω Xᵀ. Rows and columns of v get r × those
// of ω, with the other sign.
static void shift_mobility(double *restrict to, const double *restrict from, dp_v3 r)
{
    double half[SIX][SIX]; // X Ω
    for (int j = 0; j < SIX; ++j) {
        const dp_v3 w = {from[j], from[SIX + j], from[2 * SIX + j]};
        const dp_v3 v = {from[3 * SIX + j], from[4 * SIX + j], from[5 * SIX + j]};
        const dp_v3 moved = dp_v3_add(v, dp_v3_cross(w, r));
        half[0][j] = w.x;
        half[1][j] = w.y;
        half[2][j] = w.z;
        half[3][j] = moved.x;
        half[4][j] = moved.y;
        half[5][j] = moved.z;
    }
    for (int i = 0; i < SIX; ++i) {
        const dp_v3 w = dp_v3_load(half[i]), v = dp_v3_load(half[i] + 3);
        dp_v3_store(to + (ptrdiff_t)SIX * i, w);
        dp_v3_store(to + (ptrdiff_t)SIX * i + 3, dp_v3_add(v, dp_v3_cross(w, r)));
    }
}

// A velocity with the unit motion S yields: Ω ← (1 − S Uᵀ/d) Ω (1 − U Sᵀ/d) + S Sᵀ/d.
static void give_way(double *restrict omega, dp_twist motion, const dp_wrench *push, double inverse)
{
    double S[SIX], y[SIX] = {0.0};
    store_twist(S, motion);
    double left = 0.5 * inverse;
    if (push) {
        double U[SIX], sum = 0.0;
        store_wrench(U, *push);
        for (int i = 0; i < SIX; ++i) {
            const double *row = omega + (ptrdiff_t)SIX * i;
            const double even = row[0] * U[0] + row[2] * U[2] + row[4] * U[4];
            const double odd = row[1] * U[1] + row[3] * U[3] + row[5] * U[5];
            y[i] = (even + odd) * inverse;
            sum += U[i] * y[i];
        }
        left += 0.5 * sum * inverse;
    }
    for (int i = 0; i < SIX; ++i) { // S zᵀ + z Sᵀ
        y[i] = left * S[i] - y[i];
    }
    for (int i = 0; i < SIX; ++i) {
        double *row = omega + (ptrdiff_t)SIX * i;
        for (int j = 0; j < SIX; ++j) {
            row[j] += S[i] * y[j] + y[i] * S[j];
        }
    }
}

void dp_links_mobility(double *omega, const dp_links *l, const double *inverse, const dp_wrench *U)
{
    enum { ALL = SIX * SIX };
    for (int i = 0; i < l->n; ++i) {
        double *own = omega + (ptrdiff_t)ALL * i;
        if (l->parent[i] < 0) {
            memset(own, 0, ALL * sizeof *own);
        } else {
            shift_mobility(own, omega + (ptrdiff_t)ALL * l->parent[i], l->offset[i]);
        }
        for (int k = l->first[i]; k < l->first[i + 1]; ++k) {
            give_way(own, l->motion[k], U ? &U[k] : NULL, inverse[k]);
        }
    }
}

double dp_links_row_mobility(const double *omega, dp_wrench along)
{
    const double round_off = 1e-14; // where so little is left of the terms, they cancel
    double g[SIX], w = 0.0, size = 0.0;
    store_wrench(g, along);
    for (int i = 0; i < SIX; ++i) { // Ω is symmetric
        const double *row = omega + (ptrdiff_t)SIX * i;
        double beside = 0.0;
        for (int j = 0; j < i; ++j) {
            beside += row[j] * g[j];
        }
        const double own = row[i] * g[i] * g[i];
        w += own + 2.0 * g[i] * beside;
        size += own;
    }
    return w > round_off * size ? w : 0.0;
}

// ---- matrices

static void unfold_mass(double *Mt, const dp_step_problem *p, const int *link_of,
                        const dp_rigid_inertia *composite)
{
    const dp_links *l = p->links;
    for (int k = 0; k < p->nv; ++k) {
        int at = link_of[k];
        dp_wrench F = dp_rigid_inertia_apply(&composite[at], l->motion[k]);
        double *row = Mt + p->Mt_start[k];
        row[0] = l->diagonal[k];
        for (int j = k; j >= 0; j = p->parent[j]) {
            for (; at != link_of[j]; at = l->parent[at]) {
                F = dp_wrench_shift(F, l->offset[at]);
            }
            *row = dp_power(l->motion[j], F) + (j == k ? l->diagonal[k] : 0.0);
            ++row;
        }
    }
}

// The columns of a block on a link, ascending. @return how many
static int unfold_columns(int *col, const dp_step_problem *p, int link)
{
    const dp_links *l = p->links;
    while (link >= 0 && l->first[link] == l->first[link + 1]) {
        link = l->parent[link];
    }
    const int last = link < 0 ? -1 : l->first[link + 1] - 1;
    const int ncol = last < 0 ? 0 : (int)(p->Mt_start[last + 1] - p->Mt_start[last]);
    for (int k = last, at = ncol; k >= 0; k = p->parent[k]) {
        col[--at] = k;
    }
    return ncol;
}

static void unfold_row(double *G, const dp_step_problem *p, int link, dp_wrench F, int ncol)
{
    const dp_links *l = p->links;
    for (int at = ncol; link >= 0; link = l->parent[link]) {
        for (int k = l->first[link + 1] - 1; k >= l->first[link]; --k) {
            G[--at] = dp_power(l->motion[k], F);
        }
        F = dp_wrench_shift(F, l->offset[link]);
    }
}

void dp_links_unfold(const dp_step_problem *p, const dp_unfolded *to)
{
    const dp_links *l = p->links;
    for (int i = 0; i < l->n; ++i) {
        for (int k = l->first[i]; k < l->first[i + 1]; ++k) {
            to->link_of[k] = i;
        }
    }
    compose(to->composite, l);
    unfold_mass(to->Mt, p, to->link_of, to->composite);
    to->col_start[0] = 0;
    to->G_start[0] = 0;
    for (int b = 0; b < p->nblock; ++b) {
        int *col = to->col + to->col_start[b], ncol = 1;
        double *G = to->G + to->G_start[b];
        if (l->on[b] < 0) {
            col[0] = -1 - l->on[b];
        } else {
            ncol = unfold_columns(col, p, l->on[b]);
        }
        for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r, G += ncol) {
            if (l->on[b] < 0) {
                G[0] = l->along[r].t.x;
            } else {
                unfold_row(G, p, l->on[b], l->along[r], ncol);
            }
        }
        to->col_start[b + 1] = to->col_start[b] + ncol;
        to->G_start[b + 1] = (size_t)(G - to->G);
    }
}
