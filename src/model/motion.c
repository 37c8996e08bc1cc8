#include "model/motion.h"

#include "math/angle.h"

// Beyond this an angle [rad] has no digits left that tell where it points.
static const double LARGEST_ANGLE = 1e15;

dp_status dp_motion_turn(dp_quat *out, const dp_motion *o, double t)
{
    double x[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < 3; ++k) {
        if (o->rotation[k]) {
            DP_TRY(dp_expression_value(o->rotation[k], t, &x[k]));
        }
    }
    const dp_v3 theta = dp_v3_load(x);
    const double angle = dp_v3_norm(theta);
    if (!(angle < LARGEST_ANGLE)) {
        return dp_fail(DP_ERROR_NUMERIC,
                       "a rotation by (%g, %g, %g) rad at t = %.10g s (expected less than %g rad)",
                       x[0], x[1], x[2], t, LARGEST_ANGLE);
    }
    const dp_quat none = {1.0, 0.0, 0.0, 0.0};
    *out = angle > 0.0 ? dp_quat_unit(dp_quat_about(dp_v3_scale(theta, 1.0 / angle), angle)) : none;
    return DP_OK;
}

dp_status dp_motion_pose(dp_pose *out, const dp_model *m, const dp_motion *o, double t)
{
    const dp_pose described = m->body[m->mocap_body[o->mocap]].pose;
    dp_pose pose = described;
    double x[3];
    dp_v3_store(x, described.p);
    for (int k = 0; k < 3; ++k) {
        if (o->position[k]) {
            DP_TRY(dp_expression_value(o->position[k], t, &x[k]));
        }
    }
    pose.p = dp_v3_load(x);
    if (o->rotation[0] || o->rotation[1] || o->rotation[2]) {
        DP_TRY(dp_motion_turn(&pose.q, o, t));
    }
    *out = pose;
    return DP_OK;
}
