// [AnitescuPotraStewart1998], section 3, (22) and (23): polygons of r directions come to the true
// cone as r grows. A particle slides on a level floor until it stops, by law lcp with r = 4 … 256
// and by law ncp, from the same starts.
//
// What is to be expected. In a step in which it slides, friction of both laws has the size μ m g;
// directions differ by up to π/r, and so do velocities, by up to 2 μ g h sin(π/(2 r)). Ways differ
// by 1/cos(π/r) − 1 at most (a-cone), in the second order, and headings in the first.
#include "common/signals.h"
#include "common/text.h"
#include "paper.h"

#include <stdio.h>

static const double pi = 3.141592653589793;

enum { SIDES = 7, HEADINGS = 12 };
static const int sides[SIDES] = {4, 8, 16, 32, 64, 128, 256};

typedef struct particle {
    cli_paper *p;
    cli_scene scene;
    dp_data *data;
    double mu, g, speed, h;
} particle;

// Where it stops, and the velocity after a first step.
typedef struct slide {
    double at[2], v[2];
} slide;

static bool begin(particle *o)
{
    if (!cli_paper_open(&o->scene, o->p, NAN)) {
        return false;
    }
    const dp_model *m = o->scene.model;
    dp_geom_id floor, body;
    if (dp_model_sizes(m)->nv != 3 || dp_model_sizes(m)->nkey < 1 ||
        dp_model_find_geom(&floor, m, "floor") != DP_OK ||
        dp_model_find_geom(&body, m, "particle") != DP_OK) {
        return cli_paper_refuse(o->p, "a geom 'particle' on three slides over a geom 'floor', and "
                                      "a keyframe with its velocity");
    }
    if (!cli_paper_works(o->p, cli_data_create(&o->data, m)) ||
        !cli_paper_works(o->p, dp_data_reset_to_key(o->data, (dp_key_id){0}))) {
        return false;
    }
    o->mu = fmax(dp_model_geom(m, floor).friction[0], dp_model_geom(m, body).friction[0]);
    o->g = -dp_model_options(m)->gravity.z;
    o->speed = hypot(dp_data_v(o->data)[0], dp_data_v(o->data)[1]);
    return o->mu > 0.0 && o->g > 0.0 && o->speed > 0.0
               ? true
               : cli_paper_refuse(o->p, "friction, gravity and a velocity along the floor");
}

// @param r 0: law ncp
static bool run(slide *out, particle *o, int r, double heading)
{
    dp_data_reset(o->data);
    dp_options *options = dp_data_options(o->data);
    options->step = o->h;
    options->solver.law = r > 0 ? DP_LAW_LCP : DP_LAW_NCP;
    options->solver.lcp.directions = r > 0 ? r : options->solver.lcp.directions;
    double *v = dp_data_v(o->data);
    v[0] = o->speed * cos(heading);
    v[1] = o->speed * sin(heading);
    *out = (slide){0};
    const double *q = dp_data_q(o->data);
    const double longest = 4.0 * o->speed / (o->mu * o->g); // [s]
    for (int n = 0; n < (int)(longest / o->h) && hypot(v[0], v[1]) > 1e-9; ++n) {
        if (!cli_paper_works(o->p, dp_step(o->data))) {
            return false;
        }
        if (n == 0) {
            out->v[0] = v[0];
            out->v[1] = v[1];
        }
    }
    out->at[0] = q[0];
    out->at[1] = q[1];
    return true;
}

// --- rows -------------------------------------------------------------------------------------

enum { ANGLE, WAY, VELOCITY, PLACE, MEASURES };
static const char *const measures[MEASURES] = {"heading of the way", "length of the way",
                                               "velocity after a step", "place where it stops"};
static const char *const units[MEASURES] = {"rad", "1", "m/s", "m"};

typedef struct limit {
    particle o;
    int headings;
    cli_curve *worst[MEASURES];
} limit;

// Headings fill the angle between a corner and midway to the next, for each r its own.
static double heading_of(const limit *f, int r, int k)
{
    return pi / r * (k + 0.5) / f->headings;
}

static bool tell_sides(limit *f, int r)
{
    particle *o = &f->o;
    double worst[MEASURES] = {0};
    for (int k = 0; k < f->headings; ++k) {
        const double heading = heading_of(f, r, k);
        slide s, c;
        if (!run(&s, o, r, heading) || !run(&c, o, 0, heading)) {
            return false;
        }
        const double way = hypot(s.at[0], s.at[1]) / hypot(c.at[0], c.at[1]);
        const double turned =
            atan2(c.at[0] * s.at[1] - c.at[1] * s.at[0], c.at[0] * s.at[0] + c.at[1] * s.at[1]);
        worst[ANGLE] = fmax(worst[ANGLE], fabs(turned));
        worst[WAY] = fmax(worst[WAY], fabs(way - 1.0));
        worst[VELOCITY] = fmax(worst[VELOCITY], hypot(s.v[0] - c.v[0], s.v[1] - c.v[1]));
        worst[PLACE] = fmax(worst[PLACE], hypot(s.at[0] - c.at[0], s.at[1] - c.at[1]));
    }
    char of[32], quantity[64];
    snprintf(of, sizeof of, "r = %d", r);
    for (int n = 0; n < MEASURES; ++n) {
        cli_curve_add(o->p, f->worst[n], r, worst[n]);
        snprintf(quantity, sizeof quantity, "%s, lcp from ncp", measures[n]);
        cli_paper_tell(o->p, of, quantity, units[n], NAN, worst[n],
                       "largest over %d headings between a corner of the polygon and midway to the "
                       "next; lengths over that of ncp",
                       f->headings);
    }
    return true;
}

static void tell_orders(const limit *f)
{
    for (int n = 0; n < MEASURES; ++n) {
        char quantity[64];
        const double *y = f->worst[n]->y;
        const size_t last = f->worst[n]->count - 1;
        snprintf(quantity, sizeof quantity, "%s: order in 1/r", measures[n]);
        cli_paper_tell(f->o.p, "r → ∞", quantity, "1", NAN, 0.5 * log2(y[last - 2] / y[last]),
                       "the paper: solutions of (7) come to one of (22) for some r → ∞; predicted "
                       "from π/r and cos(π/r): 1, of lengths 2");
    }
}

// ncp itself: along its heading, as far as friction lets it.
static bool tell_cone(limit *f)
{
    particle *o = &f->o;
    double angle = 0.0, off = 0.0;
    const double way = o->speed * o->speed / (2.0 * o->mu * o->g) - 0.5 * o->h * o->speed;
    for (int k = 0; k < f->headings; ++k) {
        const double heading = 0.1 + 2.0 * pi * k / f->headings;
        const double c = cos(heading), s = sin(heading);
        slide x;
        if (!run(&x, o, 0, heading)) {
            return false;
        }
        angle = fmax(angle, fabs(atan2(c * x.at[1] - s * x.at[0], c * x.at[0] + s * x.at[1])));
        off = fmax(off, fabs(hypot(x.at[0], x.at[1]) - way));
    }
    cli_paper_tell(o->p, "law ncp", "worst heading error", "rad", 0.0, angle,
                   "the cone (19) has no directions");
    cli_paper_tell(
        o->p, "law ncp", "largest error of the way", "m", NAN, off,
        "from v²/(2 μ g) − h v/2; the step in which it stops makes h² μ g/8 at most, %s m",
        cli_short(2, o->h * o->h * o->mu * o->g / 8.0).text);
    return true;
}

static bool draw(limit *f)
{
    dp_plot_series one[MEASURES][1];
    dp_plot_panel panel[MEASURES];
    for (int n = 0; n < MEASURES; ++n) {
        one[n][0] = cli_curve_series(f->worst[n], NULL, DP_PLOT_STYLE_MARKED, n + 1);
        panel[n] = (dp_plot_panel){measures[n],
                                   {.name = "directions r", .unit = "1", .log = true},
                                   {.name = "lcp from ncp", .unit = units[n], .log = true},
                                   one[n],
                                   1};
    }
    const dp_plot plot = {"Polygons of r directions come to the cone", panel, MEASURES, 2};
    return cli_paper_draw(f->o.p, &plot);
}

bool cli_paper_ncp(cli_paper *p)
{
    limit f = {.o = {.p = p, .h = p->quick ? 5e-3 : 1e-3}, .headings = p->quick ? 4 : HEADINGS};
    for (int n = 0; n < MEASURES; ++n) {
        f.worst[n] = cli_paper_curve(p);
    }
    bool fine = begin(&f.o);
    for (int i = 0; i < SIDES && fine; ++i) {
        fine = tell_sides(&f, sides[i]);
    }
    if (fine) {
        tell_orders(&f);
    }
    fine = fine && tell_cone(&f) && draw(&f);
    dp_data_destroy(f.o.data);
    cli_scene_destroy(&f.o.scene);
    return fine;
}
