// Bodies in a fluid, against closed forms: terminal speeds, Stokes' drag, added masses of potential
// flow, and what large steps do.
#include "mechanism.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846, G = 9.81;

// A body of 2 kg that floats in a fluid, with an ellipsoid that a fluid acts on.
static mechanism ellipsoid_in(double density, double viscosity, const double r[3],
                              const double coefficient[5])
{
    mechanism x = mechanism_begin();
    dp_options *o = dp_spec_options(x.spec);
    o->fluid_density = density;
    o->fluid_viscosity = viscosity;
    const dp_body_id body = mechanism_body(&x, DP_WORLD, "body", (dp_v3){0.0, 0.0, 0.0}, 2.0,
                                           (dp_v3){0.0, 0.0, 0.0}, (dp_v3){0.5, 0.5, 0.5});
    mechanism_joint(&x, body, "j", DP_JOINT_FREE, (dp_v3){0.0, 0.0, 1.0});
    dp_geom_spec geom = dp_geom_spec_default();
    geom.kind = DP_GEOM_ELLIPSOID;
    geom.contype = geom.conaffinity = 0;
    geom.fluid_ellipsoid = true;
    for (int k = 0; k < 3; ++k) {
        geom.size[k] = r[k];
    }
    for (int k = 0; k < 5; ++k) {
        geom.fluid_coefficient[k] = coefficient[k];
    }
    assert_ok(dp_spec_add_geom(NULL, x.spec, body, &geom));
    mechanism_compile(&x);
    return x;
}

static const double BALL[3] = {0.1, 0.1, 0.1}, BARE[5] = {0.0};

static void a_ball_sinks_at_the_speed_at_which_drag_is_its_weight(void **state)
{
    (void)state;
    const double coefficient[5] = {0.5, 0.25, 1.5, 1.0, 1.0};
    const double speed = sqrt(2.0 * G / (0.5 * 1000.0 * PI * 0.01)); // of C₀ ρ π r² v²
    const double steps[] = {0.01, 0.1, 2.0};
    for (int i = 0; i < 3; ++i) {
        mechanism x = ellipsoid_in(1000.0, 0.0, BALL, coefficient);
        dp_data_options(x.d)->step = steps[i];
        mechanism_steps(&x, 2000);
        assert_near(dp_data_v(x.d)[2], -speed, 1e-9);
        mechanism_end(&x);
    }
}

static void a_box_of_equal_inertia_sinks_by_the_area_that_it_shows(void **state)
{
    (void)state;
    mechanism x = mechanism_begin();
    dp_options *o = dp_spec_options(x.spec);
    o->fluid_density = 1000.0;
    const double a = 0.1, b = 0.2, c = 0.3, third = 2.0 / 3.0; // half sides; m/3 (b² + c²)
    const dp_v3 moments = {third * (b * b + c * c), third * (a * a + c * c),
                           third * (a * a + b * b)};
    const dp_body_id body = mechanism_body(&x, DP_WORLD, "body", (dp_v3){0.0, 0.0, 0.0}, 2.0,
                                           (dp_v3){0.0, 0.0, 0.0}, moments);
    mechanism_joint(&x, body, "j", DP_JOINT_FREE, (dp_v3){0.0, 0.0, 1.0});
    mechanism_compile(&x);
    mechanism_steps(&x, 5000);
    assert_near(dp_data_v(x.d)[2], -sqrt(2.0 * G / (2.0 * 1000.0 * a * b)), 1e-9);
    mechanism_end(&x);
}

static void stokes_drag_stops_a_ball_as_an_implicit_damper_does(void **state)
{
    (void)state;
    const double rate = 6.0 * PI * 3.0 * 0.1 / 2.0; // 6π β r/m [1/s]
    const double steps[] = {1e-3, 0.1, 1e3};
    for (int i = 0; i < 3; ++i) {
        mechanism x = ellipsoid_in(0.0, 3.0, BALL, BARE);
        dp_options *o = dp_data_options(x.d);
        o->step = steps[i];
        o->gravity = (dp_v3){0.0, 0.0, 0.0};
        dp_data_v(x.d)[0] = 1.0;
        mechanism_steps(&x, 3);
        assert_near(dp_data_v(x.d)[0], pow(1.0 + steps[i] * rate, -3.0), 1e-14);
        mechanism_end(&x);
    }
}

static void wind_carries_a_ball_along_and_its_work_is_entered(void **state)
{
    (void)state;
    mechanism x = ellipsoid_in(0.0, 3.0, BALL, BARE);
    dp_options *o = dp_data_options(x.d);
    o->gravity = (dp_v3){0.0, 0.0, 0.0};
    o->wind = (dp_v3){4.0, 0.0, 0.0};
    o->ledger = true;
    o->step = 1e-4;
    mechanism_steps(&x, 60000);
    assert_near(dp_data_v(x.d)[0], 4.0, 1e-6);
    // The wind gives m w², half of which is lost.
    const dp_ledger *l = dp_data_ledger(x.d);
    assert_near(l->moved, 2.0 * 16.0, 1e-5);
    assert_near(l->damped, 16.0, 0.02); // (1 + O(h))
    assert_near(mechanism_energy(&x), l->moved - l->damped + l->remainder, 1e-9);
    assert_true(l->applied == 0.0 || fabs(l->applied) < 1e-12);
    mechanism_end(&x);
}

// The acceleration at velocities v (free joint, axes of the world).
static dp_v3 torque_at(mechanism *x, const double v[6], dp_v3 *force)
{
    for (int k = 0; k < 6; ++k) {
        dp_data_v(x->d)[k] = v[k];
    }
    dp_data_options(x->d)->gravity = (dp_v3){0.0, 0.0, 0.0};
    assert_ok(dp_forward(x->d));
    const double *a = dp_data_acceleration(x->d);
    *force = (dp_v3){2.0 * a[0], 2.0 * a[1], 2.0 * a[2]};
    return (dp_v3){0.5 * a[3], 0.5 * a[4], 0.5 * a[5]};
}

static void added_masses_are_those_of_potential_flow(void **state)
{
    (void)state;
    const double rho = 7.0;
    dp_v3 f;
    // A ball carries half of what it displaces: (m∘v) × ω.
    mechanism x = ellipsoid_in(rho, 0.0, BALL, BARE);
    torque_at(&x, (double[6]){1.0, 0.0, 0.0, 0.0, 0.0, 3.0}, &f);
    assert_near(f.y, -0.5 * rho * 4.0 / 3.0 * PI * 1e-3 * 3.0, 1e-14);
    mechanism_end(&x);
    // A thin disc carries 8/3 ρ r³ broadside and nothing edgewise, a needle its own volume across
    // and nothing along: Munk's moment (m∘v) × v [Lamb1932, § 114].
    const double disc[3] = {0.2, 0.2, 1e-7}, needle[3] = {1e-4, 1e-4, 1.0};
    x = ellipsoid_in(rho, 0.0, disc, BARE);
    dp_v3 t = torque_at(&x, (double[6]){1.0, 0.0, 2.0, 0.0, 0.0, 0.0}, &f);
    assert_near(t.y, rho * 8.0 / 3.0 * 0.008 * 2.0, 1e-6);
    mechanism_end(&x);
    x = ellipsoid_in(rho, 0.0, needle, BARE);
    t = torque_at(&x, (double[6]){1.0, 0.0, 2.0, 0.0, 0.0, 0.0}, &f);
    assert_near(t.y / (rho * 4.0 / 3.0 * PI * 1e-8 * 2.0), -1.0, 1e-6);
    mechanism_end(&x);
}

static void magnus_lift_is_across_spin_and_velocity(void **state)
{
    (void)state;
    const double coefficient[5] = {0.0, 0.0, 0.0, 0.0, 2.0}, volume = 4.0 / 3.0 * PI * 1e-3;
    mechanism x = ellipsoid_in(7.0, 0.0, BALL, coefficient);
    dp_v3 f;
    torque_at(&x, (double[6]){1.0, 0.0, 0.0, 0.0, 0.0, 3.0}, &f);
    assert_near(f.y, (2.0 - 0.5) * 7.0 * volume * 3.0, 1e-14); // less what the added mass does
    mechanism_end(&x);
}

static void kutta_lift_of_a_wing_is_across_its_way(void **state)
{
    (void)state;
    const double wing[3] = {0.3, 0.2, 0.01}, coefficient[5] = {0.0, 0.0, 0.0, 1.5, 0.0};
    mechanism x = ellipsoid_in(1.2, 0.0, wing, coefficient);
    dp_v3 f;
    const double v[6] = {6.0, 0.0, -0.5, 0.0, 0.0, 0.0};
    torque_at(&x, v, &f);
    assert_true(f.z > 0.0); // it glides
    assert_near(f.x * v[0] + f.z * v[2], 0.0, 1e-12);
    mechanism_end(&x);
}

// A chain of boxes on hinges about different axes, turning wildly in thick oil.
static void drag_never_adds_energy_to_a_chain_at_any_step(void **state)
{
    (void)state;
    const double steps[] = {1e-3, 1e-2, 0.1, 1.0, 30.0};
    for (int i = 0; i < 5; ++i) {
        mechanism x = mechanism_begin();
        dp_options *o = dp_spec_options(x.spec);
        *o = dp_options_default();
        o->gravity = (dp_v3){0.0, 0.0, 0.0};
        o->fluid_density = 900.0;
        o->fluid_viscosity = 50.0;
        o->step = steps[i];
        dp_body_id parent = DP_WORLD;
        const dp_v3 axes[3] = {{0.0, 1.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 0.6, 0.8}};
        for (int k = 0; k < 6; ++k) {
            parent = mechanism_body(&x, parent, NULL, (dp_v3){0.3, 0.0, 0.0}, 0.5,
                                    (dp_v3){0.15, 0.0, 0.0}, (dp_v3){1e-4, 4e-3, 4e-3});
            mechanism_joint(&x, parent, NULL, DP_JOINT_HINGE, axes[k % 3]);
        }
        mechanism_compile(&x);
        for (int k = 0; k < 6; ++k) {
            dp_data_v(x.d)[k] = k % 2 == 0 ? 8.0 : -11.0;
        }
        assert_ok(dp_forward(x.d));
        double energy = dp_data_energy(x.d).kinetic;
        for (int n = 0; n < 50; ++n) {
            mechanism_steps(&x, 1);
            assert_ok(dp_forward(x.d));
            const double now = dp_data_energy(x.d).kinetic;
            assert_true(now <= energy * (1.0 + 1e-12));
            energy = now;
        }
        mechanism_end(&x);
    }
}

static void a_model_without_a_fluid_refuses_one_later(void **state)
{
    (void)state;
    mechanism x = ellipsoid_in(0.0, 0.0, BALL, BARE);
    dp_data_options(x.d)->fluid_density = 1.2;
    assert_int_equal(dp_step(x.d), DP_ERROR_ARGUMENT);
    assert_non_null(strstr(dp_last_error(), "compiled without one"));
    mechanism_end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_sinks_at_the_speed_at_which_drag_is_its_weight),
        cmocka_unit_test(a_box_of_equal_inertia_sinks_by_the_area_that_it_shows),
        cmocka_unit_test(stokes_drag_stops_a_ball_as_an_implicit_damper_does),
        cmocka_unit_test(wind_carries_a_ball_along_and_its_work_is_entered),
        cmocka_unit_test(added_masses_are_those_of_potential_flow),
        cmocka_unit_test(magnus_lift_is_across_spin_and_velocity),
        cmocka_unit_test(kutta_lift_of_a_wing_is_across_its_way),
        cmocka_unit_test(drag_never_adds_energy_to_a_chain_at_any_step),
        cmocka_unit_test(a_model_without_a_fluid_refuses_one_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
