// What is known of the elements of a model.
#include "py_fields.h"

static const dpy_field inertial_fields[] = {
    DPY_MEMBER(dp_inertial, mass, DPY_DOUBLE, "[kg]"),
    DPY_AS(dp_inertial, "position", frame.p, DPY_VECTOR, 3,
           "centre of mass and principal axes in the body frame"),
    DPY_AS(dp_inertial, "quaternion", frame.q, DPY_VECTOR, 4,
           "centre of mass and principal axes in the body frame"),
    DPY_ARRAY(dp_inertial, moments, DPY_VECTOR, 3,
              "[kg m²] about the centre of mass along those axes"),
};
dpy_struct dpy_inertial_struct =
    DPY_TABLE(dp_inertial, "Inertial", inertial_fields, "Mass properties in principal axes.");

static const dpy_field bearing_fields[] = {
    DPY_MEMBER(dp_bearing, stiffness, DPY_DOUBLE, "> 0, inf: rigid. The default"),
    DPY_MEMBER(dp_bearing, damping, DPY_DOUBLE, "≥ 0, of no effect where it is rigid. Default 0"),
};
dpy_struct dpy_bearing_struct =
    DPY_TABLE(dp_bearing, "Bearing", bearing_fields, "How a limit or an equality gives.");

static const dpy_field body_info_fields[] = {
    DPY_MEMBER(dp_body_info, name, DPY_TEXT, ""),
    DPY_MEMBER(dp_body_info, parent, DPY_ID, ""),
    DPY_AS(dp_body_info, "position", pose.p, DPY_VECTOR, 3,
           "in the parent's frame, all joints at their reference"),
    DPY_AS(dp_body_info, "quaternion", pose.q, DPY_VECTOR, 4,
           "in the parent's frame, all joints at their reference"),
    DPY_OF(dp_body_info, inertial, DPY_STRUCT, &dpy_inertial_struct, ""),
    DPY_MEMBER(dp_body_info, gravity_compensation, DPY_DOUBLE, ""),
    DPY_MEMBER(dp_body_info, njoint, DPY_INT, "see dp_model_body_joint"),
    DPY_MEMBER(dp_body_info, v_index, DPY_INT, "its degrees of freedom"),
    DPY_MEMBER(dp_body_info, nv, DPY_INT, "its degrees of freedom"),
    DPY_MEMBER(dp_body_info, tree, DPY_INT, "−1: fixed to the world"),
    DPY_MEMBER(dp_body_info, mocap, DPY_INT, "index among mocap bodies, −1: none"),
};
dpy_struct dpy_body_info_struct =
    DPY_TABLE(dp_body_info, "BodyInfo", body_info_fields, "A body of a model.");

static const dpy_field joint_info_fields[] = {
    DPY_MEMBER(dp_joint_info, name, DPY_TEXT, ""),
    DPY_OF(dp_joint_info, kind, DPY_ENUM, (void *)&dpy_joint_kind_enum, ""),
    DPY_MEMBER(dp_joint_info, body, DPY_ID, ""),
    DPY_MEMBER(dp_joint_info, q_index, DPY_INT, "its positions are q[q_index …]"),
    DPY_MEMBER(dp_joint_info, nq, DPY_INT, "its positions are q[q_index …]"),
    DPY_MEMBER(dp_joint_info, v_index, DPY_INT, "its velocities are v[v_index …]"),
    DPY_MEMBER(dp_joint_info, nv, DPY_INT, "its velocities are v[v_index …]"),
    DPY_ARRAY(dp_joint_info, anchor, DPY_VECTOR, 3, "in the body frame; axis is a unit vector"),
    DPY_ARRAY(dp_joint_info, axis, DPY_VECTOR, 3, "in the body frame; axis is a unit vector"),
    DPY_MEMBER(dp_joint_info, ref, DPY_DOUBLE, ""),
    DPY_MEMBER(dp_joint_info, armature, DPY_DOUBLE, ""),
    DPY_MEMBER(dp_joint_info, damping, DPY_DOUBLE, ""),
    DPY_MEMBER(dp_joint_info, stiffness, DPY_DOUBLE, ""),
    DPY_MEMBER(dp_joint_info, spring_ref, DPY_DOUBLE, ""),
    DPY_MEMBER(dp_joint_info, friction_loss, DPY_DOUBLE, ""),
    DPY_MEMBER(dp_joint_info, limited, DPY_BOOL, ""),
    DPY_ARRAY(dp_joint_info, range, DPY_VECTOR, 2, "[rad, m]"),
    DPY_OF(dp_joint_info, limit, DPY_STRUCT, &dpy_bearing_struct,
           "how both ends of the range give"),
};
dpy_struct dpy_joint_info_struct =
    DPY_TABLE(dp_joint_info, "JointInfo", joint_info_fields, "A joint of a model.");

static const dpy_field geom_info_fields[] = {
    DPY_MEMBER(dp_geom_info, name, DPY_TEXT, ""),
    DPY_OF(dp_geom_info, kind, DPY_ENUM, (void *)&dpy_geom_kind_enum, ""),
    DPY_MEMBER(dp_geom_info, body, DPY_ID, ""),
    DPY_ARRAY(dp_geom_info, size, DPY_VECTOR, 3, ""),
    DPY_AS(dp_geom_info, "position", pose.p, DPY_VECTOR, 3, "in the body frame"),
    DPY_AS(dp_geom_info, "quaternion", pose.q, DPY_VECTOR, 4, "in the body frame"),
    DPY_MEMBER(dp_geom_info, group, DPY_INT, ""),
    DPY_ARRAY(dp_geom_info, rgba, DPY_FLOATS, 4, ""),
    DPY_MEMBER(dp_geom_info, mesh, DPY_ID, ""),
    DPY_MEMBER(dp_geom_info, hfield, DPY_ID, ""),
    DPY_OF(dp_geom_info, mesh_contact, DPY_ENUM, (void *)&dpy_mesh_contact_enum,
           "by what a mesh touches; auto: by neither"),
    DPY_MEMBER(dp_geom_info, shell, DPY_BOOL, "its mass is on its surface"),
    DPY_MEMBER(dp_geom_info, contype, DPY_INT, ""),
    DPY_MEMBER(dp_geom_info, conaffinity, DPY_INT, ""),
    DPY_ARRAY(dp_geom_info, friction, DPY_VECTOR, 3, "sliding [1], torsional [m], rolling [m]"),
    DPY_OF(dp_geom_info, contact, DPY_STRUCT, &dpy_contact_spec_struct, ""),
    DPY_OF(dp_geom_info, foundation, DPY_STRUCT, &dpy_foundation_spec_struct, "nx = 0: none"),
};
dpy_struct dpy_geom_info_struct =
    DPY_TABLE(dp_geom_info, "GeomInfo", geom_info_fields, "A geom of a model.");

static const dpy_field site_info_fields[] = {
    DPY_MEMBER(dp_site_info, name, DPY_TEXT, ""),
    DPY_MEMBER(dp_site_info, body, DPY_ID, ""),
    DPY_OF(dp_site_info, kind, DPY_ENUM, (void *)&dpy_geom_kind_enum, ""),
    DPY_ARRAY(dp_site_info, size, DPY_VECTOR, 3, ""),
    DPY_AS(dp_site_info, "position", pose.p, DPY_VECTOR, 3, "in the body frame"),
    DPY_AS(dp_site_info, "quaternion", pose.q, DPY_VECTOR, 4, "in the body frame"),
};
dpy_struct dpy_site_info_struct =
    DPY_TABLE(dp_site_info, "SiteInfo", site_info_fields, "A site of a model.");

static const dpy_field actuator_info_fields[] = {
    DPY_MEMBER(dp_actuator_info, name, DPY_TEXT, ""),
    DPY_OF(dp_actuator_info, transmission, DPY_ENUM, (void *)&dpy_transmission_enum,
           "which of the next ones it drives"),
    DPY_MEMBER(dp_actuator_info, joint, DPY_ID, ""),
    DPY_MEMBER(dp_actuator_info, tendon, DPY_ID, ""),
    DPY_MEMBER(dp_actuator_info, site, DPY_ID, ""),
    DPY_MEMBER(dp_actuator_info, reference_site, DPY_ID, ""),
    DPY_MEMBER(dp_actuator_info, body, DPY_ID, ""),
    DPY_MEMBER(dp_actuator_info, activation_index, DPY_INT, "−1: none"),
    DPY_MEMBER(dp_actuator_info, control_limited, DPY_BOOL, ""),
    DPY_ARRAY(dp_actuator_info, control_range, DPY_VECTOR, 2, ""),
};
dpy_struct dpy_actuator_info_struct =
    DPY_TABLE(dp_actuator_info, "ActuatorInfo", actuator_info_fields, "An actuator of a model.");

static const dpy_field sensor_info_fields[] = {
    DPY_MEMBER(dp_sensor_info, name, DPY_TEXT, ""),
    DPY_OF(dp_sensor_info, kind, DPY_ENUM, (void *)&dpy_sensor_kind_enum, ""),
    DPY_MEMBER(dp_sensor_info, data_index, DPY_INT, "its values are sensor data [data_index …]"),
    DPY_MEMBER(dp_sensor_info, ndata, DPY_INT, "its values are sensor data [data_index …]"),
};
dpy_struct dpy_sensor_info_struct =
    DPY_TABLE(dp_sensor_info, "SensorInfo", sensor_info_fields, "A sensor of a model.");

static const dpy_field mesh_info_fields[] = {
    DPY_MEMBER(dp_mesh_info, name, DPY_TEXT, ""),
    DPY_GIVEN(dp_mesh_info, vertex, DPY_DOUBLES, 3, NULL, nvertex, "3·nvertex [m]"),
    DPY_GIVEN(dp_mesh_info, face, DPY_WHOLES, 3, NULL, nface,
              "3·nface vertex numbers, counterclockwise from outside"),
    DPY_GIVEN(dp_mesh_info, hull_vertex, DPY_DOUBLES, 3, NULL, nhull_vertex,
              "3·nhull_vertex [m]: its convex hull, where mass or contact need one or it has no "
              "faces of its own; else none"),
    DPY_GIVEN(dp_mesh_info, hull_face, DPY_WHOLES, 3, NULL, nhull_face, "3·nhull_face"),
    DPY_OF(dp_mesh_info, inertia, DPY_ENUM, (void *)&dpy_mesh_inertia_enum, ""),
    DPY_MEMBER(dp_mesh_info, measure, DPY_DOUBLE,
               "volume [m³], or area [m²] of a shell, by `inertia`; 0: no mass needs it"),
};
dpy_struct dpy_mesh_info_struct =
    DPY_TABLE(dp_mesh_info, "MeshInfo", mesh_info_fields, "A mesh of a model.");

static const dpy_field hfield_info_fields[] = {
    DPY_MEMBER(dp_hfield_info, name, DPY_TEXT, ""),
    DPY_MEMBER(dp_hfield_info, nrow, DPY_INT, ""),
    DPY_MEMBER(dp_hfield_info, ncol, DPY_INT, ""),
    {"elevation", DPY_GRID, offsetof(dp_hfield_info, elevation), 1, NULL,
     offsetof(dp_hfield_info, nrow), "(nrow, ncol), 0 … 1"},
    DPY_ARRAY(dp_hfield_info, size, DPY_VECTOR, 4, "as in dp_hfield_spec"),
};
dpy_struct dpy_hfield_info_struct =
    DPY_TABLE(dp_hfield_info, "HfieldInfo", hfield_info_fields, "A height field of a model.");

static const dpy_field pair_info_fields[] = {
    DPY_MEMBER(dp_pair_info, name, DPY_TEXT, ""),
    DPY_ARRAY(dp_pair_info, geom, DPY_INTS, 2, ""),
    DPY_ARRAY(dp_pair_info, friction, DPY_VECTOR, 5, "negative: from the geoms"),
    DPY_OF(dp_pair_info, contact, DPY_STRUCT, &dpy_contact_spec_struct, ""),
    DPY_MEMBER(dp_pair_info, contact_given, DPY_BOOL, "`contact` counts, not the geoms' numbers"),
};
dpy_struct dpy_pair_info_struct = DPY_TABLE(dp_pair_info, "PairInfo", pair_info_fields,
                                            "A pair of geoms with numbers of its own.");

static const dpy_field exclude_info_fields[] = {
    DPY_MEMBER(dp_exclude_info, name, DPY_TEXT, ""),
    DPY_ARRAY(dp_exclude_info, body, DPY_INTS, 2, ""),
};
dpy_struct dpy_exclude_info_struct =
    DPY_TABLE(dp_exclude_info, "ExcludeInfo", exclude_info_fields, "Two bodies that do not touch.");

static const dpy_field tendon_info_fields[] = {
    DPY_MEMBER(dp_tendon_info, name, DPY_TEXT, ""),
    DPY_MEMBER(dp_tendon_info, spatial, DPY_BOOL, ""),
    DPY_MEMBER(dp_tendon_info, nwrap, DPY_INT, "see dp_model_tendon_wrap"),
    DPY_MEMBER(dp_tendon_info, limited, DPY_BOOL, ""),
    DPY_ARRAY(dp_tendon_info, range, DPY_VECTOR, 2, "[m]"),
    DPY_OF(dp_tendon_info, limit, DPY_STRUCT, &dpy_bearing_struct,
           "how both ends of the range give"),
    DPY_MEMBER(dp_tendon_info, stiffness, DPY_DOUBLE, ""),
    DPY_MEMBER(dp_tendon_info, damping, DPY_DOUBLE, ""),
    DPY_MEMBER(dp_tendon_info, friction_loss, DPY_DOUBLE, ""),
    DPY_MEMBER(dp_tendon_info, armature, DPY_DOUBLE, ""),
    DPY_ARRAY(dp_tendon_info, spring_range, DPY_VECTOR, 2,
              "[m] −1 −1: the length where the springs of the joints rest"),
};
dpy_struct dpy_tendon_info_struct =
    DPY_TABLE(dp_tendon_info, "TendonInfo", tendon_info_fields, "A tendon of a model.");

static const dpy_field equality_info_fields[] = {
    DPY_MEMBER(dp_equality_info, name, DPY_TEXT, ""),
    DPY_OF(dp_equality_info, kind, DPY_ENUM, (void *)&dpy_equality_kind_enum, ""),
    DPY_ARRAY(dp_equality_info, object, DPY_INTS, 2,
              "numbers of the bodies (0: the world), joints or tendons; −1: none"),
    DPY_AS(dp_equality_info, "first_position", frame[0].p, DPY_VECTOR, 3,
           "of the frame in the first body"),
    DPY_AS(dp_equality_info, "first_quaternion", frame[0].q, DPY_VECTOR, 4,
           "of the frame in the first body"),
    DPY_AS(dp_equality_info, "second_position", frame[1].p, DPY_VECTOR, 3,
           "of the frame in the second body"),
    DPY_AS(dp_equality_info, "second_quaternion", frame[1].q, DPY_VECTOR, 4,
           "of the frame in the second body"),
    DPY_MEMBER(dp_equality_info, distance, DPY_DOUBLE, "[m] distance"),
    DPY_MEMBER(dp_equality_info, torque_scale, DPY_DOUBLE, "[m] weld"),
    DPY_ARRAY(dp_equality_info, polynomial, DPY_VECTOR, 5, "joint, tendon"),
    DPY_OF(dp_equality_info, bearing, DPY_STRUCT, &dpy_bearing_struct, "how it gives"),
    DPY_OF(dp_equality_info, turning, DPY_STRUCT, &dpy_bearing_struct,
           "weld: how it yields to torques"),
    DPY_MEMBER(dp_equality_info, active, DPY_BOOL, ""),
};
dpy_struct dpy_equality_info_struct =
    DPY_TABLE(dp_equality_info, "EqualityInfo", equality_info_fields, "An equality of a model.");

static const dpy_field force_info_fields[] = {
    DPY_MEMBER(dp_force_info, name, DPY_TEXT, ""),
    DPY_MEMBER(dp_force_info, body, DPY_ID, "or"),
    DPY_MEMBER(dp_force_info, joint, DPY_ID, "that it acts on"),
    DPY_AS(dp_force_info, "position", frame.p, DPY_VECTOR, 3,
           "body: the point, and the axes where `local`, in the body frame"),
    DPY_AS(dp_force_info, "quaternion", frame.q, DPY_VECTOR, 4,
           "body: the point, and the axes where `local`, in the body frame"),
    DPY_MEMBER(dp_force_info, local, DPY_BOOL, ""),
};
dpy_struct dpy_force_info_struct =
    DPY_TABLE(dp_force_info, "ForceInfo", force_info_fields, "A force given by expressions.");

static const dpy_field motion_info_fields[] = {
    DPY_MEMBER(dp_motion_info, name, DPY_TEXT, ""),
    DPY_MEMBER(dp_motion_info, joint, DPY_ID, "or"),
    DPY_MEMBER(dp_motion_info, body, DPY_ID, "that it moves"),
    DPY_OF(dp_motion_info, bearing, DPY_STRUCT, &dpy_bearing_struct, ""),
};
dpy_struct dpy_motion_info_struct =
    DPY_TABLE(dp_motion_info, "MotionInfo", motion_info_fields, "A motion given by expressions.");

dpy_struct *const dpy_info_struct[DPY_ELEMENTS] = {
    [DPY_BODY] = &dpy_body_info_struct,         [DPY_JOINT] = &dpy_joint_info_struct,
    [DPY_GEOM] = &dpy_geom_info_struct,         [DPY_SITE] = &dpy_site_info_struct,
    [DPY_ACTUATOR] = &dpy_actuator_info_struct, [DPY_SENSOR] = &dpy_sensor_info_struct,
    [DPY_MESH] = &dpy_mesh_info_struct,         [DPY_HFIELD] = &dpy_hfield_info_struct,
    [DPY_PAIR] = &dpy_pair_info_struct,         [DPY_EXCLUDE] = &dpy_exclude_info_struct,
    [DPY_TENDON] = &dpy_tendon_info_struct,     [DPY_EQUALITY] = &dpy_equality_info_struct,
    [DPY_FORCE] = &dpy_force_info_struct,       [DPY_MOTION] = &dpy_motion_info_struct,
};
