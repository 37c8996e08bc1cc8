// Islands with many more rows than velocities, all of them springs: a cube on a thousand elements.
//
// There the law is best seen from the velocities. With γ(u) what the spring and dashpot of a row
// give at velocity u, held within its range,
//
//     F(v) = ½ (v − v_free)ᵀ M̃ (v − v_free) − Σ ∫ γ(G v)                                (WI 1)
//
// is convex, with a gradient that is linear in pieces. Newton's method with an exact line search
// ends after finitely many steps, each linear in the rows: the matrix
//
//     H = M̃ + Σ Gᵀ G/R  over the rows that push                                          (WI 2)
//
// has the size of the velocities. Rows that stop (u = u_stop, (SP 3)) have no compliance of their
// own; they get STOP_SHARE of what their velocities give.
#ifndef DP_SOLVE_WIDE_H
#define DP_SOLVE_WIDE_H

#include "solve/law.h"

typedef struct dp_wide {
    const dp_step_problem *p;
    int nv, nrow;
    double *Mt, *H;               // nv × nv; H holds its Cholesky factor
    double *R, *u_hat, *u_stop;   // nrow
    double *R_stop;               // nrow
    double *gamma, *u, *du, *gap; // nrow
    uint8_t *stand, *before;      // nrow
    double *v, *dv, *gradient;    // nv
    double *pivot;                // nv: 1/(diagonal of the factor)
    int iterations, max_iterations;
} dp_wide;

/// Is the island one for this method: rows enough, and each of them compliant?
bool dp_is_wide(const dp_step_problem *p);

/// Takes less of the arena than dp_compliant_begin for the same problem.
DP_NODISCARD dp_status dp_wide_begin(dp_wide *w, const dp_step_problem *p,
                                     const dp_law_options *opt, dp_arena *scratch);
/// The same for new numbers in the problem.
void dp_wide_restart(dp_wide *w, const dp_law_options *opt);
/// @param warm nrow impulses as a first guess; NULL: none
void dp_wide_solve(dp_step_solution *out, dp_wide *w, const double *warm, const dp_law_options *opt,
                   dp_solve_info *info);

/// w = (G M̃⁻¹ Gᵀ)(i, i). @param diagonal nrow
void dp_wide_mobility(double *diagonal, dp_wide *w);

#endif
