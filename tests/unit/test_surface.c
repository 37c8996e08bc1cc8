// Surfaces and terrains made ready for queries: trees, edges, degenerate triangles, memory.
#include "counting_allocator.h"
#include "mesh_shapes.h"
#include "test_random.h"
#include "tiled_floor.h"

#include "geom/hull.h"
#include "geom/mesh/ground.h"
#include "geom/mesh/triangle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int open_pool(void **state)
{
    static dp_pool pool;
    dp_pool_init(&pool, NULL);
    *state = &pool;
    return 0;
}

static int close_pool(void **state)
{
    dp_pool_destroy(*state);
    return 0;
}

static dp_surface surface_of(dp_pool *pool, const dp_mesh *m)
{
    dp_surface s;
    if (dp_surface_build(&s, pool, m) != DP_OK) {
        fail_msg("%s", dp_last_error());
    }
    return s;
}

// --- trees

static bool holds(const dp_bounds *outer, const dp_bounds *inner)
{
    return outer->low.x <= inner->low.x && outer->low.y <= inner->low.y &&
           outer->low.z <= inner->low.z && outer->high.x >= inner->high.x &&
           outer->high.y >= inner->high.y && outer->high.z >= inner->high.z;
}

// Each thing is in one leaf, each box around what is below it, no branch too long.
static void assert_sound_tree(const dp_box_tree *tree, const int *order, const dp_bounds *box,
                              int count)
{
    int seen = 0, depth = 0;
    int waiting[DP_TREE_DEPTH + 2] = {0}, level[DP_TREE_DEPTH + 2] = {0};
    for (int n = 1; n > 0;) {
        const int i = waiting[--n], at = level[n];
        const dp_box_node *node = &tree->node[i];
        depth = at > depth ? at : depth;
        if (node->count > 0) {
            assert_int_equal(node->first, seen); // in the order of the walk
            for (int k = node->first; k < node->first + node->count; ++k) {
                assert_true(holds(&node->box, &box[order[k]]));
            }
            seen += node->count;
            continue;
        }
        assert_true(holds(&node->box, &tree->node[i + 1].box));
        assert_true(holds(&node->box, &tree->node[node->first].box));
        assert_true(n + 2 <= DP_TREE_DEPTH);
        waiting[n] = node->first;
        level[n++] = at + 1;
        waiting[n] = i + 1;
        level[n++] = at + 1;
    }
    assert_int_equal(seen, count);
    assert_true(depth < DP_TREE_DEPTH);
}

// Boxes of all sorts: spread, all in one place, in a row, each twice as far as the one before.
static dp_bounds box_of_sort(random_source *r, int sort, int i)
{
    const double size = random_between(r, 0.0, 0.1);
    dp_v3 x = {0.0, 0.0, 0.0};
    if (sort == 0) {
        x = (dp_v3){random_between(r, -1.0, 1.0), random_between(r, -1.0, 1.0),
                    random_between(r, -1.0, 1.0)};
    } else if (sort == 2) {
        x.y = i;
    } else if (sort == 3) {
        x.x = ldexp(1.0, i % 900);
    }
    return (dp_bounds){x, dp_v3_add(x, (dp_v3){size, size, size})};
}

static void trees_hold_every_box_once_whatever_the_boxes(void **state)
{
    random_source r = {1};
    const int size[5] = {1, 2, 5, 300, 5000};
    for (int sort = 0; sort < 4; ++sort) {
        for (int k = 0; k < 5; ++k) {
            const int n = size[k];
            dp_bounds *box;
            int *order;
            assert_int_equal(dp_pool_take(&box, *state, (size_t)n, sizeof *box), DP_OK);
            assert_int_equal(dp_pool_take(&order, *state, (size_t)n, sizeof *order), DP_OK);
            for (int i = 0; i < n; ++i) {
                box[i] = box_of_sort(&r, sort, i);
            }
            dp_box_tree tree;
            assert_int_equal(dp_box_tree_build(&tree, order, *state, box, n), DP_OK);
            assert_sound_tree(&tree, order, box, n);
            // What a box meets, against all of them.
            for (int i = 0; i < 50; ++i) {
                const dp_bounds look = box_of_sort(&r, sort, random_below(&r, n));
                int expected = 0, found = 0;
                for (int j = 0; j < n; ++j) {
                    expected += dp_bounds_meet(&box[j], &look);
                }
                dp_tree_walk walk;
                dp_tree_walk_begin(&walk, &tree);
                for (const dp_box_node *leaf; (leaf = dp_tree_next_in_box(&walk, &look));) {
                    for (int j = leaf->first; j < leaf->first + leaf->count; ++j) {
                        found += dp_bounds_meet(&box[order[j]], &look);
                    }
                }
                assert_int_equal(found, expected);
            }
        }
    }
}

// --- edges

static void count_edges(int count[4], const dp_surface *s)
{
    memset(count, 0, 4 * sizeof *count);
    for (int i = 0; i < 3 * s->nface; ++i) {
        ++count[s->edge[i]];
    }
}

static void edges_of_a_box_are_ridges_and_its_diagonals_are_flat(void **state)
{
    const dp_mesh m = box_mesh(*state, 1.0, 2.0, 3.0);
    const dp_surface s = surface_of(*state, &m);
    int count[4];
    count_edges(count, &s);
    assert_int_equal(s.nface, 12);
    assert_int_equal(count[DP_EDGE_CONVEX], 24); // each seen from both sides
    assert_int_equal(count[DP_EDGE_FLAT], 12);
    assert_int_equal(count[DP_EDGE_CONCAVE] + count[DP_EDGE_OPEN], 0);
}

static void a_box_seen_from_inside_has_furrows(void **state)
{
    const dp_mesh m = box_mesh(*state, 1.0, 2.0, 3.0);
    double *vertex;
    int *face;
    const dp_mesh turned = copy_mesh(&vertex, &face, *state, &m);
    for (int f = 0; f < m.nface; ++f) {
        face[3 * f + 1] = m.face[3 * f + 2];
        face[3 * f + 2] = m.face[3 * f + 1];
    }
    const dp_surface s = surface_of(*state, &turned);
    int count[4];
    count_edges(count, &s);
    assert_int_equal(count[DP_EDGE_CONCAVE], 24);
    assert_int_equal(count[DP_EDGE_FLAT], 12);
}

static void neighbours_are_mutual_and_kinds_agree(void **state)
{
    random_source r = {2};
    const dp_mesh m = star_mesh(*state, 3, &r);
    const dp_surface s = surface_of(*state, &m);
    assert_int_equal(s.nface, m.nface);
    for (int f = 0; f < s.nface; ++f) {
        for (int k = 0; k < 3; ++k) {
            const int g = s.neighbour[3 * f + k];
            assert_in_range(g, 0, s.nface - 1);
            bool back = false;
            for (int j = 0; j < 3; ++j) {
                if (s.neighbour[3 * g + j] == f &&
                    s.face[3 * g + j] == s.face[3 * f + (k + 1) % 3]) {
                    back = true;
                    assert_int_equal(s.edge[3 * g + j], s.edge[3 * f + k]);
                }
            }
            assert_true(back);
            // A ridge: the far corner of the neighbour is below.
            for (int j = 0; j < 3; ++j) {
                const int v = s.face[3 * g + j];
                if (v != s.face[3 * f + k] && v != s.face[3 * f + (k + 1) % 3]) {
                    const double z =
                        dp_v3_dot(dp_v3_load(s.plane + 4 * f), dp_v3_load(s.vertex + 3 * v)) -
                        s.plane[4 * f + 3];
                    assert_int_equal(s.edge[3 * f + k], z < 0.0 ? DP_EDGE_CONVEX : DP_EDGE_CONCAVE);
                }
            }
        }
    }
}

static void triangles_with_corners_of_their_own_are_joined(void **state)
{
    const dp_mesh m = icosphere_mesh(*state, 1.0, 2);
    const dp_mesh loose = explode_mesh(*state, &m);
    const dp_surface s = surface_of(*state, &loose);
    int count[4];
    count_edges(count, &s);
    assert_int_equal(s.nvertex, m.nvertex);
    assert_int_equal(count[DP_EDGE_CONVEX], 3 * m.nface);
}

static void a_sheet_with_two_sides_has_a_rim_and_no_other_edges(void **state)
{
    (void)state;
    random_source r = {3};
    const floor_mesh f = floor_mesh_make(&r, 6, 1.0, 0.2, 0.0);
    int *face = malloc(sizeof(int) * 6 * (size_t)f.nface);
    assert_non_null(face);
    for (int i = 0; i < f.nface; ++i) {
        const int *c = f.face + 3 * i;
        const int both[6] = {c[0], c[1], c[2], c[0], c[2], c[1]};
        memcpy(face + 6 * i, both, sizeof both);
    }
    dp_surface *s;
    assert_int_equal(dp_surface_create(&s, f.vertex, f.nvertex, face, 2 * f.nface, NULL), DP_OK);
    int count[4];
    count_edges(count, s);
    assert_int_equal(count[DP_EDGE_CONVEX], 2 * 4 * 6); // the rim, where the sheet turns over
    assert_int_equal(count[DP_EDGE_FLAT], 3 * s->nface - 2 * 4 * 6);
    dp_surface_destroy(s);
    free(face);
    floor_mesh clean = f;
    floor_mesh_free(&clean);
}

// --- degenerate meshes

static void triangles_without_area_and_repeated_ones_are_left_out(void **state)
{
    (void)state;
    const double vertex[15] = {
        0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0,
        0.0, 0.5, 0.0, 0.0, 1.0, 0.0, 0.0}; // 4 is 1 again, 3 on the edge 0–1
    const int face[18] = {0, 1, 2, 1, 2, 0, 2, 0, 4, 0, 3, 1, 0, 0, 2, 1, 4, 2};
    dp_surface *s;
    assert_int_equal(dp_surface_create(&s, vertex, 5, face, 6, NULL), DP_OK);
    assert_int_equal(s->nface, 1);
    assert_int_equal(s->nvertex, 3);
    dp_surface_destroy(s);
}

static void what_is_no_surface_is_refused(void **state)
{
    (void)state;
    const double line[9] = {0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0};
    const double lost[9] = {0.0, 0.0, 0.0, NAN, 1.0, 1.0, 2.0, 2.0, 0.0};
    const double sound[9] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0};
    const int face[3] = {0, 1, 2}, wild[3] = {0, 1, 3};
    dp_surface *s;
    assert_int_equal(dp_surface_create(&s, line, 3, face, 1, NULL), DP_ERROR_ARGUMENT);
    assert_null(s);
    assert_non_null(strstr(dp_last_error(), "none of its 1 triangles has an area"));
    assert_int_equal(dp_surface_create(&s, lost, 3, face, 1, NULL), DP_ERROR_ARGUMENT);
    assert_int_equal(dp_surface_create(&s, sound, 3, wild, 1, NULL), DP_ERROR_ARGUMENT);
    assert_int_equal(dp_surface_create(&s, sound, 3, face, 0, NULL), DP_ERROR_ARGUMENT);
    assert_int_equal(dp_surface_create(&s, NULL, 3, face, 1, NULL), DP_ERROR_ARGUMENT);
    assert_int_equal(dp_surface_create(&s, sound, 3, NULL, 1, NULL), DP_ERROR_ARGUMENT);
    assert_int_equal(dp_surface_create(NULL, sound, 3, face, 1, NULL), DP_ERROR_ARGUMENT);
    dp_surface_destroy(NULL);
}

static void terrain_that_is_none_is_refused(void **state)
{
    (void)state;
    const double height[4] = {0.0, 0.5, 1.0, 0.25}, high[4] = {0.0, 0.5, 1.5, 0.25};
    const double lost[4] = {0.0, NAN, 1.0, 0.25};
    const dp_hfield_spec sound = {
        .nrow = 2, .ncol = 2, .elevation = height, .size = {1.0, 1.0, 1.0, 0.0}};
    dp_terrain *t;
    assert_int_equal(dp_terrain_create(&t, &sound, NULL), DP_OK);
    dp_terrain_destroy(t);
    dp_hfield_spec bad = sound;
    bad.nrow = 1;
    assert_int_equal(dp_terrain_create(&t, &bad, NULL), DP_ERROR_ARGUMENT);
    assert_null(t);
    bad = sound;
    bad.size[1] = 0.0;
    assert_int_equal(dp_terrain_create(&t, &bad, NULL), DP_ERROR_ARGUMENT);
    bad = sound;
    bad.size[3] = INFINITY;
    assert_int_equal(dp_terrain_create(&t, &bad, NULL), DP_ERROR_ARGUMENT);
    bad = sound;
    bad.elevation = high;
    assert_int_equal(dp_terrain_create(&t, &bad, NULL), DP_ERROR_ARGUMENT);
    bad.elevation = lost;
    assert_int_equal(dp_terrain_create(&t, &bad, NULL), DP_ERROR_ARGUMENT);
    assert_non_null(strstr(dp_last_error(), "row 1, column 2"));
    assert_int_equal(dp_terrain_create(&t, NULL, NULL), DP_ERROR_ARGUMENT);
    assert_int_equal(dp_terrain_create(NULL, &sound, NULL), DP_ERROR_ARGUMENT);
    dp_terrain_destroy(NULL);
}

static void all_triangles_at_one_edge_take_no_square_of_their_number(void **state)
{
    (void)state;
    // 4000 pages of a book, and a fan of as many triangles around one vertex.
    enum { N = 4000 };
    double *vertex = malloc(sizeof(double) * 3 * (2 + N));
    int *face = malloc(sizeof(int) * 3 * N);
    assert_non_null(vertex);
    assert_non_null(face);
    const double spine[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 1.0};
    memcpy(vertex, spine, sizeof spine);
    for (int i = 0; i < N; ++i) {
        const double angle = 6.28 * i / N;
        const dp_v3 x = {cos(angle), sin(angle), 0.5};
        dp_v3_store(vertex + 6 + 3 * i, x);
    }
    dp_surface *s;
    for (int fan = 0; fan < 2; ++fan) {
        for (int i = 0; i < N; ++i) {
            const int c[3] = {0, fan ? 2 + i : 1, fan ? 2 + (i + 1) % N : 2 + i};
            memcpy(face + 3 * i, c, sizeof c);
        }
        assert_int_equal(dp_surface_create(&s, vertex, 2 + N, face, N, NULL), DP_OK);
        assert_int_equal(s->nface, N);
        dp_surface_destroy(s);
    }
    free(vertex);
    free(face);
}

// --- where things are

static void terrain_is_as_high_as_its_triangles(void **state)
{
    (void)state;
    random_source r = {4};
    enum { ROWS = 11, COLUMNS = 9 };
    double elevation[ROWS * COLUMNS];
    for (int i = 0; i < ROWS * COLUMNS; ++i) {
        elevation[i] = random_between(&r, 0.0, 1.0);
    }
    const dp_hfield_spec spec = {
        .nrow = ROWS, .ncol = COLUMNS, .elevation = elevation, .size = {2.0, 3.0, 0.5, 0.1}};
    dp_terrain *t;
    assert_int_equal(dp_terrain_create(&t, &spec, NULL), DP_OK);
    const dp_shape ground = {.kind = DP_GEOM_HFIELD, .terrain = t};
    for (int i = 0; i < 2000; ++i) {
        const double x = random_between(&r, -2.0, 2.0), y = random_between(&r, -3.0, 3.0);
        int number;
        const double z = dp_terrain_height_at(&number, t, x, y);
        dp_ground_triangle triangle;
        dp_ground_triangle_get(&triangle, &ground, number);
        assert_true(triangle.normal.z > 0.0);
        const dp_v3 at = {x, y, z};
        assert_near(dp_v3_norm(dp_v3_sub(dp_triangle_nearest(triangle.corner, at), at)), 0.0,
                    1e-14);
    }
    dp_terrain_destroy(t);
}

static void walks_over_terrain_find_the_triangles_under_a_box(void **state)
{
    (void)state;
    random_source r = {5};
    enum { ROWS = 30, COLUMNS = 23 };
    double elevation[ROWS * COLUMNS];
    for (int i = 0; i < ROWS * COLUMNS; ++i) {
        elevation[i] = random_between(&r, 0.0, 1.0);
    }
    const dp_hfield_spec spec = {
        .nrow = ROWS, .ncol = COLUMNS, .elevation = elevation, .size = {2.0, 3.0, 0.5, 0.1}};
    dp_terrain *t;
    assert_int_equal(dp_terrain_create(&t, &spec, NULL), DP_OK);
    const dp_shape ground = {.kind = DP_GEOM_HFIELD, .terrain = t};
    enum { TRIANGLES = 2 * (ROWS - 1) * (COLUMNS - 1) };
    for (int i = 0; i < 500; ++i) {
        const dp_v3 low = {random_between(&r, -2.5, 2.5), random_between(&r, -3.5, 3.5),
                           random_between(&r, -0.1, 0.6)};
        const double size = pow(10.0, random_between(&r, -3.0, 0.3));
        const dp_bounds box = {low, dp_v3_add(low, (dp_v3){size, size, size})};
        bool seen[TRIANGLES] = {false};
        dp_ground_walk walk;
        dp_ground_walk_begin(&walk, &ground);
        for (int number; dp_ground_next_in_box(&number, &walk, &box);) {
            assert_in_range(number, 0, TRIANGLES - 1);
            assert_false(seen[number]);
            seen[number] = true;
        }
        for (int k = 0; k < TRIANGLES; ++k) {
            dp_ground_triangle c;
            dp_ground_triangle_get(&c, &ground, k);
            dp_bounds around = {c.corner[0], c.corner[0]};
            for (int j = 1; j < 3; ++j) {
                around = dp_bounds_join(around, (dp_bounds){c.corner[j], c.corner[j]});
            }
            assert_true(seen[k] || !dp_bounds_meet(&around, &box));
        }
    }
    dp_terrain_destroy(t);
}

static void bounds_of_turned_ground_hold_it(void **state)
{
    (void)state;
    random_source r = {6};
    floor_mesh f = floor_mesh_make(&r, 8, 2.0, 0.2, 0.0);
    dp_surface *surface = floor_surface(&f);
    const double elevation[6] = {0.0, 1.0, 0.3, 0.2, 0.9, 0.5};
    const dp_hfield_spec spec = {
        .nrow = 2, .ncol = 3, .elevation = elevation, .size = {1.0, 2.0, 0.5, 0.4}};
    dp_terrain *terrain;
    assert_int_equal(dp_terrain_create(&terrain, &spec, NULL), DP_OK);
    for (int i = 0; i < 300; ++i) {
        double q[4];
        random_direction(q, 4, &r);
        const dp_pose X = i ? (dp_pose){dp_quat_load(q), {random_between(&r, -9.0, 9.0), 1.0, 2.0}}
                            : DP_IDENTITY_POSE;
        const dp_shape floor = {.kind = DP_GEOM_MESH, .surface = surface};
        const dp_shape ground = {.kind = DP_GEOM_HFIELD, .terrain = terrain};
        dp_bounds b;
        assert_int_equal(dp_shape_bounds(&b, &floor, X), DP_OK);
        dp_v3 low = {INFINITY, INFINITY, INFINITY};
        for (int k = 0; k < f.nvertex; ++k) {
            const dp_v3 x = dp_pose_apply(X, dp_v3_load(f.vertex + 3 * k));
            assert_true(x.x >= b.low.x && x.y >= b.low.y && x.z >= b.low.z);
            assert_true(x.x <= b.high.x && x.y <= b.high.y && x.z <= b.high.z);
            low.x = fmin(low.x, x.x);
        }
        assert_near(b.low.x, low.x, 1e-13);
        assert_int_equal(dp_shape_bounds(&b, &ground, X), DP_OK);
        low.x = INFINITY;
        for (int k = 0; k < 10; ++k) {
            const dp_v3 x = k < 6 ? dp_terrain_vertex(terrain, k / 3, k % 3)
                                  : (dp_v3){k & 1 ? 1.0 : -1.0, k & 2 ? 2.0 : -2.0, -0.4};
            const dp_v3 w = dp_pose_apply(X, x);
            assert_true(w.x >= b.low.x && w.y >= b.low.y && w.z >= b.low.z);
            assert_true(w.x <= b.high.x && w.y <= b.high.y && w.z <= b.high.z);
            low.x = fmin(low.x, w.x);
        }
        assert_near(b.low.x, low.x, 1e-13);
    }
    dp_terrain_destroy(terrain);
    dp_surface_destroy(surface);
    floor_mesh_free(&f);
}

// --- memory

static void every_allocation_may_fail(void **state)
{
    random_source r = {7};
    const dp_mesh m = star_mesh(*state, 1, &r);
    const dp_hfield_spec spec = {.nrow = 12, .ncol = 9, .size = {1.0, 1.0, 1.0, 0.0}};
    counting_allocator counts = {0};
    const dp_allocator a = counting_allocator_for(&counts);
    dp_surface *s;
    dp_terrain *t;
    assert_int_equal(dp_surface_create(&s, m.vertex, m.nvertex, m.face, m.nface, &a), DP_OK);
    dp_surface_destroy(s);
    assert_int_equal(counts.blocks, 0);
    const size_t surface_calls = counts.calls;
    assert_int_equal(dp_terrain_create(&t, &spec, &a), DP_OK);
    dp_terrain_destroy(t);
    assert_int_equal(counts.blocks, 0);
    const size_t terrain_calls = counts.calls - surface_calls;
    for (size_t k = 1; k <= surface_calls; ++k) {
        counts = (counting_allocator){.fail_at = k};
        assert_int_equal(dp_surface_create(&s, m.vertex, m.nvertex, m.face, m.nface, &a),
                         DP_ERROR_MEMORY);
        assert_null(s);
        assert_int_equal(counts.blocks + counts.wrong_sizes, 0);
    }
    for (size_t k = 1; k <= terrain_calls; ++k) {
        counts = (counting_allocator){.fail_at = k};
        assert_int_equal(dp_terrain_create(&t, &spec, &a), DP_ERROR_MEMORY);
        assert_null(t);
        assert_int_equal(counts.blocks + counts.wrong_sizes, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_hold_every_box_once_whatever_the_boxes),
        cmocka_unit_test(edges_of_a_box_are_ridges_and_its_diagonals_are_flat),
        cmocka_unit_test(a_box_seen_from_inside_has_furrows),
        cmocka_unit_test(neighbours_are_mutual_and_kinds_agree),
        cmocka_unit_test(triangles_with_corners_of_their_own_are_joined),
        cmocka_unit_test(a_sheet_with_two_sides_has_a_rim_and_no_other_edges),
        cmocka_unit_test(triangles_without_area_and_repeated_ones_are_left_out),
        cmocka_unit_test(what_is_no_surface_is_refused),
        cmocka_unit_test(terrain_that_is_none_is_refused),
        cmocka_unit_test(all_triangles_at_one_edge_take_no_square_of_their_number),
        cmocka_unit_test(terrain_is_as_high_as_its_triangles),
        cmocka_unit_test(walks_over_terrain_find_the_triangles_under_a_box),
        cmocka_unit_test(bounds_of_turned_ground_hold_it),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, open_pool, close_pool);
}
