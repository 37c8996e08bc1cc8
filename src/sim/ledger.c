// The accounts of a step. Forces act along the displacement h v of the step, where v is the
// velocity that ends it: then the implicit step loses what it must,
//
//     ΔT = vᵀ M Δv − ½ Δvᵀ M Δv,
//
// and the remainder is ≤ 0 to round-off while nothing rotates. A row with force λ gives λ u to the
// mechanism and λ φ_t to what moves its reference; what it takes in, −λ φ̇, is stored in its spring,
// lost in its dashpot, or left to the remainder.
#include "sim/ledger.h"

#include <string.h>

static double stored(const dp_data *d)
{
    const dp_energy e = dp_data_energy(d);
    return e.kinetic + e.gravity + e.spring;
}

void dp_ledger_open(dp_data *d)
{
    d->account = (dp_account){.before = stored(d) + d->ledger.elastic};
}

static void enter_forces(dp_account *account, dp_data *d, const double *v, double h)
{
    const dp_model *m = d->model;
    const dp_forces *f = &d->forces;
    for (int k = 0; k < m->size.nv; ++k) {
        const double servo = h * f->stiffness[k] * v[k] + f->damping[k] * (v[k] - d->v[k]);
        account->applied += h * f->applied[k] * v[k];
        account->drives += h * (f->actuation[k] - servo) * v[k];
        account->damped += d->options.disable_dampers ? 0.0 : h * m->dof_damping[k] * v[k] * v[k];
    }
    if (f->any_external) {
        dp_twist *V = d->scratch.twist;
        dp_kin_velocities(V, &d->kin, m, v);
        for (int i = 1; i < m->size.nbody; ++i) {
            account->applied += h * dp_power(V[i], f->external[i]);
        }
    }
}

// What a spring holds before the first step that is accounted for.
static double elastic_at_start(const dp_row *row, const dp_row_info *info)
{
    const bool slack = row->lo == 0.0 && info->start_gap >= 0.0;
    return isfinite(row->k) && !slack ? 0.5 * row->k * info->start_gap * info->start_gap : 0.0;
}

static void enter_rows(dp_account *account, const dp_data *d)
{
    for (int i = 0; i < dp_data_row_count(d); ++i) {
        const dp_row_info info = dp_data_row(d, i);
        const dp_row *row = &d->rows.problem.row[i];
        const double h = d->rows.problem.h, work = h * info.force * (info.rate - row->phi_t);
        if (info.source == DP_ROWS_DRIVE) {
            account->drives += work;
            continue;
        }
        account->moved -= h * info.force * row->phi_t;
        if (info.source == DP_ROWS_JOINT_FRICTION || info.source == DP_ROWS_TENDON_FRICTION) {
            account->friction -= work;
            continue;
        }
        if (info.source == DP_ROWS_TENDON_SPRING && info.component == DP_TENDON_INERTIA) {
            account->elastic += 0.5 * h * row->b * info.rate * info.rate;
            account->elastic_before +=
                d->ledger.begun ? 0.0 : 0.5 * h * row->b * row->b_ref * row->b_ref;
            continue;
        }
        if (!d->ledger.begun) {
            account->elastic_before += elastic_at_start(row, &info);
        }
        if (info.force != 0.0 && isfinite(row->k)) {
            account->elastic += 0.5 * row->k * info.gap * info.gap;
        }
        if (info.force != 0.0 && isfinite(row->b)) {
            const double rate = info.rate - row->phi_t + row->b_ref; // of the dashpot
            account->row_damped += h * row->b * rate * rate;
        }
    }
}

void dp_ledger_enter(dp_data *d, const double *v, double h)
{
    enter_forces(&d->account, d, v, h);
    enter_rows(&d->account, d);
}

void dp_ledger_close(dp_data *d)
{
    const dp_account *a = &d->account;
    dp_ledger *ledger = &d->ledger;
    if (!ledger->begun) {
        ledger->begun = true;
        ledger->elastic_before = a->elastic_before;
    }
    ledger->elastic = a->elastic;
    ledger->applied += a->applied;
    ledger->drives += a->drives;
    ledger->moved += a->moved;
    ledger->damped += a->damped + a->row_damped;
    ledger->friction += a->friction;
    ledger->remainder += stored(d) + a->elastic - a->before - a->elastic_before -
                         (a->applied + a->drives + a->moved) +
                         (a->damped + a->row_damped + a->friction);
}

const dp_ledger *dp_data_ledger(const dp_data *d)
{
    return &d->ledger;
}
