// Numbers that are none, or too large to go on with.
#ifndef DP_SIM_NUMBER_CHECK_H
#define DP_SIM_NUMBER_CHECK_H

/// The first of n numbers whose size is not below `limit`; −1: all are. @param limit may be
/// infinite
int dp_first_beyond(const double *x, int n, double limit);

#endif
