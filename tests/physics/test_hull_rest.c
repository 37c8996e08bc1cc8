// Hulls of many corners rest on few points: they neither sink otherwise nor rock.
#include "mechanism.h"

#include "math/angle.h"
#include "math/v3.h"

#include <dashpot/contact.h>

#include <math.h>

enum { SIDES = 24 };
static const double RADIUS = 0.05, HALF = 0.02, MASS = 0.5, STIFFNESS = 1e6, G = 9.81;

// How the prism lies in the frame of its mesh: nothing special.
static const dp_quat TURNED = {0.5, 0.1, -0.7, 0.5};

// A table, and prisms of 24 sides upon each other, each turned by another angle. The table is a
// fixed prism as well, or a plane where vertices are rounded. @param load [m] of a weight beside
// the axis of the uppermost. @param single the mesh is turned, and its vertices are rounded to
// single precision
static mechanism stack(int count, int patch_points, double load, bool single)
{
    mechanism x = mechanism_begin();
    dp_options *o = dp_spec_options(x.spec);
    o->gravity = (dp_v3){0.0, 0.0, -G};
    o->patch_points = patch_points;
    double vertex[6 * SIDES];
    for (int i = 0; i < 2 * SIDES; ++i) {
        const double angle = 2.0 * DP_PI * (i / 2) / SIDES;
        vertex[3 * i] = RADIUS * cos(angle);
        vertex[3 * i + 1] = RADIUS * sin(angle);
        vertex[3 * i + 2] = i % 2 ? HALF : -HALF;
        if (single) {
            const dp_v3 own = dp_quat_rotate_back(TURNED, dp_v3_load(vertex + 3 * i));
            dp_v3_store(vertex + 3 * i, (dp_v3){(float)own.x, (float)own.y, (float)own.z});
        }
    }
    dp_mesh_spec prism = dp_mesh_spec_default();
    prism.name = "prism";
    prism.vertex = vertex;
    prism.nvertex = 2 * SIDES;
    assert_ok(dp_spec_add_mesh(NULL, x.spec, &prism));
    dp_geom_spec geom = dp_geom_spec_default();
    geom.kind = DP_GEOM_MESH;
    geom.mesh = "prism";
    geom.contact.material_given = true;
    geom.contact.material.stiffness = STIFFNESS;
    geom.contact.material.damping = 500.0;
    const dp_quat own = single ? TURNED : DP_IDENTITY_POSE.q;
    dp_geom_spec table = geom;
    table.kind = single ? DP_GEOM_PLANE : DP_GEOM_MESH;
    table.pose.p.z = single ? 0.0 : -HALF;
    assert_ok(dp_spec_add_geom(NULL, x.spec, DP_WORLD, &table));
    const double across = MASS * (RADIUS * RADIUS / 4.0 + HALF * HALF / 3.0);
    for (int i = 0; i < count; ++i) {
        const double angle = 0.37 * (i + 1);
        const dp_v3 com = {i == count - 1 ? load : 0.0, 0.0, 0.0};
        const dp_v3 at = {0.0, 0.0, HALF * (2 * i + 1)};
        const dp_body_id body =
            mechanism_body(&x, DP_WORLD, NULL, at, MASS, com,
                           (dp_v3){across, across, MASS * RADIUS * RADIUS / 2.0});
        mechanism_joint(&x, body, NULL, DP_JOINT_FREE, (dp_v3){0.0, 0.0, 1.0});
        geom.pose.q = dp_quat_mul((dp_quat){cos(0.5 * angle), 0.0, 0.0, sin(0.5 * angle)}, own);
        assert_ok(dp_spec_add_geom(NULL, x.spec, body, &geom));
    }
    mechanism_compile(&x);
    return x;
}

// Tilt of a body: sine of the angle of its axis.
static double tilt_of(const double *q)
{
    const double x = 2.0 * (q[4] * q[6] + q[3] * q[5]), y = 2.0 * (q[5] * q[6] - q[3] * q[4]);
    return sqrt(x * x + y * y);
}

static void prisms_of_many_sides_rest_on_eight_points_or_four_without_rocking(void **state)
{
    (void)state;
    for (int points = 4; points <= 8; points += 4) {
        enum { COUNT = 3 };
        mechanism x = stack(COUNT, points, 0.0, false);
        mechanism_steps(&x, 1500); // 3 s
        assert_int_equal(dp_data_contact_count(x.d), COUNT * points);
        const double *q = dp_data_q(x.d), *v = dp_data_v(x.d);
        double depth = 0.0;
        for (int i = 0; i < COUNT; ++i) {
            depth += MASS * G * (COUNT - i) / (0.5 * STIFFNESS); // two geoms give in series
            assert_near(q[7 * i + 2], HALF * (2 * i + 1) - depth, 1e-9);
            assert_true(tilt_of(q + 7 * i) < 1e-9);
            for (int k = 0; k < 6; ++k) {
                assert_true(fabs(v[6 * i + k]) < 1e-8);
            }
        }
        mechanism_end(&x);
    }
}

// A weight well within the polygon of the points stands, one beyond the rim of the prism falls.
static void the_points_hold_what_stands_within_them(void **state)
{
    (void)state;
    // Eight of 24 corners, none of them more than four sides from the next: no side of their
    // polygon comes nearer to the axis than this.
    const double inradius = RADIUS * cos(DP_PI / 6.0);
    mechanism x = stack(1, 8, 0.9 * inradius, false);
    mechanism_steps(&x, 1500);
    assert_true(tilt_of(dp_data_q(x.d)) < 0.02);
    mechanism_end(&x);

    x = stack(1, 8, 1.05 * RADIUS, false);
    mechanism_steps(&x, 1500);
    assert_true(tilt_of(dp_data_q(x.d)) > 0.2);
    mechanism_end(&x);
}

// Rounding breaks a face into triangles of slightly different slopes; it is one face still. (They
// rocked by 2 mm/s.)
static void a_face_that_is_flat_to_single_precision_does_not_rock(void **state)
{
    (void)state;
    mechanism x = stack(1, 8, 0.0, true);
    mechanism_steps(&x, 1500);
    assert_int_equal(dp_data_contact_count(x.d), 8);
    assert_true(tilt_of(dp_data_q(x.d)) < 1e-6); // of single precision
    for (int k = 0; k < 6; ++k) {
        assert_true(fabs(dp_data_v(x.d)[k]) < 1e-5);
    }
    mechanism_end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prisms_of_many_sides_rest_on_eight_points_or_four_without_rocking),
        cmocka_unit_test(the_points_hold_what_stands_within_them),
        cmocka_unit_test(a_face_that_is_flat_to_single_precision_does_not_rock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
