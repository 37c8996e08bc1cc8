// Kernels for many contacts of one free body, against sums that are written out.
#include "linalg/tree_ldl.h"
#include "mechanism.h"
#include "solve/contact/operator/contact_batch.h"
#include "test_random.h"

#include <math.h>
#include <string.h>

enum { MOST = 70, BODY = 6, ROWS = 3 };
static const int COUNTS[] = {1, 2, 3, 7, 32, 33, MOST};
enum { NCOUNT = sizeof COUNTS / sizeof *COUNTS };

typedef struct run {
    int n;
    double G[MOST * ROWS * BODY], scale[MOST * ROWS], C[MOST * ROWS * ROWS], y[MOST * ROWS];
} run;

static run random_run(random_source *r, int n, bool diagonal)
{
    run x = {.n = n};
    for (int i = 0; i < n * ROWS * BODY; ++i) {
        x.G[i] = random_between(r, -1.0, 1.0);
    }
    for (int i = 0; i < n * ROWS; ++i) {
        x.scale[i] = random_between(r, 0.1, 1.0);
        x.y[i] = random_between(r, -1.0, 1.0);
    }
    for (int i = 0; i < n; ++i) {
        const bool open = random_below(r, 4) == 0; // pushes nothing: all of its C is 0
        for (int k = 0; k < ROWS * ROWS; ++k) {
            const bool zero = open || (diagonal && k % (ROWS + 1) != 0);
            x.C[i * ROWS * ROWS + k] = zero ? 0.0 : random_between(r, 0.1, 1.0);
        }
    }
    return x;
}

// Sums of some hundred numbers below 1.
static const double ROUND_OFF = 1e-13;

static void velocities_are_rows_times_velocities_of_the_body(void **state)
{
    (void)state;
    random_source r = {1};
    for (int draw = 0; draw < NCOUNT; ++draw) {
        const int n = COUNTS[draw];
        const run x = random_run(&r, n, true);
        double v[BODY], u[MOST * ROWS];
        for (int i = 0; i < BODY; ++i) {
            v[i] = random_between(&r, -1.0, 1.0);
        }
        dp_batch_velocities(u, n, x.G, x.scale, v);
        for (int i = 0; i < n * ROWS; ++i) {
            double sum = 0.0;
            for (int k = 0; k < BODY; ++k) {
                sum += x.G[i * BODY + k] * v[k];
            }
            assert_near(u[i], x.scale[i] * sum, ROUND_OFF);
        }
    }
}

static void forces_are_added_to_those_that_are_there(void **state)
{
    (void)state;
    random_source r = {2};
    for (int draw = 0; draw < NCOUNT; ++draw) {
        const int n = COUNTS[draw];
        const run x = random_run(&r, n, true);
        double force[BODY], expected[BODY];
        for (int k = 0; k < BODY; ++k) {
            force[k] = expected[k] = random_between(&r, -1.0, 1.0);
            for (int i = 0; i < n * ROWS; ++i) {
                expected[k] += x.G[i * BODY + k] * x.scale[i] * x.y[i];
            }
        }
        dp_batch_forces(force, n, x.G, x.scale, x.y);
        for (int k = 0; k < BODY; ++k) {
            assert_near(force[k], expected[k], ROUND_OFF);
        }
    }
}

// M̃ = Lᵀ D L of a body with a parent chain of six.
static void mobilities_are_those_of_the_solved_system(void **state)
{
    (void)state;
    random_source r = {3};
    const int parent[BODY] = {-1, 0, 1, 2, 3, 4};
    const size_t start[BODY + 1] = {0, 1, 3, 6, 10, 15, 21};
    const dp_tree_ldl at = {BODY, parent, start};
    for (int draw = 0; draw < 4 * NCOUNT; ++draw) {
        const run x = random_run(&r, COUNTS[draw % NCOUNT], true);
        const bool diagonal = draw % 2;
        double LD[21], inverse[BODY], w[MOST * ROWS];
        for (int i = 0; i < BODY; ++i) {
            for (size_t k = start[i]; k < start[i + 1]; ++k) {
                LD[k] = diagonal ? 0.0 : random_between(&r, -0.5, 0.5);
            }
            LD[start[i]] = random_between(&r, 1.0, 2.0);
            inverse[i] = 1.0 / LD[start[i]];
        }
        dp_batch_mobilities(w, x.n, x.G, x.scale, LD, inverse, diagonal);
        for (int i = 0; i < x.n * ROWS; ++i) {
            double y[BODY], sum = 0.0;
            dp_tree_ldl_solve(y, at, LD, x.G + i * BODY);
            for (int k = 0; k < BODY; ++k) {
                sum += x.G[i * BODY + k] * y[k];
            }
            assert_near(w[i], x.scale[i] * x.scale[i] * sum, 1e-12 * fmax(1.0, sum));
        }
    }
}

// The sums of pairs in the order in which they are defined: registers of any width have them.
static void runs_have_the_bits_of_their_sums(void **state)
{
    (void)state;
    random_source r = {5};
    const double none[21] = {0.0};
    for (int draw = 0; draw < NCOUNT; ++draw) {
        const int n = COUNTS[draw];
        const run x = random_run(&r, n, true);
        double v[BODY], inverse[BODY], u[MOST * ROWS], w[MOST * ROWS], force[BODY], sum[BODY];
        for (int k = 0; k < BODY; ++k) {
            v[k] = random_between(&r, -1.0, 1.0);
            inverse[k] = random_between(&r, 0.5, 1.0);
            force[k] = sum[k] = random_between(&r, -1.0, 1.0);
        }
        dp_batch_velocities(u, n, x.G, x.scale, v);
        dp_batch_mobilities(w, n, x.G, x.scale, none, inverse, true);
        dp_batch_forces(force, n, x.G, x.scale, x.y);
        for (int i = 0; i < n * ROWS; ++i) {
            const double *g = x.G + i * BODY;
            double mobility = 0.0;
            for (int k = 0; k < BODY; ++k) {
                mobility += g[k] * g[k] * inverse[k];
            }
            const double even = g[0] * v[0] + g[2] * v[2] + g[4] * v[4];
            const double odd = g[1] * v[1] + g[3] * v[3] + g[5] * v[5];
            const double rate = x.scale[i] * (even + odd);
            const double scaled = x.scale[i] * x.scale[i] * mobility;
            assert_memory_equal(&u[i], &rate, sizeof rate);
            assert_memory_equal(&w[i], &scaled, sizeof scaled);
        }
        enum { TOGETHER = 32 }; // contacts, but for the last
        for (int k = 0; k < BODY; ++k) {
            double part = 0.0;
            for (int i = 0; i < n; ++i) {
                const double *g = x.G + i * ROWS * BODY + k, *s = x.scale + i * ROWS;
                const double *y = x.y + i * ROWS;
                const double push =
                    g[0] * (s[0] * y[0]) + g[BODY] * (s[1] * y[1]) + g[2 * BODY] * (s[2] * y[2]);
                const bool last = i >= (n - 1) / TOGETHER * TOGETHER;
                part = last ? part : part + push;
                sum[k] = last ? sum[k] + push : sum[k];
                if (!last && i % TOGETHER == TOGETHER - 1) {
                    sum[k] += part;
                    part = 0.0;
                }
            }
            assert_memory_equal(&force[k], &sum[k], sizeof sum[k]);
        }
    }
}

static void matrices_are_added_whole(void **state)
{
    (void)state;
    random_source r = {4};
    for (int draw = 0; draw < 4 * NCOUNT; ++draw) {
        const bool diagonal = draw % 2;
        const run x = random_run(&r, COUNTS[draw % NCOUNT], diagonal);
        enum { STRIDE = BODY + 2 };
        double H[BODY * STRIDE], expected[BODY * STRIDE];
        for (int k = 0; k < BODY * STRIDE; ++k) {
            H[k] = expected[k] = random_between(&r, -1.0, 1.0);
        }
        for (int i = 0; i < x.n; ++i) {
            const double *G = x.G + i * ROWS * BODY, *s = x.scale + i * ROWS;
            for (int a = 0; a < ROWS * ROWS; ++a) {
                const int row = a / ROWS, col = a % ROWS;
                const double c = x.C[i * ROWS * ROWS + a] * s[row] * s[col];
                for (int k = 0; k < BODY * BODY; ++k) {
                    expected[k / BODY * STRIDE + k % BODY] +=
                        G[row * BODY + k / BODY] * c * G[col * BODY + k % BODY];
                }
            }
        }
        dp_batch_assemble(H, STRIDE, x.n, x.G, x.scale, x.C, diagonal);
        for (int k = 0; k < BODY * STRIDE; ++k) {
            assert_near(H[k], expected[k], 10.0 * ROUND_OFF); // ten times as many terms
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(velocities_are_rows_times_velocities_of_the_body),
        cmocka_unit_test(forces_are_added_to_those_that_are_there),
        cmocka_unit_test(mobilities_are_those_of_the_solved_system),
        cmocka_unit_test(runs_have_the_bits_of_their_sums),
        cmocka_unit_test(matrices_are_added_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
