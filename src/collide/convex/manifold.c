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
//
// Where a hull shows several faces that are nearly as flat, each has its share in all of this, and
// so have faces that are nearer than the margin with all their corners (sunk_faces.c).
#include "base/error.h"
#include "collide/convex/outline.h"
#include "collide/convex/sunk_faces.h"

// What the corners may miss of the depth, as a share of the length of the patch, before the nearest
// point takes all the weight.
#define MISSED 0.005

// Of the girth of the patch: corners that are closer to each other have little to do with slopes.
// Not so between faces that are steeper (as tangents) than from the first to the second of these.
#define BESIDE 0.002
#define SLANTING 1.0
#define STANDING 3.0

// Of the square of the radius of a cap: within the polygon that stands for it.
#define WELL_WITHIN 0.92

// Of the lengths: heights that differ by less are the same.
#define LEVEL 0x1p-36

// Of the lengths: what the corners miss by round-off, or by a hair's breadth.
#define ROUND_OFF 0x1p-40

static double positive(double x)
{
    return x > 0.0 ? x : 0.0;
}

// Weights by the length of the sides, for areas too thin to have a centroid.
static void share_length(dp_patch *p, double by_length)
{
    const double girth = dp_patch_girth(p);
    for (int i = 0; i < p->count; ++i) {
        dp_corner *c = &p->corner[i], *d = &p->corner[i + 1 < p->count ? i + 1 : 0];
        const double length = sqrt(dp_square(d->x - c->x) + dp_square(d->y - c->y));
        const double half =
            girth > 0.0 ? 0.5 * by_length * length / girth : 0.5 * by_length / p->count;
        c->weight += half;
        d->weight += half;
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
    for (int i = 1; i < count; ++i) {
        const double x1 = c[i].x - c[0].x, y1 = c[i].y - c[0].y;
        const double twice = x * y1 - y * x1;
        area += twice;
        cx += twice * (x + x1);
        cy += twice * (y + y1);
        squares += dp_square(x1 - x) + dp_square(y1 - y);
        x = x1;
        y = y1;
    }
    squares += x * x + y * y;
    double by_area = 1.0;
    if (!dp_is_wide(0.5 * area, squares)) {
        by_area = squares > 0.0 ? dp_rise(0.5 * area, DP_THIN * squares, DP_WIDE * squares) : 0.0;
    }
    if (count == 3 && by_area >= 1.0) {
        c[0].weight = c[1].weight = c[2].weight = 1.0 / 3.0;
    } else if (by_area > 0.0) {
        const double by = 1.0 / area, scale = 0.5 * by_area * by;
        cx = cx * by * (1.0 / 3.0) + c[0].x;
        cy = cy * by * (1.0 / 3.0) + c[0].y;
        // Half of the triangle over the side from the last corner to this one, then to the next.
        x = c[count - 1].x - cx;
        y = c[count - 1].y - cy;
        double x1 = c[0].x - cx, y1 = c[0].y - cy;
        const double first = positive(scale * (x * y1 - y * x1));
        double before = first;
        for (int i = 0; i + 1 < count; ++i) {
            x = x1;
            y = y1;
            x1 = c[i + 1].x - cx;
            y1 = c[i + 1].y - cy;
            const double behind = positive(scale * (x * y1 - y * x1));
            c[i].weight = before + behind;
            before = behind;
        }
        c[count - 1].weight = before + first;
    } else {
        for (int i = 0; i < count; ++i) {
            c[i].weight = 0.0;
        }
    }
    if (by_area < 1.0) {
        share_length(p, 1.0 - by_area);
    }
}

// How steeply the gap falls from each corner to another one: the greatest sine, squared. Two
// corners next to each other are nearly one, whichever way the gap falls between them.
static void find_falls(double fall2[DP_PATCH_ROOM], const dp_patch *p, double beside)
{
    const double beside2 = beside * beside;
    for (int i = 0; i < p->count; ++i) {
        const dp_corner *c = &p->corner[i];
        fall2[i] = 0.0;
        for (int k = 0; k < i; ++k) {
            const dp_corner *d = &p->corner[k];
            const double fall = c->gap - d->gap, square = fall * fall;
            const double length =
                dp_square(c->x - d->x) + dp_square(c->y - d->y) + square + beside2;
            const int high = fall > 0.0 ? i : k;
            if (square > fall2[high] * length) {
                fall2[high] = square / length;
            }
        }
    }
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
static double taper(dp_patch *p, double margin, double beside)
{
    const bool sloping = p->slope2 > DP_FLAT * DP_FLAT; // nothing falls more steeply than the gap
    double fall2[DP_PATCH_ROOM], sum = 0.0;
    if (sloping) {
        find_falls(fall2, p, beside);
    }
    int kept = 0;
    for (int i = 0; i < p->count; ++i) {
        const dp_corner *c = &p->corner[i];
        double weight = c->weight * (c->gap > 0.0 ? dp_margin_taper(c->gap, margin) : 1.0);
        if (sloping) {
            weight *= dp_slope_taper(fall2[i]);
        }
        if (weight > 0.0) {
            if (kept != i) {
                p->corner[kept] = *c;
            }
            p->corner[kept++].weight = weight;
            sum += weight;
        }
    }
    p->count = kept;
    return sum;
}

// `near`: how many of them are nearer than the margin.
static void weigh(dp_patch *p, int near, double margin)
{
    double beside = 0.0;
    if (near > 1) {
        if (!p->shared) {
            share_area(p);
        }
        if (p->splits && p->slope2 > DP_FLAT * DP_FLAT && p->slope2 < STANDING * STANDING) {
            beside = BESIDE * dp_patch_girth(p);
            if (p->slope2 > SLANTING * SLANTING) {
                beside *= 1.0 - dp_rise(sqrt(p->slope2), SLANTING, STANDING);
            }
        }
    }
    if (near < p->count) {
        drop_far(p, margin);
    }
    if (near == 1) {
        p->corner[0].weight = 1.0;
        return;
    }
    const double sum = near > 0 ? taper(p, margin, beside) : 0.0;
    const double by = 1.0 / sum;
    for (int i = 0; i < p->count; ++i) {
        p->corner[i].weight *= by;
    }
}

void dp_patch_weigh(dp_patch *p, double margin)
{
    int near = 0;
    for (int i = 0; i < p->count; ++i) {
        near += p->corner[i].gap < margin;
    }
    weigh(p, near, margin);
}

static bool is_round(const dp_shape *s)
{
    return s->kind == DP_GEOM_SPHERE || s->kind == DP_GEOM_ELLIPSOID;
}

// The cap of a cylinder that looks along n, but not flatly: only its rim is met.
static bool is_steep_cap(const dp_placed *s, dp_v3 n)
{
    if (s->shape->kind != DP_GEOM_CYLINDER) {
        return false;
    }
    const double up = dp_v3_dot(dp_m3_column(&s->R, 2), n), up2 = up * up;
    return up2 > 0.5 && up2 < 1.0 - DP_STEEP * DP_STEEP;
}

static bool shows_side(const dp_placed *s, dp_v3 n)
{
    if (s->shape->kind != DP_GEOM_CYLINDER) {
        return s->shape->kind == DP_GEOM_CAPSULE;
    }
    const double up = dp_v3_dot(dp_m3_column(&s->R, 2), n);
    return up * up < 0.5;
}

// Is the nearest point all there is? So for round shapes, for steep caps, and for two sides that
// are steep or cross at an angle: dp_patch_of_polygons and dp_patch_of_sides would leave nothing
// else.
static bool is_one_point(const dp_placed *a, const dp_placed *b, dp_v3 n)
{
    if (is_round(a->shape) || is_round(b->shape) || is_steep_cap(a, n) || is_steep_cap(b, n)) {
        return true;
    }
    if (!shows_side(a, n) || !shows_side(b, n)) {
        return false;
    }
    const dp_v3 u = dp_m3_column(&a->R, 2), v = dp_m3_column(&b->R, 2);
    return fabs(dp_v3_dot(u, n)) >= DP_STEEP || fabs(dp_v3_dot(v, n)) >= DP_STEEP ||
           fabs(dp_v3_dot(dp_v3_cross(u, v), n)) >= DP_STEEP;
}

// Does a capsule rest on the cap of a cylinder, well within its rim, with its other end beyond the
// margin? Then dp_patch_of_side leaves it to the nearest point, at the end that it rests on.
static bool stands_on_cap(const dp_placed *a, const dp_placed *b, const dp_distance *nearest,
                          double margin)
{
    if (a->shape->kind != DP_GEOM_CAPSULE || b->shape->kind != DP_GEOM_CYLINDER) {
        return false;
    }
    const dp_v3 n = nearest->normal, u = dp_m3_column(&a->R, 2), v = dp_m3_column(&b->R, 2);
    const double up = dp_v3_dot(v, n), side = up > 0.0 ? -1.0 : 1.0; // the cap that looks along −n
    if (!(up * up > 1.0 - DP_FLAT * DP_FLAT)) {
        return false;
    }
    const double half = a->shape->size[1], radius = b->shape->size[0], height = b->shape->size[1];
    const double near = dp_v3_dot(u, n) > 0.0 ? half : -half;
    const dp_v3 middle = dp_v3_madd(dp_v3_sub(a->p, b->p), a->shape->size[0], n);
    double gap[2]; // of the near end and of the far one
    for (int k = 0; k < 2; ++k) {
        const dp_v3 x = dp_v3_madd(middle, k == 0 ? near : -near, u);
        gap[k] = (side * dp_v3_dot(x, v) - height) / fabs(up);
        const dp_v3 below = dp_v3_madd(x, gap[k], n);
        const double along = dp_v3_dot(below, v);
        if (dp_v3_dot(below, below) - along * along > WELL_WITHIN * radius * radius) {
            return false;
        }
    }
    const double size = 2.0 * (half < radius ? half : radius);
    return gap[1] >= margin && gap[0] - nearest->gap <= ROUND_OFF * (size + fabs(nearest->gap));
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

static void find_corners(dp_patch *p, dp_outline *oa, dp_outline *ob, const dp_placed *a,
                         const dp_placed *b, const dp_view *view, const int face[2], double gap,
                         double margin)
{
    dp_outline_look(ob, b, view, true, face[1]);
    if (a->shape->kind == DP_GEOM_PLANE) {
        oa->face = 0;
        dp_patch_over_plane(p, ob, dp_v3_dot(view->n, dp_v3_sub(a->p, view->origin)));
        return;
    }
    dp_outline_look(oa, a, view, false, face[0]);
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

double dp_patch_settle(dp_patch *p, double gap, double margin, dp_thinning thinning)
{
    int near = 0;
    for (int i = 0; i < p->count; ++i) { // what is on an edge may be beyond it, by a little
        dp_corner *c = &p->corner[i];
        c->gap = c->gap < gap ? gap : c->gap;
        near += c->gap < margin;
    }
    weigh(p, near, margin);
    dp_patch_thin_out(p, thinning.most - p->rim, thinning.keep);
    const double by_nearest = dp_patch_share_of_nearest(p, gap, margin);
    p->count = by_nearest < 1.0 ? p->count : 0;
    dp_patch_thin_out(p, thinning.most - (by_nearest > 0.0), 1.0);
    return by_nearest;
}

// The corners of one face of each, with weights and features. Returns the share of the nearest
// point.
static double patch_of_faces(dp_patch *p, const dp_placed *a, const dp_placed *b,
                             const dp_view *view, const int face[2], double gap, double margin,
                             dp_thinning thinning)
{
    dp_outline oa, ob;
    find_corners(p, &oa, &ob, a, b, view, face, gap, margin);
    const double by_nearest = dp_patch_settle(p, gap, margin, thinning);
    for (int i = 0; i < p->count; ++i) {
        p->corner[i].feature = dp_outline_feature(&oa, &ob, &p->corner[i]);
    }
    return by_nearest;
}

// Faces by their shares: of hulls several, else whatever there is. @param one shown at a time
static dp_sunk_faces choose(const dp_placed *s, dp_v3 direction, double depth, bool one)
{
    dp_sunk_faces f = {.choice = {.count = 1, .face = {-1}, .share = {1.0}}};
    if (s->shape->kind == DP_GEOM_MESH) {
        dp_hull_choose(&f.choice, s, direction);
        if (one) {
            dp_face_choice_keep_best(&f.choice);
        }
        dp_sunk_faces_add(&f, s->shape->hull, dp_m3_apply_transposed(&s->R, direction), depth);
        dp_sunk_faces_to_panels(&f, s->shape->hull);
    }
    return f;
}

// Two corners of one feature become their mean, so that force and moment stay what they are.
static void take_mean(dp_corner *c, const dp_corner *other, double weight)
{
    const double share = weight / (c->weight + weight);
    c->x += share * (other->x - c->x);
    c->y += share * (other->y - c->y);
    c->low += share * (other->low - c->low);
    c->high += share * (other->high - c->high);
    c->gap += share * (other->gap - c->gap);
    c->weight += weight;
}

// Add a corner, to one in its place or of its feature if there is one: a side meets a vertex at
// another place beside each of the faces there.
static void add_corner(dp_patch *p, const dp_corner *c, double weight)
{
    const double on = LEVEL * p->size;
    for (int i = 0; i < p->count; ++i) {
        dp_corner *d = &p->corner[i];
        if (fabs(d->x - c->x) <= on && fabs(d->y - c->y) <= on) {
            d->gap = d->gap < c->gap ? d->gap : c->gap;
            d->weight += weight;
            return;
        }
        if (d->feature == c->feature) {
            take_mean(d, c, weight);
            return;
        }
    }
    if (p->count < DP_PATCH_ROOM) {
        p->corner[p->count] = *c;
        p->corner[p->count++].weight = weight;
    }
}

// Does c come before d, counterclockwise about (x, y) from the direction of the first axis?
static bool comes_before(const dp_corner *c, const dp_corner *d, double x, double y)
{
    const double cx = c->x - x, cy = c->y - y, dx = d->x - x, dy = d->y - y;
    const bool c_lower = cy < 0.0, d_lower = dy < 0.0;
    return c_lower != d_lower ? d_lower : cx * dy - cy * dx > 0.0;
}

static void put_in_turn(dp_patch *p)
{
    double x = 0.0, y = 0.0;
    for (int i = 0; i < p->count; ++i) {
        x += p->corner[i].x / p->count;
        y += p->corner[i].y / p->count;
    }
    for (int i = 1; i < p->count; ++i) {
        const dp_corner c = p->corner[i];
        int k = i;
        for (; k > 0 && comes_before(&c, &p->corner[k - 1], x, y); --k) {
            p->corner[k] = p->corner[k - 1];
        }
        p->corner[k] = c;
    }
}

// As patch_of_faces, of all the faces that look at each other, each with its share.
static double patch_of_choices(dp_patch *p, const dp_placed *a, const dp_placed *b,
                               const dp_view *view, double gap, double margin, int most)
{
    const dp_thinning all = {DP_PATCH_POINTS, 1.0}, few = {most, DP_KEPT_AREA};
    if (a->shape->kind != DP_GEOM_MESH && b->shape->kind != DP_GEOM_MESH) {
        return patch_of_faces(p, a, b, view, (const int[2]){-1, -1}, gap, margin, all);
    }
    const dp_v3 n = view->n;
    const bool floor = a->shape->kind == DP_GEOM_PLANE; // as on its triangles: one face at a time
    const dp_sunk_faces faces_a = choose(a, n, margin - gap, false);
    const dp_sunk_faces faces_b = choose(b, (dp_v3){-n.x, -n.y, -n.z}, margin - gap, floor);
    const dp_face_choice of_a = faces_a.choice, of_b = faces_b.choice;
    if (of_a.count == 1 && of_b.count == 1) {
        return patch_of_faces(p, a, b, view, (const int[2]){of_a.face[0], of_b.face[0]}, gap,
                              margin, few);
    }
    double by_nearest = 0.0;
    p->count = 0;
    p->size = 0.0;
    for (int i = 0; i < of_a.count; ++i) {
        for (int k = 0; k < of_b.count; ++k) {
            const double share = of_a.share[i] * of_b.share[k];
            dp_patch part;
            const double rest =
                patch_of_faces(&part, a, b, view, (const int[2]){of_a.face[i], of_b.face[k]},
                               gap + faces_a.behind[i] + faces_b.behind[k], margin, all);
            p->size = part.size > p->size ? part.size : p->size;
            by_nearest += share * rest;
            for (int c = 0; c < part.count; ++c) {
                add_corner(p, &part.corner[c], share * (1.0 - rest) * part.corner[c].weight);
            }
        }
    }
    double sum = 0.0;
    for (int i = 0; i < p->count; ++i) {
        sum += p->corner[i].weight;
    }
    for (int i = 0; i < p->count; ++i) {
        p->corner[i].weight /= sum;
    }
    put_in_turn(p);
    dp_patch_thin_out(p, few.most - (by_nearest > 0.0), few.keep);
    return p->count > 0 ? by_nearest : 1.0;
}

dp_status dp_check_room(const dp_contact_buffer *out, int count)
{
    if (out->capacity - out->count < count) {
        return dp_fail(DP_ERROR_CAPACITY, "the buffer has room for %d contact points (needed: %d)",
                       out->capacity, out->count + count);
    }
    return DP_OK;
}

dp_status dp_patch_append(dp_contact_buffer *out, const dp_patch *p, const dp_view *view,
                          double by_nearest)
{
    DP_TRY(dp_check_room(out, p->count + (by_nearest > 0.0)));
    for (int i = 0; i < p->count; ++i) {
        const dp_corner *c = &p->corner[i];
        dp_v3 x = dp_v3_madd(view->origin, c->x, view->t1);
        x = dp_v3_madd(x, c->y, view->t2);
        dp_contact_point *here = &out->point[out->count++];
        here->point = dp_v3_madd(x, 0.5 * (c->low + c->high), view->n);
        here->normal = view->n;
        here->gap = c->gap;
        here->weight = (1.0 - by_nearest) * c->weight;
        here->patch = 0;
        here->feature = c->feature;
    }
    return DP_OK;
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
    if (is_one_point(a, b, n) || stands_on_cap(a, b, nearest, margin)) {
        DP_TRY(dp_check_room(out, 1));
        dp_append_nearest(out, origin, n, nearest->gap, 1.0);
    } else {
        dp_patch p;
        const dp_view view = dp_view_along(n, origin);
        const double by_nearest =
            patch_of_choices(&p, a, b, &view, nearest->gap, margin, dp_points_of_patch(out));
        DP_TRY(dp_patch_append(out, &p, &view, by_nearest));
        if (by_nearest > 0.0) {
            dp_append_nearest(out, origin, n, nearest->gap, by_nearest);
        }
    }
    if (nearest->outcome > out->outcome) {
        out->outcome = nearest->outcome;
    }
    return DP_OK;
}
