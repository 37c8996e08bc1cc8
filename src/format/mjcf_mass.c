// What <compiler> does to masses once they are known: boundmass and boundinertia, then
// balanceinertia, then settotalmass.
#include "format/mjcf.h"

#include "geom/mass.h"
#include "model/spec.h"

// Mass properties as they stand: given, or the sum over the body's geoms, which start at *geom and
// were added one after the other.
static dp_inertial take_inertial(const dp_spec *spec, int body, int *geom, const dp_inertial *part)
{
    const dp_geom_entry *geoms = dp_spec_geoms(spec);
    const int ngeom = dp_spec_geom_count(spec);
    while (*geom < ngeom && geoms[*geom].body < body) {
        ++*geom; // of the world
    }
    const int first = *geom;
    while (*geom < ngeom && geoms[*geom].body == body) {
        ++*geom;
    }
    const dp_body_spec *given = &dp_spec_bodies(spec)[body].spec;
    return given->inertia_source == DP_INERTIA_GIVEN ? given->inertial
                                                     : dp_inertial_sum(part + first, *geom - first);
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

dp_status dp_mjcf_adjust_masses(dp_mjcf *m)
{
    const dp_mjcf_compiler *c = &m->compiler;
    if (c->bound_mass == 0.0 && c->bound_inertia == 0.0 && !c->balance_inertia &&
        !(c->total_mass > 0.0)) {
        return DP_OK;
    }
    dp_inertial *part;
    DP_TRY(dp_pool_take(&part, &m->pool, (size_t)dp_spec_geom_count(m->spec), sizeof *part));
    DP_TRY(dp_spec_geom_inertials(part, m->spec, &m->pool));
    const int nbody = dp_spec_body_count(m->spec);
    double total = 0.0; // [kg]
    int geom = 0;
    for (int b = 1; b < nbody; ++b) {
        dp_body_spec *body = dp_spec_body(m->spec, (dp_body_id){b});
        body->inertial = take_inertial(m->spec, b, &geom, part);
        bound_and_balance(&body->inertial, c);
        body->inertia_source = DP_INERTIA_GIVEN;
        total += body->inertial.mass;
    }
    if (c->total_mass > 0.0 && total > 0.0) {
        const double scale = c->total_mass / total;
        for (int b = 1; b < nbody; ++b) {
            dp_inertial *x = &dp_spec_body(m->spec, (dp_body_id){b})->inertial;
            x->mass *= scale;
            x->moments = dp_v3_scale(x->moments, scale);
        }
    }
    return DP_OK;
}
