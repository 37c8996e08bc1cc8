#include "dynamics/composite.h"

void dp_crba(double *M, dp_rigid_inertia *composite, const dp_kin *kin, const dp_model *m,
             const double *diagonal)
{
    for (int i = 0; i < m->size.nbody; ++i) {
        composite[i] = kin->link[i].J;
    }
    for (int i = m->size.nbody - 1; i > 0; --i) {
        const dp_body *body = &m->body[i];
        if (m->body[body->parent].tree >= 0) {
            dp_rigid_inertia_accumulate(&composite[body->parent], &composite[i], kin->link[i].r);
        }
        for (int k = body->dof_start + body->ndof - 1; k >= body->dof_start; --k) {
            // The momentum of the subtree when it moves along S_k, met by each ancestor's motion.
            dp_wrench F = dp_rigid_inertia_apply(&composite[i], kin->S[k]);
            double *row = M + m->dof_packed[k];
            int at = i;
            for (int j = k; j >= 0; j = m->dof_parent[j]) {
                while (at != m->dof_body[j]) {
                    F = dp_wrench_shift(F, kin->link[at].r);
                    at = m->body[at].parent;
                }
                *row++ = dp_power(kin->S[j], F);
            }
            M[m->dof_packed[k]] += diagonal[k];
        }
    }
}
