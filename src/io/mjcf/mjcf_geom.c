// Geoms, sites and <inertial>.
#include "io/mjcf/mjcf.h"

#include "geom/mass.h"
#include "math/v3.h"

#include <stdio.h>
#include <string.h>

// In the order of the schema's keywords.
enum { PLANE, HFIELD, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH_SHAPE, SDF };

static const dp_geom_kind geom_kind[] = {
    [PLANE] = DP_GEOM_PLANE,     [HFIELD] = DP_GEOM_HFIELD,       [SPHERE] = DP_GEOM_SPHERE,
    [CAPSULE] = DP_GEOM_CAPSULE, [ELLIPSOID] = DP_GEOM_ELLIPSOID, [CYLINDER] = DP_GEOM_CYLINDER,
    [BOX] = DP_GEOM_BOX,         [MESH_SHAPE] = DP_GEOM_MESH,     [SDF] = DP_GEOM_MESH,
};
static const char *const shape_name[] = {"plane",    "hfield", "sphere", "capsule", "ellipsoid",
                                         "cylinder", "box",    "mesh",   "sdf"};

static bool has_direction(int shape)
{
    return shape == CAPSULE || shape == CYLINDER || shape == ELLIPSOID || shape == BOX;
}

// pos and orientation, or fromto, which also gives the half length.
static dp_status read_placement(dp_pose *pose, double size[3], const dp_mjcf *m,
                                const dp_mjcf_view *view, int shape)
{
    double ends[6];
    DP_TRY(dp_mjcf_pose(pose, m, view));
    if (!dp_mjcf_numbers(ends, view, "fromto")) {
        return DP_OK;
    }
    if (!has_direction(shape)) {
        return dp_mjcf_fail(
            view->node, "found fromto with a %s (expected a capsule, cylinder, ellipsoid or box)",
            shape_name[shape]);
    }
    if (pose->p.x != 0.0 || pose->p.y != 0.0 || pose->p.z != 0.0) {
        return dp_mjcf_fail(view->node, "found both pos and fromto (expected one of them)");
    }
    double half;
    DP_TRY(dp_mjcf_fromto(pose, &half, view->node, ends));
    if (shape == ELLIPSOID || shape == BOX) {
        size[1] = size[0];
        size[2] = half;
    } else {
        size[1] = half;
    }
    return DP_OK;
}

// How many sizes the file gives, those of its class included.
static int size_count(const dp_mjcf_view *view)
{
    double size[3] = {NAN, NAN, NAN};
    dp_mjcf_numbers(size, view, "size");
    int count = 0;
    while (count < 3 && !isnan(size[count])) {
        ++count;
    }
    return count;
}

static dp_status check_positive(const dp_mjcf_view *view, const double size[3], int count)
{
    for (int i = 0; i < count; ++i) {
        if (!(size[i] > 0.0)) {
            return dp_mjcf_fail(view->node, "found size %g (expected a positive length)", size[i]);
        }
    }
    return DP_OK;
}

static dp_status check_size(const dp_mjcf_view *view, int shape, const double size[3])
{
    const bool spans = has_direction(shape) && dp_mjcf_find(view, "fromto");
    const int needed = shape == PLANE ? 3 : spans ? 1 : dp_shape_size_count(geom_kind[shape]);
    const int found = size_count(view);
    if (found < needed) {
        return dp_mjcf_fail(view->node, "found %d numbers in size (a %s%s needs %d)", found,
                            shape_name[shape], spans ? " with fromto" : "", needed);
    }
    return check_positive(view, size, shape == PLANE ? 0 : needed); // a plane may be infinite
}

static bool can_touch(const dp_mjcf *m, const dp_geom_spec *geom)
{
    return !m->disabled.contact &&
           (geom->contype != 0 || geom->conaffinity != 0 || dp_mjcf_is_paired(m, geom->name));
}

// Whether a geom is without effect: it neither weighs nor touches.
static bool is_only_seen(const dp_mjcf *m, const dp_geom_spec *geom, dp_body_id body)
{
    const bool touches = can_touch(m, geom);
    const bool weighs = body.index != 0 && geom->mass != 0.0 &&
                        dp_spec_body(m->spec, body)->inertia_source == DP_INERTIA_SOURCE_GEOMS &&
                        (geom->mass > 0.0 || geom->density > 0.0);
    return !touches && !weighs;
}

// ---- shapes that refer to an asset

// How a geom comes by its shape.
typedef enum shape_source {
    SHAPE_OF_ITS_OWN,
    SHAPE_FROM_ASSET,
    SHAPE_LEFT_OUT, // the report says why
} shape_source;

static dp_status leave_out(dp_mjcf *m, const dp_mjcf_view *view, const char *feature,
                           const char *why)
{
    DP_TRY(dp_mjcf_leave_out(m, DP_OBJECT_GEOM, view->node, feature));
    return dp_mjcf_refuse(m, view->node, NULL, feature, why);
}

static dp_status fit_to_mesh(dp_geom_spec *geom, dp_pose *frame, const dp_mjcf *m,
                             const dp_mjcf_view *view, const dp_mjcf_asset *asset)
{
    DP_TRY(dp_mjcf_located(view->node, dp_mjcf_fit(geom, frame, m, asset)));
    const double scale = dp_mjcf_number(view, "fitscale", 1.0);
    for (int i = 0; i < 3; ++i) {
        geom->size[i] *= scale;
    }
    return DP_OK;
}

// `frame` is that of the shape in the frame that the geom gives.
static dp_status read_asset_shape(shape_source *source, dp_geom_spec *geom, dp_pose *frame,
                                  dp_mjcf *m, const dp_mjcf_view *view, dp_body_id body)
{
    *frame = DP_IDENTITY_POSE;
    *source = SHAPE_OF_ITS_OWN;
    const bool terrain = geom->kind == DP_GEOM_HFIELD;
    if (!terrain && geom->kind != DP_GEOM_MESH && !dp_mjcf_find(view, "mesh")) {
        return DP_OK;
    }
    *source = SHAPE_LEFT_OUT;
    const char *feature = terrain ? "hfield" : "mesh";
    dp_mjcf_asset *asset;
    DP_TRY(dp_mjcf_find_asset(&asset, terrain ? &m->hfield : &m->mesh, view, feature));
    const bool seen = is_only_seen(m, geom, body);
    const bool sdf = dp_mjcf_keyword(view, "type", SPHERE) == SDF;
    if (seen && !(m->options->visuals && geom->kind == DP_GEOM_MESH && !sdf)) {
        DP_TRY(dp_mjcf_leave_out(m, DP_OBJECT_GEOM, view->node, feature));
        return dp_mjcf_judge_all(m, view->node, DP_IMPORT_VERDICT_IGNORED,
                                 "looks only: it neither touches nor weighs anything");
    }
    if (sdf) {
        return leave_out(m, view, "sdf", "signed distance functions are not simulated");
    }
    if (geom->shell && geom->kind == DP_GEOM_MESH) {
        return dp_mjcf_fail(
            view->node, "found shellinertia with a mesh (expected inertia=\"shell\" of <mesh>)");
    }
    DP_TRY(terrain ? dp_mjcf_need_hfield(asset, m) : dp_mjcf_need_mesh(asset, m));
    if (asset->problem) {
        char why[1024];
        snprintf(why, sizeof why, "its %s (%.300s:%d): %.600s", feature, asset->node->file,
                 asset->node->line, asset->problem);
        if (seen) {
            dp_spec_clear_error(m->spec); // the mechanism does without it
            DP_TRY(dp_mjcf_leave_out(m, DP_OBJECT_GEOM, view->node, feature));
            return dp_mjcf_judge_all(m, view->node, DP_IMPORT_VERDICT_IGNORED, why);
        }
        return leave_out(m, view, feature, why);
    }
    if (dp_mjcf_find(view, "fromto")) {
        return dp_mjcf_fail(view->node, "found fromto with a %s (expected pos)", feature);
    }
    *source = SHAPE_FROM_ASSET;
    if (geom->kind == DP_GEOM_MESH) {
        geom->mesh = asset->name;
        geom->mesh_contact =
            (dp_mesh_contact)dp_mjcf_keyword(view, "dp:mesh_contact", DP_MESH_CONTACT_AUTO);
        return DP_OK;
    }
    if (terrain) {
        geom->hfield = asset->name;
        return DP_OK;
    }
    return fit_to_mesh(geom, frame, m, view, asset);
}

// ---- geoms

// MuJoCo's velocity of a surface: three numbers along the axes of the geom, three about them.
static dp_status read_surface_velocity(dp_v3 *out, dp_mjcf *m, const dp_mjcf_view *view)
{
    double own[3] = {0.0}, field[6] = {0.0};
    const bool ours = dp_mjcf_numbers(own, view, "dp:surface_velocity");
    const bool theirs = dp_mjcf_numbers(field, view, "surfacevel");
    if (ours && theirs) {
        return dp_mjcf_fail(view->node, "found both dp:surface_velocity and surfacevel (expected "
                                        "one of them)");
    }
    if (field[3] != 0.0 || field[4] != 0.0 || field[5] != 0.0) {
        return dp_mjcf_refuse(m, view->node, dp_xml_find(view->node, "surfacevel"), "surfacevel",
                              "surfaces that turn in place are not simulated");
    }
    *out = dp_v3_load(ours ? own : field);
    return DP_OK;
}

// Everything but the shape.
static dp_status read_material(dp_geom_spec *geom, dp_mjcf *m, const dp_mjcf_view *view)
{
    geom->name = dp_xml_value(view->node, "name", NULL);
    geom->where = dp_mjcf_where(view->node);
    geom->contype = dp_mjcf_integer(view, "contype", geom->contype);
    geom->conaffinity = dp_mjcf_integer(view, "conaffinity", geom->conaffinity);
    geom->group = dp_mjcf_integer(view, "group", geom->group);
    dp_mjcf_numbers(geom->friction, view, "friction");
    for (int i = 0; i < 3; ++i) {
        DP_TRY(dp_mjcf_not_negative(&geom->friction[i], m, view->node, "friction"));
    }
    DP_TRY(dp_mjcf_read_contact(&geom->contact, view, geom->foundation.nx > 0));
    DP_TRY(read_surface_velocity(&geom->contact.material.surface_velocity, m, view));
    geom->shell = dp_mjcf_keyword(view, "shellinertia", 0) == 1;
    geom->density = dp_mjcf_number(view, "density", geom->density);
    const dp_xml_attribute *mass = dp_mjcf_find(view, "mass");
    if (mass) {
        geom->mass = mass->number[0];
        if (geom->mass < 0.0) {
            return dp_mjcf_fail(view->node, "found mass %g (expected 0 or more)", geom->mass);
        }
    }
    if (geom->group < m->compiler.inertia_group[0] || geom->group > m->compiler.inertia_group[1]) {
        geom->mass = 0.0;
    }
    geom->fluid_ellipsoid = dp_mjcf_keyword(view, "fluidshape", 0) == 1;
    dp_mjcf_numbers(geom->fluid_coefficient, view, "fluidcoef");
    dp_mjcf_read_colour(geom->rgba, m, view);
    return DP_OK;
}

static dp_status read_foundation(dp_foundation_spec *out, dp_mjcf *m, const dp_mjcf_view *view)
{
    const dp_xml_attribute *grid = dp_mjcf_find(view, "dp:foundation");
    const bool none = !grid || (grid->number[0] == 0.0 && grid->number[1] == 0.0);
    if (none && dp_xml_find(view->node, "dp:foundation_face")) {
        return dp_mjcf_fail(view->node, "found dp:foundation_face without dp:foundation (expected "
                                        "both)");
    }
    if (none && dp_xml_find(view->node, "dp:depth")) {
        return dp_mjcf_judge(m, view->node, dp_xml_find(view->node, "dp:depth"),
                             DP_IMPORT_VERDICT_IGNORED, "matters with dp:foundation only");
    }
    if (none) {
        return DP_OK;
    }
    if (!dp_mjcf_find(view, "dp:youngs_modulus") || !dp_mjcf_find(view, "dp:depth")) {
        return dp_mjcf_fail(view->node,
                            "found dp:foundation without %s (expected dp:foundation, "
                            "dp:youngs_modulus and dp:depth)",
                            dp_mjcf_find(view, "dp:depth") ? "dp:youngs_modulus" : "dp:depth");
    }
    *out = (dp_foundation_spec){
        .nx = (int)grid->number[0],
        .ny = (int)grid->number[1],
        .face = (dp_box_face)dp_mjcf_keyword(view, "dp:foundation_face", DP_BOX_FACE_MINUS_Z),
        .youngs_modulus = dp_mjcf_number(view, "dp:youngs_modulus", out->youngs_modulus),
        .depth = dp_mjcf_number(view, "dp:depth", out->depth),
        .damping = dp_mjcf_number(view, "dp:damping", out->damping)};
    return DP_OK;
}

dp_status dp_mjcf_read_geom(dp_mjcf *m, dp_xml_node *node, const dp_mjcf_scope *in)
{
    dp_mjcf_view view;
    DP_TRY(dp_mjcf_open(&view, m, node, DP_MJCF_GEOM, in->class));
    dp_geom_spec geom = dp_geom_spec_default();
    DP_TRY(read_foundation(&geom.foundation, m, &view));
    DP_TRY(read_material(&geom, m, &view));
    const int shape = dp_mjcf_keyword(&view, "type", SPHERE);
    geom.kind = geom_kind[shape];
    shape_source source;
    dp_pose frame;
    DP_TRY(read_asset_shape(&source, &geom, &frame, m, &view, in->body));
    if (source == SHAPE_LEFT_OUT) {
        return DP_OK;
    }
    dp_pose pose;
    if (source == SHAPE_OF_ITS_OWN) {
        dp_mjcf_numbers(geom.size, &view, "size");
        DP_TRY(check_size(&view, shape, geom.size));
        DP_TRY(read_placement(&pose, geom.size, m, &view, shape));
    } else {
        DP_TRY(dp_mjcf_pose(&pose, m, &view));
        if (geom.kind != DP_GEOM_MESH && geom.kind != DP_GEOM_HFIELD) {
            pose = dp_pose_mul(pose, frame);
        }
    }
    geom.pose = dp_mjcf_place(in, pose);
    if (can_touch(m, &geom)) {
        DP_TRY(dp_mjcf_judge_contact(m, &view, &geom.contact, geom.foundation.nx > 0));
    }
    return dp_mjcf_located(node, dp_spec_add_geom(NULL, m->spec, in->body, &geom));
}

// The volume of a site. That of a mesh is not worked out: there is none.
static dp_status read_volume(dp_site_spec *site, const dp_mjcf_view *view, int shape)
{
    if (shape == PLANE || shape == HFIELD) {
        return dp_mjcf_fail(view->node,
                            "found a site that is a %s (expected a sphere, capsule, ellipsoid, "
                            "cylinder or box)",
                            shape_name[shape]);
    }
    if (shape == MESH_SHAPE || shape == SDF || dp_mjcf_find(view, "mesh")) {
        site->size[0] = site->size[1] = site->size[2] = 0.0;
        return DP_OK;
    }
    site->kind = geom_kind[shape];
    return check_positive(view, site->size, dp_shape_size_count(site->kind));
}

dp_status dp_mjcf_read_site(dp_mjcf *m, dp_xml_node *node, const dp_mjcf_scope *in)
{
    dp_mjcf_view view;
    DP_TRY(dp_mjcf_open(&view, m, node, DP_MJCF_SITE, in->class));
    dp_site_spec site = dp_site_spec_default();
    site.name = dp_xml_value(node, "name", NULL);
    site.where = dp_mjcf_where(node);
    site.group = dp_mjcf_integer(&view, "group", 0);
    const int shape = dp_mjcf_keyword(&view, "type", SPHERE);
    dp_mjcf_numbers(site.size, &view, "size");
    dp_pose pose;
    DP_TRY(read_placement(&pose, site.size, m, &view, shape));
    site.pose = dp_mjcf_place(in, pose);
    DP_TRY(read_volume(&site, &view, shape));
    return dp_mjcf_located(node, dp_spec_add_site(NULL, m->spec, in->body, &site));
}

dp_status dp_mjcf_read_inertial(dp_inertial *out, const dp_mjcf *m, const dp_xml_node *node,
                                const dp_mjcf_scope *in)
{
    const dp_mjcf_view view = {.node = node};
    *out = (dp_inertial){.mass = dp_mjcf_number(&view, "mass", 0.0)};
    DP_TRY(dp_mjcf_pose(&out->frame, m, &view));
    double x[6] = {0.0};
    dp_mjcf_numbers(x, &view, "diaginertia");
    out->moments = dp_v3_load(x);
    const dp_xml_attribute *full = dp_xml_find(node, "fullinertia");
    if (!full) {
        out->frame = dp_mjcf_place(in, out->frame);
        return DP_OK;
    }
    if (dp_xml_find(node, "diaginertia")) {
        return dp_mjcf_fail(node, "found both diaginertia and fullinertia (expected one of them)");
    }
    for (int i = 0; i < node->nattribute; ++i) {
        if (dp_mjcf_is_orientation(node->attribute[i].name)) {
            return dp_mjcf_fail(
                node,
                "found both fullinertia and %s (expected fullinertia in the axes of "
                "the body)",
                node->attribute[i].name);
        }
    }
    const double *I = full->number; // xx yy zz xy xz yz
    dp_principal_axes(
        &out->moments, &out->frame.q,
        (dp_sym3){.xx = I[0], .yy = I[1], .zz = I[2], .xy = I[3], .xz = I[4], .yz = I[5]});
    out->frame = dp_mjcf_place(in, out->frame);
    return DP_OK;
}
