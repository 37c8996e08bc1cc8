// Runs of one mechanism that differ in the step, and the order of convergence that they show.
#ifndef DP_TESTS_TRIAL_H
#define DP_TESTS_TRIAL_H

#include "mechanism.h"

enum { MAX_STATE = 40 };

typedef struct trial {
    dp_integrator integrator;
    int steps;
    double seconds;
    double tolerance; // relative and absolute
    double large_rotation;
    /// What must hold after each step; NULL: nothing.
    void (*check)(const struct trial *t, const dp_step_report *info);
} trial;

/// The state after a run from a fixed start: q and v. @return how many numbers these are.
int trial_run(double y[MAX_STATE], mechanism (*make)(void), const trial *t);

/// The slope of log error over log h: the p of error = c hᵖ that fits best, by least squares.
double fitted_order(const double *h, const double *error, int count);

/// log₂ of the ratio of the largest errors with t->steps and with twice as many.
double trial_order(mechanism (*make)(void), const trial *t, const trial *reference);

#endif
