#include "audit_kinematics.h"

#include <string.h>

// Frames. A body's frame starts where its parent's is, moved by the fixed offset; then its joints
// act in order. With the frame go ω, the velocity of its origin, and their derivatives for v̇ = 0:
// moving the origin by r in the frame adds ω × r to the velocity and α × r + ω × (ω × r) to the
// acceleration.
static void shift(audit_frame *f, v3 to, int nv)
{
    const v3 r = v3_sub(to, f->X.p), wr = v3_cross(f->w, r);
    f->X.p = to;
    f->v = v3_add(f->v, wr);
    f->a = v3_add(f->a, v3_add(v3_cross(f->alpha, r), v3_cross(f->w, wr)));
    for (int i = 0; i < nv; ++i) {
        const v3 c = v3_add(v3_load(f->Jv[i]), v3_cross(v3_load(f->Jw[i]), r));
        v3_store(f->Jv[i], c);
    }
}

// The frame begins to turn at `rate` about the world direction `axis`, which is fixed in the frame
// before or after the turn.
static void add_turn(audit_frame *f, v3 axis, double rate, int column)
{
    v3_store(f->Jw[column], axis);
    f->alpha = v3_madd(f->alpha, rate, v3_cross(f->w, axis));
    f->w = v3_madd(f->w, rate, axis);
}

static void add_joint(audit_kinematics *k, audit_frame *f, int j)
{
    const audit_scene *s = k->scene;
    const audit_joint *joint = &s->joint[j];
    const double *q = k->q + joint->q, *v = k->v + joint->v;
    const v3 axis = m3_apply(&f->X.R, v3_load(joint->axis));
    const v3 anchor = pose_apply(&f->X, v3_load(joint->pos));
    k->axis[j] = axis;
    k->anchor[j] = anchor;
    switch (joint->kind) {
    case AUDIT_FREE:
        f->X = pose_of(q, q + 3);
        f->w = m3_apply(&f->X.R, v3_load(v + 3));
        f->v = v3_load(v);
        f->alpha = f->a = (v3){0, 0, 0};
        for (int i = 0; i < 3; ++i) {
            f->Jv[joint->v + i][i] = 1.0;
            for (int c = 0; c < 3; ++c) {
                f->Jw[joint->v + 3 + i][c] = f->X.R.m[c][i];
            }
        }
        k->anchor[j] = f->X.p;
        break;
    case AUDIT_SLIDE:
        shift(f, v3_madd(f->X.p, q[0] - joint->ref, axis), s->nv);
        f->v = v3_madd(f->v, v[0], axis);
        f->a = v3_madd(f->a, 2.0 * v[0], v3_cross(f->w, axis));
        v3_store(f->Jv[joint->v], axis);
        break;
    case AUDIT_HINGE:
    case AUDIT_BALL: {
        shift(f, anchor, s->nv);
        if (joint->kind == AUDIT_HINGE) {
            const m3 turn = m3_about(axis, q[0] - joint->ref);
            f->X.R = m3_multiply(&turn, &f->X.R);
            add_turn(f, axis, v[0], joint->v);
        } else {
            const m3 turn = m3_of_quaternion(q);
            f->X.R = m3_multiply(&f->X.R, &turn);
            // The axes are fixed in the frame after the turn: α = ω × Σ axis_i v_i with the ω
            // before it, since the part of the turn itself cancels.
            const v3 relative = m3_apply(&f->X.R, v3_load(v));
            f->alpha = v3_add(f->alpha, v3_cross(f->w, relative));
            f->w = v3_add(f->w, relative);
            for (int i = 0; i < 3; ++i) {
                for (int c = 0; c < 3; ++c) {
                    f->Jw[joint->v + i][c] = f->X.R.m[c][i];
                }
            }
        }
        shift(f, v3_sub(f->X.p, m3_apply(&f->X.R, v3_load(joint->pos))), s->nv);
        break;
    }
    }
    k->joint_R[j] = f->X.R;
}

static int joint_nv(const audit_joint *joint)
{
    static const int n[] = {
        [AUDIT_FREE] = 6, [AUDIT_BALL] = 3, [AUDIT_HINGE] = 1, [AUDIT_SLIDE] = 1};
    return n[joint->kind];
}

static m3 turned_inertia(const audit_body *body, const m3 *R)
{
    const m3 principal = m3_of_quaternion(body->iquat), axes = m3_multiply(R, &principal);
    m3 I;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            I.m[i][j] = 0.0;
            for (int c = 0; c < 3; ++c) {
                I.m[i][j] += axes.m[i][c] * body->inertia[c] * axes.m[j][c];
            }
        }
    }
    return I;
}

void audit_kin_place(audit_kinematics *k, const audit_scene *scene, const double *q,
                     const double *v, const audit_mocap *mocap)
{
    k->scene = scene;
    k->ntree = 0;
    memcpy(k->q, q, (size_t)scene->nq * sizeof *q);
    memcpy(k->v, v, (size_t)scene->nv * sizeof *v);
    memset(&k->body[0], 0, sizeof k->body[0]);
    k->body[0].X = pose_identity();
    k->body[0].tree = -1;
    int j = 0;
    for (int b = 1; b < scene->nbody; ++b) {
        const audit_body *body = &scene->body[b];
        audit_frame *f = &k->body[b];
        *f = k->body[body->parent];
        if (body->mocap >= 0) {
            const audit_mocap *at = mocap ? &mocap[body->mocap] : NULL;
            f->X = at ? pose_of(at->pos, at->quat)
                      : pose_of(scene->mocap_pos[body->mocap], scene->mocap_quat[body->mocap]);
        } else {
            const m3 turn = m3_of_quaternion(body->quat);
            shift(f, pose_apply(&f->X, v3_load(body->pos)), scene->nv);
            f->X.R = m3_multiply(&f->X.R, &turn);
        }
        for (; j < scene->njoint && scene->joint[j].body == b; ++j) {
            f->tree = f->tree < 0 ? k->ntree++ : f->tree;
            f->moves = true;
            add_joint(k, f, j);
            for (int c = 0; c < joint_nv(&scene->joint[j]); ++c) {
                k->tree_of_dof[scene->joint[j].v + c] = f->tree;
            }
        }
        f->com = pose_apply(&f->X, v3_load(body->com));
        f->inertia = turned_inertia(body, &f->X.R);
    }
}

void audit_kin_advance(double *out, const audit_scene *scene, const double *q, const double *v,
                       double s)
{
    memcpy(out, q, (size_t)scene->nq * sizeof *q);
    for (int j = 0; j < scene->njoint; ++j) {
        const audit_joint *joint = &scene->joint[j];
        double *x = out + joint->q;
        const double *u = v + joint->v;
        if (joint->kind == AUDIT_HINGE || joint->kind == AUDIT_SLIDE) {
            x[0] += s * u[0];
            continue;
        }
        if (joint->kind == AUDIT_FREE) {
            for (int i = 0; i < 3; ++i) {
                x[i] += s * u[i];
            }
            x += 3;
            u += 3;
        }
        const v3 w = v3_load(u);
        const double half = 0.5 * s * v3_norm(w);
        const double c = cos(half), f = fabs(half) > 1e-8 ? 0.5 * s * sin(half) / half : 0.5 * s;
        const double r[4] = {c, f * w.x, f * w.y, f * w.z}, a[4] = {x[0], x[1], x[2], x[3]};
        x[0] = a[0] * r[0] - a[1] * r[1] - a[2] * r[2] - a[3] * r[3];
        x[1] = a[0] * r[1] + a[1] * r[0] + a[2] * r[3] - a[3] * r[2];
        x[2] = a[0] * r[2] - a[1] * r[3] + a[2] * r[0] + a[3] * r[1];
        x[3] = a[0] * r[3] + a[1] * r[2] - a[2] * r[1] + a[3] * r[0];
    }
}

v3 audit_kin_point_velocity(const audit_kinematics *k, int b, v3 x)
{
    const audit_frame *f = &k->body[b];
    return v3_add(f->v, v3_cross(f->w, v3_sub(x, f->X.p)));
}

void audit_kin_add_wrench(double *out, const audit_kinematics *k, int b, v3 x, v3 force, v3 moment)
{
    const audit_frame *f = &k->body[b];
    const v3 about = v3_add(moment, v3_cross(v3_sub(x, f->X.p), force));
    for (int i = 0; f->moves && i < k->scene->nv; ++i) {
        out[i] += v3_dot(v3_load(f->Jv[i]), force) + v3_dot(v3_load(f->Jw[i]), about);
    }
}

void audit_kin_mass(double *M, const audit_kinematics *k)
{
    const audit_scene *s = k->scene;
    const int n = s->nv;
    memset(M, 0, (size_t)n * (size_t)n * sizeof *M);
    for (int b = 1; b < s->nbody; ++b) {
        const audit_frame *f = &k->body[b];
        const v3 r = v3_sub(f->com, f->X.p);
        for (int i = 0; f->moves && i < n; ++i) {
            const v3 w = v3_load(f->Jw[i]), v = v3_add(v3_load(f->Jv[i]), v3_cross(w, r));
            if (v3_dot(w, w) == 0.0 && v3_dot(v, v) == 0.0) {
                continue;
            }
            const v3 L = m3_apply(&f->inertia, w);
            for (int j = 0; j < n; ++j) {
                const v3 wj = v3_load(f->Jw[j]), vj = v3_add(v3_load(f->Jv[j]), v3_cross(wj, r));
                M[(size_t)i * (size_t)n + (size_t)j] +=
                    s->body[b].mass * v3_dot(v, vj) + v3_dot(L, wj);
            }
        }
    }
    for (int j = 0; j < s->njoint; ++j) {
        for (int c = 0; c < joint_nv(&s->joint[j]); ++c) {
            const int i = s->joint[j].v + c;
            M[(size_t)i * (size_t)n + (size_t)i] += s->joint[j].armature;
        }
    }
}

void audit_kin_gravity(double *out, const audit_kinematics *k)
{
    const audit_scene *s = k->scene;
    memset(out, 0, (size_t)s->nv * sizeof *out);
    for (int b = 1; b < s->nbody; ++b) {
        const v3 weight =
            v3_scale(v3_load(s->option.gravity), s->body[b].mass * (1.0 - s->body[b].gravcomp));
        audit_kin_add_wrench(out, k, b, k->body[b].com, weight, (v3){0, 0, 0});
    }
}

void audit_kin_velocity_terms(double *out, const audit_kinematics *k)
{
    const audit_scene *s = k->scene;
    memset(out, 0, (size_t)s->nv * sizeof *out);
    for (int b = 1; b < s->nbody; ++b) {
        const audit_frame *f = &k->body[b];
        const v3 r = v3_sub(f->com, f->X.p);
        const v3 a = v3_add(f->a, v3_add(v3_cross(f->alpha, r), v3_cross(f->w, v3_cross(f->w, r))));
        const v3 moment =
            v3_add(m3_apply(&f->inertia, f->alpha), v3_cross(f->w, m3_apply(&f->inertia, f->w)));
        audit_kin_add_wrench(out, k, b, f->com, v3_scale(a, -s->body[b].mass),
                             v3_scale(moment, -1.0));
    }
}

void audit_kin_spring_displacement(double *e, const audit_scene *scene, const double *q)
{
    memset(e, 0, (size_t)scene->nv * sizeof *e);
    for (int j = 0; j < scene->njoint; ++j) {
        const audit_joint *joint = &scene->joint[j];
        double *out = e + joint->v;
        const double *x = q + joint->q;
        if (joint->kind == AUDIT_HINGE || joint->kind == AUDIT_SLIDE) {
            out[0] = x[0] - joint->springref;
            continue;
        }
        m3 rest = m3_identity();
        if (joint->kind == AUDIT_FREE) { // from the pose as described
            for (int i = 0; i < 3; ++i) {
                out[i] = x[i] - scene->body[joint->body].pos[i];
            }
            rest = m3_of_quaternion(scene->body[joint->body].quat);
            x += 3;
            out += 3;
        }
        const m3 R = m3_of_quaternion(x), back = m3_transpose(&rest), turn = m3_multiply(&back, &R);
        v3_store(out, m3_log(&turn));
    }
}

double audit_kin_momentum_terms(const audit_kinematics *k, int b, const double *v)
{
    const audit_frame *f = &k->body[b];
    const v3 arm = v3_sub(f->com, f->X.p);
    double sum = 0.0;
    for (int i = 0; i < k->scene->nv; ++i) {
        const v3 column = v3_add(v3_load(f->Jv[i]), v3_cross(v3_load(f->Jw[i]), arm));
        sum += k->scene->body[b].mass * fabs(v[i]) * v3_norm(column);
    }
    return sum;
}

audit_momentum audit_kin_momentum(const audit_kinematics *k, int tree)
{
    audit_momentum sum = {0};
    for (int b = 1; b < k->scene->nbody; ++b) {
        const audit_frame *f = &k->body[b];
        if (f->tree < 0 || (tree >= 0 && f->tree != tree)) {
            continue;
        }
        const double m = k->scene->body[b].mass;
        const v3 p = v3_scale(audit_kin_point_velocity(k, b, f->com), m);
        sum.mass += m;
        sum.moment = v3_madd(sum.moment, m, f->com);
        sum.linear = v3_add(sum.linear, p);
        sum.terms += audit_kin_momentum_terms(k, b, k->v);
        sum.angular = v3_add(sum.angular, v3_add(v3_cross(f->com, p), m3_apply(&f->inertia, f->w)));
    }
    return sum;
}

v3 audit_kin_angular(const audit_kinematics *k, int tree, v3 at)
{
    v3 sum = {0, 0, 0};
    for (int b = 1; b < k->scene->nbody; ++b) {
        const audit_frame *f = &k->body[b];
        if (f->tree == tree) {
            const v3 p = v3_scale(audit_kin_point_velocity(k, b, f->com), k->scene->body[b].mass);
            const v3 own = m3_apply(&f->inertia, f->w);
            sum = v3_add(sum, v3_add(v3_cross(v3_sub(f->com, at), p), own));
        }
    }
    return sum;
}

audit_energy audit_kin_energy(const audit_kinematics *k, int tree)
{
    const audit_scene *s = k->scene;
    audit_energy sum = {0};
    for (int b = 1; b < s->nbody; ++b) {
        const audit_frame *f = &k->body[b];
        if (f->tree < 0 || (tree >= 0 && f->tree != tree)) {
            continue;
        }
        const double m = s->body[b].mass;
        const v3 v = audit_kin_point_velocity(k, b, f->com);
        sum.kinetic += 0.5 * m * v3_dot(v, v) + 0.5 * v3_dot(f->w, m3_apply(&f->inertia, f->w));
        sum.gravity -= m * (1.0 - s->body[b].gravcomp) * v3_dot(v3_load(s->option.gravity), f->com);
    }
    double e[AUDIT_NV];
    audit_kin_spring_displacement(e, s, k->q);
    for (int j = 0; j < s->njoint; ++j) {
        const audit_joint *joint = &s->joint[j];
        for (int i = joint->v; i < joint->v + joint_nv(joint); ++i) {
            if (tree < 0 || k->tree_of_dof[i] == tree) {
                sum.kinetic += 0.5 * joint->armature * k->v[i] * k->v[i];
                sum.spring += 0.5 * joint->stiffness * e[i] * e[i];
            }
        }
    }
    return sum;
}

// Tendons (docs/theory/tendons.md). A path is a row of straight legs between points of bodies, and
// arcs on obstacles, which do not count for the gradient: a path is the shortest of its kind.

typedef struct path {
    double length;
    int nleg;
    struct {
        int body[2];
        v3 point[2];
    } leg[2];
} path;

static path straight(int a, v3 A, int b, v3 B)
{
    path p = {.length = v3_norm(v3_sub(B, A)), .nleg = 1};
    p.leg[0].body[0] = a;
    p.leg[0].body[1] = b;
    p.leg[0].point[0] = A;
    p.leg[0].point[1] = B;
    return p;
}

// How near the segment from a to b comes to the origin of the plane, and where.
static double plane_distance(const double a[2], const double b[2], double nearest[2])
{
    const double e[2] = {b[0] - a[0], b[1] - a[1]}, ee = e[0] * e[0] + e[1] * e[1];
    double t = ee > 0.0 ? -(a[0] * e[0] + a[1] * e[1]) / ee : 0.0;
    t = fmax(0.0, fmin(1.0, t));
    nearest[0] = a[0] + t * e[0];
    nearest[1] = a[1] + t * e[1];
    return hypot(nearest[0], nearest[1]);
}

// In the plane: touching points of a path from a to b around or by way of a circle about the
// origin. 0: the path is straight; 1: it touches at t[0] = t[1] or runs along the arc between them.
static int plane_wrap(double t[2][2], double *arc, const double a[2], const double b[2], double r,
                      const double *side, bool inside)
{
    const double ra = hypot(a[0], a[1]), rb = hypot(b[0], b[1]);
    double nearest[2];
    const double d = plane_distance(a, b, nearest);
    *arc = 0.0;
    if (ra <= r || rb <= r) {
        return 0;
    }
    const double ta = atan2(a[1], a[0]), tb = atan2(b[1], b[0]);
    if (inside) {
        if (d <= r) {
            return 0;
        }
        double turn = remainder(tb - ta, 2.0 * acos(-1.0)), lo = 0.0, hi = 1.0;
        for (int i = 0; i < 200; ++i) { // the slope of |a − x| + |x − b| along the circle grows
            const double s = 0.5 * (lo + hi), angle = ta + s * turn;
            const double x[2] = {r * cos(angle), r * sin(angle)}, u[2] = {-x[1], x[0]};
            const double da = hypot(x[0] - a[0], x[1] - a[1]), db = hypot(x[0] - b[0], x[1] - b[1]);
            const double slope = ((x[0] - a[0]) * u[0] + (x[1] - a[1]) * u[1]) / da +
                                 ((x[0] - b[0]) * u[0] + (x[1] - b[1]) * u[1]) / db;
            *(slope * turn > 0.0 ? &hi : &lo) = s;
        }
        const double angle = ta + 0.5 * (lo + hi) * turn;
        t[0][0] = t[1][0] = r * cos(angle);
        t[0][1] = t[1][1] = r * sin(angle);
        return 1;
    }
    const double alpha = acos(r / ra), beta = acos(r / rb), whole = 2.0 * acos(-1.0);
    if (d >= r && (!side || side[0] * nearest[0] + side[1] * nearest[1] >= 0.0)) {
        return 0;
    }
    double best = INFINITY;
    for (int sense = -1; sense <= 1; sense += 2) {
        double delta = fmod(sense * (tb - ta), whole);
        delta = delta < 0.0 ? delta + whole : delta;
        const double on = delta - alpha - beta;
        if (on < 0.0) {
            continue;
        }
        const double from = ta + sense * alpha, to = tb - sense * beta;
        const double middle = from + 0.5 * sense * on;
        const double rank = side ? -(side[0] * cos(middle) + side[1] * sin(middle)) : on;
        if (rank < best) {
            best = rank;
            *arc = r * on;
            t[0][0] = r * cos(from);
            t[0][1] = r * sin(from);
            t[1][0] = r * cos(to);
            t[1][1] = r * sin(to);
        }
    }
    return best < INFINITY;
}

static bool wrapped(path *out, const audit_kinematics *k, int a, v3 A, int b, v3 B,
                    const audit_wrap *wrap)
{
    const audit_scene *s = k->scene;
    const audit_geom *g = &s->geom[wrap->object];
    const pose local = pose_of(g->pos, g->quat), X = pose_compose(&k->body[g->body].X, &local);
    const v3 la = pose_apply_inverse(&X, A), lb = pose_apply_inverse(&X, B);
    v3 ls = {0, 0, 0};
    if (wrap->side >= 0) {
        const audit_site *site = &s->site[wrap->side];
        const v3 at = pose_apply(&k->body[site->body].X, v3_load(site->pos));
        ls = pose_apply_inverse(&X, at);
    }
    v3 e[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const double r = g->size[0];
    if (g->kind == AUDIT_SPHERE) {
        const v3 across = v3_cross(la, lb);
        if (v3_norm(across) < 1e-6 * v3_norm(la) * v3_norm(lb)) {
            return false; // any plane would do
        }
        e[0] = v3_unit(la);
        e[2] = v3_unit(across);
        e[1] = v3_cross(e[2], e[0]);
    } else if (g->kind != AUDIT_CYLINDER) {
        return false;
    }
    const double pa[2] = {v3_dot(la, e[0]), v3_dot(la, e[1])},
                 pb[2] = {v3_dot(lb, e[0]), v3_dot(lb, e[1])},
                 ps[2] = {v3_dot(ls, e[0]), v3_dot(ls, e[1])};
    double t[2][2], arc;
    const bool inside = wrap->side >= 0 && v3_norm(ls) < r;
    if (!plane_wrap(t, &arc, pa, pb, r, wrap->side >= 0 && !inside ? ps : NULL, inside)) {
        *out = straight(a, A, b, B);
        return true;
    }
    const double first = hypot(t[0][0] - pa[0], t[0][1] - pa[1]),
                 last = hypot(t[1][0] - pb[0], t[1][1] - pb[1]), run = first + arc + last;
    const double za = v3_dot(la, e[2]), zb = v3_dot(lb, e[2]), rise = zb - za;
    const double z[2] = {za + rise * first / run, zb - rise * last / run};
    *out = (path){.length = hypot(run, rise), .nleg = 2};
    for (int i = 0; i < 2; ++i) {
        v3 x = v3_scale(e[2], z[i]);
        x = v3_madd(v3_madd(x, t[i][0], e[0]), t[i][1], e[1]);
        x = pose_apply(&X, x);
        out->leg[i].body[0] = i == 0 ? a : g->body;
        out->leg[i].body[1] = i == 0 ? g->body : b;
        out->leg[i].point[0] = i == 0 ? A : x;
        out->leg[i].point[1] = i == 0 ? x : B;
    }
    return true;
}

bool audit_kin_tendon(double *length, double *gradient, const audit_kinematics *k, int tendon)
{
    const audit_scene *s = k->scene;
    const audit_tendon *t = &s->tendon[tendon];
    *length = 0.0;
    memset(gradient, 0, (size_t)s->nv * sizeof *gradient);
    if (!t->spatial) {
        for (int i = 0; i < t->nwrap; ++i) {
            const audit_joint *joint = &s->joint[t->wrap[i].object];
            *length += t->wrap[i].coefficient * k->q[joint->q];
            gradient[joint->v] += t->wrap[i].coefficient;
        }
        return true;
    }
    double divisor = 1.0;
    int site = -1, around = -1; // the last site, and the obstacle after it
    for (int i = 0; i < t->nwrap; ++i) {
        const audit_wrap *wrap = &t->wrap[i];
        if (wrap->kind == AUDIT_WRAP_PULLEY) {
            divisor = wrap->coefficient;
            site = around = -1;
        } else if (wrap->kind == AUDIT_WRAP_GEOM) {
            around = i;
        } else if (wrap->kind == AUDIT_WRAP_SITE) {
            if (site >= 0) {
                const audit_site *from = &s->site[site], *to = &s->site[wrap->object];
                const v3 A = pose_apply(&k->body[from->body].X, v3_load(from->pos)),
                         B = pose_apply(&k->body[to->body].X, v3_load(to->pos));
                path p = straight(from->body, A, to->body, B);
                if (around >= 0 && !wrapped(&p, k, from->body, A, to->body, B, &t->wrap[around])) {
                    return false;
                }
                *length += p.length / divisor;
                for (int n = 0; n < p.nleg; ++n) {
                    const v3 u = v3_unit(v3_sub(p.leg[n].point[1], p.leg[n].point[0]));
                    const v3 f = v3_scale(u, 1.0 / divisor), none = {0, 0, 0};
                    audit_kin_add_wrench(gradient, k, p.leg[n].body[1], p.leg[n].point[1], f, none);
                    audit_kin_add_wrench(gradient, k, p.leg[n].body[0], p.leg[n].point[0],
                                         v3_scale(f, -1.0), none);
                }
            }
            site = wrap->object;
            around = -1;
        }
    }
    return true;
}
