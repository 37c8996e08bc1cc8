#include "run/controls.h"

#include "common/element_names.h"
#include "common/program.h"
#include "common/scene.h"
#include "common/text.h"

#include <dashpot/record.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A file in memory, cut into lines and fields in place.
typedef struct reader {
    const char *path;
    char *text, *at;
    int line;
} reader;

static char *read_file(const char *path)
{
    size_t bytes;
    char *text;
    if (dp_file_read(&text, &bytes, path, NULL) != DP_OK) {
        cli_complain("%s", dp_last_error());
    } else if (strlen(text) != bytes) {
        cli_complain("%s: not a text file", path);
        free(text);
        text = NULL;
    }
    return text;
}

// The next line that says something, without its end; NULL at the end of the file.
static char *next_line(reader *r)
{
    while (*r->at != '\0') {
        char *line = r->at;
        const size_t length = strcspn(line, "\n");
        r->at = line + length + (line[length] == '\n' ? 1 : 0);
        ++r->line;
        line[length] = '\0';
        if (length > 0 && line[length - 1] == '\r') {
            line[length - 1] = '\0';
        }
        if (line[strspn(line, " \t")] != '\0' && line[0] != '#') {
            return line;
        }
    }
    return NULL;
}

// Cut one field off the front of *rest: spaces around it go, "…" may hold commas and doubled
// quotes. *rest is NULL behind the last field. @return NULL for a quote without an end.
static char *next_field(char **rest)
{
    char *field = *rest + strspn(*rest, " \t");
    if (*field != '"') {
        const size_t length = strcspn(field, ",");
        *rest = field[length] == ',' ? field + length + 1 : NULL;
        field[length] = '\0';
        for (size_t n = length; n > 0 && (field[n - 1] == ' ' || field[n - 1] == '\t'); --n) {
            field[n - 1] = '\0';
        }
        return field;
    }
    char *from = field + 1, *to = field;
    for (;; ++from) {
        if (*from == '\0') {
            return NULL;
        }
        if (*from == '"' && *++from != '"') {
            break;
        }
        *to++ = *from;
    }
    from += strspn(from, " \t");
    if (*from != '\0' && *from != ',') {
        return NULL;
    }
    *rest = *from == ',' ? from + 1 : NULL;
    *to = '\0';
    return field;
}

// An actuator by name, by number when it has none, or by its channel `actuator.NAME.control`.
static int find_actuator(const dp_model *m, const char *name)
{
    const int count = dp_model_sizes(m)->nactuator;
    for (int i = 0; i < count; ++i) {
        char number[16];
        const char *own = dp_model_actuator(m, (dp_actuator_id){i}).name;
        snprintf(number, sizeof number, "%d", i);
        const char *label = own[0] != '\0' ? own : number;
        const size_t length = strlen(label);
        const bool channel = strncmp(name, "actuator.", 9) == 0 &&
                             strncmp(name + 9, label, length) == 0 &&
                             strcmp(name + 9 + length, ".control") == 0;
        if (strcmp(name, label) == 0 || channel) {
            return i;
        }
    }
    return -1;
}

typedef struct channel_search {
    const char *name;
    bool found;
} channel_search;

static bool compare_channel(void *context, const char *name, const char *unit)
{
    channel_search *search = context;
    (void)unit;
    search->found = strcmp(search->name, name) == 0;
    return !search->found;
}

// A column that no actuator has: a channel of a recording, or a slip.
static void complain_of_column(const reader *r, const dp_model *m, const char *name)
{
    channel_search search = {name, false};
    dp_channel_list(m, compare_channel, &search);
    dp_actuator_id unused;
    if (search.found) {
        cli_complain("%s:%d: '%s' is recorded, and no control (to play a recording back, record "
                     "with --channels 'actuator.*.control')",
                     r->path, r->line, name);
    } else if (dp_model_find_actuator(&unused, m, name) != DP_OK) { // it names the nearest
        cli_complain("%s:%d: %s", r->path, r->line, dp_last_error());
    }
}

static bool read_header(cli_controls *c, reader *r, const dp_model *m)
{
    char *rest = next_line(r);
    if (!rest) {
        cli_complain("%s: is empty (expected a line time,actuator,…)", r->path);
        return false;
    }
    const int nactuator = dp_model_sizes(m)->nactuator;
    c->actuator = calloc((size_t)nactuator + 1, sizeof *c->actuator);
    c->outside = calloc((size_t)nactuator + 1, sizeof *c->outside);
    if (!c->actuator || !c->outside) {
        cli_complain("%s: out of memory", r->path);
        return false;
    }
    for (int column = 0; rest; ++column) {
        const char *name = next_field(&rest);
        if (!name) {
            cli_complain("%s:%d: a quote without an end", r->path, r->line);
            return false;
        }
        if (column == 0) {
            if (strcmp(name, "time") != 0) {
                cli_complain("%s:%d: the first column is '%s' (expected 'time')", r->path, r->line,
                             name);
                return false;
            }
            continue;
        }
        const int actuator = find_actuator(m, name);
        if (actuator < 0) {
            complain_of_column(r, m, name);
            return false;
        }
        for (int i = 0; i < c->columns; ++i) {
            if (c->actuator[i] == actuator) {
                cli_complain("%s:%d: two columns for actuator '%s'", r->path, r->line, name);
                return false;
            }
        }
        c->actuator[c->columns++] = actuator;
    }
    if (c->columns == 0) {
        cli_complain("%s:%d: no actuator beside 'time'", r->path, r->line);
        return false;
    }
    return true;
}

static void look_at_range(cli_controls *c, int line, int column, double value, const dp_model *m)
{
    const dp_actuator_info info = dp_model_actuator(m, (dp_actuator_id){c->actuator[column]});
    const bool outside = value < info.control_range[0] || value > info.control_range[1];
    if (info.control_limited && outside && c->outside[column] == 0) {
        c->outside[column] = line;
    }
}

static bool read_row(cli_controls *c, const reader *r, char *rest, const dp_model *m)
{
    const size_t width = 1 + (size_t)c->columns;
    if (c->rows == c->capacity) {
        const size_t more = 2 * c->capacity + 256;
        double *grown = realloc(c->value, more * width * sizeof *grown);
        if (!grown) {
            cli_complain("%s: out of memory", r->path);
            return false;
        }
        c->value = grown;
        c->capacity = more;
    }
    double *row = c->value + c->rows * width;
    size_t column = 0;
    for (; rest; ++column) {
        const char *field = next_field(&rest);
        if (column == width) {
            cli_complain("%s:%d: more than the %zu values of the first line", r->path, r->line,
                         width);
            return false;
        }
        if (!field || !cli_read_number(&row[column], field)) {
            cli_complain("%s:%d: '%s' is not a number", r->path, r->line, field ? field : "\"");
            return false;
        }
    }
    if (column < width) {
        cli_complain("%s:%d: %zu value%s (expected %zu)", r->path, r->line, column,
                     column == 1 ? "" : "s", width);
        return false;
    }
    if (c->rows > 0 && !(row[0] > row[-(ptrdiff_t)width])) {
        cli_complain("%s:%d: time %g does not come after %g", r->path, r->line, row[0],
                     row[-(ptrdiff_t)width]);
        return false;
    }
    for (int i = 0; i < c->columns; ++i) {
        look_at_range(c, r->line, i, row[1 + i], m);
    }
    ++c->rows;
    return true;
}

bool cli_controls_load(cli_controls *out, const char *path, const dp_model *m)
{
    *out = (cli_controls){0};
    reader r = {.path = path, .text = read_file(path)};
    if (!r.text) {
        return false;
    }
    static const char byte_order_mark[] = "\xEF\xBB\xBF";
    r.at = r.text + (strncmp(r.text, byte_order_mark, 3) == 0 ? 3 : 0);
    bool fine = read_header(out, &r, m);
    while (fine) {
        char *line = next_line(&r);
        if (!line) {
            break;
        }
        fine = read_row(out, &r, line, m);
    }
    if (fine && out->rows == 0) {
        cli_complain("%s: no values below the first line", path);
        fine = false;
    }
    free(r.text);
    if (!fine) {
        cli_controls_destroy(out);
    }
    return fine;
}

void cli_controls_destroy(cli_controls *controls)
{
    free(controls->actuator);
    free(controls->outside);
    free(controls->value);
    *controls = (cli_controls){0};
}

void cli_controls_note_clamped(const cli_controls *controls, const char *path, const dp_model *m)
{
    for (int i = 0; i < controls->columns; ++i) {
        if (controls->outside[i] > 0) {
            const int actuator = controls->actuator[i];
            const dp_actuator_info info = dp_model_actuator(m, (dp_actuator_id){actuator});
            cli_complain("note: %s:%d: the control of %s is clamped to its range [%g, %g]", path,
                         controls->outside[i],
                         cli_actuator_name(m, (dp_actuator_id){actuator}).text,
                         info.control_range[0], info.control_range[1]);
        }
    }
}

double cli_controls_end(const cli_controls *controls)
{
    return controls->value[(controls->rows - 1) * (1 + (size_t)controls->columns)];
}

void cli_controls_apply(cli_controls *c, dp_data *d, double t)
{
    const size_t width = 1 + (size_t)c->columns;
    if (c->value[c->row * width] > t + c->tolerance) {
        c->row = 0; // time went back, or has not come to the first row
        if (c->value[0] > t + c->tolerance) {
            return;
        }
    }
    while (c->row + 1 < c->rows && c->value[(c->row + 1) * width] <= t + c->tolerance) {
        ++c->row;
    }
    const double *now = c->value + c->row * width;
    const double *next = c->row + 1 < c->rows ? now + width : now;
    const double part =
        c->interpolate && next != now && t > now[0] ? (t - now[0]) / (next[0] - now[0]) : 0.0;
    double *control = dp_data_control(d);
    for (int i = 0; i < c->columns; ++i) {
        control[c->actuator[i]] = now[1 + i] + part * (next[1 + i] - now[1 + i]);
    }
}

dp_status cli_controls_callback(void *context, dp_data *d)
{
    cli_controls_apply(context, d, dp_data_time(d));
    return DP_OK;
}
