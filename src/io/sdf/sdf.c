#include "io/sdf/sdf.h"

#include "base/interrupt.h"
#include "base/text/number.h"

#include <stdio.h>
#include <string.h>

static bool is(const dp_xml_node *node, const char *name)
{
    return strcmp(node->name, name) == 0;
}

// ---- reading

dp_xml_node *dp_sdf_child(dp_sdf *s, const dp_xml_node *node, const char *name)
{
    dp_xml_node *child = node ? dp_urdf_child(node, name) : NULL;
    if (child) {
        const dp_status status = dp_mjcf_judge(&s->u.m, child, NULL, DP_IMPORT_VERDICT_USED, "");
        (void)status; // a verdict without a note takes no memory
    }
    return child;
}

dp_status dp_sdf_text(const char **out, dp_sdf *s, const dp_xml_node *node)
{
    static const char blanks[] = " \t\r\n";
    *out = "";
    if (!node || !node->text) {
        return DP_OK;
    }
    const char *first = node->text + strspn(node->text, blanks);
    size_t bytes = strlen(first);
    while (bytes > 0 && strchr(blanks, first[bytes - 1])) {
        --bytes;
    }
    char *copy;
    DP_TRY(dp_pool_take(&copy, &s->u.m.pool, bytes + 1, 1));
    memcpy(copy, first, bytes);
    copy[bytes] = '\0';
    *out = copy;
    return DP_OK;
}

dp_status dp_sdf_numbers(double *out, int count, dp_sdf *s, const dp_xml_node *node,
                         const char *name)
{
    const dp_xml_node *child = dp_sdf_child(s, node, name);
    const char *at = child && child->text ? child->text : "";
    double x[9];
    for (int i = 0; child && i < count; ++i) {
        if (dp_number_read(&x[i], &at) != DP_NUMBER_OK) {
            return dp_mjcf_fail(child, "found '%.40s' as number %d (expected %d finite number%s)",
                                at, i + 1, count, count == 1 ? "" : "s");
        }
    }
    if (child) {
        memcpy(out, x, (size_t)count * sizeof *out);
    }
    return DP_OK;
}

dp_status dp_sdf_number(double *out, dp_sdf *s, const dp_xml_node *node, const char *name)
{
    return dp_sdf_numbers(out, 1, s, node, name);
}

dp_status dp_sdf_flag(bool *out, dp_sdf *s, const dp_xml_node *node, const char *name)
{
    const dp_xml_node *child = dp_sdf_child(s, node, name);
    const char *text;
    DP_TRY(dp_sdf_text(&text, s, child));
    if (!child) {
        return DP_OK;
    }
    const bool yes = strcmp(text, "true") == 0 || strcmp(text, "1") == 0;
    if (!yes && strcmp(text, "false") != 0 && strcmp(text, "0") != 0) {
        return dp_mjcf_fail(child, "found '%.40s' (expected true or false)", text);
    }
    *out = yes;
    return DP_OK;
}

// ---- the report

// Why an element is not read, by its name; "not read" for all others.
static const char *reason(const dp_xml_node *node, const char **feature)
{
    static const struct {
        const char *name, *feature, *why;
    } known[] = {
        {"plugin", "gazebo", "a plugin of Gazebo"},
        {"sensor", "", "sensors of SDFormat are not read"},
        {"light", "", "looks only"},
        {"material", "", "looks only"},
        {"visual", "", "looks only"},
        {"scene", "", "looks only"},
        {"gui", "", "looks only"},
        {"actor", "", "looks only"},
        {"state", "", "a state of another program"},
        {"physics", "", "settings of another solver, but for the step"},
    };
    *feature = "";
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
        if (is(node, known[i].name)) {
            *feature = known[i].feature;
            return known[i].why;
        }
    }
    return strchr(node->name, ':') ? "an extension with a prefix of its own" : "not read";
}

dp_status dp_sdf_list(dp_sdf *s, dp_xml_node *root)
{
    for (dp_xml_node *n = root; n; n = dp_xml_next(root, n, false)) {
        DP_TRY(dp_interrupt_check(500));
        dp_import_item item = {
            .verdict = DP_IMPORT_VERDICT_IGNORED, .file = n->file, .line = n->line};
        item.note = reason(n, &item.feature);
        item.attribute = "";
        DP_TRY(dp_report_text(&item.element, s->u.m.report, n->name));
        DP_TRY(dp_report_text(&item.name, s->u.m.report, dp_xml_value(n, "name", "")));
        DP_TRY(dp_report_add(&n->item, s->u.m.report, &item));
    }
    if (root->mended) {
        DP_TRY(dp_mjcf_judge(&s->u.m, root, NULL, DP_IMPORT_VERDICT_USED, root->mended));
    }
    return DP_OK;
}

// ---- the file

static dp_status read_world(dp_sdf *s, const dp_xml_node *world)
{
    dp_options *options = dp_spec_options(s->u.m.spec);
    double gravity[3] = {0.0, 0.0, -9.8}, step = 0.001; // the defaults of the format
    DP_TRY(dp_sdf_numbers(gravity, 3, s, world, "gravity"));
    const dp_xml_node *physics = dp_sdf_child(s, world, "physics");
    if (physics) {
        DP_TRY(dp_sdf_number(&step, s, physics, "max_step_size"));
        if (!(step > 0.0)) {
            return dp_mjcf_fail(physics, "found max_step_size %g (expected a positive time)", step);
        }
    }
    options->gravity = dp_v3_load(gravity);
    options->step = step;
    return dp_spec_set_title(s->u.m.spec, dp_xml_value(world, "name", ""));
}

static dp_status read_sdf(dp_sdf *s, const char *text, size_t bytes, const char *name)
{
    const char *file;
    DP_TRY(dp_report_text(&file, s->u.m.report, name));
    DP_TRY(dp_xml_parse_text(&s->u.robot, &s->u.m.pool, text, bytes, file));
    dp_xml_node *root = s->u.m.root = s->u.robot;
    if (!is(root, "sdf")) {
        return dp_fail(DP_ERROR_PARSE,
                       "%s:%d: found <%.60s> (expected <sdf>, the root of an SDFormat file)", file,
                       root->line, root->name);
    }
    for (int i = 0; i < s->u.m.options->nallow; ++i) {
        DP_TRY(dp_spec_allow(s->u.m.spec, s->u.m.options->allow[i]));
    }
    DP_TRY(dp_sdf_list(s, root));
    DP_TRY(dp_mjcf_judge(&s->u.m, root, NULL, DP_IMPORT_VERDICT_USED,
                         root->mended ? root->mended : ""));
    dp_xml_node *world = dp_sdf_child(s, root, "world");
    if (world) {
        DP_TRY(read_world(s, world));
    }
    DP_TRY(dp_sdf_enter_models(s, world ? world : root));
    if (s->nmodel == 0) {
        return dp_mjcf_fail(world ? world : root, "found no <model> (expected at least one)");
    }
    DP_TRY(dp_sdf_place_frames(s));
    DP_TRY(dp_sdf_add_links(s));
    return dp_mjcf_refusal(&s->u.m);
}

dp_status dp_sdf_parse(dp_spec **out, dp_import_report **report, const char *text, size_t bytes,
                       const char *name, const dp_import_options *options)
{
    *out = NULL;
    if (report) {
        *report = NULL;
    }
    const dp_import_options usual = dp_import_options_default();
    dp_sdf s = {.u.m.options = options ? options : &usual};
    dp_pool_init(&s.u.m.pool, s.u.m.options->allocator);
    dp_interrupt_scope scope;
    dp_interrupt_begin(&scope, s.u.m.options->interrupt, s.u.m.options->interrupt_user);

    dp_status status = dp_report_create(&s.u.m.report, s.u.m.options->allocator);
    if (status == DP_OK) {
        status = dp_spec_create(&s.u.m.spec, s.u.m.options->allocator);
    }
    if (status == DP_OK) {
        status = read_sdf(&s, text, bytes, name ? name : "world");
    }
    status = dp_interrupt_is_raised() ? dp_interrupt_fail() : status; // whatever that led to
    dp_interrupt_end(&scope);
    if (status == DP_OK) {
        *out = s.u.m.spec;
    } else {
        dp_spec_destroy(s.u.m.spec);
    }
    if (report) {
        *report = s.u.m.report;
    } else {
        dp_import_report_destroy(s.u.m.report);
    }
    dp_release(&s.u.m.pool.allocator, s.frame, s.capacity, sizeof *s.frame);
    dp_pool_destroy(&s.u.m.pool);
    return status;
}
