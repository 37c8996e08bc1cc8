// Faces of a hull that are near as a whole, beside those that it shows.
//
// A hull shows the flattest faces at its furthest vertex. Others that are nearly as level may have
// all their corners in the other shape, or so near to it that they come there within the step:
// without them a corner that is as deep would have no contact. A face of the slope s comes down by
// a turn of s, so that steeper ones than a body turns by in a well resolved step have no part. The
// further a face has its highest corner within the margin, and the more level it is, the more it
// counts, and those that count in full have shares by their areas. So shares change without a jump.
#include "collide/convex/sunk_faces.h"

#include "collide/convex/outline.h"
#include "geom/hull_shape.h"

// The slope (as a sine) of faces that have no part, half of what explicit velocity terms bear as a
// turn (options.large_rotation), and the cosine of twice that: two faces that are as level meet at
// no sharper an angle.
#define TILTED 0.05
#define TOGETHER (1.0 - 2.0 * TILTED * TILTED)

typedef struct seen {
    const dp_hull *hull;
    dp_v3 m;        // in the frame of the hull
    double deepest; // of its vertices, along m
    double depth;
} seen;

static double slope2_of(const dp_hull *h, int face, dp_v3 m)
{
    const double upright = dp_v3_dot(dp_v3_load(h->face_plane + 4 * (size_t)face), m);
    return upright > 0.0 ? 1.0 - upright * upright : 1.0;
}

static dp_v3 vertex_of(const dp_hull *h, int i)
{
    return dp_v3_load(h->vertex + 3 * (size_t)i);
}

// The furthest vertex is a corner of every face that the hull shows.
static double furthest_corner(const dp_hull *h, int face, dp_v3 m)
{
    double most = -INFINITY;
    for (int i = h->face_start[face]; i < h->face_start[face + 1]; ++i) {
        const double along = dp_v3_dot(vertex_of(h, h->face_vertex[i]), m);
        most = along > most ? along : most;
    }
    return most;
}

// How much a face counts, 0 … 1. @param behind its nearest corner lies behind the furthest vertex
static double counts(double *behind, const seen *s, int face)
{
    const dp_hull *h = s->hull;
    const double slope2 = slope2_of(h, face, s->m);
    double least = INFINITY, most = 0.0;
    if (!(slope2 < TILTED * TILTED)) {
        return 0.0;
    }
    for (int i = h->face_start[face]; i < h->face_start[face + 1]; ++i) {
        const double drop = s->deepest - dp_v3_dot(vertex_of(h, h->face_vertex[i]), s->m);
        if (drop >= s->depth) {
            return 0.0;
        }
        least = drop < least ? drop : least;
        most = drop > most ? drop : most;
    }
    *behind = least > 0.0 ? least : 0.0;
    const double level = slope2 > 0.0 ? 1.0 - dp_rise(sqrt(slope2), 0.5 * TILTED, TILTED) : 1.0;
    return level * dp_rise(s->depth - most, 0.0, s->depth);
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
    if (h->face_cosine[c->face[at]] < TOGETHER) {
        return;
    }
    for (int i = h->face_start[c->face[at]]; i < h->face_start[c->face[at] + 1]; ++i) {
        const int vertex = h->face_vertex[i];
        for (int k = h->vertex_face_start[vertex]; k < h->vertex_face_start[vertex + 1]; ++k) {
            const int face = h->vertex_face[k];
            double behind = 0.0;
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

// Is a face that the hull shows level, and may others beside it be so?
static bool any_together(const dp_face_choice *c, const dp_hull *hull, dp_v3 m)
{
    bool any = false;
    for (int i = 0; hull->face_cosine && i < c->count && !any; ++i) {
        any = hull->face_cosine[c->face[i]] >= TOGETHER &&
              slope2_of(hull, c->face[i], m) < TILTED * TILTED;
    }
    return any;
}

void dp_sunk_faces_add(dp_sunk_faces *f, const dp_hull *hull, dp_v3 m, double depth)
{
    dp_face_choice *c = &f->choice;
    double count[DP_FACE_CHOICES], area[DP_FACE_CHOICES];
    const int shown = c->count;
    for (int i = 0; i < shown; ++i) {
        f->behind[i] = 0.0; // they have the furthest vertex
    }
    if (!any_together(c, hull, m)) {
        return;
    }
    const seen here = {hull, m, furthest_corner(hull, c->face[0], m), depth};
    for (int i = 0; i < shown; ++i) {
        double behind;
        count[i] = counts(&behind, &here, c->face[i]);
    }
    for (int i = 0; i < c->count; ++i) {
        add_beside(f, count, &here, i);
    }
    if (c->count == 1) {
        return;
    }
    double mean = 0.0, sunk = 0.0, sum = 0.0;
    for (int i = 0; i < c->count; ++i) {
        area[i] = area_of(hull, c->face[i]);
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

void dp_sunk_faces_to_panels(dp_sunk_faces *f, const dp_hull *hull)
{
    dp_face_choice *c = &f->choice;
    int count = 0;
    for (int i = 0; i < c->count; ++i) {
        const int panel = dp_hull_panel(hull, c->face[i]);
        int at = 0;
        while (at < count && c->face[at] != panel) {
            ++at;
        }
        if (at == count) {
            c->face[at] = panel;
            c->share[at] = c->share[i];
            f->behind[at] = f->behind[i];
            ++count;
        } else {
            c->share[at] += c->share[i];
            f->behind[at] = f->behind[i] < f->behind[at] ? f->behind[i] : f->behind[at];
        }
    }
    c->count = count;
}
