// Two boxes. The difference of two boxes is a polyhedron whose faces stand across an axis of A, an
// axis of B, or an edge of each: 15 directions. Where the boxes overlap, the shortest way out is
// one of them, and where they are apart and a face or two crossing edges are nearest, that is the
// distance. Corners near corners or edges are left to the search among all directions.
#include "collide/closed_forms.h"

// Two edges whose directions differ by less have no common perpendicular that is worth computing:
// what is lost is this share of the lengths.
#define PARALLEL 0x1p-46
// Below this sine, the perpendicular is made a unit vector first and lengths are measured along it:
// the products of the direction cosines lose too much.
#define NEARLY_PARALLEL 0x1p-10

typedef struct box_axis {
    int kind;     // 0 … 2: axis of A, 3 … 5: of B, 6 + 3i + j: edges i of A and j of B
    double value; // signed distance along it
} box_axis;

typedef struct box_frames {
    const double *a, *b; // half lengths
    double C[3][3];      // R_AB
    double absolute[3][3];
    double d[3]; // p_AB in A
} box_frames;

// Column k of R_AB.
static dp_v3 axis_of_b(const box_frames *f, int k)
{
    return (dp_v3){f->C[0][k], f->C[1][k], f->C[2][k]};
}

// Is value/√s2 greater than best?
static bool greater(double value, double s2, double best)
{
    if (value > 0.0) {
        return best <= 0.0 || value * value > best * best * s2;
    }
    return best < 0.0 && value * value < best * best * s2;
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
static dp_v3 normal_of(const box_frames *f, const box_axis *axis)
{
    const dp_v3 d = {f->d[0], f->d[1], f->d[2]};
    dp_v3 m;
    if (axis->kind < 3) {
        m = (dp_v3){axis->kind == 0, axis->kind == 1, axis->kind == 2};
    } else if (axis->kind < 6) {
        m = axis_of_b(f, axis->kind - 3);
    } else {
        const int i = (axis->kind - 6) / 3;
        const dp_v3 e = {i == 0, i == 1, i == 2};
        m = dp_v3_cross(e, axis_of_b(f, (axis->kind - 6) % 3));
        m = dp_v3_over(m, dp_v3_norm(m));
    }
    return dp_v3_dot(m, d) < 0.0 ? dp_v3_scale(m, -1.0) : m;
}

static box_frames frames_of(const dp_placed *a, const dp_placed *b)
{
    box_frames f = {.a = a->shape->size, .b = b->shape->size};
    const dp_v3 d = dp_m3_apply_transposed(&a->R, dp_v3_sub(b->p, a->p));
    dp_v3_store(f.d, d);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            f.C[i][j] = a->R.m[0][i] * b->R.m[0][j] + a->R.m[1][i] * b->R.m[1][j] +
                        a->R.m[2][i] * b->R.m[2][j];
            f.absolute[i][j] = fabs(f.C[i][j]);
        }
    }
    return f;
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

// The best of the six faces; stops at the first that is beyond the limit.
static void try_faces(box_axis *best, const box_frames *f, double limit)
{
    for (int i = 0; i < 3; ++i) {
        const double *row = f->absolute[i];
        const double value =
            fabs(f->d[i]) - (f->a[i] + f->b[0] * row[0] + f->b[1] * row[1] + f->b[2] * row[2]);
        if (value > best->value) {
            *best = (box_axis){.kind = i, .value = value};
        }
    }
    if (best->value > limit) {
        return;
    }
    for (int j = 0; j < 3; ++j) {
        const double apart = f->C[0][j] * f->d[0] + f->C[1][j] * f->d[1] + f->C[2][j] * f->d[2];
        const double value =
            fabs(apart) - (f->b[j] + f->a[0] * f->absolute[0][j] + f->a[1] * f->absolute[1][j] +
                           f->a[2] * f->absolute[2][j]);
        if (value > best->value) {
            *best = (box_axis){.kind = 3 + j, .value = value};
        }
    }
}

// Edges i and j: the value along their common perpendicular times its length, whose square is *s2.
static double edge_value(double *s2, const box_frames *f, int i, int j)
{
    static const int next[3] = {1, 2, 0}, other[3] = {2, 0, 1};
    const int i1 = next[i], i2 = other[i], j1 = next[j], j2 = other[j];
    *s2 = dp_square(f->C[i1][j]) + dp_square(f->C[i2][j]);
    return fabs(f->d[i2] * f->C[i1][j] - f->d[i1] * f->C[i2][j]) -
           (f->a[i1] * f->absolute[i2][j] + f->a[i2] * f->absolute[i1][j] +
            f->b[j1] * f->absolute[i][j2] + f->b[j2] * f->absolute[i][j1]);
}

// The best of nine pairs of edges, if it beats the faces by more than `small`: at rest, face on
// face, the edges say the same and must not take turns with the faces.
static void try_edges(box_axis *best, const box_frames *f, double small)
{
    double to_beat = best->value + small;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            double s2;
            double value = edge_value(&s2, f, i, j);
            if (s2 < NEARLY_PARALLEL * NEARLY_PARALLEL) {
                if (s2 < PARALLEL * PARALLEL) {
                    continue;
                }
                const box_axis axis = {.kind = 6 + 3 * i + j};
                value = along(f, normal_of(f, &axis));
                s2 = 1.0;
            }
            if (greater(value, s2, to_beat)) {
                best->kind = 6 + 3 * i + j;
                best->value = value / sqrt(s2);
                to_beat = best->value;
            }
        }
    }
}

// Does a direction other than m give the same way out?
static bool is_ambiguous(const box_frames *f, const box_axis *best, dp_v3 m, double small)
{
    const dp_v3 d = {f->d[0], f->d[1], f->d[2]};
    if (fabs(dp_v3_dot(m, d)) <= small) {
        return true;
    }
    for (int kind = 0; kind < 15; ++kind) {
        box_axis axis = {.kind = kind};
        double s2 = 1.0, value;
        if (kind < 6) {
            value = along(f, normal_of(f, &axis));
        } else {
            value = edge_value(&s2, f, (kind - 6) / 3, (kind - 6) % 3);
            if (s2 < NEARLY_PARALLEL * NEARLY_PARALLEL) {
                continue; // next to a face that says the same
            }
        }
        if (value >= (best->value - small) * sqrt(s2) &&
            dp_v3_dot(normal_of(f, &axis), m) < 1.0 - NEARLY_PARALLEL * NEARLY_PARALLEL) {
            return true;
        }
    }
    return false;
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
    for (int step = 0; step < 32; ++step) {
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
    double s2;
    (void)edge_value(&s2, f, i, j);
    const double along_b = dp_v3_dot(dp_v3_load(apart), axis_of_b(f, j));
    const double s = (apart[i] - cosine * along_b) / s2;
    const double t = (cosine * apart[i] - along_b) / s2;
    p[i] = dp_clamp(s, f->a[i]);
    *x = dp_v3_load(p);
    return fabs(s) <= f->a[i] && fabs(t) <= f->b[j];
}

// The point of A that belongs to the answer, in the frame of A; false as above.
static bool point_on_a(dp_v3 *x, const box_frames *f, const box_axis *axis, dp_v3 m)
{
    if (axis->kind < 3) {
        return point_on_face(x, f, axis->kind, f->d[axis->kind] < 0.0 ? -1.0 : 1.0);
    }
    if (axis->kind >= 6) {
        return point_on_edge(x, f, (axis->kind - 6) / 3, (axis->kind - 6) % 3, m);
    }
    const box_frames g = seen_from_b(f);
    dp_v3 y;
    const double sign = dp_v3_dot(m, axis_of_b(f, axis->kind - 3)) > 0.0 ? -1.0 : 1.0;
    const bool found = point_on_face(&y, &g, axis->kind - 3, sign);
    const double yk[3] = {y.x, y.y, y.z};
    dp_v3 on_a = dp_v3_madd(dp_v3_load(f->d), -axis->value, m);
    for (int k = 0; k < 3; ++k) {
        on_a = dp_v3_madd(on_a, yk[k], axis_of_b(f, k));
    }
    *x = on_a;
    return found;
}

void dp_box_box(dp_distance *out, const dp_placed *a, const dp_placed *b, double limit,
                dp_pair_memory *memory)
{
    const box_frames f = frames_of(a, b);
    box_axis best = {.value = -INFINITY};
    try_faces(&best, &f, limit);
    const double size = f.a[0] + f.a[1] + f.a[2] + f.b[0] + f.b[1] + f.b[2];
    const double small = DP_ROUND_OFF * size;
    if (best.value <= limit) {
        try_edges(&best, &f, small);
    }
    const dp_v3 m = normal_of(&f, &best);
    dp_v3 x = {0.0, 0.0, 0.0};
    if (best.value <= limit && !point_on_a(&x, &f, &best, m) && best.value > small) {
        dp_convex_distance(out, a, b, limit, memory);
        return;
    }
    const bool ambiguous = best.value <= small && is_ambiguous(&f, &best, m, small);
    const dp_v3 on_a = dp_v3_add(a->p, dp_m3_apply(&a->R, x));
    dp_distance_set(out, best.value, dp_m3_apply(&a->R, m), on_a, ambiguous);
}
