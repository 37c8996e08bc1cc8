// Products with the rows of contacts that have the same columns, whatever registers they run in,
// against plain sums: in the same order, so to the bit.
#include "solve/small_run.h"
#include "test_random.h"

#include <string.h>

enum { MOST = DP_SMALL_MOST, CONTACTS = 20, ROWS = DP_SMALL_ROWS, STRIDE = MOST + 4 };

typedef struct drawn {
    dp_small_run run;
    dp_small_contact contact[CONTACTS];
    int col[MOST];
    double G[CONTACTS * ROWS * MOST];
    // the problem that it is taken from
    dp_step_problem problem;
    int col_start[CONTACTS + 1];
    size_t G_start[CONTACTS + 1];
    double from[CONTACTS * ROWS * MOST];
} drawn;

static double draw(random_source *r)
{
    return random_between(r, -1.0, 1.0);
}

static void draw_contact(dp_small_contact *c, random_source *r)
{
    *c = (dp_small_contact){.reach = draw(r), .c = random_chance(r, 0.2) ? 0.0 : draw(r)};
    c->m[0] = draw(r);
    c->m[1] = draw(r);
    c->hold = draw(r);
    c->slips = random_chance(r, 0.5);
    for (int k = 0; k < ROWS; ++k) {
        c->push[k] = draw(r);
        c->scale[k] = k == 0 ? 1.0 : random_between(r, 0.5, 2.0);
    }
}

// Some columns of MOST, or all of the first few, of which a contact may lack one.
static void draw_run(drawn *d, random_source *r)
{
    const bool all = random_chance(r, 0.5);
    const int ncol = 1 + random_below(r, MOST);
    memset(d, 0, sizeof *d);
    d->run = (dp_small_run){.count = 1 + random_below(r, CONTACTS),
                            .ncol = ncol,
                            .width = dp_small_run_width(ncol),
                            .col = all ? NULL : d->col,
                            .G = d->G};
    for (int k = 0, next = 0; k < ncol; ++k) {
        next += random_below(r, MOST - ncol - next + k + 1);
        d->col[k] = next++;
    }
    for (int i = 0; i < d->run.count; ++i) {
        dp_small_contact *c = &d->contact[i];
        const bool lacks = all && ncol > 1 && random_chance(r, 0.5);
        const int own = ncol - lacks;
        draw_contact(c, r);
        c->block = i;
        c->missing = lacks ? random_below(r, ncol) : ncol;
        d->col_start[i + 1] = d->col_start[i] + own;
        d->G_start[i + 1] = d->G_start[i] + (size_t)(ROWS * own);
    }
    for (size_t k = 0; k < d->G_start[d->run.count]; ++k) {
        d->from[k] = draw(r);
    }
    d->problem = (dp_step_problem){.col_start = d->col_start, .G_start = d->G_start, .G = d->from};
}

static const double *row_of(const drawn *d, int contact, int k)
{
    return d->G + (contact * ROWS + k) * d->run.width;
}

static double at_column(const drawn *d, const double *v, int k)
{
    return k >= d->run.ncol ? 0.0 : d->run.col ? v[d->run.col[k]] : v[k];
}

static void take(drawn *d, const double *inverse)
{
    dp_small_run_take(d->contact, &d->run, &d->problem, inverse);
}

static void rows_are_scaled_and_have_their_mobilities(void **state)
{
    (void)state;
    random_source r = {1};
    for (int trial = 0; trial < 2000; ++trial) {
        static drawn d;
        double inverse[MOST];
        draw_run(&d, &r);
        for (int k = 0; k < MOST; ++k) {
            inverse[k] = random_between(&r, 0.1, 1.0);
        }
        take(&d, inverse);
        for (int i = 0; i < d.run.count; ++i) {
            const dp_small_contact *c = &d.contact[i];
            const double *from = d.from + d.G_start[i];
            for (int k = 0; k < ROWS; ++k) {
                double w = 0.0;
                for (int j = 0; j < d.run.width; ++j) {
                    const double g = row_of(&d, i, k)[j];
                    const bool there = j < d.run.ncol && j != c->missing;
                    assert_true(g == (there ? c->scale[k] * *from++ : 0.0));
                    w += g * g * at_column(&d, inverse, j);
                }
                assert_near(c->w[k], w, 1e-14 * w);
            }
        }
    }
}

static void rates_are_sums_of_four_parts(void **state)
{
    (void)state;
    random_source r = {2};
    for (int trial = 0; trial < 2000; ++trial) {
        static drawn d;
        double v[MOST];
        draw_run(&d, &r);
        for (int k = 0; k < MOST; ++k) {
            v[k] = random_between(&r, 0.1, 1.0);
        }
        take(&d, v);
        dp_small_run_rates(d.contact, &d.run, v);
        for (int i = 0; i < d.run.count; ++i) {
            for (int k = 0; k < ROWS; ++k) {
                double part[4] = {0.0, 0.0, 0.0, 0.0};
                for (int j = 0; j < d.run.width; ++j) {
                    part[j % 4] += row_of(&d, i, k)[j] * at_column(&d, v, j);
                }
                assert_true(d.contact[i].du[k] == (part[0] + part[1]) + (part[2] + part[3]));
            }
        }
    }
}

static void pushes_are_added_one_by_one(void **state)
{
    (void)state;
    random_source r = {3};
    for (int trial = 0; trial < 2000; ++trial) {
        static drawn d;
        double force[MOST], before[MOST];
        draw_run(&d, &r);
        for (int k = 0; k < MOST; ++k) {
            force[k] = before[k] = random_between(&r, 0.1, 1.0);
        }
        take(&d, before);
        dp_small_run_push(force, d.contact, &d.run);
        for (int j = 0; j < d.run.ncol; ++j) {
            double sum = 0.0;
            for (int i = 0; i < d.run.count; ++i) {
                for (int k = 0; k < ROWS; ++k) {
                    sum += d.contact[i].push[k] * row_of(&d, i, k)[j];
                }
            }
            const int at = d.run.col ? d.run.col[j] : j;
            assert_true(force[at] == before[at] + sum);
            before[at] = force[at];
        }
        assert_memory_equal(force, before, sizeof force); // the others stay
    }
}

// (TS 2), product by product.
static void add_contact(double K[MOST][STRIDE], const drawn *d, int contact)
{
    const dp_small_contact *c = &d->contact[contact];
    const double *n = row_of(d, contact, DP_SMALL_NORMAL), *t1 = row_of(d, contact, DP_SMALL_ALONG);
    const double *t2 = row_of(d, contact, DP_SMALL_ACROSS);
    for (int i = 0; i < d->run.ncol && c->c != 0.0; ++i) {
        for (int j = 0; j < d->run.ncol; ++j) {
            const double pull = n[i] - c->reach * (c->m[0] * t1[i] + c->m[1] * t2[i]);
            K[i][j] += pull * (c->c * n[j]);
            if (c->slips) {
                const double left = c->m[0] * t2[i] - c->m[1] * t1[i];
                K[i][j] += left * (c->hold * (c->m[0] * t2[j] - c->m[1] * t1[j]));
            } else {
                K[i][j] += t1[i] * (c->hold * t1[j]);
                K[i][j] += t2[i] * (c->hold * t2[j]);
            }
        }
    }
}

static void matrices_are_added_product_by_product(void **state)
{
    (void)state;
    random_source r = {4};
    for (int trial = 0; trial < 1000; ++trial) {
        static drawn d;
        static double K[MOST][STRIDE], expected[MOST][STRIDE];
        draw_run(&d, &r);
        double v[MOST];
        for (int k = 0; k < MOST; ++k) {
            v[k] = draw(&r);
            for (int j = 0; j < STRIDE; ++j) {
                K[k][j] = expected[k][j] = draw(&r);
            }
        }
        take(&d, v);
        for (int i = 0; i < d.run.count; ++i) {
            add_contact(expected, &d, i);
        }
        dp_small_run_add(K[0], STRIDE, d.contact, &d.run);
        assert_memory_equal(K, expected, sizeof K); // what is beside it stays
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_scaled_and_have_their_mobilities),
        cmocka_unit_test(rates_are_sums_of_four_parts),
        cmocka_unit_test(pushes_are_added_one_by_one),
        cmocka_unit_test(matrices_are_added_product_by_product),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
