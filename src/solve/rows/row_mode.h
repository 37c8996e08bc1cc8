// The four modes of a row, (CL 1), and the impulse of a row whose velocity is given.
#ifndef DP_SOLVE_ROWS_ROW_MODE_H
#define DP_SOLVE_ROWS_ROW_MODE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum dp_row_mode {
    DP_MODE_LO,          // γ = lo
    DP_MODE_HI,          // γ = hi
    DP_MODE_REGULARISED, // R γ + u = û
    DP_MODE_CLOSING,     // u = u_stop
} dp_row_mode;

/// Is γ an unknown of the linear system?
static inline bool dp_is_active(uint8_t mode)
{
    return mode == DP_MODE_REGULARISED || mode == DP_MODE_CLOSING;
}

/// Π(min(γ_R, γ_stop)), and its mode. @param regularised, closing the impulses that each law asks
/// for
static inline double dp_row_impulse(uint8_t *mode, double regularised, double closing, double lo,
                                    double hi)
{
    const double gamma = regularised < closing ? regularised : closing;
    *mode = gamma <= lo              ? DP_MODE_LO
            : gamma >= hi            ? DP_MODE_HI
            : regularised <= closing ? DP_MODE_REGULARISED
                                     : DP_MODE_CLOSING;
    return gamma <= lo ? lo : gamma >= hi ? hi : gamma;
}

#endif
