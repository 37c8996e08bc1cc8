// Two features that face each other: what they are, which normal fits them, and what proves it.
//
// polish.c tells how these go together.
#ifndef DP_COLLIDE_FACING_H
#define DP_COLLIDE_FACING_H

#include "collide/convex/minkowski.h"

#include <dashpot/advanced/collide.h>

/// How far the points of a proof may be from facing each other, relative to the size of both.
#define DP_FACING_PROVED 1e-13

enum { DP_FEATURE_POINTS = 32 };

typedef enum dp_feature_kind { DP_FEATURE_POINT, DP_FEATURE_EDGE, DP_FEATURE_FACE } dp_feature_kind;

/// A feature of one core, in its own frame.
typedef struct dp_feature {
    dp_feature_kind kind;
    dp_v3 axis;                     // of an edge; the outward normal of a face. Unit
    double z;                       // of cylinders: the height of the rim or cap, 0 for the side
    dp_v3 point[DP_FEATURE_POINTS]; // corners of polyhedral features
    int vertex[DP_FEATURE_POINTS];  // their numbers
    int count;
} dp_feature;

/// What points of a core span: `x` in its frame, `n` the direction it looks.
void dp_feature_find(dp_feature *f, const dp_shape *s, const dp_v3 *x, const int *vertex, int count,
                     dp_v3 n);
/// The feature that looks along n, or so nearly that the heights of its points differ by no more
/// than `level`.
void dp_feature_guess(dp_feature *f, const dp_shape *s, dp_v3 n, double level);
/// What the corners of a polyhedron that are in f span.
void dp_feature_span(dp_feature *f, const dp_shape *s, dp_v3 n);
/// A number that tells features of one shape apart.
uint64_t dp_feature_key(const dp_feature *f, const dp_shape *s);

static inline dp_v3 dp_into_b(const dp_difference *m, dp_v3 v)
{
    return dp_m3_apply_transposed(&m->R, v);
}

static inline dp_v3 dp_out_of_b(const dp_difference *m, dp_v3 x)
{
    return dp_v3_add(m->p, dp_m3_apply(&m->R, x));
}

/// Two axes across n, without a square root.
static inline void dp_axes_across(dp_v3 *t1, dp_v3 *t2, dp_v3 n)
{
    const double sign = n.z < 0.0 ? -1.0 : 1.0;
    const double k = -1.0 / (sign + n.z), xy = n.x * n.y * k;
    *t1 = (dp_v3){1.0 + sign * n.x * n.x * k, sign * xy, -sign * n.x};
    *t2 = (dp_v3){xy, sign + n.y * n.y * k, -n.y};
}

/// A core at n, in its own frame: the point that looks along n, and tᵢᵀ H tⱼ for two directions.
typedef struct dp_piece {
    dp_v3 x;
    double H11, H12, H22;
} dp_piece;

DP_INLINE void dp_piece_evaluate(dp_piece *p, const dp_shape *s, const dp_feature *f, dp_v3 n,
                                 dp_v3 t1, dp_v3 t2)
{
    const double *size = s->size;
    p->H11 = p->H12 = p->H22 = 0.0;
    if (s->kind ==
        DP_GEOM_ELLIPSOID) { // h = |D n|, H = (D² − D e eᵀ D) / |D n| with e = D n / |D n|
        dp_v3 e = {size[0] * n.x, size[1] * n.y, size[2] * n.z};
        const double h = dp_v3_norm(e);
        e = dp_v3_scale(e, 1.0 / h);
        const dp_v3 c1 = dp_v3_cross(e, (dp_v3){size[0] * t1.x, size[1] * t1.y, size[2] * t1.z});
        const dp_v3 c2 = dp_v3_cross(e, (dp_v3){size[0] * t2.x, size[1] * t2.y, size[2] * t2.z});
        p->x = (dp_v3){size[0] * e.x, size[1] * e.y, size[2] * e.z};
        p->H11 = dp_v3_dot(c1, c1) / h;
        p->H12 = dp_v3_dot(c1, c2) / h;
        p->H22 = dp_v3_dot(c2, c2) / h;
        return;
    }
    if (s->kind == DP_GEOM_CYLINDER) { // h = r |n_xy| + z n_z
        const double length = sqrt(n.x * n.x + n.y * n.y);
        if (!(length > 0.0)) {
            p->x = (dp_v3){0.0, 0.0, f->z};
            return;
        }
        const double ex = n.x / length, ey = n.y / length, bend = size[0] / length;
        const double c1 = ex * t1.y - ey * t1.x, c2 = ex * t2.y - ey * t2.x;
        p->x = (dp_v3){size[0] * ex, size[0] * ey, f->z};
        p->H11 = bend * c1 * c1;
        p->H12 = bend * c1 * c2;
        p->H22 = bend * c2 * c2;
        return;
    }
    p->x = f->point[0];
}

/// The greatest s(n) of these features near n, on the circle n·e = 0 when there is one (e may be
/// NULL). Stops where a feature ends, which is then changed.
dp_v3 dp_feature_pair_climb(bool *changed, const dp_difference *m, dp_feature f[2], dp_v3 n,
                            const dp_v3 *e);

/// What a proof has found out about the features.
typedef struct dp_evidence {
    uint64_t active[2]; // bits: the points that make up the pair that faces each other best
    dp_corner nearest;  // by the support map
    double hidden;      // how much nearer that is than the features
} dp_evidence;

/// Is n the normal of these features, and what is known of others then?
bool dp_feature_pair_prove(dp_refined_normal *out, dp_evidence *e, dp_difference *m,
                           const dp_feature f[2], dp_v3 n);

/// How far the point x of a polygon is from its border.
static inline double dp_within_polygon(const dp_feature *f, dp_v3 x)
{
    double least = INFINITY;
    for (int k = 0; k < f->count; ++k) {
        const dp_v3 p = f->point[k], e = dp_v3_sub(f->point[k + 1 < f->count ? k + 1 : 0], p);
        const double height = dp_v3_dot(f->axis, dp_v3_cross(e, dp_v3_sub(x, p)));
        least = fmin(least, height / dp_v3_norm(e));
    }
    return least;
}

/// How far the point x of an edge is from its ends.
static inline double dp_within_edge(const dp_feature *f, dp_v3 x)
{
    return fmin(dp_v3_norm(dp_v3_sub(x, f->point[0])), dp_v3_norm(dp_v3_sub(x, f->point[1])));
}

/// How large a ball touches a shape from within, at the point x of a feature that looks along n
/// (both in its own frame), at most? 0 of rims, edges and corners.
double dp_ball_in_shape(const dp_shape *s, const dp_feature *f, dp_v3 x, dp_v3 n);

/// What others must exceed: the depth of a proved normal, and something that makes them differ from
/// it by more than DP_DIFFERENCE_TIE of the size where the cosine between them is less than
/// 1 − 1e-6.
static inline double dp_depth_to_beat(const dp_difference *m, const dp_refined_normal *p)
{
    const double to_spare = 1.0005, apart = 1e6 * DP_DIFFERENCE_TIE;
    return to_spare * -p->gap + apart * m->size;
}

/// The cosine of an angle around a proved normal within which no other is as good, 2: not known. By
/// what is next to the points that face each other.
double dp_cosine_around(const dp_difference *m, const dp_feature f[2], const dp_refined_normal *p);
/// The same by ellipsoids within M; −1: no other is as good at all.
double dp_cosine_by_ellipsoids(const dp_difference *m, const dp_feature f[2],
                               const dp_refined_normal *p);

#endif
