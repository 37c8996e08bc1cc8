#include "dynamics/recursive.h"

void dp_rnea(double *tau, dp_wrench *reaction, dp_twist *motion, const dp_kin *kin,
             const dp_model *m, const double *a, const dp_wrench *external)
{
    const int nbody = m->size.nbody;
    const dp_twist zero = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    for (int i = 0; i < nbody; ++i) {
        const dp_body *body = &m->body[i];
        const dp_link *link = &kin->link[i];
        motion[i] = zero; // first only the part that is due to `a`: A0 and F0 have the rest
        reaction[i] = link->F0;
        if (a && body->tree >= 0) {
            motion[i] = dp_twist_shift(motion[body->parent], link->r);
            for (int k = body->dof_start; k < body->dof_start + body->ndof; ++k) {
                motion[i] = dp_twist_madd(motion[i], a[k], kin->S[k]);
            }
            reaction[i] = dp_wrench_add(link->F0, dp_rigid_inertia_apply(&link->J, motion[i]));
        }
        if (external) {
            reaction[i] = dp_wrench_sub(reaction[i], external[i]);
        }
    }
    for (int i = 0; i < nbody; ++i) {
        motion[i] = dp_twist_add(kin->link[i].A0, motion[i]);
    }
    for (int i = nbody - 1; i > 0; --i) {
        const dp_body *body = &m->body[i];
        for (int k = body->dof_start; k < body->dof_start + body->ndof; ++k) {
            tau[k] = dp_power(kin->S[k], reaction[i]) + (a ? m->dof_armature[k] * a[k] : 0.0);
        }
        reaction[body->parent] =
            dp_wrench_add(reaction[body->parent], dp_wrench_shift(reaction[i], kin->link[i].r));
    }
}

void dp_project_wrenches(double *tau, dp_wrench *wrench, const dp_kin *kin, const dp_model *m)
{
    dp_project_wrenches_part(tau, wrench, kin, m, 1, m->size.nbody);
}

void dp_project_wrenches_part(double *tau, dp_wrench *wrench, const dp_kin *kin, const dp_model *m,
                              int first, int end)
{
    for (int i = end - 1; i >= first; --i) {
        const dp_body *body = &m->body[i];
        if (body->floats) { // its motions are the axes of the world, and its own
            double *at = tau + body->dof_start;
            const dp_v3 t = dp_m3_apply_transposed(&kin->link[i].R, wrench[i].t);
            dp_v3_store(at, dp_v3_add(dp_v3_load(at), wrench[i].f));
            dp_v3_store(at + 3, dp_v3_add(dp_v3_load(at + 3), t));
            continue;
        }
        for (int k = body->dof_start; k < body->dof_start + body->ndof; ++k) {
            tau[k] += dp_power(kin->S[k], wrench[i]);
        }
        if (m->body[body->parent].tree >= 0) {
            wrench[body->parent] =
                dp_wrench_add(wrench[body->parent], dp_wrench_shift(wrench[i], kin->link[i].r));
        }
    }
}

void dp_add_spring_forces(double *tau, const dp_model *m, const double *q)
{
    for (int j = 0; j < m->size.njoint; ++j) {
        const dp_joint *joint = &m->joint[j];
        if (joint->stiffness > 0.0) {
            double e[6];
            dp_kin_joint_displacement(e, m, joint, q);
            for (int k = 0; k < joint->nv; ++k) {
                tau[joint->v_index + k] -= joint->stiffness * e[k];
            }
        }
    }
}

void dp_add_compensation(double *tau, dp_wrench *wrench, const dp_kin *kin, const dp_model *m,
                         dp_v3 gravity)
{
    for (int i = 0; i < m->size.nbody; ++i) {
        const dp_rigid_inertia *J = &kin->link[i].J;
        const dp_v3 lift = dp_v3_scale(gravity, -m->body[i].gravity_compensation);
        wrench[i] = (dp_wrench){dp_v3_cross(J->h, lift), dp_v3_scale(lift, J->m)};
    }
    dp_project_wrenches(tau, wrench, kin, m);
}

double dp_kinetic_energy(const dp_kin *kin, const dp_model *m, const double *v)
{
    double twice = 0.0;
    for (int i = 1; i < m->size.nbody; ++i) {
        const dp_link *link = &kin->link[i];
        twice += dp_power(link->V, dp_rigid_inertia_apply(&link->J, link->V));
    }
    for (int k = 0; k < m->size.nv; ++k) {
        twice += m->dof_armature[k] * v[k] * v[k];
    }
    return 0.5 * twice;
}

double dp_kinetic_energy_at(dp_twist *V, const dp_kin *kin, const dp_model *m, const double *v)
{
    double twice = 0.0;
    for (int k = 0; k < m->size.nv; ++k) {
        twice += m->dof_armature[k] * v[k] * v[k];
    }
    dp_kin_velocities(V, kin, m, v);
    for (int i = 1; i < m->size.nbody; ++i) {
        twice += dp_power(V[i], dp_rigid_inertia_apply(&kin->link[i].J, V[i]));
    }
    return 0.5 * twice;
}

double dp_gravity_energy(const dp_kin *kin, const dp_model *m, dp_v3 gravity)
{
    double energy = 0.0;
    for (int i = 1; i < m->size.nbody; ++i) {
        const dp_link *link = &kin->link[i];
        const dp_v3 moment =
            dp_v3_madd(link->J.h, link->J.m, link->X.p); // m c about the world's origin
        energy -= (1.0 - m->body[i].gravity_compensation) * dp_v3_dot(gravity, moment);
    }
    return energy;
}

double dp_spring_energy(const dp_model *m, const double *q)
{
    double twice = 0.0;
    for (int j = 0; j < m->size.njoint; ++j) {
        const dp_joint *joint = &m->joint[j];
        if (joint->stiffness > 0.0) {
            double e[6];
            dp_kin_joint_displacement(e, m, joint, q);
            for (int k = 0; k < joint->nv; ++k) {
                twice += joint->stiffness * e[k] * e[k];
            }
        }
    }
    return 0.5 * twice;
}

// Is body i body b or below it?
static bool is_below(const dp_model *m, int i, int b)
{
    return m->body[i].order >= m->body[b].order && m->body[i].order < m->body[b].order_end;
}

dp_momentum dp_subtree_momentum(const dp_kin *kin, const dp_model *m, int b)
{
    // Sums about the origin of b, then moved to the centre of mass.
    const dp_v3 o = kin->link[b].X.p;
    dp_rigid_inertia mass = {0.0, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0, 0.0, 0.0}};
    dp_wrench sum = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    const int count = m->body[b].order_end - m->body[b].order;
    for (int i = b, found = 0; found < count; ++i) {
        if (is_below(m, i, b)) {
            const dp_link *link = &kin->link[i];
            const dp_v3 r = dp_v3_sub(link->X.p, o);
            dp_rigid_inertia_accumulate(&mass, &link->J, r);
            sum = dp_wrench_add(sum, dp_wrench_shift(dp_rigid_inertia_apply(&link->J, link->V), r));
            ++found;
        }
    }
    dp_momentum out = {.mass = mass.m, .com = o, .linear = sum.f, .angular = sum.t};
    if (mass.m > 0.0) {
        const dp_v3 c = dp_v3_scale(mass.h, 1.0 / mass.m);
        out.com = dp_v3_add(o, c);
        out.angular = dp_v3_sub(sum.t, dp_v3_cross(c, sum.f));
    }
    return out;
}
