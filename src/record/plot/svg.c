// Layout, top to bottom: title, panels with their legends at the right, the common axis.
#include "record/plot/svg.h"

#include "base/output.h"
#include "record/plot/svg_text.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// All lengths in pixels.
enum {
    WIDTH = 1000,
    LEFT = 76,          // room for the labels of the ticks
    RIGHT = 24,         // free space at the right edge
    TOP = 20,           // free space above the first panel
    TITLE = 36,         // room for the title
    HEADING = 30,       // room for the name of a panel
    GAP = 20,           // between panels
    BOTTOM = 58,        // room for the common axis
    PANEL_HEIGHT = 170, // at least
    ONLY_PANEL_HEIGHT = 320,
    LEGEND_LINE = 18,
    LEGEND_SWATCH = 26,
    LEGEND_SPACE = 18,    // between the panel and its legend
    LEGEND_TEXT = 232,    // at most
    LEGEND_CHARACTER = 8, // typical width
    TICK_SPACING = 36,    // vertical, at least
    BUCKETS = 700, // a curve is reduced to the extremes of this many stretches: at most 1402 points
    BUCKETS_OF_REST = 250, // the same for curves in grey
};

// What a unit measures, in words. Panels stand in the order of this table.
static const char *const quantities[][2] = {
    {"s", "time"},
    {"m", "position"},
    {"rad", "angle"},
    {"1", "value"},
    {"m/s", "velocity"},
    {"rad/s", "angular velocity"},
    {"m/s²", "acceleration"},
    {"rad/s²", "angular acceleration"},
    {"N", "force"},
    {"N m", "torque"},
    {"Pa", "pressure"},
    {"kg m/s", "momentum"},
    {"kg m²/s", "angular momentum"},
    {"T", "magnetic field"},
    {"J", "energy"},
};
enum { QUANTITIES = sizeof quantities / sizeof quantities[0] };

// The unit's place in the table; behind it for units that are not there.
static int rank(const char *unit)
{
    int i = 0;
    while (i < QUANTITIES && strcmp(quantities[i][0], unit) != 0) {
        ++i;
    }
    return i;
}

// --- panels -----------------------------------------------------------------------------------

typedef struct panel {
    const char *unit;
    int curves;
    double top, height;
    dp_axis axis;
    bool empty; // not one finite value
} panel;

static bool first_of_its_unit(const dp_svg_plot *plot, int i)
{
    for (int j = 0; j < i; ++j) {
        if (strcmp(plot->curve[j].unit, plot->curve[i].unit) == 0) {
            return false;
        }
    }
    return true;
}

static void extend_range(double range[2], const double *values, const dp_svg_plot *plot)
{
    for (size_t i = 0; i < plot->count; ++i) {
        const double value = values[i * plot->stride];
        if (isfinite(value)) {
            range[0] = fmin(range[0], value);
            range[1] = fmax(range[1], value);
        }
    }
}

static panel measure_panel(const dp_svg_plot *plot, int first, bool only)
{
    panel p = {.unit = plot->curve[first].unit};
    double range[2] = {INFINITY, -INFINITY};
    for (int i = first; i < plot->ncurve; ++i) {
        if (strcmp(plot->curve[i].unit, p.unit) == 0) {
            ++p.curves;
            extend_range(range, plot->curve[i].y, plot);
        }
    }
    const int coloured = p.curves < DP_SVG_COLOURED ? p.curves : DP_SVG_COLOURED;
    const int legend_lines = coloured + (p.curves > coloured ? 2 : 0);
    p.height = fmax(only ? ONLY_PANEL_HEIGHT : PANEL_HEIGHT, legend_lines * LEGEND_LINE);
    p.empty = range[0] > range[1];
    if (p.empty) {
        range[0] = range[1] = 0.0;
    }
    p.axis = dp_axis_fit(range[0], range[1], (int)(p.height / TICK_SPACING) + 1, 0.06);
    return p;
}

static double place_y(const panel *p, double y)
{
    return p->top + p->height * (1.0 - dp_axis_place(&p->axis, y));
}

typedef struct frame {
    double left, width; // of every panel
    dp_axis axis;       // the common one
} frame;

static double place_x(const frame *f, double x)
{
    return f->left + f->width * dp_axis_place(&f->axis, x);
}

static void draw_grid(FILE *file, const panel *p, const frame *f)
{
    const double bottom = p->top + p->height;
    fputs("<path class=\"grid\" d=\"", file);
    for (int64_t k = f->axis.first; k <= f->axis.last; ++k) {
        fputc('M', file);
        dp_svg_tenths(file, place_x(f, f->axis.offset + (double)k * f->axis.step));
        fputc(' ', file);
        dp_svg_tenths(file, p->top);
        fputc('V', file);
        dp_svg_tenths(file, bottom);
    }
    for (int64_t k = p->axis.first; k <= p->axis.last; ++k) {
        fputc('M', file);
        dp_svg_tenths(file, f->left);
        fputc(' ', file);
        dp_svg_tenths(file, place_y(p, p->axis.offset + (double)k * p->axis.step));
        fputc('H', file);
        dp_svg_tenths(file, f->left + f->width);
    }
    fputs("\"/>\n<path class=\"zero\" d=\"M", file);
    dp_svg_tenths(file, f->left);
    fputc(' ', file);
    dp_svg_tenths(file, p->top);
    fputc('V', file);
    dp_svg_tenths(file, bottom);
    fputc('H', file);
    dp_svg_tenths(file, f->left + f->width);
    if (p->axis.offset == 0.0 && p->axis.lo < 0.0 && p->axis.hi > 0.0) {
        fputc('M', file);
        dp_svg_tenths(file, f->left);
        fputc(' ', file);
        dp_svg_tenths(file, place_y(p, 0.0));
        fputc('H', file);
        dp_svg_tenths(file, f->left + f->width);
    }
    fputs("\"/>\n", file);
    for (int64_t k = p->axis.first; k <= p->axis.last; ++k) {
        char label[400];
        dp_axis_label(label, sizeof label, &p->axis, k);
        fputs("<text class=\"tick y\" x=\"", file);
        dp_svg_tenths(file, f->left - 10.0);
        fputs("\" y=\"", file);
        dp_svg_tenths(file, place_y(p, p->axis.offset + (double)k * p->axis.step) + 4.0);
        fprintf(file, "\">%s</text>\n", label);
    }
}

// --- curves -----------------------------------------------------------------------------------

// A pen that draws one path and lifts at gaps.
typedef struct curve_pen {
    FILE *file;
    const panel *p;
    const frame *f;
    bool down;
    bool any;
} curve_pen;

static void pen_to(curve_pen *pen, double x, double y)
{
    fputc(pen->down ? 'L' : 'M', pen->file);
    dp_svg_tenths(pen->file, place_x(pen->f, x));
    fputc(' ', pen->file);
    // Stay near the panel: what lies far outside is cut off anyway, and huge numbers upset viewers.
    dp_svg_tenths(pen->file, fmax(-1e4, fmin(place_y(pen->p, y), 1e5)));
    if (!pen->down) {
        fputs("h0", pen->file); // a sample between two gaps shows as a dot
    }
    pen->down = true;
    pen->any = true;
}

// The lowest and the highest sample of [from, to), in their order; a gap lifts the pen behind them.
static void draw_extremes(curve_pen *pen, const dp_svg_plot *plot, const double *y, size_t from,
                          size_t to)
{
    size_t lowest = to, highest = to;
    bool gap = false;
    for (size_t i = from; i < to; ++i) {
        const double value = y[i * plot->stride];
        if (!isfinite(value) || !isfinite(plot->x[i * plot->stride])) {
            gap = true;
            continue;
        }
        if (lowest == to || value < y[lowest * plot->stride]) {
            lowest = i;
        }
        if (highest == to || value > y[highest * plot->stride]) {
            highest = i;
        }
    }
    if (lowest != to) {
        const size_t first = lowest < highest ? lowest : highest;
        const size_t second = lowest < highest ? highest : lowest;
        pen_to(pen, plot->x[first * plot->stride], y[first * plot->stride]);
        if (second != first) {
            pen_to(pen, plot->x[second * plot->stride], y[second * plot->stride]);
        }
    }
    if (gap) {
        pen->down = false;
    }
}

static void put_summary(FILE *file, const dp_svg_plot *plot, const dp_svg_curve *curve)
{
    double range[2] = {INFINITY, -INFINITY};
    extend_range(range, curve->y, plot);
    dp_svg_text(file, curve->name);
    fputs(" [", file);
    dp_svg_text(file, curve->unit);
    fputc(']', file);
    if (range[0] <= range[1]) {
        char text[64];
        for (int i = 0; i < 2; ++i) {
            snprintf(text, sizeof text, "%.6g", range[i]);
            dp_plain_number(text);
            fprintf(file, "%s%s", i == 0 ? ": " : " … ", text);
        }
    }
}

static void draw_curve(FILE *file, const dp_svg_plot *plot, const dp_svg_curve *curve,
                       const panel *p, const frame *f, int number)
{
    fputs("<path class=\"curve ", file);
    if (number < DP_SVG_COLOURED) {
        fprintf(file, "c%d%s", number % DP_SVG_COLOURS, number >= DP_SVG_COLOURS ? " dashed" : "");
    } else {
        fputs("rest", file);
    }
    fputs("\" d=\"", file);
    curve_pen pen = {.file = file, .p = p, .f = f};
    const size_t n = plot->count, buckets = number < DP_SVG_COLOURED ? BUCKETS : BUCKETS_OF_REST;
    if (n <= 2 * buckets) {
        for (size_t i = 0; i < n; ++i) {
            draw_extremes(&pen, plot, curve->y, i, i + 1);
        }
    } else {
        draw_extremes(&pen, plot, curve->y, 0, 1);
        for (size_t b = 0; b < buckets; ++b) {
            draw_extremes(&pen, plot, curve->y, 1 + b * (n - 2) / buckets,
                          1 + (b + 1) * (n - 2) / buckets);
        }
        draw_extremes(&pen, plot, curve->y, n - 1, n);
    }
    if (!pen.any) {
        fputs("M0 0", file); // an empty path is no path to some viewers
    }
    fputs("\"><title>", file);
    put_summary(file, plot, curve);
    fputs("</title></path>\n", file);
}

static void draw_legend_line(FILE *file, double left, double y, const char *style)
{
    fprintf(file, "<path class=\"curve %s\" d=\"M", style);
    dp_svg_tenths(file, left);
    fputc(' ', file);
    dp_svg_tenths(file, y);
    fprintf(file, "h%d\"/>\n<text class=\"legend\" x=\"", LEGEND_SWATCH - 8);
    dp_svg_tenths(file, left + LEGEND_SWATCH);
    fputs("\" y=\"", file);
    dp_svg_tenths(file, y + 4.0);
    fputs("\">", file);
}

static const char *panel_name(const dp_svg_plot *plot, const panel *p, int first)
{
    bool quaternions = true;
    for (int i = first; i < plot->ncurve; ++i) {
        if (strcmp(plot->curve[i].unit, p->unit) == 0) {
            quaternions = quaternions && strstr(plot->curve[i].name, ".quat.");
        }
    }
    const int place = rank(p->unit);
    return quaternions ? "quaternion" : place < QUANTITIES ? quantities[place][1] : "value";
}

static void draw_panel(FILE *file, const dp_svg_plot *plot, const panel *p, const frame *f,
                       int first)
{
    fputs("<text class=\"heading\" x=\"", file);
    dp_svg_tenths(file, f->left);
    fputs("\" y=\"", file);
    dp_svg_tenths(file, p->top - 10.0);
    fputs("\">", file);
    dp_svg_axis_name(file, panel_name(plot, p, first), p->unit, &p->axis);
    fputs("</text>\n", file);
    draw_grid(file, p, f);
    if (p->empty) {
        fputs("<text class=\"tick\" x=\"", file);
        dp_svg_tenths(file, f->left + 12.0);
        fputs("\" y=\"", file);
        dp_svg_tenths(file, p->top + 22.0);
        fputs("\">no finite values</text>\n", file);
    }

    // The grey ones first, so that they lie under the coloured ones.
    for (int pass = 0; pass < 2; ++pass) {
        int number = 0;
        for (int i = first; i < plot->ncurve; ++i) {
            if (strcmp(plot->curve[i].unit, p->unit) != 0) {
                continue;
            }
            if ((number < DP_SVG_COLOURED) == (pass == 1)) {
                draw_curve(file, plot, &plot->curve[i], p, f, number);
            }
            ++number;
        }
    }

    const double left = f->left + f->width + LEGEND_SPACE;
    const int longest = LEGEND_TEXT / LEGEND_CHARACTER;
    int number = 0;
    for (int i = first; i < plot->ncurve && number < DP_SVG_COLOURED; ++i) {
        if (strcmp(plot->curve[i].unit, p->unit) == 0) {
            char style[32];
            snprintf(style, sizeof style, "c%d%s", number % DP_SVG_COLOURS,
                     number >= DP_SVG_COLOURS ? " dashed" : "");
            draw_legend_line(file, left, p->top + 8.0 + number * LEGEND_LINE, style);
            dp_svg_elided(file, plot->curve[i].name, longest);
            fputs("<title>", file);
            put_summary(file, plot, &plot->curve[i]);
            fputs("</title></text>\n", file);
            ++number;
        }
    }
    if (p->curves > number) {
        draw_legend_line(file, left, p->top + 8.0 + number * LEGEND_LINE, "rest");
        fprintf(file, "and %d more</text>\n", p->curves - number);
    }
}

static double legend_width(const dp_svg_plot *plot)
{
    int longest = 0;
    for (int i = 0; i < plot->ncurve; ++i) {
        const int n = dp_svg_length(plot->curve[i].name);
        longest = n > longest ? n : longest;
    }
    const int text = longest * LEGEND_CHARACTER;
    return LEGEND_SPACE + LEGEND_SWATCH + (text < LEGEND_TEXT ? text : LEGEND_TEXT);
}

static void draw_common_axis(FILE *file, const dp_svg_plot *plot, const frame *f, double bottom)
{
    for (int64_t k = f->axis.first; k <= f->axis.last; ++k) {
        char label[400];
        dp_axis_label(label, sizeof label, &f->axis, k);
        fputs("<text class=\"tick x\" x=\"", file);
        dp_svg_tenths(file, place_x(f, f->axis.offset + (double)k * f->axis.step));
        fputs("\" y=\"", file);
        dp_svg_tenths(file, bottom + 20.0);
        fprintf(file, "\">%s</text>\n", label);
    }
    fputs("<text class=\"heading x\" x=\"", file);
    dp_svg_tenths(file, f->left + 0.5 * f->width);
    fputs("\" y=\"", file);
    dp_svg_tenths(file, bottom + 42.0);
    fputs("\">", file);
    dp_svg_axis_name(file, plot->x_name, plot->x_unit, &f->axis);
    fputs("</text>\n", file);
}

void dp_svg_write(FILE *file, const dp_svg_plot *plot)
{
    const bool titled = plot->title && plot->title[0] != '\0';
    int panels = 0;
    for (int i = 0; i < plot->ncurve; ++i) {
        panels += first_of_its_unit(plot, i) ? 1 : 0;
    }
    double y = TOP + (titled ? TITLE : 0);
    double height = y + BOTTOM;
    for (int i = 0; i < plot->ncurve; ++i) {
        if (first_of_its_unit(plot, i)) {
            height += HEADING + measure_panel(plot, i, panels == 1).height + GAP;
        }
    }
    height -= panels > 0 ? GAP : 0;

    frame f = {.left = LEFT, .width = WIDTH - LEFT - RIGHT - legend_width(plot)};
    double range[2] = {INFINITY, -INFINITY};
    extend_range(range, plot->x, plot);
    if (range[0] > range[1]) {
        range[0] = 0.0;
        range[1] = 1.0;
    }
    f.axis = dp_axis_fit(range[0], range[1], 10, 0.0);

    dp_svg_begin(file, WIDTH, height, plot->title, "plot");
    fputs("<rect class=\"back\" width=\"100%\" height=\"100%\"/>\n", file);
    if (titled) {
        fprintf(file, "<text class=\"title\" x=\"%d\" y=\"%d\">", LEFT, TOP + 18);
        dp_svg_elided(file, plot->title, 80);
        fputs("</text>\n", file);
    }
    for (int place = 0; place <= QUANTITIES; ++place) {
        for (int i = 0; i < plot->ncurve; ++i) {
            if (rank(plot->curve[i].unit) == place && first_of_its_unit(plot, i)) {
                panel p = measure_panel(plot, i, panels == 1);
                p.top = y + HEADING;
                draw_panel(file, plot, &p, &f, i);
                y = p.top + p.height + GAP;
            }
        }
    }
    draw_common_axis(file, plot, &f, y - (panels > 0 ? GAP : 0));
    fputs("</svg>\n", file);
}
