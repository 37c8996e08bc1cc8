// What <compiler> does to masses once they are known: boundmass and boundinertia, then
// balanceinertia, then settotalmass.
#include "io/mjcf/mjcf.h"

#include "geom/mass.h"
#include "model/spec/spec.h"

// The mass properties of all geoms, those of one body after the other: of body b from start[b] to
// start[b + 1]. Attached geoms may stand far from others of their body.
typedef struct geom_parts {
    dp_inertial *part;
    int *start;
} geom_parts;

static dp_status gather_parts(geom_parts *out, dp_mjcf *m)
{
    const dp_spec *spec = m->spec;
    const dp_geom_entry *geoms = dp_spec_geoms(spec);
    const size_t ngeom = (size_t)dp_spec_geom_count(spec);
    const size_t nbody = (size_t)dp_spec_body_count(spec);
    dp_inertial *own;
    int *next;
    DP_TRY(dp_pool_take(&own, &m->pool, ngeom, sizeof *own));
    DP_TRY(dp_pool_take(&out->part, &m->pool, ngeom, sizeof *out->part));
    DP_TRY(dp_pool_take(&out->start, &m->pool, nbody + 1, sizeof *out->start));
    DP_TRY(dp_pool_take(&next, &m->pool, nbody, sizeof *next));
    DP_TRY(dp_spec_geom_inertials(own, spec, &m->pool));
    for (size_t i = 0; i < ngeom; ++i) {
        ++out->start[geoms[i].body + 1];
    }
    for (size_t b = 0; b < nbody; ++b) {
        out->start[b + 1] += out->start[b];
        next[b] = out->start[b];
    }
    for (size_t i = 0; i < ngeom; ++i) {
        out->part[next[geoms[i].body]++] = own[i];
    }
    return DP_OK;
}

// Mass properties as they stand: given, or the sum over the body's geoms.
static dp_inertial take_inertial(const dp_spec *spec, int body, const geom_parts *parts)
{
    const dp_body_spec *given = &dp_spec_bodies(spec)[body].spec;
    const int first = parts->start[body], end = parts->start[body + 1];
    return given->inertia_source == DP_INERTIA_SOURCE_GIVEN
               ? given->inertial
               : dp_inertial_sum(parts->part + first, end - first);
}

static void bound_and_balance(dp_inertial *x, const dp_mjcf_compiler *c)
{
    dp_v3 *I = &x->moments;
    x->mass = fmax(x->mass, c->bound_mass);
    *I = (dp_v3){fmax(I->x, c->bound_inertia), fmax(I->y, c->bound_inertia),
                 fmax(I->z, c->bound_inertia)};
    const bool impossible = I->x + I->y < I->z || I->y + I->z < I->x || I->z + I->x < I->y;
    if (c->balance_inertia && impossible) {
        const double mean = (I->x + I->y + I->z) / 3.0;
        *I = (dp_v3){mean, mean, mean};
    }
}

// Attached bodies were bounded by the settings of their own model; a total is for the main model to
// set. So it is in MuJoCo.
dp_status dp_mjcf_adjust_masses(dp_mjcf *m)
{
    const dp_mjcf_compiler *c = &m->compiler;
    const bool bounded = c->bound_mass != 0.0 || c->bound_inertia != 0.0 || c->balance_inertia;
    const bool scaled = c->total_mass > 0.0 && !m->above;
    if (!bounded && !scaled) {
        return DP_OK;
    }
    geom_parts parts;
    bool *attached;
    const int nbody = dp_spec_body_count(m->spec);
    DP_TRY(gather_parts(&parts, m));
    DP_TRY(dp_pool_take(&attached, &m->pool, (size_t)nbody, sizeof *attached));
    dp_mjcf_mark_attached(attached, m);
    double total = 0.0; // [kg]
    for (int b = 1; b < nbody; ++b) {
        if (attached[b] && !scaled) {
            continue;
        }
        dp_body_spec *body = dp_spec_body(m->spec, (dp_body_id){b});
        body->inertial = take_inertial(m->spec, b, &parts);
        if (!attached[b]) {
            bound_and_balance(&body->inertial, c);
        }
        body->inertia_source = DP_INERTIA_SOURCE_GIVEN;
        total += body->inertial.mass;
    }
    if (scaled && total > 0.0) {
        const double scale = c->total_mass / total;
        for (int b = 1; b < nbody; ++b) {
            dp_inertial *x = &dp_spec_body(m->spec, (dp_body_id){b})->inertial;
            x->mass *= scale;
            x->moments = dp_v3_scale(x->moments, scale);
        }
    }
    return DP_OK;
}
