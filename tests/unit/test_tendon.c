// Paths of tendons and what actuators act on: closed forms, gradients against differences, forces
// in balance.
#include "dynamics/recursive.h"
#include "dynamics/tendons/wrap.h"
#include "math/angle.h"
#include "mechanism.h"
#include "tendon_rig.h"
#include "test_random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double ROUND_OFF = 1e-14; // lengths of order 1, a few operations

// --- one obstacle

static const dp_obstacle SPHERE = {{{1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}, 0.5, false};
static const dp_obstacle CYLINDER = {{{1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}, 0.5, true};

static dp_v3 at_angle(double distance, double angle)
{
    return (dp_v3){distance * cos(angle), distance * sin(angle), 0.0};
}

static double tangent_length(double distance, double r)
{
    return sqrt(distance * distance - r * r);
}

/// Around a circle from distance a to distance b, by the angle delta in all.
static double length_around(double a, double b, double delta, double r)
{
    return tangent_length(a, r) + tangent_length(b, r) + r * (delta - acos(r / a) - acos(r / b));
}

static void a_path_around_a_sphere_is_two_tangents_and_an_arc(void **state)
{
    (void)state;
    dp_bent_path path;
    assert_true(dp_wrap_path(&path, at_angle(1.0, 0.3), at_angle(0.8, 2.8), &SPHERE, NULL));
    assert_near(path.length, length_around(1.0, 0.8, 2.5, 0.5), ROUND_OFF);
    // It leaves along the tangent: at the angle asin(r/a) to the line towards the centre.
    const dp_v3 inwards = at_angle(-1.0, 0.3);
    assert_near(dp_v3_dot(path.leave, inwards), tangent_length(1.0, 0.5), ROUND_OFF);
    assert_near(dp_v3_norm(path.leave), 1.0, ROUND_OFF);
    assert_near(dp_v3_norm(path.arrive), 1.0, ROUND_OFF);
}

static void a_path_around_a_cylinder_climbs_evenly(void **state)
{
    (void)state;
    dp_v3 x0 = at_angle(1.0, 0.3), x1 = at_angle(0.8, 2.8);
    x0.z = -0.2;
    x1.z = 0.9;
    dp_bent_path path;
    assert_true(dp_wrap_path(&path, x0, x1, &CYLINDER, NULL));
    const double level = length_around(1.0, 0.8, 2.5, 0.5);
    assert_near(path.length, sqrt(level * level + 1.1 * 1.1), ROUND_OFF);
    assert_near(path.leave.z, 1.1 / path.length, ROUND_OFF);
    assert_near(path.arrive.z, 1.1 / path.length, ROUND_OFF);
}

static void a_path_that_nothing_bars_is_straight(void **state)
{
    (void)state;
    dp_bent_path path;
    const dp_v3 above[2] = {{-1.0, 0.51, 0.0}, {1.0, 0.51, 0.0}};
    assert_false(dp_wrap_path(&path, above[0], above[1], &SPHERE, NULL));
    assert_false(dp_wrap_path(&path, above[0], above[1], &CYLINDER, NULL));
    const dp_v3 same_side[2] = {{1.0, 0.1, 0.0}, {2.0, 0.0, 0.1}};
    assert_false(dp_wrap_path(&path, same_side[0], same_side[1], &SPHERE, NULL));
    const dp_v3 inside = {0.1, 0.2, 0.0};
    assert_false(dp_wrap_path(&path, inside, above[1], &SPHERE, NULL));
    assert_false(dp_wrap_path(&path, above[1], inside, &CYLINDER, NULL));
}

static void points_on_the_surface_are_joined_by_an_arc(void **state)
{
    (void)state;
    random_source r = {5};
    for (int i = 0; i < 1000; ++i) { // rounding puts some of them inside
        const double angle = random_between(&r, 0.1, 3.0), from = random_between(&r, -3.0, 3.0);
        const dp_v3 x0 = at_angle(0.5, from), x1 = at_angle(0.5, from + angle);
        dp_bent_path path;
        assert_true(dp_wrap_path(&path, x0, x1, &SPHERE, NULL));
        assert_near(path.length, 0.5 * angle, ROUND_OFF);
        // A tangent: its length is √(2 r δ) for a point that rounding puts at δ from the surface.
        assert_near(dp_v3_dot(path.leave, x0), 0.0, 2e-8);
    }
}

static void a_side_site_sends_the_path_around_its_side(void **state)
{
    (void)state;
    const dp_v3 x0 = at_angle(1.0, 0.0), x1 = at_angle(0.8, 2.5);
    const dp_v3 near_side = at_angle(2.0, 1.2), far_side = at_angle(0.6, -1.9);
    dp_bent_path path;
    assert_true(dp_wrap_path(&path, x0, x1, &SPHERE, &near_side));
    assert_near(path.length, length_around(1.0, 0.8, 2.5, 0.5), ROUND_OFF);
    assert_true(dp_wrap_path(&path, x0, x1, &SPHERE, &far_side));
    assert_near(path.length, length_around(1.0, 0.8, 2.0 * DP_PI - 2.5, 0.5), ROUND_OFF);
}

static void a_side_site_beyond_the_obstacle_bars_the_straight_way(void **state)
{
    (void)state;
    const dp_v3 x0 = {-1.0, 0.6, 0.0}, x1 = {1.0, 0.6, 0.0};
    const dp_v3 above = {0.0, 1.0, 0.0}, below = {0.0, -1.0, 0.0};
    dp_bent_path path;
    assert_false(dp_wrap_path(&path, x0, x1, &SPHERE, &above));
    assert_true(dp_wrap_path(&path, x0, x1, &SPHERE, &below));
    const double distance = sqrt(1.36), turn = 2.0 * DP_PI - 2.0 * atan2(1.0, 0.6);
    assert_near(path.length, length_around(distance, distance, turn, 0.5), ROUND_OFF);
}

static void a_side_is_kept_for_more_than_half_a_turn(void **state)
{
    (void)state;
    // Points close to the surface: the long way is an arc of more than π.
    const dp_v3 x0 = at_angle(0.52, 0.0), x1 = at_angle(0.6, 1.0);
    for (int i = 0; i < 20; ++i) {
        const double angle = 0.05 * i; // between the points: the short way
        dp_v3 side = at_angle(1.0, angle);
        dp_bent_path path;
        assert_true(dp_wrap_path(&path, x0, x1, &CYLINDER, &side));
        assert_near(path.length, length_around(0.52, 0.6, 1.0, 0.5), ROUND_OFF);
        side = at_angle(1.0, angle + DP_PI);
        assert_true(dp_wrap_path(&path, x0, x1, &CYLINDER, &side));
        assert_near(path.length, length_around(0.52, 0.6, 2.0 * DP_PI - 1.0, 0.5), ROUND_OFF);
    }
}

static void the_middle_of_the_arc_is_nearest_to_the_side(void **state)
{
    (void)state;
    const double distance[][2] = {{1.0, 0.8}, {0.52, 0.6}, {0.51, 3.0}, {2.0, 2.0}};
    for (int i = 0; i < 4; ++i) {
        const double a = distance[i][0], b = distance[i][1], alpha = acos(0.5 / a),
                     beta = acos(0.5 / b), gap = 0.5 * (alpha + beta + DP_PI); // barred
        const dp_v3 x0 = at_angle(a, 0.0), x1 = at_angle(b, gap);
        // Halfway between the points of contact, either way.
        const double middle[2] = {0.5 * (alpha + gap - beta), 0.5 * (gap + beta - alpha) + DP_PI};
        for (double angle = 0.05; angle < 2.0 * DP_PI; angle += 0.1) {
            const dp_v3 side = at_angle(1.0, angle);
            const bool first = cos(angle - middle[0]) > cos(angle - middle[1]);
            dp_bent_path path;
            assert_true(dp_wrap_path(&path, x0, x1, &CYLINDER, &side));
            assert_near(path.length, length_around(a, b, first ? gap : 2.0 * DP_PI - gap, 0.5),
                        ROUND_OFF);
        }
    }
}

static void a_side_site_inside_makes_the_path_touch(void **state)
{
    (void)state;
    const dp_v3 x0 = {-1.0, 0.8, 0.0}, x1 = {1.0, 0.8, 0.0}, inside = {0.1, 0.0, 0.0};
    dp_bent_path path;
    assert_true(dp_wrap_path(&path, x0, x1, &SPHERE, &inside));
    assert_near(path.length, 2.0 * sqrt(1.0 + 0.3 * 0.3), ROUND_OFF); // by way of (0, 0.5)
    const dp_v3 low = {1.0, 0.2, 0.0};
    assert_false(dp_wrap_path(&path, x0, low, &SPHERE, &inside)); // through it already
}

static void a_path_by_way_of_an_obstacle_is_the_shortest(void **state)
{
    (void)state;
    random_source r = {8};
    int found = 0;
    for (int i = 0; i < 3000; ++i) {
        const double a = random_between(&r, 0.501, 3.0), b = random_between(&r, 0.501, 3.0);
        const double gap = random_between(&r, 0.0, 3.0);
        const dp_v3 x0 = at_angle(a, 0.7), x1 = at_angle(b, 0.7 + gap), centre = {0.0, 0.0, 0.0};
        dp_bent_path path;
        if (!dp_wrap_path(&path, x0, x1, &SPHERE, &centre)) {
            continue;
        }
        ++found;
        // |x0 − p| + |p − x1| is unimodal between the two: golden section.
        double lo = 0.0, hi = gap;
        const double golden = 0.5 * (sqrt(5.0) - 1.0);
        double least = HUGE_VAL;
        for (int k = 0; k < 90; ++k) {
            const double at[2] = {hi - golden * (hi - lo), lo + golden * (hi - lo)};
            double length[2];
            for (int e = 0; e < 2; ++e) {
                const dp_v3 p = at_angle(0.5, 0.7 + at[e]);
                length[e] = dp_v3_norm(dp_v3_sub(p, x0)) + dp_v3_norm(dp_v3_sub(x1, p));
            }
            least = fmin(least, fmin(length[0], length[1]));
            if (length[0] < length[1]) {
                hi = at[1];
            } else {
                lo = at[0];
            }
        }
        assert_near(path.length, least, 10.0 * ROUND_OFF);
    }
    assert_true(found > 500);
}

static void a_path_bends_without_a_jump(void **state)
{
    (void)state;
    const double step = 1e-7; // the length is smooth to second order there
    const dp_v3 inside = {0.0, 0.0, 0.0};
    for (int kind = 0; kind < 3; ++kind) {
        const dp_obstacle *obstacle = kind == 1 ? &CYLINDER : &SPHERE;
        for (int sign = -1; sign <= 1; ++sign) {
            const double height = 0.5 + sign * step;
            const dp_v3 x0 = {-1.0, height, 0.1}, x1 = {1.2, height, -0.2};
            dp_obstacle o = *obstacle;
            o.X.p.z = kind == 1 ? 0.0 : 0.1 - 0.3 / 2.2; // the path would pass its equator
            dp_bent_path path;
            const double straight = dp_v3_norm(dp_v3_sub(x1, x0));
            if (dp_wrap_path(&path, x0, x1, &o, kind == 2 ? &inside : NULL)) {
                assert_near(path.length, straight, 10.0 * step * step + ROUND_OFF);
                const dp_v3 along = dp_v3_scale(dp_v3_sub(x1, x0), 1.0 / straight);
                assert_near(dp_v3_norm(dp_v3_sub(path.leave, along)), 0.0, 10.0 * step);
                assert_near(dp_v3_norm(dp_v3_sub(path.arrive, along)), 0.0, 10.0 * step);
            }
        }
    }
}

static void a_path_through_the_centre_has_a_length_and_a_direction(void **state)
{
    (void)state;
    const dp_v3 x0 = {-1.0, 0.0, 0.0}, x1 = {0.8, 0.0, 0.0}, side = {0.0, 0.0, 2.0};
    dp_bent_path path;
    assert_true(dp_wrap_path(&path, x0, x1, &SPHERE, NULL));
    assert_near(path.length, length_around(1.0, 0.8, DP_PI, 0.5), ROUND_OFF);
    assert_near(dp_v3_norm(path.leave), 1.0, ROUND_OFF);
    assert_true(dp_wrap_path(&path, x0, x1, &SPHERE, &side)); // in the plane of the side
    assert_near(path.length, length_around(1.0, 0.8, DP_PI, 0.5), ROUND_OFF);
    assert_true(path.leave.z > 0.4);
    assert_false(dp_wrap_path(&path, x0, (dp_v3){0.0, 0.0, 0.0}, &SPHERE, NULL));
    assert_false(dp_wrap_path(&path, (dp_v3){0.0, 0.0, 0.0}, x1, &CYLINDER, NULL));
}

// --- a small mechanism

/// Two bodies on slides along x: "left" and "right", each with a site in its origin, and a site
/// "fixed" at (0, 1, 0) in the world.
static mechanism two_sliders(void)
{
    mechanism x = mechanism_begin();
    const dp_v3 moments = {1.0, 1.0, 1.0}, none = {0.0, 0.0, 0.0}, ex = {1.0, 0.0, 0.0};
    const char *const name[2] = {"left", "right"};
    for (int i = 0; i < 2; ++i) {
        const dp_body_id b =
            mechanism_body(&x, DP_WORLD, name[i], (dp_v3){0.0, 0.0, 0.0}, 1.0, none, moments);
        mechanism_joint(&x, b, name[i], DP_JOINT_SLIDE, ex);
        mechanism_site(&x, b, name[i], DP_IDENTITY_POSE);
    }
    mechanism_site(&x, DP_WORLD, "fixed", (dp_pose){{1.0, 0.0, 0.0, 0.0}, {0.0, 1.0, 0.0}});
    return x;
}

static dp_tendon_spec *add_tendon(mechanism *x, const char *name, bool spatial,
                                  const dp_wrap_spec *wrap, int nwrap)
{
    dp_tendon_spec tendon = dp_tendon_spec_default();
    tendon.name = name;
    tendon.spatial = spatial;
    tendon.wrap = wrap;
    tendon.nwrap = nwrap;
    dp_tendon_id id;
    assert_ok(dp_spec_add_tendon(&id, x->spec, &tendon));
    return dp_spec_tendon(x->spec, id);
}

static void a_fixed_tendon_sums_its_joints(void **state)
{
    (void)state;
    mechanism x = two_sliders();
    const dp_wrap_spec wrap[] = {
        {.kind = DP_WRAP_JOINT, .object = "right", .coefficient = 2.0},
        {.kind = DP_WRAP_JOINT, .object = "left", .coefficient = -3.0},
        {.kind = DP_WRAP_JOINT, .object = "right", .coefficient = 0.5},
    };
    add_tendon(&x, "sum", false, wrap, 3);
    mechanism_compile(&x);
    tendon_rig rig;
    rig_open(&rig, x.m);
    rig_move(&rig, (const double[2]){0.25, 4.0});
    assert_near(rig.tendon.length[0], 2.5 * 4.0 - 3.0 * 0.25, 0.0);
    assert_int_equal(rig.tendon.count[0], 2);
    const double *gradient = rig_gradient(&rig, 0);
    assert_near(gradient[0], -3.0, 0.0);
    assert_near(gradient[1], 2.5, 0.0);
    rig_close(&rig);
    mechanism_end(&x);
}

static void a_branch_behind_a_pulley_counts_by_its_divisor(void **state)
{
    (void)state;
    mechanism x = two_sliders();
    const dp_wrap_spec wrap[] = {
        {.kind = DP_WRAP_SITE, .object = "fixed"},    {.kind = DP_WRAP_SITE, .object = "left"},
        {.kind = DP_WRAP_PULLEY, .coefficient = 2.0}, {.kind = DP_WRAP_SITE, .object = "fixed"},
        {.kind = DP_WRAP_SITE, .object = "right"},    {.kind = DP_WRAP_PULLEY, .coefficient = 4.0},
        {.kind = DP_WRAP_SITE, .object = "left"},     {.kind = DP_WRAP_SITE, .object = "right"},
    };
    add_tendon(&x, "tackle", true, wrap, 8);
    mechanism_compile(&x);
    tendon_rig rig;
    rig_open(&rig, x.m);
    rig_move(&rig, (const double[2]){-0.75, 2.4}); // 3, 4, 5 and 5, 12, 13
    assert_near(rig.tendon.length[0], 1.25 + 2.6 / 2.0 + 3.15 / 4.0, ROUND_OFF);
    const double *gradient = rig_gradient(&rig, 0);
    assert_near(gradient[0], -0.6 - 0.25, ROUND_OFF);
    assert_near(gradient[1], 12.0 / 13.0 / 2.0 + 0.25, ROUND_OFF);
    rig_close(&rig);
    mechanism_end(&x);
}

static void a_spring_rests_where_the_joints_do_unless_told(void **state)
{
    (void)state;
    mechanism x = two_sliders();
    const dp_wrap_spec wrap[] = {
        {.kind = DP_WRAP_SITE, .object = "left"},
        {.kind = DP_WRAP_SITE, .object = "right"},
    };
    const dp_wrap_spec joint = {.kind = DP_WRAP_JOINT, .object = "right", .coefficient = 1.0};
    dp_spec_joint(x.spec, (dp_joint_id){1})->ref = 0.5;
    dp_spec_joint(x.spec, (dp_joint_id){1})->spring_ref = 0.75;
    add_tendon(&x, "implied", true, wrap, 2);
    dp_tendon_spec *given = add_tendon(&x, "given", false, &joint, 1);
    given->spring_range[0] = -1.0;
    given->spring_range[1] = 0.5;
    mechanism_compile(&x);
    tendon_rig rig;
    rig_open(&rig, x.m);
    assert_near(rig.tendon.reference[0], 0.0, ROUND_OFF); // bodies are described at the reference
    assert_near(rig.tendon.reference[1], 0.5, 0.0);
    assert_near(rig.tendon.spring_range[0][0], 0.25, ROUND_OFF);
    assert_near(rig.tendon.spring_range[0][1], 0.25, ROUND_OFF);
    assert_near(rig.tendon.spring_range[1][0], -1.0, 0.0);
    assert_near(rig.tendon.spring_range[1][1], 0.5, 0.0);
    rig_close(&rig);
    mechanism_end(&x);
}

static void a_tendon_without_length_has_no_direction(void **state)
{
    (void)state;
    mechanism x = two_sliders();
    const dp_wrap_spec wrap[] = {
        {.kind = DP_WRAP_SITE, .object = "left"},
        {.kind = DP_WRAP_SITE, .object = "right"},
    };
    add_tendon(&x, "short", true, wrap, 2);
    mechanism_compile(&x);
    tendon_rig rig;
    rig_open(&rig, x.m);
    rig_move(&rig, (const double[2]){0.5, 0.5});
    const double *gradient = rig_gradient(&rig, 0);
    assert_near(rig.tendon.length[0], 0.0, 0.0);
    assert_near(gradient[0], 0.0, 0.0);
    assert_near(gradient[1], 0.0, 0.0);
    rig_close(&rig);
    mechanism_end(&x);
}

// --- random mechanisms

enum { MECHANISMS = 60, STATES = 6 };

static void draw_configuration(double *q, const dp_model *m, random_source *r)
{
    for (int i = 0; i < m->size.nq; ++i) {
        q[i] = random_between(r, -1.2, 1.2);
    }
    dp_kin_normalise(q, m);
}

static double *numbers(int n)
{
    double *x = calloc((size_t)n + 1, sizeof *x);
    assert_non_null(x);
    return x;
}

/// Call `check` at random configurations of random mechanisms.
static void on_random_mechanisms(void (*check)(tendon_rig *rig, double *q, random_source *r))
{
    for (uint64_t seed = 1; seed <= MECHANISMS; ++seed) {
        dp_model *m = random_tendon_model(seed);
        random_source r = {seed + 1000};
        tendon_rig rig;
        rig_open(&rig, m);
        double *q = numbers(m->size.nq);
        for (int s = 0; s < STATES; ++s) {
            draw_configuration(q, m, &r);
            rig_move(&rig, q);
            check(&rig, q, &r);
        }
        free(q);
        rig_close(&rig);
        dp_model_destroy(m);
    }
}

typedef struct difference {
    double rate;  // central difference of a length
    double error; // how far it can be wrong: what half and double steps disagree by
    bool jumps;   // the path goes another way within the step
} difference;

/// d/ds of the lengths (tendons, then actuators) at q ⊕ s v
static void differentiate(difference *out, tendon_rig *rig, const double *q, const double *v)
{
    const int nt = rig->m->size.ntendon, nu = rig->m->size.nu, n = nt + nu;
    const double h = 1e-5;
    double *length[4], *moved = numbers(rig->m->size.nq);
    for (int k = 0; k < 4; ++k) { // −2h, −h, h, 2h
        length[k] = numbers(n);
        dp_kin_advance(moved, rig->m, q, v, (k < 2 ? k - 2 : k - 1) * h);
        rig_move(rig, moved);
        memcpy(length[k], rig->tendon.length, (size_t)nt * sizeof(double));
        memcpy(length[k] + nt, rig->transmission.length, (size_t)nu * sizeof(double));
    }
    for (int i = 0; i < n; ++i) {
        const double once = (length[2][i] - length[1][i]) / (2.0 * h);
        const double twice = (length[3][i] - length[0][i]) / (4.0 * h);
        out[i].rate = once;
        out[i].error = fabs(once - twice);
        out[i].jumps = fabs(twice) > 100.0 || fabs(once) > 100.0;
    }
    for (int k = 0; k < 4; ++k) {
        free(length[k]);
    }
    free(moved);
    rig_move(rig, q);
}

/// Is the moment of an actuator the gradient of its length? Not where it is a given torque.
static bool has_gradient(const dp_model *m, const dp_actuator *actuator)
{
    const double *torque = actuator->gear + 3;
    switch (actuator->transmission) {
    case DP_TRANSMISSION_JOINT:
        return m->joint[actuator->joint].nv == 1;
    case DP_TRANSMISSION_TENDON:
        return true;
    case DP_TRANSMISSION_SITE:
        return actuator->reference_site >= 0 && torque[0] == 0.0 && torque[1] == 0.0 &&
               torque[2] == 0.0;
    case DP_TRANSMISSION_BODY:
        break;
    }
    return false;
}

static int compared, compared_sharply; // lengths, and those with differences good to 1e-6

static void assert_rate(double rate, const difference *d)
{
    if (!d->jumps) { // between the two sides of an obstacle
        assert_near(rate, d->rate, 1e-7 + 2.0 * d->error);
    }
    ++compared;
    compared_sharply += d->error < 1e-6 ? 1 : 0;
}

/// Differences of second order and of lengths known to 1e-14 m: at a bend that begins within the
/// step the second derivative jumps, and the error is of first order in the step.
static void check_differences(tendon_rig *rig, double *q, random_source *r)
{
    const dp_model *m = rig->m;
    const int nt = m->size.ntendon, n = nt + m->size.nu;
    double *v = numbers(m->size.nv);
    for (int k = 0; k < m->size.nv; ++k) {
        v[k] = random_between(r, -1.0, 1.0);
    }
    difference *d = calloc((size_t)n + 1, sizeof *d);
    assert_non_null(d);
    differentiate(d, rig, q, v);
    for (int i = 0; i < nt; ++i) {
        assert_rate(dp_tendon_rate(&rig->tendon, i, v), &d[i]);
    }
    for (int u = 0; u < m->size.nu; ++u) {
        if (has_gradient(m, &m->actuator[u])) {
            assert_rate(dp_transmission_rate(&rig->transmission, u, v), &d[nt + u]);
        }
    }
    free(d);
    free(v);
}

static void gradients_are_the_derivatives_of_lengths(void **state)
{
    (void)state;
    compared = compared_sharply = 0;
    on_random_mechanisms(check_differences);
    assert_true(compared > 20 * MECHANISMS);
    assert_true(compared_sharply > compared - compared / 50);
}

/// d/ds of the rates of tendons at q ⊕ s v for constant v, by differences.
static void differentiate_rates(difference *out, tendon_rig *rig, const double *q, const double *v)
{
    const int nt = rig->m->size.ntendon;
    const double h = 1e-5;
    double *moved = numbers(rig->m->size.nq), *rate = numbers(4 * nt);
    for (int k = 0; k < 4; ++k) { // −2h, −h, h, 2h
        dp_kin_advance(moved, rig->m, q, v, (k < 2 ? k - 2 : k - 1) * h);
        rig_move(rig, moved);
        for (int i = 0; i < nt; ++i) {
            rate[k * nt + i] = dp_tendon_rate(&rig->tendon, i, v);
        }
    }
    for (int i = 0; i < nt; ++i) {
        const double once = (rate[2 * nt + i] - rate[nt + i]) / (2.0 * h);
        const double twice = (rate[3 * nt + i] - rate[i]) / (4.0 * h);
        out[i] = (difference){.rate = once, .error = fabs(once - twice)};
    }
    free(rate);
    free(moved);
}

static void check_bias(tendon_rig *rig, double *q, random_source *r)
{
    const dp_model *m = rig->m;
    double *v = numbers(m->size.nv);
    for (int k = 0; k < m->size.nv; ++k) {
        v[k] = random_between(r, -1.0, 1.0);
    }
    difference *d = calloc((size_t)m->size.ntendon + 1, sizeof *d);
    assert_non_null(d);
    differentiate_rates(d, rig, q, v);
    rig_move(rig, q);
    dp_kin_update(&rig->kin, m, q, v);
    for (int i = 0; i < m->size.ntendon; ++i) {
        const dp_tendon_motion motion = dp_tendon_move(&rig->kin, m, i, v);
        const double size = 1.0 + fabs(motion.bias);
        assert_near(motion.rate, dp_tendon_rate(&rig->tendon, i, v), 1e-12);
        ++compared;
        if (d[i].error < 1e-4 * size) { // no bend begins or ends there
            assert_near(motion.bias, d[i].rate, 1e-7 * size + 2.0 * d[i].error);
            ++compared_sharply;
        }
    }
    free(d);
    free(v);
}

static void the_bias_of_a_tendon_is_the_derivative_of_its_rate(void **state)
{
    (void)state;
    compared = compared_sharply = 0;
    on_random_mechanisms(check_bias);
    assert_true(compared > 6 * MECHANISMS);
    assert_true(compared_sharply > compared - compared / 20);
}

/// What wrenches on bodies do along the coordinates.
static void project(double *tau, tendon_rig *rig)
{
    memset(tau, 0, (size_t)rig->m->size.nv * sizeof *tau);
    dp_project_wrenches(tau, rig->wrench, &rig->kin, rig->m);
}

static void clear_wrenches(tendon_rig *rig)
{
    memset(rig->wrench, 0, (size_t)rig->m->size.nbody * sizeof *rig->wrench);
}

static void assert_in_balance(const tendon_rig *rig)
{
    dp_wrench sum = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    for (int b = 0; b < rig->m->size.nbody; ++b) {
        sum = dp_wrench_add(sum, dp_wrench_shift(rig->wrench[b], rig->kin.link[b].X.p));
    }
    const double size = 1e-11; // round-off of forces of 10 N at distances of 10 m
    assert_near(dp_v3_norm(sum.f), 0.0, size);
    assert_near(dp_v3_norm(sum.t), 0.0, size);
}

static void check_forces(tendon_rig *rig, double *q, random_source *r)
{
    (void)q;
    const dp_model *m = rig->m;
    double *tau = numbers(m->size.nv);
    for (int i = 0; i < m->size.ntendon; ++i) {
        const double tension = random_between(r, -3.0, 3.0);
        clear_wrenches(rig);
        dp_tendon_pull(rig->wrench, &rig->kin, m, i, tension);
        assert_in_balance(rig);
        project(tau, rig);
        const double *gradient = rig_gradient(rig, i);
        for (int k = 0; k < m->size.nv; ++k) {
            assert_near(tau[k], m->tendon[i].spatial ? -gradient[k] * tension : 0.0, 1e-11);
        }
    }
    for (int u = 0; u < m->size.nu; ++u) {
        const dp_actuator *actuator = &m->actuator[u];
        const double force = random_between(r, -3.0, 3.0);
        const bool acts_on_joints =
            actuator->joint >= 0 || (actuator->tendon >= 0 && !m->tendon[actuator->tendon].spatial);
        clear_wrenches(rig);
        dp_transmission_push(rig->wrench, &rig->kin, m, u, force);
        assert_in_balance(rig); // with what the world gets
        project(tau, rig);
        const double *moment = rig_moment(rig, u);
        for (int k = 0; k < m->size.nv; ++k) {
            assert_near(tau[k], acts_on_joints ? 0.0 : moment[k] * force, 1e-11);
        }
    }
    free(tau);
}

static void wrenches_balance_and_do_what_gradients_say(void **state)
{
    (void)state;
    on_random_mechanisms(check_forces);
}

static void check_lengths_alone(tendon_rig *rig, double *q, random_source *r)
{
    (void)r;
    double *length = numbers(rig->m->size.ntendon);
    dp_tendon_lengths(length, &rig->kin, rig->m, q);
    assert_memory_equal(length, rig->tendon.length, (size_t)rig->m->size.ntendon * sizeof *length);
    free(length);
}

static void lengths_alone_are_the_same_bits(void **state)
{
    (void)state;
    on_random_mechanisms(check_lengths_alone);
}

static void check_pattern(tendon_rig *rig, double *q, random_source *r)
{
    (void)q;
    (void)r;
    const dp_model *m = rig->m;
    for (int i = 0; i < m->size.ntendon; ++i) {
        rig_gradient(rig, i); // asserts that it is ascending and within its room
        assert_in_range(rig->tendon.count[i], 0, dp_tendon_max_dofs(m, i));
    }
    for (int u = 0; u < m->size.nu; ++u) {
        rig_moment(rig, u);
        assert_in_range(rig->transmission.count[u], 0, dp_transmission_max_dofs(m, u));
    }
}

static void rows_are_ascending_and_within_their_room(void **state)
{
    (void)state;
    on_random_mechanisms(check_pattern);
}

static void what_carries_the_whole_tendon_takes_no_part(void **state)
{
    (void)state;
    mechanism x = mechanism_begin();
    const dp_v3 moments = {1.0, 1.0, 1.0}, none = {0.0, 0.0, 0.0}, ex = {1.0, 0.0, 0.0};
    const dp_body_id base = mechanism_body(&x, DP_WORLD, "base", none, 1.0, none, moments);
    const dp_body_id arm =
        mechanism_body(&x, base, "arm", (dp_v3){1.0, 2.0, 3.0}, 1.0, none, moments);
    mechanism_joint(&x, base, "base", DP_JOINT_FREE, ex);
    mechanism_joint(&x, arm, "arm", DP_JOINT_HINGE, ex);
    mechanism_site(&x, base, "base", DP_IDENTITY_POSE);
    mechanism_site(&x, arm, "arm", (dp_pose){{1.0, 0.0, 0.0, 0.0}, {0.0, 1.0, 0.0}});
    const dp_wrap_spec wrap[] = {
        {.kind = DP_WRAP_SITE, .object = "base"},
        {.kind = DP_WRAP_SITE, .object = "arm"},
    };
    add_tendon(&x, "muscle", true, wrap, 2);
    mechanism_compile(&x);
    tendon_rig rig;
    rig_open(&rig, x.m);
    double q[8] = {0.3, 0.2, 0.1, 0.5, 0.5, -0.5, 0.5, 0.7};
    rig_move(&rig, q);
    assert_int_equal(rig.tendon.count[0], 1);
    assert_int_equal(rig.tendon.dof[0], 6);
    rig_close(&rig);
    mechanism_end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_around_a_sphere_is_two_tangents_and_an_arc),
        cmocka_unit_test(a_path_around_a_cylinder_climbs_evenly),
        cmocka_unit_test(a_path_that_nothing_bars_is_straight),
        cmocka_unit_test(points_on_the_surface_are_joined_by_an_arc),
        cmocka_unit_test(a_side_site_sends_the_path_around_its_side),
        cmocka_unit_test(a_side_site_beyond_the_obstacle_bars_the_straight_way),
        cmocka_unit_test(a_side_is_kept_for_more_than_half_a_turn),
        cmocka_unit_test(the_middle_of_the_arc_is_nearest_to_the_side),
        cmocka_unit_test(a_side_site_inside_makes_the_path_touch),
        cmocka_unit_test(a_path_by_way_of_an_obstacle_is_the_shortest),
        cmocka_unit_test(a_path_bends_without_a_jump),
        cmocka_unit_test(a_path_through_the_centre_has_a_length_and_a_direction),
        cmocka_unit_test(a_fixed_tendon_sums_its_joints),
        cmocka_unit_test(a_branch_behind_a_pulley_counts_by_its_divisor),
        cmocka_unit_test(a_spring_rests_where_the_joints_do_unless_told),
        cmocka_unit_test(a_tendon_without_length_has_no_direction),
        cmocka_unit_test(what_carries_the_whole_tendon_takes_no_part),
        cmocka_unit_test(gradients_are_the_derivatives_of_lengths),
        cmocka_unit_test(the_bias_of_a_tendon_is_the_derivative_of_its_rate),
        cmocka_unit_test(wrenches_balance_and_do_what_gradients_say),
        cmocka_unit_test(lengths_alone_are_the_same_bits),
        cmocka_unit_test(rows_are_ascending_and_within_their_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
