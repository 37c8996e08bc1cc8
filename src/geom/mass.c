// Closed forms for homogeneous solids, the parallel-axis theorem, and principal axes by Jacobi
// rotations.
#include "geom/mass.h"

#include "math/angle.h"

double dp_shape_volume(dp_geom_kind kind, const double size[3])
{
    const double r = size[0], l = size[1];
    switch (kind) {
    case DP_GEOM_PLANE:
    case DP_GEOM_MESH:
    case DP_GEOM_HFIELD:
        return 0.0;
    case DP_GEOM_SPHERE:
        return 4.0 / 3.0 * DP_PI * r * r * r;
    case DP_GEOM_CAPSULE:
        return DP_PI * r * r * (2.0 * l + 4.0 / 3.0 * r);
    case DP_GEOM_CYLINDER:
        return DP_PI * r * r * 2.0 * l;
    case DP_GEOM_ELLIPSOID:
        return 4.0 / 3.0 * DP_PI * size[0] * size[1] * size[2];
    case DP_GEOM_BOX:
        return 8.0 * size[0] * size[1] * size[2];
    }
    return 0.0;
}

// A cylinder of half length l between two half balls, each with its centre of mass 3r/8 beyond the
// end.
static dp_v3 capsule_moments(double r, double l)
{
    const double total = 2.0 * l + 4.0 / 3.0 * r; // volume / (π r²)
    const double cylinder = 2.0 * l / total;      // shares of the mass
    const double ball = 4.0 / 3.0 * r / total;
    const double across = cylinder * (r * r / 4.0 + l * l / 3.0) +
                          ball * (2.0 / 5.0 * r * r + l * l + 3.0 / 4.0 * l * r);
    const double along = cylinder * (r * r / 2.0) + ball * (2.0 / 5.0 * r * r);
    return (dp_v3){across, across, along};
}

// Ellipsoids and boxes: ∫x² = k a² per unit mass, and the moment about x is ∫(y² + z²).
static dp_v3 moments_from_squares(double k, const double size[3])
{
    const double xx = k * size[0] * size[0], yy = k * size[1] * size[1], zz = k * size[2] * size[2];
    return (dp_v3){yy + zz, xx + zz, xx + yy};
}

dp_v3 dp_shape_moments(dp_geom_kind kind, const double size[3])
{
    const double r = size[0], l = size[1];
    switch (kind) {
    case DP_GEOM_PLANE:
    case DP_GEOM_MESH:
    case DP_GEOM_HFIELD:
        return (dp_v3){0.0, 0.0, 0.0};
    case DP_GEOM_SPHERE:
        return (dp_v3){0.4 * r * r, 0.4 * r * r, 0.4 * r * r};
    case DP_GEOM_CAPSULE:
        return capsule_moments(r, l);
    case DP_GEOM_CYLINDER: {
        const double across = r * r / 4.0 + l * l / 3.0;
        return (dp_v3){across, across, r * r / 2.0};
    }
    case DP_GEOM_ELLIPSOID:
        return moments_from_squares(1.0 / 5.0, size);
    case DP_GEOM_BOX:
        return moments_from_squares(1.0 / 3.0, size);
    }
    return (dp_v3){0.0, 0.0, 0.0};
}

// Rᵀ A R with R = R(axes)
static dp_sym3 in_axes(dp_quat axes, dp_sym3 A)
{
    const dp_m3 Rt = dp_m3_from_quat(dp_quat_conjugate(axes));
    return dp_sym3_rotate(&Rt, A);
}

// axes ← axes · (rotation by θ about their own axis k), given c = cos(θ/2) and s = sin(θ/2)
static dp_quat turn_about_axis(dp_quat axes, int k, double c, double s)
{
    const dp_quat turn = {c, k == 0 ? s : 0.0, k == 1 ? s : 0.0, k == 2 ? s : 0.0};
    return dp_quat_unit(dp_quat_mul(axes, turn));
}

void dp_principal_axes(dp_v3 *values, dp_quat *axes, dp_sym3 A)
{
    enum { MAX_ROTATIONS = 60 };    // Jacobi converges quadratically; ten or so are enough
    const double round_off = 1e-16; // of the largest eigenvalue: what may be left off the diagonal
    const double tie = 1e-12;       // eigenvalues closer than this are equal and keep their order
    const double half = sqrt(0.5);  // cos 45° = sin 45°

    dp_quat q = {1.0, 0.0, 0.0, 0.0};
    dp_sym3 D = A;
    double scale = fmax(fabs(D.xx), fmax(fabs(D.yy), fabs(D.zz)));
    for (int rotation = 0; rotation < MAX_ROTATIONS; ++rotation) {
        // The largest element off the diagonal, between axes a and b. To take a towards b is to
        // turn about the third axis k, for a = x, b = z in the negative sense.
        int k = 0;
        double ab = D.yz, aa = D.yy, bb = D.zz, sense = 1.0;
        if (fabs(D.xz) > fabs(ab)) {
            k = 1, ab = D.xz, aa = D.xx, bb = D.zz, sense = -1.0;
        }
        if (fabs(D.xy) > fabs(ab)) {
            k = 2, ab = D.xy, aa = D.xx, bb = D.yy, sense = 1.0;
        }
        if (!(fabs(ab) > round_off * scale)) {
            break;
        }
        // tan 2θ = 2 D_ab/(D_aa − D_bb); of its solutions the one with |θ| ≤ 45°
        const double cot = (aa - bb) / (2.0 * ab);
        const double t = (cot > 0.0 ? 1.0 : -1.0) / (fabs(cot) + sqrt(1.0 + cot * cot));
        const double cos_theta = 1.0 / sqrt(1.0 + t * t);
        const double c = sqrt(0.5 * (1.0 + cos_theta));
        const double s = t * cos_theta / (2.0 * c);
        q = turn_about_axis(q, k, c, sense * s);
        D = in_axes(q, A);
        scale = fmax(fabs(D.xx), fmax(fabs(D.yy), fabs(D.zz)));
    }

    double value[3] = {D.xx, D.yy, D.zz};
    for (int pass = 0; pass < 3; ++pass) { // three swaps of neighbours sort three values
        const int i = pass % 2;
        if (value[i] + tie * scale < value[i + 1]) {
            const double smaller = value[i];
            value[i] = value[i + 1];
            value[i + 1] = smaller;
            q = turn_about_axis(q, (i + 2) % 3, half, half);
        }
    }
    *values = (dp_v3){value[0], value[1], value[2]};
    *axes = q;
}

dp_sym3 dp_inertial_tensor(const dp_inertial *part)
{
    const dp_m3 R = dp_m3_from_quat(part->frame.q);
    const dp_v3 d = part->moments;
    return dp_sym3_rotate(&R, (dp_sym3){.xx = d.x, .yy = d.y, .zz = d.z});
}

// I + m(|d|² 1 − d dᵀ): the rotational inertia about a point that lies at d from the centre of mass
static dp_sym3 about_other_point(dp_sym3 I, double m, dp_v3 d)
{
    return (dp_sym3){I.xx + m * (d.y * d.y + d.z * d.z),
                     I.yy + m * (d.x * d.x + d.z * d.z),
                     I.zz + m * (d.x * d.x + d.y * d.y),
                     I.xy - m * d.x * d.y,
                     I.xz - m * d.x * d.z,
                     I.yz - m * d.y * d.z};
}

static dp_sym3 sum_of(dp_sym3 A, dp_sym3 B)
{
    return (dp_sym3){A.xx + B.xx, A.yy + B.yy, A.zz + B.zz, A.xy + B.xy, A.xz + B.xz, A.yz + B.yz};
}

dp_sym3 dp_inertial_tensor_about_origin(const dp_inertial *part)
{
    return about_other_point(dp_inertial_tensor(part), part->mass, part->frame.p);
}

dp_inertial dp_inertial_sum(const dp_inertial *part, int count)
{
    dp_inertial sum = {.frame = DP_IDENTITY_POSE};
    dp_v3 moment = {0.0, 0.0, 0.0};
    int heavy = 0, latest = 0; // how many parts have mass, and the latest that has
    for (int i = 0; i < count; ++i) {
        sum.mass += part[i].mass;
        moment = dp_v3_madd(moment, part[i].mass, part[i].frame.p);
        if (part[i].mass > 0.0) {
            latest = i;
            ++heavy;
        }
    }
    if (!(sum.mass > 0.0)) {
        return sum;
    }
    if (heavy == 1) {
        return part[latest];
    }

    sum.frame.p = dp_v3_scale(moment, 1.0 / sum.mass);
    dp_sym3 I = {.xx = 0.0};
    double least = 0.0; // the smallest moment of a sum is at least the sum of the smallest
    for (int i = 0; i < count; ++i) {
        const dp_v3 own = part[i].moments;
        least += fmin(own.x, fmin(own.y, own.z));
        const dp_v3 d = dp_v3_sub(part[i].frame.p, sum.frame.p);
        I = sum_of(I, about_other_point(dp_inertial_tensor(&part[i]), part[i].mass, d));
    }
    dp_principal_axes(&sum.moments, &sum.frame.q, I);
    sum.moments.z = fmax(sum.moments.z, least); // a thin rod: its moment may drown in round-off
    return sum;
}
