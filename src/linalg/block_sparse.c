// Least degree on a quotient graph. What is not yet eliminated is a variable; it is next to other
// variables and to elements, the traces of what was. Eliminating p makes an element of all that p
// is next to, L_p, which is the pattern of its column; the elements that p was next to lie in L_p
// and vanish. A variable gains one element then and loses at least one neighbour, so lists never
// grow beyond the room they began with. Degrees are those of [AmestoyDavisDuff1996] without their
// last correction: an upper bound by the sizes of the elements beside a variable.
#include "linalg/block_sparse.h"

#include <math.h>
#include <string.h>

// ---- order

typedef struct graph {
    int n;
    int *begin;                  // n + 1: room of each variable in `list`
    int *list;                   // elements from the front, variables after them
    int *elements, *variables;   // n: how many of each
    int **member;                // n: variables of an element; NULL: no element (any more)
    int *members;                // n
    int *column;                 // n: how many members the element had when it was made
    int **pattern;               // n: those
    int *degree;                 // n; −1: eliminated
    int *head, *next, *previous; // n each: variables of equal degree
    int *mark;                   // n
    int stamp;
} graph;

static void link_degree(graph *g, int i)
{
    const int d = g->degree[i];
    g->previous[i] = -1;
    g->next[i] = g->head[d];
    if (g->head[d] >= 0) {
        g->previous[g->head[d]] = i;
    }
    g->head[d] = i;
}

static void unlink_degree(graph *g, int i)
{
    if (g->previous[i] >= 0) {
        g->next[g->previous[i]] = g->next[i];
    } else {
        g->head[g->degree[i]] = g->next[i];
    }
    if (g->next[i] >= 0) {
        g->previous[g->next[i]] = g->previous[i];
    }
}

// Neighbours of every node from the cliques, each once.
static dp_status take_graph(graph *g, int n, int nclique, const int *clique_start,
                            const int *clique_node, dp_arena *arena)
{
    const size_t nodes = (size_t)n;
    *g = (graph){.n = n};
    int **of_node[] = {&g->elements, &g->variables, &g->members,  &g->column, &g->degree,
                       &g->head,     &g->next,      &g->previous, &g->mark};
    for (size_t k = 0; k < sizeof of_node / sizeof *of_node; ++k) {
        DP_TRY(dp_arena_take(of_node[k], arena, nodes, sizeof(int)));
        memset(*of_node[k], 0, nodes * sizeof(int));
    }
    DP_TRY(dp_arena_take(&g->member, arena, nodes, sizeof *g->member));
    DP_TRY(dp_arena_take(&g->pattern, arena, nodes, sizeof *g->pattern));
    DP_TRY(dp_arena_take(&g->begin, arena, nodes + 1, sizeof(int)));
    int *in_start, *in, *fill; // cliques of each node
    DP_TRY(dp_arena_take(&in_start, arena, nodes + 1, sizeof(int)));
    DP_TRY(dp_arena_take(&in, arena, (size_t)clique_start[nclique], sizeof(int)));
    DP_TRY(dp_arena_take(&fill, arena, nodes, sizeof(int)));
    memset(in_start, 0, (nodes + 1) * sizeof(int));
    for (int k = 0; k < clique_start[nclique]; ++k) {
        ++in_start[clique_node[k] + 1];
    }
    for (int i = 0; i < n; ++i) {
        in_start[i + 1] += in_start[i];
        fill[i] = in_start[i];
        g->member[i] = NULL;
    }
    for (int c = 0; c < nclique; ++c) {
        for (int k = clique_start[c]; k < clique_start[c + 1]; ++k) {
            in[fill[clique_node[k]]++] = c;
        }
    }
    for (int pass = 0; pass < 2; ++pass) { // count, then write
        if (pass == 1) {
            g->begin[0] = 0;
            for (int i = 0; i < n; ++i) {
                g->begin[i + 1] = g->begin[i] + g->variables[i];
            }
            DP_TRY(dp_arena_take(&g->list, arena, (size_t)g->begin[n], sizeof(int)));
        }
        for (int i = 0; i < n; ++i) {
            int count = 0;
            g->mark[i] = ++g->stamp;
            for (int k = in_start[i]; k < in_start[i + 1]; ++k) {
                for (int m = clique_start[in[k]]; m < clique_start[in[k] + 1]; ++m) {
                    const int j = clique_node[m];
                    if (g->mark[j] != g->stamp) {
                        g->mark[j] = g->stamp;
                        if (pass == 1) {
                            g->list[g->begin[i] + count] = j;
                        }
                        ++count;
                    }
                }
            }
            g->variables[i] = count;
        }
    }
    for (int i = 0; i < n; ++i) {
        g->head[i] = -1;
    }
    for (int i = n - 1; i >= 0; --i) { // the lowest number of a degree comes first
        g->degree[i] = g->variables[i];
        link_degree(g, i);
    }
    return DP_OK;
}

// The members of the element that p becomes.
static dp_status make_element(graph *g, int p, dp_arena *arena)
{
    const int *list = g->list + g->begin[p];
    size_t most = (size_t)g->variables[p];
    for (int k = 0; k < g->elements[p]; ++k) {
        most += (size_t)g->members[list[k]];
    }
    most = most < (size_t)g->n ? most : (size_t)g->n;
    int *member, count = 0;
    DP_TRY(dp_arena_take(&member, arena, most, sizeof(int)));
    g->mark[p] = ++g->stamp;
    for (int k = 0; k < g->elements[p]; ++k) {
        const int e = list[k];
        for (int m = 0; m < g->members[e]; ++m) {
            const int j = g->member[e][m];
            if (g->mark[j] != g->stamp) {
                g->mark[j] = g->stamp;
                member[count++] = j;
            }
        }
        g->member[e] = NULL;
    }
    for (int k = g->elements[p]; k < g->elements[p] + g->variables[p]; ++k) {
        const int j = list[k];
        if (g->mark[j] != g->stamp && g->degree[j] >= 0) {
            g->mark[j] = g->stamp;
            member[count++] = j;
        }
    }
    g->member[p] = g->pattern[p] = member;
    g->members[p] = g->column[p] = count;
    return DP_OK;
}

// Variable i is next to element p now: what lies within p need not be listed any more. Members of p
// carry the present mark.
static void meet_element(graph *g, int i, int p)
{
    int *list = g->list + g->begin[i];
    const int elements = g->elements[i], variables = g->variables[i];
    int *kept = list, degree = g->members[p] - 1;
    // The lists are packed in place; p takes the room of whatever went, see above.
    int buffer_element = p, written = 0;
    for (int k = 0; k < elements; ++k) {
        const int e = list[k];
        if (g->member[e] && e != p) {
            degree += g->members[e] - 1;
            const int keep = buffer_element;
            buffer_element = e;
            kept[written++] = keep;
        }
    }
    int nvariable = 0;
    const int *variable = list + elements;
    int held = buffer_element; // still to be written
    for (int k = 0; k < variables; ++k) {
        const int j = variable[k];
        if (g->mark[j] != g->stamp && g->degree[j] >= 0) {
            kept[written + nvariable] = held;
            held = j;
            ++nvariable;
            ++degree;
        }
    }
    kept[written + nvariable] = held;
    g->elements[i] = written + 1;
    g->variables[i] = nvariable;
    unlink_degree(g, i);
    g->degree[i] = degree < g->n ? degree : g->n - 1;
    link_degree(g, i);
}

static dp_status eliminate_all(int *place, graph *g, dp_arena *arena)
{
    int least = 0;
    for (int at = 0; at < g->n; ++at) {
        while (g->head[least] < 0) {
            ++least;
        }
        const int p = g->head[least];
        unlink_degree(g, p);
        DP_TRY(make_element(g, p, arena));
        g->degree[p] = -1;
        place[p] = at;
        for (int m = 0; m < g->members[p]; ++m) {
            meet_element(g, g->member[p][m], p);
            const int d = g->degree[g->member[p][m]];
            least = d < least ? d : least;
        }
    }
    return DP_OK;
}

// ---- layout

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

static int find_entry(const dp_block_sparse *A, int row, int column)
{
    int low = A->start[column], high = A->start[column + 1] - 1;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (A->row[middle] < row) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static dp_status lay_out(dp_block_sparse *A, const int *size, const graph *g, dp_arena *arena)
{
    const int n = A->n;
    int entries = 0;
    for (int i = 0; i < n; ++i) {
        A->size[A->place[i]] = size[i];
        A->start[A->place[i] + 1] = g->column[i];
        entries += g->column[i];
    }
    A->start[0] = A->first[0] = 0;
    for (int j = 0; j < n; ++j) {
        A->start[j + 1] += A->start[j];
        A->first[j + 1] = A->first[j] + A->size[j];
    }
    DP_TRY(dp_arena_take(&A->row, arena, (size_t)entries, sizeof(int)));
    DP_TRY(dp_arena_take(&A->lower, arena, (size_t)entries, sizeof(size_t)));
    DP_TRY(dp_arena_take(&A->upper, arena, (size_t)entries, sizeof(size_t)));
    for (int i = 0; i < n; ++i) {
        int *row = A->row + A->start[A->place[i]];
        for (int k = 0; k < g->column[i]; ++k) {
            row[k] = A->place[g->pattern[i][k]];
        }
        sort(row, g->column[i]);
    }
    size_t at = 0, pairs = 0;
    for (int j = 0; j < n; ++j) {
        const size_t width = (size_t)A->size[j];
        const size_t count = (size_t)(A->start[j + 1] - A->start[j]);
        A->diagonal[j] = at;
        at += width * width;
        for (int e = A->start[j]; e < A->start[j + 1]; ++e) {
            const size_t block = width * (size_t)A->size[A->row[e]];
            A->lower[e] = at;
            A->upper[e] = at + block;
            at += 2 * block;
        }
        A->pair_start[j] = pairs;
        pairs += count > 0 ? count * (count - 1) / 2 : 0;
    }
    A->pair_start[n] = pairs;
    A->nvalue = at;
    DP_TRY(dp_arena_take(&A->target, arena, pairs, sizeof(int)));
    for (int j = 0; j < n; ++j) {
        int *target = A->target + A->pair_start[j];
        for (int e = A->start[j]; e < A->start[j + 1]; ++e) {
            for (int f = A->start[j]; f < e; ++f) {
                *target++ = find_entry(A, A->row[e], A->row[f]);
            }
        }
    }
    return dp_arena_take(&A->value, arena, at, sizeof(double));
}

dp_status dp_block_analyse(dp_block_sparse *out, int n, const int *size, int nclique,
                           const int *clique_start, const int *clique_node, dp_arena *arena)
{
    *out = (dp_block_sparse){.n = n};
    const size_t nodes = (size_t)n;
    int largest = 0, total = 0;
    for (int i = 0; i < n; ++i) {
        largest = size[i] > largest ? size[i] : largest;
        total += size[i];
    }
    DP_TRY(dp_arena_take(&out->place, arena, nodes, sizeof(int)));
    DP_TRY(dp_arena_take(&out->size, arena, nodes, sizeof(int)));
    DP_TRY(dp_arena_take(&out->first, arena, nodes + 1, sizeof(int)));
    DP_TRY(dp_arena_take(&out->start, arena, nodes + 1, sizeof(int)));
    DP_TRY(dp_arena_take(&out->diagonal, arena, nodes, sizeof(size_t)));
    DP_TRY(dp_arena_take(&out->pair_start, arena, nodes + 1, sizeof(size_t)));
    DP_TRY(dp_arena_take(&out->exchange, arena, (size_t)total, sizeof(int)));
    const size_t scratch = 2 * (size_t)largest * (size_t)largest;
    DP_TRY(dp_arena_take(&out->work, arena, scratch + (size_t)total, sizeof(double)));
    graph g;
    DP_TRY(take_graph(&g, n, nclique, clique_start, clique_node, arena));
    DP_TRY(eliminate_all(out->place, &g, arena));
    return lay_out(out, size, &g, arena);
}

void dp_block_clear(dp_block_sparse *A)
{
    memset(A->value, 0, A->nvalue * sizeof *A->value);
}

double *dp_block_at(dp_block_sparse *A, int i, int j)
{
    const int row = A->place[i], column = A->place[j];
    if (row == column) {
        return A->value + A->diagonal[row];
    }
    return row > column ? A->value + A->lower[find_entry(A, row, column)]
                        : A->value + A->upper[find_entry(A, column, row)];
}

// ---- numbers

// C −= A B, by rows: m × k times k × n.
static inline void subtract_product(double *restrict C, const double *restrict A,
                                    const double *restrict B, int m, int k, int n)
{
    for (int i = 0; i < m; ++i) {
        for (int l = 0; l < k; ++l) {
            const double a = A[i * k + l];
            for (int j = 0; j < n; ++j) {
                C[i * n + j] -= a * B[l * n + j];
            }
        }
    }
}

// The same for free bodies. Sums run as above; n is 6 too, but a loop whose length the compiler
// does not know becomes one over pairs of columns.
static void subtract_product_6(double *restrict C, const double *restrict A,
                               const double *restrict B, int n)
{
    for (int i = 0; i < 6; ++i, A += 6, C += n) {
        for (int j = 0; j < n; ++j) {
            C[j] = (((((C[j] - A[0] * B[j]) - A[1] * B[n + j]) - A[2] * B[2 * n + j]) -
                     A[3] * B[3 * n + j]) -
                    A[4] * B[4 * n + j]) -
                   A[5] * B[5 * n + j];
        }
    }
}

static void subtract(double *C, const double *A, const double *B, int m, int k, int n)
{
    if (m == 6 && k == 6 && n == 6) {
        subtract_product_6(C, A, B, n);
    } else {
        subtract_product(C, A, B, m, k, n);
    }
}

// A ← A⁻¹, n × n by rows, Gauss and Jordan with row exchanges. @param work n × n
static bool invert(double *A, int n, double *work)
{
    double *I = work;
    memset(I, 0, (size_t)n * (size_t)n * sizeof *I);
    for (int i = 0; i < n; ++i) {
        I[i * n + i] = 1.0;
    }
    for (int c = 0; c < n; ++c) {
        int pivot = c;
        for (int r = c + 1; r < n; ++r) {
            pivot = fabs(A[r * n + c]) > fabs(A[pivot * n + c]) ? r : pivot;
        }
        const double value = A[pivot * n + c];
        if (!(fabs(value) > 0.0) || !isfinite(value)) {
            return false;
        }
        if (pivot != c) {
            for (int k = 0; k < n; ++k) {
                const double a = A[c * n + k], b = I[c * n + k];
                A[c * n + k] = A[pivot * n + k];
                A[pivot * n + k] = a;
                I[c * n + k] = I[pivot * n + k];
                I[pivot * n + k] = b;
            }
        }
        const double inverse = 1.0 / value;
        for (int k = 0; k < n; ++k) {
            A[c * n + k] *= inverse;
            I[c * n + k] *= inverse;
        }
        for (int r = 0; r < n; ++r) {
            const double factor = A[r * n + c];
            if (r == c || factor == 0.0) {
                continue;
            }
            for (int k = c; k < n; ++k) {
                A[r * n + k] -= factor * A[c * n + k];
            }
            for (int k = 0; k < n; ++k) {
                I[r * n + k] -= factor * I[c * n + k];
            }
        }
    }
    memcpy(A, I, (size_t)n * (size_t)n * sizeof *A);
    return true;
}

// Blocks up to this size are inverted: products with small matrices are fast.
enum { SMALL = 6 };

// A ← L U of its rows in the order `exchange`, the diagonal of L being 1.
static bool factor_large(double *A, int n, int *exchange)
{
    for (int i = 0; i < n; ++i) {
        exchange[i] = i;
    }
    for (int c = 0; c < n; ++c) {
        int pivot = c;
        for (int r = c + 1; r < n; ++r) {
            pivot = fabs(A[r * n + c]) > fabs(A[pivot * n + c]) ? r : pivot;
        }
        const double value = A[pivot * n + c];
        if (!(fabs(value) > 0.0) || !isfinite(value)) {
            return false;
        }
        if (pivot != c) {
            for (int k = 0; k < n; ++k) {
                const double a = A[c * n + k];
                A[c * n + k] = A[pivot * n + k];
                A[pivot * n + k] = a;
            }
            const int row = exchange[c];
            exchange[c] = exchange[pivot];
            exchange[pivot] = row;
        }
        const double inverse = 1.0 / value, *restrict from = A + c * n;
        for (int r = c + 1; r < n; ++r) {
            double *restrict row = A + r * n;
            if (row[c] != 0.0) { // trees have many
                const double factor = row[c] * inverse;
                row[c] = factor;
                for (int k = c + 1; k < n; ++k) {
                    row[k] -= factor * from[k];
                }
            }
        }
    }
    return true;
}

// y = D⁻¹ x
static void solve_large(double *restrict y, const double *LU, const int *exchange,
                        const double *restrict x, int n)
{
    for (int i = 0; i < n; ++i) {
        double sum = x[exchange[i]];
        for (int j = 0; j < i; ++j) {
            sum -= LU[i * n + j] * y[j];
        }
        y[i] = sum;
    }
    for (int i = n - 1; i >= 0; --i) {
        double sum = y[i];
        for (int j = i + 1; j < n; ++j) {
            sum -= LU[i * n + j] * y[j];
        }
        y[i] = sum / LU[i * n + i];
    }
}

// X ← X D⁻¹, m × n. @param work n
static void divide_large(double *X, const double *LU, const int *exchange, int m, int n,
                         double *restrict work)
{
    for (int i = 0; i < m; ++i, X += n) {
        memcpy(work, X, (size_t)n * sizeof *work);
        for (int j = 0; j < n; ++j) { // y U = x
            work[j] /= LU[j * n + j];
            for (int k = j + 1; k < n; ++k) {
                work[k] -= work[j] * LU[j * n + k];
            }
        }
        for (int j = n - 1; j > 0; --j) { // z L = y
            for (int k = 0; k < j; ++k) {
                work[k] -= work[j] * LU[j * n + k];
            }
        }
        for (int j = 0; j < n; ++j) {
            X[exchange[j]] = work[j];
        }
    }
}

// X ← X D⁻¹, m × n. @param work m × n
static void divide(double *X, const double *inverse, int m, int n, double *work)
{
    memset(work, 0, (size_t)m * (size_t)n * sizeof *work);
    subtract(work, X, inverse, m, n, n);
    for (int k = 0; k < m * n; ++k) {
        X[k] = -work[k];
    }
}

// Y = Xᵀ, X m × n
static void transpose(double *restrict Y, const double *restrict X, int m, int n)
{
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < n; ++j) {
            Y[j * m + i] = X[i * n + j];
        }
    }
}

static bool factor(dp_block_sparse *A, bool symmetric)
{
    double *value = A->value;
    for (int j = 0; j < A->n; ++j) {
        const int nj = A->size[j];
        double *D = value + A->diagonal[j];
        int *exchange = A->exchange + A->first[j];
        if (!(nj <= SMALL ? invert(D, nj, A->work) : factor_large(D, nj, exchange))) {
            return false;
        }
        const int *target = A->target + A->pair_start[j];
        for (int e = A->start[j]; e < A->start[j + 1]; ++e) {
            const int ni = A->size[A->row[e]];
            if (symmetric) {
                transpose(value + A->upper[e], value + A->lower[e], ni, nj);
            }
            if (nj <= SMALL) {
                divide(value + A->lower[e], D, ni, nj, A->work);
            } else {
                divide_large(value + A->lower[e], D, exchange, ni, nj, A->work);
            }
        }
        for (int e = A->start[j]; e < A->start[j + 1]; ++e) {
            const int i = A->row[e], ni = A->size[i];
            for (int f = A->start[j]; f < e; ++f, ++target) {
                const int nk = A->size[A->row[f]];
                subtract(value + A->lower[*target], value + A->lower[e], value + A->upper[f], ni,
                         nj, nk);
                if (!symmetric) {
                    subtract(value + A->upper[*target], value + A->lower[f], value + A->upper[e],
                             nk, nj, ni);
                }
            }
            subtract(value + A->diagonal[i], value + A->lower[e], value + A->upper[e], ni, nj, ni);
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

// y −= A x
static void subtract_apply(double *y, const double *A, const double *x, int m, int n)
{
    if (m == 6 && n == 6) { // as below
        for (int i = 0; i < 6; ++i, A += 6) {
            y[i] -= ((((A[0] * x[0] + A[1] * x[1]) + A[2] * x[2]) + A[3] * x[3]) + A[4] * x[4]) +
                    A[5] * x[5];
        }
        return;
    }
    for (int i = 0; i < m; ++i) {
        double sum = 0.0;
        for (int j = 0; j < n; ++j) {
            sum += A[i * n + j] * x[j];
        }
        y[i] -= sum;
    }
}

void dp_block_solve(double *x, const dp_block_sparse *A, const int *at, const double *b)
{
    double *y = A->work; // by place; x and b by node
    const double *value = A->value;
    for (int i = 0; i < A->n; ++i) {
        const int j = A->place[i];
        memcpy(y + A->first[j], b + at[i], (size_t)A->size[j] * sizeof *y);
    }
    for (int j = 0; j < A->n; ++j) {
        for (int e = A->start[j]; e < A->start[j + 1]; ++e) {
            const int i = A->row[e];
            subtract_apply(y + A->first[i], value + A->lower[e], y + A->first[j], A->size[i],
                           A->size[j]);
        }
    }
    double *part = y + A->first[A->n];
    for (int j = A->n - 1; j >= 0; --j) {
        const int nj = A->size[j];
        for (int e = A->start[j]; e < A->start[j + 1]; ++e) {
            const int i = A->row[e];
            subtract_apply(y + A->first[j], value + A->upper[e], y + A->first[i], nj, A->size[i]);
        }
        if (nj > SMALL) {
            solve_large(part, value + A->diagonal[j], A->exchange + A->first[j], y + A->first[j],
                        nj);
            memcpy(y + A->first[j], part, (size_t)nj * sizeof *part);
            continue;
        }
        memset(part, 0, (size_t)nj * sizeof *part);
        subtract_apply(part, value + A->diagonal[j], y + A->first[j], nj, nj);
        for (int k = 0; k < nj; ++k) {
            y[A->first[j] + k] = -part[k];
        }
    }
    for (int i = 0; i < A->n; ++i) {
        const int j = A->place[i];
        memcpy(x + at[i], y + A->first[j], (size_t)A->size[j] * sizeof *x);
    }
}
