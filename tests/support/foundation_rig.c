#include "foundation_rig.h"

dp_spec *foundation_spec(rig_freedom freedom, int nx, int ny, double youngs_modulus, double damping)
{
    dp_spec *s;
    assert_ok(dp_spec_create(&s, NULL));
    dp_geom_spec floor = dp_geom_spec_default();
    floor.name = "floor";
    floor.kind = DP_GEOM_PLANE;
    assert_ok(dp_spec_add_geom(NULL, s, DP_WORLD, &floor));

    dp_body_spec body = dp_body_spec_default();
    body.name = "cube";
    body.pose.p.z = 0.5;
    dp_body_id cube;
    assert_ok(dp_spec_add_body(&cube, s, DP_WORLD, &body));
    dp_joint_spec joint = dp_joint_spec_default();
    joint.name = "lift";
    joint.kind = freedom == RIG_FREE ? DP_JOINT_FREE : DP_JOINT_SLIDE;
    joint.axis = (dp_v3){0.0, 0.0, 1.0};
    assert_ok(dp_spec_add_joint(NULL, s, cube, &joint));
    if (freedom == RIG_ROCKS) {
        joint.name = "rock";
        joint.kind = DP_JOINT_HINGE;
        joint.axis = (dp_v3){0.0, 1.0, 0.0};
        assert_ok(dp_spec_add_joint(NULL, s, cube, &joint));
    }
    dp_geom_spec box = dp_geom_spec_default();
    box.name = "cube";
    box.kind = DP_GEOM_BOX;
    box.size[0] = box.size[1] = box.size[2] = 0.5;
    box.density = 8.0;
    box.foundation = (dp_foundation_spec){
        .nx = nx, .ny = ny, .youngs_modulus = youngs_modulus, .depth = 1.0, .damping = damping};
    assert_ok(dp_spec_add_geom(NULL, s, cube, &box));
    dp_spec_options(s)->step = 0.01;
    return s;
}

mechanism foundation_rig(rig_freedom freedom, int nx, int ny, double youngs_modulus, double damping)
{
    return mechanism_from(foundation_spec(freedom, nx, ny, youngs_modulus, damping));
}
