// Gauss–Seidel iterations over contacts, each solved with the others fixed: the method of
// many engines, for comparison. Slow where contacts are redundant or bodies of unlike mass meet.
#include "solve/fc/fc_search.h"

#include "base/interrupt.h"

#include <string.h>

static void iterate(dp_fc_search *s)
{
    const dp_fc_reduced *w = s->w;
    for (int i = 0; i < w->nc; ++i) {
        double q[3] = {w->q[3 * i], w->q[3 * i + 1], w->q[3 * i + 2]};
        const double *own = NULL;
        for (int e = w->start[i]; e < w->start[i + 1]; ++e) {
            const double *B = w->block + 9 * (ptrdiff_t)e, *x = s->x + 3 * (ptrdiff_t)w->column[e];
            if (w->column[e] == i) {
                own = B;
                continue;
            }
            for (int k = 0; k < 3; ++k) {
                q[k] += B[3 * k] * x[0] + B[3 * k + 1] * x[1] + B[3 * k + 2] * x[2];
            }
        }
        DP_ASSERT(own);
        dp_fc_single(s->x + 3 * (ptrdiff_t)i, own, q, w->p->mu[i], w->d[i]);
    }
}

bool dp_fc_gauss_seidel(dp_fc_search *s)
{
    enum { JUDGED = 5, PER_FACTORIZATION = 10 };
    const long long most = (long long)s->most * PER_FACTORIZATION;
    for (long long turn = 0; turn < most; ++turn) {
        if (turn % JUDGED == 0) {
            dp_fc_velocities(s, s->u, s->x);
            if (dp_fc_offer(s, s->x, s->u) <= s->tolerance) {
                return true;
            }
        }
        iterate(s);
        s->outer += 1;
        if (dp_interrupted(9 * (size_t)s->w->start[s->w->nc] + 500 * (size_t)s->w->nc)) {
            return false;
        }
    }
    return false;
}
