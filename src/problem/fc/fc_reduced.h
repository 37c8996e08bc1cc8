// A friction-contact problem of any form in terms of its impulses alone: u = W r + q, with three
// rows for each contact.
//
// Two dimensions are embedded: a second tangent that meets nothing else, with W of its own and q =
// 0, carries no impulse. Equations are eliminated. W is formed in blocks of 3 × 3, or stays a
// product, Hᵀ M⁻¹ H, with the velocities in groups: a body each, or three of a large body.
#ifndef DP_PROBLEM_FC_REDUCED_H
#define DP_PROBLEM_FC_REDUCED_H

#include "linalg/dense.h"
#include "linalg/semidefinite.h"
#include "problem/fc/fc_matrix.h"

#include <dashpot/advanced/fc.h>

#include <math.h>

/// The velocities of the global form in groups.
typedef struct dp_fc_groups {
    int n;           // groups
    int *start;      // n + 1: of their velocities, by place
    int *size;       // n
    int *place;      // nv: of each velocity
    int *of_place;   // nv: the group
    bool *alone;     // n: M couples it with no other
    double *inverse; // of M, of each that is
    size_t *inverse_at;
    int *pair_start, *pair; // npair + 1, 2 npair: groups that M couples
    int npair;
    int *part_start; // nc + 1: parts of each contact
    int *part_group; // its groups, ascending
    size_t *part_at; // 3 × size by rows
    double *part;    // Hᵀ
    int *meet_start; // n + 1: contacts that meet each group
    int *meet;
    dp_fc_matrix mass; // factored
} dp_fc_groups;

typedef struct dp_fc_reduced {
    const dp_fc *p;
    int nc;
    int nv;              // 0: local
    double *q;           // 3 nc
    double *d;           // nc, > 0: a third of the trace of each block of W, 1 where that is 0
    double q_norm;       // ‖q‖
    double q_most;       // the largest ‖q_i‖
    bool formed;         // W is
    int *start;          // nc + 1: blocks of each row
    int *column;         // ascending in a row
    double *block;       // 9 each, by rows
    dp_fc_groups groups; // of the global form
    // Equations: λ = −S⁻¹ (T r + t), S semidefinite of the global form, any of the local one
    dp_semidefinite S;
    double *S_scale; // nl
    dp_dense R;
    double *t;              // nl
    double *lambda;         // nl: scratch
    double *force, *motion; // nv, by place: scratch
    double *v_free;         // nv, by place: M⁻¹ f
    dp_pool pool;
} dp_fc_reduced;

/// @param form whether W is wanted; it is formed in any case for the local form and with equations
/// @return DP_ERROR_ARGUMENT where M has no inverse, DP_ERROR_MEMORY
DP_NODISCARD dp_status dp_fc_reduce(dp_fc_reduced *out, const dp_fc *p, bool form,
                                    const dp_allocator *a);
/// Form W where it is not yet.
DP_NODISCARD dp_status dp_fc_reduced_form(dp_fc_reduced *w, const dp_allocator *a);
/// What dp_fc_reduce left, also where it failed.
void dp_fc_reduced_end(dp_fc_reduced *w);

/// u = W r, 3 nc each. u must not be r.
void dp_fc_apply(double *u, const dp_fc_reduced *w, const double *r);
/// force = H r and v = M⁻¹ force, u = Hᵀ v, by place: the parts of that product.
void dp_fc_push(double *force, const dp_fc_reduced *w, const double *r);
void dp_fc_accelerate(double *v, const dp_fc_reduced *w, const double *force);
void dp_fc_rates(double *u, const dp_fc_reduced *w, const double *v);

/// λ and v (in the caller's order) that go with r; either may be NULL.
void dp_fc_follow(double *lambda, double *v, const dp_fc_reduced *w, const double *r);

/// From rows of the problem to three each, and back.
void dp_fc_widen(double *out, const dp_fc *p, const double *x);
void dp_fc_narrow(double *out, const dp_fc *p, const double *x);

/// Judge r, 3 nc, with u = W r + q beside it. Of the global form `siconos` lacks the part of M v =
/// H r + f.
void dp_fc_judge_reduced(dp_fc_residual *out, const dp_fc_reduced *w, const double *r,
                         const double *u, uint8_t *state);

/// The point of K nearest to y.
static inline void dp_fc_project(double out[3], const double y[3], double mu)
{
    const double size = sqrt(y[1] * y[1] + y[2] * y[2]);
    if (mu * size <= -y[0]) {
        out[0] = out[1] = out[2] = 0.0;
    } else if (size <= mu * y[0]) {
        out[0] = y[0];
        out[1] = y[1];
        out[2] = y[2];
    } else {
        const double normal = (mu * size + y[0]) / (mu * mu + 1.0);
        out[0] = normal;
        out[1] = mu * normal * y[1] / size;
        out[2] = mu * normal * y[2] / size;
    }
}

#endif
