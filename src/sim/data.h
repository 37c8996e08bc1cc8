// The whole of a simulation: state, inputs, and everything derived from them, in one block of
// memory.
#ifndef DP_SIM_DATA_H
#define DP_SIM_DATA_H

#include "base/thread_pool.h"
#include "dynamics/articulated.h"
#include "dynamics/kinematics.h"
#include "dynamics/tendons/tendon_inertia.h"
#include "dynamics/tree_sums.h"
#include "model/derive/variant.h"
#include "sim/contacts/contacts.h"
#include "sim/forces.h"
#include "sim/profile.h"
#include "sim/sleep.h"
#include "sim/step/row_solve.h"
#include "sim/timed.h"

#include <dashpot/advanced/step.h>
#include <dashpot/sim.h>

/// What a tree may spend in a step (transport.c).
typedef struct dp_tree_budget {
    double energy;     // at the start of the step
    double work;       // of the applied forces, if it goes all the way
    double error;      // what it may end with beyond these: (SI 5)
    double share;      // of the way that it goes
    double kinetic;    // after the kick
    bool floats;       // it moves freely, and rows act within it alone
    dp_v3 com;         // where the centre of mass of a floating tree goes
    dp_v3 momentum;    // its linear momentum at the end of the step
    double row_excess; // of `work`: what rows are counted for along h G v beyond what they do
} dp_tree_budget;

/// The accounts of one attempt (ledger.c) [J].
typedef struct dp_account {
    double before; // at the start, with what rows held at the end of the last step
    double found;  // what rows hold at the start of this one
    double fixed;  // gravity of what no joint moves, before
    double elastic, applied, drives, moved, damped, row_damped, friction, impacts;
    double corrected;
    double rebound; // lost where contacts threw back; what their surfaces gave is in `moved`
    double contact_found, contact, contact_damped, contact_friction; // of these, in contacts
    double contact_intake; // what bodies gave to the springs and dashpots of contacts
} dp_account;

/// A copy of the state, within a step: all of it, all but the impulses, or none.
typedef struct dp_snapshot {
    bool taken, has_impulses;
    double time;
    double *q, *v, *activation;
    dp_pose *mocap;
    uint8_t *equality_active, *user_active;
    dp_impulses impulses;
    dp_ledger ledger;
    int *group; // of sleepers
    double *rest, *elastic;
} dp_snapshot;

/// What a step needs besides kinematics and forces; valid within one call only.
typedef struct dp_scratch {
    double *q, *v, *activation;  // the next state
    double *rhs, *diagonal;      // nv
    double *free;                // nv: velocities after the kick, without rows
    double *kicked;              // nv: velocities after the kick and rows
    uint8_t *no_row;             // nu zeros
    dp_wrench *wrench;           // nbody
    dp_twist *twist;             // nbody
    dp_v3 *spin;                 // nbody: angular momentum about the centre of mass, body axes
    dp_rigid_inertia *composite; // nbody
    dp_tree_balance *balance;    // ntree
    dp_tree_budget *budget;      // ntree
    double *stage;               // Runge–Kutta: DP_RK_VECTORS × (nq + nv + na)
    double *tree_turn;           // ntree: the square of the fastest angular velocity
    uint8_t *tree_mode;          // ntree: dp_tree_mode
    uint8_t *tree_limited;       // ntree: why the energy at the end is limited; DP_LIMITED_BY_…
    uint8_t *tree_steady;        // ntree: 1 where there are no velocity terms
    uint8_t *tree_held;          // ntree: 1 where rows act
} dp_scratch;

/// Matrices of Newton's method on implicit Euler steps, made when they are needed first.
typedef struct dp_euler {
    dp_pool pool; // owns the arrays below
    double *J;    // n × n: ∂(v̇, ȧ)/∂(v, a), n = nv + na
    double *LU;   // n × n: of I − h J
    int *exchange;
    bool known; // J has been taken in this step, and has done so far
    bool full;  // dp_data_set_full_newton
    int locked; // the coordinate whose joints lock where the last part led to, −1: none
} dp_euler;

/// CVODE and what belongs to it, made when it is needed first (cvode.c).
typedef struct dp_cvode dp_cvode;

/// Where dp_step_sampled wants states within a step.
typedef struct dp_samples {
    int count, made; // count 0: none are wanted
    double *q, *v;   // count × nq, count × nv: the user's
} dp_samples;

/// What the user has the step call.
typedef struct dp_callbacks {
    dp_control_callback control;
    dp_force_callback force;
    dp_problem_callback problem;
    void *control_context, *force_context, *problem_context;
    dp_interrupt_fn interrupt; // NULL: nothing ends a step
    void *interrupt_user;
    bool running;     // one of them is
    bool row_running; // a callback of a row is
} dp_callbacks;

/// A callback of the user has run: name it in the message where it has failed.
DP_NODISCARD dp_status dp_callback_end(dp_data *d, dp_status status, const char *name);

/// What dp_forward and dp_sense find for the user.
typedef struct dp_sensed {
    dp_twist *motion;            // nbody: accelerations as in dp_link.A0
    dp_twist *body_acceleration; // nbody: angular and classical, of the origin, without gravity
    dp_wrench *reaction;         // nbody
    double *sensor;              // nsensordata
} dp_sensed;

/// The state that kinematics were derived from.
typedef struct dp_derived_from {
    bool fixed, moving; // bodies fixed to the world, and the others, are up to date with:
    double *q, *v;
    dp_pose *mocap;
    dp_v3 gravity;
} dp_derived_from;

struct dp_data {
    dp_allocator allocator;
    size_t bytes;           // of the block that starts with this struct
    const dp_model *shared; // the user's
    const dp_model *model;  // in force: that, or the variant's
    dp_variant *variant;    // with the parameters of this simulation; NULL: none was ever set
    dp_options options;
    dp_thread_pool *threads; // NULL: the caller's alone
    dp_thread_pool *workers; // the same where they share the work; NULL: it is too little
    double work;             // of the bodies in a step, in the units of dp_data_share
    dp_stopwatch stopwatch;
    dp_callbacks callbacks;
    bool wants_matrices; // problems have them, however long their trees are

    // State
    double time;
    double *q, *v, *activation; // nq, nv, na
    dp_pose *mocap;             // nmocap
    dp_sleep sleep;

    // Inputs
    double *control;   // nu
    double *force;     // nv
    dp_wrench *wrench; // nbody, about the centre of mass

    // Derived from the state
    dp_derived_from key;
    dp_kin kin;
    dp_kin kin_end; // at the end of a step with rows; the two change places
    dp_articulated art;
    dp_tendon_set tendon;             // as of the last evaluation of forces
    dp_tendon_inertia tendon_inertia; // the same
    dp_transmission_set transmission; // the same
    dp_forces forces;
    dp_timed timed;
    dp_constrained rows;
    dp_contacts contacts;
    double *acceleration; // nv
    dp_sensed sensed;

    dp_step_report *report;
    dp_ledger ledger;
    dp_account account;
    dp_snapshot snapshot[DP_SNAPSHOTS];
    dp_scratch scratch;
    dp_euler euler;
    dp_cvode *cvode; // NULL: not yet
    dp_samples samples;
};

/// Where the state, inputs and sensors of a world are that are not in the block of its dp_data.
typedef struct dp_world_arrays {
    double *q, *v, *activation;
    dp_pose *mocap;
    double *control, *force;
    dp_wrench *wrench;
    double *sensor;
} dp_world_arrays;

/// Let `d` have them there from now on, with the numbers that they have.
void dp_data_move(dp_data *d, const dp_world_arrays *to);

/// Is tree t left out of the step?
static inline bool dp_is_asleep(const dp_data *d, int t)
{
    return d->sleep.group[t] >= 0 && !d->sleep.ignored;
}

/// Copy the state, and what sleepers are compared with, to another simulation of the same model,
/// with as much room.
void dp_state_copy(dp_data *to, const dp_data *from);
/// Copy the state to one of the snapshots, and back what was taken. Impulses change only when a
/// part of a step is accepted, so that they may be taken later.
void dp_snapshot_take(dp_data *d, int which);
void dp_snapshot_take_impulses(dp_data *d, int which);
void dp_snapshot_restore(dp_data *d, int which);
/// Keep the state as it was given, unless it is kept already: it is about to change.
void dp_snapshot_keep_given(dp_data *d);

/// Give `to` the parameters that `from` has; gravity is one of the options.
DP_NODISCARD dp_status dp_parameters_copy(dp_data *to, const dp_data *from);

/// Measure what tendons have in the reference configuration. Kinematics are to be refreshed after.
void dp_data_measure_tendons(dp_data *d);

/// Let threads share what comes next, if the bodies, and the rows of the last step, are so much
/// work that it is worth the while to call them.
void dp_data_share(dp_data *d);

/// Bring `kin` up to date with the state; nothing to do when it is already. Normalises quaternions
/// in q.
void dp_data_refresh(dp_data *d);

/// Refuse a state or input that is not finite, naming the coordinate.
dp_status dp_data_check(const dp_data *d);

/// What numbers are, one for each position, velocity, actuator or activation of a model.
typedef enum dp_number {
    DP_NUMBER_POSITION,
    DP_NUMBER_VELOCITY,
    DP_NUMBER_ACCELERATION,
    DP_NUMBER_FORCE,
    DP_NUMBER_CONTROL,
    DP_NUMBER_ACTIVATION,
} dp_number;

/// Refuse numbers whose size is not below `limit`, and name the joint or actuator of the first.
/// @param next they are those at the end of the step. @param expected as the message has it
DP_NODISCARD dp_status dp_numbers_check(const dp_data *d, dp_number what, const double *x,
                                        double limit, bool next, const char *expected);

#endif
