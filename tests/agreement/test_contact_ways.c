// Some pairs have a way of their own to their contact points. It must lead where the way of all
// convex shapes leads.
#include "collide/pairs/box_sat.h"
#include "near.h"
#include "shape_draw.h"

#include <math.h>

enum { DRAWS = 100000, MOST_SHOWN = 20 };

// Relative to the size of the pair: both ways find corners to some round-off, and where edges cross
// at a small angle it is larger than elsewhere.
static const double ROUND_OFF = 1e-11;

// What a nearest point weighs that is no corner by round-off alone: nothing.
static const double NOTHING = 1e-15;

// Corners that are closer than a billionth of the faces, or nearly, are taken for one, and the two
// ways may choose differently. What that moves of the weights is then a corner of an area that is
// at most 10⁴ times as long, or its weights would follow its length alone: a twelfth of it, or
// less.
static const double LOAD = 1e-6;

// Boxes that overlap by lengths between these, in any of their directions, share areas as narrow.
static const double LEAST = 1e-13, MOST = 1e-6;

// Weights are shares of areas, known to round-off over the width of the area.
static const double WEIGHTS = 1e-7;

typedef struct own_way {
    dp_geom_kind kind[2];
    dp_status (*contacts)(dp_contact_buffer *out, const dp_placed *a, const dp_placed *b,
                          double margin);
    void (*distance)(dp_distance *out, const dp_placed *a, const dp_placed *b);
} own_way;

typedef struct found {
    dp_contact_point point[DP_PATCH_POINTS];
    int count;
} found;

typedef struct two_ways {
    drawn_pair pair;
    bool plain; // no corners that are nearly one, and only one normal
    dp_distance d;
    found own, any;
} two_ways;

static int leave_out_nothing(dp_contact_point *point, int count)
{
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        if (point[i].weight > NOTHING) {
            point[kept++] = point[i];
        }
    }
    return kept;
}

static bool is_plain(const dp_placed *a, const dp_placed *b, double size)
{
    dp_box_sat f;
    bool plain = dp_box_sat_find(&f, a, b, (double)INFINITY);
    for (int i = 0; i < DP_BOX_AXES; ++i) {
        const double value = fabs(f.value[i]) / size;
        plain = plain && !(value > LEAST && value < MOST);
    }
    return plain;
}

static void box_box(dp_distance *out, const dp_placed *a, const dp_placed *b)
{
    dp_box_box(out, a, b, (double)INFINITY);
}

static void above_plane(dp_distance *out, const dp_placed *a, const dp_placed *b)
{
    dp_plane_convex(out, a, b, NULL);
}

static dp_status plane_hull(dp_contact_buffer *out, const dp_placed *a, const dp_placed *b,
                            double margin)
{
    return dp_plane_hull_contacts(out, a, b, margin, NULL);
}

static const own_way BOXES = {{DP_GEOM_BOX, DP_GEOM_BOX}, dp_box_contacts, box_box};
static const own_way BOX_ON_PLANE = {
    {DP_GEOM_PLANE, DP_GEOM_BOX}, dp_plane_box_contacts, above_plane};
static const own_way HULL_ON_PLANE = {{DP_GEOM_PLANE, DP_GEOM_MESH}, plane_hull, above_plane};
static const own_way SPHERES = {
    {DP_GEOM_SPHERE, DP_GEOM_SPHERE}, dp_sphere_contacts, dp_sphere_sphere};

static void ask_both(two_ways *out, const own_way *way, draw_situation s, random_source *r)
{
    draw_pair(&out->pair, way->kind, s, r);
    const double margin = (random_chance(r, 0.5) ? 0.05 : 1e-3) * out->pair.size;
    const dp_placed a = dp_place(&out->pair.shape[0], out->pair.pose[0]);
    const dp_placed b = dp_place(&out->pair.shape[1], out->pair.pose[1]);
    dp_contact_buffer own = {.point = out->own.point, .capacity = DP_PATCH_POINTS};
    dp_contact_buffer any = {.point = out->any.point, .capacity = DP_PATCH_POINTS};
    assert_int_equal(way->contacts(&own, &a, &b, margin), DP_OK);
    way->distance(&out->d, &a, &b);
    assert_int_equal(dp_convex_contacts(&any, &a, &b, &out->d, margin), DP_OK);
    out->plain =
        way == &BOXES ? s != DRAW_MIXED && is_plain(&a, &b, out->pair.size) : !out->d.ambiguous;
    out->own.count = leave_out_nothing(out->own.point, own.count);
    out->any.count = leave_out_nothing(out->any.point, any.count);
}

static double distance(dp_v3 a, dp_v3 b)
{
    return dp_v3_norm(dp_v3_sub(a, b));
}

// Where a load on all points acts, by their weights, and what their gap is.
static dp_v3 middle(double *gap, const found *f)
{
    dp_v3 at = {0.0, 0.0, 0.0};
    *gap = 0.0;
    for (int i = 0; i < f->count; ++i) {
        at = dp_v3_madd(at, f->point[i].weight, f->point[i].point);
        *gap += f->point[i].weight * f->point[i].gap;
    }
    return at;
}

static bool same_load(const two_ways *w)
{
    if ((w->own.count == 0) != (w->any.count == 0)) {
        return false;
    }
    double gap[2];
    const dp_v3 a = middle(&gap[0], &w->own), b = middle(&gap[1], &w->any);
    const double near = LOAD * w->pair.size;
    return distance(a, b) <= near && fabs(gap[0] - gap[1]) <= near;
}

static bool same_points(const two_ways *w)
{
    const double size = w->pair.size;
    bool same = w->own.count == w->any.count;
    for (int i = 0; i < w->any.count && same; ++i) {
        const dp_contact_point *p = &w->own.point[i], *q = &w->any.point[i];
        same = p->feature == q->feature && fabs(p->gap - q->gap) <= ROUND_OFF * size &&
               distance(p->point, q->point) <= ROUND_OFF * size &&
               distance(p->normal, q->normal) <= ROUND_OFF &&
               fabs(p->weight - q->weight) <= WEIGHTS;
    }
    return same;
}

static void for_all(bool (*claim)(const two_ways *w), const own_way *way, bool only_plain,
                    uint64_t seed)
{
    int touching = 0, broken = 0;
    for (int s = 0; s < DRAW_SITUATIONS; ++s) {
        random_source r = {seed + (uint64_t)s};
        for (int i = 0; i < DRAWS / DRAW_SITUATIONS; ++i) {
            two_ways w;
            ask_both(&w, way, (draw_situation)s, &r);
            if ((only_plain && !w.plain) || w.d.iterations > 0) {
                continue;
            }
            touching += w.any.count > 0;
            if (!claim(&w) && broken++ < MOST_SHOWN) {
                print_error("%s %d: gap %g, size %g, %d and %d points\n", DRAW_NAME[s], i, w.d.gap,
                            w.pair.size, w.own.count, w.any.count);
            }
        }
    }
    assert_int_equal(broken, 0);
    assert_true(touching > DRAWS / 4);
}

static void two_boxes_carry_loads_as_any_two_polyhedra_would(void **state)
{
    (void)state;
    for_all(same_load, &BOXES, false, 600);
}

static void two_boxes_touch_at_the_points_of_any_two_polyhedra(void **state)
{
    (void)state;
    for_all(same_points, &BOXES, true, 700);
}

static void a_box_touches_a_plane_where_any_polyhedron_would(void **state)
{
    (void)state;
    for_all(same_points, &BOX_ON_PLANE, true, 800);
}

static void a_hull_touches_a_plane_where_any_polyhedron_would(void **state)
{
    (void)state;
    for_all(same_points, &HULL_ON_PLANE, true, 1000);
}

static void two_spheres_touch_between_their_nearest_points(void **state)
{
    (void)state;
    for_all(same_points, &SPHERES, true, 900);
}

// The way of sides over polygons is taken where the cylinder comes first.
static void a_capsule_stands_on_a_cap_where_its_side_would_end(void **state)
{
    (void)state;
    random_source r = {1100};
    const dp_shape capsule = {.kind = DP_GEOM_CAPSULE, .size = {0.3, 0.5}};
    const dp_shape cylinder = {.kind = DP_GEOM_CYLINDER, .size = {0.4, 0.5}};
    int standing = 0;
    for (int i = 0; i < DRAWS / 10; ++i) {
        dp_quat tilt = {1.0, random_between(&r, -0.02, 0.02), 0.0, 0.0};
        tilt.y = random_between(&r, -0.02, 0.02);
        dp_pose X[2] = {{dp_quat_unit(tilt), {0.0, 0.0, 0.0}},
                        {{1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}};
        X[0].p.x = random_between(&r, -0.2, 0.2);
        X[0].p.y = random_between(&r, -0.2, 0.2);
        X[0].p.z = random_between(&r, 1.2, 1.4);
        X[0].p.z = random_chance(&r, 0.5) ? X[0].p.z : -X[0].p.z;
        const dp_placed a = dp_place(&capsule, X[0]), b = dp_place(&cylinder, X[1]);
        dp_distance d, mirrored;
        dp_convex_distance(&d, &a, &b, (double)INFINITY, NULL);
        mirrored = d;
        dp_distance_mirror(&mirrored);
        found f[2];
        dp_contact_buffer own = {.point = f[0].point, .capacity = DP_PATCH_POINTS};
        dp_contact_buffer any = {.point = f[1].point, .capacity = DP_PATCH_POINTS};
        assert_int_equal(dp_convex_contacts(&own, &a, &b, &d, 0.05), DP_OK);
        assert_int_equal(dp_convex_contacts(&any, &b, &a, &mirrored, 0.05), DP_OK);
        assert_int_equal(own.count, d.gap < 0.05);
        assert_int_equal(any.count, own.count);
        if (own.count == 0) {
            continue;
        }
        const dp_contact_point *p = &f[0].point[0], *q = &f[1].point[0];
        assert_true(p->feature == (q->feature << 32 | q->feature >> 32));
        assert_true(fabs(p->gap - q->gap) <= ROUND_OFF);
        assert_true(fabs(p->weight - q->weight) <= WEIGHTS);
        assert_true(distance(p->point, q->point) <= ROUND_OFF);
        standing++;
    }
    assert_true(standing > DRAWS / 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_boxes_carry_loads_as_any_two_polyhedra_would),
        cmocka_unit_test(two_boxes_touch_at_the_points_of_any_two_polyhedra),
        cmocka_unit_test(a_box_touches_a_plane_where_any_polyhedron_would),
        cmocka_unit_test(a_hull_touches_a_plane_where_any_polyhedron_would),
        cmocka_unit_test(a_capsule_stands_on_a_cap_where_its_side_would_end),
        cmocka_unit_test(two_spheres_touch_between_their_nearest_points),
    };
    return cmocka_run_group_tests(tests, stock_fill, stock_clear);
}
