// The schema of URDF: names and types after the specification and its reader urdfdom (1.0 to 1.2),
// and the extensions that files in the wild carry without a prefix. Extensions with a prefix
// ("drake:…") need no entry unless more is to be said than that they are ignored. The verdicts are
// ours. Readers rely on the order of keywords.
#include "io/mjcf/mjcf_words.h"
#include "io/urdf/urdf.h"

// An element whose inside is not looked at
#define OPAQUE(name, ...)                                                                          \
    {                                                                                              \
        name, nothing, 0, NULL, __VA_ARGS__, false                                                 \
    }
#define GAZEBO WAITS("gazebo", "an extension for Gazebo")
#define BULLET WAITS("contact", "an extension for Bullet, not read")
#define DRAKE WAITS("drake", "an extension for Drake")
#define TOUCH WAITS("contact", "of contact, not read")
#define MISPLACED WAITS("gazebo", "an extension for Gazebo in the wrong place")
#define REQUIRED_NUMBER(name, ...) REQUIRED_NUMBERS(name, 1, __VA_ARGS__)

static const dp_mjcf_attribute nothing[] = {END};

// ---- poses

static const dp_mjcf_attribute origin_attributes[] = {
    NUMBERS("xyz", 3, USED),
    NUMBERS("rpy", 3, USED),
    NUMBERS("quat_xyzw", 4, USED), // 1.2
    END,
};
static const dp_mjcf_element origin_element = ELEMENT("origin", origin_attributes, NULL, USED);

// ---- inertial

static const dp_mjcf_attribute mass_attributes[] = {REQUIRED_NUMBER("value", USED), END};
static const dp_mjcf_element mass_element = ELEMENT("mass", mass_attributes, NULL, USED);

#define MIRRORED IGNORED("the other half of a symmetric matrix")
static const dp_mjcf_attribute inertia_attributes[] = {
    REQUIRED_NUMBER("ixx", USED), NUMBER("ixy", USED),
    NUMBER("ixz", USED),          REQUIRED_NUMBER("iyy", USED),
    NUMBER("iyz", USED),          REQUIRED_NUMBER("izz", USED),
    NUMBER("iyx", MIRRORED),      NUMBER("izx", MIRRORED),
    NUMBER("izy", MIRRORED),      END,
};
static const dp_mjcf_element inertia_element = ELEMENT("inertia", inertia_attributes, NULL, USED);

static const dp_mjcf_attribute density_attributes[] = {REQUIRED_NUMBER("value", USED), END};
static const dp_mjcf_element density_element = // Isaac Gym
    ELEMENT("density", density_attributes, NULL, USED);

static const dp_mjcf_element *const inertial_children[] = {
    &origin_element, &mass_element, &inertia_element, &density_element, NULL};
static const dp_mjcf_element inertial_element =
    ELEMENT("inertial", nothing, inertial_children, USED);

// ---- geometry

static const dp_mjcf_attribute box_attributes[] = {REQUIRED_NUMBERS("size", 3, USED), END};
static const dp_mjcf_element box_element = ELEMENT("box", box_attributes, NULL, USED);

static const dp_mjcf_attribute sphere_attributes[] = {REQUIRED_NUMBER("radius", USED), END};
static const dp_mjcf_element sphere_element = ELEMENT("sphere", sphere_attributes, NULL, USED);

static const dp_mjcf_attribute round_attributes[] = {REQUIRED_NUMBER("radius", USED),
                                                     REQUIRED_NUMBER("length", USED), END};
static const dp_mjcf_element cylinder_element = ELEMENT("cylinder", round_attributes, NULL, USED);
static const dp_mjcf_element capsule_element = ELEMENT("capsule", round_attributes, NULL, USED);
static const dp_mjcf_element drake_capsule_element =
    ELEMENT("drake:capsule", round_attributes, NULL, USED);

static const dp_mjcf_attribute ellipsoid_attributes[] = {
    REQUIRED_NUMBER("a", USED), REQUIRED_NUMBER("b", USED), REQUIRED_NUMBER("c", USED), END};
static const dp_mjcf_element drake_ellipsoid_element =
    ELEMENT("drake:ellipsoid", ellipsoid_attributes, NULL, USED);

static const dp_mjcf_attribute plane_attributes[] = {NUMBERS("normal", 3, USED), END};
static const dp_mjcf_element plane_element = // Bullet
    ELEMENT("plane", plane_attributes, NULL, USED);

static const dp_mjcf_attribute mesh_attributes[] = {
    REQUIRED("filename", USED), RULE("scale", DP_MJCF_NUMBERS, 3, 4, NULL, false, false, USED),
    END};
static const dp_mjcf_element mesh_element = ELEMENT("mesh", mesh_attributes, NULL, USED);

// ---- material

// Never parsed as numbers: a colour cannot spoil a mechanism.
static const dp_mjcf_attribute color_attributes[] = {TEXT("rgba", LOOKS), TEXT("rgb", LOOKS), END};
static const dp_mjcf_element color_element = ELEMENT("color", color_attributes, NULL, LOOKS);
static const dp_mjcf_element specular_element = // Bullet
    ELEMENT("specular", color_attributes, NULL, LOOKS);

static const dp_mjcf_attribute texture_attributes[] = {TEXT("filename", LOOKS), END};
static const dp_mjcf_element texture_element = ELEMENT("texture", texture_attributes, NULL, LOOKS);

static const dp_mjcf_attribute material_attributes[] = {TEXT("name", LOOKS), END};
static const dp_mjcf_element *const material_children[] = {&color_element, &texture_element,
                                                           &specular_element, NULL};
static const dp_mjcf_element material_element =
    ELEMENT("material", material_attributes, material_children, LOOKS);

// ---- the shape, which some files have the material in

static const dp_mjcf_element cdf_element = // Bullet
    OPAQUE("cdf", REFUSED("mesh-format", "distance fields are not read: use a mesh"));

static const dp_mjcf_element misplaced_origin_element =
    OPAQUE("origin", IGNORED("no reader looks for it in <geometry>"));

static const dp_mjcf_attribute geometry_attributes[] = {
    TEXT("name", IGNORED("a name that nothing refers to")), END};
static const dp_mjcf_element *const geometry_children[] = {
    &box_element,
    &sphere_element,
    &cylinder_element,
    &capsule_element,
    &drake_capsule_element,
    &drake_ellipsoid_element,
    &plane_element,
    &mesh_element,
    &cdf_element,
    &material_element,
    &misplaced_origin_element,
    NULL,
};
static const dp_mjcf_element geometry_element =
    ELEMENT("geometry", geometry_attributes, geometry_children, USED);

// What is only seen. Its meshes are not opened, so that nothing about them can spoil a mechanism.
static const dp_mjcf_attribute seen_mesh_attributes[] = {TEXT("filename", LOOKS),
                                                         TEXT("scale", LOOKS), END};
static const dp_mjcf_element seen_mesh_element = ELEMENT("mesh", seen_mesh_attributes, NULL, LOOKS);
static const dp_mjcf_element seen_cdf_element = OPAQUE("cdf", LOOKS);
static const dp_mjcf_element *const seen_geometry_children[] = {
    &box_element,      &sphere_element,           &cylinder_element,
    &capsule_element,  &drake_capsule_element,    &drake_ellipsoid_element,
    &plane_element,    &seen_mesh_element,        &seen_cdf_element,
    &material_element, &misplaced_origin_element, NULL,
};
static const dp_mjcf_element seen_geometry_element =
    ELEMENT("geometry", geometry_attributes, seen_geometry_children, LOOKS);

// ---- link

#define PLANNER IGNORED("an extension for planners")
static const dp_mjcf_element verbose_element = OPAQUE("verbose", IGNORED("a note of the author"));
static const dp_mjcf_element sensor_element =
    OPAQUE("sensor", IGNORED("sensors of URDF are not read"));
static const dp_mjcf_element gazebo_element = OPAQUE("gazebo", GAZEBO);
static const dp_mjcf_element contact_element = OPAQUE("contact", BULLET);
static const dp_mjcf_element audio_element = OPAQUE("audio_source", BULLET);
static const dp_mjcf_element gravity_element = OPAQUE("gravity", MISPLACED);
static const dp_mjcf_element kinematic_element = OPAQUE("kinematic", MISPLACED);
static const dp_mjcf_element static_element = OPAQUE("static", MISPLACED);
static const dp_mjcf_element self_collide_element = OPAQUE("self_collide", MISPLACED);
static const dp_mjcf_element turn_gravity_off_element = OPAQUE("turnGravityOff", MISPLACED);
static const dp_mjcf_element contact_coefficients_element = OPAQUE("contact_coefficients", TOUCH);
static const dp_mjcf_element surface_element = OPAQUE("surface", TOUCH);
static const dp_mjcf_element max_contacts_element = OPAQUE("max_contacts", TOUCH);
static const dp_mjcf_element sdf_element = OPAQUE("sdf", TOUCH); // Isaac Gym
static const dp_mjcf_element stray_origin_element =
    OPAQUE("origin", IGNORED("no reader looks for it in <link>; the joint has the pose"));

// Shapes by which planners look for collisions
static const dp_mjcf_element collision_checking_element = OPAQUE("collision_checking", PLANNER);
static const dp_mjcf_element self_checking_element = OPAQUE("self_collision_checking", PLANNER);
static const dp_mjcf_element self_filter_element = OPAQUE("self_filter", PLANNER);

static const dp_mjcf_attribute visual_attributes[] = {TEXT("name", LOOKS), TEXT("group", LOOKS),
                                                      END};
static const dp_mjcf_element *const visual_children[] = {&origin_element, &seen_geometry_element,
                                                         &material_element, &verbose_element, NULL};
static const dp_mjcf_element visual_element =
    ELEMENT("visual", visual_attributes, visual_children, LOOKS);

static const dp_mjcf_attribute collision_attributes[] = {
    TEXT("name", USED), TEXT("group", BULLET), TEXT("mask", BULLET), TEXT("concave", BULLET), END,
};
static const dp_mjcf_element *const collision_children[] = {
    &origin_element,   &geometry_element,
    &material_element, &verbose_element,
    &contact_element,  &contact_coefficients_element,
    &surface_element,  &max_contacts_element,
    &sdf_element,      NULL};
static const dp_mjcf_element collision_element =
    ELEMENT("collision", collision_attributes, collision_children, USED);

static const dp_mjcf_attribute link_attributes[] = {
    REQUIRED("name", USED),
    TEXT("type", IGNORED("no effect on the motion")), // PR2
    TEXT("concave", BULLET),
    TEXT("drake_ignore", DRAKE),
    END,
};
static const dp_mjcf_element *const link_children[] = {
    &inertial_element,      &visual_element,
    &collision_element,     &contact_element,
    &material_element,      &sensor_element,
    &gazebo_element,        &verbose_element,
    &audio_element,         &gravity_element,
    &kinematic_element,     &static_element,
    &self_collide_element,  &turn_gravity_off_element,
    &surface_element,       &collision_checking_element,
    &self_checking_element, &self_filter_element,
    &stray_origin_element,  NULL};
static const dp_mjcf_element link_element = ELEMENT("link", link_attributes, link_children, USED);

// ---- joint

static const dp_mjcf_attribute end_attributes[] = {REQUIRED("link", USED), END};
static const dp_mjcf_element parent_element = ELEMENT("parent", end_attributes, NULL, USED);
static const dp_mjcf_element child_element = ELEMENT("child", end_attributes, NULL, USED);

static const dp_mjcf_attribute axis_attributes[] = {
    NUMBERS("xyz", 3, USED),
    NUMBERS("rpy", 3, REFUSED("axis-rpy", "an axis is given by its direction xyz alone")),
    END,
};
static const dp_mjcf_element axis_element = ELEMENT("axis", axis_attributes, NULL, USED);

// Never parsed as numbers: what has no effect cannot spoil a mechanism.
#define DRIVE IGNORED("a bound for drives, and the file has none")
static const dp_mjcf_attribute limit_attributes[] = {
    NUMBER("lower", USED),
    NUMBER("upper", USED),
    TEXT("effort", DRIVE),
    TEXT("velocity", DRIVE),
    TEXT("acceleration", DRIVE),   // 1.2
    TEXT("deceleration", DRIVE),   // 1.2
    TEXT("jerk", DRIVE),           // 1.2
    TEXT("command_effort", DRIVE), // ANYmal
    TEXT("current", DRIVE),
    TEXT("gear_velocity", DRIVE),
    NUMBER("twist", REFUSED("ball-limit", "bounds of ball joints are not read")), // Bullet
    END,
};
static const dp_mjcf_element limit_element = ELEMENT("limit", limit_attributes, NULL, USED);

#define FRANKA                                                                                     \
    IGNORED("of some files of Franka's arm; damping and friction are what readers look for")
#define SPRING REFUSED("joint-spring", "springs of joints are not part of URDF")
static const dp_mjcf_attribute dynamics_attributes[] = {
    NUMBER("damping", USED),
    NUMBER("friction", USED),
    NUMBER("armature", USED), // Isaac Gym
    NUMBER("stiffness", SPRING),
    NUMBER("spring_stiffness", SPRING),
    NUMBER("spring_reference", IGNORED("matters with a spring only")),
    TEXT("D", FRANKA),
    TEXT("K", FRANKA),
    TEXT("mu_coulomb", FRANKA),
    TEXT("mu_viscous", FRANKA),
    END,
};
static const dp_mjcf_element dynamics_element =
    ELEMENT("dynamics", dynamics_attributes, NULL, USED);

static const dp_mjcf_attribute mimic_attributes[] = {
    REQUIRED("joint", USED),
    NUMBER("multiplier", USED),
    NUMBER("offset", USED),
    END,
};
static const dp_mjcf_element mimic_element = ELEMENT("mimic", mimic_attributes, NULL, USED);

#define CONTROLLER IGNORED("a setting of controllers")
static const dp_mjcf_attribute calibration_attributes[] = {
    TEXT("rising", CONTROLLER), TEXT("falling", CONTROLLER), TEXT("reference_position", CONTROLLER),
    END};
static const dp_mjcf_element calibration_element =
    ELEMENT("calibration", calibration_attributes, NULL, CONTROLLER);

static const dp_mjcf_attribute safety_attributes[] = {
    TEXT("soft_lower_limit", CONTROLLER), TEXT("soft_upper_limit", CONTROLLER),
    TEXT("k_position", CONTROLLER), TEXT("k_velocity", CONTROLLER), END};
static const dp_mjcf_element safety_element =
    ELEMENT("safety_controller", safety_attributes, NULL, CONTROLLER);

static const dp_mjcf_element hardware_element = OPAQUE("hardwareInterface", CONTROLLER);
static const dp_mjcf_element gains_element = OPAQUE("controller_gains", CONTROLLER);
static const dp_mjcf_element preserve_element = OPAQUE("preserveFixedJoint", MISPLACED);
static const dp_mjcf_element no_lumping_element = OPAQUE("disableFixedJointLumping", MISPLACED);
static const dp_mjcf_element anchor_element =
    OPAQUE("anchor", IGNORED("of old files; the joint is at its origin"));
static const dp_mjcf_element joint_properties_element =
    OPAQUE("joint_properties", IGNORED("of old files; <dynamics> is what readers look for"));

static const dp_mjcf_attribute joint_attributes[] = {
    REQUIRED("name", USED),
    REQUIRED_KEYWORD("type", "revolute continuous prismatic fixed floating planar spherical", USED),
    TEXT("dont_collapse", IGNORED("links are never merged")), // Isaac Gym
    TEXT("drake_ignore", DRAKE),
    END,
};
static const dp_mjcf_element *const joint_children[] = {
    &origin_element,
    &parent_element,
    &child_element,
    &axis_element,
    &limit_element,
    &dynamics_element,
    &mimic_element,
    &safety_element,
    &calibration_element,
    &hardware_element,
    &gains_element,
    &anchor_element,
    &joint_properties_element,
    &sensor_element,
    &gazebo_element,
    &preserve_element,
    &no_lumping_element,
    NULL,
};
static const dp_mjcf_element joint_element =
    ELEMENT("joint", joint_attributes, joint_children, USED);

// ---- robot

static const dp_mjcf_element mujoco_element = OPAQUE("mujoco", USED); // urdf_mujoco.c reads it
static const dp_mjcf_element transmission_element =
    OPAQUE("transmission", IGNORED("drives are not made of transmissions"));
static const dp_mjcf_element ros2_control_element = OPAQUE("ros2_control", CONTROLLER);
static const dp_mjcf_element plugin_element = OPAQUE("plugin", GAZEBO);
static const dp_mjcf_element webots_element = OPAQUE("webots", IGNORED("an extension for Webots"));
static const dp_mjcf_element frame_element = OPAQUE("frame", DRAKE);
static const dp_mjcf_element filter_group_element = OPAQUE("collision_filter_group", DRAKE);
static const dp_mjcf_element disable_collisions_element = OPAQUE("disable_collisions", TOUCH);
static const dp_mjcf_element properties_element = // of drones
    OPAQUE("properties", IGNORED("forces of propellers are not part of URDF"));

// Parts of SRDF, which tells planners about a robot
static const dp_mjcf_element group_element = OPAQUE("group", PLANNER);
static const dp_mjcf_element group_state_element = OPAQUE("group_state", PLANNER);
static const dp_mjcf_element end_effector_element = OPAQUE("end_effector", PLANNER);
static const dp_mjcf_element virtual_joint_element = OPAQUE("virtual_joint", PLANNER);
static const dp_mjcf_element passive_joint_element = OPAQUE("passive_joint", PLANNER);

// What would change the motion
static const dp_mjcf_element deformable_element = OPAQUE("deformable", FLEX); // Bullet
static const dp_mjcf_element reduced_deformable_element =
    OPAQUE("reduced_deformable", FLEX); // Bullet
static const dp_mjcf_element loop_joint_element =
    OPAQUE("loop_joint", REFUSED("loop_joint", "loops are not read from URDF"));
static const dp_mjcf_element drake_joint_element =
    OPAQUE("drake:joint", REFUSED("drake:joint", "joints of Drake's own are not read"));
// Between points P of body A and Q of body B
static const dp_mjcf_attribute body_name_attributes[] = {REQUIRED("name", USED), END};
static const dp_mjcf_attribute vector_attributes[] = {REQUIRED_NUMBERS("value", 3, USED), END};
static const dp_mjcf_attribute value_attributes[] = {REQUIRED_NUMBER("value", USED), END};
static const dp_mjcf_element ball_body_A =
    ELEMENT("drake:ball_constraint_body_A", body_name_attributes, NULL, USED);
static const dp_mjcf_element ball_body_B =
    ELEMENT("drake:ball_constraint_body_B", body_name_attributes, NULL, USED);
static const dp_mjcf_element ball_p_AP =
    ELEMENT("drake:ball_constraint_p_AP", vector_attributes, NULL, USED);
static const dp_mjcf_element ball_p_BQ =
    ELEMENT("drake:ball_constraint_p_BQ", vector_attributes, NULL, USED);
static const dp_mjcf_element *const ball_constraint_children[] = {&ball_body_A, &ball_body_B,
                                                                  &ball_p_AP, &ball_p_BQ, NULL};
static const dp_mjcf_element ball_constraint_element =
    ELEMENT("drake:ball_constraint", nothing, ball_constraint_children, USED);
static const dp_mjcf_element tendon_constraint_element =
    OPAQUE("drake:tendon_constraint",
           REFUSED("drake:tendon_constraint", "constraints of Drake's own are not read"));
static const dp_mjcf_element bushing_element =
    OPAQUE("drake:linear_bushing_rpy",
           REFUSED("drake:linear_bushing_rpy", "forces of Drake's own are not read"));
static const dp_mjcf_element spring_body_A =
    ELEMENT("drake:linear_spring_damper_body_A", body_name_attributes, NULL, USED);
static const dp_mjcf_element spring_body_B =
    ELEMENT("drake:linear_spring_damper_body_B", body_name_attributes, NULL, USED);
static const dp_mjcf_element spring_p_AP =
    ELEMENT("drake:linear_spring_damper_p_AP", vector_attributes, NULL, USED);
static const dp_mjcf_element spring_p_BQ =
    ELEMENT("drake:linear_spring_damper_p_BQ", vector_attributes, NULL, USED);
static const dp_mjcf_element spring_length =
    ELEMENT("drake:linear_spring_damper_free_length", value_attributes, NULL, USED);
static const dp_mjcf_element spring_stiffness =
    ELEMENT("drake:linear_spring_damper_stiffness", value_attributes, NULL, USED);
static const dp_mjcf_element spring_damping =
    ELEMENT("drake:linear_spring_damper_damping", value_attributes, NULL, USED);
static const dp_mjcf_element *const spring_damper_children[] = {
    &spring_body_A, &spring_body_B,    &spring_p_AP,    &spring_p_BQ,
    &spring_length, &spring_stiffness, &spring_damping, NULL};
static const dp_mjcf_element spring_damper_element =
    ELEMENT("drake:linear_spring_damper", nothing, spring_damper_children, USED);

static const dp_mjcf_attribute robot_attributes[] = {
    OWN("name", USED),
    TEXT("version", IGNORED("all versions are read alike")),
    TEXT("xmlns", IGNORED("no effect on the motion")),
    END,
};
static const dp_mjcf_element *const robot_children[] = {
    &link_element,
    &joint_element,
    &material_element,
    &mujoco_element,
    &transmission_element,
    &gazebo_element,
    &sensor_element,
    &ros2_control_element,
    &plugin_element,
    &webots_element,
    &static_element,
    &self_collide_element,
    &properties_element,
    &frame_element,
    &filter_group_element,
    &disable_collisions_element,
    &group_element,
    &group_state_element,
    &end_effector_element,
    &virtual_joint_element,
    &passive_joint_element,
    &deformable_element,
    &reduced_deformable_element,
    &loop_joint_element,
    &drake_joint_element,
    &ball_constraint_element,
    &tendon_constraint_element,
    &bushing_element,
    &spring_damper_element,
    NULL,
};
const dp_mjcf_element dp_urdf_root = ELEMENT("robot", robot_attributes, robot_children, USED);
