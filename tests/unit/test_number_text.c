// Numbers as text that reads back to the same bits.
#include "near.h"

#include "base/text/number.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <string.h>

static void every_number_reads_back_to_the_same_bits(void **state)
{
    (void)state;
    random_source r = {1};
    const double special[] = {0.0,      -0.0,      1.0 / 3.0,
                              0.1,      DBL_MAX,   -DBL_MAX,
                              DBL_MIN,  0x1p-1074, 5e-324,
                              1e22,     1e23,      0.30000000000000004,
                              123456.0, -1e-5,     9007199254740993.0};
    const int nspecial = (int)(sizeof special / sizeof special[0]);
    for (int i = 0; i < 20000; ++i) {
        double x;
        const uint64_t bits = random_bits(&r);
        memcpy(&x, &bits, sizeof x);
        x = i < nspecial ? special[i] : isfinite(x) ? x : random_between(&r, -1.0, 1.0);
        char text[DP_NUMBER_BYTES];
        const int length = dp_number_text(text, x);
        assert_int_equal(length, strlen(text));
        const char *cursor = text;
        double back;
        assert_int_equal(dp_number_read(&back, &cursor), DP_NUMBER_OK);
        assert_memory_equal(&x, &back, sizeof x);
    }
}

static void every_float_reads_back_through_a_double(void **state)
{
    (void)state;
    random_source r = {2};
    for (int i = 0; i < 20000; ++i) {
        float x;
        const uint32_t bits = (uint32_t)random_bits(&r);
        memcpy(&x, &bits, sizeof x);
        x = isfinite(x) ? x : 0.7f;
        char text[DP_NUMBER_BYTES];
        const int length = dp_float_text(text, x);
        assert_int_equal(length, strlen(text));
        const char *cursor = text;
        double wide;
        assert_int_equal(dp_number_read(&wide, &cursor), DP_NUMBER_OK);
        const float back = (float)wide;
        assert_memory_equal(&x, &back, sizeof x);
    }
}

static void numbers_that_people_write_stay_short(void **state)
{
    (void)state;
    static const struct {
        double x;
        const char *text;
    } short_number[] = {{0.1, "0.1"},   {-9.81, "-9.81"}, {1e-8, "1e-08"},
                        {100.0, "100"}, {0.0, "0"},       {2.0 / 3.0, "0.6666666666666666"}};
    char text[DP_NUMBER_BYTES];
    for (size_t i = 0; i < sizeof short_number / sizeof short_number[0]; ++i) {
        dp_number_text(text, short_number[i].x);
        assert_string_equal(text, short_number[i].text);
    }
    dp_float_text(text, 0.93f);
    assert_string_equal(text, "0.93");
}

static void numbers_have_a_point_in_every_locale(void **state)
{
    (void)state;
    static const char *const comma[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "ps_AF.UTF-8"};
    char text[DP_NUMBER_BYTES];
    for (size_t i = 0; i < sizeof comma / sizeof comma[0]; ++i) {
        setlocale(LC_NUMERIC, comma[i]); // those that are not installed change nothing
        dp_number_text(text, 0.1);
        assert_string_equal(text, "0.1");
        setlocale(LC_NUMERIC, "C");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_reads_back_to_the_same_bits),
        cmocka_unit_test(every_float_reads_back_through_a_double),
        cmocka_unit_test(numbers_that_people_write_stay_short),
        cmocka_unit_test(numbers_have_a_point_in_every_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
