// Impossible mechanisms: each is refused with a status and a message that names the culprit.
//
// Every case spoils one thing of the same sound mechanism (small_spec.h).
#include "bad_mechanism.h"
#include "small_spec.h"
#include "spec_parts.h"

#include <math.h>

// Ids of the sound mechanism
enum { CART = 1, POLE, TIP, BALL, HAND };
enum { PIVOT = 1 };
enum { CART_BOX, POLE_ROD, BALL_BALL };
enum { MOTOR, SERVO };
enum { IMU, POSITION };

static dp_sensor_spec *sensor(dp_spec *s, int i)
{
    return dp_spec_sensor(s, (dp_sensor_id){i});
}

static dp_key_spec *key(dp_spec *s)
{
    return dp_spec_key(s, (dp_key_id){0});
}

static void give_inertia(dp_spec *s, int i, double mass, double x, double y, double z)
{
    body(s, i)->inertia_source = DP_INERTIA_SOURCE_GIVEN;
    body(s, i)->inertial = (dp_inertial){mass, DP_IDENTITY_POSE, {x, y, z}};
}

static void limit(dp_spec *s, int i, double low, double high)
{
    joint(s, i)->limited = true;
    joint(s, i)->range[0] = low;
    joint(s, i)->range[1] = high;
}

static dp_status add(dp_spec *s, int i, const char *name, dp_joint_kind kind)
{
    dp_joint_spec added = dp_joint_spec_default();
    added.name = name;
    added.kind = kind;
    return dp_spec_add_joint(NULL, s, (dp_body_id){i}, &added);
}

// The cases. Each returns what adding said, or DP_OK when the compiler has to find it.

static dp_status massless_moving_body(dp_spec *s)
{
    geom(s, CART_BOX)->mass = 0.0;
    return DP_OK;
}

static dp_status massless_moving_body_at_a_place(dp_spec *s)
{
    geom(s, CART_BOX)->mass = 0.0;
    body(s, CART)->where = (dp_location){"pendulum.xml", 12};
    return DP_OK;
}

static dp_status negative_mass(dp_spec *s)
{
    give_inertia(s, CART, -1.0, 1.0, 1.0, 1.0);
    return DP_OK;
}

static dp_status point_mass_that_turns(dp_spec *s)
{
    give_inertia(s, CART, 1.0, 0.0, 0.0, 0.0);
    return DP_OK;
}

static dp_status rod_without_thickness(dp_spec *s)
{
    give_inertia(s, CART, 1.0, 1.0, 1.0, 0.0);
    return DP_OK;
}

static dp_status negative_moment(dp_spec *s)
{
    give_inertia(s, CART, 1.0, 1.0, -1.0, 1.0);
    return DP_OK;
}

static dp_status triangle_inequality(dp_spec *s)
{
    give_inertia(s, CART, 1.0, 1.0, 1.0, 2.1);
    return DP_OK;
}

static dp_status infinite_mass(dp_spec *s)
{
    give_inertia(s, CART, INFINITY, 1.0, 1.0, 1.0);
    return DP_OK;
}

static dp_status mass_beyond_all_numbers(dp_spec *s)
{
    geom(s, CART_BOX)->density = 1e308;
    geom(s, CART_BOX)->size[0] = 1e10;
    return DP_OK;
}

static dp_status mass_too_far_away(dp_spec *s)
{
    geom(s, CART_BOX)->pose.p.x = 1e200; // its square is too large for a double
    return DP_OK;
}

static dp_status zero_quaternion_of_inertia(dp_spec *s)
{
    give_inertia(s, CART, 1.0, 1.0, 1.0, 1.0);
    body(s, CART)->inertial.frame.q = (dp_quat){0.0, 0.0, 0.0, 0.0};
    return DP_OK;
}

static dp_status body_position_not_a_number(dp_spec *s)
{
    body(s, POLE)->pose.p.y = NAN;
    return DP_OK;
}

static dp_status body_quaternion_infinite(dp_spec *s)
{
    body(s, POLE)->pose.q.z = -INFINITY;
    return DP_OK;
}

static dp_status zero_quaternion_of_body(dp_spec *s)
{
    body(s, POLE)->pose.q.w = 0.0;
    return DP_OK;
}

static dp_status gravity_compensation_not_a_number(dp_spec *s)
{
    body(s, POLE)->gravity_compensation = NAN;
    return DP_OK;
}

static dp_status moment_not_a_number(dp_spec *s)
{
    body(s, POLE)->inertial.moments.y = NAN;
    return DP_OK;
}

static dp_status unknown_parent(dp_spec *s)
{
    const dp_body_spec b = {.name = "orphan", .pose = DP_IDENTITY_POSE};
    return dp_spec_add_body(NULL, s, (dp_body_id){99}, &b);
}

static dp_status parent_before_the_world(dp_spec *s)
{
    const dp_body_spec b = {.pose = DP_IDENTITY_POSE};
    return dp_spec_add_body(NULL, s, (dp_body_id){-1}, &b);
}

static dp_status joint_of_no_body(dp_spec *s)
{
    const dp_joint_spec j = dp_joint_spec_default();
    return dp_spec_add_joint(NULL, s, (dp_body_id){6}, &j);
}

static dp_status geom_of_no_body(dp_spec *s)
{
    dp_geom_spec g = dp_geom_spec_default();
    g.name = "lost";
    return dp_spec_add_geom(NULL, s, (dp_body_id){6}, &g);
}

static dp_status site_of_no_body(dp_spec *s)
{
    dp_site_spec g = dp_site_spec_default();
    g.name = "lost";
    return dp_spec_add_site(NULL, s, (dp_body_id){-3}, &g);
}

static dp_status two_bodies_of_one_name(dp_spec *s)
{
    dp_body_spec b = dp_body_spec_default();
    b.name = "cart";
    b.where = (dp_location){"a.xml", 9};
    return dp_spec_add_body(NULL, s, DP_WORLD, &b);
}

static dp_status two_joints_of_one_name(dp_spec *s)
{
    dp_joint_spec j = dp_joint_spec_default();
    j.name = "pivot";
    return dp_spec_add_joint(NULL, s, (dp_body_id){TIP}, &j);
}

static dp_status a_second_world(dp_spec *s)
{
    dp_body_spec b = dp_body_spec_default();
    b.name = "world";
    return dp_spec_add_body(NULL, s, DP_WORLD, &b);
}

static dp_status names_made_equal_later(dp_spec *s)
{
    geom(s, BALL_BALL)->name = "cart_box";
    return DP_OK;
}

static dp_status moved_world(dp_spec *s)
{
    body(s, 0)->pose.p.x = 1.0;
    return DP_OK;
}

static dp_status joint_on_the_world(dp_spec *s)
{
    const dp_joint_spec j = {.name = "tilt", .axis = {0.0, 0.0, 1.0}, .kind = DP_JOINT_HINGE};
    return dp_spec_add_joint(NULL, s, DP_WORLD, &j);
}

static dp_status zero_axis(dp_spec *s)
{
    joint(s, PIVOT)->axis = (dp_v3){0.0, 0.0, 0.0};
    return DP_OK;
}

static dp_status axis_not_a_number(dp_spec *s)
{
    joint(s, PIVOT)->axis.x = NAN;
    return DP_OK;
}

static dp_status anchor_infinite(dp_spec *s)
{
    joint(s, PIVOT)->anchor.x = INFINITY;
    return DP_OK;
}

static dp_status ref_not_a_number(dp_spec *s)
{
    joint(s, PIVOT)->ref = NAN;
    return DP_OK;
}

static dp_status negative_armature(dp_spec *s)
{
    joint(s, PIVOT)->armature = -0.5;
    return DP_OK;
}

static dp_status negative_damping(dp_spec *s)
{
    joint(s, PIVOT)->damping = -1.0;
    return DP_OK;
}

static dp_status negative_stiffness(dp_spec *s)
{
    joint(s, PIVOT)->stiffness = -2.0;
    return DP_OK;
}

static dp_status negative_friction_loss(dp_spec *s)
{
    joint(s, PIVOT)->friction_loss = -3.0;
    return DP_OK;
}

static dp_status spring_reference_not_a_number(dp_spec *s)
{
    joint(s, PIVOT)->spring_ref = NAN;
    return DP_OK;
}

static dp_status reversed_joint_range(dp_spec *s)
{
    limit(s, PIVOT, 1.0, -1.0);
    return DP_OK;
}

static dp_status empty_joint_range(dp_spec *s)
{
    limit(s, PIVOT, 1.0, 1.0);
    return DP_OK;
}

static dp_status joint_range_not_a_number(dp_spec *s)
{
    limit(s, PIVOT, NAN, 1.0);
    return DP_OK;
}

static dp_status ball_range_with_a_lower_end(dp_spec *s)
{
    joint(s, PIVOT)->kind = DP_JOINT_BALL;
    limit(s, PIVOT, 0.5, 1.0);
    return DP_OK;
}

static dp_status unnamed_joint(dp_spec *s)
{
    joint(s, PIVOT)->name = NULL;
    dp_spec_actuator(s, (dp_actuator_id){1})->joint = "slider";
    joint(s, PIVOT)->damping = -1.0;
    return DP_OK;
}

static dp_status unnamed_body(dp_spec *s)
{
    body(s, POLE)->name = NULL;
    geom(s, POLE_ROD)->mass = 0.0;
    return DP_OK;
}

static dp_status free_joint_inside_a_tree(dp_spec *s)
{
    return add(s, POLE, "loose", DP_JOINT_FREE);
}

static dp_status free_joint_with_another(dp_spec *s)
{
    return add(s, BALL, "extra", DP_JOINT_HINGE);
}

static dp_status hinge_after_ball(dp_spec *s)
{
    joint(s, PIVOT)->kind = DP_JOINT_BALL;
    return add(s, POLE, "twist", DP_JOINT_HINGE);
}

static dp_status two_balls(dp_spec *s)
{
    joint(s, PIVOT)->kind = DP_JOINT_BALL;
    return add(s, POLE, "again", DP_JOINT_BALL);
}

static dp_status seven_degrees_of_freedom(dp_spec *s)
{
    for (int k = 0; k < 6; ++k) {
        const dp_status status = add(s, POLE, NULL, DP_JOINT_SLIDE);
        if (status != DP_OK) {
            return status;
        }
    }
    return DP_OK;
}

static dp_status mocap_with_joints(dp_spec *s)
{
    return add(s, HAND, "wrist", DP_JOINT_HINGE);
}

static dp_status mocap_inside_a_tree(dp_spec *s)
{
    body(s, TIP)->mocap = true;
    return DP_OK;
}

static dp_status unknown_joint_kind(dp_spec *s)
{
    joint(s, PIVOT)->kind = (dp_joint_kind)17;
    return DP_OK;
}

static dp_status zero_size(dp_spec *s)
{
    geom(s, BALL_BALL)->size[0] = 0.0;
    return DP_OK;
}

static dp_status negative_size(dp_spec *s)
{
    geom(s, CART_BOX)->size[2] = -0.1;
    return DP_OK;
}

static dp_status capsule_without_length(dp_spec *s)
{
    geom(s, POLE_ROD)->size[1] = 0.0;
    return DP_OK;
}

static dp_status plane_with_negative_size(dp_spec *s)
{
    geom(s, BALL_BALL)->kind = DP_GEOM_PLANE;
    geom(s, BALL_BALL)->size[0] = -1.0;
    return DP_OK;
}

static dp_status size_not_a_number(dp_spec *s)
{
    geom(s, CART_BOX)->size[1] = NAN;
    return DP_OK;
}

static dp_status geom_mass_not_a_number(dp_spec *s)
{
    geom(s, CART_BOX)->mass = NAN;
    return DP_OK;
}

static dp_status negative_density(dp_spec *s)
{
    geom(s, CART_BOX)->density = -1.0;
    return DP_OK;
}

static dp_status negative_friction(dp_spec *s)
{
    geom(s, CART_BOX)->friction[1] = -1.0;
    return DP_OK;
}

static dp_status zero_quaternion_of_geom(dp_spec *s)
{
    geom(s, CART_BOX)->pose.q.w = 0.0;
    return DP_OK;
}

static dp_status colour_not_a_number(dp_spec *s)
{
    geom(s, CART_BOX)->rgba[2] = (float)NAN;
    return DP_OK;
}

static dp_status unknown_geom_kind(dp_spec *s)
{
    geom(s, CART_BOX)->kind = (dp_geom_kind)-1;
    return DP_OK;
}

static dp_status site_position_not_a_number(dp_spec *s)
{
    dp_spec_site(s, (dp_site_id){0})->pose.p.x = NAN;
    return DP_OK;
}

static dp_status site_that_is_a_plane(dp_spec *s)
{
    dp_spec_site(s, (dp_site_id){0})->kind = DP_GEOM_PLANE;
    return DP_OK;
}

static dp_status site_of_negative_size(dp_spec *s)
{
    dp_spec_site(s, (dp_site_id){0})->size[0] = -0.1;
    return DP_OK;
}

static dp_status touch_without_a_volume(dp_spec *s)
{
    dp_spec_site(s, (dp_site_id){0})->size[0] = 0.0;
    sensor(s, IMU)->kind = DP_SENSOR_TOUCH;
    return DP_OK;
}

static dp_status zero_quaternion_of_site(dp_spec *s)
{
    dp_spec_site(s, (dp_site_id){0})->pose.q.w = 0.0;
    return DP_OK;
}

static dp_status actuator_of_no_joint(dp_spec *s)
{
    actuator(s, MOTOR)->joint = "slidr";
    return DP_OK;
}

static dp_status actuator_without_joint(dp_spec *s)
{
    dp_actuator_spec a = dp_actuator_spec_default();
    a.name = "idle";
    return dp_spec_add_actuator(NULL, s, &a);
}

static dp_status zero_gear(dp_spec *s)
{
    actuator(s, MOTOR)->gear[0] = 0.0;
    return DP_OK;
}

static dp_status gear_only_where_the_joint_has_none(dp_spec *s)
{
    actuator(s, MOTOR)->gear[0] = 0.0;
    actuator(s, MOTOR)->gear[1] = 1.0;
    return DP_OK;
}

static dp_status filter_without_time(dp_spec *s)
{
    actuator(s, SERVO)->time_constant = 0.0;
    return DP_OK;
}

static dp_status gain_infinite(dp_spec *s)
{
    actuator(s, MOTOR)->gain[1] = INFINITY;
    return DP_OK;
}

static dp_status bias_not_a_number(dp_spec *s)
{
    actuator(s, MOTOR)->bias[2] = NAN;
    return DP_OK;
}

static dp_status reversed_control_range(dp_spec *s)
{
    actuator(s, SERVO)->control_range[1] = -2.0;
    return DP_OK;
}

static dp_status empty_force_range(dp_spec *s)
{
    actuator(s, SERVO)->force_limited = true;
    return DP_OK;
}

static dp_status empty_activation_range(dp_spec *s)
{
    actuator(s, SERVO)->activation_limited = true;
    return DP_OK;
}

static dp_status activation_limits_without_activation(dp_spec *s)
{
    actuator(s, MOTOR)->activation_limited = true;
    return DP_OK;
}

static dp_status sensor_of_no_site(dp_spec *s)
{
    sensor(s, IMU)->object = "tip_sight";
    return DP_OK;
}

static dp_status sensor_without_object(dp_spec *s)
{
    dp_sensor_spec x = dp_sensor_spec_default();
    x.name = "blind";
    x.kind = DP_SENSOR_GYRO;
    return dp_spec_add_sensor(NULL, s, &x);
}

static dp_status accelerometer_on_a_body(dp_spec *s)
{
    sensor(s, IMU)->object_kind = DP_OBJECT_BODY;
    return DP_OK;
}

static dp_status frame_sensor_on_a_joint(dp_spec *s)
{
    sensor(s, POSITION)->object_kind = DP_OBJECT_JOINT;
    return DP_OK;
}

static dp_status reference_of_an_accelerometer(dp_spec *s)
{
    sensor(s, IMU)->reference_kind = DP_OBJECT_BODY;
    sensor(s, IMU)->reference = "cart";
    return DP_OK;
}

static dp_status reference_to_no_geom(dp_spec *s)
{
    sensor(s, POSITION)->reference = "cart";
    return DP_OK;
}

static dp_status clock_on_a_site(dp_spec *s)
{
    sensor(s, IMU)->kind = DP_SENSOR_CLOCK;
    return DP_OK;
}

static dp_status joint_position_of_a_free_joint(dp_spec *s)
{
    sensor(s, IMU)->kind = DP_SENSOR_JOINT_POSITION;
    sensor(s, IMU)->object = "flight";
    return DP_OK;
}

static dp_status ball_quaternion_of_a_hinge(dp_spec *s)
{
    sensor(s, IMU)->kind = DP_SENSOR_BALL_QUATERNION;
    sensor(s, IMU)->object = "pivot";
    return DP_OK;
}

static dp_status negative_cutoff(dp_spec *s)
{
    sensor(s, IMU)->cutoff = -1.0;
    return DP_OK;
}

static dp_status unknown_sensor_kind(dp_spec *s)
{
    sensor(s, IMU)->kind = DP_SENSOR_KINDS;
    return DP_OK;
}

static dp_status key_with_too_few_positions(dp_spec *s)
{
    key(s)->nq = 3;
    return DP_OK;
}

static dp_status key_with_too_many_controls(dp_spec *s)
{
    static const double u[3] = {0.0, 0.0, 0.0};
    key(s)->control = u;
    key(s)->nu = 3;
    return DP_OK;
}

static dp_status key_with_one_velocity(dp_spec *s)
{
    static const double v[1] = {0.0};
    key(s)->v = v;
    key(s)->nv = 1;
    return DP_OK;
}

static dp_status key_with_mocap_of_wrong_size(dp_spec *s)
{
    static const double p[4] = {0.0};
    key(s)->mocap_position = p;
    key(s)->nmocap_position = 4;
    return DP_OK;
}

static dp_status key_with_zero_quaternion(dp_spec *s)
{
    static const double q[9] = {0.0};
    key(s)->q = q;
    return DP_OK;
}

static dp_status key_with_zero_mocap_quaternion(dp_spec *s)
{
    static const double q[4] = {0.0};
    key(s)->mocap_quaternion = q;
    key(s)->nmocap_quaternion = 4;
    return DP_OK;
}

static dp_status key_position_not_a_number(dp_spec *s)
{
    static const double q[9] = {0.0, NAN};
    key(s)->q = q;
    return DP_OK;
}

static dp_status key_time_infinite(dp_spec *s)
{
    key(s)->time = INFINITY;
    return DP_OK;
}

static dp_status zero_step(dp_spec *s)
{
    dp_spec_options(s)->step = 0.0;
    return DP_OK;
}

static dp_status step_not_a_number(dp_spec *s)
{
    dp_spec_options(s)->step = NAN;
    return DP_OK;
}

static dp_status gravity_not_a_number(dp_spec *s)
{
    dp_spec_options(s)->gravity.z = NAN;
    return DP_OK;
}

static dp_status zero_tolerance(dp_spec *s)
{
    dp_spec_options(s)->relative_tolerance = 0.0;
    return DP_OK;
}

static dp_status negative_absolute_tolerance(dp_spec *s)
{
    dp_spec_options(s)->absolute_tolerance = -1.0;
    return DP_OK;
}

static dp_status no_substeps(dp_spec *s)
{
    dp_spec_options(s)->max_substeps = 0;
    return DP_OK;
}

static dp_status negative_large_rotation(dp_spec *s)
{
    dp_spec_options(s)->large_rotation = -0.1;
    return DP_OK;
}

static dp_status unknown_integrator(dp_spec *s)
{
    dp_spec_options(s)->integrator = (dp_integrator)9;
    return DP_OK;
}

static dp_status nameless_feature(dp_spec *s)
{
    return dp_spec_allow(s, "");
}

static const bad_mechanism bad[] = {
    {"massless_moving_body",
     massless_moving_body,
     DP_ERROR_ARGUMENT,
     {"body 'cart' moves but has mass 0 kg", "expected a mass > 0"}},
    {"massless_moving_body_at_a_place",
     massless_moving_body_at_a_place,
     DP_ERROR_ARGUMENT,
     {"pendulum.xml:12: body 'cart' moves but has mass 0 kg"}},
    {"negative_mass", negative_mass, DP_ERROR_ARGUMENT, {"body 'cart'", "mass -1 kg"}},
    {"point_mass_that_turns",
     point_mass_that_turns,
     DP_ERROR_ARGUMENT,
     {"body 'cart' moves but has moments of inertia 0, 0, 0"}},
    {"rod_without_thickness",
     rod_without_thickness,
     DP_ERROR_ARGUMENT,
     {"body 'cart' moves but has moments of inertia 1, 1, 0"}},
    {"negative_moment",
     negative_moment,
     DP_ERROR_ARGUMENT,
     {"body 'cart'", "moments of inertia 1, -1, 1"}},
    {"triangle_inequality",
     triangle_inequality,
     DP_ERROR_ARGUMENT,
     {"body 'cart'", "which no mass has"}},
    {"infinite_mass", infinite_mass, DP_ERROR_ARGUMENT, {"body 'cart' has inf in its mass"}},
    {"mass_beyond_all_numbers",
     mass_beyond_all_numbers,
     DP_ERROR_ARGUMENT,
     {"geom 'cart_box'", "mass"}},
    {"mass_too_far_away",
     mass_too_far_away,
     DP_ERROR_ARGUMENT,
     {"body 'cart' has mass", "too far from its origin"}},
    {"zero_quaternion_of_inertia",
     zero_quaternion_of_inertia,
     DP_ERROR_ARGUMENT,
     {"body 'cart'", "zero quaternion", "inertia"}},
    {"body_position_not_a_number",
     body_position_not_a_number,
     DP_ERROR_ARGUMENT,
     {"body 'pole' has", "nan", "position"}},
    {"body_quaternion_infinite",
     body_quaternion_infinite,
     DP_ERROR_ARGUMENT,
     {"body 'pole' has -inf in its quaternion"}},
    {"zero_quaternion_of_body",
     zero_quaternion_of_body,
     DP_ERROR_ARGUMENT,
     {"body 'pole' has a zero quaternion"}},
    {"gravity_compensation_not_a_number",
     gravity_compensation_not_a_number,
     DP_ERROR_ARGUMENT,
     {"body 'pole'", "gravity compensation"}},
    {"moment_not_a_number",
     moment_not_a_number,
     DP_ERROR_ARGUMENT,
     {"body 'pole'", "moments of inertia"}},
    {"unknown_parent",
     unknown_parent,
     DP_ERROR_ARGUMENT,
     {"body 'orphan': its parent 99 does not exist", "expected 0 to 5"}},
    {"parent_before_the_world",
     parent_before_the_world,
     DP_ERROR_ARGUMENT,
     {"unnamed body: its parent -1 does not exist"}},
    {"joint_of_no_body",
     joint_of_no_body,
     DP_ERROR_ARGUMENT,
     {"unnamed joint: its body 6 does not exist"}},
    {"geom_of_no_body",
     geom_of_no_body,
     DP_ERROR_ARGUMENT,
     {"geom 'lost': its body 6 does not exist"}},
    {"site_of_no_body",
     site_of_no_body,
     DP_ERROR_ARGUMENT,
     {"site 'lost': its body -3 does not exist"}},
    {"two_bodies_of_one_name",
     two_bodies_of_one_name,
     DP_ERROR_ARGUMENT,
     {"a.xml:9: body 'cart' is already defined"}},
    {"two_joints_of_one_name",
     two_joints_of_one_name,
     DP_ERROR_ARGUMENT,
     {"joint 'pivot' is already defined"}},
    {"a_second_world", a_second_world, DP_ERROR_ARGUMENT, {"body 'world' is already defined"}},
    {"names_made_equal_later",
     names_made_equal_later,
     DP_ERROR_ARGUMENT,
     {"geom 'cart_box' has the same name as number 0"}},
    {"moved_world", moved_world, DP_ERROR_ARGUMENT, {"the world has been moved"}},
    {"joint_on_the_world", joint_on_the_world, DP_ERROR_ARGUMENT, {"joint 'tilt' is on the world"}},
    {"zero_axis", zero_axis, DP_ERROR_ARGUMENT, {"joint 'pivot' has a zero axis"}},
    {"axis_not_a_number", axis_not_a_number, DP_ERROR_ARGUMENT, {"joint 'pivot'", "axis"}},
    {"anchor_infinite",
     anchor_infinite,
     DP_ERROR_ARGUMENT,
     {"joint 'pivot' has inf in its position"}},
    {"ref_not_a_number", ref_not_a_number, DP_ERROR_ARGUMENT, {"joint 'pivot'", "ref"}},
    {"negative_armature",
     negative_armature,
     DP_ERROR_ARGUMENT,
     {"joint 'pivot' has armature -0.5"}},
    {"negative_damping", negative_damping, DP_ERROR_ARGUMENT, {"joint 'pivot' has damping -1"}},
    {"negative_stiffness",
     negative_stiffness,
     DP_ERROR_ARGUMENT,
     {"joint 'pivot' has stiffness -2"}},
    {"negative_friction_loss",
     negative_friction_loss,
     DP_ERROR_ARGUMENT,
     {"joint 'pivot' has frictionloss -3"}},
    {"spring_reference_not_a_number",
     spring_reference_not_a_number,
     DP_ERROR_ARGUMENT,
     {"joint 'pivot'", "spring reference"}},
    {"reversed_joint_range",
     reversed_joint_range,
     DP_ERROR_ARGUMENT,
     {"joint 'pivot' has range [1, -1]"}},
    {"empty_joint_range", empty_joint_range, DP_ERROR_ARGUMENT, {"joint 'pivot' has range [1, 1]"}},
    {"joint_range_not_a_number",
     joint_range_not_a_number,
     DP_ERROR_ARGUMENT,
     {"joint 'pivot'", "range"}},
    {"ball_range_with_a_lower_end",
     ball_range_with_a_lower_end,
     DP_ERROR_ARGUMENT,
     {"joint 'pivot' is a ball with range [0.5, 1]"}},
    {"unnamed_joint",
     unnamed_joint,
     DP_ERROR_ARGUMENT,
     {"joint 1 (unnamed) of body 'pole' has damping -1"}},
    {"unnamed_body",
     unnamed_body,
     DP_ERROR_ARGUMENT,
     {"body 2 (unnamed), child of 'cart' moves but has mass 0"}},
    {"free_joint_inside_a_tree",
     free_joint_inside_a_tree,
     DP_ERROR_ARGUMENT,
     {"joint 'loose' is free, but body 'pole' is not a child of the world"}},
    {"free_joint_with_another",
     free_joint_with_another,
     DP_ERROR_ARGUMENT,
     {"joint 'flight' is free, but body 'ball' has 2 joints"}},
    {"hinge_after_ball",
     hinge_after_ball,
     DP_ERROR_ARGUMENT,
     {"joint 'twist' is a hinge after joint 'pivot'"}},
    {"two_balls", two_balls, DP_ERROR_ARGUMENT, {"joint 'again' is a ball after joint 'pivot'"}},
    {"seven_degrees_of_freedom",
     seven_degrees_of_freedom,
     DP_ERROR_ARGUMENT,
     {"body 'pole' has 7 degrees of freedom (expected at most 6)"}},
    {"mocap_with_joints",
     mocap_with_joints,
     DP_ERROR_ARGUMENT,
     {"body 'hand' is a mocap body with joints"}},
    {"mocap_inside_a_tree",
     mocap_inside_a_tree,
     DP_ERROR_ARGUMENT,
     {"body 'tip' is a mocap body on another body"}},
    {"unknown_joint_kind",
     unknown_joint_kind,
     DP_ERROR_ARGUMENT,
     {"joint 'pivot' has kind number 17"}},
    {"zero_size", zero_size, DP_ERROR_ARGUMENT, {"geom 'ball_ball' is a sphere with size 0"}},
    {"negative_size",
     negative_size,
     DP_ERROR_ARGUMENT,
     {"geom 'cart_box' is a box with size -0.1 at place 3", "3 sizes"}},
    {"capsule_without_length",
     capsule_without_length,
     DP_ERROR_ARGUMENT,
     {"geom 'pole_rod' is a capsule with size 0 at place 2"}},
    {"plane_with_negative_size",
     plane_with_negative_size,
     DP_ERROR_ARGUMENT,
     {"geom 'ball_ball' is a plane with size -1"}},
    {"size_not_a_number", size_not_a_number, DP_ERROR_ARGUMENT, {"geom 'cart_box'", "size"}},
    {"geom_mass_not_a_number",
     geom_mass_not_a_number,
     DP_ERROR_ARGUMENT,
     {"geom 'cart_box'", "mass"}},
    {"negative_density", negative_density, DP_ERROR_ARGUMENT, {"geom 'cart_box' has density -1"}},
    {"negative_friction",
     negative_friction,
     DP_ERROR_ARGUMENT,
     {"geom 'cart_box' has friction -1"}},
    {"zero_quaternion_of_geom",
     zero_quaternion_of_geom,
     DP_ERROR_ARGUMENT,
     {"geom 'cart_box' has a zero quaternion"}},
    {"colour_not_a_number", colour_not_a_number, DP_ERROR_ARGUMENT, {"geom 'cart_box'", "colour"}},
    {"unknown_geom_kind",
     unknown_geom_kind,
     DP_ERROR_ARGUMENT,
     {"geom 'cart_box' has kind number -1"}},
    {"site_position_not_a_number",
     site_position_not_a_number,
     DP_ERROR_ARGUMENT,
     {"site 'tip_site'", "position"}},
    {"site_that_is_a_plane",
     site_that_is_a_plane,
     DP_ERROR_ARGUMENT,
     {"site 'tip_site' is of kind plane", "cylinder or box"}},
    {"site_of_negative_size",
     site_of_negative_size,
     DP_ERROR_ARGUMENT,
     {"site 'tip_site'", "size"}},
    {"touch_without_a_volume",
     touch_without_a_volume,
     DP_ERROR_ARGUMENT,
     {"of kind touch is attached to site 'tip_site', which has size 0"}},
    {"zero_quaternion_of_site",
     zero_quaternion_of_site,
     DP_ERROR_ARGUMENT,
     {"site 'tip_site' has a zero quaternion"}},
    {"actuator_of_no_joint",
     actuator_of_no_joint,
     DP_ERROR_ARGUMENT,
     {"actuator 'motor': no joint 'slidr' (did you mean 'slider'?)"}},
    {"actuator_without_joint",
     actuator_without_joint,
     DP_ERROR_ARGUMENT,
     {"actuator 'idle': the joint it drives is missing", "expected the name of a joint"}},
    {"zero_gear", zero_gear, DP_ERROR_ARGUMENT, {"actuator 'motor' has gear 0 on its slide joint"}},
    {"gear_only_where_the_joint_has_none",
     gear_only_where_the_joint_has_none,
     DP_ERROR_ARGUMENT,
     {"actuator 'motor' has gear 0"}},
    {"filter_without_time",
     filter_without_time,
     DP_ERROR_ARGUMENT,
     {"actuator 'servo' is a filter with time constant 0 s"}},
    {"gain_infinite", gain_infinite, DP_ERROR_ARGUMENT, {"actuator 'motor' has inf in its gain"}},
    {"bias_not_a_number", bias_not_a_number, DP_ERROR_ARGUMENT, {"actuator 'motor'", "bias"}},
    {"reversed_control_range",
     reversed_control_range,
     DP_ERROR_ARGUMENT,
     {"actuator 'servo' has control range [-1, -2]"}},
    {"empty_force_range",
     empty_force_range,
     DP_ERROR_ARGUMENT,
     {"actuator 'servo' has force range [0, 0]"}},
    {"empty_activation_range",
     empty_activation_range,
     DP_ERROR_ARGUMENT,
     {"actuator 'servo' has activation range [0, 0]"}},
    {"activation_limits_without_activation",
     activation_limits_without_activation,
     DP_ERROR_ARGUMENT,
     {"actuator 'motor' limits its activation but has none"}},
    {"sensor_of_no_site",
     sensor_of_no_site,
     DP_ERROR_ARGUMENT,
     {"sensor 'imu': no site 'tip_sight' (did you mean 'tip_site'?)"}},
    {"sensor_without_object",
     sensor_without_object,
     DP_ERROR_ARGUMENT,
     {"sensor 'blind' of kind gyro", "missing"}},
    {"accelerometer_on_a_body",
     accelerometer_on_a_body,
     DP_ERROR_ARGUMENT,
     {"sensor 'imu' of kind accelerometer", "'body' (expected site)"}},
    {"frame_sensor_on_a_joint",
     frame_sensor_on_a_joint,
     DP_ERROR_ARGUMENT,
     {"sensor 'tip_position'", "expected body, inertial, geom or site"}},
    {"reference_of_an_accelerometer",
     reference_of_an_accelerometer,
     DP_ERROR_ARGUMENT,
     {"sensor 'imu' of kind accelerometer has the reference 'cart'"}},
    {"reference_to_no_geom",
     reference_to_no_geom,
     DP_ERROR_ARGUMENT,
     {"sensor 'tip_position': no geom 'cart'"}},
    {"clock_on_a_site",
     clock_on_a_site,
     DP_ERROR_ARGUMENT,
     {"sensor 'imu' of kind clock is attached to 'tip_site'"}},
    {"joint_position_of_a_free_joint",
     joint_position_of_a_free_joint,
     DP_ERROR_ARGUMENT,
     {"sensor 'imu' of kind jointpos is attached to joint 'flight', a free joint"}},
    {"ball_quaternion_of_a_hinge",
     ball_quaternion_of_a_hinge,
     DP_ERROR_ARGUMENT,
     {"sensor 'imu' of kind ballquat", "a hinge joint (expected a ball)"}},
    {"negative_cutoff", negative_cutoff, DP_ERROR_ARGUMENT, {"sensor 'imu' has cutoff -1"}},
    {"unknown_sensor_kind",
     unknown_sensor_kind,
     DP_ERROR_ARGUMENT,
     {"sensor 'imu' has kind number"}},
    {"key_with_too_few_positions",
     key_with_too_few_positions,
     DP_ERROR_ARGUMENT,
     {"key 'home' has 3 numbers in qpos, the model has nq = 9"}},
    {"key_with_too_many_controls",
     key_with_too_many_controls,
     DP_ERROR_ARGUMENT,
     {"key 'home' has 3 numbers in ctrl, the model has nu = 2"}},
    {"key_with_one_velocity",
     key_with_one_velocity,
     DP_ERROR_ARGUMENT,
     {"key 'home' has 1 number in qvel, the model has nv = 8"}},
    {"key_with_mocap_of_wrong_size",
     key_with_mocap_of_wrong_size,
     DP_ERROR_ARGUMENT,
     {"key 'home' has 4 numbers in mpos", "= 3"}},
    {"key_with_zero_quaternion",
     key_with_zero_quaternion,
     DP_ERROR_ARGUMENT,
     {"key 'home' has a zero quaternion for joint 'flight'"}},
    {"key_with_zero_mocap_quaternion",
     key_with_zero_mocap_quaternion,
     DP_ERROR_ARGUMENT,
     {"key 'home' has a zero quaternion for body 'hand'"}},
    {"key_position_not_a_number",
     key_position_not_a_number,
     DP_ERROR_ARGUMENT,
     {"key 'home'", "qpos at place 2"}},
    {"key_time_infinite", key_time_infinite, DP_ERROR_ARGUMENT, {"key 'home' has inf in its time"}},
    {"zero_step", zero_step, DP_ERROR_ARGUMENT, {"option: step is 0 s"}},
    {"step_not_a_number", step_not_a_number, DP_ERROR_ARGUMENT, {"option: step is", "nan"}},
    {"gravity_not_a_number", gravity_not_a_number, DP_ERROR_ARGUMENT, {"option: gravity"}},
    {"zero_tolerance", zero_tolerance, DP_ERROR_ARGUMENT, {"option: relative tolerance is 0"}},
    {"negative_absolute_tolerance",
     negative_absolute_tolerance,
     DP_ERROR_ARGUMENT,
     {"option: absolute tolerance is -1"}},
    {"no_substeps", no_substeps, DP_ERROR_ARGUMENT, {"option: max substeps is 0"}},
    {"negative_large_rotation",
     negative_large_rotation,
     DP_ERROR_ARGUMENT,
     {"option: large rotation is -0.1"}},
    {"unknown_integrator", unknown_integrator, DP_ERROR_ARGUMENT, {"option: integrator number 9"}},
    {"nameless_feature", nameless_feature, DP_ERROR_ARGUMENT, {"feature", "missing"}},
};
enum { CASES = sizeof bad / sizeof *bad };

static void the_mechanism_that_the_cases_spoil_is_sound(void **state)
{
    (void)state;
    assert_sound(small_spec_create);
}

static void every_bad_mechanism_is_refused_with_a_message_that_names_the_culprit(void **state)
{
    (void)state;
    assert_refused(small_spec_create, bad, CASES);
}

static void messages_say_what_was_expected(void **state)
{
    (void)state;
    assert_helpful(small_spec_create, bad, CASES);
}

static void geoms_that_could_touch_are_no_fault(void **state)
{
    (void)state;
    dp_spec *spec;
    dp_model *m;
    assert_int_equal(small_spec_create(&spec, NULL), DP_OK);
    geom(spec, CART_BOX)->contype = 1;
    geom(spec, BALL_BALL)->conaffinity = 1;
    assert_int_equal(dp_model_compile(&m, spec), DP_OK);
    assert_int_equal(dp_model_sizes(m)->ntouch, 1);
    dp_model_destroy(m);
    dp_spec_destroy(spec);
}

static void round_off_in_moments_of_inertia_is_forgiven(void **state)
{
    (void)state;
    dp_spec *spec;
    dp_model *m;
    assert_int_equal(small_spec_create(&spec, NULL), DP_OK);
    give_inertia(spec, CART, 1.0, 0.3, 0.1, 0.4 * (1.0 + 5e-10)); // a flat plate, rounded up
    assert_int_equal(dp_model_compile(&m, spec), DP_OK);
    dp_model_destroy(m);
    dp_spec_destroy(spec);
}

static void ranges_that_do_not_apply_are_ignored(void **state)
{
    (void)state;
    dp_spec *spec;
    dp_model *m;
    assert_int_equal(small_spec_create(&spec, NULL), DP_OK);
    limit(spec, PIVOT, 1.0, -1.0);
    joint(spec, PIVOT)->limited = false;
    actuator(spec, MOTOR)->control_range[0] = 5.0;
    limit(spec, 2, 1.0, -1.0); // a free joint has no limits
    assert_int_equal(dp_model_compile(&m, spec), DP_OK);
    dp_model_destroy(m);
    dp_spec_destroy(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mechanism_that_the_cases_spoil_is_sound),
        cmocka_unit_test(every_bad_mechanism_is_refused_with_a_message_that_names_the_culprit),
        cmocka_unit_test(messages_say_what_was_expected),
        cmocka_unit_test(geoms_that_could_touch_are_no_fault),
        cmocka_unit_test(round_off_in_moments_of_inertia_is_forgiven),
        cmocka_unit_test(ranges_that_do_not_apply_are_ignored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
