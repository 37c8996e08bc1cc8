// Forces of rows at one instant, as a differential equation has them: springs and dashpots as they
// are, contacts by their laws, and friction that grows with the slip up to friction.slip_speed.
//
//     λ = −k φ − b (u + b_ref) within lo … hi;   contacts: λ_n by (NL 1), λ_t = −reach λ_n m(s)
//
// with m of solve/tamsi.h. What is rigid has no force of its own; it stands as a spring of
// ode.stiffness with the dashpot 2 √(k · 1 kg), or is refused.
#include "problem/contact_law.h"
#include "problem/normal_law.h"
#include "sim/data.h"
#include "sim/stepping.h"

#include <math.h>
#include <string.h>

static const double MOMENT = 1e-7; // [s] over which what is prescribed is differentiated

// m(s) of one number.
static double saturated(double s, double v_s)
{
    return s > v_s ? 1.0 : s < -v_s ? -1.0 : s / v_s;
}

static dp_status refuse_rigid(const dp_data *d, int block)
{
    const dp_row_owner *owner = &d->rows.rows.owner[block];
    const char *name = owner->source == DP_ROWS_EQUALITY ? d->model->equality[owner->element].name
                       : owner->source == DP_ROWS_MOTION ? d->model->motion[owner->element].name
                                                         : "";
    return dp_fail(DP_ERROR_UNSUPPORTED,
                   "%s %d%s%s%s is rigid, and a differential equation has no force for that "
                   "(expected a stiffness of its own, or ode.stiffness [N/m] in its place)",
                   dp_row_source_name((dp_row_source)owner->source), owner->element,
                   *name ? " '" : "", name, *name ? "'" : "");
}

static bool is_rigid(const dp_row *row)
{
    const bool bounded = isfinite(row->lo) && isfinite(row->hi);
    return row->k == (double)INFINITY || (row->b == (double)INFINITY && !bounded);
}

// The row with a spring where it is rigid. @param stiffness 0: there is none to give
static dp_status soften(dp_row *out, const dp_data *d, int block, int r)
{
    const double stiffness = d->options.law.ode_stiffness;
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
        double s[2] = {0.0, 0.0};
        for (int k = 0; k < own->count; ++k) {
            s[k] = own->scale[k] * (u[first + k] + row[first + k].b_ref);
        }
        const double v_s = slip_speed / row[first].len, speed = sqrt(s[0] * s[0] + s[1] * s[1]);
        const double per_slip = own->reach * lambda[0] / (speed > v_s ? speed : v_s);
        for (int k = 0; k < own->count; ++k) {
            lambda[first + k] = -per_slip * own->scale[k] * s[k];
        }
    }
}

static dp_status push_block(double *lambda, dp_data *d, int b)
{
    const dp_rows *rows = &d->rows.rows;
    const dp_law_options *opt = &d->options.law;
    const int first = rows->row_start[b], nrow = rows->row_start[b + 1] - first;
    const int *col = rows->col + rows->col_start[b];
    const int ncol = rows->col_start[b + 1] - rows->col_start[b];
    const double *G = rows->G + rows->G_start[b];
    const int f = rows->friction_of[b];
    double *u = d->rows.phi + first; // scratch
    for (int i = 0; i < nrow; ++i, G += ncol) {
        u[i] = 0.0;
        for (int k = 0; k < ncol; ++k) {
            u[i] += G[k] * d->v[col[k]];
        }
    }
    if (f >= 0) {
        dp_row normal;
        DP_TRY(soften(&normal, d, b, first));
        push_contact(lambda + first, &rows->friction[f], &rows->normal[f], &normal,
                     rows->row + first, nrow, u, opt->slip_speed);
        return DP_OK;
    }
    for (int i = 0; i < nrow; ++i) {
        dp_row row;
        DP_TRY(soften(&row, d, b, first + i));
        lambda[first + i] = force_of(&row, u[i], opt->slip_speed);
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
    for (int i = 0; i < m->size.nv; ++i) {
        d->acceleration[i] += tau[i];
    }
    return DP_OK;
}
