// Masses that differ too much, and inertias that do not go with the shapes of their bodies.
#include "common/element_names.h"
#include "common/scene.h"
#include "report/solid.h"
#include "report/warnings.h"

#include <math.h>
#include <stdlib.h>

// --- masses of one tree -------------------------------------------------------------------------

typedef struct extremes {
    int light, heavy; // bodies; 0: none yet
} extremes;

static double mass_of(const dp_model *m, int body)
{
    return dp_model_body(m, (dp_body_id){body}).inertial.mass;
}

static void look_at_ratios(cli_warning_list *list, const dp_model *m)
{
    const double large_ratio = 1e6; // beyond, round-off of the heavy body drowns the light one
    const dp_model_size *size = dp_model_sizes(m);
    extremes *tree = calloc((size_t)size->ntree + 1, sizeof *tree);
    for (int b = 1; tree && b < size->nbody; ++b) {
        const dp_body_info body = dp_model_body(m, (dp_body_id){b});
        if (body.tree < 0 || !(body.inertial.mass > 0.0)) {
            continue;
        }
        extremes *e = &tree[body.tree];
        e->light = e->light == 0 || body.inertial.mass < mass_of(m, e->light) ? b : e->light;
        e->heavy = e->heavy == 0 || body.inertial.mass > mass_of(m, e->heavy) ? b : e->heavy;
    }
    for (int t = 0; tree && t < size->ntree; ++t) {
        const int l = tree[t].light, h = tree[t].heavy;
        if (l == 0 || mass_of(m, h) <= large_ratio * mass_of(m, l)) {
            continue;
        }
        cli_warn(list, "W-MASS-RATIO",
                 "%s (%.3g kg) is %.1g times heavier than %s (%.3g kg) of its tree",
                 cli_body_name(m, (dp_body_id){h}).text, mass_of(m, h),
                 mass_of(m, h) / mass_of(m, l), cli_body_name(m, (dp_body_id){l}).text,
                 mass_of(m, l));
    }
    free(tree);
}

// --- inertia against shape ----------------------------------------------------------------------

// What the geoms of a body say of it.
typedef struct shape {
    cli_solid solid;
    cli_box box;
    double volume; // [m³] of what has a density
    bool unknown;  // a geom whose mass or bounds are unknown
    bool hollow;   // a geom with a mass of its own, or on its surface: no volume
} shape;

static void add_geom(shape *s, dp_spec *spec, const dp_model *m, int g)
{
    const dp_geom_spec *geom = dp_spec_geom(spec, (dp_geom_id){g});
    const dp_geom_info info = dp_model_geom(m, (dp_geom_id){g});
    dp_inertial inertial;
    if (!cli_box_add_geom(&s->box, m, &info) ||
        dp_spec_geom_inertial(&inertial, spec, (dp_geom_id){g}) != DP_OK) {
        s->unknown = true;
        return;
    }
    if (!(inertial.mass > 0.0)) {
        return; // looks, or a sensor
    }
    const cli_solid part = cli_solid_of(&inertial);
    s->solid = s->solid.mass > 0.0 ? cli_solid_join(s->solid, part) : part;
    if (geom->mass >= 0.0 || geom->shell) {
        s->hollow = true;
    } else {
        s->volume += inertial.mass / geom->density;
    }
}

// Moments per mass do not depend on density; in body axes they show an inertia that lies across.
static void compare_moments(cli_warning_list *list, const char *name, const cli_solid *given,
                            const cli_solid *other)
{
    const double far = 10.0;
    const double own[3] = {given->inertia.xx, given->inertia.yy, given->inertia.zz};
    const double shaped[3] = {other->inertia.xx, other->inertia.yy, other->inertia.zz};
    double worst = 1.0;
    int axis = -1;
    for (int i = 0; i < 3; ++i) {
        const double a = own[i] / given->mass, b = shaped[i] / other->mass;
        if (a > far * b && b > 0.0 && a / b > worst) {
            worst = a / b;
            axis = i;
        } else if (b > far * a && a > 0.0 && b / a > worst) {
            worst = b / a;
            axis = i;
        }
    }
    if (axis >= 0) {
        cli_warn(list, "W-INERTIA-FAR",
                 "%s has I_%c%c = %.3g kg m2; its mass in the shape of its geoms has %.3g", name,
                 "xyz"[axis], "xyz"[axis], own[axis], shaped[axis] * given -> mass / other -> mass);
    }
}

static void compare(cli_warning_list *list, const dp_model *m, int b, const shape *s)
{
    const dp_body_info body = dp_model_body(m, (dp_body_id){b});
    const cli_solid given = cli_solid_of(&body.inertial);
    const cli_name name = cli_body_name(m, (dp_body_id){b});
    const double margin = 0.05 * cli_box_diagonal(&s->box); // covers and cables
    const double distance = cli_box_distance(&s->box, given.com);
    if (cli_box_diagonal(&s->box) > 0.0 && distance > margin) {
        cli_warn(list, "W-COM-OUTSIDE",
                 "%s has its centre of mass %.3g m outside of the box around its geoms", name.text,
                 distance);
    }
    if (s->unknown || !(s->solid.mass > 0.0)) {
        return;
    }
    compare_moments(list, name.text, &given, &s->solid);
    const double lightest = 1.0, heaviest = 1e7; // [kg/m³] air; denser than any stand-in
    const double density = s->volume > 0.0 ? given.mass / s->volume : 0.0;
    if (!s->hollow && (density < lightest || density > heaviest)) {
        cli_warn(list, "W-DENSITY", "%s has %.3g kg in geoms of %.3g m3: %.2g kg/m3, %s than %s",
                 name.text, given.mass, s->volume, density,
                 density < lightest ? "lighter" : "denser",
                 density < lightest ? "air" : "any material");
    }
}

void cli_look_at_masses(cli_warning_list *list, dp_spec *spec, const dp_model *m)
{
    look_at_ratios(list, m);
    const dp_model_size *size = dp_model_sizes(m);
    shape *of = calloc((size_t)size->nbody, sizeof *of);
    bool *given = calloc((size_t)size->nbody, sizeof *given);
    for (int b = 1; of && given && b < size->nbody; ++b) {
        of[b].box = cli_box_empty();
        const dp_body_info body = dp_model_body(m, (dp_body_id){b});
        given[b] = dp_spec_body(spec, (dp_body_id){b})->inertia_source == DP_INERTIA_SOURCE_GIVEN &&
                   body.tree >= 0 && body.inertial.mass > 0.0;
    }
    for (int g = 0; of && given && g < size->ngeom; ++g) {
        const int b = dp_model_geom(m, (dp_geom_id){g}).body.index;
        if (given[b]) {
            add_geom(&of[b], spec, m, g);
        }
    }
    for (int b = 1; of && given && b < size->nbody; ++b) {
        if (given[b]) {
            compare(list, m, b, &of[b]);
        }
    }
    list->failed = list->failed || !of || !given;
    free(of);
    free(given);
}
