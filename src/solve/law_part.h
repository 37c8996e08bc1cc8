// One island under the built-in laws: what they share, which is all of the law `compliant`, and
// what each of the others adds. The functions are columns of law_table.c.
#ifndef DP_SOLVE_LAW_PART_H
#define DP_SOLVE_LAW_PART_H

#include "solve/contact/coulomb.h"
#include "solve/rows/compliant.h"

#include <dashpot/advanced/law.h>

// ---- shared: law_part.c

/// An island is one for the natural map, with friction of contacts (coulomb.h); or one of many
/// springs on few velocities (tamsi.h); or one of rows (compliant.h).
typedef struct dp_shared_part {
    dp_coulomb coulomb; // p NULL: there is no friction
    dp_coulomb springs; // p NULL: there are not that many
    dp_compliant rows;  // where both are
} dp_shared_part;

/// Are there many springs on few velocities, and nothing else?
bool dp_has_many_springs(const dp_step_problem *p);

size_t dp_part_memory(const dp_step_size *max, const dp_law_options *opt);
DP_NODISCARD dp_status dp_part_prepare(dp_law_part *part);
bool dp_part_is_reusable(dp_law_part *part);
DP_NODISCARD dp_status dp_part_restart(dp_law_part *part);
DP_NODISCARD dp_status dp_part_solve(dp_step_solution *out, dp_law_part *part, const double *guess,
                                     dp_solve_info *info);
DP_NODISCARD dp_status dp_part_mobility(double *w, dp_law_part *part);

// ---- law_lcp.c

/// Where the complementarity problem of an island is solved.
typedef struct dp_lcp_part {
    dp_shared_part shared;
    bool pivots_first;
    void *memory; // NULL: it has too many variables for pivots
    size_t bytes;
    dp_step_solution other; // what another method finds
} dp_lcp_part;

bool dp_lcp_refuses(char *why, size_t bytes, const dp_step_problem *p, const dp_law_options *opt);
DP_NODISCARD dp_status dp_lcp_prepare(dp_law_part *part);
bool dp_lcp_is_reusable(dp_law_part *part);
DP_NODISCARD dp_status dp_lcp_solve_part(dp_step_solution *out, dp_law_part *part,
                                         const double *guess, dp_solve_info *info);
dp_certify_view dp_lcp_view(const dp_law_options *opt, const dp_solve_info *info);

// ---- law_ncp.c

double dp_ncp_compliance(const dp_law_options *opt);
DP_NODISCARD dp_status dp_ncp_solve(dp_step_solution *out, dp_law_part *part, const double *guess,
                                    dp_solve_info *info);

// ---- law_vi.c

typedef struct dp_vi_part {
    dp_shared_part shared;
    void *memory; // of the certificate and the decision, taken when it is first needed, as is
    size_t bytes;
} dp_vi_part;

unsigned dp_vi_traits(const dp_law_options *opt);
double dp_vi_compliance(const dp_law_options *opt);
size_t dp_vi_memory(const dp_step_size *max, const dp_law_options *opt);
DP_NODISCARD dp_status dp_vi_solve(dp_step_solution *out, dp_law_part *part, const double *guess,
                                   dp_solve_info *info);
dp_certify_view dp_vi_view(const dp_law_options *opt, const dp_solve_info *info);

// ---- law_tamsi.c

DP_NODISCARD dp_status dp_tamsi_solve_part(dp_step_solution *out, dp_law_part *part,
                                           const double *guess, dp_solve_info *info);
dp_certify_view dp_tamsi_view(const dp_law_options *opt, const dp_solve_info *info);

#endif
