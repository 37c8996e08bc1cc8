// What stands, leans and is held: forces and depths are those of statics.
#include "standing_scene.h"

#include <dashpot/contact.h>

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define INF ((double)INFINITY)

static dp_geom_spec rigid_floor(double mu)
{
    dp_geom_spec floor = dp_geom_spec_default();
    floor.kind = DP_GEOM_PLANE;
    floor.friction[0] = mu;
    floor.contact.material_given = true;
    floor.contact.material.stiffness = INF;
    return floor;
}

typedef struct pile {
    int balls;
    double radius, mass, g, stiffness;
} pile;

// Balls upon each other, on a floor that does not give, with a step of 10 ms.
static mechanism stack_balls(const pile *of)
{
    mechanism x = mechanism_begin();
    dp_options *o = dp_spec_options(x.spec);
    o->gravity = (dp_v3){0.0, 0.0, -of->g};
    o->step = 0.01;
    dp_geom_spec geom = rigid_floor(0.5);
    assert_ok(dp_spec_add_geom(NULL, x.spec, DP_WORLD, &geom));
    geom.kind = DP_GEOM_SPHERE;
    geom.size[0] = of->radius;
    geom.contact.material.stiffness = of->stiffness;
    geom.contact.material.damping = 0.0;
    const double moment = 0.4 * of->mass * of->radius * of->radius;
    for (int i = 0; i < of->balls; ++i) {
        char name[24];
        snprintf(name, sizeof name, "ball_%d", i);
        const dp_v3 at = {0.0, 0.0, of->radius * (2 * i + 1)};
        const dp_body_id ball =
            mechanism_body(&x, DP_WORLD, name, at, of->mass, (dp_v3){0.0, 0.0, 0.0},
                           (dp_v3){moment, moment, moment});
        mechanism_joint(&x, ball, NULL, DP_JOINT_FREE, (dp_v3){0.0, 0.0, 1.0});
        assert_ok(dp_spec_add_geom(NULL, x.spec, ball, &geom));
    }
    mechanism_compile(&x);
    return x;
}

// Every contact carries what is above it. Two balls give in series, the floor does not give.
static void a_hundred_stiff_balls_stand_as_high_as_their_springs_say(void **state)
{
    (void)state;
    enum { BALLS = 100 };
    const double radius = 0.05, mass = 0.5, g = 10.0, stiffness = 1e11;
    mechanism x = stack_balls(&(pile){BALLS, radius, mass, g, stiffness});
    mechanism_steps(&x, 200);
    double depth = 0.0;
    for (int i = 0; i < BALLS; ++i) {
        depth += mass * g * (BALLS - i) / (i == 0 ? stiffness : 0.5 * stiffness);
        const double *q = dp_data_q(x.d) + 7 * i;
        // round-off of heights of up to 10 m, once for each contact below
        assert_near(q[2], radius * (2 * i + 1) - depth, 2e-15 * (i + 1));
        assert_near(q[0], 0.0, 1e-12);
    }
    mechanism_end(&x);
}

// Impulses of the last step serve again, and what they are off by does not add up to a motion.
static void a_stack_at_rest_is_seldom_solved_anew_and_does_not_stir(void **state)
{
    (void)state;
    enum { BALLS = 10, STEPS = 300 };
    mechanism x = stack_balls(&(pile){BALLS, 0.05, 0.5, 9.81, 1e10});
    mechanism_steps(&x, 50);
    int work = 0;
    double fastest = 0.0;
    for (int i = 0; i < STEPS; ++i) {
        mechanism_steps(&x, 1);
        work += dp_data_report(x.d)->work.factorizations;
        for (int k = 0; k < 6 * BALLS; ++k) {
            fastest = fmax(fastest, fabs(dp_data_v(x.d)[k]));
        }
    }
    assert_true(work <= STEPS / 5);
    // a thousandth of the tolerance of the law at each contact below
    assert_true(fastest <= 1e-3 * dp_data_options(x.d)->solver.tolerance * BALLS);
    mechanism_end(&x);
}

// Nothing in a stack is redundant, so that however high it is one matrix does for a step; and what
// the weight of all and the last digits of heights make of its rows is no motion.
static void a_stack_of_80_m_takes_one_factorization_a_step_and_then_rests(void **state)
{
    (void)state;
    enum { BALLS = 800, SETTLING = 60, STEPS = 200 };
    const double radius = 0.05, mass = 0.5, g = 9.81, stiffness = 1e10;
    mechanism x = stack_balls(&(pile){BALLS, radius, mass, g, stiffness});
    const double tolerance = dp_data_options(x.d)->solver.tolerance;
    mechanism_steps(&x, 1); // from no impulses to all
    for (int i = 0; i < SETTLING; ++i) {
        mechanism_steps(&x, 1);
        assert_true(dp_data_report(x.d)->work.factorizations <= 1);
    }
    int work = 0;
    for (int i = 0; i < STEPS; ++i) {
        mechanism_steps(&x, 1);
        work += dp_data_report(x.d)->work.factorizations;
        assert_true(dp_data_report(x.d)->residual <= 1e-2 * tolerance);
    }
    assert_true(work <= STEPS / 3);
    double depth = 0.0;
    for (int i = 0; i < BALLS; ++i) {
        depth += mass * g * (BALLS - i) / (i == 0 ? stiffness : 0.5 * stiffness);
        // each gap is off by what the residual makes of it in a step
        assert_near(dp_data_q(x.d)[7 * i + 2], radius * (2 * i + 1) - depth,
                    1e-2 * tolerance * 0.01 * (i + 1));
    }
    mechanism_end(&x);
}

// Bricks in a heap, one fewer in each course, with a step of 1/240 s.
static mechanism pile_bricks(int courses)
{
    const dp_v3 half = {0.1, 0.05, 0.05};
    const double mass = 8.0 * 1800.0 * half.x * half.y * half.z, pitch = 2.0 * half.x + 0.001;
    const dp_v3 moments = {mass / 3.0 * (half.y * half.y + half.z * half.z),
                           mass / 3.0 * (half.x * half.x + half.z * half.z),
                           mass / 3.0 * (half.x * half.x + half.y * half.y)};
    mechanism x = mechanism_begin();
    dp_spec_options(x.spec)->step = 1.0 / 240.0;
    dp_geom_spec geom = rigid_floor(0.6);
    assert_ok(dp_spec_add_geom(NULL, x.spec, DP_WORLD, &geom));
    geom.kind = DP_GEOM_BOX;
    geom.size[0] = half.x;
    geom.size[1] = half.y;
    geom.size[2] = half.z;
    geom.contact.material.stiffness = 1e8;
    geom.contact.material.damping = 1e5;
    for (int course = 0; course < courses; ++course) {
        for (int i = 0; i < courses - course; ++i) {
            const dp_v3 at = {pitch * (i + 0.5 * course), 0.0, half.z * (2 * course + 1)};
            const dp_body_id brick =
                mechanism_body(&x, DP_WORLD, NULL, at, mass, (dp_v3){0.0, 0.0, 0.0}, moments);
            mechanism_joint(&x, brick, NULL, DP_JOINT_FREE, (dp_v3){0.0, 0.0, 1.0});
            assert_ok(dp_spec_add_geom(NULL, x.spec, brick, &geom));
        }
    }
    mechanism_compile(&x);
    return x;
}

// Faces have many points, whose gaps are known to their last digits only: what these ask for is no
// reason to begin anew.
static void bricks_at_rest_are_seldom_solved_anew_and_do_not_stir(void **state)
{
    (void)state;
    enum { COURSES = 5, STEPS = 300 };
    mechanism x = pile_bricks(COURSES);
    const double tolerance = dp_data_options(x.d)->solver.tolerance;
    mechanism_steps(&x, 200);
    int work = 0;
    double fastest = 0.0, worst = 0.0;
    for (int i = 0; i < STEPS; ++i) {
        mechanism_steps(&x, 1);
        work += dp_data_report(x.d)->work.factorizations;
        worst = fmax(worst, dp_data_report(x.d)->residual);
        for (int k = 0; k < dp_model_sizes(x.m)->nv; ++k) {
            fastest = fmax(fastest, fabs(dp_data_v(x.d)[k]));
        }
    }
    assert_true(work <= STEPS / 2);
    // a thousandth of the tolerance at each contact; turns have an arm of 5 cm
    assert_true(worst <= 1e-3 * tolerance);
    assert_true(fastest <= 1e-3 * tolerance * COURSES / 0.05);
    mechanism_end(&x);
}

// Steps of a simulation beside those of others that know its state alone, every few steps a new
// one: what they find and what it takes.
typedef struct beside {
    int anew;         // steps that were not solved by the impulses of the last
    int own, another; // factorizations
} beside;

static beside go_on_beside_others(mechanism *x, int steps)
{
    enum { EVERY = 7 };
    beside out = {0};
    dp_data *other = NULL;
    for (int i = 0; i < steps; ++i) {
        if (i % EVERY == 0) {
            dp_data_destroy(other);
            assert_ok(dp_data_create(&other, x->m, NULL));
            assert_ok(dp_data_copy(other, x->d));
        }
        mechanism_steps(x, 1);
        assert_ok(dp_step(other));
        const dp_step_report *info = dp_data_report(x->d), *of_other = dp_data_report(other);
        assert_true(dp_state_hash(other) == dp_state_hash(x->d));
        assert_int_equal(info->work.iterations, of_other->work.iterations);
        assert_true(info->residual == of_other->residual);
        out.anew += info->work.iterations > 0;
        out.own += info->work.factorizations;
        out.another += of_other->work.factorizations;
    }
    dp_data_destroy(other);
    return out;
}

// What is solved anew is solved with the factors of a step long ago. Others have to factor, and go
// the same way to the last bit: kept factors are no state.
static void a_pyramid_at_rest_goes_on_with_the_same_factors_and_bits(void **state)
{
    (void)state;
    mechanism x = standing_scene("contact/pyramid.xml", NULL);
    mechanism_steps(&x, 200);
    const beside w = go_on_beside_others(&x, 300);
    print_message("%d steps solved anew, %d factorizations; %d in others\n", w.anew, w.own,
                  w.another);
    assert_true(w.anew > 10);
    assert_true(w.own <= 2);
    assert_true(w.another > 10);
    mechanism_end(&x);
}

// Also where friction at its limit sticks and slips in turn, and after bricks have been moved, a
// little and for good, so that factors are of other numbers.
static void bricks_that_are_pushed_have_bits_that_depend_on_no_factors(void **state)
{
    (void)state;
    enum { COURSES = 5, BRICKS = COURSES * (COURSES + 1) / 2, STEPS = 400 };
    const double weight = 3.6 * 9.81;
    mechanism x = pile_bricks(COURSES);
    for (int push = 0; push < 3; ++push) {
        mechanism_steps(&x, 250);
        const beside w = go_on_beside_others(&x, STEPS);
        assert_true(w.anew > STEPS / 40);
        assert_true(w.own < w.another);
        dp_wrench *on_top = dp_data_wrench(x.d, (dp_body_id){BRICKS});
        const double held = dp_data_q(x.d)[7 * (BRICKS - 1)];
        on_top->f.x = (push == 0 ? 0.3 : 0.9) * weight; // friction holds 0.6 of it
        (void)go_on_beside_others(&x, 20);
        on_top->f.x = 0.0;
        (void)go_on_beside_others(&x, 50);
        const double moved = dp_data_q(x.d)[7 * (BRICKS - 1)] - held;
        assert_true(push == 0 ? fabs(moved) < 1e-6 : moved > 1e-3);
    }
    mechanism_end(&x);
}

// Bricks touch their neighbours without pushing them, and friction is at its limit in places: what
// sticks and what slips is decided by last digits, which is no reason to stir.
static void a_wall_of_bricks_side_by_side_does_not_stir(void **state)
{
    (void)state;
    enum { SETTLING = 100, STEPS = 400 };
    mechanism x = standing_scene("contact/wall.xml", NULL);
    mechanism_steps(&x, SETTLING);
    int work = 0;
    double fastest = 0.0;
    for (int i = 0; i < STEPS; ++i) {
        mechanism_steps(&x, 1);
        work += dp_data_report(x.d)->work.factorizations;
        for (int k = 0; k < dp_model_sizes(x.m)->nv; ++k) {
            fastest = fmax(fastest, fabs(dp_data_v(x.d)[k]));
        }
    }
    print_message("%d factorizations in %d steps, %g m/s\n", work, STEPS, fastest);
    assert_true(fastest <= 1e-2 * dp_data_options(x.d)->solver.tolerance);
    assert_true(work <= 2 * STEPS);
    mechanism_end(&x);
}

// The springs of 2e7 N/m of two boxes act in series; all four stand upright.
static void a_light_box_carries_a_heavy_one(void **state)
{
    (void)state;
    mechanism x = standing_scene("contact/heavy_on_light.xml", NULL);
    mechanism_steps(&x, 1000); // 10 t on 1e7 N/m swing at 5 Hz, hardly damped
    assert_true(standing_scene_drift(&x, 1.0) < 1e-9);
    const double g = 9.81, k = 1e7;
    for (int i = 0; i < 2; ++i) {
        const double heavy = i == 0 ? 1000.0 : 10000.0;
        const dp_pose below = standing_scene_pose(&x, i == 0 ? "light_1" : "light_2");
        const dp_pose above = standing_scene_pose(&x, i == 0 ? "heavy_1" : "heavy_2");
        assert_near(0.05 - below.p.z, (heavy + 1.0) * g / k, 1e-9);
        assert_near(0.1 - (above.p.z - below.p.z), heavy * g / k, 1e-9);
        assert_near(above.q.w, 1.0, 1e-12);
    }
    mechanism_end(&x);
}

// Each side carries m g/√2 and holds μ times that along the groove.
static void a_groove_holds_what_both_sides_hold(void **state)
{
    (void)state;
    const double mu = 0.5, g = 9.81, most = mu * sqrt(2.0);
    for (int i = 0; i < 4; ++i) {
        mechanism x = standing_scene("contact/v_groove.xml", NULL);
        const double pull = most * (0.4 + 0.4 * i); // 0.4 and 0.8 hold, 1.2 and 1.6 do not
        dp_data_options(x.d)->gravity = (dp_v3){pull * g, 0.0, -g};
        mechanism_steps(&x, 100);
        const double before = dp_data_v(x.d)[0];
        mechanism_steps(&x, 100);
        const double a = pull > most ? (pull - most) * g : 0.0;
        assert_near(dp_data_v(x.d)[0] - before, a * 1.0, 1e-8); // within the tolerance of the law
        assert_near(dp_data_q(x.d)[1], 0.0, 1e-9);
        assert_true(dp_data_report(x.d)->certificate.creep < 1e-9);
        mechanism_end(&x);
    }
}

static void a_shaken_cube_stays_between_the_fingers(void **state)
{
    (void)state;
    mechanism x = standing_scene("contact/gripper.xml", NULL);
    mechanism_steps(&x, 20);
    const double before = standing_scene_pose(&x, "cube").p.z - standing_scene_pose(&x, "hand").p.z;
    for (int i = 0; i < 400; ++i) {
        mechanism_steps(&x, 1);
        const double now =
            standing_scene_pose(&x, "cube").p.z - standing_scene_pose(&x, "hand").p.z;
        assert_near(now, before, 1e-8); // creep of at most 1e-9 m/s for two seconds, at five points
    }
    mechanism_end(&x);
}

static void a_ball_stays_in_the_hand_that_has_closed_around_it(void **state)
{
    (void)state;
    mechanism x = standing_scene("hand_holds_ball.xml", "closing");
    mechanism_steps(&x, 2000);
    const dp_v3 before = standing_scene_pose(&x, "ball").p;
    assert_true(before.z > 0.15); // not fallen
    mechanism_steps(&x, 1000);
    const dp_v3 now = standing_scene_pose(&x, "ball").p;
    assert_near(now.x, before.x, 1e-8); // creep of at most 1e-9 m/s for a second, at five points
    assert_near(now.y, before.y, 1e-8);
    assert_near(now.z, before.z, 1e-8);
    mechanism_end(&x);
}

static void a_box_stays_on_a_ramp_and_another_slides(void **state)
{
    (void)state;
    mechanism x = standing_scene("contact/ramp.xml", NULL);
    mechanism_steps(&x, 50);
    const dp_v3 before[2] = {standing_scene_pose(&x, "stays").p,
                             standing_scene_pose(&x, "slides").p};
    dp_body_id slides;
    assert_ok(dp_model_find_body(&slides, x.m, "slides"));
    const dp_v3 v = dp_body_velocity(x.d, slides).v;
    mechanism_steps(&x, 100);
    const dp_v3 stays = standing_scene_pose(&x, "stays").p;
    assert_near(stays.x, before[0].x, 1e-9);
    assert_near(stays.z, before[0].z, 1e-9);
    const double slope = 20.0 * 3.14159265358979323846 / 180.0, h = 0.01, n = 100.0;
    const double a = 9.81 * (sin(slope) - 0.25 * cos(slope));
    const double way = sqrt(v.x * v.x + v.z * v.z) * n * h + a * h * h * n * (n + 1.0) / 2.0;
    // friction below the centre tips the box by a little until it has settled
    assert_near(standing_scene_pose(&x, "slides").p.x - before[1].x, way * cos(slope), 1e-7);
    mechanism_end(&x);
}

// Held by servos, with nothing that looks after balance.
static void walkers_stand_on_their_feet(void **state)
{
    (void)state;
    mechanism x = standing_scene("quadruped_stands.xml", "standing");
    mechanism_steps(&x, 1000);
    assert_true(standing_scene_drift(&x, 0.5) < 1e-6);
    mechanism_end(&x);
    x = standing_scene("humanoid_stands.xml", "standing");
    mechanism_steps(&x, 1500);
    assert_true(standing_scene_pose(&x, "head").p.z > 1.49);
    mechanism_end(&x);
}

static void every_scene_of_contact_is_solved(void **state)
{
    (void)state;
    DIR *folder = opendir(DP_SCENES "/contact");
    assert_non_null(folder);
    int scenes = 0;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL; ++scenes) {
        if (!strstr(entry->d_name, ".xml")) {
            continue;
        }
        char path[300];
        snprintf(path, sizeof path, "contact/%s", entry->d_name);
        mechanism x = standing_scene(path, NULL);
        for (int i = 0; i < 3; ++i) {
            mechanism_steps(&x, 1);
            assert_int_equal(dp_data_report(x.d)->unsolved, 0);
        }
        mechanism_end(&x);
    }
    closedir(folder);
    assert_true(scenes >= 18);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hundred_stiff_balls_stand_as_high_as_their_springs_say),
        cmocka_unit_test(a_stack_at_rest_is_seldom_solved_anew_and_does_not_stir),
        cmocka_unit_test(a_stack_of_80_m_takes_one_factorization_a_step_and_then_rests),
        cmocka_unit_test(bricks_at_rest_are_seldom_solved_anew_and_do_not_stir),
        cmocka_unit_test(a_pyramid_at_rest_goes_on_with_the_same_factors_and_bits),
        cmocka_unit_test(bricks_that_are_pushed_have_bits_that_depend_on_no_factors),
        cmocka_unit_test(a_wall_of_bricks_side_by_side_does_not_stir),
        cmocka_unit_test(a_light_box_carries_a_heavy_one),
        cmocka_unit_test(a_groove_holds_what_both_sides_hold),
        cmocka_unit_test(a_shaken_cube_stays_between_the_fingers),
        cmocka_unit_test(a_ball_stays_in_the_hand_that_has_closed_around_it),
        cmocka_unit_test(a_box_stays_on_a_ramp_and_another_slides),
        cmocka_unit_test(every_scene_of_contact_is_solved),
        cmocka_unit_test(walkers_stand_on_their_feet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
