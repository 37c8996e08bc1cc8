#include "berard/mixed_step.h"

#include <dashpot/advanced/problem.h>
#include <dashpot/advanced/step.h>

#include <stdlib.h>

void cli_mixed_run_end(cli_mixed_run *run)
{
    cli_mixed_end(&run->mixed);
    free(run->gap);
    run->gap = NULL;
    run->gaps = 0;
}

bool cli_mixed_run_build(cli_mixed_run *run, cli_stabilise stabilise)
{
    // What is wanted are the rows; what the law makes of them is not looked at, and this one is
    // faster.
    dp_data_options(run->data)->solver.law = DP_LAW_COMPLIANT;
    if (!cli_paper_works(run->p, dp_forward(run->data))) {
        return false;
    }
    const dp_step_problem *problem = dp_data_problem(run->data);
    if (problem->nrow > run->gaps) {
        free(run->gap);
        run->gap = malloc((size_t)problem->nrow * sizeof *run->gap);
        run->gaps = run->gap ? problem->nrow : 0;
    }
    if (problem->nrow > run->gaps) {
        run->p->out_of_memory = true;
        return false;
    }
    for (int i = 0; i < problem->nrow; ++i) {
        run->gap[i] = dp_data_row(run->data, i).start_gap;
    }
    const cli_mixed_options options = {
        .directions = run->directions, .stabilise = stabilise, .gap = run->gap};
    return cli_mixed_build(&run->mixed, problem, &options) ||
           cli_paper_refuse(run->p, "rows of joints, limits, springs and contacts");
}

static bool move(cli_mixed_run *run, double share)
{
    double *q = dp_data_q(run->data);
    for (int i = 0; i < run->mixed.velocities; ++i) {
        q[i] += share * run->mixed.z[i];
    }
    return cli_paper_works(run->p, dp_kinematics(run->data));
}

bool cli_mixed_run_step(cli_mixed_run *run, cli_stabilise stabilise)
{
    if (!cli_mixed_run_build(run, stabilise) ||
        !cli_paper_works(run->p, cli_mixed_solve(&run->mixed))) {
        return false;
    }
    const double h = dp_data_options(run->data)->step;
    double *v = dp_data_v(run->data);
    for (int i = 0; i < run->mixed.velocities; ++i) {
        v[i] = run->mixed.z[i];
    }
    dp_data_set_time(run->data, dp_data_time(run->data) + h);
    return move(run, h); // (27)
}

// min ‖δ‖² with G δ = −φ: (34) with masses of 1 that are at rest, and a step of 1 s.
bool cli_mixed_run_project(cli_mixed_run *run)
{
    if (!cli_mixed_run_build(run, CLI_WITH_GAPS)) {
        return false;
    }
    cli_mixed *m = &run->mixed;
    const double h = dp_data_options(run->data)->step;
    for (int i = 0; i < m->velocities; ++i) {
        for (int j = 0; j < m->velocities; ++j) {
            m->M[(size_t)i * (size_t)m->n + (size_t)j] = i == j ? 1.0 : 0.0;
        }
        m->q[i] = 0.0;
    }
    for (int i = m->velocities; i < m->velocities + m->joints; ++i) {
        m->q[i] *= h;
    }
    return cli_paper_works(run->p, cli_mixed_solve(m)) && move(run, 1.0);
}
