// Steps far too long for accuracy: nothing may blow up, gain energy without bound, or lose what
// physics keeps. Where the step is short enough, the same scheme converges.
#include "random_spec.h"
#include "trial.h"

#include "math/v3.h"
#include "model/model.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double STEPS[] = {0.01, 0.05, 0.1, 0.2}; // [s]
enum { LENGTHS = sizeof STEPS / sizeof *STEPS };

// How high a mechanism can be: the sum of its links.
static double reach(const dp_model *m)
{
    double sum = 0.0;
    for (int b = 1; b < m->size.nbody; ++b) {
        sum += dp_v3_norm(m->body[b].pose.p) + 1.0; // anchors and centres of mass lie within 1 m
    }
    return sum;
}

// Energies that a mechanism has and can exchange: at the start, and by falling over.
static double energy_scale(const mechanism *x)
{
    const dp_energy e = dp_data_energy(x->d);
    const double mass = dp_body_momentum(x->d, DP_WORLD).mass;
    return e.kinetic + e.spring + mass * 9.81 * reach(x->m);
}

static mechanism random_fast_mechanism(uint64_t seed, double step, const random_spec_options *o)
{
    dp_spec *spec = random_spec(o);
    dp_spec_options(spec)->step = step;
    mechanism x = mechanism_from(spec);
    random_source r = {seed * 7 + 1};
    random_state(x.d, &r, 10.0);
    return x;
}

// The largest gain of energy over `count` steps, less `share` of what has been exchanged between
// potential and kinetic energy so far. Fails when a step does.
static double largest_gain(mechanism *x, int count, double share)
{
    const double start = mechanism_energy(x), high = start - dp_data_energy(x->d).kinetic;
    double gain = 0.0;
    for (int i = 0; i < count; ++i) {
        mechanism_steps(x, 1);
        const double now = mechanism_energy(x);
        const double fallen = high - (now - dp_data_energy(x->d).kinetic);
        assert_true(isfinite(now));
        gain = fmax(gain, now - start - share * fmax(0.0, fallen));
    }
    return gain;
}

// Beyond options.large_rotation a tree cannot gain energy. Below, explicit velocity terms can,
// until it turns fast enough: 10 rad/s at 10 ms, the size of the random velocities, so that the
// energy may grow by a few times its scale; at longer steps the threshold is below the start. What
// flies falls for kilometres, and its speed has an error of first order in the step.
static void random_mechanisms_stay_bounded_for_ten_thousand_steps(void **state)
{
    (void)state;
    const double bound = 3.0;  // of energy_scale, as argued; measured: 1.3
    const double share = 0.01; // of the energy that a fall exchanges
    double worst[LENGTHS] = {0.0};
    for (uint64_t seed = 0; seed < 200; ++seed) {
        random_spec_options o = {.seed = seed, .max_bodies = 3, .regular = true};
        o.no_slides = seed % 2 == 0;
        o.held_slides = seed % 4 != 1; // a quarter of the mechanisms may run away
        o.springs = seed % 3 == 0;
        o.armature = seed % 5 == 0;
        for (int i = 0; i < LENGTHS; ++i) {
            mechanism x = random_fast_mechanism(seed, STEPS[i], &o);
            const double scale = energy_scale(&x);
            const double gain = largest_gain(&x, 10000, share) / scale;
            if (gain > bound) {
                print_error("seed %d, step %g s: gains %g\n", (int)seed, STEPS[i], gain);
            }
            assert_true(gain <= bound);
            worst[i] = fmax(worst[i], gain);
            mechanism_end(&x);
        }
    }
    for (int i = 0; i < LENGTHS; ++i) {
        print_message("step %.2f s: energy grows by %.2g of its scale at most\n", STEPS[i],
                      worst[i]);
    }
}

// With every tree in transport, whatever its speed.
static void in_transport_energy_does_not_grow(void **state)
{
    (void)state;
    double worst = 0.0;
    for (uint64_t seed = 0; seed < 100; ++seed) {
        random_spec_options o = {.seed = seed, .max_bodies = 5, .regular = true, .armature = true};
        o.held_slides = true;
        o.springs = true;
        o.compensation = seed % 2 == 0;
        for (int i = 0; i < LENGTHS; ++i) {
            mechanism x = random_fast_mechanism(seed, STEPS[i], &o);
            dp_data_options(x.d)->large_rotation = 0.0;
            const double scale = energy_scale(&x);
            worst = fmax(worst, largest_gain(&x, 500, 0.0) / scale);
            mechanism_end(&x);
        }
    }
    print_message("energy grows by %.1e of its scale at most\n", worst);
    assert_true(worst < 1e-12); // the rounding of sums of energies
}

static void without_forces_kinetic_energy_does_not_grow_in_transport(void **state)
{
    (void)state;
    double gained = 0.0, lost = 0.0;
    for (uint64_t seed = 0; seed < 100; ++seed) {
        random_spec_options o = {.seed = seed, .max_bodies = 5, .regular = true};
        o.no_slides = true;
        for (int i = 0; i < LENGTHS; ++i) {
            mechanism x = random_fast_mechanism(seed, STEPS[i], &o);
            dp_data_options(x.d)->large_rotation = 0.0;
            dp_data_options(x.d)->disable_gravity = true;
            assert_ok(dp_kinematics(x.d));
            const double start = dp_data_energy(x.d).kinetic;
            for (int n = 0; n < 500; ++n) {
                mechanism_steps(&x, 1);
                const double now = dp_data_energy(x.d).kinetic / start - 1.0;
                gained = fmax(gained, now);
                lost = fmax(lost, -now);
            }
            mechanism_end(&x);
        }
    }
    // It loses where a turn of about a right angle leaves too little of the momentum.
    print_message("kinetic energy gains %.1e, loses %.1e at most\n", gained, lost);
    assert_true(gained < 1e-11); // 500 steps of round-off, times the condition of M
}

static void floating_trees_keep_their_linear_momentum_in_transport(void **state)
{
    (void)state;
    double worst = 0.0, off = 0.0;
    for (uint64_t seed = 0; seed < 50; ++seed) {
        random_spec_options o = {.seed = seed, .max_bodies = 5, .floating = true, .regular = true};
        o.no_slides = true;
        for (int i = 0; i < LENGTHS; ++i) {
            mechanism x = random_fast_mechanism(seed, STEPS[i], &o);
            dp_data_options(x.d)->large_rotation = 0.0;
            dp_data_options(x.d)->disable_gravity = true;
            assert_ok(dp_kinematics(x.d));
            const dp_momentum start = dp_body_momentum(x.d, DP_WORLD);
            const double size = sqrt(2.0 * start.mass * dp_data_energy(x.d).kinetic);
            mechanism_steps(&x, 1000);
            const dp_momentum now = dp_body_momentum(x.d, DP_WORLD);
            const dp_v3 line = dp_v3_madd(start.com, dp_data_time(x.d) / start.mass, start.linear);
            worst = fmax(worst, dp_v3_norm(dp_v3_sub(now.linear, start.linear)) / size);
            off = fmax(off, dp_v3_norm(dp_v3_sub(now.com, line)) / dp_v3_norm(line));
            mechanism_end(&x);
        }
    }
    print_message("momentum off by %.1e, centre of mass by %.1e of its way\n", worst, off);
    assert_true(worst < 2e-11); // 1000 steps of round-off, of one sign in the worst case
    assert_true(off < 2e-11);
}

// Two bodies on a hinge, in flight.
static mechanism flying_pair(double step, double rate)
{
    mechanism x = mechanism_begin();
    const dp_body_id a = mechanism_body(&x, DP_WORLD, "a", (dp_v3){0.0, 0.0, 0.0}, 2.0,
                                        (dp_v3){0.1, 0.0, 0.2}, (dp_v3){0.03, 0.05, 0.06});
    const dp_body_id b = mechanism_body(&x, a, "b", (dp_v3){0.4, 0.0, 0.0}, 1.0,
                                        (dp_v3){0.3, 0.1, 0.0}, (dp_v3){0.02, 0.03, 0.04});
    mechanism_joint(&x, a, "free", DP_JOINT_FREE, (dp_v3){0.0, 0.0, 1.0});
    mechanism_joint(&x, b, "hinge", DP_JOINT_HINGE, (dp_v3){0.0, 0.6, 0.8});
    dp_spec_options(x.spec)->step = step;
    dp_spec_options(x.spec)->gravity = (dp_v3){0.0, 0.0, 0.0};
    mechanism_compile(&x);
    const double v[7] = {10.0, -3.0, 2.0, rate, -0.5 * rate, 0.3 * rate, 2.0 * rate};
    mechanism_set(&x, NULL, v);
    return x;
}

// The same pull as generalised forces: Σ Jᵀ m a.
static dp_status pull_at_coordinates(void *context, dp_data *d, double *force)
{
    const dp_model *m = dp_data_model(d);
    const dp_v3 pull = *(const dp_v3 *)context;
    for (int b = 1; b <= 2; ++b) {
        double J[6 * 7];
        const double mass = dp_model_body(m, (dp_body_id){b}).inertial.mass;
        dp_body_jacobian(J, d, (dp_body_id){b}, dp_inertial_pose(d, (dp_body_id){b}).p);
        for (int k = 0; k < 7; ++k) {
            force[k] +=
                mass * (J[3 * 7 + k] * pull.x + J[4 * 7 + k] * pull.y + J[5 * 7 + k] * pull.z);
        }
    }
    return DP_OK;
}

// Galilei and Einstein: what pulls at every body in proportion to its mass cannot be felt inside,
// whether it brakes the flight or speeds it up.
static void a_uniform_pull_does_not_change_the_inner_motion(void **state)
{
    (void)state;
    dp_v3 pull = {-7.0, 4.0, -9.81};
    for (int way = 0; way < 6; ++way) {
        const bool fast = way % 2;
        // Turning 0.5 rad in a step: momentum transport. Turning 0.01 rad: explicit terms.
        mechanism free = flying_pair(0.05, fast ? 10.0 : 0.1);
        mechanism pulled = flying_pair(0.05, fast ? 10.0 : 0.1);
        if (way / 2 == 0) {
            dp_data_options(pulled.d)->gravity = pull;
        } else if (way / 2 == 1) {
            dp_data_set_force_callback(pulled.d, pull_at_coordinates, &pull);
        } else {
            for (int b = 1; b <= 2; ++b) {
                const double mass = dp_model_body(pulled.m, (dp_body_id){b}).inertial.mass;
                dp_data_wrench(pulled.d, (dp_body_id){b})->f = dp_v3_scale(pull, mass);
            }
        }
        mechanism_steps(&free, 40);
        mechanism_steps(&pulled, 40);
        assert_int_equal(dp_data_report(free.d)->transported, fast);
        assert_int_equal(dp_data_report(pulled.d)->transported, fast);
        for (int i = 3; i < 8; ++i) { // attitude and hinge; round-off grows tenfold in ten steps
            assert_near(dp_data_q(pulled.d)[i], dp_data_q(free.d)[i], 1e-9);
        }
        for (int k = 3; k < 7; ++k) {
            assert_near(dp_data_v(pulled.d)[k], dp_data_v(free.d)[k], 1e-8);
        }
        mechanism_end(&free);
        mechanism_end(&pulled);
    }
}

static mechanism two_hinges(void)
{
    mechanism x = mechanism_begin();
    const dp_body_id a = mechanism_body(&x, DP_WORLD, "a", (dp_v3){0.0, 0.0, 0.0}, 1.0,
                                        (dp_v3){0.0, 0.0, -0.5}, (dp_v3){0.1, 0.1, 0.01});
    const dp_body_id b = mechanism_body(&x, a, "b", (dp_v3){0.0, 0.0, -1.0}, 1.0,
                                        (dp_v3){0.0, 0.0, -0.5}, (dp_v3){0.1, 0.1, 0.01});
    mechanism_joint(&x, a, "upper", DP_JOINT_HINGE, (dp_v3){0.0, 1.0, 0.0});
    mechanism_joint(&x, b, "lower", DP_JOINT_HINGE, (dp_v3){1.0, 1.0, 0.0});
    mechanism_compile(&x);
    return x;
}

static mechanism flying_chain(void)
{
    mechanism x = mechanism_begin();
    const dp_body_id a = mechanism_body(&x, DP_WORLD, "a", (dp_v3){0.0, 0.0, 1.0}, 1.5,
                                        (dp_v3){0.1, 0.0, 0.05}, (dp_v3){0.02, 0.03, 0.04});
    const dp_body_id b = mechanism_body(&x, a, "b", (dp_v3){0.3, 0.0, 0.0}, 1.0,
                                        (dp_v3){0.2, 0.05, 0.0}, (dp_v3){0.01, 0.03, 0.025});
    mechanism_joint(&x, a, "free", DP_JOINT_FREE, (dp_v3){0.0, 0.0, 1.0});
    mechanism_joint(&x, b, "ball", DP_JOINT_BALL, (dp_v3){0.0, 0.0, 1.0});
    mechanism_compile(&x);
    return x;
}

// A beam that turns, with a sleeve that slides along it.
static mechanism sleeve(void)
{
    mechanism x = mechanism_begin();
    const dp_body_id beam = mechanism_body(&x, DP_WORLD, "beam", (dp_v3){0.0, 0.0, 0.0}, 1.0,
                                           (dp_v3){0.5, 0.0, 0.0}, (dp_v3){0.01, 0.1, 0.1});
    const dp_body_id ring = mechanism_body(&x, beam, "ring", (dp_v3){0.8, 0.0, 0.0}, 0.7,
                                           (dp_v3){0.0, 0.0, 0.05}, (dp_v3){0.01, 0.01, 0.01});
    mechanism_joint(&x, beam, "turn", DP_JOINT_HINGE, (dp_v3){0.0, 1.0, 0.3});
    mechanism_joint(&x, ring, "slide", DP_JOINT_SLIDE, (dp_v3){1.0, 0.0, 0.0});
    mechanism_compile(&x);
    return x;
}

static void assert_transported(const trial *t, const dp_step_report *info)
{
    assert_int_equal(info->transported, t->large_rotation == 0.0);
}

static void assert_order_one(mechanism (*make)(void), double large_rotation)
{
    const trial t = {.integrator = DP_INTEGRATOR_SEMI_IMPLICIT,
                     .steps = 4000,
                     .seconds = 0.5,
                     .tolerance = 1e-13,
                     .large_rotation = large_rotation,
                     .check = assert_transported};
    trial reference = t;
    reference.integrator = DP_INTEGRATOR_RK45;
    reference.steps = 10;
    reference.check = NULL;
    assert_near(trial_order(make, &t, &reference), 1.0, 0.05);
}

static void momentum_transport_has_order_one(void **state)
{
    (void)state;
    assert_order_one(two_hinges, 0.0);
    assert_order_one(flying_chain, 0.0);
    assert_order_one(sleeve, 0.0);
}

static void the_limit_on_energy_does_not_lower_the_order(void **state)
{
    (void)state;
    assert_order_one(sleeve, 0.1); // explicit velocity terms, limited because it can reach out
}

// A pendulum whose swing takes less than a step: it may stop, it may not climb.
static void a_pendulum_does_not_climb_above_its_start_at_any_step(void **state)
{
    (void)state;
    const dp_joint_kind kinds[] = {DP_JOINT_HINGE, DP_JOINT_BALL};
    double worst = 0.0;
    for (int k = 0; k < 2; ++k) {
        for (double step = 0.02; step < 3.0; step *= 1.37) {
            mechanism x = mechanism_begin();
            const dp_body_id rod =
                mechanism_body(&x, DP_WORLD, "rod", (dp_v3){0.0, 0.0, 0.0}, 1.0,
                               (dp_v3){0.1, 0.05, -0.3}, (dp_v3){0.02, 0.02, 0.001});
            mechanism_joint(&x, rod, "pivot", kinds[k], (dp_v3){0.0, 1.0, 0.0});
            dp_spec_options(x.spec)->step = step;
            dp_spec_options(x.spec)->large_rotation = 0.0;
            mechanism_compile(&x);
            dp_data_v(x.d)[0] = 2.0;
            assert_ok(dp_kinematics(x.d));
            worst = fmax(worst, largest_gain(&x, 1000, 0.0) / (9.81 * 0.3));
            mechanism_end(&x);
        }
    }
    print_message("climbs by %.1e of its length at most\n", worst);
    assert_true(worst < 1e-10); // 1000 steps of 1e-13 that the limit overlooks
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_mechanisms_stay_bounded_for_ten_thousand_steps),
        cmocka_unit_test(in_transport_energy_does_not_grow),
        cmocka_unit_test(without_forces_kinetic_energy_does_not_grow_in_transport),
        cmocka_unit_test(floating_trees_keep_their_linear_momentum_in_transport),
        cmocka_unit_test(a_uniform_pull_does_not_change_the_inner_motion),
        cmocka_unit_test(momentum_transport_has_order_one),
        cmocka_unit_test(the_limit_on_energy_does_not_lower_the_order),
        cmocka_unit_test(a_pendulum_does_not_climb_above_its_start_at_any_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
