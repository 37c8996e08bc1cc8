// The part of a step that rows have in it: from free velocities to those that the law allows.
#ifndef DP_SIM_ROW_SOLVE_H
#define DP_SIM_ROW_SOLVE_H

#include "assemble/impulses.h"
#include "problem/compliance.h"
#include "solve/impact.h"
#include "solve/law.h"

#include <dashpot/advanced/law.h>
#include <dashpot/sim.h>

typedef struct dp_user_row {
    dp_row_callback callback;
    void *context;
} dp_user_row;

/// The copies of the state that a step makes.
enum {
    DP_SNAPSHOT_GIVEN,  // as the user left it
    DP_SNAPSHOT_START,  // of a part of the step
    DP_SNAPSHOT_WHOLE,  // the end of the part made in one go
    DP_SNAPSHOT_HALVES, // and in two
    DP_SNAPSHOTS,
};

/// How well the parts of the last step met their rows. That of the last part is worked out when it
/// is asked for.
typedef struct dp_verdict {
    bool pending;          // the last problem and its solution are to be added to the report
    bool unfolded;         // the matrices of the last problem are there, if it has links
    dp_step_problem whole; // that problem with them
} dp_verdict;

/// Why the velocities of a tree differ. BY_IMPACT: also by the projection that a law asks for.
enum { DP_SPLIT_NOT, DP_SPLIT_BY_CORRECTION, DP_SPLIT_BY_IMPACT };

/// An attempt that moves bodies by one velocity and ends with another (velocity_split.c).
typedef struct dp_velocity_split {
    bool any;         // else nothing below counts
    bool certified;   // `certificate` is that of the last solution
    dp_impact impact; // count 0: none
    dp_certificate certificate;
    bool solved;                // the law was met by `found`
    double correction;          // [m/s] fastest rate at which a violated row is closed
    int by_rule, by_spring;     // contacts that close with a restitution, and have it from either
    double *restitution;        // by block
    uint8_t *soft;              // nrow: dp_impact_step.soft
    dp_row *row;                // nrow: the rows of `problem`
    dp_step_problem problem;    // less the gaps that were violated
    dp_step_solution found;     // of it
    double *move, *end;         // nv of the model: before the drift
    double *row_move, *row_end; // nv of the problem: the same
    uint8_t *tree;              // ntree: DP_SPLIT_…
} dp_velocity_split;

/// Points that may touch in the attempt that is under way.
typedef struct dp_candidates {
    dp_touching *point; // most.ncontact
    int count;
    bool judged;  // false contacts among them have been looked for
    int dropped;  // points that are left out as those
    bool no_room; // the last attempt had none for them
    int wanted;   // points that there was to be room for
} dp_candidates;

/// What the gaps of an island are that an attempt is solving for (gap_shares.c).
typedef enum dp_gap_phase {
    DP_GAPS_WHOLE,  // closed as far as they are to be
    DP_GAPS_SLOWED, // that was too much: none of those that are stiff is closed
    DP_GAPS_SHARED, // a share of them
    DP_GAPS_BORNE,  // what came of it is borne
} dp_gap_phase;

/// Of an island: how far its gaps are closed, and the energies of its trees (gap_shares.c).
typedef struct dp_island_gaps {
    dp_gap_phase phase;    // which of its gaps are being solved for
    bool changes;          // with another share than before
    double share;          // of them, in DP_GAPS_SHARED and after
    double energy;         // [J] of the last solve
    double recovery;       // [J] what closing wide gaps may add to that
    double free, unthrown; // [J] without rows, and at most where nothing throws it
    double bearable;       // [J] what closing its gaps may lead to
} dp_island_gaps;

/// The gaps of the rows in an attempt, and how they are met at its end (gap_iteration.c).
typedef struct dp_gaps {
    double *start;          // nrow: at the start of the step
    double *target;         // nrow: the same, as far as they are to be closed in it
    double *partial;        // nrow: where that is not all
    double *last;           // nrow: of the last solve
    double *end;            // nrow: what gaps at the end make of them
    double *bend;           // nrow: [m/s²] of the last solve
    bool corrects;          // rigid rows were violated at the start of the step
    double violation;       // [m] by so much at most
    double *correction;     // nrow: what of their gaps is closed in it; where some were
    bool scaled;            // gaps of rows that do not bend are not those of the start
    bool recovering;        // the last attempt: gaps were closed in part only
    bool closes_part;       // since some island could not bear more
    double energy;          // [J] of the last solve
    double *tree_energy;    // [J] ntree of the problem: the same of each
    double recovery;        // [J] what closing wide gaps may add to the energy
    double *tree_recovery;  // [J] ntree: the same of each
    double *guess;          // nrow: impulses of the last pass, where the next starts from them
    bool continues;         // it does
    int nisland;            // 0: none has been judged
    dp_island_gaps *island; // nisland
    int *tree_island;       // ntree of the problem: dp_law_islands
    uint8_t *part;          // nrow: of islands that close a part of their gaps
    bool knows_mobility;    // of the problem
    bool borne;             // what comes of the gaps that are being solved for
    bool wide;              // some are closed in part only
    bool closes_nothing;    // islands that were not solved close none
    bool unsettled;         // passes did not settle: those at the start are solved for
    int pass;               // solves whose ends were looked at
    int slow;               // of these the last ones that brought little
    double best, before;    // [m] the errors of the best and of the last of them
    double most_energy;     // [J] that a pass after the first may lead to
    double error;           // [m] of the last attempt
    double tolerance;       // [m] gaps are met so well where a few more passes do it; 0: no better
                            // than options.gap_tolerance
} dp_gaps;

/// M̃ of all trees.
typedef struct dp_tree_inertia {
    double *Mt; // packed
    double *LD; // its factors, where the free velocity needed them
    bool known; // both are those of the free velocity
} dp_tree_inertia;

/// Memory that rows own.
typedef struct dp_row_memory {
    void *block; // all arrays
    size_t bytes;
    void *scratch; // of the law
    size_t scratch_bytes;
} dp_row_memory;

typedef struct dp_constrained {
    bool possible;    // the model can have rows; else nothing below counts
    bool only_drives; // dp_rows_only_drives
    dp_row_memory memory;
    dp_rows_most most;
    int max_bend;      // rows that may bend: all but contacts, which come last
    dp_user_row *user; // most.nuser
    dp_candidates candidates;
    dp_gaps gaps;
    bool again; // the next solve has what the last one found to start from
    dp_rows rows;
    dp_arena arena;    // scratch of the law
    dp_law_task *task; // of the last problem, in the arena; NULL: none
    bool end_known;    // kin_end is up to date with d->scratch.{q, v}
    dp_tendon_set tendon_end;
    dp_tree_inertia inertia;
    dp_drive_law *drive;     // nu
    double *drive_force;     // nu: of drives that are rows
    dp_step_problem problem; // the last one
    dp_step_solution solution;
    dp_solve_info info;
    bool solved;              // the last attempt: the law converged and gaps are met
    dp_compliance compliance; // of rigid laws
    int replaced;             // rows that the law takes for rigid, against what they say
    int frictionless;         // springs of foundations that push, and whose friction is missing
    dp_velocity_split split;
    double *mobility;   // nrow: dp_law_mobility
    double *lambda;     // nrow: forces of the last solve
    double *pressure;   // nspring of the model: of foundations, in the last solve
    double *scratch;    // nv: M̃ v of the last solve
    dp_impulses now;    // state
    dp_impulses next;   // of the attempt that is under way
    dp_impulses before; // the state before the last attempt that was accepted; within an attempt
                        // the impulses of the last solve, where it is solved again
    dp_warm warm;       // what the last solve started from: a view of one of these
    uint8_t *equality_active; // nequality, state
    uint8_t *user_active;     // most.nuser, state
    dp_verdict *verdict;
} dp_constrained;

/// Take the memory for so many rows; those of the user that exist stay.
DP_NODISCARD dp_status dp_constrained_create(dp_data *d, dp_rows_most most);
/// Has an attempt that failed with DP_ERROR_CAPACITY lacked room that can be made?
bool dp_constrained_lacks_room(const dp_data *d);
/// Make room for what the last attempt could not hold. Between attempts only.
DP_NODISCARD dp_status dp_constrained_grow(dp_data *d);
void dp_constrained_destroy(dp_data *d);
void dp_constrained_reset(dp_data *d);

/// Forget the last problem: a step, an attempt or dp_forward begins.
void dp_constrained_clear(dp_data *d);

/// Certify the last solution, unless that is done, before its problem is forgotten.
void dp_constrained_certify(const dp_data *d);

/// What a stage may find that puts an earlier one out of date (stages.c).
typedef enum dp_change {
    DP_CHANGE_ROOM,
    DP_CHANGE_PART,
    DP_CHANGE_NEXT,
    DP_CHANGE_SLEEPER,
    DP_CHANGE_GAP,
    DP_CHANGE_CONTACT,
    DP_CHANGE_FALSE_CONTACT,
    DP_CHANGE_LIMIT,
    DP_CHANGE_DRIVE,
    DP_CHANGE_MODE,
    DP_CHANGES
} dp_change;

/// A step, or dp_forward, on its way through the stages: the part that is being made.
typedef struct dp_attempt {
    dp_data *d;
    dp_user_rows user;     // by their callbacks (row_callback.c)
    double h;              // its length
    const double *v_free;  // nv
    double *v;             // nv: that the rows leave
    double *q1, *v1;       // where v leads
    bool once;             // solve for the gaps at the start, as they are, and be done
    bool free;             // no row acts
    unsigned changes;      // what the stage has found, by dp_change
    unsigned way;          // which stages it goes through
    int halvings;          // the step may be made in 2^halvings parts
    int level, part;       // this is part number `part` of 2^level
    bool jams;             // a part was to be as short as it may be
    int limited;           // trees of the part that had more energy than their limit
    int count[DP_CHANGES]; // how often each has been found: of contacts, in this part
    dp_step_report before; // what the step had done when the part began
    int iterations;        // of the law, before the attempt: what its budget is counted from
    int islands;           // of the part before: they share that
} dp_attempt;

/// Factorizations that each solve may still take. All parts and passes of an attempt together have
/// a budget: four times what law.max_factorizations gives to one solve, and more in small islands,
/// whose iterations take little time. Islands share it. Each iteration of a law counts as one,
/// whether factors were there or not, and as several where its matrix is dense. @return 0: nothing
/// is left
int dp_budget_left(const dp_attempt *s);

static inline void dp_report_change(dp_attempt *s, dp_change change, int count)
{
    s->changes |= count > 0 ? 1u << change : 0u;
}

/// Find the points that may touch within an attempt, if bodies go on as they move now.
DP_NODISCARD dp_status dp_candidates_find(dp_data *d, double h);
/// Choose the rows of an attempt before anything is known of its end.
DP_NODISCARD dp_status dp_constrained_expect(dp_data *d, double h);
/// Make the rows of the present state, but for drives, as those of a step of the length h.
DP_NODISCARD dp_status dp_constrained_gather(dp_data *d, double h);
/// A stage: make the rows of the attempt.
DP_NODISCARD dp_status dp_constrained_make(dp_attempt *s);
/// A stage: the step problem of the rows, and what the law does with it once.
DP_NODISCARD dp_status dp_constrained_problem(dp_attempt *s);
/// What the rows of the attempt are made from.
dp_rows_input dp_constrained_input(const dp_attempt *s);
/// A stage: are the gaps met? Then what the solve leaves behind, else others to solve for.
DP_NODISCARD dp_status dp_constrained_judge(dp_attempt *s);
/// Take in contacts that nobody looked at and that are met with the velocities of the solve.
/// @param more how many points
DP_NODISCARD dp_status dp_contacts_add(int *more, dp_data *d, const dp_attempt *s);
/// [m, rad] What of the gap of a row the last attempt has not closed, since it closes no more.
static inline double dp_gap_left_open(const dp_constrained *c, int row)
{
    if (c->gaps.closes_part && c->gaps.part[row]) {
        return c->gaps.start[row] - c->rows.row[row].phi;
    }
    return c->gaps.corrects && c->gaps.correction[row] != 0.0
               ? c->gaps.start[row] - c->gaps.correction[row]
               : 0.0;
}
/// nv of the problem: what moves bodies in the last attempt, and what they end with.
static inline const double *dp_moving_velocities(const dp_constrained *c)
{
    return c->split.any ? c->split.row_move : c->solution.v;
}
static inline const double *dp_end_velocities(const dp_constrained *c)
{
    return c->split.any ? c->split.row_end : c->solution.v;
}
/// Take in limits that are violated at q1. @return how many
int dp_limits_add(dp_data *d, const dp_attempt *s);
/// Wrenches of the rows with forces λ on bodies (nbody, about origins), without those along joint
/// coordinates and those of drives.
void dp_constrained_push(dp_wrench *wrench, const dp_data *d, const double *lambda);

/// The tension that rows other than drives give to a tendon.
double dp_constrained_tension(const dp_data *d, int tendon);

#endif
