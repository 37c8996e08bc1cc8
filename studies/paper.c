#include "paper.h"

#include "common/program.h"
#include "common/whole_file.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cli_paper_end(cli_paper *p)
{
    while (p->curves) {
        cli_curve *next = p->curves->next;
        free(p->curves->x);
        free(p->curves->y);
        free(p->curves);
        p->curves = next;
    }
    free(p->row);
    p->row = NULL;
    p->count = p->capacity = 0;
}

static const cli_paper_scene *built_in(const cli_paper *p)
{
    for (int i = 0; i < cli_npaper_scene && p->item->scene; ++i) {
        if (strcmp(cli_paper_scenes[i].name, p->item->scene) == 0) {
            return &cli_paper_scenes[i];
        }
    }
    return NULL;
}

bool cli_paper_load(cli_scene *out, cli_paper *p)
{
    *out = (cli_scene){0};
    const cli_paper_scene *scene = built_in(p);
    dp_status status;
    if (p->scene) {
        status = dp_model_file_load(&out->spec, &out->report, p->scene, NULL);
    } else {
        status = dp_mjcf_parse(&out->spec, &out->report, (const char *)scene->text, scene->bytes,
                               scene->name, NULL);
    }
    p->bad_input = status != DP_OK;
    if (status != DP_OK) {
        cli_complain("%s", dp_last_error());
    }
    return status == DP_OK;
}

bool cli_paper_open(cli_scene *out, cli_paper *p, double mu)
{
    if (!cli_paper_load(out, p)) {
        return false;
    }
    for (int i = 0; i < dp_spec_geom_count(out->spec) && !isnan(mu); ++i) {
        dp_spec_geom(out->spec, (dp_geom_id){i})->friction[0] = mu;
    }
    p->bad_input = dp_model_compile(&out->model, out->spec) != DP_OK;
    return cli_paper_works(p, p->bad_input ? DP_ERROR_ARGUMENT : DP_OK);
}

bool cli_paper_works(cli_paper *p, dp_status status)
{
    if (status != DP_OK) {
        cli_complain("%s: %s", p->item->id, dp_last_error());
    }
    return status == DP_OK;
}

bool cli_paper_refuse(cli_paper *p, const char *expected)
{
    p->bad_input = true;
    cli_complain("%s: no scene for %s (expected %s)", p->scene ? p->scene : p->item->scene,
                 p->item->id, expected);
    return false;
}

void cli_paper_tell(cli_paper *p, const char *of, const char *quantity, const char *unit,
                    double paper, double ours, const char *note, ...)
{
    if (p->count == p->capacity) {
        const int capacity = 2 * p->capacity + 32;
        cli_paper_row *row = realloc(p->row, (size_t)capacity * sizeof *row);
        if (!row) {
            p->out_of_memory = true;
            return;
        }
        p->row = row;
        p->capacity = capacity;
    }
    cli_paper_row *row = &p->row[p->count++];
    *row = (cli_paper_row){.item = p->item, .unit = unit, .paper = paper, .ours = ours};
    snprintf(row->of, sizeof row->of, "%s", of);
    snprintf(row->quantity, sizeof row->quantity, "%s", quantity);
    va_list arguments;
    va_start(arguments, note);
    vsnprintf(row->note, sizeof row->note, note, arguments);
    va_end(arguments);
}

cli_curve *cli_paper_curve(cli_paper *p)
{
    static cli_curve none; // takes no points
    cli_curve *curve = calloc(1, sizeof *curve);
    if (!curve) {
        p->out_of_memory = true;
        return &none;
    }
    curve->next = p->curves;
    p->curves = curve;
    return curve;
}

static bool grow(double **array, size_t capacity)
{
    double *grown = realloc(*array, capacity * sizeof **array);
    if (!grown) {
        return false;
    }
    *array = grown;
    return true;
}

void cli_curve_add(cli_paper *p, cli_curve *curve, double x, double y)
{
    if (p->out_of_memory) {
        return;
    }
    if (curve->count == curve->capacity) {
        const size_t capacity = 2 * curve->capacity + 256;
        if (!grow(&curve->x, capacity) || !grow(&curve->y, capacity)) {
            p->out_of_memory = true;
            return;
        }
        curve->capacity = capacity;
    }
    curve->x[curve->count] = x;
    curve->y[curve->count] = y;
    ++curve->count;
}

dp_plot_series cli_curve_series(const cli_curve *curve, const char *name, dp_plot_style style,
                                int colour)
{
    return (dp_plot_series){.name = name,
                            .x = curve->x,
                            .y = curve->y,
                            .count = curve->count,
                            .style = style,
                            .colour = colour};
}

// --- files ------------------------------------------------------------------------------------

static void make_path(char *out, size_t size, const cli_paper *p, const char *ending)
{
    snprintf(out, size, "%s/%s%s", p->out, p->item->id, ending);
}

static void put_quoted(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text != '\0'; ++text) {
        fputs(*text == '"' ? "\"\"" : (const char[]){*text, '\0'}, file);
    }
    fputc('"', file);
}

// One line per point: the panel, the curve and its coordinates, in the units of the axes.
static bool write_curves(const cli_paper *p, const dp_plot *plot)
{
    char path[4096];
    make_path(path, sizeof path, p, "-curves.csv");
    cli_whole_file whole;
    if (!cli_whole_open(&whole, path)) {
        return false;
    }
    FILE *file = whole.file;
    fputs("panel,curve,x,x_unit,y,y_unit\n", file);
    for (int i = 0; i < plot->npanel; ++i) {
        const dp_plot_panel *panel = &plot->panel[i];
        for (int k = 0; k < panel->nseries; ++k) {
            const dp_plot_series *s = &panel->series[k];
            for (size_t n = 0; n < s->count; ++n) {
                put_quoted(file, panel->title ? panel->title : "");
                fputc(',', file);
                put_quoted(file, s->name ? s->name : "");
                fprintf(file, ",%.17g,%s,%.17g,%s\n", s->x[n], panel->x.unit, s->y[n],
                        panel->y.unit);
            }
        }
    }
    return cli_whole_close(&whole, true);
}

static bool write_rows(const cli_paper *p)
{
    char path[4096];
    make_path(path, sizeof path, p, ".csv");
    cli_whole_file whole;
    if (!cli_whole_open(&whole, path)) {
        return false;
    }
    FILE *file = whole.file;
    fputs("case,quantity,unit,paper,ours,note\n", file);
    for (int i = 0; i < p->count; ++i) {
        const cli_paper_row *row = &p->row[i];
        if (row->item != p->item) {
            continue;
        }
        put_quoted(file, row->of);
        fputc(',', file);
        put_quoted(file, row->quantity);
        fprintf(file, ",%s,", row->unit);
        if (!isnan(row->paper)) {
            fprintf(file, "%.17g", row->paper);
        }
        fprintf(file, ",%.17g,", row->ours);
        put_quoted(file, row->note);
        fputc('\n', file);
    }
    return cli_whole_close(&whole, true);
}

// What was run, to be changed and given back by --scene.
static bool write_scene(const cli_paper *p)
{
    const cli_paper_scene *scene = built_in(p);
    if (p->scene || !scene) {
        return true;
    }
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", p->out, scene->name);
    cli_whole_file whole;
    if (!cli_whole_open(&whole, path)) {
        return false;
    }
    FILE *file = whole.file;
    fwrite(scene->text, 1, scene->bytes, file);
    return cli_whole_close(&whole, true);
}

bool cli_paper_draw(cli_paper *p, const dp_plot *plot)
{
    if (p->out_of_memory) {
        cli_complain("out of memory");
        return false;
    }
    if (!p->out) {
        return true;
    }
    char path[4096];
    make_path(path, sizeof path, p, ".svg");
    if (dp_plot_write_svg(path, plot, NULL) != DP_OK) {
        cli_complain("%s", dp_last_error());
        return false;
    }
    return write_curves(p, plot) && write_rows(p) && write_scene(p);
}
