// [Drumwright2019], Fig. 7: pressures under a cube that a load presses at one side. The cube is
// rigid, so they rise evenly towards the side of the load and are not concentrated under it.
#include "drumwright/paper_d_cube.h"

#include <stdio.h>

static const double step = 0.01, seconds = 1.0;

// The load goes round: a tile is on its side by its place along the direction to it.
typedef struct sides {
    double at_load, opposite; // [Pa] pressures of the outermost tiles, along that direction
    double middle;            // [Pa]
    double angle;             // [rad] from the direction of the load to the centre of pressure
    double centre;            // [m] how far out that is
    double lifted;            // share of tiles without pressure
} sides;

// @param curve pressures against the place in that direction; NULL: not asked for
static sides look(cli_cube_run *o, cli_curve *curve)
{
    const double t = dp_data_time(o->data) - step; // steps take loads as they are at their start
    int nx, ny, middle = 0;
    const double *pressure = dp_foundation_pressure(o->data, o->geom, &nx, &ny);
    const double *half = o->cube.half;
    double moment[2] = {0.0, 0.0};
    for (int i = 0; i < o->cube.nforce; ++i) {
        double f = 0.0;
        if (o->cube.force[i].along[2] &&
            dp_expression_value(o->cube.force[i].along[2], t, &f) == DP_OK) {
            moment[0] -= f * o->cube.force[i].point.x;
            moment[1] -= f * o->cube.force[i].point.y;
        }
    }
    const double norm = hypot(moment[0], moment[1]);
    const double to[2] = {norm > 0.0 ? moment[0] / norm : 1.0, norm > 0.0 ? moment[1] / norm : 0.0};
    sides s = {0};
    double far = -INFINITY, near = INFINITY;
    const double nearest = 1.01 * hypot(half[0] / nx, half[1] / ny); // one, two or four tiles
    int lifted = 0;
    for (int j = 0; j < ny; ++j) {
        for (int i = 0; i < nx; ++i) {
            const double x = ((2 * i + 1.0) / nx - 1.0) * half[0];
            const double y = ((2 * j + 1.0) / ny - 1.0) * half[1];
            const double out = x * to[0] + y * to[1], p = pressure[i + nx * j];
            if (out > far) {
                far = out;
                s.at_load = p;
            }
            if (out < near) {
                near = out;
                s.opposite = p;
            }
            if (hypot(x, y) < nearest) {
                s.middle += p;
                ++middle;
            }
            lifted += p <= 0.0;
            if (curve) {
                cli_curve_add(o->p, curve, out, p);
            }
        }
    }
    s.middle /= middle > 0 ? middle : 1;
    const dp_foundation_load load = dp_foundation_sum(o->data, o->geom);
    s.centre = hypot(load.centre.x, load.centre.y);
    s.angle = atan2(to[0] * load.centre.y - to[1] * load.centre.x,
                    to[0] * load.centre.x + to[1] * load.centre.y);
    s.lifted = lifted / (double)(nx * ny);
    return s;
}

typedef struct traces {
    cli_curve *at_load, *opposite, *middle, *profile;
} traces;

// @param at the step after which a pressure is largest
static bool watch(traces *out, int *at, cli_cube_run *o)
{
    *out = (traces){cli_paper_curve(o->p), cli_paper_curve(o->p), cli_paper_curve(o->p),
                    cli_paper_curve(o->p)};
    double largest = 0.0;
    *at = 0;
    dp_data_options(o->data)->step = step;
    for (int i = 0; i < (int)(seconds / step + 0.5); ++i) {
        if (!cli_paper_works(o->p, dp_step(o->data))) {
            return false;
        }
        const double t = dp_data_time(o->data);
        const sides s = look(o, NULL);
        cli_curve_add(o->p, out->at_load, t, s.at_load);
        cli_curve_add(o->p, out->opposite, t, s.opposite);
        cli_curve_add(o->p, out->middle, t, s.middle);
        const double pressure = dp_foundation_sum(o->data, o->geom).pressure;
        if (pressure > largest) {
            largest = pressure;
            *at = i + 1;
        }
    }
    return true;
}

static void tell(cli_cube_run *o, const sides *s)
{
    char of[64];
    snprintf(of, sizeof of, "t = %.2f s", dp_data_time(o->data));
    const double weight = o->cube.mass * o->cube.gravity;
    const dp_foundation_load load = dp_foundation_sum(o->data, o->geom);
    cli_paper_tell(o->p, of, "pressure on the side of the load", "Pa", NAN, s->at_load,
                   "the paper: greater there, as expected");
    cli_paper_tell(o->p, of, "pressure on the opposite side", "Pa", NAN, s->opposite, "%s", "");
    cli_paper_tell(o->p, of, "pressure in the middle", "Pa", NAN, s->middle, "%s", "");
    cli_paper_tell(o->p, of, "part of the face that has lifted", "1", NAN, s->lifted,
                   "the paper: the side opposite to a load of 50 N separates slightly");
    cli_paper_tell(o->p, of, "force of all springs", "N", NAN, load.force, "weight %.6g N and load",
                   weight);
    cli_paper_tell(o->p, of, "centre of pressure, from the middle", "m", NAN, s->centre, "%s", "");
    cli_paper_tell(o->p, of, "angle from the load to the centre of pressure", "rad", NAN, s->angle,
                   "%s", "");
    cli_paper_tell(o->p, of, "largest pressure", "Pa", NAN, load.pressure,
                   "the largest within 1 s, where the load points to a corner of the face");
}

static bool draw(cli_cube_run *o, const traces *t)
{
    const dp_plot_series over_time[] = {
        cli_curve_series(t->at_load, "at the load", DP_PLOT_STYLE_LINE, 2),
        cli_curve_series(t->middle, "in the middle", DP_PLOT_STYLE_LINE, 1),
        cli_curve_series(t->opposite, "opposite", DP_PLOT_STYLE_LINE, 3)};
    const dp_plot_series along[] = {
        cli_curve_series(t->profile, "each spring", DP_PLOT_STYLE_MARKS, 2)};
    char title[64];
    snprintf(title, sizeof title, "at the largest, t = %.2f s", dp_data_time(o->data));
    const dp_plot_panel panel[] = {
        {"pressures over time",
         {.name = "time", .unit = "s"},
         {.name = "pressure", .unit = "Pa"},
         over_time,
         3},
        {title,
         {.name = "place in the direction of the load", .unit = "m"},
         {.name = "pressure", .unit = "Pa"},
         along,
         1},
    };
    const dp_plot plot = {"Pressures under a cube while a load goes round on its top", panel, 2, 2};
    if (!cli_paper_draw(o->p, &plot)) {
        return false;
    }
    if (!o->p->out) {
        return true;
    }
    char path[4096];
    snprintf(path, sizeof path, "%s/%s-map.svg", o->p->out, o->p->item->id);
    return cli_paper_works(
        o->p,
        dp_pressure_write_svg(o->data, path, "Pressures under the cube when they are largest"));
}

bool cli_paper_pressure(cli_paper *p)
{
    const cli_cube_case as_in_the_scene = {0};
    cli_cube_run o;
    traces t;
    int at;
    bool fine = cli_cube_begin(&o, p, &as_in_the_scene) && watch(&t, &at, &o) &&
                cli_cube_advance(&o, step, at);
    if (fine) {
        const sides s = look(&o, t.profile);
        tell(&o, &s);
        fine = draw(&o, &t);
    }
    cli_cube_end(&o);
    return fine;
}
