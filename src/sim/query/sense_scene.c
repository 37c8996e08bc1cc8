// Sensors that ask the scene: rangefinders, distances, what is inside of a site.
#include "sim/query/sense.h"

#include "geom/bounds.h"
#include "geom/shape_check.h"

#include <math.h>

void dp_put_v3(double **out, unsigned data, unsigned field, dp_v3 x)
{
    if (data & field) {
        dp_v3_store(*out, x);
        *out += 3;
    }
}

void dp_put_number(double **out, unsigned data, unsigned field, double x)
{
    if (data & field) {
        *(*out)++ = x;
    }
}

// ---- rangefinders

// What a ray sees of one geom from where it starts. A solid that it starts in is met where the ray
// leaves it; the ground is not met from below.
typedef struct sight {
    const dp_data *d;
    int body; // whose geoms are not seen
    dp_v3 origin, direction;
    dp_ray_hit hit;
    dp_status status;
} sight;

// Where the ray leaves a convex shape that it starts in: where one that comes back along it enters.
static dp_status leave(dp_ray_hit *out, const dp_shape *shape, dp_pose X, const sight *s)
{
    dp_placed placed;
    DP_TRY(dp_place_checked(&placed, "a rangefinder", "the shape", shape, &X));
    const dp_bounds box = dp_placed_bounds(&placed);
    const double beyond =
        2.0 * dp_v3_norm(dp_v3_sub(box.high, box.low)); // the box holds the origin
    const dp_v3 end = dp_v3_madd(s->origin, beyond, s->direction);
    DP_TRY(dp_shape_ray(out, shape, X, end, dp_v3_scale(s->direction, -1.0), beyond));
    out->distance = beyond - out->distance;
    return DP_OK;
}

static double see(void *context, int g, double limit)
{
    sight *s = context;
    const dp_model *m = s->d->model;
    const dp_geom *geom = &m->geom[g];
    const dp_shape *shape = &m->shape[g];
    if (s->status != DP_OK || geom->body == s->body || geom->rgba[3] == 0.0f) {
        return limit;
    }
    const dp_pose X = dp_contacts_pose(s->d, g);
    dp_ray_hit hit;
    s->status = dp_shape_ray(&hit, shape, X, s->origin, s->direction, limit);
    if (s->status == DP_OK && hit.hit && hit.distance == 0.0) {
        if (shape->kind == DP_GEOM_PLANE || !dp_shape_is_convex(shape)) {
            return limit;
        }
        s->status = leave(&hit, shape, X, s);
    }
    if (s->status != DP_OK || !hit.hit || !(hit.distance < limit)) {
        return limit;
    }
    s->hit = hit;
    return hit.distance;
}

static dp_status sense_range(double *out, const dp_data *d, const dp_sensor *sensor)
{
    const dp_pose X = dp_object_pose(d, DP_OBJECT_SITE, sensor->object);
    sight s = {.d = d,
               .body = d->model->site[sensor->object].body,
               .origin = X.p,
               .direction = dp_quat_rotate(X.q, (dp_v3){0.0, 0.0, 1.0})};
    dp_broad_ray(&d->contacts.broad, s.origin, s.direction, (double)INFINITY, see, &s);
    DP_TRY(s.status);
    const dp_v3 none = {0.0, 0.0, 0.0};
    const double most = sensor->cutoff > 0.0 ? sensor->cutoff : (double)INFINITY;
    const double length = s.hit.hit ? fmin(s.hit.distance, most) : -fmin(1.0, most);
    dp_put_number(&out, sensor->data, DP_RAY_FIELD_DISTANCE, length);
    dp_put_v3(&out, sensor->data, DP_RAY_FIELD_DIRECTION, s.hit.hit ? s.direction : none);
    dp_put_v3(&out, sensor->data, DP_RAY_FIELD_ORIGIN, s.origin);
    dp_put_v3(&out, sensor->data, DP_RAY_FIELD_POINT, s.hit.hit ? s.hit.point : none);
    dp_put_v3(&out, sensor->data, DP_RAY_FIELD_NORMAL, s.hit.hit ? s.hit.normal : none);
    dp_put_number(&out, sensor->data, DP_RAY_FIELD_DEPTH, length);
    return DP_OK;
}

// ---- distances

static bool is_ground(const dp_shape *shape)
{
    return shape->kind == DP_GEOM_PLANE || !dp_shape_is_convex(shape);
}

static bool is_of(const dp_model *m, int g, dp_object_kind kind, int object)
{
    return kind == DP_OBJECT_GEOM ? g == object : m->geom[g].body == object;
}

// The nearest of two geoms, one of each object. @param gap in: the limit; out: theirs, or the same
static dp_status find_nearest(dp_distance *out, double *gap, const dp_data *d,
                              const dp_sensor *sensor)
{
    const dp_model *m = d->model;
    for (int a = 0; a < m->size.ngeom; ++a) {
        if (!is_of(m, a, sensor->object_kind, sensor->object) || !dp_has_shape(m, a)) {
            continue;
        }
        for (int b = 0; b < m->size.ngeom; ++b) {
            if (a == b || !is_of(m, b, sensor->reference_kind, sensor->reference) ||
                !dp_has_shape(m, b) || (is_ground(&m->shape[a]) && is_ground(&m->shape[b]))) {
                continue;
            }
            dp_distance found;
            DP_TRY(dp_shapes_distance(&found, &m->shape[a], dp_geom_pose(d, (dp_geom_id){a}),
                                      &m->shape[b], dp_geom_pose(d, (dp_geom_id){b}),
                                      fmax(0.0, *gap), NULL));
            if (found.outcome != DP_QUERY_OUTCOME_BEYOND && found.gap < *gap) {
                *gap = found.gap;
                *out = found;
            }
        }
    }
    return DP_OK;
}

static dp_status sense_distance(double *out, const dp_data *d, const dp_sensor *sensor)
{
    const dp_v3 none = {0.0, 0.0, 0.0};
    dp_distance nearest = {.normal = none, .point = {none, none}};
    double gap = sensor->cutoff;
    DP_TRY(find_nearest(&nearest, &gap, d, sensor));
    if (sensor->kind == DP_SENSOR_DISTANCE) {
        out[0] = gap;
    } else if (sensor->kind == DP_SENSOR_DISTANCE_NORMAL) {
        dp_v3_store(out, dp_v3_scale(nearest.normal, gap < 0.0 ? -1.0 : 1.0));
    } else {
        dp_v3_store(out, nearest.point[0]);
        dp_v3_store(out + 3, nearest.point[1]);
    }
    return DP_OK;
}

// ---- inside of a site

dp_status dp_site_contains(bool *out, const dp_data *d, int site, dp_v3 point)
{
    // A ray that starts inside of a shape meets it at once.
    dp_ray_hit hit;
    DP_TRY(dp_shape_ray(&hit, &d->model->site[site].shape, dp_object_pose(d, DP_OBJECT_SITE, site),
                        point, (dp_v3){0.0, 0.0, 1.0}, 0.0));
    *out = hit.hit;
    return DP_OK;
}

dp_status dp_sense_scene(double *out, const dp_data *d, const dp_sensor *sensor)
{
    if (sensor->kind == DP_SENSOR_RANGEFINDER) {
        return sense_range(out, d, sensor);
    }
    if (sensor->kind != DP_SENSOR_INSIDE_SITE) {
        return sense_distance(out, d, sensor);
    }
    bool inside;
    DP_TRY(dp_site_contains(&inside, d, sensor->reference,
                            dp_object_pose(d, sensor->object_kind, sensor->object).p));
    out[0] = inside ? 1.0 : 0.0;
    return DP_OK;
}
