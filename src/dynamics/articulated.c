// Departures from [Featherstone2008, table 7.1]. (1) All quantities are in world axes about each
// body's origin, so passing an inertia to the parent is a shift without rotation. (2) Joints with
// several degrees of freedom, and several joints on one body, are eliminated one degree of freedom
// at a time, each as a massless link of its own: scalar pivots only, and the pivots are those of
// the LᵀDL factorisation of M. (3) Velocity terms and gravity are not carried through the
// recursion; they enter as wrenches (dp_link.F0), so that one factorisation is used any number of
// right-hand sides.
#include "dynamics/articulated.h"

#include <string.h>

void dp_articulated_carve(dp_articulated *art, dp_carver *c, const dp_model *m)
{
    const size_t nbody = (size_t)m->size.nbody, nv = (size_t)m->size.nv;
    art->inertia = dp_carve(c, nbody, sizeof *art->inertia);
    art->U = dp_carve(c, nv, sizeof *art->U);
    art->inverse_pivot = dp_carve(c, nv, sizeof *art->inverse_pivot);
    art->force = dp_carve(c, nbody, sizeof *art->force);
    art->motion = dp_carve(c, nbody, sizeof *art->motion);
    art->reduced = dp_carve(c, nv, sizeof *art->reduced);
}

// Written in place: a copy by way of the stack would stall the processor.
static void load_rigid(dp_articulated_inertia *I, const dp_rigid_inertia *J)
{
    I->A = J->I;
    I->B.m[0][0] = I->B.m[1][1] = I->B.m[2][2] = 0.0;
    I->B.m[0][1] = -J->h.z;
    I->B.m[0][2] = J->h.y;
    I->B.m[1][0] = J->h.z;
    I->B.m[1][2] = -J->h.x;
    I->B.m[2][0] = -J->h.y;
    I->B.m[2][1] = J->h.x;
    I->C.xx = I->C.yy = I->C.zz = J->m;
    I->C.xy = I->C.xz = I->C.yz = 0.0;
}

dp_wrench dp_articulated_apply(const dp_articulated_inertia *I, dp_twist s)
{
    return (dp_wrench){
        dp_v3_add(dp_sym3_apply(I->A, s.w), dp_m3_apply(&I->B, s.v)),
        dp_v3_add(dp_m3_apply_transposed(&I->B, s.w), dp_sym3_apply(I->C, s.v)),
    };
}

// The same for a turn about the body's origin.
static dp_wrench apply_turn(const dp_articulated_inertia *I, dp_v3 w)
{
    return (dp_wrench){dp_sym3_apply(I->A, w), dp_m3_apply_transposed(&I->B, w)};
}

// S − s a aᵀ
static void sym3_downdate(dp_sym3 *S, double s, dp_v3 a)
{
    const dp_v3 b = dp_v3_scale(a, s);
    S->xx -= a.x * b.x;
    S->yy -= a.y * b.y;
    S->zz -= a.z * b.z;
    S->xy -= a.x * b.y;
    S->xz -= a.x * b.z;
    S->yz -= a.y * b.z;
}

// I − s U Uᵀ: what is left when a degree of freedom yields.
static void downdate(dp_articulated_inertia *I, double s, dp_wrench U)
{
    sym3_downdate(&I->A, s, U.t);
    sym3_downdate(&I->C, s, U.f);
    const double t[3] = {s * U.t.x, s * U.t.y, s * U.t.z};
    for (int i = 0; i < 3; ++i) {
        I->B.m[i][0] -= t[i] * U.f.x;
        I->B.m[i][1] -= t[i] * U.f.y;
        I->B.m[i][2] -= t[i] * U.f.z;
    }
}

// With R = [r]×,  B' = B + R C,   A' = A − K R − (K R)ᵀ,   K = B + ½ R C.
void dp_articulated_accumulate(dp_articulated_inertia *sum, const dp_articulated_inertia *I,
                               dp_v3 r)
{
    const dp_sym3 *C = &I->C;
    const double RC[3][3] = {
        {r.y * C->xz - r.z * C->xy, r.y * C->yz - r.z * C->yy, r.y * C->zz - r.z * C->yz},
        {r.z * C->xx - r.x * C->xz, r.z * C->xy - r.x * C->yz, r.z * C->xz - r.x * C->zz},
        {r.x * C->xy - r.y * C->xx, r.x * C->yy - r.y * C->xy, r.x * C->yz - r.y * C->xz},
    };
    double KR[3][3];
    for (int i = 0; i < 3; ++i) {
        const double k0 = I->B.m[i][0] + 0.5 * RC[i][0];
        const double k1 = I->B.m[i][1] + 0.5 * RC[i][1];
        const double k2 = I->B.m[i][2] + 0.5 * RC[i][2];
        KR[i][0] = k1 * r.z - k2 * r.y;
        KR[i][1] = k2 * r.x - k0 * r.z;
        KR[i][2] = k0 * r.y - k1 * r.x;
        for (int j = 0; j < 3; ++j) {
            sum->B.m[i][j] += I->B.m[i][j] + RC[i][j];
        }
    }
    sum->A.xx += I->A.xx - 2.0 * KR[0][0];
    sum->A.yy += I->A.yy - 2.0 * KR[1][1];
    sum->A.zz += I->A.zz - 2.0 * KR[2][2];
    sum->A.xy += I->A.xy - (KR[0][1] + KR[1][0]);
    sum->A.xz += I->A.xz - (KR[0][2] + KR[2][0]);
    sum->A.yz += I->A.yz - (KR[1][2] + KR[2][1]);
    sum->C.xx += C->xx;
    sum->C.yy += C->yy;
    sum->C.zz += C->zz;
    sum->C.xy += C->xy;
    sum->C.xz += C->xz;
    sum->C.yz += C->yz;
}

// The least part of a degree of freedom's inertia that may be left when the other joints of its
// body yield; below it is round-off. At 1e-12 two axes are a millionth of a radian apart.
static const double SINGULAR_PIVOT = 1e-12;

static double own_inertia(const dp_rigid_inertia *J, dp_twist s)
{
    return dp_power(s, dp_rigid_inertia_apply(J, s));
}

// Eliminate the degrees of freedom of body i and pass on what is left of its inertia.
static inline void eliminate(dp_articulated *art, const dp_kin *kin, const dp_model *m, int i,
                             const double *diagonal)
{
    const dp_body *body = &m->body[i];
    dp_articulated_inertia *I = &art->inertia[i];
    for (int k = body->dof_start + body->ndof - 1; k >= body->dof_start; --k) {
        const dp_wrench U =
            body->pure_turn ? apply_turn(I, kin->S[k].w) : dp_articulated_apply(I, kin->S[k]);
        const double pivot = dp_power(kin->S[k], U) + diagonal[k];
        const double inverse = 1.0 / pivot;
        if (body->njoint > 1 && pivot < SINGULAR_PIVOT * own_inertia(&kin->link[i].J, kin->S[k])) {
            art->singular = k;
        }
        downdate(I, inverse, U);
        art->U[k] = U;
        art->inverse_pivot[k] = inverse;
    }
    if (m->body[body->parent].tree >= 0) {
        dp_articulated_accumulate(&art->inertia[body->parent], I, kin->link[i].r);
    }
}

// Let the degrees of freedom of body i take their share of its wrench and pass on the rest.
static inline void reduce(dp_articulated *art, const dp_kin *kin, const dp_model *m, int i,
                          const double *tau)
{
    const dp_body *body = &m->body[i];
    dp_wrench p = art->force[i];
    for (int k = body->dof_start + body->ndof - 1; k >= body->dof_start; --k) {
        art->reduced[k] = (tau[k] - dp_power(kin->S[k], p)) * art->inverse_pivot[k];
        p = dp_wrench_madd(p, art->reduced[k], art->U[k]);
    }
    if (m->body[body->parent].tree >= 0) {
        art->force[body->parent] =
            dp_wrench_add(art->force[body->parent], dp_wrench_shift(p, kin->link[i].r));
    }
}

// Roots to leaves: the accelerations.
static void accelerate(double *x, dp_articulated *art, const dp_kin *kin, const dp_model *m)
{
    const dp_twist still = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    art->motion[0] = still;
    for (int i = 1; i < m->size.nbody; ++i) {
        const dp_body *body = &m->body[i];
        if (body->tree < 0) {
            art->motion[i] = still;
            continue;
        }
        dp_twist a = dp_twist_shift(art->motion[body->parent], kin->link[i].r);
        for (int k = body->dof_start; k < body->dof_start + body->ndof; ++k) {
            x[k] = art->reduced[k] - dp_power(a, art->U[k]) * art->inverse_pivot[k];
            a = dp_twist_madd(a, x[k], kin->S[k]);
        }
        art->motion[i] = a;
    }
}

void dp_articulated_add_drag(dp_articulated_inertia *I, dp_body_drag drag, int body)
{
    double *to = (double *)I;
    const double *slope = (const double *)&drag.slope[body];
    for (size_t i = 0; i < sizeof *I / sizeof *to; ++i) {
        to[i] += drag.time * slope[i];
    }
}

static void load_inertias(dp_articulated *art, const dp_kin *kin, const dp_model *m,
                          dp_body_drag drag)
{
    art->singular = -1;
    for (int i = 1; i < m->size.nbody; ++i) {
        load_rigid(&art->inertia[i], &kin->link[i].J);
        if (drag.slope) {
            dp_articulated_add_drag(&art->inertia[i], drag, i);
        }
    }
}

static void load_forces(dp_articulated *art, const dp_model *m, const dp_wrench *wrench)
{
    const size_t bytes = (size_t)m->size.nbody * sizeof *art->force;
    if (wrench) {
        memcpy(art->force, wrench, bytes);
    } else {
        memset(art->force, 0, bytes);
    }
}

void dp_articulated_factor(dp_articulated *art, const dp_kin *kin, const dp_model *m,
                           const double *diagonal, dp_body_drag drag)
{
    load_inertias(art, kin, m, drag);
    for (int i = m->size.nbody - 1; i > 0; --i) {
        if (m->body[i].tree >= 0) {
            eliminate(art, kin, m, i, diagonal);
        }
    }
}

void dp_articulated_solve(double *x, dp_articulated *art, const dp_kin *kin, const dp_model *m,
                          const double *tau, const dp_wrench *wrench)
{
    load_forces(art, m, wrench);
    for (int i = m->size.nbody - 1; i > 0; --i) {
        if (m->body[i].tree >= 0) {
            reduce(art, kin, m, i, tau);
        }
    }
    accelerate(x, art, kin, m);
}

void dp_articulated_factor_solve(double *x, dp_articulated *art, const dp_kin *kin,
                                 const dp_model *m, const double *diagonal, dp_body_drag drag,
                                 const double *tau, const dp_wrench *wrench)
{
    load_inertias(art, kin, m, drag);
    load_forces(art, m, wrench);
    for (int i = m->size.nbody - 1; i > 0; --i) {
        if (m->body[i].tree >= 0) {
            eliminate(art, kin, m, i, diagonal);
            reduce(art, kin, m, i, tau);
        }
    }
    accelerate(x, art, kin, m);
}
