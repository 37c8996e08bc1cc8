// libccd leaves the support maps to its user. These turn the direction into the frame of the shape
// by a matrix that is made once per pose, and look at every vertex of a hull.
#include "collide_engine.h"

#include <ccd/ccd.h>

#include <math.h>
#include <stdlib.h>

typedef struct body {
    bench_shape shape;
    double R[3][3], p[3];
} body;

typedef struct engine {
    body body[2];
    ccd_t ccd;
    bool mpr, overlap;
} engine;

static void local_support(double x[3], const bench_shape *s, const double n[3])
{
    switch (s->kind) {
    case BENCH_BOX:
        for (int i = 0; i < 3; ++i) {
            x[i] = n[i] < 0.0 ? -s->size[i] : s->size[i];
        }
        break;
    case BENCH_CYLINDER: {
        const double across = sqrt(n[0] * n[0] + n[1] * n[1]);
        const double r = across > 0.0 ? s->size[0] / across : 0.0;
        x[0] = r * n[0];
        x[1] = r * n[1];
        x[2] = n[2] < 0.0 ? -s->size[1] : s->size[1];
        break;
    }
    case BENCH_ELLIPSOID: {
        const double m[3] = {s->size[0] * n[0], s->size[1] * n[1], s->size[2] * n[2]};
        const double r = 1.0 / sqrt(m[0] * m[0] + m[1] * m[1] + m[2] * m[2]);
        for (int i = 0; i < 3; ++i) {
            x[i] = s->size[i] * m[i] * r;
        }
        break;
    }
    case BENCH_HULL: {
        double most = -(double)INFINITY;
        const double *best = s->vertex;
        for (int i = 0; i < s->nvertex; ++i) {
            const double *v = s->vertex + 3 * i;
            const double along = v[0] * n[0] + v[1] * n[1] + v[2] * n[2];
            if (along > most) {
                most = along;
                best = v;
            }
        }
        x[0] = best[0];
        x[1] = best[1];
        x[2] = best[2];
        break;
    }
    default: { // balls, and balls at the ends of a segment
        const double r = s->size[0] / sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (int i = 0; i < 3; ++i) {
            x[i] = r * n[i];
        }
        if (s->kind == BENCH_CAPSULE) {
            x[2] += n[2] < 0.0 ? -s->size[1] : s->size[1];
        }
    }
    }
}

static void support(const void *object, const ccd_vec3_t *direction, ccd_vec3_t *out)
{
    const body *b = object;
    const double *d = direction->v;
    double n[3], x[3];
    for (int i = 0; i < 3; ++i) {
        n[i] = b->R[0][i] * d[0] + b->R[1][i] * d[1] + b->R[2][i] * d[2];
    }
    local_support(x, &b->shape, n);
    for (int i = 0; i < 3; ++i) {
        out->v[i] = b->p[i] + b->R[i][0] * x[0] + b->R[i][1] * x[1] + b->R[i][2] * x[2];
    }
}

static void centre(const void *object, ccd_vec3_t *out)
{
    const body *b = object;
    ccdVec3Set(out, b->p[0], b->p[1], b->p[2]);
}

static void place(body *b, const bench_pose *x)
{
    const double *q = x->q;
    const double m[3][3] = {
        {1.0 - 2.0 * (q[2] * q[2] + q[3] * q[3]), 2.0 * (q[1] * q[2] - q[0] * q[3]),
         2.0 * (q[1] * q[3] + q[0] * q[2])},
        {2.0 * (q[1] * q[2] + q[0] * q[3]), 1.0 - 2.0 * (q[1] * q[1] + q[3] * q[3]),
         2.0 * (q[2] * q[3] - q[0] * q[1])},
        {2.0 * (q[1] * q[3] - q[0] * q[2]), 2.0 * (q[2] * q[3] + q[0] * q[1]),
         1.0 - 2.0 * (q[1] * q[1] + q[2] * q[2])},
    };
    for (int i = 0; i < 3; ++i) {
        b->p[i] = x->p[i];
        for (int j = 0; j < 3; ++j) {
            b->R[i][j] = m[i][j];
        }
    }
}

static void run(void *self, const bench_pose *x, int n, int times, double *gap, int *points)
{
    engine *e = self;
    for (int k = 0; k < times; ++k) {
        for (int i = 0; i < n; ++i) {
            place(&e->body[0], &x[2 * i]);
            place(&e->body[1], &x[2 * i + 1]);
            if (e->overlap) {
                points[i] =
                    (e->mpr ? ccdMPRIntersect : ccdGJKIntersect)(&e->body[0], &e->body[1], &e->ccd);
                gap[i] = points[i] ? -(double)INFINITY : (double)INFINITY;
                continue;
            }
            double depth;
            ccd_vec3_t direction, position;
            const int status = (e->mpr ? ccdMPRPenetration : ccdGJKPenetration)(
                &e->body[0], &e->body[1], &e->ccd, &depth, &direction, &position);
            gap[i] = status == 0 ? -depth : (double)INFINITY;
            points[i] = status == 0;
        }
    }
}

void bench_collide_ccd(bench_collide_engine *out, const bench_collide_setup *setup)
{
    *out = (bench_collide_engine){.run = run, .destroy = free};
    const char *name = setup->other_way ? "libccd-mpr" : "libccd-epa";
    for (int i = 0; name[i]; ++i) {
        out->name[i] = name[i];
    }
    const bool plane = setup->shape[0].kind == BENCH_PLANE || setup->shape[1].kind == BENCH_PLANE;
    engine *e = plane || setup->task == BENCH_CONTACTS ? NULL : calloc(1, sizeof *e);
    if (!e) {
        return;
    }
    e->mpr = setup->other_way;
    e->overlap = setup->task == BENCH_OVERLAP;
    e->body[0].shape = setup->shape[0];
    e->body[1].shape = setup->shape[1];
    CCD_INIT(&e->ccd);
    e->ccd.support1 = support;
    e->ccd.support2 = support;
    e->ccd.center1 = centre;
    e->ccd.center2 = centre;
    e->ccd.max_iterations = 100; // its own default is never to stop
    out->self = e;
}
