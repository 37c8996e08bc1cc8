// The tree of bodies with joints, geoms and sites.
#include "io/mjcf/write/mjcf_write.h"

#include "geom/mass.h"
#include "math/v3.h"

#include <string.h>

static const dp_v3 ORIGIN = {0.0, 0.0, 0.0};

// Items by the body they belong to: those of body b are item[start[b]] … item[start[b + 1] − 1], in
// the order of their numbers.
typedef struct grouped {
    int *start, *item;
} grouped;

static int parent_of(const dp_spec *spec, int i)
{
    return dp_spec_bodies(spec)[i].parent;
}

static int body_of_joint(const dp_spec *spec, int i)
{
    return dp_spec_joints(spec)[i].body;
}

static int body_of_geom(const dp_spec *spec, int i)
{
    return dp_spec_geoms(spec)[i].body;
}

static int body_of_site(const dp_spec *spec, int i)
{
    return dp_spec_sites(spec)[i].body;
}

static dp_status group(grouped *out, dp_mjcf_writer *w, int count,
                       int (*owner)(const dp_spec *spec, int i))
{
    const int nbody = dp_spec_body_count(w->spec);
    int *start;
    DP_TRY(dp_pool_take(&start, &w->scratch, (size_t)nbody + 2, sizeof *start));
    DP_TRY(dp_pool_take(&out->item, &w->scratch, (size_t)count, sizeof *out->item));
    for (int i = 0; i < count; ++i) {
        const int b = owner(w->spec, i);
        if (b >= 0) { // the world has no parent
            ++start[b + 2];
        }
    }
    for (int b = 2; b < nbody + 2; ++b) {
        start[b] += start[b - 1];
    }
    for (int i = 0; i < count; ++i) { // moves start[b + 1] from the first of b behind its last
        const int b = owner(w->spec, i);
        if (b >= 0) {
            out->item[start[b + 1]++] = i;
        }
    }
    out->start = start;
    return DP_OK;
}

typedef struct tree {
    grouped child, joint, geom, site;
} tree;

// ---- joints

// A free joint as it is by default. Anchor and axis mean nothing to it.
static bool is_plain(const dp_joint_spec *joint)
{
    const double number[] = {
        joint->ref,        joint->armature,         joint->damping,          joint->stiffness,
        joint->spring_ref, joint->spring_damper[0], joint->spring_damper[1], joint->friction_loss,
        joint->range[0],   joint->range[1]};
    for (size_t i = 0; i < sizeof number / sizeof number[0]; ++i) {
        if (!dp_mjcf_is_zero(number[i])) {
            return false;
        }
    }
    return joint->kind == DP_JOINT_FREE;
}

static dp_status write_joint(dp_mjcf_writer *w, int i)
{
    const dp_joint_spec *joint = &dp_spec_joints(w->spec)[i].spec;
    DP_TRY(dp_mjcf_check_kind(w, DP_ELEMENT_JOINT, i, "kind", (int)joint->kind, DP_JOINT_SLIDE));
    const char *element = is_plain(joint) ? "freejoint" : "joint";
    dp_xml_begin(&w->xml, element);
    dp_xml_put_text(&w->xml, "name", joint->name);
    if (!is_plain(joint)) {
        if (joint->kind != DP_JOINT_HINGE) {
            dp_xml_put_text(&w->xml, "type", dp_joint_kind_name(joint->kind));
        }
        if (joint->kind != DP_JOINT_FREE) {
            dp_mjcf_put_vector(w, "pos", joint->anchor, ORIGIN);
        }
        if (joint->kind == DP_JOINT_HINGE || joint->kind == DP_JOINT_SLIDE) {
            dp_mjcf_put_vector(w, "axis", joint->axis, (dp_v3){0.0, 0.0, 1.0});
        }
        dp_mjcf_put_number(w, "ref", joint->ref, 0.0);
        dp_mjcf_put_number(w, "armature", joint->armature, 0.0);
        dp_mjcf_put_number(w, "damping", joint->damping, 0.0);
        dp_mjcf_put_number(w, "stiffness", joint->stiffness, 0.0);
        dp_mjcf_put_number(w, "springref", joint->spring_ref, 0.0);
        dp_mjcf_put_numbers(w, "springdamper", joint->spring_damper, (const double[2]){0.0, 0.0},
                            2);
        dp_mjcf_put_number(w, "frictionloss", joint->friction_loss, 0.0);
        dp_mjcf_put_limit(w, "limited", "range", joint->limited && joint->kind != DP_JOINT_FREE,
                          joint->range);
        if (joint->kind != DP_JOINT_FREE) {
            dp_mjcf_put_bearing(
                w, DP_ELEMENT_JOINT, i, (const char *const[]){"solreflimit", "solimplimit"},
                joint->limit_solver_given, joint->limit_solref, joint->limit_solimp, &joint->limit);
        }
    }
    dp_xml_end(&w->xml, element);
    return dp_mjcf_written(w, DP_ELEMENT_JOINT, i);
}

// ---- geoms and sites

static dp_status put_mesh_contact(dp_mjcf_writer *w, int i, const dp_geom_spec *geom)
{
    static const char *const by[] = {"auto", "hull", "triangles"};
    DP_TRY(dp_mjcf_check_kind(w, DP_ELEMENT_GEOM, i, "mesh contact", (int)geom->mesh_contact,
                              DP_MESH_CONTACT_TRIANGLES));
    if (geom->kind == DP_GEOM_MESH && geom->mesh_contact != DP_MESH_CONTACT_AUTO) {
        dp_mjcf_put_namespace(w);
        dp_xml_put_text(&w->xml, "dp:mesh_contact", by[geom->mesh_contact]);
    }
    return DP_OK;
}

static dp_status put_shape(dp_mjcf_writer *w, int i, const dp_geom_spec *geom)
{
    if (geom->kind != DP_GEOM_SPHERE) {
        dp_xml_put_text(&w->xml, "type", dp_geom_kind_name(geom->kind));
    }
    if (geom->kind == DP_GEOM_MESH || geom->kind == DP_GEOM_HFIELD) {
        const char *asset = geom->kind == DP_GEOM_MESH ? geom->mesh : geom->hfield;
        if (!asset || !*asset) {
            return dp_spec_fail(DP_ERROR_ARGUMENT, w->spec, DP_ELEMENT_GEOM, i,
                                "is a %s but names none (expected the name of one)",
                                dp_geom_kind_name(geom->kind));
        }
        if (geom->shell) {
            return dp_mjcf_cannot_say(
                w, DP_ELEMENT_GEOM, i,
                "is a hollow %s, which MJCF says of the mesh itself (expected "
                "a mesh with shell inertia)",
                dp_geom_kind_name(geom->kind));
        }
        dp_xml_put_text(&w->xml, dp_geom_kind_name(geom->kind), asset);
        return put_mesh_contact(w, i, geom);
    }
    const int nsize = geom->kind == DP_GEOM_PLANE ? 3 : dp_shape_size_count(geom->kind);
    dp_xml_put_numbers(&w->xml, "size", geom->size, (size_t)nsize);
    return DP_OK;
}

static void put_belt(dp_mjcf_writer *w, dp_v3 velocity)
{
    double field[6] = {0.0}; // MuJoCo's turns, too
    dp_v3_store(field, velocity);
    if (dp_mjcf_is_zero(field[0]) && dp_mjcf_is_zero(field[1]) && dp_mjcf_is_zero(field[2])) {
        return;
    }
    if (w->model) {
        dp_xml_put_numbers(&w->xml, "surfacevel", field, 6);
    } else {
        dp_mjcf_put_namespace(w);
        dp_xml_put_numbers(&w->xml, "dp:surface_velocity", field, 3);
    }
}

static dp_status put_contact(dp_mjcf_writer *w, int i, const dp_geom_spec *geom,
                             const dp_geom_spec *usual)
{
    const dp_contact_spec *contact = &geom->contact;
    dp_mjcf_put_integer(w, "contype", geom->contype, usual->contype);
    dp_mjcf_put_integer(w, "conaffinity", geom->conaffinity, usual->conaffinity);
    dp_mjcf_put_numbers(w, "friction", geom->friction, usual->friction, 3);
    dp_mjcf_put_integer(w, "condim", contact->condim, usual->contact.condim);
    dp_mjcf_put_integer(w, "priority", contact->priority, usual->contact.priority);
    dp_mjcf_put_number(w, "solmix", dp_mjcf_solmix(w, i), usual->contact.solmix);
    dp_mjcf_put_solver(w, contact->solver_given && !w->model, contact->solref, contact->solimp);
    dp_mjcf_put_number(w, "margin", contact->margin, usual->contact.margin);
    dp_mjcf_put_number(w, "gap", contact->gap, usual->contact.gap);
    put_belt(w, contact->material.surface_velocity);
    if (w->model) {
        dp_mjcf_put_geom_softness(w, i);
        return DP_OK;
    }
    const bool founded = geom->foundation.nx != 0 || geom->foundation.ny != 0;
    return dp_mjcf_put_material(w, DP_ELEMENT_GEOM, i, contact, founded);
}

static dp_status put_foundation(dp_mjcf_writer *w, int i, const dp_foundation_spec *f)
{
    static const char *const face[] = {"-z", "+z", "-y", "+y", "-x", "+x"};
    if (f->nx == 0 && f->ny == 0) {
        return DP_OK;
    }
    if (w->model) {
        dp_mjcf_note_lacking(w, DP_ELEMENT_GEOM, i, "its elastic foundation");
        return DP_OK;
    }
    DP_TRY(dp_mjcf_check_kind(w, DP_ELEMENT_GEOM, i, "face of its foundation", (int)f->face,
                              DP_BOX_FACE_PLUS_X));
    dp_mjcf_put_namespace(w);
    dp_xml_put_numbers(&w->xml, "dp:foundation", (const double[2]){f->nx, f->ny}, 2);
    if (f->face != DP_BOX_FACE_MINUS_Z) {
        dp_xml_put_text(&w->xml, "dp:foundation_face", face[f->face]);
    }
    dp_xml_put_numbers(&w->xml, "dp:youngs_modulus", &f->youngs_modulus, 1);
    dp_xml_put_numbers(&w->xml, "dp:depth", &f->depth, 1);
    dp_mjcf_put_number(w, "dp:damping", f->damping, 0.0);
    return DP_OK;
}

static dp_status write_geom(dp_mjcf_writer *w, int i)
{
    const dp_geom_spec *geom = &dp_spec_geoms(w->spec)[i].spec;
    const dp_geom_spec usual = dp_geom_spec_default();
    DP_TRY(dp_mjcf_check_kind(w, DP_ELEMENT_GEOM, i, "kind", (int)geom->kind, DP_GEOM_HFIELD));
    dp_xml_begin(&w->xml, "geom");
    dp_xml_put_text(&w->xml, "name", geom->name);
    DP_TRY(put_shape(w, i, geom));
    dp_mjcf_put_pose(w, geom->pose);
    if (!(geom->mass < 0.0)) {
        dp_xml_put_numbers(&w->xml, "mass", &geom->mass, 1);
    }
    dp_mjcf_put_number(w, "density", geom->density, usual.density);
    if (geom->shell) {
        dp_mjcf_put_switch(w, "shellinertia", true);
    }
    dp_mjcf_put_integer(w, "group", geom->group, usual.group);
    DP_TRY(put_contact(w, i, geom, &usual));
    if (memcmp(geom->rgba, usual.rgba, sizeof usual.rgba) != 0) {
        dp_xml_put_floats(&w->xml, "rgba", geom->rgba, 4);
    }
    DP_TRY(put_foundation(w, i, &geom->foundation));
    if (geom->fluid_ellipsoid) {
        dp_xml_put_text(&w->xml, "fluidshape", "ellipsoid");
    }
    dp_mjcf_put_numbers(w, "fluidcoef", geom->fluid_coefficient, usual.fluid_coefficient, 5);
    dp_xml_end(&w->xml, "geom");
    return dp_mjcf_written(w, DP_ELEMENT_GEOM, i);
}

static dp_status put_volume(dp_mjcf_writer *w, int i, const dp_site_spec *site,
                            const dp_site_spec *usual)
{
    const int count = dp_shape_size_count(site->kind);
    if (site->kind == DP_GEOM_PLANE || count == 0) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, w->spec, DP_ELEMENT_SITE, i,
                            "is a %s (expected sphere, capsule, ellipsoid, cylinder or box)",
                            dp_geom_kind_name(site->kind));
    }
    for (int k = 0; k < count; ++k) {
        if (!(site->size[k] > 0.0)) {
            return DP_OK; // no volume: in MJCF every site has one, and nothing can feel with it
        }
    }
    if (site->kind != DP_GEOM_SPHERE) {
        dp_xml_put_text(&w->xml, "type", dp_geom_kind_name(site->kind));
    }
    dp_mjcf_put_numbers(w, "size", site->size, usual->size, (size_t)count);
    return DP_OK;
}

static dp_status write_site(dp_mjcf_writer *w, int i)
{
    const dp_site_spec *site = &dp_spec_sites(w->spec)[i].spec;
    const dp_site_spec usual = dp_site_spec_default();
    DP_TRY(dp_mjcf_check_kind(w, DP_ELEMENT_SITE, i, "kind", (int)site->kind, DP_GEOM_HFIELD));
    dp_xml_begin(&w->xml, "site");
    dp_xml_put_text(&w->xml, "name", site->name);
    DP_TRY(put_volume(w, i, site, &usual));
    dp_mjcf_put_pose(w, site->pose);
    dp_mjcf_put_integer(w, "group", site->group, 0);
    dp_xml_end(&w->xml, "site");
    return dp_mjcf_written(w, DP_ELEMENT_SITE, i);
}

// ---- bodies

static void write_inertial(dp_mjcf_writer *w, const dp_inertial *inertial)
{
    double p[3], moments[3];
    dp_v3_store(p, inertial->frame.p);
    dp_v3_store(moments, inertial->moments);
    dp_xml_begin(&w->xml, "inertial");
    dp_xml_put_numbers(&w->xml, "pos", p, 3); // a reader asks for it
    dp_mjcf_put_pose(w, (dp_pose){inertial->frame.q, ORIGIN});
    dp_xml_put_numbers(&w->xml, "mass", &inertial->mass, 1);
    dp_xml_put_numbers(&w->xml, "diaginertia", moments, 3);
    dp_xml_end(&w->xml, "inertial");
}

static dp_status begin_body(dp_mjcf_writer *w, int b)
{
    const dp_body_spec *body = &dp_spec_bodies(w->spec)[b].spec;
    DP_TRY(dp_mjcf_check_kind(w, DP_ELEMENT_BODY, b, "inertia source", (int)body->inertia_source,
                              DP_INERTIA_SOURCE_GIVEN));
    dp_xml_begin(&w->xml, "body");
    dp_xml_put_text(&w->xml, "name", body->name);
    dp_mjcf_put_pose(w, body->pose);
    if (body->mocap) {
        dp_mjcf_put_switch(w, "mocap", true);
    }
    dp_mjcf_put_number(w, "gravcomp", body->gravity_compensation, 0.0);
    if (body->inertia_source == DP_INERTIA_SOURCE_GIVEN) {
        write_inertial(w, &body->inertial);
    }
    return dp_mjcf_written(w, DP_ELEMENT_BODY, b);
}

static dp_status begin_world(dp_mjcf_writer *w, const tree *t)
{
    const dp_body_spec *world = &dp_spec_bodies(w->spec)[0].spec;
    const dp_pose pose = world->pose;
    if (!world->name || strcmp(world->name, "world") != 0) {
        return dp_fail(DP_ERROR_UNSUPPORTED,
                       "the world is called '%s' (MJCF has no other name for it than \"world\")",
                       world->name ? world->name : "");
    }
    if (pose.p.x != 0.0 || pose.p.y != 0.0 || pose.p.z != 0.0 || pose.q.x != 0.0 ||
        pose.q.y != 0.0 || pose.q.z != 0.0 || world->mocap) {
        return dp_fail(DP_ERROR_ARGUMENT, "the world has been moved (expected it at the origin)");
    }
    if (t->joint.start[1] > 0) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, w->spec, DP_ELEMENT_JOINT, t->joint.item[0],
                            "is on the world, which does not move (expected a joint of a body)");
    }
    dp_xml_begin(&w->xml, "worldbody");
    return DP_OK;
}

static dp_status write_content(dp_mjcf_writer *w, const tree *t, int b)
{
    for (int k = t->joint.start[b]; k < t->joint.start[b + 1]; ++k) {
        DP_TRY(write_joint(w, t->joint.item[k]));
    }
    for (int k = t->geom.start[b]; k < t->geom.start[b + 1]; ++k) {
        DP_TRY(write_geom(w, t->geom.item[k]));
    }
    for (int k = t->site.start[b]; k < t->site.start[b + 1]; ++k) {
        DP_TRY(write_site(w, t->site.item[k]));
    }
    return DP_OK;
}

// Depth first by a cursor into the children of each body: a chain may be as long as memory allows.
dp_status dp_mjcf_write_bodies(dp_mjcf_writer *w)
{
    const dp_spec *spec = w->spec;
    tree t;
    DP_TRY(group(&t.child, w, dp_spec_body_count(spec), parent_of));
    DP_TRY(group(&t.joint, w, dp_spec_joint_count(spec), body_of_joint));
    DP_TRY(group(&t.geom, w, dp_spec_geom_count(spec), body_of_geom));
    DP_TRY(group(&t.site, w, dp_spec_site_count(spec), body_of_site));
    int *cursor;
    DP_TRY(dp_pool_take(&cursor, &w->scratch, (size_t)dp_spec_body_count(spec), sizeof *cursor));

    DP_TRY(begin_world(w, &t));
    DP_TRY(write_content(w, &t, 0));
    int b = 0;
    for (;;) {
        const int next = t.child.start[b] + cursor[b]++;
        if (next < t.child.start[b + 1]) {
            b = t.child.item[next];
            DP_TRY(begin_body(w, b));
            DP_TRY(write_content(w, &t, b));
        } else if (b > 0) {
            dp_xml_end(&w->xml, "body");
            b = parent_of(spec, b);
        } else {
            break;
        }
    }
    dp_xml_end(&w->xml, "worldbody");
    return w->xml.status;
}
