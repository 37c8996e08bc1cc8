// Rigid rows that start violated: closing them moves bodies, and leaves no velocity behind.
#include "mechanism.h"

#include "math/v3.h"

#include <dashpot/contact.h>
#include <dashpot/format.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const dp_law_kind laws[] = {DP_LAW_COMPLIANT, DP_LAW_TAMSI, DP_LAW_NCP, DP_LAW_LCP,
                                   DP_LAW_VI};
enum { LAWS = sizeof laws / sizeof laws[0] };

static mechanism scene(const char *text, dp_law_kind law, double h)
{
    dp_spec *spec;
    assert_ok(dp_mjcf_parse(&spec, NULL, text, strlen(text), "scene", NULL));
    dp_spec_options(spec)->solver.law = law;
    dp_spec_options(spec)->step = h;
    dp_spec_options(spec)->ledger = true;
    return mechanism_from(spec);
}

// Without gravity, and at rest: nothing but the correction moves, and at its speed.
static void assert_closes_and_rests(const char *text, dp_law_kind law, double h, double violation)
{
    mechanism x = scene(text, law, h);
    const double speed = dp_data_options(x.d)->correction_speed;
    const double slow = dp_data_options(x.d)->gap_tolerance / h; // closed gaps are left with that
    const double least = 0.5 * slow * slow;                      // for the kilogram of the heaviest
    const int needed = (int)ceil(violation / (h * speed)) + 4;
    for (int n = 0; n < needed; ++n) {
        mechanism_steps(&x, 1);
        assert_true(dp_data_energy(x.d).kinetic <= least);
        assert_true(dp_data_report(x.d)->certificate.correction <= speed * (1.0 + 1e-9));
        assert_true(n > 0 || dp_data_report(x.d)->certificate.correction > 0.0);
        assert_true(n > 0 || fabs(dp_data_report(x.d)->corrected - violation) < 1e-9);
    }
    assert_true(dp_data_report(x.d)->certificate.correction <= 1e-6); // closed
    for (int n = 0; n < 100; ++n) {
        mechanism_steps(&x, 1);
        assert_true(dp_data_energy(x.d).kinetic <= least);
    }
    mechanism_end(&x);
}

#define WORLD(tendon_or_more, body)                                                                \
    "<mujoco xmlns:dp='dashpot'><option gravity='0 0 0'/><worldbody><site name='a'/>" body         \
    "</worldbody>" tendon_or_more "</mujoco>"
#define BOX "<geom type='box' size='.02 .03 .01' mass='.1' contype='0' conaffinity='0'/>"

static const char *const tendon_too_long =
    WORLD("<tendon><spatial limited='true' range='0 .02'><site site='a'/><site site='b'/></spatial>"
          "</tendon>",
          "<body pos='.03 0 .04'><freejoint/>" BOX "<site name='b' pos='.01 .01 0'/></body>");
static const char *const hinge_beyond_its_range = WORLD(
    "", "<body><joint type='hinge' axis='0 1 0' limited='true' range='30 60'/>" BOX "</body>");
static const char *const loop_apart = WORLD(
    "<equality><connect body1='one' body2='two' anchor='.1 0 0'/></equality>",
    "<body name='one'><joint type='hinge' axis='0 1 0'/><geom type='capsule' fromto='0 0 0 .1 0 "
    "0' size='.01' mass='.2' contype='0' conaffinity='0'/></body>"
    "<body name='two' pos='.17 0 0'><joint type='slide' axis='1 0 0' ref='.02'/>" BOX "</body>");
static const char *const ball_in_the_floor = WORLD(
    "", "<geom type='plane' size='1 1 1'/><body pos='0 0 .05'><freejoint/><geom type='sphere' "
        "size='.06' mass='1'/></body>");

static double violation_of(const char *text)
{
    mechanism x = scene(text, DP_LAW_NCP, 1e-4);
    mechanism_steps(&x, 1);
    const double violation = dp_data_report(x.d)->corrected;
    assert_true(violation > 1e-4);
    mechanism_end(&x);
    return violation;
}

static void violated_rows_close_at_the_stated_speed_and_leave_everything_at_rest(void **state)
{
    (void)state;
    const char *const texts[] = {tendon_too_long, hinge_beyond_its_range, ball_in_the_floor};
    const double steps[] = {1e-4, 1e-3, 1e-2};
    for (int i = 0; i < 9; ++i) {
        const char *text = texts[i / 3];
        for (int l = 0; l < LAWS; ++l) {
            const bool rigid = laws[l] != DP_LAW_COMPLIANT && laws[l] != DP_LAW_TAMSI;
            if (text != ball_in_the_floor || rigid) { // overlaps of springs are physics
                assert_closes_and_rests(text, laws[l], steps[i % 3], violation_of(text));
            }
        }
    }
}

// Hung too far on a tendon: it drops no further, and swings with what it had.
static void a_box_that_hangs_too_far_is_drawn_up_without_a_jump(void **state)
{
    (void)state;
    static const char *const text =
        "<mujoco><worldbody><site name='a' pos='0 0 1'/><body pos='.01 0 .96'><freejoint/><geom "
        "type='box' size='.0075 .0075 .0075' mass='.01' contype='0' conaffinity='0'/><site "
        "name='b'/></body></worldbody><tendon><spatial limited='true' range='0 0.02'><site "
        "site='a'/><site site='b'/></spatial></tendon></mujoco>";
    for (int l = 0; l < LAWS; ++l) {
        mechanism x = scene(text, laws[l], 1e-3);
        long passes = 0;
        for (int n = 0; n < 4000; ++n) {
            mechanism_steps(&x, 1);
            passes += dp_data_report(x.d)->work.passes;
            // all kinetic energy comes from heights: 0.04 m below the site at most
            assert_true(dp_data_energy(x.d).kinetic <= 0.01 * 9.81 * 0.045);
        }
        const dp_ledger *ledger = dp_data_ledger(x.d);
        assert_true(ledger->remainder <= 1e-6);
        assert_true(ledger->corrected > 0.0 && ledger->corrected < 0.01 * 9.81 * 0.03);
        assert_true(passes < 6 * 4000);
        mechanism_end(&x);
    }
}

// Two bodies whose weld is apart: what brings them together acts on both, and turns nothing.
static void closing_a_weld_keeps_momentum_and_kinetic_energy(void **state)
{
    (void)state;
    static const char *const text =
        "<mujoco><option gravity='0 0 0'/><worldbody><body name='one' pos='0 0 "
        "0'><freejoint/><geom "
        "type='box' size='.1 .1 .1' mass='1' contype='0' conaffinity='0'/></body><body name='two' "
        "pos='.25 0 0'><freejoint/><geom type='box' size='.1 .1 .1' mass='3' contype='0' "
        "conaffinity='0'/></body></worldbody><equality><weld body1='one' body2='two' relpose='.2 0 "
        "0 "
        "1 0 0 0'/></equality></mujoco>";
    for (int l = 0; l < LAWS; ++l) {
        mechanism x = scene(text, laws[l], 1e-3);
        mechanism_set(&x, (double[]){0, 0, 0, 1, 0, 0, 0, .25, 0, 0, 1, 0, 0, 0},
                      (double[]){.1, .2, .3, 0, 0, 0, .1, .2, .3, 0, 0, 0});
        const double before = dp_data_energy(x.d).kinetic;
        for (int n = 0; n < 200; ++n) {
            mechanism_steps(&x, 1);
            const dp_momentum p = dp_body_momentum(x.d, DP_WORLD);
            assert_near(p.linear.x, 0.4, 1e-12);
            assert_near(p.linear.z, 1.2, 1e-12);
            assert_near(dp_data_energy(x.d).kinetic, before, 1e-12);
        }
        assert_near(dp_data_q(x.d)[7] - dp_data_q(x.d)[0], 0.2, 1e-9);
        mechanism_end(&x);
    }
}

static void a_loop_that_starts_apart_closes_without_motion(void **state)
{
    (void)state;
    for (int l = 0; l < LAWS; ++l) {
        mechanism x = scene(loop_apart, laws[l], 1e-3);
        double most = 0.0;
        for (int n = 0; n < 300; ++n) {
            mechanism_steps(&x, 1);
            most = fmax(most, dp_data_energy(x.d).kinetic);
        }
        assert_true(most < 1e-12);
        assert_true(dp_data_report(x.d)->certificate.drift < 1e-9);
        mechanism_end(&x);
    }
}

// A slide under a beam that it overlaps: nothing that it can do opens the gap.
static void what_no_motion_can_close_takes_no_search(void **state)
{
    (void)state;
    const char *const jammed =
        "<mujoco><option gravity='0 0 0'/><worldbody><geom type='sphere' size='.1' pos='0 0 .199'/>"
        "<body><joint type='slide' axis='0 1 0'/><geom type='box' size='.2 .2 .1' mass='1'/></body>"
        "</worldbody></mujoco>";
    for (int l = 2; l < LAWS; ++l) {
        mechanism x = scene(jammed, laws[l], 1e-3);
        for (int n = 0; n < 3; ++n) {
            mechanism_steps(&x, 1);
            assert_true(dp_data_report(x.d)->work.factorizations <= 10);
            assert_true(dp_data_report(x.d)->unsolved == 0);
            assert_near(dp_data_q(x.d)[0], 0.0, 1e-12);
        }
        mechanism_end(&x);
    }
}

// A chain of two links that must be straight to reach where it is fixed, and close to that: what is
// left of its gap lies along the chain, where it can hardly move. No share of that can be borne.
#define LINK                                                                                       \
    "<geom type='capsule' size='.02 .3' pos='0 0 -.3' mass='1' contype='0' conaffinity='0'/>"
#define CHAIN                                                                                      \
    "<body name='p' pos='0 1 0'><joint type='hinge' axis='0 1 0'/>" LINK                           \
    "<body name='q' pos='0 0 -.6'><joint type='hinge' axis='0 1 0'/>" LINK "</body></body>"
#define ARM                                                                                        \
    "<body><joint type='hinge' axis='0 1 0' limited='true' range='-30 30'/><geom type='box' "      \
    "size='.3 .05 .05' pos='.3 0 0' mass='2' contype='0' conaffinity='0'/></body>"
static const char *const jammed_chain =
    WORLD("<equality><connect body1='q' anchor='0 0 -.6'/></equality>", CHAIN);
static const char *const jammed_chain_beside_a_limit =
    WORLD("<equality><connect body1='q' anchor='0 0 -.6'/></equality>", ARM CHAIN);

static void a_loop_that_cannot_close_says_so_in_every_step(void **state)
{
    (void)state;
    for (int l = 0; l < LAWS; ++l) {
        mechanism x = scene(jammed_chain, laws[l], 2e-3);
        dp_data_q(x.d)[0] = 0.1;
        dp_data_q(x.d)[1] = 0.25;
        for (int n = 0; n < 200; ++n) {
            mechanism_steps(&x, 1);
            assert_true(dp_data_report(x.d)->recovering > 0);
            assert_true(dp_data_report(x.d)->corrected > 0.2);
        }
        mechanism_end(&x);
    }
}

static void a_loop_that_cannot_close_does_not_hold_up_a_limit_of_another_tree(void **state)
{
    (void)state;
    for (int l = 0; l < LAWS; ++l) {
        mechanism x = scene(jammed_chain_beside_a_limit, laws[l], 2e-3);
        mechanism alone = scene(WORLD("", ARM), laws[l], 2e-3);
        dp_data_q(x.d)[0] = dp_data_q(alone.d)[0] = 0.62;
        dp_data_q(x.d)[1] = 0.1;
        dp_data_q(x.d)[2] = 0.25;
        for (int n = 0; n < 100; ++n) {
            mechanism_steps(&x, 1);
            mechanism_steps(&alone, 1);
            assert_near(dp_data_q(x.d)[0], dp_data_q(alone.d)[0], 1e-12);
        }
        assert_true(dp_data_q(x.d)[0] < 3.14159265358979 / 6.0 + 1e-9);
        mechanism_end(&alone);
        mechanism_end(&x);
    }
}

// A stiff spring that is far out closes in part, at no more energy than every coordinate has at 1
// m/s or rad/s. The velocity that ends the step must see the same part of it.
static void a_stiff_spring_beside_a_violated_limit_throws_nothing(void **state)
{
    (void)state;
    static const char *const text =
        WORLD("<equality><connect body1='one' anchor='0 0 0' dp:stiffness='1e8'/></equality>",
              "<body name='one' pos='.5 .2 .1'><freejoint/><inertial pos='0 0 0' mass='1' "
              "diaginertia='.1 .1 .1'/><body pos='.1 0 0'><joint type='hinge' axis='0 1 0' "
              "limited='true' range='30 60'/><inertial pos='0 0 0' mass='1' diaginertia='.1 .1 "
              ".1'/></body></body>");
    for (int i = 0; i < LAWS; ++i) {
        mechanism x = scene(text, laws[i], 0.01);
        dp_data_q(x.d)[0] += 0.5;
        mechanism_steps(&x, 1);
        assert_true(dp_data_report(x.d)->corrected > 0.5); // [rad]
        assert_true(dp_data_report(x.d)->recovering > 0);
        assert_true(dp_data_energy(x.d).kinetic < 10.0);
        mechanism_end(&x);
    }
}

// A ball on the floor that is held at a point of its own, off its centre, and turns fast: gaps that
// bend along the velocity that ends the step alternate from pass to pass, by a factor of -0.86.
static mechanism held_ball(const char *equality, dp_law_kind law, const double *v)
{
    static const double q[7] = {0.0, -0.52, 0.449, 0.4174881, -0.6233090, -0.1038457, 0.6529974};
    char text[1000];
    (void)snprintf(text, sizeof text,
                   "<mujoco xmlns:dp='dashpot'><option gravity='0 0 0'/><worldbody><geom "
                   "type='plane' size='1 1 1' condim='1' friction='0' dp:stiffness='8e8' "
                   "dp:damping='0'/><body name='b' pos='.15 -1.01 .52'><freejoint/><inertial "
                   "pos='0 0 0' mass='.07' diaginertia='.0091 .009 .009'/><geom type='sphere' "
                   "size='.449' mass='0' condim='6' friction='1 0 0' dp:stiffness='8e8' "
                   "dp:damping='0'/><site name='s' pos='-.4 .17 .14'/></body></worldbody>%s"
                   "</mujoco>",
                   equality);
    mechanism x = scene(text, law, 0.01);
    dp_data_options(x.d)->max_halvings = 0;
    mechanism_set(&x, q, v);
    return x;
}

static dp_v3 held_point(const mechanism *x)
{
    assert_ok(dp_kinematics(x->d));
    dp_site_id site;
    assert_ok(dp_model_find_site(&site, x->m, "s"));
    return dp_site_pose(x->d, site).p;
}

static void a_ball_that_turns_fast_is_held_by_the_velocity_that_ends_the_step(void **state)
{
    (void)state;
    const double v[6] = {-2.0, 0.0, 0.0, -10.0, 0.0, 4.0};
    for (int i = 0; i < 2; ++i) { // contacts that are springs
        mechanism x =
            held_ball("<equality><connect body1='b' anchor='-.4 .17 .14'/></equality>", laws[i], v);
        mechanism_steps(&x, 1);
        assert_ok(dp_kinematics(x.d));
        assert_true(dp_data_report(x.d)->corrected > 1e-4);
        assert_int_equal(dp_data_report(x.d)->unsolved, 0);
        // The same way without the loop, with the momentum that ends the step.
        const dp_quat R1 = dp_body_pose(x.d, (dp_body_id){1}).q;
        mechanism free = held_ball("", laws[i], v);
        dp_data_options(free.d)->disable_contact = true;
        assert_ok(dp_kinematics(free.d));
        const dp_quat R0 = dp_body_pose(free.d, (dp_body_id){1}).q;
        const double *const v1 = dp_data_v(x.d);
        const dp_v3 L1 = {.0091 * v1[3], .009 * v1[4], .009 * v1[5]};
        const dp_v3 L0 = dp_quat_rotate_back(R0, dp_quat_rotate(R1, L1));
        dp_v3_store(dp_data_v(free.d), dp_v3_load(v1));
        dp_v3_store(dp_data_v(free.d) + 3, (dp_v3){L0.x / .0091, L0.y / .009, L0.z / .009});
        const dp_v3 from = held_point(&free);
        mechanism_steps(&free, 1);
        const dp_v3 to = held_point(&free);
        const double way = hypot(hypot(to.x - from.x, to.y - from.y), to.z - from.z);
        assert_true(way <= 1e-9); // [m] gap_tolerance is 1e-10
        mechanism_end(&free);
        mechanism_end(&x);
    }
}

// A box in a weld that is open by 0.086 rad, so near the floor that closing it would push a corner
// in: the gap stays as it is, and does no work. The weld shares the angular momentum of the hinge.
static void a_weld_that_stays_open_shares_the_momentum_of_a_hinge(void **state)
{
    (void)state;
    static const char *const text = WORLD(
        "<equality><weld body1='arm' body2='box' relpose='0 0 0 1 0 0 0' anchor='0 0 0'/>"
        "</equality>",
        "<geom type='plane' size='1 1 1' condim='1'/><body name='box'><freejoint/><inertial pos='0 "
        "0 0' mass='.6' diaginertia='.001 .001 .001'/><geom type='box' size='.06 .06 .064' "
        "mass='0' friction='0'/></body><body name='arm'><inertial pos='0 0 0' mass='.4' "
        "diaginertia='.0002 .0002 .0002'/><joint type='hinge' axis='-.053416479 .179969383 "
        ".982220800'/></body>");
    const double q[8] = {0.0, 0.0, 0.0653, 0.99905143, 0.00232559, -0.00783699, -0.042771720, 0.0};
    const double v[7] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.1};
    for (int i = 2; i < LAWS; ++i) {
        mechanism x = scene(text, laws[i], 5e-4);
        dp_data_options(x.d)->max_halvings = 0;
        mechanism_set(&x, q, v);
        mechanism_steps(&x, 1);
        assert_near(dp_data_v(x.d)[6], -0.1 * 0.0002 / 0.0012, 1e-9);
        mechanism_end(&x);
    }
}

// A ball between a floor and a fixed ball jams, so that no gap of the step is closed. Before that
// shows, the hinge has been driven beyond the limit on its energy, to close the loop: it has none
// in the solve that counts. What the loop gives to one body it takes from the other.
static void a_loop_that_is_left_open_beside_a_jam_keeps_momentum(void **state)
{
    (void)state;
    static const char *const text = WORLD(
        "<equality><connect body1='bob' body2='arm' anchor='0 0 0'/></equality>",
        "<geom type='plane' size='1 1 1' condim='1'/><geom type='sphere' size='.39' pos='.43 0 "
        ".43' condim='1'/><body name='arm' pos='0 .5 0'><inertial pos='0 0 0' mass='.5' "
        "diaginertia='.09 .09 .09'/><joint type='hinge' axis='-1 0 0'/></body><body><freejoint/>"
        "<geom type='sphere' size='.217' mass='.3' friction='0'/></body><body name='bob' pos='0 "
        "-.6 0'><freejoint/><inertial pos='0 0 0' mass='1' diaginertia='.03 .03 .03'/></body>");
    const double q[15] = {-0.2, 0, 0, 0, 1, 0, 0, 0, 0, -0.6, 0, 1, 0, 0, 0};
    const double v[13] = {0.06, 0, 0, 0, 0, 0, 0, 0, -0.06, 0.06, 0, 0, 0};
    for (int i = 2; i < 4; ++i) { // ncp, lcp
        mechanism x = scene(text, laws[i], 0.02);
        dp_data_options(x.d)->max_halvings = 0;
        mechanism_set(&x, q, v);
        mechanism_steps(&x, 1);
        assert_int_equal(dp_data_report(x.d)->unsolved, 0);
        const double *v1 = dp_data_v(x.d);
        const double arm[2] = {-1.1 * cos(0.2), -1.1 * sin(0.2)}; // of the bob, in the plane
        const double given[2] = {v[8] - v1[8], v[9] - v1[9]};     // times its kilogram
        assert_true(fabs(given[0]) > 0.01);
        assert_near(0.09 * (v1[0] - v[0]), arm[1] * given[0] - arm[0] * given[1], 1e-12);
        mechanism_end(&x);
    }
}

#define JAM_ROWS                                                                                   \
    "<tendon><spatial frictionloss='2e4'><site site='b'/><site site='a'/></spatial></tendon>"      \
    "<equality><connect body1='box' body2='drum' anchor='.16 -.056 -.23'/></equality>"
#define JAM_BODIES                                                                                 \
    "<geom type='plane' size='1 1 1' condim='1' friction='0' dp:restitution='0'/><body>"           \
    "<freejoint/><inertial pos='0 0 0' mass='10' diaginertia='.6 .6 .6'/><site "                   \
    "name='b'/></body>"                                                                            \
    "<body name='box' pos='-.39167409026934047 -.279 .22512549031623047'><freejoint/><inertial "   \
    "pos='0 0 0' mass='10' diaginertia='.2 .2 .2'/><geom type='box' size='.224 .2 "                \
    ".22430509848068758' mass='0' friction='.7' dp:restitution='0'/></body><body name='drum' "     \
    "pos='.1397254060879401 -.42268384637036244 .26868004750790025' quat='0 0 0 1'><joint "        \
    "type='free' frictionloss='7e5'/><inertial pos='0 0 0' mass='10' diaginertia='.8 .8 .8'/>"     \
    "<geom type='cylinder' size='.4 .24' mass='0' condim='1' friction='0' "                        \
    "dp:restitution='0'/></body>"
static const double jam_q[21] = {0,
                                 0,
                                 0,
                                 1,
                                 0,
                                 0,
                                 0,
                                 -0.39086965226076076,
                                 -0.27541053578510744,
                                 0.2247794103109475,
                                 0.9999363943143743,
                                 -3.0738294261269786e-5,
                                 -0.0010768415268969456,
                                 -0.011227056295006754,
                                 0.1397254060879401,
                                 -0.42268384637036244,
                                 0.26868004750790025,
                                 -5.3027673299173704e-15,
                                 -2.5491313535377938e-14,
                                 3.903558068283358e-15,
                                 1};

// A box that is joined to a drum which friction holds, and deep in it. When its loop has closed,
// the step closes nothing of the rest: then it ends where it began, though an attempt to close that
// has turned it, and taken but a share of the gaps.
static void a_step_that_closes_nothing_meets_the_gaps_that_are_closed(void **state)
{
    (void)state;
    static const char *const text = WORLD(JAM_ROWS, JAM_BODIES);
    const double v[18] = {0};
    for (int i = 2; i < 4; ++i) { // ncp, lcp
        mechanism x = scene(text, laws[i], 8e-5);
        dp_data_options(x.d)->max_halvings = 0;
        mechanism_set(&x, jam_q, v);
        for (int n = 0; n < 4; ++n) {
            mechanism_steps(&x, 1);
            assert_true(dp_data_energy(x.d).kinetic <= 1e-12);
        }
        mechanism_end(&x);
    }
}

static void a_jam_does_not_hold_up_a_limit_of_another_tree(void **state)
{
    (void)state;
    const double h = 8e-5;
    for (int i = 2; i < 4; ++i) { // ncp, lcp
        mechanism x = scene(WORLD(JAM_ROWS, JAM_BODIES ARM), laws[i], h);
        dp_data_options(x.d)->max_halvings = 0;
        memcpy(dp_data_q(x.d), jam_q, sizeof jam_q);
        dp_data_q(x.d)[21] = 0.62;
        mechanism_steps(&x, 4);
        assert_near(dp_data_q(x.d)[21], 0.62 - 4.0 * h, 1e-12);
        mechanism_end(&x);
    }
}

// A box that starts 2 cm deep in the floor: its springs hold 2000 J, at a step that does not
// resolve them. What the shares that are left open lose is the work of the correction, and nothing
// else.
static void springs_that_close_in_part_lose_no_more_than_they_hold(void **state)
{
    (void)state;
    static const char *const text =
        WORLD("", "<geom type='plane' size='1 1 1'/><body pos='0 0 .03'><freejoint/><geom "
                  "type='box' size='.05 .05 .05' mass='1'/></body>");
    for (int i = 0; i < 2; ++i) { // compliant, tamsi
        mechanism x = scene(text, laws[i], 1e-3);
        for (int n = 0; n < 12; ++n) {
            const dp_ledger before = *dp_data_ledger(x.d);
            mechanism_steps(&x, 1);
            const dp_ledger *l = dp_data_ledger(x.d);
            const double held = n == 0 ? l->elastic_before : before.elastic;
            assert_true(l->corrected <= before.corrected);
            assert_true(before.corrected - l->corrected <= held - l->elastic);
            assert_true(fabs(l->remainder - before.remainder) <= 0.1 * l->elastic_before);
        }
        assert_true(dp_data_ledger(x.d)->corrected < -1000.0);
        mechanism_end(&x);
    }
}

// A limit that closes over many steps is linear, and what it leaves open is no error of the passes
// over gaps that bend, such as that of the tendon.
static void limits_that_close_slowly_ask_for_no_more_passes(void **state)
{
    (void)state;
    static const char *const both = WORLD(
        "<tendon><spatial limited='true' range='0 .02'><site site='a'/><site site='b'/></spatial>"
        "</tendon>",
        "<body pos='.03 0 .04'><freejoint/>" BOX "<site name='b' pos='.01 .01 0'/></body>"
        "<body><joint type='hinge' axis='0 1 0' limited='true' range='30 60'/>" BOX "</body>");
    for (int k = 0; k < LAWS; ++k) {
        mechanism x = scene(both, laws[k], 1e-3);
        for (int n = 0; n < 20; ++n) {
            mechanism_steps(&x, 1);
            assert_true(dp_data_report(x.d)->corrected > 0.1); // [rad] of the limit
            assert_int_equal(dp_data_report(x.d)->unsolved, 0);
            assert_in_range(dp_data_report(x.d)->work.passes, 1, 12);
        }
        mechanism_end(&x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(violated_rows_close_at_the_stated_speed_and_leave_everything_at_rest),
        cmocka_unit_test(a_box_that_hangs_too_far_is_drawn_up_without_a_jump),
        cmocka_unit_test(closing_a_weld_keeps_momentum_and_kinetic_energy),
        cmocka_unit_test(a_loop_that_starts_apart_closes_without_motion),
        cmocka_unit_test(what_no_motion_can_close_takes_no_search),
        cmocka_unit_test(a_loop_that_cannot_close_says_so_in_every_step),
        cmocka_unit_test(a_loop_that_cannot_close_does_not_hold_up_a_limit_of_another_tree),
        cmocka_unit_test(a_ball_that_turns_fast_is_held_by_the_velocity_that_ends_the_step),
        cmocka_unit_test(a_weld_that_stays_open_shares_the_momentum_of_a_hinge),
        cmocka_unit_test(a_loop_that_is_left_open_beside_a_jam_keeps_momentum),
        cmocka_unit_test(a_step_that_closes_nothing_meets_the_gaps_that_are_closed),
        cmocka_unit_test(a_jam_does_not_hold_up_a_limit_of_another_tree),
        cmocka_unit_test(springs_that_close_in_part_lose_no_more_than_they_hold),
        cmocka_unit_test(a_stiff_spring_beside_a_violated_limit_throws_nothing),
        cmocka_unit_test(limits_that_close_slowly_ask_for_no_more_passes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
