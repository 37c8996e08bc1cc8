// A sphere and another round or simple shape: where the centre lies in the frame of the other.
//
// With c the centre, the gap is the signed distance of c from the other shape less the radius. The
// normal is the outward normal of the other there, turned around since it runs from A to B.
#include "base/error.h"
#include "base/simd_dispatch.h"
#include "collide/exact/ellipsoid.h"
#include "collide/pairs/closed_forms.h"

// Write the answer for a centre whose signed distance from B is `distance`, with the outward unit
// normal `m` of B in the frame of B.
DP_INLINE void settle(dp_distance *out, const dp_placed *a, const dp_placed *b, double distance,
                      dp_v3 m, bool ambiguous)
{
    const double r = a->shape->size[0];
    const dp_v3 outward = dp_m3_apply(&b->R, m);
    const dp_v3 n = {-outward.x, -outward.y, -outward.z};
    dp_distance_set(out, distance - r, n, dp_v3_madd(a->p, r, n), ambiguous);
}

static dp_v3 centre_in(const dp_placed *b, const dp_placed *a)
{
    return dp_m3_apply_transposed(&b->R, dp_v3_sub(a->p, b->p));
}

void dp_sphere_sphere(dp_distance *out, const dp_placed *a, const dp_placed *b)
{
    const double ra = a->shape->size[0], rb = b->shape->size[0];
    const dp_v3 d = dp_v3_sub(b->p, a->p);
    const double length = dp_v3_norm(d);
    const dp_v3 n = length > 0.0 ? dp_v3_over(d, length) : (dp_v3){0.0, 0.0, 1.0};
    dp_distance_set(out, length - (ra + rb), n, dp_v3_madd(a->p, ra, n),
                    length <= DP_ROUND_OFF * (ra + rb));
}

// The middle between the surfaces is that of the centres, moved by half the difference of the
// radii: the same bits whichever is A.
dp_status dp_sphere_contacts(dp_contact_buffer *out, const dp_placed *a, const dp_placed *b,
                             double margin)
{
    const double ra = a->shape->size[0], rb = b->shape->size[0];
    const dp_v3 d = dp_v3_sub(b->p, a->p);
    const double length = dp_v3_norm(d), gap = length - (ra + rb);
    if (!(gap < margin)) {
        return DP_OK;
    }
    DP_TRY(dp_check_room(out, 1));
    // At one place any normal will do, from the smaller to the larger.
    const dp_v3 n = length > 0.0 ? dp_v3_over(d, length) : (dp_v3){0.0, 0.0, ra > rb ? -1.0 : 1.0};
    const dp_v3 centre = dp_v3_scale(dp_v3_add(a->p, b->p), 0.5);
    out->point[out->count++] = (dp_contact_point){
        .point = dp_v3_madd(centre, 0.5 * (ra - rb), n), .normal = n, .gap = gap, .weight = 1.0};
    return DP_OK;
}

void dp_sphere_capsule(dp_distance *out, const dp_placed *a, const dp_placed *b)
{
    const double radius = b->shape->size[0], half = b->shape->size[1];
    const dp_v3 c = centre_in(b, a);
    const dp_v3 e = {c.x, c.y, c.z - dp_clamp(c.z, half)};
    const double distance = dp_v3_norm(e);
    // On the core every way across the axis is as short.
    const bool on_core = !(distance > DP_ROUND_OFF * (half + a->shape->size[0] + radius));
    const dp_v3 m = on_core ? (dp_v3){1.0, 0.0, 0.0} : dp_v3_over(e, distance);
    settle(out, a, b, distance - radius, m, on_core);
}

DP_INLINE void reach_cylinder(dp_distance *out, const dp_placed *a, const dp_placed *b)
{
    const double radius = b->shape->size[0], half = b->shape->size[1];
    const dp_v3 c = centre_in(b, a);
    const double rho = sqrt(c.x * c.x + c.y * c.y);
    const double side = rho - radius, cap = fabs(c.z) - half;
    const double up = copysign(1.0, c.z);
    const dp_v3 outward = rho > 0.0 ? (dp_v3){c.x / rho, c.y / rho, 0.0} : (dp_v3){1.0, 0.0, 0.0};
    if (side > 0.0 && cap > 0.0) { // nearest to the rim
        const double distance = sqrt(side * side + cap * cap);
        const double s = side / distance;
        settle(out, a, b, distance, (dp_v3){s * outward.x, s * outward.y, up * cap / distance},
               false);
        return;
    }
    const double small = DP_ROUND_OFF * (radius + half + a->shape->size[0]);
    const bool to_side = side > cap;
    const bool inside = side <= 0.0 && cap <= 0.0;
    const bool ambiguous =
        inside && (fabs(side - cap) <= small || (to_side ? rho : fabs(c.z)) <= small);
    settle(out, a, b, to_side ? side : cap, to_side ? outward : (dp_v3){0.0, 0.0, up}, ambiguous);
}

void dp_sphere_cylinder(dp_distance *out, const dp_placed *a, const dp_placed *b)
{
    reach_cylinder(out, a, b);
}

// dp_convex_contacts for a pair of which it makes one point.
dp_status dp_sphere_cylinder_contacts(dp_contact_buffer *out, const dp_placed *a,
                                      const dp_placed *b, double margin)
{
    dp_distance nearest;
    reach_cylinder(&nearest, a, b);
    if (!(nearest.gap < margin)) {
        return DP_OK;
    }
    DP_TRY(dp_check_room(out, 1));
    const dp_v3 way = dp_v3_sub(nearest.point[1], nearest.point[0]);
    out->point[out->count++] = (dp_contact_point){.point = dp_v3_madd(nearest.point[0], 0.5, way),
                                                  .normal = nearest.normal,
                                                  .gap = nearest.gap,
                                                  .weight = 1.0};
    return DP_OK;
}

void dp_sphere_box(dp_distance *out, const dp_placed *a, const dp_placed *b)
{
    const double *h = b->shape->size;
    const dp_v3 c = centre_in(b, a);
    const dp_v3 e = {c.x - dp_clamp(c.x, h[0]), c.y - dp_clamp(c.y, h[1]),
                     c.z - dp_clamp(c.z, h[2])};
    const double distance = dp_v3_norm(e);
    if (distance > 0.0) {
        settle(out, a, b, distance, dp_v3_over(e, distance), false);
        return;
    }
    const double depth[3] = {fabs(c.x) - h[0], fabs(c.y) - h[1], fabs(c.z) - h[2]}; // all ≤ 0
    const int x_or_y = depth[1] > depth[0] ? 1 : 0;
    const int k = depth[2] > depth[x_or_y] ? 2 : x_or_y;
    const double at[3] = {c.x, c.y, c.z};
    const double small = DP_ROUND_OFF * (h[0] + h[1] + h[2] + a->shape->size[0]);
    const bool ambiguous = depth[(k + 1) % 3] >= depth[k] - small ||
                           depth[(k + 2) % 3] >= depth[k] - small || fabs(at[k]) <= small;
    const double sign = copysign(1.0, at[k]);
    const dp_v3 m = {k == 0 ? sign : 0.0, k == 1 ? sign : 0.0, k == 2 ? sign : 0.0};
    settle(out, a, b, depth[k], m, ambiguous);
}

void dp_sphere_ellipsoid(dp_distance *out, const dp_placed *a, const dp_placed *b)
{
    const double *size = b->shape->size;
    const int x_or_y = size[1] < size[0] ? 1 : 0;
    const int k = size[2] < size[x_or_y] ? 2 : x_or_y;
    const double unit = size[k];
    const dp_v3 centre = centre_in(b, a);
    const double e[3] = {size[0] / unit, size[1] / unit, size[2] / unit};
    const double c[3] = {centre.x / unit, centre.y / unit, centre.z / unit};
    double x[3];
    bool middle;
    const int steps = dp_ellipsoid_nearest(x, &middle, e, c, k);

    dp_v3 m = {x[0] / e[0], x[1] / e[1], x[2] / e[2]};
    m = dp_v3_over(m, dp_v3_norm(m));
    const dp_v3 w = {size[0] * m.x, size[1] * m.y, size[2] * m.z};
    // By the definition of the gap: errors of m enter with their square.
    const double distance = dp_v3_dot(m, centre) - dp_v3_norm(w);
    const double small = DP_ROUND_OFF * (size[0] + size[1] + size[2] + a->shape->size[0]);
    middle = middle || (distance < 0.0 && fabs(k == 0   ? centre.x
                                               : k == 1 ? centre.y
                                                        : centre.z) <= small);
    settle(out, a, b, distance, m, middle);
    out->iterations = steps;
    out->outcome = steps < DP_ELLIPSOID_STEPS ? DP_QUERY_OUTCOME_EXACT : DP_QUERY_OUTCOME_CAPPED;
}
