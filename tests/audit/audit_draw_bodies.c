// Bodies with their joints, where they are and how they start.
#include "audit_draw.h"

#include <string.h>

static void draw_inertia(audit_theme *t, audit_body *b, double size)
{
    audit_random *r = &t->r;
    b->mass =
        t->mass * (audit_chance(r, 0.8) ? audit_power(r, -0.5, 0.5) : audit_power(r, -2.0, 2.0));
    if (audit_chance(r, 0.05)) {
        b->mass = audit_power(r, -4.0, 4.0);
    }
    double a[3];
    for (int i = 0; i < 3; ++i) {
        a[i] = b->mass * size * size * audit_between(r, 0.1, 0.4);
    }
    if (audit_chance(r, 0.3)) {
        a[1] = a[2] = a[0];
    }
    audit_set3(b->inertia, a[1] + a[2], a[0] + a[2], a[0] + a[1]);
    audit_set_identity(b->iquat);
    if (audit_chance(r, 0.3)) {
        audit_draw_point(t, b->com, 0.3 * size);
    }
    if (audit_chance(r, 0.2)) {
        audit_draw_quaternion(r, b->iquat);
    }
    b->gravcomp = audit_chance(r, 0.96) ? 0.0 : audit_between(r, 0.0, 2.0);
}

void audit_draw_range(audit_theme *t, bool ball, double q, double width, double range[2])
{
    audit_random *r = &t->r;
    if (ball) {
        range[0] = 0.0;
        range[1] = audit_between(r, 0.2, 2.5);
        return;
    }
    const int which = audit_pick(r, 10);
    double low = q - width * audit_unit(r), high = q + width * (0.01 + audit_unit(r));
    if (which == 0) {
        low = q; // at its end
    } else if (which == 1) {
        high = q;
        low = q - width * (0.01 + audit_unit(r));
    } else if (which == 2) { // violated
        low = q + 0.1 * width * audit_unit(r);
        high = low + width * (0.01 + audit_unit(r));
    } else if (which == 3) {
        high = q - 0.1 * width * audit_unit(r);
        low = high - width * (0.01 + audit_unit(r));
    }
    range[0] = low;
    range[1] = high > low ? high : low + width;
}

audit_bearing audit_draw_bearing(audit_theme *t, double inertia)
{
    audit_bearing b = {INFINITY, 0.0};
    if (audit_chance(&t->r, 0.35)) {
        b.stiffness = audit_chance(&t->r, 0.8) ? inertia * audit_power(&t->r, 1.0, 9.0)
                                               : audit_power(&t->r, 0.0, 12.0);
        b.damping = audit_chance(&t->r, 0.4)
                        ? 0.0
                        : audit_power(&t->r, -2.0, 1.0) * sqrt(b.stiffness * inertia);
    }
    return b;
}

static void draw_joint(audit_scene *s, audit_theme *t, int body, audit_joint_kind kind, double size)
{
    if (s->njoint == AUDIT_JOINTS) {
        return;
    }
    audit_random *r = &t->r;
    audit_joint *j = &s->joint[s->njoint++];
    *j = (audit_joint){.body = body, .kind = kind, .limit = {INFINITY, 0.0}};
    audit_draw_axis(t, j->axis);
    if (kind != AUDIT_FREE && audit_chance(r, 0.6)) {
        audit_draw_point(t, j->pos, size);
    }
    const double m = s->body[body].mass;
    const double inertia = kind == AUDIT_SLIDE || kind == AUDIT_FREE ? m : m * size * size;
    const double rate = 1.0 / (t->duration * audit_power(r, -1.5, 0.5)); // a usual frequency
    const double p = t->p_joint_extra;
    if (kind >= AUDIT_HINGE && audit_chance(r, 0.15)) {
        j->ref = audit_between(r, -1.0, 1.0) * (kind == AUDIT_SLIDE ? size : 1.0);
    }
    if (audit_chance(r, p)) {
        j->stiffness = inertia * rate * rate;
        j->springref = kind >= AUDIT_HINGE && audit_chance(r, 0.6)
                           ? audit_between(r, -0.5, 0.5) * (kind == AUDIT_SLIDE ? size : 1.0)
                           : 0.0;
    }
    if (audit_chance(r, p)) {
        j->damping = inertia * rate * audit_power(r, -2.0, 1.0);
    }
    if (audit_chance(r, p)) {
        j->armature = inertia * audit_power(r, -2.0, 1.0);
    }
    if (audit_chance(r, p)) {
        j->frictionloss = inertia * (kind == AUDIT_SLIDE || kind == AUDIT_FREE ? size : 1.0) *
                          rate * rate * audit_power(r, -2.0, 0.5);
    }
}

void audit_draw_joint_limits(audit_scene *s, audit_theme *t)
{
    for (int i = 0; i < s->njoint; ++i) {
        audit_joint *j = &s->joint[i];
        if (j->kind == AUDIT_FREE || !audit_chance(&t->r, t->p_joint_extra)) {
            continue;
        }
        const double m = s->body[j->body].mass, size = t->length;
        const double inertia = j->kind == AUDIT_SLIDE ? m : m * size * size;
        j->limited = true;
        audit_draw_range(t, j->kind == AUDIT_BALL, s->q[j->q], j->kind == AUDIT_SLIDE ? size : 1.0,
                         j->range);
        j->limit = audit_draw_bearing(t, inertia);
    }
}

static void draw_joints(audit_scene *s, audit_theme *t, int body, bool child, double size)
{
    audit_random *r = &t->r;
    if (!child && audit_chance(r, t->p_free)) {
        draw_joint(s, t, body, AUDIT_FREE, size);
        return;
    }
    const int which = audit_pick(r, 20);
    if (which < 8) {
        draw_joint(s, t, body, AUDIT_HINGE, size);
    } else if (which < 12) {
        draw_joint(s, t, body, AUDIT_SLIDE, size);
    } else if (which < 16) {
        draw_joint(s, t, body, AUDIT_BALL, size);
    } else if (which < 17 && child) {
        return; // welded to its parent
    } else {
        // Several joints of one body, along different axes: no two of them become one at once.
        static const double axis[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        const int n = 2 + audit_pick(r, 2), turn = audit_pick(r, 3);
        bool slides = true;
        for (int k = 0; k < n; ++k) {
            const int first = s->njoint;
            draw_joint(s, t, body, audit_chance(r, 0.5) ? AUDIT_SLIDE : AUDIT_HINGE, size);
            if (s->njoint > first) {
                memcpy(s->joint[first].axis, axis[(k + turn) % 3], sizeof axis[0]);
                slides = slides && s->joint[first].kind == AUDIT_SLIDE;
            }
        }
        if (slides && audit_chance(r, 0.4)) {
            draw_joint(s, t, body, AUDIT_BALL, size);
        }
    }
}

// Where a body that hangs from the world begins: near the ground, or near the body before it.
static void place_body(audit_scene *s, audit_theme *t, int body)
{
    audit_random *r = &t->r;
    audit_body *b = &s->body[body];
    audit_draw_attitude(t, b->quat);
    const m3 R = m3_of_quaternion(b->quat);
    v3 n = {0, 0, 1}, from = {0, 0, 0};
    double base = 0.0;
    int other = body - 1;
    while (other > 0 && s->body[other].parent != 0) {
        --other;
    }
    if (t->nsupport > 0 && (other == 0 || audit_chance(r, 0.6))) {
        const audit_geom *g = &s->geom[t->support[audit_pick(r, t->nsupport)]];
        const m3 Rg = m3_of_quaternion(g->quat);
        n = m3_apply(&Rg, (v3){0, 0, 1});
        from = v3_load(g->pos);
        base = audit_reach_of(s, g, (v3){0, 0, 1});
        if (g->kind == AUDIT_HFIELD) {
            base *= audit_between(r, 0.3, 1.0);
        }
        v3 side = m3_apply(
            &Rg, (v3){audit_between(r, -2, 2) * t->length, audit_between(r, -2, 2) * t->length, 0});
        from = v3_add(from, side);
    } else if (other > 0) {
        const m3 Ro = m3_of_quaternion(s->body[other].quat);
        double d[3] = {0, 0, 1};
        if (audit_chance(r, 0.5)) {
            audit_draw_direction(r, d);
        }
        n = v3_load(d);
        from = v3_load(s->body[other].pos);
        base = audit_body_reach(s, other, &Ro, n);
    }
    const double below = audit_body_reach(s, body, &R, v3_scale(n, -1.0));
    double gap = 0.0;
    const int which = audit_pick(r, 20);
    if (which < 6) {
        gap = 0.0;
    } else if (which < 12) {
        gap = t->speed * t->duration * audit_unit(r);
    } else if (which < 14) {
        gap = -t->length * audit_power(r, -6.0, -1.0);
    } else if (which < 15) {
        gap = -t->length * audit_unit(r);
    } else {
        gap = t->length * audit_power(r, -4.0, 0.0);
    }
    bool held = false; // by a joint: where it overlaps the ground it can get away rarely
    for (int j = 0; j < s->njoint; ++j) {
        held = held || (s->joint[j].body == body && s->joint[j].kind != AUDIT_FREE);
    }
    if (held && gap < 0.5 * t->length && audit_chance(r, 0.8)) {
        gap += t->length * audit_between(r, 0.5, 2.0);
    }
    v3_store(b->pos, v3_madd(from, base + below + gap, n));
}

void audit_draw_body(audit_scene *s, audit_theme *t)
{
    audit_random *r = &t->r;
    const int body = s->nbody++;
    audit_body *b = &s->body[body];
    *b = (audit_body){.parent = 0, .mocap = -1};
    audit_set_identity(b->quat);
    audit_set_identity(b->iquat);
    const double size = t->length * audit_power(r, -0.3, 0.3);
    int parent = 0;
    if (body > 1 && audit_chance(r, t->p_child) && s->body[body - 1].mocap < 0) {
        parent = body - 1;
        while (s->body[parent].parent > 0 && audit_chance(r, 0.3)) {
            parent = s->body[parent].parent;
        }
    }
    b->parent = parent;
    const bool mocap = parent == 0 && audit_chance(r, 0.05);
    const bool fixed = parent == 0 && !mocap && audit_chance(r, 0.05);
    if (t->geoms) {
        const int n = audit_chance(r, 0.05) ? 0 : audit_chance(r, 0.85) ? 1 : 2;
        for (int k = 0; k < n; ++k) {
            audit_draw_shape(s, t, body, size);
        }
    }
    if (mocap) {
        b->mocap = s->nmocap++;
    } else if (!fixed) {
        draw_inertia(t, b, size);
        draw_joints(s, t, body, parent > 0, size);
    }
    if (parent == 0) {
        place_body(s, t, body);
    } else {
        audit_draw_point(t, b->pos, 2.0 * size);
        audit_draw_attitude(t, b->quat);
        if (audit_chance(r, 0.7)) { // away from the ground
            b->pos[2] = fabs(b->pos[2]) + size;
        }
    }
    if (mocap) {
        memcpy(s->mocap_pos[b->mocap], b->pos, sizeof b->pos);
        memcpy(s->mocap_quat[b->mocap], b->quat, sizeof b->quat);
    }
    const int nsite = audit_chance(r, 0.4) ? 1 + audit_pick(r, 2) : 0;
    for (int k = 0; k < nsite && s->nsite < AUDIT_SITES; ++k) {
        audit_site *site = &s->site[s->nsite++];
        *site = (audit_site){.body = body};
        audit_draw_point(t, site->pos, size);
        audit_draw_attitude(t, site->quat);
    }
}

// The pose as described.
void audit_set_reference(audit_scene *s)
{
    for (int i = 0; i < s->njoint; ++i) {
        const audit_joint *j = &s->joint[i];
        double *q = s->q + j->q;
        if (j->kind == AUDIT_FREE) {
            memcpy(q, s->body[j->body].pos, 3 * sizeof *q);
            memcpy(q + 3, s->body[j->body].quat, 4 * sizeof *q);
        } else if (j->kind == AUDIT_BALL) {
            audit_set_identity(q);
        } else {
            q[0] = j->ref;
        }
    }
}

void audit_draw_start(audit_scene *s, audit_theme *t, bool elsewhere)
{
    audit_random *r = &t->r;
    for (int i = 0; elsewhere && i < s->njoint; ++i) {
        const audit_joint *j = &s->joint[i];
        if (j->kind == AUDIT_BALL) {
            audit_draw_quaternion(r, s->q + j->q);
        } else if (j->kind >= AUDIT_HINGE) {
            s->q[j->q] += audit_between(r, -0.5, 0.5) * (j->kind == AUDIT_SLIDE ? t->length : 1.0);
        }
    }
    const double turning = t->speed / t->length;
    const bool rest = audit_chance(r, 0.15);
    for (int i = 0; !rest && i < s->njoint; ++i) {
        const audit_joint *j = &s->joint[i];
        double *v = s->v + j->v;
        if (audit_chance(r, 0.15)) {
            continue; // this one is at rest
        }
        switch (j->kind) {
        case AUDIT_FREE: {
            audit_draw_point(t, v, t->speed);
            if (audit_chance(r, 0.5)) {
                v[2] = -fabs(v[2]);
            }
            if (t->spins && audit_chance(r, 0.6)) {
                audit_draw_point(t, v + 3, turning);
            }
            break;
        }
        case AUDIT_BALL:
            audit_draw_point(t, v, turning);
            break;
        case AUDIT_HINGE:
            v[0] = audit_between(r, -turning, turning);
            break;
        case AUDIT_SLIDE:
            v[0] = audit_between(r, -t->speed, t->speed);
            break;
        }
    }
}
