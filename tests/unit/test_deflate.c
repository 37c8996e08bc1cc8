// Streams of zlib: what is packed comes back.
#include "counting_allocator.h"
#include "near.h"

#include "io/codec/zlib_stream.h"

#include <stdlib.h>
#include <string.h>

static size_t expect_round_trip(const unsigned char *in, size_t count)
{
    dp_byte_buffer out = {.allocator = dp_allocator_default()};
    assert_int_equal(dp_deflate(&out, in, count), DP_OK);
    unsigned char *back = malloc(count + 1);
    assert_non_null(back);
    assert_int_equal(
        dp_inflate(back, count, &(dp_packed_bytes){out.byte, out.count, "stream"}, NULL), DP_OK);
    assert_true(count == 0 || memcmp(back, in, count) == 0);
    free(back);
    const size_t packed = out.count;
    dp_byte_buffer_release(&out);
    return packed;
}

static void bytes_of_every_kind_come_back(void **state)
{
    (void)state;
    enum { MOST = 200000 };
    unsigned char *x = malloc(MOST);
    assert_non_null(x);
    random_source r = {5};
    for (int kind = 0; kind < 6; ++kind) {
        for (size_t i = 0; i < MOST; ++i) {
            const uint64_t bits = random_bits(&r);
            x[i] = kind == 0   ? 0
                   : kind == 1 ? (unsigned char)(bits & 0xff)
                   : kind == 2 ? (unsigned char)(bits & 3)
                   : kind == 3 ? (unsigned char)(i % 251)
                   : kind == 4 ? (unsigned char)((bits & bits >> 8 & bits >> 16) & 0xff)
                               : (unsigned char)(i / 1000);
        }
        for (size_t count = 0; count < 70; ++count) {
            (void)expect_round_trip(x, count);
        }
        for (size_t count = 32760; count < 32776; ++count) {
            (void)expect_round_trip(x, count);
        }
        (void)expect_round_trip(x, MOST);
    }
    free(x);
}

static void what_repeats_or_is_uneven_becomes_smaller(void **state)
{
    (void)state;
    enum { COUNT = 100000 };
    unsigned char *x = calloc(COUNT, 1);
    assert_non_null(x);
    assert_true(expect_round_trip(x, COUNT) < COUNT / 400);
    random_source r = {6};
    for (size_t i = 0; i < COUNT; ++i) { // one of 0 … 15, evenly: four bits
        x[i] = (unsigned char)(random_bits(&r) & 15);
    }
    const size_t packed = expect_round_trip(x, COUNT);
    assert_true(packed > COUNT / 2 && packed < COUNT / 2 + COUNT / 20);
    for (size_t i = 0; i < COUNT; ++i) { // eight bits: nothing to gain, little to lose
        x[i] = (unsigned char)(random_bits(&r) & 255);
    }
    assert_true(expect_round_trip(x, COUNT) < COUNT + COUNT / 100);
    free(x);
}

// Counts like Fibonacci's numbers make the deepest trees.
static void codes_are_never_longer_than_the_format_allows(void **state)
{
    (void)state;
    enum { SYMBOLS = 24 };
    size_t count = 0;
    unsigned char *x = malloc(400000);
    assert_non_null(x);
    size_t a = 1, b = 1;
    for (int s = 0; s < SYMBOLS && count + a < 400000; ++s) {
        for (size_t i = 0; i < a; ++i) {
            x[count++] = (unsigned char)(s * 7);
        }
        const size_t next = a + b;
        a = b;
        b = next;
    }
    random_source r = {7};
    for (size_t i = count - 1; i > 0; --i) { // shuffled, so that repeats do not hide it
        const size_t k = (size_t)(random_bits(&r) % (i + 1));
        const unsigned char one = x[i];
        x[i] = x[k];
        x[k] = one;
    }
    (void)expect_round_trip(x, count);
    free(x);
}

static void a_lack_of_memory_is_told(void **state)
{
    (void)state;
    static unsigned char x[5000];
    random_source r = {8};
    for (size_t i = 0; i < sizeof x; ++i) {
        x[i] = (unsigned char)(random_bits(&r) & 255);
    }
    int failures = 0;
    for (size_t fail_at = 1;; ++fail_at) {
        counting_allocator counts = {.fail_at = fail_at};
        dp_byte_buffer out = {.allocator = counting_allocator_for(&counts)};
        const dp_status status = dp_deflate(&out, x, sizeof x);
        dp_byte_buffer_release(&out);
        assert_int_equal(counts.blocks, 0);
        if (status == DP_OK) {
            break;
        }
        assert_int_equal(status, DP_ERROR_MEMORY);
        ++failures;
    }
    assert_true(failures > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_of_every_kind_come_back),
        cmocka_unit_test(what_repeats_or_is_uneven_becomes_smaller),
        cmocka_unit_test(codes_are_never_longer_than_the_format_allows),
        cmocka_unit_test(a_lack_of_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
