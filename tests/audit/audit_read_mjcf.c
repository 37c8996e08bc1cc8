// Scenes read back from the text that audit_write_mjcf.c writes, so that a reduced file can be kept
// and audited again. No reader of MJCF: anything else is refused.
#include "audit_scene.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ATTRIBUTES = 40, NAME = 40 };

typedef struct tag {
    char name[NAME];
    bool closes, empty; // </name>, <name/>
    int n;
    struct {
        char name[NAME];
        const char *value; // up to its quote
        size_t length;
        bool used;
    } a[ATTRIBUTES];
} tag;

typedef struct reader {
    audit_scene *s;
    const char *at;
    int body; // that the elements are in
    int tendon;
    char problem[160];
} reader;

static void fail(reader *r, const char *what, const char *name)
{
    if (r->problem[0] == '\0') {
        (void)snprintf(r->problem, sizeof r->problem, "%s '%.60s'", what, name);
    }
}

static const char *skip_name(char *out, const char *at)
{
    size_t n = 0;
    while (*at && !isspace((unsigned char)*at) && !strchr("=/>\"<", *at)) {
        if (n + 1 < NAME) {
            out[n++] = *at;
        }
        ++at;
    }
    out[n] = '\0';
    return at;
}

static const char *skip_space(const char *at)
{
    while (isspace((unsigned char)*at)) {
        ++at;
    }
    return at;
}

// The next tag; false at the end of the text. Comments are skipped.
static bool next_tag(reader *r, tag *t)
{
    const char *at = strchr(r->at, '<');
    while (at && strncmp(at, "<!--", 4) == 0) {
        at = strstr(at, "-->");
        at = at ? strchr(at, '<') : NULL;
    }
    if (!at) {
        return false;
    }
    *t = (tag){.closes = at[1] == '/'};
    at = skip_name(t->name, at + 1 + t->closes);
    for (;;) {
        at = skip_space(at);
        if (*at == '/' || *at == '>' || *at == '\0') {
            break;
        }
        if (t->n == ATTRIBUTES) {
            fail(r, "too many attributes of", t->name);
            return false;
        }
        at = skip_name(t->a[t->n].name, at);
        const char *end = at[0] == '=' && at[1] == '"' ? strchr(at + 2, '"') : NULL;
        if (!end) {
            fail(r, "no value of", t->a[t->n].name);
            return false;
        }
        t->a[t->n].value = at + 2;
        t->a[t->n].length = (size_t)(end - at - 2);
        t->n++;
        at = end + 1;
    }
    t->empty = *at == '/';
    r->at = strchr(at, '>');
    return r->at != NULL;
}

static const char *get(tag *t, const char *name)
{
    for (int i = 0; i < t->n; ++i) {
        if (strcmp(t->a[i].name, name) == 0) {
            t->a[i].used = true;
            return t->a[i].value;
        }
    }
    return NULL;
}

static int numbers(tag *t, const char *name, double *out, int most)
{
    const char *at = get(t, name);
    int n = 0;
    while (at && *at != '"' && n < most) {
        char *end;
        const double x = strtod(at, &end);
        if (end == at) {
            break;
        }
        out[n++] = x;
        at = skip_space(end);
    }
    return n;
}

static int integers(tag *t, const char *name, int *out, int most)
{
    double x[3 * AUDIT_FACES];
    const int n = numbers(t, name, x, most);
    for (int i = 0; i < n; ++i) {
        out[i] = (int)x[i];
    }
    return n;
}

static bool says(tag *t, const char *name, const char *word)
{
    const char *value = get(t, name);
    return value && strncmp(value, word, strlen(word)) == 0 && value[strlen(word)] == '"';
}

// The number of the element that a name such as "b3" stands for.
static int reference(tag *t, const char *name, int missing)
{
    const char *value = get(t, name);
    return value ? atoi(value + 1) : missing;
}

static int keyword(reader *r, tag *t, const char *name, const char *const *word, int n, int missing)
{
    if (!get(t, name)) {
        return missing;
    }
    for (int i = 0; i < n; ++i) {
        if (says(t, name, word[i])) {
            return i;
        }
    }
    fail(r, "unknown keyword of", name);
    return missing;
}

static void placement(tag *t, double *pos, double *quat)
{
    numbers(t, "pos", pos, 3);
    quat[0] = 1.0;
    numbers(t, "quat", quat, 4);
}

static audit_bearing bearing(tag *t, const char *stiffness, const char *damping)
{
    audit_bearing b = {INFINITY, 0.0};
    numbers(t, stiffness, &b.stiffness, 1);
    numbers(t, damping, &b.damping, 1);
    return b;
}

static audit_material material(tag *t)
{
    audit_material m = {2e7, 2e4, 0.0, 0.3, 0.0, -1.0};
    numbers(t, "dp:stiffness", &m.stiffness, 1);
    numbers(t, "dp:damping", &m.damping, 1);
    numbers(t, "dp:youngs_modulus", &m.youngs_modulus, 1);
    numbers(t, "dp:poisson", &m.poisson, 1);
    numbers(t, "dp:dissipation", &m.dissipation, 1);
    numbers(t, "dp:restitution", &m.restitution, 1);
    return m;
}

static void read_option(reader *r, tag *t)
{
    static const char *const law[] = {"compliant", "lcp", "ncp", "vi", "tamsi", "ode"};
    static const char *const integrator[] = {"semi-implicit", "rk4", "rk45", "implicit-euler"};
    static const char *const rule[] = {"expedient", "poisson", "newton"};
    static const char *const stabilisation[] = {"gap", "projection"};
    static const char *const friction[] = {"cone", "disc"};
    audit_options *o = &r->s->option;
    *o = (audit_options){.impact_speed = 0.01,
                         .lcp_directions = 8,
                         .slip_speed = 1e-4,
                         .max_halvings = 6,
                         .large_rotation = 0.1};
    o->law = (audit_law)keyword(r, t, "law", law, AUDIT_LAWS, 0);
    numbers(t, "step", &o->step, 1);
    numbers(t, "gravity", o->gravity, 3);
    const int by = keyword(r, t, "integrator", integrator, 4, 0);
    o->ode_integrator = by == 3;
    o->integrator = by == 3 ? AUDIT_SEMI_IMPLICIT : (audit_integrator)by;
    (void)get(t, "ledger");
    (void)get(t, "max_substeps");
    o->impact_rule = keyword(r, t, "impact.rule", rule, 3, 0);
    numbers(t, "impact.speed", &o->impact_speed, 1);
    o->stabilisation = keyword(r, t, "rigid.stabilisation", stabilisation, 2, 0);
    integers(t, "lcp.directions", &o->lcp_directions, 1);
    o->vi_disc = keyword(r, t, "vi.friction", friction, 2, 0);
    o->vi_desaxce = says(t, "vi.desaxce", "true");
    numbers(t, "friction.slip_speed", &o->slip_speed, 1);
    numbers(t, "ode.stiffness", &o->ode_stiffness, 1);
    numbers(t, "accuracy", &o->accuracy, 1);
    integers(t, "max_halvings", &o->max_halvings, 1);
    numbers(t, "sleep_speed", &o->sleep_speed, 1);
    numbers(t, "sleep_time", &o->sleep_time, 1);
    numbers(t, "large_rotation", &o->large_rotation, 1);
    o->disable_contact = says(t, "disable_contact", "true");
}

static void read_mesh(reader *r, tag *t)
{
    audit_mesh *m = &r->s->mesh[r->s->nmesh++];
    m->nvertex = numbers(t, "vertex", &m->vertex[0][0], 3 * AUDIT_VERTICES) / 3;
    m->nface = integers(t, "face", &m->face[0][0], 3 * AUDIT_FACES) / 3;
}

static void read_hfield(reader *r, tag *t)
{
    audit_hfield *h = &r->s->hfield;
    integers(t, "nrow", &h->nrow, 1);
    integers(t, "ncol", &h->ncol, 1);
    numbers(t, "size", h->size, 4);
    double turned[AUDIT_GRID];
    numbers(t, "elevation", turned, AUDIT_GRID);
    for (int i = 0; i < h->nrow && h->nrow * h->ncol <= AUDIT_GRID; ++i) {
        memcpy(h->elevation + i * h->ncol, turned + (h->nrow - 1 - i) * h->ncol,
               (size_t)h->ncol * sizeof *turned);
    }
}

static void read_body(reader *r, tag *t)
{
    audit_scene *s = r->s;
    audit_body *b = &s->body[s->nbody];
    *b = (audit_body){.parent = r->body, .mocap = -1, .iquat = {1.0, 0.0, 0.0, 0.0}};
    placement(t, b->pos, b->quat);
    numbers(t, "gravcomp", &b->gravcomp, 1);
    if (says(t, "mocap", "true")) {
        b->mocap = s->nmocap++;
    }
    r->body = s->nbody++;
}

static void read_inertial(reader *r, tag *t)
{
    audit_body *b = &r->s->body[r->body];
    numbers(t, "pos", b->com, 3);
    numbers(t, "quat", b->iquat, 4);
    numbers(t, "mass", &b->mass, 1);
    numbers(t, "diaginertia", b->inertia, 3);
}

static void read_joint(reader *r, tag *t)
{
    static const char *const kind[] = {"free", "ball", "hinge", "slide"};
    audit_joint *j = &r->s->joint[r->s->njoint++];
    *j = (audit_joint){.body = r->body, .axis = {0.0, 0.0, 1.0}};
    j->kind = (audit_joint_kind)keyword(r, t, "type", kind, 4, AUDIT_HINGE);
    numbers(t, "pos", j->pos, 3);
    numbers(t, "axis", j->axis, 3);
    numbers(t, "ref", &j->ref, 1);
    numbers(t, "springref", &j->springref, 1);
    numbers(t, "stiffness", &j->stiffness, 1);
    numbers(t, "damping", &j->damping, 1);
    numbers(t, "armature", &j->armature, 1);
    numbers(t, "frictionloss", &j->frictionloss, 1);
    j->limited = numbers(t, "range", j->range, 2) == 2;
    j->limit = bearing(t, "dp:stiffness", "dp:damping");
}

static void read_geom(reader *r, tag *t)
{
    static const char *const kind[] = {"plane",     "sphere", "capsule", "cylinder",
                                       "ellipsoid", "box",    "mesh",    "hfield"};
    audit_geom *g = &r->s->geom[r->s->ngeom++];
    *g = (audit_geom){.body = r->body, .contype = 1, .conaffinity = 1, .mesh = -1, .condim = 3};
    g->kind = (audit_geom_kind)keyword(r, t, "type", kind, 8, AUDIT_SPHERE);
    numbers(t, "size", g->size, 3);
    g->mesh = reference(t, "mesh", -1);
    (void)get(t, "hfield");
    (void)get(t, "mass");
    placement(t, g->pos, g->quat);
    integers(t, "contype", &g->contype, 1);
    integers(t, "conaffinity", &g->conaffinity, 1);
    integers(t, "condim", &g->condim, 1);
    integers(t, "priority", &g->priority, 1);
    numbers(t, "margin", &g->margin, 1);
    numbers(t, "friction", g->friction, 3);
    numbers(t, "dp:surface_velocity", g->surface_velocity, 3);
    if (integers(t, "dp:foundation", g->foundation, 2) == 2) {
        numbers(t, "dp:youngs_modulus", &g->foundation_modulus, 1);
        numbers(t, "dp:depth", &g->foundation_depth, 1);
        numbers(t, "dp:damping", &g->foundation_damping, 1);
        g->material = (audit_material){2e7, 2e4, 0.0, 0.3, 0.0, -1.0};
    } else {
        g->material = material(t);
    }
}

static void read_pair(reader *r, tag *t)
{
    audit_pair *p = &r->s->pair[r->s->npair++];
    *p = (audit_pair){.geom = {reference(t, "geom1", 0), reference(t, "geom2", 0)}};
    integers(t, "condim", &p->condim, 1);
    numbers(t, "friction", p->friction, 5);
    numbers(t, "margin", &p->margin, 1);
    p->material = material(t);
}

static void read_tendon(reader *r, tag *t)
{
    r->tendon = r->s->ntendon++;
    audit_tendon *x = &r->s->tendon[r->tendon];
    *x = (audit_tendon){.spatial = strcmp(t->name, "spatial") == 0};
    x->limited = numbers(t, "range", x->range, 2) == 2;
    x->limit = bearing(t, "dp:stiffness", "dp:damping");
    numbers(t, "stiffness", &x->stiffness, 1);
    numbers(t, "damping", &x->damping, 1);
    numbers(t, "springlength", x->springlength, 2);
    numbers(t, "frictionloss", &x->frictionloss, 1);
    numbers(t, "armature", &x->armature, 1);
}

static void read_wrap(reader *r, tag *t)
{
    audit_tendon *x = &r->s->tendon[r->tendon];
    if (x->nwrap == AUDIT_WRAPS) {
        fail(r, "too many stations at", t->name);
        return;
    }
    audit_wrap *w = &x->wrap[x->nwrap++];
    *w = (audit_wrap){.side = -1, .coefficient = 1.0};
    w->kind = strcmp(t->name, "joint") == 0  ? AUDIT_WRAP_JOINT
              : strcmp(t->name, "site") == 0 ? AUDIT_WRAP_SITE
              : strcmp(t->name, "geom") == 0 ? AUDIT_WRAP_GEOM
                                             : AUDIT_WRAP_PULLEY;
    w->object = reference(t, t->name, -1);
    w->side = reference(t, "sidesite", -1);
    numbers(t, w->kind == AUDIT_WRAP_PULLEY ? "divisor" : "coef", &w->coefficient, 1);
}

static void read_equality(reader *r, tag *t, audit_equality_kind kind)
{
    audit_equality *e = &r->s->equality[r->s->nequality++];
    *e = (audit_equality){.kind = kind, .torquescale = 1.0, .relquat = {1.0, 0.0, 0.0, 0.0}};
    const char *what = kind == AUDIT_EQ_JOINT    ? "joint"
                       : kind == AUDIT_EQ_TENDON ? "tendon"
                                                 : "body";
    char name[NAME];
    (void)snprintf(name, sizeof name, "%s1", what);
    e->object[0] = reference(t, name, 0);
    (void)snprintf(name, sizeof name, "%s2", what);
    e->object[1] = reference(t, name, *what == 'b' ? 0 : -1);
    double relative[7];
    if (numbers(t, "relpose", relative, 7) == 7) {
        memcpy(e->relpos, relative, sizeof e->relpos);
        memcpy(e->relquat, relative + 3, sizeof e->relquat);
    }
    numbers(t, "anchor", e->anchor, 3);
    numbers(t, "anchor1", e->anchor, 3);
    numbers(t, "anchor2", e->anchor2, 3);
    numbers(t, "distance", &e->distance, 1);
    numbers(t, "torquescale", &e->torquescale, 1);
    numbers(t, "polycoef", e->polycoef, 5);
    e->bearing = bearing(t, "dp:stiffness", "dp:damping");
}

static void read_actuator(reader *r, tag *t)
{
    static const char *const dynamics[] = {"none", "integrator", "filter", "filterexact"};
    audit_actuator *a = &r->s->actuator[r->s->nactuator++];
    *a = (audit_actuator){.time_constant = 1.0};
    a->kind = strcmp(t->name, "position") == 0   ? AUDIT_POSITION
              : strcmp(t->name, "velocity") == 0 ? AUDIT_VELOCITY
                                                 : AUDIT_MOTOR;
    a->target = get(t, "tendon") ? AUDIT_ON_TENDON
                : get(t, "site") ? AUDIT_ON_SITE
                                 : AUDIT_ON_JOINT;
    a->object = reference(t,
                          a->target == AUDIT_ON_TENDON ? "tendon"
                          : a->target == AUDIT_ON_SITE ? "site"
                                                       : "joint",
                          0);
    numbers(t, "gear", a->gear, 6);
    numbers(t, "kp", &a->kp, 1);
    numbers(t, "kv", &a->kv, 1);
    a->activation = (audit_activation)keyword(r, t, "dyntype", dynamics, 4, 0);
    numbers(t, "dynprm", &a->time_constant, 1);
    double bias[3] = {0.0, 0.0, 0.0};
    if (numbers(t, "biasprm", bias, 3) == 3) {
        a->kp = bias[1] != 0.0 ? -bias[1] : 0.0;
        a->kv = bias[2] != 0.0 ? -bias[2] : 0.0;
        a->kind = a->kp > 0.0 ? AUDIT_POSITION : a->kv > 0.0 ? AUDIT_VELOCITY : AUDIT_MOTOR;
    }
    (void)get(t, "gaintype");
    (void)get(t, "biastype");
    (void)get(t, "gainprm");
    a->ctrl_limited = numbers(t, "ctrlrange", a->ctrl_range, 2) == 2;
    a->force_limited = numbers(t, "forcerange", a->force_range, 2) == 2;
}

// (c) + (r)*t + (a)*sin((f)*t + (p))
static const char *read_wave(audit_wave *w, const char *at)
{
    char *end;
    *w = (audit_wave){0.0, 0.0, 0.0, 0.0, 0.0};
    w->constant = strtod(at + 1, &end);
    at = end + 1;
    while (strncmp(at, " + (", 4) == 0) {
        const double x = strtod(at + 4, &end);
        if (strncmp(end, ")*t", 3) == 0) {
            w->rate = x;
            at = end + 3;
        } else {
            w->amplitude = x;
            w->frequency = strtod(end + strlen(")*sin(("), &end);
            w->phase = strtod(end + strlen(")*t + ("), &end);
            at = end + 2;
        }
    }
    return at;
}

static void read_waves(tag *t, const char *name, audit_wave *out, int most)
{
    const char *at = get(t, name);
    for (int i = 0; at && i < most && *at == '('; ++i) {
        at = read_wave(&out[i], at);
        at = strncmp(at, "; ", 2) == 0 ? at + 2 : at;
    }
}

static void read_force(reader *r, tag *t)
{
    audit_force *f = &r->s->force[r->s->nforce++];
    *f = (audit_force){.body = reference(t, "body", -1), .joint = reference(t, "joint", -1)};
    numbers(t, "pos", f->pos, 3);
    f->local = says(t, "frame", "local");
    read_waves(t, "force", f->force, 3);
    read_waves(t, "torque", f->torque, 3);
}

static void read_motion(reader *r, tag *t)
{
    audit_motion *m = &r->s->motion[r->s->nmotion++];
    *m = (audit_motion){.body = reference(t, "body", -1), .joint = reference(t, "joint", -1)};
    read_waves(t, "position", m->position, 3);
    read_waves(t, "rotation", m->rotation, 3);
    m->bearing = bearing(t, "stiffness", "damping");
}

static void read_key(reader *r, tag *t)
{
    audit_scene *s = r->s;
    audit_scene_layout(s);
    double ctrl[AUDIT_ACTUATORS] = {0.0};
    numbers(t, "qpos", s->q, AUDIT_NQ);
    numbers(t, "qvel", s->v, AUDIT_NV);
    numbers(t, "ctrl", ctrl, AUDIT_ACTUATORS);
    numbers(t, "mpos", &s->mocap_pos[0][0], 3 * AUDIT_BODIES);
    numbers(t, "mquat", &s->mocap_quat[0][0], 4 * AUDIT_BODIES);
    for (int i = 0; i < s->nactuator; ++i) {
        s->actuator[i].ctrl = ctrl[i];
    }
}

// Is there room for one more of what an element is? Those that are not named here stand for few.
static bool has_room(const audit_scene *s, const char *name)
{
    const struct {
        const char *name;
        bool room;
    } kind[] = {
        {"body", s->nbody < AUDIT_BODIES},
        {"geom", s->ngeom < AUDIT_GEOMS},
        {"site", s->nsite < AUDIT_SITES},
        {"mesh", s->nmesh < AUDIT_MESHES},
        {"inertial", true},
        {"key", true},
        {"exclude", s->nexclude < AUDIT_EXCLUDES},
        {"pair", s->npair < AUDIT_PAIRS},
    };
    for (size_t i = 0; i < sizeof kind / sizeof *kind; ++i) {
        if (strcmp(name, kind[i].name) == 0) {
            return kind[i].room;
        }
    }
    return s->njoint < AUDIT_JOINTS && s->ntendon < AUDIT_TENDONS &&
           s->nequality < AUDIT_EQUALITIES && s->nactuator < AUDIT_ACTUATORS &&
           s->nforce < AUDIT_FORCES && s->nmotion < AUDIT_MOTIONS;
}

// An element by its name and the section that it is in.
static void read_element(reader *r, tag *t, const char *section)
{
    audit_scene *s = r->s;
    const char *name = t->name;
    if (!has_room(s, name)) {
        fail(r, "no room for", name);
    } else if (r->tendon >= 0) {
        read_wrap(r, t);
    } else if (strcmp(name, "dp:option") == 0) {
        read_option(r, t);
    } else if (strcmp(name, "mesh") == 0) {
        read_mesh(r, t);
    } else if (strcmp(name, "hfield") == 0) {
        read_hfield(r, t);
    } else if (strcmp(name, "body") == 0) {
        read_body(r, t);
    } else if (strcmp(name, "inertial") == 0) {
        read_inertial(r, t);
    } else if (strcmp(section, "equality") == 0) {
        read_equality(r, t,
                      strcmp(name, "connect") == 0  ? AUDIT_CONNECT
                      : strcmp(name, "weld") == 0   ? AUDIT_WELD
                      : strcmp(name, "joint") == 0  ? AUDIT_EQ_JOINT
                      : strcmp(name, "tendon") == 0 ? AUDIT_EQ_TENDON
                                                    : AUDIT_DISTANCE);
    } else if (strcmp(section, "actuator") == 0) {
        read_actuator(r, t);
    } else if (strcmp(name, "joint") == 0) {
        read_joint(r, t);
    } else if (strcmp(name, "geom") == 0) {
        read_geom(r, t);
    } else if (strcmp(name, "site") == 0) {
        audit_site *site = &s->site[s->nsite++];
        *site = (audit_site){.body = r->body};
        placement(t, site->pos, site->quat);
    } else if (strcmp(name, "pair") == 0) {
        read_pair(r, t);
    } else if (strcmp(name, "exclude") == 0) {
        s->exclude[s->nexclude][0] = reference(t, "body1", 0);
        s->exclude[s->nexclude++][1] = reference(t, "body2", 0);
    } else if (strcmp(name, "fixed") == 0 || strcmp(name, "spatial") == 0) {
        read_tendon(r, t);
    } else if (strcmp(name, "key") == 0) {
        read_key(r, t);
    } else if (strcmp(name, "dp:force") == 0) {
        read_force(r, t);
    } else if (strcmp(name, "dp:motion") == 0) {
        read_motion(r, t);
    } else {
        fail(r, "unknown element", name);
    }
}

static bool is_section(const char *name)
{
    static const char *const section[] = {"mujoco", "compiler", "asset",    "worldbody", "contact",
                                          "tendon", "equality", "actuator", "keyframe"};
    for (size_t i = 0; i < sizeof section / sizeof *section; ++i) {
        if (strcmp(name, section[i]) == 0) {
            return true;
        }
    }
    return false;
}

const char *audit_read_mjcf(audit_scene *out, const char *text)
{
    static reader r;
    static tag t;
    memset(out, 0, sizeof *out);
    r = (reader){.s = out, .at = text, .tendon = -1};
    out->nbody = 1;
    out->nsteps = 1;
    out->body[0] =
        (audit_body){.parent = -1, .quat = {1, 0, 0, 0}, .iquat = {1, 0, 0, 0}, .mocap = -1};
    char section[NAME] = "";
    while (r.problem[0] == '\0' && next_tag(&r, &t)) {
        if (t.closes) {
            r.body = strcmp(t.name, "body") == 0 ? out->body[r.body].parent : r.body;
            r.tendon =
                strcmp(t.name, "fixed") == 0 || strcmp(t.name, "spatial") == 0 ? -1 : r.tendon;
            if (strcmp(t.name, section) == 0) {
                section[0] = '\0';
            }
            continue;
        }
        const bool inside = strcmp(section, "equality") == 0 && strcmp(t.name, "tendon") == 0;
        if (is_section(t.name) && !inside) {
            (void)snprintf(section, sizeof section, "%s", t.name);
            const char *model = get(&t, "model");
            if (model) {
                out->seed = strtoull(model + strlen("seed "), NULL, 10);
            }
            continue;
        }
        read_element(&r, &t, section);
        for (int i = 0; i < t.n; ++i) {
            if (!t.a[i].used && strcmp(t.a[i].name, "name") != 0) {
                fail(&r, "unknown attribute", t.a[i].name);
            }
        }
    }
    // <!-- audit: claim NAME, law LAW, seed S, steps N
    const char *steps = strstr(text, ", steps ");
    if (steps) {
        out->nsteps = atoi(steps + strlen(", steps "));
    }
    audit_scene_layout(out);
    return r.problem[0] == '\0' ? NULL : r.problem;
}
