// Scales and plots of the user's own numbers.
#include "counting_allocator.h"
#include "near.h"
#include "text_file.h"
#include "well_formed.h"

#include "record/plot/scale.h"

#include <dashpot/record.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PICTURE DP_SCRATCH "/plot.svg"

static char picture[MOST_TEXT];

// Write, read back, and see that it is XML. @return how many elements it has.
static int draw(const dp_plot *plot)
{
    const dp_status status = dp_plot_write_svg(PICTURE, plot, NULL);
    if (status != DP_OK) {
        fail_msg("%s", dp_last_error());
    }
    read_text(picture, PICTURE);
    return assert_well_formed(picture);
}

static int count(const char *part)
{
    int n = 0;
    for (const char *at = picture; (at = strstr(at, part)); at += strlen(part)) {
        ++n;
    }
    return n;
}

static const double ramp_x[] = {1e-3, 1e-2, 1e-1, 1.0}, ramp_y[] = {1e-6, 1e-4, 1e-2, 1.0};

static dp_plot_series ramp(const char *name, dp_plot_style style)
{
    return (dp_plot_series){.name = name, .x = ramp_x, .y = ramp_y, .count = 4, .style = style};
}

// --- scales ------------------------------------------------------------------------------------

static void decades_are_at_even_distances(void **state)
{
    (void)state;
    const dp_scale s = dp_scale_fit(true, 1e-8, 1e-4, 10, 0.05);
    const double one = dp_scale_place(&s, 1e-7) - dp_scale_place(&s, 1e-8);
    for (int i = -7; i < -4; ++i) {
        const double x = pow(10.0, i);
        assert_near(dp_scale_place(&s, 10.0 * x) - dp_scale_place(&s, x), one, 1e-12);
    }
    assert_true(dp_scale_place(&s, 1e-8) > 0.0 && dp_scale_place(&s, 1e-4) < 1.0);
}

static void a_logarithmic_scale_has_at_least_two_labels_and_not_too_many(void **state)
{
    (void)state;
    random_source r = {3};
    for (int i = 0; i < 2000; ++i) {
        const double lo = pow(10.0, random_between(&r, -300.0, 250.0));
        const double hi = lo * pow(10.0, random_between(&r, 0.0, 50.0));
        const dp_scale s = dp_scale_fit(true, lo, hi, 6, 0.05);
        const int64_t ticks = s.last - s.first + 1;
        if (ticks < 2 || ticks > 7) {
            fail_msg("%d labels from %g to %g", (int)ticks, lo, hi);
        }
        assert_true(dp_scale_place(&s, lo) >= -1e-12 && dp_scale_place(&s, hi) <= 1.0 + 1e-12);
    }
}

static void what_is_not_positive_has_no_place_on_a_logarithmic_scale(void **state)
{
    (void)state;
    const dp_scale s = dp_scale_fit(true, 1.0, 100.0, 5, 0.0);
    assert_true(!isfinite(dp_scale_place(&s, 0.0)));
    assert_true(!isfinite(dp_scale_place(&s, -3.0)));
}

// --- plots -------------------------------------------------------------------------------------

static void panels_have_titles_axes_with_units_and_legends(void **state)
{
    (void)state;
    const dp_plot_series series[] = {ramp("measured", DP_PLOT_STYLE_MARKED),
                                     ramp("slope 2", DP_PLOT_STYLE_REFERENCE)};
    const dp_plot_panel panel[] = {
        {"left",
         {.name = "step", .unit = "s", .log = true},
         {.name = "error", .unit = "m", .log = true},
         series,
         2},
        {"right", {.name = "n", .unit = "1"}, {.name = "cost"}, series, 2}};
    const dp_plot plot = {"all of it", panel, 2, 2};
    draw(&plot);
    static const char *const parts[] = {
        ">left<",   ">right<",    ">step [s]<",       ">error [m]<", ">n<",
        ">cost<",   ">measured<", ">slope 2<",        ">10⁻⁶<",      ">all of it<",
        "<circle ", "reference",  "color-scheme:dark"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i) {
        if (!strstr(picture, parts[i])) {
            fail_msg("found no '%s'", parts[i]);
        }
    }
    assert_int_equal(count("<circle "), 2 * (4 + 1)); // one more in each legend
}

// On two logarithmic axes y = x² is a straight line: marks at even distances.
static void a_power_is_a_straight_line_on_logarithmic_axes(void **state)
{
    (void)state;
    const dp_plot_series series = ramp(NULL, DP_PLOT_STYLE_MARKS);
    const dp_plot_panel panel = {NULL, {.log = true}, {.log = true}, &series, 1};
    draw(&(dp_plot){NULL, &panel, 1, 1});
    double x[4], y[4];
    const char *at = picture;
    for (int i = 0; i < 4; ++i) {
        at = strstr(at, "cx=\"");
        assert_non_null(at);
        assert_int_equal(sscanf(at, "cx=\"%lf\" cy=\"%lf\"", &x[i], &y[i]), 2);
        ++at;
    }
    for (int i = 1; i < 4; ++i) { // coordinates have one decimal
        assert_near(x[i] - x[i - 1], x[1] - x[0], 0.21);
        assert_near(y[i] - y[i - 1], y[1] - y[0], 0.21);
        assert_true(x[i] > x[i - 1] && y[i] < y[i - 1]);
    }
}

static void values_without_a_place_leave_gaps(void **state)
{
    (void)state;
    const double x[] = {-1.0, 1.0, 2.0, NAN, 4.0, 5.0, INFINITY}, y[] = {1, 2, -3, 4, 0, 6, 7};
    const dp_plot_series series[] = {{.x = x, .y = y, .count = 7, .name = "gaps"},
                                     {.x = x, .y = y, .count = 7, .style = DP_PLOT_STYLE_MARKED},
                                     {.x = NULL, .y = NULL, .count = 0, .name = "empty"}};
    for (int log = 0; log < 2; ++log) {
        const dp_plot_panel panel = {"gaps", {.log = log}, {.log = log}, series, 3};
        draw(&(dp_plot){NULL, &panel, 1, 0});
        assert_null(strstr(picture, "nan"));
        assert_null(strstr(picture, "inf"));
        assert_int_equal(count("<circle "), log ? 2 : 5);
    }
}

static void a_long_curve_has_few_points_and_keeps_every_spike(void **state)
{
    (void)state;
    enum { POINTS = 50000 };
    double *x = calloc(POINTS, sizeof *x), *y = calloc(POINTS, sizeof *y);
    assert_true(x && y);
    for (int i = 0; i < POINTS; ++i) {
        x[i] = i;
        y[i] = i == 31234 ? 1.0 : 0.0;
    }
    const dp_plot_series series = {.x = x, .y = y, .count = POINTS};
    const dp_plot_panel panel = {NULL, {0}, {.lo = 0.0, .hi = 1.0}, &series, 1};
    draw(&(dp_plot){NULL, &panel, 1, 1});
    assert_true(strlen(picture) < 40000);
    double top = INFINITY, bottom = -INFINITY;
    const char *end = strstr(strstr(picture, "<path class=\"curve"), "/>");
    for (const char *at = strstr(picture, "M0 0M"); at && at < end; ++at) {
        double px, py;
        if (*at == 'L' && sscanf(at, "L%lf %lf", &px, &py) == 2) {
            top = fmin(top, py);
            bottom = fmax(bottom, py);
        }
    }
    assert_near(bottom - top, 330.0, 0.2); // all of the panel
    free(x);
    free(y);
}

static void texts_with_markup_and_broken_bytes_stay_well_formed(void **state)
{
    (void)state;
    const char *odd = "<b>&\"\xFF\x01 ]]> \xE2\x82";
    const dp_plot_series series = ramp(odd, DP_PLOT_STYLE_DASHED);
    const dp_plot_panel panel[] = {{odd, {.name = odd, .unit = odd}, {.name = odd}, &series, 1},
                                   {NULL, {0}, {0}, NULL, 0}};
    assert_true(draw(&(dp_plot){odd, panel, 2, 7}) > 20);
    draw(&(dp_plot){0}); // nothing at all is a picture, too
}

static void what_is_missing_is_refused(void **state)
{
    (void)state;
    const dp_plot_series no_values = {.count = 3};
    const dp_plot_panel panel = {"x", {0}, {0}, &no_values, 1},
                        no_series = {"x", {0}, {0}, NULL, 2};
    const dp_plot plots[] = {{"t", &panel, 1, 1}, {"t", &no_series, 1, 1}, {"t", NULL, 1, 1}};
    remove(PICTURE);
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(dp_plot_write_svg(PICTURE, &plots[i], NULL), DP_ERROR_ARGUMENT);
        assert_true(dp_last_error()[0] != '\0');
        assert_false(exists(PICTURE));
    }
    const dp_plot empty = {0};
    assert_int_equal(dp_plot_write_svg(DP_SCRATCH "/no/such/folder.svg", &empty, NULL),
                     DP_ERROR_IO);
}

static void a_failing_allocation_leaves_no_file_and_no_memory(void **state)
{
    (void)state;
    const dp_plot empty = {0};
    counting_allocator counts = {.fail_at = 1};
    const dp_allocator allocator = counting_allocator_for(&counts);
    remove(PICTURE);
    assert_int_equal(dp_plot_write_svg(PICTURE, &empty, &allocator), DP_ERROR_MEMORY);
    assert_false(exists(PICTURE));
    counts.fail_at = 0;
    assert_int_equal(dp_plot_write_svg(PICTURE, &empty, &allocator), DP_OK);
    assert_true(exists(PICTURE));
    assert_int_equal(counts.blocks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decades_are_at_even_distances),
        cmocka_unit_test(a_logarithmic_scale_has_at_least_two_labels_and_not_too_many),
        cmocka_unit_test(what_is_not_positive_has_no_place_on_a_logarithmic_scale),
        cmocka_unit_test(panels_have_titles_axes_with_units_and_legends),
        cmocka_unit_test(a_power_is_a_straight_line_on_logarithmic_axes),
        cmocka_unit_test(values_without_a_place_leave_gaps),
        cmocka_unit_test(a_long_curve_has_few_points_and_keeps_every_spike),
        cmocka_unit_test(texts_with_markup_and_broken_bytes_stay_well_formed),
        cmocka_unit_test(what_is_missing_is_refused),
        cmocka_unit_test(a_failing_allocation_leaves_no_file_and_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
