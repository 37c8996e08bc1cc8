// The law `lcp` in steps: closed forms of what sticks, slides, rolls and bounces, with the bias
// that polygons bring.
#include "contact_scene.h"
#include "standing_scene.h"
#include "trial.h"

#include <math.h>

static const double PI = 3.14159265358979323846, GRAVITY = 9.81;
static const dp_v3 DOWN = {0.0, 0.0, -9.81};

static void use_lcp(mechanism *x, int directions)
{
    dp_data_options(x->d)->law.law = DP_LAW_LCP;
    dp_data_options(x->d)->law.directions = directions;
}

static void assert_solved(const mechanism *x)
{
    const dp_step_info *info = dp_data_step_info(x->d);
    assert_int_equal(info->unsolved, 0);
    assert_int_equal(dp_data_certificate(x->d)->fallbacks, 0);
}

// ---- a body that slides

// A ball of 2 kg that cannot turn, on the floor.
static mechanism slider(double mu, double h, double restitution, double height)
{
    mechanism x = contact_scene_begin((contact_stuff){.mu = mu}, DOWN, h);
    const dp_body_id body = mechanism_body(&x, DP_WORLD, "ball", (dp_v3){0.0, 0.0, 0.1 + height},
                                           2.0, (dp_v3){0.0, 0.0, 0.0}, (dp_v3){0.01, 0.01, 0.01});
    static const dp_v3 axis[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    static const char *const name[3] = {"x", "y", "z"};
    for (int i = 0; i < 3; ++i) {
        mechanism_joint(&x, body, name[i], DP_SLIDE, axis[i]);
    }
    dp_geom_spec geom = dp_geom_spec_default();
    geom.kind = DP_SPHERE;
    geom.size[0] = 0.1;
    geom.friction[0] = mu;
    geom.contact.material_given = true;
    geom.contact.material.restitution = restitution;
    assert_ok(dp_spec_add_geom(NULL, x.spec, body, &geom));
    mechanism_compile(&x);
    use_lcp(&x, 8);
    return x;
}

// Where it comes to rest from the speed V at `heading`: along the nearest corner of the polygon
// friction is μ g against that corner alone, until the slip is midway between two corners; from
// there on it is μ g cos π/r along the way.
static void predict(double way[2], double V, double heading, double mu, int r)
{
    const double brake = mu * GRAVITY, sector = 2.0 * PI / r;
    const double corner = sector * floor(heading / sector + 0.5), off = heading - corner;
    const double along = V * cos(off), across = V * fabs(sin(off)), side = off < 0.0 ? -1.0 : 1.0;
    const double limit = across / tan(PI / r); // midway is reached with this along the corner
    const double t = (along - limit) / brake;
    double x = along * t - 0.5 * brake * t * t, y = across * t;
    const double left = across / sin(PI / r), rest = 0.5 * left * left / (brake * cos(PI / r));
    x += rest * cos(PI / r);
    y += rest * sin(PI / r);
    way[0] = x * cos(corner) - side * y * sin(corner);
    way[1] = x * sin(corner) + side * y * cos(corner);
}

static void a_sliding_body_ends_where_the_polygon_leads_it(void **state)
{
    (void)state;
    const double V = 1.0, mu = 0.5, h = 5e-4;
    random_source random = {.state = 11};
    for (int r = 4; r <= 16; r *= 2) {
        for (int k = 0; k < 6; ++k) { // along a corner, midway, and at random
            const double heading = k == 0   ? 2.0 * PI / r
                                   : k == 1 ? PI / r
                                            : random_between(&random, 0.0, 2.0 * PI);
            mechanism x = slider(mu, h, -1.0, 0.0);
            use_lcp(&x, r);
            mechanism_set(&x, dp_data_q(x.d), (double[]){V * cos(heading), V * sin(heading), 0.0});
            mechanism_steps(&x, (int)(1.6 * V / (mu * GRAVITY) / h));
            double way[2];
            predict(way, V, heading, mu, r);
            const double *q = dp_data_q(x.d), *v = dp_data_v(x.d);
            assert_near(q[0], way[0], V * h); // symplectic Euler: half of that along a line
            assert_near(q[1], way[1], V * h);
            assert_near(hypot(v[0], v[1]), 0.0, 1e-15);
            assert_near(q[2], 0.0, 1e-15);
            assert_solved(&x);
            if (k == 1) { // longer than with the disc by 1/cos π/r
                assert_near(hypot(q[0], q[1]) * cos(PI / r), 0.5 * V * V / (mu * GRAVITY), V * h);
            }
            mechanism_end(&x);
        }
    }
}

static void the_certificate_of_a_run_tells_the_bias(void **state)
{
    (void)state;
    mechanism x = slider(0.5, 1e-3, -1.0, 0.0);
    mechanism_set(&x, dp_data_q(x.d), (double[]){cos(0.3), sin(0.3), 0.0});
    mechanism_steps(&x, 1);
    assert_near(dp_data_certificate(x.d)->heading, 0.3, 0.01); // the slip turns by μ g h/V
    assert_near(dp_data_certificate(x.d)->shortfall, 0.0, 1e-12);
    assert_near(dp_data_certificate(x.d)->normal_law, 0.0, 1e-14);
    mechanism_end(&x);
}

// ---- a body that sticks

// A box on a ramp, that is, with gravity aslant. The polygon ends at `edge` of μ in the heading.
static void a_box_on_a_ramp_sticks_to_the_edge_of_the_polygon(void **state)
{
    (void)state;
    const double mu = 0.5, g = 9.81;
    random_source random = {.state = 3};
    for (int r = 4; r <= 8; r += 4) {
        for (int k = 0; k < 8; ++k) {
            const double heading = k == 0   ? 0.0
                                   : k == 1 ? PI / r
                                            : random_between(&random, 0.0, 2.0 * PI);
            const double off = fabs(remainder(heading, 2.0 * PI / r));
            const double edge = cos(PI / r) / cos(PI / r - off);
            for (int side = -1; side <= 1; side += 2) {
                const double slope = mu * edge * (1.0 + 1e-3 * side), down = g / hypot(1.0, slope);
                const dp_v3 gravity = {slope * down * cos(heading), slope * down * sin(heading),
                                       -down};
                mechanism x = contact_scene_begin((contact_stuff){.mu = mu}, gravity, 0.01);
                contact_scene_add(&x, "box", DP_BOX, 0.1, 1.0, 0.1, (contact_stuff){.mu = mu});
                mechanism_compile(&x);
                use_lcp(&x, r);
                mechanism_steps(&x, 20);
                const double *v = dp_data_v(x.d);
                const double speed = hypot(v[0], v[1]);
                if (side < 0) {
                    assert_true(speed <= 1e-15);
                    assert_near(hypot(dp_data_q(x.d)[0], dp_data_q(x.d)[1]), 0.0, 1e-15);
                } else { // by the thousandth that friction lacks, or what of it points down the
                         // edge
                    assert_true(speed >= 0.9e-3 * slope * down * 0.2 * cos(PI / r));
                }
                assert_solved(&x);
                mechanism_end(&x);
            }
        }
    }
}

static void a_stack_of_boxes_stands_still_to_round_off(void **state)
{
    (void)state;
    enum { BOXES = 4 };
    mechanism x = contact_scene_begin((contact_stuff){.mu = 0.5}, DOWN, 0.01);
    for (int i = 0; i < BOXES; ++i) {
        char name[8] = {'b', (char)('0' + i), 0};
        contact_scene_add(&x, name, DP_BOX, 0.1, 1.0, 0.1 + 0.2 * i, (contact_stuff){.mu = 0.5});
    }
    mechanism_compile(&x);
    use_lcp(&x, 8);
    assert_true(standing_scene_drift(&x, 0.3) <= 1e-14); // 30 steps
    assert_solved(&x);
    assert_near(contact_scene_load(x.d), GRAVITY * (1 + 2 + 3 + 4), 1e-9);
    mechanism_end(&x);
}

// ---- a ball that rolls

static void a_thrown_ball_rolls_on_with_five_sevenths_of_its_speed(void **state)
{
    (void)state;
    mechanism x = standing_scene("contact/slip_to_roll.xml", "thrown");
    use_lcp(&x, 8); // it is thrown along a corner
    mechanism_steps(&x, 400);
    assert_near(dp_data_v(x.d)[0], 2.0 * 5.0 / 7.0, 1e-12);
    assert_near(dp_data_v(x.d)[4], 2.0 * 5.0 / 7.0 / 0.1, 1e-11);
    assert_near(dp_data_certificate(x.d)->penetration, 0.0, 1e-15);
    assert_solved(&x);
    mechanism_end(&x);
}

static void parcels_are_carried_at_the_speed_of_the_belt(void **state)
{
    (void)state;
    mechanism x = standing_scene("contact/conveyor.xml", NULL);
    use_lcp(&x, 8);
    mechanism_steps(&x, 40);
    for (int i = 0; i < 3; ++i) {
        assert_near(dp_data_v(x.d)[6 * i], 0.5, 1e-14);
        assert_near(dp_data_v(x.d)[6 * i + 2], 0.0, 1e-14);
    }
    assert_solved(&x);
    mechanism_end(&x);
}

// ---- what is thrown back

// Heights after each bounce are e² of the one before, but for what the step loses in flight,
// ½ (g h)² for each kilogram and step.
static void a_ball_bounces_to_e_squared_of_its_height(void **state)
{
    (void)state;
    const double e = 0.8, h = 1e-4, height = 0.5;
    mechanism x = slider(0.5, h, e, height);
    double top = 0.0, before = 0.0, fallen = height;
    int bounces = 0, impacts = 0;
    double energy = mechanism_energy(&x);
    while (bounces < 4) {
        mechanism_steps(&x, 1);
        const double v = dp_data_v(x.d)[2], now = mechanism_energy(&x);
        assert_true(now <= energy * (1.0 + 1e-15));
        energy = now;
        impacts += dp_data_step_info(x.d)->impacts;
        if (before > 0.0 && v <= 0.0) {
            top = dp_data_q(x.d)[2] + height;
            const double t = 2.0 * sqrt(2.0 * fallen / GRAVITY); // down and up, at most
            assert_near(top, e * e * fallen, 0.5 * GRAVITY * h * t);
            fallen = top;
            ++bounces;
            assert_int_equal(impacts, bounces);
        }
        before = v;
    }
    mechanism_end(&x);
}

static void the_ledger_has_what_impacts_lose(void **state)
{
    (void)state;
    const double e = 0.6, h = 1e-3, height = 0.3, m = 2.0;
    mechanism x = slider(0.5, h, e, height);
    dp_data_options(x.d)->ledger = true;
    const double start = mechanism_energy(&x);
    mechanism_steps(&x, 350); // one bounce
    const dp_ledger *ledger = dp_data_ledger(x.d);
    assert_near(ledger->impacts, (1.0 - e * e) * m * GRAVITY * height, 0.02);
    assert_near(mechanism_energy(&x) - start, ledger->remainder - ledger->impacts, 1e-12);
    assert_true(ledger->remainder <= 0.0); // of the flight
    assert_near(ledger->remainder, -350 * 0.5 * m * GRAVITY * GRAVITY * h * h, 0.02);
    mechanism_end(&x);
}

static void a_ball_that_bounces_low_comes_to_rest(void **state)
{
    (void)state;
    mechanism x = slider(0.5, 1e-3, 0.5, 0.01);
    mechanism_steps(&x, 400);
    assert_near(dp_data_v(x.d)[2], 0.0, 1e-15);
    assert_near(dp_data_q(x.d)[2], -0.01, 1e-15);
    assert_int_equal(dp_data_step_info(x.d)->impacts, 0);
    mechanism_end(&x);
}

// Equal balls on a line with gaps that take several steps: each gives (1 + e)/2 of its speed on.
static void a_row_of_balls_hands_the_speed_on(void **state)
{
    (void)state;
    enum { BALLS = 5 };
    for (int k = 0; k < 2; ++k) {
        const double e = k == 0 ? 1.0 : 0.9, h = 1e-3, V = 1.0, gap = 3.3e-3;
        mechanism x = mechanism_begin();
        dp_spec_options(x.spec)->gravity = (dp_v3){0.0, 0.0, 0.0};
        dp_spec_options(x.spec)->step = h;
        for (int i = 0; i < BALLS; ++i) {
            char name[8] = {'b', (char)('0' + i), 0};
            const dp_body_id body =
                mechanism_body(&x, DP_WORLD, name, (dp_v3){(0.1 + gap) * i, 0.0, 0.0}, 0.5,
                               (dp_v3){0.0, 0.0, 0.0}, (dp_v3){0.01, 0.01, 0.01});
            mechanism_joint(&x, body, name, DP_SLIDE, (dp_v3){1.0, 0.0, 0.0});
            dp_geom_spec geom = dp_geom_spec_default();
            geom.kind = DP_SPHERE;
            geom.size[0] = 0.05;
            geom.contact.material_given = true;
            geom.contact.material.restitution = e;
            assert_ok(dp_spec_add_geom(NULL, x.spec, body, &geom));
        }
        mechanism_compile(&x);
        use_lcp(&x, 8);
        mechanism_set(&x, dp_data_q(x.d), (double[BALLS]){V, 0.0, 0.0, 0.0, 0.0});
        mechanism_steps(&x, k == 0 ? 60 : 22);
        double speed = V, momentum = 0.0;
        for (int i = 0; i < BALLS; ++i) {
            momentum += dp_data_v(x.d)[i];
            speed *= i + 1 < BALLS ? 0.5 * (1.0 + e) : 1.0;
        }
        assert_near(momentum, V, 1e-14);
        if (k == 0) {
            for (int i = 0; i + 1 < BALLS; ++i) {
                assert_near(dp_data_v(x.d)[i], 0.0, 1e-14);
            }
        }
        assert_near(dp_data_v(x.d)[BALLS - 1], speed, 1e-14);
        mechanism_end(&x);
    }
}

// Half a swing after one impact has followed the other, they hang as they did, mirrored.
static void a_cradle_throws_as_many_balls_as_high_as_were_lifted(void **state)
{
    (void)state;
    enum { BALLS = 5 };
    static const char *const keys[] = {"lifted", "two lifted"};
    for (int lifted = 1; lifted <= 2; ++lifted) {
        mechanism x = standing_scene("contact/cradle.xml", keys[lifted - 1]);
        const double h = 1e-4, gap = 3e-4 / 0.5; // [rad]
        dp_data_options(x.d)->step = h;
        use_lcp(&x, 8);
        double highest[BALLS] = {0.0};
        for (int i = 0; i < 7500; ++i) {
            mechanism_steps(&x, 1);
            for (int k = 0; k < BALLS; ++k) {
                highest[k] = fmax(highest[k], -dp_data_q(x.d)[k]);
            }
        }
        for (int k = 0; k < BALLS; ++k) {
            if (k >= BALLS - lifted) {
                assert_near(highest[k], 0.3, h); // of first order
            } else {
                assert_true(highest[k] <= 1.2 * lifted * gap); // a gap for each that went by
            }
        }
        mechanism_end(&x);
    }
}

// ---- Painlevé

// A rod of 1 kg and 2 m on its lower end, in a plane, tan of its slope 2: pushing at the end draws
// it in where μ > (1 + 3 cos²)/(3 sin cos) = 4/3.
static mechanism rod(double mu, double slip)
{
    const double slope = atan(2.0), half = 1.0;
    mechanism x = contact_scene_begin((contact_stuff){.mu = mu}, DOWN, 1e-3);
    const dp_v3 centre = {-half * cos(slope), 0.0, half * sin(slope) + 0.01};
    const dp_body_id body = mechanism_body(&x, DP_WORLD, "rod", centre, 1.0, (dp_v3){0.0, 0.0, 0.0},
                                           (dp_v3){1.0 / 3, 1.0 / 3, 1e-3});
    mechanism_joint(&x, body, "x", DP_SLIDE, (dp_v3){1.0, 0.0, 0.0});
    mechanism_joint(&x, body, "z", DP_SLIDE, (dp_v3){0.0, 0.0, 1.0});
    mechanism_joint(&x, body, "turn", DP_HINGE, (dp_v3){0.0, 1.0, 0.0});
    dp_geom_spec tip = dp_geom_spec_default();
    tip.kind = DP_SPHERE;
    tip.size[0] = 0.01;
    tip.friction[0] = mu;
    tip.pose.p = (dp_v3){half * cos(slope), 0.0, -half * sin(slope)};
    assert_ok(dp_spec_add_geom(NULL, x.spec, body, &tip));
    mechanism_compile(&x);
    use_lcp(&x, 8);
    mechanism_set(&x, dp_data_q(x.d), (double[]){slip, 0.0, 0.0});
    return x;
}

static void painleves_rod_is_stopped_by_an_impulse_and_named(void **state)
{
    (void)state;
    mechanism x = rod(1.8, 3.0);
    const double before = mechanism_energy(&x);
    mechanism_steps(&x, 1);
    const dp_certificate *c = dp_data_certificate(x.d);
    assert_int_equal(c->painleve, 1);
    assert_solved(&x);
    assert_near(c->normal_law, 0.0, 1e-12);
    assert_near(c->creep, 0.0, 1e-13); // the tip has stopped at once, whatever the step
    assert_true(contact_scene_load(x.d) > 100.0);
    assert_true(mechanism_energy(&x) < before);
    mechanism_end(&x);

    x = rod(1.2, 3.0); // less friction: a force will do
    mechanism_steps(&x, 1);
    assert_int_equal(dp_data_certificate(x.d)->painleve, 0);
    assert_true(contact_scene_load(x.d) < 100.0);
    mechanism_end(&x);
    x = rod(1.8, -3.0); // drawn, not pushed
    mechanism_steps(&x, 1);
    assert_int_equal(dp_data_certificate(x.d)->painleve, 0);
    mechanism_end(&x);
}

// ---- gaps

// A pendulum of two free bodies with loops: gaps are met either way.
static void projection_keeps_gaps_and_leaves_no_speed_behind(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        mechanism x = slider(0.5, 0.01, -1.0, 0.013); // falls for five steps
        dp_data_options(x.d)->law.stabilisation =
            k == 0 ? DP_STABILISE_GAP : DP_STABILISE_PROJECTION;
        double slowest = 0.0;
        for (int i = 0; i < 12; ++i) {
            mechanism_steps(&x, 1);
            assert_true(dp_data_q(x.d)[2] + 0.013 >= -1e-16);
            if (fabs(dp_data_q(x.d)[2] + 0.013) < 1e-12) { // it has arrived
                slowest = fmin(slowest, dp_data_v(x.d)[2]);
            }
        }
        // With φ/h the speed that closed the gap is that at the end of the step.
        assert_true(k == 0 ? slowest < -0.1 : slowest >= -1e-15);
        assert_near(dp_data_v(x.d)[2], 0.0, 1e-15);
        mechanism_end(&x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sliding_body_ends_where_the_polygon_leads_it),
        cmocka_unit_test(the_certificate_of_a_run_tells_the_bias),
        cmocka_unit_test(a_box_on_a_ramp_sticks_to_the_edge_of_the_polygon),
        cmocka_unit_test(a_stack_of_boxes_stands_still_to_round_off),
        cmocka_unit_test(a_thrown_ball_rolls_on_with_five_sevenths_of_its_speed),
        cmocka_unit_test(parcels_are_carried_at_the_speed_of_the_belt),
        cmocka_unit_test(a_ball_bounces_to_e_squared_of_its_height),
        cmocka_unit_test(the_ledger_has_what_impacts_lose),
        cmocka_unit_test(a_ball_that_bounces_low_comes_to_rest),
        cmocka_unit_test(a_row_of_balls_hands_the_speed_on),
        cmocka_unit_test(a_cradle_throws_as_many_balls_as_high_as_were_lifted),
        cmocka_unit_test(painleves_rod_is_stopped_by_an_impulse_and_named),
        cmocka_unit_test(projection_keeps_gaps_and_leaves_no_speed_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
