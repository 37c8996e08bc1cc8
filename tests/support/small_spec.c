#include "small_spec.h"

#include "near.h"

static dp_status add_cart_and_pole(dp_spec *spec)
{
    dp_body_spec cart = dp_body_spec_default();
    cart.name = "cart";
    cart.pose.p.z = 1.0;
    dp_body_id cart_id, pole_id, tip_id;
    dp_status status = dp_spec_add_body(&cart_id, spec, DP_WORLD, &cart);

    dp_joint_spec slider = dp_joint_spec_default();
    slider.name = "slider";
    slider.kind = DP_JOINT_SLIDE;
    slider.axis = (dp_v3){1.0, 0.0, 0.0};
    slider.damping = 0.5;
    status = status ? status : dp_spec_add_joint(NULL, spec, cart_id, &slider);

    dp_geom_spec box = dp_geom_spec_default();
    box.name = "cart_box";
    box.kind = DP_GEOM_BOX;
    box.size[0] = 0.2, box.size[1] = 0.1, box.size[2] = 0.05;
    box.contype = box.conaffinity = 0;
    status = status ? status : dp_spec_add_geom(NULL, spec, cart_id, &box);

    dp_body_spec pole = dp_body_spec_default();
    pole.name = "pole";
    status = status ? status : dp_spec_add_body(&pole_id, spec, cart_id, &pole);

    dp_joint_spec pivot = dp_joint_spec_default();
    pivot.name = "pivot";
    pivot.axis = (dp_v3){0.0, 2.0, 0.0};
    pivot.stiffness = 3.0;
    pivot.spring_ref = 0.25;
    pivot.ref = 0.125;
    pivot.armature = 0.01;
    status = status ? status : dp_spec_add_joint(NULL, spec, pole_id, &pivot);

    dp_geom_spec rod = dp_geom_spec_default();
    rod.name = "pole_rod";
    rod.kind = DP_GEOM_CAPSULE;
    rod.size[0] = 0.02, rod.size[1] = 0.3;
    rod.pose.p.z = 0.3;
    rod.contype = rod.conaffinity = 0;
    status = status ? status : dp_spec_add_geom(NULL, spec, pole_id, &rod);

    dp_body_spec tip = dp_body_spec_default();
    tip.name = "tip";
    tip.pose.p.z = 0.6;
    status = status ? status : dp_spec_add_body(&tip_id, spec, pole_id, &tip);

    dp_site_spec site = dp_site_spec_default();
    site.name = "tip_site";
    return status ? status : dp_spec_add_site(NULL, spec, tip_id, &site);
}

static dp_status add_ball_and_hand(dp_spec *spec)
{
    dp_body_spec ball = dp_body_spec_default();
    ball.name = "ball";
    ball.pose = (dp_pose){{0.0, 1.0, 0.0, 0.0}, {1.0, 2.0, 3.0}};
    dp_body_id id;
    dp_status status = dp_spec_add_body(&id, spec, DP_WORLD, &ball);

    dp_joint_spec flight = dp_joint_spec_default();
    flight.name = "flight";
    flight.kind = DP_JOINT_FREE;
    status = status ? status : dp_spec_add_joint(NULL, spec, id, &flight);

    dp_geom_spec sphere = dp_geom_spec_default();
    sphere.name = "ball_ball";
    sphere.size[0] = 0.1;
    sphere.contype = sphere.conaffinity = 0;
    status = status ? status : dp_spec_add_geom(NULL, spec, id, &sphere);

    dp_body_spec hand = dp_body_spec_default();
    hand.name = "hand";
    hand.pose.p.y = -1.0;
    hand.mocap = true;
    return status ? status : dp_spec_add_body(NULL, spec, DP_WORLD, &hand);
}

static dp_status add_devices(dp_spec *spec)
{
    dp_actuator_spec motor = dp_actuator_spec_default();
    motor.name = "motor";
    motor.joint = "slider";
    dp_status status = dp_spec_add_actuator(NULL, spec, &motor);

    dp_actuator_spec servo = dp_actuator_spec_default();
    servo.name = "servo";
    servo.joint = "pivot";
    servo.dynamics = DP_ACTUATOR_DYNAMICS_FILTER;
    servo.time_constant = 0.05;
    servo.gain[0] = 20.0;
    servo.bias[1] = -20.0;
    servo.control_limited = true;
    servo.control_range[0] = -1.0, servo.control_range[1] = 1.0;
    status = status ? status : dp_spec_add_actuator(NULL, spec, &servo);

    dp_sensor_spec imu = dp_sensor_spec_default();
    imu.name = "imu";
    imu.kind = DP_SENSOR_ACCELEROMETER;
    imu.object = "tip_site";
    status = status ? status : dp_spec_add_sensor(NULL, spec, &imu);

    dp_sensor_spec position = dp_sensor_spec_default();
    position.name = "tip_position";
    position.kind = DP_SENSOR_FRAME_POSITION;
    position.object_kind = DP_OBJECT_BODY;
    position.object = "tip";
    position.reference_kind = DP_OBJECT_GEOM;
    position.reference = "cart_box";
    status = status ? status : dp_spec_add_sensor(NULL, spec, &position);

    const double q[9] = {0.1, 0.2, 1.0, 2.0, 3.0, 2.0, 0.0, 0.0, 0.0};
    const double control[2] = {0.5, -0.5};
    dp_key_spec home = dp_key_spec_default();
    home.name = "home";
    home.time = 1.5;
    home.q = q, home.nq = 9;
    home.control = control, home.nu = 2;
    return status ? status : dp_spec_add_key(NULL, spec, &home);
}

dp_status small_spec_create(dp_spec **out, const dp_allocator *allocator)
{
    dp_status status = dp_spec_create(out, allocator);
    if (status != DP_OK) {
        return status;
    }
    status = dp_spec_set_title(*out, "one of everything");
    status = status ? status : dp_spec_allow(*out, "equality");
    status = status ? status : add_cart_and_pole(*out);
    status = status ? status : add_ball_and_hand(*out);
    status = status ? status : add_devices(*out);
    if (status != DP_OK) {
        dp_spec_destroy(*out);
        *out = NULL;
    }
    return status;
}

dp_body_id add_ball_body(dp_spec *spec, dp_body_id parent, const char *name)
{
    dp_body_spec body = dp_body_spec_default();
    body.name = name;
    dp_body_id id;
    assert_int_equal(dp_spec_add_body(&id, spec, parent, &body), DP_OK);
    dp_geom_spec geom = dp_geom_spec_default();
    geom.size[0] = 0.1;
    geom.mass = 1.0;
    geom.contype = geom.conaffinity = 0;
    assert_int_equal(dp_spec_add_geom(NULL, spec, id, &geom), DP_OK);
    return id;
}

dp_joint_id add_joint(dp_spec *spec, dp_body_id body, const char *name, dp_joint_kind kind)
{
    dp_joint_spec joint = dp_joint_spec_default();
    joint.name = name;
    joint.kind = kind;
    dp_joint_id id;
    assert_int_equal(dp_spec_add_joint(&id, spec, body, &joint), DP_OK);
    return id;
}
