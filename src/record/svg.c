// Layout, top to bottom: title, panels with their legends at the right, the common axis.
//
// Colours are set twice in plain CSS classes, the second time inside a query for dark displays.
// Viewers that know no queries show the light version.
#include "record/svg.h"

#include "base/output.h"
#include "record/axis.h"

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
    COLOURS = 8,
    BUCKETS = 700, // a curve is reduced to the extremes of this many stretches: at most 1402 points
    BUCKETS_OF_REST = 250, // the same for curves in grey
};

static const char *const light[COLOURS] = {"#0969c8", "#d4690a", "#15803d", "#c2185b",
                                           "#6d3fc4", "#0e8a93", "#8b5a2b", "#5b6472"};
static const char *const dark[COLOURS] = {"#5eb0ff", "#ffa657", "#56c98a", "#ff7aa8",
                                          "#b697ff", "#45cbd2", "#d8a676", "#a9b3c0"};

// --- text -------------------------------------------------------------------------------------

// The length of the valid UTF-8 character at `text`, 0 when there is none that XML allows.
static size_t character_length(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    if (c[0] < 0x80) {
        return c[0] >= 0x20 && c[0] != 0x7F ? 1 : 0;
    }
    const size_t n = c[0] >= 0xF0 ? 4 : c[0] >= 0xE0 ? 3 : 2;
    uint32_t code = c[0] & (0xFFu >> (n + 1));
    for (size_t i = 1; i < n; ++i) {
        if ((c[i] & 0xC0u) != 0x80u) {
            return 0;
        }
        code = code << 6 | (c[i] & 0x3Fu);
    }
    static const uint32_t first[5] = {0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    const bool not_a_character = code == 0xFFFE || code == 0xFFFF || code > 0x10FFFF;
    const bool valid = c[0] >= 0xC2 && code >= first[n] && !surrogate && !not_a_character;
    return valid ? n : 0;
}

static int count_characters(const char *text)
{
    int n = 0;
    while (*text != '\0') {
        const size_t length = character_length(text);
        text += length > 0 ? length : 1;
        ++n;
    }
    return n;
}

// Characters [from, to) of the text, safe inside XML.
static void put_characters(FILE *file, const char *text, int from, int to)
{
    for (int i = 0; i < to && *text != '\0'; ++i) {
        const size_t length = character_length(text);
        if (i >= from) {
            if (length == 0) {
                fputs("\xEF\xBF\xBD", file); // U+FFFD
            } else if (*text == '<') {
                fputs("&lt;", file);
            } else if (*text == '>') {
                fputs("&gt;", file);
            } else if (*text == '&') {
                fputs("&amp;", file);
            } else if (*text == '"') {
                fputs("&quot;", file);
            } else {
                fwrite(text, 1, length, file);
            }
        }
        text += length > 0 ? length : 1;
    }
}

static void put_text(FILE *file, const char *text)
{
    put_characters(file, text, 0, count_characters(text));
}

// Long texts lose their middle: both ends of a channel's name tell it from its neighbours.
static void put_elided(FILE *file, const char *text, int longest)
{
    const int n = count_characters(text);
    if (n <= longest) {
        put_text(file, text);
        return;
    }
    const int head = (longest - 1) / 2, tail = longest - 1 - head;
    put_characters(file, text, 0, head);
    fputs("…", file);
    put_characters(file, text, n - tail, n);
}

static void put_superscript(FILE *file, int n)
{
    static const char *const digit[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    char text[16];
    snprintf(text, sizeof text, "%d", n);
    for (const char *c = text; *c != '\0'; ++c) {
        fputs(*c == '-' ? "⁻" : digit[*c - '0'], file);
    }
}

// A coordinate with one decimal.
static void put_tenths(FILE *file, double x)
{
    const long tenths = lround(x * 10.0);
    const long size = tenths < 0 ? -tenths : tenths;
    fprintf(file, "%s%ld", tenths < 0 ? "-" : "", size / 10);
    if (size % 10 != 0) {
        fprintf(file, ".%ld", size % 10);
    }
}

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

// "angle [rad]", "energy − 12.5 [10⁻⁶ J]"
static void put_axis_name(FILE *file, const char *name, const char *unit, const dp_axis *axis)
{
    put_text(file, name);
    if (axis->offset != 0.0) {
        char offset[64];
        snprintf(offset, sizeof offset, "%.15g", fabs(axis->offset));
        dp_plain_number(offset);
        fprintf(file, " %s %s", axis->offset > 0.0 ? "−" : "+", offset);
    }
    const bool has_unit = strcmp(unit, "1") != 0;
    if (has_unit || axis->exponent != 0) {
        fputs(" [", file);
        if (axis->exponent != 0) {
            fputs("10", file);
            put_superscript(file, axis->exponent);
            fputs(has_unit ? " " : "", file);
        }
        put_text(file, has_unit ? unit : "");
        fputc(']', file);
    }
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
        put_tenths(file, place_x(f, f->axis.offset + (double)k * f->axis.step));
        fputc(' ', file);
        put_tenths(file, p->top);
        fputc('V', file);
        put_tenths(file, bottom);
    }
    for (int64_t k = p->axis.first; k <= p->axis.last; ++k) {
        fputc('M', file);
        put_tenths(file, f->left);
        fputc(' ', file);
        put_tenths(file, place_y(p, p->axis.offset + (double)k * p->axis.step));
        fputc('H', file);
        put_tenths(file, f->left + f->width);
    }
    fputs("\"/>\n<path class=\"zero\" d=\"M", file);
    put_tenths(file, f->left);
    fputc(' ', file);
    put_tenths(file, p->top);
    fputc('V', file);
    put_tenths(file, bottom);
    fputc('H', file);
    put_tenths(file, f->left + f->width);
    if (p->axis.offset == 0.0 && p->axis.lo < 0.0 && p->axis.hi > 0.0) {
        fputc('M', file);
        put_tenths(file, f->left);
        fputc(' ', file);
        put_tenths(file, place_y(p, 0.0));
        fputc('H', file);
        put_tenths(file, f->left + f->width);
    }
    fputs("\"/>\n", file);
    for (int64_t k = p->axis.first; k <= p->axis.last; ++k) {
        char label[400];
        dp_axis_label(label, sizeof label, &p->axis, k);
        fputs("<text class=\"tick y\" x=\"", file);
        put_tenths(file, f->left - 10.0);
        fputs("\" y=\"", file);
        put_tenths(file, place_y(p, p->axis.offset + (double)k * p->axis.step) + 4.0);
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
    put_tenths(pen->file, place_x(pen->f, x));
    fputc(' ', pen->file);
    // Stay near the panel: what lies far outside is cut off anyway, and huge numbers upset viewers.
    put_tenths(pen->file, fmax(-1e4, fmin(place_y(pen->p, y), 1e5)));
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
    put_text(file, curve->name);
    fputs(" [", file);
    put_text(file, curve->unit);
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
        fprintf(file, "c%d%s", number % COLOURS, number >= COLOURS ? " dashed" : "");
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
    put_tenths(file, left);
    fputc(' ', file);
    put_tenths(file, y);
    fprintf(file, "h%d\"/>\n<text class=\"legend\" x=\"", LEGEND_SWATCH - 8);
    put_tenths(file, left + LEGEND_SWATCH);
    fputs("\" y=\"", file);
    put_tenths(file, y + 4.0);
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
    put_tenths(file, f->left);
    fputs("\" y=\"", file);
    put_tenths(file, p->top - 10.0);
    fputs("\">", file);
    put_axis_name(file, panel_name(plot, p, first), p->unit, &p->axis);
    fputs("</text>\n", file);
    draw_grid(file, p, f);
    if (p->empty) {
        fputs("<text class=\"tick\" x=\"", file);
        put_tenths(file, f->left + 12.0);
        fputs("\" y=\"", file);
        put_tenths(file, p->top + 22.0);
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
            snprintf(style, sizeof style, "c%d%s", number % COLOURS,
                     number >= COLOURS ? " dashed" : "");
            draw_legend_line(file, left, p->top + 8.0 + number * LEGEND_LINE, style);
            put_elided(file, plot->curve[i].name, longest);
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
        const int n = count_characters(plot->curve[i].name);
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
        put_tenths(file, place_x(f, f->axis.offset + (double)k * f->axis.step));
        fputs("\" y=\"", file);
        put_tenths(file, bottom + 20.0);
        fprintf(file, "\">%s</text>\n", label);
    }
    fputs("<text class=\"heading x\" x=\"", file);
    put_tenths(file, f->left + 0.5 * f->width);
    fputs("\" y=\"", file);
    put_tenths(file, bottom + 42.0);
    fputs("\">", file);
    put_axis_name(file, plot->x_name, plot->x_unit, &f->axis);
    fputs("</text>\n", file);
}

static void write_style(FILE *file)
{
    fputs("<style>\n"
          "text{font-family:system-ui,-apple-system,\"Segoe UI\",Roboto,\"Helvetica Neue\",Arial,"
          "\"DejaVu Sans\",sans-serif;fill:#1f2328}\n"
          ".title{font-size:20px;font-weight:600}\n"
          ".heading{font-size:14px;font-weight:600}\n"
          ".tick{font-size:13px;fill:#59636e}\n"
          ".legend{font-size:13px}\n"
          ".x{text-anchor:middle}\n"
          ".y{text-anchor:end}\n"
          ".back{fill:#ffffff}\n"
          ".grid,.zero,.curve{fill:none}\n"
          ".grid{stroke:#e6e9ed;stroke-width:1}\n"
          ".zero{stroke:#a9b1bb;stroke-width:1}\n"
          ".curve{stroke-width:1.8;stroke-linejoin:round;stroke-linecap:round}\n"
          ".dashed{stroke-dasharray:6 4}\n"
          ".rest{stroke:#c3c9d0;stroke-width:1}\n",
          file);
    for (int i = 0; i < COLOURS; ++i) {
        fprintf(file, ".c%d{stroke:%s}\n", i, light[i]);
    }
    fputs("@media (prefers-color-scheme:dark){\n"
          "text{fill:#e6e8eb}\n"
          ".tick{fill:#9aa4af}\n"
          ".back{fill:#14171b}\n"
          ".grid{stroke:#2a3037}\n"
          ".zero{stroke:#5b6570}\n"
          ".rest{stroke:#454d57}\n",
          file);
    for (int i = 0; i < COLOURS; ++i) {
        fprintf(file, ".c%d{stroke:%s}\n", i, dark[i]);
    }
    fputs("}\n</style>\n", file);
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

    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 %d %.0f\" "
            "width=\"%d\" height=\"%.0f\">\n<title>",
            WIDTH, height, WIDTH, height);
    put_text(file, titled ? plot->title : "plot");
    fputs("</title>\n", file);
    write_style(file);
    fputs("<rect class=\"back\" width=\"100%\" height=\"100%\"/>\n", file);
    if (titled) {
        fprintf(file, "<text class=\"title\" x=\"%d\" y=\"%d\">", LEFT, TOP + 18);
        put_elided(file, plot->title, 80);
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
