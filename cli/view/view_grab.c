#include "view/view_grab.h"

#include <math.h>
#include <stdlib.h>

// Where the held point is. dp_pose_apply is not public.
static dp_v3 place_of(const view_grab *g, const dp_data *d)
{
    const dp_pose X = dp_body_pose(d, g->body);
    const dp_v3 p = g->at, u = {X.q.x, X.q.y, X.q.z};
    // q p q* = p + 2 w (u × p) + 2 u × (u × p)
    const dp_v3 t = {2.0 * (u.y * p.z - u.z * p.y), 2.0 * (u.z * p.x - u.x * p.z),
                     2.0 * (u.x * p.y - u.y * p.x)};
    return (dp_v3){X.p.x + p.x + X.q.w * t.x + u.y * t.z - u.z * t.y,
                   X.p.y + p.y + X.q.w * t.y + u.z * t.x - u.x * t.z,
                   X.p.z + p.z + X.q.w * t.z + u.x * t.y - u.y * t.x};
}

static double component(dp_v3 v, int i)
{
    return i == 0 ? v.x : i == 1 ? v.y : v.z;
}

static dp_status pull(void *context, dp_data *d, bool end, dp_row *row, double *gradient)
{
    const dp_model *m = dp_data_model(d);
    const view_grab_axis *axis = context;
    const view_grab *g = axis->grab;
    const dp_v3 point = place_of(g, d);
    row->phi = component(point, axis->number) - component(g->to, axis->number);
    row->k = g->k;
    row->b = g->b;
    if (!end) {
        const int nv = dp_model_sizes(m)->nv;
        dp_body_jacobian(g->jacobian, d, g->body, point);
        for (int i = 0; i < nv; ++i) {
            gradient[i] = g->jacobian[(3 + axis->number) * nv + i];
        }
    }
    return DP_OK;
}

// [kg] The mass that a force at the point meets, in the mean over its directions; 0: it cannot move
static dp_status mass_at(double *out, view_grab *g, const dp_model *m, dp_data *d)
{
    const int nv = dp_model_sizes(m)->nv;
    double *x = calloc((size_t)nv + 1, sizeof *x);
    if (!x) {
        return DP_ERROR_MEMORY;
    }
    dp_body_jacobian(g->jacobian, d, g->body, place_of(g, d));
    double mobility = 0.0;
    dp_status status = DP_OK;
    for (int k = 3; status == DP_OK && k < 6; ++k) {
        const double *row = g->jacobian + k * nv;
        status = dp_mass_solve(x, d, row);
        for (int i = 0; status == DP_OK && i < nv; ++i) {
            mobility += row[i] * x[i] / 3.0;
        }
    }
    free(x);
    *out = mobility > 0.0 && isfinite(mobility) ? 1.0 / mobility : 0.0;
    return status;
}

static dp_status make(view_grab *g, const dp_model *m, dp_data *d)
{
    if (!g->jacobian) {
        g->jacobian = calloc(6 * (size_t)dp_model_sizes(m)->nv + 1, sizeof *g->jacobian);
        if (!g->jacobian) {
            return DP_ERROR_MEMORY;
        }
    }
    for (int i = 0; i < 3; ++i) {
        g->axis[i] = (view_grab_axis){g, i};
        const dp_status status = dp_data_add_row(&g->row[i], d, pull, &g->axis[i]);
        if (status != DP_OK) {
            return status;
        }
        dp_data_set_row_active(d, g->row[i], false);
    }
    g->made = true;
    return DP_OK;
}

dp_status view_grab_hold(view_grab *g, const dp_model *m, dp_data *d, dp_body_id body, dp_v3 at)
{
    const double frequency = 10.0 * 3.14159265358979323846; // [rad/s] 5 Hz: sags by 1 cm
    if (body.index <= 0 || body.index >= dp_model_sizes(m)->nbody) {
        return DP_ERROR_ARGUMENT;
    }
    dp_status status = g->made ? DP_OK : make(g, m, d);
    if (status == DP_OK) {
        status = dp_kinematics(d);
    }
    g->body = body;
    g->at = at;
    double mass = 0.0;
    if (status == DP_OK) {
        status = mass_at(&mass, g, m, d);
    }
    if (status == DP_OK && !(mass > 0.0)) {
        return DP_ERROR_ARGUMENT;
    }
    if (status != DP_OK) {
        return status;
    }
    mass =
        fmax(mass, dp_body_momentum(d, body).mass); // off its centre a body turns before it lifts
    g->to = place_of(g, d);
    g->k = mass * frequency * frequency;
    g->b = 2.0 * mass * frequency;
    for (int i = 0; i < 3; ++i) {
        dp_data_set_row_active(d, g->row[i], true);
    }
    dp_body_wake(d, body);
    g->held = true;
    return DP_OK;
}

void view_grab_release(view_grab *g, dp_data *d)
{
    for (int i = 0; g->made && i < 3; ++i) {
        dp_data_set_row_active(d, g->row[i], false);
    }
    g->held = false;
}
