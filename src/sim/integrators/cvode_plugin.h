// What the library asks of CVODE: y' = f(t, y) from t = 0 on, one substep after the other. The
// table of the plugin dashpot_cvode (plugins/dashpot_cvode.c).
#ifndef DP_SIM_CVODE_PLUGIN_H
#define DP_SIM_CVODE_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>

enum { DP_CVODE_VERSION = 1 };

/// What an evaluation of f came to.
typedef enum dp_cvode_rated {
    DP_CVODE_STOP = -1, ///< it failed, whatever the step
    DP_CVODE_RATED = 0,
    DP_CVODE_SHORTER = 1, ///< a shorter step may do
} dp_cvode_rated;

typedef dp_cvode_rated (*dp_cvode_rate)(double *slope, double t, const double *y, void *context);

typedef struct dp_cvode_solver dp_cvode_solver;

/// What has been done since `begin`.
typedef struct dp_cvode_work {
    int rejected, iterations, factorizations;
} dp_cvode_work;

typedef struct dp_cvode_table {
    int version;
    /// For n > 0 numbers. @return NULL: no memory
    dp_cvode_solver *(*create)(size_t n, dp_cvode_rate rate, void *context);
    void (*destroy)(dp_cvode_solver *solver);
    /// Its y, of n numbers: the start before `begin`, the present state afterwards.
    double *(*state)(dp_cvode_solver *solver);
    /// Forget what was before. @param end beyond which no substep goes
    bool (*begin)(dp_cvode_solver *solver, double relative, double absolute, double end);
    /// One substep. @param t its end @return NULL, or why there is none
    const char *(*advance)(dp_cvode_solver *solver, double *t, double end);
    /// y at a time within the last substep, valid until the next call; NULL: t is none
    double *(*between)(dp_cvode_solver *solver, double t);
    dp_cvode_work (*work)(const dp_cvode_solver *solver);
} dp_cvode_table;

#endif
