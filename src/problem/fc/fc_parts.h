// What dp_fc_reduce is made of.
#ifndef DP_PROBLEM_FC_PARTS_H
#define DP_PROBLEM_FC_PARTS_H

#include "problem/fc/fc_reduced.h"

/// The velocities of the global form in groups, M factored, H cut to them.
DP_NODISCARD dp_status dp_fc_groups_make(dp_fc_reduced *w, const dp_allocator *a);

/// S or R. After the groups.
DP_NODISCARD dp_status dp_fc_equations_factor(dp_fc_reduced *w);
/// t = Gᵀ v, v by place
void dp_fc_equations_rates(double *t, const dp_fc_reduced *w, const double *v);
/// force += G λ, by place
void dp_fc_equations_push(double *force, const dp_fc_reduced *w, const double *lambda);
/// λ ← −S⁺ λ, or −R⁻¹ λ
void dp_fc_equations_solve(const dp_fc_reduced *w, double *lambda);

/// d, from W where it is formed.
void dp_fc_measure_mobility(dp_fc_reduced *w);

#endif
