// What an element is before anything is said about it.
#include <dashpot/spec.h>

#include <math.h>

#define DEFAULT_SOLREF                                                                             \
    {                                                                                              \
        0.02, 1.0                                                                                  \
    }
#define DEFAULT_SOLIMP                                                                             \
    {                                                                                              \
        0.9, 0.95, 0.001, 0.5, 2.0                                                                 \
    }

dp_options dp_options_default(void)
{
    return (dp_options){.step = 0.002,
                        .gravity = {0.0, 0.0, -9.81},
                        .magnetic = {0.0, -0.5, 0.0},
                        .integrator = DP_INTEGRATOR_SEMI_IMPLICIT,
                        .relative_tolerance = 1e-8,
                        .absolute_tolerance = 1e-10,
                        .max_substeps = 100000,
                        .large_rotation = 0.1,
                        .solver = dp_law_options_default(),
                        .gap_tolerance = 1e-10,
                        .correction_speed = 1.0,
                        .max_passes = 25,
                        .patch_points = 8,
                        .max_halvings = 6,
                        .sleep_time = 0.5,
                        .contact_stiffness_scale = 1.0,
                        .contact_friction_scale = 1.0};
}

dp_body_spec dp_body_spec_default(void)
{
    return (dp_body_spec){.pose = DP_IDENTITY_POSE, .inertial = {.frame = DP_IDENTITY_POSE}};
}

dp_joint_spec dp_joint_spec_default(void)
{
    return (dp_joint_spec){.kind = DP_JOINT_HINGE,
                           .axis = {0.0, 0.0, 1.0},
                           .limit = {.stiffness = INFINITY},
                           .limit_solref = DEFAULT_SOLREF,
                           .limit_solimp = DEFAULT_SOLIMP};
}

dp_mesh_spec dp_mesh_spec_default(void)
{
    return (dp_mesh_spec){.inertia = DP_MESH_INERTIA_CONVEX};
}

dp_hfield_spec dp_hfield_spec_default(void)
{
    return (dp_hfield_spec){.size = {1.0, 1.0, 1.0, 1.0}};
}

dp_material dp_material_default(void)
{
    return (dp_material){.stiffness = 2e7,
                         .damping = 2e4,
                         .poisson = 0.3,
                         .restitution = -1.0,
                         .tangential_stiffness = (double)INFINITY};
}

static dp_contact_spec contact_spec_default(void)
{
    return (dp_contact_spec){.condim = 3,
                             .solmix = 1.0,
                             .solref = DEFAULT_SOLREF,
                             .solimp = DEFAULT_SOLIMP,
                             .material = dp_material_default()};
}

dp_geom_spec dp_geom_spec_default(void)
{
    return (dp_geom_spec){.kind = DP_GEOM_SPHERE,
                          .pose = DP_IDENTITY_POSE,
                          .mass = -1.0,
                          .density = 1000.0,
                          .contype = 1,
                          .conaffinity = 1,
                          .friction = {1.0, 0.005, 0.0001},
                          .rgba = {0.5f, 0.5f, 0.5f, 1.0f},
                          .contact = contact_spec_default(),
                          .foundation = {.youngs_modulus = 1e7, .depth = 1.0},
                          .fluid_coefficient = {0.5, 0.25, 1.5, 1.0, 1.0}};
}

dp_site_spec dp_site_spec_default(void)
{
    return (dp_site_spec){
        .kind = DP_GEOM_SPHERE, .size = {0.005, 0.005, 0.005}, .pose = DP_IDENTITY_POSE};
}

dp_muscle dp_muscle_default(void)
{
    return (dp_muscle){.range = {0.75, 1.05},
                       .force = -1.0,
                       .scale = 200.0,
                       .shortest = 0.5,
                       .longest = 1.6,
                       .fastest = 1.5,
                       .passive = 1.3,
                       .lengthening = 1.2};
}

dp_actuator_spec dp_actuator_spec_default(void)
{
    return (dp_actuator_spec){.gear = {1.0},
                              .time_constant = 1.0,
                              .relaxation_time = 1.0,
                              .gain = {1.0},
                              .gain_muscle = dp_muscle_default(),
                              .bias_muscle = dp_muscle_default()};
}

dp_pair_spec dp_pair_spec_default(void)
{
    return (dp_pair_spec){.friction = {-1.0, -1.0, -1.0, -1.0, -1.0},
                          .contact = contact_spec_default()};
}

dp_exclude_spec dp_exclude_spec_default(void)
{
    return (dp_exclude_spec){.name = NULL};
}

dp_tendon_spec dp_tendon_spec_default(void)
{
    return (dp_tendon_spec){.spring_range = {-1.0, -1.0},
                            .limit_solref = DEFAULT_SOLREF,
                            .limit_solimp = DEFAULT_SOLIMP,
                            .limit = {.stiffness = INFINITY}};
}

dp_equality_spec dp_equality_spec_default(void)
{
    return (dp_equality_spec){.kind = DP_EQUALITY_CONNECT,
                              .object_kind = DP_OBJECT_BODY,
                              .relative = DP_IDENTITY_POSE,
                              .distance = -1.0,
                              .torque_scale = 1.0,
                              .polynomial = {0.0, 1.0},
                              .active = true,
                              .solref = DEFAULT_SOLREF,
                              .solimp = DEFAULT_SOLIMP,
                              .bearing = {.stiffness = INFINITY}};
}

dp_force_spec dp_force_spec_default(void)
{
    return (dp_force_spec){.name = NULL};
}

dp_motion_spec dp_motion_spec_default(void)
{
    return (dp_motion_spec){.bearing = {.stiffness = INFINITY}};
}

dp_sensor_spec dp_sensor_spec_default(void)
{
    return (dp_sensor_spec){.kind = DP_SENSOR_ACCELEROMETER, .count = 1};
}

dp_key_spec dp_key_spec_default(void)
{
    return (dp_key_spec){.name = NULL};
}
