// The exponential function without libm, so that a step gives the same bits everywhere.
#ifndef DP_MATH_EXPONENTIAL_H
#define DP_MATH_EXPONENTIAL_H

/// eˣ to about one unit in the last place; 0 below −700, and x is taken as at most 700.
double dp_exp(double x);

#endif
