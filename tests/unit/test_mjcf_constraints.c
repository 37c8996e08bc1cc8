// Contact pairs, tendons, equalities, and what drives and measures them: from MJCF to the spec.
// Constants were confirmed with MuJoCo 3.14.
#include "imported.h"
#include "near.h"

#include <dashpot/format.h>
#include <dashpot/model.h>
#include <dashpot/sim.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double ROUND_OFF = 1e-14; // of a dozen operations on numbers of order one

#define TWO_BODIES                                                                                 \
    "<worldbody><geom name='floor' type='plane' size='1 1 1'/><site name='w' pos='0 0 1'/>"        \
    "<body name='a' pos='1 0 0'><joint name='j' axis='0 1 0' range='-90 90'/>"                     \
    "<geom name='ball' size='.1'/><site name='s'/><site name='side' pos='0 .2 0'/>"                \
    "<body name='b' pos='1 0 0'><joint name='k' type='slide' range='-1 3'/>"                       \
    "<geom name='rod' type='cylinder' size='.1 .2'/><site name='t'/></body></body></worldbody>"

static dp_spec *load_with(const char *text, const dp_import_options *options,
                          dp_import_report **report)
{
    dp_spec *spec;
    if (dp_mjcf_parse(&spec, report, text, strlen(text), "a.xml", options) != DP_OK) {
        fail_msg("%s", dp_last_error());
    }
    return spec;
}

static dp_spec *load(const char *text)
{
    return load_with(text, NULL, NULL);
}

// Go on without contact.
static dp_model *compile(dp_spec *spec)
{
    assert_int_equal(dp_spec_allow(spec, "contact"), DP_OK);
    dp_model *m;
    if (dp_model_compile(&m, spec) != DP_OK) {
        fail_msg("%s", dp_last_error());
    }
    return m;
}

static void assert_numbers(const double *x, int n, const double *expected)
{
    for (int i = 0; i < n; ++i) {
        assert_near(x[i], expected[i], ROUND_OFF);
    }
}

// ---- contact

static void geoms_carry_their_contact_numbers(void **state)
{
    (void)state;
    dp_spec *spec =
        load("<mujoco><default><geom solref='.01'/></default><worldbody><geom size='1' condim='4' "
             "priority='2' solmix='3' margin='.1' gap='.05' solimp='.5 .6'/>"
             "<geom size='1' class='main'/></worldbody></mujoco>");
    const dp_contact_spec *c = &dp_spec_geom(spec, (dp_geom_id){0})->contact;
    assert_int_equal(c->condim, 4);
    assert_int_equal(c->priority, 2);
    assert_true(c->solmix == 3.0 && c->margin == 0.1 && c->gap == 0.05 && c->solver_given);
    assert_numbers(c->solref, 2, (double[]){0.01, 1.0});
    assert_numbers(c->solimp, 5, (double[]){0.5, 0.6, 0.001, 0.5, 2.0});
    dp_spec_destroy(spec);

    spec = load("<mujoco><worldbody><geom size='1'/></worldbody></mujoco>");
    assert_false(dp_spec_geom(spec, (dp_geom_id){0})->contact.solver_given);
    dp_spec_destroy(spec);
}

static void a_pair_takes_constants_and_its_class_but_nothing_from_its_geoms(void **state)
{
    (void)state;
    dp_import_report *report;
    dp_spec *spec =
        load_with("<mujoco>" TWO_BODIES "<contact><pair name='p' geom1='floor' geom2='ball'/>"
                  "<pair class='c' geom1='floor' geom2='rod' friction='4 5' solref='.1' gap='.3'/>"
                  "<exclude name='e' body1='a' body2='b'/></contact>"
                  "<default><geom friction='9' condim='6' margin='1'/><pair margin='.2'/>"
                  "<default class='c'><pair friction='3' condim='1'/></default></default></mujoco>",
                  NULL, &report);
    assert_int_equal(dp_spec_pair_count(spec), 2);
    const dp_pair_spec *p = dp_spec_pair(spec, (dp_pair_id){0});
    assert_string_equal(p->geom[0], "floor");
    assert_string_equal(p->geom[1], "ball");
    assert_numbers(p->friction, 5, (double[]){1.0, 1.0, 0.005, 0.0001, 0.0001});
    assert_true(p->contact_given && p->contact.condim == 3 && p->contact.margin == 0.2);
    assert_false(p->contact.solver_given);
    p = dp_spec_pair(spec, (dp_pair_id){1});
    assert_numbers(p->friction, 5, (double[]){4.0, 5.0, 0.005, 0.0001, 0.0001});
    assert_numbers(p->contact.solref, 2, (double[]){0.1, 1.0});
    assert_true(p->contact.condim == 1 && p->contact.gap == 0.3 && p->contact.solver_given);
    const dp_exclude_spec *e = dp_spec_exclude(spec, (dp_exclude_id){0});
    assert_string_equal(e->name, "e");
    assert_string_equal(e->body[0], "a");
    assert_string_equal(e->body[1], "b");
    assert_int_equal(item_of(report, "pair", "").verdict, DP_IMPORT_VERDICT_USED);
    assert_string_equal(item_of(report, "pair", "").feature, "");
    assert_int_equal(item_of(report, "exclude", "").verdict, DP_IMPORT_VERDICT_USED);
    dp_model_destroy(compile(spec));
    dp_spec_destroy(spec);
    dp_import_report_destroy(report);
}

// ---- tendons

static void a_fixed_tendon_is_a_sum_over_joints(void **state)
{
    (void)state;
    dp_spec *spec = load(
        "<mujoco><default><tendon stiffness='2' springlength='.1 .2'/><default class='c'>"
        "<tendon springlength='.3' range='0 1' solreflimit='.5'/></default></default>" TWO_BODIES
        "<tendon><fixed name='f' class='c' damping='3' frictionloss='4' margin='.01' armature='5'>"
        "<joint joint='j' coef='6'/><joint joint='k' coef='-7'/></fixed>"
        "<fixed range='0 1' limited='false'><joint joint='j' coef='1'/></fixed></tendon></mujoco>");
    const dp_tendon_spec *t = dp_spec_tendon(spec, (dp_tendon_id){0});
    assert_string_equal(t->name, "f");
    assert_false(t->spatial);
    assert_true(t->limited && t->range[0] == 0.0 && t->range[1] == 1.0);
    assert_true(t->stiffness == 2.0 && t->damping == 3.0 && t->friction_loss == 4.0);
    assert_true(t->margin == 0.01 && t->armature == 5.0);
    assert_numbers(t->spring_range, 2, (double[]){0.3, 0.3}); // one number is both ends
    assert_numbers(t->limit_solref, 2, (double[]){0.5, 1.0});
    assert_int_equal(t->nwrap, 2);
    assert_int_equal(t->wrap[1].kind, DP_WRAP_JOINT);
    assert_string_equal(t->wrap[1].object, "k");
    assert_true(t->wrap[1].coefficient == -7.0);
    t = dp_spec_tendon(spec, (dp_tendon_id){1});
    assert_false(t->limited);
    assert_numbers(t->spring_range, 2, (double[]){0.1, 0.2});
    dp_model_destroy(compile(spec));
    dp_spec_destroy(spec);
}

static void a_spatial_tendon_is_a_path(void **state)
{
    (void)state;
    dp_import_report *report;
    dp_spec *spec = load_with(
        "<mujoco>" TWO_BODIES "<tendon><spatial name='p' width='.1' rgba='1 0 0 1'>"
        "<site site='w'/><geom geom='ball' sidesite='side'/><site site='s'/><pulley divisor='2'/>"
        "<site site='s'/><geom geom='rod'/><site site='t'/></spatial></tendon></mujoco>",
        NULL, &report);
    const dp_tendon_spec *t = dp_spec_tendon(spec, (dp_tendon_id){0});
    static const struct {
        dp_wrap_kind kind;
        const char *object, *side;
    } expected[] = {{DP_WRAP_SITE, "w", NULL}, {DP_WRAP_GEOM, "ball", "side"},
                    {DP_WRAP_SITE, "s", NULL}, {DP_WRAP_PULLEY, NULL, NULL},
                    {DP_WRAP_SITE, "s", NULL}, {DP_WRAP_GEOM, "rod", NULL},
                    {DP_WRAP_SITE, "t", NULL}};
    assert_true(t->spatial);
    assert_int_equal(t->nwrap, 7);
    for (int i = 0; i < 7; ++i) {
        assert_int_equal(t->wrap[i].kind, expected[i].kind);
        assert_true((t->wrap[i].object == NULL) == (expected[i].object == NULL));
        assert_true((t->wrap[i].side == NULL) == (expected[i].side == NULL));
        if (expected[i].object) {
            assert_string_equal(t->wrap[i].object, expected[i].object);
        }
    }
    assert_true(t->wrap[3].coefficient == 2.0);
    assert_true(t->spring_range[0] == -1.0 && t->spring_range[1] == -1.0); // as described
    assert_int_equal(item_of(report, "spatial", "").verdict, DP_IMPORT_VERDICT_USED);
    assert_int_equal(item_of(report, "spatial", "width").verdict, DP_IMPORT_VERDICT_IGNORED);
    dp_model_destroy(compile(spec));
    dp_spec_destroy(spec);
    dp_import_report_destroy(report);
}

// ---- equalities

static void equalities_hold_bodies_sites_joints_and_tendons(void **state)
{
    (void)state;
    dp_spec *spec = load(
        "<mujoco><default><equality solref='.01 1'/></default>" TWO_BODIES
        "<tendon><fixed name='f'><joint joint='j' coef='1'/></fixed></tendon><equality>"
        "<connect name='c' body1='a' anchor='1 2 3'/><connect site1='s' site2='w' active='false'/>"
        "<weld body1='a' body2='b' torquescale='2' anchor='1 0 0'/>"
        "<joint joint1='j' joint2='k' polycoef='.1 2'/><joint joint1='j'/>"
        "<tendon tendon1='f' solimp='.5'/></equality></mujoco>");
    assert_int_equal(dp_spec_equality_count(spec), 6);
    const dp_equality_spec *e = dp_spec_equality(spec, (dp_equality_id){0});
    assert_int_equal(e->kind, DP_EQUALITY_CONNECT);
    assert_int_equal(e->object_kind, DP_OBJECT_BODY);
    assert_string_equal(e->object[0], "a");
    assert_null(e->object[1]);
    assert_true(e->anchor.x == 1.0 && e->anchor.y == 2.0 && e->anchor.z == 3.0);
    assert_true(e->active && e->solver_given && e->solref[0] == 0.01);
    e = dp_spec_equality(spec, (dp_equality_id){1});
    assert_int_equal(e->object_kind, DP_OBJECT_SITE);
    assert_string_equal(e->object[1], "w");
    assert_false(e->active);
    e = dp_spec_equality(spec, (dp_equality_id){2});
    assert_int_equal(e->kind, DP_EQUALITY_WELD);
    assert_true(e->torque_scale == 2.0 && !e->relative_given);
    e = dp_spec_equality(spec, (dp_equality_id){3});
    assert_int_equal(e->kind, DP_EQUALITY_JOINT);
    assert_numbers(e->polynomial, 5, (double[]){0.1, 2.0, 0.0, 0.0, 0.0});
    e = dp_spec_equality(spec, (dp_equality_id){4});
    assert_null(e->object[1]);
    assert_numbers(e->polynomial, 5, (double[]){0.0, 1.0, 0.0, 0.0, 0.0});
    e = dp_spec_equality(spec, (dp_equality_id){5});
    assert_int_equal(e->kind, DP_EQUALITY_TENDON);
    assert_numbers(e->solimp, 5, (double[]){0.5, 0.95, 0.001, 0.5, 2.0});
    dp_model_destroy(compile(spec));
    dp_spec_destroy(spec);
}

static void points_are_held_at_a_distance_and_on_a_plane(void **state)
{
    (void)state;
    dp_spec *spec =
        load("<mujoco xmlns:dp='dashpot'>" TWO_BODIES "<equality>"
             "<dp:distance name='rod' body1='a' body2='b' anchor1='0 0 1' anchor2='0 1 0'/>"
             "<dp:distance site1='s' site2='w' distance='2' dp:stiffness='50' dp:damping='3'/>"
             "<dp:plane body1='world' body2='b' anchor='0 0 1' pos='1 2 3' axisangle='1 0 0 90'/>"
             "<dp:plane body1='a' active='false'/></equality></mujoco>");
    const dp_equality_spec *e = dp_spec_equality(spec, (dp_equality_id){0});
    assert_int_equal(e->kind, DP_EQUALITY_DISTANCE);
    assert_string_equal(e->name, "rod");
    assert_true(e->anchor.z == 1.0 && e->second_anchor.y == 1.0);
    assert_true(e->distance < 0.0 && isinf(e->bearing.stiffness)); // as described, rigid
    e = dp_spec_equality(spec, (dp_equality_id){1});
    assert_int_equal(e->object_kind, DP_OBJECT_SITE);
    assert_true(e->distance == 2.0 && e->bearing.stiffness == 50.0 && e->bearing.damping == 3.0);
    e = dp_spec_equality(spec, (dp_equality_id){2});
    assert_int_equal(e->kind, DP_EQUALITY_PLANE);
    assert_true(e->relative_given && e->relative.p.y == 2.0 && e->anchor.z == 1.0);
    assert_near(e->relative.q.x, sqrt(0.5), ROUND_OFF);
    e = dp_spec_equality(spec, (dp_equality_id){3});
    assert_false(e->relative_given || e->active);
    dp_model *m = compile(spec);
    // a is at (1, 0, 0), b at (2, 0, 0): from (1, 0, 1) to (2, 1, 0)
    const double v[] = {1.0, 1.0, -1.0};
    assert_near(dp_model_equality(m, (dp_equality_id){0}).distance, sqrt(v[0] + v[1] - v[2]),
                ROUND_OFF);
    dp_model_destroy(m);
    dp_spec_destroy(spec);
}

static void numbers_of_the_author_make_ends_and_equalities_give(void **state)
{
    (void)state;
    dp_import_report *report;
    dp_spec *spec = load_with(
        "<mujoco xmlns:dp='dashpot'><compiler angle='radian'/><default><default class='soft'>"
        "<joint dp:stiffness='7' dp:damping='2'/></default></default><worldbody><body name='b'>"
        "<joint name='j' type='slide' range='0 1' solreflimit='.1 2' solimplimit='.5 .75'/>"
        "<joint name='k' axis='0 1 0' range='0 1' class='soft' solreflimit='.1 1'/>"
        "<geom size='.1' mass='3'/></body></worldbody><equality>"
        "<joint joint1='j' solref='-200 -10'/><joint joint1='k'/></equality></mujoco>",
        NULL, &report);
    const dp_joint_spec *j = dp_spec_joint(spec, (dp_joint_id){0});
    assert_true(j->limit_solver_given && j->limit_solref[1] == 2.0 && j->limit_solimp[1] == 0.75);
    const dp_import_item solref = item_of(report, "joint", "solreflimit");
    assert_int_equal(solref.verdict, DP_IMPORT_VERDICT_APPROXIMATED);
    assert_non_null(strstr(solref.note, "k = m/((1 - d) T^2 z^2)"));
    assert_non_null(strstr(item_of(report, "joint", "solref").note, "k = -solref[0] m/(1 - d)"));
    const dp_joint_spec *k = dp_spec_joint(spec, (dp_joint_id){1});
    assert_false(k->limit_solver_given); // ours has the last word
    assert_true(k->limit.stiffness == 7.0 && k->limit.damping == 2.0);
    dp_model *m = compile(spec);
    // 3 kg on the slide: k = 3/(0.25 · 0.01 · 4), b = 2 · 3/(0.25 · 0.1)
    const dp_joint_info info = dp_model_joint(m, (dp_joint_id){0});
    assert_near(info.limit.stiffness, 300.0, 300.0 * ROUND_OFF);
    assert_near(info.limit.damping, 240.0, 240.0 * ROUND_OFF);
    // k = 200 · 3/(1 − 0.95), b = 10 · 3/(1 − 0.95)
    const dp_equality_info e = dp_model_equality(m, (dp_equality_id){0});
    assert_near(e.bearing.stiffness, 12000.0, 12000.0 * ROUND_OFF);
    assert_near(e.bearing.damping, 600.0, 600.0 * ROUND_OFF);
    assert_true(isinf(dp_model_equality(m, (dp_equality_id){1}).bearing.stiffness));
    dp_model_destroy(m);
    dp_spec_destroy(spec);
    dp_import_report_destroy(report);
}

static void relpose_is_where_the_first_body_holds_the_anchor_of_the_second(void **state)
{
    (void)state;
    dp_spec *spec =
        load("<mujoco>" TWO_BODIES "<equality><weld body1='a' body2='b' anchor='0 1 0' "
             "relpose='1 0 0 1 0 0 1'/><weld body1='a' body2='b' relpose='9 9 9 0 0 0 0'/>"
             "</equality></mujoco>");
    assert_true(dp_spec_equality(spec, (dp_equality_id){0})->relative_given);
    assert_false(dp_spec_equality(spec, (dp_equality_id){1})->relative_given);
    dp_model *m = compile(spec);
    const dp_equality_info e = dp_model_equality(m, (dp_equality_id){0});
    assert_near(e.frame[0].p.x, 1.0, ROUND_OFF); // relpose itself
    assert_near(e.frame[0].p.y, 0.0, ROUND_OFF);
    assert_near(e.frame[0].q.z, sqrt(0.5), ROUND_OFF);
    assert_near(e.frame[1].p.y, 1.0, ROUND_OFF); // the anchor
    dp_model_destroy(m);
    dp_spec_destroy(spec);
}

static void equalities_that_are_switched_off_are_kept_and_not_refused(void **state)
{
    (void)state;
    dp_import_report *report;
    dp_spec *spec = load_with("<mujoco><option><flag equality='disable'/></option>" TWO_BODIES
                              "<equality><weld body1='a'/></equality></mujoco>",
                              NULL, &report);
    assert_int_equal(dp_spec_equality_count(spec), 1);
    assert_true(dp_spec_options(spec)->disable_equality);
    assert_int_equal(item_of(report, "weld", "").verdict, DP_IMPORT_VERDICT_IGNORED);
    dp_spec_destroy(spec);
    dp_import_report_destroy(report);
}

// ---- actuators and sensors of all that

static void actuators_drive_tendons_and_sites(void **state)
{
    (void)state;
    dp_import_report *report;
    dp_spec *spec = load_with("<mujoco>" TWO_BODIES "<tendon><fixed name='f' range='2 6'>"
                              "<joint joint='j' coef='1'/></fixed></tendon><actuator>"
                              "<position name='p' tendon='f' inheritrange='.5'/>"
                              "<motor site='s' refsite='w' gear='1 2 3 4 5 6'/></actuator>"
                              "<sensor><tendonpos tendon='f'/><tendonvel tendon='f'/>"
                              "<tendonactuatorfrc tendon='f'/><actuatorfrc actuator='p'/></sensor>"
                              "<keyframe><key ctrl='1 2'/></keyframe></mujoco>",
                              NULL, &report);
    const dp_actuator_spec *a = dp_spec_actuator(spec, (dp_actuator_id){0});
    assert_int_equal(a->transmission, DP_TRANSMISSION_TENDON);
    assert_string_equal(a->tendon, "f");
    assert_numbers(a->control_range, 2, (double[]){3.0, 5.0});
    a = dp_spec_actuator(spec, (dp_actuator_id){1});
    assert_int_equal(a->transmission, DP_TRANSMISSION_SITE);
    assert_string_equal(a->site, "s");
    assert_string_equal(a->reference_site, "w");
    assert_numbers(a->gear, 6, (double[]){1.0, 2.0, 3.0, 4.0, 5.0, 6.0});
    assert_int_equal(dp_spec_sensor_count(spec), 4);
    assert_int_equal(dp_spec_sensor(spec, (dp_sensor_id){0})->kind, DP_SENSOR_TENDON_POSITION);
    assert_int_equal(item_of(report, "motor", "site").verdict, DP_IMPORT_VERDICT_USED);
    assert_int_equal(item_of(report, "tendonpos", "").verdict, DP_IMPORT_VERDICT_USED);
    dp_model_destroy(compile(spec));
    dp_spec_destroy(spec);
    dp_import_report_destroy(report);
}

static void what_refers_to_a_tendon_that_is_left_out_follows_it(void **state)
{
    (void)state;
    const char *const allow[] = {"composite"};
    const dp_import_options options = {.allow = allow, .nallow = 1};
    dp_spec *spec = load_with(
        "<mujoco>" TWO_BODIES
        "<worldbody><body><composite type='cable' prefix='C' count='3 1 1'/></body></worldbody>"
        "<tendon><fixed name='f'><joint joint='CJ_1' coef='1'/></fixed></tendon>"
        "<equality><tendon tendon1='f'/><connect body1='CB_1' body2='a' anchor='0 0 0'/></equality>"
        "<contact><exclude body1='CB_1' body2='a'/></contact>"
        "<actuator><motor tendon='f'/><motor joint='j'/></actuator>"
        "<sensor><tendonpos tendon='f'/><jointpos joint='CJ_1'/><jointpos joint='j'/></sensor>"
        "</mujoco>",
        &options, NULL);
    assert_int_equal(dp_spec_tendon_count(spec), 0);
    assert_int_equal(dp_spec_equality_count(spec), 0);
    assert_int_equal(dp_spec_exclude_count(spec), 0);
    assert_int_equal(dp_spec_actuator_count(spec), 1);
    assert_int_equal(dp_spec_sensor_count(spec), 1);
    dp_spec_destroy(spec);
}

// ---- forces of a joint's actuators together

static void a_bound_on_the_forces_of_a_joint_is_one_on_its_only_actuator(void **state)
{
    (void)state;
    static const struct {
        const char *actuator;
        double range[2];
    } cases[] = {
        {"<motor joint='h'/>", {-2.0, 6.0}},
        {"<motor joint='h' gear='2'/>", {-1.0, 3.0}},
        {"<motor joint='h' gear='-2'/>", {-3.0, 1.0}},
        {"<motor joint='h' forcerange='-1 9'/>", {-1.0, 6.0}},
        {"<position joint='h' kp='5' forcerange='-9 1'/>", {-2.0, 1.0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char text[512];
        snprintf(text, sizeof text,
                 "<mujoco><worldbody><body><joint name='h' actuatorfrcrange='-2 6'/><geom "
                 "size='1'/></body></worldbody><actuator>%s</actuator></mujoco>",
                 cases[i].actuator);
        dp_import_report *report;
        dp_spec *spec = load_with(text, NULL, &report);
        const dp_actuator_spec *a = dp_spec_actuator(spec, (dp_actuator_id){0});
        assert_true(a->force_limited);
        assert_numbers(a->force_range, 2, cases[i].range);
        assert_int_equal(item_of(report, "joint", "actuatorfrcrange").verdict,
                         DP_IMPORT_VERDICT_APPROXIMATED);
        dp_spec_destroy(spec);
        dp_import_report_destroy(report);
    }
    dp_spec_destroy(load("<mujoco><worldbody><body><joint actuatorfrcrange='-2 6'/><geom size='1'/>"
                         "</body></worldbody></mujoco>")); // nothing to bound
}

static void gravity_compensation_by_actuators_lifts_all_the_same(void **state)
{
    (void)state;
    dp_import_report *report;
    dp_spec *spec = load_with(
        "<mujoco><worldbody><body gravcomp='1'><joint axis='0 1 0' "
        "actuatorgravcomp='true'/><geom size='.1' pos='1 0 0'/></body></worldbody></mujoco>",
        NULL, &report);
    assert_int_equal(item_of(report, "joint", "actuatorgravcomp").verdict,
                     DP_IMPORT_VERDICT_APPROXIMATED);
    dp_model *m = compile(spec);
    dp_data *d;
    assert_int_equal(dp_data_create(&d, m, NULL), DP_OK);
    assert_int_equal(dp_forward(d), DP_OK);
    assert_near(dp_data_acceleration(d)[0], 0.0, 1e-13);
    dp_data_destroy(d);
    dp_model_destroy(m);
    dp_spec_destroy(spec);
    dp_import_report_destroy(report);
}

// ---- time constants and ratios

// Two slides of 1 kg one upon the other: M = (2 1; 1 1), so the second moves 1/(M⁻¹)₂₂ = 0.5 kg.
static void dampratio_takes_the_inertia_that_moves_with_free_joints(void **state)
{
    (void)state;
    dp_spec *spec = load("<mujoco><option gravity='0 0 0'/><worldbody>"
                         "<body><joint type='slide'/><geom size='1' mass='1'/>"
                         "<body><joint name='j' type='slide'/><geom size='1' mass='1'/></body>"
                         "</body></worldbody><actuator>"
                         "<position joint='j' kp='8' dampratio='1'/></actuator></mujoco>");
    dp_model *m;
    dp_data *d;
    assert_int_equal(dp_model_compile(&m, spec), DP_OK);
    assert_int_equal(dp_data_create(&d, m, NULL), DP_OK);
    dp_data_v(d)[1] = 1.0;
    assert_int_equal(dp_forward(d), DP_OK);
    assert_near(dp_data_actuator_force(d)[0], -2.0 * sqrt(8.0 * 0.5), 1e-14);
    dp_data_destroy(d);
    dp_model_destroy(m);
    dp_spec_destroy(spec);
}

static void springdamper_gives_the_time_constant_and_ratio_it_names(void **state)
{
    (void)state;
    // A point of 2 kg at 0.5 m: I = 0.5 kg m². ω = 1/(τ ζ), b = 2 I/τ: ζ = b/(2 I ω).
    dp_spec *spec = load("<mujoco><worldbody><body><joint axis='0 1 0' springdamper='.2 .7' "
                         "stiffness='99' damping='99'/><inertial pos='.5 0 0' mass='2' "
                         "diaginertia='1e-9 1e-9 1e-9'/></body></worldbody></mujoco>");
    const dp_joint_spec *j = dp_spec_joint(spec, (dp_joint_id){0});
    assert_numbers(j->spring_damper, 2, (double[]){0.2, 0.7});
    dp_model *m = compile(spec);
    const dp_joint_info info = dp_model_joint(m, (dp_joint_id){0});
    assert_near(info.stiffness, 0.5 / (0.14 * 0.14), 1e-6); // the point has 1e-9 kg m²
    assert_near(info.damping, 2.0 * 0.5 / 0.2, 1e-6);
    dp_model_destroy(m);
    dp_spec_destroy(spec);
}

static void dampratio_of_one_is_critical_for_a_single_joint(void **state)
{
    (void)state;
    dp_spec *spec = load("<mujoco><default><position kp='8' dampratio='1'/></default><worldbody>"
                         "<body><joint name='h' type='slide'/><inertial pos='0 0 0' mass='2' "
                         "diaginertia='1 1 1'/></body></worldbody><actuator>"
                         "<position name='p' joint='h'/><position joint='h' kv='3'/>"
                         "<general joint='h' gainprm='8' biastype='affine' biasprm='0 -8 .5' "
                         "gear='2'/></actuator></mujoco>");
    assert_true(dp_spec_actuator(spec, (dp_actuator_id){0})->damping_ratio == 1.0);
    assert_true(dp_spec_actuator(spec, (dp_actuator_id){1})->damping_ratio == 0.0);
    assert_true(dp_spec_actuator(spec, (dp_actuator_id){1})->bias[2] == -3.0);
    assert_true(dp_spec_actuator(spec, (dp_actuator_id){2})->damping_ratio == 0.5);
    dp_model *m = compile(spec);
    dp_data *d;
    assert_int_equal(dp_data_create(&d, m, NULL), DP_OK);
    dp_data_v(d)[0] = 1.0;
    assert_int_equal(dp_forward(d), DP_OK);
    const double *force = dp_data_actuator_force(d);
    assert_near(force[0], -2.0 * sqrt(8.0 * 2.0), 1e-13);       // 2 ζ √(kp m)
    assert_near(force[2], -sqrt(8.0 * 2.0 / 4.0) * 2.0, 1e-13); // m/gear², and l̇ = gear v
    dp_data_destroy(d);
    dp_model_destroy(m);
    dp_spec_destroy(spec);
}

// ---- global coordinates

static void global_coordinates_are_those_of_the_world(void **state)
{
    (void)state;
    dp_spec *spec = load(
        "<mujoco><compiler coordinate='global' angle='degree'/><worldbody>"
        "<body pos='1 0 0' euler='0 0 90'><joint pos='1 1 0' axis='1 0 0'/>"
        "<geom type='capsule' size='.1' fromto='1 0 0 1 2 0'/><site pos='2 0 0' euler='0 0 90'/>"
        "<body pos='1 2 0'><joint pos='1 2 0'/><inertial pos='1 2 1' mass='1' diaginertia='1 1 1'/>"
        "</body></body></worldbody></mujoco>");
    const dp_body_spec *b = dp_spec_body(spec, (dp_body_id){2});
    assert_near(b->pose.p.x, 2.0, ROUND_OFF); // y of the world is x of the parent
    assert_near(b->pose.p.y, 0.0, ROUND_OFF);
    assert_near(b->pose.q.z, -sqrt(0.5), ROUND_OFF);
    assert_near(b->inertial.frame.p.z, 1.0, ROUND_OFF);
    const dp_joint_spec *j = dp_spec_joint(spec, (dp_joint_id){0});
    assert_near(j->anchor.x, 1.0, ROUND_OFF);
    assert_near(j->axis.y, -1.0, ROUND_OFF);
    assert_near(dp_spec_joint(spec, (dp_joint_id){1})->anchor.x, 0.0, ROUND_OFF);
    assert_near(dp_spec_geom(spec, (dp_geom_id){0})->pose.p.x, 1.0, ROUND_OFF);
    assert_near(fabs(dp_spec_site(spec, (dp_site_id){0})->pose.q.w), 1.0, ROUND_OFF);
    dp_spec_destroy(spec);

    const char *open = "<mujoco><compiler coordinate='global'/><worldbody><body><geom size='1'/>"
                       "</body></worldbody></mujoco>";
    assert_int_equal(dp_mjcf_parse(&spec, NULL, open, strlen(open), "a.xml", NULL),
                     DP_ERROR_UNSUPPORTED);
    assert_string_equal(dp_last_feature(), "coordinate");
}

// ---- classes and keyframes

static void a_muscle_in_a_class_changes_no_other_kind(void **state)
{
    (void)state;
    dp_spec *spec =
        load("<mujoco><default><muscle/><motor/><position kp='2'/><default class='alone'>"
             "<muscle/></default></default>" TWO_BODIES "<actuator><position joint='j'/>"
             "<motor joint='j'/><position joint='j' class='alone'/></actuator></mujoco>");
    const dp_actuator_spec *a = dp_spec_actuator(spec, (dp_actuator_id){0});
    assert_numbers(a->bias, 3, (double[]){0.0, -2.0, 0.0});
    assert_numbers(a->gain, 3, (double[]){2.0, 0.0, 0.0});
    a = dp_spec_actuator(spec, (dp_actuator_id){1});
    assert_numbers(a->gain, 3, (double[]){1.0, 0.0, 0.0});
    assert_numbers(a->bias, 3, (double[]){0.0, 0.0, 0.0});
    a = dp_spec_actuator(spec, (dp_actuator_id){2}); // of the class around
    assert_numbers(a->bias, 3, (double[]){0.0, -2.0, 0.0});
    assert_int_equal(a->dynamics, DP_ACTUATOR_DYNAMICS_NONE);
    dp_spec_destroy(spec);
}

static void a_quaternion_of_zeros_in_a_keyframe_is_no_rotation(void **state)
{
    (void)state;
    dp_import_report *report;
    dp_spec *spec = load_with("<mujoco><worldbody><body><freejoint/><geom size='1'/></body><body>"
                              "<joint type='ball'/><joint/><geom size='1'/></body></worldbody>"
                              "<keyframe><key qpos='1 2 3 0 0 0 0 0 0 0 1 5'/></keyframe></mujoco>",
                              NULL, &report);
    const dp_key_spec *k = dp_spec_key(spec, (dp_key_id){0});
    assert_numbers(k->q, 12, (double[]){1, 2, 3, 1, 0, 0, 0, 0, 0, 0, 1, 5});
    assert_int_equal(item_of(report, "key", "qpos").verdict, DP_IMPORT_VERDICT_APPROXIMATED);
    dp_spec_destroy(spec);
    dp_import_report_destroy(report);
}

static void a_file_of_bodies_for_another_file_says_so(void **state)
{
    (void)state;
    dp_spec *spec;
    const char *text = "<mujoco>\n<body name='arm'><geom size='1'/></body></mujoco>";
    assert_int_equal(dp_mjcf_parse(&spec, NULL, text, strlen(text), "a.xml", NULL),
                     DP_ERROR_UNSUPPORTED);
    assert_string_equal(dp_last_feature(), "fragment");
    assert_non_null(strstr(dp_last_error(), "a.xml:2: body 'arm': a body outside of <worldbody>"));
}

// Ours has no rows; the report says what was done.
static void a_runge_kutta_method_gives_way_to_limits_and_contacts(void **state)
{
    (void)state;
    dp_import_report *report;
    dp_spec *spec =
        load_with("<mujoco><option integrator='RK4'/>" TWO_BODIES "</mujoco>", NULL, &report);
    assert_int_equal(dp_spec_options(spec)->integrator, DP_INTEGRATOR_SEMI_IMPLICIT);
    int approximated = 0;
    for (int i = 0; i < dp_import_report_count(report); ++i) {
        approximated += dp_import_report_item(report, i).verdict == DP_IMPORT_VERDICT_APPROXIMATED;
    }
    assert_int_equal(approximated, 1);
    dp_import_report_destroy(report);
    dp_spec_destroy(spec);
    spec = load("<mujoco><option integrator='RK4'><flag limit='disable'/></option>" TWO_BODIES
                "</mujoco>");
    assert_int_equal(dp_spec_options(spec)->integrator,
                     DP_INTEGRATOR_SEMI_IMPLICIT); // the ball on the floor
    dp_spec_destroy(spec);
    spec = load("<mujoco><option integrator='RK4'><flag limit='disable' contact='disable'/>"
                "</option>" TWO_BODIES "</mujoco>");
    assert_int_equal(dp_spec_options(spec)->integrator, DP_INTEGRATOR_RK4);
    dp_spec_destroy(spec);
    spec = load("<mujoco xmlns:dp='dashpot'><dp:option integrator='rk4'/>" TWO_BODIES "</mujoco>");
    assert_int_equal(dp_spec_options(spec)->integrator,
                     DP_INTEGRATOR_RK4); // asked for by its own name
    dp_spec_destroy(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(geoms_carry_their_contact_numbers),
        cmocka_unit_test(a_pair_takes_constants_and_its_class_but_nothing_from_its_geoms),
        cmocka_unit_test(a_fixed_tendon_is_a_sum_over_joints),
        cmocka_unit_test(a_spatial_tendon_is_a_path),
        cmocka_unit_test(equalities_hold_bodies_sites_joints_and_tendons),
        cmocka_unit_test(points_are_held_at_a_distance_and_on_a_plane),
        cmocka_unit_test(numbers_of_the_author_make_ends_and_equalities_give),
        cmocka_unit_test(relpose_is_where_the_first_body_holds_the_anchor_of_the_second),
        cmocka_unit_test(equalities_that_are_switched_off_are_kept_and_not_refused),
        cmocka_unit_test(actuators_drive_tendons_and_sites),
        cmocka_unit_test(what_refers_to_a_tendon_that_is_left_out_follows_it),
        cmocka_unit_test(a_bound_on_the_forces_of_a_joint_is_one_on_its_only_actuator),
        cmocka_unit_test(gravity_compensation_by_actuators_lifts_all_the_same),
        cmocka_unit_test(springdamper_gives_the_time_constant_and_ratio_it_names),
        cmocka_unit_test(dampratio_takes_the_inertia_that_moves_with_free_joints),
        cmocka_unit_test(dampratio_of_one_is_critical_for_a_single_joint),
        cmocka_unit_test(global_coordinates_are_those_of_the_world),
        cmocka_unit_test(a_muscle_in_a_class_changes_no_other_kind),
        cmocka_unit_test(a_quaternion_of_zeros_in_a_keyframe_is_no_rotation),
        cmocka_unit_test(a_file_of_bodies_for_another_file_says_so),
        cmocka_unit_test(a_runge_kutta_method_gives_way_to_limits_and_contacts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
