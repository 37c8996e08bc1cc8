// Layout: title, then panels row by row. A panel has, from top to bottom, its title, its legend,
// which flows over as many lines as it needs, the curves, the labels and the name of the x axis; at
// its left the labels and, turned, the name of the y axis.
#include <dashpot/record.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/output.h"
#include "record/plot/scale.h"
#include "record/plot/svg_text.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

// All lengths in pixels.
enum {
    WIDTH = 1000,
    EDGE = 20, // free space around everything
    TITLE = 34,
    LEFT = 76, // room for the labels of the y axis and its name
    RIGHT = 14,
    HEADING = 26, // room for the title of a panel
    LEGEND_LINE = 20,
    LEGEND_SWATCH = 26,
    LEGEND_GAP = 14, // between entries
    LEGEND_END = 8,  // between legend and curves
    BOTTOM = 50,     // room for the labels of the x axis and its name
    GAP = 22,        // between panels
    TICK_HEIGHT = 38,
    TICK_WIDTH = 64,
    DECADE_HEIGHT = 30, // labels of a logarithmic axis are short
    DECADE_WIDTH = 46,
    CHARACTER = 7, // typical width of a character of the legend
    MARK = 3,      // radius
    BUCKETS = 700, // a curve is reduced to the extremes of this many stretches
    MOST_COLUMNS = 4,
};

typedef struct area {
    double left, top, width, height; // of the curves
    double cell;                     // left end of the panel
    double cell_top;
    dp_scale x, y;
    int number;
} area;

static bool has_place(const dp_plot_axis *axis, double x)
{
    return isfinite(x) && (!axis->log || x > 0.0);
}

static bool is_fixed(const dp_plot_axis *axis)
{
    return isfinite(axis->lo) && isfinite(axis->hi) && axis->lo < axis->hi &&
           (!axis->log || axis->lo > 0.0);
}

// The range of the values on one axis whose partner on the other has a place, too.
static dp_scale fit(const dp_plot_panel *panel, bool of_y, int ticks)
{
    const dp_plot_axis *axis = of_y ? &panel->y : &panel->x;
    if (is_fixed(axis)) {
        return dp_scale_fit(axis->log, axis->lo, axis->hi, ticks, 0.0);
    }
    double lo = INFINITY, hi = -INFINITY;
    for (int i = 0; i < panel->nseries; ++i) {
        const dp_plot_series *s = &panel->series[i];
        for (size_t k = 0; k < s->count; ++k) {
            if (has_place(&panel->x, s->x[k]) && has_place(&panel->y, s->y[k])) {
                const double value = of_y ? s->y[k] : s->x[k];
                lo = fmin(lo, value);
                hi = fmax(hi, value);
            }
        }
    }
    if (lo > hi) {
        lo = axis->log ? 1.0 : 0.0;
        hi = axis->log ? 10.0 : 1.0;
    }
    return dp_scale_fit(axis->log, lo, hi, ticks, of_y || axis->log ? 0.05 : 0.0);
}

static double place_x(const area *a, double x)
{
    return a->left + a->width * dp_scale_place(&a->x, x);
}

static double place_y(const area *a, double y)
{
    return a->top + a->height * (1.0 - dp_scale_place(&a->y, y));
}

static void put_point(FILE *file, double x, double y)
{
    // Stay near the panel: what lies outside is cut off anyway, and huge numbers upset viewers.
    dp_svg_tenths(file, fmax(-1e5, fmin(x, 1e5)));
    fputc(' ', file);
    dp_svg_tenths(file, fmax(-1e5, fmin(y, 1e5)));
}

// --- axes -------------------------------------------------------------------------------------

static void draw_lines(FILE *file, const area *a, const dp_scale *s, bool of_y, double factor)
{
    for (int64_t k = s->first - (factor > 1.0 ? 1 : 0); k <= s->last; ++k) {
        const double value = dp_scale_tick(s, k) * factor, place = dp_scale_place(s, value);
        if (place < -1e-9 || place > 1.0 + 1e-9) {
            continue;
        }
        fputc('M', file);
        if (of_y) {
            put_point(file, a->left, place_y(a, value));
            fputc('H', file);
            dp_svg_tenths(file, a->left + a->width);
        } else {
            put_point(file, place_x(a, value), a->top);
            fputc('V', file);
            dp_svg_tenths(file, a->top + a->height);
        }
    }
}

static void draw_grid(FILE *file, const area *a)
{
    if (dp_scale_has_minor(&a->x) || dp_scale_has_minor(&a->y)) {
        fputs("<path class=\"minor\" d=\"M0 0", file);
        for (int n = 2; n < 10; ++n) {
            if (dp_scale_has_minor(&a->x)) {
                draw_lines(file, a, &a->x, false, n);
            }
            if (dp_scale_has_minor(&a->y)) {
                draw_lines(file, a, &a->y, true, n);
            }
        }
        fputs("\"/>\n", file);
    }
    fputs("<path class=\"grid\" d=\"M0 0", file);
    draw_lines(file, a, &a->x, false, 1.0);
    draw_lines(file, a, &a->y, true, 1.0);
    fputs("\"/>\n<path class=\"zero\" d=\"M", file);
    put_point(file, a->left, a->top);
    fputc('V', file);
    dp_svg_tenths(file, a->top + a->height);
    fputc('H', file);
    dp_svg_tenths(file, a->left + a->width);
    const dp_axis *y = &a->y.axis;
    if (!a->y.log && y->offset == 0.0 && y->lo < 0.0 && y->hi > 0.0) {
        fputc('M', file);
        put_point(file, a->left, place_y(a, 0.0));
        fputc('H', file);
        dp_svg_tenths(file, a->left + a->width);
    }
    fputs("\"/>\n", file);
}

static void draw_labels(FILE *file, const area *a)
{
    for (int64_t k = a->y.first; k <= a->y.last; ++k) {
        fputs("<text class=\"tick y\" x=\"", file);
        dp_svg_tenths(file, a->left - 8.0);
        fputs("\" y=\"", file);
        dp_svg_tenths(file, place_y(a, dp_scale_tick(&a->y, k)) + 4.0);
        fputs("\">", file);
        dp_scale_put_label(file, &a->y, k);
        fputs("</text>\n", file);
    }
    for (int64_t k = a->x.first; k <= a->x.last; ++k) {
        fputs("<text class=\"tick x\" x=\"", file);
        dp_svg_tenths(file, place_x(a, dp_scale_tick(&a->x, k)));
        fputs("\" y=\"", file);
        dp_svg_tenths(file, a->top + a->height + 20.0);
        fputs("\">", file);
        dp_scale_put_label(file, &a->x, k);
        fputs("</text>\n", file);
    }
}

static void put_name(FILE *file, const dp_plot_axis *axis, const dp_scale *scale)
{
    static const dp_axis no_power;
    const dp_axis plain = scale->log ? no_power : scale->axis;
    dp_svg_axis_name(file, axis->name ? axis->name : "", axis->unit ? axis->unit : "1", &plain);
}

static void draw_names(FILE *file, const area *a, const dp_plot_panel *panel)
{
    fputs("<text class=\"legend x\" x=\"", file);
    dp_svg_tenths(file, a->left + 0.5 * a->width);
    fputs("\" y=\"", file);
    dp_svg_tenths(file, a->top + a->height + 41.0);
    fputs("\">", file);
    put_name(file, &panel->x, &a->x);
    const double x = a->cell + 12.0, y = a->top + 0.5 * a->height;
    fputs("</text>\n<text class=\"legend x\" transform=\"translate(", file);
    put_point(file, x, y);
    fputs(") rotate(-90)\">", file);
    put_name(file, &panel->y, &a->y);
    fputs("</text>\n", file);
}

// --- curves -----------------------------------------------------------------------------------

static int colour_of(const dp_plot_panel *panel, int series)
{
    const int given = panel->series[series].colour;
    if (given > 0) {
        return (given - 1) % DP_SVG_COLOURS;
    }
    int place = 0;
    for (int i = 0; i < series; ++i) {
        place += panel->series[i].style != DP_PLOT_STYLE_REFERENCE ? 1 : 0;
    }
    return place % DP_SVG_COLOURS;
}

static void put_line_class(FILE *file, dp_plot_style style, int colour)
{
    if (style == DP_PLOT_STYLE_REFERENCE) {
        fputs("curve reference", file);
    } else {
        fprintf(file, "curve c%d%s", colour, style == DP_PLOT_STYLE_DASHED ? " dashed" : "");
    }
}

typedef struct pen {
    FILE *file;
    const area *a;
    bool down;
} pen;

static void pen_to(pen *p, double x, double y)
{
    fputc(p->down ? 'L' : 'M', p->file);
    put_point(p->file, place_x(p->a, x), place_y(p->a, y));
    if (!p->down) {
        fputs("h0", p->file); // a point between two gaps shows as a dot
    }
    p->down = true;
}

// The lowest and the highest point of [from, to), in their order; a gap lifts the pen behind them.
static void draw_extremes(pen *p, const dp_plot_panel *panel, const dp_plot_series *s, size_t from,
                          size_t to)
{
    size_t lowest = to, highest = to;
    bool gap = false;
    for (size_t i = from; i < to; ++i) {
        if (!has_place(&panel->x, s->x[i]) || !has_place(&panel->y, s->y[i])) {
            gap = true;
            continue;
        }
        lowest = lowest == to || s->y[i] < s->y[lowest] ? i : lowest;
        highest = highest == to || s->y[i] > s->y[highest] ? i : highest;
    }
    if (lowest != to) {
        const size_t first = lowest < highest ? lowest : highest;
        const size_t second = lowest < highest ? highest : lowest;
        pen_to(p, s->x[first], s->y[first]);
        if (second != first) {
            pen_to(p, s->x[second], s->y[second]);
        }
    }
    p->down = p->down && !gap;
}

static void draw_line(FILE *file, const area *a, const dp_plot_panel *panel,
                      const dp_plot_series *s)
{
    pen p = {.file = file, .a = a};
    const size_t n = s->count;
    if (n <= 2 * BUCKETS) {
        for (size_t i = 0; i < n; ++i) {
            draw_extremes(&p, panel, s, i, i + 1);
        }
        return;
    }
    draw_extremes(&p, panel, s, 0, 1);
    for (size_t b = 0; b < BUCKETS; ++b) {
        draw_extremes(&p, panel, s, 1 + b * (n - 2) / BUCKETS, 1 + (b + 1) * (n - 2) / BUCKETS);
    }
    draw_extremes(&p, panel, s, n - 1, n);
}

static void draw_mark(FILE *file, double x, double y, int colour)
{
    fprintf(file, "<circle class=\"m%d\" r=\"%d\" cx=\"", colour, MARK);
    dp_svg_tenths(file, x);
    fputs("\" cy=\"", file);
    dp_svg_tenths(file, y);
    fputs("\"/>", file);
}

static void draw_series(FILE *file, const area *a, const dp_plot_panel *panel, int number)
{
    const dp_plot_series *s = &panel->series[number];
    const int colour = colour_of(panel, number);
    fputs("<g><title>", file);
    dp_svg_text(file, s->name ? s->name : "");
    fputs("</title>", file);
    if (s->style != DP_PLOT_STYLE_MARKS) {
        fputs("<path class=\"", file);
        put_line_class(file, s->style, colour);
        // An empty path is no path to some viewers.
        fprintf(file, "\" clip-path=\"url(#panel%d)\" d=\"M0 0", a->number);
        draw_line(file, a, panel, s);
        fputs("\"/>", file);
    }
    if (s->style == DP_PLOT_STYLE_MARKS || s->style == DP_PLOT_STYLE_MARKED) {
        for (size_t i = 0; i < s->count; ++i) {
            const double x = dp_scale_place(&a->x, s->x[i]), y = dp_scale_place(&a->y, s->y[i]);
            if (x >= 0.0 && x <= 1.0 && y >= 0.0 && y <= 1.0) {
                draw_mark(file, place_x(a, s->x[i]), place_y(a, s->y[i]), colour);
            }
        }
    }
    fputs("</g>\n", file);
}

// --- legend -----------------------------------------------------------------------------------

// Draw the legend, or only count its lines where `file` is NULL.
static int flow_legend(FILE *file, const dp_plot_panel *panel, double left, double top,
                       double width)
{
    double x = 0.0;
    int line = 0;
    bool any = false;
    const int longest = (int)((width - LEGEND_SWATCH) / CHARACTER);
    for (int i = 0; i < panel->nseries; ++i) {
        const dp_plot_series *s = &panel->series[i];
        if (!s->name) {
            continue;
        }
        const int length = dp_svg_length(s->name);
        const double wide = LEGEND_SWATCH + CHARACTER * (length < longest ? length : longest);
        if (any && x + wide > width) {
            x = 0.0;
            ++line;
        }
        if (file) {
            const double y = top + line * LEGEND_LINE + 10.0;
            const int colour = colour_of(panel, i);
            if (s->style != DP_PLOT_STYLE_MARKS) {
                fputs("<path class=\"", file);
                put_line_class(file, s->style, colour);
                fputs("\" d=\"M", file);
                put_point(file, left + x, y);
                fprintf(file, "h%d\"/>", LEGEND_SWATCH - 8);
            }
            if (s->style == DP_PLOT_STYLE_MARKS || s->style == DP_PLOT_STYLE_MARKED) {
                draw_mark(file, left + x + 0.5 * (LEGEND_SWATCH - 8), y, colour);
            }
            fputs("<text class=\"legend\" x=\"", file);
            dp_svg_tenths(file, left + x + LEGEND_SWATCH - 2);
            fputs("\" y=\"", file);
            dp_svg_tenths(file, y + 4.0);
            fputs("\">", file);
            dp_svg_elided(file, s->name, longest);
            fputs("</text>\n", file);
        }
        any = true;
        x += wide + LEGEND_GAP;
    }
    return any ? line + 1 : 0;
}

// --- panels -----------------------------------------------------------------------------------

typedef struct grid {
    int columns, rows;
    double width, height; // of a panel's curves
} grid;

static grid lay_out(const dp_plot *plot)
{
    static const int height[MOST_COLUMNS + 1] = {0, 330, 260, 210, 180};
    grid g = {.columns = plot->columns < 1 ? 1 : plot->columns};
    g.columns = g.columns > MOST_COLUMNS ? MOST_COLUMNS : g.columns;
    g.rows = (plot->npanel + g.columns - 1) / g.columns;
    g.width = (WIDTH - 2.0 * EDGE - (g.columns - 1) * GAP) / g.columns - LEFT - RIGHT;
    g.height = height[g.columns];
    return g;
}

// What stands above the curves of a row: as much as its fullest panel needs.
static double head_of_row(const dp_plot *plot, const grid *g, int row)
{
    bool titled = false;
    int lines = 0;
    for (int i = row * g->columns; i < plot->npanel && i < (row + 1) * g->columns; ++i) {
        const dp_plot_panel *panel = &plot->panel[i];
        titled = titled || panel->title;
        const int n = flow_legend(NULL, panel, 0.0, 0.0, g->width);
        lines = n > lines ? n : lines;
    }
    return (titled ? HEADING : 0) + lines * LEGEND_LINE + LEGEND_END;
}

static void draw_panel(FILE *file, const dp_plot_panel *panel, const area *a)
{
    double y = a->cell_top;
    if (panel->title) {
        fputs("<text class=\"heading\" x=\"", file);
        dp_svg_tenths(file, a->left);
        fputs("\" y=\"", file);
        dp_svg_tenths(file, y + 16.0);
        fputs("\">", file);
        dp_svg_elided(file, panel->title, (int)(a->width / (CHARACTER + 1)));
        fputs("</text>\n", file);
        y += HEADING;
    }
    flow_legend(file, panel, a->left, y, a->width);
    draw_grid(file, a);
    draw_labels(file, a);
    draw_names(file, a, panel);
    fprintf(file, "<clipPath id=\"panel%d\"><rect x=\"", a->number);
    dp_svg_tenths(file, a->left - 1.0); // half the width of a line
    fputs("\" y=\"", file);
    dp_svg_tenths(file, a->top - 1.0);
    fputs("\" width=\"", file);
    dp_svg_tenths(file, a->width + 2.0);
    fputs("\" height=\"", file);
    dp_svg_tenths(file, a->height + 2.0);
    fputs("\"/></clipPath>\n", file);
    for (int pass = 0; pass < 2; ++pass) { // references lie under the others
        for (int i = 0; i < panel->nseries; ++i) {
            if ((panel->series[i].style == DP_PLOT_STYLE_REFERENCE) == (pass == 0)) {
                draw_series(file, a, panel, i);
            }
        }
    }
}

static void draw(FILE *file, const dp_plot *plot)
{
    const grid g = lay_out(plot);
    const bool titled = plot->title && plot->title[0] != '\0';
    double height = 2.0 * EDGE + (titled ? TITLE : 0) + (g.rows > 0 ? (g.rows - 1) * GAP : 0);
    for (int row = 0; row < g.rows; ++row) {
        height += head_of_row(plot, &g, row) + g.height + BOTTOM;
    }
    dp_svg_begin(file, WIDTH, height, plot->title, "plot");
    fputs("<rect class=\"back\" width=\"100%\" height=\"100%\"/>\n", file);
    double top = EDGE;
    if (titled) {
        fprintf(file, "<text class=\"title\" x=\"%d\" y=\"%d\">", EDGE, EDGE + 18);
        dp_svg_elided(file, plot->title, 86);
        fputs("</text>\n", file);
        top += TITLE;
    }
    for (int row = 0; row < g.rows; ++row) {
        const double head = head_of_row(plot, &g, row);
        for (int i = row * g.columns; i < plot->npanel && i < (row + 1) * g.columns; ++i) {
            const dp_plot_panel *panel = &plot->panel[i];
            area a = {.cell = EDGE + (i % g.columns) * (g.width + LEFT + RIGHT + GAP),
                      .cell_top = top,
                      .top = top + head,
                      .width = g.width,
                      .height = g.height,
                      .number = i};
            a.left = a.cell + LEFT;
            a.x = fit(panel, false, (int)(g.width / (panel->x.log ? DECADE_WIDTH : TICK_WIDTH)));
            a.y = fit(panel, true, (int)(g.height / (panel->y.log ? DECADE_HEIGHT : TICK_HEIGHT)));
            draw_panel(file, panel, &a);
        }
        top += head + g.height + BOTTOM + GAP;
    }
    fputs("</svg>\n", file);
}

// --- the public call --------------------------------------------------------------------------

static dp_status check(const dp_plot *plot)
{
    if (plot->npanel < 0 || (plot->npanel > 0 && !plot->panel)) {
        return dp_fail(DP_ERROR_ARGUMENT, "plot: %d panels at %p (expected an array of them)",
                       plot->npanel, (const void *)plot->panel);
    }
    for (int i = 0; i < plot->npanel; ++i) {
        const dp_plot_panel *panel = &plot->panel[i];
        if (panel->nseries < 0 || (panel->nseries > 0 && !panel->series)) {
            return dp_fail(DP_ERROR_ARGUMENT,
                           "panel %d of a plot: %d series at %p (expected an array of them)", i,
                           panel->nseries, (const void *)panel->series);
        }
        for (int k = 0; k < panel->nseries; ++k) {
            const dp_plot_series *s = &panel->series[k];
            if (s->count > 0 && (!s->x || !s->y)) {
                return dp_fail(DP_ERROR_ARGUMENT,
                               "panel %d of a plot: series %d has no values (expected x and y)", i,
                               k);
            }
        }
    }
    return DP_OK;
}

dp_status dp_plot_write_svg(const char *path, const dp_plot *plot, const dp_allocator *allocator)
{
    DP_TRY(check(plot));
    dp_output out;
    const dp_allocator chosen = dp_allocator_or_default(allocator);
    DP_TRY(dp_output_open(&out, path, &chosen));
    draw(out.file, plot);
    return dp_output_close(&out);
}
