// Walls and piles of a thousand rigid contacts and more under the law `ncp`: solved, and at rest.
#include "contact_scene.h"
#include "mechanism.h"
#include "standing_scene.h"
#include "trial.h"

#include <math.h>
#include <stdio.h>

static const contact_stuff ROUGH = {.mu = 0.6};

static void add_brick(mechanism *x, int course, int place, double at, double half)
{
    char name[32];
    snprintf(name, sizeof name, "brick %d %d", course, place);
    const double mass = 36.0 * half; // of 1800 kg/m³, 0.1 m thick and high
    const double along = mass / 12.0 * (4.0 * half * half + 0.01);
    const dp_body_id body =
        mechanism_body(x, DP_WORLD, name, (dp_v3){at, 0.0, 0.05 + 0.1 * course}, mass,
                       (dp_v3){0.0, 0.0, 0.0}, (dp_v3){mass * 0.02 / 12.0, along, along});
    mechanism_joint(x, body, NULL, DP_JOINT_FREE, (dp_v3){0.0, 0.0, 1.0});
    dp_geom_spec brick = dp_geom_spec_default();
    brick.kind = DP_GEOM_BOX;
    brick.size[0] = half;
    brick.size[1] = brick.size[2] = 0.05;
    brick.friction[0] = ROUGH.mu;
    assert_ok(dp_spec_add_geom(NULL, x->spec, body, &brick));
}

// Courses of twelve bricks in half bond, every second with half a brick at either end.
static mechanism wall(int courses)
{
    mechanism x = contact_scene_begin(ROUGH, (dp_v3){0.0, 0.0, -9.81}, 0.01);
    for (int c = 0; c < courses; ++c) {
        const int shifted = c % 2;
        for (int b = 0; b < 12 - shifted; ++b) {
            add_brick(&x, c, b, 0.1 + 0.1 * shifted + 0.2 * b, 0.1);
        }
        if (shifted) {
            add_brick(&x, c, 12, 0.05, 0.05);
            add_brick(&x, c, 13, 2.35, 0.05);
        }
    }
    mechanism_compile(&x);
    dp_data_options(x.d)->solver.law = DP_LAW_NCP;
    return x;
}

typedef struct tally {
    int contacts, unsolved, halved;
    long factorizations;
    double residual;
} tally;

static tally watch(mechanism *x, int steps)
{
    tally t = {.contacts = 0};
    for (int i = 0; i < steps; ++i) {
        mechanism_steps(x, 1);
        const dp_step_report *info = dp_data_report(x->d);
        const int contacts = dp_data_contact_count(x->d);
        t.contacts = contacts > t.contacts ? contacts : t.contacts;
        t.unsolved += info->unsolved > 0;
        t.halved += info->work.substeps > 1;
        t.factorizations += info->work.factorizations;
        t.residual = fmax(t.residual, dp_data_report(x->d)->certificate.normal_law);
    }
    print_message("%d contacts, %d steps: %d unsolved, %d halved, law error %.1e m/s, "
                  "%.1f factorizations\n",
                  t.contacts, steps, t.unsolved, t.halved, t.residual,
                  (double)t.factorizations / steps);
    return t;
}

static void a_wall_of_a_thousand_contacts_stands(void **state)
{
    (void)state;
    mechanism x = wall(14);
    const dp_pose before = standing_scene_pose(&x, "brick 13 5");
    const tally t = watch(&x, 30);
    const dp_pose after = standing_scene_pose(&x, "brick 13 5");
    assert_true(t.contacts >= 1000);
    assert_int_equal(t.unsolved, 0);
    assert_true(t.residual <= 1e-8);
    assert_near(after.p.x, before.p.x, 3e-10); // law.tolerance times 0.3 s
    assert_near(after.p.z, before.p.z, 3e-10);
    mechanism_end(&x);
}

// A blow of 1 m/s on the uppermost course from the side: all courses slide or stick.
static void a_wall_that_is_pushed_is_solved(void **state)
{
    (void)state;
    mechanism x = wall(14);
    double *v = dp_data_v(x.d);
    const int nv = 6, top = 13 * 12 + 6; // bodies below the course
    for (int b = 0; b < 13; ++b) {
        v[nv * (top + b)] = 1.0;
    }
    const tally t = watch(&x, 10);
    assert_int_equal(t.unsolved, 0);
    assert_true(t.residual <= 1e-8);
    mechanism_end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wall_of_a_thousand_contacts_stands),
        cmocka_unit_test(a_wall_that_is_pushed_is_solved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
