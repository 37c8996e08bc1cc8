// What the benchmark asks of an engine: start here, take n steps, tell the state.
//
// Positions q and velocities v are in Dashpot's order, which is MuJoCo's. Everything that costs
// time loops inside the engine, so that a call through this table is paid once per many steps.
#ifndef BENCH_ENGINE_H
#define BENCH_ENGINE_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One part of a step, to be timed alone at the engine's present state.
typedef struct bench_stage {
    const char *name; ///< NULL ends a list
    void (*repeat)(void *self, int times);
} bench_stage;

typedef struct bench_engine {
    char name[32];    ///< "mujoco"
    char version[32]; ///< "2.2.2"
    void *self;       ///< NULL: this engine cannot run the scene, or is not installed
    /// Make (q, v) the start. Activations and controls stay those of the keyframe.
    void (*start)(void *self, const double *q, const double *v);
    /// Back to the start.
    void (*reset)(void *self);
    /// @return false when the engine gave up: its numbers are then not a motion
    bool (*run)(void *self, int steps);
    void (*state)(double *q, double *v, void *self);
    const bench_stage *stages;
    void (*destroy)(void *self);
} bench_engine;

/// How a step is made.
typedef enum bench_method {
    BENCH_DEFAULT,   ///< what the engine does when nobody asks
    BENCH_RK4,       ///< the classical fourth-order method
    BENCH_REFERENCE, ///< Dashpot only: error control at round-off
} bench_method;

/// What to simulate, and how.
typedef struct bench_setup {
    const char *path;     ///< an MJCF file; NULL: `text`
    const char *text;     ///< MJCF; NULL: the chain of bench_chain.h
    int links;            ///< of that chain
    const char *keyframe; ///< NULL: the reference configuration
    double h;             ///< [s]
    bench_method method;
    bool sensors;      ///< evaluate all sensors in every step
    bool conservative; ///< without dampers and actuators: energy should stay
    bool stiff;        ///< MuJoCo only: constraints as hard as its solver takes them at this step
} bench_setup;

/// One hinge and its rigid body, for engines that are not given a file. Frames as in
/// dashpot/model.h.
typedef struct bench_link {
    int parent;                      ///< −1: the world
    double position[3], rotation[4]; ///< X_PB, joint at `ref`; quaternion w x y z
    double anchor[3], axis[3];       ///< in the body frame
    double ref, damping;
    double mass, com[3], principal[4], moments[3]; ///< inertial frame in the body frame
} bench_link;

/// The entry of a Bullet module.
typedef void bench_bullet_create(bench_engine *out, const bench_link *link, int nlink,
                                 const double gravity[3], double h);

#ifdef __cplusplus
}
#endif
#endif
