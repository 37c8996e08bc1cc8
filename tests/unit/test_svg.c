// Axes and plots.
#include "near.h"

#include "record/plot/axis.h"
#include "record/plot/svg.h"

#include <expat.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- axes --------------------------------------------------------------------------------------

static void ticks_are_one_two_or_five_times_a_power_of_ten(void **state)
{
    (void)state;
    random_source random = {7};
    for (int i = 0; i < 2000; ++i) {
        const double size = pow(10.0, random_between(&random, -30.0, 30.0));
        const double lo = random_between(&random, -size, size);
        const double hi = lo + size * random_between(&random, 0.01, 1.0);
        const dp_axis axis = dp_axis_fit(lo, hi, 6, 0.05);
        const double mantissa = axis.step / pow(10.0, floor(log10(axis.step) + 1e-9));
        const double nearest = fabs(mantissa - 1.0) < 1e-9   ? 1.0
                               : fabs(mantissa - 2.0) < 1e-9 ? 2.0
                                                             : 5.0;
        assert_near(mantissa, nearest, 1e-9); // pow rounds
        const int64_t ticks = axis.last - axis.first + 1;
        assert_true(ticks >= 2 && ticks <= 7);
        assert_true(dp_axis_place(&axis, lo) >= 0.0 && dp_axis_place(&axis, hi) <= 1.0);
        assert_true(dp_axis_place(&axis, lo) < dp_axis_place(&axis, hi));
    }
}

static const char *label(const dp_axis *axis, int64_t k)
{
    static char text[400];
    dp_axis_label(text, sizeof text, axis, k);
    return text;
}

static void labels_have_the_digits_that_tell_ticks_apart(void **state)
{
    (void)state;
    dp_axis axis = dp_axis_fit(-1.0, 1.0, 4, 0.0);
    assert_near(axis.step, 0.5, 0.0);
    assert_string_equal(label(&axis, -2), "−1.0");
    assert_string_equal(label(&axis, 0), "0.0");
    axis = dp_axis_fit(0.0, 10.0, 10, 0.0);
    assert_string_equal(label(&axis, 10), "10");
    axis = dp_axis_fit(0.0, 3e-7, 3, 0.0); // [10⁻⁹]
    assert_int_equal(axis.exponent, -9);
    assert_string_equal(label(&axis, axis.last), "300");
    axis = dp_axis_fit(0.0, 2e6, 4, 0.0);
    assert_int_equal(axis.exponent, 6);
    assert_string_equal(label(&axis, 1), "0.5");
}

static void a_small_change_of_a_large_value_is_shown_from_an_offset(void **state)
{
    (void)state;
    const dp_axis axis = dp_axis_fit(1234.5678 - 1e-6, 1234.5678 + 1e-6, 4, 0.05);
    assert_near(axis.offset, 1234.5678, 1e-5);
    assert_int_equal(axis.exponent, -6);
    assert_near(dp_axis_place(&axis, 1234.5678), 0.5, 1e-6); // 2 ulp of 1234 in 2e-6
}

static void constant_zero_and_extreme_values_have_an_axis(void **state)
{
    (void)state;
    const double ranges[][2] = {{0.0, 0.0},       {5.0, 5.0},          {-3e-9, -3e-9},
                                {1e308, 1.7e308}, {-1.7e308, 1.7e308}, {5e-324, 5e-324},
                                {0.0, 5e-324},    {-1e-300, 1e-300},   {7.0, 7.0 + 1e-14}};
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; ++i) {
        const dp_axis axis = dp_axis_fit(ranges[i][0], ranges[i][1], 5, 0.05);
        assert_true(isfinite(axis.lo) && isfinite(axis.hi) && axis.lo < axis.hi);
        assert_true(axis.step > 0.0 && axis.last - axis.first < 20);
        for (int64_t k = axis.first; k <= axis.last; ++k) {
            assert_true(strlen(label(&axis, k)) < 20);
        }
    }
}

// --- pictures ----------------------------------------------------------------------------------

// What an XML reader finds in a picture.
typedef struct found {
    int curves, coloured, rest;
    int most_points;    // of one curve
    double top, bottom; // extreme y of all curves
    int texts;
    char text[20000]; // all character data, one after the other
    size_t text_bytes;
} found;

static const char *attribute(const XML_Char **attributes, const char *name)
{
    for (; attributes[0]; attributes += 2) {
        if (strcmp(attributes[0], name) == 0) {
            return attributes[1];
        }
    }
    return "";
}

static void look_at_path(found *f, const char *d)
{
    int points = 0;
    for (const char *c = d; *c != '\0'; ++c) {
        if (*c == 'M' || *c == 'L') {
            char *end;
            strtod(c + 1, &end);
            const double y = strtod(end, NULL);
            f->top = fmin(f->top, y);
            f->bottom = fmax(f->bottom, y);
            ++points;
        }
    }
    f->most_points = points > f->most_points ? points : f->most_points;
}

static void XMLCALL on_element(void *context, const XML_Char *name, const XML_Char **attributes)
{
    found *f = context;
    const char *class = attribute(attributes, "class");
    if (strcmp(name, "path") == 0 && strncmp(class, "curve", 5) == 0) {
        const char *d = attribute(attributes, "d");
        const bool in_legend = strchr(d, 'h') && !strstr(d, "h0");
        if (!in_legend) {
            ++f->curves;
            f->coloured += class[6] == 'c' ? 1 : 0;
            f->rest += class[6] == 'r' ? 1 : 0;
            look_at_path(f, d);
        }
    }
    f->texts += strcmp(name, "text") == 0 ? 1 : 0;
}

static void XMLCALL on_text(void *context, const XML_Char *text, int length)
{
    found *f = context;
    assert_true(f->text_bytes + (size_t)length < sizeof f->text);
    memcpy(f->text + f->text_bytes, text, (size_t)length);
    f->text_bytes += (size_t)length;
}

static found draw(const dp_svg_plot *plot)
{
    found f = {.top = INFINITY, .bottom = -INFINITY};
    FILE *file = tmpfile();
    assert_non_null(file);
    dp_svg_write(file, plot);
    rewind(file);
    XML_Parser parser = XML_ParserCreate("UTF-8");
    XML_SetUserData(parser, &f);
    XML_SetElementHandler(parser, on_element, NULL);
    XML_SetCharacterDataHandler(parser, on_text);
    char buffer[4096];
    size_t n;
    do {
        n = fread(buffer, 1, sizeof buffer, file);
        if (XML_Parse(parser, buffer, (int)n, n == 0) == XML_STATUS_ERROR) {
            fail_msg("line %lu: %s", (unsigned long)XML_GetCurrentLineNumber(parser),
                     XML_ErrorString(XML_GetErrorCode(parser)));
        }
    } while (n > 0);
    XML_ParserFree(parser);
    fclose(file);
    return f;
}

enum { SAMPLES = 50000, COLUMNS = 3 };

// time, a wave, and a flat line with one spike at `spike`.
static double *samples(size_t spike)
{
    double *values = calloc((size_t)SAMPLES * COLUMNS, sizeof *values);
    assert_non_null(values);
    for (size_t i = 0; i < SAMPLES; ++i) {
        values[i * COLUMNS] = 1e-3 * (double)i;
        values[i * COLUMNS + 1] = sin(1e-3 * (double)i);
        values[i * COLUMNS + 2] = i == spike ? 1.0 : 0.0;
    }
    return values;
}

static dp_svg_plot plot_of(const double *values, size_t count, const dp_svg_curve *curve,
                           int ncurve)
{
    return (dp_svg_plot){.title = "a test",
                         .x_name = "time",
                         .x_unit = "s",
                         .x = values,
                         .stride = COLUMNS,
                         .count = count,
                         .curve = curve,
                         .ncurve = ncurve};
}

static void a_long_curve_has_few_points_and_keeps_every_spike(void **state)
{
    (void)state;
    for (size_t spike = 1; spike < SAMPLES; spike += 6133) { // anywhere
        double *values = samples(spike);
        const dp_svg_curve curve = {"spike", "N", values + 2};
        const dp_svg_plot plot = plot_of(values, SAMPLES, &curve, 1);
        const found f = draw(&plot);
        assert_int_equal(f.curves, 1);
        assert_true(f.most_points <= 2000);
        // The panel leaves 6 % of the range free above and below.
        const double height = 320.0 / 1.12;
        assert_near(f.bottom - f.top, height, 0.2); // coordinates have one decimal
        free(values);
    }
}

static void each_unit_has_a_panel_with_its_name(void **state)
{
    (void)state;
    double *values = samples(5);
    const dp_svg_curve curve[] = {
        {"one", "rad", values + 1}, {"two", "N", values + 2}, {"three", "rad", values + 2}};
    const dp_svg_plot plot = plot_of(values, SAMPLES, curve, 3);
    const found f = draw(&plot);
    assert_int_equal(f.curves, 3);
    assert_non_null(strstr(f.text, "angle [rad]"));
    assert_non_null(strstr(f.text, "force [N]"));
    assert_non_null(strstr(f.text, "time [s]"));
    assert_non_null(strstr(f.text, "a test"));
    free(values);
}

static void names_with_markup_and_broken_text_stay_well_formed(void **state)
{
    (void)state;
    double *values = samples(5);
    const dp_svg_curve curve[] = {
        {"<script>&\"x\"</script>", "rad", values + 1},
        {"\x01\x1F\x7F control", "<m>", values + 1},
        {"\xFF\xC0\x80 \xED\xA0\x80 \xF4\x90\x80\x80 cut \xE2\x82", "&", values + 2},
        {"a name that is so long that nobody would ever want to see all of it in a legend, "
         "ümläut.q",
         "N", values + 2},
        {"", "", values + 2},
    };
    dp_svg_plot plot = plot_of(values, 1000, curve, 5);
    plot.title = "<title> ]]> & \"quotes\" \xFF";
    const found f = draw(&plot);
    assert_int_equal(f.curves, 5);
    assert_non_null(strstr(f.text, "<script>&\"x\"</script>"));
    assert_non_null(strstr(f.text, "…")); // the long name is cut in the middle
    free(values);
}

static void values_that_are_not_finite_leave_gaps(void **state)
{
    (void)state;
    double *values = samples(5);
    for (size_t i = 0; i < SAMPLES; i += 7) {
        values[i * COLUMNS + 1] = i % 2 == 0 ? NAN : INFINITY;
    }
    for (size_t i = 0; i < SAMPLES; ++i) {
        values[i * COLUMNS + 2] = NAN;
    }
    const dp_svg_curve curve[] = {{"gaps", "rad", values + 1}, {"nothing", "N", values + 2}};
    const size_t counts[] = {0, 1, 2, 3, 1000, SAMPLES};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        const dp_svg_plot plot = plot_of(values, counts[i], curve, 2);
        const found f = draw(&plot);
        assert_int_equal(f.curves, 2);
        assert_null(strstr(f.text, "nan"));
        assert_null(strstr(f.text, "inf"));
        assert_non_null(strstr(f.text, "no finite values"));
    }
    free(values);
}

static void many_curves_are_grey_beyond_the_legend(void **state)
{
    (void)state;
    double *values = samples(5);
    dp_svg_curve curve[40];
    for (int i = 0; i < 40; ++i) {
        curve[i] = (dp_svg_curve){"same", "rad", values + 1};
    }
    dp_svg_plot plot = plot_of(values, 100, curve, 40);
    found f = draw(&plot);
    assert_int_equal(f.coloured, DP_SVG_COLOURED);
    assert_int_equal(f.rest, 40 - DP_SVG_COLOURED);
    assert_non_null(strstr(f.text, "and 24 more"));
    plot.ncurve = DP_SVG_COLOURED;
    f = draw(&plot);
    assert_int_equal(f.rest, 0);
    assert_null(strstr(f.text, "more"));
    free(values);
}

static void a_plot_without_curves_or_title_is_a_picture(void **state)
{
    (void)state;
    double *values = samples(5);
    dp_svg_plot plot = plot_of(values, 100, NULL, 0);
    plot.title = NULL;
    assert_int_equal(draw(&plot).curves, 0);
    free(values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_are_one_two_or_five_times_a_power_of_ten),
        cmocka_unit_test(labels_have_the_digits_that_tell_ticks_apart),
        cmocka_unit_test(a_small_change_of_a_large_value_is_shown_from_an_offset),
        cmocka_unit_test(constant_zero_and_extreme_values_have_an_axis),
        cmocka_unit_test(a_long_curve_has_few_points_and_keeps_every_spike),
        cmocka_unit_test(each_unit_has_a_panel_with_its_name),
        cmocka_unit_test(names_with_markup_and_broken_text_stay_well_formed),
        cmocka_unit_test(values_that_are_not_finite_leave_gaps),
        cmocka_unit_test(many_curves_are_grey_beyond_the_legend),
        cmocka_unit_test(a_plot_without_curves_or_title_is_a_picture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
