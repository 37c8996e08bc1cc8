#include "solve/contact/allowed_error.h"

#include "problem/step_error.h"

#include <math.h>
#include <string.h>

bool dp_allow_error(dp_coulomb *c, double share)
{
    const dp_step_problem *p = c->p;
    if (!(share > 0.0) || c->op.by_links || c->law.general || c->law.compliance > 0.0) {
        return false;
    }
    double *error = c->force, most = c->tol.strict;
    dp_step_errors(error, p);
    for (int t = 0; t < p->ntree; ++t) {
        most = fmax(most, c->tol.strict + share * error[t]);
    }
    for (int b = 0; b < p->nblock; ++b) {
        const double allowed = c->tol.strict + share * dp_step_error_of(p, b, error);
        for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r) {
            c->gauge[r] = c->len[r] * (most / allowed);
        }
    }
    c->tol.solved = most;
    return most > c->tol.strict;
}

void dp_allow_no_error(dp_coulomb *c)
{
    memcpy(c->gauge, c->len, (size_t)c->p->nrow * sizeof *c->gauge);
    c->tol.solved = c->tol.strict;
}
