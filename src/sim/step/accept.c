// The end of a part of a step: the next state is checked, and becomes the state.
#include "base/interrupt.h"
#include "sim/step/step.h"

#include <string.h>

// Beyond this a velocity or position [m/s, rad/s, m, rad] is no motion but an overflow on its way:
// its powers must stay finite in every formula.
static const double LARGEST_NUMBER = 1e60;
static const char EXPECTED[] = "less than 1e+60; a smaller step may help, or less stiffness, gain "
                               "or force on what is light";

dp_status dp_refuse_velocities(const dp_data *d, const double *v)
{
    return dp_numbers_check(d, DP_NUMBER_VELOCITY, v, LARGEST_NUMBER, true, EXPECTED);
}

double dp_next_time(double t, double h)
{
    const double shifter = 0x1.8p52; // adding it rounds to an integer
    const double count = (t + h) / h;
    const double whole = (count + shifter) - shifter;
    return fabs(count - whole) <= 1e-6 && fabs(whole) < 0x1p50 ? whole * h : t + h;
}

// The impulses of the last attempt become the state.
static void accept_impulses(dp_constrained *c)
{
    const dp_impulses spare = c->before;
    c->before = c->now; // c->warm may look at it
    c->now = c->next;
    c->next = spare;
}

// The state is now what the attempt left in d->scratch: take over the kinematics that are known.
// @return whether they are
static bool commit_kinematics(dp_data *d)
{
    const dp_model *m = d->model;
    const size_t q_bytes = (size_t)m->size.nq * sizeof(double);
    if (!d->rows.end_known) {
        return false;
    }
    d->rows.end_known = false;
    dp_kin_normalise(d->q, m);
    const bool same = m->nquaternion == 0 || memcmp(d->q, d->scratch.q, q_bytes) == 0;
    if (same) {
        const dp_kin kin = d->kin;
        d->kin = d->kin_end;
        d->kin_end = kin;
        memcpy(d->key.q, d->q, q_bytes);
        memcpy(d->key.v, d->v, (size_t)m->size.nv * sizeof(double));
        d->key.moving = true;
    }
    return same;
}

dp_status dp_accept(dp_data *d, double h)
{
    const dp_model_size *n = &d->model->size;
    const dp_scratch *next = &d->scratch;
    DP_TRY(dp_interrupt_status());
    DP_TRY(dp_refuse_velocities(d, next->v));
    DP_TRY(dp_numbers_check(d, DP_NUMBER_POSITION, next->q, LARGEST_NUMBER, true, EXPECTED));
    DP_TRY(dp_numbers_check(d, DP_NUMBER_ACTIVATION, next->activation, LARGEST_NUMBER, true,
                            EXPECTED));
    const double time = dp_next_time(d->time, h);
    DP_TRY(dp_timed_look(d, time));
    dp_timed_put(d);
    memcpy(d->q, next->q, (size_t)n->nq * sizeof *d->q);
    memcpy(d->v, next->v, (size_t)n->nv * sizeof *d->v);
    memcpy(d->activation, next->activation, (size_t)n->na * sizeof *d->activation);
    if (d->rows.possible) {
        accept_impulses(&d->rows);
    }
    d->time = time;
    const bool is_there = commit_kinematics(d);
    if (!is_there || n->nmocap > 0) {
        dp_data_refresh(d);
    }
    dp_sleep_fall(d, h);
    return DP_OK;
}
