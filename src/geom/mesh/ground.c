// Triangles of surfaces and terrains by number.
#include "geom/mesh/ground.h"

#include <float.h>

// Heights of terrain that differ from a plane by less, relative to its coordinates, lie in it.
static const double COPLANAR = 64.0 * DBL_EPSILON;

// --- terrain

// Triangle number → row and column of its cell, and which of the two it is.
typedef struct place {
    int row, column, half;
} place;

static place place_of(const dp_terrain *t, int number)
{
    const int cell = number / 2;
    return (place){cell / (t->ncol - 1), cell % (t->ncol - 1), number % 2};
}

static int number_at(const dp_terrain *t, int row, int column, int half)
{
    if (row < 0 || column < 0 || row >= t->nrow - 1 || column >= t->ncol - 1) {
        return -1;
    }
    return 2 * (row * (t->ncol - 1) + column) + half;
}

// Corners as steps from the first corner of the cell: row, column.
static const int corner_step[2][3][2] = {{{0, 0}, {0, 1}, {1, 1}}, {{0, 0}, {1, 1}, {1, 0}}};

// Across edge k: the step to the cell there, and which of its triangles. The diagonal stays.
static const int across_step[2][3][2] = {{{-1, 0}, {0, 1}, {0, 0}}, {{0, 0}, {1, 0}, {0, -1}}};

static void terrain_triangle(dp_ground_triangle *out, const dp_terrain *t, int number)
{
    const place at = place_of(t, number);
    for (int k = 0; k < 3; ++k) {
        const int row = at.row + corner_step[at.half][k][0];
        const int column = at.column + corner_step[at.half][k][1];
        out->corner[k] = dp_terrain_vertex(t, row, column);
        out->vertex[k] = row * t->ncol + column;
    }
    const dp_v3 n = dp_v3_cross(dp_v3_sub(out->corner[1], out->corner[0]),
                                dp_v3_sub(out->corner[2], out->corner[0]));
    out->normal = dp_v3_scale(n, 1.0 / dp_v3_norm(n));
}

static void terrain_edge(dp_ground_edge *out, const dp_terrain *t, const dp_ground_triangle *from,
                         int k)
{
    const place here = place_of(t, from->number);
    const int *step = across_step[here.half][k];
    const int across = number_at(t, here.row + step[0], here.column + step[1], 1 - here.half);
    if (across < 0) {
        out->kind = DP_EDGE_OPEN;
        out->beyond = (dp_v3){step[1], step[0], 0.0};
        return;
    }
    dp_ground_triangle other;
    terrain_triangle(&other, t, across);
    // The corner of the other triangle that is not on the edge is the one furthest from it.
    const double reach = fmax(fmax(t->half[0], t->half[1]), fmax(fabs(t->high.z), t->depth));
    double height = 0.0;
    const dp_v3 at = dp_terrain_vertex(t, from->vertex[k] / t->ncol, from->vertex[k] % t->ncol);
    for (int j = 0; j < 3; ++j) {
        const double z = dp_v3_dot(from->normal, dp_v3_sub(other.corner[j], at));
        height = fabs(z) > fabs(height) ? z : height;
    }
    out->beyond = other.normal;
    out->kind = fabs(height) <= COPLANAR * reach
                    ? DP_EDGE_FLAT
                    : (height < 0.0 ? DP_EDGE_CONVEX : DP_EDGE_CONCAVE);
}

// Directions of the edges at a vertex: three lines.
static const int line_step[3][2] = {{0, 1}, {1, 0}, {1, 1}};

static bool is_vertex(const dp_terrain *t, int row, int column)
{
    return row >= 0 && column >= 0 && row < t->nrow && column < t->ncol;
}

// A vertex is the top in some direction only if it is above the middle of its neighbours along each
// of the three lines of the grid.
static bool terrain_is_sharp(const dp_terrain *t, int vertex)
{
    const int row = vertex / t->ncol, column = vertex % t->ncol;
    const double z = dp_terrain_height(t, row, column);
    for (int k = 0; k < 3; ++k) {
        const int r = line_step[k][0], c = line_step[k][1];
        if (is_vertex(t, row + r, column + c) && is_vertex(t, row - r, column - c) &&
            dp_terrain_height(t, row + r, column + c) + dp_terrain_height(t, row - r, column - c) >=
                2.0 * z) {
            return false;
        }
    }
    return true;
}

static bool terrain_is_top(const dp_terrain *t, int vertex, dp_v3 m)
{
    const int row = vertex / t->ncol, column = vertex % t->ncol;
    const dp_v3 v = dp_terrain_vertex(t, row, column);
    for (int k = 0; k < 6; ++k) {
        const int sign = k < 3 ? 1 : -1;
        const int r = row + sign * line_step[k % 3][0], c = column + sign * line_step[k % 3][1];
        if (is_vertex(t, r, c) && dp_v3_dot(m, dp_v3_sub(dp_terrain_vertex(t, r, c), v)) > 0.0) {
            return false;
        }
    }
    return m.z >= 0.0; // the walls below the rim do not touch
}

static int cell_along(double x, double half, int cells)
{
    const double at = (x + half) / (2.0 * half) * cells;
    return at >= cells ? cells - 1 : (at > 0.0 ? (int)at : 0);
}

double dp_terrain_height_at(int *number, const dp_terrain *t, double x, double y)
{
    const int row = cell_along(y, t->half[1], t->nrow - 1);
    const int column = cell_along(x, t->half[0], t->ncol - 1);
    const dp_v3 a = dp_terrain_vertex(t, row, column),
                b = dp_terrain_vertex(t, row + 1, column + 1);
    const double u = (x - a.x) / (b.x - a.x), v = (y - a.y) / (b.y - a.y);
    *number = number_at(t, row, column, v > u);
    if (v > u) {
        const double c = dp_terrain_height(t, row + 1, column);
        return a.z + u * (b.z - c) + v * (c - a.z);
    }
    const double c = dp_terrain_height(t, row, column + 1);
    return a.z + u * (c - a.z) + v * (b.z - c);
}

// --- surfaces

static void surface_triangle(dp_ground_triangle *out, const dp_surface *s, int number)
{
    const int *face = s->face + 3 * (size_t)number;
    for (int k = 0; k < 3; ++k) {
        out->vertex[k] = face[k];
        out->corner[k] = dp_v3_load(s->vertex + 3 * (size_t)face[k]);
    }
    out->normal = dp_v3_load(s->plane + 4 * (size_t)number);
}

static void surface_edge(dp_ground_edge *out, const dp_surface *s, const dp_ground_triangle *from,
                         int k)
{
    const size_t i = 3 * (size_t)from->number + (size_t)k;
    out->kind = (dp_edge_kind)s->edge[i];
    if (s->neighbour[i] >= 0) {
        out->beyond = dp_v3_load(s->plane + 4 * (size_t)s->neighbour[i]);
        return;
    }
    const dp_v3 d = dp_v3_sub(from->corner[k == 2 ? 0 : k + 1], from->corner[k]);
    const dp_v3 away = dp_v3_cross(d, from->normal);
    out->beyond = dp_v3_scale(away, 1.0 / dp_v3_norm(away));
}

static bool surface_is_top(const dp_surface *s, int vertex, dp_v3 m)
{
    const dp_v3 v = dp_v3_load(s->vertex + 3 * (size_t)vertex);
    for (int k = s->neighbour_start[vertex]; k < s->neighbour_start[vertex + 1]; ++k) {
        const dp_v3 u = dp_v3_load(s->vertex + 3 * (size_t)s->vertex_neighbour[k]);
        if (dp_v3_dot(m, dp_v3_sub(u, v)) > 0.0) {
            return false;
        }
    }
    return true;
}

// --- either

void dp_ground_triangle_get(dp_ground_triangle *out, const dp_shape *s, int number)
{
    out->number = number;
    if (s->kind == DP_GEOM_HFIELD) {
        terrain_triangle(out, s->terrain, number);
    } else {
        surface_triangle(out, s->surface, number);
    }
}

void dp_ground_edge_get(dp_ground_edge *out, const dp_shape *s, const dp_ground_triangle *t, int k)
{
    if (s->kind == DP_GEOM_HFIELD) {
        terrain_edge(out, s->terrain, t, k);
    } else {
        surface_edge(out, s->surface, t, k);
    }
}

bool dp_ground_is_sharp(const dp_shape *s, const dp_ground_triangle *t, int k)
{
    return s->kind == DP_GEOM_HFIELD ? terrain_is_sharp(s->terrain, t->vertex[k])
                                     : s->surface->sharp[t->vertex[k]] != 0;
}

bool dp_ground_is_top(const dp_shape *s, const dp_ground_triangle *t, int k, dp_v3 m)
{
    return s->kind == DP_GEOM_HFIELD
               ? terrain_is_top(s->terrain, t->vertex[k], m)
               : surface_is_top(s->surface, t->vertex[k], m) && dp_v3_dot(m, t->normal) >= 0.0;
}

// --- walks

void dp_ground_walk_begin(dp_ground_walk *walk, const dp_shape *s)
{
    walk->shape = s;
    walk->leaf = NULL;
    walk->place = 0;
    walk->row = walk->end[0] = 0;
    dp_tree_walk_begin(&walk->tree,
                       s->kind == DP_GEOM_HFIELD ? &s->terrain->tree : &s->surface->tree);
}

// Go on within the leaf that the walk has reached. `box`: where to look in blocks; NULL: everywhere
static bool next_in_leaf(int *number, dp_ground_walk *walk, const dp_bounds *box)
{
    if (walk->shape->kind != DP_GEOM_HFIELD) {
        if (!walk->leaf || walk->place >= walk->leaf->count) {
            return false;
        }
        *number = walk->leaf->first + walk->place++;
        return true;
    }
    const dp_terrain *t = walk->shape->terrain;
    for (;;) {
        if (walk->row < walk->end[0]) {
            *number = number_at(t, walk->row, walk->column, walk->half);
            walk->half = 1 - walk->half;
            if (walk->half == 0 && ++walk->column >= walk->end[1]) {
                walk->column = walk->first_column;
                ++walk->row;
            }
            return true;
        }
        if (!walk->leaf || walk->place >= walk->leaf->count) {
            return false;
        }
        const int block = t->block[walk->leaf->first + walk->place++];
        int first[2] = {block / t->block_columns * DP_TERRAIN_BLOCK,
                        block % t->block_columns * DP_TERRAIN_BLOCK};
        walk->end[0] = first[0] + DP_TERRAIN_BLOCK;
        walk->end[1] = first[1] + DP_TERRAIN_BLOCK;
        walk->end[0] = walk->end[0] < t->nrow - 1 ? walk->end[0] : t->nrow - 1;
        walk->end[1] = walk->end[1] < t->ncol - 1 ? walk->end[1] : t->ncol - 1;
        if (box) {
            // One cell more on each side: cell_along rounds.
            const int low[2] = {cell_along(box->low.y, t->half[1], t->nrow - 1) - 1,
                                cell_along(box->low.x, t->half[0], t->ncol - 1) - 1};
            const int high[2] = {cell_along(box->high.y, t->half[1], t->nrow - 1) + 2,
                                 cell_along(box->high.x, t->half[0], t->ncol - 1) + 2};
            for (int k = 0; k < 2; ++k) {
                first[k] = low[k] > first[k] ? low[k] : first[k];
                walk->end[k] = high[k] < walk->end[k] ? high[k] : walk->end[k];
            }
        }
        walk->row = first[1] < walk->end[1] ? first[0] : walk->end[0];
        walk->column = walk->first_column = first[1];
        walk->half = 0;
    }
}

static void enter_leaf(dp_ground_walk *walk, const dp_box_node *leaf)
{
    walk->leaf = leaf;
    walk->place = 0;
}

bool dp_ground_next_in_box(int *number, dp_ground_walk *walk, const dp_bounds *box)
{
    while (!next_in_leaf(number, walk, box)) {
        enter_leaf(walk, dp_tree_next_in_box(&walk->tree, box));
        if (!walk->leaf) {
            return false;
        }
    }
    return true;
}

bool dp_ground_next_near(int *number, dp_ground_walk *walk, const dp_bounds *box, double limit)
{
    while (!next_in_leaf(number, walk, NULL)) {
        enter_leaf(walk, dp_tree_next_near(&walk->tree, box, limit));
        if (!walk->leaf) {
            return false;
        }
    }
    return true;
}

bool dp_ground_next_on_ray(int *number, dp_ground_walk *walk, const dp_tree_ray *ray, double limit)
{
    while (!next_in_leaf(number, walk, NULL)) {
        enter_leaf(walk, dp_tree_next_on_ray(&walk->tree, ray, limit));
        if (!walk->leaf) {
            return false;
        }
    }
    return true;
}
