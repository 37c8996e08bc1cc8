// Constants of this folder, each with its unit, its reason, and in brackets what moves with it: a
// test that fails when it is changed by a factor of 1e4, or to 1 for counts, and which way. Where
// none does, only the cost or the last digits depend on it.
#ifndef DP_SOLVE_ROWS_ROW_CONSTANTS_H
#define DP_SOLVE_ROWS_ROW_CONSTANTS_H

#include <float.h>

// ---- newton

enum {
    // One for each piece that the line crosses, hardly ever ten. [test_searches]
    DP_LINE_STEPS = 60,
    // With an exact search hardly ever ten.
    DP_PROXIMAL_STEPS = 60,
};

// ---- active_factor

/// [1] R/(w + R) up to here is rigid.
#define DP_RIGID 1e-13
/// [1] A pivot of S, scaled to unit diagonal, that is below this is round-off of the elements of W.
/// Springs that repeat each other leave pivots of about R/w, which may come close: refinement
/// decides then.
#define DP_LEAST_PIVOT (32.0 * DBL_EPSILON)
/// [1] Rigid rows that repeat each other leave nothing but round-off, grown by the condition of the
/// rows before; springs that have come so near to rigid count as rigid beside them. [less:
/// test_law, tables of many legs]
#define DP_LEAST_PIVOT_RIGID 1e-13
/// [1] With complete pivoting, for each of n + 4 subtractions from elements of size 1.
#define DP_LEAST_PIVOT_ANY (8.0 * DBL_EPSILON)

// ---- row_mode

/// [1] Velocities of rows carry round-off of this size relative to the terms that they are sums of,
/// some 250 roundings of one sign: a row that would change its mode for less keeps it. [less:
/// test_law, tables of many legs; more: test_dry_friction]
#define DP_ROUND_OFF (256.0 * DBL_EPSILON)

// ---- refine

/// [1] Corrections shrink by about the same factor from pass to pass; what the next one would be is
/// the error that is left: to the last digit. [more: test_law, springs that fight]
#define DP_ERROR_LEFT 1e-16
/// [1] Where no pivot of M̃ or S has lost more than three digits, passes in double may do. [less:
/// test_law, soft copies]
#define DP_GOOD_PIVOT 1e-3
/// [1] They do where the correction, relative to the impulses, is no larger: what it leaves is of
/// that size at most.
#define DP_DOUBLE_ENOUGH 3e-14
/// [1] A matrix S of unit diagonal has no eigenvalue below det S/e: the others have at most the sum
/// n, and hence at most the product (n/(n−1))^(n−1) < e. Above these bounds the factors have lost
/// two digits at most, and the last digits of the velocities of rows are all there is to refine.
/// [cost: linkages; the bricard without it takes 5 % more]
#define DP_GREAT_DETERMINANT 2e-2
#define DP_GREAT_PIVOT 1e-2
/// [1] A pass that does not make corrections smaller than this times the last does not converge.
#define DP_CONTRACTION 0.25
enum {
    // In double: one mostly does. [cost: a chain of 50 pinned bodies takes 48 % more with none]
    DP_DOUBLE_PASSES = 2,
    // In double-double: two or three mostly do. [test_law, springs that fight]
    DP_DOUBLE_DOUBLE_PASSES = 30,
};

// ---- compliant

enum {
    DP_NEWTON_STEPS = 10,   // it settles in one to four, or hardly ever
    DP_REFINEMENTS = 4,     // that may each reveal a row in the wrong mode, hardly ever two
    DP_CROSSOVER_STEPS = 4, // from modes that should be right
    DP_SHIFTS = 6,          // proximal compliances, down to 1e-12
    DP_RELAXATIONS = 5,     // of rows that contradict each other; one mostly does
    DP_APPROACHES = 4,      // proximal steps after each
};
/// [1] Proximal compliance relative to w + R: from a problem that is easy down to one that differs
/// from the true one by little more than round-off.
#define DP_FIRST_SHIFT 1e-2
#define DP_SHIFT_RATIO 1e-2
/// [1] The same in relaxations: their steps tend to the least change of velocities. [more:
/// test_law, a body between two jaws]
#define DP_RELAXATION_SHIFT 1e-6
/// [1] The same for impulses of minimum norm: it leaves modes as they are in the limit, and is
/// large beside round-off.
#define DP_MINIMUM_NORM_SHIFT 1e-7
/// [1] Slack of a weakly active row, relative to the terms of its velocity. Far above round-off: to
/// take one more costs work, to overlook one makes impulses depend on the start.
#define DP_WEAKLY_ACTIVE 1e-10

#endif
