// The auditor's own geometry, against closed forms and against directions drawn at random.
#include "audit_geometry.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t seed = 1;
static double draw(void)
{
    seed += 0x9e3779b97f4a7c15u;
    uint64_t z = seed;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}
static double between(double a, double b)
{
    return a + (b - a) * draw();
}
static v3 draw_unit(void)
{
    const double z = between(-1, 1), a = between(0, 6.283185307179586), r = sqrt(1 - z * z);
    return (v3){r * cos(a), r * sin(a), z};
}
static pose draw_pose(double far)
{
    return (pose){m3_about(draw_unit(), between(0, 3.1)), v3_scale(draw_unit(), between(0, far))};
}

static shape draw_shape(double *points)
{
    const shape_kind kinds[] = {SHAPE_SPHERE,    SHAPE_CAPSULE, SHAPE_CYLINDER,
                                SHAPE_ELLIPSOID, SHAPE_BOX,     SHAPE_POLYHEDRON};
    shape s = {.kind = kinds[(int)(6 * draw())]};
    for (int i = 0; i < 3; ++i) {
        s.size[i] = between(0.1, 1.0);
    }
    if (s.kind == SHAPE_POLYHEDRON) {
        s.npoint = 4 + (int)(10 * draw());
        s.point = points;
        for (int i = 0; i < 3 * s.npoint; ++i) {
            points[i] = between(-0.6, 0.6);
        }
    }
    return s;
}

static void bounds_of_gaps_enclose_every_direction_and_meet(void **state)
{
    (void)state;
    double widest = 0.0, steepest = 0.0;
    int wide = 0;
    for (int i = 0; i < 4000; ++i) {
        double p[2][60];
        const shape a = draw_shape(p[0]), b = draw_shape(p[1]);
        const pose X = draw_pose(1.2), Y = draw_pose(1.2);
        const separation s = shape_separation(&a, &X, &b, &Y, 1e-9);
        assert_true(s.lower <= s.upper + 1e-12);
        wide += s.upper - s.lower > 1e-6;
        widest = fmax(widest, s.upper - s.lower);
        assert_true(fabs(shape_gap_along(&a, &X, &b, &Y, s.normal) - s.lower) < 1e-10);
        double best = -INFINITY;
        v3 at = s.normal;
        for (int k = 0; k < 300; ++k) {
            const v3 n = draw_unit();
            const double g = shape_gap_along(&a, &X, &b, &Y, n);
            if (g > best) {
                best = g;
                at = n;
            }
        }
        for (double r = 0.3; r > 1e-6; r *= 0.97) { // and a walk uphill
            const v3 n = v3_unit(v3_madd(at, r, draw_unit()));
            const double g = shape_gap_along(&a, &X, &b, &Y, n);
            if (g > best) {
                best = g;
                at = n;
            }
        }
        steepest = fmax(steepest, best - s.upper);
        assert_true(best <= s.upper + 1e-12);
        // Swapping turns the normal and changes nothing else.
        const separation t = shape_separation(&b, &Y, &a, &X, 1e-9);
        assert_true(t.lower <= s.upper + 1e-9 && s.lower <= t.upper + 1e-9);
    }
    printf("widest bounds %.2g m, %d of 4000 wider than 1e-6; walks beyond by %.2g m\n", widest,
           wide, steepest);
    assert_true(wide < 40);
}

static void balls_and_capsules_have_closed_forms(void **state)
{
    (void)state;
    for (int i = 0; i < 2000; ++i) {
        const shape a = {.kind = SHAPE_SPHERE, .size = {between(0.1, 1)}},
                    b = {.kind = SHAPE_CAPSULE, .size = {between(0.1, 1), between(0.1, 1)}};
        const pose X = draw_pose(2), Y = draw_pose(2);
        const v3 c = pose_apply_inverse(&Y, X.p);
        const double z = fmax(-b.size[1], fmin(b.size[1], c.z));
        const double gap = v3_norm(v3_sub(c, (v3){0, 0, z})) - a.size[0] - b.size[0];
        const separation s = shape_separation(&a, &X, &b, &Y, 1e-13);
        assert_true(fabs(s.lower - gap) < 1e-12 && fabs(s.upper - gap) < 1e-12);
    }
}

static void boxes_agree_with_their_separating_axes(void **state)
{
    (void)state;
    for (int i = 0; i < 2000; ++i) {
        const shape a = {.kind = SHAPE_BOX,
                         .size = {between(.1, 1), between(.1, 1), between(.1, 1)}},
                    b = {.kind = SHAPE_BOX,
                         .size = {between(.1, 1), between(.1, 1), between(.1, 1)}};
        const pose X = draw_pose(0.7), Y = draw_pose(0.7);
        double best = -INFINITY;
        for (int k = 0; k < 15; ++k) {
            v3 n;
            const v3 e[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
            if (k < 6) {
                n = k < 3 ? m3_apply(&X.R, e[k]) : m3_apply(&Y.R, e[k - 3]);
            } else {
                n = v3_unit(v3_cross(m3_apply(&X.R, e[(k - 6) / 3]), m3_apply(&Y.R, e[k % 3])));
            }
            best = fmax(best, shape_gap_along(&a, &X, &b, &Y, n));
            best = fmax(best, shape_gap_along(&a, &X, &b, &Y, v3_scale(n, -1)));
        }
        const separation s = shape_separation(&a, &X, &b, &Y, 1e-12);
        if (best < 0) {
            assert_true(fabs(s.lower - best) < 1e-10 && fabs(s.upper - best) < 1e-10);
        } else {
            assert_true(s.upper >= best - 1e-12);
        }
    }
}

static void a_ball_on_terrain_is_as_far_as_its_nearest_triangle(void **state)
{
    (void)state;
    const double heights[9] = {0, 0, 0, 0, 0.2, 0, 0, 0, 0};
    const shape field = {
        .kind = SHAPE_HEIGHTS, .height = heights, .nrow = 3, .ncol = 3, .half_x = 1, .half_y = 1};
    const shape ball = {.kind = SHAPE_SPHERE, .size = {0.1}};
    pose X = pose_identity(), Y = pose_identity();
    Y.p = (v3){0, 0, 0.5};
    separation s = shape_separation(&field, &X, &ball, &Y, 1e-12);
    assert_true(fabs(s.lower - 0.2) < 1e-12 && s.signed_);
    Y.p = (v3){0, 0, 0.1}; // its centre is below the peak
    s = shape_separation(&ball, &Y, &field, &X, 1e-12);
    assert_true(!s.signed_ && s.upper <= 0);
    Y.p = (v3){0.9, 0.9, -0.5};
    s = shape_separation(&field, &X, &ball, &Y, 1e-12);
    assert_true(!s.signed_);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_and_capsules_have_closed_forms),
        cmocka_unit_test(boxes_agree_with_their_separating_axes),
        cmocka_unit_test(bounds_of_gaps_enclose_every_direction_and_meet),
        cmocka_unit_test(a_ball_on_terrain_is_as_far_as_its_nearest_triangle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
