#include "model/combine_materials.h"

#include "math/elementary.h"
#include "math/exponential.h"

#include <math.h>
#include <string.h>

// As in MuJoCo.
static double clamped(double share)
{
    const double most = 0.9999, least = 0.0001;
    return fmin(fmax(share, least), most);
}

static double power(double x, double p)
{
    return p == 1.0 ? x : p == 2.0 ? x * x : dp_pow(x, p);
}

dp_impedance dp_impedance_at(const double solimp[5], double depth)
{
    const double d0 = clamped(solimp[0]), d1 = clamped(solimp[1]), width = solimp[2];
    const double middle = clamped(solimp[3]), p = fmax(solimp[4], 1.0);
    if (!(depth < width)) {
        return (dp_impedance){1.0, 1.0, 0.0};
    }
    const double x = depth / width;
    const bool early = x <= middle;
    const double from = early ? x : 1.0 - x, way = early ? middle : 1.0 - middle;
    const double share = from / way, part = way * power(share, p); // fromᵖ/wayᵖ⁻¹
    const double d = d0 + (d1 - d0) * (early ? part : 1.0 - part);
    const double rise = from > 0.0 ? (d1 - d0) * p * part / from : 0.0; // dd/dx
    const double damping = d / d1 * ((1.0 - d1) / (1.0 - d));
    return (dp_impedance){.stiffness = d / d1 * damping,
                          .damping = damping,
                          .exponent = x * rise * (2.0 / d + 1.0 / (1.0 - d))};
}

dp_bearing dp_bearing_of(const double solref[2], const double solimp[5], double A)
{
    const double d = clamped(solimp[1]);
    const double still = 1e-15; // of mobilities, the same
    if (!(A > still)) {
        return (dp_bearing){INFINITY, 0.0};
    }
    const double inertia = 1.0 / ((1.0 - d) * A);
    if (solref[0] > 0.0) {
        const double tau = solref[0], zeta = solref[1];
        return (dp_bearing){inertia / (tau * tau * zeta * zeta), 2.0 * inertia / tau};
    }
    return (dp_bearing){-solref[0] * inertia, -solref[1] * inertia};
}

// The share of geom 0 in the mixed solver numbers, as in MuJoCo.
static double share_of_first(const dp_contact_spec *a, const dp_contact_spec *b)
{
    const double least = 1e-15;
    if (a->solmix >= least && b->solmix >= least) {
        return a->solmix / (a->solmix + b->solmix);
    }
    return a->solmix < least && b->solmix < least ? 0.5 : a->solmix < least ? 0.0 : 1.0;
}

static dp_bearing mixed_solver(double solimp[5], const dp_contact_spec *a, const dp_contact_spec *b,
                               double A)
{
    const double share = share_of_first(a, b);
    double solref[2];
    const bool both_ratios = a->solref[0] > 0.0 && b->solref[0] > 0.0;
    for (int i = 0; i < 2; ++i) {
        solref[i] = both_ratios ? share * a->solref[i] + (1.0 - share) * b->solref[i]
                                : fmin(a->solref[i], b->solref[i]);
    }
    for (int i = 0; i < 5; ++i) {
        solimp[i] = share * a->solimp[i] + (1.0 - share) * b->solimp[i];
    }
    return dp_bearing_of(solref, solimp, A);
}

static double series(double a, double b)
{
    return isinf(a) ? b : isinf(b) ? a : a / (1.0 + a / b);
}

// (MX 1), (MX 2): what two springs in series, of which each loses power, lose together.
static double lost_in_series(double k, double k_a, double k_b, double loss_a, double loss_b)
{
    const double from_a = k / k_a, from_b = k / k_b;
    return (from_a > 0.0 ? from_a * from_a * loss_a : 0.0) +
           (from_b > 0.0 ? from_b * from_b * loss_b : 0.0);
}

// (MX 3) for 0 < ζ
static double restitution_of(double zeta)
{
    const double square = (1.0 - zeta) * (1.0 + zeta), omega = sqrt(fabs(square));
    if (omega == 0.0) {
        return dp_exp(-2.0);
    }
    const double angle =
        square > 0.0 ? dp_acos(fmax(2.0 * zeta * zeta - 1.0, -1.0)) : 2.0 * dp_log(zeta + omega);
    return dp_exp(-zeta / omega * angle);
}

double dp_damping_ratio(double e)
{
    double low = 0.0, high = 10.0;
    if (e >= 1.0) {
        return 0.0;
    }
    for (int i = 0; i < 60; ++i) {
        const double zeta = 0.5 * (low + high);
        if (restitution_of(zeta) > e) {
            low = zeta;
        } else {
            high = zeta;
        }
    }
    return 0.5 * (low + high);
}

// E/(1 − ν²); infinite without a modulus.
static double plane_modulus(const dp_material *m)
{
    return m->youngs_modulus > 0.0 ? m->youngs_modulus / (1.0 - m->poisson * m->poisson)
                                   : (double)INFINITY;
}

static double smaller_restitution(double a, double b)
{
    return a < 0.0 ? b : b < 0.0 ? a : fmin(a, b);
}

// Two materials, or one that has its way: a == b.
// @param A [1/kg] mobility of the masses that meet
static void mix_materials(dp_touch_law *out, const dp_material *a, const dp_material *b, double A)
{
    const bool one = a == b;
    const double E_a = plane_modulus(a), E_b = plane_modulus(b);
    const double E = one ? E_a : series(E_a, E_b);
    const double k = one ? a->stiffness : series(a->stiffness, b->stiffness);
    const bool hertz = isfinite(E), drags = a->dissipation > 0.0 || b->dissipation > 0.0;
    out->stiffness = k;
    out->damping = one ? a->damping
                   : isinf(k)
                       ? 0.0
                       : lost_in_series(k, a->stiffness, b->stiffness, a->damping, b->damping);
    out->tangential_stiffness =
        one ? a->tangential_stiffness : series(a->tangential_stiffness, b->tangential_stiffness);
    out->restitution = one ? a->restitution : smaller_restitution(a->restitution, b->restitution);
    if (hertz || drags) {
        const double of_a = hertz ? E_a : a->stiffness, of_b = hertz ? E_b : b->stiffness;
        const double both = hertz ? E : k;
        out->normal.kind = hertz ? DP_NORMAL_HERTZ : DP_NORMAL_HUNT_CROSSLEY;
        out->normal.dissipation =
            one           ? a->dissipation
            : isinf(both) ? 0.0
                          : lost_in_series(both, of_a, of_b, a->dissipation, b->dissipation);
        out->modulus = hertz ? E : 0.0;
        out->damping = 0.0;
        if (isinf(both)) { // rigid: nothing to lose power in
            out->normal.kind = DP_NORMAL_SPRING;
        }
    } else if (out->restitution >= 0.0 && isfinite(k) && A > 0.0) {
        out->damping = 2.0 * dp_damping_ratio(out->restitution) * sqrt(k / A);
    }
}

static void mix_bearing(dp_touch_law *out, const dp_contact_spec *a, const dp_contact_spec *b,
                        double A)
{
    *out = (dp_touch_law){.condim = a->condim > b->condim ? a->condim : b->condim,
                          .friction = out->friction,
                          .restitution = -1.0};
    mix_materials(out, &a->material, &b->material, A);
    const bool material = a->material_given || b->material_given;
    if (!material && (a->solver_given || b->solver_given)) {
        const dp_bearing bearing = mixed_solver(out->solimp, a, b, A);
        out->curved =
            isfinite(bearing.stiffness) && out->solimp[2] > 0.0 && out->solimp[0] != out->solimp[1];
        out->stiffness = bearing.stiffness;
        out->damping = bearing.damping;
        out->normal = (dp_normal){DP_NORMAL_SPRING, 0.0};
        out->modulus = 0.0;
        out->restitution = -1.0;
    }
}

void dp_combine(dp_touch_law *out, const dp_model *m, int ia, int ib, int ipair)
{
    const dp_geom *a = &m->geom[ia], *b = &m->geom[ib];
    const dp_contact_spec *of_a = &a->contact, *of_b = &b->contact;
    const double *first = a->friction, *second = b->friction;
    if (of_a->priority != of_b->priority) { // one of them has its way
        const bool a_wins = of_a->priority > of_b->priority;
        of_a = of_b = a_wins ? of_a : of_b;
        first = second = a_wins ? a->friction : b->friction;
    }
    double mu[3];
    for (int i = 0; i < 3; ++i) {
        mu[i] = fmax(first[i], second[i]);
    }
    out->friction = (dp_friction){{mu[0], mu[0]}, mu[1], {mu[2], mu[2]}};
    if (ipair >= 0) {
        const dp_pair *pair = &m->pair[ipair];
        double *const number[5] = {&out->friction.mu[0], &out->friction.mu[1],
                                   &out->friction.torsion, &out->friction.roll[0],
                                   &out->friction.roll[1]};
        for (int i = 0; i < 5; ++i) {
            *number[i] = pair->friction[i] < 0.0 ? *number[i] : pair->friction[i];
        }
        if (pair->contact_given) {
            of_a = of_b = &pair->contact;
        }
    }
    mix_bearing(out, of_a, of_b, m->body[a->body].give + m->body[b->body].give);
}
