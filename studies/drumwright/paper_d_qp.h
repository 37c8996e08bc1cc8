// The quadratic program (83)–(85) of [Drumwright2019] as printed, beside the law of Dashpot. The
// impulses of one-sided rows are found as
//
//     minimise Σ γ²   with   (W + R) γ ≥ û − u_free,   γ ≥ 0,                            (QP 1)
//
// where two-sided rows hold as equations, as in that paper, and do not count in the sum. This is
// not the law where rows couple: it may push with a row that is open, since a little more impulse
// there can be cheaper than much elsewhere.
//
// Departures. M̂ Ġ v is left out on both sides, as in the law. Contacts with friction and rows with
// other bounds do not occur in that paper's program and are refused.
//
// It is put together from the public step problem alone.
#ifndef DASHPOT_CLI_PAPER_D_QP_H
#define DASHPOT_CLI_PAPER_D_QP_H

#include <dashpot/advanced/law.h>
#include <dashpot/law.h>

typedef struct cli_qp {
    double *v;           // nv [m/s] at the end of the step
    double *gamma;       // nrow [N s]; two-sided rows: 0
    dp_solve_info found; // of the program
    void *memory;
} cli_qp;
void cli_qp_end(cli_qp *q);

/// Put it together and solve it. Start with zeros; what is in *q is released.
/// False: out of memory, or a row that is neither one-sided nor two-sided, or two-sided rows that
/// depend on each other.
bool cli_qp_solve(cli_qp *q, const dp_step_problem *p);

#endif
