// The distance of any two convex shapes: against everything tried, against closed forms, and what
// must hold whatever the answer is.
#include "convex_trial.h"
#include "mesh_shapes.h"
#include "polyhedron_reference.h"
#include "shape_parts.h"

#include "collide/pair.h"
#include "geom/hull.h"
#include "geom/hull_shape.h"

#include <math.h>
#include <string.h>

// Relative to the size of both shapes: some tens of roundings. Measured: 8e-16.
static const double ROUND_OFF = 2e-14;

static const dp_geom_kind kinds[] = {DP_GEOM_SPHERE,    DP_GEOM_CAPSULE, DP_GEOM_CYLINDER,
                                     DP_GEOM_ELLIPSOID, DP_GEOM_BOX,     DP_GEOM_MESH};
enum { NKIND = 6 };

static int open_pool(void **state)
{
    static dp_pool pool;
    dp_pool_init(&pool, NULL);
    *state = &pool;
    return 0;
}

static int close_pool(void **state)
{
    dp_pool_destroy(*state);
    return 0;
}

static double any_scale(random_source *r)
{
    const double scale[3] = {1e-6, 1.0, 1e6};
    return scale[random_below(r, 3)];
}

static dp_distance distance(const dp_shape *a, dp_pose X_WA, const dp_shape *b, dp_pose X_WB)
{
    const dp_placed p = dp_place(a, X_WA), q = dp_place(b, X_WB);
    dp_distance d;
    dp_convex_distance(&d, &p, &q, INFINITY, NULL);
    return d;
}

// What holds of every answer.
static void assert_sound(const dp_distance *d, double size)
{
    assert_int_equal(d->outcome, DP_QUERY_OUTCOME_EXACT);
    assert_near(dp_v3_norm(d->normal), 1.0, 1e-14);
    const dp_v3 between = dp_v3_sub(d->point[1], d->point[0]);
    assert_near(dp_v3_norm(dp_v3_madd(between, -d->gap, d->normal)), 0.0, ROUND_OFF * size);
}

static polyhedron place_trial(dp_pool *pool, const convex_trial *t, int i)
{
    const double *size = t->shape[i].size;
    dp_mesh mesh = t->shape[i].kind == DP_GEOM_BOX
                       ? box_mesh(pool, size[0], size[1], size[2])
                       : (dp_mesh){.vertex = t->vertex[i], .nvertex = t->nvertex[i]};
    assert_int_equal(dp_mesh_hull(&mesh, pool, &mesh, 0), DP_OK);
    return polyhedron_place(&mesh, t->pose[i]);
}

static void try_polyhedra(dp_geom_kind a, dp_geom_kind b, int count, uint64_t seed)
{
    random_source r = {seed};
    for (int k = 0; k < count; ++k) {
        dp_pool pool;
        dp_pool_init(&pool, NULL);
        convex_trial t;
        convex_trial_begin(&t, &r, a, b, (situation)(k % SITUATIONS), any_scale(&r));
        const dp_distance d = convex_trial_distance(&t);
        const polyhedron p = place_trial(&pool, &t, 0), q = place_trial(&pool, &t, 1);
        assert_sound(&d, t.size);
        assert_near(d.gap, (double)polyhedron_gap(&p, &q), ROUND_OFF * t.size);
        // The normal is worth what the gap is.
        const wide_v3 n = wide_from(d.normal);
        assert_near((double)polyhedron_gap_along(&p, &q, n), d.gap, ROUND_OFF * t.size);
        convex_trial_end(&t);
        dp_pool_destroy(&pool);
    }
}

static void boxes_agree_with_every_axis_and_every_pair_of_features(void **state)
{
    (void)state;
    try_polyhedra(DP_GEOM_BOX, DP_GEOM_BOX, 1400, 1);
}

static void hulls_agree_with_every_axis_and_every_pair_of_features(void **state)
{
    (void)state;
    try_polyhedra(DP_GEOM_MESH, DP_GEOM_MESH, 210, 2);
    try_polyhedra(DP_GEOM_BOX, DP_GEOM_MESH, 210, 3);
}

static void curved_shapes_agree_with_the_definition_of_the_gap(void **state)
{
    (void)state;
    random_source r = {4};
    const situation some[4] = {ANYHOW, DEEP, SLENDER, PARALLEL};
    for (int k = 0; k < 60; ++k) {
        const dp_geom_kind a = k % 2 == 0 ? DP_GEOM_CYLINDER : DP_GEOM_ELLIPSOID;
        convex_trial t;
        convex_trial_begin(&t, &r, a, kinds[k % NKIND], some[random_below(&r, 4)], any_scale(&r));
        const dp_distance d = convex_trial_distance(&t);
        assert_sound(&d, t.size);
        const reference_body p = reference_place(&t.shape[0], t.vertex[0], t.nvertex[0], t.pose[0]);
        const reference_body q = reference_place(&t.shape[1], t.vertex[1], t.nvertex[1], t.pose[1]);
        const wide_v3 n = wide_from(d.normal);
        reference_search how = reference_search_default(&p, &q);
        how.known = reference_gap_along(&p, &q, wide_scale(n, 1.0L / wide_norm(n)));
        how.tolerance = 1e-13L * (long double)t.size;
        const reference_answer answer = reference_gap(&p, &q, &how);
        assert_near(d.gap, (double)fmaxl(how.known, answer.gap), ROUND_OFF * t.size);
        assert_near((double)how.known, d.gap, ROUND_OFF * t.size);
        convex_trial_end(&t);
    }
}

// The point of an ellipsoid next to x, by Lagrange's condition: yᵢ = aᵢ² xᵢ / (aᵢ² + t), where the
// greatest root t of Σ (aᵢ xᵢ / (aᵢ² + t))² = 1 is found by halving.
static double from_ellipsoid(const double a[3], dp_v3 x)
{
    const double c[3] = {x.x, x.y, x.z};
    long double low = -INFINITY, high = 0.0L;
    for (int k = 0; k < 3; ++k) {
        low = fmaxl(low, -(long double)a[k] * a[k] + (long double)a[k] * fabs(c[k]));
        high += (long double)a[k] * fabs(c[k]);
    }
    for (int step = 0; step < 200; ++step) {
        const long double t = 0.5L * (low + high);
        long double sum = 0.0L;
        for (int k = 0; k < 3; ++k) {
            const long double y = a[k] * c[k] / ((long double)a[k] * a[k] + t);
            sum += y * y;
        }
        *(sum > 1.0L ? &low : &high) = t;
    }
    long double square = 0.0L;
    for (int k = 0; k < 3; ++k) {
        const long double d = high * c[k] / ((long double)a[k] * a[k] + high);
        square += d * d;
    }
    return (double)(high >= 0.0L ? sqrtl(square) : -sqrtl(square));
}

static void a_ball_is_as_far_from_an_ellipsoid_as_lagrange_says(void **state)
{
    (void)state;
    random_source r = {5};
    for (int k = 0; k < 500; ++k) {
        const dp_shape ball = sphere_shape(random_between(&r, 0.01, 1.0));
        const dp_shape ellipsoid =
            ellipsoid_shape(random_between(&r, 0.1, 1.0), random_between(&r, 0.1, 1.0),
                            random_between(&r, 0.1, 1.0));
        const dp_v3 x = {random_between(&r, -1.0, 1.0), random_between(&r, -1.0, 1.0),
                         random_between(&r, -1.0, 1.0)};
        const dp_distance d =
            distance(&ball, pose_at(x.x, x.y, x.z), &ellipsoid, pose_at(0.0, 0.0, 0.0));
        assert_sound(&d, 3.0);
        assert_near(d.gap, from_ellipsoid(ellipsoid.size, x) - ball.size[0], 1e-13);
    }
}

static void swapping_turns_the_answer_to_the_last_bit(void **state)
{
    (void)state;
    random_source r = {6};
    for (int k = 0; k < 7 * NKIND * NKIND * 3; ++k) {
        const situation s = (situation)(k % SITUATIONS);
        convex_trial t;
        convex_trial_begin(&t, &r, kinds[k / 7 % NKIND], kinds[k / 42 % NKIND], s, any_scale(&r));
        const dp_distance d = convex_trial_distance(&t);
        const dp_distance e = distance(&t.shape[1], t.pose[1], &t.shape[0], t.pose[0]);
        assert_true(d.gap == e.gap && d.normal.x == -e.normal.x && d.normal.y == -e.normal.y &&
                    d.normal.z == -e.normal.z);
        assert_memory_equal(&d.point[0], &e.point[1], sizeof d.point[0]);
        assert_memory_equal(&d.point[1], &e.point[0], sizeof d.point[0]);
        convex_trial_end(&t);
    }
}

static void moving_both_changes_round_off_only(void **state)
{
    (void)state;
    random_source r = {7};
    for (int k = 0; k < 7 * NKIND * NKIND; ++k) {
        const situation s = (situation)(k % SITUATIONS);
        convex_trial t;
        convex_trial_begin(&t, &r, kinds[k / 7 % NKIND], kinds[k / 42 % NKIND], s, any_scale(&r));
        const dp_distance d = convex_trial_distance(&t);
        double q[4], p[3];
        random_direction(q, 4, &r);
        random_direction(p, 3, &r);
        const dp_pose X = {dp_quat_load(q), dp_v3_scale(dp_v3_load(p), t.size)};
        for (int i = 0; i < 2; ++i) {
            t.pose[i] = dp_pose_mul(X, t.pose[i]);
            t.pose[i].q = dp_quat_unit(t.pose[i].q);
        }
        const dp_distance e = convex_trial_distance(&t);
        assert_near(e.gap, d.gap, ROUND_OFF * t.size);
        convex_trial_end(&t);
    }
}

static void memory_saves_iterations_and_changes_round_off_only(void **state)
{
    (void)state;
    random_source r = {8};
    int cold = 0, warm = 0;
    for (int k = 0; k < 7 * NKIND * NKIND; ++k) {
        const situation s = (situation)(k % SITUATIONS);
        convex_trial t;
        convex_trial_begin(&t, &r, kinds[k / 7 % NKIND], kinds[k / 42 % NKIND], s, any_scale(&r));
        const dp_placed a = dp_place(&t.shape[0], t.pose[0]);
        dp_pair_memory memory = {0};
        for (int step = 0; step < 3; ++step) {
            const dp_placed b = dp_place(&t.shape[1], t.pose[1]);
            const dp_distance d = convex_trial_distance(&t);
            dp_distance e;
            dp_convex_distance(&e, &a, &b, INFINITY, &memory);
            assert_sound(&e, t.size);
            assert_near(e.gap, d.gap, ROUND_OFF * t.size);
            cold += step > 0 ? d.iterations : 0;
            warm += step > 0 ? e.iterations : 0;
            t.pose[1].p = dp_v3_madd(t.pose[1].p, 0.01 * t.size, d.normal);
        }
        convex_trial_end(&t);
    }
    assert_true(warm < cold);
}

static void memory_of_other_shapes_does_no_harm(void **state)
{
    (void)state;
    random_source r = {9};
    for (int k = 0; k < 500; ++k) {
        convex_trial t;
        convex_trial_begin(&t, &r, kinds[random_below(&r, NKIND)], kinds[random_below(&r, NKIND)],
                           (situation)(k % SITUATIONS), 1.0);
        dp_pair_memory memory = {.count = random_below(&r, 6) - 1};
        double direction[3];
        random_direction(direction, 3, &r);
        memory.direction = dp_v3_load(direction);
        for (int i = 0; i < 8; ++i) {
            memory.vertex[i / 4][i % 4] = random_below(&r, 40) - 2;
        }
        unsigned char *any = (unsigned char *)&memory.polytope;
        for (size_t i = 0; i < sizeof memory.polytope; ++i) {
            any[i] = (unsigned char)random_below(&r, k % 2 ? 256 : 8);
        }
        const dp_placed a = dp_place(&t.shape[0], t.pose[0]), b = dp_place(&t.shape[1], t.pose[1]);
        dp_distance d;
        dp_convex_distance(&d, &a, &b, INFINITY, &memory);
        assert_near(d.gap, convex_trial_distance(&t).gap, ROUND_OFF * t.size);
        convex_trial_end(&t);
    }
}

static void polyhedra_that_overlap_and_hardly_move_need_few_iterations(void **state)
{
    (void)state;
    const dp_geom_kind polyhedra[] = {DP_GEOM_BOX, DP_GEOM_MESH};
    random_source r = {21};
    int cold = 0, warm = 0;
    for (int k = 0; k < 400; ++k) {
        convex_trial t;
        convex_trial_begin(&t, &r, polyhedra[k % 2], DP_GEOM_MESH, k % 4 < 2 ? ANYHOW : DEEP,
                           any_scale(&r));
        const dp_placed a = dp_place(&t.shape[0], t.pose[0]);
        dp_pair_memory memory = {0};
        for (int step = 0; step < 20; ++step) {
            const dp_placed b = dp_place(&t.shape[1], t.pose[1]);
            const dp_distance d = convex_trial_distance(&t);
            dp_distance e;
            dp_convex_distance(&e, &a, &b, INFINITY, &memory);
            assert_sound(&e, t.size);
            assert_near(e.gap, d.gap, ROUND_OFF * t.size);
            cold += step > 0 && d.gap < 0.0 ? d.iterations : 0;
            warm += step > 0 && d.gap < 0.0 ? e.iterations : 0;
            double by[4];
            random_direction(by, 3, &r);
            t.pose[1].p = dp_v3_madd(t.pose[1].p, 1e-3 * t.size, dp_v3_load(by));
            random_direction(by, 4, &r);
            const dp_quat q = t.pose[1].q, turn = dp_quat_load(by);
            t.pose[1].q = dp_quat_unit((dp_quat){q.w + 1e-3 * turn.w, q.x + 1e-3 * turn.x,
                                                 q.y + 1e-3 * turn.y, q.z + 1e-3 * turn.z});
        }
        convex_trial_end(&t);
    }
    assert_true(5 * warm < cold); // measured: 10.7
}

// It would be tried in vain in every query from there on.
static void polyhedra_that_come_apart_forget_their_polytope(void **state)
{
    (void)state;
    random_source r = {23};
    int kept = 0;
    for (int k = 0; k < 100; ++k) {
        convex_trial t;
        convex_trial_begin(&t, &r, DP_GEOM_MESH, DP_GEOM_MESH, DEEP, any_scale(&r));
        const dp_placed a = dp_place(&t.shape[0], t.pose[0]), b = dp_place(&t.shape[1], t.pose[1]);
        dp_pair_memory memory = {0};
        dp_distance d;
        dp_convex_distance(&d, &a, &b, INFINITY, &memory);
        kept += memory.polytope.nface > 0;
        t.pose[1].p = dp_v3_madd(t.pose[1].p, 0.01 * t.size - d.gap, d.normal);
        const dp_placed away = dp_place(&t.shape[1], t.pose[1]);
        dp_convex_distance(&d, &a, &away, INFINITY, &memory);
        assert_true(d.gap > 0.0);
        assert_int_equal(memory.polytope.nface, 0);
        convex_trial_end(&t);
    }
    assert_true(kept > 50);
}

// Without the face next to the origin the others would prove too great a depth.
static void a_polytope_that_is_not_closed_proves_nothing(void **state)
{
    (void)state;
    random_source r = {22};
    int kept = 0;
    for (int k = 0; k < 100; ++k) {
        convex_trial t;
        convex_trial_begin(&t, &r, DP_GEOM_MESH, DP_GEOM_MESH, DEEP, any_scale(&r));
        const dp_placed a = dp_place(&t.shape[0], t.pose[0]), b = dp_place(&t.shape[1], t.pose[1]);
        dp_pair_memory memory = {0};
        dp_distance d, e;
        dp_convex_distance(&d, &a, &b, INFINITY, &memory);
        const dp_pair_polytope whole = memory.polytope;
        for (int f = 0; f < whole.nface; ++f) {
            dp_pair_memory open = {.polytope = whole};
            const int last = --open.polytope.nface;
            memcpy(open.polytope.face[f], open.polytope.face[last], sizeof whole.face[0]);
            dp_convex_distance(&e, &a, &b, INFINITY, &open);
            assert_near(e.gap, d.gap, ROUND_OFF * t.size);
            ++kept;
        }
        convex_trial_end(&t);
    }
    assert_true(kept > 1000);
}

static void beyond_the_limit_the_gap_is_a_lower_bound_that_exceeds_it(void **state)
{
    (void)state;
    random_source r = {10};
    int beyond = 0;
    for (int k = 0; k < 2000; ++k) {
        convex_trial t;
        convex_trial_begin(&t, &r, kinds[random_below(&r, NKIND)], kinds[random_below(&r, NKIND)],
                           ANYHOW, 1.0);
        const dp_distance full = convex_trial_distance(&t);
        const double limit = 0.3 * random_between(&r, 0.0, 1.0) * t.size;
        const dp_placed a = dp_place(&t.shape[0], t.pose[0]), b = dp_place(&t.shape[1], t.pose[1]);
        dp_distance d;
        dp_convex_distance(&d, &a, &b, limit, NULL);
        if (d.outcome == DP_QUERY_OUTCOME_BEYOND) {
            ++beyond;
            assert_true(d.gap > limit && d.gap <= full.gap + ROUND_OFF * t.size);
        } else {
            assert_near(d.gap, full.gap, ROUND_OFF * t.size);
        }
        convex_trial_end(&t);
    }
    assert_in_range(beyond, 200, 1900);
}

static void shapes_overlap_when_their_gap_is_negative(void **state)
{
    (void)state;
    random_source r = {11};
    for (int k = 0; k < 3000; ++k) {
        const situation s = (situation)(k % SITUATIONS);
        convex_trial t;
        convex_trial_begin(&t, &r, kinds[k / 7 % NKIND], kinds[k / 42 % NKIND], s, any_scale(&r));
        const dp_placed a = dp_place(&t.shape[0], t.pose[0]), b = dp_place(&t.shape[1], t.pose[1]);
        const double gap = convex_trial_distance(&t).gap;
        if (fabs(gap) > 1e-12 * t.size) { // nearer than this they touch to round-off
            assert_int_equal(dp_convex_overlap(&a, &b, NULL), gap < 0.0);
        }
        convex_trial_end(&t);
    }
}

static void the_normal_is_the_gradient_of_the_gap(void **state)
{
    (void)state;
    random_source r = {12};
    for (int k = 0; k < 1500; ++k) {
        const situation s = k % 2 == 0 ? ANYHOW : DEEP;
        convex_trial t;
        convex_trial_begin(&t, &r, kinds[k / 2 % NKIND], kinds[k / 12 % NKIND], s, any_scale(&r));
        const dp_v3 p = t.pose[1].p;
        const dp_distance d = convex_trial_distance(&t);
        double direction[3];
        random_direction(direction, 3, &r);
        const double h = 1e-6 * t.size;
        double gap[2];
        bool same = true;
        for (int i = 0; i < 2; ++i) {
            t.pose[1].p = dp_v3_madd(p, i == 0 ? h : -h, dp_v3_load(direction));
            const dp_distance e = convex_trial_distance(&t);
            gap[i] = e.gap;
            same = same && dp_v3_dot(e.normal, d.normal) > 1.0 - 1e-6; // no kink within reach
        }
        const double slope = (gap[0] - gap[1]) / (2.0 * h);
        // The gap bends with a radius of at least 1e-3 of the size where the normal turns so
        // little: the third derivative is below 1e6, times h².
        if (same) {
            assert_near(slope, dp_v3_dot(d.normal, dp_v3_load(direction)), 1e-6);
        }
        convex_trial_end(&t);
    }
}

// Push B through the contact in steps of round-off: nothing may flicker.
static void passes_through_zero_gap(const dp_shape *a, const dp_shape *b, dp_pose X_WA,
                                    dp_pose X_WB)
{
    const dp_distance first = distance(a, X_WA, b, X_WB);
    X_WB.p = dp_v3_madd(X_WB.p, -first.gap, first.normal);
    const dp_v3 p = X_WB.p;
    for (int k = -40; k <= 40; ++k) {
        const double off = k * 1e-16 * (1.0 + k * k); // to ±6.4e-12
        X_WB.p = dp_v3_madd(p, off, first.normal);
        const dp_distance d = distance(a, X_WA, b, X_WB);
        assert_near(d.gap, off, 5e-15); // round-off of sizes up to 3
        assert_true(dp_v3_dot(d.normal, first.normal) > 1.0 - 1e-12);
    }
}

static void nothing_flickers_where_faces_and_edges_touch(void **state)
{
    (void)state;
    const double c = cos(0.3), s = sin(0.3);
    const dp_quat tilted = {c, 0.6 * s, 0.64 * s, 0.48 * s}, flat = {c, 0.0, 0.0, s};
    const dp_shape box = box_shape(0.5, 0.7, 0.3), slab = box_shape(2.0, 2.0, 0.3);
    const dp_shape rod = box_shape(0.1, 1.0, 0.1), beam = box_shape(1.0, 0.1, 0.1);
    const dp_shape cylinder = cylinder_shape(0.4, 0.6), egg = ellipsoid_shape(0.3, 0.5, 0.8);
    const dp_pose below = pose_at(0.0, 0.0, 0.0);
    passes_through_zero_gap(&slab, &box, below, (dp_pose){tilted, {0.1, 0.05, 1.2}});  // a vertex
    passes_through_zero_gap(&box, &box, below, (dp_pose){flat, {0.1, 0.05, 1.2}});     // faces
    passes_through_zero_gap(&box, &cylinder, below, (dp_pose){flat, {0.1, 0.0, 2.0}}); // its cap
    passes_through_zero_gap(&box, &cylinder, below,
                            (dp_pose){{sqrt(0.5), sqrt(0.5), 0.0, 0.0}, {0.1, 0.0, 2.0}}); // side
    passes_through_zero_gap(&box, &cylinder, below, (dp_pose){tilted, {0.1, 0.0, 2.0}});   // rim
    passes_through_zero_gap(&box, &egg, below, (dp_pose){tilted, {0.1, 0.0, 2.0}});
    passes_through_zero_gap(&egg, &egg, below, (dp_pose){tilted, {0.3, 0.4, 2.0}});
    passes_through_zero_gap(&cylinder, &egg, below, (dp_pose){tilted, {1.5, 0.2, 0.1}});
    const dp_pose standing = {{cos(0.4), sin(0.4), 0.0, 0.0}, {0.0, 0.0, 0.0}};
    const dp_pose crossing = {{cos(1.2), sin(1.2), 0.0, 0.0}, {0.35, 0.0, 0.1}};
    passes_through_zero_gap(&rod, &rod, standing, crossing);
    const dp_pose edge_up = {{cos(0.4), 0.0, sin(0.4), 0.0}, {0.0, 0.0, 0.0}};
    const dp_pose edge_down = {{cos(0.4), sin(0.4), 0.0, 0.0}, {0.05, 0.02, 0.5}};
    passes_through_zero_gap(&rod, &beam, edge_up, edge_down); // two edges
}

static void shapes_with_one_middle_are_ambiguous(void **state)
{
    (void)state;
    const dp_shape shape[5] = {sphere_shape(0.5), capsule_shape(0.3, 0.5), cylinder_shape(0.4, 0.7),
                               ellipsoid_shape(0.3, 0.5, 0.8), box_shape(0.3, 0.6, 0.5)};
    // The least half width of each, all along axes, is what two of them sum up to.
    const double least[5] = {0.5, 0.3, 0.4, 0.3, 0.3};
    const dp_pose middle = pose_at(1.0, 2.0, 3.0);
    for (int i = 0; i < 5; ++i) {
        for (int j = 0; j < 5; ++j) {
            const dp_distance d = distance(&shape[i], middle, &shape[j], middle);
            assert_true(d.ambiguous);
            assert_sound(&d, 2.0);
            assert_true(d.gap <= -least[i] - least[j] + 1e-14);
        }
        const dp_distance ball = distance(&shape[i], middle, &shape[0], middle);
        assert_near(ball.gap, -least[i] - 0.5, 1e-14);
    }
}

static void a_pair_with_one_way_out_is_not_ambiguous(void **state)
{
    (void)state;
    const dp_shape box = box_shape(1.0, 1.0, 1.0), small = box_shape(0.2, 0.2, 0.2);
    const dp_shape round = cylinder_shape(0.2, 0.2);
    // Parallel faces: everything of the common face is as near, but along one normal.
    const dp_distance d = distance(&box, pose_at(0, 0, 0), &small, pose_at(0.1, 0.2, 0.9));
    assert_false(d.ambiguous);
    assert_near(d.gap, -0.3, 1e-15);
    assert_near(d.normal.z, 1.0, 1e-15);
    const dp_distance e = distance(&box, pose_at(0, 0, 0), &round, pose_at(0.1, 0.2, 0.9));
    assert_false(e.ambiguous);
    assert_near(e.gap, -0.3, 1e-15);
}

static void a_fine_hull_is_as_far_as_its_vertices_say(void **state)
{
    random_source r = {13};
    const dp_mesh ball = icosphere_mesh(*state, 1.0, 3); // 642 vertices: walks
    dp_hull h;
    assert_int_equal(dp_hull_build(&h, *state, &ball), DP_OK);
    const dp_shape fine = {.kind = DP_GEOM_MESH, .hull = &h};
    for (int k = 0; k < 300; ++k) {
        double x[3], q[4];
        random_direction(x, 3, &r);
        random_direction(q, 4, &r);
        const dp_pose X = {dp_quat_load(q), dp_v3_scale(dp_v3_load(x), random_between(&r, 0.1, 3))};
        const dp_distance d = distance(&fine, pose_at(0, 0, 0), &fine, X);
        assert_sound(&d, 2.0);
        double most = -INFINITY, least = INFINITY; // along the normal, by all vertices
        for (int i = 0; i < h.nvertex; ++i) {
            const dp_v3 v = dp_mesh_vertex(&ball, i);
            most = fmax(most, dp_v3_dot(d.normal, v));
            least = fmin(least, dp_v3_dot(d.normal, dp_pose_apply(X, v)));
        }
        assert_near(d.gap, least - most, 1e-14);
        // Two balls around what the hull approximates: heights of its faces are above 0.98.
        const double centres = dp_v3_norm(X.p);
        assert_in_range((d.gap - centres + 2.0) * 1e6, 0, 0.04 * 1e6);
    }
}

static void no_random_query_hits_the_cap(void **state)
{
    (void)state;
    random_source r = {14};
    for (int k = 0; k < 10000; ++k) {
        const situation s = (situation)(k % SITUATIONS);
        convex_trial t;
        // Hulls take longer to make than to ask.
        const int n = k % 10 == 0 ? NKIND : NKIND - 1;
        convex_trial_begin(&t, &r, kinds[random_below(&r, n)], kinds[random_below(&r, n)], s,
                           any_scale(&r));
        const dp_distance d = convex_trial_distance(&t);
        assert_sound(&d, t.size);
        convex_trial_end(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_agree_with_every_axis_and_every_pair_of_features),
        cmocka_unit_test(hulls_agree_with_every_axis_and_every_pair_of_features),
        cmocka_unit_test(curved_shapes_agree_with_the_definition_of_the_gap),
        cmocka_unit_test(a_ball_is_as_far_from_an_ellipsoid_as_lagrange_says),
        cmocka_unit_test(swapping_turns_the_answer_to_the_last_bit),
        cmocka_unit_test(moving_both_changes_round_off_only),
        cmocka_unit_test(memory_saves_iterations_and_changes_round_off_only),
        cmocka_unit_test(memory_of_other_shapes_does_no_harm),
        cmocka_unit_test(polyhedra_that_overlap_and_hardly_move_need_few_iterations),
        cmocka_unit_test(polyhedra_that_come_apart_forget_their_polytope),
        cmocka_unit_test(a_polytope_that_is_not_closed_proves_nothing),
        cmocka_unit_test(beyond_the_limit_the_gap_is_a_lower_bound_that_exceeds_it),
        cmocka_unit_test(shapes_overlap_when_their_gap_is_negative),
        cmocka_unit_test(the_normal_is_the_gradient_of_the_gap),
        cmocka_unit_test(nothing_flickers_where_faces_and_edges_touch),
        cmocka_unit_test(shapes_with_one_middle_are_ambiguous),
        cmocka_unit_test(a_pair_with_one_way_out_is_not_ambiguous),
        cmocka_unit_test(a_fine_hull_is_as_far_as_its_vertices_say),
        cmocka_unit_test(no_random_query_hits_the_cap),
    };
    return cmocka_run_group_tests(tests, open_pool, close_pool);
}
