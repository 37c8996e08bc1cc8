// Let a proved normal n have the depth δ, and let other unit vectors u be along
//
//     (1 − k²) n + 2 k t,     k = tan θ/2, θ the angle between n and u, t across n.      (1)
//
// The depth along u is no less than w·u for any of the vectors w that lead from points of the
// ellipsoid to points of the cylinder, and is that for the one which is furthest along u. Where w·u
// exceeds δ, u is no better a normal than n. Since (1) has the length 1 + k² that is, with ν = w·n
// and τ = w·t,
//
//     ν − δ + 2 τ k − (ν + δ) k² > 0,                                                   (2)
//
// for k between two roots. For all t between two of them, τ is no less than the lesser at these or,
// if that is negative, than that over the cosine of half the angle between. So a few w settle all u
// of a sector, each further away from n than the last, beginning where the proof of n ends. Where
// that gets on too slowly the sector is halved.
//
// Where u·p < 0 with the middle p of the ellipsoid, −u is better than u: both shapes are their own
// mirror images at their middles. There is no need to look further.
#include "collide/exact/local_minima.h"

#include "collide/exact/feature_pair.h"

enum { SECTORS = 8, MOST_LOOKS = 400, MOST_HALVED = 4, MOST_WAITING = SECTORS + MOST_HALVED };

// How far ahead to look: at these multiples of k, until what is found begins at k.
enum { RATIOS = 5 };
static const double RATIO[RATIOS] = {1.7, 1.35, 1.15, 1.07, 1.0};
// It gets on if k grows by this much.
static const double ENOUGH = 1.02;

// What others must exceed: the depth, by this much of it and of the size. That is far more than
// round-off, and than what makes a tie.
static const double PART_OF_DEPTH = 1e-9, PART_OF_SIZE = 1e-12;
// A middle that is nearer than this, relative to the size, to the plane across n does not tell well
// which of u and −u is better.
static const double BESIDE = 1e-3;

typedef struct sector {
    dp_v3 t[2];
    double k; // what is nearer to n is settled
    int ratio;
    int halved;
} sector;

typedef struct sweep {
    const dp_swept *t;
    dp_v3 n;
    double depth, beat;
    double ahead; // n·p
    sector waiting[MOST_WAITING];
    int count;
    int looks;
    dp_v3 suspect;
} sweep;

dp_swept dp_swept_of(const dp_difference *m)
{
    dp_swept t = {.r = m->a->size[0], .h = m->a->size[1], .p = m->p, .size = m->size};
    const double *e = m->b->size;
    for (int i = 0; i < 3; ++i) {
        t.row[i] = (dp_v3){e[0] * m->R.m[i][0], e[1] * m->R.m[i][1], e[2] * m->R.m[i][2]};
    }
    return t;
}

double dp_swept_depth(const dp_swept *t, dp_v3 u)
{
    return t->r * sqrt(u.x * u.x + u.y * u.y) + t->h * fabs(u.z) +
           dp_v3_norm(dp_swept_stretched(t, u)) - dp_v3_dot(u, t->p);
}

// The w that is furthest along u. Across a cap any point of it will do.
static inline dp_v3 furthest(const dp_swept *t, dp_v3 u)
{
    const dp_v3 v = dp_swept_stretched(t, u);
    const double by = 1.0 / dp_v3_norm(v), beside = u.x * u.x + u.y * u.y;
    const double out = beside > 0.0 ? t->r / sqrt(beside) : 0.0;
    return (dp_v3){by * dp_v3_dot(t->row[0], v) + out * u.x - t->p.x,
                   by * dp_v3_dot(t->row[1], v) + out * u.y - t->p.y,
                   by * dp_v3_dot(t->row[2], v) + dp_toward(u.z, t->h) - t->p.z};
}

static inline double lesser(double a, double b)
{
    return a < b ? a : b;
}

// How far out (2) holds, if it does from k on; else 0.
static inline double settles(double nu, double tau, double beat, double k)
{
    const double square = tau * tau + (nu - beat) * (nu + beat);
    const double root = square >= 0.0 ? tau + sqrt(square) : 0.0;
    if (!(root > 0.0 && beat - nu <= k * root)) {
        return 0.0;
    }
    return nu + beat > 0.0 ? root / (nu + beat) : INFINITY;
}

// Follow a sector outward. False: there is a suspect.
static bool follow(sweep *s, sector x)
{
    const dp_v3 sum = dp_v3_add(x.t[0], x.t[1]), p = s->t->p;
    const double by = 1.0 / dp_v3_norm(sum), wide = 2.0 * by;
    const dp_v3 t = dp_v3_scale(sum, by);
    double aside = -lesser(-dp_v3_dot(x.t[0], p), -dp_v3_dot(x.t[1], p));
    aside = aside > 0.0 ? wide * aside : aside;
    const double end = (aside + sqrt(aside * aside + s->ahead * s->ahead)) / s->ahead;
    while (x.k < end && s->looks < MOST_LOOKS) {
        const double k = RATIO[x.ratio] * x.k, forward = 1.0 - k * k;
        const dp_v3 u = dp_v3_madd(dp_v3_scale(s->n, forward), 2.0 * k, t), w = furthest(s->t, u);
        ++s->looks;
        const double nu = dp_v3_dot(s->n, w);
        s->suspect = u;
        if (dp_v3_dot(u, w) < s->depth * (1.0 + k * k)) {
            return false;
        }
        const double tau = lesser(dp_v3_dot(x.t[0], w), dp_v3_dot(x.t[1], w));
        const double to = settles(nu, tau < 0.0 ? wide * tau : tau, s->beat, x.k);
        if (to > ENOUGH * x.k) {
            x.k = to;
            x.ratio -= x.ratio > 0;
        } else if (x.ratio < RATIOS - 1) {
            ++x.ratio;
        } else if (x.halved == MOST_HALVED) {
            return false;
        } else {
            s->waiting[s->count++] = (sector){{t, x.t[1]}, x.k, x.ratio, x.halved + 1};
            s->waiting[s->count++] = (sector){{x.t[0], t}, x.k, x.ratio, x.halved + 1};
            break;
        }
    }
    return true;
}

dp_local_minima dp_local_minima_around(dp_v3 *suspect, int *looks, const dp_swept *t,
                                       const dp_refined_normal *way)
{
    static const double turn[SECTORS + 1][2] = {
        {1.0, 0.0},  {M_SQRT1_2, M_SQRT1_2},   {0.0, 1.0},  {-M_SQRT1_2, M_SQRT1_2},
        {-1.0, 0.0}, {-M_SQRT1_2, -M_SQRT1_2}, {0.0, -1.0}, {M_SQRT1_2, -M_SQRT1_2},
        {1.0, 0.0}};
    sweep s;
    s.t = t;
    s.n = way->normal;
    s.depth = -way->gap;
    s.beat = s.depth + PART_OF_DEPTH * s.depth + PART_OF_SIZE * t->size;
    s.ahead = dp_v3_dot(s.n, t->p);
    s.count = s.looks = 0;
    if (!(way->cosine < 1.0 && s.depth > 0.0 && s.ahead > BESIDE * t->size)) {
        return DP_SWEEP_UNKNOWN;
    }
    const double k = sqrt((1.0 - way->cosine) / (1.0 + way->cosine));
    dp_v3 t1, t2, ray[SECTORS + 1];
    dp_axes_across(&t1, &t2, s.n);
    for (int i = 0; i <= SECTORS; ++i) {
        ray[i] = dp_v3_madd(dp_v3_scale(t1, turn[i][0]), turn[i][1], t2);
    }
    for (int i = 0; i < SECTORS; ++i) {
        s.waiting[s.count++] = (sector){{ray[i], ray[i + 1]}, k, 0, 0};
    }
    bool clear = true;
    while (clear && s.count > 0) {
        clear = follow(&s, s.waiting[--s.count]);
    }
    *suspect = s.suspect;
    *looks += s.looks;
    if (s.looks >= MOST_LOOKS) {
        return DP_SWEEP_UNKNOWN;
    }
    return clear ? DP_SWEEP_SHORTEST : DP_SWEEP_ANOTHER;
}
