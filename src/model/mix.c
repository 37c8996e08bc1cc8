#include "model/mix.h"

#include <math.h>
#include <string.h>

dp_bearing dp_bearing_of(const double solref[2], const double solimp[5], double A)
{
    const double most = 0.9999, least = 0.0001; // of impedances, as in MuJoCo
    const double d = fmin(fmax(solimp[1], least), most);
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

static dp_bearing mixed_solver(const dp_contact_spec *a, const dp_contact_spec *b, double A)
{
    const double share = share_of_first(a, b);
    double solref[2], solimp[5];
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

// (MX 1)
static dp_bearing in_series(const dp_material *a, const dp_material *b)
{
    if (isinf(a->stiffness) && isinf(b->stiffness)) {
        return (dp_bearing){a->stiffness, 0.0};
    }
    const double k = isinf(a->stiffness)   ? b->stiffness
                     : isinf(b->stiffness) ? a->stiffness
                                           : a->stiffness / (1.0 + a->stiffness / b->stiffness);
    const double from_a = k / a->stiffness, from_b = k / b->stiffness;
    const double damping = (from_a > 0.0 ? from_a * from_a * a->damping : 0.0) +
                           (from_b > 0.0 ? from_b * from_b * b->damping : 0.0);
    return (dp_bearing){k, damping};
}

static double series(double a, double b)
{
    return isinf(a) ? b : isinf(b) ? a : a / (1.0 + a / b);
}

static dp_bearing bearing_between(const dp_model *m, const dp_geom *a, const dp_geom *b,
                                  const dp_contact_spec *of_a, const dp_contact_spec *of_b)
{
    const bool material = of_a->material_given || of_b->material_given;
    if (!material && (of_a->solver_given || of_b->solver_given)) {
        return mixed_solver(of_a, of_b, m->body[a->body].give + m->body[b->body].give);
    }
    return in_series(&of_a->material, &of_b->material);
}

void dp_mix(dp_touch_law *out, const dp_model *m, int ia, int ib, int ipair)
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
    out->condim = of_a->condim > of_b->condim ? of_a->condim : of_b->condim;
    out->friction = (dp_friction){{mu[0], mu[0]}, mu[1], {mu[2], mu[2]}};
    dp_bearing bearing;
    if (of_a == of_b) {
        bearing = of_a->material_given || !of_a->solver_given
                      ? (dp_bearing){of_a->material.stiffness, of_a->material.damping}
                      : mixed_solver(of_a, of_b, m->body[a->body].give + m->body[b->body].give);
        out->tangential_stiffness = of_a->material.tangential_stiffness;
    } else {
        bearing = bearing_between(m, a, b, of_a, of_b);
        out->tangential_stiffness =
            series(of_a->material.tangential_stiffness, of_b->material.tangential_stiffness);
    }
    if (ipair >= 0) {
        const dp_pair *pair = &m->pair[ipair];
        double *const number[5] = {&out->friction.mu[0], &out->friction.mu[1],
                                   &out->friction.torsion, &out->friction.roll[0],
                                   &out->friction.roll[1]};
        for (int i = 0; i < 5; ++i) {
            *number[i] = pair->friction[i] < 0.0 ? *number[i] : pair->friction[i];
        }
        if (pair->contact_given) {
            const dp_contact_spec *own = &pair->contact;
            out->condim = own->condim;
            out->tangential_stiffness = own->material.tangential_stiffness;
            bearing = own->material_given || !own->solver_given
                          ? (dp_bearing){own->material.stiffness, own->material.damping}
                          : mixed_solver(own, own, m->body[a->body].give + m->body[b->body].give);
        }
    }
    out->stiffness = bearing.stiffness;
    out->damping = bearing.damping;
}
