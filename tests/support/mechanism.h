// A mechanism from spec to data in a few lines. Failures end the test with the library's message.
#ifndef DP_TESTS_MECHANISM_H
#define DP_TESTS_MECHANISM_H

#include "near.h"

#include <dashpot/sim.h>

/// The call must return DP_OK.
#define assert_ok(call) assert_ok_at((call), #call, __FILE__, __LINE__)
void assert_ok_at(dp_status status, const char *call, const char *file, int line);

typedef struct mechanism {
    dp_spec *spec;
    dp_model *m;
    dp_data *d;
} mechanism;

/// An empty spec, to be filled.
mechanism mechanism_begin(void);
/// Model and data of what the spec says now.
void mechanism_compile(mechanism *x);
/// The same for a spec that was made elsewhere; it is owned from now on.
mechanism mechanism_from(dp_spec *spec);
void mechanism_end(mechanism *x);

/// A body with principal moments about its centre of mass at `com`, its origin at `at` in the
/// parent.
dp_body_id mechanism_body(mechanism *x, dp_body_id parent, const char *name, dp_v3 at, double mass,
                          dp_v3 com, dp_v3 moments);
/// A joint with its anchor in the body's origin. Returns the spec of it, to be changed further.
dp_joint_spec *mechanism_joint(mechanism *x, dp_body_id body, const char *name, dp_joint_kind kind,
                               dp_v3 axis);
void mechanism_site(mechanism *x, dp_body_id body, const char *name, dp_pose pose);
void mechanism_sensor(mechanism *x, const char *name, dp_sensor_kind kind, dp_object_kind of,
                      const char *object);

/// Set q or v (nq, nv numbers) and bring the kinematics up to date.
void mechanism_set(mechanism *x, const double *q, const double *v);
void mechanism_steps(mechanism *x, int count);
/// Kinetic and potential.
double mechanism_energy(const mechanism *x);
/// The values of a sensor, after dp_sense.
const double *mechanism_sense(mechanism *x, const char *sensor);

#endif
