// Do any impulses solve the law `vi` with cones on an island?
//
// Its velocities are the nearest ones, |v − v_free| by M̃, of those with G v − û ∈ K*, and impulses
// are the multipliers of that. Three things can be: there are multipliers; no velocity meets all
// rows, and a direction of impulses proves it (problem/feasibility.h); or there is a velocity, or
// are some as near to it as one likes, and multipliers only in the limit, growing without bound, as
// in the wedge of [AnitescuPotraStewart1998, (24)–(26)].
#ifndef DP_SOLVE_VI_FEASIBILITY_H
#define DP_SOLVE_VI_FEASIBILITY_H

#include <dashpot/advanced/problem.h>

typedef enum dp_vi_verdict {
    DP_VI_SOLVABLE,   // as far as the method can say
    DP_VI_INFEASIBLE, // proven
    DP_VI_WEAKLY_INFEASIBLE,
} dp_vi_verdict;

typedef struct dp_vi_decision {
    dp_vi_verdict verdict;
    double *gamma; // nrow: impulses that solve it, as well as some do
    double *ray;   // nrow: the direction in which they grow, or the proof; all zeros: solvable
    dp_ray_certificate certificate; // of the ray
    int iterations;
    int work; // the same, in iterations of a search whose factors are sparse
} dp_vi_decision;

/// Bytes of scratch; 0: the island is too large for matrices that are dense.
size_t dp_vi_feasible_memory(const dp_step_problem *p);

/// @param out gamma and ray are the caller's. @param view as for dp_problem_certify_ray_as
void dp_vi_feasible(dp_vi_decision *out, const dp_step_problem *p, dp_certify_view view,
                    void *memory);

#endif
