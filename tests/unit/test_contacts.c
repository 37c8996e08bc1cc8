// Contacts of a state and questions to the scene, against asking every pair of shapes in turn.
#include "counting_allocator.h"
#include "crowd.h"
#include "random_spec.h"
#include "test_random.h"

#include <dashpot/format.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4000 };

static double margin_of(const mechanism *x, int g)
{
    return dp_model_geom(x->m, (dp_geom_id){g}).contact.margin;
}

// All pairs that may touch, one after the other.
static int brute_force(dp_found_contact *out, const mechanism *x, double margin)
{
    const int ngeom = dp_model_sizes(x->m)->ngeom;
    int n = 0;
    for (int a = 0; a < ngeom; ++a) {
        for (int b = a + 1; b < ngeom; ++b) {
            const dp_geom_id A = {a}, B = {b};
            if (!dp_model_may_touch(x->m, A, B)) {
                continue;
            }
            const dp_shape s = crowd_shape(x, a), t = crowd_shape(x, b);
            dp_contact_point point[256];
            dp_contact_buffer buffer = {.point = point, .capacity = 256};
            assert_ok(dp_shapes_contacts(&buffer, &s, dp_geom_pose(x->d, A), &t,
                                         dp_geom_pose(x->d, B),
                                         margin_of(x, a) + margin_of(x, b) + margin, NULL));
            for (int k = 0; k < buffer.count; ++k) {
                assert_true(n < MOST);
                out[n++] = (dp_found_contact){.geom = {A, B}, .at = point[k]};
            }
        }
    }
    return n;
}

static bool same_point(const dp_found_contact *a, const dp_found_contact *b)
{
    return a->geom[0].index == b->geom[0].index && a->geom[1].index == b->geom[1].index &&
           a->at.feature == b->at.feature && a->at.patch == b->at.patch &&
           fabs(a->at.gap - b->at.gap) <= 1e-12 && fabs(a->at.weight - b->at.weight) <= 1e-9;
}

// Equal lists but for the order within a pair.
static void assert_same_contacts(const mechanism *x, double margin)
{
    static dp_found_contact expected[MOST];
    const int n = brute_force(expected, x, margin);
    assert_int_equal(dp_data_found_contact_count(x->d), n);
    for (int i = 0; i < n; ++i) {
        const dp_found_contact c = dp_data_found_contact(x->d, i);
        int found = 0;
        for (int k = 0; k < n; ++k) {
            found += same_point(&c, &expected[k]);
        }
        assert_int_equal(found, 1);
    }
}

static void assert_in_order(const dp_data *d)
{
    for (int i = 1; i < dp_data_found_contact_count(d); ++i) {
        const dp_found_contact a = dp_data_found_contact(d, i - 1), b = dp_data_found_contact(d, i);
        const int first = b.geom[0].index - a.geom[0].index;
        const int second = b.geom[1].index - a.geom[1].index;
        assert_true(first > 0 || (first == 0 && second > 0) ||
                    (first == 0 && second == 0 && b.at.feature >= a.at.feature));
        assert_true(b.geom[0].index < b.geom[1].index);
    }
}

static void contacts_are_those_of_all_pairs_of_shapes(void **state)
{
    (void)state;
    random_source r = {1};
    mechanism x = crowd_create(1);
    int points = 0;
    for (int draw = 0; draw < 20; ++draw) {
        const double margin = draw % 2 ? 0.03 : 0.0;
        crowd_scatter(&x, &r, 1.0);
        assert_ok(dp_find_contacts(x.d, &(dp_contact_search){.margin = margin}));
        assert_in_order(x.d);
        assert_same_contacts(&x, margin);
        points += dp_data_found_contact_count(x.d);
    }
    assert_true(points > 500);
    mechanism_end(&x);
}

static void contacts_depend_on_the_state_alone(void **state)
{
    (void)state;
    random_source r = {2};
    mechanism x = crowd_create(2);
    crowd_scatter(&x, &r, 1.0);
    dp_data *fresh;
    assert_ok(dp_data_create(&fresh, x.m, NULL));
    const dp_contact_search search = {.margin = 0.01, .seconds = 0.01};
    for (int draw = 0; draw < 10; ++draw) {
        crowd_scatter(&x, &r, 3.0); // one has been everywhere, the other only here
        assert_ok(dp_find_contacts(x.d, &(dp_contact_search){.margin = 0.2}));
        assert_ok(dp_find_contacts(x.d, &search));
    }
    assert_ok(dp_data_copy(fresh, x.d));
    assert_ok(dp_find_contacts(fresh, &search));
    const int n = dp_data_found_contact_count(x.d);
    assert_true(n > 10);
    assert_int_equal(dp_data_found_contact_count(fresh), n);
    for (int i = 0; i < n; ++i) {
        const dp_found_contact a = dp_data_found_contact(x.d, i),
                               b = dp_data_found_contact(fresh, i);
        assert_memory_equal(&a.at.point, &b.at.point, sizeof a.at.point);
        assert_memory_equal(&a.at.normal, &b.at.normal, sizeof a.at.normal);
        assert_memory_equal(&a.at.gap, &b.at.gap, sizeof a.at.gap);
        assert_true(a.at.feature == b.at.feature && a.margin == b.margin);
    }
    dp_data_destroy(fresh);
    mechanism_end(&x);
}

// Bodies creep so slowly that their boxes hold for many searches, then start off and creep again.
static void bodies_that_hardly_move_have_the_contacts_of_where_they_are(void **state)
{
    (void)state;
    random_source r = {7};
    mechanism x = crowd_create(7);
    crowd_scatter(&x, &r, 0.0);
    int points = 0;
    for (int step = 0; step < 60; ++step) {
        const double far = step % 20 == 19 ? 0.05 : 1e-6;
        double *q = dp_data_q(x.d);
        for (int i = 0; i < CROWD_BODIES; ++i) {
            for (int k = 0; k < 7; ++k) {
                q[7 * i + k] += random_between(&r, -far, far);
            }
        }
        const double margin = step % 7 == 0 ? 0.02 : 0.0;
        assert_ok(dp_find_contacts(x.d, &(dp_contact_search){.margin = margin}));
        assert_same_contacts(&x, margin);
        points += dp_data_found_contact_count(x.d);
    }
    assert_true(points > 500);
    mechanism_end(&x);
}

static void a_fast_body_is_seen_before_it_arrives(void **state)
{
    (void)state;
    mechanism x = mechanism_begin();
    assert_ok(dp_spec_allow(x.spec, "contact"));
    dp_geom_spec wall = dp_geom_spec_default();
    wall.kind = DP_GEOM_BOX;
    wall.size[0] = 0.01;
    wall.size[1] = wall.size[2] = 1.0;
    assert_ok(dp_spec_add_geom(NULL, x.spec, DP_WORLD, &wall));
    const dp_v3 zero = {0.0, 0.0, 0.0}, moments = {0.1, 0.1, 0.1};
    const dp_body_id body = mechanism_body(&x, DP_WORLD, "shot", zero, 1.0, zero, moments);
    mechanism_joint(&x, body, "flight", DP_JOINT_FREE, (dp_v3){0.0, 0.0, 1.0});
    dp_geom_spec ball = dp_geom_spec_default();
    ball.size[0] = 0.05;
    assert_ok(dp_spec_add_geom(NULL, x.spec, body, &ball));
    mechanism_compile(&x);
    const double q[] = {-1.06, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0};
    const double v[] = {600.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    mechanism_set(&x, q, v);
    assert_ok(dp_find_contacts(x.d, NULL));
    assert_int_equal(dp_data_found_contact_count(x.d), 0);
    assert_ok(dp_find_contacts(x.d, &(dp_contact_search){.seconds = 0.001})); // 0.6 m
    assert_int_equal(dp_data_found_contact_count(x.d), 0);
    assert_ok(dp_find_contacts(x.d, &(dp_contact_search){.seconds = 0.002})); // 1.2 m
    assert_int_equal(dp_data_found_contact_count(x.d), 1);
    const dp_found_contact c = dp_data_found_contact(x.d, 0);
    assert_near(c.at.gap, 1.0, 1e-12);
    assert_near(c.margin, 1.2, 1e-12);
    assert_near(c.at.normal.x, -1.0, 1e-15); // from the wall to the ball
    mechanism_end(&x);
}

// The margin of a ball on an arm, of a body with v and ω about z: how far it may come.
static void geoms_of_a_body_come_as_far_as_they_move_each(void **state)
{
    (void)state;
    mechanism x = mechanism_begin();
    assert_ok(dp_spec_allow(x.spec, "contact"));
    dp_geom_spec geom = dp_geom_spec_default();
    geom.kind = DP_GEOM_BOX;
    geom.size[0] = geom.size[1] = geom.size[2] = 1.0;
    assert_ok(dp_spec_add_geom(NULL, x.spec, DP_WORLD, &geom));
    const dp_v3 zero = {0.0, 0.0, 0.0}, moments = {0.1, 0.1, 0.1};
    const dp_body_id body = mechanism_body(&x, DP_WORLD, "arm", zero, 1.0, zero, moments);
    mechanism_joint(&x, body, "flight", DP_JOINT_FREE, (dp_v3){0.0, 0.0, 1.0});
    const double arm[] = {0.1, 0.2, 0.4}, radius[] = {0.05, 0.03, 0.02};
    for (int k = 0; k < 3; ++k) {
        geom.kind = DP_GEOM_SPHERE;
        geom.size[0] = radius[k];
        geom.pose.p = (dp_v3){0.0, arm[k], 0.0};
        assert_ok(dp_spec_add_geom(NULL, x.spec, body, &geom));
    }
    mechanism_compile(&x);
    const double h = 0.01, q[] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0};
    const double turn[] = {0.0, 3.0, -2.0, 0.0};
    for (int i = 0; i < 4; ++i) {
        const double w = turn[i], v[] = {0.5, 0.0, 0.2, 0.0, 0.0, w};
        mechanism_set(&x, q, v);
        assert_ok(dp_find_contacts(x.d, &(dp_contact_search){.seconds = h}));
        assert_int_equal(dp_data_found_contact_count(x.d), 3);
        for (int k = 0; k < 3; ++k) {
            const double speed = hypot(0.5 - w * arm[k], 0.2) + fabs(w) * radius[k];
            assert_near(dp_data_found_contact(x.d, k).margin, h * speed, 1e-12);
        }
    }
    mechanism_end(&x);
}

static void a_plane_that_turns_is_seen_where_it_sweeps(void **state)
{
    (void)state;
    mechanism x = mechanism_begin();
    assert_ok(dp_spec_allow(x.spec, "contact"));
    const dp_v3 zero = {0.0, 0.0, 0.0}, moments = {0.1, 0.1, 0.1}, up = {0.0, 0.0, 1.0};
    const dp_body_id table = mechanism_body(&x, DP_WORLD, "table", zero, 1.0, zero, moments);
    mechanism_joint(&x, table, "tilt", DP_JOINT_HINGE, (dp_v3){0.0, -1.0, 0.0});
    dp_geom_spec geom = dp_geom_spec_default();
    geom.kind = DP_GEOM_PLANE;
    geom.size[0] = geom.size[1] = geom.size[2] = 1.0;
    geom.mass = 0.0;
    assert_ok(dp_spec_add_geom(NULL, x.spec, table, &geom));
    const dp_v3 at = {2.0, 0.0, 0.35};
    const dp_body_id ball = mechanism_body(&x, DP_WORLD, "ball", at, 1.0, zero, moments);
    mechanism_joint(&x, ball, "lift", DP_JOINT_SLIDE, up);
    geom.kind = DP_GEOM_SPHERE;
    geom.size[0] = 0.1;
    assert_ok(dp_spec_add_geom(NULL, x.spec, ball, &geom));
    mechanism_compile(&x);
    mechanism_set(&x, (double[]){0.0, 0.0}, (double[]){1.0, 0.0}); // 2.03 m/s at the ball
    assert_ok(dp_find_contacts(x.d, &(dp_contact_search){.seconds = 0.1}));
    assert_int_equal(dp_data_found_contact_count(x.d), 0);
    assert_ok(dp_find_contacts(x.d, &(dp_contact_search){.seconds = 0.2}));
    assert_int_equal(dp_data_found_contact_count(x.d), 1);
    const dp_found_contact c = dp_data_found_contact(x.d, 0);
    assert_near(c.at.gap, 0.25, 1e-12);
    assert_near(c.margin, 0.2 * (hypot(2.0, 0.35) + 0.1), 1e-12);
    mechanism_end(&x);
}

static void a_pair_has_the_margin_that_is_given_for_it(void **state)
{
    (void)state;
    mechanism x = mechanism_begin();
    assert_ok(dp_spec_allow(x.spec, "contact"));
    const dp_v3 zero = {0.0, 0.0, 0.0}, moments = {0.1, 0.1, 0.1};
    for (int i = 0; i < 3; ++i) {
        const char *name[] = {"a", "b", "c"};
        const dp_v3 at = {0.25 * i, 0.0, 0.0}; // gaps of 0.05 m
        const dp_body_id body = mechanism_body(&x, DP_WORLD, name[i], at, 1.0, zero, moments);
        mechanism_joint(&x, body, name[i], DP_JOINT_FREE, (dp_v3){0.0, 0.0, 1.0});
        dp_geom_spec ball = dp_geom_spec_default();
        ball.name = name[i];
        ball.size[0] = 0.1;
        ball.contact.margin = 0.03;
        assert_ok(dp_spec_add_geom(NULL, x.spec, body, &ball));
    }
    mechanism_compile(&x);
    assert_ok(dp_find_contacts(x.d, NULL)); // 0.03 + 0.03 > 0.05
    assert_int_equal(dp_data_found_contact_count(x.d), 2);
    assert_near(dp_data_found_contact(x.d, 0).margin, 0.06, 1e-15);
    assert_int_equal(dp_data_found_contact(x.d, 0).pair.index, -1);
    dp_pair_spec pair = dp_pair_spec_default();
    pair.geom[0] = "b";
    pair.geom[1] = "a";
    pair.contact_given = true;
    pair.contact.margin = 0.01;
    assert_ok(dp_spec_add_pair(NULL, x.spec, &pair));
    pair.geom[0] = "a";
    pair.geom[1] = "c";
    pair.contact.margin = 0.35;
    assert_ok(dp_spec_add_pair(NULL, x.spec, &pair));
    dp_data_destroy(x.d);
    dp_model_destroy(x.m);
    mechanism_compile(&x);
    assert_ok(dp_find_contacts(x.d, NULL));
    assert_int_equal(dp_data_found_contact_count(x.d), 2); // a and c, b and c
    const dp_found_contact c = dp_data_found_contact(x.d, 0);
    assert_int_equal(c.geom[1].index, 2);
    assert_int_equal(c.pair.index, 1);
    assert_near(c.at.gap, 0.3, 1e-12);
    mechanism_end(&x);
}

typedef struct outcast {
    int geom, calls;
} outcast;

static bool leave_out(void *context, const dp_data *d, dp_geom_id a, dp_geom_id b)
{
    (void)d;
    outcast *o = context;
    assert_true(a.index < b.index);
    ++o->calls;
    return a.index != o->geom && b.index != o->geom;
}

static void the_users_filter_has_the_last_word(void **state)
{
    (void)state;
    random_source r = {4};
    mechanism x = crowd_create(4);
    crowd_scatter(&x, &r, 0.0);
    const dp_contact_search search = {.margin = 0.1};
    assert_ok(dp_find_contacts(x.d, &search));
    const int all = dp_data_found_contact_count(x.d);
    assert_true(all > 0);
    outcast o = {.geom = dp_data_found_contact(x.d, all / 2).geom[1].index};
    int its_own = 0;
    for (int i = 0; i < all; ++i) {
        const dp_found_contact c = dp_data_found_contact(x.d, i);
        its_own += c.geom[0].index == o.geom || c.geom[1].index == o.geom;
    }
    dp_data_set_contact_filter(x.d, leave_out, &o);
    assert_ok(dp_find_contacts(x.d, &search));
    assert_int_equal(dp_data_found_contact_count(x.d), all - its_own);
    assert_true(o.calls > 0);
    dp_data_set_contact_filter(x.d, NULL, NULL);
    dp_data_options(x.d)->disable_contact = true;
    assert_ok(dp_find_contacts(x.d, &search));
    assert_int_equal(dp_data_found_contact_count(x.d), 0);
    mechanism_end(&x);
}

static void room_runs_out_without_loss(void **state)
{
    (void)state;
    random_source r = {5};
    mechanism x = crowd_create(5);
    crowd_scatter(&x, &r, 0.0);
    assert_ok(dp_find_contacts(x.d, NULL));
    const int before = dp_data_found_contact_count(x.d);
    assert_true(before > 0);
    // Everything in one place: more pairs than there is room for at first.
    double *q = dp_data_q(x.d);
    for (int i = 0; i < CROWD_BODIES; ++i) {
        q[7 * i] = 0.01 * i;
        q[7 * i + 1] = q[7 * i + 2] = 0.0;
    }
    int rounds = 0;
    dp_status status;
    while ((status = dp_find_contacts(x.d, NULL)) == DP_ERROR_CAPACITY) {
        assert_non_null(strstr(dp_last_error(), "needed"));
        assert_int_equal(dp_data_found_contact_count(x.d), before);
        const dp_contact_room room = dp_data_contact_room(x.d);
        assert_true(room.needed_pairs > room.npair || room.needed_points > room.npoint);
        assert_ok(dp_data_reserve_contacts(x.d, room.needed_pairs, room.needed_points));
        assert_int_equal(dp_data_found_contact_count(x.d), before);
        assert_true(++rounds < 10);
    }
    assert_ok(status);
    assert_true(rounds > 0);
    assert_same_contacts(&x, 0.0);
    mechanism_end(&x);
}

// Boxes are wider than they must be where little comes of it, as at rest. Then all balls are fast
// at once: neither the step nor a search may run out of room that a fresh simulation has.
static void fast_bodies_need_the_same_room_whatever_was_before(void **state)
{
    (void)state;
    static const char balls[] =
        "<mujoco><option gravity='0 0 0' timestep='0.01'/><worldbody>"
        "<replicate count='8' offset='.3 0 0'><replicate count='8' offset='0 .3 0'>"
        "<replicate count='8' offset='0 0 .3'><body><freejoint/><geom type='sphere' size='.1'/>"
        "</body></replicate></replicate></replicate></worldbody></mujoco>";
    dp_spec *spec;
    dp_model *m;
    dp_data *d, *fresh;
    assert_ok(dp_mjcf_parse(&spec, NULL, balls, strlen(balls), "balls.xml", NULL));
    assert_ok(dp_model_compile(&m, spec));
    assert_ok(dp_data_create(&d, m, NULL));
    assert_ok(dp_data_create(&fresh, m, NULL));
    const dp_contact_search search = {.seconds = 0.01};
    for (int i = 0; i < 20; ++i) {
        assert_ok(dp_find_contacts(d, &search));
        assert_ok(dp_step(d));
    }
    const int nv = dp_model_sizes(m)->nv;
    for (int i = 0; i < nv; i += 6) {
        dp_data_v(d)[i] = dp_data_v(fresh)[i] = 20.0;
    }
    assert_ok(dp_find_contacts(fresh, &search));
    assert_ok(dp_find_contacts(d, &search));
    assert_int_equal(dp_data_found_contact_count(d), dp_data_found_contact_count(fresh));
    assert_ok(dp_step(d));
    dp_data_destroy(fresh);
    dp_data_destroy(d);
    dp_model_destroy(m);
    dp_spec_destroy(spec);
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    random_source r = {6};
    mechanism x = crowd_create(6);
    crowd_scatter(&x, &r, 0.0);
    assert_ok(dp_find_contacts(x.d, NULL));
    const int before = dp_data_found_contact_count(x.d);
    const dp_contact_search bad[] = {{-1.0, 0.0}, {NAN, 0.0}, {0.0, -1.0}, {0.0, INFINITY}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        assert_int_equal(dp_find_contacts(x.d, &bad[k]), DP_ERROR_ARGUMENT);
    }
    assert_int_equal(dp_data_reserve_contacts(x.d, -1, 0), DP_ERROR_ARGUMENT);
    dp_data_q(x.d)[3] = NAN;
    assert_int_equal(dp_find_contacts(x.d, NULL), DP_ERROR_NUMERIC);
    assert_int_equal(dp_place_geoms(x.d), DP_ERROR_NUMERIC);
    assert_int_equal(dp_data_found_contact_count(x.d), before);
    assert_int_equal(dp_data_found_contact(x.d, -1).geom[0].index, -1);
    assert_int_equal(dp_data_found_contact(x.d, before).body[1].index, -1);
    dp_distance distance;
    assert_int_equal(dp_geoms_distance(&distance, x.d, (dp_geom_id){-1}, (dp_geom_id){3}, 1.0),
                     DP_ERROR_ARGUMENT);
    assert_int_equal(dp_geoms_distance(&distance, x.d, (dp_geom_id){0}, (dp_geom_id){1}, 1.0),
                     DP_ERROR_ARGUMENT); // a plane and a height field
    mechanism_end(&x);
}

static void finding_contacts_allocates_nothing(void **state)
{
    (void)state;
    random_source r = {7};
    mechanism x = crowd_create(7);
    counting_allocator counts = {0};
    const dp_allocator allocator = counting_allocator_for(&counts);
    dp_data *d;
    assert_ok(dp_data_create(&d, x.m, &allocator));
    const size_t calls = counts.calls;
    mechanism other = {x.spec, x.m, d};
    for (int draw = 0; draw < 10; ++draw) {
        crowd_scatter(&other, &r, 1.0);
        assert_ok(dp_find_contacts(d, &(dp_contact_search){0.01, 0.01}));
    }
    assert_int_equal(counts.calls, calls);
    dp_data_destroy(d);
    assert_int_equal(counts.blocks, 0);
    mechanism_end(&x);
}

static void an_allocation_that_fails_leaves_everything_as_it_was(void **state)
{
    (void)state;
    random_source r = {12};
    mechanism x = crowd_create(12);
    bool done = false;
    for (size_t k = 1; !done; ++k) {
        counting_allocator counts = {.fail_at = k};
        const dp_allocator allocator = counting_allocator_for(&counts);
        dp_data *d;
        dp_status status = dp_data_create(&d, x.m, &allocator);
        assert_true(status == DP_OK || (status == DP_ERROR_MEMORY && !d));
        if (status == DP_OK) {
            mechanism other = {x.spec, x.m, d};
            crowd_scatter(&other, &r, 0.0);
            assert_ok(dp_find_contacts(d, NULL));
            const int before = dp_data_found_contact_count(d);
            const dp_contact_room room = dp_data_contact_room(d);
            status = dp_data_reserve_contacts(d, room.npair + 1000, room.npoint + 1000);
            assert_int_equal(dp_data_found_contact_count(d), before);
            assert_ok(dp_find_contacts(d, NULL));
            assert_int_equal(dp_data_found_contact_count(d), before);
            done = status == DP_OK;
            assert_true(done || status == DP_ERROR_MEMORY);
        }
        dp_data_destroy(d);
        assert_int_equal(counts.blocks, 0);
        assert_int_equal(counts.wrong_sizes, 0);
        assert_true(k < 100);
    }
    mechanism_end(&x);
}

static void a_shape_overlaps_what_its_pairs_say(void **state)
{
    (void)state;
    random_source r = {9};
    mechanism x = crowd_create(9);
    const int ngeom = dp_model_sizes(x.m)->ngeom;
    crowd_scatter(&x, &r, 0.0);
    assert_ok(dp_place_geoms(x.d));
    int found = 0;
    for (int draw = 0; draw < 50; ++draw) {
        const dp_shape box = {.kind = DP_GEOM_BOX, .size = {0.4, 0.3, 0.2}};
        const dp_pose pose = {{0.8, 0.0, 0.6, 0.0},
                              {random_between(&r, -2.0, 2.0), random_between(&r, -1.0, 1.0),
                               random_between(&r, -0.5, 1.0)}};
        dp_geom_id out[200];
        int count, expected = 0;
        assert_ok(dp_scene_overlap(out, 200, &count, x.d, &box, pose, NULL));
        for (int g = 0; g < ngeom; ++g) {
            const dp_shape shape = crowd_shape(&x, g);
            bool shared;
            assert_ok(
                dp_shapes_overlap(&shared, &box, pose, &shape, dp_geom_pose(x.d, (dp_geom_id){g})));
            if (shared) {
                assert_true(expected < count);
                assert_int_equal(out[expected++].index, g);
            }
        }
        assert_int_equal(count, expected);
        found += count;
        if (count > 1) {
            int again;
            assert_int_equal(dp_scene_overlap(out, 1, &again, x.d, &box, pose, NULL),
                             DP_ERROR_CAPACITY);
            assert_int_equal(again, count);
        }
    }
    assert_true(found > 20);
    mechanism_end(&x);
}

static void the_distance_of_geoms_is_that_of_their_shapes(void **state)
{
    (void)state;
    random_source r = {10};
    mechanism x = crowd_create(10);
    crowd_scatter(&x, &r, 0.0);
    assert_ok(dp_place_geoms(x.d));
    const dp_geom_id a = {4}, b = {9};
    const dp_shape s = crowd_shape(&x, 4), t = crowd_shape(&x, 9);
    dp_distance one, other;
    assert_ok(dp_geoms_distance(&one, x.d, a, b, INFINITY));
    assert_ok(dp_shapes_distance(&other, &s, dp_geom_pose(x.d, a), &t, dp_geom_pose(x.d, b),
                                 INFINITY, NULL));
    assert_true(one.gap == other.gap && one.normal.x == other.normal.x);
    mechanism_end(&x);
}

static void a_mesh_is_its_hull_where_it_moves_and_its_triangles_where_not(void **state)
{
    (void)state;
    mechanism x = crowd_create(11);
    const int ngeom = dp_model_sizes(x.m)->ngeom;
    const dp_hull *hull = NULL;
    for (int g = 0; g < ngeom; ++g) {
        const dp_shape shape = crowd_shape(&x, g);
        const bool fixed = dp_model_geom(x.m, (dp_geom_id){g}).body.index == 0;
        if (shape.kind == DP_GEOM_MESH) {
            assert_int_equal(shape.hull != NULL, !fixed);
            assert_int_equal(shape.surface != NULL, fixed);
            if (!fixed) { // one for all that show it
                assert_true(!hull || hull == shape.hull);
                hull = shape.hull;
            }
        }
        assert_int_equal(shape.terrain != NULL, shape.kind == DP_GEOM_HFIELD);
    }
    assert_non_null(hull);
    mechanism_end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_are_those_of_all_pairs_of_shapes),
        cmocka_unit_test(contacts_depend_on_the_state_alone),
        cmocka_unit_test(bodies_that_hardly_move_have_the_contacts_of_where_they_are),
        cmocka_unit_test(a_fast_body_is_seen_before_it_arrives),
        cmocka_unit_test(geoms_of_a_body_come_as_far_as_they_move_each),
        cmocka_unit_test(a_plane_that_turns_is_seen_where_it_sweeps),
        cmocka_unit_test(a_pair_has_the_margin_that_is_given_for_it),
        cmocka_unit_test(the_users_filter_has_the_last_word),
        cmocka_unit_test(room_runs_out_without_loss),
        cmocka_unit_test(fast_bodies_need_the_same_room_whatever_was_before),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(finding_contacts_allocates_nothing),
        cmocka_unit_test(an_allocation_that_fails_leaves_everything_as_it_was),
        cmocka_unit_test(a_shape_overlaps_what_its_pairs_say),
        cmocka_unit_test(the_distance_of_geoms_is_that_of_their_shapes),
        cmocka_unit_test(a_mesh_is_its_hull_where_it_moves_and_its_triangles_where_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
