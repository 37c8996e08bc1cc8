// How far around a proved normal is no other better?
//
// Let its depth be δ = −s(n), and let u make the
// angle θ with it, u = n cos θ + t sin θ. The two points that face each other are of the cores: so
// the depth along u is no less than δ cos θ. With what is next to these points it is no less than
//
//     δ cos θ + Σ l |e·t| sin θ + Σ ½ tᵀH t A sin²θ / (A + C sin θ),                    (2)
//
// first for edges along e, l from their nearer ends, and for faces, l from their border, for any e;
// then for ellipsoids x = D y, |y| ≤ 1, and for the discs of cylinders, which are flat ones. With
// the support function h(u) = |D u|, its Hessian H at n, A = |D n| and C ≥ |D t| for all t,
//
//     h(u) − u·∇h(n) = |D u| − D u·D n/A = |D u × D n|²/(A² |D u| + A D u·D n),
//
// where |D u × D n|² = A³ tᵀH t sin²θ and D u·D n ≤ A |D u| ≤ A (A + C sin θ). Since |e·t| ≥ (e·t)²
// it is a quadratic form of t that must exceed δ (1 − cos θ), for θ > 90° with C in place of
// C sin θ. If it does for one angle then for all that are less.
#include "collide/exact/feature_pair.h"

typedef struct surroundings {
    double l11, l12, l22; // Σ l e eᵀ
    struct {
        double H11, H12, H22, A, C;
    } piece[2];
    int count;
} surroundings;

static void add_length(surroundings *q, double l, dp_v3 e, dp_v3 t1, dp_v3 t2)
{
    const double e1 = dp_v3_dot(e, t1), e2 = dp_v3_dot(e, t2), length = fmax(l, 0.0);
    q->l11 += length * e1 * e1;
    q->l12 += length * e1 * e2;
    q->l22 += length * e2 * e2;
}

static void add_piece(surroundings *q, const dp_piece *p, double A, double C)
{
    q->piece[q->count].H11 = p->H11;
    q->piece[q->count].H12 = p->H12;
    q->piece[q->count].H22 = p->H22;
    q->piece[q->count].A = A;
    q->piece[q->count++].C = C;
}

// `x` is the point of the feature; it and the directions are in the frame of the shape.
static void add_feature(surroundings *q, const dp_shape *s, const dp_feature *f, dp_v3 x, dp_v3 n,
                        dp_v3 t1, dp_v3 t2)
{
    const double *size = s->size;
    dp_piece p;
    if (s->kind == DP_GEOM_ELLIPSOID) {
        dp_piece_evaluate(&p, s, f, n, t1, t2);
        add_piece(q, &p, dp_v3_norm((dp_v3){size[0] * n.x, size[1] * n.y, size[2] * n.z}),
                  fmax(size[0], fmax(size[1], size[2])));
    } else if (f->kind == DP_FEATURE_FACE) {
        const double l = s->kind == DP_GEOM_CYLINDER ? size[0] - sqrt(x.x * x.x + x.y * x.y)
                                                     : dp_within_polygon(f, x);
        add_length(q, l, t1, t1, t2);
        add_length(q, l, t2, t1, t2);
    } else if (s->kind == DP_GEOM_CYLINDER) {
        dp_piece_evaluate(&p, s, f, n, t1, t2);
        add_piece(q, &p, sqrt(n.x * n.x + n.y * n.y), 1.0);
        if (f->kind == DP_FEATURE_EDGE) {
            add_length(q, size[1] - fabs(x.z), (dp_v3){0.0, 0.0, 1.0}, t1, t2);
        }
    } else if (f->kind == DP_FEATURE_EDGE) {
        add_length(q, dp_within_edge(f, x), f->axis, t1, t2);
    }
}

// Does (2) hold at an angle?
static bool holds_at(const surroundings *q, double sine, double cosine, double depth)
{
    double M11 = sine * q->l11, M12 = sine * q->l12, M22 = sine * q->l22;
    for (int i = 0; i < q->count; ++i) {
        const double A = q->piece[i].A, C = q->piece[i].C;
        const double by = 0.5 * sine * sine * A / (A + C * (cosine < 0.0 ? 1.0 : sine));
        M11 += by * q->piece[i].H11;
        M12 += by * q->piece[i].H12;
        M22 += by * q->piece[i].H22;
    }
    const double half = 0.5 * (M11 - M22);
    return 0.5 * (M11 + M22) - sqrt(half * half + M12 * M12) > depth * (1.0 - cosine);
}

// The cosine of the greatest of some angles at which (2) holds; 2: of none.
double dp_cosine_around(const dp_difference *m, const dp_feature f[2], const dp_refined_normal *p)
{
    enum { ANGLES = 15, SQUARE = 12 }; // the latter is 90°
    static const double sine[ANGLES] = {0.03, 0.045, 0.065, 0.09, 0.13, 0.19, 0.27, 0.38,
                                        0.5,  0.62,  0.76,  0.9,  1.0,  0.9,  0.5};
    const dp_v3 n = p->normal, back = dp_v3_back(dp_into_b(m, n));
    dp_v3 t1, t2;
    dp_axes_across(&t1, &t2, n);
    surroundings q = {.count = 0};
    add_feature(&q, m->a, &f[0], p->point[0], n, t1, t2);
    add_feature(&q, m->b, &f[1], dp_into_b(m, dp_v3_sub(p->point[1], m->p)), back, dp_into_b(m, t1),
                dp_into_b(m, t2));
    const double depth = dp_depth_to_beat(m, p);
    int low = -1, high = ANGLES;
    double best = 2.0;
    while (high - low > 1) {
        const int i = (low + high) / 2;
        const double c2 = 1.0 - sine[i] * sine[i], cosine = i < SQUARE ? sqrt(c2) : -sqrt(c2);
        if (holds_at(&q, sine[i], cosine, depth)) {
            low = i;
            best = cosine;
        } else {
            high = i;
        }
    }
    return best;
}
