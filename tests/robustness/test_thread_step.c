// Threads within a step: the bits of one.
#include "contact_scene.h"
#include "standing_scene.h"

#include "sim/data.h"

#include <stdio.h>

static const int THREADS[] = {1, 2, 3, 8};

// What a simulation ends with: its state, and what is reported of it.
typedef struct ending {
    uint64_t hash;
    dp_certificate certificate;
    dp_ledger ledger;
} ending;

static void expect_same(const ending *a, const ending *b)
{
    assert_true(a->hash == b->hash);
    const dp_certificate *p = &a->certificate, *q = &b->certificate;
    assert_true(p->momentum == q->momentum && p->normal_law == q->normal_law);
    assert_true(p->complementarity == q->complementarity && p->penetration == q->penetration);
    assert_true(p->cone == q->cone && p->friction_power == q->friction_power);
    assert_true(p->creep == q->creep && p->nrow == q->nrow && p->nactive == q->nactive);
    const dp_ledger *l = &a->ledger, *m = &b->ledger;
    assert_true(l->elastic == m->elastic && l->damped == m->damped && l->friction == m->friction);
    assert_true(l->applied == m->applied && l->remainder == m->remainder);
}

static void expect_same_hashes(mechanism *x, int steps)
{
    dp_data *start;
    assert_ok(dp_data_create(&start, x->m, NULL));
    dp_data_options(x->d)->ledger = true;
    assert_ok(dp_data_copy(start, x->d));
    ending first = {0};
    for (size_t i = 0; i < sizeof THREADS / sizeof *THREADS; ++i) {
        assert_ok(dp_data_copy(x->d, start));
        assert_ok(dp_data_set_threads(x->d, THREADS[i]));
        mechanism_steps(x, steps);
        const ending now = {dp_state_hash(x->d), dp_data_report(x->d)->certificate,
                            *dp_data_ledger(x->d)};
        first = i == 0 ? now : first;
        expect_same(&now, &first);
    }
    dp_data_destroy(start);
}

static void scenes_have_the_same_bits_on_any_number_of_threads(void **state)
{
    (void)state;
    static const char *const path[] = {"contact/domino_row.xml", "contact/heavy_on_light.xml",
                                       "contact/cradle.xml",     "humanoid_stands.xml",
                                       "five_bar.xml",           "hand_16dof.xml"};
    for (size_t i = 0; i < sizeof path / sizeof *path; ++i) {
        mechanism x = standing_scene(path[i], NULL);
        expect_same_hashes(&x, 50);
        mechanism_end(&x);
    }
}

enum { HIGH = 4 };

// Balls that lean, so that they will fall. @param boxes one of three is a box
static mechanism heaps(int count, bool boxes)
{
    const contact_stuff stuff = {.mu = 0.4, .stiffness = 1e6, .damping = 1e2};
    mechanism x = contact_scene_begin(stuff, (dp_v3){0.0, 0.0, -9.81}, 0.01);
    for (int i = 0; i < count * HIGH; ++i) {
        char name[32];
        snprintf(name, sizeof name, "ball_%d", i);
        (void)contact_scene_add(&x, name, boxes && i % 3 == 0 ? DP_GEOM_BOX : DP_GEOM_SPHERE, 0.1,
                                1.0, 0.12 + 0.22 * (i % HIGH), stuff);
    }
    mechanism_compile(&x);
    for (int i = 0; i < count * HIGH; ++i) {
        double *q = dp_data_q(x.d) + 7 * (size_t)i;
        q[0] = 0.7 * (i / HIGH) + 0.01 * (i % HIGH);
        q[1] = 0.003 * (i % 5);
    }
    return x;
}

static void many_heaps_have_the_same_bits_on_any_number_of_threads(void **state)
{
    (void)state;
    mechanism x = heaps(60, true);
    expect_same_hashes(&x, 80);
    assert_non_null(x.d->workers); // they are enough to be shared
    mechanism_end(&x);
}

// Islands of single points are laid out at the same time, in memory that they share.
static void heaps_of_balls_have_the_same_bits_on_any_number_of_threads(void **state)
{
    (void)state;
    mechanism x = heaps(200, false);
    expect_same_hashes(&x, 100);
    assert_non_null(x.d->workers);
    mechanism_end(&x);
}

static void threads_are_called_only_where_there_is_enough_to_do(void **state)
{
    (void)state;
    static const int count[] = {1, 10, 100};
    for (int i = 0; i < 3; ++i) {
        mechanism x = heaps(count[i], true);
        assert_ok(dp_data_set_threads(x.d, 2));
        assert_null(x.d->workers); // nothing touches yet
        mechanism_steps(&x, 30);
        assert_true((x.d->workers != NULL) == (i == 2));
        mechanism_end(&x);
    }
}

// Boxes with arms that may touch others.
enum { ARMED = 90 };

static void add_arm(mechanism *x, dp_body_id base, int i, contact_stuff stuff)
{
    char name[32];
    snprintf(name, sizeof name, "arm_%d", i);
    const dp_body_id arm = mechanism_body(x, base, name, (dp_v3){0.1, 0.0, 0.15}, 0.2,
                                          (dp_v3){0.1, 0.0, 0.0}, (dp_v3){1e-3, 1e-3, 1e-3});
    mechanism_joint(x, arm, NULL, DP_JOINT_HINGE, (dp_v3){0.0, 1.0, 0.0});
    dp_geom_spec geom = dp_geom_spec_default();
    geom.name = name;
    geom.kind = DP_GEOM_CAPSULE;
    geom.size[0] = 0.03;
    geom.size[1] = 0.1;
    geom.pose.p.x = 0.1;
    geom.contact.condim = stuff.condim;
    assert_ok(dp_spec_add_geom(NULL, x->spec, arm, &geom));
}

// @param depth_first each arm is numbered after its box; else all arms after all boxes
static mechanism armed_boxes(bool depth_first)
{
    const contact_stuff stuff = {
        .mu = 0.6, .torsion = 0.01, .roll = 0.002, .stiffness = 1e6, .damping = 1e2, .condim = 6};
    mechanism x = contact_scene_begin(stuff, (dp_v3){0.0, 0.0, -9.81}, 0.005);
    dp_body_id base[ARMED];
    for (int i = 0; i < ARMED; ++i) {
        char name[32];
        snprintf(name, sizeof name, "box_%d", i);
        base[i] = contact_scene_add(&x, name, DP_GEOM_BOX, 0.1, 1.0, 0.11 + 0.002 * (i % 7), stuff);
        if (depth_first) {
            add_arm(&x, base[i], i, stuff);
        }
    }
    for (int i = 0; i < ARMED && !depth_first; ++i) {
        add_arm(&x, base[i], i, stuff);
    }
    mechanism_compile(&x);
    for (int i = 0; i < ARMED; ++i) { // in rows of three that meet each other
        double *q = dp_data_q(x.d) + 8 * (size_t)i;
        q[0] = 0.9 * (i / 3);
        q[1] = 0.19 * (i % 3);
    }
    return x;
}

static void trees_of_several_bodies_have_the_same_bits_on_any_number_of_threads(void **state)
{
    (void)state;
    for (int depth_first = 0; depth_first < 2; ++depth_first) {
        mechanism x = armed_boxes(depth_first);
        expect_same_hashes(&x, 60);
        assert_non_null(x.d->workers);
        mechanism_end(&x);
    }
}

static void a_bad_number_of_threads_changes_nothing(void **state)
{
    (void)state;
    mechanism x = standing_scene("contact/cradle.xml", NULL);
    assert_ok(dp_data_set_threads(x.d, 2));
    assert_int_equal(dp_data_set_threads(x.d, 0), DP_ERROR_ARGUMENT);
    assert_int_equal(dp_data_set_threads(x.d, 1000), DP_ERROR_ARGUMENT);
    mechanism_steps(&x, 3);
    mechanism_end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenes_have_the_same_bits_on_any_number_of_threads),
        cmocka_unit_test(many_heaps_have_the_same_bits_on_any_number_of_threads),
        cmocka_unit_test(heaps_of_balls_have_the_same_bits_on_any_number_of_threads),
        cmocka_unit_test(threads_are_called_only_where_there_is_enough_to_do),
        cmocka_unit_test(trees_of_several_bodies_have_the_same_bits_on_any_number_of_threads),
        cmocka_unit_test(a_bad_number_of_threads_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
