#include "audit_check.h"

#include "audit_promises.h"
#include "check_parts.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *text;
} CLAIM[AUDIT_CLAIMS] = {
    [AUDIT_CLAIM_FINITE] = {"finite", "no number is NaN or infinite"},
    [AUDIT_CLAIM_UNIT] = {"unit quaternions", "quaternions have unit length"},
    [AUDIT_CLAIM_POSE] = {"poses", "poses of bodies are those of q"},
    [AUDIT_CLAIM_TWIST] = {"twists", "twists of bodies are those of q and v"},
    [AUDIT_CLAIM_TENDON] = {"tendon lengths",
                            "lengths of tendons and their rates are those of q, v"},
    [AUDIT_CLAIM_DRIFT] = {"drift", "positions follow the velocities at the end of the step"},
    [AUDIT_CLAIM_HASH_AGAIN] = {"same bits again", "a second run ends with the same bits"},
    [AUDIT_CLAIM_HASH_SAVED] = {"same bits restored",
                                "a saved and restored run ends with the same bits"},
    [AUDIT_CLAIM_HASH_THREAD] = {"same bits threaded", "three threads end with the same bits"},
    [AUDIT_CLAIM_BALANCE] = {"momentum of trees",
                             "M (v1 - v0) = h (forces) + impulses, tree by tree"},
    [AUDIT_CLAIM_LINEAR] = {"linear momentum",
                            "linear momentum of what floats changes by outer forces alone"},
    [AUDIT_CLAIM_ANGULAR] = {"angular momentum",
                             "angular momentum of what floats changes by outer forces alone"},
    [AUDIT_CLAIM_IMPACT_MOMENTUM] = {"momentum at impacts",
                                     "impacts with restitution keep the momentum of what floats"},
    [AUDIT_CLAIM_JACOBIAN] = {"gradients of rows",
                              "gradients of rows are derivatives of their gaps"},
    [AUDIT_CLAIM_ENERGY] = {"energy", "energy does not grow beyond the work done"},
    [AUDIT_CLAIM_IMPACT_ENERGY] = {"energy at impacts",
                                   "impacts with restitution do not gain energy"},
    [AUDIT_CLAIM_LEDGER] = {"ledger",
                            "energies and works of the ledger are those of q, v and the forces"},
    [AUDIT_CLAIM_CORRECTION] = {"energy of corrections",
                                "closing violated rigid rows leaves no kinetic energy"},
    [AUDIT_CLAIM_GAP] = {"gaps", "reported gaps are those of the shapes"},
    [AUDIT_CLAIM_REPORT] = {"reported motion",
                            "rates, slips and final gaps of contacts are those of the motion"},
    [AUDIT_CLAIM_RECOVERY] =
        {"gaps in recovery",
         "final gaps of contacts are those of the motion while violated gaps recover"},
    [AUDIT_CLAIM_MISSED] = {"missed contacts", "shapes that overlap have a contact"},
    [AUDIT_CLAIM_PENETRATION] = {"penetration",
                                 "shapes end a step no deeper than its contacts report"},
    [AUDIT_CLAIM_TUNNEL] = {"tunnelling", "nothing passes through anything between steps"},
    [AUDIT_CLAIM_PUSH] = {"normal sign", "normal impulses push"},
    [AUDIT_CLAIM_DISTANCE] = {"force at a distance",
                              "contacts that end a step open have no impulse"},
    [AUDIT_CLAIM_NORMAL] = {"normal law", "normal impulses are those of the material"},
    [AUDIT_CLAIM_MATERIAL] = {"materials", "numbers of contacts are those of the two geoms"},
    [AUDIT_CLAIM_CONE] = {"friction cone", "friction is within its cone or polygon"},
    [AUDIT_CLAIM_SLIP] = {"friction direction",
                          "friction opposes slip with all that its cone allows"},
    [AUDIT_CLAIM_CREEP] = {"creep", "sticking contacts do not move"},
    [AUDIT_CLAIM_REBOUND] = {"rebound", "single impacts separate at e times the speed of approach"},
    [AUDIT_CLAIM_ROW] = {"row laws",
                         "impulses of rows are those of their springs, dashpots and ranges"},
    [AUDIT_CLAIM_LIMIT] = {"limits", "joints and tendons stay within rigid limits"},
    [AUDIT_CLAIM_LOOP] = {"loops", "rigid loops stay closed"},
    [AUDIT_CLAIM_PRESENT] = {"rows in force", "violated limits and equalities have rows"},
};

const char *audit_claim_name(audit_claim claim)
{
    return (unsigned)claim < AUDIT_CLAIMS ? CLAIM[claim].name : "?";
}

const char *audit_claim_text(audit_claim claim)
{
    return (unsigned)claim < AUDIT_CLAIMS ? CLAIM[claim].text : "?";
}

bool audit_wants(const audit_case *c, audit_claim claim)
{
    return audit_promised(c->recording->law, claim);
}

bool audit_test(audit_case *c, audit_claim claim, double value, double bound, const char *unit,
                const char *format, ...)
{
    audit_report *r = c->report;
    if (!audit_wants(c, claim)) {
        return true;
    }
    if (c->tested_step[claim] != c->step) {
        c->tested_step[claim] = c->step;
        r->tested[claim]++;
    }
    const bool holds = value <= bound;
    const double ratio = bound > 0.0 ? value / bound : value > 0.0 ? INFINITY : 0.0;
    const bool worst = !(ratio <= r->worst[claim]);
    r->worst[claim] = worst ? ratio : r->worst[claim];
    if (holds) {
        return true;
    }
    if (c->failed_step[claim] != c->step) {
        c->failed_step[claim] = c->step;
        r->failed[claim]++;
    }
    // The first of each claim is kept, and behind it the worst.
    int first = -1, other = -1;
    for (int i = 0; i < r->nviolation; ++i) {
        if (r->violation[i].claim == claim) {
            other = first >= 0 ? i : other;
            first = first >= 0 ? first : i;
        }
    }
    if (first >= 0 && !worst) {
        return false;
    }
    const int at = first >= 0 && other >= 0 ? other : r->nviolation;
    if (at >= AUDIT_VIOLATIONS) {
        return false;
    }
    r->nviolation += at == r->nviolation;
    audit_violation *v = &r->violation[at];
    *v = (audit_violation){
        .claim = claim, .step = c->step, .value = value, .bound = bound, .unit = unit};
    va_list list;
    va_start(list, format);
    (void)vsnprintf(v->text, sizeof v->text, format, list);
    va_end(list);
    return false;
}

bool audit_law_is_rigid(audit_law law)
{
    return law == AUDIT_LCP || law == AUDIT_NCP || law == AUDIT_VI;
}

bool audit_law_yields(const audit_case *c)
{
    return c->recording->law == AUDIT_VI && c->scene->option.vi_desaxce;
}

double audit_law_fuzz(const audit_case *c)
{
    return (audit_law_yields(c) ? 1000.0 : 10.0) * AUDIT_LAW_TOLERANCE;
}

double audit_spin_noise(const audit_case *c, int body)
{
    const audit_frame *a = &c->k0.body[body], *b = &c->k1.body[body];
    const double place = fmax(v3_norm(a->X.p), v3_norm(b->X.p));
    return 4.0 * DBL_EPSILON * place * fmax(v3_norm(a->w), v3_norm(b->w));
}

int audit_joint_nv(const audit_joint *joint)
{
    static const int n[] = {
        [AUDIT_FREE] = 6, [AUDIT_BALL] = 3, [AUDIT_HINGE] = 1, [AUDIT_SLIDE] = 1};
    return n[joint->kind];
}

bool audit_step_is_whole(const audit_case *c)
{
    const audit_options *o = &c->scene->option;
    return o->integrator == AUDIT_SEMI_IMPLICIT && c->recording->law != AUDIT_ODE &&
           o->accuracy == 0.0 && c->now->parts <= 1;
}

bool audit_step_is_balanced(const audit_case *c)
{
    return audit_step_is_whole(c) && c->now->asleep == 0 &&
           !(audit_law_is_rigid(c->recording->law) && c->scene->option.stabilisation == 1);
}

bool audit_step_is_plain(const audit_case *c)
{
    return audit_step_is_balanced(c) && c->now->impacts == 0;
}

bool audit_row_is_corrected(const audit_case *c, const audit_row *r)
{
    const bool rigid_law = audit_law_is_rigid(c->recording->law);
    const bool one_sided = r->lo == 0.0 && isinf(r->hi), two_sided = isinf(r->lo) && isinf(r->hi);
    // Laws that regularise see a spring where the scene has none.
    const bool given =
        rigid_law &&
        ((r->source == AUDIT_ROW_EQUALITY &&
          isinf(c->scene->equality[r->element].bearing.stiffness)) ||
         (r->source == AUDIT_ROW_MOTION && isinf(c->scene->motion[r->element].bearing.stiffness)));
    if (!(isinf(r->k) || given || (one_sided && rigid_law)) || (!one_sided && !two_sided) ||
        (r->source == AUDIT_ROW_CONTACT && r->component > 0)) {
        return false;
    }
    return (one_sided ? -r->start_gap : fabs(r->start_gap)) * r->len > AUDIT_GAP_TOLERANCE;
}

double audit_row_dot(const audit_case *c, const audit_row *row, const double *v)
{
    double sum = 0.0;
    for (int i = 0; row->jacobian >= 0 && i < c->scene->nv; ++i) {
        sum += c->now->G[row->jacobian + i] * v[i];
    }
    return sum;
}

bool audit_is_mocap(const audit_scene *scene, int body)
{
    for (; body > 0; body = scene->body[body].parent) {
        if (scene->body[body].mocap >= 0) {
            return true;
        }
    }
    return false;
}

// Where mocap bodies are: where their motions say, else where they were put.
static void place_mocap(audit_mocap *out, const audit_scene *s, double t)
{
    for (int b = 1; b < s->nbody; ++b) {
        const int i = s->body[b].mocap;
        if (i < 0) {
            continue;
        }
        memcpy(out[i].pos, s->mocap_pos[i], sizeof out[i].pos);
        memcpy(out[i].quat, s->mocap_quat[i], sizeof out[i].quat);
        for (int k = 0; k < s->nmotion; ++k) {
            const audit_motion *m = &s->motion[k];
            if (m->body != b) {
                continue;
            }
            v3 turn = {audit_wave_at(&m->rotation[0], t), audit_wave_at(&m->rotation[1], t),
                       audit_wave_at(&m->rotation[2], t)};
            const double angle = v3_norm(turn), f = angle > 0.0 ? sin(0.5 * angle) / angle : 0.5;
            out[i] =
                (audit_mocap){{audit_wave_at(&m->position[0], t), audit_wave_at(&m->position[1], t),
                               audit_wave_at(&m->position[2], t)},
                              {cos(0.5 * angle), f * turn.x, f * turn.y, f * turn.z}};
        }
    }
}

// A slide that turns with its tree lets it reach out.
static bool has_turned_slide(const audit_case *c, int tree)
{
    for (int j = 0; j < c->scene->njoint; ++j) {
        const audit_joint *joint = &c->scene->joint[j];
        if (joint->kind != AUDIT_SLIDE || c->k0.tree_of_dof[joint->v] != tree) {
            continue;
        }
        const audit_frame *f = &c->k0.body[joint->body];
        for (int i = 0; i < c->scene->nv; ++i) {
            if (v3_norm(v3_load(f->Jw[i])) > 0.5) {
                return true;
            }
        }
    }
    return false;
}

static double fastest_turn(const audit_kinematics *k, int tree)
{
    double most = 0.0;
    for (int b = 1; b < k->scene->nbody; ++b) {
        most = k->body[b].tree == tree ? fmax(most, v3_norm(k->body[b].w)) : most;
    }
    return most;
}

// How far a tree went along each velocity in the step.
static void way_of(double *way, const audit_case *c, int tree)
{
    memset(way, 0, sizeof(double) * AUDIT_NV);
    for (int j = 0; j < c->scene->njoint; ++j) {
        const audit_joint *joint = &c->scene->joint[j];
        const double *a = c->from->q + joint->q, *b = c->to->q + joint->q;
        double *out = way + joint->v;
        if (c->k0.tree_of_dof[joint->v] != tree) {
            continue;
        }
        if (joint->kind == AUDIT_HINGE || joint->kind == AUDIT_SLIDE) {
            out[0] = b[0] - a[0];
            continue;
        }
        if (joint->kind == AUDIT_FREE) {
            for (int i = 0; i < 3; ++i) {
                out[i] = b[i] - a[i];
            }
            a += 3;
            b += 3;
            out += 3;
        }
        const m3 R0 = m3_of_quaternion(a), R1 = m3_of_quaternion(b), back = m3_transpose(&R0),
                 turn = m3_multiply(&back, &R1);
        v3_store(out, m3_log(&turn));
    }
}

// Where the library reports that a step is not solved, a tree may have gone a part of its way
// alone: the rates of its rows, which are those of the solution, are then not those of its
// velocities.
static bool lags_behind(const audit_case *c, int tree)
{
    for (int i = 0; i < c->now->nrow; ++i) {
        const audit_row *r = &c->now->row[i];
        double size = 0.0;
        bool meets = false;
        for (int n = 0; r->jacobian >= 0 && n < c->scene->nv; ++n) {
            const double G = c->now->G[r->jacobian + n];
            meets = meets || (c->k0.tree_of_dof[n] == tree && G != 0.0);
            size += fabs(G) * (fabs(c->v_kick[n]) + fabs(c->v_move[n]) + fabs(c->from->v[n]));
        }
        const double moved = r->start_rate - audit_row_dot(c, r, c->from->v); // its reference
        const double off = r->rate - moved - audit_row_dot(c, r, c->v_kick);
        const double way = (r->gap - r->start_gap) / c->h - moved - audit_row_dot(c, r, c->v_move);
        const bool bends = r->source != AUDIT_ROW_CONTACT;
        if (meets &&
            (fabs(off) > 1e-7 * size + 1e-8 || (!bends && fabs(way) > 1e-7 * size + 1e-8))) {
            return true;
        }
    }
    return false;
}

// By what velocities were scaled down after the way, as the centre of mass of one rigid body tells:
// it goes straight on, and turns are known but for whole ones. 1: they were not.
static double share_of_way(const audit_case *c, const audit_kinematics *kicked, int tree)
{
    const audit_momentum P0 = audit_kin_momentum(kicked, tree),
                         P1 = audit_kin_momentum(&c->k1, tree);
    const v3 way = v3_scale(v3_sub(P1.moment, P0.moment), 1.0 / c->h);
    const double size = v3_norm(way), share = v3_norm(P0.linear) / size;
    const bool straight = v3_norm(v3_sub(P0.linear, v3_scale(way, share))) <= 1e-6 * size;
    return size > 0.0 && share < 1.0 && straight ? share : 1.0;
}

// A row without a gradient at the start, such as that of a tendon of no length, may be of any tree.
static bool has_row(const audit_case *c, int tree)
{
    for (int i = 0; i < c->now->ncontact; ++i) {
        for (int side = 0; side < 2; ++side) {
            if (c->k0.body[c->now->contact[i].body[side]].tree == tree) {
                return true;
            }
        }
    }
    for (int i = 0; i < c->now->nrow; ++i) {
        const audit_row *r = &c->now->row[i];
        bool meets = false, any = false;
        for (int n = 0; r->jacobian >= 0 && n < c->scene->nv; ++n) {
            const bool moves = c->now->G[r->jacobian + n] != 0.0;
            meets = meets || (moves && c->k0.tree_of_dof[n] == tree);
            any = any || moves;
        }
        if (meets || !any) {
            return true;
        }
    }
    return false;
}

// Was the tree thrown by its rows, so that its energy was limited (docs/theory/rows.md)? That is
// where it ends the solve with more than twice its kinetic energy, what gravity adds, and what
// every coordinate has at 1 m/s or 1 rad/s. Its velocities are then scaled down after it has gone
// its way: the way shows how fast it was, but for whole turns. Of a tree that is stopped forces
// and impulses alone show these.
static bool is_thrown(const audit_case *c, int tree)
{
    static _Thread_local double M[AUDIT_NV * AUDIT_NV];
    const double rest = 1e-18; // [1] of the energy: less is round-off
    const int nv = c->scene->nv;
    if (!has_row(c, tree)) {
        return false;
    }
    if (c->now->unsolved > 0 && lags_behind(c, tree)) {
        return true;
    }
    double way[AUDIT_NV], recovery = 0.0;
    way_of(way, c, tree);
    audit_kin_mass(M, &c->k0);
    for (int i = 0; i < nv; ++i) {
        way[i] /= c->h;
        if (c->k0.tree_of_dof[i] == tree) {
            recovery += 0.5 * M[(size_t)i * (size_t)nv + (size_t)i];
        }
    }
    static _Thread_local audit_kinematics k;
    audit_kin_place(&k, c->scene, c->from->q, c->v_kick, c->mocap0);
    const double T0 = audit_kin_energy(&c->k0, tree).kinetic,
                 T = audit_kin_energy(&k, tree).kinetic,
                 share = audit_tree_is_single(c, tree) ? share_of_way(c, &k, tree) : 1.0;
    audit_kin_place(&k, c->scene, c->from->q, way, c->mocap0);
    double T1 = fmax(T / (share * share), audit_kin_energy(&k, tree).kinetic);
    if (T <= rest * fmax(T0, T1)) {
        double pushed[AUDIT_NV];
        audit_find_pushed(pushed, c);
        audit_kin_place(&k, c->scene, c->from->q, pushed, c->mocap0);
        T1 = fmax(T1, audit_kin_energy(&k, tree).kinetic);
    }
    return T1 > 0.9 * (2.0 * T0 + recovery);
}

// docs/theory/stepping.md: which trees have their velocity terms taken at the start of the step.
// The engine decides by the angle of the fastest body in units of options.large_rotation; where
// that is near a threshold there is no telling from outside.
static void choose_modes(audit_case *c)
{
    static _Thread_local audit_kinematics moving; // q₀ with v_move, for which rows were solved
    const double limit = c->scene->option.large_rotation;
    int far = 0; // trees that are in transport as far as is known
    audit_kin_place(&moving, c->scene, c->from->q, c->v_move, c->mocap0);
    for (int t = 0; t < c->k0.ntree; ++t) {
        const double w =
            fmax(fastest_turn(&moving, t), fmax(fastest_turn(&c->k0, t), fastest_turn(&c->k1, t)));
        const double turn = limit > 0.0 ? c->h * w / limit : INFINITY;
        far += turn >= 0.99 && !audit_tree_is_single(c, t);
        const audit_joint *root = &c->scene->joint[audit_root_joint(c, t)];
        c->floats[t] = root->kind == AUDIT_FREE && root->stiffness == 0.0 && root->armature == 0.0;
        const double before = limit > 0.0 ? c->h * fastest_turn(&c->k0, t) / limit : INFINITY;
        c->balanced[t] = c->floats[t] && !audit_tree_is_single(c, t) && before > 1.01;
        if (audit_tree_is_single(c, t)) {
            c->mode[t] = turn < 0.99 || c->floats[t] ? TREE_SPIN : TREE_UNKNOWN;
        } else {
            c->mode[t] =
                turn < (has_turned_slide(c, t) ? 0.049 : 0.99) ? TREE_EXPLICIT : TREE_UNKNOWN;
        }
        c->thrown[t] = is_thrown(c, t);
        if (c->thrown[t] || !c->kick_known || !c->way_known[t]) {
            c->mode[t] = TREE_UNKNOWN;
        }
    }
    // A tree may have been kicked beyond the threshold and end below it.
    for (int t = 0; t < c->k0.ntree && c->now->transported > far; ++t) {
        c->mode[t] = audit_tree_is_single(c, t) ? c->mode[t] : TREE_UNKNOWN;
    }
}

// The trees that a row meets. What the library reports of gradients cannot be distinguished where
// trees are in transport; those of tendons follow from their paths.
static void meet_row(bool *meets, const audit_case *c, const audit_row *r)
{
    double length, gradient[AUDIT_NV];
    const bool tendon = r->source == AUDIT_ROW_TENDON_SPRING ||
                        r->source == AUDIT_ROW_TENDON_LIMIT ||
                        r->source == AUDIT_ROW_TENDON_FRICTION;
    const double *G = r->jacobian >= 0 ? c->now->G + r->jacobian : NULL;
    if (!G && tendon && audit_kin_tendon(&length, gradient, &c->k0, r->element)) {
        G = gradient;
    }
    for (int n = 0; n < c->scene->nv; ++n) {
        const int t = c->k0.tree_of_dof[n];
        meets[t] = meets[t] || (G ? G[n] != 0.0 : tendon);
    }
}

// Where the energy of a tree is limited, so is that of all trees that rows join to it
// (docs/theory/rows.md): their velocities are not known either.
static void spread_unknown(audit_case *c)
{
    bool more = true;
    while (more) {
        more = false;
        for (int i = 0; i < c->now->ncontact + c->now->nrow; ++i) {
            bool meets[AUDIT_BODIES] = {false}, any = false;
            if (i < c->now->ncontact) {
                for (int side = 0; side < 2; ++side) {
                    const int t = c->k0.body[c->now->contact[i].body[side]].tree;
                    if (t >= 0) {
                        meets[t] = true;
                    }
                }
            } else {
                meet_row(meets, c, &c->now->row[i - c->now->ncontact]);
            }
            for (int t = 0; t < c->k0.ntree; ++t) {
                any = any || (meets[t] && c->mode[t] == TREE_UNKNOWN);
            }
            for (int t = 0; any && t < c->k0.ntree; ++t) {
                if (meets[t] && c->mode[t] != TREE_UNKNOWN) {
                    c->mode[t] = TREE_UNKNOWN;
                    more = true;
                }
            }
        }
    }
}

// @param least share of its inertia that the other joints leave to each
static bool joints_lock(const audit_scene *s, const audit_sample *at, double least)
{
    static _Thread_local audit_kinematics k;
    static _Thread_local double M[AUDIT_NV * AUDIT_NV];
    const int n = s->nv;
    audit_mocap mocap[AUDIT_BODIES];
    place_mocap(mocap, s, at->t);
    audit_kin_place(&k, s, at->q, at->v, mocap);
    audit_kin_mass(M, &k);
    for (int i = 0; i < n; ++i) { // a pivot is what the others leave of M(i, i)
        const double own = M[i * n + i];
        for (int j = 0; j < i; ++j) {
            for (int l = 0; l < j; ++l) {
                M[i * n + j] -= M[i * n + l] * M[j * n + l];
            }
            M[i * n + j] /= M[j * n + j];
            M[i * n + i] -= M[i * n + j] * M[i * n + j];
        }
        if (!(M[i * n + i] > least * own)) {
            return true;
        }
        M[i * n + i] = sqrt(M[i * n + i]);
    }
    return false;
}

// Joints that lock at angle 0 leave sin² of it: in 16 places on the way of the step they come as
// near as 0.1 rad, unless they turn by more than 3 rad.
bool audit_joints_lock(const audit_scene *s, const audit_sample *at)
{
    enum { PLACES = 16 };
    const double half_of_digits = 1e-8, near = 1e-2;
    static _Thread_local audit_sample ahead;
    bool lock = joints_lock(s, at, half_of_digits);
    ahead = *at;
    for (int i = 1; i <= PLACES && !lock; ++i) {
        for (int j = 0; j < s->njoint; ++j) {
            const audit_joint *joint = &s->joint[j];
            if (joint->kind == AUDIT_HINGE || joint->kind == AUDIT_SLIDE) {
                ahead.q[joint->q] += s->option.step / PLACES * at->v[joint->v];
            }
        }
        lock = joints_lock(s, &ahead, near);
    }
    return lock;
}

int audit_weld_root(const audit_scene *s, int body)
{
    while (body > 0) {
        for (int j = 0; j < s->njoint; ++j) {
            if (s->joint[j].body == body) {
                return body;
            }
        }
        if (s->body[body].mocap >= 0) {
            return body;
        }
        body = s->body[body].parent;
    }
    return 0;
}

// The stability region of the classical Runge–Kutta method ends at -2.785 on the real axis and at
// ±2.828i on the imaginary one. Of M⁻¹ D and M⁻¹ K the largest eigenvalues are no less than any
// D(i, i)/M(i, i) and K(i, i)/M(i, i); those of velocity terms are about ±iω.
bool audit_diverges(const audit_scene *s, const audit_sample *start, const audit_sample *last)
{
    const double real = 2.785, imaginary = 2.828;
    static _Thread_local audit_kinematics k;
    static _Thread_local double M[AUDIT_NV * AUDIT_NV];
    if (s->option.integrator != AUDIT_RK4) {
        return false;
    }
    const double h = s->option.step;
    audit_mocap mocap[AUDIT_BODIES];
    place_mocap(mocap, s, last->t);
    audit_kin_place(&k, s, last->q, last->v, mocap);
    for (int t = 0; t < k.ntree; ++t) {
        if (!(h * fastest_turn(&k, t) <= imaginary)) {
            return true;
        }
    }
    place_mocap(mocap, s, start->t);
    audit_kin_place(&k, s, start->q, start->v, mocap);
    audit_kin_mass(M, &k);
    for (int j = 0; j < s->njoint; ++j) {
        const audit_joint *joint = &s->joint[j];
        for (int i = joint->v; i < joint->v + audit_joint_nv(joint); ++i) {
            const double own = M[i * s->nv + i];
            if (h * joint->damping > real * own ||
                h * h * joint->stiffness > imaginary * imaginary * own) {
                return true;
            }
        }
    }
    return false;
}

static bool all_finite(const double *x, int n)
{
    for (int i = 0; i < n; ++i) {
        if (!isfinite(x[i])) {
            return false;
        }
    }
    return true;
}

void audit_check(audit_report *out, const audit_scene *scene, const audit_recording *recording)
{
    static _Thread_local audit_case c;
    memset(out, 0, sizeof *out);
    c = (audit_case){.scene = scene, .recording = recording, .report = out, .h = recording->h};
    for (int i = 0; i < AUDIT_CLAIMS; ++i) {
        c.tested_step[i] = c.failed_step[i] = -2;
    }
    if (recording->end == AUDIT_REFUSED || recording->end == AUDIT_BROKEN) {
        return;
    }
    audit_place_rest(&c);
    for (int s = 0; s < recording->nstep; ++s) {
        c.step = s;
        c.from = &recording->sample[s];
        c.to = &recording->sample[s + 1];
        c.now = &recording->step[s];
        if (!all_finite(c.to->q, scene->nq) || !all_finite(c.to->v, scene->nv)) {
            audit_test(&c, AUDIT_CLAIM_FINITE, NAN, 0.0, "1", "q or v");
            break;
        }
        place_mocap(c.mocap0, scene, c.from->t);
        place_mocap(c.mocap1, scene, c.to->t);
        audit_kin_place(&c.k0, scene, c.from->q, c.from->v, c.mocap0);
        audit_kin_place(&c.k1, scene, c.to->q, c.to->v, c.mocap1);
        audit_kin_spring_displacement(c.displacement, scene, c.from->q);
        audit_find_velocities(&c);
        choose_modes(&c);
        spread_unknown(&c);
        audit_find_noise(&c);
        audit_check_state(&c);
        audit_check_momentum(&c);
        audit_check_energy(&c);
        audit_check_contacts(&c);
        audit_check_rows(&c);
        audit_check_gaps(&c);
    }
    c.step = -1;
    audit_check_run(&c);
}
