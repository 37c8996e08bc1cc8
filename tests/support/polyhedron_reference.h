// The signed gap of two polyhedra by trying everything, in long double: every axis that can
// separate them, every pair of features that can be nearest.
#ifndef DP_TESTS_POLYHEDRON_REFERENCE_H
#define DP_TESTS_POLYHEDRON_REFERENCE_H

#include "shape_reference.h"

#include "geom/mesh/mesh.h"

enum { POLYHEDRON_VERTICES = 32, POLYHEDRON_TRIANGLES = 64, POLYHEDRON_EDGES = 96 };

typedef struct polyhedron {
    int nvertex, ntriangle, nedge;
    wide_v3 vertex[POLYHEDRON_VERTICES];
    int triangle[POLYHEDRON_TRIANGLES][3];
    int edge[POLYHEDRON_EDGES][2];
} polyhedron;

/// A convex mesh of triangles, at its place.
polyhedron polyhedron_place(const dp_mesh *m, dp_pose X_WM);

/// Apart: the least distance of a vertex from a triangle and of an edge from an edge. Else, by the
/// theorem of separating axes, the least depth along normals of faces and products of edges.
long double polyhedron_gap(const polyhedron *a, const polyhedron *b);

/// min n·b − max n·a for a unit n.
long double polyhedron_gap_along(const polyhedron *a, const polyhedron *b, wide_v3 n);

#endif
