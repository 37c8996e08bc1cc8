// Links along the tree of joints: bodies with their mass, parents first.
#include "io/sdf/sdf.h"

#include "base/interrupt.h"
#include "geom/mass.h"

#include <stdio.h>
#include <string.h>

// ---- mass

static bool is_impossible(dp_v3 I)
{
    const double tolerance = 1e-9; // of the largest moment, as when the spec is compiled
    const double largest = fmax(I.x, fmax(I.y, I.z));
    const double others = fmin(I.x + I.y, fmin(I.y + I.z, I.z + I.x));
    return !(fmin(I.x, fmin(I.y, I.z)) > 0.0) || others < largest * (1.0 - tolerance);
}

static dp_status repair_moments(dp_v3 *I, dp_sdf *s, const dp_xml_node *node, double mass)
{
    if (!is_impossible(*I)) {
        return DP_OK;
    }
    if (!dp_mjcf_allowed(&s->u.m, "inertia")) {
        char why[200];
        snprintf(why, sizeof why, "found principal moments %g, %g, %g kg m², which no mass has",
                 I->x, I->y, I->z);
        return dp_mjcf_refuse(&s->u.m, node, NULL, "inertia", why);
    }
    const double radius = 0.01, mean = fabs(I->x + I->y + I->z) / 3.0;
    const double moment = mean > 0.0 ? mean : mass * radius * radius;
    *I = (dp_v3){moment, moment, moment};
    return dp_mjcf_repaired(&s->u.m, node, NULL, "inertia",
                            "no mass has these moments: three equal ones instead");
}

// Bullet fixes links of 0 kg to the world. One that a joint moves has next to nothing.
static dp_status repair_mass(dp_inertial *out, dp_sdf *s, int link, const dp_xml_node *inertial)
{
    const double little = 1e-6, radius = 0.1; // [kg, m]
    if (out->mass < 0.0 || !dp_mjcf_allowed(&s->u.m, "massless")) {
        char why[100];
        snprintf(why, sizeof why, "found mass %g (expected more than 0)", out->mass);
        return dp_mjcf_refuse(&s->u.m, inertial, NULL, "massless", why);
    }
    const bool root = s->frame[link].joint < 0;
    s->frame[link].fixed = root;
    out->mass = little;
    out->moments.x = out->moments.y = out->moments.z = little * radius * radius;
    return dp_mjcf_repaired(&s->u.m, inertial, NULL, "massless",
                            root ? "its mass is 0: fixed to the world, as in Bullet"
                                 : "its mass is 0: a millionth of 1 kg, at 0.1 m, instead");
}

// A link that says nothing has 1 kg and the moments of the unit matrix, as the format says.
static dp_status read_inertial(dp_inertial *out, dp_sdf *s, int link)
{
    const dp_xml_node *inertial = dp_sdf_child(s, s->frame[link].node, "inertial");
    *out = (dp_inertial){.mass = 1.0, .frame = DP_IDENTITY_POSE, .moments = {1.0, 1.0, 1.0}};
    if (!inertial) {
        return DP_OK;
    }
    DP_TRY(dp_sdf_number(&out->mass, s, inertial, "mass"));
    if (!(out->mass > 0.0)) {
        return repair_mass(out, s, link, inertial);
    }
    DP_TRY(dp_sdf_pose_in_link(&out->frame, s, inertial, link));
    const dp_xml_node *inertia = dp_sdf_child(s, inertial, "inertia");
    if (!inertia) {
        return DP_OK;
    }
    dp_sym3 I = {.xx = 1.0, .yy = 1.0, .zz = 1.0};
    DP_TRY(dp_sdf_number(&I.xx, s, inertia, "ixx"));
    DP_TRY(dp_sdf_number(&I.yy, s, inertia, "iyy"));
    DP_TRY(dp_sdf_number(&I.zz, s, inertia, "izz"));
    DP_TRY(dp_sdf_number(&I.xy, s, inertia, "ixy"));
    DP_TRY(dp_sdf_number(&I.xz, s, inertia, "ixz"));
    DP_TRY(dp_sdf_number(&I.yz, s, inertia, "iyz"));
    dp_quat axes;
    dp_principal_axes(&out->moments, &axes, I);
    out->frame.q = dp_quat_unit(dp_quat_mul(out->frame.q, axes));
    return repair_moments(&out->moments, s, inertia, out->mass);
}

// ---- the tree

// Which joint has which link as its child; its parent in `parent`, −1: the world, −2: no joint.
static dp_status connect(dp_sdf *s, int *parent)
{
    for (int i = 0; i < s->nframe; ++i) {
        parent[i] = -2;
    }
    for (int j = 0; j < s->nframe; ++j) {
        const dp_sdf_frame *joint = &s->frame[j];
        if (joint->kind != DP_SDF_JOINT) {
            continue;
        }
        int end[2];
        static const char *const which[2] = {"parent", "child"};
        for (int k = 0; k < 2; ++k) {
            const char *name;
            int frame;
            DP_TRY(dp_sdf_text(&name, s, dp_sdf_child(s, joint->node, which[k])));
            DP_TRY(dp_sdf_find(&frame, s, joint->node, joint->scope, name));
            DP_TRY(dp_sdf_link_of(&end[k], s, joint->node, frame));
        }
        if (end[1] < 0) {
            return dp_mjcf_fail(joint->node, "found the world as <child> (expected a link; the "
                                             "world can be <parent>)");
        }
        if (parent[end[1]] != -2) {
            DP_TRY(dp_mjcf_refuse(&s->u.m, joint->node, NULL, "loop_joint",
                                  "its child is that of another joint: loops are not read"));
            continue;
        }
        parent[end[1]] = end[0];
        s->frame[end[1]].joint = j;
    }
    return DP_OK;
}

// The name of a link: that of its model in front where there are several.
static const char *body_name(const dp_sdf *s, int link)
{
    const char *name = s->frame[link].name;
    const char *behind = strstr(name, "::");
    const bool alone = s->nmodel == 1 && behind && strcmp(behind, "::world") != 0;
    return alone ? behind + 2 : name;
}

static bool is_static(const dp_sdf *s, int link)
{
    const int model = s->frame[link].scope;
    return s->frame[link].fixed || (model >= 0 && s->frame[model].fixed);
}

static dp_status add_free_joint(dp_sdf *s, int link)
{
    const dp_sdf_frame *f = &s->frame[link];
    char name[512];
    snprintf(name, sizeof name, "%.490s_free_joint", body_name(s, link));
    dp_joint_spec joint = dp_joint_spec_default();
    joint.name = name;
    joint.kind = DP_JOINT_FREE;
    joint.where = dp_mjcf_where(f->node);
    return dp_mjcf_located(f->node, dp_spec_add_joint(NULL, s->u.m.spec, f->body, &joint));
}

static dp_status add_link(dp_sdf *s, int link, int parent)
{
    dp_sdf_frame *f = &s->frame[link];
    dp_body_spec body = dp_body_spec_default();
    body.name = body_name(s, link);
    body.where = dp_mjcf_where(f->node);
    body.inertia_source = DP_INERTIA_SOURCE_GIVEN;
    DP_TRY(read_inertial(&body.inertial, s, link));
    const bool fixed = is_static(s, link);
    const bool on_world = fixed || parent < 0;
    body.pose = on_world ? f->X : dp_pose_mul(dp_pose_inverse(s->frame[parent].X), f->X);
    body.pose.q = dp_quat_unit(body.pose.q);
    bool gravity = true;
    DP_TRY(dp_sdf_flag(&gravity, s, f->node, "gravity"));
    body.gravity_compensation = gravity ? 0.0 : 1.0;
    DP_TRY(dp_mjcf_located(f->node,
                           dp_spec_add_body(&f->body, s->u.m.spec,
                                            on_world ? DP_WORLD : s->frame[parent].body, &body)));
    if (!fixed) {
        DP_TRY(f->joint >= 0 ? dp_sdf_add_joint(s, link) : add_free_joint(s, link));
    }
    return dp_sdf_add_shapes(s, link);
}

// Depth first: what is fixed or floats, then each link behind its parent.
static dp_status add_tree(dp_sdf *s, const int *parent)
{
    int *stack, *first, *next; // links that wait; children of each as a list
    const size_t n = (size_t)s->nframe;
    DP_TRY(dp_pool_take(&stack, &s->u.m.pool, n + 1, sizeof *stack));
    DP_TRY(dp_pool_take(&first, &s->u.m.pool, n + 1, sizeof *first));
    DP_TRY(dp_pool_take(&next, &s->u.m.pool, n + 1, sizeof *next));
    int links = 0, added = 0, waiting = 0;
    for (int i = 0; i < s->nframe; ++i) {
        first[i] = -1;
    }
    for (int i = s->nframe - 1; i >= 0; --i) { // the last first, so that the first is on top
        if (s->frame[i].kind != DP_SDF_LINK) {
            continue;
        }
        ++links;
        if (parent[i] >= 0) {
            next[i] = first[parent[i]];
            first[parent[i]] = i;
        } else {
            stack[waiting++] = i;
        }
    }
    while (waiting > 0) {
        const int link = stack[--waiting];
        DP_TRY(dp_interrupt_check(2000));
        DP_TRY(add_link(s, link, parent[link]));
        ++added;
        int count = 0;
        for (int c = first[link]; c >= 0; c = next[c]) {
            stack[waiting + count++] = c;
        }
        for (int k = 0; k < count / 2; ++k) { // again the first on top
            const int other = stack[waiting + k];
            stack[waiting + k] = stack[waiting + count - 1 - k];
            stack[waiting + count - 1 - k] = other;
        }
        waiting += count;
    }
    return added == links ? DP_OK
                          : dp_mjcf_fail(s->u.robot, "found joints that form a circle (expected "
                                                     "trees)");
}

// ---- collisions within a model

// The model at the top that a frame is in.
static int top_of(const dp_sdf *s, int frame)
{
    while (s->frame[frame].scope >= 0) {
        frame = s->frame[frame].scope;
    }
    return frame;
}

// Links of one model do not touch each other unless it says so.
static dp_status exclude_pairs(dp_sdf *s)
{
    for (int a = 0; a < s->nframe; ++a) {
        const int top = top_of(s, a);
        bool touch = false;
        if (s->frame[a].kind != DP_SDF_LINK || s->frame[top].kind != DP_SDF_MODEL) {
            continue;
        }
        DP_TRY(dp_interrupt_check(1000));
        DP_TRY(dp_sdf_flag(&touch, s, s->frame[top].node, "self_collide"));
        for (int b = a + 1; !touch && !s->frame[top].fixed && b < s->nframe; ++b) {
            if (s->frame[b].kind == DP_SDF_LINK && top_of(s, b) == top) {
                dp_exclude_spec exclude = dp_exclude_spec_default();
                exclude.body[0] = body_name(s, a);
                exclude.body[1] = body_name(s, b);
                exclude.where = dp_mjcf_where(s->frame[top].node);
                DP_TRY(dp_spec_add_exclude(NULL, s->u.m.spec, &exclude));
            }
        }
    }
    return DP_OK;
}

dp_status dp_sdf_add_links(dp_sdf *s)
{
    int *parent;
    DP_TRY(dp_pool_take(&parent, &s->u.m.pool, (size_t)s->nframe + 1, sizeof *parent));
    DP_TRY(connect(s, parent));
    DP_TRY(add_tree(s, parent));
    return exclude_pairs(s);
}
