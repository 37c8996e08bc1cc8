// Pairs of shapes whose distance has a closed form, or an iteration in one variable.
//
// Each function takes its shapes in the order of its name, which is that of dp_geom_kind, and finds
// gap = max over unit n of −(h_A(n) + h_B(−n)), h the support functions: the distance when apart,
// the shortest separating direction when not. Nothing here looks at a limit but boxes, which can
// stop early.
#ifndef DP_COLLIDE_CLOSED_FORMS_H
#define DP_COLLIDE_CLOSED_FORMS_H

#include "collide/pair.h"

#include <dashpot/advanced/collide.h>

/// Round-off of a few operations, relative to the lengths that went in. Gaps that differ by less
/// are the same, and normals that differ then are ambiguous.
#define DP_ROUND_OFF 0x1p-48

static inline double dp_square(double x)
{
    return x * x;
}

static inline double dp_clamp(double x, double most)
{
    return x < -most ? -most : x > most ? most : x;
}

/// v/length for a length that is not zero.
static inline dp_v3 dp_v3_over(dp_v3 v, double length)
{
    const double s = 1.0 / length;
    return (dp_v3){v.x * s, v.y * s, v.z * s};
}

/// A unit vector across the unit vector u.
static inline dp_v3 dp_v3_across(dp_v3 u)
{
    // Leave out the smallest component: the rest is at least √(2/3) long.
    const double x = fabs(u.x), y = fabs(u.y), z = fabs(u.z);
    const dp_v3 v = x <= y && x <= z ? (dp_v3){0.0, -u.z, u.y}
                    : y <= z         ? (dp_v3){u.z, 0.0, -u.x}
                                     : (dp_v3){-u.y, u.x, 0.0};
    return dp_v3_over(v, dp_v3_norm(v));
}

/// Write an answer found in closed form. `on_a` is the point of A.
static inline void dp_distance_set(dp_distance *out, double gap, dp_v3 normal, dp_v3 on_a,
                                   bool ambiguous)
{
    out->gap = gap;
    out->normal = normal;
    out->point[0] = on_a;
    out->point[1] = dp_v3_madd(on_a, gap, normal);
    out->ambiguous = ambiguous;
    out->outcome = DP_QUERY_OUTCOME_EXACT;
    out->iterations = 0;
}

/// The same answer with A and B exchanged.
static inline void dp_distance_mirror(dp_distance *d)
{
    const dp_v3 first = d->point[0];
    d->point[0] = d->point[1];
    d->point[1] = first;
    d->normal = (dp_v3){-d->normal.x, -d->normal.y, -d->normal.z};
}

/// Is there room for so many more contact points?
/// @return DP_ERROR_CAPACITY where there is not.
dp_status dp_check_room(const dp_contact_buffer *out, int count);

void dp_plane_convex(dp_distance *out, const dp_placed *a, const dp_placed *b,
                     dp_pair_memory *memory);
void dp_sphere_sphere(dp_distance *out, const dp_placed *a, const dp_placed *b);
void dp_sphere_capsule(dp_distance *out, const dp_placed *a, const dp_placed *b);
void dp_sphere_cylinder(dp_distance *out, const dp_placed *a, const dp_placed *b);
void dp_sphere_ellipsoid(dp_distance *out, const dp_placed *a, const dp_placed *b);
void dp_sphere_box(dp_distance *out, const dp_placed *a, const dp_placed *b);
void dp_capsule_capsule(dp_distance *out, const dp_placed *a, const dp_placed *b);
void dp_capsule_box(dp_distance *out, const dp_placed *a, const dp_placed *b);
void dp_box_box(dp_distance *out, const dp_placed *a, const dp_placed *b, double limit);
/// False: it takes dp_convex_distance to tell.
bool dp_cylinder_cylinder(dp_distance *out, const dp_placed *a, const dp_placed *b, double limit,
                          dp_pair_memory *memory);
bool dp_cylinder_box(dp_distance *out, const dp_placed *a, const dp_placed *b, double limit);
bool dp_cylinder_box_decide(bool *overlap, const dp_placed *a, const dp_placed *b);
bool dp_cylinder_ellipsoid_decide(bool *overlap, const dp_placed *a, const dp_placed *b);
/// False: they are apart, or it takes dp_convex_distance to tell.
bool dp_cylinder_ellipsoid(dp_distance *out, const dp_placed *a, const dp_placed *b,
                           dp_pair_memory *memory);
bool dp_ellipsoid_box(dp_distance *out, const dp_placed *a, const dp_placed *b);
bool dp_boxes_overlap(const dp_placed *a, const dp_placed *b);

/// The contact point of a ball and the plane across n through p. @return whether they are nearer
/// than `margin`; else nothing is written
static inline bool dp_plane_sphere_point(dp_contact_point *out, dp_v3 n, dp_v3 p, dp_v3 centre,
                                         double radius, double margin)
{
    const double gap = dp_v3_dot(n, dp_v3_sub(centre, p)) - radius;
    if (!(gap < margin)) {
        return false;
    }
    *out = (dp_contact_point){.point = dp_v3_madd(centre, -(radius + 0.5 * gap), n),
                              .normal = n,
                              .gap = gap,
                              .weight = 1.0};
    return true;
}

/// Contact points, as dp_pair_contacts. Of spheres the order does not matter.
dp_status dp_sphere_contacts(dp_contact_buffer *out, const dp_placed *a, const dp_placed *b,
                             double margin);
dp_status dp_sphere_cylinder_contacts(dp_contact_buffer *out, const dp_placed *a,
                                      const dp_placed *b, double margin);
dp_status dp_plane_sphere_contacts(dp_contact_buffer *out, const dp_placed *a, const dp_placed *b,
                                   double margin);
dp_status dp_plane_box_contacts(dp_contact_buffer *out, const dp_placed *a, const dp_placed *b,
                                double margin);
dp_status dp_plane_cylinder_contacts(dp_contact_buffer *out, const dp_placed *a, const dp_placed *b,
                                     double margin);
dp_status dp_plane_hull_contacts(dp_contact_buffer *out, const dp_placed *a, const dp_placed *b,
                                 double margin, dp_pair_memory *memory);
dp_status dp_box_contacts(dp_contact_buffer *out, const dp_placed *a, const dp_placed *b,
                          double margin);

#endif
