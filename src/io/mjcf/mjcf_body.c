// <worldbody> and the tree of bodies, frames and what is in them.
//
// Bodies are added in the order of the file. What belongs to a body is added when the body is, even
// if it stands behind a child body: so the ids of joints, geoms and sites are those that MuJoCo
// gives.
#include "base/interrupt.h"
#include "io/mjcf/mjcf.h"

#include "math/v3.h"

#include <string.h>

static bool is(const dp_xml_node *node, const char *name)
{
    return strcmp(node->name, name) == 0;
}

static bool opens_scope(const dp_xml_node *node)
{
    return is(node, "frame");
}

// The next element that belongs to the body itself: frames are entered, child bodies and other
// elements are not.
static dp_xml_node *next_own(const dp_xml_node *body, dp_xml_node *node)
{
    return dp_xml_next(body, node, node != body && !opens_scope(node));
}

static dp_status open_frame(dp_mjcf *m, dp_xml_node *node)
{
    const dp_mjcf_scope *outer = node->parent->scope;
    dp_mjcf_scope *scope;
    DP_TRY(dp_pool_take(&scope, &m->pool, 1, sizeof *scope));
    *scope = *outer;
    DP_TRY(dp_mjcf_find_class(&scope->class, m, node, "childclass", outer->class));
    const dp_mjcf_view view = {.node = node};
    dp_pose pose;
    DP_TRY(dp_mjcf_pose(&pose, m, &view));
    scope->frame = dp_pose_mul(outer->frame, pose);
    node->scope = scope;
    return DP_OK;
}

// ---- inertia

static bool counts_for_inertia(const dp_mjcf *m, int group)
{
    return group >= m->compiler.inertia_group[0] && group <= m->compiler.inertia_group[1];
}

// Whether any geom of the body may give it mass.
static dp_status has_massive_geom(bool *out, dp_mjcf *m, dp_xml_node *body)
{
    *out = false;
    for (dp_xml_node *node = next_own(body, body); node && !*out; node = next_own(body, node)) {
        if (!is(node, "geom")) {
            continue;
        }
        const dp_mjcf_scope *scope = node->parent->scope;
        const dp_mjcf_class *c;
        DP_TRY(dp_mjcf_find_class(&c, m, node, "class", scope->class));
        const dp_mjcf_view view = dp_mjcf_view_in(node, DP_MJCF_GEOM, c);
        *out = counts_for_inertia(m, dp_mjcf_integer(&view, "group", 0));
    }
    return DP_OK;
}

static dp_status read_mass_source(dp_body_spec *body, dp_mjcf *m, dp_xml_node *node)
{
    const dp_xml_node *inertial = NULL;
    for (dp_xml_node *own = next_own(node, node); own; own = next_own(node, own)) {
        if (!is(own, "inertial")) {
            continue;
        }
        if (inertial) {
            return dp_mjcf_fail(own, "found a second one in the same body (expected one)");
        }
        inertial = own;
    }
    if (inertial) {
        DP_TRY(dp_mjcf_read_inertial(&body->inertial, m, inertial, inertial->parent->scope));
    }
    body->inertia_source = inertial ? DP_INERTIA_SOURCE_GIVEN : DP_INERTIA_SOURCE_GEOMS;
    switch (m->compiler.inertia_from_geom) {
    case DP_MJCF_INERTIA_AUTO:
        return DP_OK;
    case DP_MJCF_INERTIA_GIVEN:
        body->inertia_source = DP_INERTIA_SOURCE_GIVEN; // without <inertial>: no mass
        return DP_OK;
    case DP_MJCF_INERTIA_GEOMS:
        if (inertial) {
            bool massive;
            DP_TRY(has_massive_geom(&massive, m, node));
            if (massive) {
                body->inertia_source = DP_INERTIA_SOURCE_GEOMS;
                return dp_mjcf_judge(m, inertial, NULL, DP_IMPORT_VERDICT_IGNORED,
                                     "<compiler inertiafromgeom=\"true\"> takes the geoms instead");
            }
        }
        return DP_OK;
    }
    return DP_OK;
}

// ---- bodies

static dp_status read_own_content(dp_mjcf *m, dp_xml_node *body)
{
    for (dp_xml_node *node = next_own(body, body); node; node = next_own(body, node)) {
        if (opens_scope(node)) {
            continue; // opened before
        }
        const dp_mjcf_scope *scope = node->parent->scope;
        if (is(node, "joint")) {
            DP_TRY(dp_mjcf_read_joint(m, node, scope));
        } else if (is(node, "freejoint")) {
            DP_TRY(dp_mjcf_read_freejoint(m, node, scope));
        } else if (is(node, "geom")) {
            DP_TRY(dp_mjcf_read_geom(m, node, scope));
        } else if (is(node, "site")) {
            DP_TRY(dp_mjcf_read_site(m, node, scope));
        }
    }
    return DP_OK;
}

static dp_status open_frames(dp_mjcf *m, dp_xml_node *body)
{
    for (dp_xml_node *node = next_own(body, body); node; node = next_own(body, node)) {
        if (opens_scope(node)) {
            DP_TRY(open_frame(m, node));
        }
    }
    return DP_OK;
}

// Where coordinates are global, MuJoCo 2 puts a body without pos at its centre of mass.
static dp_status check_global(dp_mjcf *m, const dp_xml_node *node)
{
    return dp_xml_find(node, "pos")
               ? DP_OK
               : dp_mjcf_refuse(m, node, NULL, "coordinate",
                                "where a body without pos is in global coordinates is left open; "
                                "give it one");
}

static dp_status read_body(dp_mjcf *m, dp_xml_node *node)
{
    const dp_mjcf_scope *outer = node->parent->scope;
    dp_mjcf_scope *scope;
    DP_TRY(dp_interrupt_check(1000));
    DP_TRY(dp_pool_take(&scope, &m->pool, 1, sizeof *scope));
    scope->body.index = dp_spec_body_count(m->spec); // as it will be: frames hand it down
    scope->frame = DP_IDENTITY_POSE;
    DP_TRY(dp_mjcf_find_class(&scope->class, m, node, "childclass", outer->class));
    node->scope = scope;
    const dp_mjcf_view view = {.node = node};
    dp_pose pose;
    DP_TRY(dp_mjcf_pose(&pose, m, &view));
    if (m->compiler.global) {
        DP_TRY(check_global(m, node));
        scope->frame = dp_pose_inverse(pose);
    }
    DP_TRY(open_frames(m, node));

    dp_body_spec body = dp_body_spec_default();
    body.name = dp_xml_value(node, "name", NULL);
    body.where = dp_mjcf_where(node);
    body.pose = dp_mjcf_place(outer, pose);
    body.gravity_compensation = dp_mjcf_number(&view, "gravcomp", 0.0);
    body.mocap = dp_mjcf_keyword(&view, "mocap", 0) == 1;
    DP_TRY(read_mass_source(&body, m, node));
    DP_TRY(dp_mjcf_located(node, dp_spec_add_body(&scope->body, m->spec, outer->body, &body)));
    return read_own_content(m, node);
}

static dp_status read_world(dp_mjcf *m, dp_xml_node *world, dp_mjcf_scope *scope)
{
    world->scope = scope;
    DP_TRY(open_frames(m, world));
    for (dp_xml_node *node = next_own(world, world); node; node = next_own(world, node)) {
        if (is(node, "joint") || is(node, "freejoint") || is(node, "inertial")) { // in a frame
            return dp_mjcf_fail(node, "found in the world (expected it in a body)");
        }
    }
    return read_own_content(m, world);
}

static dp_status read_bodies_below(dp_mjcf *m, dp_xml_node *world)
{
    bool skip = false;
    for (dp_xml_node *node = world->child; node; node = dp_xml_next(world, node, skip)) {
        skip = !is(node, "body") && !opens_scope(node);
        if (is(node, "body")) {
            DP_TRY(read_body(m, node));
        } else if (is(node, "attach")) {
            DP_TRY(dp_mjcf_attach(m, node, node->parent->scope));
        }
    }
    return DP_OK;
}

dp_status dp_mjcf_read_bodies(dp_mjcf *m)
{
    dp_mjcf_scope *scope;
    DP_TRY(dp_pool_take(&scope, &m->pool, 1, sizeof *scope));
    *scope = (dp_mjcf_scope){DP_WORLD, DP_IDENTITY_POSE, m->main};
    for (dp_xml_node *s = NULL; (s = dp_mjcf_section(m, "worldbody", s));) {
        DP_TRY(read_world(m, s, scope));
    }
    for (dp_xml_node *s = NULL; (s = dp_mjcf_section(m, "worldbody", s));) {
        DP_TRY(read_bodies_below(m, s));
    }
    return DP_OK;
}
