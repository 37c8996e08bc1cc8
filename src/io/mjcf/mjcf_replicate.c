// <replicate> stands for several copies of its content, each in a frame that is moved on by
// `offset` and `euler`, with names that end in the number of the copy. Inner ones are copied before
// outer ones. What refers to something inside (tendons, actuators, sensors, pairs and excludes) is
// copied with it, and comes behind what does not.
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

// ---- what refers to the content

enum { SECTIONS = 4, MOST_KINDS = 8 };
// In this order: what refers to a tendon or an actuator is copied with it.
static const char *const section[SECTIONS] = {"tendon", "contact", "actuator", "sensor"};
static const char *const kind_name[MOST_KINDS] = {
    [DP_OBJECT_BODY] = "body", [DP_OBJECT_JOINT] = "joint",   [DP_OBJECT_GEOM] = "geom",
    [DP_OBJECT_SITE] = "site", [DP_OBJECT_TENDON] = "tendon", [DP_OBJECT_ACTUATOR] = "actuator"};

// The names of one kind that copies have.
typedef struct name_set {
    const char **name;
    dp_name_index index;
    int count;
} name_set;

typedef struct content {
    name_set of[MOST_KINDS];
} content;

static dp_name_list list_of(const name_set *set)
{
    return (dp_name_list){set->name, sizeof *set->name, set->count};
}

static dp_status reserve(name_set *set, dp_pool *pool, int count)
{
    set->index.nslot = dp_name_slots(count);
    DP_TRY(dp_pool_take(&set->name, pool, (size_t)count, sizeof *set->name));
    return dp_pool_take(&set->index.slot, pool, set->index.nslot, sizeof *set->index.slot);
}

static void enter(name_set *set, const char *name)
{
    if (name && dp_name_find(&set->index, list_of(set), name) < 0) {
        set->name[set->count++] = name;
        dp_name_insert(&set->index, list_of(set), set->count - 1);
    }
}

static int kind_of_element(const char *name)
{
    if (strcmp(name, "freejoint") == 0) {
        return DP_OBJECT_JOINT;
    }
    for (int k = DP_OBJECT_BODY; k <= DP_OBJECT_SITE; ++k) {
        if (kind_name[k] && strcmp(name, kind_name[k]) == 0) {
            return k;
        }
    }
    return DP_OBJECT_NONE;
}

static int count_children(dp_mjcf *m, const char *name)
{
    int count = 0;
    for (dp_xml_node *s = NULL; (s = dp_mjcf_section(m, name, s));) {
        for (const dp_xml_node *node = s->child; node; node = node->next) {
            ++count;
        }
    }
    return count;
}

static dp_status list_content(content *out, copier *c, dp_xml_node *replicate)
{
    int count[MOST_KINDS] = {[DP_OBJECT_TENDON] = count_children(c->m, "tendon"),
                             [DP_OBJECT_ACTUATOR] = count_children(c->m, "actuator")};
    for (dp_xml_node *n = replicate; n; n = dp_xml_next(replicate, n, false)) {
        ++count[kind_of_element(n->name)];
    }
    for (int k = DP_OBJECT_BODY; k < MOST_KINDS; ++k) {
        DP_TRY(reserve(&out->of[k], &c->m->pool, count[k]));
    }
    for (dp_xml_node *n = replicate; n; n = dp_xml_next(replicate, n, false)) {
        const int kind = kind_of_element(n->name);
        if (kind != DP_OBJECT_NONE) {
            enter(&out->of[kind], dp_xml_value(n, "name", NULL));
        }
    }
    return DP_OK;
}

// What kind of thing an attribute names; none: it names nothing.
static int kind_of_reference(const dp_xml_node *node, const char *attribute)
{
    static const struct {
        const char *name;
        dp_object_kind kind;
    } known[] = {{"body", DP_OBJECT_BODY},           {"body1", DP_OBJECT_BODY},
                 {"body2", DP_OBJECT_BODY},          {"subtree1", DP_OBJECT_BODY},
                 {"subtree2", DP_OBJECT_BODY},       {"joint", DP_OBJECT_JOINT},
                 {"jointinparent", DP_OBJECT_JOINT}, {"geom", DP_OBJECT_GEOM},
                 {"geom1", DP_OBJECT_GEOM},          {"geom2", DP_OBJECT_GEOM},
                 {"site", DP_OBJECT_SITE},           {"refsite", DP_OBJECT_SITE},
                 {"sidesite", DP_OBJECT_SITE},       {"slidersite", DP_OBJECT_SITE},
                 {"cranksite", DP_OBJECT_SITE},      {"tendon", DP_OBJECT_TENDON},
                 {"actuator", DP_OBJECT_ACTUATOR}};
    const bool object = strcmp(attribute, "objname") == 0;
    if (object || strcmp(attribute, "refname") == 0) {
        const char *type = dp_xml_value(node, object ? "objtype" : "reftype", "");
        return strcmp(type, "xbody") == 0 ? DP_OBJECT_BODY : kind_of_element(type);
    }
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
        if (strcmp(attribute, known[i].name) == 0) {
            return (int)known[i].kind;
        }
    }
    return DP_OBJECT_NONE;
}

static bool is_inside(const content *of, const dp_xml_node *node, const dp_xml_attribute *a)
{
    const name_set *set = &of->of[kind_of_reference(node, a->name)];
    return set->count > 0 && dp_name_find(&set->index, list_of(set), a->value) >= 0;
}

static bool refers(const content *of, dp_xml_node *element)
{
    for (dp_xml_node *n = element; n; n = dp_xml_next(element, n, false)) {
        for (int i = 0; i < n->nattribute; ++i) {
            if (is_inside(of, n, &n->attribute[i])) {
                return true;
            }
        }
    }
    return false;
}

static dp_status rename_references(copier *c, const content *of, dp_xml_node *element)
{
    for (dp_xml_node *n = element; n; n = dp_xml_next(element, n, false)) {
        for (int i = 0; i < n->nattribute; ++i) {
            if (is_inside(of, n, &n->attribute[i])) {
                DP_TRY(rename_attribute(c, &n->attribute[i]));
            }
        }
    }
    return DP_OK;
}

// Take the children of a section that refer to the content out of it, into a list of their own.
static void take_out(dp_xml_node *list, content *of, dp_xml_node *from)
{
    dp_xml_node *node = from->child;
    from->child = from->last_child = NULL;
    for (dp_xml_node *next; node; node = next) {
        next = node->next;
        const bool inside = refers(of, node);
        if (inside && strcmp(from->name, "tendon") == 0) {
            enter(&of->of[DP_OBJECT_TENDON], dp_xml_value(node, "name", NULL));
        } else if (inside && strcmp(from->name, "actuator") == 0) {
            enter(&of->of[DP_OBJECT_ACTUATOR], dp_xml_value(node, "name", NULL));
        }
        append_child(inside ? list : from, node);
    }
}

static dp_status copy_reference(copier *c, const content *of, dp_xml_node *node, dp_xml_node *to)
{
    dp_xml_node *copy = NULL;
    DP_TRY(copy_node(&copy, c, node));
    append_child(to, copy);
    DP_TRY(copy_content(c, node, copy));
    return rename_references(c, of, copy);
}

static void set_suffix(copier *c, const dp_xml_node *node, int count, int i);

static dp_status copy_references(copier *c, content *of, const dp_xml_node *replicate, int count)
{
    dp_xml_node list[SECTIONS] = {{.name = NULL}}, *last[SECTIONS] = {NULL};
    bool any = false;
    for (int k = 0; k < SECTIONS; ++k) {
        for (dp_xml_node *s = NULL; (s = dp_mjcf_section(c->m, section[k], s));) {
            take_out(&list[k], of, s);
            last[k] = s;
        }
        any = any || list[k].child;
    }
    for (int i = 0; any && i < count; ++i) {
        set_suffix(c, replicate, count, i);
        for (int k = 0; k < SECTIONS; ++k) {
            for (dp_xml_node *n = list[k].child; n; n = n->next) {
                DP_TRY(copy_reference(c, of, n, last[k]));
            }
        }
    }
    return DP_OK;
}

// ---- frames

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

    content inside = {.of = {{.count = 0}}};
    DP_TRY(list_content(&inside, c, node));
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
    return copy_references(c, &inside, node, count);
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
