// Mass properties of bodies, given or from their geoms, and the refusal of bodies that move without
// mass.
#include "geom/mass.h"
#include "model/compile/compile.h"
#include "model/derive/body_inertia.h"

static dp_status check_inertial(const dp_compiler *c, int b, const dp_inertial *inertial)
{
    const dp_status status = dp_inertial_check(inertial);
    return status == DP_OK
               ? DP_OK
               : dp_spec_fail(status, c->spec, DP_ELEMENT_BODY, b, "%s", dp_last_error());
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
        return DP_OK;
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
    return DP_OK;
}

static dp_status check_moving_bodies(dp_compiler *c)
{
    dp_cluster *cluster;
    DP_TRY(dp_pool_take(&cluster, &c->scratch, (size_t)c->m->size.nbody, sizeof *cluster));
    int b = 0;
    const dp_status status = dp_moving_bodies_check(c->m, cluster, &b);
    return status == DP_OK
               ? DP_OK
               : dp_spec_fail(status, c->spec, DP_ELEMENT_BODY, b, "%s", dp_last_error());
}

dp_status dp_compile_inertia(dp_compiler *c)
{
    dp_inertial *part;
    DP_TRY(dp_pool_take(&part, &c->scratch, (size_t)c->m->size.ngeom, sizeof *part));
    const dp_inertial none = {.frame = DP_IDENTITY_POSE};
    dp_body_set_inertial(&c->body[0], &none); // the world has no mass of its own
    for (int b = 1; b < c->m->size.nbody; ++b) {
        dp_inertial inertial = none;
        DP_TRY(inertial_of_body(&inertial, c, b, part));
        DP_TRY(check_inertial(c, b, &inertial));
        dp_body_set_inertial(&c->body[b], &inertial);
    }
    return check_moving_bodies(c);
}
