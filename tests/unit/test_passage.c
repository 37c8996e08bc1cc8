// Do two shapes that move past each other stay apart all the way?
#include "near.h"

#include "collide/passage.h"

#include <math.h>

static const dp_quat UPRIGHT = {1.0, 0.0, 0.0, 0.0};

static dp_passage fly(const dp_shape *moving, const dp_shape *standing, dp_v3 from, dp_v3 to,
                      double radius)
{
    return (dp_passage){.moving = moving,
                        .standing = standing,
                        .from = {UPRIGHT, from},
                        .to = {UPRIGHT, to},
                        .radius = radius};
}

static const dp_shape BALL = {.kind = DP_GEOM_SPHERE, .size = {0.1, 0.0, 0.0}};
static const dp_shape WALL = {.kind = DP_GEOM_BOX, .size = {1e-3, 1.0, 1.0}};

static void a_ball_stays_apart_from_a_thin_wall_that_it_passes_beside(void **state)
{
    (void)state;
    for (int i = 0; i < 40; ++i) {
        const double y = 0.5 + 0.025 * i; // the edge is at 1, the ball meets it up to 1.1
        const dp_passage p =
            fly(&BALL, &WALL, (dp_v3){-1.0, y, 0.0}, (dp_v3){1.0, y, 0.0}, BALL.size[0]);
        if (fabs(y - 1.1) > 1e-6) { // there they touch
            assert_int_equal(dp_stay_apart(&p), y > 1.1);
        }
    }
}

static void a_ball_that_ends_in_the_wall_does_not_stay_apart(void **state)
{
    (void)state;
    const dp_passage p = fly(&BALL, &WALL, (dp_v3){-1.0, 0.0, 0.0}, (dp_v3){-0.05, 0.0, 0.0}, 0.1);
    assert_false(dp_stay_apart(&p));
}

static void a_plane_is_met_by_what_crosses_it_and_by_nothing_else(void **state)
{
    (void)state;
    const dp_shape plane = {.kind = DP_GEOM_PLANE};
    const dp_passage above =
        fly(&BALL, &plane, (dp_v3){0.0, 0.0, 1.0}, (dp_v3){5.0, 0.0, 0.2}, 0.1);
    const dp_passage through =
        fly(&BALL, &plane, (dp_v3){0.0, 0.0, 1.0}, (dp_v3){0.0, 0.0, -1.0}, 0.1);
    assert_true(dp_stay_apart(&above));
    assert_false(dp_stay_apart(&through));
}

// A bar that turns by a right angle on the spot sweeps over what lies beside it.
static void a_bar_that_turns_meets_what_it_sweeps_over(void **state)
{
    (void)state;
    const dp_shape bar = {.kind = DP_GEOM_BOX, .size = {1.0, 0.01, 0.01}};
    const double radius = sqrt(1.0 + 2e-4), c = cos(0.25 * acos(-1.0)), s = sin(0.25 * acos(-1.0));
    const double at[] = {0.5, 0.75, 1.2}; // m from the axis, at 45°
    for (int i = 0; i < 3; ++i) {
        const dp_v3 axis = {-at[i] * c, -at[i] * s, 0.0}; // seen from the ball
        const dp_passage p = {.moving = &bar,
                              .standing = &BALL,
                              .from = {UPRIGHT, axis},
                              .to = {{c, 0.0, 0.0, s}, axis},
                              .radius = radius};
        assert_int_equal(dp_stay_apart(&p), at[i] > 1.12); // the bar ends at 1, the ball 0.1 before
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_stays_apart_from_a_thin_wall_that_it_passes_beside),
        cmocka_unit_test(a_ball_that_ends_in_the_wall_does_not_stay_apart),
        cmocka_unit_test(a_plane_is_met_by_what_crosses_it_and_by_nothing_else),
        cmocka_unit_test(a_bar_that_turns_meets_what_it_sweeps_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
