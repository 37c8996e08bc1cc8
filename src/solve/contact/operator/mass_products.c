// Answers to forces, and the mobilities of rows: what the factors of M̃ are for.
#include "solve/contact/operator/contact_batch.h"
#include "solve/contact/operator/operator.h"

#include "math/f64x2.h"

#include <string.h>

// ---- M̃⁻¹

// What row i of Lᵀ takes from those above it.
static void solve_above(const dp_coulomb *c, double *y, int from, int i)
{
    const dp_step_problem *p = c->p;
    const double *row = c->op.LD + p->Mt_start[from + i], y_i = y[i];
    for (int j = i;;) { // velocities that follow one another, then a branch
        const int n = c->op.chain[from + j];
        for (int k = 1; k <= n; ++k) {
            y[j - k] -= row[k] * y_i;
        }
        j -= n;
        row += n;
        if (p->parent[from + j] < 0) {
            break;
        }
        j = p->parent[from + j] - from;
        y[j] -= *++row * y_i;
    }
}

// Two rows at a time where one follows the other: what lies above both is gone through once.
void dp_coulomb_accelerate_tree(const dp_coulomb *c, int tree, double *y)
{
    const dp_step_problem *p = c->p;
    const int from = p->tree_start[tree], width = p->tree_start[tree + 1] - from;
    for (int i = width - 1; i > 0; --i) {
        if (c->op.chain[from + i] == 0) {
            solve_above(c, y, from, i);
            continue;
        }
        const double *row = c->op.LD + p->Mt_start[from + i] + 1, y_i = y[i];
        --i;
        const double *up = c->op.LD + p->Mt_start[from + i], y_up = y[i] - *row * y_i;
        y[i] = y_up;
        for (int j = i;;) {
            const int n = c->op.chain[from + j];
            for (int k = 1; k <= n; ++k) {
                y[j - k] = (y[j - k] - row[k] * y_i) - up[k] * y_up;
            }
            j -= n;
            row += n;
            up += n;
            if (p->parent[from + j] < 0) {
                break;
            }
            j = p->parent[from + j] - from;
            y[j] = (y[j] - *++row * y_i) - *++up * y_up;
        }
    }
    for (int k = 0; k < width; ++k) {
        const bool two = k + 1 < width && c->op.chain[from + k + 1] > 0;
        const double *up = c->op.LD + p->Mt_start[from + k];
        const double *row = two ? c->op.LD + p->Mt_start[from + k + 1] + 1 : up;
        double y_up = y[k] * c->op.inverse[from + k];
        double y_row = two ? y[k + 1] * c->op.inverse[from + k + 1] : 0.0;
        for (int j = k;;) {
            const int n = c->op.chain[from + j];
            for (int l = 1; l <= n; ++l) {
                const double y_l = y[j - l];
                y_up -= up[l] * y_l;
                y_row -= row[l] * y_l;
            }
            j -= n;
            up += n;
            row += n;
            if (p->parent[from + j] < 0) {
                break;
            }
            j = p->parent[from + j] - from;
            y_up -= *++up * y[j];
            y_row -= *++row * y[j];
        }
        y[k] = y_up;
        if (two) {
            ++k;
            y[k] = y_row - c->op.LD[p->Mt_start[from + k] + 1] * y_up;
        }
    }
}

// y ← L⁻ᵀ y of a free body. Written out: compilers leave loops within such loops as they are.
static inline void solve_upper(double y[DP_FREE_BODY], const double *LD)
{
    const double *row5 = LD + 15, *row4 = LD + 10, *row3 = LD + 6, *row2 = LD + 3;
    y[4] -= row5[1] * y[5];
    y[3] -= row5[2] * y[5];
    y[2] -= row5[3] * y[5];
    y[1] -= row5[4] * y[5];
    y[0] -= row5[5] * y[5];
    y[3] -= row4[1] * y[4];
    y[2] -= row4[2] * y[4];
    y[1] -= row4[3] * y[4];
    y[0] -= row4[4] * y[4];
    y[2] -= row3[1] * y[3];
    y[1] -= row3[2] * y[3];
    y[0] -= row3[3] * y[3];
    y[1] -= row2[1] * y[2];
    y[0] -= row2[2] * y[2];
    y[0] -= LD[2] * y[1];
}

// y ← L⁻¹ y
static inline void solve_lower(double y[DP_FREE_BODY], const double *LD)
{
    const double *row5 = LD + 15, *row4 = LD + 10, *row3 = LD + 6, *row2 = LD + 3;
    y[1] -= LD[2] * y[0];
    y[2] = (y[2] - row2[1] * y[1]) - row2[2] * y[0];
    y[3] = ((y[3] - row3[1] * y[2]) - row3[2] * y[1]) - row3[3] * y[0];
    y[4] = (((y[4] - row4[1] * y[3]) - row4[2] * y[2]) - row4[3] * y[1]) - row4[4] * y[0];
    y[5] = ((((y[5] - row5[1] * y[4]) - row5[2] * y[3]) - row5[3] * y[2]) - row5[4] * y[1]) -
           row5[5] * y[0];
}

static void accelerate_free(double *v, const double *LD, const double *inverse, const double *force)
{
    double y[DP_FREE_BODY];
    for (int i = 0; i < DP_FREE_BODY; ++i) {
        y[i] = force[i];
    }
    solve_upper(y, LD);
    for (int i = 0; i < DP_FREE_BODY; ++i) {
        y[i] *= inverse[i];
    }
    solve_lower(y, LD);
    for (int i = 0; i < DP_FREE_BODY; ++i) {
        v[i] = y[i];
    }
}

void dp_coulomb_accelerate(const dp_coulomb *c, double *v, const double *force)
{
    const dp_step_problem *p = c->p;
    for (int t = 0; t < p->ntree; ++t) {
        const int from = p->tree_start[t];
        if (c->op.diagonal[t]) {
            for (int i = from; i < from + DP_FREE_BODY; ++i) {
                v[i] = force[i] * c->op.inverse[i];
            }
            continue;
        }
        if (c->op.free_body[t]) {
            accelerate_free(v + from, c->op.LD + p->Mt_start[from], c->op.inverse + from,
                            force + from);
            continue;
        }
        memcpy(v + from, force + from, (size_t)(p->tree_start[t + 1] - from) * sizeof *v);
        dp_coulomb_accelerate_tree(c, t, v + from);
    }
}

// ---- mobilities: ‖D^−½ L^−ᵀ g‖² along the branches that a block meets

static inline dp_f64x2 add_square(dp_f64x2 w, const double *g, const dp_f64x2 weight[3])
{
    const dp_f64x2 a = dp_f64x2_load(g), b = dp_f64x2_load(g + 2), c = dp_f64x2_load(g + 4);
    w = dp_f64x2_madd(w, dp_f64x2_mul(a, a), weight[0]);
    w = dp_f64x2_madd(w, dp_f64x2_mul(b, b), weight[1]);
    return dp_f64x2_madd(w, dp_f64x2_mul(c, c), weight[2]);
}

static dp_f64x2 add_mobility(dp_f64x2 w, const double *LD, const double *G,
                             const dp_f64x2 weight[3])
{
    double g[DP_FREE_BODY];
    memcpy(g, G, sizeof g);
    solve_upper(g, LD);
    return add_square(w, g, weight);
}

// One row of free bodies.
static double find_row_of_whole(const dp_coulomb *c, const dp_coulomb_block *block, const double *G)
{
    const dp_step_problem *p = c->p;
    dp_f64x2 w = dp_f64x2_zero();
    for (int m = 0; m < block->nparts; ++m, G += DP_FREE_BODY) {
        const dp_block_part *part = &c->part[block->part + m];
        dp_f64x2 weight[3];
        dp_f64x2_load_six(weight, c->op.inverse + part->from);
        w = c->op.diagonal[part->tree]
                ? add_square(w, G, weight)
                : add_mobility(w, c->op.LD + p->Mt_start[part->from], G, weight);
    }
    return dp_f64x2_sum(w);
}

// Three rows of bodies whose mass is diagonal. @return whether they all are
static bool find_three_of_diagonal(double w[3], const dp_coulomb *c, const dp_coulomb_block *block,
                                   const double *G, int ncol, const double scale[3])
{
    const dp_block_part *part = c->part + block->part;
    dp_f64x2 w0 = dp_f64x2_zero(), w1 = dp_f64x2_zero(), w2 = dp_f64x2_zero();
    for (int m = 0; m < block->nparts; ++m, G += DP_FREE_BODY) {
        dp_f64x2 weight[3];
        if (!c->op.diagonal[part[m].tree]) {
            return false;
        }
        dp_f64x2_load_six(weight, c->op.inverse + part[m].from);
        w0 = add_square(w0, G, weight);
        w1 = add_square(w1, G + ncol, weight);
        w2 = add_square(w2, G + 2 * ncol, weight);
    }
    w[0] = scale[0] * scale[0] * dp_f64x2_sum(w0);
    w[1] = scale[1] * scale[1] * dp_f64x2_sum(w1);
    w[2] = scale[2] * scale[2] * dp_f64x2_sum(w2);
    return true;
}

static void find_whole(dp_coulomb *c, int b)
{
    const dp_step_problem *p = c->p;
    const dp_coulomb_block *block = &c->block[b];
    const double *G = p->G + p->G_start[b], *scale = c->scale + p->row_start[b];
    const int nrow = p->row_start[b + 1] - p->row_start[b];
    const int ncol = p->col_start[b + 1] - p->col_start[b];
    double *w = c->w + p->row_start[b];
    if (nrow == 3 && find_three_of_diagonal(w, c, block, G, ncol, scale)) {
        return;
    }
    for (int r = 0; r < nrow; ++r, G += ncol) {
        w[r] = scale[r] * scale[r] * find_row_of_whole(c, block, G);
    }
}

// Do the columns of a block make up a whole way to a root, as those of a contact with the world do?
static bool is_one_way(const dp_step_problem *p, int b)
{
    const int *col = p->col + p->col_start[b], ncol = p->col_start[b + 1] - p->col_start[b];
    bool is = ncol > 0 && p->parent[col[0]] < 0;
    for (int k = 1; is && k < ncol; ++k) {
        is = p->parent[col[k]] == col[k - 1];
    }
    return is;
}

// Three rows side by side, and a fourth that is none, at one velocity.
typedef struct three {
    dp_f64x2 x01, x2;
} three;

static inline three three_at(const double *y)
{
    return (three){dp_f64x2_load(y), dp_f64x2_load(y + 2)};
}

// Let y go without what x takes by l.
static inline three three_less(three y, dp_f64x2 l, three x)
{
    return (three){dp_f64x2_msub(y.x01, l, x.x01), dp_f64x2_msub(y.x2, l, x.x2)};
}

static inline void three_store(double *to, three y)
{
    dp_f64x2_store(to, y.x01);
    dp_f64x2_store(to + 2, y.x2);
}

// w += y²/d
static inline three three_madd(three w, three y, double inverse)
{
    const dp_f64x2 d = dp_f64x2_both(inverse);
    return (three){dp_f64x2_madd(w.x01, dp_f64x2_mul(y.x01, y.x01), d),
                   dp_f64x2_madd(w.x2, dp_f64x2_mul(y.x2, y.x2), d)};
}

// A contact that does, from the last velocity to the root, two velocities at a time: what has been
// found is gone through once for both.
static void find_three_along(dp_coulomb *c, int b)
{
    const dp_step_problem *p = c->p;
    const int *col = p->col + p->col_start[b], ncol = p->col_start[b + 1] - p->col_start[b];
    const double *G = p->G + p->G_start[b] + ncol, *scale = c->scale + p->row_start[b];
    const double *LD = c->op.LD;
    double *const y = c->op.both;
    int *start = c->op.branch; // of each velocity's row of L, from where k counts
    three w = {dp_f64x2_zero(), dp_f64x2_zero()};
    for (int k = 0; k < ncol; ++k) {
        --G;
        start[k] = (int)p->Mt_start[col[ncol - 1 - k]] - k;
        dp_f64x2_store(y + 4 * (ptrdiff_t)k, dp_f64x2_of(scale[0] * G[0], scale[1] * G[ncol]));
        dp_f64x2_store(y + 4 * (ptrdiff_t)k + 2, dp_f64x2_of(scale[2] * G[2 * ncol], 0.0));
    }
    int k = 0;
    for (; k + 2 <= ncol; k += 2) {
        double *to = y + 4 * (ptrdiff_t)k;
        three one = three_at(to), two = three_at(to + 4);
        for (int m = 0; m < k; ++m) {
            const double *l = LD + start[m] + k;
            const three x = three_at(y + 4 * (ptrdiff_t)m);
            one = three_less(one, dp_f64x2_both(l[0]), x);
            two = three_less(two, dp_f64x2_both(l[1]), x);
        }
        two = three_less(two, dp_f64x2_both(LD[start[k] + k + 1]), one);
        three_store(to, one);
        three_store(to + 4, two);
        w = three_madd(w, one, c->op.inverse[col[ncol - 1 - k]]);
        w = three_madd(w, two, c->op.inverse[col[ncol - 2 - k]]);
    }
    if (k < ncol) {
        three last = three_at(y + 4 * (ptrdiff_t)k);
        for (int m = 0; m < k; ++m) {
            last =
                three_less(last, dp_f64x2_both(LD[start[m] + k]), three_at(y + 4 * (ptrdiff_t)m));
        }
        w = three_madd(w, last, c->op.inverse[col[0]]);
    }
    double out[4];
    three_store(out, w);
    memcpy(c->w + p->row_start[b], out, 3 * sizeof *out);
}

static bool has_same_columns(const dp_step_problem *p, int a, int b)
{
    const int n = p->col_start[a + 1] - p->col_start[a];
    return n == p->col_start[b + 1] - p->col_start[b] &&
           memcmp(p->col + p->col_start[a], p->col + p->col_start[b], (size_t)n * sizeof *p->col) ==
               0;
}

// What lies between the columns of a block and the roots, in descending order, in c->op.branch.
// @return how many
static int merge_branches(dp_coulomb *c, int b)
{
    const dp_step_problem *p = c->p;
    uint8_t *met = c->op.met;
    int *branch = c->op.branch, count = 0;
    for (int k = p->col_start[b]; k < p->col_start[b + 1]; ++k) {
        for (int i = p->col[k]; i >= 0 && !met[i]; i = p->parent[i]) {
            met[i] = 1;
            int at = count++;
            for (; at > 0 && branch[at - 1] < i; --at) {
                branch[at] = branch[at - 1];
            }
            branch[at] = i;
        }
    }
    for (int k = 0; k < count; ++k) {
        met[branch[k]] = 0;
    }
    return count;
}

// Rows r, r + 1 and r + 2 of any block, those of them that there are, side by side.
static void find_three_any(dp_coulomb *c, int b, int r, int count)
{
    const dp_step_problem *p = c->p;
    double *const y = c->op.side_by_side; // zero
    const int *col = p->col + p->col_start[b], ncol = p->col_start[b + 1] - p->col_start[b];
    const int left = p->row_start[b + 1] - r, n = left < 3 ? left : 3;
    const double *G = p->G + p->G_start[b] + (ptrdiff_t)(r - p->row_start[b]) * ncol;
    for (int i = 0; i < n; ++i, G += ncol) {
        for (int k = 0; k < ncol; ++k) {
            y[4 * (ptrdiff_t)col[k] + i] = c->scale[r + i] * G[k];
        }
    }
    const three none = {dp_f64x2_zero(), dp_f64x2_zero()};
    three w = none;
    for (int k = 0; k < count; ++k) {
        const int i = c->op.branch[k];
        const double *row = c->op.LD + p->Mt_start[i];
        const three y_i = three_at(y + 4 * (ptrdiff_t)i);
        w = three_madd(w, y_i, c->op.inverse[i]);
        three_store(y + 4 * (ptrdiff_t)i, none);
        for (int j = p->parent[i]; j >= 0; j = p->parent[j]) {
            double *to = y + 4 * (ptrdiff_t)j;
            three_store(to, three_less(three_at(to), dp_f64x2_both(*++row), y_i));
        }
    }
    double out[4];
    three_store(out, w);
    memcpy(c->w + r, out, (size_t)n * sizeof *out);
}

void dp_trees_mobilities(dp_coulomb *c)
{
    const dp_step_problem *p = c->p;
    int last = -1, count = 0; // the block whose branches are merged, and how many velocities it has
    memset(c->op.side_by_side, 0, 4 * (size_t)p->nv * sizeof(double));
    for (int b = 0, next; b < p->nblock; b = next) {
        const dp_coulomb_block *block = &c->block[b];
        next = b + (block->batch > 1 ? block->batch : 1);
        if (block->batch > 1) {
            const int first = p->row_start[b], from = c->part[block->part].from;
            dp_batch_mobilities(c->w + first, block->batch, p->G + p->G_start[b], c->scale + first,
                                c->op.LD + p->Mt_start[from], c->op.inverse + from,
                                c->op.diagonal[c->part[block->part].tree]);
        } else if (block->full_wrench) {
            find_whole(c, b);
        } else if (p->row_start[b + 1] - p->row_start[b] == 3 && is_one_way(p, b)) {
            find_three_along(c, b);
            last = -1;
        } else {
            count = last >= 0 && has_same_columns(p, last, b) ? count : merge_branches(c, b);
            last = b;
            for (int r = p->row_start[b]; r < p->row_start[b + 1]; r += 3) {
                find_three_any(c, b, r, count);
            }
        }
    }
}

void dp_trees_respond_to_row(dp_coulomb *c, int b, int r)
{
    const dp_step_problem *p = c->p;
    const int *col = p->col + p->col_start[b], ncol = p->col_start[b + 1] - p->col_start[b];
    const double *G = p->G + p->G_start[b] + (size_t)(r - p->row_start[b]) * (size_t)ncol;
    for (int m = 0; m < c->block[b].nparts; ++m) {
        const dp_block_part *part = &c->part[c->block[b].part + m];
        const int from = p->tree_start[part->tree], end = p->tree_start[part->tree + 1];
        memset(c->v + from, 0, (size_t)(end - from) * sizeof *c->v);
        for (int k = part->col; k < part->col + part->count; ++k) {
            c->v[col[k]] = G[k];
        }
        dp_coulomb_accelerate_tree(c, part->tree, c->v + from);
    }
}
