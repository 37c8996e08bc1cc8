#include "model/packed.h"

#include <string.h>

void dp_packed_expand(double *dense, const dp_model *m, const double *M)
{
    const size_t nv = (size_t)m->size.nv;
    // The lower triangle from the last row on: row i of the dense matrix begins where the packed
    // rows up to i have ended, or with the very number that is read, so M may be `dense`.
    for (int i = m->size.nv - 1; i >= 0; --i) {
        double *out = dense + (size_t)i * nv;
        const double *row = M + m->dof_packed[i];
        int done = i + 1; // columns from here on are written
        for (int j = i; j >= 0; j = m->dof_parent[j]) {
            out[j] = *row++;
            for (int zero = j + 1; zero < done; ++zero) {
                out[zero] = 0.0;
            }
            done = j;
        }
        for (int zero = 0; zero < done; ++zero) {
            out[zero] = 0.0;
        }
    }
    for (size_t i = 0; i < nv; ++i) {
        for (size_t j = 0; j < i; ++j) {
            dense[j * nv + i] = dense[i * nv + j];
        }
    }
}

void dp_packed_factor(double *M, const dp_model *m)
{
    for (int k = m->size.nv - 1; k >= 0; --k) {
        double *row_k = M + m->dof_packed[k];
        const double inverse = 1.0 / row_k[0];
        int along = 1;
        for (int i = m->dof_parent[k]; i >= 0; i = m->dof_parent[i], ++along) {
            double *row_i = M + m->dof_packed[i];
            const double l = row_k[along] * inverse;
            const int length = (int)(m->dof_packed[k + 1] - m->dof_packed[k]) - along;
            for (int j = 0; j < length; ++j) { // both chains run to the root from dof i on
                row_i[j] -= l * row_k[along + j];
            }
            row_k[along] = l; // not read again: later i use elements further along
        }
    }
}

void dp_packed_solve(double *x, const dp_model *m, const double *LD, const double *b)
{
    const int nv = m->size.nv;
    if (x != b) {
        memcpy(x, b, (size_t)nv * sizeof *x);
    }
    for (int i = nv - 1; i >= 0; --i) { // Lᵀ
        const double *row = LD + m->dof_packed[i];
        for (int j = m->dof_parent[i]; j >= 0; j = m->dof_parent[j]) {
            x[j] -= *++row * x[i];
        }
    }
    for (int i = 0; i < nv; ++i) { // D
        x[i] /= LD[m->dof_packed[i]];
    }
    for (int i = 0; i < nv; ++i) { // L
        const double *row = LD + m->dof_packed[i];
        for (int j = m->dof_parent[i]; j >= 0; j = m->dof_parent[j]) {
            x[i] -= *++row * x[j];
        }
    }
}
