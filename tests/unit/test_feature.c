// The names by which a user goes on without what is not simulated.
#include "near.h"

#include "base/error.h"
#include "io/mjcf/schema/mjcf_schema.h"
#include "io/urdf/urdf.h"
#include "small_spec.h"

#include <dashpot/format.h>

#include <stdio.h>
#include <string.h>

static void assert_known(const char *feature, const char *element, const char *attribute)
{
    if (feature && !dp_feature_known(feature)) {
        fail_msg("<%s> %s: feature '%s' is not in feature.c", element, attribute, feature);
    }
}

enum { MOST_ELEMENTS = 4096 };

// Schemas may refer to themselves (a body in a body), so each element is looked at once.
static int assert_schema_known(const dp_mjcf_element *root)
{
    static const dp_mjcf_element *seen[MOST_ELEMENTS];
    int count = 0;
    seen[count++] = root;
    for (int i = 0; i < count; ++i) {
        const dp_mjcf_element *element = seen[i];
        assert_known(element->feature, element->name, "");
        for (int k = 0; k < element->nattribute; ++k) {
            assert_known(element->attribute[k].feature, element->name, element->attribute[k].name);
        }
        for (const dp_mjcf_element *const *child = element->child; child && *child; ++child) {
            int at = 0;
            while (at < count && seen[at] != *child) {
                ++at;
            }
            if (at == count) {
                assert_true(count < MOST_ELEMENTS);
                seen[count++] = *child;
            }
        }
    }
    return count;
}

static void every_feature_that_a_schema_names_is_listed(void **state)
{
    (void)state;
    assert_true(assert_schema_known(&dp_mjcf_root) > 100);
    assert_true(assert_schema_known(&dp_urdf_root) > 20);
}

static void features_are_listed_once_and_explained(void **state)
{
    (void)state;
    for (int i = 0; i < dp_feature_count(); ++i) {
        const dp_feature feature = dp_feature_at(i);
        assert_true(strlen(feature.name) > 0 && strlen(feature.name) < 64);
        assert_true(strlen(feature.about) > 0);
        for (int k = 0; k < i; ++k) {
            assert_string_not_equal(feature.name, dp_feature_at(k).name);
        }
    }
    assert_string_equal(dp_feature_at(-1).name, "");
    assert_string_equal(dp_feature_at(dp_feature_count()).about, "");
}

static void the_last_feature_belongs_to_the_last_failure(void **state)
{
    (void)state;
    dp_fail_feature(dp_fail(DP_ERROR_UNSUPPORTED, "no air"), "fluid");
    assert_string_equal(dp_last_feature(), "fluid");
    dp_fail_context(DP_ERROR_UNSUPPORTED, "a.xml:1: ");
    assert_string_equal(dp_last_feature(), "fluid"); // still the same failure
    assert_string_equal(dp_last_error(), "a.xml:1: no air");
    dp_fail(DP_ERROR_IO, "no file");
    assert_string_equal(dp_last_feature(), "");
}

// A cart on a rail and a ball in the air, which asks for nothing.
static dp_spec *modest_spec(void)
{
    dp_spec *spec;
    assert_int_equal(dp_spec_create(&spec, NULL), DP_OK);
    const dp_body_id cart = add_ball_body(spec, DP_WORLD, "cart");
    add_joint(spec, cart, "slider", DP_JOINT_SLIDE);
    add_joint(spec, add_ball_body(spec, DP_WORLD, "ball"), "float", DP_JOINT_FREE);
    dp_site_spec site = dp_site_spec_default();
    site.name = "tip_site";
    assert_int_equal(dp_spec_add_site(NULL, spec, cart, &site), DP_OK);
    return spec;
}

static void limit(dp_spec *spec)
{
    dp_spec_joint(spec, (dp_joint_id){0})->limited = true;
    dp_spec_joint(spec, (dp_joint_id){0})->range[1] = 1.0;
}

static void rub(dp_spec *spec)
{
    dp_spec_joint(spec, (dp_joint_id){0})->friction_loss = 0.1;
}

static void touch(dp_spec *spec)
{
    for (int g = 0; g < dp_spec_geom_count(spec); ++g) {
        dp_spec_geom(spec, (dp_geom_id){g})->contype = 1;
        dp_spec_geom(spec, (dp_geom_id){g})->conaffinity = 1;
    }
}

static void weld(dp_spec *spec)
{
    dp_equality_spec equality = dp_equality_spec_default();
    equality.kind = DP_EQUALITY_WELD;
    equality.object[0] = "ball";
    assert_int_equal(dp_spec_add_equality(NULL, spec, &equality), DP_OK);
}

static void pull(dp_spec *spec)
{
    const dp_wrap_spec wrap = {.kind = DP_WRAP_JOINT, .object = "slider", .coefficient = 1.0};
    dp_tendon_spec tendon = dp_tendon_spec_default();
    tendon.name = "rope";
    tendon.wrap = &wrap;
    tendon.nwrap = 1;
    tendon.stiffness = 1.0;
    assert_int_equal(dp_spec_add_tendon(NULL, spec, &tendon), DP_OK);
}

static void push(dp_spec *spec)
{
    dp_actuator_spec actuator = dp_actuator_spec_default();
    actuator.transmission = DP_TRANSMISSION_SITE;
    actuator.site = "tip_site";
    assert_int_equal(dp_spec_add_actuator(NULL, spec, &actuator), DP_OK);
}

static bool is_simulated(const char *name)
{
    for (int i = 0; i < dp_feature_count(); ++i) {
        if (strcmp(dp_feature_at(i).name, name) == 0) {
            return dp_feature_at(i).simulated;
        }
    }
    fail_msg("%s is not listed", name);
    return false;
}

static void what_counts_as_simulated_is_not_refused(void **state)
{
    (void)state;
    static const struct {
        const char *feature;
        void (*ask)(dp_spec *spec);
    } cases[] = {{"contact", touch}, {"limit", limit}, {"frictionloss", rub},
                 {"equality", weld}, {"tendon", pull}, {"transmission", push}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        dp_spec *spec = modest_spec();
        dp_model *m;
        cases[i].ask(spec);
        assert_true(is_simulated(cases[i].feature));
        if (dp_model_compile(&m, spec) != DP_OK) {
            fail_msg("%s: %s", cases[i].feature, dp_last_error());
        }
        dp_model_destroy(m);
        dp_spec_destroy(spec);
    }
    assert_false(is_simulated("flex"));
}

static void the_report_tells_physics_that_waits_from_looks(void **state)
{
    (void)state;
    static const char text[] =
        "<robot name='r'><link name='a'><collision><geometry><sphere radius='1'/></geometry>"
        "<max_contacts>4</max_contacts></collision><visual><geometry><sphere radius='1'/>"
        "</geometry></visual></link></robot>";
    dp_spec *spec;
    dp_import_report *report;
    assert_int_equal(dp_urdf_parse(&spec, &report, text, strlen(text), "a.urdf", NULL), DP_OK);
    int contact = 0;
    for (int i = 0; i < dp_import_report_count(report); ++i) {
        const dp_import_item item = dp_import_report_item(report, i);
        if (strcmp(item.element, "max_contacts") == 0 && item.attribute[0] == '\0') {
            assert_int_equal(item.verdict, DP_IMPORT_VERDICT_IGNORED);
            assert_string_equal(item.feature, "contact");
            ++contact;
        } else if (item.verdict == DP_IMPORT_VERDICT_USED) {
            assert_string_equal(item.feature, "");
        }
    }
    assert_int_equal(contact, 1);
    dp_import_report_destroy(report);
    dp_spec_destroy(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_feature_that_a_schema_names_is_listed),
        cmocka_unit_test(features_are_listed_once_and_explained),
        cmocka_unit_test(the_last_feature_belongs_to_the_last_failure),
        cmocka_unit_test(what_counts_as_simulated_is_not_refused),
        cmocka_unit_test(the_report_tells_physics_that_waits_from_looks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
