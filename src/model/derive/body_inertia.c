#include "model/derive/body_inertia.h"

#include "geom/mass.h"

#include <string.h>

// Mass and moments below this could overflow when they divide. Far below anything physical.
static const double SMALLEST = 1e-100; // [kg, kg m²]

dp_status dp_inertial_check(const dp_inertial *inertial)
{
    const double tolerance = 1e-9; // of the largest moment: numbers in files are rounded
    const dp_v3 I = inertial->moments;
    if (inertial->mass < 0.0) {
        return dp_fail(DP_ERROR_ARGUMENT, "has mass %g kg (expected a mass ≥ 0)", inertial->mass);
    }
    if (I.x < 0.0 || I.y < 0.0 || I.z < 0.0) {
        return dp_fail(DP_ERROR_ARGUMENT,
                       "has moments of inertia %g, %g, %g kg m² (expected numbers ≥ 0)", I.x, I.y,
                       I.z);
    }
    if (!isfinite(inertial->mass) || !dp_v3_finite(I) || !dp_v3_finite(inertial->frame.p)) {
        return dp_fail(DP_ERROR_ARGUMENT,
                       "has mass %g kg and moments of inertia %g, %g, %g kg m² (expected finite "
                       "numbers)",
                       inertial->mass, I.x, I.y, I.z);
    }
    const double largest = fmax(I.x, fmax(I.y, I.z));
    const double others = fmin(I.x + I.y, fmin(I.y + I.z, I.z + I.x));
    if (others < largest * (1.0 - tolerance)) {
        return dp_fail(DP_ERROR_ARGUMENT,
                       "has moments of inertia %g, %g, %g kg m², which no mass has (expected each "
                       "at most the sum of the others)",
                       I.x, I.y, I.z);
    }
    const dp_sym3 about_origin = dp_inertial_tensor_about_origin(inertial);
    if (!isfinite(about_origin.xx + about_origin.yy + about_origin.zz)) {
        const dp_v3 c = inertial->frame.p;
        return dp_fail(DP_ERROR_ARGUMENT,
                       "has mass %g kg at (%g, %g, %g) m, too far from its origin (expected an "
                       "inertia that can be computed)",
                       inertial->mass, c.x, c.y, c.z);
    }
    return DP_OK;
}

void dp_body_set_inertial(dp_body *body, const dp_inertial *inertial)
{
    body->inertial = *inertial;
    body->mass = inertial->mass;
    body->moment = dp_v3_scale(inertial->frame.p, inertial->mass);
    body->inertia_com = dp_inertial_tensor(inertial);
    body->inertia = dp_inertial_tensor_about_origin(inertial);
    const dp_v3 c = inertial->frame.p;
    body->round = c.x == 0.0 && c.y == 0.0 && c.z == 0.0 && dp_sym3_is_round(body->inertia);
}

static bool has_inertia(double mass, dp_v3 I)
{
    return mass > SMALLEST && I.x > SMALLEST && I.y > SMALLEST && I.z > SMALLEST;
}

static void add_to_cluster(dp_cluster *whole, const dp_inertial *own, dp_pose pose)
{
    dp_inertial part = *own;
    part.frame = dp_pose_mul(pose, own->frame);
    const dp_sym3 I = dp_inertial_tensor_about_origin(&part);
    whole->mass += part.mass;
    whole->moment = dp_v3_madd(whole->moment, part.mass, part.frame.p);
    whole->inertia.xx += I.xx;
    whole->inertia.yy += I.yy;
    whole->inertia.zz += I.zz;
    whole->inertia.xy += I.xy;
    whole->inertia.xz += I.xz;
    whole->inertia.yz += I.yz;
    whole->complete |= has_inertia(part.mass, part.moments);
}

// The moments of inertia of a cluster that is made of points or rods, about its centre of mass.
static dp_v3 cluster_moments(const dp_cluster *whole)
{
    const double round_off = 1e-12; // of the trace about the origin: what is left counts as zero
    const double m = whole->mass;
    const dp_v3 s = whole->moment;
    dp_sym3 I = whole->inertia;
    const double trace = I.xx + I.yy + I.zz;
    I.xx -= (s.y * s.y + s.z * s.z) / m;
    I.yy -= (s.x * s.x + s.z * s.z) / m;
    I.zz -= (s.x * s.x + s.y * s.y) / m;
    I.xy += s.x * s.y / m;
    I.xz += s.x * s.z / m;
    I.yz += s.y * s.z / m;
    dp_v3 moments;
    dp_quat axes;
    dp_principal_axes(&moments, &axes, I);
    if (moments.z < round_off * trace) { // they come in decreasing order
        moments.z = 0.0;
    }
    return moments;
}

dp_status dp_moving_bodies_check(const dp_model *m, dp_cluster *all, int *culprit)
{
    memset(all, 0, (size_t)m->size.nbody * sizeof *all);
    for (int b = 1; b < m->size.nbody; ++b) {
        const dp_body *body = &m->body[b];
        if (m->weld[b] == 0) {
            continue; // fixed
        }
        all[b].pose =
            m->weld[b] == b ? DP_IDENTITY_POSE : dp_pose_mul(all[body->parent].pose, body->pose);
        add_to_cluster(&all[m->weld[b]], &body->inertial, all[b].pose);
    }
    for (int b = 1; b < m->size.nbody; ++b) {
        if (m->weld[b] != b || all[b].complete) {
            continue;
        }
        *culprit = b;
        if (!(all[b].mass > SMALLEST)) {
            return dp_fail(
                DP_ERROR_ARGUMENT,
                "moves but has mass %g kg (expected a mass > 0 from <inertial> or geoms)",
                all[b].mass);
        }
        const dp_v3 I = cluster_moments(&all[b]);
        if (!has_inertia(all[b].mass, I)) {
            return dp_fail(DP_ERROR_ARGUMENT,
                           "moves but has moments of inertia %g, %g, %g kg m² (expected all > 0)",
                           I.x, I.y, I.z);
        }
    }
    return DP_OK;
}
