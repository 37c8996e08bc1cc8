// Many contacts of one free body, one after the other: their three rows of six numbers lie side
// by side, so that every length is known and numbers go in pairs. `n` counts contacts everywhere; G
// has 18 numbers for each of them, what goes by row three.
#ifndef DP_SOLVE_COULOMB_RUN_H
#define DP_SOLVE_COULOMB_RUN_H

#include <stdbool.h>

/// u = G v, scaled. @param v six
void dp_batch_velocities(double *u, int n, const double *G, const double *scale, const double *v);
/// force += Gᵀ y, y scaled. @param force six
void dp_batch_forces(double *force, int n, const double *G, const double *scale, const double *y);
/// w = G M̃⁻¹ Gᵀ of each row, scaled. @param LD 21: the factors of M̃, packed. @param inverse six:
/// of its diagonal. @param diagonal M̃ is
void dp_batch_mobilities(double *w, int n, const double *G, const double *scale, const double *LD,
                         const double *inverse, bool diagonal);
/// H += Gᵀ C G, 6 × 6, its rows `stride` apart. @param C 3 × 3 of each contact, scaled. @param
/// diagonal they all are
void dp_batch_assemble(double *H, int stride, int n, const double *G, const double *scale,
                       const double *C, bool diagonal);

#endif
