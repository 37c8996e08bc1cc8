// Points of A on ground, in clusters of like normals, and which of them count.
#include "collide/mesh/terrain_query.h"
#include "geom/mesh/triangle.h"

static void forget_landings(dp_ground_query *q, int gone)
{
    int kept = 0;
    for (int i = 0; i < q->nlanding; ++i) {
        if (q->landing[i].cluster != gone) {
            q->landing[kept++] = q->landing[i];
        }
    }
    q->nlanding = kept;
}

dp_cluster *dp_cluster_of(dp_ground_query *q, dp_v3 m, double gap)
{
    for (int i = 0; i < q->count; ++i) {
        if (dp_v3_dot(q->cluster[i].normal, m) >= DP_LIKE_NORMALS) {
            return &q->cluster[i];
        }
    }
    dp_cluster *c = NULL;
    if (q->count < DP_QUERY_PATCHES) {
        c = &q->cluster[q->count++];
    } else {
        q->full = true;
        c = &q->cluster[0];
        for (int i = 1; i < DP_QUERY_PATCHES; ++i) {
            c = q->cluster[i].least > c->least ? &q->cluster[i] : c;
        }
        if (!(gap < c->least)) {
            return NULL;
        }
        forget_landings(q, (int)(c - q->cluster));
    }
    c->normal = m;
    c->t1 = dp_v3_across(m);
    c->t2 = dp_v3_cross(m, c->t1);
    c->count = 0;
    c->sound = false;
    c->least = INFINITY;
    c->missed = 0.0;
    return c;
}

// Twice the area to the left of the way from a over b to c.
static double turn(const dp_spot *a, const dp_spot *b, const dp_spot *c)
{
    return (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x);
}

// Is c the better next corner of an outline than b, coming from a? To the right of it, or behind
// it.
static bool is_further_out(const dp_spot *a, const dp_spot *b, const dp_spot *c, double tiny)
{
    const double bx = b->x - a->x, by = b->y - a->y, cx = c->x - a->x, cy = c->y - a->y;
    const double bb = bx * bx + by * by, cc = cx * cx + cy * cy;
    const double aside = turn(a, b, c), on = tiny * sqrt(fmax(bb, cc));
    return aside < -on || (aside <= on && cc > bb);
}

// Is c on the way from a to b, and deeper than the line between them?
static bool is_deeper(double *share, const dp_spot *a, const dp_spot *b, const dp_spot *c,
                      double tiny)
{
    const double x = b->x - a->x, y = b->y - a->y, length2 = x * x + y * y;
    *share = ((c->x - a->x) * x + (c->y - a->y) * y) / length2;
    return *share > 0.0 && *share < 1.0 && fabs(turn(a, b, c)) <= tiny * sqrt(length2) &&
           c->gap < a->gap + *share * (b->gap - a->gap) - tiny;
}

// The point furthest from the middle of all is a corner.
static int first_corner(const dp_cluster *c)
{
    double x = 0.0, y = 0.0, most = -1.0;
    for (int i = 0; i < c->count; ++i) {
        x += c->spot[i].x / c->count;
        y += c->spot[i].y / c->count;
    }
    int first = 0;
    for (int i = 0; i < c->count; ++i) {
        const double dx = c->spot[i].x - x, dy = c->spot[i].y - y, away = dx * dx + dy * dy;
        if (away > most) {
            most = away;
            first = i;
        }
    }
    return first;
}

// The points are wrapped, from corner to corner; points on the line between two corners that lie
// deeper than the line stay as well.
void dp_cluster_outline(dp_cluster *c, double tiny)
{
    if (c->count < 3) {
        return;
    }
    dp_spot kept[DP_CLUSTER_SPOTS];
    bool used[DP_CLUSTER_SPOTS] = {false};
    const int first = first_corner(c);
    int n = 0;
    for (int at = first; n < DP_CLUSTER_SPOTS && !used[at];) {
        used[at] = true;
        kept[n++] = c->spot[at];
        int next = first;
        for (int k = 0; k < c->count; ++k) {
            if (k != at &&
                (next == at || is_further_out(&c->spot[at], &c->spot[next], &c->spot[k], tiny))) {
                next = k;
            }
        }
        double passed = 0.0;
        for (int found = at; found >= 0 && n < DP_CLUSTER_SPOTS;) {
            found = -1;
            double least = 1.0;
            for (int k = 0; k < c->count; ++k) {
                double share;
                if (!used[k] && k != next &&
                    is_deeper(&share, &c->spot[at], &c->spot[next], &c->spot[k], tiny) &&
                    share > passed && share < least) {
                    least = share;
                    found = k;
                }
            }
            if (found >= 0) {
                used[found] = true;
                kept[n++] = c->spot[found];
                passed = least;
            }
        }
        at = next;
    }
    for (int i = 0; i < n; ++i) {
        c->spot[i] = kept[i];
    }
    c->count = n;
}

// Leave out the corner that takes the least area with it.
static void drop_least(dp_cluster *c)
{
    int least = 0;
    double least_area = INFINITY;
    for (int i = 0; i < c->count; ++i) {
        const double area = fabs(turn(&c->spot[(i + c->count - 1) % c->count], &c->spot[i],
                                      &c->spot[(i + 1) % c->count]));
        if (area < least_area) {
            least_area = area;
            least = i;
        }
    }
    for (int i = least + 1; i < c->count; ++i) {
        c->spot[i - 1] = c->spot[i];
    }
    --c->count;
}

void dp_cluster_add(dp_ground_query *q, dp_cluster *c, const dp_spot *s)
{
    dp_spot placed = *s;
    placed.x = dp_v3_dot(c->t1, s->at);
    placed.y = dp_v3_dot(c->t2, s->at);
    c->least = fmin(c->least, s->gap);
    for (int i = 0; i < c->count; ++i) {
        dp_spot *other = &c->spot[i];
        if (fabs(other->x - placed.x) <= DP_SAME_PLACE * q->reach &&
            fabs(other->y - placed.y) <= DP_SAME_PLACE * q->reach) {
            if (placed.gap < other->gap) {
                *other = placed;
            }
            return;
        }
    }
    if (c->count == DP_CLUSTER_SPOTS) {
        dp_cluster_outline(c, q->tiny);
        while (c->count > DP_CLUSTER_SPOTS / 2) {
            drop_least(c);
        }
    }
    c->spot[c->count++] = placed;
}

// A touches here by itself, not only with part of a face.
void dp_query_land(dp_ground_query *q, dp_cluster *c, const dp_spot *s, dp_way_out out)
{
    int at = q->nlanding;
    if (at == DP_QUERY_LANDINGS) {
        q->full = true;
        at = 0;
        for (int i = 1; i < DP_QUERY_LANDINGS; ++i) {
            at = q->landing[i].out.phi < q->landing[at].out.phi ? i : at;
        }
        if (!(out.phi > q->landing[at].out.phi)) {
            return;
        }
    } else {
        ++q->nlanding;
    }
    c->least = fmin(c->least, s->gap);
    q->landing[at] = (dp_landing){*s, out, (int)(c - q->cluster)};
}

// Can A be moved out along another normal, shorter, so that it no longer reaches this place?
static bool is_passed(const dp_ground_query *q, const dp_spot *s)
{
    for (int i = 0; i < q->nlanding; ++i) {
        const dp_way_out *out = &q->landing[i].out;
        if (out->phi > s->gap + q->tiny && dp_v3_dot(out->m, s->at) <= out->level + q->tiny) {
            return true;
        }
    }
    return false;
}

// Is there, between a deep point of A and the ground above it, another face that A is less deep
// behind? Then A is on the other side of what it seems to be in.
static bool is_beyond(dp_ground_query *q, const dp_spot *s)
{
    if (q->ground->kind == DP_GEOM_HFIELD || !(s->gap < -q->margin)) {
        return false;
    }
    const dp_v3 from = dp_v3_madd(s->at, s->gap, s->normal);
    const dp_tree_ray ray = dp_tree_ray_make(dp_v3_add(q->p, from), s->normal);
    dp_ground_walk walk;
    dp_ground_walk_begin(&walk, q->ground);
    for (int number; dp_ground_next_on_ray(&number, &walk, &ray, -s->gap);) {
        dp_ground_triangle t;
        dp_ground_triangle_get(&t, q->ground, number);
        dp_ground_shift(&t, q->p);
        const double against = -dp_v3_dot(t.normal, s->normal);
        const double depth = -dp_v3_dot(t.normal, dp_v3_sub(from, t.corner[0]));
        if (!(against > 0.0) || depth > 0.0 || -depth > -s->gap * against) {
            continue;
        }
        const dp_v3 x = dp_v3_madd(from, -depth / against, s->normal);
        const dp_v3 lowest =
            dp_v3_madd(dp_core_along(q, dp_v3_negative(t.normal)), -q->radius, t.normal);
        if (dp_triangle_is_over(t.corner, t.normal, x) &&
            dp_v3_dot(t.normal, dp_v3_sub(lowest, t.corner[0])) > s->gap) {
            return true;
        }
    }
    return false;
}

static void drop_passed(const dp_ground_query *q, dp_cluster *c)
{
    int kept = 0;
    for (int i = 0; i < c->count; ++i) {
        if (!is_passed(q, &c->spot[i])) {
            c->spot[kept++] = c->spot[i];
        }
    }
    c->count = kept;
}

// Leave out places that are passed on another separating direction, and clusters that are only
// parts of faces.
void dp_query_settle(dp_ground_query *q)
{
    for (int i = 0; i < q->nlanding; ++i) {
        const dp_landing *at = &q->landing[i];
        dp_cluster *c = &q->cluster[at->cluster];
        if (is_passed(q, &at->spot) || is_beyond(q, &at->spot)) {
            continue;
        }
        if (!c->sound || at->spot.gap < c->lowest.gap) {
            c->lowest = at->spot;
        }
        c->sound = true;
        if (q->round) {
            dp_cluster_add(q, c, &at->spot);
        }
    }
    int kept = 0;
    for (int i = 0; i < q->count; ++i) {
        if (q->cluster[i].sound) {
            drop_passed(q, &q->cluster[i]);
            if (kept != i) {
                q->cluster[kept] = q->cluster[i];
            }
            ++kept;
        }
    }
    q->count = kept;
}
