// [AnitescuPotraStewart1998], section 3.1, (24)–(26): a particle in a wedge of 90° with friction 1.
// The cones K₁ and K₂ of the two sides add up to a cone that is not closed: (1, 0, ε) is in it for
// every ε > 0, and (1, 0, 0) is not.
//
// What is to be expected. A load (−1, 0, −ε) is held by reactions (a, ∓b, c) of the two sides, in
// the mean alike since the problem is: 2 a = 1, 2 c = ε, and a² ≤ 2 b c for each to be in its cone.
// The shortest has
//
//     b = a²/(2 c) = 1/(4 ε),   |x| = √(2 (a² + b² + c²)) → √2/(4 ε):                         (W 1)
//
// it grows without bound as ε → 0, and for ε = 0 there is none. Regularised, as in
// [PreclikRuedePopa2011] (64), min |Σx − (1, 0, ε)|²/2 + s |x|²/2, there always is one. For ε > 0
// it comes to (W 1) as s → 0; for ε = 0 it has b ≈ (32 s)^{−1/4} and no limit, while the load is
// held ever better, to ε + O(s^{1/4}). A minimum norm is therefore told only where halving s has
// stopped to change it.
#include "paper.h"
#include "text.h"

#include <dashpot/contact.h>
#include <dashpot/statics.h>

#include <stdio.h>

enum { LOADS = 6, COMPLIANCES = 25 };
static const double loads[LOADS] = {1.0, 0.1, 1e-2, 1e-3, 1e-4, 0.0};

// --- the regularised problem ------------------------------------------------------------------

typedef struct reaction {
    double a, b, c; // of each side: along the groove, across, up
} reaction;

static double norm_of(reaction x)
{
    return sqrt(2.0 * (x.a * x.a + x.b * x.b + x.c * x.c));
}

// On both cones, with the multiplier 2 ν of a²/2 ≤ b c:
//
//     (2 + s + ν) a = 1,   s b = ν c,   (2 + s) c − ν b = ε,   a² = 2 b c,
//
// so that b = ν c/s, a = c √(2 ν/s) and c = ε/(2 + s − ν²/s): bisection for ν, which is below
// √(s (2 + s)), where c is infinite. For ε = 0 it is there, and c follows from a.
static reaction solve(double epsilon, double s)
{
    const double top = sqrt(s * (2.0 + s));
    double lo = 0.0, hi = top;
    for (int i = 0; i < 200 && epsilon > 0.0; ++i) {
        const double nu = 0.5 * (lo + hi);
        const double c = epsilon / ((top - nu) * (top + nu) / s);
        const double a = 1.0 / (2.0 + s + nu);
        *(c * sqrt(2.0 * nu / s) < a ? &lo : &hi) = nu;
    }
    const double nu = epsilon > 0.0 ? 0.5 * (lo + hi) : top;
    const double a = 1.0 / (2.0 + s + nu), c = a / sqrt(2.0 * nu / s);
    return (reaction){a, nu * c / s, c};
}

// --- Dashpot ----------------------------------------------------------------------------------

typedef struct wedge {
    cli_paper *p;
    cli_scene scene;
    dp_data *data;
    cli_curve *exact, *statics, *norm[LOADS];
} wedge;

static bool begin(wedge *o)
{
    if (!cli_paper_open(&o->scene, o->p, NAN)) {
        return false;
    }
    dp_geom_id side;
    const dp_model *m = o->scene.model;
    if (dp_model_sizes(m)->nv != 3 || dp_model_find_geom(&side, m, "left") != DP_OK ||
        dp_model_find_geom(&side, m, "right") != DP_OK) {
        return cli_paper_refuse(o->p, "a particle on three slides between geoms 'left' and "
                                      "'right'");
    }
    return cli_paper_works(o->p, dp_data_create(&o->data, m, NULL));
}

static void load(wedge *o, double epsilon)
{
    dp_data_reset(o->data);
    dp_data_force(o->data)[0] = -1.0;
    dp_data_force(o->data)[2] = -epsilon;
}

// What the report on reactions says of the load. @param norm NAN: that there is none
static bool ask_statics(double *norm, double *missed, wedge *o, double epsilon)
{
    dp_statics *s = NULL;
    load(o, epsilon);
    if (!cli_paper_works(o->p, dp_statics_create(&s, o->scene.model, o->data, NULL, NULL))) {
        return false;
    }
    double sum = 0.0;
    for (int i = 0; i < dp_statics_count(s); ++i) {
        const dp_reaction *r = dp_statics_reaction(s, i);
        sum += r->joint ? 0.0 : r->least_norm * r->least_norm;
    }
    *missed = dp_statics_info_of(s)->missed;
    *norm = dp_statics_info_of(s)->admissible ? sqrt(sum) : NAN;
    dp_statics_destroy(s);
    return true;
}

static bool ask_law(double *impulse, double *speed, wedge *o, const char *law, double epsilon)
{
    load(o, epsilon);
    dp_options *options = dp_data_options(o->data);
    if (!cli_paper_works(o->p, dp_law_find(&options->law.law, law)) ||
        !cli_paper_works(o->p, dp_step(o->scene.model, o->data))) {
        return false;
    }
    double sum = 0.0;
    for (int i = 0; i < dp_data_contact_force_count(o->data); ++i) {
        const dp_contact_force f = dp_data_contact_force(o->data, i);
        sum += f.normal_force * f.normal_force + f.friction[0] * f.friction[0] +
               f.friction[1] * f.friction[1];
    }
    const double *v = dp_data_v(o->data);
    *impulse = sqrt(sum);
    *speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / options->step;
    return true;
}

// --- rows -------------------------------------------------------------------------------------

static bool tell_load(wedge *o, int i)
{
    const double epsilon = loads[i], settled = 1e-3;
    double before = NAN, now = NAN, change = INFINITY, growth = NAN;
    for (int k = 0; k < COMPLIANCES; ++k) {
        const double s = pow(10.0, -0.8 * k);
        now = norm_of(solve(epsilon, s));
        cli_curve_add(o->p, o->norm[i], s, now);
        growth = k > 0 ? log10(now / before) / 0.8 : NAN;
        change = k > 0 ? fabs(now / before - 1.0) : INFINITY;
        before = now;
    }
    char of[48];
    snprintf(of, sizeof of, "ε = %s", cli_short(2, epsilon).text);
    const double b = 0.25 / epsilon, norm = sqrt(0.5 + 0.5 * epsilon * epsilon + 2.0 * b * b);
    const bool exists = change < settled;
    cli_paper_tell(o->p, of, "shortest reaction that holds it, (W 1)", "N", NAN, norm,
                   epsilon > 0.0 ? "" : "there is none: (1, 0, 0) is not in K₁ + K₂, (26)");
    cli_paper_tell(o->p, of, "the same, regularised, s → 0", "N", NAN, exists ? now : INFINITY,
                   exists ? "s = %s"
                          : "diverges: the norm still grows when s falls, here to s = %s; no "
                            "number is given",
                   cli_short(2, pow(10.0, -0.8 * (COMPLIANCES - 1))).text);
    cli_paper_tell(o->p, of, "exponent of its growth in 1/s", "1", NAN, growth,
                   "0 where there is a limit; 1/4 is to be expected where there is none");
    double statics, missed;
    if (!ask_statics(&statics, &missed, o, epsilon)) {
        return false;
    }
    cli_paper_tell(o->p, of, "least norm in the report on reactions", "N", NAN, statics,
                   "of the accelerations that it finds: where it slides, not (W 1)");
    cli_paper_tell(o->p, of, "what it misses of the load", "N", NAN, missed, "%s", "");
    if (epsilon > 0.0) {
        cli_curve_add(o->p, o->exact, epsilon, norm);
        cli_curve_add(o->p, o->statics, epsilon, statics);
    }
    static const char *const laws[] = {"lcp", "ncp"};
    for (int n = 0; n < 2; ++n) {
        double force, speed;
        char quantity[64];
        if (!ask_law(&force, &speed, o, laws[n], epsilon)) {
            return false;
        }
        snprintf(quantity, sizeof quantity, "law %s: reactions in a step", laws[n]);
        cli_paper_tell(o->p, of, quantity, "N", NAN, force, "%s", "");
        snprintf(quantity, sizeof quantity, "law %s: acceleration", laws[n]);
        cli_paper_tell(o->p, of, quantity, "m/s²", NAN, speed,
                       "0: it is held. Where cones are not pointed, to slide and to be held by "
                       "bracing may both be solutions");
    }
    return true;
}

static bool draw(wedge *o)
{
    static const char *const names[LOADS] = {"ε = 1", "0.1", "0.01", "1e-3", "1e-4", "0"};
    dp_plot_series norms[LOADS];
    for (int i = 0; i < LOADS; ++i) {
        norms[i] = cli_curve_series(o->norm[i], names[i], DP_PLOT_LINE, i + 1);
    }
    const dp_plot_series least[] = {
        cli_curve_series(o->exact, "shortest that holds it, (W 1)", DP_PLOT_DASHED, 2),
        cli_curve_series(o->statics, "Coulomb's law, as it slides", DP_PLOT_MARKED, 1)};
    const dp_plot_axis norm = {.name = "norm of reactions", .unit = "N", .log = true};
    const dp_plot_panel panel[] = {
        {"regularised", {.name = "compliance s", .unit = "1", .log = true}, norm, norms, LOADS},
        {"held, and sliding", {.name = "ε", .unit = "1", .log = true}, norm, least, 2}};
    const dp_plot plot = {"A wedge whose total friction cone is not closed", panel, 2, 2};
    return cli_paper_draw(o->p, &plot);
}

bool cli_paper_wedge(cli_paper *p)
{
    wedge o = {.p = p, .exact = cli_paper_curve(p), .statics = cli_paper_curve(p)};
    bool fine = begin(&o);
    for (int i = 0; i < LOADS; ++i) {
        o.norm[i] = cli_paper_curve(p);
    }
    for (int i = 0; i < LOADS && fine; ++i) {
        fine = tell_load(&o, i);
    }
    fine = fine && draw(&o);
    dp_data_destroy(o.data);
    cli_scene_destroy(&o.scene);
    return fine;
}
