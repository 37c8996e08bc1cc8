// Foundations that cannot be are refused with a message that says why; what else touches is still
// refused beside them.
#include "bad_file.h"
#include "bad_mechanism.h"
#include "counting_allocator.h"
#include "foundation_rig.h"
#include "imported.h"
#include "spec_parts.h"
#include "written.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static dp_status make(dp_spec **out, const dp_allocator *allocator)
{
    (void)allocator;
    *out = foundation_spec(RIG_FREE, 4, 6, 1e7, 1.0);
    return DP_OK;
}

static dp_foundation_spec *foundation(dp_spec *s)
{
    return &geom(s, RIG_CUBE)->foundation;
}

#define SPOIL(name, ...)                                                                           \
    static dp_status name(dp_spec *s)                                                              \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
        return DP_OK;                                                                              \
    }
SPOIL(no_rows, foundation(s)->ny = 0)
SPOIL(negative, foundation(s)->nx = -3)
SPOIL(too_many, foundation(s)->nx = 1 << 20)
SPOIL(no_modulus, foundation(s)->youngs_modulus = 0.0)
SPOIL(odd_modulus, foundation(s)->youngs_modulus = NAN)
SPOIL(huge_modulus, foundation(s)->youngs_modulus = 1e308; foundation(s)->depth = 1e-9)
SPOIL(no_depth, foundation(s)->depth = -1.0)
SPOIL(odd_damping, foundation(s)->damping = INFINITY)
SPOIL(negative_damping, foundation(s)->damping = -0.5)
SPOIL(no_face, foundation(s)->face = (dp_box_face)6)
SPOIL(round_shape, geom(s, RIG_CUBE)->kind = DP_GEOM_SPHERE)
SPOIL(no_mask, geom(s, RIG_FLOOR)->contype = geom(s, RIG_FLOOR)->conaffinity = 0)
SPOIL(no_plane, geom(s, RIG_FLOOR)->kind = DP_GEOM_BOX;
      geom(s, RIG_FLOOR)->size[0] = geom(s, RIG_FLOOR)->size[1] = geom(s, RIG_FLOOR)->size[2] = 1)

static dp_status excluded(dp_spec *s)
{
    dp_exclude_spec exclude = dp_exclude_spec_default();
    exclude.body[0] = "world";
    exclude.body[1] = "cube";
    return dp_spec_add_exclude(NULL, s, &exclude);
}

static const bad_mechanism bad[] = {
    {"no rows", no_rows, DP_ERROR_ARGUMENT, {"geom 'cube'", "4 × 0 springs", "at least 1 × 1"}},
    {"negative", negative, DP_ERROR_ARGUMENT, {"-3 × 6 springs"}},
    {"too many", too_many, DP_ERROR_ARGUMENT, {"1048576 × 6 springs", "at most 1048576"}},
    {"no modulus", no_modulus, DP_ERROR_ARGUMENT, {"Young's modulus 0 (expected a number > 0)"}},
    {"odd modulus", odd_modulus, DP_ERROR_ARGUMENT, {"Young's modulus nan"}},
    {"huge modulus", huge_modulus, DP_ERROR_ARGUMENT, {"springs of inf N/m"}},
    {"no depth", no_depth, DP_ERROR_ARGUMENT, {"depth -1 (expected a number > 0)"}},
    {"odd damping", odd_damping, DP_ERROR_ARGUMENT, {"damping inf (expected a number ≥ 0)"}},
    {"negative damping", negative_damping, DP_ERROR_ARGUMENT, {"damping -0.5"}},
    {"no face", no_face, DP_ERROR_ARGUMENT, {"face number 6", "six faces"}},
    {"round shape",
     round_shape,
     DP_ERROR_UNSUPPORTED,
     {"is a sphere with a foundation (expected a"}},
    {"no mask",
     no_mask,
     DP_ERROR_ARGUMENT,
     {"geom 'cube'", "may touch no plane (expected a plane"}},
    {"no plane", no_plane, DP_ERROR_ARGUMENT, {"may touch no plane"}},
    {"excluded", excluded, DP_ERROR_ARGUMENT, {"may touch no plane"}},
};
enum { NBAD = sizeof bad / sizeof bad[0] };

static void impossible_foundations_are_refused(void **state)
{
    (void)state;
    assert_sound(make);
    assert_refused(make, bad, NBAD);
    assert_helpful(make, bad, NBAD);
}

static int stands_of(dp_spec *s)
{
    dp_model *m;
    assert_ok(dp_model_compile(&m, s));
    const int count = dp_model_sizes(m)->nfoundation;
    if (count > 0) {
        assert_int_equal(dp_model_foundation(m, 0).geom.index, RIG_CUBE);
        assert_int_equal(dp_model_foundation(m, 0).plane.index, RIG_FLOOR);
        assert_close(dp_model_foundation(m, 0).stiffness, 1e7 / 24.0, 1e-15);
        assert_close(dp_model_foundation(m, 0).area, 1.0 / 24.0, 1e-15);
    }
    assert_int_equal(dp_model_foundation(m, count).geom.index, -1);
    assert_int_equal(dp_model_sizes(m)->ntouch, 0);
    dp_model_destroy(m);
    dp_spec_destroy(s);
    return count;
}

static void a_given_pair_lets_a_foundation_stand(void **state)
{
    (void)state;
    dp_spec *s;
    assert_ok(make(&s, NULL));
    assert_ok(no_mask(s));
    dp_pair_spec pair = dp_pair_spec_default();
    pair.geom[0] = "floor";
    pair.geom[1] = "cube";
    assert_ok(dp_spec_add_pair(NULL, s, &pair));
    assert_int_equal(stands_of(s), 1);
}

static void a_box_with_a_foundation_touches_all_but_planes_as_others_do(void **state)
{
    (void)state;
    dp_spec *s;
    assert_ok(make(&s, NULL));
    dp_geom_spec ball = dp_geom_spec_default();
    ball.name = "ball";
    ball.size[0] = 0.1;
    assert_ok(dp_spec_add_geom(NULL, s, DP_WORLD, &ball));
    dp_model *m;
    assert_ok(dp_model_compile(&m, s));
    assert_int_equal(dp_model_sizes(m)->ntouch, 1); // cube and ball; not cube and floor
    assert_int_equal(dp_model_sizes(m)->nfoundation, 1);
    dp_model_destroy(m);
    dp_spec_destroy(s);
}

static void without_contact_a_foundation_may_idle(void **state)
{
    (void)state;
    dp_spec *s;
    assert_ok(make(&s, NULL));
    assert_ok(no_mask(s));
    dp_spec_options(s)->disable_contact = true;
    assert_int_equal(stands_of(s), 0);
}

static void disabled_contact_lets_the_cube_fall(void **state)
{
    (void)state;
    mechanism x = foundation_rig(RIG_FREE, 4, 4, 1e7, 0.0);
    dp_data_options(x.d)->disable_contact = true;
    mechanism_steps(&x, 100);
    assert_near(dp_data_v(x.d)[2], -9.81, 1e-12);
    assert_int_equal(dp_data_row_count(x.d), 0);
    mechanism_end(&x);
}

static void explicit_integrators_refuse_foundations(void **state)
{
    (void)state;
    mechanism x = foundation_rig(RIG_FREE, 4, 4, 1e7, 0.0);
    dp_data_options(x.d)->integrator = DP_INTEGRATOR_RK4;
    assert_int_equal(dp_step(x.d), DP_ERROR_UNSUPPORTED);
    assert_non_null(strstr(dp_last_error(), "the foundation of geom 'cube' needs"));
    dp_data_options(x.d)->disable_contact = true;
    assert_ok(dp_step(x.d));
    mechanism_end(&x);
}

static void geoms_without_a_foundation_have_no_pressures(void **state)
{
    (void)state;
    mechanism x = foundation_rig(RIG_FREE, 4, 4, 1e7, 0.0);
    int nx = 7, ny = 7;
    assert_null(dp_foundation_pressure(x.d, (dp_geom_id){RIG_FLOOR}, &nx, &ny));
    assert_true(nx == 0 && ny == 0);
    assert_null(dp_foundation_pressure(x.d, (dp_geom_id){-1}, NULL, NULL));
    assert_null(dp_foundation_pressure(x.d, (dp_geom_id){99}, NULL, NULL));
    assert_near(dp_foundation_sum(x.d, (dp_geom_id){99}).force, 0.0, 0.0);
    mechanism_end(&x);
}

static void a_failing_allocation_leaves_nothing_behind(void **state)
{
    (void)state;
    for (size_t fail_at = 1;; ++fail_at) {
        counting_allocator counts = {.fail_at = fail_at};
        const dp_allocator allocator = counting_allocator_for(&counts);
        dp_spec *s = NULL;
        dp_model *m = NULL;
        dp_data *d = NULL;
        dp_status status = dp_spec_create(&s, &allocator);
        dp_geom_spec plane = dp_geom_spec_default(), box = dp_geom_spec_default();
        dp_body_spec body = dp_body_spec_default();
        dp_joint_spec joint = dp_joint_spec_default();
        dp_body_id id;
        plane.kind = DP_GEOM_PLANE;
        box.kind = DP_GEOM_BOX;
        box.size[0] = box.size[1] = box.size[2] = 0.5;
        box.foundation.nx = box.foundation.ny = 3;
        status = status ? status : dp_spec_add_geom(NULL, s, DP_WORLD, &plane);
        status = status ? status : dp_spec_add_body(&id, s, DP_WORLD, &body);
        status = status ? status : dp_spec_add_joint(NULL, s, id, &joint);
        status = status ? status : dp_spec_add_geom(NULL, s, id, &box);
        status = status ? status : dp_model_compile(&m, s);
        status = status ? status : dp_data_create(&d, m, &allocator);
        status = status ? status : dp_step(d);
        dp_data_destroy(d);
        dp_model_destroy(m);
        dp_spec_destroy(s);
        assert_int_equal(counts.blocks, 0);
        if (status == DP_OK) {
            assert_true(fail_at > counts.calls);
            return;
        }
        assert_int_equal(status, DP_ERROR_MEMORY);
    }
}

// ---- files

#define SCENE(geom)                                                                                \
    "<mujoco xmlns:dp='dashpot'><worldbody><geom type='plane' size='1 1 1'/>\n<body><freejoint/>"  \
    "<geom name='box' type='box' size='0.5 0.4 0.3' " geom "/></body></worldbody></mujoco>"
#define ELASTIC "dp:youngs_modulus='1e6' dp:depth='0.2' "

static const bad_file bad_files[] = {
    {DP_ERROR_PARSE, SCENE("dp:foundation='3' " ELASTIC), "a.xml:2"},
    {DP_ERROR_PARSE, SCENE("dp:foundation='3.5 2' " ELASTIC), "a.xml:2"},
    {DP_ERROR_PARSE, SCENE("dp:foundation='3 2' dp:foundation_face='down' " ELASTIC), "'down'"},
    {DP_ERROR_PARSE, SCENE("dp:foundation='3 2' dp:depth='1'"),
     "dp:foundation without dp:youngs_modulus (expected"},
    {DP_ERROR_PARSE, SCENE("dp:foundation='3 2' dp:youngs_modulus='1'"),
     "dp:foundation without dp:depth (expected"},
    {DP_ERROR_PARSE, SCENE("dp:foundation_face='+x'"),
     "dp:foundation_face without dp:foundation (expected both)"},
};

static void bad_files_are_refused(void **state)
{
    (void)state;
    assert_files_refused(dp_mjcf_parse, "a.xml", bad_files, sizeof bad_files / sizeof bad_files[0]);
}

static dp_spec *parse(const char *text, dp_import_report **report)
{
    dp_spec *s;
    assert_ok(dp_mjcf_parse(&s, report, text, strlen(text), "a.xml", NULL));
    return s;
}

static void files_say_it_all(void **state)
{
    (void)state;
    dp_spec *s =
        parse(SCENE("dp:foundation='3 2' dp:foundation_face='+y' dp:damping='2.5' " ELASTIC), NULL);
    const dp_foundation_spec *f = &geom(s, 1)->foundation;
    assert_true(f->nx == 3 && f->ny == 2 && f->face == DP_BOX_FACE_PLUS_Y);
    assert_true(f->youngs_modulus == 1e6 && f->depth == 0.2 && f->damping == 2.5);
    assert_round_trip(s);
    dp_model *m;
    assert_ok(dp_model_compile(&m, s));
    assert_close(dp_model_foundation(m, 0).area, 1.0 * 0.6 / 6.0, 1e-15);
    assert_close(dp_model_foundation(m, 0).stiffness, 1e6 * 0.1 / 0.2, 1e-15);
    assert_int_equal(dp_model_geom(m, (dp_geom_id){1}).foundation.ny, 2);
    dp_model_destroy(m);
    dp_spec_destroy(s);
}

static void every_face_survives_a_round_trip(void **state)
{
    (void)state;
    for (int face = 0; face < 6; ++face) {
        dp_spec *s;
        assert_ok(make(&s, NULL));
        foundation(s)->face = (dp_box_face)face;
        foundation(s)->damping = face; // 0 is the default
        assert_round_trip(s);
        dp_spec_destroy(s);
    }
}

static void damping_is_that_of_the_foundation_or_else_of_the_material(void **state)
{
    (void)state;
    dp_import_report *report;
    dp_spec *s = parse("<mujoco xmlns:dp='dashpot'><worldbody><body><freejoint/>"
                       "<geom size='1' dp:damping='3' dp:depth='1'/></body></worldbody></mujoco>",
                       &report);
    assert_int_equal(item_of(report, "geom", "dp:damping").verdict, DP_IMPORT_VERDICT_USED);
    assert_int_equal(item_of(report, "geom", "dp:depth").verdict, DP_IMPORT_VERDICT_IGNORED);
    assert_int_equal(geom(s, 0)->foundation.nx, 0);
    assert_true(geom(s, 0)->contact.material_given);
    assert_true(geom(s, 0)->contact.material.damping == 3.0);
    dp_import_report_destroy(report);
    dp_spec_destroy(s);
    s = parse(SCENE("dp:foundation='3 2' dp:damping='2.5' dp:stiffness='1e5' " ELASTIC), &report);
    const dp_contact_spec *contact = &geom(s, 1)->contact;
    assert_true(contact->material_given && contact->material.stiffness == 1e5);
    assert_true(contact->material.damping == dp_material_default().damping);
    assert_true(contact->material.youngs_modulus == 0.0);
    assert_round_trip(s);
    geom(s, 1)->contact.material.damping = 1.0;
    char *text;
    size_t bytes;
    assert_int_equal(dp_mjcf_write(&text, &bytes, s, NULL), DP_ERROR_UNSUPPORTED);
    assert_non_null(strstr(dp_last_error(), "beside a foundation"));
    dp_import_report_destroy(report);
    dp_spec_destroy(s);
}

static void a_pair_of_a_foundation_is_used(void **state)
{
    (void)state;
    dp_import_report *report;
    dp_spec *s = parse("<mujoco xmlns:dp='dashpot'><worldbody>"
                       "<geom name='floor' type='plane' size='1 1 1' contype='0' conaffinity='0'/>"
                       "<body><freejoint/><geom name='box' type='box' size='1 1 1' contype='0'"
                       " conaffinity='0' dp:foundation='2 2' " ELASTIC "/></body></worldbody>"
                       "<contact><pair geom1='box' geom2='floor'/></contact></mujoco>",
                       &report);
    assert_int_equal(item_of(report, "pair", "").verdict, DP_IMPORT_VERDICT_USED);
    assert_int_equal(item_of(report, "pair", "geom1").verdict, DP_IMPORT_VERDICT_USED);
    dp_model *m;
    assert_ok(dp_model_compile(&m, s));
    assert_int_equal(dp_model_sizes(m)->nfoundation, 1);
    dp_model_destroy(m);
    dp_import_report_destroy(report);
    dp_spec_destroy(s);
}

static void a_class_may_have_a_foundation(void **state)
{
    (void)state;
    dp_spec *s = parse("<mujoco xmlns:dp='dashpot'><default><default class='soft'><geom type='box'"
                       " dp:foundation='2 2' " ELASTIC "/></default></default><worldbody>"
                       "<geom type='plane' size='1 1 1'/><body><freejoint/><geom class='soft'"
                       " size='1 1 1'/></body></worldbody></mujoco>",
                       NULL);
    assert_int_equal(geom(s, 1)->foundation.nx, 2);
    dp_spec_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impossible_foundations_are_refused),
        cmocka_unit_test(a_given_pair_lets_a_foundation_stand),
        cmocka_unit_test(a_box_with_a_foundation_touches_all_but_planes_as_others_do),
        cmocka_unit_test(without_contact_a_foundation_may_idle),
        cmocka_unit_test(disabled_contact_lets_the_cube_fall),
        cmocka_unit_test(explicit_integrators_refuse_foundations),
        cmocka_unit_test(geoms_without_a_foundation_have_no_pressures),
        cmocka_unit_test(a_failing_allocation_leaves_nothing_behind),
        cmocka_unit_test(bad_files_are_refused),
        cmocka_unit_test(files_say_it_all),
        cmocka_unit_test(every_face_survives_a_round_trip),
        cmocka_unit_test(damping_is_that_of_the_foundation_or_else_of_the_material),
        cmocka_unit_test(a_pair_of_a_foundation_is_used),
        cmocka_unit_test(a_class_may_have_a_foundation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
