// The exact minimum of a convex function along a line, where its derivative is linear in pieces.
#ifndef DP_SOLVE_ROWS_LINE_SEARCH_H
#define DP_SOLVE_ROWS_LINE_SEARCH_H

/// The derivative at t, which ascends, and its own slope there, > 0.
typedef double (*dp_line_derivative)(double *slope, const void *context, double t);

/// The zero of the derivative in (0, longest], or `longest` where that is not reached; 1 where it
/// does not descend at 0.
/// @param longest may be infinite
double dp_line_search(dp_line_derivative derivative, const void *context, double longest);

#endif
