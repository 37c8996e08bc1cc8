// A step problem as the mixed complementarity problem of [Berard2006, (34)]: velocities and
// impulses of joints are free variables, normal impulses, impulses along r directions of friction
// and slip speeds are not below 0.
//
//     0 = M̃ (v − v_free) − W_b p_b − W_n p_n − W_f p_f
//     0 = W_bᵀ v + φ_b/h + ∂φ_b/∂t
//     0 ≤ p_n ⊥ W_nᵀ v + φ_n/h + ∂φ_n/∂t ≥ 0
//     0 ≤ p_f ⊥ W_fᵀ v + ∂φ_f/∂t + E σ ≥ 0
//     0 ≤ σ ⊥ U p_n − Eᵀ p_f ≥ 0
//
// It is put together from the public step problem alone and shares nothing with the law `lcp`,
// which has the velocities eliminated: each is judged by the other.
#ifndef DASHPOT_CLI_MIXED_H
#define DASHPOT_CLI_MIXED_H

#include <dashpot/advanced/lcp.h>
#include <dashpot/advanced/problem.h>

typedef struct cli_mixed {
    int n; // variables, the sum of the next five
    int velocities, joints, normals, along, slips;
    int springs; // soft rows, which are put to the masses: M̃ + Gᵀ G/R
    double *M, *q, *lo, *hi, *z, *w;
    int capacity;
    dp_lcp_info info;
} cli_mixed;
void cli_mixed_end(cli_mixed *m);

typedef enum cli_stabilise {
    CLI_WITH_GAPS,    // φ/h, as above
    CLI_WITHOUT_GAPS, // rates of joints and of what touches already are 0:
                      // [AnitescuPotraStewart1998]
} cli_stabilise;

/// What (34) is to say about the step problem.
typedef struct cli_mixed_options {
    int directions; // of friction in a plane, even; what moves in one direction only has two
    cli_stabilise stabilise;
    const double *gap; // nrow: gaps at the start of the step
} cli_mixed_options;

/// Put it together. Rows that no velocity meets, across the plane of a planar mechanism, are left
/// out. False: out of memory, or a row that is no joint, limit, spring or contact.
bool cli_mixed_build(cli_mixed *m, const dp_step_problem *p, const cli_mixed_options *o);
/// Solve it by Lemke's method; velocities are z[0 … velocities).
dp_status cli_mixed_solve(cli_mixed *m);

#endif
