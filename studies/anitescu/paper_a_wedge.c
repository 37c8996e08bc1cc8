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
#include "common/signals.h"
#include "common/text.h"
#include "paper.h"

#include <dashpot/advanced/statics.h>
#include <dashpot/contact.h>

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
    return cli_paper_works(o->p, cli_data_create(&o->data, m));
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
    if (!cli_paper_works(o->p, dp_statics_create(&s, o->data, NULL, NULL))) {
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

typedef struct answer {
    double force;        // [N] norm of reactions
    double acceleration; // [m/s²]
} answer;

// @param s of law vi; the others have none
static bool ask_law(answer *out, wedge *o, const char *law, double epsilon, double s)
{
    load(o, epsilon);
    dp_options *options = dp_data_options(o->data);
    if (!cli_paper_works(o->p, dp_law_find(&options->solver.law, law))) {
        return false;
    }
    const dp_law_options given = options->solver;
    if (options->solver.law == DP_LAW_VI) {
        options->solver.rigid.compliance = s;
        options->solver.tolerance = 1e-15; // s times impulses must be seen
    }
    const bool fine = cli_paper_works(o->p, dp_step(o->data));
    options->solver = given;
    double sum = 0.0;
    for (int i = 0; i < dp_data_contact_count(o->data); ++i) {
        const dp_contact f = dp_data_contact(o->data, i);
        sum += f.normal_force * f.normal_force + f.friction[0] * f.friction[0] +
               f.friction[1] * f.friction[1];
    }
    const double *v = dp_data_v(o->data);
    *out = (answer){sqrt(sum), sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / options->step};
    return fine;
}

// --- rows -------------------------------------------------------------------------------------

// A norm against falling s. Its limit is a number only where it has stopped to change.
typedef struct sequence {
    double s, norm; // the last
    double change;  // relative, of the last reduction
    double growth;  // exponent in 1/s of the same
} sequence;

static void follow(sequence *q, double s, double norm)
{
    q->change = fabs(norm / q->norm - 1.0);
    q->growth = log(norm / q->norm) / log(q->s / s);
    q->s = s;
    q->norm = norm;
}

static void tell_limit(wedge *o, const char *of, const char *quantity, const sequence *q)
{
    if (q->change < 1e-3) {
        cli_paper_tell(o->p, of, quantity, "N", NAN, q->norm, "s = %s", cli_short(2, q->s).text);
    } else {
        cli_paper_tell(o->p, of, quantity, "N", NAN, INFINITY,
                       "as far as s = %s shows it diverges, as s^(−%s): no number is given",
                       cli_short(2, q->s).text, cli_short(2, q->growth).text);
    }
}

// Law vi with cones, s down to 1e-12.
static bool tell_vi(wedge *o, const char *of, double epsilon)
{
    sequence q = {.s = 1.0, .norm = 1.0};
    double off = 0.0;
    for (int k = 2; k <= 12; ++k) {
        const double s = pow(10.0, -k), exact = norm_of(solve(epsilon, s));
        answer x;
        if (!ask_law(&x, o, "vi", epsilon, s)) {
            return false;
        }
        follow(&q, s, x.force);
        off = k <= 8 ? fmax(off, fabs(x.force / exact - 1.0)) : off;
    }
    tell_limit(o, of, "law vi: reactions, s → 0", &q);
    cli_paper_tell(o->p, of, "law vi: exponent of their growth in 1/s", "1", NAN, q.growth, "%s",
                   "");
    cli_paper_tell(o->p, of, "law vi: largest relative error of their norm", "1", NAN, off,
                   "against the regularised problem by hand, s = 1e-2 … 1e-8");
    return true;
}

static bool tell_load(wedge *o, int i)
{
    const double epsilon = loads[i];
    sequence q = {.s = 1.0, .norm = norm_of(solve(epsilon, 1.0))};
    for (int k = 1; k < COMPLIANCES; ++k) {
        const double s = pow(10.0, -0.8 * k);
        follow(&q, s, norm_of(solve(epsilon, s)));
        cli_curve_add(o->p, o->norm[i], s, q.norm);
    }
    char of[48];
    snprintf(of, sizeof of, "ε = %s", cli_short(2, epsilon).text);
    const double b = 0.25 / epsilon, norm = sqrt(0.5 + 0.5 * epsilon * epsilon + 2.0 * b * b);
    cli_paper_tell(o->p, of, "shortest reaction that holds it, (W 1)", "N", NAN, norm,
                   epsilon > 0.0 ? "" : "there is none: (1, 0, 0) is not in K₁ + K₂, (26)");
    tell_limit(o, of, "the same, regularised, s → 0", &q);
    cli_paper_tell(o->p, of, "exponent of its growth in 1/s", "1", NAN, q.growth,
                   "0 where there is a limit; 1/4 is to be expected where there is none");
    if (!tell_vi(o, of, epsilon)) {
        return false;
    }
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
        answer x;
        char quantity[64];
        if (!ask_law(&x, o, laws[n], epsilon, NAN)) {
            return false;
        }
        snprintf(quantity, sizeof quantity, "law %s: reactions in a step", laws[n]);
        cli_paper_tell(o->p, of, quantity, "N", NAN, x.force, "%s", "");
        snprintf(quantity, sizeof quantity, "law %s: acceleration", laws[n]);
        cli_paper_tell(o->p, of, quantity, "m/s²", NAN, x.acceleration,
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
        norms[i] = cli_curve_series(o->norm[i], names[i], DP_PLOT_STYLE_LINE, i + 1);
    }
    const dp_plot_series least[] = {
        cli_curve_series(o->exact, "shortest that holds it, (W 1)", DP_PLOT_STYLE_DASHED, 2),
        cli_curve_series(o->statics, "Coulomb's law, as it slides", DP_PLOT_STYLE_MARKED, 1)};
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
