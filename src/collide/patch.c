// Weights of contact points that share one area.
#include "collide/patch.h"

// Areas by their share of the squared perimeter (1/16 for squares): below the first they are
// measured by their length, above the second by their area.
#define THIN 1e-6
#define WIDE 1e-4

typedef dp_patch_corner corner;

double dp_face_missed(const dp_placed *s, const dp_face *f, dp_v3 n)
{
    if (s->shape->kind == DP_CYLINDER && f->count > 2) {
        return dp_rise(dp_v3_norm(dp_v3_cross(f->normal, n)), DP_PATCH_FLAT, DP_PATCH_STEEP);
    }
    if (f->count == 2) {
        return dp_rise(fabs(dp_v3_dot(dp_m3_column(&s->R, 2), n)), DP_PATCH_FLAT, DP_PATCH_STEEP);
    }
    return 0.0;
}

void dp_patch_share(dp_patch *p)
{
    corner *c = p->corner;
    const int count = p->count;
    if (count < 3) {
        for (int i = 0; i < count; ++i) {
            c[i].weight = 1.0 / count;
        }
        return;
    }
    // Area and centroid about the first corner.
    double area = 0.0, cx = 0.0, cy = 0.0, perimeter = 0.0;
    double length[DP_PATCH_ROOM];
    for (int i = 0; i < count; ++i) {
        const int k = i + 1 < count ? i + 1 : 0;
        const double x = c[i].x - c[0].x, y = c[i].y - c[0].y;
        const double x1 = c[k].x - c[0].x, y1 = c[k].y - c[0].y;
        const double twice = x * y1 - y * x1;
        area += twice;
        cx += twice * (x + x1);
        cy += twice * (y + y1);
        length[i] = sqrt((x1 - x) * (x1 - x) + (y1 - y) * (y1 - y));
        perimeter += length[i];
    }
    const double by_area =
        dp_rise(0.5 * area, THIN * perimeter * perimeter, WIDE * perimeter * perimeter);
    if (by_area > 0.0) {
        cx /= 3.0 * area;
        cy /= 3.0 * area;
    }
    for (int i = 0; i < count; ++i) {
        c[i].weight = 0.0;
    }
    for (int i = 0; i < count; ++i) {
        const int k = i + 1 < count ? i + 1 : 0;
        double half = (1.0 - by_area) * 0.5 * length[i] / perimeter;
        if (by_area > 0.0) {
            const double x = c[i].x - c[0].x - cx, y = c[i].y - c[0].y - cy;
            const double x1 = c[k].x - c[0].x - cx, y1 = c[k].y - c[0].y - cy;
            half += by_area * 0.5 * fmax(x * y1 - y * x1, 0.0) / area;
        }
        c[i].weight += half;
        c[k].weight += half;
    }
}

// How steeply the gap falls from corner i to another one: the greatest sine, squared.
static double steepest_fall(const dp_patch *p, int i)
{
    const corner *c = &p->corner[i];
    double most = 0.0;
    for (int k = 0; k < p->count; ++k) {
        const double fall = c->gap - p->corner[k].gap;
        if (fall > 0.0) {
            const double x = c->x - p->corner[k].x, y = c->y - p->corner[k].y;
            most = fmax(most, fall * fall / (x * x + y * y + fall * fall));
        }
    }
    return most;
}

double dp_patch_taper(dp_patch *p, double margin)
{
    double factor[DP_PATCH_ROOM], sum = 0.0;
    for (int i = 0; i < p->count; ++i) {
        const double gap = p->corner[i].gap;
        factor[i] = gap <= 0.0 ? 1.0 : gap < margin ? 1.0 - dp_rise(gap, 0.0, margin) : 0.0;
        if (factor[i] > 0.0) {
            factor[i] *= 1.0 - dp_rise(sqrt(steepest_fall(p, i)), DP_PATCH_FLAT, DP_PATCH_STEEP);
        }
    }
    int kept = 0;
    for (int i = 0; i < p->count; ++i) {
        if (factor[i] > 0.0 && p->corner[i].weight > 0.0) {
            p->corner[kept] = p->corner[i];
            p->corner[kept].weight *= factor[i];
            sum += p->corner[kept].weight;
            kept++;
        }
    }
    p->count = kept;
    return sum;
}

// The corner that takes the least area with it.
static int least_of(const dp_patch *p)
{
    int deepest = 0, least = -1;
    for (int i = 1; i < p->count; ++i) {
        deepest = p->corner[i].gap < p->corner[deepest].gap ? i : deepest;
    }
    double least_area = INFINITY;
    for (int i = 0; i < p->count; ++i) {
        const corner *a = &p->corner[(i + p->count - 1) % p->count], *c = &p->corner[i];
        const corner *b = &p->corner[(i + 1) % p->count];
        const double area = fabs((c->x - a->x) * (b->y - a->y) - (c->y - a->y) * (b->x - a->x));
        if (i != deepest && area < least_area * (1.0 - 1e-6)) {
            least_area = area;
            least = i;
        }
    }
    return least;
}

void dp_patch_thin_out(dp_patch *p, int most)
{
    while (p->count > most) {
        const int least = least_of(p);
        corner *a = &p->corner[(least + p->count - 1) % p->count];
        corner *b = &p->corner[(least + 1) % p->count];
        const corner *c = &p->corner[least];
        const double ex = b->x - a->x, ey = b->y - a->y, ee = ex * ex + ey * ey;
        double t = ee > 0.0 ? ((c->x - a->x) * ex + (c->y - a->y) * ey) / ee : 0.5;
        t = fmin(fmax(t, 0.0), 1.0);
        a->weight += (1.0 - t) * c->weight;
        b->weight += t * c->weight;
        for (int i = least + 1; i < p->count; ++i) {
            p->corner[i - 1] = p->corner[i];
        }
        p->count--;
    }
}
