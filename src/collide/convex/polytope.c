#include "collide/convex/polytope.h"

#include <string.h>

enum { MOST_RIMS = DP_MOST_FACES + 2 }; // of n faces, each but one entered across an edge

static double lesser(double a, double b)
{
    return a < b ? a : b;
}

static int add_corner(dp_polytope *p, const dp_corner *c)
{
    p->corner[p->ncorner] = *c;
    p->passed[p->ncorner] = 0;
    return p->ncorner++;
}

// Two vectors at once.
typedef struct v3_pair {
    dp_f64x2 x, y, z;
} v3_pair;

DP_INLINE v3_pair pair_of(const dp_v3 *a, const dp_v3 *b)
{
    return (v3_pair){dp_f64x2_of(a->x, b->x), dp_f64x2_of(a->y, b->y), dp_f64x2_of(a->z, b->z)};
}

DP_INLINE v3_pair pair_sub(v3_pair a, v3_pair b)
{
    return (v3_pair){dp_f64x2_sub(a.x, b.x), dp_f64x2_sub(a.y, b.y), dp_f64x2_sub(a.z, b.z)};
}

DP_INLINE dp_f64x2 pair_dot(v3_pair a, v3_pair b)
{
    return dp_f64x2_madd(dp_f64x2_madd(dp_f64x2_mul(a.x, b.x), a.y, b.y), a.z, b.z);
}

DP_INLINE v3_pair pair_cross(v3_pair a, v3_pair b)
{
    return (v3_pair){dp_f64x2_msub(dp_f64x2_mul(a.y, b.z), a.z, b.y),
                     dp_f64x2_msub(dp_f64x2_mul(a.z, b.x), a.x, b.z),
                     dp_f64x2_msub(dp_f64x2_mul(a.x, b.y), a.y, b.x)};
}

// The planes of two faces, or of one, twice. False: the corners of one are in line.
DP_INLINE bool measure_two(dp_polytope *p, int first, int second)
{
    dp_facet *f = &p->face[first], *g = &p->face[second];
    const dp_corner *corner = p->corner;
    const v3_pair a = pair_of(&corner[f->corner[0]].w, &corner[g->corner[0]].w),
                  b = pair_of(&corner[f->corner[1]].w, &corner[g->corner[1]].w),
                  c = pair_of(&corner[f->corner[2]].w, &corner[g->corner[2]].w);
    const v3_pair n = pair_cross(pair_sub(b, a), pair_sub(c, a));
    const dp_f64x2 square = pair_dot(n, n);
    const dp_f64x2 by = dp_f64x2_div(dp_f64x2_both(1.0), dp_f64x2_sqrt(square));
    const v3_pair u = {dp_f64x2_mul(n.x, by), dp_f64x2_mul(n.y, by), dp_f64x2_mul(n.z, by)};
    // The least of three: what round-off makes of a plane is no reason to call a face far.
    const dp_f64x2 d = dp_f64x2_min(dp_f64x2_min(pair_dot(u, a), pair_dot(u, b)), pair_dot(u, c));
    f->n = (dp_v3){dp_f64x2_first(u.x), dp_f64x2_first(u.y), dp_f64x2_first(u.z)};
    g->n = (dp_v3){dp_f64x2_second(u.x), dp_f64x2_second(u.y), dp_f64x2_second(u.z)};
    p->key[first] = f->d = dp_f64x2_first(d);
    p->key[second] = g->d = dp_f64x2_second(d);
    f->alive = g->alive = true;
    f->visible = g->visible = false;
    return dp_f64x2_equal(square, dp_f64x2_zero()) == 0;
}

// A face without a plane gets one that looks along `otherwise`.
static void mend_plane(dp_polytope *p, int number, const dp_v3 *otherwise)
{
    dp_facet *f = &p->face[number];
    if (!isfinite(f->d)) {
        f->n = *otherwise;
        const dp_v3 a = p->corner[f->corner[0]].w, b = p->corner[f->corner[1]].w,
                    c = p->corner[f->corner[2]].w;
        f->d = lesser(lesser(dp_v3_dot(f->n, a), dp_v3_dot(f->n, b)), dp_v3_dot(f->n, c));
        p->key[number] = f->d;
    }
}

void dp_polytope_begin(dp_polytope *p, const dp_simplex *s)
{
    static const int corner[4][3] = {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}};
    static const int link[4][3] = {{4 * 1 + 2, 4 * 3 + 2, 4 * 2 + 0},
                                   {4 * 2 + 2, 4 * 3 + 0, 4 * 0 + 0},
                                   {4 * 0 + 2, 4 * 3 + 1, 4 * 1 + 0},
                                   {4 * 1 + 1, 4 * 2 + 1, 4 * 0 + 1}};
    const dp_v3 a = s->corner[0].w;
    const dp_v3 n = dp_v3_cross(dp_v3_sub(s->corner[1].w, a), dp_v3_sub(s->corner[2].w, a));
    const bool turned = dp_v3_dot(n, dp_v3_sub(s->corner[3].w, a)) > 0.0;
    p->ncorner = p->nunused = p->loops = 0;
    p->nface = 4;
    for (int i = 0; i < 4; ++i) {
        add_corner(p, &s->corner[turned && i < 2 ? 1 - i : i]);
    }
    const dp_v3 up = {0.0, 0.0, 1.0};
    for (int f = 0; f < 4; ++f) {
        for (int k = 0; k < 3; ++k) {
            p->face[f].corner[k] = corner[f][k];
            p->face[f].link[k] = link[f][k];
        }
    }
    for (int f = 0; f < 4; f += 2) {
        if (!measure_two(p, f, f + 1)) {
            mend_plane(p, f, &up);
            mend_plane(p, f + 1, &up);
        }
    }
}

// --- From one query to the next

enum { KEPT_CORNERS = sizeof((dp_pair_polytope *)0)->vertex[0] / sizeof(uint16_t) };
enum { KEPT_FACES = sizeof((dp_pair_polytope *)0)->face / 3 };

static bool recall_corners(dp_polytope *p, const dp_difference *m, const dp_pair_polytope *kept)
{
    p->ncorner = 0;
    for (int i = 0; i < kept->ncorner; ++i) {
        const int va = kept->vertex[0][i], vb = kept->vertex[1][i];
        if (!dp_core_has_vertex(m->a, va) || !dp_core_has_vertex(m->b, vb)) {
            return false;
        }
        dp_corner *c = &p->corner[i];
        c->vertex[0] = va;
        c->vertex[1] = vb;
        c->a = dp_core_vertex(m->a, va);
        c->b = dp_v3_add(m->p, dp_m3_apply(&m->R, dp_core_vertex(m->b, vb)));
        c->w = dp_v3_sub(c->b, c->a);
        p->passed[i] = 0;
    }
    p->ncorner = kept->ncorner;
    return true;
}

static int following(int k)
{
    return k == 2 ? 0 : k + 1;
}

// Which face is beyond each edge? False: the surface is not closed.
static bool recall_links(dp_polytope *p, const dp_pair_polytope *kept)
{
    uint8_t edge[KEPT_CORNERS][KEPT_CORNERS]; // from corner to corner: as it is in a link
    memset(edge, UINT8_MAX, (size_t)p->ncorner * sizeof edge[0]);
    for (int f = 0; f < kept->nface; ++f) {
        const uint8_t *corner = kept->face[f];
        for (int k = 0; k < 3; ++k) {
            const int u = corner[k], v = corner[following(k)];
            if (u >= p->ncorner || v >= p->ncorner || edge[u][v] != UINT8_MAX) {
                return false;
            }
            edge[u][v] = (uint8_t)(4 * f + k);
            p->face[f].corner[k] = u;
        }
    }
    for (int f = 0; f < kept->nface; ++f) {
        const uint8_t *corner = kept->face[f];
        for (int k = 0; k < 3; ++k) {
            p->face[f].link[k] = edge[corner[following(k)]][corner[k]];
            if (p->face[f].link[k] == UINT8_MAX) {
                return false;
            }
        }
    }
    return true;
}

bool dp_polytope_recall(dp_polytope *p, const dp_difference *m, const dp_pair_polytope *kept)
{
    if (kept->nface == 0 || kept->nface > KEPT_FACES || kept->ncorner > KEPT_CORNERS ||
        !recall_corners(p, m, kept) || !recall_links(p, kept)) {
        return false;
    }
    p->nunused = p->loops = 0;
    p->nface = kept->nface;
    for (int f = 0; f < p->nface; f += 2) {
        const int g = f + 1 < p->nface ? f + 1 : f;
        if (!measure_two(p, f, g) || !(p->face[f].d > 0.0) || !(p->face[g].d > 0.0)) {
            return false;
        }
    }
    return true;
}

void dp_polytope_keep(dp_pair_polytope *kept, const dp_polytope *p)
{
    int number[DP_MOST_CORNERS], ncorner = 0, nface = 0;
    kept->ncorner = kept->nface = 0;
    for (int i = 0; i < p->ncorner; ++i) {
        number[i] = -1;
    }
    for (int f = 0; f < p->nface; ++f) {
        if (!p->face[f].alive) {
            continue;
        }
        if (nface == KEPT_FACES) {
            return;
        }
        for (int k = 0; k < 3; ++k) {
            const int i = p->face[f].corner[k];
            const int *vertex = p->corner[i].vertex;
            if (number[i] < 0) {
                if (ncorner == KEPT_CORNERS || vertex[0] > UINT16_MAX || vertex[1] > UINT16_MAX) {
                    return;
                }
                kept->vertex[0][ncorner] = (uint16_t)vertex[0];
                kept->vertex[1][ncorner] = (uint16_t)vertex[1];
                number[i] = ncorner++;
            }
            kept->face[nface][k] = (uint8_t)number[i];
        }
        ++nface;
    }
    kept->ncorner = (uint8_t)ncorner;
    kept->nface = (uint8_t)nface;
}

// --- Growing

// Edges that part what is seen from what is not, one after the other.
typedef struct horizon {
    int from[MOST_RIMS + 1]; // the corner where each begins; the first again at the end
    int beyond[MOST_RIMS];   // the edge of the face that is not seen, as links name it
    int count;
    int seen[DP_MOST_FACES], nseen;
} horizon;

// Mark what is seen from w, beginning with the face `first`, and collect the horizon on the way:
// faces are entered across an edge, and their other two edges are looked at counterclockwise, so
// that the edges of the horizon follow each other. Level faces are seen, so that the new ones are
// large. No edges: all is seen.
static inline void find_horizon(horizon *h, dp_polytope *p, int first, dp_v3 w, double level)
{
    int ahead[MOST_RIMS]; // edges, as links name them
    int nahead = 0, count = 0, nseen = 0;
    for (int k = 3; k-- > 0;) {
        ahead[nahead++] = 4 * first + k;
    }
    h->from[0] = -1; // until there is an edge
    h->seen[nseen++] = first;
    p->face[first].visible = true;
    while (nahead > 0) {
        const int edge = ahead[--nahead];
        const dp_facet *f = &p->face[edge >> 2];
        const int beyond = f->link[edge & 3], outer = beyond >> 2, side = beyond & 3;
        dp_facet *g = &p->face[outer];
        if (g->visible) {
            continue;
        }
        if (dp_v3_dot(g->n, w) - g->d > level) {
            g->visible = true;
            h->seen[nseen++] = outer;
            ahead[nahead++] = 4 * outer + (side == 0 ? 2 : side - 1);
            ahead[nahead++] = 4 * outer + following(side);
        } else {
            h->from[count] = f->corner[edge & 3];
            h->beyond[count++] = beyond;
        }
    }
    h->from[count] = h->from[0];
    h->count = count;
    h->nseen = nseen;
}

// Is the horizon one loop that passes each corner once?
static inline bool is_loop(const horizon *h, dp_polytope *p)
{
    ++p->loops;
    for (int i = 0; i < h->count; ++i) {
        // The face beyond has the edge the other way round: it begins where this one ends.
        const int u = h->from[i], v = p->face[h->beyond[i] >> 2].corner[h->beyond[i] & 3];
        if (p->passed[u] == p->loops || v != h->from[i + 1]) {
            return false;
        }
        p->passed[u] = p->loops;
    }
    return h->count >= 3;
}

// Numbers for the new faces, those of the faces that are seen first.
static inline void number_faces(int *made, dp_polytope *p, const horizon *h)
{
    for (int i = 0; i < h->count; ++i) {
        made[i] = i < h->nseen ? h->seen[i] : p->nunused > 0 ? p->unused[--p->nunused] : p->nface++;
    }
    for (int i = h->count; i < h->nseen; ++i) {
        p->face[h->seen[i]].alive = p->face[h->seen[i]].visible = false;
        dp_polytope_set_aside(p, h->seen[i]);
        p->unused[p->nunused++] = h->seen[i];
    }
}

dp_push dp_polytope_grow(dp_polytope *p, int first, const dp_corner *c, double level)
{
    horizon h;
    find_horizon(&h, p, first, c->w, level);
    const bool loop = is_loop(&h, p);
    if (!loop || p->ncorner == DP_MOST_CORNERS ||
        DP_MOST_FACES - p->nface + p->nunused + h.nseen < h.count) {
        for (int i = 0; i < h.nseen; ++i) {
            p->face[h.seen[i]].visible = false;
        }
        return loop ? DP_FULL : DP_STUCK;
    }
    int number[MOST_RIMS + 2], *made = number + 1; // with the neighbours of the first and the last
    number_faces(made, p, &h);
    made[-1] = made[h.count - 1];
    made[h.count] = made[0];
    const int apex = add_corner(p, c);
    for (int i = 0; i < h.count; ++i) {
        const int beyond = h.beyond[i];
        dp_facet *f = &p->face[made[i]];
        f->corner[0] = h.from[i];
        f->corner[1] = h.from[i + 1];
        f->corner[2] = apex;
        f->link[0] = beyond;
        f->link[1] = 4 * made[i + 1] + 2;
        f->link[2] = 4 * made[i - 1] + 1;
        p->face[beyond >> 2].link[beyond & 3] = 4 * made[i];
    }
    for (int i = 0; i < h.count; i += 2) {
        const int j = i + 1 < h.count ? i + 1 : i;
        if (!measure_two(p, made[i], made[j])) {
            mend_plane(p, made[i], &p->face[h.beyond[i] >> 2].n);
            mend_plane(p, made[j], &p->face[h.beyond[j] >> 2].n);
        }
    }
    return DP_PUSHED;
}
