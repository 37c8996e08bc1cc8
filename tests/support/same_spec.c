#include "same_spec.h"

#include "geom/mass.h"
#include "model/spec/spec.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// What is being compared, for messages.
typedef struct place {
    const dp_spec *a, *b;
    dp_element_kind kind;
    int index;
} place;

static void differ(const place *at, const char *field, const char *a, const char *b)
{
    fail_msg("%s: %s is '%s' in one and '%s' in the other",
             at->index < 0 ? "options" : dp_spec_label(at->a, at->kind, at->index).text, field, a,
             b);
}

static void same_numbers(const place *at, const char *field, const double *a, const double *b,
                         int count)
{
    for (int k = 0; k < count; ++k) {
        if (memcmp(&a[k], &b[k], sizeof a[k]) != 0) {
            char left[40], right[40];
            snprintf(left, sizeof left, "%.17g", a[k]);
            snprintf(right, sizeof right, "%.17g", b[k]);
            differ(at, field, left, right);
        }
    }
}

static void same_number(const place *at, const char *field, double a, double b)
{
    same_numbers(at, field, &a, &b, 1);
}

static void same_integer(const place *at, const char *field, int a, int b)
{
    if (a != b) {
        char left[16], right[16];
        snprintf(left, sizeof left, "%d", a);
        snprintf(right, sizeof right, "%d", b);
        differ(at, field, left, right);
    }
}

// No name and an empty one are the same.
static void same_text(const place *at, const char *field, const char *a, const char *b)
{
    a = a ? a : "";
    b = b ? b : "";
    if (strcmp(a, b) != 0) {
        differ(at, field, a, b);
    }
}

static void same_vector(const place *at, const char *field, dp_v3 a, dp_v3 b)
{
    same_numbers(at, field, (double[]){a.x, a.y, a.z}, (double[]){b.x, b.y, b.z}, 3);
}

static void same_pose(const place *at, const char *field, dp_pose a, dp_pose b)
{
    same_vector(at, field, a.p, b.p);
    same_numbers(at, field, (double[]){a.q.w, a.q.x, a.q.y, a.q.z},
                 (double[]){b.q.w, b.q.x, b.q.y, b.q.z}, 4);
}

static void same_list(const place *at, const char *field, const double *a, int na, const double *b,
                      int nb)
{
    same_integer(at, field, a ? na : 0, b ? nb : 0);
    same_numbers(at, field, a, b, a ? na : 0);
}

// How a limit or an equality gives: only the numbers that count.
static void same_bearing(const place *at, bool a_solver, bool b_solver, const dp_bearing *a,
                         const dp_bearing *b)
{
    same_integer(at, "solver given", a_solver, b_solver);
    if (!a_solver) {
        same_number(at, "dp:stiffness", a->stiffness, b->stiffness);
    }
    if (!a_solver && !isinf(a->stiffness)) {
        same_number(at, "dp:damping", a->damping, b->damping);
    }
}

static void same_options(const dp_options *a, const dp_options *b)
{
    const place at = {.index = -1};
    same_number(&at, "step", a->step, b->step);
    same_vector(&at, "gravity", a->gravity, b->gravity);
    same_vector(&at, "magnetic", a->magnetic, b->magnetic);
    same_integer(&at, "integrator", (int)a->integrator, (int)b->integrator);
    same_number(&at, "relative_tolerance", a->relative_tolerance, b->relative_tolerance);
    same_number(&at, "absolute_tolerance", a->absolute_tolerance, b->absolute_tolerance);
    same_integer(&at, "max_substeps", a->max_substeps, b->max_substeps);
    same_number(&at, "large_rotation", a->large_rotation, b->large_rotation);
    same_integer(&at, "law", (int)a->solver.law, (int)b->solver.law);
    for (int i = 0; i < dp_law_options_name_count(); ++i) {
        char one[64], two[64];
        dp_law_options_text(one, sizeof one, &a->solver, i);
        dp_law_options_text(two, sizeof two, &b->solver, i);
        assert_string_equal(one, two);
    }
    same_number(&at, "gap_tolerance", a->gap_tolerance, b->gap_tolerance);
    same_number(&at, "correction_speed", a->correction_speed, b->correction_speed);
    same_integer(&at, "max_passes", a->max_passes, b->max_passes);
    same_integer(&at, "patch_points", a->patch_points, b->patch_points);
    same_integer(&at, "max_halvings", a->max_halvings, b->max_halvings);
    same_number(&at, "accuracy", a->accuracy, b->accuracy);
    same_number(&at, "contact_stiffness_scale", a->contact_stiffness_scale,
                b->contact_stiffness_scale);
    same_number(&at, "contact_friction_scale", a->contact_friction_scale,
                b->contact_friction_scale);
    same_number(&at, "sleep_speed", a->sleep_speed, b->sleep_speed);
    same_number(&at, "sleep_time", a->sleep_time, b->sleep_time);
    same_integer(&at, "ledger", a->ledger, b->ledger);
    same_integer(&at, "disable_gravity", a->disable_gravity, b->disable_gravity);
    same_integer(&at, "disable_contact", a->disable_contact, b->disable_contact);
    same_integer(&at, "disable_limits", a->disable_limits, b->disable_limits);
    same_integer(&at, "disable_equality", a->disable_equality, b->disable_equality);
    same_integer(&at, "disable_springs", a->disable_springs, b->disable_springs);
    same_integer(&at, "disable_dampers", a->disable_dampers, b->disable_dampers);
    same_integer(&at, "disable_actuation", a->disable_actuation, b->disable_actuation);
    same_integer(&at, "disable_clamp_control", a->disable_clamp_control, b->disable_clamp_control);
}

static void same_body(const place *at)
{
    const dp_body_entry *a = &dp_spec_bodies(at->a)[at->index];
    const dp_body_entry *b = &dp_spec_bodies(at->b)[at->index];
    const dp_inertial *I = &a->spec.inertial, *J = &b->spec.inertial;
    same_text(at, "name", a->spec.name, b->spec.name);
    same_integer(at, "parent", a->parent, b->parent);
    same_pose(at, "pose", a->spec.pose, b->spec.pose);
    same_number(at, "gravcomp", a->spec.gravity_compensation, b->spec.gravity_compensation);
    same_integer(at, "mocap", a->spec.mocap, b->spec.mocap);
    same_integer(at, "inertia source", (int)a->spec.inertia_source, (int)b->spec.inertia_source);
    if (a->spec.inertia_source == DP_INERTIA_SOURCE_GIVEN) {
        same_number(at, "mass", I->mass, J->mass);
        same_pose(at, "inertial frame", I->frame, J->frame);
        same_vector(at, "moments", I->moments, J->moments);
    }
}

static void same_joint(const place *at)
{
    const dp_joint_spec *a = &dp_spec_joints(at->a)[at->index].spec;
    const dp_joint_spec *b = &dp_spec_joints(at->b)[at->index].spec;
    same_text(at, "name", a->name, b->name);
    same_integer(at, "body", dp_spec_joints(at->a)[at->index].body,
                 dp_spec_joints(at->b)[at->index].body);
    same_integer(at, "kind", (int)a->kind, (int)b->kind);
    if (a->kind != DP_JOINT_FREE) {
        same_vector(at, "pos", a->anchor, b->anchor);
        same_integer(at, "limited", a->limited, b->limited);
        same_bearing(at, a->limit_solver_given, b->limit_solver_given, &a->limit, &b->limit);
        if (a->limit_solver_given) {
            same_numbers(at, "solreflimit", a->limit_solref, b->limit_solref, 2);
            same_numbers(at, "solimplimit", a->limit_solimp, b->limit_solimp, 5);
        }
    }
    if (a->kind == DP_JOINT_HINGE || a->kind == DP_JOINT_SLIDE) {
        same_vector(at, "axis", a->axis, b->axis);
    }
    same_number(at, "ref", a->ref, b->ref);
    same_number(at, "armature", a->armature, b->armature);
    same_number(at, "damping", a->damping, b->damping);
    same_number(at, "stiffness", a->stiffness, b->stiffness);
    same_number(at, "springref", a->spring_ref, b->spring_ref);
    same_numbers(at, "springdamper", a->spring_damper, b->spring_damper, 2);
    same_number(at, "frictionloss", a->friction_loss, b->friction_loss);
    same_numbers(at, "range", a->range, b->range, 2);
}

static void same_solver(const place *at, bool a_given, const double a_solref[2],
                        const double a_solimp[5], bool b_given, const double b_solref[2],
                        const double b_solimp[5])
{
    same_integer(at, "solver given", a_given, b_given);
    if (a_given) {
        same_numbers(at, "solref", a_solref, b_solref, 2);
        same_numbers(at, "solimp", a_solimp, b_solimp, 5);
    }
}

static void same_material(const place *at, const dp_material *a, const dp_material *b)
{
    same_number(at, "stiffness", a->stiffness, b->stiffness);
    same_number(at, "damping", a->damping, b->damping);
    same_number(at, "youngs_modulus", a->youngs_modulus, b->youngs_modulus);
    same_number(at, "poisson", a->poisson, b->poisson);
    same_number(at, "dissipation", a->dissipation, b->dissipation);
    same_number(at, "restitution", a->restitution, b->restitution);
    same_number(at, "tangential_stiffness", a->tangential_stiffness, b->tangential_stiffness);
    same_vector(at, "surface_velocity", a->surface_velocity, b->surface_velocity);
}

// What geoms and pairs both have.
static void same_contact(const place *at, const dp_contact_spec *a, const dp_contact_spec *b)
{
    same_integer(at, "condim", a->condim, b->condim);
    same_solver(at, a->solver_given, a->solref, a->solimp, b->solver_given, b->solref, b->solimp);
    same_number(at, "margin", a->margin, b->margin);
    same_number(at, "gap", a->gap, b->gap);
    same_integer(at, "material_given", a->material_given, b->material_given);
    same_material(at, &a->material, &b->material);
}

static void same_geom(const place *at)
{
    const dp_geom_spec *a = &dp_spec_geoms(at->a)[at->index].spec;
    const dp_geom_spec *b = &dp_spec_geoms(at->b)[at->index].spec;
    same_text(at, "name", a->name, b->name);
    same_integer(at, "body", dp_spec_geoms(at->a)[at->index].body,
                 dp_spec_geoms(at->b)[at->index].body);
    same_integer(at, "kind", (int)a->kind, (int)b->kind);
    same_numbers(at, "size", a->size, b->size,
                 a->kind == DP_GEOM_PLANE ? 3 : dp_shape_size_count(a->kind));
    same_pose(at, "pose", a->pose, b->pose);
    if (!(a->mass < 0.0 && b->mass < 0.0)) {
        same_number(at, "mass", a->mass, b->mass);
    }
    same_number(at, "density", a->density, b->density);
    same_integer(at, "contype", a->contype, b->contype);
    same_integer(at, "conaffinity", a->conaffinity, b->conaffinity);
    same_integer(at, "group", a->group, b->group);
    same_numbers(at, "friction", a->friction, b->friction, 3);
    for (int k = 0; k < 4; ++k) {
        same_number(at, "rgba", (double)a->rgba[k], (double)b->rgba[k]);
    }
    if (a->kind == DP_GEOM_MESH) {
        same_text(at, "mesh", a->mesh, b->mesh);
    }
    if (a->kind == DP_GEOM_HFIELD) {
        same_text(at, "hfield", a->hfield, b->hfield);
    }
    same_integer(at, "shell", a->shell, b->shell);
    same_integer(at, "fluid_ellipsoid", a->fluid_ellipsoid, b->fluid_ellipsoid);
    same_numbers(at, "fluid_coefficient", a->fluid_coefficient, b->fluid_coefficient, 5);
    same_contact(at, &a->contact, &b->contact);
    same_integer(at, "priority", a->contact.priority, b->contact.priority);
    same_number(at, "solmix", a->contact.solmix, b->contact.solmix);
    same_integer(at, "nx", a->foundation.nx, b->foundation.nx);
    same_integer(at, "ny", a->foundation.ny, b->foundation.ny);
    if (a->foundation.nx > 0) {
        same_integer(at, "face", (int)a->foundation.face, (int)b->foundation.face);
        same_number(at, "youngs_modulus", a->foundation.youngs_modulus,
                    b->foundation.youngs_modulus);
        same_number(at, "depth", a->foundation.depth, b->foundation.depth);
        same_number(at, "damping", a->foundation.damping, b->foundation.damping);
    }
}

static void same_site(const place *at)
{
    const dp_site_spec *a = &dp_spec_sites(at->a)[at->index].spec;
    const dp_site_spec *b = &dp_spec_sites(at->b)[at->index].spec;
    same_text(at, "name", a->name, b->name);
    same_integer(at, "body", dp_spec_sites(at->a)[at->index].body,
                 dp_spec_sites(at->b)[at->index].body);
    same_integer(at, "type", (int)a->kind, (int)b->kind);
    same_numbers(at, "size", a->size, b->size, dp_shape_size_count(a->kind));
    same_pose(at, "pose", a->pose, b->pose);
    same_integer(at, "group", a->group, b->group);
}

static void same_actuator(const place *at)
{
    const dp_actuator_spec *a = &dp_spec_actuators(at->a)[at->index];
    const dp_actuator_spec *b = &dp_spec_actuators(at->b)[at->index];
    same_text(at, "name", a->name, b->name);
    same_integer(at, "transmission", (int)a->transmission, (int)b->transmission);
    same_text(at, "joint", a->joint, b->joint);
    same_text(at, "tendon", a->tendon, b->tendon);
    same_text(at, "site", a->site, b->site);
    same_text(at, "refsite", a->reference_site, b->reference_site);
    same_text(at, "body", a->body, b->body);
    same_integer(at, "in parent", a->in_parent, b->in_parent);
    same_numbers(at, "gear", a->gear, b->gear, 6);
    same_integer(at, "dynamics", (int)a->dynamics, (int)b->dynamics);
    same_number(at, "time constant", a->time_constant, b->time_constant);
    same_numbers(at, "gain", a->gain, b->gain, a->muscle_gain ? 0 : 3);
    same_numbers(at, "bias", a->bias, b->bias, a->muscle_bias ? 0 : a->damping_ratio > 0.0 ? 2 : 3);
    same_number(at, "damping ratio", a->damping_ratio, b->damping_ratio);
    same_integer(at, "ctrllimited", a->control_limited, b->control_limited);
    same_integer(at, "forcelimited", a->force_limited, b->force_limited);
    same_integer(at, "actlimited", a->activation_limited, b->activation_limited);
    same_numbers(at, "ctrlrange", a->control_range, b->control_range, 2);
    same_numbers(at, "forcerange", a->force_range, b->force_range, 2);
    same_numbers(at, "actrange", a->activation_range, b->activation_range, 2);
    if (a->dynamics == DP_ACTUATOR_DYNAMICS_MUSCLE) {
        same_number(at, "relaxation time", a->relaxation_time, b->relaxation_time);
        same_number(at, "smoothing", a->smoothing, b->smoothing);
    }
    same_integer(at, "muscle gain", a->muscle_gain, b->muscle_gain);
    same_integer(at, "muscle bias", a->muscle_bias, b->muscle_bias);
    if (a->muscle_gain) {
        same_numbers(at, "gain muscle", (const double *)&a->gain_muscle,
                     (const double *)&b->gain_muscle, 9);
    }
    if (a->muscle_bias) {
        same_numbers(at, "bias muscle", (const double *)&a->bias_muscle,
                     (const double *)&b->bias_muscle, 9);
    }
    same_numbers(at, "lengthrange", a->length_range, b->length_range, 2);
}

static void same_sensor(const place *at)
{
    const dp_sensor_spec *a = &dp_spec_sensors(at->a)[at->index];
    const dp_sensor_spec *b = &dp_spec_sensors(at->b)[at->index];
    same_text(at, "name", a->name, b->name);
    same_integer(at, "kind", (int)a->kind, (int)b->kind);
    if (dp_sensor_object_kind(a->kind) == DP_OBJECT_INERTIAL) { // else the kind says it
        same_integer(at, "object kind", (int)a->object_kind, (int)b->object_kind);
    }
    same_text(at, "object", a->object, b->object);
    same_integer(at, "reference kind", (int)a->reference_kind, (int)b->reference_kind);
    same_text(at, "reference", a->reference, b->reference);
    same_number(at, "cutoff", a->cutoff, b->cutoff);
    same_integer(at, "data", (int)a->data, (int)b->data);
    same_integer(at, "count", a->count, b->count);
    same_integer(at, "reduction", (int)a->reduction, (int)b->reduction);
}

static void same_mesh(const place *at)
{
    const dp_mesh_spec *a = &dp_spec_meshes(at->a)[at->index];
    const dp_mesh_spec *b = &dp_spec_meshes(at->b)[at->index];
    same_text(at, "name", a->name, b->name);
    same_integer(at, "inertia", (int)a->inertia, (int)b->inertia);
    same_list(at, "vertex", a->vertex, 3 * a->nvertex, b->vertex, 3 * b->nvertex);
    same_integer(at, "faces", a->face ? a->nface : 0, b->face ? b->nface : 0);
    for (int k = 0; a->face && k < 3 * a->nface; ++k) {
        same_integer(at, "face", a->face[k], b->face[k]);
    }
}

static void same_hfield(const place *at)
{
    const dp_hfield_spec *a = &dp_spec_hfields(at->a)[at->index];
    const dp_hfield_spec *b = &dp_spec_hfields(at->b)[at->index];
    same_text(at, "name", a->name, b->name);
    same_integer(at, "nrow", a->nrow, b->nrow);
    same_integer(at, "ncol", a->ncol, b->ncol);
    same_numbers(at, "size", a->size, b->size, 4);
    same_list(at, "elevation", a->elevation, a->nrow * a->ncol, b->elevation, b->nrow * b->ncol);
}

static void same_pair(const place *at)
{
    const dp_pair_spec *a = &dp_spec_pairs(at->a)[at->index];
    const dp_pair_spec *b = &dp_spec_pairs(at->b)[at->index];
    same_text(at, "name", a->name, b->name);
    same_text(at, "geom1", a->geom[0], b->geom[0]);
    same_text(at, "geom2", a->geom[1], b->geom[1]);
    same_numbers(at, "friction", a->friction, b->friction, 5);
    same_integer(at, "contact given", a->contact_given, b->contact_given);
    same_contact(at, &a->contact, &b->contact);
}

static void same_exclude(const place *at)
{
    const dp_exclude_spec *a = &dp_spec_excludes(at->a)[at->index];
    const dp_exclude_spec *b = &dp_spec_excludes(at->b)[at->index];
    same_text(at, "name", a->name, b->name);
    same_text(at, "body1", a->body[0], b->body[0]);
    same_text(at, "body2", a->body[1], b->body[1]);
}

static void same_tendon(const place *at)
{
    const dp_tendon_spec *a = &dp_spec_tendons(at->a)[at->index];
    const dp_tendon_spec *b = &dp_spec_tendons(at->b)[at->index];
    same_text(at, "name", a->name, b->name);
    same_integer(at, "spatial", a->spatial, b->spatial);
    same_integer(at, "limited", a->limited, b->limited);
    same_numbers(at, "range", a->range, b->range, 2);
    same_number(at, "stiffness", a->stiffness, b->stiffness);
    same_number(at, "damping", a->damping, b->damping);
    same_numbers(at, "springlength", a->spring_range, b->spring_range, 2);
    same_number(at, "frictionloss", a->friction_loss, b->friction_loss);
    same_number(at, "armature", a->armature, b->armature);
    same_bearing(at, a->limit_solver_given, b->limit_solver_given, &a->limit, &b->limit);
    if (a->limit_solver_given) {
        same_numbers(at, "solreflimit", a->limit_solref, b->limit_solref, 2);
        same_numbers(at, "solimplimit", a->limit_solimp, b->limit_solimp, 5);
    }
    same_number(at, "margin", a->margin, b->margin);
    same_integer(at, "stations", a->nwrap, b->nwrap);
    for (int k = 0; k < a->nwrap; ++k) {
        const dp_wrap_spec *x = &a->wrap[k], *y = &b->wrap[k];
        same_integer(at, "station kind", (int)x->kind, (int)y->kind);
        if (x->kind != DP_WRAP_PULLEY) {
            same_text(at, "station", x->object, y->object);
        }
        same_text(at, "sidesite", x->side, y->side);
        if (x->kind == DP_WRAP_JOINT || x->kind == DP_WRAP_PULLEY) {
            same_number(at, "coefficient", x->coefficient, y->coefficient);
        }
    }
}

static void same_equality(const place *at)
{
    const dp_equality_spec *a = &dp_spec_equalities(at->a)[at->index];
    const dp_equality_spec *b = &dp_spec_equalities(at->b)[at->index];
    same_text(at, "name", a->name, b->name);
    same_integer(at, "kind", (int)a->kind, (int)b->kind);
    same_text(at, "first", a->object[0], b->object[0]);
    same_text(at, "second", a->object[1], b->object[1]);
    if (a->kind == DP_EQUALITY_JOINT || a->kind == DP_EQUALITY_TENDON) {
        same_numbers(at, "polycoef", a->polynomial, b->polynomial, 5);
    } else {
        same_integer(at, "object kind", (int)a->object_kind, (int)b->object_kind);
        same_vector(at, "anchor", a->anchor, b->anchor);
    }
    if (a->kind == DP_EQUALITY_DISTANCE) {
        same_vector(at, "second anchor", a->second_anchor, b->second_anchor);
        same_number(at, "distance", a->distance, b->distance);
    }
    if (a->kind == DP_EQUALITY_PLANE) {
        same_integer(at, "frame given", a->relative_given, b->relative_given);
        if (a->relative_given) {
            same_pose(at, "frame", a->relative, b->relative);
        }
    }
    if (a->kind == DP_EQUALITY_WELD) {
        same_number(at, "torquescale", a->torque_scale, b->torque_scale);
        same_integer(at, "relpose given", a->relative_given, b->relative_given);
        if (a->relative_given) {
            same_pose(at, "relpose", a->relative, b->relative);
        }
    }
    same_integer(at, "active", a->active, b->active);
    same_solver(at, a->solver_given, a->solref, a->solimp, b->solver_given, b->solref, b->solimp);
    same_bearing(at, a->solver_given, b->solver_given, &a->bearing, &b->bearing);
}

static void same_force(const place *at)
{
    const dp_force_spec *a = &dp_spec_forces(at->a)[at->index];
    const dp_force_spec *b = &dp_spec_forces(at->b)[at->index];
    same_text(at, "name", a->name, b->name);
    same_text(at, "body", a->body, b->body);
    same_text(at, "site", a->site, b->site);
    same_text(at, "joint", a->joint, b->joint);
    same_vector(at, "pos", a->point, b->point);
    same_integer(at, "frame", a->local, b->local);
    for (int k = 0; k < 3; ++k) {
        same_text(at, "force", a->force[k], b->force[k]);
        same_text(at, "torque", a->torque[k], b->torque[k]);
    }
}

static void same_motion(const place *at)
{
    const dp_motion_spec *a = &dp_spec_motions(at->a)[at->index];
    const dp_motion_spec *b = &dp_spec_motions(at->b)[at->index];
    same_text(at, "name", a->name, b->name);
    same_text(at, "joint", a->joint, b->joint);
    same_text(at, "body", a->body, b->body);
    for (int k = 0; k < 3; ++k) {
        same_text(at, "position", a->position[k], b->position[k]);
        same_text(at, "rotation", a->rotation[k], b->rotation[k]);
    }
    same_number(at, "stiffness", a->bearing.stiffness, b->bearing.stiffness);
    same_number(at, "damping", a->bearing.damping, b->bearing.damping);
}

static void same_key(const place *at)
{
    const dp_key_spec *a = &dp_spec_keys(at->a)[at->index];
    const dp_key_spec *b = &dp_spec_keys(at->b)[at->index];
    same_text(at, "name", a->name, b->name);
    same_number(at, "time", a->time, b->time);
    same_list(at, "qpos", a->q, a->nq, b->q, b->nq);
    same_list(at, "qvel", a->v, a->nv, b->v, b->nv);
    same_list(at, "act", a->activation, a->na, b->activation, b->na);
    same_list(at, "ctrl", a->control, a->nu, b->control, b->nu);
    same_list(at, "mpos", a->mocap_position, a->nmocap_position, b->mocap_position,
              b->nmocap_position);
    same_list(at, "mquat", a->mocap_quaternion, a->nmocap_quaternion, b->mocap_quaternion,
              b->nmocap_quaternion);
}

void assert_same_elements(const dp_spec *a, const dp_spec *b, dp_element_kind kind)
{
    static void (*const same[DP_ELEMENT_KINDS])(const place *at) = {
        [DP_ELEMENT_BODY] = same_body,         [DP_ELEMENT_JOINT] = same_joint,
        [DP_ELEMENT_GEOM] = same_geom,         [DP_ELEMENT_SITE] = same_site,
        [DP_ELEMENT_ACTUATOR] = same_actuator, [DP_ELEMENT_SENSOR] = same_sensor,
        [DP_ELEMENT_MESH] = same_mesh,         [DP_ELEMENT_HFIELD] = same_hfield,
        [DP_ELEMENT_PAIR] = same_pair,         [DP_ELEMENT_EXCLUDE] = same_exclude,
        [DP_ELEMENT_TENDON] = same_tendon,     [DP_ELEMENT_EQUALITY] = same_equality,
        [DP_ELEMENT_KEY] = same_key,           [DP_ELEMENT_FORCE] = same_force,
        [DP_ELEMENT_MOTION] = same_motion,
    };
    if (a->list[kind].count != b->list[kind].count) {
        fail_msg("%d elements of kind %s in one and %d in the other", a->list[kind].count,
                 dp_element_kind_name(kind), b->list[kind].count);
    }
    for (int i = 0; i < a->list[kind].count; ++i) {
        same[kind](&(place){a, b, kind, i});
    }
}

void assert_same_spec(const dp_spec *a, const dp_spec *b)
{
    assert_string_equal(dp_spec_title(a), dp_spec_title(b));
    same_options(&a->options, &b->options);
    for (int kind = 0; kind < DP_ELEMENT_KINDS; ++kind) {
        assert_same_elements(a, b, (dp_element_kind)kind);
    }
}
