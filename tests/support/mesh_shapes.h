// Meshes whose volume and moments are known, made in a pool.
#ifndef DP_TESTS_MESH_SHAPES_H
#define DP_TESTS_MESH_SHAPES_H

#include "near.h"

#include "geom/mesh/mesh.h"

/// A box between (−a, −b, −c) and (a, b, c).
dp_mesh box_mesh(dp_pool *pool, double a, double b, double c);
/// The tetrahedron with these corners, which must span a positive volume: (p1 − p0) · ((p2 − p0) ×
/// (p3 − p0)) > 0.
dp_mesh tetrahedron_mesh(dp_pool *pool, const dp_v3 p[4]);
/// |x| + |y| + |z| ≤ r.
dp_mesh octahedron_mesh(dp_pool *pool, double r);
/// An icosahedron whose triangles are cut in four `levels` times, all vertices at `r` from the
/// origin.
dp_mesh icosphere_mesh(dp_pool *pool, double r, int levels);
/// A prism over a regular polygon with `n` corners at `r` from the z axis, −h ≤ z ≤ h.
dp_mesh prism_mesh(dp_pool *pool, int n, double r, double h);
/// A square section of half length s led around the z axis at the distance r, in n corners: the
/// difference of two prisms. Its surface has one hole.
dp_mesh ring_mesh(dp_pool *pool, int n, double r, double s);
/// An icosphere whose vertices are drawn to random distances between 0.3 and 1: closed, seen from
/// the origin without folds, not convex.
dp_mesh star_mesh(dp_pool *pool, int levels, random_source *r);
/// `n` random points of the ball of radius 1, no faces.
dp_mesh cloud_mesh(dp_pool *pool, int n, random_source *r);

/// A copy that may be written to.
dp_mesh copy_mesh(double **vertex, int **face, dp_pool *pool, const dp_mesh *m);
/// Both, with the faces of the first in front.
dp_mesh join_meshes(dp_pool *pool, const dp_mesh *a, const dp_mesh *b);
/// Every face with three vertices of its own.
dp_mesh explode_mesh(dp_pool *pool, const dp_mesh *m);

/// A random rotation times random stretches between 1/2 and 2, mirrored when asked.
dp_m3 random_affine(random_source *r, bool mirrored);

#endif
