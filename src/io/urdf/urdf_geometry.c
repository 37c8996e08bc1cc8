// <visual> and <collision>: the shapes of a link. Neither weighs anything.
#include "io/urdf/urdf.h"

#include "geom/mass.h"
#include "math/angle.h"
#include "model/spec/spec.h"

#include <string.h>

enum { HIDDEN_GROUP = 3 }; // of what pages hide, as MuJoCo's viewer does

static bool is(const dp_xml_node *node, const char *name)
{
    return strcmp(node->name, name) == 0;
}

// The first shape of a <visual> or <collision>; NULL: there is none. Others are left out.
static dp_status find_shape(dp_xml_node **out, dp_urdf *u, const dp_xml_node *owner)
{
    const dp_xml_node *geometry = dp_urdf_child(owner, "geometry");
    *out = NULL;
    for (dp_xml_node *node = geometry ? geometry->child : NULL; node; node = node->next) {
        if (!node->rule || is(node, "material") || is(node, "origin")) {
            continue; // an extension, or in the wrong place
        }
        if (!*out) {
            *out = node;
        } else if (is(owner, "collision")) {
            DP_TRY(dp_mjcf_refuse(&u->m, node, NULL, "repeated",
                                  "a second shape in one <geometry>: the first counts"));
        }
    }
    return DP_OK;
}

// The rotation that takes z to the normal of a plane.
static dp_status turn_to_normal(dp_quat *out, const dp_xml_node *plane)
{
    *out = DP_IDENTITY_POSE.q;
    const dp_xml_attribute *attribute = dp_xml_find(plane, "normal");
    if (!attribute) {
        return DP_OK;
    }
    const dp_v3 n = dp_v3_load(attribute->number), z = {0.0, 0.0, 1.0};
    const double length = dp_v3_norm(n);
    if (!(length > 0.0) || !isfinite(length)) {
        return dp_mjcf_fail(plane, "found a normal of length %g (expected a direction)", length);
    }
    const dp_v3 across = dp_v3_cross(z, n);
    const double sine = dp_v3_norm(across);
    const dp_v3 about = sine > 0.0 ? dp_v3_scale(across, 1.0 / sine) : (dp_v3){1.0, 0.0, 0.0};
    *out = dp_quat_about(about, dp_atan2(sine, n.z));
    return DP_OK;
}

// Kind and size of a primitive shape. URDF has full lengths, the spec half ones.
static dp_status read_shape(dp_geom_spec *geom, const dp_xml_node *shape)
{
    int count = 0;
    if (is(shape, "box")) {
        const double *size = dp_xml_find(shape, "size")->number;
        geom->kind = DP_GEOM_BOX;
        for (; count < 3; ++count) {
            geom->size[count] = size[count] / 2.0;
        }
    } else if (is(shape, "sphere")) {
        geom->kind = DP_GEOM_SPHERE;
        geom->size[count++] = dp_urdf_number(shape, "radius", 0.0);
    } else if (is(shape, "drake:ellipsoid")) {
        geom->kind = DP_GEOM_ELLIPSOID;
        geom->size[count++] = dp_urdf_number(shape, "a", 0.0);
        geom->size[count++] = dp_urdf_number(shape, "b", 0.0);
        geom->size[count++] = dp_urdf_number(shape, "c", 0.0);
    } else if (is(shape, "plane")) {
        geom->kind = DP_GEOM_PLANE;
        dp_quat turn;
        DP_TRY(turn_to_normal(&turn, shape));
        geom->pose.q = dp_quat_unit(dp_quat_mul(geom->pose.q, turn));
    } else {
        geom->kind = is(shape, "cylinder") ? DP_GEOM_CYLINDER : DP_GEOM_CAPSULE;
        geom->size[count++] = dp_urdf_number(shape, "radius", 0.0);
        geom->size[count++] = dp_urdf_number(shape, "length", 0.0) / 2.0;
    }
    for (int i = 0; i < count; ++i) {
        if (!(geom->size[i] >= 0.0)) {
            return dp_mjcf_fail(shape, "found a length of %g (expected 0 or more)",
                                geom->kind == DP_GEOM_BOX || i == 1 ? 2.0 * geom->size[i]
                                                                    : geom->size[i]);
        }
    }
    return DP_OK;
}

// Points, lines and faces: some files have them as places where a robot touches.
static bool is_flat(const dp_geom_spec *geom)
{
    const int count = dp_shape_size_count(geom->kind);
    bool flat = false;
    for (int i = 0; i < count; ++i) {
        flat = flat || geom->size[i] == 0.0;
    }
    return flat;
}

// Names of shapes need not be unique in URDF; only the first keeps its name.
static dp_status read_name(dp_geom_spec *geom, dp_urdf *u, const dp_xml_node *collision)
{
    const dp_xml_attribute *name = dp_xml_find(collision, "name");
    if (!name || name->value[0] == '\0') {
        return DP_OK;
    }
    const dp_name_index *index = &u->m.spec->list[DP_ELEMENT_GEOM].index;
    if (dp_name_find(index, dp_spec_names(u->m.spec, DP_ELEMENT_GEOM), name->value) >= 0) {
        return dp_mjcf_judge(&u->m, collision, name, DP_IMPORT_VERDICT_IGNORED,
                             "another shape has this name; this one has none");
    }
    geom->name = name->value;
    return DP_OK;
}

static dp_status add(dp_urdf *u, const dp_urdf_link *link, const dp_xml_node *node,
                     const dp_geom_spec *geom)
{
    return dp_mjcf_located(node, dp_spec_add_geom(NULL, u->m.spec, link->body, geom));
}

// Meshes of a robot are their hulls, whether a joint moves the link or not. Those of a file in
// which nothing moves, and of a link called world, are scenery.
static dp_status choose_mesh_contact(dp_geom_spec *geom, dp_urdf *u, const dp_urdf_link *link,
                                     const dp_xml_node *shape)
{
    if (!u->moves || link->body.index == DP_WORLD.index) {
        return DP_OK;
    }
    geom->mesh_contact = DP_MESH_CONTACT_HULL;
    return dp_mjcf_judge(&u->m, shape, NULL, DP_IMPORT_VERDICT_USED, "touches by its convex hull");
}

// Shapes that touch have the colour of what is seen. Where that is there, pages hide them.
static void look_like_visual(dp_geom_spec *geom, const dp_urdf *u, const dp_urdf_link *link)
{
    for (const dp_xml_node *node = link->node->child; node; node = node->next) {
        if (is(node, "visual")) {
            (void)dp_urdf_read_colour(geom->rgba, u, node);
            geom->group = u->m.options->visuals ? HIDDEN_GROUP : geom->group;
            return;
        }
    }
}

static dp_status add_collision(dp_urdf *u, const dp_urdf_link *link, const dp_xml_node *node)
{
    dp_geom_spec geom = dp_geom_spec_default();
    geom.mass = 0.0;
    geom.where = dp_mjcf_where(node);
    dp_xml_node *shape;
    DP_TRY(find_shape(&shape, u, node));
    if (!shape) {
        return dp_mjcf_refuse(&u->m, node, NULL, "flat",
                              "found no shape (expected <geometry> with box, sphere, cylinder, "
                              "capsule or mesh)");
    }
    DP_TRY(dp_urdf_origin(&geom.pose, node));
    if (!dp_mjcf_used(shape)) {
        return DP_OK; // refused, and allowed to be left out
    }
    if (is(shape, "mesh")) {
        geom.kind = DP_GEOM_MESH;
        DP_TRY(dp_urdf_read_mesh(&geom.mesh, u, shape));
        if (!geom.mesh) {
            return DP_OK; // left out
        }
        DP_TRY(choose_mesh_contact(&geom, u, link, shape));
    } else {
        DP_TRY(read_shape(&geom, shape));
        if (is_flat(&geom)) {
            return dp_mjcf_refuse(&u->m, shape, NULL, "flat",
                                  "a shape without volume cannot touch anything");
        }
    }
    look_like_visual(&geom, u, link);
    DP_TRY(read_name(&geom, u, node));
    DP_TRY(dp_urdf_read_contact(&geom, u, link->node, node));
    return add(u, link, node, &geom);
}

// Primitive shapes are kept for whoever draws them. They touch nothing.
static dp_status add_visual(dp_urdf *u, const dp_urdf_link *link, const dp_xml_node *node)
{
    dp_geom_spec geom = dp_geom_spec_default();
    geom.mass = 0.0;
    geom.contype = geom.conaffinity = 0;
    geom.group = 1;
    geom.where = dp_mjcf_where(node);
    dp_xml_node *shape;
    DP_TRY(find_shape(&shape, u, node));
    if (!shape) {
        return dp_mjcf_judge(&u->m, node, NULL, DP_IMPORT_VERDICT_IGNORED, "it has no shape");
    }
    const bool mesh = is(shape, "mesh");
    if (!u->keep_visual || (mesh && !u->m.options->visuals) || is(shape, "plane") ||
        (!mesh && !dp_mjcf_used(shape))) {
        return DP_OK;
    }
    DP_TRY(dp_urdf_origin(&geom.pose, node));
    (void)dp_urdf_read_colour(geom.rgba, u, node);
    if (mesh) {
        geom.kind = DP_GEOM_MESH;
        DP_TRY(dp_urdf_read_visual_mesh(&geom.mesh, u, shape));
        return geom.mesh ? add(u, link, node, &geom) : DP_OK;
    }
    DP_TRY(read_shape(&geom, shape));
    return is_flat(&geom) ? DP_OK : add(u, link, node, &geom);
}

dp_status dp_urdf_add_shapes(dp_urdf *u, const dp_urdf_link *link)
{
    for (const dp_xml_node *node = link->node->child; node; node = node->next) {
        if (is(node, "collision")) {
            DP_TRY(add_collision(u, link, node));
        } else if (is(node, "visual")) {
            DP_TRY(add_visual(u, link, node));
        }
    }
    return DP_OK;
}
