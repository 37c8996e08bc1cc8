// Impacts of rigid contacts: what is thrown back. The step that closes a gap has been solved; its
// velocities bring contacts together, and here is what they do when they meet.
//
// In an island with a contact that closes, from velocities v⁻ just before the impact:
//
//     M̃ (v^c − v⁻) = Gᵀ γ^c,   γ^c by the law with every gap that is closed taken for 0     (IM 1)
//
// is the compression, and what is thrown back follows one of three rules:
//
//     expedient   v⁺ = v^c + e M̃⁻¹ Gᵀ γ^c = (1 + e) v^c − e v⁻,   e the smallest of those that
//                 close: no energy is gained, for any law that is dissipative in (IM 1)      (IM 2)
//     poisson     M̃ (v⁺ − v^c) = Gᵀ γ^d + G_nᵀ e γ_n^c, γ^d by the law again                 (IM 3)
//     newton      (IM 1) with u_n⁺ ≥ −e u_n⁻ for those that close                            (IM 4)
//
// (IM 2) and (IM 3) are [AnitescuPotraStewart1998, §4, (27)–(28)]; (IM 3) and (IM 4) can gain
// energy where contacts, or normal and tangent, couple: that is noted.
//
// v⁻ is where the mechanism is when the first of them closes, after the share τ of the step: what
// forces give until then, v₀ + τ (v_free − v₀), and what the rows that were closed before make of
// it. What forces give after that is left out, with the way that belongs to it: so no height is
// won.
#ifndef DP_SOLVE_IMPACT_H
#define DP_SOLVE_IMPACT_H

#include "base/memory.h"
#include "solve/law.h"

/// Room for the impacts of problems up to a size, and what was found.
typedef struct dp_impact {
    int count;       // islands that are struck; 0: nothing else below counts
    bool solved;     // the law was met throughout
    int gains;       // islands that have gained energy
    int fallbacks;   // islands that throw back by (IM 2), since their rule has no answer
    double lost;     // [J] in contacts and ends of ranges
    double moved;    // [J] what moving surfaces gave
    double *v;       // nv: after the impact, of struck trees
    double *gamma;   // nrow: impulses of rows in struck islands, before and in the impact
    uint8_t *struck; // ntree: whether a tree is
    int passes, iterations, factorizations;

    // scratch
    dp_step_solution found;
    dp_row *row;
    double *v_free, *v_before;        // nv
    double *u, *u_before, *compress;  // nrow
    double *factor;                   // as Mt
    int *island;                      // ntree
    int *block_island;                // nblock
    double *restitution, *tau, *loss; // islands
    uint8_t *wanted;                  // islands
    uint8_t *closes;                  // nblock
} dp_impact;

void dp_impact_carve(dp_impact *impact, dp_carver *c, const dp_step_size *max);

/// Is there a contact that closes, pushes and throws back?
/// @param restitution nblock: 0 … 1 of contacts, negative of other rows
bool dp_impact_any(const dp_step_problem *p, const dp_step_solution *found,
                   const double *restitution, double speed);

/// What becomes of `found`, the solution of `p` by `task`. `task` is left with other numbers in it:
/// no more can be asked of it. @param gap [m] gaps up to this are closed at the end of the step
DP_NODISCARD dp_status dp_impact_solve(dp_impact *out, dp_law_task *task, const dp_step_problem *p,
                                       const dp_step_solution *found, const double *restitution,
                                       const dp_law_options *opt, double gap);

/// The velocities that end a step when gaps have no part in them: the law at the end of the step,
/// with every gap that is closed taken for 0. As dp_impact_solve with v⁻ = v_free and e = 0, in all
/// islands.
DP_NODISCARD dp_status dp_impact_project(dp_impact *out, dp_law_task *task,
                                         const dp_step_problem *p, const dp_step_solution *found,
                                         const dp_law_options *opt, double gap);

#endif
