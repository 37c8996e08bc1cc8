// Triangle meshes: whether they close, what they enclose, how heavy that is.
#ifndef DP_GEOM_MESH_H
#define DP_GEOM_MESH_H

#include "base/memory.h"
#include "math/spatial.h"

#include <dashpot/spec.h>

#include <limits.h>

/// Triangles between vertices. A view: the arrays belong to a pool or to somebody else.
typedef struct dp_mesh {
    const char *name;     // how messages call it: the file or the asset. NULL: no name
    const double *vertex; // 3·nvertex [m]
    int nvertex;
    const int *face; // 3·nface vertex numbers from 0, counterclockwise seen from outside
    int nface;       // 0: points only
} dp_mesh;

/// No more vertices than this, and no more faces: 3·nvertex and 3·nface are ints.
enum { DP_MESH_MAX = INT_MAX / 3 };

static inline dp_v3 dp_mesh_vertex(const dp_mesh *m, int i)
{
    return dp_v3_load(m->vertex + 3 * (size_t)i);
}

/// Corner k of face f.
static inline dp_v3 dp_mesh_corner(const dp_mesh *m, int f, int k)
{
    return dp_mesh_vertex(m, m->face[3 * (size_t)f + (size_t)k]);
}

/// Record a failure: "mesh 'NAME': " and the message.
dp_status dp_mesh_fail(dp_status status, const dp_mesh *m, const char *format, ...) DP_PRINTF(3, 4);

/// Is it a mesh at all? Every function below takes that for granted.
/// @return DP_ERROR_ARGUMENT without vertices, with a coordinate that is not finite or a vertex
///         number that does not exist.
dp_status dp_mesh_check(const dp_mesh *m);

/// The smallest box with faces along the axes that holds all vertices.
void dp_mesh_bounds(dp_v3 *low, dp_v3 *high, const dp_mesh *m);

/// Every vertex x → A x + t, into `pool`. A mirror image (det A < 0) turns its faces, so that they
/// keep facing outward. `out` may be `m`.
/// @return DP_ERROR_ARGUMENT for an A that flattens the mesh, or for results that are not finite.
dp_status dp_mesh_transform(dp_mesh *out, dp_pool *pool, const dp_mesh *m, const dp_m3 *A, dp_v3 t);

/// What dp_mesh_weld took out.
typedef struct dp_mesh_welded {
    int nvertex; // vertices at the very place of an earlier one
    int nface;   // faces that had two corners in one place
} dp_mesh_welded;

/// Make one vertex of all that have equal coordinates, and leave out the faces that lose a corner
/// by it. The remaining vertices keep their order; −0 becomes 0. Takes n log n time, whatever the
/// input. `out` may be `m`; `counts` may be NULL.
dp_status dp_mesh_weld(dp_mesh *out, dp_mesh_welded *counts, dp_pool *pool, const dp_mesh *m);

/// One side of a face, from its lower to its higher vertex.
typedef struct dp_mesh_side {
    int low, high, third; // third: the corner of the face that is not on it
    int sense;            // +1: the face runs from low to high, −1: back
    int number;           // 3·face + k: it is between corners k and k + 1
} dp_mesh_side;

/// The sides of all faces but those with two equal corners, by low, then high, then third, then
/// number, in time linear in the mesh. `out` has room for 3·nface of them.
dp_status dp_mesh_sides(dp_mesh_side *out, size_t *count, const dp_mesh *m,
                        const dp_allocator *scratch);

/// How the faces meet. A face with two equal corners is not counted.
typedef struct dp_mesh_topology {
    int nedge;
    int nopen;   // edges with an odd number of faces: there the surface ends, or branches
    int nturned; // edges with an even number of faces that do not run along it half in each sense
    int nbranch; // edges with more than two faces
    int open[2], turned[2]; // the vertices of the first such edge; −1: there is none
    int euler;              // vertices in use − edges + faces: 2 for a ball, 0 for a ring
} dp_mesh_topology;

/// Count edges, in time linear in the mesh. The surface is closed when nopen is 0, and its faces
/// agree on the side they face when nturned is 0; then it encloses a volume that does not depend on
/// the origin.
dp_status dp_mesh_edges(dp_mesh_topology *out, const dp_mesh *m, const dp_allocator *scratch);

/// A homogeneous body of 1 kg in the shape of a mesh.
typedef struct dp_mesh_moments {
    double measure;  // volume [m³]; of a shell its area [m²]
    dp_v3 centre;    // of mass [m]
    dp_sym3 inertia; // about the centre [m²]
} dp_mesh_moments;

/// Moments of what a mesh encloses (DP_MESH_INERTIA_EXACT), of its convex hull
/// (DP_MESH_INERTIA_CONVEX) or of its surface (DP_MESH_INERTIA_SHELL), exact but for round-off; or
/// what MuJoCo takes for them (DP_MESH_INERTIA_LEGACY).
/// @return DP_ERROR_ARGUMENT for a mesh that is not closed, not oriented, inside out or flat, with
///         the number found and an edge to look at.
dp_status dp_mesh_integrate(dp_mesh_moments *out, const dp_mesh *m, dp_mesh_inertia kind,
                            const dp_allocator *scratch);

/// The same body with a mass [kg], in its principal axes.
dp_inertial dp_mesh_inertial(const dp_mesh_moments *moments, double mass);

#endif
