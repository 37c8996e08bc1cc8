#include "collide/passage.h"

#include "collide/pair.h"
#include "math/angle.h"

bool dp_stay_apart(const dp_passage *p)
{
    const int most = 50;
    const dp_v3 way = dp_v3_sub(p->to.p, p->from.p);
    const dp_v3 turn = dp_quat_log(dp_quat_mul(dp_quat_conjugate(p->from.q), p->to.q));
    const double angle = dp_v3_norm(turn);
    const double swing = angle > 0.0 ? angle * p->radius : 0.0;
    const dp_v3 axis = angle > 0.0 ? dp_v3_scale(turn, 1.0 / angle) : (dp_v3){0.0, 0.0, 1.0};
    const bool convex = dp_shape_is_convex(p->moving) && dp_shape_is_convex(p->standing);
    const dp_placed standing = dp_place(p->standing, DP_IDENTITY_POSE);
    dp_distance near;
    const dp_placed end = dp_place(p->moving, p->to);
    dp_pair_distance(&near, &standing, &end, (double)INFINITY, NULL);
    if (!(near.gap > 0.0)) { // as most do not
        return false;
    }
    double t = 0.0;
    for (int i = 0; i < most; ++i) {
        const dp_quat turned = dp_quat_mul(p->from.q, dp_quat_about(axis, t * angle));
        const dp_placed moving =
            dp_place(p->moving, (dp_pose){turned, dp_v3_madd(p->from.p, t, way)});
        dp_pair_distance(&near, &standing, &moving, (double)INFINITY, NULL);
        if (!(near.gap > 0.0)) {
            return false;
        }
        const double closing =
            swing + (convex ? fmax(0.0, -dp_v3_dot(near.normal, way)) : dp_v3_norm(way));
        if (near.gap > (1.0 - t) * closing) {
            return true;
        }
        t += near.gap / closing;
    }
    return false;
}
