// Pairs, excludes, tendons, equalities and transmissions: from spec to model, and left out safely.
#include "full_spec.h"
#include "mechanism.h"
#include "small_spec.h"
#include "test_random.h"

#include "model/model.h"
#include "model/spec/spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Ids of the full spec
enum { CART = 1, POLE, TIP, BALL, HAND };
enum { SLIDER, PIVOT };
enum { CART_BOX, POLE_ROD, BALL_BALL, BALL_MESH, TERRAIN, POST };
enum { TIP_SITE, POST_TOP, POST_SIDE, CART_SITE };
enum { SUM, ROPE };
enum { PIN, GRIP, GEAR, ROPES, STUCK };
enum { MOTOR, SERVO, WINCH, THRUSTER };

static dp_spec *full_spec(void)
{
    dp_spec *spec;
    assert_ok(full_spec_create(&spec, NULL));
    return spec;
}

static dp_model *compiled(dp_spec *spec)
{
    dp_model *m;
    assert_ok(dp_model_compile(&m, spec));
    dp_spec_destroy(spec);
    return m;
}

// The spec compiles only with an error of this kind, whose message has this text.
static void assert_poses_near(dp_pose a, dp_pose b, double tolerance)
{
    assert_near(a.p.x, b.p.x, tolerance);
    assert_near(a.p.y, b.p.y, tolerance);
    assert_near(a.p.z, b.p.z, tolerance);
    const double same = a.q.w * b.q.w + a.q.x * b.q.x + a.q.y * b.q.y + a.q.z * b.q.z;
    assert_near(fabs(same), 1.0, tolerance);
}

// Round trips

static void sizes_count_every_kind(void **state)
{
    (void)state;
    dp_spec *spec = full_spec();
    assert_int_equal(dp_spec_mesh_count(spec), 2);
    assert_int_equal(dp_spec_hfield_count(spec), 1);
    assert_int_equal(dp_spec_pair_count(spec), 1);
    assert_int_equal(dp_spec_exclude_count(spec), 1);
    assert_int_equal(dp_spec_tendon_count(spec), 2);
    assert_int_equal(dp_spec_equality_count(spec), 5);
    dp_model *m = compiled(spec);
    const dp_model_size *n = dp_model_sizes(m);
    assert_int_equal(n->nmesh, 2);
    assert_int_equal(n->nhfield, 1);
    assert_int_equal(n->npair, 1);
    assert_int_equal(n->nexclude, 1);
    assert_int_equal(n->ntendon, 2);
    assert_int_equal(n->nequality, 5);
    assert_int_equal(n->nu, 4);
    dp_model_destroy(m);
}

static void a_pair_has_the_numbers_of_its_geoms(void **state)
{
    (void)state;
    dp_model *m = compiled(full_spec());
    dp_pair_id id;
    assert_ok(dp_model_find_pair(&id, m, "grip"));
    const dp_pair_info pair = dp_model_pair(m, id);
    assert_int_equal(pair.geom[0].index, BALL_BALL);
    assert_int_equal(pair.geom[1].index, CART_BOX);
    assert_true(pair.friction[0] == 0.5 && pair.friction[4] == -1.0);
    assert_true(pair.contact_given);
    assert_int_equal(pair.contact.condim, 4);
    assert_true(pair.contact.solref[0] == 0.02 && pair.contact.solimp[4] == 2.0);
    dp_model_destroy(m);
}

static void an_exclude_has_the_numbers_of_its_bodies(void **state)
{
    (void)state;
    dp_model *m = compiled(full_spec());
    dp_exclude_id id;
    assert_ok(dp_model_find_exclude(&id, m, "apart"));
    const dp_exclude_info exclude = dp_model_exclude(m, id);
    assert_int_equal(exclude.body[0].index, CART);
    assert_int_equal(exclude.body[1].index, POLE);
    dp_model_destroy(m);
}

static void a_fixed_tendon_is_a_sum_over_joints(void **state)
{
    (void)state;
    dp_model *m = compiled(full_spec());
    dp_tendon_id id;
    assert_ok(dp_model_find_tendon(&id, m, "sum"));
    const dp_tendon_info tendon = dp_model_tendon(m, id);
    assert_false(tendon.spatial);
    assert_int_equal(tendon.nwrap, 2);
    assert_true(tendon.spring_range[0] == -1.0);
    const dp_wrap_info second = dp_model_tendon_wrap(m, id, 1);
    assert_int_equal(second.kind, DP_WRAP_JOINT);
    assert_int_equal(second.object, PIVOT);
    assert_true(second.coefficient == -0.5);
    assert_int_equal(dp_model_tendon_wrap(m, id, 2).object, -1);
    dp_model_destroy(m);
}

static void a_spatial_tendon_knows_the_stations_of_its_path(void **state)
{
    (void)state;
    dp_model *m = compiled(full_spec());
    const dp_tendon_id rope = {ROPE};
    const dp_tendon_info tendon = dp_model_tendon(m, rope);
    assert_true(tendon.spatial && tendon.limited && tendon.range[1] == 3.0);
    const dp_wrap_info expected[6] = {
        {DP_WRAP_SITE, POST_TOP, {-1}, 0.0},  {DP_WRAP_GEOM, POST, {POST_SIDE}, 0.0},
        {DP_WRAP_SITE, TIP_SITE, {-1}, 0.0},  {DP_WRAP_PULLEY, -1, {-1}, 2.0},
        {DP_WRAP_SITE, CART_SITE, {-1}, 0.0}, {DP_WRAP_SITE, POST_TOP, {-1}, 0.0}};
    assert_int_equal(tendon.nwrap, 6);
    for (int k = 0; k < 6; ++k) {
        const dp_wrap_info wrap = dp_model_tendon_wrap(m, rope, k);
        assert_int_equal(wrap.kind, expected[k].kind);
        assert_int_equal(wrap.object, expected[k].object);
        assert_int_equal(wrap.side.index, expected[k].side.index);
        assert_true(wrap.coefficient == expected[k].coefficient);
    }
    dp_model_destroy(m);
}

static void equalities_of_joints_and_tendons_keep_their_polynomials(void **state)
{
    (void)state;
    dp_spec *spec = full_spec();
    dp_spec_equality(spec, (dp_equality_id){GEAR})->polynomial[2] = 0.25;
    dp_model *m = compiled(spec);
    const dp_equality_info gear = dp_model_equality(m, (dp_equality_id){GEAR});
    assert_int_equal(gear.kind, DP_EQUALITY_JOINT);
    assert_int_equal(gear.object[0], PIVOT);
    assert_int_equal(gear.object[1], SLIDER);
    assert_true(gear.polynomial[1] == 1.0 && gear.polynomial[2] == 0.25);
    const dp_equality_info ropes = dp_model_equality(m, (dp_equality_id){ROPES});
    assert_int_equal(ropes.object[0], ROPE);
    assert_int_equal(ropes.object[1], SUM);
    const dp_equality_info stuck = dp_model_equality(m, (dp_equality_id){STUCK});
    assert_int_equal(stuck.object[1], -1);
    assert_false(stuck.active);
    dp_model_destroy(m);
}

// Two bodies with poses that are nothing special, and a child of the first.
static dp_spec *three_bodies(void)
{
    dp_spec *spec;
    assert_ok(dp_spec_create(&spec, NULL));
    assert_ok(dp_spec_allow(spec, "equality"));
    const dp_body_id a = add_ball_body(spec, DP_WORLD, "a");
    const dp_body_id b = add_ball_body(spec, DP_WORLD, "b");
    const dp_body_id c = add_ball_body(spec, a, "c");
    add_joint(spec, a, "ja", DP_JOINT_FREE);
    add_joint(spec, b, "jb", DP_JOINT_HINGE);
    add_joint(spec, c, "jc", DP_JOINT_HINGE);
    dp_spec_joint(spec, (dp_joint_id){2})->ref = 0.7; // poses are at the reference
    dp_spec_body(spec, a)->pose = (dp_pose){{0.2, 0.4, -0.4, 0.8}, {1.0, 2.0, 3.0}};
    dp_spec_body(spec, b)->pose = (dp_pose){{0.7, 0.1, 0.5, -0.5}, {-1.0, 0.5, 0.0}};
    dp_spec_body(spec, c)->pose = (dp_pose){{0.8, 0.0, 0.6, 0.0}, {0.0, 0.3, 0.0}};
    return spec;
}

// Where the two frames of an equality are, with all joints at their reference.
static void frames_in_world(dp_pose X[2], const mechanism *x, const dp_equality_info *e)
{
    for (int k = 0; k < 2; ++k) {
        X[k] = dp_pose_mul(dp_body_pose(x->d, (dp_body_id){e->object[k]}), e->frame[k]);
    }
}

static void a_connect_holds_a_point_where_the_bodies_have_it(void **state)
{
    (void)state;
    dp_spec *spec = three_bodies();
    dp_equality_spec connect = dp_equality_spec_default();
    connect.object[0] = "c", connect.object[1] = "b";
    connect.anchor = (dp_v3){0.3, -0.2, 0.1};
    assert_ok(dp_spec_add_equality(NULL, spec, &connect));
    connect.object[0] = "b", connect.object[1] = NULL; // the world
    assert_ok(dp_spec_add_equality(NULL, spec, &connect));
    mechanism x = mechanism_from(spec);
    assert_ok(dp_kinematics(x.d));
    for (int i = 0; i < 2; ++i) {
        const dp_equality_info e = dp_model_equality(x.m, (dp_equality_id){i});
        dp_pose X[2];
        frames_in_world(X, &x, &e);
        assert_true(e.frame[0].p.x == 0.3 && e.frame[0].p.y == -0.2 && e.frame[0].p.z == 0.1);
        assert_near(X[0].p.x, X[1].p.x, 1e-14);
        assert_near(X[0].p.y, X[1].p.y, 1e-14);
        assert_near(X[0].p.z, X[1].p.z, 1e-14);
    }
    assert_int_equal(dp_model_equality(x.m, (dp_equality_id){1}).object[1], 0);
    mechanism_end(&x);
}

static void a_weld_holds_bodies_as_described_or_as_given(void **state)
{
    (void)state;
    dp_spec *spec = three_bodies();
    dp_equality_spec weld = dp_equality_spec_default();
    weld.kind = DP_EQUALITY_WELD;
    weld.object[0] = "a", weld.object[1] = "b";
    weld.anchor = (dp_v3){0.0, 0.25, 0.0};
    assert_ok(dp_spec_add_equality(NULL, spec, &weld));
    weld.relative_given = true;
    weld.relative = (dp_pose){{0.0, 3.0, 0.0, 0.0}, {0.5, 0.0, 0.0}}; // half a turn about x
    assert_ok(dp_spec_add_equality(NULL, spec, &weld));
    mechanism x = mechanism_from(spec);
    assert_ok(dp_kinematics(x.d));
    const dp_equality_info described = dp_model_equality(x.m, (dp_equality_id){0});
    dp_pose X[2];
    frames_in_world(X, &x, &described);
    assert_poses_near(X[0], X[1], 1e-14);
    assert_true(described.frame[1].p.y == 0.25);
    assert_true(described.torque_scale == 1.0);

    const dp_equality_info given = dp_model_equality(x.m, (dp_equality_id){1});
    assert_poses_near(given.frame[1], (dp_pose){{1.0, 0.0, 0.0, 0.0}, {0.0, 0.25, 0.0}}, 1e-15);
    assert_poses_near(given.frame[0], (dp_pose){{0.0, 1.0, 0.0, 0.0}, {0.5, -0.25, 0.0}}, 1e-15);
    mechanism_end(&x);
}

static void a_distance_is_given_or_that_between_the_points_as_described(void **state)
{
    (void)state;
    dp_spec *spec = three_bodies();
    dp_equality_spec rod = dp_equality_spec_default();
    rod.kind = DP_EQUALITY_DISTANCE;
    rod.object[0] = "a", rod.object[1] = "b";
    rod.anchor = (dp_v3){0.0, 0.25, 0.0};
    rod.second_anchor = (dp_v3){0.5, 0.0, 0.0};
    assert_ok(dp_spec_add_equality(NULL, spec, &rod));
    rod.distance = 0.75;
    assert_ok(dp_spec_add_equality(NULL, spec, &rod));
    mechanism x = mechanism_from(spec);
    assert_ok(dp_kinematics(x.d));
    const dp_equality_info described = dp_model_equality(x.m, (dp_equality_id){0});
    dp_pose X[2];
    frames_in_world(X, &x, &described);
    assert_near(described.distance, dp_v3_norm(dp_v3_sub(X[1].p, X[0].p)), 1e-14);
    assert_true(described.frame[0].p.y == 0.25 && described.frame[1].p.x == 0.5);
    assert_true(dp_model_equality(x.m, (dp_equality_id){1}).distance == 0.75);
    mechanism_end(&x);
}

static void a_plane_goes_through_its_point_or_is_given(void **state)
{
    (void)state;
    dp_spec *spec = three_bodies();
    dp_equality_spec plane = dp_equality_spec_default();
    plane.kind = DP_EQUALITY_PLANE;
    plane.object[0] = "a", plane.object[1] = "b";
    plane.anchor = (dp_v3){0.0, 0.25, 0.0};
    assert_ok(dp_spec_add_equality(NULL, spec, &plane));
    plane.relative_given = true;
    plane.relative = (dp_pose){{0.0, 3.0, 0.0, 0.0}, {0.5, 0.0, 0.0}}; // half a turn about x
    assert_ok(dp_spec_add_equality(NULL, spec, &plane));
    mechanism x = mechanism_from(spec);
    assert_ok(dp_kinematics(x.d));
    const dp_equality_info described = dp_model_equality(x.m, (dp_equality_id){0});
    dp_pose X[2];
    frames_in_world(X, &x, &described);
    const dp_pose through_the_point = {dp_body_pose(x.d, (dp_body_id){described.object[0]}).q,
                                       X[1].p};
    assert_poses_near(X[0], through_the_point, 1e-14);
    const dp_equality_info given = dp_model_equality(x.m, (dp_equality_id){1});
    assert_poses_near(given.frame[0], (dp_pose){{0.0, 1.0, 0.0, 0.0}, {0.5, 0.0, 0.0}}, 1e-15);
    assert_true(given.frame[1].p.y == 0.25);
    mechanism_end(&x);
}

static void sites_are_held_by_the_bodies_they_are_on(void **state)
{
    (void)state;
    dp_model *m = compiled(full_spec());
    const dp_equality_info grip = dp_model_equality(m, (dp_equality_id){GRIP});
    assert_int_equal(grip.kind, DP_EQUALITY_WELD);
    assert_int_equal(grip.object[0], TIP);
    assert_int_equal(grip.object[1], 0);
    assert_true(grip.frame[1].p.x == -1.0 && grip.frame[1].p.z == 2.0);
    dp_model_destroy(m);
}

static void actuators_know_what_they_drive(void **state)
{
    (void)state;
    dp_model *m = compiled(full_spec());
    const dp_actuator_info motor = dp_model_actuator(m, (dp_actuator_id){MOTOR});
    assert_int_equal(motor.transmission, DP_TRANSMISSION_JOINT);
    assert_int_equal(motor.joint.index, SLIDER);
    assert_int_equal(motor.tendon.index, -1);
    const dp_actuator_info winch = dp_model_actuator(m, (dp_actuator_id){WINCH});
    assert_int_equal(winch.transmission, DP_TRANSMISSION_TENDON);
    assert_int_equal(winch.tendon.index, ROPE);
    assert_int_equal(winch.joint.index, -1);
    const dp_actuator_info thruster = dp_model_actuator(m, (dp_actuator_id){THRUSTER});
    assert_int_equal(thruster.transmission, DP_TRANSMISSION_SITE);
    assert_int_equal(thruster.site.index, TIP_SITE);
    assert_int_equal(thruster.reference_site.index, POST_TOP);
    dp_model_destroy(m);
}

static void the_spec_copies_paths_and_names(void **state)
{
    (void)state;
    dp_spec *spec;
    assert_ok(dp_spec_create(&spec, NULL));
    char joint[] = "knee", body[] = "thigh", site[] = "toe";
    dp_wrap_spec wrap = {.kind = DP_WRAP_GEOM, .object = joint, .side = site, .coefficient = 2.0};
    dp_tendon_spec tendon = dp_tendon_spec_default();
    tendon.wrap = &wrap, tendon.nwrap = 1;
    assert_ok(dp_spec_add_tendon(NULL, spec, &tendon));
    dp_exclude_spec exclude = {.body = {body, body}};
    assert_ok(dp_spec_add_exclude(NULL, spec, &exclude));
    dp_actuator_spec actuator = dp_actuator_spec_default();
    actuator.transmission = DP_TRANSMISSION_SITE;
    actuator.site = site;
    assert_ok(dp_spec_add_actuator(NULL, spec, &actuator));
    dp_geom_spec geom = dp_geom_spec_default();
    geom.mesh = body;
    assert_ok(dp_spec_add_geom(NULL, spec, DP_WORLD, &geom));
    joint[0] = body[0] = site[0] = '?';
    wrap.coefficient = 7.0;

    const dp_wrap_spec *kept = dp_spec_tendon(spec, (dp_tendon_id){0})->wrap;
    assert_string_equal(kept->object, "knee");
    assert_string_equal(kept->side, "toe");
    assert_true(kept->coefficient == 2.0);
    assert_string_equal(dp_spec_exclude(spec, (dp_exclude_id){0})->body[1], "thigh");
    assert_string_equal(dp_spec_actuator(spec, (dp_actuator_id){0})->site, "toe");
    assert_string_equal(dp_spec_geom(spec, (dp_geom_id){0})->mesh, "thigh");
    assert_null(dp_spec_tendon(spec, (dp_tendon_id){1}));
    assert_null(dp_spec_equality(spec, (dp_equality_id){0}));
    dp_spec_destroy(spec);
}

static void ids_out_of_range_give_empty_answers(void **state)
{
    (void)state;
    dp_model *m = compiled(full_spec());
    assert_string_equal(dp_model_pair(m, (dp_pair_id){1}).name, "");
    assert_string_equal(dp_model_exclude(m, (dp_exclude_id){-1}).name, "");
    assert_string_equal(dp_model_tendon(m, (dp_tendon_id){2}).name, "");
    assert_string_equal(dp_model_equality(m, (dp_equality_id){5}).name, "");
    assert_int_equal(dp_model_tendon_wrap(m, (dp_tendon_id){2}, 0).object, -1);
    dp_equality_id id;
    assert_int_equal(dp_model_find_equality(&id, m, "gera"), DP_ERROR_ARGUMENT);
    assert_string_equal(dp_last_error(), "no equality 'gera' (did you mean 'gear'?)");
    dp_model_destroy(m);
}

static void every_enumeration_has_names(void **state)
{
    (void)state;
    assert_string_equal(dp_geom_kind_name(DP_GEOM_MESH), "mesh");
    assert_string_equal(dp_geom_kind_name(DP_GEOM_HFIELD), "hfield");
    assert_string_equal(dp_object_kind_name(DP_OBJECT_TENDON), "tendon");
    assert_string_equal(dp_mesh_inertia_name(DP_MESH_INERTIA_SHELL), "shell");
    assert_string_equal(dp_transmission_name(DP_TRANSMISSION_SITE), "site");
    assert_string_equal(dp_wrap_kind_name(DP_WRAP_PULLEY), "pulley");
    assert_string_equal(dp_equality_kind_name(DP_EQUALITY_CONNECT), "connect");
    assert_string_equal(dp_equality_kind_name(DP_EQUALITY_DISTANCE), "distance");
    assert_string_equal(dp_equality_kind_name(DP_EQUALITY_PLANE), "plane");
    assert_string_equal(dp_equality_kind_name((dp_equality_kind)9), "unknown");
    assert_string_equal(dp_element_kind_name(DP_ELEMENT_EXCLUDE), "exclude");
}

// What is not simulated

// A spec with one tendon over the joint of one body, which does nothing.
static dp_spec *idle_tendon(void)
{
    dp_spec *spec;
    assert_ok(dp_spec_create(&spec, NULL));
    add_joint(spec, add_ball_body(spec, DP_WORLD, "arm"), "elbow", DP_JOINT_HINGE);
    const dp_wrap_spec wrap = {.kind = DP_WRAP_JOINT, .object = "elbow", .coefficient = 1.0};
    dp_tendon_spec tendon = dp_tendon_spec_default();
    tendon.name = "string";
    tendon.wrap = &wrap, tendon.nwrap = 1;
    assert_ok(dp_spec_add_tendon(NULL, spec, &tendon));
    return spec;
}

static void a_tendon_that_does_nothing_may_stay(void **state)
{
    (void)state;
    dp_model_destroy(compiled(idle_tendon()));
}

// Of what is simulated, permissions take nothing away: every bit of the motion stays.
static void to_allow_what_is_simulated_changes_nothing(void **state)
{
    (void)state;
    static const char *const feature[] = {"limit", "frictionloss", "equality", "tendon",
                                          "transmission"};
    dp_spec *spec[2] = {full_spec(), full_spec()};
    for (int k = 0; k < 5; ++k) {
        assert_ok(dp_spec_allow(spec[1], feature[k]));
    }
    mechanism x[2] = {mechanism_from(spec[0]), mechanism_from(spec[1])};
    for (int i = 0; i < 2; ++i) {
        for (int u = 0; u < 4; ++u) {
            dp_data_control(x[i].d)[u] = 0.5;
        }
        mechanism_steps(&x[i], 20);
    }
    assert_memory_equal(dp_data_q(x[0].d), dp_data_q(x[1].d), 9 * sizeof(double));
    assert_memory_equal(dp_data_v(x[0].d), dp_data_v(x[1].d), 8 * sizeof(double));
    assert_true(dp_data_actuator_force(x[0].d)[WINCH] != 0.0); // it pulls
    mechanism_end(&x[0]);
    mechanism_end(&x[1]);
}

static void an_actuator_of_a_tendon_has_an_activation_and_a_range(void **state)
{
    (void)state;
    dp_spec *spec = full_spec();
    dp_actuator_spec *winch = dp_spec_actuator(spec, (dp_actuator_id){WINCH});
    winch->dynamics = DP_ACTUATOR_DYNAMICS_INTEGRATOR;
    winch->force_limited = true;
    winch->force_range[1] = 0.1;
    mechanism x = mechanism_from(spec);
    assert_int_equal(dp_model_sizes(x.m)->na, 2);
    const int a = dp_model_actuator(x.m, (dp_actuator_id){WINCH}).activation_index;
    dp_data_activation(x.d)[a] = 0.25;
    dp_data_control(x.d)[WINCH] = 3.0;
    mechanism_steps(&x, 5);
    const double h = dp_data_options(x.d)->step;
    assert_near(dp_data_activation(x.d)[a], 0.25 + 5.0 * h * 3.0, 1e-15); // round-off
    assert_true(dp_data_actuator_force(x.d)[WINCH] == 0.1);
    mechanism_end(&x);
}

// Contact

// A chain of `n` bodies with a ball each, whose masks are 1. Body i + 1 and geom i are both link i.
static dp_spec *touching_chain(int n)
{
    dp_spec *spec;
    assert_ok(dp_spec_create(&spec, NULL));
    dp_body_id body = DP_WORLD;
    for (int i = 0; i < n; ++i) {
        char name[16];
        snprintf(name, sizeof name, "link%d", i);
        body = add_ball_body(spec, body, name);
        add_joint(spec, body, NULL, DP_JOINT_HINGE);
        dp_geom_spec *geom = dp_spec_geom(spec, (dp_geom_id){i});
        geom->name = dp_spec_body(spec, body)->name;
        geom->contype = geom->conaffinity = 1;
    }
    return spec;
}

static void exclude_bodies(dp_spec *spec, const char *a, const char *b)
{
    const dp_exclude_spec exclude = {.body = {a, b}};
    assert_ok(dp_spec_add_exclude(NULL, spec, &exclude));
}

static void pair_geoms(dp_spec *spec, const char *a, const char *b)
{
    dp_pair_spec pair = dp_pair_spec_default();
    pair.geom[0] = a, pair.geom[1] = b;
    assert_ok(dp_spec_add_pair(NULL, spec, &pair));
}

static long long pairs_that_could_touch(const dp_spec *spec)
{
    dp_model *m;
    assert_ok(dp_model_compile(&m, spec));
    const long long count = dp_model_sizes(m)->ntouch;
    dp_model_destroy(m);
    return count;
}

static void excluded_bodies_do_not_count_as_contact(void **state)
{
    (void)state;
    dp_spec *spec = touching_chain(4); // 0-2, 0-3, 1-3: neighbours do not touch
    assert_int_equal(pairs_that_could_touch(spec), 3);
    exclude_bodies(spec, "link2", "link0");
    assert_int_equal(pairs_that_could_touch(spec), 2);
    exclude_bodies(spec, "link0", "link2"); // said twice
    exclude_bodies(spec, "link0", "link1"); // neighbours anyway
    exclude_bodies(spec, "link1", "link1"); // itself
    assert_int_equal(pairs_that_could_touch(spec), 2);
    exclude_bodies(spec, "link0", "link3");
    assert_int_equal(pairs_that_could_touch(spec), 1);
    exclude_bodies(spec, "link1", "link3");
    assert_int_equal(pairs_that_could_touch(spec), 0);
    dp_spec_destroy(spec);
}

static void a_pair_is_a_possible_contact_whatever_filters_say(void **state)
{
    (void)state;
    dp_spec *spec = touching_chain(3);
    for (int g = 0; g < 3; ++g) {
        dp_spec_geom(spec, (dp_geom_id){g})->contype = 0;
        dp_spec_geom(spec, (dp_geom_id){g})->conaffinity = 0;
    }
    assert_int_equal(pairs_that_could_touch(spec), 0);
    pair_geoms(spec, "link1", "link0"); // neighbours without masks
    exclude_bodies(spec, "link0", "link1");
    assert_int_equal(pairs_that_could_touch(spec), 1);
    pair_geoms(spec, "link0", "link1"); // the same again
    pair_geoms(spec, "link0", "link2");
    assert_int_equal(pairs_that_could_touch(spec), 2);
    dp_spec_options(spec)->disable_contact = true;
    assert_int_equal(pairs_that_could_touch(spec), 0);
    dp_spec_destroy(spec);
}

static void pairs_that_cannot_meet_are_no_contact(void **state)
{
    (void)state;
    dp_spec *spec = touching_chain(1);
    dp_geom_spec *link = dp_spec_geom(spec, (dp_geom_id){0});
    link->contype = link->conaffinity = 0;
    dp_geom_spec geom = dp_geom_spec_default();
    geom.contype = geom.conaffinity = 0;
    geom.size[0] = 0.1;
    geom.name = "beside";
    assert_ok(dp_spec_add_geom(NULL, spec, (dp_body_id){1}, &geom));
    geom.name = "floor";
    geom.kind = DP_GEOM_PLANE;
    assert_ok(dp_spec_add_geom(NULL, spec, DP_WORLD, &geom));
    geom.name = "shield";
    assert_ok(dp_spec_add_geom(NULL, spec, (dp_body_id){1}, &geom));
    pair_geoms(spec, "link0", "beside"); // one body
    pair_geoms(spec, "floor", "shield"); // two planes
    assert_int_equal(pairs_that_could_touch(spec), 0);
    pair_geoms(spec, "link0", "floor");
    assert_int_equal(pairs_that_could_touch(spec), 1);
    dp_spec_destroy(spec);
}

// The rules once more, pair by pair, from the spec alone.

static int moved_by(const dp_spec *spec, int body, const bool *jointed)
{
    while (body > 0 && !jointed[body]) {
        body = dp_spec_bodies(spec)[body].parent;
    }
    return body;
}

static bool names_of_two(const char *const two[2], const char *a, const char *b)
{
    return (strcmp(two[0], a) == 0 && strcmp(two[1], b) == 0) ||
           (strcmp(two[0], b) == 0 && strcmp(two[1], a) == 0);
}

static bool could_touch(const dp_spec *spec, const bool *jointed, int i, int j)
{
    const dp_geom_entry *a = &dp_spec_geoms(spec)[i], *b = &dp_spec_geoms(spec)[j];
    const int ca = moved_by(spec, a->body, jointed), cb = moved_by(spec, b->body, jointed);
    if (ca == cb || (a->spec.kind == DP_GEOM_PLANE && b->spec.kind == DP_GEOM_PLANE)) {
        return false;
    }
    for (int k = 0; k < dp_spec_pair_count(spec); ++k) {
        if (names_of_two(dp_spec_pairs(spec)[k].geom, a->spec.name, b->spec.name)) {
            return true;
        }
    }
    for (int k = 0; k < dp_spec_exclude_count(spec); ++k) {
        if (names_of_two(dp_spec_excludes(spec)[k].body, dp_spec_bodies(spec)[a->body].spec.name,
                         dp_spec_bodies(spec)[b->body].spec.name)) {
            return false;
        }
    }
    const int pa = ca ? moved_by(spec, dp_spec_bodies(spec)[ca].parent, jointed) : 0;
    const int pb = cb ? moved_by(spec, dp_spec_bodies(spec)[cb].parent, jointed) : 0;
    if (ca != 0 && cb != 0 && (pa == cb || pb == ca)) {
        return false;
    }
    return (a->spec.contype & b->spec.conaffinity) != 0 ||
           (b->spec.contype & a->spec.conaffinity) != 0;
}

// A random forest with up to two geoms per body, some of them planes, of `masks` kinds of masks.
static dp_spec *random_forest(random_source *r, bool *jointed, int masks)
{
    enum { BODIES = 14 };
    dp_spec *spec;
    assert_ok(dp_spec_create(&spec, NULL));
    for (int b = 1; b < BODIES; ++b) {
        char name[16];
        snprintf(name, sizeof name, "b%d", b);
        dp_body_spec body = dp_body_spec_default();
        body.name = name;
        body.inertia_source = DP_INERTIA_SOURCE_GIVEN;
        body.inertial = (dp_inertial){1.0, DP_IDENTITY_POSE, {1.0, 1.0, 1.0}};
        dp_body_id id;
        const int parent = (int)(random_bits(r) % (uint64_t)b);
        assert_ok(dp_spec_add_body(&id, spec, (dp_body_id){parent}, &body));
        jointed[b] = random_bits(r) % 3 != 0;
        if (jointed[b]) {
            add_joint(spec, id, NULL, DP_JOINT_HINGE);
        }
    }
    for (int g = 0; g < 20; ++g) {
        char name[16];
        snprintf(name, sizeof name, "g%d", g);
        dp_geom_spec geom = dp_geom_spec_default();
        geom.name = name;
        geom.size[0] = 0.1;
        geom.kind = random_bits(r) % 6 == 0 ? DP_GEOM_PLANE : DP_GEOM_SPHERE;
        geom.contype = (int)(random_bits(r) % (uint64_t)masks);
        geom.conaffinity = (int)(random_bits(r) % 4);
        const int body = (int)(random_bits(r) % BODIES);
        assert_ok(dp_spec_add_geom(NULL, spec, (dp_body_id){body}, &geom));
    }
    const int nexclude = (int)(random_bits(r) % 12), npair = (int)(random_bits(r) % 4);
    for (int k = 0; k < nexclude; ++k) {
        exclude_bodies(spec, dp_spec_bodies(spec)[random_bits(r) % BODIES].spec.name,
                       dp_spec_bodies(spec)[random_bits(r) % BODIES].spec.name);
    }
    for (int k = 0; k < npair; ++k) {
        const int a = (int)(random_bits(r) % 20);
        const int b = (int)((uint64_t)a + 1 + random_bits(r) % 19) % 20;
        pair_geoms(spec, dp_spec_geoms(spec)[a].spec.name, dp_spec_geoms(spec)[b].spec.name);
    }
    return spec;
}

static void possible_contacts_are_counted_as_by_visiting_every_pair(void **state)
{
    (void)state;
    random_source r = {42};
    int many = 0;
    for (int round = 0; round < 400; ++round) {
        bool jointed[14] = {false};
        dp_spec *spec = random_forest(&r, jointed, round % 2 ? 2 : 3);
        int expected = 0;
        for (int i = 0; i < 20; ++i) {
            for (int j = i + 1; j < 20; ++j) {
                expected += could_touch(spec, jointed, i, j);
            }
        }
        assert_int_equal(pairs_that_could_touch(spec), expected);
        many += expected > 1;
        dp_spec_destroy(spec);
    }
    assert_true(many > 300); // else there was little to count
}

static void many_kinds_of_masks_find_a_contact_all_the_same(void **state)
{
    (void)state;
    random_source r = {7};
    int outcomes[2] = {0, 0};
    for (int round = 0; round < 100; ++round) {
        bool jointed[14] = {false};
        dp_spec *spec = random_forest(&r, jointed, 1000); // more classes than are counted
        for (int g = 0; g < 20; ++g) {
            dp_geom_spec *geom = dp_spec_geom(spec, (dp_geom_id){g});
            geom->conaffinity = g == round % 20 ? 1 << (g % 10) : 0;
            geom->contype &= 0x3f;
            geom->contype |= g << 20; // all different
        }
        bool expected = false;
        for (int i = 0; i < 20; ++i) {
            for (int j = i + 1; j < 20; ++j) {
                expected = expected || could_touch(spec, jointed, i, j);
            }
        }
        assert_true((pairs_that_could_touch(spec) != 0) == expected);
        ++outcomes[expected];
        dp_spec_destroy(spec);
    }
    assert_true(outcomes[0] > 5 && outcomes[1] > 5);
}

static double seconds_since(clock_t start)
{
    return (double)(clock() - start) / CLOCKS_PER_SEC;
}

static void ten_thousand_of_each_kind_compile_in_a_moment(void **state)
{
    (void)state;
    enum { N = 10000 };
    const clock_t start = clock();
    dp_spec *spec = touching_chain(N);
    for (int i = 0; i < N; ++i) {
        char name[16], next[16], site[16];
        snprintf(name, sizeof name, "link%d", i);
        snprintf(next, sizeof next, "link%d", (i + 2) % N);
        snprintf(site, sizeof site, "site%d", i);
        dp_site_spec at = dp_site_spec_default();
        at.name = site;
        assert_ok(dp_spec_add_site(NULL, spec, (dp_body_id){i + 1}, &at));
        const dp_wrap_spec wrap[2] = {{.kind = DP_WRAP_SITE, .object = site},
                                      {.kind = DP_WRAP_SITE, .object = i ? "site0" : "site1"}};
        dp_tendon_spec tendon = dp_tendon_spec_default();
        tendon.name = name;
        tendon.spatial = true;
        tendon.wrap = wrap, tendon.nwrap = 2;
        assert_ok(dp_spec_add_tendon(NULL, spec, &tendon));
        dp_equality_spec connect = dp_equality_spec_default();
        connect.name = name;
        connect.object[0] = name, connect.object[1] = next;
        assert_ok(dp_spec_add_equality(NULL, spec, &connect));
        exclude_bodies(spec, name, next);
        exclude_bodies(spec, name, "link0"); // all with one
        pair_geoms(spec, name, next);
    }
    dp_model *m = compiled(spec);
    assert_true(dp_model_sizes(m)->ntouch > 0);
    dp_equality_id id;
    assert_ok(dp_model_find_equality(&id, m, "link9000"));
    assert_int_equal(dp_model_equality(m, id).object[1], 9003);
    dp_model_destroy(m);
    // 0.1 s without a sanitizer; what is quadratic would take a hundred times as long.
    assert_true(seconds_since(start) < 3.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_count_every_kind),
        cmocka_unit_test(a_pair_has_the_numbers_of_its_geoms),
        cmocka_unit_test(an_exclude_has_the_numbers_of_its_bodies),
        cmocka_unit_test(a_fixed_tendon_is_a_sum_over_joints),
        cmocka_unit_test(a_spatial_tendon_knows_the_stations_of_its_path),
        cmocka_unit_test(equalities_of_joints_and_tendons_keep_their_polynomials),
        cmocka_unit_test(a_connect_holds_a_point_where_the_bodies_have_it),
        cmocka_unit_test(a_weld_holds_bodies_as_described_or_as_given),
        cmocka_unit_test(a_distance_is_given_or_that_between_the_points_as_described),
        cmocka_unit_test(a_plane_goes_through_its_point_or_is_given),
        cmocka_unit_test(sites_are_held_by_the_bodies_they_are_on),
        cmocka_unit_test(actuators_know_what_they_drive),
        cmocka_unit_test(the_spec_copies_paths_and_names),
        cmocka_unit_test(ids_out_of_range_give_empty_answers),
        cmocka_unit_test(every_enumeration_has_names),
        cmocka_unit_test(a_tendon_that_does_nothing_may_stay),
        cmocka_unit_test(to_allow_what_is_simulated_changes_nothing),
        cmocka_unit_test(an_actuator_of_a_tendon_has_an_activation_and_a_range),
        cmocka_unit_test(excluded_bodies_do_not_count_as_contact),
        cmocka_unit_test(a_pair_is_a_possible_contact_whatever_filters_say),
        cmocka_unit_test(pairs_that_cannot_meet_are_no_contact),
        cmocka_unit_test(possible_contacts_are_counted_as_by_visiting_every_pair),
        cmocka_unit_test(many_kinds_of_masks_find_a_contact_all_the_same),
        cmocka_unit_test(ten_thousand_of_each_kind_compile_in_a_moment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
