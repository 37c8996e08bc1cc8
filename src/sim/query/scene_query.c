// Questions to the scene: distances, what a shape overlaps, what a ray meets.
#include "geom/bounds.h"
#include "geom/shape_check.h"
#include "sim/data.h"

static bool has_geom(const dp_model *m, dp_geom_id g)
{
    return g.index >= 0 && g.index < m->size.ngeom;
}

const dp_shape *dp_model_shape(const dp_model *m, dp_geom_id geom)
{
    return has_geom(m, geom) && dp_has_shape(m, geom.index) ? &m->shape[geom.index] : NULL;
}

bool dp_model_may_touch(const dp_model *m, dp_geom_id a, dp_geom_id b)
{
    return has_geom(m, a) && has_geom(m, b) && a.index != b.index &&
           dp_may_touch(m, a.index, b.index);
}

dp_scene_filter dp_scene_filter_default(void)
{
    return (dp_scene_filter){UINT32_MAX, {-1}};
}

// Does a query with this filter see a geom?
static bool is_seen(const dp_model *m, int g, const dp_scene_filter *filter)
{
    const dp_geom *geom = &m->geom[g];
    const bool in_range = geom->group >= 0 && geom->group < 32;
    return geom->body != filter->without.index &&
           (!in_range || (filter->groups >> geom->group & 1u));
}

static dp_status check_shape(const dp_model *m, dp_geom_id g)
{
    if (!has_geom(m, g)) {
        return dp_fail(DP_ERROR_ARGUMENT, "no geom %d (the model has %d)", g.index, m->size.ngeom);
    }
    if (!dp_has_shape(m, g.index)) {
        return dp_fail(DP_ERROR_ARGUMENT,
                       "geom %d '%s' can touch nothing and has no shape to ask (expected one with "
                       "contype, conaffinity or a pair)",
                       g.index, m->geom[g.index].name);
    }
    return DP_OK;
}

dp_status dp_geoms_distance(dp_distance *out, const dp_data *d, dp_geom_id a, dp_geom_id b,
                            double limit)
{
    const dp_model *m = d->model;
    DP_TRY(check_shape(m, a));
    DP_TRY(check_shape(m, b));
    return dp_shapes_distance(out, &m->shape[a.index], dp_geom_pose(d, a), &m->shape[b.index],
                              dp_geom_pose(d, b), limit, NULL);
}

// ---- overlaps

typedef struct overlaps {
    const dp_data *d;
    const dp_scene_filter *filter;
    const dp_shape *shape;
    dp_pose pose;
    dp_geom_id *out;
    int count, capacity;
    dp_status status;
} overlaps;

static bool is_flat(const dp_shape *s)
{
    return s->kind == DP_GEOM_PLANE || !dp_shape_is_convex(s);
}

static bool test_overlap(void *context, int g)
{
    overlaps *o = context;
    const dp_model *m = o->d->model;
    const dp_shape *shape = &m->shape[g];
    bool shared = false;
    if (!is_seen(m, g, o->filter) || (is_flat(shape) && is_flat(o->shape))) {
        return true;
    }
    o->status = dp_shapes_overlap(&shared, o->shape, o->pose, shape, dp_contacts_pose(o->d, g));
    if (o->status != DP_OK) {
        return false;
    }
    if (shared && o->count < o->capacity) {
        int at = o->count;
        for (; at > 0 && o->out[at - 1].index > g; --at) {
            o->out[at] = o->out[at - 1];
        }
        o->out[at] = (dp_geom_id){g};
    }
    o->count += shared;
    return true;
}

dp_status dp_scene_overlap(dp_geom_id *out, int capacity, int *count, const dp_data *d,
                           const dp_shape *shape, dp_pose X_WS, const dp_scene_filter *filter)
{
    const dp_scene_filter all = dp_scene_filter_default();
    *count = 0;
    dp_placed placed;
    DP_TRY(dp_place_checked(&placed, "dp_scene_overlap", "the shape", shape, &X_WS));
    const dp_bounds box = dp_placed_bounds(&placed);
    overlaps o = {.d = d,
                  .filter = filter ? filter : &all,
                  .shape = shape,
                  .pose = X_WS,
                  .out = out,
                  .capacity = capacity};
    dp_broad_overlaps(&d->contacts.broad, &box, test_overlap, &o);
    *count = o.count;
    if (o.status == DP_OK && o.count > capacity) {
        return dp_fail(DP_ERROR_CAPACITY, "dp_scene_overlap: %d geoms and room for %d (needed: %d)",
                       o.count, capacity, o.count);
    }
    return o.status;
}

// ---- rays

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
    if (r->status != DP_OK || !is_seen(m, g, r->filter)) {
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
