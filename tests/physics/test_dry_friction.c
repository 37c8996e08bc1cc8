// Dry friction of joints and tendons: it holds all that it can, and brakes by its bound.
#include "mechanism.h"

#include <float.h>
#include <math.h>

static const double MASS = 1.5, LOSS = 4.0; // [kg], [N]

typedef enum friction_of { OF_SLIDE, OF_HINGE, OF_TENDON } friction_of;

static mechanism rubbing(friction_of kind, double h)
{
    mechanism x = mechanism_begin();
    dp_spec_options(x.spec)->gravity = (dp_v3){0.0, 0.0, 0.0};
    dp_spec_options(x.spec)->step = h;
    dp_spec_options(x.spec)->ledger = true;
    const dp_body_id body =
        mechanism_body(&x, DP_WORLD, "body", (dp_v3){0.0, 0.0, 0.0}, MASS, (dp_v3){0.0, 0.0, 0.0},
                       (dp_v3){MASS, MASS, MASS}); // a hinge meets the same inertia as a slide
    dp_joint_spec *joint = mechanism_joint(
        &x, body, "j", kind == OF_HINGE ? DP_JOINT_HINGE : DP_JOINT_SLIDE, (dp_v3){0.0, 0.0, 1.0});
    if (kind == OF_TENDON) {
        const dp_wrap_spec wrap = {.kind = DP_WRAP_JOINT, .object = "j", .coefficient = 2.0};
        dp_tendon_spec tendon = dp_tendon_spec_default();
        tendon.wrap = &wrap;
        tendon.nwrap = 1;
        tendon.friction_loss = 0.5 * LOSS; // along twice the way
        assert_ok(dp_spec_add_tendon(NULL, x.spec, &tendon));
    } else {
        joint->friction_loss = LOSS;
    }
    mechanism_compile(&x);
    return x;
}

static void below_its_bound_friction_holds_to_round_off(void **state)
{
    (void)state;
    for (int number = OF_SLIDE; number <= OF_TENDON; ++number) {
        const friction_of kind = (friction_of)number;
        mechanism x = rubbing((friction_of)kind, 0.01);
        const double loads[] = {0.0, 0.5 * LOSS, -0.999999 * LOSS, LOSS * (1.0 - 1e-12)};
        for (int i = 0; i < 4; ++i) {
            dp_data_force(x.d)[0] = loads[i];
            mechanism_steps(&x, 1000);
            assert_near(dp_data_v(x.d)[0], 0.0, DBL_EPSILON * 0.01 * LOSS / MASS);
            const double scale = kind == OF_TENDON ? 2.0 : 1.0;
            assert_near(scale * dp_data_row(x.d, 0).force, -loads[i], 4.0 * DBL_EPSILON * LOSS);
        }
        assert_near(dp_data_q(x.d)[0], 0.0, 1e-14); // forty seconds later
        mechanism_end(&x);
    }
}

static void above_its_bound_it_slides_with_the_rest(void **state)
{
    (void)state;
    for (int number = OF_SLIDE; number <= OF_TENDON; ++number) {
        const friction_of kind = (friction_of)number;
        mechanism x = rubbing((friction_of)kind, 0.01);
        dp_data_force(x.d)[0] = 1.25 * LOSS;
        for (int n = 1; n <= 100; ++n) {
            mechanism_steps(&x, 1);
            const double a = 0.25 * LOSS / MASS;
            assert_near(dp_data_v(x.d)[0], 0.01 * n * a, 1e-13);
            assert_near(dp_data_q(x.d)[0], 0.5e-4 * n * (n + 1) * a, 1e-13);
        }
        // Work lost: the bound times the way.
        assert_near(dp_data_ledger(x.d)->friction, LOSS * dp_data_q(x.d)[0], 1e-12);
        mechanism_end(&x);
    }
}

// Braked by a = μ/m each step, v₀ − n a h until it would turn back: then it stands, at exactly
// Σ h (v₀ − n a h).
static void it_stops_in_exactly_the_discrete_distance(void **state)
{
    (void)state;
    const double steps[] = {1e-3, 0.007, 0.05, 0.2};
    for (int i = 0; i < 3 * 4; ++i) {
        const friction_of kind = (friction_of)(i % 3);
        const double h = steps[i / 3], a = LOSS / MASS;
        mechanism x = rubbing(kind, h);
        dp_data_v(x.d)[0] = 1.7;
        double v = 1.7, q = 0.0;
        int steps_to_rest = 0;
        while (v > 0.0) {
            v = v > a * h ? v - a * h : 0.0;
            q += h * v;
            ++steps_to_rest;
            mechanism_steps(&x, 1);
            assert_near(dp_data_v(x.d)[0], v, 1e-14 * steps_to_rest);
        }
        assert_near(dp_data_q(x.d)[0], q, 1e-13);
        // Within a step of v₀²/2a, as the sum of its terms is.
        assert_near(q, 0.5 * 1.7 * 1.7 / a, 1.7 * h);
        const double rest = dp_data_q(x.d)[0];
        mechanism_steps(&x, 100);
        assert_near(dp_data_q(x.d)[0], rest, 1e-15);
        assert_near(dp_data_v(x.d)[0], 0.0, 1e-16);
        mechanism_end(&x);
    }
}

// Each coordinate of a ball joint has the full loss.
static void a_ball_joint_rubs_in_every_coordinate(void **state)
{
    (void)state;
    mechanism x = mechanism_begin();
    dp_spec_options(x.spec)->gravity = (dp_v3){0.0, 0.0, 0.0};
    const dp_body_id body = mechanism_body(&x, DP_WORLD, "body", (dp_v3){0.0, 0.0, 0.0}, 1.0,
                                           (dp_v3){0.0, 0.0, 0.0}, (dp_v3){0.2, 0.2, 0.2});
    mechanism_joint(&x, body, "j", DP_JOINT_BALL, (dp_v3){0.0, 0.0, 1.0})->friction_loss = 0.1;
    mechanism_compile(&x);
    const double torque[3] = {0.09, -0.09, 0.05};
    for (int k = 0; k < 3; ++k) {
        dp_data_force(x.d)[k] = torque[k];
    }
    mechanism_steps(&x, 1000);
    for (int k = 0; k < 3; ++k) {
        assert_near(dp_data_v(x.d)[k], 0.0, 1e-17);
        assert_near(dp_data_row(x.d, k).force, -torque[k], 1e-16);
    }
    dp_data_force(x.d)[1] = -0.3;
    mechanism_steps(&x, 1);
    assert_near(dp_data_v(x.d)[1], -0.2 * 0.002 / 0.2, 1e-15);
    assert_near(dp_data_v(x.d)[0], 0.0, 1e-16);
    mechanism_end(&x);
}

// At the lower end of its range, pressed against it.
static mechanism resting(double h)
{
    mechanism x = mechanism_begin();
    dp_spec_options(x.spec)->gravity = (dp_v3){0.0, 0.0, 0.0};
    dp_spec_options(x.spec)->step = h;
    const dp_body_id body = mechanism_body(&x, DP_WORLD, "body", (dp_v3){0.0, 0.0, 0.0}, MASS,
                                           (dp_v3){0.0, 0.0, 0.0}, (dp_v3){MASS, MASS, MASS});
    dp_joint_spec *joint = mechanism_joint(&x, body, "j", DP_JOINT_SLIDE, (dp_v3){0.0, 0.0, 1.0});
    joint->friction_loss = LOSS;
    joint->limited = true;
    joint->range[1] = 1.0;
    mechanism_compile(&x);
    dp_data_force(x.d)[0] = -10.0 * LOSS;
    mechanism_steps(&x, 3);
    return x;
}

static void what_rests_at_its_end_is_held_by_the_end_alone(void **state)
{
    (void)state;
    mechanism x = resting(0.01);
    assert_int_equal(dp_data_find_row(x.d, DP_ROW_SOURCE_JOINT_FRICTION, 0, 0), -1);
    const int end = dp_data_find_row(x.d, DP_ROW_SOURCE_JOINT_LIMIT, 0, 0);
    assert_near(dp_data_row(x.d, end).force, 10.0 * LOSS, 10.0 * LOSS * DBL_EPSILON);
    assert_near(dp_data_v(x.d)[0], 0.0, DBL_EPSILON);
    mechanism_end(&x);
}

static void what_is_pulled_from_its_end_sticks_until_friction_gives_way(void **state)
{
    (void)state;
    const double h = 0.01;
    mechanism x = resting(h);
    const double pulls[] = {0.5 * LOSS, 0.999 * LOSS, -0.5 * LOSS, 0.9 * LOSS};
    for (int i = 0; i < 4; ++i) {
        dp_data_force(x.d)[0] = pulls[i];
        mechanism_steps(&x, 100);
        assert_near(dp_data_v(x.d)[0], 0.0, DBL_EPSILON * h * LOSS / MASS);
    }
    assert_near(dp_data_q(x.d)[0], 0.0, 1e-14);
    dp_data_force(x.d)[0] = -10.0 * LOSS; // back at rest, then away in one step
    mechanism_steps(&x, 3);
    dp_data_force(x.d)[0] = 1.25 * LOSS;
    for (int n = 1; n <= 50; ++n) {
        mechanism_steps(&x, 1);
        assert_near(dp_data_v(x.d)[0], h * n * 0.25 * LOSS / MASS, 1e-13);
    }
    mechanism_end(&x);
}

// The end is nearer than the way on which friction brakes, or further.
static void what_slides_into_its_end_stops_where_it_must(void **state)
{
    (void)state;
    const double h = 1e-3, v0 = -0.5, brakes = v0 * v0 * MASS / (2.0 * LOSS); // [m]
    for (int further = 0; further < 2; ++further) {
        mechanism x = resting(h);
        dp_data_force(x.d)[0] = 0.0;
        dp_data_q(x.d)[0] = further ? 1.5 * brakes : 0.5 * brakes;
        dp_data_v(x.d)[0] = v0;
        mechanism_steps(&x, 400);
        // A first-order step brakes within h v₀ of the way.
        assert_near(dp_data_q(x.d)[0], further ? 0.5 * brakes : 0.0, further ? -h * v0 : 1e-14);
        assert_near(dp_data_v(x.d)[0], 0.0, 1e-14);
        mechanism_end(&x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(below_its_bound_friction_holds_to_round_off),
        cmocka_unit_test(above_its_bound_it_slides_with_the_rest),
        cmocka_unit_test(it_stops_in_exactly_the_discrete_distance),
        cmocka_unit_test(a_ball_joint_rubs_in_every_coordinate),
        cmocka_unit_test(what_rests_at_its_end_is_held_by_the_end_alone),
        cmocka_unit_test(what_is_pulled_from_its_end_sticks_until_friction_gives_way),
        cmocka_unit_test(what_slides_into_its_end_stops_where_it_must),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
