#include "linalg/block_sparse.h"

#include "base/interrupt.h"
#include "linalg/dense.h"
#include "linalg/gemm_sub.h"
#include "linalg/mat6.h"

#include <math.h>
#include <string.h>

// ---- layout

// The elimination tree: the parent of a place is the first that its column meets.
static void find_parents(dp_block_sparse *A)
{
    const dp_block_graph *g = &A->graph;
    for (int i = 0; i < A->n; ++i) {
        int first = A->n, rows = 0;
        for (int k = 0; k < g->column[i]; ++k) {
            const int j = g->pattern[i][k];
            first = g->place[j] < first ? g->place[j] : first;
            rows += A->node_size[j];
        }
        A->parent[g->place[i]] = first; // n: none
        A->count[g->place[i]] = rows;
    }
}

// Number the places such that each subtree is in a row, its largest child right before a parent:
// the two may share a panel. @param rank by place so far: the new one
static void number_subtrees(dp_block_sparse *A, int *rank)
{
    const int n = A->n;
    int *cursor = A->cursor, *last = A->last, *below = A->first; // how many a subtree has
    for (int p = 0; p <= n; ++p) {
        last[p] = -1;
        below[p] = 1;
    }
    for (int p = 0; p < n; ++p) {
        const int up = A->parent[p];
        below[up] += below[p];
        if (last[up] < 0 || A->count[p] >= A->count[last[up]]) {
            last[up] = p;
        }
    }
    rank[n] = n;
    for (int p = n; p >= 0; --p) {
        const int up = p < n ? A->parent[p] : -1;
        if (p < n && last[up] != p) {
            rank[p] = cursor[up] - 1;
            cursor[up] -= below[p];
        }
        cursor[p] = rank[p];
        if (last[p] >= 0) {
            rank[last[p]] = rank[p] - 1;
            cursor[p] -= below[last[p]];
        }
    }
}

static void sort(int *x, int n)
{
    for (int gap = n / 2; gap > 0; gap /= 2) { // Shell's
        for (int i = gap; i < n; ++i) {
            const int held = x[i];
            int j = i;
            for (; j >= gap && x[j - gap] > held; j -= gap) {
                x[j] = x[j - gap];
            }
            x[j] = held;
        }
    }
}

// Places go together while that adds few zeros to what is stored, and none to short columns.
static const double ZEROS = 0.2;
enum { SHORT = 24 };

static void take_panels(dp_block_sparse *A, const int *top)
{
    const dp_block_graph *g = &A->graph;
    A->npanel = 0;
    int rows = 0;
    size_t at = 0, pivots = 0;
    double zeros = 0.0;
    for (int p = 0, begin = 0; p < A->n; ++p) {
        const int width = A->first[p + 1] - A->first[begin];
        A->panel_of[p] = A->npanel;
        A->diagonal[p] = pivots;
        pivots += (size_t)A->size[p] * (size_t)A->size[p];
        if (A->parent[p] == p + 1 && p + 1 < A->n) {
            const int more = A->size[p + 1] + A->count[p + 1];
            const double added = zeros + (double)width * (double)(more - A->count[p]);
            const double cells = (double)(width + A->size[p + 1]) * (double)(width + more);
            if (added <= (A->count[p] > SHORT ? ZEROS * cells : 0.0)) {
                zeros = added;
                continue;
            }
        }
        A->panel[A->npanel++] = (dp_block_panel){.begin = begin,
                                                 .end = p + 1,
                                                 .row_begin = rows,
                                                 .row_end = rows + g->column[top[p]],
                                                 .width = width,
                                                 .length = width + A->count[p],
                                                 .at = at};
        rows += g->column[top[p]];
        at += (size_t)width * (size_t)(width + A->count[p]);
        begin = p + 1;
        zeros = 0.0;
    }
    A->nvalue = at;
}

static void list_rows(dp_block_sparse *A, const int *node)
{
    const dp_block_graph *g = &A->graph;
    for (int s = 0; s < A->npanel; ++s) {
        const dp_block_panel *panel = &A->panel[s];
        const int top = node[panel->end - 1], count = panel->row_end - panel->row_begin;
        int *row = A->row + panel->row_begin, *offset = A->offset + panel->row_begin;
        for (int k = 0; k < count; ++k) {
            row[k] = A->place[g->pattern[top][k]];
        }
        sort(row, count);
        int at = panel->width;
        for (int k = 0; k < count; ++k) {
            offset[k] = at;
            at += A->size[row[k]];
        }
    }
}

// Elements that the products of panels take at most, and their rows.
static void measure(size_t *work, size_t *rows, const dp_block_sparse *A)
{
    *work = *rows = 0;
    for (int s = 0; s < A->npanel; ++s) {
        const dp_block_panel *panel = &A->panel[s];
        const size_t rest = (size_t)(panel->length - panel->width);
        size_t most = rest * rest;
        for (int p = panel->begin; p < panel->end; ++p) {
            const size_t row = (size_t)A->size[p] * (size_t)(panel->length + A->size[p]);
            most = row > most ? row : most;
        }
        *work = most > *work ? most : *work;
        *rows += (size_t)(panel->row_end - panel->row_begin);
    }
}

// From the order of the graph to panels, but for their rows. @param node n + 1: by place
static void lay_out(dp_block_sparse *A, int *node)
{
    const int n = A->n;
    int *rank = A->rank;
    find_parents(A);
    number_subtrees(A, rank);
    int *parent = A->cursor, *count = A->last; // as they were, by new places
    for (int p = 0; p < n; ++p) {
        parent[rank[p]] = rank[A->parent[p]];
        count[rank[p]] = A->count[p];
    }
    memcpy(A->parent, parent, (size_t)n * sizeof *parent);
    memcpy(A->count, count, (size_t)n * sizeof *count);
    for (int i = 0; i < n; ++i) {
        A->place[i] = rank[A->graph.place[i]];
        A->size[A->place[i]] = A->node_size[i];
    }
    for (int i = 0; i < n; ++i) {
        node[A->place[i]] = i;
    }
    A->first[0] = 0;
    for (int p = 0; p < n; ++p) {
        A->first[p + 1] = A->first[p] + A->size[p];
    }
    take_panels(A, node);
}

dp_status dp_block_analyse(dp_block_sparse *out, int n, const int *size, int nclique,
                           const int *clique_start, const int *clique_node, dp_arena *arena)
{
    *out = (dp_block_sparse){.n = n};
    dp_block_sparse *A = out;
    const size_t nodes = (size_t)n;
    int **of_place[] = {&A->place,  &A->size,  &A->first,  &A->panel_of, &A->node_size,
                        &A->parent, &A->count, &A->cursor, &A->last,     &A->rank};
    for (size_t k = 0; k < sizeof of_place / sizeof *of_place; ++k) {
        DP_TRY(dp_arena_take(of_place[k], arena, nodes + 1, sizeof(int)));
    }
    DP_TRY(dp_arena_take(&A->panel, arena, nodes, sizeof *A->panel));
    DP_TRY(dp_arena_take(&A->diagonal, arena, nodes, sizeof *A->diagonal));
    DP_TRY(dp_arena_take(&A->used, arena, (size_t)nclique, sizeof *A->used));
    size_t total = 0, pivots = 0;
    for (int i = 0; i < n; ++i) {
        A->node_size[i] = size[i];
        total += (size_t)size[i];
        pivots += (size_t)size[i] * (size_t)size[i];
    }
    DP_TRY(dp_arena_take(&A->exchange, arena, total, sizeof(int)));
    DP_TRY(dp_arena_take(&A->pivot, arena, pivots, sizeof(double)));
    DP_TRY(dp_arena_take(&A->vector, arena, 2 * total, sizeof(double)));
    DP_TRY(dp_block_graph_begin(&A->graph, n, nclique, clique_start, clique_node, arena));
    for (int c = 0; c < nclique; ++c) {
        A->used[c] = true;
    }
    lay_out(A, A->rank);
    A->most_value = A->nvalue;
    measure(&A->most_work, &A->most_rows, A);
    DP_TRY(dp_arena_take(&A->row, arena, A->most_rows, sizeof(int)));
    DP_TRY(dp_arena_take(&A->offset, arena, A->most_rows, sizeof(int)));
    DP_TRY(dp_arena_take(&A->upper, arena, A->most_value, sizeof(double)));
    DP_TRY(dp_arena_take(&A->lower, arena, A->most_value, sizeof(double)));
    DP_TRY(dp_arena_take(&A->work, arena, A->most_work, sizeof(double)));
    list_rows(A, A->rank);
    return DP_OK;
}

// @return whether there is room for it
static bool try_pattern(dp_block_sparse *A, const bool *used)
{
    if (dp_block_graph_order(&A->graph, used, NULL) != DP_OK) {
        return false;
    }
    lay_out(A, A->rank);
    size_t work, rows;
    measure(&work, &rows, A);
    if (A->nvalue > A->most_value || work > A->most_work || rows > A->most_rows) {
        return false;
    }
    list_rows(A, A->rank);
    return true;
}

bool dp_block_restrict(dp_block_sparse *A, const bool *used)
{
    const size_t bytes = (size_t)A->graph.nclique * sizeof *used;
    if (bytes == 0 || memcmp(A->used, used, bytes) == 0) {
        return false;
    }
    memcpy(A->used, used, bytes);
    if (!try_pattern(A, used)) { // the whole has room for any part
        const bool fits = try_pattern(A, NULL);
        DP_ASSERT(fits);
        (void)fits;
    }
    return true;
}

void dp_block_clear(dp_block_sparse *A, bool symmetric)
{
    memset(A->upper, 0, A->nvalue * sizeof *A->upper);
    for (int s = 0; !symmetric && s < A->npanel; ++s) {
        const dp_block_panel *panel = &A->panel[s];
        if (panel->length > A->size[panel->begin]) { // else nothing is below the diagonal
            memset(A->lower + panel->at, 0,
                   (size_t)panel->width * (size_t)panel->length * sizeof *A->lower);
        }
    }
}

// Where the columns of a place begin in a panel.
static int find_offset(const dp_block_sparse *A, const dp_block_panel *panel, int place)
{
    if (place < panel->end) {
        return A->first[place] - A->first[panel->begin];
    }
    int low = panel->row_begin, high = panel->row_end - 1;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (A->row[middle] < place) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return A->offset[low];
}

dp_block_view dp_block_at(dp_block_sparse *A, int i, int j)
{
    const int row = A->place[i], column = A->place[j];
    const int one = row < column ? row : column, two = row < column ? column : row;
    const dp_block_panel *panel = &A->panel[A->panel_of[one]];
    const int top = A->first[one] - A->first[panel->begin];
    const size_t at =
        panel->at + (size_t)top * (size_t)panel->length + (size_t)find_offset(A, panel, two);
    return (dp_block_view){(row > column ? A->lower : A->upper) + at, panel->length, row > column};
}

// ---- pivots

// Blocks up to this size are inverted: products with small matrices are fast.
enum { SMALL = DP_SIX };

// A ← A⁻¹, n × n by rows, Gauss and Jordan in place with row exchanges.
static inline bool invert(double *restrict A, const int n)
{
    int exchange[SMALL] = {0};
    DP_ASSERT(n <= SMALL);
    for (int c = 0; c < n; ++c) {
        int pivot = c;
        for (int r = c + 1; r < n; ++r) {
            pivot = fabs(A[r * n + c]) > fabs(A[pivot * n + c]) ? r : pivot;
        }
        const double value = A[pivot * n + c];
        if (!(fabs(value) > 0.0) || !isfinite(value)) {
            return false;
        }
        exchange[c] = pivot;
        if (pivot != c) {
            for (int k = 0; k < n; ++k) {
                const double a = A[c * n + k];
                A[c * n + k] = A[pivot * n + k];
                A[pivot * n + k] = a;
            }
        }
        const double inverse = 1.0 / value;
        double row[SMALL];
        A[c * n + c] = 1.0;
        for (int k = 0; k < n; ++k) {
            row[k] = A[c * n + k] * inverse;
        }
        for (int r = 0; r < n; ++r) {
            const double factor = A[r * n + c];
            A[r * n + c] = 0.0;
            for (int k = 0; k < n; ++k) {
                A[r * n + k] -= factor * row[k];
            }
        }
        for (int k = 0; k < n; ++k) {
            A[c * n + k] = row[k];
        }
    }
    for (int c = n - 1; c >= 0; --c) { // what was done to rows of A is done to columns of A⁻¹
        for (int k = 0; exchange[c] != c && k < n; ++k) {
            const double a = A[k * n + c];
            A[k * n + c] = A[k * n + exchange[c]];
            A[k * n + exchange[c]] = a;
        }
    }
    return true;
}

static void copy_pivot(double *D, const double *A, int stride, int n)
{
    for (int i = 0; i < n; ++i) {
        memcpy(D + (ptrdiff_t)n * i, A + (ptrdiff_t)stride * i, (size_t)n * sizeof *D);
    }
}

// D ← A⁻¹, n × n
static bool invert_small(double *D, const double *A, int stride, int n, bool symmetric)
{
    if (n == SMALL && symmetric) { // and positive definite, as a rule
        copy_pivot(D, A, stride, SMALL);
        if (dp_mat6_invert(D)) {
            return true;
        }
    }
    copy_pivot(D, A, stride, n);
    return n == SMALL ? invert(D, SMALL) : invert(D, n);
}

// Lᵀ ← D⁻ᵀ Aᵀ in place, n × m with rows `stride` apart. @param work n × m
static void divide_large(double *X, int stride, const double *LU, const int *exchange, int n, int m,
                         double *work)
{
    for (int j = 0; j < n; ++j) { // Uᵀ Y = X
        double *restrict x_j = X + (ptrdiff_t)j * stride;
        for (int c = 0; c < m; ++c) {
            x_j[c] /= LU[j * n + j];
        }
        for (int k = j + 1; k < n; ++k) {
            double *restrict x_k = X + (ptrdiff_t)k * stride;
            for (int c = 0; c < m; ++c) {
                x_k[c] -= x_j[c] * LU[j * n + k];
            }
        }
    }
    for (int j = n - 1; j > 0; --j) { // Lᵀ Z = Y
        const double *restrict x_j = X + (ptrdiff_t)j * stride;
        for (int k = 0; k < j; ++k) {
            double *restrict x_k = X + (ptrdiff_t)k * stride;
            for (int c = 0; c < m; ++c) {
                x_k[c] -= x_j[c] * LU[j * n + k];
            }
        }
    }
    for (int j = 0; j < n; ++j) {
        memcpy(work + (ptrdiff_t)j * m, X + (ptrdiff_t)j * stride, (size_t)m * sizeof *work);
    }
    for (int j = 0; j < n; ++j) {
        memcpy(X + (ptrdiff_t)exchange[j] * stride, work + (ptrdiff_t)j * m,
               (size_t)m * sizeof *work);
    }
}

// The same with D⁻¹ known, from A, which may be X.
static void divide(double *X, const double *A, int stride, const double *inverse, int n, int m,
                   double *work)
{
    memset(work, 0, (size_t)n * (size_t)m * sizeof *work);
    dp_gemm_sub(work, m, inverse, n, A, stride, n, n, m);
    for (int j = 0; j < n; ++j) {
        for (int c = 0; c < m; ++c) {
            X[(ptrdiff_t)j * stride + c] = -work[(ptrdiff_t)j * m + c];
        }
    }
}

// ---- the factor

// So many rows of a panel stay near while others take them in.
enum { NEAR = 48 };

// Rows `from` … `to` of a panel, taken in by those of a later place.
static void take_in(dp_block_sparse *A, const dp_block_panel *panel, int p, int from, int to,
                    bool symmetric)
{
    const int n = A->size[p], length = panel->length, k = to - from;
    const int top = A->first[p] - A->first[panel->begin], rest = length - top - n;
    double *U = A->upper + panel->at + top, *Lt = A->lower + panel->at + top;
    const ptrdiff_t own = (ptrdiff_t)top * length, row = (ptrdiff_t)from * length;
    dp_gemm_sub(U + own, length, Lt + row, length, U + row, length, k, n, length - top);
    if (!symmetric) {
        dp_gemm_sub(Lt + own + n, length, U + row, length, Lt + row + n, length, k, n, rest);
    }
}

// A place that has taken in all rows before it: invert its pivot, and divide.
static bool eliminate(dp_block_sparse *A, const dp_block_panel *panel, int p, bool symmetric)
{
    const int n = A->size[p], length = panel->length;
    const int top = A->first[p] - A->first[panel->begin], rest = length - top - n;
    double *U = A->upper + panel->at, *Lt = A->lower + panel->at;
    double *U_p = U + (ptrdiff_t)top * length + top, *Lt_p = Lt + (ptrdiff_t)top * length + top + n;
    double *D = A->pivot + A->diagonal[p];
    if (n <= SMALL) {
        if (!invert_small(D, U_p, length, n, symmetric)) {
            return false;
        }
        divide(Lt_p, symmetric ? U_p + n : Lt_p, length, D, n, rest, A->work);
        return true;
    }
    int *exchange = A->exchange + A->first[p];
    copy_pivot(D, U_p, length, n);
    if (!dp_rows_factor(D, n, exchange)) {
        return false;
    }
    for (int i = 0; symmetric && i < n; ++i) {
        const ptrdiff_t row = (ptrdiff_t)i * length;
        memcpy(Lt_p + row, U_p + n + row, (size_t)rest * sizeof *Lt_p);
    }
    divide_large(Lt_p, length, D, exchange, n, rest, A->work);
    return true;
}

static bool eliminate_all(dp_block_sparse *A, const dp_block_panel *panel, bool symmetric)
{
    const int *first = A->first, begin = first[panel->begin];
    for (int p = panel->begin, next; p < panel->end; p = next) {
        const int from = first[p] - begin;
        for (next = p; next < panel->end && (next == p || first[next] - begin < from + NEAR);
             ++next) {
            take_in(A, panel, next, from, first[next] - begin, symmetric);
            if (!eliminate(A, panel, next, symmetric)) {
                return false;
            }
        }
        if (dp_interrupted((size_t)(first[next] - begin - from) * (size_t)panel->width *
                           (size_t)panel->length)) {
            return false;
        }
        for (int later = next; later < panel->end; ++later) {
            take_in(A, panel, later, from, first[next] - begin, symmetric);
        }
    }
    return true;
}

// Add the products of a panel to the panels of its rows, above the diagonal.
// @param work what is to be added, `rest` × `rest` @param skip leave the diagonal blocks
static void scatter(double *value, const dp_block_sparse *A, const dp_block_panel *panel,
                    const double *work, bool skip)
{
    const int rest = panel->length - panel->width;
    for (int e = panel->row_begin; e < panel->row_end; ++e) {
        const int i = A->row[e], ni = A->size[i];
        const dp_block_panel *to = &A->panel[A->panel_of[i]];
        const int top = A->first[i] - A->first[to->begin];
        const double *from = work + (ptrdiff_t)(A->offset[e] - panel->width) * rest;
        int at = to->row_begin;
        for (int f = skip ? e + 1 : e; f < panel->row_end;) {
            const int j = A->row[f], column = A->offset[f] - panel->width;
            int offset;
            if (j < to->end) {
                offset = A->first[j] - A->first[to->begin];
            } else {
                while (A->row[at] < j) {
                    ++at;
                }
                offset = A->offset[at];
            }
            // What follows one another in both goes at once.
            int nj = A->size[j], k = f + 1;
            if (j >= to->end) {
                while (k < panel->row_end && at + 1 < to->row_end && A->row[at + 1] == A->row[k]) {
                    nj += A->size[A->row[k]];
                    ++at;
                    ++k;
                }
            }
            double *out = value + to->at + (size_t)top * (size_t)to->length + (size_t)offset;
            for (int r = 0; r < ni; ++r) {
                double *restrict y = out + (ptrdiff_t)r * to->length;
                const double *restrict x = from + (ptrdiff_t)r * rest + column;
                for (int c = 0; c < nj; ++c) {
                    y[c] += x[c];
                }
            }
            f = k;
        }
    }
}

// @param P, Q the two matrices of a panel: −Pᵀ Q of the rows beyond it goes into `value`
static void add_products(double *value, const dp_block_sparse *A, const dp_block_panel *panel,
                         const double *P, const double *Q, bool skip)
{
    const int rest = panel->length - panel->width, length = panel->length;
    for (int k = 0; k < panel->width;
         k += NEAR, P += (ptrdiff_t)NEAR * length, Q += (ptrdiff_t)NEAR * length) {
        const int depth = panel->width - k < NEAR ? panel->width - k : NEAR;
        for (int e = panel->row_begin; e < panel->row_end; ++e) {
            const int offset = A->offset[e], n = A->size[A->row[e]];
            const int from = skip ? offset + n : offset; // what is before it is not read
            double *out =
                A->work + (ptrdiff_t)(offset - panel->width) * rest + (from - panel->width);
            for (int r = 0; k == 0 && r < n; ++r) {
                memset(out + (ptrdiff_t)r * rest, 0, (size_t)(length - from) * sizeof *out);
            }
            dp_gemm_sub(out, rest, P + offset, length, Q + from, length, depth, n, length - from);
        }
    }
    scatter(value, A, panel, A->work, skip);
}

// ---- chains

// A body between two others, as in stacks and chains, is a panel of six that meets six.
static bool is_of_chain(const dp_block_panel *panel)
{
    return panel->width == DP_SIX && panel->length == 2 * DP_SIX &&
           panel->end - panel->begin == 1 && panel->row_end - panel->row_begin == 1;
}

// As eliminate_all and add_products do, at once.
static bool factor_of_chain(dp_block_sparse *A, const dp_block_panel *panel, bool symmetric)
{
    enum { LENGTH = 2 * DP_SIX };
    const int next = A->row[panel->row_begin];
    const dp_block_panel *to = &A->panel[A->panel_of[next]];
    const size_t top = (size_t)(A->first[next] - A->first[to->begin]);
    double *D = A->pivot + A->diagonal[panel->begin];
    double *U = A->upper + panel->at + DP_SIX, *Lt = A->lower + panel->at + DP_SIX;
    if (!invert_small(D, U - DP_SIX, LENGTH, DP_SIX, symmetric)) {
        return false;
    }
    divide(Lt, symmetric ? U : Lt, LENGTH, D, DP_SIX, DP_SIX, A->work);
    double *out = A->upper + to->at + top * (size_t)to->length + top;
    double product[DP_SIX * DP_SIX] = {0.0}; // by itself: digits of a stiff pivot are few
    dp_gemm_sub(product, DP_SIX, Lt, LENGTH, U, LENGTH, DP_SIX, DP_SIX, DP_SIX);
    for (int i = 0; i < DP_SIX; ++i) {
        dp_mat6_add(out + (ptrdiff_t)i * to->length, product + (ptrdiff_t)DP_SIX * i);
    }
    return true;
}

static bool factor(dp_block_sparse *A, bool symmetric)
{
    for (int s = 0; s < A->npanel; ++s) {
        const dp_block_panel *panel = &A->panel[s];
        if (is_of_chain(panel)) {
            if (!factor_of_chain(A, panel, symmetric)) {
                return false;
            }
            continue;
        }
        if (!eliminate_all(A, panel, symmetric)) {
            return false;
        }
        const double *U = A->upper + panel->at, *Lt = A->lower + panel->at;
        const size_t rest = (size_t)(panel->length - panel->width);
        if (dp_interrupted((size_t)panel->width * rest * rest)) {
            return false;
        }
        add_products(A->upper, A, panel, Lt, U, false);
        if (!symmetric) {
            add_products(A->lower, A, panel, U, Lt, true);
        }
    }
    return true;
}

bool dp_block_factor(dp_block_sparse *A)
{
    return factor(A, false);
}

bool dp_block_factor_symmetric(dp_block_sparse *A)
{
    return factor(A, true);
}

// ---- solutions

static inline void copy(double *to, const double *from, int n)
{
    if (n == DP_SIX) {
        dp_mat6_copy(to, from);
    } else {
        memcpy(to, from, (size_t)n * sizeof *to);
    }
}

// The rows of a panel, from a vector by place and back.
static void gather(double *x, const double *y, const dp_block_sparse *A,
                   const dp_block_panel *panel)
{
    for (int e = panel->row_begin; e < panel->row_end; ++e) {
        const int i = A->row[e];
        copy(x + A->offset[e], y + A->first[i], A->size[i]);
    }
}

static void put_back(double *y, const double *x, const dp_block_sparse *A,
                     const dp_block_panel *panel)
{
    for (int e = panel->row_begin; e < panel->row_end; ++e) {
        const int i = A->row[e];
        copy(y + A->first[i], x + A->offset[e], A->size[i]);
    }
}

// x ← D⁻¹ x
static void solve_pivot(double *x, const dp_block_sparse *A, int p)
{
    const int n = A->size[p];
    const double *D = A->pivot + A->diagonal[p];
    if (n > SMALL) {
        dp_rows_solve(A->work, D, A->exchange + A->first[p], x, n);
        memcpy(x, A->work, (size_t)n * sizeof *x);
        return;
    }
    double y[SMALL] = {0.0};
    for (int i = 0; i < n; ++i) {
        double sum = 0.0;
        for (int j = 0; j < n; ++j) {
            sum += D[i * n + j] * x[j];
        }
        y[i] = sum;
    }
    memcpy(x, y, (size_t)n * sizeof *x);
}

// x ← D⁻¹ (x − U y)
static void solve_of_chain(double *x, const dp_block_sparse *A, const dp_block_panel *panel,
                           const double *y)
{
    double rest[DP_SIX];
    dp_mat6_apply(rest, A->upper + panel->at + DP_SIX, panel->length, y);
    for (int i = 0; i < DP_SIX; ++i) {
        rest[i] = x[i] - rest[i];
    }
    dp_mat6_apply(x, A->pivot + A->diagonal[panel->begin], DP_SIX, rest);
}

void dp_block_solve(double *x, const dp_block_sparse *A, const int *at, const double *b)
{
    double *y = A->vector, *z = y + A->first[A->n]; // by place; in a panel
    for (int i = 0; i < A->n; ++i) {
        const int p = A->place[i];
        copy(y + A->first[p], b + at[i], A->size[p]);
    }
    for (int s = 0; s < A->npanel; ++s) {
        const dp_block_panel *panel = &A->panel[s];
        const size_t own = (size_t)panel->width * sizeof *y;
        if (is_of_chain(panel)) {
            dp_mat6_subtract(y + A->first[A->row[panel->row_begin]], A->lower + panel->at + DP_SIX,
                             panel->length, y + A->first[panel->begin]);
            continue;
        }
        memcpy(z, y + A->first[panel->begin], own);
        gather(z, y, A, panel);
        int top = 0;
        for (int p = panel->begin; p < panel->end; ++p) {
            const int n = A->size[p], next = top + n;
            const double *Lt = A->lower + panel->at + (size_t)top * (size_t)panel->length;
            dp_gemm_sub(z + next, 0, z + top, 1, Lt + next, panel->length, n, 1,
                        panel->length - next);
            top = next;
        }
        memcpy(y + A->first[panel->begin], z, own);
        put_back(y, z, A, panel);
    }
    for (int s = A->npanel - 1; s >= 0; --s) {
        const dp_block_panel *panel = &A->panel[s];
        double *own = y + A->first[panel->begin];
        if (is_of_chain(panel)) {
            solve_of_chain(own, A, panel, y + A->first[A->row[panel->row_begin]]);
            continue;
        }
        gather(z, y, A, panel);
        int top = panel->width;
        for (int p = panel->end - 1; p >= panel->begin; --p) {
            const int n = A->size[p], end = top;
            top -= n;
            const double *U = A->upper + panel->at + (size_t)top * (size_t)panel->length;
            dp_dots_sub(own + top, U + end, panel->length, z + end, n, panel->length - end);
            solve_pivot(own + top, A, p);
            memcpy(z + top, own + top, (size_t)n * sizeof *z);
        }
    }
    for (int i = 0; i < A->n; ++i) {
        const int p = A->place[i];
        copy(x + at[i], y + A->first[p], A->size[p]);
    }
}
