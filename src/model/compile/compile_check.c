// Numbers that no mechanism has. Every double of every element must be finite; then each kind has
// its own rules. What depends on several elements is checked where they meet.
#include "geom/mass.h"
#include "model/check.h"
#include "model/compile/compile.h"

#include <string.h>

static const dp_field body_field[] = {
    DP_FIELD(dp_body_spec, pose.p, "position"),
    DP_FIELD(dp_body_spec, pose.q, "quaternion"),
    DP_FIELD(dp_body_spec, inertial.mass, "mass"),
    DP_FIELD(dp_body_spec, inertial.frame.p, "centre of mass"),
    DP_FIELD(dp_body_spec, inertial.frame.q, "quaternion of its inertia"),
    DP_FIELD(dp_body_spec, inertial.moments, "moments of inertia"),
    DP_FIELD(dp_body_spec, gravity_compensation, "gravity compensation"),
};
static const dp_field joint_field[] = {
    DP_FIELD(dp_joint_spec, anchor, "position"),
    DP_FIELD(dp_joint_spec, axis, "axis"),
    DP_FIELD(dp_joint_spec, ref, "ref"),
    DP_FIELD(dp_joint_spec, armature, "armature"),
    DP_FIELD(dp_joint_spec, damping, "damping"),
    DP_FIELD(dp_joint_spec, stiffness, "stiffness"),
    DP_FIELD(dp_joint_spec, spring_ref, "spring reference"),
    DP_FIELD(dp_joint_spec, spring_damper, "springdamper"),
    DP_FIELD(dp_joint_spec, friction_loss, "frictionloss"),
    DP_FIELD(dp_joint_spec, range, "range"),
    DP_FIELD(dp_joint_spec, limit_solref, "solref of its limit"),
    DP_FIELD(dp_joint_spec, limit_solimp, "solimp of its limit"),
};
static const dp_field geom_field[] = {
    DP_FIELD(dp_geom_spec, size, "size"),
    DP_FIELD(dp_geom_spec, pose.p, "position"),
    DP_FIELD(dp_geom_spec, pose.q, "quaternion"),
    DP_FIELD(dp_geom_spec, mass, "mass"),
    DP_FIELD(dp_geom_spec, density, "density"),
    DP_FIELD(dp_geom_spec, friction, "friction"),
    DP_FIELD(dp_geom_spec, contact.solmix, "solmix"),
    DP_FIELD(dp_geom_spec, contact.solref, "solref"),
    DP_FIELD(dp_geom_spec, contact.solimp, "solimp"),
    DP_FIELD(dp_geom_spec, contact.margin, "margin"),
    DP_FIELD(dp_geom_spec, contact.gap, "gap"),
    DP_FIELD(dp_geom_spec, fluid_coefficient, "fluid coefficients"),
};
static const dp_field site_field[] = {
    DP_FIELD(dp_site_spec, size, "size"),
    DP_FIELD(dp_site_spec, pose.p, "position"),
    DP_FIELD(dp_site_spec, pose.q, "quaternion"),
};
static const dp_field actuator_field[] = {
    DP_FIELD(dp_actuator_spec, gear, "gear"),
    DP_FIELD(dp_actuator_spec, time_constant, "time constant"),
    DP_FIELD(dp_actuator_spec, relaxation_time, "relaxation time"),
    DP_FIELD(dp_actuator_spec, smoothing, "smoothing"),
    DP_FIELD(dp_actuator_spec, gain_muscle, "muscle"),
    DP_FIELD(dp_actuator_spec, bias_muscle, "muscle"),
    DP_FIELD(dp_actuator_spec, length_range, "length range"),
    DP_FIELD(dp_actuator_spec, gain, "gain"),
    DP_FIELD(dp_actuator_spec, bias, "bias"),
    DP_FIELD(dp_actuator_spec, damping_ratio, "damping ratio"),
    DP_FIELD(dp_actuator_spec, control_range, "control range"),
    DP_FIELD(dp_actuator_spec, force_range, "force range"),
    DP_FIELD(dp_actuator_spec, activation_range, "activation range"),
};
static const dp_field sensor_field[] = {DP_FIELD(dp_sensor_spec, cutoff, "cutoff")};
static const dp_field key_field[] = {DP_FIELD(dp_key_spec, time, "time")};
static const dp_field option_field[] = {
    DP_FIELD(dp_options, step, "step"),
    DP_FIELD(dp_options, gravity, "gravity"),
    DP_FIELD(dp_options, magnetic, "magnetic field"),
    DP_FIELD(dp_options, fluid_density, "density of the fluid"),
    DP_FIELD(dp_options, fluid_viscosity, "viscosity of the fluid"),
    DP_FIELD(dp_options, wind, "wind"),
    DP_FIELD(dp_options, relative_tolerance, "relative tolerance"),
    DP_FIELD(dp_options, absolute_tolerance, "absolute tolerance"),
    DP_FIELD(dp_options, large_rotation, "large rotation"),
    DP_FIELD(dp_options, solver.tolerance, "tolerance of the law"),
    DP_FIELD(dp_options, gap_tolerance, "gap tolerance"),
    DP_FIELD(dp_options, correction_speed, "correction speed"),
    DP_FIELD(dp_options, accuracy, "accuracy"),
    DP_FIELD(dp_options, sleep_speed, "sleep speed"),
    DP_FIELD(dp_options, sleep_time, "sleep time"),
    DP_FIELD(dp_options, contact_stiffness_scale, "scale of contact stiffness"),
    DP_FIELD(dp_options, contact_friction_scale, "scale of contact friction"),
};

// The first number of `element` that is not finite; NULL when all are.
static const dp_field *find_not_finite(double *value, const void *element, const dp_field *f,
                                       int count)
{
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < f[i].count; ++k) {
            memcpy(value, (const char *)element + f[i].offset + (size_t)k * sizeof *value,
                   sizeof *value);
            if (!isfinite(*value)) {
                return &f[i];
            }
        }
    }
    return NULL;
}

dp_status dp_check_finite(const dp_spec *spec, dp_element_kind kind, int index, const void *element,
                          const dp_field *f, int count)
{
    double value;
    const dp_field *bad = find_not_finite(&value, element, f, count);
    if (bad) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, spec, kind, index,
                            "has %g in its %s (expected finite numbers)", value, bad->name);
    }
    return DP_OK;
}

dp_status dp_check_not_negative(const dp_spec *spec, dp_element_kind kind, int index,
                                const char *name, double value)
{
    if (value < 0.0) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, spec, kind, index,
                            "has %s %g (expected a number ≥ 0)", name, value);
    }
    return DP_OK;
}

dp_status dp_check_range(const dp_spec *spec, dp_element_kind kind, int index, const char *name,
                         const double range[2])
{
    if (range[0] >= range[1]) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, spec, kind, index,
                            "has %s [%g, %g] (expected the first number below the second)", name,
                            range[0], range[1]);
    }
    return DP_OK;
}

dp_status dp_check_solref(const dp_spec *spec, dp_element_kind kind, int index,
                          const double solref[2])
{
    const bool standard = solref[0] > 0.0 && solref[1] > 0.0;
    const bool direct =
        solref[0] <= 0.0 && solref[1] <= 0.0 && (solref[0] < 0.0 || solref[1] < 0.0);
    if (!standard && !direct) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, spec, kind, index,
                            "has solref %g %g (expected time constant and damping ratio, both > 0, "
                            "or −stiffness and −damping, both ≤ 0 and not both 0)",
                            solref[0], solref[1]);
    }
    return DP_OK;
}

dp_status dp_check_bearing(const dp_spec *spec, dp_element_kind kind, int index, const char *name,
                           const dp_bearing *bearing)
{
    if (!(bearing->stiffness > 0.0)) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, spec, kind, index,
                            "has a %s of stiffness %g (expected a number > 0, or infinity: rigid)",
                            name, bearing->stiffness);
    }
    if (!(bearing->damping >= 0.0) || isinf(bearing->damping)) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, spec, kind, index,
                            "has a %s of damping %g (expected a finite number ≥ 0)", name,
                            bearing->damping);
    }
    return DP_OK;
}

static dp_status check_material(const dp_spec *spec, dp_element_kind kind, int index,
                                const dp_material *m)
{
    const struct {
        const char *name;
        double value;
        bool fine;
        const char *expected;
    } number[] = {
        {"stiffness", m->stiffness, m->stiffness > 0.0, "more than 0, or infinite"},
        {"damping", m->damping, m->damping >= 0.0, "0 or more"},
        {"youngs_modulus", m->youngs_modulus,
         m->youngs_modulus >= 0.0 && isfinite(m->youngs_modulus), "0 or more, finite"},
        {"poisson", m->poisson, m->poisson > -1.0 && m->poisson <= 0.5,
         "more than -1, at most 0.5"},
        {"dissipation", m->dissipation, m->dissipation >= 0.0 && isfinite(m->dissipation),
         "0 or more, finite"},
        {"restitution", m->restitution, m->restitution <= 1.0, "0 to 1, or negative for none"},
        {"tangential_stiffness", m->tangential_stiffness, m->tangential_stiffness > 0.0,
         "more than 0, or infinite"},
        {"surface_velocity", m->surface_velocity.x, dp_v3_finite(m->surface_velocity),
         "finite numbers"},
    };
    if (m->restitution >= 0.0 && (m->youngs_modulus > 0.0 || m->dissipation > 0.0)) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, spec, kind, index,
                            "has a restitution and a %s (expected one of them: with it, what is "
                            "thrown back depends on the speed)",
                            m->youngs_modulus > 0.0 ? "Young's modulus" : "dissipation");
    }
    if (m->tangential_stiffness > 0.0 && isfinite(m->tangential_stiffness)) {
        return dp_spec_fail(
            DP_ERROR_UNSUPPORTED, spec, kind, index,
            "has a tangential stiffness of %g N/m, which is not simulated (expected "
            "infinity: what sticks does not give way)",
            m->tangential_stiffness);
    }
    for (size_t i = 0; i < sizeof number / sizeof *number; ++i) {
        if (!number[i].fine) {
            return dp_spec_fail(DP_ERROR_ARGUMENT, spec, kind, index, "has %s %g (expected %s)",
                                number[i].name, number[i].value, number[i].expected);
        }
    }
    return DP_OK;
}

dp_status dp_check_contact(const dp_spec *spec, dp_element_kind kind, int index,
                           const dp_contact_spec *contact)
{
    DP_TRY(check_material(spec, kind, index, &contact->material));
    const int condim = contact->condim;
    if (condim != 1 && condim != 3 && condim != 4 && condim != 6) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, spec, kind, index,
                            "has condim %d (expected 1, 3, 4 or 6)", condim);
    }
    DP_TRY(dp_check_not_negative(spec, kind, index, "solmix", contact->solmix));
    return contact->solver_given ? dp_check_solref(spec, kind, index, contact->solref) : DP_OK;
}

static dp_status check_options(const dp_options *o)
{
    double value;
    const dp_field *bad = find_not_finite(&value, o, option_field, DP_FIELD_COUNT(option_field));
    if (bad) {
        return dp_fail(DP_ERROR_ARGUMENT, "option: %s is %g (expected finite numbers)", bad->name,
                       value);
    }
    if (o->step <= 0.0) {
        return dp_fail(DP_ERROR_ARGUMENT, "option: step is %g s (expected a step > 0)", o->step);
    }
    if (o->relative_tolerance <= 0.0) {
        return dp_fail(DP_ERROR_ARGUMENT, "option: relative tolerance is %g (expected > 0)",
                       o->relative_tolerance);
    }
    if (o->absolute_tolerance <= 0.0) {
        return dp_fail(DP_ERROR_ARGUMENT, "option: absolute tolerance is %g (expected > 0)",
                       o->absolute_tolerance);
    }
    if (o->max_substeps < 1) {
        return dp_fail(DP_ERROR_ARGUMENT, "option: max substeps is %d (expected at least 1)",
                       o->max_substeps);
    }
    if (o->large_rotation < 0.0) {
        return dp_fail(DP_ERROR_ARGUMENT, "option: large rotation is %g rad (expected ≥ 0)",
                       o->large_rotation);
    }
    if (o->patch_points < 4 || o->patch_points > 8) {
        return dp_fail(DP_ERROR_ARGUMENT, "option: patch points are %d (expected 4 to 8)",
                       o->patch_points);
    }
    if (!(o->contact_stiffness_scale > 0.0) || !(o->contact_friction_scale >= 0.0)) {
        return dp_fail(DP_ERROR_ARGUMENT,
                       "option: scales of contacts are %g for stiffness and %g for friction "
                       "(expected > 0 and ≥ 0)",
                       o->contact_stiffness_scale, o->contact_friction_scale);
    }
    if (o->fluid_density < 0.0 || o->fluid_viscosity < 0.0) {
        return dp_fail(DP_ERROR_ARGUMENT,
                       "option: the fluid has density %g kg/m³ and viscosity %g Pa s (expected "
                       "both ≥ 0)",
                       o->fluid_density, o->fluid_viscosity);
    }
    if ((unsigned)o->integrator > DP_INTEGRATOR_CVODE) {
        return dp_fail(DP_ERROR_ARGUMENT, "option: integrator number %d (expected 0 to %d)",
                       (int)o->integrator, DP_INTEGRATOR_CVODE);
    }
    return DP_OK;
}

static dp_status check_body(const dp_spec *spec, int i)
{
    const dp_body_spec *body = &dp_spec_bodies(spec)[i].spec;
    DP_TRY(dp_check_finite(spec, DP_ELEMENT_BODY, i, body, body_field, DP_FIELD_COUNT(body_field)));
    if ((unsigned)body->inertia_source > DP_INERTIA_SOURCE_GIVEN) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, spec, DP_ELEMENT_BODY, i,
                            "has inertia source number %d (expected 0 or 1)",
                            (int)body->inertia_source);
    }
    return DP_OK;
}

static dp_status check_joint(const dp_spec *spec, int i)
{
    const dp_joint_spec *joint = &dp_spec_joints(spec)[i].spec;
    DP_TRY(dp_check_finite(spec, DP_ELEMENT_JOINT, i, joint, joint_field,
                           DP_FIELD_COUNT(joint_field)));
    if ((unsigned)joint->kind > DP_JOINT_SLIDE) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, spec, DP_ELEMENT_JOINT, i,
                            "has kind number %d (expected free, ball, hinge or slide)",
                            (int)joint->kind);
    }
    DP_TRY(dp_check_not_negative(spec, DP_ELEMENT_JOINT, i, "armature", joint->armature));
    DP_TRY(dp_check_not_negative(spec, DP_ELEMENT_JOINT, i, "damping", joint->damping));
    DP_TRY(dp_check_not_negative(spec, DP_ELEMENT_JOINT, i, "stiffness", joint->stiffness));
    DP_TRY(dp_check_not_negative(spec, DP_ELEMENT_JOINT, i, "frictionloss", joint->friction_loss));
    const double *ratio = joint->spring_damper;
    if ((ratio[0] != 0.0 || ratio[1] != 0.0) && !(ratio[0] > 0.0 && ratio[1] > 0.0)) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, spec, DP_ELEMENT_JOINT, i,
                            "has springdamper %g, %g (expected a time constant and a damping ratio "
                            "> 0, or 0 and 0)",
                            ratio[0], ratio[1]);
    }
    if (joint->limited) {
        DP_TRY(dp_check_bearing(spec, DP_ELEMENT_JOINT, i, "limit", &joint->limit));
        if (joint->limit_solver_given) {
            DP_TRY(dp_check_solref(spec, DP_ELEMENT_JOINT, i, joint->limit_solref));
        }
    }
    if (joint->limited && (joint->kind == DP_JOINT_HINGE || joint->kind == DP_JOINT_SLIDE)) {
        DP_TRY(dp_check_range(spec, DP_ELEMENT_JOINT, i, "range", joint->range));
    }
    if (joint->limited && joint->kind == DP_JOINT_BALL &&
        !(joint->range[0] == 0.0 && joint->range[1] >= 0.0)) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, spec, DP_ELEMENT_JOINT, i,
                            "is a ball with range [%g, %g] (expected [0, largest angle])",
                            joint->range[0], joint->range[1]);
    }
    return DP_OK;
}

static dp_status check_geom(const dp_spec *spec, int i)
{
    const dp_geom_spec *geom = &dp_spec_geoms(spec)[i].spec;
    DP_TRY(dp_check_finite(spec, DP_ELEMENT_GEOM, i, geom, geom_field, DP_FIELD_COUNT(geom_field)));
    for (int k = 0; k < 4; ++k) {
        if (!isfinite(geom->rgba[k])) {
            return dp_spec_fail(DP_ERROR_ARGUMENT, spec, DP_ELEMENT_GEOM, i,
                                "has %g in its colour (expected finite numbers)",
                                (double)geom->rgba[k]);
        }
    }
    if ((unsigned)geom->kind > DP_GEOM_HFIELD) {
        return dp_spec_fail(
            DP_ERROR_ARGUMENT, spec, DP_ELEMENT_GEOM, i,
            "has kind number %d (expected plane, sphere, capsule, cylinder, ellipsoid, "
            "box, mesh or hfield)",
            (int)geom->kind);
    }
    if ((unsigned)geom->mesh_contact > DP_MESH_CONTACT_TRIANGLES) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, spec, DP_ELEMENT_GEOM, i,
                            "has mesh contact number %d (expected auto, hull or triangles)",
                            (int)geom->mesh_contact);
    }
    const int nsize = dp_shape_size_count(geom->kind);
    for (int k = 0; k < nsize; ++k) {
        if (geom->size[k] <= 0.0) {
            return dp_spec_fail(DP_ERROR_ARGUMENT, spec, DP_ELEMENT_GEOM, i,
                                "is a %s with size %g at place %d (expected %d size%s > 0)",
                                dp_geom_kind_name(geom->kind), geom->size[k], k + 1, nsize,
                                nsize > 1 ? "s" : "");
        }
    }
    for (int k = nsize; k < 3; ++k) {
        if (geom->kind == DP_GEOM_PLANE && geom->size[k] < 0.0) {
            return dp_spec_fail(DP_ERROR_ARGUMENT, spec, DP_ELEMENT_GEOM, i,
                                "is a plane with size %g at place %d (expected sizes ≥ 0)",
                                geom->size[k], k + 1);
        }
    }
    if (geom->mass < 0.0) { // then the density counts
        DP_TRY(dp_check_not_negative(spec, DP_ELEMENT_GEOM, i, "density", geom->density));
    }
    for (int k = 0; k < 3; ++k) {
        DP_TRY(dp_check_not_negative(spec, DP_ELEMENT_GEOM, i, "friction", geom->friction[k]));
    }
    if (geom->kind == DP_GEOM_MESH && geom->shell) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, spec, DP_ELEMENT_GEOM, i,
                            "is a mesh and a shell (expected the mesh to say so: inertia shell)");
    }
    DP_TRY(dp_check_contact(spec, DP_ELEMENT_GEOM, i, &geom->contact));
    return dp_check_foundation(spec, i);
}

static dp_status check_actuator(const dp_spec *spec, int i)
{
    const dp_actuator_spec *a = &dp_spec_actuators(spec)[i];
    DP_TRY(dp_check_finite(spec, DP_ELEMENT_ACTUATOR, i, a, actuator_field,
                           DP_FIELD_COUNT(actuator_field)));
    if ((unsigned)a->transmission > DP_TRANSMISSION_BODY) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, spec, DP_ELEMENT_ACTUATOR, i,
                            "has transmission number %d (expected joint, tendon, site or body)",
                            (int)a->transmission);
    }
    DP_TRY(dp_check_muscle(spec, i));
    if ((unsigned)a->dynamics > DP_ACTUATOR_DYNAMICS_MUSCLE) {
        return dp_spec_fail(
            DP_ERROR_ARGUMENT, spec, DP_ELEMENT_ACTUATOR, i,
            "has dynamics number %d (expected none, integrator, filter, filterexact or "
            "muscle)",
            (int)a->dynamics);
    }
    const bool filter = a->dynamics == DP_ACTUATOR_DYNAMICS_FILTER ||
                        a->dynamics == DP_ACTUATOR_DYNAMICS_FILTER_EXACT;
    if (filter && a->time_constant <= 0.0) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, spec, DP_ELEMENT_ACTUATOR, i,
                            "is a filter with time constant %g s (expected > 0)", a->time_constant);
    }
    DP_TRY(dp_check_not_negative(spec, DP_ELEMENT_ACTUATOR, i, "damping ratio", a->damping_ratio));
    const bool servo = a->gain[0] == -a->bias[1] && a->gain[1] == 0.0 && a->gain[2] == 0.0;
    if (a->damping_ratio > 0.0 && !servo) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, spec, DP_ELEMENT_ACTUATOR, i,
                            "has damping ratio %g but is no position servo (expected gain kp and "
                            "bias 0, −kp)",
                            a->damping_ratio);
    }
    if (a->control_limited) {
        DP_TRY(dp_check_range(spec, DP_ELEMENT_ACTUATOR, i, "control range", a->control_range));
    }
    if (a->force_limited) {
        DP_TRY(dp_check_range(spec, DP_ELEMENT_ACTUATOR, i, "force range", a->force_range));
    }
    if (a->activation_limited) {
        if (a->dynamics == DP_ACTUATOR_DYNAMICS_NONE) {
            return dp_spec_fail(
                DP_ERROR_ARGUMENT, spec, DP_ELEMENT_ACTUATOR, i,
                "limits its activation but has none (expected dynamics: integrator, "
                "filter or filterexact)");
        }
        DP_TRY(
            dp_check_range(spec, DP_ELEMENT_ACTUATOR, i, "activation range", a->activation_range));
    }
    return DP_OK;
}

enum { MOST_SENSED = 100000 }; // values that a sensor may repeat

static dp_status check_sensor(const dp_spec *spec, int i)
{
    const dp_sensor_spec *sensor = &dp_spec_sensors(spec)[i];
    DP_TRY(dp_check_finite(spec, DP_ELEMENT_SENSOR, i, sensor, sensor_field,
                           DP_FIELD_COUNT(sensor_field)));
    if ((unsigned)sensor->kind >= DP_SENSOR_KINDS) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, spec, DP_ELEMENT_SENSOR, i,
                            "has kind number %d (expected 0 to %d)", (int)sensor->kind,
                            DP_SENSOR_KINDS - 1);
    }
    const unsigned most = sensor->kind == DP_SENSOR_RANGEFINDER ? (unsigned)DP_RAY_FIELDS
                          : sensor->kind == DP_SENSOR_CONTACT   ? (unsigned)DP_CONTACT_FIELDS
                                                                : 0;
    if (sensor->data & ~most) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, spec, DP_ELEMENT_SENSOR, i,
                            "of kind %s has data %u (expected bits of %u)",
                            dp_sensor_kind_name(sensor->kind), sensor->data, most);
    }
    const bool repeats = sensor->kind == DP_SENSOR_CONTACT || sensor->kind == DP_SENSOR_USER;
    const int least = sensor->kind == DP_SENSOR_USER ? 0 : 1;
    if (sensor->count < least || sensor->count > (repeats ? MOST_SENSED : 1)) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, spec, DP_ELEMENT_SENSOR, i,
                            "of kind %s has count %d (expected %d to %d)",
                            dp_sensor_kind_name(sensor->kind), sensor->count, least,
                            repeats ? MOST_SENSED : 1);
    }
    if ((unsigned)sensor->reduction > DP_CONTACT_REDUCTION_SUM) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, spec, DP_ELEMENT_SENSOR, i,
                            "has reduction number %d (expected 0 to %d)", (int)sensor->reduction,
                            DP_CONTACT_REDUCTION_SUM);
    }
    return dp_check_not_negative(spec, DP_ELEMENT_SENSOR, i, "cutoff", sensor->cutoff);
}

static bool is_volume(dp_geom_kind kind)
{
    return kind == DP_GEOM_SPHERE || kind == DP_GEOM_CAPSULE || kind == DP_GEOM_CYLINDER ||
           kind == DP_GEOM_ELLIPSOID || kind == DP_GEOM_BOX;
}

static dp_status check_site(const dp_spec *spec, int i)
{
    const dp_site_spec *site = &dp_spec_sites(spec)[i].spec;
    DP_TRY(dp_check_finite(spec, DP_ELEMENT_SITE, i, site, site_field, DP_FIELD_COUNT(site_field)));
    if (!is_volume(site->kind)) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, spec, DP_ELEMENT_SITE, i,
                            "is of kind %s (expected sphere, capsule, ellipsoid, cylinder or box)",
                            dp_geom_kind_name(site->kind));
    }
    for (int k = 0; k < dp_shape_size_count(site->kind); ++k) {
        DP_TRY(dp_check_not_negative(spec, DP_ELEMENT_SITE, i, "size", site->size[k]));
    }
    return DP_OK;
}

dp_status dp_check_numbers(const dp_spec *spec)
{
    DP_TRY(check_options(&spec->options));
    for (int i = 0; i < dp_spec_body_count(spec); ++i) {
        DP_TRY(check_body(spec, i));
    }
    for (int i = 0; i < dp_spec_joint_count(spec); ++i) {
        DP_TRY(check_joint(spec, i));
    }
    for (int i = 0; i < dp_spec_geom_count(spec); ++i) {
        DP_TRY(check_geom(spec, i));
    }
    for (int i = 0; i < dp_spec_site_count(spec); ++i) {
        DP_TRY(check_site(spec, i));
    }
    for (int i = 0; i < dp_spec_actuator_count(spec); ++i) {
        DP_TRY(check_actuator(spec, i));
    }
    for (int i = 0; i < dp_spec_sensor_count(spec); ++i) {
        DP_TRY(check_sensor(spec, i));
    }
    for (int i = 0; i < dp_spec_mesh_count(spec); ++i) {
        DP_TRY(dp_check_mesh(spec, i));
    }
    for (int i = 0; i < dp_spec_hfield_count(spec); ++i) {
        DP_TRY(dp_check_hfield(spec, i));
    }
    for (int i = 0; i < dp_spec_pair_count(spec); ++i) {
        DP_TRY(dp_check_pair(spec, i));
    }
    for (int i = 0; i < dp_spec_tendon_count(spec); ++i) {
        DP_TRY(dp_check_tendon(spec, i));
    }
    for (int i = 0; i < dp_spec_equality_count(spec); ++i) {
        DP_TRY(dp_check_equality(spec, i));
    }
    for (int i = 0; i < dp_spec_force_count(spec); ++i) {
        DP_TRY(dp_check_force(spec, i));
    }
    for (int i = 0; i < dp_spec_motion_count(spec); ++i) {
        DP_TRY(dp_check_motion(spec, i));
    }
    for (int i = 0; i < dp_spec_key_count(spec); ++i) {
        DP_TRY(dp_check_finite(spec, DP_ELEMENT_KEY, i, &dp_spec_keys(spec)[i], key_field,
                               DP_FIELD_COUNT(key_field)));
    }
    return DP_OK;
}

bool dp_normalise_v3(dp_v3 *x)
{
    const double largest = fmax(fabs(x->x), fmax(fabs(x->y), fabs(x->z)));
    if (!(largest > 0.0) || !isfinite(largest)) {
        return false;
    }
    const dp_v3 y = {x->x / largest, x->y / largest, x->z / largest}; // its norm is in [1, √3]
    const double norm = dp_v3_norm(y);
    *x = (dp_v3){y.x / norm, y.y / norm, y.z / norm};
    return true;
}

bool dp_normalise_quat(dp_quat *q)
{
    const double largest = fmax(fmax(fabs(q->w), fabs(q->x)), fmax(fabs(q->y), fabs(q->z)));
    if (!(largest > 0.0) || !isfinite(largest)) {
        return false;
    }
    const dp_quat y = {q->w / largest, q->x / largest, q->y / largest, q->z / largest};
    const double norm = dp_quat_norm(y);
    *q = (dp_quat){y.w / norm, y.x / norm, y.y / norm, y.z / norm};
    return true;
}
