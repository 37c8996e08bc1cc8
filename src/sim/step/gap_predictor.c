#include "sim/step/step.h"

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
static void recall_bends(dp_constrained *c)
{
    const dp_rows *rows = &c->rows;
    const dp_impulses *now = &c->now;
    int64_t at = 0;
    for (int i = 0; rows->row_start[i] < c->next.nbend; ++i) {
        const int first = rows->row_start[i], n = rows->row_start[i + 1] - first;
        const int last = dp_impulses_find(now, &at, rows->id[i], n);
        if (last >= 0 && last + n <= now->nbend) {
            memcpy(c->next.bend + first, now->bend + last, (size_t)n * sizeof *c->next.bend);
        } else {
            memset(c->next.bend + first, 0, (size_t)n * sizeof *c->next.bend);
        }
    }
}

// How the gaps of a block bend if that goes on as in the last steps: β ≈ ∇⁰β + ∇¹β + … + ∇ᵖ⁻¹β,
// Newton's extrapolation. Its error in the last step was ∇ᵖβ, which chooses p; 0 is no guess.
// Judged by the block, since components of it may pass through zero.
static void expect_block(dp_constrained *c, int first, int n, double least)
{
    const dp_bend *bend = c->next.bend;
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
        c->gaps.bend[r] = fabs(next) * c->rows.row[r].len > least ? next : 0.0;
    }
}

void dp_bends_expect(dp_constrained *c, double least)
{
    recall_bends(c);
    memset(c->gaps.bend, 0, (size_t)c->next.nbend * sizeof *c->gaps.bend);
    for (int i = 0; c->rows.row_start[i] < c->next.nbend; ++i) {
        const int first = c->rows.row_start[i];
        expect_block(c, first, c->rows.row_start[i + 1] - first, least);
    }
}

void dp_bends_forget(dp_constrained *c)
{
    memset(c->next.bend, 0, (size_t)c->next.nbend * sizeof *c->next.bend);
    memset(c->gaps.bend, 0, (size_t)c->next.nbend * sizeof *c->gaps.bend);
}

void dp_bends_note(dp_constrained *c)
{
    for (int r = 0; r < c->next.nbend; ++r) {
        double *difference = c->next.bend[r].difference, now = c->gaps.bend[r];
        for (int k = 0; k < DP_BENDS; ++k) {
            const double before = difference[k];
            difference[k] = now;
            now -= before;
        }
    }
}
