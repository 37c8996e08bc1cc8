// Materials, shapes of bodies, and the ground.
#include "audit_draw.h"

#include <string.h>

// Materials

audit_material audit_draw_material(audit_theme *t)
{
    audit_random *r = &t->r;
    audit_material m = {2e7, 2e4, 0.0, 0.3, 0.0, -1.0};
    const int which = audit_pick(r, 20);
    if (which < 7) {
        return m;
    }
    m.stiffness = which < 10 ? t->mass * audit_power(r, 2.0, 8.0) : audit_power(r, 0.0, 15.0);
    m.damping =
        audit_chance(r, 0.2) ? 0.0 : 2.0 * audit_power(r, -2.0, 1.0) * sqrt(m.stiffness * t->mass);
    if (which >= 13 && which < 17) {
        m.restitution = audit_chance(r, 0.15) ? 0.0 : audit_chance(r, 0.25) ? 1.0 : audit_unit(r);
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

static void draw_surface(audit_theme *t, int *condim, double friction[3])
{
    audit_random *r = &t->r;
    *condim = t->condim;
    friction[0] = audit_chance(r, 0.1)   ? 0.0
                  : audit_chance(r, 0.9) ? audit_unit(r)
                                         : 3.0 * audit_unit(r);
    friction[1] = t->length * audit_power(r, -3.0, -0.5);
    friction[2] = t->length * audit_power(r, -4.0, -1.0);
}

// Shapes

static void draw_mesh(audit_theme *t, audit_mesh *m, double size)
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
        audit_draw_direction(r, d);
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

static audit_geom *new_geom(audit_scene *s, audit_theme *t, int body, audit_geom_kind kind)
{
    if (s->ngeom == AUDIT_GEOMS) {
        return NULL;
    }
    audit_geom *g = &s->geom[s->ngeom++];
    *g = (audit_geom){.body = body, .kind = kind, .contype = 1, .conaffinity = 1, .mesh = -1};
    audit_set_identity(g->quat);
    g->material = audit_chance(&t->r, 0.8) ? t->material : audit_draw_material(t);
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

void audit_draw_shape(audit_scene *s, audit_theme *t, int body, double size)
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
        audit_set3(g->size, size, size, size);
    }
    if (kind == AUDIT_MESH) {
        g->mesh = s->nmesh;
        draw_mesh(t, &s->mesh[s->nmesh++], size);
    }
    if (audit_chance(r, 0.2)) {
        audit_draw_point(t, g->pos, 0.3 * size);
        audit_draw_attitude(t, g->quat);
    }
    if (audit_chance(r, 0.05)) {
        audit_draw_point(t, g->surface_velocity, t->speed + 0.1 * t->length / t->duration);
    }
    if (kind == AUDIT_BOX && audit_chance(r, 0.08) && t->nsupport > 0 && body > 0 &&
        s->geom[t->support[0]].kind == AUDIT_PLANE) {
        g->foundation[0] = 1 + audit_pick(r, 3);
        g->foundation[1] = 1 + audit_pick(r, 3);
        g->foundation_modulus = t->mass * audit_power(r, 2.0, 7.0) / (size * size);
        g->foundation_depth = size;
        g->foundation_damping = audit_chance(r, 0.5) ? 0.0 : t->mass * audit_power(r, 0.0, 3.0);
    }
}

// How far a shape reaches along `d` (in the geom's frame) from its origin.
double audit_reach_of(const audit_scene *s, const audit_geom *g, v3 d)
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
double audit_body_reach(const audit_scene *s, int body, const m3 *R, v3 d)
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
                             audit_reach_of(s, g, m3_apply_transposed(&Rg, in_body));
        most = any ? fmax(most, reach) : reach;
        any = true;
    }
    return most;
}

// Ground

static void draw_hfield(audit_scene *s, audit_theme *t)
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

static void draw_terrain_mesh(audit_scene *s, audit_theme *t)
{
    audit_mesh *m = &s->mesh[s->nmesh++];
    const int n = 3;
    m->nvertex = n * n;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            double *x = m->vertex[i * n + j];
            audit_set3(x, 5.0 * t->length * (j - 1), 5.0 * t->length * (i - 1),
                       audit_chance(&t->r, 0.5) ? 0.0
                                                : t->length * audit_between(&t->r, -0.5, 0.0));
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

void audit_draw_ground(audit_scene *s, audit_theme *t)
{
    audit_random *r = &t->r;
    const int which = audit_pick(r, 20);
    audit_geom *g;
    if (which < 12 || t->round) {
        g = new_geom(s, t, 0, AUDIT_PLANE);
        audit_set3(g->size, 10.0 * t->length, 10.0 * t->length, t->length);
    } else if (which < 15) {
        g = new_geom(s, t, 0, AUDIT_BOX);
        audit_set3(g->size, 3.0 * t->length, 3.0 * t->length, t->length);
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
        audit_quat_about(g->quat, axis, audit_between(r, -0.6, 0.6));
    }
    if (audit_chance(r, 0.08)) {
        audit_draw_point(t, g->surface_velocity, t->speed + 0.1 * t->length / t->duration);
    }
    if (audit_chance(r, 0.1)) { // a wall
        double axis[3] = {0.0, 1.0, 0.0};
        audit_geom *wall = new_geom(s, t, 0, AUDIT_PLANE);
        audit_set3(wall->size, 10.0 * t->length, 10.0 * t->length, t->length);
        audit_quat_about(wall->quat, axis, audit_between(r, 1.0, 1.7));
        wall->pos[0] = -2.0 * t->length;
        t->support[t->nsupport++] = s->ngeom - 1;
    }
}
