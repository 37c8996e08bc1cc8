// How geoms touch: from MJCF to the material and friction of a contact, and what the report says.
#include "imported.h"
#include "mechanism.h"
#include "written.h"

#include <dashpot/contact.h>
#include <dashpot/format.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#define OURS(...) "<mujoco xmlns:dp='dashpot'>" __VA_ARGS__ "</mujoco>"

static dp_spec *load(const char *text, dp_import_report **report)
{
    dp_spec *spec;
    if (dp_mjcf_parse(&spec, report, text, strlen(text), "a.xml", NULL) != DP_OK) {
        fail_msg("%s", dp_last_error());
    }
    return spec;
}

static const dp_contact_spec *contact_of(dp_spec *spec, int geom)
{
    return &dp_spec_geom(spec, (dp_geom_id){geom})->contact;
}

static void materials_are_read_from_geoms_classes_and_pairs(void **state)
{
    (void)state;
    dp_spec *spec =
        load(OURS("<default><geom dp:damping='7'/><default class='soft'><geom dp:stiffness='1e3'/>"
                  "<pair dp:restitution='.5'/></default></default><worldbody>"
                  "<geom name='a' size='1' class='soft' dp:poisson='.2'/>"
                  "<geom name='b' size='1' dp:youngs_modulus='1e9' dp:dissipation='.3' "
                  "dp:surface_velocity='1 2 3'/>"
                  "</worldbody><contact><pair class='soft' geom1='a' geom2='b' dp:stiffness='5'/>"
                  "</contact>"),
             NULL);
    const dp_material usual = dp_material_default();
    const dp_material *a = &contact_of(spec, 0)->material, *b = &contact_of(spec, 1)->material;
    assert_true(a->stiffness == 1e3 && a->damping == 7.0 && a->poisson == 0.2);
    assert_true(b->stiffness == usual.stiffness && b->damping == 7.0);
    assert_true(b->youngs_modulus == 1e9 && b->dissipation == 0.3);
    assert_true(b->surface_velocity.x == 1.0 && b->surface_velocity.z == 3.0);
    assert_true(contact_of(spec, 0)->material_given && contact_of(spec, 1)->material_given);
    const dp_contact_spec *pair = &dp_spec_pair(spec, (dp_pair_id){0})->contact;
    assert_true(pair->material_given && pair->material.stiffness == 5.0);
    assert_true(pair->material.restitution == 0.5 && pair->material.damping == usual.damping);
    assert_round_trip(spec);
    dp_spec_destroy(spec);
}

static void a_ratio_of_poisson_alone_leaves_solref_in_force(void **state)
{
    (void)state;
    dp_spec *spec =
        load(OURS("<worldbody><geom size='1' solref='.01 1' dp:poisson='.2'/></worldbody>"), NULL);
    assert_true(contact_of(spec, 0)->solver_given);
    assert_false(contact_of(spec, 0)->material_given);
    assert_round_trip(spec);
    dp_spec_destroy(spec);
}

static void a_material_that_is_the_default_stays_given(void **state)
{
    (void)state;
    dp_spec *spec =
        load(OURS("<worldbody><geom size='1' solref='.01 1' dp:damping='2e4'/></worldbody>"), NULL);
    assert_true(contact_of(spec, 0)->material_given);
    assert_round_trip(spec);
    dp_spec_destroy(spec);
}

// What the report says of `attribute` of the only geom, which has these attributes.
static dp_import_item judged(const char *attributes, const char *attribute)
{
    static char text[500], note[300];
    snprintf(text, sizeof text, OURS("<worldbody><geom size='1' %s/></worldbody>"), attributes);
    dp_import_report *report;
    dp_spec *spec = load(text, &report);
    dp_import_item item = item_of(report, "geom", attribute);
    snprintf(note, sizeof note, "%s", item.note);
    item.note = note;
    dp_import_report_destroy(report);
    dp_spec_destroy(spec);
    return item;
}

static void the_report_tells_by_which_numbers_a_geom_touches(void **state)
{
    (void)state;
    dp_import_item item = judged("", "");
    assert_int_equal(item.verdict, DP_IMPORT_VERDICT_USED);
    assert_non_null(strstr(item.note, "default material: 2e7 N/m, 2e4 N s/m"));
    item = judged("solref='.01 1'", "solref");
    assert_int_equal(item.verdict, DP_IMPORT_VERDICT_APPROXIMATED);
    assert_non_null(strstr(item.note, "k = m/((1 - d) T^2 z^2)"));
    item = judged("solref='-100 -1'", "solref");
    assert_int_equal(item.verdict, DP_IMPORT_VERDICT_APPROXIMATED);
    assert_non_null(strstr(item.note, "k = -solref[0] m/(1 - d)"));
    item = judged("solimp='.9 .99'", "solimp");
    assert_int_equal(item.verdict, DP_IMPORT_VERDICT_APPROXIMATED);
    item = judged("solref='.01 1' dp:stiffness='1'", "solref");
    assert_int_equal(item.verdict, DP_IMPORT_VERDICT_IGNORED);
    assert_non_null(strstr(item.note, "material counts"));
    assert_null(strstr(judged("dp:stiffness='1'", "").note, "default material"));
    assert_null(strstr(judged("contype='0' conaffinity='0'", "").note, "default material"));
}

static void margins_and_gaps_do_not_move_surfaces_and_the_report_says_so(void **state)
{
    (void)state;
    assert_int_equal(judged("margin='.01'", "margin").verdict, DP_IMPORT_VERDICT_APPROXIMATED);
    assert_int_equal(judged("margin='0'", "margin").verdict, DP_IMPORT_VERDICT_USED);
    assert_int_equal(judged("gap='.01'", "gap").verdict, DP_IMPORT_VERDICT_IGNORED);
    static const char *const used[] = {"condim='4'", "priority='1'", "solmix='2'", "friction='1'"};
    static const char *const name[] = {"condim", "priority", "solmix", "friction"};
    for (int i = 0; i < 4; ++i) {
        assert_int_equal(judged(used[i], name[i]).verdict, DP_IMPORT_VERDICT_USED);
    }
}

static void what_changes_contact_and_is_not_simulated_is_refused_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *text, *feature;
    } cases[] = {
        {"<worldbody><geom size='1' adhesion='2'/></worldbody>", "adhesion"},
        {"<worldbody><geom size='1' surfacevel='0 0 0 0 0 1'/></worldbody>", "surfacevel"},
        {"<worldbody><geom size='1' dp:tangential_stiffness='5'/></worldbody>",
         "tangential-stiffness"},
        {"<option collision='dynamic'/>", "collision"},
        {"<option><flag filterparent='disable'/></option>", "filterparent"},
        {"<option><flag override='enable'/></option>", "override"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char text[300];
        snprintf(text, sizeof text, OURS("%s"), cases[i].text);
        dp_spec *spec;
        assert_int_equal(dp_mjcf_parse(&spec, NULL, text, strlen(text), "a.xml", NULL),
                         DP_ERROR_UNSUPPORTED);
        assert_string_equal(dp_last_feature(), cases[i].feature);
        const dp_import_options options = {.allow = &cases[i].feature, .nallow = 1};
        assert_ok(dp_mjcf_parse(&spec, NULL, text, strlen(text), "a.xml", &options));
        dp_spec_destroy(spec);
    }
    dp_spec_destroy(load("<mujoco><option collision='all'><flag filterparent='enable' "
                         "override='disable'/></option></mujoco>",
                         NULL));
}

// The height of a ball of radius 0.1 m and 2 kg at rest, with these attributes of ball and floor.
static double rests_at(const char *ball, const char *floor)
{
    char text[700];
    snprintf(text, sizeof text,
             OURS("<worldbody><geom type='plane' size='1 1 1' %s/><body pos='0 0 .1'><freejoint/>"
                  "<geom size='.1' mass='2' %s/></body></worldbody>"),
             floor, ball);
    mechanism x = mechanism_from(load(text, NULL));
    mechanism_steps(&x, 2000);
    const double z = dp_data_q(x.d)[2];
    mechanism_end(&x);
    return z;
}

// [m/s²] MuJoCo's spring per mass at a depth, for solimp .9 .95 .001 .5 2 and a stiffness k [1/s²]
// at d = .95: k δ (d/.95)²/(1 − d), d between by two parabolas.
static double soft_lift(double k, double depth)
{
    const double x = depth / 0.001, y = x < 0.5 ? 2.0 * x * x : 1.0 - 2.0 * (1.0 - x) * (1.0 - x);
    const double d = 0.9 + 0.05 * (x < 1.0 ? y : 1.0);
    return k * depth * (d / 0.95) * (d / 0.95) / (1.0 - d);
}

static void a_ball_rests_as_deep_as_load_over_stiffness(void **state)
{
    (void)state;
    const double g = 9.81, load_N = 2.0 * g, round_off = 1e-12;
    assert_near(0.1 - rests_at("", ""), load_N / 1e7, round_off);
    assert_near(0.1 - rests_at("dp:stiffness='1e5'", "dp:stiffness='3e5'"),
                load_N * (1.0 / 1e5 + 1.0 / 3e5), round_off);
    // One of them decides: by its priority, whatever the other is made of.
    assert_near(0.1 - rests_at("dp:stiffness='1e5' priority='1'", "dp:stiffness='3e5'"),
                load_N / 1e5, round_off);
    // The mass drops out, and so does who of the two it is from.
    const double of_round_off = 1e-7; // of 1e-12 m, at 5e4/s²
    assert_near(soft_lift(1.0 / 4e-4, 0.1 - rests_at("solref='.02 1'", "solref='.02 1'")), g,
                of_round_off);
    assert_near(soft_lift(5000.0, 0.1 - rests_at("solref='-5000 -100'", "priority='-1'")), g,
                of_round_off);
    // Beyond the width d is the second number: m/((1 − d) T² z²).
    assert_near(0.1 - rests_at("solref='.05 1' solimp='.5 .9 .0001'", "priority='-1'"),
                g * 0.1 * 25e-4, round_off);
    // A material has the last word.
    assert_near(0.1 - rests_at("solref='.02 1'", "dp:stiffness='1e5'"),
                load_N * (1.0 / 1e5 + 1.0 / 2e7), round_off);
}

static void a_belt_of_either_spelling_carries_a_box_along(void **state)
{
    (void)state;
    static const char *const belt[] = {"dp:surface_velocity='0 .5 0'", "surfacevel='0 .5 0'"};
    for (int i = 0; i < 2; ++i) {
        char text[600];
        // The belt is turned: its y axis is the world's −x axis.
        snprintf(text, sizeof text,
                 OURS("<worldbody><geom type='box' size='5 5 .1' pos='0 0 -.1' euler='0 0 90' %s/>"
                      "<body pos='0 0 .1'><freejoint/><geom type='box' size='.1 .1 .1'/></body>"
                      "</worldbody>"),
                 belt[i]);
        mechanism x = mechanism_from(load(text, NULL));
        mechanism_steps(&x, 500);
        assert_near(dp_data_v(x.d)[0], -0.5, 1e-8); // the law's tolerance
        assert_near(dp_data_v(x.d)[1], 0.0, 1e-8);
        mechanism_end(&x);
    }
    static const char both[] =
        OURS("<worldbody><geom size='1' dp:surface_velocity='1 0 0' surfacevel='1'/></worldbody>");
    dp_spec *spec;
    assert_int_equal(dp_mjcf_parse(&spec, NULL, both, strlen(both), "a.xml", NULL), DP_ERROR_PARSE);
    assert_non_null(strstr(dp_last_error(), "found both dp:surface_velocity and surfacevel"));
}

static void impossible_materials_are_refused_with_their_line(void **state)
{
    (void)state;
    static const char *const bad[] = {"dp:stiffness='0'", "dp:damping='-1'", "dp:poisson='.6'",
                                      "dp:restitution='2'"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        char text[300];
        snprintf(text, sizeof text, OURS("<worldbody>\n<geom size='1' %s/></worldbody>"), bad[i]);
        dp_spec *spec = load(text, NULL);
        dp_model *m;
        assert_int_equal(dp_model_compile(&m, spec), DP_ERROR_ARGUMENT);
        assert_non_null(strstr(dp_last_error(), "a.xml:2"));
        assert_non_null(strstr(dp_last_error(), "(expected "));
        dp_spec_destroy(spec);
    }
}

static void what_a_file_cannot_say_of_a_material_is_not_written(void **state)
{
    (void)state;
    dp_spec *spec = load("<mujoco><worldbody><geom name='g' size='1'/></worldbody></mujoco>", NULL);
    dp_spec_geom(spec, (dp_geom_id){0})->contact.material.stiffness = 1e5;
    assert_not_written(spec, DP_ERROR_UNSUPPORTED, "geom 'g' has dp:stiffness and material_given");
    dp_spec_geom(spec, (dp_geom_id){0})->contact.material_given = true;
    assert_round_trip(spec);
    dp_spec_geom(spec, (dp_geom_id){0})->contact.material.stiffness = (double)INFINITY;
    assert_not_written(spec, DP_ERROR_ARGUMENT, "finite");
    dp_spec_geom(spec, (dp_geom_id){0})->contact.material.tangential_stiffness = 1e3;
    assert_not_written(spec, DP_ERROR_UNSUPPORTED, "geom 'g' has a tangential stiffness");
    dp_spec_destroy(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(materials_are_read_from_geoms_classes_and_pairs),
        cmocka_unit_test(a_ratio_of_poisson_alone_leaves_solref_in_force),
        cmocka_unit_test(a_material_that_is_the_default_stays_given),
        cmocka_unit_test(the_report_tells_by_which_numbers_a_geom_touches),
        cmocka_unit_test(margins_and_gaps_do_not_move_surfaces_and_the_report_says_so),
        cmocka_unit_test(what_changes_contact_and_is_not_simulated_is_refused_by_name),
        cmocka_unit_test(a_ball_rests_as_deep_as_load_over_stiffness),
        cmocka_unit_test(a_belt_of_either_spelling_carries_a_box_along),
        cmocka_unit_test(impossible_materials_are_refused_with_their_line),
        cmocka_unit_test(what_a_file_cannot_say_of_a_material_is_not_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
