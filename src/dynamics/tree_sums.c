#include "dynamics/tree_sums.h"

#include <math.h>
#include <string.h>

void dp_trees_weigh(dp_tree_balance *sums, const uint8_t *wanted, const dp_kin *kin,
                    const dp_model *m, const dp_twist *V, const double *q, const double *v,
                    dp_v3 gravity, bool springs)
{
    memset(sums, 0, (size_t)m->size.ntree * sizeof *sums);
    for (int i = 1; i < m->size.nbody; ++i) {
        const dp_body *body = &m->body[i];
        if (body->tree < 0 || !wanted[body->tree]) {
            continue;
        }
        const dp_link *link = &kin->link[i];
        dp_tree_balance *sum = &sums[body->tree];
        const dp_wrench P = dp_rigid_inertia_apply(&link->J, V[i]);
        const dp_v3 moment = dp_v3_madd(link->J.h, link->J.m, link->X.p);
        const dp_v3 g = dp_v3_scale(gravity, 1.0 - body->gravity_compensation);
        sum->mass += link->J.m;
        sum->kinetic += 0.5 * dp_power(V[i], P);
        sum->potential -= dp_v3_dot(g, moment);
        sum->size += fabs(dp_v3_dot(g, moment));
        sum->moment = dp_v3_add(sum->moment, moment);
        sum->weight = dp_v3_madd(sum->weight, link->J.m, g);
        sum->momentum = dp_v3_add(sum->momentum, P.f);
        for (int k = 0; k < body->njoint; ++k) {
            const dp_joint *joint = &m->joint[m->body_joint[body->joint_start + k]];
            double e[6];
            dp_kin_joint_displacement(e, m, joint, q);
            for (int c = 0; c < joint->nv; ++c) {
                const double vc = v[joint->v_index + c];
                sum->kinetic += 0.5 * joint->armature * vc * vc;
                if (springs) {
                    sum->potential += 0.5 * joint->stiffness * e[c] * e[c];
                    sum->size += 0.5 * joint->stiffness * e[c] * e[c];
                }
            }
        }
    }
}

dp_v3 dp_tree_centre(const dp_kin *kin, const dp_model *m, int t)
{
    const dp_v3 origin = kin->link[m->tree_body[t]].X.p;
    dp_v3 moment = {0.0, 0.0, 0.0};
    double mass = 0.0;
    for (int i = m->tree_body[t]; i < m->size.nbody; ++i) { // with what is welded to it
        if (m->body[i].tree == t) {
            const dp_link *link = &kin->link[i];
            const dp_v3 offset = dp_v3_sub(link->X.p, origin);
            moment = dp_v3_add(moment, dp_v3_madd(link->J.h, link->J.m, offset));
            mass += link->J.m;
        }
    }
    return dp_v3_scale(moment, 1.0 / mass);
}

bool dp_tree_turns_steadily(const dp_kin *kin, const dp_model *m, int t, dp_v3 gravity)
{
    const double round_off = 1e-12;
    const dp_body *root = &m->body[m->tree_body[t]];
    if (root->ndof != m->tree_start[t + 1] - m->tree_start[t]) {
        return false;
    }
    const dp_v3 lift = dp_v3_scale(gravity, -1.0);
    double terms = 0.0, size = 0.0;
    for (int i = m->tree_body[t]; i < m->size.nbody; ++i) { // with what is welded to it
        if (m->body[i].tree == t) {
            const dp_link *link = &kin->link[i];
            const dp_wrench P = dp_rigid_inertia_apply(&link->J, link->V);
            terms += dp_v3_norm(dp_v3_sub(link->F0.t, dp_v3_cross(link->J.h, lift))) +
                     dp_v3_norm(dp_v3_madd(link->F0.f, -link->J.m, lift));
            size += dp_v3_norm(link->V.w) * (dp_v3_norm(P.t) + dp_v3_norm(P.f));
        }
    }
    return terms <= round_off * size;
}
