#include "problem/sparse.h"

#include <limits.h>
#include <string.h>

// Sort by counting: by rows, then by columns, which keeps the order of rows.
static dp_status sort_by(size_t *order, const size_t *before, const int *key, int keys,
                         size_t count, dp_pool *pool)
{
    size_t *start;
    DP_TRY(dp_pool_take(&start, pool, (size_t)keys + 1, sizeof *start));
    for (size_t e = 0; e < count; ++e) {
        start[key[e] + 1] += 1;
    }
    for (int k = 0; k < keys; ++k) {
        start[k + 1] += start[k];
    }
    for (size_t e = 0; e < count; ++e) {
        const size_t at = before ? before[e] : e;
        order[start[key[at]]++] = at;
    }
    return DP_OK;
}

static dp_status gather(dp_sparse *out, dp_pool *pool, const dp_triplets *t, dp_pool *scratch)
{
    size_t *by_row, *order;
    DP_TRY(dp_pool_take(&by_row, scratch, t->count, sizeof *by_row));
    DP_TRY(dp_pool_take(&order, scratch, t->count, sizeof *order));
    DP_TRY(sort_by(by_row, NULL, t->row, t->rows, t->count, scratch));
    DP_TRY(sort_by(order, by_row, t->column, t->columns, t->count, scratch));
    int *start, *row;
    double *value;
    DP_TRY(dp_pool_take(&start, pool, (size_t)t->columns + 1, sizeof *start));
    DP_TRY(dp_pool_take(&row, pool, t->count + 1, sizeof *row));
    DP_TRY(dp_pool_take(&value, pool, t->count + 1, sizeof *value));
    int filled = 0, column = 0;
    for (size_t e = 0; e < t->count; ++e) {
        const size_t at = order[e];
        while (column < t->column[at]) {
            start[++column] = filled;
        }
        if (filled > start[column] && row[filled - 1] == t->row[at]) {
            value[filled - 1] += t->value[at];
        } else {
            row[filled] = t->row[at];
            value[filled++] = t->value[at];
        }
    }
    while (column < t->columns) {
        start[++column] = filled;
    }
    *out = (dp_sparse){t->rows, t->columns, start, row, value};
    return DP_OK;
}

dp_status dp_sparse_build(dp_sparse *out, dp_pool *pool, const dp_triplets *t)
{
    if (t->count > INT_MAX) {
        return dp_fail(DP_ERROR_MEMORY, "a matrix of %zu numbers is too large", t->count);
    }
    dp_pool scratch;
    dp_pool_init(&scratch, &pool->allocator);
    const dp_status status = gather(out, pool, t, &scratch);
    dp_pool_destroy(&scratch);
    return status;
}

dp_status dp_sparse_copy(dp_sparse *out, dp_pool *pool, const dp_sparse *A)
{
    *out = *A;
    if (!A->start) {
        return DP_OK;
    }
    const size_t count = (size_t)A->start[A->columns];
    int *start, *row;
    double *value;
    DP_TRY(dp_pool_take(&start, pool, (size_t)A->columns + 1, sizeof *start));
    DP_TRY(dp_pool_take(&row, pool, count + 1, sizeof *row));
    DP_TRY(dp_pool_take(&value, pool, count + 1, sizeof *value));
    memcpy(start, A->start, ((size_t)A->columns + 1) * sizeof *start);
    if (count > 0) {
        memcpy(row, A->row, count * sizeof *row);
        memcpy(value, A->value, count * sizeof *value);
    }
    out->start = start;
    out->row = row;
    out->value = value;
    return DP_OK;
}
