// How the gaps of rows bend within a step, guessed from the steps before.
#include "assemble/impulses.h"

#include <math.h>
#include <string.h>

int dp_bends_count(const dp_rows *rows)
{
    int b = rows->nblock;
    while (b > 0 && !rows->owner[b - 1].nonlinear) {
        --b;
    }
    return rows->row_start[b];
}

// The bends of the steps before, for the rows of this one: 0 for those that were not there.
static void recall(dp_impulses *next, const dp_impulses *now, const dp_rows *rows)
{
    int64_t at = 0;
    for (int i = 0; rows->row_start[i] < next->nbend; ++i) {
        const int first = rows->row_start[i], n = rows->row_start[i + 1] - first;
        const int last = dp_impulses_find(now, &at, rows->id[i], n);
        if (last >= 0 && last + n <= now->nbend) {
            memcpy(next->bend + first, now->bend + last, (size_t)n * sizeof *next->bend);
        } else {
            memset(next->bend + first, 0, (size_t)n * sizeof *next->bend);
        }
    }
}

// How the gaps of a block bend if that goes on as in the last steps: β ≈ ∇⁰β + ∇¹β + … + ∇ᵖ⁻¹β,
// Newton's extrapolation. Its error in the last step was ∇ᵖβ, which chooses p; 0 is no guess.
// Judged by the block, since components of it may pass through zero.
static void expect_block(double *out, const dp_bend *bend, const dp_row *row, int first, int n,
                         double least)
{
    double error[DP_BENDS] = {0.0};
    for (int r = first; r < first + n; ++r) {
        for (int k = 0; k < DP_BENDS; ++k) {
            error[k] += fabs(bend[r].difference[k]);
        }
    }
    int p = 0;
    for (int k = 1; k < DP_BENDS; ++k) {
        p = error[k] < error[p] ? k : p;
    }
    for (int r = first; r < first + n; ++r) {
        double next = 0.0;
        for (int k = p - 1; k >= 0; --k) {
            next += bend[r].difference[k];
        }
        out[r] = fabs(next) * row[r].len > least ? next : 0.0;
    }
}

void dp_bends_expect(double *bend, dp_impulses *next, const dp_impulses *now, const dp_rows *rows,
                     double least)
{
    recall(next, now, rows);
    for (int i = 0; rows->row_start[i] < next->nbend; ++i) {
        const int first = rows->row_start[i];
        expect_block(bend, next->bend, rows->row, first, rows->row_start[i + 1] - first, least);
    }
}

void dp_bends_forget(double *bend, dp_impulses *next, const uint8_t *of)
{
    for (int r = 0; r < next->nbend; ++r) {
        if (!of || of[r]) {
            next->bend[r] = (dp_bend){.difference = {0.0}};
            bend[r] = 0.0;
        }
    }
}

void dp_bends_note(dp_impulses *next, const double *bend)
{
    for (int r = 0; r < next->nbend; ++r) {
        double *difference = next->bend[r].difference, now = bend[r];
        for (int k = 0; k < DP_BENDS; ++k) {
            const double before = difference[k];
            difference[k] = now;
            now -= before;
        }
    }
}
