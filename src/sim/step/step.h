// What the stages of a step, and the methods that make one by themselves, share: by file.
#ifndef DP_SIM_STEP_H
#define DP_SIM_STEP_H

#include "sim/data.h"

#include <dashpot/row.h>

// ---- step.c

/// What an interrupted call has left half done is not used again, whatever status it ended with.
/// @param status of the call @param undone what became of it
DP_NODISCARD dp_status dp_end_interrupted(dp_data *d, dp_status status, const char *undone);

// ---- stages.c

/// Advance by h, in halves, quarters … h/2ⁿ where rows cannot be solved otherwise, n ≤ halvings.
DP_NODISCARD dp_status dp_advance(dp_data *d, double h, int halvings);
/// The forces of rows in a step of length h from the present state, and, where there are any, the
/// means of the other forces and of the acceleration. Forces must have been evaluated.
DP_NODISCARD dp_status dp_mean_forces(dp_data *d, double h);

// ---- error_control.c

/// Advance by h in parts whose errors are within options.accuracy.
DP_NODISCARD dp_status dp_advance_accurately(dp_data *d, double h);

// ---- tree_modes.c

/// How the semi-implicit step treats the velocity terms of a tree.
typedef enum dp_tree_mode {
    DP_TREE_EXPLICIT,  ///< Coriolis terms at the start of the step
    DP_TREE_SPIN,      ///< one rigid body on a free or ball joint: kick, then free rotation
    DP_TREE_TRANSPORT, ///< kick, then momentum transport (transport.c)
} dp_tree_mode;

/// Why a tree has a limit on its energy, as bits: it turns far in the step, rows throw it, or its
/// gaps were not met (dp_limit_unmet).
enum { DP_LIMITED_BY_TURN = 1, DP_LIMITED_BY_ROWS = 2, DP_LIMITED_BY_GAPS = 4 };

/// Has any tree such a limit?
bool dp_any_tree_limited(const dp_data *d);
/// By the angular velocities at the start of the step.
void dp_tree_modes_choose(dp_data *d, double h);
/// A tree that starts slowly but is kicked hard turns far, too. Modes only ever leave
/// DP_TREE_EXPLICIT. @return whether one has changed
bool dp_tree_modes_revise(dp_data *d, const double *v1, double h);
/// All trees with rows have a limit on their energy where the part is not solved, where gaps are
/// violated in a part of a step that was cut, and in what is left of a step that jams. So have
/// trees that rows join to a limited one.
void dp_limit_unmet(dp_data *d, const dp_attempt *s);

// ---- row_work.c

/// The work of rows on the limited trees in a step of length h, to their budgets.
/// @param v nv: the velocities that end the step, before the drift
void dp_row_work_add(dp_data *d, const double *v, double h);

// ---- free_velocity.c

/// (SI 1) by M̃ and its factor where rows are expected, else by articulated bodies.
void dp_free_velocity(double *v1, dp_data *d, double h);
void dp_free_velocity_by_links(double *v1, dp_data *d, double h);
/// Refuse velocities that are not finite, naming the joints if these lock.
DP_NODISCARD dp_status dp_free_velocity_check(dp_data *d, const double *v);

/// The rates that tendons with armature come to while no force acts: those that they have, where
/// the step ends with (SI 4).
/// @param biased with the change of gradients, J̇ v: for forces and accelerations of its start
void dp_tendon_rates_expect(dp_data *d, double h, bool biased);

// ---- row_callback.c

/// The rows of the user, by their callbacks. `s` is borrowed for as long as they are used: of it
/// the length of the step, and where it ends.
dp_user_rows dp_row_callbacks(dp_attempt *s);

// ---- gap_iteration.c

/// Solve for this gap of a row. Its dashpot sees what the gap really does in the step,
/// (φ(q₁) − φ(q₀))/h, like its spring.
static inline void dp_gap_set(dp_row *row, double phi, double start, double h)
{
    row->phi = phi;
    row->b_ref = row->phi_t + (phi - start) / h;
}

/// Keep the gaps of the rows as they were made, at the start of the step.
void dp_gaps_keep(dp_constrained *c);
/// Choose the gaps to begin with: those that are expected, as far as they are to be closed.
void dp_gaps_begin(dp_data *d, const dp_attempt *s);
/// A stage: solve the step problem with the gaps as they are.
DP_NODISCARD dp_status dp_gaps_solve(dp_attempt *s);
/// A stage: the velocities of all trees after that, and where they lead.
DP_NODISCARD dp_status dp_gaps_integrate(dp_attempt *s);
/// Are the gaps met there, with an energy that the mechanism can bear? Else choose others.
/// @param again they are to be solved for
DP_NODISCARD dp_status dp_gaps_judge(bool *again, dp_data *d, const dp_attempt *s);
/// What the gaps of rows that are not linear would have to be for φ + h φ̇ to be those after moving
/// with v. The rows stay as they are. @param phi c->next.nbend. @param v of the problem
/// @param moved nv of the model: the same. q1 and v1 of s are overwritten
DP_NODISCARD dp_status dp_gaps_bend(double *phi, dp_data *d, const dp_attempt *s, const double *v,
                                    const double *moved);
/// The end of a solve. @param look work out kinematics and lengths of tendons there
dp_moment dp_gaps_end(dp_data *d, const dp_attempt *s, bool look);

// ---- gap_shares.c

/// No island has been judged.
void dp_gap_shares_begin(dp_gaps *g, int nrow);
/// After a solve: can each island bear the velocities that close its gaps? Else choose shares of
/// them. @param again they are to be solved for
DP_NODISCARD dp_status dp_gap_shares_bear(bool *again, dp_data *d);
/// Judge islands anew that close all of their gaps.
void dp_gap_shares_renew(dp_gaps *g);
/// Violated gaps of islands that are not solved stay as they are: their rows neither open nor
/// close.
void dp_gaps_close_nothing(dp_constrained *c);

// ---- tree_energy.c

/// ½ vᵀ M̃ v of tree t of the problem, and of all its trees. @param v nv of the problem
double dp_tree_energy(const dp_constrained *c, int t, const double *v);
double dp_trees_energy(const dp_constrained *c, const double *v);
/// What closing wide gaps may add to the energy of each tree, and of all.
/// @param diagonal nv of the model: what M̃ has besides M
void dp_recoveries_note(dp_data *d, const double *diagonal);
/// The most that tree t of the problem has at the end of a step that does not throw it.
double dp_unthrown_energy(const dp_data *d, int t);
/// Of all trees, at the end of a step without rows; at least 0.
double dp_usual_energy(const dp_data *d);
/// Trees that are thrown get a limit on their energy (transport.c), which knows the work of forces.
void dp_limit_thrown(dp_data *d);

// ---- drift.c

/// q₁ and v₁ after moving with `move`, and ending with `end`, for the time of each tree: the share
/// of h of its budget where it is limited, else h. kin is at q₀.
void dp_drift(double *q1, double *v1, dp_data *d, const double *move, const double *end, double h);
/// The same for an attempt whose trees go all the way and end with what moves them.
void dp_drift_all_the_way(double *q1, double *v1, dp_data *d, const double *v, double h);
/// Give bodies and tendons with armature the velocities at q₁ that are nearest to those that they
/// have (SI 4). @param v nv: before the drift
void dp_tendons_carry(dp_data *d, const double *v, const double *q1, double *v1);

// ---- false_contacts.c

/// After a solve that ends at s->q1: the first time in an attempt, leave out the points of geoms
/// that would pass each other by; later, take in again those that would meet after all.
/// @return how many points that are: the attempt is to be solved again
int dp_false_contacts_find(dp_data *d, const dp_attempt *s);

// ---- velocity_split.c

/// Why a tree of the model ends with other velocities than those that move it: DP_SPLIT_…
static inline int dp_split_of(const dp_constrained *c, int t)
{
    return c->split.any ? c->split.tree[t] : DP_SPLIT_NOT;
}
/// Does a row have no spring? What a rigid law regularises by is none.
bool dp_row_is_rigid(const dp_constrained *c, const dp_law_options *law, int row);
/// [m, rad] Of a row that is violated and cannot be corrected: nothing, and still no 0.
#define DP_NO_CORRECTION 1e-300
/// The gap that a rigid row closes of what it was violated by at the start of the step, at no more
/// than options.correction_speed; 0: the row is not violated. @param phi its gap at the start
double dp_correction_of(const dp_data *d, int block, int row, double phi, double h);
/// After the rows of an attempt are solved, kin at its start: the velocity that moves bodies and
/// the one that they end with, where they differ.
DP_NODISCARD dp_status dp_velocity_split_find(dp_data *d, const dp_attempt *s);

// ---- transport.c

/// After the kick, kin at (q₀, v₀): budgets of the limited trees, and the momenta of their bodies
/// at (q₀, end). False when no tree is limited.
/// @param move nv: what moves the trees. @param end nv: the velocities that they have in the end
bool dp_balance_open(dp_data *d, const double *move, const double *end, double h);
/// After the drift to (q₁, v₁): trees whose potential is more than they can pay for must go a
/// shorter way. True when there are any; the drift is then to be repeated, kin being at q₀ again.
/// Else kin is at q₁.
bool dp_balance_shorten(dp_data *d, const double *q1, const double *v1);
/// Carry the momenta of transported trees to q₁, and scale the velocities of limited trees to what
/// they can pay for. @param end nv velocities before the drift, borrowed; out: what these are with
/// the same limits. @return how many trees had more
int dp_balance_close(double *q1, double *v1, const double **end, dp_data *d, double h);

// ---- ledger.c

/// [J] Kinetic and potential energy of the present state, without what rows hold.
double dp_ledger_stored(const dp_data *d);
/// The energy that is there at the present state.
void dp_ledger_open(dp_data *d);
/// After an attempt with velocities v (nv, before drift) of length h: what was done in it. kin must
/// be at the start of the step.
void dp_ledger_enter(dp_data *d, const double *v, double h);
/// Some trees go only a share of their way (transport.c): take back what was not done.
void dp_ledger_shorten(dp_data *d, const double *v, double h);
/// After the attempt was accepted: the remainder.
void dp_ledger_close(dp_data *d);
/// [J] What the spring of a block's first row holds at the end of the last solve, 0: it is rigid.
double dp_ledger_held(const dp_data *d, int block);

// ---- accept.c

/// The only place that writes the state: all of it or nothing. Every method writes the next state
/// to d->scratch.{q, v, activation} and leaves the state itself alone. What a loop that was
/// interrupted has left is not accepted.
DP_NODISCARD dp_status dp_accept(dp_data *d, double h);
/// t + h; on the lattice of multiples of h when t is, so that a thousand steps of 1 ms end at 1 s.
double dp_next_time(double t, double h);
/// Refuse velocities at the end of a step that are not finite or beyond all reason.
DP_NODISCARD dp_status dp_refuse_velocities(const dp_data *d, const double *v);

// ---- forward_dynamics.c

/// Refuse what the last factorisation found singular, naming the body and the joint.
DP_NODISCARD dp_status dp_refuse_singular(const dp_data *d);
/// The wrenches that bodies get through their joints, for the accelerations and the forces of rows
/// that `d` holds.
void dp_find_reactions(dp_data *d);
/// Evaluate forces and acceleration at the present state: kinematics, callbacks, factor, solve.
DP_NODISCARD dp_status dp_evaluate(dp_data *d);
/// The same without the inertia of tendons in d->acceleration; dp_tendon_inertia_correct adds it.
DP_NODISCARD dp_status dp_evaluate_trees(dp_data *d);

#endif
