// [AnitescuPotraStewart1998], sections 2.2 and 3: polyhedral friction cones "tend to favor
// particular directions". A particle slides on a level floor until it stops, at every heading.
//
// What is to be expected. Friction μ m g points along the corner d_k of the polygon that is
// furthest against the slip. Of a velocity at an angle δ ≤ π/r from −d_k only the part along d_k is
// braked, until the heading is midway between two corners, π/r from each; from then on the
// particle keeps it and is braked by μ g cos(π/r):
//
//     t₁ = v (cos δ − sin δ cot(π/r))/(μ g),   w = v sin δ/sin(π/r),   then w²/(2 μ g cos(π/r)).
//
// A force at the angle δ holds up to μ m g cos(π/r)/cos(π/r − δ).
//
// Steps sum the velocities at their ends, which are smaller than those at their starts: of a stop
// from v all steps together miss h v/2, whatever brakes. That is put back.
#include "common/signals.h"
#include "common/text.h"
#include "paper.h"

#include <dashpot/contact.h>

#include <stdio.h>

static const double tau = 6.283185307179586, degree = 0.017453292519943295;

enum { SIDES = 4, HEADINGS = 16 };
static const int sides[SIDES] = {4, 8, 16, 32};

typedef struct particle {
    cli_paper *p;
    cli_scene scene;
    dp_data *data;
    double mu, g, speed, mass;
} particle;

// Where it stops, beside where it was heading.
typedef struct stop {
    double along, across; // [m]
} stop;

static double turned(stop s)
{
    return atan2(s.across, s.along);
}

// --- closed forms -----------------------------------------------------------------------------

// From the angle to the nearest corner, in its axes, turned back to the heading.
static stop predicted(const particle *o, int r, double heading)
{
    const double each = tau / r, k = round(heading / each);
    const double off = heading - k * each, delta = fabs(off), half = 0.5 * each;
    const double v = o->speed, brake = o->mu * o->g;
    const double t = v * (cos(delta) - sin(delta) * cos(half) / sin(half)) / brake;
    const double w = v * sin(delta) / sin(half);
    const double rest = w * w / (2.0 * brake * cos(half));
    const double x = v * cos(delta) * t - 0.5 * brake * t * t + rest * cos(half);
    const double y = v * sin(delta) * t + rest * sin(half);
    const double c = cos(delta), s = sin(delta), side = off < 0.0 ? -1.0 : 1.0;
    return (stop){c * x + s * y, side * (c * y - s * x)};
}

static double holds(const particle *o, int r, double heading)
{
    const double each = tau / r, off = heading - round(heading / each) * each;
    return o->mu * cos(0.5 * each) / cos(0.5 * each - fabs(off));
}

// --- runs -------------------------------------------------------------------------------------

static bool begin(particle *o, cli_paper *p)
{
    *o = (particle){.p = p};
    if (!cli_paper_open(&o->scene, p, NAN)) {
        return false;
    }
    const dp_model *m = o->scene.model;
    const dp_model_size *size = dp_model_sizes(m);
    dp_geom_id floor, body;
    if (size->nv != 3 || size->nq != 3 || size->nkey < 1 ||
        dp_model_find_geom(&floor, m, "floor") != DP_OK ||
        dp_model_find_geom(&body, m, "particle") != DP_OK) {
        return cli_paper_refuse(p, "a geom 'particle' on three slides over a geom 'floor', and a "
                                   "keyframe with its velocity");
    }
    if (!cli_paper_works(p, cli_data_create(&o->data, m)) ||
        !cli_paper_works(p, dp_data_reset_to_key(o->data, (dp_key_id){0}))) {
        return false;
    }
    const double *v = dp_data_v(o->data);
    o->mu = fmax(dp_model_geom(m, floor).friction[0], dp_model_geom(m, body).friction[0]);
    o->g = -dp_model_options(m)->gravity.z;
    o->mass = dp_model_body(m, dp_model_geom(m, body).body).inertial.mass;
    o->speed = hypot(v[0], v[1]);
    return o->mu > 0.0 && o->g > 0.0 && o->speed > 0.0
               ? true
               : cli_paper_refuse(p, "friction, gravity and a velocity along the floor");
}

static void end(particle *o)
{
    dp_data_destroy(o->data);
    cli_scene_destroy(&o->scene);
}

// @param r 0: a disc, by law `compliant`
static bool start(particle *o, int r, double h, double heading, double speed)
{
    dp_data_reset(o->data);
    dp_options *options = dp_data_options(o->data);
    options->step = h;
    options->solver.law = r > 0 ? DP_LAW_LCP : DP_LAW_COMPLIANT;
    options->solver.lcp.directions = r > 0 ? r : options->solver.lcp.directions;
    double *v = dp_data_v(o->data);
    v[0] = speed * cos(heading);
    v[1] = speed * sin(heading);
    v[2] = 0.0;
    return cli_paper_works(o->p, dp_kinematics(o->data));
}

// @param path x against y; NULL: not asked for
static bool slide(stop *out, particle *o, int r, double h, double heading, cli_curve *path)
{
    if (!start(o, r, h, heading, o->speed)) {
        return false;
    }
    const double longest = 4.0 * o->speed / (o->mu * o->g); // [s]
    const double *q = dp_data_q(o->data), *v = dp_data_v(o->data);
    for (int i = 0; i < (int)(longest / h) && hypot(v[0], v[1]) > 1e-9; ++i) {
        if (path) {
            cli_curve_add(o->p, path, q[0], q[1]);
        }
        if (!cli_paper_works(o->p, dp_step(o->data))) {
            return false;
        }
    }
    if (path) {
        cli_curve_add(o->p, path, q[0], q[1]);
    }
    const double c = cos(heading), s = sin(heading);
    *out = (stop){c * q[0] + s * q[1] + 0.5 * h * o->speed, c * q[1] - s * q[0]};
    return true;
}

// The largest force at this heading that does not move it, over its weight.
static bool find_hold(double *out, particle *o, int r, double h, double heading)
{
    double stays = 0.5 * o->mu, moves = 1.2 * o->mu;
    for (int i = 0; i < (o->p->quick ? 24 : 40); ++i) {
        const double share = 0.5 * (stays + moves), force = share * o->mass * o->g;
        if (!start(o, r, h, heading, 0.0)) {
            return false;
        }
        dp_data_force(o->data)[0] = force * cos(heading);
        dp_data_force(o->data)[1] = force * sin(heading);
        if (!cli_paper_works(o->p, dp_step(o->data))) {
            return false;
        }
        const double *v = dp_data_v(o->data);
        *(hypot(v[0], v[1]) > 1e-12 ? &moves : &stays) = share;
    }
    *out = 0.5 * (stays + moves);
    return true;
}

// --- rows -------------------------------------------------------------------------------------

typedef struct cone {
    particle o;
    double h;
    int headings;
    cli_curve *angle[SIDES], *exact_angle[SIDES]; // [deg] against the heading between corners
    cli_curve *ratio[SIDES], *exact_ratio[SIDES]; // of distances
    cli_curve *worst[2], *exact_worst[2];         // against r
    cli_curve *path[6], *straight;
} cone;

static double free_way(const particle *o)
{
    return o->speed * o->speed / (2.0 * o->mu * o->g);
}

static bool tell_sides(cone *c, int i)
{
    particle *o = &c->o;
    const int r = sides[i];
    const double half = 0.5 * tau / r;
    double angle = 0.0, longest = 0.0, off = 0.0, hold, exact_angle = 0.0;
    for (int k = 0; k <= c->headings; ++k) {
        const double heading = half * k / c->headings;
        stop s;
        if (!slide(&s, o, r, c->h, heading, NULL)) {
            return false;
        }
        const stop e = predicted(o, r, heading);
        const double ratio = hypot(s.along, s.across) / free_way(o);
        cli_curve_add(o->p, c->angle[i], heading / half, turned(s) / degree);
        cli_curve_add(o->p, c->ratio[i], heading / half, ratio);
        angle = fmax(angle, fabs(turned(s)));
        longest = fmax(longest, ratio);
        off = fmax(off, hypot(s.along - e.along, s.across - e.across));
    }
    const int fine = 1000;
    for (int k = 0; k <= fine; ++k) {
        const double heading = half * k / fine;
        const stop e = predicted(o, r, heading);
        exact_angle = fmax(exact_angle, fabs(turned(e)));
        if (k % 20 == 0) {
            cli_curve_add(o->p, c->exact_angle[i], heading / half, turned(e) / degree);
            cli_curve_add(o->p, c->exact_ratio[i], heading / half,
                          hypot(e.along, e.across) / free_way(o));
        }
    }
    if (!find_hold(&hold, o, r, c->h, half)) {
        return false;
    }
    const double exact_longest = 1.0 / cos(half);
    cli_curve_add(o->p, c->worst[0], r, angle / degree);
    cli_curve_add(o->p, c->exact_worst[0], r, exact_angle / degree);
    cli_curve_add(o->p, c->worst[1], r, longest - 1.0);
    cli_curve_add(o->p, c->exact_worst[1], r, exact_longest - 1.0);
    char of[32];
    snprintf(of, sizeof of, "r = %d", r);
    cli_paper_tell(o->p, of, "worst heading error", "deg", NAN, angle / degree,
                   "from where it starts to where it stops; the paper says that the cone favours "
                   "directions, and gives no numbers");
    cli_paper_tell(o->p, of, "the same, predicted", "deg", NAN, exact_angle / degree,
                   "closed form: it turns away from a corner until it is midway between two");
    cli_paper_tell(o->p, of, "longest way, over that on a disc", "1", NAN, longest, "%s", "");
    cli_paper_tell(o->p, of, "the same, predicted", "1", NAN, exact_longest, "1/cos(π/r), midway");
    cli_paper_tell(o->p, of, "largest distance from the predicted place", "m", NAN, off,
                   "steps of %s s, whose h v/2 is put back", cli_short(2, c->h).text);
    cli_paper_tell(o->p, of, "least force that moves it, over its weight", "1", NAN, hold,
                   "at a heading midway; predicted: μ cos(π/r) = %s",
                   cli_short(9, holds(o, r, half)).text);
    return true;
}

// A disc has no directions: the compliant law.
static bool tell_disc(cone *c)
{
    particle *o = &c->o;
    double angle = 0.0, longest = 0.0;
    for (int k = 0; k < c->headings; ++k) {
        stop s;
        if (!slide(&s, o, 0, c->h, 0.1 + tau * k / c->headings, NULL)) {
            return false;
        }
        angle = fmax(angle, fabs(turned(s)));
        longest = fmax(longest, fabs(hypot(s.along, s.across) / free_way(o) - 1.0));
    }
    cli_paper_tell(o->p, "disc, law compliant", "worst heading error", "deg", 0.0, angle / degree,
                   "the cone of (19)");
    cli_paper_tell(o->p, "disc, law compliant", "largest error of the way", "1", NAN, longest,
                   "what the springs of the contact give, and the last step");
    return true;
}

// How fast the bias falls with r, from the last doubling.
static void tell_rates(const cone *c)
{
    const double *angle = c->exact_worst[0]->y, *way = c->exact_worst[1]->y;
    const double *ours[2] = {c->worst[0]->y, c->worst[1]->y};
    cli_paper_tell(c->o.p, "r = 16 to 32", "order of the heading error in 1/r", "1", NAN,
                   log2(ours[0][2] / ours[0][3]), "predicted: %s",
                   cli_short(4, log2(angle[2] / angle[3])).text);
    cli_paper_tell(c->o.p, "r = 16 to 32", "order of the error of the way in 1/r", "1", NAN,
                   log2(ours[1][2] / ours[1][3]), "predicted: %s",
                   cli_short(4, log2(way[2] / way[3])).text);
}

static bool trace_paths(cone *c)
{
    particle *o = &c->o;
    stop s;
    for (int k = 0; k < 6; ++k) {
        if (!slide(&s, o, 4, c->h, 0.125 * tau * (k + 0.5) / 3.0, c->path[k])) {
            return false;
        }
    }
    for (int k = 0; k <= 60; ++k) { // where a disc would let it stop
        const double heading = 0.25 * tau * k / 60.0;
        cli_curve_add(o->p, c->straight, free_way(o) * cos(heading), free_way(o) * sin(heading));
    }
    return true;
}

// --- the plot ---------------------------------------------------------------------------------

static void begin_curves(cone *c)
{
    for (int i = 0; i < SIDES; ++i) {
        c->angle[i] = cli_paper_curve(c->o.p);
        c->exact_angle[i] = cli_paper_curve(c->o.p);
        c->ratio[i] = cli_paper_curve(c->o.p);
        c->exact_ratio[i] = cli_paper_curve(c->o.p);
    }
    for (int i = 0; i < 2; ++i) {
        c->worst[i] = cli_paper_curve(c->o.p);
        c->exact_worst[i] = cli_paper_curve(c->o.p);
    }
    for (int i = 0; i < 6; ++i) {
        c->path[i] = cli_paper_curve(c->o.p);
    }
    c->straight = cli_paper_curve(c->o.p);
}

static bool draw(cone *c)
{
    static const char *const names[SIDES] = {"r = 4", "r = 8", "r = 16", "r = 32"};
    dp_plot_series angles[2 * SIDES], ratios[2 * SIDES], paths[7];
    for (int i = 0; i < SIDES; ++i) {
        angles[2 * i] = cli_curve_series(c->exact_angle[i], NULL, DP_PLOT_STYLE_REFERENCE, 0);
        angles[2 * i + 1] = cli_curve_series(c->angle[i], names[i], DP_PLOT_STYLE_MARKS, i + 1);
        ratios[2 * i] = cli_curve_series(c->exact_ratio[i], NULL, DP_PLOT_STYLE_REFERENCE, 0);
        ratios[2 * i + 1] = cli_curve_series(c->ratio[i], names[i], DP_PLOT_STYLE_MARKS, i + 1);
    }
    paths[0] = cli_curve_series(c->straight, "on a disc it stops here", DP_PLOT_STYLE_REFERENCE, 0);
    for (int i = 0; i < 6; ++i) {
        paths[i + 1] = cli_curve_series(c->path[i], NULL, DP_PLOT_STYLE_LINE, 1);
    }
    const dp_plot_series worst[] = {
        cli_curve_series(c->exact_worst[0], "predicted", DP_PLOT_STYLE_REFERENCE, 0),
        cli_curve_series(c->worst[0], "Dashpot", DP_PLOT_STYLE_MARKS, 1)};
    const dp_plot_series longest[] = {
        cli_curve_series(c->exact_worst[1], "1/cos(π/r) − 1", DP_PLOT_STYLE_REFERENCE, 0),
        cli_curve_series(c->worst[1], "Dashpot", DP_PLOT_STYLE_MARKS, 1)};
    const dp_plot_axis between = {.name = "heading, from a corner (0) to midway (1)", .unit = "1"};
    const dp_plot_axis count = {.name = "directions r", .unit = "1", .log = true};
    const double far = 1.25 * free_way(&c->o);
    const dp_plot_panel panel[] = {
        {"paths with r = 4",
         {.name = "x", .unit = "m", .lo = 0.0, .hi = far},
         {.name = "y", .unit = "m", .lo = 0.0, .hi = far},
         paths,
         7},
        {"heading error", between, {.name = "angle", .unit = "deg"}, angles, 2 * SIDES},
        {"way to rest, over that on a disc",
         between,
         {.name = "ratio", .unit = "1"},
         ratios,
         2 * SIDES},
        {"worst heading error", count, {.name = "angle", .unit = "deg", .log = true}, worst, 2},
        {"longest way: what is too much",
         count,
         {.name = "ratio − 1", .unit = "1", .log = true},
         longest,
         2},
    };
    const dp_plot plot = {"Polyhedral friction cones: bias against heading and r", panel, 5, 2};
    return cli_paper_draw(c->o.p, &plot);
}

bool cli_paper_cone(cli_paper *p)
{
    cone c = {.h = p->quick ? 2e-3 : 1e-3, .headings = p->quick ? 8 : HEADINGS};
    bool fine = begin(&c.o, p);
    if (fine) {
        begin_curves(&c);
    }
    for (int i = 0; i < SIDES && fine; ++i) {
        fine = tell_sides(&c, i);
    }
    fine = fine && tell_disc(&c);
    if (fine) {
        tell_rates(&c);
    }
    fine = fine && trace_paths(&c) && draw(&c);
    end(&c.o);
    return fine;
}
