// Energy. Multiply (AM 1) by v: with T(q, v) = ½ vᵀ M(q) v and Δ = v − v₀,
//
//     T(q₀, v) − T(q₀, v₀) + ½ Δᵀ M Δ = h v·(forces + velocity terms) + Σ γ·u             (AE 1)
//
// where u = G v. So the work of all rows and contacts follows from the motion alone, whatever
// impulses are reported:
//
//     Σ γ·u = E₁ − E₀ + ½ Δᵀ M Δ − h v·(drives, applied forces, dampers) − B              (AE 2)
//
//     B = [T(q₁, v₁) − T(q₀, v) + h v·velocity terms] + [U₁ − U₀ + h v·weight]
//         + [S₁ − S₀ + h v·springs]
//
// E = T + U + S with gravity U and joint springs S. B is what explicit terms make: velocity terms,
// gravity on turning bodies, springs of balls; of order h², and computed by the auditor's own code.
// One rigid body that floats has B = 0.
//
// Of the rows, a spring that ends at φ₁ = φ₀ + h u does γ·u = −½ k φ₁² + ½ k φ₀² − ½ k h² u² − h b
// u²: no more than what it held at the start. Hertz' force likewise, with ⅖ k δ^{5/2}. Friction
// opposes slip. A rigid row with φ₀ ≥ 0 does −γ φ₀/h ≤ 0. So
//
//     Σ γ·u ≤ Σ ½ k φ₀² + (work of belts, mocap bodies, prescribed motions) + N              (AE 3)
//
// Rigid rows that start violated are closed by a velocity apart: they have γ·u ≤ 0, too, so that
// closing them leaves no motion (claim "energy of corrections"). Those within gap_tolerance may be
// closed by v itself, which does the work γ |φ₀|/h. Rows of a split step act at q₀ ⊕ h
// v, not at q₁. N = Σ |γ (φ₁ − φ₀ − h u)|/h of rows whose gaps are not linear in v (loops, spatial
// tendons), which meet φ there with forces along G(q₀) (rows.md, (CS 1)).
#include "check_parts.h"

#include "audit_promises.h"

#include <float.h>
#include <math.h>

static double dot(const double *a, const double *b, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

static double half_square(const double *M, const double *v, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += 0.5 * v[i] * dot(M + (size_t)i * (size_t)n, v, n);
    }
    return sum;
}

typedef struct budget {
    double held;      // Σ ½ k φ₀²
    double movers;    // what moves by itself may have done
    double nonlinear; // N
    double size;      // of the terms
    double impulses;  // Σ |γ|
} budget;

static bool is_belt(const audit_geom *g)
{
    return g->surface_velocity[0] != 0.0 || g->surface_velocity[1] != 0.0 ||
           g->surface_velocity[2] != 0.0;
}

static v3 relative_velocity(const audit_case *c, const audit_contact *k)
{
    const v3 x = v3_load(k->point);
    v3 u[2];
    for (int side = 0; side < 2; ++side) {
        const audit_frame *f = &c->k0.body[k->body[side]];
        v3 w = {0, 0, 0}, v = {0, 0, 0};
        for (int i = 0; f->moves && i < c->scene->nv; ++i) {
            w = v3_madd(w, c->v_kick[i], v3_load(f->Jw[i]));
            v = v3_madd(v, c->v_kick[i], v3_load(f->Jv[i]));
        }
        u[side] = v3_add(v, v3_cross(w, v3_sub(x, f->X.p)));
    }
    return v3_sub(u[1], u[0]);
}

static void add_contact(budget *b, const audit_case *c, const audit_contact *k)
{
    const audit_scene *s = c->scene;
    const v3 u = relative_velocity(c, k), gamma = v3_load(k->impulse);
    const double un = v3_dot(u, v3_load(k->normal)), depth = fmax(0.0, -k->start_gap);
    const bool moved = audit_is_mocap(s, k->body[0]) || audit_is_mocap(s, k->body[1]) ||
                       is_belt(&s->geom[k->geom[0]]) || is_belt(&s->geom[k->geom[1]]);
    b->size += fabs(k->normal_impulse * un) + v3_norm(gamma) * v3_norm(u);
    b->impulses += v3_norm(gamma) + v3_norm(v3_load(k->moment));
    if (moved) { // moments of torsion and rolling do not see belts
        b->movers += fmax(0.0, v3_dot(gamma, u)) + fmax(0.0, k->normal_impulse * un);
        if (k->condim >= 4) {
            b->movers += v3_norm(v3_load(k->moment)) * v3_norm(c->k0.body[k->body[1]].w);
        }
    }
    if (audit_law_is_rigid(c->recording->law) || isinf(k->stiffness)) {
        b->held += depth <= AUDIT_GAP_TOLERANCE ? fabs(k->normal_impulse) * depth / c->h : 0.0;
        return;
    }
    const bool hertz = k->law == AUDIT_NORMAL_HERTZ;
    b->held += hertz ? 0.4 * k->stiffness * depth * depth * sqrt(depth)
                     : 0.5 * k->stiffness * depth * depth;
}

static void add_row(budget *b, const audit_case *c, const audit_row *r)
{
    const audit_scene *s = c->scene;
    if (r->source == AUDIT_ROW_CONTACT || r->source == AUDIT_ROW_DRIVE ||
        r->source == AUDIT_ROW_JOINT_FRICTION || r->source == AUDIT_ROW_TENDON_FRICTION) {
        // Friction takes what it can, but for a residual of law.tolerance beside its impulse.
        b->impulses += r->source == AUDIT_ROW_CONTACT ? 0.0 : fabs(r->impulse);
        return;
    }
    const double u = audit_row_dot(c, r, c->v_kick), work = r->impulse * u, g = r->start_gap;
    const double way = audit_row_dot(c, r, c->v_move);
    const bool one_sided = r->lo == 0.0;
    const bool rigid = isinf(r->k) || (one_sided && audit_law_is_rigid(c->recording->law));
    bool moved = r->source == AUDIT_ROW_MOTION || r->jacobian < 0;
    if (r->source == AUDIT_ROW_EQUALITY) {
        const audit_equality *e = &s->equality[r->element];
        if (e->kind == AUDIT_CONNECT || e->kind == AUDIT_WELD || e->kind == AUDIT_DISTANCE) {
            moved = moved || audit_is_mocap(s, e->object[0]) || audit_is_mocap(s, e->object[1]);
        }
    }
    moved = moved || (r->source == AUDIT_ROW_FOUNDATION && s->nmocap > 0) ||
            ((r->source == AUDIT_ROW_TENDON_SPRING || r->source == AUDIT_ROW_TENDON_LIMIT) &&
             s->nmocap > 0);
    b->size += fabs(work);
    b->impulses += fabs(r->impulse);
    if (moved) {
        b->movers += fabs(work);
    }
    if (r->source == AUDIT_ROW_TENDON_SPRING && r->k == 0.0) {
        // A damper, or armature: that gives back what it had at the start, ½ a l̇₀², a = h b.
        const double rate = audit_row_dot(c, r, c->from->v);
        if (s->tendon[r->element].armature > 0.0) {
            b->held += 0.5 * s->tendon[r->element].armature * rate * rate;
        }
    } else if (!rigid) {
        b->held += !one_sided || g < 0.0 ? 0.5 * r->k * g * g : 0.0;
    } else if (fabs(g) * r->len <= AUDIT_GAP_TOLERANCE) {
        b->held += fabs(r->impulse * g) / c->h;
    }
    double bend = r->gap - r->start_gap - c->h * way;
    if (c->split && !audit_row_bend(&bend, c, r)) { // to second order, by the squares of the rates
        bend *= 2.0 * (fabs(way) > 0.0 ? fmin(100.0, fmax(1.0, u * u / (way * way))) : 1.0);
    }
    b->nonlinear += fabs(r->impulse * bend) / c->h;
}

static void check_work(audit_case *c)
{
    const audit_scene *s = c->scene;
    const int nv = s->nv;
    for (int t = 0; t < c->k0.ntree; ++t) {
        if (c->mode[t] == TREE_UNKNOWN) {
            return;
        }
    }
    static _Thread_local double M[AUDIT_NV * AUDIT_NV];
    audit_forces f;
    audit_step_forces(&f, c);
    for (int t = 0; t < c->k0.ntree; ++t) {
        if (!f.known[t]) {
            return;
        }
    }
    audit_kin_mass(M, &c->k0);
    const double h = c->h, *v = c->v_kick;
    double change[AUDIT_NV] = {0};
    for (int i = 0; i < nv; ++i) {
        change[i] = v[i] - c->from->v[i];
    }
    const audit_energy E0 = audit_kin_energy(&c->k0, -1), E1 = audit_kin_energy(&c->k1, -1);
    const double T = half_square(M, v, nv), lost = half_square(M, change, nv);
    const double weight = h * dot(v, f.gravity, nv), spring = h * dot(v, f.springs, nv),
                 terms = h * dot(v, f.velocity, nv);
    const double B = (E1.kinetic - T + terms) + (E1.gravity - E0.gravity + weight) +
                     (E1.spring - E0.spring + spring);
    const double outer = h * (dot(v, f.drives, nv) + dot(v, f.applied, nv) + dot(v, f.dampers, nv));
    const double grown =
        (E1.kinetic - E0.kinetic) + (E1.gravity - E0.gravity) + (E1.spring - E0.spring);
    const double rows = grown + lost - outer - B;
    budget b = {0};
    for (int i = 0; i < c->now->ncontact; ++i) {
        add_contact(&b, c, &c->now->contact[i]);
    }
    for (int i = 0; i < c->now->nrow; ++i) {
        if (c->now->row[i].jacobian < 0 && c->now->row[i].source != AUDIT_ROW_CONTACT) {
            return;
        }
        add_row(&b, c, &c->now->row[i]);
    }
    double size = E0.kinetic + E1.kinetic + T + lost + fabs(weight) + fabs(spring) + fabs(terms) +
                  b.held + b.size + E0.spring + E1.spring + fabs(outer);
    // Gravity is a difference of heights from the world's origin.
    size += 1e-6 * (fabs(E0.gravity) + fabs(E1.gravity));
    // Springs hold ½ k e², and e is known to the round-off of the places.
    double vague = 0.0;
    for (int i = 0; i < nv; ++i) {
        vague += f.round[i] * (fabs(c->displacement[i]) + h * fabs(v[i]) + 1e-15);
    }
    // Rows are met to a velocity of law.tolerance, which is work beside their impulses; velocities
    // below it are noise.
    for (int i = 0; i < nv; ++i) {
        vague += M[(size_t)i * (size_t)nv + (size_t)i] * AUDIT_LAW_TOLERANCE * AUDIT_LAW_TOLERANCE;
    }
    const double tolerance =
        AUDIT_BALANCE_TOLERANCE * size + 10.0 * vague + audit_law_fuzz(c) * b.impulses;
    const double allowed = b.held + b.movers + b.nonlinear + tolerance;
    audit_test(c, c->corrects ? AUDIT_CLAIM_CORRECTION : AUDIT_CLAIM_ENERGY, rows, allowed, "J",
               "work of rows and contacts; energy grew by %.6g J", grown);
}

// What is in trees that are transported or limited alone: T₁ + U₁ ≤ T₀ + U₀ (SI 4).
static void check_limited(audit_case *c)
{
    const audit_scene *s = c->scene;
    if (c->now->ncontact + c->now->nrow > 0 || s->nactuator + s->nforce > 0) {
        return;
    }
    for (int t = 0; t < c->k0.ntree; ++t) {
        if (c->mode[t] != TREE_UNKNOWN || c->floats[t]) {
            continue;
        }
        const double turn = c->h / s->option.large_rotation;
        double w0 = 0.0;
        for (int b = 1; b < s->nbody; ++b) {
            w0 = c->k0.body[b].tree == t ? fmax(w0, v3_norm(c->k0.body[b].w)) : w0;
        }
        if (turn * w0 < 1.01) { // it may just have come near the threshold
            continue;
        }
        const audit_energy E0 = audit_kin_energy(&c->k0, t), E1 = audit_kin_energy(&c->k1, t);
        const double grown =
            (E1.kinetic - E0.kinetic) + (E1.gravity - E0.gravity) + (E1.spring - E0.spring);
        audit_test(c, AUDIT_CLAIM_ENERGY, grown,
                   1e-9 * (E0.kinetic + E1.kinetic + fabs(E0.gravity) + fabs(E1.gravity) +
                           E0.spring + E1.spring),
                   "J", "tree %d alone in transport", t);
    }
}

// [J] What belts may do in the phases of an impact.
static double work_of_belts(const audit_case *c, const audit_contact *k)
{
    double speed = 0.0;
    for (int side = 0; side < 2; ++side) {
        speed += v3_norm(v3_load(c->scene->geom[k->geom[side]].surface_velocity));
    }
    return fmax(k->mu[0], k->mu[1]) * k->normal_impulse * speed;
}

// Impacts (src/solve/impact.h). With M̃ = M + H, H = h D + h² K of joints and servos that are no
// rows, the phases are implicit steps over τ and 1 − τ of the step, and an impact between them that
// loses energy in the norm of M̃ (rule `expedient`). With f = M̃ (v* − v₀), h times the forces at v₀,
// and v_move = τ v⁻ + (1 − τ) v their sum is
//
//     ½ vᵀ M̃ v − ½ v₀ᵀ M̃ v₀ ≤ f·v_move + (work of rows)                                     (AE 4)
//
// all at q₀, of which everything but the work of rows follows from the motion. Of rows, springs
// give no more than they hold, as (AE 3) says of each phase. Within the impact springs hold their
// rates as inertia would, of h² k + h b: that is ½ (h² k + h b) u² at most; servos that are rows
// give γ·u. The way of single bodies is their own: they turn as they do in the end, and where it
// would pass a rigid end it is shortened. f·v_move is then off by h (forces) times the change of v,
// which is allowed for. Friction opposes the slip of each phase, γ_t·u ≤ |γ_t| |w| with a belt of
// speed w, and all phases together do μ Σ γ_n |w| at most, though what they do may cancel in γ_t.
static void check_impact(audit_case *c)
{
    static _Thread_local double M[AUDIT_NV * AUDIT_NV];
    const audit_scene *s = c->scene;
    const int nv = s->nv;
    const double h = c->h, *v = c->v_kick, *v0 = c->from->v;
    if (s->option.impact_rule != 0 || c->now->unsolved > 0 || c->now->outcome != 0) {
        return; // Poisson's and Newton's rule may gain energy, and report it
    }
    audit_forces f;
    audit_step_forces(&f, c);
    for (int t = 0; t < c->k0.ntree; ++t) {
        if (c->mode[t] == TREE_UNKNOWN || !f.known[t]) {
            return;
        }
    }
    audit_kin_mass(M, &c->k0);
    budget b = {0};
    double rates = 0.0, given = 0.0, size = 0.0, slack = 0.0;
    bool shortened = c->corrects;
    for (int i = 0; i < c->now->ncontact; ++i) {
        add_contact(&b, c, &c->now->contact[i]);
        b.movers += work_of_belts(c, &c->now->contact[i]);
        shortened = shortened || c->now->contact[i].gap < -0.5 * AUDIT_GAP_TOLERANCE;
    }
    for (int i = 0; i < c->now->nrow; ++i) {
        const audit_row *r = &c->now->row[i];
        const double u0 = audit_row_dot(c, r, v0), u1 = audit_row_dot(c, r, v),
                     um = audit_row_dot(c, r, c->v_move);
        const double fast = fmax(fabs(u0), fmax(fabs(u1), fabs(um)));
        add_row(&b, c, r);
        shortened = shortened || (r->lo == 0.0 && r->gap < -0.5 * AUDIT_GAP_TOLERANCE);
        if (r->source == AUDIT_ROW_DRIVE) {
            b.movers += 2.0 * fabs(r->impulse) * fast;
        } else if (isfinite(r->k) && isfinite(r->b) &&
                   !(r->source == AUDIT_ROW_CONTACT && r->component > 0)) {
            rates += (h * h * r->k + h * r->b) * fast * fast;
        }
    }
    // f of springs and dampers at v₀: what audit_step_forces has at v, and H (v − v₀) less.
    const double T = half_square(M, v, nv), T0 = half_square(M, v0, nv);
    double implicit = 0.0;
    for (int j = 0; j < s->njoint; ++j) {
        const audit_joint *joint = &s->joint[j];
        const double H = h * (joint->damping + h * joint->stiffness);
        for (int i = joint->v; i < joint->v + audit_joint_nv(joint); ++i) {
            implicit += 0.5 * H * (v[i] * v[i] - v0[i] * v0[i]) - H * (v[i] - v0[i]) * c->v_move[i];
        }
    }
    for (int a = 0; a < s->nactuator; ++a) {
        implicit += audit_servo_energy(c, a);
    }
    for (int i = 0; i < nv; ++i) {
        const double sum =
            f.gravity[i] + f.velocity[i] + f.drives[i] + f.applied[i] + f.springs[i] + f.dampers[i];
        const bool turns = c->mode[c->k0.tree_of_dof[i]] == TREE_SPIN;
        given += h * sum * c->v_move[i];
        size += h * fabs(c->v_move[i]) *
                (fabs(f.gravity[i]) + fabs(f.velocity[i]) + fabs(f.drives[i]) + fabs(f.applied[i]) +
                 fabs(f.springs[i]) + fabs(f.dampers[i]));
        if (turns || shortened) {
            slack += 2.0 * h * fabs(sum) * (fabs(v[i] - v0[i]) + fabs(c->v_move[i] - v[i]));
        }
    }
    // In AE 4 with (v − v₀) H taken apart: T − T₀ + implicit ≤ given + rows.
    audit_test(c, AUDIT_CLAIM_IMPACT_ENERGY, T - T0 + implicit - given,
               b.held + b.movers + b.nonlinear + rates + slack + audit_law_fuzz(c) * b.impulses +
                   1e-8 * (T + T0 + size + b.size + fabs(implicit)),
               "J", "%d islands with impacts; kinetic energy grew by %.6g J", c->now->impacts,
               T - T0);
}

// Kinetic energy of armature and energy of springs of all tendons at the end. False: not known
// here.
static bool tendon_energies(double *armature, double *springs, const audit_case *c)
{
    for (int i = 0; i < c->scene->ntendon; ++i) {
        const audit_tendon *t = &c->scene->tendon[i];
        double length, gradient[AUDIT_NV];
        if (!audit_kin_tendon(&length, gradient, &c->k1, i)) {
            return false;
        }
        const double rate = dot(gradient, c->to->v, c->scene->nv);
        const double over = length > t->springlength[1]   ? length - t->springlength[1]
                            : length < t->springlength[0] ? length - t->springlength[0]
                                                          : 0.0;
        *armature += 0.5 * t->armature * rate * rate;
        *springs += t->stiffness > 0.0 ? 0.5 * t->stiffness * over * over : 0.0;
    }
    return true;
}

// The largest number among those that hold the place of velocity i.
static double largest_place(const audit_case *c, int i)
{
    int j = 0;
    while (j + 1 < c->scene->njoint && c->scene->joint[j + 1].v <= i) {
        ++j;
    }
    const audit_joint *joint = &c->scene->joint[j];
    const bool turns = joint->kind == AUDIT_FREE || joint->kind == AUDIT_BALL;
    const int first = joint->q, count = joint->kind == AUDIT_FREE ? 3 : turns ? 0 : 1;
    double most = turns ? 1.0 : 0.0;
    for (int k = first; k < first + count; ++k) {
        most = fmax(most, fmax(fabs(c->from->q[k]), fabs(c->to->q[k])));
    }
    return most;
}

static double size_of_ledger(const audit_ledger *l)
{
    return fabs(l->kinetic) + fabs(l->gravity) + fabs(l->spring) + fabs(l->elastic) +
           fabs(l->applied) + fabs(l->drives) + fabs(l->moved) + fabs(l->corrected) +
           fabs(l->damped) + fabs(l->friction) + fabs(l->impacts) + fabs(l->remainder);
}

static void check_ledger(audit_case *c)
{
    const audit_ledger *l = &c->to->ledger, *l0 = &c->from->ledger;
    if (!l->kept) {
        return;
    }
    const audit_energy E = audit_kin_energy(&c->k1, -1);
    const double size = E.kinetic + fabs(E.gravity) + E.spring;
    double heights = 0.0;
    for (int b = 1; b < c->scene->nbody; ++b) {
        heights += c->scene->body[b].mass * v3_norm(v3_load(c->scene->option.gravity)) *
                   (v3_norm(c->k1.body[b].X.p) + v3_norm(v3_load(c->scene->body[b].com)));
    }
    double armature = 0.0, springs = 0.0;
    const bool tendons = tendon_energies(&armature, &springs, c);
    // Rates of joints that all but cancel leave their last digits in the velocities of bodies.
    static _Thread_local double M[AUDIT_NV * AUDIT_NV];
    double cancel = 0.0;
    audit_kin_mass(M, &c->k1);
    for (int i = 0; i < c->scene->nv; ++i) {
        cancel += 4.0 * DBL_EPSILON * fabs(c->to->v[i]) * sqrt(M[i * c->scene->nv + i]);
    }
    audit_test(c, AUDIT_CLAIM_LEDGER, tendons ? fabs(l->kinetic - E.kinetic - armature) : 0.0,
               1e-10 * E.kinetic + 1e-8 * armature + 1e-14 * size +
                   cancel * (sqrt(2.0 * E.kinetic) + cancel) + 1e-300,
               "J", "kinetic energy");
    double fixed = 0.0; // bodies that nothing moves count with their height
    for (int b = 1; b < c->scene->nbody; ++b) {
        if (c->k1.body[b].tree < 0) {
            fixed -= c->scene->body[b].mass * (1.0 - c->scene->body[b].gravcomp) *
                     v3_dot(v3_load(c->scene->option.gravity), c->k1.body[b].com);
        }
    }
    audit_test(c, AUDIT_CLAIM_LEDGER, fabs(l->gravity - E.gravity - fixed),
               1e-9 * (fabs(E.gravity) + 1e-3 * size) + 1e-14 * heights, "J", "energy of gravity");
    if (tendons) {
        double vague = 0.0;
        for (int i = 0; i < c->scene->ntendon; ++i) { // lengths are known to 1e-9
            vague += 1e-10 * sqrt(2.0 * c->scene->tendon[i].stiffness * springs) +
                     1e-19 * c->scene->tendon[i].stiffness;
        }
        for (int j = 0; j < c->scene->njoint; ++j) {
            vague += c->scene->joint[j].stiffness * 1e-30 +
                     1e-15 * sqrt(c->scene->joint[j].stiffness * E.spring);
        }
        audit_test(c, AUDIT_CLAIM_LEDGER, fabs(l->spring - E.spring - springs),
                   1e-9 * E.spring + 1e-14 * size + 10.0 * vague, "J", "energy of springs");
    }
    if (!l0->kept || !audit_step_is_balanced(c) || c->now->unsolved > 0) {
        return;
    }
    const double sum = (l->kinetic - l0->kinetic) + (l->gravity - l0->gravity) +
                       (l->spring - l0->spring) + (l->elastic - l0->elastic);
    const double flow = (l->applied - l0->applied) + (l->drives - l0->drives) +
                        (l->moved - l0->moved) + (l->corrected - l0->corrected) -
                        (l->damped - l0->damped) - (l->friction - l0->friction) -
                        (l->impacts - l0->impacts) + (l->remainder - l0->remainder);
    const double all = size_of_ledger(l) + size_of_ledger(l0); // sums have the round-off of both
    audit_test(c, AUDIT_CLAIM_LEDGER, fabs(sum - flow), 1e-10 * all, "J", "balance of the ledger");
    audit_forces f;
    audit_step_forces(&f, c);
    for (int t = 0; t < c->k0.ntree; ++t) {
        if (c->mode[t] == TREE_UNKNOWN || !f.known[t]) {
            return;
        }
    }
    const double applied = c->h * dot(c->v_move, f.applied, c->scene->nv);
    // In a split step v_move is a difference of places, h v_move known to their last digits.
    // Servos that are where they are to be have the round-off of gains times coordinates. Beside
    // tendons with armature v is known to (AV 4).
    double terms = 0.0, places = 0.0, servos = 0.0, vague_way = 0.0;
    for (int i = 0; i < c->scene->nv; ++i) {
        const double force = fabs(f.applied[i]) + fabs(f.drives[i]);
        const double way = c->h * (fabs(c->v_move[i]) + (c->split ? fabs(c->v_kick[i]) : 0.0));
        terms += way * force;
        servos += way * f.round[i];
        vague_way += c->h * c->kick_noise[i] * force;
        places += c->split ? force * largest_place(c, i) : 0.0;
    }
    const double round = 1e-14 * all + 4.0 * DBL_EPSILON * places + vague_way;
    audit_test(c, AUDIT_CLAIM_LEDGER, fabs(l->applied - l0->applied - applied),
               1e-8 * terms + round, "J", "work of applied forces");
    audit_test(c, AUDIT_CLAIM_LEDGER, fabs(l->drives - l0->drives - f.drive_work),
               1e-7 * terms + servos + round, "J", "work of drives");
    // A normal impulse is off its spring and dashpot by what law.tolerance allows: of stiff
    // contacts the share of each is not known better than that.
    //
    // With ρ = 1/tr W, r is within ρ law.tolerance of a point P of its cone, and where P is the
    // apex nothing says that r opposes the slip u (a belt that moves below a body without load):
    // r·u is as much as |r| |u|, |r| ≤ ρ law.tolerance. Of bodies that float no ρ is more than all
    // masses; where joints hold them it may be, and the bound is tighter than the law's.
    double vague = 0.0, mass = 0.0;
    for (int b = 1; b < c->scene->nbody; ++b) {
        mass += c->scene->body[b].mass;
    }
    for (int i = 0; i < c->now->ncontact; ++i) {
        const audit_contact *k = &c->now->contact[i];
        vague += fmin(v3_norm(v3_load(k->impulse)), AUDIT_LAW_TOLERANCE * mass) *
                 hypot(k->slip[0], k->slip[1]);
        const double slope = c->h * (c->h * k->stiffness + k->damping);
        vague += audit_law_fuzz(c) * v3_norm(v3_load(k->impulse));
        vague += isfinite(slope)
                     ? 4.0 * (AUDIT_LAW_TOLERANCE + 1e-15 / c->h) * slope * fabs(k->approach)
                     : 0.0;
    }
    for (int i = 0; i < c->now->nrow; ++i) {
        vague += audit_law_fuzz(c) * fabs(c->now->row[i].impulse);
    }
    audit_test(c, AUDIT_CLAIM_LEDGER, l0->friction - l->friction, 1e-9 * all + vague, "J",
               "friction gives energy");
    // A damper of a joint has the rate of v, and gives energy where it is moved the other way.
    double back = 0.0;
    for (int i = 0; i < c->scene->nv; ++i) {
        back += fmax(0.0, c->h * f.dampers[i] * c->v_move[i]);
    }
    audit_test(c, AUDIT_CLAIM_LEDGER, l0->damped - l->damped, 1e-9 * all + vague + back, "J",
               "dampers give energy");
}

void audit_check_energy(audit_case *c)
{
    if (c->now->asleep > 0 || c->scene->option.integrator != AUDIT_SEMI_IMPLICIT ||
        c->recording->law == AUDIT_ODE) {
        return;
    }
    check_ledger(c);
    if (audit_step_is_plain(c) && c->now->unsolved == 0 && c->now->outcome == 0) {
        check_work(c);
        check_limited(c);
    } else if (audit_step_is_balanced(c) && c->now->impacts > 0) {
        check_impact(c);
    }
}
