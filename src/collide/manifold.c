// The contact points of two convex shapes that are near each other: the corners of the common part
// of the two faces that look at each other.
//
// With n the normal of the pair, both faces are projected onto the plane across n and the two
// polygons intersected. At a corner of the intersection the gap is the difference of the heights of
// the two faces along n. Neither face is a reference: vertices on faces and crossing edges come out
// as they are, and so do points that are apart.
//
// Weights. A corner has the share (A_left + A_right)/2A of the area, where A_left and A_right are
// the triangles that its edges span with the centroid: the mean of the corners is then the
// centroid, and a corner that splits shares its weight. Thin areas are measured by length instead.
// The share is multiplied by a taper that falls to zero
//   - towards the margin, so that corners come and go without a jump, and
//   - for corners from which the gap falls steeply to another corner: what rises at more than 20°
//     takes no part. So nothing is left of a face when a shape turns on to the next one.
//
// The nearest points are the deepest, and usually a corner. Where no corner is as deep - on the
// round rim of a cap, and where two cylinders cross - they are a point of their own, whose weight
// grows with what the corners miss.
#include "base/error.h"
#include "collide/outline.h"

// Areas by their share of the sum of the squared sides (1/4 for squares): below the first they are
// measured by their length, above the second by their area.
#define THIN 1e-6
#define WIDE 1e-4

// What the corners may miss of the depth, as a share of the length of the patch, before the nearest
// point takes all the weight.
#define MISSED 0.005

// Of the lengths: heights that differ by less are the same.
#define LEVEL 0x1p-36

// Of the lengths: what the corners miss by round-off, or by a hair's breadth.
#define ROUND_OFF 0x1p-40

// Weights by the length of the sides, for areas too thin to have a centroid.
static void share_length(dp_patch *p, double by_length)
{
    double perimeter = 0.0, length[DP_PATCH_ROOM];
    for (int i = 0; i < p->count; ++i) {
        const dp_corner *c = &p->corner[i], *d = &p->corner[i + 1 < p->count ? i + 1 : 0];
        length[i] = sqrt(dp_square(d->x - c->x) + dp_square(d->y - c->y));
        perimeter += length[i];
    }
    for (int i = 0; i < p->count; ++i) {
        const double half =
            perimeter > 0.0 ? 0.5 * by_length * length[i] / perimeter : 0.5 * by_length / p->count;
        p->corner[i].weight += half;
        p->corner[i + 1 < p->count ? i + 1 : 0].weight += half;
    }
}

// The share of each corner in the area, in corner.weight.
static void share_area(dp_patch *p)
{
    dp_corner *c = p->corner;
    const int count = p->count;
    // Area and centroid about the first corner.
    double area = 0.0, cx = 0.0, cy = 0.0, squares = 0.0;
    double x = 0.0, y = 0.0;
    for (int i = 0; i < count; ++i) {
        const int k = i + 1 < count ? i + 1 : 0;
        const double x1 = c[k].x - c[0].x, y1 = c[k].y - c[0].y;
        const double twice = x * y1 - y * x1;
        area += twice;
        cx += twice * (x + x1);
        cy += twice * (y + y1);
        squares += dp_square(x1 - x) + dp_square(y1 - y);
        c[i].weight = 0.0;
        x = x1;
        y = y1;
    }
    double by_area = 1.0;
    if (!(0.5 * area >= WIDE * squares)) {
        by_area = squares > 0.0 ? dp_rise(0.5 * area, THIN * squares, WIDE * squares) : 0.0;
        share_length(p, 1.0 - by_area);
    }
    if (by_area > 0.0) {
        const double scale = 0.5 * by_area / area;
        cx = cx / (3.0 * area) + c[0].x;
        cy = cy / (3.0 * area) + c[0].y;
        x = c[0].x - cx;
        y = c[0].y - cy;
        for (int i = 0; i < count; ++i) {
            const int k = i + 1 < count ? i + 1 : 0;
            const double x1 = c[k].x - cx, y1 = c[k].y - cy, twice = x * y1 - y * x1;
            const double half = twice > 0.0 ? scale * twice : 0.0;
            c[i].weight += half;
            c[k].weight += half;
            x = x1;
            y = y1;
        }
    }
}

// How steeply the gap falls from corner i to another one: the greatest sine, squared.
static double steepest_fall(const dp_patch *p, int i)
{
    const dp_corner *c = &p->corner[i];
    double most = 0.0;
    for (int k = 0; k < p->count; ++k) {
        const double fall = c->gap - p->corner[k].gap;
        if (fall > 0.0) {
            const double across =
                dp_square(c->x - p->corner[k].x) + dp_square(c->y - p->corner[k].y);
            const double sine2 = fall * fall / (across + fall * fall);
            most = sine2 > most ? sine2 : most;
        }
    }
    return most;
}

// Leave out corners at the margin or beyond it.
static void drop_far(dp_patch *p, double margin)
{
    int kept = 0;
    for (int i = 0; i < p->count; ++i) {
        if (p->corner[i].gap < margin) {
            if (kept != i) {
                p->corner[kept] = p->corner[i];
            }
            kept++;
        }
    }
    p->count = kept;
}

// Taper the shares, leave out corners of no weight. Returns the sum of the weights.
static double taper(dp_patch *p, double margin)
{
    double factor[DP_PATCH_ROOM], sum = 0.0;
    for (int i = 0; i < p->count; ++i) {
        const double gap = p->corner[i].gap;
        factor[i] = gap > 0.0 ? dp_margin_taper(gap, margin) : 1.0;
        if (p->slope2 > DP_FLAT * DP_FLAT) { // nothing falls more steeply than the gap
            const double fall2 = steepest_fall(p, i);
            if (fall2 > DP_FLAT * DP_FLAT) {
                factor[i] *= 1.0 - dp_rise(sqrt(fall2), DP_FLAT, DP_STEEP);
            }
        }
    }
    int kept = 0;
    for (int i = 0; i < p->count; ++i) {
        const double weight = p->corner[i].weight * factor[i];
        if (weight > 0.0) {
            if (kept != i) {
                p->corner[kept] = p->corner[i];
            }
            p->corner[kept].weight = weight;
            sum += weight;
            kept++;
        }
    }
    p->count = kept;
    return sum;
}

void dp_patch_weigh(dp_patch *p, double margin)
{
    int near = 0;
    for (int i = 0; i < p->count; ++i) {
        near += p->corner[i].gap < margin;
    }
    if (near > 1 && !p->shared) {
        share_area(p);
    }
    if (near < p->count) {
        drop_far(p, margin);
    }
    if (near == 1) {
        p->corner[0].weight = 1.0;
        return;
    }
    const double sum = near > 0 ? taper(p, margin) : 0.0;
    for (int i = 0; i < p->count; ++i) {
        p->corner[i].weight /= sum;
    }
}

void dp_patch_thin_out(dp_patch *p, int most)
{
    while (p->count > most) {
        int deepest = 0, highest = 0, least = 0;
        for (int i = 1; i < p->count; ++i) {
            deepest = p->corner[i].gap < p->corner[deepest].gap ? i : deepest;
            highest = p->corner[i].gap > p->corner[highest].gap ? i : highest;
        }
        if (p->corner[highest].gap - p->corner[deepest].gap <= LEVEL * p->size) {
            deepest = -1; // all are as deep, and round-off must not choose
        }
        double least_area = INFINITY;
        for (int i = 0; i < p->count; ++i) {
            const dp_corner *a = &p->corner[(i + p->count - 1) % p->count], *c = &p->corner[i];
            const dp_corner *b = &p->corner[(i + 1) % p->count];
            const double area = fabs((c->x - a->x) * (b->y - a->y) - (c->y - a->y) * (b->x - a->x));
            if (i != deepest && area < least_area * (1.0 - 1e-6)) {
                least_area = area;
                least = i;
            }
        }
        dp_corner *a = &p->corner[(least + p->count - 1) % p->count];
        dp_corner *b = &p->corner[(least + 1) % p->count];
        const dp_corner *c = &p->corner[least];
        const double ex = b->x - a->x, ey = b->y - a->y, ee = ex * ex + ey * ey;
        double t = ee > 0.0 ? ((c->x - a->x) * ex + (c->y - a->y) * ey) / ee : 0.5;
        t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
        a->weight += (1.0 - t) * c->weight;
        b->weight += t * c->weight;
        for (int i = least + 1; i < p->count; ++i) {
            p->corner[i - 1] = p->corner[i];
        }
        p->count--;
    }
}

static bool is_round(const dp_shape *s)
{
    return s->kind == DP_SPHERE || s->kind == DP_ELLIPSOID;
}

// Is the nearest point all there is? So for round shapes, and for capsules that are steep or cross
// at an angle: then dp_patch_of_sides would leave nothing.
static bool is_one_point(const dp_placed *a, const dp_placed *b, dp_v3 n)
{
    if (is_round(a->shape) || is_round(b->shape)) {
        return true;
    }
    if (a->shape->kind != DP_CAPSULE || b->shape->kind != DP_CAPSULE) {
        return false;
    }
    const dp_v3 u = dp_m3_column(&a->R, 2), v = dp_m3_column(&b->R, 2);
    return fabs(dp_v3_dot(u, n)) >= DP_STEEP || fabs(dp_v3_dot(v, n)) >= DP_STEEP ||
           fabs(dp_v3_dot(dp_v3_cross(u, v), n)) >= DP_STEEP;
}

static void find_corners(dp_patch *p, dp_outline *oa, dp_outline *ob, const dp_placed *a,
                         const dp_placed *b, const dp_view *view, double gap, double margin)
{
    dp_outline_look(ob, b, view, true);
    if (a->shape->kind == DP_PLANE) {
        oa->face = 0;
        dp_patch_over_plane(p, ob, dp_v3_dot(view->n, dp_v3_sub(a->p, view->origin)));
        return;
    }
    dp_outline_look(oa, a, view, false);
    if (oa->count > 2 && ob->count > 2) {
        dp_patch_of_polygons(p, oa, ob, gap, margin);
    } else if (oa->count > 2) {
        dp_patch_of_side(p, ob, oa, false, b->shape->size[0], margin);
    } else if (ob->count > 2) {
        dp_patch_of_side(p, oa, ob, true, a->shape->size[0], margin);
    } else {
        dp_patch_of_sides(p, oa, ob, a->shape->size[0], b->shape->size[0]);
    }
}

double dp_patch_share_of_nearest(const dp_patch *p, double gap, double margin)
{
    double deepest = INFINITY;
    for (int i = 0; i < p->count; ++i) {
        deepest = p->corner[i].gap < deepest ? p->corner[i].gap : deepest;
    }
    const double missed = deepest - gap;
    if (p->count > 0 && missed <= ROUND_OFF * (p->size + fabs(gap))) {
        return p->missing;
    }
    if (p->count == 0 || p->missing >= 1.0) {
        return 1.0;
    }
    const double by_margin = dp_rise(missed, 0.0, margin - gap);
    const double by_size = dp_rise(missed, 0.0, MISSED * p->size);
    const double share = by_margin > by_size ? by_margin : by_size;
    return share + p->missing - share * p->missing; // 1 − (1 − share)(1 − missing)
}

// Axes across the unit vector n, without a square root.
static dp_view view_along(dp_v3 n, dp_v3 origin)
{
    const double sign = n.z < 0.0 ? -1.0 : 1.0;
    const double s = -1.0 / (sign + n.z), xy = n.x * n.y * s;
    return (dp_view){origin,
                     {1.0 + sign * n.x * n.x * s, sign * xy, -sign * n.x},
                     {xy, sign + n.y * n.y * s, -n.y},
                     n};
}

dp_status dp_convex_contacts(dp_contact_buffer *out, const dp_placed *a, const dp_placed *b,
                             const dp_distance *nearest, double margin)
{
    if (!(nearest->gap < margin)) {
        return DP_OK;
    }
    const dp_v3 n = nearest->normal;
    const dp_v3 origin =
        dp_v3_madd(nearest->point[0], 0.5, dp_v3_sub(nearest->point[1], nearest->point[0]));
    dp_outline oa, ob;
    dp_patch p;
    p.count = 0;
    double by_nearest = 1.0;
    const dp_view view = view_along(n, origin);
    if (!is_one_point(a, b, n)) {
        find_corners(&p, &oa, &ob, a, b, &view, nearest->gap, margin);
        for (int i = 0; i < p.count; ++i) { // what is on an edge may be beyond it, by a little
            dp_corner *c = &p.corner[i];
            c->gap = c->gap < nearest->gap ? nearest->gap : c->gap;
        }
        dp_patch_weigh(&p, margin);
        dp_patch_thin_out(&p, DP_PATCH_POINTS);
        by_nearest = dp_patch_share_of_nearest(&p, nearest->gap, margin);
        p.count = by_nearest < 1.0 ? p.count : 0;
        dp_patch_thin_out(&p, DP_PATCH_POINTS - (by_nearest > 0.0));
    }
    const int count = p.count + (by_nearest > 0.0);
    if (out->capacity - out->count < count) {
        return dp_fail(DP_ERROR_CAPACITY, "the buffer has room for %d contact points (needed: %d)",
                       out->capacity, out->count + count);
    }
    for (int i = 0; i < p.count; ++i) {
        const dp_corner *c = &p.corner[i];
        dp_v3 x = dp_v3_madd(origin, c->x, view.t1);
        x = dp_v3_madd(x, c->y, view.t2);
        out->point[out->count++] = (dp_contact_point){
            .point = dp_v3_madd(x, 0.5 * (c->low + c->high), n),
            .normal = n,
            .gap = c->gap,
            .weight = (1.0 - by_nearest) * c->weight,
            .feature = dp_outline_feature(&oa, &ob, c),
        };
    }
    if (by_nearest > 0.0) {
        out->point[out->count++] = (dp_contact_point){
            .point = origin, .normal = n, .gap = nearest->gap, .weight = by_nearest};
    }
    if (nearest->outcome > out->outcome) {
        out->outcome = nearest->outcome;
    }
    return DP_OK;
}
