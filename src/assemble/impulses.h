// Impulses of rows, kept from step to step by the ids of their blocks.
#ifndef DP_CONSTRAINT_IMPULSES_H
#define DP_CONSTRAINT_IMPULSES_H

#include "assemble/rows.h"

enum { DP_BENDS = 8 };

/// How the gap of a row bent, ∇⁰β: what the step made of it beyond φ + h φ̇, over h² [m/s²]. And how
/// that changed in the steps before: its backward differences ∇ᵏβ.
typedef struct dp_bend {
    double difference[DP_BENDS];
} dp_bend;

/// Impulses by block, and how gaps bent, with room for all that the model can have.
typedef struct dp_impulses {
    int64_t nblock;
    uint64_t *id;
    int *row_start;
    double *gamma;
    double *change; // of gamma since the step before; 0 where a block is new
    int64_t nbend;  // rows with bends: up to the last that is not linear
    dp_bend *bend;
} dp_impulses;

/// Room for all blocks and rows, of which so many may bend.
void dp_impulses_carve(dp_impulses *impulses, dp_carver *c, const dp_rows *rows, int max_bend);
/// Copy impulses; `to` has the room.
void dp_impulses_copy(dp_impulses *to, const dp_impulses *from);
/// What the same forces do in a step that is so many times as long.
void dp_impulses_scale(dp_impulses *impulses, double times);

/// The first row of a block in a list, where it has so many rows in it; −1: it is not there. Ids
/// ascend. @param at where to begin, 0 for the first block; out: where the next one may be
static inline int dp_impulses_find(const dp_impulses *from, int64_t *at, uint64_t id, int nrow)
{
    while (*at < from->nblock && from->id[*at] < id) {
        ++*at;
    }
    const bool known = *at < from->nblock && from->id[*at] == id &&
                       from->row_start[*at + 1] - from->row_start[*at] == nrow;
    return known ? from->row_start[*at] : -1;
}

// ---- gap_predictor.c

/// The rows up to the last whose gap bends. Contacts, which come last and are many, never do.
int dp_bends_count(const dp_rows *rows);
/// The bends of the first next->nbend rows, if they go on as in the steps before, of which the last
/// left `now`. @param bend [m/s²] next->nbend. @param least [m/s²] less is round-off, and no
/// concern of any tolerance
void dp_bends_expect(double *bend, dp_impulses *next, const dp_impulses *now, const dp_rows *rows,
                     double least);
/// Expect none, and forget those of the steps before. @param of nbend: of these rows; NULL: of all
void dp_bends_forget(double *bend, dp_impulses *next, const uint8_t *of);
/// Keep those that came for the next step: `next` holds the differences of the steps before.
void dp_bends_note(dp_impulses *next, const double *bend);

#endif
