// Forces of rows at one instant, as a differential equation has them: springs and dashpots as they
// are, contacts by their laws, and friction that grows with the slip up to friction.slip_speed.
//
//     λ = −k φ − b (u + b_ref) within lo … hi;   contacts: λ_n by (NL 1), λ_t = −reach λ_n m(s)
//
// with m of solve/tamsi.h. What is rigid has no force of its own; it stands as a spring of
// ode.stiffness with the dashpot 2 √(k · 1 kg), or is refused.
#include "math/angle.h"
#include "model/label.h"
#include "problem/laws/contact_law.h"
#include "problem/laws/normal_law.h"
#include "sim/integrators/integrators.h"
#include "solve/tamsi.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double MOMENT = 1e-7; // [s] over which what is prescribed is differentiated

// m(s) of one number.
static double saturated(double s, double v_s)
{
    return s > v_s ? 1.0 : s < -v_s ? -1.0 : s / v_s;
}

static dp_status refuse_rigid(const dp_data *d, int block)
{
    const dp_model *m = d->model;
    const dp_row_owner *owner = &d->rows.rows.owner[block];
    const dp_row_source source = (dp_row_source)owner->source;
    dp_label of = {""};
    if (source == DP_ROW_SOURCE_JOINT_LIMIT || source == DP_ROW_SOURCE_JOINT_FRICTION) {
        of = dp_joint_label(m, owner->element);
    } else if (source == DP_ROW_SOURCE_CONTACT) {
        const int *geom = d->rows.candidates.point[owner->element].geom;
        snprintf(of.text, sizeof of.text, "%.150s with %.150s", dp_geom_label(m, geom[0]).text,
                 dp_geom_label(m, geom[1]).text);
    } else {
        const char *name = source == DP_ROW_SOURCE_EQUALITY       ? m->equality[owner->element].name
                           : source == DP_ROW_SOURCE_MOTION       ? m->motion[owner->element].name
                           : source == DP_ROW_SOURCE_TENDON_LIMIT ? m->tendon[owner->element].name
                                                                  : "";
        if (*name) {
            snprintf(of.text, sizeof of.text, "'%.300s'", name);
        } else {
            snprintf(of.text, sizeof of.text, "%d", owner->element);
        }
    }
    return dp_fail(DP_ERROR_UNSUPPORTED,
                   "%s %s is rigid, and a differential equation has no force for that (expected a "
                   "stiffness of its own, or ode.stiffness=1e6, in N/m, in its place)",
                   dp_row_source_name(source), of.text);
}

static bool is_rigid(const dp_row *row)
{
    const bool bounded = isfinite(row->lo) && isfinite(row->hi);
    return row->k == (double)INFINITY || (row->b == (double)INFINITY && !bounded);
}

// The row, with the spring of ode.stiffness where it is rigid.
static dp_status soften(dp_row *out, const dp_data *d, int block, int r)
{
    const double stiffness = d->options.ode_stiffness;
    *out = d->rows.rows.row[r];
    if (!is_rigid(out)) {
        return DP_OK;
    }
    if (!(stiffness > 0.0)) {
        return refuse_rigid(d, block);
    }
    out->k = out->k > 0.0 ? stiffness : 0.0; // rigid in velocity alone: a dashpot
    out->b = 2.0 * sqrt(stiffness);
    return DP_OK;
}

// The force of a row that is no contact.
static double force_of(const dp_row *row, double u, double v_s)
{
    const double lo = row->lo / MOMENT, hi = row->hi / MOMENT, rate = u + row->b_ref;
    if (row->b == (double)INFINITY) { // dry friction
        const double share = saturated(rate, v_s / row->len);
        return share > 0.0 ? lo * share : -hi * share;
    }
    if (dp_row_is_one_sided(row) && row->phi >= 0.0) {
        return 0.0;
    }
    const double force = -row->k * row->phi - row->b * rate;
    return force < lo ? lo : force > hi ? hi : force;
}

static double normal_force(const dp_normal *normal, const dp_row *row, double u)
{
    if (normal->kind == DP_NORMAL_SPRING) {
        return force_of(row, u, 0.0);
    }
    return dp_normal_force_at(normal, row->k, -row->phi, -(u + row->phi_t)).force;
}

// The slip of a group of friction at the velocities u of the rows of its contact.
static void slip_of(double s[2], const dp_friction_group *g, const dp_row *row, const double *u)
{
    s[0] = s[1] = 0.0;
    for (int k = 0; k < g->count; ++k) {
        s[k] = g->scale[k] * (u[g->first + k] + row[g->first + k].b_ref);
    }
}

// The forces of a contact of nrow rows at the velocities u of them.
static void push_contact(double *lambda, const dp_friction *friction, const dp_normal *law,
                         const dp_row *normal, const dp_row *row, int nrow, const double *u,
                         double slip_speed)
{
    dp_friction_group group[DP_CONTACT_GROUPS];
    const int ngroup = dp_friction_groups(group, friction, nrow);
    lambda[0] = normal_force(law, normal, u[0]);
    for (int g = 0; g < ngroup; ++g) {
        const dp_friction_group *own = &group[g];
        const int first = own->first;
        double s[2];
        slip_of(s, own, row, u);
        const double v_s = slip_speed / row[first].len, speed = sqrt(s[0] * s[0] + s[1] * s[1]);
        const double per_slip = own->reach * lambda[0] / (speed > v_s ? speed : v_s);
        for (int k = 0; k < own->count; ++k) {
            lambda[first + k] = -per_slip * own->scale[k] * s[k];
        }
    }
}

// The velocities of the rows of a block, for those of all coordinates.
static void row_velocities(double *u, const dp_rows *rows, int b, const double *v)
{
    for (int r = rows->row_start[b]; r < rows->row_start[b + 1]; ++r) {
        u[r - rows->row_start[b]] = dp_rows_rate(rows, b, r, v);
    }
}

static dp_status push_block(double *lambda, dp_data *d, int b)
{
    const dp_rows *rows = &d->rows.rows;
    const dp_law_options *opt = &d->options.solver;
    const int first = rows->row_start[b], nrow = rows->row_start[b + 1] - first;
    const int f = rows->friction_of[b];
    double *u = d->rows.gaps.last + first;       // scratch
    if (dp_is_tendon_inertia(&rows->owner[b])) { // part of M and of the bias force
        lambda[first] = 0.0;
        return DP_OK;
    }
    row_velocities(u, rows, b, d->v);
    if (f >= 0) {
        dp_row normal;
        DP_TRY(soften(&normal, d, b, first));
        push_contact(lambda + first, &rows->friction[f], &rows->normal[f], &normal,
                     rows->row + first, nrow, u, opt->friction.slip_speed);
        return DP_OK;
    }
    for (int i = 0; i < nrow; ++i) {
        dp_row row;
        DP_TRY(soften(&row, d, b, first + i));
        lambda[first + i] = force_of(&row, u[i], opt->friction.slip_speed);
    }
    return DP_OK;
}

dp_status dp_instant_accelerate(dp_data *d)
{
    const dp_model *m = d->model;
    dp_constrained *c = &d->rows;
    if (!c->possible) {
        return DP_OK;
    }
    DP_TRY(dp_constrained_gather(d, MOMENT));
    if (c->rows.nblock == 0) {
        return DP_OK;
    }
    for (int b = 0; b < c->rows.nblock; ++b) {
        DP_TRY(push_block(c->lambda, d, b));
    }
    double *tau = d->scratch.rhs;
    memset(tau, 0, (size_t)m->size.nv * sizeof *tau);
    dp_rows_add_forces(tau, &c->rows, c->lambda);
    dp_articulated_solve(tau, &d->art, &d->kin, m, tau, NULL);
    dp_tendon_inertia_correct(tau, &d->tendon_inertia, &d->tendon, m, false);
    for (int i = 0; i < m->size.nv; ++i) {
        d->acceleration[i] += tau[i];
    }
    return DP_OK;
}

// ---- where friction changes

static double square(const double s[2])
{
    return s[0] * s[0] + s[1] * s[1];
}

static void pass(dp_transition *out, const double s[2], const double ds[2], double v_s,
                 dp_turn_limit most)
{
    const double end[2] = {s[0] + ds[0], s[1] + ds[1]};
    out->share = fmin(out->share, dp_transition_step(s, ds, v_s, most));
    out->changes = out->changes || (square(s) <= v_s * v_s) != (square(end) <= v_s * v_s);
}

static void pass_contact(dp_transition *out, const dp_friction *friction, const dp_row *row,
                         int nrow, const double *u, const double *du, double slip_speed,
                         dp_turn_limit most)
{
    dp_friction_group group[DP_CONTACT_GROUPS];
    const int ngroup = dp_friction_groups(group, friction, nrow);
    for (int g = 0; g < ngroup; ++g) {
        const dp_friction_group *own = &group[g];
        double s[2], ds[2] = {0.0, 0.0};
        slip_of(s, own, row, u);
        for (int k = 0; k < own->count; ++k) {
            ds[k] = own->scale[k] * du[own->first + k];
        }
        pass(out, s, ds, slip_speed / row[own->first].len, most);
    }
}

dp_transition dp_instant_transition(dp_data *d, const double *dv)
{
    const dp_constrained *c = &d->rows;
    const dp_law_options *opt = &d->options.solver;
    dp_transition out = {1.0, false};
    dp_turn_limit most;
    dp_sincos(&most.sine, &most.cosine, opt->tamsi.slip_turn);
    for (int b = 0; c->possible && b < c->rows.nblock; ++b) {
        const int first = c->rows.row_start[b], nrow = c->rows.row_start[b + 1] - first;
        const int f = c->rows.friction_of[b];
        const dp_row *row = c->rows.row + first;
        double *u = c->gaps.last + first, *du = c->gaps.end + first; // scratch
        row_velocities(u, &c->rows, b, d->v);
        row_velocities(du, &c->rows, b, dv);
        if (f >= 0) {
            if (c->lambda[first] > 0.0) {
                pass_contact(&out, &c->rows.friction[f], row, nrow, u, du, opt->friction.slip_speed,
                             most);
            }
            continue;
        }
        for (int i = 0; i < nrow; ++i) {
            if (row[i].b == (double)INFINITY && !is_rigid(&row[i])) { // dry friction
                const double s[2] = {u[i] + row[i].b_ref, 0.0}, ds[2] = {du[i], 0.0};
                pass(&out, s, ds, opt->friction.slip_speed / row[i].len, most);
            }
        }
    }
    return out;
}
