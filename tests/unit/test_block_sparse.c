// Matrices of blocks over a graph, against the same matrices solved densely.
#include "linalg/block_sparse.h"
#include "test_random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 40, MOST_SIZE = 12, MOST = MOST_NODES * MOST_SIZE, MOST_CLIQUES = 80 };
enum { ARENA_BYTES = 1 << 24 };

typedef struct graph {
    int n, size[MOST_NODES], at[MOST_NODES + 1];
    int nclique, start[MOST_CLIQUES + 1], node[3 * MOST_CLIQUES];
} graph;

static graph random_graph(random_source *r)
{
    graph g = {.n = 1 + random_below(r, MOST_NODES)};
    for (int i = 0; i < g.n; ++i) {
        g.size[i] = random_chance(r, 0.6) ? 6 : 1 + random_below(r, MOST_SIZE);
        g.at[i + 1] = g.at[i] + g.size[i];
    }
    g.nclique = random_below(r, MOST_CLIQUES);
    for (int c = 0; c < g.nclique; ++c) {
        int nodes[3] = {random_below(r, g.n), random_below(r, g.n), random_below(r, g.n)};
        const int count = 1 + random_below(r, 3);
        g.start[c + 1] = g.start[c];
        for (int k = 0; k < count; ++k) {
            bool fresh = true;
            for (int j = 0; j < k; ++j) {
                fresh = fresh && nodes[j] != nodes[k];
            }
            if (fresh) {
                g.node[g.start[c + 1]++] = nodes[k];
            }
        }
    }
    return g;
}

// Random numbers where the pattern has room, and a diagonal that dominates its row.
static void fill(dp_block_sparse *A, double *dense, const graph *g, random_source *r)
{
    const int n = g->at[g->n];
    memset(dense, 0, (size_t)n * (size_t)n * sizeof *dense);
    dp_block_clear(A);
    for (int c = 0; c < g->nclique; ++c) {
        for (int k = g->start[c]; k < g->start[c + 1]; ++k) {
            for (int l = g->start[c]; l < g->start[c + 1]; ++l) {
                const int i = g->node[k], j = g->node[l];
                double *block = dp_block_at(A, i, j);
                for (int a = 0; a < g->size[i]; ++a) {
                    for (int b = 0; b < g->size[j]; ++b) {
                        const double x = random_between(r, -1.0, 1.0);
                        block[a * g->size[j] + b] += x;
                        dense[(g->at[i] + a) * n + g->at[j] + b] += x;
                    }
                }
            }
        }
    }
    for (int i = 0; i < g->n; ++i) {
        double *block = dp_block_at(A, i, i);
        for (int a = 0; a < g->size[i]; ++a) {
            double sum = 1.0;
            for (int j = 0; j < n; ++j) {
                sum += fabs(dense[(g->at[i] + a) * n + j]);
            }
            block[a * g->size[i] + a] += sum;
            dense[(g->at[i] + a) * n + g->at[i] + a] += sum;
        }
    }
}

// Make it symmetric: what a symmetric factor does not read is no number.
static void mirror(dp_block_sparse *A, double *dense, const graph *g)
{
    const int n = g->at[g->n];
    for (int c = 0; c < g->nclique; ++c) {
        for (int k = g->start[c]; k < g->start[c + 1]; ++k) {
            for (int l = g->start[c]; l < g->start[c + 1]; ++l) {
                const int i = g->node[k], j = g->node[l];
                double *block = dp_block_at(A, i, j);
                for (int a = 0; a < g->size[i]; ++a) {
                    for (int b = 0; b < g->size[j]; ++b) {
                        const int row = g->at[i] + a, column = g->at[j] + b;
                        const bool lower = i == j ? a > b : dp_block_is_before(A, j, i);
                        if (lower) {
                            dense[column * n + row] = dense[row * n + column];
                        }
                        if (i == j && lower) {
                            block[b * g->size[j] + a] = block[a * g->size[j] + b];
                        }
                        if (dp_block_is_before(A, i, j)) {
                            block[a * g->size[j] + b] = (double)NAN;
                        }
                    }
                }
            }
        }
    }
}

static void check_solutions(bool symmetric)
{
    random_source r = {.state = 5};
    void *memory = malloc(ARENA_BYTES);
    double *dense = malloc(sizeof(double) * MOST * MOST);
    assert_non_null(memory);
    assert_non_null(dense);
    for (int draw = 0; draw < 200; ++draw) {
        const graph g = random_graph(&r);
        dp_arena arena;
        dp_arena_init(&arena, memory, ARENA_BYTES);
        dp_block_sparse A;
        assert_int_equal(dp_block_analyse(&A, g.n, g.size, g.nclique, g.start, g.node, &arena),
                         DP_OK);
        fill(&A, dense, &g, &r);
        if (symmetric) {
            mirror(&A, dense, &g);
        }
        const int n = g.at[g.n];
        double x[MOST], b[MOST], worst = 0.0;
        for (int i = 0; i < n; ++i) {
            b[i] = random_between(&r, -1.0, 1.0);
        }
        assert_true(symmetric ? dp_block_factor_symmetric(&A) : dp_block_factor(&A));
        dp_block_solve(x, &A, g.at, b);
        for (int i = 0; i < n; ++i) {
            double sum = -b[i];
            for (int j = 0; j < n; ++j) {
                sum += dense[i * n + j] * x[j];
            }
            worst = fmax(worst, fabs(sum));
        }
        assert_true(worst < 1e-13); // dominant rows: no growth
        dp_arena_end(&arena);
    }
    free(dense);
    free(memory);
}

static void the_solution_is_that_of_the_dense_matrix(void **state)
{
    (void)state;
    check_solutions(false);
}

static void half_of_a_symmetric_matrix_is_enough(void **state)
{
    (void)state;
    check_solutions(true);
}

// A chain needs no fill: one block beside each diagonal block but the last.
static void a_chain_stays_a_chain(void **state)
{
    (void)state;
    enum { N = 30 };
    int size[N], start[N], node[2 * N];
    start[0] = 0;
    for (int i = 0; i < N; ++i) {
        size[i] = 6;
        if (i + 1 < N) {
            node[2 * i] = (7 * i) % N; // 7 and 30 have no common factor: a chain in another order
            node[2 * i + 1] = (7 * (i + 1)) % N;
            start[i + 1] = 2 * (i + 1);
        }
    }
    void *memory = malloc(ARENA_BYTES);
    assert_non_null(memory);
    dp_arena arena;
    dp_arena_init(&arena, memory, ARENA_BYTES);
    dp_block_sparse A;
    assert_int_equal(dp_block_analyse(&A, N, size, N - 1, start, node, &arena), DP_OK);
    assert_int_equal(A.start[N], N - 1);
    dp_arena_end(&arena);
    free(memory);
}

static void a_singular_pivot_is_told(void **state)
{
    (void)state;
    const int size[1] = {2}, start[1] = {0}, node[1] = {0};
    void *memory = malloc(ARENA_BYTES);
    assert_non_null(memory);
    dp_arena arena;
    dp_arena_init(&arena, memory, ARENA_BYTES);
    dp_block_sparse A;
    assert_int_equal(dp_block_analyse(&A, 1, size, 0, start, node, &arena), DP_OK);
    dp_block_clear(&A);
    dp_block_at(&A, 0, 0)[0] = 1.0;
    assert_false(dp_block_factor(&A));
    dp_arena_end(&arena);
    free(memory);
}

static void too_small_an_arena_is_told(void **state)
{
    (void)state;
    const int size[2] = {6, 6}, start[2] = {0, 2}, node[2] = {0, 1};
    char memory[1024];
    dp_arena arena;
    dp_arena_init(&arena, memory, sizeof memory);
    dp_block_sparse A;
    assert_int_equal(dp_block_analyse(&A, 2, size, 1, start, node, &arena), DP_ERROR_CAPACITY);
    dp_arena_end(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_solution_is_that_of_the_dense_matrix),
        cmocka_unit_test(half_of_a_symmetric_matrix_is_enough),
        cmocka_unit_test(a_chain_stays_a_chain),
        cmocka_unit_test(a_singular_pivot_is_told),
        cmocka_unit_test(too_small_an_arena_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
