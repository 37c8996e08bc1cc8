// Departures. A site seen from a reference site: MuJoCo lets the reaction to the force act at the
// reference site, which leaves a couple, and leaves out what moves both sites. Here it acts where
// the force does. The pair is then in balance, the moment is the gradient of the length also when
// the reference turns, and what moves both sites drops out by itself.
#include "dynamics/tendons/transmission.h"

#include "math/angle.h"

#include <string.h>

// The bodies between which an actuator on a site acts.
typedef struct site_pair {
    int from, to;
    dp_v3 at;    // where it acts
    dp_wrench w; // of a unit force, about that point
    double length;
} site_pair;

static dp_pose site_pose(const dp_kin *kin, const dp_model *m, int site)
{
    return dp_pose_mul(kin->link[m->site[site].body].X, m->site[site].pose);
}

static site_pair measure_site(const dp_kin *kin, const dp_model *m, const dp_actuator *actuator)
{
    const dp_pose X = site_pose(kin, m, actuator->site);
    const dp_v3 force = dp_v3_load(actuator->gear), torque = dp_v3_load(actuator->gear + 3);
    site_pair pair = {.from = 0, .to = m->site[actuator->site].body, .at = X.p};
    dp_quat axes = X.q;
    if (actuator->reference_site >= 0) {
        const dp_pose X_ref = site_pose(kin, m, actuator->reference_site);
        pair.from = m->site[actuator->reference_site].body;
        axes = X_ref.q;
        const dp_pose seen = dp_pose_mul(dp_pose_inverse(X_ref), X);
        pair.length =
            dp_v3_dot(force, seen.p) + dp_v3_dot(torque, dp_quat_log(dp_quat_unit(seen.q)));
    }
    pair.w = (dp_wrench){dp_quat_rotate(axes, torque), dp_quat_rotate(axes, force)};
    return pair;
}

static void touch(dp_dof_sum *sum, const dp_model *m, const dp_actuator *actuator)
{
    const int reference = actuator->reference_site;
    dp_relative_touch(sum, m, reference >= 0 ? m->site[reference].body : 0,
                      m->site[actuator->site].body);
}

int dp_transmission_max_dofs(const dp_model *m, int u)
{
    const dp_actuator *actuator = &m->actuator[u];
    switch (actuator->transmission) {
    case DP_TRANSMISSION_JOINT:
        return m->joint[actuator->joint].nv;
    case DP_TRANSMISSION_TENDON:
        return dp_tendon_max_dofs(m, actuator->tendon);
    case DP_TRANSMISSION_SITE: {
        const int reference = actuator->reference_site;
        return dp_relative_count(m, reference >= 0 ? m->site[reference].body : 0,
                                 m->site[actuator->site].body);
    }
    case DP_TRANSMISSION_BODY: // acts through contacts
        break;
    }
    return 0;
}

void dp_transmission_carve(dp_transmission_set *set, dp_carver *c, const dp_model *m)
{
    const size_t nu = (size_t)m->size.nu;
    size_t room = 0;
    for (int u = 0; u < m->size.nu; ++u) {
        room += (size_t)dp_transmission_max_dofs(m, u);
    }
    set->length = dp_carve(c, nu, sizeof *set->length);
    set->start = dp_carve(c, nu + 1, sizeof *set->start);
    set->count = dp_carve(c, nu, sizeof *set->count);
    set->dof = dp_carve(c, room, sizeof *set->dof);
    set->moment = dp_carve(c, room, sizeof *set->moment);
    set->pattern = dp_carve(c, room, sizeof *set->pattern);
    dp_dof_sum_carve(&set->sum, c, m);
}

void dp_transmission_init(dp_transmission_set *set, const dp_model *m)
{
    dp_dof_sum_clear(&set->sum, m);
    size_t used = 0;
    for (int u = 0; u < m->size.nu; ++u) {
        set->start[u] = used;
        set->count[u] = 0;
        if (m->actuator[u].transmission == DP_TRANSMISSION_SITE) {
            touch(&set->sum, m, &m->actuator[u]);
            used += (size_t)dp_dof_sum_list(set->pattern + used, &set->sum, m);
        } else {
            used += (size_t)dp_transmission_max_dofs(m, u);
        }
    }
    set->start[m->size.nu] = used;
}

// The length, and the moment along the joint's own degrees of freedom. @param moment joint->nv
static double measure_joint(double *moment, const dp_actuator *actuator, const dp_joint *joint,
                            const double *q)
{
    const double *qj = q + joint->q_index;
    switch (joint->kind) {
    case DP_JOINT_HINGE:
    case DP_JOINT_SLIDE:
        moment[0] = actuator->gear[0];
        return moment[0] * qj[0];
    case DP_JOINT_BALL:
    case DP_JOINT_FREE: {
        const bool is_free = joint->kind == DP_JOINT_FREE;
        const dp_quat turn = dp_quat_load(qj + (is_free ? 3 : 0));
        dp_v3 axis = dp_v3_load(actuator->gear + (is_free ? 3 : 0));
        if (actuator->in_parent) {
            axis = dp_quat_rotate_back(turn, axis);
        }
        if (is_free) { // a body at large has no length
            memcpy(moment, actuator->gear, 3 * sizeof *moment);
            dp_v3_store(moment + 3, axis);
            return 0.0;
        }
        dp_v3_store(moment, axis);
        return dp_v3_dot(dp_quat_log(turn), axis);
    }
    }
    return 0.0;
}

static void update_joint(dp_transmission_set *set, const dp_model *m, int u, const double *q)
{
    const dp_joint *joint = &m->joint[m->actuator[u].joint];
    const size_t at = set->start[u];
    set->length[u] = measure_joint(set->moment + at, &m->actuator[u], joint, q);
    set->count[u] = joint->nv;
    for (int k = 0; k < joint->nv; ++k) {
        set->dof[at + (size_t)k] = joint->v_index + k;
    }
}

static void update_tendon(dp_transmission_set *set, const dp_model *m, int u,
                          const dp_tendon_set *tendon)
{
    const int i = m->actuator[u].tendon;
    const double gear = m->actuator[u].gear[0];
    const size_t at = set->start[u], from = tendon->start[i];
    set->length[u] = gear * tendon->length[i];
    set->count[u] = tendon->count[i];
    for (size_t k = 0; k < (size_t)tendon->count[i]; ++k) {
        set->dof[at + k] = tendon->dof[from + k];
        set->moment[at + k] = gear * tendon->gradient[from + k];
    }
}

static void update_site(dp_transmission_set *set, const dp_kin *kin, const dp_model *m, int u)
{
    const site_pair pair = measure_site(kin, m, &m->actuator[u]);
    const size_t at = set->start[u];
    const int room = (int)(set->start[u + 1] - at);
    set->length[u] = pair.length;
    dp_relative_add(&set->sum, kin, m, pair.from, pair.to, pair.w, pair.at);
    set->count[u] =
        dp_dof_sum_take(set->dof + at, set->moment + at, &set->sum, set->pattern + at, room);
}

void dp_transmission_update(dp_transmission_set *set, const dp_kin *kin, const dp_model *m,
                            const double *q, const dp_tendon_set *tendon)
{
    for (int u = 0; u < m->size.nu; ++u) {
        switch (m->actuator[u].transmission) {
        case DP_TRANSMISSION_JOINT:
            update_joint(set, m, u, q);
            break;
        case DP_TRANSMISSION_TENDON:
            update_tendon(set, m, u, tendon);
            break;
        case DP_TRANSMISSION_SITE:
            update_site(set, kin, m, u);
            break;
        case DP_TRANSMISSION_BODY:
            set->length[u] = 0.0;
            break;
        }
    }
}

void dp_transmission_push(dp_wrench *wrench, const dp_kin *kin, const dp_model *m, int u,
                          double force)
{
    const dp_actuator *actuator = &m->actuator[u];
    switch (actuator->transmission) {
    case DP_TRANSMISSION_JOINT:
    case DP_TRANSMISSION_BODY:
        break;
    case DP_TRANSMISSION_TENDON: // a positive force lengthens it
        dp_tendon_pull(wrench, kin, m, actuator->tendon, -force * actuator->gear[0]);
        break;
    case DP_TRANSMISSION_SITE: {
        const site_pair pair = measure_site(kin, m, actuator);
        const dp_wrench w = {dp_v3_scale(pair.w.t, force), dp_v3_scale(pair.w.f, force)};
        dp_relative_push(wrench, kin, pair.from, pair.to, w, pair.at);
        break;
    }
    }
}
