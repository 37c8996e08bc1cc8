// One random mechanism with rows, run for a while: does it stay bounded, and are its rows solved?
//
// What is bounded is E = kinetic + gravity + spring, which is what a mechanism can do harm with, by
//
//     E(t) ≤ E(0) + W(t) + C · scale,   scale = T(0) + S(0) + m g · reach,
//
// W(t) being the most that drives have done up to t since any earlier moment, those between the
// parts of a step included. What they took is not held against the mechanism: a servo that yields
// is a spring. Left out is what springs of rows hold, for the same reason: where they are too stiff
// for the step (h² k w > 1), a gap of round-off or one that contradicts another row holds any
// amount of energy, and the implicit step does not give it back.
#ifndef DP_TESTS_ROW_DRAW_H
#define DP_TESTS_ROW_DRAW_H

#include <stdint.h>

typedef struct row_tally {
    long long steps, unsolved, contradictory;
    long long limited;  // trees whose energy the limit took, over all steps
    int failed;         // draws with a step that failed, or with an energy that is no number
    int beyond;         // draws whose energy is beyond the bound
    double gain;        // largest growth of the energy, of its scale
    double residual;    // [m/s] largest of steps that were not solved
    double gap;         // [m] the same
    double unexplained; // [m/s] largest residual of solved steps, beyond the contradictions told
} row_tally;

row_tally row_tally_begin(void);

/// Run the mechanism of this seed for 200 steps of its own length, add it to the tally, and print
/// what is off.
void row_draw(row_tally *t, uint64_t seed);

/// Print the sums, and require that none failed, none is beyond the bound, at most a thousandth of
/// the steps is not solved, and the solved ones are.
void row_tally_judge(const row_tally *t);

#endif
