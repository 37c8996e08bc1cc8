// <collision> and <visual> of a link.
#include "io/sdf/sdf.h"

#include "geom/mass.h"

#include "math/angle.h"
#include "model/spec/spec.h"

#include <stdio.h>
#include <string.h>

static bool is(const dp_xml_node *node, const char *name)
{
    return strcmp(node->name, name) == 0;
}

static dp_status turn_to_normal(dp_quat *out, dp_sdf *s, const dp_xml_node *plane)
{
    double normal[3] = {0.0, 0.0, 1.0};
    DP_TRY(dp_sdf_numbers(normal, 3, s, plane, "normal"));
    const dp_v3 n = dp_v3_load(normal), z = {0.0, 0.0, 1.0}, across = dp_v3_cross(z, n);
    if (!(dp_v3_norm(n) > 0.0)) {
        return dp_mjcf_fail(plane, "found a normal of length 0 (expected a direction)");
    }
    const double sine = dp_v3_norm(across);
    const dp_v3 about = sine > 0.0 ? dp_v3_scale(across, 1.0 / sine) : (dp_v3){1.0, 0.0, 0.0};
    *out = dp_quat_about(about, dp_atan2(sine, n.z));
    return DP_OK;
}

// A mesh as URDF has it: an element with filename and scale.
static dp_status read_mesh(const char **out, dp_sdf *s, dp_xml_node *mesh)
{
    double scale[3] = {1.0, 1.0, 1.0};
    const char *uri;
    DP_TRY(dp_sdf_text(&uri, s, dp_sdf_child(s, mesh, "uri")));
    DP_TRY(dp_sdf_numbers(scale, 3, s, mesh, "scale"));
    dp_xml_attribute attribute[2] = {{.name = "filename", .value = uri},
                                     {.name = "scale", .value = "", .number = scale, .count = 3}};
    dp_xml_node node = *mesh;
    node.attribute = attribute;
    node.nattribute = 2;
    return dp_urdf_read_mesh(out, &s->u, &node);
}

// Kind, size and turn of the shape in <geometry>. *there: false for none that can be used.
static dp_status read_shape(dp_geom_spec *geom, bool *there, dp_sdf *s, dp_xml_node *owner)
{
    dp_xml_node *geometry = dp_sdf_child(s, owner, "geometry"), *shape;
    double *size = geom->size;
    *there = true;
    if ((shape = dp_sdf_child(s, geometry, "box"))) {
        geom->kind = DP_GEOM_BOX;
        DP_TRY(dp_sdf_numbers(size, 3, s, shape, "size"));
        for (int i = 0; i < 3; ++i) {
            size[i] *= 0.5;
        }
    } else if ((shape = dp_sdf_child(s, geometry, "sphere"))) {
        geom->kind = DP_GEOM_SPHERE;
        DP_TRY(dp_sdf_number(size, s, shape, "radius"));
    } else if ((shape = dp_sdf_child(s, geometry, "ellipsoid"))) {
        geom->kind = DP_GEOM_ELLIPSOID;
        DP_TRY(dp_sdf_numbers(size, 3, s, shape, "radii"));
    } else if ((shape = dp_sdf_child(s, geometry, "cylinder")) ||
               (shape = dp_sdf_child(s, geometry, "capsule"))) {
        geom->kind = is(shape, "cylinder") ? DP_GEOM_CYLINDER : DP_GEOM_CAPSULE;
        DP_TRY(dp_sdf_number(size, s, shape, "radius"));
        DP_TRY(dp_sdf_number(size + 1, s, shape, "length"));
        size[1] *= 0.5;
    } else if ((shape = dp_sdf_child(s, geometry, "plane"))) {
        geom->kind = DP_GEOM_PLANE;
        dp_quat turn;
        DP_TRY(turn_to_normal(&turn, s, shape));
        geom->pose.q = dp_quat_unit(dp_quat_mul(geom->pose.q, turn));
        size[2] = 1.0; // [m] between the lines of its grid
    } else {
        *there = false;
    }
    return DP_OK;
}

static bool is_flat(const dp_geom_spec *geom)
{
    bool flat = false;
    for (int i = 0; geom->kind != DP_GEOM_PLANE && i < dp_shape_size_count(geom->kind); ++i) {
        flat = flat || !(geom->size[i] > 0.0);
    }
    return flat;
}

// <surface>: masks, friction, rebound.
static dp_status read_surface(dp_geom_spec *geom, dp_sdf *s, const dp_xml_node *collision)
{
    const dp_xml_node *surface = dp_sdf_child(s, collision, "surface");
    const dp_xml_node *friction = dp_sdf_child(s, surface, "friction");
    const dp_xml_node *ode = dp_sdf_child(s, friction, "ode");
    const dp_xml_node *contact = dp_sdf_child(s, surface, "contact");
    double mask = 65535.0;
    if (ode) {
        DP_TRY(dp_sdf_number(&geom->friction[0], s, ode, "mu"));
        DP_TRY(dp_mjcf_not_negative(&geom->friction[0], &s->u.m, ode, "mu"));
    }
    if (contact) {
        DP_TRY(dp_sdf_number(&mask, s, contact, "collide_bitmask"));
        if (!(mask >= 0.0) || mask > 65535.0 || mask != floor(mask)) {
            return dp_mjcf_fail(contact, "found collide_bitmask %g (expected 0 to 65535)", mask);
        }
    }
    geom->contype = geom->conaffinity = (int)mask;
    return DP_OK;
}

// Full names are unique; only where there are several of one name in a link the others have none.
static dp_status choose_name(dp_geom_spec *geom, dp_sdf *s, int link, const dp_xml_node *node)
{
    const dp_spec *spec = s->u.m.spec;
    const char *name = dp_xml_value(node, "name", "");
    const char *body = dp_spec_bodies(spec)[s->frame[link].body.index].spec.name;
    char *full;
    const size_t bytes = strlen(body) + strlen(name) + 3;
    DP_TRY(dp_pool_take(&full, &s->u.m.pool, bytes, 1));
    snprintf(full, bytes, "%s::%s", body, name);
    if (*name && dp_name_find(&spec->list[DP_ELEMENT_GEOM].index,
                              dp_spec_names(spec, DP_ELEMENT_GEOM), full) < 0) {
        geom->name = full;
    }
    return DP_OK;
}

static dp_status add_collision(dp_sdf *s, int link, dp_xml_node *node)
{
    dp_geom_spec geom = dp_geom_spec_default();
    geom.mass = 0.0;
    geom.where = dp_mjcf_where(node);
    DP_TRY(dp_mjcf_judge(&s->u.m, node, NULL, DP_IMPORT_VERDICT_USED, ""));
    DP_TRY(dp_sdf_pose_in_link(&geom.pose, s, node, link));
    bool there;
    DP_TRY(read_shape(&geom, &there, s, node));
    dp_xml_node *geometry = dp_sdf_child(s, node, "geometry");
    dp_xml_node *mesh = there ? NULL : dp_sdf_child(s, geometry, "mesh");
    if (mesh) {
        geom.kind = DP_GEOM_MESH;
        DP_TRY(read_mesh(&geom.mesh, s, mesh));
        there = geom.mesh != NULL;
    } else if (!there && !dp_sdf_child(s, geometry, "empty")) {
        return dp_mjcf_refuse(
            &s->u.m, node, NULL, "sdf-shape",
            "found no shape that is read (expected box, sphere, cylinder, capsule, "
            "ellipsoid, plane, mesh or empty)");
    }
    if (there && !mesh && is_flat(&geom)) {
        return dp_mjcf_refuse(&s->u.m, node, NULL, "flat",
                              "a shape without volume cannot touch anything");
    }
    if (!there) {
        return DP_OK;
    }
    DP_TRY(choose_name(&geom, s, link, node));
    DP_TRY(read_surface(&geom, s, node));
    return dp_mjcf_located(node, dp_spec_add_geom(NULL, s->u.m.spec, s->frame[link].body, &geom));
}

// Primitive shapes are kept for whoever draws them. They touch nothing.
static dp_status add_visual(dp_sdf *s, int link, dp_xml_node *node)
{
    dp_geom_spec geom = dp_geom_spec_default();
    geom.mass = 0.0;
    geom.contype = geom.conaffinity = 0;
    geom.group = 1;
    geom.where = dp_mjcf_where(node);
    DP_TRY(dp_sdf_pose_in_link(&geom.pose, s, node, link));
    bool there;
    DP_TRY(read_shape(&geom, &there, s, node));
    if (!there || geom.kind == DP_GEOM_PLANE || is_flat(&geom)) {
        return DP_OK;
    }
    DP_TRY(dp_mjcf_judge(&s->u.m, node, NULL, DP_IMPORT_VERDICT_USED, ""));
    return dp_mjcf_located(node, dp_spec_add_geom(NULL, s->u.m.spec, s->frame[link].body, &geom));
}

dp_status dp_sdf_add_shapes(dp_sdf *s, int link)
{
    for (dp_xml_node *node = s->frame[link].node->child; node; node = node->next) {
        if (is(node, "collision")) {
            DP_TRY(add_collision(s, link, node));
        } else if (is(node, "visual")) {
            DP_TRY(add_visual(s, link, node));
        }
    }
    return DP_OK;
}
