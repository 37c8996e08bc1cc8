// Rows as springs and dashpots: what they carry at rest, how they swing.
#include "mechanism.h"

#include "math/v3.h"

#include <dashpot/format.h>

#include <float.h>
#include <math.h>
#include <string.h>

static const double MASS = 2.0, TURNING = 0.3, LOAD = 7.0; // [kg], [kg m²], [N, N m]

typedef enum row_spring {
    SLIDE_LIMIT,
    HINGE_LIMIT,
    CONNECT,
    WELD,
    WELD_TURNED,
    DISTANCE,
    PLANE,
    JOINT_EQUALITY,
    FIXED_TENDON,
    SPATIAL_TENDON,
    TENDON_LIMIT,
    ROW_SPRINGS,
} row_spring;

static const char *const NAME[ROW_SPRINGS] = {"limit of a slide",
                                              "limit of a hinge",
                                              "connect",
                                              "weld",
                                              "weld, turned",
                                              "distance",
                                              "plane",
                                              "joint equality",
                                              "fixed tendon",
                                              "spatial tendon",
                                              "limit of a tendon"};

static bool turns(row_spring kind)
{
    return kind == HINGE_LIMIT || kind == WELD_TURNED;
}

static double inertia_of(row_spring kind)
{
    return turns(kind) ? TURNING : MASS;
}

static void add_tendon(mechanism *x, row_spring kind, double k, double b)
{
    const dp_wrap_spec joint = {.kind = DP_WRAP_JOINT, .object = "j", .coefficient = 1.0};
    const dp_wrap_spec sites[] = {{.kind = DP_WRAP_SITE, .object = "ceiling"},
                                  {.kind = DP_WRAP_SITE, .object = "mass"}};
    dp_tendon_spec tendon = dp_tendon_spec_default();
    tendon.spatial = kind == SPATIAL_TENDON;
    tendon.wrap = tendon.spatial ? sites : &joint;
    tendon.nwrap = tendon.spatial ? 2 : 1;
    if (kind == TENDON_LIMIT) {
        tendon.limited = true;
        tendon.range[1] = 10.0;
        tendon.limit = (dp_bearing){k, b};
    } else {
        tendon.stiffness = k;
        tendon.damping = b;
        tendon.spring_range[0] = tendon.spring_range[1] = tendon.spatial ? 0.5 : 0.0;
    }
    assert_ok(dp_spec_add_tendon(NULL, x->spec, &tendon));
}

static void add_equality(mechanism *x, row_spring kind, double k, double b)
{
    dp_equality_spec e = dp_equality_spec_default();
    e.kind = kind == CONNECT          ? DP_EQUALITY_CONNECT
             : kind == DISTANCE       ? DP_EQUALITY_DISTANCE
             : kind == PLANE          ? DP_EQUALITY_PLANE
             : kind == JOINT_EQUALITY ? DP_EQUALITY_JOINT
                                      : DP_EQUALITY_WELD;
    e.object[0] = kind == JOINT_EQUALITY ? "j" : "body";
    if (kind == DISTANCE) {
        e.second_anchor = (dp_v3){0.0, 0.0, 0.5};
    }
    e.bearing = (dp_bearing){k, b};
    assert_ok(dp_spec_add_equality(NULL, x->spec, &e));
}

// A body along or about z that one row of stiffness k and damping b holds at 0.
static mechanism held(row_spring kind, double k, double b, double h)
{
    mechanism x = mechanism_begin();
    dp_options *options = dp_spec_options(x.spec);
    options->gravity = (dp_v3){0.0, 0.0, 0.0};
    options->step = h;
    mechanism_site(&x, DP_WORLD, "ceiling", (dp_pose){{1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.5}});
    const dp_body_id body =
        mechanism_body(&x, DP_WORLD, "body", (dp_v3){0.0, 0.0, 0.0}, MASS, (dp_v3){0.0, 0.0, 0.0},
                       (dp_v3){TURNING, TURNING, TURNING});
    mechanism_site(&x, body, "mass", (dp_pose){{1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}});
    const bool is_free = kind == CONNECT || kind == WELD || kind == WELD_TURNED;
    const dp_joint_kind joint_kind = is_free               ? DP_JOINT_FREE
                                     : kind == HINGE_LIMIT ? DP_JOINT_HINGE
                                                           : DP_JOINT_SLIDE;
    dp_joint_spec *joint = mechanism_joint(&x, body, "j", joint_kind, (dp_v3){0.0, 0.0, 1.0});
    if (kind == SLIDE_LIMIT || kind == HINGE_LIMIT) {
        joint->limited = true;
        joint->range[1] = 10.0;
        joint->limit = (dp_bearing){k, b};
    } else if (kind >= FIXED_TENDON) {
        add_tendon(&x, kind, k, b);
    } else {
        add_equality(&x, kind, k, b);
    }
    mechanism_compile(&x);
    return x;
}

// How far it is from 0 along z, or about it.
static double displacement(const mechanism *x, row_spring kind)
{
    const double *q = dp_data_q(x->d);
    return kind == WELD_TURNED               ? 2.0 * atan2(q[6], q[3])
           : kind == CONNECT || kind == WELD ? q[2]
                                             : q[0];
}

// The load points away from the free side of limits.
static void load(mechanism *x, double force)
{
    const dp_joint_info joint = dp_model_joint(x->m, (dp_joint_id){0});
    dp_wrench *wrench = dp_data_wrench(x->d, joint.body);
    if (joint.kind == DP_JOINT_HINGE) {
        wrench->t.z = force;
    } else {
        wrench->f.z = force;
    }
}

static void at_rest_every_spring_carries_its_load(void **state)
{
    (void)state;
    const double steps[] = {1e-2, 1e-3};
    double worst = 0.0;
    for (int number = 0; number < ROW_SPRINGS; ++number) {
        const row_spring kind = (row_spring)number;
        for (int exponent = 2; exponent <= 10; ++exponent) {
            for (int i = 0; i < 2; ++i) {
                const double k = pow(10.0, exponent), inertia = inertia_of(kind);
                mechanism x = held(kind, k, 2.0 * sqrt(k * inertia), steps[i]);
                load(&x, -LOAD);
                if (kind == WELD_TURNED) {
                    *dp_data_wrench(x.d, dp_model_joint(x.m, (dp_joint_id){0}).body) =
                        (dp_wrench){.t = {0.0, 0.0, -LOAD}};
                }
                // Critical damping: e⁻²⁵ after 25 time constants, and at least 20 steps.
                const double settled = 30.0 * sqrt(inertia / k);
                mechanism_steps(&x, 20 + (int)(settled / steps[i]));
                const double expected = -LOAD / k, found = displacement(&x, kind);
                worst = fmax(worst, fabs(found / expected - 1.0));
                if (!(fabs(found / expected - 1.0) <= 1e-4)) {
                    print_error("%s, k = %g, h = %g\n", NAME[kind], k, steps[i]);
                }
                assert_near(found / expected, 1.0, 1e-4);
                mechanism_end(&x);
            }
        }
    }
    print_message("deflection of load/k to %.1e\n", worst);
}

// The row is implicit: (m + h b + h² k) v₁ = m v − h k q.
static void a_two_sided_row_follows_its_recursion_to_round_off(void **state)
{
    (void)state;
    const row_spring kinds[] = {CONNECT, JOINT_EQUALITY, FIXED_TENDON};
    const double stiffness[] = {1.0, 1e4, 1e9, 1e15}, damping[] = {0.0, 1.0, 1e6};
    for (int i = 0; i < 3 * 4 * 3; ++i) {
        const row_spring kind = kinds[i % 3];
        const double k = stiffness[i / 3 % 4], b = damping[i / 12], h = 0.01;
        mechanism x = held(kind, k, b, h);
        const int at = kind == CONNECT ? 2 : 0;
        double q = 1e-3, v = 0.05;
        dp_data_q(x.d)[at] = q;
        dp_data_v(x.d)[at] = v;
        for (int n = 0; n < 50; ++n) {
            v = (MASS * v - h * k * q) / (MASS + h * b + h * h * k);
            q += h * v;
            mechanism_steps(&x, 1);
            assert_near(dp_data_q(x.d)[at], q, 1e-17 * (n + 1));
            assert_near(dp_data_v(x.d)[at], v, 1e-15 * (n + 1)); // φ/h of the first step
        }
        mechanism_end(&x);
    }
}

typedef struct swing {
    double frequency, ratio; // [rad/s] of the damped swing, [1] damping ratio
} swing;

// From the zeros of q on its way up, and v there: n periods take 2πn/ω_d and leave e^{−δn},
// δ = 2πζ/√(1 − ζ²).
static swing measure_swing(row_spring kind, double k, double b, double h)
{
    const double pi = acos(-1.0);
    const int periods = 3;
    mechanism x = held(kind, k, b, h);
    const int at = kind == CONNECT ? 2 : 0;
    dp_data_q(x.d)[at] = 0.01;
    double first = 0.0, first_speed = 0.0, last = 0.0, last_speed = 0.0;
    for (int found = 0; found <= periods;) {
        const double q0 = dp_data_q(x.d)[at], v0 = dp_data_v(x.d)[at];
        mechanism_steps(&x, 1);
        const double q1 = dp_data_q(x.d)[at], v1 = dp_data_v(x.d)[at];
        if (q0 < 0.0 && q1 >= 0.0) {
            const double share = -q0 / (q1 - q0);
            last = dp_data_time(x.d) - h + share * h;
            last_speed = v0 + share * (v1 - v0);
            first = found == 0 ? last : first;
            first_speed = found == 0 ? last_speed : first_speed;
            ++found;
        }
    }
    mechanism_end(&x);
    const double decrement = log(first_speed / last_speed) / periods;
    return (swing){2.0 * pi * periods / (last - first),
                   decrement / sqrt(4.0 * pi * pi + decrement * decrement)};
}

static void one_row_swings_with_its_frequency_and_damping_to_first_order(void **state)
{
    (void)state;
    const row_spring kinds[] = {CONNECT, JOINT_EQUALITY, SPATIAL_TENDON};
    const double w = 10.0, zeta = 0.15, k = MASS * w * w, b = 2.0 * zeta * MASS * w;
    const double damped = w * sqrt(1.0 - zeta * zeta);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        const swing coarse = measure_swing(kinds[i], k, b, 1e-3);
        const swing fine = measure_swing(kinds[i], k, b, 0.5e-3);
        print_message("%s: frequency off by %.2e, %.2e, damping ratio by %.2e, %.2e\n",
                      NAME[kinds[i]], coarse.frequency - damped, fine.frequency - damped,
                      coarse.ratio - zeta, fine.ratio - zeta);
        // The method's eigenvalue is λ + hλ²/2 + O(h²): errors of hζω ω_d and about hω/2, and what
        // is left of them by extrapolation is of size (hω)².
        assert_near((coarse.frequency - damped) / (fine.frequency - damped), 2.0, 0.1);
        assert_near((coarse.ratio - zeta) / (fine.ratio - zeta), 2.0, 0.1);
        assert_near(2.0 * fine.frequency - coarse.frequency, damped, damped * 1e-3 * w * 1e-3 * w);
        assert_near(2.0 * fine.ratio - coarse.ratio, zeta, 1e-4);
        assert_near(coarse.ratio - zeta, 0.5e-3 * w * (1.0 - 2.0 * zeta * zeta), 1e-3);
    }
}

// Two bodies on a ball joint that turn by 0.2 rad in a step: their energy is limited, and the tree
// is scaled about its centre of mass, which a tendon between the two does not move.
static void a_tendon_within_a_tree_that_turns_far_keeps_its_momentum(void **state)
{
    (void)state;
    static const char *const text =
        "<mujoco><option gravity='0 0 0' timestep='0.01'/><worldbody><body name='one'><freejoint/>"
        "<inertial pos='0 0 0' mass='4' diaginertia='.3 .3 .3'/><site name='a' pos='.07 -.05 .06'/>"
        "<body pos='.3 .1 .4'><joint type='ball' pos='-.1 .1 -.1'/><inertial pos='0 0 0' mass='2' "
        "diaginertia='.8 .8 .8'/><site name='b' pos='-.1 -.1 -.1'/></body></body></worldbody>"
        "<tendon><spatial stiffness='300' damping='2' springlength='.1 .1'><site site='a'/><site "
        "site='b'/></spatial></tendon></mujoco>";
    dp_spec *spec;
    assert_ok(dp_mjcf_parse(&spec, NULL, text, strlen(text), "scene", NULL));
    mechanism x = mechanism_from(spec);
    const double v[9] = {0.3, 0, 0, 0, 0, 0, -20, 0, -9};
    memcpy(dp_data_v(x.d), v, sizeof v);
    assert_ok(dp_kinematics(x.d));
    const dp_v3 before = dp_body_momentum(x.d, DP_WORLD).linear;
    for (int n = 0; n < 20; ++n) {
        mechanism_steps(&x, 1);
        assert_ok(dp_kinematics(x.d));
        const dp_v3 now = dp_body_momentum(x.d, DP_WORLD).linear;
        assert_true(dp_data_report(x.d)->transported > 0);
        assert_true(dp_v3_norm(dp_v3_sub(now, before)) <= 1e-12 * dp_v3_norm(before));
    }
    mechanism_end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_rest_every_spring_carries_its_load),
        cmocka_unit_test(a_two_sided_row_follows_its_recursion_to_round_off),
        cmocka_unit_test(a_tendon_within_a_tree_that_turns_far_keeps_its_momentum),
        cmocka_unit_test(one_row_swings_with_its_frequency_and_damping_to_first_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
