#include "record/replay/coarse_mesh.h"

#include <math.h>
#include <string.h>

// Numbers of cells by their keys: open addressing, a power of two of slots, half of them free.
typedef struct slot {
    uint64_t cell;
    int number; // from 1; 0: free
} slot;

typedef struct grid {
    double low[3], cell; // [m]
} grid;

static grid grid_around(const double *vertex, int nvertex, int cells)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < nvertex; ++i) {
        for (int k = 0; k < 3; ++k) {
            low[k] = fmin(low[k], vertex[3 * i + k]);
            high[k] = fmax(high[k], vertex[3 * i + k]);
        }
    }
    const double longest = fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
    return (grid){{low[0], low[1], low[2]}, longest > 0.0 ? longest / cells : 1.0};
}

static uint64_t cell_of(const grid *g, const double x[3])
{
    uint64_t cell = 0;
    for (int k = 0; k < 3; ++k) {
        cell = cell << 20 | (uint64_t)floor((x[k] - g->low[k]) / g->cell);
    }
    return cell;
}

// The number of cells with vertices, and for each vertex the number of its cell.
static int number_cells(int *number, slot *table, size_t slots, const grid *g, const double *vertex,
                        int nvertex)
{
    int count = 0;
    memset(table, 0, slots * sizeof *table);
    for (int i = 0; i < nvertex; ++i) {
        const uint64_t cell = cell_of(g, &vertex[3 * i]);
        size_t at = (size_t)(cell * 0x9e3779b97f4a7c15u >> 20) & (slots - 1);
        while (table[at].number != 0 && table[at].cell != cell) {
            at = (at + 1) & (slots - 1);
        }
        if (table[at].number == 0) {
            table[at] = (slot){cell, ++count};
        }
        number[i] = table[at].number - 1;
    }
    return count;
}

static int keep_faces(int *out, const int *face, int nface, const int *number)
{
    int kept = 0;
    for (int f = 0; f < nface; ++f) {
        const int a = number[face[3 * f]], b = number[face[3 * f + 1]], c = number[face[3 * f + 2]];
        if (a != b && b != c && c != a) {
            out[3 * kept] = a;
            out[3 * kept + 1] = b;
            out[3 * kept + 2] = c;
            ++kept;
        }
    }
    return kept;
}

static void find_means(double *mean, int *members, const double *vertex, int nvertex,
                       const int *number)
{
    for (int i = 0; i < nvertex; ++i) {
        ++members[number[i]];
        for (int k = 0; k < 3; ++k) {
            mean[3 * number[i] + k] += vertex[3 * i + k];
        }
    }
    for (int i = 0; i < nvertex && members[i] > 0; ++i) {
        for (int k = 0; k < 3; ++k) {
            mean[3 * i + k] /= members[i];
        }
    }
}

dp_status dp_coarse_mesh_make(dp_coarse_mesh *out, const double *vertex, int nvertex,
                              const int *face, int nface, const dp_allocator *allocator)
{
    static const int cells[] = {256, 160, 100, 64, 40, 24, 16}; // along the longest side
    *out = (dp_coarse_mesh){.nvertex = 0};
    dp_pool_init(&out->pool, allocator);
    const size_t n = (size_t)nvertex;
    slot *table;
    int *number, *members;
    size_t slots = 16;
    while (slots < 2 * n) {
        slots *= 2;
    }
    DP_TRY(dp_pool_take(&table, &out->pool, slots, sizeof *table));
    DP_TRY(dp_pool_take(&number, &out->pool, n, sizeof *number));
    DP_TRY(dp_pool_take(&members, &out->pool, n, sizeof *members));
    DP_TRY(dp_pool_take(&out->vertex, &out->pool, 3 * n, sizeof *out->vertex));
    DP_TRY(dp_pool_take(&out->face, &out->pool, 3 * (size_t)nface, sizeof *out->face));
    out->nface = nface;
    for (size_t i = 0; i < sizeof cells / sizeof *cells && (i == 0 || out->nface > DP_COARSE_FACES);
         ++i) {
        const grid g = grid_around(vertex, nvertex, cells[i]);
        out->nvertex = number_cells(number, table, slots, &g, vertex, nvertex);
        out->nface = keep_faces(out->face, face, nface, number);
    }
    find_means(out->vertex, members, vertex, nvertex, number);
    return DP_OK;
}

void dp_coarse_mesh_destroy(dp_coarse_mesh *mesh)
{
    dp_pool_destroy(&mesh->pool);
}
