// [PreclikRuedePopa2011], section 4: impulses of the regularised problem come to weighted minimum
// norms as s → 0. The paper proves the limit; here is how fast, (27), (36), (61), (64) by law vi.
//
// One step of the table, with all twelve rows: held by friction (stick), without friction, and
// sliding. Weights D are 1/k of the legs, in four ways. The limits are computed without the law,
// from G and M̃ of the step problem, by singular values:
//
//     stick:   the least Σ D γ² of all γ with Gᵀ γ = p, p what stops the table;              (PR 1)
//     no friction: N ≥ 0 of least Σ D N² that stop the legs, Theorem 4.1 with (37);         (PR 4)
//     discs:   friction is −μ γ̄ d, d the direction of slip at the end of the step, γ̄ the least
//              norm of normals without friction; normals of minimum norm with that friction;   (PR
//              2)
//     De Saxcé's term: friction is −μ γ_n d; of all normals that keep the table level those with
//              yᵀ D γ_n = 0, y the null vector of G_nᵀ: springs that become rigid.           (PR 3)
//
// Of cones, (64), the limit has no such form; there differences of impulses between s and s/10 are
// told in its place. What is to be expected is c s + c' ε/s with the precision ε.
#include "common/text.h"
#include "methods/pseudo_inverse.h"
#include "preclik/paper_p_table.h"

#include <dashpot/advanced/law.h>
#include <dashpot/advanced/step.h>

#include <stdio.h>
#include <string.h>

enum { ROWS = 3 * CLI_LEGS, NV = 6, WEIGHTS = 4, MODES = 5, POWERS = 13 };

static const char *const weight_names[WEIGHTS] = {
    "equal", "leg 1 ten times softer", "legs 1 and 3 four times softer", "1, 2, 3, 5 times softer"};
static const double weights[WEIGHTS][CLI_LEGS] = {
    {1.0, 1.0, 1.0, 1.0}, {10.0, 1.0, 1.0, 1.0}, {4.0, 1.0, 4.0, 1.0}, {1.0, 2.0, 3.0, 5.0}};

typedef enum mode { STICK, DISCS, DESAXCE, CONES, SMOOTH } mode;
static const char *const mode_names[MODES] = {"stick", "slide, discs", "slide, De Saxcé's term",
                                              "slide, cones", "no friction"};

// --- the step, dense --------------------------------------------------------------------------

typedef struct dense {
    double G[ROWS][NV], Minv[NV][NV];
    double v_free[NV];
    double stop[CLI_LEGS]; // what normal rates must be
    double D[CLI_LEGS], mu[CLI_LEGS];
} dense;

static bool is_table(const dp_step_problem *p)
{
    bool is = p->nv == NV && p->nblock == CLI_LEGS && p->nrow == ROWS;
    for (int b = 0; b < CLI_LEGS && is; ++b) {
        is = p->row_start[b] == 3 * b && p->friction_of && p->friction_of[b] >= 0;
    }
    return is;
}

static void lay_out(dense *o, const dp_step_problem *p)
{
    double M[NV][NV] = {{0}};
    *o = (dense){0};
    for (int i = 0; i < NV; ++i) {
        const double *at = p->Mt + p->Mt_start[i];
        for (int j = i; j >= 0; j = p->parent[j]) {
            M[i][j] = M[j][i] = *at++;
        }
        o->v_free[i] = p->v_free[i];
    }
    for (int i = 0; i < NV; ++i) {
        double unit[NV] = {0};
        unit[i] = 1.0;
        cli_pseudo_inverse(o->Minv[i], NULL, NV, NV, &M[0][0], unit, 1e-14);
    }
    for (int b = 0; b < CLI_LEGS; ++b) {
        const int ncol = p->col_start[b + 1] - p->col_start[b];
        for (int r = 0; r < 3; ++r) {
            for (int c = 0; c < ncol; ++c) {
                o->G[3 * b + r][p->col[p->col_start[b] + c]] =
                    p->G[p->G_start[b] + (size_t)(r * ncol + c)];
            }
        }
        const dp_row *normal = &p->row[3 * b];
        o->stop[b] = -normal->phi / p->h - normal->phi_t;
        o->D[b] = 1.0 / normal->k;
        o->mu[b] = p->friction[p->friction_of[b]].mu[0];
    }
}

static double rate(const dense *o, int row, const double v[NV])
{
    double sum = 0.0;
    for (int i = 0; i < NV; ++i) {
        sum += o->G[row][i] * v[i];
    }
    return sum;
}

// v_free and what impulses add to it.
static void move(double v[NV], const dense *o, const double gamma[ROWS])
{
    double p[NV] = {0};
    for (int r = 0; r < ROWS; ++r) {
        for (int i = 0; i < NV; ++i) {
            p[i] += o->G[r][i] * gamma[r];
        }
    }
    for (int i = 0; i < NV; ++i) {
        v[i] = o->v_free[i];
        for (int k = 0; k < NV; ++k) {
            v[i] += o->Minv[i][k] * p[k];
        }
    }
}

// --- limits -----------------------------------------------------------------------------------

// (PR 1): rates of all rows vanish. W γ = −G v_free in the norm of D.
static void stick_limit(double gamma[ROWS], const dense *o)
{
    double A[ROWS][ROWS], b[ROWS], z[ROWS];
    for (int r = 0; r < ROWS; ++r) {
        b[r] = (r % 3 == 0 ? o->stop[r / 3] : 0.0) - rate(o, r, o->v_free);
        for (int c = 0; c < ROWS; ++c) {
            double w = 0.0;
            for (int i = 0; i < NV; ++i) {
                w += o->G[c][i] * rate(o, r, o->Minv[i]);
            }
            A[r][c] = w / sqrt(o->D[c / 3]);
        }
    }
    cli_pseudo_inverse(z, NULL, ROWS, ROWS, &A[0][0], b, 1e-9);
    for (int r = 0; r < ROWS; ++r) {
        gamma[r] = z[r] / sqrt(o->D[r / 3]);
    }
}

// What a unit impulse on a leg does to the rates of normals, with friction that follows it along d.
static void fill_normals(double B[CLI_LEGS][CLI_LEGS], const dense *o, double d[CLI_LEGS][2])
{
    for (int k = 0; k < CLI_LEGS; ++k) {
        double gamma[ROWS] = {0}, v[NV], still[ROWS] = {0}, v0[NV];
        gamma[3 * k] = 1.0;
        gamma[3 * k + 1] = d ? -o->mu[k] * d[k][0] : 0.0;
        gamma[3 * k + 2] = d ? -o->mu[k] * d[k][1] : 0.0;
        move(v, o, gamma);
        move(v0, o, still);
        for (int i = 0; i < CLI_LEGS; ++i) {
            B[i][k] = rate(o, 3 * i, v) - rate(o, 3 * i, v0);
        }
    }
}

// Normals of minimum norm Σ D N² that stop their rates, beside tangential impulses that are given.
static void least_normals(double gamma[ROWS], const dense *o)
{
    double B[CLI_LEGS][CLI_LEGS], b[CLI_LEGS], z[CLI_LEGS], v[NV];
    fill_normals(B, o, NULL);
    for (int k = 0; k < CLI_LEGS; ++k) {
        gamma[3 * k] = 0.0;
    }
    move(v, o, gamma);
    for (int i = 0; i < CLI_LEGS; ++i) {
        b[i] = o->stop[i] - rate(o, 3 * i, v);
        for (int k = 0; k < CLI_LEGS; ++k) {
            B[i][k] /= sqrt(o->D[k]);
        }
    }
    cli_pseudo_inverse(z, NULL, CLI_LEGS, CLI_LEGS, &B[0][0], b, 1e-9);
    for (int k = 0; k < CLI_LEGS; ++k) {
        gamma[3 * k] = z[k] / sqrt(o->D[k]);
    }
}

// Normals with friction that follows them: N + t z with yᵀ D N = 0.
static void spring_normals(double gamma[ROWS], const dense *o, double d[CLI_LEGS][2])
{
    double B[CLI_LEGS][CLI_LEGS], T[CLI_LEGS][CLI_LEGS], b[CLI_LEGS], N[CLI_LEGS];
    double z[CLI_LEGS * CLI_LEGS], y[CLI_LEGS * CLI_LEGS], none[CLI_LEGS];
    fill_normals(B, o, d);
    for (int i = 0; i < CLI_LEGS; ++i) {
        b[i] = o->stop[i] - rate(o, 3 * i, o->v_free);
        for (int k = 0; k < CLI_LEGS; ++k) {
            T[k][i] = B[i][k];
        }
    }
    cli_pseudo_inverse(N, z, CLI_LEGS, CLI_LEGS, &B[0][0], b, 1e-9);
    cli_pseudo_inverse(none, y, CLI_LEGS, CLI_LEGS, &T[0][0], b, 1e-9);
    double above = 0.0, below = 0.0;
    for (int k = 0; k < CLI_LEGS; ++k) {
        above += y[k] * o->D[k] * N[k];
        below += y[k] * o->D[k] * z[k];
    }
    for (int k = 0; k < CLI_LEGS; ++k) {
        gamma[3 * k] = N[k] - above / below * z[k];
        gamma[3 * k + 1] = -o->mu[k] * gamma[3 * k] * d[k][0];
        gamma[3 * k + 2] = -o->mu[k] * gamma[3 * k] * d[k][1];
    }
}

// (PR 2) and (PR 3). Directions of slip settle: each pass leaves h μ g/|v| of the last change.
static void slide_limit(double gamma[ROWS], const dense *o, mode m)
{
    double v[NV], bound[CLI_LEGS] = {0};
    memcpy(v, o->v_free, sizeof v);
    memset(gamma, 0, ROWS * sizeof *gamma);
    if (m == DISCS) {
        least_normals(gamma, o);
        for (int k = 0; k < CLI_LEGS; ++k) {
            bound[k] = o->mu[k] * gamma[3 * k];
        }
    }
    for (int pass = 0; pass < 60; ++pass) {
        double d[CLI_LEGS][2];
        for (int k = 0; k < CLI_LEGS; ++k) {
            const double u[2] = {rate(o, 3 * k + 1, v), rate(o, 3 * k + 2, v)};
            const double speed = hypot(u[0], u[1]);
            d[k][0] = u[0] / speed;
            d[k][1] = u[1] / speed;
            gamma[3 * k + 1] = -bound[k] * d[k][0];
            gamma[3 * k + 2] = -bound[k] * d[k][1];
        }
        if (m == DISCS) {
            least_normals(gamma, o);
        } else {
            spring_normals(gamma, o, d);
        }
        move(v, o, gamma);
    }
}

// --- law vi -----------------------------------------------------------------------------------

typedef struct rates {
    cli_paper *p;
    cli_scene scene;
    dp_data *data;
    cli_curve *error[MODES][WEIGHTS];
} rates;

// A step problem of the table. It stays with the data.
static const dp_step_problem *pose(rates *o, mode m)
{
    double *v = dp_data_v(o->data), *force = dp_data_force(o->data);
    if (m == STICK || m == SMOOTH) { // a push that all legs together can hold
        memset(v, 0, NV * sizeof *v);
        force[0] = 0.01;
        force[1] = 0.02;
        force[3] = 0.03;
        force[5] = 0.01;
    } else { // no two legs slide alike
        v[1] = 0.3;
        v[5] = 0.2;
    }
    dp_options *options = dp_data_options(o->data);
    options->solver.law = DP_LAW_VI;
    options->solver.vi.desaxce = true;
    const bool fine = cli_paper_works(o->p, dp_step(o->data));
    const dp_step_problem *problem = dp_data_problem(o->data);
    if (fine && !is_table(problem)) {
        cli_paper_refuse(o->p, "a table on four legs, all of which touch the floor");
    }
    return fine && is_table(problem) ? problem : NULL;
}

// @param s of the law; below 0: its limit
static bool solve(double gamma[ROWS], rates *o, const dp_step_problem *p, mode m, double s)
{
    static const dp_friction none = {{0.0, 0.0}, 0.0, {0.0, 0.0}};
    static const int first[CLI_LEGS] = {0};
    dp_step_problem problem = *p;
    if (m == SMOOTH) { // the same twelve rows
        problem.nfriction = 1;
        problem.friction = &none;
        problem.friction_of = first;
    }
    double v[NV];
    uint8_t state[ROWS];
    dp_law_options opt = dp_law_options_default();
    dp_solve_info info;
    opt.law = DP_LAW_VI;
    opt.rigid.compliance = s;
    opt.vi.friction = m == DISCS ? DP_VI_FRICTION_DISC : DP_VI_FRICTION_CONE;
    opt.vi.desaxce = m == DESAXCE;
    opt.tolerance = s < 0.0 ? opt.tolerance : 1e-17; // to round-off: s w γ is some 1e-3 of s
    const dp_step_solution out = {v, gamma, state};
    dp_step_solution copy = out;
    return cli_paper_works(o->p, dp_law_solve(&copy, &problem, NULL, &opt, NULL, &info));
}

static double distance(const double a[ROWS], const double b[ROWS])
{
    double largest = 0.0, size = 0.0;
    for (int r = 0; r < ROWS; ++r) {
        largest = fmax(largest, fabs(a[r] - b[r]));
        size = fmax(size, fabs(b[r]));
    }
    return largest / size;
}

// Where N ≥ 0 holds nothing back the minimum norm is that of all N.
static bool all_push(const double gamma[ROWS])
{
    bool all = true;
    for (int k = 0; k < CLI_LEGS; ++k) {
        all = all && gamma[3 * k] > 0.0;
    }
    return all;
}

static bool tell_rate(rates *o, mode m, int w)
{
    cli_scene_destroy(&o->scene);
    dp_data_destroy(o->data);
    o->data = NULL;
    o->scene = (cli_scene){0};
    if (!cli_table_open(&o->scene, &o->data, o->p, NAN, weights[w])) {
        return false;
    }
    const dp_step_problem *p = pose(o, m);
    if (!p) {
        return false;
    }
    dense d;
    double limit[ROWS] = {0}, gamma[POWERS][ROWS], error[POWERS];
    lay_out(&d, p);
    if (m == STICK) {
        stick_limit(limit, &d);
    } else if (m == SMOOTH) {
        least_normals(limit, &d);
        if (!all_push(limit)) {
            return cli_paper_refuse(o->p, "legs that all carry a part of the table");
        }
    } else if (m != CONES) {
        slide_limit(limit, &d, m);
    }
    int best = 0;
    for (int k = 0; k < POWERS; ++k) {
        if (!solve(gamma[k], o, p, m, pow(10.0, -1 - k))) {
            return false;
        }
    }
    for (int k = 0; k < POWERS - (m == CONES ? 1 : 0); ++k) {
        error[k] = distance(gamma[k], m == CONES ? gamma[k + 1] : limit);
        best = error[k] < error[best] ? k : best;
        cli_curve_add(o->p, o->error[m][w], pow(10.0, -1 - k), error[k]);
    }
    // γ_s = γ + c s + O(s²): with s = 1e-5 and 1e-6 the first order can be taken out.
    double better[ROWS];
    for (int r = 0; r < ROWS; ++r) {
        better[r] = (10.0 * gamma[5][r] - gamma[4][r]) / 9.0;
    }
    char of[96];
    snprintf(of, sizeof of, "%s, %s", mode_names[m], weight_names[w]);
    cli_paper_tell(o->p, of, "exponent in s", "1", NAN, log10(error[2] / error[4]) / 2.0,
                   m == CONES ? "of the change of impulses from s to s/10; s = 1e-3 … 1e-5"
                              : "of the distance of impulses from their limit; s = 1e-3 … 1e-5");
    cli_paper_tell(o->p, of, "least of it, over the largest impulse", "1", NAN, error[best], "%s",
                   "");
    cli_paper_tell(o->p, of, "s of that", "1", NAN, pow(10.0, -1 - best), "%s", "");
    cli_paper_tell(o->p, of, "with s = 1e-13", "1", NAN, error[POWERS - 2],
                   "round-off: ε/s or less");
    if (m != CONES) {
        cli_paper_tell(o->p, of, "extrapolated from s = 1e-5 and 1e-6", "1", NAN,
                       distance(better, limit), "(10 γ(1e-6) − γ(1e-5))/9");
    }
    if (m == STICK || m == SMOOTH) {
        if (!solve(better, o, p, m, -1.0)) {
            return false;
        }
        cli_paper_tell(o->p, of, "law vi itself, s → 0", "1", NAN, distance(better, limit),
                       "rigid.compliance=automatic");
    }
    return true;
}

static bool draw(rates *o)
{
    dp_plot_series series[MODES][WEIGHTS];
    dp_plot_panel panel[MODES];
    for (int m = 0; m < MODES; ++m) {
        for (int w = 0; w < WEIGHTS; ++w) {
            series[m][w] = cli_curve_series(o->error[m][w], m == 0 ? weight_names[w] : NULL,
                                            DP_PLOT_STYLE_MARKED, w + 1);
        }
        panel[m] = (dp_plot_panel){
            mode_names[m],
            {.name = "compliance s", .unit = "1", .log = true},
            {.name = m == CONES ? "change to s/10" : "from the limit", .unit = "1", .log = true},
            series[m],
            WEIGHTS};
    }
    const dp_plot plot = {"Regularised impulses come to weighted least norms", panel, MODES, 2};
    return cli_paper_draw(o->p, &plot);
}

bool cli_paper_rates(cli_paper *p)
{
    rates o = {.p = p};
    bool fine = true;
    for (int m = 0; m < MODES; ++m) {
        for (int w = 0; w < WEIGHTS; ++w) {
            o.error[m][w] = cli_paper_curve(p);
            fine = fine && tell_rate(&o, (mode)m, w);
        }
    }
    fine = fine && draw(&o);
    dp_data_destroy(o.data);
    cli_scene_destroy(&o.scene);
    return fine;
}
