// The coin of scenes/contact: it spins, rolls and wobbles.
#include "standing_scene.h"
#include "trial.h"

#include <dashpot/contact.h>

#include <math.h>

static const double GRAVITY = 9.81, RADIUS = 0.0125, HALF = 0.001, DENSITY = 8000.0;
static const double PI = 3.14159265358979323846;

static double mass(void)
{
    return DENSITY * PI * RADIUS * RADIUS * 2.0 * HALF;
}

// [kg m²] about a diameter
static double across(void)
{
    return mass() * (RADIUS * RADIUS / 4.0 + HALF * HALF / 3.0);
}

// It rests on a line of 2 mm. Each end carries half of the weight: sliding there has an arm of
// 1 mm, torsional friction is 0.2 mm of the load, wherever it is.
static void a_spinning_coin_is_braked_by_torsion_and_by_sliding_ends(void **state)
{
    (void)state;
    const double brake = (0.0002 + 0.4 * HALF) * mass() * GRAVITY / across(), h = 1e-4;
    mechanism x = standing_scene("contact/coin.xml", "spinning");
    for (int i = 0; i <= 5; ++i) {
        assert_near(dp_data_v(x.d)[4], fmax(60.0 - brake * 0.1 * i, 0.0), 1e-6 * 60.0);
        mechanism_steps(&x, (int)lround(0.1 / h));
    }
    assert_near(dp_data_v(x.d)[4], 0.0, 1e-6); // and it stays upright: the weight lies above
    assert_near(standing_scene_pose(&x, "coin").p.z, RADIUS - mass() * GRAVITY / 1e7, 1e-12);
    mechanism_end(&x);
}

// Rolling, sliding and the damper of the contact take energy; nothing gives any.
static void a_wobbling_coin_only_loses_energy(void **state)
{
    (void)state;
    mechanism x = standing_scene("contact/coin.xml", "leaning");
    const double first = mechanism_energy(&x);
    double before = first;
    for (int i = 0; i < 15000; ++i) {
        mechanism_steps(&x, 1);
        const double now = mechanism_energy(&x);
        assert_true(now <= before + 1e-15 * first); // round-off
        before = now;
    }
    assert_true(before < 0.5 * first);
    mechanism_end(&x);
}

// Precession of a coin that leans and rolls while its centre stays where it is. Its axis e₃ is
// tilted by θ, e_u points up along its face, and it touches at c = −r e_u − d e₃. What touches does
// not move, so ω = s c; e₃ goes round with Ω about the vertical, so s r = −Ω sin θ; and the moment
// c × m g z turns L = −s (r I₁ e_u + d I₃ e₃) with Ω:
//
//     Ω² = m g r (r cos θ − d sin θ)/(sin θ (r I₁ cos θ − d I₃ sin θ))
//
// For a thin coin that is 4 g/(r sin θ).
static double precession(double tilt)
{
    const double c = cos(tilt), s = sin(tilt), I1 = across(), I3 = mass() * RADIUS * RADIUS / 2.0;
    return sqrt(mass() * GRAVITY * RADIUS * (RADIUS * c - HALF * s) /
                (s * (RADIUS * I1 * c - HALF * I3 * s)));
}

typedef struct lean {
    double tilt, heading; // [rad] of the axis
} lean;

static lean roll_round(double h, double tilt, double seconds)
{
    mechanism x = standing_scene("contact/coin.xml", NULL);
    for (int g = 0; g < dp_spec_geom_count(x.spec); ++g) {
        dp_spec_geom(x.spec, (dp_geom_id){g})->contact.condim = 3; // nothing brakes what rolls
    }
    dp_data_destroy(x.d);
    dp_model_destroy(x.m);
    mechanism_compile(&x);
    dp_data_options(x.d)->step = h;
    const double s = -precession(tilt) * sin(tilt) / RADIUS;
    const double height = RADIUS * sin(tilt) + HALF * cos(tilt);
    // x is e_u
    const double q[7] = {0.0, 0.0, height, cos(tilt / 2.0), 0.0, -sin(tilt / 2.0), 0.0};
    const double v[6] = {0.0, 0.0, 0.0, -s * RADIUS, 0.0, -s * HALF};
    mechanism_set(&x, q, v);
    mechanism_steps(&x, (int)lround(seconds / h));
    const dp_quat p = standing_scene_pose(&x, "coin").q;
    const double ex = 2.0 * (p.x * p.z + p.w * p.y), ey = 2.0 * (p.y * p.z - p.w * p.x);
    const double ez = 1.0 - 2.0 * (p.x * p.x + p.y * p.y);
    mechanism_end(&x);
    return (lean){acos(ez), atan2(ey, ex)};
}

static void a_leaning_coin_goes_round_as_fast_as_its_tilt_says(void **state)
{
    (void)state;
    const double tilt = 0.6, rate = precession(tilt), seconds = 0.1;
    double h[4], tilted[4], turned[4];
    for (int i = 0; i < 4; ++i) {
        h[i] = 4e-5 / (1 << i);
        const lean now = roll_round(h[i], tilt, seconds);
        tilted[i] = fabs(now.tilt - tilt);
        turned[i] = fabs(remainder(now.heading - (PI + rate * seconds), 2.0 * PI));
    }
    assert_near(fitted_order(h, tilted, 4), 1.0, 0.1);
    assert_near(fitted_order(h, turned, 4), 1.0, 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_spinning_coin_is_braked_by_torsion_and_by_sliding_ends),
        cmocka_unit_test(a_wobbling_coin_only_loses_energy),
        cmocka_unit_test(a_leaning_coin_goes_round_as_fast_as_its_tilt_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
