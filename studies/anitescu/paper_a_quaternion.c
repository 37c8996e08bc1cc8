// [AnitescuPotraStewart1998], section 5: orientation as a unit quaternion, whose length drifts.
//
// q̇ = G(q) ω, (29), with ω in body axes: G is linear in q, Gᵀ G = 1/4. The step of the paper is
// q₁ = q₀ + h G(q₀) ω₁, and since G ω turns q by a right angle,
//
//     |q₁|² = |q₀|² (1 + (h ω/2)²):                                                            (Q
//     1)
//
// it grows in every step. Its direction is that of 2 atan(h ω/2) in the place of h ω, whether or
// not q is brought back to length 1, since G is linear. M̃ = (G⁺)ᵀ M G⁺ of (33) to (35) has the null
// vector q: it is no mass matrix for four coordinates, and (36) is what can be used.
#include "common/signals.h"
#include "common/text.h"
#include "drumwright/pair_5_4.h"
#include "paper.h"

#include <stdio.h>
#include <string.h>

enum { STATES = 7, STEPS = 6 };

typedef struct body {
    double I[3];
    double q[4], w[3]; // at the start
} body;

typedef struct tumbling {
    cli_paper *p;
    cli_scene scene;
    dp_data *data;
    body body;
} tumbling;

static const double seconds = 2.0;
static const double steps[STEPS] = {0.02, 0.01, 0.005, 0.0025, 0.00125, 0.000625};

// --- the equations ----------------------------------------------------------------------------

static void turn_rate(double out[4], const double q[4], const double w[3]) // G(q) ω
{
    out[0] = 0.5 * (-q[1] * w[0] - q[2] * w[1] - q[3] * w[2]);
    out[1] = 0.5 * (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]);
    out[2] = 0.5 * (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]);
    out[3] = 0.5 * (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]);
}

static void spin_rate(double out[3], const body *b, const double w[3]) // Euler
{
    out[0] = (b->I[1] - b->I[2]) * w[1] * w[2] / b->I[0];
    out[1] = (b->I[2] - b->I[0]) * w[2] * w[0] / b->I[1];
    out[2] = (b->I[0] - b->I[1]) * w[0] * w[1] / b->I[2];
}

static double length_of(const double q[4])
{
    return sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
}

// The angle between two orientations, quaternions of any length.
static double angle_between(const double a[4], const double b[4])
{
    const double w = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    const double x = a[0] * b[1] - a[1] * b[0] - a[2] * b[3] + a[3] * b[2];
    const double y = a[0] * b[2] - a[2] * b[0] - a[3] * b[1] + a[1] * b[3];
    const double z = a[0] * b[3] - a[3] * b[0] - a[1] * b[2] + a[2] * b[1];
    return 2.0 * atan2(sqrt(x * x + y * y + z * z), fabs(w));
}

static bool rates(double *out, void *context, double t, const double *y)
{
    (void)t;
    turn_rate(out, y, y + 4);
    spin_rate(out + 4, context, y + 4);
    return true;
}

// The reference: error control, 1e-13 per step.
static void integrate(double y[STATES], body *b, double until)
{
    double t = 0.0, h = 1e-4;
    memcpy(y, b->q, sizeof b->q);
    memcpy(y + 4, b->w, sizeof b->w);
    while (t < until) {
        const bool last = t + 1.0001 * h >= until;
        h = last ? until - t : h;
        double f[STATES], worst = 0.0;
        cli_pair_step step;
        rates(f, b, t, y);
        cli_pair_try(&step, rates, b, STATES, t, h, y, f);
        for (int i = 0; i < STATES; ++i) {
            worst = fmax(worst, fabs(step.error[i]) / 1e-13);
        }
        if (worst <= 1.0) {
            memcpy(y, step.next, STATES * sizeof *y);
            t = last ? until : t + h;
        }
        h *= fmin(4.0, fmax(0.2, 0.9 * pow(fmax(worst, 1e-10), -0.2)));
    }
}

// --- schemes ----------------------------------------------------------------------------------

typedef struct outcome {
    double q[4];
    double length; // of the quaternion
} outcome;

// M (v₁ − v₀) = h k(v₀), q₁ = q₀ + h G(q₀) v₁, and back to length 1 if asked.
static outcome step_as_printed(const tumbling *o, double h, double until, bool project,
                               cli_curve *length)
{
    double q[4], w[3];
    memcpy(q, o->body.q, sizeof q);
    memcpy(w, o->body.w, sizeof w);
    const int count = (int)lround(until / h);
    for (int i = 0; i < count; ++i) {
        double dw[3], dq[4];
        spin_rate(dw, &o->body, w);
        for (int k = 0; k < 3; ++k) {
            w[k] += h * dw[k];
        }
        turn_rate(dq, q, w);
        for (int k = 0; k < 4; ++k) {
            q[k] += h * dq[k];
        }
        const double scale = project ? 1.0 / length_of(q) : 1.0;
        for (int k = 0; k < 4; ++k) {
            q[k] *= scale;
        }
        if (length) {
            cli_curve_add(o->p, length, (i + 1) * h, length_of(q));
        }
    }
    outcome out = {.length = length_of(q)};
    memcpy(out.q, q, sizeof q);
    return out;
}

static bool step_ours(outcome *out, tumbling *o, double h, double until, cli_curve *length)
{
    if (!cli_paper_works(o->p, dp_data_reset_to_key(o->data, (dp_key_id){0}))) {
        return false;
    }
    dp_data_options(o->data)->step = h;
    double worst = 0.0;
    const double *q = dp_data_q(o->data) + 3;
    const int count = (int)lround(until / h);
    for (int i = 0; i < count; ++i) {
        if (!cli_paper_works(o->p, dp_step(o->data))) {
            return false;
        }
        worst = fmax(worst, fabs(length_of(q) - 1.0));
        if (length) {
            cli_curve_add(o->p, length, (i + 1) * h, length_of(q));
        }
    }
    memcpy(out->q, q, sizeof out->q);
    out->length = 1.0 + worst;
    return true;
}

static bool read_body(tumbling *o, cli_paper *p)
{
    *o = (tumbling){.p = p};
    if (!cli_paper_open(&o->scene, p, NAN)) {
        return false;
    }
    const dp_model *m = o->scene.model;
    const dp_model_size *size = dp_model_sizes(m);
    const dp_body_info info = dp_model_body(m, (dp_body_id){1});
    if (size->nbody != 2 || size->nq != 7 || size->nkey < 1 ||
        fabs(info.inertial.frame.q.w) < 1 - 1e-12) {
        return cli_paper_refuse(p, "one free body with its principal axes along its own, and a "
                                   "keyframe with its velocity");
    }
    if (!cli_paper_works(p, cli_data_create(&o->data, m)) ||
        !cli_paper_works(p, dp_data_reset_to_key(o->data, (dp_key_id){0}))) {
        return false;
    }
    const dp_v3 I = info.inertial.moments;
    o->body = (body){.I = {I.x, I.y, I.z}};
    memcpy(o->body.q, dp_data_q(o->data) + 3, sizeof o->body.q);
    memcpy(o->body.w, dp_data_v(o->data) + 3, sizeof o->body.w);
    return true;
}

// --- rows -------------------------------------------------------------------------------------

typedef struct curves {
    cli_curve *growth, *error, *ours;
    cli_curve *length[2], *slope[2], *condition[2];
} curves;

static double order(const cli_curve *c)
{
    const size_t n = c->count;
    return log(c->y[n - 2] / c->y[n - 1]) / log(c->x[n - 2] / c->x[n - 1]);
}

static bool tell_steps(tumbling *o, curves *c)
{
    double exact[STATES], commutes = 0.0, ours_length = 0.0;
    integrate(exact, &o->body, seconds);
    const int count = o->p->quick ? 4 : STEPS;
    for (int i = 0; i < count; ++i) {
        const outcome raw =
            step_as_printed(o, steps[i], seconds, false, i == 1 ? c->length[0] : NULL);
        const outcome projected = step_as_printed(o, steps[i], seconds, true, NULL);
        outcome ours;
        if (!step_ours(&ours, o, steps[i], seconds, i == 1 ? c->length[1] : NULL)) {
            return false;
        }
        cli_curve_add(o->p, c->growth, steps[i], raw.length - 1.0);
        cli_curve_add(o->p, c->error, steps[i], angle_between(projected.q, exact));
        cli_curve_add(o->p, c->ours, steps[i], angle_between(ours.q, exact));
        commutes = fmax(commutes, angle_between(projected.q, raw.q));
        ours_length = fmax(ours_length, ours.length - 1.0);
    }
    cli_paper_tell(o->p, "as printed", "|q| after 2 s, h = 0.01 s", "1", NAN, 1.0 + c->growth->y[1],
                   "the paper: drift may lead to |q| significantly different from one");
    cli_paper_tell(o->p, "as printed", "order of |q| − 1 in h", "1", NAN, order(c->growth),
                   "(Q 1): T h ω²/8 to first order");
    cli_paper_tell(o->p, "projected", "change of the orientation by it", "rad", NAN, commutes,
                   "none: G is linear in q, and its direction does not depend on its length");
    cli_paper_tell(o->p, "projected", "error after 2 s, h = 0.01 s", "rad", NAN, c->error->y[1],
                   "against Euler's equations by a Runge-Kutta pair 5(4), 1e-13 per step");
    cli_paper_tell(o->p, "projected", "order of the error in h", "1", NAN, order(c->error), "%s",
                   "");
    cli_paper_tell(o->p, "Dashpot", "largest ||q| − 1|", "1", NAN, ours_length,
                   "a rotation is put behind the other and brought to length 1, in all runs");
    cli_paper_tell(o->p, "Dashpot", "error after 2 s, h = 0.01 s", "rad", NAN, c->ours->y[1], "%s",
                   "");
    cli_paper_tell(o->p, "Dashpot", "order of the error in h", "1", NAN, order(c->ours),
                   "implicit midpoint for free bodies");
    return true;
}

// (Q 1) to the bit of what floating point allows: a body that spins about one axis.
static void tell_spin(const tumbling *o)
{
    tumbling spinning = *o;
    const double h = 0.01, until = 10.0, w = 10.0;
    spinning.body.w[0] = spinning.body.w[1] = 0.0;
    spinning.body.w[2] = w;
    const outcome raw = step_as_printed(&spinning, h, until, false, NULL);
    const double n = round(until / h), half = 0.5 * h * w;
    cli_paper_tell(o->p, "spin of 10 rad/s, h = 0.01 s", "|q| after 10 s", "1", NAN, raw.length,
                   "(1 + (h ω/2)²)^{n/2} = %s", cli_short(9, pow(1.0 + half * half, 0.5 * n)).text);
    cli_paper_tell(o->p, "spin of 10 rad/s, h = 0.01 s", "length of what is turned by it", "1", NAN,
                   raw.length * raw.length,
                   "of 1 m: the matrix of a quaternion that is not of length 1 scales by |q|²");
}

// ‖M̃ q‖ with M̃ = (G⁺)ᵀ M G⁺, G⁺ = 4 Gᵀ; and G itself.
static void tell_rank(const tumbling *o)
{
    const double q[4] = {0.5, -0.5, 0.1, 0.7}; // of length 1, and no other
    double G[4][3], product = 0.0, null = 0.0;
    for (int k = 0; k < 3; ++k) {
        const double w[3] = {k == 0, k == 1, k == 2};
        double column[4];
        turn_rate(column, q, w);
        for (int i = 0; i < 4; ++i) {
            G[i][k] = column[i];
        }
    }
    for (int a = 0; a < 3; ++a) {
        for (int b = 0; b < 3; ++b) {
            double sum = 0.0;
            for (int i = 0; i < 4; ++i) {
                sum += G[i][a] * G[i][b];
            }
            product = fmax(product, fabs(sum - (a == b ? 0.25 : 0.0)));
        }
    }
    for (int i = 0; i < 4; ++i) {
        double sum = 0.0; // (M̃ q)_i
        for (int k = 0; k < 3; ++k) {
            double along = 0.0;
            for (int j = 0; j < 4; ++j) {
                along += G[j][k] * q[j];
            }
            sum += 16.0 * G[i][k] * o->body.I[k] * along;
        }
        null = fmax(null, fabs(sum));
    }
    cli_paper_tell(o->p, "(31), quaternion", "distance of Gᵀ G from 1/4", "1", 0.0, product,
                   "full column rank for all q, as the paper says");
    cli_paper_tell(o->p, "(33)–(35), quaternion", "M̃ q", "kg m²", NAN, null,
                   "M̃ has rank 3 of 4 and cannot be solved with; (36) needs M alone");
}

// How much larger the largest rate of three angles is than the smallest, at one speed.
static void add_conditions(const tumbling *o, curves *c)
{
    const double degree = 0.017453292519943295;
    for (int i = 0; i < 90; ++i) {
        const double s = sin(i * degree); // G⁻¹ of yaw, pitch, roll: singular values 1, √(1 ± s)
        cli_curve_add(o->p, c->condition[0], i, sqrt((1.0 + s) / (1.0 - s)));
        cli_curve_add(o->p, c->condition[1], i, 1.0);
    }
}

static bool draw(tumbling *o, curves *c)
{
    const double first = steps[0], last = c->growth->x[c->growth->count - 1];
    for (int i = 0; i < 2; ++i) {
        const double y = i == 0 ? 0.5 * c->growth->y[0] : 0.5 * c->ours->y[0];
        const double share = last / first;
        cli_curve_add(o->p, c->slope[i], first, y);
        cli_curve_add(o->p, c->slope[i], last, y * (i == 0 ? share : share * share));
    }
    const dp_plot_axis step = {.name = "step h", .unit = "s", .log = true};
    const dp_plot_series lengths[] = {
        cli_curve_series(c->length[0], "as printed", DP_PLOT_STYLE_LINE, 2),
        cli_curve_series(c->length[1], "Dashpot", DP_PLOT_STYLE_LINE, 1)};
    const dp_plot_series growth[] = {
        cli_curve_series(c->slope[0], "slope 1", DP_PLOT_STYLE_REFERENCE, 0),
        cli_curve_series(c->growth, "as printed", DP_PLOT_STYLE_MARKED, 2)};
    const dp_plot_series errors[] = {
        cli_curve_series(c->slope[1], "slope 2", DP_PLOT_STYLE_REFERENCE, 0),
        cli_curve_series(c->error, "projected", DP_PLOT_STYLE_MARKED, 2),
        cli_curve_series(c->ours, "Dashpot", DP_PLOT_STYLE_MARKED, 1)};
    const dp_plot_series conditions[] = {
        cli_curve_series(c->condition[0], "yaw, pitch, roll", DP_PLOT_STYLE_LINE, 2),
        cli_curve_series(c->condition[1], "quaternion", DP_PLOT_STYLE_LINE, 1)};
    const dp_plot_panel panel[] = {
        {"length of q, h = 0.01 s",
         {.name = "time", .unit = "s"},
         {.name = "|q|", .unit = "1"},
         lengths,
         2},
        {"|q| − 1 after 2 s", step, {.name = "|q| − 1", .unit = "1", .log = true}, growth, 2},
        {"error of the orientation after 2 s",
         step,
         {.name = "angle", .unit = "rad", .log = true},
         errors,
         3},
        {"condition of G",
         {.name = "pitch", .unit = "deg"},
         {.name = "largest over smallest", .unit = "1", .log = true},
         conditions,
         2},
    };
    const dp_plot plot = {"Quaternions: length and order", panel, 4, 2};
    return cli_paper_draw(o->p, &plot);
}

bool cli_paper_quaternion(cli_paper *p)
{
    tumbling o;
    curves c = {
        .growth = cli_paper_curve(p), .error = cli_paper_curve(p), .ours = cli_paper_curve(p)};
    for (int i = 0; i < 2; ++i) {
        c.length[i] = cli_paper_curve(p);
        c.slope[i] = cli_paper_curve(p);
        c.condition[i] = cli_paper_curve(p);
    }
    bool fine = read_body(&o, p) && tell_steps(&o, &c);
    if (fine) {
        tell_spin(&o);
        tell_rank(&o);
        add_conditions(&o, &c);
        fine = draw(&o, &c);
    }
    dp_data_destroy(o.data);
    cli_scene_destroy(&o.scene);
    return fine;
}
