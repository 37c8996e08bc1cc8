#include "engine_mujoco.h"

#include "bench_chain.h"

#include <mujoco/mujoco.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct mujoco_engine {
    mjModel *m;
    mjData *d;
    double *q0, *v0, *activation0;
} mujoco_engine;

static void destroy(void *self)
{
    mujoco_engine *e = self;
    mj_deleteData(e->d);
    mj_deleteModel(e->m);
    free(e->q0);
    free(e->v0);
    free(e->activation0);
    free(e);
}

static void reset(void *self)
{
    mujoco_engine *e = self;
    mju_copy(e->d->qpos, e->q0, e->m->nq);
    mju_copy(e->d->qvel, e->v0, e->m->nv);
    mju_copy(e->d->act, e->activation0, e->m->na);
    e->d->time = 0.0;
}

static void start(void *self, const double *q, const double *v)
{
    mujoco_engine *e = self;
    mju_copy(e->q0, q, e->m->nq);
    mju_copy(e->v0, v, e->m->nv);
    reset(e);
}

// MuJoCo answers a diverging state with a warning and a reset: not a motion any more.
static int divergences(const mujoco_engine *e)
{
    return e->d->warning[mjWARN_BADQPOS].number + e->d->warning[mjWARN_BADQVEL].number +
           e->d->warning[mjWARN_BADQACC].number;
}

static bool run(void *self, int steps)
{
    mujoco_engine *e = self;
    const int before = divergences(e);
    for (int i = 0; i < steps; ++i) {
        mj_step(e->m, e->d);
    }
    return divergences(e) == before;
}

static void state(double *q, double *v, void *self)
{
    const mujoco_engine *e = self;
    mju_copy(q, e->d->qpos, e->m->nq);
    mju_copy(v, e->d->qvel, e->m->nv);
}

static void repeat_kinematics(void *self, int times)
{
    mujoco_engine *e = self;
    for (int i = 0; i < times; ++i) {
        mj_kinematics(e->m, e->d);
        mj_comPos(e->m, e->d);
        mj_camlight(e->m, e->d);
        mj_comVel(e->m, e->d);
    }
}

static void repeat_forces(void *self, int times)
{
    mujoco_engine *e = self;
    for (int i = 0; i < times; ++i) {
        mj_tendon(e->m, e->d);
        mj_transmission(e->m, e->d);
        mj_fwdActuation(e->m, e->d);
        mj_passive(e->m, e->d);
    }
}

static void repeat_bias(void *self, int times)
{
    mujoco_engine *e = self;
    for (int i = 0; i < times; ++i) {
        mj_rne(e->m, e->d, 0, e->d->qfrc_bias);
    }
}

static void repeat_factor(void *self, int times)
{
    mujoco_engine *e = self;
    for (int i = 0; i < times; ++i) {
        mj_crb(e->m, e->d);
        mj_factorM(e->m, e->d);
    }
}

static void repeat_solve(void *self, int times)
{
    mujoco_engine *e = self;
    for (int i = 0; i < times; ++i) {
        mj_fwdAcceleration(e->m, e->d);
    }
}

// With joint damping this includes a second factorisation, of M + h D.
static void repeat_integrate(void *self, int times)
{
    mujoco_engine *e = self;
    for (int i = 0; i < times; ++i) {
        mj_Euler(e->m, e->d);
    }
}

static void repeat_checks(void *self, int times)
{
    mujoco_engine *e = self;
    for (int i = 0; i < times; ++i) {
        mj_checkPos(e->m, e->d);
        mj_checkVel(e->m, e->d);
        mj_checkAcc(e->m, e->d);
    }
}

static const bench_stage STAGES[] = {
    {"kinematics", repeat_kinematics},
    {"forces", repeat_forces},
    {"velocity terms", repeat_bias},
    {"factor", repeat_factor},
    {"solve", repeat_solve},
    {"checks", repeat_checks},
    {"integrate", repeat_integrate}, // last: it moves the state
    {NULL, NULL},
};

static mjModel *load_chain(int links, char *why, size_t size)
{
    mjVFS *vfs = malloc(sizeof *vfs);
    if (!vfs) {
        return NULL;
    }
    mj_defaultVFS(vfs);
    char *text;
    for (int part = 0; (text = bench_chain_mjcf(links, part)) != NULL; ++part) {
        char name[64];
        snprintf(name, sizeof name, "chain_part_%d.xml", part);
        const int bytes = (int)strlen(text);
        mj_makeEmptyFileVFS(vfs, name, bytes);
        memcpy(vfs->filedata[mj_findFileVFS(vfs, name)], text, (size_t)bytes);
        free(text);
    }
    mjModel *m = mj_loadXML("chain_part_0.xml", vfs, why, (int)size);
    mj_deleteVFS(vfs);
    free(vfs);
    return m;
}

static mjModel *load_text(const char *text, char *why, size_t size)
{
    mjVFS *vfs = malloc(sizeof *vfs);
    if (!vfs) {
        return NULL;
    }
    mj_defaultVFS(vfs);
    const int bytes = (int)strlen(text);
    mj_makeEmptyFileVFS(vfs, "scene.xml", bytes);
    memcpy(vfs->filedata[mj_findFileVFS(vfs, "scene.xml")], text, (size_t)bytes);
    mjModel *m = mj_loadXML("scene.xml", vfs, why, (int)size);
    mj_deleteVFS(vfs);
    free(vfs);
    return m;
}

static void quiet(const char *message)
{
    (void)message; // counted by MuJoCo, looked at by run()
}

// The shortest time constant that the solver takes (two steps), and impedance at its upper bound.
static void stiffen(double *solref, double *solimp, int n, double h)
{
    for (int i = 0; i < n; ++i) {
        solref[mjNREF * i] = 2.0 * h;
        solref[mjNREF * i + 1] = 1.0;
        solimp[mjNIMP * i] = solimp[mjNIMP * i + 1] = mjMAXIMP;
    }
}

static void apply(mujoco_engine *e, const bench_setup *setup)
{
    mjOption *option = &e->m->opt;
    option->timestep = setup->h;
    option->integrator = setup->method == BENCH_RK4 ? mjINT_RK4 : mjINT_EULER;
    option->disableflags |= mjDSBL_CONTACT; // bench_contact.c measures it
    if (!setup->sensors) {
        option->disableflags |= mjDSBL_SENSOR;
    }
    if (setup->stiff) {
        stiffen(e->m->eq_solref, e->m->eq_solimp, e->m->neq, setup->h);
        stiffen(e->m->jnt_solref, e->m->jnt_solimp, e->m->njnt, setup->h);
        stiffen(e->m->dof_solref, e->m->dof_solimp, e->m->nv, setup->h);
    }
    if (setup->conservative) {
        option->disableflags |= mjDSBL_ACTUATION;
        mju_zero(e->m->dof_damping, e->m->nv);
    }
}

void bench_mujoco(bench_engine *out, const bench_setup *setup, char *why, size_t size)
{
    *out = (bench_engine){.name = "mujoco"};
    mju_user_warning = quiet;
    mujoco_engine *e = calloc(1, sizeof *e);
    if (!e) {
        return;
    }
    why[0] = '\0';
    e->m = setup->path   ? mj_loadXML(setup->path, NULL, why, (int)size)
           : setup->text ? load_text(setup->text, why, size)
                         : load_chain(setup->links, why, size);
    if (!e->m) {
        free(e);
        return;
    }
    apply(e, setup);
    e->d = mj_makeData(e->m);
    if (setup->keyframe) {
        const int key = mj_name2id(e->m, mjOBJ_KEY, setup->keyframe);
        if (key < 0) {
            snprintf(why, size, "no keyframe '%s'", setup->keyframe);
            destroy(e);
            return;
        }
        mj_resetDataKeyframe(e->m, e->d, key);
    }
    e->q0 = calloc((size_t)e->m->nq + 1, sizeof(double));
    e->v0 = calloc((size_t)e->m->nv + 1, sizeof(double));
    e->activation0 = calloc((size_t)e->m->na + 1, sizeof(double));
    if (!e->q0 || !e->v0 || !e->activation0) {
        destroy(e);
        return;
    }
    state(e->q0, e->v0, e);
    mju_copy(e->activation0, e->d->act, e->m->na);

    snprintf(out->version, sizeof out->version, "%s", mj_versionString());
    out->self = e;
    out->start = start;
    out->reset = reset;
    out->run = run;
    out->state = state;
    out->stages = STAGES;
    out->destroy = destroy;
}
