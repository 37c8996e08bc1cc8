// Matrices with the sparsity of a forest, against the same matrices held densely.
#include "near.h"

#include "linalg/tree_ldl.h"
#include "test_random.h"

enum { N = 12, FORESTS = 50 };

// A random forest of N nodes with a positive definite matrix over it.
typedef struct forest {
    int parent[N];
    size_t start[N + 1];
    double M[N * N], dense[N][N];
    int line; // where six rows in a line begin, N: nowhere
} forest;

static dp_tree_ldl pattern(const forest *f)
{
    return (dp_tree_ldl){N, f->parent, f->start};
}

// Diagonally dominant, hence positive definite. Every other one has six rows in a line somewhere,
// as of a free body, with or without others below; half of these have nothing beside their
// diagonal.
static forest random_forest(random_source *r)
{
    forest f = {.start = {0}};
    const int line = random_below(r, 2) ? random_below(r, N - 5) : N;
    f.line = line;
    const bool diagonal = random_below(r, 2);
    for (int i = 0; i < N; ++i) {
        f.parent[i] = random_below(r, i + 1) - 1;
        if (i >= line && i < line + 6) {
            f.parent[i] = i == line ? -1 : i - 1;
        }
        const double most = diagonal && i >= line && i < line + 6 ? 0.0 : 1.0;
        double *element = f.M + f.start[i];
        f.dense[i][i] = *element++ = N + random_between(r, 0.0, 1.0);
        for (int j = f.parent[i]; j >= 0; j = f.parent[j]) {
            f.dense[i][j] = f.dense[j][i] = *element++ = random_between(r, -most, most);
        }
        f.start[i + 1] = (size_t)(element - f.M);
    }
    return f;
}

static void the_packed_product_is_the_dense_one(void **state)
{
    (void)state;
    random_source r = {.state = 7};
    for (int repeat = 0; repeat < FORESTS; ++repeat) {
        const forest f = random_forest(&r);
        double x[N], y[N], dense[N * N];
        for (int i = 0; i < N; ++i) {
            x[i] = random_between(&r, -1.0, 1.0);
        }
        dp_tree_ldl_apply(y, pattern(&f), f.M, x);
        dp_tree_ldl_expand(dense, pattern(&f), f.M);
        for (int i = 0; i < N; ++i) {
            double sum = 0.0;
            for (int j = 0; j < N; ++j) {
                assert_true(dense[i * N + j] == f.dense[i][j]);
                sum += f.dense[i][j] * x[j];
            }
            assert_near(y[i], sum, 1e-14 * N * N); // round-off of N terms of size N
        }
    }
}

// Does no row after the line lie along it?
static bool line_is_alone(const forest *f)
{
    bool alone = f->line < N;
    for (int i = f->line + 6; i < N; ++i) {
        alone = alone && (f->parent[i] < f->line || f->parent[i] >= f->line + 6);
    }
    return alone;
}

static void the_square_of_a_tree_is_that_of_its_product(void **state)
{
    (void)state;
    random_source r = {.state = 10};
    int count = 0;
    for (int repeat = 0; repeat < 10 * FORESTS; ++repeat) {
        const forest f = random_forest(&r);
        double x[N], y[N], sum = 0.0;
        for (int i = 0; i < N; ++i) {
            x[i] = random_between(&r, -1.0, 1.0);
        }
        if (!line_is_alone(&f)) {
            continue;
        }
        ++count;
        dp_tree_ldl_apply(y, pattern(&f), f.M, x);
        for (int i = f.line; i < f.line + 6; ++i) {
            sum += x[i] * y[i];
        }
        assert_near(dp_tree_ldl_square(pattern(&f), f.M, x, f.line, f.line + 6), sum,
                    1e-14 * N * N);
    }
    assert_true(count > FORESTS / 2);
}

static void a_solution_gives_back_its_right_hand_side(void **state)
{
    (void)state;
    random_source r = {.state = 8};
    for (int repeat = 0; repeat < FORESTS; ++repeat) {
        forest f = random_forest(&r);
        double b[N], x[N], y[N], LD[N * N];
        for (int i = 0; i < N; ++i) {
            b[i] = random_between(&r, -1.0, 1.0);
        }
        for (size_t k = 0; k < f.start[N]; ++k) {
            LD[k] = f.M[k];
        }
        assert_int_equal(dp_tree_ldl_factor(LD, pattern(&f)), -1);
        dp_tree_ldl_solve(x, pattern(&f), LD, b);
        dp_tree_ldl_apply(y, pattern(&f), f.M, x);
        for (int i = 0; i < N; ++i) {
            assert_near(y[i], b[i], 1e-14 * N); // the condition of M is below 3
        }
    }
}

static void a_matrix_that_is_not_positive_definite_is_told(void **state)
{
    (void)state;
    random_source r = {.state = 9};
    for (int repeat = 0; repeat < FORESTS; ++repeat) {
        for (int i = 0; i < N; ++i) {
            forest f = random_forest(&r);
            f.M[f.start[i]] = -2.0 * N; // whatever is below it
            assert_int_equal(dp_tree_ldl_factor(f.M, pattern(&f)), i);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_packed_product_is_the_dense_one),
        cmocka_unit_test(the_square_of_a_tree_is_that_of_its_product),
        cmocka_unit_test(a_solution_gives_back_its_right_hand_side),
        cmocka_unit_test(a_matrix_that_is_not_positive_definite_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
