// What all SVG pictures share: text that is safe inside XML, coordinates, colours for light and
// dark displays.
#ifndef DP_RECORD_SVG_TEXT_H
#define DP_RECORD_SVG_TEXT_H

#include "record/plot/axis.h"

#include <stdio.h>

enum { DP_SVG_COLOURS = 8 }; // classes c0 … c7 (lines) and m0 … m7 (marks)

/// The number of characters of UTF-8 text.
int dp_svg_length(const char *text);
/// Write text, safe inside XML; what is not UTF-8 is replaced.
void dp_svg_text(FILE *file, const char *text);
/// The same; long texts lose their middle: both ends of a channel's name tell it from its
/// neighbours.
void dp_svg_elided(FILE *file, const char *text, int longest);
void dp_svg_superscript(FILE *file, int n); ///< "⁻³"
void dp_svg_tenths(FILE *file, double x);   ///< a coordinate with one decimal
/// "angle [rad]", "energy − 12.5 [10⁻⁶ J]"
void dp_svg_axis_name(FILE *file, const char *name, const char *unit, const dp_axis *axis);
/// A picture begins: its size, its title (`otherwise` where that is NULL or empty), the style
/// sheet.
void dp_svg_begin(FILE *file, int width, double height, const char *title, const char *otherwise);

#endif
