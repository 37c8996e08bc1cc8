// A scene as MJCF text: the only way in which the library under audit gets to see it.
#include "audit_scene.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct writer {
    char *text;
    size_t length, room;
} writer;

static void put(writer *w, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    char line[4096];
    const int n = vsnprintf(line, sizeof line, format, list);
    va_end(list);
    if (w->length + (size_t)n + 1 > w->room) {
        w->room = 2 * w->room + (size_t)n + 1024;
        w->text = realloc(w->text, w->room);
        if (!w->text) {
            abort();
        }
    }
    memcpy(w->text + w->length, line, (size_t)n + 1);
    w->length += (size_t)n;
}

// The fewest digits that read back to the same bits.
static void put_number(writer *w, double x)
{
    char text[40];
    for (int digits = 1; digits <= 17; ++digits) {
        (void)snprintf(text, sizeof text, "%.*g", digits, x);
        if (strtod(text, NULL) == x) {
            break;
        }
    }
    put(w, "%s", text);
}

static void put_numbers(writer *w, const char *name, const double *x, int n)
{
    put(w, " %s=\"", name);
    for (int i = 0; i < n; ++i) {
        put(w, i > 0 ? " " : "");
        put_number(w, x[i]);
    }
    put(w, "\"");
}

static void put_one(writer *w, const char *name, double x)
{
    put_numbers(w, name, &x, 1);
}

// Leave out what a reader assumes anyway.
static void put_unless(writer *w, const char *name, double x, double assumed)
{
    if (x != assumed) {
        put_one(w, name, x);
    }
}

static void put_pose(writer *w, const double pos[3], const double quat[4])
{
    if (pos[0] != 0.0 || pos[1] != 0.0 || pos[2] != 0.0) {
        put_numbers(w, "pos", pos, 3);
    }
    if (quat[0] != 1.0) {
        put_numbers(w, "quat", quat, 4);
    }
}

static void put_bearing(writer *w, const audit_bearing *b)
{
    if (isfinite(b->stiffness)) {
        put_one(w, "dp:stiffness", b->stiffness);
        put_one(w, "dp:damping", b->damping);
    }
}

static void put_material(writer *w, const audit_material *m)
{
    if (m->youngs_modulus > 0.0) {
        put_one(w, "dp:youngs_modulus", m->youngs_modulus);
        put_one(w, "dp:poisson", m->poisson);
    } else {
        put_one(w, "dp:stiffness", m->stiffness);
        if (m->restitution < 0.0 && m->dissipation == 0.0) {
            put_one(w, "dp:damping", m->damping);
        }
    }
    if (m->dissipation > 0.0) {
        put_one(w, "dp:dissipation", m->dissipation);
    } else if (m->restitution >= 0.0 && m->youngs_modulus == 0.0) {
        put_one(w, "dp:restitution", m->restitution);
    }
}

static void put_option(writer *w, const audit_options *o, bool moves)
{
    static const char *const integrator[] = {"semi-implicit", "rk4", "rk45"};
    static const char *const rule[] = {"expedient", "poisson", "newton"};
    put(w, "  <dp:option law=\"%s\"", audit_law_name(o->law));
    put_one(w, "step", o->step);
    put_numbers(w, "gravity", o->gravity, 3);
    const bool euler = o->law == AUDIT_ODE && o->ode_integrator == 1;
    if (euler) {
        put(w, " integrator=\"implicit-euler\"");
    } else if (o->law != AUDIT_ODE && o->integrator != AUDIT_SEMI_IMPLICIT) {
        put(w, " integrator=\"%s\"", integrator[o->integrator]);
    } else if (moves) {
        put(w, " ledger=\"true\"");
    }
    const bool rigid = o->law == AUDIT_LCP || o->law == AUDIT_NCP || o->law == AUDIT_VI;
    if (rigid && o->impact_rule != 0) {
        put(w, " impact.rule=\"%s\"", rule[o->impact_rule]);
    }
    if (rigid) {
        put_unless(w, "impact.speed", o->impact_speed, 0.01);
    }
    if (rigid && o->stabilisation != 0) {
        put(w, " rigid.stabilisation=\"projection\"");
    }
    if (o->law == AUDIT_LCP && o->lcp_directions != 8) {
        put(w, " lcp.directions=\"%d\"", o->lcp_directions);
    }
    if (o->law == AUDIT_VI && o->vi_disc) {
        put(w, " vi.friction=\"disc\"");
    }
    if (o->law == AUDIT_VI && o->vi_desaxce) {
        put(w, " vi.desaxce=\"true\"");
    }
    if (o->law == AUDIT_TAMSI || o->law == AUDIT_ODE) {
        put_unless(w, "friction.slip_speed", o->slip_speed, 1e-4);
    }
    if (o->law == AUDIT_ODE) {
        put(w, " max_substeps=\"300\"");
        put_unless(w, "ode.stiffness", o->ode_stiffness, 0.0);
    } else if (o->integrator == AUDIT_RK45) {
        put(w, " max_substeps=\"2000\"");
    }
    const bool own_control = o->law == AUDIT_ODE && o->ode_integrator == 0;
    put_unless(w, "accuracy", own_control || o->integrator == AUDIT_RK45 ? 0.0 : o->accuracy, 0.0);
    put_unless(w, "max_halvings", o->max_halvings, 6);
    if (o->sleep_speed > 0.0) {
        put_one(w, "sleep_speed", o->sleep_speed);
        put_one(w, "sleep_time", o->sleep_time);
    }
    put_unless(w, "large_rotation", o->large_rotation, 0.1);
    if (o->disable_contact) {
        put(w, " disable_contact=\"true\"");
    }
    put(w, "/>\n");
}

static void put_assets(writer *w, const audit_scene *s)
{
    if (s->nmesh == 0 && s->hfield.nrow == 0) {
        return;
    }
    put(w, "  <asset>\n");
    for (int i = 0; i < s->nmesh; ++i) {
        const audit_mesh *m = &s->mesh[i];
        put(w, "    <mesh name=\"m%d\"", i);
        put_numbers(w, "vertex", &m->vertex[0][0], 3 * m->nvertex);
        if (m->nface > 0) {
            put(w, " face=\"");
            for (int f = 0; f < m->nface; ++f) {
                put(w, "%s%d %d %d", f > 0 ? " " : "", m->face[f][0], m->face[f][1], m->face[f][2]);
            }
            put(w, "\"");
        }
        put(w, "/>\n");
    }
    const audit_hfield *h = &s->hfield;
    if (h->nrow > 0) {
        put(w, "    <hfield name=\"h0\" nrow=\"%d\" ncol=\"%d\"", h->nrow, h->ncol);
        put_numbers(w, "size", h->size, 4);
        double turned[AUDIT_GRID]; // the row of the largest y comes first
        for (int r = 0; r < h->nrow; ++r) {
            memcpy(turned + r * h->ncol, h->elevation + (h->nrow - 1 - r) * h->ncol,
                   (size_t)h->ncol * sizeof *turned);
        }
        put_numbers(w, "elevation", turned, h->nrow * h->ncol);
        put(w, "/>\n");
    }
    put(w, "  </asset>\n");
}

static void put_joint(writer *w, const audit_scene *s, int j, const char *indent)
{
    static const char *const kind[] = {"free", "ball", "hinge", "slide"};
    const audit_joint *x = &s->joint[j];
    put(w, "%s  <joint name=\"j%d\" type=\"%s\"", indent, j, kind[x->kind]);
    if (x->kind != AUDIT_FREE && (x->pos[0] != 0.0 || x->pos[1] != 0.0 || x->pos[2] != 0.0)) {
        put_numbers(w, "pos", x->pos, 3);
    }
    if (x->kind >= AUDIT_HINGE) {
        put_numbers(w, "axis", x->axis, 3);
        put_unless(w, "ref", x->ref, 0.0);
        put_unless(w, "springref", x->springref, 0.0);
    }
    put_unless(w, "stiffness", x->stiffness, 0.0);
    put_unless(w, "damping", x->damping, 0.0);
    put_unless(w, "armature", x->armature, 0.0);
    put_unless(w, "frictionloss", x->frictionloss, 0.0);
    if (x->limited) {
        put_numbers(w, "range", x->range, 2);
        put_bearing(w, &x->limit);
    }
    put(w, "/>\n");
}

static void put_geom(writer *w, const audit_scene *s, int g, const char *indent)
{
    static const char *const kind[] = {"plane",     "sphere", "capsule", "cylinder",
                                       "ellipsoid", "box",    "mesh",    "hfield"};
    static const int sizes[] = {3, 1, 2, 2, 3, 3, 0, 0};
    const audit_geom *x = &s->geom[g];
    put(w, "%s  <geom name=\"g%d\" type=\"%s\"", indent, g, kind[x->kind]);
    if (sizes[x->kind] > 0) {
        put_numbers(w, "size", x->size, sizes[x->kind]);
    }
    if (x->kind == AUDIT_MESH) {
        put(w, " mesh=\"m%d\"", x->mesh);
    }
    if (x->kind == AUDIT_HFIELD) {
        put(w, " hfield=\"h0\"");
    }
    put_pose(w, x->pos, x->quat);
    if (x->kind != AUDIT_PLANE && x->kind != AUDIT_HFIELD) {
        put(w, " mass=\"0\"");
    }
    if (x->contype != 1) {
        put(w, " contype=\"%d\"", x->contype);
    }
    if (x->conaffinity != 1) {
        put(w, " conaffinity=\"%d\"", x->conaffinity);
    }
    if (x->contype != 0 || x->conaffinity != 0) {
        put(w, " condim=\"%d\"", x->condim);
        if (x->priority != 0) {
            put(w, " priority=\"%d\"", x->priority);
        }
        put_unless(w, "margin", x->margin, 0.0);
        put_numbers(w, "friction", x->friction, x->condim == 6 ? 3 : x->condim == 4 ? 2 : 1);
    }
    if (x->foundation[0] > 0) {
        put(w, " dp:foundation=\"%d %d\"", x->foundation[0], x->foundation[1]);
        put_one(w, "dp:youngs_modulus", x->foundation_modulus);
        put_one(w, "dp:depth", x->foundation_depth);
        put_unless(w, "dp:damping", x->foundation_damping, 0.0);
    } else if (x->contype != 0 || x->conaffinity != 0) {
        put_material(w, &x->material);
    }
    const double *belt = x->surface_velocity;
    if (belt[0] != 0.0 || belt[1] != 0.0 || belt[2] != 0.0) {
        put_numbers(w, "dp:surface_velocity", belt, 3);
    }
    put(w, "/>\n");
}

static void put_body(writer *w, const audit_scene *s, int b, int depth)
{
    char indent[64];
    const int n = depth < 14 ? 4 * depth : 56;
    memset(indent, ' ', (size_t)n);
    indent[n] = '\0';
    const audit_body *x = &s->body[b];
    if (b > 0) {
        put(w, "%s<body name=\"b%d\"", indent, b);
        put_pose(w, x->pos, x->quat);
        if (x->mocap >= 0) {
            put(w, " mocap=\"true\"");
        }
        put_unless(w, "gravcomp", x->gravcomp, 0.0);
        put(w, ">\n");
        if (x->mass > 0.0) {
            put(w, "%s  <inertial", indent);
            put_numbers(w, "pos", x->com, 3);
            if (x->iquat[0] != 1.0) {
                put_numbers(w, "quat", x->iquat, 4);
            }
            put_one(w, "mass", x->mass);
            put_numbers(w, "diaginertia", x->inertia, 3);
            put(w, "/>\n");
        }
    }
    for (int j = 0; j < s->njoint; ++j) {
        if (s->joint[j].body == b) {
            put_joint(w, s, j, indent);
        }
    }
    for (int g = 0; g < s->ngeom; ++g) {
        if (s->geom[g].body == b) {
            put_geom(w, s, g, indent);
        }
    }
    for (int i = 0; i < s->nsite; ++i) {
        if (s->site[i].body == b) {
            put(w, "%s  <site name=\"s%d\"", indent, i);
            put_pose(w, s->site[i].pos, s->site[i].quat);
            put(w, "/>\n");
        }
    }
    for (int c = b + 1; c < s->nbody; ++c) {
        if (s->body[c].parent == b) {
            put_body(w, s, c, depth + 1);
        }
    }
    if (b > 0) {
        put(w, "%s</body>\n", indent);
    }
}

static void put_contacts(writer *w, const audit_scene *s)
{
    if (s->npair + s->nexclude == 0) {
        return;
    }
    put(w, "  <contact>\n");
    for (int i = 0; i < s->npair; ++i) {
        const audit_pair *p = &s->pair[i];
        put(w, "    <pair name=\"p%d\" geom1=\"g%d\" geom2=\"g%d\" condim=\"%d\"", i, p->geom[0],
            p->geom[1], p->condim);
        put_numbers(w, "friction", p->friction, 5);
        put_unless(w, "margin", p->margin, 0.0);
        put_material(w, &p->material);
        put(w, "/>\n");
    }
    for (int i = 0; i < s->nexclude; ++i) {
        put(w, "    <exclude name=\"x%d\" body1=\"b%d\" body2=\"b%d\"/>\n", i, s->exclude[i][0],
            s->exclude[i][1]);
    }
    put(w, "  </contact>\n");
}

static void put_tendons(writer *w, const audit_scene *s)
{
    if (s->ntendon == 0) {
        return;
    }
    put(w, "  <tendon>\n");
    for (int i = 0; i < s->ntendon; ++i) {
        const audit_tendon *t = &s->tendon[i];
        put(w, "    <%s name=\"t%d\"", t->spatial ? "spatial" : "fixed", i);
        if (t->limited) {
            put_numbers(w, "range", t->range, 2);
            put_bearing(w, &t->limit);
        }
        put_unless(w, "stiffness", t->stiffness, 0.0);
        put_unless(w, "damping", t->damping, 0.0);
        if (t->stiffness > 0.0) {
            put_numbers(w, "springlength", t->springlength, 2);
        }
        put_unless(w, "frictionloss", t->frictionloss, 0.0);
        put_unless(w, "armature", t->armature, 0.0);
        put(w, ">\n");
        for (int k = 0; k < t->nwrap; ++k) {
            const audit_wrap *r = &t->wrap[k];
            if (r->kind == AUDIT_WRAP_JOINT) {
                put(w, "      <joint joint=\"j%d\"", r->object);
                put_one(w, "coef", r->coefficient);
            } else if (r->kind == AUDIT_WRAP_SITE) {
                put(w, "      <site site=\"s%d\"", r->object);
            } else if (r->kind == AUDIT_WRAP_GEOM) {
                put(w, "      <geom geom=\"g%d\"", r->object);
                if (r->side >= 0) {
                    put(w, " sidesite=\"s%d\"", r->side);
                }
            } else {
                put(w, "      <pulley");
                put_one(w, "divisor", r->coefficient);
            }
            put(w, "/>\n");
        }
        put(w, "    </%s>\n", t->spatial ? "spatial" : "fixed");
    }
    put(w, "  </tendon>\n");
}

// The world has no name that an equality could give.
static void put_second_body(writer *w, int body)
{
    if (body > 0) {
        put(w, " body2=\"b%d\"", body);
    }
}

static void put_equality(writer *w, const audit_scene *s, int i)
{
    const audit_equality *e = &s->equality[i];
    switch (e->kind) {
    case AUDIT_CONNECT:
        put(w, "    <connect name=\"e%d\" body1=\"b%d\"", i, e->object[0]);
        put_second_body(w, e->object[1]);
        put_numbers(w, "anchor", e->anchor, 3);
        break;
    case AUDIT_WELD: {
        double relative[7];
        memcpy(relative, e->relpos, sizeof e->relpos);
        memcpy(relative + 3, e->relquat, sizeof e->relquat);
        put(w, "    <weld name=\"e%d\" body1=\"b%d\"", i, e->object[0]);
        put_second_body(w, e->object[1]);
        put_numbers(w, "relpose", relative, 7);
        put_numbers(w, "anchor", e->anchor, 3);
        put_unless(w, "torquescale", e->torquescale, 1.0);
        break;
    }
    case AUDIT_EQ_JOINT:
    case AUDIT_EQ_TENDON: {
        const char *name = e->kind == AUDIT_EQ_JOINT ? "joint" : "tendon";
        put(w, "    <%s name=\"e%d\" %s1=\"%c%d\"", name, i, name, *name, e->object[0]);
        if (e->object[1] >= 0) {
            put(w, " %s2=\"%c%d\"", name, *name, e->object[1]);
        }
        put_numbers(w, "polycoef", e->polycoef, 5);
        break;
    }
    case AUDIT_DISTANCE:
        put(w, "    <dp:distance name=\"e%d\" body1=\"b%d\"", i, e->object[0]);
        put_second_body(w, e->object[1]);
        put_numbers(w, "anchor1", e->anchor, 3);
        put_numbers(w, "anchor2", e->anchor2, 3);
        put_one(w, "distance", e->distance);
        break;
    }
    put_bearing(w, &e->bearing);
    put(w, "/>\n");
}

static void put_actuator(writer *w, const audit_scene *s, int i)
{
    static const char *const kind[] = {"motor", "position", "velocity"};
    static const char *const dynamics[] = {"none", "integrator", "filter", "filterexact"};
    static const char *const target[] = {"joint=\"j", "tendon=\"t", "site=\"s"};
    const audit_actuator *a = &s->actuator[i];
    const bool general = a->activation != AUDIT_ACT_NONE;
    put(w, "    <%s name=\"a%d\" %s%d\"", general ? "general" : kind[a->kind], i, target[a->target],
        a->object);
    int ngear = 1;
    if (a->target == AUDIT_ON_SITE) {
        ngear = 6;
    } else if (a->target == AUDIT_ON_JOINT) {
        ngear = s->joint[a->object].kind == AUDIT_FREE   ? 6
                : s->joint[a->object].kind == AUDIT_BALL ? 3
                                                         : 1;
    }
    put_numbers(w, "gear", a->gear, ngear);
    if (general) {
        const double gain = a->kind == AUDIT_MOTOR      ? 1.0
                            : a->kind == AUDIT_POSITION ? a->kp
                                                        : a->kv;
        const double bias[3] = {0.0, a->kind == AUDIT_POSITION ? -a->kp : 0.0,
                                a->kind == AUDIT_MOTOR ? 0.0 : -a->kv};
        put(w, " dyntype=\"%s\"", dynamics[a->activation]);
        put_one(w, "dynprm", a->time_constant);
        put(w, " gaintype=\"fixed\" biastype=\"affine\"");
        put_one(w, "gainprm", gain);
        put_numbers(w, "biasprm", bias, 3);
    } else if (a->kind == AUDIT_POSITION) {
        put_one(w, "kp", a->kp);
        put_unless(w, "kv", a->kv, 0.0);
    } else if (a->kind == AUDIT_VELOCITY) {
        put_one(w, "kv", a->kv);
    }
    if (a->ctrl_limited) {
        put_numbers(w, "ctrlrange", a->ctrl_range, 2);
    }
    if (a->force_limited) {
        put_numbers(w, "forcerange", a->force_range, 2);
    }
    put(w, "/>\n");
}

static void put_wave(writer *w, const audit_wave *x)
{
    put(w, "(");
    put_number(w, x->constant);
    put(w, ")");
    if (x->rate != 0.0) {
        put(w, " + (");
        put_number(w, x->rate);
        put(w, ")*t");
    }
    if (x->amplitude != 0.0) {
        put(w, " + (");
        put_number(w, x->amplitude);
        put(w, ")*sin((");
        put_number(w, x->frequency);
        put(w, ")*t + (");
        put_number(w, x->phase);
        put(w, "))");
    }
}

static void put_waves(writer *w, const char *name, const audit_wave *x, int n)
{
    bool any = false;
    for (int i = 0; i < n; ++i) {
        any = any || x[i].constant != 0.0 || x[i].rate != 0.0 || x[i].amplitude != 0.0;
    }
    if (!any) {
        return;
    }
    put(w, " %s=\"", name);
    for (int i = 0; i < n; ++i) {
        put(w, i > 0 ? "; " : "");
        put_wave(w, &x[i]);
    }
    put(w, "\"");
}

static void put_forces(writer *w, const audit_scene *s)
{
    for (int i = 0; i < s->nforce; ++i) {
        const audit_force *f = &s->force[i];
        put(w, "  <dp:force name=\"f%d\"", i);
        int nforce = 3, ntorque = 3;
        if (f->joint >= 0) {
            const audit_joint_kind kind = s->joint[f->joint].kind;
            put(w, " joint=\"j%d\"", f->joint);
            nforce = kind == AUDIT_FREE ? 3 : kind == AUDIT_SLIDE ? 1 : 0;
            ntorque = kind == AUDIT_HINGE ? 1 : kind == AUDIT_SLIDE ? 0 : 3;
        } else {
            put(w, " body=\"b%d\"", f->body);
            put_numbers(w, "pos", f->pos, 3);
            put(w, f->local ? " frame=\"local\"" : "");
        }
        put_waves(w, "force", f->force, nforce);
        put_waves(w, "torque", f->torque, ntorque);
        put(w, "/>\n");
    }
    for (int i = 0; i < s->nmotion; ++i) {
        const audit_motion *m = &s->motion[i];
        put(w, "  <dp:motion name=\"o%d\"", i);
        if (m->joint >= 0) {
            put(w, " joint=\"j%d\" position=\"", m->joint);
            put_wave(w, &m->position[0]);
            put(w, "\"");
            if (isfinite(m->bearing.stiffness)) {
                put_one(w, "stiffness", m->bearing.stiffness);
                put_one(w, "damping", m->bearing.damping);
            }
        } else {
            put(w, " body=\"b%d\" position=\"", m->body);
            for (int k = 0; k < 3; ++k) {
                put(w, k > 0 ? "; " : "");
                put_wave(w, &m->position[k]);
            }
            put(w, "\" rotation=\"");
            for (int k = 0; k < 3; ++k) {
                put(w, k > 0 ? "; " : "");
                put_wave(w, &m->rotation[k]);
            }
            put(w, "\"");
        }
        put(w, "/>\n");
    }
}

static void put_key(writer *w, const audit_scene *s)
{
    put(w, "  <keyframe>\n    <key name=\"start\"");
    if (s->nq > 0) {
        put_numbers(w, "qpos", s->q, s->nq);
        put_numbers(w, "qvel", s->v, s->nv);
    }
    if (s->nactuator > 0) {
        double ctrl[AUDIT_ACTUATORS];
        for (int i = 0; i < s->nactuator; ++i) {
            ctrl[i] = s->actuator[i].ctrl;
        }
        put_numbers(w, "ctrl", ctrl, s->nactuator);
    }
    if (s->nmocap > 0) {
        put_numbers(w, "mpos", &s->mocap_pos[0][0], 3 * s->nmocap);
        put_numbers(w, "mquat", &s->mocap_quat[0][0], 4 * s->nmocap);
    }
    put(w, "/>\n  </keyframe>\n");
}

char *audit_write_mjcf(const audit_scene *s, const char *comment)
{
    writer w = {0};
    if (comment) {
        put(&w, "<!-- ");
        put(&w, "%s", comment);
        put(&w, " -->\n");
    }
    put(&w, "<mujoco model=\"seed %llu\" xmlns:dp=\"dashpot\">\n", (unsigned long long)s->seed);
    put(&w, "  <compiler angle=\"radian\"/>\n");
    put_option(&w, &s->option, s->nv > 0);
    put_assets(&w, s);
    put(&w, "  <worldbody>\n");
    put_body(&w, s, 0, 0);
    put(&w, "  </worldbody>\n");
    put_contacts(&w, s);
    put_tendons(&w, s);
    if (s->nequality > 0) {
        put(&w, "  <equality>\n");
        for (int i = 0; i < s->nequality; ++i) {
            put_equality(&w, s, i);
        }
        put(&w, "  </equality>\n");
    }
    if (s->nactuator > 0) {
        put(&w, "  <actuator>\n");
        for (int i = 0; i < s->nactuator; ++i) {
            put_actuator(&w, s, i);
        }
        put(&w, "  </actuator>\n");
    }
    put_key(&w, s);
    put_forces(&w, s);
    put(&w, "</mujoco>\n");
    return w.text;
}
