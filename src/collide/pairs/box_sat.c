// Which of the fifteen directions has the most between two boxes.
#include "collide/pairs/box_sat.h"

// x² with the sign of x: value/√s2 > best where this of value is more than that of best times s2.
static double signed_square(double x)
{
    return x * fabs(x);
}

dp_v3 dp_box_normal(const dp_box_sat *f, int kind)
{
    dp_v3 m;
    if (kind < 3) {
        m = (dp_v3){kind == 0, kind == 1, kind == 2};
    } else if (kind < DP_BOX_FIRST_EDGE) {
        m = dp_box_axis_of_b(f, kind - 3);
    } else {
        const int i = (kind - DP_BOX_FIRST_EDGE) / 3;
        const dp_v3 e = {i == 0, i == 1, i == 2};
        m = dp_v3_cross(e, dp_box_axis_of_b(f, (kind - DP_BOX_FIRST_EDGE) % 3));
        m = dp_v3_over(m, dp_v3_norm(m));
    }
    return dp_v3_scale(m, copysign(1.0, dp_v3_dot(m, dp_v3_load(f->d))));
}

// The signed distance along the unit vector m.
static double along(const dp_box_sat *f, dp_v3 m)
{
    const double mk[3] = {m.x, m.y, m.z};
    double reach = 0.0, gap = 0.0;
    for (int i = 0; i < 3; ++i) {
        reach += f->a[i] * fabs(mk[i]) + f->b[i] * fabs(dp_v3_dot(m, dp_box_axis_of_b(f, i)));
        gap += mk[i] * f->d[i];
    }
    return fabs(gap) - reach;
}

// Nearly parallel edges, the square of whose sine is s2: the value along their common
// perpendicular, measured anew.
static double parallel_edges(const dp_box_sat *f, int kind, double s2)
{
    return s2 < DP_EDGES_PARALLEL * DP_EDGES_PARALLEL ? -INFINITY
                                                      : along(f, dp_box_normal(f, kind));
}

static inline void take_if_better(dp_box_sat *f, int kind, double value)
{
    const double gap = f->gap;
    f->value[kind] = value;
    f->best = value > gap ? kind : f->best;
    f->gap = value > gap ? value : gap;
}

// The frames, and the best of the faces of A.
static inline void try_faces_of_a(dp_box_sat *f, const dp_placed *a, const dp_placed *b)
{
    const dp_m3 *A = &a->R, *B = &b->R;
    dp_v3_store(f->a, dp_v3_load(a->shape->size));
    dp_v3_store(f->b, dp_v3_load(b->shape->size));
    dp_v3_store(f->d, dp_m3_apply_transposed(A, dp_v3_sub(b->p, a->p)));
    for (int i = 0; i < 3; ++i) {
        double *row = f->absolute[i];
        for (int j = 0; j < 3; ++j) {
            f->C[i][j] =
                A->m[0][i] * B->m[0][j] + A->m[1][i] * B->m[1][j] + A->m[2][i] * B->m[2][j];
            row[j] = fabs(f->C[i][j]);
        }
        const double reach = f->b[0] * row[0] + f->b[1] * row[1] + f->b[2] * row[2];
        take_if_better(f, i, fabs(f->d[i]) - (f->a[i] + reach));
    }
}

// Those of B too, if one beats the faces of A by more than round-off: of two faces that lie on each
// other the first has the normal, whatever round-off says.
static inline void try_faces_of_b(dp_box_sat *f)
{
    const double *a = f->a, *d = f->d, of_a = f->gap;
    f->gap += f->small;
    for (int j = 0; j < 3; ++j) {
        f->e[j] = f->C[0][j] * d[0] + f->C[1][j] * d[1] + f->C[2][j] * d[2];
        const double reach =
            a[0] * f->absolute[0][j] + a[1] * f->absolute[1][j] + a[2] * f->absolute[2][j];
        take_if_better(f, 3 + j, fabs(f->e[j]) - (f->b[j] + reach));
    }
    f->gap = f->best < 3 ? of_a : f->gap;
}

// What an edge must beat: the best so far, or a little more, and a value that none of a better one
// can be below, since sines are not above 1.
typedef struct to_beat {
    double square; // with the sign
    double least;
} to_beat;

static inline to_beat beat(double gap, double small)
{
    return (to_beat){signed_square(gap), (gap < 0.0 ? gap : 0.0) - small};
}

// The sine of the angle between edges i and j, squared.
static inline double sine2(const dp_box_sat *f, int i, int j)
{
    return dp_square(f->C[(i + 1) % 3][j]) + dp_square(f->C[(i + 2) % 3][j]);
}

// An edge that may be better, whose value times the sine is known.
static void look_closely(dp_box_sat *f, int kind, double value, double s2, to_beat *best)
{
    if (s2 < DP_EDGES_NEARLY_PARALLEL * DP_EDGES_NEARLY_PARALLEL) {
        value = parallel_edges(f, kind, s2);
        s2 = 1.0;
    }
    if (signed_square(value) > best->square * s2) {
        f->best = kind;
        f->gap = value / sqrt(s2);
        *best = beat(f->gap, f->small);
    }
}

// Edges i and j: the value along their common perpendicular times its length, their sine.
static inline void try_edge(dp_box_sat *f, int i, int j, to_beat *best)
{
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
    const int kind = DP_BOX_FIRST_EDGE + 3 * i + j;
    const double value = fabs(f->d[i2] * f->C[i1][j] - f->d[i1] * f->C[i2][j]) -
                         ((f->a[i1] * f->absolute[i2][j] + f->a[i2] * f->absolute[i1][j]) +
                          (f->b[j1] * f->absolute[i][j2] + f->b[j2] * f->absolute[i][j1]));
    f->value[kind] = value;
    if (value > best->least) {
        look_closely(f, kind, value, sine2(f, i, j), best);
    }
}

// The best of nine pairs of edges, if it beats the faces by more than round-off: at rest, face on
// face, the edges say the same and must not take turns with the faces.
static void try_edges(dp_box_sat *f)
{
    to_beat best = beat(f->gap + f->small, f->small);
    try_edge(f, 0, 0, &best);
    try_edge(f, 0, 1, &best);
    try_edge(f, 0, 2, &best);
    try_edge(f, 1, 0, &best);
    try_edge(f, 1, 1, &best);
    try_edge(f, 1, 2, &best);
    try_edge(f, 2, 0, &best);
    try_edge(f, 2, 1, &best);
    try_edge(f, 2, 2, &best);
}

bool dp_box_sat_find(dp_box_sat *f, const dp_placed *a, const dp_placed *b, double limit)
{
    f->gap = -INFINITY;
    f->best = 0;
    try_faces_of_a(f, a, b);
    if (f->gap > limit) {
        return false;
    }
    const double size = (f->a[0] + f->a[1] + f->a[2]) + (f->b[0] + f->b[1] + f->b[2]);
    f->small = DP_ROUND_OFF * size;
    try_faces_of_b(f);
    if (f->gap > limit) {
        return false;
    }
    try_edges(f);
    return !(f->gap > limit);
}

bool dp_box_is_ambiguous(const dp_box_sat *f, dp_v3 m)
{
    if (fabs(dp_v3_dot(m, dp_v3_load(f->d))) <= f->small) {
        return true;
    }
    const double least2 = signed_square(f->gap - f->small);
    for (int kind = 0; kind < DP_BOX_AXES; ++kind) {
        double value = f->value[kind], s2 = 1.0;
        if (kind >= DP_BOX_FIRST_EDGE) {
            const int pair = kind - DP_BOX_FIRST_EDGE;
            s2 = sine2(f, pair / 3, pair % 3);
            if (s2 < DP_EDGES_NEARLY_PARALLEL * DP_EDGES_NEARLY_PARALLEL) {
                value = parallel_edges(f, kind, s2);
                s2 = 1.0;
            }
        }
        if (kind != f->best && signed_square(value) > least2 * s2 &&
            dp_v3_dot(dp_box_normal(f, kind), m) <
                1.0 - DP_EDGES_NEARLY_PARALLEL * DP_EDGES_NEARLY_PARALLEL) {
            return true;
        }
    }
    return false;
}
