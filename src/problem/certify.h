// dp_problem_certify as a law sees the problem that it was given.
#ifndef DP_PROBLEM_CERTIFY_H
#define DP_PROBLEM_CERTIFY_H

#include <dashpot/problem.h>

/// What impulses of contacts are held in.
typedef enum dp_friction_set {
    DP_FRICTION_OF_NORMAL, // discs, or polygons, that the normal impulse makes, whose own law they
                           // have no part in: Coulomb's law
    DP_FRICTION_CONE,      // friction_cone.h
    DP_FRICTION_GIVEN,     // discs that are known to whom they were given: no more is asked of
                           // friction than that it is opposite to the slip
} dp_friction_set;

/// What of a problem a law takes for something else. All zeros: nothing.
typedef struct dp_certify_view {
    bool rigid;  // rigid.h
    int corners; // friction is held in polygons with so many corners, the first along the first
                 // tangent, within its ellipses; 0: in the ellipses themselves
    dp_friction_set set;
    double slip_speed; // [m/s] at which friction has its full size, below it is in proportion; 0:
                       // at once
    const uint8_t *vanishing; // rows whose compliance only weighs impulses and goes to 0: R = 0.
                              // NULL: none
    const int *row_of;        // where in `vanishing` a row of the problem is. NULL: at its number
} dp_certify_view;

/// @param scratch nv
void dp_problem_certify_as(dp_certificate *out, const dp_step_problem *p, const dp_step_solution *s,
                           dp_certify_view view, double *scratch);

#endif
