// What no MJCF file can say is refused, with the name of the element.
#include "rich_spec.h"
#include "small_spec.h"
#include "written.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static dp_spec *empty_spec(void)
{
    dp_spec *spec;
    assert_ok(dp_spec_create(&spec, NULL));
    return spec;
}

static void names_that_xml_cannot_hold_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name, *message;
    } bad[] = {
        {"bell\a", "U+0007 at place 5 of its name, which XML cannot hold"},
        {"\x1b[31m", "U+001B at place 1"},
        {"\xef\xbf\xbe", "U+FFFE at place 1"},
        {"a\xff", "byte 0xff at place 2 of its name, which is not UTF-8"},
        {"\xc3", "byte 0xc3 at place 1"},  // ends too early
        {"\xc3(", "byte 0xc3 at place 1"}, // goes on wrongly
        {"\xc0\x80", "byte 0xc0"},         // longer than needed
        {"\xe0\x9f\xbf", "byte 0xe0"},     // the same
        {"\xed\xa0\x80", "byte 0xed"},     // half a pair
        {"\xf4\x90\x80\x80", "byte 0xf4"}, // beyond the last
        {"\xf8\x88\x80\x80\x80", "byte 0xf8"},
        {"\x80", "0x80"}, // no first byte
    };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k) {
        dp_spec *spec = empty_spec();
        const dp_body_id body = add_ball_body(spec, DP_WORLD, "b");
        add_joint(spec, body, bad[k].name, DP_JOINT_HINGE);
        assert_not_written(spec, DP_ERROR_UNSUPPORTED, bad[k].message);
        assert_non_null(strstr(dp_last_error(), "joint '"));
        dp_spec_destroy(spec);
    }
    dp_spec *spec = empty_spec();
    assert_ok(dp_spec_set_title(spec, "\x01"));
    assert_not_written(spec, DP_ERROR_UNSUPPORTED, "the model has the character U+0001");
    dp_spec_destroy(spec);
}

// Every number of the spec, one after the other, made to be none.
static void numbers_that_are_not_finite_are_refused(void **state)
{
    (void)state;
    dp_spec *spec = rich_spec_create();
    dp_options *o = dp_spec_options(spec);
    dp_body_spec *body = dp_spec_body(spec, (dp_body_id){1});
    dp_joint_spec *joint = dp_spec_joint(spec, (dp_joint_id){0});
    dp_geom_spec *geom = dp_spec_geom(spec, (dp_geom_id){5});
    dp_site_spec *site = dp_spec_site(spec, (dp_site_id){2});
    dp_actuator_spec *a = dp_spec_actuator(spec, (dp_actuator_id){9});
    double *const number[] = {&o->step,
                              &o->gravity.y,
                              &o->magnetic.z,
                              &o->relative_tolerance,
                              &o->absolute_tolerance,
                              &o->large_rotation,
                              &body->pose.p.x,
                              &body->pose.q.z,
                              &body->gravity_compensation,
                              &body->inertial.mass,
                              &body->inertial.frame.p.z,
                              &body->inertial.frame.q.w,
                              &body->inertial.moments.y,
                              &joint->anchor.x,
                              &joint->axis.y,
                              &joint->ref,
                              &joint->armature,
                              &joint->damping,
                              &joint->stiffness,
                              &joint->spring_ref,
                              &joint->spring_damper[1],
                              &joint->friction_loss,
                              &joint->range[1],
                              &geom->size[2],
                              &geom->pose.p.y,
                              &geom->pose.q.x,
                              &geom->mass,
                              &geom->density,
                              &geom->friction[2],
                              &geom->contact.solmix,
                              &geom->contact.margin,
                              &geom->contact.gap,
                              &site->pose.p.z,
                              &site->pose.q.y,
                              &a->gear[3],
                              &a->time_constant,
                              &a->gain[2],
                              &a->bias[0],
                              &a->control_range[0],
                              &a->force_range[1],
                              &a->activation_range[0],
                              &dp_spec_sensor(spec, (dp_sensor_id){0})->cutoff,
                              &dp_spec_key(spec, (dp_key_id){0})->time};
    for (size_t i = 0; i < sizeof number / sizeof number[0]; ++i) {
        const double before = *number[i];
        *number[i] = i % 2 ? NAN : INFINITY;
        assert_not_written(spec, DP_ERROR_ARGUMENT, "(expected finite numbers)");
        *number[i] = before;
    }
    geom->rgba[3] = NAN;
    assert_not_written(spec, DP_ERROR_ARGUMENT, "geom 'g5' has nan in its rgba");
    geom->rgba[3] = 1.0f;
    const double q[] = {1.0, INFINITY};
    dp_spec_key(spec, (dp_key_id){0})->q = q;
    dp_spec_key(spec, (dp_key_id){0})->nq = 2;
    assert_not_written(spec, DP_ERROR_ARGUMENT, "key 0 (unnamed) has inf in its qpos");
    dp_spec_destroy(spec);
}

static void what_no_mechanism_has_is_refused(void **state)
{
    (void)state;
    dp_spec *spec = rich_spec_create();
    dp_body_spec *body = dp_spec_body(spec, (dp_body_id){2});
    const dp_quat none = {0.0, 0.0, 0.0, 0.0}, q = body->pose.q;
    body->pose.q = none;
    assert_not_written(spec, DP_ERROR_ARGUMENT, "body 'hand' has a zero quaternion");
    body->pose.q = q;

    body->inertia_source = (dp_inertia_source)9;
    assert_not_written(spec, DP_ERROR_ARGUMENT, "inertia source number 9");
    body->inertia_source = DP_INERTIA_SOURCE_GEOMS;

    dp_joint_spec *joint = dp_spec_joint(spec, (dp_joint_id){1});
    joint->kind = (dp_joint_kind)7;
    assert_not_written(spec, DP_ERROR_ARGUMENT, "joint 'slide' has kind number 7");
    joint->kind = DP_JOINT_SLIDE;

    dp_geom_spec *geom = dp_spec_geom(spec, (dp_geom_id){3});
    const dp_geom_kind kind = geom->kind;
    geom->kind = (dp_geom_kind)-1;
    assert_not_written(spec, DP_ERROR_ARGUMENT, "geom 'g3' has kind number -1");
    geom->kind = DP_GEOM_MESH;
    geom->shell = false;
    assert_not_written(spec, DP_ERROR_ARGUMENT, "geom 'g3' is a mesh but names none");
    geom->mesh = "m";
    geom->shell = true;
    assert_not_written(spec, DP_ERROR_UNSUPPORTED, "geom 'g3' is a hollow mesh");
    geom->kind = kind;

    dp_actuator_spec *a = dp_spec_actuator(spec, (dp_actuator_id){0});
    a->dynamics = (dp_actuator_dynamics)5;
    assert_not_written(spec, DP_ERROR_ARGUMENT, "actuator 'a0' has dynamics number 5");
    a->dynamics = DP_ACTUATOR_DYNAMICS_NONE;
    a->damping_ratio = 0.5;
    assert_not_written(spec, DP_ERROR_ARGUMENT, "actuator 'a0' has damping ratio 0.5 but is no");
    a->bias[1] = -a->gain[0];
    a->damping_ratio = -1.0;
    assert_not_written(spec, DP_ERROR_ARGUMENT, "actuator 'a0' has damping ratio -1 (expected");
    a->damping_ratio = NAN;
    assert_not_written(spec, DP_ERROR_ARGUMENT, "actuator 'a0' has nan in its biasprm");
    a->damping_ratio = 0.0;
    a->transmission = (dp_transmission)4;
    assert_not_written(spec, DP_ERROR_ARGUMENT, "actuator 'a0' has transmission number 4");
    a->transmission = DP_TRANSMISSION_JOINT;

    dp_sensor_spec *s = dp_spec_sensor(spec, (dp_sensor_id){1});
    s->kind = DP_SENSOR_KINDS;
    assert_not_written(spec, DP_ERROR_ARGUMENT, "sensor 'velocimeter' has kind number");
    s->kind = DP_SENSOR_CLOCK;
    assert_not_written(spec, DP_ERROR_ARGUMENT, "of kind clock is attached to");
    s->kind = DP_SENSOR_FRAME_POSITION;
    assert_not_written(spec, DP_ERROR_ARGUMENT, "does not say what kind of object");
    s->object_kind = DP_OBJECT_TENDON;
    assert_not_written(spec, DP_ERROR_ARGUMENT, "attached to object kind 'tendon'");
    s->kind = DP_SENSOR_GYRO;
    assert_not_written(spec, DP_ERROR_ARGUMENT, "attached to object kind 'tendon' (expected site)");
    s->object_kind = DP_OBJECT_NONE;
    s->reference = "world";
    assert_not_written(spec, DP_ERROR_ARGUMENT, "(expected none: it cannot be relative)");
    s->reference = NULL;

    dp_spec_options(spec)->integrator = (dp_integrator)5;
    assert_not_written(spec, DP_ERROR_ARGUMENT, "integrator number 5");
    dp_spec_options(spec)->integrator = DP_INTEGRATOR_RK4;
    assert_round_trip(spec); // all is well again
    dp_spec_destroy(spec);
}

static void a_world_that_moves_or_has_another_name_is_refused(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    dp_body_spec *world = dp_spec_body(spec, DP_WORLD);
    world->name = "ground";
    assert_not_written(spec, DP_ERROR_UNSUPPORTED, "the world is called 'ground'");
    world->name = "world";
    world->pose.p.z = 1.0;
    assert_not_written(spec, DP_ERROR_ARGUMENT, "the world has been moved");
    world->pose.p.z = 0.0;
    add_joint(spec, DP_WORLD, "j", DP_JOINT_HINGE);
    assert_not_written(spec, DP_ERROR_ARGUMENT, "joint 'j' is on the world");
    dp_spec_destroy(spec);
}

static void constraints_that_mjcf_cannot_say_are_refused(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    dp_equality_spec e = dp_equality_spec_default();
    e.name = "e";
    e.object[0] = "s";
    e.object_kind = DP_OBJECT_SITE;
    dp_equality_id id;
    assert_ok(dp_spec_add_equality(&id, spec, &e));
    dp_equality_spec *at = dp_spec_equality(spec, id);
    assert_not_written(spec, DP_ERROR_ARGUMENT, "equality 'e' holds site 's' alone");
    at->object[1] = "t";
    at->anchor.x = 1.0;
    assert_not_written(spec, DP_ERROR_UNSUPPORTED, "has an anchor beside its sites");
    at->relative_given = true;
    assert_not_written(spec, DP_ERROR_UNSUPPORTED, "has a relative pose beside its sites");
    at->object_kind = DP_OBJECT_GEOM;
    assert_not_written(spec, DP_ERROR_ARGUMENT, "holds objects of kind 'geom'");
    at->object_kind = DP_OBJECT_BODY;
    at->kind = DP_EQUALITY_WELD;
    at->relative.q = (dp_quat){0.0, 0.0, 0.0, 0.0};
    assert_not_written(spec, DP_ERROR_ARGUMENT, "equality 'e' has a zero quaternion");
    at->relative = (dp_pose){{1.0, 0.0, 0.0, 0.0}, {0.1, 0.0, 0.0}};
    at->anchor.x = 1e9;
    assert_not_written(spec, DP_ERROR_UNSUPPORTED,
                       "equality 'e' has a relative position that is lost");
    at->kind = (dp_equality_kind)6;
    assert_not_written(spec, DP_ERROR_ARGUMENT, "equality 'e' has kind number 6");
    at->kind = DP_EQUALITY_CONNECT;

    dp_wrap_spec wrap = {.kind = DP_WRAP_SITE, .object = "s"};
    dp_tendon_spec tendon = dp_tendon_spec_default();
    tendon.name = "rope";
    tendon.wrap = &wrap, tendon.nwrap = 1;
    dp_tendon_id rope;
    assert_ok(dp_spec_add_tendon(&rope, spec, &tendon));
    assert_not_written(spec, DP_ERROR_ARGUMENT,
                       "tendon 'rope' is fixed but has a site at station 1");
    dp_spec_tendon(spec, rope)->spatial = true;
    free(written(spec));
    wrap.kind = DP_WRAP_JOINT;
    dp_spec_tendon(spec, rope)->wrap = &wrap;
    assert_not_written(spec, DP_ERROR_ARGUMENT, "is spatial but has a joint at station 1");
    wrap.kind = DP_WRAP_PULLEY;
    wrap.coefficient = NAN;
    assert_not_written(spec, DP_ERROR_ARGUMENT, "tendon 'rope' has nan in its divisor");
    wrap.kind = (dp_wrap_kind)9;
    assert_not_written(spec, DP_ERROR_ARGUMENT, "tendon 'rope' has station kind number 9");
    dp_spec_destroy(spec);
}

static void assets_without_content_are_refused(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    dp_mesh_spec mesh = dp_mesh_spec_default();
    mesh.name = "m";
    dp_mesh_id id;
    assert_ok(dp_spec_add_mesh(&id, spec, &mesh));
    assert_not_written(spec, DP_ERROR_ARGUMENT, "mesh 'm' has no vertices");
    const double corner[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    dp_spec_mesh(spec, id)->vertex = corner;
    dp_spec_mesh(spec, id)->nvertex = 4;
    dp_spec_mesh(spec, id)->inertia = (dp_mesh_inertia)9;
    assert_not_written(spec, DP_ERROR_ARGUMENT, "mesh 'm' has inertia number 9");
    dp_spec_mesh(spec, id)->inertia = DP_MESH_INERTIA_SHELL;
    dp_hfield_spec hfield = dp_hfield_spec_default();
    hfield.name = "h";
    hfield.nrow = 3;
    assert_ok(dp_spec_add_hfield(NULL, spec, &hfield));
    assert_not_written(spec, DP_ERROR_ARGUMENT, "hfield 'h' has 3 rows and 0 columns");
    dp_spec_destroy(spec);
}

static void elevations_that_a_reader_would_stretch_are_refused(void **state)
{
    (void)state;
    static const double bad[][4] = {{0, 0.1, 0.2, 0.9}, {0.1, 0.5, 0.6, 1}, {0.5, 0.5, 0.5, 0.5}};
    static const double good[][4] = {{0, 1, 0.2, 0.9}, {0, 0, 0, 0}};
    dp_spec *spec = empty_spec();
    dp_hfield_spec hfield = dp_hfield_spec_default();
    hfield.name = "hills";
    hfield.nrow = hfield.ncol = 2;
    dp_hfield_id id;
    assert_ok(dp_spec_add_hfield(&id, spec, &hfield));
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k) {
        dp_spec_hfield(spec, id)->elevation = bad[k];
        assert_not_written(spec, DP_ERROR_UNSUPPORTED, "hfield 'hills' has elevations from");
    }
    for (size_t k = 0; k < sizeof good / sizeof good[0]; ++k) {
        dp_spec_hfield(spec, id)->elevation = good[k];
        free(written(spec));
    }
    dp_spec_destroy(spec);
}

// Where a <pair> is silent MuJoCo takes fixed numbers, not those of the geoms.
static void a_pair_with_the_numbers_of_its_geoms_is_refused(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    dp_pair_spec pair = dp_pair_spec_default();
    pair.name = "grip";
    pair.geom[0] = "a", pair.geom[1] = "b";
    dp_pair_id id;
    assert_ok(dp_spec_add_pair(&id, spec, &pair));
    assert_not_written(spec, DP_ERROR_UNSUPPORTED, "pair 'grip' takes its contact numbers from");
    dp_spec_pair(spec, id)->contact_given = true;
    assert_not_written(spec, DP_ERROR_UNSUPPORTED, "pair 'grip' takes friction from its geoms");
    dp_spec_destroy(spec);
}

// MuJoCo moves the frames of meshes to their centres.
static void a_sensor_on_a_mesh_is_refused(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    const double corner[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    dp_mesh_spec mesh = dp_mesh_spec_default();
    mesh.name = "m";
    mesh.vertex = corner, mesh.nvertex = 4;
    assert_ok(dp_spec_add_mesh(NULL, spec, &mesh));
    dp_geom_spec geom = dp_geom_spec_default();
    geom.name = "g";
    geom.kind = DP_GEOM_MESH;
    geom.mesh = "m";
    assert_ok(dp_spec_add_geom(NULL, spec, DP_WORLD, &geom));
    dp_sensor_spec s = dp_sensor_spec_default();
    s.name = "s";
    s.kind = DP_SENSOR_FRAME_POSITION;
    s.object_kind = DP_OBJECT_GEOM;
    s.object = "g";
    dp_sensor_id id;
    assert_ok(dp_spec_add_sensor(&id, spec, &s));
    assert_not_written(spec, DP_ERROR_UNSUPPORTED, "sensor 's' is attached to a mesh");
    s.object_kind = DP_OBJECT_BODY;
    s.object = "world";
    s.reference_kind = DP_OBJECT_GEOM;
    s.reference = "g";
    *dp_spec_sensor(spec, id) = s;
    assert_not_written(spec, DP_ERROR_UNSUPPORTED, "sensor 's' is attached to a mesh");
    dp_spec_destroy(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_that_xml_cannot_hold_are_refused),
        cmocka_unit_test(numbers_that_are_not_finite_are_refused),
        cmocka_unit_test(what_no_mechanism_has_is_refused),
        cmocka_unit_test(a_world_that_moves_or_has_another_name_is_refused),
        cmocka_unit_test(constraints_that_mjcf_cannot_say_are_refused),
        cmocka_unit_test(assets_without_content_are_refused),
        cmocka_unit_test(elevations_that_a_reader_would_stretch_are_refused),
        cmocka_unit_test(a_pair_with_the_numbers_of_its_geoms_is_refused),
        cmocka_unit_test(a_sensor_on_a_mesh_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
