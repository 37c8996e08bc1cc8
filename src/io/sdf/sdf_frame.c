// Names and places of models, links, joints and frames.
#include "io/sdf/sdf.h"

#include "base/interrupt.h"
#include "base/text/number.h"
#include "math/angle.h"

#include <stdio.h>
#include <string.h>

enum { DEEPEST = 20 }; // models in models, and files that include files

static dp_name_list names(const dp_sdf *s)
{
    return (dp_name_list){s->nframe > 0 ? &s->frame[0].name : NULL, sizeof *s->frame, s->nframe};
}

static bool is(const dp_xml_node *node, const char *name)
{
    return strcmp(node->name, name) == 0;
}

// ---- who there is

static dp_status full_name(const char **out, dp_sdf *s, int scope, const char *name)
{
    if (scope < 0) {
        return dp_pool_text(out, &s->u.m.pool, name);
    }
    const char *front = s->frame[scope].name;
    const size_t bytes = strlen(front) + strlen(name) + 3;
    char *text;
    DP_TRY(dp_pool_take(&text, &s->u.m.pool, bytes, 1));
    snprintf(text, bytes, "%s::%s", front, name);
    *out = text;
    return DP_OK;
}

static dp_status grow_index(dp_sdf *s)
{
    if (2 * (s->index.used + 1) <= s->index.nslot) {
        return DP_OK;
    }
    dp_name_index grown = {.nslot = dp_name_slots(2 * (s->nframe + 1))};
    DP_TRY(dp_pool_take(&grown.slot, &s->u.m.pool, grown.nslot, sizeof *grown.slot));
    for (int i = 0; i < s->nframe; ++i) {
        dp_name_insert(&grown, names(s), i);
    }
    s->index = grown;
    return DP_OK;
}

// `*number` is that of the new frame, whose fields but the name are given.
static dp_status enter(int *number, dp_sdf *s, dp_sdf_frame frame, const char *name)
{
    if (!*name || strstr(name, "::")) {
        return dp_mjcf_fail(frame.node, "found name '%.100s' (expected a name without '::')", name);
    }
    DP_TRY(full_name(&frame.name, s, frame.scope, name));
    const int same = dp_name_find(&s->index, names(s), frame.name);
    if (same >= 0) {
        return dp_mjcf_fail(frame.node, "found a second '%.200s' (the first is in line %d)",
                            frame.name, s->frame[same].node->line);
    }
    DP_TRY(grow_index(s));
    DP_TRY(dp_grow(&s->frame, &s->capacity, (size_t)s->nframe, sizeof *s->frame,
                   &s->u.m.pool.allocator));
    frame.joint = -1;
    s->frame[s->nframe++] = frame;
    dp_name_insert(&s->index, names(s), s->nframe - 1);
    *number = s->nframe - 1;
    return DP_OK;
}

// The <model> of the file that an <include> names; NULL: it is left out.
static dp_status open_include(dp_xml_node **out, dp_sdf *s, dp_xml_node *include)
{
    *out = NULL;
    const char *uri, *path;
    DP_TRY(dp_sdf_text(&uri, s, dp_sdf_child(s, include, "uri")));
    const bool file = strlen(uri) > 4 && strcmp(uri + strlen(uri) - 4, ".sdf") == 0;
    char *name;
    const size_t bytes = strlen(uri) + sizeof "/model.sdf";
    DP_TRY(dp_pool_take(&name, &s->u.m.pool, bytes, 1));
    snprintf(name, bytes, "%s%s", uri, file ? "" : "/model.sdf");
    dp_xml_attribute attribute = {.name = "filename", .value = name};
    dp_xml_node where = *include;
    where.attribute = &attribute;
    where.nattribute = 1;
    DP_TRY(dp_urdf_find_file(&path, &s->u, &where));
    if (!path) {
        return DP_OK;
    }
    char *text;
    size_t count;
    const dp_allocator *a = &s->u.m.pool.allocator;
    DP_TRY(dp_file_read(&text, &count, path, a));
    dp_xml_node *root = NULL;
    const char *kept;
    dp_status status = dp_report_text(&kept, s->u.m.report, path);
    if (status == DP_OK) {
        status = dp_xml_parse_text(&root, &s->u.m.pool, text, count, kept);
    }
    dp_release(a, text, count + 1, 1);
    DP_TRY(status);
    DP_TRY(dp_sdf_list(s, root));
    *out = is(root, "sdf") ? dp_sdf_child(s, root, "model") : NULL;
    return *out ? DP_OK : dp_mjcf_fail(root, "found no <model> in <sdf> (expected one)");
}

// A model that is still to be entered, by itself or by an <include>.
typedef struct pending {
    dp_xml_node *owner; // whose <model> and <include> these are
    int scope, depth;
    struct pending *next;
} pending;

static dp_status push(pending **list, dp_sdf *s, dp_xml_node *owner, int scope, int depth)
{
    if (depth > DEEPEST) {
        return dp_mjcf_fail(owner, "found models in models, more than %d deep", DEEPEST);
    }
    pending *p;
    DP_TRY(dp_pool_take(&p, &s->u.m.pool, 1, sizeof *p));
    *p = (pending){owner, scope, depth, *list};
    *list = p;
    return DP_OK;
}

static dp_status enter_parts(dp_sdf *s, dp_xml_node *model, int scope)
{
    for (dp_xml_node *n = model->child; n; n = n->next) {
        const dp_sdf_kind kind = is(n, "link")    ? DP_SDF_LINK
                                 : is(n, "joint") ? DP_SDF_JOINT
                                                  : DP_SDF_FRAME;
        if (kind == DP_SDF_FRAME && !is(n, "frame")) {
            continue;
        }
        int number;
        DP_TRY(dp_interrupt_check(2000));
        DP_TRY(dp_mjcf_judge(&s->u.m, n, NULL, DP_IMPORT_VERDICT_USED, ""));
        const dp_sdf_frame frame = {
            .kind = kind, .node = n, .scope = scope, .pose = dp_sdf_child(s, n, "pose")};
        DP_TRY(enter(&number, s, frame, dp_xml_value(n, "name", "")));
    }
    return DP_OK;
}

// `from`: <model> itself, or the <include> that names it and may say otherwise.
static dp_status enter_model(pending **list, dp_sdf *s, dp_xml_node *from, const pending *in)
{
    dp_xml_node *model = from;
    DP_TRY(dp_mjcf_judge(&s->u.m, from, NULL, DP_IMPORT_VERDICT_USED, ""));
    const char *name = "";
    if (is(from, "include")) {
        DP_TRY(open_include(&model, s, from));
        if (!model) {
            return DP_OK;
        }
        DP_TRY(dp_sdf_text(&name, s, dp_sdf_child(s, from, "name")));
    }
    name = *name ? name : dp_xml_value(model, "name", "");
    if (dp_xml_find(model, "placement_frame")) {
        DP_TRY(dp_mjcf_refuse(&s->u.m, model, NULL, "sdf-frame",
                              "models placed by a frame of theirs are not read"));
    }
    dp_sdf_frame frame = {.kind = DP_SDF_MODEL, .node = model, .scope = in->scope};
    const dp_xml_node *own = dp_sdf_child(s, model, "pose");
    frame.pose = model != from ? dp_sdf_child(s, from, "pose") : NULL;
    frame.pose = frame.pose ? frame.pose : own;
    frame.fixed = in->scope >= 0 && s->frame[in->scope].fixed;
    if (!frame.fixed) {
        DP_TRY(dp_sdf_flag(&frame.fixed, s, model, "static"));
        DP_TRY(model != from ? dp_sdf_flag(&frame.fixed, s, from, "static") : DP_OK);
    }
    int number = DP_SDF_WORLD;
    DP_TRY(enter(&number, s, frame, name));
    DP_TRY(enter_parts(s, model, number));
    return push(list, s, model, number, in->depth + 1);
}

dp_status dp_sdf_enter_models(dp_sdf *s, dp_xml_node *owner)
{
    pending *list = NULL;
    DP_TRY(push(&list, s, owner, DP_SDF_WORLD, 0));
    while (list) {
        const pending in = *list;
        list = in.next;
        for (dp_xml_node *n = in.owner->child; n; n = n->next) {
            if (is(n, "model") || is(n, "include")) {
                DP_TRY(enter_model(&list, s, n, &in));
                s->nmodel += in.scope < 0;
            }
        }
        if (in.scope < 0 && is(in.owner, "world")) {
            DP_TRY(enter_parts(s, in.owner, DP_SDF_WORLD));
        }
    }
    return DP_OK;
}

dp_status dp_sdf_find(int *out, dp_sdf *s, const dp_xml_node *node, int scope, const char *name)
{
    *out = DP_SDF_WORLD;
    if (strcmp(name, "world") == 0) {
        return DP_OK;
    }
    if (strcmp(name, "__model__") == 0) {
        *out = scope;
        return DP_OK;
    }
    const char *full;
    DP_TRY(full_name(&full, s, scope, name));
    *out = dp_name_find(&s->index, names(s), full);
    return *out >= 0 ? DP_OK
                     : dp_mjcf_fail(node,
                                    "found '%.200s' (expected the name of a link, joint, "
                                    "frame or model)",
                                    name);
}

// The first link of a model, or the one that it calls canonical.
static dp_status canonical_link(int *out, dp_sdf *s, int model)
{
    const char *name = dp_xml_value(s->frame[model].node, "canonical_link", NULL);
    if (name) {
        return dp_sdf_find(out, s, s->frame[model].node, model, name);
    }
    for (int i = 0; i < s->nframe; ++i) {
        if (s->frame[i].kind == DP_SDF_LINK && s->frame[i].scope == model) {
            *out = i;
            return DP_OK;
        }
    }
    return dp_mjcf_fail(s->frame[model].node, "found no link in the model (expected one)");
}

dp_status dp_sdf_link_of(int *out, dp_sdf *s, const dp_xml_node *node, int frame)
{
    for (int left = s->nframe; frame >= 0 && left >= 0; --left) {
        const dp_sdf_frame *f = &s->frame[frame];
        const char *name = NULL;
        switch (f->kind) {
        case DP_SDF_LINK:
            *out = frame;
            return DP_OK;
        case DP_SDF_MODEL:
            DP_TRY(canonical_link(&frame, s, frame));
            continue;
        case DP_SDF_JOINT:
            DP_TRY(dp_sdf_text(&name, s, dp_sdf_child(s, f->node, "child")));
            break;
        case DP_SDF_FRAME:
            name = dp_xml_value(f->node, "attached_to", f->scope < 0 ? "world" : "__model__");
            break;
        }
        DP_TRY(dp_sdf_find(&frame, s, f->node, f->scope, name));
    }
    *out = DP_SDF_WORLD;
    return frame < 0 ? DP_OK : dp_mjcf_fail(node, "found frames that are attached to each other");
}

// ---- where they are

dp_status dp_sdf_pose(dp_pose *out, dp_sdf *s, const dp_xml_node *pose)
{
    *out = DP_IDENTITY_POSE;
    const char *text;
    DP_TRY(dp_sdf_text(&text, s, pose));
    if (!*text) {
        return DP_OK;
    }
    const bool quaternion = strcmp(dp_xml_value(pose, "rotation_format", ""), "quat_xyzw") == 0;
    const bool degrees = strcmp(dp_xml_value(pose, "degrees", ""), "true") == 0;
    double x[7] = {0.0};
    const int count = quaternion ? 7 : 6;
    for (int i = 0; i < count; ++i) {
        if (dp_number_read(&x[i], &text) != DP_NUMBER_OK) {
            return dp_mjcf_fail(pose,
                                "found '%.40s' as number %d of the pose (expected %d finite "
                                "numbers)",
                                text, i + 1, count);
        }
    }
    out->p = dp_v3_load(x);
    if (quaternion) {
        const dp_quat q = {x[6], x[3], x[4], x[5]};
        const double square = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
        if (!(square > 0.0) || !isfinite(square)) {
            return dp_mjcf_fail(pose, "found a quaternion without a direction");
        }
        out->q = dp_quat_unit(q);
        return DP_OK;
    }
    const double unit = degrees ? DP_PI / 180.0 : 1.0;
    const dp_quat roll = dp_quat_about((dp_v3){1.0, 0.0, 0.0}, unit * x[3]);
    const dp_quat pitch = dp_quat_about((dp_v3){0.0, 1.0, 0.0}, unit * x[4]);
    const dp_quat yaw = dp_quat_about((dp_v3){0.0, 0.0, 1.0}, unit * x[5]);
    out->q = dp_quat_unit(dp_quat_mul(dp_quat_mul(yaw, pitch), roll));
    return DP_OK;
}

// The frame that the pose of another one is relative to.
static dp_status base_of(int *out, dp_sdf *s, int i)
{
    const dp_sdf_frame *f = &s->frame[i];
    const char *name = f->pose ? dp_xml_value(f->pose, "relative_to", "") : "";
    if (!*name && f->kind == DP_SDF_JOINT) {
        DP_TRY(dp_sdf_text(&name, s, dp_sdf_child(s, f->node, "child")));
    } else if (!*name && f->kind == DP_SDF_FRAME) {
        name = dp_xml_value(f->node, "attached_to", "");
    }
    *out = f->scope;
    return *name ? dp_sdf_find(out, s, f->pose ? f->pose : f->node, f->scope, name) : DP_OK;
}

dp_status dp_sdf_place_frames(dp_sdf *s)
{
    int *chain; // frames that wait for the next one
    DP_TRY(dp_pool_take(&chain, &s->u.m.pool, (size_t)s->nframe + 1, sizeof *chain));
    for (int i = 0; i < s->nframe; ++i) {
        int count = 0, at = i;
        while (at >= 0 && s->frame[at].state != DP_SDF_PLACED) {
            if (s->frame[at].state == DP_SDF_ASKED) {
                return dp_mjcf_fail(s->frame[at].node,
                                    "found '%.200s' relative to itself (expected frames that lead "
                                    "to the model or the world)",
                                    s->frame[at].name);
            }
            s->frame[at].state = DP_SDF_ASKED;
            chain[count++] = at;
            DP_TRY(base_of(&at, s, at));
        }
        dp_pose X = at < 0 ? DP_IDENTITY_POSE : s->frame[at].X;
        while (count > 0) {
            dp_sdf_frame *f = &s->frame[chain[--count]];
            dp_pose own;
            DP_TRY(dp_sdf_pose(&own, s, f->pose));
            X = dp_pose_mul(X, own);
            X.q = dp_quat_unit(X.q);
            f->X = X;
            f->state = DP_SDF_PLACED;
        }
    }
    return DP_OK;
}

dp_status dp_sdf_pose_in_link(dp_pose *out, dp_sdf *s, const dp_xml_node *node, int link)
{
    const dp_xml_node *pose = dp_sdf_child(s, node, "pose");
    DP_TRY(dp_sdf_pose(out, s, pose));
    const char *name = pose ? dp_xml_value(pose, "relative_to", "") : "";
    if (!*name) {
        return DP_OK;
    }
    int frame;
    DP_TRY(dp_sdf_find(&frame, s, pose, s->frame[link].scope, name));
    const dp_pose X = frame < 0 ? DP_IDENTITY_POSE : s->frame[frame].X;
    *out = dp_pose_mul(dp_pose_inverse(s->frame[link].X), dp_pose_mul(X, *out));
    out->q = dp_quat_unit(out->q);
    return DP_OK;
}
