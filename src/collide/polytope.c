#include "collide/polytope.h"

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

static inline void measure_face(dp_polytope *p, int number, const dp_v3 *otherwise)
{
    dp_facet *f = &p->face[number];
    const dp_v3 a = p->corner[f->corner[0]].w, b = p->corner[f->corner[1]].w,
                c = p->corner[f->corner[2]].w;
    const dp_v3 n = dp_v3_cross(dp_v3_sub(b, a), dp_v3_sub(c, a));
    const double area = dp_v3_norm(n);
    f->n = area > 0.0 ? dp_v3_scale(n, 1.0 / area) : *otherwise;
    // The least of three: what round-off makes of a plane is no reason to call a face far.
    f->d = lesser(lesser(dp_v3_dot(f->n, a), dp_v3_dot(f->n, b)), dp_v3_dot(f->n, c));
    f->alive = true;
    f->visible = false;
    p->key[number] = f->d;
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
        measure_face(p, f, &up);
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
    const dp_v3 up = {0.0, 0.0, 1.0};
    for (int f = 0; f < p->nface; ++f) {
        measure_face(p, f, &up);
        if (!(p->face[f].d > 0.0)) {
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

// An edge of the horizon: it begins at corner u; beyond it is the edge `outer` of another face.
typedef struct rim {
    int u, outer;
} rim;

// Mark what is seen from w, beginning with the face `first`, and collect the horizon on the way:
// faces are entered across an edge, and their other two edges are looked at counterclockwise, so
// that the edges of the horizon follow each other. Level faces are seen, so that the new ones are
// large. Returns the number of edges; 0: all is seen.
static int find_horizon(rim *horizon, int *seen, int *nseen, dp_polytope *p, int first, dp_v3 w,
                        double level)
{
    int ahead[MOST_RIMS]; // edges, as links name them
    int nahead = 0, count = 0;
    for (int k = 3; k-- > 0;) {
        ahead[nahead++] = 4 * first + k;
    }
    *nseen = 0;
    seen[(*nseen)++] = first;
    p->face[first].visible = true;
    while (nahead > 0) {
        const int edge = ahead[--nahead];
        const dp_facet *f = &p->face[edge / 4];
        const int beyond = f->link[edge % 4], outer = beyond / 4, side = beyond % 4;
        dp_facet *g = &p->face[outer];
        if (g->visible) {
            continue;
        }
        if (dp_v3_dot(g->n, w) - g->d > level) {
            g->visible = true;
            seen[(*nseen)++] = outer;
            ahead[nahead++] = 4 * outer + (side == 0 ? 2 : side - 1);
            ahead[nahead++] = 4 * outer + following(side);
        } else {
            horizon[count++] = (rim){f->corner[edge % 4], beyond};
        }
    }
    return count;
}

// Is the horizon one loop that passes each corner once?
static bool is_loop(const rim *horizon, int count, dp_polytope *p)
{
    ++p->loops;
    for (int i = 0; i < count; ++i) {
        // The outer face has the edge the other way round: it begins where this one ends.
        const int u = horizon[i].u, outer = horizon[i].outer;
        const int v = p->face[outer / 4].corner[outer % 4];
        if (p->passed[u] == p->loops || v != horizon[i + 1 < count ? i + 1 : 0].u) {
            return false;
        }
        p->passed[u] = p->loops;
    }
    return true;
}

dp_push dp_polytope_grow(dp_polytope *p, int first, const dp_corner *c, double level)
{
    rim horizon[MOST_RIMS];
    int seen[DP_MOST_FACES], nseen, made[DP_MOST_FACES];
    const int count = find_horizon(horizon, seen, &nseen, p, first, c->w, level);
    dp_push result = DP_PUSHED;
    if (count < 3 || !is_loop(horizon, count, p)) {
        result = DP_STUCK;
    } else if (p->ncorner == DP_MOST_CORNERS ||
               DP_MOST_FACES - p->nface + p->nunused + nseen < count) {
        result = DP_FULL;
    }
    for (int i = 0; i < nseen; ++i) {
        p->face[seen[i]].visible = false;
        if (result == DP_PUSHED) {
            p->face[seen[i]].alive = false;
            dp_polytope_set_aside(p, seen[i]);
            p->unused[p->nunused++] = seen[i];
        }
    }
    if (result != DP_PUSHED) {
        return result;
    }
    const int apex = add_corner(p, c);
    for (int i = 0; i < count; ++i) {
        made[i] = p->nunused > 0 ? p->unused[--p->nunused] : p->nface++;
    }
    for (int i = 0; i < count; ++i) {
        const int outer = horizon[i].outer;
        dp_facet *f = &p->face[made[i]];
        f->corner[0] = horizon[i].u;
        f->corner[1] = horizon[i + 1 < count ? i + 1 : 0].u;
        f->corner[2] = apex;
        f->link[0] = outer;
        f->link[1] = 4 * made[i + 1 < count ? i + 1 : 0] + 2;
        f->link[2] = 4 * made[i > 0 ? i - 1 : count - 1] + 1;
        p->face[outer / 4].link[outer % 4] = 4 * made[i];
        measure_face(p, made[i], &p->face[outer / 4].n);
    }
    return DP_PUSHED;
}
