// Geoms of meshes and height fields, and hollow ones: what they weigh, what is kept of them.
#include "mesh_shapes.h"
#include "small_spec.h"

#include "geom/mass.h"
#include "math/angle.h"
#include "model/model.h"
#include "model/spec/spec.h"

#include <math.h>
#include <string.h>

// A few operations per face.
static const double ROUND_OFF = 1e-12;

// A pose that is nothing special.
static const dp_pose SOMEWHERE = {{0.5, 0.1, -0.7, 0.4}, {0.3, -0.2, 0.1}};

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

// A spec with one free body that has one geom, still to be described.
static dp_spec *one_body(const dp_geom_spec *geom)
{
    dp_spec *spec;
    assert_int_equal(dp_spec_create(&spec, NULL), DP_OK);
    dp_body_spec body = dp_body_spec_default();
    body.name = "body";
    dp_body_id id;
    assert_int_equal(dp_spec_add_body(&id, spec, DP_WORLD, &body), DP_OK);
    add_joint(spec, id, "flight", DP_JOINT_FREE);
    assert_int_equal(dp_spec_add_geom(NULL, spec, id, geom), DP_OK);
    return spec;
}

static void add_mesh(dp_spec *spec, const char *name, const dp_mesh *mesh, dp_mesh_inertia inertia)
{
    dp_mesh_spec added = dp_mesh_spec_default();
    added.name = name;
    added.vertex = mesh->vertex, added.nvertex = mesh->nvertex;
    added.face = mesh->face, added.nface = mesh->nface;
    added.inertia = inertia;
    assert_int_equal(dp_spec_add_mesh(NULL, spec, &added), DP_OK);
}

static dp_geom_spec mesh_geom(void)
{
    dp_geom_spec geom = dp_geom_spec_default();
    geom.name = "geom";
    geom.kind = DP_GEOM_MESH;
    geom.mesh = "mesh";
    geom.pose = SOMEWHERE;
    geom.contype = geom.conaffinity = 0;
    return geom;
}

static dp_model *compiled(dp_spec *spec)
{
    dp_model *m;
    if (dp_model_compile(&m, spec) != DP_OK) {
        fail_msg("%s", dp_last_error());
    }
    dp_spec_destroy(spec);
    return m;
}

static dp_model *body_of_mesh(const dp_mesh *mesh, dp_mesh_inertia inertia)
{
    const dp_geom_spec geom = mesh_geom();
    dp_spec *spec = one_body(&geom);
    add_mesh(spec, "mesh", mesh, inertia);
    return compiled(spec);
}

static dp_model *body_of_primitive(dp_geom_kind kind, double a, double b, double c, bool shell)
{
    dp_geom_spec geom = mesh_geom();
    geom.kind = kind;
    geom.size[0] = a, geom.size[1] = b, geom.size[2] = c;
    geom.shell = shell;
    return compiled(one_body(&geom));
}

// Body 1 of both: mass, centre and inertia about the body's origin, relative to their sizes.
static void assert_same_body(const dp_model *actual, const dp_model *expected, double tolerance)
{
    const dp_body *a = &actual->body[1], *b = &expected->body[1];
    const double trace = b->inertia.xx + b->inertia.yy + b->inertia.zz;
    assert_near(a->mass / b->mass, 1.0, tolerance);
    assert_near(a->moment.x / b->mass, b->moment.x / b->mass, tolerance);
    assert_near(a->moment.y / b->mass, b->moment.y / b->mass, tolerance);
    assert_near(a->moment.z / b->mass, b->moment.z / b->mass, tolerance);
    assert_near(a->inertia.xx / trace, b->inertia.xx / trace, tolerance);
    assert_near(a->inertia.yy / trace, b->inertia.yy / trace, tolerance);
    assert_near(a->inertia.zz / trace, b->inertia.zz / trace, tolerance);
    assert_near(a->inertia.xy / trace, b->inertia.xy / trace, tolerance);
    assert_near(a->inertia.xz / trace, b->inertia.xz / trace, tolerance);
    assert_near(a->inertia.yz / trace, b->inertia.yz / trace, tolerance);
}

static void a_box_of_triangles_weighs_what_a_box_weighs(void **state)
{
    const dp_mesh box = box_mesh(*state, 0.3, 0.2, 0.1);
    dp_model *expected = body_of_primitive(DP_GEOM_BOX, 0.3, 0.2, 0.1, false);
    const dp_mesh_inertia solid[] = {DP_MESH_INERTIA_CONVEX, DP_MESH_INERTIA_EXACT};
    for (int i = 0; i < 2; ++i) {
        dp_model *m = body_of_mesh(&box, solid[i]);
        assert_same_body(m, expected, ROUND_OFF);
        dp_model_destroy(m);
    }
    dp_model_destroy(expected);
}

static void the_surface_of_a_box_of_triangles_weighs_what_a_hollow_box_weighs(void **state)
{
    const dp_mesh box = box_mesh(*state, 0.3, 0.2, 0.1);
    dp_model *expected = body_of_primitive(DP_GEOM_BOX, 0.3, 0.2, 0.1, true);
    dp_model *m = body_of_mesh(&box, DP_MESH_INERTIA_SHELL);
    assert_same_body(m, expected, ROUND_OFF);
    dp_model_destroy(m);
    dp_model_destroy(expected);
}

static void fine_spheres_of_triangles_weigh_nearly_what_spheres_weigh(void **state)
{
    dp_model *solid = body_of_primitive(DP_GEOM_SPHERE, 0.2, 0.0, 0.0, false);
    dp_model *hollow = body_of_primitive(DP_GEOM_SPHERE, 0.2, 0.0, 0.0, true);
    const dp_mesh ball = icosphere_mesh(*state, 0.2, 4);
    dp_model *convex = body_of_mesh(&ball, DP_MESH_INERTIA_CONVEX);
    dp_model *shell = body_of_mesh(&ball, DP_MESH_INERTIA_SHELL);
    // 2562 vertices: edges of about 0.07 r, whose triangles lie up to e²/6 below the sphere, and
    // the moment has the fifth power of the radius.
    assert_same_body(convex, solid, 5.0 * 0.07 * 0.07 / 6.0);
    assert_same_body(shell, hollow, 5.0 * 0.07 * 0.07 / 6.0);
    dp_model_destroy(convex);
    dp_model_destroy(shell);
    dp_model_destroy(solid);
    dp_model_destroy(hollow);
}

static void a_mesh_that_is_not_convex_weighs_less_than_its_hull(void **state)
{
    const dp_mesh ring = ring_mesh(*state, 12, 1.0, 0.2);
    dp_model *exact = body_of_mesh(&ring, DP_MESH_INERTIA_EXACT);
    dp_model *convex = body_of_mesh(&ring, DP_MESH_INERTIA_CONVEX);
    // The hull is the outer prism, 2s high; a regular polygon of n corners at R has the area
    // n/2 R² sin(2π/n).
    const double polygon = 6.0 * sin(DP_PI / 6.0);
    assert_near(exact->body[1].mass, 1000.0 * 2.0 * 0.2 * polygon * (1.2 * 1.2 - 0.8 * 0.8),
                1000.0 * ROUND_OFF);
    assert_near(convex->body[1].mass, 1000.0 * 2.0 * 0.2 * polygon * 1.2 * 1.2, 2000.0 * ROUND_OFF);
    dp_model_destroy(exact);
    dp_model_destroy(convex);
}

static void corners_alone_stand_for_their_hull(void **state)
{
    dp_mesh box = box_mesh(*state, 0.3, 0.2, 0.1);
    box.nface = 0;
    box.face = NULL;
    const dp_mesh_inertia inertia[] = {DP_MESH_INERTIA_CONVEX, DP_MESH_INERTIA_EXACT,
                                       DP_MESH_INERTIA_SHELL};
    for (int i = 0; i < 3; ++i) {
        dp_model *m = body_of_mesh(&box, inertia[i]);
        dp_model *expected =
            body_of_primitive(DP_GEOM_BOX, 0.3, 0.2, 0.1, inertia[i] == DP_MESH_INERTIA_SHELL);
        assert_same_body(m, expected, ROUND_OFF);
        const dp_mesh_info info = dp_model_mesh(m, (dp_mesh_id){0});
        assert_int_equal(info.nface, 12); // for who draws it
        assert_int_equal(info.nvertex, 8);
        dp_model_destroy(expected);
        dp_model_destroy(m);
    }
}

static void a_geom_of_a_mesh_keeps_its_pose(void **state)
{
    // Off its origin and askew, so that recentring would show.
    const dp_v3 corner[4] = {{1.0, 2.0, 3.0}, {1.4, 2.0, 3.1}, {1.0, 2.3, 3.0}, {1.1, 2.0, 3.5}};
    const dp_mesh mesh = tetrahedron_mesh(*state, corner);
    dp_model *m = body_of_mesh(&mesh, DP_MESH_INERTIA_EXACT);
    const dp_geom_info geom = dp_model_geom(m, (dp_geom_id){0});
    assert_true(geom.pose.p.x == SOMEWHERE.p.x && geom.pose.p.z == SOMEWHERE.p.z);
    assert_near(geom.pose.q.x * dp_quat_norm(SOMEWHERE.q), SOMEWHERE.q.x, 1e-15);
    assert_int_equal(geom.mesh.index, 0);
    const dp_mesh_info info = dp_model_mesh(m, geom.mesh);
    assert_true(info.vertex[0] == 1.0 && info.vertex[11] == 3.5);
    // The mean of its corners is the centre of mass of a tetrahedron.
    dp_pose X = SOMEWHERE;
    X.q = dp_quat_unit(X.q);
    const dp_v3 com = dp_pose_apply(X, (dp_v3){4.5 / 4.0, 8.3 / 4.0, 12.6 / 4.0});
    const dp_v3 found = dp_model_body(m, (dp_body_id){1}).inertial.frame.p;
    assert_near(found.x, com.x, 10.0 * ROUND_OFF);
    assert_near(found.y, com.y, 10.0 * ROUND_OFF);
    assert_near(found.z, com.z, 10.0 * ROUND_OFF);
    dp_model_destroy(m);
}

static void a_given_mass_is_spread_over_the_mesh(void **state)
{
    const dp_mesh box = box_mesh(*state, 0.3, 0.2, 0.1);
    dp_geom_spec geom = mesh_geom();
    geom.mass = 2.5;
    dp_spec *spec = one_body(&geom);
    add_mesh(spec, "mesh", &box, DP_MESH_INERTIA_CONVEX);
    dp_model *m = compiled(spec);
    const dp_inertial inertial = dp_model_body(m, (dp_body_id){1}).inertial;
    assert_true(inertial.mass == 2.5);
    assert_near(inertial.moments.x, 2.5 * (0.3 * 0.3 + 0.2 * 0.2) / 3.0, ROUND_OFF); // the largest
    assert_near(inertial.moments.z, 2.5 * (0.2 * 0.2 + 0.1 * 0.1) / 3.0, ROUND_OFF);
    assert_near(dp_model_mesh(m, (dp_mesh_id){0}).measure, 8.0 * 0.3 * 0.2 * 0.1, ROUND_OFF);
    dp_model_destroy(m);
}

static void many_geoms_may_show_one_mesh(void **state)
{
    const dp_mesh box = box_mesh(*state, 0.3, 0.2, 0.1);
    dp_geom_spec geom = mesh_geom();
    dp_spec *spec = one_body(&geom);
    add_mesh(spec, "mesh", &box, DP_MESH_INERTIA_CONVEX);
    geom.name = NULL;
    geom.pose = DP_IDENTITY_POSE;
    for (int i = 0; i < 3; ++i) {
        geom.pose.p.x = i;
        assert_int_equal(dp_spec_add_geom(NULL, spec, (dp_body_id){1}, &geom), DP_OK);
    }
    dp_model *m = compiled(spec);
    assert_near(m->body[1].mass, 4.0 * 1000.0 * 0.048, 200.0 * ROUND_OFF);
    dp_model_destroy(m);
}

// A square of two triangles.
static dp_mesh sheet(dp_pool *pool)
{
    static const double vertex[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
    static const int face[6] = {0, 1, 3, 0, 3, 2};
    const dp_mesh flat = {"sheet", vertex, 4, face, 2};
    double *v;
    int *f;
    return copy_mesh(&v, &f, pool, &flat);
}

static void a_flat_mesh_may_be_looked_at_and_be_hollow(void **state)
{
    const dp_mesh flat = sheet(*state);
    dp_geom_spec geom = dp_geom_spec_default(); // the mass of the body
    geom.size[0] = 0.1;
    geom.contype = geom.conaffinity = 0;
    dp_spec *spec = one_body(&geom);
    add_mesh(spec, "mesh", &flat, DP_MESH_INERTIA_CONVEX);
    dp_geom_spec decal = mesh_geom();
    decal.mass = 0.0;
    assert_int_equal(dp_spec_add_geom(NULL, spec, (dp_body_id){1}, &decal), DP_OK);
    dp_model *m = compiled(spec);
    const dp_mesh_info info = dp_model_mesh(m, (dp_mesh_id){0});
    assert_int_equal(info.nface, 2);
    assert_int_equal(info.nhull_face, 0);
    assert_true(info.measure == 0.0);
    dp_model_destroy(m);

    m = body_of_mesh(&flat, DP_MESH_INERTIA_SHELL); // 1 m² of 1000 kg/m²
    assert_near(m->body[1].mass, 1000.0, 1000.0 * ROUND_OFF);
    dp_model_destroy(m);
}

static void a_fixed_mesh_touches_by_its_triangles_and_needs_no_hull(void **state)
{
    const dp_mesh flat = sheet(*state);
    dp_spec *spec;
    assert_int_equal(dp_spec_create(&spec, NULL), DP_OK);
    dp_geom_spec ground = mesh_geom();
    ground.contype = ground.conaffinity = 1;
    assert_int_equal(dp_spec_add_geom(NULL, spec, DP_WORLD, &ground), DP_OK);
    add_mesh(spec, "mesh", &flat, DP_MESH_INERTIA_CONVEX);
    dp_model *m = compiled(spec);
    assert_int_equal(m->mesh[0].hull.nvertex, 0);
    dp_model_destroy(m);
}

// A fixed body with a mesh and, hanging from it, a shelf with one; and a door on a hinge at the
// shelf.
static dp_model *cupboard(const dp_mesh *mesh, bool door, dp_mesh_contact contact)
{
    dp_spec *spec;
    assert_int_equal(dp_spec_create(&spec, NULL), DP_OK);
    add_mesh(spec, "mesh", mesh, DP_MESH_INERTIA_EXACT);
    dp_geom_spec geom = mesh_geom();
    geom.contype = geom.conaffinity = 1;
    geom.mesh_contact = contact;
    dp_body_id at = DP_WORLD;
    for (int i = 0; i < (door ? 3 : 2); ++i) {
        dp_body_spec body = dp_body_spec_default();
        assert_int_equal(dp_spec_add_body(&at, spec, at, &body), DP_OK);
        if (i == 2) {
            add_joint(spec, at, "hinge", DP_JOINT_HINGE);
            geom.mesh_contact = DP_MESH_CONTACT_AUTO;
        }
        geom.name = NULL;
        assert_int_equal(dp_spec_add_geom(NULL, spec, at, &geom), DP_OK);
    }
    assert_int_equal(dp_spec_add_geom(NULL, spec, DP_WORLD, &geom), DP_OK);
    return compiled(spec);
}

static dp_mesh_contact contact_of(const dp_model *m, int geom)
{
    return dp_model_geom(m, (dp_geom_id){geom}).mesh_contact;
}

static void the_fixed_base_of_a_mechanism_touches_by_its_hull(void **state)
{
    const dp_mesh ring = ring_mesh(*state, 12, 1.0, 0.2);
    dp_model *m = cupboard(&ring, true, DP_MESH_CONTACT_AUTO);
    for (int g = 0; g < 3; ++g) {
        assert_int_equal(contact_of(m, g), DP_MESH_CONTACT_HULL);
    }
    assert_int_equal(contact_of(m, 3), DP_MESH_CONTACT_TRIANGLES); // on the world
    dp_model_destroy(m);
}

static void fixed_bodies_from_which_nothing_hangs_touch_by_triangles(void **state)
{
    const dp_mesh ring = ring_mesh(*state, 12, 1.0, 0.2);
    dp_model *m = cupboard(&ring, false, DP_MESH_CONTACT_AUTO);
    for (int g = 0; g < 3; ++g) {
        assert_int_equal(contact_of(m, g), DP_MESH_CONTACT_TRIANGLES);
    }
    dp_model_destroy(m);
}

static void a_geom_can_ask_for_triangles_or_for_the_hull(void **state)
{
    const dp_mesh ring = ring_mesh(*state, 12, 1.0, 0.2);
    dp_model *m = cupboard(&ring, true, DP_MESH_CONTACT_TRIANGLES);
    assert_int_equal(contact_of(m, 0), DP_MESH_CONTACT_TRIANGLES);
    assert_int_equal(contact_of(m, 2), DP_MESH_CONTACT_HULL);
    dp_model_destroy(m);
    m = cupboard(&ring, false, DP_MESH_CONTACT_HULL);
    assert_int_equal(contact_of(m, 0), DP_MESH_CONTACT_HULL);
    dp_model_destroy(m);
}

static void what_moves_cannot_ask_for_triangles(void **state)
{
    const dp_mesh ring = ring_mesh(*state, 12, 1.0, 0.2);
    dp_geom_spec geom = mesh_geom();
    geom.mesh_contact = DP_MESH_CONTACT_TRIANGLES;
    dp_spec *spec = one_body(&geom);
    add_mesh(spec, "mesh", &ring, DP_MESH_INERTIA_EXACT);
    dp_model *m;
    assert_int_equal(dp_model_compile(&m, spec), DP_ERROR_ARGUMENT);
    assert_non_null(strstr(dp_last_error(), "triangles"));
    dp_spec_destroy(spec);
}

static void a_moving_mesh_that_may_touch_gets_a_hull(void **state)
{
    const dp_mesh ring = ring_mesh(*state, 12, 1.0, 0.2);
    for (int paired = 0; paired < 2; ++paired) {
        dp_geom_spec geom = mesh_geom();
        geom.contype = paired ? 0 : 1;
        dp_spec *spec = one_body(&geom);
        assert_int_equal(dp_spec_allow(spec, "contact"), DP_OK);
        add_mesh(spec, "mesh", &ring, DP_MESH_INERTIA_EXACT);
        dp_geom_spec floor = dp_geom_spec_default();
        floor.name = "floor";
        floor.kind = DP_GEOM_PLANE;
        floor.contype = floor.conaffinity = 0;
        assert_int_equal(dp_spec_add_geom(NULL, spec, DP_WORLD, &floor), DP_OK);
        if (paired) {
            dp_pair_spec pair = dp_pair_spec_default();
            pair.geom[0] = "floor", pair.geom[1] = "geom";
            assert_int_equal(dp_spec_add_pair(NULL, spec, &pair), DP_OK);
        }
        dp_model *m = compiled(spec);
        const dp_mesh_info info = dp_model_mesh(m, (dp_mesh_id){0});
        assert_int_equal(info.nhull_vertex, 24); // the outer corners, above and below
        assert_int_equal(info.nhull_face, 44);   // a triangulation of 24 corners: 2·24 − 4
        assert_int_equal(info.nvertex, ring.nvertex);
        dp_model_destroy(m);
    }
}

static void meshes_are_kept_as_they_were_described(void **state)
{
    const dp_mesh ring = ring_mesh(*state, 5, 1.0, 0.25);
    dp_spec *spec;
    assert_int_equal(dp_spec_create(&spec, NULL), DP_OK);
    add_mesh(spec, "ring", &ring, DP_MESH_INERTIA_SHELL);
    const dp_mesh_spec *described = dp_spec_mesh(spec, (dp_mesh_id){0});
    assert_int_equal(dp_spec_mesh_count(spec), 1);
    assert_ptr_not_equal(described->vertex, ring.vertex); // a copy
    assert_null(dp_spec_mesh(spec, (dp_mesh_id){1}));
    dp_model *m = compiled(spec);
    dp_mesh_id id;
    assert_int_equal(dp_model_find_mesh(&id, m, "ring"), DP_OK);
    const dp_mesh_info info = dp_model_mesh(m, id);
    assert_string_equal(info.name, "ring");
    assert_int_equal(info.inertia, DP_MESH_INERTIA_SHELL);
    assert_memory_equal(info.vertex, ring.vertex, 3 * (size_t)ring.nvertex * sizeof(double));
    assert_memory_equal(info.face, ring.face, 3 * (size_t)ring.nface * sizeof(int));
    assert_string_equal(dp_model_mesh(m, (dp_mesh_id){1}).name, "");
    dp_model_destroy(m);
}

static void height_fields_are_kept_as_they_were_described(void **state)
{
    (void)state;
    dp_spec *spec;
    assert_int_equal(dp_spec_create(&spec, NULL), DP_OK);
    double elevation[6] = {0.0, 0.5, 1.0, 0.25, 0.75, 0.125};
    dp_hfield_spec hills = dp_hfield_spec_default();
    hills.name = "hills";
    hills.nrow = 2, hills.ncol = 3;
    hills.elevation = elevation;
    hills.size[0] = 5.0, hills.size[3] = 0.1;
    assert_int_equal(dp_spec_add_hfield(NULL, spec, &hills), DP_OK);
    elevation[5] = 9.0; // the spec has its own
    hills.name = "flat";
    hills.elevation = NULL;
    assert_int_equal(dp_spec_add_hfield(NULL, spec, &hills), DP_OK);
    assert_int_equal(dp_spec_hfield_count(spec), 2);
    dp_geom_spec geom = dp_geom_spec_default();
    geom.kind = DP_GEOM_HFIELD;
    geom.hfield = "flat";
    assert_int_equal(dp_spec_add_geom(NULL, spec, DP_WORLD, &geom), DP_OK);

    dp_model *m = compiled(spec);
    dp_hfield_id id;
    assert_int_equal(dp_model_find_hfield(&id, m, "hills"), DP_OK);
    const dp_hfield_info info = dp_model_hfield(m, id);
    assert_int_equal(info.nrow * 10 + info.ncol, 23);
    assert_true(info.elevation[5] == 0.125 && info.size[0] == 5.0 && info.size[3] == 0.1);
    assert_null(dp_model_hfield(m, (dp_hfield_id){1}).elevation);
    assert_int_equal(dp_model_geom(m, (dp_geom_id){0}).hfield.index, 1);
    assert_int_equal(dp_model_geom(m, (dp_geom_id){0}).mesh.index, -1);
    assert_string_equal(dp_model_hfield(m, (dp_hfield_id){2}).name, "");
    dp_model_destroy(m);
}

static void geoms_of_a_spec_weigh_the_same_before_it_is_compiled(void **state)
{
    const dp_mesh ring = ring_mesh(*state, 7, 1.0, 0.2);
    dp_mesh corners = box_mesh(*state, 0.3, 0.2, 0.1);
    corners.nface = 0;
    dp_geom_spec geom = mesh_geom();
    dp_spec *spec = one_body(&geom);
    add_mesh(spec, "mesh", &ring, DP_MESH_INERTIA_EXACT);
    add_mesh(spec, "corners", &corners, DP_MESH_INERTIA_SHELL);
    geom.name = "other";
    geom.mesh = "corners";
    assert_int_equal(dp_spec_add_geom(NULL, spec, (dp_body_id){1}, &geom), DP_OK);
    geom.name = "ball";
    geom.kind = DP_GEOM_SPHERE;
    geom.size[0] = 0.2;
    assert_int_equal(dp_spec_add_geom(NULL, spec, (dp_body_id){1}, &geom), DP_OK);

    dp_inertial part[3], all[3];
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(dp_spec_geom_inertial(&part[i], spec, (dp_geom_id){i}), DP_OK);
    }
    assert_int_equal(dp_spec_geom_inertials(all, spec, *state), DP_OK);
    assert_memory_equal(all, part, sizeof part);
    dp_model *m = compiled(spec);
    const dp_inertial whole = dp_inertial_sum(part, 3);
    const dp_inertial compiled_whole = dp_model_body(m, (dp_body_id){1}).inertial;
    assert_near(compiled_whole.mass / whole.mass, 1.0, ROUND_OFF);
    assert_near(compiled_whole.moments.x / whole.moments.x, 1.0, ROUND_OFF);
    assert_near(compiled_whole.moments.z / whole.moments.z, 1.0, ROUND_OFF);
    dp_model_destroy(m);
}

static void a_mesh_geom_alone_has_no_mass_to_tell(void **state)
{
    (void)state;
    dp_geom_spec geom = mesh_geom();
    dp_inertial inertial;
    assert_int_equal(dp_geom_inertial(&inertial, &geom), DP_ERROR_ARGUMENT);
    assert_non_null(strstr(dp_last_error(), "dp_spec_geom_inertial"));
    dp_spec *spec = one_body(&geom);
    assert_int_equal(dp_spec_geom_inertial(&inertial, spec, (dp_geom_id){0}), DP_ERROR_ARGUMENT);
    assert_non_null(strstr(dp_last_error(), "geom 'geom': no mesh 'mesh'"));
    assert_int_equal(dp_spec_geom_inertial(&inertial, spec, (dp_geom_id){1}), DP_ERROR_ARGUMENT);
    assert_non_null(strstr(dp_last_error(), "geom 1 does not exist"));
    dp_spec_destroy(spec);
}

static void a_hollow_sphere_is_harder_to_turn_than_a_solid_one(void **state)
{
    (void)state;
    dp_geom_spec geom = dp_geom_spec_default();
    geom.size[0] = 0.5;
    geom.mass = 3.0;
    dp_inertial solid, hollow;
    assert_int_equal(dp_geom_inertial(&solid, &geom), DP_OK);
    geom.shell = true;
    assert_int_equal(dp_geom_inertial(&hollow, &geom), DP_OK);
    assert_near(hollow.moments.x / solid.moments.x, (2.0 / 3.0) / (2.0 / 5.0), ROUND_OFF);
    geom.mass = -1.0;
    geom.density = 7.0; // [kg/m²]
    assert_int_equal(dp_geom_inertial(&hollow, &geom), DP_OK);
    assert_near(hollow.mass, 7.0 * DP_PI, 10.0 * ROUND_OFF);
}

int main(void)
{
#define IN_POOL(test) cmocka_unit_test_setup_teardown(test, open_pool, close_pool)
    const struct CMUnitTest tests[] = {
        IN_POOL(a_box_of_triangles_weighs_what_a_box_weighs),
        IN_POOL(the_surface_of_a_box_of_triangles_weighs_what_a_hollow_box_weighs),
        IN_POOL(fine_spheres_of_triangles_weigh_nearly_what_spheres_weigh),
        IN_POOL(a_mesh_that_is_not_convex_weighs_less_than_its_hull),
        IN_POOL(corners_alone_stand_for_their_hull),
        IN_POOL(a_geom_of_a_mesh_keeps_its_pose),
        IN_POOL(a_given_mass_is_spread_over_the_mesh),
        IN_POOL(many_geoms_may_show_one_mesh),
        IN_POOL(a_flat_mesh_may_be_looked_at_and_be_hollow),
        IN_POOL(a_fixed_mesh_touches_by_its_triangles_and_needs_no_hull),
        IN_POOL(the_fixed_base_of_a_mechanism_touches_by_its_hull),
        IN_POOL(fixed_bodies_from_which_nothing_hangs_touch_by_triangles),
        IN_POOL(a_geom_can_ask_for_triangles_or_for_the_hull),
        IN_POOL(what_moves_cannot_ask_for_triangles),
        IN_POOL(a_moving_mesh_that_may_touch_gets_a_hull),
        IN_POOL(meshes_are_kept_as_they_were_described),
        cmocka_unit_test(height_fields_are_kept_as_they_were_described),
        IN_POOL(geoms_of_a_spec_weigh_the_same_before_it_is_compiled),
        cmocka_unit_test(a_mesh_geom_alone_has_no_mass_to_tell),
        cmocka_unit_test(a_hollow_sphere_is_harder_to_turn_than_a_solid_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
