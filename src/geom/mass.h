// Mass properties of primitive shapes, of several rigid parts together, and principal axes.
#ifndef DP_GEOM_MASS_H
#define DP_GEOM_MASS_H

#include "math/spatial.h"

#include <dashpot/spec.h>

/// How many of a shape's three sizes have a meaning that must be positive; 0 for planes,
/// meshes and height fields.
static inline int dp_shape_size_count(dp_geom_kind kind)
{
    switch (kind) {
    case DP_GEOM_PLANE:
    case DP_GEOM_MESH:
    case DP_GEOM_HFIELD:
        return 0;
    case DP_GEOM_SPHERE:
        return 1;
    case DP_GEOM_CAPSULE:
    case DP_GEOM_CYLINDER:
        return 2;
    case DP_GEOM_ELLIPSOID:
    case DP_GEOM_BOX:
        return 3;
    }
    return 0;
}

/// Volume of a shape [m³]; 0 for planes, meshes (mesh.h) and height fields.
double dp_shape_volume(dp_geom_kind kind, const double size[3]);

/// Principal moments of a homogeneous shape of 1 kg about its centre, along its own axes [m²].
/// Zero for planes, meshes and height fields.
dp_v3 dp_shape_moments(dp_geom_kind kind, const double size[3]);

/// Eigenvalues of the symmetric matrix A in decreasing order, and the rotation R(axes) whose
/// columns are the eigenvectors: A = R diag(values) Rᵀ.
void dp_principal_axes(dp_v3 *values, dp_quat *axes, dp_sym3 A);

/// Rotational inertia about the centre of mass, in the axes that `part.frame` is given in [kg m²].
dp_sym3 dp_inertial_tensor(const dp_inertial *part);
/// The same about the origin of those axes [kg m²].
dp_sym3 dp_inertial_tensor_about_origin(const dp_inertial *part);

/// Mass properties of rigidly joined parts, all in one frame. A single part with mass keeps its
/// frame, as in MuJoCo; no mass at all gives zeros and the identity frame.
dp_inertial dp_inertial_sum(const dp_inertial *part, int count);

#endif
