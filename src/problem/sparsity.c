#include "problem/sparsity.h"

#include <string.h>

size_t dp_sparsity_memory(const dp_step_size *max)
{
    return dp_arena_bytes((size_t)max->ntree + 1, sizeof(int)) +
           dp_arena_bytes((size_t)max->nv, sizeof(int)) +
           2 * dp_arena_bytes((size_t)max->nblock + 1, sizeof(int)) +
           dp_arena_bytes(max->ncol, sizeof(int));
}

static dp_status copy(int **out, const int *from, size_t n, dp_arena *scratch)
{
    DP_TRY(dp_arena_take(out, scratch, n, sizeof **out));
    if (n > 0) {
        memcpy(*out, from, n * sizeof **out);
    }
    return DP_OK;
}

dp_status dp_sparsity_of(dp_sparsity *out, const dp_step_problem *p, dp_arena *scratch)
{
    dp_sparsity s = {p->nv, p->ntree, p->nblock, p->nrow, NULL, NULL, NULL, NULL, NULL};
    const size_t nblock = (size_t)p->nblock;
    if (nblock > 0) {
        DP_TRY(copy(&s.tree_start, p->tree_start, (size_t)p->ntree + 1, scratch));
        DP_TRY(copy(&s.parent, p->parent, (size_t)p->nv, scratch));
        DP_TRY(copy(&s.row_start, p->row_start, nblock + 1, scratch));
        DP_TRY(copy(&s.col_start, p->col_start, nblock + 1, scratch));
        DP_TRY(copy(&s.col, p->col, (size_t)p->col_start[nblock], scratch));
    }
    *out = s;
    return DP_OK;
}

static bool same(const int *a, const int *b, int n)
{
    const int few = 8; // that are compared before memcmp has begun
    if (n > few) {
        return memcmp(a, b, (size_t)n * sizeof *a) == 0;
    }
    for (int i = 0; i < n; ++i) {
        if (a[i] != b[i]) {
            return false;
        }
    }
    return true;
}

bool dp_sparsity_is_that_of(const dp_sparsity *s, const dp_step_problem *p)
{
    if (s->nv != p->nv || s->ntree != p->ntree || s->nblock != p->nblock || s->nrow != p->nrow) {
        return false;
    }
    return s->nblock == 0 ||
           (same(s->tree_start, p->tree_start, p->ntree + 1) && same(s->parent, p->parent, p->nv) &&
            same(s->row_start, p->row_start, p->nblock + 1) &&
            same(s->col_start, p->col_start, p->nblock + 1));
}

bool dp_sparsity_has_columns(const dp_sparsity *s, const dp_step_problem *p, int first, int end)
{
    const int at = p->col_start[first];
    return same(s->col + at, p->col + at, p->col_start[end] - at);
}
