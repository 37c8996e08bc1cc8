// Fewer corners of a patch: what is kept of its area, its depth, its weight and its names.
#include "near.h"
#include "test_random.h"

#include "collide/convex/outline.h"
#include "math/angle.h"

#include <math.h>

static double area_of(const dp_patch *p)
{
    double twice = 0.0;
    for (int i = 0; i < p->count; ++i) {
        const dp_corner *c = &p->corner[i], *d = &p->corner[i + 1 < p->count ? i + 1 : 0];
        twice += c->x * d->y - c->y * d->x;
    }
    return 0.5 * twice;
}

// Corners on an ellipse, with a gap that is linear over it and weights that sum to 1.
static dp_patch random_patch(random_source *r, int count)
{
    dp_patch p = {.count = count, .size = 2.0};
    const double a = random_between(r, 0.2, 1.0), b = random_between(r, 0.2, 1.0);
    const double gx = random_between(r, -0.1, 0.1), gy = random_between(r, -0.1, 0.1);
    double sum = 0.0;
    for (int i = 0; i < count; ++i) {
        const double angle = 2.0 * DP_PI * (i + random_between(r, 0.0, 0.9)) / count;
        dp_corner *c = &p.corner[i];
        c->x = a * cos(angle);
        c->y = b * sin(angle);
        c->gap = gx * c->x + gy * c->y - 0.2;
        c->weight = random_between(r, 0.5, 1.0);
        c->feature = (uint64_t)(100 + i);
        sum += c->weight;
    }
    for (int i = 0; i < count; ++i) {
        p.corner[i].weight /= sum;
    }
    return p;
}

static double deepest_of(const dp_patch *p)
{
    double gap = INFINITY;
    for (int i = 0; i < p->count; ++i) {
        gap = fmin(gap, p->corner[i].gap);
    }
    return gap;
}

// Σ weight·value
typedef struct sums {
    double one, x, y, gap;
} sums;

static sums sums_of(const dp_patch *p)
{
    sums s = {0};
    for (int i = 0; i < p->count; ++i) {
        const dp_corner *c = &p->corner[i];
        s.one += c->weight;
        s.x += c->weight * c->x;
        s.y += c->weight * c->y;
        s.gap += c->weight * c->gap;
        assert_true(c->weight > 0.0);
    }
    return s;
}

static void few_corners_keep_the_area_the_depth_the_force_and_their_names(void **state)
{
    (void)state;
    random_source r = {3};
    for (int trial = 0; trial < 20000; ++trial) {
        const dp_patch all = random_patch(&r, 3 + random_below(&r, 40));
        dp_patch few = all;
        dp_patch_thin_out(&few, 8, DP_KEPT_AREA);
        assert_true(few.count >= 3 && few.count <= 8);
        if (all.count <= 8) { // no need but the aim
            assert_true(area_of(&few) >= (DP_KEPT_AREA - 1e-12) * area_of(&all));
        }
        assert_true(deepest_of(&few) == deepest_of(&all));
        const sums before = sums_of(&all), after = sums_of(&few);
        assert_near(after.one, before.one, 1e-14);
        assert_near(after.gap, before.gap, 1e-14);
        if (few.count > 3) { // else there may be no corner across with enough weight
            assert_near(after.x, before.x, 1e-13);
            assert_near(after.y, before.y, 1e-13);
        }
        int at = 0;
        for (int i = 0; i < few.count; ++i, ++at) { // in their order, where they were
            while (at < all.count && all.corner[at].feature != few.corner[i].feature) {
                ++at;
            }
            assert_true(at < all.count);
            assert_true(few.corner[i].x == all.corner[at].x && few.corner[i].y == all.corner[at].y);
        }
    }
}

static dp_patch regular(int count)
{
    dp_patch p = {.count = count, .size = 2.0};
    for (int i = 0; i < count; ++i) {
        const double angle = 2.0 * DP_PI * i / count;
        p.corner[i] = (dp_corner){.x = cos(angle), .y = sin(angle), .gap = -1e-3};
        p.corner[i].weight = 1.0 / count;
    }
    return p;
}

static void corners_that_hold_more_than_a_twentieth_of_the_area_stay(void **state)
{
    (void)state;
    for (int n = 3; n <= 8; ++n) { // of an octagon each takes 7 % away
        dp_patch p = regular(n);
        dp_patch_thin_out(&p, 8, DP_KEPT_AREA);
        assert_int_equal(p.count, n);
    }
    dp_patch p = regular(32);
    dp_patch_thin_out(&p, 8, DP_KEPT_AREA);
    assert_int_equal(p.count, 8);
    p = regular(32);
    dp_patch_thin_out(&p, 4, DP_KEPT_AREA);
    assert_int_equal(p.count, 4);
    assert_true(area_of(&p) >= 1.9); // well spread: a square has 2
}

static void corners_on_the_side_of_a_square_go(void **state)
{
    (void)state;
    dp_patch p = {.count = 8, .size = 1.0};
    static const double x[8] = {0, 0.4, 1, 1, 1, 0.3, 0, 0}, y[8] = {0, 0, 0, 0.5, 1, 1, 1, 0.1};
    for (int i = 0; i < 8; ++i) {
        p.corner[i] = (dp_corner){.x = x[i], .y = y[i], .gap = -1e-3, .weight = 0.125};
    }
    dp_patch_thin_out(&p, 8, DP_KEPT_AREA);
    assert_int_equal(p.count, 4);
    assert_near(area_of(&p), 1.0, 1e-15);
}

static void a_corner_that_is_off_the_plane_of_the_others_stays(void **state)
{
    (void)state;
    dp_patch p = {.count = 5, .size = 1.0};
    static const double x[5] = {0, 0.5, 1, 1, 0}, y[5] = {0, -0.01, 0, 1, 1};
    for (int bent = 0; bent < 2; ++bent) {
        p.count = 5;
        for (int i = 0; i < 5; ++i) {
            p.corner[i] =
                (dp_corner){.x = x[i], .y = y[i], .gap = -1e-3 * (1.0 + y[i]), .weight = 0.2};
        }
        p.corner[1].gap += bent ? 5e-4 : 0.0;
        dp_patch_thin_out(&p, 8, DP_KEPT_AREA);
        assert_int_equal(p.count, bent ? 5 : 4);
    }
}

static void without_need_all_corners_stay_where_all_are_asked_for(void **state)
{
    (void)state;
    random_source r = {4};
    for (int n = 1; n <= 8; ++n) {
        const dp_patch all = random_patch(&r, n);
        dp_patch p = all;
        dp_patch_thin_out(&p, 8, 1.0);
        assert_int_equal(p.count, n);
    }
}

// A corner moves by a hair's breadth: the choice among equals stays.
static void the_choice_does_not_hang_on_round_off(void **state)
{
    (void)state;
    random_source r = {5};
    for (int trial = 0; trial < 200; ++trial) {
        dp_patch p = regular(32), q = p;
        for (int i = 0; i < 32; ++i) {
            p.corner[i].feature = q.corner[i].feature = (uint64_t)i;
            q.corner[i].x += random_between(&r, -1e-12, 1e-12);
            q.corner[i].y += random_between(&r, -1e-12, 1e-12);
            q.corner[i].gap += random_between(&r, -1e-12, 1e-12);
        }
        dp_patch_thin_out(&p, 8, DP_KEPT_AREA);
        dp_patch_thin_out(&q, 8, DP_KEPT_AREA);
        assert_int_equal(p.count, q.count);
        for (int i = 0; i < p.count; ++i) {
            assert_true(p.corner[i].feature == q.corner[i].feature);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_corners_keep_the_area_the_depth_the_force_and_their_names),
        cmocka_unit_test(corners_that_hold_more_than_a_twentieth_of_the_area_stay),
        cmocka_unit_test(corners_on_the_side_of_a_square_go),
        cmocka_unit_test(a_corner_that_is_off_the_plane_of_the_others_stays),
        cmocka_unit_test(without_need_all_corners_stay_where_all_are_asked_for),
        cmocka_unit_test(the_choice_does_not_hang_on_round_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
