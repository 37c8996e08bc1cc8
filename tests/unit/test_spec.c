// From spec to model: ids, names, numbering of coordinates, inertias, keyframes.
#include "near.h"
#include "small_spec.h"

#include "model/model.h"
#include "model/spec/spec.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static dp_spec *empty_spec(void)
{
    dp_spec *spec;
    assert_int_equal(dp_spec_create(&spec, NULL), DP_OK);
    return spec;
}

static dp_spec *small_spec(void)
{
    dp_spec *spec;
    assert_int_equal(small_spec_create(&spec, NULL), DP_OK);
    return spec;
}

// Compiles and destroys the spec.
static dp_model *compiled(dp_spec *spec)
{
    dp_model *m;
    if (dp_model_compile(&m, spec) != DP_OK) {
        fail_msg("%s", dp_last_error());
    }
    dp_spec_destroy(spec);
    return m;
}

static void an_empty_spec_compiles_to_the_world(void **state)
{
    (void)state;
    dp_model *m = compiled(empty_spec());
    const dp_model_size *n = dp_model_sizes(m);
    assert_int_equal(n->nbody, 1);
    assert_int_equal(n->nq + n->nv + n->ntree + n->nu + n->nmocap, 0);
    assert_string_equal(dp_model_body(m, DP_WORLD).name, "world");
    assert_string_equal(dp_model_title(m), "");
    dp_model_destroy(m);
}

static void sizes_count_what_was_added(void **state)
{
    (void)state;
    dp_model *m = compiled(small_spec());
    const dp_model_size *n = dp_model_sizes(m);
    assert_int_equal(n->nbody, 6);
    assert_int_equal(n->njoint, 3);
    assert_int_equal(n->ngeom, 3);
    assert_int_equal(n->nsite, 1);
    assert_int_equal(n->nactuator, 2);
    assert_int_equal(n->nsensor, 2);
    assert_int_equal(n->nkey, 1);
    assert_int_equal(n->nq, 9);
    assert_int_equal(n->nv, 8);
    assert_int_equal(n->na, 1);
    assert_int_equal(n->nu, 2);
    assert_int_equal(n->nmocap, 1);
    assert_int_equal(n->nsensordata, 6);
    assert_int_equal(n->ntree, 2);
    assert_string_equal(dp_model_title(m), "one of everything");
    dp_model_destroy(m);
}

static void ids_of_the_spec_are_valid_in_the_model(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    const dp_body_id a = add_ball_body(spec, DP_WORLD, "a");
    const dp_body_id b = add_ball_body(spec, DP_WORLD, "b");
    const dp_body_id c = add_ball_body(spec, a, "c");
    const dp_joint_id j = add_joint(spec, c, "j", DP_JOINT_BALL);
    dp_model *m = compiled(spec);
    assert_string_equal(dp_model_body(m, a).name, "a");
    assert_string_equal(dp_model_body(m, b).name, "b");
    assert_string_equal(dp_model_body(m, c).name, "c");
    assert_int_equal(dp_model_body(m, c).parent.index, a.index);
    assert_string_equal(dp_model_joint(m, j).name, "j");
    assert_int_equal(dp_model_joint(m, j).body.index, c.index);
    dp_model_destroy(m);
}

// Two trees whose bodies are added level by level, so that ids and depth-first order differ:
//
//     world ┬ a ┬ c ─ e       a: slide + hinge, b: free, c: hinge, d: ball, e: hinge, f: hinge
//           │   └ d
//           └ b ─ f           added as a b c d e f, joints last to first
static dp_model *two_trees(void)
{
    dp_spec *spec = empty_spec();
    const dp_body_id a = add_ball_body(spec, DP_WORLD, "a");
    const dp_body_id b = add_ball_body(spec, DP_WORLD, "b");
    const dp_body_id c = add_ball_body(spec, a, "c");
    const dp_body_id d = add_ball_body(spec, a, "d");
    const dp_body_id e = add_ball_body(spec, c, "e");
    const dp_body_id f = add_ball_body(spec, b, "f");
    add_joint(spec, f, "jf", DP_JOINT_HINGE); // joint 0
    add_joint(spec, e, "je", DP_JOINT_HINGE);
    add_joint(spec, d, "jd", DP_JOINT_BALL);
    add_joint(spec, c, "jc", DP_JOINT_HINGE);
    add_joint(spec, b, "jb", DP_JOINT_FREE);
    add_joint(spec, a, "ja1", DP_JOINT_SLIDE);
    add_joint(spec, a, "ja2", DP_JOINT_HINGE); // joint 6
    return compiled(spec);
}

static void coordinates_are_numbered_depth_first(void **state)
{
    (void)state;
    dp_model *m = two_trees();
    static const struct {
        const char *joint;
        int q, v;
    } expected[] = {{"ja1", 0, 0}, {"ja2", 1, 1}, {"jc", 2, 2},  {"je", 3, 3},
                    {"jd", 4, 4},  {"jb", 8, 7},  {"jf", 15, 13}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; ++i) {
        dp_joint_id id;
        assert_int_equal(dp_model_find_joint(&id, m, expected[i].joint), DP_OK);
        const dp_joint_info joint = dp_model_joint(m, id);
        assert_int_equal(joint.q_index, expected[i].q);
        assert_int_equal(joint.v_index, expected[i].v);
    }
    assert_int_equal(m->size.nq, 16);
    assert_int_equal(m->size.nv, 14);
    dp_model_destroy(m);
}

static void every_degree_of_freedom_knows_the_one_above(void **state)
{
    (void)state;
    dp_model *m = two_trees();
    //                         a1  a2 c  e  d1 d2 d3 b…                 f
    const int parent[14] = {-1, 0, 1, 2, 1, 4, 5, -1, 7, 8, 9, 10, 11, 12};
    const size_t row[14] = {1, 2, 3, 4, 3, 4, 5, 1, 2, 3, 4, 5, 6, 7}; // 1 + number above
    size_t at = 0;
    for (int i = 0; i < 14; ++i) {
        assert_int_equal(m->dof_parent[i], parent[i]);
        assert_int_equal(m->dof_packed[i], at);
        at += row[i];
    }
    assert_int_equal(m->dof_packed[14], at);
    dp_model_destroy(m);
}

static void trees_and_subtrees_are_contiguous(void **state)
{
    (void)state;
    dp_model *m = two_trees();
    assert_int_equal(m->size.ntree, 2);
    assert_int_equal(m->tree_start[0], 0);
    assert_int_equal(m->tree_start[1], 7);
    assert_int_equal(m->tree_start[2], 14);
    assert_int_equal(m->tree_body[0], 1);
    assert_int_equal(m->tree_body[1], 2);
    //                    world a  b  c  d  e  f
    const int start[7] = {0, 0, 7, 2, 4, 3, 13};
    const int tree[7] = {-1, 0, 1, 0, 0, 0, 1};
    const int order[7] = {0, 1, 5, 2, 4, 3, 6}; // depth first: world a c e d b f
    const int end[7] = {7, 5, 7, 4, 5, 4, 7};
    for (int b = 0; b < 7; ++b) {
        assert_int_equal(m->body[b].dof_start, start[b]);
        assert_int_equal(m->body[b].tree, tree[b]);
        assert_int_equal(m->body[b].order, order[b]);
        assert_int_equal(m->body[b].order_end, end[b]);
    }
    dp_model_destroy(m);
}

static void joints_of_one_body_keep_their_order(void **state)
{
    (void)state;
    dp_model *m = two_trees();
    dp_body_id a;
    assert_int_equal(dp_model_find_body(&a, m, "a"), DP_OK);
    assert_int_equal(dp_model_body(m, a).njoint, 2);
    assert_string_equal(dp_model_joint(m, dp_model_body_joint(m, a, 0)).name, "ja1");
    assert_string_equal(dp_model_joint(m, dp_model_body_joint(m, a, 1)).name, "ja2");
    assert_int_equal(dp_model_body_joint(m, a, 2).index, -1);
    dp_model_destroy(m);
}

static void a_body_on_a_fixed_or_mocap_body_roots_a_tree(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    const dp_body_id post = add_ball_body(spec, DP_WORLD, "post");
    const dp_body_id left = add_ball_body(spec, post, "left");
    const dp_body_id right = add_ball_body(spec, post, "right");
    dp_body_spec hand = dp_body_spec_default();
    hand.mocap = true;
    dp_body_id hand_id;
    assert_int_equal(dp_spec_add_body(&hand_id, spec, DP_WORLD, &hand), DP_OK);
    const dp_body_id held = add_ball_body(spec, hand_id, "held");
    add_joint(spec, left, NULL, DP_JOINT_HINGE);
    add_joint(spec, right, NULL, DP_JOINT_HINGE);
    add_joint(spec, held, NULL, DP_JOINT_HINGE);
    dp_model *m = compiled(spec);
    assert_int_equal(m->size.ntree, 3);
    assert_int_equal(dp_model_body(m, post).tree, -1);
    assert_int_equal(dp_model_body(m, left).tree, 0);
    assert_int_equal(dp_model_body(m, right).tree, 1);
    assert_int_equal(dp_model_body(m, hand_id).tree, -1);
    assert_int_equal(dp_model_body(m, hand_id).mocap, 0);
    assert_int_equal(dp_model_body(m, held).tree, 2);
    assert_int_equal(m->mocap_body[0], hand_id.index);
    dp_model_destroy(m);
}

static void reference_and_spring_positions_follow_the_joints(void **state)
{
    (void)state;
    dp_model *m = compiled(small_spec());
    //                             slider pivot  ball: position, quaternion
    const double reference[9] = {0.0, 0.125, 1.0, 2.0, 3.0, 0.0, 1.0, 0.0, 0.0};
    const double spring[9] = {0.0, 0.25, 1.0, 2.0, 3.0, 0.0, 1.0, 0.0, 0.0};
    for (int i = 0; i < 9; ++i) {
        assert_true(dp_model_q_reference(m)[i] == reference[i]);
        assert_true(m->q_spring[i] == spring[i]);
    }
    assert_true(m->any_spring && m->any_damper && !m->any_compensation);
    assert_true(m->dof_damping[0] == 0.5 && m->dof_stiffness[1] == 3.0);
    assert_true(m->dof_armature[1] == 0.01);
    dp_model_destroy(m);
}

static void a_ball_joint_rests_at_the_identity(void **state)
{
    (void)state;
    dp_model *m = two_trees();
    const double *q = dp_model_q_reference(m) + 4; // jd
    assert_true(q[0] == 1.0 && q[1] == 0.0 && q[2] == 0.0 && q[3] == 0.0);
    dp_model_destroy(m);
}

static void axes_and_quaternions_are_normalised(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    const dp_body_id a = add_ball_body(spec, DP_WORLD, "a");
    dp_spec_body(spec, a)->pose.q = (dp_quat){3e200, 0.0, 4e200, 0.0}; // its square overflows
    const dp_joint_id j = add_joint(spec, a, "j", DP_JOINT_HINGE);
    dp_spec_joint(spec, j)->axis = (dp_v3){3e-300, 0.0, -4e-300}; // its square underflows
    dp_model *m = compiled(spec);
    assert_near(m->body[1].pose.q.w, 0.6, 1e-15);
    assert_near(m->body[1].pose.q.y, 0.8, 1e-15);
    assert_true(m->body[1].turned);
    assert_near(m->joint[0].axis.x, 0.6, 1e-15);
    assert_near(m->joint[0].axis.z, -0.8, 1e-15);
    dp_model_destroy(m);
}

static void a_given_inertia_wins_over_geoms(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    const dp_body_id a = add_ball_body(spec, DP_WORLD, "a");
    add_joint(spec, a, NULL, DP_JOINT_HINGE);
    dp_body_spec *body = dp_spec_body(spec, a);
    body->inertia_source = DP_INERTIA_SOURCE_GIVEN;
    body->inertial = (dp_inertial){2.0, {{0.0, 0.0, 0.0, 5.0}, {1.0, 0.0, 0.0}}, {1.0, 2.0, 3.0}};
    dp_model *m = compiled(spec);
    const dp_body *b = &m->body[1];
    assert_true(b->mass == 2.0 && b->moment.x == 2.0 && b->moment.y == 0.0);
    assert_near(b->inertia_com.xx, 1.0, 1e-15); // half a turn about z leaves the moments
    assert_near(b->inertia.yy, 2.0 + 2.0 * 1.0, 1e-15);
    assert_near(b->inertia.zz, 3.0 + 2.0 * 1.0, 1e-15);
    dp_model_destroy(m);
}

static void geoms_of_a_body_add_up(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    const dp_body_id a = add_ball_body(spec, DP_WORLD, "a"); // 1 kg, radius 0.1 at the origin
    add_joint(spec, a, NULL, DP_JOINT_HINGE);
    dp_geom_spec geom = dp_geom_spec_default();
    geom.size[0] = 0.1;
    geom.mass = 3.0;
    geom.pose.p = (dp_v3){0.0, 4.0, 0.0};
    geom.contype = geom.conaffinity = 0;
    assert_int_equal(dp_spec_add_geom(NULL, spec, a, &geom), DP_OK);
    dp_model *m = compiled(spec);
    const dp_body *b = &m->body[1];
    const double balls = 0.4 * (1.0 + 3.0) * 0.01;
    assert_near(b->mass, 4.0, 1e-14);
    assert_near(b->moment.y, 12.0, 1e-14);
    assert_near(b->inertia.xx, balls + 3.0 * 16.0, 1e-12);
    assert_near(b->inertia.yy, balls, 1e-13);
    assert_near(b->inertia_com.zz, balls + 3.0 * 1.0 + 1.0 * 9.0, 1e-12); // 1 m and 3 m from com
    dp_model_destroy(m);
}

static void the_world_has_no_mass(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    dp_geom_spec geom = dp_geom_spec_default();
    geom.size[0] = 1.0;
    assert_int_equal(dp_spec_add_geom(NULL, spec, DP_WORLD, &geom), DP_OK);
    dp_model *m = compiled(spec);
    assert_true(m->body[0].mass == 0.0 && m->body[0].inertia.xx == 0.0);
    dp_model_destroy(m);
}

static void a_massless_body_may_move_what_is_welded_to_it(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    dp_body_spec frame = dp_body_spec_default();
    frame.name = "frame";
    dp_body_id frame_id;
    assert_int_equal(dp_spec_add_body(&frame_id, spec, DP_WORLD, &frame), DP_OK);
    add_joint(spec, frame_id, "hinge", DP_JOINT_HINGE);
    add_ball_body(spec, frame_id, "load");
    dp_model *m = compiled(spec);
    assert_true(m->body[1].mass == 0.0 && m->body[2].mass == 1.0);
    dp_model_destroy(m);
}

// A body welded to `parent` with 1 kg and no size at (x, y).
static void weld_point_mass(dp_spec *spec, dp_body_id parent, double x, double y)
{
    dp_body_spec point = dp_body_spec_default();
    point.pose.p = (dp_v3){x, y, 0.0};
    point.inertia_source = DP_INERTIA_SOURCE_GIVEN;
    point.inertial.mass = 1.0;
    assert_int_equal(dp_spec_add_body(NULL, spec, parent, &point), DP_OK);
}

static void point_masses_welded_in_a_triangle_may_move(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    dp_body_spec frame = dp_body_spec_default();
    dp_body_id id;
    assert_int_equal(dp_spec_add_body(&id, spec, DP_WORLD, &frame), DP_OK);
    add_joint(spec, id, "flight", DP_JOINT_FREE);
    weld_point_mass(spec, id, 1.0, 0.0);
    weld_point_mass(spec, id, 2.0, 0.0);
    dp_model *m;
    assert_int_equal(dp_model_compile(&m, spec), DP_ERROR_ARGUMENT); // two: a rod without thickness
    weld_point_mass(spec, id, 1.0, 1.0);
    m = compiled(spec);
    assert_int_equal(m->size.nv, 6);
    dp_model_destroy(m);
}

static void names_are_found_in_every_kind(void **state)
{
    (void)state;
    dp_model *m = compiled(small_spec());
    dp_body_id body = {-1};
    dp_joint_id joint = {-1};
    dp_geom_id geom = {-1};
    dp_site_id site = {-1};
    dp_actuator_id actuator = {-1};
    dp_sensor_id sensor = {-1};
    dp_key_id key = {-1};
    assert_int_equal(dp_model_find_body(&body, m, "hand"), DP_OK);
    assert_int_equal(dp_model_find_joint(&joint, m, "flight"), DP_OK);
    assert_int_equal(dp_model_find_geom(&geom, m, "pole_rod"), DP_OK);
    assert_int_equal(dp_model_find_site(&site, m, "tip_site"), DP_OK);
    assert_int_equal(dp_model_find_actuator(&actuator, m, "servo"), DP_OK);
    assert_int_equal(dp_model_find_sensor(&sensor, m, "tip_position"), DP_OK);
    assert_int_equal(dp_model_find_key(&key, m, "home"), DP_OK);
    assert_string_equal(dp_model_body(m, body).name, "hand");
    assert_string_equal(dp_model_joint(m, joint).name, "flight");
    assert_string_equal(dp_model_geom(m, geom).name, "pole_rod");
    assert_string_equal(dp_model_site(m, site).name, "tip_site");
    assert_string_equal(dp_model_actuator(m, actuator).name, "servo");
    assert_string_equal(dp_model_sensor(m, sensor).name, "tip_position");
    assert_string_equal(dp_model_key_name(m, key), "home");
    dp_model_destroy(m);
}

static void a_name_that_is_not_there_suggests_the_nearest(void **state)
{
    (void)state;
    dp_model *m = compiled(small_spec());
    dp_body_id body = {42};
    assert_int_equal(dp_model_find_body(&body, m, "pol"), DP_ERROR_ARGUMENT);
    assert_string_equal(dp_last_error(), "no body 'pol' (did you mean 'pole'?)");
    assert_int_equal(body.index, 42);
    dp_joint_id joint;
    assert_int_equal(dp_model_find_joint(&joint, m, "sildre"), DP_ERROR_ARGUMENT);
    assert_string_equal(dp_last_error(), "no joint 'sildre' (did you mean 'slider'?)");
    assert_int_equal(dp_model_find_joint(&joint, m, "xylophone"), DP_ERROR_ARGUMENT);
    assert_null(strstr(dp_last_error(), "did you mean"));
    assert_int_equal(dp_model_find_joint(&joint, m, ""), DP_ERROR_ARGUMENT);
    assert_int_equal(dp_model_find_joint(&joint, m, NULL), DP_ERROR_ARGUMENT);
    dp_model_destroy(m);
}

static void unnamed_elements_do_not_clash(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    add_ball_body(spec, DP_WORLD, NULL);
    add_ball_body(spec, DP_WORLD, NULL);
    add_ball_body(spec, DP_WORLD, "");
    dp_model *m = compiled(spec);
    assert_int_equal(m->size.nbody, 4);
    assert_string_equal(dp_model_body(m, (dp_body_id){1}).name, "");
    dp_model_destroy(m);
}

static void the_same_name_may_serve_two_kinds(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    const dp_body_id knee = add_ball_body(spec, DP_WORLD, "knee");
    add_joint(spec, knee, "knee", DP_JOINT_HINGE);
    dp_model_destroy(compiled(spec));
}

static void ids_out_of_range_give_empty_answers(void **state)
{
    (void)state;
    dp_model *m = compiled(small_spec());
    assert_string_equal(dp_model_body(m, (dp_body_id){6}).name, "");
    assert_string_equal(dp_model_body(m, (dp_body_id){-1}).name, "");
    assert_string_equal(dp_model_joint(m, (dp_joint_id){3}).name, "");
    assert_string_equal(dp_model_geom(m, (dp_geom_id){3}).name, "");
    assert_string_equal(dp_model_site(m, (dp_site_id){1}).name, "");
    assert_string_equal(dp_model_actuator(m, (dp_actuator_id){2}).name, "");
    assert_string_equal(dp_model_sensor(m, (dp_sensor_id){2}).name, "");
    assert_string_equal(dp_model_key_name(m, (dp_key_id){1}), "");
    dp_model_destroy(m);

    dp_spec *spec = small_spec();
    assert_null(dp_spec_body(spec, (dp_body_id){6}));
    assert_null(dp_spec_joint(spec, (dp_joint_id){-1}));
    dp_spec_destroy(spec);
}

static void a_spec_copies_what_it_is_given(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    char name[] = "before", file[] = "a.xml";
    double q[1] = {0.5};
    dp_body_spec body = dp_body_spec_default();
    body.name = name;
    body.where = (dp_location){file, 3};
    dp_body_id id;
    assert_int_equal(dp_spec_add_body(&id, spec, DP_WORLD, &body), DP_OK);
    dp_key_spec key = dp_key_spec_default();
    key.q = q, key.nq = 1;
    assert_int_equal(dp_spec_add_key(NULL, spec, &key), DP_OK);
    strcpy(name, "after!");
    file[0] = 'z';
    q[0] = 9.0;
    assert_string_equal(dp_spec_body(spec, id)->name, "before");
    assert_string_equal(dp_spec_body(spec, id)->where.file, "a.xml");
    assert_true(dp_spec_key(spec, (dp_key_id){0})->q[0] == 0.5);
    dp_spec_destroy(spec);
}

static void a_refused_addition_leaves_the_spec_as_it_was(void **state)
{
    (void)state;
    dp_spec *spec = small_spec();
    dp_body_spec body = dp_body_spec_default();
    body.name = "cart";
    dp_body_id id = {77};
    assert_int_equal(dp_spec_add_body(&id, spec, DP_WORLD, &body), DP_ERROR_ARGUMENT);
    assert_int_equal(id.index, -1);
    assert_int_equal(dp_spec_body_count(spec), 6);
    dp_spec_clear_error(spec);
    dp_model_destroy(compiled(spec));
}

// A mechanism built without a look at any status: what hangs from what was refused fails, too, and
// the first failure is the one that is reported.
static void the_first_failure_is_reported_when_the_spec_is_compiled(void **state)
{
    (void)state;
    dp_spec *spec = small_spec();
    dp_body_spec body = dp_body_spec_default();
    body.name = "cart";
    dp_body_id id = {77};
    dp_spec_add_body(&id, spec, DP_WORLD, &body);
    const dp_joint_spec joint = dp_joint_spec_default();
    dp_spec_add_joint(NULL, spec, id, &joint);
    body.name = "fine";
    dp_spec_add_body(NULL, spec, DP_WORLD, &body);
    dp_model *m;
    for (int again = 0; again < 2; ++again) {
        assert_int_equal(dp_model_compile(&m, spec), DP_ERROR_ARGUMENT);
        assert_null(m);
        assert_non_null(strstr(dp_last_error(), "'cart' is already defined"));
    }
    dp_spec_clear_error(spec);
    assert_int_equal(dp_spec_error(spec), DP_OK);
    dp_spec_destroy(spec);
}

static void elements_can_be_changed_in_place(void **state)
{
    (void)state;
    dp_spec *spec = small_spec();
    dp_spec_body(spec, (dp_body_id){1})->name = "wagon";
    dp_spec_options(spec)->step = 0.01;
    dp_model *m = compiled(spec);
    dp_body_id id;
    assert_int_equal(dp_model_find_body(&id, m, "wagon"), DP_OK);
    assert_int_equal(id.index, 1);
    assert_int_equal(dp_model_find_body(&id, m, "cart"), DP_ERROR_ARGUMENT);
    assert_true(dp_model_options(m)->step == 0.01);
    dp_model_destroy(m);
}

static void a_spec_compiles_any_number_of_times(void **state)
{
    (void)state;
    dp_spec *spec = small_spec();
    dp_model *first, *second;
    assert_int_equal(dp_model_compile(&first, spec), DP_OK);
    assert_int_equal(dp_model_compile(&second, spec), DP_OK);
    dp_spec_destroy(spec);
    assert_int_equal(first->signature, second->signature);
    dp_model_destroy(first);
    assert_string_equal(dp_model_body(second, (dp_body_id){1}).name, "cart");
    dp_model_destroy(second);
}

static void the_signature_tells_topologies_apart(void **state)
{
    (void)state;
    dp_model *a = compiled(small_spec());
    dp_spec *spec = small_spec();
    dp_spec_joint(spec, (dp_joint_id){0})->kind =
        DP_JOINT_HINGE; // same sizes, another kind of joint
    dp_model *b = compiled(spec);
    assert_int_equal(a->size.nq, b->size.nq);
    assert_int_not_equal(a->signature, b->signature);
    dp_model_destroy(a);
    dp_model_destroy(b);
}

static void a_key_is_completed_with_initial_values(void **state)
{
    (void)state;
    dp_spec *spec = small_spec();
    dp_key_spec key = dp_key_spec_default();
    assert_int_equal(dp_spec_add_key(NULL, spec, &key), DP_OK);
    dp_model *m = compiled(spec);
    const dp_key *home = &m->key[0], *nothing = &m->key[1];
    assert_true(home->time == 1.5 && home->q[0] == 0.1 && home->control[1] == -0.5);
    assert_true(home->q[5] == 1.0); // the quaternion 2 0 0 0 is normalised
    assert_true(home->v[7] == 0.0 && home->activation[0] == 0.0);
    assert_true(home->mocap[0].p.y == -1.0 && home->mocap[0].q.w == 1.0);
    assert_true(nothing->q[1] == 0.125 && nothing->q[4] == 3.0 && nothing->control[0] == 0.0);
    dp_model_destroy(m);
}

static void sensors_and_activations_get_their_places(void **state)
{
    (void)state;
    dp_model *m = compiled(small_spec());
    assert_int_equal(m->actuator[0].activation_index, -1);
    assert_int_equal(m->actuator[1].activation_index, 0);
    assert_int_equal(m->actuator[1].joint, 1);
    assert_int_equal(m->sensor[0].object_kind, DP_OBJECT_SITE);
    assert_int_equal(m->sensor[0].object, 0);
    assert_int_equal(m->sensor[0].reference, -1);
    assert_int_equal(m->sensor[1].data_index, 3);
    assert_int_equal(m->sensor[1].object, 3); // tip
    assert_int_equal(m->sensor[1].reference_kind, DP_OBJECT_GEOM);
    assert_int_equal(m->sensor[1].reference, 0);
    dp_model_destroy(m);
}

static void every_sensor_kind_has_a_name_and_a_size(void **state)
{
    (void)state;
    for (int kind = 0; kind < DP_SENSOR_KINDS; ++kind) {
        assert_string_not_equal(dp_sensor_kind_name((dp_sensor_kind)kind), "unknown");
        assert_in_range(dp_sensor_kind_size((dp_sensor_kind)kind), 1, 6);
    }
}

static void limits_and_friction_pass_when_allowed(void **state)
{
    (void)state;
    dp_spec *spec = small_spec();
    dp_joint_spec *pivot = dp_spec_joint(spec, (dp_joint_id){1});
    pivot->limited = true;
    pivot->range[1] = 1.0;
    pivot->friction_loss = 0.5;
    assert_int_equal(dp_spec_allow(spec, "limit"), DP_OK);
    assert_false(dp_spec_allows(spec, "frictionloss"));
    assert_int_equal(dp_spec_allow(spec, "frictionloss"), DP_OK);
    assert_int_equal(dp_spec_allow(spec, "frictionloss"), DP_OK); // twice is once
    assert_true(dp_spec_allows(spec, "frictionloss"));
    dp_model_destroy(compiled(spec));
}

// Which pairs may touch

// A world with a floor, a two-link arm with a welded tool, and a free ball; all masks are 1.
static dp_spec *scene_with_contact(void)
{
    dp_spec *spec = empty_spec();
    dp_geom_spec floor = dp_geom_spec_default();
    floor.name = "floor";
    floor.kind = DP_GEOM_PLANE;
    assert_int_equal(dp_spec_add_geom(NULL, spec, DP_WORLD, &floor), DP_OK);
    const dp_body_id upper = add_ball_body(spec, DP_WORLD, "upper");
    const dp_body_id lower = add_ball_body(spec, upper, "lower");
    add_ball_body(spec, lower, "tool");
    const dp_body_id ball = add_ball_body(spec, DP_WORLD, "ball");
    add_joint(spec, upper, NULL, DP_JOINT_HINGE);
    add_joint(spec, lower, NULL, DP_JOINT_HINGE);
    add_joint(spec, ball, NULL, DP_JOINT_FREE);
    for (int g = 0; g < dp_spec_geom_count(spec); ++g) {
        dp_spec_geom(spec, (dp_geom_id){g})->contype = 1;
        dp_spec_geom(spec, (dp_geom_id){g})->conaffinity = 1;
    }
    return spec;
}

static long long pairs_that_could_touch(dp_spec *spec)
{
    dp_model *m;
    assert_int_equal(dp_model_compile(&m, spec), DP_OK);
    const long long count = dp_model_sizes(m)->ntouch;
    dp_model_destroy(m);
    return count;
}

static void pairs_of_neighbours_and_welded_bodies_do_not_count_as_contact(void **state)
{
    (void)state;
    dp_spec *spec = scene_with_contact();
    // floor with upper, lower, tool, ball; ball with upper, lower, tool. Not: upper with lower or
    // tool (neighbours), lower with tool (welded).
    assert_int_equal(pairs_that_could_touch(spec), 7);

    dp_spec_geom(spec, (dp_geom_id){4})->contype = 0; // the ball
    dp_spec_geom(spec, (dp_geom_id){4})->conaffinity = 0;
    dp_spec_geom(spec, (dp_geom_id){0})->contype = 0; // the floor
    dp_spec_geom(spec, (dp_geom_id){0})->conaffinity = 0;
    assert_int_equal(pairs_that_could_touch(spec), 0); // the arm does not touch itself
    dp_spec_destroy(spec);
}

static void contact_is_left_out_by_its_option_not_by_allowing_it(void **state)
{
    (void)state;
    dp_spec *spec = scene_with_contact();
    assert_int_equal(dp_spec_allow(spec, "contact"), DP_OK);
    assert_int_equal(pairs_that_could_touch(spec), 7);
    dp_spec_options(spec)->disable_contact = true;
    assert_int_equal(pairs_that_could_touch(spec), 0);
    dp_spec_destroy(spec);
}

static void masks_decide_which_geoms_touch(void **state)
{
    (void)state;
    dp_spec *spec = scene_with_contact();
    // Two teams that touch nobody: contype 1 meets conaffinity 2 nowhere.
    for (int g = 0; g < 5; ++g) {
        dp_spec_geom(spec, (dp_geom_id){g})->contype = 1;
        dp_spec_geom(spec, (dp_geom_id){g})->conaffinity = 2;
    }
    assert_int_equal(pairs_that_could_touch(spec), 0);
    dp_spec_geom(spec, (dp_geom_id){4})->contype = 2; // the ball now meets everybody
    assert_int_equal(pairs_that_could_touch(spec), 4);
    dp_spec_destroy(spec);
}

static void many_different_masks_are_handled_too(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    for (int i = 0; i < 31; ++i) { // more classes than are counted
        const dp_body_id body = add_ball_body(spec, DP_WORLD, NULL);
        add_joint(spec, body, NULL, DP_JOINT_FREE);
        dp_spec_geom(spec, (dp_geom_id){i})->contype = (int)(1u << i);
    }
    assert_int_equal(pairs_that_could_touch(spec), 0);
    dp_spec_geom(spec, (dp_geom_id){30})->conaffinity = 1 << 20;
    assert_int_equal(pairs_that_could_touch(spec), -1); // some
    dp_spec_destroy(spec);
}

// Size

static double seconds_since(clock_t start)
{
    return (double)(clock() - start) / CLOCKS_PER_SEC;
}

static void ten_thousand_bodies_compile_in_a_moment(void **state)
{
    (void)state;
    enum { N = 10000 };
    const clock_t start = clock();
    dp_spec *spec = empty_spec();
    for (int i = 0; i < N; ++i) {
        char name[32];
        snprintf(name, sizeof name, "link_%d", i);
        const dp_body_id body = add_ball_body(spec, (dp_body_id){i / 2}, name);
        add_joint(spec, body, name, DP_JOINT_HINGE);
        dp_geom_spec *geom = dp_spec_geom(spec, (dp_geom_id){i});
        geom->contype = geom->conaffinity = 1;
    }
    dp_model *m = compiled(spec);
    // All of them, less those of neighbours: each but the two on the world has a parent that moves.
    assert_int_equal(dp_model_sizes(m)->ntouch, (long long)N * (N - 1) / 2 - (N - 2));
    for (int i = 0; i < N; ++i) {
        char name[32];
        snprintf(name, sizeof name, "link_%d", i);
        dp_joint_id joint;
        assert_int_equal(dp_model_find_joint(&joint, m, name), DP_OK);
        assert_int_equal(joint.index, i);
    }
    dp_model_destroy(m);
    // 20 ms without a sanitizer on a slow machine; a quadratic look-up would take 100 times as
    // long.
    assert_true(seconds_since(start) < 1.0);
}

static void a_chain_of_a_hundred_thousand_bodies_compiles(void **state)
{
    (void)state;
    enum { N = 100000 };
    dp_spec *spec = empty_spec();
    for (int i = 0; i < N; ++i) {
        add_joint(spec, add_ball_body(spec, (dp_body_id){i}, NULL), NULL, DP_JOINT_HINGE);
    }
    dp_model *m = compiled(spec);
    assert_int_equal(m->size.nv, N);
    assert_int_equal(m->dof_parent[N - 1], N - 2);
    assert_true(m->dof_packed[N] == (size_t)N * (N + 1) / 2);
    dp_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_spec_compiles_to_the_world),
        cmocka_unit_test(sizes_count_what_was_added),
        cmocka_unit_test(ids_of_the_spec_are_valid_in_the_model),
        cmocka_unit_test(coordinates_are_numbered_depth_first),
        cmocka_unit_test(every_degree_of_freedom_knows_the_one_above),
        cmocka_unit_test(trees_and_subtrees_are_contiguous),
        cmocka_unit_test(joints_of_one_body_keep_their_order),
        cmocka_unit_test(a_body_on_a_fixed_or_mocap_body_roots_a_tree),
        cmocka_unit_test(reference_and_spring_positions_follow_the_joints),
        cmocka_unit_test(a_ball_joint_rests_at_the_identity),
        cmocka_unit_test(axes_and_quaternions_are_normalised),
        cmocka_unit_test(a_given_inertia_wins_over_geoms),
        cmocka_unit_test(geoms_of_a_body_add_up),
        cmocka_unit_test(the_world_has_no_mass),
        cmocka_unit_test(a_massless_body_may_move_what_is_welded_to_it),
        cmocka_unit_test(point_masses_welded_in_a_triangle_may_move),
        cmocka_unit_test(names_are_found_in_every_kind),
        cmocka_unit_test(a_name_that_is_not_there_suggests_the_nearest),
        cmocka_unit_test(unnamed_elements_do_not_clash),
        cmocka_unit_test(the_same_name_may_serve_two_kinds),
        cmocka_unit_test(ids_out_of_range_give_empty_answers),
        cmocka_unit_test(a_spec_copies_what_it_is_given),
        cmocka_unit_test(a_refused_addition_leaves_the_spec_as_it_was),
        cmocka_unit_test(the_first_failure_is_reported_when_the_spec_is_compiled),
        cmocka_unit_test(elements_can_be_changed_in_place),
        cmocka_unit_test(a_spec_compiles_any_number_of_times),
        cmocka_unit_test(the_signature_tells_topologies_apart),
        cmocka_unit_test(a_key_is_completed_with_initial_values),
        cmocka_unit_test(sensors_and_activations_get_their_places),
        cmocka_unit_test(every_sensor_kind_has_a_name_and_a_size),
        cmocka_unit_test(limits_and_friction_pass_when_allowed),
        cmocka_unit_test(pairs_of_neighbours_and_welded_bodies_do_not_count_as_contact),
        cmocka_unit_test(contact_is_left_out_by_its_option_not_by_allowing_it),
        cmocka_unit_test(masks_decide_which_geoms_touch),
        cmocka_unit_test(many_different_masks_are_handled_too),
        cmocka_unit_test(ten_thousand_bodies_compile_in_a_moment),
        cmocka_unit_test(a_chain_of_a_hundred_thousand_bodies_compiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
