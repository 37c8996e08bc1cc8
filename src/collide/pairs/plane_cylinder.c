// A cylinder that rests on a plane, without the detour over outlines: six corners of its cap, and
// the lowest point of the rim for what they miss of the depth. As dp_convex_contacts has it, to
// round-off; what leans, or lies, is left to that.
#include "base/error.h"
#include "collide/convex/outline.h"

enum { CORNERS = 6 };

// Every second of the twelve corners of a cap, from the last to the second: counterclockwise as
// seen from above, since the cap looks down.
static const double HALF_ROOT_OF_THREE = 0.86602540378443864676;
static const int NUMBER[CORNERS] = {11, 9, 7, 5, 3, 1};

typedef struct cap {
    dp_v3 x[CORNERS]; // on the cap [m]
    double rise[CORNERS];
    uint32_t first; // number of its first corner
    dp_v3 middle;
} cap;

// `m`: the normal of the plane in the frame of the cylinder.
static void find_cap(cap *c, const dp_placed *b, dp_v3 m)
{
    static const double cosine[CORNERS] = {1.0, 0.0, -1.0, -1.0, 0.0, 1.0}; // times that root
    static const double sine[CORNERS] = {-0.5, -1.0, -0.5, 0.5, 1.0, 0.5};
    const double *size = b->shape->size, side = m.z < 0.0 ? 1.0 : -1.0;
    const double r = HALF_ROOT_OF_THREE * size[0], s = side * size[0];
    const dp_v3 u = dp_v3_scale(dp_m3_column(&b->R, 0), r);
    const dp_v3 v = dp_v3_scale(dp_m3_column(&b->R, 1), s);
    c->middle = dp_v3_madd(b->p, side * size[1], dp_m3_column(&b->R, 2));
    c->first = side > 0.0 ? 12u : 0u;
    for (int i = 0; i < CORNERS; ++i) {
        c->x[i] = dp_v3_madd(dp_v3_madd(c->middle, cosine[i], u), sine[i], v);
        c->rise[i] = cosine[i] * (r * m.x) + sine[i] * (s * m.y);
    }
}

// Those that are nearer than the margin, by their numbers, and their weights. Returns the sum of
// these. `middle`: the height of the middle of the cap.
static double weigh_corners(dp_patch *p, int number[CORNERS], const cap *c, double middle,
                            double gap, double margin)
{
    p->count = 0;
    p->missing = 0.0;
    double sum = 0.0;
    for (int i = 0; i < CORNERS; ++i) {
        const double high = middle + c->rise[i];
        dp_corner *corner = &p->corner[p->count];
        corner->gap = high < gap ? gap : high; // what is on the rim may be beyond it, by a little
        corner->weight = dp_margin_taper(corner->gap, margin);
        number[p->count] = i;
        p->count += corner->weight > 0.0;
        sum += corner->weight;
    }
    return sum;
}

static dp_status standing_contacts(dp_contact_buffer *out, const dp_placed *a, const dp_placed *b,
                                   const dp_distance *nearest, dp_v3 m, double margin)
{
    const dp_v3 n = nearest->normal;
    cap c;
    find_cap(&c, b, m);
    const dp_v3 origin = dp_v3_madd(nearest->point[1], -0.5 * nearest->gap, n);
    const dp_view view = dp_view_along(n, origin);
    const double middle = dp_v3_dot(n, dp_v3_sub(c.middle, a->p)), gap = nearest->gap;
    const double x = fabs(dp_v3_dot(view.t1, dp_v3_sub(c.middle, origin)));
    const double y = fabs(dp_v3_dot(view.t2, dp_v3_sub(c.middle, origin)));
    dp_patch p;
    int number[CORNERS];
    const double sum = weigh_corners(&p, number, &c, middle, gap, margin);
    p.size = (x > y ? x : y) + b->shape->size[0];
    const double by_nearest = dp_patch_share_of_nearest(&p, gap, margin);
    const int count = by_nearest < 1.0 ? p.count : 0;
    DP_TRY(dp_check_room(out, count + (by_nearest > 0.0)));
    const double by = (1.0 - by_nearest) / sum;
    for (int i = 0; i < count; ++i) { // the plane is face 0 of A
        const dp_corner *corner = &p.corner[i];
        const int k = number[i];
        const dp_v3 at = dp_v3_madd(c.x[k], -0.5 * (middle + c.rise[k]), n);
        dp_append_nearest(out, at, n, corner->gap, by * corner->weight);
        out->point[out->count - 1].feature = (uint64_t)DP_PART_FACE << 62 |
                                             (uint64_t)DP_PART_VERTEX << 30 |
                                             (uint64_t)(c.first + (uint32_t)NUMBER[k]);
    }
    if (by_nearest > 0.0) {
        dp_append_nearest(out, origin, n, gap, by_nearest);
    }
    return DP_OK;
}

dp_status dp_plane_cylinder_contacts(dp_contact_buffer *out, const dp_placed *a, const dp_placed *b,
                                     double margin)
{
    dp_distance nearest;
    dp_plane_convex(&nearest, a, b, NULL);
    if (!(nearest.gap < margin)) {
        return DP_OK;
    }
    const dp_v3 m = dp_m3_apply_transposed(&b->R, nearest.normal);
    const bool stands = m.x * m.x + m.y * m.y < DP_FLAT * DP_FLAT * (m.z * m.z);
    return stands ? standing_contacts(out, a, b, &nearest, m, margin)
                  : dp_convex_contacts(out, a, b, &nearest, margin);
}
