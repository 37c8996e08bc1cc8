// Problems of other kinds, written by Siconos itself: `dashpot solve` takes none of them for a
// friction-contact or complementarity problem, and still takes these.
#include "program_run.h"

#include <FrictionContactProblem.h>
#include <GlobalFrictionContactProblem.h>
#include <GlobalRollingFrictionContactProblem.h>
#include <LinearComplementarityProblem.h>
#include <MixedLinearComplementarityProblem.h>
#include <NumericsMatrix.h>
#include <RelayProblem.h>
#include <RollingFrictionContactProblem.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define FILE_NAME DP_SCRATCH "/siconos_other.dat"
enum { MOST = 6 };

// What was made for one file: released when it is written.
static struct {
    NumericsMatrix *matrix[MOST];
    double *vector[2 * MOST];
    MixedLinearComplementarityProblem *mixed;
    int nmatrix, nvector;
} made;

static void release(void)
{
    while (made.nmatrix > 0) {
        NumericsMatrix *m = made.matrix[--made.nmatrix];
        NM_clear(m);
        free(m);
    }
    while (made.nvector > 0) {
        free(made.vector[--made.nvector]);
    }
    free(made.mixed);
    made.mixed = NULL;
}

// 2, 3, … on the diagonal.
static NumericsMatrix *diagonal(bool sparse, int rows, int columns)
{
    NumericsMatrix *m = NM_create(sparse ? NM_SPARSE : NM_DENSE, rows, columns);
    if (sparse) {
        NM_triplet_alloc(m, rows);
    } else {
        memset(m->matrix0, 0, (size_t)rows * (size_t)columns * sizeof *m->matrix0);
    }
    for (int i = 0; i < rows && i < columns; ++i) {
        NM_entry(m, i, i, 2.0 + i);
    }
    assert_true(made.nmatrix < MOST);
    made.matrix[made.nmatrix++] = m;
    return m;
}

static double *multiples(int n, double x)
{
    double *out = calloc((size_t)n + 1, sizeof *out);
    for (int i = 0; i < n; ++i) {
        out[i] = x * (i + 1);
    }
    assert_true(made.nvector < 2 * MOST);
    made.vector[made.nvector++] = out;
    return out;
}

// n: variables, or contacts
typedef void writer(FILE *file, bool sparse, int n);

static void write_relay(FILE *file, bool sparse, int n)
{
    RelayProblem p = {n, diagonal(sparse, n, n), multiples(n, -1.0), multiples(n, -0.5),
                      multiples(n, 0.5)};
    relay_printInFile(&p, file);
}

static void write_mixed(FILE *file, bool sparse, int n)
{
    MixedLinearComplementarityProblem *p = made.mixed = mixedLinearComplementarity_new();
    int rows[3] = {0, 1, n + 1}, is_complementary[2] = {0, 1};
    p->isStorageType1 = 1;
    p->isStorageType2 = 0;
    p->n = 1;
    p->m = n;
    p->M = diagonal(sparse, n + 1, n + 1);
    p->q = multiples(n + 1, -1.0);
    p->blocksRows = rows;
    p->blocksIsComp = is_complementary;
    mixedLinearComplementarity_printInFile(p, file);
}

static void write_mixed_in_parts(FILE *file, bool sparse, int n)
{
    MixedLinearComplementarityProblem *p = made.mixed = mixedLinearComplementarity_new();
    p->isStorageType1 = 0;
    p->isStorageType2 = 1;
    p->n = 1;
    p->m = n;
    p->M = diagonal(sparse, n + 1, n + 1);
    p->q = multiples(n + 1, -1.0);
    p->A = multiples(1, 1.0);
    p->B = multiples(n * n, 1.0);
    p->C = multiples(n, 1.0);
    p->D = multiples(n, 1.0);
    p->a = multiples(1, 1.0);
    p->b = multiples(n, -1.0);
    mixedLinearComplementarity_printInFile(p, file);
}

static void write_rolling(FILE *file, bool sparse, int n, int dimension)
{
    const int size = dimension * n;
    RollingFrictionContactProblem p = {.dimension = dimension,
                                       .numberOfContacts = n,
                                       .M = diagonal(sparse, size, size),
                                       .q = multiples(size, -1.0),
                                       .mu = multiples(n, 0.1),
                                       .mu_r = multiples(n, 0.01)};
    rollingFrictionContact_printInFile(&p, file);
}

static void write_rolling_2d(FILE *file, bool sparse, int n)
{
    write_rolling(file, sparse, n, 3);
}

static void write_rolling_3d(FILE *file, bool sparse, int n)
{
    write_rolling(file, sparse, n, 5);
}

static void write_global_rolling(FILE *file, bool sparse, int n)
{
    GlobalRollingFrictionContactProblem p = {.dimension = 5,
                                             .numberOfContacts = n,
                                             .M = diagonal(sparse, 6, 6),
                                             .H = diagonal(sparse, 6, 5 * n),
                                             .q = multiples(6, -1.0),
                                             .b = multiples(5 * n, -1.0),
                                             .mu = multiples(n, 0.1),
                                             .mu_r = multiples(n, 0.01)};
    globalRollingFrictionContact_printInFile(&p, file);
}

// Siconos has no header for these in Debian: as its writer prints them, with one cone.
static void write_second_order_cone(FILE *file, bool sparse, int n)
{
    fprintf(file, "%d\n1\n", n);
    NM_write_in_file(diagonal(sparse, n, n), file);
    for (int i = 0; i < n; ++i) {
        fprintf(file, "%32.24e ", -1.0 - i);
    }
    fprintf(file, "\n0 %d \n%32.24e \n", n, 0.3);
}

static void write_lcp(FILE *file, bool sparse, int n)
{
    LinearComplementarityProblem p = {n, diagonal(sparse, n, n), multiples(n, -1.0)};
    linearComplementarity_printInFile(&p, file);
}

static void write_friction(FILE *file, bool sparse, int n)
{
    FrictionContactProblem p = {.dimension = 3,
                                .numberOfContacts = n,
                                .M = diagonal(sparse, 3 * n, 3 * n),
                                .q = multiples(3 * n, -1.0),
                                .mu = multiples(n, 0.1)};
    frictionContact_printInFile(&p, file);
}

static void write_friction_2d(FILE *file, bool sparse, int n)
{
    FrictionContactProblem p = {.dimension = 2,
                                .numberOfContacts = n,
                                .M = diagonal(sparse, 2 * n, 2 * n),
                                .q = multiples(2 * n, -1.0),
                                .mu = multiples(n, 0.1)};
    frictionContact_printInFile(&p, file);
}

static void write_global_friction(FILE *file, bool sparse, int n)
{
    const int size = 3 * n;
    GlobalFrictionContactProblem p = {.dimension = 3,
                                      .numberOfContacts = n,
                                      .M = diagonal(sparse, size, size),
                                      .H = diagonal(sparse, size, size),
                                      .q = multiples(size, -1.0),
                                      .b = multiples(size, -1.0),
                                      .mu = multiples(n, 0.1)};
    globalFrictionContact_printInFile(&p, file);
}

static const program_result *solve(writer *write, bool sparse, int n)
{
    FILE *file = fopen(FILE_NAME, "w");
    assert_non_null(file);
    write(file, sparse, n);
    assert_int_equal(fclose(file), 0);
    release();
    return RUN("solve", FILE_NAME);
}

static void problems_of_other_kinds_are_refused(void **state)
{
    (void)state;
    static const struct {
        writer *write;
        const char *name, *message;
    } kind[] = {
        {write_relay, "relay", "behind q: bounds, as a relay problem has"},
        {write_mixed, "mixed", ":1: found a mixed linear complementarity problem of Siconos"},
        {write_mixed_in_parts, "mixed, in parts", ":1: found a mixed linear complementarity"},
        {write_rolling_2d, "rolling, 2D", "as problems with rolling friction"},
        {write_rolling_3d, "rolling, 3D", "2 or 3 dimensions: friction without rolling"},
        {write_global_rolling, "global rolling", "2 or 3 dimensions: friction without rolling"},
        {write_second_order_cone, "second-order cones", "expected"},
    };
    for (size_t k = 0; k < sizeof kind / sizeof kind[0]; ++k) {
        for (int n = 1; n <= MOST; ++n) {
            for (int sparse = 0; sparse < 2; ++sparse) {
                const program_result *r = solve(kind[k].write, sparse, n);
                if (r->code != 2 || !strstr(r->err, kind[k].message)) {
                    fail_msg("%s, n = %d, sparse %d: ended with %d and said '%s'", kind[k].name, n,
                             sparse, r->code, r->err);
                }
            }
        }
    }
}

static void problems_of_friction_and_complementarity_are_still_solved(void **state)
{
    (void)state;
    static const struct {
        writer *write;
        const char *says;
    } kind[] = {
        {write_lcp, "variable"},
        {write_friction, "in 3 dimensions, local form"},
        {write_friction_2d, "in 2 dimensions, local form"},
        {write_global_friction, "in 3 dimensions, global form"},
    };
    for (size_t k = 0; k < sizeof kind / sizeof kind[0]; ++k) {
        for (int n = 1; n <= MOST; ++n) {
            for (int sparse = 0; sparse < 2; ++sparse) {
                const program_result *r = solve(kind[k].write, sparse, n);
                if (r->code != 0 || !strstr(r->out, kind[k].says)) {
                    fail_msg("kind %zu, n = %d, sparse %d: ended with %d and said '%s%s'", k, n,
                             sparse, r->code, r->out, r->err);
                }
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(problems_of_other_kinds_are_refused),
        cmocka_unit_test(problems_of_friction_and_complementarity_are_still_solved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
