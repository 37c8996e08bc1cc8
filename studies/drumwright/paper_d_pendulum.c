// [Drumwright2019], section 4.4: a pendulum in absolute coordinates (x, z, θ), held by a stiff pin,
// φ = (x, z) + R(θ) u.
//
// Dashpot's step meets the law with φ(q₁) and the direction G(q₀). The paper extrapolates φ₁
// instead, with h Ġ v frozen at the start of the step:
//
//     φ̇₁ = φ̇₀ + h (G M⁻¹(Gᵀ λ₁ + f) + Ġ v₀),   φ₁ = φ₀ + h φ̇₁               (51), (52)
//     λ₁ = −K φ₁ − B φ̇₁ − (G M⁻¹ Gᵀ)⁻¹ Ġ v₀                                (53)
//     v₁ = v₀ + h M⁻¹ (Gᵀ λ₁ + f),   q₁ = q₀ + h v₁                         (37), (36)
//
// It is written out here for this one body, to be compared.
//
// Departures. λ₁ is solved for directly, since −K φ₁ from (62) cancels up to twelve digits. The
// paper reports an energy of "precisely zero"; the error is of first order in h. With large steps
// its scheme gains energy until it blows up; without the terms in Ġ v it does not.
#include "common/signals.h"
#include "common/text.h"
#include "paper.h"

#include <math.h>
#include <stdio.h>

// The bob and its pin, read from the scene.
typedef struct bob {
    double mass, inertia; // [kg], [kg m²] about its centre
    double u[2];          // [m] from the centre to the pin, at θ = 0
    double start[2];      // [m] the centre, from the pin in the world
    double g;             // [m/s²] downwards
    double k, b;          // [N/m], [N s/m] of the pin
} bob;

typedef struct bob_state {
    double q[3], v[3]; // x, z, θ
} bob_state;

static bob_state at_rest(const bob *o)
{
    return (bob_state){.q = {o->start[0], o->start[1], 0.0}};
}

// How far the pin is from where it should be [m].
static double deviation(const bob *o, const bob_state *s)
{
    const double c = cos(s->q[2]), n = sin(s->q[2]);
    return hypot(s->q[0] + c * o->u[0] - n * o->u[1], s->q[1] + n * o->u[0] + c * o->u[1]);
}

// Energy, zero at the start [J].
static double energy(const bob *o, const bob_state *s)
{
    return 0.5 * o->mass * (s->v[0] * s->v[0] + s->v[1] * s->v[1]) +
           0.5 * o->inertia * s->v[2] * s->v[2] + o->mass * o->g * (s->q[1] - o->start[1]);
}

// One step as published; without the terms in Ġ v where `frozen` is false.
static void advance_published(const bob *o, bob_state *s, double h, bool frozen)
{
    const double c = cos(s->q[2]), n = sin(s->q[2]), w = s->v[2];
    const double Ru[2] = {c * o->u[0] - n * o->u[1], n * o->u[0] + c * o->u[1]};
    const double d[2] = {-Ru[1], Ru[0]}; // G = (I, d)
    const double W[2][2] = {{1.0 / o->mass + d[0] * d[0] / o->inertia, d[0] * d[1] / o->inertia},
                            {d[0] * d[1] / o->inertia, 1.0 / o->mass + d[1] * d[1] / o->inertia}};
    const double det_W = W[0][0] * W[1][1] - W[0][1] * W[1][0];
    const double f[2] = {0.0, -o->g}; // G M⁻¹ f
    const double D = h * o->k + o->b;
    double Gdv[2], r[2], lambda[2];
    for (int i = 0; i < 2; ++i) {
        Gdv[i] = frozen ? -w * w * Ru[i] : 0.0;
    }
    const double push[2] = {(W[1][1] * Gdv[0] - W[0][1] * Gdv[1]) / det_W, // W⁻¹ Ġ v
                            (W[0][0] * Gdv[1] - W[1][0] * Gdv[0]) / det_W};
    for (int i = 0; i < 2; ++i) {
        r[i] =
            -o->k * (s->q[i] + Ru[i]) - D * (s->v[i] + d[i] * w + h * f[i] + h * Gdv[i]) - push[i];
    }
    const double A[2][2] = {{1.0 + h * D * W[0][0], h * D * W[0][1]},
                            {h * D * W[1][0], 1.0 + h * D * W[1][1]}};
    const double det_A = A[0][0] * A[1][1] - A[0][1] * A[1][0];
    lambda[0] = (A[1][1] * r[0] - A[0][1] * r[1]) / det_A;
    lambda[1] = (A[0][0] * r[1] - A[1][0] * r[0]) / det_A;

    s->v[0] += h * lambda[0] / o->mass;
    s->v[1] += h * (lambda[1] / o->mass - o->g);
    s->v[2] += h * (d[0] * lambda[0] + d[1] * lambda[1]) / o->inertia;
    for (int i = 0; i < 3; ++i) {
        s->q[i] += h * s->v[i];
    }
}

// --- runs -------------------------------------------------------------------------------------

typedef enum scheme { OURS, PUBLISHED, WITHOUT } scheme;

// What one run shows. Curves may be NULL.
typedef struct result {
    double deviation;   // [m] the largest
    double energy;      // [J] the largest error
    double last_energy; // [J] at the end
    double blow_up;     // [s] when the pin was LOST away; INFINITY: never
    cli_curve *over_time;
} result;

static const double lost = 100.0; // [m] a hundred lengths: nothing of a pendulum is left

static void note(cli_paper *p, result *r, double t, double gap, double e)
{
    r->deviation = fmax(r->deviation, gap);
    r->energy = fmax(r->energy, fabs(e));
    r->last_energy = e;
    if (!(gap < lost) && isinf(r->blow_up)) {
        r->blow_up = t;
    }
    if (r->over_time) {
        cli_curve_add(p, r->over_time, t, gap);
    }
}

static void run_by_hand(cli_paper *p, result *r, const bob *o, scheme s, double h, double seconds)
{
    bob_state state = at_rest(o);
    const int steps = (int)lround(seconds / h);
    for (int i = 1; i <= steps && isinf(r->blow_up); ++i) {
        advance_published(o, &state, h, s == PUBLISHED);
        note(p, r, i * h, deviation(o, &state), energy(o, &state));
    }
}

static double total_energy(const dp_data *d)
{
    const dp_energy e = dp_data_energy(d);
    return e.kinetic + e.gravity;
}

// Where the step has brought the bob, in the coordinates above.
static bob_state state_of(const bob *o, dp_data *d)
{
    const double *q = dp_data_q(d);
    return (bob_state){.q = {o->start[0] + q[0], o->start[1] + q[1], q[2]}};
}

static bool run_ours(cli_paper *p, result *r, const dp_model *m, const bob *o, double h,
                     double seconds)
{
    dp_data *d = NULL;
    bool fine = cli_paper_works(p, cli_data_create(&d, m)) && cli_paper_works(p, dp_kinematics(d));
    const double before = fine ? total_energy(d) : 0.0;
    const int steps = (int)lround(seconds / h);
    if (fine) {
        dp_data_options(d)->step = h;
    }
    for (int i = 1; i <= steps && fine; ++i) {
        fine = cli_paper_works(p, dp_step(d)) && cli_paper_works(p, dp_kinematics(d));
        if (fine) {
            const bob_state state = state_of(o, d);
            note(p, r, i * h, deviation(o, &state), total_energy(d) - before);
        }
    }
    dp_data_destroy(d);
    return fine;
}

typedef struct pendulum {
    cli_paper *p;
    cli_scene scene;
    bob bob;
} pendulum;

static bool run(result *r, pendulum *o, scheme s, double h, double seconds, bool keep)
{
    *r = (result){.blow_up = INFINITY, .over_time = keep ? cli_paper_curve(o->p) : NULL};
    if (keep) {
        cli_curve_add(o->p, r->over_time, 0.0, 0.0);
    }
    if (s == OURS) {
        return run_ours(o->p, r, o->scene.model, &o->bob, h, seconds);
    }
    run_by_hand(o->p, r, &o->bob, s, h, seconds);
    return true;
}

// --- the scene --------------------------------------------------------------------------------

static bool is_joint(const dp_model *m, int number, dp_joint_kind kind, dp_v3 axis)
{
    const dp_joint_info j = dp_model_joint(m, (dp_joint_id){number});
    const double along = j.axis.x * axis.x + j.axis.y * axis.y + j.axis.z * axis.z;
    return j.kind == kind && along > 1.0 - 1e-12;
}

// Compile with this inertia of the bob (0: the scene's), and read what the paper's scheme needs.
static bool set_inertia(pendulum *o, double inertia)
{
    static const char expected[] =
        "one body of given inertia around its centre on slides along x and z and a hinge about -y, "
        "and a connect with a stiffness to the world";
    const dp_body_id body = {1};
    dp_body_spec *spec = dp_spec_body(o->scene.spec, body);
    dp_model_destroy(o->scene.model);
    o->scene.model = NULL;
    if (!spec || spec->inertia_source != DP_INERTIA_SOURCE_GIVEN) {
        return cli_paper_refuse(o->p, expected);
    }
    if (inertia > 0.0) {
        spec->inertial.moments = (dp_v3){inertia, inertia, inertia};
    }
    if (!cli_paper_works(o->p, dp_model_compile(&o->scene.model, o->scene.spec))) {
        o->p->bad_input = true;
        return false;
    }
    const dp_model *m = o->scene.model;
    const dp_model_size *size = dp_model_sizes(m);
    const dp_body_info info = dp_model_body(m, body);
    const dp_equality_info pin = dp_model_equality(m, (dp_equality_id){0});
    const dp_v3 centre = info.inertial.frame.p;
    const bool centred = fabs(centre.x) + fabs(centre.y) + fabs(centre.z) < 1e-12;
    if (size->nbody != 2 || size->nv != 3 || size->nequality != 1 || !centred ||
        pin.kind != DP_EQUALITY_CONNECT || pin.object[0] != body.index || pin.object[1] != 0 ||
        !isfinite(pin.bearing.stiffness) ||
        !is_joint(m, 0, DP_JOINT_SLIDE, (dp_v3){1.0, 0.0, 0.0}) ||
        !is_joint(m, 1, DP_JOINT_SLIDE, (dp_v3){0.0, 0.0, 1.0}) ||
        !is_joint(m, 2, DP_JOINT_HINGE, (dp_v3){0.0, -1.0, 0.0})) {
        return cli_paper_refuse(o->p, expected);
    }
    const dp_v3 u = pin.frame[0].p;
    o->bob = (bob){.mass = info.inertial.mass,
                   .inertia = info.inertial.moments.y,
                   .u = {u.x, u.z},
                   .start = {-u.x, -u.z},
                   .g = -dp_model_options(m)->gravity.z,
                   .k = pin.bearing.stiffness,
                   .b = pin.bearing.damping};
    return true;
}

// --- Fig. 4 -----------------------------------------------------------------------------------

static const char *const scheme_names[] = {"Dashpot", "published", "without Ġv"};

// The two steps of the figure, over one second.
static bool tell_figure(pendulum *o, cli_curve *curve[2][2])
{
    static const double step[2] = {0.1, 1e-4};
    for (int i = 0; i < 2; ++i) {
        for (int s = OURS; s <= PUBLISHED; ++s) {
            result r;
            if (!run(&r, o, (scheme)s, step[i], 1.0, true)) {
                return false;
            }
            curve[i][s] = r.over_time;
            char of[64];
            snprintf(of, sizeof of, "h = %s, %s", i == 0 ? "0.1" : "1e-4", scheme_names[s]);
            cli_paper_tell(o->p, of, "largest deviation of the pin", "m", NAN, r.deviation,
                           s == OURS ? "the pin is where its spring holds it at the end of the "
                                       "step, 2e-14 m off, to the tolerance of gaps, 1e-10 m"
                                     : "the paper shows it as a figure without numbers");
            cli_paper_tell(o->p, of, "largest energy error within 1 s", "J",
                           s == PUBLISHED ? 0.0 : NAN, r.energy, "%s",
                           s == PUBLISHED ? "the paper: precisely zero. It is of first order in h"
                                          : "");
        }
    }
    return true;
}

// Order of a quantity that falls from a to b when the step falls by `factor`.
static double order(double a, double b, double factor)
{
    return log(a / b) / log(factor);
}

static bool tell_orders(pendulum *o, cli_curve *of_step[3], cli_curve *energy_of_step[3])
{
    static const double step[] = {0.1, 0.05, 0.02, 0.01, 5e-3, 2e-3, 1e-3, 1e-4};
    const int count = o->p->quick ? 7 : 8;
    for (int s = OURS; s <= WITHOUT; ++s) {
        of_step[s] = cli_paper_curve(o->p);
        energy_of_step[s] = cli_paper_curve(o->p);
        result coarse = {0}, fine = {0};
        for (int i = 0; i < count; ++i) {
            result r;
            if (!run(&r, o, (scheme)s, step[i], 1.0, false)) {
                return false;
            }
            cli_curve_add(o->p, of_step[s], step[i], r.deviation);
            cli_curve_add(o->p, energy_of_step[s], step[i], r.energy);
            coarse = step[i] == 0.01 ? r : coarse;
            fine = step[i] == 1e-3 ? r : fine;
        }
        if (s != OURS) {
            cli_paper_tell(o->p, scheme_names[s], "order of the deviation in h", "1", 2.0,
                           order(coarse.deviation, fine.deviation, 10.0), "%s", "");
        }
        cli_paper_tell(o->p, scheme_names[s], "order of the energy error in h", "1", NAN,
                       order(coarse.energy, fine.energy, 10.0), "%s", "");
    }
    return true;
}

// Thirty seconds at h = 0.1, with the inertia of the scene and with a tenth of it.
static bool tell_blow_up(pendulum *o, cli_curve *curve[2][3])
{
    const double whole = o->bob.inertia, seconds = 30.0;
    for (int i = 0; i < 2; ++i) {
        const double inertia = i == 0 ? whole : 0.1 * whole;
        if (!set_inertia(o, inertia)) {
            return false;
        }
        for (int s = OURS; s <= WITHOUT; ++s) {
            result r;
            char of[64];
            if (!run(&r, o, (scheme)s, 0.1, seconds, true)) {
                return false;
            }
            curve[i][s] = r.over_time;
            snprintf(of, sizeof of, "h = 0.1, inertia %s, %s", cli_short(3, inertia).text,
                     scheme_names[s]);
            if (s == PUBLISHED && isfinite(r.blow_up)) {
                cli_paper_tell(o->p, of, "blows up after", "s", NAN, r.blow_up,
                               "the pin is 100 m away. The paper shows one second only and calls "
                               "the scheme absolutely stable: h Ġ v, frozen over the step, is not");
            } else {
                cli_paper_tell(o->p, of, "largest deviation within 30 s", "m", NAN, r.deviation,
                               "%s", "");
                cli_paper_tell(
                    o->p, of, "energy after 30 s", "J", NAN, r.last_energy,
                    "zero at the start; m g l is %s J",
                    cli_short(3, o->bob.mass * o->bob.g * hypot(o->bob.u[0], o->bob.u[1])).text);
            }
        }
    }
    return true;
}

static bool draw(pendulum *o)
{
    cli_curve *figure[2][2], *deviations[3], *energies[3], *long_run[2][3];
    if (!tell_figure(o, figure) || !tell_orders(o, deviations, energies) ||
        !tell_blow_up(o, long_run)) {
        return false;
    }
    cli_curve *two = cli_paper_curve(o->p), *one = cli_paper_curve(o->p);
    static const double ends[] = {1e-4, 1e-1};
    for (int i = 0; i < 2; ++i) {
        cli_curve_add(o->p, two, ends[i], 2.0 * ends[i] * ends[i]);
        cli_curve_add(o->p, one, ends[i], 30.0 * ends[i]);
    }
    const dp_plot_axis time = {.name = "time", .unit = "s", .lo = 0.0, .hi = 1.0};
    const dp_plot_axis long_time = {.name = "time", .unit = "s", .lo = 0.0, .hi = 30.0};
    const dp_plot_axis gap = {.name = "deviation of the pin", .unit = "m"};
    const dp_plot_axis log_gap = {.name = "deviation of the pin", .unit = "m", .log = true};
    const dp_plot_axis step = {.name = "step h", .unit = "s", .log = true};
    const dp_plot_series large[] = {
        cli_curve_series(figure[0][PUBLISHED], "published", DP_PLOT_STYLE_MARKED, 2),
        cli_curve_series(figure[0][OURS], "Dashpot", DP_PLOT_STYLE_MARKED, 1)};
    const dp_plot_series small[] = {
        cli_curve_series(figure[1][PUBLISHED], "published", DP_PLOT_STYLE_LINE, 2),
        cli_curve_series(figure[1][OURS], "Dashpot", DP_PLOT_STYLE_LINE, 1)};
    const dp_plot_series orders[] = {
        cli_curve_series(two, "slope 2", DP_PLOT_STYLE_REFERENCE, 0),
        cli_curve_series(deviations[PUBLISHED], "published", DP_PLOT_STYLE_MARKED, 2),
        cli_curve_series(deviations[WITHOUT], "without Ġv", DP_PLOT_STYLE_MARKED, 3),
        cli_curve_series(deviations[OURS], "Dashpot", DP_PLOT_STYLE_MARKED, 1)};
    const dp_plot_series errors[] = {
        cli_curve_series(one, "slope 1", DP_PLOT_STYLE_REFERENCE, 0),
        cli_curve_series(energies[PUBLISHED], "published", DP_PLOT_STYLE_MARKED, 2),
        cli_curve_series(energies[WITHOUT], "without Ġv", DP_PLOT_STYLE_MARKED, 3),
        cli_curve_series(energies[OURS], "Dashpot", DP_PLOT_STYLE_MARKED, 1)};
    dp_plot_series blow_up[2][3];
    for (int i = 0; i < 2; ++i) {
        blow_up[i][0] =
            cli_curve_series(long_run[i][PUBLISHED], "published", DP_PLOT_STYLE_LINE, 2);
        blow_up[i][1] = cli_curve_series(long_run[i][WITHOUT], "without Ġv", DP_PLOT_STYLE_LINE, 3);
        blow_up[i][2] = cli_curve_series(long_run[i][OURS], "Dashpot", DP_PLOT_STYLE_LINE, 1);
    }
    const dp_plot_axis wide_gap = {
        .name = "deviation of the pin", .unit = "m", .log = true, .lo = 1e-18, .hi = 1e3};
    char full[64], tenth[64];
    snprintf(full, sizeof full, "h = 0.1 s, inertia %.3g kg m²", 10.0 * o->bob.inertia);
    snprintf(tenth, sizeof tenth, "h = 0.1 s, inertia %.3g kg m²", o->bob.inertia);
    const dp_plot_panel panel[] = {
        {"h = 0.1 s", time, gap, large, 2},
        {"h = 10⁻⁴ s", time, gap, small, 2},
        {"largest deviation within 1 s", step, log_gap, orders, 4},
        {"largest energy error within 1 s",
         step,
         {.name = "energy", .unit = "J", .log = true},
         errors,
         4},
        {full, long_time, wide_gap, blow_up[0], 3},
        {tenth, long_time, wide_gap, blow_up[1], 3},
    };
    const dp_plot plot = {"Pendulum in absolute coordinates: k = 10¹⁵ N/m, b = 1 N s/m", panel, 6,
                          2};
    return cli_paper_draw(o->p, &plot);
}

bool cli_paper_pendulum(cli_paper *p)
{
    pendulum o = {.p = p};
    const bool fine = cli_paper_load(&o.scene, p) && set_inertia(&o, 0.0) && draw(&o);
    cli_scene_destroy(&o.scene);
    return fine;
}
