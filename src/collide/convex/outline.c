// Outlines of faces, and what two polygons share: the polygon of A, cut along each edge of B.
#include "collide/convex/outline.h"

#include <string.h>

// Of the size of a round face: what shares less than this girth is held by the nearest point, and
// two round faces that share less than this area (of the square), whose sides may be parallel.
#define SCANTY 0.2
#define SLIGHT 0.005

static double larger(double a, double b)
{
    return a > b ? a : b;
}

// --- Outlines

static void find_extent(dp_outline *o, const dp_shape *s)
{
    if (o->disc) { // the first corner and the seventh are opposite
        const double x = 0.5 * (o->x[0] + o->x[6]), y = 0.5 * (o->y[0] + o->y[6]);
        o->extent = larger(fabs(x), fabs(y)) + s->size[0];
        o->size = 2.0 * s->size[0];
        return;
    }
    double extent = 0.0, size2 = 0.0;
    for (int i = 0; i < o->count; ++i) {
        extent = larger(extent, larger(fabs(o->x[i]), fabs(o->y[i])));
        size2 = larger(size2, dp_square(o->x[i] - o->x[0]) + dp_square(o->y[i] - o->y[0]) +
                                  dp_square(o->z[i] - o->z[0]));
    }
    o->extent = extent;
    o->size = sqrt(size2);
}

// As dp_placed_face, straight into the plane: the face whose axis is nearest to n.
static void look_at_box(dp_outline *o, const dp_placed *s, const dp_view *view, bool is_b)
{
    const double *h = s->shape->size;
    const dp_v3 x = dp_m3_apply_transposed(&s->R, view->t1);
    const dp_v3 y = dp_m3_apply_transposed(&s->R, view->t2);
    const dp_v3 z = dp_m3_apply_transposed(&s->R, view->n);
    const double xk[3] = {x.x, x.y, x.z}, yk[3] = {y.x, y.y, y.z}, zk[3] = {z.x, z.y, z.z};
    const double zx = fabs(z.x), zy = fabs(z.y), zz = fabs(z.z);
    const int k = zx >= zy && zx >= zz ? 0 : zy >= zz ? 1 : 2;
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const bool up = is_b ? zk[k] < 0.0 : !(zk[k] < 0.0);
    const double sign = up ? 1.0 : -1.0;

    const dp_v3 offset = dp_v3_sub(s->p, view->origin);
    const double mx = dp_v3_dot(view->t1, offset) + sign * h[k] * xk[k];
    const double my = dp_v3_dot(view->t2, offset) + sign * h[k] * yk[k];
    const double mz = dp_v3_dot(view->n, offset) + sign * h[k] * zk[k];
    // Seen against n, e_i and sign·e_j turn counterclockwise for A and clockwise for B.
    const double hu = h[i], hv = sign * h[j];
    const double ux = hu * xk[i], uy = hu * yk[i], uz = hu * zk[i];
    const double vx = hv * xk[j], vy = hv * yk[j], vz = hv * zk[j];
    const int second = is_b ? 3 : 1, fourth = 4 - second;
    o->x[0] = mx + (ux + vx);
    o->y[0] = my + (uy + vy);
    o->z[0] = mz + (uz + vz);
    o->x[second] = mx - (ux - vx);
    o->y[second] = my - (uy - vy);
    o->z[second] = mz - (uz - vz);
    o->x[2] = mx - (ux + vx);
    o->y[2] = my - (uy + vy);
    o->z[2] = mz - (uz + vz);
    o->x[fourth] = mx + (ux - vx);
    o->y[fourth] = my + (uy - vy);
    o->z[fourth] = mz + (uz - vz);
    dp_outline_name_box(o, k, up, is_b);
    o->disc = false;
    o->parallelogram = true;
    o->tilt = 0.0;
    const double down = -1.0 / zk[k];
    o->slope_x = xk[k] * down;
    o->slope_y = yk[k] * down;
    o->size = 2.0 * sqrt(h[i] * h[i] + h[j] * h[j]);
    o->extent = larger(fabs(mx) + (fabs(ux) + fabs(vx)), fabs(my) + (fabs(uy) + fabs(vy)));
}

// As dp_placed_face, straight into the plane: the line on the side of a capsule.
static void look_at_capsule(dp_outline *o, const dp_placed *s, const dp_view *view, bool is_b)
{
    const dp_v3 offset = dp_v3_sub(s->p, view->origin), axis = dp_m3_column(&s->R, 2);
    const double half = s->shape->size[1], skin = is_b ? -s->shape->size[0] : s->shape->size[0];
    const double mx = dp_v3_dot(view->t1, offset), my = dp_v3_dot(view->t2, offset);
    const double mz = dp_v3_dot(view->n, offset) + skin, up = dp_v3_dot(view->n, axis);
    const double ux = half * dp_v3_dot(view->t1, axis), uy = half * dp_v3_dot(view->t2, axis);
    const double uz = half * up;
    const int lower = is_b ? 1 : 0, upper = 1 - lower;
    o->count = 2;
    o->x[lower] = mx - ux;
    o->y[lower] = my - uy;
    o->z[lower] = mz - uz;
    o->x[upper] = mx + ux;
    o->y[upper] = my + uy;
    o->z[upper] = mz + uz;
    o->id[lower] = 0;
    o->id[upper] = 1;
    o->face = 2;
    o->turned = is_b;
    o->disc = o->parallelogram = false;
    o->tilt = fabs(up);
    o->slope_x = o->slope_y = 0.0;
    o->extent = larger(fabs(mx) + fabs(ux), fabs(my) + fabs(uy));
    o->size = 2.0 * half;
}

void dp_outline_look(dp_outline *o, const dp_placed *s, const dp_view *view, bool is_b, int face)
{
    if (s->shape->kind == DP_GEOM_BOX) {
        look_at_box(o, s, view, is_b);
        return;
    }
    if (s->shape->kind == DP_GEOM_CAPSULE) {
        look_at_capsule(o, s, view, is_b);
        return;
    }
    // The shape as it is seen: then the corners of its face are what is asked for.
    const dp_v3 x = dp_m3_apply_transposed(&s->R, view->t1);
    const dp_v3 y = dp_m3_apply_transposed(&s->R, view->t2);
    const dp_v3 z = dp_m3_apply_transposed(&s->R, view->n);
    const dp_v3 offset = dp_v3_sub(s->p, view->origin), zero = {0.0, 0.0, 0.0};
    const dp_placed seen = {
        .shape = s->shape,
        .R = {{{x.x, x.y, x.z}, {y.x, y.y, y.z}, {z.x, z.y, z.z}}},
        .p = {dp_v3_dot(view->t1, offset), dp_v3_dot(view->t2, offset), dp_v3_dot(view->n, offset)},
    };
    dp_face f;
    if (s->shape->kind == DP_GEOM_MESH) {
        dp_hull_face(&f, &seen, zero, face);
    } else {
        dp_placed_face(&f, &seen, zero, (dp_v3){0.0, 0.0, is_b ? -1.0 : 1.0});
    }
    o->count = f.count;
    for (int i = 0; i < f.count; ++i) {
        const int k = is_b ? f.count - 1 - i : i;
        o->x[i] = f.corner[k].x;
        o->y[i] = f.corner[k].y;
        o->z[i] = f.corner[k].z;
        o->id[i] = f.id[k];
    }
    o->face = f.face;
    o->turned = is_b;
    o->disc = s->shape->kind == DP_GEOM_CYLINDER && f.count > 2;
    o->parallelogram = false;
    o->tilt = 0.0;
    o->slope_x = o->slope_y = 0.0;
    if (f.count > 2) {
        o->slope_x = -f.normal.x / f.normal.z;
        o->slope_y = -f.normal.y / f.normal.z;
        o->tilt = o->disc ? sqrt(f.normal.x * f.normal.x + f.normal.y * f.normal.y) : 0.0;
    } else if (f.count == 2) {
        o->tilt = fabs(z.z);
    }
    find_extent(o, s->shape);
}

// --- Patches

// How much of the weight a face leaves to the nearest point because it is tilted: flat faces meet
// in corners, but the rim of a cap and the end of a side are only met by the nearest point.
static double missing_of(const dp_outline *o)
{
    return o->disc && o->tilt > DP_FLAT ? dp_rise(o->tilt, DP_FLAT, DP_STEEP) : 0.0;
}

// All corners of one outline weigh the same: of a parallelogram, and of a disc. Of the latter every
// second corner will do: six, equally spread.
static void share_equally(dp_patch *p)
{
    p->shared = true;
    const double weight = 1.0 / p->count;
    for (int i = 0; i < p->count; ++i) {
        p->corner[i].weight = weight;
    }
}

double dp_patch_girth(const dp_patch *p)
{
    double girth = 0.0;
    for (int i = 0; i < p->count; ++i) {
        const dp_corner *c = &p->corner[i], *d = &p->corner[i + 1 < p->count ? i + 1 : 0];
        girth += sqrt(dp_square(d->x - c->x) + dp_square(d->y - c->y));
    }
    return girth;
}

static double area_of(const dp_patch *p)
{
    double twice = 0.0;
    for (int i = 1; i + 1 < p->count; ++i) {
        const dp_corner *o = &p->corner[0], *c = &p->corner[i], *d = &p->corner[i + 1];
        twice += (c->x - o->x) * (d->y - o->y) - (c->y - o->y) * (d->x - o->x);
    }
    return 0.5 * twice;
}

void dp_patch_over_plane(dp_patch *p, const dp_outline *b, double low)
{
    const int step = b->disc ? 2 : 1; // every second corner will do, see share_equally
    p->count = b->count / step;
    p->size = b->extent;
    p->rim = b->disc;
    p->splits = false;
    p->slope2 = b->count > 2 ? dp_square(b->slope_x) + dp_square(b->slope_y) : INFINITY;
    p->missing = missing_of(b);
    p->shared = b->count <= 2;
    for (int i = 0; i < p->count; ++i) {
        dp_corner *c = &p->corner[i];
        const int k = step * i;
        c->x = b->x[k];
        c->y = b->y[k];
        c->low = low;
        c->high = b->z[k];
        c->gap = b->z[k] - low;
        c->weight = 0.5; // of a side
        c->a = c->cut = c->by = -1;
        c->b = (int8_t)k;
    }
    if (b->disc || b->parallelogram) {
        share_equally(p);
    }
}

// A corner on the way.
typedef struct spot {
    double x, y;
    int8_t edge; // that leaves it: of A, or −1 − edge of B
    int8_t a, b; // the vertices of A and of B that it is; −1: none
    int8_t cut;  // or the edge of A that crosses edge `by` of B here
    int8_t by;
} spot;

// The vertex of B between two of its edges, −1 when they are no neighbours.
static int between(const dp_outline *b, int edge, int other)
{
    const int after = edge + 1 < b->count ? edge + 1 : 0;
    if (after == other) {
        return other;
    }
    const int after_other = other + 1 < b->count ? other + 1 : 0;
    return after_other == edge ? edge : -1;
}

// Where the polygon, leaving p for q, crosses edge j of B; dp and dq are their distances.
static void cross(spot *c, const spot *p, const spot *q, double dp, double dq, const dp_outline *b,
                  int j, int edge)
{
    c->edge = (int8_t)edge;
    c->a = -1;
    c->b = (int8_t)(p->edge < 0 ? between(b, -1 - p->edge, j) : -1);
    c->cut = (int8_t)(p->edge < 0 ? -1 : p->edge);
    c->by = (int8_t)j;
    if (c->b >= 0) {
        c->by = -1;
        c->x = b->x[c->b];
        c->y = b->y[c->b];
        return;
    }
    const double t = dp / (dp - dq);
    c->x = p->x + t * (q->x - p->x);
    c->y = p->y + t * (q->y - p->y);
}

// An edge of B and the spots of a polygon: their distances to it, times its length.
typedef struct cut {
    const dp_outline *b;
    int j;
    const spot *in;
    int count;
    double distance[DP_PATCH_ROOM];
} cut;

// What is kept on the way from spot i to the next one.
static int keep_side(spot *out, int kept, const cut *c, int i)
{
    const int k = i + 1 < c->count ? i + 1 : 0;
    const double di = c->distance[i], dk = c->distance[k];
    if (di >= 0.0) {
        out[kept] = c->in[i];
        if (di == 0.0 && dk < 0.0) {
            out[kept].edge = (int8_t)(-1 - c->j);
        }
        kept++;
    }
    if (di > 0.0 && dk < 0.0) {
        cross(&out[kept++], &c->in[i], &c->in[k], di, dk, c->b, c->j, -1 - c->j);
    } else if (di < 0.0 && dk > 0.0) {
        cross(&out[kept++], &c->in[i], &c->in[k], di, dk, c->b, c->j, c->in[i].edge);
    }
    return kept;
}

// Spots from `first` to `last`, which are kept and have no spot that is not behind them.
static int keep_run(spot *out, int kept, const cut *c, int first, int last)
{
    if (last > first) {
        memcpy(out + kept, c->in + first, (size_t)(last - first) * sizeof *out);
        kept += last - first;
    }
    return kept;
}

// Of convex polygons one run of spots is cut off: from `begin` to before `end`, counted on beyond
// the last one. What is kept comes in the order of the spots, from that at the first.
static int keep_but_run(spot *out, const cut *c, int begin, int end)
{
    const int count = c->count;
    int kept = 0;
    if (end > count || begin == 0) { // the first is cut off
        kept = keep_side(out, kept, c, (end - 1) % count);
        const int last = begin > 0 ? begin - 1 : count - 1;
        kept = keep_run(out, kept, c, end % count, last);
        return keep_side(out, kept, c, last);
    }
    kept = keep_run(out, kept, c, 0, begin - 1);
    kept = keep_side(out, kept, c, begin - 1);
    kept = keep_side(out, kept, c, end - 1);
    return keep_run(out, kept, c, end, count);
}

// Keep what lies to the left of edge j of B. Spots within `on` of it are on it, and stay. Returns
// −1 when all do.
static int clip(spot *out, const spot *in, int count, const dp_outline *b, int j, double on,
                bool *touched)
{
    const int next = j + 1 < b->count ? j + 1 : 0;
    const double bx = b->x[j], by = b->y[j], ex = b->x[next] - bx, ey = b->y[next] - by;
    const double length = fabs(ex) + fabs(ey); // or up to √2 times it
    if (!(length > on)) {
        return -1; // no edge to speak of
    }
    const double near = on * length;
    cut c;
    c.b = b;
    c.j = j;
    c.in = in;
    c.count = count;
    int begin = 0, end = count, turns = 0; // of the run of spots that are cut off
    bool off = false, on_edge = false;
    for (int i = 0; i < count; ++i) {
        double d = ex * (in[i].y - by) - ey * (in[i].x - bx);
        if (fabs(d) <= near) {
            d = 0.0;
            on_edge = true;
        }
        c.distance[i] = d;
        if ((d < 0.0) != off) {
            off = !off;
            *(off ? &begin : &end) = i;
            ++turns;
        }
    }
    *touched |= on_edge;
    if (turns == 0) {
        return -1;
    }
    const bool first = c.distance[0] < 0.0;
    if (first && turns == 1) {
        return 0;
    }
    if ((turns <= 2 || (turns == 3 && first)) && count < DP_PATCH_ROOM - 1) {
        return keep_but_run(out, &c, begin, turns == 3 ? end + count : end);
    }
    int kept = 0;
    for (int i = 0; i < count && kept < DP_PATCH_ROOM - 1; ++i) {
        kept = keep_side(out, kept, &c, i);
    }
    return kept;
}

// Leave out spots in the place of the one before.
static int merge_equal(spot *s, int count, double on)
{
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        const int last = kept > 0 ? kept - 1 : count - 1;
        const bool same = fabs(s[i].x - s[last].x) <= on && fabs(s[i].y - s[last].y) <= on;
        if (!same || (i == count - 1 && kept == 0)) {
            s[kept] = s[i];
            kept++;
        }
    }
    return kept;
}

static void complete(dp_corner *c, const spot *s, const dp_outline *a, const dp_outline *b)
{
    c->x = s->x;
    c->y = s->y;
    c->low = s->a >= 0 ? a->z[s->a] : dp_outline_height(a, s->x, s->y);
    c->high = s->b >= 0 ? b->z[s->b] : dp_outline_height(b, s->x, s->y);
    c->gap = c->high - c->low;
    c->a = s->a;
    c->b = s->b;
    c->cut = s->cut;
    c->by = s->by;
}

// Where the origin lies in a polygon.
typedef struct standing {
    int on[2];  // edges that it lies on
    int count;  // 0: inside, 1: on an edge, 2: at a vertex; 3: outside, or hard to tell
    int vertex; // at this one
} standing;

static standing standing_in(const dp_outline *o, double on)
{
    standing s = {{0, 0}, 0, -1};
    for (int i = 0; i < o->count; ++i) {
        const int next = i + 1 < o->count ? i + 1 : 0;
        const double ex = o->x[next] - o->x[i], ey = o->y[next] - o->y[i];
        const double d = ey * o->x[i] - ex * o->y[i], near = on * (fabs(ex) + fabs(ey));
        if (d > near) {
            continue;
        }
        if (d < -near || s.count == 2) {
            s.count = 3;
            return s;
        }
        s.on[s.count++] = i;
    }
    if (s.count == 2) {
        s.vertex = between(o, s.on[0], s.on[1]);
        s.count = s.vertex >= 0 ? 2 : 3;
    }
    return s;
}

static bool is_inside(const dp_outline *o, double x, double y)
{
    for (int i = 0; i < o->count; ++i) {
        const int next = i + 1 < o->count ? i + 1 : 0;
        if ((o->x[next] - o->x[i]) * (y - o->y[i]) < (o->y[next] - o->y[i]) * (x - o->x[i])) {
            return false;
        }
    }
    return true;
}

// Does the gap, from `gap` at the origin, reach `margin` on the way to (x, y), inside of a polygon?
static bool rises_inside(const dp_outline *o, double x, double y, double gap, double margin,
                         double gap_there)
{
    if (!(gap_there >= margin)) {
        return false;
    }
    const double t = (margin - gap) / (gap_there - gap);
    return is_inside(o, t * x, t * y);
}

// A corner of the common area whose neighbours are both beyond the margin is alone: the gap is
// linear, and the area convex. The deepest corner is at the origin; if it is a vertex of one
// polygon inside the other, or two edges cross there, its neighbours are along those edges.
static bool is_alone(spot *out, const dp_outline *a, const dp_outline *b, double on, double gap,
                     double margin)
{
    const double gx = b->slope_x - a->slope_x, gy = b->slope_y - a->slope_y;
    const standing in_a = standing_in(a, on), in_b = standing_in(b, on);
    const bool vertex_a = in_a.count == 2 && in_b.count == 0;
    const bool vertex_b = in_b.count == 2 && in_a.count == 0;
    if (vertex_a || vertex_b) {
        const dp_outline *mine = vertex_a ? a : b, *other = vertex_a ? b : a;
        const int k = vertex_a ? in_a.vertex : in_b.vertex;
        const int next = k + 1 < mine->count ? k + 1 : 0, last = k > 0 ? k - 1 : mine->count - 1;
        *out = (spot){
            mine->x[k], mine->y[k], 0, (int8_t)(vertex_a ? k : -1), (int8_t)(vertex_b ? k : -1),
            -1,         -1};
        return rises_inside(other, mine->x[next], mine->y[next], gap, margin,
                            gap + gx * mine->x[next] + gy * mine->y[next]) &&
               rises_inside(other, mine->x[last], mine->y[last], gap, margin,
                            gap + gx * mine->x[last] + gy * mine->y[last]);
    }
    if (in_a.count == 1 && in_b.count == 1) {
        const int i = in_a.on[0], j = in_b.on[0];
        const int i1 = i + 1 < a->count ? i + 1 : 0, j1 = j + 1 < b->count ? j + 1 : 0;
        const double turn = (a->x[i1] - a->x[i]) * (b->y[j1] - b->y[j]) -
                            (a->y[i1] - a->y[i]) * (b->x[j1] - b->x[j]);
        // Which end of the edge of A is inside B, and the other way around.
        const int ka = turn < 0.0 ? i1 : i, kb = turn < 0.0 ? j : j1;
        *out = (spot){0.0, 0.0, 0, -1, -1, (int8_t)i, (int8_t)j};
        return rises_inside(b, a->x[ka], a->y[ka], gap, margin,
                            gap + gx * a->x[ka] + gy * a->y[ka]) &&
               rises_inside(a, b->x[kb], b->y[kb], gap, margin,
                            gap + gx * b->x[kb] + gy * b->y[kb]);
    }
    return false;
}

void dp_patch_of_polygons(dp_patch *p, const dp_outline *a, const dp_outline *b, double gap,
                          double margin)
{
    const double on = dp_on_edge(a, b);
    const double missing_a = missing_of(a), missing_b = missing_of(b);
    p->missing = missing_a + missing_b - missing_a * missing_b;
    p->size = a->size < b->size ? a->size : b->size;
    p->rim = a->disc || b->disc;
    p->splits = true;
    p->slope2 = dp_square(a->slope_x - b->slope_x) + dp_square(a->slope_y - b->slope_y);
    p->shared = false;

    spot alone;
    if (p->slope2 > DP_FLAT * DP_FLAT && is_alone(&alone, a, b, on, gap, margin)) {
        p->count = 1;
        complete(&p->corner[0], &alone, a, b);
        return;
    }
    spot first[DP_PATCH_ROOM], second[DP_PATCH_ROOM];
    spot *from = first, *to = second;
    int count = a->count;
    for (int i = 0; i < count; ++i) {
        from[i] = (spot){a->x[i], a->y[i], (int8_t)i, (int8_t)i, -1, -1, -1};
    }
    bool whole_a = true, touched = false;
    for (int j = 0; j < b->count && count > 0; ++j) {
        const int kept = clip(to, from, count, b, j, on, &touched);
        if (kept >= 0) {
            spot *swap = from;
            from = to;
            to = swap;
            count = kept;
            whole_a = false;
        }
    }
    if (!whole_a && touched) {
        count = merge_equal(from, count, on);
    }
    p->count = count;
    bool whole_b = count == b->count;
    for (int i = 0; i < count; ++i) {
        complete(&p->corner[i], &from[i], a, b);
        whole_b = whole_b && from[i].b >= 0;
    }
    if (whole_a || whole_b) {
        const dp_outline *whole = whole_a ? a : b;
        p->count = whole->disc ? p->count / 2 : p->count;
        for (int i = 0; i < p->count && whole->disc; ++i) {
            p->corner[i] = p->corner[2 * i];
        }
        if (whole->disc || whole->parallelogram) {
            share_equally(p);
        }
    } else if (p->rim) { // round faces touch before their corners do
        const double scanty = a->disc && b->disc
                                  ? 1.0 - dp_rise(area_of(p), 0.0, SLIGHT * p->size * p->size)
                                  : 1.0 - dp_rise(dp_patch_girth(p), 0.0, SCANTY * p->size);
        p->missing = p->missing + scanty - p->missing * scanty;
    }
}
