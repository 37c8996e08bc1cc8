// Random scenes over every feature of the model. Most are small, and most numbers are usual ones:
// what is unusual is drawn sparsely, so that a violation has few possible causes.
#include "audit_draw.h"

#include <string.h>

void audit_scene_layout(audit_scene *s)
{
    static const int nq[] = {7, 4, 1, 1}, nv[] = {6, 3, 1, 1};
    s->nq = s->nv = 0;
    for (int j = 0; j < s->njoint; ++j) {
        s->joint[j].q = s->nq;
        s->joint[j].v = s->nv;
        s->nq += nq[s->joint[j].kind];
        s->nv += nv[s->joint[j].kind];
    }
}

bool audit_tendon_is_path(const audit_tendon *t)
{
    int sites = 0; // of a branch, which begins and ends with one
    bool ends = false;
    for (int k = 0; k < t->nwrap; ++k) {
        const audit_wrap_kind kind = t->wrap[k].kind;
        if ((kind == AUDIT_WRAP_JOINT) == t->spatial) {
            return false;
        }
        if (kind == AUDIT_WRAP_PULLEY ? !ends || sites < 2
                                      : kind == AUDIT_WRAP_GEOM && (!ends || sites < 1)) {
            return false;
        }
        sites = kind == AUDIT_WRAP_PULLEY ? 0 : sites + (kind == AUDIT_WRAP_SITE);
        ends = kind == AUDIT_WRAP_SITE;
    }
    return t->spatial ? ends && sites >= 2 : t->nwrap > 0;
}

double audit_wave_at(const audit_wave *w, double t)
{
    return w->constant + w->rate * t +
           (w->amplitude != 0.0 ? w->amplitude * sin(w->frequency * t + w->phase) : 0.0);
}

const char *audit_law_name(audit_law law)
{
    static const char *const name[] = {"compliant", "lcp", "ncp", "vi", "tamsi", "ode"};
    return (unsigned)law < AUDIT_LAWS ? name[law] : "";
}

// Options

static double draw_step(audit_random *r)
{
    static const double usual[] = {1e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2};
    if (audit_chance(r, 0.7)) {
        return usual[audit_pick(r, 6)];
    }
    return audit_power(r, -5.0, -1.0);
}

static void draw_options(audit_options *o, audit_theme *t)
{
    static const int directions[] = {4, 8, 8, 16};
    audit_random *r = &t->r;
    o->step = draw_step(r);
    audit_set3(o->gravity, 0.0, 0.0, -9.81);
    if (audit_chance(r, 0.15)) {
        o->gravity[2] = 0.0;
    } else if (audit_chance(r, 0.15)) {
        audit_draw_direction(r, o->gravity);
        const double g = audit_power(r, -1.0, 1.5);
        audit_set3(o->gravity, g * o->gravity[0], g * o->gravity[1], g * o->gravity[2]);
    }
    o->impact_speed = audit_chance(r, 0.7)   ? 0.01
                      : audit_chance(r, 0.5) ? 0.0
                                             : audit_power(r, -4, 0);
    o->impact_rule = audit_chance(r, 0.7) ? 0 : 1 + audit_pick(r, 2);
    o->stabilisation = audit_chance(r, 0.8) ? 0 : 1;
    o->lcp_directions = directions[audit_pick(r, 4)];
    o->vi_disc = audit_chance(r, 0.15);
    o->vi_desaxce = !o->vi_disc && audit_chance(r, 0.2);
    o->slip_speed = audit_chance(r, 0.7) ? 1e-4 : audit_power(r, -6.0, -1.0);
    o->ode_integrator = audit_chance(r, 0.5);
    o->ode_stiffness = audit_chance(r, 0.5) ? 1e5 * t->mass : 0.0;
    o->accuracy = audit_chance(r, 0.03) ? audit_power(r, -4.0, -2.0) : 0.0;
    o->max_halvings = audit_chance(r, 0.6) ? 0 : audit_chance(r, 0.6) ? 1 : 6;
    o->sleep_speed = audit_chance(r, 0.04) ? audit_power(r, -4.0, -1.0) * t->length : 0.0;
    o->sleep_time = 5.0 * o->step;
    o->large_rotation = audit_chance(r, 0.85) ? 0.1 : audit_chance(r, 0.5) ? 0.01 : 1.0;
    o->disable_contact = audit_chance(r, 0.02);
}

static int draw_condim(audit_random *r)
{
    static const int condim[] = {1, 3, 3, 3, 3, 3, 3, 4, 6, 6};
    return condim[audit_pick(r, 10)];
}

static audit_theme draw_theme(audit_scene *s, audit_random *r)
{
    audit_theme t = {.r = *r, .spins = true};
    const int which = audit_pick(&t.r, 10);
    t.length =
        audit_chance(&t.r, 0.8) ? audit_power(&t.r, -1.3, -0.3) : audit_power(&t.r, -2.0, 1.0);
    t.mass = audit_chance(&t.r, 0.7)   ? 2000.0 * t.length * t.length * t.length
             : audit_chance(&t.r, 0.7) ? 1.0
                                       : audit_power(&t.r, -4.0, 4.0);
    t.mass = fmin(1e4, fmax(1e-4, t.mass));
    t.geoms = which < 7 || audit_chance(&t.r, 0.2);
    t.ground = t.geoms && audit_chance(&t.r, 0.9);
    t.p_child = which < 4 ? 0.08 : which < 7 ? 0.4 : 0.7;
    t.p_free = which < 4 ? 0.93 : which < 7 ? 0.6 : 0.2;
    t.p_joint_extra = audit_chance(&t.r, 0.4) ? 0.0 : which < 4 ? 0.1 : 0.25;
    t.flat = audit_chance(&t.r, 0.3);
    t.condim = draw_condim(&t.r);
    s->nsteps = 20 + audit_pick(&t.r, 31);
    return t;
}

// Round bodies that fly into the ground or each other, one point at a time, and are thrown back.
static void draw_bouncing(audit_theme *t)
{
    t->geoms = t->ground = t->round = true;
    t->p_child = t->p_joint_extra = 0.0;
    t->p_free = 1.0;
    t->material = (audit_material){.stiffness = t->mass * audit_power(&t->r, 3.0, 9.0),
                                   .damping = 2e4,
                                   .poisson = 0.3,
                                   .restitution = audit_unit(&t->r)};
    t->speed = audit_power(&t->r, -0.5, 1.2);
    t->spins = audit_chance(&t->r, 0.4);
}

void audit_generate(audit_scene *s, uint64_t seed)
{
    memset(s, 0, sizeof *s);
    s->seed = seed;
    audit_random r = audit_random_of(seed);
    audit_theme t = draw_theme(s, &r);
    draw_options(&s->option, &t);
    t.duration = s->option.step * s->nsteps;
    const double g = sqrt(s->option.gravity[0] * s->option.gravity[0] +
                          s->option.gravity[1] * s->option.gravity[1] +
                          s->option.gravity[2] * s->option.gravity[2]);
    t.speed = fmin(t.length / t.duration * audit_power(&t.r, -1.0, 0.3),
                   audit_power(&t.r, -1.0, 1.5) + g * t.duration);
    t.material = audit_draw_material(&t);
    t.round = t.material.youngs_modulus > 0.0;
    const bool bounces = audit_chance(&t.r, 0.08);
    if (bounces) {
        draw_bouncing(&t);
        s->option.max_halvings = 0;
        if (audit_chance(&t.r, 0.4)) {
            s->option.gravity[0] = s->option.gravity[1] = s->option.gravity[2] = 0.0;
        }
    }

    s->body[0] = (audit_body){.parent = -1, .mocap = -1};
    audit_set_identity(s->body[0].quat);
    audit_set_identity(s->body[0].iquat);
    s->nbody = 1;
    if (t.ground) {
        audit_draw_ground(s, &t);
    }
    if (audit_chance(&t.r, 0.25)) {
        audit_site *site = &s->site[s->nsite++];
        *site = (audit_site){.body = 0};
        audit_draw_point(&t, site->pos, 2.0 * t.length);
        audit_set_identity(site->quat);
    }
    const int size = audit_pick(&t.r, 10);
    const int n = bounces    ? 1 + audit_pick(&t.r, 2)
                  : size < 3 ? 1
                  : size < 5 ? 2
                  : size < 9 ? 2 + audit_pick(&t.r, 3)
                             : 4 + audit_pick(&t.r, 5);
    for (int i = 0; i < n; ++i) {
        audit_draw_body(s, &t);
    }
    audit_scene_layout(s);
    audit_set_reference(s);

    static audit_kinematics k; // it is large
    audit_kin_place(&k, s, s->q, s->v, NULL);
    const bool couples = audit_chance(&t.r, 0.45);
    if (couples && audit_chance(&t.r, 0.6)) {
        const int ntendon = 1 + audit_chance(&t.r, 0.3);
        for (int i = 0; i < ntendon; ++i) {
            audit_draw_tendon(s, &t, &k);
        }
    }
    if (couples && audit_chance(&t.r, 0.6)) {
        const int nequality = 1 + audit_chance(&t.r, 0.3);
        for (int i = 0; i < nequality; ++i) {
            audit_draw_equality(s, &t, &k);
        }
    }
    audit_draw_start(s, &t, audit_chance(&t.r, s->nequality > 0 ? 0.2 : 0.5));
    audit_draw_joint_limits(s, &t);
    if (audit_chance(&t.r, 0.25)) {
        const int nactuator = 1 + audit_pick(&t.r, 2);
        for (int i = 0; i < nactuator; ++i) {
            audit_draw_actuator(s, &t);
        }
    }
    if (audit_chance(&t.r, 0.12)) {
        audit_draw_force(s, &t, &k);
    }
    audit_draw_motions(s, &t);
    audit_draw_pairs(s, &t);
    bool rows = s->ntendon + s->nequality + s->nmotion > 0 || s->ngeom > 1;
    for (int i = 0; i < s->njoint; ++i) {
        rows = rows || s->joint[i].limited || s->joint[i].frictionloss > 0.0;
    }
    if (s->nmesh > 0 || s->hfield.nrow > 0) { // which the reader leaves out where nothing touches
        s->option.disable_contact = false;
    }
    if (!rows && audit_chance(&t.r, 0.3)) {
        s->option.integrator = audit_chance(&t.r, 0.5) ? AUDIT_RK4 : AUDIT_RK45;
    }
}
