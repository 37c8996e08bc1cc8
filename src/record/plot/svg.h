// Curves over a common axis as one self-contained SVG picture: a panel per unit, light and dark.
#ifndef DP_RECORD_SVG_H
#define DP_RECORD_SVG_H

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

#endif
