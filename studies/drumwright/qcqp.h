// The program that [Drumwright2019, (181), (182)] has in the place of a law with friction. Forces λ
// of one-sided rows, λ_n, and of tangents, λ_t, are found as
//
//     minimise ½ (ζ ‖λ_n‖² + ‖λ_t‖² + ‖β‖²),   β = λ_t + B u_t,                       (QC 1)
//     with λ_n ≥ −K φ₁ − B_n φ̇₁,  λ_n ≥ 0,  ‖λ_t‖ ≤ μ λ_n,                            (QC 2)
//
// where u_t, φ₁ and φ̇₁ are those of the end of the step: affine in λ. Joints and springs hold as
// equations and are eliminated, also where (197), (198) forget them.
//
// What it is not: Coulomb's law. λ_n is free to be larger than the spring says, and is, wherever
// that lets friction stop the slip: β costs B u_t, and B is large.
//
// It is put together from the public step problem alone and shares nothing with the laws.
#ifndef DASHPOT_CLI_QCQP_H
#define DASHPOT_CLI_QCQP_H

#include "methods/convex_cone.h"

#include <dashpot/advanced/problem.h>

typedef struct cli_qcqp_options {
    double zeta;      // [1] > 0: weight of the normal forces; 1/h in the paper
    double damper;    // [N s/m] B ≥ 0 of tangents; 1e6/h in the paper
    double stiffness; // [N/m] K of normals that are no springs: rows are linear here
    double damping;   // [N s/m] their B_n
    double reach;     // [m] contacts with a larger gap are left out: the paper has none that do not
                      // touch
    double tolerance; // [N] of the forces
    bool plain;       // solve it in double alone
} cli_qcqp_options;

typedef struct cli_qcqp {
    int normals, tangents; // forces; tangents without friction have none
    int contacts;          // with friction and without
    double *v;             // nv [m/s] at the end of the step
    double *force;         // nrow [N]
    double *gap_rate;      // nrow [m/s] G v
    int iterations;
    cli_cone_residual residual;
    void *memory;
} cli_qcqp;
void cli_qcqp_end(cli_qcqp *q);

/// Put it together and solve it. Start with zeros; what is in *q is released.
/// False: out of memory, or a row that is no joint, limit, spring or contact of three rows.
bool cli_qcqp_solve(cli_qcqp *q, const dp_step_problem *p, const cli_qcqp_options *o);

#endif
