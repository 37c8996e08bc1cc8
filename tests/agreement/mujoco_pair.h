// One mechanism in MuJoCo and in Dashpot, brought to the same state, and how to compare the two.
//
// Measure. Two arrays a, b of one quantity agree when |a_i − b_i| ≤ AGREEMENT · scale for all i,
// where `scale` is the size of that quantity in the present state: the greatest magnitude in the
// array or among the terms it is a sum of. (Elementwise relative differences would say nothing
// about entries that vanish by cancellation, and absolute ones nothing at all.) The terms are: for
// positions the extent of the mechanism, for velocities and accelerations the fastest body, for
// generalised forces the greatest force in M v̇ + c = τ, for energies and momenta the sum of the
// magnitudes of the bodies' shares.
#ifndef DP_TESTS_MUJOCO_PAIR_H
#define DP_TESTS_MUJOCO_PAIR_H

#include "near.h"
#include "random_mechanism.h"
#include "test_random.h"

#include <dashpot/dashpot.h>

#include <mujoco/mujoco.h>

#define AGREEMENT 1e-10

/// What sizes are to be expected in the present state.
typedef struct pair_scale {
    double length;       ///< [m] greatest coordinate of a body, geom or site
    double velocity;     ///< [m/s, rad/s] of the bodies
    double acceleration; ///< [m/s², rad/s²]
    double wrench;       ///< [N, N m] between bodies
    double force;        ///< [N, N m] generalised
    double energy;       ///< [J]
    double mass;         ///< [kg]
} pair_scale;

typedef struct mujoco_pair {
    char path[512]; ///< the file, for messages; a random mechanism is written there when it
                    ///< disagrees
    random_mechanism_options random; ///< what a random mechanism was made from; seed 0: not random
    int nstate;                      ///< how many random states are tried
    mjModel *their_m;
    mjData *their;
    dp_model *m;
    dp_data *d;
    const dp_model_size *size;
    /// MuJoCo's id of each element, found by name; −1 for geoms without one.
    int *body, *joint, *geom, *site, *actuator, *sensor;
    /// What MuJoCo made of each body's inertia (by our ids). Its solver for principal axes stops at
    /// rotations of about 1e-6 rad, too coarse for what follows: motion and forces are compared on
    /// our axes.
    dp_inertial *their_inertial;
    pair_scale scale;
} mujoco_pair;

/// All scenes, 20 states each, and RANDOM_MECHANISMS random mechanisms, 2 states each.
enum { RANDOM_MECHANISMS = 320, SCENE_STATES = 20, RANDOM_STATES = 2 };

/// Group set-up and tear-down for cmocka: open and close all pairs.
int open_all_pairs(void **state);
int close_all_pairs(void **state);

/// Open one file in both. Fails the test with the message of the one that does not read it. `edit`
/// may change what Dashpot has read before it is compiled; NULL: as it is.
void pair_open(mujoco_pair *p, const char *path, void (*edit)(dp_spec *spec));
/// Open a random mechanism. Its file is kept only when a test fails.
void pair_open_random(mujoco_pair *p, const random_mechanism_options *options,
                      void (*edit)(dp_spec *spec));
void pair_close(mujoco_pair *p);

/// Give both the same random state and inputs (controls, generalised forces, wrenches), then
/// evaluate everything: mj_forward and what it leaves out, dp_sense.
void pair_randomise(mujoco_pair *p, uint64_t seed);
/// Evaluate both at their present states.
void pair_evaluate(mujoco_pair *p);

/// Run `check` on every pair, as opened.
void on_every_pair(void **state, void (*check)(mujoco_pair *p));
/// Run `check` on every pair in several random states. Prints the worst difference in units of the
/// scale.
void on_every_pair_and_state(void **state, void (*check)(mujoco_pair *p));

/// |theirs_i − ours_i| ≤ AGREEMENT · max(scale, |theirs|_∞), or fail with the file and the two
/// numbers.
void assert_agree(const mujoco_pair *p, const char *what, const char *name, int n,
                  const double *theirs, const double *ours, double scale);
/// How great the values of a sensor can be in the present state: its natural unit of comparison.
double pair_sensor_scale(const mujoco_pair *p, dp_sensor_kind kind);
/// The same orientation: MuJoCo's matrix (9, by rows) against our quaternion.
void assert_turned_alike(const mujoco_pair *p, const char *what, const char *name,
                         const double *their_matrix, dp_quat q);

dp_m3 matrix_of(dp_quat q);

#endif
