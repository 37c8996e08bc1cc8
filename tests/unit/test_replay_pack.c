// Numbers in few bytes: what goes in comes out, to within half a step.
#include "near.h"
#include "replay_text.h"

#include "record/replay/coarse_mesh.h"
#include "record/replay/replay_pack.h"

#include <math.h>
#include <string.h>

// A number and the one before it, packed and read back.
static uint16_t through_the_pack(uint16_t before, uint16_t value)
{
    const dp_allocator a = dp_allocator_default();
    dp_json_page j = {.out = {.allocator = a}};
    dp_series_pack pack;
    assert_int_equal(dp_series_begin(&pack, 2, &a), DP_OK);
    dp_series_add(&pack, before, 0);
    dp_series_add(&pack, value, before);
    dp_series_end(&pack, &j, NULL, &a);
    assert_int_equal(j.status, DP_OK);
    uint16_t out[2];
    replay_series(out, 2, 2, (const char *)j.out.byte);
    dp_byte_buffer_release(&j.out);
    assert_int_equal(out[0], before);
    return out[1];
}

static void every_difference_comes_back(void **state)
{
    (void)state;
    static const uint16_t number[] = {0, 1, 2, 255, 256, 32767, 32768, 32769, 65534, 65535};
    enum { COUNT = sizeof number / sizeof *number };
    for (int i = 0; i < COUNT; ++i) {
        for (int k = 0; k < COUNT; ++k) {
            assert_int_equal(through_the_pack(number[i], number[k]), number[k]);
        }
    }
}

static void small_differences_of_either_sign_have_no_high_byte(void **state)
{
    (void)state;
    const dp_allocator a = dp_allocator_default();
    dp_series_pack pack;
    enum { COUNT = 255 };
    assert_int_equal(dp_series_begin(&pack, COUNT, &a), DP_OK);
    for (int change = -127; change <= 127; ++change) {
        dp_series_add(&pack, (uint16_t)(1000 + change), 1000);
    }
    for (int i = 0; i < COUNT; ++i) {
        assert_int_equal(pack.high[i], 0);
    }
    dp_json_page j = {.out = {.allocator = a}};
    dp_series_end(&pack, &j, NULL, &a);
    dp_byte_buffer_release(&j.out);
}

static void a_quantised_number_is_half_a_step_off_at_most(void **state)
{
    (void)state;
    random_source r = {3};
    for (int i = 0; i < 10000; ++i) {
        const double low = random_between(&r, -10.0, 10.0), span = random_between(&r, 1e-6, 10.0);
        const double x = low + span * random_between(&r, 0.0, 1.0);
        const double back = low + span * dp_quantise(x, low, span) / 65535.0;
        assert_near(back, x,
                    span * (0.5 / 65535.0) + 1e-14); // and round-off of numbers of order 10
    }
}

static void what_cannot_be_quantised_is_still_a_number(void **state)
{
    (void)state;
    assert_int_equal(dp_quantise(1.0, 1.0, 0.0), 0);
    assert_int_equal(dp_quantise(-1.0, 0.0, 1.0), 0);
    assert_int_equal(dp_quantise(2.0, 0.0, 1.0), 65535);
    assert_int_equal(dp_quantise((double)NAN, 0.0, 1.0), 0);
    assert_int_equal(dp_quantise(1.0, 0.0, (double)INFINITY), 0);
    assert_int_equal(dp_quantise((double)INFINITY, 0.0, (double)INFINITY), 0);
}

static float from_half(uint16_t half)
{
    const uint32_t bits = (uint32_t)half << 16;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void half_of_a_float_has_eight_bits(void **state)
{
    (void)state;
    random_source r = {4};
    for (int i = 0; i < 10000; ++i) {
        const double size = pow(10.0, random_between(&r, -30.0, 30.0));
        const float x = (float)(size * random_between(&r, -1.0, 1.0));
        // Half a unit in the last of eight places.
        assert_near((double)from_half(dp_half_of(x)), (double)x, ldexp(fabs((double)x), -8));
    }
    assert_true(from_half(dp_half_of(0.0f)) == 0.0f);
    assert_true(isinf(from_half(dp_half_of((float)INFINITY))));
    assert_true(isnan(from_half(dp_half_of((float)NAN))));
}

// A sphere of 2 · 200 · 100 faces.
static void a_coarse_mesh_has_few_faces_near_the_fine_ones(void **state)
{
    (void)state;
    enum { ROUND = 200, UP = 100 };
    static double vertex[3 * ROUND * (UP + 1)];
    static int face[6 * ROUND * UP];
    const double pi = 3.141592653589793, r = 0.3;
    int n = 0;
    for (int k = 0; k <= UP; ++k) {
        for (int i = 0; i < ROUND; ++i) {
            const double a = pi * k / UP, b = 2.0 * pi * i / ROUND;
            double *x = &vertex[3 * (k * ROUND + i)];
            x[0] = r * sin(a) * cos(b);
            x[1] = r * sin(a) * sin(b);
            x[2] = r * cos(a);
            const int j = (i + 1) % ROUND, here = k * ROUND, below = here + ROUND;
            const int two[6] = {here + i, below + i, below + j, here + i, below + j, here + j};
            for (int c = 0; c < 6 && k < UP; ++c) {
                face[n++] = two[c];
            }
        }
    }
    dp_coarse_mesh coarse;
    assert_int_equal(
        dp_coarse_mesh_make(&coarse, vertex, ROUND * (UP + 1), face, 2 * ROUND * UP, NULL), DP_OK);
    assert_true(coarse.nface <= DP_COARSE_FACES && coarse.nface > 1000);
    for (int i = 0; i < coarse.nvertex; ++i) {
        const double *x = &coarse.vertex[3 * i];
        assert_near(sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]), r, 0.01);
    }
    for (int i = 0; i < 3 * coarse.nface; ++i) {
        assert_true(coarse.face[i] >= 0 && coarse.face[i] < coarse.nvertex);
    }
    dp_coarse_mesh_destroy(&coarse);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_difference_comes_back),
        cmocka_unit_test(a_coarse_mesh_has_few_faces_near_the_fine_ones),
        cmocka_unit_test(small_differences_of_either_sign_have_no_high_byte),
        cmocka_unit_test(a_quantised_number_is_half_a_step_off_at_most),
        cmocka_unit_test(what_cannot_be_quantised_is_still_a_number),
        cmocka_unit_test(half_of_a_float_has_eight_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
