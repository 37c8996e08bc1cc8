// Text to a linear complementarity problem. Memory is bounded by the text, as for step problems.
#include "base/text/number.h"
#include "io/problem/problem_text.h"
#include "io/problem/text_line.h"
#include "problem/lcp/lcp_make.h"

#include <string.h>

struct dp_lcp_file {
    dp_pool pool;
    dp_lcp p;
    const double *z;
    dp_problem_notes notes;
};

typedef enum array_index { A_M, A_Q, A_LO, A_HI, A_Z, ARRAYS } array_index;
static const char *const array_name[ARRAYS] = {"M", "q", "lo", "hi", "z"};

typedef struct found_array {
    double *value;
    size_t count;
    int line; // 0: not found
} found_array;

typedef struct reader {
    dp_text_place place;
    found_array array[ARRAYS];
    dp_text_options options;
    dp_lcp_file *file;
} reader;

static dp_status read_array(reader *r, const char *at)
{
    int index = 0;
    while (index < ARRAYS && !dp_text_is(at, array_name[index])) {
        ++index;
    }
    if (index == ARRAYS) {
        return dp_text_found(r->place, at, "M, q, lo, hi, z or option");
    }
    found_array *array = &r->array[index];
    if (array->line > 0) {
        return dp_fail(DP_ERROR_PARSE, "%s:%d: found %s again (expected it once, as in line %d)",
                       r->place.label, r->place.line, array_name[index], array->line);
    }
    at += dp_word_length(at);
    DP_TRY(dp_text_count(&array->count, r->place, &at, array_name[index]));
    array->line = r->place.line;
    DP_TRY(dp_pool_take(&array->value, &r->file->pool, array->count, sizeof *array->value));
    for (size_t i = 0; i < array->count; ++i) {
        at = dp_skip_space(at);
        if (!dp_text_real(&array->value[i], &at)) {
            return dp_text_found(r->place, at, "a number or inf");
        }
    }
    return dp_text_end(r->place, at);
}

static dp_status read_line(void *context, const char *line)
{
    reader *r = context;
    const char *at = dp_skip_space(line);
    if (r->place.line == 1) {
        return dp_text_magic(r->place, at, DP_LCP_MAGIC, DP_LCP_VERSION);
    }
    if (*at == '\0' || *at == '#') {
        return DP_OK;
    }
    if (dp_text_is(at, "option")) {
        return dp_text_option(&r->options, &r->file->pool, r->place, at + strlen("option"));
    }
    return read_array(r, at);
}

// A check names its array first, "M(2, 3) is …" or "lo[1] is …": put its line in front.
static dp_status with_line(const reader *r)
{
    const size_t length = strcspn(dp_last_error(), "([ ");
    int line = r->array[A_Q].line;
    for (int i = 0; i < ARRAYS; ++i) {
        if (strlen(array_name[i]) == length &&
            strncmp(array_name[i], dp_last_error(), length) == 0) {
            line = r->array[i].line > 0 ? r->array[i].line : line;
        }
    }
    return dp_fail_context(DP_ERROR_PARSE, "%s:%d: ", r->place.label, line);
}

static dp_status build(reader *r)
{
    const found_array *a = r->array;
    for (array_index i = A_M; i <= A_Q; ++i) {
        if (a[i].line == 0) {
            return dp_fail(DP_ERROR_PARSE, "%s:%d: found no %s (expected one)", r->place.label,
                           r->place.line, array_name[i]);
        }
    }
    const size_t n = a[A_Q].count;
    for (array_index i = A_M; i < ARRAYS; ++i) {
        const size_t expected = i == A_M ? n * n : n;
        if (a[i].line > 0 && a[i].count != expected) {
            return dp_fail(DP_ERROR_PARSE, "%s:%d: found %zu values of %s (expected %zu, %s)",
                           r->place.label, a[i].line, a[i].count, array_name[i], expected,
                           i == A_M ? "the square of what q has" : "as q has");
        }
    }
    r->file->p = (dp_lcp){.n = (int)n,
                          .M = a[A_M].value,
                          .q = a[A_Q].value,
                          .lo = a[A_LO].value,
                          .hi = a[A_HI].value};
    r->file->z = a[A_Z].value;
    const dp_status status = dp_lcp_check(&r->file->p);
    return status == DP_ERROR_ARGUMENT ? with_line(r) : status;
}

static dp_status read_all(reader *r, char *text, size_t bytes)
{
    DP_TRY(dp_text_lines(&r->place, text, bytes, read_line, r));
    DP_TRY(build(r));
    return dp_text_options_keep(&r->file->notes, &r->options, &r->file->pool);
}

// Takes the text apart.
static dp_status read_text(void *out, char *text, size_t bytes, const char *label,
                           const dp_allocator *a)
{
    dp_lcp_file *file;
    DP_TRY(dp_allocate(&file, a, 1, sizeof *file));
    dp_pool_init(&file->pool, a);
    reader r = {.place = {label, 0}, .file = file};
    const dp_status status = read_all(&r, text, bytes);
    dp_release(a, r.options.option, r.options.capacity, sizeof *r.options.option);
    if (status != DP_OK) {
        dp_lcp_destroy(file);
        return status;
    }
    *(dp_lcp_file **)out = file;
    return DP_OK;
}

dp_status dp_lcp_parse(dp_lcp_file **out, const char *text, size_t bytes, const char *label,
                       const dp_allocator *allocator)
{
    *out = NULL;
    return dp_text_parse(out, read_text, text, bytes, label, allocator);
}

dp_status dp_lcp_load(dp_lcp_file **out, const char *path, const dp_allocator *allocator)
{
    *out = NULL;
    return dp_text_load(out, read_text, path, allocator);
}

static dp_status fill(dp_lcp_file *file, const dp_triplets *M, const double *q)
{
    const size_t n = (size_t)M->rows;
    double *dense, *right;
    DP_TRY(dp_pool_take(&dense, &file->pool, n * n, sizeof *dense));
    DP_TRY(dp_pool_take(&right, &file->pool, n, sizeof *right));
    for (size_t e = 0; e < M->count; ++e) {
        dense[(size_t)M->row[e] * n + (size_t)M->column[e]] += M->value[e];
    }
    for (size_t i = 0; i < n; ++i) {
        right[i] = q[i];
    }
    file->p = (dp_lcp){.n = M->rows, .M = dense, .q = right};
    return dp_lcp_check(&file->p);
}

dp_status dp_lcp_make(dp_lcp_file **out, const dp_triplets *M, const double *q,
                      const dp_allocator *a)
{
    dp_lcp_file *file;
    DP_TRY(dp_allocate(&file, a, 1, sizeof *file));
    dp_pool_init(&file->pool, a);
    const dp_status status = fill(file, M, q);
    if (status != DP_OK) {
        dp_lcp_destroy(file);
        return status;
    }
    *out = file;
    return DP_OK;
}

void dp_lcp_destroy(dp_lcp_file *file)
{
    if (file) {
        const dp_allocator a = file->pool.allocator;
        dp_pool_destroy(&file->pool);
        dp_release(&a, file, 1, sizeof *file);
    }
}

const dp_lcp *dp_lcp_of(const dp_lcp_file *file)
{
    return &file->p;
}

const double *dp_lcp_stored(const dp_lcp_file *file)
{
    return file->z;
}

const dp_problem_notes *dp_lcp_notes(const dp_lcp_file *file)
{
    return &file->notes;
}

bool dp_lcp_is_text(const char *text, size_t bytes)
{
    const size_t length = strlen(DP_LCP_MAGIC);
    return bytes > length && memcmp(text, DP_LCP_MAGIC, length) == 0 &&
           (unsigned char)text[length] <= ' ';
}
