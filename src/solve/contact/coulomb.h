// Contacts with Coulomb friction, and every other row, on one island.
//
// Unknowns are the impulses x of the rows (scaled as contact_law.h says); the velocities follow,
// v = v_free + M̃⁻¹ Gᵀ x, so momentum holds to round-off whatever the search does. With a proximal
// compliance s·a about an earlier guess r, each row has the slack
//
//     ũ = u − f(x) + s a (x − r),   f(x) = min(u_stop, û − R x),                           (CO 1)
//
// and the law is the zero of the natural map [AlartCurnier1991]
//
//     F(x) = x − Law(x − ρ ũ),                                                            (CO 2)
//
// Law: the nearest impulse in the row's range, or in the disc of the normal impulse beside it, or
// in a polygon within that. As a variational inequality (cone_map.h): in a cone, normal and
// friction at once, or in a disc that is given. Friction of the first kind makes the map
// non-symmetric and the problem non-convex. Newton's method alone solves what changes little from
// step to step; else the proximal terms lead the way, with ρ tied to s. Newton directions are found
// among the velocities, (M̃ + Gᵀ C G) dv = Gᵀ q: time linear in the contacts of a body.
//
// A normal with a law of its own (normal_law.h) enters as the tangent of that law, R and û, which
// is taken anew at every point that the search comes to; the judge takes the law itself. The
// tangents lie below the law, and with one row the points come nearer to its solution from the deep
// side only. docs/laws/compliant.md.
#ifndef DP_SOLVE_COULOMB_H
#define DP_SOLVE_COULOMB_H

#include "base/interrupt.h"
#include "linalg/block_sparse.h"
#include "linalg/tree_lu.h"
#include "problem/laws/contact_law.h"
#include "problem/laws/normal_law.h"
#include "problem/links/link_factor.h"
#include "solve/contact/constants.h"
#include "solve/law.h"

#include <dashpot/advanced/law.h>

/// The velocities of one tree that a block meets.
typedef struct dp_block_part {
    int tree, from;   // its first velocity
    int col, count;   // where its columns begin in the block
    bool full_wrench; // all velocities of a free body, in order
} dp_block_part;
enum { DP_FREE_BODY = 6 };

typedef struct dp_coulomb_block {
    bool three_row;   // a contact of three rows, its normal a spring
    bool unscaled;    // of three rows, all scales 1
    bool full_wrench; // all of its parts are
    int ngroup;       // friction groups; 0: no contact
    int batch;        // so many contacts in a row make up a batch, this included; 0: none
    int part, nparts; // where its trees begin among the parts
    int clique;       // of H: contacts of the same trees in a row have one
    int H_at;         // where its places in H begin: nparts × nparts
    size_t C;         // where its matrix begins: nrow × nrow of a contact, else nrow numbers
    const dp_normal *normal; // NULL: a spring and a dashpot
    dp_friction_group group[DP_CONTACT_GROUPS];
} dp_coulomb_block;
// A batch: contacts of three rows of the same free body and no other, with the same friction.

// Numbers of which H has the factors, as they are rounded at rest (factor_cache.h).
typedef struct dp_factor_cache {
    bool usable;    // may they be?
    bool in_use;    // Newton's method goes by them
    bool valid;     // H is of them, and of C_factored
    bool symmetric; // and was taken as that
    double *G, *Mt; // as those of the problem
    double *scale;  // nrow
} dp_factor_cache;

/// What the law asks of contacts.
typedef struct dp_coulomb_law {
    bool general;      // sets may be others than discs: no contact goes as one of three rows
    int corners;       // of those polygons; 0: discs
    bool cone;         // impulses of contacts are held in cones
    double *bound;     // nrow: radii of discs, at the first row of each group; NULL: those of the
                       // normal impulses
    bool frozen;       // normals push as they do, and are not judged
    double slip_speed; // [m/s] where friction has its full size (tamsi.h); 0: at once
    double *weight;    // nrow: D of rows that are rigid in the limit of no compliance, 0 of others;
                       // NULL: the law is not that limit
    double compliance; // s of the law
} dp_coulomb_law;

/// A way of linear algebra: operator.h.
typedef struct dp_operator dp_operator;

/// The linear algebra of an island: M̃⁻¹, and the factors of H = M̃ + Gᵀ C G. One of three ways: of
/// one tree that is given as links, of one tree along its branches, or by blocks over trees.
typedef struct dp_coulomb_operator {
    const dp_operator *use;
    double *LD;          // M̃ factored, packed as Mt
    bool *free_body;     // ntree: six velocities in a row
    bool *diagonal;      // ntree: M̃ of such a body is
    double *inverse;     // nv: of the diagonal of its factors
    int *chain;          // nv: so many velocities before it are its parents one by one
    bool has_matrix;     // is H laid out by blocks? Only once it is needed:
    dp_block_sparse H;   // over trees
    dp_block_view *H_at; // places of blocks of H
    int nclique;         // of H
    bool *coupled;       // nclique: trees that push each other
    bool one_tree;       // then H is factored along its branches, if pivots allow that:
    dp_tree_lu branches; // H
    bool tree_applies;   // M̃ is
    bool by_tree;        // the last H was
    double *C_factored;  // nC: C of the last factors
    size_t nC;
    bool symmetric;              // C is: nothing slips, or along with its normal
    bool factored;               // there are factors of H, with C_factored
    bool factored_symmetric;     // and they are symmetric
    bool by_links;               // the one tree is given as links: nothing above counts
    dp_link_factor mass;         // M̃
    dp_link_factor matrix;       // H
    dp_twist *motion;            // of the links: scratch
    dp_wrench *wrench;           // and on them
    double *square;              // 6 × 6 numbers of each: scratch
    dp_rigid_inertia *composite; // scratch
    dp_factor_cache cache;
    uint8_t *met;         // nv: scratch, zero
    int *branch;          // nv: scratch
    double *CG;           // DP_CONTACT_ROWS × the most columns of a block
    double *both;         // twice as much: scratch
    double *side_by_side; // 4 nv: scratch
} dp_coulomb_operator;

/// Residuals [m/s] that decide.
typedef struct dp_coulomb_tolerances {
    double solved; // what counts as solved: `strict`, or the most that any contact may leave
    double strict;
    double goal, fine; // what factorizations and refinement are spent for
    double digits;     // the last of the velocities that the first guess makes
    double approach;   // the fastest approach of a contact: what residuals are measured against
} dp_coulomb_tolerances;

/// What the search has spent.
typedef struct dp_coulomb_work {
    int iterations, factorizations;
    int most;   // factorizations
    int spared; // of the factorizations, those whose factors were there
} dp_coulomb_work;

/// Gauss–Seidel iterations over single points of contact (gauss_seidel_simd.h).
typedef struct dp_gauss_seidel {
    bool by_points;           // iterations go by points
    bool has_points;          // all blocks are points of free bodies
    struct dp_points *points; // npoints groups of them
    int npoints;
    int *place;       // nblock: of a point in the groups
    float *z;         // velocities of points, three times: scratch
    double *response; // M̃⁻¹ Gᵀ of each row, scaled, over the bodies that its block acts on
    size_t *response_at; // nrow
    bool responds;       // `response` is up to date
} dp_gauss_seidel;

/// The best point so far.
typedef struct dp_coulomb_best {
    double *x, *u;   // nrow
    double *v;       // nv: M̃⁻¹ Gᵀ x
    bool v_known;    // is it?
    double residual; // [m/s]
} dp_coulomb_best;

/// Why there may be no solution.
typedef struct dp_coulomb_found {
    bool unbounded;      // no impulses were found, and those that were tried grew all the time
    bool wedged;         // rigid contacts jam whatever the impulses are
    double inconsistent; // [m/s] by how much rigid rows contradict each other
} dp_coulomb_found;

/// The memory of a solve.
typedef struct dp_coulomb_room {
    dp_arena *scratch; // that has all of it
    dp_status status;  // DP_ERROR_CAPACITY: there was no room for H
    size_t later;      // bytes that it is likely to take; 0: not known
} dp_coulomb_room;

typedef struct dp_coulomb {
    const dp_step_problem *p;
    dp_coulomb_room room;
    dp_coulomb_law law;

    dp_coulomb_block *block; // nblock
    dp_block_part *part;
    bool redundant;      // contacts of the same bodies
    double *scale;       // nrow
    dp_soft *soft;       // nrow, scaled
    double *len, *w, *a; // nrow: a = w + R; of a group the mean
    double *one_over_a;  // nrow
    double *gauge;  // nrow: [m] that turns residuals into velocities, those that may be left by the
                    // error of the step into tol.solved: `len`, or more (allowed_error.h)
    double *u_free; // nrow
    dp_coulomb_operator op;

    dp_coulomb_tolerances tol;
    dp_coulomb_work work;
    const double *change;            // nrow: of the guess since the step before; NULL: not known
    double *x, *u;                   // nrow: where the search is
    double *centre;                  // nrow
    double *rho;                     // nrow
    double *F, *q, *dx, *du;         // nrow
    double *trial, *u_trial;         // nrow
    double *direction, *v_direction; // nrow, nv: conjugate directions
    struct {
        double *x, *u; // nrow
    } last;            // centre that was solved
    double *force, *v; // nv
    double *C;         // of the blocks
    dp_gauss_seidel gs;
    dp_coulomb_best best;
    dp_coulomb_found found;
    unsigned skip; // stages that are left out, by bits: for tests (coulomb_stages.h)
} dp_coulomb;

/// Is there a contact with friction in the island?
bool dp_has_friction(const dp_step_problem *p);

/// What depends on the structure of `p`; the numbers are left to dp_coulomb_restart, what only
/// factorizations need to the first of them. @param scratch borrowed for as long as `c` is used
DP_NODISCARD dp_status dp_coulomb_lay_out(dp_coulomb *c, const dp_step_problem *p,
                                          const dp_law_options *opt, dp_arena *scratch);
DP_NODISCARD dp_status dp_coulomb_begin(dp_coulomb *c, const dp_step_problem *p,
                                        const dp_law_options *opt, dp_arena *scratch);
/// Is what dp_coulomb_lay_out made right for c->p as it is now, if its structure stayed?
bool dp_coulomb_is_reusable(const dp_coulomb *c);
/// Begin anew with other numbers in c->p. @return DP_ERROR_NUMERIC
DP_NODISCARD dp_status dp_coulomb_restart(dp_coulomb *c, const dp_law_options *opt);
/// The first factorization takes memory: c->room.status is DP_OK, or DP_ERROR_CAPACITY and what was
/// found is of no use.
/// @param warm nrow impulses as a first guess; NULL: none
void dp_coulomb_solve(dp_step_solution *out, dp_coulomb *c, const double *warm,
                      const dp_law_options *opt, dp_solve_info *info);

// Parts

/// Should a search end? Polled once an iteration, a factorization polls by itself.
static inline bool dp_coulomb_is_interrupted(const dp_coulomb *c)
{
    return dp_interrupted(4 * c->p->G_start[c->p->nblock]); // four products with rows
}
/// Are impulses held in convex sets?
static inline bool dp_coulomb_is_convex(const dp_coulomb *c)
{
    return c->law.cone || c->law.bound;
}
/// R, û and u_stop of the rows, scaled; mobilities with R, one for each group; lengths.
void dp_coulomb_take_targets(dp_coulomb *c);
/// And those of a convex law. In the limit of no compliance what rows have of it are their weights.
void dp_coulomb_take_convex_targets(dp_coulomb *c);
/// Be ready to search: R and û of the rows, and the first guess with its velocities.
void dp_coulomb_aim(dp_coulomb *c, const double *warm, const dp_law_options *opt);

// Where a search begins: first_guess.c

/// c->x from the impulses of the last step. @param warm NULL: none
void dp_coulomb_take_guess(dp_coulomb *c, const double *warm);
/// The guess, or how it goes on from the last two steps, whatever is the better of the two.
/// @param first residual of the guess. @return that of what c->x is then
double dp_coulomb_extrapolate(dp_coulomb *c, double first);
/// No impulses. @return the residual
double dp_coulomb_begin_from_rest(dp_coulomb *c);

// The best point: best_point.c

/// Keep (x, u), whose velocities are c->v, as the best so far.
void dp_coulomb_keep(dp_coulomb *c, const double *x, const double *u, double residual);
/// Judge (x, u) as dp_coulomb_velocities left it; keep it if it is the best so far. @return its
/// residual
double dp_coulomb_judge(dp_coulomb *c, const double *x, const double *u);
/// The same of c->x, where c->u may be summed up from steps, which has the digits that matter while
/// the residual is more than `enough`; else velocities are found anew.
double dp_coulomb_judge_sum(dp_coulomb *c, bool summed, double enough);
/// Its velocities, where they were summed up from steps only.
void dp_coulomb_complete_best(dp_coulomb *c);
/// c->x and c->u are that.
void dp_coulomb_go_to_best(dp_coulomb *c);
/// Is its residual in the last digits of the velocities that impulses make? So large these are
/// where joints hold bodies deep within each other.
bool dp_coulomb_is_exhausted(const dp_coulomb *c);
/// [m/s] The largest velocity that the impulse of a row makes by itself.
double dp_coulomb_largest_push(const dp_coulomb *c, const double *x);
/// x into the sets of the law: friction within what normals allow, normals that push. c->u_trial
/// must be numbers.
void dp_coulomb_project(dp_coulomb *c, double *x);
/// Give it as a solution. @param known its states are there, as dp_coulomb_residual_of_guess left
/// them. @param solved whether it is near enough. @param relaxed [m/s] what rigid rows were relaxed
/// by
void dp_coulomb_present(dp_step_solution *out, dp_coulomb *c, bool known, bool solved,
                        double relaxed, dp_solve_info *info);
void dp_coulomb_conclude(dp_step_solution *out, dp_coulomb *c, bool solved, dp_solve_info *info);
/// Does a residual above opt->tolerance count as solved?
static inline bool dp_coulomb_is_loose(const dp_coulomb *c)
{
    return c->tol.solved > c->tol.strict;
}

/// The slip at which friction has its full size, in the units of its row.
static inline double dp_coulomb_slip_speed(const dp_coulomb *c, int row)
{
    return c->law.slip_speed / c->len[row];
}

/// What a search adds to the law: (CO 1).
typedef struct dp_coulomb_map {
    double shift;           // s
    const double *centre;   // r
    const double *rho;      // nrow, one number for each group
    bool radius_of_impulse; // discs have the radius of x_n, not that of the projected one
} dp_coulomb_map;

/// ũ of (CO 1)
static inline double dp_coulomb_slack(const dp_coulomb *c, const dp_coulomb_map *map, int r,
                                      double x, double u)
{
    return dp_soft_slack(c->soft[r], x, u) + map->shift * c->a[r] * (x - map->centre[r]);
}

/// dũ/dx of a row: its own compliance unless it stops, and the proximal one.
static inline double dp_coulomb_compliance(const dp_coulomb *c, const dp_coulomb_map *map, int r,
                                           double x)
{
    const dp_soft soft = c->soft[r];
    const bool stopped = soft.u_hat - soft.R * x > soft.u_stop;
    return (stopped ? 0.0 : soft.R) + map->shift * c->a[r];
}

/// u = G v, scaled
void dp_coulomb_row_velocities(const dp_coulomb *c, double *u, const double *v);
/// force = Gᵀ y, y scaled
void dp_coulomb_forces(const dp_coulomb *c, double *force, const double *y);
/// v = M̃⁻¹ force
void dp_coulomb_accelerate(const dp_coulomb *c, double *v, const double *force);
/// The same within one tree, in place
void dp_coulomb_accelerate_tree(const dp_coulomb *c, int tree, double *y);
/// How many loops bodies make by their contacts, where all blocks meet one or two: as many as it
/// takes of these to leave none.
int dp_coulomb_loops(const dp_coulomb *c);
/// Have H laid out. @return false: there is no room, c->room.status
bool dp_coulomb_take_matrix(dp_coulomb *c);
/// Lay it out for the blocks that C makes push.
void dp_coulomb_couple(dp_coulomb *c);
/// H = M̃ + Gᵀ C G, so laid out; where it is symmetric, the half that its factorization reads
void dp_coulomb_assemble(dp_coulomb *c);
/// The same in c->branches, of a single tree.
void dp_coulomb_assemble_tree(dp_coulomb *c);
/// For these: rows top … top + step − 1 of C G of a block, which C couples with no others, in
/// c->CG.
void dp_coulomb_multiply(dp_coulomb *c, int b, int top, int step, int ncol);
/// u = u_free + W x
void dp_coulomb_velocities(dp_coulomb *c, double *u, const double *x);
/// du = W dx
void dp_coulomb_mobility(dp_coulomb *c, double *du, const double *dx);
/// c->v = M̃⁻¹ Gᵀ of one row alone, not scaled, on the trees that its block acts on.
void dp_coulomb_respond(dp_coulomb *c, int block, int row);
/// The tangents at (x, u) of the normals that have a law of their own, and friction as it is
/// regularised: R and û in c->soft.
void dp_coulomb_tangents(dp_coulomb *c, const double *x, const double *u);
/// R of the friction of a block that is regularised, next to its normal impulse x. @param soft of
/// the rows of the block
void dp_coulomb_regularise(dp_soft *soft, const dp_coulomb *c, int block, double x);
/// That of the normal of one block.
void dp_coulomb_tangent(dp_coulomb *c, int block, double x, double u);
/// [m/s] The worst row at (x, u), as dp_contact_residual and dp_soft_residual judge.
double dp_coulomb_residual(const dp_coulomb *c, const double *x, const double *u);
/// The same, and the states of the contacts in batches.
double dp_coulomb_residual_of_guess(uint8_t *state, const dp_coulomb *c, const double *x,
                                    const double *u);
/// What the rows do at the solution (x, u). @param but_runs those of runs are known
void dp_coulomb_states(uint8_t *state, const dp_coulomb *c, const double *x, const double *u,
                       bool but_runs);
/// Has a group of friction its impulse y within its disc of this radius, or its polygon?
bool dp_coulomb_sticks(const dp_coulomb *c, const dp_friction_group *group, const double *y,
                       double radius);
/// F at (x, u). @return Σ a F², what line searches descend on
double dp_coulomb_evaluate(dp_coulomb *c, double *F, const dp_coulomb_map *map, const double *x,
                           const double *u);
/// The Newton step dx from (x, u), where F is as dp_coulomb_evaluate left it in c->F.
/// @return false where the matrix is singular
bool dp_coulomb_direction(dp_coulomb *c, double *dx, const dp_coulomb_map *map, const double *x,
                          const double *u);
/// Its three parts, from where F need not be known: F, q and C of dx = q − C du; the factors of
/// M̃ + Gᵀ C G; dx.
void dp_coulomb_linearise(dp_coulomb *c, const dp_coulomb_map *map, const double *x,
                          const double *u);
/// The same where F is as dp_coulomb_evaluate left it in c->F.
void dp_coulomb_linearise_known(dp_coulomb *c, const dp_coulomb_map *map, const double *x,
                                const double *u);
bool dp_coulomb_factor(dp_coulomb *c);
void dp_coulomb_step(dp_coulomb *c, double *dx);
/// v = (M̃ + Gᵀ C G)⁻¹ force by the factors; not of links
void dp_coulomb_solve_factored(const dp_coulomb *c, double *v, const double *force);

/// Newton steps from c->x, at most `most` factorizations, until `bad` in a row were no gain. c->x
/// ends anywhere. @return whether the tolerance was met
bool dp_coulomb_newton(dp_coulomb *c, int most, int bad);
/// Gauss–Seidel iterations and Newton steps in turn, from c->x. @return whether the tolerance was
/// met
bool dp_gauss_seidel_newton(dp_coulomb *c, int max_factorizations);
/// May a block act on what it meets, by the C of its rows?
static inline bool dp_coulomb_pushes(const dp_coulomb *c, const double *C, int nrow)
{
    bool any = C[0] != 0.0; // a contact without a normal has no friction
    for (int i = 1; c->law.bound && !any && i < nrow; ++i) {
        any = C[i * nrow + i] != 0.0; // but in a disc that is given
    }
    return any;
}

/// Do rigid rows contradict each other? Then what they ask for in c->soft is changed to what they
/// can have. c->x and c->u end anywhere. @return [m/s] by how much they do, 0: not to be seen
/// @param most factorizations
double dp_relax_rows(dp_coulomb *c, int most);

#endif
