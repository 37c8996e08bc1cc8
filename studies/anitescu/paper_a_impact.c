// [AnitescuPotraStewart1998], section 4: energy under three rules of impact.
//
// One body meets the world at several points at once. Compression (27) is a step without forces,
// with the impulses c_n, β of polyhedral cones; v⁻ → v^c. Then
//
//     Poisson:   (28), in which e c_n n acts as an impulse from outside;
//     default:   v⁺ = v^c + e (v^c − v⁻) = (1 + e) v^c − e v⁻, the paper's expedient;            (I
//     1) Newton:    (27) once, with n · v⁺ ≥ −e n · v⁻ at each point in the place of n · v⁺ ≥ 0.
//
// (I 1) cannot gain: with the impulse p of compression ΔT = (1 + e)(v⁻ · p + (1 + e) p · W p/2),
// and v^c · p ≤ 0 since friction dissipates, hence v⁻ · p ≤ −p · W p and ΔT ≤ −(1 − e²) p · W p/2.
// Its price is that what sticks is thrown back along the surface, too, with the same e.
//
// Departures. "Solve only (28)" of the paper means (27); v^d in (28) is v⁺, and I_r = e n c_n.
#include "common/program.h"
#include "common/signals.h"
#include "common/text.h"
#include "paper.h"

#include <dashpot/advanced/lcp.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 4, SIDES = 4, ROWS = 3 * POINTS, MOST = POINTS * (SIDES + 2), RULES = 3 };
typedef enum rule { DEFAULT, POISSON, NEWTON } rule;
static const char *const rule_names[RULES] = {"default (I 1)", "Poisson (27), (28)",
                                              "Newton, per contact"};

// --- draws ------------------------------------------------------------------------------------

typedef struct draws {
    uint64_t state;
} draws;

// Marsaglia's xorshift, in [0, 1).
static double draw(draws *d)
{
    d->state ^= d->state << 13;
    d->state ^= d->state >> 7;
    d->state ^= d->state << 17;
    return (double)(d->state >> 11) * 0x1p-53;
}

static double between(draws *d, double lo, double hi)
{
    return lo + (hi - lo) * draw(d);
}

// --- a meeting --------------------------------------------------------------------------------

typedef struct meeting {
    int points;
    double mass[6]; // of v: three of the mass, three moments of inertia
    double mu, e;
    double G[ROWS][6];    // normal and two tangents of each point
    double W[ROWS][ROWS]; // G M⁻¹ Gᵀ
    double v[6];          // before
} meeting;

static void cross(double out[3], const double a[3], const double b[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static void add_point(meeting *m, int point, const double at[3], const double n[3])
{
    const double size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    double axes[3][3] = {{n[0] / size, n[1] / size, n[2] / size}};
    const double x[3] = {1.0, 0.0, 0.0};
    cross(axes[2], axes[0], x); // normals are never along x
    const double across = sqrt(axes[2][1] * axes[2][1] + axes[2][2] * axes[2][2]);
    for (int k = 0; k < 3; ++k) {
        axes[2][k] /= across;
    }
    cross(axes[1], axes[2], axes[0]);
    for (int a = 0; a < 3; ++a) {
        double *row = m->G[3 * point + a];
        cross(row + 3, at, axes[a]);
        for (int k = 0; k < 3; ++k) {
            row[k] = axes[a][k];
        }
    }
}

static void couple(meeting *m)
{
    for (int i = 0; i < 3 * m->points; ++i) {
        for (int j = 0; j < 3 * m->points; ++j) {
            m->W[i][j] = 0.0;
            for (int k = 0; k < 6; ++k) {
                m->W[i][j] += m->G[i][k] * m->G[j][k] / m->mass[k];
            }
        }
    }
}

static void rates(double *u, const meeting *m, const double *v)
{
    for (int i = 0; i < 3 * m->points; ++i) {
        u[i] = 0.0;
        for (int k = 0; k < 6; ++k) {
            u[i] += m->G[i][k] * v[k];
        }
    }
}

static meeting draw_meeting(draws *d, int points)
{
    meeting m = {.points = points};
    const double mass = between(d, 0.5, 2.0);
    for (int k = 0; k < 3; ++k) {
        m.mass[k] = mass;
        m.mass[3 + k] = mass * between(d, 0.05, 0.5);
    }
    m.mu = between(d, 0.0, 1.5);
    m.e = draw(d);
    for (int i = 0; i < points; ++i) {
        double at[3], n[3] = {0.0, 0.0, 1.0};
        for (int k = 0; k < 3; ++k) {
            at[k] = between(d, -1.0, 1.0);
        }
        n[0] = between(d, -1.0, 1.0);
        n[1] = between(d, -1.0, 1.0);
        add_point(&m, i, at, n);
    }
    couple(&m);
    for (int k = 0; k < 6; ++k) {
        m.v[k] = between(d, -1.0, 1.0);
    }
    double u[ROWS], first = 0.0;
    rates(u, &m, m.v);
    for (int i = 0; i < points; ++i) {
        first = fmin(first, u[3 * i]);
    }
    for (int k = 0; k < 6 && first >= 0.0; ++k) { // all would part: the other way round
        m.v[k] = -m.v[k];
    }
    return m;
}

static double energy(const meeting *m, const double *v)
{
    double sum = 0.0;
    for (int k = 0; k < 6; ++k) {
        sum += 0.5 * m->mass[k] * v[k] * v[k];
    }
    return sum;
}

static void push(double *v, const meeting *m, const double *p)
{
    for (int k = 0; k < 6; ++k) {
        for (int i = 0; i < 3 * m->points; ++i) {
            v[k] += m->G[i][k] * p[i] / m->mass[k];
        }
    }
}

// (27) from the velocities v, normal rates not below `least`: impulses at each point. Variables:
// c_n, β along the two tangents and against them, λ.
static bool solve(double *p, const meeting *m, const double *v, const double *least)
{
    enum { EACH = SIDES + 2 };
    static const int row[SIDES] = {1, 2, 1, 2};
    static const double sign[SIDES] = {1.0, 1.0, -1.0, -1.0};
    const int n = EACH * m->points;
    double M[MOST * MOST] = {0.0}, q[MOST] = {0.0}, z[MOST], u[ROWS], part[MOST] = {0.0};
    int of[MOST] = {0}; // the row of each variable, with its sign in `part`
    rates(u, m, v);
    for (int a = 0; a < m->points; ++a) {
        const int first = EACH * a, slip = first + SIDES + 1;
        of[first] = 3 * a;
        part[first] = 1.0;
        q[first] = u[3 * a] - least[a];
        for (int k = 0; k < SIDES; ++k) {
            const int b = first + 1 + k;
            of[b] = 3 * a + row[k];
            part[b] = sign[k];
            q[b] = sign[k] * u[of[b]];
            M[b * n + slip] = 1.0;
            M[slip * n + b] = -1.0;
        }
        M[slip * n + first] = m->mu;
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            if (part[i] != 0.0 && part[j] != 0.0) {
                M[i * n + j] = part[i] * part[j] * m->W[of[i]][of[j]];
            }
        }
    }
    const dp_lcp problem = {.n = n, .M = M, .q = q};
    dp_lcp_info info;
    if (dp_lcp_solve(&(dp_lcp_solution){.z = z}, &problem, NULL, NULL, &info) != DP_OK ||
        info.outcome != DP_LCP_OUTCOME_SOLVED) {
        return false;
    }
    for (int i = 0; i < 3 * m->points; ++i) {
        p[i] = 0.0;
    }
    for (int i = 0; i < n; ++i) {
        p[of[i]] += part[i] * z[i];
    }
    return true;
}

// The velocities after it.
static bool meet(double *after, const meeting *m, rule r)
{
    double p[ROWS] = {0.0}, u[ROWS], least[POINTS] = {0.0}, v[6];
    for (int k = 0; k < 6; ++k) {
        v[k] = m->v[k];
        after[k] = m->v[k];
    }
    if (r == NEWTON) {
        rates(u, m, m->v);
        for (int a = 0; a < m->points; ++a) {
            least[a] = u[3 * a] < 0.0 ? -m->e * u[3 * a] : 0.0;
        }
        const bool fine = solve(p, m, m->v, least);
        push(after, m, p);
        return fine;
    }
    if (!solve(p, m, m->v, least)) {
        return false;
    }
    push(v, m, p); // v^c
    if (r == DEFAULT) {
        for (int k = 0; k < 6; ++k) {
            after[k] = v[k] + m->e * (v[k] - m->v[k]);
        }
        return true;
    }
    for (int i = 0; i < 3 * m->points; ++i) {
        p[i] *= i % 3 == 0 ? m->e : 0.0; // I_r
    }
    push(v, m, p);
    const bool fine = solve(p, m, v, least);
    push(v, m, p);
    for (int k = 0; k < 6; ++k) {
        after[k] = v[k];
    }
    return fine;
}

// --- many -------------------------------------------------------------------------------------

static int ascending(const void *a, const void *b)
{
    double x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

// The share of the meetings that keep more energy than that; of the last of them, all.
static void add_distribution(cli_paper *p, cli_curve *curve, double *ratio, int count)
{
    qsort(ratio, (size_t)count, sizeof *ratio, ascending);
    const int sampled = count / 200, all = count - 200;
    for (int i = 0; i < count; i += i < all ? sampled : 1) {
        cli_curve_add(p, curve, ratio[i], (double)(count - i) / count);
    }
}

static bool tell_many(cli_paper *p, int least, int most, cli_curve *curve[RULES])
{
    const int count = p->quick ? 1000 : 10000;
    double *ratio = malloc((size_t)count * sizeof *ratio);
    char of[96];
    for (int r = 0; r < RULES && ratio; ++r) {
        draws d = {.state = 20060825u + (uint64_t)most}; // the same meetings for every rule
        double worst = 0.0;
        int gains = 0, unsolved = 0;
        for (int i = 0; i < count; ++i) {
            const meeting m = draw_meeting(&d, least + (int)(draw(&d) * (most - least + 1)));
            double after[6];
            unsolved += !meet(after, &m, (rule)r);
            ratio[i] = energy(&m, after) / energy(&m, m.v);
            worst = fmax(worst, ratio[i]);
            gains += ratio[i] > 1.0 + 1e-12; // round-off
        }
        add_distribution(p, curve[r], ratio, count);
        snprintf(of, sizeof of, "%s, %s", most == 1 ? "one contact" : "two to four", rule_names[r]);
        cli_paper_tell(p, of, "largest energy after over before", "1", r == DEFAULT ? 1.0 : NAN,
                       worst, "%s",
                       r == DEFAULT   ? "the paper: it satisfies the energy balance"
                       : r == POISSON ? "the paper: not necessarily the right balance when several "
                                        "contacts are involved. With friction one suffices"
                                      : "");
        cli_paper_tell(p, of, "share that gains", "1", r == DEFAULT ? 0.0 : NAN,
                       (double)gains / count,
                       "of %d draws of body, points, normals, friction, "
                       "restitution and velocity",
                       count);
        cli_paper_tell(p, of, "not solved", "1", NAN, unsolved, "%s", "");
    }
    const bool fine = ratio != NULL;
    p->out_of_memory = p->out_of_memory || !fine;
    free(ratio);
    return fine;
}

// --- one ball ---------------------------------------------------------------------------------

typedef struct ball {
    cli_paper *p;
    cli_scene scene;
    dp_data *data;
    meeting m;
} ball;

static bool read_ball(ball *o, cli_paper *p)
{
    *o = (ball){.p = p};
    if (!cli_paper_open(&o->scene, p, NAN)) {
        return false;
    }
    const dp_model *m = o->scene.model;
    const dp_model_size *size = dp_model_sizes(m);
    dp_geom_id id;
    const bool found = size->nv == 6 && size->nkey > 0 &&
                       dp_model_options(m)->solver.law == DP_LAW_LCP &&
                       dp_model_find_geom(&id, m, "ball") == DP_OK;
    if (!found) {
        return cli_paper_refuse(p,
                                "a free ball 'ball' on a floor with a restitution, a keyframe with "
                                "its velocity, and law lcp");
    }
    const dp_geom_info geom = dp_model_geom(m, id);
    const dp_body_info info = dp_model_body(m, geom.body);
    const double mass = info.inertial.mass;
    const dp_v3 I = info.inertial.moments;
    o->m = (meeting){.points = 1,
                     .mass = {mass, mass, mass, I.x, I.y, I.z},
                     .mu = geom.friction[0],
                     .e = geom.contact.material.restitution};
    add_point(&o->m, 0, (const double[3]){0.0, 0.0, -geom.size[0]},
              (const double[3]){0.0, 0.0, 1.0});
    couple(&o->m);
    return cli_paper_works(p, cli_data_create(&o->data, m));
}

static void end(ball *o)
{
    dp_data_destroy(o->data);
    cli_scene_destroy(&o->scene);
}

// What a step of law lcp makes of it: the largest difference from `after`.
static bool compare(double *off, ball *o, rule r, const double *after)
{
    static const dp_impact_rule rules[RULES] = {DP_IMPACT_RULE_EXPEDIENT, DP_IMPACT_RULE_POISSON,
                                                DP_IMPACT_RULE_NEWTON};
    if (!cli_paper_works(o->p, dp_data_reset_to_key(o->data, (dp_key_id){0}))) {
        return false;
    }
    dp_data_options(o->data)->solver.impact.rule = rules[r];
    double *v = dp_data_v(o->data);
    memcpy(v, o->m.v, sizeof o->m.v);
    if (!cli_paper_works(o->p, dp_step(o->data))) {
        return false;
    }
    for (int k = 0; k < 6; ++k) {
        *off = fmax(*off, fabs(v[k] - after[k]));
    }
    return true;
}

static bool tell_ball(ball *o, cli_curve *back[RULES])
{
    cli_paper *p = o->p;
    meeting *m = &o->m;
    for (int r = 0; r < RULES; ++r) {
        char of[96];
        double after[6], u[ROWS] = {0.0}, off = 0.0;
        m->v[0] = 1.0;
        m->v[2] = -1.0;
        if (!meet(after, m, (rule)r)) {
            cli_complain("%s: the ball is not solved", p->item->id);
            return false;
        }
        rates(u, m, after);
        snprintf(of, sizeof of, "a ball, e = %s, %s", cli_short(3, m->e).text, rule_names[r]);
        cli_paper_tell(p, of, "speed upwards over that before", "1", m->e, u[0], "%s", "");
        cli_paper_tell(p, of, "speed of its lowest point over that before", "1", NAN, u[1], "%s",
                       r == DEFAULT ? "the price of (I 1): what sticks is thrown back along the "
                                      "surface, too"
                                    : "");
        for (int k = 1; k <= 40; ++k) { // oblique: the slower it falls the less friction there is
            m->v[2] = -k / 20.0;
            if (!meet(after, m, (rule)r) || !compare(&off, o, (rule)r, after)) {
                return false;
            }
            rates(u, m, after);
            cli_curve_add(p, back[r], -m->v[2], u[1]);
        }
        cli_paper_tell(p, of, "steps of law lcp: largest difference", "m/s", NAN, off,
                       "of a velocity, at 40 angles, from slipping to sticking");
    }
    return true;
}

bool cli_paper_impact(cli_paper *p)
{
    cli_curve *one[RULES], *several[RULES], *back[RULES];
    for (int r = 0; r < RULES; ++r) {
        one[r] = cli_paper_curve(p);
        several[r] = cli_paper_curve(p);
        back[r] = cli_paper_curve(p);
    }
    ball o;
    const bool fine = read_ball(&o, p) && tell_ball(&o, back);
    end(&o);
    if (!fine || !tell_many(p, 1, 1, one) || !tell_many(p, 2, POINTS, several)) {
        return false;
    }
    dp_plot_series series[3][RULES];
    for (int r = 0; r < RULES; ++r) {
        const int colour = r + 1;
        series[0][r] = cli_curve_series(one[r], rule_names[r], DP_PLOT_STYLE_LINE, colour);
        series[1][r] = cli_curve_series(several[r], rule_names[r], DP_PLOT_STYLE_LINE, colour);
        series[2][r] = cli_curve_series(back[r], rule_names[r], DP_PLOT_STYLE_LINE, colour);
    }
    const dp_plot_axis left = {
        .name = "energy after over before", .unit = "1", .lo = 0.0, .hi = 5.0};
    const dp_plot_axis share = {
        .name = "share that keeps more", .unit = "1", .log = true, .lo = 1e-4, .hi = 1.0};
    const dp_plot_panel panel[] = {
        {"one contact", left, share, series[0], RULES},
        {"two to four contacts", left, share, series[1], RULES},
        {"a ball at 1 m/s along the floor, e = 0.5",
         {.name = "speed downwards before", .unit = "m/s"},
         {.name = "speed of the lowest point after", .unit = "m/s"},
         series[2],
         RULES},
    };
    const dp_plot plot = {"Rules of impact: energy", panel, 3, 2};
    return cli_paper_draw(p, &plot);
}
