#include "sim/data.h"

#include "sim/integrators/integrators.h"
#include "sim/parallel_for.h"

#include <stdio.h>
#include <string.h>

enum { FIRST_CONTACTS = 32 }; // points that there is room for; it grows

// Measure with c->base == NULL, lay out with the block's address.
static void carve(dp_data *d, dp_carver *c, const dp_model *m)
{
    const dp_model_size *n = &m->size;
    const size_t nq = (size_t)n->nq, nv = (size_t)n->nv, na = (size_t)n->na, nu = (size_t)n->nu;
    const size_t nbody = (size_t)n->nbody, nmocap = (size_t)n->nmocap, ntree = (size_t)n->ntree;
    dp_scratch *s = &d->scratch;
    dp_carve_doubles(c, nq, (double **[]){&d->q, &d->key.q, &s->q, NULL});
    dp_carve_doubles(c, nv,
                     (double **[]){&d->v, &d->key.v, &d->force, &d->acceleration, &s->v, &s->rhs,
                                   &s->diagonal, &s->kicked, &s->free, NULL});
    dp_carve_doubles(c, na, (double **[]){&d->activation, &s->activation, NULL});
    d->mocap = dp_carve(c, nmocap, sizeof(dp_pose));
    d->key.mocap = dp_carve(c, nmocap, sizeof(dp_pose));
    d->control = dp_carve(c, nu, sizeof(double));
    d->wrench = dp_carve(c, nbody, sizeof(dp_wrench));
    d->report = dp_carve(c, 1, sizeof *d->report);
    dp_kin_carve(&d->kin, c, m);
    dp_kin_carve(&d->kin_end, c, m);
    dp_articulated_carve(&d->art, c, m);
    dp_tendon_carve(&d->tendon, c, m);
    dp_tendon_inertia_carve(&d->tendon_inertia, c, m);
    dp_transmission_carve(&d->transmission, c, m);
    dp_forces_carve(&d->forces, c, m);
    dp_timed_carve(&d->timed, c, m);
    dp_sleep_carve(&d->sleep, c, m);
    d->sensed.motion = dp_carve(c, nbody, sizeof(dp_twist));
    d->sensed.body_acceleration = dp_carve(c, nbody, sizeof(dp_twist));
    d->sensed.reaction = dp_carve(c, nbody, sizeof(dp_wrench));
    d->sensed.sensor = dp_carve(c, (size_t)n->nsensordata, sizeof(double));
    for (int i = 0; i < DP_SNAPSHOTS; ++i) {
        dp_snapshot *copy = &d->snapshot[i];
        dp_carve_doubles(c, nq, (double **[]){&copy->q, NULL});
        dp_carve_doubles(c, nv, (double **[]){&copy->v, NULL});
        dp_carve_doubles(c, na, (double **[]){&copy->activation, NULL});
        dp_carve_doubles(c, ntree, (double **[]){&copy->rest, &copy->elastic, NULL});
        copy->mocap = dp_carve(c, nmocap, sizeof(dp_pose));
        copy->equality_active = dp_carve(c, (size_t)n->nequality, sizeof(uint8_t));
        copy->group = dp_carve(c, ntree, sizeof(int));
    }
    s->wrench = dp_carve(c, nbody, sizeof(dp_wrench));
    s->twist = dp_carve(c, nbody, sizeof(dp_twist));
    s->spin = dp_carve(c, nbody, sizeof(dp_v3));
    s->composite = dp_carve(c, nbody, sizeof(dp_rigid_inertia));
    s->stage = dp_carve(c, DP_RK_VECTORS * (nq + nv + na), sizeof(double));
    s->tree_turn = dp_carve(c, ntree, sizeof(double));
    s->balance = dp_carve(c, ntree, sizeof(dp_tree_balance));
    s->budget = dp_carve(c, ntree, sizeof(dp_tree_budget));
    uint8_t **const of_tree[] = {&s->tree_mode, &s->tree_limited, &s->tree_held, &s->tree_steady};
    for (size_t i = 0; i < sizeof of_tree / sizeof *of_tree; ++i) {
        *of_tree[i] = dp_carve(c, ntree, sizeof(uint8_t));
    }
    s->no_row = dp_carve(c, nu, sizeof(uint8_t));
}

// A number of bytes alone says nothing to whoever wrote the scene.
static dp_status fail_for_size(dp_status status, const dp_model *m)
{
    return dp_fail_context(status,
                           "a simulation of %d bodies and %d degrees of freedom, whose inertia "
                           "matrix has %zu entries: ",
                           m->size.nbody, m->size.nv, m->dof_packed[m->size.nv]);
}

dp_status dp_data_create(dp_data **out, const dp_model *m, const dp_allocator *allocator)
{
    *out = NULL;
    const dp_allocator a = dp_allocator_or_default(allocator);
    const size_t header = sizeof(dp_data);
    dp_data measure;
    dp_carver c = {NULL, header};
    carve(&measure, &c, m);
    const size_t bytes = dp_carve_room(c.used);

    dp_data *d;
    const dp_status taken = dp_allocate(&d, &a, 1, bytes);
    if (taken != DP_OK) {
        return fail_for_size(taken, m);
    }
    c = dp_carve_in(d, header);
    carve(d, &c, m);
    d->allocator = a;
    d->bytes = bytes;
    d->model = d->shared = m;
    d->options = m->options;
    d->stopwatch.now = DP_STAGES;
    dp_tendon_init(&d->tendon, m);
    dp_tendon_inertia_init(&d->tendon_inertia, m);
    dp_transmission_init(&d->transmission, m);
    const int points = m->size.ntouch != 0 ? FIRST_CONTACTS : 0;
    dp_status status = dp_constrained_create(d, (dp_rows_most){0, points});
    status = status == DP_OK ? dp_contacts_create(d) : status;
    if (status != DP_OK) {
        dp_data_destroy(d);
        return fail_for_size(status, m);
    }
    dp_data_reset(d);
    if (m->size.ntendon > 0) {
        dp_data_measure_tendons(d);
        dp_data_refresh(d);
    }
    *out = d;
    return DP_OK;
}

void dp_data_destroy(dp_data *d)
{
    if (d) {
        const dp_allocator a = d->allocator;
        dp_thread_pool_destroy(d->threads);
        dp_euler_release(d);
        dp_cvode_release(d);
        dp_variant_destroy(d->variant);
        dp_constrained_destroy(d);
        dp_contacts_destroy(d);
        dp_release(&a, d, 1, d->bytes);
    }
}

// What is at `from`, at its new place. Arrays without elements stay.
static void *moved(void *to, void *from, int count, size_t size)
{
    return count > 0 ? memcpy(to, from, (size_t)count * size) : from;
}

void dp_data_move(dp_data *d, const dp_world_arrays *to)
{
    const dp_model_size *n = &d->model->size;
    d->q = moved(to->q, d->q, n->nq, sizeof *d->q);
    d->v = moved(to->v, d->v, n->nv, sizeof *d->v);
    d->activation = moved(to->activation, d->activation, n->na, sizeof *d->activation);
    d->mocap = moved(to->mocap, d->mocap, n->nmocap, sizeof *d->mocap);
    d->control = moved(to->control, d->control, n->nu, sizeof *d->control);
    d->force = moved(to->force, d->force, n->nv, sizeof *d->force);
    d->wrench = moved(to->wrench, d->wrench, n->nbody, sizeof *d->wrench);
    d->sensed.sensor =
        moved(to->sensor, d->sensed.sensor, n->nsensordata, sizeof *d->sensed.sensor);
}

// Of factors and products with M̃: Σ of the squares of the lengths of ways to roots.
static double work_of_bodies(const dp_model *m)
{
    double sum = 0.0;
    for (int k = 0; k < m->size.nv; ++k) {
        const double way = (double)(m->dof_packed[k + 1] - m->dof_packed[k]);
        sum += way * way;
    }
    return sum;
}

// A step is some thirty jobs, and what each receives and returns goes from one processor to another
// and back: 1 µs, or several where they share no cache. A free body that rests on another takes
// about 0.5 µs, and 91 + 150 of these units. So this much takes some 100 µs.
static const double WORTHWHILE = 6e4, WORK_OF_CONTACT = 150.0;

void dp_data_share(dp_data *d)
{
    const double work = d->work + WORK_OF_CONTACT * (double)d->rows.now.nblock;
    d->workers = work >= WORTHWHILE ? d->threads : NULL;
}

dp_status dp_data_set_threads(dp_data *d, int threads)
{
    dp_thread_pool *workers;
    DP_TRY(dp_thread_pool_create(&workers, threads, &d->allocator));
    dp_thread_pool_destroy(d->threads);
    d->threads = workers;
    d->workers = NULL;
    d->work = work_of_bodies(d->model);
    dp_data_share(d);
    return DP_OK;
}

static void clear_inputs(dp_data *d)
{
    const dp_model_size *n = &d->model->size;
    memset(d->control, 0, (size_t)n->nu * sizeof(double));
    memset(d->force, 0, (size_t)n->nv * sizeof(double));
    memset(d->wrench, 0, (size_t)n->nbody * sizeof(dp_wrench));
    memset(d->report, 0, sizeof *d->report);
    memset(&d->ledger, 0, sizeof d->ledger);
}

// What was derived from the state before is forgotten, and expressions have been looked at.
static void begin_anew(dp_data *d)
{
    dp_timed_put(d);
    dp_constrained_reset(d);
    dp_sleep_reset(d);
    dp_data_refresh(d);
}

// As described; those that expressions move are looked at, for t = 0.
static void place_mocap(dp_data *d)
{
    const dp_model *m = d->model;
    for (int i = 0; i < m->size.nmocap; ++i) {
        d->mocap[i] = m->body[m->mocap_body[i]].pose;
    }
    const dp_status status = dp_timed_look(d, 0.0); // was tried when the model was compiled
    DP_ASSERT(status == DP_OK);
    (void)status;
}

void dp_data_measure_tendons(dp_data *d)
{
    const size_t mocap_bytes = (size_t)d->model->size.nmocap * sizeof *d->mocap;
    memcpy(d->key.mocap, d->mocap, mocap_bytes);
    place_mocap(d);
    dp_timed_put(d);
    dp_tendon_rest(&d->tendon, &d->kin, d->model, d->mocap);
    memcpy(d->mocap, d->key.mocap, mocap_bytes);
    d->key.fixed = d->key.moving = false;
}

void dp_data_reset(dp_data *d)
{
    const dp_model *m = d->model;
    d->time = 0.0;
    memcpy(d->q, m->q_reference, (size_t)m->size.nq * sizeof(double));
    memset(d->v, 0, (size_t)m->size.nv * sizeof(double));
    memset(d->activation, 0, (size_t)m->size.na * sizeof(double));
    place_mocap(d);
    clear_inputs(d);
    begin_anew(d);
}

dp_status dp_data_reset_to_key(dp_data *d, dp_key_id key)
{
    const dp_model *m = d->model;
    if (key.index < 0 || key.index >= m->size.nkey) {
        return dp_fail(DP_ERROR_ARGUMENT, "no keyframe %d (the model has %d)", key.index,
                       m->size.nkey);
    }
    const dp_key *k = &m->key[key.index];
    DP_TRY(dp_timed_look(d, k->time));
    d->time = k->time;
    memcpy(d->q, k->q, (size_t)m->size.nq * sizeof(double));
    memcpy(d->v, k->v, (size_t)m->size.nv * sizeof(double));
    memcpy(d->activation, k->activation, (size_t)m->size.na * sizeof(double));
    memcpy(d->mocap, k->mocap, (size_t)m->size.nmocap * sizeof(dp_pose));
    clear_inputs(d);
    memcpy(d->control, k->control, (size_t)m->size.nu * sizeof(double));
    begin_anew(d);
    return DP_OK;
}

dp_status dp_data_copy(dp_data *to, const dp_data *from)
{
    if (to->shared != from->shared) {
        return dp_fail(DP_ERROR_ARGUMENT,
                       "dp_data_copy: the two simulations have different models");
    }
    if (to == from) {
        return DP_OK;
    }
    DP_TRY(dp_data_check(from));
    const dp_contacts *room = &from->contacts; // first, so that `to` stays as it was if that fails
    DP_TRY(dp_data_reserve_contacts(to, room->broad.pair_capacity, room->npoint));
    DP_TRY(dp_parameters_copy(to, from));
    if (to->rows.most.nuser != from->rows.most.nuser ||
        to->rows.most.ncontact < from->rows.most.ncontact) {
        const int most = to->rows.most.ncontact, other = from->rows.most.ncontact;
        DP_TRY(dp_constrained_create(
            to, (dp_rows_most){from->rows.most.nuser, most > other ? most : other}));
    }
    DP_TRY(dp_contacts_copy(to, from));
    const dp_model_size *n = &to->model->size;
    to->options = from->options;
    const dp_callbacks own = to->callbacks;
    to->callbacks = from->callbacks;
    to->callbacks.interrupt = own.interrupt;
    to->callbacks.interrupt_user = own.interrupt_user;
    to->callbacks.running = own.running;
    to->callbacks.row_running = own.row_running;
    *to->report = *dp_data_report(from);
    to->rows.verdict->pending = false;
    to->ledger = from->ledger;
    memcpy(to->control, from->control, (size_t)n->nu * sizeof(double));
    memcpy(to->force, from->force, (size_t)n->nv * sizeof(double));
    memcpy(to->wrench, from->wrench, (size_t)n->nbody * sizeof(dp_wrench));
    memcpy(to->rows.user, from->rows.user, (size_t)from->rows.most.nuser * sizeof *to->rows.user);
    dp_constrained_clear(to);
    dp_state_copy(to, from);
    dp_data_refresh(to);
    return DP_OK;
}

static dp_v3 gravity_in_force(const dp_data *d)
{
    return d->options.disable_gravity ? (dp_v3){0.0, 0.0, 0.0} : d->options.gravity;
}

// What is known of bodies that move, where it is not that of q and v.
static dp_status refresh_trees(void *job, int first, int end)
{
    dp_data *d = job;
    const dp_model *m = d->model;
    const dp_trees part = dp_trees_of(m, first, end);
    const double *q = d->q + part.first_q, *v = d->v + part.first_v;
    double *known_q = d->key.q + part.first_q, *known_v = d->key.v + part.first_v;
    const size_t q_bytes = (size_t)(part.end_q - part.first_q) * sizeof *q;
    const size_t v_bytes = (size_t)(part.end_v - part.first_v) * sizeof *v;
    bool same = d->key.moving && memcmp(known_q, q, q_bytes) == 0;
    if (!same) { // else it was done
        dp_kin_normalise_part(d->q, m, part.first_v, part.end_v);
        same = d->key.moving && memcmp(known_q, q, q_bytes) == 0;
    }
    if (!same || memcmp(known_v, v, v_bytes) != 0) {
        dp_kin_update_part(&d->kin, m, d->q, d->v, part.first_body, part.end_body);
        memcpy(known_q, q, q_bytes);
        memcpy(known_v, v, v_bytes);
    }
    return DP_OK;
}

void dp_data_refresh(dp_data *d)
{
    const dp_model *m = d->model;
    const size_t mocap_bytes = (size_t)m->size.nmocap * sizeof(dp_pose);
    const dp_v3 gravity = gravity_in_force(d);
    const dp_stage before = dp_stage_enter(&d->stopwatch, DP_STAGE_KINEMATICS);
    if (!d->key.fixed || memcmp(d->key.mocap, d->mocap, mocap_bytes) != 0 ||
        memcmp(&d->key.gravity, &gravity, sizeof gravity) != 0) {
        for (int i = 0; i < m->size.nmocap; ++i) {
            d->mocap[i].q = dp_quat_unit(d->mocap[i].q);
        }
        dp_kin_fix(&d->kin, m, d->mocap, gravity);
        if (d->rows.possible) {
            dp_kin_fix(&d->kin_end, m, d->mocap, gravity);
        }
        memcpy(d->key.mocap, d->mocap, mocap_bytes);
        d->key.gravity = gravity;
        d->key.fixed = true;
        d->key.moving = false;
    }
    dp_spread_trees(d, refresh_trees, d);
    d->key.moving = true;
    dp_stage_enter(&d->stopwatch, before);
}

// The state and the inputs.
enum { SIX = sizeof(dp_wrench) / sizeof(double), SEVEN = sizeof(dp_pose) / sizeof(double) };
static dp_status check_numbers(const dp_data *d)
{
    const dp_model *m = d->model;
    const struct {
        dp_number what;
        const double *x;
    } list[] = {{DP_NUMBER_POSITION, d->q},
                {DP_NUMBER_VELOCITY, d->v},
                {DP_NUMBER_FORCE, d->force},
                {DP_NUMBER_CONTROL, d->control},
                {DP_NUMBER_ACTIVATION, d->activation}};
    for (size_t k = 0; k < sizeof list / sizeof *list; ++k) {
        DP_TRY(dp_numbers_check(d, list[k].what, list[k].x, (double)INFINITY, false,
                                "a finite number"));
    }
    int i = dp_first_beyond((const double *)d->wrench, SIX * m->size.nbody, (double)INFINITY);
    if (i >= 0) {
        return dp_fail(DP_ERROR_NUMERIC,
                       "the external wrench on body %d ('%s') is not finite at t = %.10g s",
                       i / SIX, m->body[i / SIX].name, d->time);
    }
    i = dp_first_beyond((const double *)d->mocap, SEVEN * m->size.nmocap, (double)INFINITY);
    if (i >= 0) {
        return dp_fail(DP_ERROR_NUMERIC, "the pose of mocap body '%s' is not finite at t = %.10g s",
                       m->body[m->mocap_body[i / SEVEN]].name, d->time);
    }
    return isfinite(d->time)
               ? DP_OK
               : dp_fail(DP_ERROR_NUMERIC, "the time is %g s (expected a finite number)", d->time);
}

static dp_status check_fluid(const dp_data *d)
{
    const dp_options *o = &d->options, *of = &d->model->options;
    if (!(o->fluid_density >= 0.0) || !isfinite(o->fluid_density) || !(o->fluid_viscosity >= 0.0) ||
        !isfinite(o->fluid_viscosity) || !dp_v3_finite(o->wind)) {
        return dp_fail(DP_ERROR_ARGUMENT,
                       "the fluid has density %g kg/m³, viscosity %g Pa s and wind (%g, %g, %g) "
                       "m/s (expected finite numbers, the first two ≥ 0)",
                       o->fluid_density, o->fluid_viscosity, o->wind.x, o->wind.y, o->wind.z);
    }
    const bool wet = o->fluid_density > 0.0 || o->fluid_viscosity > 0.0;
    if (wet && !(of->fluid_density > 0.0) && !(of->fluid_viscosity > 0.0)) {
        return dp_fail(DP_ERROR_ARGUMENT,
                       "the fluid has density %g kg/m³ and viscosity %g Pa s, and the model was "
                       "compiled without one (expected 0 and 0, or a model with a fluid)",
                       o->fluid_density, o->fluid_viscosity);
    }
    return DP_OK;
}

static dp_status check_options(const dp_data *d)
{
    const dp_options *o = &d->options;
    if (!(o->step > 0.0) || !isfinite(o->step)) {
        return dp_fail(DP_ERROR_ARGUMENT, "the step is %g s (expected a number > 0)", o->step);
    }
    if (!dp_v3_finite(o->gravity)) {
        return dp_fail(DP_ERROR_ARGUMENT, "gravity is (%g, %g, %g) m/s² (expected finite numbers)",
                       o->gravity.x, o->gravity.y, o->gravity.z);
    }
    if (!dp_v3_finite(o->magnetic)) {
        return dp_fail(DP_ERROR_ARGUMENT,
                       "the magnetic field is (%g, %g, %g) T (expected finite numbers)",
                       o->magnetic.x, o->magnetic.y, o->magnetic.z);
    }
    DP_TRY(check_fluid(d));
    if (!(o->sleep_speed >= 0.0) || !(o->sleep_time >= 0.0)) {
        return dp_fail(DP_ERROR_ARGUMENT,
                       "sleep speed is %g m/s and sleep time %g s (expected numbers ≥ 0)",
                       o->sleep_speed, o->sleep_time);
    }
    if (!(o->contact_stiffness_scale > 0.0) || !isfinite(o->contact_stiffness_scale) ||
        !(o->contact_friction_scale >= 0.0) || !isfinite(o->contact_friction_scale)) {
        return dp_fail(DP_ERROR_ARGUMENT,
                       "the scales of contacts are %g for stiffness and %g for friction (expected "
                       "finite numbers, > 0 and ≥ 0)",
                       o->contact_stiffness_scale, o->contact_friction_scale);
    }
    if (!(o->large_rotation >= 0.0)) {
        return dp_fail(DP_ERROR_ARGUMENT, "large rotation is %g rad (expected a number ≥ 0)",
                       o->large_rotation);
    }
    return DP_OK;
}

dp_status dp_data_check(const dp_data *d)
{
    DP_TRY(check_numbers(d));
    return check_options(d);
}

const dp_model *dp_data_model(const dp_data *d)
{
    return d->shared;
}

dp_options *dp_data_options(dp_data *d)
{
    return &d->options;
}

double dp_data_time(const dp_data *d)
{
    return d->time;
}

void dp_data_set_time(dp_data *d, double time)
{
    d->time = time;
}

double *dp_data_q(dp_data *d)
{
    return d->q;
}

double *dp_data_v(dp_data *d)
{
    return d->v;
}

double *dp_data_activation(dp_data *d)
{
    return d->activation;
}

dp_pose *dp_data_mocap(dp_data *d, int mocap)
{
    return mocap >= 0 && mocap < d->model->size.nmocap ? &d->mocap[mocap] : NULL;
}

double *dp_data_control(dp_data *d)
{
    return d->control;
}

double *dp_data_force(dp_data *d)
{
    return d->force;
}

dp_wrench *dp_data_wrench(dp_data *d, dp_body_id b)
{
    return b.index >= 0 && b.index < d->model->size.nbody ? &d->wrench[b.index] : NULL;
}

void dp_data_set_control_callback(dp_data *d, dp_control_callback callback, void *context)
{
    d->callbacks.control = callback;
    d->callbacks.control_context = context;
}

void dp_data_set_force_callback(dp_data *d, dp_force_callback callback, void *context)
{
    d->callbacks.force = callback;
    d->callbacks.force_context = context;
}

void dp_data_set_interrupt(dp_data *d, dp_interrupt_fn fn, void *user)
{
    d->callbacks.interrupt = fn;
    d->callbacks.interrupt_user = user;
}

void dp_data_set_full_newton(dp_data *d, bool full)
{
    d->euler.full = full;
}

void dp_data_set_problem_callback(dp_data *d, dp_problem_callback callback, void *context)
{
    d->callbacks.problem = callback;
    d->callbacks.problem_context = context;
}
