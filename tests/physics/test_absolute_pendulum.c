// The pendulum of [Drumwright, §4.4] in absolute coordinates: a free body on a pin, at steps where
// an extrapolated constraint blows up within seconds.
#include "mechanism.h"

#include <math.h>

static const double LENGTH = 1.0, MASS = 1.0;

// Released at the height of its pivot. The centre of mass is the body's origin.
static mechanism on_a_pin(double inertia, double stiffness, double h)
{
    mechanism x = mechanism_begin();
    dp_spec_options(x.spec)->step = h;
    const dp_body_id bob =
        mechanism_body(&x, DP_WORLD, "bob", (dp_v3){LENGTH, 0.0, 0.0}, MASS, (dp_v3){0.0, 0.0, 0.0},
                       (dp_v3){inertia, inertia, inertia});
    (void)mechanism_joint(&x, bob, "free", DP_JOINT_FREE, (dp_v3){0.0, 0.0, 1.0});
    dp_equality_spec e = dp_equality_spec_default();
    e.kind = DP_EQUALITY_CONNECT;
    e.object[0] = "bob";
    e.anchor = (dp_v3){-LENGTH, 0.0, 0.0};
    e.bearing.stiffness = stiffness;
    assert_ok(dp_spec_add_equality(NULL, x.spec, &e));
    mechanism_compile(&x);
    return x;
}

static mechanism on_a_hinge(double inertia, double h)
{
    mechanism x = mechanism_begin();
    dp_spec_options(x.spec)->step = h;
    const dp_body_id bob =
        mechanism_body(&x, DP_WORLD, "bob", (dp_v3){0.0, 0.0, 0.0}, MASS, (dp_v3){LENGTH, 0.0, 0.0},
                       (dp_v3){inertia, inertia, inertia});
    (void)mechanism_joint(&x, bob, "hinge", DP_JOINT_HINGE, (dp_v3){0.0, 1.0, 0.0});
    mechanism_compile(&x);
    return x;
}

// How far the bob's end is from the pivot, from its pose.
static double gap(const mechanism *x)
{
    const dp_pose pose = dp_body_pose(x->d, (dp_body_id){1});
    const double w = pose.q.w, px = pose.q.x, y = pose.q.y, z = pose.q.z;
    const double end[3] = {
        pose.p.x - LENGTH * (w * w + px * px - y * y - z * z),
        pose.p.y - LENGTH * 2.0 * (px * y + w * z),
        pose.p.z - LENGTH * 2.0 * (px * z - w * y),
    };
    return sqrt(end[0] * end[0] + end[1] * end[1] + end[2] * end[2]);
}

// A semi-implicit step keeps the energy less ½ h times the power of gravity, to first order: it
// swings by ½ h P about its start. Here the fastest fall has P = m g ω L cos θ at sin² θ = 1/3, and
// the higher orders add a third of that at ω h = 0.8.
static double bound_of_energy(double inertia, double h)
{
    const double weight = MASS * 9.81, J = inertia + MASS * LENGTH * LENGTH;
    const double rate = sqrt(2.0 * weight * LENGTH / J);
    const double power = weight * LENGTH * rate * sqrt(sqrt(1.0 / 3.0)) * sqrt(2.0 / 3.0);
    return 1.5 * 0.5 * h * power;
}

static void the_pendulum_is_bounded_for_1000_s_at_large_steps(void **state)
{
    (void)state;
    const double inertias[] = {1.0, 0.1}, stiffness[] = {INFINITY, 1e15}, steps[] = {0.1, 0.2};
    for (int i = 0; i < 8; ++i) {
        const double inertia = inertias[i % 2], k = stiffness[i / 2 % 2], h = steps[i / 4];
        mechanism x = on_a_pin(inertia, k, h);
        assert_ok(dp_kinematics(x.d));
        const double start = mechanism_energy(&x);
        double highest = -INFINITY, widest = 0.0, late = 0.0;
        int unsolved = 0, recovering = 0, substeps = 0;
        const int count = (int)lround(1000.0 / h);
        for (int n = 0; n < count; ++n) {
            mechanism_steps(&x, 1);
            highest = fmax(highest, mechanism_energy(&x) - start);
            widest = fmax(widest, gap(&x));
            unsolved += dp_data_report(x.d)->unsolved;
            recovering += dp_data_report(x.d)->recovering;
            substeps += dp_data_report(x.d)->work.substeps;
            late = mechanism_energy(&x) - start;
        }
        print_message("I = %.1f, k = %.0e, h = %.1f: energy up to %+.3f J, at the end %+.3f J; gap "
                      "%.1e m; %d unsolved, %d recovering, %d parts of %d\n",
                      inertia, k, h, highest, late, widest, unsolved, recovering, substeps, count);
        assert_true(highest <= bound_of_energy(inertia, h));
        assert_true(late >= -bound_of_energy(inertia, h)); // nor does it come to rest
        assert_true(widest <= 1e-9);
        assert_int_equal(unsolved, 0);
        assert_int_equal(recovering, 0);
        mechanism_end(&x);
    }
}

// Of the bob about the pivot, from the x axis, downwards.
static double angle_of(const mechanism *x)
{
    const dp_pose pose = dp_inertial_pose(x->d, (dp_body_id){1});
    return atan2(-pose.p.z, pose.p.x);
}

typedef struct outcome {
    double angle, energy; // after two seconds; worst error of the energy on the way
} outcome;

static outcome swing(mechanism *x, double h)
{
    outcome o = {0.0, 0.0};
    assert_ok(dp_kinematics(x->d));
    const double start = mechanism_energy(x);
    for (int n = 0; n < (int)lround(2.0 / h); ++n) {
        mechanism_steps(x, 1);
        o.energy = fmax(o.energy, fabs(mechanism_energy(x) - start));
    }
    o.angle = angle_of(x);
    mechanism_end(x);
    return o;
}

static double exact_angle(double inertia)
{
    mechanism x = on_a_hinge(inertia, 1e-3);
    dp_data_options(x.d)->integrator = DP_INTEGRATOR_RK4;
    return swing(&x, 1e-3).angle;
}

static void its_energy_error_is_of_first_order_and_it_converges_to_the_hinge(void **state)
{
    (void)state;
    const double inertias[] = {1.0, 0.1}, stiffness[] = {INFINITY, 1e15};
    for (int i = 0; i < 4; ++i) {
        const double inertia = inertias[i % 2], k = stiffness[i / 2];
        const double exact = exact_angle(inertia);
        outcome o[3];
        double error[3];
        for (int j = 0; j < 3; ++j) {
            const double h = 2e-3 / (1 << j);
            mechanism x = on_a_pin(inertia, k, h);
            o[j] = swing(&x, h);
            error[j] = o[j].angle - exact;
        }
        print_message("I = %.1f, k = %.0e: energy off by %.2e, %.2e, %.2e J, angle by %.2e, %.2e, "
                      "%.2e rad\n",
                      inertia, k, o[0].energy, o[1].energy, o[2].energy, error[0], error[1],
                      error[2]);
        assert_near(o[0].energy / o[1].energy, 2.0, 0.1);
        assert_near(o[1].energy / o[2].energy, 2.0, 0.1);
        assert_near(error[0] / error[1], 2.0, 0.1);
        assert_near(error[1] / error[2], 2.0, 0.1);
    }
}

// Two links, the first of them a free body on a pin, without gravity. Beyond options.large_rotation
// such trees are advanced by momentum transport; the pin goes round with them and does no work.
static void links_on_a_pin_gain_no_energy_however_fast_they_turn(void **state)
{
    (void)state;
    const double turns[] = {0.15, 0.3, 0.6, 1.2}; // [rad] in a step
    for (int i = 0; i < 4 * 2; ++i) {
        const double h = 0.02, rate = turns[i % 4] / h;
        mechanism x = on_a_pin(0.1, i / 4 ? 1e12 : INFINITY, h);
        // The spec is there still: a second link, and compiled anew.
        dp_data_destroy(x.d);
        dp_model_destroy(x.m);
        dp_spec_options(x.spec)->gravity = (dp_v3){0.0, 0.0, 0.0};
        const dp_body_id link =
            mechanism_body(&x, (dp_body_id){1}, "link", (dp_v3){0.0, 0.0, 0.0}, 0.5,
                           (dp_v3){0.3, 0.0, 0.0}, (dp_v3){0.01, 0.02, 0.03});
        (void)mechanism_joint(&x, link, "ball", DP_JOINT_BALL, (dp_v3){0.0, 0.0, 1.0});
        mechanism_compile(&x);
        double *v = dp_data_v(x.d); // about y, with what the pin allows
        v[4] = rate;
        v[2] = -rate * LENGTH;
        assert_ok(dp_kinematics(x.d));
        const double start = mechanism_energy(&x);
        double highest = 0.0;
        for (int n = 0; n < 500; ++n) {
            mechanism_steps(&x, 1);
            highest = fmax(highest, mechanism_energy(&x));
        }
        print_message("%.2f rad a step: energy at most %.4f of its start, %.4f in the end\n",
                      turns[i % 4], highest / start, mechanism_energy(&x) / start);
        assert_true(highest <= start * (1.0 + 1e-6)); // what gaps of 1e-10 m give
        mechanism_end(&x);
    }
}

// The bends of gaps are foretold from those of the last steps: where they pass through zero, too,
// as they do twice in each swing.
static void at_a_millisecond_one_pass_meets_the_gap_in_nearly_every_step(void **state)
{
    (void)state;
    const int steps = 5000, first = 10;
    mechanism x = on_a_pin(0.1, INFINITY, 1e-3);
    mechanism_steps(&x, first); // nothing is known yet
    int passes = 0;
    for (int n = 0; n < steps; ++n) {
        mechanism_steps(&x, 1);
        passes += dp_data_report(x.d)->work.passes;
        assert_true(gap(&x) <= 2.0 * dp_data_options(x.d)->gap_tolerance); // √3 of a component
    }
    assert_true(passes >= steps && passes <= steps + steps / 20);
    mechanism_end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_pendulum_is_bounded_for_1000_s_at_large_steps),
        cmocka_unit_test(links_on_a_pin_gain_no_energy_however_fast_they_turn),
        cmocka_unit_test(at_a_millisecond_one_pass_meets_the_gap_in_nearly_every_step),
        cmocka_unit_test(its_energy_error_is_of_first_order_and_it_converges_to_the_hinge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
