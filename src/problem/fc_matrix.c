#include "problem/fc_matrix.h"

enum { PER_NODE = 512, PER_PAIR = 96, LEAST = 1 << 16 };

static void forget(dp_fc_matrix *m)
{
    dp_arena_end(&m->arena);
    dp_release(&m->allocator, m->memory, m->bytes, 1);
    m->memory = NULL;
}

typedef dp_status (*task)(dp_fc_matrix *m, int n, const int *size, int nclique,
                          const int *clique_start, const int *clique_node);

// How much memory that takes is known once it is done: try with more until it fits.
static dp_status attempt(dp_fc_matrix *out, task try, int n, const int *size, int nclique,
                         const int *clique_start, const int *clique_node, const dp_allocator *a)
{
    *out = (dp_fc_matrix){.allocator = *a};
    out->bytes = LEAST + (size_t)n * PER_NODE + (size_t)clique_start[nclique] * PER_PAIR;
    for (;;) {
        DP_TRY(dp_allocate_unset(&out->memory, a, out->bytes, 1));
        dp_arena_init(&out->arena, out->memory, out->bytes);
        const dp_status status = try(out, n, size, nclique, clique_start, clique_node);
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

static dp_status analyse(dp_fc_matrix *m, int n, const int *size, int nclique,
                         const int *clique_start, const int *clique_node)
{
    return dp_block_analyse(&m->A, n, size, nclique, clique_start, clique_node, &m->arena);
}

static dp_status order(dp_fc_matrix *m, int n, const int *size, int nclique,
                       const int *clique_start, const int *clique_node)
{
    (void)size;
    return dp_block_graph_begin(&m->A.graph, n, nclique, clique_start, clique_node, &m->arena);
}

dp_status dp_fc_matrix_begin(dp_fc_matrix *out, int n, const int *size, int nclique,
                             const int *clique_start, const int *clique_node, const dp_allocator *a)
{
    return attempt(out, analyse, n, size, nclique, clique_start, clique_node, a);
}

dp_status dp_fc_matrix_cost(double *out, int n, const int *size, int nclique,
                            const int *clique_start, const int *clique_node, const dp_allocator *a)
{
    dp_fc_matrix m;
    *out = 0.0;
    DP_TRY(attempt(&m, order, n, size, nclique, clique_start, clique_node, a));
    const dp_block_graph *g = &m.A.graph;
    for (int i = 0; i < n; ++i) {
        double rows = 0.5 * size[i];
        for (int k = 0; k < g->column[i]; ++k) {
            rows += size[g->pattern[i][k]];
        }
        *out += 2.0 * size[i] * rows * rows;
    }
    forget(&m);
    return DP_OK;
}

void dp_fc_matrix_end(dp_fc_matrix *m)
{
    if (m->memory) {
        forget(m);
    }
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
