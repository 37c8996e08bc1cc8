#include "collide_engine.h"

#include <dashpot/advanced/collide.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct engine {
    dp_shape shape[2];
    dp_hull *hull[2];
    bench_collide_setup setup;
} engine;

static void destroy(void *self)
{
    engine *e = self;
    dp_hull_destroy(e->hull[0]);
    dp_hull_destroy(e->hull[1]);
    free(e);
}

// The same seven numbers.
_Static_assert(sizeof(dp_pose) == sizeof(bench_pose), "poses have one layout");
static dp_pose pose(const bench_pose *x)
{
    dp_pose X;
    memcpy(&X, x, sizeof X);
    return X;
}

static void failed(void)
{
    fprintf(stderr, "dashpot_bench: %s\n", dp_last_error());
    exit(1);
}

static void overlaps(const engine *e, const bench_pose *x, int n, double *gap, int *points)
{
    for (int i = 0; i < n; ++i) {
        bool overlap;
        if (dp_shapes_overlap(&overlap, &e->shape[0], pose(&x[2 * i]), &e->shape[1],
                              pose(&x[2 * i + 1])) != DP_OK) {
            failed();
        }
        gap[i] = overlap ? -(double)INFINITY : (double)INFINITY;
        points[i] = overlap;
    }
}

static void distances(const engine *e, const bench_pose *x, int n, double *gap, int *points)
{
    dp_pair_memory memory = {.count = 0};
    for (int i = 0; i < n; ++i) {
        dp_distance d;
        if (dp_shapes_distance(&d, &e->shape[0], pose(&x[2 * i]), &e->shape[1], pose(&x[2 * i + 1]),
                               (double)INFINITY, e->setup.coherent ? &memory : NULL) != DP_OK) {
            failed();
        }
        gap[i] = d.gap;
        points[i] = 1;
    }
}

static void contacts(const engine *e, const bench_pose *x, int n, double *gap, int *points)
{
    dp_pair_memory memory = {.count = 0};
    dp_contact_point point[DP_PATCH_POINTS];
    for (int i = 0; i < n; ++i) {
        dp_contact_buffer found = {.point = point, .capacity = DP_PATCH_POINTS};
        if (dp_shapes_contacts(&found, &e->shape[0], pose(&x[2 * i]), &e->shape[1],
                               pose(&x[2 * i + 1]), e->setup.margin,
                               e->setup.coherent ? &memory : NULL) != DP_OK) {
            failed();
        }
        gap[i] = (double)INFINITY;
        for (int k = 0; k < found.count; ++k) {
            gap[i] = fmin(gap[i], point[k].gap);
        }
        points[i] = found.count;
    }
}

static void run(void *self, const bench_pose *x, int n, int times, double *gap, int *points)
{
    const engine *e = self;
    void (*const ask[])(const engine *, const bench_pose *, int, double *, int *) = {
        [BENCH_OVERLAP] = overlaps, [BENCH_DISTANCE] = distances, [BENCH_CONTACTS] = contacts};
    for (int k = 0; k < times; ++k) {
        ask[e->setup.task](e, x, n, gap, points);
    }
}

void bench_collide_dashpot(bench_collide_engine *out, const bench_collide_setup *setup)
{
    static const dp_geom_kind KIND[] = {
        [BENCH_PLANE] = DP_GEOM_PLANE,         [BENCH_SPHERE] = DP_GEOM_SPHERE,
        [BENCH_CAPSULE] = DP_GEOM_CAPSULE,     [BENCH_CYLINDER] = DP_GEOM_CYLINDER,
        [BENCH_ELLIPSOID] = DP_GEOM_ELLIPSOID, [BENCH_BOX] = DP_GEOM_BOX,
        [BENCH_HULL] = DP_GEOM_MESH,
    };
    *out = (bench_collide_engine){.name = "dashpot", .run = run, .destroy = destroy};
    engine *e = calloc(1, sizeof *e);
    if (!e) {
        return;
    }
    e->setup = *setup;
    for (int i = 0; i < 2; ++i) {
        const bench_shape *s = &setup->shape[i];
        e->shape[i].kind = KIND[s->kind];
        memcpy(e->shape[i].size, s->size, sizeof s->size);
        if (s->kind == BENCH_HULL &&
            dp_hull_create(&e->hull[i], s->vertex, s->nvertex, NULL) != DP_OK) {
            failed();
        }
        e->shape[i].hull = e->hull[i];
    }
    out->self = e;
}
