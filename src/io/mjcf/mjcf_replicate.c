// <replicate> stands for several copies of its content, each in a frame that is moved on by
// `offset` and `euler`, with names that end in the number of the copy. Inner ones are copied before
// outer ones.
#include "base/interrupt.h"
#include "io/mjcf/mjcf.h"

#include "math/v3.h"

#include <stdio.h>
#include <string.h>

// What <attach> puts in its place has names too, which end alike.
static const char SUFFIX[] = "dp:suffix";

// Copies of copies grow fast; a larger model is a mistake.
enum { MOST_COPIES = 300000 };

typedef struct copier {
    dp_mjcf *m;
    long made;
    char suffix[64];
} copier;

// A name with the suffix of the copy. `attribute` is a copy already.
static dp_status rename_attribute(copier *c, dp_xml_attribute *attribute)
{
    const size_t bytes = strlen(attribute->value) + strlen(c->suffix) + 1;
    char *name;
    DP_TRY(dp_pool_take(&name, &c->m->pool, bytes, 1));
    snprintf(name, bytes, "%s%s", attribute->value, c->suffix);
    attribute->value = name;
    return DP_OK;
}

static void append_child(dp_xml_node *parent, dp_xml_node *node)
{
    DP_ASSERT(node);
    node->parent = parent;
    node->next = NULL;
    if (parent->last_child) {
        parent->last_child->next = node;
    } else {
        parent->child = node;
    }
    parent->last_child = node;
}

static dp_status copy_node(dp_xml_node **out, copier *c, const dp_xml_node *node)
{
    if (++c->made > MOST_COPIES) {
        return dp_mjcf_fail(node, "found more than %d copies by <replicate> (expected fewer)",
                            MOST_COPIES);
    }
    dp_xml_node *copy;
    DP_TRY(dp_pool_take(&copy, &c->m->pool, 1, sizeof *copy));
    *copy = *node;
    copy->child = copy->last_child = NULL;
    const size_t n = (size_t)node->nattribute;
    DP_TRY(dp_pool_take(&copy->attribute, &c->m->pool, n + 1, sizeof *copy->attribute));
    if (n > 0) {
        memcpy(copy->attribute, node->attribute, n * sizeof *copy->attribute);
    }
    if (strcmp(node->name, "attach") == 0 && !dp_xml_find(node, SUFFIX)) {
        copy->attribute[copy->nattribute++] =
            (dp_xml_attribute){.name = SUFFIX, .value = "", .item = node->item};
    }
    for (int i = 0; i < copy->nattribute; ++i) {
        if (strcmp(copy->attribute[i].name, "name") == 0 ||
            strcmp(copy->attribute[i].name, SUFFIX) == 0) {
            DP_TRY(rename_attribute(c, &copy->attribute[i]));
        }
    }
    *out = copy;
    return DP_OK;
}

// Copy everything below `from` to below `to`. An original knows its latest copy by `scope`.
static dp_status copy_content(copier *c, dp_xml_node *from, dp_xml_node *to)
{
    from->scope = to;
    for (dp_xml_node *node = from->child; node; node = dp_xml_next(from, node, false)) {
        dp_xml_node *copy = NULL;
        DP_TRY(dp_interrupt_check(200));
        DP_TRY(copy_node(&copy, c, node));
        append_child(node->parent->scope, copy);
        node->scope = copy;
    }
    return DP_OK;
}

static dp_status set_numbers(dp_xml_attribute *out, dp_mjcf *m, const char *name, const double *x,
                             int count)
{
    double *number;
    DP_TRY(dp_pool_take(&number, &m->pool, (size_t)count, sizeof *number));
    memcpy(number, x, (size_t)count * sizeof *number);
    *out = (dp_xml_attribute){.name = name, .value = "", .number = number, .count = count};
    out->rule = dp_mjcf_attribute_rule(dp_mjcf_frame_rule(), name);
    return DP_OK;
}

// A <frame> at `pose` that takes the place of a <replicate>.
static dp_status make_frame(dp_xml_node **out, copier *c, const dp_xml_node *replicate,
                            dp_pose pose)
{
    dp_xml_node *frame;
    DP_TRY(dp_pool_take(&frame, &c->m->pool, 1, sizeof *frame));
    *frame = *replicate;
    frame->name = "frame";
    frame->rule = dp_mjcf_frame_rule();
    frame->child = frame->last_child = NULL;
    DP_TRY(dp_pool_take(&frame->attribute, &c->m->pool, 3, sizeof *frame->attribute));
    double p[3], q[4];
    dp_v3_store(p, pose.p);
    dp_quat_store(q, pose.q);
    DP_TRY(set_numbers(&frame->attribute[0], c->m, "pos", p, 3));
    DP_TRY(set_numbers(&frame->attribute[1], c->m, "quat", q, 4));
    frame->nattribute = 2;
    const dp_xml_attribute *class = dp_xml_find(replicate, "childclass");
    if (class) {
        frame->attribute[frame->nattribute++] = *class;
    }
    *out = frame;
    return DP_OK;
}

// "07" for the eighth of 10 to 99
static void set_suffix(copier *c, const dp_xml_node *node, int count, int i)
{
    char digits[16];
    const int width = snprintf(digits, sizeof digits, "%d", count);
    snprintf(c->suffix, sizeof c->suffix, "%.40s%0*d", dp_xml_value(node, "sep", ""), width, i);
}

static dp_status expand(copier *c, dp_xml_node *node)
{
    const dp_mjcf_view view = {.node = node};
    const int count = dp_mjcf_integer(&view, "count", 0);
    if (count < 1) {
        return dp_mjcf_fail(node, "found count %d (expected 1 or more)", count);
    }
    if (count > MOST_COPIES) {
        return dp_mjcf_fail(node, "found count %d (expected at most %d)", count, MOST_COPIES);
    }
    double offset[3] = {0.0, 0.0, 0.0}, euler[3] = {0.0, 0.0, 0.0};
    dp_mjcf_numbers(offset, &view, "offset");
    dp_mjcf_numbers(euler, &view, "euler");

    dp_pose pose = DP_IDENTITY_POSE;
    dp_xml_node *last = node;
    for (int i = 0; i < count; ++i) {
        pose.q = dp_mjcf_euler(c->m, (double[3]){i * euler[0], i * euler[1], i * euler[2]});
        dp_xml_node *frame;
        DP_TRY(make_frame(&frame, c, node, pose));
        set_suffix(c, node, count, i);
        DP_TRY(copy_content(c, node, frame));
        frame->next = last->next;
        last->next = frame;
        last = frame;
        pose.p = dp_v3_add(pose.p, dp_quat_rotate(pose.q, dp_v3_load(offset)));
    }
    if (node->parent->last_child == node) {
        node->parent->last_child = last;
    }
    node->child = node->last_child = NULL; // what is left is for the report only
    return DP_OK;
}

dp_status dp_mjcf_replicate(dp_mjcf *m)
{
    // The latest in the file first, so that inner ones come before outer ones. `scope` links them.
    dp_xml_node *latest = NULL;
    for (dp_xml_node *s = NULL; (s = dp_mjcf_section(m, "worldbody", s));) {
        for (dp_xml_node *node = s; node; node = dp_xml_next(s, node, false)) {
            if (strcmp(node->name, "replicate") == 0) {
                node->scope = latest;
                latest = node;
            }
        }
    }
    copier c = {.m = m};
    while (latest) {
        dp_xml_node *node = latest;
        latest = node->scope;
        node->scope = NULL;
        DP_TRY(expand(&c, node));
    }
    return DP_OK;
}
