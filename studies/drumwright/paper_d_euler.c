// [Drumwright2019], section 3: m ẍ + b ẋ + k x = 0 by three Euler schemes, one step y₁ = A y₀ each.
//
//     explicit         x₁ = x₀ + h v₀,  v₁ = v₀ + h/m (−b v₀ − k x₀)       (7), (8)
//     semi-implicit    x₁ = x₀ + h v₁,  v₁ = v₀ + h/m (−b v₁ − k x₀)       (11), (12)
//     implicit         x₁ = x₀ + h v₁,  v₁ = v₀ + h/m (−b v₁ − k x₁)       (13), (14)
//
// The last one is dp_step; the other two are made here from accelerations. What counts for
// stability is the spectral radius ρ of A, measured from two steps of whatever scheme it is.
//
// Departures. The paper finds the explicit scheme unstable "for any step size". It is stable for
// h k ≤ b ≤ 2 m/h + h k/2, the semi-implicit one for k < (4 m + 2 h b)/h²: both bounds are found
// again by bisection. The paper does not tell where the mass starts; here it does at 1 m.
#include "common/signals.h"
#include "common/text.h"
#include "paper.h"

#include <stdio.h>

typedef enum scheme { EXPLICIT, SEMI_IMPLICIT, IMPLICIT } scheme;

typedef struct oscillator {
    cli_paper *p;
    cli_scene scene;
    dp_data *data;
    scheme scheme;
    double b, k, h;
    double start, mass; // [m], [kg]
    bool failed;
} oscillator;

static bool fits(oscillator *o)
{
    const dp_model_size *size = dp_model_sizes(o->scene.model);
    return (size->nv == 1 && size->nq == 1) ||
           cli_paper_refuse(o->p, "a mechanism of one joint, a slide or a hinge");
}

// Stiffness, damping and step, for all that follows.
static bool set(oscillator *o, double k, double b, double h)
{
    dp_data_destroy(o->data);
    dp_model_destroy(o->scene.model);
    o->data = NULL;
    o->scene.model = NULL;
    dp_joint_spec *joint = dp_spec_joint(o->scene.spec, (dp_joint_id){0});
    if (!joint) {
        o->failed = true;
        return cli_paper_refuse(o->p, "a mechanism of one joint");
    }
    joint->stiffness = k;
    joint->damping = b;
    o->k = k;
    o->b = b;
    o->h = h;
    o->p->bad_input = dp_model_compile(&o->scene.model, o->scene.spec) != DP_OK;
    if (!cli_paper_works(o->p, o->p->bad_input ? DP_ERROR_ARGUMENT : DP_OK) || !fits(o) ||
        !cli_paper_works(o->p, cli_data_create(&o->data, o->scene.model))) {
        o->failed = true;
        return false;
    }
    dp_data_options(o->data)->step = h;
    if (dp_model_sizes(o->scene.model)->nkey > 0) {
        o->failed = !cli_paper_works(o->p, dp_data_reset_to_key(o->data, (dp_key_id){0}));
    }
    o->start = dp_data_q(o->data)[0];
    o->failed = o->failed || !cli_paper_works(o->p, dp_kinematics(o->data)) ||
                !cli_paper_works(o->p, dp_mass_matrix(&o->mass, o->data));
    return !o->failed;
}

static bool begin(oscillator *o, cli_paper *p, scheme s)
{
    *o = (oscillator){.p = p, .scheme = s};
    return cli_paper_load(&o->scene, p);
}

static void end(oscillator *o)
{
    dp_data_destroy(o->data);
    cli_scene_destroy(&o->scene);
}

// One step of the paper's own formulas, from the acceleration at the present state.
static dp_status advance_by_hand(oscillator *o)
{
    double *q = dp_data_q(o->data), *v = dp_data_v(o->data);
    const double none = 0.0;
    double a;
    dp_status status = dp_kinematics(o->data);
    status = status == DP_OK ? dp_forward_dynamics(&a, o->data, &none) : status;
    if (status != DP_OK) {
        return status;
    }
    if (o->scheme == EXPLICIT) {
        q[0] += o->h * v[0];
        v[0] += o->h * a;
    } else {
        v[0] += o->h * a * o->mass / (o->mass + o->h * o->b); // (12), solved for v₁
        q[0] += o->h * v[0];
    }
    dp_data_set_time(o->data, dp_data_time(o->data) + o->h);
    return DP_OK;
}

static void advance(oscillator *o)
{
    if (o->failed) {
        return;
    }
    o->failed =
        !cli_paper_works(o->p, o->scheme == IMPLICIT ? dp_step(o->data) : advance_by_hand(o));
}

// ρ(A), from steps that start with a position and with a velocity.
static double spectral_radius(oscillator *o)
{
    static const double start[3][2] = {{0.0, 0.0}, {1.0, 0.0}, {0.0, 1.0}};
    double end[3][2] = {{0.0}}; // the first: where constant forces bring a mass at rest
    for (int i = 0; i < 3; ++i) {
        dp_data_q(o->data)[0] = start[i][0];
        dp_data_v(o->data)[0] = start[i][1];
        advance(o);
        end[i][0] = dp_data_q(o->data)[0];
        end[i][1] = dp_data_v(o->data)[0];
    }
    const double A[2][2] = {{end[1][0] - end[0][0], end[2][0] - end[0][0]},
                            {end[1][1] - end[0][1], end[2][1] - end[0][1]}};
    const double mean = 0.5 * (A[0][0] + A[1][1]);
    const double det = A[0][0] * A[1][1] - A[0][1] * A[1][0];
    const double root = 0.25 * (A[0][0] - A[1][1]) * (A[0][0] - A[1][1]) + A[0][1] * A[1][0];
    return root < 0.0 ? sqrt(det) : fabs(mean) + sqrt(root);
}

static double radius_at(oscillator *o, double k, double b, double h)
{
    return set(o, k, b, h) ? spectral_radius(o) : NAN;
}

// Round-off of the entries of A, whose size is about 1 near the bounds.
static const double round_off = 1e-13;

// Where ρ crosses 1 between a value that is stable and one that is not; of b or of k.
static double find_bound(oscillator *o, bool of_k, double stable, double unstable, double other,
                         double h)
{
    for (int i = 0; i < 60 && !o->failed; ++i) {
        const double middle = 0.5 * (stable + unstable);
        const double rho = of_k ? radius_at(o, middle, other, h) : radius_at(o, other, middle, h);
        if (rho <= 1.0 + round_off) {
            stable = middle;
        } else {
            unstable = middle;
        }
    }
    return 0.5 * (stable + unstable);
}

// x over time until `seconds`, or until it leaves everything behind.
static cli_curve *trace(oscillator *o, double seconds)
{
    cli_curve *curve = cli_paper_curve(o->p);
    const double lost = 1e6; // [m]
    const int steps = (int)lround(seconds / o->h);
    cli_curve_add(o->p, curve, 0.0, o->start);
    for (int i = 1; i <= steps && !o->failed; ++i) {
        advance(o);
        const double x = dp_data_q(o->data)[0];
        cli_curve_add(o->p, curve, i * o->h, x);
        if (!(fabs(x) < lost)) {
            break;
        }
    }
    return curve;
}

// Growth ρ − 1 and decay 1 − ρ per step, for a logarithmic axis.
typedef struct rates {
    cli_curve *growth, *decay;
} rates;

static rates new_rates(cli_paper *p)
{
    return (rates){cli_paper_curve(p), cli_paper_curve(p)};
}

static void add_rate(oscillator *o, rates *r, double x, double rho)
{
    const bool grows = rho > 1.0 + round_off;
    cli_curve_add(o->p, r->growth, x, grows ? rho - 1.0 : NAN);
    cli_curve_add(o->p, r->decay, x, grows ? NAN : 1.0 - rho);
}

static double spaced(double first, double last, int i, int count)
{
    return first * pow(last / first, (double)i / (count - 1));
}

static const dp_plot_axis time_axis = {.name = "time", .unit = "s"};
static const dp_plot_axis x_axis = {.name = "position", .unit = "m"};
static const dp_plot_axis rate_axis = {
    .name = "growth or decay per step, |ρ − 1|", .log = true, .unit = "1", .lo = 1e-6, .hi = 30.0};

static void tell_case(oscillator *o, const char *of, double paper_stable, const char *note)
{
    const double rho = spectral_radius(o);
    cli_paper_tell(o->p, of, "growth per step", "1", NAN, rho, "%s", "");
    cli_paper_tell(o->p, of, "stable (1: yes)", "1", paper_stable, rho <= 1.0 + round_off, "%s",
                   note);
}

// --- Fig. 1 -----------------------------------------------------------------------------------

bool cli_paper_explicit(cli_paper *p)
{
    enum { CASES = 4 };
    static const struct {
        double b, seconds, paper;
        const char *name, *note;
    } cases[CASES] = {
        {1.0, 0.2, 0.0, "b = 1", ""},
        {10.0, 0.0, NAN, "b = 10",
         "the paper calls b = 10 somewhat more stable: it is the bound h k itself"},
        {2e5, 0.2, 1.0, "b = 2e5", ""},
        {2.1e5, 0.0015, 0.0, "b = 2.1e5", ""},
    };
    const double k = 1e6, h = 1e-5;
    oscillator o;
    cli_curve *curve[CASES] = {NULL};
    bool fine = begin(&o, p, EXPLICIT);
    for (int i = 0; fine && i < CASES; ++i) {
        fine = set(&o, k, cases[i].b, h);
        if (fine) {
            curve[i] = trace(&o, cases[i].seconds);
            tell_case(&o, cases[i].name, cases[i].paper, cases[i].note);
        }
    }
    if (fine) {
        static const char note[] = "the paper: not stable for any step size. Explicit Euler is "
                                   "stable for h k ≤ b ≤ 2 m/h + h k/2, here %s and %s";
        const double least = find_bound(&o, false, 1e3, 1.0, k, h);
        const double most = find_bound(&o, false, 1e3, 1e6, k, h);
        const double known[2] = {h * k, 2.0 * o.mass / h + 0.5 * h * k};
        cli_paper_tell(p, "k = 1e6, h = 1e-5", "smallest stable b", "N s/m", NAN, least, note,
                       cli_short(9, known[0]).text, cli_short(9, known[1]).text);
        cli_paper_tell(p, "k = 1e6, h = 1e-5", "largest stable b", "N s/m", NAN, most, note,
                       cli_short(9, known[0]).text, cli_short(9, known[1]).text);
        char range[80];
        snprintf(range, sizeof range, "stable for %.6g ≤ b ≤ %.6g N s/m", least, most);
        rates r = new_rates(p);
        const int count = p->quick ? 41 : 201;
        for (int i = 0; i < count; ++i) {
            const double b = spaced(1.0, 1e6, i, count);
            add_rate(&o, &r, b, radius_at(&o, k, b, h));
        }
        const dp_plot_series one = cli_curve_series(curve[0], NULL, DP_PLOT_STYLE_LINE, 2);
        const dp_plot_series two = cli_curve_series(curve[2], NULL, DP_PLOT_STYLE_LINE, 1);
        const dp_plot_series three = cli_curve_series(curve[3], NULL, DP_PLOT_STYLE_LINE, 2);
        const dp_plot_series rate[] = {cli_curve_series(r.growth, "grows", DP_PLOT_STYLE_LINE, 2),
                                       cli_curve_series(r.decay, "decays", DP_PLOT_STYLE_LINE, 1)};
        const dp_plot_panel panel[] = {
            {"b = 1 N s/m: grows", time_axis, x_axis, &one, 1},
            {"b = 2·10⁵ N s/m: decays", time_axis, x_axis, &two, 1},
            {"b = 2.1·10⁵ N s/m: grows",
             time_axis,
             {.name = "position", .unit = "m", .lo = -10.0, .hi = 10.0},
             &three,
             1},
            {range, {.name = "damping b", .unit = "N s/m", .log = true}, rate_axis, rate, 2},
        };
        const dp_plot plot = {"Explicit Euler: h = 10⁻⁵ s, k = 10⁶ N/m", panel, 4, 2};
        fine = !o.failed && cli_paper_draw(p, &plot);
    }
    end(&o);
    return fine && !o.failed;
}

// --- Fig. 2 -----------------------------------------------------------------------------------

bool cli_paper_semi_implicit(cli_paper *p)
{
    static const double stiffness[2] = {1e6, 1e7}, paper[2] = {1.0, 0.0};
    static const char *const name[2] = {"k = 1e6", "k = 1e7"};
    const double b = 1.0, h = 1e-3;
    oscillator o;
    cli_curve *curve[2] = {NULL};
    bool fine = begin(&o, p, SEMI_IMPLICIT);
    for (int i = 0; fine && i < 2; ++i) {
        fine = set(&o, stiffness[i], b, h);
        if (fine) {
            curve[i] = trace(&o, i == 0 ? 0.1 : 0.02);
            tell_case(&o, name[i], paper[i], "");
        }
    }
    if (fine) {
        const double most = find_bound(&o, true, 1e6, 1e7, b, h);
        cli_paper_tell(p, "b = 1, h = 1e-3", "largest stable k", "N/m", NAN, most,
                       "the paper gives none; the bound is (4 m + 2 h b)/h², here %s",
                       cli_short(9, (4.0 * o.mass + 2.0 * h * b) / (h * h)).text);
        char range[80];
        snprintf(range, sizeof range, "stable for k < %.4g·10⁶ N/m", 1e-6 * most);
        rates r = new_rates(p);
        const int count = p->quick ? 41 : 201;
        for (int i = 0; i < count; ++i) {
            const double k = spaced(1e4, 3e7, i, count);
            add_rate(&o, &r, k, radius_at(&o, k, b, h));
        }
        cli_curve *bound = cli_paper_curve(p), *known = cli_paper_curve(p);
        for (int i = 0; i < 5; ++i) {
            const double step = spaced(1e-5, 1e-1, i, 5);
            const double exact = (4.0 * o.mass + 2.0 * step * b) / (step * step);
            cli_curve_add(p, known, step, exact);
            cli_curve_add(p, bound, step, find_bound(&o, true, 0.1 * exact, 10.0 * exact, b, step));
        }
        const dp_plot_series one = cli_curve_series(curve[0], NULL, DP_PLOT_STYLE_LINE, 1);
        const dp_plot_series two = cli_curve_series(curve[1], NULL, DP_PLOT_STYLE_MARKED, 2);
        const dp_plot_series rate[] = {cli_curve_series(r.growth, "grows", DP_PLOT_STYLE_LINE, 2),
                                       cli_curve_series(r.decay, "decays", DP_PLOT_STYLE_LINE, 1)};
        const dp_plot_series bounds[] = {
            cli_curve_series(known, "(4 m + 2 h b)/h²", DP_PLOT_STYLE_REFERENCE, 0),
            cli_curve_series(bound, "by bisection", DP_PLOT_STYLE_MARKS, 1)};
        const dp_plot_panel panel[] = {
            {"k = 10⁶ N/m: decays", time_axis, x_axis, &one, 1},
            {"k = 10⁷ N/m: grows",
             {.name = "time", .unit = "s", .lo = 0.0, .hi = 4e-3},
             {.name = "position", .unit = "m", .lo = -5e3, .hi = 5e3},
             &two,
             1},
            {range, {.name = "stiffness k", .unit = "N/m", .log = true}, rate_axis, rate, 2},
            {"the bound against the step",
             {.name = "step h", .unit = "s", .log = true},
             {.name = "largest stable k", .unit = "N/m", .log = true},
             bounds,
             2},
        };
        const dp_plot plot = {"Semi-implicit Euler: h = 10⁻³ s, b = 1 N s/m", panel, 4, 2};
        fine = !o.failed && cli_paper_draw(p, &plot);
    }
    end(&o);
    return fine && !o.failed;
}

// --- Fig. 3 -----------------------------------------------------------------------------------

// The largest distance between dp_step and (13), (14) as they stand.
static double distance_to_formula(oscillator *o, double seconds)
{
    double x = o->start, v = 0.0, worst = 0.0;
    const int steps = (int)lround(seconds / o->h);
    for (int i = 0; i < steps && !o->failed; ++i) {
        v = (o->mass * v - o->h * o->k * x) / (o->mass + o->h * o->b + o->h * o->h * o->k);
        x += o->h * v;
        advance(o);
        worst = fmax(worst, fabs(dp_data_q(o->data)[0] - x));
    }
    return worst;
}

// The worst ρ over steps, stiffnesses and dampings of the whole range of the paper.
static double largest_radius(oscillator *o)
{
    double worst = 0.0;
    for (double h = 1e-8; h < 1e3 && !o->failed; h *= 1e2) {
        for (double k = 1.0; k < 1e13 && !o->failed; k *= 1e3) {
            for (int i = 0; i < 5 && !o->failed; ++i) {
                const double b = i == 0 ? 0.0 : pow(1e3, i);
                worst = fmax(worst, radius_at(o, k, b, h));
            }
        }
    }
    return worst;
}

static cli_curve *radius_against_step(oscillator *o, scheme s, int count)
{
    cli_curve *curve = cli_paper_curve(o->p);
    o->scheme = s;
    for (int i = 0; i < count; ++i) {
        const double h = spaced(1e-6, 1e-1, i, count);
        cli_curve_add(o->p, curve, h, radius_at(o, 1e6, 0.0, h));
    }
    return curve;
}

bool cli_paper_implicit(cli_paper *p)
{
    static const double step[2] = {1e-5, 1e-2}, seconds[2] = {0.05, 0.1};
    static const char *const name[2] = {"h = 1e-5", "h = 1e-2"};
    const double k = 1e6, b = 0.0;
    oscillator o;
    cli_curve *curve[2] = {NULL}, *exact[2] = {NULL};
    bool fine = begin(&o, p, IMPLICIT);
    for (int i = 0; fine && i < 2; ++i) {
        fine = set(&o, k, b, step[i]);
        if (!fine) {
            break;
        }
        curve[i] = trace(&o, seconds[i]);
        exact[i] = cli_paper_curve(p);
        for (int n = 0; n <= 400; ++n) {
            const double t = seconds[i] * n / 400.0;
            cli_curve_add(p, exact[i], t, o.start * cos(sqrt(k / o.mass) * t));
        }
        fine = set(&o, k, b, step[i]);
        const double distance = fine ? distance_to_formula(&o, seconds[i]) : NAN;
        const double rho = fine ? spectral_radius(&o) : NAN;
        cli_paper_tell(p, name[i], "growth per step", "1", NAN, rho,
                       "implicit Euler multiplies the amplitude by 1/√(1 + h² k/m) in each step, "
                       "where it should not attenuate, as the paper says");
        cli_paper_tell(p, name[i], "stable (1: yes)", "1", 1.0, rho <= 1.0 + round_off, "%s", "");
        cli_paper_tell(p, name[i], "amplitude left after 0.05 s", "1", NAN,
                       pow(rho, round(0.05 / step[i])), "1 without attenuation");
        cli_paper_tell(p, name[i], "largest distance of dp_step to (13), (14)", "m", NAN, distance,
                       "round-off: the step of Dashpot is this scheme for springs and dampers of "
                       "joints");
    }
    if (fine) {
        cli_paper_tell(p, "h = 1e-8 … 100, k and b to 1e12", "largest growth per step", "1", 1.0,
                       largest_radius(&o), "the paper: stable for any step size");
        const int count = p->quick ? 41 : 161;
        cli_curve *one = radius_against_step(&o, EXPLICIT, count);
        cli_curve *two = radius_against_step(&o, SEMI_IMPLICIT, count);
        cli_curve *three = radius_against_step(&o, IMPLICIT, count);
        cli_curve *left = cli_paper_curve(p);
        for (size_t i = 0; i < three->count; ++i) {
            const double steps = 0.05 / three->x[i];
            cli_curve_add(p, left, three->x[i], steps < 5.0 ? NAN : pow(three->y[i], steps));
        }
        const dp_plot_series amplitude = cli_curve_series(left, NULL, DP_PLOT_STYLE_LINE, 1);
        const dp_plot_series small[] = {
            cli_curve_series(exact[0], "exact", DP_PLOT_STYLE_REFERENCE, 0),
            cli_curve_series(curve[0], "h = 10⁻⁵ s", DP_PLOT_STYLE_LINE, 1)};
        const dp_plot_series large[] = {
            cli_curve_series(curve[1], "h = 10⁻² s", DP_PLOT_STYLE_MARKED, 2)};
        const dp_plot_series radius[] = {
            cli_curve_series(one, "explicit", DP_PLOT_STYLE_LINE, 2),
            cli_curve_series(two, "semi-implicit", DP_PLOT_STYLE_LINE, 3),
            cli_curve_series(three, "implicit", DP_PLOT_STYLE_LINE, 1)};
        const dp_plot_panel panel[] = {
            {"a small step follows, and loses amplitude", time_axis, x_axis, small, 2},
            {"a large step is stable, and dead", time_axis, x_axis, large, 1},
            {"growth per step of the three schemes",
             {.name = "step h", .unit = "s", .log = true},
             {.name = "ρ", .unit = "1", .log = true},
             radius,
             3},
            {"what implicit Euler leaves after 0.05 s",
             {.name = "step h", .unit = "s", .log = true},
             {.name = "amplitude left", .unit = "1", .lo = 0.0, .hi = 1.0},
             &amplitude,
             1},
        };
        const dp_plot plot = {"Implicit Euler: k = 10⁶ N/m, b = 0", panel, 4, 2};
        fine = !o.failed && cli_paper_draw(p, &plot);
    }
    end(&o);
    return fine && !o.failed;
}
