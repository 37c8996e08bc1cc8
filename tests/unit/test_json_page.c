// JSON within a page: no text can leave its string, or the script element around it.
#include "json_text.h"
#include "near.h"
#include "replay_text.h"

#include "record/replay/json_page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// {"x":"…"} with this text, which is valid whatever the text is.
static void expect_text(const char *text, const char *expected)
{
    dp_json_page j = {.out = {.allocator = dp_allocator_default()}};
    dp_json_open(&j, NULL, '{');
    dp_json_text(&j, "x", text);
    dp_json_close(&j, '}');
    assert_int_equal(j.status, DP_OK);
    char json[4000];
    assert_true(j.out.count < sizeof json);
    memcpy(json, j.out.byte, j.out.count);
    json[j.out.count] = '\0';
    dp_byte_buffer_release(&j.out);
    assert_one_json_object(json);
    assert_null(strpbrk(json, "<>&"));
    if (expected) {
        char whole[4000];
        snprintf(whole, sizeof whole, "{\"x\":\"%s\"}", expected);
        assert_string_equal(json, whole);
    }
}

static void text_cannot_end_the_script(void **state)
{
    (void)state;
    expect_text("</script>", "\\u003c/script\\u003e");
    expect_text("<!--", "\\u003c!--");
    expect_text("]]>", "]]\\u003e");
    expect_text("&lt;", "\\u0026lt;");
}

static void text_cannot_end_its_string(void **state)
{
    (void)state;
    expect_text("a\"b", "a\\\"b");
    expect_text("a\\", "a\\\\");
    expect_text("\\\"", "\\\\\\\"");
    expect_text("", "");
}

static void control_characters_are_replaced(void **state)
{
    (void)state;
    for (int c = 1; c < 0x20; ++c) {
        expect_text((char[]){'a', (char)c, 'b', '\0'}, "a\\ufffdb");
    }
    expect_text("a\x7f", "a\\ufffd");
}

static void valid_utf_8_is_kept(void **state)
{
    (void)state;
    expect_text("Kräfte, 力, \xF0\x9F\x94\xA7", "Kräfte, 力, \xF0\x9F\x94\xA7");
}

static void separators_and_overrides_are_kept_in_escapes(void **state)
{
    (void)state;
    expect_text("\xE2\x80\xA8", "\\u2028"); // the same string to whoever reads it
    expect_text("a\xE2\x80\xAE"
                "b",
                "a\\u202eb");
    expect_text("\xC2\x9B", "\\u009b");
}

static void what_is_not_utf_8_is_replaced(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "\x80",             // nothing before it
        "\xC3",             // cut off
        "\xE2\x80",         // cut off
        "\xC0\xBC",         // < in two bytes
        "\xE0\x80\xBC",     // < in three
        "\xF0\x80\x80\xBC", // < in four
        "\xED\xA0\x80",     // half a pair
        "\xF4\x90\x80\x80", // beyond the last
        "\xF8\x88\x80\x80", // five bytes begin like this
        "\xFC\x80\x80\x80", // six
        "\xFF",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        char expected[100] = "";
        for (size_t k = 0; k < strlen(bad[i]); ++k) {
            snprintf(expected + 6 * k, sizeof expected - 6 * k, "\\ufffd");
        }
        expect_text(bad[i], expected);
    }
}

static void random_bytes_are_one_valid_string(void **state)
{
    (void)state;
    random_source r = {9};
    for (int i = 0; i < 2000; ++i) {
        char text[101];
        for (int k = 0; k < 100; ++k) {
            text[k] = (char)(random_bits(&r) & 255u);
        }
        text[100] = '\0';
        expect_text(text, NULL);
    }
}

static void numbers_keep_seven_digits_or_are_null(void **state)
{
    (void)state;
    dp_json_page j = {.out = {.allocator = dp_allocator_default()}};
    const double x[] = {1.0 / 3.0, -2e30, (double)NAN, (double)INFINITY};
    dp_json_open(&j, NULL, '{');
    dp_json_numbers(&j, "x", x, 4);
    dp_json_count(&j, "n", -7);
    dp_json_bool(&j, "b", true);
    dp_json_close(&j, '}');
    static const char expected[] = "{\"x\":[0.3333333,-2e+30,null,null],\"n\":-7,\"b\":true}";
    assert_int_equal(j.out.count, strlen(expected));
    assert_memory_equal(j.out.byte, expected, j.out.count);
    dp_byte_buffer_release(&j.out);
}

static void bytes_come_back_whatever_their_number(void **state)
{
    (void)state;
    random_source r = {10};
    unsigned char in[40], out[40];
    for (size_t count = 0; count <= sizeof in; ++count) {
        for (size_t i = 0; i < count; ++i) {
            in[i] = (unsigned char)(random_bits(&r) & 255u);
        }
        dp_json_page j = {.out = {.allocator = dp_allocator_default()}};
        dp_json_bytes(&j, NULL, in, count);
        assert_int_equal(j.status, DP_OK);
        replay_bytes(out, count, (const char *)j.out.byte);
        assert_true(count == 0 || memcmp(in, out, count) == 0);
        dp_byte_buffer_release(&j.out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_cannot_end_the_script),
        cmocka_unit_test(text_cannot_end_its_string),
        cmocka_unit_test(control_characters_are_replaced),
        cmocka_unit_test(valid_utf_8_is_kept),
        cmocka_unit_test(separators_and_overrides_are_kept_in_escapes),
        cmocka_unit_test(what_is_not_utf_8_is_replaced),
        cmocka_unit_test(random_bytes_are_one_valid_string),
        cmocka_unit_test(numbers_keep_seven_digits_or_are_null),
        cmocka_unit_test(bytes_come_back_whatever_their_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
