// All constants of the contact solver that are chosen rather than derived, by what they are for.
// "See" names where to look when one changes: a test, or the scenes of bench/robots.py, by their
// count of factorizations, which is in brackets where it was measured.
//
// No constants in this sense: exact numbers of formulas (0, 0.5, 1, 2, …), counts of operations,
// and sizes of arrays.
#ifndef DP_SOLVE_CONTACT_CONSTANTS_H
#define DP_SOLVE_CONTACT_CONSTANTS_H

#include <float.h>

// ---- digits

/// [1] Of the largest velocity that an impulse makes: what sums of impulses are off by. A few bits.
/// See: test_heavy_on_light.
#define DP_ROUND_OFF (4.0 * DBL_EPSILON)
/// [1] Of the tolerance: what factorizations are spent for at rest; squared, what refinement is.
/// So far a guess stays valid for many steps. See: test_contact_scenes.
#define DP_GOAL 1e-3
/// [1] A share that does not matter: of the first residual or of the approach, while things move;
/// of the slope, what a step must gain. See: slow_balls_in_bin.
#define DP_DIGITS 1e-4
/// [m/s] The least approach that impulses and residuals are measured against: gravity makes as much
/// in a short step. See: slow_balls_in_bin.
#define DP_LEAST_SPEED 1e-3
/// [1] Of an impulse over its mobility: what moves nothing, of a wedge, or of a sum of squares that
/// has settled. Above the round-off of products with W. See: test_proximal_newton.
#define DP_STILL 1e-9

// ---- Newton steps

/// [1] Of the residual: a step that leaves more makes no progress. A step with old factors costs
/// much less than new ones, and a larger or a smaller part is as good. See: robots.
#define DP_PROGRESS 0.5
/// [1] Of a shift, a residual or a tolerance: a digit less. What s falls by, how well the problem
/// of a centre is solved, what rows may be off by. See: robots (a fall by 0.01 misses problems).
#define DP_FALL 0.1
/// Of a step: the shortest is 2⁻¹² of it. See: slow_random_impacts.
#define DP_HALVINGS 12
/// Newton steps for one problem of a search: few that end take more. See: slow_law_random.
#define DP_NEWTON_STEPS 30
/// Steps in a row with the same factors. See: robots.
#define DP_SAME_FACTORS 8
/// Steps or attempts in a row without gain, after which there is none to come. See: robots.
#define DP_PATIENCE 5
/// Factorizations of a centre after which s falls as planned, else by half. See: robots (8: 4 %).
#define DP_EASY 6

// ---- proximal compliance s, of mobilities

/// [1] Where a search begins: contacts as soft as 1 % of their bodies change few modes at once.
/// See: robots (3e-2 and 3e-3: 10 % more).
#define DP_FIRST_SHIFT 1e-2
/// [1] Where a search ends: below, W + s is W to round-off. See: test_heavy_on_light.
#define DP_LEAST_SHIFT 1e-12
/// [1] And where a failing one does: nothing moves any more. See: slow_law_random.
#define DP_MOST_SHIFT 1e6
/// [1] ρ a = max(1, DP_REACH/s): projections look as far ahead as centres move. See: robots (0.1:
/// 8 % more).
#define DP_REACH 0.03
/// [1] s of full Newton steps: all digits in a few steps with the same factors, and pivots that
/// redundant contacts leave half of theirs. See: test_contact_stages.
#define DP_NEWTON_SHIFT 1e-6
/// [1] Part of M̃ beside Gᵀ D⁻¹ G, which is singular without it; iterated away. See:
/// test_law_vi_least.
#define DP_SLIGHT 1e-8

// ---- budgets of the stages: factorizations (coulomb_stages.c)

/// Full Newton steps: what they have not solved by then goes in cycles. See: robots.
#define DP_NEWTON_BUDGET 8
/// To follow what changed since the last step: of robots none took more. See: robots.
#define DP_FOLLOW_BUDGET 40
/// Of each of the searches after that: of random impacts 1 in 400 takes more. See:
/// slow_random_impacts.
#define DP_SEARCH_BUDGET 500
/// Of Newton's method on velocities. See: test_heavy_on_light.
#define DP_REGULARISE_BUDGET 100

// ---- where there is no solution

/// [1] Of the approach: impulses that make such velocities grow without end. See:
/// test_contact_stages.
#define DP_HUGE_PUSH 1e4
/// [1] Velocities that meet all rows would be so far away, over √(zᵀe), that no bodies have them.
/// See: slow_law_random (rows that contradict each other).
#define DP_FAR 1e6
/// [1] The same, if they are so near that there are some. See: slow_law_random.
#define DP_NEAR 1e2

// ---- Gauss–Seidel iterations and large islands

/// Iterations between Newton steps: as much work as two of them among 300 spheres. See:
/// slow_contact_collapse.
#define DP_ITERATIONS 96
/// Newton steps between them: more gain nothing that iterations undo. See: slow_contact_collapse.
#define DP_COUPLING_STEPS 3
/// Rounds of both in an attempt. See: slow_contact_collapse.
#define DP_ROUNDS 150
/// Iterations that are worth a beginning: Newton's method solves islands for which it is less.
/// See: slow_balls_in_bin.
#define DP_WORTHWHILE 512
/// Times as many among rigid contacts. See: slow_balls_in_bin (rigid balls).
#define DP_RIGID_TIMES 8
/// Iterations that mend a solution towards a loose tolerance. See: slow_balls_in_bin.
#define DP_FEW_ITERATIONS 16
/// [1] Of the approach: a tolerance that iterations alone meet. See: slow_balls_in_bin.
#define DP_LOOSE 1e-5
/// Iterations that agree until the way that impulses go on is half of the last. See:
/// test_gauss_seidel_simd.
#define DP_SLOWLY 3.0
/// Iterations after which impulses go on by less, which ends what changes to and fro, and after
/// eight times as many updates go a part of their way. See: slow_balls_in_bin.
#define DP_SOON 128
/// [1] Of the last way: how far impulses go on then, and of an update in the end. See:
/// slow_balls_in_bin (rigid balls).
#define DP_MOMENTUM 0.8

// ---- islands at rest

/// [1] Of the tolerance: by how much a guess may change velocities at rest. See:
/// test_contact_scenes.
#define DP_REST 1e-5
/// [1] Times the round-off: the last digits of heights of some metres, over h. See: scene wall.
#define DP_OF_GAPS 32.0
/// Bits of rounded numbers: few change at rest, and the shifts of Newton's method are hundreds of
/// times as large. See: test_factor_cache.
#define DP_CACHE_BITS 27
/// Bits of the size of friction at its limit. See: test_factor_cache.
#define DP_SIZE_BITS 8
/// [1] Off powers of two, where usual sizes are, such that their last digit decides nothing. See:
/// test_factor_cache.
#define DP_OFF_POWERS 1.37

#endif
