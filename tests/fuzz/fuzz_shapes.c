// libFuzzer target: any bytes as two shapes and their poses. Every query must end with an answer or
// a message, the same whichever shape comes first.
#include <dashpot/advanced/collide.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void demand(bool holds)
{
    if (!holds) {
        abort();
    }
}

// What is left of the input; zeros when it is used up.
typedef struct source {
    const uint8_t *bytes;
    size_t count;
} source;

static double take_raw(source *s)
{
    double x = 0.0;
    const size_t n = s->count < sizeof x ? s->count : sizeof x;
    memcpy(&x, s->bytes, n);
    s->bytes += n;
    s->count -= n;
    return x;
}

static int take_byte(source *s)
{
    if (s->count == 0) {
        return 0;
    }
    --s->count;
    return *s->bytes++;
}

// A double of any bits, or one that is likely to meet others: a small fraction.
static double take(source *s, bool raw)
{
    return raw ? take_raw(s) : (double)(int8_t)take_byte(s) / 16.0;
}

static dp_pose take_pose(source *s, bool raw)
{
    dp_pose X;
    for (int i = 0; i < 4; ++i) {
        (&X.q.w)[i] = take(s, raw);
    }
    for (int i = 0; i < 3; ++i) {
        (&X.p.x)[i] = take(s, raw);
    }
    const double n = sqrt(X.q.w * X.q.w + X.q.x * X.q.x + X.q.y * X.q.y + X.q.z * X.q.z);
    if (n > 0.0 && isfinite(n)) { // else it stays to be refused
        X.q = (dp_quat){X.q.w / n, X.q.x / n, X.q.y / n, X.q.z / n};
    }
    return X;
}

static bool within(double x, double least, double most)
{
    return fabs(x) >= least && fabs(x) <= most;
}

// Are the numbers of lengths whose cubes are numbers, and the shapes no further apart than that?
static bool ordinary(const dp_shape *s, dp_pose X)
{
    bool fine = within(X.p.x, 0.0, 1e30) && within(X.p.y, 0.0, 1e30) && within(X.p.z, 0.0, 1e30);
    for (int i = 0; i < 3; ++i) {
        fine = fine && (s->kind == DP_GEOM_PLANE || within(s->size[i], 1e-30, 1e30));
    }
    return fine;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    source in = {bytes, count};
    const int mode = take_byte(&in);
    dp_shape s[2];
    dp_pose X[2];
    for (int i = 0; i < 2; ++i) {
        s[i] = (dp_shape){.kind = (dp_geom_kind)(take_byte(&in) % (DP_GEOM_HFIELD + 2))};
        for (int k = 0; k < 3; ++k) {
            s[i].size[k] = mode & 1 ? take(&in, true) : fabs(take(&in, false));
        }
        X[i] = take_pose(&in, mode & 2);
    }
    const double limit = mode & 4 ? take_raw(&in) : (double)INFINITY;
    dp_distance d, e;
    dp_pair_memory memory = {.count = 0};
    const dp_status status = dp_shapes_distance(&d, &s[0], X[0], &s[1], X[1], limit, &memory);
    const dp_status swapped = dp_shapes_distance(&e, &s[1], X[1], &s[0], X[0], limit, NULL);
    demand(status == swapped && (status == DP_OK || dp_last_error()[0] != '\0'));
    const bool tame = ordinary(&s[0], X[0]) && ordinary(&s[1], X[1]);
    if (status == DP_OK && tame) {
        const double n =
            sqrt(d.normal.x * d.normal.x + d.normal.y * d.normal.y + d.normal.z * d.normal.z);
        demand(isfinite(d.gap) && fabs(n - 1.0) < 1e-9 && d.gap == e.gap);
    }
    bool overlap;
    demand((dp_shapes_overlap(&overlap, &s[0], X[0], &s[1], X[1]) == DP_OK) == (status == DP_OK) ||
           !(limit >= 0.0));
    dp_contact_point point[DP_PATCH_POINTS];
    dp_contact_buffer found = {.point = point, .capacity = DP_PATCH_POINTS};
    if (dp_shapes_contacts(&found, &s[0], X[0], &s[1], X[1], 0.1, &memory) == DP_OK && tame) {
        double sum = 0.0;
        for (int k = 0; k < found.count; ++k) {
            sum += point[k].weight;
        }
        demand(found.count == 0 || fabs(sum - 1.0) < 1e-9);
    }
    for (int i = 0; i < 2; ++i) {
        dp_ray_hit hit;
        dp_bounds bounds;
        dp_curvature bend;
        const dp_v3 from = X[1 - i].p, along = {take(&in, false), 1.0, take(&in, false)};
        if (dp_shape_ray(&hit, &s[i], X[i], from, along, (double)INFINITY) == DP_OK && hit.hit) {
            demand(!tame || hit.distance >= 0.0);
        }
        if (dp_shape_bounds(&bounds, &s[i], X[i]) == DP_OK) {
            demand(!tame || bounds.low.x <= bounds.high.x);
        }
        if (dp_shape_curvature(&bend, &s[i], X[i], from) == DP_OK) {
            demand(!tame || bend.along <= bend.across);
        }
    }
    return 0;
}
