// Contacts. Every law takes a contact at the end of its step: with the normal n, the point x and
// the gap φ₀ of the start, and the velocities v that solve the step,
//
//     u = v_B(x) − v_A(x) at the places of the start,   φ₁ = φ₀ + h n·u_move             (AC 1)
//
// where u_move, of v_move, is u but in split steps (audit_motion.c). Where positions are corrected,
// a rigid contact that starts violated has
//
//     0 ≤ γ ⊥ n·u ≥ 0,   φ₁ ≥ 0 (or as far as correction_speed lets it come)               (AC 2)
//
// others 0 ≤ γ ⊥ φ₀ + h n·u ≥ 0 as ever, and springs act at φ₀ + h n·u, where v alone would lead.
//
// The auditor computes u from its own Jacobians. Each law meets its conditions to a residual of
// law.tolerance = 1e-9 m/s (AUDIT_LAW_TOLERANCE), which is a velocity: an impulse that a spring and
// dashpot give may be off by that times h² k + h b, and one that meets a mass by that mass times
// that. Impulses are lengths of sums, so they carry a relative round-off on top. Where impulses of
// an island press against each other, its velocities are known to (AN 1) of audit_noise.c only.
#include "check_parts.h"

#include "audit_promises.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double RELATIVE = 1e-7; // of impulses

// The velocity of the world point x of body b over the step: J(q₀) v, or the mean velocity of a
// mocap body.
static v3 end_velocity(const audit_case *c, const double *v_of, int b, v3 x)
{
    if (audit_is_mocap(c->scene, b)) {
        const v3 local = pose_apply_inverse(&c->k0.body[b].X, x);
        return v3_scale(v3_sub(pose_apply(&c->k1.body[b].X, local), x), 1.0 / c->h);
    }
    const audit_frame *f = &c->k0.body[b];
    v3 w = {0, 0, 0}, v = {0, 0, 0};
    for (int i = 0; f->moves && i < c->scene->nv; ++i) {
        w = v3_madd(w, v_of[i], v3_load(f->Jw[i]));
        v = v3_madd(v, v_of[i], v3_load(f->Jv[i]));
    }
    return v3_add(v, v3_cross(w, v3_sub(x, f->X.p)));
}

// A moving surface, in world axes.
static v3 belt_velocity(const audit_case *c, int g)
{
    const audit_geom *geom = &c->scene->geom[g];
    const m3 local = m3_of_quaternion(geom->quat);
    return m3_apply(&c->k0.body[geom->body].X.R, m3_apply(&local, v3_load(geom->surface_velocity)));
}

// [kg, kg m²] What joints of a tree resist a change of velocity with, besides bodies: M̃ has
// armature, and dampers and springs that are implicit, h D + h² K.
static double joint_resistance(const audit_case *c, int tree)
{
    double sum = 0.0;
    for (int j = 0; j < c->scene->njoint; ++j) {
        const audit_joint *joint = &c->scene->joint[j];
        if (tree >= 0 && c->k0.tree_of_dof[joint->v] == tree) {
            sum += joint->armature + c->h * (joint->damping + c->h * joint->stiffness);
        }
    }
    return sum;
}

static double tree_mass(const audit_case *c, int body)
{
    const int tree = c->k0.body[body].tree;
    double sum = 0.0;
    for (int b = 1; b < c->scene->nbody; ++b) {
        sum += tree >= 0 && c->k0.body[b].tree == tree ? c->scene->body[b].mass : 0.0;
    }
    sum += joint_resistance(c, tree);
    return tree >= 0 ? sum : INFINITY;
}

// No less than what a tree resists a turn about x with.
static double tree_inertia(const audit_case *c, int body, v3 x)
{
    const int tree = c->k0.body[body].tree;
    double sum = 0.0;
    for (int b = 1; b < c->scene->nbody; ++b) {
        const audit_frame *f = &c->k0.body[b];
        if (tree >= 0 && f->tree == tree) {
            const v3 arm = v3_sub(f->com, x);
            sum += f->inertia.m[0][0] + f->inertia.m[1][1] + f->inertia.m[2][2] +
                   c->scene->body[b].mass * v3_dot(arm, arm);
        }
    }
    sum += joint_resistance(c, tree);
    return tree >= 0 ? sum : INFINITY;
}

// The normal impulse that the material asks for at φ₁ with the rate u, between two bounds: where
// φ₁ = 0 a dashpot may push with any part of its force, (SP 3).
static void expected_normal(double range[2], double *slope, const audit_contact *k, double phi,
                            double u, double h)
{
    const double depth = fmax(0.0, -phi), rate = -u, damp = 1.0 + k->dissipation * rate;
    double force = 0.0;
    switch (k->law) {
    case AUDIT_NORMAL_SPRING:
        force = fmax(0.0, k->stiffness * -phi + k->damping * rate);
        *slope = h * (h * k->stiffness + k->damping);
        break;
    case AUDIT_NORMAL_HUNT_CROSSLEY:
        force = k->stiffness * depth * fmax(0.0, damp);
        *slope = h * k->stiffness * (h * fmax(0.0, damp) + depth * k->dissipation);
        break;
    case AUDIT_NORMAL_HERTZ:
        force = k->stiffness * depth * sqrt(depth) * fmax(0.0, damp);
        *slope = h * k->stiffness *
                 (1.5 * sqrt(depth) * h * fmax(0.0, damp) + depth * sqrt(depth) * k->dissipation);
        break;
    }
    range[0] = phi < 0.0 ? h * force : 0.0;
    range[1] = phi <= 0.0 ? h * force : 0.0;
}

typedef struct moving {
    double u[3];    // of B against A: normal, tangents
    double s[2];    // slip, belts included
    double ahead;   // φ₀ + h n·u
    double phi;     // φ₁ of (AC 1)
    double way;     // [m/s] n·u of v_move
    double speed;   // of the surfaces, at the start too: what is left of it has its round-off
    double noise;   // [m/s] of fast turns far from the origin (audit_spin_noise)
    double fuzz;    // [m/s] to which the law is met
    double mass;    // of the lighter tree
    double felt;    // [kg] no less than any direction of the contact meets
    double inertia; // [kg m²] the same of turns, about the point
} moving;

// What velocities of a contact meet: a tree that floats no more than all of its mass, which can go
// along; one that is held more, in directions in which it can hardly move. @param first row of them
static double most_felt(const audit_case *c, int contact, int first, int end, double floating)
{
    static _Thread_local double M[AUDIT_NV * AUDIT_NV];
    double sum = 0.0;
    if (floating < INFINITY) {
        return floating;
    }
    audit_implicit_mass(M, c);
    int number = -1, component = 0; // of the contact: they have their rows one after the other
    for (int i = 0; i < c->now->nrow; ++i) {
        const audit_row *r = &c->now->row[i];
        if (r->source != AUDIT_ROW_CONTACT) {
            continue;
        }
        const bool next =
            number < 0 || i == 0 || r[-1].source != r->source || r[-1].element != r->element;
        component = next ? 0 : component + 1;
        number += next;
        const bool own = number == contact && component >= first && component < end;
        sum += own ? audit_row_mass(c, r, M) : 0.0;
    }
    return sum;
}

static double floating(const audit_case *c, int body, double mass)
{
    const int tree = c->k0.body[body].tree;
    return tree >= 0 && c->floats[tree] ? mass : INFINITY;
}

static moving motion_of(const audit_case *c, const audit_contact *k)
{
    const int i = (int)(k - c->now->contact);
    const v3 x = v3_load(k->point), n = v3_load(k->normal), t1 = v3_load(k->tangent[0]),
             t2 = v3_load(k->tangent[1]);
    const v3 a = end_velocity(c, c->v_kick, k->body[0], x),
             b = end_velocity(c, c->v_kick, k->body[1], x), d = v3_sub(b, a);
    const v3 move = v3_sub(end_velocity(c, c->v_move, k->body[1], x),
                           end_velocity(c, c->v_move, k->body[0], x));
    const v3 belts = v3_sub(belt_velocity(c, k->geom[1]), belt_velocity(c, k->geom[0])),
             s = v3_add(d, belts);
    const double before = v3_norm(end_velocity(c, c->from->v, k->body[0], x)) +
                          v3_norm(end_velocity(c, c->from->v, k->body[1], x));
    const double mass[2] = {tree_mass(c, k->body[0]), tree_mass(c, k->body[1])};
    const double inertia[2] = {tree_inertia(c, k->body[0], x), tree_inertia(c, k->body[1], x)};
    return (moving){
        .u = {v3_dot(d, n), v3_dot(d, t1), v3_dot(d, t2)},
        .s = {v3_dot(s, t1), v3_dot(s, t2)},
        .ahead = k->start_gap + c->h * v3_dot(d, n),
        .phi = k->start_gap + c->h * v3_dot(move, n),
        .way = v3_dot(move, n),
        .speed = v3_norm(a) + v3_norm(b) + v3_norm(belts) + v3_norm(move) + before,
        .noise = audit_spin_noise(c, k->body[0]) + audit_spin_noise(c, k->body[1]),
        .fuzz = audit_law_fuzz(c) + audit_contact_noise(c, k),
        .mass = fmin(mass[0], mass[1]),
        .felt = most_felt(c, i, 0, 3,
                          fmin(floating(c, k->body[0], mass[0]), floating(c, k->body[1], mass[1]))),
        .inertia = most_felt(
            c, i, 3, 6,
            fmin(floating(c, k->body[0], inertia[0]), floating(c, k->body[1], inertia[1])))};
}

// By how much the friction f is beyond the polygon of r corners of radius 1, the first along x.
static double beyond_polygon(const double f[2], int r)
{
    const double pi = acos(-1.0), inner = cos(pi / r);
    double most = 0.0;
    for (int i = 0; i < r; ++i) {
        const double a = (2 * i + 1) * pi / r;
        most = fmax(most, (f[0] * cos(a) + f[1] * sin(a)) / inner - 1.0);
    }
    return most;
}

// [N m s] What a residual of the law is in the moment of a turn whose row has this arm; 0: none.
static double turning(const moving *m, double arm)
{
    return m->fuzz * m->inertia / (arm > 0.0 ? arm : 1.0);
}

// False: no more can be said of its friction.
static bool check_cone(audit_case *c, int i, const audit_contact *k, const moving *m)
{
    const audit_options *o = &c->scene->option;
    const double n = k->normal_impulse;
    const audit_law law = c->recording->law;
    const bool disc = law == AUDIT_VI && o->vi_disc; // its size follows from another problem
    if (k->condim < 3 || !(k->mu[0] > 0.0 && k->mu[1] > 0.0)) {
        audit_test(c, AUDIT_CLAIM_CONE, hypot(k->friction[0], k->friction[1]), 0.0, "N s",
                   "contact %d of g%d, g%d without friction", i, k->geom[0], k->geom[1]);
        return false;
    }
    // A velocity of `fuzz` is m fuzz in the normal impulse and in friction, and of turns, whose
    // residual is ω times the arm of the row (reach over μ), I fuzz/arm in moments.
    const double fuzz = m->fuzz, mu = fmin(k->mu[0], k->mu[1]);
    const double slack = RELATIVE * n + fuzz * m->felt * (1.0 + 1.0 / mu);
    const double f[2] = {k->friction[0] / k->mu[0], k->friction[1] / k->mu[1]};
    const double size = hypot(f[0], f[1]);
    if (!disc) {
        audit_test(c, AUDIT_CLAIM_CONE, size - n, slack, "N s", "contact %d of g%d, g%d", i,
                   k->geom[0], k->geom[1]);
        if (law == AUDIT_LCP && n > 0.0 && c->now->fallbacks == 0) {
            const double unit[2] = {f[0] / n, f[1] / n};
            audit_test(c, AUDIT_CLAIM_CONE, beyond_polygon(unit, o->lcp_directions) * n, slack,
                       "N s", "polygon of contact %d of g%d, g%d", i, k->geom[0], k->geom[1]);
        }
    }
    if (k->condim >= 4 && !disc) {
        audit_test(c, AUDIT_CLAIM_CONE, fabs(k->torsion) - k->mu_torsion * n,
                   k->mu_torsion * slack + turning(m, k->mu_torsion / k->mu[0]), "N m s",
                   "torsion of contact %d of g%d, g%d", i, k->geom[0], k->geom[1]);
    }
    const double roll = fmin(k->mu_roll[0], k->mu_roll[1]);
    if (k->condim == 6 && !disc && roll > 0.0) {
        audit_test(c, AUDIT_CLAIM_CONE,
                   hypot(k->roll[0] / k->mu_roll[0], k->roll[1] / k->mu_roll[1]) - n,
                   slack + turning(m, roll / k->mu[0]) / roll, "N s",
                   "rolling of contact %d of g%d, g%d", i, k->geom[0], k->geom[1]);
    }
    return !(n <= 1e-12 * m->mass * m->speed) && !disc;
}

static void check_friction(audit_case *c, int i, const audit_contact *k, const moving *m)
{
    if (!check_cone(c, i, k, m)) {
        return;
    }
    const audit_options *o = &c->scene->option;
    const audit_law law = c->recording->law;
    const double n = k->normal_impulse, slack = RELATIVE * n + m->fuzz * m->felt;
    const double size = hypot(k->friction[0] / k->mu[0], k->friction[1] / k->mu[1]);
    // Slip that is well above the residual and round-off: friction is the point of the ellipse that
    // takes the most from it, γ_i = −γ_n μ_i² s_i/‖μ s‖. A residual of `tol` turns it by tol/‖s‖.
    const double slip = hypot(m->s[0], m->s[1]), ms = hypot(k->mu[0] * m->s[0], k->mu[1] * m->s[1]);
    const double fuzz = m->fuzz + 1e-11 * m->speed + m->noise, mu = fmax(k->mu[0], k->mu[1]);
    const double least = fmin(k->mu[0], k->mu[1]);
    if (law == AUDIT_TAMSI) {
        // Up to v_s friction grows with the slip: m(s) = s/v_s in units of the ellipse (TA 1).
        // Solved to 1e-5 of v_s.
        const double vs = o->slip_speed, r = fmax(1.0, ms / least / vs);
        if (k->mu[0] == k->mu[1]) {
            for (int t = 0; t < 2; ++t) {
                audit_test(c, AUDIT_CLAIM_SLIP, fabs(k->friction[t] + mu * n * m->s[t] / vs / r),
                           mu * n * (1e-4 + fuzz / vs + 1e-6) + slack, "N s",
                           "contact %d of g%d, g%d, slip %.3g m/s", i, k->geom[0], k->geom[1],
                           slip);
            }
        }
        if (size < 0.999 * n) {
            audit_test(c, AUDIT_CLAIM_CREEP, slip, vs * (1.0 + 1e-4) * (mu / least) + fuzz, "m/s",
                       "contact %d of g%d, g%d", i, k->geom[0], k->geom[1]);
        }
        return;
    }
    // A rigid contact that pushes as little as round-off may do so with any friction.
    const double lost = fuzz * m->felt;
    // Where the complementarity problem was not solved friction is that of the cone. Each island
    // has its own problem, two in a split step, and the step says that of any: what holds of both
    // kinds of friction is that of the polygon.
    const bool polygon =
        law == AUDIT_LCP && (c->now->fallbacks == 0 || c->split || c->now->ncontact > 1);
    if (slip > 100.0 * fuzz && !polygon) {
        for (int t = 0; t < 2; ++t) {
            const double want = -n * k->mu[t] * k->mu[t] * m->s[t] / ms;
            audit_test(c, AUDIT_CLAIM_SLIP, fabs(k->friction[t] - want),
                       2.0 * mu * n * (mu / least) * fuzz / slip + slack * mu + lost, "N s",
                       "contact %d of g%d, g%d, slip %.3g m/s", i, k->geom[0], k->geom[1], slip);
        }
    } else if (slip > 100.0 * fuzz) {
        // The corner of the polygon that is furthest against the slip, or a mixture of two: what it
        // takes is at least cos(π/r) of what the ellipse would, ‖μ s‖ γ_n.
        const double power = -(k->friction[0] * m->s[0] + k->friction[1] * m->s[1]);
        audit_test(c, AUDIT_CLAIM_SLIP, n * ms * cos(acos(-1.0) / o->lcp_directions) - power,
                   slack * ms + 2.0 * mu * n * fuzz + lost * slip, "J",
                   "polygon of contact %d of g%d, g%d, slip %.3g m/s", i, k->geom[0], k->geom[1],
                   slip);
    }
    const double inside = polygon ? cos(acos(-1.0) / o->lcp_directions) : 1.0;
    if (size < 0.999 * inside * n - lost / least) {
        audit_test(c, AUDIT_CLAIM_CREEP, slip, fuzz, "m/s", "contact %d of g%d, g%d", i, k->geom[0],
                   k->geom[1]);
    }
}

// In an impact impulses are sums over its phases: each is within the cone, which is convex. The way
// passes no rigid contact that the step keeps.
static void check_struck(audit_case *c, int i, const audit_contact *k, const moving *m)
{
    const double fuzz = m->fuzz + 1e-11 * m->speed + m->noise;
    const double round = 1e-14 * (v3_norm(v3_load(k->point)) + 1e-3) / c->h;
    check_cone(c, i, k, m);
    if (audit_law_is_rigid(c->recording->law)) {
        audit_test(
            c, AUDIT_CLAIM_NORMAL, -m->phi, c->h * (fuzz + round) + 2.0 * AUDIT_GAP_TOLERANCE, "m",
            "contact %d of g%d, g%d is passed on the way of an impact", i, k->geom[0], k->geom[1]);
    }
}

static void check_contact(audit_case *c, int i)
{
    const audit_contact *k = &c->now->contact[i];
    const audit_options *o = &c->scene->option;
    const audit_law law = c->recording->law;
    const bool rigid = audit_law_is_rigid(law);
    const double h = c->h, n = k->normal_impulse;
    const int trees[2] = {c->k0.body[k->body[0]].tree, c->k0.body[k->body[1]].tree};
    for (int side = 0; side < 2; ++side) {
        if (trees[side] >= 0 && c->mode[trees[side]] == TREE_UNKNOWN) {
            return; // the velocities that solved the step are not known
        }
    }
    const moving m = motion_of(c, k);
    const double fuzz = m.fuzz + 1e-11 * m.speed + m.noise;
    // What the library reports of the motion.
    const double scale = fuzz + 1e-9 * m.speed;
    if (!audit_test(c, AUDIT_CLAIM_REPORT, fabs(k->approach - m.u[0]), scale, "m/s",
                    "rate of contact %d of g%d, g%d", i, k->geom[0], k->geom[1])) {
        return;
    }
    audit_test(c, c->now->recovering > 0 ? AUDIT_CLAIM_RECOVERY : AUDIT_CLAIM_REPORT,
               fabs(k->gap - m.phi), h * scale + 1e-12 * (1.0 + fabs(m.phi)), "m",
               "gap of contact %d of g%d, g%d at the end", i, k->geom[0], k->geom[1]);
    if (k->condim >= 3) {
        audit_test(c, AUDIT_CLAIM_REPORT, hypot(k->slip[0] - m.s[0], k->slip[1] - m.s[1]), scale,
                   "m/s", "slip of contact %d of g%d, g%d", i, k->geom[0], k->geom[1]);
    }
    if (c->now->unsolved > 0 || c->now->outcome != 0 || c->now->recovering > 0) {
        return; // the library says so itself
    }
    if (audit_law_yields(c)) {
        return; // contacts yield by the compliance s D γ
    }
    if (c->now->impacts > 0) {
        check_struck(c, i, k, &m);
        return;
    }
    // Units in the last place of φ/h: gaps are differences of places.
    double places = v3_norm(v3_load(k->point)) + 1e-3;
    const double round = 1e-14 * places / h;
    if (rigid) {
        double lift = 0.0;
        if (law == AUDIT_VI && !o->vi_disc && !o->vi_desaxce) {
            lift = hypot(k->mu[0] * m.s[0], k->mu[1] * m.s[1]);
            if (k->condim >= 4) { // cones of torsion and rolling hover, too: bounded by the spin
                lift = INFINITY;
            }
        }
        // (AC 2); within the tolerance it may be taken for violated, or not.
        const bool violated = c->corrects && k->start_gap < -AUDIT_GAP_TOLERANCE;
        const double open = violated ? 0.0 : k->start_gap / h;
        const double kept = c->corrects ? fmax(0.0, k->start_gap / h) : open;
        if (n > RELATIVE * m.mass * (m.speed + fabs(k->start_gap) / h)) {
            audit_test(c, AUDIT_CLAIM_DISTANCE, m.u[0] + open, fuzz + round + lift, "m/s",
                       "contact %d of g%d, g%d pushes", i, k->geom[0], k->geom[1]);
        }
        audit_test(c, AUDIT_CLAIM_NORMAL, -m.u[0] - kept, fuzz + round, "m/s",
                   "contact %d of g%d, g%d is not kept apart", i, k->geom[0], k->geom[1]);
        audit_test(c, AUDIT_CLAIM_NORMAL, -m.way - k->start_gap / h, fuzz + round, "m/s",
                   "contact %d of g%d, g%d ends closed too far", i, k->geom[0], k->geom[1]);
    } else {
        double range[2], slope;
        const double tol = AUDIT_LAW_TOLERANCE + audit_contact_noise(c, k);
        const double off = h * (fuzz + round);
        double lo, hi;
        expected_normal(range, &slope, k, m.ahead + off, m.u[0] + off / h, h);
        lo = range[0];
        expected_normal(range, &slope, k, m.ahead - off, m.u[0] - off / h, h);
        hi = range[1];
        // Softer than a heap of bodies would notice: the residual counts beside the mobility, too.
        const double slack = RELATIVE * hi + 4.0 * tol * fmin(slope, m.felt) + 1e-15 * slope;
        // The residual of a contact that should push less is no more than what its impulse moves by
        // itself, w γ: points with a vanishing share of the stiffness may push with that.
        // Where none is asked for it may as well pull by that; its sign is a claim of its own.
        const double over = n <= tol * m.felt ? 0.0 : n - hi;
        const double under = lo == 0.0 && n >= -tol * m.felt ? 0.0 : lo - n;
        audit_test(c, AUDIT_CLAIM_NORMAL, fmax(under, over), slack, "N s",
                   "impulse %.6g of contact %d of g%d, g%d (expected %.6g to %.6g)", n, i,
                   k->geom[0], k->geom[1], lo, hi);
        // Where it should not push the residual is a γ, a = W + R (SP 6), and W alone of a curve,
        // which has no slope there.
        const double open = k->law == AUDIT_NORMAL_SPRING ? slack : 4.0 * tol * m.felt;
        if (m.ahead > off) {
            audit_test(c, AUDIT_CLAIM_DISTANCE, n, open, "N s", "contact %d of g%d, g%d", i,
                       k->geom[0], k->geom[1]);
        }
    }
    check_friction(c, i, k, &m);
}

// docs/contact.md: numbers of two geoms.
typedef struct mixed {
    double stiffness, damping;
    bool damping_known, spring;
    int condim;
    double mu[2], torsion, roll[2];
} mixed;

static const audit_pair *pair_of(const audit_scene *s, const int geom[2])
{
    for (int i = 0; i < s->npair; ++i) {
        const int *g = s->pair[i].geom;
        if ((g[0] == geom[0] && g[1] == geom[1]) || (g[0] == geom[1] && g[1] == geom[0])) {
            return &s->pair[i];
        }
    }
    return NULL;
}

// An elastic foundation has no material of its own where it meets anything but a plane: the
// default.
static audit_material material_of(const audit_geom *g)
{
    const audit_material usual = {
        .stiffness = 2e7, .damping = 2e4, .poisson = 0.3, .restitution = -1};
    return g->foundation[0] > 0 ? usual : g->material;
}

static mixed mix(const audit_scene *s, const int geom[2])
{
    const audit_pair *p = pair_of(s, geom);
    const audit_geom *a = &s->geom[geom[0]], *b = &s->geom[geom[1]];
    mixed m = {.damping_known = true};
    if (p) {
        m.condim = p->condim;
        m.mu[0] = p->friction[0];
        m.mu[1] = p->friction[1];
        m.torsion = p->friction[2];
        m.roll[0] = p->friction[3];
        m.roll[1] = p->friction[4];
        m.spring = p->material.youngs_modulus == 0.0 && p->material.dissipation == 0.0;
        m.stiffness = p->material.stiffness;
        m.damping = p->material.damping;
        m.damping_known = p->material.restitution < 0.0;
        return m;
    }
    const audit_geom *first = a->priority >= b->priority ? a : b, *second = first == a ? b : a;
    const bool alone = first->priority > second->priority;
    m.condim = alone || first->condim > second->condim ? first->condim : second->condim;
    double f[3];
    for (int i = 0; i < 3; ++i) {
        f[i] = alone ? first->friction[i] : fmax(a->friction[i], b->friction[i]);
    }
    m.mu[0] = m.mu[1] = f[0];
    m.torsion = f[1];
    m.roll[0] = m.roll[1] = f[2];
    const audit_material mx = material_of(first), my = material_of(second), *x = &mx, *y = &my;
    m.spring = x->youngs_modulus == 0.0 && x->dissipation == 0.0 &&
               (alone || (y->youngs_modulus == 0.0 && y->dissipation == 0.0));
    m.damping_known = x->restitution < 0.0 && (alone || y->restitution < 0.0);
    if (alone) {
        m.stiffness = x->stiffness;
        m.damping = x->damping;
    } else {
        m.stiffness = 1.0 / (1.0 / x->stiffness + 1.0 / y->stiffness);
        const double p0 = m.stiffness / x->stiffness, p1 = m.stiffness / y->stiffness;
        m.damping = p0 * p0 * x->damping + p1 * p1 * y->damping;
    }
    return m;
}

// The points of two geoms share their stiffness by weights that sum to 1 in each patch: one patch
// for two convex shapes, several on terrain.
static void check_materials(audit_case *c)
{
    const audit_scene *s = c->scene;
    const audit_step *step = c->now;
    for (int i = 0, next; i < step->ncontact; i = next) {
        const audit_contact *k = &step->contact[i];
        double stiffness = 0.0;
        for (next = i; next < step->ncontact && step->contact[next].geom[0] == k->geom[0] &&
                       step->contact[next].geom[1] == k->geom[1];
             ++next) {
            stiffness += step->contact[next].stiffness;
        }
        const mixed m = mix(s, k->geom);
        const char *where = "g%d, g%d";
        (void)where;
        // Normals that are no plain springs have rows of friction that hold nothing.
        const bool padded = k->condim == 3 && m.condim == 1 && k->mu[0] == 0.0 && k->mu[1] == 0.0;
        audit_test(c, AUDIT_CLAIM_MATERIAL, padded ? 0 : abs(k->condim - m.condim), 0, "1",
                   "condim %d of g%d, g%d (expected %d)", k->condim, k->geom[0], k->geom[1],
                   m.condim);
        const double got[5] = {k->mu[0], k->mu[1], k->mu_torsion, k->mu_roll[0], k->mu_roll[1]};
        const double want[5] = {m.mu[0], m.mu[1], m.torsion, m.roll[0], m.roll[1]};
        const int used = m.condim == 1 ? 0 : m.condim == 3 ? 2 : m.condim == 4 ? 3 : 5;
        for (int n = 0; n < used; ++n) {
            audit_test(c, AUDIT_CLAIM_MATERIAL, fabs(got[n] - want[n]), 1e-12 * want[n], "1",
                       "friction %d of g%d, g%d: %.9g (expected %.9g)", n, k->geom[0], k->geom[1],
                       got[n], want[n]);
        }
        if (!m.spring || k->law != AUDIT_NORMAL_SPRING || audit_law_is_rigid(c->recording->law)) {
            continue;
        }
        const double patches = stiffness / m.stiffness;
        const bool terrain =
            s->geom[k->geom[0]].kind >= AUDIT_MESH || s->geom[k->geom[1]].kind >= AUDIT_MESH;
        const double off =
            terrain ? fabs(patches - fmax(1.0, nearbyint(patches))) : fabs(patches - 1.0);
        audit_test(c, AUDIT_CLAIM_MATERIAL, off, 1e-9, "1",
                   "stiffness of g%d, g%d: %.9g in all (expected %.9g)", k->geom[0], k->geom[1],
                   stiffness, m.stiffness);
        if (m.damping_known && k->stiffness > 0.0) {
            const double ratio = k->damping / k->stiffness * m.stiffness;
            audit_test(c, AUDIT_CLAIM_MATERIAL, fabs(ratio - m.damping), 1e-9 * m.damping, "N s/m",
                       "damping of g%d, g%d: %.9g (expected %.9g)", k->geom[0], k->geom[1], ratio,
                       m.damping);
        }
    }
}

// Impulses are sums of products: an open contact may have the round-off of those that push beside
// it.
static void check_push(audit_case *c, int i)
{
    const audit_contact *k = &c->now->contact[i];
    double all = 0.0;
    if (c->now->unsolved > 0 && (c->recording->law == AUDIT_NCP || c->now->fallbacks > 0)) {
        return; // docs/laws/ncp.md promises momentum alone, and tells the residual
    }
    for (int n = 0; n < c->now->nrow; ++n) {
        all += c->now->row[n].jacobian >= 0 ? fabs(c->now->row[n].impulse) : 0.0;
    }
    const double mass = fmin(tree_mass(c, k->body[0]), tree_mass(c, k->body[1]));
    audit_test(c, AUDIT_CLAIM_PUSH, -k->normal_impulse, 1e-11 * all + audit_law_fuzz(c) * mass,
               "N s", "contact %d of g%d, g%d", i, k->geom[0], k->geom[1]);
}

// One impact alone: a single point of contact pushes, and no other row acts. The normal velocity
// after it is −e times that before, which is what forces make of that at the start in some share of
// the step; then they act for the rest of it (src/solve/impact.h, (IM 0)–(IM 5)). Under `poisson`
// that holds where friction does not move the point along its normal.
static double restitution_of(const audit_scene *s, const int geom[2])
{
    const audit_pair *p = pair_of(s, geom);
    if (p) {
        return fmax(0.0, p->material.restitution);
    }
    const audit_geom *a = &s->geom[geom[0]], *b = &s->geom[geom[1]];
    const double x = a->material.restitution, y = b->material.restitution;
    if (a->priority != b->priority) {
        return fmax(0.0, a->priority > b->priority ? x : y);
    }
    return x < 0.0 ? fmax(0.0, y) : y < 0.0 ? x : fmin(x, y);
}

// Trees that contacts and rows which act in the step join: the number of an island, of each.
typedef struct bound_trees {
    int island[AUDIT_BODIES];
    int pushing[AUDIT_BODIES]; // contacts that push or are all but closed, by island
    bool other[AUDIT_BODIES];  // by island: other rows act, too
} bound_trees;

static void join_trees(bound_trees *b, int ntree, int from, int to)
{
    for (int t = 0; t < ntree && from != to; ++t) {
        b->island[t] = b->island[t] == from ? to : b->island[t];
    }
}

// [m/s] The velocity of B against A at a point x that moves with both, of the velocities v.
static v3 relative_velocity(const audit_case *c, const audit_contact *k, const double *v)
{
    const v3 x = v3_load(k->point);
    v3 d = {0, 0, 0};
    for (int side = 0; side < 2; ++side) {
        const audit_frame *b = &c->k0.body[k->body[side]];
        for (int i = 0; b->moves && i < c->scene->nv; ++i) {
            const v3 column =
                v3_add(v3_load(b->Jv[i]), v3_cross(v3_load(b->Jw[i]), v3_sub(x, b->X.p)));
            d = v3_madd(d, side == 0 ? -v[i] : v[i], column);
        }
    }
    return d;
}

// Does a contact push, or might it close in the step: at its end, or as bodies go at its start, and
// fall? What another contact throws apart has closed before, and counts for the rule of impacts.
static bool nearly_closed(const audit_case *c, const audit_contact *k)
{
    const double h = c->h, fall = h * h * v3_norm(v3_load(c->scene->option.gravity));
    const double rate = v3_dot(relative_velocity(c, k, c->from->v), v3_load(k->normal));
    return k->normal_impulse > 0.0 || fmin(k->gap, k->start_gap + h * rate - 2.0 * fall) < 1e-7;
}

static int first_tree(const audit_case *c, const audit_contact *k)
{
    const int a = c->k0.body[k->body[0]].tree, b = c->k0.body[k->body[1]].tree;
    return a >= 0 ? a : b;
}

static bool row_acts_on(const audit_case *c, const audit_row *r, int tree)
{
    bool any = r->jacobian < 0;
    for (int n = 0; !any && n < c->scene->nv; ++n) {
        any = c->k0.tree_of_dof[n] == tree && c->now->G[r->jacobian + n] != 0.0;
    }
    return any && r->source != AUDIT_ROW_CONTACT && r->impulse != 0.0;
}

static void bind_trees(bound_trees *b, const audit_case *c)
{
    const audit_step *step = c->now;
    const int ntree = c->k0.ntree;
    memset(b, 0, sizeof *b);
    for (int t = 0; t < ntree; ++t) {
        b->island[t] = t;
    }
    for (int i = 0; i < step->ncontact; ++i) {
        const audit_contact *k = &step->contact[i];
        const int to = first_tree(c, k), from = c->k0.body[k->body[1]].tree;
        if (nearly_closed(c, k) && from >= 0) {
            join_trees(b, ntree, b->island[from], b->island[to]);
        }
    }
    for (int i = 0; i < step->nrow; ++i) {
        for (int t = 0, first = -1; t < ntree; ++t) {
            if (row_acts_on(c, &step->row[i], t)) {
                first = first < 0 ? t : first;
                join_trees(b, ntree, b->island[t], b->island[first]);
            }
        }
    }
    for (int i = 0; i < step->ncontact; ++i) {
        const int t = first_tree(c, &step->contact[i]);
        b->pushing[t >= 0 ? b->island[t] : 0] += t >= 0 && nearly_closed(c, &step->contact[i]);
    }
    for (int i = 0; i < step->nrow; ++i) {
        for (int t = 0; t < ntree; ++t) {
            b->other[b->island[t]] = b->other[b->island[t]] || row_acts_on(c, &step->row[i], t);
        }
    }
}

static void check_one_rebound(audit_case *c, int hit)
{
    const audit_options *o = &c->scene->option;
    const audit_contact *k = &c->now->contact[hit];
    if (c->recording->law == AUDIT_VI && k->condim > 1) {
        return; // sliding contacts separate by μ times the slip (docs/laws/vi.md)
    }
    audit_forces f;
    audit_step_forces(&f, c);
    for (int side = 0; side < 2; ++side) {
        const int t = c->k0.body[k->body[side]].tree;
        if (audit_is_mocap(c->scene, k->body[side]) ||
            (t >= 0 && (c->mode[t] == TREE_UNKNOWN || !f.known[t])) ||
            v3_norm(belt_velocity(c, k->geom[side])) > 0.0) {
            return;
        }
    }
    // Where the velocities would go without the contact: M̃ (v* − v₀) = h f, and over the share τ of
    // the step τ (v* − v₀).
    const int nv = c->scene->nv;
    static _Thread_local double M[AUDIT_NV * AUDIT_NV], copy[AUDIT_NV * AUDIT_NV];
    double a[AUDIT_NV], v[AUDIT_NV], push[AUDIT_NV] = {0};
    for (int i = 0; i < nv; ++i) {
        a[i] =
            f.gravity[i] + f.velocity[i] + f.drives[i] + f.applied[i] + f.springs[i] + f.dampers[i];
    }
    audit_kin_mass(M, &c->k0);
    audit_add_implicit(M, a, c);
    memcpy(copy, M, sizeof copy);
    const v3 x = v3_load(k->point), n = v3_load(k->normal);
    for (int side = 0; side < 2; ++side) {
        audit_kin_add_wrench(push, &c->k0, k->body[side], x, v3_scale(n, side == 0 ? -1.0 : 1.0),
                             (v3){0, 0, 0});
    }
    if (!audit_solve(a, M, nv) || !audit_solve(push, copy, nv)) {
        return;
    }
    if (o->impact_rule == 1 && k->condim > 1) {
        const v3 answer = relative_velocity(c, k, push);
        const double along = v3_dot(answer, n);
        if (v3_norm(v3_madd(answer, -along, n)) > 1e-12 * along) {
            return; // Poisson's rule returns impulses: friction has its part in the velocity
        }
    }
    double u[2], slip = 0.0;
    for (int share = 0; share < 2; ++share) {
        for (int i = 0; i < nv; ++i) {
            v[i] = c->from->v[i] + share * c->h * a[i];
        }
        const v3 d = relative_velocity(c, k, v);
        u[share] = v3_dot(d, n);
        slip = fmax(slip, v3_norm(v3_madd(d, -u[share], n)));
    }
    const moving m = motion_of(c, k);
    const double e = restitution_of(c->scene, k->geom);
    const double least = fmin(-u[0], -u[1]), most = fmax(-u[0], -u[1]);
    // After the share τ of the step, −e u⁻ with u⁻ = u₀ + τ (u* − u₀), and then forces for the rest
    // of it: linear in τ.
    const double early = -e * u[0] + u[1] - u[0], late = -e * u[1];
    if (least < 1.01 * o->impact_speed) {
        return;
    }
    // The cone of vi leaves compression with u_n = μ |s|: expansion adds e times that, and with
    // s⁺ = (1 + e) s − e s⁻ the two are μ |s⁺ + e s⁻|.
    double lift = 0.0;
    if (c->recording->law == AUDIT_VI && !o->vi_disc && !o->vi_desaxce && k->condim >= 3) {
        lift = k->condim >= 4
                   ? (double)INFINITY
                   : fmax(k->mu[0], k->mu[1]) * (hypot(m.s[0], m.s[1]) + e * slip + most - least);
    }
    // Impulses give by a compliance of some 1e-6 of the mobility where the law has one.
    audit_test(c, AUDIT_CLAIM_REBOUND,
               fmax(fmin(early, late) - m.u[0], m.u[0] - fmax(early, late) - lift),
               (audit_law_yields(c) ? 1e-4 : 1e-6) * (most + m.speed) + AUDIT_LAW_TOLERANCE, "m/s",
               "g%d, g%d met at %.6g m/s and part at %.6g m/s (e = %g)", k->geom[0], k->geom[1],
               most, m.u[0], e);
}

// Each island in which one contact pushes, and nothing else acts. Under rigid laws all contacts
// with a restitution obey the rule; under others those whose spring is not resolved by the step,
// which is known where there is one such contact and one impact.
static void check_rebounds(audit_case *c)
{
    const audit_step *step = c->now;
    bound_trees b;
    int hits = 0, hit = -1;
    if (step->impacts == 0 || c->scene->option.stabilisation == 1) {
        return;
    }
    bind_trees(&b, c);
    for (int i = 0; i < step->ncontact; ++i) {
        const audit_contact *k = &step->contact[i];
        const int t = first_tree(c, k);
        if (!(k->normal_impulse > 0.0) || t < 0 || !(restitution_of(c->scene, k->geom) > 0.0)) {
            continue;
        }
        hits++;
        if (b.pushing[b.island[t]] == 1 && !b.other[b.island[t]]) {
            hit = i;
            if (audit_law_is_rigid(c->recording->law)) {
                check_one_rebound(c, i);
            }
        }
    }
    if (hits == 1 && hit >= 0 && !audit_law_is_rigid(c->recording->law)) {
        check_one_rebound(c, hit);
    }
}

void audit_check_contacts(audit_case *c)
{
    if (!audit_step_is_whole(c) || c->now->asleep > 0) {
        return;
    }
    check_materials(c);
    check_rebounds(c);
    const bool balanced = audit_step_is_balanced(c);
    for (int i = 0; i < c->now->ncontact; ++i) {
        check_push(c, i);
        if (balanced) {
            check_contact(c, i);
        }
    }
}
