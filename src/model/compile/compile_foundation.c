// Elastic foundations: which face is tiled how, and over which planes.
#include "model/check.h"
#include "model/touch.h"

#include "math/v3.h"

#include <math.h>

enum { MOST_SPRINGS = 1 << 20 }; // of one foundation

static dp_status check_number(const dp_spec *spec, int geom, const char *name, double value,
                              bool zero_allowed)
{
    if (!isfinite(value) || value < 0.0 || (value == 0.0 && !zero_allowed)) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, spec, DP_ELEMENT_GEOM, geom,
                            "has a foundation with %s %g (expected a number %s 0)", name, value,
                            zero_allowed ? "≥" : ">");
    }
    return DP_OK;
}

dp_status dp_check_foundation(const dp_spec *spec, int geom)
{
    const dp_geom_spec *of = &dp_spec_geoms(spec)[geom].spec;
    const dp_foundation_spec *f = &of->foundation;
    if (f->nx == 0 && f->ny == 0) {
        return DP_OK;
    }
    if (f->nx < 1 || f->ny < 1 || f->nx > MOST_SPRINGS / f->ny) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, spec, DP_ELEMENT_GEOM, geom,
                            "has a foundation of %d × %d springs (expected at least 1 × 1 and at "
                            "most %d in all)",
                            f->nx, f->ny, (int)MOST_SPRINGS);
    }
    if (of->kind != DP_GEOM_BOX) {
        return dp_spec_fail(DP_ERROR_UNSUPPORTED, spec, DP_ELEMENT_GEOM, geom,
                            "is a %s with a foundation (expected a box: other shapes have no flat "
                            "face to tile yet)",
                            dp_geom_kind_name(of->kind));
    }
    if ((unsigned)f->face > DP_BOX_FACE_PLUS_X) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, spec, DP_ELEMENT_GEOM, geom,
                            "has a foundation on face number %d (expected one of the six faces of "
                            "a box)",
                            (int)f->face);
    }
    DP_TRY(check_number(spec, geom, "Young's modulus", f->youngs_modulus, false));
    DP_TRY(check_number(spec, geom, "depth", f->depth, false));
    DP_TRY(check_number(spec, geom, "damping", f->damping, true));
    const int normal = dp_face_axis(f->face);
    const double area = 4.0 * of->size[(normal + 1) % 3] * of->size[(normal + 2) % 3];
    const double stiffness = f->youngs_modulus * area / f->depth / f->nx / f->ny;
    if (!(stiffness > 0.0) || !isfinite(stiffness)) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, spec, DP_ELEMENT_GEOM, geom,
                            "has a foundation with springs of %g N/m (expected a number > 0)",
                            stiffness);
    }
    return DP_OK;
}

static dp_v3 along(int axis, double length)
{
    double x[3] = {0.0, 0.0, 0.0};
    x[axis] = length;
    return dp_v3_load(x);
}

static dp_foundation foundation_of(const dp_compiler *c, const dp_stand *stand)
{
    const dp_geom *geom = &c->geom[stand->geom];
    const dp_foundation_spec *spec = &geom->foundation;
    const int normal = dp_face_axis(spec->face);
    const int first = normal == 0 ? 1 : 0, second = normal == 2 ? 1 : 2;
    const double sign = dp_face_sign(spec->face);
    const double area = 4.0 * geom->size[first] * geom->size[second] / spec->nx / spec->ny;
    dp_foundation f = {.geom = stand->geom,
                       .plane = stand->plane,
                       .nx = spec->nx,
                       .ny = spec->ny,
                       .plane_pose = c->geom[stand->plane].pose,
                       .stiffness = spec->youngs_modulus * area / spec->depth,
                       .damping = spec->damping,
                       .area = area}; // its friction: dp_derive
    f.centre = dp_pose_apply(geom->pose, along(normal, sign * geom->size[normal]));
    f.half[0] = dp_quat_rotate(geom->pose.q, along(first, geom->size[first]));
    f.half[1] = dp_quat_rotate(geom->pose.q, along(second, geom->size[second]));
    return f;
}

// A foundation that can rest on nothing is a mistake, unless nothing is to touch at all.
static dp_status refuse_idle(const dp_compiler *c, const dp_stand *stand, int count)
{
    int next = 0;
    for (int g = 0; g < c->m->size.ngeom && !c->spec->options.disable_contact; ++g) {
        const bool stands = next < count && stand[next].geom == g;
        if (c->geom[g].foundation.nx > 0 && !stands) {
            return dp_spec_fail(DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_GEOM, g,
                                "has a foundation and may touch no plane (expected a plane on "
                                "another body that masks, pairs and excludes let it touch)");
        }
        while (next < count && stand[next].geom == g) {
            ++next;
        }
    }
    return DP_OK;
}

dp_status dp_compile_foundations(dp_compiler *c)
{
    dp_stand *stand;
    int count;
    DP_TRY(dp_find_stands(&stand, &count, c));
    DP_TRY(refuse_idle(c, stand, count));
    dp_foundation *f;
    DP_TRY(dp_pool_take(&f, &c->m->pool, (size_t)count, sizeof *f));
    long long springs = 0, rows = 0;
    for (int i = 0; i < count; ++i) {
        f[i] = foundation_of(c, &stand[i]);
        const bool same = i > 0 && stand[i].geom == stand[i - 1].geom; // over another plane
        const int size = f[i].nx * f[i].ny;
        f[i].first = same ? f[i - 1].first : (int)springs;
        springs += same ? 0 : size;
        rows += size;
        if (rows > 16LL * MOST_SPRINGS) {
            return dp_spec_fail(DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_GEOM, stand[i].geom,
                                "makes more than %lld springs of foundations over planes (expected "
                                "fewer)",
                                16LL * MOST_SPRINGS);
        }
    }
    c->m->foundation = c->foundation = f;
    c->m->size.nfoundation = count;
    c->m->nspring = (int)springs;
    return DP_OK;
}
