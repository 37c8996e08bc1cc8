// The Newton's method of tamsi.h on an island of few velocities, of contacts with sliding friction
// and plain rows: among the velocities alone. With the impulses γ(v) of contacts as the law has
// them, a step solves
//
//     (M̃ + Gᵀ C G) dv = M̃ (v_free − v) + Gᵀ γ(v),                                         (TS 1)
//
// dense, where a contact adds, with m and m' of (TA 1) and c = −dN/du,
//
//     c (g_n − reach mᵀ g_t)ᵀ g_n + reach γ_n g_tᵀ m' g_t,                                   (TS 2)
//
// of rank two where it slips and three where it holds. Contacts of the same bodies, which have the
// same columns, are added up before they are put in their place. Impulses γ − C G dv of a step that
// was taken in full are in balance with its end: they are the answer once they meet the law there.
#ifndef DP_SOLVE_TAMSI_SMALL_H
#define DP_SOLVE_TAMSI_SMALL_H

#include "solve/law.h"
#include "solve/small_run.h"

enum { DP_SMALL_PIECES = 5 }; ///< of an arena

typedef struct dp_small_row dp_small_row;

typedef struct dp_tamsi_small {
    const dp_step_problem *p; // NULL: the island is not one for that
    int nrun, ncontact, nrow;
    dp_small_run *run;
    dp_small_contact *contact;
    dp_small_row *row; // plain ones
    double *G;
    double *LD;      // M̃ factored, packed as Mt
    const double *M; // that, or the one that the problem brings along; NULL: it has no factor
} dp_tamsi_small;

/// Is an island one for that?
bool dp_tamsi_is_small(const dp_step_problem *p);
size_t dp_tamsi_small_memory(const dp_step_size *max);
DP_NODISCARD dp_status dp_tamsi_small_begin(dp_tamsi_small *s, const dp_step_problem *p,
                                            dp_arena *scratch);
/// Begin anew with other numbers in s->p.
void dp_tamsi_small_restart(dp_tamsi_small *s);
/// @return whether it was solved; else nothing of `out` is to be used, but *info tells what it took
/// @param warm nrow impulses as a first guess; NULL: none
bool dp_tamsi_small_solve(dp_step_solution *out, dp_tamsi_small *s, const double *warm,
                          const dp_law_options *opt, dp_solve_info *info);

#endif
