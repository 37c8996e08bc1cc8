// Pairs of convex shapes.
#include "convex_trial.h"

#include "collide/pair.h"
#include "geom/hull_shape.h"

#include <math.h>
#include <stdlib.h>

static dp_quat any_rotation(random_source *r)
{
    double q[4];
    random_direction(q, 4, r);
    return dp_quat_load(q);
}

static dp_quat cube_rotation(random_source *r)
{
    const double h = sqrt(0.5);
    const dp_quat all[4] = {{1, 0, 0, 0}, {h, h, 0, 0}, {h, 0, h, 0}, {0.5, 0.5, 0.5, 0.5}};
    return all[random_below(r, 4)];
}

// The hull of up to 30 points, half of them on an ellipsoid.
static void draw_hull(convex_trial *t, int which, random_source *r)
{
    dp_shape *s = &t->shape[which];
    do {
        const int n = 4 + random_below(r, 27);
        free(t->vertex[which]);
        t->vertex[which] = malloc((size_t)n * 3 * sizeof(double));
        assert_non_null(t->vertex[which]);
        for (int i = 0; i < n; ++i) {
            double d[3];
            random_direction(d, 3, r);
            const double far = random_chance(r, 0.5) ? 1.0 : random_between(r, 0.0, 1.0);
            for (int k = 0; k < 3; ++k) {
                t->vertex[which][3 * i + k] = far * d[k] * s->size[k];
            }
        }
        t->nvertex[which] = n;
        // Four points may be flat; then others are drawn.
    } while (dp_hull_create(&t->hull[which], t->vertex[which], t->nvertex[which], NULL) != DP_OK);
    s->hull = t->hull[which];
}

static double extent(const dp_shape *s)
{
    return s->kind == DP_GEOM_MESH ? s->hull->size : s->size[0] + s->size[1] + s->size[2];
}

static void draw_place(convex_trial *t, random_source *r, situation s)
{
    double d[3];
    random_direction(d, 3, r);
    t->pose[0].q = s == ALIGNED ? cube_rotation(r) : any_rotation(r);
    t->pose[1].q = s == ALIGNED ? cube_rotation(r) : any_rotation(r);
    if (s == PARALLEL) {
        t->pose[1].q = t->pose[0].q;
        if (random_chance(r, 0.5)) {
            d[0] = d[1] = d[2] = 0.0;
            d[random_below(r, 3)] = 1.0;
            dp_v3_store(d, dp_quat_rotate(t->pose[0].q, dp_v3_load(d)));
        }
    }
    if (s == ALIGNED && random_chance(r, 0.5)) {
        d[random_below(r, 3)] = 0.0;
    }
    double far = t->size * random_between(r, 0.0, s == DEEP ? 0.3 : 1.0);
    if (s == CONCENTRIC) {
        const double off[3] = {0.0, 1e-14, 1e-8};
        far = t->size * off[random_below(r, 3)];
    }
    t->pose[1].p = dp_v3_scale(dp_v3_load(d), far);
}

// Along the normal until the gap is gone, then on by next to nothing.
static void make_touch(convex_trial *t, random_source *r)
{
    const double off[9] = {0.0, 1e-15, -1e-15, 1e-13, -1e-13, 1e-10, -1e-10, 1e-7, -1e-7};
    const double rest = t->size * off[random_below(r, 9)];
    for (int k = 0; k < 4; ++k) {
        const dp_distance d = convex_trial_distance(t);
        t->pose[1].p = dp_v3_madd(t->pose[1].p, (k == 3 ? rest : 0.0) - d.gap, d.normal);
    }
}

void convex_trial_begin(convex_trial *t, random_source *r, dp_geom_kind a, dp_geom_kind b,
                        situation s, double scale)
{
    *t = (convex_trial){.shape = {{.kind = a}, {.kind = b}}};
    for (int i = 0; i < 2; ++i) {
        for (int k = 0; k < 3; ++k) {
            t->shape[i].size[k] = scale * (s == SLENDER ? pow(10.0, random_between(r, -4.0, 0.0))
                                                        : random_between(r, 0.2, 1.0));
        }
        if (t->shape[i].kind == DP_GEOM_MESH) {
            draw_hull(t, i, r);
        }
        t->size += extent(&t->shape[i]);
    }
    draw_place(t, r, s);
    if (s == TOUCHING) {
        make_touch(t, r);
    }
}

void convex_trial_end(convex_trial *t)
{
    for (int i = 0; i < 2; ++i) {
        dp_hull_destroy(t->hull[i]);
        free(t->vertex[i]);
    }
}

dp_distance convex_trial_distance(const convex_trial *t)
{
    const dp_placed a = dp_place(&t->shape[0], t->pose[0]), b = dp_place(&t->shape[1], t->pose[1]);
    dp_distance d;
    dp_convex_distance(&d, &a, &b, INFINITY, NULL);
    return d;
}
