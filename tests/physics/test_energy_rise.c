// What is there in all, kinetic, potential and in springs of contacts, never rises above what was
// there: overlaps that a step finds are no source of energy, and the ledger closes without them.
#include "mechanism.h"
#include "test_random.h"

#include <dashpot/format.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static double total(const mechanism *x)
{
    return mechanism_energy(x) + dp_data_ledger(x->d)->elastic;
}

typedef struct course {
    double start, most; // [J] total at the start, and the most of it later
    double rise;        // [J] the most above the least before
} course;

/// Advance, with the kinematics of every state. Drops begin without contact: nothing is held.
static course follow(mechanism *x, int steps)
{
    assert_ok(dp_kinematics(x->d));
    course c = {.start = total(x)};
    double least = c.start;
    for (int n = 0; n < steps; ++n) {
        mechanism_steps(x, 1);
        assert_ok(dp_kinematics(x->d));
        const double now = total(x);
        c.most = fmax(c.most, now);
        least = fmin(least, now);
        c.rise = fmax(c.rise, now - least);
    }
    return c;
}

static mechanism parse(const char *text)
{
    dp_spec *spec;
    assert_ok(dp_mjcf_parse(&spec, NULL, text, strlen(text), "scene", NULL));
    dp_spec_options(spec)->ledger = true;
    return mechanism_from(spec);
}

/// An ellipsoid of 1 kg with random axes that rolls and tumbles on a plane.
static mechanism roll(uint64_t seed, double h)
{
    random_source r = {seed};
    const double a = random_between(&r, 0.05, 0.3), b = random_between(&r, 0.05, 0.3),
                 c = random_between(&r, 0.05, 0.3);
    char text[1024];
    snprintf(
        text, sizeof text,
        "<mujoco><option timestep='%.17g'/><worldbody><geom type='plane' size='5 5 1'/>"
        "<body pos='0 0 %.17g'><freejoint/>"
        "<geom type='ellipsoid' size='%.17g %.17g %.17g' mass='1'/></body></worldbody></mujoco>",
        h, c + 1e-3, a, b, c);
    mechanism x = parse(text);
    double *v = dp_data_v(x.d);
    v[0] = random_between(&r, 0.5, 3.0);
    v[1] = random_between(&r, -1.0, 1.0);
    for (int k = 3; k < 6; ++k) {
        v[k] = random_between(&r, -6.0, 6.0);
    }
    return x;
}

// The spring would hold some 20 J in each overlap of 2 mm that a step finds: ½ h² times the bend of
// the gap. The error of the method is of first order.
static void an_ellipsoid_that_rolls_has_no_energy_from_its_overlaps(void **state)
{
    (void)state;
    double worst[2] = {0.0, 0.0};
    for (uint64_t seed = 1; seed <= 12; ++seed) {
        for (int k = 0; k < 2; ++k) {
            const double h = k == 0 ? 0.02 : 0.002;
            mechanism x = roll(seed, h);
            const course c = follow(&x, (int)lround(2.0 / h));
            const dp_ledger *ledger = dp_data_ledger(x.d);
            assert_true(c.most <= c.start);
            const double round_off = -1e-9; // of what sticks
            assert_true(ledger->damped >= 0.0 && ledger->friction >= round_off);
            assert_true(ledger->damped + ledger->friction <= c.start);
            assert_near(total(&x) - c.start,
                        ledger->remainder - ledger->damped - ledger->friction - ledger->impacts,
                        1e-9 * c.start);
            worst[k] = fmax(worst[k], ledger->remainder / c.start);
            mechanism_end(&x);
        }
    }
    print_message("             remainder at most %.1e, %.1e of the start\n", worst[0], worst[1]);
    assert_true(worst[0] < 0.1 && worst[1] < 0.01);
}

static size_t put_body(char *text, size_t room, random_source *r, int i)
{
    const double a = random_between(r, 0.05, 0.15), b = random_between(r, 0.05, 0.15),
                 c = random_between(r, 0.05, 0.15);
    char shape[128];
    switch ((int)random_between(r, 0.0, 3.999)) {
    case 0:
        snprintf(shape, sizeof shape, "type='box' size='%g %g %g'", a, b, c);
        break;
    case 1:
        snprintf(shape, sizeof shape, "type='sphere' size='%g'", a);
        break;
    case 2:
        snprintf(shape, sizeof shape, "type='capsule' size='%g %g'", 0.6 * a, b);
        break;
    default:
        snprintf(shape, sizeof shape, "type='cylinder' size='%g %g'", a, b);
        break;
    }
    const double x = random_between(r, -0.2, 0.2), y = random_between(r, -0.2, 0.2);
    const double e0 = random_between(r, 0.0, 180.0), e1 = random_between(r, 0.0, 180.0),
                 e2 = random_between(r, 0.0, 180.0);
    return (size_t)snprintf(text, room,
                            "<body pos='%g %g %g' euler='%g %g %g'><freejoint/><geom %s/></body>",
                            x, y, 0.4 + 0.6 * i, e0, e1, e2, shape);
}

/// Six bodies that fall on each other, without restitution.
static mechanism drop(uint64_t seed, double h)
{
    char text[8192];
    random_source r = {seed};
    size_t at = (size_t)snprintf(text, sizeof text,
                                 "<mujoco><option timestep='%g'/><worldbody>"
                                 "<geom type='plane' size='5 5 1'/>",
                                 h);
    for (int i = 0; i < 6; ++i) {
        at += put_body(text + at, sizeof text - at, &r, i);
        assert_true(at < sizeof text);
    }
    snprintf(text + at, sizeof text - at, "</worldbody></mujoco>");
    dp_spec *spec;
    assert_ok(dp_mjcf_parse(&spec, NULL, text, strlen(text), "scene", NULL));
    dp_spec_options(spec)->ledger = true;
    for (int g = 0; g < dp_spec_geom_count(spec); ++g) {
        dp_spec_geom(spec, (dp_geom_id){g})->contact.material.restitution = 0.0;
    }
    return mechanism_from(spec);
}

// What is left is of cylinders that roll on their rims: work of first order in h.
static void piles_without_restitution_gain_no_energy(void **state)
{
    (void)state;
    const double most = 5e-4; // of the start
    double worst = 0.0;
    for (uint64_t seed = 1; seed <= 12; ++seed) {
        const double h = seed % 2 ? 0.01 : 0.005;
        mechanism x = drop(seed, h);
        const course c = follow(&x, 600);
        assert_true(c.most <= c.start * (1.0 + 1e-12));
        worst = fmax(worst, c.rise / c.start);
        mechanism_end(&x);
    }
    print_message("             rise at most %.1e of the start\n", worst);
    assert_true(worst < most);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_ellipsoid_that_rolls_has_no_energy_from_its_overlaps),
        cmocka_unit_test(piles_without_restitution_gain_no_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
