// Variables that are held in intervals and friction cones, as rows of a program (CI 1).
//
// A variable is x = at + factor z, so that cones are those of Lorentz. A contact with several
// groups of friction is held in as many cones: they share its normal by equations Σ A z = 0, one
// for each group but the first, which are further unknowns of the program. So is what z lacks to
// the other end of an interval with two.
#ifndef DP_SOLVE_CONIC_ROWS_H
#define DP_SOLVE_CONIC_ROWS_H

#include "problem/laws/contact_law.h"
#include "solve/cones/interior_point.h"

/// Where a row comes from.
typedef struct dp_conic_source {
    int of; // variable; −1: none
    double factor, at;
} dp_conic_source;

/// Rows as they are added. The numbers of A, b and R that belong to variables are left to the
/// caller.
typedef struct dp_conic_rows {
    int n, m, ncone;        // unknowns, rows and cones so far
    dp_conic_source *from;  // m; NULL: all is only counted
    dp_interior_cone *cone; // ncone
    int width;              // of A: all unknowns
    double *A, *c;          // of the program: zero
} dp_conic_rows;

/// A variable in [lo, hi], either of which may be infinite; if both are, an equation.
void dp_conic_add_interval(dp_conic_rows *o, int of, double lo, double hi);
/// A contact, whose normal is the variable `of`, with those of its groups behind it. Friction
/// without a reach is 0 and has no row.
void dp_conic_add_contact(dp_conic_rows *o, int of, const dp_friction_group *group, int ngroup);

#endif
