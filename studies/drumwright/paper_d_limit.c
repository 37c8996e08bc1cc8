// [Drumwright2019], section 5.4: a pendulum falls onto a stiff, undamped limit θ ≥ 0 at its lowest
// point. What comes back of its speed, the restitution e, depends on the step: implicit Euler damps
// the half period π/ω, ω = √(k/I), that the impact lasts, so that e → exp(−π ω h/2) for small ω h.
//
// Impacts last 3e-6 s and flights a second. So flights are made by RK45, up to a few steps before
// the limit, and impacts by dp_step with the step in question: 1e-8 s costs no more than 1e-4 s.
// Where in its step the limit is met (the phase, 0 … 1) is chosen: flights end so that it is.
//
// Departures. The paper's own rule is compared: a limit that is not yet reached has φ = 0 and no
// force, so the impact is seen a step late. Then λ = (84), here one row:
//
//     (1 + (h² k + h b) M⁻¹) λ ≥ −k φ − (h k + b)(φ̇ + h M⁻¹ f),   λ ≥ 0,   where φ ≤ 0
//
// With large steps its rebound is anything between 0 and 1, by the phase. Dashpot's row has the
// signed gap and acts as soon as it can close within the step.
#include "common/signals.h"
#include "paper.h"

#include <stdio.h>

typedef struct pendulum {
    cli_paper *p;
    cli_scene scene;
    dp_data *data;
    double k, b, lowest; // of the limit
    double inertia;      // [kg m²] at the limit
} pendulum;

// What an impact did.
typedef struct impact {
    double before, after; // [rad/s] speeds, both positive
    int steps;
} impact;

static double *angle(pendulum *o)
{
    return dp_data_q(o->data);
}

static double *rate(pendulum *o)
{
    return dp_data_v(o->data);
}

static double gap(pendulum *o)
{
    return *angle(o) - o->lowest;
}

static bool step(pendulum *o, dp_integrator integrator, double h)
{
    dp_options *options = dp_data_options(o->data);
    options->integrator = integrator;
    options->disable_limits =
        integrator != DP_INTEGRATOR_SEMI_IMPLICIT; // flights do not get that far
    options->step = h;
    return cli_paper_works(o->p, dp_step(o->data));
}

// --- flights ----------------------------------------------------------------------------------

static const double coarse = 1e-3; // [s] of flights, between samples

// Fly to `ahead` seconds before the limit is met, or to the end of time. The limit is far enough to
// be out of reach of every part of the flight.
static bool fly(pendulum *o, double ahead, double end, cli_curve *curve)
{
    for (;;) {
        const double left = end - dp_data_time(o->data);
        const double until = *rate(o) < 0.0 ? gap(o) / -*rate(o) : INFINITY; // at this speed
        if (left <= 0.0 || until <= 1.0001 * ahead) {
            return true;
        }
        // Half of what is left while gravity can change the speed, then all of it.
        double h = fmin(coarse, left);
        if (until < 4.0 * h) {
            h = fmin(h, until > 1e-6 + 4.0 * ahead ? 0.5 * (until - ahead) : until - ahead);
        }
        if (!step(o, DP_INTEGRATOR_RK45, h)) {
            return false;
        }
        if (curve) {
            cli_curve_add(o->p, curve, dp_data_time(o->data), *angle(o));
        }
    }
}

// --- impacts ----------------------------------------------------------------------------------

// The paper's rule and (84), for one row.
static dp_status advance_published(pendulum *o, double h)
{
    const double none = 0.0, phi = gap(o);
    double a;
    dp_status status = dp_kinematics(o->data);
    if (status == DP_OK) {
        status = dp_forward_dynamics(&a, o->data, &none);
    }
    if (status != DP_OK) {
        return status;
    }
    const double D = h * o->k + o->b;
    const double above = (-o->k * phi - D * (*rate(o) + h * a)) / (1.0 + h * D / o->inertia);
    const double lambda = phi > 0.0 ? 0.0 : fmax(0.0, above);
    *rate(o) += h * (a + lambda / o->inertia);
    *angle(o) += h * *rate(o);
    dp_data_set_time(o->data, dp_data_time(o->data) + h);
    return DP_OK;
}

// Steps of h until the limit is left behind, or has taken all the speed.
static bool hit(impact *out, pendulum *o, double h, bool published, cli_curve *curve)
{
    const double at_rest = 1e-9; // [rad/s] nothing comes back
    const int most = 100000;
    *out = (impact){.before = -*rate(o)};
    bool touched = false;
    for (int i = 0; i < most; ++i) {
        const bool fine = published ? cli_paper_works(o->p, advance_published(o, h))
                                    : step(o, DP_INTEGRATOR_SEMI_IMPLICIT, h);
        if (!fine) {
            return false;
        }
        if (curve) {
            cli_curve_add(o->p, curve, dp_data_time(o->data), *angle(o));
        }
        touched = touched || gap(o) <= 0.0 || *rate(o) > -0.5 * out->before;
        out->steps = i + 1;
        if (touched &&
            (fabs(*rate(o)) < at_rest * out->before || (gap(o) > 0.0 && *rate(o) > 0.0))) {
            break;
        }
    }
    out->after = fmax(0.0, *rate(o));
    return true;
}

// Fall from the start and hit the limit with steps of h that meet it at this phase.
static bool drop(impact *out, pendulum *o, double h, double phase, bool published)
{
    const double longest = 100.0; // [s]
    if (!cli_paper_works(o->p, dp_data_reset_to_key(o->data, (dp_key_id){0})) ||
        !fly(o, (3.0 + phase) * h, longest, NULL)) {
        return false;
    }
    if (dp_data_time(o->data) >= longest) {
        return cli_paper_refuse(o->p, "a pendulum that meets its limit within 100 s");
    }
    return hit(out, o, h, published, NULL);
}

// Mean, least and most restitution over the phases.
typedef struct restitution {
    double mean, least, most;
} restitution;

static bool measure(restitution *out, pendulum *o, double h, int phases, bool published)
{
    *out = (restitution){.least = INFINITY, .most = -INFINITY};
    for (int i = 0; i < phases; ++i) {
        impact r = {0};
        if (!drop(&r, o, h, (i + 0.5) / phases, published)) {
            return false;
        }
        const double e = r.after / r.before;
        out->mean += e / phases;
        out->least = fmin(out->least, e);
        out->most = fmax(out->most, e);
    }
    return true;
}

// --- Fig. 6 -----------------------------------------------------------------------------------

static bool begin(pendulum *o)
{
    static const char expected[] = "one hinge that is limited, with a stiffness, and a keyframe";
    if (!cli_paper_load(&o->scene, o->p)) {
        return false;
    }
    if (!cli_paper_works(o->p, dp_model_compile(&o->scene.model, o->scene.spec))) {
        o->p->bad_input = true;
        return false;
    }
    const dp_model *m = o->scene.model;
    const dp_model_size *size = dp_model_sizes(m);
    const dp_joint_info joint = dp_model_joint(m, (dp_joint_id){0});
    if (size->nv != 1 || size->nq != 1 || size->nkey < 1 || !joint.limited ||
        !isfinite(joint.limit.stiffness)) {
        return cli_paper_refuse(o->p, expected);
    }
    o->k = joint.limit.stiffness;
    o->b = joint.limit.damping;
    o->lowest = joint.range[0];
    if (!cli_paper_works(o->p, cli_data_create(&o->data, m))) {
        return false;
    }
    *angle(o) = o->lowest;
    return cli_paper_works(o->p, dp_kinematics(o->data)) &&
           cli_paper_works(o->p, dp_mass_matrix(&o->inertia, o->data)) &&
           cli_paper_works(o->p, dp_data_reset_to_key(o->data, (dp_key_id){0}));
}

// θ over time, impact after impact. What rests on the limit stays there.
static bool trace(cli_curve *curve, pendulum *o, double h, double seconds)
{
    if (!cli_paper_works(o->p, dp_data_reset_to_key(o->data, (dp_key_id){0}))) {
        return false;
    }
    const double rest = 1e-3; // [rad/s] bounces below are not worth drawing
    cli_curve_add(o->p, curve, 0.0, *angle(o));
    while (dp_data_time(o->data) < seconds) {
        impact r = {0};
        if (!fly(o, 3.5 * h, seconds, curve)) {
            return false;
        }
        if (dp_data_time(o->data) >= seconds) {
            break;
        }
        if (!hit(&r, o, h, false, curve)) {
            return false;
        }
        if (r.after < rest) {
            cli_curve_add(o->p, curve, seconds, o->lowest);
            break;
        }
    }
    return true;
}

enum { STEPS = 5 };
static const double steps[STEPS] = {1e-4, 1e-5, 1e-6, 1e-7, 1e-8};
static const char *const step_names[STEPS] = {"h = 1e-4", "h = 1e-5", "h = 1e-6", "h = 1e-7",
                                              "h = 1e-8"};

static bool tell(pendulum *o, int phases)
{
    const double omega = sqrt(o->k / o->inertia);
    double error[STEPS];
    for (int i = 0; i < STEPS; ++i) {
        restitution ours, published;
        if (!measure(&ours, o, steps[i], phases, false) ||
            !measure(&published, o, steps[i], phases, true)) {
            return false;
        }
        error[i] = 1.0 - ours.mean;
        cli_paper_tell(o->p, step_names[i], "restitution", "1", i <= 1 ? 0.0 : NAN, ours.mean,
                       i <= 1 ? "the paper: for h ≥ 1e-5 the impact appears to be dead"
                              : "mean over phases; exp(−π ω h/2) → %.6g",
                       exp(-0.5 * 3.14159265358979323846 * omega * steps[i]));
        cli_paper_tell(o->p, step_names[i], "its spread over phases", "1", NAN,
                       ours.most - ours.least, "%s", "");
        cli_paper_tell(o->p, step_names[i], "restitution, published rule, least", "1", NAN,
                       published.least, "%s",
                       "a limit that is seen a step late: with large steps the rebound is that "
                       "part of the speed by which the last step overshot");
        cli_paper_tell(o->p, step_names[i], "restitution, published rule, most", "1", NAN,
                       published.most, "%s",
                       "a limit that is seen a step late: with large steps the rebound is that "
                       "part of the speed by which the last step overshot");
    }
    cli_paper_tell(o->p, "h = 1e-7 to 1e-8", "order of 1 − e in h", "1", 1.0,
                   log10(error[STEPS - 2] / error[STEPS - 1]),
                   "the paper: accuracy increases linearly as h decreases");
    return true;
}

// Restitution against the step.
typedef struct sweep {
    cli_curve *ours, *least, *most, *theory;
} sweep;

static bool measure_sweep(sweep *out, pendulum *o, int phases)
{
    const double omega = sqrt(o->k / o->inertia);
    const int per_decade = o->p->quick ? 1 : 4, count = 4 * per_decade + 1;
    *out = (sweep){cli_paper_curve(o->p), cli_paper_curve(o->p), cli_paper_curve(o->p),
                   cli_paper_curve(o->p)};
    for (int i = 0; i < count; ++i) {
        const double h = 1e-8 * pow(10.0, (double)i / per_decade);
        restitution ours, published;
        if (!measure(&ours, o, h, phases, false) || !measure(&published, o, h, phases, true)) {
            return false;
        }
        cli_curve_add(o->p, out->ours, h, ours.mean);
        cli_curve_add(o->p, out->least, h, published.least);
        cli_curve_add(o->p, out->most, h, published.most);
    }
    for (int i = 0; i <= 200; ++i) {
        const double h = 1e-8 * pow(10.0, i / 50.0);
        cli_curve_add(o->p, out->theory, h, exp(-0.5 * 3.14159265358979323846 * omega * h));
    }
    return true;
}

static bool draw(pendulum *o, int phases)
{
    static const char *const names[STEPS] = {NULL, "h = 10⁻⁵", "h = 10⁻⁶", "h = 10⁻⁷", "h = 10⁻⁸"};
    dp_plot_series series[STEPS - 1];
    for (int i = 1; i < STEPS; ++i) {
        cli_curve *curve = cli_paper_curve(o->p);
        if (!trace(curve, o, steps[i], 3.0)) {
            return false;
        }
        series[i - 1] = cli_curve_series(curve, names[i], DP_PLOT_STYLE_LINE, i);
    }
    sweep s;
    if (!measure_sweep(&s, o, phases)) {
        return false;
    }
    const dp_plot_series rebound[] = {
        cli_curve_series(s.theory, "exp(−π ω h/2)", DP_PLOT_STYLE_REFERENCE, 0),
        cli_curve_series(s.most, "published rule, most", DP_PLOT_STYLE_DASHED, 2),
        cli_curve_series(s.least, "published rule, least", DP_PLOT_STYLE_DASHED, 2),
        cli_curve_series(s.ours, "Dashpot", DP_PLOT_STYLE_MARKED, 1)};
    const dp_plot_panel panel[] = {
        {"angle over time",
         {.name = "time", .unit = "s"},
         {.name = "angle", .unit = "rad"},
         series,
         STEPS - 1},
        {"what is left of the speed",
         {.name = "step h", .unit = "s", .log = true},
         {.name = "restitution", .unit = "1", .lo = 0.0, .hi = 1.0},
         rebound,
         4},
    };
    const dp_plot plot = {"Pendulum on a stiff limit: k = 10¹² N m/rad, b = 0", panel, 2, 2};
    return cli_paper_draw(o->p, &plot);
}

bool cli_paper_limit(cli_paper *p)
{
    pendulum o = {.p = p};
    const int phases = p->quick ? 8 : 32;
    const bool fine = begin(&o) && tell(&o, phases) && draw(&o, phases);
    dp_data_destroy(o.data);
    cli_scene_destroy(&o.scene);
    return fine;
}
