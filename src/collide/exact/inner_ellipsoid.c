// No other separating direction is as short as a proved one: by ellipsoids within M that touch
// where it ends.
//
// Ellipsoids, discs and segments have support functions |A u|, with A of rank three, two and one,
// and the cores but hulls are sums of these. Whatever rotations Q are, |Σ Q A u| ≤ Σ |A u|: so M
// holds the ellipsoid of C = Σ Q A. With Q that turn every A n into one direction it touches M
// where the separating direction ends, and with the best of those C u = (g·u, T t) for u = n + t, t
// across n: g leads from the centre to the touch, T = Σ √(h H) with h = |A n| and H the Hessian of
// |A u| at n. Where A n = 0 a segment of half length l along e has l e eᵀ in T, a disc of radius l
// has l, l from the touch to the border. Let h be g·n and δ the depth. At an angle θ from n, k =
// tan θ/2, towards the unit vector t the ellipsoid is no less deep than δ where
//
//     tᵀT²t − δ h − 2 δ g·t k + δ (h − δ) k² ≥ 0,                                       (3)
//
// which holds for all angles when h > δ and T² − δ h − δ/(h − δ) g gᵀ across n is positive. Any
// share of a part may be left away, towards the touch: of straight ones, which have no T, that with
// the least trace of what is subtracted, or less; of ellipsoids, for which the ball that touches
// from within comes instead, some; and of discs: an ellipse that touches from within, and has the
// share λ of the radius there, has √λ of it across, since (1 − λ + λ c)² + λ s² ≤ 1 for all
// c² + s² = 1.
#include "collide/exact/feature_pair.h"

typedef struct part {
    double h, g1, g2;     // how high the touch is along n, and where across n, from the centre
    double T11, T12, T22; // along the axes across n
} part;

typedef struct inner {
    part straight, level; // all of them together; those with A n = 0 have only T
    part round[2];        // of either shape
    double ball[2];       // radius
} inner;

// The root of a positive matrix.
static void add_root(part *p, double M11, double M12, double M22)
{
    const double root = sqrt(fmax(M11 * M22 - M12 * M12, 0.0));
    const double trace = M11 + M22 + 2.0 * root, by = trace > 0.0 ? 1.0 / sqrt(trace) : 0.0;
    p->T11 += by * (M11 + root);
    p->T12 += by * M12;
    p->T22 += by * (M22 + root);
}

static void add_level(part *p, double l, dp_v3 e, dp_v3 t1, dp_v3 t2)
{
    const double e1 = dp_v3_dot(e, t1), e2 = dp_v3_dot(e, t2), length = fmax(l, 0.0);
    p->T11 += length * e1 * e1;
    p->T12 += length * e1 * e2;
    p->T22 += length * e2 * e2;
}

// `x`: where a part touches, from its centre.
static void add_touch(part *p, dp_v3 x, dp_v3 n, dp_v3 t1, dp_v3 t2, double sign)
{
    p->h += dp_v3_dot(x, n);
    p->g1 += sign * dp_v3_dot(x, t1);
    p->g2 += sign * dp_v3_dot(x, t2);
}

// Segments of boxes and capsules.
static void add_segments(inner *q, const dp_shape *s, const dp_feature *f, dp_v3 x, dp_v3 n,
                         dp_v3 t1, dp_v3 t2, double sign)
{
    const bool box = s->kind == DP_GEOM_BOX;
    const double half[3] = {s->size[0], s->size[1], box ? s->size[2] : s->size[1]};
    const double at[3] = {x.x, x.y, x.z}, along[3] = {n.x, n.y, n.z};
    const double axis[3] = {f->axis.x, f->axis.y, f->axis.z};
    dp_v3 corner = {0.0, 0.0, 0.0};
    for (int i = box ? 0 : 2; i < 3; ++i) {
        const dp_v3 e = {i == 0 ? 1.0 : 0.0, i == 1 ? 1.0 : 0.0, i == 2 ? 1.0 : 0.0};
        if (f->kind == DP_FEATURE_EDGE ? axis[i] != 0.0
                                       : f->kind == DP_FEATURE_FACE && axis[i] == 0.0) {
            add_level(&q->level, half[i] - fabs(at[i]), e, t1, t2);
        } else {
            corner = dp_v3_madd(corner, dp_toward(along[i], half[i]), e);
        }
    }
    add_touch(&q->straight, corner, n, t1, t2, sign);
}

// The parts of shape `which`, +n or −n for it, all in its own frame.
static void add_parts(inner *q, const dp_shape *s, int which, const dp_feature *f, dp_v3 x, dp_v3 n,
                      dp_v3 t1, dp_v3 t2)
{
    const double *size = s->size, sign = which == 0 ? 1.0 : -1.0;
    const dp_v3 z = {0.0, 0.0, 1.0};
    part *round = &q->round[which];
    dp_piece p;
    switch (s->kind) {
    case DP_GEOM_ELLIPSOID: {
        dp_piece_evaluate(&p, s, f, n, t1, t2);
        add_touch(round, p.x, n, t1, t2, sign);
        add_root(round, round->h * p.H11, round->h * p.H12, round->h * p.H22);
        q->ball[which] = dp_ball_in_shape(s, f, x, n);
        break;
    }
    case DP_GEOM_CYLINDER:
        if (f->kind == DP_FEATURE_FACE) {
            const double l = size[0] - sqrt(x.x * x.x + x.y * x.y);
            add_level(&q->level, l, t1, t1, t2);
            add_level(&q->level, l, t2, t1, t2);
        } else {
            dp_piece_evaluate(&p, s, f, n, t1, t2);
            add_touch(round, (dp_v3){p.x.x, p.x.y, 0.0}, n, t1, t2, sign);
            add_root(round, round->h * p.H11, round->h * p.H12, round->h * p.H22);
        }
        if (f->kind == DP_FEATURE_EDGE) {
            add_level(&q->level, size[1] - fabs(x.z), z, t1, t2);
        } else {
            add_touch(&q->straight, dp_v3_scale(z, f->z), n, t1, t2, sign);
        }
        break;
    case DP_GEOM_BOX:
    case DP_GEOM_CAPSULE:
        add_segments(q, s, f, x, n, t1, t2, sign);
        break;
    case DP_GEOM_MESH: // only what touches of it: a hull is no sum
        if (f->kind == DP_FEATURE_EDGE) {
            add_level(&q->level, dp_within_edge(f, x), f->axis, t1, t2);
        } else if (f->kind == DP_FEATURE_FACE) {
            const double l = dp_within_polygon(f, x);
            add_level(&q->level, l, t1, t1, t2);
            add_level(&q->level, l, t2, t1, t2);
        }
        break;
    case DP_GEOM_SPHERE:
    case DP_GEOM_PLANE:
    case DP_GEOM_HFIELD:
    default:
        break;
    }
}

// The share of the straight parts, of which h and g are in s, for the least δ h + δ/(h − δ) g·g.
// With u = h − δ and g = v + u w that is u + (v + u w)²/u, but for constants.
static double best_share(const part *s, const part *others, double depth)
{
    if (!(s->h > 0.0)) {
        return 0.0;
    }
    const double none = (depth - others->h) / s->h, w1 = s->g1 / s->h, w2 = s->g2 / s->h;
    const double v1 = others->g1 + none * s->g1, v2 = others->g2 + none * s->g2;
    const double u = sqrt((v1 * v1 + v2 * v2) / (1.0 + w1 * w1 + w2 * w2));
    return fmin(fmax(none + u / s->h, 0.0), 1.0);
}

// T² − δ h.
static part squared(const part *p, double depth)
{
    const double level = depth * p->h;
    return (part){.T11 = p->T11 * p->T11 + p->T12 * p->T12 - level,
                  .T12 = p->T12 * (p->T11 + p->T22),
                  .T22 = p->T22 * p->T22 + p->T12 * p->T12 - level};
}

// Does (3) hold for all angles?
static bool holds_everywhere(const part *p, double depth)
{
    const double above = p->h - depth;
    if (!(above > 0.0)) {
        return false;
    }
    const part S = squared(p, depth);
    const double by = depth / above;
    const double M11 = S.T11 - by * p->g1 * p->g1, M12 = S.T12 - by * p->g1 * p->g2;
    const double M22 = S.T22 - by * p->g2 * p->g2;
    return M11 > 0.0 && M11 * M22 > M12 * M12;
}

// The cosine of the greatest angle up to which (3) holds for all t; 2: of none.
static double cosine_within(const part *p, double depth)
{
    const part S = squared(p, depth);
    const double half = 0.5 * (S.T11 - S.T22);
    const double least = 0.5 * (S.T11 + S.T22) - sqrt(half * half + S.T12 * S.T12);
    if (!(least > 0.0)) {
        return 2.0;
    }
    const double g = depth * sqrt(p->g1 * p->g1 + p->g2 * p->g2);
    const double root = sqrt(fmax(g * g - least * depth * (p->h - depth), 0.0));
    const double k = least / (g + root);
    return (1.0 - k * k) / (1.0 + k * k);
}

static void add_share(part *sum, const part *p, double share, double share_of_T)
{
    sum->h += share * p->h;
    sum->g1 += share * p->g1;
    sum->g2 += share * p->g2;
    sum->T11 += share_of_T * p->T11;
    sum->T12 += share_of_T * p->T12;
    sum->T22 += share_of_T * p->T22;
}

// What of a hull is known to be round is seldom enough, but for an ellipsoid with it.
static bool has_ellipsoids(const dp_difference *m)
{
    return m->a->kind == DP_GEOM_ELLIPSOID || m->b->kind == DP_GEOM_ELLIPSOID ||
           (m->a->kind != DP_GEOM_MESH && m->b->kind != DP_GEOM_MESH);
}

// The cosine of an angle within which no other normal is as good, by ellipsoids within M; −1: there
// is none at all.
double dp_cosine_by_ellipsoids(const dp_difference *m, const dp_feature f[2],
                               const dp_refined_normal *p)
{
    enum { SHARES = 9 };
    static const double share[SHARES][2] = {{1.0, 1.0}, {0.5, 0.5}, {1.0, 0.0},
                                            {0.0, 1.0}, {0.0, 0.0}, {0.75, 0.75},
                                            {1.0, 0.5}, {0.5, 1.0}, {0.25, 0.25}};
    if (!has_ellipsoids(m)) {
        return 2.0;
    }
    const dp_v3 n = p->normal, back = dp_v3_back(dp_into_b(m, n));
    dp_v3 t1, t2;
    dp_axes_across(&t1, &t2, n);
    inner q = {.ball = {0.0, 0.0}};
    add_parts(&q, m->a, 0, &f[0], p->point[0], n, t1, t2);
    add_parts(&q, m->b, 1, &f[1], dp_into_b(m, dp_v3_sub(p->point[1], m->p)), back,
              dp_into_b(m, t1), dp_into_b(m, t2));
    const double depth = dp_depth_to_beat(m, p);
    double best = 2.0;
    for (int i = 0; i < SHARES; ++i) {
        part sum = q.level;
        for (int k = 0; k < 2; ++k) {
            const double of = share[i][k], ball = (1.0 - of) * q.ball[k];
            add_share(&sum, &q.round[k], of, q.ball[k] > 0.0 ? of : sqrt(of));
            sum.h += ball;
            sum.T11 += ball;
            sum.T22 += ball;
        }
        if (i == 0) {
            best = cosine_within(&sum, depth); // nothing straight: that is best nearby
        }
        const double most = best_share(&q.straight, &sum, depth);
        for (int k = 0; k < 3; ++k) { // nothing straight, half, or all of that share
            if (holds_everywhere(&sum, depth)) {
                return -1.0;
            }
            add_share(&sum, &q.straight, 0.5 * most, 0.0);
        }
    }
    return best;
}
