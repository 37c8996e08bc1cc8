// Pulling at a heap by `dashpot view`. Its steps are too long for the sanitizer of threads.
#include "live_client.h"
#include "near.h"

static void a_wall_comes_to_rest_while_a_brick_of_it_is_held(void **state)
{
    (void)state;
    live_server server = {0};
    LIVE_START(&server, DP_SCENES "/contact/wall.xml", "--speed", "0");
    live_page page;
    assert_int_equal(live_connect(&page, &server, NULL), 101);
    live_send(&page, "{\"do\":\"grab\",\"body\":40,\"at\":[0,0,0]}");
    live_send(&page, "{\"do\":\"pull\",\"to\":[1.1,-0.6,0.45]}"); // out of it, and no further
    live_frame f;
    int still = 0; // frames, one after the other, of steps that were easy to solve
    do {
        f = live_next_frame(&page, 40);
        still = f.y < -0.5f && f.residual < 1e-6f && f.iterations < 16.0f ? still + 1 : 0;
    } while (still < 20 && f.time < 20.0);
    assert_int_equal(still, 20);
    live_close(&page);
    assert_int_equal(live_stop(&server), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wall_comes_to_rest_while_a_brick_of_it_is_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
