// Contact laws and their options. Solvers are public on their own: advanced/law.h.
#ifndef DASHPOT_LAW_H
#define DASHPOT_LAW_H

#include <dashpot/row.h>

DP_BEGIN_C

typedef enum dp_law_kind {
    DP_LAW_COMPLIANT, ///< every row a spring and dashpot at the end of the step. The default
    DP_LAW_LCP,       ///< rigid contacts with polyhedral friction, as a complementarity problem
    DP_LAW_NCP,       ///< rigid contacts with Coulomb's cone
    DP_LAW_VI,        ///< rigid contacts, impulses in convex sets: a variational inequality whose
                      ///< impulses are unique, the least ones, weighted by stiffness
    DP_LAW_TAMSI,     ///< springs and dashpots, with friction that grows with the slip at first
} dp_law_kind;

/// What rigid contacts with a restitution e do when they meet. docs/laws/lcp.md.
typedef enum dp_impact_rule {
    DP_IMPACT_RULE_EXPEDIENT, ///< v⁺ = (1 + e) v^c − e v⁻ with the smallest e of those that meet at
                              ///< once in an island: no energy is gained. The default
    DP_IMPACT_RULE_POISSON, ///< each gives back e of its normal impulse. May gain energy, which is
                            ///< told
    DP_IMPACT_RULE_NEWTON,  ///< each leaves with e of its speed, or more. May gain energy, too
} dp_impact_rule;
/// "expedient", "poisson" or "newton". Never NULL.
DP_API const char *dp_impact_rule_name(dp_impact_rule rule);

/// How the complementarity problem of an island is solved: where one misses, the other is tried.
typedef enum dp_polyhedral_method {
    DP_POLYHEDRAL_METHOD_AUTOMATIC, ///< Lemke's method up to 60 variables, beyond the map. The
                                    ///< default
    DP_POLYHEDRAL_METHOD_LEMKE, ///< Lemke's method: to round-off, in time that grows with the cube
                                ///< of the variables; the map where there are more than 2000
    DP_POLYHEDRAL_METHOD_MAP,   ///< Newton's method on the natural map: to the tolerance, in time
                                ///< that grows with the contacts as that of the compliant law does
} dp_polyhedral_method;
/// "automatic", "lemke" or "map". Never NULL.
DP_API const char *dp_polyhedral_method_name(dp_polyhedral_method method);

/// How rigid rows keep their gaps closed.
typedef enum dp_stabilisation {
    DP_STABILISATION_GAP, ///< the gap over the step is part of the problem, φ/h. The default
    DP_STABILISATION_PROJECTION, ///< positions go there, too; the velocities that end the step are
                                 ///< those of the problem without gaps
} dp_stabilisation;
/// "gap" or "projection". Never NULL.
DP_API const char *dp_stabilisation_name(dp_stabilisation stabilisation);

/// In which sets DP_LAW_VI holds friction.
typedef enum dp_vi_friction {
    DP_VI_FRICTION_CONE, ///< ‖γ_t‖ ≤ μ γ_n with both unknown: (64) of [Preclik]. The default
    DP_VI_FRICTION_DISC, ///< ‖γ_t‖ ≤ μ γ̄ with γ̄ the normal impulse without friction: (61),
                         ///< pseudo-friction
} dp_vi_friction;
/// "cone" or "disc". Never NULL.
DP_API const char *dp_vi_friction_name(dp_vi_friction friction);

/// By what the impulses of rigid rows are weighted where several are possible.
typedef enum dp_rigid_weights {
    DP_RIGID_WEIGHTS_STIFFNESS, ///< as springs of the stiffnesses that rows say share a load. The
                                ///< default
    DP_RIGID_WEIGHTS_EQUAL,     ///< all equal
} dp_rigid_weights;
/// "stiffness" or "equal". Never NULL.
DP_API const char *dp_rigid_weights_name(dp_rigid_weights weights);

/// A law as a row of functions: <dashpot/advanced/law.h>.
typedef struct dp_law dp_law;

/// Of rigid laws.
typedef struct dp_rigid_options {
    dp_stabilisation stabilisation;
    double compliance; ///< [1] s of DP_LAW_NCP and DP_LAW_VI, which give rigid rows a compliance of
                       ///< s times their mobility, weighted; 0: none. Below 0, the default: what
                       ///< the law needs, dp_law_compliance
    dp_rigid_weights weights; ///< of that
} dp_rigid_options;

/// Of rigid laws, and of springs that the step does not resolve.
typedef struct dp_impact_options {
    dp_impact_rule rule;
    double speed; ///< [m/s] ≥ 0: contacts that meet more slowly do not rebound. Default 0.01: what
                  ///< bounces lower than 5 µm is at rest
} dp_impact_options;

/// Of DP_LAW_LCP.
typedef struct dp_polyhedral_options {
    int directions; ///< corners of the friction polygons, even, 4 … 256. Default 8: friction misses
                    ///< at most 22.5° and 8 % of its size
    dp_polyhedral_method method;
} dp_polyhedral_options;

/// Of DP_LAW_VI.
typedef struct dp_vi_options {
    dp_vi_friction friction;
    bool desaxce; ///< with cones: with De Saxcé's term μ‖u_t‖, sliding contacts do not lift off:
                  ///< DP_LAW_NCP with that compliance. Default false
} dp_vi_options;

/// Of DP_LAW_TAMSI, and of integrators that have no laws (dp_integrator).
typedef struct dp_regularised_options {
    double slip_speed; ///< [m/s] > 0: where friction has its full size. Default 1e-4
} dp_regularised_options;

/// Of DP_LAW_TAMSI.
typedef struct dp_tamsi_options {
    double slip_turn; ///< [rad] > 0, up to π: by how much a Newton step may turn a slip, with
                      ///< DP_INTEGRATOR_IMPLICIT_EULER, too. Default π/3
} dp_tamsi_options;

/// The law and its options. What is in a struct of its own is of some laws only, and has its text
/// name: "lcp.directions" is lcp.directions. What all share is "law.tolerance", ….
typedef struct dp_law_options {
    dp_law_kind law;
    const dp_law *user; ///< a law of your own in its place, borrowed. NULL, the default: `law`
    double tolerance;   ///< [m/s] largest residual of a row that counts as solved. Default 1e-9
    double error_share; ///< [1] ≥ 0: contacts of many bodies that move may leave this share of the
                        ///< discretisation error of the step beside the tolerance:
                        ///< DP_LAW_COMPLIANT, DP_LAW_NCP. Default 0.01; 0: never
    int max_factorizations; ///< work of a solve on one island before its best point is
                            ///< taken. Default 1000
    dp_rigid_options rigid;
    dp_impact_options impact;
    dp_polyhedral_options lcp;
    dp_vi_options vi;
    dp_regularised_options friction;
    dp_tamsi_options tamsi;
} dp_law_options;
DP_API dp_law_options dp_law_options_default(void);

/// The name of a law, e.g. "compliant". Never NULL.
DP_API const char *dp_law_name(dp_law_kind law);
/// @return DP_ERROR_ARGUMENT with the names that exist
DP_API DP_NODISCARD dp_status dp_law_find(dp_law_kind *out, const char *name);
/// Does friction of a law grow with the slip at first, up to dp_law_options.friction.slip_speed?
DP_API bool dp_law_is_regularised(dp_law_kind law);
/// Does a law take every contact and every end of a range for rigid, whatever its springs?
DP_API bool dp_law_is_rigid(dp_law_kind law);
/// s of rigid.compliance, or what stands for it where that is left to the law: 0 for DP_LAW_NCP;
/// 1e-6 for DP_LAW_VI with De Saxcé's term; else DP_LAW_VI is the limit of s → 0 itself, and 1e-12
/// gives its impulses their weights.
DP_API double dp_law_compliance(const dp_law_options *opt);

/// Change one option by its name: "law.tolerance", "law.error_share",
/// "law.max_factorizations", "lcp.directions", "lcp.method", "rigid.stabilisation",
/// "rigid.compliance", "rigid.weights", "vi.friction", "vi.desaxce", "impact.rule", "impact.speed",
/// "friction.slip_speed", "tamsi.slip_turn", or the part after the dot. The names are those of
/// dp_options_set, of problem files and of `--set`.
/// @return DP_ERROR_ARGUMENT for an unknown name or a value that it cannot have; nothing is changed
DP_API DP_NODISCARD dp_status dp_law_options_set(dp_law_options *options, const char *name,
                                                 const char *value);
/// The names that dp_law_options_set takes, in full; out of range: "".
DP_API int dp_law_options_name_count(void);
DP_API const char *dp_law_options_name(int index);
/// Has the option of that number any effect under this law?
DP_API bool dp_law_has_option(dp_law_kind law, int index);
/// The value of the option of that number as dp_law_options_set reads it back, to the bit.
/// @param out `bytes` of the caller; 64 suffice
DP_API void dp_law_options_text(char *out, size_t bytes, const dp_law_options *options, int index);

/// What the method found. A solve that stops at its limit is a result, told truthfully.
typedef enum dp_outcome {
    DP_OUTCOME_CONVERGED,
    DP_OUTCOME_CAPPED,        ///< the work limit came first; the best point seen is returned
    DP_OUTCOME_CONTRADICTORY, ///< rigid rows contradict each other by more than the tolerance: they
                              ///< are met in the least squares, as well as can be
    DP_OUTCOME_INFEASIBLE,    ///< DP_LAW_VI: no velocity meets all rows, which dp_law_ray proves.
                              ///< The best point seen is returned
    DP_OUTCOME_WEAKLY_INFEASIBLE, ///< DP_LAW_VI: no impulses solve the problem; the better they do,
                                  ///< the larger they are. Those of the best point seen are
                                  ///< returned
} dp_outcome;
DP_API const char *dp_outcome_name(dp_outcome outcome);

DP_END_C
#endif
