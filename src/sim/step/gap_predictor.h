// How the gaps of rows bend within a step (dp_bend), guessed from the steps before.
#ifndef DP_SIM_GAP_PREDICTOR_H
#define DP_SIM_GAP_PREDICTOR_H

#include "sim/step/row_solve.h"

/// The rows up to the last whose gap bends. Contacts, which come last and are many, never do.
int dp_bends_count(const dp_rows *rows);

/// c->bend: the bends of the first next.nbend rows, if they go on as in the last steps.
/// @param least [m/s²] less is round-off, and no concern of any tolerance
void dp_bends_expect(dp_constrained *c, double least);

/// Expect none, and forget those of the steps before.
void dp_bends_forget(dp_constrained *c);

/// Keep c->bend for the next step. next.bend holds the differences of the steps before.
void dp_bends_note(dp_constrained *c);

#endif
