// ODE with its defaults, with its direct solver (dWorldStep) or its iterative one
// (dWorldQuickStep). Friction is its pyramid, in proportion to the normal force (dContactApprox1).
// Where the scene asks for springs, ODE's two numbers for them are those of an implicit spring and
// damper.
#include "contact_engine.h"

#include <ode/ode.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_POINTS = 8 };

typedef struct engine {
    const contact_scene *scene;
    int variant;
    dWorldID world;
    dSpaceID space;
    dJointGroupID group;
    dBodyID *body;
    dSurfaceParameters surface;
    int ncontact;
} engine;

static void destroy(void *self)
{
    engine *e = self;
    dJointGroupDestroy(e->group);
    dSpaceDestroy(e->space);
    dWorldDestroy(e->world);
    dCloseODE();
    free(e->body);
    free(e);
}

static void reset(void *self)
{
    engine *e = self;
    for (int i = e->scene->nfixed; i < e->scene->nbody; ++i) {
        const dQuaternion level = {1.0, 0.0, 0.0, 0.0};
        const double *p = e->scene->body[i].position;
        dBodySetPosition(e->body[i], p[0], p[1], p[2]);
        dBodySetQuaternion(e->body[i], level);
        dBodySetLinearVel(e->body[i], 0.0, 0.0, 0.0);
        dBodySetAngularVel(e->body[i], 0.0, 0.0, 0.0);
    }
    dRandSetSeed(0); // the iterative solver shuffles its rows
}

static void touch(void *context, dGeomID a, dGeomID b)
{
    engine *e = context;
    const dBodyID body[2] = {dGeomGetBody(a), dGeomGetBody(b)};
    if (body[0] == body[1]) {
        return; // both fixed, or of one body
    }
    dContactGeom at[MOST_POINTS];
    const int n = dCollide(a, b, MOST_POINTS, at, sizeof *at);
    for (int i = 0; i < n; ++i) {
        const dContact contact = {.surface = e->surface, .geom = at[i]};
        dJointAttach(dJointCreateContact(e->world, e->group, &contact), body[0], body[1]);
    }
    e->ncontact += n;
}

static bool run(void *self, int steps)
{
    engine *e = self;
    const contact_scene *scene = e->scene;
    for (int s = 0; s < steps; ++s) {
        for (int i = scene->nfixed; i < scene->nbody; ++i) {
            const double *f = scene->body[i].force;
            dBodyAddForce(e->body[i], f[0], f[1], f[2]);
        }
        e->ncontact = 0;
        dSpaceCollide(e->space, e, touch);
        const int fine = e->variant == CONTACT_ODE_DIRECT ? dWorldStep(e->world, scene->h)
                                                          : dWorldQuickStep(e->world, scene->h);
        dJointGroupEmpty(e->group);
        if (!fine) {
            return false;
        }
    }
    for (int i = scene->nfixed; i < scene->nbody; ++i) {
        if (!isfinite(dBodyGetPosition(e->body[i])[2])) {
            return false;
        }
    }
    return true;
}

static void state(double *q, void *self)
{
    const engine *e = self;
    for (int i = e->scene->nfixed; i < e->scene->nbody; ++i) {
        const dReal *p = dBodyGetPosition(e->body[i]), *r = dBodyGetQuaternion(e->body[i]);
        for (int k = 0; k < 3; ++k) {
            *q++ = p[k];
        }
        for (int k = 0; k < 4; ++k) {
            *q++ = r[k];
        }
    }
}

static int contacts(void *self)
{
    return ((const engine *)self)->ncontact;
}

static void add_body(engine *e, int i)
{
    const contact_body *b = &e->scene->body[i];
    if (b->mass > 0.0) {
        dMass mass;
        dMassSetParameters(&mass, b->mass, 0.0, 0.0, 0.0, b->moments[0], b->moments[1],
                           b->moments[2], 0.0, 0.0, 0.0);
        e->body[i] = dBodyCreate(e->world);
        dBodySetMass(e->body[i], &mass);
    }
    for (int k = 0; k < b->ngeom; ++k) {
        const contact_geom *g = &e->scene->geom[b->geom + k];
        const double *a = g->size, *p = g->position;
        const dGeomID geom =
            g->shape == CONTACT_PLANE    ? dCreatePlane(e->space, 0.0, 0.0, 1.0, b->position[2])
            : g->shape == CONTACT_SPHERE ? dCreateSphere(e->space, a[0])
                                         : dCreateBox(e->space, 2.0 * a[0], 2.0 * a[1], 2.0 * a[2]);
        if (b->mass > 0.0) {
            dGeomSetBody(geom, e->body[i]);
            dGeomSetOffsetPosition(geom, p[0], p[1], p[2]);
        } else if (g->shape != CONTACT_PLANE) {
            dGeomSetPosition(geom, b->position[0] + p[0], b->position[1] + p[1],
                             b->position[2] + p[2]);
        }
    }
}

void contact_ode(contact_engine *out, const contact_scene *scene, int variant)
{
    *out = (contact_engine){.self = NULL};
    snprintf(out->version, sizeof out->version, "0.16.2");
    if (scene->text) {
        snprintf(out->why, sizeof out->why, "joints and servos are not translated");
        return;
    }
    engine *e = calloc(1, sizeof *e);
    dBodyID *body = calloc((size_t)scene->nbody, sizeof *body);
    if (!e || !body) {
        free(e);
        free(body);
        return;
    }
    dInitODE();
    *e = (engine){.scene = scene, .variant = variant, .body = body};
    e->world = dWorldCreate();
    e->space = dHashSpaceCreate(NULL);
    e->group = dJointGroupCreate(0);
    dWorldSetGravity(e->world, scene->gravity[0], scene->gravity[1], scene->gravity[2]);
    e->surface.mode = dContactApprox1;
    e->surface.mu = scene->friction;
    if (scene->springs) {
        const double stiff = scene->h * scene->stiffness + scene->damping;
        e->surface.mode |= dContactSoftERP | dContactSoftCFM;
        e->surface.soft_erp = scene->h * scene->stiffness / stiff;
        e->surface.soft_cfm = 1.0 / stiff;
    }
    for (int i = 0; i < scene->nbody; ++i) {
        add_body(e, i);
    }
    out->self = e;
    out->reset = reset;
    out->run = run;
    out->state = state;
    out->contacts = contacts;
    out->destroy = destroy;
    reset(e);
}
