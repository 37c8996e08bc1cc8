// Forces and gaps of rows, as queries, channels and sensors tell them, against statics.
#include "mechanism.h"
#include "near.h"

#include <dashpot/advanced/step.h>
#include <dashpot/format.h>
#include <dashpot/record.h>
#include <dashpot/row.h>

#include <math.h>
#include <string.h>

static const double G = 9.81;
static const double ROUND_OFF = 1e-9; // of forces of some 10 N, solved to 1e-12 relative

#define MASSLESS_CONTACT "contype='0' conaffinity='0'"
#define GEOM "<geom size='0.1' mass='2' " MASSLESS_CONTACT "/>"

static mechanism from_text(const char *text)
{
    dp_spec *spec;
    const dp_import_options options = dp_import_options_default();
    assert_ok(dp_mjcf_parse(&spec, NULL, text, strlen(text), "test", &options));
    return mechanism_from(spec);
}

// The present value of a channel.
static double channel(mechanism *x, const char *name)
{
    dp_recorder *r;
    assert_ok(dp_recorder_create(&r, x->m, name, NULL));
    assert_ok(dp_recorder_sample(r, x->d));
    assert_int_equal(dp_recorder_columns(r), 2); // time and the one
    const double value = dp_recorder_value(r, 0, 1);
    dp_recorder_destroy(r);
    return value;
}

static bool has_channel(const mechanism *x, const char *name)
{
    dp_recorder *r;
    const bool there = dp_recorder_create(&r, x->m, name, NULL) == DP_OK;
    dp_recorder_destroy(r);
    return there;
}

// ---- equalities

static void a_weld_that_holds_a_body_carries_its_weight(void **state)
{
    (void)state;
    mechanism x = from_text("<mujoco><worldbody><body name='b' pos='0.5 0 0'><freejoint/>" GEOM
                            "</body></worldbody>"
                            "<equality><weld name='w' body1='b'/></equality></mujoco>");
    mechanism_steps(&x, 10);
    // The second of the two is the world: what it gets points down.
    assert_near(channel(&x, "equality.w.force.z"), -2.0 * G, ROUND_OFF);
    assert_near(channel(&x, "equality.w.force.x"), 0.0, ROUND_OFF);
    // The frames meet in the origin of the second body, 0.5 m beside the centre of mass.
    assert_near(fabs(channel(&x, "equality.w.force.ty")), 0.5 * 2.0 * G, ROUND_OFF);
    assert_near(channel(&x, "equality.w.gap.z"), 0.0, 1e-12);
    assert_near(channel(&x, "equality.w.gap.ry"), 0.0, 1e-12);
    mechanism_end(&x);
}

static void a_soft_equality_gives_by_load_over_stiffness(void **state)
{
    (void)state;
    mechanism x = mechanism_begin();
    dp_spec_options(x.spec)->step = 0.01;
    dp_spec_options(x.spec)->ledger = true;
    const dp_body_id b = mechanism_body(&x, DP_WORLD, "b", (dp_v3){0.0, 0.0, 0.0}, 2.0,
                                        (dp_v3){0.0, 0.0, 0.0}, (dp_v3){0.1, 0.1, 0.1});
    mechanism_joint(&x, b, "lift", DP_JOINT_SLIDE, (dp_v3){0.0, 0.0, 1.0});
    dp_equality_spec e = dp_equality_spec_default();
    e.name = "spring";
    e.kind = DP_EQUALITY_JOINT;
    e.object[0] = "lift";
    e.bearing = (dp_bearing){.stiffness = 1e4, .damping = 200.0};
    assert_ok(dp_spec_add_equality(NULL, x.spec, &e));
    mechanism_compile(&x);
    mechanism_steps(&x, 2000);
    const double sag = 2.0 * G / 1e4;
    assert_near(channel(&x, "equality.spring.gap"), -sag, 1e-12);
    assert_near(channel(&x, "equality.spring.force"), 2.0 * G, ROUND_OFF);
    assert_near(channel(&x, "energy.elastic"), 0.5 * 1e4 * sag * sag, 1e-12);
    assert_near(channel(&x, "energy.total"), mechanism_energy(&x) + 0.5 * 1e4 * sag * sag, 1e-12);
    assert_near(channel(&x, "energy.impacts"), 0.0, 0.0);
    // Half of what the weight did is in the spring; the dampers and the method took the rest.
    const dp_ledger *ledger = dp_data_ledger(x.d);
    assert_true(ledger->damped > 0.0 && ledger->remainder <= 0.0);
    assert_near(ledger->damped - ledger->remainder, 0.5 * 2.0 * G * sag, 1e-12);
    mechanism_end(&x);
}

static void a_spring_that_is_loaded_at_the_start_is_in_the_ledger(void **state)
{
    (void)state;
    mechanism x = mechanism_begin();
    dp_options *options = dp_spec_options(x.spec);
    options->step = 0.001;
    options->gravity = (dp_v3){0.0, 0.0, 0.0};
    options->ledger = true;
    const dp_body_id b = mechanism_body(&x, DP_WORLD, "b", (dp_v3){0.0, 0.0, 0.0}, 2.0,
                                        (dp_v3){0.0, 0.0, 0.0}, (dp_v3){0.1, 0.1, 0.1});
    mechanism_joint(&x, b, "rail", DP_JOINT_SLIDE, (dp_v3){1.0, 0.0, 0.0});
    dp_equality_spec e = dp_equality_spec_default();
    e.name = "spring";
    e.kind = DP_EQUALITY_JOINT;
    e.object[0] = "rail";
    e.bearing.stiffness = 50.0;
    assert_ok(dp_spec_add_equality(NULL, x.spec, &e));
    mechanism_compile(&x);
    dp_data_q(x.d)[0] = 0.2;
    mechanism_steps(&x, 1);
    const dp_ledger *ledger = dp_data_ledger(x.d);
    assert_near(ledger->elastic_before, 0.5 * 50.0 * 0.2 * 0.2, 1e-15);
    assert_true(ledger->remainder <= 0.0);
    assert_true(ledger->remainder > -1e-3); // the loss of one implicit step, (hω)² ½ of the energy
    mechanism_end(&x);
}

// ---- limits and friction

static void an_end_of_a_range_carries_what_leans_on_it(void **state)
{
    (void)state;
    mechanism x = from_text("<mujoco><compiler angle='radian'/><worldbody><body name='arm'>"
                            "<joint name='j' axis='0 1 0' limited='true' range='-1 0'/>"
                            "<geom size='0.1' mass='2' pos='0.3 0 0' " MASSLESS_CONTACT "/>"
                            "</body></worldbody><sensor>"
                            "<jointlimitpos name='pos' joint='j'/>"
                            "<jointlimitvel name='vel' joint='j'/>"
                            "<jointlimitfrc name='frc' joint='j'/></sensor></mujoco>");
    mechanism_steps(&x, 5); // about y, the weight at x > 0 turns to larger angles
    assert_near(channel(&x, "joint.j.limit_force"), -0.3 * 2.0 * G, ROUND_OFF);
    assert_near(mechanism_sense(&x, "frc")[0], 0.3 * 2.0 * G, ROUND_OFF);
    assert_near(mechanism_sense(&x, "pos")[0], 0.0, 1e-12);
    assert_near(mechanism_sense(&x, "vel")[0], 0.0, 1e-12);
    mechanism_set(&x, (double[]){-0.5}, (double[]){0.0});
    assert_near(channel(&x, "joint.j.limit_force"), 0.0, 0.0);
    mechanism_set(&x, (double[]){-1.25}, (double[]){0.5}); // beyond the lower end, on its way back
    assert_near(mechanism_sense(&x, "pos")[0], -0.25, 1e-15);
    assert_near(mechanism_sense(&x, "vel")[0], 0.5, 1e-15);
    assert_true(mechanism_sense(&x, "frc")[0] > 0.0);
    mechanism_set(&x, (double[]){-0.5}, (double[]){0.5});
    assert_near(mechanism_sense(&x, "pos")[0], 0.0, 0.0);
    assert_near(mechanism_sense(&x, "vel")[0], 0.0, 0.0);
    assert_near(mechanism_sense(&x, "frc")[0], 0.0, 0.0);
    mechanism_end(&x);
}

static void dry_friction_answers_up_to_its_bound(void **state)
{
    (void)state;
    mechanism x = from_text("<mujoco><worldbody><body name='sledge'>"
                            "<joint name='s' type='slide' axis='1 0 0' frictionloss='3'/>" GEOM
                            "</body></worldbody></mujoco>");
    dp_data_force(x.d)[0] = 2.0;
    assert_near(channel(&x, "joint.s.friction_force"), -2.0, ROUND_OFF);
    dp_data_force(x.d)[0] = -5.0;
    assert_near(channel(&x, "joint.s.friction_force"), 3.0, ROUND_OFF);
    assert_false(has_channel(&x, "joint.s.limit_force")); // it has no range
    mechanism_end(&x);
}

// ---- tendons

static void a_taut_rope_carries_the_weight_on_it(void **state)
{
    (void)state;
    mechanism x = from_text("<mujoco><worldbody><site name='hook' pos='0 0 1'/><body name='b'>"
                            "<joint name='lift' type='slide' axis='0 0 1'/>" GEOM
                            "<site name='eye'/></body></worldbody>"
                            "<tendon><spatial name='rope' limited='true' range='0 1'>"
                            "<site site='hook'/><site site='eye'/></spatial></tendon>"
                            "<actuator><motor name='winch' tendon='rope' gear='-2'/></actuator>"
                            "<sensor><tendonlimitpos name='pos' tendon='rope'/>"
                            "<tendonlimitvel name='vel' tendon='rope'/>"
                            "<tendonlimitfrc name='frc' tendon='rope'/></sensor></mujoco>");
    mechanism_steps(&x, 5);
    assert_near(channel(&x, "tendon.rope.length"), 1.0, 1e-9);
    assert_near(channel(&x, "tendon.rope.force"), 2.0 * G, ROUND_OFF);
    assert_near(mechanism_sense(&x, "frc")[0], 2.0 * G, ROUND_OFF);
    dp_data_control(x.d)[0] = 4.0; // pulls with 8 N: the tension is the same, the limit has less
    assert_near(channel(&x, "tendon.rope.force"), 2.0 * G, ROUND_OFF);
    assert_near(mechanism_sense(&x, "frc")[0], 2.0 * G - 8.0, ROUND_OFF);
    mechanism_set(&x, (double[]){0.2}, (double[]){0.5});
    assert_near(channel(&x, "tendon.rope.length"), 0.8, 1e-15);
    assert_near(channel(&x, "tendon.rope.velocity"), -0.5, 1e-15);
    assert_near(channel(&x, "tendon.rope.force"), 8.0, ROUND_OFF); // of the winch alone
    assert_near(mechanism_sense(&x, "frc")[0], 0.0, 0.0);
    mechanism_set(&x, (double[]){-0.1}, (double[]){0.5});
    assert_near(mechanism_sense(&x, "pos")[0], -0.1, 1e-12);
    assert_near(mechanism_sense(&x, "vel")[0], 0.5, 1e-12);
    mechanism_end(&x);
}

static void a_tendon_equality_shares_its_tension_by_the_polynomial(void **state)
{
    (void)state;
    // Two weights on ropes; the second rope pays out twice what the first takes in.
    mechanism x =
        from_text("<mujoco><worldbody><body name='a'><joint name='a' type='slide' axis='0 0 1'/>"
                  "<geom size='0.1' mass='1' " MASSLESS_CONTACT "/></body>"
                  "<body name='b' pos='1 0 0'><joint name='b' type='slide' axis='0 0 1'/>"
                  "<geom size='0.1' mass='3' " MASSLESS_CONTACT "/></body></worldbody>"
                  "<tendon><fixed name='ra'><joint joint='a' coef='1'/></fixed>"
                  "<fixed name='rb'><joint joint='b' coef='1'/></fixed></tendon>"
                  "<equality><tendon name='e' tendon1='ra' tendon2='rb' polycoef='0 -2 0 0 0'/>"
                  "</equality></mujoco>");
    assert_near(channel(&x, "tendon.ra.force"), -channel(&x, "equality.e.force"), ROUND_OFF);
    assert_near(channel(&x, "tendon.rb.force"), 2.0 * channel(&x, "tendon.ra.force"), ROUND_OFF);
    // 1 (a + g) = −T, 3 (b + g) = −2 T and a = −2 b give T = −9/7 g.
    assert_near(channel(&x, "tendon.ra.force"), -9.0 * G / 7.0, ROUND_OFF);
    mechanism_end(&x);
}

// ---- queries

static const char *const many_rows =
    "<mujoco><compiler angle='radian'/><worldbody>"
    "<body name='a'><joint name='a' axis='0 1 0' limited='true' range='-1 0'/>"
    "<geom size='0.1' mass='2' pos='0.3 0 0' " MASSLESS_CONTACT "/></body>"
    "<body name='b' pos='0 1 0'><joint name='b' type='ball' frictionloss='0.1'/>" GEOM "</body>"
    "<body name='c' pos='0 2 0'><freejoint/>" GEOM "</body>"
    "<body name='d' pos='0 3 0'><joint name='d' type='slide' axis='1 0 0' frictionloss='0.1'/>" GEOM
    "</body></worldbody>"
    "<equality><weld name='w' body1='c'/><connect name='k' body1='c' anchor='0.2 0 0'/>"
    "</equality></mujoco>";

static void every_row_is_found_by_its_owner(void **state)
{
    (void)state;
    mechanism x = from_text(many_rows);
    mechanism_steps(&x, 3);
    assert_int_equal(dp_data_row_count(x.d), 6 + 3 + 1 + 1 + 3);
    for (int i = 0; i < dp_data_row_count(x.d); ++i) {
        const dp_row_info info = dp_data_row(x.d, i);
        assert_int_equal(dp_data_find_row(x.d, info.source, info.element, info.component), i);
    }
    assert_int_equal(dp_data_find_row(x.d, DP_ROW_SOURCE_EQUALITY, 0, 6), -1);
    assert_int_equal(dp_data_find_row(x.d, DP_ROW_SOURCE_EQUALITY, 1, 3), -1);
    assert_int_equal(dp_data_find_row(x.d, DP_ROW_SOURCE_EQUALITY, 2, 0), -1);
    assert_int_equal(dp_data_find_row(x.d, DP_ROW_SOURCE_JOINT_LIMIT, 0, 0), -1); // the other end
    assert_int_equal(dp_data_find_row(x.d, DP_ROW_SOURCE_USER, 0, 0), -1);
    assert_int_equal(dp_data_find_row(x.d, DP_ROW_SOURCE_EQUALITY, -1, 0), -1);
    assert_int_equal(dp_data_find_row(x.d, DP_ROW_SOURCE_EQUALITY, 0, -1), -1);
    assert_int_equal(dp_data_row(x.d, -1).element, -1);
    mechanism_end(&x);
}

static void what_is_switched_off_has_no_force(void **state)
{
    (void)state;
    mechanism x = from_text(many_rows);
    dp_equality_id w;
    assert_ok(dp_model_find_equality(&w, x.m, "w"));
    dp_data_set_equality_active(x.d, w, false);
    assert_near(channel(&x, "equality.w.force.z"), 0.0, 0.0);
    assert_near(channel(&x, "equality.k.force.z"), -2.0 * G / (1.0 + 0.2 * 0.2 / (0.4 * 0.1 * 0.1)),
                ROUND_OFF); // a ball on a nail begins to turn
    mechanism_end(&x);
}

static void a_copy_has_the_certificate_of_the_step(void **state)
{
    (void)state;
    mechanism x = from_text(many_rows);
    mechanism_steps(&x, 3);
    dp_data *copy;
    assert_ok(dp_data_create(&copy, x.m, NULL));
    assert_ok(dp_data_copy(copy, x.d));
    assert_ok(dp_step(x.d)); // the copy does not look at what was copied
    assert_int_equal(dp_data_report(copy)->certificate.nrow, 14);
    assert_ok(dp_step(copy));
    assert_memory_equal(&dp_data_report(copy)->certificate, &dp_data_report(x.d)->certificate,
                        sizeof(dp_certificate));
    dp_data_destroy(copy);
    mechanism_end(&x);
}

static void sampling_leaves_the_certificate_of_the_step(void **state)
{
    (void)state;
    mechanism x = from_text(many_rows);
    mechanism_steps(&x, 3);
    const dp_certificate before = dp_data_report(x.d)->certificate;
    assert_int_equal(before.nrow, 14);
    assert_ok(dp_sense(x.d));
    assert_memory_equal(&dp_data_report(x.d)->certificate, &before, sizeof before);
    assert_near(channel(&x, "cert.momentum"), before.momentum, 0.0);
    assert_near(channel(&x, "cert.rows"), 14.0, 0.0);
    dp_data_reset(x.d);
    assert_int_equal(dp_data_report(x.d)->certificate.nrow, 0);
    mechanism_end(&x);
}

// ---- the callback that sees problems

typedef struct watcher {
    int count;
    double time, length; // of the last
    dp_status answer;
} watcher;

static dp_status watch(void *context, const dp_data *d)
{
    watcher *w = context;
    w->count++;
    w->time = dp_data_time(d);
    w->length = dp_data_problem(d)->h;
    return w->answer;
}

static void the_problem_callback_sees_each_part_of_a_step(void **state)
{
    (void)state;
    mechanism x = from_text(many_rows);
    const double h = dp_data_options(x.d)->step;
    watcher w = {.answer = DP_OK};
    dp_data_set_problem_callback(x.d, watch, &w);
    mechanism_steps(&x, 3);
    assert_int_equal(w.count, 3);
    assert_near(w.time, 2.0 * h, 1e-15);
    dp_data_options(x.d)->accuracy = 1e3; // the whole, halves, quarters
    mechanism_steps(&x, 1);
    assert_int_equal(w.count, 3 + 1 + 2 + 4);
    assert_near(w.length, 0.25 * h, 0.0);
    assert_int_equal(dp_data_report(x.d)->work.substeps, 4);
    mechanism_end(&x);
}

static void a_problem_callback_that_fails_stops_the_step(void **state)
{
    (void)state;
    mechanism x = from_text(many_rows);
    mechanism_steps(&x, 1);
    const uint64_t hash = dp_state_hash(x.d);
    watcher w = {.answer = DP_ERROR_IO};
    dp_data_set_problem_callback(x.d, watch, &w);
    assert_int_equal(dp_step(x.d), DP_ERROR_CALLBACK);
    assert_true(strstr(dp_last_error(), "problem callback") != NULL);
    assert_true(dp_state_hash(x.d) == hash);
    mechanism_end(&x);
}

static void a_sensor_of_a_limit_needs_a_limit(void **state)
{
    (void)state;
    static const char text[] =
        "<mujoco><worldbody><body><joint name='free'/>" GEOM "</body></worldbody>"
        "<sensor><jointlimitfrc joint='free'/></sensor></mujoco>";
    dp_spec *spec;
    const dp_import_options options = dp_import_options_default();
    assert_ok(dp_mjcf_parse(&spec, NULL, text, strlen(text), "test", &options));
    dp_model *m;
    assert_int_equal(dp_model_compile(&m, spec), DP_ERROR_ARGUMENT);
    assert_true(strstr(dp_last_error(), "which has no limit") != NULL);
    dp_spec_destroy(spec);
}

// ---- motions

static void a_driven_joint_tells_what_its_drive_gives(void **state)
{
    (void)state;
    mechanism x = from_text(
        "<mujoco xmlns:dp='dashpot'><worldbody><body name='table' mocap='true'>" GEOM "</body>"
        "<body name='b'><joint name='j' type='slide' axis='0 0 1'/>" GEOM "</body></worldbody>"
        "<dp:motion name='hoist' joint='j' position='0.5*t'/>"
        "<dp:motion name='shake' body='table' position='t;;'/></mujoco>");
    mechanism_steps(&x, 10);
    assert_near(channel(&x, "motion.hoist.force"), 2.0 * G, ROUND_OFF); // at constant speed
    assert_near(channel(&x, "motion.hoist.gap"), 0.0, 1e-15);
    assert_near(channel(&x, "body.table.pos.x"), dp_data_time(x.d), 1e-15);
    assert_false(has_channel(&x, "motion.shake.force"));
    mechanism_end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_driven_joint_tells_what_its_drive_gives),
        cmocka_unit_test(a_weld_that_holds_a_body_carries_its_weight),
        cmocka_unit_test(a_soft_equality_gives_by_load_over_stiffness),
        cmocka_unit_test(a_spring_that_is_loaded_at_the_start_is_in_the_ledger),
        cmocka_unit_test(an_end_of_a_range_carries_what_leans_on_it),
        cmocka_unit_test(dry_friction_answers_up_to_its_bound),
        cmocka_unit_test(a_taut_rope_carries_the_weight_on_it),
        cmocka_unit_test(a_tendon_equality_shares_its_tension_by_the_polynomial),
        cmocka_unit_test(every_row_is_found_by_its_owner),
        cmocka_unit_test(what_is_switched_off_has_no_force),
        cmocka_unit_test(a_copy_has_the_certificate_of_the_step),
        cmocka_unit_test(sampling_leaves_the_certificate_of_the_step),
        cmocka_unit_test(the_problem_callback_sees_each_part_of_a_step),
        cmocka_unit_test(a_problem_callback_that_fails_stops_the_step),
        cmocka_unit_test(a_sensor_of_a_limit_needs_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
