// [AnitescuPotraStewart1998], section 1: Painlevé's rod, for which Coulomb's law and rigidity allow
// no forces, and which steps in impulses solve.
//
// A rod slides on its lower end. With the force N of the floor and friction μ N against the slip v
// the end has the normal acceleration
//
//     a = (w_nn − μ |w_nt|) N + b,   w_nn = 1/m + x²/I,   w_nt = −x z/I,   b = ω² |z| − g       (P
//     1)
//
// where (x, z) is the end as seen from the centre and the rod leans so that friction digs it in.
// For μ > μ_P = w_nn/|w_nt| the factor is negative: no N ≥ 0 has a ≥ 0 ⊥ N where b < 0, two have
// where b > 0. Steps have W p = u₁ − u₀ instead, and as h → 0 the end is stopped at once, by
//
//     p_n = |w_nt| v/(w_nn w_tt − w_nt²),   p_t = p_n μ_P:                                       (P
//     2)
//
// an impact without a collision. For a slender rod μ_P = (1 + 3 cos² θ)/(3 sin θ cos θ).
#include "common/signals.h"
#include "common/text.h"
#include "paper.h"

#include <dashpot/advanced/lcp.h>
#include <dashpot/contact.h>

#include <stdio.h>

typedef struct rod {
    cli_paper *p;
    cli_scene scene;
    dp_data *data;
    double mass, inertia, half, radius, g, speed, lean; // lean: angle from the floor as described
    double mu;
} rod;

// What (P 1) and (P 2) are made of.
typedef struct ends {
    double x, z;
    double nn, nt, tt;
} ends;

static ends ends_at(const rod *o, double lean)
{
    ends e = {.x = -o->half * cos(lean), .z = -o->half * sin(lean) - o->radius};
    e.nn = 1.0 / o->mass + e.x * e.x / o->inertia;
    e.nt = -e.x * e.z / o->inertia;
    e.tt = 1.0 / o->mass + e.z * e.z / o->inertia;
    return e;
}

static double critical(const ends *e)
{
    return e->nn / fabs(e->nt);
}

static double limit_impulse(const rod *o, const ends *e)
{
    return fabs(e->nt) * o->speed / (e->nn * e->tt - e->nt * e->nt);
}

// --- the scene --------------------------------------------------------------------------------

static bool refuse(rod *o)
{
    return cli_paper_refuse(o->p,
                            "a body 'rod' on slides along x and z and a hinge about -y, with a "
                            "ball 'end' that touches a plane 'floor', a keyframe with its "
                            "speed along -x, and law lcp");
}

static bool read_rod(rod *o, cli_paper *p, double mu)
{
    *o = (rod){.p = p, .mu = mu};
    if (!cli_paper_open(&o->scene, p, mu)) {
        return false;
    }
    const dp_model *m = o->scene.model;
    dp_body_id body;
    dp_geom_id end;
    if (dp_model_sizes(m)->nv != 3 || dp_model_sizes(m)->nkey < 1 ||
        dp_model_options(m)->solver.law != DP_LAW_LCP ||
        dp_model_find_body(&body, m, "rod") != DP_OK ||
        dp_model_find_geom(&end, m, "end") != DP_OK) {
        return refuse(o);
    }
    const dp_body_info info = dp_model_body(m, body);
    const dp_geom_info geom = dp_model_geom(m, end);
    if (!cli_paper_works(p, cli_data_create(&o->data, m)) ||
        !cli_paper_works(p, dp_data_reset_to_key(o->data, (dp_key_id){0}))) {
        return false;
    }
    o->mass = info.inertial.mass;
    o->inertia = info.inertial.moments.y;
    o->half = -geom.pose.p.x;
    o->radius = geom.size[0];
    o->g = -dp_model_options(m)->gravity.z;
    o->speed = -dp_data_v(o->data)[0];
    o->lean = -2.0 * atan2(info.pose.q.y, info.pose.q.w);
    const ends e = ends_at(o, o->lean);
    return geom.kind == DP_GEOM_SPHERE && o->half > 0.0 && o->speed > 0.0 && e.nt < 0.0 ? true
                                                                                        : refuse(o);
}

static void end(rod *o)
{
    dp_data_destroy(o->data);
    cli_scene_destroy(&o->scene);
}

// What one step makes of it.
typedef struct first {
    double impulse; // [N s] normal
    double slip;    // [m/s] of the end
    double energy;  // [J] lost, gravity apart
    bool solved;
    int named; // contacts that the certificate calls by Painlevé's name
} first;

static double slip_of(const rod *o, const ends *e)
{
    const double *v = dp_data_v(o->data);
    return v[0] - v[2] * e->z;
}

// The rod leans by `lean`, its end touches the floor and slides, the rod turns at `spin`.
static bool put(rod *o, double lean, double spin, double h)
{
    dp_data_reset(o->data);
    dp_data_options(o->data)->step = h;
    const ends e = ends_at(o, lean), home = ends_at(o, o->lean);
    double *q = dp_data_q(o->data), *v = dp_data_v(o->data);
    q[1] = home.z - e.z; // the centre rises as the end goes down
    q[2] = lean - o->lean;
    v[0] = -o->speed + spin * e.z;
    v[1] = -spin * e.x;
    v[2] = spin;
    return cli_paper_works(o->p, dp_kinematics(o->data));
}

static bool step(first *out, rod *o, double lean, double spin, double h)
{
    if (!put(o, lean, spin, h)) {
        return false;
    }
    const double before = dp_data_energy(o->data).kinetic;
    if (!cli_paper_works(o->p, dp_step(o->data)) ||
        !cli_paper_works(o->p, dp_kinematics(o->data))) {
        return false;
    }
    const ends e = ends_at(o, lean);
    *out = (first){.slip = slip_of(o, &e),
                   .energy = before - dp_data_energy(o->data).kinetic,
                   .solved = dp_data_report(o->data)->unsolved == 0,
                   .named = dp_data_report(o->data)->certificate.painleve};
    for (int i = 0; i < dp_data_contact_count(o->data); ++i) {
        out->impulse += h * dp_data_contact(o->data, i).normal_force;
    }
    return true;
}

// --- forces and accelerations -----------------------------------------------------------------

static bool tell_forces(rod *o, double spin)
{
    const ends e = ends_at(o, o->lean);
    const double a = e.nn - o->mu * fabs(e.nt);
    const double b = spin * spin * fabs(e.z) - o->g;
    const dp_lcp problem = {.n = 1, .M = &a, .q = &b};
    double z = 0.0;
    dp_lcp_info info;
    if (!cli_paper_works(o->p,
                         dp_lcp_solve(&(dp_lcp_solution){.z = &z}, &problem, NULL, NULL, &info))) {
        return false;
    }
    const int solutions = (b >= 0.0) + (a != 0.0 && -b / a > 0.0);
    char of[96];
    snprintf(of, sizeof of, "μ = %s%s", cli_short(3, o->mu).text, spin > 0.0 ? ", turning" : "");
    cli_paper_tell(o->p, of, "acceleration over force, (P 1)", "1/kg", NAN, a,
                   "w_nn − μ |w_nt|: below 0 a larger force presses the end further down");
    cli_paper_tell(o->p, of, "acceleration without force", "m/s²", NAN, b, "%s", "");
    cli_paper_tell(o->p, of, "forces that (P 1) allows", "1", a < 0.0 && b < 0.0 ? 0.0 : NAN,
                   solutions, "%s",
                   a < 0.0 && b < 0.0   ? "Painlevé: problems that do not appear to have solutions"
                   : a < 0.0 && b > 0.0 ? "the end may stay on the floor, or leave it"
                                        : "");
    cli_paper_tell(o->p, of, "solved as forces and accelerations (1: yes)", "1", NAN,
                   info.outcome == DP_LCP_OUTCOME_SOLVED, "dp_lcp_solve: %s%s",
                   dp_lcp_outcome_name(info.outcome), info.infeasible ? ", proven infeasible" : "");
    return true;
}

// --- steps ------------------------------------------------------------------------------------

enum { STEPS = 5 };
static const double steps[STEPS] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6};

static bool tell_steps(rod *o, cli_curve *impulse, cli_curve *expected)
{
    const ends e = ends_at(o, o->lean);
    const bool paradox = o->mu > critical(&e);
    const double limit = limit_impulse(o, &e);
    first f = {0};
    for (int i = 0; i < STEPS; ++i) {
        if (!step(&f, o, o->lean, 0.0, steps[i])) {
            return false;
        }
        const double regular = steps[i] * o->g / (e.nn - o->mu * fabs(e.nt));
        cli_curve_add(o->p, impulse, steps[i], f.impulse);
        cli_curve_add(o->p, expected, steps[i], paradox ? limit : regular);
    }
    const double h = steps[STEPS - 1];
    char of[96];
    snprintf(of, sizeof of, "μ = %s, h = %s s", cli_short(3, o->mu).text, cli_short(2, h).text);
    cli_paper_tell(o->p, of, "impulse of the first step", "N s", NAN, f.impulse, "%s",
                   paradox ? "it does not vanish with h: an impact without a collision"
                           : "that of a force");
    cli_paper_tell(o->p, of, "the same, predicted", "N s", NAN,
                   paradox ? limit : h * o->g / (e.nn - o->mu * fabs(e.nt)), "%s",
                   paradox ? "(P 2), as h → 0" : "h g/(w_nn − μ |w_nt|)");
    cli_paper_tell(o->p, of, "slip of the end after it", "m/s", NAN, f.slip, "before: %s m/s",
                   cli_short(3, -o->speed).text);
    if (paradox) {
        cli_paper_tell(o->p, of, "energy lost", "J", NAN, f.energy, "predicted: v p_t/2 = %s J",
                       cli_short(6, 0.5 * o->speed * limit * critical(&e)).text);
    }
    cli_paper_tell(o->p, of, "solved (1: yes)", "1", 1.0, f.solved,
                   "the paper: impulses may act at any time during contact, and a solution exists");
    cli_paper_tell(o->p, of, "contacts that the certificate names", "1", NAN, f.named,
                   "`painleve` of the certificate of the step");
    return true;
}

static bool tell_turning(rod *o, double spin)
{
    first f;
    if (!step(&f, o, o->lean, spin, 1e-6)) {
        return false;
    }
    char of[96];
    snprintf(of, sizeof of, "μ = %s, turning, h = 1e-6 s", cli_short(3, o->mu).text);
    cli_paper_tell(o->p, of, "impulse of the first step", "N s", NAN, f.impulse,
                   "of the solutions there are it is the one that Lemke's path ends in");
    cli_paper_tell(o->p, of, "solved (1: yes)", "1", 1.0, f.solved, "%s", "");
    return true;
}

// Slip against time.
static bool follow(rod *o, cli_curve *slip)
{
    const double h = 1e-3;
    const ends e = ends_at(o, o->lean);
    if (!put(o, o->lean, 0.0, h)) {
        return false;
    }
    cli_curve_add(o->p, slip, 0.0, slip_of(o, &e));
    for (int i = 1; i <= 100; ++i) {
        if (!cli_paper_works(o->p, dp_step(o->data))) {
            return false;
        }
        const ends now = ends_at(o, o->lean + dp_data_q(o->data)[2]);
        cli_curve_add(o->p, slip, i * h, slip_of(o, &now));
    }
    return true;
}

// --- the least friction for it ----------------------------------------------------------------

// By bisection: does the end stop within one short step?
static bool find_critical(double *out, cli_paper *p, double lean)
{
    double slides = 0.5, stops = 20.0;
    for (int i = 0; i < (p->quick ? 14 : 24); ++i) {
        const double mu = sqrt(slides * stops);
        rod o;
        first f = {0};
        const bool fine = read_rod(&o, p, mu) && step(&f, &o, lean, 0.0, 1e-9);
        end(&o);
        if (!fine) {
            return false;
        }
        *(fabs(f.slip) < 1e-3 ? &stops : &slides) = mu;
    }
    *out = sqrt(slides * stops);
    return true;
}

static bool tell_critical(cli_paper *p, cli_curve *found, cli_curve *known)
{
    const double degree = 0.017453292519943295;
    rod o;
    bool fine = read_rod(&o, p, 2.0);
    const double home = o.lean;
    for (int i = 5; i <= 85 && fine; ++i) {
        const ends e = ends_at(&o, i * degree);
        cli_curve_add(p, known, i, critical(&e));
    }
    const ends e = fine ? ends_at(&o, home) : (ends){0};
    const double expected = fine ? critical(&e) : NAN;
    end(&o);
    double worst = 0.0;
    for (int i = 30; i <= 80 && fine; i += p->quick ? 25 : 10) {
        double mu;
        fine = find_critical(&mu, p, i * degree);
        if (fine) {
            cli_curve_add(p, found, i, mu);
            const double c = cos(i * degree), s = sin(i * degree);
            worst = fmax(worst, fabs(mu * 3.0 * s * c / (1.0 + 3.0 * c * c) - 1.0));
        }
    }
    double mu = NAN;
    fine = fine && find_critical(&mu, p, home);
    if (fine) {
        cli_paper_tell(p, "least friction for it", "by bisection", "1", NAN, mu,
                       "whether the end stops within a step of 1e-9 s; w_nn/|w_nt| = %s",
                       cli_short(7, expected).text);
        cli_paper_tell(p, "least friction for it", "slender rod at this angle", "1", NAN, 4.0 / 3.0,
                       "(1 + 3 cos² θ)/(3 sin θ cos θ), whose least value this is, at tan θ = 2; "
                       "the ball at the end of ours makes 0.1 %% of difference");
        cli_paper_tell(p, "least friction for it", "other angles: largest difference", "1", NAN,
                       worst, "from that of a slender rod, relative");
    }
    return fine;
}

bool cli_paper_painleve(cli_paper *p)
{
    static const double mus[2] = {1.0, 2.0};
    const double spin = 5.0; // [rad/s]
    cli_curve *impulse[2], *expected[2], *slip[2];
    cli_curve *found = cli_paper_curve(p), *known = cli_paper_curve(p);
    bool fine = true;
    for (int i = 0; i < 2; ++i) {
        impulse[i] = cli_paper_curve(p);
        expected[i] = cli_paper_curve(p);
        slip[i] = cli_paper_curve(p);
        rod o = {0};
        fine = fine && read_rod(&o, p, mus[i]) && tell_forces(&o, 0.0) &&
               tell_steps(&o, impulse[i], expected[i]) && follow(&o, slip[i]) &&
               (i == 0 || (tell_forces(&o, spin) && tell_turning(&o, spin)));
        end(&o);
    }
    fine = fine && tell_critical(p, found, known);
    if (!fine) {
        return false;
    }
    const dp_plot_series impulses[] = {
        cli_curve_series(expected[0], "predicted", DP_PLOT_STYLE_REFERENCE, 0),
        cli_curve_series(expected[1], NULL, DP_PLOT_STYLE_REFERENCE, 0),
        cli_curve_series(impulse[0], "μ = 1", DP_PLOT_STYLE_MARKS, 1),
        cli_curve_series(impulse[1], "μ = 2", DP_PLOT_STYLE_MARKS, 2)};
    const dp_plot_series slips[] = {cli_curve_series(slip[0], "μ = 1", DP_PLOT_STYLE_LINE, 1),
                                    cli_curve_series(slip[1], "μ = 2", DP_PLOT_STYLE_LINE, 2)};
    const dp_plot_series criticals[] = {
        cli_curve_series(known, "w_nn/|w_nt|", DP_PLOT_STYLE_REFERENCE, 0),
        cli_curve_series(found, "by bisection", DP_PLOT_STYLE_MARKS, 1)};
    const dp_plot_panel panel[] = {
        {"impulse of the first step",
         {.name = "step h", .unit = "s", .log = true},
         {.name = "normal impulse", .unit = "N s", .log = true},
         impulses,
         4},
        {"slip of the end",
         {.name = "time", .unit = "s"},
         {.name = "speed", .unit = "m/s"},
         slips,
         2},
        {"least friction for the paradox",
         {.name = "angle from the floor", .unit = "deg"},
         {.name = "μ", .unit = "1", .lo = 0.0, .hi = 5.0},
         criticals,
         2},
    };
    const dp_plot plot = {"Painlevé's rod, solved by an impulse", panel, 3, 2};
    return cli_paper_draw(p, &plot);
}
