// Matrices of any numbers over a forest and cliques, against the same matrices held densely.
#include "near.h"

#include "linalg/tree_lu.h"
#include "test_random.h"

#include <math.h>

enum { N = 14, CASES = 60, CLIQUES = 3, MEMBERS = 3 };
static unsigned char memory[1 << 16];

typedef struct coupled {
    int parent[N];
    size_t start[N + 1];
    double M[N * N]; // of the forest, symmetric
    int clique_start[CLIQUES + 1], clique[CLIQUES * MEMBERS];
    double dense[N][N];
} coupled;

// A forest, and a few cliques of any three of its nodes, ascending. M dominates by its diagonal.
static coupled random_case(random_source *r)
{
    coupled c = {.start = {0}};
    for (int i = 0; i < N; ++i) {
        c.parent[i] = random_below(r, i + 1) - 1;
        double *element = c.M + c.start[i];
        c.dense[i][i] = *element++ = 2 * N + random_between(r, 0.0, 1.0);
        for (int j = c.parent[i]; j >= 0; j = c.parent[j]) {
            c.dense[i][j] = c.dense[j][i] = *element++ = random_between(r, -1.0, 1.0);
        }
        c.start[i + 1] = (size_t)(element - c.M);
    }
    for (int q = 0; q < CLIQUES; ++q) {
        int at = random_below(r, N - MEMBERS + 1);
        for (int k = 0; k < MEMBERS; ++k) {
            c.clique[q * MEMBERS + k] = at;
            at += 1 + random_below(r, N - MEMBERS - at + k + 1);
        }
        c.clique_start[q + 1] = (q + 1) * MEMBERS;
    }
    return c;
}

// @return whether what stands apart has sound pivots
static bool lay_out(dp_tree_lu *A, const coupled *c)
{
    dp_arena arena;
    dp_arena_init(&arena, memory, sizeof memory);
    assert_int_equal(
        dp_tree_lu_analyse(A, N, c->parent, CLIQUES, c->clique_start, c->clique, &arena), DP_OK);
    const bool sound = dp_tree_lu_load(A, c->parent, c->start, c->M);
    dp_tree_lu_begin(A);
    return sound;
}

// Add `value` to (i, j), in both forms.
static void add(dp_tree_lu *A, coupled *c, int i, int j, double value)
{
    c->dense[i][j] += value;
    *dp_tree_lu_at(A, i, j) += value;
}

static void every_clique_lies_on_one_way_to_a_root(void **state)
{
    (void)state;
    random_source r = {.state = 3};
    for (int repeat = 0; repeat < CASES; ++repeat) {
        const coupled c = random_case(&r);
        dp_tree_lu A;
        assert_true(lay_out(&A, &c));
        for (int q = 0; q < CLIQUES; ++q) {
            const int last = c.clique[q * MEMBERS + MEMBERS - 1];
            for (int k = 0; k < MEMBERS; ++k) {
                const int node = c.clique[q * MEMBERS + k];
                assert_true(A.depth[node] <= A.depth[last]);
                assert_int_equal(A.way[A.start[last] + (size_t)A.depth[node]], node);
            }
        }
        for (int i = 0; i < N; ++i) { // and so do the ways of the forest itself
            for (int j = i; j >= 0; j = c.parent[j]) {
                assert_int_equal(A.way[A.start[i] + (size_t)A.depth[j]], j);
            }
        }
    }
}

static void its_solution_solves_the_dense_system(void **state)
{
    (void)state;
    random_source r = {.state = 11};
    for (int repeat = 0; repeat < CASES; ++repeat) {
        coupled c = random_case(&r);
        dp_tree_lu A;
        assert_true(lay_out(&A, &c));
        for (int q = 0; q < CLIQUES; ++q) { // lopsided
            for (int k = 0; k < MEMBERS; ++k) {
                for (int l = 0; l < MEMBERS; ++l) {
                    const double value = random_between(&r, -1.0, 1.0);
                    add(&A, &c, c.clique[q * MEMBERS + k], c.clique[q * MEMBERS + l], value);
                }
            }
        }
        double x[N], b[N];
        for (int i = 0; i < N; ++i) {
            b[i] = random_between(&r, -1.0, 1.0);
        }
        assert_true(dp_tree_lu_factor(&A));
        dp_tree_lu_solve(x, &A, b);
        for (int i = 0; i < N; ++i) {
            double sum = 0.0;
            for (int j = 0; j < N; ++j) {
                sum += c.dense[i][j] * x[j];
            }
            assert_near(sum, b[i], 1e-14 * N); // round-off of N terms below 1
        }
    }
}

static void a_pivot_that_cancels_is_refused(void **state)
{
    (void)state;
    random_source r = {.state = 5};
    coupled c = random_case(&r);
    for (int i = 0; i < N; ++i) { // a forest of one line, so that all couple
        c.parent[i] = i - 1;
        c.start[i + 1] = c.start[i] + (size_t)i + 1;
    }
    for (int k = 0; k < N * N; ++k) {
        c.M[k] = 1.0; // of rank one
    }
    dp_tree_lu A;
    assert_false(lay_out(&A, &c) && dp_tree_lu_factor(&A));
    c = random_case(&r);
    assert_true(lay_out(&A, &c));
    *dp_tree_lu_at(&A, c.clique[0], c.clique[0]) = NAN;
    assert_false(dp_tree_lu_factor(&A));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_clique_lies_on_one_way_to_a_root),
        cmocka_unit_test(its_solution_solves_the_dense_system),
        cmocka_unit_test(a_pivot_that_cancels_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
