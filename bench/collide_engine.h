// What the benchmark asks of a collision detector: the gap of two shapes, or where they touch, for
// many poses.
//
// The loop over the poses is inside the engine, so that a call through this table is paid once for
// many queries.
#ifndef BENCH_COLLIDE_ENGINE_H
#define BENCH_COLLIDE_ENGINE_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum bench_shape_kind {
    BENCH_PLANE,
    BENCH_SPHERE,
    BENCH_CAPSULE,
    BENCH_CYLINDER,
    BENCH_ELLIPSOID,
    BENCH_BOX,
    BENCH_HULL,
} bench_shape_kind;

/// Sizes as in dp_geom_spec.
typedef struct bench_shape {
    bench_shape_kind kind;
    double size[3];
    const double *vertex; ///< of hulls, 3·nvertex
    int nvertex;
} bench_shape;

/// A quaternion w x y z and a position.
typedef struct bench_pose {
    double q[4], p[3];
} bench_pose;

typedef enum bench_collide_task {
    BENCH_OVERLAP,  ///< yes or no
    BENCH_DISTANCE, ///< gap, normal and nearest points
    BENCH_CONTACTS, ///< the manifold
} bench_collide_task;

typedef struct bench_collide_setup {
    bench_shape shape[2];
    bench_collide_task task;
    bool coherent;  ///< poses follow each other closely: what is known of the last may be used
    double margin;  ///< [m] contacts are asked for up to this gap
    bool other_way; ///< libccd: MPR instead of GJK and EPA
} bench_collide_setup;

typedef struct bench_collide_engine {
    char name[32];
    void *self; ///< NULL: not installed, or no such shape or task there
    /// Answer all poses of A and B, 2·n, `times` times over. The last answers go to gap[n], the
    /// least one of a manifold (±INFINITY: apart or not, and that is all that is known), and to
    /// points[n].
    void (*run)(void *self, const bench_pose *pose, int n, int times, double *gap, int *points);
    void (*destroy)(void *self);
} bench_collide_engine;

/// The entry of a module.
typedef void bench_collide_create(bench_collide_engine *out, const bench_collide_setup *setup);

void bench_collide_dashpot(bench_collide_engine *out, const bench_collide_setup *setup);
void bench_collide_ccd(bench_collide_engine *out, const bench_collide_setup *setup);
/// @param precision as bench_precision
void bench_collide_bullet(bench_collide_engine *out, const bench_collide_setup *setup,
                          int precision);

#ifdef __cplusplus
}
#endif
#endif
