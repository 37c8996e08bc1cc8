// Points of A on ground, in clusters of like normals, and which of them count.
#include "collide/terrain_query.h"
#include "geom/triangle.h"

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

static bool is_before(const dp_spot *a, const dp_spot *b)
{
    return a->x < b->x || (a->x == b->x && a->y < b->y);
}

// Is b needed between its neighbours a and c of the outline? Where it stands out, or lies deeper
// than the line between them.
static bool stands_out(const dp_spot *a, const dp_spot *b, const dp_spot *c, double tiny)
{
    const double dx = c->x - a->x, dy = c->y - a->y, length = sqrt(dx * dx + dy * dy);
    const double out = turn(a, b, c);
    if (out > tiny * length) {
        return true;
    }
    if (out < -tiny * length || !(length > 0.0)) {
        return false;
    }
    const double t = ((b->x - a->x) * dx + (b->y - a->y) * dy) / (length * length);
    return b->gap < a->gap + t * (c->gap - a->gap) - tiny;
}

// Replace the points by the corners of their convex outline, counterclockwise (Andrew's chain).
void dp_cluster_outline(dp_cluster *c, double tiny)
{
    if (c->count < 3) {
        return;
    }
    for (int i = 1; i < c->count; ++i) { // insertion: few points, nearly in order
        const dp_spot s = c->spot[i];
        int k = i;
        for (; k > 0 && is_before(&s, &c->spot[k - 1]); --k) {
            c->spot[k] = c->spot[k - 1];
        }
        c->spot[k] = s;
    }
    dp_spot chain[2 * DP_CLUSTER_SPOTS];
    int n = 0;
    for (int i = 0; i < c->count; ++i) {
        while (n >= 2 && !stands_out(&chain[n - 2], &chain[n - 1], &c->spot[i], tiny)) {
            --n;
        }
        chain[n++] = c->spot[i];
    }
    const int lower = n + 1;
    for (int i = c->count - 2; i >= 0; --i) {
        while (n >= lower && !stands_out(&chain[n - 2], &chain[n - 1], &c->spot[i], tiny)) {
            --n;
        }
        chain[n++] = c->spot[i];
    }
    --n; // the first again
    n = n < DP_CLUSTER_SPOTS ? n : DP_CLUSTER_SPOTS;
    for (int i = 0; i < n; ++i) {
        c->spot[i] = chain[i];
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
    if (q->ground->kind == DP_HFIELD || !(s->gap < -q->margin)) {
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

// Leave out places that are passed on another way out, and clusters that are only parts of faces.
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
