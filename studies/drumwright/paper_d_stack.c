// [Drumwright2019], Fig. 10: the time it takes to simulate stacks of balls that form in the air.
//
// What is exact. A stack at rest: the contact below ball i carries all balls from i on, and Hertz
// says how deep it is, d = (m g (N − i)/((4/3) E* √r))^{2/3}. And the motion itself: balls on one
// line are an ODE, solved with error control, to which the law must converge at first order.
//
// What settles the stack at h = 0.01 s is the step. Impacts last 2e-4 s; steps that do not resolve
// them stop what meets; B = 1 N s/m alone lets it bounce for a second.
#include "paper.h"

#include "common/progress.h"
#include "common/signals.h"
#include "drumwright/stack_ode.h"

#include <dashpot/contact.h>

#include <stdio.h>

static const double paper_step = 0.01;
static const int paper_steps = 500;

typedef struct stack {
    cli_paper *p;
    cli_scene scene;
    dp_data *data;
    int n;
    double mass, radius, gravity;
    double first, apart; // [m] heights of centres: of the lowest ball, from ball to ball
    double k[2], d[2];   // of the floor and a ball, of two balls: as in stack_ode.h
} stack;

// --- the scene --------------------------------------------------------------------------------

static bool refuse(stack *o)
{
    return cli_paper_refuse(o->p,
                            "balls with a Young's modulus, each on a free joint, one above the "
                            "other over a level plane at z = 0, and gravity downwards");
}

// Of one material beside another: E* and d, in series (MX 2); what has no modulus is rigid.
static void mix(double *stiffness, double *dissipation, const dp_material *a, const dp_material *b,
                double radius)
{
    const double soft[2] = {
        a->youngs_modulus > 0.0 ? (1.0 - a->poisson * a->poisson) / a->youngs_modulus : 0.0,
        b->youngs_modulus > 0.0 ? (1.0 - b->poisson * b->poisson) / b->youngs_modulus : 0.0};
    const double E = 1.0 / (soft[0] + soft[1]), s[2] = {E * soft[0], E * soft[1]};
    *stiffness = 4.0 / 3.0 * E * sqrt(radius);
    *dissipation = s[0] * s[0] * a->dissipation + s[1] * s[1] * b->dissipation;
}

static bool read_scene(stack *o)
{
    dp_spec *spec = o->scene.spec;
    const dp_v3 g = dp_spec_options(spec)->gravity;
    const int bodies = dp_spec_body_count(spec); // with the world
    if (bodies < 3 || dp_spec_geom_count(spec) != bodies ||
        dp_spec_joint_count(spec) != bodies - 1 || g.x != 0.0 || g.y != 0.0 || !(g.z < 0.0)) {
        return refuse(o);
    }
    const dp_material *floor = NULL, *ball = NULL;
    for (int i = 0; i < bodies; ++i) {
        const dp_geom_spec *geom = dp_spec_geom(spec, (dp_geom_id){i});
        if (geom->kind == DP_GEOM_PLANE) {
            floor = &geom->contact.material;
        } else if (geom->kind == DP_GEOM_SPHERE && geom->contact.material.youngs_modulus > 0.0) {
            ball = &geom->contact.material;
            o->radius = geom->size[0];
        } else {
            return refuse(o);
        }
    }
    for (int i = 0; i < bodies - 1; ++i) {
        if (dp_spec_joint(spec, (dp_joint_id){i})->kind != DP_JOINT_FREE) {
            return refuse(o);
        }
    }
    if (!floor || !ball) {
        return refuse(o);
    }
    o->gravity = -g.z;
    mix(&o->k[0], &o->d[0], floor, ball, o->radius);
    mix(&o->k[1], &o->d[1], ball, ball, 0.5 * o->radius);
    o->first = dp_spec_body(spec, (dp_body_id){1})->pose.p.z;
    o->apart = dp_spec_body(spec, (dp_body_id){2})->pose.p.z - o->first;
    return o->apart > 0.0 || refuse(o);
}

// Put balls on top until there are n.
static bool pile_up(stack *o, int n)
{
    dp_spec *spec = o->scene.spec;
    const int there = dp_spec_body_count(spec) - 1;
    for (int i = there; i < n; ++i) {
        dp_body_spec body = *dp_spec_body(spec, (dp_body_id){there});
        dp_joint_spec joint = *dp_spec_joint(spec, (dp_joint_id){there - 1});
        dp_geom_spec geom = *dp_spec_geom(spec, (dp_geom_id){there});
        char name[32];
        snprintf(name, sizeof name, "more%d", i);
        body.name = joint.name = geom.name = name;
        body.pose.p.z = o->first + i * o->apart;
        dp_body_id id;
        if (!cli_paper_works(o->p, dp_spec_add_body(&id, spec, DP_WORLD, &body)) ||
            !cli_paper_works(o->p, dp_spec_add_joint(NULL, spec, id, &joint)) ||
            !cli_paper_works(o->p, dp_spec_add_geom(NULL, spec, id, &geom))) {
            return false;
        }
    }
    o->n = dp_spec_body_count(spec) - 1;
    return true;
}

static bool begin(stack *o, cli_paper *p, int n)
{
    *o = (stack){.p = p};
    if (!cli_paper_load(&o->scene, p) || !read_scene(o) || !pile_up(o, n)) {
        return false;
    }
    if (!cli_paper_works(p, dp_model_compile(&o->scene.model, o->scene.spec))) {
        p->bad_input = true;
        return false;
    }
    o->mass = dp_model_body(o->scene.model, (dp_body_id){1}).inertial.mass;
    return cli_paper_works(p, cli_data_create(&o->data, o->scene.model));
}

static void end(stack *o)
{
    dp_data_destroy(o->data);
    cli_scene_destroy(&o->scene);
}

static double height(const stack *o, int i)
{
    return dp_data_q(o->data)[7 * i + 2];
}

// Of the contact below ball i, at rest: (4/3) E* √r d^{3/2} = m g (N − i)
static double resting_depth(const stack *o, int i)
{
    const double d = cbrt(o->mass * o->gravity * (o->n - i) / o->k[i > 0]);
    return d * d;
}

// --- runs -------------------------------------------------------------------------------------

// Depths of contacts against their number from the floor, 1 …
typedef struct depths {
    cli_curve *law, *exact;
} depths;

typedef struct result {
    double time;       // [s] of the processor for one second
    double iterations; // for one second
    double off;        // [m] height of the uppermost ball beyond what Hertz says
    double aside;      // [m] farthest from the line
    double fastest;    // [m/s] at the end
    double gained;     // [J] largest growth of the ledger's remainder in a step
    int unsolved;      // steps
} result;

static double resting_height(const stack *o)
{
    double z = -o->radius;
    for (int i = 0; i < o->n; ++i) {
        z += 2.0 * o->radius - resting_depth(o, i);
    }
    return z;
}

static bool step(stack *o)
{
    return cli_paper_works(o->p, dp_step(o->data));
}

static bool run(result *out, stack *o, int repeats)
{
    *out = (result){.time = INFINITY};
    dp_data_options(o->data)->step = paper_step;
    for (int k = 0; k < repeats; ++k) {
        dp_data_reset(o->data);
        const double before = cli_processor_clock();
        for (int i = 0; i < paper_steps; ++i) {
            if (!step(o)) {
                return false;
            }
        }
        out->time = fmin(out->time, (cli_processor_clock() - before) / (paper_step * paper_steps));
    }
    dp_data_reset(o->data);
    dp_data_options(o->data)->ledger = true;
    for (int i = 0; i < paper_steps; ++i) {
        const double before = dp_data_ledger(o->data)->remainder;
        if (!step(o)) {
            return false;
        }
        const dp_step_report *info = dp_data_report(o->data);
        out->iterations += info->work.iterations / (paper_step * paper_steps);
        out->unsolved += info->unsolved > 0;
        out->gained = fmax(out->gained, dp_data_ledger(o->data)->remainder - before);
    }
    for (int i = 0; i < o->n; ++i) {
        const double *q = dp_data_q(o->data) + 7 * i, *v = dp_data_v(o->data) + 6 * i;
        out->aside = fmax(out->aside, hypot(q[0], q[1]));
        out->fastest = fmax(out->fastest, sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
    }
    out->off = height(o, o->n - 1) - resting_height(o);
    return true;
}

enum { SIZES = 6 };
static const int sizes[SIZES] = {2, 5, 10, 20, 50, 100};

static int count_of_sizes(const cli_paper *p)
{
    return p->quick ? 4 : SIZES;
}

static void tell_size(stack *o, const result *r)
{
    cli_paper *p = o->p;
    char of[32];
    snprintf(of, sizeof of, "%d balls", o->n);
    cli_paper_tell(p, of, "time for 1 s", "s", NAN, r->time,
                   "Fig. 10 has no numbers. Processor time, mean of 5 s by steps of 0.01 s");
    cli_paper_tell(p, of, "iterations for 1 s", "1", NAN, r->iterations, "in 100 steps");
    cli_paper_tell(p, of, "steps not solved", "1", NAN, r->unsolved,
                   "the paper: the stack is stable");
    cli_paper_tell(p, of, "height after 5 s less that of Hertz", "m", NAN, r->off,
                   "the uppermost ball, against the sum of (m g (N − i)/((4/3) E* √r))^{2/3}");
    cli_paper_tell(p, of, "farthest ball from the line after 5 s", "m", 0.0, r->aside,
                   "an unstable equilibrium that nothing holds: it stands because nothing pushes "
                   "it, not even round-off");
    cli_paper_tell(p, of, "fastest ball after 5 s", "m/s", NAN, r->fastest, "%s", "");
    cli_paper_tell(p, of, "energy that the method gives in a step, at most", "J", NAN, r->gained,
                   "the ledger's remainder does not grow while nothing turns");
}

static void note_depths(const depths *out, const stack *o)
{
    double below = -o->radius;
    for (int i = 0; i < o->n; ++i) {
        cli_curve_add(o->p, out->law, i + 1.0, below + 2.0 * o->radius - height(o, i));
        cli_curve_add(o->p, out->exact, i + 1.0, resting_depth(o, i));
        below = height(o, i);
    }
}

// Slope of log time, and of log time per iteration, over log n: from 10 balls on.
static void tell_growth(cli_paper *p, const result *r)
{
    const int last = count_of_sizes(p) - 1, first = 2;
    const double decades = log10((double)sizes[last] / sizes[first]);
    cli_paper_tell(p, "from 10 balls on", "exponent of the time in the balls", "1", NAN,
                   log10(r[last].time / r[first].time) / decades,
                   "1 is linear; %d balls take longer to come to rest", sizes[last]);
    cli_paper_tell(p, "from 10 balls on", "the same of the time of an iteration", "1", NAN,
                   log10(r[last].time / r[last].iterations * r[first].iterations / r[first].time) /
                       decades,
                   "%s", "");
}

// --- against the ODE --------------------------------------------------------------------------

enum { BALLS = 3, STEPS = 4 };
static const double fine_step[STEPS] = {4e-6, 2e-6, 1e-6, 5e-7};
static const double compared = 0.1;    // [s] two impacts on the floor, three between balls
static const double tolerance = 1e-15; // [m]

static cli_stack as_ode(const stack *o)
{
    cli_stack s = {.n = o->n,
                   .mass = o->mass,
                   .radius = o->radius,
                   .gravity = o->gravity,
                   .k = {o->k[0], o->k[1]},
                   .d = {o->d[0], o->d[1]}};
    for (int i = 0; i < o->n; ++i) {
        s.z[i] = o->first + i * o->apart;
    }
    return s;
}

static double distance(const cli_stack *a, const cli_stack *b)
{
    double worst = 0.0;
    for (int i = 0; i < a->n; ++i) {
        worst = fmax(worst, fabs(a->z[i] - b->z[i]));
    }
    return worst;
}

// @param curve how far the worst ball is off, against the step
static bool compare(cli_curve *curve, cli_paper *p)
{
    stack o;
    bool fine = begin(&o, p, BALLS);
    if (fine && o.n != BALLS) {
        fine = cli_paper_refuse(p, "no more than three balls: others are put on top");
    }
    if (!fine) {
        end(&o);
        return false;
    }
    cli_stack exact = as_ode(&o), closer = exact;
    const cli_stack_result done = cli_stack_advance(&exact, compared, tolerance);
    const cli_stack_result again = cli_stack_advance(&closer, compared, 0.1 * tolerance);
    if (done.failed || again.failed) {
        fine = cli_paper_refuse(p, "balls whose motion an explicit method can follow");
    }
    double error[STEPS];
    const int count = p->quick ? 2 : STEPS;
    for (int k = 0; k < count && fine; ++k) {
        dp_data_reset(o.data);
        dp_data_options(o.data)->step = fine_step[k];
        const int n = (int)(compared / fine_step[k] + 0.5);
        for (int i = 0; i < n && fine; ++i) {
            fine = step(&o);
        }
        cli_stack law = exact;
        for (int b = 0; b < BALLS; ++b) {
            law.z[b] = height(&o, b);
        }
        error[k] = distance(&exact, &law);
        cli_curve_add(p, curve, fine_step[k], error[k]);
    }
    if (fine) {
        char of[64], against[64];
        snprintf(of, sizeof of, "%d balls after %g s", BALLS, compared);
        snprintf(against, sizeof against, "distance from the ODE, h = %g s", fine_step[count - 1]);
        cli_paper_tell(p, of, against, "m", NAN, error[count - 1],
                       "the worst ball. The same forces as an ODE along the line, by the classical "
                       "method of Runge and Kutta with errors of a step of at most %g m",
                       tolerance);
        cli_paper_tell(p, of, "order in h", "1", 1.0, log2(error[count - 2] / error[count - 1]),
                       "from the last two steps; the paper: first order. Impacts last 2e-4 s");
        cli_paper_tell(p, of, "error of the ODE, for a tenth of its tolerance", "m", NAN,
                       distance(&exact, &closer), "%ld steps", done.steps);
    }
    end(&o);
    return fine;
}

// --- the plot ---------------------------------------------------------------------------------

enum { SHOWN = 5 };
typedef struct motion {
    cli_curve *law[SHOWN], *ode[SHOWN];
} motion;

// Heights over time: what forms at h = 0.01 s, and what the ODE does.
static bool follow(motion *out, cli_paper *p)
{
    const double seconds = 1.0, sample = 1e-3;
    for (int b = 0; b < SHOWN; ++b) {
        out->law[b] = cli_paper_curve(p);
        out->ode[b] = cli_paper_curve(p);
    }
    stack o;
    bool fine = begin(&o, p, SHOWN);
    if (fine) {
        dp_data_options(o.data)->step = paper_step;
    }
    for (int i = 0; i <= (int)(seconds / paper_step + 0.5) && fine; ++i) {
        for (int b = 0; b < SHOWN; ++b) {
            cli_curve_add(p, out->law[b], i * paper_step, height(&o, b));
        }
        fine = step(&o);
    }
    cli_stack s = as_ode(&o);
    for (int i = 0; i <= (int)(seconds / sample + 0.5) && fine; ++i) {
        for (int b = 0; b < SHOWN; ++b) {
            cli_curve_add(p, out->ode[b], i * sample, s.z[b]);
        }
        fine = !cli_stack_advance(&s, sample, 1e-10).failed;
    }
    end(&o);
    return fine;
}

static bool draw(cli_paper *p, const result *r, const depths *d, const cli_curve *error)
{
    motion m;
    if (!follow(&m, p)) {
        return false;
    }
    cli_curve *time = cli_paper_curve(p), *each = cli_paper_curve(p), *linear = cli_paper_curve(p),
              *slope = cli_paper_curve(p);
    for (int i = 0; i < count_of_sizes(p); ++i) {
        cli_curve_add(p, time, sizes[i], r[i].time);
        cli_curve_add(p, each, sizes[i], r[i].time / r[i].iterations);
        cli_curve_add(p, linear, sizes[i], r[2].time * sizes[i] / sizes[2]);
    }
    for (int i = 0; i < STEPS; ++i) {
        cli_curve_add(p, slope, fine_step[i], 2e3 * fine_step[i]);
    }
    dp_plot_series over_time[2 * SHOWN];
    for (int b = 0; b < SHOWN; ++b) {
        over_time[b] =
            cli_curve_series(m.ode[b], b == 0 ? "as an ODE" : NULL, DP_PLOT_STYLE_REFERENCE, 0);
        over_time[SHOWN + b] =
            cli_curve_series(m.law[b], b == 0 ? "h = 0.01 s" : NULL, DP_PLOT_STYLE_LINE, 1);
    }
    const dp_plot_series times[] = {
        cli_curve_series(linear, "linear", DP_PLOT_STYLE_REFERENCE, 0),
        cli_curve_series(time, "1 s of the stack", DP_PLOT_STYLE_MARKED, 1),
        cli_curve_series(each, "one iteration", DP_PLOT_STYLE_MARKED, 2)};
    const dp_plot_series deep[] = {cli_curve_series(d->exact, "Hertz", DP_PLOT_STYLE_REFERENCE, 0),
                                   cli_curve_series(d->law, "after 5 s", DP_PLOT_STYLE_MARKS, 3)};
    char title[64];
    snprintf(title, sizeof title, "depths in the stack of %d", sizes[count_of_sizes(p) - 1]);
    const dp_plot_series errors[] = {
        cli_curve_series(slope, "∝ h", DP_PLOT_STYLE_REFERENCE, 0),
        cli_curve_series(error, "the worst of three balls", DP_PLOT_STYLE_MARKED, 4)};
    const dp_plot_panel panel[] = {
        {"time for one second",
         {.name = "balls", .log = true, .lo = 1.5, .hi = 150.0},
         {.name = "processor time", .unit = "s", .log = true},
         times,
         3},
        {"five balls form a stack",
         {.name = "time", .unit = "s"},
         {.name = "height", .unit = "m"},
         over_time,
         2 * SHOWN},
        {title,
         {.name = "contact, from the floor", .lo = 0.0, .hi = sizes[count_of_sizes(p) - 1] + 1.0},
         {.name = "depth", .unit = "m"},
         deep,
         2},
        {"distance from the ODE after 0.1 s",
         {.name = "step h", .unit = "s", .log = true, .lo = 4e-7, .hi = 5e-6},
         {.name = "distance", .unit = "m", .log = true},
         errors,
         2},
    };
    const dp_plot plot = {"Stacks of balls that form in the air, E = 10¹¹ Pa", panel, 4, 2};
    return cli_paper_draw(p, &plot);
}

// --- Fig. 10 ----------------------------------------------------------------------------------

bool cli_paper_stack(cli_paper *p)
{
    result r[SIZES] = {{.time = 0.0}};
    const depths d = {cli_paper_curve(p), cli_paper_curve(p)};
    for (int i = 0; i < count_of_sizes(p); ++i) {
        stack o;
        bool fine = begin(&o, p, sizes[i]);
        if (fine && o.n != sizes[i]) {
            fine = cli_paper_refuse(p, "two balls: others are put on top");
        }
        fine = fine && run(&r[i], &o, p->quick ? 1 : 3);
        if (fine) {
            tell_size(&o, &r[i]);
        }
        if (fine && i == count_of_sizes(p) - 1) {
            note_depths(&d, &o);
        }
        end(&o);
        if (!fine) {
            return false;
        }
    }
    tell_growth(p, r);
    cli_curve *error = cli_paper_curve(p);
    return compare(error, p) && draw(p, r, &d, error);
}
