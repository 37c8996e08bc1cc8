// Bodies that fly past others: what does not touch is not deflected, however long the step, and
// what does is not let through.
#include "mechanism.h"
#include "test_random.h"

#include <dashpot/advanced/collide.h>
#include <dashpot/contact.h>

#include <math.h>

static const dp_v3 NOWHERE = {0.0, 0.0, 0.0};

// A body of one geom, turned somehow, in flight beside another that stands in the world.
typedef struct flight {
    dp_geom_kind moving, standing;
    dp_v3 from, velocity; // [m] [m/s] of the body
    dp_quat turned, standing_turned;
    double h;
    int steps;
} flight;

static void set_size(dp_geom_spec *geom, dp_geom_kind kind, double size)
{
    geom->kind = kind;
    geom->size[0] = size;
    geom->size[1] = 1.5 * size;
    geom->size[2] = 0.6 * size;
}

static mechanism begin(double h)
{
    mechanism x = mechanism_begin();
    dp_options *o = dp_spec_options(x.spec);
    o->gravity = NOWHERE;
    o->step = h;
    return x;
}

static void add_free(mechanism *x, dp_pose pose, const dp_geom_spec *geom)
{
    dp_body_spec body = dp_body_spec_default();
    body.pose = pose;
    dp_body_id id;
    assert_ok(dp_spec_add_body(&id, x->spec, DP_WORLD, &body));
    dp_joint_spec joint = dp_joint_spec_default();
    joint.kind = DP_JOINT_FREE;
    assert_ok(dp_spec_add_joint(NULL, x->spec, id, &joint));
    assert_ok(dp_spec_add_geom(NULL, x->spec, id, geom));
}

static void add_ball(mechanism *x, dp_v3 at, double radius)
{
    dp_geom_spec ball = dp_geom_spec_default();
    ball.size[0] = radius;
    add_free(x, (dp_pose){{1.0, 0.0, 0.0, 0.0}, at}, &ball);
}

static mechanism launch(const flight *f)
{
    mechanism x = begin(f->h);
    dp_geom_spec block = dp_geom_spec_default(), geom = block;
    set_size(&block, f->standing, 0.2);
    block.pose.q = f->standing_turned;
    assert_ok(dp_spec_add_geom(NULL, x.spec, DP_WORLD, &block));
    set_size(&geom, f->moving, 0.05);
    add_free(&x, (dp_pose){f->turned, f->from}, &geom);
    mechanism_compile(&x);
    double *v = dp_data_v(x.d);
    v[0] = f->velocity.x, v[1] = f->velocity.y, v[2] = f->velocity.z;
    return x;
}

// [m] The least distance on the straight way, of many places on it.
static double nearest(const mechanism *x, const flight *f)
{
    const int n = 500;
    const dp_shape *a = dp_model_shape(x->m, (dp_geom_id){0});
    const dp_shape *b = dp_model_shape(x->m, (dp_geom_id){1});
    double least = INFINITY;
    for (int i = 0; i <= n; ++i) {
        const double t = f->h * f->steps * i / n;
        const dp_pose X = {f->turned,
                           {f->from.x + t * f->velocity.x, f->from.y + t * f->velocity.y,
                            f->from.z + t * f->velocity.z}};
        dp_distance d;
        assert_ok(dp_shapes_distance(&d, a, (dp_pose){f->standing_turned, NOWHERE}, b, X, INFINITY,
                                     NULL));
        least = fmin(least, d.gap);
    }
    return least;
}

static dp_quat any_rotation(random_source *r)
{
    double x[4];
    random_direction(x, 4, r);
    return (dp_quat){x[0], x[1], x[2], x[3]};
}

// From a place on a sphere of 1 m towards one near the block.
static flight draw(random_source *r)
{
    static const dp_geom_kind kind[] = {DP_GEOM_SPHERE, DP_GEOM_CAPSULE, DP_GEOM_CYLINDER,
                                        DP_GEOM_ELLIPSOID, DP_GEOM_BOX};
    double from[3], aim[3];
    random_direction(from, 3, r);
    for (int i = 0; i < 3; ++i) {
        aim[i] = random_between(r, -0.3, 0.3);
    }
    const double speed = random_between(r, 1.0, 20.0), h = 0.01;
    flight f = {.moving = kind[random_below(r, 5)], .h = h};
    f.standing = kind[random_below(r, 5)];
    f.turned = any_rotation(r);
    f.standing_turned = any_rotation(r);
    const dp_v3 way = {aim[0] - from[0], aim[1] - from[1], aim[2] - from[2]};
    const double length = sqrt(way.x * way.x + way.y * way.y + way.z * way.z);
    f.from = (dp_v3){from[0], from[1], from[2]};
    f.velocity = (dp_v3){way.x * speed / length, way.y * speed / length, way.z * speed / length};
    f.steps = (int)ceil(2.0 / (speed * h));
    return f;
}

// [m/s] How much the velocity has changed after the flight. @param dropped points that were left
// out
static double fly(mechanism *x, const flight *f, int *dropped)
{
    *dropped = 0;
    for (int i = 0; i < f->steps; ++i) {
        mechanism_steps(x, 1);
        *dropped += dp_data_report(x->d)->dropped;
    }
    const double *v = dp_data_v(x->d);
    return hypot(hypot(v[0] - f->velocity.x, v[1] - f->velocity.y), v[2] - f->velocity.z);
}

// Steps are up to 0.2 m long and bodies about 0.1 m, so many points of contact that a step foresees
// are on planes that the other shape does not reach to.
static void what_passes_another_by_flies_straight_on(void **state)
{
    (void)state;
    random_source r = {11};
    int passed = 0, foreseen = 0, hit = 0;
    for (int trial = 0; trial < 600; ++trial) {
        const flight f = draw(&r);
        mechanism x = launch(&f);
        const double least = nearest(&x, &f);
        int dropped;
        const double change = fly(&x, &f, &dropped);
        if (least > 1e-3) { // places on the way are up to 4 mm from each other
            ++passed;
            foreseen += dropped > 0;
            assert_near(change, 0.0, 1e-12); // of 20 m/s: round-off
        } else if (least < -0.02) {
            ++hit;
            assert_true(change > 0.01);
        }
        mechanism_end(&x);
    }
    assert_true(passed > 100 && foreseen > 15 && hit > 300);
}

// Two balls in flight, towards each other, the lines that they fly along 1 mm too far apart.
static void balls_that_miss_each_other_keep_their_velocities(void **state)
{
    (void)state;
    const double h = 0.01, miss = 1e-3, r = 0.05;
    int dropped = 0;
    for (int k = 0; k < 20; ++k) {
        mechanism x = begin(h);
        add_ball(&x, NOWHERE, r);
        const double ahead = 1.0 + 0.005 * k, beside = 2.0 * r + miss;
        add_ball(&x, (dp_v3){0.6 * ahead - 0.8 * beside, 0.8 * ahead + 0.6 * beside, 0.0}, r);
        mechanism_compile(&x);
        const double start[12] = {3.0, 4.0, 0.0, 0.0, 0.0, 0.0, -3.0, -4.0};
        double *v = dp_data_v(x.d);
        for (int n = 0; n < 12; ++n) {
            v[n] = start[n];
        }
        for (int i = 0; i < 25; ++i) {
            assert_ok(dp_forward(x.d));
            for (int n = 0; n < 12; ++n) {
                assert_near(dp_data_acceleration(x.d)[n], 0.0, 1e-12); // round-off of v/h
            }
            mechanism_steps(&x, 1);
            dropped += dp_data_report(x.d)->dropped;
            for (int n = 0; n < 12; ++n) {
                assert_near(v[n], start[n], 1e-14); // round-off
            }
        }
        mechanism_end(&x);
    }
    assert_true(dropped >= 10); // of 20 times
}

// At 20 m/s and 10 ms a ball goes 0.2 m in a step: through the wall of 2 mm in one.
static void a_thin_wall_is_not_passed_through(void **state)
{
    (void)state;
    const double angle[] = {0.0, 0.5, 1.0, 1.4};
    for (size_t k = 0; k < sizeof angle / sizeof *angle; ++k) {
        for (int place = 0; place < 10; ++place) {
            mechanism x = begin(0.01);
            dp_geom_spec wall = dp_geom_spec_default();
            wall.kind = DP_GEOM_BOX;
            wall.size[0] = 0.001, wall.size[1] = wall.size[2] = 5.0;
            assert_ok(dp_spec_add_geom(NULL, x.spec, DP_WORLD, &wall));
            add_ball(&x, (dp_v3){-0.5 - 0.01 * place, 0.0, 0.0}, 0.05);
            mechanism_compile(&x);
            dp_data_v(x.d)[0] = 20.0 * cos(angle[k]);
            dp_data_v(x.d)[1] = 20.0 * sin(angle[k]);
            for (int i = 0; i < 20; ++i) {
                mechanism_steps(&x, 1);
                assert_true(dp_data_q(x.d)[0] < -0.05);
            }
            mechanism_end(&x);
        }
    }
}

// [m] The least distance of the tip of an arm from a block while it turns by `angle`.
static double nearest_on_arc(const mechanism *x, dp_pose block, double length, double angle)
{
    const int n = 1000;
    const dp_shape *a = dp_model_shape(x->m, (dp_geom_id){0});
    const dp_shape *b = dp_model_shape(x->m, (dp_geom_id){1});
    double least = INFINITY;
    for (int i = 0; i <= n; ++i) {
        const double turn = angle * i / n;
        const dp_pose X = {{cos(0.5 * turn), 0.0, 0.0, sin(0.5 * turn)},
                           {length * cos(turn), length * sin(turn), 0.0}};
        dp_distance d;
        assert_ok(dp_shapes_distance(&d, a, block, b, X, INFINITY, NULL));
        least = fmin(least, d.gap);
    }
    return least;
}

// The box at the end of an arm that turns about a hinge: the hinge keeps it on its arc.
static void an_arm_that_swings_past_a_block_keeps_its_speed(void **state)
{
    (void)state;
    const double length = 0.5, h = 0.01;
    random_source r = {3};
    int passed = 0, foreseen = 0;
    for (int trial = 0; trial < 500; ++trial) {
        const double speed = random_between(&r, 2.0, 10.0), where = random_between(&r, 0.5, 2.5);
        const double out = length + random_between(&r, 0.15, 0.3); // [m] of the middle of the block
        mechanism x = begin(h);
        dp_geom_spec block = dp_geom_spec_default(), tip = block;
        set_size(&block, DP_GEOM_BOX, 0.15);
        block.pose = (dp_pose){any_rotation(&r), {out * cos(where), out * sin(where), 0.0}};
        assert_ok(dp_spec_add_geom(NULL, x.spec, DP_WORLD, &block));
        dp_body_spec arm = dp_body_spec_default();
        dp_body_id id;
        assert_ok(dp_spec_add_body(&id, x.spec, DP_WORLD, &arm));
        const dp_joint_spec hinge = dp_joint_spec_default(); // about z
        assert_ok(dp_spec_add_joint(NULL, x.spec, id, &hinge));
        set_size(&tip, DP_GEOM_BOX, 0.04);
        tip.pose.p.x = length;
        assert_ok(dp_spec_add_geom(NULL, x.spec, id, &tip));
        mechanism_compile(&x);
        dp_data_v(x.d)[0] = speed;
        const int steps = (int)(3.0 / (speed * h));
        // Between its ends a step is taken as straight: off by r (hω)²/8 < 0.7 mm
        const bool misses = nearest_on_arc(&x, block.pose, length, speed * h * steps) > 2e-3;
        int dropped = 0;
        for (int i = 0; i < steps && misses; ++i) {
            mechanism_steps(&x, 1);
            dropped += dp_data_report(x.d)->dropped;
            assert_near(dp_data_v(x.d)[0], speed, 1e-12); // round-off
        }
        passed += misses;
        foreseen += dropped > 0;
        mechanism_end(&x);
    }
    assert_true(passed > 50 && foreseen > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_passes_another_by_flies_straight_on),
        cmocka_unit_test(balls_that_miss_each_other_keep_their_velocities),
        cmocka_unit_test(a_thin_wall_is_not_passed_through),
        cmocka_unit_test(an_arm_that_swings_past_a_block_keeps_its_speed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
