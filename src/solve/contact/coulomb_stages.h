// The stages of a solve, in order: coulomb_stages.c has them as a table.
#ifndef DP_SOLVE_COULOMB_STAGES_H
#define DP_SOLVE_COULOMB_STAGES_H

#include "solve/contact/coulomb.h"

/// How many stages there are.
int dp_coulomb_stage_count(void);
/// What a stage is called. @param index 0 … count − 1
const char *dp_coulomb_stage_name(int index);

#endif
