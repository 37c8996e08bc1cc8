// Pulling at a heap by `dashpot view`. Its steps are too long for the sanitizer of threads.
#include "live_client.h"
#include "near.h"

#include <math.h>
#include <stdbool.h>

// [m/s] Of the body, from one frame to the next.
static double speed(const live_frame *a, const live_frame *b)
{
    const double x = (double)(b->x - a->x), y = (double)(b->y - a->y), z = (double)(b->z - a->z);
    return b->time > a->time ? sqrt(x * x + y * y + z * z) / (b->time - a->time) : INFINITY;
}

static void a_wall_comes_to_rest_while_a_brick_of_it_is_held(void **state)
{
    (void)state;
    live_server server = {0};
    LIVE_START(&server, DP_SCENES "/contact/wall.xml", "--speed", "0");
    live_page page;
    assert_int_equal(live_connect(&page, &server, NULL), 101);
    live_send(&page, "{\"do\":\"grab\",\"body\":40,\"at\":[0,0,0]}");
    live_send(&page, "{\"do\":\"pull\",\"to\":[1.1,-0.6,0.45]}"); // out of it, and no further
    live_frame f = live_next_frame(&page, 40), before;
    int still = 0; // frames, one after the other, of steps that were easy to solve
    do {
        before = f;
        f = live_next_frame(&page, 40);
        const bool easy = f.residual < 1e-6f && f.iterations < 16.0f;
        still = f.y < -0.5f && easy && speed(&before, &f) < 1e-4 ? still + 1 : 0;
    } while (still < 20 && f.time < 20.0);
    assert_int_equal(still, 20);
    live_close(&page);
    assert_int_equal(live_stop(&server), CTRL_C);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wall_comes_to_rest_while_a_brick_of_it_is_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
