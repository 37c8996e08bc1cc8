#include "sim/query/scene_query.h"

typedef struct ray {
    const dp_data *d;
    const dp_scene_filter *filter;
    dp_v3 origin, direction; // unit
    dp_scene_hit hit;
    dp_status status;
} ray;

static double meet(void *context, int g, double limit)
{
    ray *r = context;
    const dp_model *m = r->d->model;
    if (r->status != DP_OK || !dp_scene_sees(m, g, r->filter)) {
        return limit;
    }
    dp_ray_hit hit;
    r->status =
        dp_shape_ray(&hit, &m->shape[g], dp_contacts_pose(r->d, g), r->origin, r->direction, limit);
    const int before = r->hit.geom.index;
    if (r->status != DP_OK || !hit.hit ||
        (before >= 0 && hit.distance == r->hit.at.distance && before < g)) {
        return limit;
    }
    r->hit = (dp_scene_hit){{g}, {m->geom[g].body}, hit};
    return hit.distance;
}

dp_status dp_scene_ray(dp_scene_hit *out, const dp_data *d, dp_v3 origin, dp_v3 direction,
                       double limit, const dp_scene_filter *filter)
{
    const dp_scene_filter all = dp_scene_filter_default();
    const double largest = fmax(fmax(fabs(direction.x), fabs(direction.y)), fabs(direction.z));
    if (!dp_v3_finite(origin) || !dp_v3_finite(direction) || !(largest > 0.0)) {
        return dp_fail(DP_ERROR_ARGUMENT,
                       "a ray from (%g, %g, %g) along (%g, %g, %g) (expected finite numbers and a "
                       "direction)",
                       origin.x, origin.y, origin.z, direction.x, direction.y, direction.z);
    }
    if (!(limit >= 0.0)) {
        return dp_fail(DP_ERROR_ARGUMENT, "a ray of %g m (expected a number ≥ 0)", limit);
    }
    const dp_v3 scaled = dp_v3_scale(direction, 1.0 / largest);
    ray r = {.d = d,
             .filter = filter ? filter : &all,
             .origin = origin,
             .direction = dp_v3_scale(scaled, 1.0 / dp_v3_norm(scaled)),
             .hit = {{-1}, {-1}, {.hit = false}}};
    dp_broad_ray(&d->contacts.broad, r.origin, r.direction, limit, meet, &r);
    *out = r.hit;
    return r.status;
}
