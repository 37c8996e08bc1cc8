// [PreclikRuedePopa2011], section 4.2, Figs. 3 and 4: a point mass falls onto a spring and a
// damper.
//
// With the gap g and g'' = −gravity + F/m, three contacts are compared:
//
//     as printed, (30):   F = −k g − c g'   while g ≤ 0: it sticks where it pulls;
//     never removed:      the same for ever, the dashed line of Fig. 3;
//     one-sided:          F = max(0, −k g − c g') while g ≤ 0: the condition on the sum. Dashpot's.
//
// The exact curves are by RK4 with steps that are 1/20 of those of Dashpot.
//
// Fig. 4 has no damper. The implicit spring, (33) with k finite,
//
//     g₁ = g + h g₁',   g₁' = g' − h gravity + h F/m,   F = k max(0, −g₁),
//
// turns and shortens (√k g, √m g') in every step by 1/√(1 + h² k/m): what comes back of the speed
// is exp(−π ω h/2) for small ω h = h √(k/m), and nothing for a rigid spring.
#include "common/signals.h"
#include "common/text.h"
#include "paper.h"

#include <stdio.h>
#include <string.h>

typedef struct drop {
    cli_paper *p;
    cli_scene scene;
    dp_data *data;
    dp_geom_id geom;
    double mass, g, k, b, height;
} drop;

static bool open_drop(drop *o, double k, double b)
{
    dp_data_destroy(o->data);
    cli_scene_destroy(&o->scene);
    o->data = NULL;
    if (!cli_paper_load(&o->scene, o->p)) {
        return false;
    }
    for (int i = 0; i < dp_spec_geom_count(o->scene.spec); ++i) {
        dp_geom_spec *geom = dp_spec_geom(o->scene.spec, (dp_geom_id){i});
        if (strcmp(geom->name, "mass") == 0) {
            geom->contact.material.stiffness = isnan(k) ? geom->contact.material.stiffness : k;
            geom->contact.material.damping = isnan(b) ? geom->contact.material.damping : b;
        }
    }
    o->p->bad_input = dp_model_compile(&o->scene.model, o->scene.spec) != DP_OK;
    if (!cli_paper_works(o->p, o->p->bad_input ? DP_ERROR_ARGUMENT : DP_OK)) {
        return false;
    }
    const dp_model *m = o->scene.model;
    dp_geom_id floor;
    if (dp_model_sizes(m)->nv != 1 || dp_model_find_geom(&floor, m, "floor") != DP_OK ||
        dp_model_find_geom(&o->geom, m, "mass") != DP_OK) {
        return cli_paper_refuse(o->p, "a ball 'mass' on a vertical slide over a geom 'floor'");
    }
    const dp_geom_info geom = dp_model_geom(m, o->geom);
    const dp_body_info body = dp_model_body(m, geom.body);
    o->mass = body.inertial.mass;
    o->g = -dp_model_options(m)->gravity.z;
    o->k = geom.contact.material.stiffness;
    o->b = geom.contact.material.damping;
    o->height = body.pose.p.z - geom.size[0];
    return cli_paper_works(o->p, cli_data_create(&o->data, m));
}

static void close_drop(drop *o)
{
    dp_data_destroy(o->data);
    cli_scene_destroy(&o->scene);
}

static double gap_of(const drop *o)
{
    return o->height + dp_data_q(o->data)[0];
}

// @param gap n + 1 values at times i h; NULL: not asked for
static bool fall(double *gap, drop *o, const char *law, double h, int n)
{
    dp_data_reset(o->data);
    dp_options *options = dp_data_options(o->data);
    options->step = h;
    options->solver.tolerance = 1e-13;
    if (!cli_paper_works(o->p, dp_law_find(&options->solver.law, law))) {
        return false;
    }
    gap[0] = gap_of(o);
    for (int i = 1; i <= n; ++i) {
        if (!cli_paper_works(o->p, dp_step(o->data))) {
            return false;
        }
        gap[i] = gap_of(o);
    }
    return true;
}

// --- Fig. 3 -----------------------------------------------------------------------------------

enum { PARTS = 20 }; // of a step, of the exact curves

typedef enum contact { AS_PRINTED, NEVER_REMOVED, ONE_SIDED } contact;

typedef struct exact {
    contact kind;
    bool touched;
    double g, rate;
    double pull;    // [N] largest force that holds it back, ≥ 0
    double deepest; // [m]
    double leaves;  // [m/s] when it first does; 0: it does not
} exact;

static double force_of(const drop *o, const exact *e, double g, double rate)
{
    const double sum = -o->k * g - o->b * rate;
    switch (e->kind) {
    case NEVER_REMOVED:
        return e->touched || g <= 0.0 ? sum : 0.0;
    case AS_PRINTED:
        return g <= 0.0 ? sum : 0.0;
    case ONE_SIDED:
        break;
    }
    return g <= 0.0 ? fmax(0.0, sum) : 0.0;
}

static double bend(const drop *o, const exact *e, double g, double rate)
{
    return force_of(o, e, g, rate) / o->mass - o->g;
}

static void march(exact *e, const drop *o, double dt)
{
    const double g = e->g, r = e->rate;
    const double a1 = bend(o, e, g, r);
    const double r2 = r + 0.5 * dt * a1, a2 = bend(o, e, g + 0.5 * dt * r, r2);
    const double r3 = r + 0.5 * dt * a2, a3 = bend(o, e, g + 0.5 * dt * r2, r3);
    const double r4 = r + dt * a3, a4 = bend(o, e, g + dt * r3, r4);
    e->g += dt * (r + 2.0 * r2 + 2.0 * r3 + r4) / 6.0;
    e->rate += dt * (a1 + 2.0 * a2 + 2.0 * a3 + a4) / 6.0;
    if (e->touched && g <= 0.0 && e->g > 0.0 && e->leaves <= 0.0) {
        e->leaves = e->rate;
    }
    e->touched = e->touched || e->g <= 0.0;
    e->deepest = fmin(e->deepest, e->g);
    e->pull = fmax(e->pull, 0.0 - force_of(o, e, e->g, e->rate));
}

enum { RATIOS = 4, LONGEST = 20001 };

typedef struct fig3 {
    drop o;
    double seconds;
    double *ours, *reference;
    cli_curve *kept[2], *removed[2], *dashpot[2];
} fig3;

static exact run_exact(double *gap, const drop *o, contact kind, double h, int n, int parts)
{
    exact e = {.kind = kind, .g = o->height};
    gap[0] = e.g;
    for (int i = 1; i <= n; ++i) {
        for (int k = 0; k < parts; ++k) {
            march(&e, o, h / parts);
        }
        gap[i] = e.g;
    }
    return e;
}

static void keep_curve(cli_paper *p, cli_curve *curve, const double *gap, double h, int n)
{
    for (int i = 0; i <= n; i += n / 400 > 0 ? n / 400 : 1) {
        cli_curve_add(p, curve, i * h, gap[i]);
    }
}

// Largest distance of steps from the exact curve.
static bool find_error(double *out, fig3 *f, int n)
{
    const double h = f->seconds / n;
    *out = 0.0;
    if (!fall(f->ours, &f->o, "compliant", h, n)) {
        return false;
    }
    run_exact(f->reference, &f->o, ONE_SIDED, h, n, PARTS);
    for (int i = 0; i <= n; ++i) {
        *out = fmax(*out, fabs(f->ours[i] - f->reference[i]));
    }
    return true;
}

static bool tell_ratio(fig3 *f, double zeta, int shown)
{
    drop *o = &f->o;
    const int n = 20000;
    if (!open_drop(o, NAN, NAN)) {
        return false;
    }
    const double b = 2.0 * zeta * sqrt(o->k * o->mass);
    double coarse, fine;
    if (!open_drop(o, NAN, b) || !find_error(&coarse, f, n / 16) || !find_error(&fine, f, n)) {
        return false;
    }
    const double h = f->seconds / n;
    const exact one = run_exact(f->reference, o, ONE_SIDED, h, n, PARTS);
    double deepest = 0.0;
    for (int i = 0; i <= n; ++i) {
        deepest = fmin(deepest, f->ours[i]);
    }
    if (shown >= 0) {
        keep_curve(o->p, f->removed[shown], f->reference, h, n);
        keep_curve(o->p, f->dashpot[shown], f->ours, h, n);
    }
    const exact printed = run_exact(f->reference, o, AS_PRINTED, h, n, PARTS);
    const exact kept = run_exact(f->reference, o, NEVER_REMOVED, h, n, PARTS);
    if (shown >= 0) {
        keep_curve(o->p, f->kept[shown], f->reference, h, n);
    }
    char of[48];
    snprintf(of, sizeof of, "ζ = %s", cli_short(3, zeta).text);
    cli_paper_tell(o->p, of, "it leaves again (1: yes)", "1", zeta < 1.0 ? 1.0 : 0.0,
                   one.leaves > 0.0 ? 1.0 : 0.0,
                   "with too little damping contact breaks, with enough the gap comes to its end "
                   "from below");
    cli_paper_tell(o->p, of, "speed with which it leaves, one-sided", "m/s", NAN, one.leaves, "%s",
                   "");
    cli_paper_tell(o->p, of, "the same as printed, (30)", "m/s", NAN, printed.leaves,
                   "its spring and damper pull before they let go");
    cli_paper_tell(
        o->p, of, "largest pull as printed, (30)", "N", NAN, printed.pull,
        "the condition λ ≥ 0 of (30) is on the spring alone; its size depends on numbers that "
        "the paper leaves open");
    cli_paper_tell(o->p, of, "deepest gap", "m", NAN, one.deepest, "%s", "");
    cli_paper_tell(o->p, of, "the same, law compliant", "m", NAN, deepest, "h = %s s",
                   cli_short(2, h).text);
    cli_paper_tell(o->p, of, "law compliant, largest distance from the exact gap", "m", NAN, fine,
                   "h = %s s", cli_short(2, h).text);
    cli_paper_tell(o->p, of, "order of that in h", "1", NAN, 0.25 * log2(coarse / fine),
                   "from a factor of 16: where in a step it lands moves single errors");
    cli_paper_tell(o->p, of, "gap in the end where it is never removed", "m", NAN, kept.g,
                   "equilibrium: −m g/k");
    return true;
}

bool cli_paper_damper(cli_paper *p)
{
    static const double ratio[RATIOS] = {0.1, 0.5, 1.0, 2.0};
    static double ours[LONGEST], reference[LONGEST];
    fig3 f = {.o = {.p = p}, .seconds = 5.0, .ours = ours, .reference = reference};
    for (int i = 0; i < 2; ++i) {
        f.kept[i] = cli_paper_curve(p);
        f.removed[i] = cli_paper_curve(p);
        f.dashpot[i] = cli_paper_curve(p);
    }
    bool fine = true;
    for (int i = 0; i < RATIOS && fine; ++i) {
        fine = tell_ratio(&f, ratio[i], i == 0 ? 0 : i == RATIOS - 1 ? 1 : -1);
    }
    close_drop(&f.o);
    const dp_plot_axis time = {.name = "time", .unit = "s"}, gap = {.name = "gap", .unit = "m"};
    const dp_plot_series under[] = {
        cli_curve_series(f.kept[0], "spring and damper never removed", DP_PLOT_STYLE_DASHED, 2),
        cli_curve_series(f.removed[0], "one-sided", DP_PLOT_STYLE_LINE, 1),
        cli_curve_series(f.dashpot[0], "law compliant", DP_PLOT_STYLE_REFERENCE, 0)};
    const dp_plot_series over[] = {
        cli_curve_series(f.kept[1], "never removed", DP_PLOT_STYLE_DASHED, 2),
        cli_curve_series(f.removed[1], "one-sided", DP_PLOT_STYLE_LINE, 1),
        cli_curve_series(f.dashpot[1], "law compliant", DP_PLOT_STYLE_REFERENCE, 0)};
    const dp_plot_panel panel[] = {{"ζ = 0.1: too little damping", time, gap, under, 3},
                                   {"ζ = 2: enough", time, gap, over, 3}};
    const dp_plot plot = {"A point mass falls onto a spring and a damper", panel, 2, 2};
    return fine && cli_paper_draw(p, &plot);
}

// --- Fig. 4 -----------------------------------------------------------------------------------

enum { SPRINGS = 7, STEPS = 500 };

// (33) with a finite k, by hand.
static void recur(double *gap, const drop *o, double h)
{
    double g = o->height, rate = 0.0;
    gap[0] = g;
    for (int i = 1; i <= STEPS; ++i) {
        const double free = rate - h * o->g;
        const double force = -o->k * (g + h * free) / (1.0 + h * h * o->k / o->mass);
        rate = free + h * fmax(0.0, force) / o->mass;
        g += h * rate;
        gap[i] = g;
    }
}

// What comes back of the speed, from the highest gap after the first contact.
static double rebound(const double *gap, const drop *o)
{
    int i = 0;
    double highest = 0.0;
    while (i < STEPS && gap[i] > 0.0) {
        ++i;
    }
    for (; i <= STEPS; ++i) {
        highest = fmax(highest, gap[i]);
    }
    return sqrt(highest / o->height);
}

static bool tell_spring(drop *o, double k, double h, cli_curve *curve)
{
    double ours[STEPS + 1], hand[STEPS + 1], rigid[STEPS + 1], off = 0.0, lost = 0.0;
    if (!open_drop(o, k, 0.0) || !fall(ours, o, "compliant", h, STEPS) ||
        !fall(rigid, o, "ncp", h, STEPS)) {
        return false;
    }
    recur(hand, o, h);
    for (int i = 0; i <= STEPS; ++i) {
        off = fmax(off, fabs(ours[i] - hand[i]));
        lost = fmax(lost, fabs(ours[i] - rigid[i]));
        cli_curve_add(o->p, curve, i * h, ours[i]);
    }
    char of[48];
    const double omega = sqrt(k / o->mass);
    snprintf(of, sizeof of, "k = %s N/m", cli_short(2, k).text);
    cli_paper_tell(o->p, of, "what a step leaves of an oscillation", "1", NAN,
                   1.0 / sqrt(1.0 + h * h * k / o->mass), "1/√(1 + h² k/m)");
    cli_paper_tell(o->p, of, "speed that comes back over that before", "1", NAN, rebound(ours, o),
                   "the paper: damping grows with k, up to an ideal damper");
    cli_paper_tell(o->p, of, "the same for small ω h: exp(−π ω h/2)", "1", NAN,
                   exp(-1.5707963267948966 * omega * h), "%s", "");
    cli_paper_tell(o->p, of, "law compliant, from (33) by hand", "m", NAN, off,
                   "largest distance of gaps");
    cli_paper_tell(o->p, of, "law compliant, from law ncp", "m", NAN, lost,
                   "largest distance of gaps: rigid contacts are the limit");
    return true;
}

bool cli_paper_spring(cli_paper *p)
{
    static const double k[SPRINGS] = {1e1, 1e2, 1e3, 1e4, 1e6, 1e8, 1e10};
    static const char *const names[SPRINGS] = {"k = 10 N/m", "100", "1e3", "1e4",
                                               "1e6",        "1e8", "1e10"};
    drop o = {.p = p};
    cli_curve *curve[SPRINGS];
    dp_plot_series series[SPRINGS];
    bool fine = true;
    for (int i = 0; i < SPRINGS && fine; ++i) {
        curve[i] = cli_paper_curve(p);
        fine = tell_spring(&o, k[i], 0.01, curve[i]);
        series[i] = cli_curve_series(curve[i], names[i], DP_PLOT_STYLE_LINE, i + 1);
    }
    close_drop(&o);
    const dp_plot_panel panel = {
        NULL, {.name = "time", .unit = "s"}, {.name = "gap", .unit = "m"}, series, 5};
    const dp_plot plot = {"Implicit springs without a damper, h = 10 ms", &panel, 1, 1};
    return fine && cli_paper_draw(p, &plot);
}
