// Impacts on undamped springs and blocks that rock: closed forms, met at first order.
#include "standing_scene.h"
#include "trial.h"

#include <dashpot/contact.h>

#include <math.h>
#include <stdio.h>

#define INF ((double)INFINITY)

static dp_geom_spec springy(dp_geom_kind kind, double size, double stiffness)
{
    dp_geom_spec geom = dp_geom_spec_default();
    geom.kind = kind;
    geom.size[0] = size;
    geom.contact.material_given = true;
    geom.contact.material.stiffness = stiffness;
    geom.contact.material.damping = 0.0;
    geom.contact.condim = 1;
    return geom;
}

static dp_body_id sliding_ball(mechanism *x, const char *name, dp_v3 at, dp_v3 axis, double radius,
                               double mass, double stiffness)
{
    const double moment = 0.4 * mass * radius * radius;
    const dp_body_id ball = mechanism_body(x, DP_WORLD, name, at, mass, (dp_v3){0.0, 0.0, 0.0},
                                           (dp_v3){moment, moment, moment});
    mechanism_joint(x, ball, name, DP_JOINT_SLIDE, axis);
    const dp_geom_spec geom = springy(DP_GEOM_SPHERE, radius, stiffness);
    assert_ok(dp_spec_add_geom(NULL, x->spec, ball, &geom));
    return ball;
}

// What is lost goes to zero with the step. @param most what may be left with h/8
static void assert_first_order(double (*lost)(double h), double h, double most)
{
    double step[4], error[4];
    for (int i = 0; i < 4; ++i) {
        step[i] = h / (1 << i);
        error[i] = lost(step[i]);
    }
    assert_near(fitted_order(step, error, 4), 1.0, 0.05);
    assert_true(error[3] < most);
}

// How much of its height a ball loses when it bounces once.
static double lost_height(double h)
{
    mechanism x = mechanism_begin();
    dp_options *o = dp_spec_options(x.spec);
    o->gravity = (dp_v3){0.0, 0.0, -10.0};
    o->step = h;
    o->ledger = true;
    const dp_geom_spec floor = springy(DP_GEOM_PLANE, 1.0, INF);
    assert_ok(dp_spec_add_geom(NULL, x.spec, DP_WORLD, &floor));
    sliding_ball(&x, "ball", (dp_v3){0.0, 0.0, 0.1}, (dp_v3){0.0, 0.0, 1.0}, 0.1, 1.0, 1e4);
    mechanism_compile(&x);
    mechanism_set(&x, (double[]){0.5}, (double[]){0.0});
    double top = -1.0;
    bool bounced = false;
    for (int i = 0; i * h < 0.7; ++i) {
        mechanism_steps(&x, 1);
        bounced = bounced || dp_data_q(x.d)[0] < 0.0;
        top = bounced ? fmax(top, dp_data_q(x.d)[0]) : top;
        // the method takes energy and gives none; round-off of 5 J
        assert_true(dp_data_ledger(x.d)->remainder <= 1e-13);
    }
    mechanism_end(&x);
    return 0.5 - top;
}

static void an_undamped_ball_returns_to_where_it_was_dropped(void **state)
{
    (void)state;
    assert_first_order(lost_height, 1e-4, 0.005);
}

// What the first of five balls that do not touch each other keeps from the last.
static double lost_speed(double h)
{
    enum { BALLS = 5 };
    mechanism x = mechanism_begin();
    dp_options *o = dp_spec_options(x.spec);
    o->gravity = (dp_v3){0.0, 0.0, 0.0};
    o->step = h;
    for (int i = 0; i < BALLS; ++i) {
        char name[24];
        snprintf(name, sizeof name, "ball_%d", i);
        sliding_ball(&x, name, (dp_v3){0.201 * i, 0.0, 0.0}, (dp_v3){1.0, 0.0, 0.0}, 0.1, 1.0, 1e6);
    }
    mechanism_compile(&x);
    const double q[BALLS] = {0.0}, v[BALLS] = {1.0};
    mechanism_set(&x, q, v);
    mechanism_steps(&x, (int)lround(0.05 / h));
    const double *now = dp_data_v(x.d);
    double momentum = 0.0;
    for (int i = 0; i < BALLS; ++i) {
        momentum += now[i];
    }
    assert_near(momentum, 1.0, 1e-9);
    const double lost = 1.0 - now[BALLS - 1];
    mechanism_end(&x);
    return lost;
}

static void speed_passes_through_a_row_of_balls(void **state)
{
    (void)state;
    assert_first_order(lost_speed, 2e-5, 0.02);
}

// A block of half width b and half height c that turns about its edge, after Housner: with
// R² = b² + c², tan α = b/c and p² = 3g/(4R), θ¨ = −p² sin(α − θ). Landing on the other edge leaves
// 1 − 3/2 sin²α of the rate, since nothing acts at the edge that it leaves.
static const double HALF_WIDTH = 0.1, HALF_HEIGHT = 0.4, TILT = 0.0872664625997164788;

static double time_to_land(double theta)
{
    const double R = hypot(HALF_WIDTH, HALF_HEIGHT), alpha = atan(HALF_WIDTH / HALF_HEIGHT);
    const double p_squared = 3.0 * 9.81 / (4.0 * R), dt = 1e-6;
    double rate = 0.0, t = 0.0;
    while (theta > 0.0) { // symplectic, 1e-6 s
        rate -= dt * p_squared * sin(alpha - theta);
        theta += dt * rate;
        t += dt;
    }
    return t;
}

// How far it swings to the other side, by the energy that is left.
static double next_tilt(double theta)
{
    const double alpha = atan(HALF_WIDTH / HALF_HEIGHT);
    const double left = 1.0 - 1.5 * sin(alpha) * sin(alpha);
    return alpha - acos(cos(alpha) + left * left * (cos(alpha - theta) - cos(alpha)));
}

// On springs that give by 1e-8 m: they stop what lands within a step.
static mechanism rocking_block(double h)
{
    mechanism x = mechanism_begin();
    dp_options *o = dp_spec_options(x.spec);
    o->gravity = (dp_v3){0.0, 0.0, -9.81};
    o->step = h;
    dp_geom_spec geom = springy(DP_GEOM_PLANE, 1.0, INF);
    geom.contact.condim = 3;
    assert_ok(dp_spec_add_geom(NULL, x.spec, DP_WORLD, &geom));
    dp_body_spec body = dp_body_spec_default();
    body.name = "block";
    dp_body_id block;
    assert_ok(dp_spec_add_body(&block, x.spec, DP_WORLD, &body));
    mechanism_joint(&x, block, "free", DP_JOINT_FREE, (dp_v3){0.0, 0.0, 1.0});
    geom = springy(DP_GEOM_BOX, HALF_WIDTH, 1e11);
    geom.contact.condim = 3;
    geom.size[1] = HALF_WIDTH;
    geom.size[2] = HALF_HEIGHT;
    assert_ok(dp_spec_add_geom(NULL, x.spec, block, &geom));
    mechanism_compile(&x);
    const double c = cos(TILT), s = sin(TILT);
    const double q[7] = {HALF_HEIGHT * s - HALF_WIDTH * c,
                         0.0,
                         HALF_HEIGHT * c + HALF_WIDTH * s,
                         cos(TILT / 2.0),
                         0.0,
                         sin(TILT / 2.0),
                         0.0};
    mechanism_set(&x, q, (double[6]){0.0});
    return x;
}

typedef struct rocking {
    double lands[2], swings[2]; // [s] when it passes the upright, [rad] how far it gets after that
} rocking;

static rocking rock(mechanism *x)
{
    rocking out = {{0.0, 0.0}, {0.0, 0.0}};
    double before = TILT;
    for (int i = 0, landed = 0; landed < 3; ++i) {
        const double h = dp_data_options(x->d)->step;
        assert_true(h * i < 2.0);
        mechanism_steps(x, 1);
        const double angle = 2.0 * asin(dp_data_q(x->d)[5]);
        if (before * angle < 0.0) {
            if (landed < 2) {
                out.lands[landed] = h * (i + before / (before - angle));
            }
            ++landed;
        }
        if (landed > 0 && landed < 3) {
            out.swings[landed - 1] = fmax(out.swings[landed - 1], fabs(angle));
        }
        before = angle != 0.0 ? angle : before;
    }
    return out;
}

static void a_rocking_block_lands_and_swings_back_as_housner_says(void **state)
{
    (void)state;
    const double first = next_tilt(TILT), second = next_tilt(first);
    const double landing = time_to_land(TILT), period = 2.0 * time_to_land(first);
    double h[4], late[4], longer[4], lower[2][4];
    for (int i = 0; i < 4; ++i) {
        h[i] = 1e-3 / (1 << i);
        mechanism x = rocking_block(h[i]);
        const rocking now = rock(&x);
        late[i] = fabs(now.lands[0] - landing);
        longer[i] = fabs(now.lands[1] - now.lands[0] - period);
        lower[0][i] = fabs(now.swings[0] - first);
        lower[1][i] = fabs(now.swings[1] - second);
        mechanism_end(&x);
    }
    assert_near(fitted_order(h, late, 4), 1.0, 0.1);
    // Where in a step it lands makes a factor of two, which over steps of 1 to 8 is ln 2/ln 8.
    assert_near(fitted_order(h, longer, 4), 1.0, 0.34);
    assert_near(fitted_order(h, lower[0], 4), 1.0, 0.34);
    assert_near(fitted_order(h, lower[1], 4), 1.0, 0.34);
}

// The scene lands on softer springs with some damping, which take part of a millisecond to stop it
// and give a little back: 1 % of the time from landing to landing, and 3 % of the angle.
static void the_block_of_the_scene_rocks_as_housner_says(void **state)
{
    (void)state;
    const double first = next_tilt(TILT);
    mechanism x = standing_scene("contact/rocking_block.xml", "tilted");
    dp_data_options(x.d)->step = 2.5e-4;
    const rocking now = rock(&x);
    print_message("%g %g, %g %g, %g %g\n", now.lands[0], time_to_land(TILT),
                  now.lands[1] - now.lands[0], 2 * time_to_land(first), now.swings[0], first);
    assert_near(now.lands[0] / time_to_land(TILT), 1.0, 0.005);
    assert_near((now.lands[1] - now.lands[0]) / (2.0 * time_to_land(first)), 1.0, 0.01);
    assert_near(now.swings[0] / first, 1.0, 0.03);
    mechanism_end(&x);
}

// The deepest overlap of neighbours in a row of balls that slide along one axis.
static double deepest(const mechanism *x, int n, double gap)
{
    const double *q = dp_data_q(x->d);
    double depth = 0.0;
    for (int i = 1; i < n; ++i) {
        depth = fmax(depth, q[i - 1] - q[i] - gap);
    }
    return depth;
}

enum { COLUMN = 20 };

// Balls that fall one behind the other meet when the one below is stopped, which their velocities
// do not tell at the start of the step.
static void a_stack_that_forms_in_the_air_gains_no_energy(void **state)
{
    (void)state;
    const double h = 0.01, r = 0.05, gap = 0.01, k = 1e9;
    mechanism x = mechanism_begin();
    dp_options *o = dp_spec_options(x.spec);
    o->gravity = (dp_v3){0.0, 0.0, -10.0};
    o->step = h;
    o->ledger = true;
    const dp_geom_spec floor = springy(DP_GEOM_PLANE, 1.0, k);
    assert_ok(dp_spec_add_geom(NULL, x.spec, DP_WORLD, &floor));
    for (int i = 0; i < COLUMN; ++i) {
        char name[16];
        snprintf(name, sizeof name, "ball%d", i);
        const double height = gap + r + i * (2.0 * r + gap);
        sliding_ball(&x, name, (dp_v3){0.0, 0.0, height}, (dp_v3){0.0, 0.0, 1.0}, r, 1.0, k);
    }
    mechanism_compile(&x);
    double momentum = 0.0;
    for (int i = 0; i < 300; ++i) {
        mechanism_steps(&x, 1);
        for (int b = 0; b < COLUMN; ++b) {
            momentum = fmax(momentum, COLUMN * fabs(dp_data_v(x.d)[b]));
        }
        // round-off of m g z of all, 210 J
        assert_true(dp_data_ledger(x.d)->remainder <= 1e-12);
        // two springs in series take all the speed within a step, and carry the weight
        assert_true(deepest(&x, COLUMN, gap) <= 2.0 * (momentum / h + 10.0 * COLUMN) / k);
    }
    for (int b = 0; b < COLUMN; ++b) {
        assert_near(dp_data_q(x.d)[b], -gap * (b + 1), 1e-5); // stands: loads over k
    }
    mechanism_end(&x);
}

// None but the first moves, and it would pass through all of them.
static void a_blow_meets_the_whole_row_within_one_step(void **state)
{
    (void)state;
    const double h = 0.01, r = 0.05, gap = 0.005, k = 1e9, speed = 8.0;
    mechanism x = mechanism_begin();
    dp_options *o = dp_spec_options(x.spec);
    o->gravity = (dp_v3){0.0, 0.0, 0.0};
    o->step = h;
    for (int i = 0; i < 5; ++i) {
        char name[16];
        snprintf(name, sizeof name, "ball%d", i);
        sliding_ball(&x, name, (dp_v3){i * (2.0 * r + gap), 0.0, 0.0}, (dp_v3){1.0, 0.0, 0.0}, r,
                     1.0, k);
    }
    mechanism_compile(&x);
    mechanism_set(&x, (double[5]){0.0}, (double[5]){speed});
    mechanism_steps(&x, 1);
    const double *v = dp_data_v(x.d);
    assert_near(v[0] + v[1] + v[2] + v[3] + v[4], speed, 1e-12);
    // Momentum shared so that gaps close and no further: v[i] − v[i+1] = gap/h, to depth over h.
    const double depth = 2.0 * speed / h / k;
    for (int i = 1; i < 5; ++i) {
        assert_near(v[i - 1] - v[i], gap / h, depth / h);
    }
    mechanism_end(&x);
}

// Two rest, so far apart that neither comes to where the other one is, and are struck from outside.
static void two_that_are_struck_towards_each_other_meet_within_the_step(void **state)
{
    (void)state;
    const double h = 0.01, r = 0.05, gap = 0.005, between = 0.05, k = 1e9, speed = 8.0;
    const double at[4] = {0.0, 2.0 * r + gap, 4.0 * r + gap + between,
                          6.0 * r + 2.0 * gap + between};
    mechanism x = mechanism_begin();
    dp_options *o = dp_spec_options(x.spec);
    o->gravity = (dp_v3){0.0, 0.0, 0.0};
    o->step = h;
    for (int i = 0; i < 4; ++i) {
        char name[16];
        snprintf(name, sizeof name, "ball%d", i);
        sliding_ball(&x, name, (dp_v3){at[i], 0.0, 0.0}, (dp_v3){1.0, 0.0, 0.0}, r, 1.0, k);
    }
    mechanism_compile(&x);
    mechanism_set(&x, (double[4]){0.0}, (double[4]){speed, 0.0, 0.0, -speed});
    mechanism_steps(&x, 1);
    const double *v = dp_data_v(x.d);
    const double depth = 2.0 * speed / h / k;
    assert_near(v[0] - v[1], gap / h, depth / h);
    assert_near(v[1] - v[2], between / h, depth / h);
    assert_near(v[2] - v[3], gap / h, depth / h);
    assert_near(v[0] + v[1] + v[2] + v[3], 0.0, 1e-12);
    mechanism_end(&x);
}

// The wall is so wide that the ball lies within the one around it, and the ball turns by more than
// two radians in the step.
static void a_spinning_ball_that_is_struck_meets_a_wide_wall_within_the_step(void **state)
{
    (void)state;
    const double h = 0.01, r = 0.05, gap = 0.005, wide = 5.0, away = 0.5, k = 1e9, speed = 200.0;
    mechanism x = mechanism_begin();
    dp_options *o = dp_spec_options(x.spec);
    o->gravity = (dp_v3){0.0, 0.0, 0.0};
    o->step = h;
    const dp_v3 along = {1.0, 0.0, 0.0}, up = {0.0, 0.0, 1.0};
    sliding_ball(&x, "striker", (dp_v3){-2.0 * r - gap, 0.0, 0.0}, along, r, 1.0, k);
    const dp_body_id ball = sliding_ball(&x, "ball", (dp_v3){0.0, 0.0, 0.0}, along, r, 1.0, k);
    mechanism_joint(&x, ball, "spin", DP_JOINT_HINGE, up);
    dp_geom_spec wall = springy(DP_GEOM_BOX, wide, INF);
    wall.size[1] = wall.size[2] = wide;
    wall.pose.p.x = r + away + wide;
    assert_ok(dp_spec_add_geom(NULL, x.spec, DP_WORLD, &wall));
    mechanism_compile(&x);
    mechanism_set(&x, (double[3]){0.0}, (double[3]){speed, 0.0, 300.0});
    mechanism_steps(&x, 1);
    const double depth = 2.0 * speed / h / k;
    assert_near(dp_data_q(x.d)[1], away, depth);
    mechanism_end(&x);
}

// A block rests on one of its lower edges, and the other is higher than it moves in a step. A ball
// that lands above that one brings it down to the floor and no further, but for what a turn by TILT
// bends: TILT² times the width.
static void a_block_that_is_struck_comes_down_on_its_other_edge_within_the_step(void **state)
{
    (void)state;
    static const dp_law_kind LAW[] = {DP_LAW_COMPLIANT, DP_LAW_LCP, DP_LAW_NCP, DP_LAW_VI,
                                      DP_LAW_TAMSI};
    const double h = 0.01, k = 1e9, speed = 20.0, r = 0.05, tilt = 0.02, half = 0.5, high = 0.1;
    const double up = half * sin(tilt) + high * cos(tilt); // of its middle
    for (size_t i = 0; i < sizeof LAW / sizeof *LAW; ++i) {
        mechanism x = mechanism_begin();
        dp_options *o = dp_spec_options(x.spec);
        o->gravity = (dp_v3){0.0, 0.0, 0.0};
        o->step = h;
        o->max_halvings = 0;
        o->solver.law = LAW[i];
        const dp_geom_spec floor = springy(DP_GEOM_PLANE, 1.0, k);
        assert_ok(dp_spec_add_geom(NULL, x.spec, DP_WORLD, &floor));
        const double moment = (half * half + high * high) / 3.0;
        const dp_v3 along = {0.0, 0.0, 1.0}, middle = {0.0, 0.0, 0.0};
        const dp_body_id body = mechanism_body(&x, DP_WORLD, "block", middle, 1.0, middle,
                                               (dp_v3){moment, moment, moment});
        mechanism_joint(&x, body, "lift", DP_JOINT_SLIDE, along);
        mechanism_joint(&x, body, "tilt", DP_JOINT_HINGE, (dp_v3){0.0, -1.0, 0.0});
        dp_geom_spec block = springy(DP_GEOM_BOX, half, k);
        block.size[1] = half;
        block.size[2] = high;
        assert_ok(dp_spec_add_geom(NULL, x.spec, body, &block));
        sliding_ball(&x, "ball", (dp_v3){0.8 * half, 0.0, 2.0 * up + r + 0.01}, along, r, 1.0, k);
        mechanism_compile(&x);
        mechanism_set(&x, (double[3]){up, tilt, 0.0}, (double[3]){0.0, 0.0, -speed});
        mechanism_steps(&x, 1);
        const double *q = dp_data_q(x.d);
        const double depth = 2.0 * speed / h / k, bend = tilt * tilt * 2.0 * half;
        const double lifted = q[0] - high * cos(q[1]), edge = half * sin(q[1]);
        assert_near(lifted + edge, 0.0, depth + bend);
        assert_near(lifted - edge, 0.0, depth + bend);
        mechanism_end(&x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_undamped_ball_returns_to_where_it_was_dropped),
        cmocka_unit_test(speed_passes_through_a_row_of_balls),
        cmocka_unit_test(a_rocking_block_lands_and_swings_back_as_housner_says),
        cmocka_unit_test(the_block_of_the_scene_rocks_as_housner_says),
        cmocka_unit_test(a_stack_that_forms_in_the_air_gains_no_energy),
        cmocka_unit_test(a_blow_meets_the_whole_row_within_one_step),
        cmocka_unit_test(two_that_are_struck_towards_each_other_meet_within_the_step),
        cmocka_unit_test(a_spinning_ball_that_is_struck_meets_a_wide_wall_within_the_step),
        cmocka_unit_test(a_block_that_is_struck_comes_down_on_its_other_edge_within_the_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
