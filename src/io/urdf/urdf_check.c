// The tree against the schema, element by element in the order of the file: extensions are listed,
// everything else goes through the check that MJCF has. And what every reader of URDF needs:
// children by name, poses.
#include "io/urdf/urdf.h"

#include "math/angle.h"

#include <stdio.h>
#include <string.h>

// ---- what is not URDF

static bool has_prefix(const char *name, const char *prefix)
{
    const size_t n = strlen(prefix);
    return strncmp(name, prefix, n) == 0 && name[n] == ':';
}

static dp_status fail_xacro(const dp_xml_node *node, const char *found)
{
    return dp_fail(
        DP_ERROR_PARSE,
        "%s:%d: found %.100s, which is xacro (expected plain URDF: run xacro on the file "
        "first, \"xacro robot.xacro > robot.urdf\")",
        node->file, node->line, found);
}

// Elements of xacro, with the prefix or, as in old files, without.
static dp_status refuse_xacro_element(const dp_xml_node *node)
{
    static const char *const old[] = {"include",      "macro", "property",
                                      "insert_block", "if",    "unless"};
    bool found = has_prefix(node->name, "xacro");
    for (size_t i = 0; i < sizeof old / sizeof old[0]; ++i) {
        found = found || strcmp(node->name, old[i]) == 0;
    }
    if (!found) {
        return DP_OK;
    }
    char words[128];
    snprintf(words, sizeof words, "<%.100s>", node->name);
    return fail_xacro(node, words);
}

// Values that xacro would have replaced: "${length/2}", "$(find robot)".
static dp_status refuse_xacro_values(const dp_xml_node *node)
{
    for (int i = 0; i < node->nattribute; ++i) {
        const char *value = node->attribute[i].value;
        if (strstr(value, "${") || strstr(value, "$(")) {
            char words[256];
            snprintf(words, sizeof words, "%.60s=\"%.100s\"", node->attribute[i].name, value);
            return fail_xacro(node, words);
        }
    }
    return DP_OK;
}

// ---- extensions

dp_status dp_urdf_ignore(dp_urdf *u, dp_xml_node *node, const char *note)
{
    for (dp_xml_node *at = node; at; at = dp_xml_next(node, at, false)) {
        dp_import_item item = {
            .verdict = DP_IMPORT_VERDICT_IGNORED, .file = at->file, .line = at->line, .note = note};
        item.attribute = "";
        DP_TRY(dp_report_text(&item.element, u->m.report, at->name));
        DP_TRY(dp_report_text(&item.name, u->m.report, dp_xml_value(at, "name", "")));
        DP_TRY(dp_report_add(&at->item, u->m.report, &item));
        for (int i = 0; i < at->nattribute; ++i) {
            DP_TRY(dp_report_text(&item.attribute, u->m.report, at->attribute[i].name));
            DP_TRY(dp_report_add(&at->attribute[i].item, u->m.report, &item));
        }
    }
    return DP_OK;
}

static const dp_mjcf_element *find_rule(const dp_xml_node *node)
{
    for (const dp_mjcf_element *const *rule = node->parent->rule->child; rule && *rule; ++rule) {
        if (strcmp((*rule)->name, node->name) == 0) {
            return *rule;
        }
    }
    return NULL;
}

static const char unknown[] = "unknown"; // the feature that goes on past names nobody knows

static dp_status report_unknown_attribute(dp_urdf *u, const dp_xml_node *node,
                                          dp_xml_attribute *attribute)
{
    dp_import_item item = {.verdict = DP_IMPORT_VERDICT_IGNORED,
                           .file = node->file,
                           .line = node->line,
                           .note = "an unknown name: left out"};
    DP_TRY(dp_report_text(&item.element, u->m.report, node->name));
    DP_TRY(dp_report_text(&item.name, u->m.report, dp_xml_value(node, "name", "")));
    DP_TRY(dp_report_text(&item.attribute, u->m.report, attribute->name));
    item.feature = unknown;
    return dp_report_add(&attribute->item, u->m.report, &item);
}

// Take out what the check of MJCF shall not see. Declarations of namespaces say nothing; other
// names with a prefix belong to somebody else, which that check knows by a bar.
static dp_status prepare_attributes(dp_urdf *u, dp_xml_node *node, const dp_mjcf_element *rule)
{
    int kept = 0;
    for (int i = 0; i < node->nattribute; ++i) {
        dp_xml_attribute *attribute = &node->attribute[i];
        if (has_prefix(attribute->name, "xmlns")) {
            continue;
        }
        if (rule && !dp_mjcf_attribute_rule(rule, attribute->name) &&
            !strchr(attribute->name, ':') && dp_mjcf_allowed(&u->m, unknown)) {
            DP_TRY(report_unknown_attribute(u, node, attribute));
            continue;
        }
        if (strchr(attribute->name, ':')) {
            char *name;
            const size_t bytes = strlen(attribute->name) + 1;
            DP_TRY(dp_pool_take(&name, &u->m.pool, bytes, 1));
            memcpy(name, attribute->name, bytes);
            *strchr(name, ':') = '|';
            attribute->name = name;
        }
        node->attribute[kept++] = *attribute;
    }
    node->nattribute = kept;
    return DP_OK;
}

// ---- one element

// Elements that may stand in their parent more than once.
static bool may_repeat(const dp_xml_node *node, const dp_mjcf_element *rule)
{
    static const char *const many[] = {"visual", "collision", "material", "color", "texture"};
    if (node->parent->parent == NULL || strcmp(node->parent->name, "robot") == 0 ||
        rule->verdict != DP_IMPORT_VERDICT_USED) {
        return true;
    }
    for (size_t i = 0; i < sizeof many / sizeof many[0]; ++i) {
        if (strcmp(node->name, many[i]) == 0) {
            return true;
        }
    }
    return false;
}

// The first of that name in the same parent, if it is another one.
static const dp_xml_node *find_earlier(const dp_xml_node *node, const dp_mjcf_element *rule)
{
    if (!rule || may_repeat(node, rule)) {
        return NULL;
    }
    const dp_xml_node *first = dp_urdf_child(node->parent, node->name);
    return first != node ? first : NULL;
}

static bool says_the_same(const dp_xml_node *a, const dp_xml_node *b)
{
    bool same = a->nattribute == b->nattribute && !a->child && !b->child;
    for (int i = 0; same && i < a->nattribute; ++i) {
        same = strcmp(dp_xml_value(b, a->attribute[i].name, ""), a->attribute[i].value) == 0;
    }
    return same;
}

// The first one counts for those who read a second one at all.
static dp_status leave_repeated(dp_urdf *u, dp_xml_node *node, const dp_xml_node *first)
{
    if (says_the_same(node, first)) {
        return dp_urdf_ignore(u, node, "the same again");
    }
    DP_TRY(dp_urdf_ignore(u, node, "a second one: the first counts"));
    if (dp_mjcf_allowed(&u->m, "repeated")) {
        return dp_mjcf_repaired(&u->m, node, NULL, "repeated", "a second one: the first counts");
    }
    char why[200];
    snprintf(why, sizeof why,
             "found a second one in the same <%.60s> (expected one; the first is in line %d)",
             node->parent->name, first->line);
    return dp_mjcf_refuse(&u->m, node, NULL, "repeated", why);
}

static bool is_opaque(const dp_mjcf_element *rule)
{
    return rule && rule->verdict != DP_IMPORT_VERDICT_USED && rule->nattribute == 0 && !rule->child;
}

static bool is_known(const dp_xml_node *node, const dp_mjcf_element *rule)
{
    bool known = rule != NULL;
    for (int i = 0; known && i < node->nattribute; ++i) {
        known = strchr(node->attribute[i].name, '|') ||
                dp_mjcf_attribute_rule(rule, node->attribute[i].name);
    }
    return known;
}

// `whole`: with all below it.
static dp_status check_element(dp_urdf *u, dp_xml_node *node, bool whole)
{
    dp_xml_node *below = node->child;
    if (!whole) {
        node->child = NULL;
    }
    u->m.root = node;
    const dp_status status = dp_mjcf_check(&u->m);
    node->child = below;
    return status;
}

// `*whole`: everything below has been dealt with, too.
static dp_status check_node(bool *whole, dp_urdf *u, dp_xml_node *node)
{
    const dp_mjcf_element *rule = find_rule(node);
    *whole = true;
    if (!rule) {
        DP_TRY(refuse_xacro_element(node));
    }
    if (!rule && strchr(node->name, ':')) {
        const char *note = has_prefix(node->name, "drake")
                               ? "an extension for Drake"
                               : "an extension with a prefix of its own";
        return dp_urdf_ignore(u, node, note);
    }
    if (!rule && dp_mjcf_allowed(&u->m, unknown)) {
        DP_TRY(dp_urdf_ignore(u, node, "an unknown name: left out"));
        return dp_report_set(u->m.report, node->item, DP_IMPORT_VERDICT_IGNORED, unknown,
                             "an unknown name: left out");
    }
    if (rule && strcmp(rule->name, "mujoco") == 0) {
        return dp_urdf_read_mujoco(u, node);
    }
    const dp_xml_node *earlier = find_earlier(node, rule);
    if (earlier) {
        return leave_repeated(u, node, earlier);
    }
    *whole = is_opaque(rule);
    if (!*whole) {
        DP_TRY(refuse_xacro_values(node));
        DP_TRY(prepare_attributes(u, node, rule));
    }
    const dp_status status = check_element(u, node, *whole);
    if (status == DP_ERROR_PARSE && !*whole && !is_known(node, rule)) {
        dp_fail(status, "%s (to go on without: allow \"%s\")", dp_last_error(), unknown);
        return dp_fail_feature(status, unknown);
    }
    return status;
}

dp_status dp_urdf_check(dp_urdf *u)
{
    // Elements take their rule from their parent. The parent of the root is the document.
    static const dp_mjcf_element *const roots[] = {&dp_urdf_root, NULL};
    static const dp_mjcf_element document_rule = {.name = "document", .child = roots};
    dp_xml_node document = {.name = "", .rule = &document_rule, .judge = &document_rule};
    u->robot->parent = &document;
    dp_status status = DP_OK;
    bool whole = false;
    for (dp_xml_node *node = u->robot; node && status == DP_OK;
         node = dp_xml_next(u->robot, node, whole)) {
        status = check_node(&whole, u, node);
    }
    u->robot->parent = NULL;
    u->m.root = u->robot;
    return status;
}

// ---- for readers

dp_xml_node *dp_urdf_child(const dp_xml_node *node, const char *name)
{
    dp_xml_node *child = node->child;
    while (child && strcmp(child->name, name) != 0) {
        child = child->next;
    }
    return child;
}

dp_status dp_urdf_need(dp_xml_node **out, const dp_xml_node *node, const char *name)
{
    *out = dp_urdf_child(node, name);
    return *out ? DP_OK : dp_mjcf_fail(node, "found no <%s> (expected one)", name);
}

double dp_urdf_number(const dp_xml_node *node, const char *attribute, double otherwise)
{
    const dp_xml_attribute *found = node ? dp_xml_find(node, attribute) : NULL;
    return found ? found->number[0] : otherwise;
}

// About the fixed axes x, y, z in this order: R = R_z(yaw) R_y(pitch) R_x(roll).
static dp_quat from_roll_pitch_yaw(const double rpy[3])
{
    const dp_v3 x = {1.0, 0.0, 0.0}, y = {0.0, 1.0, 0.0}, z = {0.0, 0.0, 1.0};
    return dp_quat_mul(dp_quat_mul(dp_quat_about(z, rpy[2]), dp_quat_about(y, rpy[1])),
                       dp_quat_about(x, rpy[0]));
}

dp_status dp_urdf_origin(dp_pose *out, const dp_xml_node *node)
{
    *out = DP_IDENTITY_POSE;
    const dp_xml_node *origin = dp_urdf_child(node, "origin");
    if (!origin) {
        return DP_OK;
    }
    const dp_xml_attribute *xyz = dp_xml_find(origin, "xyz");
    const dp_xml_attribute *rpy = dp_xml_find(origin, "rpy");
    const dp_xml_attribute *quaternion = dp_xml_find(origin, "quat_xyzw");
    if (xyz) {
        out->p = dp_v3_load(xyz->number);
    }
    if (rpy && quaternion) {
        return dp_mjcf_fail(origin, "found both rpy and quat_xyzw (expected one orientation)");
    }
    if (rpy) {
        out->q = from_roll_pitch_yaw(rpy->number);
    }
    if (quaternion) {
        const double *x = quaternion->number;
        const dp_quat q = {x[3], x[0], x[1], x[2]};
        if (!(dp_quat_norm(q) > 0.0)) {
            return dp_mjcf_fail(origin, "found quat_xyzw of length 0 (expected a unit quaternion)");
        }
        out->q = q;
    }
    out->q = dp_quat_unit(out->q);
    return DP_OK;
}
