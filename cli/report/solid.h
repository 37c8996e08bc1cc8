// Small mechanics of the program: what it computes from the numbers that the library gives.
#ifndef DASHPOT_CLI_SOLID_H
#define DASHPOT_CLI_SOLID_H

#include <dashpot/model.h>

/// A symmetric tensor of inertia: xx, yy, zz, xy, xz, yz [kg m²]. Products with their sign in the
/// matrix, I_xy = −∫ x y dm.
typedef struct cli_inertia {
    double xx, yy, zz, xy, xz, yz;
} cli_inertia;

/// R x, with R the rotation of `q`.
dp_v3 cli_rotate(dp_quat q, dp_v3 x);

/// About the centre of mass, in body axes: R diag(moments) Rᵀ.
cli_inertia cli_inertia_about_com(const dp_inertial *inertial);

/// A mass with centre of mass and inertia about it, put together from parts in one frame.
typedef struct cli_solid {
    double mass;
    dp_v3 com;
    cli_inertia inertia;
} cli_solid;
cli_solid cli_solid_of(const dp_inertial *inertial);
/// The two as one body.
cli_solid cli_solid_join(cli_solid a, cli_solid b);

/// A box along the axes; low > high: empty.
typedef struct cli_box {
    dp_v3 low, high;
} cli_box;
cli_box cli_box_empty(void);
void cli_box_add(cli_box *box, dp_v3 point);
double cli_box_diagonal(const cli_box *box); ///< [m], 0 when empty
/// The distance of a point from the box, 0 inside.
double cli_box_distance(const cli_box *box, dp_v3 point);

/// Enlarge a box by a geom, in the body frame. False for planes and height fields, which have no
/// bounds that matter to a body.
bool cli_box_add_geom(cli_box *box, const dp_model *m, const dp_geom_info *geom);
/// The box around a mesh, in its own frame.
cli_box cli_box_of_mesh(const dp_mesh_info *mesh);

#endif
