// Numbers of 106 bits, and cone programs by them.
#include "test_random.h"

#include "methods/convex_cone.h"

#include <string.h>

enum { MOST = 12 };

static double relative(cli_twofold a, cli_twofold b)
{
    return fabs(cli_minus(a, b).hi) / fabs(b.hi);
}

static cli_twofold draw_number(random_source *r)
{
    const double hi = random_between(r, -1.0, 1.0);
    return cli_two_sum(hi, 0x1p-54 * hi * random_between(r, -1.0, 1.0));
}

static void a_product_keeps_every_bit(void **state)
{
    (void)state;
    // (2⁴⁰ + 1) (2⁴⁰ + 3) = 2⁸⁰ + 2⁴² + 3
    const cli_twofold p = cli_two_product(0x1p40 + 1.0, 0x1p40 + 3.0);
    assert_near(p.hi, 0x1p80 + 0x1p42, 0.0);
    assert_near(p.lo, 3.0, 0.0);
    const cli_twofold s = cli_two_sum(1.0, 0x1p-90);
    assert_near(s.hi, 1.0, 0.0);
    assert_near(s.lo, 0x1p-90, 0.0);
}

static void quotients_and_roots_have_a_hundred_bits(void **state)
{
    (void)state;
    random_source r = {.state = 5};
    for (int i = 0; i < 1000; ++i) {
        const cli_twofold a = draw_number(&r), b = draw_number(&r);
        assert_true(relative(cli_times(cli_over(a, b), b), a) < 0x1p-100);
        assert_true(relative(cli_minus(cli_plus(a, b), b), a) * fabs(a.hi) < 0x1p-102);
        const cli_twofold square = cli_times(a, a), root = cli_root(square);
        assert_true(relative(root, a.hi > 0.0 ? a : cli_minus(cli_twofold_of(0.0), a)) < 0x1p-100);
    }
}

// --- programs ---------------------------------------------------------------------------------

typedef struct drawn {
    cli_cone_program p;
    cli_twofold H[MOST * MOST], g[MOST], C[3 * MOST * MOST], d[3 * MOST];
    cli_twofold x[MOST], z[3 * MOST];
} drawn;

static void draw_in_cone(random_source *r, double s[3])
{
    double t[2];
    random_direction(t, 2, r);
    s[0] = random_between(r, 0.1, 2.0);
    const double across = s[0] * random_between(r, 0.0, 0.9);
    s[1] = across * t[0];
    s[2] = across * t[1];
}

// H = 1 + w Tᵀ T of less than full rank, and a point within all cones.
static void draw(drawn *o, random_source *r, double w)
{
    const int n = 2 + random_below(r, 8);
    memset(o, 0, sizeof *o);
    o->p = (cli_cone_program){.n = n,
                              .linear = random_below(r, 5),
                              .cones = random_below(r, 4),
                              .H = o->H,
                              .g = o->g,
                              .C = o->C,
                              .d = o->d,
                              .convexity = 1.0};
    const int rows = cli_cone_rows(&o->p), rank = 1 + random_below(r, n);
    for (int k = 0; k < rank; ++k) {
        cli_twofold t[MOST];
        const cli_twofold aim = cli_twofold_of(random_between(r, -3.0, 3.0));
        for (int i = 0; i < n; ++i) {
            t[i] = cli_twofold_of(random_between(r, -1.0, 1.0));
        }
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                cli_twofold *e = &o->H[i * n + j];
                *e = cli_plus(*e, cli_times(cli_twofold_of(w), cli_times(t[i], t[j])));
            }
            o->g[i] = cli_plus(o->g[i], cli_times(cli_twofold_of(w), cli_times(t[i], aim)));
        }
    }
    double within[MOST], s[3];
    for (int i = 0; i < n; ++i) {
        o->H[i * n + i] = cli_plus(o->H[i * n + i], cli_twofold_of(1.0));
        within[i] = random_between(r, -1.0, 1.0);
    }
    for (int k = 0; k < rows; ++k) {
        const int place = k < o->p.linear ? 0 : (k - o->p.linear) % 3;
        if (place == 0) {
            draw_in_cone(r, s);
        }
        o->d[k] = cli_twofold_of(-s[place]);
        for (int i = 0; i < n; ++i) {
            o->C[k * n + i] = cli_twofold_of(random_between(r, -1.0, 1.0));
            o->d[k] = cli_plus(o->d[k], cli_two_product(o->C[k * n + i].hi, within[i]));
        }
    }
}

static void random_programs_meet_their_conditions_of_optimality(void **state)
{
    (void)state;
    random_source r = {.state = 11};
    static const double weights[] = {0.0, 1.0, 1e6, 1e13};
    const double tolerance = 1e-9;
    cli_cone_residual worst[4] = {{0}};
    for (int trial = 0; trial < 400; ++trial) {
        drawn o;
        draw(&o, &r, weights[trial % 4]);
        cli_cone_solution s = {.x = o.x, .z = o.z};
        assert_true(cli_cone_solve(&s, &o.p, tolerance));
        cli_cone_residual *w = &worst[trial % 4];
        w->error = fmax(w->error, s.residual.error);
        w->stationarity = fmax(w->stationarity, s.residual.stationarity);
        w->primal = fmax(w->primal, s.residual.primal);
        w->dual = fmax(w->dual, s.residual.dual);
        w->gap = fmax(w->gap, fabs(s.residual.gap));
        assert_in_range(s.iterations, 0, 60);
    }
    for (int i = 0; i < 4; ++i) {
        const cli_cone_residual *w = &worst[i];
        print_message("weights 1 and %g: error %.1e, stationarity %.1e, primal %.1e, dual %.1e, "
                      "gap %.1e\n",
                      weights[i], w->error, w->stationarity, w->primal, w->dual, w->gap);
        // what was asked for; weights of 1e13 beside 1 leave 106 bits less than that
        assert_true(w->error <= (weights[i] < 1e13 ? tolerance : 1e-7));
        assert_true(w->primal < tolerance * tolerance && w->dual < 1e-30);
    }
}

static cli_twofold objective(const drawn *o, const cli_twofold *x)
{
    const int n = o->p.n;
    cli_twofold f = cli_twofold_of(0.0);
    for (int i = 0; i < n; ++i) {
        cli_twofold half = cli_twofold_of(0.0);
        for (int j = 0; j < n; ++j) {
            half = cli_plus(half, cli_times(o->H[i * n + j], x[j]));
        }
        half = cli_plus(cli_times(cli_twofold_of(0.5), half), o->g[i]);
        f = cli_plus(f, cli_times(half, x[i]));
    }
    return f;
}

static bool is_allowed(const drawn *o, const cli_twofold *x)
{
    const cli_twofold none[3 * MOST] = {{0.0, 0.0}};
    return cli_cone_judge(&o->p, x, none).primal <= 0.0;
}

// Independent of multipliers: the bound of the error holds the answer against its neighbours.
static void no_point_nearby_that_is_allowed_is_better(void **state)
{
    (void)state;
    random_source r = {.state = 23};
    int seen = 0;
    for (int trial = 0; trial < 60; ++trial) {
        drawn o;
        draw(&o, &r, 1.0);
        cli_cone_solution s = {.x = o.x, .z = o.z};
        assert_true(cli_cone_solve(&s, &o.p, 1e-10));
        const cli_twofold least = objective(&o, o.x);
        for (int k = 0; k < 100; ++k) {
            double way[MOST];
            random_direction(way, o.p.n, &r);
            const double far = pow(10.0, random_between(&r, -5.0, 0.0));
            cli_twofold y[MOST];
            for (int i = 0; i < o.p.n; ++i) {
                y[i] = cli_plus(o.x[i], cli_twofold_of(far * way[i]));
            }
            if (is_allowed(&o, y)) {
                // f grows by at least half the square of the distance, which is 1e-5 or more
                assert_true(cli_minus(objective(&o, y), least).hi > 0.4 * far * far);
                ++seen;
            }
        }
    }
    assert_true(seen > 500);
}

static void without_conditions_it_is_the_solution_of_equations(void **state)
{
    (void)state;
    const cli_twofold H[4] = {{4.0, 0.0}, {1.0, 0.0}, {1.0, 0.0}, {3.0, 0.0}};
    const cli_twofold g[2] = {{-1.0, 0.0}, {-2.0, 0.0}};
    const cli_cone_program p = {.n = 2, .H = H, .g = g, .convexity = 2.0};
    cli_twofold x[2], z[1];
    cli_cone_solution s = {.x = x, .z = z};
    assert_true(cli_cone_solve(&s, &p, 1e-9));
    assert_near(x[0].hi, 1.0 / 11.0, 1e-17);
    assert_near(x[1].hi, 7.0 / 11.0, 1e-16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_product_keeps_every_bit),
        cmocka_unit_test(quotients_and_roots_have_a_hundred_bits),
        cmocka_unit_test(random_programs_meet_their_conditions_of_optimality),
        cmocka_unit_test(no_point_nearby_that_is_allowed_is_better),
        cmocka_unit_test(without_conditions_it_is_the_solution_of_equations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
