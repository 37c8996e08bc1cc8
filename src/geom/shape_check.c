// The checks that every public query makes of its arguments.
#include "geom/shape_check.h"

#include "geom/mass.h"

// Quaternions that went through single precision are off by 1e-7; more is a mistake.
static const double UNIT_LENGTH = 1e-6;

static dp_status check_sizes(const char *where, const char *what, const dp_shape *s)
{
    for (int k = 0; k < dp_shape_size_count(s->kind); ++k) {
        if (!(s->size[k] > 0.0 && isfinite(s->size[k]))) {
            return dp_fail(DP_ERROR_ARGUMENT,
                           "%s: %s has size %g at place %d (expected a finite length > 0)", where,
                           what, s->size[k], k + 1);
        }
    }
    return DP_OK;
}

static dp_status check_shape(const char *where, const char *what, const dp_shape *s)
{
    if (!s) {
        return dp_fail(DP_ERROR_ARGUMENT, "%s: %s is NULL (expected a shape)", where, what);
    }
    switch (s->kind) {
    case DP_GEOM_PLANE:
        return DP_OK;
    case DP_GEOM_SPHERE:
    case DP_GEOM_CAPSULE:
    case DP_GEOM_CYLINDER:
    case DP_GEOM_ELLIPSOID:
    case DP_GEOM_BOX:
        return check_sizes(where, what, s);
    case DP_GEOM_MESH:
        if (!s->hull == !s->surface) {
            return dp_fail(DP_ERROR_ARGUMENT,
                           "%s: %s is a mesh with %s a hull and a surface (expected one of them)",
                           where, what, s->hull ? "both" : "neither");
        }
        return DP_OK;
    case DP_GEOM_HFIELD:
        return s->terrain ? DP_OK
                          : dp_fail(DP_ERROR_ARGUMENT,
                                    "%s: %s is a height field without terrain "
                                    "(expected one from dp_terrain_create)",
                                    where, what);
    }
    return dp_fail(DP_ERROR_ARGUMENT, "%s: %s has the unknown kind %d", where, what, (int)s->kind);
}

static dp_status check_pose(const char *where, const char *what, dp_pose X)
{
    if (!dp_v3_finite(X.p)) {
        return dp_fail(DP_ERROR_ARGUMENT,
                       "%s: the position of %s is %g %g %g (expected finite numbers)", where, what,
                       X.p.x, X.p.y, X.p.z);
    }
    const double length = dp_quat_norm(X.q);
    if (!(fabs(length - 1.0) <= UNIT_LENGTH)) {
        return dp_fail(DP_ERROR_ARGUMENT,
                       "%s: the quaternion of %s is %g %g %g %g of length %g (expected 1)", where,
                       what, X.q.w, X.q.x, X.q.y, X.q.z, length);
    }
    return DP_OK;
}

dp_status dp_check_placed(const char *where, const char *what, const dp_shape *shape,
                          const dp_pose *X_WS)
{
    DP_TRY(check_shape(where, what, shape));
    return check_pose(where, what, *X_WS);
}

dp_status dp_place_checked(dp_placed *out, const char *where, const char *what,
                           const dp_shape *shape, const dp_pose *X_WS)
{
    const bool plain = shape && dp_ball_of_plain(shape, X_WS) > 0.0;
    if (!plain) {
        DP_TRY(dp_check_placed(where, what, shape, X_WS));
    }
    DP_ASSERT(shape);
    dp_place_unit(out, shape, X_WS, plain);
    return DP_OK;
}
