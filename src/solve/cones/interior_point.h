// A convex quadratic program over a product of cones,
//
//     min ½ xᵀP x + cᵀx + ½ zᵀR z,   s = A x + R z − b ∈ C,   z ∈ C* the multipliers,        (CI 1)
//
// P and R positive semidefinite, decided by an interior-point method on its homogeneous embedding:
// the method that finds a solution also finds that there is none.
#ifndef DP_SOLVE_INTERIOR_POINT_H
#define DP_SOLVE_INTERIOR_POINT_H

#include <stddef.h>

/// Rows of a cone of Lorentz, s_0 ≥ ‖s_1 …‖, and so is z; of one row: s, z ≥ 0. No more than
/// DP_INTERIOR_WIDEST.
enum { DP_INTERIOR_WIDEST = 3 };
typedef struct dp_interior_cone {
    int first, size;
} dp_interior_cone;

typedef struct dp_interior_program {
    int n, m;                     // variables, rows
    const double *P;              // n × n, symmetric
    const double *c;              // n
    const double *A;              // m × n by rows
    const double *b;              // m
    const double *R;              // m
    const dp_interior_cone *cone; // rows that are in none are equations: s = 0, z is free
    int ncone;
    double centring; // at least so much of the gap remains of a step: 0.1 and more keep to the
                     // central path, where z is off by the gap, not by its root. Else 0
    double light; // cones with a ‖W⁻¹‖ up to this are eliminated: ∞ is fastest; beyond 1e3
                  // digits of P, or of x where it is not unique, are lost
} dp_interior_program;

typedef struct dp_interior_result {
    double *x, *z; // n, m: the best point
    double *ray;   // m, in C*: what z tends to, of unit size
    double rest;   // the largest of Px + c − Aᵀz and Ax + Rz − b − s, which (x, z) leaves
    double off;    // how far it is from a solution: of that and √(sᵀz) the larger; of that and
                   // sᵀz near the central path
    double size;   // ‖z‖
    double proof; // bᵀ ray over ‖(Aᵀ ray, R ray)‖: without bound where (CI 1) is infeasible
    int iterations;
} dp_interior_result;

/// It takes no more.
enum { DP_INTERIOR_ITERATIONS = 80 };

/// Bytes of scratch for dp_interior_solve.
size_t dp_interior_memory(int n, int m, int ncone);

/// Best with P, A, b and c about 1 in size. @param out x, z and ray are the caller's
/// @param memory aligned for doubles
void dp_interior_solve(dp_interior_result *out, const dp_interior_program *p, void *memory);

#endif
