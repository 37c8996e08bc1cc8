// Closed loops for a hundred thousand steps: the gap is computed here from the poses of the bodies,
// not from the rows, and positions are held against the geometry of the mechanism.
#include "mechanism.h"

#include "math/v3.h"

#include <dashpot/format.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STEPS = 100000 };

static mechanism scene(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, DP_SCENES "/%s.xml", name);
    dp_spec *spec;
    assert_ok(dp_mjcf_load(&spec, NULL, path, NULL));
    mechanism x = mechanism_from(spec);
    assert_ok(dp_data_reset_to_key(x.d, (dp_key_id){0}));
    assert_ok(dp_kinematics(x.d));
    assert_near(dp_data_options(x.d)->step, 1e-3, 0.0);
    return x;
}

// A point of each of two bodies that should be one.
typedef struct pin {
    const char *body[2]; // NULL: the world
    dp_v3 point[2];
} pin;

static dp_v3 point_of(const mechanism *x, const char *body, dp_v3 p)
{
    if (!body) {
        return p;
    }
    dp_body_id id;
    assert_ok(dp_model_find_body(&id, x->m, body));
    const dp_pose pose = dp_body_pose(x->d, id);
    return dp_v3_add(pose.p, dp_quat_rotate(pose.q, p));
}

static double gap(const mechanism *x, const pin *p)
{
    return dp_v3_norm(
        dp_v3_sub(point_of(x, p->body[0], p->point[0]), point_of(x, p->body[1], p->point[1])));
}

typedef struct drift {
    double gap;         // [m] worst by the poses
    double certificate; // [m] worst that the step tells
    int unsolved;
} drift;

// @param look called after every step
static drift run(mechanism *x, const pin *pins, int npin, int steps, void (*look)(mechanism *))
{
    drift worst = {0.0, 0.0, 0};
    for (int n = 0; n < steps; ++n) {
        mechanism_steps(x, 1);
        for (int i = 0; i < npin; ++i) {
            worst.gap = fmax(worst.gap, gap(x, &pins[i]));
        }
        worst.certificate = fmax(worst.certificate, dp_data_report(x->d)->certificate.drift);
        worst.unsolved += dp_data_report(x->d)->unsolved;
        if (look) {
            look(x);
        }
    }
    return worst;
}

static void check(const char *name, drift d)
{
    print_message("%s: gap %.1e m, certificate %.1e m\n", name, d.gap, d.certificate);
    assert_int_equal(d.unsolved, 0);
    assert_true(d.gap <= 1e-9);
    assert_true(d.certificate <= 1e-9);
}

// Loop closure of the four-bar: crank end + coupler = ground + rocker, solved by Newton for the
// coupler and the rocker at the crank's angle. Rotation by q about y turns (x, z) to
// (x cos q + z sin q, z cos q − x sin q).
static void turned(double out[2], const double p[2], double angle)
{
    out[0] = p[0] * cos(angle) + p[1] * sin(angle);
    out[1] = p[1] * cos(angle) - p[0] * sin(angle);
}

static double four_bar_branch[2]; // angles of the coupler and rocker in the world, followed

static void solve_four_bar(double crank)
{
    const double a[2] = {0.0, 0.1}, b[2] = {0.3, 0.15}, c[2] = {0.0, 0.25}, ground[2] = {0.3, 0.0};
    double *angle = four_bar_branch;
    double A[2], B[2], C[2];
    turned(A, a, crank);
    for (int i = 0; i < 20; ++i) {
        turned(B, b, angle[0]);
        turned(C, c, angle[1]);
        const double r[2] = {A[0] + B[0] - ground[0] - C[0], A[1] + B[1] - ground[1] - C[1]};
        // d(x, z)/dq = (z, −x)
        const double J[2][2] = {{B[1], -C[1]}, {-B[0], C[0]}};
        const double det = J[0][0] * J[1][1] - J[0][1] * J[1][0];
        angle[0] -= (J[1][1] * r[0] - J[0][1] * r[1]) / det;
        angle[1] -= (J[0][0] * r[1] - J[1][0] * r[0]) / det;
    }
}

static double worst_closure;

static void look_at_four_bar(mechanism *x)
{
    const double *q = dp_data_q(x->d);
    solve_four_bar(q[0]);
    const double error = fmax(fabs(q[0] + q[1] - four_bar_branch[0]), // the coupler rides the crank
                              fabs(q[2] - four_bar_branch[1]));
    worst_closure = fmax(worst_closure, error);
}

static void a_four_bar_stays_closed_and_where_geometry_says(void **state)
{
    (void)state;
    mechanism x = scene("four_bar");
    const pin pins[] = {{{"coupler", "rocker"}, {{0.3, 0.0, 0.15}, {0.0, 0.0, 0.25}}}};
    four_bar_branch[0] = four_bar_branch[1] = 0.0;
    worst_closure = 0.0;
    check("four-bar", run(&x, pins, 1, STEPS, look_at_four_bar));
    print_message("four-bar: angles %.1e rad off the closed loop\n", worst_closure);
    assert_true(worst_closure <= 1e-8); // 1e-10 m over bars of 0.1 m, more where they stretch
    mechanism_end(&x);
}

static double crank_turns;

// x = r sin θ + √(L² − (r cos θ)²), crank of 0.1 m up at θ = 0, rod of √0.1 m.
static void look_at_slider_crank(mechanism *x)
{
    const double *q = dp_data_q(x->d);
    const double r = 0.1, rod = sqrt(0.3 * 0.3 + 0.1 * 0.1);
    const double s = r * sin(q[0]), c = r * cos(q[0]);
    const double expected = s + sqrt(rod * rod - c * c) - 0.3;
    worst_closure = fmax(worst_closure, fabs(q[2] - expected));
    crank_turns = fmax(crank_turns, fabs(q[0]));
}

static void a_slider_crank_is_where_the_closed_form_says_at_all_times(void **state)
{
    (void)state;
    mechanism x = scene("slider_crank");
    const pin pins[] = {{{"rod", "piston"}, {{0.3, 0.0, -0.1}, {0.0, 0.0, 0.0}}}};
    worst_closure = crank_turns = 0.0;
    check("slider-crank", run(&x, pins, 1, STEPS, look_at_slider_crank));
    print_message("slider-crank: piston %.1e m off, crank to %.0f rad\n", worst_closure,
                  crank_turns);
    assert_true(worst_closure <= 1e-9);
    assert_true(crank_turns > 100.0);
    mechanism_end(&x);
}

static void a_five_bar_stays_closed(void **state)
{
    (void)state;
    mechanism x = scene("five_bar");
    const pin pins[] = {{{"left coupler", "right coupler"}, {{0.15, 0.0, 0.2}, {-0.15, 0.0, 0.2}}}};
    check("five-bar", run(&x, pins, 1, STEPS, NULL));
    mechanism_end(&x);
}

static double worst_tilt;

static void look_at_platform(mechanism *x)
{
    const double *q = dp_data_q(x->d);
    worst_tilt = fmax(worst_tilt, fabs(q[0] + q[1])); // the platform stays level
    worst_closure = fmax(worst_closure, fmax(fabs(q[2] - q[0]), fabs(q[3] - q[0])));
}

static void parallel_links_with_one_too_many_stay_parallel(void **state)
{
    (void)state;
    mechanism x = scene("parallel_links");
    const pin pins[] = {{{"second", "platform"}, {{0.0, 0.0, 0.2}, {0.2, 0.0, 0.0}}},
                        {{"third", "platform"}, {{0.0, 0.0, 0.2}, {0.4, 0.0, 0.0}}}};
    worst_tilt = worst_closure = 0.0;
    check("parallel links", run(&x, pins, 2, STEPS, look_at_platform));
    print_message("parallel links: tilt %.1e rad, cranks %.1e rad apart\n", worst_tilt,
                  worst_closure);
    assert_true(worst_tilt <= 1e-8 && worst_closure <= 1e-8);
    mechanism_end(&x);
}

// Threefold symmetry, and the closure cos a + cos b + cos a cos b = 0 of angles that are square at
// first: a = π/2 + q₀, b = π/2 + q₁.
static void look_at_bricard(mechanism *x)
{
    const double *q = dp_data_q(x->d), sign[6] = {1.0, 1.0, -1.0, 1.0, 1.0, -1.0};
    for (int k = 2; k < 6; ++k) {
        worst_closure = fmax(worst_closure, fabs(sign[k] * q[k] - q[k % 2]));
    }
    const double closure = sin(q[0]) + sin(q[1]) - sin(q[0]) * sin(q[1]);
    worst_closure = fmax(worst_closure, fabs(closure));
    crank_turns = fmax(crank_turns, fabs(q[0]));
}

// Of the welded bar three points are looked at, so turning counts, too.
static void a_bricard_linkage_moves_and_stays_closed(void **state)
{
    (void)state;
    mechanism x = scene("bricard");
    const pin pins[] = {{{"first", NULL}, {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}},
                        {{"first", NULL}, {{0.2, 0.0, 0.0}, {0.2, 0.0, 0.0}}},
                        {{"first", NULL}, {{0.0, 0.2, 0.0}, {0.0, 0.2, 0.0}}}};
    worst_closure = crank_turns = 0.0;
    check("Bricard", run(&x, pins, 3, STEPS, look_at_bricard));
    print_message("Bricard: angles %.1e rad off the closed loop, to %.1f rad\n", worst_closure,
                  crank_turns);
    assert_true(worst_closure <= 1e-8);
    assert_true(crank_turns > 3.0);
    mechanism_end(&x);
}

static void a_gripper_linkage_stays_closed_and_closes(void **state)
{
    (void)state;
    mechanism x = scene("gripper_linkage");
    const pin pins[] = {{{"left outer", "left finger"}, {{-0.03, 0.0, 0.05}, {-0.03, 0.0, 0.0}}},
                        {{"right outer", "right finger"}, {{0.03, 0.0, 0.05}, {0.03, 0.0, 0.0}}}};
    check("gripper", run(&x, pins, 2, STEPS, NULL));
    const double *q = dp_data_q(x.d);
    dp_joint_id left, right;
    assert_ok(dp_model_find_joint(&left, x.m, "left"));
    assert_ok(dp_model_find_joint(&right, x.m, "right"));
    const double l = q[dp_model_joint(x.m, left).q_index],
                 r = q[dp_model_joint(x.m, right).q_index];
    print_message("gripper: left %.9f, right %.9f rad\n", l, r);
    assert_near(l + r, 0.0, 1e-9); // the mirror
    assert_true(l > 0.2 && l <= 0.3 + 1e-9);
    mechanism_end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_four_bar_stays_closed_and_where_geometry_says),
        cmocka_unit_test(a_slider_crank_is_where_the_closed_form_says_at_all_times),
        cmocka_unit_test(a_five_bar_stays_closed),
        cmocka_unit_test(parallel_links_with_one_too_many_stay_parallel),
        cmocka_unit_test(a_bricard_linkage_moves_and_stays_closed),
        cmocka_unit_test(a_gripper_linkage_stays_closed_and_closes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
