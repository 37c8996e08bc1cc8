// `dashpot work`: what is measured, and how it is reported.
#ifndef DASHPOT_CLI_WORK_H
#define DASHPOT_CLI_WORK_H

#include "common/arguments.h"
#include "common/scene.h"

#include <dashpot/sim.h>

// The differential equation that runs are judged by, whatever their own integrator.
#define CLI_WORK_REFERENCE_BY DP_INTEGRATOR_RK45
#define CLI_WORK_REFERENCE_TOLERANCE 1e-10

enum { CLI_WORK_METHODS = 8, CLI_WORK_VALUES = 32 };

typedef struct cli_work_options {
    const char *scene, *keyframe, *csv, *plot, *reference;
    cli_list laws, steps, accuracies, slips, settings;
    cli_allow allow;
    double seconds, window;
    bool json;
} cli_work_options;

// What a run is compared to.
typedef enum cli_work_reference {
    CLI_WORK_ODE, // the differential equation
    CLI_WORK_OWN, // the same law with a smaller step
    CLI_WORK_LAW, // another law with the same step
} cli_work_reference;

typedef struct cli_work_method {
    const char *name;
    dp_law_kind law;
    dp_integrator by; // DP_INTEGRATOR_SEMI_IMPLICIT: by the law
    cli_work_reference to;
    dp_law_kind to_law; // where that is another law
    double finest;      // [s] step of its own reference
} cli_work_method;

/// Does it choose its steps itself, by tolerances?
static inline bool cli_work_steps_itself(const cli_work_method *m)
{
    return m->by == DP_INTEGRATOR_RK45 || m->by == DP_INTEGRATOR_CVODE;
}

typedef struct cli_work_row {
    cli_work_method of;
    int index;             // of the method
    double step, accuracy; // one of them is 0
    double slip;           // [m/s] 0: as the scene has it
    double error_v, error_q;
    double seconds;                            // of the processor, per second that is simulated
    double steps, evaluations, factorizations; // per second that is simulated
    char failure[256];                         // "" for none
} cli_work_row;

typedef struct cli_work_study {
    const cli_work_options *o;
    cli_scene scene;
    dp_data *data, *reference;
    cli_work_method method[CLI_WORK_METHODS];
    int nmethod;
    double step[CLI_WORK_VALUES], accuracy[CLI_WORK_VALUES], slip[CLI_WORK_VALUES];
    int nstep, naccuracy, nslip; // slip speeds: one at least, 0 for that of the scene
    bool only_ode;               // accuracies are those of ode alone
    int windows;
    cli_work_row *row;
    int count;
} cli_work_study;

void cli_work_print_table(const cli_work_study *s);
void cli_work_print_json(const cli_work_study *s);
/// Files. Complain and return false.
bool cli_work_write_csv(const cli_work_study *s);
bool cli_work_draw(const cli_work_study *s);

#endif
