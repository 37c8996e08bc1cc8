// The least ½ xᵀx with A x ≥ r, x ≥ 0 is what n particles of mass 1 do that start at rest and meet
// the rigid one-sided rows A x ≥ r and x ≥ 0: their velocities are x, and the impulses of the rows
// the multipliers. So the program is itself a step problem, and the law's own method solves it.
#include "solve/published.h"

#include "problem/row_law.h"

#include <math.h>
#include <string.h>

static dp_step_size least_size(int n)
{
    const size_t m = (size_t)n;
    return (dp_step_size){n, n, n + 1, 2 * n, m, 2 * m, m * m + m};
}

size_t dp_published_memory(const dp_step_size *max)
{
    const size_t n = (size_t)max->nrow;
    const dp_step_size size = least_size(max->nrow);
    size_t bytes = dp_compliant_memory(&size);
    bytes += 2 * dp_arena_bytes(n, sizeof(int));        // place, parent
    bytes += dp_arena_bytes(n + 1, sizeof(int));        // tree_start
    bytes += 2 * dp_arena_bytes(n + 2, sizeof(int));    // row_start, col_start
    bytes += dp_arena_bytes(2 * n, sizeof(int));        // col
    bytes += dp_arena_bytes(n + 1, sizeof(size_t));     // Mt_start
    bytes += dp_arena_bytes(n + 2, sizeof(size_t));     // G_start
    bytes += 3 * dp_arena_bytes(n, sizeof(double));     // Mt, zeros, found.v
    bytes += dp_arena_bytes(n * n + n, sizeof(double)); // G
    bytes += dp_arena_bytes(n + 1, sizeof(uint64_t));   // id
    bytes += dp_arena_bytes(2 * n, sizeof(dp_row));     // row
    bytes += dp_arena_bytes(2 * n, sizeof(double));     // found.gamma
    bytes += dp_arena_bytes(2 * n, sizeof(uint8_t));    // found.state
    return bytes;
}

static double element(const dp_compliant *c, int i, int j)
{
    const dp_delassus *d = &c->d;
    const int k = d->kind[i], l = d->kind[j];
    const int row = k > l ? k : l, col = k > l ? l : k;
    const int first = d->at.first[row];
    const double W = col < first ? 0.0 : d->W[d->at.start[row] + (size_t)(col - first)];
    return d->ratio[i] * d->ratio[j] * W;
}

static bool is_two_sided(const dp_compliant *c, int i)
{
    return isinf(c->lo[i]) && isinf(c->hi[i]);
}

// Only the two-sided rows are free.
static void hold_two_sided(dp_compliant *c)
{
    for (int i = 0; i < c->n; ++i) {
        c->stand[i] = is_two_sided(c, i) ? DP_STAND_SOFT : DP_STAND_LO;
    }
    dp_free_set_factor(c, 0.0);
}

// A = (W + R)_uu − W_ub S_bb⁻¹ W_bu
static void fill_A(dp_published *q)
{
    dp_compliant *c = q->c;
    const dp_free_set *set = &c->set;
    hold_two_sided(c);
    for (int b = 0; b < q->n; ++b) {
        const int j = q->place[b];
        for (int f = 0; f < set->n; ++f) {
            c->rhs[f] = element(c, set->place[f], j);
        }
        dp_free_set_solve(c->rhs, c, c->rhs);
        for (int a = 0; a < q->n; ++a) {
            const int i = q->place[a];
            double sum = element(c, i, j) + (a == b ? c->R[i] : 0.0);
            for (int f = 0; f < set->n; ++f) {
                sum -= element(c, i, set->place[f]) * c->rhs[f];
            }
            q->A[(size_t)a * (size_t)q->n + (size_t)b] = sum;
        }
    }
}

static dp_status make_least(dp_published *q, double h, dp_arena *scratch)
{
    const size_t n = (size_t)q->n;
    int *parent, *tree_start, *row_start, *col_start, *col;
    size_t *Mt_start, *G_start;
    double *Mt, *zeros;
    uint64_t *id;
    DP_TRY(dp_arena_take(&parent, scratch, n, sizeof *parent));
    DP_TRY(dp_arena_take(&tree_start, scratch, n + 1, sizeof *tree_start));
    DP_TRY(dp_arena_take(&row_start, scratch, n + 2, sizeof *row_start));
    DP_TRY(dp_arena_take(&col_start, scratch, n + 2, sizeof *col_start));
    DP_TRY(dp_arena_take(&col, scratch, 2 * n, sizeof *col));
    DP_TRY(dp_arena_take(&Mt_start, scratch, n + 1, sizeof *Mt_start));
    DP_TRY(dp_arena_take(&G_start, scratch, n + 2, sizeof *G_start));
    DP_TRY(dp_arena_take(&Mt, scratch, n, sizeof *Mt));
    DP_TRY(dp_arena_take(&zeros, scratch, n, sizeof *zeros));
    DP_TRY(dp_arena_take(&q->A, scratch, n * n + n, sizeof *q->A));
    DP_TRY(dp_arena_take(&id, scratch, n + 1, sizeof *id));
    DP_TRY(dp_arena_take(&q->row, scratch, 2 * n, sizeof *q->row));
    DP_TRY(dp_arena_take(&q->found.v, scratch, n, sizeof *q->found.v));
    DP_TRY(dp_arena_take(&q->found.gamma, scratch, 2 * n, sizeof *q->found.gamma));
    DP_TRY(dp_arena_take(&q->found.state, scratch, 2 * n, sizeof *q->found.state));
    // Block 0 holds the rows A x ≥ r, the others one x_i ≥ 0 each.
    row_start[0] = col_start[0] = 0;
    G_start[0] = 0;
    id[0] = 0;
    tree_start[0] = 0;
    Mt_start[0] = 0;
    row_start[1] = col_start[1] = q->n;
    G_start[1] = n * n;
    for (int i = 0; i < q->n; ++i) {
        parent[i] = -1;
        tree_start[i + 1] = i + 1;
        Mt_start[i + 1] = (size_t)i + 1;
        Mt[i] = 1.0;
        zeros[i] = 0.0;
        col[i] = col[q->n + i] = i;
        row_start[i + 2] = col_start[i + 2] = q->n + i + 1;
        G_start[i + 2] = n * n + (size_t)i + 1;
        q->A[n * n + (size_t)i] = 1.0;
        id[i + 1] = (uint64_t)i + 1;
    }
    for (int r = 0; r < 2 * q->n; ++r) {
        q->row[r] = (dp_row){.k = (double)INFINITY, .hi = (double)INFINITY, .len = 1.0};
    }
    q->least = (dp_step_problem){
        .h = h,
        .nv = q->n,
        .ntree = q->n,
        .tree_start = tree_start,
        .parent = parent,
        .Mt_start = Mt_start,
        .Mt = Mt,
        .v0 = zeros,
        .v_free = zeros,
        .nblock = q->n + 1,
        .nrow = 2 * q->n,
        .row_start = row_start,
        .id = id,
        .col_start = col_start,
        .col = col,
        .G_start = G_start,
        .G = q->A,
        .row = q->row,
    };
    return DP_OK;
}

dp_status dp_published_begin(dp_published *q, dp_compliant *c, const dp_law_options *opt,
                             dp_arena *scratch)
{
    *q = (dp_published){.c = c};
    DP_TRY(dp_arena_take(&q->place, scratch, (size_t)c->n, sizeof *q->place));
    for (int i = 0; i < c->n; ++i) {
        if (dp_row_is_one_sided(c->p->row + c->d.row[i]) && c->lo[i] < c->hi[i]) {
            q->place[q->n++] = i;
        }
    }
    if (q->n == 0) {
        return DP_OK;
    }
    DP_TRY(make_least(q, c->p->h, scratch));
    fill_A(q);
    return dp_compliant_begin(&q->method, &q->least, opt, scratch);
}

// The impulses of the two-sided rows for those of all others in c->gamma, and the motion.
static void balance(dp_compliant *c)
{
    const dp_free_set *set = &c->set;
    hold_two_sided(c);
    for (int f = 0; f < set->n; ++f) {
        c->gamma[set->place[f]] = 0.0;
    }
    dp_compliant_velocities(c);
    for (int f = 0; f < set->n; ++f) {
        c->rhs[f] = c->u_hat[set->place[f]] - c->u[set->place[f]];
    }
    dp_free_set_solve(c->rhs, c, c->rhs);
    for (int f = 0; f < set->n; ++f) {
        c->gamma[set->place[f]] = c->rhs[f];
    }
    dp_compliant_motion(c);
}

void dp_published_solve(dp_step_solution *out, dp_published *q, const dp_law_options *opt,
                        dp_solve_info *info)
{
    if (q->n == 0) {
        return;
    }
    dp_compliant *c = q->c;
    for (int a = 0; a < q->n; ++a) {
        c->gamma[q->place[a]] = 0.0;
    }
    balance(c);
    for (int a = 0; a < q->n; ++a) { // r: what is missing with the two-sided rows at work
        const int i = q->place[a];
        q->row[a].phi = -q->least.h * (c->u_hat[i] - c->u[i]);
    }
    dp_solve_info least;
    dp_compliant_solve(&q->found, &q->method, NULL, opt, &least);
    for (int a = 0; a < q->n; ++a) {
        c->gamma[q->place[a]] = q->found.v[a] > 0.0 ? q->found.v[a] : 0.0;
    }
    balance(c);

    for (int j = 0; j < c->p->nv; ++j) {
        out->v[j] = c->p->v_free[j] + c->v[j];
    }
    for (int i = 0; i < c->n; ++i) {
        const int r = c->d.row[i];
        out->gamma[r] = c->gamma[i];
        if (dp_row_is_one_sided(c->p->row + r)) {
            out->state[r] = c->gamma[i] > 0.0 ? DP_ROW_ACTIVE : DP_ROW_OPEN;
        }
    }
    info->residual = dp_compliant_residual(c);
    info->outcome = least.outcome;
    info->iterations += least.iterations;
    info->factorizations += least.factorizations;
}
