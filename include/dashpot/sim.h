// A simulation: state, inputs, the step, and everything that can be asked about a moment in time.
//
// Positions q and velocities v follow MuJoCo's order and meaning: spec.h, dp_joint_kind. Angular
// velocities of free and ball joints are in body axes; dp_body_velocity() gives world axes.
#ifndef DASHPOT_SIM_H
#define DASHPOT_SIM_H

#include <dashpot/model.h>

DP_BEGIN_C

/// The state of one simulation and every byte it needs. Used by one thread at a time; any number of
/// them may share one model.
typedef struct dp_data dp_data;

/// Create the state for `m`, at its reference configuration and at rest. All memory that a step
/// needs is taken here, but for contacts: those have room for a few. The caller owns *out
/// (dp_data_destroy) and keeps `m` alive.
DP_API DP_NODISCARD dp_status dp_data_create(dp_data **out, const dp_model *m,
                                             const dp_allocator *allocator);
DP_API void dp_data_destroy(dp_data *d); ///< NULL is allowed

/// Back to the reference configuration, at rest, t = 0, no input. Callbacks and options stay.
DP_API void dp_data_reset(dp_data *d);
/// Back to a keyframe.
/// @return DP_ERROR_ARGUMENT for a key that does not exist; `d` is then unchanged.
DP_API DP_NODISCARD dp_status dp_data_reset_to_key(dp_data *d, dp_key_id key);
/// Copy state, inputs, options and callbacks, not threads and the clock. Both must belong to the
/// same model. Takes memory where `from` has room for more contacts or rows than `to`.
DP_API DP_NODISCARD dp_status dp_data_copy(dp_data *to, const dp_data *from);

DP_API const dp_model *dp_data_model(const dp_data *d);
/// Settings of this simulation, to be changed in place between steps. Borrowed.
DP_API dp_options *dp_data_options(dp_data *d);

/// Let steps use so many threads, 1 to 256; the caller's is one of them. At first there is no
/// other. They share what falls into parts that do not touch each other, in steps that are long
/// enough to be worth it; no bit depends on their number. Not copied by dp_data_copy. For many
/// simulations at once see batch.h.
/// @return DP_ERROR_ARGUMENT, DP_ERROR_MEMORY; `d` is then unchanged
DP_API DP_NODISCARD dp_status dp_data_set_threads(dp_data *d, int threads);

// State. Borrowed, to be read and written between steps; lives as long as `d`.
DP_API double dp_data_time(const dp_data *d); ///< [s]
DP_API void dp_data_set_time(dp_data *d, double time);
DP_API double *dp_data_q(dp_data *d);          ///< nq; quaternions are normalised by the next step
DP_API double *dp_data_v(dp_data *d);          ///< nv
DP_API double *dp_data_activation(dp_data *d); ///< na
/// Pose of mocap body number `mocap`. Borrowed; NULL for a number that does not exist. That of a
/// body that expressions move (dp_motion_spec) follows from the time, whatever is written here.
DP_API dp_pose *dp_data_mocap(dp_data *d, int mocap);

// Inputs of the step. They stay as they are until they are changed.
DP_API double *dp_data_control(dp_data *d); ///< nu
DP_API double *dp_data_force(dp_data *d);   ///< nv, generalised force [N m, N]
/// External wrench on body `b`: world axes, about its centre of mass. Borrowed; NULL: no such body.
DP_API dp_wrench *dp_data_wrench(dp_data *d, dp_body_id b);

/// Is an equality in force? Part of the state; as the model says at first. Unknown ids: false, and
/// nothing changes.
DP_API bool dp_data_equality_active(const dp_data *d, dp_equality_id equality);
DP_API void dp_data_set_equality_active(dp_data *d, dp_equality_id equality, bool active);

/// Save and restore the state {q, v, activations, mocap poses, active equalities and rows of the
/// user, t, impulses of the last step}. A buffer of another model, version or byte order, and one
/// whose checksum shows that it was damaged or cut off, is refused and leaves `d` as it was. The
/// checksum is against accidents: it is no signature. dp_state_bytes grows where steps make room
/// for more contacts; states that were saved before or after that can be restored, which takes
/// memory where there are more impulses than `d` has room for.
/// @return dp_state_restore: also DP_ERROR_MEMORY
DP_API size_t dp_state_bytes(const dp_data *d);
DP_API DP_NODISCARD dp_status dp_state_save(void *out, size_t bytes, const dp_data *d);
DP_API DP_NODISCARD dp_status dp_state_restore(dp_data *d, const void *saved, size_t bytes);
/// States of equal bytes have equal hashes (0.0 and −0.0 differ); FNV-1a over the bytes of the
/// state.
DP_API uint64_t dp_state_hash(const dp_data *d);

/// Called whenever forces are evaluated, once per stage of a step, after kinematics at
/// dp_data_time(): may read everything and write controls (control callback) or add to `force` (nv
/// generalised forces of this evaluation, zero on entry; force callback). It must depend on the
/// state alone to keep the order of the integrator. It may call dp_sense and all other queries,
/// which then run no callback, but not dp_step. Anything but DP_OK stops the step, which then
/// leaves the state as it was.
typedef dp_status (*dp_control_callback)(void *context, dp_data *d);
typedef dp_status (*dp_force_callback)(void *context, dp_data *d, double *force);
DP_API void dp_data_set_control_callback(dp_data *d, dp_control_callback callback, void *context);
DP_API void dp_data_set_force_callback(dp_data *d, dp_force_callback callback, void *context);

/// Constraints of the user: one row each of the step problem (problem.h). Called at the start of a
/// step and at its end (`end`), after kinematics: may read everything, as of that moment.
/// `row` comes with φ = 0, rigid (k = ∞), any impulse (lo = −∞, hi = ∞), len = 1, and `gradient`
/// with nv zeros. To be set: row->phi, gradient with φ̇ = gradient · v + phi_t, phi_t, k, b, and lo
/// and hi as forces [N, N m]. At the end only row->phi counts. Anything but DP_OK stops the step.
typedef dp_status (*dp_row_callback)(void *context, dp_data *d, bool end, dp_row *row,
                                     double *gradient);
/// Add a row; it is in force at once. Takes memory, so not from a callback. @param out its number,
/// may be NULL
DP_API DP_NODISCARD dp_status dp_data_add_row(int *out, dp_data *d, dp_row_callback callback,
                                              void *context);
/// Switch a row of the user on or off. Part of the state; a reset leaves it. Unknown numbers:
/// nothing changes.
DP_API void dp_data_set_row_active(dp_data *d, int row, bool active);

/// What a step cost.
typedef struct dp_step_work {
    int evaluations;                ///< of the forward dynamics
    int substeps;                   ///< parts in which the step was made
    int rejected;                   ///< substeps that were tried and repeated
    int passes;                     ///< solves of step problems, over all that were tried
    int iterations, factorizations; ///< within them
} dp_step_work;

/// How the last step went: its outcome, what is worth to be known of it, its certificate and work.
typedef struct dp_step_report {
    dp_outcome outcome; ///< DP_OUTCOME_CAPPED: some part was accepted although its rows were not
                        ///< solved; else DP_OUTCOME_CONTRADICTORY: in some part rigid rows
                        ///< contradict each other
    double residual;    ///< [m/s] worst row of the parts that were accepted
    int unsolved;       ///< parts that were accepted although their rows were not solved
    double gap_error;   ///< [m] worst gap at the end of a part beyond what its rows say
    double error; ///< DP_INTEGRATOR_RK45, options.accuracy: largest accepted error of a part, in
                  ///< units of what is allowed; > 1: the smallest parts would not do
    dp_certificate certificate; ///< how well rows were met: the worst of the parts;
                                ///< complementarity: their sum. All zero when there were no rows
    dp_step_work work;

    int recovering;   ///< parts whose rigid gaps were too wide to be closed at once
    double corrected; ///< [m] largest gap by which a rigid row was violated at the start of a
                      ///< part; it is closed at up to options.correction_speed, or in part or not
                      ///< at all (recovering) where the mechanism cannot bear that
    int dropped;      ///< contact points that were left out, and the rest solved again: they
                      ///< would have pushed at geoms that pass each other by
    int impacts; ///< islands with an impact: contacts that close and have a restitution, over all
                 ///< parts
    int impact_gains;   ///< of these, those that gained energy: options.solver.impact.rule
    double impact_loss; ///< [J] what they lost in contacts
    int by_rule;        ///< contacts that closed with a restitution, and have it by the impact rule
    int by_spring;      ///< and by their spring, which the step resolves
    int dependent;      ///< most rigid rows of a part that depend on others
    double inconsistent; ///< [m/s] by how much dependent rigid rows contradict each other
    int transported;     ///< trees advanced by momentum transport (options.large_rotation)
    int limited;         ///< trees that ended a part with more energy than they had and were given,
                         ///< so that their velocities were scaled down to that: they turn far, are
                         ///< thrown by rows, or their rows were not met in a step that was cut or
                         ///< not solved
    int asleep;          ///< trees that sleep at the end of the step (options.sleep_speed)
} dp_step_report;
/// Of the last dp_step. Borrowed; of the certificate, the share of the last part is worked out by
/// this call.
DP_API const dp_step_report *dp_data_report(const dp_data *d);

/// Let `fn` end calls that take long: dp_step, dp_step_sampled, dp_forward, dp_sense, and those
/// that make use of them (dp_statics_create). It is polled in every long loop:
/// pairs of geoms, islands, iterations, factorisations. The step then leaves the state as it was,
/// to the bit, and steps that follow are those that would have followed. NULL, as at first: nothing
/// ends them. Not copied by dp_data_copy; a reset leaves it.
DP_API void dp_data_set_interrupt(dp_data *d, dp_interrupt_fn fn, void *user);

/// Advance by options.step. Allocates nothing where contacts have room; where they do not, more
/// room is made, half as much again as needed, and the step begins anew: callbacks are called
/// again. The first step by implicit Euler makes room for its matrices; that of CVODE,
/// too, with memory of its own that is not the allocator's. On failure q, v and time are as they
/// were.
/// @return DP_ERROR_NUMERIC for input or results that are not finite (the message names the
///         coordinate) or an error control that cannot go on; DP_ERROR_CALLBACK; DP_ERROR_MEMORY
///         where there is none for contacts or matrices; DP_ERROR_UNSUPPORTED for
///         DP_INTEGRATOR_CVODE where its plugin is missing; DP_ERROR_INTERRUPTED
///         (dp_data_set_interrupt).
DP_API DP_NODISCARD dp_status dp_step(dp_data *d);
/// Is there the plugin dashpot_cvode, by which DP_INTEGRATOR_CVODE integrates? It is loaded when it
/// is asked for first, from where it was installed or from the folder of the program.
DP_API bool dp_has_cvode(void);
/// dp_step by DP_INTEGRATOR_RK45 or DP_INTEGRATOR_CVODE that also gives the states in between: at
/// t + h k/count, k = 1 … count, the last being the end. They are those of the interpolant that the
/// method has anyway (of DP_INTEGRATOR_RK45: of fourth order), so that options.step may be as long
/// as the error control likes, and samples as dense as wanted. Of no other method.
/// @param q count × nq, with unit quaternions. @param v count × nv. Both are spoilt by a step that
/// fails, which leaves `d` as it was
DP_API DP_NODISCARD dp_status dp_step_sampled(dp_data *d, int count, double *q, double *v);

/// What a step spends its time on. Each moment belongs to one stage.
typedef enum dp_stage {
    DP_STAGE_STEP,       ///< all that is not below
    DP_STAGE_KINEMATICS, ///< poses and velocities of bodies
    DP_STAGE_FORCES,     ///< forces, callbacks of the user, velocities without rows
    DP_STAGE_CONTACTS,   ///< what touches what
    DP_STAGE_ROWS,       ///< rows of the step problem
    DP_STAGE_FACTOR,     ///< the law: islands, what is laid out and factored once
    DP_STAGE_SOLVE,      ///< the law: its iterations
    DP_STAGE_END,        ///< gaps at the end of the step
    DP_STAGE_LEDGER,     ///< accounts of energy
    DP_STAGES,
} dp_stage;
DP_API const char *dp_stage_name(dp_stage stage); ///< "contacts". Never NULL

typedef struct dp_profile {
    double seconds[DP_STAGES]; ///< sums over all calls of dp_step since dp_data_set_clock
    int64_t steps;
} dp_profile;
/// A clock [s] that may start anywhere.
typedef double (*dp_clock)(void *context);
/// Measure by the caller's clock, from zero. NULL, as at first: measure nothing. The clock changes
/// no result.
DP_API void dp_data_set_clock(dp_data *d, dp_clock clock, void *context);
DP_API const dp_profile *dp_data_profile(const dp_data *d);

/// One row of the last step or dp_forward.
typedef struct dp_row_info {
    dp_row_source source;
    int element;   ///< equality, joint, tendon, actuator, motion, number of the user's row,
                   ///< foundation (dp_model_foundation) or contact point
    int component; ///< of an equality; limits: 0 the lower end, 1 the upper; friction: coordinate;
                   ///< foundation: the spring, i + nx · j
    double start_gap, start_rate; ///< [m, rad], [m/s, rad/s] at the start of the step: after
                                  ///< dp_forward, now; of balls, where they meet a limit
    double gap, rate;             ///< at the end of it
    double force; ///< [N, N m] along the gap, > 0 apart: mean over the step. Drives:
                  ///< beyond the force of their range that is nearest to 0
    dp_row_state state;
} dp_row_info;
DP_API int dp_data_row_count(const dp_data *d);
/// Out of range: a struct of zeros with element −1.
DP_API dp_row_info dp_data_row(const dp_data *d, int row);
/// The row of an element, −1 where it has none at the moment: limits have rows only where they are
/// reached, equalities where they are in force, friction where the joint does not rest at a rigid
/// end of its range. Takes time logarithmic in the number of rows.
DP_API int dp_data_find_row(const dp_data *d, dp_row_source source, int element, int component);

/// Bring poses and velocities up to date after q, v or mocap poses were written. dp_step does it
/// itself.
DP_API DP_NODISCARD dp_status dp_kinematics(dp_data *d);
/// Evaluate all forces and the acceleration at the present state, without advancing it. Where rows
/// act, forces and accelerations are means over the coming step.
DP_API DP_NODISCARD dp_status dp_forward(dp_data *d);
/// Evaluate all sensors at the present state (runs dp_forward). Values: dp_data_sensors().
DP_API DP_NODISCARD dp_status dp_sense(dp_data *d);

// Poses and motions: as of the last dp_step, dp_kinematics or dp_forward. World axes.
DP_API dp_pose dp_body_pose(const dp_data *d, dp_body_id b);
DP_API dp_pose dp_inertial_pose(const dp_data *d, dp_body_id b); ///< centre of mass, principal axes
DP_API dp_pose dp_geom_pose(const dp_data *d, dp_geom_id g);
DP_API dp_pose dp_site_pose(const dp_data *d, dp_site_id s);
DP_API dp_v3 dp_joint_anchor(const dp_data *d, dp_joint_id j); ///< [m]
DP_API dp_v3 dp_joint_axis(const dp_data *d, dp_joint_id j);   ///< hinge, slide; else zero
/// Angular velocity and the velocity of the body's origin, world axes.
DP_API dp_twist dp_body_velocity(const dp_data *d, dp_body_id b);
/// Jacobian of body `b` at world point `p` (rigidly attached): jacobian[6][nv] by rows, angular
/// first, so that jacobian · v is the twist of the body about p.
DP_API void dp_body_jacobian(double *jacobian, const dp_data *d, dp_body_id b, dp_v3 p);

// Forces and accelerations: as of the last dp_forward or dp_sense, and until the next call that
// evaluates forces (a step, inverse or forward dynamics).
DP_API const double *dp_data_acceleration(const dp_data *d);   ///< nv [rad/s², m/s²]
DP_API const double *dp_data_actuator_force(const dp_data *d); ///< nu, scalar force of each
DP_API const double *dp_data_actuation(const dp_data *d);      ///< nv, all actuators
/// Springs, dampers and gravity compensation, nv.
DP_API const double *dp_data_passive(const dp_data *d);
DP_API const double *dp_data_sensors(const dp_data *d); ///< nsensordata, as of the last dp_sense
/// Classical acceleration of the body origin and angular acceleration, world axes, gravity not
/// subtracted.
DP_API dp_twist dp_body_acceleration(const dp_data *d, dp_body_id b);
/// The wrench that the parent exerts on body `b` through its joints, world axes, about b's origin.
DP_API dp_wrench dp_body_reaction(const dp_data *d, dp_body_id b);

// Equations of motion M(q) v̇ + c(q, v) = τ at the present state (after dp_kinematics).

/// Inertia matrix, dense nv × nv, armature of joints and tendons included.
DP_API DP_NODISCARD dp_status dp_mass_matrix(double *M, dp_data *d);
/// c: Coriolis, centrifugal and gravity terms, nv; those of armature of tendons included.
DP_API DP_NODISCARD dp_status dp_bias_force(double *c, dp_data *d);
/// tau = M a + c − (external wrenches) − (passive forces): what actuators would have to supply for
/// the acceleration `a`. All nv.
DP_API DP_NODISCARD dp_status dp_inverse_dynamics(double *tau, dp_data *d, const double *a);
/// a with M a + c = tau + (external wrenches) + (passive forces): the inverse of the above, by the
/// articulated-body algorithm. All nv.
DP_API DP_NODISCARD dp_status dp_forward_dynamics(double *a, dp_data *d, const double *tau);
/// x with M x = b, by the articulated-body algorithm, in time linear in nv, and once more for each
/// tendon with armature. All nv; x may be b.
/// @return DP_ERROR_NUMERIC where joints of a body line up and one has no inertia of its own.
DP_API DP_NODISCARD dp_status dp_mass_solve(double *x, dp_data *d, const double *b);

// Tendons: as of the last dp_forward or dp_sense. Unknown ids: 0.
DP_API double dp_tendon_length(const dp_data *d, dp_tendon_id tendon);   ///< [m]
DP_API double dp_tendon_velocity(const dp_data *d, dp_tendon_id tendon); ///< [m/s]
/// [N] Of all that acts along it: actuators, springs, dampers, limits, friction, equalities. > 0
/// pulls its ends together.
DP_API double dp_tendon_tension(const dp_data *d, dp_tendon_id tendon);

// Elastic foundations: as of the last dp_step (its last part), dp_forward or dp_sense.

/// The pressures [Pa] on the springs of a geom's foundation, nx · ny, that of (i, j) at i + nx · j;
/// 0 where they do not push. i and j count along the two axes of the face in the order x, y, z.
/// Borrowed until the next call that evaluates forces. NULL, and nx = ny = 0, for a geom without a
/// foundation over a plane.
/// @param nx, ny may be NULL
DP_API const double *dp_foundation_pressure(const dp_data *d, dp_geom_id geom, int *nx, int *ny);

/// The same, summed up. Zeros for a geom without a foundation.
typedef struct dp_foundation_load {
    double force;    ///< [N] of all springs, along the normals of their planes
    double pressure; ///< [Pa] the largest
    dp_v3 centre;    ///< [m] of pressure, in the geom's frame; of the face where nothing pushes
} dp_foundation_load;
DP_API dp_foundation_load dp_foundation_sum(const dp_data *d, dp_geom_id geom);

/// Is the body left out of steps until something disturbs it (options.sleep_speed)?
DP_API bool dp_body_is_asleep(const dp_data *d, dp_body_id b);
/// Wake it, and all that fell asleep with it. Changes of state, forces, controls and options do so,
/// and what moves and may touch it.
DP_API void dp_body_wake(dp_data *d, dp_body_id b);

/// Energy at the present state (after dp_kinematics) [J]. Kinetic: bodies and armature of joints
/// and tendons. Potential: gravity (less compensation) and springs of joints and tendons.
typedef struct dp_energy {
    double kinetic, gravity, spring;
} dp_energy;
DP_API dp_energy dp_data_energy(const dp_data *d);

/// Where energy came from and went since the last reset [J]; kept by the semi-implicit step while
/// options.ledger is set. kinetic + gravity + spring + elastic grow by applied + drives + moved +
/// corrected − damped − friction − impacts + remainder.
typedef struct dp_ledger {
    bool begun;              ///< a step has been made since
    double elastic_before;   ///< in springs of rows other than tendons, before the first step
    double elastic;          ///< the same at the end of the last
    double applied;          ///< work of the user's forces and wrenches, and of forces given by
                             ///< expressions
    double drives;           ///< work of actuators
    double moved;            ///< work of what moves the references of rows (motions, mocap bodies,
                             ///< belts) or switches them
    double corrected;        ///< work of closing rigid rows that started violated: against gravity,
                             ///< springs and what else acts; none of it becomes kinetic energy.
                             ///< Of springs closed in part (recovering): what the rest loses
    double damped;           ///< lost in dampers of joints and rows
    double friction;         ///< lost in dry friction
    double impacts;          ///< lost where rigid ends stop what runs into them, or throw it back
    double remainder;        ///< of the method: ≤ 0 to round-off while nothing rotates
    double contact;          ///< of `elastic`: in springs of contacts
    double contact_damped;   ///< of `damped`: in dampers of contacts
    double contact_friction; ///< of `friction`: where surfaces slide, turn or roll on each other
} dp_ledger;
DP_API const dp_ledger *dp_data_ledger(const dp_data *d);

/// `b` and everything below it; DP_WORLD: everything that moves and what is fixed to the world.
DP_API dp_momentum dp_body_momentum(const dp_data *d, dp_body_id b);

DP_END_C
#endif
