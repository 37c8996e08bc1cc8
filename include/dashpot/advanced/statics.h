// Reactions at one moment, and which of them rigid bodies do not determine.
//
// A door on two hinges, a table on four legs, a planar four-bar linkage: equilibrium alone does not
// say how such supports share their load. Every number that a simulation gives for it is a choice.
// Here every joint is taken apart: each body has six equations, each joint 6 − dof unknown
// components of force and moment, and so have welds, equalities, limits that are reached, dry
// friction and contacts. With x the components, equilibrium is
//
//     Gᵀ x = f,                                                                          (RS 1)
//
// f the loads: gravity, applied forces, actuators, springs, dampers, and the inertia of the
// accelerations that rigid bodies have at this moment. The null space of Gᵀ is what equilibrium
// leaves open. Derivation, units, limits: docs/forces.md.
//
//     dp_statics *s;
//     dp_statics_create(&s, d, NULL, NULL);
//     printf("%d of %d undetermined\n", dp_statics_info_of(s)->nullity, dp_statics_count(s));
#ifndef DASHPOT_ADVANCED_STATICS_H
#define DASHPOT_ADVANCED_STATICS_H

#include <dashpot/sim.h>

DP_BEGIN_C

typedef struct dp_statics_options {
    double length;    ///< [m] > 0: a moment counts in norms as the force that makes it on this arm.
                      ///< 0, the default: the root mean square of the arms from the reactions to
                      ///< the centres of mass of the bodies they act on
    double tolerance; ///< [1] singular values of Gᵀ up to this, over the largest, are zero. Far
                      ///< above round-off, far below what a mechanism has. Default 1e-9
    double touch;     ///< [m, rad] contacts and limits whose gap is not above this count as closed.
                      ///< Default 1e-7
    bool ranges;      ///< look for the smallest and largest values. Default true
    long long work; ///< multiplications that may be spent on them; what is left then is reported to
                    ///< be unknown. Default 5e9, some seconds
} dp_statics_options;
DP_API dp_statics_options dp_statics_options_default(void);

/// What holds a component within bounds.
typedef enum dp_reaction_bound {
    DP_REACTION_BOUND_FREE,     ///< nothing: a joint pushes and pulls
    DP_REACTION_BOUND_PUSHES,   ///< ≥ 0: contact, limit
    DP_REACTION_BOUND_LIMITED,  ///< within [−limit, limit]: dry friction that sticks
    DP_REACTION_BOUND_FRICTION, ///< within `limit` times the normal of its contact, with the other
                                ///< component of its kind in an ellipse
    DP_REACTION_BOUND_FOLLOWS,  ///< friction that slides: `limit` times the normal, the sign
                                ///< included
} dp_reaction_bound;

/// One component of a reaction. Forces act on body `on`, the opposite ones on body `by`.
typedef struct dp_reaction {
    bool joint;           ///< of what connects `on` to its parent `by`: its joints, or where it has
                          ///< none a weld. Else of a row
    dp_row_source source; ///< of a row
    int element;         ///< of a row: as in dp_row_info; contacts: their number among those of the
                         ///< report; joints: the first joint of the body, −1: a weld
    int component;       ///< of a row: as in dp_row_info; contacts: 0 normal, 1 and 2 friction, 3
                         ///< torsion, 4 and 5 rolling; joints: 0 … 5 − dof
    dp_geom_id geom[2];  ///< of a contact, A and B; else index −1
    dp_body_id on, by;   ///< index −1: not one body, as for tendons
    bool moment;         ///< [N m], else [N]
    dp_v3 point;         ///< [m] where it acts; world
    dp_wrench direction; ///< what a unit of it does about `point`, world axes. Zeros: as for `on`
    dp_reaction_bound bound;
    double limit; ///< of the bound

    bool determined;   ///< equilibrium determines it
    double freedom;    ///< [1] how much of it lies in the null space: 0 determined, 1 wholly open
    double least_norm; ///< [N, N m] in the admissible reaction of minimum norm Σ force² + Σ
                       ///< (moment/length)²
    double lowest, highest; ///< [N, N m] among all admissible reactions; may be infinite
    bool range_known;       ///< false: not looked for, or the work was spent
} dp_reaction;

typedef struct dp_statics_info {
    int nequation;  ///< six for each body that moves
    int ncomponent; ///< unknown components, those that follow others left out
    int rank;       ///< of Gᵀ
    int nullity;    ///< ncomponent − rank: dimension of the null space
    int mobility;   ///< nequation − rank: instantaneous degrees of freedom. −1 where friction
                    ///< slides: then accelerations are unknowns, too, and rank is that of both
    int nundetermined;   ///< components with a part in the null space
    bool motion_open;    ///< reactions between which equilibrium cannot choose make different
                         ///< motions: friction that slides depends on them
    double length;       ///< [m] of the norm
    double smallest;     ///< [1] the smallest singular value that counts, over the largest
    double largest_zero; ///< [1] the largest that does not. The rank is sure where they are far
                         ///< apart
    double tolerance;    ///< between the two
    bool admissible;     ///< some reaction holds the loads and keeps all bounds
    double missed;       ///< [N] how far least_norm is from holding the loads
    double range_gap;    ///< [N] by how much ranges may be too narrow
    int unknown_ranges;  ///< components whose range is not known
    dp_outcome outcome;  ///< of the search for accelerations
    double residual;     ///< [m/s²] of it
    int impacts;         ///< contacts and limits that close with a speed, as if nothing struck
} dp_statics_info;

/// A report on reactions. It stands by itself: the model and the data are not kept.
typedef struct dp_statics dp_statics;

/// Make the report for the present state of `d`, which is not changed. Its callbacks are run.
/// Accelerations are those of rigid bodies: contacts, limits and elastic bearings that are closed
/// do not give. The caller owns *out (dp_statics_destroy). @param options, allocator may be NULL
/// @return DP_ERROR_ARGUMENT for options that make no sense; what dp_forward returns; *out is then
///         NULL
DP_API DP_NODISCARD dp_status dp_statics_create(dp_statics **out, const dp_data *d,
                                                const dp_statics_options *options,
                                                const dp_allocator *allocator);
DP_API void dp_statics_destroy(dp_statics *s); ///< NULL is allowed

DP_API const dp_statics_info *dp_statics_info_of(const dp_statics *s);
DP_API int dp_statics_count(const dp_statics *s);
/// Joints first, by body, then rows. Borrowed; NULL: out of range.
DP_API const dp_reaction *dp_statics_reaction(const dp_statics *s, int index);

DP_END_C
#endif
