// Impacts with restitution. The step has been solved; where it brings contacts together that have a
// restitution, the velocities that end it, and the way that bodies go in it, are found here
// instead.
//
// In an island with a contact that closes after the share τ of the step:
//
//     M̃ (v⁻ − v₀) = τ M̃ (v* − v₀) + Gᵀ γ¹         before: without the contacts that close    (IM 0)
//     M̃ (v^c − v⁻) = Gᵀ γ^c                        compression: closed gaps taken for 0      (IM 1)
//     v⁺ from v^c                                  restitution: (IM 2), (IM 3) or (IM 4)
//     M̃ (v₁ − v⁺) = (1 − τ) M̃ (v* − v₀) + Gᵀ γ³   after: closed contacts rigid              (IM 5)
//     Δq = h (τ v⁻ + (1 − τ) v₁)                   the displacement that goes with it        (IM 6)
//
// The sum over the phases is M̃ (v₁ − v*) = Gᵀ γ: momentum balances as in any other step, and with
// (IM 6) forces do the work τ h F·v⁻ + (1 − τ) h F·v₁ on the way, which is no less than what they
// add to the kinetic energy. The rule is one of
//
//     expedient   v⁺ = v^c + e M̃⁻¹ Gᵀ γ^c = (1 + e) v^c − e v⁻,   e the smallest of those that
//                 close: no energy is gained, for any law that is dissipative in (IM 1)      (IM 2)
//     poisson     M̃ (v⁺ − v^c) = Gᵀ γ^d + G_nᵀ e γ_n^c, γ^d by the law again                 (IM 3)
//     newton      (IM 1) with u_n⁺ ≥ −e u_n⁻ for those that close                            (IM 4)
//
// (IM 2) and (IM 3) are [AnitescuPotraStewart1998, §4, (27)–(28)]; (IM 3) and (IM 4) can gain
// energy where contacts, or normal and tangent, couple: that is reported.
//
// Springs, dashpots and bounded forces act for the time of each phase: over the share s of the step
// a row of stiffness k and damping b is one of s²k, sb and the gap φ/s over the whole of it.
#ifndef DP_SOLVE_IMPACT_H
#define DP_SOLVE_IMPACT_H

#include "base/memory.h"
#include "solve/law.h"

#include <dashpot/advanced/law.h>

/// What an impact needs to know of the step.
typedef struct dp_impact_step {
    const dp_step_problem *p;
    const dp_step_solution *found; // of it
    const double *restitution;     // nblock: 0 … 1 of contacts that obey the rule, else negative
    const uint8_t *soft;           // nrow: its impulse takes time
    const dp_law_options *opt;
    double gap; // [m] gaps up to this are closed at the end of the step
    dp_arena *arena;
    dp_thread_pool *workers;
} dp_impact_step;

/// Room for the impacts of problems up to a size, and what was found.
typedef struct dp_impact {
    int count;          // islands with an impact; 0: nothing else below counts
    bool solved;        // the law was met throughout
    int gains;          // islands that have gained energy
    int fallbacks;      // islands in which (IM 2) was used, since their rule has no answer
    double lost;        // [J] in contacts and ends of ranges
    double moved;       // [J] what moving surfaces gave
    double *v;          // nv: v₁ of struck trees
    double *v_after;    // nv: v⁺
    double rebound;     // [J] what the rebound took, from v⁻ to v⁺
    double *v_move;     // nv: Δq/h of (IM 6), of struck trees
    double *gamma;      // nrow: impulses of rows in struck islands, over all phases
    uint8_t *struck;    // ntree: whether a tree is
    uint8_t *closes;    // nblock: contacts that obey the rule
    uint8_t *accounted; // nrow: what it takes is in `lost`
    int passes, iterations, factorizations;

    // scratch
    dp_step_problem own;
    dp_step_solution found;
    dp_row *row;
    double *v_free, *v_before;       // nv
    double *u, *u_before, *compress; // nrow
    double *factor;                  // as Mt
    int *island;                     // ntree
    int *block_island, *row_island;  // nblock, nrow
    int *velocity_island;            // nv
    double *restitution;             // islands
    double *tau;                     // islands
    double *loss, *scale;            // islands
    uint8_t *wanted;                 // islands
} dp_impact;

void dp_impact_carve(dp_impact *impact, dp_carver *c, const dp_step_size *max);

/// Does a block close with more than the speed [m/s], so that it pushes or ends within the gap [m]?
bool dp_impact_closes(const dp_step_problem *p, const dp_step_solution *found, int block,
                      double speed, double gap);

/// What becomes of a step with impacts. The task is left with another problem: no more can be asked
/// of it than to be restarted.
/// @return DP_ERROR_CAPACITY as dp_law_restart
DP_NODISCARD dp_status dp_impact_solve(dp_impact *out, dp_law_task **task,
                                       const dp_impact_step *step);

/// Shorten the way `v_move` towards that of the step itself, island by island, until it passes no
/// end of a range that the step keeps.
void dp_impact_keep_gaps(dp_impact *out, const dp_impact_step *step);

/// The velocities that end a step when gaps have no part in them: the law at the end of the step,
/// with every gap that is closed taken for 0. As (IM 1) with v⁻ = v_free, in all islands.
DP_NODISCARD dp_status dp_impact_project(dp_impact *out, dp_law_task **task,
                                         const dp_impact_step *step);

#endif
