// An ellipsoid and a box that overlap, by a list.
//
// In the frame of the box let p be the middle of the ellipsoid, b the half lengths of the box, and
// n a unit vector from the box to the ellipsoid. Its support function is |M n|, the columns of M
// being its semi-axes times what they have of the axes of the box, and the gap is the greatest
//
//     g(n) = n·p − Σ bᵢ|nᵢ| − |M n|.                                                    (1)
//
// A ball about the origin that touches the boundary of the set of differences K from within does so
// where K has one normal. What of K has one normal is made by the ellipsoid and
//
//     a face          n = ±eᵢ,
//     an edge         n across eᵢ: the distance of a point from an ellipse, in the shadow along eᵢ,
//     a vertex        the distance of a point from an ellipsoid,
//
// and the greatest g of this list is the gap.
//
// Most of it need not be looked at. Let points x of an ellipsoid look along normals n, and others
// along the positive combinations of these. Since x is along MᵀM n those are positive combinations
// of the points, and no nearer to the middle than their plane: nor are they nearer to the origin,
// where it is on the same side, than that plane is.
#include "collide/exact/ellipse.h"
#include "collide/exact/ellipsoid.h"
#include "collide/exact/penetration_candidates.h"
#include "collide/pairs/closed_forms.h"

typedef enum kind { FACE, EDGE, VERTEX } kind;

typedef struct pair {
    double p[3], b[3];
    dp_m3 R;           // from the frame of the ellipsoid to that of the box
    const double *e;   // semi-axes
    dp_v3 column[3];   // of M
    double high[3];    // |M eᵢ|
    double look[3][3]; // the point of the ellipsoid that looks along eᵢ
    dp_ways ways;
    int steps;
    double enough; // what is deeper than this does not matter
} pair;

static const int NEXT[3] = {1, 2, 0}, AFTER[3] = {2, 0, 1};

static double sign_of(double x)
{
    return x < 0.0 ? -1.0 : 1.0;
}

// M n
static dp_v3 stretched(const pair *t, dp_v3 n)
{
    return dp_v3_madd(dp_v3_madd(dp_v3_scale(t->column[0], n.x), n.y, t->column[1]), n.z,
                      t->column[2]);
}

static double gap_along(const pair *t, dp_v3 n)
{
    return n.x * t->p[0] + n.y * t->p[1] + n.z * t->p[2] -
           (t->b[0] * fabs(n.x) + t->b[1] * fabs(n.y) + t->b[2] * fabs(n.z)) -
           dp_v3_norm(stretched(t, n));
}

static void enter(pair *t, kind k, int i, double gap, dp_v3 n)
{
    if (dp_ways_enter(&t->ways, (dp_way){(int)k, i, gap, n, 0.0, 0.0})) {
        t->enough = DP_DIFFERENCE_TIE * t->ways.size - gap;
    }
}

static void list_faces(pair *t)
{
    for (int i = 0; i < 3; ++i) {
        double n[3] = {0.0, 0.0, 0.0};
        n[i] = sign_of(t->p[i]);
        enter(t, FACE, i, fabs(t->p[i]) - t->b[i] - t->high[i], dp_v3_load(n));
    }
}

// --- Edges

// Normals between two, where the ellipse has the points x, and its middle is at c.
typedef struct arc {
    dp_flat n[2], x[2], c;
} arc;

// Is the line through the points further from the origin than what matters? Then so is all that
// looks along a normal between. `n` becomes the direction across the line.
static bool is_deeper(dp_flat *n, const pair *t, const arc *x)
{
    const dp_flat e = {x->x[1].x - x->x[0].x, x->x[1].y - x->x[0].y};
    const dp_flat y = {x->c.x - x->x[0].x, x->c.y - x->x[0].y};
    *n = (dp_flat){-e.y, e.x};
    if (n->x * (x->n[0].x + x->n[1].x) + n->y * (x->n[0].y + x->n[1].y) < 0.0) {
        *n = (dp_flat){e.y, -e.x};
    }
    const double nn = dp_flat_dot(*n, *n), inside = -dp_flat_dot(*n, y);
    return !(nn > 0.0) || (inside > 0.0 && inside * inside > t->enough * t->enough * nn);
}

// The top of g within the arc, on one half of the ellipse. False: it was not found.
static bool list_arc(pair *t, int i, const dp_half_axes *s, const arc *x)
{
    dp_flat from;
    if (is_deeper(&from, t, x)) {
        return true;
    }
    const double side =
        sign_of(dp_flat_dot(s->v, (dp_flat){x->n[0].x + x->n[1].x, x->n[0].y + x->n[1].y}));
    const dp_flat v = {side * s->v.x, side * s->v.y};
    const dp_ellipse e = {s->r, s->q, {dp_flat_dot(x->c, s->u), dp_flat_dot(x->c, v)}};
    const dp_flat end[2] = {{dp_flat_dot(x->n[0], s->u), dp_flat_dot(x->n[0], v)},
                            {dp_flat_dot(x->n[1], s->u), dp_flat_dot(x->n[1], v)}};
    const int low = end[0].x < end[1].x;
    dp_flat n = {dp_flat_dot(from, s->u), dp_flat_dot(from, v)};
    const dp_top top = dp_ellipse_top(&n, &t->steps, &e, end[low], end[1 - low], n);
    if (top == DP_TOP_FOUND) {
        double m[3] = {0.0, 0.0, 0.0};
        m[NEXT[i]] = n.x * s->u.x + n.y * v.x;
        m[AFTER[i]] = n.x * s->u.y + n.y * v.y;
        const dp_v3 out = dp_v3_load(m);
        enter(t, EDGE, i, gap_along(t, out), out);
    }
    return top != DP_TOP_LOST;
}

// False: not all was found.
static bool list_edges(pair *t, int i)
{
    const int j = NEXT[i], k = AFTER[i];
    dp_half_axes s = {.r = 0.0}; // of the shadow along eᵢ
    for (int quadrant = 0; quadrant < 4; ++quadrant) {
        const double sj = quadrant & 1 ? -1.0 : 1.0, sk = quadrant & 2 ? -1.0 : 1.0;
        if (sj != sign_of(t->p[j]) && sk != sign_of(t->p[k])) {
            continue; // the other way is no longer
        }
        const arc whole = {
            {{sj, 0.0}, {0.0, sk}},
            {{sj * t->look[j][j], sj * t->look[j][k]}, {sk * t->look[k][j], sk * t->look[k][k]}},
            {t->p[j] - sj * t->b[j], t->p[k] - sk * t->b[k]}};
        dp_flat across;
        if (is_deeper(&across, t, &whole)) {
            continue;
        }
        if (!(s.r > 0.0)) {
            s = dp_half_axes_of(t->column[j], t->column[k]);
        }
        const double uj = sj * s.u.x, uk = sk * s.u.y;
        if (!(uj * uk > 0.0)) {
            if (!list_arc(t, i, &s, &whole)) {
                return false;
            }
            continue;
        }
        const double su = sign_of(uj); // the long axis is within the quadrant
        const dp_flat n = {su * s.u.x, su * s.u.y}, x = {s.r * n.x, s.r * n.y};
        const arc first = {{whole.n[0], n}, {whole.x[0], x}, whole.c};
        const arc second = {{n, whole.n[1]}, {x, whole.x[1]}, whole.c};
        if (!list_arc(t, i, &s, &first) || !list_arc(t, i, &s, &second)) {
            return false;
        }
    }
    return true;
}

// --- Vertices

// A normal by the unit vector x of dp_ellipsoid_nearest, if it looks away from the box at a vertex.
static void enter_vertex(pair *t, const double x[3], const double sign[3])
{
    const dp_v3 own = {x[0] / t->e[0], x[1] / t->e[1], x[2] / t->e[2]};
    const dp_v3 n = dp_m3_apply(&t->R, dp_v3_unit(own));
    if (n.x * sign[0] > 0.0 && n.y * sign[1] > 0.0 && n.z * sign[2] > 0.0) {
        enter(t, VERTEX, 0, gap_along(t, n), n);
    }
}

// False: not all was found.
static bool list_vertex(pair *t, const double sign[3])
{
    dp_v3 w[3]; // of K, where it looks along the axes
    double q[3];
    for (int i = 0; i < 3; ++i) {
        q[i] = t->p[i] - sign[i] * t->b[i];
    }
    for (int i = 0; i < 3; ++i) {
        w[i] = (dp_v3){q[0] - sign[i] * t->look[i][0], q[1] - sign[i] * t->look[i][1],
                       q[2] - sign[i] * t->look[i][2]};
    }
    const dp_v3 across = dp_v3_cross(dp_v3_sub(w[1], w[0]), dp_v3_sub(w[2], w[0]));
    const double inside = -sign[0] * sign[1] * sign[2] * dp_v3_dot(across, w[0]);
    if (inside > 0.0 && inside * inside > t->enough * t->enough * dp_v3_dot(across, across)) {
        return true;
    }
    const double *e = t->e;
    const int x_or_y = e[1] < e[0] ? 1 : 0, k = e[2] < e[x_or_y] ? 2 : x_or_y;
    const double by = 1.0 / e[k];
    const dp_v3 own = dp_m3_apply_transposed(&t->R, dp_v3_load(q));
    const double c[3] = {by * own.x, by * own.y, by * own.z};
    const double scaled[3] = {by * e[0], by * e[1], by * e[2]};
    double x[3];
    bool middle;
    const int steps = dp_ellipsoid_nearest(x, &middle, scaled, c, k);
    t->steps += steps;
    if (middle || steps == DP_ELLIPSOID_STEPS) {
        return false;
    }
    enter_vertex(t, x, sign);
    const dp_far_point far = dp_ellipsoid_far(x, scaled, c, k);
    if (far == DP_FAR_FOUND) {
        enter_vertex(t, x, sign);
    }
    return far != DP_FAR_LOST;
}

static bool list_vertices(pair *t)
{
    for (int vertex = 0; vertex < 8; ++vertex) {
        const double sign[3] = {vertex & 1 ? 1.0 : -1.0, vertex & 2 ? 1.0 : -1.0,
                                vertex & 4 ? 1.0 : -1.0};
        const bool back = sign[0] != sign_of(t->p[0]) && sign[1] != sign_of(t->p[1]) &&
                          sign[2] != sign_of(t->p[2]);
        if (!back && !list_vertex(t, sign)) {
            return false;
        }
    }
    return true;
}

// --- All of it

static void place(pair *t, const dp_placed *a, const dp_placed *b)
{
    const dp_m3 back = dp_m3_transpose(&b->R);
    t->R = dp_m3_mul(&back, &a->R);
    t->e = a->shape->size;
    dp_v3_store(t->p, dp_m3_apply_transposed(&b->R, dp_v3_sub(a->p, b->p)));
    double size = t->e[0] + t->e[1] + t->e[2];
    for (int i = 0; i < 3; ++i) {
        t->b[i] = b->shape->size[i];
        size += t->b[i];
        t->column[i] =
            (dp_v3){t->e[0] * t->R.m[i][0], t->e[1] * t->R.m[i][1], t->e[2] * t->R.m[i][2]};
        t->high[i] = dp_v3_norm(t->column[i]);
    }
    for (int i = 0; i < 3; ++i) {
        const double by = 1.0 / t->high[i];
        for (int k = 0; k < 3; ++k) {
            t->look[i][k] = by * dp_v3_dot(t->column[i], t->column[k]);
        }
    }
    dp_ways_begin(&t->ways, size);
    t->steps = 0;
    t->enough = INFINITY;
}

bool dp_ellipsoid_box(dp_distance *out, const dp_placed *a, const dp_placed *b)
{
    if (dp_overlap_test(a, b) != DP_VERDICT_SHARED) {
        return false;
    }
    pair t;
    place(&t, a, b);
    list_faces(&t);
    for (int i = 0; i < 3; ++i) {
        if (!list_edges(&t, i)) {
            return false;
        }
    }
    if (!list_vertices(&t)) {
        return false;
    }
    const dp_way *e = dp_ways_best(&t.ways);
    const dp_v3 m = stretched(&t, e->n);
    const double by = 1.0 / dp_v3_norm(m);
    double x[3], y[3];
    const double n[3] = {e->n.x, e->n.y, e->n.z};
    bool meets = e->gap <= 0.0;
    for (int i = 0; i < 3; ++i) {
        x[i] = t.p[i] - by * dp_v3_dot(t.column[i], m);
        y[i] = x[i] - e->gap * n[i];
        meets = meets && fabs(y[i]) <= t.b[i] + DP_DIFFERENCE_TIE * t.ways.size;
    }
    if (!meets) {
        return false;
    }
    const dp_v3 on_a = dp_v3_add(b->p, dp_m3_apply(&b->R, dp_v3_load(x)));
    dp_distance_set(out, e->gap, dp_m3_apply(&b->R, dp_v3_back(e->n)), on_a,
                    dp_ways_tie(&t.ways, dp_v3_load(t.p)));
    out->iterations = t.steps;
    return true;
}
