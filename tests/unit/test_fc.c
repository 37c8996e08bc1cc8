// Friction-contact problems: closed-form answers, forms and spaces that must agree, residuals as
// others define them, and problems without a solution.
#include "fc_draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Residuals are relative and below 1e-8; impulses of well-conditioned problems follow them.
static const double CLOSE = 1e-7;

// One contact with W = I/m.
typedef struct block {
    dp_fc p;
    int start[4], row[3];
    double value[3], q[3], mu[1];
} block;

static void make_block(block *b, double mass, double u_n, double u_t, double mu)
{
    *b = (block){.start = {0, 1, 2, 3}, .row = {0, 1, 2}, .q = {u_n, u_t, 0.0}, .mu = {mu}};
    for (int k = 0; k < 3; ++k) {
        b->value[k] = 1.0 / mass;
    }
    b->p = (dp_fc){.form = DP_FC_FORM_LOCAL,
                   .dimension = 3,
                   .nc = 1,
                   .mu = b->mu,
                   .W = {3, 3, b->start, b->row, b->value},
                   .q = b->q};
}

static void a_block_is_braked_by_mu_times_its_normal_impulse(void **state)
{
    (void)state;
    for (dp_fc_method method = DP_FC_METHOD_AUTOMATIC; method <= DP_FC_METHOD_CONE; ++method) {
        dp_fc_options opt = dp_fc_options_default();
        opt.method = method;
        block b;
        double r[3];
        make_block(&b, 2.0, -1.0, 3.0, 0.5); // asks for 2 N s; friction takes 1 of 6
        dp_fc_info info = fc_solve(&b.p, r, &opt);
        assert_int_equal(info.outcome, DP_FC_OUTCOME_SOLVED);
        assert_near(r[0], 2.0, CLOSE);
        assert_near(r[1], -1.0, CLOSE);
        assert_near(r[2], 0.0, CLOSE);
        assert_int_equal(info.residual.slide, 1);
        make_block(&b, 2.0, -1.0, 0.4, 0.5); // 0.8 of 1: it sticks
        info = fc_solve(&b.p, r, &opt);
        assert_near(r[1], -0.8, CLOSE);
        assert_int_equal(info.residual.stick, 1);
        make_block(&b, 2.0, 0.1, 0.4, 0.5); // leaves
        info = fc_solve(&b.p, r, &opt);
        assert_true(r[0] == 0.0 && r[1] == 0.0 && info.residual.open == 1);
    }
}

static void residuals_are_what_their_formulas_say(void **state)
{
    (void)state;
    block b;
    make_block(&b, 2.0, -1.0, 3.0, 0.5);
    double r[3] = {1.0, 0.0, 0.0}, u[3];
    dp_fc_residual out;
    assert_int_equal(dp_fc_judge(&out, &b.p, &(dp_fc_solution){.r = r, .u = u}, NULL), DP_OK);
    assert_near(u[0], -0.5, 0.0);
    assert_near(u[1], 3.0, 0.0);
    // û = (1, 3, 0); r − û = (0, −3, 0) → r_n (1, μ τ), r_n = 0.5·3/1.25 = 1.2: (1.2, −0.6, 0)
    const double natural = sqrt(0.2 * 0.2 + 0.6 * 0.6);
    assert_near(out.natural, natural, 1e-15);
    assert_near(out.siconos, natural / sqrt(10.0), 1e-15);
    assert_near(out.fclib, natural / (1.0 + sqrt(sqrt(10.0))), 1e-15);
    // d = 1/2: r − 2û = (−1, −6, 0) → r_n = (3 − 1)/1.25 = 1.6: (1.6, −0.8, 0)
    assert_near(out.impulse, 1.0, 1e-15);
    assert_near(out.velocity, 0.5 / sqrt(10.0), 1e-15);
    assert_near(out.penetration, 0.5, 0.0);
    assert_near(out.friction, 1.5, 0.0);
    assert_near(out.worst, 1.0, 1e-15);
}

// W = Hᵀ M⁻¹ H as a problem of its own. Of walls Newton steps of the global form are found among
// velocities, of piles, with fewer contacts, among impulses, as those of the local form are.
static void the_forms_agree(void **state)
{
    (void)state;
    for (int draw = 0; draw < 6; ++draw) {
        drawn_fc x =
            draw % 2 == 0 ? fc_wall(3, 3, 0.6, 0.3) : fc_pile(3, 3, 3, 0.4, (uint64_t)draw);
        const size_t n = 3 * (size_t)x.p.nc;
        double *r = calloc(2 * n, sizeof *r), *u = calloc(2 * n, sizeof *u);
        assert_non_null(r);
        assert_non_null(u);
        dp_fc_file *local;
        assert_int_equal(dp_fc_localise(&local, &x.p, NULL), DP_OK);
        for (int k = 0; k < 2; ++k) {
            dp_fc_info info;
            const dp_fc_solution s = {.r = r + (k > 0 ? n : 0), .u = u + (k > 0 ? n : 0)};
            const dp_fc *p = k == 0 ? &x.p : dp_fc_of(local);
            assert_int_equal(dp_fc_solve(&s, p, NULL, NULL, NULL, &info), DP_OK);
            assert_int_equal(info.outcome, DP_FC_OUTCOME_SOLVED);
        }
        for (size_t i = 0; i < n; ++i) { // velocities; impulses are not unique
            assert_near(u[n + i], u[i], 1e-6);
        }
        dp_fc_destroy(local);
        free(r);
        free(u);
        fc_free(&x);
    }
}

// Two bodies welded to each other by six equations move as one: the answer is that of one block.
static void equations_join_bodies(void **state)
{
    (void)state;
    drawn_fc x = fc_new(2, 1);
    x.mass[0] = 1.0;
    x.mass[1] = 3.0;
    for (int i = 0; i < 2; ++i) {
        x.inertia[i] = 0.1;
        x.v[6 * i + 3] = 2.0;  // along x
        x.v[6 * i + 5] = -1.0; // down
    }
    const dp_v3 foot = {0.0, 0.0, 0.0};
    fc_touch(&x, -1, 0, foot, foot, foot, (dp_v3){0.0, 0.0, 1.0}, 0.25);
    fc_finish(&x);
    int start[9], row[16];
    double value[16], b[8] = {0.0};
    for (int k = 0; k < 8; ++k) { // the last two say again what others do
        start[k] = 2 * k;
        row[2 * k] = k % 6;
        row[2 * k + 1] = 6 + k % 6;
        value[2 * k] = 1.0;
        value[2 * k + 1] = -1.0;
    }
    start[8] = 16;
    x.p.nl = 8;
    x.p.G = (dp_sparse){12, 8, start, row, value};
    x.p.b = b;
    double r[3], u[3], v[12], lambda[8];
    dp_fc_info info;
    const dp_fc_solution s = {.r = r, .u = u, .v = v, .lambda = lambda};
    assert_int_equal(dp_fc_solve(&s, &x.p, NULL, NULL, NULL, &info), DP_OK);
    assert_int_equal(info.outcome, DP_FC_OUTCOME_SOLVED);
    assert_near(r[0], 4.0, CLOSE); // 4 kg at 1 m/s
    assert_near(sqrt(r[1] * r[1] + r[2] * r[2]), 1.0, CLOSE);
    assert_near(v[3], 1.75, CLOSE);
    assert_near(v[9], v[3], 1e-12);
    assert_near(info.residual.fclib, info.residual.natural / (1.0 + sqrt(sqrt(5.0))), 1e-10);
    assert_near(fabs(lambda[5]), 3.0, CLOSE); // what holds the second body up
    fc_free(&x);
}

// The same by the local form: u = W r + V λ + q, Vᵀ r + R λ + s = 0.
static void equations_of_the_local_form_are_eliminated(void **state)
{
    (void)state;
    block b;
    make_block(&b, 1.0, -1.0, 2.0, 0.25);
    // A mass of 3 hangs on each direction: λ pulls, u = r + λ − …, λ = −(3/4) r (joined to 1 + 3).
    const int start[4] = {0, 1, 2, 3}, row[3] = {0, 1, 2};
    const double V[3] = {1.0, 1.0, 1.0}, R[3] = {4.0 / 3.0, 4.0 / 3.0, 4.0 / 3.0}, zero[3] = {0.0};
    b.p.nl = 3;
    b.p.V = (dp_sparse){3, 3, start, row, V};
    b.p.R = (dp_sparse){3, 3, start, row, R};
    b.p.s = zero;
    double r[3], lambda[3];
    dp_fc_info info;
    assert_int_equal(
        dp_fc_solve(&(dp_fc_solution){.r = r, .lambda = lambda}, &b.p, NULL, NULL, NULL, &info),
        DP_OK);
    assert_int_equal(info.outcome, DP_FC_OUTCOME_SOLVED);
    assert_near(r[0], 4.0, CLOSE); // u = r/4 + q
    assert_near(r[1], -1.0, CLOSE);
    assert_near(lambda[0], -3.0, CLOSE);
    assert_true(info.residual.fclib <= 1e-8);
}

static void one_tangent_is_one_of_two_that_meets_nothing(void **state)
{
    (void)state;
    const int start[3] = {0, 2, 4}, row[4] = {0, 1, 0, 1};
    const double W[4] = {1.0, 0.2, 0.2, 2.0}, q[2] = {-1.0, 1.5}, mu[1] = {0.3};
    const dp_fc plane = {.form = DP_FC_FORM_LOCAL,
                         .dimension = 2,
                         .nc = 1,
                         .mu = mu,
                         .W = {2, 2, start, row, W},
                         .q = q};
    double r[2];
    const dp_fc_info info = fc_solve(&plane, r, NULL);
    assert_int_equal(info.outcome, DP_FC_OUTCOME_SOLVED);
    // Slides: r_t = −μ r_n, r_n + 0.2 r_t = 1
    assert_near(r[0], 1.0 / (1.0 - 0.06), CLOSE);
    assert_near(r[1], -0.3 * r[0], CLOSE);
}

// A ball between two walls that close on it: no velocity opens both.
static drawn_fc crushed(double speed)
{
    drawn_fc x = fc_new(1, 2);
    const dp_v3 middle = {0.0, 0.0, 0.0}, left = {-1.0, 0.0, 0.0}, right = {1.0, 0.0, 0.0};
    fc_touch(&x, -1, 0, left, middle, left, (dp_v3){1.0, 0.0, 0.0}, 0.5);
    fc_touch(&x, -1, 0, right, middle, right, (dp_v3){-1.0, 0.0, 0.0}, 0.5);
    x.w[0] = x.w[3] = -speed;
    fc_finish(&x);
    return x;
}

static void a_ball_that_is_crushed_has_no_solution(void **state)
{
    (void)state;
    drawn_fc x = crushed(0.1);
    double r[6];
    for (int local = 0; local < 2; ++local) {
        dp_fc_file *file;
        assert_int_equal(dp_fc_localise(&file, &x.p, NULL), DP_OK);
        const dp_fc_info info = fc_solve(local ? dp_fc_of(file) : &x.p, r, NULL);
        assert_int_equal(info.outcome, DP_FC_OUTCOME_INFEASIBLE);
        assert_true(info.feasibility >= 0.0 && info.feasibility <= 1e-12);
        assert_true(info.residual.worst > 1e-3);
        dp_fc_destroy(file);
    }
    fc_free(&x);
}

// Walls that do not move hold it: any pressure would do, and a bounded one is found.
static void a_ball_that_is_held_has_a_bounded_solution(void **state)
{
    (void)state;
    drawn_fc x = crushed(0.0);
    x.v[5] = -1.0; // falls between the walls
    fc_finish(&x);
    double r[6];
    const dp_fc_info info = fc_solve(&x.p, r, NULL);
    assert_int_equal(info.outcome, DP_FC_OUTCOME_SOLVED);
    for (int k = 0; k < 6; ++k) {
        assert_true(fabs(r[k]) < 10.0);
    }
    fc_free(&x);
}

static void nothing_to_solve_is_solved(void **state)
{
    (void)state;
    const int start[1] = {0};
    const dp_fc empty = {.form = DP_FC_FORM_LOCAL, .dimension = 3, .W = {.start = start}};
    double r[1] = {0.0};
    assert_int_equal(fc_solve(&empty, r, NULL).outcome, DP_FC_OUTCOME_SOLVED);
}

// Gyroscopes and flexible bodies make W unsymmetric.
static void unsymmetric_problems_are_solved(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        drawn_fc x = fc_network(6, 12, 1.0, 0.5, seed);
        dp_fc_file *local;
        assert_int_equal(dp_fc_localise(&local, &x.p, NULL), DP_OK);
        dp_fc p = *dp_fc_of(local);
        const size_t count = (size_t)p.W.start[p.W.columns];
        double *value = malloc(count * sizeof *value), *r = calloc(3 * (size_t)p.nc, sizeof *r);
        assert_non_null(value);
        assert_non_null(r);
        random_source random = {.state = seed};
        for (size_t k = 0; k < count; ++k) {
            value[k] = p.W.value[k] * (1.0 + random_between(&random, -0.02, 0.02));
        }
        p.W.value = value;
        for (int i = 0; i < 3 * p.nc; ++i) { // keeps it definite
            for (int k = p.W.start[i]; k < p.W.start[i + 1]; ++k) {
                value[k] += p.W.row[k] == i ? 0.5 : 0.0;
            }
        }
        const dp_fc_info info = fc_solve(&p, r, NULL);
        if (info.outcome != DP_FC_OUTCOME_SOLVED) {
            fail_msg("seed %d: %s, %g", (int)seed, dp_fc_outcome_name(info.outcome),
                     info.residual.worst);
        }
        free(value);
        free(r);
        dp_fc_destroy(local);
        fc_free(&x);
    }
}

// Units of mass and length do not matter to what is found.
static void another_unit_of_mass_changes_nothing_but_units(void **state)
{
    (void)state;
    double r[2][3 * 100], scale[2] = {1.0, 0x1p-10};
    for (int k = 0; k < 2; ++k) {
        drawn_fc x = fc_network(8, 24, 2.0, 0.4, 5);
        for (int i = 0; i < 6 * x.bodies; ++i) {
            x.M_value[i] *= scale[k];
            x.f[i] *= scale[k];
        }
        (void)fc_solve(&x.p, r[k], NULL);
        if (k == 1) {
            for (int i = 0; i < 3 * x.p.nc; ++i) {
                assert_near(r[1][i] / scale[1], r[0][i], 1e-6);
            }
        }
        fc_free(&x);
    }
}

static void what_is_no_problem_is_refused(void **state)
{
    (void)state;
    block b;
    double r[3];
    dp_fc_info info;
    const dp_fc_solution s = {.r = r};
    const struct {
        const char *message;
        int what;
    } bad[] = {{"mu[0] is -1 (expected 0 or more)", 0},
               {"W(1, 1) is inf (expected a finite number)", 1},
               {"dimension is 5 (expected 2 or 3)", 2},
               {"W: column 2 has a number in row 3 after row -1", 3},
               {"q[1] is nan (expected a finite number)", 4},
               {"W is 2 × 3 (expected 3 × 3)", 5}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        make_block(&b, 1.0, -1.0, 1.0, 0.5);
        switch (bad[k].what) {
        case 0:
            b.mu[0] = -1.0;
            break;
        case 1:
            b.value[1] = (double)INFINITY;
            break;
        case 2:
            b.p.dimension = 5;
            break;
        case 3:
            b.row[2] = 3;
            break;
        case 4:
            b.q[1] = (double)NAN;
            break;
        default:
            b.p.W.rows = 2;
            break;
        }
        assert_int_equal(dp_fc_solve(&s, &b.p, NULL, NULL, NULL, &info), DP_ERROR_ARGUMENT);
        if (strncmp(dp_last_error(), bad[k].message, strlen(bad[k].message)) != 0) {
            fail_msg("found '%s', expected '%s'", dp_last_error(), bad[k].message);
        }
    }
}

static void options_have_names(void **state)
{
    (void)state;
    dp_fc_options opt = dp_fc_options_default();
    assert_int_equal(dp_fc_options_set(&opt, "fc.method", "cone"), DP_OK);
    assert_int_equal(opt.method, DP_FC_METHOD_CONE);
    assert_int_equal(dp_fc_options_set(&opt, "tolerance", "1e-10"), DP_OK);
    assert_near(opt.tolerance, 1e-10, 0.0);
    assert_int_equal(dp_fc_options_set(&opt, "fc.tolerance", "2"), DP_ERROR_ARGUMENT);
    assert_int_equal(dp_fc_options_set(&opt, "fc.speed", "2"), DP_ERROR_ARGUMENT);
    for (int i = 0; i < dp_fc_options_name_count(); ++i) {
        assert_memory_equal(dp_fc_options_name(i), "fc.", 3);
    }
    assert_string_equal(dp_fc_options_name(-1), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_is_braked_by_mu_times_its_normal_impulse),
        cmocka_unit_test(residuals_are_what_their_formulas_say),
        cmocka_unit_test(the_forms_agree),
        cmocka_unit_test(equations_join_bodies),
        cmocka_unit_test(equations_of_the_local_form_are_eliminated),
        cmocka_unit_test(one_tangent_is_one_of_two_that_meets_nothing),
        cmocka_unit_test(a_ball_that_is_crushed_has_no_solution),
        cmocka_unit_test(a_ball_that_is_held_has_a_bounded_solution),
        cmocka_unit_test(nothing_to_solve_is_solved),
        cmocka_unit_test(unsymmetric_problems_are_solved),
        cmocka_unit_test(another_unit_of_mass_changes_nothing_but_units),
        cmocka_unit_test(what_is_no_problem_is_refused),
        cmocka_unit_test(options_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
