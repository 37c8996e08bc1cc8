// Numbers of the state: finite, of unit length, poses and twists as q and v say, the same bits in
// other runs.
#include "check_parts.h"

#include "audit_promises.h"

#include <math.h>
#include <stdio.h>

static bool finite_all(const double *x, int n)
{
    for (int i = 0; i < n; ++i) {
        if (!isfinite(x[i])) {
            return false;
        }
    }
    return true;
}

static void check_finite(audit_case *c)
{
    const audit_step *s = c->now;
    bool contacts = true, rows = true, bodies = true;
    for (int i = 0; i < s->ncontact; ++i) {
        const audit_contact *k = &s->contact[i];
        contacts = contacts && finite_all(k->point, 3) && finite_all(k->normal, 3) &&
                   isfinite(k->start_gap) && isfinite(k->gap) && finite_all(k->impulse, 3) &&
                   finite_all(k->moment, 3) && isfinite(k->approach) && finite_all(k->slip, 2);
    }
    for (int i = 0; i < s->nrow; ++i) {
        const audit_row *r = &s->row[i];
        rows = rows && isfinite(r->impulse) && isfinite(r->gap) && isfinite(r->rate) &&
               isfinite(r->start_gap) && isfinite(r->start_rate);
    }
    for (int b = 0; b < c->scene->nbody; ++b) {
        const audit_body_state *x = &c->to->body[b];
        bodies = bodies && finite_all(x->pos, 3) && finite_all(x->quat, 4) && finite_all(x->w, 3) &&
                 finite_all(x->v, 3);
    }
    audit_test(c, AUDIT_CLAIM_FINITE, contacts ? 0 : NAN, 0, "1", "contacts");
    audit_test(c, AUDIT_CLAIM_FINITE, rows ? 0 : NAN, 0, "1", "rows");
    audit_test(c, AUDIT_CLAIM_FINITE, bodies ? 0 : NAN, 0, "1", "bodies");
    if (c->to->ledger.kept) {
        const audit_ledger *l = &c->to->ledger;
        const double x[] = {l->kinetic, l->gravity, l->spring,   l->elastic, l->applied,  l->drives,
                            l->moved,   l->damped,  l->friction, l->impacts, l->remainder};
        audit_test(c, AUDIT_CLAIM_FINITE, finite_all(x, 11) ? 0 : NAN, 0, "1", "ledger");
    }
}

// A product of n unit quaternions and one normalisation: some units in the last place.
static void check_unit(audit_case *c)
{
    for (int j = 0; j < c->scene->njoint; ++j) {
        const audit_joint *joint = &c->scene->joint[j];
        if (joint->kind == AUDIT_FREE || joint->kind == AUDIT_BALL) {
            const double *q = c->to->q + joint->q + (joint->kind == AUDIT_FREE ? 3 : 0);
            const double n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
            audit_test(c, AUDIT_CLAIM_UNIT, fabs(n - 1.0), 1e-14, "1", "joint j%d", j);
        }
    }
    for (int b = 1; b < c->scene->nbody; ++b) {
        const double *q = c->to->body[b].quat;
        const double n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        audit_test(c, AUDIT_CLAIM_UNIT, fabs(n - 1.0), 1e-13, "1", "body b%d", b);
    }
}

// Each of at most 16 joints between a body and the world adds some units in the last place of the
// lengths that it turns; velocities of points likewise, times the rates. An angle of many turns is
// a pose but for its own last place.
static void check_bodies(audit_case *c)
{
    const audit_kinematics *k = &c->k1;
    double far = 0.0, fast = 0.0, turn = 0.0;
    for (int b = 1; b < c->scene->nbody; ++b) {
        far = fmax(far, v3_norm(k->body[b].X.p));
        fast = fmax(fast, v3_norm(k->body[b].v));
        turn = fmax(turn, v3_norm(k->body[b].w));
    }
    for (int i = 0; i < c->scene->nv; ++i) {
        fast = fmax(fast, fabs(c->to->v[i]));
        turn = fmax(turn, fabs(c->to->v[i]));
    }
    for (int i = 0; i < c->scene->nq; ++i) {
        far = fmax(far, fabs(c->to->q[i]));
    }
    for (int b = 1; b < c->scene->nbody; ++b) {
        const audit_body_state *x = &c->to->body[b];
        const audit_frame *f = &k->body[b];
        const m3 R = m3_of_quaternion(x->quat), back = m3_transpose(&f->X.R),
                 off = m3_multiply(&back, &R);
        audit_test(c, AUDIT_CLAIM_POSE, v3_norm(v3_sub(v3_load(x->pos), f->X.p)),
                   1e-12 * (1.0 + far), "m", "body b%d", b);
        audit_test(c, AUDIT_CLAIM_POSE, v3_norm(m3_log(&off)), 1e-12 + 1e-15 * far, "rad",
                   "body b%d", b);
        audit_test(c, AUDIT_CLAIM_TWIST, v3_norm(v3_sub(v3_load(x->w), f->w)),
                   1e-12 * (1e-3 + turn) + 1e-15 * far * turn, "rad/s", "body b%d", b);
        audit_test(c, AUDIT_CLAIM_TWIST, v3_norm(v3_sub(v3_load(x->v), f->v)),
                   1e-12 * (1e-3 + fast + turn * (1.0 + far)), "m/s", "body b%d", b);
    }
    for (int t = 0; t < c->scene->ntendon; ++t) {
        double length, gradient[AUDIT_NV], rate = 0.0, size = 0.0;
        if (!c->to->tendons_known || !audit_kin_tendon(&length, gradient, k, t)) {
            continue;
        }
        for (int i = 0; i < c->scene->nv; ++i) {
            rate += gradient[i] * c->to->v[i];
            size += fabs(gradient[i] * c->to->v[i]);
        }
        // Wraps lose half of the digits where a path is tangent to its obstacle.
        audit_test(c, AUDIT_CLAIM_TENDON, fabs(length - c->to->tendon_length[t]),
                   1e-9 * (1.0 + fabs(length) + far), "m", "tendon t%d", t);
        audit_test(c, AUDIT_CLAIM_TENDON, fabs(rate - c->to->tendon_rate[t]),
                   1e-6 * size + 1e-9 * (fast + turn), "m/s", "rate of tendon t%d", t);
    }
}

// q₁ = q₀ ⊕ h v₁ (SI 2): hinges and slides add, rotations by the Cayley map, which is off the
// exponential by (h ω)³/12. Free bodies that spin turn by a path of their own (order h²): their
// centres of mass move by h times their velocity. Joints of trees in transport or under the limit
// of energy may go a part of the way.
//
// In a split step that is so for trees that no row joins to one that starts violated or to an
// impact. For the others v_move is known, and held to what gaps and energies say of it
// (check_contact_laws.c, check_rows.c, check_energy.c), and to the centre of mass
// (check_momentum.c).
static bool spread(bool *moved, const audit_case *c, const bool *meets)
{
    bool any = false, all = true;
    for (int t = 0; t < c->k0.ntree; ++t) {
        any = any || (meets[t] && moved[t]);
        all = all && (!meets[t] || moved[t]);
    }
    for (int t = 0; any && t < c->k0.ntree; ++t) {
        moved[t] = moved[t] || meets[t];
    }
    return any && !all;
}

// The trees that row i meets. The normal of a contact may meet another tree than its friction: they
// are one.
static void trees_of(bool *meets, const audit_case *c, int i)
{
    const audit_step *s = c->now;
    for (int n = 0; n < s->nrow; ++n) {
        const audit_row *r = &s->row[n];
        const bool same =
            n == i || (r->source == AUDIT_ROW_CONTACT && r->source == s->row[i].source &&
                       r->element == s->row[i].element);
        for (int k = 0; same && k < c->scene->nv; ++k) {
            const int t = c->k0.tree_of_dof[k];
            meets[t] = meets[t] || r->jacobian < 0 || s->G[r->jacobian + k] != 0.0;
        }
    }
}

// Is a contact struck? It pushes, or it closes and others hold the load: then it ends closed, along
// the velocities of the start or those that move bodies.
static bool is_struck(const audit_case *c, const audit_row *r)
{
    const double slow = c->scene->option.impact_speed;
    const double ahead = r->start_gap + c->h * r->start_rate;
    return r->impulse > 0.0 ||
           (r->start_rate < -slow && fmin(ahead, r->gap) <= 2.0 * AUDIT_GAP_TOLERANCE);
}

// Trees that correction or an impact moves: those of islands, which rows with a gradient and
// contacts make, in which a rigid row starts violated or a contact is struck.
static void find_moved(bool *moved, const audit_case *c)
{
    const audit_step *s = c->now;
    bool more = c->split;
    for (int n = 0; more; ++n) {
        more = false;
        for (int i = 0; i < s->nrow + s->ncontact; ++i) {
            bool meets[AUDIT_BODIES] = {false}, starts = false;
            if (i < s->nrow) {
                const audit_row *r = &s->row[i];
                trees_of(meets, c, i);
                starts = audit_row_is_corrected(c, r) ||
                         (s->impacts > 0 && r->source == AUDIT_ROW_CONTACT && r->lo == 0.0 &&
                          is_struck(c, r));
            } else { // also of a tree that it cannot move
                const audit_contact *k = &s->contact[i - s->nrow];
                for (int side = 0; side < 2; ++side) {
                    const int t = c->k0.body[k->body[side]].tree;
                    if (t >= 0) {
                        meets[t] = true;
                    }
                }
                starts = s->impacts > 0 && k->normal_impulse > 0.0;
            }
            for (int t = 0; n == 0 && starts && t < c->k0.ntree; ++t) {
                moved[t] = moved[t] || meets[t];
            }
            more = spread(moved, c, meets) || more || (n == 0 && starts);
        }
    }
}

// [kg m/s] What (AV 4) leaves in the momentum of a tree.
static double momentum_noise(const audit_case *c, int tree)
{
    double sum = 0.0;
    for (int b = 1; b < c->scene->nbody; ++b) {
        sum +=
            c->k0.body[b].tree == tree ? audit_kin_momentum_terms(&c->k0, b, c->kick_noise) : 0.0;
    }
    return sum;
}

static void check_drift(audit_case *c)
{
    if (!audit_step_is_balanced(c)) {
        return;
    }
    const double h = c->h;
    bool moved[AUDIT_BODIES] = {false}; // trees that correction or an impact moves
    find_moved(moved, c);
    static _Thread_local audit_kinematics kicked; // q₀ with v
    audit_kin_place(&kicked, c->scene, c->from->q, c->v_kick, c->mocap0);
    for (int j = 0; j < c->scene->njoint; ++j) {
        const audit_joint *joint = &c->scene->joint[j];
        const double *q0 = c->from->q + joint->q, *q1 = c->to->q + joint->q,
                     *v = c->v_kick + joint->v;
        const int tree = c->k0.tree_of_dof[joint->v];
        if (c->mode[tree] == TREE_UNKNOWN || moved[tree]) {
            continue;
        }
        if (joint->kind == AUDIT_HINGE || joint->kind == AUDIT_SLIDE) {
            audit_test(c, AUDIT_CLAIM_DRIFT, fabs(q1[0] - q0[0] - h * v[0]),
                       1e-12 * (fabs(q0[0]) + fabs(q1[0]) + h * fabs(v[0])) + 1e-15, "m, rad",
                       "joint j%d", j);
            continue;
        }
        const double *r0 = q0, *r1 = q1;
        const double *w = v;
        if (joint->kind == AUDIT_FREE) {
            r0 += 3;
            r1 += 3;
            w += 3;
            const audit_momentum P0 = audit_kin_momentum(&kicked, tree),
                                 P1 = audit_kin_momentum(&c->k1, tree);
            if (c->mode[tree] == TREE_SPIN) {
                const v3 d = v3_scale(v3_sub(v3_sub(P1.moment, P0.moment), v3_scale(P0.linear, h)),
                                      1.0 / P1.mass);
                const double noise = h * momentum_noise(c, tree) / P1.mass;
                audit_test(c, AUDIT_CLAIM_DRIFT, v3_norm(d),
                           1e-11 * (v3_norm(P1.moment) + h * v3_norm(P0.linear)) / P1.mass +
                               h * audit_spin_noise(c, joint->body) + noise + 1e-14,
                           "m", "centre of mass of joint j%d", j);
            }
        }
        const m3 R0 = m3_of_quaternion(r0), R1 = m3_of_quaternion(r1), back = m3_transpose(&R0),
                 turn = m3_multiply(&back, &R1);
        const double angle = h * v3_norm(v3_load(w));
        // A spinning body's angular velocity changes by at most ω² (I₃ − I₁)/I₁ ≤ … in the step: to
        // first order the path is off by ½ (hω)² times the ratio of its moments of inertia.
        if (c->mode[tree] == TREE_EXPLICIT && angle < 1.0) {
            audit_test(c, AUDIT_CLAIM_DRIFT,
                       v3_norm(v3_sub(m3_log(&turn), v3_scale(v3_load(w), h))),
                       angle * angle * angle / 6.0 + 1e-11 * angle + 1e-14, "rad", "joint j%d", j);
        }
    }
}

void audit_check_state(audit_case *c)
{
    check_finite(c);
    check_unit(c);
    check_bodies(c);
    check_drift(c);
}

void audit_check_run(audit_case *c)
{
    const audit_recording *r = c->recording;
    if (!r->hashes_made) {
        return;
    }
    const uint64_t hash = r->sample[r->nstep].hash;
    audit_test(c, AUDIT_CLAIM_HASH_AGAIN, r->hash_again != hash, 0, "1", "final state");
    audit_test(c, AUDIT_CLAIM_HASH_SAVED, r->hash_restored != hash, 0, "1", "final state");
    audit_test(c, AUDIT_CLAIM_HASH_THREAD, r->hash_threads != hash, 0, "1", "final state");
}
