// --ground: a plane for a robot to rest on.
#include "common/compose/compose.h"

#include "common/signals.h"

#include <dashpot/advanced/collide.h>
#include <dashpot/dashpot.h>

#include <limits.h>
#include <math.h>
#include <stdio.h>

// The lowest points of what may touch something [m]; INFINITY: there is none.
typedef struct lowest {
    double floating; // of trees with a free joint at the root
    double held;     // of all else that moves
    const char *floor;
} lowest;

// The child of the world that a body hangs from.
static dp_body_id root_of(const dp_model *m, dp_body_id body)
{
    for (dp_body_id up = dp_model_body(m, body).parent; up.index > 0;
         up = dp_model_body(m, body).parent) {
        body = up;
    }
    return body;
}

static bool floats(const dp_model *m, dp_body_id root)
{
    const dp_joint_id first = dp_model_body_joint(m, root, 0);
    return first.index >= 0 && dp_model_joint(m, first).kind == DP_JOINT_FREE;
}

static dp_status look_at(lowest *out, const dp_data *d, dp_geom_id geom)
{
    const dp_model *m = dp_data_model(d);
    const dp_geom_info info = dp_model_geom(m, geom);
    const dp_shape *shape = dp_model_shape(m, geom);
    if (!shape || (info.contype == 0 && info.conaffinity == 0)) {
        return DP_OK;
    }
    if (dp_model_body(m, info.body).tree < 0) {
        if (info.kind == DP_GEOM_PLANE || info.kind == DP_GEOM_HFIELD) {
            out->floor = info.name[0] != '\0' ? info.name : dp_geom_kind_name(info.kind);
        }
        return DP_OK;
    }
    dp_bounds bounds;
    const dp_status status = dp_shape_bounds(&bounds, shape, dp_geom_pose(d, geom));
    double *z = floats(m, root_of(m, info.body)) ? &out->floating : &out->held;
    if (status == DP_OK && info.kind != DP_GEOM_PLANE) {
        *z = fmin(*z, bounds.low.z);
    }
    return status;
}

static dp_status find_lowest(lowest *out, dp_data *d)
{
    *out = (lowest){INFINITY, INFINITY, NULL};
    dp_status status = dp_kinematics(d);
    if (status == DP_OK) {
        status = dp_place_geoms(d);
    }
    const int count = dp_model_sizes(dp_data_model(d))->ngeom;
    for (int g = 0; g < count && status == DP_OK; ++g) {
        status = look_at(out, d, (dp_geom_id){g});
    }
    return status;
}

static dp_status add_plane(dp_spec *spec, const dp_model *m, double z)
{
    dp_geom_spec plane = dp_geom_spec_default();
    dp_geom_id taken;
    plane.name = dp_model_find_geom(&taken, m, "ground") == DP_OK ? NULL : "ground";
    plane.kind = DP_GEOM_PLANE;
    plane.size[2] = 1.0; // [m] between the lines of its grid
    plane.pose.p.z = z;
    plane.contype = plane.conaffinity = INT_MAX; // whatever touches anything rests on it
    return dp_spec_add_geom(NULL, spec, DP_WORLD, &plane);
}

// The ids of a spec that was read from a file are those of its model.
static void lift(dp_spec *spec, const dp_model *m, double by)
{
    for (int b = 1; b < dp_model_sizes(m)->nbody; ++b) {
        const dp_body_id body = {b};
        if (dp_model_body(m, body).parent.index == 0 && floats(m, body)) {
            dp_spec_body(spec, body)->pose.p.z += by;
        }
    }
}

static dp_status add_ground(dp_spec *spec, const dp_model *m, dp_data *d, char *note, size_t bytes)
{
    lowest low;
    const dp_status status = find_lowest(&low, d);
    if (status != DP_OK) {
        return status;
    }
    if (low.floor) {
        snprintf(note, bytes, "--ground: the scene has a floor, '%.100s'; no other one is added",
                 low.floor);
        return DP_OK;
    }
    const double z = fmin(low.held, 0.0);
    const double by = isfinite(low.floating) ? z - low.floating : 0.0;
    if (by != 0.0) {
        lift(spec, m, by);
    }
    char moved[120] = "";
    if (by != 0.0) {
        snprintf(moved, sizeof moved, "; what floats was moved by %.4g m along z to touch it", by);
    }
    dp_options *options = dp_spec_options(spec);
    snprintf(note, bytes, "--ground: a plane at z = %.4g m%s%s%s", z,
             z < 0.0 ? ", below what the base holds" : "", moved,
             options->disable_contact ? "; contact, which the file disables, is enabled" : "");
    options->disable_contact = false;
    return add_plane(spec, m, z);
}

dp_status cli_add_ground(dp_spec *spec, char *note, size_t bytes)
{
    dp_model *m = NULL;
    dp_data *d = NULL;
    dp_status status = dp_model_compile(&m, spec);
    if (status == DP_OK) {
        status = cli_data_create(&d, m);
    }
    if (status == DP_OK) {
        status = add_ground(spec, m, d, note, bytes);
    }
    dp_data_destroy(d);
    dp_model_destroy(m);
    return status;
}
