// Siconos' solvers of friction-contact problems, with their default options but for the tolerance.
#ifndef BENCH_FRICTION_SICONOS_H
#define BENCH_FRICTION_SICONOS_H

#include <dashpot/advanced/fc.h>

enum { FRICTION_SICONOS = 3 };
extern const char *const friction_siconos_name[FRICTION_SICONOS];

/// Solve a problem in the local form and three dimensions to 1e-8 by the solver of that number.
/// @param r 3 nc @param seconds of CPU time, without setting it up @return whether it says so
bool friction_siconos_solve(double *r, double *seconds, const dp_fc *p, int solver);

#endif
