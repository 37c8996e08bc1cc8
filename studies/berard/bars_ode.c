#include "berard/bars_ode.h"

#include "drumwright/pair_5_4.h"

#include <math.h>
#include <string.h>

enum { MOST = CLI_BARS_STATES / 2 };

static const double touching = 1e-12; // [m] gaps below it are round-off
static const double closing = 1e-9;   // [m/s] speeds below it are

// --- Lagrange's equations ---------------------------------------------------------------------
//
// A q̈ = f + e₁ F with the force F on the block along x, and the load N of the floor, in which the
// vertical accelerations of the rods appear: N = N₀ + n · q̈.
typedef struct lagrange {
    double A[MOST][MOST], f[MOST], n[MOST], N0;
} lagrange;

static lagrange rods(const cli_bars *o, const double *q, const double *v)
{
    const double a = q[1], b = q[2], g = o->g;
    const double sa = sin(a), ca = cos(a), sb = sin(b), cb = cos(b);
    const double s = sin(a - b), c = cos(a - b);
    const double lA = o->length[0], lB = o->length[1];
    const double KA = (0.5 * o->mass[0] + o->mass[1]) * lA, KB = 0.5 * o->mass[1] * lB;
    const double KAB = 0.5 * o->mass[1] * lA * lB;
    const double JA = o->inertia[0] + (0.25 * o->mass[0] + o->mass[1]) * lA * lA;
    const double JB = o->inertia[1] + 0.25 * o->mass[1] * lB * lB;
    const double all = o->block_mass + o->mass[0] + o->mass[1];
    return (lagrange){
        .A = {{all, -KA * sa, -KB * sb}, {-KA * sa, JA, KAB * c}, {-KB * sb, KAB * c, JB}},
        .f = {KA * ca * v[1] * v[1] + KB * cb * v[2] * v[2], -KA * g * ca - KAB * s * v[2] * v[2],
              -KB * g * cb + KAB * s * v[1] * v[1]},
        .n = {0.0, KA * ca, KB * cb},
        .N0 = all * g - KA * sa * v[1] * v[1] - KB * sb * v[2] * v[2]};
}

typedef struct spring {
    double along[2], length, tension;
} spring;

static spring spring_at(const cli_bars *o, const double *q, const double *v)
{
    const double sa = sin(q[1]), ca = cos(q[1]), l = o->length[0];
    const double d[2] = {q[2] - q[0] - l * ca, q[3] - l * sa};
    const double rate[2] = {v[2] - v[0] + l * sa * v[1], v[3] - l * ca * v[1]};
    const double length = hypot(d[0], d[1]);
    spring s = {.along = {d[0] / length, d[1] / length}, .length = length};
    s.tension = o->stiffness * (length - o->rest) +
                o->damping * (s.along[0] * rate[0] + s.along[1] * rate[1]);
    return s;
}

static lagrange rod_and_particle(const cli_bars *o, const double *q, const double *v)
{
    const double sa = sin(q[1]), ca = cos(q[1]), g = o->g, l = o->length[0];
    const spring s = spring_at(o, q, v);
    const double px = s.tension * s.along[0], pz = s.tension * s.along[1];
    const double K = 0.5 * o->mass[0] * l, J = o->inertia[0] + 0.25 * o->mass[0] * l * l;
    const double both = o->block_mass + o->mass[0], m = o->mass[1];
    return (lagrange){
        .A = {{both, -K * sa}, {-K * sa, J}, {0.0, 0.0, m}, {0.0, 0.0, 0.0, m}},
        .f = {K * ca * v[1] * v[1] + px, -K * g * ca + l * (ca * pz - sa * px), -px, -m * g - pz},
        .n = {0.0, K * ca},
        .N0 = both * g - K * sa * v[1] * v[1] - pz};
}

static lagrange equations(const cli_bars *o, const double *y)
{
    return o->on_spring ? rod_and_particle(o, y, y + o->n) : rods(o, y, y + o->n);
}

// A x = f for the coordinates from `first` on; A has no symmetry where friction is in it.
static void solve(double *x, const lagrange *l, const double *f, int first, int n)
{
    double B[MOST][MOST + 1] = {{0.0}};
    for (int i = first; i < n; ++i) {
        for (int j = first; j < n; ++j) {
            B[i][j] = l->A[i][j];
        }
        B[i][n] = f[i];
    }
    for (int k = first; k < n; ++k) {
        int p = k;
        for (int i = k + 1; i < n; ++i) {
            p = fabs(B[i][k]) > fabs(B[p][k]) ? i : p;
        }
        for (int j = k; j <= n; ++j) {
            const double held = B[k][j];
            B[k][j] = B[p][j];
            B[p][j] = held;
        }
        for (int i = k + 1; i < n; ++i) {
            const double share = B[i][k] / B[k][k];
            for (int j = k; j <= n; ++j) {
                B[i][j] -= share * B[k][j];
            }
        }
    }
    for (int k = n - 1; k >= first; --k) {
        x[k] = B[k][n];
        for (int j = k + 1; j < n; ++j) {
            x[k] -= B[k][j] * x[j];
        }
        x[k] /= B[k][k];
    }
}

static double dot(const double *a, const double *b, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

// --- modes ------------------------------------------------------------------------------------

typedef struct pusher {
    double x, z, vx, vz, ax;
} pusher;

static pusher pusher_at(cli_bars *o, double t)
{
    pusher p = {0};
    if (o->has_pusher && (dp_expression_eval(o->push[0], t, &p.x, &p.vx, &p.ax) != DP_OK ||
                          dp_expression_eval(o->push[1], t, &p.z, &p.vz, NULL) != DP_OK)) {
        o->failed = true;
    }
    return p;
}

static double gap_of(const cli_bars *o, const double *y, const pusher *p)
{
    return y[0] - o->half_length - p->x - o->pusher_radius;
}

static double sign(double x)
{
    return (x > 0.0) - (x < 0.0);
}

// Accelerations, and the forces that go with them.
typedef struct motion {
    double a[MOST];
    double load;     // N of the floor and the friction of the pusher together
    double needed;   // F
    double pressing; // P of the pusher
    double foot;     // the smaller load of the two feet
} motion;

// Moments about the centre of the block, at which rod A is held: they must vanish.
static void find_foot(motion *m, const cli_bars *o, const pusher *p, double friction, double lift)
{
    const double floor_load = m->load - lift;
    const double arm = p->z - o->half_height;
    const double difference =
        lift + (arm * m->pressing - o->half_height * friction) / o->half_length;
    m->foot = 0.5 * (floor_load - fabs(difference));
}

static motion move(cli_bars *o, double t, const double *y)
{
    const pusher p = pusher_at(o, t);
    lagrange l = equations(o, y);
    motion m = {.foot = INFINITY};
    if (o->mode == CLI_BARS_SLIDE) { // F = −way μ N
        for (int j = 0; j < o->n; ++j) {
            l.A[0][j] += o->way * o->mu * l.n[j];
        }
        l.f[0] -= o->way * o->mu * l.N0;
        solve(m.a, &l, l.f, 0, o->n);
        m.load = l.N0 + dot(l.n, m.a, o->n);
        m.needed = -o->way * o->mu * m.load;
        find_foot(&m, o, &p, m.needed, 0.0);
        return m;
    }
    m.a[0] = o->mode == CLI_BARS_PUSH ? p.ax : 0.0;
    for (int i = 1; i < o->n; ++i) {
        l.f[i] -= l.A[i][0] * m.a[0];
    }
    solve(m.a, &l, l.f, 1, o->n);
    m.load = l.N0 + dot(l.n, m.a, o->n);
    m.needed = dot(l.A[0], m.a, o->n) - l.f[0];
    if (o->mode == CLI_BARS_PUSH) { // F = P − way μ (N − rise P)
        const double rise = o->pusher_mu * sign(p.vz);
        m.pressing = (m.needed + o->way * o->mu * m.load) / (1.0 + o->way * o->mu * rise);
        const double lift = rise * m.pressing;
        find_foot(&m, o, &p, -o->way * o->mu * (m.load - lift), lift);
    } else if (o->mode == CLI_BARS_STICK) {
        find_foot(&m, o, &p, m.needed, 0.0);
    }
    return m;
}

// What ends the mode where it falls below 0; several ends may come: the least counts.
static double remains(cli_bars *o, double t, const double *y, const motion *m)
{
    const pusher p = pusher_at(o, t);
    const double slip = y[o->n] - o->belt;
    double least = INFINITY;
    if (o->mode == CLI_BARS_SLIDE) {
        least = o->way * slip;
    } else if (o->mode == CLI_BARS_STICK) {
        least = o->mu * m->load - fabs(m->needed);
    } else if (o->mode == CLI_BARS_PUSH) {
        least = fmin(m->pressing, o->way * (p.vx - o->belt));
    }
    if (o->has_pusher && o->mode != CLI_BARS_PUSH && y[o->n] - p.vx < -closing) {
        least = fmin(least, gap_of(o, y, &p));
    }
    return least;
}

static void start_to_move(cli_bars *o, const motion *m)
{
    o->mode = CLI_BARS_SLIDE;
    o->way = -sign(m->needed);
}

// From rest on the floor: does friction hold the block?
static void stick_or_slide(cli_bars *o)
{
    o->mode = CLI_BARS_STICK;
    o->y[o->n] = o->belt;
    const motion m = move(o, o->t, o->y);
    if (fabs(m.needed) > o->mu * m.load) {
        start_to_move(o, &m);
    }
}

// The block takes on the speed of the pusher at once; the rods follow.
static void meet(cli_bars *o, const pusher *p)
{
    lagrange l = equations(o, o->y);
    double jump[MOST] = {p->vx - o->y[o->n]}, f[MOST] = {0.0};
    for (int i = 1; i < o->n; ++i) {
        f[i] = -l.A[i][0] * jump[0];
    }
    solve(jump, &l, f, 1, o->n);
    for (int i = 0; i < o->n; ++i) {
        o->y[o->n + i] += jump[i];
    }
    o->impact = fmax(o->impact, fabs(jump[0]));
}

static void push_along(cli_bars *o, const pusher *p)
{
    o->mode = CLI_BARS_PUSH;
    o->y[o->n] = p->vx;
    o->way = sign(p->vx - o->belt);
    if (o->way == 0.0) {
        o->way = sign(p->ax) != 0.0 ? sign(p->ax) : 1.0;
    }
}

static void change(cli_bars *o)
{
    const pusher p = pusher_at(o, o->t);
    const cli_bars_mode was = o->mode;
    const motion m = move(o, o->t, o->y);
    const bool met = o->has_pusher && gap_of(o, o->y, &p) < touching;
    ++o->changes;
    if (was != CLI_BARS_PUSH && met && o->y[o->n] - p.vx < -closing) {
        meet(o, &p);
        push_along(o, &p);
    } else if (was == CLI_BARS_PUSH && o->way * (p.vx - o->belt) <= 0.0 && m.pressing > 0.0) {
        o->way = -o->way;
    } else if (was == CLI_BARS_PUSH) {
        o->mode = CLI_BARS_SLIDE;
        o->way = sign(o->y[o->n] - o->belt);
    } else if (was == CLI_BARS_SLIDE) {
        stick_or_slide(o);
    } else {
        start_to_move(o, &m);
    }
}

void cli_bars_begin(cli_bars *o)
{
    o->n = o->on_spring ? 4 : 3;
    o->changes = 0;
    o->impact = 0.0;
    o->least_load = INFINITY;
    o->failed = false;
    o->mode = CLI_BARS_HELD;
    if (!o->has_block) {
        return;
    }
    const pusher p = pusher_at(o, o->t);
    const double slip = o->y[o->n] - o->belt;
    if (fabs(slip) > closing) {
        o->mode = CLI_BARS_SLIDE;
        o->way = sign(slip);
    } else {
        stick_or_slide(o);
    }
    const bool met =
        o->has_pusher && fabs(gap_of(o, o->y, &p)) < touching && fabs(o->y[o->n] - p.vx) < closing;
    if (met && p.ax > move(o, o->t, o->y).a[0]) { // it would be left behind
        push_along(o, &p);
    }
}

// --- time -------------------------------------------------------------------------------------

static bool rates_of(double *out, void *context, double t, const double *y)
{
    cli_bars *o = context;
    const motion m = move(o, t, y);
    for (int i = 0; i < o->n; ++i) {
        out[i] = y[o->n + i];
        out[o->n + i] = m.a[i];
    }
    return !o->failed;
}

// A step of h; returns its error over what is allowed.
static double try_step(double *next, cli_bars *o, double h, double tolerance)
{
    cli_pair_step step;
    double f[CLI_BARS_STATES];
    if (!rates_of(f, o, o->t, o->y) ||
        !cli_pair_try(&step, rates_of, o, 2 * o->n, o->t, h, o->y, f)) {
        return INFINITY;
    }
    double worst = 0.0;
    for (int i = 0; i < 2 * o->n; ++i) {
        next[i] = step.next[i];
        worst = fmax(worst, fabs(step.error[i]) / tolerance);
    }
    return worst;
}

static double remains_after(cli_bars *o, double h, const double *y)
{
    const motion m = move(o, o->t + h, y);
    return remains(o, o->t + h, y, &m);
}

// A step of h goes past the end of the mode: the longest one that does not, to round-off.
static double find_end(double *next, cli_bars *o, double h, double tolerance)
{
    double before = 0.0, after = h;
    for (int i = 0; i < 60 && after - before > 1e-16 * (1.0 + o->t); ++i) {
        const double middle = 0.5 * (before + after);
        try_step(next, o, middle, tolerance);
        *(remains_after(o, middle, next) < 0.0 ? &after : &before) = middle;
    }
    try_step(next, o, after, tolerance);
    return after;
}

bool cli_bars_advance(cli_bars *o, double until, double tolerance)
{
    const double longest = 2e-3; // [s] no mode begins and ends unseen within it
    double h = 1e-5;
    for (int tries = 0; o->t < until && !o->failed; ++tries) {
        const bool last = o->t + 1.0001 * h >= until;
        double step = last ? until - o->t : h, next[CLI_BARS_STATES] = {0.0};
        const double error = try_step(next, o, step, tolerance);
        if (error <= 1.0) {
            const bool ends = remains_after(o, step, next) < 0.0;
            step = ends ? find_end(next, o, step, tolerance) : step;
            o->t = last && !ends ? until : o->t + step;
            memcpy(o->y, next, sizeof next);
            if (ends) {
                change(o);
            }
            o->least_load = fmin(o->least_load, move(o, o->t, o->y).foot);
        }
        h = fmin(longest, h * fmin(4.0, fmax(0.2, 0.9 * pow(fmax(error, 1e-10), -0.2))));
        o->failed = o->failed || !isfinite(error) || tries > 10000000 || o->changes > 1000;
    }
    return !o->failed;
}

double cli_bars_energy(const cli_bars *o)
{
    const double *q = o->y, *v = o->y + o->n;
    const lagrange l = equations(o, o->y);
    double kinetic = 0.0;
    for (int i = 0; i < o->n; ++i) {
        kinetic += 0.5 * v[i] * dot(l.A[i], v, o->n);
    }
    const double a = o->length[0] * sin(q[1]);
    double potential = 0.5 * o->mass[0] * o->g * a;
    if (o->on_spring) {
        const double stretch = spring_at(o, q, v).length - o->rest;
        potential += o->mass[1] * o->g * q[3] + 0.5 * o->stiffness * stretch * stretch;
    } else {
        potential += o->mass[1] * o->g * (a + 0.5 * o->length[1] * sin(q[2]));
    }
    return kinetic + potential;
}
