// Contacts of the same bodies in tamsi_small.h, one after the other: their rows, which have the
// same columns, and the products with them. This is where that law spends its time.
#ifndef DP_SOLVE_SMALL_RUN_H
#define DP_SOLVE_SMALL_RUN_H

#include "problem/compliance.h"
#include "problem/contact_law.h"
#include "problem/normal_law.h"

enum { DP_SMALL_MOST = 32 }; ///< velocities

enum { DP_SMALL_NORMAL, DP_SMALL_ALONG, DP_SMALL_ACROSS, DP_SMALL_ROWS }; ///< of a contact

typedef struct dp_small_contact {
    int block, row;       // and its first
    int missing;          // the column of its run that it does not meet, or the end of its own
    const dp_normal *law; // NULL: that of the row
    dp_soft soft;         // then
    double a;             // and its mobility with that
    double reach, slip_speed;
    double scale[DP_SMALL_ROWS], w[DP_SMALL_ROWS];
    double rest[DP_SMALL_ROWS]; // tangents: what the slip is counted from
    double len;
    double x[DP_SMALL_ROWS]; // impulses of the last step
    double u[DP_SMALL_ROWS], du[DP_SMALL_ROWS];
    // The law at u:
    double push[DP_SMALL_ROWS];
    double c;    // −dN/du
    double m[2]; // m(s) of (TA 1)
    double hold; // reach γ_n/max(v_s, |s|)
    bool slips;
} dp_small_contact;

typedef struct dp_small_run {
    int first, count;
    int ncol, width; // columns, and numbers from one row to the next: zeros fill it up
    const int *col;  // NULL: all of them
    double *G;       // of each contact: 3 × width, scaled
} dp_small_run;

/// The width of a run of that many columns, at most 3 more.
int dp_small_run_width(int ncol);

/// Rows of G, scaled as the contacts say, and their mobilities. Zeros are there already.
/// @param inverse of the diagonal of M̃
void dp_small_run_take(dp_small_contact *c, const dp_small_run *run, const dp_step_problem *p,
                       const double *inverse);
/// du = G v
void dp_small_run_rates(dp_small_contact *c, const dp_small_run *run, const double *v);
/// force += Σ Gᵀ push
void dp_small_run_push(double *force, const dp_small_contact *c, const dp_small_run *run);
/// K += Σ (TS 2), by the columns of the run. @param stride ≥ width
void dp_small_run_add(double *K, int stride, const dp_small_contact *c, const dp_small_run *run);

#endif
