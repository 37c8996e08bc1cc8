// Rows: scalar conditions on the motion, their laws and how well they are met. What a step makes of
// them is the step problem, advanced/problem.h.
#ifndef DASHPOT_ROW_H
#define DASHPOT_ROW_H

#include <dashpot/types.h>

DP_BEGIN_C

/// Where a row comes from.
typedef enum dp_row_source {
    DP_ROW_SOURCE_EQUALITY,
    DP_ROW_SOURCE_JOINT_LIMIT,
    DP_ROW_SOURCE_TENDON_LIMIT,
    DP_ROW_SOURCE_TENDON_SPRING, ///< springs, dampers and armature
    DP_ROW_SOURCE_JOINT_FRICTION,
    DP_ROW_SOURCE_TENDON_FRICTION,
    DP_ROW_SOURCE_DRIVE, ///< actuators on several coordinates, or that come to an end of their
                         ///< force range or leave it in the step; those that stay at an end are
                         ///< forces
    DP_ROW_SOURCE_USER,
    DP_ROW_SOURCE_MOTION,     ///< joints that are moved by expressions
    DP_ROW_SOURCE_FOUNDATION, ///< springs of elastic foundations
    DP_ROW_SOURCE_CONTACT,    ///< points where geoms touch: normal, friction, torsion, rolling
    DP_ROW_SOURCES,
} dp_row_source;
DP_API const char *dp_row_source_name(dp_row_source source); ///< "joint limit". Never NULL

/// One row. Linear: m, N/m, N s/m, N s; angular: rad, N m/rad, N m s/rad, N m s.
typedef struct dp_row {
    double phi; ///< φ: gap at the start of the step, > 0 apart. Where φ is not linear in v: such
                ///< that φ + h φ̇ is the gap at the end
    double phi_t;  ///< ∂φ/∂t: moving floors, references
    double k, b;   ///< ≥ 0, may be infinite, not both 0
    double b_ref;  ///< what the dashpot adds to G v; φ_t unless a drive says else
    double lo, hi; ///< range of the impulse, lo ≤ 0 ≤ hi, may be infinite
    double len;    ///< [m] > 0: turns angles into lengths in residuals; 1 for linear rows
} dp_row;

/// What friction a contact has. Its block has 3 rows (normal and two tangents), 4 (and torsion) or
/// 6 (and two of rolling); the rows of friction have lo = −∞, hi = ∞ and, unless they yield, k =
/// 0, b = ∞.
typedef struct dp_friction {
    double mu[2]; ///< [1] ≥ 0: largest tangential impulse along each tangent over the normal one
    double torsion; ///< [m] ≥ 0: largest impulse moment about the normal over the normal impulse
    double roll[2]; ///< [m] ≥ 0: about each tangent
} dp_friction;

/// How the normal of a contact pushes at the end of the step, with the depth δ = −φ₁ and its rate.
typedef enum dp_normal_kind {
    DP_NORMAL_SPRING,        ///< k and b of its row, (SP 2): k δ + b δ̇
    DP_NORMAL_HUNT_CROSSLEY, ///< k δ₊ (1 + d δ̇)₊
    DP_NORMAL_HERTZ,         ///< k δ₊^{3/2} (1 + d δ̇)₊: the k of its row is in N/m^{3/2}
} dp_normal_kind;

/// The law of a normal row. But for a spring, its row has a finite k and b = 0.
typedef struct dp_normal {
    dp_normal_kind kind;
    double dissipation; ///< d [s/m] ≥ 0; of no account for a spring
} dp_normal;

/// What the impulse of a row does.
typedef enum dp_row_state {
    DP_ROW_STATE_OPEN,   ///< one-sided, no impulse
    DP_ROW_STATE_ACTIVE, ///< within its range
    DP_ROW_STATE_AT_LO,
    DP_ROW_STATE_AT_HI,
    DP_ROW_STATE_STICK, ///< friction within its disc
    DP_ROW_STATE_SLIP,  ///< friction on the rim
} dp_row_state;

/// How well a solution meets its problem, in physical units.
typedef struct dp_certificate {
    double momentum;     ///< [N s] ‖M̃(v − v_free) − Gᵀγ‖∞
    double normal_law;   ///< [m/s] worst residual of a row, with w = Σ G²/diag M̃
    double beyond_error; ///< [m/s] the same without what dp_certify_view.error_share allows
    double round_off;    ///< [m/s] 4 ε times the largest velocity that the impulse of a row makes
                         ///< at it: no residual is less to any purpose
    double complementarity; ///< [J] Σ |γ · slack| over one-sided and bounded rows, γ counted from
                            ///< the end of its range that the slack points to, where that is finite
    double penetration; ///< [m] deepest gap of a one-sided row at the end of the step, ≥ 0
    double lift_off;    ///< [m] highest gap at the end of the step of a row that pushes, ≥ 0
    double cone;        ///< [N s] worst friction beyond its disc; moments divided by the row's len
    double friction_power; ///< [W] largest power of friction on slip: must not be above 0
    double creep;          ///< [m/s] fastest contact that sticks
    double drift;     ///< [m] worst |φ₁| of the two-sided rows beyond what their springs give
    double heading;   ///< [rad] largest angle between sliding friction and what is opposite to its
                      ///< slip, where that is 1 mm/s or more: up to π/r with polyhedral friction
    double shortfall; ///< [1] there: the largest part that is missing of μ γ_n
    int fallbacks;    ///< islands that were solved by another law than the one that was asked for
    int within_error; ///< islands that leave more than the tolerance, and no more beyond it than
                      ///< dp_law_options.error_share of the error of the step
    int painleve; ///< contacts at which sliding friction has no force, or more than one, so that an
                  ///< impulse stops the slip: Painlevé's paradox
    int impacts;  ///< islands with an impact: contacts that close and have a restitution
    double correction; ///< [m/s] fastest rate at which a rigid row that started violated is closed,
                       ///< by a velocity that moves bodies and is not part of v
    int replaced;      ///< rows that a rigid law has taken for rigid, against what they say
    int frictionless; ///< rows that push without the friction that their materials have: springs of
                      ///< elastic foundations
    int nrow, nactive; ///< rows, and those with an impulse
} dp_certificate;

/// Is the problem solved? The one definition, by which every law is judged: beyond_error is up to
/// the tolerance [m/s], or up to round_off.
DP_API bool dp_certificate_is_solved(const dp_certificate *certificate, double tolerance);

DP_END_C
#endif
