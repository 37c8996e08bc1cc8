// Along a motion nothing jumps: neither the gap, nor what a manifold of springs would push with.
#include "shape_draw.h"

#include <math.h>

enum { MOTIONS = 40, PUSHES = 300, STEPS = 60, HALVINGS = 40 };

// B on a smooth path through the pose it was drawn at; A stands still.
typedef struct motion {
    drawn_pair pair;
    double axis[3], along[3], turn, shift; // [rad], [m] at t = 1
    double margin;                         // of contacts
} motion;

static dp_pose pose_at(const motion *m, double t)
{
    const double half = 0.5 * m->turn * t, s = sin(half);
    const dp_quat q = m->pair.pose[1].q;
    const dp_quat r = {cos(half), s * m->axis[0], s * m->axis[1], s * m->axis[2]};
    const dp_quat c = {r.w * q.w - r.x * q.x - r.y * q.y - r.z * q.z,
                       r.w * q.x + r.x * q.w + r.y * q.z - r.z * q.y,
                       r.w * q.y - r.x * q.z + r.y * q.w + r.z * q.x,
                       r.w * q.z + r.x * q.y - r.y * q.x + r.z * q.w};
    const dp_v3 p = m->pair.pose[1].p;
    const double d = m->shift * t;
    return (dp_pose){c, {p.x + d * m->along[0], p.y + d * m->along[1], p.z + d * m->along[2]}};
}

static motion draw_motion(int a, int b, draw_situation s, double reach, random_source *r)
{
    motion m;
    draw_pair(&m.pair, (const dp_geom_kind[2]){(dp_geom_kind)a, (dp_geom_kind)b}, s, r);
    random_direction(m.axis, 3, r);
    random_direction(m.along, 3, r);
    m.turn = reach * random_between(r, -1.0, 1.0);
    m.shift = reach * m.pair.size * random_between(r, -1.0, 1.0);
    m.margin = 0.02 * m.pair.size;
    return m;
}

static dp_distance distance_at(const motion *m, double t, dp_pair_memory *memory)
{
    dp_distance d;
    assert_int_equal(dp_shapes_distance(&d, &m->pair.shape[0], m->pair.pose[0], &m->pair.shape[1],
                                        pose_at(m, t), (double)INFINITY, memory),
                     DP_OK);
    return d;
}

static void the_gap_changes_no_faster_than_the_shapes_move(void **state)
{
    (void)state;
    random_source r = {10};
    int jumps = 0;
    for (int a = 0; a < DRAW_KINDS; ++a) {
        for (int b = a > 0 ? a : 1; b < DRAW_KINDS; ++b) {
            for (int i = 0; i < MOTIONS; ++i) {
                const motion m = draw_motion(a, b, (draw_situation)(i % DRAW_SITUATIONS), 1.0, &r);
                const double fastest =
                    fabs(m.shift) + fabs(m.turn) * (double)reference_radius(&m.pair.body[1]);
                dp_pair_memory memory = {.count = 0};
                double before = distance_at(&m, 0.0, &memory).gap;
                for (int k = 1; k <= STEPS; ++k) {
                    const double now = distance_at(&m, (double)k / STEPS, &memory).gap;
                    const double most = fastest / STEPS + 1e-11 * (m.pair.size + fabs(now));
                    if (!(fabs(now - before) <= most) && jumps++ < 10) {
                        print_error("%s–%s %s #%d at %d: from %g to %g, at most by %g\n", KIND[a],
                                    KIND[b], DRAW_NAME[i % DRAW_SITUATIONS], i, k, before, now,
                                    most);
                    }
                    before = now;
                }
            }
        }
    }
    assert_int_equal(jumps, 0);
}

// What springs of the manifold would do: force and moment about the place of A, and the normal.
typedef struct push {
    double force, moment[3];
    dp_v3 normal;
} push;

static push push_at(const motion *m, double t)
{
    dp_contact_point point[DP_PATCH_POINTS];
    dp_contact_buffer found = {.point = point, .capacity = DP_PATCH_POINTS};
    assert_int_equal(dp_shapes_contacts(&found, &m->pair.shape[0], m->pair.pose[0],
                                        &m->pair.shape[1], pose_at(m, t), m->margin, NULL),
                     DP_OK);
    push sum = {.force = 0.0};
    double weight = 0.0;
    for (int i = 0; i < found.count; ++i) {
        const double f = point[i].weight * fmax(0.0, -point[i].gap);
        const dp_v3 x = point[i].point, p = m->pair.pose[0].p;
        sum.force += f;
        sum.moment[0] += f * (x.x - p.x);
        sum.moment[1] += f * (x.y - p.y);
        sum.moment[2] += f * (x.z - p.z);
        sum.normal = point[i].normal;
        weight += point[i].weight;
        assert_true(point[i].weight >= 0.0 && point[i].gap < m->margin);
    }
    assert_true(found.count == 0 || fabs(weight - 1.0) < 1e-12);
    return sum;
}

// In units of force: the moment's arm is the size.
static double change(const push *a, const push *b, double size)
{
    double most = fabs(a->force - b->force);
    for (int i = 0; i < 3; ++i) {
        most = fmax(most, fabs(a->moment[i] - b->moment[i]) / size);
    }
    return most;
}

static double normal_change(const push *a, const push *b)
{
    return fabs(a->normal.x - b->normal.x) + fabs(a->normal.y - b->normal.y) +
           fabs(a->normal.z - b->normal.z);
}

// Halve the interval towards the larger change: what is left in the end is a jump.
static double jump_between(const motion *m, double t0, double t1, push *p0, push *p1)
{
    for (int i = 0; i < HALVINGS; ++i) {
        const double t = 0.5 * (t0 + t1);
        push middle = push_at(m, t);
        if (change(p0, &middle, m->pair.size) > change(&middle, p1, m->pair.size)) {
            t1 = t;
            *p1 = middle;
        } else {
            t0 = t;
            *p0 = middle;
        }
    }
    return change(p0, p1, m->pair.size);
}

// The largest jump of the push along a motion while the normal stays, in units of the size.
static double largest_jump(const motion *m, int *searched, int *kinks)
{
    double most = 0.0;
    push before = push_at(m, 0.0);
    for (int k = 1; k <= STEPS; ++k) {
        push now = push_at(m, (double)k / STEPS);
        push p0 = before, p1 = now;
        before = now;
        // In a step the shapes move by 3e-4 of the size; a smooth push changes by about as much.
        // More than that is looked into.
        if (change(&p0, &p1, m->pair.size) < 1e-4 * m->pair.size) {
            continue;
        }
        ++*searched;
        const double jump = jump_between(m, (k - 1.0) / STEPS, (double)k / STEPS, &p0, &p1);
        if (normal_change(&p0, &p1) > 1e-6) {
            ++*kinks; // another normal is the shortest separating direction from here on
        } else {
            most = fmax(most, jump / m->pair.size);
        }
    }
    return most;
}

// One of the two is round at least one way, and its face is never chosen among several.
static bool has_no_choice(int a, int b)
{
    return b != DP_GEOM_MESH &&
           (a == DP_GEOM_SPHERE || a == DP_GEOM_CAPSULE || a == DP_GEOM_ELLIPSOID ||
            b == DP_GEOM_SPHERE || b == DP_GEOM_CAPSULE || b == DP_GEOM_ELLIPSOID);
}

// Polyhedra at 45° show another face, and of more than eight corners others are left out: both are
// choices, and rare.
static void the_push_of_a_manifold_hardly_ever_jumps_while_its_normal_stays(void **state)
{
    (void)state;
    random_source r = {11};
    static const draw_situation situation[] = {DRAW_PARALLEL, DRAW_SHALLOW, DRAW_EDGES};
    int jumps = 0, motions = 0, kinks = 0, searched = 0, without_choice = 0;
    double most = 0.0;
    for (int a = 0; a < DRAW_KINDS; ++a) {
        for (int b = a > 0 ? a : 1; b < DRAW_KINDS; ++b) {
            for (int i = 0; i < PUSHES && pair_wanted(a, b); ++i) {
                const motion m = draw_motion(a, b, situation[i % 3], 0.02, &r);
                const double jump = largest_jump(&m, &searched, &kinks);
                ++motions;
                most = fmax(most, jump);
                if (jump > 1e-6) {
                    ++jumps;
                    without_choice += has_no_choice(a, b);
                    print_message("%s %s #%d: the push jumps by %g of the size\n",
                                  name_of_pair(a, b).text, DRAW_NAME[situation[i % 3]], i, jump);
                }
            }
        }
    }
    print_message("%d motions, %d with a jump; %d steps looked into, %d changes of the normal\n",
                  motions, jumps, searched, kinks);
    assert_int_equal(without_choice, 0);
    assert_in_range(jumps, 0, motions / 1000);
    assert_true(most < 0.01);
}

// Something resting on something, moved by 1e-12.
typedef struct resting {
    const char *what;
    dp_shape below, above;
    dp_pose X_below, X_above;
    int points; // expected; 0: not told
} resting;

static dp_pose perturbed(dp_pose X, double by, random_source *r)
{
    dp_quat q = X.q;
    q.w += by * random_between(r, -1.0, 1.0);
    q.x += by * random_between(r, -1.0, 1.0);
    q.y += by * random_between(r, -1.0, 1.0);
    q.z += by * random_between(r, -1.0, 1.0);
    const double n = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    X.q = (dp_quat){q.w / n, q.x / n, q.y / n, q.z / n};
    X.p.x += by * random_between(r, -1.0, 1.0);
    X.p.y += by * random_between(r, -1.0, 1.0);
    X.p.z += by * random_between(r, -1.0, 1.0);
    return X;
}

static const dp_contact_point *find(const dp_contact_point *point, int count, uint64_t feature)
{
    for (int i = 0; i < count; ++i) {
        if (point[i].feature == feature) {
            return &point[i];
        }
    }
    return NULL;
}

static void check_resting(const resting *c, random_source *r)
{
    const double margin = 0.01, by = 1e-12;
    dp_contact_point first[DP_PATCH_POINTS];
    dp_contact_buffer at_rest = {.point = first, .capacity = DP_PATCH_POINTS};
    // Not exactly flat to begin with: as a step leaves it.
    const dp_pose X0 = perturbed(c->X_above, by, r);
    assert_int_equal(
        dp_shapes_contacts(&at_rest, &c->below, c->X_below, &c->above, X0, margin, NULL), DP_OK);
    if (c->points > 0 && at_rest.count != c->points) {
        print_error("%s: %d points (expected %d)\n", c->what, at_rest.count, c->points);
        fail();
    }
    for (int i = 0; i < 50; ++i) {
        dp_contact_point point[DP_PATCH_POINTS];
        dp_contact_buffer found = {.point = point, .capacity = DP_PATCH_POINTS};
        assert_int_equal(dp_shapes_contacts(&found, &c->below, c->X_below, &c->above,
                                            perturbed(c->X_above, by, r), margin, NULL),
                         DP_OK);
        if (found.count != at_rest.count) {
            print_error("%s: %d points become %d\n", c->what, at_rest.count, found.count);
            fail();
        }
        for (int k = 0; k < found.count; ++k) {
            const dp_contact_point *x = &point[k], *y = find(first, at_rest.count, x->feature);
            if (!y) {
                print_error("%s: a new feature %llx\n", c->what, (unsigned long long)x->feature);
                fail();
                return;
            }
            // Positions move by at most some times what the pose does, arms of a metre included.
            const double near = 100.0 * by;
            assert_near(x->gap, y->gap, near);
            assert_near(x->weight, y->weight, near);
            assert_near(x->point.x, y->point.x, near);
            assert_near(x->point.y, y->point.y, near);
            assert_near(x->point.z, y->point.z, near);
            assert_near(x->normal.x, y->normal.x, near);
            assert_near(x->normal.y, y->normal.y, near);
            assert_near(x->normal.z, y->normal.z, near);
        }
    }
}

static void what_rests_keeps_its_points_under_motions_of_1e_12(void **state)
{
    (void)state;
    random_source r = {12};
    double prism[3 * 10];
    for (int i = 0; i < 10; ++i) {
        prism[3 * i] = 0.5 * cos(6.283185307179586 * (i / 2) / 5);
        prism[3 * i + 1] = 0.5 * sin(6.283185307179586 * (i / 2) / 5);
        prism[3 * i + 2] = i % 2 ? 0.4 : -0.4;
    }
    dp_hull *hull;
    assert_int_equal(dp_hull_create(&hull, prism, 10, NULL), DP_OK);
    const dp_shape plane = {.kind = DP_GEOM_PLANE}, mesh = {.kind = DP_GEOM_MESH, .hull = hull};
    const dp_shape box = {.kind = DP_GEOM_BOX, .size = {0.5, 0.3, 0.2}};
    const dp_shape slab = {.kind = DP_GEOM_BOX, .size = {2.0, 2.0, 0.5}};
    const dp_shape can = {.kind = DP_GEOM_CYLINDER, .size = {0.3, 0.4}};
    const dp_shape rod = {.kind = DP_GEOM_CAPSULE, .size = {0.2, 0.5}};
    const double h = sqrt(0.5);
    const double tilt = 0.2; // about z
    const dp_quat turned = {cos(tilt), 0.0, 0.0, sin(tilt)}, lying = {h, h, 0.0, 0.0};
    const dp_pose here = {{1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    const resting all[] = {
        {"box on plane", plane, box, here, {turned, {0.1, 0.2, 0.2}}, 4},
        {"box pressed into plane", plane, box, here, {turned, {0.1, 0.2, 0.199}}, 4},
        {"box on slab", slab, box, here, {turned, {0.1, 0.2, 0.7}}, 4},
        {"box pressed into slab", slab, box, here, {turned, {0.1, 0.2, 0.6999}}, 4},
        {"box above slab", slab, box, here, {turned, {0.1, 0.2, 0.7001}}, 4},
        {"box on equal box, turned", box, box, here, {turned, {0.05, 0.02, 0.3999}}, 0},
        {"box beyond the edge of slab", slab, box, here, {turned, {1.9, 0.2, 0.6999}}, 0},
        {"cylinder on plane", plane, can, here, {turned, {0.1, 0.2, 0.3999}}, 0},
        {"cylinder on slab", slab, can, here, {turned, {0.1, 0.2, 0.8999}}, 0},
        {"cylinder on cylinder", can, can, here, {turned, {0.1, 0.05, 0.7999}}, 0},
        {"lying cylinder on slab", slab, can, here, {lying, {0.1, 0.2, 0.7999}}, 2},
        {"lying cylinder on plane", plane, can, here, {lying, {0.1, 0.2, 0.2999}}, 2},
        {"lying capsule on slab", slab, rod, here, {lying, {0.1, 0.2, 0.6999}}, 2},
        {"lying capsule on plane", plane, rod, here, {lying, {0.1, 0.2, 0.1999}}, 2},
        {"capsule along capsule", rod, rod, here, {here.q, {0.3999, 0.0, 0.3}}, 2},
        {"prism on plane", plane, mesh, here, {turned, {0.1, 0.2, 0.3999}}, 5},
        {"prism on slab", slab, mesh, here, {turned, {0.1, 0.2, 0.8999}}, 5},
        {"prism on prism", mesh, mesh, here, {turned, {0.1, 0.05, 0.7999}}, 0},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        check_resting(&all[i], &r);
    }
    dp_hull_destroy(hull);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gap_changes_no_faster_than_the_shapes_move),
        cmocka_unit_test(the_push_of_a_manifold_hardly_ever_jumps_while_its_normal_stays),
        cmocka_unit_test(what_rests_keeps_its_points_under_motions_of_1e_12),
    };
    return cmocka_run_group_tests(tests, stock_fill, stock_clear);
}
