// Scenes of scenes/contact that move, against closed forms.
#include "standing_scene.h"
#include "trial.h"

#include <dashpot/contact.h>

#include <math.h>

static const double PI = 3.14159265358979323846, GRAVITY = 9.81;

// Cradle. Equal balls exchange their speeds in an impact, so what is lifted on one side is thrown
// up as high on the other.

enum { BALLS = 5 };

// [rad] How high the last ball will swing, when all impacts are over. The first ones come with the
// speed that they have from 0.3 rad.
static double thrown_to(double h, int lifted)
{
    const double rod = 0.5, radius = 0.025, from = 0.3, near = 0.01;
    const double inertia = rod * rod + 0.4 * radius * radius; // for 1 kg
    mechanism x = standing_scene("contact/cradle.xml", NULL);
    dp_data_options(x.d)->step = h;
    double q[BALLS] = {0.0}, v[BALLS] = {0.0};
    for (int i = 0; i < lifted; ++i) {
        q[i] = near;
        v[i] = -sqrt(2.0 * GRAVITY * rod * (cos(near) - cos(from)) / inertia);
    }
    mechanism_set(&x, q, v);
    mechanism_steps(&x, (int)lround(0.02 / h)); // 8 ms to come, 6 ms for impacts
    const double *angle = dp_data_q(x.d), *rate = dp_data_v(x.d);
    for (int i = 0; i < BALLS - lifted; ++i) {
        assert_true(fabs(rate[i]) < 0.1 * fabs(v[0])); // the others stay behind
    }
    const double last = rate[BALLS - 1];
    const double top = acos(cos(angle[BALLS - 1]) - inertia * last * last / (2.0 * GRAVITY * rod));
    mechanism_end(&x);
    return top;
}

static void a_cradle_throws_as_many_balls_as_high_as_were_lifted(void **state)
{
    (void)state;
    for (int lifted = 1; lifted <= 2; ++lifted) {
        double h[4], error[4];
        for (int i = 0; i < 4; ++i) {
            h[i] = 1e-4 / (1 << 3 * i);
            error[i] = 0.3 - thrown_to(h[i], lifted);
            // From the rule down to springs that steps resolve: those may lack 0.5 % of each of the
            // four impacts, and the first ball, which swings by then, has some of the energy.
            assert_near(error[i], 0.0, i < 3 ? 1e-5 : 2e-3);
        }
    }
}

// Wheel. Hertz, with N(φ) = √(a² cos²φ + b² sin²φ), p = 3F/(2πE*) and the half axes a and b:
//
//     δ = p ∫ dφ/N,   1/(2r₁) = p ∫ cos²φ dφ/N³,   1/(2r₂) = p ∫ sin²φ … over 0 … π/2
//
// where half axis a lies along the direction in which the radius is r₁. The sums converge
// exponentially, since what is summed is periodic and smooth.
typedef struct hertz_integrals {
    double depth, first, second;
} hertz_integrals;

static hertz_integrals integrals(double a, double b)
{
    enum { POINTS = 256 };
    hertz_integrals sum = {0.0, 0.0, 0.0};
    for (int i = 0; i < POINTS; ++i) {
        const double phi = 2.0 * PI * (i + 0.5) / POINTS, c = cos(phi), s = sin(phi);
        const double n = sqrt(a * a * c * c + b * b * s * s), weight = PI / 2.0 / POINTS;
        sum.depth += weight / n;
        sum.first += weight * c * c / (n * n * n);
        sum.second += weight * s * s / (n * n * n);
    }
    return sum;
}

static double hertz_depth(double force, double r1, double r2, double E_star)
{
    double low = 0.01, high = 100.0; // a/b: first/second falls with it
    for (int i = 0; i < 200; ++i) {
        const double middle = sqrt(low * high);
        const hertz_integrals now = integrals(middle, 1.0);
        if (now.first / now.second > r2 / r1) {
            low = middle;
        } else {
            high = middle;
        }
    }
    const hertz_integrals unit = integrals(low, 1.0); // b = 1
    const double p = 3.0 * force / (2.0 * PI * E_star);
    const double b = cbrt(2.0 * r1 * p * unit.first);
    return p * unit.depth / b;
}

static void a_wheel_sinks_into_its_rail_as_hertz_says(void **state)
{
    (void)state;
    mechanism x = standing_scene("contact/wheel_on_rail.xml", NULL);
    mechanism_steps(&x, 2000);
    const double load = 70000.0 + 1000.0 * GRAVITY;
    const double E_star = 2.1e11 / (2.0 * (1.0 - 0.28 * 0.28));
    const double depth = hertz_depth(load, 0.46, 0.3, E_star);
    assert_near(-dp_data_q(x.d)[1] / depth, 1.0, 1e-6);
    assert_int_equal(dp_data_contact_count(x.d), 1);
    assert_near(dp_data_contact(x.d, 0).normal_force, load, 1e-6 * load);
    mechanism_end(&x);
}

// v = ω r where the arm is r less half the depth of 1e-4 m.
static void a_wheel_rolls_on_without_slip(void **state)
{
    (void)state;
    const double radius = 0.46, depth = 1e-4;
    mechanism x = standing_scene("contact/wheel_on_rail.xml", "rolling");
    mechanism_steps(&x, 2000);
    const double *v = dp_data_v(x.d);
    assert_near(v[0], 10.0, 10.0 * depth / radius);
    assert_near(v[2] * radius, v[0], 10.0 * depth / radius);
    assert_int_equal(dp_data_contact(x.d, 0).state, DP_CONTACT_STATE_STICK);
    assert_near(dp_data_q(x.d)[0], 10.0, 10.0 * depth / radius); // one second
    mechanism_end(&x);
}

// I = m r²/2: it rolls at 2/3 of its speed, as soon as friction has taken a third of it.
static void a_braked_wheel_slides_until_it_rolls(void **state)
{
    (void)state;
    const double radius = 0.46, depth = 1e-4, speed = 10.0, h = 5e-4;
    const double brake = 0.3 * (70.0 + GRAVITY); // [m/s²]
    mechanism x = standing_scene("contact/wheel_on_rail.xml", "braked");
    // Slip that is left when it rolls: 14.5 rad/s on the half depth by which the arm is shorter.
    const double rolling = 15.0 * depth;
    int steps = 0;
    for (double slip = speed; slip > rolling && steps < 1000; ++steps) {
        mechanism_steps(&x, 1);
        slip = dp_data_v(x.d)[0] - radius * dp_data_v(x.d)[2];
    }
    // The load swings while the wheel sinks in, but its mean is right; whole steps.
    assert_near(h * steps, speed / 3.0 / brake, h);
    assert_near(dp_data_v(x.d)[0], 2.0 / 3.0 * speed, speed * depth / radius);
    mechanism_end(&x);
}

// Conveyor. Parcels reach the speed of the belt after v/(μ g), and the faster one's after that.
static void a_parcel_is_carried_at_the_speed_of_its_belt(void **state)
{
    (void)state;
    const double h = 0.01, mu = 0.4, slow = 0.5, fast = 1.0;
    mechanism x = standing_scene("contact/conveyor.xml", NULL);
    const double *v = dp_data_v(x.d);
    const int slips = (int)ceil(slow / (mu * GRAVITY * h));
    for (int i = 1; i <= slips + 2; ++i) {
        mechanism_steps(&x, 1);
        for (int k = 0; k < 3; ++k) {
            // friction 0.1 m below the centre tips a parcel by load/k, which is 2e-6 m
            assert_near(v[6 * k], fmin(mu * GRAVITY * h * i, slow), 1e-3 * slow);
        }
    }
    mechanism_steps(&x, 50);
    for (int k = 0; k < 3; ++k) {
        assert_near(v[6 * k], slow, 1e-8); // the tolerance of the law
    }
    // The last of the three is put down 0.9 m before the end of its belt. When its centre has
    // passed the end, it rests on the faster one.
    mechanism_steps(&x, 250);
    assert_true(dp_data_q(x.d)[14] > 1.7);
    assert_near(v[12], fast, 1e-8);
    mechanism_end(&x);
}

// A ball slides to t = 2v/(7μg), then rolls on with 5/7 of its speed.
static double way_of_the_ball(double h, double seconds)
{
    mechanism x = standing_scene("contact/slip_to_roll.xml", "thrown");
    dp_data_options(x.d)->step = h;
    mechanism_steps(&x, (int)lround(seconds / h));
    const double way = dp_data_q(x.d)[0];
    mechanism_end(&x);
    return way;
}

static void a_thrown_ball_rolls_as_far_as_it_should(void **state)
{
    (void)state;
    const double v = 2.0, brake = 0.2 * GRAVITY, seconds = 0.6, t = 2.0 * v / (7.0 * brake);
    const double exact = v * t - 0.5 * brake * t * t + 5.0 / 7.0 * v * (seconds - t);
    double h[4], error[4];
    for (int i = 0; i < 4; ++i) {
        h[i] = 4e-3 / (1 << i);
        error[i] = fabs(way_of_the_ball(h[i], seconds) - exact);
    }
    assert_near(fitted_order(h, error, 4), 1.0, 0.1);
    assert_true(error[3] < h[3] * v);
}

// Dominoes.

enum { DOMINOES = 20 };

// When each of the first ones leans by 0.1 rad.
static void fall_times(double *t, int count, double h)
{
    mechanism x = standing_scene("contact/domino_row.xml", "push");
    dp_data_options(x.d)->step = h;
    double before[DOMINOES] = {0.0};
    for (int fallen = 0, i = 0; fallen < count; ++i) {
        assert_true(h * i < 2.0);
        mechanism_steps(&x, 1);
        for (int k = 0; k < count; ++k) {
            const double angle = 2.0 * asin(dp_data_q(x.d)[7 * k + 5]);
            if (before[k] < 0.1 && angle >= 0.1) {
                assert_int_equal(k, fallen); // after the one before
                t[fallen++] = h * (i + (0.1 - before[k]) / (angle - before[k]));
            }
            before[k] = angle;
        }
    }
    mechanism_end(&x);
}

static void dominoes_fall_one_after_the_other(void **state)
{
    (void)state;
    double t[DOMINOES];
    fall_times(t, DOMINOES, 2e-3);
    // What one gives to the next soon is the same for all: the wave runs at constant speed.
    const double early = t[12] - t[9], late = t[19] - t[16];
    assert_near(early / late, 1.0, 0.02);
}

// First order: each halving of the step changes what comes out half as much.
static void the_wave_of_dominoes_converges_with_the_step(void **state)
{
    (void)state;
    enum { COUNT = 8, LEVELS = 4 };
    double last[LEVELS], h[LEVELS - 1], change[LEVELS - 1];
    for (int i = 0; i < LEVELS; ++i) {
        double t[COUNT];
        fall_times(t, COUNT, 2e-3 / (1 << i));
        last[i] = t[COUNT - 1];
        if (i > 0) {
            h[i - 1] = 2e-3 / (1 << i);
            change[i - 1] = fabs(last[i] - last[i - 1]);
        }
    }
    assert_near(fitted_order(h, change, LEVELS - 1), 1.0, 0.2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cradle_throws_as_many_balls_as_high_as_were_lifted),
        cmocka_unit_test(a_wheel_sinks_into_its_rail_as_hertz_says),
        cmocka_unit_test(a_wheel_rolls_on_without_slip),
        cmocka_unit_test(a_braked_wheel_slides_until_it_rolls),
        cmocka_unit_test(a_parcel_is_carried_at_the_speed_of_its_belt),
        cmocka_unit_test(a_thrown_ball_rolls_as_far_as_it_should),
        cmocka_unit_test(dominoes_fall_one_after_the_other),
        cmocka_unit_test(the_wave_of_dominoes_converges_with_the_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
