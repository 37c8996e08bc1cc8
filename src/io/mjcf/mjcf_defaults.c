// Default classes.
//
// A class starts as a copy of the class around it and is then changed by its own elements; the
// elements of <default> come before the classes nested in it, wherever they stand. An element of
// the model takes its `class`, else the nearest `childclass` of a body or frame around it, else
// "main". An array that is given shorter than its longest form overwrites only as many numbers as
// are given.
#include "io/mjcf/mjcf.h"

#include <stdio.h>
#include <string.h>

enum { DEEPEST_CLASS = 200 };

static unsigned bucket_of(const char *name)
{
    unsigned hash = 2166136261u; // FNV-1a
    for (; *name; ++name) {
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    }
    return hash % DP_MJCF_BUCKETS;
}

static dp_mjcf_class *look_up(const dp_mjcf *m, const char *name)
{
    dp_mjcf_class *c = m->class_bucket[bucket_of(name)];
    while (c && strcmp(c->name, name) != 0) {
        c = c->next;
    }
    return c && c->alias_of ? c->alias_of : c;
}

dp_status dp_mjcf_find_class(const dp_mjcf_class **out, const dp_mjcf *m, const dp_xml_node *node,
                             const char *attribute, const dp_mjcf_class *otherwise)
{
    *out = otherwise;
    const char *name = dp_xml_value(node, attribute, NULL);
    if (!name) {
        return DP_OK;
    }
    *out = look_up(m, name);
    if (!*out) {
        return dp_mjcf_fail(node, "found %s '%.60s' (expected a class that a <default> defines)",
                            attribute, name);
    }
    return DP_OK;
}

// ---- reading classes

static dp_status create_class(dp_mjcf_class **out, dp_mjcf *m, const char *name,
                              const dp_mjcf_class *parent)
{
    dp_mjcf_class *c;
    DP_TRY(dp_pool_take(&c, &m->pool, 1, sizeof *c));
    c->name = name;
    c->around = parent;
    c->actuator = parent ? parent->actuator : dp_mjcf_actuator_default();
    for (int k = 0; k < DP_MJCF_KINDS; ++k) {
        const size_t n = (size_t)dp_mjcf_kind_rule((dp_mjcf_kind)k)->nattribute;
        DP_TRY(dp_pool_take(&c->attribute[k], &m->pool, n, sizeof *c->attribute[k]));
        if (parent) {
            memcpy(c->attribute[k], parent->attribute[k], n * sizeof *c->attribute[k]);
        }
    }
    c->next = m->class_bucket[bucket_of(name)];
    m->class_bucket[bucket_of(name)] = c;
    *out = c;
    return DP_OK;
}

// An attribute that gives fewer numbers than the class has so far keeps the rest of them.
static dp_status merge_numbers(const dp_xml_attribute **out, dp_mjcf *m,
                               const dp_xml_attribute *before, const dp_xml_attribute *now)
{
    *out = now;
    const bool whole = strcmp(now->name, "springlength") == 0; // one number stands for two
    if (!before || !now->number || before->count <= now->count || whole) {
        return DP_OK;
    }
    dp_xml_attribute *merged;
    double *number;
    DP_TRY(dp_pool_take(&merged, &m->pool, 1, sizeof *merged));
    DP_TRY(dp_pool_take(&number, &m->pool, (size_t)before->count, sizeof *number));
    memcpy(number, before->number, (size_t)before->count * sizeof *number);
    memcpy(number, now->number, (size_t)now->count * sizeof *number);
    *merged = *now;
    merged->number = number;
    merged->count = before->count;
    *out = merged;
    return DP_OK;
}

static dp_status set_attributes(dp_mjcf *m, dp_mjcf_class *c, dp_mjcf_kind kind,
                                const dp_xml_node *node)
{
    const dp_mjcf_attribute *first = dp_mjcf_kind_rule(kind)->attribute; // the rule of `node`
    for (int i = 0; i < node->nattribute; ++i) {
        const dp_xml_attribute *attribute = &node->attribute[i];
        if (!attribute->rule) {
            continue; // of another namespace
        }
        if (dp_mjcf_is_orientation(attribute->name)) { // the last one given counts
            for (const dp_mjcf_attribute *rule = first; rule->name; ++rule) {
                if (dp_mjcf_is_orientation(rule->name)) {
                    c->attribute[kind][rule - first] = NULL;
                }
            }
        }
        const dp_xml_attribute **slot = &c->attribute[kind][attribute->rule - first];
        DP_TRY(merge_numbers(slot, m, *slot, attribute));
    }
    return DP_OK;
}

static dp_status read_class_elements(dp_mjcf *m, dp_mjcf_class *c, const dp_xml_node *section)
{
    for (const dp_xml_node *node = section->child; node; node = node->next) {
        for (int k = 0; k < DP_MJCF_KINDS; ++k) {
            if (node->rule == dp_mjcf_kind_rule((dp_mjcf_kind)k)) {
                DP_TRY(set_attributes(m, c, (dp_mjcf_kind)k, node));
            }
        }
        if (dp_mjcf_is_actuator(node->name)) {
            DP_TRY(dp_mjcf_overlay_actuator(&c->actuator, c->around, node));
        }
    }
    return DP_OK;
}

// The class of a nested <default>, a copy of the one around it.
static dp_status open_nested(dp_mjcf_class **out, dp_mjcf *m, const dp_xml_node *node)
{
    const char *name = dp_xml_value(node, "class", "");
    if (name[0] == '\0') {
        return dp_mjcf_fail(node, "found no class (expected a name for a nested default)");
    }
    if (look_up(m, name)) {
        return dp_mjcf_fail(node, "found class '%.60s' a second time (expected a new name)", name);
    }
    int depth = 0;
    for (const dp_xml_node *up = node; up != m->root; up = up->parent) {
        ++depth;
    }
    if (depth > DEEPEST_CLASS) {
        return dp_mjcf_fail(node, "found defaults nested more than %d deep (expected fewer)",
                            DEEPEST_CLASS);
    }
    return create_class(out, m, name, node->parent->scope);
}

// Older files call the outermost class by another name; it is "main" all the same.
static dp_status open_main(dp_mjcf_class **out, dp_mjcf *m, const dp_xml_node *node)
{
    *out = m->main;
    const char *name = dp_xml_value(node, "class", "main");
    const dp_mjcf_class *known = look_up(m, name);
    if (known == m->main) {
        return DP_OK;
    }
    if (known) {
        return dp_mjcf_fail(node, "found class '%.60s' a second time (expected a new name)", name);
    }
    dp_mjcf_class *alias;
    DP_TRY(create_class(&alias, m, name, NULL));
    alias->alias_of = m->main;
    return DP_OK;
}

// In the order of the file, a class before those nested in it: its own elements are read first, so
// that what follows a nested class in the file still reaches it.
static dp_status read_tree(dp_mjcf *m, dp_xml_node *top)
{
    bool skip = false;
    for (dp_xml_node *node = top; node; node = dp_xml_next(top, node, skip)) {
        skip = strcmp(node->name, "default") != 0;
        if (skip) {
            continue;
        }
        dp_mjcf_class *c = NULL;
        DP_TRY(node == top ? open_main(&c, m, node) : open_nested(&c, m, node));
        node->scope = c;
        DP_TRY(read_class_elements(m, c, node));
    }
    return DP_OK;
}

dp_status dp_mjcf_read_defaults(dp_mjcf *m)
{
    DP_TRY(create_class(&m->main, m, "main", NULL));
    for (dp_xml_node *s = NULL; (s = dp_mjcf_section(m, "default", s));) {
        DP_TRY(read_tree(m, s));
    }
    return DP_OK;
}

// ---- using classes

dp_mjcf_view dp_mjcf_view_in(const dp_xml_node *node, dp_mjcf_kind kind, const dp_mjcf_class *c)
{
    return (dp_mjcf_view){node, c->attribute[kind], dp_mjcf_kind_rule(kind)};
}

dp_status dp_mjcf_open(dp_mjcf_view *out, dp_mjcf *m, const dp_xml_node *node, dp_mjcf_kind kind,
                       const dp_mjcf_class *scope)
{
    const dp_mjcf_class *c;
    DP_TRY(dp_mjcf_find_class(&c, m, node, "class", scope));
    *out = dp_mjcf_view_in(node, kind, c);
    const int n = dp_mjcf_kind_rule(kind)->nattribute;
    for (int i = 0; i < n; ++i) {
        const dp_xml_attribute *inherited = c->attribute[kind][i];
        if (!inherited || inherited->rule->verdict != DP_IMPORT_VERDICT_REFUSED ||
            dp_mjcf_harmless(inherited) || dp_xml_find(node, inherited->name)) {
            continue;
        }
        char why[256];
        snprintf(why, sizeof why, "%s (from its class '%.60s'): %s", inherited->name, c->name,
                 inherited->rule->note);
        DP_TRY(dp_mjcf_refuse(m, node, NULL, inherited->rule->feature, why));
    }
    return DP_OK;
}

static const dp_xml_attribute *find_default(const dp_mjcf_view *view, const char *name)
{
    if (!view->defaults) {
        return NULL;
    }
    const dp_mjcf_attribute *rule = dp_mjcf_attribute_rule(view->rule, name);
    return rule ? view->defaults[rule - view->rule->attribute] : NULL;
}

const dp_xml_attribute *dp_mjcf_find(const dp_mjcf_view *view, const char *name)
{
    const dp_xml_attribute *own = dp_xml_find(view->node, name);
    return own ? own : find_default(view, name);
}

bool dp_mjcf_numbers(double *x, const dp_mjcf_view *view, const char *name)
{
    const dp_xml_attribute *layer[] = {find_default(view, name), dp_xml_find(view->node, name)};
    bool any = false;
    for (int k = 0; k < 2; ++k) {
        for (int i = 0; layer[k] && i < layer[k]->count; ++i) {
            x[i] = layer[k]->number[i];
            any = true;
        }
    }
    return any;
}

double dp_mjcf_number(const dp_mjcf_view *view, const char *name, double otherwise)
{
    const dp_xml_attribute *attribute = dp_mjcf_find(view, name);
    return attribute ? attribute->number[0] : otherwise;
}

int dp_mjcf_integer(const dp_mjcf_view *view, const char *name, int otherwise)
{
    const dp_xml_attribute *attribute = dp_mjcf_find(view, name);
    return attribute ? (int)attribute->number[0] : otherwise;
}

int dp_mjcf_keyword(const dp_mjcf_view *view, const char *name, int otherwise)
{
    const dp_xml_attribute *attribute = dp_mjcf_find(view, name);
    return attribute ? attribute->keyword : otherwise;
}

dp_status dp_mjcf_limited(bool *out, const dp_mjcf *m, const dp_xml_node *node, const char *what,
                          int limited, const double range[2])
{
    enum { NO, YES, AUTO }; // the order of the schema's keywords
    const bool has_range = range[0] != 0.0 || range[1] != 0.0;
    if (limited == AUTO && has_range && !m->compiler.autolimits) {
        return dp_mjcf_fail(node,
                            "found %srange without %slimited (expected %slimited=\"true\" or "
                            "\"false\", or <compiler autolimits=\"true\">)",
                            what, what, what);
    }
    *out = limited == YES || (limited == AUTO && has_range);
    return DP_OK;
}
