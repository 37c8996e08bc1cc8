// Shells in closed form, piece by piece; only the ellipsoid takes an integral.
//
// With u on the unit sphere, x_i = a_i u_i is on the ellipsoid, and dA = a₁a₂a₃ √Q dΩ where
// Q = Σ α_i u_i², α_i = 1/a_i². So area and moments are means over the sphere, of √Q and of u_i²
// √Q. Writing √Q = Q/√Q makes them means of products of u_i² with Q^(−1/2), which are single
// integrals [DLMF, 19.23.9 and 19.16.9]. With s = √((t+α₁)(t+α₂)(t+α₃)),
//
//     ⟨√Q⟩     = 1/4  ∫₀^∞ Σ_j α_j/(t+α_j) t/s dt                                        (SHELL 1)
//     ⟨u_i²√Q⟩ = 1/16 ∫₀^∞ Σ_j w_ij α_j/(t+α_j) t²/((t+α_i) s) dt                        (SHELL 2)
//
// where w_ij = 3 if i = j, else 1; (SHELL 1) is Carlson's R_G [DLMF, 19.16.2_5]. Nothing is
// subtracted, so nothing is lost, however flat or long the ellipsoid. With t = e^x the integrands
// are analytic for |Im x| < π and decay exponentially on both sides: the trapezoidal rule with step
// η errs by about e^(−2π²/η) of the result [TrefethenWeideman2014, §5]. η = ½ ln 2 makes that
// 2e-25, and the nodes are powers of √2.
#include "geom/shell.h"

#include "math/angle.h"

typedef struct ellipsoid_means {
    double area;      // ⟨√Q⟩
    double square[3]; // ⟨u_i² √Q⟩
} ellipsoid_means;

// α is taken relative to the longest axis, so the means are in units of 1/a_max. Not a number when
// the axes differ by more than 100 powers of ten.
static ellipsoid_means integrate_ellipsoid(const double size[3], double longest)
{
    const double half_ln2 = 0.34657359027997265; // η
    // Where the integrands are below 1e-17 of the whole: they grow as t² or faster up to the
    // smallest α, which is 1, and fall as t^(−1/2) beyond the largest.
    const int below = 2 * 30, beyond = 2 * 116;

    double alpha[3];
    for (int i = 0; i < 3; ++i) {
        const double ratio = longest / size[i];
        alpha[i] = ratio * ratio;
    }
    const double largest = fmax(alpha[0], fmax(alpha[1], alpha[2]));
    if (!(largest < 1e200)) { // axes so different that t would leave the numbers
        return (ellipsoid_means){NAN, {NAN, NAN, NAN}};
    }
    int exponent;
    (void)frexp(largest, &exponent);

    ellipsoid_means sum = {.area = 0.0};
    for (int k = -below; k <= 2 * exponent + beyond; ++k) {
        // t = √2^k; an odd k is twice its half, rounded down, and one
        const bool odd = k % 2 != 0;
        const double t = ldexp(odd ? sqrt(2.0) : 1.0, (k - (odd ? 1 : 0)) / 2);
        double share[3], part[3], s = 1.0; // α/(t+α) and t/(t+α)
        for (int i = 0; i < 3; ++i) {
            share[i] = alpha[i] / (t + alpha[i]);
            part[i] = t / (t + alpha[i]);
            s *= sqrt(part[i]); // in the end t^(3/2)/s
        }
        const double all = share[0] + share[1] + share[2];
        const double weight = half_ln2 * s * sqrt(t); // η t (t/s) and dt = t dx
        sum.area += weight * all / 4.0;
        for (int i = 0; i < 3; ++i) {
            sum.square[i] += weight * part[i] * (all + 2.0 * share[i]) / 16.0;
        }
    }
    return sum;
}

static double longest_of(const double size[3])
{
    return fmax(size[0], fmax(size[1], size[2]));
}

double dp_shape_area(dp_geom_kind kind, const double size[3])
{
    const double r = size[0], l = size[1];
    switch (kind) {
    case DP_GEOM_SPHERE:
        return 4.0 * DP_PI * r * r;
    case DP_GEOM_CAPSULE:
        return 4.0 * DP_PI * r * (r + l);
    case DP_GEOM_CYLINDER:
        return 2.0 * DP_PI * r * (r + 2.0 * l);
    case DP_GEOM_ELLIPSOID: {
        const double longest = longest_of(size);
        const double mean = integrate_ellipsoid(size, longest).area;
        return 4.0 * DP_PI * size[0] * size[1] * size[2] / longest * mean;
    }
    case DP_GEOM_BOX:
        return 8.0 * (size[0] * size[1] + size[1] * size[2] + size[2] * size[0]);
    case DP_GEOM_PLANE:
    case DP_GEOM_MESH:
    case DP_GEOM_HFIELD:
        break;
    }
    return 0.0;
}

// A moment about x is ∫(y² + z²).
static dp_v3 moments_from_squares(double xx, double yy, double zz)
{
    return (dp_v3){yy + zz, xx + zz, xx + yy};
}

// A tube of half length l between two half spheres. A half sphere has equal areas at equal heights
//, so beyond the end of the tube z is evenly spread over [l, l + r].
static dp_v3 capsule_moments(double r, double l)
{
    const double tube = l / (r + l), balls = r / (r + l); // shares of the area
    const double across = tube * r * r / 2.0 + balls * r * r / 3.0;
    const double along = tube * l * l / 3.0 + balls * (l * l + l * r + r * r / 3.0);
    return moments_from_squares(across, across, along);
}

// A tube with two discs at ±l.
static dp_v3 cylinder_moments(double r, double l)
{
    const double tube = 2.0 * l / (r + 2.0 * l), discs = r / (r + 2.0 * l);
    const double across = tube * r * r / 2.0 + discs * r * r / 4.0;
    const double along = tube * l * l / 3.0 + discs * l * l;
    return moments_from_squares(across, across, along);
}

// Three pairs of rectangles; x² is a² on the pair that faces x, a²/3 on average on the others.
static dp_v3 box_moments(const double size[3])
{
    const double face[3] = {size[1] * size[2], size[2] * size[0], size[0] * size[1]};
    const double all = face[0] + face[1] + face[2];
    double square[3];
    for (int i = 0; i < 3; ++i) {
        square[i] = size[i] * size[i] * (all + 2.0 * face[i]) / (3.0 * all);
    }
    return moments_from_squares(square[0], square[1], square[2]);
}

dp_v3 dp_shell_moments(dp_geom_kind kind, const double size[3])
{
    const double r = size[0];
    switch (kind) {
    case DP_GEOM_SPHERE:
        return moments_from_squares(r * r / 3.0, r * r / 3.0, r * r / 3.0);
    case DP_GEOM_CAPSULE:
        return capsule_moments(r, size[1]);
    case DP_GEOM_CYLINDER:
        return cylinder_moments(r, size[1]);
    case DP_GEOM_ELLIPSOID: {
        const ellipsoid_means mean = integrate_ellipsoid(size, longest_of(size));
        double square[3];
        for (int i = 0; i < 3; ++i) {
            square[i] = size[i] * size[i] * mean.square[i] / mean.area;
        }
        return moments_from_squares(square[0], square[1], square[2]);
    }
    case DP_GEOM_BOX:
        return box_moments(size);
    case DP_GEOM_PLANE:
    case DP_GEOM_MESH:
    case DP_GEOM_HFIELD:
        break;
    }
    return (dp_v3){0.0, 0.0, 0.0};
}
