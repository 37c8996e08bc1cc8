// Choosing channels by name, and sampling them into a growing table.
#include "record/recorder.h"

#include "base/output.h"
#include "record/pattern.h"
#include "record/plot/svg.h"

#include <math.h>
#include <string.h>

// Collects the channels that a pattern asks for.
typedef struct selection {
    dp_recorder *r;
    const char *pattern; // NULL: the default set
    bool literal;        // only the channel of exactly this name
    int found;
    dp_status status;
} selection;

static bool has_column(const dp_recorder *r, const dp_channel *channel)
{
    for (size_t i = 0; i < r->columns; ++i) {
        const dp_channel *c = &r->column[i].channel;
        if (c->source == channel->source && c->element == channel->element &&
            c->component == channel->component) {
            return true;
        }
    }
    return false;
}

static dp_status add_column(dp_recorder *r, const dp_channel *channel, const char *name,
                            const char *unit)
{
    const dp_allocator *a = &r->pool.allocator;
    DP_TRY(dp_grow(&r->column, &r->column_capacity, r->columns, sizeof *r->column, a));
    dp_column *column = &r->column[r->columns];
    column->channel = *channel;
    DP_TRY(dp_pool_text(&column->name, &r->pool, name));
    DP_TRY(dp_pool_text(&column->unit, &r->pool, unit));
    ++r->columns;
    return DP_OK;
}

static bool select_channel(void *context, const dp_channel *channel, const char *name,
                           const char *unit)
{
    selection *s = context;
    const bool single = channel->source == DP_CHANNEL_PRESSURE; // by its own name only
    if (single && !(s->pattern && strstr(s->pattern, ".pressure."))) {
        return true;
    }
    const bool wanted = !s->pattern  ? channel->usual
                        : s->literal ? strcmp(s->pattern, name) == 0
                                     : dp_pattern_matches(s->pattern, name);
    if (wanted) {
        ++s->found;
        if (!has_column(s->r, channel)) {
            s->status = add_column(s->r, channel, name, unit);
        }
    }
    return s->status == DP_OK && !(wanted && s->literal);
}

// The channel whose name is most like a text that matches none.
typedef struct nearest_channel {
    const char *text;
    int distance;
    char name[DP_CHANNEL_NAME];
} nearest_channel;

static bool keep_nearest(void *context, const dp_channel *channel, const char *name,
                         const char *unit)
{
    (void)channel;
    (void)unit;
    nearest_channel *nearest = context;
    const int distance = dp_text_distance(nearest->text, name);
    if (distance < nearest->distance) {
        nearest->distance = distance;
        memcpy(nearest->name, name, strlen(name) + 1);
    }
    return true;
}

// `contact.` begins no other names.
static void visit_channels(const dp_recorder *r, bool contacts, selection *s)
{
    if (contacts) {
        dp_channel_each_contact(r->model, select_channel, s);
    } else {
        dp_channel_each(r->model, select_channel, s);
    }
}

static dp_status select_pattern(dp_recorder *r, const char *pattern)
{
    if (strcmp(pattern, "default") == 0) {
        pattern = NULL;
    }
    selection s = {.r = r, .pattern = pattern, .literal = pattern != NULL};
    const bool contacts = pattern && strncmp(pattern, "contact.", strlen("contact.")) == 0;
    visit_channels(r, contacts, &s);
    if (s.literal && s.found == 0 && s.status == DP_OK) { // no such name as it stands
        s.literal = false;
        visit_channels(r, contacts, &s);
    }
    DP_TRY(s.status);
    if (s.found == 0) {
        nearest_channel nearest = {.text = pattern, .distance = DP_TEXT_UNLIKE};
        dp_channel_each(r->model, keep_nearest, &nearest);
        if (contacts) {
            dp_channel_each_contact(r->model, keep_nearest, &nearest);
        }
        return dp_fail(DP_ERROR_ARGUMENT, "no channel matches '%s' (did you mean '%s'?)", pattern,
                       nearest.name);
    }
    return DP_OK;
}

// The list is cut at commas that no backslash precedes; what a backslash precedes stays for the
// pattern.
static dp_status select_list(dp_recorder *r, const char *names)
{
    char pattern[DP_CHANNEL_NAME];
    for (const char *at = names;;) {
        size_t length = 0;
        while (at[length] != '\0' && at[length] != ',') {
            length += at[length] == '\\' && at[length + 1] != '\0' ? 2 : 1;
        }
        const char *next = at + length;
        while (length > 0 && (*at == ' ' || *at == '\t')) {
            ++at;
            --length;
        }
        while (length > 0 && (at[length - 1] == ' ' || at[length - 1] == '\t')) {
            --length;
        }
        if (length == 0) {
            return dp_fail(DP_ERROR_ARGUMENT, "an empty name in the channels '%s'", names);
        }
        if (length >= sizeof pattern) {
            return dp_fail(DP_ERROR_ARGUMENT, "a channel name of %zu bytes (at most %zu)", length,
                           sizeof pattern - 1);
        }
        memcpy(pattern, at, length);
        pattern[length] = '\0';
        DP_TRY(select_pattern(r, pattern));
        if (*next == '\0') {
            return DP_OK;
        }
        at = next + 1;
    }
}

static dp_status choose_channels(dp_recorder *r, const char *names)
{
    DP_TRY(select_pattern(r, "time"));
    DP_TRY(select_list(r, names ? names : "default"));
    DP_TRY(dp_allocate(&r->channel, &r->pool.allocator, r->columns, sizeof *r->channel));
    for (size_t i = 0; i < r->columns; ++i) {
        r->channel[i] = r->column[i].channel;
    }
    return DP_OK;
}

dp_status dp_recorder_create(dp_recorder **out, const dp_model *m, const char *names,
                             const dp_allocator *allocator)
{
    const dp_allocator a = dp_allocator_or_default(allocator);
    *out = NULL;
    dp_recorder *r;
    DP_TRY(dp_allocate(&r, &a, 1, sizeof *r));
    dp_pool_init(&r->pool, &a);
    r->model = m;
    const dp_status status = choose_channels(r, names);
    if (status != DP_OK) {
        dp_recorder_destroy(r);
        return status;
    }
    *out = r;
    return DP_OK;
}

void dp_recorder_destroy(dp_recorder *r)
{
    if (!r) {
        return;
    }
    const dp_allocator a = r->pool.allocator;
    dp_release(&a, r->values, r->row_capacity, r->columns * sizeof *r->values);
    dp_release(&a, r->channel, r->columns, sizeof *r->channel);
    dp_release(&a, r->column, r->column_capacity, sizeof *r->column);
    dp_pool_destroy(&r->pool);
    dp_release(&a, r, 1, sizeof *r);
}

dp_status dp_recorder_sample(dp_recorder *r, dp_data *d)
{
    const dp_model *m = dp_data_model(d);
    if (m != r->model) {
        return dp_fail(DP_ERROR_ARGUMENT,
                       "dp_recorder_sample: the recorder was made for another model");
    }
    const size_t row_bytes = r->columns * sizeof *r->values;
    DP_TRY(dp_grow(&r->values, &r->row_capacity, r->rows, row_bytes, &r->pool.allocator));
    DP_TRY(dp_channel_read(r->values + r->rows * r->columns, r->channel, (int)r->columns, m, d));
    ++r->rows;
    return DP_OK;
}

int dp_recorder_columns(const dp_recorder *r)
{
    return (int)r->columns;
}

size_t dp_recorder_rows(const dp_recorder *r)
{
    return r->rows;
}

static bool column_exists(const dp_recorder *r, int column)
{
    return column >= 0 && (size_t)column < r->columns;
}

const char *dp_recorder_name(const dp_recorder *r, int column)
{
    return column_exists(r, column) ? r->column[column].name : "";
}

const char *dp_recorder_unit(const dp_recorder *r, int column)
{
    return column_exists(r, column) ? r->column[column].unit : "";
}

double dp_recorder_value(const dp_recorder *r, size_t row, int column)
{
    if (!column_exists(r, column) || row >= r->rows) {
        return NAN;
    }
    return r->values[row * r->columns + (size_t)column];
}

dp_status dp_recorder_write_svg(const dp_recorder *r, const char *path, const char *title)
{
    const dp_allocator *a = &r->pool.allocator;
    const size_t ncurve = r->columns - 1; // all but time
    dp_svg_curve *curve;
    DP_TRY(dp_allocate(&curve, a, ncurve, sizeof *curve));
    for (size_t i = 0; i < ncurve; ++i) {
        curve[i] = (dp_svg_curve){.name = r->column[i + 1].name,
                                  .unit = r->column[i + 1].unit,
                                  .y = r->values ? r->values + i + 1 : NULL};
    }
    const dp_svg_plot plot = {.title = title,
                              .x_name = "time",
                              .x_unit = "s",
                              .x = r->values,
                              .stride = r->columns,
                              .count = r->rows,
                              .curve = curve,
                              .ncurve = (int)ncurve};
    dp_output out;
    dp_status status = dp_output_open(&out, path, a);
    if (status == DP_OK) {
        dp_svg_write(out.file, &plot);
        status = dp_output_close(&out);
    }
    dp_release(a, curve, ncurve, sizeof *curve);
    return status;
}

typedef struct public_visit {
    bool (*visit)(void *context, const char *name, const char *unit);
    void *context;
} public_visit;

static bool visit_publicly(void *context, const dp_channel *channel, const char *name,
                           const char *unit)
{
    const public_visit *p = context;
    return channel->source == DP_CHANNEL_PRESSURE || p->visit(p->context, name, unit);
}

void dp_channel_list(const dp_model *m,
                     bool (*visit)(void *context, const char *name, const char *unit),
                     void *context)
{
    public_visit p = {visit, context};
    dp_channel_each(m, visit_publicly, &p);
}
