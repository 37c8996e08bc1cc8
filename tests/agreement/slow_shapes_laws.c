// What any signed distance obeys, whoever computes it: order, place, memory and limit do not
// matter, and it changes as its normal says.
#include "shape_draw.h"

#include <math.h>

enum { DRAWS = 220, MOST_SHOWN = 5 };

// A draw, and who it is.
typedef struct law_case {
    drawn_pair pair;
    int a, b, situation, draw, *shown;
    random_source *r;
} law_case;

static dp_distance query(const law_case *c, dp_pose X_WA, dp_pose X_WB, double limit,
                         dp_pair_memory *memory)
{
    dp_distance d;
    const dp_status status =
        dp_shapes_distance(&d, &c->pair.shape[0], X_WA, &c->pair.shape[1], X_WB, limit, memory);
    assert_int_equal(status, DP_OK);
    return d;
}

static dp_distance plain(const law_case *c)
{
    return query(c, c->pair.pose[0], c->pair.pose[1], (double)INFINITY, NULL);
}

// A law is broken by `value`, which may be at most `most`.
static void hold(const law_case *c, double value, double most, const char *law)
{
    if (!(value <= most) && (*c->shown)++ < MOST_SHOWN) {
        print_error("%s–%s %s #%d: %s: %g (at most %g) of size %g\n", KIND[c->a], KIND[c->b],
                    DRAW_NAME[c->situation], c->draw, law, value, most, c->pair.size);
    }
}

// Run a check over draws of every pair in every situation.
static void for_all(void (*check)(const law_case *c), int draws, uint64_t seed)
{
    int shown = 0;
    for (int a = 0; a < DRAW_KINDS; ++a) {
        for (int b = 0; b < DRAW_KINDS; ++b) {
            if (!pair_wanted(a, b)) {
                continue;
            }
            for (int i = 0; i < draws; ++i) {
                const int s = i % DRAW_SITUATIONS;
                random_source r = {seed + 1000000 * (uint64_t)(DRAW_KINDS * a + b) + (uint64_t)i};
                law_case c = {.a = a, .b = b, .situation = s, .draw = i, .shown = &shown, .r = &r};
                draw_pair(&c.pair, (const dp_geom_kind[2]){(dp_geom_kind)a, (dp_geom_kind)b},
                          (draw_situation)s, &r);
                check(&c);
            }
        }
    }
    assert_int_equal(shown, 0);
}

static bool same_v3(dp_v3 a, dp_v3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool same_answer(const dp_distance *a, const dp_distance *b)
{
    return a->gap == b->gap && same_v3(a->normal, b->normal) && same_v3(a->point[0], b->point[0]) &&
           same_v3(a->point[1], b->point[1]) && a->ambiguous == b->ambiguous &&
           a->outcome == b->outcome && a->iterations == b->iterations;
}

static dp_distance mirrored(dp_distance d)
{
    d.normal = (dp_v3){-d.normal.x, -d.normal.y, -d.normal.z};
    const dp_v3 first = d.point[0];
    d.point[0] = d.point[1];
    d.point[1] = first;
    return d;
}

static void check_swap(const law_case *c)
{
    const dp_distance d = plain(c);
    dp_distance e;
    assert_int_equal(dp_shapes_distance(&e, &c->pair.shape[1], c->pair.pose[1], &c->pair.shape[0],
                                        c->pair.pose[0], (double)INFINITY, NULL),
                     DP_OK);
    e = mirrored(e);
    hold(c, drawn_twice(&c->pair) || same_answer(&d, &e) ? 0.0 : 1.0, 0.0, "swapped");
}

static void swapping_the_shapes_mirrors_the_answer_to_the_last_bit(void **state)
{
    (void)state;
    for_all(check_swap, DRAWS * 4, 1);
}

static void check_repeat(const law_case *c)
{
    const dp_distance d = plain(c), e = plain(c);
    hold(c, same_answer(&d, &e) ? 0.0 : 1.0, 0.0, "asked twice");
    // Other addresses, equal numbers.
    dp_shape copy[2] = {c->pair.shape[0], c->pair.shape[1]};
    dp_distance f;
    assert_int_equal(dp_shapes_distance(&f, &copy[0], c->pair.pose[0], &copy[1], c->pair.pose[1],
                                        (double)INFINITY, NULL),
                     DP_OK);
    hold(c, same_answer(&d, &f) ? 0.0 : 1.0, 0.0, "copied");
    dp_pair_memory one = {.count = 0}, two = {.count = 0};
    const dp_distance g = query(c, c->pair.pose[0], c->pair.pose[1], (double)INFINITY, &one);
    const dp_distance h = query(c, c->pair.pose[0], c->pair.pose[1], (double)INFINITY, &two);
    hold(c, same_answer(&g, &h) ? 0.0 : 1.0, 0.0, "with equal memories");
}

static void equal_questions_have_equal_answers(void **state)
{
    (void)state;
    for_all(check_repeat, DRAWS, 2);
}

// Small motions from query to query, one side with a memory: what it remembers is of the pose
// before, or, now and then, of somewhere else.
static void check_memory(const law_case *c)
{
    dp_pair_memory memory = {.count = 0};
    dp_pose X = c->pair.pose[1];
    for (int k = 0; k < 6; ++k) {
        const double step = c->pair.size * (k == 4 ? 0.5 : 1e-3);
        X.p.x += step * random_between(c->r, -1.0, 1.0);
        X.p.y += step * random_between(c->r, -1.0, 1.0);
        X.p.z += step * random_between(c->r, -1.0, 1.0);
        const dp_distance cold = query(c, c->pair.pose[0], X, (double)INFINITY, NULL);
        const dp_distance warm = query(c, c->pair.pose[0], X, (double)INFINITY, &memory);
        // Twice what is left of an iteration that met its bound on the error.
        hold(c, fabs(cold.gap - warm.gap) / (c->pair.size + fabs(cold.gap)), 1e-12, "with memory");
    }
}

static void memory_changes_nothing_but_the_time(void **state)
{
    (void)state;
    for_all(check_memory, DRAWS, 3);
}

static void check_limit(const law_case *c)
{
    const dp_distance d = plain(c);
    const double scale = c->pair.size + fabs(d.gap);
    const double limit = fabs(d.gap) * random_between(c->r, 0.0, 2.0);
    const dp_distance e = query(c, c->pair.pose[0], c->pair.pose[1], limit, NULL);
    if (e.outcome == DP_QUERY_OUTCOME_BEYOND) {
        hold(c, limit, e.gap, "limit below the bound");
        hold(c, e.gap - d.gap, 1e-12 * scale, "bound above the gap");
    } else {
        hold(c, fabs(e.gap - d.gap), 1e-12 * scale, "with a limit");
    }
}

static void a_limit_gives_the_gap_or_a_lower_bound_beyond_it(void **state)
{
    (void)state;
    for_all(check_limit, DRAWS, 4);
}

static void check_overlap(const law_case *c)
{
    const dp_distance d = plain(c);
    bool overlap, swapped;
    assert_int_equal(dp_shapes_overlap(&overlap, &c->pair.shape[0], c->pair.pose[0],
                                       &c->pair.shape[1], c->pair.pose[1]),
                     DP_OK);
    assert_int_equal(dp_shapes_overlap(&swapped, &c->pair.shape[1], c->pair.pose[1],
                                       &c->pair.shape[0], c->pair.pose[0]),
                     DP_OK);
    hold(c, overlap == swapped ? 0.0 : 1.0, 0.0, "overlap swapped");
    if (fabs(d.gap) > 1e-12 * c->pair.size) {
        hold(c, overlap == (d.gap < 0.0) ? 0.0 : fabs(d.gap), 0.0, "overlap against the gap");
    }
}

static void shapes_overlap_where_their_gap_is_negative(void **state)
{
    (void)state;
    for_all(check_overlap, DRAWS * 2, 5);
}

static dp_pose moved(dp_quat q, wide_v3 p, dp_pose X)
{
    const dp_quat r = X.q;
    dp_quat s = {q.w * r.w - q.x * r.x - q.y * r.y - q.z * r.z,
                 q.w * r.x + q.x * r.w + q.y * r.z - q.z * r.y,
                 q.w * r.y - q.x * r.z + q.y * r.w + q.z * r.x,
                 q.w * r.z + q.x * r.y - q.y * r.x + q.z * r.w};
    const double n = sqrt(s.w * s.w + s.x * s.x + s.y * s.y + s.z * s.z);
    s = (dp_quat){s.w / n, s.x / n, s.y / n, s.z / n};
    const dp_shape point = {.kind = DP_GEOM_SPHERE};
    const reference_body frame = reference_place(&point, NULL, 0, (dp_pose){q, {0.0, 0.0, 0.0}});
    long double x[3];
    for (int i = 0; i < 3; ++i) {
        x[i] = frame.R[i][0] * X.p.x + frame.R[i][1] * X.p.y + frame.R[i][2] * X.p.z;
    }
    return (dp_pose){s, {(double)(x[0] + p.x), (double)(x[1] + p.y), (double)(x[2] + p.z)}};
}

static void check_motion(const law_case *c)
{
    const double away = c->draw % 3 == 0 ? 1.0 : c->draw % 3 == 1 ? 0.0 : 1e4;
    double x[3];
    random_direction(x, 3, c->r);
    const dp_quat q = random_rotation(c->r);
    const double far = away * c->pair.size;
    const wide_v3 p = {far * x[0], far * x[1], far * x[2]};
    const dp_distance d = plain(c);
    const dp_distance e = query(c, moved(q, p, c->pair.pose[0]), moved(q, p, c->pair.pose[1]),
                                (double)INFINITY, NULL);
    // Positions are rounded to 2⁻⁵³ of the distance from the origin, each; rotations to some 1e-16
    // of the size.
    const double scale = c->pair.size + fabs(d.gap);
    hold(c, fabs(d.gap - e.gap), 1e-12 * scale + 1e-15 * (far + scale), "moved together");
}

static void moving_both_shapes_together_changes_nothing_but_round_off(void **state)
{
    (void)state;
    for_all(check_motion, DRAWS, 6);
}

// The gap is the greatest of functions that are linear in the place of B, so it is convex there and
// its normal is a subgradient: gap(p + d) ≥ gap(p) + n·d for steps of any length, kinks or not.
static void check_gradient(const law_case *c)
{
    const dp_distance d = plain(c);
    for (int k = 0; k < 4; ++k) {
        double x[3];
        random_direction(x, 3, c->r);
        const double step = c->pair.size * pow(10.0, random_between(c->r, -6.0, 0.3));
        dp_pose X = c->pair.pose[1];
        X.p = (dp_v3){X.p.x + step * x[0], X.p.y + step * x[1], X.p.z + step * x[2]};
        const dp_distance e = query(c, c->pair.pose[0], X, (double)INFINITY, NULL);
        const dp_v3 s = {X.p.x - c->pair.pose[1].p.x, X.p.y - c->pair.pose[1].p.y,
                         X.p.z - c->pair.pose[1].p.z};
        const double there = d.normal.x * s.x + d.normal.y * s.y + d.normal.z * s.z;
        const double back = e.normal.x * s.x + e.normal.y * s.y + e.normal.z * s.z;
        const double scale = c->pair.size + fabs(d.gap) + fabs(e.gap);
        hold(c, (d.gap + there - e.gap) / scale, 1e-11, "below its tangent, there");
        hold(c, (e.gap - back - d.gap) / scale, 1e-11, "below its tangent, back");
    }
}

static void the_normal_is_a_subgradient_of_the_gap(void **state)
{
    (void)state;
    for_all(check_gradient, DRAWS, 7);
}

static double apart(dp_v3 a, dp_v3 b)
{
    return fabs(a.x - b.x) + fabs(a.y - b.y) + fabs(a.z - b.z);
}

// Turn B about its place, or A about its own, by ±h: the gap changes as the header says,
// at the rate n · (velocity at point[1] − velocity at point[0]).
static void check_turning(const law_case *c)
{
    const dp_distance d = plain(c);
    const double h = 1e-5;
    double w[3];
    random_direction(w, 3, c->r);
    for (int i = 0; i < 2; ++i) {
        dp_distance e[2];
        for (int side = 0; side < 2; ++side) {
            const double s = side ? 0.5 * h : -0.5 * h;
            dp_pose X[2] = {c->pair.pose[0], c->pair.pose[1]};
            const dp_quat turn = {1.0, s * w[0], s * w[1], s * w[2]};
            X[i].q = moved(turn, (wide_v3){0.0L, 0.0L, 0.0L}, X[i]).q;
            e[side] = query(c, X[0], X[1], (double)INFINITY, NULL);
        }
        // Where the normal or the point moves by more than the shapes do, the gap has a kink, or is
        // about to.
        const dp_v3 *x = d.point, *p = &c->pair.pose[i].p;
        double dn = 0.0, dx = 0.0;
        for (int side = 0; side < 2; ++side) {
            dn = fmax(dn, apart(e[side].normal, d.normal));
            dx = fmax(dx, apart(e[side].point[i], d.point[i]));
        }
        if (d.ambiguous || dn > 100.0 * h || dx > 100.0 * h * c->pair.size) {
            continue;
        }
        const dp_v3 r = {x[i].x - p->x, x[i].y - p->y, x[i].z - p->z};
        const dp_v3 v = {w[1] * r.z - w[2] * r.y, w[2] * r.x - w[0] * r.z, w[0] * r.y - w[1] * r.x};
        const double rate =
            (i == 0 ? -1.0 : 1.0) * (d.normal.x * v.x + d.normal.y * v.y + d.normal.z * v.z);
        const double found = (e[1].gap - e[0].gap) / (2.0 * atan(0.5 * h) * 2.0);
        // Error of the difference: round-off 1e-13/h of the size, and the points' own wandering.
        const double scale = c->pair.size + fabs(d.gap);
        hold(c, fabs(found - rate) / scale, 1e-7 + dx / scale + dn, "rate of turning");
    }
}

static void the_gap_changes_with_rotation_at_the_rate_of_its_points(void **state)
{
    (void)state;
    for_all(check_turning, DRAWS, 8);
}

static void ties_are_called_ambiguous(void **state)
{
    (void)state;
    const double s = 0.5;
    const struct {
        dp_shape a, b;
        dp_v3 p;
    } tie[] = {
        {{.kind = DP_GEOM_SPHERE, .size = {s}},
         {.kind = DP_GEOM_SPHERE, .size = {0.2}},
         {0.0, 0.0, 0.0}},
        {{.kind = DP_GEOM_SPHERE, .size = {s}},
         {.kind = DP_GEOM_BOX, .size = {s, s, s}},
         {0.0, 0.0, 0.0}},
        {{.kind = DP_GEOM_SPHERE, .size = {0.1}},
         {.kind = DP_GEOM_BOX, .size = {s, s, s}},
         {0.2, 0.2, 0.0}},
        {{.kind = DP_GEOM_SPHERE, .size = {0.1}},
         {.kind = DP_GEOM_CAPSULE, .size = {s, s}},
         {0.0, 0.0, 0.2}},
        {{.kind = DP_GEOM_SPHERE, .size = {s}},
         {.kind = DP_GEOM_CYLINDER, .size = {s, 0.9}},
         {0.0, 0.0, 0.1}},
        {{.kind = DP_GEOM_CAPSULE, .size = {0.2, s}},
         {.kind = DP_GEOM_CAPSULE, .size = {s, s}},
         {0.0, 0.0, 0.1}},
        {{.kind = DP_GEOM_CAPSULE, .size = {0.2, s}},
         {.kind = DP_GEOM_CYLINDER, .size = {s, 3.0}},
         {0.0, 0.0, 0.1}},
        {{.kind = DP_GEOM_CYLINDER, .size = {0.2, s}},
         {.kind = DP_GEOM_CYLINDER, .size = {s, 3.0}},
         {0.0, 0.0, 0.1}},
        {{.kind = DP_GEOM_ELLIPSOID, .size = {s, s, s}},
         {.kind = DP_GEOM_ELLIPSOID, .size = {s, s, s}},
         {0.0, 0.0, 0.0}},
        {{.kind = DP_GEOM_BOX, .size = {s, s, s}},
         {.kind = DP_GEOM_BOX, .size = {s, s, s}},
         {0.0, 0.0, 0.0}},
        {{.kind = DP_GEOM_BOX, .size = {s, s, 0.9}},
         {.kind = DP_GEOM_BOX, .size = {0.1, 0.1, 0.1}},
         {0.25, 0.25, 0.0}},
        {{.kind = DP_GEOM_BOX, .size = {s, s, 0.9}},
         {.kind = DP_GEOM_ELLIPSOID, .size = {0.1, 0.1, 0.2}},
         {0.25, -0.25, 0.0}},
        {{.kind = DP_GEOM_BOX, .size = {s, s, 0.9}},
         {.kind = DP_GEOM_CYLINDER, .size = {0.1, 0.2}},
         {0.25, -0.25, 0.0}},
    };
    for (size_t i = 0; i < sizeof tie / sizeof *tie; ++i) {
        const dp_pose here = {{1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
        const dp_pose there = {here.q, tie[i].p};
        dp_distance d;
        assert_int_equal(dp_shapes_distance(&d, &tie[i].a, here, &tie[i].b, there, 1.0, NULL),
                         DP_OK);
        if (!d.ambiguous) {
            print_error("%s in %s (number %d): gap %g, normal %g %g %g\n", KIND[tie[i].a.kind],
                        KIND[tie[i].b.kind], (int)i, d.gap, d.normal.x, d.normal.y, d.normal.z);
        }
        assert_true(d.ambiguous);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(swapping_the_shapes_mirrors_the_answer_to_the_last_bit),
        cmocka_unit_test(equal_questions_have_equal_answers),
        cmocka_unit_test(memory_changes_nothing_but_the_time),
        cmocka_unit_test(a_limit_gives_the_gap_or_a_lower_bound_beyond_it),
        cmocka_unit_test(shapes_overlap_where_their_gap_is_negative),
        cmocka_unit_test(moving_both_shapes_together_changes_nothing_but_round_off),
        cmocka_unit_test(the_normal_is_a_subgradient_of_the_gap),
        cmocka_unit_test(the_gap_changes_with_rotation_at_the_rate_of_its_points),
        cmocka_unit_test(ties_are_called_ambiguous),
    };
    return cmocka_run_group_tests(tests, stock_fill, stock_clear);
}
