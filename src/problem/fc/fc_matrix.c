#include "problem/fc/fc_matrix.h"

enum { PER_NODE = 512, PER_PAIR = 96, LEAST = 1 << 16 };

static void forget(dp_fc_matrix *m)
{
    dp_arena_end(&m->arena);
    dp_release(&m->allocator, m->memory, m->bytes, 1);
    m->memory = NULL;
}

// How much memory that takes is known once it is done: try with more until it fits.
dp_status dp_fc_matrix_begin(dp_fc_matrix *out, int n, const int *size, int nclique,
                             const int *clique_start, const int *clique_node, const dp_allocator *a)
{
    *out = (dp_fc_matrix){.allocator = *a};
    out->bytes = LEAST + (size_t)n * PER_NODE + (size_t)clique_start[nclique] * PER_PAIR;
    for (;;) {
        DP_TRY(dp_allocate_unset(&out->memory, a, out->bytes, 1));
        dp_arena_init(&out->arena, out->memory, out->bytes);
        const dp_status status =
            dp_block_analyse(&out->A, n, size, nclique, clique_start, clique_node, &out->arena);
        if (status == DP_OK) {
            return DP_OK;
        }
        forget(out);
        if (status != DP_ERROR_CAPACITY || out->bytes > SIZE_MAX / 4) {
            return status;
        }
        out->bytes *= 2;
    }
}

void dp_fc_matrix_end(dp_fc_matrix *m)
{
    if (m->memory) {
        forget(m);
    }
}

double *dp_fc_matrix_element(dp_fc_matrix *m, int i, int j, int row, int column)
{
    const dp_block_view at = dp_block_at(&m->A, i, j);
    return at.value + (at.by_columns ? (ptrdiff_t)column * at.stride + row
                                     : (ptrdiff_t)row * at.stride + column);
}

void dp_fc_matrix_add(dp_fc_matrix *m, int i, int j, int rows, int columns, const double *value)
{
    const dp_block_view at = dp_block_at(&m->A, i, j);
    const ptrdiff_t down = at.by_columns ? 1 : at.stride, along = at.by_columns ? at.stride : 1;
    for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < columns; ++c) {
            at.value[r * down + c * along] += value[r * columns + c];
        }
    }
}
