// [Berard2006], sections 4.1 to 4.6: two bars, a block below which they hang, friction, a pusher, a
// belt, and a spring in the place of the lower bar.
//
// Departures. (51), (52), (57) lack the position of the block and of the floor; (67), (76) the turn
// of normal 3 to the world; (70) the tangential velocity of the pusher; the damper of (85) acts
// along the spring here, else the pair has a net torque. The report puts the force of the spring at
// the start of the step into the applied forces; here it is that at the end, M̃ + Gᵀ G/R. It is put
// to the masses and needs no variable, so that the size stays what it is.
#include "berard/paper_b_scene.h"
#include "common/program.h"
#include "common/text.h"

#include <stdio.h>
#include <string.h>

enum { STEPS = 6, CASES = 3, SAMPLES = 10 };

static const double seconds = 1.0;
static const double steps[STEPS] = {0.01, 0.005, 0.0025, 0.00125, 0.000625, 0.0003125};
static const double exact = 1e-12; // tolerance of a step of the reference

static const int sizes[] = {10, 15, 21, 25, 25, 22}; // as the report has them

static const char *const case_names[CASES] = {"(34)", "(34) without φ/h", "law lcp"};

typedef struct recipe {
    cli_paper *p;
    cli_bars_scene scene;
    int number;
    int count;                                  // of step lengths
    double at[SAMPLES + 1][CLI_BARS_POINTS][2]; // of the reference
    cli_curve *reference[4], *ours[4];          // x of the block, its speed, angles
    cli_curve *error[CASES], *drift[CASES], *depth[CASES];
    cli_curve *path[2], *slope[3];
} recipe;

// --- size -------------------------------------------------------------------------------------

static bool tell_size(recipe *o)
{
    cli_bars_scene *s = &o->scene;
    if (!cli_bars_restart(s, steps[0]) || !cli_mixed_run_build(&s->run, CLI_WITH_GAPS)) {
        return false;
    }
    const cli_mixed *m = &s->run.mixed;
    cli_paper_tell(
        o->p, "mixed problem (34)", "size", "1", sizes[o->number - 1], m->n,
        "counted from the rows of the first step: velocities, impulses of joints, normal "
        "impulses, impulses along directions of friction, slip speeds");
    cli_paper_tell(o->p, "mixed problem (34)", "velocities", "1", o->number == 1 ? 6 : NAN,
                   m->velocities, "%s", "");
    cli_paper_tell(o->p, "mixed problem (34)", "impulses of joints", "1", o->number == 1 ? 4 : NAN,
                   m->joints, "%s", "");
    cli_paper_tell(o->p, "mixed problem (34)", "normal impulses", "1", NAN, m->normals, "%s", "");
    cli_paper_tell(o->p, "mixed problem (34)", "impulses of friction", "1", NAN, m->along,
                   "two directions in the plane; tangents across it, which no velocity meets, are "
                   "left out");
    cli_paper_tell(o->p, "mixed problem (34)", "slip speeds", "1", NAN, m->slips, "%s", "");
    cli_paper_tell(o->p, "velocities eliminated", "size", "1", NAN, m->n - m->velocities,
                   "what Dashpot's law solves: G M̃⁻¹ Gᵀ in the place of M̃, W_b, W_n, W_f");
    return true;
}

// --- the reference ----------------------------------------------------------------------------

static bool failed(const recipe *o)
{
    cli_complain(
        "%s: the reference cannot go on: its steps vanish, or the motion of the pusher has "
        "no value",
        o->p->item->id);
    return false;
}

static bool follow_reference(recipe *o)
{
    const int per_sample = 20;
    cli_bars r = o->scene.start;
    cli_bars_begin(&r);
    const double before = cli_bars_energy(&r);
    for (int i = 0; i <= SAMPLES * per_sample; ++i) {
        const double t = seconds * i / (SAMPLES * per_sample);
        if (!cli_bars_advance(&r, t, exact)) {
            return failed(o);
        }
        const double shown[4] = {r.y[0], r.y[r.n], r.y[1], r.on_spring ? r.y[2] - r.y[0] : r.y[2]};
        for (int k = 0; k < 4; ++k) {
            cli_curve_add(o->p, o->reference[k], t, shown[k]);
        }
        double points[CLI_BARS_POINTS][2];
        cli_bars_points_of(points, &o->scene, &r);
        cli_curve_add(o->p, o->path[0], points[2][0], points[2][1]);
        if (i % per_sample == 0) {
            for (int k = 0; k < CLI_BARS_POINTS; ++k) {
                o->at[i / per_sample][k][0] = points[k][0];
                o->at[i / per_sample][k][1] = points[k][1];
            }
        }
    }
    if (o->number <= 2) {
        cli_paper_tell(o->p, "reference", "error of its energy", "J", NAN,
                       fabs(cli_bars_energy(&r) - before),
                       "Lagrange's equations in the fewest coordinates, by a Runge-Kutta pair 5(4) "
                       "with an error of 1e-12 per step");
    } else {
        cli_paper_tell(o->p, "reference", "changes between sticking, sliding and pushing", "1", NAN,
                       r.changes,
                       "Lagrange's equations in the fewest coordinates, by a Runge-Kutta pair 5(4) "
                       "with an error of 1e-12 per step; changes are found to round-off");
    }
    if (o->number > 3) {
        cli_paper_tell(o->p, "reference", "fastest meeting with the pusher", "m/s", NAN, r.impact,
                       "without rebound");
    }
    if (o->number > 1) {
        cli_paper_tell(o->p, "reference", "least load of a foot", "N", NAN, r.least_load,
                       "above 0: the block stays level");
    }
    return true;
}

// --- runs -------------------------------------------------------------------------------------

typedef struct result {
    double error, drift, depth, tilt;
    int unsolved;
    double residual; // of the mixed problem
    double law_off;  // [m/s, rad/s] of what law lcp makes of the same problems
} result;

static void look(result *r, const recipe *o, int sample)
{
    const cli_bars_gaps g = cli_bars_look(&o->scene);
    r->drift = fmax(r->drift, g.drift);
    r->depth = fmax(r->depth, g.depth);
    if (sample < 0) {
        return;
    }
    double points[CLI_BARS_POINTS][2];
    cli_bars_points(points, &o->scene);
    for (int k = 0; k < CLI_BARS_POINTS; ++k) {
        r->error = fmax(r->error, hypot(points[k][0] - o->at[sample][k][0],
                                        points[k][1] - o->at[sample][k][1]));
    }
}

static void keep(const recipe *o)
{
    const cli_bars_scene *s = &o->scene;
    const double t = dp_data_time(s->data);
    double points[CLI_BARS_POINTS][2];
    cli_bars_points(points, s);
    const dp_body_id block = s->body[0];
    const double speed = block.index >= 0 ? dp_body_velocity(s->data, block).v.x : 0.0;
    const double *q = dp_data_q(s->data);
    const double a = s->start.y[1] + q[dp_model_body(s->scene.model, s->body[1]).v_index + 2];
    const int b = dp_model_body(s->scene.model, s->body[2]).v_index;
    const double shown[4] = {points[0][0], speed, a,
                             s->start.on_spring ? points[2][0] - points[0][0]
                                                : s->start.y[2] + q[b + 2]};
    for (int k = 0; k < 4; ++k) {
        cli_curve_add(o->p, o->ours[k], t, shown[k]);
    }
    cli_curve_add(o->p, o->path[1], points[2][0], points[2][1]);
}

static bool run(result *r, recipe *o, cli_bars_scheme scheme, double h, bool kept)
{
    cli_bars_scene *s = &o->scene;
    *r = (result){0};
    const int count = (int)lround(seconds / h), each = count / SAMPLES;
    if (!cli_bars_restart(s, h)) {
        return false;
    }
    if (kept) {
        keep(o);
    }
    for (int i = 1; i <= count; ++i) {
        double off = 0.0;
        if (!cli_bars_step(s, scheme) || (kept && !cli_bars_compare(&off, s))) {
            return false;
        }
        r->law_off = fmax(r->law_off, off);
        r->unsolved += scheme == CLI_BARS_LAW ? dp_data_report(s->data)->unsolved
                                              : s->run.mixed.info.outcome != DP_LCP_OUTCOME_SOLVED;
        r->residual = fmax(r->residual, s->run.mixed.info.residual);
        look(r, o, i % each == 0 ? i / each : -1);
        if (kept) {
            keep(o);
        }
    }
    return true;
}

static double order(const cli_curve *c)
{
    const size_t n = c->count;
    return n >= 2 ? log(c->y[n - 2] / c->y[n - 1]) / log(c->x[n - 2] / c->x[n - 1]) : NAN;
}

static bool measure(recipe *o, cli_bars_scheme scheme)
{
    int unsolved = 0;
    double residual = 0.0, depth = 0.0, law_off = 0.0;
    for (int i = 0; i < o->count; ++i) {
        result r;
        if (!run(&r, o, scheme, steps[i], scheme == CLI_BARS_MIXED && i == 0)) {
            return false;
        }
        unsolved += r.unsolved;
        residual = fmax(residual, r.residual);
        depth = fmax(depth, r.depth);
        law_off = fmax(law_off, r.law_off);
        cli_curve_add(o->p, o->error[scheme], steps[i], r.error);
        cli_curve_add(o->p, o->drift[scheme], steps[i], r.drift);
    }
    const char *of = case_names[scheme];
    const cli_curve *e = o->error[scheme], *d = o->drift[scheme];
    char last[64];
    snprintf(last, sizeof last, "error, h = %s s", cli_short(4, steps[o->count - 1]).text);
    cli_paper_tell(o->p, of, "error, h = 0.01 s", "m", NAN, e->y[0],
                   "largest distance of block, end of rod A and centre of B from the reference, at "
                   "ten times within 1 s");
    cli_paper_tell(o->p, of, last, "m", NAN, e->y[e->count - 1], "%s", "");
    cli_paper_tell(o->p, of, "order of the error in h", "1", NAN, order(e),
                   "1 is expected: the scheme is an Euler step, (25)–(27)");
    cli_paper_tell(o->p, of, "drift of the pins, h = 0.01 s", "m", NAN, d->y[0], "%s",
                   scheme == CLI_BARS_LAW ? "gaps of pins are met where the step ends, to the "
                                            "tolerance of gaps, 1e-10 m in each direction"
                                          : "largest within 1 s");
    if (scheme != CLI_BARS_LAW) {
        cli_paper_tell(o->p, of, "order of the drift in h", "1", NAN, order(d), "%s",
                       scheme == CLI_BARS_MIXED
                           ? "2 is expected: φ/h takes out in each step what the last one left"
                           : "1 is expected: what each step leaves, of order h², adds up");
    }
    if (o->number > 1) {
        cli_paper_tell(o->p, of, "deepest overlap of a contact", "m", NAN, depth,
                       "the block does not turn, and its gaps are straight in its velocities");
    }
    cli_paper_tell(o->p, of, "steps that were not solved", "1", NAN, unsolved, "%s", "");
    if (scheme != CLI_BARS_LAW) {
        cli_paper_tell(o->p, of, "largest residual of the problem", "1", NAN, residual,
                       "dp_lcp_residual: what M and q would have to change by");
    }
    if (scheme == CLI_BARS_MIXED) {
        cli_paper_tell(
            o->p, "law lcp on the problems of (34)", "largest difference of a velocity", "m/s", NAN,
            law_off,
            "steps of 0.01 s: other variables, other numbers, the same answer. Speeds are "
            "up to 10 m/s and rad/s");
    }
    return true;
}

// --- a block that tips ------------------------------------------------------------------------

static const double quarter = 1.5707963267948966;

// It falls from one foot, rods hanging: gaps bend with the angle. A corner that turns bends
// away from the floor, the face of the block towards the pusher. Returns the largest distance of
// the foot from the floor before the other one lands, or the deepest overlap with the pusher.
static bool tip(double *off, recipe *o, cli_bars_scheme scheme, double h)
{
    const bool pushed = o->scene.start.has_pusher;
    const double until = pushed ? 0.1 : 0.4; // [s]
    const double landed = 0.01;              // [m] before the gap, too, is taken up by φ/h
    const cli_bars_place place = {
        .x = pushed ? NAN : 0.0, .tilt = pushed ? -0.1 : 0.25, .a = -quarter, .b = -quarter};
    cli_bars_scene *s = &o->scene;
    if (!cli_bars_restart(s, h)) {
        return false;
    }
    cli_bars_put(s, &place);
    bool fine = cli_paper_works(o->p, dp_kinematics(s->data));
    *off = 0.0;
    for (int i = 0; i < (int)lround(until / h) && fine; ++i) {
        fine = cli_bars_step(s, scheme);
        const cli_bars_gaps g = cli_bars_look(s);
        if (pushed) {
            *off = fmax(*off, g.depth);
        } else if (g.foot[1] > landed) {
            *off = fmax(*off, fabs(g.foot[0]));
        }
    }
    return fine;
}

static bool tell_tipping(recipe *o, cli_bars_scheme scheme)
{
    const bool pushed = o->scene.start.has_pusher;
    for (int i = 0; i < o->count; ++i) {
        double off;
        if (!tip(&off, o, scheme, steps[i])) {
            return false;
        }
        cli_curve_add(o->p, o->depth[scheme], steps[i], off);
    }
    char of[64];
    snprintf(of, sizeof of, "tipping block, %s", case_names[scheme]);
    cli_paper_tell(o->p, of,
                   pushed ? "deepest overlap, h = 0.01 s" : "lift of its foot, h = 0.01 s", "m",
                   NAN, o->depth[scheme]->y[0], "%s",
                   pushed ? "it starts on its right foot, turned by 0.1 rad, and falls back along "
                            "the pusher: its face bends towards that as it turns"
                          : "it starts on its left foot, turned by 0.25 rad, and falls back. A "
                            "corner that turns bends away from the floor: no overlap");
    cli_paper_tell(o->p, of, pushed ? "order of the overlap in h" : "order of the lift in h", "1",
                   NAN, order(o->depth[scheme]), "%s",
                   scheme == CLI_BARS_MIXED_RATES ? "" : "2 is expected");
    return true;
}

// --- what hangs on a belt ---------------------------------------------------------------------

typedef struct carried {
    double off;   // [m/s] largest difference from the speed of the belt, of all bodies
    double block; // the same of the block since it has first been below `same`
    double since; // [s] when that was
} carried;

static bool carry(carried *out, recipe *o, cli_bars_scheme scheme, double h, double speed)
{
    const double until = 2.0, same = 1e-9;
    const cli_bars_place place = {.x = 3.0, .a = -quarter, .b = -quarter, .speed = speed};
    cli_bars_scene *s = &o->scene;
    const double belt = s->start.belt;
    *out = (carried){.since = NAN};
    if (!cli_bars_restart(s, h)) {
        return false;
    }
    cli_bars_put(s, &place);
    bool fine = cli_paper_works(o->p, dp_kinematics(s->data));
    for (int i = 0; i < (int)lround(until / h) && fine; ++i) {
        fine = cli_bars_step(s, scheme);
        for (int k = 0; k < CLI_BARS_POINTS; ++k) {
            const double off = fabs(dp_body_velocity(s->data, s->body[k]).v.x - belt);
            out->off = fmax(out->off, off);
            if (k == 0 && isnan(out->since) && off < same) {
                out->since = dp_data_time(s->data);
            }
            out->block = k == 0 && !isnan(out->since) ? fmax(out->block, off) : out->block;
        }
    }
    return fine;
}

// When friction has brought the block to the speed of the belt.
static bool time_to_stick(double *out, recipe *o)
{
    cli_bars r = o->scene.start;
    r.has_pusher = false;
    r.y[0] = 3.0;
    r.y[1] = r.y[2] = -quarter;
    if (r.on_spring) {
        r.y[2] = 3.0;
        r.y[3] = -r.length[0] - r.rest - r.mass[1] * r.g / r.stiffness;
    }
    cli_bars_begin(&r);
    for (int i = 1; i <= 20000 && r.mode != CLI_BARS_STICK; ++i) {
        if (!cli_bars_advance(&r, 1e-4 * i, exact)) {
            return failed(o);
        }
    }
    *out = r.t;
    return true;
}

static bool tell_carrying(recipe *o, cli_bars_scheme scheme)
{
    carried from_rest, along;
    double exactly = NAN;
    const double h = 0.01, belt = o->scene.start.belt;
    if (!carry(&along, o, scheme, h, belt) || !carry(&from_rest, o, scheme, h, 0.0) ||
        !time_to_stick(&exactly, o)) {
        return false;
    }
    char of[64];
    snprintf(of, sizeof of, "hanging on the belt, %s", case_names[scheme]);
    cli_paper_tell(o->p, of, "largest difference from its speed", "m/s", NAN, along.off,
                   "all bodies start at the speed of the belt, the rods hanging; 2 s, h = 0.01 s");
    cli_paper_tell(o->p, of, "from rest: its speed is reached after", "s", NAN, from_rest.since,
                   "the reference: within 0.1 ms of %s s", cli_short(5, exactly).text);
    cli_paper_tell(o->p, of, "from rest: the block misses it by, then", "m/s", NAN, from_rest.block,
                   "the rods swing, and friction holds the block to the belt");
    return true;
}

// --- the plot ---------------------------------------------------------------------------------

static void begin_curves(recipe *o)
{
    for (int k = 0; k < 4; ++k) {
        o->reference[k] = cli_paper_curve(o->p);
        o->ours[k] = cli_paper_curve(o->p);
    }
    for (int k = 0; k < CASES; ++k) {
        o->error[k] = cli_paper_curve(o->p);
        o->drift[k] = cli_paper_curve(o->p);
        o->depth[k] = cli_paper_curve(o->p);
    }
    for (int k = 0; k < 3; ++k) {
        o->slope[k] = cli_paper_curve(o->p);
    }
    o->path[0] = cli_paper_curve(o->p);
    o->path[1] = cli_paper_curve(o->p);
}

static bool draw(recipe *o)
{
    static const char *const titles[] = {"two bars",
                                         "two bars on a block",
                                         "two bars on a block with friction",
                                         "a position-controlled body pushes the block",
                                         "the floor is a belt",
                                         "a particle on a spring"};
    const double first = steps[0], last = steps[o->count - 1];
    const double e = 0.5 * o->error[0]->y[0], d = 0.5 * o->drift[0]->y[0];
    const double share = last / first;
    cli_curve_add(o->p, o->slope[0], first, e);
    cli_curve_add(o->p, o->slope[0], last, e * share);
    cli_curve_add(o->p, o->slope[1], first, d);
    cli_curve_add(o->p, o->slope[1], last, d * share * share);
    if (o->number > 1) {
        const double z = 0.5 * o->depth[0]->y[0];
        cli_curve_add(o->p, o->slope[2], first, z);
        cli_curve_add(o->p, o->slope[2], last, z * share * share);
    }
    const dp_plot_axis time = {.name = "time", .unit = "s", .lo = 0.0, .hi = seconds};
    const dp_plot_axis step = {.name = "step h", .unit = "s", .log = true};
    const dp_plot_series block[] = {
        cli_curve_series(o->reference[0], "reference", DP_PLOT_STYLE_REFERENCE, 0),
        cli_curve_series(o->ours[0], "x, h = 0.01 s", DP_PLOT_STYLE_LINE, 1),
        cli_curve_series(o->reference[1], NULL, DP_PLOT_STYLE_REFERENCE, 0),
        cli_curve_series(o->ours[1], "speed", DP_PLOT_STYLE_LINE, 2)};
    const dp_plot_series angles[] = {
        cli_curve_series(o->reference[2], "reference", DP_PLOT_STYLE_REFERENCE, 0),
        cli_curve_series(o->ours[2], "rod A, h = 0.01 s", DP_PLOT_STYLE_LINE, 1),
        cli_curve_series(o->reference[3], NULL, DP_PLOT_STYLE_REFERENCE, 0),
        cli_curve_series(o->ours[3], o->number == 6 ? "particle, from the block" : "rod B",
                         DP_PLOT_STYLE_LINE, 2)};
    const dp_plot_series path[] = {
        cli_curve_series(o->path[0], "reference", DP_PLOT_STYLE_REFERENCE, 0),
        cli_curve_series(o->path[1], "h = 0.01 s", DP_PLOT_STYLE_LINE, 1)};
    const dp_plot_series errors[] = {
        cli_curve_series(o->slope[0], "slope 1", DP_PLOT_STYLE_REFERENCE, 0),
        cli_curve_series(o->error[0], case_names[0], DP_PLOT_STYLE_MARKED, 1),
        cli_curve_series(o->error[1], case_names[1], DP_PLOT_STYLE_MARKED, 2),
        cli_curve_series(o->error[2], case_names[2], DP_PLOT_STYLE_MARKED, 3)};
    const dp_plot_series drifts[] = {
        cli_curve_series(o->slope[1], "slope 2", DP_PLOT_STYLE_REFERENCE, 0),
        cli_curve_series(o->drift[0], case_names[0], DP_PLOT_STYLE_MARKED, 1),
        cli_curve_series(o->drift[1], case_names[1], DP_PLOT_STYLE_MARKED, 2),
        cli_curve_series(o->drift[2], case_names[2], DP_PLOT_STYLE_MARKED, 3)};
    const dp_plot_series depths[] = {
        cli_curve_series(o->slope[2], "slope 2", DP_PLOT_STYLE_REFERENCE, 0),
        cli_curve_series(o->depth[0], case_names[0], DP_PLOT_STYLE_MARKED, 1),
        cli_curve_series(o->depth[1], case_names[1], DP_PLOT_STYLE_MARKED, 2),
        cli_curve_series(o->depth[2], case_names[2], DP_PLOT_STYLE_MARKED, 3)};
    const dp_plot_panel panel[] = {
        {o->number == 6 ? "rod A and the particle" : "angles of the rods",
         time,
         {.name = o->number == 6 ? "angle, distance" : "angle",
          .unit = o->number == 6 ? "rad, m" : "rad"},
         angles,
         4},
        {"path of the centre of B",
         {.name = "x", .unit = "m"},
         {.name = "z", .unit = "m"},
         path,
         2},
        {"error within 1 s", step, {.name = "distance", .unit = "m", .log = true}, errors, 4},
        {"drift of the pins within 1 s",
         step,
         {.name = "gap", .unit = "m", .log = true},
         drifts,
         4},
        {"the block", time, {.name = "x, speed", .unit = "m, m/s"}, block, 4},
        {o->number > 3 ? "overlap of a block that tips" : "lift of the foot of a block that tips",
         step,
         {.name = "gap", .unit = "m", .log = true},
         depths,
         4},
    };
    char title[96];
    snprintf(title, sizeof title, "Section 4.%d: %s", o->number, titles[o->number - 1]);
    const dp_plot plot = {title, panel, o->number == 1 ? 4 : 6, 2};
    return cli_paper_draw(o->p, &plot);
}

bool cli_paper_recipe(cli_paper *p)
{
    const int number = p->item->id[strlen(p->item->id) - 1] - '0'; // "b-4.3"
    recipe o = {.p = p, .number = number, .count = p->quick ? 4 : STEPS};
    begin_curves(&o);
    bool fine = cli_bars_open(&o.scene, p, number) && tell_size(&o) && follow_reference(&o);
    for (int k = CLI_BARS_MIXED; k < CASES && fine; ++k) {
        const cli_bars_scheme scheme = (cli_bars_scheme)k;
        fine = measure(&o, scheme) && (number == 1 || tell_tipping(&o, scheme)) &&
               (number < 5 || tell_carrying(&o, scheme));
    }
    fine = fine && draw(&o);
    cli_bars_close(&o.scene);
    return fine;
}
