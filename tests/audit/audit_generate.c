// Random scenes over every feature of the model. Most are small, and most numbers are usual ones:
// what is unusual is drawn sparsely, so that a violation has few possible causes.
#include "audit_kinematics.h"
#include "audit_random.h"
#include "audit_scene.h"

#include <string.h>

// What is common to a scene.
typedef struct theme {
    audit_random r;
    double length, mass, speed, duration; // [m], [kg], [m/s], [s] usual ones
    double p_child;                       // a body hangs from the one before it
    double p_free;                        // a body that does not is free
    double p_joint_extra;                 // springs, limits … of a joint
    bool geoms, ground, round;            // round: for Hertz
    bool flat;                            // bodies are drawn upright
    audit_material material;
    int condim;
    int nsupport;    // geoms of the world that things can lie on
    int support[4];
} theme;

void audit_scene_layout(audit_scene *s)
{
    static const int nq[] = {7, 4, 1, 1}, nv[] = {6, 3, 1, 1};
    s->nq = s->nv = 0;
    for (int j = 0; j < s->njoint; ++j) {
        s->joint[j].q = s->nq;
        s->joint[j].v = s->nv;
        s->nq += nq[s->joint[j].kind];
        s->nv += nv[s->joint[j].kind];
    }
}

double audit_wave_at(const audit_wave *w, double t)
{
    return w->constant + w->rate * t +
           (w->amplitude != 0.0 ? w->amplitude * sin(w->frequency * t + w->phase) : 0.0);
}

const char *audit_law_name(audit_law law)
{
    static const char *const name[] = {"compliant", "lcp", "ncp", "vi", "tamsi", "ode"};
    return (unsigned)law < AUDIT_LAWS ? name[law] : "";
}

static void set3(double *x, double a, double b, double c)
{
    x[0] = a;
    x[1] = b;
    x[2] = c;
}

static void set_identity(double *quat)
{
    quat[0] = 1.0;
    quat[1] = quat[2] = quat[3] = 0.0;
}

static void draw_direction(audit_random *r, double *x)
{
    double n;
    do {
        for (int i = 0; i < 3; ++i) {
            x[i] = audit_between(r, -1.0, 1.0);
        }
        n = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    } while (n < 0.1 || n > 1.0);
    for (int i = 0; i < 3; ++i) {
        x[i] /= n;
    }
}

static void quat_about(double *quat, const double *axis, double angle)
{
    const double s = sin(0.5 * angle);
    quat[0] = cos(0.5 * angle);
    for (int i = 0; i < 3; ++i) {
        quat[1 + i] = s * axis[i];
    }
}

static void draw_quaternion(audit_random *r, double *quat)
{
    double axis[3];
    draw_direction(r, axis);
    quat_about(quat, axis, audit_between(r, -3.1, 3.1));
}

// Upright, on a side, tilted slightly, or anyhow.
static void draw_attitude(theme *t, double *quat)
{
    static const double axis[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const int which = audit_pick(&t->r, 3);
    if (t->flat || audit_chance(&t->r, 0.4)) {
        set_identity(quat);
    } else if (audit_chance(&t->r, 0.3)) {
        quat_about(quat, axis[which], (1 + audit_pick(&t->r, 3)) * 0.5 * 3.14159265358979312);
    } else if (audit_chance(&t->r, 0.3)) {
        quat_about(quat, axis[which], audit_between(&t->r, -0.1, 0.1));
    } else {
        draw_quaternion(&t->r, quat);
    }
}

static void draw_axis(theme *t, double *axis)
{
    if (audit_chance(&t->r, 0.6)) {
        set3(axis, 0, 0, 0);
        axis[audit_pick(&t->r, 3)] = audit_chance(&t->r, 0.8) ? 1.0 : -1.0;
    } else {
        draw_direction(&t->r, axis);
    }
}

static void draw_point(theme *t, double *x, double reach)
{
    for (int i = 0; i < 3; ++i) {
        x[i] = audit_between(&t->r, -reach, reach);
    }
}

// Options

static double draw_step(audit_random *r)
{
    static const double usual[] = {1e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2};
    if (audit_chance(r, 0.7)) {
        return usual[audit_pick(r, 6)];
    }
    return audit_power(r, -5.0, -1.0);
}

static void draw_options(audit_options *o, theme *t)
{
    static const int directions[] = {4, 8, 8, 16};
    audit_random *r = &t->r;
    o->step = draw_step(r);
    set3(o->gravity, 0.0, 0.0, -9.81);
    if (audit_chance(r, 0.15)) {
        o->gravity[2] = 0.0;
    } else if (audit_chance(r, 0.15)) {
        draw_direction(r, o->gravity);
        const double g = audit_power(r, -1.0, 1.5);
        set3(o->gravity, g * o->gravity[0], g * o->gravity[1], g * o->gravity[2]);
    }
    o->impact_speed = audit_chance(r, 0.7) ? 0.01 : audit_chance(r, 0.5) ? 0.0 : audit_power(r, -4, 0);
    o->impact_rule = audit_chance(r, 0.7) ? 0 : 1 + audit_pick(r, 2);
    o->stabilisation = audit_chance(r, 0.8) ? 0 : 1;
    o->lcp_directions = directions[audit_pick(r, 4)];
    o->vi_disc = audit_chance(r, 0.15);
    o->vi_desaxce = !o->vi_disc && audit_chance(r, 0.2);
    o->slip_speed = audit_chance(r, 0.7) ? 1e-4 : audit_power(r, -6.0, -1.0);
    o->ode_integrator = audit_chance(r, 0.5);
    o->ode_stiffness = audit_chance(r, 0.5) ? 1e5 * t->mass : 0.0;
    o->accuracy = audit_chance(r, 0.03) ? audit_power(r, -4.0, -2.0) : 0.0;
    o->max_halvings = audit_chance(r, 0.6) ? 0 : audit_chance(r, 0.6) ? 1 : 6;
    o->sleep_speed = audit_chance(r, 0.04) ? audit_power(r, -4.0, -1.0) * t->length : 0.0;
    o->sleep_time = 5.0 * o->step;
    o->large_rotation = audit_chance(r, 0.85) ? 0.1 : audit_chance(r, 0.5) ? 0.01 : 1.0;
    o->disable_contact = audit_chance(r, 0.02);
}

// Materials

static audit_material draw_material(theme *t)
{
    audit_random *r = &t->r;
    audit_material m = {2e7, 2e4, 0.0, 0.3, 0.0, -1.0};
    const int which = audit_pick(r, 20);
    if (which < 7) {
        return m;
    }
    m.stiffness = which < 10 ? t->mass * audit_power(r, 2.0, 8.0) : audit_power(r, 0.0, 15.0);
    m.damping = audit_chance(r, 0.2)
                    ? 0.0
                    : 2.0 * audit_power(r, -2.0, 1.0) * sqrt(m.stiffness * t->mass);
    if (which >= 13 && which < 17) {
        m.restitution = audit_chance(r, 0.15)   ? 0.0
                        : audit_chance(r, 0.25) ? 1.0
                                                : audit_unit(r);
        m.stiffness = t->mass * audit_power(r, 3.0, 9.0);
    } else if (which == 17) {
        m.dissipation = audit_power(r, -2.0, 1.0);
    } else if (which >= 18) {
        m.youngs_modulus = audit_power(r, 5.0, 11.0);
        m.poisson = audit_between(r, 0.0, 0.5);
        m.dissipation = audit_chance(r, 0.5) ? audit_power(r, -2.0, 1.0) : 0.0;
    }
    return m;
}

static void draw_surface(theme *t, int *condim, double friction[3])
{
    audit_random *r = &t->r;
    *condim = t->condim;
    friction[0] = audit_chance(r, 0.1) ? 0.0 : audit_chance(r, 0.9) ? audit_unit(r) : 3.0 * audit_unit(r);
    friction[1] = t->length * audit_power(r, -3.0, -0.5);
    friction[2] = t->length * audit_power(r, -4.0, -1.0);
}

// Shapes

static void draw_mesh(theme *t, audit_mesh *m, double size)
{
    audit_random *r = &t->r;
    m->nface = 0;
    m->nvertex = 4 + audit_pick(r, 8);
    double extent[3];
    for (int i = 0; i < 3; ++i) {
        extent[i] = size * audit_between(r, 0.4, 1.0);
    }
    for (int k = 0; k < m->nvertex; ++k) {
        double d[3];
        draw_direction(r, d);
        if (k < 4) { // a tetrahedron, so that it is not flat
            static const double corner[4][3] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
            for (int i = 0; i < 3; ++i) {
                d[i] = 0.577 * corner[k][i] + 0.1 * d[i];
            }
        }
        for (int i = 0; i < 3; ++i) {
            m->vertex[k][i] = extent[i] * d[i];
        }
    }
}

static audit_geom *new_geom(audit_scene *s, theme *t, int body, audit_geom_kind kind)
{
    if (s->ngeom == AUDIT_GEOMS) {
        return NULL;
    }
    audit_geom *g = &s->geom[s->ngeom++];
    *g = (audit_geom){.body = body, .kind = kind, .contype = 1, .conaffinity = 1, .mesh = -1};
    set_identity(g->quat);
    g->material = audit_chance(&t->r, 0.8) ? t->material : draw_material(t);
    const audit_material *usual = &t->material;
    if ((g->material.youngs_modulus > 0.0) != (usual->youngs_modulus > 0.0) ||
        (g->material.restitution >= 0.0 && usual->dissipation > 0.0) ||
        (g->material.dissipation > 0.0 && usual->restitution >= 0.0)) {
        g->material = *usual;
    }
    draw_surface(t, &g->condim, g->friction);
    g->priority = audit_chance(&t->r, 0.95) ? 0 : 1;
    g->margin = audit_chance(&t->r, 0.9) ? 0.0 : 0.1 * t->length * audit_unit(&t->r);
    return g;
}

static void draw_shape(audit_scene *s, theme *t, int body, double size)
{
    static const audit_geom_kind any[] = {AUDIT_SPHERE,    AUDIT_CAPSULE, AUDIT_CYLINDER,
                                          AUDIT_ELLIPSOID, AUDIT_BOX,     AUDIT_BOX,
                                          AUDIT_MESH};
    audit_random *r = &t->r;
    audit_geom_kind kind = any[audit_pick(r, 7)];
    if (t->round) {
        kind = audit_chance(r, 0.7) ? AUDIT_SPHERE : AUDIT_ELLIPSOID;
    }
    if (kind == AUDIT_MESH && s->nmesh == AUDIT_MESHES) {
        kind = AUDIT_BOX;
    }
    audit_geom *g = new_geom(s, t, body, kind);
    if (!g) {
        return;
    }
    for (int i = 0; i < 3; ++i) {
        g->size[i] = size * audit_between(r, 0.3, 1.0);
    }
    if (audit_chance(r, 0.3)) { // round numbers make shapes touch along faces and edges
        set3(g->size, size, size, size);
    }
    if (kind == AUDIT_MESH) {
        g->mesh = s->nmesh;
        draw_mesh(t, &s->mesh[s->nmesh++], size);
    }
    if (audit_chance(r, 0.2)) {
        draw_point(t, g->pos, 0.3 * size);
        draw_attitude(t, g->quat);
    }
    if (audit_chance(r, 0.05)) {
        draw_point(t, g->surface_velocity, t->speed + 0.1 * t->length / t->duration);
    }
    if (kind == AUDIT_BOX && audit_chance(r, 0.05) && t->nsupport > 0 && body > 0 &&
        s->geom[t->support[0]].kind == AUDIT_PLANE) {
        g->foundation[0] = 1 + audit_pick(r, 3);
        g->foundation[1] = 1 + audit_pick(r, 3);
        g->foundation_modulus = t->mass * audit_power(r, 2.0, 7.0) / (size * size);
        g->foundation_depth = size;
        g->foundation_damping = audit_chance(r, 0.5) ? 0.0 : t->mass * audit_power(r, 0.0, 3.0);
    }
}

// How far a shape reaches along `d` (in the geom's frame) from its origin.
static double reach_of(const audit_scene *s, const audit_geom *g, v3 d)
{
    const double *a = g->size;
    switch (g->kind) {
    case AUDIT_SPHERE:
        return a[0];
    case AUDIT_CAPSULE:
        return a[0] + a[1] * fabs(d.z);
    case AUDIT_CYLINDER:
        return a[0] * sqrt(d.x * d.x + d.y * d.y) + a[1] * fabs(d.z);
    case AUDIT_ELLIPSOID:
        return sqrt(a[0] * a[0] * d.x * d.x + a[1] * a[1] * d.y * d.y + a[2] * a[2] * d.z * d.z);
    case AUDIT_BOX:
        return a[0] * fabs(d.x) + a[1] * fabs(d.y) + a[2] * fabs(d.z);
    case AUDIT_MESH: {
        const audit_mesh *m = &s->mesh[g->mesh];
        double most = -INFINITY;
        for (int i = 0; i < m->nvertex; ++i) {
            most = fmax(most, v3_dot(v3_load(m->vertex[i]), d));
        }
        return most;
    }
    case AUDIT_HFIELD:
        return d.z > 0.0 ? s->hfield.size[2] * d.z : 0.0;
    case AUDIT_PLANE:
        break;
    }
    return 0.0;
}

// The same for all geoms of a body at an attitude, from the body's origin, world axes.
static double body_reach(const audit_scene *s, int body, const m3 *R, v3 d)
{
    double most = 0.0;
    bool any = false;
    for (int i = 0; i < s->ngeom; ++i) {
        const audit_geom *g = &s->geom[i];
        if (g->body != body) {
            continue;
        }
        const m3 Rg = m3_of_quaternion(g->quat);
        const v3 in_body = m3_apply_transposed(R, d);
        const double reach = v3_dot(v3_load(g->pos), in_body) +
                             reach_of(s, g, m3_apply_transposed(&Rg, in_body));
        most = any ? fmax(most, reach) : reach;
        any = true;
    }
    return most;
}

// Ground

static void draw_hfield(audit_scene *s, theme *t)
{
    audit_hfield *h = &s->hfield;
    h->nrow = 2 + audit_pick(&t->r, 4);
    h->ncol = 2 + audit_pick(&t->r, 4);
    const int n = h->nrow * h->ncol;
    for (int i = 0; i < n; ++i) {
        h->elevation[i] = audit_unit(&t->r);
    }
    const int low = audit_pick(&t->r, n);
    h->elevation[low] = 0.0;
    h->elevation[(low + 1) % n] = 1.0;
    h->size[0] = 6.0 * t->length;
    h->size[1] = 5.0 * t->length;
    h->size[2] = t->length * audit_between(&t->r, 0.1, 1.0);
    h->size[3] = t->length;
}

static void draw_terrain_mesh(audit_scene *s, theme *t)
{
    audit_mesh *m = &s->mesh[s->nmesh++];
    const int n = 3;
    m->nvertex = n * n;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            double *x = m->vertex[i * n + j];
            set3(x, 5.0 * t->length * (j - 1), 5.0 * t->length * (i - 1),
                 audit_chance(&t->r, 0.5) ? 0.0 : t->length * audit_between(&t->r, -0.5, 0.0));
        }
    }
    m->nface = 0;
    for (int i = 0; i + 1 < n; ++i) {
        for (int j = 0; j + 1 < n; ++j) {
            const int a = i * n + j;
            int *f = m->face[m->nface++];
            f[0] = a, f[1] = a + 1, f[2] = a + n + 1;
            f = m->face[m->nface++];
            f[0] = a, f[1] = a + n + 1, f[2] = a + n;
        }
    }
    m->vertex[0][2] = 0.1 * t->length; // not all in one plane
}

static void draw_ground(audit_scene *s, theme *t)
{
    audit_random *r = &t->r;
    const int which = audit_pick(r, 20);
    audit_geom *g;
    if (which < 12 || t->round) {
        g = new_geom(s, t, 0, AUDIT_PLANE);
        set3(g->size, 10.0 * t->length, 10.0 * t->length, t->length);
    } else if (which < 15) {
        g = new_geom(s, t, 0, AUDIT_BOX);
        set3(g->size, 3.0 * t->length, 3.0 * t->length, t->length);
        g->pos[2] = -t->length;
    } else if (which < 18) {
        g = new_geom(s, t, 0, AUDIT_HFIELD);
        draw_hfield(s, t);
    } else {
        g = new_geom(s, t, 0, AUDIT_MESH);
        g->mesh = s->nmesh;
        draw_terrain_mesh(s, t);
    }
    t->support[t->nsupport++] = s->ngeom - 1;
    if (audit_chance(r, 0.25)) { // a slope
        double axis[3] = {1.0, 0.0, 0.0};
        quat_about(g->quat, axis, audit_between(r, -0.6, 0.6));
    }
    if (audit_chance(r, 0.08)) {
        draw_point(t, g->surface_velocity, t->speed + 0.1 * t->length / t->duration);
    }
    if (audit_chance(r, 0.1)) { // a wall
        double axis[3] = {0.0, 1.0, 0.0};
        audit_geom *wall = new_geom(s, t, 0, AUDIT_PLANE);
        set3(wall->size, 10.0 * t->length, 10.0 * t->length, t->length);
        quat_about(wall->quat, axis, audit_between(r, 1.0, 1.7));
        wall->pos[0] = -2.0 * t->length;
        t->support[t->nsupport++] = s->ngeom - 1;
    }
}

// Bodies and joints

static void draw_inertia(theme *t, audit_body *b, double size)
{
    audit_random *r = &t->r;
    b->mass = t->mass * (audit_chance(r, 0.8) ? audit_power(r, -0.5, 0.5) : audit_power(r, -2.0, 2.0));
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
    set3(b->inertia, a[1] + a[2], a[0] + a[2], a[0] + a[1]);
    set_identity(b->iquat);
    if (audit_chance(r, 0.3)) {
        draw_point(t, b->com, 0.3 * size);
    }
    if (audit_chance(r, 0.2)) {
        draw_quaternion(r, b->iquat);
    }
    b->gravcomp = audit_chance(r, 0.96) ? 0.0 : audit_between(r, 0.0, 2.0);
}

static void draw_range(theme *t, bool ball, double q, double width, double range[2])
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

static audit_bearing draw_bearing(theme *t, double inertia)
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

static void draw_joint(audit_scene *s, theme *t, int body, audit_joint_kind kind, double size)
{
    if (s->njoint == AUDIT_JOINTS) {
        return;
    }
    audit_random *r = &t->r;
    audit_joint *j = &s->joint[s->njoint++];
    *j = (audit_joint){.body = body, .kind = kind, .limit = {INFINITY, 0.0}};
    draw_axis(t, j->axis);
    if (kind != AUDIT_FREE && audit_chance(r, 0.6)) {
        draw_point(t, j->pos, size);
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
        j->frictionloss = inertia * (kind == AUDIT_SLIDE || kind == AUDIT_FREE ? size : 1.0) * rate *
                          rate * audit_power(r, -2.0, 0.5);
    }
}

static void draw_joint_limits(audit_scene *s, theme *t)
{
    for (int i = 0; i < s->njoint; ++i) {
        audit_joint *j = &s->joint[i];
        if (j->kind == AUDIT_FREE || !audit_chance(&t->r, t->p_joint_extra)) {
            continue;
        }
        const double m = s->body[j->body].mass, size = t->length;
        const double inertia = j->kind == AUDIT_SLIDE ? m : m * size * size;
        j->limited = true;
        draw_range(t, j->kind == AUDIT_BALL, s->q[j->q], j->kind == AUDIT_SLIDE ? size : 1.0,
                   j->range);
        j->limit = draw_bearing(t, inertia);
    }
}

static void draw_joints(audit_scene *s, theme *t, int body, bool child, double size)
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
static void place_body(audit_scene *s, theme *t, int body)
{
    audit_random *r = &t->r;
    audit_body *b = &s->body[body];
    draw_attitude(t, b->quat);
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
        base = reach_of(s, g, (v3){0, 0, 1});
        if (g->kind == AUDIT_HFIELD) {
            base *= audit_between(r, 0.3, 1.0);
        }
        v3 side = m3_apply(&Rg, (v3){audit_between(r, -2, 2) * t->length,
                                     audit_between(r, -2, 2) * t->length, 0});
        from = v3_add(from, side);
    } else if (other > 0) {
        const m3 Ro = m3_of_quaternion(s->body[other].quat);
        double d[3] = {0, 0, 1};
        if (audit_chance(r, 0.5)) {
            draw_direction(r, d);
        }
        n = v3_load(d);
        from = v3_load(s->body[other].pos);
        base = body_reach(s, other, &Ro, n);
    }
    const double below = body_reach(s, body, &R, v3_scale(n, -1.0));
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

static void draw_body(audit_scene *s, theme *t)
{
    audit_random *r = &t->r;
    const int body = s->nbody++;
    audit_body *b = &s->body[body];
    *b = (audit_body){.parent = 0, .mocap = -1};
    set_identity(b->quat);
    set_identity(b->iquat);
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
            draw_shape(s, t, body, size);
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
        draw_point(t, b->pos, 2.0 * size);
        draw_attitude(t, b->quat);
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
        draw_point(t, site->pos, size);
        draw_attitude(t, site->quat);
    }
}

// The pose as described.
static void set_reference(audit_scene *s)
{
    for (int i = 0; i < s->njoint; ++i) {
        const audit_joint *j = &s->joint[i];
        double *q = s->q + j->q;
        if (j->kind == AUDIT_FREE) {
            memcpy(q, s->body[j->body].pos, 3 * sizeof *q);
            memcpy(q + 3, s->body[j->body].quat, 4 * sizeof *q);
        } else if (j->kind == AUDIT_BALL) {
            set_identity(q);
        } else {
            q[0] = j->ref;
        }
    }
}

static void draw_start(audit_scene *s, theme *t, bool elsewhere)
{
    audit_random *r = &t->r;
    for (int i = 0; elsewhere && i < s->njoint; ++i) {
        const audit_joint *j = &s->joint[i];
        if (j->kind == AUDIT_BALL) {
            draw_quaternion(r, s->q + j->q);
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
            draw_point(t, v, t->speed);
            if (audit_chance(r, 0.5)) {
                v[2] = -fabs(v[2]);
            }
            if (audit_chance(r, 0.6)) {
                draw_point(t, v + 3, turning);
            }
            break;
        }
        case AUDIT_BALL:
            draw_point(t, v, turning);
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

// What couples joints

static int pick_scalar_joint(const audit_scene *s, theme *t)
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

static void draw_tendon(audit_scene *s, theme *t, audit_kinematics *k)
{
    audit_random *r = &t->r;
    audit_tendon *x = &s->tendon[s->ntendon];
    *x = (audit_tendon){.limit = {INFINITY, 0.0}};
    x->spatial = audit_chance(r, 0.6);
    bool moving = false;
    if (x->spatial) {
        const int n = 2 + audit_pick(r, 3);
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
                    x->wrap[x->nwrap++] = (audit_wrap){
                        AUDIT_WRAP_GEOM, g, audit_chance(r, 0.3) ? audit_pick(r, s->nsite) : -1, 1.0};
                    moving = moving || moves(k, s->geom[g].body);
                }
            }
            moving = moving || moves(k, s->site[site].body);
            x->wrap[x->nwrap++] = (audit_wrap){AUDIT_WRAP_SITE, site, -1, 1.0};
        }
        if (x->nwrap < 2 || !moving) {
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
        if (x->nwrap == 0) {
            return;
        }
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
        draw_range(t, false, length, t->length, x->range);
        if (x->spatial) {
            x->range[0] = fmax(0.0, x->range[0]);
            x->range[1] = fmax(x->range[0] + 0.01 * t->length, x->range[1]);
        }
        x->limit = draw_bearing(t, t->mass);
    }
}

static int pick_moving_body(const audit_scene *s, theme *t, const audit_kinematics *k)
{
    for (int i = 0; i < 8 && s->nbody > 1; ++i) {
        const int b = 1 + audit_pick(&t->r, s->nbody - 1);
        if (moves(k, b)) {
            return b;
        }
    }
    return -1;
}

static void draw_equality(audit_scene *s, theme *t, const audit_kinematics *described)
{
    audit_random *r = &t->r;
    audit_equality *e = &s->equality[s->nequality];
    *e = (audit_equality){.torquescale = 1.0};
    set_identity(e->relquat);
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
        draw_point(t, e->anchor, t->length);
        if (e->kind == AUDIT_WELD) {
            const m3 back = m3_transpose(&a->X.R);
            const m3 relative = m3_multiply(&back, &b->X.R);
            const v3 turn = m3_log(&relative);
            double axis[3];
            v3_store(axis, v3_unit(turn));
            quat_about(e->relquat, axis, v3_norm(turn));
            v3_store(e->relpos, m3_apply_transposed(&a->X.R, v3_sub(b->X.p, a->X.p)));
            e->torquescale = audit_chance(r, 0.7) ? 1.0 : t->length;
        }
        if (e->kind == AUDIT_DISTANCE) {
            draw_point(t, e->anchor2, t->length);
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
    e->bearing = draw_bearing(t, inertia);
    ++s->nequality;
}

static void draw_actuator(audit_scene *s, theme *t)
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

static audit_wave draw_wave(theme *t, double size)
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

static void draw_force(audit_scene *s, theme *t, const audit_kinematics *k)
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
        draw_point(t, f->pos, t->length);
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
        if ((joint >= 0 && s->motion[i].joint == joint) || (body >= 0 && s->motion[i].body == body)) {
            return true;
        }
    }
    return false;
}

static void draw_motions(audit_scene *s, theme *t)
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
        set_identity(s->body[b].quat);
        set_identity(s->mocap_quat[s->body[b].mocap]);
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
        m->bearing = draw_bearing(t, t->mass * travel * travel);
        m->position[0].constant = s->q[s->joint[j].q];
        m->position[0].rate = audit_chance(r, 0.5) ? 0.0 : s->v[s->joint[j].v];
        m->position[0].amplitude = 0.2 * travel * audit_unit(r);
        m->position[0].frequency = audit_power(r, -0.5, 0.5) / t->duration;
        if (audit_chance(r, 0.2)) {
            m->position[0].constant += 0.05 * travel;
        }
    }
}

static void draw_pairs(audit_scene *s, theme *t)
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
            p->material = t->round ? t->material : draw_material(t);
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

static int draw_condim(audit_random *r)
{
    static const int condim[] = {1, 3, 3, 3, 3, 3, 3, 4, 6, 6};
    return condim[audit_pick(r, 10)];
}

static theme draw_theme(audit_scene *s, audit_random *r)
{
    theme t = {.r = *r};
    const int which = audit_pick(&t.r, 10);
    t.length = audit_chance(&t.r, 0.8) ? audit_power(&t.r, -1.3, -0.3) : audit_power(&t.r, -2.0, 1.0);
    t.mass = audit_chance(&t.r, 0.7) ? 2000.0 * t.length * t.length * t.length
             : audit_chance(&t.r, 0.7) ? 1.0
                                       : audit_power(&t.r, -4.0, 4.0);
    t.mass = fmin(1e4, fmax(1e-4, t.mass));
    t.geoms = which < 7 || audit_chance(&t.r, 0.2);
    t.ground = t.geoms && audit_chance(&t.r, 0.9);
    t.p_child = which < 4 ? 0.08 : which < 7 ? 0.4 : 0.7;
    t.p_free = which < 4 ? 0.93 : which < 7 ? 0.6 : 0.2;
    t.p_joint_extra = audit_chance(&t.r, 0.4) ? 0.0 : which < 4 ? 0.1 : 0.25;
    t.flat = audit_chance(&t.r, 0.3);
    t.condim = draw_condim(&t.r);
    s->nsteps = 20 + audit_pick(&t.r, 31);
    return t;
}

void audit_generate(audit_scene *s, uint64_t seed)
{
    memset(s, 0, sizeof *s);
    s->seed = seed;
    audit_random r = audit_random_of(seed);
    theme t = draw_theme(s, &r);
    draw_options(&s->option, &t);
    t.duration = s->option.step * s->nsteps;
    const double g = sqrt(s->option.gravity[0] * s->option.gravity[0] +
                          s->option.gravity[1] * s->option.gravity[1] +
                          s->option.gravity[2] * s->option.gravity[2]);
    t.speed = fmin(t.length / t.duration * audit_power(&t.r, -1.0, 0.3),
                   audit_power(&t.r, -1.0, 1.5) + g * t.duration);
    t.material = draw_material(&t);
    t.round = t.material.youngs_modulus > 0.0;

    s->body[0] = (audit_body){.parent = -1, .mocap = -1};
    set_identity(s->body[0].quat);
    set_identity(s->body[0].iquat);
    s->nbody = 1;
    if (t.ground) {
        draw_ground(s, &t);
    }
    if (audit_chance(&t.r, 0.25)) {
        audit_site *site = &s->site[s->nsite++];
        *site = (audit_site){.body = 0};
        draw_point(&t, site->pos, 2.0 * t.length);
        set_identity(site->quat);
    }
    const int size = audit_pick(&t.r, 10);
    const int n = size < 3   ? 1
                  : size < 5 ? 2
                  : size < 9 ? 2 + audit_pick(&t.r, 3)
                             : 4 + audit_pick(&t.r, 5);
    for (int i = 0; i < n; ++i) {
        draw_body(s, &t);
    }
    audit_scene_layout(s);
    set_reference(s);

    static audit_kinematics k; // it is large
    audit_kin_place(&k, s, s->q, s->v, NULL);
    const bool couples = audit_chance(&t.r, 0.35);
    if (couples && audit_chance(&t.r, 0.5)) {
        const int ntendon = 1 + audit_chance(&t.r, 0.3);
        for (int i = 0; i < ntendon; ++i) {
            draw_tendon(s, &t, &k);
        }
    }
    if (couples && audit_chance(&t.r, 0.6)) {
        const int nequality = 1 + audit_chance(&t.r, 0.3);
        for (int i = 0; i < nequality; ++i) {
            draw_equality(s, &t, &k);
        }
    }
    draw_start(s, &t, audit_chance(&t.r, s->nequality > 0 ? 0.2 : 0.5));
    draw_joint_limits(s, &t);
    if (audit_chance(&t.r, 0.25)) {
        const int nactuator = 1 + audit_pick(&t.r, 2);
        for (int i = 0; i < nactuator; ++i) {
            draw_actuator(s, &t);
        }
    }
    if (audit_chance(&t.r, 0.12)) {
        draw_force(s, &t, &k);
    }
    draw_motions(s, &t);
    draw_pairs(s, &t);
    bool rows = s->ntendon + s->nequality + s->nmotion > 0 || s->ngeom > 1;
    for (int i = 0; i < s->njoint; ++i) {
        rows = rows || s->joint[i].limited || s->joint[i].frictionloss > 0.0;
    }
    if (!rows && audit_chance(&t.r, 0.3)) {
        s->option.integrator = audit_chance(&t.r, 0.5) ? AUDIT_RK4 : AUDIT_RK45;
    }
}
