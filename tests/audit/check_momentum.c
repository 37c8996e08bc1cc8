// Momentum. The step (docs/theory/stepping.md, (SI 1); step-problem.md, (SP 1)) is, in each tree,
//
//     M (v − v₀) = h (τ − c) − h D v − h K (e₀ + h v) + Gᵀ γ                            (AM 1)
//
// with M, gravity, velocity terms, forces and gradients at the start of the step, springs and
// dampers of joints and servos at its end. It is an equation: what is left over is round-off of its
// terms.
//   * A tree with explicit velocity terms ends with v₁ = v.
//   * One rigid body on a free or ball joint is kicked to v without velocity terms; then it turns
//     freely, which keeps its angular momentum about its centre of mass (or anchor) in the world.
//     So v follows from v₁, q₁ and q₀ (undo_spin in audit_check.c).
//   * Trees in transport, or near the thresholds for it, have no such equation: only their total
//     momentum is known.
#include "check_parts.h"

#include "audit_promises.h"

#include <float.h>
#include <math.h>
#include <string.h>

static double clamp(double x, const double range[2])
{
    return fmax(range[0], fmin(range[1], x));
}

// The moment of an actuator: its generalised force for a unit of force, and its length. False: not
// known here.
static bool drive_moment(double *moment, double *length, const audit_case *c, int a)
{
    const audit_scene *s = c->scene;
    const audit_kinematics *k = &c->k0;
    const audit_actuator *u = &s->actuator[a];
    memset(moment, 0, (size_t)s->nv * sizeof *moment);
    *length = 0.0;
    if (u->target == AUDIT_ON_TENDON) {
        if (!audit_kin_tendon(length, moment, k, u->object)) {
            return false;
        }
        *length *= u->gear[0];
        for (int i = 0; i < s->nv; ++i) {
            moment[i] *= u->gear[0];
        }
        return true;
    }
    if (u->target == AUDIT_ON_SITE) {
        const audit_site *site = &s->site[u->object];
        const pose local = pose_of(site->pos, site->quat),
                   X = pose_compose(&k->body[site->body].X, &local);
        audit_kin_add_wrench(moment, k, site->body, X.p, m3_apply(&X.R, v3_load(u->gear)),
                             m3_apply(&X.R, v3_load(u->gear + 3)));
        return true;
    }
    const audit_joint *joint = &s->joint[u->object];
    switch (joint->kind) {
    case AUDIT_HINGE:
    case AUDIT_SLIDE:
        moment[joint->v] = u->gear[0];
        *length = u->gear[0] * c->from->q[joint->q];
        return true;
    case AUDIT_BALL: {
        const m3 R = m3_of_quaternion(c->from->q + joint->q);
        *length = v3_dot(v3_load(u->gear), m3_log(&R));
        memcpy(moment + joint->v, u->gear, 3 * sizeof *moment);
        return true;
    }
    case AUDIT_FREE:
        memcpy(moment + joint->v, u->gear, 6 * sizeof *moment);
        return true;
    }
    return false;
}

// What an actuator pushes with: servos by length and rate at the end of the step, l₀ + h l̇ and l̇,
// held within the range.
static bool drive_force(double *force, const audit_case *c, int a, double length, double rate)
{
    const audit_actuator *u = &c->scene->actuator[a];
    int activation = 0;
    for (int i = 0; i < a; ++i) {
        activation += c->scene->actuator[i].activation != AUDIT_ACT_NONE;
    }
    double w = u->ctrl_limited ? clamp(u->ctrl, u->ctrl_range) : u->ctrl;
    w = u->activation != AUDIT_ACT_NONE ? c->from->activation[activation] : w;
    const double end = length + c->h * rate;
    *force = u->kind == AUDIT_MOTOR      ? w
             : u->kind == AUDIT_POSITION ? u->kp * (w - end) - u->kv * rate
                                         : u->kv * (w - rate);
    *force = u->force_limited ? clamp(*force, u->force_range) : *force;
    // A position servo of a ball joint goes the nearer way round: not followed here.
    const bool ball = u->target == AUDIT_ON_JOINT &&
                      c->scene->joint[u->object].kind == AUDIT_BALL && u->kind == AUDIT_POSITION;
    const double turn = v3_norm(v3_load(u->gear));
    return !ball || fabs(w - length) < 3.0 * turn;
}

// Servos are rows where they act on several coordinates, or come to an end of their range. Those
// act at the positions of q₁, others at q₀ ⊕ h v.
static const audit_row *drive_row(const audit_case *c, int a)
{
    for (int r = 0; r < c->now->nrow; ++r) {
        if (c->now->row[r].source == AUDIT_ROW_DRIVE && c->now->row[r].element == a) {
            return &c->now->row[r];
        }
    }
    return NULL;
}

static void forget_trees(audit_forces *f, const audit_case *c, const double *moment)
{
    for (int i = 0; i < c->scene->nv; ++i) {
        if (moment[i] != 0.0) {
            f->known[c->k0.tree_of_dof[i]] = false;
        }
    }
}

static v3 waves(const audit_wave w[3], double t)
{
    return (v3){audit_wave_at(&w[0], t), audit_wave_at(&w[1], t), audit_wave_at(&w[2], t)};
}

// Applied forces are those of the start of the step, at the place of the start.
static void add_applied(double *tau, const audit_case *c)
{
    const audit_scene *s = c->scene;
    for (int i = 0; i < s->nforce; ++i) {
        const audit_force *f = &s->force[i];
        v3 force = waves(f->force, c->from->t), torque = waves(f->torque, c->from->t);
        if (f->joint >= 0) {
            const audit_joint *joint = &s->joint[f->joint];
            double *at = tau + joint->v;
            switch (joint->kind) {
            case AUDIT_HINGE:
                at[0] += torque.x;
                break;
            case AUDIT_SLIDE:
                at[0] += force.x;
                break;
            case AUDIT_BALL:
                v3_store(at, v3_add(v3_load(at), torque));
                break;
            case AUDIT_FREE:
                v3_store(at, v3_add(v3_load(at), force));
                v3_store(at + 3, v3_add(v3_load(at + 3), torque));
                break;
            }
            continue;
        }
        const pose *X = &c->k0.body[f->body].X;
        if (f->local) {
            force = m3_apply(&X->R, force);
            torque = m3_apply(&X->R, torque);
        }
        audit_kin_add_wrench(tau, &c->k0, f->body, pose_apply(X, v3_load(f->pos)), force, torque);
    }
}

void audit_step_forces(audit_forces *f, const audit_case *c)
{
    const audit_scene *s = c->scene;
    const int nv = s->nv;
    memset(f, 0, sizeof *f);
    for (int t = 0; t < c->k0.ntree; ++t) {
        f->known[t] = true;
    }
    audit_kin_gravity(f->gravity, &c->k0);
    audit_kin_velocity_terms(f->velocity, &c->k0);
    for (int b = 1; b < s->nbody; ++b) { // weight across an axis has the round-off of all of it
        const audit_frame *at = &c->k0.body[b];
        const double weight = s->body[b].mass * v3_norm(v3_load(s->option.gravity));
        for (int i = 0; at->moves && i < nv; ++i) {
            const double arm = v3_norm(v3_sub(at->com, at->X.p));
            f->round[i] +=
                1e-15 * weight * (v3_norm(v3_load(at->Jv[i])) + arm * v3_norm(v3_load(at->Jw[i])));
        }
    }
    add_applied(f->applied, c);
    for (int j = 0; j < s->njoint; ++j) {
        const audit_joint *joint = &s->joint[j];
        for (int i = joint->v; i < joint->v + audit_joint_nv(joint); ++i) {
            f->dampers[i] -= joint->damping * c->v_kick[i];
            f->springs[i] -= joint->stiffness * (c->displacement[i] + c->h * c->v_kick[i]);
            const double place =
                i - joint->v < audit_joint_nv(joint) - 3 || audit_joint_nv(joint) == 1
                    ? fabs(c->from->q[joint->q + i - joint->v]) + fabs(joint->springref)
                    : 1.0;
            f->round[i] += joint->stiffness * (place + 1e-3) * 1e-15;
        }
    }
    for (int i = 0; i < nv; ++i) {
        if (c->mode[c->k0.tree_of_dof[i]] == TREE_SPIN) {
            f->velocity[i] = 0.0;
        }
    }
    for (int a = 0; a < s->nactuator; ++a) {
        double moment[AUDIT_NV], length, rate = 0.0, force;
        const audit_actuator *u = &s->actuator[a];
        if (!drive_moment(moment, &length, c, a)) {
            memset(f->known, 0, sizeof f->known);
            continue;
        }
        const audit_row *row = drive_row(c, a);
        double terms = 0.0; // of the rate
        for (int i = 0; i < nv; ++i) {
            rate += moment[i] * c->v_kick[i];
            terms += fabs(moment[i] * c->v_kick[i]);
        }
        if (!drive_force(&force, c, a, length, rate)) {
            forget_trees(f, c, moment);
        }
        // Whether a servo is at an end of its range is found for the step as a whole: where
        // positions are corrected for v_move, and in impacts for velocities that are not known.
        if (!row && c->split && u->force_limited && u->kind != AUDIT_MOTOR) {
            double going = 0.0, judged;
            for (int i = 0; i < nv; ++i) {
                going += moment[i] * c->v_move[i];
            }
            (void)drive_force(&judged, c, a, length, going);
            if (c->now->impacts > 0 || judged <= u->force_range[0] || judged >= u->force_range[1] ||
                force <= u->force_range[0] || force >= u->force_range[1]) {
                forget_trees(f, c, moment);
            }
        }
        // In the phases of an impact, where violated gaps recover bit by bit, and where the law is
        // missed, a row has the force that it has: beyond the force of its range that is nearest
        // to 0.
        if (row && (c->now->impacts > 0 || c->now->recovering > 0 || c->now->unsolved > 0)) {
            force = (u->force_limited ? clamp(0.0, u->force_range) : 0.0) + row->impulse / c->h;
        }
        for (int i = 0; i < nv; ++i) {
            f->drives[i] += moment[i] * force;
            // Those that are rows have no part in what moves positions alone.
            f->drive_work += c->h * moment[i] * force * (row ? c->v_kick[i] : c->v_move[i]);
            f->round[i] += fabs(moment[i]) * 1e-15 *
                           (u->kp * (fabs(length) + fabs(u->ctrl)) + 2.0 * u->kv * terms);
            // As a row it is met to the residual of the law.
            f->round[i] +=
                row ? fabs(moment[i]) * (u->kv + c->h * u->kp) * AUDIT_LAW_TOLERANCE : 0.0;
        }
    }
}

void audit_add_implicit(double *M, double *f, const audit_case *c)
{
    const audit_scene *s = c->scene;
    const double h = c->h;
    for (int j = 0; j < s->njoint; ++j) {
        const audit_joint *joint = &s->joint[j];
        const double H = joint->damping + h * joint->stiffness;
        for (int i = joint->v; i < joint->v + audit_joint_nv(joint); ++i) {
            M[i * s->nv + i] += h * H;
            f[i] += H * (c->v_kick[i] - c->from->v[i]);
        }
    }
    for (int a = 0; a < s->nactuator; ++a) {
        const audit_actuator *u = &s->actuator[a];
        double moment[AUDIT_NV], length, force, rate = 0.0, change = 0.0;
        if (drive_row(c, a) || u->kind == AUDIT_MOTOR || !drive_moment(moment, &length, c, a)) {
            continue;
        }
        for (int i = 0; i < s->nv; ++i) {
            rate += moment[i] * c->v_kick[i];
            change += moment[i] * (c->v_kick[i] - c->from->v[i]);
        }
        (void)drive_force(&force, c, a, length, rate);
        if (u->force_limited && (force == u->force_range[0] || force == u->force_range[1])) {
            continue; // a constant force
        }
        const double H = u->kv + (u->kind == AUDIT_POSITION ? h * u->kp : 0.0);
        for (int i = 0; i < s->nv; ++i) {
            f[i] += H * change * moment[i];
            for (int k = 0; k < s->nv; ++k) {
                M[i * s->nv + k] += h * H * moment[i] * moment[k];
            }
        }
    }
}

double audit_servo_energy(const audit_case *c, int a)
{
    const audit_actuator *u = &c->scene->actuator[a];
    double moment[AUDIT_NV], length, rate = 0.0, before = 0.0, way = 0.0;
    if (drive_row(c, a) || u->kind == AUDIT_MOTOR || !drive_moment(moment, &length, c, a)) {
        return 0.0;
    }
    for (int i = 0; i < c->scene->nv; ++i) {
        rate += moment[i] * c->v_kick[i];
        before += moment[i] * c->from->v[i];
        way += moment[i] * c->v_move[i];
    }
    double force;
    (void)drive_force(&force, c, a, length, rate);
    if (u->force_limited && (force == u->force_range[0] || force == u->force_range[1])) {
        return 0.0; // a constant force
    }
    const double H = c->h * (u->kv + (u->kind == AUDIT_POSITION ? c->h * u->kp : 0.0));
    return 0.5 * H * (rate * rate - before * before) - H * (rate - before) * way;
}

// The impulses of contacts and rows on the velocities, and the sizes of their terms.
static void add_impulses(double *sum, double *size, double *tree_size, bool *known,
                         const audit_case *c)
{
    const int nv = c->scene->nv;
    for (int i = 0; i < c->now->ncontact; ++i) {
        const audit_contact *k = &c->now->contact[i];
        for (int side = 0; side < 2; ++side) {
            const double sign = side == 0 ? -1.0 : 1.0;
            double part[AUDIT_NV] = {0};
            const audit_frame *f = &c->k0.body[k->body[side]];
            if (f->tree >= 0) { // before levers cancel
                const v3 arm = v3_sub(v3_load(k->point), f->X.p);
                tree_size[f->tree] += v3_norm(v3_load(k->impulse)) * (1.0 + v3_norm(arm)) +
                                      v3_norm(v3_load(k->moment));
            }
            audit_kin_add_wrench(part, &c->k0, k->body[side], v3_load(k->point),
                                 v3_scale(v3_load(k->impulse), sign),
                                 v3_scale(v3_load(k->moment), sign));
            for (int n = 0; n < nv; ++n) {
                sum[n] += part[n];
                size[n] += fabs(part[n]);
            }
        }
    }
    for (int i = 0; i < c->now->nrow; ++i) {
        const audit_row *r = &c->now->row[i];
        if (r->source == AUDIT_ROW_CONTACT || r->source == AUDIT_ROW_DRIVE || r->impulse == 0.0) {
            continue; // drives are known without their rows
        }
        if (r->jacobian < 0) {
            memset(known, 0, AUDIT_BODIES * sizeof *known);
            continue;
        }
        for (int n = 0; n < nv; ++n) {
            const double part = c->now->G[r->jacobian + n] * r->impulse;
            sum[n] += part;
            size[n] += fabs(part);
        }
    }
}

void audit_find_pushed(double *v, const audit_case *c)
{
    static _Thread_local double M[AUDIT_NV * AUDIT_NV];
    const int nv = c->scene->nv;
    audit_forces f;
    double size[AUDIT_NV] = {0}, tree_size[AUDIT_BODIES] = {0}, push[AUDIT_NV] = {0};
    bool known[AUDIT_BODIES];
    audit_step_forces(&f, c);
    add_impulses(push, size, tree_size, known, c);
    for (int i = 0; i < nv; ++i) {
        v[i] =
            f.gravity[i] + f.velocity[i] + f.drives[i] + f.applied[i] + f.springs[i] + f.dampers[i];
    }
    audit_kin_mass(M, &c->k0);
    audit_add_implicit(M, v, c);
    for (int i = 0; i < nv; ++i) {
        v[i] = c->h * v[i] + push[i];
    }
    const bool solved = audit_solve(v, M, nv);
    for (int i = 0; i < nv; ++i) {
        v[i] = c->from->v[i] + (solved ? v[i] : 0.0);
    }
}

static void check_balance(audit_case *c, const audit_forces *f)
{
    const audit_scene *s = c->scene;
    const int nv = s->nv;
    static _Thread_local double M[AUDIT_NV * AUDIT_NV];
    double sum[AUDIT_NV] = {0}, size[AUDIT_NV] = {0};
    bool known[AUDIT_BODIES];
    memcpy(known, f->known, sizeof known);
    audit_kin_mass(M, &c->k0);
    double leftover[AUDIT_NV], terms[AUDIT_NV], all[AUDIT_BODIES] = {0};
    add_impulses(sum, size, all, known, c);
    for (int i = 0; i < nv; ++i) {
        const int tree = c->k0.tree_of_dof[i];
        double left = -sum[i], scale = size[i];
        for (int j = 0; j < nv; ++j) {
            const double m = M[(size_t)i * (size_t)nv + (size_t)j];
            left += m * (c->v_kick[j] - c->from->v[j]);
            scale += fabs(m) * (fabs(c->v_kick[j]) + fabs(c->from->v[j]));
            // What corrects positions is solved for first, and has its round-off in the rest.
            scale += c->split ? 1e-5 * fabs(m * c->v_move[j]) : 0.0;
        }
        const double *force[] = {f->gravity, f->velocity, f->drives,
                                 f->applied, f->springs,  f->dampers};
        for (int n = 0; n < 6; ++n) {
            left -= c->h * force[n][i];
            scale += c->h * fabs(force[n][i]);
        }
        // v_kick is that of the centre of mass and what turns about it.
        for (int b = 1; b < s->nbody; ++b) {
            scale += c->k0.body[b].tree == tree && c->mode[tree] == TREE_SPIN
                         ? s->body[b].mass * audit_spin_noise(c, b) / AUDIT_BALANCE_TOLERANCE
                         : 0.0;
        }
        leftover[i] = left;
        terms[i] = scale + c->h * f->round[i] / AUDIT_BALANCE_TOLERANCE;
        all[tree] += scale;
    }
    // v follows from v₁ through tendons with armature: the round-off of their momenta is in all
    // trees.
    for (int k = 0; k < s->ntendon; ++k) {
        double length, J[AUDIT_NV], rate = 0.0, most = 0.0;
        if (s->tendon[k].armature <= 0.0 || !audit_kin_tendon(&length, J, &c->k0, k)) {
            continue;
        }
        for (int i = 0; i < nv; ++i) {
            rate += fabs(J[i]) * (fabs(c->v_kick[i]) + fabs(c->from->v[i]));
            most = fmax(most, fabs(J[i]));
        }
        for (int t = 0; t < c->k0.ntree; ++t) {
            all[t] += 10.0 * s->tendon[k].armature * rate * most;
        }
    }
    if (c->now->unsolved > 0) { // impulses of other trees may be huge
        double sum_all = 0.0;
        for (int t = 0; t < c->k0.ntree; ++t) {
            sum_all += all[t];
        }
        for (int t = 0; t < c->k0.ntree; ++t) {
            all[t] = sum_all;
        }
    }
    // Coordinates of which all terms are tiny beside those of their tree have the round-off of
    // those.
    for (int i = 0; i < nv; ++i) {
        const int tree = c->k0.tree_of_dof[i];
        if (c->mode[tree] == TREE_UNKNOWN || !known[tree]) {
            continue;
        }
        int joint = 0;
        while (joint + 1 < s->njoint && s->joint[joint + 1].v <= i) {
            ++joint;
        }
        audit_test(c, AUDIT_CLAIM_BALANCE, fabs(leftover[i]),
                   AUDIT_BALANCE_TOLERANCE * terms[i] +
                       (c->now->unsolved > 0 ? 1e-9 : 1e-13) * all[tree] + 1e-100,
                   "N s", "coordinate %d of joint j%d", i - s->joint[joint].v, joint);
    }
}

// Islands of trees that touch or are tied to each other, and whether something outside acts on them
// otherwise than by gravity and applied forces.
typedef struct islands {
    int of[AUDIT_BODIES];
    bool held[AUDIT_BODIES]; // by tree: the world, a mocap body or a drive acts on it
} islands;

static int find(islands *s, int t)
{
    while (s->of[t] != t) {
        t = s->of[t] = s->of[s->of[t]];
    }
    return t;
}

static void join(islands *s, int a, int b)
{
    if (a < 0 || b < 0) {
        if (a >= 0 || b >= 0) {
            s->held[a >= 0 ? a : b] = true;
        }
        return;
    }
    s->of[find(s, a)] = find(s, b);
}

static void join_step(islands *s, const audit_case *c, const audit_step *step)
{
    const audit_scene *scene = c->scene;
    for (int i = 0; i < step->ncontact; ++i) {
        const audit_contact *k = &step->contact[i];
        join(s, c->k0.body[k->body[0]].tree, c->k0.body[k->body[1]].tree);
    }
    for (int i = 0; i < step->nrow; ++i) {
        const audit_row *r = &step->row[i];
        if (r->source == AUDIT_ROW_CONTACT) {
            continue;
        }
        if (r->jacobian < 0) {
            for (int t = 0; t < c->k0.ntree; ++t) {
                s->held[t] = true;
            }
            continue;
        }
        // A row among the trees of an island pushes on none of its free roots in the sum.
        int first = -1;
        v3 net = {0, 0, 0};
        double size = 0.0;
        for (int j = 0; j < scene->njoint; ++j) {
            const audit_joint *joint = &scene->joint[j];
            const double *G = step->G + r->jacobian + joint->v;
            const int tree = c->k0.tree_of_dof[joint->v];
            bool any = false;
            for (int n = 0; n < audit_joint_nv(joint); ++n) {
                any = any || G[n] != 0.0;
            }
            if (any) {
                first = first < 0 ? tree : first;
                join(s, first, tree);
            }
            if (joint->kind == AUDIT_FREE) {
                net = v3_add(net, v3_load(G));
                size += v3_norm(v3_load(G)) + v3_norm(v3_load(G + 3));
            }
        }
        if (first >= 0 && v3_norm(net) > 1e-12 * size) {
            s->held[first] = true;
        }
        // Moments are not balanced by looking at forces: rows that turn free joints are outside
        // unless they join two trees or none.
        if (first >= 0 && r->source == AUDIT_ROW_EQUALITY && size > 0.0) {
            const audit_equality *e = &scene->equality[r->element];
            const bool bodies =
                e->kind == AUDIT_CONNECT || e->kind == AUDIT_WELD || e->kind == AUDIT_DISTANCE;
            if (bodies) {
                join(s, c->k0.body[e->object[0]].tree, c->k0.body[e->object[1]].tree);
            }
        }
        if (first >= 0 &&
            (r->source == AUDIT_ROW_DRIVE || (r->source == AUDIT_ROW_JOINT_FRICTION &&
                                              scene->joint[r->element].kind == AUDIT_FREE))) {
            s->held[first] = true;
        }
    }
}

// Momentum of a tree with the velocity terms that are explicit: forces and moments about the
// origin.
static void velocity_wrench(v3 *force, v3 *moment, const audit_kinematics *k, int tree)
{
    *force = *moment = (v3){0, 0, 0};
    for (int b = 1; b < k->scene->nbody; ++b) {
        const audit_frame *f = &k->body[b];
        if (f->tree != tree) {
            continue;
        }
        const v3 r = v3_sub(f->com, f->X.p);
        const v3 a = v3_add(f->a, v3_add(v3_cross(f->alpha, r), v3_cross(f->w, v3_cross(f->w, r))));
        const v3 F = v3_scale(a, -k->scene->body[b].mass);
        *force = v3_add(*force, F);
        *moment = v3_add(*moment, v3_cross(f->com, F));
        *moment = v3_sub(*moment, v3_add(m3_apply(&f->inertia, f->alpha),
                                         v3_cross(f->w, m3_apply(&f->inertia, f->w))));
    }
}

// Total momentum of islands that nothing holds. Rigid bodies that float keep it to round-off, also
// angular momentum about a fixed point: their centres move by h times the velocity they end with,
// so x₁ × p = x₀ × p. That of n velocities is 4 n ε of the terms m |∂x_c/∂q_i| |v_i|, which cancel
// where the centre of mass of a tree rests and its bodies move. Trees with explicit velocity terms
// change it by
//
//     P(q₁, v) − P(q₀, v) + h (velocity terms)                                         (AM 2)
//
// besides (v the one that they were kicked to, as below), of order h², which is computed and
// allowed for. In a step of several parts (AM 2) is the sum over the parts of less than that.
//
// In a split step a rigid body moves by Δx instead of h v₁, and spins with s L (AV 1): about a
// fixed point its angular momentum changes by
//
//     m (Δx − h v) × v − (1 − s) L                                                     (AM 3)
//
// (v the one that it was kicked to: armature of tendons acts between bodies, at q₁, and adds
// nothing) which is known exactly, as is (AM 2), and taken off. Trees that a step throws, and all
// that rows join to them, are held to a limit of energy, which takes momentum
// (docs/theory/rows.md): nothing is promised of islands of several. One tree alone that floats and
// has a limit since it turns far keeps its linear momentum to round-off (docs/theory/stepping.md),
// whatever the limit takes. What corrects positions comes of the
// same rows: it does not move the centre of mass of an island that nothing holds.
static void check_islands(audit_case *c, const audit_forces *f)
{
    const audit_scene *s = c->scene;
    const bool whole = audit_step_is_whole(c);
    islands is = {{0}, {0}};
    for (int t = 0; t < c->k0.ntree; ++t) {
        is.of[t] = t;
        is.held[t] = !c->floats[t] || (c->now->parts > 1 && s->nforce > 0) || s->nactuator > 0;
    }
    for (int j = 0; j < s->njoint; ++j) {
        const audit_joint *joint = &s->joint[j];
        const int t = c->k0.tree_of_dof[joint->v];
        if (joint->kind == AUDIT_FREE &&
            (joint->damping != 0.0 || joint->frictionloss != 0.0 || joint->stiffness != 0.0)) {
            is.held[t] = true;
        }
    }
    const int last = c->recording->nstep - 1;
    for (int n = whole ? c->step : (c->step > 0 ? c->step - 1 : 0);
         n <= (whole ? c->step : (c->step < last ? c->step + 1 : last)); ++n) {
        join_step(&is, c, &c->recording->step[n]);
    }
    bool held[AUDIT_BODIES] = {0};
    for (int t = 0; t < c->k0.ntree; ++t) {
        held[find(&is, t)] = held[find(&is, t)] || is.held[t];
    }
    static _Thread_local audit_kinematics between, moving,
        after; // q₀ with v, with v_move, q₁ with v
    audit_kin_place(&between, s, c->from->q, c->v_kick, c->mocap0);
    audit_kin_place(&after, s, c->to->q, c->v_kick, c->mocap1);
    audit_kin_place(&moving, s, c->from->q, c->v_move, c->mocap0);
    for (int root = 0; root < c->k0.ntree; ++root) {
        if (find(&is, root) != root || held[root]) {
            continue;
        }
        v3 linear = {0, 0, 0}, angular = {0, 0, 0}, push = {0, 0, 0}, twist = {0, 0, 0};
        double size_p = 0.0, size_l = 0.0, slack_p = 0.0, slack_l = 0.0, mass = 0.0;
        double round_p = 0.0, round_l = 0.0;
        v3 com = {0, 0, 0}, shove = {0, 0, 0}; // Σ m h (v_move − v)
        double shoved = 0.0;
        bool moments = true, thrown = false;
        int ntree = 0;
        for (int t = 0; t < c->k0.ntree; ++t) {
            if (find(&is, t) == root) {
                ++ntree;
                thrown = thrown || c->thrown[t];
                const audit_momentum P = audit_kin_momentum(&c->k0, t);
                mass += P.mass;
                com = v3_add(com, P.moment);
            }
        }
        com = v3_scale(com, 1.0 / mass);
        for (int t = 0; t < c->k0.ntree; ++t) {
            if (find(&is, t) != root) {
                continue;
            }
            const audit_momentum A = audit_kin_momentum(&c->k0, t),
                                 B = audit_kin_momentum(&c->k1, t),
                                 K = audit_kin_momentum(&between, t),
                                 E = audit_kin_momentum(&after, t);
            const v3 LA = v3_sub(A.angular, v3_cross(com, A.linear)),
                     LB = v3_sub(B.angular, v3_cross(com, B.linear)),
                     LK = v3_sub(K.angular, v3_cross(com, K.linear)),
                     LE = v3_sub(E.angular, v3_cross(com, E.linear));
            const audit_momentum W = audit_kin_momentum(&moving, t);
            shove = v3_madd(shove, c->h, v3_sub(W.linear, K.linear));
            shoved += c->h * (v3_norm(W.linear) + v3_norm(K.linear)) + 1e-6 * v3_norm(A.moment);
            linear = v3_add(linear, v3_sub(B.linear, A.linear));
            angular = v3_add(angular, v3_sub(LB, LA));
            const double arm = v3_norm(v3_sub(v3_scale(A.moment, 1.0 / A.mass), com)) +
                               c->h * v3_norm(B.linear) / B.mass;
            size_p += v3_norm(A.linear) + v3_norm(B.linear);
            round_p += 4.0 * s->nv * DBL_EPSILON * (A.terms + B.terms);
            size_l += v3_norm(LA) + v3_norm(LB) + arm * (v3_norm(A.linear) + v3_norm(B.linear));
            // Moments about the origin cancel to those about the centre of mass.
            round_l += 1e-15 * (v3_norm(A.angular) + v3_norm(B.angular) +
                                v3_norm(com) * (v3_norm(A.linear) + v3_norm(B.linear)));
            // Gravity, at the start of the step.
            for (int b = 1; b < s->nbody; ++b) {
                if (c->k0.body[b].tree == t) {
                    const v3 w = v3_scale(v3_load(s->option.gravity),
                                          c->h * s->body[b].mass * (1.0 - s->body[b].gravcomp));
                    push = v3_add(push, w);
                    twist = v3_add(twist, v3_cross(v3_sub(c->k0.body[b].com, com), w));
                    size_p += v3_norm(w);
                    size_l += v3_norm(w) * v3_norm(v3_sub(c->k0.body[b].com, com));
                }
            }
            if (c->split && c->mode[t] == TREE_SPIN) { // (AM 3)
                const v3 at0 = v3_scale(A.moment, 1.0 / A.mass),
                         at1 = v3_scale(B.moment, 1.0 / B.mass);
                const v3 off = v3_madd(v3_sub(at1, at0), -c->h / K.mass, K.linear);
                const v3 own = v3_sub(B.angular, v3_cross(at1, B.linear));
                angular = v3_sub(angular, v3_cross(off, K.linear));
                angular = v3_madd(angular, 1.0 / c->spin_scale[t] - 1.0, own);
                size_l += v3_norm(off) * v3_norm(K.linear) + v3_norm(own);
            } else if (c->split && c->mode[t] == TREE_EXPLICIT && whole) {
                v3 force, moment;
                velocity_wrench(&force, &moment, &c->k0, t);
                const v3 change = v3_madd(v3_sub(E.linear, K.linear), c->h, force);
                moment = v3_sub(moment, v3_cross(com, force));
                const v3 turn = v3_madd(v3_sub(LE, LK), c->h, moment);
                linear = v3_sub(linear, change);
                angular = v3_sub(angular, turn);
                size_p += v3_norm(change) + v3_norm(K.linear);
                size_l += v3_norm(turn) + v3_norm(LK);
            } else if (c->mode[t] != TREE_SPIN) {
                v3 force, moment;
                velocity_wrench(&force, &moment, &c->k0, t);
                // Where the energy of a tree was limited, v₁ is not what it was kicked to.
                const double more = c->mode[t] == TREE_UNKNOWN ? 3.0 : 1.0;
                slack_p += ntree == 1 && c->balanced[t]
                               ? 0.0
                               : more * v3_norm(v3_madd(v3_sub(E.linear, K.linear), c->h, force));
                moment = v3_sub(moment, v3_cross(com, force));
                slack_l += v3_norm(v3_madd(v3_sub(LE, LK), c->h, moment));
                moments = moments && c->mode[t] == TREE_EXPLICIT;
            }
        }
        for (int i = 0; i < s->nforce; ++i) {
            const audit_force *w = &s->force[i];
            const int body = w->joint >= 0 ? s->joint[w->joint].body : w->body;
            const int t = c->k0.body[body].tree;
            if (t < 0 || find(&is, t) != root) {
                continue;
            }
            v3 force = waves(w->force, c->from->t), torque = waves(w->torque, c->from->t);
            v3 at = pose_apply(&c->k0.body[body].X, v3_load(w->pos));
            if (w->joint >= 0) { // inner forces, but for those of free joints
                if (s->joint[w->joint].kind != AUDIT_FREE) {
                    continue;
                }
                at = c->k0.body[body].X.p;
                torque = m3_apply(&c->k0.body[body].X.R, torque);
            } else if (w->local) {
                force = m3_apply(&c->k0.body[body].X.R, force);
                torque = m3_apply(&c->k0.body[body].X.R, torque);
            }
            push = v3_madd(push, c->h, force);
            twist = v3_madd(twist, c->h, v3_add(torque, v3_cross(v3_sub(at, com), force)));
            size_p += c->h * v3_norm(force);
            size_l += c->h * (v3_norm(torque) + v3_norm(force) * v3_norm(v3_sub(at, com)));
        }
        // Internal impulses cancel to round-off of their own.
        for (int i = 0; i < c->now->ncontact; ++i) {
            const audit_contact *k = &c->now->contact[i];
            const int t = c->k0.body[k->body[1]].tree;
            if (t >= 0 && find(&is, t) == root) {
                size_p += v3_norm(v3_load(k->impulse));
                size_l += v3_norm(v3_load(k->impulse)) * v3_norm(v3_sub(v3_load(k->point), com)) +
                          v3_norm(v3_load(k->moment));
            }
        }
        for (int i = 0; i < c->now->nrow; ++i) {
            const audit_row *r = &c->now->row[i];
            if (r->source != AUDIT_ROW_CONTACT && r->jacobian >= 0) {
                double g = 0.0;
                for (int n = 0; n < s->nv; ++n) {
                    g = fmax(g, fabs(c->now->G[r->jacobian + n]));
                }
                size_p += fabs(r->impulse) * g;
                size_l += fabs(r->impulse) * g;
                // The two ends of a loop that is open are pushed at different places: where the
                // force is not along the gap, it is a couple (docs: equality_rows.c says so of
                // dashpots).
                if (r->source == AUDIT_ROW_EQUALITY) {
                    for (int n = 0; n < c->now->nrow; ++n) {
                        const audit_row *other = &c->now->row[n];
                        if (other->source == r->source && other->element == r->element) {
                            slack_l += fabs(r->impulse) * fabs(other->start_gap);
                        }
                    }
                }
            }
        }
        const double tolerance = AUDIT_BALANCE_TOLERANCE;
        const bool impact = c->now->impacts > 0;
        const bool limited =
            s->option.law == AUDIT_ODE || s->option.integrator != AUDIT_SEMI_IMPLICIT;
        if (slack_p > 0.01 * size_p) {
            continue; // (AM 2) is no small correction here
        }
        if (thrown && !(ntree == 1 && c->balanced[root])) {
            continue; // velocities are scaled down to the limit of energy
        }
        audit_test(c, impact ? AUDIT_CLAIM_IMPACT_MOMENTUM : AUDIT_CLAIM_LINEAR,
                   v3_norm(v3_sub(linear, push)),
                   (limited ? 1e-3 : tolerance) * size_p + slack_p + round_p, "N s",
                   "island of tree %d", root);
        if (moments && !limited && whole && c->now->transported == 0 && slack_l < 0.01 * size_l) {
            audit_test(c, impact ? AUDIT_CLAIM_IMPACT_MOMENTUM : AUDIT_CLAIM_ANGULAR,
                       v3_norm(v3_sub(angular, twist)), tolerance * size_l + slack_l + round_l,
                       "N m s", "angular, island of tree %d", root);
        }
        if (whole && c->corrects && !impact && moments && c->now->transported == 0) {
            audit_test(c, AUDIT_CLAIM_DRIFT, v3_norm(shove), 1e-9 * (c->h * size_p + shoved),
                       "kg m", "correction moves the centre of mass of the island of tree %d",
                       root);
        }
    }
    (void)f;
}

void audit_check_momentum(audit_case *c)
{
    audit_forces f;
    audit_step_forces(&f, c);
    // Of a step in parts the contacts of the last one alone are known. One with projection reports
    // the impulses of its second problem, which lead to the velocity at its end.
    if (c->now->asleep == 0 && audit_step_is_whole(c)) {
        check_balance(c, &f);
        check_islands(c, &f);
    }
}
