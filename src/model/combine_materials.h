// How two geoms touch: what the numbers of both make together, or those of the pair that names
// them.
//
// Friction and the number of rows are mixed as in MJCF: by the geom of higher priority, else the
// larger of each. Materials act in series,
//
//     1/k = 1/k₁ + 1/k₂,   b = k² (b₁/k₁² + b₂/k₂²),                                       (MX 1)
//
// exact for loads that change slowly: a share s_i = k/k_i of the depth is that of geom i, and power
// is lost in each at the square of its share. So it is for the other laws, with d for b,
//
//     d = s₁² d₁ + s₂² d₂,   s_i = k/k_i, or E*/E*_i with E*_i = E_i/(1 − ν_i²) for Hertz,     (MX
//     2) 1/E* = 1/E*₁ + 1/E*₂.
//
// A Young's modulus on one geom makes the contact one of Hertz; a geom without counts as rigid
// there. A dissipation on one makes it one of Hunt and Crossley, or of Hertz with it: then the
// damping of neither counts. Of restitutions the smaller one counts. It becomes the damping
// b = 2 ζ √(k m) of the masses that meet, with ζ such that a spring and dashpot that do not pull
// throw back as much [SchwagerPoeschel2007]:
//
//     e = exp(−(ζ/ω) φ),   ω = √(1 − ζ²),   φ = angle of (2 ζ² − 1) + 2 ζ ω i,                 (MX
//     3)
//
// which for ζ > 1 is e = exp(−(ζ/ω) ln((ζ + ω)/(ζ − ω))), ω = √(ζ² − 1). ζ ends at 10, e = 0.0025.
//
// Where the author gave solref or solimp and no material, both follow from these and from the
// masses that meet, at depths δ beyond the width w of solimp = (d₀, d₁, w, c, p) by (R 4), and
// before with
//
//     k(δ) = k (d/d₁)² (1 − d₁)/(1 − d),   b(δ) = b (d/d₁) (1 − d₁)/(1 − d),                  (MX
//     4) d(δ) = d₀ + (d₁ − d₀) y(δ/w),   y(x) = xᵖ/cᵖ⁻¹ up to c, 1 − (1 − x)ᵖ/(1 − c)ᵖ⁻¹ behind,
//
// where F = k(δ) δ under a steady load is MuJoCo's.
#ifndef DP_MODEL_MIX_H
#define DP_MODEL_MIX_H

#include "model/model.h"

#include <dashpot/advanced/problem.h>
#include <dashpot/row.h>

typedef struct dp_touch_law {
    int condim; // 1, 3, 4 or 6 rows
    dp_friction friction;
    double stiffness;            // [N/m] of the whole contact, may be infinite
    double damping;              // [N s/m]
    dp_normal normal;            // the law of the normal, where it is no spring and dashpot
    double modulus;              // E* [Pa] of Hertz; 0 else
    double tangential_stiffness; // [N/m] may be infinite
    double restitution;          // negative: not given. The damping has it already
    bool curved;                 // stiffness and damping are those of large depths; before,
    double solimp[5];            // these numbers lessen them (MX 4)
} dp_touch_law;

/// What is left of stiffness and damping at a depth, and p of F ∝ δ¹⁺ᵖ there.
typedef struct dp_impedance {
    double stiffness, damping, exponent;
} dp_impedance;
/// (MX 4)
dp_impedance dp_impedance_at(const double solimp[5], double depth);

/// @param pair the number of the pair that was given for them, −1: none
void dp_combine(dp_touch_law *out, const dp_model *m, int a, int b, int pair);

/// The spring and damper that solref and solimp mean for a row of mobility A [1/kg]: (R 4) of
/// ratio.c. What nothing can move is rigid.
dp_bearing dp_bearing_of(const double solref[2], const double solimp[5], double A);

/// (MX 3): the damping ratio of a restitution e, 0 … 1.
double dp_damping_ratio(double e);

#endif
