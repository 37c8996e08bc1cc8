// A Young's modulus is for surfaces that are round where they touch. Pairs of shapes that never are
// can be known from their kinds; the others are judged where they touch, by their curvatures.
#include "model/combine_materials.h"
#include "model/compile/compile.h"
#include "model/spec/spec.h"

static bool has_no_curve(dp_geom_kind kind)
{
    return kind == DP_GEOM_PLANE || kind == DP_GEOM_BOX || kind == DP_GEOM_MESH ||
           kind == DP_GEOM_HFIELD;
}

// Faces, edges and corners only; or a cylinder on a plane, which it meets along a line, with a face
// or with its rim.
static bool never_round(dp_geom_kind a, dp_geom_kind b)
{
    return (has_no_curve(a) && has_no_curve(b)) || (a == DP_GEOM_PLANE && b == DP_GEOM_CYLINDER) ||
           (a == DP_GEOM_CYLINDER && b == DP_GEOM_PLANE);
}

static dp_status check_two(const dp_compiler *c, int a, int b)
{
    const dp_model *m = c->m;
    if (!never_round(m->geom[a].kind, m->geom[b].kind) || !dp_may_touch(m, a, b)) {
        return DP_OK;
    }
    dp_touch_law law;
    dp_combine(&law, m, a, b, dp_pair_map_find(&m->given, a, b));
    if (law.modulus == 0.0) {
        return DP_OK;
    }
    return dp_spec_fail(DP_ERROR_UNSUPPORTED, c->spec, DP_ELEMENT_GEOM, a,
                        "may touch %s with a Young's modulus (expected shapes that are round "
                        "where they touch; give a stiffness instead, or a foundation)",
                        dp_spec_label(c->spec, DP_ELEMENT_GEOM, b).text);
}

dp_status dp_check_hertz(const dp_compiler *c)
{
    const dp_model *m = c->m;
    for (int a = 0; a < m->size.ngeom; ++a) {
        const bool elastic = m->geom[a].contact.material.youngs_modulus > 0.0;
        for (int b = 0; elastic && b < m->size.ngeom; ++b) {
            if (b != a) {
                DP_TRY(check_two(c, a < b ? a : b, a < b ? b : a));
            }
        }
    }
    for (int i = 0; i < m->size.npair; ++i) {
        if (m->pair[i].contact_given && m->pair[i].contact.material.youngs_modulus > 0.0) {
            DP_TRY(check_two(c, m->pair[i].geom[0], m->pair[i].geom[1]));
        }
    }
    return DP_OK;
}
