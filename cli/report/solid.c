#include "report/solid.h"

#include <math.h>

static dp_v3 plus(dp_v3 a, double s, dp_v3 b)
{
    return (dp_v3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

dp_v3 cli_rotate(dp_quat q, dp_v3 x)
{
    // x + 2 w (u × x) + 2 u × (u × x)
    const dp_v3 u = {q.x, q.y, q.z};
    const dp_v3 c = {u.y * x.z - u.z * x.y, u.z * x.x - u.x * x.z, u.x * x.y - u.y * x.x};
    const dp_v3 cc = {u.y * c.z - u.z * c.y, u.z * c.x - u.x * c.z, u.x * c.y - u.y * c.x};
    return plus(plus(x, 2.0 * q.w, c), 2.0, cc);
}

static void add_axis(cli_inertia *I, double moment, dp_v3 axis)
{
    I->xx += moment * axis.x * axis.x;
    I->yy += moment * axis.y * axis.y;
    I->zz += moment * axis.z * axis.z;
    I->xy += moment * axis.x * axis.y;
    I->xz += moment * axis.x * axis.z;
    I->yz += moment * axis.y * axis.z;
}

cli_inertia cli_inertia_about_com(const dp_inertial *inertial)
{
    cli_inertia I = {0};
    const dp_quat q = inertial->frame.q;
    add_axis(&I, inertial->moments.x, cli_rotate(q, (dp_v3){1.0, 0.0, 0.0}));
    add_axis(&I, inertial->moments.y, cli_rotate(q, (dp_v3){0.0, 1.0, 0.0}));
    add_axis(&I, inertial->moments.z, cli_rotate(q, (dp_v3){0.0, 0.0, 1.0}));
    return I;
}

cli_solid cli_solid_of(const dp_inertial *inertial)
{
    return (cli_solid){inertial->mass, inertial->frame.p, cli_inertia_about_com(inertial)};
}

// The parallel-axis theorem: a mass at a distance `r` from where moments are taken.
static void add_shifted(cli_inertia *I, const cli_inertia *own, double mass, dp_v3 r)
{
    I->xx += own->xx + mass * (r.y * r.y + r.z * r.z);
    I->yy += own->yy + mass * (r.x * r.x + r.z * r.z);
    I->zz += own->zz + mass * (r.x * r.x + r.y * r.y);
    I->xy += own->xy - mass * r.x * r.y;
    I->xz += own->xz - mass * r.x * r.z;
    I->yz += own->yz - mass * r.y * r.z;
}

cli_solid cli_solid_join(cli_solid a, cli_solid b)
{
    cli_solid both = {.mass = a.mass + b.mass};
    if (both.mass > 0.0) {
        const double s = b.mass / both.mass;
        both.com = plus(a.com, s, plus(b.com, -1.0, a.com));
    }
    add_shifted(&both.inertia, &a.inertia, a.mass, plus(a.com, -1.0, both.com));
    add_shifted(&both.inertia, &b.inertia, b.mass, plus(b.com, -1.0, both.com));
    return both;
}

// --- boxes --------------------------------------------------------------------------------------

cli_box cli_box_empty(void)
{
    return (cli_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

void cli_box_add(cli_box *box, dp_v3 p)
{
    box->low = (dp_v3){fmin(box->low.x, p.x), fmin(box->low.y, p.y), fmin(box->low.z, p.z)};
    box->high = (dp_v3){fmax(box->high.x, p.x), fmax(box->high.y, p.y), fmax(box->high.z, p.z)};
}

double cli_box_diagonal(const cli_box *box)
{
    const dp_v3 d = plus(box->high, -1.0, box->low);
    return d.x >= 0.0 ? sqrt(d.x * d.x + d.y * d.y + d.z * d.z) : 0.0;
}

// How far x lies outside of [low, high].
static double beyond(double x, double low, double high)
{
    return fmax(0.0, fmax(low - x, x - high));
}

double cli_box_distance(const cli_box *box, dp_v3 p)
{
    const double dx = beyond(p.x, box->low.x, box->high.x);
    const double dy = beyond(p.y, box->low.y, box->high.y);
    const double dz = beyond(p.z, box->low.z, box->high.z);
    return sqrt(dx * dx + dy * dy + dz * dz);
}

static dp_v3 vertex(const double *x)
{
    return (dp_v3){x[0], x[1], x[2]};
}

cli_box cli_box_of_mesh(const dp_mesh_info *mesh)
{
    cli_box box = cli_box_empty();
    for (int i = 0; i < mesh->nvertex; ++i) {
        cli_box_add(&box, vertex(mesh->vertex + 3 * (size_t)i));
    }
    return box;
}

// Half the extent of a shape along each axis of the body, for shapes that are symmetric about their
// centre. `x`, `y`, `z` are the axes of the geom.
static dp_v3 half_extent(const dp_geom_info *geom, dp_v3 x, dp_v3 y, dp_v3 z)
{
    const double *s = geom->size;
    switch (geom->kind) {
    case DP_GEOM_SPHERE:
        return (dp_v3){s[0], s[0], s[0]};
    case DP_GEOM_CAPSULE:
        return (dp_v3){s[0] + s[1] * fabs(z.x), s[0] + s[1] * fabs(z.y), s[0] + s[1] * fabs(z.z)};
    case DP_GEOM_CYLINDER: // a disc reaches r √(1 − z²) across
        return (dp_v3){s[0] * sqrt(fmax(0.0, 1.0 - z.x * z.x)) + s[1] * fabs(z.x),
                       s[0] * sqrt(fmax(0.0, 1.0 - z.y * z.y)) + s[1] * fabs(z.y),
                       s[0] * sqrt(fmax(0.0, 1.0 - z.z * z.z)) + s[1] * fabs(z.z)};
    case DP_GEOM_ELLIPSOID:
        return (dp_v3){hypot(s[0] * x.x, hypot(s[1] * y.x, s[2] * z.x)),
                       hypot(s[0] * x.y, hypot(s[1] * y.y, s[2] * z.y)),
                       hypot(s[0] * x.z, hypot(s[1] * y.z, s[2] * z.z))};
    case DP_GEOM_BOX:
        return (dp_v3){s[0] * fabs(x.x) + s[1] * fabs(y.x) + s[2] * fabs(z.x),
                       s[0] * fabs(x.y) + s[1] * fabs(y.y) + s[2] * fabs(z.y),
                       s[0] * fabs(x.z) + s[1] * fabs(y.z) + s[2] * fabs(z.z)};
    case DP_GEOM_PLANE:
    case DP_GEOM_MESH:
    case DP_GEOM_HFIELD:
        break;
    }
    return (dp_v3){0.0, 0.0, 0.0};
}

bool cli_box_add_geom(cli_box *box, const dp_model *m, const dp_geom_info *geom)
{
    if (geom->kind == DP_GEOM_PLANE || geom->kind == DP_GEOM_HFIELD) {
        return false;
    }
    if (geom->kind == DP_GEOM_MESH) {
        const dp_mesh_info mesh = dp_model_mesh(m, geom->mesh);
        for (int i = 0; i < mesh.nvertex; ++i) {
            const dp_v3 p = vertex(mesh.vertex + 3 * (size_t)i);
            cli_box_add(box, plus(geom->pose.p, 1.0, cli_rotate(geom->pose.q, p)));
        }
        return true;
    }
    const dp_v3 x = cli_rotate(geom->pose.q, (dp_v3){1.0, 0.0, 0.0});
    const dp_v3 y = cli_rotate(geom->pose.q, (dp_v3){0.0, 1.0, 0.0});
    const dp_v3 z = cli_rotate(geom->pose.q, (dp_v3){0.0, 0.0, 1.0});
    const dp_v3 half = half_extent(geom, x, y, z);
    cli_box_add(box, plus(geom->pose.p, -1.0, half));
    cli_box_add(box, plus(geom->pose.p, 1.0, half));
    return true;
}
