#include "mesh_shapes.h"

#include "test_random.h"

#include "math/angle.h"

#include <math.h>
#include <string.h>

static void *take(dp_pool *pool, size_t count, size_t size)
{
    void *memory;
    assert_int_equal(dp_pool_take(&memory, pool, count, size), DP_OK);
    return memory;
}

dp_mesh copy_mesh(double **vertex, int **face, dp_pool *pool, const dp_mesh *m)
{
    *vertex = take(pool, (size_t)m->nvertex, 3 * sizeof **vertex);
    *face = take(pool, (size_t)m->nface, 3 * sizeof **face);
    memcpy(*vertex, m->vertex, (size_t)m->nvertex * 3 * sizeof **vertex);
    if (m->nface > 0) {
        memcpy(*face, m->face, (size_t)m->nface * 3 * sizeof **face);
    }
    return (dp_mesh){m->name, *vertex, m->nvertex, *face, m->nface};
}

dp_mesh box_mesh(dp_pool *pool, double a, double b, double c)
{
    static const int face[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                    {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                    {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    double vertex[24];
    for (int i = 0; i < 8; ++i) {
        vertex[3 * i] = i & 1 ? a : -a;
        vertex[3 * i + 1] = i & 2 ? b : -b;
        vertex[3 * i + 2] = i & 4 ? c : -c;
    }
    const dp_mesh m = {"box", vertex, 8, &face[0][0], 12};
    double *v;
    int *f;
    return copy_mesh(&v, &f, pool, &m);
}

dp_mesh tetrahedron_mesh(dp_pool *pool, const dp_v3 p[4])
{
    static const int face[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    const dp_mesh m = {"tetrahedron", &p[0].x, 4, &face[0][0], 4};
    double *v;
    int *f;
    return copy_mesh(&v, &f, pool, &m);
}

dp_mesh octahedron_mesh(dp_pool *pool, double r)
{
    static const int face[8][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                   {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
    const double vertex[18] = {r, 0, 0, -r, 0, 0, 0, r, 0, 0, -r, 0, 0, 0, r, 0, 0, -r};
    const dp_mesh m = {"octahedron", vertex, 6, &face[0][0], 8};
    double *v;
    int *f;
    return copy_mesh(&v, &f, pool, &m);
}

static dp_mesh icosahedron(dp_pool *pool)
{
    const double g = 0.5 * (1.0 + sqrt(5.0)); // corners of three golden rectangles
    const double vertex[36] = {-1, g,  0,  1, g, 0,  -1, -g, 0,  1, -g, 0, 0,  -1, g,  0,  1, g,
                               0,  -1, -g, 0, 1, -g, g,  0,  -1, g, 0,  1, -g, 0,  -1, -g, 0, 1};
    static const int face[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                    {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                    {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                    {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
    const dp_mesh m = {"icosphere", vertex, 12, &face[0][0], 20};
    double *v;
    int *f;
    return copy_mesh(&v, &f, pool, &m);
}

// Cut every face in four. Each gets its own new vertices in the middles of its sides; welding makes
// one of two equal ones.
static dp_mesh refine(dp_pool *pool, const dp_mesh *m)
{
    double *vertex = take(pool, (size_t)m->nface, 18 * sizeof *vertex);
    int *face = take(pool, (size_t)m->nface, 12 * sizeof *face);
    static const int part[4][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}, {3, 4, 5}};
    for (int f = 0; f < m->nface; ++f) {
        double *x = vertex + 18 * f;
        for (int k = 0; k < 3; ++k) {
            const dp_v3 a = dp_mesh_corner(m, f, k), b = dp_mesh_corner(m, f, (k + 1) % 3);
            dp_v3_store(x + 3 * k, a);
            dp_v3_store(x + 9 + 3 * k, dp_v3_scale(dp_v3_add(a, b), 0.5));
        }
        for (int k = 0; k < 12; ++k) {
            face[12 * f + k] = 6 * f + part[k / 3][k % 3];
        }
    }
    dp_mesh fine = {m->name, vertex, 6 * m->nface, face, 4 * m->nface};
    assert_int_equal(dp_mesh_weld(&fine, NULL, pool, &fine), DP_OK);
    return fine;
}

dp_mesh icosphere_mesh(dp_pool *pool, double r, int levels)
{
    dp_mesh m = icosahedron(pool);
    for (int i = 0; i < levels; ++i) {
        m = refine(pool, &m);
    }
    double *vertex;
    int *face;
    m = copy_mesh(&vertex, &face, pool, &m);
    for (int i = 0; i < m.nvertex; ++i) {
        const dp_v3 x = dp_mesh_vertex(&m, i);
        dp_v3_store(vertex + 3 * i, dp_v3_scale(x, r / dp_v3_norm(x)));
    }
    return m;
}

dp_mesh star_mesh(dp_pool *pool, int levels, random_source *r)
{
    double *vertex;
    int *face;
    dp_mesh m = icosphere_mesh(pool, 1.0, levels);
    m = copy_mesh(&vertex, &face, pool, &m);
    m.name = "star";
    for (int i = 0; i < m.nvertex; ++i) {
        const double s = random_between(r, 0.3, 1.0);
        dp_v3_store(vertex + 3 * i, dp_v3_scale(dp_mesh_vertex(&m, i), s));
    }
    return m;
}

dp_mesh prism_mesh(dp_pool *pool, int n, double r, double h)
{
    double *vertex = take(pool, 2 * (size_t)n, 3 * sizeof *vertex);
    int *face = take(pool, 4 * (size_t)n, 3 * sizeof *face);
    int k = 0;
    for (int i = 0; i < n; ++i) {
        double s, c;
        dp_sincos(&s, &c, 2.0 * DP_PI * i / n);
        dp_v3_store(vertex + 3 * i, (dp_v3){r * c, r * s, -h});
        dp_v3_store(vertex + 3 * (n + i), (dp_v3){r * c, r * s, h});
        const int next = (i + 1) % n;
        const int side[6] = {i, next, n + next, i, n + next, n + i};
        memcpy(face + k, side, sizeof side);
        k += 6;
        if (i > 0 && i < n - 1) {
            const int ends[6] = {0, i + 1, i, n, n + i, n + i + 1};
            memcpy(face + k, ends, sizeof ends);
            k += 6;
        }
    }
    return (dp_mesh){"prism", vertex, 2 * n, face, k / 3};
}

dp_mesh ring_mesh(dp_pool *pool, int n, double r, double s)
{
    double *vertex = take(pool, 4 * (size_t)n, 3 * sizeof *vertex);
    int *face = take(pool, 8 * (size_t)n, 3 * sizeof *face);
    static const double out[4] = {-1, 1, 1, -1}, up[4] = {-1, -1, 1, 1};
    for (int i = 0; i < n; ++i) {
        double sine, cosine;
        dp_sincos(&sine, &cosine, 2.0 * DP_PI * i / n);
        for (int k = 0; k < 4; ++k) {
            const double radius = r + s * out[k];
            dp_v3_store(vertex + 3 * (4 * i + k),
                        (dp_v3){radius * cosine, radius * sine, s * up[k]});
            const int here = 4 * i + k, above = 4 * i + (k + 1) % 4;
            const int there = 4 * ((i + 1) % n) + k, beyond = 4 * ((i + 1) % n) + (k + 1) % 4;
            const int sides[6] = {here, there, beyond, here, beyond, above};
            memcpy(face + 6 * (4 * i + k), sides, sizeof sides);
        }
    }
    return (dp_mesh){"ring", vertex, 4 * n, face, 8 * n};
}

dp_mesh cloud_mesh(dp_pool *pool, int n, random_source *r)
{
    double *vertex = take(pool, (size_t)n, 3 * sizeof *vertex);
    for (int i = 0; i < n; ++i) {
        random_direction(vertex + 3 * i, 3, r);
        const double distance = cbrt(random_between(r, 0.0, 1.0));
        for (int k = 0; k < 3; ++k) {
            vertex[3 * i + k] *= distance;
        }
    }
    return (dp_mesh){"cloud", vertex, n, NULL, 0};
}

dp_mesh join_meshes(dp_pool *pool, const dp_mesh *a, const dp_mesh *b)
{
    double *vertex = take(pool, (size_t)(a->nvertex + b->nvertex), 3 * sizeof *vertex);
    int *face = take(pool, (size_t)(a->nface + b->nface), 3 * sizeof *face);
    memcpy(vertex, a->vertex, (size_t)a->nvertex * 3 * sizeof *vertex);
    memcpy(vertex + 3 * a->nvertex, b->vertex, (size_t)b->nvertex * 3 * sizeof *vertex);
    memcpy(face, a->face, (size_t)a->nface * 3 * sizeof *face);
    for (int k = 0; k < 3 * b->nface; ++k) {
        face[3 * a->nface + k] = a->nvertex + b->face[k];
    }
    return (dp_mesh){"joined", vertex, a->nvertex + b->nvertex, face, a->nface + b->nface};
}

dp_mesh explode_mesh(dp_pool *pool, const dp_mesh *m)
{
    double *vertex = take(pool, (size_t)m->nface, 9 * sizeof *vertex);
    int *face = take(pool, (size_t)m->nface, 3 * sizeof *face);
    for (int k = 0; k < 3 * m->nface; ++k) {
        dp_v3_store(vertex + 3 * k, dp_mesh_corner(m, k / 3, k % 3));
        face[k] = k;
    }
    return (dp_mesh){"exploded", vertex, 3 * m->nface, face, m->nface};
}

dp_m3 random_affine(random_source *r, bool mirrored)
{
    double q[4], p[4];
    random_direction(q, 4, r);
    random_direction(p, 4, r);
    const dp_m3 R = dp_m3_from_quat(dp_quat_load(q)), Q = dp_m3_from_quat(dp_quat_load(p));
    dp_m3 S = {{{0.0}}};
    for (int k = 0; k < 3; ++k) {
        S.m[k][k] = random_between(r, 0.5, 2.0);
    }
    S.m[2][2] = mirrored ? -S.m[2][2] : S.m[2][2];
    const dp_m3 SQ = dp_m3_mul(&S, &Q);
    return dp_m3_mul(&R, &SQ);
}
