// Contact points against the distance of the same shapes, and against the shapes themselves.
#include "shape_draw.h"

#include <math.h>

enum { DRAWS = 2200, MOST_SHOWN = 40 };

static const double ACCURACY = 1e-9; // relative to the sizes of the two shapes

typedef struct manifold_case {
    drawn_pair pair;
    dp_distance d;
    double margin;
    dp_contact_point point[DP_PATCH_POINTS];
    int count;
} manifold_case;

static int contacts(dp_contact_point *point, const drawn_pair *pair, int first, double margin)
{
    dp_contact_buffer found = {.point = point, .capacity = DP_PATCH_POINTS};
    assert_int_equal(dp_shapes_contacts(&found, &pair->shape[first], pair->pose[first],
                                        &pair->shape[1 - first], pair->pose[1 - first], margin,
                                        NULL),
                     DP_OK);
    return found.count;
}

// A claim returns by how much it is missed: 0, or more than it may.
static void for_all(double (*claim)(const manifold_case *c), uint64_t seed)
{
    int broken = 0;
    for (int a = 0; a < DRAW_KINDS; ++a) {
        for (int b = a > 0 ? a : 1; b < DRAW_KINDS; ++b) {
            if (!pair_wanted(a, b)) {
                continue;
            }
            for (int s = 0; s < DRAW_SITUATIONS; ++s) {
                int here = 0;
                double worst = 0.0;
                random_source r = {seed + (uint64_t)(100 * a + 10 * b + 1000 * s)};
                for (int i = 0; i < DRAWS / DRAW_SITUATIONS; ++i) {
                    manifold_case c;
                    draw_pair(&c.pair, (const dp_geom_kind[2]){(dp_geom_kind)a, (dp_geom_kind)b},
                              (draw_situation)s, &r);
                    assert_int_equal(dp_shapes_distance(&c.d, &c.pair.shape[0], c.pair.pose[0],
                                                        &c.pair.shape[1], c.pair.pose[1],
                                                        (double)INFINITY, NULL),
                                     DP_OK);
                    c.margin = 0.05 * c.pair.size;
                    c.count = contacts(c.point, &c.pair, 0, c.margin);
                    const double miss = claim(&c);
                    here += !(miss == 0.0);
                    worst = miss <= worst ? worst : miss;
                }
                if (here > 0 && broken++ < MOST_SHOWN) {
                    print_error("%s %s: %d of %d, worst %.3g\n", name_of_pair(a, b).text,
                                DRAW_NAME[s], here, DRAWS / DRAW_SITUATIONS, worst);
                }
            }
        }
    }
    assert_int_equal(broken, 0);
}

static double beyond(double value, double most)
{
    return value <= most ? 0.0 : value;
}

static double deepest_is_the_gap(const manifold_case *c)
{
    double least = c->margin;
    for (int i = 0; i < c->count; ++i) {
        least = fmin(least, c->point[i].gap);
    }
    return beyond(fabs(least - fmin(c->d.gap, c->margin)) / c->pair.size, ACCURACY);
}

static void the_deepest_contact_is_the_gap(void **state)
{
    (void)state;
    for_all(deepest_is_the_gap, 1);
}

static double is_well_formed(const manifold_case *c)
{
    double weight = 0.0, miss = 0.0;
    for (int i = 0; i < c->count; ++i) {
        const dp_contact_point *x = &c->point[i];
        const double along =
            x->normal.x * c->d.normal.x + x->normal.y * c->d.normal.y + x->normal.z * c->d.normal.z;
        weight += x->weight;
        miss = fmax(miss, x->weight >= 0.0 && x->patch == 0 && x->gap < c->margin ? 0.0 : 1.0);
        miss = fmax(miss, beyond(fabs(along - 1.0), 1e-12));
        for (int k = 0; k < i; ++k) {
            miss = fmax(miss, x->feature == c->point[k].feature ? 2.0 : 0.0);
        }
    }
    return c->count == 0 ? 0.0 : fmax(miss, beyond(fabs(weight - 1.0), 1e-12));
}

static void weights_sum_to_one_and_features_differ(void **state)
{
    (void)state;
    for_all(is_well_formed, 2);
}

// Half a gap to either side of a contact point are the surfaces. Not so for the sides of capsules
// and cylinders beside an edge: their gap is that of a circle and the edge, which is not along the
// normal of the pair.
static bool has_side(const manifold_case *c)
{
    for (int i = 0; i < 2; ++i) {
        const dp_geom_kind kind = c->pair.shape[i].kind, other = c->pair.shape[1 - i].kind;
        if ((kind == DP_GEOM_CAPSULE || kind == DP_GEOM_CYLINDER) && other != DP_GEOM_PLANE &&
            other != DP_GEOM_SPHERE) {
            return true;
        }
    }
    return false;
}

static double is_between_the_surfaces(const manifold_case *c)
{
    double miss = 0.0;
    for (int i = 0; i < c->count && !has_side(c); ++i) {
        const dp_contact_point *x = &c->point[i];
        for (int side = 0; side < 2; ++side) {
            const double s = side == 0 ? -0.5 * x->gap : 0.5 * x->gap;
            const dp_v3 at = {x->point.x + s * x->normal.x, x->point.y + s * x->normal.y,
                              x->point.z + s * x->normal.z};
            miss = fmax(miss, (double)drawn_outside(&c->pair, side, at) / c->pair.size);
        }
    }
    // What is closer to an edge than 2⁻³⁰ of the faces counts as on it, in both directions.
    return beyond(miss, 4.0 * 0x1p-30);
}

static void contact_points_lie_between_the_surfaces(void **state)
{
    (void)state;
    for_all(is_between_the_surfaces, 3);
}

static bool same_mirrored(const dp_contact_point *x, const dp_contact_point *y)
{
    return x->gap == y->gap && x->weight == y->weight && x->point.x == y->point.x &&
           x->point.y == y->point.y && x->point.z == y->point.z && x->normal.x == -y->normal.x &&
           x->normal.y == -y->normal.y && x->normal.z == -y->normal.z;
}

static double is_the_same_swapped(const manifold_case *c)
{
    dp_contact_point other[DP_PATCH_POINTS];
    const int count = contacts(other, &c->pair, 1, c->margin);
    int found = 0;
    for (int i = 0; i < c->count; ++i) {
        for (int k = 0; k < count; ++k) {
            if (same_mirrored(&c->point[i], &other[k])) {
                ++found;
                break;
            }
        }
    }
    return drawn_twice(&c->pair) || (count == c->count && found == count) ? 0.0 : 1.0;
}

static void swapping_the_shapes_gives_the_same_points_to_the_last_bit(void **state)
{
    (void)state;
    for_all(is_the_same_swapped, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_deepest_contact_is_the_gap),
        cmocka_unit_test(weights_sum_to_one_and_features_differ),
        cmocka_unit_test(contact_points_lie_between_the_surfaces),
        cmocka_unit_test(swapping_the_shapes_gives_the_same_points_to_the_last_bit),
    };
    return cmocka_run_group_tests(tests, stock_fill, stock_clear);
}
