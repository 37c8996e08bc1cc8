#include "dynamics/composite.h"

#include <string.h>

// The rows of a root that floats freely: translations along the axes of the world, rotations about
// its own. So rotations meet the inertia in body axes, which changes with nothing if the body has
// none below it, and translations the first moment h in those of the world. @param d what the
// diagonal has besides
static void write_free(double *restrict M, double mass, dp_v3 h, dp_sym3 I, const dp_m3 *R,
                       const double *d)
{
    const dp_v3 none = {0.0, 0.0, 0.0};
    const bool centred = h.x == 0.0 && h.y == 0.0 && h.z == 0.0;
    const dp_v3 p = centred ? none : dp_v3_cross(dp_m3_column(R, 0), h);
    const dp_v3 q = centred ? none : dp_v3_cross(dp_m3_column(R, 1), h);
    const dp_v3 r = centred ? none : dp_v3_cross(dp_m3_column(R, 2), h);
    // clang-format off
    M[0] = mass + d[0];
    M[1] = mass + d[1];   M[2] = 0.0;
    M[3] = mass + d[2];   M[4] = 0.0;    M[5] = 0.0;
    M[6] = I.xx + d[3];   M[7] = p.z;    M[8] = p.y;    M[9] = p.x;
    M[10] = I.yy + d[4];  M[11] = I.xy;  M[12] = q.z;   M[13] = q.y;  M[14] = q.x;
    M[15] = I.zz + d[5];  M[16] = I.yz;  M[17] = I.xz;  M[18] = r.z;  M[19] = r.y;  M[20] = r.x;
    // clang-format on
}

static void write_root(double *M, const dp_body *body, const dp_rigid_inertia *composite,
                       const dp_link *link, const double *d)
{
    if (dp_is_alone(body)) {
        write_free(M, body->mass, link->J.h, body->inertia, &link->R, d);
    } else {
        const dp_m3 R_BW = dp_m3_transpose(&link->R);
        write_free(M, composite->m, composite->h, dp_sym3_rotate(&R_BW, composite->I), &link->R, d);
    }
}

// The momentum F of a subtree when it moves along S_k, met by the motion of each ancestor: written
// to its row, or added.
static inline void put_row(double *row, dp_wrench F, const dp_kin *kin, const dp_model *m, int k,
                           bool add)
{
    int at = m->dof_body[k];
    for (int j = k; j >= 0; j = m->dof_parent[j]) {
        while (at != m->dof_body[j]) {
            F = dp_wrench_shift(F, kin->link[at].r);
            at = m->body[at].parent;
        }
        const double inertia = dp_power(kin->S[j], F);
        *row = add ? *row + inertia : inertia;
        ++row;
    }
}

void dp_crba(double *M, dp_rigid_inertia *composite, const dp_kin *kin, const dp_model *m,
             const double *diagonal)
{
    dp_crba_part(M, composite, kin, m, diagonal, 1, m->size.nbody);
}

void dp_crba_part(double *M, dp_rigid_inertia *composite, const dp_kin *kin, const dp_model *m,
                  const double *diagonal, int first, int end)
{
    for (int i = first; i < end; ++i) {
        if (!m->body[i].floats || !dp_is_alone(&m->body[i])) {
            composite[i] = kin->link[i].J;
        }
    }
    for (int i = end - 1; i >= first; --i) {
        const dp_body *body = &m->body[i];
        if (m->body[body->parent].tree >= 0) {
            dp_rigid_inertia_accumulate(&composite[body->parent], &composite[i], kin->link[i].r);
        }
        if (body->floats) {
            write_root(M + m->dof_packed[body->dof_start], body, &composite[i], &kin->link[i],
                       diagonal + body->dof_start);
            continue;
        }
        for (int k = body->dof_start + body->ndof - 1; k >= body->dof_start; --k) {
            double *row = M + m->dof_packed[k];
            put_row(row, dp_rigid_inertia_apply(&composite[i], kin->S[k]), kin, m, k, false);
            row[0] += diagonal[k];
        }
    }
}

void dp_crba_add_drag(double *M, dp_articulated_inertia *composite, const dp_kin *kin,
                      const dp_model *m, dp_body_drag drag, int first, int end)
{
    memset(composite + first, 0, (size_t)(end - first) * sizeof *composite);
    for (int i = first; i < end; ++i) {
        dp_articulated_add_drag(&composite[i], drag, i);
    }
    for (int i = end - 1; i >= first; --i) {
        const dp_body *body = &m->body[i];
        if (m->body[body->parent].tree >= 0) {
            dp_articulated_accumulate(&composite[body->parent], &composite[i], kin->link[i].r);
        }
        for (int k = body->dof_start; k < body->dof_start + body->ndof; ++k) {
            const dp_wrench F = dp_articulated_apply(&composite[i], kin->S[k]);
            put_row(M + m->dof_packed[k], F, kin, m, k, true);
        }
    }
}
