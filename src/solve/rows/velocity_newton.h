// Islands with many springs on few velocities are solved by dp_compliant_solve like any other
// (velocity_factor.c). What law_part.c still asks of a method of their own: there is none.
#ifndef DP_SOLVE_ROWS_VELOCITY_NEWTON_H
#define DP_SOLVE_ROWS_VELOCITY_NEWTON_H

#include "solve/rows/compliant.h"

typedef struct dp_velocity_newton {
    const dp_step_problem *p; // NULL
    const double *w;
} dp_velocity_newton;

static inline bool dp_velocity_newton_applies(const dp_step_problem *p)
{
    (void)p;
    return false;
}

#define dp_velocity_newton_begin(s, p, opt, scratch) DP_OK
#define dp_velocity_newton_restart(s, opt) DP_OK
#define dp_velocity_newton_solve(out, s, warm, opt, info) ((void)0)

#endif
