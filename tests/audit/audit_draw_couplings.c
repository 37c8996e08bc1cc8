// Tendons, equalities, actuators, forces, motions and pairs.
#include "audit_draw.h"

#include <string.h>

static int pick_scalar_joint(const audit_scene *s, audit_theme *t)
{
    for (int k = 0; k < 8 && s->njoint > 0; ++k) {
        const int j = audit_pick(&t->r, s->njoint);
        if (s->joint[j].kind >= AUDIT_HINGE) {
            return j;
        }
    }
    return -1;
}

static bool moves(const audit_kinematics *k, int body)
{
    return k->body[body].moves;
}

void audit_draw_tendon(audit_scene *s, audit_theme *t, audit_kinematics *k)
{
    audit_random *r = &t->r;
    audit_tendon *x = &s->tendon[s->ntendon];
    *x = (audit_tendon){.limit = {INFINITY, 0.0}};
    x->spatial = audit_chance(r, 0.6);
    bool moving = false;
    if (x->spatial) {
        const int n = 2 + audit_pick(r, 4);
        for (int i = 0; i < n; ++i) {
            if (s->nsite == 0) {
                return;
            }
            const int site = audit_pick(r, s->nsite);
            const audit_wrap *before = x->nwrap > 0 ? &x->wrap[x->nwrap - 1] : NULL;
            if (before && before->kind == AUDIT_WRAP_SITE &&
                s->site[before->object].body == s->site[site].body) {
                continue;
            }
            if (before && before->kind == AUDIT_WRAP_SITE && x->nwrap + 3 < AUDIT_WRAPS &&
                audit_chance(r, 0.3) && s->ngeom > 0) {
                const int g = audit_pick(r, s->ngeom);
                if (s->geom[g].kind == AUDIT_SPHERE || s->geom[g].kind == AUDIT_CYLINDER) {
                    x->wrap[x->nwrap++] =
                        (audit_wrap){AUDIT_WRAP_GEOM, g,
                                     audit_chance(r, 0.3) ? audit_pick(r, s->nsite) : -1, 1.0};
                    moving = moving || moves(k, s->geom[g].body);
                }
            }
            if (x->nwrap >= 2 && x->wrap[x->nwrap - 1].kind == AUDIT_WRAP_SITE && i + 2 < n &&
                x->nwrap + 3 < AUDIT_WRAPS && audit_chance(r, 0.3)) { // a new branch begins here
                x->wrap[x->nwrap++] = (audit_wrap){AUDIT_WRAP_PULLEY, -1, -1, 2.0};
            }
            moving = moving || moves(k, s->site[site].body);
            x->wrap[x->nwrap++] = (audit_wrap){AUDIT_WRAP_SITE, site, -1, 1.0};
        }
        if (!moving) {
            return;
        }
    } else {
        const int n = 1 + audit_pick(r, 3);
        for (int i = 0; i < n; ++i) {
            const int j = pick_scalar_joint(s, t);
            bool twice = false;
            for (int w = 0; w < x->nwrap; ++w) {
                twice = twice || x->wrap[w].object == j;
            }
            if (j >= 0 && !twice) {
                const double c = audit_between(r, 0.3, 2.0) * (audit_chance(r, 0.5) ? 1.0 : -1.0);
                x->wrap[x->nwrap++] = (audit_wrap){
                    AUDIT_WRAP_JOINT, j, -1, s->joint[j].kind == AUDIT_HINGE ? c * t->length : c};
            }
        }
    }
    if (!audit_tendon_is_path(x)) {
        return;
    }
    ++s->ntendon;
    double length = 0.0, gradient[AUDIT_NV] = {0.0};
    const bool known = audit_kin_tendon(&length, gradient, k, s->ntendon - 1);
    if (!known || !isfinite(length) || (x->spatial && length < 0.05 * t->length)) {
        --s->ntendon;
        return;
    }
    const double rate = 1.0 / (t->duration * audit_power(r, -1.0, 0.5));
    bool any = false;
    if (audit_chance(r, 0.5)) {
        any = true;
        x->stiffness = t->mass * rate * rate;
        const double rest = length + t->length * audit_between(r, -0.5, 0.2);
        x->springlength[0] = x->spatial ? fmax(0.0, rest) : rest;
        x->springlength[1] = x->springlength[0] + (audit_chance(r, 0.5) ? 0.0 : 0.3 * t->length);
        if (x->springlength[0] < 0.0 && !x->spatial) {
            x->springlength[0] = 0.0; // negative numbers stand for "as described"
            x->springlength[1] = fmax(0.0, x->springlength[1]);
        }
    }
    if (audit_chance(r, 0.3)) {
        any = true;
        x->damping = t->mass * rate * audit_power(r, -2.0, 0.5);
    }
    if (audit_chance(r, 0.3)) {
        any = true;
        x->armature = t->mass * audit_power(r, -1.5, 0.5);
    }
    if (audit_chance(r, 0.25)) {
        any = true;
        x->frictionloss = t->mass * t->length * rate * rate * audit_power(r, -2.0, 0.0);
    }
    if (audit_chance(r, 0.4) || !any) {
        x->limited = true;
        audit_draw_range(t, false, length, t->length, x->range);
        if (x->spatial) {
            x->range[0] = fmax(0.0, x->range[0]);
            x->range[1] = fmax(x->range[0] + 0.01 * t->length, x->range[1]);
        }
        x->limit = audit_draw_bearing(t, t->mass);
    }
}

static int pick_moving_body(const audit_scene *s, audit_theme *t, const audit_kinematics *k)
{
    for (int i = 0; i < 8 && s->nbody > 1; ++i) {
        const int b = 1 + audit_pick(&t->r, s->nbody - 1);
        if (moves(k, b)) {
            return b;
        }
    }
    return -1;
}

void audit_draw_equality(audit_scene *s, audit_theme *t, const audit_kinematics *described)
{
    audit_random *r = &t->r;
    audit_equality *e = &s->equality[s->nequality];
    *e = (audit_equality){.torquescale = 1.0};
    audit_set_identity(e->relquat);
    const int which = audit_pick(r, 10);
    if (which < 4) {
        e->kind = AUDIT_CONNECT;
    } else if (which < 6) {
        e->kind = AUDIT_WELD;
    } else if (which < 8) {
        e->kind = AUDIT_EQ_JOINT;
    } else if (which < 9) {
        e->kind = AUDIT_DISTANCE;
    } else {
        e->kind = AUDIT_EQ_TENDON;
    }
    double inertia = t->mass;
    if (e->kind == AUDIT_EQ_JOINT || e->kind == AUDIT_EQ_TENDON) {
        const bool joints = e->kind == AUDIT_EQ_JOINT;
        e->object[0] = joints ? pick_scalar_joint(s, t) : s->ntendon - 1;
        e->object[1] = joints ? pick_scalar_joint(s, t) : s->ntendon - 2;
        if (e->object[0] < 0) {
            return;
        }
        if (e->object[1] == e->object[0] || (joints && audit_chance(r, 0.3))) {
            e->object[1] = -1;
        }
        e->polycoef[1] = e->object[1] < 0 ? 0.0 : audit_between(r, -1.5, 1.5);
        if (e->object[1] >= 0 && audit_chance(r, 0.3)) {
            e->polycoef[2] = audit_between(r, -0.5, 0.5) / (joints ? 1.0 : t->length);
        }
        if (audit_chance(r, 0.2)) {
            e->polycoef[0] = 0.05 * audit_between(r, -1.0, 1.0) * t->length;
        }
        if (joints && s->joint[e->object[0]].kind == AUDIT_HINGE) {
            inertia *= t->length * t->length;
        }
    } else {
        e->object[0] = pick_moving_body(s, t, described);
        e->object[1] = audit_chance(r, 0.5) ? 0 : audit_pick(r, s->nbody);
        if (e->object[0] < 0 || e->object[0] == e->object[1]) {
            return;
        }
        const audit_frame *a = &described->body[e->object[0]], *b = &described->body[e->object[1]];
        audit_draw_point(t, e->anchor, t->length);
        if (e->kind == AUDIT_WELD) {
            const m3 back = m3_transpose(&a->X.R);
            const m3 relative = m3_multiply(&back, &b->X.R);
            const v3 turn = m3_log(&relative);
            double axis[3];
            v3_store(axis, v3_unit(turn));
            audit_quat_about(e->relquat, axis, v3_norm(turn));
            v3_store(e->relpos, m3_apply_transposed(&a->X.R, v3_sub(b->X.p, a->X.p)));
            e->torquescale = audit_chance(r, 0.7) ? 1.0 : t->length;
        }
        if (e->kind == AUDIT_DISTANCE) {
            audit_draw_point(t, e->anchor2, t->length);
            const v3 pa = v3_add(a->X.p, m3_apply(&a->X.R, v3_load(e->anchor)));
            const v3 pb = v3_add(b->X.p, m3_apply(&b->X.R, v3_load(e->anchor2)));
            e->distance = v3_norm(v3_sub(pa, pb));
            if (e->distance < 0.05 * t->length) {
                return;
            }
            if (audit_chance(r, 0.2)) {
                e->distance *= audit_between(r, 0.9, 1.1);
            }
        }
    }
    e->bearing = audit_draw_bearing(t, inertia);
    ++s->nequality;
}

void audit_draw_actuator(audit_scene *s, audit_theme *t)
{
    audit_random *r = &t->r;
    audit_actuator *a = &s->actuator[s->nactuator];
    *a = (audit_actuator){.gear = {1.0, 0, 0, 0, 0, 0}, .time_constant = 1.0};
    const int which = audit_pick(r, 10);
    if (which < 7 && s->njoint > 0) {
        a->target = AUDIT_ON_JOINT;
        a->object = audit_pick(r, s->njoint);
        const audit_joint_kind kind = s->joint[a->object].kind;
        const int n = kind == AUDIT_FREE ? 6 : kind == AUDIT_BALL ? 3 : 1;
        for (int i = 0; i < n; ++i) {
            a->gear[i] = n == 1 && audit_chance(r, 0.5) ? 1.0 : audit_between(r, -2.0, 2.0);
        }
    } else if (which < 9 && s->ntendon > 0) {
        a->target = AUDIT_ON_TENDON;
        a->object = audit_pick(r, s->ntendon);
    } else if (s->nsite > 0) {
        a->target = AUDIT_ON_SITE;
        a->object = audit_pick(r, s->nsite);
        for (int i = 0; i < 6; ++i) {
            a->gear[i] = audit_between(r, -1.0, 1.0);
        }
    } else {
        return;
    }
    const bool turns = a->target == AUDIT_ON_JOINT && s->joint[a->object].kind != AUDIT_SLIDE;
    const double inertia = turns ? t->mass * t->length * t->length : t->mass;
    const double travel = turns ? 1.0 : t->length;
    const double rate = 1.0 / (t->duration * audit_power(r, -1.0, 0.5));
    a->kind = a->target == AUDIT_ON_SITE ? AUDIT_MOTOR : (audit_actuator_kind)audit_pick(r, 3);
    const double effort = inertia * travel * rate * rate;
    if (a->kind == AUDIT_MOTOR) {
        a->ctrl = effort * audit_between(r, -1.0, 1.0);
    } else if (a->kind == AUDIT_POSITION) {
        a->kp = inertia * rate * rate;
        a->kv = audit_chance(r, 0.5) ? 0.0 : inertia * rate * audit_unit(r);
        a->ctrl = travel * audit_between(r, -1.0, 1.0);
    } else {
        a->kv = inertia * rate;
        a->ctrl = travel * rate * audit_between(r, -1.0, 1.0);
    }
    if (audit_chance(r, 0.25)) {
        a->ctrl_limited = true;
        a->ctrl_range[0] = -fabs(a->ctrl) * audit_between(r, 0.5, 1.5) - 1e-6;
        a->ctrl_range[1] = fabs(a->ctrl) * audit_between(r, 0.5, 1.5) + 1e-6;
    }
    if (audit_chance(r, 0.35)) {
        a->force_limited = true;
        a->force_range[0] = -effort * audit_between(r, 0.05, 1.0);
        a->force_range[1] = effort * audit_between(r, 0.05, 1.0);
    }
    if (audit_chance(r, 0.15)) {
        a->activation = (audit_activation)(1 + audit_pick(r, 3));
        a->time_constant = t->duration * audit_power(r, -1.0, 0.5);
    }
    ++s->nactuator;
}

static audit_wave draw_wave(audit_theme *t, double size)
{
    audit_random *r = &t->r;
    audit_wave w = {0.0, 0.0, 0.0, 0.0, 0.0};
    if (audit_chance(r, 0.5)) {
        w.constant = size * audit_between(r, -1.0, 1.0);
    }
    if (audit_chance(r, 0.5)) {
        w.amplitude = size * audit_between(r, -1.0, 1.0);
        w.frequency = audit_power(r, -0.5, 1.0) / t->duration;
        w.phase = audit_between(r, -3.0, 3.0);
    }
    return w;
}

void audit_draw_force(audit_scene *s, audit_theme *t, const audit_kinematics *k)
{
    audit_random *r = &t->r;
    audit_force *f = &s->force[s->nforce];
    *f = (audit_force){.body = -1, .joint = -1};
    const double effort =
        t->mass * t->length / (t->duration * t->duration) * audit_power(r, -1.0, 1.0);
    int nforce = 3, ntorque = 3;
    if (audit_chance(r, 0.4) && s->njoint > 0) {
        f->joint = audit_pick(r, s->njoint);
        const audit_joint_kind kind = s->joint[f->joint].kind;
        nforce = kind == AUDIT_FREE ? 3 : kind == AUDIT_SLIDE ? 1 : 0;
        ntorque = kind == AUDIT_HINGE ? 1 : kind == AUDIT_SLIDE ? 0 : 3;
    } else {
        f->body = pick_moving_body(s, t, k);
        if (f->body < 0) {
            return;
        }
        audit_draw_point(t, f->pos, t->length);
        f->local = audit_chance(r, 0.5);
    }
    bool any = false;
    for (int i = 0; i < 3; ++i) {
        f->force[i] = i < nforce ? draw_wave(t, effort) : (audit_wave){0};
        f->torque[i] = i < ntorque ? draw_wave(t, effort * t->length) : (audit_wave){0};
        any = any || f->force[i].constant != 0.0 || f->force[i].amplitude != 0.0 ||
              f->torque[i].constant != 0.0 || f->torque[i].amplitude != 0.0;
    }
    s->nforce += any;
}

static bool is_moved(const audit_scene *s, int joint, int body)
{
    for (int i = 0; i < s->nmotion; ++i) {
        if ((joint >= 0 && s->motion[i].joint == joint) ||
            (body >= 0 && s->motion[i].body == body)) {
            return true;
        }
    }
    return false;
}

void audit_draw_motions(audit_scene *s, audit_theme *t)
{
    audit_random *r = &t->r;
    for (int b = 1; b < s->nbody; ++b) {
        if (s->body[b].mocap < 0 || !audit_chance(r, 0.7) || s->nmotion == AUDIT_MOTIONS) {
            continue;
        }
        audit_motion *m = &s->motion[s->nmotion++];
        *m = (audit_motion){.joint = -1, .body = b, .bearing = {INFINITY, 0.0}};
        for (int i = 0; i < 3; ++i) {
            m->position[i].constant = s->body[b].pos[i];
            m->position[i].rate = audit_between(r, -1.0, 1.0) * t->speed;
            m->position[i].amplitude = audit_chance(r, 0.5) ? 0.0 : 0.1 * t->length;
            m->position[i].frequency = 2.0 / t->duration;
            m->rotation[i].rate = audit_chance(r, 0.5) ? 0.0 : audit_unit(r) / t->duration;
        }
        // It begins where the body is described.
        audit_set_identity(s->body[b].quat);
        audit_set_identity(s->mocap_quat[s->body[b].mocap]);
        for (int i = 0; i < 3; ++i) {
            s->mocap_pos[s->body[b].mocap][i] = audit_wave_at(&m->position[i], 0.0);
        }
    }
    if (audit_chance(r, 0.06) && s->nmotion < AUDIT_MOTIONS) {
        const int j = pick_scalar_joint(s, t);
        if (j < 0 || is_moved(s, j, -1)) {
            return;
        }
        const double travel = s->joint[j].kind == AUDIT_SLIDE ? t->length : 1.0;
        audit_motion *m = &s->motion[s->nmotion++];
        *m = (audit_motion){.joint = j, .body = -1};
        m->bearing = audit_draw_bearing(t, t->mass * travel * travel);
        m->position[0].constant = s->q[s->joint[j].q];
        m->position[0].rate = audit_chance(r, 0.5) ? 0.0 : s->v[s->joint[j].v];
        m->position[0].amplitude = 0.2 * travel * audit_unit(r);
        m->position[0].frequency = audit_power(r, -0.5, 0.5) / t->duration;
        if (audit_chance(r, 0.2)) {
            m->position[0].constant += 0.05 * travel;
        }
    }
}

void audit_draw_pairs(audit_scene *s, audit_theme *t)
{
    audit_random *r = &t->r;
    if (audit_chance(r, 0.12) && s->ngeom >= 2) {
        const int a = audit_pick(r, s->ngeom), b = audit_pick(r, s->ngeom);
        const bool planes = s->geom[a].kind == AUDIT_PLANE || s->geom[b].kind == AUDIT_PLANE ||
                            s->geom[a].body == 0 || s->geom[b].body == 0;
        if (a < b && s->geom[a].body != s->geom[b].body &&
            !(planes && s->geom[a].body == 0 && s->geom[b].body == 0) &&
            s->geom[a].foundation[0] == 0 && s->geom[b].foundation[0] == 0) {
            static const int condim[] = {1, 3, 3, 4, 6};
            audit_pair *p = &s->pair[s->npair++];
            *p = (audit_pair){.geom = {a, b}, .condim = condim[audit_pick(r, 5)]};
            p->material = t->round ? t->material : audit_draw_material(t);
            if (!t->round) {
                p->material.youngs_modulus = 0.0;
            }
            p->friction[0] = audit_unit(r);
            p->friction[1] = audit_chance(r, 0.5) ? p->friction[0] : audit_unit(r);
            p->friction[2] = t->length * audit_power(r, -3.0, -0.5);
            p->friction[3] = t->length * audit_power(r, -4.0, -1.0);
            p->friction[4] =
                audit_chance(r, 0.5) ? p->friction[3] : t->length * audit_power(r, -4.0, -1.0);
        }
    }
    if (audit_chance(r, 0.06) && s->nbody > 2) {
        const int a = 1 + audit_pick(r, s->nbody - 1), b = 1 + audit_pick(r, s->nbody - 1);
        if (a != b) {
            s->exclude[s->nexclude][0] = a;
            s->exclude[s->nexclude++][1] = b;
        }
    }
}
