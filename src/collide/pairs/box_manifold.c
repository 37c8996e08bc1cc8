// The contact points of two boxes, and of a plane and a box. As in manifold.c they are the corners
// of what two faces share, seen along the normal n; here the faces are rectangles, and the cuts are
// made in the plane of the face of B.
//
// The face of A is moved along n onto that plane, in the axes of the face: a parallelogram, to be
// cut to |w₁| ≤ h₁, |w₂| ≤ h₂. Each corner takes its gap along, which is linear over the plane.
// With c = |n·N|, N the outward normal of the face of B, a point at height w₃ over it lies w₃/c
// before it along n. Only what is left is then laid out in the plane across n, where weights are
// found.
#include "base/error.h"
#include "collide/convex/outline.h"
#include "collide/pairs/box_sat.h"

// The corners of what two rectangles share, at most.
enum { SPOTS = 8 };

// A face of a box, across the axis k and on its positive side or not.
typedef struct rectangle {
    int i, j, k; // axes along the first and second sides, and across
    bool up;
    double sign;   // ±1: up or not
    double cosine; // of its normal and ±n
} rectangle;

// The face whose axis is nearest to m.
static inline rectangle face_along(const double m[3])
{
    static const int NEXT[3] = {1, 2, 0}, LAST[3] = {2, 0, 1};
    const double x = fabs(m[0]), y = fabs(m[1]), z = fabs(m[2]);
    const double more = y > x ? y : x;
    const int of_two = y > x ? 1 : 0, k = z > more ? 2 : of_two;
    const bool up = !(m[k] < 0.0);
    return (rectangle){NEXT[k], LAST[k], k, up, up ? 1.0 : -1.0, fabs(m[k])};
}

// The plane of the face of B. Its axes t1 and t2 turn counterclockwise about n.
typedef struct ground {
    double half[2];      // of B along t1 and t2
    double n1, n2, by_c; // n along t1 and t2, and 1/c
    double lean1, lean2; // n1 and n2 over 1 + c
} ground;

static inline ground ground_of(const rectangle *fb, const double against[3], const double size[3])
{
    const double lean = 1.0 / (1.0 + fb->cosine);
    const double n1 = -fb->sign * against[fb->j], n2 = -against[fb->i];
    return (ground){{size[fb->j], size[fb->i]}, n1, n2, 1.0 / fb->cosine, lean * n1, lean * n2};
}

// A corner of what is shared, on the way.
typedef struct spot {
    double w[2]; // in the plane
    double gap;
    int8_t edge; // that leaves it: of A, or −1 − edge of B
    int8_t a, b; // the vertices of A and of B that it is; −1: none
    int8_t cut;  // or the edge of A that crosses edge `by` of B here
    int8_t by;
} spot;

// A vector in the frame of B: along the axes of the plane, moved along n, and what is left to move.
typedef struct moved {
    double w1, w2, gap;
} moved;

static inline moved move(const double v[3], double lower, const rectangle *fb, const ground *g)
{
    const double gap = (fb->sign * v[fb->k] - lower) * g->by_c;
    return (moved){fb->sign * v[fb->j] + gap * g->n1, v[fb->i] + gap * g->n2, gap};
}

static inline spot corner_of_a(const moved *m, const moved *u, const moved *v, double su, double sv,
                               int number)
{
    return (spot){{m->w1 + (su * u->w1 + sv * v->w1), m->w2 + (su * u->w2 + sv * v->w2)},
                  m->gap + (su * u->gap + sv * v->gap),
                  (int8_t)number,
                  (int8_t)number,
                  -1,
                  -1,
                  -1};
}

// The corners of the face of A in the plane, counterclockwise about n; its middle, and how far it
// reaches from there along the axes.
static inline void lay_face_of_a(spot out[4], double at[2], double reach[2], const dp_box_sat *f,
                                 const rectangle *fa, const rectangle *fb, const ground *g)
{
    const double *ck = f->C[fa->k], *ci = f->C[fa->i], *cj = f->C[fa->j];
    const double h = fa->sign * f->a[fa->k], hu = f->a[fa->i], hv = fa->sign * f->a[fa->j];
    const double middle[3] = {h * ck[0] - f->e[0], h * ck[1] - f->e[1], h * ck[2] - f->e[2]};
    const double along_u[3] = {hu * ci[0], hu * ci[1], hu * ci[2]};
    const double along_v[3] = {hv * cj[0], hv * cj[1], hv * cj[2]};
    const moved m = move(middle, f->b[fb->k], fb, g);
    const moved u = move(along_u, 0.0, fb, g), v = move(along_v, 0.0, fb, g);
    out[0] = corner_of_a(&m, &u, &v, 1.0, 1.0, 0);
    out[1] = corner_of_a(&m, &u, &v, -1.0, 1.0, 1);
    out[2] = corner_of_a(&m, &u, &v, -1.0, -1.0, 2);
    out[3] = corner_of_a(&m, &u, &v, 1.0, -1.0, 3);
    at[0] = m.w1;
    at[1] = m.w2;
    reach[0] = fabs(u.w1) + fabs(v.w1);
    reach[1] = fabs(u.w2) + fabs(v.w2);
}

// Edge j of B is where w[axis] = side·half[axis]. The first and third are at the ends of the second
// axis, the others at those of the first; each ends where the next begins.
static inline int axis_of(int j)
{
    return j & 1 ? 0 : 1;
}

static inline double side_of(int j)
{
    return j == 0 || j == 3 ? 1.0 : -1.0;
}

// Where the polygon, leaving p for q at the distances dp and dq from edge j, crosses it: at a
// vertex of B if it came along the edge before or after.
static inline void cross(spot *c, const spot *p, const spot *q, double dp, double dq,
                         const ground *g, int j, int edge)
{
    const int axis = axis_of(j), along = -1 - p->edge; // of B
    const double t = dp / (dp - dq);
    c->w[axis] = side_of(j) * g->half[axis];
    c->gap = p->gap + t * (q->gap - p->gap);
    c->edge = (int8_t)edge;
    c->a = -1;
    if (along >= 0 && axis_of(along) != axis) {
        c->w[1 - axis] = side_of(along) * g->half[1 - axis];
        c->b = (int8_t)(((along + 1) & 3) == j ? j : along);
        c->cut = c->by = -1;
    } else {
        c->w[1 - axis] = p->w[1 - axis] + t * (q->w[1 - axis] - p->w[1 - axis]);
        c->b = -1;
        c->cut = (int8_t)(along >= 0 ? -1 : p->edge);
        c->by = (int8_t)j;
    }
}

// Keep what lies to the left of edge j of B. Spots within `on` of it are on it, and stay. Returns
// −1 when all do.
static inline int clip(spot *out, const spot *in, int count, const ground *g, int j, double on,
                       bool *touched)
{
    const int axis = axis_of(j);
    const double side = side_of(j), half = g->half[axis];
    double distance[SPOTS];
    bool out_there = false;
    for (int i = 0; i < count; ++i) {
        const double d = half - side * in[i].w[axis];
        const bool is_on = fabs(d) <= on;
        distance[i] = is_on ? 0.0 : d;
        *touched |= is_on;
        out_there |= d < -on;
    }
    if (!out_there) {
        return -1;
    }
    int kept = 0;
    for (int i = 0; i < count && kept < SPOTS; ++i) {
        const int k = i + 1 < count ? i + 1 : 0;
        const double di = distance[i], dk = distance[k];
        if (di >= 0.0) {
            out[kept] = in[i];
            out[kept].edge = di == 0.0 && dk < 0.0 ? (int8_t)(-1 - j) : in[i].edge;
            kept++;
        }
        if (di * dk < 0.0 && kept < SPOTS) {
            cross(&out[kept++], &in[i], &in[k], di, dk, g, j, di > 0.0 ? -1 - j : in[i].edge);
        }
    }
    return kept;
}

// Leave out spots in the place of the one before.
static int merge_equal(spot *s, int count, double on)
{
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        const int last = kept > 0 ? kept - 1 : count - 1;
        const bool same =
            fabs(s[i].w[0] - s[last].w[0]) <= on && fabs(s[i].w[1] - s[last].w[1]) <= on;
        if (!same || (i == count - 1 && kept == 0)) {
            s[kept++] = s[i];
        }
    }
    return kept;
}

// A spot in the plane across n, both with the middle of the face of B as their origin.
static inline void complete(dp_corner *c, const spot *s, const ground *g)
{
    const double along_n = g->n1 * s->w[0] + g->n2 * s->w[1];
    c->x = s->w[0] - g->lean1 * along_n;
    c->y = s->w[1] - g->lean2 * along_n;
    c->high = along_n;
    c->low = c->high - s->gap;
    c->gap = s->gap;
    c->a = s->a;
    c->b = s->b;
    c->cut = s->cut;
    c->by = s->by;
}

static inline double squares(double x, double y)
{
    return x * x + y * y;
}

// The slope of the gap across n, squared. Over the plane of B it is N_A/(N_A·n), N_A the normal of
// the face of A, and lengths along the lean of the plane are 1/c times those across n.
static double slope2(const dp_box_sat *f, const rectangle *fa, const rectangle *fb, const ground *g)
{
    const double *row = f->C[fa->k], by = fa->sign / fa->cosine;
    const double g1 = by * fb->sign * row[fb->j], g2 = by * row[fb->i];
    const double along = (g->n1 * g1 + g->n2 * g2) * g->by_c;
    return squares(g1 + g->lean1 * along, g2 + g->lean2 * along);
}

// A polygon that is being cut.
typedef struct cutting {
    spot room[2][SPOTS];
    spot *now, *next; // of the two
    int count;
    double on; // closer than this to an edge is on it [m]
    bool cut;  // somewhere
    bool touched;
} cutting;

// Cut along edge j of B. `reach` is how far the polygon reaches across it, from the middle of B.
static inline void cut(cutting *p, const ground *g, int j, double reach)
{
    if (reach < g->half[axis_of(j)] - p->on) {
        return;
    }
    const int kept = clip(p->next, p->now, p->count, g, j, p->on, &p->touched);
    if (kept >= 0) {
        spot *last = p->now;
        p->now = p->next;
        p->next = last;
        p->count = kept;
        p->cut = true;
    }
}

// What the two faces share, as corners of a polygon. Returns whether one of them is shared whole.
static bool share_faces(cutting *p, const dp_box_sat *f, const rectangle *fa, const rectangle *fb,
                        const ground *g)
{
    // Far more than round-off, far less than matters.
    const double extent_a = f->a[fa->i] + f->a[fa->j], extent_b = g->half[0] + g->half[1];
    const bool a_is_less = extent_a < extent_b;
    p->on =
        0x1p-30 * (a_is_less ? extent_a : extent_b) + 0x1p-44 * (a_is_less ? extent_b : extent_a);
    p->now = p->room[0];
    p->next = p->room[1];
    p->count = 4;
    p->cut = p->touched = false;
    double middle[2], reach[2];
    lay_face_of_a(p->now, middle, reach, f, fa, fb, g);
    cut(p, g, 0, reach[1] + middle[1]);
    cut(p, g, 1, reach[0] - middle[0]);
    cut(p, g, 2, reach[1] - middle[1]);
    cut(p, g, 3, reach[0] + middle[0]);
    if (p->cut && p->touched) {
        p->count = merge_equal(p->now, p->count, p->on);
    }
    bool whole_b = p->count == 4;
    for (int i = 0; i < p->count; ++i) {
        whole_b = whole_b && p->now[i].b >= 0;
    }
    return !p->cut || whole_b;
}

// The corners of the two faces' common area and what is known of it. No gap is below that of the
// pair.
static void find_patch(dp_patch *p, const dp_box_sat *f, const rectangle *fa, const rectangle *fb,
                       const ground *g, double gap, double margin)
{
    cutting c;
    p->shared = share_faces(&c, f, fa, fb, g);
    int near = 0, last = 0;
    for (int i = 0; i < c.count; ++i) {
        double *gap_here = &c.now[i].gap;
        *gap_here = *gap_here > gap + f->small ? *gap_here : gap; // the deepest, but for round-off
        const bool is_near = *gap_here < margin;
        last = is_near ? i : last;
        near += is_near;
    }
    const double of_a = f->a[fa->i] + f->a[fa->j], of_b = g->half[0] + g->half[1];
    p->size = 2.0 * (of_a < of_b ? of_a : of_b);
    p->rim = false;
    p->splits = true;
    p->missing = 0.0;
    p->slope2 = near > 1 ? slope2(f, fa, fb, g) : 0.0;
    if (near == 1) { // it has all the weight, whatever the others are
        p->count = 1;
        complete(&p->corner[0], &c.now[last], g);
        return;
    }
    p->count = c.count;
    for (int i = 0; i < c.count; ++i) {
        complete(&p->corner[i], &c.now[i], g);
        p->corner[i].weight = 0.25; // of a parallelogram
    }
}

// The plane across n, with the axes that those of the face of B become as it is turned across n.
static inline dp_view view_of(const dp_placed *b, const rectangle *fb, const ground *g, dp_v3 n)
{
    const dp_v3 e1 = dp_v3_scale(dp_m3_column(&b->R, fb->j), fb->sign);
    const dp_v3 e2 = dp_m3_column(&b->R, fb->i);
    const dp_v3 outward = dp_v3_scale(dp_m3_column(&b->R, fb->k), fb->sign);
    const dp_v3 both = dp_v3_sub(n, outward);
    return (dp_view){dp_v3_madd(b->p, b->shape->size[fb->k], outward),
                     dp_v3_madd(e1, -g->lean1, both), dp_v3_madd(e2, -g->lean2, both), n};
}

dp_status dp_box_contacts(dp_contact_buffer *out, const dp_placed *a, const dp_placed *b,
                          double margin)
{
    dp_box_sat f;
    if (!dp_box_sat_find(&f, a, b, margin)) {
        return DP_OK;
    }
    dp_v3 m = dp_box_normal(&f, f.best), x = {0.0, 0.0, 0.0};
    double gap = f.gap;
    const bool apart = gap > f.small;
    if (apart && !dp_box_nearest(&x, &m, &gap, &f)) {
        dp_distance nearest;
        dp_convex_distance(&nearest, a, b, margin, NULL);
        return dp_convex_contacts(out, a, b, &nearest, margin);
    }
    if (!(gap < margin)) {
        return DP_OK;
    }
    const double n_a[3] = {m.x, m.y, m.z};
    double against[3]; // −n in the frame of B
    for (int j = 0; j < 3; ++j) {
        against[j] = -(f.C[0][j] * m.x + f.C[1][j] * m.y + f.C[2][j] * m.z);
    }
    const rectangle fa = face_along(n_a), fb = face_along(against);
    const ground g = ground_of(&fb, against, f.b);
    dp_patch p;
    find_patch(&p, &f, &fa, &fb, &g, gap, margin);
    const double by_nearest = dp_patch_settle(&p, gap, margin, (dp_thinning){DP_PATCH_POINTS, 1.0});
    dp_outline oa, ob; // only by name
    dp_outline_name_box(&oa, fa.k, fa.up, false);
    dp_outline_name_box(&ob, fb.k, fb.up, true);
    for (int i = 0; i < p.count; ++i) {
        p.corner[i].feature = dp_outline_feature(&oa, &ob, &p.corner[i]);
    }
    const dp_view view = view_of(b, &fb, &g, dp_m3_apply(&a->R, m));
    DP_TRY(dp_patch_append(out, &p, &view, by_nearest));
    if (by_nearest > 0.0) {
        if (!apart) {
            (void)dp_box_nearest(&x, &m, &gap, &f);
        }
        const dp_v3 middle = dp_v3_madd(x, 0.5 * gap, m);
        dp_append_nearest(out, dp_v3_add(a->p, dp_m3_apply(&a->R, middle)), view.n, gap,
                          by_nearest);
    }
    return DP_OK;
}

// The corners of the face of B above a plane; the lowest has the gap `gap`.
static void find_face_over_plane(dp_patch *p, const ground *g, double gap)
{
    static const double SIDE[4][2] = {{1.0, 1.0}, {-1.0, 1.0}, {-1.0, -1.0}, {1.0, -1.0}};
    const double rise1 = g->half[0] * g->n1, rise2 = g->half[1] * g->n2;
    const double middle = gap + (fabs(rise1) + fabs(rise2));
    p->count = 4;
    p->size = 2.0 * (g->half[0] + g->half[1]);
    p->slope2 = squares(g->n1, g->n2) * g->by_c * g->by_c;
    p->missing = 0.0;
    p->shared = true;
    p->rim = p->splits = false;
    for (int i = 0; i < 4; ++i) {
        const double s1 = SIDE[i][0], s2 = SIDE[i][1];
        const spot here = {{s1 * g->half[0], s2 * g->half[1]},
                           middle + (s1 * rise1 + s2 * rise2),
                           .a = -1,
                           .b = (int8_t)i,
                           .cut = -1,
                           .by = -1};
        complete(&p->corner[i], &here, g);
        p->corner[i].weight = 0.25;
    }
}

dp_status dp_plane_box_contacts(dp_contact_buffer *out, const dp_placed *a, const dp_placed *b,
                                double margin)
{
    const dp_v3 n = dp_m3_column(&a->R, 2), m = dp_m3_apply_transposed(&b->R, n);
    const double *size = b->shape->size;
    const double gap = dp_v3_dot(n, dp_v3_sub(b->p, a->p)) -
                       (size[0] * fabs(m.x) + size[1] * fabs(m.y) + size[2] * fabs(m.z));
    if (!(gap < margin)) {
        return DP_OK;
    }
    const double against[3] = {-m.x, -m.y, -m.z};
    const rectangle fb = face_along(against);
    const ground g = ground_of(&fb, against, size);
    dp_patch p;
    find_face_over_plane(&p, &g, gap);
    (void)dp_patch_settle(
        &p, gap, margin,
        (dp_thinning){DP_PATCH_POINTS, 1.0}); // the lowest corner is the nearest point
    dp_outline face;                          // only by name
    dp_outline_name_box(&face, fb.k, fb.up, true);
    for (int i = 0; i < p.count; ++i) { // the plane is face 0 of A
        p.corner[i].feature =
            (uint64_t)DP_PART_FACE << 62 | dp_outline_part(DP_PART_VERTEX, &face, p.corner[i].b);
    }
    const dp_view view = view_of(b, &fb, &g, n);
    return dp_patch_append(out, &p, &view, 0.0);
}
