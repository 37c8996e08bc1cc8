// Meshes, terrain, contact numbers, equalities and tendons as MJCF text and back.
#include "mesh_shapes.h"
#include "random_spec.h"
#include "small_spec.h"
#include "written.h"

#include "base/text/number.h"
#include "math/v3.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static dp_spec *empty_spec(void)
{
    dp_spec *spec;
    assert_ok(dp_spec_create(&spec, NULL));
    return spec;
}

static void meshes_are_written_with_their_vertices_and_faces(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    const double corner[12] = {0, 0, 0, 0.5, 0, 0, 0, 0.25, 0, 0, 0, 1.0 / 3.0};
    const int face[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    dp_mesh_spec mesh = dp_mesh_spec_default();
    mesh.name = "hull";
    mesh.vertex = corner, mesh.nvertex = 4;
    assert_ok(dp_spec_add_mesh(NULL, spec, &mesh));
    mesh.name = "solid";
    mesh.face = face, mesh.nface = 4;
    mesh.inertia = DP_MESH_INERTIA_EXACT;
    assert_ok(dp_spec_add_mesh(NULL, spec, &mesh));
    dp_geom_spec geom = dp_geom_spec_default();
    geom.kind = DP_GEOM_BOX;
    geom.size[0] = geom.size[1] = geom.size[2] = 0.5;
    geom.shell = true;
    assert_ok(dp_spec_add_geom(NULL, spec, DP_WORLD, &geom));
    const dp_body_id body = add_ball_body(spec, DP_WORLD, "b");
    geom = dp_geom_spec_default();
    geom.kind = DP_GEOM_MESH;
    geom.mesh = "hull";
    assert_ok(dp_spec_add_geom(NULL, spec, body, &geom));
    geom.mesh = "solid";
    assert_ok(dp_spec_add_geom(NULL, spec, body, &geom));
    char *text = written(spec);
    assert_holds(text, "  <asset>\n"
                       "    <mesh name=\"hull\" inertia=\"convex\" "
                       "vertex=\"0 0 0 0.5 0 0 0 0.25 0 0 0 0.3333333333333333\"/>\n"
                       "    <mesh name=\"solid\" inertia=\"exact\" "
                       "vertex=\"0 0 0 0.5 0 0 0 0.25 0 0 0 0.3333333333333333\"\n"
                       "        face=\"0 2 1 0 1 3 0 3 2 1 2 3\"/>\n"
                       "  </asset>\n");
    assert_holds(text, "<geom type=\"mesh\" mesh=\"solid\"/>");
    assert_holds(text, "<geom type=\"box\" size=\"0.5 0.5 0.5\" shellinertia=\"true\"/>");
    free(text);
    assert_round_trip(spec);
    dp_spec_destroy(spec);
}

// The first row of the text is the one of the largest y, as on a map.
static void elevations_are_written_from_north_to_south(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    const double elevation[6] = {0.0, 0.1, 0.2, 0.3, 1.0, 0.5};
    dp_hfield_spec hfield = dp_hfield_spec_default();
    hfield.name = "hills";
    hfield.nrow = 3, hfield.ncol = 2;
    hfield.elevation = elevation;
    hfield.size[0] = 5.0;
    assert_ok(dp_spec_add_hfield(NULL, spec, &hfield));
    hfield.name = "flat";
    hfield.elevation = NULL;
    assert_ok(dp_spec_add_hfield(NULL, spec, &hfield));
    dp_geom_spec geom = dp_geom_spec_default();
    geom.kind = DP_GEOM_HFIELD;
    geom.hfield = "hills";
    assert_ok(dp_spec_add_geom(NULL, spec, DP_WORLD, &geom));
    geom.hfield = "flat";
    assert_ok(dp_spec_add_geom(NULL, spec, DP_WORLD, &geom));
    char *text = written(spec);
    assert_holds(text, "<hfield name=\"hills\" nrow=\"3\" ncol=\"2\" size=\"5 1 1 1\" "
                       "elevation=\"1 0.5 0.2 0.3 0 0.1\"/>");
    assert_holds(text, "<hfield name=\"flat\" nrow=\"3\" ncol=\"2\" size=\"5 1 1 1\"/>");
    assert_holds(text, "<geom type=\"hfield\" hfield=\"hills\"/>");
    free(text);
    assert_round_trip(spec);
    dp_spec_destroy(spec);
}

static void contact_numbers_are_written_where_they_are_not_the_default(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    dp_geom_spec geom = dp_geom_spec_default();
    geom.size[0] = 1.0;
    geom.name = "plain";
    assert_ok(dp_spec_add_geom(NULL, spec, DP_WORLD, &geom));
    geom.name = "stated";
    geom.contact.solver_given = true; // the author wrote what is the default anyway
    assert_ok(dp_spec_add_geom(NULL, spec, DP_WORLD, &geom));
    geom.name = "special";
    geom.contact = (dp_contact_spec){.condim = 6,
                                     .priority = -2,
                                     .solmix = 0.5,
                                     .solref = {-1e5, -200},
                                     .solimp = {0.8, 0.9, 0.01, 0.4, 3},
                                     .solver_given = true,
                                     .margin = 0.01,
                                     .gap = 0.002,
                                     .material = dp_material_default()};
    assert_ok(dp_spec_add_geom(NULL, spec, DP_WORLD, &geom));
    dp_pair_spec pair = dp_pair_spec_default();
    pair.name = "p";
    pair.geom[0] = "plain", pair.geom[1] = "special";
    for (int k = 0; k < 5; ++k) {
        pair.friction[k] = 0.5 * k;
    }
    pair.contact_given = true;
    assert_ok(dp_spec_add_pair(NULL, spec, &pair));
    pair.name = NULL;
    pair.contact = geom.contact;
    assert_ok(dp_spec_add_pair(NULL, spec, &pair));
    dp_exclude_spec exclude = {.name = "e", .body = {"world", "b"}};
    assert_ok(dp_spec_add_exclude(NULL, spec, &exclude));
    char *text = written(spec);
    assert_holds(text, "<geom name=\"plain\" size=\"1\"/>\n");
    assert_holds(text, "<geom name=\"stated\" size=\"1\" solref=\"0.02 1\" "
                       "solimp=\"0.9 0.95 0.001 0.5 2\"/>\n");
    assert_holds(text, "<geom name=\"special\" size=\"1\" condim=\"6\" priority=\"-2\" "
                       "solmix=\"0.5\" solref=\"-100000 -200\"\n"
                       "        solimp=\"0.8 0.9 0.01 0.4 3\" margin=\"0.01\" gap=\"0.002\"/>\n");
    assert_holds(text, "  <contact>\n"
                       "    <pair name=\"p\" geom1=\"plain\" geom2=\"special\" condim=\"3\" "
                       "friction=\"0 0.5 1 1.5 2\" margin=\"0\"\n"
                       "        gap=\"0\"/>\n"
                       "    <pair geom1=\"plain\" geom2=\"special\" condim=\"6\" "
                       "friction=\"0 0.5 1 1.5 2\" solref=\"-100000 -200\"\n"
                       "        solimp=\"0.8 0.9 0.01 0.4 3\" margin=\"0.01\" gap=\"0.002\"/>\n"
                       "    <exclude name=\"e\" body1=\"world\" body2=\"b\"/>\n"
                       "  </contact>\n");
    free(text);
    assert_round_trip(spec);
    dp_spec_destroy(spec);
}

static void equalities_are_written_in_their_order(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    dp_equality_spec e = dp_equality_spec_default();
    e.name = "pin";
    e.object[0] = "a", e.object[1] = "b";
    e.anchor = (dp_v3){0.1, 0.2, 0.3};
    assert_ok(dp_spec_add_equality(NULL, spec, &e));

    e = dp_equality_spec_default();
    e.kind = DP_EQUALITY_JOINT;
    e.object[0] = "j", e.object[1] = "k";
    e.polynomial[0] = 0.25, e.polynomial[1] = 2.0, e.polynomial[4] = -1.0;
    e.active = false;
    assert_ok(dp_spec_add_equality(NULL, spec, &e));

    e = dp_equality_spec_default();
    e.name = "weld";
    e.kind = DP_EQUALITY_WELD;
    e.object[0] = "a";
    e.relative_given = true;
    e.relative = (dp_pose){{0.0, 1.0, 0.0, 0.0}, {1.0, 2.0, 3.0}};
    e.anchor = (dp_v3){0.0, 0.0, 0.5};
    e.torque_scale = 2.5;
    e.solver_given = true;
    assert_ok(dp_spec_add_equality(NULL, spec, &e));

    e = dp_equality_spec_default();
    e.kind = DP_EQUALITY_WELD;
    e.object_kind = DP_OBJECT_SITE;
    e.object[0] = "s", e.object[1] = "t";
    assert_ok(dp_spec_add_equality(NULL, spec, &e));

    e = dp_equality_spec_default();
    e.kind = DP_EQUALITY_TENDON;
    e.object[0] = "rope";
    assert_ok(dp_spec_add_equality(NULL, spec, &e));

    e = dp_equality_spec_default();
    e.object[0] = "a"; // to the world, at its own origin
    assert_ok(dp_spec_add_equality(NULL, spec, &e));

    char *text = written(spec);
    assert_holds(
        text, "  <equality>\n"
              "    <connect name=\"pin\" body1=\"a\" body2=\"b\" anchor=\"0.1 0.2 0.3\"/>\n"
              "    <joint joint1=\"j\" joint2=\"k\" polycoef=\"0.25 2 0 0 -1\" active=\"false\"/>\n"
              "    <weld name=\"weld\" body1=\"a\" relpose=\"1 2 2.5 0 1 0 0\" anchor=\"0 0 0.5\" "
              "torquescale=\"2.5\"\n"
              "        solref=\"0.02 1\" solimp=\"0.9 0.95 0.001 0.5 2\"/>\n"
              "    <weld site1=\"s\" site2=\"t\"/>\n"
              "    <tendon tendon1=\"rope\"/>\n"
              "    <connect body1=\"a\" anchor=\"0 0 0\"/>\n"
              "  </equality>\n");
    free(text);
    assert_round_trip(spec);
    dp_spec_destroy(spec);
}

// A reader computes relative = relpose − R anchor; what is written makes that come out to the bit.
static void a_relpose_holds_the_anchor_and_gives_it_back(void **state)
{
    (void)state;
    random_source r = {5};
    dp_spec *spec = empty_spec();
    dp_equality_spec e = dp_equality_spec_default();
    e.name = "e";
    e.kind = DP_EQUALITY_WELD;
    e.object[0] = "a", e.object[1] = "b";
    e.relative_given = true;
    dp_equality_id id;
    assert_ok(dp_spec_add_equality(&id, spec, &e));
    for (int k = 0; k < 500; ++k) {
        double q[4], x[7];
        random_direction(q, 4, &r);
        e.anchor = (dp_v3){random_between(&r, -1, 1), random_between(&r, -1, 1), 0.0};
        e.relative.q = dp_quat_unit(dp_quat_load(q));
        // As if it had been read: the difference of a relpose and the anchor.
        const dp_v3 held = {random_between(&r, -3, 3), random_between(&r, -1e-3, 1e-3), 0.0};
        const dp_v3 turned = dp_quat_rotate(e.relative.q, e.anchor);
        e.relative.p = dp_v3_sub(held, turned);
        *dp_spec_equality(spec, id) = e;
        char *text = written(spec);
        const char *cursor = strstr(text, "relpose=\"") + strlen("relpose=\"");
        *strchr(cursor, '"') = '\0';
        for (int i = 0; i < 7; ++i) {
            assert_int_equal(dp_number_read(&x[i], &cursor), DP_NUMBER_OK);
        }
        const dp_v3 back = dp_v3_sub(dp_v3_load(x), turned);
        assert_memory_equal(&back, &e.relative.p, sizeof back);
        free(text);
        assert_round_trip(spec);
    }
    dp_spec_destroy(spec);
}

static void what_is_our_own_declares_its_namespace(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    dp_equality_spec e = dp_equality_spec_default();
    e.kind = DP_EQUALITY_DISTANCE;
    e.object[0] = "a", e.object[1] = "b";
    e.second_anchor.z = 0.5;
    e.distance = 2.0;
    e.bearing = (dp_bearing){100.0, 0.5};
    assert_ok(dp_spec_add_equality(NULL, spec, &e));
    e = dp_equality_spec_default();
    e.kind = DP_EQUALITY_PLANE;
    e.object[0] = "a", e.object[1] = "b";
    e.anchor.x = 1.0;
    e.relative_given = true;
    assert_ok(dp_spec_add_equality(NULL, spec, &e));
    e = dp_equality_spec_default();
    e.kind = DP_EQUALITY_JOINT;
    e.object[0] = "j";
    e.bearing.stiffness = 3.0;
    assert_ok(dp_spec_add_equality(NULL, spec, &e));
    char *text = written(spec);
    assert_holds(text, "<dp:distance xmlns:dp=\"dashpot\" body1=\"a\" body2=\"b\" anchor2=\"0 0 "
                       "0.5\" distance=\"2\"\n        dp:stiffness=\"100\" dp:damping=\"0.5\"/>");
    assert_holds(text, "<dp:plane xmlns:dp=\"dashpot\" body1=\"a\" body2=\"b\" pos=\"0 0 0\" "
                       "anchor=\"1 0 0\"/>");
    assert_holds(text, "<joint joint1=\"j\" xmlns:dp=\"dashpot\" dp:stiffness=\"3\"/>");
    free(text);
    assert_round_trip(spec);
    dp_spec_destroy(spec);
}

static void tendons_are_written_with_their_paths(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    const dp_wrap_spec path[] = {{.kind = DP_WRAP_SITE, .object = "s"},
                                 {.kind = DP_WRAP_GEOM, .object = "g", .side = "side"},
                                 {.kind = DP_WRAP_SITE, .object = "t"},
                                 {.kind = DP_WRAP_PULLEY, .coefficient = 2.0},
                                 {.kind = DP_WRAP_SITE, .object = "t"},
                                 {.kind = DP_WRAP_GEOM, .object = "h"},
                                 {.kind = DP_WRAP_SITE, .object = "u"}};
    dp_tendon_spec tendon = dp_tendon_spec_default();
    tendon.name = "rope";
    tendon.spatial = true;
    tendon.wrap = path, tendon.nwrap = 7;
    tendon.limited = true;
    tendon.range[1] = 0.75;
    tendon.stiffness = 10.0;
    tendon.damping = 0.5;
    tendon.spring_range[0] = 0.25, tendon.spring_range[1] = 0.5;
    tendon.friction_loss = 0.125;
    tendon.armature = 0.0625;
    tendon.limit_solref[0] = 0.01;
    tendon.limit_solimp[4] = 3.0;
    tendon.limit_solver_given = true;
    tendon.margin = 0.001;
    assert_ok(dp_spec_add_tendon(NULL, spec, &tendon));
    const dp_wrap_spec sum[] = {{.kind = DP_WRAP_JOINT, .object = "j", .coefficient = -0.5},
                                {.kind = DP_WRAP_JOINT, .object = "k", .coefficient = 0.0}};
    tendon = dp_tendon_spec_default();
    tendon.wrap = sum, tendon.nwrap = 2;
    assert_ok(dp_spec_add_tendon(NULL, spec, &tendon));
    char *text = written(spec);
    assert_holds(text, "  <tendon>\n"
                       "    <spatial name=\"rope\" limited=\"true\" range=\"0 0.75\" "
                       "stiffness=\"10\" damping=\"0.5\"\n"
                       "        springlength=\"0.25 0.5\" frictionloss=\"0.125\" "
                       "armature=\"0.0625\" solreflimit=\"0.01 1\"\n"
                       "        solimplimit=\"0.9 0.95 0.001 0.5 3\" margin=\"0.001\">\n"
                       "      <site site=\"s\"/>\n"
                       "      <geom geom=\"g\" sidesite=\"side\"/>\n"
                       "      <site site=\"t\"/>\n"
                       "      <pulley divisor=\"2\"/>\n"
                       "      <site site=\"t\"/>\n"
                       "      <geom geom=\"h\"/>\n"
                       "      <site site=\"u\"/>\n"
                       "    </spatial>\n"
                       "    <fixed>\n"
                       "      <joint joint=\"j\" coef=\"-0.5\"/>\n"
                       "      <joint joint=\"k\" coef=\"0\"/>\n"
                       "    </fixed>\n"
                       "  </tendon>\n");
    free(text);
    assert_round_trip(spec);
    dp_spec_destroy(spec);
}

static void actuators_and_sensors_of_tendons_and_sites_name_them(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    dp_actuator_spec a = dp_actuator_spec_default();
    a.transmission = DP_TRANSMISSION_TENDON;
    a.tendon = "rope";
    assert_ok(dp_spec_add_actuator(NULL, spec, &a));
    a.transmission = DP_TRANSMISSION_SITE;
    a.tendon = NULL;
    a.site = "s";
    a.reference_site = "t";
    a.gear[0] = 0.0, a.gear[5] = 1.0;
    assert_ok(dp_spec_add_actuator(NULL, spec, &a));
    for (int kind = DP_SENSOR_TENDON_POSITION; kind <= DP_SENSOR_TENDON_ACTUATOR_FORCE; ++kind) {
        dp_sensor_spec s = dp_sensor_spec_default();
        s.kind = (dp_sensor_kind)kind;
        s.object = "rope";
        assert_ok(dp_spec_add_sensor(NULL, spec, &s));
    }
    char *text = written(spec);
    assert_holds(text, "<general tendon=\"rope\" dyntype=\"none\" gaintype=\"fixed\" "
                       "gainprm=\"1\" biastype=\"none\"/>");
    assert_holds(text, "<general site=\"s\" refsite=\"t\" gear=\"0 0 0 0 0 1\" dyntype=\"none\" "
                       "gaintype=\"fixed\" gainprm=\"1\"\n        biastype=\"none\"/>");
    assert_holds(text, "    <tendonpos tendon=\"rope\"/>\n"
                       "    <tendonvel tendon=\"rope\"/>\n"
                       "    <tendonactuatorfrc tendon=\"rope\"/>\n");
    free(text);
    assert_round_trip(spec);
    dp_spec_destroy(spec);
}

// ---- at random

static const char *name_of(char text[16], const char *kind, int number)
{
    snprintf(text, 16, "%s%d", kind, number);
    return text;
}

// Meshes with and without faces, and terrain, on bodies and on the world.
static void add_random_shapes(dp_spec *spec, random_source *r)
{
    dp_pool pool;
    dp_pool_init(&pool, NULL);
    char name[16];
    for (int k = 0; k < 3; ++k) {
        const dp_mesh shape = k == 0   ? star_mesh(&pool, 1, r)
                              : k == 1 ? cloud_mesh(&pool, 10, r)
                                       : prism_mesh(&pool, 3 + random_below(r, 5), 0.3, 0.2);
        dp_mesh_spec mesh = dp_mesh_spec_default();
        mesh.name = name_of(name, "mesh", k);
        mesh.vertex = shape.vertex, mesh.nvertex = shape.nvertex;
        mesh.face = shape.face, mesh.nface = shape.nface;
        mesh.inertia = (dp_mesh_inertia)(k == 1 ? 0 : random_below(r, 4));
        assert_ok(dp_spec_add_mesh(NULL, spec, &mesh));
        dp_geom_spec geom = dp_geom_spec_default();
        geom.kind = DP_GEOM_MESH;
        geom.mesh = name;
        geom.pose.p.x = random_between(r, -1.0, 1.0);
        geom.contact.margin = random_between(r, 0.0, 0.01);
        geom.contact.solver_given = random_chance(r, 0.5);
        geom.contact.solref[0] = random_between(r, 0.01, 0.1);
        const dp_body_id body = {random_below(r, dp_spec_body_count(spec))};
        assert_ok(dp_spec_add_geom(NULL, spec, body, &geom));
    }
    double elevation[12] = {0.0, 1.0};
    for (int i = 2; i < 12; ++i) {
        elevation[i] = random_between(r, 0.0, 1.0);
    }
    dp_hfield_spec hfield = dp_hfield_spec_default();
    hfield.name = "hills";
    hfield.nrow = 4, hfield.ncol = 3;
    hfield.elevation = elevation;
    hfield.size[2] = random_between(r, 0.1, 2.0);
    assert_ok(dp_spec_add_hfield(NULL, spec, &hfield));
    dp_geom_spec ground = dp_geom_spec_default();
    ground.name = "ground";
    ground.kind = DP_GEOM_HFIELD;
    ground.hfield = "hills";
    assert_ok(dp_spec_add_geom(NULL, spec, DP_WORLD, &ground));
    dp_pool_destroy(&pool);
}

static void add_random_tendons(dp_spec *spec, random_source *r)
{
    const int nbody = dp_spec_body_count(spec) - 1;
    char name[4][16];
    for (int k = 0; k < 4; ++k) {
        dp_tendon_spec tendon = dp_tendon_spec_default();
        char own[16];
        tendon.name = name_of(own, "t", k);
        tendon.spatial = k % 2;
        dp_wrap_spec path[4];
        for (int i = 0; i < 4; ++i) {
            path[i] = (dp_wrap_spec){.kind = tendon.spatial ? DP_WRAP_SITE : DP_WRAP_JOINT};
            path[i].coefficient = random_between(r, 0.5, 2.0);
            path[i].object = tendon.spatial ? name_of(name[i], "s", 1 + (i + k) % nbody)
                                            : name_of(name[i], "j", i + k);
        }
        if (random_chance(r, 0.5) && tendon.spatial) {
            path[2].kind = DP_WRAP_PULLEY;
        }
        tendon.wrap = path, tendon.nwrap = 4;
        tendon.limited = random_chance(r, 0.5);
        tendon.range[1] = random_between(r, 1.0, 2.0);
        tendon.stiffness = random_between(r, 0.0, 2.0);
        tendon.damping = random_between(r, 0.0, 2.0);
        tendon.spring_range[1] = random_chance(r, 0.5) ? random_between(r, 0.0, 1.0) : -1.0;
        tendon.friction_loss = random_between(r, 0.0, 0.2);
        tendon.armature = random_between(r, 0.0, 0.2);
        tendon.margin = random_between(r, 0.0, 0.2);
        tendon.limit_solimp[1] = random_between(r, 0.9, 1.0);
        tendon.limit_solver_given = random_chance(r, 0.5);
        if (random_chance(r, 0.5)) {
            tendon.limit = (dp_bearing){random_between(r, 1.0, 9.0), random_between(r, 0.0, 9.0)};
        }
        assert_ok(dp_spec_add_tendon(NULL, spec, &tendon));

        dp_actuator_spec a = dp_actuator_spec_default();
        a.transmission = k % 2 ? DP_TRANSMISSION_TENDON : DP_TRANSMISSION_SITE;
        a.tendon = k % 2 ? own : NULL;
        a.site = k % 2 ? NULL : "s1";
        a.reference_site = k == 2 ? "s1" : NULL;
        a.gear[3] = random_between(r, -1.0, 1.0);
        assert_ok(dp_spec_add_actuator(NULL, spec, &a));
        dp_sensor_spec s = dp_sensor_spec_default();
        s.kind = (dp_sensor_kind)(DP_SENSOR_TENDON_POSITION + k % 3);
        s.object = own;
        assert_ok(dp_spec_add_sensor(NULL, spec, &s));
    }
}

static void add_random_equalities(dp_spec *spec, random_source *r)
{
    static const char *const object[][2] = {
        {"b1", NULL}, {"b1", "world"}, {"j0", "j1"}, {"t0", "t1"}};
    for (int j = 0; j < dp_spec_joint_count(spec); ++j) {
        dp_joint_spec *joint = dp_spec_joint(spec, (dp_joint_id){j});
        joint->limit_solver_given = random_chance(r, 0.3);
        joint->limit_solref[0] = random_between(r, 0.01, 0.1);
        if (random_chance(r, 0.5)) {
            joint->limit = (dp_bearing){random_between(r, 1.0, 9.0), random_between(r, 0.0, 9.0)};
        }
    }
    for (int k = 0; k < 12; ++k) {
        dp_equality_spec e = dp_equality_spec_default();
        char name[16];
        e.name = name_of(name, "e", k);
        e.kind = (dp_equality_kind)(k % 4);
        e.object[0] = object[k % 4][0];
        e.object[1] = object[k % 4][1];
        double x[4];
        random_direction(x, 4, r);
        if (k % 4 == 1 && random_chance(r, 0.5)) {
            e.object_kind = DP_OBJECT_SITE;
            e.object[0] = "s1", e.object[1] = "s1";
        } else if (k % 4 < 2) {
            e.anchor = (dp_v3){x[0], x[1], x[2]};
        }
        if (k % 4 == 1 && e.object_kind == DP_OBJECT_BODY && random_chance(r, 0.5)) {
            e.relative_given = true;
            e.relative.q = dp_quat_unit(dp_quat_load(x));
            // The difference of two numbers, as a reader finds it.
            e.relative.p =
                dp_v3_sub((dp_v3){x[1], x[3], x[0]}, dp_quat_rotate(e.relative.q, e.anchor));
        }
        e.torque_scale = random_between(r, 0.5, 2.0);
        e.polynomial[2] = x[3];
        e.active = random_chance(r, 0.7);
        e.solver_given = random_chance(r, 0.5);
        e.solref[1] = e.solver_given ? random_between(r, 0.5, 1.5) : e.solref[1];
        if (random_chance(r, 0.5)) {
            e.bearing = (dp_bearing){random_between(r, 1.0, 9.0), random_between(r, 0.0, 9.0)};
        }
        assert_ok(dp_spec_add_equality(NULL, spec, &e));
    }
    for (int k = 0; k < 8; ++k) {
        dp_equality_spec e = dp_equality_spec_default();
        e.kind = k % 2 ? DP_EQUALITY_PLANE : DP_EQUALITY_DISTANCE;
        const bool sites = random_chance(r, 0.3);
        e.object_kind = sites ? DP_OBJECT_SITE : DP_OBJECT_BODY;
        e.object[0] = sites ? "s1" : "b1", e.object[1] = sites ? "s1" : "world";
        double x[4];
        random_direction(x, 4, r);
        if (!sites) {
            e.anchor = (dp_v3){x[0], x[1], x[2]};
            e.second_anchor = k % 2 ? e.second_anchor : (dp_v3){x[3], x[1], x[0]};
            e.relative_given = k % 2 && random_chance(r, 0.7);
        }
        if (e.relative_given) {
            e.relative = (dp_pose){dp_quat_unit(dp_quat_load(x)), {x[2], x[1], x[3]}};
        }
        e.distance = random_chance(r, 0.5) ? random_between(r, 0.1, 1.0) : -1.0;
        e.active = random_chance(r, 0.7);
        e.solver_given = random_chance(r, 0.3);
        if (random_chance(r, 0.5)) {
            e.bearing = (dp_bearing){random_between(r, 1.0, 9.0), random_between(r, 0.0, 9.0)};
        }
        assert_ok(dp_spec_add_equality(NULL, spec, &e));
    }
    for (int k = 0; k < 3; ++k) {
        dp_pair_spec pair = dp_pair_spec_default();
        pair.geom[0] = "ground", pair.geom[1] = "ground";
        for (int i = 0; i < 5; ++i) {
            pair.friction[i] = random_between(r, 0.0, 1.0);
        }
        pair.contact.condim = random_chance(r, 0.5) ? 4 : 1;
        pair.contact.gap = random_between(r, 0.0, 0.1);
        pair.contact_given = true;
        assert_ok(dp_spec_add_pair(NULL, spec, &pair));
        const dp_exclude_spec exclude = {.body = {"b1", "world"}};
        assert_ok(dp_spec_add_exclude(NULL, spec, &exclude));
    }
}

// What does not hang from bodies comes back in the first reading; bodies may get another order
// then, and all is the same from the second on.
static void random_shapes_and_constraints_survive(void **state)
{
    (void)state;
    static const dp_element_kind free_standing[] = {
        DP_ELEMENT_ACTUATOR, DP_ELEMENT_SENSOR, DP_ELEMENT_HFIELD,  DP_ELEMENT_PAIR,
        DP_ELEMENT_EXCLUDE,  DP_ELEMENT_TENDON, DP_ELEMENT_EQUALITY};
    for (uint64_t seed = 1; seed <= 100; ++seed) {
        const random_spec_options options = random_spec_default(seed);
        dp_spec *spec = random_spec(&options);
        random_source r = {seed};
        add_random_shapes(spec, &r);
        add_random_tendons(spec, &r);
        add_random_equalities(spec, &r);
        char *text = written(spec);
        dp_spec *again = read_written(text);
        for (size_t i = 0; i < sizeof free_standing / sizeof free_standing[0]; ++i) {
            assert_same_elements(spec, again, free_standing[i]);
        }
        assert_round_trip(again);
        free(text);
        dp_spec_destroy(spec);
        dp_spec_destroy(again);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meshes_are_written_with_their_vertices_and_faces),
        cmocka_unit_test(elevations_are_written_from_north_to_south),
        cmocka_unit_test(contact_numbers_are_written_where_they_are_not_the_default),
        cmocka_unit_test(equalities_are_written_in_their_order),
        cmocka_unit_test(a_relpose_holds_the_anchor_and_gives_it_back),
        cmocka_unit_test(what_is_our_own_declares_its_namespace),
        cmocka_unit_test(tendons_are_written_with_their_paths),
        cmocka_unit_test(actuators_and_sensors_of_tendons_and_sites_name_them),
        cmocka_unit_test(random_shapes_and_constraints_survive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
