// A convex quadratic program over a cone, small and dense:
//
//     minimise ½ xᵀ H x + gᵀ x   with   s = C x − d ∈ K,
//
// where K is `linear` half-lines s ≥ 0 and then `cones` cones of three rows, s₀ ≥ ‖(s₁, s₂)‖.
// Its solution has z ∈ K with
//
//     H x + g = Cᵀ z,   sᵀ z = 0.                                                        (CP 1)
//
// Numbers have 106 bits: weights of 1 beside 1e13 are what such programs come with.
#ifndef DASHPOT_CLI_CONVEX_CONE_H
#define DASHPOT_CLI_CONVEX_CONE_H

#include "methods/twofold.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct cli_cone_program {
    int n, linear, cones;
    const cli_twofold *H, *g; // n × n, n
    const cli_twofold *C, *d; // rows × n, rows
    double convexity;         // > 0, not above the least eigenvalue of H
} cli_cone_program;
int cli_cone_rows(const cli_cone_program *p);

/// How well (x, z) meets (CP 1), always with 106 bits.
typedef struct cli_cone_residual {
    double stationarity; // ‖H x + g − Cᵀ z‖ over the largest of what cancels there
    double primal;       // how far s is out of K, at most
    double dual;         // how far z is out of K, over its size
    double gap;          // sᵀ z
    double error;        // of x: not farther than this from the solution
} cli_cone_residual;
cli_cone_residual cli_cone_judge(const cli_cone_program *p, const cli_twofold *x,
                                 const cli_twofold *z);

typedef struct cli_cone_solution {
    cli_twofold *x, *z; // n, rows
    int iterations;
    cli_cone_residual residual;
} cli_cone_solution;

/// Solve it to `tolerance`, a bound of the error of x; or as well as it can, which the residual
/// says. False: out of memory.
bool cli_cone_solve(cli_cone_solution *out, const cli_cone_program *p, double tolerance);
/// The same method in double alone.
bool cli_cone_solve_plain(cli_cone_solution *out, const cli_cone_program *p, double tolerance);

#endif
