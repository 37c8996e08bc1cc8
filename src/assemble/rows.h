// The rows of a mechanism: everything but the joints of its trees, gathered into a step problem.
//
// Some rows are there in every step (equalities, dry friction, prescribed motions, springs of
// tendons, the user's rows). Others only matter when something comes to an end: limits, drives
// whose force comes to an end of its range or leaves it, and foundations that reach a plane. They
// are taken in on demand: first those that a prediction or the last step names; after a solve,
// those that turn out to be violated are added and the problem is solved anew. So is the friction
// of a joint that rests at an end of its range, which is left to that end until the joint moves.
// Rows are only ever added within a step, so this ends.
#ifndef DP_CONSTRAINT_ROWS_H
#define DP_CONSTRAINT_ROWS_H

#include "base/arena.h"
#include "dynamics/tendons/tendon.h"
#include "dynamics/tendons/transmission.h"
#include "model/combine_materials.h"
#include "problem/links/links.h"
#include "solve/law.h"

#include <dashpot/advanced/collide.h>
#include <dashpot/advanced/problem.h>

/// What block it is. The source is also the highest byte of its id, so blocks are made in the order
/// of dp_row_source. feature: lower or upper end, side of a spring; rows of a block are components.
typedef struct dp_row_owner {
    uint8_t source, feature;
    bool nonlinear; // φ is to be evaluated again at the end of the step
    bool alike;     // a contact: next to that of the block before, with its bodies and its law
    int element;
} dp_row_owner;

/// The feature of a tendon spring's row that is armature, with b = armature/h.
enum { DP_TENDON_INERTIA = 3 };

static inline bool dp_is_tendon_inertia(const dp_row_owner *owner)
{
    return owner->source == DP_ROW_SOURCE_TENDON_SPRING && owner->feature == DP_TENDON_INERTIA;
}

static inline uint64_t dp_row_id(dp_row_source source, int element, int feature)
{
    return (uint64_t)source << 56 | (uint64_t)(uint32_t)element << 8 | (uint64_t)(uint8_t)feature;
}

/// The id of a contact is made of source, geoms and key, in so many bits.
enum { DP_CONTACT_GEOM_BITS = 20, DP_CONTACT_KEY_BITS = 16 };

/// What the ids of all contacts of two geoms have in common.
static inline uint64_t dp_contact_geoms(uint64_t id)
{
    return id >> DP_CONTACT_KEY_BITS;
}

/// A mechanism at one moment.
typedef struct dp_moment {
    const dp_model *m;
    const dp_kin *kin;
    const double *q, *v;
    double time;
    const dp_tendon_set *tendon; // lengths, and gradients where rows are made. NULL: no tendons
} dp_moment;

/// A drive as the step sees it, with l̇₁ at the end of the step:
/// force = f − (h stiffness + damping) l̇₁, held within [lo, hi].
typedef struct dp_drive_law {
    double force, stiffness, damping; // stiffness, damping ≥ 0, not both 0
    double lo, hi;                    // [N, N m] lo ≤ 0 ≤ hi
} dp_drive_law;

/// What a drive is in a step.
typedef enum dp_drive_stand {
    DP_STANDS_WITHIN, // its range: part of M̃
    DP_STANDS_AS_ROW, // somewhere in its range: for the law to find out
    DP_STANDS_AT_LO,  // at an end of its range: a force
    DP_STANDS_AT_HI,
    DP_STANDS_EXPLICIT, // its force at the start of the step, within its range: no row is expected
} dp_drive_stand;

/// Where a motion wants its joint at the two ends of the step.
typedef struct dp_motion_target {
    double start, end; // [rad, m] of a hinge or slide
    double end_time;   // [s] of `end`, if it is known
    bool end_known;
    dp_quat turn_start, turn_end; // of a ball
} dp_motion_target;

/// Evaluate them for a step of length h from `start` to `end` [s].
/// @return DP_ERROR_NUMERIC where an expression has no value, or one that is no motion
DP_NODISCARD dp_status dp_motion_aim(dp_motion_target *target, const dp_motion *o, double start,
                                     double end, double h);

/// The user's rows: called for each, with a row of zeros (len 1, lo and hi infinite) and nv zeros
/// for its gradient. A row that is left with k = b = 0, or without a gradient, is not there.
/// @param end false: at the start of the step; true: at the end of it, where only row->phi counts
typedef struct dp_user_rows {
    int count;
    void *context;
    dp_status (*evaluate)(void *context, int index, bool end, dp_row *row, double *gradient);
} dp_user_rows;

/// A point where two geoms touch or may do so within the step.
typedef struct dp_touching {
    int geom[2], body[2];
    int pair;            // the pair that was given for them, −1: none
    uint16_t key;        // tells the points of a pair apart, from step to step
    bool dropped;        // it makes no row (sim/contacts/false_contacts.c)
    dp_contact_point at; // at the start of the step
} dp_touching;

/// Give every point its key and put them in order: by geoms, then by key. No two points of a pair
/// have the same. They must be in order by geoms and feature.
void dp_touching_order(dp_touching *list, int count);

/// All that is needed to make the rows of one step.
typedef struct dp_rows_input {
    dp_moment start;
    double h;
    const dp_options *options;
    const uint8_t *equality_active;          // nequality
    const dp_transmission_set *transmission; // at the start
    const double *tendon_ahead;              // ntendon: of those with armature, the rate that the
                                             // step leads to without forces
    const dp_drive_law *drive;               // nu. NULL: no drive becomes a row
    const dp_user_rows *user;                // NULL: none
    const dp_motion_target *motion;          // nmotion; those of mocap bodies do not count
    const dp_touching *touching;             // ntouching, in order
    int ntouching;
    bool may_lift;           // a long tree may be given as links alone (dp_rows.lifted)
    dp_thread_pool *workers; // shares the contacts among its threads. NULL: none
    const dp_kin *moved;     // its bodies that no joint moves are where they are at the end of the
                             // step. NULL: they do not move
} dp_rows_input;

/// Laws of two geoms, kept from step to step: materials do not change. Pairs one after the other
/// that have the same law share it.
typedef struct dp_combined {
    dp_touch_law law;
    bool belts;       // one of the geoms is
    uint64_t version; // when it was written
} dp_combined;
typedef struct dp_combined_pair {
    int geom[2]; // both 0: none
    int pair;
    int made;         // for which laws and scales: dp_rows.scales
    int law;          // its place among the laws
    uint64_t version; // of that
} dp_combined_pair;

/// Contacts in parts whose keys say which geoms they are about.
typedef struct dp_contact_parts {
    int first, count; // blocks
    int nparts;
    int key[DP_CREW_ORDERED];
} dp_contact_parts;

/// Where the blocks of contacts were put last: there they are as long as the same pairs touch in as
/// many points.
typedef struct dp_contact_layout {
    bool kept;    // it may be taken again
    bool taken;   // it was, for the rows that are there
    bool stands;  // rows of friction are as they were filled, and like any others: who changes
                  // rows of contacts beyond their gaps says that they do not
    int ncontact; // points
    int first;    // block; what comes before it ends there:
    int row, col, friction;
    size_t G;
    int nblock, nrow, nfriction; // and here end contacts
    bool has_normals;
    int ntree; // that they have rows on, if there are no other blocks. 0: not known
} dp_contact_layout;

/// The long tree of a problem as links, and where its matrices go when somebody asks for them.
typedef struct dp_lift {
    dp_links links;
    int tree;    // of the model
    int *parent; // nbody each
    int *first;
    int *of; // by body of the model
    dp_v3 *offset;
    double *inertia;
    dp_twist *motion; // nv
    double *diagonal; // nv
    int *on;          // nblock: a body of the model until dp_rows_lift
    dp_wrench *along; // nrow
    dp_twist *V;      // nbody: scratch
    dp_rigid_inertia *composite;
    double *mass; // nv: the diagonal of M̃
    dp_unfolded matrices;
} dp_lift;

typedef struct dp_rows {
    bool any_limit, any_friction_loss; // that the model can have: of joints; limits of tendons, too
    // On demand, cleared by dp_rows_expect:
    uint8_t *joint_limit;  // njoint: bit 0 the lower end, bit 1 the upper
    uint8_t *tendon_limit; // ntendon: the same
    uint8_t *joint_rests;  // njoint: the same, at which it rests: its friction is no row
    uint8_t *drive;        // nu: dp_drive_stand
    uint8_t *foundation;   // nfoundation: 1 its springs are rows
    // The problem under construction:
    dp_row_owner *owner; // nblock
    int *row_start, *col_start;
    int *col;               // as the model numbers them
    const int *problem_col; // as the problem does, since dp_rows_problem
    uint64_t *id;
    size_t *G_start;
    double *G;
    dp_row *row;
    int *friction_of;      // nblock: −1 but for contacts
    dp_friction *friction; // nfriction
    dp_normal *normal;     // nfriction
    bool has_normals;      // not all of them are springs
    int nfriction;
    dp_v3 *tangent;               // ncontact: the first tangent of each point
    dp_combined_pair *mixed_pair; // ncontact, by the place of a pair among those that touch
    dp_combined *mixed;           // ncontact
    uint64_t mixed_version;       // of the last that was written
    double scale[2];              // of stiffness and friction, in all that was mixed since
    int scales;                   // how often they have changed
    int *mixed_of;                // ncontact: which of them a point has
    int *pair_of;                 // ncontact: the place of its pair
    int nblock, nrow;
    dp_contact_parts contacts; // come last
    dp_contact_layout layout;

    bool lifted; // all rows are about one tree, which is long, and each about one link of it or one
                 // velocity: contacts have the last velocity of their link for a column, and no G
    dp_lift lift;
    int max_block, max_row;
    size_t max_col, max_G;
    // Trees with rows, numbered anew:
    int *tree_index; // ntree of the model: its number in the problem, −1: none
    int *tree;       // the model's number of each tree of the problem
    int *tree_start, *parent, *renumbered; // renumbered: problem_col, where it is not col
    size_t *Mt_start;
    double *Mt, *v0, *v_free;
    // The block under construction (block.h): gradients of its rows over all degrees of freedom,
    // and which of them are touched.
    int nv;
    int open_rows;
    double *gradient; // DP_BLOCK_ROWS × nv; zero between blocks
    int *touched;     // nv
    int ntouched;
    uint8_t *is_touched; // nv
    double *gap;         // gaps of one block
} dp_rows;

/// The first block that is a contact: they come last.
static inline int dp_first_contact(const dp_rows *rows)
{
    return rows->nblock - rows->contacts.count;
}

/// What besides the model decides how many rows there may be.
typedef struct dp_rows_most {
    int nuser;
    int ncontact; // points
} dp_rows_most;

/// Can the model, with so many rows, ever have any?
bool dp_rows_possible(const dp_model *m, dp_rows_most most);

/// Are its only rows drives of single coordinates that leave their force range? Then a step without
/// such drives needs no rows.
bool dp_rows_only_drives(const dp_model *m, dp_rows_most most);

/// Is the room that there is just that of the model? Its parameters may have changed.
bool dp_rows_have_room(const dp_rows *rows, const dp_model *m, dp_rows_most most);
/// The materials of the model have changed: nothing is known of how pairs touch.
void dp_rows_forget_laws(dp_rows *rows);

/// Room for the largest problem that the model can pose, in memory that is zeroed (dp_allocate).
void dp_rows_carve(dp_rows *rows, dp_carver *c, const dp_model *m, dp_rows_most most);
/// The bounds of the same problem, for a law's memory.
dp_step_size dp_rows_size(const dp_rows *rows, const dp_model *m);

/// Has the model rows that come and go, besides contacts? Else dp_rows_expect and dp_rows_miss have
/// nothing to do.
static inline bool dp_rows_on_demand(const dp_rows *rows, const dp_model *m)
{
    return rows->any_limit || rows->any_friction_loss || m->size.nu > 0 || m->size.nfoundation > 0;
}

/// Decide which rows are there before the first solve: those with an impulse in `warm`, and those
/// that would be violated at the end of a step with velocities v (nv, e.g. v_free).
void dp_rows_expect(dp_rows *rows, const dp_rows_input *in, const dp_warm *warm, const double *v);

/// Blocks first … end − 1, which are part number `part` of all.
typedef dp_status (*dp_rows_work)(void *job, int part, int first, int end);

/// Do something to all blocks once they are made: part 0 are those that are no contacts, the others
/// are contacts, shared among the threads of a workers. The parts depend on the rows alone.
/// @return as dp_thread_pool_run
enum { DP_ROW_PARTS = DP_CREW_ORDERED + 1 };
DP_NODISCARD dp_status dp_rows_share_among(const dp_rows *rows, dp_thread_pool *workers,
                                           dp_rows_work work, void *job);
DP_NODISCARD static inline dp_status dp_rows_share(const dp_rows *rows, dp_thread_pool *workers,
                                                   dp_rows_work work, void *job)
{
    return rows->contacts.count > 0 ? dp_rows_share_among(rows, workers, work, job)
           : rows->nblock > 0       ? work(job, 0, 0, rows->nblock)
                                    : DP_OK;
}

/// Make the blocks: owners, columns, gradients, rows.
/// @return what a callback of the user reports; DP_ERROR_ARGUMENT for a row of the user that no law
///         can take
DP_NODISCARD dp_status dp_rows_make(dp_rows *rows, const dp_rows_input *in);

/// Pick the trees that have rows and number their velocities anew. @param Mt packed M̃ of all trees
/// @param v0, v_free nv of the model. @param workers may be NULL. @param out views into `rows`, and
/// where all trees have rows of `m` and Mt
void dp_rows_problem(dp_step_problem *out, dp_rows *rows, const dp_model *m, double h,
                     const double *Mt, const double *v0, const double *v_free,
                     dp_thread_pool *workers);

/// Where rows->lifted, after dp_rows_problem: give the problem its links. Its Mt is not read, nor G
/// of contacts. @param diagonal nv of the model: what M̃ has besides M
void dp_rows_lift(dp_step_problem *p, dp_rows *rows, const dp_kin *kin, const dp_model *m,
                  const double *diagonal);
/// Write the matrices of such a problem. @param out the problem with them
void dp_rows_unfold(dp_step_problem *out, const dp_step_problem *p, const dp_rows *rows);

/// After a solve that ends at `end`: take in the limits and foundations that are violated there and
/// not yet rows, and the friction of joints that do not rest.
/// @return how many (drives are judged by the caller, who knows their forces)
int dp_rows_miss(dp_rows *rows, const dp_rows_input *in, const dp_moment *end);

/// After a solve with velocities v (of the problem) that ends at `end`: set φ of the nonlinear rows
/// such that φ + h φ̇ is their gap there. @param worst [m] the largest change times len
DP_NODISCARD dp_status dp_rows_refresh(double *worst, dp_rows *rows, const dp_rows_input *in,
                                       const dp_moment *end, const double *v);

/// G v of one row of a block that is not lifted. @param v nv of the model
static inline double dp_rows_rate(const dp_rows *rows, int block, int row, const double *v)
{
    const int *col = rows->col + rows->col_start[block];
    const int ncol = rows->col_start[block + 1] - rows->col_start[block];
    const double *G =
        rows->G + rows->G_start[block] + (size_t)(row - rows->row_start[block]) * (size_t)ncol;
    double u = 0.0;
    for (int k = 0; k < ncol; ++k) {
        u += G[k] * v[col[k]];
    }
    return u;
}

/// tau (nv of the model) += Gᵀ λ of one block; λ of all rows
void dp_rows_add_block(double *tau, const dp_rows *rows, int block, const double *lambda);
/// tau (nv of the model) += Gᵀ λ, for forces λ = γ/h of the rows
void dp_rows_add_forces(double *tau, const dp_rows *rows, const double *lambda);
/// wrench (nbody, about origins) += what rows with forces λ do to bodies by themselves; those that
/// act along joint coordinates (limits, friction, joint equalities) give none, and drives are left
/// to the caller, who pushes all actuators alike.
void dp_rows_add_wrenches(dp_wrench *wrench, const dp_rows *rows, const dp_rows_input *in,
                          const double *lambda);
/// What a contact point with `nrow` rows and forces λ does to the second body, about the point,
/// world axes; to the first, the opposite.
dp_wrench dp_contact_push(const dp_rows *rows, const dp_touching *t, int contact, int nrow,
                          const double *lambda);
/// The tension [N] of a tendon by rows with forces λ; drives are left to the caller.
double dp_rows_tension(const dp_rows *rows, const dp_rows_input *in, const double *lambda,
                       int tendon);

#endif
