// Curves over a common axis as one self-contained SVG picture: a panel per unit, light and dark.
#ifndef DP_RECORD_SVG_H
#define DP_RECORD_SVG_H

#include "record/axis.h"

#include <stddef.h>
#include <stdio.h>

typedef struct dp_svg_curve {
    const char *name, *unit;
    const double *y;
} dp_svg_curve;

/// Sample i of x and of every y is at [i·stride]. Texts are UTF-8; what is not is replaced.
typedef struct dp_svg_plot {
    const char *title; ///< NULL: none
    const char *x_name, *x_unit;
    const double *x;
    size_t stride, count;
    const dp_svg_curve *curve;
    int ncurve;
} dp_svg_plot;

/// Curves of one panel that get a colour and a line in the legend; the others are grey.
enum { DP_SVG_COLOURED = 16 };

/// Draw. Values that are not finite leave gaps. Errors of the file are left to its owner.
void dp_svg_write(FILE *file, const dp_svg_plot *plot);

// For other pictures of the same looks: classes title, heading, tick, legend, x, y, grid, zero.

/// Open the picture: title (NULL: none), style, background. `style` is added to it, plain CSS.
void dp_svg_begin(FILE *file, const char *title, int width, int height, const char *style);
/// A text, without its middle where it has more than `longest` characters.
void dp_svg_put_text(FILE *file, const char *text, int longest);
/// A coordinate with one decimal.
void dp_svg_put_length(FILE *file, double x);
/// "pressure [10³ Pa]"
void dp_svg_put_axis_name(FILE *file, const char *name, const char *unit, const dp_axis *axis);

#endif
