// The broad phase against comparing every box with every other.
#include "collide/broad/broad_phase.h"
#include "counting_allocator.h"
#include "mechanism.h"
#include "test_random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 240, PAIRS = N * N / 2 };

// What the broad phase was told, kept as a plain list.
typedef struct world {
    dp_broad_phase broad;
    dp_broad_kind kind[N];
    dp_bounds box[N];
    dp_v3 normal[N];
    double offset[N];
} world;

static world *make_world(int pairs, dp_broad_filter filter, const dp_allocator *allocator)
{
    world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    for (int i = 0; i < N; ++i) {
        w->kind[i] = DP_BROAD_ABSENT;
    }
    assert_ok(dp_broad_create(&w->broad, N, pairs, filter, NULL, allocator));
    return w;
}

static void free_world(world *w)
{
    dp_broad_destroy(&w->broad);
    free(w);
}

static void put(world *w, int id, dp_broad_kind kind, dp_bounds box)
{
    w->kind[id] = kind;
    w->box[id] = box;
    assert_ok(dp_broad_put(&w->broad, id, kind, box));
}

static void put_plane(world *w, int id, dp_v3 normal, double offset)
{
    w->kind[id] = DP_BROAD_PLANE;
    w->normal[id] = normal;
    w->offset[id] = offset;
    assert_ok(dp_broad_put_plane(&w->broad, id, normal, offset));
}

static void drop(world *w, int id)
{
    w->kind[id] = DP_BROAD_ABSENT;
    dp_broad_remove(&w->broad, id);
}

static bool apart(double a_low, double a_high, double b_low, double b_high)
{
    return a_high < b_low || b_high < a_low;
}

static double least(double n, double low, double high)
{
    return n == 0.0 ? 0.0 : fmin(n * low, n * high);
}

static bool overlap(const world *w, int i, int j)
{
    if (w->kind[j] == DP_BROAD_PLANE) {
        return overlap(w, j, i);
    }
    const dp_bounds *b = &w->box[j];
    if (w->kind[i] == DP_BROAD_PLANE) {
        const dp_v3 n = w->normal[i];
        return least(n.x, b->low.x, b->high.x) + least(n.y, b->low.y, b->high.y) +
                   least(n.z, b->low.z, b->high.z) <=
               w->offset[i];
    }
    const dp_bounds *a = &w->box[i];
    return !apart(a->low.x, a->high.x, b->low.x, b->high.x) &&
           !apart(a->low.y, a->high.y, b->low.y, b->high.y) &&
           !apart(a->low.z, a->high.z, b->low.z, b->high.z);
}

static bool can_pair(const world *w, int i, int j)
{
    const dp_broad_kind a = w->kind[i], b = w->kind[j];
    const bool paired =
        a != DP_BROAD_ABSENT && b != DP_BROAD_ABSENT && a != DP_BROAD_QUIET && b != DP_BROAD_QUIET;
    return paired && (a == DP_BROAD_MOVING || b == DP_BROAD_MOVING);
}

static int brute_force(dp_id_pair *out, const world *w)
{
    int n = 0;
    for (int i = 0; i < N; ++i) {
        for (int j = i + 1; j < N; ++j) {
            const dp_broad_filter filter = w->broad.filter;
            if (can_pair(w, i, j) && overlap(w, i, j) && (!filter || filter(NULL, i, j))) {
                out[n++] = (dp_id_pair){i, j};
            }
        }
    }
    return n;
}

static void assert_same_pairs(world *w)
{
    static dp_id_pair expected[PAIRS];
    const int nexpected = brute_force(expected, w);
    const dp_id_pair *pair;
    int count;
    assert_ok(dp_broad_pairs(&pair, &count, &w->broad));
    assert_int_equal(count, nexpected);
    assert_true(count == 0 || memcmp(pair, expected, (size_t)count * sizeof *pair) == 0);
}

// Every node holds its children, and none leans too much.
static int check_node(const dp_dynamic_tree *tree, int at)
{
    const dp_tree_node *node = &tree->node[at];
    if (node->child[0] < 0) {
        assert_int_equal(node->height, 0);
        return 1;
    }
    int leaves = 0, height[2];
    for (int k = 0; k < 2; ++k) {
        const dp_tree_node *child = &tree->node[node->child[k]];
        assert_int_equal(child->parent, at);
        assert_true(dp_sides_contain(&node->box, &child->box));
        leaves += check_node(tree, node->child[k]);
        height[k] = child->height;
    }
    assert_true(abs(height[0] - height[1]) <= DP_DYNAMIC_LEAN);
    assert_int_equal(node->height, 1 + (height[0] > height[1] ? height[0] : height[1]));
    return leaves;
}

static void assert_sound_trees(const world *w)
{
    for (int k = 0; k < DP_BROAD_TREES; ++k) {
        int expected = 0;
        for (int i = 0; i < N; ++i) {
            expected += w->kind[i] == (dp_broad_kind)k;
        }
        const dp_dynamic_tree *tree = &w->broad.tree[k];
        assert_int_equal(tree->root < 0 ? 0 : check_node(tree, tree->root), expected);
    }
}

static dp_bounds box_at(dp_v3 centre, dp_v3 half)
{
    return (dp_bounds){{centre.x - half.x, centre.y - half.y, centre.z - half.z},
                       {centre.x + half.x, centre.y + half.y, centre.z + half.z}};
}

static dp_v3 random_point(random_source *r, double reach)
{
    const double x = random_between(r, -reach, reach), y = random_between(r, -reach, reach);
    return (dp_v3){x, y, random_between(r, -reach, reach)};
}

static dp_v3 random_half(random_source *r, double longest)
{
    const double x = random_between(r, 0.0, longest), y = random_between(r, 0.0, longest);
    return (dp_v3){x, y, random_between(r, 0.0, longest)};
}

static dp_broad_kind random_kind(random_source *r)
{
    const int k = random_below(r, 10);
    return k < 7 ? DP_BROAD_MOVING : k < 9 ? DP_BROAD_FIXED : DP_BROAD_QUIET;
}

static void fill(world *w, random_source *r, double reach, double longest)
{
    for (int i = 0; i < N; ++i) {
        if (i % 40 == 17) {
            double n[3];
            random_direction(n, 3, r);
            put_plane(w, i, (dp_v3){n[0], n[1], n[2]}, random_between(r, -reach, reach));
        } else {
            put(w, i, random_kind(r), box_at(random_point(r, reach), random_half(r, longest)));
        }
    }
}

static void random_boxes_pair_as_by_brute_force(void **state)
{
    (void)state;
    random_source r = {1};
    for (int draw = 0; draw < 30; ++draw) {
        world *w = make_world(PAIRS, NULL, NULL);
        fill(w, &r, 1.0, draw % 3 == 0 ? 0.02 : 0.3);
        assert_same_pairs(w);
        assert_sound_trees(w);
        free_world(w);
    }
}

static void clusters_pair_as_by_brute_force(void **state)
{
    (void)state;
    random_source r = {2};
    world *w = make_world(PAIRS, NULL, NULL);
    for (int i = 0; i < N; ++i) {
        const dp_v3 heap = {1e3 * (i % 4), 0.0, 0.0};
        const dp_v3 at = random_point(&r, 0.3);
        put(w, i, random_kind(&r),
            box_at((dp_v3){heap.x + at.x, at.y, at.z}, random_half(&r, 0.1)));
    }
    assert_same_pairs(w);
    assert_sound_trees(w);
    free_world(w);
}

static dp_bounds shifted(dp_bounds b, dp_v3 by)
{
    return (dp_bounds){{b.low.x + by.x, b.low.y + by.y, b.low.z + by.z},
                       {b.high.x + by.x, b.high.y + by.y, b.high.z + by.z}};
}

static void boxes_that_move_jump_come_and_go_pair_as_by_brute_force(void **state)
{
    (void)state;
    random_source r = {3};
    world *w = make_world(PAIRS, NULL, NULL);
    fill(w, &r, 1.0, 0.1);
    dp_v3 velocity[N];
    for (int i = 0; i < N; ++i) {
        velocity[i] = random_point(&r, i % 5 == 0 ? 0.2 : 0.01); // some are fast
    }
    for (int step = 0; step < 300; ++step) {
        for (int i = 0; i < N; ++i) {
            if (w->kind[i] == DP_BROAD_MOVING || (w->kind[i] < DP_BROAD_TREES && step % 20 == 0)) {
                velocity[i] = step % 50 == 49 ? (dp_v3){0.0, 0.0, 0.0} : velocity[i];
                put(w, i, w->kind[i], shifted(w->box[i], velocity[i]));
            }
        }
        const int who = random_below(&r, N);
        if (step % 3 == 0) {
            drop(w, who);
        } else if (step % 7 == 0) {
            put_plane(w, who, (dp_v3){0.0, 0.6, 0.8}, random_between(&r, -2.0, 1.0));
        } else {
            put(w, who, random_kind(&r), box_at(random_point(&r, 1.0), random_half(&r, 0.2)));
        }
        assert_same_pairs(w);
    }
    assert_sound_trees(w);
    free_world(w);
}

static void degenerate_boxes_pair_as_by_brute_force(void **state)
{
    (void)state;
    random_source r = {4};
    world *w = make_world(PAIRS, NULL, NULL);
    const double scale[] = {0.0, 1e-300, 1e-6, 1.0, 1e6, 1e200, 1e308, INFINITY};
    for (int i = 0; i < N; ++i) {
        const double s = scale[i % 8];
        const dp_v3 at = i % 3 == 0 ? (dp_v3){0.5, 0.5, 0.5} : random_point(&r, 1.0);
        put(w, i, i % 4 == 3 ? DP_BROAD_FIXED : DP_BROAD_MOVING,
            box_at(at, (dp_v3){s, i % 5 ? s : 0.0, s}));
    }
    put_plane(w, 7, (dp_v3){0.0, 0.0, 1.0}, 0.5);
    for (int step = 0; step < 5; ++step) {
        assert_same_pairs(w);
        for (int i = 0; i < N; i += 2) {
            put(w, i, DP_BROAD_MOVING, shifted(w->box[i], random_point(&r, 0.1)));
        }
    }
    assert_sound_trees(w);
    free_world(w);
}

static void equal_boxes_all_pair_and_keep_the_tree_low(void **state)
{
    (void)state;
    world *w = make_world(PAIRS, NULL, NULL);
    const dp_bounds one = {{0.0, 0.0, 0.0}, {1.0, 1.0, 1.0}};
    for (int i = 0; i < N; ++i) {
        put(w, i, DP_BROAD_MOVING, one);
    }
    assert_same_pairs(w);
    assert_sound_trees(w);
    const dp_dynamic_tree *tree = &w->broad.tree[DP_BROAD_MOVING];
    assert_true(tree->node[tree->root].height <= 2.2 * log2(N + 2.0));
    free_world(w);
}

static void boxes_in_a_row_keep_the_tree_low(void **state)
{
    (void)state;
    world *w = make_world(PAIRS, NULL, NULL);
    for (int i = 0; i < N; ++i) { // each further and larger than all before: the worst order
        const double at = ldexp(1.0, i);
        put(w, i, DP_BROAD_MOVING, box_at((dp_v3){at, 0.0, 0.0}, (dp_v3){at / 8, 1.0, 1.0}));
    }
    assert_same_pairs(w);
    assert_sound_trees(w);
    const dp_dynamic_tree *tree = &w->broad.tree[DP_BROAD_MOVING];
    assert_true(tree->node[tree->root].height <= 2.2 * log2(N + 2.0));
    free_world(w);
}

static void boxes_that_share_a_face_overlap(void **state)
{
    (void)state;
    world *w = make_world(PAIRS, NULL, NULL);
    put(w, 0, DP_BROAD_MOVING, (dp_bounds){{0.0, 0.0, 0.0}, {1.0, 1.0, 1.0}});
    put(w, 1, DP_BROAD_FIXED, (dp_bounds){{1.0, 0.0, 0.0}, {2.0, 1.0, 1.0}});
    put(w, 2, DP_BROAD_MOVING, (dp_bounds){{-1.0, 0.0, 0.0}, {nextafter(0.0, -1.0), 1.0, 1.0}});
    const dp_id_pair *pair;
    int count;
    assert_ok(dp_broad_pairs(&pair, &count, &w->broad));
    assert_int_equal(count, 1);
    assert_int_equal(pair[0].a, 0);
    assert_int_equal(pair[0].b, 1);
    free_world(w);
}

static void the_answer_does_not_depend_on_the_order_of_insertion(void **state)
{
    (void)state;
    random_source r = {5};
    world *one = make_world(PAIRS, NULL, NULL), *other = make_world(PAIRS, NULL, NULL);
    fill(one, &r, 1.0, 0.2);
    for (int k = 0; k < N; ++k) {
        const int i = (k * 77 + 5) % N; // 77 and 240 have no common divisor
        put(other, i, DP_BROAD_MOVING, box_at(random_point(&r, 3.0), random_half(&r, 1.0)));
        if (one->kind[i] == DP_BROAD_PLANE) {
            put_plane(other, i, one->normal[i], one->offset[i]);
        } else {
            put(other, i, one->kind[i], one->box[i]);
        }
        if (k % 50 == 0) {
            assert_same_pairs(other);
        }
    }
    const dp_id_pair *a, *b;
    int na, nb;
    assert_ok(dp_broad_pairs(&a, &na, &one->broad));
    assert_ok(dp_broad_pairs(&b, &nb, &other->broad));
    assert_true(na > 0);
    assert_int_equal(na, nb);
    assert_memory_equal(a, b, (size_t)na * sizeof *a);
    free_world(one);
    free_world(other);
}

static bool odd_sums(const void *context, int a, int b)
{
    (void)context;
    assert_true(a < b);
    return (a + b) % 2 == 1;
}

static void the_filter_has_its_say(void **state)
{
    (void)state;
    random_source r = {6};
    world *w = make_world(PAIRS, odd_sums, NULL);
    fill(w, &r, 1.0, 0.4);
    for (int step = 0; step < 20; ++step) {
        assert_same_pairs(w);
        for (int i = 0; i < N; i += 3) {
            if (w->kind[i] < DP_BROAD_TREES) {
                put(w, i, w->kind[i], shifted(w->box[i], random_point(&r, 0.05)));
            }
        }
    }
    free_world(w);
}

static void too_many_pairs_are_counted_and_lost_by_nobody(void **state)
{
    (void)state;
    random_source r = {7};
    world *w = make_world(3, NULL, NULL);
    fill(w, &r, 1.0, 0.2);
    static dp_id_pair expected[PAIRS];
    const int needed = brute_force(expected, w);
    const dp_id_pair *pair;
    int count;
    assert_int_equal(dp_broad_pairs(&pair, &count, &w->broad), DP_ERROR_CAPACITY);
    assert_null(pair);
    assert_int_equal(count, needed);
    char number[32];
    snprintf(number, sizeof number, "needed: %d", needed);
    assert_non_null(strstr(dp_last_error(), number));
    // Room for the pairs alone suffices, though pairs of fat boxes are more.
    assert_ok(dp_broad_reserve(&w->broad, needed));
    for (int step = 0; step < 10; ++step) {
        assert_same_pairs(w);
        put(w, 0, w->kind[0], w->box[0]);
    }
    assert_ok(dp_broad_reserve(&w->broad, 4 * needed));
    assert_same_pairs(w);
    assert_same_pairs(w);
    free_world(w);
}

static void impossible_boxes_are_refused_and_change_nothing(void **state)
{
    (void)state;
    random_source r = {8};
    world *w = make_world(PAIRS, NULL, NULL);
    fill(w, &r, 1.0, 0.2);
    const dp_bounds bad[] = {
        {{NAN, 0.0, 0.0}, {1.0, 1.0, 1.0}},
        {{0.0, 0.0, 0.0}, {1.0, NAN, 1.0}},
        {{0.0, 0.0, 2.0}, {1.0, 1.0, 1.0}},
        {{INFINITY, 0.0, 0.0}, {INFINITY, 1.0, 1.0}},
        {{-INFINITY, 0.0, 0.0}, {-INFINITY, 1.0, 1.0}},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        assert_int_equal(dp_broad_put(&w->broad, 3, DP_BROAD_MOVING, bad[k]), DP_ERROR_ARGUMENT);
        assert_non_null(strstr(dp_last_error(), "box 3"));
    }
    const dp_bounds good = {{0.0, 0.0, 0.0}, {1.0, 1.0, 1.0}};
    assert_int_equal(dp_broad_put(&w->broad, N, DP_BROAD_MOVING, good), DP_ERROR_ARGUMENT);
    assert_int_equal(dp_broad_put(&w->broad, -1, DP_BROAD_MOVING, good), DP_ERROR_ARGUMENT);
    const dp_v3 up = {0.0, 0.0, 1.0};
    assert_int_equal(dp_broad_put_plane(&w->broad, 3, up, NAN), DP_ERROR_ARGUMENT);
    assert_int_equal(dp_broad_put_plane(&w->broad, 3, (dp_v3){NAN, 0.0, 0.0}, 0.0),
                     DP_ERROR_ARGUMENT);
    dp_broad_remove(&w->broad, N + 5);
    assert_same_pairs(w);
    free_world(w);
}

static void moving_and_asking_allocate_nothing(void **state)
{
    (void)state;
    random_source r = {9};
    counting_allocator counts = {0};
    const dp_allocator allocator = counting_allocator_for(&counts);
    world *w = make_world(PAIRS, NULL, &allocator);
    const size_t calls = counts.calls;
    fill(w, &r, 1.0, 0.2);
    for (int step = 0; step < 50; ++step) {
        assert_same_pairs(w);
        for (int i = 0; i < N; ++i) {
            if (w->kind[i] == DP_BROAD_MOVING) {
                put(w, i, DP_BROAD_MOVING, shifted(w->box[i], random_point(&r, 0.1)));
            }
        }
    }
    assert_int_equal(counts.calls, calls);
    free_world(w);
    assert_int_equal(counts.blocks, 0);
    assert_int_equal(counts.wrong_sizes, 0);
}

static void an_allocation_that_fails_leaves_nothing_behind(void **state)
{
    (void)state;
    for (size_t k = 1; k < 20; ++k) {
        counting_allocator counts = {.fail_at = k};
        const dp_allocator allocator = counting_allocator_for(&counts);
        dp_broad_phase broad;
        dp_status status = dp_broad_create(&broad, N, 10, NULL, NULL, &allocator);
        if (status == DP_OK) {
            status = dp_broad_reserve(&broad, 1000);
            assert_int_equal(broad.pair_capacity, status == DP_OK ? 1000 : 10);
            dp_broad_destroy(&broad);
        }
        assert_true(status == DP_OK || status == DP_ERROR_MEMORY);
        assert_int_equal(status == DP_OK, counts.calls < k);
        assert_int_equal(counts.blocks, 0);
    }
}

typedef struct visits {
    const world *w;
    dp_bounds box;
    dp_v3 origin, direction;
    int seen[N];
} visits;

static bool note_visit(void *context, int id)
{
    ++((visits *)context)->seen[id];
    return true;
}

static void a_box_that_asks_meets_what_it_overlaps_once(void **state)
{
    (void)state;
    random_source r = {10};
    world *w = make_world(PAIRS, NULL, NULL);
    fill(w, &r, 1.0, 0.2);
    for (int draw = 0; draw < 200; ++draw) {
        visits v = {.box = box_at(random_point(&r, 1.0), random_half(&r, 0.5))};
        dp_broad_overlaps(&w->broad, &v.box, note_visit, &v);
        world asked = {.kind = {DP_BROAD_MOVING}, .box = {v.box}};
        for (int i = 0; i < N; ++i) {
            asked.kind[1] = w->kind[i];
            asked.box[1] = w->box[i];
            asked.normal[1] = w->normal[i];
            asked.offset[1] = w->offset[i];
            assert_int_equal(v.seen[i], overlap(&asked, 0, 1));
        }
    }
    free_world(w);
}

static double note_meeting(void *context, int id, double limit)
{
    ++((visits *)context)->seen[id];
    return limit;
}

// Points along the ray, close together: a box that holds one of them must have been met.
static void a_ray_meets_every_box_on_its_way(void **state)
{
    (void)state;
    random_source r = {11};
    world *w = make_world(PAIRS, NULL, NULL);
    fill(w, &r, 1.0, 0.2);
    int met = 0;
    for (int draw = 0; draw < 200; ++draw) {
        visits v = {.origin = random_point(&r, 1.0), .direction = random_point(&r, 1.0)};
        if (draw % 4 == 0) {
            v.direction = (dp_v3){0.0, 0.0, draw % 8 ? 1.0 : -1.0};
        }
        dp_broad_ray(&w->broad, v.origin, v.direction, 3.0, note_meeting, &v);
        for (int i = 0; i < N; ++i) {
            assert_true(v.seen[i] <= 1);
            bool within = false;
            for (int k = 0; k <= 600 && w->kind[i] < DP_BROAD_TREES; ++k) {
                const double t = k * 0.005;
                const dp_v3 x = {v.origin.x + t * v.direction.x, v.origin.y + t * v.direction.y,
                                 v.origin.z + t * v.direction.z};
                const dp_bounds b = w->box[i];
                within |= b.low.x <= x.x && x.x <= b.high.x && b.low.y <= x.y && x.y <= b.high.y &&
                          b.low.z <= x.z && x.z <= b.high.z;
            }
            assert_true(!within || v.seen[i]);
            met += within;
        }
    }
    assert_true(met > 100);
    free_world(w);
}

static void fly(double *x, double *step, double room)
{
    *x += *step;
    *step = fabs(*x) > room ? -*step : *step;
}

// Node pairs looked at per update, for a gas of n boxes in a room at one density.
static double visits_of_gas(int n)
{
    enum { UPDATES = 60 };
    random_source r = {12};
    dp_broad_phase b;
    assert_ok(dp_broad_create(&b, n, 8 * n, NULL, NULL, NULL));
    dp_v3 *place = calloc((size_t)n, sizeof *place), *way = calloc((size_t)n, sizeof *way);
    assert_true(place && way);
    const double room = 0.5 * cbrt(5.0 * n);
    for (int i = 0; i < n; ++i) {
        place[i] = random_point(&r, room);
        way[i] = random_point(&r, 0.05);
    }
    long long before = 0;
    for (int update = 0; update < UPDATES; ++update) {
        before = update == UPDATES / 2 ? b.visits : before; // when the tree has settled
        for (int i = 0; i < n; ++i) {
            fly(&place[i].x, &way[i].x, room);
            fly(&place[i].y, &way[i].y, room);
            fly(&place[i].z, &way[i].z, room);
            const dp_v3 half = {0.5, 0.5, 0.5};
            assert_ok(dp_broad_put(&b, i, DP_BROAD_MOVING, box_at(place[i], half)));
        }
        const dp_id_pair *pair;
        int count;
        assert_ok(dp_broad_pairs(&pair, &count, &b));
    }
    const double mean = (double)(b.visits - before) / (UPDATES / 2);
    free(place);
    free(way);
    dp_broad_destroy(&b);
    return mean;
}

// Large enough that few boxes are at the walls, where there is less to meet.
static void the_work_grows_no_faster_than_n_log_n(void **state)
{
    (void)state;
    const double few = visits_of_gas(2000), many = visits_of_gas(16000);
    assert_true(few > 2000.0);
    assert_true(many / few < 8.0 * log(16000.0) / log(2000.0));
}

// All go far and have many neighbours: if each looked ahead as a box alone does, there would be
// five times as many candidates as pairs.
static void boxes_of_a_heap_that_falls_look_less_far_ahead(void **state)
{
    (void)state;
    enum { SIDE = 6, HEAP = SIDE * SIDE * SIDE, UPDATES = 30 };
    world *w = make_world(12 * HEAP, NULL, NULL);
    const dp_v3 half = {0.55, 0.55, 0.55};
    for (int update = 0; update < UPDATES; ++update) {
        for (int i = 0; i < HEAP; ++i) {
            const dp_v3 at = {i % SIDE, i / SIDE % SIDE, i / (SIDE * SIDE) - 0.5 * update};
            put(w, i, DP_BROAD_MOVING, box_at(at, half));
        }
        assert_same_pairs(w);
    }
    assert_true(w->broad.npair > 5 * HEAP);
    assert_false(w->broad.stale);
    assert_true(w->broad.ncandidate < 2 * w->broad.npair);
    free_world(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_boxes_pair_as_by_brute_force),
        cmocka_unit_test(clusters_pair_as_by_brute_force),
        cmocka_unit_test(boxes_that_move_jump_come_and_go_pair_as_by_brute_force),
        cmocka_unit_test(degenerate_boxes_pair_as_by_brute_force),
        cmocka_unit_test(equal_boxes_all_pair_and_keep_the_tree_low),
        cmocka_unit_test(boxes_in_a_row_keep_the_tree_low),
        cmocka_unit_test(boxes_that_share_a_face_overlap),
        cmocka_unit_test(the_answer_does_not_depend_on_the_order_of_insertion),
        cmocka_unit_test(the_filter_has_its_say),
        cmocka_unit_test(too_many_pairs_are_counted_and_lost_by_nobody),
        cmocka_unit_test(impossible_boxes_are_refused_and_change_nothing),
        cmocka_unit_test(moving_and_asking_allocate_nothing),
        cmocka_unit_test(an_allocation_that_fails_leaves_nothing_behind),
        cmocka_unit_test(a_box_that_asks_meets_what_it_overlaps_once),
        cmocka_unit_test(a_ray_meets_every_box_on_its_way),
        cmocka_unit_test(the_work_grows_no_faster_than_n_log_n),
        cmocka_unit_test(boxes_of_a_heap_that_falls_look_less_far_ahead),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
