// What the parts of the report on reactions share.
#ifndef DP_SIM_STATICS_H
#define DP_SIM_STATICS_H

#include "dynamics/joint_frame.h"
#include "sim/data.h"

#include <dashpot/advanced/law.h>
#include <dashpot/advanced/statics.h>

/// A row at one moment.
typedef struct dp_instant_row {
    double rate;   // of the gap, at the moment
    double bend;   // what φ̈ is for v̇ = 0
    double pull;   // rate of the gap (sliding: of the slip) after the rows have acted, [m/s²]
    bool reaction; // it is one, and no load like springs and drives
    bool closed;   // it is one, and acts
    bool moving;   // of friction: it slides
    bool sliding;  // of friction: it slides, or begins to
} dp_instant_row;

/// How rigid bodies move and push at one moment.
typedef struct dp_instant {
    dp_instant_row *row; // nrow
    dp_solve_info solve; // of the accelerations
    int impacts;
} dp_instant;

/// Bring `d` to the moment: accelerations in d->acceleration, forces of rows in d->rows.lambda,
/// wrenches through joints in d->reaction. `d` is good for nothing else afterwards.
DP_NODISCARD dp_status dp_instant_find(dp_instant *out, dp_data *d, double touch, dp_pool *pool);

/// A component of a reaction, and what becomes of it.
typedef struct dp_component {
    dp_reaction reaction;
    double found; // a reaction that holds the loads
    double sign;  // of a unit, in terms of its row
    int normal;   // of friction the place of its normal, −1: none
    int column;   // place among the unknowns, −1: it follows its normal
} dp_component;

/// The report under construction.
typedef struct dp_report {
    const dp_model *m;
    dp_data *d; // a copy, at the moment
    dp_statics_options options;
    dp_pool *pool; // of scratch
    dp_instant now;
    double length;         // [m] of the norm
    dp_joint_frame *frame; // nbody
    int *equation;         // nbody: first of six, −1: it does not move
    int nequation;
    dp_component *component; // room, `count` of them in use
    int count, room;
    int n;       // unknowns
    bool slides; // some friction follows its normal: other reactions may be other motions
    int nclosed; // rows that are closed, whose gaps must stay so
    double mass; // [kg] of a typical body
    // Scratch:
    dp_wrench *wrench, *sums; // nbody
    double *tau;              // nv
    double *lambda;           // nrow: zeros
    double *response;         // nv: accelerations by what acts
    double *opening;          // nrow: of the rows that are closed, in their order [N]
} dp_report;

dp_v3 dp_report_centre(const dp_data *d, int b); // of mass, in the world

/// List the reactions of s->d, which is at the moment s->now.
DP_NODISCARD dp_status dp_report_list(dp_report *s);
/// s->wrench: what a unit of component i does to all bodies, about their origins.
void dp_report_act(dp_report *s, int i);
/// Where friction slides: take from s->wrench, as it stands, what the accelerations need that it
/// brings about, s->response; s->opening: how it opens what is closed, as forces on a typical body.
void dp_report_respond(dp_report *s);

#endif
