#include "assemble/contact_laws.h"

#include "collide/hertz.h"
#include "model/label.h"

#include <limits.h>
#include <math.h>
#include <string.h>

dp_status dp_contact_find_hertz(dp_touch_law *law, const dp_rows_input *in, const dp_touching *t)
{
    const dp_model *m = in->start.m;
    dp_curvature bend[2];
    for (int k = 0; k < 2; ++k) {
        const dp_geom *g = &m->geom[t->geom[k]];
        const dp_pose X = dp_pose_mul(in->start.kin->link[g->body].X, g->pose);
        DP_TRY(dp_shape_curvature(&bend[k], &m->shape[t->geom[k]], X, t->at.point));
    }
    double r;
    const dp_roundness is = dp_hertz_radius(&r, &bend[0], &bend[1]);
    if (is != DP_ROUND) {
        return dp_fail(DP_ERROR_UNSUPPORTED,
                       "%s and %s touch %s, and a Young's modulus was given (expected surfaces "
                       "that are round where they touch; give a stiffness instead, or a "
                       "foundation)",
                       dp_geom_label(m, t->geom[0]).text, dp_geom_label(m, t->geom[1]).text,
                       is == DP_FLAT ? "flat or along a line" : "with an edge or a corner");
    }
    law->stiffness = 4.0 / 3.0 * law->modulus * sqrt(r);
    return DP_OK;
}

// What a law cannot give is refused.
static dp_status check_law(const dp_touch_law *law, const dp_model *m, const dp_touching *t)
{
    if (law->restitution >= 0.0 && law->normal.kind != DP_NORMAL_SPRING) {
        return dp_fail(DP_ERROR_UNSUPPORTED,
                       "%s and %s have a restitution of %g, and a Young's modulus or a dissipation "
                       "(expected one of them: with these, what is thrown back depends on the "
                       "speed)",
                       dp_geom_label(m, t->geom[0]).text, dp_geom_label(m, t->geom[1]).text,
                       law->restitution);
    }
    return DP_OK;
}

static bool is_same_law(const dp_touch_law *a, const dp_touch_law *b)
{
    return a->condim == b->condim && a->friction.mu[0] == b->friction.mu[0] &&
           a->friction.mu[1] == b->friction.mu[1] && a->friction.torsion == b->friction.torsion &&
           a->friction.roll[0] == b->friction.roll[0] &&
           a->friction.roll[1] == b->friction.roll[1] && a->stiffness == b->stiffness &&
           a->damping == b->damping && a->normal.kind == b->normal.kind &&
           a->normal.dissipation == b->normal.dissipation && a->modulus == b->modulus &&
           a->tangential_stiffness == b->tangential_stiffness && a->restitution == b->restitution &&
           a->curved == b->curved &&
           (!a->curved || memcmp(a->solimp, b->solimp, sizeof a->solimp) == 0);
}

// Stiffness, and damping so that its ratio stays: what is thrown back does, too.
static void scale_law(dp_touch_law *law, const dp_options *options)
{
    const double stiffness = options->contact_stiffness_scale;
    const double friction = options->contact_friction_scale;
    law->stiffness *= stiffness;
    law->modulus *= stiffness;
    law->damping *= sqrt(stiffness);
    law->friction.torsion *= friction;
    for (int i = 0; i < 2; ++i) {
        law->friction.mu[i] *= friction;
        law->friction.roll[i] *= friction;
    }
}

int dp_contact_made_for(const dp_rows *rows, const dp_rows_input *in)
{
    return 2 * rows->scales + dp_law_has(&in->options->solver, DP_LAW_TRAIT_RIGID);
}

void dp_contact_look_at_scales(dp_rows *rows, const dp_options *options)
{
    if (rows->scale[0] != options->contact_stiffness_scale ||
        rows->scale[1] != options->contact_friction_scale) {
        rows->scale[0] = options->contact_stiffness_scale;
        rows->scale[1] = options->contact_friction_scale;
        rows->scales = rows->scales < INT_MAX / 4 ? rows->scales + 1 : 1;
    }
}

dp_status dp_contact_mix(dp_rows *rows, const dp_rows_input *in, const dp_touching *t, int place,
                         int last)
{
    const dp_model *m = in->start.m;
    const bool rigid = dp_law_has(&in->options->solver, DP_LAW_TRAIT_RIGID);
    dp_touch_law law;
    dp_combine(&law, m, t->geom[0], t->geom[1], t->pair);
    scale_law(&law, in->options);
    if (rigid) { // impacts see to what is thrown back, and no spring is needed
        law.modulus = 0.0;
    } else {
        DP_TRY(check_law(&law, m, t));
    }
    if (law.normal.kind != DP_NORMAL_SPRING && law.condim == 1) {
        law.condim = 3; // a law of its own belongs to a contact with friction, if only of 0
        law.friction = (dp_friction){{0.0, 0.0}, 0.0, {0.0, 0.0}};
    }
    const bool belts = dp_is_belt(&m->geom[t->geom[0]]) || dp_is_belt(&m->geom[t->geom[1]]);
    const bool shared =
        last >= 0 && rows->mixed[last].belts == belts && is_same_law(&rows->mixed[last].law, &law);
    if (!shared) {
        rows->mixed[place] = (dp_combined){law, belts, ++rows->mixed_version};
    }
    const int of = shared ? last : place;
    rows->mixed_pair[place] = (dp_combined_pair){{t->geom[0], t->geom[1]},
                                                 t->pair,
                                                 dp_contact_made_for(rows, in),
                                                 of,
                                                 rows->mixed[of].version};
    return DP_OK;
}
