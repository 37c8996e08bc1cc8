#include "io/mjcf/mjcf.h"

#include "base/interrupt.h"

#include <string.h>

dp_import_options dp_import_options_default(void)
{
    return (dp_import_options){0};
}

static dp_status allow_features(dp_mjcf *m)
{
    for (int i = 0; i < m->options->nallow; ++i) {
        DP_TRY(dp_spec_allow(m->spec, m->options->allow[i]));
    }
    return DP_OK;
}

dp_status dp_mjcf_read_tree(dp_mjcf *m, const char *text, size_t bytes, const char *name)
{
    const char *file;
    DP_TRY(dp_report_text(&file, m->report, name));
    DP_TRY(dp_xml_parse(&m->root, &m->pool, text, bytes, file));
    if (strcmp(m->root->name, dp_mjcf_root.name) != 0) {
        return dp_fail(DP_ERROR_PARSE,
                       "%s:%d: found <%s> (expected <mujoco>, the root of an MJCF file)", file,
                       m->root->line, m->root->name);
    }
    DP_TRY(dp_mjcf_include(m, name));
    return dp_mjcf_check(m);
}

// Sections may come in any order and repeatedly: settings first, then what they act on.
dp_status dp_mjcf_read_content(dp_mjcf *m)
{
    DP_TRY(dp_mjcf_read_compiler(m));
    DP_TRY(dp_mjcf_read_defaults(m));
    DP_TRY(dp_mjcf_list_assets(m));
    DP_TRY(dp_mjcf_list_models(m));
    DP_TRY(dp_mjcf_replicate(m));
    DP_TRY(dp_mjcf_list_pairs(m));
    DP_TRY(dp_mjcf_read_bodies(m));
    DP_TRY(dp_mjcf_read_contacts(m));
    DP_TRY(dp_mjcf_attach_references(m, DP_ELEMENT_PAIR));
    DP_TRY(dp_mjcf_read_tendons(m));
    DP_TRY(dp_mjcf_attach_references(m, DP_ELEMENT_TENDON));
    DP_TRY(dp_mjcf_read_equalities(m));
    DP_TRY(dp_mjcf_attach_references(m, DP_ELEMENT_EQUALITY));
    DP_TRY(dp_mjcf_read_actuators(m));
    DP_TRY(dp_mjcf_attach_references(m, DP_ELEMENT_ACTUATOR));
    DP_TRY(dp_mjcf_limit_joint_forces(m));
    DP_TRY(dp_mjcf_read_forces(m));
    DP_TRY(dp_mjcf_attach_references(m, DP_ELEMENT_FORCE));
    DP_TRY(dp_mjcf_read_motions(m));
    DP_TRY(dp_mjcf_attach_references(m, DP_ELEMENT_MOTION));
    DP_TRY(dp_mjcf_read_sensors(m));
    DP_TRY(dp_mjcf_attach_references(m, DP_ELEMENT_SENSOR));
    DP_TRY(dp_mjcf_adjust_masses(m));
    return dp_mjcf_judge_assets(m);
}

static dp_status read_model(dp_mjcf *m, const char *text, size_t bytes, const char *name)
{
    DP_TRY(dp_mjcf_set_folder(m, name));
    DP_TRY(dp_mjcf_read_tree(m, text, bytes, name));
    DP_TRY(dp_spec_set_title(m->spec, dp_xml_value(m->root, "model", "")));
    DP_TRY(allow_features(m));
    DP_TRY(dp_mjcf_read_option(m));
    DP_TRY(dp_mjcf_read_content(m));
    DP_TRY(dp_mjcf_read_keyframes(m));
    DP_TRY(dp_mjcf_settle_integrator(m));
    return dp_mjcf_refusal(m);
}

dp_status dp_mjcf_parse(dp_spec **out, dp_import_report **report, const char *text, size_t bytes,
                        const char *name, const dp_import_options *options)
{
    *out = NULL;
    if (report) {
        *report = NULL;
    }
    const dp_import_options usual = dp_import_options_default();
    dp_mjcf m = {.options = options ? options : &usual};
    dp_pool_init(&m.pool, m.options->allocator);
    dp_interrupt_scope scope;
    dp_interrupt_begin(&scope, m.options->interrupt, m.options->interrupt_user);

    dp_status status = dp_report_create(&m.report, m.options->allocator);
    if (status == DP_OK) {
        status = dp_spec_create(&m.spec, m.options->allocator);
    }
    if (status == DP_OK) {
        status = read_model(&m, text, bytes, name ? name : "model");
    }

    status = dp_interrupt_is_raised() ? dp_interrupt_fail() : status; // whatever that led to
    dp_interrupt_end(&scope);
    if (status == DP_OK) {
        *out = m.spec;
    } else {
        dp_spec_destroy(m.spec);
    }
    if (report) {
        *report = m.report;
    } else {
        dp_import_report_destroy(m.report);
    }
    dp_mjcf_close_models(&m);
    dp_pool_destroy(&m.pool);
    return status;
}
