// Colours are set twice in plain CSS classes, the second time inside a query for dark displays.
// Viewers that know no queries show the light version.
#include "record/plot/svg_text.h"

#include "base/output.h"
#include "base/text/utf8.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static const char *const light[DP_SVG_COLOURS] = {"#0969c8", "#d4690a", "#15803d", "#c2185b",
                                                  "#6d3fc4", "#0e8a93", "#8b5a2b", "#5b6472"};
static const char *const dark[DP_SVG_COLOURS] = {"#5eb0ff", "#ffa657", "#56c98a", "#ff7aa8",
                                                 "#b697ff", "#45cbd2", "#d8a676", "#a9b3c0"};

int dp_svg_length(const char *text)
{
    int n = 0;
    while (*text != '\0') {
        const size_t length = dp_utf8_length(text);
        text += length > 0 ? length : 1;
        ++n;
    }
    return n;
}

// Characters [from, to) of the text, safe inside XML.
static void put_characters(FILE *file, const char *text, int from, int to)
{
    for (int i = 0; i < to && *text != '\0'; ++i) {
        const size_t length = dp_utf8_length(text);
        if (i >= from) {
            if (length == 0 || dp_utf8_control(text) != 0) {
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

void dp_svg_text(FILE *file, const char *text)
{
    put_characters(file, text, 0, dp_svg_length(text));
}

void dp_svg_elided(FILE *file, const char *text, int longest)
{
    const int n = dp_svg_length(text);
    if (n <= longest) {
        dp_svg_text(file, text);
        return;
    }
    const int head = (longest - 1) / 2, tail = longest - 1 - head;
    put_characters(file, text, 0, head);
    fputs("…", file);
    put_characters(file, text, n - tail, n);
}

void dp_svg_superscript(FILE *file, int n)
{
    static const char *const digit[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    char text[16];
    snprintf(text, sizeof text, "%d", n);
    for (const char *c = text; *c != '\0'; ++c) {
        fputs(*c == '-' ? "⁻" : digit[*c - '0'], file);
    }
}

void dp_svg_tenths(FILE *file, double x)
{
    const long tenths = lround(x * 10.0);
    const long size = tenths < 0 ? -tenths : tenths;
    fprintf(file, "%s%ld", tenths < 0 ? "-" : "", size / 10);
    if (size % 10 != 0) {
        fprintf(file, ".%ld", size % 10);
    }
}

void dp_svg_axis_name(FILE *file, const char *name, const char *unit, const dp_axis *axis)
{
    dp_svg_text(file, name);
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
            dp_svg_superscript(file, axis->exponent);
            fputs(has_unit ? " " : "", file);
        }
        dp_svg_text(file, has_unit ? unit : "");
        fputc(']', file);
    }
}

static void put_style(FILE *file)
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
          ".rest{stroke:#c3c9d0;stroke-width:1}\n"
          ".minor{fill:none;stroke:#f2f4f6;stroke-width:1}\n"
          ".reference{stroke:#59636e;stroke-width:1.2;stroke-dasharray:2 4}\n",
          file);
    for (int i = 0; i < DP_SVG_COLOURS; ++i) {
        fprintf(file, ".c%d{stroke:%s}.m%d{fill:%s}\n", i, light[i], i, light[i]);
    }
    fputs("@media (prefers-color-scheme:dark){\n"
          "text{fill:#e6e8eb}\n"
          ".tick{fill:#9aa4af}\n"
          ".back{fill:#14171b}\n"
          ".grid{stroke:#2a3037}\n"
          ".zero{stroke:#5b6570}\n"
          ".rest{stroke:#454d57}\n"
          ".minor{stroke:#1e2227}\n"
          ".reference{stroke:#9aa4af}\n",
          file);
    for (int i = 0; i < DP_SVG_COLOURS; ++i) {
        fprintf(file, ".c%d{stroke:%s}.m%d{fill:%s}\n", i, dark[i], i, dark[i]);
    }
    fputs("}\n</style>\n", file);
}

void dp_svg_begin(FILE *file, int width, double height, const char *title, const char *otherwise)
{
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 %d %.0f\" "
            "width=\"%d\" height=\"%.0f\">\n<title>",
            width, height, width, height);
    dp_svg_text(file, title && title[0] != '\0' ? title : otherwise);
    fputs("</title>\n", file);
    put_style(file);
}
