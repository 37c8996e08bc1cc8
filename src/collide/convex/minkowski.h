// Two convex cores as one set: the difference M = { b − a }, in the frame of A.
//
// The gap of the cores is the signed distance of the origin from M. For a unit vector n from A to B
// let s(n) = min { n·m : m ∈ M } = −(h_A(n) + h_B(−n)); the gap is the greatest s(n), so every s(n)
// is a lower bound of it. Whatever finds a normal, what it is worth is decided by s.
#ifndef DP_COLLIDE_MINKOWSKI_H
#define DP_COLLIDE_MINKOWSKI_H

#include "geom/core.h"

#include <dashpot/advanced/collide.h>

static inline dp_v3 dp_v3_unit(dp_v3 a)
{
    return dp_v3_scale(a, 1.0 / dp_v3_norm(a));
}

static inline bool dp_v3_same(dp_v3 a, dp_v3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static inline dp_v3 dp_v3_back(dp_v3 a)
{
    return (dp_v3){-a.x, -a.y, -a.z};
}

/// A point of M and where it comes from.
typedef struct dp_corner {
    dp_v3 w;       // b − a
    dp_v3 a, b;    // of A and of B, both in the frame of A
    int vertex[2]; // numbers of vertices, where the cores are polyhedra
} dp_corner;

typedef struct dp_difference {
    const dp_shape *a, *b;
    dp_m3 R;         // R_AB
    dp_v3 p;         // p_AB
    double radius;   // of both skins together [m]
    double size;     // of both cores together: no point of them is further from its origin [m]
    bool curved;     // is one of the cores no polyhedron?
    bool smooth;     // is M smooth? Then there is but one feature to each direction
    int hint[2];     // vertices of hulls to walk from
    int evaluations; // of the support map
} dp_difference;

/// The difference of two convex shapes, planes not, in the frame of A.
dp_difference dp_difference_of(const dp_placed *a, const dp_placed *b);

/// Normals give the same gap when it differs by no more, relative to the size of both.
#define DP_DIFFERENCE_TIE 1e-13

/// The point of M furthest along d.
DP_INLINE void dp_difference_support(dp_corner *out, dp_difference *m, dp_v3 d)
{
    const dp_v3 back = {-d.x, -d.y, -d.z};
    out->a = dp_core_support_of(m->a, back, &m->hint[0]);
    const dp_v3 b = dp_core_support_of(m->b, dp_m3_apply_transposed(&m->R, d), &m->hint[1]);
    out->b = dp_v3_add(m->p, dp_m3_apply(&m->R, b));
    out->w = dp_v3_sub(out->b, out->a);
    out->vertex[0] = m->hint[0];
    out->vertex[1] = m->hint[1];
    ++m->evaluations;
}

/// Do two shapes share a point?
typedef enum dp_verdict { DP_VERDICT_NONE, DP_VERDICT_APART, DP_VERDICT_SHARED } dp_verdict;

/// What the line through the middles of two convex shapes (planes not) tells about it.
dp_verdict dp_overlap_test(const dp_placed *a, const dp_placed *b);

/// What a few points of M tell about the cores, from `v0` inside of M. There is no verdict where it
/// is a close thing.
dp_verdict dp_portal_decide(dp_difference *m, dp_v3 v0);

/// Up to four points of M, affinely independent, and the point of their hull next to the origin.
typedef struct dp_simplex {
    dp_corner corner[4];
    double weight[4]; // ≥ 0, sum 1: v = Σ weight w
    int count;
    dp_v3 v;
    double vv; // |v|²
} dp_simplex;

/// Reduce a simplex to the corners that span its point next to the origin, and find that point. The
/// newest corner is the last. Four corners remain when the origin is inside; v is then zero.
void dp_simplex_reduce(dp_simplex *s);

/// The same, if it leads nearer to the origin than |v|² = s->vv. Else only the count is reduced, by
/// the newest corner, and the answer is false.
bool dp_simplex_improve(dp_simplex *s);

/// A normal for which a pair of points proves that s(n) is greatest thereabouts.
typedef struct dp_refined_normal {
    dp_v3 normal;
    double gap;      // s(n)
    dp_v3 point[2];  // of the cores, in the frame of A; apart by gap·normal, to round-off
    bool only;       // no other normal gives as much; false: not known
    double cosine;   // nor does one that makes an angle of this cosine, or a greater one, with it
    uint64_t key[2]; // of the features
} dp_refined_normal;

/// Take the features that the corners of `s` lie on (of none: those that nearly look along `n`),
/// with `n` for a guess, and solve for the normal that fits them. False: there is none, or what is
/// found are not the features that face each other.
bool dp_newton_refine(dp_refined_normal *out, dp_difference *m, const dp_simplex *s, dp_v3 n);

/// Do the corners of `s` lie on the features of `p`, looking along `n`? Then they would lead to it.
bool dp_newton_refine_leads_to(const dp_refined_normal *p, const dp_difference *m,
                               const dp_simplex *s, dp_v3 n);

typedef enum dp_gjk_outcome {
    DP_GJK_APART,  // v is the nearest point, to round-off
    DP_GJK_PROVED, // apart, and polished
    DP_GJK_BEYOND, // further than the limit: `lower` exceeds it
    DP_GJK_INSIDE, // the origin is within the simplex, or so near to it that v has no direction
    DP_GJK_CAPPED,
} dp_gjk_outcome;

typedef struct dp_gjk_result {
    dp_gjk_outcome outcome;
    double lower; // the greatest s(n) seen [m]
    double along; // s(n) along v; when apart or beyond [m]
    int iterations;
    bool overlap; // inside, and `polished` is a separating direction, if perhaps not the shortest
    dp_refined_normal polished; // when proved, or when `overlap`
} dp_gjk_result;

/// The nearest point of M to the origin, from the simplex in `s`, up to three corners (count 0:
/// from the direction s->v, any length but 0). Where they overlap only what is less deep than
/// `deepest`, an s(n) that is known, is worth another look (−∞: none is known).
void dp_gjk(dp_gjk_result *r, dp_simplex *s, dp_difference *m, double limit, double deepest);

/// The same, where only it matters whether the nearest point is further than `enough` ≥ 0 [m]:
/// DP_GJK_BEYOND or, within that, DP_GJK_INSIDE. Other outcomes where it is hard to tell.
void dp_gjk_decide(dp_gjk_result *r, dp_simplex *s, dp_difference *m, double enough);

/// The shortest separating direction of M.
typedef struct dp_depth {
    dp_v3 normal;        // n: −n is the outward normal of M there
    double gap;          // s(n) ≤ 0, but for round-off [m]
    dp_simplex triangle; // of M, with the point next to the origin: where the witnesses are
    bool proved;         // then the points are `point`
    dp_v3 point[2];
    bool ambiguous;
    bool capped;
    int iterations;
} dp_depth;

/// The depth of the origin in M, from a simplex that holds the origin to round-off. `known` is a
/// separating direction that has been found already, or NULL. Of polyhedra the polytope that proves
/// the depth is left in *kept, where that is not NULL.
void dp_epa(dp_depth *out, dp_difference *m, const dp_simplex *start,
            const dp_refined_normal *known, dp_pair_polytope *kept);

/// The same of polyhedra that have moved since, from the polytope that was kept. False: it must be
/// begun anew.
bool dp_epa_again(dp_depth *out, dp_difference *m, dp_pair_polytope *kept);

#endif
