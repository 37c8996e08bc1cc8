// Two boxes. The difference of two boxes is a polyhedron whose faces stand across an axis of A, an
// axis of B, or an edge of each: 15 directions. Where the boxes overlap, the shortest way out is
// one of them, and where they are apart and a face or two crossing edges are nearest, that is the
// distance. Corners near corners or edges are left to the search among all directions.
#include "collide/closed_forms.h"

#include <string.h>

// Two edges whose directions differ by less have no common perpendicular that is worth computing:
// what is lost is this share of the lengths.
#define PARALLEL 0x1p-46
// Below this sine, the perpendicular is made a unit vector first and lengths are measured along it:
// the products of the direction cosines lose too much.
#define NEARLY_PARALLEL 0x1p-10

// Kinds of directions: 0 … 2 across faces of A, 3 … 5 of B, 6 + 3i + j across edges i of A and j of
// B.
enum { KINDS = 15, FIRST_EDGE = 6 };

typedef struct box_frames {
    const double *a, *b;   // half lengths
    double C[3][3];        // R_AB
    double absolute[3][3]; // |C|
    double d[3];           // p_AB in A
} box_frames;

// Signed distances along all directions: value/√s2.
typedef struct box_values {
    double value[KINDS], s2[KINDS];
    int best;
    double gap; // along the best
} box_values;

// Column k of R_AB.
static dp_v3 axis_of_b(const box_frames *f, int k)
{
    return (dp_v3){f->C[0][k], f->C[1][k], f->C[2][k]};
}

// x² with the sign of x: value/√s2 > best where this of value is more than that of best times s2.
static double signed_square(double x)
{
    return x * fabs(x);
}

// The signed distance along the unit vector m.
static double along(const box_frames *f, dp_v3 m)
{
    const double mk[3] = {m.x, m.y, m.z};
    double reach = 0.0, gap = 0.0;
    for (int i = 0; i < 3; ++i) {
        reach += f->a[i] * fabs(mk[i]) + f->b[i] * fabs(dp_v3_dot(m, axis_of_b(f, i)));
        gap += mk[i] * f->d[i];
    }
    return fabs(gap) - reach;
}

// The unit normal from A to B, in the frame of A.
static dp_v3 normal_of(const box_frames *f, int kind)
{
    const dp_v3 d = {f->d[0], f->d[1], f->d[2]};
    dp_v3 m;
    if (kind < 3) {
        m = (dp_v3){kind == 0, kind == 1, kind == 2};
    } else if (kind < FIRST_EDGE) {
        m = axis_of_b(f, kind - 3);
    } else {
        const int i = (kind - FIRST_EDGE) / 3;
        const dp_v3 e = {i == 0, i == 1, i == 2};
        m = dp_v3_cross(e, axis_of_b(f, (kind - FIRST_EDGE) % 3));
        m = dp_v3_over(m, dp_v3_norm(m));
    }
    return dp_v3_dot(m, d) < 0.0 ? dp_v3_scale(m, -1.0) : m;
}

// The same pair seen from B.
static box_frames seen_from_b(const box_frames *f)
{
    box_frames g = {.a = f->b, .b = f->a};
    for (int i = 0; i < 3; ++i) {
        g.d[i] = -(f->C[0][i] * f->d[0] + f->C[1][i] * f->d[1] + f->C[2][i] * f->d[2]);
        for (int j = 0; j < 3; ++j) {
            g.C[i][j] = f->C[j][i];
            g.absolute[i][j] = f->absolute[j][i];
        }
    }
    return g;
}

static void take_if_better(box_values *v, int kind, double value)
{
    v->value[kind] = value;
    v->s2[kind] = 1.0;
    if (value > v->gap) {
        v->gap = value;
        v->best = kind;
    }
}

// The frames, and the best of the faces of A.
static void try_faces_of_a(box_values *v, box_frames *f, const dp_placed *a, const dp_placed *b)
{
    f->a = a->shape->size;
    f->b = b->shape->size;
    dp_v3_store(f->d, dp_m3_apply_transposed(&a->R, dp_v3_sub(b->p, a->p)));
    for (int i = 0; i < 3; ++i) {
        double *row = f->absolute[i];
        for (int j = 0; j < 3; ++j) {
            f->C[i][j] = a->R.m[0][i] * b->R.m[0][j] + a->R.m[1][i] * b->R.m[1][j] +
                         a->R.m[2][i] * b->R.m[2][j];
            row[j] = fabs(f->C[i][j]);
        }
        const double reach = f->b[0] * row[0] + f->b[1] * row[1] + f->b[2] * row[2];
        take_if_better(v, i, fabs(f->d[i]) - (f->a[i] + reach));
    }
}

// Those of B too, if one beats the faces of A by more than `small`: of two faces that lie on each
// other the first has the normal, whatever round-off says.
static void try_faces_of_b(box_values *v, const box_frames *f, double small)
{
    const double of_a = v->gap;
    v->gap += small;
    const double *a = f->a, *d = f->d;
    for (int j = 0; j < 3; ++j) {
        const double apart = f->C[0][j] * d[0] + f->C[1][j] * d[1] + f->C[2][j] * d[2];
        const double reach =
            a[0] * f->absolute[0][j] + a[1] * f->absolute[1][j] + a[2] * f->absolute[2][j];
        take_if_better(v, 3 + j, fabs(apart) - (f->b[j] + reach));
    }
    v->gap = v->best < 3 ? of_a : v->gap;
}

// Nearly parallel edges: the value along their common perpendicular, measured anew.
static double parallel_edges(const box_frames *f, int kind, double s2)
{
    return s2 < PARALLEL * PARALLEL ? -INFINITY : along(f, normal_of(f, kind));
}

// Edges i and j: the value along their common perpendicular times its length, whose square is s2.
static inline void try_edge(box_values *v, const box_frames *f, int i, int j, double *beat2)
{
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
    const int kind = FIRST_EDGE + 3 * i + j;
    double s2 = dp_square(f->C[i1][j]) + dp_square(f->C[i2][j]);
    double value = fabs(f->d[i2] * f->C[i1][j] - f->d[i1] * f->C[i2][j]) -
                   ((f->a[i1] * f->absolute[i2][j] + f->a[i2] * f->absolute[i1][j]) +
                    (f->b[j1] * f->absolute[i][j2] + f->b[j2] * f->absolute[i][j1]));
    if (s2 < NEARLY_PARALLEL * NEARLY_PARALLEL) {
        value = parallel_edges(f, kind, s2);
        s2 = 1.0;
    }
    v->value[kind] = value;
    v->s2[kind] = s2;
    if (signed_square(value) > *beat2 * s2) {
        v->best = kind;
        v->gap = value / sqrt(s2);
        *beat2 = signed_square(v->gap);
    }
}

// The best of nine pairs of edges, if it beats the faces by more than `small`: at rest, face on
// face, the edges say the same and must not take turns with the faces.
static void try_edges(box_values *v, const box_frames *f, double small)
{
    double beat2 = signed_square(v->gap + small);
    try_edge(v, f, 0, 0, &beat2);
    try_edge(v, f, 0, 1, &beat2);
    try_edge(v, f, 0, 2, &beat2);
    try_edge(v, f, 1, 0, &beat2);
    try_edge(v, f, 1, 1, &beat2);
    try_edge(v, f, 1, 2, &beat2);
    try_edge(v, f, 2, 0, &beat2);
    try_edge(v, f, 2, 1, &beat2);
    try_edge(v, f, 2, 2, &beat2);
}

// Does a direction other than m give the same way out?
static bool is_ambiguous(const box_frames *f, const box_values *v, dp_v3 m, double small)
{
    if (fabs(dp_v3_dot(m, dp_v3_load(f->d))) <= small) {
        return true;
    }
    const double least2 = signed_square(v->gap - small);
    for (int kind = 0; kind < KINDS; ++kind) {
        if (kind != v->best && signed_square(v->value[kind]) > least2 * v->s2[kind] &&
            dp_v3_dot(normal_of(f, kind), m) < 1.0 - NEARLY_PARALLEL * NEARLY_PARALLEL) {
            return true;
        }
    }
    return false;
}

// Cut a polygon to |x_axis| ≤ most. A point or a segment is a polygon too.
enum { CLIPPED = 8 }; // corners of what two rectangles have in common
static int clip(double q[CLIPPED][2], int count, int axis, double most)
{
    for (int side = -1; side <= 1; side += 2) {
        double kept[CLIPPED][2];
        int n = 0;
        for (int i = 0; i < count; ++i) {
            const double *here = q[i], *next = q[(i + 1) % count];
            const double h = most - side * here[axis], g = most - side * next[axis];
            if (h >= 0.0 && n < CLIPPED) {
                kept[n][0] = here[0];
                kept[n++][1] = here[1];
            }
            if ((h < 0.0) != (g < 0.0) && n < CLIPPED) {
                const double t = h / (h - g);
                kept[n][0] = here[0] + t * (next[0] - here[0]);
                kept[n++][1] = here[1] + t * (next[1] - here[1]);
            }
        }
        count = n;
        memcpy(q, kept, sizeof kept);
    }
    return count;
}

// The middle of the corners of what the rectangle |p_i| ≤ a_i and the level part of B around `low`
// have in common; false where that is nothing.
static bool common_point(double p[3], const box_frames *f, const double low[3], const int *level,
                         int count, int i1, int i2)
{
    static const double TURN[4][2] = {{-1.0, -1.0}, {1.0, -1.0}, {1.0, 1.0}, {-1.0, 1.0}};
    double q[CLIPPED][2] = {{0.0}};
    int n = 1 << count;
    for (int c = 0; c < n; ++c) {
        q[c][0] = low[i1];
        q[c][1] = low[i2];
        for (int k = 0; k < count; ++k) {
            const double t = TURN[c][k] * f->b[level[k]];
            q[c][0] += t * f->C[i1][level[k]];
            q[c][1] += t * f->C[i2][level[k]];
        }
    }
    n = clip(q, n, 0, f->a[i1]);
    n = n > 0 ? clip(q, n, 1, f->a[i2]) : 0;
    p[i1] = 0.0;
    p[i2] = 0.0;
    for (int c = 0; c < n; ++c) {
        p[i1] += q[c][0] / n;
        p[i2] += q[c][1] / n;
    }
    return n > 0;
}

// A point of face k of A on the side `sign` of its axis, below a point of B that is furthest
// against its normal, in the frame of A. False when none was found: another direction is better,
// and *x is only near.
static bool point_on_face(dp_v3 *x, const box_frames *f, int k, double sign)
{
    // The lowest point of B; along its edges that are level it is as low everywhere.
    double low[3] = {f->d[0], f->d[1], f->d[2]};
    int level[3], count = 0;
    for (int j = 0; j < 3; ++j) {
        if (f->absolute[k][j] <= PARALLEL) {
            level[count++] = j;
            continue;
        }
        const double s = sign * f->C[k][j] > 0.0 ? -f->b[j] : f->b[j];
        for (int i = 0; i < 3; ++i) {
            low[i] += s * f->C[i][j];
        }
    }
    // Back and forth between that point, edge or face of B and the face of A, until in both.
    const int i1 = (k + 1) % 3, i2 = (k + 2) % 3;
    double y[3] = {low[0], low[1], low[2]}, p[3];
    bool found = false;
    for (int step = 0; step < 8; ++step) { // where that takes long, by clipping
        p[i1] = dp_clamp(y[i1], f->a[i1]);
        p[i2] = dp_clamp(y[i2], f->a[i2]);
        found = p[i1] == y[i1] && p[i2] == y[i2];
        if (found || count == 0) {
            break;
        }
        p[k] = low[k];
        dp_v3_store(y, dp_v3_load(low));
        for (int c = 0; c < count; ++c) {
            const int j = level[c];
            const double t = dp_clamp((p[0] - low[0]) * f->C[0][j] + (p[1] - low[1]) * f->C[1][j] +
                                          (p[2] - low[2]) * f->C[2][j],
                                      f->b[j]);
            for (int i = 0; i < 3; ++i) {
                y[i] += t * f->C[i][j];
            }
        }
    }
    if (!found && count > 0) {
        double middle[3];
        found = common_point(middle, f, low, level, count, i1, i2);
        p[i1] = found ? middle[i1] : p[i1];
        p[i2] = found ? middle[i2] : p[i2];
    }
    p[k] = sign * f->a[k];
    *x = dp_v3_load(p);
    return found;
}

// The point of edge i of A that is nearest to edge j of B, both furthest along ±m; false when it,
// or that of B, is beyond an end.
static bool point_on_edge(dp_v3 *x, const box_frames *f, int i, int j, dp_v3 m)
{
    const double mk[3] = {m.x, m.y, m.z};
    double p[3], apart[3]; // the middle of the edge of A, and from it to that of B
    for (int k = 0; k < 3; ++k) {
        p[k] = k == i ? 0.0 : copysign(f->a[k], mk[k]);
        apart[k] = f->d[k] - p[k];
    }
    for (int k = 0; k < 3; ++k) {
        if (k != j) {
            const dp_v3 axis = axis_of_b(f, k);
            const double s = dp_v3_dot(axis, m) > 0.0 ? -f->b[k] : f->b[k];
            apart[0] += s * axis.x;
            apart[1] += s * axis.y;
            apart[2] += s * axis.z;
        }
    }
    const double cosine = f->C[i][j];
    const double s2 = dp_square(f->C[(i + 1) % 3][j]) + dp_square(f->C[(i + 2) % 3][j]);
    const double along_b = dp_v3_dot(dp_v3_load(apart), axis_of_b(f, j));
    const double s = (apart[i] - cosine * along_b) / s2;
    const double t = (cosine * apart[i] - along_b) / s2;
    p[i] = dp_clamp(s, f->a[i]);
    *x = dp_v3_load(p);
    return fabs(s) <= f->a[i] && fabs(t) <= f->b[j];
}

// The point of A that belongs to the answer, in the frame of A; false as above.
static bool point_on_a(dp_v3 *x, const box_frames *f, const box_values *v, dp_v3 m)
{
    const int kind = v->best;
    if (kind < 3) {
        return point_on_face(x, f, kind, f->d[kind] < 0.0 ? -1.0 : 1.0);
    }
    if (kind >= FIRST_EDGE) {
        return point_on_edge(x, f, (kind - FIRST_EDGE) / 3, (kind - FIRST_EDGE) % 3, m);
    }
    const box_frames g = seen_from_b(f);
    dp_v3 y;
    const double sign = dp_v3_dot(m, axis_of_b(f, kind - 3)) > 0.0 ? -1.0 : 1.0;
    const bool found = point_on_face(&y, &g, kind - 3, sign);
    dp_v3 on_a = dp_v3_madd(dp_v3_load(f->d), -v->gap, m);
    on_a = dp_v3_madd(on_a, y.x, axis_of_b(f, 0));
    on_a = dp_v3_madd(on_a, y.y, axis_of_b(f, 1));
    *x = dp_v3_madd(on_a, y.z, axis_of_b(f, 2));
    return found;
}

// Apart, and none of the fifteen: a corner of one box is nearest to an edge or a corner of the
// other. A corner of B and the point x of A next to it are nearest where no other corner of B is
// further along −m, m the direction between them. From a guess of m, a few steps usually lead
// there.
static bool corner_of_b(dp_v3 *x, dp_v3 *m, double *gap, const box_frames *f, dp_v3 guess,
                        double small)
{
    dp_v3 along_m = guess;
    for (int step = 0; step < 4; ++step) {
        dp_v3 y = dp_v3_load(f->d);
        double reach = 0.0;
        for (int j = 0; j < 3; ++j) {
            const dp_v3 axis = axis_of_b(f, j);
            y = dp_v3_madd(y, dp_v3_dot(axis, along_m) > 0.0 ? -f->b[j] : f->b[j], axis);
        }
        *x = (dp_v3){dp_clamp(y.x, f->a[0]), dp_clamp(y.y, f->a[1]), dp_clamp(y.z, f->a[2])};
        const dp_v3 e = dp_v3_sub(y, *x);
        *gap = dp_v3_norm(e);
        if (!(*gap > small)) {
            return false;
        }
        *m = dp_v3_over(e, *gap);
        for (int j = 0; j < 3; ++j) {
            reach += f->b[j] * fabs(dp_v3_dot(axis_of_b(f, j), *m));
        }
        // h_B(−m) is at y, to round-off?
        if (dp_v3_dot(*m, dp_v3_load(f->d)) - reach >= dp_v3_dot(*m, y) - small) {
            return true;
        }
        along_m = *m;
    }
    return false;
}

// The same with a corner of A or B; x is the point of A, all in the frame of A.
static bool nearest_corner(dp_v3 *x, dp_v3 *m, double *gap, const box_frames *f, dp_v3 guess,
                           double small)
{
    if (corner_of_b(x, m, gap, f, guess, small)) {
        return true;
    }
    const box_frames g = seen_from_b(f);
    const dp_v3 from_b = {-dp_v3_dot(axis_of_b(f, 0), guess), -dp_v3_dot(axis_of_b(f, 1), guess),
                          -dp_v3_dot(axis_of_b(f, 2), guess)};
    dp_v3 y, my;
    if (!corner_of_b(&y, &my, gap, &g, from_b, small)) {
        return false;
    }
    dp_v3 turned = dp_v3_scale(axis_of_b(f, 0), -my.x), on_b = dp_v3_load(f->d);
    turned = dp_v3_madd(turned, -my.y, axis_of_b(f, 1));
    *m = dp_v3_madd(turned, -my.z, axis_of_b(f, 2));
    on_b = dp_v3_madd(on_b, y.x, axis_of_b(f, 0));
    on_b = dp_v3_madd(on_b, y.y, axis_of_b(f, 1));
    on_b = dp_v3_madd(on_b, y.z, axis_of_b(f, 2));
    *x = dp_v3_madd(on_b, -*gap, *m);
    return true;
}

void dp_box_box(dp_distance *out, const dp_placed *a, const dp_placed *b, double limit,
                bool for_contacts)
{
    box_frames f;
    box_values v;
    v.gap = -INFINITY;
    v.best = 0;
    try_faces_of_a(&v, &f, a, b);
    if (for_contacts && v.gap >= limit) {
        out->gap = v.gap;
        return;
    }
    const double size = (f.a[0] + f.a[1] + f.a[2]) + (f.b[0] + f.b[1] + f.b[2]);
    const double small = DP_ROUND_OFF * size;
    try_faces_of_b(&v, &f, small);
    if (for_contacts && v.gap >= limit) {
        out->gap = v.gap;
        return;
    }
    if (v.gap <= limit) {
        try_edges(&v, &f, small);
    }
    dp_v3 m = normal_of(&f, v.best), x = {0.0, 0.0, 0.0};
    if (v.gap <= limit && !point_on_a(&x, &f, &v, m) && v.gap > small) {
        const dp_v3 guess = m;
        if (!nearest_corner(&x, &m, &v.gap, &f, guess, small)) {
            dp_convex_distance(out, a, b, limit, NULL);
            return;
        }
    }
    const bool ambiguous = !for_contacts && v.gap <= small && is_ambiguous(&f, &v, m, small);
    const dp_v3 on_a = dp_v3_add(a->p, dp_m3_apply(&a->R, x));
    dp_distance_set(out, v.gap, dp_m3_apply(&a->R, m), on_a, ambiguous);
}
