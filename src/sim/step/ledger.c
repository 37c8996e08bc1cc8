// The accounts of a step. Forces act along the displacement h v of the step, where v is the
// velocity that ends it: then the implicit step loses what it must,
//
//     ΔT = vᵀ M Δv − ½ Δvᵀ M Δv,
//
// and the remainder is ≤ 0 to round-off while nothing rotates. A row with force λ gives λ u to the
// mechanism and λ φ_t to what moves its reference; what it takes in, −λ φ̇, is stored in its spring,
// lost in its dashpot, or left to the remainder. What a spring holds is convex in its gap (SP 8),
// so that the remainder keeps its sign at the ends of its range, too. What a row holds when it
// comes into force was put there by who switched it.
//
// A rigid end that is run into at the rate φ̇₀ < 0 and left with φ̇₁ takes −½ γ (φ̇₀ + φ̇₁) by its
// impulse γ, an impact without rebound, but no more than is missing in the step. Where contacts
// throw back, the impact has lost what its impulses took (solve/impact.h).
//
// Friction of a contact takes −λ (u + b_ref) where surfaces pass each other with u + b_ref, and
// belts give −λ b_ref. The gap of a contact at the end of a step is that along its normal at the
// start; points, shares and normals are found anew in each step. An ellipsoid of 1 kg that rolls at
// 2 m/s is found 2 mm deep in the plane after 0.02 s, where a spring of 1e7 N/m would hold 20 J.
// The step does not know these: it moves the body out, and what the spring gives goes into its
// dashpot at once. Nor does the ledger: contacts together hold and lose what they held at the end
// of the last step and what bodies gave them since. Where they push harder than that, energy is
// created, and is left to the remainder.
#include "sim/step/step.h"

#include "dynamics/recursive.h"
#include "problem/laws/normal_law.h"
#include "problem/laws/row_law.h"
#include "sim/query/query.h"

#include <math.h>
#include <string.h>

double dp_ledger_stored(const dp_data *d)
{
    const dp_energy e = dp_data_energy(d);
    return e.kinetic + e.gravity + e.spring;
}

// The energy of what no joint moves in gravity; it changes where expressions move mocap bodies.
static double fixed_energy(const dp_data *d)
{
    const dp_model *m = d->model;
    double sum = 0.0;
    for (int i = 1; m->moves_mocap && i < m->size.nbody; ++i) {
        const dp_rigid_inertia *J = &d->kin.link[i].J;
        if (m->body[i].tree < 0) {
            const dp_v3 moment = dp_v3_madd(J->h, J->m, d->kin.link[i].X.p);
            sum -= (1.0 - m->body[i].gravity_compensation) * dp_v3_dot(d->key.gravity, moment);
        }
    }
    return sum;
}

void dp_ledger_open(dp_data *d)
{
    d->account =
        (dp_account){.before = dp_ledger_stored(d) + d->ledger.elastic, .fixed = fixed_energy(d)};
}

// The velocities that end the step, where it moves bodies by v.
static const double *end_of(const dp_data *d, const double *v)
{
    return d->rows.split.any ? d->rows.split.end : v;
}

// What forces along coordinate k do on a share of its way h v.
// @param end nv: the velocities that servos and dampers act by
static void enter_coordinate(dp_account *account, const dp_data *d, const double *v,
                             const double *end, double h, int k, double share)
{
    const dp_forces *f = &d->forces;
    const double servo = h * f->stiffness[k] * end[k] + f->damping[k] * (end[k] - d->v[k]);
    const double damping = d->options.disable_dampers ? 0.0 : d->model->dof_damping[k];
    account->applied += share * h * f->applied[k] * v[k];
    account->drives += share * h * (f->actuation[k] - servo) * v[k];
    account->damped += share * h * damping * end[k] * end[k];
}

// What a fluid does on the way h V of a body: the wind gives to it, and what it takes is lost.
static void enter_fluid(dp_account *account, const dp_data *d, int body, dp_twist V, double h)
{
    const dp_wrench w = dp_forces_fluid_at(d, body, V);
    const double given = h * dp_v3_dot(d->options.wind, w.f);
    account->applied -= h * dp_power(V, d->forces.fluid.wrench[body]);
    account->moved += given;
    account->damped += given - h * dp_power(V, w);
}

static void enter_forces(dp_account *account, dp_data *d, const double *v, double h)
{
    const dp_model *m = d->model;
    const dp_forces *f = &d->forces;
    for (int k = 0; k < m->size.nv; ++k) {
        enter_coordinate(account, d, v, end_of(d, v), h, k, 1.0);
    }
    if (f->any_external) {
        dp_twist *V = d->scratch.twist;
        dp_kin_velocities(V, &d->kin, m, v);
        for (int i = 1; i < m->size.nbody; ++i) {
            account->applied += h * dp_power(V[i], f->external[i]);
            if (f->any_fluid) {
                enter_fluid(account, d, i, V[i], h);
            }
        }
    }
}

// ½ Δvᵀ M Δv
static double energy_of_change(const dp_data *d, const double *v)
{
    double *change = d->scratch.rhs;
    for (int k = 0; k < d->model->size.nv; ++k) {
        change[k] = v[k] - d->v[k];
    }
    return dp_kinetic_energy_at(d->scratch.twist, &d->kin, d->model, change);
}

// Of the force that the spring does not give. The dashpot of a one-sided row gives no more than it
// takes to close the gap.
static double dashpot_power(const dp_row *row, double h, const dp_row_info *info)
{
    const double rate = info->rate - row->phi_t + row->b_ref;
    const double f = dp_row_spring_force(row, h, info->gap);
    if (info->state != DP_ROW_STATE_ACTIVE || f != -row->k * info->gap) {
        return (f - info->force) * rate;
    }
    if (row->lo == 0.0 && rate < 0.0) {
        return -fmin(-row->b * rate, info->force) * rate;
    }
    return isfinite(row->b) ? row->b * rate * rate : 0.0; // all digits, where f is stiff
}

// What the spring of a row holds at a gap.
static double held_at(const dp_data *d, int block, int i, double gap)
{
    const dp_step_problem *p = &d->rows.problem;
    const dp_normal *law = dp_normal_of(p, block);
    return law ? dp_normal_energy(law, p->row[i].k, -gap)
               : dp_row_spring_energy(&p->row[i], p->h, gap);
}

// Is a row rigid? What a rigid law yields by is no spring of the mechanism.
static bool is_rigid(const dp_data *d, int row)
{
    const dp_constrained *c = &d->rows;
    return dp_row_is_rigid(c, &d->options.solver, row);
}

double dp_ledger_held(const dp_data *d, int block)
{
    const int i = d->rows.problem.row_start[block];
    return is_rigid(d, i) ? 0.0 : held_at(d, block, i, dp_row_of_block(d, block, i).gap);
}

static void enter_spring(dp_account *account, const dp_data *d, int block, int i,
                         const dp_row_info *info)
{
    const dp_row *row = &d->rows.problem.row[i];
    const double h = d->rows.problem.h;
    const dp_normal *law = dp_normal_of(&d->rows.problem, block);
    const double found = held_at(d, block, i, d->rows.gaps.start[i]);
    const double elastic = held_at(d, block, i, info->gap);
    double damped;
    if (law) {
        const dp_normal spring = {.kind = law->kind};
        const double f = dp_normal_force_at(&spring, row->k, -info->gap, 0.0).force;
        damped = h * (f - info->force) * info->rate;
    } else {
        damped = h * dashpot_power(row, h, info);
    }
    if (d->rows.split.any) { // its impulse is that of several phases: the rest is the method's
        damped = fmax(0.0, damped);
    }
    account->row_damped += damped;
    if (info->source == DP_ROW_SOURCE_TENDON_SPRING) {
        return; // what they hold is potential energy of the state
    }
    account->found += found;
    account->elastic += elastic;
    if (info->source == DP_ROW_SOURCE_CONTACT) {
        account->contact_found += found;
        account->contact += elastic;
        account->contact_damped += damped;
        account->contact_intake -= h * info->force * info->rate;
    }
}

// A spring acts where v₁ leads, from the gap that counts. What else it holds at the end of the
// step, less what that part of its gap held at the start, is work of the correction.
static void enter_corrected_spring(dp_account *account, const dp_data *d, int block, int row,
                                   const dp_row_info *info)
{
    const dp_step_problem *p = &d->rows.problem;
    const dp_velocity_split *split = &d->rows.split;
    const double open = dp_gap_left_open(&d->rows, row), start = d->rows.gaps.start[row];
    dp_row_info acted = *info;
    acted.gap -= open;
    if (split->any) {
        acted.gap -= p->h * (dp_row_speed(p, block, row, split->row_move) -
                             dp_row_speed(p, block, row, split->row_end));
    }
    enter_spring(account, d, block, row, &acted);
    if (info->source == DP_ROW_SOURCE_TENDON_SPRING) {
        return; // what they hold is potential energy of the state
    }
    const double more = held_at(d, block, row, info->gap) - held_at(d, block, row, acted.gap);
    account->elastic += more;
    account->corrected +=
        more - (held_at(d, block, row, start) - held_at(d, block, row, start - open));
    account->contact += info->source == DP_ROW_SOURCE_CONTACT ? more : 0.0;
}

// @param u the rate along which the row works
static void enter_contact_friction(dp_account *account, const dp_row *row, double h,
                                   const dp_row_info *info, double u)
{
    const double lost = -h * info->force * (u + row->b_ref);
    account->moved -= h * info->force * row->b_ref;
    account->friction += lost;
    account->contact_friction += lost;
}

// The normal of a contact, or a row that is none.
static void enter_gap(dp_account *account, const dp_data *d, int block, int i,
                      const dp_row_info *info)
{
    const dp_constrained *c = &d->rows;
    const dp_row *row = &c->problem.row[i];
    const bool rigid = is_rigid(d, i);
    if (rigid && row->lo == 0.0 && isinf(row->hi) && info->start_rate < 0.0) {
        account->impacts +=
            fmax(0.0, -0.5 * c->problem.h * info->force * (info->start_rate + info->rate));
    }
    if (!rigid && (c->gaps.closes_part || (c->gaps.corrects && c->split.any))) {
        enter_corrected_spring(account, d, block, i, info);
    } else if (!rigid) {
        enter_spring(account, d, block, i, info);
    }
}

static void enter_row(dp_account *account, const dp_data *d, int block, int i)
{
    const dp_row_info info = dp_row_of_block(d, block, i);
    const dp_row *row = &d->rows.problem.row[i];
    const double h = d->rows.problem.h;
    const double u = info.rate - row->phi_t;
    const double work = h * info.force * u;
    if (info.source == DP_ROW_SOURCE_DRIVE) {
        account->drives += work;
        return;
    }
    if (info.source == DP_ROW_SOURCE_CONTACT && info.component > 0) {
        enter_contact_friction(account, row, h, &info, u);
        return;
    }
    account->moved -= h * info.force * row->phi_t;
    if (info.source == DP_ROW_SOURCE_JOINT_FRICTION ||
        info.source == DP_ROW_SOURCE_TENDON_FRICTION) {
        account->friction -= work;
    } else if (!dp_is_tendon_inertia(&d->rows.rows.owner[block])) { // which is kinetic energy
        enter_gap(account, d, block, i, &info);
    }
}

static void enter_block(dp_account *account, const dp_data *d, int block)
{
    const dp_constrained *c = &d->rows;
    const int *row_start = c->problem.row_start;
    const dp_row_owner *owner = &c->rows.owner[block];
    for (int i = row_start[block]; i < row_start[block + 1]; ++i) {
        const bool rubs =
            owner->source == DP_ROW_SOURCE_CONTACT && owner->feature + i > row_start[block];
        const bool struck = c->split.impact.count > 0 && c->split.impact.accounted[i];
        if (!(rubs && c->lambda[i] == 0.0) && !struck) { // open contacts; impacts have their own
            enter_row(account, d, block, i);
        }
    }
}

// An account is nothing but energies.
static void add_account(dp_account *sum, const dp_account *part)
{
    double *to = (double *)sum;
    const double *more = (const double *)part;
    for (size_t i = 0; i < sizeof *sum / sizeof *to; ++i) {
        to[i] += more[i];
    }
}

typedef struct entering {
    const dp_data *d;
    dp_account part[DP_ROW_PARTS];
} entering;

static dp_status enter_part(void *job, int part, int first, int end)
{
    entering *s = job;
    for (int b = first; b < end; ++b) {
        enter_block(&s->part[part], s->d, b);
    }
    return DP_OK;
}

// Positions move by h w besides h v₁: forces M̃ (v* − v₀)/h act along that, and give nothing to v₁.
static double correction_work(const dp_constrained *c)
{
    const dp_step_problem *p = &c->problem;
    double *const force = c->split.impact.v_free, *const both = c->split.impact.v_before;
    const double *w = c->split.impact.found.v;
    for (int k = 0; k < p->nv; ++k) {
        c->split.impact.found.v[k] = c->solution.v[k] - c->split.found.v[k];
        force[k] = p->v_free[k] - p->v0[k];
        both[k] = force[k] + w[k];
    }
    double work = 0.0;
    for (int t = 0; t < p->ntree; ++t) {
        work -= dp_tree_energy(c, t, both) - dp_tree_energy(c, t, force) - dp_tree_energy(c, t, w);
    }
    return work;
}

void dp_ledger_enter(dp_data *d, const double *v, double h)
{
    enter_forces(&d->account, d, v, h);
    if (d->rows.gaps.corrects && d->rows.split.any) {
        d->account.corrected += correction_work(&d->rows);
    }
    if (d->rows.split.impact.count > 0) {
        d->account.rebound += d->rows.split.impact.lost;
        d->account.moved += d->rows.split.impact.moved;
    }
    const double asleep = dp_sleep_elastic(d);
    d->account.found += asleep;
    d->account.elastic += asleep;
    d->account.contact_found += asleep;
    d->account.contact += asleep;
    if (dp_data_row_count(d) == 0) {
        return;
    }
    d->account.contact_intake += energy_of_change(d, end_of(d, v));
    entering s;
    s.d = d;
    const int nparts = 1 + d->rows.rows.contacts.nparts;
    memset(s.part, 0, (size_t)nparts * sizeof *s.part);
    const dp_status status = dp_rows_share(&d->rows.rows, d->workers, enter_part, &s);
    DP_ASSERT(status == DP_OK);
    (void)status;
    for (int i = 0; i < nparts; ++i) {
        add_account(&d->account, &s.part[i]);
    }
}

void dp_ledger_shorten(dp_data *d, const double *v, double h)
{
    const dp_model *m = d->model;
    for (int t = 0; t < m->size.ntree; ++t) {
        const double left = d->scratch.tree_limited[t] ? 1.0 - d->scratch.budget[t].share : 0.0;
        for (int k = m->tree_start[t]; left > 0.0 && k < m->tree_start[t + 1]; ++k) {
            enter_coordinate(&d->account, d, v, end_of(d, v), h, k, -left);
        }
    }
}

// Contacts hold and lose what they held at the end of the last step and what bodies gave, and no
// more: energy that gaps were found with anew never was there.
static void limit_contacts(dp_account *a, const dp_ledger *ledger)
{
    const double held = ledger->begun ? ledger->contact : a->contact_found;
    const double most = fmax(0.0, held + a->contact_intake);
    const double unheld = fmax(0.0, a->contact - most);
    a->contact -= unheld;
    a->elastic -= unheld;
    const double unlost = fmax(0.0, a->contact_damped - (most - a->contact));
    a->contact_damped -= unlost;
    a->row_damped -= unlost;
}

void dp_ledger_close(dp_data *d)
{
    dp_account *a = &d->account;
    a->moved += fixed_energy(d) - a->fixed;
    dp_ledger *ledger = &d->ledger;
    limit_contacts(a, ledger);
    const double renewed = ledger->begun ? a->contact_found - ledger->contact : 0.0;
    const double switched = a->found - ledger->elastic - renewed;
    ledger->elastic = a->elastic;
    ledger->contact = a->contact;
    ledger->contact_damped += a->contact_damped;
    ledger->contact_friction += a->contact_friction;
    ledger->applied += a->applied;
    ledger->drives += a->drives;
    ledger->corrected += a->corrected;
    ledger->moved += a->moved + (ledger->begun ? switched : 0.0);
    if (!ledger->begun) {
        ledger->begun = true;
        ledger->elastic_before = a->found;
    }
    ledger->damped += a->damped + a->row_damped;
    ledger->friction += a->friction;
    const double remainder = dp_ledger_stored(d) + a->elastic - a->before - switched -
                             (a->applied + a->drives + a->moved + a->corrected) +
                             (a->damped + a->row_damped + a->friction + a->rebound);
    const double impacts = fmin(a->impacts, fmax(0.0, -remainder));
    ledger->impacts += impacts + a->rebound;
    ledger->remainder += remainder + impacts;
}

const dp_ledger *dp_data_ledger(const dp_data *d)
{
    return &d->ledger;
}
