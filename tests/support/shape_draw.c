#include "shape_draw.h"

#include "geom/hull_shape.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

hull_stock stock;

const char *const KIND[DRAW_KINDS] = {"plane",     "sphere", "capsule", "cylinder",
                                      "ellipsoid", "box",    "hull"};

pair_name name_of_pair(int a, int b)
{
    pair_name name;
    snprintf(name.text, sizeof name.text, "%s-%s", KIND[a], KIND[b]);
    return name;
}

bool pair_wanted(int a, int b)
{
    const char *only = getenv("DP_PAIR");
    return !(a == DP_GEOM_PLANE && b == DP_GEOM_PLANE) &&
           (!only || strcmp(only, name_of_pair(a, b).text) == 0);
}

const char *const DRAW_NAME[DRAW_SITUATIONS] = {
    "any",      "touching", "shallow", "deep",   "nested", "concentric",
    "parallel", "edges",    "slender", "scales", "mixed",
};

static double random_power(random_source *r, double low, double high)
{
    return pow(10.0, random_between(r, low, high));
}

// Points of three kinds: a cloud on a ball, the corners of a prism, those of a box.
static int draw_points(double *x, random_source *r)
{
    const int sort = random_below(r, 4);
    if (sort == 0) {
        for (int i = 0; i < 24; ++i) {
            x[i] = (i / 3 >> i % 3) & 1 ? 1.0 : -1.0;
        }
        return 8;
    }
    if (sort == 1) {
        const int n = 3 + random_below(r, 8);
        for (int i = 0; i < 2 * n; ++i) {
            const double angle = 6.283185307179586 * (i / 2) / n;
            x[3 * i] = cos(angle);
            x[3 * i + 1] = sin(angle);
            x[3 * i + 2] = i % 2 ? 0.6 : -0.6;
        }
        return 2 * n;
    }
    const int n = 4 + random_below(r, sort == 2 ? 8 : 60);
    for (int i = 0; i < n; ++i) {
        random_direction(x + 3 * i, 3, r);
    }
    return n;
}

static void make_hull(drawn_hull *out, double scale, bool slender, random_source *r)
{
    enum { MOST = 64 };
    out->vertex = malloc(3 * MOST * sizeof *out->vertex);
    assert_non_null(out->vertex);
    do { // few points on a ball may be flat to round-off once they are slender
        out->nvertex = draw_points(out->vertex, r);
        const double stretch[3] = {scale * random_power(r, slender ? -4.0 : -0.5, 0.0),
                                   scale * random_power(r, slender ? -4.0 : -0.5, 0.0), scale};
        for (int i = 0; i < 3 * out->nvertex; ++i) {
            out->vertex[i] *= stretch[i % 3];
        }
    } while (dp_hull_create(&out->hull, out->vertex, out->nvertex, NULL) != DP_OK);
}

int stock_fill(void **state)
{
    (void)state;
    random_source r = {2024};
    for (int i = 0; i < STOCK_PLAIN; ++i) {
        make_hull(&stock.plain[i], 1.0, false, &r);
    }
    for (int i = 0; i < STOCK_SLENDER; ++i) {
        make_hull(&stock.slender[i], 1.0, true, &r);
    }
    for (int i = 0; i < STOCK_DECADES * STOCK_PER_DECADE; ++i) {
        const int decade = i / STOCK_PER_DECADE;
        make_hull(&stock.scaled[decade][i % STOCK_PER_DECADE], pow(10.0, decade - 6), false, &r);
    }
    return 0;
}

static void release(drawn_hull *hull, int count)
{
    for (int i = 0; i < count; ++i) {
        dp_hull_destroy(hull[i].hull);
        free(hull[i].vertex);
    }
}

int stock_clear(void **state)
{
    (void)state;
    release(stock.plain, STOCK_PLAIN);
    release(stock.slender, STOCK_SLENDER);
    for (int i = 0; i < STOCK_DECADES; ++i) {
        release(stock.scaled[i], STOCK_PER_DECADE);
    }
    return 0;
}

dp_quat random_rotation(random_source *r)
{
    double q[4];
    random_direction(q, 4, r);
    return (dp_quat){q[0], q[1], q[2], q[3]};
}

static dp_quat product(dp_quat a, dp_quat b)
{
    const dp_quat c = {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                       a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                       a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                       a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
    const double n = sqrt(c.w * c.w + c.x * c.x + c.y * c.y + c.z * c.z);
    return (dp_quat){c.w / n, c.x / n, c.y / n, c.z / n};
}

// A turn about one of the axes, often by a multiple of a right angle.
static dp_quat turn_about_axis(random_source *r)
{
    const double half = random_chance(r, 0.6) ? 0.7853981633974483 * random_below(r, 4)
                                              : random_between(r, -1.5, 1.5);
    dp_quat q = {cos(half), 0.0, 0.0, 0.0};
    *(double *[]){&q.x, &q.y, &q.z}[random_below(r, 3)] = sin(half);
    return q;
}

static const drawn_hull *choose_hull(draw_situation s, int decade, random_source *r)
{
    if (s == DRAW_SLENDER) {
        return &stock.slender[random_below(r, STOCK_SLENDER)];
    }
    if (s == DRAW_SCALES || s == DRAW_MIXED) {
        return &stock.scaled[decade][random_below(r, STOCK_PER_DECADE)];
    }
    return &stock.plain[random_below(r, STOCK_PLAIN)];
}

// Where the two face each other along n, with this gap between them.
static dp_v3 facing(const drawn_pair *pair, wide_v3 n, long double gap)
{
    const reference_body *a = &pair->body[0], *b = &pair->body[1];
    const wide_v3 x = reference_support(a, n);
    const wide_v3 y = reference_support(b, wide_scale(n, -1.0L));
    return (dp_v3){(double)(a->p.x + x.x - y.x + gap * n.x),
                   (double)(a->p.y + x.y - y.y + gap * n.y),
                   (double)(a->p.z + x.z - y.z + gap * n.z)};
}

static wide_v3 axis_of(const reference_body *s, int i)
{
    return (wide_v3){s->R[0][i], s->R[1][i], s->R[2][i]};
}

static wide_v3 draw_normal(const drawn_pair *pair, draw_situation s, random_source *r)
{
    double x[3];
    random_direction(x, 3, r);
    wide_v3 n = {x[0], x[1], x[2]};
    if (s == DRAW_PARALLEL || (s == DRAW_TOUCHING && random_chance(r, 0.4))) {
        n = axis_of(&pair->body[random_below(r, 2)], random_below(r, 3));
    } else if (s == DRAW_EDGES) {
        const wide_v3 across = wide_cross(axis_of(&pair->body[0], random_below(r, 3)),
                                          axis_of(&pair->body[1], random_below(r, 3)));
        n = wide_norm(across) > 1e-3L ? across : n;
    }
    return wide_scale(n, (random_chance(r, 0.5) ? 1.0L : -1.0L) / wide_norm(n));
}

static double draw_gap(double size, draw_situation s, random_source *r)
{
    const double sign = random_chance(r, 0.5) ? 1.0 : -1.0;
    switch (s) {
    case DRAW_TOUCHING:
        return random_chance(r, 0.3) ? 0.0 : sign * size * random_power(r, -17.0, -14.0);
    case DRAW_ANY:
    case DRAW_MIXED:
        return size * random_between(r, -0.6, 0.6);
    default:
        return sign * size * random_power(r, -10.0, random_chance(r, 0.3) ? -0.5 : -2.0);
    }
}

static dp_v3 draw_place(const drawn_pair *pair, draw_situation s, random_source *r)
{
    const wide_v3 n = draw_normal(pair, s, r);
    const dp_v3 here = pair->pose[0].p;
    if (s == DRAW_CONCENTRIC) {
        return here;
    }
    if (s == DRAW_DEEP || s == DRAW_NESTED) { // between the place of A and its surface
        const wide_v3 x = reference_support(&pair->body[0], n);
        const double part = random_between(r, 0.0, s == DRAW_DEEP ? 0.5 : 1.0);
        return (dp_v3){here.x + part * (double)x.x, here.y + part * (double)x.y,
                       here.z + part * (double)x.z};
    }
    dp_v3 p = facing(pair, n, draw_gap(pair->size, s, r));
    if (s == DRAW_PARALLEL || s == DRAW_EDGES) { // along the faces, not away from them
        const wide_v3 side = wide_cross(n, draw_normal(pair, DRAW_ANY, r));
        const double step = random_chance(r, 0.3) ? 0.0 : 0.3 * pair->size;
        p = (dp_v3){p.x + step * (double)side.x, p.y + step * (double)side.y,
                    p.z + step * (double)side.z};
    }
    return p;
}

void drawn_pair_replace(drawn_pair *pair, dp_pose X_WA, dp_pose X_WB)
{
    const dp_pose pose[2] = {X_WA, X_WB};
    for (int i = 0; i < 2; ++i) {
        reference_body *s = &pair->body[i];
        pair->pose[i] = pose[i];
        *s = reference_place(&pair->shape[i], s->vertex, s->nvertex, pose[i]);
    }
}

void draw_pair(drawn_pair *out, const dp_geom_kind kind[2], draw_situation situation,
               random_source *r)
{
    *out = (drawn_pair){.size = 0.0};
    int decade = random_below(r, STOCK_DECADES);
    for (int i = 0; i < 2; ++i) {
        if (situation == DRAW_MIXED) {
            decade = random_below(r, STOCK_DECADES);
        }
        const bool scaled = situation == DRAW_SCALES || situation == DRAW_MIXED;
        double scale = scaled ? pow(10.0, decade - 6) : 1.0;
        if (situation == DRAW_NESTED && i == 1) {
            scale *= random_power(r, -2.0, -0.5);
        }
        dp_shape *shape = &out->shape[i];
        shape->kind = kind[i];
        const drawn_hull *hull = NULL;
        if (kind[i] == DP_GEOM_MESH) {
            hull = choose_hull(situation, decade, r);
            shape->hull = hull->hull;
        } else if (kind[i] != DP_GEOM_PLANE) {
            const double thin = situation == DRAW_SLENDER ? -4.0 : -0.5;
            for (int k = 0; k < 3; ++k) {
                shape->size[k] = scale * random_power(r, thin, 0.0);
            }
        }
        out->pose[i].q = random_rotation(r);
        out->body[i] = reference_place(shape, hull ? hull->vertex : NULL, hull ? hull->nvertex : 0,
                                       out->pose[i]);
        out->size += (double)reference_radius(&out->body[i]);
    }
    const bool aligned =
        situation == DRAW_PARALLEL || (situation == DRAW_CONCENTRIC && random_chance(r, 0.7));
    if (aligned) {
        out->pose[1].q = product(out->pose[0].q, turn_about_axis(r));
        if (random_chance(r, 0.5)) { // along the axes of the world
            out->pose[0].q = (dp_quat){1.0, 0.0, 0.0, 0.0};
            out->pose[1].q = random_chance(r, 0.5) ? out->pose[0].q : turn_about_axis(r);
        }
    }
    for (int k = 0; k < 3; ++k) {
        (&out->pose[0].p.x)[k] = random_chance(r, 0.2) ? 0.0 : out->size * random_between(r, -1, 1);
    }
    drawn_pair_replace(out, out->pose[0], out->pose[1]);
    if (kind[0] == DP_GEOM_PLANE || kind[1] == DP_GEOM_PLANE) {
        const double gap = situation == DRAW_CONCENTRIC ? 0.0 : draw_gap(out->size, situation, r);
        const reference_body *a = &out->body[0], *b = &out->body[1];
        const long double now = reference_gap_along(a, b, (wide_v3){0.0L, 0.0L, 0.0L});
        const wide_v3 up = axis_of(kind[0] == DP_GEOM_PLANE ? a : b, 2);
        const long double by = (kind[0] == DP_GEOM_PLANE ? 1.0L : -1.0L) * (gap - now);
        out->pose[1].p = (dp_v3){(double)(b->p.x + by * up.x), (double)(b->p.y + by * up.y),
                                 (double)(b->p.z + by * up.z)};
    } else {
        out->pose[1].p = draw_place(out, situation, r);
    }
    drawn_pair_replace(out, out->pose[0], out->pose[1]);
}

bool drawn_twice(const drawn_pair *pair)
{
    const dp_shape *a = &pair->shape[0], *b = &pair->shape[1];
    return a->kind == b->kind && a->hull == b->hull &&
           memcmp(a->size, b->size, sizeof a->size) == 0 &&
           memcmp(&pair->pose[0], &pair->pose[1], sizeof pair->pose[0]) == 0;
}

long double drawn_outside(const drawn_pair *pair, int i, dp_v3 x)
{
    const reference_body *s = &pair->body[i];
    const wide_v3 at = wide_sub(wide_from(x), s->p);
    if (s->kind == DP_GEOM_PLANE) {
        return fmaxl(wide_dot(axis_of(s, 2), at), 0.0L);
    }
    if (s->kind != DP_GEOM_MESH) {
        return reference_outside(s, wide_from(x));
    }
    const wide_v3 y = {wide_dot(axis_of(s, 0), at), wide_dot(axis_of(s, 1), at),
                       wide_dot(axis_of(s, 2), at)};
    const dp_hull *hull = pair->shape[i].hull;
    long double most = 0.0L;
    for (int f = 0; f < hull->nface; ++f) {
        const double *plane = hull->face_plane + 4 * f;
        most = fmaxl(most, plane[0] * y.x + plane[1] * y.y + plane[2] * y.z - plane[3]);
    }
    return most;
}
