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

// A tree of bodies with six velocities each: what is eliminated meets one other.
static graph random_tree(random_source *r)
{
    graph g = {.n = 2 + random_below(r, MOST_NODES - 1)};
    for (int i = 0; i < g.n; ++i) {
        g.size[i] = 6;
        g.at[i + 1] = g.at[i] + 6;
    }
    g.nclique = g.n - 1;
    for (int c = 0; c < g.nclique; ++c) {
        g.node[2 * c] = c + 1;
        g.node[2 * c + 1] = random_chance(r, 0.7) ? c : random_below(r, c + 1);
        g.start[c + 1] = 2 * (c + 1);
    }
    return g;
}

// Element (a, b) of block (node i, node j).
static double *element(dp_block_sparse *A, int i, int j, int a, int b)
{
    const dp_block_view at = dp_block_at(A, i, j);
    return at.value + (at.by_columns ? b * at.stride + a : a * at.stride + b);
}

// Random numbers where the pattern has room, and a diagonal that dominates its row.
static void fill(dp_block_sparse *A, double *dense, const graph *g, random_source *r)
{
    const int n = g->at[g->n];
    memset(dense, 0, (size_t)n * (size_t)n * sizeof *dense);
    dp_block_clear(A, false);
    for (int c = 0; c < g->nclique; ++c) {
        for (int k = g->start[c]; k < g->start[c + 1]; ++k) {
            for (int l = g->start[c]; l < g->start[c + 1]; ++l) {
                const int i = g->node[k], j = g->node[l];
                for (int a = 0; a < g->size[i]; ++a) {
                    for (int b = 0; b < g->size[j]; ++b) {
                        const double x = random_between(r, -1.0, 1.0);
                        *element(A, i, j, a, b) += x;
                        dense[(g->at[i] + a) * n + g->at[j] + b] += x;
                    }
                }
            }
        }
    }
    for (int i = 0; i < g->n; ++i) {
        for (int a = 0; a < g->size[i]; ++a) {
            double sum = 1.0;
            for (int j = 0; j < n; ++j) {
                sum += fabs(dense[(g->at[i] + a) * n + j]);
            }
            *element(A, i, i, a, a) += sum;
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
                for (int a = 0; a < g->size[i]; ++a) {
                    for (int b = 0; b < g->size[j]; ++b) {
                        const int row = g->at[i] + a, column = g->at[j] + b;
                        const bool upper = i == j ? a < b : dp_block_is_before(A, i, j);
                        if (upper) {
                            dense[column * n + row] = dense[row * n + column];
                        }
                        if (i == j && upper) {
                            *element(A, i, j, b, a) = *element(A, i, j, a, b);
                        }
                        if (dp_block_is_before(A, j, i)) {
                            *element(A, i, j, a, b) = (double)NAN;
                        }
                    }
                }
            }
        }
    }
}

// All numbers of a matrix the other way round.
static void negate(dp_block_sparse *A, double *dense, int n)
{
    for (size_t i = 0; i < A->nvalue; ++i) {
        A->upper[i] = -A->upper[i];
        A->lower[i] = -A->lower[i];
    }
    for (int i = 0; i < n * n; ++i) {
        dense[i] = -dense[i];
    }
}

typedef graph draw_graph(random_source *r);

// @param sign of the diagonal
static void check_solutions(draw_graph *draw_one, bool symmetric, int sign)
{
    random_source r = {.state = 5};
    void *memory = malloc(ARENA_BYTES);
    double *dense = malloc(sizeof(double) * MOST * MOST);
    assert_non_null(memory);
    assert_non_null(dense);
    for (int draw = 0; draw < 200; ++draw) {
        const graph g = draw_one(&r);
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
        if (sign < 0) {
            negate(&A, dense, n);
        }
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
    check_solutions(random_graph, false, 1);
}

static void half_of_a_symmetric_matrix_is_enough(void **state)
{
    (void)state;
    check_solutions(random_graph, true, 1);
}

static void trees_of_bodies_are_solved_as_well(void **state)
{
    (void)state;
    check_solutions(random_tree, false, 1);
    check_solutions(random_tree, true, 1);
}

// Neither need pivots be positive.
static void symmetric_matrices_need_not_be_positive(void **state)
{
    (void)state;
    check_solutions(random_graph, true, -1);
    check_solutions(random_tree, true, -1);
}

// A body that is held by nothing and has no mass.
static void a_singular_pivot_of_a_chain_is_told(void **state)
{
    (void)state;
    enum { N = 5 };
    const int size[N] = {6, 6, 6, 6, 6}, start[N] = {0, 2, 4, 6, 8};
    const int node[2 * (N - 1)] = {0, 1, 1, 2, 2, 3, 3, 4};
    void *memory = malloc(ARENA_BYTES);
    assert_non_null(memory);
    for (int bad = 0; bad < N; ++bad) {
        for (int symmetric = 0; symmetric < 2; ++symmetric) {
            dp_arena arena;
            dp_arena_init(&arena, memory, ARENA_BYTES);
            dp_block_sparse A;
            assert_int_equal(dp_block_analyse(&A, N, size, N - 1, start, node, &arena), DP_OK);
            dp_block_clear(&A, false);
            for (int i = 0; i < N; ++i) {
                for (int a = 0; a < 6; ++a) {
                    *element(&A, i, i, a, a) = i == bad && a == 3 ? 0.0 : 1.0;
                }
            }
            assert_false(symmetric ? dp_block_factor_symmetric(&A) : dp_block_factor(&A));
            dp_arena_end(&arena);
        }
    }
    free(memory);
}

// The cliques of a graph that are used, as a graph of their own.
static graph part_of(const graph *g, const bool *used)
{
    graph part = *g;
    part.nclique = 0;
    for (int c = 0; c < g->nclique; ++c) {
        if (used[c]) {
            const int from = part.start[part.nclique++], count = g->start[c + 1] - g->start[c];
            memcpy(part.node + from, g->node + g->start[c], (size_t)count * sizeof *part.node);
            part.start[part.nclique] = from + count;
        }
    }
    return part;
}

// Its solution is right, and whatever was laid out before makes no difference to a bit of it.
static void a_part_of_the_cliques_is_a_matrix_of_its_own(void **state)
{
    (void)state;
    random_source r = {.state = 11};
    void *memory = malloc(ARENA_BYTES), *other = malloc(ARENA_BYTES);
    double *dense = malloc(sizeof(double) * MOST * MOST);
    assert_non_null(memory);
    assert_non_null(other);
    assert_non_null(dense);
    for (int draw = 0; draw < 100; ++draw) {
        const graph g = random_graph(&r);
        dp_arena arena, apart;
        dp_arena_init(&arena, memory, ARENA_BYTES);
        dp_arena_init(&apart, other, ARENA_BYTES);
        dp_block_sparse A, B;
        assert_int_equal(dp_block_analyse(&A, g.n, g.size, g.nclique, g.start, g.node, &arena),
                         DP_OK);
        for (int turn = 0; turn < 3; ++turn) {
            bool used[MOST_CLIQUES];
            for (int c = 0; c < g.nclique; ++c) {
                used[c] = random_chance(&r, 0.3 * (turn + 1));
            }
            const graph part = part_of(&g, used);
            dp_block_restrict(&A, used);
            assert_false(dp_block_restrict(&A, used));
            assert_int_equal(dp_block_analyse(&B, g.n, g.size, g.nclique, g.start, g.node, &apart),
                             DP_OK);
            dp_block_restrict(&B, used);
            const random_source before = r;
            fill(&A, dense, &part, &r);
            r = before;
            fill(&B, dense, &part, &r);
            assert_true(dp_block_factor(&A));
            assert_true(dp_block_factor(&B));
            const int n = g.at[g.n];
            double x[MOST], y[MOST], b[MOST];
            for (int i = 0; i < n; ++i) {
                b[i] = random_between(&r, -1.0, 1.0);
            }
            dp_block_solve(x, &A, g.at, b);
            dp_block_solve(y, &B, g.at, b);
            for (int i = 0; i < n; ++i) {
                double sum = -b[i];
                for (int j = 0; j < n; ++j) {
                    sum += dense[i * n + j] * x[j];
                }
                assert_true(fabs(sum) < 1e-13); // dominant rows: no growth
                assert_true(x[i] == y[i]);
            }
        }
        dp_arena_end(&apart);
        dp_arena_end(&arena);
    }
    free(dense);
    free(other);
    free(memory);
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
    for (int s = 0; s < A.npanel; ++s) {
        assert_true(A.panel[s].row_end - A.panel[s].row_begin <= 1);
    }
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
    dp_block_clear(&A, false);
    *element(&A, 0, 0, 0, 0) = 1.0;
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
        cmocka_unit_test(trees_of_bodies_are_solved_as_well),
        cmocka_unit_test(symmetric_matrices_need_not_be_positive),
        cmocka_unit_test(a_singular_pivot_of_a_chain_is_told),
        cmocka_unit_test(a_part_of_the_cliques_is_a_matrix_of_its_own),
        cmocka_unit_test(a_chain_stays_a_chain),
        cmocka_unit_test(a_singular_pivot_is_told),
        cmocka_unit_test(too_small_an_arena_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
