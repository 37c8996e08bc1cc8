// The text of Siconos: friction-contact and complementarity problems as numbers one after the
// other. Line ends mean nothing but in what CSparse prints. Files may end with a flag, 0 or 1, and
// with remarks, which are not read. Memory is bounded by the text.
//
// Other problems begin in the same way and have more numbers: a relay problem is a complementarity
// problem and bounds, rolling friction in the plane is friction in three dimensions and a second
// coefficient. So numbers that are left over are refused, and so are mixed complementarity problems
// by their first numbers.
//
//     friction, local    dimension  nc  W  q  μ
//     friction, global   dimension  nc  M  H  f  w  μ
//     complementarity    n  M  q
//     a matrix           storage  rows  columns, and by storage
//       0  dense         rows  columns  numbers by columns
//       1  blocks        blocks  block rows  block columns  ends of rows  ends of columns
//                        length  length  starts of rows  columns  then per block: its number, and
//                        its numbers by columns
//       2  sparse        what CSparse prints: by columns, or triplets
#include "base/text/number.h"
#include "io/problem/fc_file.h"
#include "io/problem/text_line.h"
#include "problem/lcp/lcp_make.h"

#include <limits.h>
#include <string.h>

typedef struct reader {
    dp_text_place place;
    const char *at, *end;
    dp_pool *pool;
} reader;

static void skip(reader *r)
{
    for (; r->at < r->end && ((*r->at >= '\t' && *r->at <= '\r') || *r->at == ' '); ++r->at) {
        r->place.line += *r->at == '\n';
    }
}

static void skip_line(reader *r)
{
    while (r->at < r->end && *r->at != '\n') {
        ++r->at;
    }
}

static dp_status unexpected(reader *r, const char *expected)
{
    if (r->at >= r->end) {
        return dp_fail(DP_ERROR_PARSE, "%s:%d: found the end of the file (expected %s)",
                       r->place.label, r->place.line, expected);
    }
    return dp_text_found(r->place, r->at, expected);
}

static dp_status read_integer(int *out, reader *r, int least, int most, const char *expected)
{
    *out = 0;
    skip(r);
    const char *const from = r->at;
    if (r->at >= r->end || !dp_text_integer(out, &r->at) || *out < least || *out > most) {
        r->at = from;
        return unexpected(r, expected);
    }
    return DP_OK;
}

static dp_status read_real(double *out, reader *r, const char *expected)
{
    *out = 0.0;
    skip(r);
    if (r->at >= r->end || dp_number_read(out, &r->at) != DP_NUMBER_OK) {
        return unexpected(r, expected);
    }
    return DP_OK;
}

static dp_status read_word(reader *r, const char *word)
{
    skip(r);
    if (r->at >= r->end || !dp_text_is(r->at, word)) {
        return unexpected(r, word);
    }
    r->at += strlen(word);
    return DP_OK;
}

// ---- problems of other kinds

// Does a word begin here that is meant as a number?
static bool is_number(const reader *r)
{
    const char *at = r->at;
    if (at < r->end && (*at == '-' || *at == '+')) {
        ++at;
    }
    const size_t left = (size_t)(r->end - at);
    if (left >= 3 && (memcmp(at, "inf", 3) == 0 || memcmp(at, "nan", 3) == 0)) {
        return true;
    }
    at += left > 0 && *at == '.' ? 1 : 0;
    return at < r->end && *at >= '0' && *at <= '9';
}

// Nothing but a flag and remarks may follow. @param last what the file should end with
// @param others,count what has so many numbers more: "a relay problem …"
static dp_status check_end(reader r, const char *last, const char *others, size_t count)
{
    size_t found = 0;
    bool flag = false;
    skip(&r);
    const int line = r.place.line;
    for (; r.at < r.end && is_number(&r); skip(&r)) {
        const int length = dp_word_length(r.at);
        flag = found == 0 && length == 1 && (*r.at == '0' || *r.at == '1');
        ++found;
        r.at += length;
    }
    if (found == 0 || (found == 1 && flag)) {
        return DP_OK;
    }
    const bool known = found == count;
    return dp_fail(
        DP_ERROR_PARSE,
        "%s:%d: found %zu number%s behind %s%s%s (expected the end of the file, a flag 0 "
        "or 1, or remarks)",
        r.place.label, line, found, found == 1 ? "" : "s", last, known ? ": " : "",
        known ? others : "");
}

// Mixed complementarity problems begin with two flags, one or both of them set, and the numbers of
// equations and of complementary rows; and by the first flag with where their blocks end, from 0.
static dp_status refuse_mixed(reader r)
{
    const reader start = r;
    int head[4], end = 0;
    for (int k = 0; k < 4; ++k) {
        if (read_integer(&head[k], &r, 0, k < 2 ? 1 : INT_MAX / 16, "") != DP_OK) {
            return DP_OK;
        }
    }
    const int size = head[2] + head[3];
    if (head[0] + head[1] == 0 || size == 0) {
        return DP_OK;
    }
    if (head[0] == 1) {
        if (read_integer(&end, &r, 0, 0, "") != DP_OK) {
            return DP_OK;
        }
        while (end < size) {
            if (read_integer(&end, &r, end + 1, size, "") != DP_OK) {
                return DP_OK;
            }
        }
    }
    return dp_fail(DP_ERROR_PARSE,
                   "%s:%d: found a mixed linear complementarity problem of Siconos, of %d free and "
                   "%d complementary variables (expected a friction-contact or a linear "
                   "complementarity problem; a dashpot-lcp file may have free variables)",
                   start.place.label, start.place.line, head[2], head[3]);
}

// Each number takes a digit and a space.
static dp_status has_room(reader *r, size_t count, const char *what)
{
    if (count > (size_t)(r->end - r->at) / 2 + 1) {
        return dp_fail(DP_ERROR_PARSE,
                       "%s:%d: found a file too short for %s (expected %zu numbers)",
                       r->place.label, r->place.line, what, count);
    }
    return DP_OK;
}

static dp_status take(dp_triplets *t, reader *r, size_t count, const char *what)
{
    DP_TRY(has_room(r, count, what));
    DP_TRY(dp_pool_take(&t->row, r->pool, count + 1, sizeof *t->row));
    DP_TRY(dp_pool_take(&t->column, r->pool, count + 1, sizeof *t->column));
    return dp_pool_take(&t->value, r->pool, count + 1, sizeof *t->value);
}

static void add(dp_triplets *t, int row, int column, double value)
{
    t->row[t->count] = row;
    t->column[t->count] = column;
    t->value[t->count++] = value;
}

// ---- matrices

static dp_status read_dense(dp_triplets *t, reader *r)
{
    int rows, columns;
    DP_TRY(read_integer(&rows, r, t->rows, t->rows, "the number of rows again"));
    DP_TRY(read_integer(&columns, r, t->columns, t->columns, "the number of columns again"));
    DP_TRY(take(t, r, (size_t)rows * (size_t)columns, "a dense matrix"));
    for (int j = 0; j < columns; ++j) {
        for (int i = 0; i < rows; ++i) {
            double x;
            DP_TRY(read_real(&x, r, "a number of a dense matrix"));
            if (x != 0.0) {
                add(t, i, j, x);
            }
        }
    }
    return DP_OK;
}

static dp_status read_integers(int **out, reader *r, int count, int least, int most, bool ascending,
                               const char *expected)
{
    DP_TRY(has_room(r, (size_t)count, expected));
    DP_TRY(dp_pool_take(out, r->pool, (size_t)count + 1, sizeof **out));
    for (int i = 0, from = least; i < count; ++i) {
        DP_TRY(read_integer(&(*out)[i], r, from, most, expected));
        from = ascending ? (*out)[i] : least;
    }
    return DP_OK;
}

static dp_status read_block(dp_triplets *t, reader *r, int number, const int from[2],
                            const int to[2])
{
    int found;
    DP_TRY(read_integer(&found, r, number, number, "the number of the next block"));
    for (int j = from[1]; j < to[1]; ++j) {
        for (int i = from[0]; i < to[0]; ++i) {
            double x;
            DP_TRY(read_real(&x, r, "a number of a block"));
            add(t, i, j, x);
        }
    }
    return DP_OK;
}

static dp_status read_blocks(dp_triplets *t, reader *r)
{
    int blocks, rows, columns, starts, filled, *row_end, *column_end, *start, *column;
    DP_TRY(read_integer(&blocks, r, 0, INT_MAX / 2, "how many blocks follow"));
    if (blocks == 0) {
        return take(t, r, 0, "no blocks");
    }
    DP_TRY(read_integer(&rows, r, 1, t->rows, "the number of rows of blocks"));
    DP_TRY(read_integer(&columns, r, 1, t->columns, "the number of columns of blocks"));
    DP_TRY(read_integers(&row_end, r, rows, 1, t->rows, true, "where a row of blocks ends"));
    DP_TRY(read_integers(&column_end, r, columns, 1, t->columns, true,
                         "where a column of blocks ends"));
    if (row_end[rows - 1] != t->rows || column_end[columns - 1] != t->columns) {
        return dp_fail(DP_ERROR_PARSE, "%s:%d: found blocks of %d × %d in all (expected %d × %d)",
                       r->place.label, r->place.line, row_end[rows - 1], column_end[columns - 1],
                       t->rows, t->columns);
    }
    DP_TRY(read_integer(&starts, r, 1, rows + 1, "one more than the rows of blocks"));
    DP_TRY(read_integer(&filled, r, blocks, blocks, "the number of blocks again"));
    DP_TRY(read_integers(&start, r, starts, 0, filled, true, "where a row of blocks begins"));
    DP_TRY(read_integers(&column, r, filled, 0, columns - 1, false, "a column of blocks"));
    size_t count = 0;
    for (int pass = 0; pass < 2; ++pass) {
        if (pass == 1) {
            DP_TRY(take(t, r, count, "blocks"));
        }
        for (int i = 0; i + 1 < starts; ++i) {
            for (int k = start[i]; k < start[i + 1]; ++k) {
                const int j = column[k];
                const int from[2] = {i > 0 ? row_end[i - 1] : 0, j > 0 ? column_end[j - 1] : 0};
                const int to[2] = {row_end[i], column_end[j]};
                if (pass == 1) {
                    DP_TRY(read_block(t, r, k, from, to));
                    continue;
                }
                count += (size_t)(to[0] - from[0]) * (size_t)(to[1] - from[1]);
                DP_TRY(has_room(r, count, "blocks"));
            }
        }
    }
    return DP_OK;
}

// "12-by-34," and the number of numbers behind "nnz:"
static dp_status read_head(int *count, dp_triplets *t, reader *r)
{
    static const char *const form = "ROWS-by-COLUMNS, as the matrix has";
    skip(r);
    int part[2] = {0, 0};
    const char *at = r->at;
    for (int k = 0; k < 2; ++k) {
        long long value = 0;
        const char *const from = at;
        for (; at < r->end && *at >= '0' && *at <= '9' && value <= INT_MAX; ++at) {
            value = 10 * value + (*at - '0');
        }
        if (at == from || value > INT_MAX) {
            return unexpected(r, form);
        }
        part[k] = (int)value;
        if (k == 0) {
            if (strncmp(at, "-by-", 4) != 0) {
                return unexpected(r, form);
            }
            at += 4;
        }
    }
    if (*at != ',' || part[0] != t->rows || part[1] != t->columns) {
        return unexpected(r, form);
    }
    r->at = at + 1;
    int most;
    DP_TRY(read_word(r, "nzmax:"));
    DP_TRY(read_integer(&most, r, 0, INT_MAX - 1, "a count of numbers"));
    DP_TRY(read_word(r, "nnz:"));
    skip(r);
    long long value = 0;
    const char *const from = r->at;
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9' && value <= INT_MAX; ++r->at) {
        value = 10 * value + (*r->at - '0');
    }
    if (r->at == from || value >= INT_MAX) {
        r->at = from;
        return unexpected(r, "a count of numbers");
    }
    *count = (int)value;
    skip_line(r);
    return DP_OK;
}

static dp_status read_sparse(dp_triplets *t, reader *r)
{
    enum { TRIPLETS = 1, COLUMNS = 2 };
    int origin, count = 0, row, column;
    DP_TRY(read_integer(&origin, r, TRIPLETS, COLUMNS, "1 or 2, for triplets or columns"));
    DP_TRY(read_word(r, "CSparse"));
    skip_line(r);
    skip(r);
    const bool triplets = r->at < r->end && dp_text_is(r->at, "triplet:");
    if (triplets != (origin == TRIPLETS)) {
        return unexpected(r, triplets ? "columns" : "triplet:");
    }
    if (triplets) {
        DP_TRY(read_word(r, "triplet:"));
    }
    DP_TRY(read_head(&count, t, r));
    DP_TRY(take(t, r, (size_t)count, "a sparse matrix"));
    double x;
    for (int k = 0; triplets && k < count; ++k) {
        DP_TRY(read_integer(&row, r, 0, t->rows - 1, "a row of the matrix"));
        DP_TRY(read_integer(&column, r, 0, t->columns - 1, "a column of the matrix"));
        DP_TRY(read_word(r, ":"));
        DP_TRY(read_real(&x, r, "a number"));
        add(t, row, column, x);
    }
    for (int j = 0, k = 0; !triplets && j < t->columns; ++j) {
        int from, last;
        DP_TRY(read_word(r, "col"));
        DP_TRY(read_integer(&column, r, j, j, "the next column"));
        DP_TRY(read_word(r, ":"));
        DP_TRY(read_word(r, "locations"));
        DP_TRY(read_integer(&from, r, k, k, "the next place"));
        DP_TRY(read_word(r, "to"));
        DP_TRY(read_integer(&last, r, k - 1, count - 1, "the last place of the column"));
        for (; k <= last; ++k) {
            DP_TRY(read_integer(&row, r, 0, t->rows - 1, "a row of the matrix"));
            DP_TRY(read_word(r, ":"));
            DP_TRY(read_real(&x, r, "a number"));
            add(t, row, j, x);
        }
    }
    return DP_OK;
}

static dp_status read_triplets(dp_triplets *t, reader *r, int storage)
{
    switch (storage) {
    case 0:
        return read_dense(t, r);
    case 1:
        return read_blocks(t, r);
    default:
        return read_sparse(t, r);
    }
}

static dp_status read_matrix(dp_triplets *t, reader *r, int rows, int columns)
{
    int storage;
    *t = (dp_triplets){0};
    DP_TRY(read_integer(&storage, r, 0, 2, "0, 1 or 2: a dense, block or sparse matrix"));
    DP_TRY(read_integer(&t->rows, r, rows < 0 ? 0 : rows, rows < 0 ? INT_MAX / 16 : rows,
                        "the number of rows"));
    columns = columns < 0 ? t->rows : columns;
    DP_TRY(read_integer(&t->columns, r, columns, columns, "the number of columns"));
    return read_triplets(t, r, storage);
}

static dp_status read_sparse_matrix(dp_sparse *out, reader *r, int rows, int columns)
{
    dp_triplets t;
    DP_TRY(read_matrix(&t, r, rows, columns));
    return dp_sparse_build(out, r->pool, &t);
}

static dp_status read_vector(const double **out, reader *r, int count, const char *expected)
{
    double *x;
    DP_TRY(has_room(r, (size_t)count, expected));
    DP_TRY(dp_pool_take(&x, r->pool, (size_t)count + 1, sizeof *x));
    for (int i = 0; i < count; ++i) {
        DP_TRY(read_real(&x[i], r, expected));
    }
    *out = x;
    return DP_OK;
}

// Does a matrix of this size follow, and so many numbers behind it? Its first three may be numbers
// of q as well, but then there are not as many.
static bool has_matrix(reader r, int rows, int columns, size_t behind)
{
    const int most[] = {2, rows, columns}, least[] = {0, rows, columns};
    for (int k = 0; k < 3; ++k) {
        int word;
        skip(&r);
        if (r.at >= r.end || !dp_text_integer(&word, &r.at) || word < least[k] || word > most[k]) {
            return false;
        }
    }
    size_t words = 0;
    for (skip(&r); r.at < r.end && words <= behind; skip(&r)) {
        ++words;
        r.at += dp_word_length(r.at);
    }
    return words > behind;
}

static dp_status no_zero(const reader *r)
{
    return memchr(r->at, '\0', (size_t)(r->end - r->at))
               ? dp_fail(DP_ERROR_PARSE, "%s:1: found a byte 0 (expected text)", r->place.label)
               : DP_OK;
}

// ---- friction

static dp_status read_problem(dp_fc *p, reader *r)
{
    DP_TRY(read_integer(&p->dimension, r, 2, 3, "2 or 3 dimensions: friction without rolling"));
    DP_TRY(read_integer(&p->nc, r, 0, INT_MAX / 16, "the number of contacts"));
    const int n = p->dimension * p->nc;
    dp_sparse first;
    DP_TRY(read_sparse_matrix(&first, r, -1, -1));
    if (first.rows == n && !has_matrix(*r, n, n, 2 * (size_t)n + (size_t)p->nc)) {
        p->form = DP_FC_FORM_LOCAL;
        p->W = first;
        DP_TRY(read_vector(&p->q, r, n, "a number of q"));
    } else {
        p->form = DP_FC_FORM_GLOBAL;
        p->M = first;
        DP_TRY(read_sparse_matrix(&p->H, r, first.rows, n));
        DP_TRY(read_vector(&p->f, r, first.rows, "a number of f"));
        DP_TRY(read_vector(&p->w, r, n, "a number of w"));
    }
    DP_TRY(read_vector(&p->mu, r, p->nc, "a coefficient of friction"));
    return check_end(
        *r, "the coefficients of friction",
        "one more for each contact, as problems with rolling friction or plasticity in "
        "the plane have",
        (size_t)p->nc);
}

static dp_status read_fc(void *out, char *text, size_t bytes, const char *label,
                         const dp_allocator *a)
{
    dp_fc_file *file;
    DP_TRY(dp_fc_file_new(&file, a));
    reader r = {{label, 1}, text, text + bytes, &file->pool};
    dp_status status = no_zero(&r);
    if (status == DP_OK) {
        status = refuse_mixed(r);
    }
    if (status == DP_OK) {
        status = read_problem(&file->p, &r);
    }
    if (status == DP_OK) {
        status = dp_fc_check(&file->p);
        if (status == DP_ERROR_ARGUMENT) {
            status = dp_fail_context(DP_ERROR_PARSE, "%s:%d: ", label, r.place.line);
        }
    }
    if (status != DP_OK) {
        dp_fc_destroy(file);
        return status;
    }
    *(dp_fc_file **)out = file;
    return DP_OK;
}

dp_status dp_fc_parse(dp_fc_file **out, const char *text, size_t bytes, const char *label,
                      const dp_allocator *allocator)
{
    *out = NULL;
    return dp_text_parse(out, read_fc, text, bytes, label, allocator);
}

// ---- complementarity

// Of "n storage n n" and "dimension nc storage rows rows" both may begin alike: then what follows
// tells, since sparse matrices name CSparse behind their origin.
bool dp_lcp_is_siconos(const char *text, size_t bytes)
{
    enum { HEAD = 7, LONGEST = 512 };
    int word[HEAD] = {0}, sparse = -1;
    char head[LONGEST + 1]; // the text may have no zero behind it
    const size_t length = bytes < LONGEST ? bytes : LONGEST;
    if (length > 0) {
        memcpy(head, text, length);
    }
    head[length] = '\0';
    reader r = {{"", 1}, head, head + length, NULL};
    for (int k = 0; k < HEAD; ++k) {
        if (read_integer(&word[k], &r, 0, INT_MAX, "") != DP_OK) {
            sparse = r.at + 7 <= r.end && memcmp(r.at, "CSparse", 7) == 0 ? k : -1;
            if (k < 4) {
                return false;
            }
            break;
        }
    }
    const bool fits = word[1] <= 2 && word[2] == word[0] && word[3] == word[0];
    const bool friction = (word[0] == 2 || word[0] == 3) && word[2] <= 2 && word[3] == word[4];
    return fits && !(friction && (word[2] == 2 ? sparse == 6 : word[1] != 0));
}

static dp_status read_lcp_parts(dp_triplets *t, const double **q, reader *r)
{
    int n;
    DP_TRY(no_zero(r));
    DP_TRY(refuse_mixed(*r));
    DP_TRY(read_integer(&n, r, 0, INT_MAX / 16, "the number of variables"));
    DP_TRY(read_matrix(t, r, n, n));
    DP_TRY(has_room(r, (size_t)n, "q"));
    DP_TRY(read_vector(q, r, n, "a number of q"));
    return check_end(*r, "q", "bounds, as a relay problem has (a dashpot-lcp file may have bounds)",
                     2 * (size_t)n);
}

static dp_status read_lcp(void *out, char *text, size_t bytes, const char *label,
                          const dp_allocator *a)
{
    dp_pool pool;
    dp_pool_init(&pool, a);
    reader r = {{label, 1}, text, text + bytes, &pool};
    dp_triplets t;
    const double *q = NULL;
    dp_status status = read_lcp_parts(&t, &q, &r);
    if (status == DP_OK) {
        status = dp_lcp_make(out, &t, q, a);
    }
    dp_pool_destroy(&pool);
    return status;
}

dp_status dp_lcp_parse_siconos(dp_lcp_file **out, const char *text, size_t bytes, const char *label,
                               const dp_allocator *allocator)
{
    *out = NULL;
    return dp_text_parse(out, read_lcp, text, bytes, label, allocator);
}
