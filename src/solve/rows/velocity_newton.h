// Islands with many more rows than velocities, all of them regularised: a cube on a thousand
// springs.
//
// There the law is best solved for the velocities. With γ(u) what the spring and dashpot of a row
// give at velocity u, held within its range,
//
//     F(v) = ½ (v − v_free)ᵀ M̃ (v − v_free) − Σ ∫ γ(G v)                                (VN 1)
//
// is convex, with a gradient that is linear in pieces. Newton's method with an exact line search
// ends after finitely many steps, each linear in the rows: the matrix
//
//     H = M̃ + Σ Gᵀ G/R  over the active rows                                             (VN 2)
//
// has the size of the velocities. Closing rows (u = u_stop, (SP 3)) have no compliance of their
// own; they get a small share of their mobility.
#ifndef DP_SOLVE_ROWS_VELOCITY_NEWTON_H
#define DP_SOLVE_ROWS_VELOCITY_NEWTON_H

#include "linalg/branch.h"
#include "solve/law.h"

typedef struct dp_velocity_newton {
    const dp_step_problem *p;
    dp_branch tree, dense;        // sparsity of M̃ and H; that of H is full
    double *LD, *H;               // factors of M̃ and H
    dp_soft *law;                 // nrow
    double *w, *R_closing;        // nrow: (G M̃⁻¹ Gᵀ)(i, i), the compliance of closing rows
    double *gamma, *u, *du, *gap; // nrow
    uint8_t *mode, *before;       // nrow: dp_row_mode at u, and in H
    double *v, *dv, *gradient;    // nv
    double linear, curvature;     // of F along dv, without the rows
    int iterations, max_iterations;
} dp_velocity_newton;

/// Is the island one for this method: rows enough, and each of them compliant?
bool dp_velocity_newton_applies(const dp_step_problem *p);

/// Takes less of the arena than dp_compliant_begin for the same problem. @return DP_ERROR_NUMERIC
/// for an M̃ that is not positive definite
DP_NODISCARD dp_status dp_velocity_newton_begin(dp_velocity_newton *s, const dp_step_problem *p,
                                                const dp_law_options *opt, dp_arena *scratch);
/// The same for new numbers in the problem.
DP_NODISCARD dp_status dp_velocity_newton_restart(dp_velocity_newton *s, const dp_law_options *opt);
/// @param warm nrow impulses as a first guess; NULL: none
void dp_velocity_newton_solve(dp_step_solution *out, dp_velocity_newton *s, const double *warm,
                              const dp_law_options *opt, dp_solve_info *info);

#endif
