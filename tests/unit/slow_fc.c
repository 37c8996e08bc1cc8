// Large friction-contact problems: walls, piles and networks, redundant and of unlike masses, each
// to 1e-8 in all three residuals.
#include "fc_draw.h"

#include <stdlib.h>
#include <time.h>

static void assert_solved(const char *name, drawn_fc *x)
{
    double *r = calloc(3 * (size_t)x->p.nc, sizeof *r);
    assert_non_null(r);
    const clock_t began = clock();
    const dp_fc_info info = fc_solve(&x->p, r, NULL);
    print_message("%-24s %4d contacts, %4d velocities: %s, %.1e, %d factorizations, %.3f s\n", name,
                  x->p.nc, x->p.M.rows, dp_fc_outcome_name(info.outcome), info.residual.worst,
                  info.factorizations, (double)(clock() - began) / CLOCKS_PER_SEC);
    assert_int_equal(info.outcome, DP_FC_OUTCOME_SOLVED);
    assert_true(info.residual.siconos <= 1e-8 && info.residual.impulse <= 1e-8 &&
                info.residual.velocity <= 1e-8);
    free(r);
}

// The same with W given: nobody tells what it comes from.
static void assert_local_is_solved(const char *name, const drawn_fc *x)
{
    dp_fc_file *local;
    assert_int_equal(dp_fc_localise(&local, &x->p, NULL), DP_OK);
    drawn_fc given = {.p = *dp_fc_of(local)};
    assert_solved(name, &given);
    dp_fc_destroy(local);
}

static void walls_of_a_thousand_contacts_are_solved(void **state)
{
    (void)state;
    static const double push[] = {0.0, 0.05, 2.0};
    for (int k = 0; k < 3; ++k) {
        drawn_fc x = fc_wall(12, 12, 0.6, push[k]);
        assert_true(x.p.nc >= 1000);
        assert_solved("wall", &x);
        fc_free(&x);
    }
}

static void piles_of_a_thousand_contacts_are_solved(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 2; ++seed) {
        drawn_fc x = fc_pile(7, 7, 7, 0.5, seed);
        assert_true(x.p.nc >= 1000);
        assert_solved("pile", &x);
        fc_free(&x);
    }
}

static void walls_and_piles_are_solved_among_impulses(void **state)
{
    (void)state;
    drawn_fc wall = fc_wall(12, 12, 0.6, 0.05), pile = fc_pile(7, 7, 7, 0.5, 1);
    assert_local_is_solved("wall, W given", &wall);
    assert_local_is_solved("pile, W given", &pile);
    fc_free(&wall);
    fc_free(&pile);
}

// A body on so many feet, with W given: a full matrix of rank 6.
static void a_full_matrix_of_low_rank_is_solved(void **state)
{
    (void)state;
    enum { SIDE = 24 };
    drawn_fc x = fc_new(1, SIDE * SIDE);
    const dp_v3 centre = {0.0, 0.0, 0.5};
    for (int k = 0; k < SIDE * SIDE; ++k) {
        const dp_v3 foot = {(k % SIDE) / (double)SIDE, (k / SIDE) / (double)SIDE, 0.0};
        fc_touch(&x, -1, 0, foot, centre, foot, (dp_v3){0.0, 0.0, 1.0}, 0.5);
    }
    x.v[2] = 0.3;
    x.v[3] = 0.1;
    x.v[5] = -0.1;
    fc_finish(&x);
    dp_fc_file *local;
    assert_int_equal(dp_fc_localise(&local, &x.p, NULL), DP_OK);
    double *r = calloc(3 * (size_t)x.p.nc, sizeof *r), *u = calloc(6 * (size_t)x.p.nc, sizeof *u);
    assert_non_null(r);
    assert_non_null(u);
    for (int k = 0; k < 2; ++k) { // the other way gives the same motion
        dp_fc_info info;
        const dp_fc_solution s = {.r = r, .u = u + (k == 0 ? 0 : 3 * x.p.nc)};
        const dp_fc *p = k == 0 ? dp_fc_of(local) : &x.p;
        assert_int_equal(dp_fc_solve(&s, p, NULL, NULL, NULL, &info), DP_OK);
        assert_int_equal(info.outcome, DP_FC_OUTCOME_SOLVED);
    }
    for (int i = 0; i < 3 * x.p.nc; ++i) {
        assert_near(u[i], u[3 * x.p.nc + i], 1e-7);
    }
    free(r);
    free(u);
    dp_fc_destroy(local);
    assert_local_is_solved("feet, W given", &x);
    fc_free(&x);
}

// More contacts than velocities: all of them redundant.
static void networks_of_bodies_are_solved(void **state)
{
    (void)state;
    static const struct {
        int bodies, contacts;
        double decades;
    } size[] = {{10, 200, 0.0}, {60, 400, 2.0}, {200, 900, 2.0}};
    for (size_t k = 0; k < sizeof size / sizeof *size; ++k) {
        drawn_fc x = fc_network(size[k].bodies, size[k].contacts, size[k].decades, 0.5, k + 1);
        assert_solved("network", &x);
        fc_free(&x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walls_of_a_thousand_contacts_are_solved),
        cmocka_unit_test(piles_of_a_thousand_contacts_are_solved),
        cmocka_unit_test(walls_and_piles_are_solved_among_impulses),
        cmocka_unit_test(a_full_matrix_of_low_rank_is_solved),
        cmocka_unit_test(networks_of_bodies_are_solved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
