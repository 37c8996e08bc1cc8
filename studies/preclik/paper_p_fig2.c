// [PreclikRuedePopa2011], section 3 and Fig. 2: a table slides on a level floor (the abstract has a
// ramp; the experiment has none). Neighbouring legs have different friction, so how they share the
// load decides how it slows down, and rigid bodies do not say how they do.
//
// Three solutions of the paper by its own steps (22), (23), weighted ones, springs that become
// rigid, and the laws of Dashpot. What is to be expected of springs: (23) is not symmetric, since
// friction follows the loads. (B + s D) N = c has for s → 0 the solution with yᵀ D N = 0, y the
// null vector of Bᵀ; the pseudo-inverse has zᵀ N = 0 with z that of B. Both are the same where
// there is no friction, and near each other where there is.
#include "common/signals.h"
#include "common/text.h"
#include "preclik/paper_p_table.h"

#include <dashpot/advanced/statics.h>
#include <dashpot/contact.h>

#include <stdio.h>
#include <string.h>

enum { REFERENCES = 6, LAWS = 10, CASES = REFERENCES + LAWS, STIFF = 4 };

// One way to share the load.
typedef struct share {
    const char *name;
    const char *law; // NULL: the paper's steps with a rule
    cli_table_rule rule;
    double soft;                // how much softer leg 1 is than the others
    const char *option, *value; // of the law; NULL: none
} share;

static const share shares[CASES] = {
    {"least energy", NULL, CLI_TABLE_LEAST_ENERGY, 1.0, NULL, NULL},
    {"least norm", NULL, CLI_TABLE_LEAST_NORM, 1.0, NULL, NULL},
    {"most energy", NULL, CLI_TABLE_MOST_ENERGY, 1.0, NULL, NULL},
    {"least norm, leg 1 ten times softer", NULL, CLI_TABLE_LEAST_NORM, 10.0, NULL, NULL},
    {"springs", NULL, CLI_TABLE_SPRINGS, 1.0, NULL, NULL},
    {"springs, leg 1 ten times softer", NULL, CLI_TABLE_SPRINGS, 10.0, NULL, NULL},
    {"law compliant", "compliant", CLI_TABLE_RULES, 1.0, NULL, NULL},
    {"law compliant, leg 1 ten times softer", "compliant", CLI_TABLE_RULES, 10.0, NULL, NULL},
    {"law lcp, r = 8", "lcp", CLI_TABLE_RULES, 1.0, "lcp.directions", "8"},
    {"law lcp, r = 64", "lcp", CLI_TABLE_RULES, 1.0, "lcp.directions", "64"},
    {"law ncp", "ncp", CLI_TABLE_RULES, 1.0, NULL, NULL},
    {"law vi, cones", "vi", CLI_TABLE_RULES, 1.0, "vi.friction", "cone"},
    {"law vi, cones, leg 1 ten times softer", "vi", CLI_TABLE_RULES, 10.0, "vi.friction", "cone"},
    {"law vi, discs", "vi", CLI_TABLE_RULES, 1.0, "vi.friction", "disc"},
    {"law vi, De Saxcé's term", "vi", CLI_TABLE_RULES, 1.0, "vi.desaxce", "true"},
    {"law vi, De Saxcé's term, leg 1 ten times softer", "vi", CLI_TABLE_RULES, 10.0, "vi.desaxce",
     "true"},
};

// What is asked of a run.
typedef struct motion {
    double stop;            // [s]; infinite: it does not within 20 s
    double way;             // [m] along x until then
    double first[CLI_LEGS]; // [N] loads in the first step
    double least;           // [N] the smallest load of all
    double at5[3];          // velocities after 5 s
    double energy5;
} motion;

typedef struct figure {
    cli_paper *p;
    cli_table_body body;
    double start[3]; // velocities
    double h, seconds;
    double weakest; // least friction of a leg
    motion m[CASES];
    cli_curve *energy[CASES], *turn[CASES], *speed[CASES];
    cli_curve *error, *polygon;
} figure;

// --- runs -------------------------------------------------------------------------------------

// The time at which it stops, from two speeds in a row: braking is as good as constant in a step.
// What the weakest friction ends within a step has stopped, too: the paper's steps, which know
// sliding only, then shiver.
typedef struct watch {
    double before;
    bool stopped;
} watch;

static void look(figure *f, int i, watch *w, int n, const double at[3], const double v[3])
{
    motion *m = &f->m[i];
    const double t = n * f->h;
    const double now = sqrt(2.0 * cli_table_energy(&f->body, v) / f->body.mass);
    if (n % 10 == 0) {
        cli_curve_add(f->p, f->energy[i], t, cli_table_energy(&f->body, v));
        cli_curve_add(f->p, f->turn[i], t, v[2]);
        cli_curve_add(f->p, f->speed[i], t, v[0]);
    }
    const double lost = w->before - now, weakest = f->h * f->body.g * f->weakest;
    if (!w->stopped && n > 0 && now <= fmax(lost, weakest)) {
        m->stop = t + f->h * now / fmax(lost, weakest);
        m->way = at[0];
        w->stopped = true;
    }
    if (fabs(t - 5.0) < 0.5 * f->h) {
        memcpy(m->at5, v, sizeof m->at5);
        m->energy5 = cli_table_energy(&f->body, v);
    }
    w->before = now;
}

static void note_loads(motion *m, const double N[CLI_LEGS], bool first)
{
    for (int k = 0; k < CLI_LEGS; ++k) {
        m->least = fmin(m->least, N[k]);
    }
    if (first) {
        memcpy(m->first, N, sizeof m->first);
    }
}

static void begin_motion(figure *f, int i)
{
    f->m[i] = (motion){.stop = INFINITY, .way = NAN, .least = INFINITY, .energy5 = NAN};
}

static cli_table_body weighted(const cli_table_body *body, double soft)
{
    cli_table_body b = *body;
    b.D[0] = soft;
    return b;
}

// By the paper's steps, until it stops: they know sliding only.
static bool run_reference(figure *f, int i)
{
    const cli_table_body b = weighted(&f->body, shares[i].soft);
    cli_table_state s = {.v = {f->start[0], f->start[1], f->start[2]}};
    watch w = {0};
    begin_motion(f, i);
    look(f, i, &w, 0, s.at, s.v);
    for (int n = 1; n * f->h <= f->seconds + 0.5 * f->h && !w.stopped; ++n) {
        double N[CLI_LEGS];
        if (!cli_table_step(&s, N, &b, shares[i].rule, f->h, false)) {
            return cli_paper_refuse(f->p, "a table that slides on all its legs");
        }
        note_loads(&f->m[i], N, n == 1);
        look(f, i, &w, n, s.at, s.v);
    }
    return true;
}

static void read_loads(double N[CLI_LEGS], const dp_model *m, const dp_data *d)
{
    memset(N, 0, CLI_LEGS * sizeof *N);
    for (int i = 0; i < dp_data_contact_count(d); ++i) {
        const dp_contact c = dp_data_contact(d, i);
        const int leg = cli_table_leg(dp_model_geom(m, c.geom[1]).name);
        if (leg >= 0) {
            N[leg] += c.normal_force;
        }
    }
}

static bool set_law(cli_paper *p, dp_options *options, const share *s)
{
    dp_law_kind law;
    if (!cli_paper_works(p, dp_law_find(&law, s->law))) {
        return false;
    }
    options->solver.law = law;
    if (law == DP_LAW_VI) {
        options->solver.rigid.compliance = 1e-6;
        options->solver.tolerance = 1e-15; // s w γ, by which weights are seen, is some 1e-9 m/s
    }
    return !s->option ||
           cli_paper_works(p, dp_law_options_set(&options->solver, s->option, s->value));
}

static bool run_law(figure *f, int i)
{
    cli_scene scene = {0};
    dp_data *data = NULL;
    watch w = {0};
    begin_motion(f, i);
    bool fine = cli_table_open(&scene, &data, f->p, NAN,
                               (const double[CLI_LEGS]){shares[i].soft, 1.0, 1.0, 1.0}) &&
                set_law(f->p, dp_data_options(data), &shares[i]);
    if (fine) {
        dp_data_options(data)->step = f->h;
        look(f, i, &w, 0, (double[3]){0.0}, f->start);
    }
    for (int n = 1; n * f->h <= f->seconds + 0.5 * f->h && fine; ++n) {
        fine = cli_paper_works(f->p, dp_step(data));
        const double *q = dp_data_q(data), *v = dp_data_v(data);
        double N[CLI_LEGS];
        read_loads(N, scene.model, data);
        note_loads(&f->m[i], N, n == 1);
        look(f, i, &w, n, (const double[3]){q[0], q[1], 0.0}, (const double[3]){v[0], v[1], v[5]});
    }
    dp_data_destroy(data);
    cli_scene_destroy(&scene);
    return fine;
}

// --- the paper's claims -----------------------------------------------------------------------

// Against the pseudo-inverse of (23), along the whole motion of minimum norm.
static bool tell_pseudo_inverse(figure *f)
{
    cli_table_state s = {.v = {f->start[0], f->start[1], f->start[2]}};
    double worst = 0.0;
    int least = CLI_LEGS, most = 0;
    for (int n = 1; n * f->h < f->m[1].stop - f->h; ++n) {
        double N[CLI_LEGS], M[CLI_LEGS];
        const int nullity = cli_table_pseudo_inverse(M, &f->body, s.at[2], s.v);
        least = nullity < least ? nullity : least;
        most = nullity > most ? nullity : most;
        if (!cli_table_step(&s, N, &f->body, CLI_TABLE_LEAST_NORM, f->h, false)) {
            return cli_paper_refuse(f->p, "a table that slides on all its legs");
        }
        for (int k = 0; k < CLI_LEGS; ++k) {
            worst = fmax(worst, fabs(N[k] - M[k]));
        }
    }
    cli_paper_tell(f->p, "least norm", "dimension of the null space, least", "1", 1.0, least, "%s",
                   "");
    cli_paper_tell(f->p, "least norm", "dimension of the null space, most", "1", 1.0, most, "%s",
                   "");
    cli_paper_tell(f->p, "least norm", "loads, from the pseudo-inverse of (23)", "N", NAN, worst,
                   "largest difference between the pseudo-inverse of the singular 4 × 4 matrix by "
                   "singular values and what equilibrium and Lagrange multipliers give");
    return true;
}

// The report on reactions, at the start: minimum norm and the ends of N ≥ 0, beside those by hand.
static bool tell_report(figure *f, const dp_model *m, const dp_data *data)
{
    cli_table_loads l;
    double N[CLI_LEGS], least = 0.0, ends = 0.0;
    dp_statics *s = NULL;
    cli_table_pseudo_inverse(N, &f->body, 0.0, f->start);
    if (!cli_table_solve(&l, &f->body, 0.0, f->start) ||
        !cli_paper_works(f->p, dp_statics_create(&s, data, NULL, NULL))) {
        return false;
    }
    for (int i = 0; i < dp_statics_count(s); ++i) {
        const dp_reaction *r = dp_statics_reaction(s, i);
        const int leg = cli_table_leg(dp_model_geom(m, r->geom[1]).name);
        if (leg >= 0 && r->component == 0) {
            const double a = l.least[leg] + l.lo * l.null[leg];
            const double b = l.least[leg] + l.hi * l.null[leg];
            least = fmax(least, fabs(r->least_norm - N[leg]));
            ends = fmax(ends, fmax(fabs(r->lowest - fmin(a, b)), fabs(r->highest - fmax(a, b))));
        }
    }
    dp_statics_destroy(s);
    cli_paper_tell(f->p, "report on reactions", "least norm, from the pseudo-inverse of (23)", "N",
                   NAN, least, "dashpot check --forces");
    cli_paper_tell(f->p, "report on reactions", "ranges, from the ends of N ≥ 0", "N", NAN, ends,
                   "the loads of least and of most energy: the smallest and largest that it gives");
    return true;
}

// Is the energy of the minimum norm strictly between those of the others, until one stops?
static double between(const figure *f)
{
    const cli_curve *lo = f->energy[0], *mid = f->energy[1], *hi = f->energy[2];
    for (size_t n = 1; n < lo->count && n < mid->count && n < hi->count; ++n) {
        if (!(lo->y[n] < mid->y[n] && mid->y[n] < hi->y[n])) {
            return 0.0;
        }
    }
    return 1.0;
}

static void tell_motion(figure *f, int i)
{
    const motion *m = &f->m[i];
    const char *of = shares[i].name;
    const char *note = shares[i].law ? "" : "by the paper's steps (22), (23)";
    cli_paper_tell(f->p, of, "time until it stops", "s", NAN, m->stop, "%s", note);
    cli_paper_tell(f->p, of, "way until it stops", "m", NAN, m->way, "%s", note);
    cli_paper_tell(f->p, of, "energy after 5 s", "J", NAN, m->energy5, "%s", note);
    cli_paper_tell(f->p, of, "turning speed after 5 s", "rad/s", NAN, m->at5[2], "%s", note);
    for (int k = 0; k < CLI_LEGS; ++k) {
        char quantity[48];
        snprintf(quantity, sizeof quantity, "load of leg %d in the first step", k + 1);
        cli_paper_tell(f->p, of, quantity, "N", NAN, m->first[k], "%s", "");
    }
    cli_paper_tell(f->p, of, "smallest load of all", "N", NAN, m->least, "%s", "");
}

static void tell_claims(figure *f)
{
    const motion *m = f->m;
    cli_paper_tell(f->p, "three solutions", "least energy stops first, most energy last (1: yes)",
                   "1", 1.0, m[0].stop < m[1].stop && m[1].stop < m[2].stop ? 1.0 : 0.0,
                   "the paper gives the order in words and the curves in Fig. 2, no numbers");
    cli_paper_tell(f->p, "three solutions", "energy of least norm strictly between (1: yes)", "1",
                   1.0, between(f), "%s", "");
}

// --- springs that become rigid ----------------------------------------------------------------

// Velocities after 5 s by a law with springs k, beside those of the limit with the same h.
static bool find_distance(double *out, figure *f, dp_law_kind law, double k, double soft)
{
    cli_scene scene = {0};
    dp_data *data = NULL;
    const cli_table_body b = weighted(&f->body, soft);
    cli_table_state s = {.v = {f->start[0], f->start[1], f->start[2]}};
    double N[CLI_LEGS];
    bool fine =
        cli_table_open(&scene, &data, f->p, k, (const double[CLI_LEGS]){soft, 1.0, 1.0, 1.0});
    if (fine) {
        dp_options *options = dp_data_options(data);
        options->step = f->h;
        options->solver.law = law;
        options->solver.tolerance = 1e-13;
    }
    for (int n = 0; n * f->h < 5.0 - 0.5 * f->h && fine; ++n) {
        fine = cli_table_step(&s, N, &b, CLI_TABLE_SPRINGS, f->h, true) &&
               cli_paper_works(f->p, dp_step(data));
    }
    if (fine) {
        const double *v = dp_data_v(data);
        *out = hypot(hypot(v[0] - s.v[0], v[1] - s.v[1]), v[5] - s.v[2]);
    }
    dp_data_destroy(data);
    cli_scene_destroy(&scene);
    return fine;
}

static bool tell_stiff(figure *f, double soft, const char *of)
{
    double before = NAN;
    for (int i = 0; i < STIFF; ++i) {
        const double k = 1e4 * pow(10.0, i);
        double distance;
        if (!find_distance(&distance, f, DP_LAW_COMPLIANT, k, soft)) {
            return false;
        }
        if (soft > 1.0) {
            cli_curve_add(f->p, f->error, k, distance);
        }
        char quantity[96];
        snprintf(quantity, sizeof quantity, "velocity after 5 s, from rigid springs, k = %s N/m",
                 cli_short(2, k).text);
        cli_paper_tell(f->p, of, quantity, "m/s", NAN, distance, "%s", "");
        if (i == STIFF - 1) {
            cli_paper_tell(f->p, of, "order of that in 1/k", "1", NAN, log10(before / distance),
                           "predicted: 1; from the last factor of ten");
        }
        before = distance;
    }
    return true;
}

static bool tell_rigid(figure *f)
{
    double distance;
    if (!find_distance(&distance, f, DP_LAW_NCP, NAN, 1.0)) {
        return false;
    }
    cli_paper_tell(f->p, "law ncp", "velocity after 5 s, from rigid springs", "m/s", NAN, distance,
                   "it has no springs, and shares loads as equal ones do");
    return true;
}

// --- polygons of more and more directions -----------------------------------------------------

// Velocities after 1 s. @param r 0: law ncp
static bool slide_for_a_second(double out[3], figure *f, dp_data *data, int r, double heading)
{
    if (!cli_paper_works(f->p, dp_data_reset_to_key(data, (dp_key_id){0}))) {
        return false;
    }
    dp_options *options = dp_data_options(data);
    const double speed = hypot(f->start[0], f->start[1]);
    options->step = f->h;
    options->solver.law = r > 0 ? DP_LAW_LCP : DP_LAW_NCP;
    options->solver.lcp.directions = r > 0 ? r : options->solver.lcp.directions;
    options->solver.lcp.method = DP_POLYHEDRAL_METHOD_MAP; // Lemke's has answers with three legs
    double *v = dp_data_v(data);
    v[0] = speed * cos(heading);
    v[1] = speed * sin(heading);
    bool fine = true;
    for (int n = 0; n * f->h < 1.0 - 0.5 * f->h && fine; ++n) {
        fine = cli_paper_works(f->p, dp_step(data));
    }
    out[0] = v[0];
    out[1] = v[1];
    out[2] = v[5];
    return fine;
}

static bool tell_polygons(figure *f, dp_data *data)
{
    const int headings = f->p->quick ? 2 : 6;
    double before = NAN;
    for (int r = 8; r <= 256; r *= 2) {
        double worst = 0.0;
        for (int k = 0; k < headings; ++k) {
            const double heading = 3.141592653589793 / r * (k + 0.5) / headings;
            double a[3], b[3];
            if (!slide_for_a_second(a, f, data, r, heading) ||
                !slide_for_a_second(b, f, data, 0, heading)) {
                return false;
            }
            worst = fmax(worst, hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]));
        }
        char of[32];
        snprintf(of, sizeof of, "law lcp, map, r = %d", r);
        cli_curve_add(f->p, f->polygon, r, worst);
        cli_paper_tell(f->p, of, "velocity after 1 s, from law ncp", "m/s", NAN, worst,
                       "largest over %d headings between a corner of the polygon and midway to the "
                       "next",
                       headings);
        if (r == 256) {
            cli_paper_tell(f->p, of, "order of that in 1/r", "1", NAN, log2(before / worst),
                           "predicted: 1");
        }
        before = worst;
    }
    return true;
}

// --- the plot ---------------------------------------------------------------------------------

static bool draw(figure *f)
{
    static const int shown[] = {6, 7, 8, 11, 13, 0, 1, 2, 3}; // laws below, the paper's above
    enum { SHOWN = sizeof shown / sizeof shown[0] };
    dp_plot_series energy[SHOWN], turn[SHOWN], speed[SHOWN];
    for (int n = 0; n < SHOWN; ++n) {
        const int i = shown[n];
        const dp_plot_style style = shares[i].law ? DP_PLOT_STYLE_LINE : DP_PLOT_STYLE_DASHED;
        energy[n] = cli_curve_series(f->energy[i], shares[i].name, style, n % 8 + 1);
        turn[n] = cli_curve_series(f->turn[i], NULL, style, n % 8 + 1);
        speed[n] = cli_curve_series(f->speed[i], NULL, style, n % 8 + 1);
    }
    const dp_plot_axis time = {.name = "time", .unit = "s"};
    const dp_plot_series error = cli_curve_series(f->error, NULL, DP_PLOT_STYLE_MARKED, 1);
    const dp_plot_series polygon = cli_curve_series(f->polygon, NULL, DP_PLOT_STYLE_MARKED, 1);
    const dp_plot_panel panel[] = {
        {"energy", time, {.name = "kinetic energy", .unit = "J"}, energy, SHOWN},
        {"turning", time, {.name = "angular velocity", .unit = "rad/s"}, turn, SHOWN},
        {"sliding", time, {.name = "velocity along x", .unit = "m/s"}, speed, SHOWN},
        {"springs that become rigid",
         {.name = "stiffness", .unit = "N/m", .log = true},
         {.name = "velocity after 5 s, from the limit", .unit = "m/s", .log = true},
         &error,
         1},
        {"polygons of more directions",
         {.name = "directions r", .unit = "1", .log = true},
         {.name = "velocity after 1 s, from ncp", .unit = "m/s", .log = true},
         &polygon,
         1},
    };
    const dp_plot plot = {"A table slides on four legs: who carries how much?", panel, 5, 2};
    return cli_paper_draw(f->p, &plot);
}

bool cli_paper_table(cli_paper *p)
{
    figure f = {.p = p, .h = 0.01, .seconds = 22.0};
    cli_scene scene = {0};
    dp_data *data = NULL;
    for (int i = 0; i < CASES; ++i) {
        f.energy[i] = cli_paper_curve(p);
        f.turn[i] = cli_paper_curve(p);
        f.speed[i] = cli_paper_curve(p);
    }
    f.error = cli_paper_curve(p);
    f.polygon = cli_paper_curve(p);
    bool fine = cli_paper_open(&scene, p, NAN) && cli_table_read(&f.body, p, &scene) &&
                cli_paper_works(p, cli_data_create(&data, scene.model)) &&
                cli_paper_works(p, dp_data_reset_to_key(data, (dp_key_id){0}));
    if (fine) {
        const double *v = dp_data_v(data);
        f.start[0] = v[0];
        f.start[1] = v[1];
        f.start[2] = v[5];
        f.weakest = fmin(fmin(f.body.mu[0], f.body.mu[1]), fmin(f.body.mu[2], f.body.mu[3]));
    }
    for (int i = 0; i < CASES && fine; ++i) {
        fine = shares[i].law ? run_law(&f, i) : run_reference(&f, i);
    }
    for (int i = 0; i < CASES && fine; ++i) {
        tell_motion(&f, i);
    }
    if (fine) {
        tell_claims(&f);
    }
    fine = fine && tell_pseudo_inverse(&f) && tell_report(&f, scene.model, data) &&
           tell_stiff(&f, 1.0, "law compliant") &&
           tell_stiff(&f, 10.0, "law compliant, leg 1 ten times softer") && tell_rigid(&f) &&
           tell_polygons(&f, data) && draw(&f);
    dp_data_destroy(data);
    cli_scene_destroy(&scene);
    return fine;
}
