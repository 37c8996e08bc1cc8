// How elements are described: members of the specs, with keywords of the same names.
#include "py_fields.h"

static const dpy_field material_fields[] = {
    DPY_MEMBER(dp_material, stiffness, DPY_DOUBLE,
               "[N/m] > 0, may be infinite: force over overlap. Shared by the points of a contact, "
               "so that more points are not stiffer. Default 2e7"),
    DPY_MEMBER(
        dp_material, damping, DPY_DOUBLE,
        "[N s/m] ≥ 0, may be infinite; of springs that are linear. Default 2e4: little rebound"),
    DPY_MEMBER(dp_material, youngs_modulus, DPY_DOUBLE,
               "[Pa] ≥ 0. Above 0 the stiffness is that of Hertz, for which surfaces must be round "
               "where they touch, and damping does not count. Beside one without, the other is "
               "rigid. Default 0"),
    DPY_MEMBER(dp_material, poisson, DPY_DOUBLE,
               "[1] > −1, ≤ 0.5, beside youngs_modulus. Default 0.3"),
    DPY_MEMBER(dp_material, dissipation, DPY_DOUBLE,
               "[s/m] ≥ 0, Hunt and Crossley: force k δ (1 + dissipation δ̇) instead of damping. "
               "Default 0"),
    DPY_MEMBER(dp_material, restitution, DPY_DOUBLE,
               "[1] 0 … 1: becomes a damping (docs/contact.md), or an impact of rigid laws, not "
               "beside youngs_modulus or dissipation; negative: not given, the default"),
    DPY_MEMBER(dp_material, tangential_stiffness, DPY_DOUBLE,
               "[N/m] > 0: what sticks yields by so much; infinite: it does not, the default. "
               "Refused where it is finite"),
    DPY_ARRAY(dp_material, surface_velocity, DPY_VECTOR, 3,
              "[m/s] of a belt, in the geom's frame. Default 0"),
};
dpy_struct dpy_material_struct =
    DPY_TABLE(dp_material, "Material", material_fields, "What a surface is made of.");

static const dpy_field contact_spec_fields[] = {
    DPY_MEMBER(dp_contact_spec, condim, DPY_INT, "1, 3, 4 or 6. Default 3"),
    DPY_MEMBER(dp_contact_spec, priority, DPY_INT, "Default 0"),
    DPY_MEMBER(dp_contact_spec, solmix, DPY_DOUBLE, "Default 1"),
    DPY_GIVEN(dp_contact_spec, solref, DPY_VECTOR, 2, NULL, solver_given, "Default 0.02 1"),
    DPY_GIVEN(dp_contact_spec, solimp, DPY_VECTOR, 5, NULL, solver_given,
              "Default 0.9 0.95 0.001 0.5 2"),
    DPY_MEMBER(dp_contact_spec, solver_given, DPY_BOOL,
               "the author set solref or solimp: the stiffness and damping that they mean for the "
               "masses that touch. Default false"),
    DPY_MEMBER(dp_contact_spec, margin, DPY_DOUBLE, "[m] Default 0 0"),
    DPY_MEMBER(dp_contact_spec, gap, DPY_DOUBLE, "[m] Default 0 0"),
    DPY_GIVEN(dp_contact_spec, material, DPY_STRUCT, 1, &dpy_material_struct, material_given, ""),
    DPY_MEMBER(dp_contact_spec, material_given, DPY_BOOL,
               "the author set a number of the material, which then has the last word over solref "
               "and solimp. Default false"),
};
dpy_struct dpy_contact_spec_struct =
    DPY_TABLE(dp_contact_spec, "ContactSpec", contact_spec_fields, "How a geom or a pair touches.");

static const dpy_field foundation_spec_fields[] = {
    DPY_MEMBER(dp_foundation_spec, nx, DPY_INT,
               "≥ 1, at most 2^20 together; 0 0: none. Default 0 0"),
    DPY_MEMBER(dp_foundation_spec, ny, DPY_INT,
               "≥ 1, at most 2^20 together; 0 0: none. Default 0 0"),
    DPY_OF(dp_foundation_spec, face, DPY_ENUM, (void *)&dpy_box_face_enum, "Default minus-z"),
    DPY_MEMBER(dp_foundation_spec, youngs_modulus, DPY_DOUBLE, "[Pa] > 0. Default 1e7"),
    DPY_MEMBER(dp_foundation_spec, depth, DPY_DOUBLE, "[m] > 0, of the elastic layer. Default 1"),
    DPY_MEMBER(dp_foundation_spec, damping, DPY_DOUBLE, "[N s/m] ≥ 0, of each spring. Default 0"),
};
dpy_struct dpy_foundation_spec_struct = DPY_TABLE(dp_foundation_spec, "FoundationSpec",
                                                  foundation_spec_fields, "An elastic foundation.");

static const dpy_field body_spec_fields[] = {
    DPY_MEMBER(dp_body_spec, name, DPY_TEXT, ""),
    DPY_AS(dp_body_spec, "position", pose.p, DPY_VECTOR, 3,
           "in the parent's frame. Default identity"),
    DPY_AS(dp_body_spec, "quaternion", pose.q, DPY_VECTOR, 4,
           "in the parent's frame. Default identity"),
    DPY_OF(dp_body_spec, inertia_source, DPY_ENUM, (void *)&dpy_inertia_source_enum, ""),
    DPY_OF(dp_body_spec, inertial, DPY_STRUCT, &dpy_inertial_struct, ""),
    DPY_MEMBER(dp_body_spec, gravity_compensation, DPY_DOUBLE,
               "[1] 1: weightless; 2: as much upwards. Default 0"),
    DPY_MEMBER(dp_body_spec, mocap, DPY_BOOL,
               "a child of the world without joints, moved by the user. Default false"),
};
dpy_struct dpy_body_spec_struct =
    DPY_TABLE(dp_body_spec, "BodySpec", body_spec_fields, "How a body is described.");

static const dpy_field joint_spec_fields[] = {
    DPY_MEMBER(dp_joint_spec, name, DPY_TEXT, ""),
    DPY_OF(dp_joint_spec, kind, DPY_ENUM, (void *)&dpy_joint_kind_enum, "Default hinge"),
    DPY_ARRAY(dp_joint_spec, anchor, DPY_VECTOR, 3,
              "[m] in the body frame. Default 0. Ignored by free joints"),
    DPY_ARRAY(dp_joint_spec, axis, DPY_VECTOR, 3,
              "in the body frame, need not be a unit vector. Default z. Hinge and slide"),
    DPY_MEMBER(dp_joint_spec, ref, DPY_DOUBLE,
               "[rad, m] the q that belongs to the pose as described. Default 0"),
    DPY_MEMBER(dp_joint_spec, armature, DPY_DOUBLE,
               "[kg m², kg] ≥ 0 added inertia of every coordinate. Default 0"),
    DPY_MEMBER(dp_joint_spec, damping, DPY_DOUBLE, "[N m s/rad, N s/m] ≥ 0. Default 0"),
    DPY_MEMBER(dp_joint_spec, stiffness, DPY_DOUBLE, "[N m/rad, N/m] ≥ 0. Default 0"),
    DPY_MEMBER(dp_joint_spec, spring_ref, DPY_DOUBLE,
               "[rad, m] where the spring rests; ball, free: as described. Default 0"),
    DPY_ARRAY(dp_joint_spec, spring_damper, DPY_VECTOR, 2,
              "[s, 1] time constant and damping ratio. Both > 0: stiffness and damping follow from "
              "them and from the inertia that the joint meets as described, whatever the fields "
              "above say. Default 0 0"),
    DPY_MEMBER(dp_joint_spec, friction_loss, DPY_DOUBLE,
               "[N m, N] ≥ 0, dry friction of every coordinate. Default 0"),
    DPY_MEMBER(dp_joint_spec, limited, DPY_BOOL, "Default false"),
    DPY_ARRAY(dp_joint_spec, range, DPY_VECTOR, 2, "[rad, m]; ball: 0 and the largest angle"),
    DPY_OF(dp_joint_spec, limit, DPY_STRUCT, &dpy_bearing_struct,
           "how both ends of the range give"),
    DPY_GIVEN(dp_joint_spec, limit_solref, DPY_VECTOR, 2, NULL, limit_solver_given,
              "the same in MuJoCo's numbers. Default 0.02 1 and 0.9 0.95 0.001 0.5 2"),
    DPY_GIVEN(dp_joint_spec, limit_solimp, DPY_VECTOR, 5, NULL, limit_solver_given,
              "the same in MuJoCo's numbers. Default 0.02 1 and 0.9 0.95 0.001 0.5 2"),
    DPY_MEMBER(dp_joint_spec, limit_solver_given, DPY_BOOL,
               "false: `limit` counts. True: the stiffness and damping that these numbers mean for "
               "the inertia as described. Default false"),
};
dpy_struct dpy_joint_spec_struct =
    DPY_TABLE(dp_joint_spec, "JointSpec", joint_spec_fields, "How a joint is described.");

static const dpy_field geom_spec_fields[] = {
    DPY_MEMBER(dp_geom_spec, name, DPY_TEXT, ""),
    DPY_OF(dp_geom_spec, kind, DPY_ENUM, (void *)&dpy_geom_kind_enum, "Default sphere"),
    DPY_ARRAY(dp_geom_spec, size, DPY_VECTOR, 3, "[m]"),
    DPY_AS(dp_geom_spec, "position", pose.p, DPY_VECTOR, 3, "in the body frame. Default identity"),
    DPY_AS(dp_geom_spec, "quaternion", pose.q, DPY_VECTOR, 4,
           "in the body frame. Default identity"),
    DPY_MEMBER(dp_geom_spec, mass, DPY_DOUBLE, "[kg] ≥ 0; negative: from density. Default −1"),
    DPY_MEMBER(dp_geom_spec, density, DPY_DOUBLE, "[kg/m³] ≥ 0. Default 1000"),
    DPY_MEMBER(dp_geom_spec, contype, DPY_INT,
               "two may touch if one's contype & the other's conaffinity. 1, 1"),
    DPY_MEMBER(dp_geom_spec, conaffinity, DPY_INT,
               "two may touch if one's contype & the other's conaffinity. 1, 1"),
    DPY_MEMBER(dp_geom_spec, group, DPY_INT, "Default 0"),
    DPY_ARRAY(dp_geom_spec, friction, DPY_VECTOR, 3,
              "sliding [1], torsional [m], rolling [m]. Default 1, 0.005, 0.0001"),
    DPY_ARRAY(dp_geom_spec, rgba, DPY_FLOATS, 4, "Default 0.5 0.5 0.5 1"),
    DPY_MEMBER(dp_geom_spec, mesh, DPY_TEXT, "name, for mesh"),
    DPY_MEMBER(dp_geom_spec, fluid_ellipsoid, DPY_BOOL,
               "a fluid acts on it as on an ellipsoid. Default false"),
    DPY_ARRAY(
        dp_geom_spec, fluid_coefficient, DPY_VECTOR, 5,
        "[1] of that: blunt and slender drag, drag against turning, lift by Kutta and by Magnus"),
    DPY_OF(dp_geom_spec, mesh_contact, DPY_ENUM, (void *)&dpy_mesh_contact_enum,
           "by what a mesh touches. Default auto"),
    DPY_MEMBER(dp_geom_spec, hfield, DPY_TEXT, "name, for hfield"),
    DPY_MEMBER(dp_geom_spec, shell, DPY_BOOL,
               "mass on the surface; density is then per area [kg/m²]. Default false"),
    DPY_OF(dp_geom_spec, contact, DPY_STRUCT, &dpy_contact_spec_struct, "how it touches"),
    DPY_OF(dp_geom_spec, foundation, DPY_STRUCT, &dpy_foundation_spec_struct,
           "springs under a face of a box. Default none"),
};
dpy_struct dpy_geom_spec_struct =
    DPY_TABLE(dp_geom_spec, "GeomSpec", geom_spec_fields, "How a geom is described.");

static const dpy_field site_spec_fields[] = {
    DPY_MEMBER(dp_site_spec, name, DPY_TEXT, ""),
    DPY_OF(dp_site_spec, kind, DPY_ENUM, (void *)&dpy_geom_kind_enum,
           "sphere, capsule, ellipsoid, cylinder or box. Default sphere"),
    DPY_ARRAY(dp_site_spec, size, DPY_VECTOR, 3,
              "[m] ≥ 0, as many as a geom of the kind has; 0: no volume. Default 0.005"),
    DPY_AS(dp_site_spec, "position", pose.p, DPY_VECTOR, 3, "in the body frame. Default identity"),
    DPY_AS(dp_site_spec, "quaternion", pose.q, DPY_VECTOR, 4,
           "in the body frame. Default identity"),
    DPY_MEMBER(dp_site_spec, group, DPY_INT, ""),
};
dpy_struct dpy_site_spec_struct =
    DPY_TABLE(dp_site_spec, "SiteSpec", site_spec_fields, "How a site is described.");

static const dpy_field muscle_fields[] = {
    DPY_ARRAY(dp_muscle, range, DPY_VECTOR, 2,
              "[L₀] the lengths that length_range means. Default 0.75 1.05"),
    DPY_MEMBER(dp_muscle, force, DPY_DOUBLE,
               "[N, N m] peak; < 0: scale over the acceleration that a unit of force gives to the "
               "mechanism as described. Default −1"),
    DPY_MEMBER(dp_muscle, scale, DPY_DOUBLE, "[m/s², rad/s²] Default 200"),
    DPY_MEMBER(dp_muscle, shortest, DPY_DOUBLE,
               "[L₀] < 1, below which there is no active force. Default 0.5"),
    DPY_MEMBER(dp_muscle, longest, DPY_DOUBLE, "[L₀] > 1, above. Default 1.6"),
    DPY_MEMBER(dp_muscle, fastest, DPY_DOUBLE,
               "[L₀/s] > 0, of shortening, at which there is none. Default 1.5"),
    DPY_MEMBER(dp_muscle, passive, DPY_DOUBLE,
               "[1] passive force halfway between L₀ and the longest, twice. Default 1.3"),
    DPY_MEMBER(dp_muscle, lengthening, DPY_DOUBLE,
               "[1] ≥ 1, the most active force when it is lengthened. Default 1.2"),
};
dpy_struct dpy_muscle_struct =
    DPY_TABLE(dp_muscle, "Muscle", muscle_fields,
              "The curves of a muscle, in units of its optimal length L₀ and of its peak force.");

static const dpy_field actuator_spec_fields[] = {
    DPY_MEMBER(dp_actuator_spec, name, DPY_TEXT, ""),
    DPY_OF(dp_actuator_spec, transmission, DPY_ENUM, (void *)&dpy_transmission_enum,
           "Default joint"),
    DPY_MEMBER(dp_actuator_spec, joint, DPY_TEXT, "name of the joint it drives, for joint"),
    DPY_MEMBER(dp_actuator_spec, tendon, DPY_TEXT, "for tendon"),
    DPY_MEMBER(dp_actuator_spec, site, DPY_TEXT,
               "for site: gear is a wrench (force, torque) in the site's axes"),
    DPY_MEMBER(dp_actuator_spec, reference_site, DPY_TEXT,
               "for site: None, or the frame in which length is measured"),
    DPY_MEMBER(dp_actuator_spec, body, DPY_TEXT,
               "for body: the force is shared by its contacts and acts along their normals"),
    DPY_MEMBER(dp_actuator_spec, in_parent, DPY_BOOL,
               "ball and free joints: `gear` is in the parent's axes. Default false"),
    DPY_ARRAY(dp_actuator_spec, gear, DPY_VECTOR, 6,
              "hinge, slide: gear[0]; ball: 3; free: 6. Default 1 0 0 0 0 0"),
    DPY_OF(dp_actuator_spec, dynamics, DPY_ENUM, (void *)&dpy_actuator_dynamics_enum,
           "Default none"),
    DPY_MEMBER(dp_actuator_spec, time_constant, DPY_DOUBLE, "[s] > 0 for filters. Default 1"),
    DPY_MEMBER(dp_actuator_spec, relaxation_time, DPY_DOUBLE, "[s] > 0 for muscles. Default 1"),
    DPY_MEMBER(dp_actuator_spec, smoothing, DPY_DOUBLE,
               "[1] ≥ 0: differences u − a over which a muscle changes between its two times. "
               "Default 0"),
    DPY_MEMBER(dp_actuator_spec, muscle_gain, DPY_BOOL,
               "the active force of a muscle instead of gain. Default false"),
    DPY_MEMBER(dp_actuator_spec, muscle_bias, DPY_BOOL,
               "the passive force of a muscle instead of bias. Default false"),
    DPY_OF(dp_actuator_spec, gain_muscle, DPY_STRUCT, &dpy_muscle_struct, "its curves"),
    DPY_OF(dp_actuator_spec, bias_muscle, DPY_STRUCT, &dpy_muscle_struct, "its curves"),
    DPY_ARRAY(dp_actuator_spec, length_range, DPY_VECTOR, 2,
              "[m, rad] lengths between which a muscle operates; equal: those that the limits of "
              "its joint or tendon allow. Default 0 0"),
    DPY_ARRAY(dp_actuator_spec, gain, DPY_VECTOR, 3, "Default 1 0 0 and 0 0 0: a motor"),
    DPY_ARRAY(dp_actuator_spec, bias, DPY_VECTOR, 3, "Default 1 0 0 and 0 0 0: a motor"),
    DPY_MEMBER(dp_actuator_spec, damping_ratio, DPY_DOUBLE,
               "[1] > 0: of a position servo, gain[0] = −bias[1], instead of bias[2]; 1 is "
               "critical for the inertia that it meets as described. Default 0"),
    DPY_MEMBER(dp_actuator_spec, control_limited, DPY_BOOL, "Default false"),
    DPY_MEMBER(dp_actuator_spec, force_limited, DPY_BOOL, "Default false"),
    DPY_MEMBER(dp_actuator_spec, activation_limited, DPY_BOOL, "Default false"),
    DPY_ARRAY(dp_actuator_spec, control_range, DPY_VECTOR, 2, ""),
    DPY_ARRAY(dp_actuator_spec, force_range, DPY_VECTOR, 2, ""),
    DPY_ARRAY(dp_actuator_spec, activation_range, DPY_VECTOR, 2, ""),
};
dpy_struct dpy_actuator_spec_struct = DPY_TABLE(
    dp_actuator_spec, "ActuatorSpec", actuator_spec_fields, "How an actuator is described.");

static const dpy_field sensor_spec_fields[] = {
    DPY_MEMBER(dp_sensor_spec, name, DPY_TEXT, ""),
    DPY_OF(dp_sensor_spec, kind, DPY_ENUM, (void *)&dpy_sensor_kind_enum, ""),
    DPY_OF(dp_sensor_spec, object_kind, DPY_ENUM, (void *)&dpy_object_kind_enum,
           "frame sensors: body, inertial, geom or site"),
    DPY_MEMBER(dp_sensor_spec, object, DPY_TEXT, "name; None for the clock and the energies"),
    DPY_OF(dp_sensor_spec, reference_kind, DPY_ENUM, (void *)&dpy_object_kind_enum,
           "for positions, axes, velocities. Default none: the world"),
    DPY_MEMBER(dp_sensor_spec, reference, DPY_TEXT, ""),
    DPY_MEMBER(dp_sensor_spec, cutoff, DPY_DOUBLE,
               "> 0: values are clamped to ±cutoff (real) or to cutoff (non-negative). Default 0"),
    DPY_MEMBER(dp_sensor_spec, data, DPY_INT,
               "rangefinders, contacts: which fields, as bits; 0: the first"),
    DPY_MEMBER(dp_sensor_spec, count, DPY_INT, "contacts, user: at least 1"),
    DPY_OF(dp_sensor_spec, reduction, DPY_ENUM, (void *)&dpy_contact_reduction_enum,
           "which contacts are reported where there are more than `count`"),
};
dpy_struct dpy_sensor_spec_struct =
    DPY_TABLE(dp_sensor_spec, "SensorSpec", sensor_spec_fields, "How a sensor is described.");

static const dpy_field mesh_spec_fields[] = {
    DPY_MEMBER(dp_mesh_spec, name, DPY_TEXT, "required"),
    DPY_GIVEN(dp_mesh_spec, vertex, DPY_DOUBLES, 3, NULL, nvertex, "3·nvertex [m]"),
    DPY_GIVEN(dp_mesh_spec, face, DPY_WHOLES, 3, NULL, nface,
              "3·nface vertex numbers, counterclockwise from outside; None: the convex hull"),
    DPY_MEMBER(dp_mesh_spec, max_hull_vertices, DPY_INT,
               "of its convex hull, at least 4. Default 0: all"),
    DPY_OF(dp_mesh_spec, inertia, DPY_ENUM, (void *)&dpy_mesh_inertia_enum, ""),
};
dpy_struct dpy_mesh_spec_struct =
    DPY_TABLE(dp_mesh_spec, "MeshSpec", mesh_spec_fields, "How a mesh is described.");

static const dpy_field hfield_spec_fields[] = {
    DPY_MEMBER(dp_hfield_spec, name, DPY_TEXT, "required"),
    DPY_MEMBER(dp_hfield_spec, nrow, DPY_INT,
               "≥ 2; at most 2²⁶ points in all height fields of a model"),
    DPY_MEMBER(dp_hfield_spec, ncol, DPY_INT,
               "≥ 2; at most 2²⁶ points in all height fields of a model"),
    {"elevation", DPY_GRID, offsetof(dp_hfield_spec, elevation), 1, NULL,
     offsetof(dp_hfield_spec, nrow), "(nrow, ncol), scaled to 0 … 1; sets nrow and ncol"},
    DPY_ARRAY(dp_hfield_spec, size, DPY_VECTOR, 4,
              "[m] half lengths in x and y, height of elevation 1, depth of the base below 0"),
};
dpy_struct dpy_hfield_spec_struct =
    DPY_TABLE(dp_hfield_spec, "HfieldSpec", hfield_spec_fields, "How a height field is described.");

static const dpy_field pair_spec_fields[] = {
    DPY_MEMBER(dp_pair_spec, name, DPY_TEXT, ""),
    DPY_ARRAY(dp_pair_spec, geom, DPY_TEXTS, 2, "required"),
    DPY_ARRAY(dp_pair_spec, friction, DPY_VECTOR, 5,
              "two sliding [1], torsional [m], two rolling [m]; negative: from the geoms"),
    DPY_GIVEN(dp_pair_spec, contact, DPY_STRUCT, 1, &dpy_contact_spec_struct, contact_given, ""),
    DPY_MEMBER(dp_pair_spec, contact_given, DPY_BOOL, "`contact` counts, not the geoms' numbers"),
};
dpy_struct dpy_pair_spec_struct =
    DPY_TABLE(dp_pair_spec, "PairSpec", pair_spec_fields, "How a pair is described.");

static const dpy_field exclude_spec_fields[] = {
    DPY_MEMBER(dp_exclude_spec, name, DPY_TEXT, ""),
    DPY_ARRAY(dp_exclude_spec, body, DPY_TEXTS, 2, "required"),
};
dpy_struct dpy_exclude_spec_struct =
    DPY_TABLE(dp_exclude_spec, "ExcludeSpec", exclude_spec_fields, "How an exclude is described.");

static const dpy_field wrap_spec_fields[] = {
    DPY_OF(dp_wrap_spec, kind, DPY_ENUM, (void *)&dpy_wrap_kind_enum, ""),
    DPY_MEMBER(dp_wrap_spec, object, DPY_TEXT, "joint, site or geom"),
    DPY_MEMBER(dp_wrap_spec, side, DPY_TEXT, "site; None: the shorter way"),
    DPY_MEMBER(dp_wrap_spec, coefficient, DPY_DOUBLE, "joint [m/rad, 1]; pulley: the divisor"),
};
dpy_struct dpy_wrap_spec_struct =
    DPY_TABLE(dp_wrap_spec, "WrapSpec", wrap_spec_fields, "A station of a tendon.");

static const dpy_field tendon_spec_fields[] = {
    DPY_MEMBER(dp_tendon_spec, name, DPY_TEXT, ""),
    DPY_MEMBER(dp_tendon_spec, spatial, DPY_BOOL, "Default false: fixed"),
    DPY_GIVEN(dp_tendon_spec, wrap, DPY_STRUCTS, 1, &dpy_wrap_spec_struct, nwrap, ""),
    DPY_MEMBER(dp_tendon_spec, limited, DPY_BOOL, ""),
    DPY_ARRAY(dp_tendon_spec, range, DPY_VECTOR, 2, "[m]"),
    DPY_MEMBER(dp_tendon_spec, stiffness, DPY_DOUBLE, "[N/m] ≥ 0"),
    DPY_MEMBER(dp_tendon_spec, damping, DPY_DOUBLE, "[N s/m] ≥ 0"),
    DPY_ARRAY(dp_tendon_spec, spring_range, DPY_VECTOR, 2,
              "[m] slack between the two; −1 −1 (default): the length where the springs of the "
              "joints rest"),
    DPY_MEMBER(dp_tendon_spec, friction_loss, DPY_DOUBLE, "[N] ≥ 0"),
    DPY_MEMBER(dp_tendon_spec, armature, DPY_DOUBLE, "[kg] ≥ 0"),
    DPY_GIVEN(dp_tendon_spec, limit_solref, DPY_VECTOR, 2, NULL, limit_solver_given, ""),
    DPY_GIVEN(dp_tendon_spec, limit_solimp, DPY_VECTOR, 5, NULL, limit_solver_given, ""),
    DPY_MEMBER(dp_tendon_spec, margin, DPY_DOUBLE, ""),
    DPY_OF(dp_tendon_spec, limit, DPY_STRUCT, &dpy_bearing_struct,
           "how both ends of the range give"),
    DPY_MEMBER(dp_tendon_spec, limit_solver_given, DPY_BOOL,
               "as for joints: the numbers of MuJoCo count, not `limit`"),
};
dpy_struct dpy_tendon_spec_struct =
    DPY_TABLE(dp_tendon_spec, "TendonSpec", tendon_spec_fields, "How a tendon is described.");

static const dpy_field equality_spec_fields[] = {
    DPY_MEMBER(dp_equality_spec, name, DPY_TEXT, ""),
    DPY_OF(dp_equality_spec, kind, DPY_ENUM, (void *)&dpy_equality_kind_enum, ""),
    DPY_OF(dp_equality_spec, object_kind, DPY_ENUM, (void *)&dpy_object_kind_enum,
           "body or site, unless joints or tendons are held. Default body"),
    DPY_ARRAY(dp_equality_spec, object, DPY_TEXTS, 2,
              "the second may be None: the world, or a constant; not for sites"),
    DPY_ARRAY(dp_equality_spec, anchor, DPY_VECTOR, 3,
              "[m] connect, distance: in the first body's frame; weld, plane: in the second's"),
    DPY_ARRAY(dp_equality_spec, second_anchor, DPY_VECTOR, 3,
              "[m] distance: in the second body's frame"),
    {"position", DPY_VECTOR, offsetof(dp_equality_spec, relative.p), 3, NULL,
     offsetof(dp_equality_spec, relative_given), "of the second in the frame of the first"},
    {"quaternion", DPY_VECTOR, offsetof(dp_equality_spec, relative.q), 4, NULL,
     offsetof(dp_equality_spec, relative_given), "of the second in the frame of the first"},
    DPY_MEMBER(dp_equality_spec, relative_given, DPY_BOOL,
               "false: as described by the bodies' poses; plane: the axes of the first body, moved "
               "to where the point is as described"),
    DPY_MEMBER(dp_equality_spec, distance, DPY_DOUBLE,
               "[m] > 0; negative: as described. Default −1"),
    DPY_MEMBER(dp_equality_spec, torque_scale, DPY_DOUBLE, "[m] weld. Default 1"),
    DPY_ARRAY(dp_equality_spec, polynomial, DPY_VECTOR, 5, "Default 0 1 0 0 0"),
    DPY_MEMBER(dp_equality_spec, active, DPY_BOOL, "Default true"),
    DPY_GIVEN(dp_equality_spec, solref, DPY_VECTOR, 2, NULL, solver_given, ""),
    DPY_GIVEN(dp_equality_spec, solimp, DPY_VECTOR, 5, NULL, solver_given, ""),
    DPY_MEMBER(dp_equality_spec, solver_given, DPY_BOOL,
               "false: `bearing` counts. True: the stiffness and damping that solref and solimp "
               "mean for the inertia as described. Default false"),
    DPY_OF(dp_equality_spec, bearing, DPY_STRUCT, &dpy_bearing_struct,
           "of turning (weld): times torque_scale²"),
};
dpy_struct dpy_equality_spec_struct = DPY_TABLE(
    dp_equality_spec, "EqualitySpec", equality_spec_fields, "How an equality is described.");

static const dpy_field key_spec_fields[] = {
    DPY_MEMBER(dp_key_spec, name, DPY_TEXT, ""),
    DPY_MEMBER(dp_key_spec, time, DPY_DOUBLE, "[s]"),
    DPY_GIVEN(dp_key_spec, q, DPY_DOUBLES, 1, NULL, nq, "nq, nv, na, nu"),
    DPY_GIVEN(dp_key_spec, v, DPY_DOUBLES, 1, NULL, nv, "nq, nv, na, nu"),
    DPY_GIVEN(dp_key_spec, activation, DPY_DOUBLES, 1, NULL, na, "nq, nv, na, nu"),
    DPY_GIVEN(dp_key_spec, control, DPY_DOUBLES, 1, NULL, nu, "nq, nv, na, nu"),
    DPY_GIVEN(dp_key_spec, mocap_position, DPY_DOUBLES, 1, NULL, nmocap_position,
              "3·nmocap, 4·nmocap"),
    DPY_GIVEN(dp_key_spec, mocap_quaternion, DPY_DOUBLES, 1, NULL, nmocap_quaternion,
              "3·nmocap, 4·nmocap"),
};
dpy_struct dpy_key_spec_struct =
    DPY_TABLE(dp_key_spec, "KeySpec", key_spec_fields, "How a keyframe is described.");

static const dpy_field force_spec_fields[] = {
    DPY_MEMBER(dp_force_spec, name, DPY_TEXT, ""),
    DPY_MEMBER(dp_force_spec, site, DPY_TEXT, ""),
    DPY_MEMBER(dp_force_spec, body, DPY_TEXT, ""),
    DPY_ARRAY(dp_force_spec, point, DPY_VECTOR, 3,
              "[m] where it acts on `body`, in the body frame. Default 0"),
    DPY_MEMBER(dp_force_spec, joint, DPY_TEXT, ""),
    DPY_MEMBER(dp_force_spec, local, DPY_BOOL,
               "along the axes of the site or body, which turn with it. Default false: world"),
    DPY_ARRAY(dp_force_spec, force, DPY_TEXTS, 3,
              "[N] slide: the first alone; free: x y z in the world"),
    DPY_ARRAY(dp_force_spec, torque, DPY_TEXTS, 3,
              "[N m] hinge: the first alone; ball, free: x y z in body axes"),
};
dpy_struct dpy_force_spec_struct = DPY_TABLE(dp_force_spec, "ForceSpec", force_spec_fields,
                                             "How a force by expressions is described.");

static const dpy_field motion_spec_fields[] = {
    DPY_MEMBER(dp_motion_spec, name, DPY_TEXT, ""),
    DPY_MEMBER(dp_motion_spec, joint, DPY_TEXT,
               "hinge or slide, held at position[0] [rad, m]; ball: at `rotation`"),
    DPY_MEMBER(dp_motion_spec, body, DPY_TEXT, "mocap, put to its place"),
    DPY_ARRAY(dp_motion_spec, position, DPY_TEXTS, 3,
              "mocap: x y z in the world [m]; None: as described"),
    DPY_ARRAY(dp_motion_spec, rotation, DPY_TEXTS, 3,
              "ball: rotation vector x y z [rad] from the pose as described, in the body's axes "
              "there; mocap: in the world. None: 0; all of them None: as described"),
    DPY_OF(dp_motion_spec, bearing, DPY_STRUCT, &dpy_bearing_struct,
           "how a joint gives. Default rigid"),
};
dpy_struct dpy_motion_spec_struct = DPY_TABLE(dp_motion_spec, "MotionSpec", motion_spec_fields,
                                              "How a motion by expressions is described.");

dpy_struct *const dpy_spec_struct[DPY_ELEMENTS] = {
    [DPY_BODY] = &dpy_body_spec_struct,         [DPY_JOINT] = &dpy_joint_spec_struct,
    [DPY_GEOM] = &dpy_geom_spec_struct,         [DPY_SITE] = &dpy_site_spec_struct,
    [DPY_ACTUATOR] = &dpy_actuator_spec_struct, [DPY_SENSOR] = &dpy_sensor_spec_struct,
    [DPY_MESH] = &dpy_mesh_spec_struct,         [DPY_HFIELD] = &dpy_hfield_spec_struct,
    [DPY_PAIR] = &dpy_pair_spec_struct,         [DPY_EXCLUDE] = &dpy_exclude_spec_struct,
    [DPY_TENDON] = &dpy_tendon_spec_struct,     [DPY_EQUALITY] = &dpy_equality_spec_struct,
    [DPY_FORCE] = &dpy_force_spec_struct,       [DPY_MOTION] = &dpy_motion_spec_struct,
    [DPY_KEY] = &dpy_key_spec_struct,
};
