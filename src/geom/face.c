// The face, edge or point of a convex shape that looks along a direction.
//
// Polyhedra: from the furthest vertex, the flattest edge, and of the two faces at that edge the one
// that looks along the direction the most. A body that lies on an edge keeps both ends of it, even
// if another face at one of the ends is less steep than the two at the edge. Where edges or faces
// are nearly as flat they share, so that what is made of them does not jump from one to the next.
//
// Discs are polygons of twelve corners, fixed in the shape. Beyond 45° from the axis a cylinder
// shows its side, the line that is furthest along the direction; a capsule always does, and its
// ends are those of that line. Who asks must see to it that corners far behind the furthest one
// lose their meaning before the choice changes: collide/convex/manifold.c does.
#include "geom/core.h"

static dp_v3 at(const dp_placed *s, dp_v3 offset, dp_v3 x)
{
    return dp_v3_add(offset, dp_m3_apply(&s->R, x));
}

static void point_face(dp_face *out, dp_v3 x)
{
    out->count = 1;
    out->corner[0] = x;
    out->id[0] = 0;
    out->face = 0;
}

static void box_face(dp_face *out, const dp_placed *s, dp_v3 offset, const double m[3])
{
    const double x = fabs(m[0]), y = fabs(m[1]), z = fabs(m[2]);
    const int k = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const double *h = s->shape->size;
    const double sign = m[k] < 0.0 ? -1.0 : 1.0;
    const dp_v3 axis = dp_m3_column(&s->R, k);
    const dp_v3 middle = dp_v3_madd(offset, sign * h[k], axis);
    // Seen from outside, e_i and sign·e_j turn counterclockwise.
    const dp_v3 u = dp_v3_scale(dp_m3_column(&s->R, i), h[i]);
    const dp_v3 v = dp_v3_scale(dp_m3_column(&s->R, j), sign * h[j]);
    const dp_v3 sum = dp_v3_add(u, v), difference = dp_v3_sub(u, v);
    out->count = 4;
    out->corner[0] = dp_v3_add(middle, sum);
    out->corner[1] = dp_v3_sub(middle, difference);
    out->corner[2] = dp_v3_sub(middle, sum);
    out->corner[3] = dp_v3_add(middle, difference);
    // A vertex has a bit for each axis on whose positive side it is.
    const uint32_t bi = 1u << i, bj = 1u << j, up = sign > 0.0 ? 1u << k : 0u;
    const uint32_t plus = sign > 0.0 ? bj : 0u, minus = sign > 0.0 ? 0u : bj;
    out->id[0] = up | bi | plus;
    out->id[1] = up | plus;
    out->id[2] = up | minus;
    out->id[3] = up | bi | minus;
    out->normal = dp_v3_scale(axis, sign);
    out->face = (uint32_t)(2 * k) + (sign > 0.0 ? 1u : 0u);
}

static void cap_face(dp_face *out, const dp_placed *s, dp_v3 offset, bool upper)
{
    static const double sine[12] = {
        0.0, 0.5,  0.86602540378443864676,  1.0,  0.86602540378443864676,  0.5,
        0.0, -0.5, -0.86602540378443864676, -1.0, -0.86602540378443864676, -0.5};
    const double sign = upper ? 1.0 : -1.0;
    const dp_v3 axis = dp_m3_column(&s->R, 2);
    const dp_v3 middle = dp_v3_madd(offset, sign * s->shape->size[1], axis);
    const dp_v3 u = dp_v3_scale(dp_m3_column(&s->R, 0), s->shape->size[0]);
    const dp_v3 v = dp_v3_scale(dp_m3_column(&s->R, 1), sign * s->shape->size[0]);
    out->count = 12;
    for (int i = 0; i < 12; ++i) {
        const dp_v3 x = dp_v3_madd(middle, sine[(i + 3) % 12], u);
        out->corner[i] = dp_v3_madd(x, sine[i], v);
        out->id[i] = (uint32_t)(upper ? 12 + i : i);
    }
    out->normal = dp_v3_scale(axis, sign);
    out->face = upper ? 1u : 0u;
}

// The line on a side whose middle is at `middle`.
static void side_face(dp_face *out, const dp_placed *s, dp_v3 middle)
{
    const dp_v3 axis = dp_v3_scale(dp_m3_column(&s->R, 2), s->shape->size[1]);
    out->count = 2;
    out->corner[0] = dp_v3_sub(middle, axis);
    out->corner[1] = dp_v3_add(middle, axis);
    out->id[0] = 0;
    out->id[1] = 1;
    out->face = 2;
}

// An edge or face whose slope is more than that of the flattest by this factor does not count.
#define AS_FLAT 1.25

// Faces that meet at a sharper angle (its cosine) take turns: when they do, each is so steep that
// only their edge is left of it.
#define SHARP 0.75

// Faces lose their share from the first to the second slope (sines, squared), for the same reason.
#define SLOPING2 0.2
#define STEEP2 0.3

// 1 for the least, falling to 0 for what is `factor` times as much.
static double share_of(double x, double least, double factor)
{
    return x <= least           ? 1.0
           : x < factor * least ? (factor * least - x) / ((factor - 1.0) * least)
                                : 0.0;
}

// Slope of an edge from the vertex at p to neighbour k: the sine by which it falls. *drop: by how
// much.
static double fall_along(double *drop, const dp_hull *h, dp_v3 p, int k, dp_v3 m)
{
    const dp_v3 edge = dp_v3_sub(dp_v3_load(h->vertex + 3 * (size_t)h->neighbour[k]), p);
    const double along = -dp_v3_dot(m, edge);
    *drop = along > 0.0 ? along : 0.0;
    return *drop * h->neighbour_over[k];
}

void dp_hull_edges_at(dp_hull_edges *out, const dp_hull *h, int vertex, dp_v3 m)
{
    const dp_v3 p = dp_v3_load(h->vertex + 3 * (size_t)vertex);
    const int start = h->neighbour_start[vertex], end = h->neighbour_start[vertex + 1];
    double least = INFINITY, next = INFINITY, least_drop = INFINITY;
    *out = (dp_hull_edges){.vertex = vertex};
    int flattest = start;
    for (int k = start; k < end; ++k) {
        double drop;
        const double fall = fall_along(&drop, h, p, k, m);
        if (fall < least) {
            next = least;
            least = fall;
            flattest = k;
        } else if (fall < next) {
            next = fall;
        }
        least_drop = drop < least_drop ? drop : least_drop;
        if (k - start < DP_HULL_EDGES) {
            out->fall[k - start] = fall;
        }
    }
    out->flattest = flattest;
    out->least = least;
    out->next = next;
    out->drop = least_drop;
}

static void add_share(dp_face_choice *out, int face, double share)
{
    if (!(share > 0.0)) {
        return;
    }
    int at = 0;
    while (at < out->count && out->face[at] < face) {
        at++;
    }
    if (at < out->count && out->face[at] == face) {
        out->share[at] += share;
        return;
    }
    if (out->count == DP_FACE_CHOICES) {
        return;
    }
    for (int i = out->count++; i > at; --i) {
        out->face[i] = out->face[i - 1];
        out->share[i] = out->share[i - 1];
    }
    out->face[at] = face;
    out->share[at] = share;
}

static dp_v3 normal_of(const dp_hull *h, int face)
{
    return dp_v3_load(h->face_plane + 4 * (size_t)face);
}

// The square of the sine by which a face is tilted; beyond 90° all are as steep.
static double tilt2_of(dp_v3 m, dp_v3 n)
{
    const dp_v3 across = dp_v3_cross(m, n);
    return dp_v3_dot(m, n) > 0.0 ? dp_v3_dot(across, across) : 1.0;
}

// The faces at the edge to neighbour k, by how flat they are. `alone`: the flatter one, however
// steep.
static void choose_at_edge(dp_face_choice *out, const dp_hull *h, int k, dp_v3 m, double share,
                           bool alone)
{
    const int *face = h->neighbour_face + 2 * (size_t)k;
    const dp_v3 normal[2] = {normal_of(h, face[0]), normal_of(h, face[1])};
    const double tilt2[2] = {tilt2_of(m, normal[0]), tilt2_of(m, normal[1])};
    const int flat = tilt2[1] < tilt2[0] ? 1 : 0;
    if (alone) {
        add_share(out, face[flat], share);
        return;
    }
    share *= share_of(tilt2[flat], SLOPING2, STEEP2 / SLOPING2);
    double other = 0.0;
    if (tilt2[1 - flat] < STEEP2 && dp_v3_dot(normal[0], normal[1]) > SHARP) {
        other = share_of(tilt2[1 - flat], tilt2[flat], AS_FLAT * AS_FLAT) *
                share_of(tilt2[1 - flat], SLOPING2, STEEP2 / SLOPING2);
    }
    add_share(out, face[flat], share / (1.0 + other));
    add_share(out, face[1 - flat], share * other / (1.0 + other));
}

static void choose_at(dp_face_choice *out, const dp_hull *h, const dp_hull_edges *e, dp_v3 m)
{
    const int start = h->neighbour_start[e->vertex], end = h->neighbour_start[e->vertex + 1];
    const dp_v3 p = dp_v3_load(h->vertex + 3 * (size_t)e->vertex);
    double sum = 0.0, drop;
    out->count = 0;
    for (int k = start; k < end; ++k) {
        const double fall =
            k - start < DP_HULL_EDGES ? e->fall[k - start] : fall_along(&drop, h, p, k, m);
        const double share = share_of(fall, e->least, AS_FLAT);
        if (share > 0.0) {
            choose_at_edge(out, h, k, m, share, false);
        }
    }
    if (out->count == 0) {
        choose_at_edge(out, h, e->flattest, m, 1.0, true);
    }
    for (int i = 0; i < out->count; ++i) {
        sum += out->share[i];
    }
    for (int i = 0; i < out->count; ++i) {
        out->share[i] /= sum;
    }
}

void dp_hull_choose(dp_face_choice *out, const dp_placed *s, dp_v3 direction)
{
    const dp_v3 m = dp_m3_apply_transposed(&s->R, direction);
    int vertex = -1;
    (void)dp_core_support_of(s->shape, m, &vertex);
    dp_hull_edges e;
    dp_hull_edges_at(&e, s->shape->hull, vertex, m);
    choose_at(out, s->shape->hull, &e, m);
}

int dp_hull_panel_corners(int corner[DP_FACE_CORNERS], const dp_hull *h, int panel)
{
    const int *starts = h->panel ? h->panel_start : h->face_start;
    const int *vertex = h->panel ? h->panel_vertex : h->face_vertex;
    const int start = starts[panel], all = starts[panel + 1] - start;
    const int count = all < DP_FACE_CORNERS ? all : DP_FACE_CORNERS;
    for (int i = 0; i < count; ++i) {
        corner[i] = vertex[start + (all == count ? i : (int)((int64_t)i * all / count))];
    }
    return count;
}

void dp_hull_face(dp_face *out, const dp_placed *s, dp_v3 origin, int panel)
{
    const dp_hull *h = s->shape->hull;
    const dp_v3 offset = dp_v3_sub(s->p, origin);
    int corner[DP_FACE_CORNERS];
    out->count = dp_hull_panel_corners(corner, h, panel);
    for (int i = 0; i < out->count; ++i) {
        out->corner[i] = at(s, offset, dp_v3_load(h->vertex + 3 * (size_t)corner[i]));
        out->id[i] = (uint32_t)corner[i];
    }
    out->normal = dp_m3_apply(&s->R, dp_hull_panel_normal(h, panel));
    out->face = (uint32_t)panel;
}

void dp_face_choice_keep_best(dp_face_choice *c)
{
    DP_ASSERT(c->count > 0);
    int best = 0;
    for (int i = 1; i < c->count; ++i) {
        best = c->share[i] > c->share[best] ? i : best;
    }
    c->count = 1;
    c->face[0] = c->face[best];
    c->share[0] = 1.0;
}

int dp_hull_best_at(const dp_hull *h, const dp_hull_edges *e, dp_v3 m)
{
    if (!(e->next < AS_FLAT * e->least || e->next <= e->least)) { // one edge has all the shares
        const int *face = h->neighbour_face + 2 * (size_t)e->flattest;
        const double tilt2[2] = {tilt2_of(m, normal_of(h, face[0])),
                                 tilt2_of(m, normal_of(h, face[1]))};
        return face[tilt2[1] < tilt2[0] ? 1 : 0];
    }
    dp_face_choice c;
    choose_at(&c, h, e, m);
    dp_face_choice_keep_best(&c);
    return c.face[0];
}

static int best_panel(const dp_placed *s, dp_v3 direction)
{
    const dp_v3 m = dp_m3_apply_transposed(&s->R, direction);
    int vertex = -1;
    (void)dp_core_support_of(s->shape, m, &vertex);
    dp_hull_edges e;
    dp_hull_edges_at(&e, s->shape->hull, vertex, m);
    return dp_hull_panel(s->shape->hull, dp_hull_best_at(s->shape->hull, &e, m));
}

void dp_placed_face(dp_face *out, const dp_placed *s, dp_v3 origin, dp_v3 direction)
{
    const double *size = s->shape->size;
    const dp_v3 offset = dp_v3_sub(s->p, origin);
    const dp_v3 m = dp_m3_apply_transposed(&s->R, direction);
    out->normal = direction;
    switch (s->shape->kind) {
    case DP_GEOM_CAPSULE:
        side_face(out, s, dp_v3_madd(offset, size[0], direction));
        return;
    case DP_GEOM_CYLINDER: {
        const double across = sqrt(m.x * m.x + m.y * m.y);
        if (fabs(m.z) >= across) {
            cap_face(out, s, offset, m.z > 0.0);
        } else {
            const double t = size[0] / across;
            side_face(out, s, at(s, offset, (dp_v3){t * m.x, t * m.y, 0.0}));
        }
        return;
    }
    case DP_GEOM_BOX:
        box_face(out, s, offset, (const double[3]){m.x, m.y, m.z});
        return;
    case DP_GEOM_MESH:
        if (s->shape->hull) {
            dp_hull_face(out, s, origin, best_panel(s, direction));
            return;
        }
        break;
    case DP_GEOM_SPHERE:
        point_face(out, dp_v3_madd(offset, size[0], direction));
        return;
    case DP_GEOM_ELLIPSOID:
        point_face(out, at(s, offset, dp_core_support_of(s->shape, m, NULL)));
        return;
    case DP_GEOM_PLANE:
        out->normal = dp_m3_column(&s->R, 2);
        break;
    case DP_GEOM_HFIELD:
        break;
    }
    out->count = 0; // a plane has no corners; surfaces and terrains are not convex
    out->face = 0;
}
