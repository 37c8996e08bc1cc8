// Lines become arrays, arrays become a problem, and dp_problem_check has the last word. Memory is
// bounded by the text: an array is made only if the line is long enough to hold its numbers.
#include "base/text/number.h"
#include "io/problem/problem_text.h"
#include "io/problem/text_line.h"
#include "problem/links/links.h"
#include "problem/problem_check.h"

#include <stdio.h>
#include <string.h>

struct dp_problem_file {
    dp_pool pool; // all arrays
    dp_step_problem problem;
    dp_links links;
    dp_warm warm;
    dp_step_solution solution;
    dp_problem_notes notes;
};

typedef enum section_kind {
    NO_SECTION = -1,
    PROBLEM,
    FRICTION,
    NORMAL,
    LINKS,
    WARM,
    SOLUTION,
    SECTIONS
} section_kind;
static const char *const section_name[SECTIONS] = {"problem", "friction", "normal",
                                                   "links",   "warm",     "solution"};

typedef enum value_kind { REAL, INTEGER, ID, STATE } value_kind;

static const size_t value_bytes[] = {sizeof(double), sizeof(int), sizeof(uint64_t), 1};
static const char *const value_text[] = {"a number or inf", "a whole number",
                                         "up to 16 hexadecimal digits",
                                         "open, active, lo, hi, stick or slip"};

// The arrays that a file has, in the order in which they are written.
typedef enum array_index {
    A_H,
    A_TREE_START,
    A_PARENT,
    A_MT,
    A_V0,
    A_V_FREE,
    A_ROW_START,
    A_ID,
    A_COL_START,
    A_COL,
    A_G,
    A_PHI,
    A_PHI_T,
    A_K,
    A_B,
    A_B_REF,
    A_LO,
    A_HI,
    A_LEN,
    A_FRICTION_BLOCK,
    A_FRICTION_MU,
    A_FRICTION_TORSION,
    A_FRICTION_ROLL,
    A_NORMAL_KIND,
    A_NORMAL_DISSIPATION,
    A_LINKS_PARENT,
    A_LINKS_FIRST,
    A_LINKS_OFFSET,
    A_LINKS_INERTIA,
    A_LINKS_MOTION,
    A_LINKS_DIAGONAL,
    A_LINKS_ON,
    A_LINKS_ALONG,
    A_WARM_ID,
    A_WARM_ROW_START,
    A_WARM_GAMMA,
    A_WARM_CHANGE,
    A_SOLUTION_V,
    A_SOLUTION_GAMMA,
    A_SOLUTION_STATE,
    ARRAYS
} array_index;

static const struct {
    section_kind section;
    const char *name;
    value_kind kind;
} array_about[ARRAYS] = {
    [A_H] = {PROBLEM, "h", REAL},
    [A_TREE_START] = {PROBLEM, "tree_start", INTEGER},
    [A_PARENT] = {PROBLEM, "parent", INTEGER},
    [A_MT] = {PROBLEM, "Mt", REAL},
    [A_V0] = {PROBLEM, "v0", REAL},
    [A_V_FREE] = {PROBLEM, "v_free", REAL},
    [A_ROW_START] = {PROBLEM, "row_start", INTEGER},
    [A_ID] = {PROBLEM, "id", ID},
    [A_COL_START] = {PROBLEM, "col_start", INTEGER},
    [A_COL] = {PROBLEM, "col", INTEGER},
    [A_G] = {PROBLEM, "G", REAL},
    [A_PHI] = {PROBLEM, "phi", REAL},
    [A_PHI_T] = {PROBLEM, "phi_t", REAL},
    [A_K] = {PROBLEM, "k", REAL},
    [A_B] = {PROBLEM, "b", REAL},
    [A_B_REF] = {PROBLEM, "b_ref", REAL},
    [A_LO] = {PROBLEM, "lo", REAL},
    [A_HI] = {PROBLEM, "hi", REAL},
    [A_LEN] = {PROBLEM, "len", REAL},
    [A_FRICTION_BLOCK] = {FRICTION, "block", INTEGER},
    [A_FRICTION_MU] = {FRICTION, "mu", REAL},
    [A_FRICTION_TORSION] = {FRICTION, "torsion", REAL},
    [A_FRICTION_ROLL] = {FRICTION, "roll", REAL},
    [A_NORMAL_KIND] = {NORMAL, "kind", INTEGER},
    [A_NORMAL_DISSIPATION] = {NORMAL, "dissipation", REAL},
    [A_LINKS_PARENT] = {LINKS, "parent", INTEGER},
    [A_LINKS_FIRST] = {LINKS, "first", INTEGER},
    [A_LINKS_OFFSET] = {LINKS, "offset", REAL},
    [A_LINKS_INERTIA] = {LINKS, "inertia", REAL},
    [A_LINKS_MOTION] = {LINKS, "motion", REAL},
    [A_LINKS_DIAGONAL] = {LINKS, "diagonal", REAL},
    [A_LINKS_ON] = {LINKS, "on", INTEGER},
    [A_LINKS_ALONG] = {LINKS, "along", REAL},
    [A_WARM_ID] = {WARM, "id", ID},
    [A_WARM_ROW_START] = {WARM, "row_start", INTEGER},
    [A_WARM_GAMMA] = {WARM, "gamma", REAL},
    [A_WARM_CHANGE] = {WARM, "change", REAL}, // may be left out
    [A_SOLUTION_V] = {SOLUTION, "v", REAL},
    [A_SOLUTION_GAMMA] = {SOLUTION, "gamma", REAL},
    [A_SOLUTION_STATE] = {SOLUTION, "state", STATE},
};

// Where each of the numbers of a row goes.
static const struct {
    array_index array;
    size_t offset;
} row_number[] = {
    {A_PHI, offsetof(dp_row, phi)},     {A_PHI_T, offsetof(dp_row, phi_t)},
    {A_K, offsetof(dp_row, k)},         {A_B, offsetof(dp_row, b)},
    {A_B_REF, offsetof(dp_row, b_ref)}, {A_LO, offsetof(dp_row, lo)},
    {A_HI, offsetof(dp_row, hi)},       {A_LEN, offsetof(dp_row, len)},
};

typedef struct found_array {
    void *value;
    size_t count;
    int line; // 0: not found
} found_array;

typedef struct reader {
    dp_text_place place;
    section_kind section;
    int section_line[SECTIONS]; // 0: not found
    found_array array[ARRAYS];
    dp_text_options options;
    dp_allocator allocator;
    dp_problem_file *file;
} reader;

// ---- values

static int hexadecimal_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static bool read_id(uint64_t *out, const char **cursor)
{
    const char *at = *cursor;
    const int length = dp_word_length(at);
    if (length < 1 || length > 16) {
        return false;
    }
    *out = 0;
    for (int i = 0; i < length; ++i, ++at) {
        const int digit = hexadecimal_digit(*at);
        if (digit < 0) {
            return false;
        }
        *out = 16 * *out + (uint64_t)digit;
    }
    *cursor = at;
    return true;
}

static bool read_state(uint8_t *out, const char **cursor)
{
    for (int state = 0; state < DP_ROW_STATES; ++state) {
        if (dp_text_is(*cursor, dp_row_state_word[state])) {
            *out = (uint8_t)state;
            *cursor += dp_word_length(*cursor);
            return true;
        }
    }
    return false;
}

static bool read_value(void *array, size_t i, value_kind kind, const char **cursor)
{
    *cursor = dp_skip_space(*cursor);
    switch (kind) {
    case REAL:
        return dp_text_real((double *)array + i, cursor);
    case INTEGER:
        return dp_text_integer((int *)array + i, cursor);
    case ID:
        return read_id((uint64_t *)array + i, cursor);
    case STATE:
        break;
    }
    return read_state((uint8_t *)array + i, cursor);
}

// ---- lines

static dp_status unknown_name(const reader *r, const char *at)
{
    char expected[300] = "";
    size_t used = 0;
    for (int i = 0; i < ARRAYS; ++i) {
        if (array_about[i].section == r->section) {
            used += (size_t)snprintf(expected + used, sizeof expected - used, "%s%s",
                                     used > 0 ? ", " : "", array_about[i].name);
        }
    }
    if (r->section == NO_SECTION) {
        return dp_text_found(r->place, at, "problem, law or option");
    }
    return dp_text_found(r->place, at, expected);
}

static dp_status read_array(reader *r, const char *at)
{
    int index = 0;
    while (index < ARRAYS &&
           !(array_about[index].section == r->section && dp_text_is(at, array_about[index].name))) {
        ++index;
    }
    if (index == ARRAYS) {
        return unknown_name(r, at);
    }
    found_array *array = &r->array[index];
    if (array->line > 0) {
        return dp_fail(DP_ERROR_PARSE, "%s:%d: found %s again (expected it once, as in line %d)",
                       r->place.label, r->place.line, array_about[index].name, array->line);
    }
    at += dp_word_length(at);
    const value_kind kind = array_about[index].kind;
    DP_TRY(dp_text_count(&array->count, r->place, &at, array_about[index].name));
    array->line = r->place.line;
    DP_TRY(dp_pool_take(&array->value, &r->file->pool, array->count, value_bytes[kind]));
    for (size_t i = 0; i < array->count; ++i) {
        if (!read_value(array->value, i, kind, &at)) {
            return dp_text_found(r->place, at, value_text[kind]);
        }
    }
    return dp_text_end(r->place, at);
}

static dp_status read_law(reader *r, const char *at)
{
    dp_problem_notes *notes = &r->file->notes;
    if (notes->law) {
        return dp_fail(DP_ERROR_PARSE, "%s:%d: found law again (expected it once)", r->place.label,
                       r->place.line);
    }
    DP_TRY(dp_text_word(&notes->law, &r->file->pool, r->place, &at, "the name of a law"));
    return dp_text_end(r->place, at);
}

static dp_status read_section(reader *r, section_kind section, const char *at)
{
    if (r->section_line[section] > 0) {
        return dp_fail(DP_ERROR_PARSE,
                       "%s:%d: found section %s again (expected it once, as in "
                       "line %d)",
                       r->place.label, r->place.line, section_name[section],
                       r->section_line[section]);
    }
    r->section = section;
    r->section_line[section] = r->place.line;
    return dp_text_end(r->place, at + strlen(section_name[section]));
}

static dp_status read_line(void *context, const char *line)
{
    reader *r = context;
    const char *at = dp_skip_space(line);
    if (r->place.line == 1) {
        return dp_text_magic(r->place, at, DP_PROBLEM_MAGIC, DP_PROBLEM_VERSION);
    }
    if (*at == '\0' || *at == '#') {
        return DP_OK;
    }
    if (dp_text_is(at, "law")) {
        return read_law(r, at + 3);
    }
    if (dp_text_is(at, "option")) {
        return dp_text_option(&r->options, &r->file->pool, r->place, at + 6);
    }
    for (section_kind section = PROBLEM; section < SECTIONS; ++section) {
        if (dp_text_is(at, section_name[section])) {
            return read_section(r, section, at);
        }
    }
    return read_array(r, at);
}

// ---- arrays to problem

static dp_status expect_arrays(const reader *r, section_kind section)
{
    for (int i = 0; i < ARRAYS; ++i) {
        if (array_about[i].section == section && i != A_WARM_CHANGE && r->array[i].line == 0) {
            return dp_fail(DP_ERROR_PARSE, "%s:%d: section %s has no %s (expected one)",
                           r->place.label, r->section_line[section], section_name[section],
                           array_about[i].name);
        }
    }
    return DP_OK;
}

static dp_status expect_count(const reader *r, array_index i, size_t count, const char *why)
{
    if (r->array[i].count != count) {
        return dp_fail(DP_ERROR_PARSE, "%s:%d: found %zu values of %s (expected %zu, %s)",
                       r->place.label, r->array[i].line, r->array[i].count, array_about[i].name,
                       count, why);
    }
    return DP_OK;
}

// A check names its array first, "parent[3] is …" or "row[2].k is …": put its line in front.
static dp_status with_place(const reader *r, section_kind section)
{
    const char *message = dp_last_error();
    const bool friction =
        strncmp(message, "friction[", 9) == 0 || strncmp(message, "block[", 6) == 0;
    const bool normal = strncmp(message, "normal[", 7) == 0;
    const bool part =
        normal || strncmp(message, "row[", 4) == 0 || strncmp(message, "friction[", 9) == 0;
    const char *name = part && strchr(message, '.') ? strchr(message, '.') + 1 : message;
    const bool links = strncmp(message, "links:", 6) == 0;
    section = friction ? FRICTION : normal ? NORMAL : links ? LINKS : section;
    const size_t length = strcspn(name, "[ ");
    int line = r->section_line[section];
    for (int i = 0; i < ARRAYS; ++i) {
        const char *own = array_about[i].name;
        if (array_about[i].section == section && strlen(own) == length &&
            strncmp(own, name, length) == 0) {
            line = r->array[i].line;
        }
    }
    return dp_fail_context(DP_ERROR_PARSE, "%s:%d: ", r->place.label, line);
}

static dp_status place_failure(const reader *r, section_kind section, dp_status status)
{
    return status == DP_ERROR_ARGUMENT ? with_place(r, section) : status;
}

static dp_status lay_out_matrices(reader *r)
{
    dp_step_problem *p = &r->file->problem;
    size_t *Mt_start, *G_start;
    DP_TRY(dp_pool_take(&Mt_start, &r->file->pool, (size_t)p->nv + 1, sizeof *Mt_start));
    DP_TRY(dp_pool_take(&G_start, &r->file->pool, (size_t)p->nblock + 1, sizeof *G_start));
    for (int i = 0; i < p->nv; ++i) {
        Mt_start[i + 1] = Mt_start[i] + dp_problem_tree_row(p, Mt_start, i);
    }
    for (int i = 0; i < p->nblock; ++i) {
        G_start[i + 1] = G_start[i] + dp_problem_block_elements(p, i);
    }
    DP_TRY(expect_count(r, A_MT, Mt_start[p->nv], "as the parents say"));
    DP_TRY(expect_count(r, A_G, G_start[p->nblock], "as the rows and columns of the blocks say"));
    p->Mt_start = Mt_start;
    p->Mt = r->array[A_MT].value;
    p->G_start = G_start;
    p->G = r->array[A_G].value;
    return DP_OK;
}

static dp_status gather_rows(reader *r)
{
    dp_step_problem *p = &r->file->problem;
    dp_row *row;
    DP_TRY(dp_pool_take(&row, &r->file->pool, (size_t)p->nrow, sizeof *row));
    for (size_t f = 0; f < sizeof row_number / sizeof *row_number; ++f) {
        DP_TRY(expect_count(r, row_number[f].array, (size_t)p->nrow, "as phi has"));
        const double *value = r->array[row_number[f].array].value;
        for (int i = 0; i < p->nrow; ++i) {
            memcpy((char *)&row[i] + row_number[f].offset, &value[i], sizeof *value);
        }
    }
    p->row = row;
    return DP_OK;
}

// Contacts: the blocks that the section friction names.
static dp_status gather_friction(reader *r)
{
    if (r->section_line[FRICTION] == 0) {
        return DP_OK;
    }
    const found_array *a = r->array;
    DP_TRY(expect_arrays(r, FRICTION));
    const size_t count = a[A_FRICTION_BLOCK].count;
    DP_TRY(expect_count(r, A_FRICTION_MU, 2 * count, "two for each block"));
    DP_TRY(expect_count(r, A_FRICTION_TORSION, count, "one for each block"));
    DP_TRY(expect_count(r, A_FRICTION_ROLL, 2 * count, "two for each block"));
    dp_step_problem *p = &r->file->problem;
    const int *block = a[A_FRICTION_BLOCK].value;
    const double *mu = a[A_FRICTION_MU].value, *torsion = a[A_FRICTION_TORSION].value;
    const double *roll = a[A_FRICTION_ROLL].value;
    int *friction_of, least = 0;
    dp_friction *friction;
    DP_TRY(dp_pool_take(&friction_of, &r->file->pool, (size_t)p->nblock, sizeof *friction_of));
    DP_TRY(dp_pool_take(&friction, &r->file->pool, count, sizeof *friction));
    for (int b = 0; b < p->nblock; ++b) {
        friction_of[b] = -1;
    }
    for (size_t i = 0; i < count; ++i) {
        if (block[i] < least || block[i] >= p->nblock) {
            return dp_fail(DP_ERROR_PARSE,
                           "%s:%d: block[%zu] is %d (expected a block from %d to %d: they ascend)",
                           r->place.label, a[A_FRICTION_BLOCK].line, i, block[i], least,
                           p->nblock - 1);
        }
        least = block[i] + 1;
        friction_of[block[i]] = (int)i;
        friction[i] =
            (dp_friction){{mu[2 * i], mu[2 * i + 1]}, torsion[i], {roll[2 * i], roll[2 * i + 1]}};
    }
    p->nfriction = (int)count;
    p->friction_of = friction_of;
    p->friction = friction;
    return DP_OK;
}

static dp_status gather_normals(reader *r)
{
    if (r->section_line[NORMAL] == 0) {
        return DP_OK;
    }
    const found_array *a = r->array;
    dp_step_problem *p = &r->file->problem;
    const size_t count = (size_t)p->nfriction;
    DP_TRY(expect_arrays(r, NORMAL));
    DP_TRY(expect_count(r, A_NORMAL_KIND, count, "one for each block of friction"));
    DP_TRY(expect_count(r, A_NORMAL_DISSIPATION, count, "one for each block of friction"));
    const int *kind = a[A_NORMAL_KIND].value;
    const double *dissipation = a[A_NORMAL_DISSIPATION].value;
    dp_normal *normal;
    DP_TRY(dp_pool_take(&normal, &r->file->pool, count, sizeof *normal));
    for (size_t i = 0; i < count; ++i) {
        normal[i] = (dp_normal){(dp_normal_kind)kind[i], dissipation[i]};
    }
    p->normal = normal;
    return DP_OK;
}

static dp_v3 third_of(const double *x, size_t i)
{
    return (dp_v3){x[3 * i], x[3 * i + 1], x[3 * i + 2]};
}

static dp_status gather_links(reader *r)
{
    if (r->section_line[LINKS] == 0) {
        return DP_OK;
    }
    const found_array *a = r->array;
    dp_step_problem *p = &r->file->problem;
    const size_t n = a[A_LINKS_PARENT].count, nv = (size_t)p->nv, nrow = (size_t)p->nrow;
    DP_TRY(expect_arrays(r, LINKS));
    DP_TRY(expect_count(r, A_LINKS_FIRST, n + 1, "one more than parent"));
    DP_TRY(expect_count(r, A_LINKS_OFFSET, 3 * n, "three for each link"));
    DP_TRY(expect_count(r, A_LINKS_INERTIA, 10 * n, "ten for each link"));
    DP_TRY(expect_count(r, A_LINKS_MOTION, 6 * nv, "six for each velocity"));
    DP_TRY(expect_count(r, A_LINKS_DIAGONAL, nv, "as v_free has"));
    DP_TRY(expect_count(r, A_LINKS_ON, (size_t)p->nblock, "one less than row_start"));
    DP_TRY(expect_count(r, A_LINKS_ALONG, 6 * nrow, "six for each row"));
    const double *offset_of = a[A_LINKS_OFFSET].value, *motion_of = a[A_LINKS_MOTION].value;
    const double *along_of = a[A_LINKS_ALONG].value;
    dp_v3 *offset;
    dp_twist *motion;
    dp_wrench *along;
    DP_TRY(dp_pool_take(&offset, &r->file->pool, n, sizeof *offset));
    DP_TRY(dp_pool_take(&motion, &r->file->pool, nv, sizeof *motion));
    DP_TRY(dp_pool_take(&along, &r->file->pool, nrow, sizeof *along));
    for (size_t i = 0; i < n; ++i) {
        offset[i] = third_of(offset_of, i);
    }
    for (size_t k = 0; k < nv; ++k) {
        motion[k] = (dp_twist){third_of(motion_of, 2 * k), third_of(motion_of, 2 * k + 1)};
    }
    for (size_t k = 0; k < nrow; ++k) {
        along[k] = (dp_wrench){third_of(along_of, 2 * k), third_of(along_of, 2 * k + 1)};
    }
    r->file->links = (dp_links){.n = (int)n,
                                .parent = a[A_LINKS_PARENT].value,
                                .first = a[A_LINKS_FIRST].value,
                                .offset = offset,
                                .inertia = a[A_LINKS_INERTIA].value,
                                .motion = motion,
                                .diagonal = a[A_LINKS_DIAGONAL].value,
                                .on = a[A_LINKS_ON].value,
                                .along = along};
    p->links = &r->file->links;
    return DP_OK;
}

static dp_status build_problem(reader *r)
{
    const found_array *a = r->array;
    if (r->section_line[PROBLEM] == 0) {
        return dp_fail(DP_ERROR_PARSE, "%s:%d: found no section problem (expected one)",
                       r->place.label, r->place.line);
    }
    DP_TRY(expect_arrays(r, PROBLEM));
    DP_TRY(expect_count(r, A_H, 1, "the step"));
    if (a[A_TREE_START].count == 0) {
        return expect_count(r, A_TREE_START, 1, "as trees have an end");
    }
    if (a[A_ROW_START].count == 0) {
        return expect_count(r, A_ROW_START, 1, "as blocks have an end");
    }
    dp_step_problem *p = &r->file->problem;
    *p = (dp_step_problem){
        .h = *(const double *)a[A_H].value,
        .nv = (int)a[A_V_FREE].count,
        .ntree = (int)a[A_TREE_START].count - 1,
        .tree_start = a[A_TREE_START].value,
        .parent = a[A_PARENT].value,
        .v0 = a[A_V0].value,
        .v_free = a[A_V_FREE].value,
        .nblock = (int)a[A_ROW_START].count - 1,
        .nrow = (int)a[A_PHI].count,
        .row_start = a[A_ROW_START].value,
        .id = a[A_ID].value,
        .col_start = a[A_COL_START].value,
        .col = a[A_COL].value,
    };
    DP_TRY(expect_count(r, A_PARENT, (size_t)p->nv, "as v_free has"));
    DP_TRY(expect_count(r, A_V0, (size_t)p->nv, "as v_free has"));
    DP_TRY(expect_count(r, A_ID, (size_t)p->nblock, "one less than row_start"));
    DP_TRY(expect_count(r, A_COL_START, (size_t)p->nblock + 1, "as row_start has"));
    const int *col_start = p->col_start;
    if (col_start[p->nblock] >= 0) {
        DP_TRY(expect_count(r, A_COL, (size_t)col_start[p->nblock], "as col_start says"));
    }
    DP_TRY(place_failure(r, PROBLEM, dp_problem_check_places(p)));
    DP_TRY(lay_out_matrices(r));
    DP_TRY(gather_rows(r));
    DP_TRY(gather_friction(r));
    DP_TRY(gather_normals(r));
    DP_TRY(gather_links(r));
    return place_failure(r, PROBLEM, dp_problem_check(p, &r->allocator));
}

static dp_status build_warm(reader *r)
{
    if (r->section_line[WARM] == 0) {
        return DP_OK;
    }
    const found_array *a = r->array;
    DP_TRY(expect_arrays(r, WARM));
    const dp_warm warm = {.nblock = (int)a[A_WARM_ID].count,
                          .id = a[A_WARM_ID].value,
                          .row_start = a[A_WARM_ROW_START].value,
                          .gamma = a[A_WARM_GAMMA].value,
                          .change = a[A_WARM_CHANGE].value};
    DP_TRY(expect_count(r, A_WARM_ROW_START, (size_t)warm.nblock + 1, "one more than id"));
    const int rows = warm.row_start[warm.nblock];
    if (rows >= 0) {
        DP_TRY(expect_count(r, A_WARM_GAMMA, (size_t)rows, "as row_start says"));
        DP_TRY(expect_count(r, A_WARM_CHANGE, warm.change ? (size_t)rows : 0, "as row_start says"));
    }
    DP_TRY(place_failure(r, WARM, dp_warm_check(&warm)));
    r->file->warm = warm;
    return DP_OK;
}

static dp_status build_solution(reader *r)
{
    if (r->section_line[SOLUTION] == 0) {
        return DP_OK;
    }
    const dp_step_problem *p = &r->file->problem;
    DP_TRY(expect_arrays(r, SOLUTION));
    DP_TRY(expect_count(r, A_SOLUTION_V, (size_t)p->nv, "as v_free has"));
    DP_TRY(expect_count(r, A_SOLUTION_GAMMA, (size_t)p->nrow, "as phi has"));
    DP_TRY(expect_count(r, A_SOLUTION_STATE, (size_t)p->nrow, "as phi has"));
    r->file->solution = (dp_step_solution){.v = r->array[A_SOLUTION_V].value,
                                           .gamma = r->array[A_SOLUTION_GAMMA].value,
                                           .state = r->array[A_SOLUTION_STATE].value};
    return DP_OK;
}

static dp_status read_all(reader *r, char *text, size_t bytes)
{
    DP_TRY(dp_text_lines(&r->place, text, bytes, read_line, r));
    DP_TRY(build_problem(r));
    DP_TRY(build_warm(r));
    DP_TRY(build_solution(r));
    return dp_text_options_keep(&r->file->notes, &r->options, &r->file->pool);
}

// Takes the text apart.
static dp_status read_text(void *out, char *text, size_t bytes, const char *label,
                           const dp_allocator *a)
{
    dp_problem_file *file;
    DP_TRY(dp_allocate(&file, a, 1, sizeof *file));
    dp_pool_init(&file->pool, a);
    reader r = {.place = {label, 0}, .section = NO_SECTION, .allocator = *a, .file = file};
    const dp_status status = read_all(&r, text, bytes);
    dp_release(a, r.options.option, r.options.capacity, sizeof *r.options.option);
    if (status != DP_OK) {
        dp_problem_destroy(file);
        return status;
    }
    *(dp_problem_file **)out = file;
    return DP_OK;
}

dp_status dp_problem_parse(dp_problem_file **out, const char *text, size_t bytes, const char *label,
                           const dp_allocator *allocator)
{
    *out = NULL;
    return dp_text_parse(out, read_text, text, bytes, label, allocator);
}

dp_status dp_problem_load(dp_problem_file **out, const char *path, const dp_allocator *allocator)
{
    *out = NULL;
    return dp_text_load(out, read_text, path, allocator);
}

void dp_problem_destroy(dp_problem_file *file)
{
    if (file) {
        const dp_allocator a = file->pool.allocator;
        dp_pool_destroy(&file->pool);
        dp_release(&a, file, 1, sizeof *file);
    }
}

const dp_step_problem *dp_problem_of(const dp_problem_file *file)
{
    return &file->problem;
}

const dp_warm *dp_problem_warm(const dp_problem_file *file)
{
    return &file->warm;
}

const dp_step_solution *dp_problem_solution(const dp_problem_file *file)
{
    return &file->solution;
}

const dp_problem_notes *dp_problem_notes_of(const dp_problem_file *file)
{
    return &file->notes;
}
