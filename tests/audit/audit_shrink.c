// Reductions are tried in turn, from the largest to the smallest, until none of them succeeds. Each
// makes a copy of the scene, changes it, and keeps it where the predicate says so.
#include "audit_shrink.h"

#include <math.h>
#include <string.h>

typedef struct shrinker {
    audit_scene *best;
    audit_scene trial;
    audit_predicate still;
    audit_advance advance;
    bool (*expired)(void *context);
    void *context;
    bool changed;
} shrinker;

// Keep the trial where it is another scene and still shows the violation.
static bool keep(shrinker *x)
{
    if (memcmp(&x->trial, x->best, sizeof x->trial) == 0 || x->expired(x->context) ||
        !x->still(x->context, &x->trial)) {
        return false;
    }
    *x->best = x->trial;
    x->changed = true;
    return true;
}

static audit_scene *begin(shrinker *x)
{
    x->trial = *x->best;
    return &x->trial;
}

// Removal. Each keeps all numbers of the scene consistent.

#define REMOVE(array, count, i)                                                                    \
    do {                                                                                           \
        memmove(&(array)[i], &(array)[(i) + 1], (size_t)((count) - (i)-1) * sizeof(array)[0]);     \
        --(count);                                                                                 \
        memset(&(array)[count], 0, sizeof(array)[0]);                                              \
    } while (0)

static void remove_actuator(audit_scene *s, int i)
{
    REMOVE(s->actuator, s->nactuator, i);
}

static void remove_equality(audit_scene *s, int i)
{
    REMOVE(s->equality, s->nequality, i);
}

static void remove_tendon(audit_scene *s, int i)
{
    REMOVE(s->tendon, s->ntendon, i);
    for (int k = s->nequality - 1; k >= 0; --k) {
        audit_equality *e = &s->equality[k];
        if (e->kind != AUDIT_EQ_TENDON) {
            continue;
        }
        if (e->object[0] == i || e->object[1] == i) {
            remove_equality(s, k);
        } else {
            e->object[0] -= e->object[0] > i;
            e->object[1] -= e->object[1] > i;
        }
    }
    for (int k = s->nactuator - 1; k >= 0; --k) {
        audit_actuator *a = &s->actuator[k];
        if (a->target == AUDIT_ON_TENDON && a->object == i) {
            remove_actuator(s, k);
        } else if (a->target == AUDIT_ON_TENDON) {
            a->object -= a->object > i;
        }
    }
}

static void remove_from_paths(audit_scene *s, audit_wrap_kind kind, int object)
{
    for (int i = s->ntendon - 1; i >= 0; --i) {
        audit_tendon *t = &s->tendon[i];
        for (int k = t->nwrap - 1; k >= 0; --k) {
            audit_wrap *w = &t->wrap[k];
            if (w->kind == kind && w->object == object) {
                REMOVE(t->wrap, t->nwrap, k);
                continue;
            }
            w->object -= w->kind == kind && w->object > object;
            if (kind == AUDIT_WRAP_SITE && w->kind == AUDIT_WRAP_GEOM) {
                w->side = w->side == object ? -1 : w->side - (w->side > object);
            }
        }
        if (!audit_tendon_is_path(t)) {
            remove_tendon(s, i);
        }
    }
}

static void remove_pair(audit_scene *s, int i)
{
    REMOVE(s->pair, s->npair, i);
}

// Meshes and terrain that no geom has are left out.
static void prune_assets(audit_scene *s)
{
    bool terrain = false;
    for (int k = 0; k < s->ngeom; ++k) {
        terrain = terrain || s->geom[k].kind == AUDIT_HFIELD;
    }
    if (!terrain) {
        memset(&s->hfield, 0, sizeof s->hfield);
    }
    for (int m = s->nmesh - 1; m >= 0; --m) {
        bool used = false;
        for (int k = 0; k < s->ngeom; ++k) {
            used = used || (s->geom[k].kind == AUDIT_MESH && s->geom[k].mesh == m);
        }
        if (!used) {
            REMOVE(s->mesh, s->nmesh, m);
            for (int k = 0; k < s->ngeom; ++k) {
                s->geom[k].mesh -= s->geom[k].mesh > m;
            }
        }
    }
}

static void remove_geom(audit_scene *s, int i)
{
    REMOVE(s->geom, s->ngeom, i);
    remove_from_paths(s, AUDIT_WRAP_GEOM, i);
    for (int k = s->npair - 1; k >= 0; --k) {
        audit_pair *p = &s->pair[k];
        if (p->geom[0] == i || p->geom[1] == i) {
            remove_pair(s, k);
        } else {
            p->geom[0] -= p->geom[0] > i;
            p->geom[1] -= p->geom[1] > i;
        }
    }
    prune_assets(s);
}

static void remove_site(audit_scene *s, int i)
{
    REMOVE(s->site, s->nsite, i);
    remove_from_paths(s, AUDIT_WRAP_SITE, i);
    for (int k = s->nactuator - 1; k >= 0; --k) {
        audit_actuator *a = &s->actuator[k];
        if (a->target == AUDIT_ON_SITE && a->object == i) {
            remove_actuator(s, k);
        } else if (a->target == AUDIT_ON_SITE) {
            a->object -= a->object > i;
        }
    }
}

static void remove_joint(audit_scene *s, int i)
{
    static const int nq[] = {7, 4, 1, 1}, nv[] = {6, 3, 1, 1};
    const audit_joint old = s->joint[i];
    const int n = nq[old.kind], m = nv[old.kind];
    memmove(s->q + old.q, s->q + old.q + n, (size_t)(s->nq - old.q - n) * sizeof *s->q);
    memmove(s->v + old.v, s->v + old.v + m, (size_t)(s->nv - old.v - m) * sizeof *s->v);
    memset(s->q + s->nq - n, 0, (size_t)n * sizeof *s->q);
    memset(s->v + s->nv - m, 0, (size_t)m * sizeof *s->v);
    REMOVE(s->joint, s->njoint, i);
    audit_scene_layout(s);
    remove_from_paths(s, AUDIT_WRAP_JOINT, i);
    for (int k = s->nequality - 1; k >= 0; --k) {
        audit_equality *e = &s->equality[k];
        if (e->kind != AUDIT_EQ_JOINT) {
            continue;
        }
        if (e->object[0] == i || e->object[1] == i) {
            remove_equality(s, k);
        } else {
            e->object[0] -= e->object[0] > i;
            e->object[1] -= e->object[1] > i;
        }
    }
    for (int k = s->nactuator - 1; k >= 0; --k) {
        audit_actuator *a = &s->actuator[k];
        if (a->target == AUDIT_ON_JOINT && a->object == i) {
            remove_actuator(s, k);
        } else if (a->target == AUDIT_ON_JOINT) {
            a->object -= a->object > i;
        }
    }
    for (int k = s->nforce - 1; k >= 0; --k) {
        if (s->force[k].joint == i) {
            REMOVE(s->force, s->nforce, k);
        } else {
            s->force[k].joint -= s->force[k].joint > i;
        }
    }
    for (int k = s->nmotion - 1; k >= 0; --k) {
        if (s->motion[k].joint == i) {
            REMOVE(s->motion, s->nmotion, k);
        } else {
            s->motion[k].joint -= s->motion[k].joint > i;
        }
    }
}

static void remove_one_body(audit_scene *s, int b)
{
    for (int i = s->njoint - 1; i >= 0; --i) {
        if (s->joint[i].body == b) {
            remove_joint(s, i);
        } else {
            s->joint[i].body -= s->joint[i].body > b;
        }
    }
    for (int i = s->ngeom - 1; i >= 0; --i) {
        if (s->geom[i].body == b) {
            remove_geom(s, i);
        }
    }
    for (int i = 0; i < s->ngeom; ++i) {
        s->geom[i].body -= s->geom[i].body > b;
    }
    for (int i = s->nsite - 1; i >= 0; --i) {
        if (s->site[i].body == b) {
            remove_site(s, i);
        }
    }
    for (int i = 0; i < s->nsite; ++i) {
        s->site[i].body -= s->site[i].body > b;
    }
    for (int i = s->nequality - 1; i >= 0; --i) {
        audit_equality *e = &s->equality[i];
        if (e->kind == AUDIT_EQ_JOINT || e->kind == AUDIT_EQ_TENDON) {
            continue;
        }
        if (e->object[0] == b || e->object[1] == b) {
            remove_equality(s, i);
        } else {
            e->object[0] -= e->object[0] > b;
            e->object[1] -= e->object[1] > b;
        }
    }
    for (int i = s->nforce - 1; i >= 0; --i) {
        if (s->force[i].body == b) {
            REMOVE(s->force, s->nforce, i);
        } else {
            s->force[i].body -= s->force[i].body > b;
        }
    }
    for (int i = s->nmotion - 1; i >= 0; --i) {
        if (s->motion[i].body == b) {
            REMOVE(s->motion, s->nmotion, i);
        } else {
            s->motion[i].body -= s->motion[i].body > b;
        }
    }
    for (int i = s->nexclude - 1; i >= 0; --i) {
        if (s->exclude[i][0] == b || s->exclude[i][1] == b) {
            REMOVE(s->exclude, s->nexclude, i);
        } else {
            s->exclude[i][0] -= s->exclude[i][0] > b;
            s->exclude[i][1] -= s->exclude[i][1] > b;
        }
    }
    const int mocap = s->body[b].mocap;
    if (mocap >= 0) {
        int n = s->nmocap;
        REMOVE(s->mocap_pos, n, mocap);
        REMOVE(s->mocap_quat, s->nmocap, mocap);
    }
    REMOVE(s->body, s->nbody, b);
    for (int i = 1; i < s->nbody; ++i) {
        s->body[i].parent -= s->body[i].parent > b;
        s->body[i].mocap -= mocap >= 0 && s->body[i].mocap > mocap;
    }
}

static void remove_body(audit_scene *s, int b)
{
    int last = b; // its subtree follows it
    while (last + 1 < s->nbody && s->body[last + 1].parent >= b) {
        ++last;
    }
    for (int i = last; i >= b; --i) {
        remove_one_body(s, i);
    }
}

static void try_removals(shrinker *x)
{
#define TRY_EACH(count, call)                                                                      \
    for (int i = x->best->count - 1; i >= 0; --i) {                                                \
        audit_scene *s = begin(x);                                                                 \
        if (i < s->count) {                                                                        \
            call;                                                                                  \
            (void)keep(x);                                                                         \
        }                                                                                          \
    }
    for (int i = x->best->nbody - 1; i >= 1; --i) {
        audit_scene *s = begin(x);
        if (i < s->nbody) {
            remove_body(s, i);
            (void)keep(x);
        }
    }
    TRY_EACH(nequality, remove_equality(s, i))
    TRY_EACH(ntendon, remove_tendon(s, i))
    TRY_EACH(nactuator, remove_actuator(s, i))
    TRY_EACH(npair, remove_pair(s, i))
    TRY_EACH(nexclude, REMOVE(s->exclude, s->nexclude, i))
    TRY_EACH(nforce, REMOVE(s->force, s->nforce, i))
    TRY_EACH(nmotion, REMOVE(s->motion, s->nmotion, i))
    TRY_EACH(ngeom, remove_geom(s, i))
    TRY_EACH(njoint, remove_joint(s, i))
    TRY_EACH(nsite, remove_site(s, i))
    for (int i = x->best->ntendon - 1; i >= 0; --i) {
        for (int k = x->best->tendon[i].nwrap - 1; k >= 0; --k) {
            audit_scene *s = begin(x);
            if (i < s->ntendon && k < s->tendon[i].nwrap) {
                REMOVE(s->tendon[i].wrap, s->tendon[i].nwrap, k);
                if (audit_tendon_is_path(&s->tendon[i])) {
                    (void)keep(x);
                }
            }
        }
    }
}

// Steps

static void try_steps(shrinker *x)
{
    for (int n = 1; n < x->best->nsteps; n *= 2) {
        audit_scene *s = begin(x);
        s->nsteps = n;
        if (keep(x)) {
            return;
        }
    }
    for (int cut = x->best->nsteps / 2; cut > 0; cut /= 2) {
        while (x->best->nsteps > cut) {
            audit_scene *s = begin(x);
            s->nsteps -= cut;
            if (!keep(x)) {
                break;
            }
        }
    }
    for (int cut = x->best->nsteps - 1; cut > 0; cut /= 2) {
        audit_scene *s = begin(x);
        if (s->nsteps > cut && x->advance(x->context, s, cut)) {
            s->nsteps -= cut;
            (void)keep(x);
        }
    }
}

// Features that are switched off

static void identity(double *quat)
{
    quat[0] = 1.0;
    quat[1] = quat[2] = quat[3] = 0.0;
}

#define TRY(change)                                                                                \
    do {                                                                                           \
        audit_scene *s = begin(x);                                                                 \
        change;                                                                                    \
        (void)keep(x);                                                                             \
    } while (0)

static void try_options(shrinker *x)
{
    TRY(s->option.max_halvings = 0);
    TRY(s->option.accuracy = 0.0);
    TRY(s->option.sleep_speed = 0.0);
    TRY(s->option.large_rotation = 0.1);
    TRY(s->option.impact_rule = 0);
    TRY(s->option.impact_speed = 0.01);
    TRY(s->option.stabilisation = 0);
    TRY(s->option.lcp_directions = 8);
    TRY(s->option.vi_disc = 0);
    TRY(s->option.vi_desaxce = false);
    TRY(s->option.slip_speed = 1e-4);
    TRY(s->option.ode_stiffness = 0.0);
    TRY(s->option.ode_integrator = 0);
    TRY(s->option.disable_contact = false);
    TRY(s->option.integrator = AUDIT_SEMI_IMPLICIT);
    TRY(memset(s->option.gravity, 0, sizeof s->option.gravity));
    const double *g = x->best->option.gravity;
    if (g[0] != 0.0 || g[1] != 0.0) {
        TRY((s->option.gravity[0] = s->option.gravity[1] = 0.0, s->option.gravity[2] = -9.81));
    }
    TRY(memset(s->v, 0, sizeof s->v));
}

static void try_bodies(shrinker *x)
{
    for (int i = 1; i < x->best->nbody; ++i) {
        TRY(memset(s->body[i].com, 0, sizeof s->body[i].com));
        TRY(identity(s->body[i].iquat));
        TRY(identity(s->body[i].quat));
        TRY(s->body[i].gravcomp = 0.0);
        TRY(s->body[i].inertia[1] = s->body[i].inertia[2] = s->body[i].inertia[0]);
        for (int k = 0; k < 3; ++k) {
            TRY(s->body[i].pos[k] = 0.0);
        }
    }
}

static void try_joints(shrinker *x)
{
    for (int i = 0; i < x->best->njoint; ++i) {
        TRY(s->joint[i].limited = false);
        TRY(s->joint[i].stiffness = 0.0);
        TRY(s->joint[i].damping = 0.0);
        TRY(s->joint[i].armature = 0.0);
        TRY(s->joint[i].frictionloss = 0.0);
        TRY(s->joint[i].ref = 0.0);
        TRY(s->joint[i].springref = 0.0);
        TRY(memset(s->joint[i].pos, 0, sizeof s->joint[i].pos));
        TRY((s->joint[i].limit.stiffness = INFINITY, s->joint[i].limit.damping = 0.0));
        const double *axis = x->best->joint[i].axis;
        const bool along = axis[0] == 1.0 || axis[1] == 1.0 || axis[2] == 1.0;
        for (int k = 0; k < 3 && !along; ++k) {
            TRY((memset(s->joint[i].axis, 0, sizeof s->joint[i].axis), s->joint[i].axis[k] = 1.0));
        }
        if (x->best->joint[i].kind == AUDIT_FREE) {
            TRY(identity(s->q + s->joint[i].q + 3));
            TRY(memset(s->v + s->joint[i].v + 3, 0, 3 * sizeof *s->v));
            TRY(memset(s->v + s->joint[i].v, 0, 3 * sizeof *s->v));
            TRY(memcpy(s->q + s->joint[i].q, s->body[s->joint[i].body].pos, 3 * sizeof *s->q));
        } else if (x->best->joint[i].kind == AUDIT_BALL) {
            TRY(identity(s->q + s->joint[i].q));
        }
    }
}

static const audit_material PLAIN = {2e7, 2e4, 0.0, 0.3, 0.0, -1.0};

static void try_geoms(shrinker *x)
{
    for (int i = 0; i < x->best->ngeom; ++i) {
        TRY(memset(s->geom[i].pos, 0, sizeof s->geom[i].pos));
        TRY(identity(s->geom[i].quat));
        TRY(s->geom[i].margin = 0.0);
        TRY(s->geom[i].priority = 0);
        TRY(memset(s->geom[i].surface_velocity, 0, sizeof s->geom[i].surface_velocity));
        TRY(s->geom[i].condim = 1);
        if (x->best->geom[i].condim > 3) {
            TRY(s->geom[i].condim = 3);
        }
        TRY(s->geom[i].material = PLAIN);
        TRY(s->geom[i].material.dissipation = 0.0);
        if (x->best->geom[i].material.restitution >= 0.0) {
            TRY(s->geom[i].material.restitution = -1.0);
        }
        TRY((s->geom[i].foundation[0] = s->geom[i].foundation[1] = 0));
        if (x->best->geom[i].foundation[0] > 0) {
            TRY((s->geom[i].foundation[0] = s->geom[i].foundation[1] = 1));
        }
        TRY(s->geom[i].contype = s->geom[i].conaffinity = 0);
        if (x->best->geom[i].kind != AUDIT_PLANE && x->best->geom[i].kind != AUDIT_HFIELD) {
            TRY((s->geom[i].kind = AUDIT_SPHERE,
                 s->geom[i].size[0] = s->geom[i].size[0] > 0.0 ? s->geom[i].size[0] : 0.1,
                 prune_assets(s)));
        }
        if (x->best->geom[i].body == 0) {
            TRY((s->geom[i].kind = AUDIT_PLANE, s->geom[i].size[0] = s->geom[i].size[1] = 1.0,
                 s->geom[i].size[2] = 0.1, prune_assets(s)));
        }
    }
    for (int i = 0; i < x->best->nmesh; ++i) {
        for (int k = x->best->mesh[i].nvertex - 1; k >= 0 && x->best->mesh[i].nface == 0; --k) {
            TRY(REMOVE(s->mesh[i].vertex, s->mesh[i].nvertex, k));
        }
    }
    for (int i = 0; i < x->best->npair; ++i) {
        TRY(s->pair[i].condim = 1);
        if (x->best->pair[i].condim > 3) {
            TRY(s->pair[i].condim = 3);
        }
        TRY(s->pair[i].margin = 0.0);
        TRY(s->pair[i].material = PLAIN);
        TRY(s->pair[i].friction[1] = s->pair[i].friction[0]);
    }
}

static void try_couplings(shrinker *x)
{
    for (int i = 0; i < x->best->ntendon; ++i) {
        TRY(s->tendon[i].limited = false);
        TRY(s->tendon[i].stiffness = 0.0);
        TRY(s->tendon[i].damping = 0.0);
        TRY(s->tendon[i].frictionloss = 0.0);
        TRY(s->tendon[i].armature = 0.0);
        TRY((s->tendon[i].limit.stiffness = INFINITY, s->tendon[i].limit.damping = 0.0));
    }
    for (int i = 0; i < x->best->nequality; ++i) {
        TRY((s->equality[i].bearing.stiffness = INFINITY, s->equality[i].bearing.damping = 0.0));
        TRY(s->equality[i].polycoef[2] = 0.0);
        TRY(s->equality[i].polycoef[0] = 0.0);
        TRY(s->equality[i].torquescale = 1.0);
        TRY(memset(s->equality[i].anchor, 0, sizeof s->equality[i].anchor));
    }
    for (int i = 0; i < x->best->nactuator; ++i) {
        TRY(s->actuator[i].activation = AUDIT_ACT_NONE);
        TRY(s->actuator[i].force_limited = false);
        TRY(s->actuator[i].ctrl_limited = false);
        TRY(s->actuator[i].ctrl = 0.0);
        TRY(s->actuator[i].kv = 0.0);
    }
    for (int i = 0; i < x->best->nforce; ++i) {
        TRY(memset(s->force[i].pos, 0, sizeof s->force[i].pos));
        TRY(s->force[i].local = false);
        for (int k = 0; k < 3; ++k) {
            TRY(memset(&s->force[i].force[k], 0, sizeof s->force[i].force[k]));
            TRY(memset(&s->force[i].torque[k], 0, sizeof s->force[i].torque[k]));
        }
    }
    for (int i = 0; i < x->best->nmotion; ++i) {
        TRY((s->motion[i].bearing.stiffness = INFINITY, s->motion[i].bearing.damping = 0.0));
        for (int k = 0; k < 3; ++k) {
            TRY(memset(&s->motion[i].rotation[k], 0, sizeof s->motion[i].rotation[k]));
            TRY(s->motion[i].position[k].amplitude = 0.0);
            TRY(s->motion[i].position[k].rate = 0.0);
        }
    }
}

// Numbers

typedef struct numbers {
    double *at[4096];
    int n;
} numbers;

static void list(numbers *out, double *x, int n)
{
    for (int i = 0; i < n && out->n < 4096; ++i) {
        out->at[out->n++] = &x[i];
    }
}

// Those that may be rounded on their own: neither quaternions nor axes.
static void list_all(numbers *out, audit_scene *s)
{
    out->n = 0;
    list(out, &s->option.step, 1);
    list(out, s->option.gravity, 3);
    for (int i = 1; i < s->nbody; ++i) {
        audit_body *b = &s->body[i];
        list(out, b->pos, 3);
        list(out, &b->mass, 1);
        list(out, b->com, 3);
        list(out, b->inertia, 3);
    }
    for (int i = 0; i < s->njoint; ++i) {
        audit_joint *j = &s->joint[i];
        list(out, j->pos, 3);
        list(out, &j->ref, 1);
        list(out, &j->stiffness, 1);
        list(out, &j->springref, 1);
        list(out, &j->damping, 1);
        list(out, &j->armature, 1);
        list(out, &j->frictionloss, 1);
        list(out, j->range, 2);
        list(out, &j->limit.stiffness, 1);
        list(out, &j->limit.damping, 1);
        list(out, s->q + j->q, j->kind == AUDIT_BALL ? 0 : j->kind == AUDIT_FREE ? 3 : 1);
    }
    list(out, s->v, s->nv);
    for (int i = 0; i < s->ngeom; ++i) {
        audit_geom *g = &s->geom[i];
        list(out, g->pos, 3);
        list(out, g->size, 3);
        list(out, &g->margin, 1);
        list(out, g->friction, 3);
        list(out, &g->material.stiffness, 1);
        list(out, &g->material.damping, 1);
        list(out, &g->material.youngs_modulus, 1);
        list(out, &g->material.dissipation, 1);
        list(out, &g->material.restitution, 1);
        list(out, g->surface_velocity, 3);
        list(out, &g->foundation_modulus, 1);
        list(out, &g->foundation_depth, 1);
        list(out, &g->foundation_damping, 1);
    }
    for (int i = 0; i < s->nmesh; ++i) {
        list(out, &s->mesh[i].vertex[0][0], 3 * s->mesh[i].nvertex);
    }
    list(out, s->hfield.elevation, s->hfield.nrow * s->hfield.ncol);
    list(out, s->hfield.size, s->hfield.nrow > 0 ? 4 : 0);
    for (int i = 0; i < s->nsite; ++i) {
        list(out, s->site[i].pos, 3);
    }
    for (int i = 0; i < s->ntendon; ++i) {
        audit_tendon *t = &s->tendon[i];
        list(out, t->range, 2);
        list(out, &t->limit.stiffness, 1);
        list(out, &t->limit.damping, 1);
        list(out, &t->stiffness, 1);
        list(out, &t->damping, 1);
        list(out, &t->frictionloss, 1);
        list(out, &t->armature, 1);
        list(out, t->springlength, 2);
        for (int k = 0; k < t->nwrap; ++k) {
            list(out, &t->wrap[k].coefficient, 1);
        }
    }
    for (int i = 0; i < s->nequality; ++i) {
        audit_equality *e = &s->equality[i];
        list(out, e->anchor, 3);
        list(out, e->anchor2, 3);
        list(out, e->relpos, 3);
        list(out, &e->distance, 1);
        list(out, e->polycoef, 5);
        list(out, &e->bearing.stiffness, 1);
        list(out, &e->bearing.damping, 1);
    }
    for (int i = 0; i < s->nactuator; ++i) {
        audit_actuator *a = &s->actuator[i];
        list(out, a->gear, 6);
        list(out, &a->kp, 1);
        list(out, &a->kv, 1);
        list(out, &a->time_constant, 1);
        list(out, a->ctrl_range, 2);
        list(out, a->force_range, 2);
        list(out, &a->ctrl, 1);
    }
    for (int i = 0; i < s->npair; ++i) {
        audit_pair *p = &s->pair[i];
        list(out, p->friction, 5);
        list(out, &p->material.stiffness, 1);
        list(out, &p->material.damping, 1);
        list(out, &p->material.restitution, 1);
    }
    for (int i = 0; i < s->nforce; ++i) {
        list(out, s->force[i].pos, 3);
        for (int k = 0; k < 3; ++k) {
            list(out, &s->force[i].force[k].constant, 5);
            list(out, &s->force[i].torque[k].constant, 5);
        }
    }
    for (int i = 0; i < s->nmotion; ++i) {
        for (int k = 0; k < 3; ++k) {
            list(out, &s->motion[i].position[k].constant, 5);
            list(out, &s->motion[i].rotation[k].constant, 5);
        }
    }
    for (int i = 0; i < s->nmocap; ++i) {
        list(out, s->mocap_pos[i], 3);
    }
}

static double rounded(double x, int digits)
{
    if (x == 0.0 || !isfinite(x)) {
        return x;
    }
    const int power = digits - 1 - (int)floor(log10(fabs(x)));
    // Powers of ten up to 1e22 are exact, and so is the nearest decimal number.
    return power >= 0 ? round(x * pow(10.0, power)) / pow(10.0, power)
                      : round(x / pow(10.0, -power)) * pow(10.0, -power);
}

static void try_numbers(shrinker *x)
{
    static numbers list_of;
    for (int digits = 1; digits <= 3; ++digits) { // all at once
        list_all(&list_of, begin(x));
        for (int i = 0; i < list_of.n; ++i) {
            *list_of.at[i] = rounded(*list_of.at[i], digits);
        }
        if (keep(x)) {
            break;
        }
    }
    list_all(&list_of, begin(x));
    const int n = list_of.n;
    for (int i = 0; i < n && !x->expired(x->context); ++i) {
        list_all(&list_of, begin(x));
        const double now = i < list_of.n ? *list_of.at[i] : 0.0;
        if (now == 0.0 || !isfinite(now)) {
            continue;
        }
        *list_of.at[i] = 0.0;
        if (keep(x)) {
            continue;
        }
        for (int digits = 1; digits <= 3 && rounded(now, digits - 1 > 0 ? digits - 1 : 1) != now;
             ++digits) {
            list_all(&list_of, begin(x));
            *list_of.at[i] = rounded(now, digits);
            if (keep(x)) {
                break;
            }
        }
    }
}

void audit_shrink(audit_scene *scene, audit_predicate still, audit_advance advance,
                  bool (*expired)(void *context), void *context)
{
    static shrinker x; // it is large
    x = (shrinker){
        .best = scene, .still = still, .advance = advance, .expired = expired, .context = context};
    do {
        x.changed = false;
        try_steps(&x);
        try_removals(&x);
        try_options(&x);
        try_couplings(&x);
        try_joints(&x);
        try_bodies(&x);
        try_geoms(&x);
        if (!x.changed) {
            try_numbers(&x);
        }
    } while (x.changed && !expired(context));
}
