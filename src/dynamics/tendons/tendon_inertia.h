// Inertia along tendons: T = ½ a l̇² with l̇ = J v, for the armature a of each tendon, adds a Jᵀ J to
// M and a Jᵀ (J̇ v) to the bias force.
//
// A tendon may lead across branches and trees, where M has no elements. So the matrix of the trees
// stays as it is, and each tendon is a term of rank one [Sherman–Morrison]: with the terms before
// it in M, y = M⁻¹ Jᵀ,
//
//     (M + a Jᵀ J) x = M x₀ − a Jᵀ β   ⇔   x = x₀ − y (J x₀ + β)/(1/a + J y),            (TI 1)
//
// whose denominator is a sum of positive numbers. The semi-implicit step has the same term as a row
// with the compliance 1/a (assemble/tendon_rows.c).
#ifndef DP_DYNAMICS_TENDON_INERTIA_H
#define DP_DYNAMICS_TENDON_INERTIA_H

#include "dynamics/articulated.h"
#include "dynamics/tendons/tendon.h"

typedef struct dp_tendon_inertia {
    int *tendon;      // count: those with armature
    double *response; // count × nv: y of (TI 1)
    double *pivot;    // count: 1/a + J y
    double *bias;     // count: β = J̇ v
    double *ahead;    // ntendon: the rate of each of them that the step leads to without forces
    int count;
} dp_tendon_inertia;

/// Carve the arrays for `m`; dp_tendon_inertia_init then fills `tendon`.
void dp_tendon_inertia_carve(dp_tendon_inertia *set, dp_carver *c, const dp_model *m);
void dp_tendon_inertia_init(dp_tendon_inertia *set, const dp_model *m);

/// Prepare (TI 1). @param tendon up to date with kin; art has factored M of the trees there
void dp_tendon_inertia_factor(dp_tendon_inertia *set, const dp_tendon_set *tendon,
                              dp_articulated *art, const dp_kin *kin, const dp_model *m,
                              const double *v);

/// x = M⁻¹ b of the trees becomes that of trees and tendons, less what the bias asks for where
/// `biased`.
void dp_tendon_inertia_correct(double *x, const dp_tendon_inertia *set, const dp_tendon_set *tendon,
                               const dp_model *m, bool biased);

/// tau += Σ a Jᵀ (J x + J̇ v). @param x NULL: zero
void dp_tendon_inertia_force(double *tau, const dp_tendon_inertia *set, const dp_tendon_set *tendon,
                             const dp_kin *kin, const dp_model *m, const double *x,
                             const double *v);

/// M += Σ a Jᵀ J. @param M dense, nv × nv
void dp_tendon_inertia_matrix(double *M, const dp_tendon_inertia *set, const dp_tendon_set *tendon,
                              const dp_model *m);

#endif
