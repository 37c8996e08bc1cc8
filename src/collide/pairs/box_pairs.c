// Two boxes. The difference of two boxes is a polyhedron whose faces stand across an axis of A, an
// axis of B, or an edge of each: 15 directions. Where the boxes overlap, the shortest separating
// direction is one of them, and where they are apart and a face or two crossing edges are nearest,
// that is the distance. Corners near corners or edges are left to the search among all directions.
#include "collide/pairs/box_sat.h"

#include <string.h>

// The same pair seen from B.
static dp_box_sat seen_from_b(const dp_box_sat *f)
{
    dp_box_sat g = {.best = 0};
    for (int i = 0; i < 3; ++i) {
        g.a[i] = f->b[i];
        g.b[i] = f->a[i];
        g.d[i] = -f->e[i];
        for (int j = 0; j < 3; ++j) {
            g.C[i][j] = f->C[j][i];
            g.absolute[i][j] = f->absolute[j][i];
        }
    }
    return g;
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
static bool common_point(double p[3], const dp_box_sat *f, const double low[3], const int *level,
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
static bool point_on_face(dp_v3 *x, const dp_box_sat *f, int k, double sign)
{
    // The lowest point of B; along its edges that are level it is as low everywhere.
    double low[3] = {f->d[0], f->d[1], f->d[2]};
    int level[3], count = 0;
    for (int j = 0; j < 3; ++j) {
        if (f->absolute[k][j] <= DP_EDGES_PARALLEL) {
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
static bool point_on_edge(dp_v3 *x, const dp_box_sat *f, int i, int j, dp_v3 m)
{
    const double mk[3] = {m.x, m.y, m.z};
    double p[3], apart[3]; // the middle of the edge of A, and from it to that of B
    for (int k = 0; k < 3; ++k) {
        p[k] = k == i ? 0.0 : copysign(f->a[k], mk[k]);
        apart[k] = f->d[k] - p[k];
    }
    for (int k = 0; k < 3; ++k) {
        if (k != j) {
            const dp_v3 axis = dp_box_axis_of_b(f, k);
            const double s = dp_v3_dot(axis, m) > 0.0 ? -f->b[k] : f->b[k];
            apart[0] += s * axis.x;
            apart[1] += s * axis.y;
            apart[2] += s * axis.z;
        }
    }
    const double cosine = f->C[i][j];
    const double s2 = dp_square(f->C[(i + 1) % 3][j]) + dp_square(f->C[(i + 2) % 3][j]);
    const double along_b = dp_v3_dot(dp_v3_load(apart), dp_box_axis_of_b(f, j));
    const double s = (apart[i] - cosine * along_b) / s2;
    const double t = (cosine * apart[i] - along_b) / s2;
    p[i] = dp_clamp(s, f->a[i]);
    *x = dp_v3_load(p);
    return fabs(s) <= f->a[i] && fabs(t) <= f->b[j];
}

// The point of A that belongs to the best direction m, in the frame of A; false as above.
static bool point_on_a(dp_v3 *x, const dp_box_sat *f, dp_v3 m)
{
    const int kind = f->best;
    if (kind < 3) {
        return point_on_face(x, f, kind, f->d[kind] < 0.0 ? -1.0 : 1.0);
    }
    if (kind >= DP_BOX_FIRST_EDGE) {
        return point_on_edge(x, f, (kind - DP_BOX_FIRST_EDGE) / 3, (kind - DP_BOX_FIRST_EDGE) % 3,
                             m);
    }
    const dp_box_sat g = seen_from_b(f);
    dp_v3 y;
    const double sign = dp_v3_dot(m, dp_box_axis_of_b(f, kind - 3)) > 0.0 ? -1.0 : 1.0;
    const bool found = point_on_face(&y, &g, kind - 3, sign);
    dp_v3 on_a = dp_v3_madd(dp_v3_load(f->d), -f->gap, m);
    on_a = dp_v3_madd(on_a, y.x, dp_box_axis_of_b(f, 0));
    on_a = dp_v3_madd(on_a, y.y, dp_box_axis_of_b(f, 1));
    *x = dp_v3_madd(on_a, y.z, dp_box_axis_of_b(f, 2));
    return found;
}

// Apart, and none of the fifteen: a corner of one box is nearest to an edge or a corner of the
// other. A corner of B and the point x of A next to it are nearest where no other corner of B is
// further along −m, m the direction between them. From a guess of m, a few steps usually lead
// there.
static bool corner_of_b(dp_v3 *x, dp_v3 *m, double *gap, const dp_box_sat *f, dp_v3 guess,
                        double small)
{
    dp_v3 along_m = guess;
    for (int step = 0; step < 4; ++step) {
        dp_v3 y = dp_v3_load(f->d);
        double reach = 0.0;
        for (int j = 0; j < 3; ++j) {
            const dp_v3 axis = dp_box_axis_of_b(f, j);
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
            reach += f->b[j] * fabs(dp_v3_dot(dp_box_axis_of_b(f, j), *m));
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
static bool nearest_corner(dp_v3 *x, dp_v3 *m, double *gap, const dp_box_sat *f, dp_v3 guess,
                           double small)
{
    if (corner_of_b(x, m, gap, f, guess, small)) {
        return true;
    }
    const dp_box_sat g = seen_from_b(f);
    const dp_v3 from_b = {-dp_v3_dot(dp_box_axis_of_b(f, 0), guess),
                          -dp_v3_dot(dp_box_axis_of_b(f, 1), guess),
                          -dp_v3_dot(dp_box_axis_of_b(f, 2), guess)};
    dp_v3 y, my;
    if (!corner_of_b(&y, &my, gap, &g, from_b, small)) {
        return false;
    }
    dp_v3 turned = dp_v3_scale(dp_box_axis_of_b(f, 0), -my.x), on_b = dp_v3_load(f->d);
    turned = dp_v3_madd(turned, -my.y, dp_box_axis_of_b(f, 1));
    *m = dp_v3_madd(turned, -my.z, dp_box_axis_of_b(f, 2));
    on_b = dp_v3_madd(on_b, y.x, dp_box_axis_of_b(f, 0));
    on_b = dp_v3_madd(on_b, y.y, dp_box_axis_of_b(f, 1));
    on_b = dp_v3_madd(on_b, y.z, dp_box_axis_of_b(f, 2));
    *x = dp_v3_madd(on_b, -*gap, *m);
    return true;
}

bool dp_box_nearest(dp_v3 *x, dp_v3 *m, double *gap, const dp_box_sat *f)
{
    *m = dp_box_normal(f, f->best);
    *gap = f->gap;
    if (point_on_a(x, f, *m) || !(f->gap > f->small)) {
        return true;
    }
    const dp_v3 guess = *m;
    return nearest_corner(x, m, gap, f, guess, f->small);
}

void dp_box_box(dp_distance *out, const dp_placed *a, const dp_placed *b, double limit)
{
    dp_box_sat f;
    dp_v3 x = {0.0, 0.0, 0.0}, m;
    double gap;
    bool ambiguous = false;
    if (!dp_box_sat_find(&f, a, b, limit)) { // somewhere beyond the limit
        m = dp_box_normal(&f, f.best);
        gap = f.gap;
    } else if (!dp_box_nearest(&x, &m, &gap, &f)) {
        dp_convex_distance(out, a, b, limit, NULL);
        return;
    } else {
        ambiguous = f.gap <= f.small && dp_box_is_ambiguous(&f, m);
    }
    const dp_v3 on_a = dp_v3_add(a->p, dp_m3_apply(&a->R, x));
    dp_distance_set(out, gap, dp_m3_apply(&a->R, m), on_a, ambiguous);
}

bool dp_boxes_overlap(const dp_placed *a, const dp_placed *b)
{
    dp_box_sat f;
    return dp_box_sat_find(&f, a, b, 0.0);
}
