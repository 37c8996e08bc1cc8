#include "io/urdf/urdf.h"

#include "base/interrupt.h"

#include <string.h>

static dp_status read_robot(dp_urdf *u, const char *text, size_t bytes, const char *name)
{
    const char *file;
    DP_TRY(dp_report_text(&file, u->m.report, name));
    DP_TRY(dp_xml_parse_prefixed(&u->robot, &u->m.pool, text, bytes, file));
    if (strcmp(u->robot->name, dp_urdf_root.name) != 0) {
        return dp_fail(DP_ERROR_PARSE,
                       "%s:%d: found <%s> (expected <robot>, the root of a URDF file)", file,
                       u->robot->line, u->robot->name);
    }
    u->m.root = u->robot;
    u->keep_visual = true;
    for (int i = 0; i < u->m.options->nallow; ++i) {
        DP_TRY(dp_spec_allow(u->m.spec, u->m.options->allow[i]));
    }
    DP_TRY(dp_mjcf_read_compiler(&u->m)); // without <mujoco>: the defaults
    DP_TRY(dp_urdf_check(u));
    DP_TRY(dp_mjcf_refusal(&u->m)); // what is missing could look like a tree in pieces
    DP_TRY(dp_spec_set_title(u->m.spec, dp_xml_value(u->robot, "name", "")));

    DP_TRY(dp_urdf_read_tree(u));
    DP_TRY(dp_urdf_add_links(u));
    DP_TRY(dp_urdf_exclude_links(u));
    DP_TRY(dp_urdf_read_mimics(u));
    DP_TRY(dp_urdf_read_drake(u));
    DP_TRY(dp_mjcf_adjust_masses(&u->m));
    DP_TRY(dp_urdf_check_masses(u));
    return dp_mjcf_refusal(&u->m);
}

dp_status dp_urdf_parse(dp_spec **out, dp_import_report **report, const char *text, size_t bytes,
                        const char *name, const dp_import_options *options)
{
    *out = NULL;
    if (report) {
        *report = NULL;
    }
    const dp_import_options usual = dp_import_options_default();
    dp_urdf u = {.m.options = options ? options : &usual};
    dp_pool_init(&u.m.pool, u.m.options->allocator);
    dp_interrupt_scope scope;
    dp_interrupt_begin(&scope, u.m.options->interrupt, u.m.options->interrupt_user);

    dp_status status = dp_report_create(&u.m.report, u.m.options->allocator);
    if (status == DP_OK) {
        status = dp_spec_create(&u.m.spec, u.m.options->allocator);
    }
    if (status == DP_OK) {
        status = read_robot(&u, text, bytes, name ? name : "robot");
    }

    status = dp_interrupt_is_raised() ? dp_interrupt_fail() : status; // whatever that led to
    dp_interrupt_end(&scope);
    if (status == DP_OK) {
        *out = u.m.spec;
    } else {
        dp_spec_destroy(u.m.spec);
    }
    if (report) {
        *report = u.m.report;
    } else {
        dp_import_report_destroy(u.m.report);
    }
    dp_pool_destroy(&u.m.pool);
    return status;
}
