// Faces of a hull that are near as a whole, beside those that the hull shows.
//
// A hull shows the flattest faces at its furthest vertex. Others that are nearly as level may have
// all their corners in the other shape, or so near to it that they come there within the step:
// without them a corner that is as deep would have no contact. The further a face has its highest
// corner within the margin, and the more level it is, the more it counts, and those that count in
// full have shares by their areas. So shares change without a jump, and a face that leads away has
// none.
#include "collide/sunk_faces.h"

#include "collide/outline.h"
#include "geom/core.h"
#include "geom/hull_shape.h"

typedef struct seen {
    const dp_hull *hull;
    dp_v3 m;        // in the frame of the hull
    double deepest; // of its vertices, along m
    double depth;
} seen;

static dp_v3 vertex_of(const dp_hull *h, int i)
{
    return dp_v3_load(h->vertex + 3 * (size_t)i);
}

// How much a face counts, 0 … 1. @param behind its nearest corner lies behind the deepest vertex
static double counts(double *behind, const seen *s, int face)
{
    const dp_hull *h = s->hull;
    const dp_v3 n = dp_v3_load(h->face_plane + 4 * (size_t)face), across = dp_v3_cross(n, s->m);
    const double level = dp_v3_dot(n, s->m) > 0.0 ? dp_slope_taper(dp_v3_dot(across, across)) : 0.0;
    double least = INFINITY, most = 0.0;
    for (int i = h->face_start[face]; level > 0.0 && i < h->face_start[face + 1]; ++i) {
        const double drop = s->deepest - dp_v3_dot(vertex_of(h, h->face_vertex[i]), s->m);
        least = drop < least ? drop : least;
        most = drop > most ? drop : most;
    }
    *behind = least > 0.0 ? least : 0.0;
    return level > 0.0 ? level * dp_rise(s->depth - most, 0.0, s->depth) : 0.0;
}

static double area_of(const dp_hull *h, int face)
{
    const int first = h->face_start[face], end = h->face_start[face + 1];
    const dp_v3 p = vertex_of(h, h->face_vertex[first]);
    dp_v3 twice = {0.0, 0.0, 0.0};
    for (int i = first + 1; i + 1 < end; ++i) {
        twice = dp_v3_add(twice, dp_v3_cross(dp_v3_sub(vertex_of(h, h->face_vertex[i]), p),
                                             dp_v3_sub(vertex_of(h, h->face_vertex[i + 1]), p)));
    }
    return 0.5 * dp_v3_norm(twice);
}

static bool has(const dp_sunk_faces *f, int face)
{
    for (int i = 0; i < f->choice.count; ++i) {
        if (f->choice.face[i] == face) {
            return true;
        }
    }
    return false;
}

// Those at the corners of face number `at`, as far as there is room.
static void add_beside(dp_sunk_faces *f, double count[DP_FACE_CHOICES], const seen *s, int at)
{
    const dp_hull *h = s->hull;
    dp_face_choice *c = &f->choice;
    for (int i = h->face_start[c->face[at]]; i < h->face_start[c->face[at] + 1]; ++i) {
        const int vertex = h->face_vertex[i];
        for (int k = h->vertex_face_start[vertex]; k < h->vertex_face_start[vertex + 1]; ++k) {
            const int face = h->vertex_face[k];
            double behind;
            if (c->count == DP_FACE_CHOICES || has(f, face)) {
                continue;
            }
            const double share = counts(&behind, s, face);
            if (share > 0.0) {
                count[c->count] = share;
                f->behind[c->count] = behind;
                c->share[c->count] = 0.0;
                c->face[c->count++] = face;
            }
        }
    }
}

void dp_sunk_faces_add(dp_sunk_faces *f, const dp_placed *s, dp_v3 direction, double depth)
{
    dp_face_choice *c = &f->choice;
    double count[DP_FACE_CHOICES], area[DP_FACE_CHOICES];
    seen here = {s->shape->hull, dp_m3_apply_transposed(&s->R, direction), 0.0, depth};
    const int shown = c->count;
    int vertex = -1;
    here.deepest = dp_v3_dot(dp_core_support_of(s->shape, here.m, &vertex), here.m);
    for (int i = 0; i < shown; ++i) {
        f->behind[i] = 0.0; // they have the furthest vertex
    }
    if (!(depth > 0.0)) {
        return;
    }
    for (int i = 0; i < shown; ++i) {
        double behind;
        count[i] = counts(&behind, &here, c->face[i]);
    }
    for (int i = 0; i < c->count; ++i) {
        if (count[i] > 0.0) {
            add_beside(f, count, &here, i);
        }
    }
    if (c->count == 1) {
        return;
    }
    double mean = 0.0, sunk = 0.0, sum = 0.0;
    for (int i = 0; i < c->count; ++i) {
        area[i] = area_of(here.hull, c->face[i]);
        mean += c->share[i] * area[i];
        sunk += c->share[i] * count[i];
    }
    for (int i = 0; i < c->count; ++i) {
        c->share[i] = (1.0 - sunk) * c->share[i] * mean + count[i] * area[i];
        sum += c->share[i];
    }
    for (int i = 0; i < c->count; ++i) {
        c->share[i] /= sum;
    }
}
