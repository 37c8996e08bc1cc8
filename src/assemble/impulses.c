#include "assemble/impulses.h"

#include <string.h>

void dp_impulses_carve(dp_impulses *impulses, dp_carver *c, const dp_rows *rows, int max_bend)
{
    impulses->id = dp_carve(c, (size_t)rows->max_block, sizeof(uint64_t));
    impulses->row_start = dp_carve(c, (size_t)rows->max_block + 1, sizeof(int));
    impulses->gamma = dp_carve(c, (size_t)rows->max_row, sizeof(double));
    impulses->change = dp_carve(c, (size_t)rows->max_row, sizeof(double));
    impulses->bend = dp_carve(c, (size_t)max_bend, sizeof(dp_bend));
}

void dp_impulses_copy(dp_impulses *to, const dp_impulses *from)
{
    const size_t n = (size_t)from->nblock;
    to->nblock = from->nblock;
    to->nbend = from->nbend;
    if (n > 0) {
        memcpy(to->id, from->id, n * sizeof *to->id);
        memcpy(to->row_start, from->row_start, (n + 1) * sizeof *to->row_start);
        const size_t nrow = (size_t)from->row_start[n];
        memcpy(to->gamma, from->gamma, nrow * sizeof *to->gamma);
        memcpy(to->change, from->change, nrow * sizeof *to->change);
        memcpy(to->bend, from->bend, (size_t)from->nbend * sizeof *to->bend);
    }
}

void dp_impulses_scale(dp_impulses *impulses, double times)
{
    const int nrow = impulses->nblock > 0 ? impulses->row_start[impulses->nblock] : 0;
    for (int r = 0; r < nrow; ++r) {
        impulses->gamma[r] *= times;
        impulses->change[r] *= times * times;
    }
}
