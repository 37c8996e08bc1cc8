// What the benchmark of contact asks of an engine. Each engine is in a file of its own.
//
// States are q in Dashpot's order, which is MuJoCo's: for each body that moves its position and its
// quaternion w x y z, in the order of the scene.
#ifndef CONTACT_ENGINE_H
#define CONTACT_ENGINE_H

#include "contact_table.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct contact_engine {
    char version[32]; ///< "2.2.2"
    char why[128];    ///< it does not run this scene
    void *self;       ///< NULL: it cannot, or is not installed
    /// Back to the start of the scene, with nothing remembered.
    void (*reset)(void *self);
    /// @return false when the engine gave up: its numbers are then not a motion
    bool (*run)(void *self, int steps);
    void (*state)(double *q, void *self);
    /// Contact points of the last step.
    int (*contacts)(void *self);
    void (*destroy)(void *self);
} contact_engine;

/// Build the scene with steps of scene->h. @param variant one of those below, where there are some;
/// of Dashpot: the number of threads
typedef void contact_create(contact_engine *out, const contact_scene *scene, int variant);

enum { CONTACT_MUJOCO_PYRAMID, CONTACT_MUJOCO_ELLIPTIC, CONTACT_MUJOCO_STIFF };
enum { CONTACT_ODE_DIRECT, CONTACT_ODE_QUICK };
enum { CONTACT_BULLET_FLOAT, CONTACT_BULLET_DOUBLE };

contact_create contact_dashpot;
contact_create contact_mujoco;
contact_create contact_mujoco_newer;
contact_create contact_ode;
contact_create contact_bullet;
contact_create contact_dart;

#ifdef __cplusplus
}
#endif
#endif
