#include "dynamics/composite.h"

// The rows of a root that floats freely: translations along the axes of the world, rotations about
// its own, w.
static void write_free(double *M, const dp_rigid_inertia *J, const dp_m3 *R)
{
    const dp_v3 w[3] = {dp_m3_column(R, 0), dp_m3_column(R, 1), dp_m3_column(R, 2)};
    for (int k = 0; k < 3; ++k) {
        *M++ = J->m;
        for (int j = 0; j < k; ++j) {
            *M++ = 0.0;
        }
    }
    for (int k = 0; k < 3; ++k) {
        const dp_v3 L = dp_sym3_apply(J->I, w[k]), p = dp_v3_cross(w[k], J->h);
        for (int j = k; j >= 0; --j) {
            *M++ = dp_v3_dot(L, w[j]);
        }
        *M++ = p.z;
        *M++ = p.y;
        *M++ = p.x;
    }
}

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
        if (body->ndof == 6 && body->njoint == 1) { // no joint but a free one has six
            write_free(M + m->dof_packed[body->dof_start], &composite[i], &kin->link[i].R);
            for (int k = body->dof_start; k < body->dof_start + 6; ++k) {
                M[m->dof_packed[k]] += diagonal[k];
            }
            continue;
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
