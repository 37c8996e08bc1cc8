// What a fluid sees of a mechanism: its geoms with fluidshape as ellipsoids, every other body that
// moves as the box of equal inertia.
//
// The kinetic energy of the fluid around an ellipsoid of semi-axes r is that of the added masses
// and inertias, per density [Lamb1932, §§ 114–115, 122]
//
//     κ_i = r_i r_j r_k ∫₀^∞ dλ/√((r_i² + λ)³ (r_j² + λ)(r_k² + λ))
//
//         = ⅔ r_i r_j r_k R_D(r_j², r_k², r_i²),
//
//     m_i = V κ_i/(2 − κ_i),                                                           (FL 4)
//
//     I_i = (V/5) a² (κ_k − κ_j)/(2 a + b (κ_j − κ_k)),   a = r_j² − r_k²,   b = r_j² + r_k²
//
// with Carlson's symmetric integral R_D by his duplication [DLMF, 19.36.1].
#include "model/compile/compile.h"

#include "geom/mass.h"
#include "math/v3.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

// R_D(x, y, z): the integral over a quarter of the way at a time, until its three numbers agree.
static double carlson_rd(double x, double y, double z)
{
    double sum = 0.0, factor = 1.0;
    for (int i = 0; i < 40; ++i) { // their differences fall by 4 each time
        const double lambda = sqrt(x) * sqrt(y) + sqrt(y) * sqrt(z) + sqrt(z) * sqrt(x);
        sum += factor / (sqrt(z) * (z + lambda));
        factor *= 0.25;
        x = 0.25 * (x + lambda);
        y = 0.25 * (y + lambda);
        z = 0.25 * (z + lambda);
    }
    const double mean = (x + y + 3.0 * z) / 5.0;
    return 3.0 * sum + factor / (mean * sqrt(mean));
}

// (FL 4)
static void add_mass(dp_fluid_shape *shape)
{
    const double *r = shape->r, product = r[0] * r[1] * r[2], volume = 4.0 / 3.0 * PI * product;
    double kappa[3];
    for (int i = 0; i < 3; ++i) {
        const double x = r[(i + 1) % 3], y = r[(i + 2) % 3];
        kappa[i] = 2.0 / 3.0 * product * carlson_rd(x * x, y * y, r[i] * r[i]);
        shape->added_mass[i] = volume * kappa[i] / (2.0 - kappa[i]);
    }
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const double a = (r[j] - r[k]) * (r[j] + r[k]), b = r[j] * r[j] + r[k] * r[k];
        const double apart = kappa[j] - kappa[k];
        shape->added_inertia[i] =
            a != 0.0 ? -0.2 * volume * a * a * apart / (2.0 * a + b * apart) : 0.0;
    }
}

// From the centre of mass, along the principal axes, as far as the farthest vertex along each.
static void span_mesh(dp_fluid_shape *shape, const dp_mesh_asset *mesh, dp_pose pose)
{
    const dp_pose axes = dp_mesh_inertial(&mesh->moments, 1.0).frame;
    const dp_pose back = dp_pose_inverse(axes);
    for (int i = 0; i < mesh->own.nvertex; ++i) {
        double x[3];
        dp_v3_store(x, dp_pose_apply(back, dp_mesh_vertex(&mesh->own, i)));
        for (int k = 0; k < 3; ++k) {
            shape->r[k] = fmax(shape->r[k], fabs(x[k]));
        }
    }
    shape->frame = dp_pose_mul(pose, axes);
}

static void set_ellipsoid(dp_fluid_shape *shape, const dp_compiler *c, int g)
{
    const dp_geom *geom = &c->geom[g];
    const double *s = geom->size;
    shape->frame = geom->pose;
    switch (geom->kind) {
    case DP_GEOM_SPHERE:
        shape->r[0] = shape->r[1] = shape->r[2] = s[0];
        break;
    case DP_GEOM_CAPSULE:
    case DP_GEOM_CYLINDER:
        shape->r[0] = shape->r[1] = s[0];
        shape->r[2] = s[1] + (geom->kind == DP_GEOM_CAPSULE ? s[0] : 0.0);
        break;
    case DP_GEOM_MESH:
        span_mesh(shape, &c->mesh[geom->mesh], geom->pose);
        break;
    default:
        for (int k = 0; k < 3; ++k) {
            shape->r[k] = s[k];
        }
    }
}

dp_status dp_compile_fluid(dp_compiler *c)
{
    dp_model *m = c->m;
    const dp_options *o = &m->options;
    if (!(o->fluid_density > 0.0) && !(o->fluid_viscosity > 0.0)) {
        return DP_OK;
    }
    dp_fluid_shape *shape;
    bool *has_own; // nbody: some geom of it is an ellipsoid
    DP_TRY(dp_pool_take(&has_own, &c->scratch, (size_t)m->size.nbody, sizeof *has_own));
    DP_TRY(dp_pool_take(&shape, &m->pool, (size_t)m->size.ngeom + (size_t)m->size.nbody,
                        sizeof *shape));
    for (int g = 0; g < m->size.ngeom; ++g) {
        const dp_geom_spec *from = &dp_spec_geoms(c->spec)[g].spec;
        const int body = c->geom[g].body;
        if (!from->fluid_ellipsoid || c->weld[body] == 0) {
            continue;
        }
        has_own[body] = true;
        dp_fluid_shape *at = &shape[m->nfluid++];
        *at = (dp_fluid_shape){.body = body, .ellipsoid = true};
        set_ellipsoid(at, c, g);
        for (int k = 0; k < 5; ++k) {
            at->coefficient[k] = from->fluid_coefficient[k];
        }
        add_mass(at);
    }
    for (int b = 1; b < m->size.nbody; ++b) {
        const dp_inertial *inertial = &c->body[b].inertial;
        if (c->weld[b] != 0 && !has_own[b] && inertial->mass > 0.0) {
            dp_fluid_shape *at = &shape[m->nfluid++];
            *at = (dp_fluid_shape){.body = b}; // its frame and sides: dp_derive
        }
    }
    m->fluid = c->fluid = shape;
    return DP_OK;
}
