// A spring at r, in axes of the box, has the gap and the rate
//
//     φ = c + e · u + n · r,   φ̇ = e · v + (n × ω) · r,   n = Rᵀ e,   e = (0, 0, 1),
//
// with the height c of the box's centre at the start, and the force λ = max(0, −k φ − b φ̇) along e.
// Both are affine in r, so one pass over the grid sums the forces and their first moments.
// Displacements of 1e-9 m are not lost in heights of 1 m: n − e is computed, not n.
#include "drumwright/cube_ode.h"

#include "drumwright/pair_5_4.h"

#include <math.h>
#include <string.h>

enum { N = CLI_CUBE_STATES, U = 0, TURN = 3, V = 6, W = 9 };

static void cross(double out[3], const double a[3], const double b[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

// --- the equation -----------------------------------------------------------------------------

// Coefficients of the rotation by θ: R = 1 + s [θ] + c [θ]², θ̇ = ω + θ × ω/2 + e θ × (θ × ω).
typedef struct turn {
    double s, c, e;
} turn;

static turn turn_by(const double theta[3])
{
    const double x = theta[0] * theta[0] + theta[1] * theta[1] + theta[2] * theta[2];
    if (x < 1e-4) { // series: what is left out is below round-off
        return (turn){1.0 - x / 6.0 * (1.0 - x / 20.0), 0.5 - x / 24.0 * (1.0 - x / 30.0),
                      1.0 / 12.0 + x / 720.0 * (1.0 + x / 42.0)};
    }
    const double angle = sqrt(x), s = sin(angle) / angle, c = (1.0 - cos(angle)) / x;
    return (turn){s, c, (1.0 - 0.5 * s / c) / x};
}

// out = Rᵀ f − f
static void turn_back(double out[3], turn t, const double theta[3], const double f[3])
{
    double once[3], twice[3];
    cross(once, theta, f);
    cross(twice, theta, once);
    for (int i = 0; i < 3; ++i) {
        out[i] = -t.s * once[i] + t.c * twice[i];
    }
}

// Sum of the forces of the springs and of their moments about the middle of the face.
typedef struct push {
    double sum, x, y;
} push;

static push push_of(const cli_cube *c, const double *y, const double n_less_e[3],
                    const double n_w[3])
{
    const double gap = c->gap + y[U + 2] - c->half[2] * n_less_e[2];
    const double rate = y[V + 2] - c->half[2] * n_w[2];
    const double middle = -c->k * gap - c->b * rate;
    const double along_x = -c->k * n_less_e[0] - c->b * n_w[0];
    const double along_y = -c->k * n_less_e[1] - c->b * n_w[1];
    const double dx = 2.0 * c->half[0] / c->nx, dy = 2.0 * c->half[1] / c->ny;
    push p = {0.0, 0.0, 0.0};
    for (int j = 0; j < c->ny; ++j) {
        const double at_y = (j + 0.5) * dy - c->half[1];
        const double row = middle + along_y * at_y;
        double sum = 0.0, moment = 0.0;
        for (int i = 0; i < c->nx; ++i) {
            const double at_x = (i + 0.5) * dx - c->half[0];
            const double force = row + along_x * at_x;
            const double lambda = force > 0.0 ? force : 0.0;
            sum += lambda;
            moment += lambda * at_x;
        }
        p.sum += sum;
        p.x += moment;
        p.y += sum * at_y;
    }
    return p;
}

static bool add_loads(double force[3], double torque[3], const cli_cube *c, double t, turn r,
                      const double theta[3])
{
    for (int i = 0; i < c->nforce; ++i) {
        const cli_cube_force *load = &c->force[i];
        double f[3] = {0.0, 0.0, 0.0}, f_box[3], moment[3];
        for (int k = 0; k < 3; ++k) {
            if (load->along[k] && dp_expression_value(load->along[k], t, &f[k]) != DP_OK) {
                return false;
            }
        }
        turn_back(f_box, r, theta, f);
        for (int k = 0; k < 3; ++k) {
            f_box[k] += f[k];
        }
        cross(moment, (const double[3]){load->point.x, load->point.y, load->point.z}, f_box);
        for (int k = 0; k < 3; ++k) {
            force[k] += f[k];
            torque[k] += moment[k];
        }
    }
    return true;
}

static bool rates(double *out, const cli_cube *c, double t, const double *y)
{
    const double *theta = y + TURN, *w = y + W;
    const turn r = turn_by(theta);
    const double up[3] = {0.0, 0.0, 1.0};
    double n_less_e[3], n_w[3], once[3], twice[3];
    turn_back(n_less_e, r, theta, up);
    const double n[3] = {n_less_e[0], n_less_e[1], 1.0 + n_less_e[2]};
    cross(n_w, n, w);

    const push p = push_of(c, y, n_less_e, n_w);
    double force[3] = {0.0, 0.0, p.sum - c->mass * c->gravity}, torque[3];
    cross(torque, (const double[3]){p.x, p.y, -c->half[2] * p.sum}, n);
    if (!add_loads(force, torque, c, t, r, theta)) {
        return false;
    }
    const double spin[3] = {c->moments[0] * w[0], c->moments[1] * w[1], c->moments[2] * w[2]};
    double gyro[3];
    cross(gyro, w, spin);
    cross(once, theta, w);
    cross(twice, theta, once);
    for (int i = 0; i < 3; ++i) {
        out[U + i] = y[V + i];
        out[TURN + i] = w[i] + 0.5 * once[i] + r.e * twice[i];
        out[V + i] = force[i] / c->mass;
        out[W + i] = (torque[i] - gyro[i]) / c->moments[i];
    }
    return true;
}

// --- methods ----------------------------------------------------------------------------------

typedef struct ode {
    const cli_cube *cube;
    double t, y[N], f[N]; // f = rates at t
    double size[N];       // errors of a step that are just allowed
    double next[N], f_next[N];
} ode;

static double error_of(const ode *o, const double *error)
{
    double worst = 0.0;
    for (int i = 0; i < N; ++i) {
        worst = fmax(worst, fabs(error[i]) / o->size[i]);
    }
    return worst;
}

static bool rates_of(double *out, void *context, double t, const double *y)
{
    const ode *o = context;
    return rates(out, o->cube, t, y);
}

// A step of h to `next`, `f_next`. Returns its error, 1: just allowed; < 0: it failed.
static double try_explicit(ode *o, double h)
{
    cli_pair_step step;
    if (!cli_pair_try(&step, rates_of, o, N, o->t, h, o->y, o->f)) {
        return -1.0;
    }
    memcpy(o->next, step.next, sizeof o->next);
    memcpy(o->f_next, step.f_next, sizeof o->f_next);
    return error_of(o, step.error);
}

// A = L U with row exchanges, in place.
static void factor(double A[N][N], int *pivot)
{
    for (int k = 0; k < N; ++k) {
        int p = k;
        for (int i = k + 1; i < N; ++i) {
            p = fabs(A[i][k]) > fabs(A[p][k]) ? i : p;
        }
        pivot[k] = p;
        for (int j = 0; j < N; ++j) {
            const double swap = A[k][j];
            A[k][j] = A[p][j];
            A[p][j] = swap;
        }
        for (int i = k + 1; i < N; ++i) {
            A[i][k] /= A[k][k];
            for (int j = k + 1; j < N; ++j) {
                A[i][j] -= A[i][k] * A[k][j];
            }
        }
    }
}

static void solve(double *x, double A[N][N], const int *pivot)
{
    for (int k = 0; k < N; ++k) {
        const double swap = x[k];
        x[k] = x[pivot[k]];
        x[pivot[k]] = swap;
    }
    for (int i = 0; i < N; ++i) {
        for (int j = 0; j < i; ++j) {
            x[i] -= A[i][j] * x[j];
        }
    }
    for (int i = N - 1; i >= 0; --i) {
        for (int j = i + 1; j < N; ++j) {
            x[i] -= A[i][j] * x[j];
        }
        x[i] /= A[i][i];
    }
}

// 1 − d h ∂f/∂y by differences, and ∂f/∂t.
static bool linearise(double A[N][N], double *by_t, ode *o, double dh)
{
    const double dt = 1e-6;
    double y[N], f[N];
    memcpy(y, o->y, sizeof y);
    for (int j = 0; j < N; ++j) {
        const double delta = o->size[j];
        y[j] = o->y[j] + delta;
        if (!rates(f, o->cube, o->t, y)) {
            return false;
        }
        for (int i = 0; i < N; ++i) {
            A[i][j] = (i == j ? 1.0 : 0.0) - dh * (f[i] - o->f[i]) / delta;
        }
        y[j] = o->y[j];
    }
    if (!rates(f, o->cube, o->t + dt, y)) {
        return false;
    }
    for (int i = 0; i < N; ++i) {
        by_t[i] = (f[i] - o->f[i]) / dt;
    }
    return true;
}

static double try_implicit(ode *o, double h)
{
    const double d = 1.0 / (2.0 + sqrt(2.0)), e = 6.0 + sqrt(2.0);
    double A[N][N], by_t[N], f_half[N], half[N], k1[N], k2[N], k3[N], error[N];
    int pivot[N];
    if (!linearise(A, by_t, o, d * h)) {
        return -1.0;
    }
    factor(A, pivot);
    for (int i = 0; i < N; ++i) {
        k1[i] = o->f[i] + h * d * by_t[i];
    }
    solve(k1, A, pivot);
    for (int i = 0; i < N; ++i) {
        half[i] = o->y[i] + 0.5 * h * k1[i];
    }
    if (!rates(f_half, o->cube, o->t + 0.5 * h, half)) {
        return -1.0;
    }
    for (int i = 0; i < N; ++i) {
        k2[i] = f_half[i] - k1[i];
    }
    solve(k2, A, pivot);
    for (int i = 0; i < N; ++i) {
        k2[i] += k1[i];
        o->next[i] = o->y[i] + h * k2[i];
    }
    if (!rates(o->f_next, o->cube, o->t + h, o->next)) {
        return -1.0;
    }
    for (int i = 0; i < N; ++i) {
        k3[i] = o->f_next[i] - e * (k2[i] - f_half[i]) - 2.0 * (k1[i] - o->f[i]) + h * d * by_t[i];
    }
    solve(k3, A, pivot);
    for (int i = 0; i < N; ++i) {
        error[i] = h / 6.0 * (k1[i] - 2.0 * k2[i] + k3[i]);
    }
    return error_of(o, error);
}

cli_ode_result cli_cube_solve(const cli_cube *cube, cli_ode_method method, double seconds,
                              double tolerance, double longest)
{
    const double fastest = sqrt(cube->k * cube->nx * cube->ny / cube->mass);
    const double shortest = 1e-13 * seconds;
    ode o = {.cube = cube};
    cli_ode_result r = {.failed = !rates(o.f, cube, 0.0, o.y)};
    for (int i = 0; i < N; ++i) {
        o.size[i] = tolerance * (i < V ? 1.0 : fastest);
    }
    double h = 0.01 / fastest;
    while (!r.failed && o.t < seconds) {
        const bool last = o.t + 1.0001 * h >= seconds;
        h = last ? seconds - o.t : h;
        const bool is_explicit = method == CLI_ODE_EXPLICIT;
        const double error = is_explicit ? try_explicit(&o, h) : try_implicit(&o, h);
        if (error <= 1.0 && error >= 0.0) {
            o.t = last ? seconds : o.t + h;
            memcpy(o.y, o.next, sizeof o.y);
            memcpy(o.f, o.f_next, sizeof o.f);
            ++r.steps;
        } else {
            ++r.rejected;
        }
        r.failed = error < 0.0 || h < shortest;
        const double ratio = pow(fmax(error, 1e-10), is_explicit ? -1.0 / 5.0 : -1.0 / 3.0);
        h = fmin(longest, h * (isfinite(error) ? fmin(5.0, fmax(0.2, 0.9 * ratio)) : 0.2));
    }
    memcpy(r.y, o.y, sizeof r.y);
    return r;
}

// --- sensitivity ------------------------------------------------------------------------------

static void classical_step(double *y, const cli_cube *cube, double t, double h)
{
    static const double at[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1.0, 2.0, 2.0, 1.0};
    double f[N] = {0.0}, sum[N] = {0.0}, place[N];
    for (int stage = 0; stage < 4; ++stage) {
        for (int i = 0; i < N; ++i) {
            place[i] = y[i] + at[stage] * h * f[i];
        }
        (void)rates(f, cube, t + at[stage] * h, place); // expressions that had a value before
        for (int i = 0; i < N; ++i) {
            sum[i] += weight[stage] * f[i];
        }
    }
    for (int i = 0; i < N; ++i) {
        y[i] += h / 6.0 * sum[i];
    }
}

// Two neighbours side by side by the classical method of order 4; their distance is brought back to
// what it was before it is anything but small.
double cli_cube_growth(const cli_cube *cube, double seconds, double small)
{
    const double fastest = sqrt(cube->k * cube->nx * cube->ny / cube->mass);
    const long steps = (long)ceil(seconds * 10.0 * fastest);
    const double h = seconds / (double)steps;
    const int often = 50; // steps, not quite one period
    double y[N] = {0.0}, other[N] = {[U + 2] = small}, sum = 0.0;
    for (long n = 0; n < steps; ++n) {
        classical_step(y, cube, (double)n * h, h);
        classical_step(other, cube, (double)n * h, h);
        if ((n + 1) % often != 0 && n + 1 < steps) {
            continue;
        }
        double square = 0.0;
        for (int i = 0; i < N; ++i) {
            const double off = (other[i] - y[i]) / (i < V ? 1.0 : fastest);
            square += off * off;
        }
        const double distance = sqrt(square);
        sum += log10(distance / small);
        for (int i = 0; i < N; ++i) {
            other[i] = y[i] + (other[i] - y[i]) * small / distance;
        }
    }
    return sum;
}

// --- rest -------------------------------------------------------------------------------------

// Newton's method: forces are linear in height and tilt as long as no spring opens or closes.
bool cli_cube_rest(double *y, const cli_cube *cube, double t)
{
    static const int unknown[3] = {U + 2, TURN, TURN + 1}, given[3] = {V + 2, W, W + 1};
    const double depth = cube->mass * cube->gravity / (cube->k * cube->nx * cube->ny);
    const double settled = 1e-10 * depth, delta = 1e-6 * depth;
    memset(y, 0, N * sizeof *y);
    y[U + 2] = -cube->gap - depth;
    for (int pass = 0; pass < 100; ++pass) {
        double A[N][N] = {{0.0}}, x[N] = {0.0}, f[N], moved[N];
        int pivot[N];
        if (!rates(f, cube, t, y)) {
            return false;
        }
        for (int j = 0; j < N; ++j) {
            A[j][j] = 1.0;
        }
        for (int j = 0; j < 3; ++j) {
            const double before = y[unknown[j]];
            y[unknown[j]] = before + delta;
            const bool fine = rates(moved, cube, t, y);
            y[unknown[j]] = before;
            if (!fine) {
                return false;
            }
            for (int i = 0; i < 3; ++i) {
                A[i][j] = (moved[given[i]] - f[given[i]]) / delta;
            }
            x[j] = -f[given[j]];
        }
        factor(A, pivot);
        solve(x, A, pivot);
        double largest = 0.0;
        for (int j = 0; j < 3; ++j) {
            y[unknown[j]] += x[j];
            largest = fmax(largest, fabs(x[j]));
        }
        if (largest < settled) {
            return true;
        }
    }
    return false;
}
