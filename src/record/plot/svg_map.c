// Pressures on elastic foundations as a picture: one map per face, a scale of colours at the right.
//
// The colours go from dark blue over green to yellow, so that brightness alone tells high from low;
// springs that do not push have none. Neighbours of one colour are drawn as one.
#include "record/plot/svg_text.h"

#include "base/output.h"
#include "model/model.h"

#include <dashpot/record.h>

#include <math.h>
#include <stdint.h>
#include <string.h>

// All lengths in pixels.
enum {
    LEFT = 76,
    TOP = 20,
    TITLE = 36,
    HEADING = 30,
    SIDE = 420,     // of the longer side of a map
    BELOW = 66,     // room for the axis of a map
    BAR_SPACE = 36, // between a map and its scale
    BAR_WIDTH = 18,
    BAR_LABELS = 130, // room for the labels of the scale
    TICK_SPACING = 60,
    LEVELS = 48,      // colours
    MOST_CELLS = 256, // along one side; finer maps are averaged
};

static const int colour[][3] = {
    {61, 38, 120}, {49, 96, 142}, {33, 144, 140}, {94, 196, 98}, {250, 226, 40}};
enum { COLOURS = sizeof colour / sizeof colour[0] };

static void put_colour(FILE *file, int level)
{
    const double at = (double)level * (COLOURS - 1) / (LEVELS - 1);
    const int i = level == LEVELS - 1 ? COLOURS - 2 : (int)at;
    fputc('#', file);
    for (int k = 0; k < 3; ++k) {
        const double x = colour[i][k] + (at - i) * (colour[i + 1][k] - colour[i][k]);
        fprintf(file, "%02x", (unsigned)lround(x));
    }
}

// −1: it does not push.
static int level_of(double pressure, double most)
{
    if (!(pressure > 0.0)) {
        return -1;
    }
    const int level = (int)(pressure / most * LEVELS);
    return level < LEVELS ? level : LEVELS - 1;
}

// One face.
typedef struct map {
    const dp_geom *geom;
    int index; // of the geom
    const double *pressure;
    int nx, ny;
    double half[2]; // [m] of its two axes
    int axis[2];    // which they are: 0 x, 1 y, 2 z
    double left, top, width, height;
    dp_foundation_load load;
} map;

static map map_of(const dp_model *m, const dp_data *d, int geom)
{
    map f = {.geom = &m->geom[geom], .index = geom};
    const int normal = dp_face_axis(f.geom->foundation.face);
    f.pressure = dp_foundation_pressure(d, (dp_geom_id){geom}, &f.nx, &f.ny);
    f.load = dp_foundation_sum(d, (dp_geom_id){geom});
    f.axis[0] = normal == 0 ? 1 : 0;
    f.axis[1] = normal == 2 ? 1 : 2;
    f.half[0] = f.geom->size[f.axis[0]];
    f.half[1] = f.geom->size[f.axis[1]];
    const double scale = SIDE / fmax(f.half[0], f.half[1]), least = 24.0;
    f.width = fmax(least, scale * f.half[0]);
    f.height = fmax(least, scale * f.half[1]);
    return f;
}

static double along(dp_v3 x, int axis)
{
    return axis == 0 ? x.x : axis == 1 ? x.y : x.z;
}

static void put_rect(FILE *file, double x, double y, double width, double height)
{
    fputs("<rect x=\"", file);
    dp_svg_tenths(file, x);
    fputs("\" y=\"", file);
    dp_svg_tenths(file, y);
    fputs("\" width=\"", file);
    dp_svg_tenths(file, width);
    fputs("\" height=\"", file);
    dp_svg_tenths(file, height);
    fputc('"', file);
}

static void open_text(FILE *file, const char *class, double x, double y)
{
    fprintf(file, "<text class=\"%s\" x=\"", class);
    dp_svg_tenths(file, x);
    fputs("\" y=\"", file);
    dp_svg_tenths(file, y);
    fputs("\">", file);
}

// The mean over the springs that a cell of the picture stands for.
static double mean(const map *f, int i0, int i1, int j0, int j1)
{
    double sum = 0.0;
    for (int j = j0; j < j1; ++j) {
        for (int i = i0; i < i1; ++i) {
            sum += f->pressure[(size_t)i + (size_t)f->nx * (size_t)j];
        }
    }
    return sum / ((double)(i1 - i0) * (double)(j1 - j0));
}

static int part(int cell, int cells, int n)
{
    return (int)((int64_t)cell * n / cells);
}

// Cells of one row, those of equal colour at once; one pixel's tenth more, against seams.
static void draw_row(FILE *file, const map *f, int row, int rows, int cells, double most)
{
    const int j0 = part(row, rows, f->ny), j1 = part(row + 1, rows, f->ny);
    const double bottom = f->top + f->height * (1.0 - (double)j0 / f->ny);
    const double top = f->top + f->height * (1.0 - (double)j1 / f->ny);
    int start = 0, level = -1;
    for (int cell = 0; cell <= cells; ++cell) {
        const int next =
            cell < cells
                ? level_of(mean(f, part(cell, cells, f->nx), part(cell + 1, cells, f->nx), j0, j1),
                           most)
                : -1;
        if (next == level) {
            continue;
        }
        if (level >= 0) {
            const double from = f->width * part(start, cells, f->nx) / f->nx;
            const double to = f->width * part(cell, cells, f->nx) / f->nx;
            put_rect(file, f->left + from, top, to - from + 0.1, bottom - top + 0.1);
            fprintf(file, " class=\"p%d\"/>\n", level);
        }
        start = cell;
        level = next;
    }
}

static void draw_axis(FILE *file, const map *f, int k)
{
    static const char *const name[] = {"x", "y", "z"};
    const double length = k == 0 ? f->width : f->height;
    const dp_axis axis =
        dp_axis_fit(-f->half[k], f->half[k], (int)fmax(2.0, length / TICK_SPACING), 0.0);
    for (int64_t tick = axis.first; tick <= axis.last; ++tick) {
        char label[400];
        const double at = ((axis.offset + (double)tick * axis.step) / f->half[k] + 1.0) / 2.0;
        if (at < -1e-9 || at > 1.0 + 1e-9) {
            continue; // the axis goes on to a round number
        }
        dp_axis_label(label, sizeof label, &axis, tick);
        if (k == 0) {
            open_text(file, "tick x", f->left + at * f->width, f->top + f->height + 20.0);
        } else {
            open_text(file, "tick y", f->left - 10.0, f->top + (1.0 - at) * f->height + 4.0);
        }
        fprintf(file, "%s</text>\n", label);
    }
    if (k == 0) {
        open_text(file, "heading x", f->left + 0.5 * f->width, f->top + f->height + 42.0);
    } else {
        open_text(file, "heading y", f->left - 10.0, f->top - 12.0);
    }
    dp_svg_axis_name(file, name[f->axis[k]], "m", &axis);
    fputs("</text>\n", file);
}

static void draw_centre(FILE *file, const map *f)
{
    const double x = f->left + f->width * (along(f->load.centre, f->axis[0]) / f->half[0] + 1) / 2;
    const double y =
        f->top + f->height * (1.0 - (along(f->load.centre, f->axis[1]) / f->half[1] + 1) / 2);
    for (int pass = 0; pass < 2; ++pass) {
        fprintf(file, "<path class=\"%s\" d=\"M", pass ? "centre" : "halo");
        dp_svg_tenths(file, x - 7.0);
        fputc(' ', file);
        dp_svg_tenths(file, y);
        fputs("h14m-7 -7v14\">", file);
        fputs("<title>centre of pressure</title></path>\n", file);
    }
}

static void put_number(FILE *file, double x)
{
    char text[64];
    snprintf(text, sizeof text, "%.4g", x);
    dp_plain_number(text);
    fputs(text, file);
}

static void draw_map(FILE *file, const map *f, double most)
{
    open_text(file, "heading", f->left, f->top - HEADING - 4.0);
    if (f->geom->name[0] != '\0') {
        dp_svg_elided(file, f->geom->name, 24);
    } else {
        fprintf(file, "geom %d", f->index);
    }
    fputs(": ", file);
    put_number(file, f->load.force);
    fputs(" N, at most ", file);
    put_number(file, f->load.pressure);
    fputs(" Pa</text>\n", file);
    put_rect(file, f->left, f->top, f->width, f->height);
    fputs(" class=\"open\"/>\n", file);
    const int cells = f->nx < MOST_CELLS ? f->nx : MOST_CELLS;
    const int rows = f->ny < MOST_CELLS ? f->ny : MOST_CELLS;
    for (int row = 0; row < rows; ++row) {
        draw_row(file, f, row, rows, cells, most);
    }
    put_rect(file, f->left, f->top, f->width, f->height);
    fputs(" class=\"zero\"/>\n", file);
    draw_axis(file, f, 0);
    draw_axis(file, f, 1);
    if (f->load.force > 0.0) {
        draw_centre(file, f);
    }
}

static void draw_scale(FILE *file, double left, double top, double most)
{
    const double height = SIDE;
    const dp_axis axis = dp_axis_fit(0.0, most, 8, 0.0);
    open_text(file, "heading", left, top - 12.0);
    dp_svg_axis_name(file, "pressure", "Pa", &axis);
    fputs("</text>\n", file);
    for (int i = 0; i < LEVELS; ++i) {
        put_rect(file, left, top + height * (1.0 - (i + 1.0) / LEVELS), BAR_WIDTH,
                 height / LEVELS + 0.1);
        fprintf(file, " class=\"p%d\"/>\n", i);
    }
    const double below = top + height + 12.0;
    put_rect(file, left, below, BAR_WIDTH, BAR_WIDTH);
    fputs(" class=\"open\"/>\n", file);
    put_rect(file, left, below, BAR_WIDTH, BAR_WIDTH);
    fputs(" class=\"zero\"/>\n", file);
    open_text(file, "tick", left + BAR_WIDTH + 8.0, below + 14.0);
    fputs("none</text>\n", file);
    put_rect(file, left, top, BAR_WIDTH, height);
    fputs(" class=\"zero\"/>\n", file);
    for (int64_t tick = axis.first; tick <= axis.last; ++tick) {
        char label[400];
        const double at = (axis.offset + (double)tick * axis.step) / most;
        if (at < -1e-9 || at > 1.0 + 1e-9) {
            continue;
        }
        dp_axis_label(label, sizeof label, &axis, tick);
        open_text(file, "tick", left + BAR_WIDTH + 8.0, top + height * (1.0 - at) + 4.0);
        fprintf(file, "%s</text>\n", label);
    }
}

static void begin(FILE *file, const char *title, int width, int height)
{
    dp_svg_begin(file, width, height, title, "pressures");
    fputs("<style>\nrect{shape-rendering:crispEdges}\n.open{fill:#f0f2f4}\n"
          ".halo,.centre{fill:none}\n.halo{stroke:#ffffff;stroke-width:5}\n"
          ".centre{stroke:#111417;stroke-width:2}\n"
          "@media (prefers-color-scheme:dark){.open{fill:#20252b}}\n",
          file);
    for (int i = 0; i < LEVELS; ++i) {
        fprintf(file, ".p%d{fill:", i);
        put_colour(file, i);
        fputs("}\n", file);
    }
    fputs("</style>\n<rect class=\"back\" width=\"100%\" height=\"100%\"/>\n", file);
}

static void draw(FILE *file, map *maps, int count, const char *title)
{
    const bool titled = title && title[0] != '\0';
    double most = 0.0, width = 0.0, y = TOP + (titled ? TITLE : 0);
    const double top = y + 2.0 * HEADING;
    for (int i = 0; i < count; ++i) {
        maps[i].left = LEFT;
        maps[i].top = y + 2.0 * HEADING;
        y = maps[i].top + maps[i].height + BELOW;
        width = fmax(width, maps[i].width);
        most = fmax(most, maps[i].load.pressure);
    }
    most = most > 0.0 ? most : 1.0;
    const double left = LEFT + width + BAR_SPACE;
    const double height = fmax(y, top + SIDE + BELOW);
    begin(file, title, (int)(left + BAR_WIDTH + BAR_LABELS), (int)height);
    if (titled) {
        open_text(file, "title", LEFT, TOP + 18);
        dp_svg_elided(file, title, 50);
        fputs("</text>\n", file);
    }
    for (int i = 0; i < count; ++i) {
        draw_map(file, &maps[i], most);
    }
    draw_scale(file, left, top, most);
    fputs("</svg>\n", file);
}

dp_status dp_pressure_write_svg(const dp_data *d, const char *path, const char *title)
{
    const dp_model *m = dp_data_model(d);
    const dp_allocator a = m->pool.allocator;
    map *maps;
    const size_t room = (size_t)m->size.nfoundation;
    DP_TRY(dp_allocate(&maps, &a, room, sizeof *maps));
    int count = 0;
    for (int i = 0; i < m->size.nfoundation; ++i) { // a geom over several planes is one face
        if (i == 0 || m->foundation[i].geom != m->foundation[i - 1].geom) {
            maps[count] = map_of(m, d, m->foundation[i].geom);
            count += maps[count].pressure != NULL;
        }
    }
    dp_status status = count > 0 ? DP_OK
                                 : dp_fail(DP_ERROR_ARGUMENT,
                                           "the model has no elastic foundation over a plane, and "
                                           "so no pressures (expected a geom with a foundation)");
    dp_output out;
    if (status == DP_OK) {
        status = dp_output_open(&out, path, &a);
    }
    if (status == DP_OK) {
        draw(out.file, maps, count, title);
        status = dp_output_close(&out);
    }
    dp_release(&a, maps, room, sizeof *maps);
    return status;
}
