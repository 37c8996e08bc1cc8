// Problems as the text that Siconos reads.
#include "base/output.h"

#include <dashpot/advanced/fc.h>

#include <math.h>
#include <string.h>

static void write_numbers(FILE *file, const double *x, int n)
{
    for (int i = 0; i < n; ++i) {
        dp_output_number(file, x[i]);
        fputc(i + 1 < n ? ' ' : '\n', file);
    }
    if (n == 0) {
        fputc('\n', file);
    }
}

// By columns, as CSparse prints it but for the digits.
static void write_columns(FILE *file, const dp_sparse *A)
{
    enum { SPARSE = 2, COLUMNS = 2 };
    const int count = A->columns > 0 ? A->start[A->columns] : 0;
    double norm = 0.0;
    for (int j = 0; j < A->columns; ++j) {
        double sum = 0.0;
        for (int k = A->start[j]; k < A->start[j + 1]; ++k) {
            sum += fabs(A->value[k]);
        }
        norm = sum > norm ? sum : norm;
    }
    fprintf(file, "%d\n%d\n%d\n%d\nCSparse\n%d-by-%d, nzmax: %d nnz: %d, 1-norm: ", SPARSE, A->rows,
            A->columns, COLUMNS, A->rows, A->columns, count, count);
    dp_output_number(file, norm);
    fputc('\n', file);
    for (int j = 0; j < A->columns; ++j) {
        fprintf(file, "    col %d : locations %d to %d\n", j, A->start[j], A->start[j + 1] - 1);
        for (int k = A->start[j]; k < A->start[j + 1]; ++k) {
            fprintf(file, "      %d : ", A->row[k]);
            dp_output_number(file, A->value[k]);
            fputc('\n', file);
        }
    }
}

// ---- blocks

typedef struct blocks {
    int n, size;   // rows of blocks, and of a block
    int *start;    // n + 1
    int *column;   // ascending in a row
    double *value; // size² each, by columns
    size_t count;
} blocks;

static dp_status take(blocks *b, dp_pool *pool, const dp_sparse *W, int size)
{
    *b = (blocks){.n = W->rows / size, .size = size};
    int *mark, *next;
    DP_TRY(dp_pool_take(&b->start, pool, (size_t)b->n + 1, sizeof(int)));
    DP_TRY(dp_pool_take(&mark, pool, (size_t)b->n, sizeof(int)));
    DP_TRY(dp_pool_take(&next, pool, (size_t)b->n, sizeof(int)));
    for (int pass = 0; pass < 2; ++pass) {
        memset(mark, 0, (size_t)b->n * sizeof *mark);
        for (int j = 0; j < b->n; ++j) {
            for (int k = W->start[size * j], own = 1; own || k < W->start[size * (j + 1)];) {
                const int i = own ? j : W->row[k++] / size; // that of the diagonal is always there
                own = 0;
                if (mark[i] == j + 1) {
                    continue;
                }
                mark[i] = j + 1;
                if (pass == 0) {
                    b->start[i + 1] += 1;
                } else {
                    b->column[next[i]++] = j;
                }
            }
        }
        for (int i = 0; pass == 0 && i < b->n; ++i) {
            b->start[i + 1] += b->start[i];
            next[i] = b->start[i];
        }
        if (pass == 0) {
            b->count = (size_t)b->start[b->n];
            DP_TRY(dp_pool_take(&b->column, pool, b->count, sizeof(int)));
        }
    }
    DP_TRY(dp_pool_take(&b->value, pool, b->count * (size_t)(size * size), sizeof(double)));
    memcpy(next, b->start, (size_t)b->n * sizeof *next);
    for (int j = 0; j < b->n; ++j) { // columns come in order: the next block of a row, or this one
        for (int column = size * j; column < size * (j + 1); ++column) {
            for (int k = W->start[column]; k < W->start[column + 1]; ++k) {
                const int i = W->row[k] / size;
                while (b->column[next[i]] < j) {
                    ++next[i];
                }
                b->value[next[i] * size * size + (column - size * j) * size + W->row[k] -
                         size * i] = W->value[k];
            }
        }
    }
    return DP_OK;
}

static void write_tabs(FILE *file, const int *x, int n, int factor, int shift)
{
    for (int i = 0; i < n; ++i) {
        fprintf(file, "%d\t", factor * ((x ? x[i] : i) + shift));
    }
    fputc('\n', file);
}

static void write_blocks(FILE *file, const blocks *b)
{
    const int rows = b->n * b->size, cells = b->size * b->size, count = (int)b->count;
    fprintf(file, "1\n%d\n%d\n%d\n", rows, rows, count);
    if (count == 0) {
        return;
    }
    fprintf(file, "%d\n%d\n", b->n, b->n);
    write_tabs(file, NULL, b->n, b->size, 1);
    write_tabs(file, NULL, b->n, b->size, 1);
    fprintf(file, "%d\n%d\n", b->n + 1, count);
    write_tabs(file, b->start, b->n + 1, 1, 0);
    write_tabs(file, b->column, count, 1, 0);
    for (int k = 0; k < count; ++k) {
        fprintf(file, "%d\n", k);
        for (int c = 0; c < cells; ++c) {
            dp_output_number(file, b->value[k * cells + c]);
            fputc('\n', file);
        }
    }
}

static dp_status write_local(FILE *file, const dp_fc *p, const dp_allocator *a)
{
    dp_pool pool;
    dp_pool_init(&pool, a);
    blocks b;
    const dp_status status = take(&b, &pool, &p->W, p->dimension);
    if (status == DP_OK) {
        write_blocks(file, &b);
    }
    dp_pool_destroy(&pool);
    write_numbers(file, p->q, p->dimension * p->nc);
    return status;
}

dp_status dp_fc_save(const char *path, const dp_fc *p)
{
    const dp_allocator a = dp_allocator_default();
    DP_TRY(dp_fc_check(p));
    if (p->nl > 0) {
        (void)dp_fail(DP_ERROR_UNSUPPORTED,
                      "%s: found %d equations (expected none: the text of Siconos has no place for "
                      "them; dp_fc_localise eliminates them)",
                      path, p->nl);
        return dp_fail_feature(DP_ERROR_UNSUPPORTED, "equations");
    }
    dp_output out;
    DP_TRY(dp_output_open(&out, path, &a));
    fprintf(out.file, "%d\n%d\n", p->dimension, p->nc);
    dp_status status = DP_OK;
    if (p->form == DP_FC_FORM_LOCAL) {
        status = write_local(out.file, p, &a);
    } else {
        write_columns(out.file, &p->M);
        write_columns(out.file, &p->H);
        write_numbers(out.file, p->f, p->M.rows);
        write_numbers(out.file, p->w, p->dimension * p->nc);
    }
    write_numbers(out.file, p->mu, p->nc);
    const dp_status closed = dp_output_close(&out);
    return status != DP_OK ? status : closed;
}

dp_status dp_lcp_save_siconos(const char *path, const dp_lcp *p)
{
    for (int i = 0; i < p->n; ++i) {
        if ((p->lo && p->lo[i] != 0.0) || (p->hi && !isinf(p->hi[i]))) {
            (void)dp_fail(
                DP_ERROR_UNSUPPORTED,
                "%s: found bounds of variable %d other than 0 and inf (expected none: the "
                "text of Siconos has no place for them)",
                path, i);
            return dp_fail_feature(DP_ERROR_UNSUPPORTED, "bounds");
        }
    }
    const dp_allocator a = dp_allocator_default();
    dp_output out;
    DP_TRY(dp_output_open(&out, path, &a));
    fprintf(out.file, "%d\n0\n%d\n%d\n%d\t%d\n", p->n, p->n, p->n, p->n, p->n);
    for (int j = 0; j < p->n; ++j) {
        for (int i = 0; i < p->n; ++i) {
            dp_output_number(out.file, p->M[(size_t)i * (size_t)p->n + (size_t)j]);
            fputc(i + 1 < p->n ? ' ' : '\n', out.file);
        }
    }
    write_numbers(out.file, p->q, p->n);
    return dp_output_close(&out);
}
