// Mass properties of bodies, given or from their geoms, and the refusal of bodies that move without
// mass.
#include "geom/mass.h"
#include "model/compile/compile.h"

// Mass and moments below this could overflow when they divide. Far below anything physical.
static const double SMALLEST = 1e-100; // [kg, kg m²]

static dp_status check_inertial(const dp_compiler *c, int b, const dp_inertial *inertial)
{
    const double tolerance = 1e-9; // of the largest moment: numbers in files are rounded
    const dp_v3 I = inertial->moments;
    if (inertial->mass < 0.0) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_BODY, b,
                            "has mass %g kg (expected a mass ≥ 0)", inertial->mass);
    }
    if (I.x < 0.0 || I.y < 0.0 || I.z < 0.0) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_BODY, b,
                            "has moments of inertia %g, %g, %g kg m² (expected numbers ≥ 0)", I.x,
                            I.y, I.z);
    }
    if (!isfinite(inertial->mass) || !dp_v3_finite(I) || !dp_v3_finite(inertial->frame.p)) {
        return dp_spec_fail(
            DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_BODY, b,
            "has mass %g kg and moments of inertia %g, %g, %g kg m² (expected finite "
            "numbers)",
            inertial->mass, I.x, I.y, I.z);
    }
    const double largest = fmax(I.x, fmax(I.y, I.z));
    const double others = fmin(I.x + I.y, fmin(I.y + I.z, I.z + I.x));
    if (others < largest * (1.0 - tolerance)) {
        return dp_spec_fail(
            DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_BODY, b,
            "has moments of inertia %g, %g, %g kg m², which no mass has (expected each "
            "at most the sum of the others)",
            I.x, I.y, I.z);
    }
    return DP_OK;
}

// Fill in what the dynamics need, about the origin of the body.
static void set_inertia(dp_body *body, const dp_inertial *inertial)
{
    body->inertial = *inertial;
    body->mass = inertial->mass;
    body->moment = dp_v3_scale(inertial->frame.p, inertial->mass);
    body->inertia_com = dp_inertial_tensor(inertial);
    body->inertia = dp_inertial_tensor_about_origin(inertial);
    const dp_v3 c = inertial->frame.p;
    body->round = c.x == 0.0 && c.y == 0.0 && c.z == 0.0 && dp_sym3_is_round(body->inertia);
}

static dp_status inertial_of_body(dp_inertial *out, const dp_compiler *c, int b, dp_inertial *part)
{
    const dp_body_spec *body = &dp_spec_bodies(c->spec)[b].spec;
    if (body->inertia_source == DP_INERTIA_SOURCE_GIVEN) {
        *out = body->inertial;
        if (!dp_normalise_quat(&out->frame.q)) {
            return dp_spec_fail(DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_BODY, b,
                                "has a zero quaternion for its inertia (expected an orientation)");
        }
        return check_inertial(c, b, out);
    }
    const int start = c->geom_start[b], count = c->geom_start[b + 1] - start;
    for (int k = 0; k < count; ++k) {
        const int g = c->body_geom[start + k];
        const int mesh = c->geom[g].mesh;
        const dp_status status = dp_geom_inertial_with(&part[k], &dp_spec_geoms(c->spec)[g].spec,
                                                       mesh >= 0 ? &c->mesh[mesh].moments : NULL);
        if (status != DP_OK) {
            return dp_fail_at(status, dp_spec_where(c->spec, DP_ELEMENT_GEOM, g), "%s is %s",
                              dp_spec_label(c->spec, DP_ELEMENT_GEOM, g).text, dp_last_error());
        }
    }
    *out = dp_inertial_sum(part, count);
    return check_inertial(c, b, out);
}

static bool has_inertia(double mass, dp_v3 I)
{
    return mass > SMALLEST && I.x > SMALLEST && I.y > SMALLEST && I.z > SMALLEST;
}

// A body that moves and all that is welded to it, in the frame of that body.
typedef struct cluster {
    dp_pose pose; // of each body in the frame of the body that moves it
    double mass;
    dp_v3 moment;
    dp_sym3 inertia; // about the origin
    bool complete;   // a single part has mass and moments: then so has the whole
} cluster;

static void add_to_cluster(cluster *whole, const dp_inertial *own, dp_pose pose)
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
static dp_v3 cluster_moments(const cluster *whole)
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

static dp_status check_moving_bodies(dp_compiler *c)
{
    const int nbody = c->m->size.nbody;
    cluster *all;
    DP_TRY(dp_pool_take(&all, &c->scratch, (size_t)nbody, sizeof *all));
    for (int b = 1; b < nbody; ++b) {
        const dp_body *body = &c->body[b];
        if (c->weld[b] == 0) {
            continue; // fixed
        }
        all[b].pose =
            c->weld[b] == b ? DP_IDENTITY_POSE : dp_pose_mul(all[body->parent].pose, body->pose);
        add_to_cluster(&all[c->weld[b]], &body->inertial, all[b].pose);
    }
    for (int b = 1; b < nbody; ++b) {
        if (c->weld[b] != b || all[b].complete) {
            continue;
        }
        if (!(all[b].mass > SMALLEST)) {
            return dp_spec_fail(
                DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_BODY, b,
                "moves but has mass %g kg (expected a mass > 0 from <inertial> or geoms)",
                all[b].mass);
        }
        const dp_v3 I = cluster_moments(&all[b]);
        if (!has_inertia(all[b].mass, I)) {
            return dp_spec_fail(
                DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_BODY, b,
                "moves but has moments of inertia %g, %g, %g kg m² (expected all > 0)", I.x, I.y,
                I.z);
        }
    }
    return DP_OK;
}

dp_status dp_compile_inertia(dp_compiler *c)
{
    dp_inertial *part;
    DP_TRY(dp_pool_take(&part, &c->scratch, (size_t)c->m->size.ngeom, sizeof *part));
    const dp_inertial none = {.frame = DP_IDENTITY_POSE};
    set_inertia(&c->body[0], &none); // the world has no mass of its own
    for (int b = 1; b < c->m->size.nbody; ++b) {
        dp_inertial inertial = none;
        DP_TRY(inertial_of_body(&inertial, c, b, part));
        set_inertia(&c->body[b], &inertial);
        const dp_sym3 I = c->body[b].inertia;
        if (!isfinite(I.xx + I.yy + I.zz)) {
            return dp_spec_fail(
                DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_BODY, b,
                "has mass %g kg at (%g, %g, %g) m, too far from its origin (expected an inertia "
                "that can be computed)",
                inertial.mass, inertial.frame.p.x, inertial.frame.p.y, inertial.frame.p.z);
        }
    }
    return check_moving_bodies(c);
}
