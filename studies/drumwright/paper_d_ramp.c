// [Drumwright2019], Fig. 9: how far a box slides down a ramp within a second, for several μ.
//
// What is exact. While all feet slide down the slope, friction is μ times the normal force, and
// semi-implicit Euler sums the forces of n steps to
//
//     s = g (sin θ − μ cos θ) h² n (n + 1)/2 − μ z,
//
// whatever the normal law: z, the way of the centre of mass along the normal, is what the springs
// give (−3e-7 m). As h → 0 this is g (sin θ − μ cos θ) T²/2. Where μ > tan θ the feet do not move.
//
// Departures. Hertz is (4/3) E* √r d^{3/2}, (121) lacks the factor. The law acts along the
// geometric normal and at the end of the step; (122), (123) with G = ∂φ/∂q would scale the force
// by 1.5 √d.
#include "drumwright/paper_d_ramp.h"

#include "common/signals.h"

#include <dashpot/contact.h>

#include <stdio.h>

static const double seconds = 1.0, paper_step = 0.01;

// What a run ends with.
typedef struct slide {
    double way, across, lift; // [m] of the centre of mass, along the axes of the ramp
    double speed;             // [m/s] down, at the end
    double load, depth;       // [N], [m] of a foot at the end, on average
    double stiffness;         // of a foot, [N/m^{3/2}]
    double used;              // friction over normal force, at the end
    double slipped;           // [m] longest way of a foot
    double creep;             // [m/s] worst
    double power;             // [W] of friction, largest: must not be above 0
    int feet, unsolved;
} slide;

static dp_v3 cross(dp_v3 a, dp_v3 b)
{
    return (dp_v3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double dot(dp_v3 a, dp_v3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static dp_v3 sum(dp_v3 a, double s, dp_v3 b)
{
    return (dp_v3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static dp_v3 turn(dp_quat q, dp_v3 a)
{
    const dp_v3 u = {q.x, q.y, q.z};
    const dp_v3 t = sum(cross(u, a), q.w, a);
    return sum(a, 2.0, cross(u, t));
}

// --- the scene --------------------------------------------------------------------------------

static bool refuse(cli_ramp *o)
{
    return cli_paper_refuse(o->p,
                            "a body that floats at rest over a sloping plane, both in contact, "
                            "and gravity");
}

static bool read_model(cli_ramp *o)
{
    const dp_model *m = o->scene.model;
    const dp_model_size *size = dp_model_sizes(m);
    const dp_v3 g = dp_model_options(m)->gravity;
    if (size->nv != 6 || size->nq != 7 || size->ntouch == 0) {
        return refuse(o);
    }
    int planes = 0;
    for (int i = 0; i < size->ngeom; ++i) {
        const dp_geom_info geom = dp_model_geom(m, (dp_geom_id){i});
        if (geom.kind == DP_GEOM_PLANE) {
            o->normal = turn(geom.pose.q, (dp_v3){0.0, 0.0, 1.0});
            ++planes;
        }
        o->box = geom.body.index > 0 ? geom.body : o->box;
    }
    o->g = sqrt(dot(g, g));
    const dp_v3 along = sum(g, -dot(g, o->normal), o->normal);
    const double slope = sqrt(dot(along, along));
    if (planes != 1 || !(slope > 1e-9 * o->g) || !(dot(g, o->normal) < 0.0)) {
        return refuse(o);
    }
    o->angle = atan2(slope, -dot(g, o->normal));
    o->down = (dp_v3){along.x / slope, along.y / slope, along.z / slope};
    o->across = cross(o->normal, o->down);
    return true;
}

void cli_ramp_end(cli_ramp *o)
{
    dp_data_destroy(o->data);
    cli_scene_destroy(&o->scene);
}

bool cli_ramp_begin(cli_ramp *o, cli_paper *p, double mu)
{
    *o = (cli_ramp){.p = p};
    if (!cli_paper_open(&o->scene, p, mu)) {
        return false;
    }
    return read_model(o) && cli_paper_works(p, cli_data_create(&o->data, o->scene.model));
}

// --- a run ------------------------------------------------------------------------------------

// Turn the box about the normal of the ramp, through its centre of mass.
static bool head(cli_ramp *o, double angle)
{
    double *q = dp_data_q(o->data);
    const dp_v3 centre = dp_inertial_pose(o->data, o->box).p;
    const double c = cos(0.5 * angle), s = sin(0.5 * angle);
    const dp_quat r = {c, s * o->normal.x, s * o->normal.y, s * o->normal.z};
    const dp_v3 arm = turn(r, sum((dp_v3){q[0], q[1], q[2]}, -1.0, centre));
    const dp_quat b = {q[3], q[4], q[5], q[6]};
    const dp_v3 u = {r.x, r.y, r.z}, w = {b.x, b.y, b.z};
    const dp_v3 v = sum(sum(cross(u, w), r.w, w), b.w, u);
    q[0] = centre.x + arm.x;
    q[1] = centre.y + arm.y;
    q[2] = centre.z + arm.z;
    q[3] = r.w * b.w - dot(u, w);
    q[4] = v.x;
    q[5] = v.y;
    q[6] = v.z;
    return cli_paper_works(o->p, dp_kinematics(o->data));
}

enum { MOST_FEET = 64 };

static void look_at_feet(slide *out, const cli_ramp *o, double slipped[MOST_FEET], double h)
{
    double normal = 0.0, friction = 0.0, depth = 0.0, stiffness = 0.0;
    int pushing = 0;
    for (int i = 0; i < dp_data_contact_count(o->data); ++i) {
        const dp_contact c = dp_data_contact(o->data, i);
        if (i < MOST_FEET) {
            slipped[i] += h * hypot(c.slip[0], c.slip[1]);
            out->slipped = fmax(out->slipped, slipped[i]);
        }
        normal += c.normal_force;
        friction += hypot(c.friction[0], c.friction[1]);
        depth -= c.gap;
        stiffness += c.stiffness;
        pushing += c.normal_force > 0.0;
    }
    const double each = pushing > 0 ? 1.0 / pushing : NAN;
    out->feet = pushing;
    out->load = normal * each;
    out->depth = depth * each;
    out->stiffness = stiffness * each;
    out->used = friction / normal;
}

// @param curve the way over time; NULL: not asked for
static bool run(slide *out, cli_ramp *o, double h, double heading, cli_curve *curve)
{
    const int n = (int)(seconds / h + 0.5);
    double slipped[MOST_FEET] = {0.0};
    *out = (slide){.power = -INFINITY};
    dp_data_reset(o->data);
    dp_data_options(o->data)->step = h;
    if (!cli_paper_works(o->p, dp_kinematics(o->data)) || !head(o, heading)) {
        return false;
    }
    const dp_v3 start = dp_inertial_pose(o->data, o->box).p;
    if (curve) {
        cli_curve_add(o->p, curve, 0.0, 0.0);
    }
    for (int i = 0; i < n; ++i) {
        if (!cli_paper_works(o->p, dp_step(o->data))) {
            return false;
        }
        const dp_certificate *certificate = &dp_data_report(o->data)->certificate;
        out->creep = fmax(out->creep, certificate->creep);
        out->power = fmax(out->power, certificate->friction_power);
        out->unsolved += dp_data_report(o->data)->unsolved;
        look_at_feet(out, o, slipped, h);
        const dp_v3 way = sum(dp_inertial_pose(o->data, o->box).p, -1.0, start);
        out->way = dot(way, o->down);
        out->across = dot(way, o->across);
        out->lift = dot(way, o->normal);
        if (curve) {
            cli_curve_add(o->p, curve, dp_data_time(o->data), out->way);
        }
    }
    const double *v = dp_data_v(o->data);
    out->speed = dot((dp_v3){v[0], v[1], v[2]}, o->down);
    return true;
}

static double pull(const cli_ramp *o, double mu)
{
    return fmax(0.0, o->g * (sin(o->angle) - mu * cos(o->angle)));
}

static double way_at(const cli_ramp *o, double mu, double t)
{
    return 0.5 * pull(o, mu) * t * t;
}

// What n steps of h make of it; `lift` is what the springs give.
static double way_in_steps(const cli_ramp *o, double mu, double h, double lift)
{
    const double n = (double)(int)(seconds / h + 0.5);
    return mu < tan(o->angle) ? 0.5 * pull(o, mu) * h * h * n * (n + 1.0) - mu * lift : 0.0;
}

// --- rows -------------------------------------------------------------------------------------

enum { CASES = 4 };
static const double mus[CASES] = {0.0, 0.125, 0.25, 0.375};
static const char *const names[CASES] = {"μ = 0", "μ = 0.125", "μ = 0.25", "μ = 0.375"};

typedef struct found {
    slide at[CASES];
    cli_curve *way[CASES], *exact[CASES];
} found;

static void tell_case(const cli_ramp *o, int i, const slide *s)
{
    cli_paper *p = o->p;
    const double mu = mus[i];
    const bool sticks = mu > tan(o->angle);
    const double exact = way_in_steps(o, mu, paper_step, s->lift);
    if (sticks) {
        cli_paper_tell(p, names[i], "distance after 1 s", "m", 0.0, s->way,
                       "the paper: it remains in stiction. The centre of mass moves, since the box "
                       "leans on its springs; the feet do not");
        cli_paper_tell(p, names[i], "longest way of a foot", "m", 0.0, s->slipped, "%s", "");
        cli_paper_tell(p, names[i], "fastest creep", "m/s", 0.0, s->creep,
                       "the paper: no creep, with a damper of 1e6/h. Friction is a limit here, not "
                       "a damper");
    } else {
        cli_paper_tell(p, names[i], "distance after 1 s", "m", NAN, s->way,
                       "Fig. 9 has no numbers. h = 0.01 s, as in the paper");
        cli_paper_tell(p, names[i], "exact answer of these steps", "m", NAN, exact,
                       "g (sin θ − μ cos θ) h² n (n + 1)/2, and μ times the depth of the feet");
        cli_paper_tell(p, names[i], "distance from the exact answer", "m", NAN,
                       fabs(s->way - exact), "%s", "");
        cli_paper_tell(p, names[i], "as h → 0", "m", NAN, way_at(o, mu, seconds),
                       "g (sin θ − μ cos θ) T²/2: steps of h make it 1 + h/T times as far");
    }
    cli_paper_tell(p, names[i], "friction over normal force", "1", i == 0 ? 0.0 : NAN, s->used,
                   i == 0 ? "the paper: no friction is applied"
                          : "μ where it slides, tan θ = %.6g where it does not",
                   tan(o->angle));
    cli_paper_tell(p, names[i], "largest power of friction", "W", NAN, s->power,
                   "friction opposes the motion: not above 0, but for round-off");
    cli_paper_tell(p, names[i], "normal force of a foot", "N", 2.5, s->load,
                   "on average; the paper rounds m g/4, on the slope it is m g cos θ/4");
    cli_paper_tell(p, names[i], "depth of a foot", "m", 1e-8, s->depth,
                   "on average; the paper's own (121) gives (2.5/1e10)^{2/3} = 4e-7 m, and Hertz "
                   "has a factor 4/3 more");
}

static void tell_stiffness(const cli_ramp *o, const slide *s)
{
    cli_paper_tell(o->p, "a foot", "force over depth^{3/2}", "N/m^{3/2}", 1e10, s->stiffness,
                   "(4/3) E* √r; (121), (122) lack the factor 4/3");
    cli_paper_tell(o->p, "a foot", "their number", "1", 4.0, s->feet, "%s", "");
}

// "Inversely proportional".
static void tell_shape(const cli_ramp *o, const found *f)
{
    cli_paper_tell(o->p, "μ = 0.25 to 0.125", "ratio of μ times distance", "1", 1.0,
                   mus[2] * f->at[2].way / (mus[1] * f->at[1].way),
                   "the paper: distances are inversely proportional to μ. They are affine in μ, "
                   "as the closed form says");
}

// The μ below which the box still moves at the end.
static bool tell_threshold(cli_paper *p, double angle)
{
    double slides = 0.9 * tan(angle), stays = 1.1 * tan(angle);
    const double moves = 1e-9; // [m/s]
    for (int i = 0; i < (p->quick ? 20 : 36); ++i) {
        const double mu = 0.5 * (slides + stays);
        cli_ramp o;
        slide s;
        const bool fine = cli_ramp_begin(&o, p, mu) && run(&s, &o, paper_step, 0.0, NULL);
        cli_ramp_end(&o);
        if (!fine) {
            return false;
        }
        *(s.speed > moves ? &slides : &stays) = mu;
    }
    cli_paper_tell(p, "by bisection", "smallest μ that holds the box", "1", NAN, stays,
                   "tan θ = %.9g; the paper: between 0.25 and 0.375", tan(angle));
    return true;
}

// Distances must not depend on how the box lies.
static bool tell_headings(cli_paper *p)
{
    const int count = p->quick ? 4 : 16;
    double off = 0.0, across = 0.0;
    for (int k = 1; k < 3; ++k) {
        cli_ramp o;
        bool fine = cli_ramp_begin(&o, p, mus[k]);
        for (int i = 0; i < count && fine; ++i) {
            slide s;
            fine = run(&s, &o, paper_step, 6.283185307179586 * (i + 0.3) / count, NULL);
            if (fine) {
                const double exact = way_in_steps(&o, mus[k], paper_step, s.lift);
                off = fmax(off, fabs(s.way - exact));
                across = fmax(across, fabs(s.across));
            }
        }
        cli_ramp_end(&o);
        if (!fine) {
            return false;
        }
    }
    cli_paper_tell(p, "box turned on the ramp", "largest distance from the exact answer", "m", NAN,
                   off, "%d headings, μ = 0.125 and 0.25: the limit of friction is a disc", count);
    cli_paper_tell(p, "box turned on the ramp", "largest way across", "m", NAN, across,
                   "the box leans as its springs give way: in proportion to their depth");
    return true;
}

// --- errors against the step ------------------------------------------------------------------

enum { STEPS = 4 };
static const double steps[STEPS] = {1e-1, 1e-2, 1e-3, 1e-4};

typedef struct convergence {
    cli_curve *error[CASES - 1], *off, *slope;
} convergence;

static bool tell_order(convergence *out, cli_paper *p)
{
    const int count = p->quick ? 3 : STEPS;
    out->off = cli_paper_curve(p);
    out->slope = cli_paper_curve(p);
    for (int k = 0; k < CASES - 1; ++k) {
        cli_ramp o;
        double error[STEPS];
        bool fine = cli_ramp_begin(&o, p, mus[k]);
        out->error[k] = cli_paper_curve(p);
        for (int i = 0; i < count && fine; ++i) {
            slide s;
            fine = run(&s, &o, steps[i], 0.0, NULL);
            if (fine) {
                error[i] = fabs(s.way - way_at(&o, mus[k], seconds));
                cli_curve_add(p, out->error[k], steps[i], error[i]);
                cli_curve_add(p, out->off, steps[i],
                              fabs(s.way - way_in_steps(&o, mus[k], steps[i], s.lift)));
            }
        }
        cli_ramp_end(&o);
        if (!fine) {
            return false;
        }
        cli_paper_tell(p, names[k], "order of the error in h", "1", NAN, log10(error[1] / error[2]),
                       "h = 1e-2 to 1e-3 s, against the closed form");
    }
    for (int i = 0; i < count; ++i) {
        cli_curve_add(p, out->slope, steps[i], 10.0 * steps[i]);
    }
    return true;
}

// --- the plot ---------------------------------------------------------------------------------

typedef struct sweep {
    cli_curve *way, *exact, *inverse, *printed, *used, *law, *printed_used;
} sweep;

static bool measure_sweep(sweep *out, cli_paper *p, const found *f)
{
    *out = (sweep){cli_paper_curve(p), cli_paper_curve(p), cli_paper_curve(p), cli_paper_curve(p),
                   cli_paper_curve(p), cli_paper_curve(p), cli_paper_curve(p)};
    const int count = p->quick ? 9 : 33;
    double angle = 0.0;
    for (int i = 0; i < count; ++i) {
        const double mu = 0.4 * i / (count - 1);
        cli_ramp o;
        slide s;
        const bool fine = cli_ramp_begin(&o, p, mu) && run(&s, &o, paper_step, 0.0, NULL);
        angle = o.angle;
        cli_ramp_end(&o);
        if (!fine) {
            return false;
        }
        cli_curve_add(p, out->way, mu, s.way);
        cli_curve_add(p, out->used, mu, s.used);
    }
    cli_ramp o;
    if (!cli_ramp_begin(&o, p, 0.0)) {
        cli_ramp_end(&o);
        return false;
    }
    for (int i = 0; i <= 400; ++i) {
        const double mu = 0.4 * i / 400.0;
        cli_curve_add(p, out->exact, mu, way_at(&o, mu, seconds));
        cli_curve_add(p, out->law, mu, fmin(mu, tan(angle)));
        if (mu >= 0.05) {
            cli_curve_add(p, out->inverse, mu, mus[1] * f->at[1].way / mu);
        }
    }
    cli_ramp_end(&o);
    for (int i = 0; i < CASES; ++i) {
        cli_curve_add(p, out->printed, mus[i], f->at[i].way);
        cli_curve_add(p, out->printed_used, mus[i], f->at[i].used);
    }
    return true;
}

static bool draw(cli_paper *p, const found *f, const convergence *c, const cli_ramp_program *b)
{
    sweep s;
    if (!measure_sweep(&s, p, f)) {
        return false;
    }
    dp_plot_series over_time[2 * CASES];
    for (int i = 0; i < CASES; ++i) {
        over_time[i] = cli_curve_series(f->exact[i], i == 0 ? "closed form" : NULL,
                                        DP_PLOT_STYLE_REFERENCE, 0);
        over_time[CASES + i] = cli_curve_series(f->way[i], names[i], DP_PLOT_STYLE_LINE, i + 1);
    }
    const dp_plot_series against_mu[] = {
        cli_curve_series(s.exact, "closed form", DP_PLOT_STYLE_REFERENCE, 0),
        cli_curve_series(s.inverse, "∝ 1/μ, the paper's words", DP_PLOT_STYLE_DASHED, 5),
        cli_curve_series(s.way, "h = 0.01 s", DP_PLOT_STYLE_MARKS, 1),
        cli_curve_series(s.printed, "the paper's four", DP_PLOT_STYLE_MARKS, 2),
        cli_curve_series(b->printed, "published program, ζ = 1/h", DP_PLOT_STYLE_MARKED, 3),
        cli_curve_series(b->heavy, "published program, ζ = 10¹²/h", DP_PLOT_STYLE_MARKED, 4)};
    const dp_plot_series friction[] = {
        cli_curve_series(s.law, "the smaller of μ and tan θ", DP_PLOT_STYLE_REFERENCE, 0),
        cli_curve_series(s.used, "h = 0.01 s", DP_PLOT_STYLE_MARKS, 1),
        cli_curve_series(s.printed_used, "the paper's four", DP_PLOT_STYLE_MARKS, 2)};
    const dp_plot_series errors[] = {
        cli_curve_series(c->slope, "∝ h", DP_PLOT_STYLE_REFERENCE, 0),
        cli_curve_series(c->error[0], names[0], DP_PLOT_STYLE_MARKED, 1),
        cli_curve_series(c->error[1], names[1], DP_PLOT_STYLE_MARKED, 2),
        cli_curve_series(c->error[2], names[2], DP_PLOT_STYLE_MARKED, 3),
        cli_curve_series(c->off, "to the exact answer of the steps", DP_PLOT_STYLE_MARKS, 5)};
    dp_plot_series height[CASES], way[2 * CASES], force[CASES + 1];
    force[CASES] = cli_curve_series(b->law, "law: m g cos θ", DP_PLOT_STYLE_REFERENCE, 0);
    for (int i = 0; i < CASES; ++i) {
        height[i] = cli_curve_series(b->height[i], names[i], DP_PLOT_STYLE_LINE, i + 1);
        way[i] = over_time[i];
        way[CASES + i] = cli_curve_series(b->way[i], names[i], DP_PLOT_STYLE_LINE, i + 1);
        force[i] = cli_curve_series(b->force[i], names[i], DP_PLOT_STYLE_MARKED, i + 1);
    }
    const dp_plot_series numbers[] = {
        cli_curve_series(b->plain, "in double alone", DP_PLOT_STYLE_MARKED, 2),
        cli_curve_series(b->bound, "with 106 bits, a bound", DP_PLOT_STYLE_MARKED, 1)};
    const dp_plot_panel panel[] = {
        {"distance over time",
         {.name = "time", .unit = "s"},
         {.name = "distance", .unit = "m"},
         over_time,
         2 * CASES},
        {"distance after 1 s",
         {.name = "friction coefficient μ"},
         {.name = "distance", .unit = "m", .lo = -0.05, .hi = 1.4},
         against_mu,
         6},
        {"friction over normal force",
         {.name = "friction coefficient μ"},
         {.name = "friction used"},
         friction,
         3},
        {"error after 1 s",
         {.name = "step h", .unit = "s", .log = true},
         {.name = "error", .unit = "m", .log = true},
         errors,
         5},
        {"published program, ζ = 1/h: distance over time",
         {.name = "time", .unit = "s"},
         {.name = "distance", .unit = "m"},
         way,
         2 * CASES},
        {"published program, ζ = 1/h: thrown off the ramp",
         {.name = "time", .unit = "s"},
         {.name = "height", .unit = "m"},
         height,
         CASES},
        {"published program: force on the first step",
         {.name = "weight ζ h of normal forces", .log = true},
         {.name = "normal force", .unit = "N"},
         force,
         CASES + 1},
        {"published program: error of a force, μ = 0.25",
         {.name = "damper h B", .unit = "kg", .log = true},
         {.name = "error", .unit = "N", .log = true},
         numbers,
         2},
    };
    const dp_plot plot = {"A box on four Hertzian feet slides down a ramp", panel, 8, 2};
    return cli_paper_draw(p, &plot);
}

// --- Fig. 9 -----------------------------------------------------------------------------------

static bool run_cases(found *out, double *angle, cli_paper *p)
{
    for (int i = 0; i < CASES; ++i) {
        cli_ramp o;
        out->way[i] = cli_paper_curve(p);
        out->exact[i] = cli_paper_curve(p);
        const bool fine =
            cli_ramp_begin(&o, p, mus[i]) && run(&out->at[i], &o, paper_step, 0.0, out->way[i]);
        if (fine) {
            *angle = o.angle;
            tell_case(&o, i, &out->at[i]);
            if (i == CASES - 1) {
                tell_stiffness(&o, &out->at[i]);
                tell_shape(&o, out);
            }
            for (int k = 0; k <= 100; ++k) {
                cli_curve_add(p, out->exact[i], 0.01 * k, way_at(&o, mus[i], 0.01 * k));
            }
        }
        cli_ramp_end(&o);
        if (!fine) {
            return false;
        }
    }
    return true;
}

bool cli_paper_ramp(cli_paper *p)
{
    found f;
    convergence c;
    double angle = 0.0;
    cli_ramp_program published;
    return run_cases(&f, &angle, p) && tell_order(&c, p) && tell_threshold(p, angle) &&
           tell_headings(p) && cli_ramp_tell_program(&published, p) && draw(p, &f, &c, &published);
}
