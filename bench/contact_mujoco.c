// MuJoCo with its Newton solver: pyramids (with its defaults), true cones, and true cones with
// contacts as stiff as it takes them at this step. Compiled twice where a newer MuJoCo is there,
// too.
#include "contact_engine.h"

#include <mujoco/mujoco.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct engine {
    mjModel *m;
    mjData *d;
    int key; // −1: none
    const contact_scene *scene;
} engine;

static void destroy(void *self)
{
    engine *e = self;
    mj_deleteData(e->d);
    mj_deleteModel(e->m);
    free(e);
}

static void reset(void *self)
{
    engine *e = self;
    if (e->key >= 0) {
        mj_resetDataKeyframe(e->m, e->d, e->key);
    } else {
        mj_resetData(e->m, e->d);
    }
    const contact_scene *scene = e->scene;
    for (int i = scene->nfixed; i < scene->nbody; ++i) { // body 0 is the world
        mju_copy3(e->d->xfrc_applied + 6 * (i - scene->nfixed + 1), scene->body[i].force);
    }
}

// Warnings that mean that the motion is not one any more, or that contacts were left out.
static int troubles(const engine *e)
{
    static const int KIND[] = {mjWARN_CONTACTFULL, mjWARN_CNSTRFULL, mjWARN_BADQPOS, mjWARN_BADQVEL,
                               mjWARN_BADQACC};
    int sum = 0;
    for (size_t i = 0; i < sizeof KIND / sizeof *KIND; ++i) {
        sum += e->d->warning[KIND[i]].number;
    }
    return sum;
}

static bool run(void *self, int steps)
{
    engine *e = self;
    for (int i = 0; i < steps; ++i) {
        mj_step(e->m, e->d);
    }
    return troubles(e) == 0;
}

static void state(double *q, void *self)
{
    const engine *e = self;
    mju_copy(q, e->d->qpos, (int)e->m->nq); // 64 bits in newer ones
}

static int contacts(void *self)
{
    return ((const engine *)self)->d->ncon;
}

static void quiet(const char *message)
{
    (void)message; // counted by MuJoCo, looked at by run()
}

// What is fixed belongs to the world: a body without joints would touch twice.
static void write_body(FILE *file, const contact_scene *scene, const contact_body *b)
{
    static const char *const SHAPE[] = {
        [CONTACT_PLANE] = "plane", [CONTACT_SPHERE] = "sphere", [CONTACT_BOX] = "box"};
    const bool fixed = b->mass == 0.0;
    if (!fixed) {
        fprintf(file,
                "<body pos='%.17g %.17g %.17g'><freejoint/>"
                "<inertial pos='0 0 0' mass='%.17g' diaginertia='%.17g %.17g %.17g'/>",
                b->position[0], b->position[1], b->position[2], b->mass, b->moments[0],
                b->moments[1], b->moments[2]);
    }
    for (int i = 0; i < b->ngeom; ++i) {
        const contact_geom *g = &scene->geom[b->geom + i];
        const bool plane = g->shape == CONTACT_PLANE;
        double size[3], at[3];
        for (int k = 0; k < 3; ++k) {
            size[k] = plane ? 1.0 : g->size[k]; // to draw
            at[k] = g->position[k] + (fixed ? b->position[k] : 0.0);
        }
        fprintf(file, "<geom type='%s' size='%.17g %.17g %.17g' pos='%.17g %.17g %.17g'/>",
                SHAPE[g->shape], size[0], size[1], size[2], at[0], at[1], at[2]);
    }
    fprintf(file, "%s\n", fixed ? "" : "</body>");
}

static void write_size(FILE *file, const contact_scene *scene, int variant)
{
#if mjVERSION_HEADER < 230
    // Memory for the squares of rows and coordinates is taken at once, no more than 2 GB in all.
    const int rows = variant == CONTACT_MUJOCO_PYRAMID ? 4 : 3; // of a contact
    fprintf(file, "<size nconmax='%d' njmax='%d'/>\n", scene->most_contacts,
            rows * scene->most_contacts);
#else
    (void)scene;
    (void)variant;
    fprintf(file, "<size memory='1G'/>\n"); // far more than any scene uses
#endif
}

static void write_scene(FILE *file, const contact_scene *scene, int variant)
{
    fprintf(file, "<mujoco><option gravity='%.17g %.17g %.17g'/>", scene->gravity[0],
            scene->gravity[1], scene->gravity[2]);
    write_size(file, scene, variant);
    fprintf(file, "<default><geom friction='%.17g 0.005 0.0001'", scene->friction);
    if (scene->springs) { // for a unit of mass: what it has instead of springs
        fprintf(file, " solref='%.17g %.17g'", -scene->stiffness, -scene->damping);
    }
    fprintf(file, "/></default><worldbody>\n");
    for (int i = 0; i < scene->nbody; ++i) {
        write_body(file, scene, &scene->body[i]);
    }
    fprintf(file, "</worldbody></mujoco>\n");
}

static mjModel *load(const char *text, size_t bytes, char *why, size_t size)
{
    mjVFS *vfs = malloc(sizeof *vfs);
    if (!vfs) {
        return NULL;
    }
    mj_defaultVFS(vfs);
#if mjVERSION_HEADER < 313 // 3.1.3 has another way to give it a text
    mj_makeEmptyFileVFS(vfs, "scene.xml", (int)bytes);
    memcpy(vfs->filedata[mj_findFileVFS(vfs, "scene.xml")], text, bytes);
#else
    mj_addBufferVFS(vfs, "scene.xml", text, (int)bytes);
#endif
    mjModel *m = mj_loadXML("scene.xml", vfs, why, (int)size);
    mj_deleteVFS(vfs);
    free(vfs);
    return m;
}

// The shortest time constant that the solver takes (two steps), and impedance at its upper bound.
static void stiffen(mjModel *m)
{
    for (int i = 0; i < m->ngeom; ++i) {
        m->geom_solref[mjNREF * i] = 2.0 * m->opt.timestep;
        m->geom_solref[mjNREF * i + 1] = 1.0;
        m->geom_solimp[mjNIMP * i] = m->geom_solimp[mjNIMP * i + 1] = mjMAXIMP;
    }
}

void contact_mujoco(contact_engine *out, const contact_scene *scene, int variant)
{
    *out = (contact_engine){.self = NULL};
    snprintf(out->version, sizeof out->version, "%s", mj_versionString());
    mju_user_warning = quiet;
    engine *e = calloc(1, sizeof *e);
    char *text = NULL;
    size_t bytes = 0;
    FILE *file = e && !scene->text ? open_memstream(&text, &bytes) : NULL;
    if (file) {
        write_scene(file, scene, variant);
        fclose(file);
    }
    const char *mjcf = scene->text ? scene->text : text;
    if (e && mjcf) {
        e->m = load(mjcf, strlen(mjcf), out->why, sizeof out->why);
    }
    free(text);
    if (!e || !e->m) {
        free(e);
        return;
    }
    e->m->opt.timestep = scene->h;
    e->m->opt.solver = mjSOL_NEWTON;
    e->m->opt.cone = variant == CONTACT_MUJOCO_PYRAMID ? mjCONE_PYRAMIDAL : mjCONE_ELLIPTIC;
    e->m->opt.disableflags |= mjDSBL_SENSOR;
    if (variant == CONTACT_MUJOCO_STIFF && !scene->springs) {
        stiffen(e->m);
    }
    e->scene = scene;
    e->key = scene->keyframe ? mj_name2id(e->m, mjOBJ_KEY, scene->keyframe) : -1;
    e->d = mj_makeData(e->m);
    out->self = e;
    out->reset = reset;
    out->run = run;
    out->state = state;
    out->contacts = contacts;
    out->destroy = destroy;
    reset(e);
}
