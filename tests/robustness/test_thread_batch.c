// Many simulations at once: the bits of one after another.
#include "counting_allocator.h"
#include "standing_scene.h"

#include <dashpot/batch.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 8, STEPS = 30 };

static double *numbers(size_t count)
{
    double *x = calloc(count + 1, sizeof *x);
    assert_non_null(x);
    return x;
}

// What worlds are to do: they start with different velocities and have different controls.
typedef struct plan {
    mechanism x;
    size_t nstate, nq, nv, nu, nsensor;
    double *start, *control;  // COUNT × nstate, COUNT × STEPS × nu
    double *states, *sensors; // what is found: COUNT × STEPS × …
} plan;

static plan make_plan(const char *path, const char *law)
{
    plan p = {.x = standing_scene(path, NULL)};
    const dp_model_size *n = dp_model_sizes(p.x.m);
    p.nstate = (size_t)dp_batch_state_size(p.x.m);
    p.nq = (size_t)n->nq;
    p.nv = (size_t)n->nv;
    p.nu = (size_t)n->nu;
    p.nsensor = (size_t)n->nsensordata;
    p.start = numbers(COUNT * p.nstate);
    p.control = numbers(COUNT * STEPS * p.nu);
    p.states = numbers(COUNT * STEPS * p.nstate);
    p.sensors = numbers(COUNT * STEPS * p.nsensor);
    if (law) {
        assert_ok(dp_options_set(dp_data_options(p.x.d), "law", law));
    }
    random_source r = {41};
    for (size_t i = 0; i < COUNT; ++i) {
        double *state = p.start + i * p.nstate;
        state[0] = dp_data_time(p.x.d);
        memcpy(state + 1, dp_data_q(p.x.d), p.nq * sizeof *state);
        for (size_t k = 0; k < p.nv; ++k) {
            state[1 + p.nq + k] = random_between(&r, -1.0, 1.0);
        }
    }
    for (size_t i = 0; i < COUNT * STEPS * p.nu; ++i) {
        p.control[i] = random_between(&r, -1.0, 1.0);
    }
    return p;
}

static void end_plan(plan *p)
{
    free(p->start);
    free(p->control);
    free(p->states);
    free(p->sensors);
    mechanism_end(&p->x);
}

static const double *control_at(const plan *p, size_t world, size_t step)
{
    return p->control + (world * STEPS + step) * p->nu;
}

static double *state_at(const plan *p, size_t world, size_t step)
{
    return p->states + (world * STEPS + step) * p->nstate;
}

// One simulation after another, by hand.
static void run_alone(plan *p)
{
    for (size_t i = 0; i < COUNT; ++i) {
        dp_data *d;
        assert_ok(dp_data_create(&d, p->x.m, NULL));
        *dp_data_options(d) = *dp_data_options(p->x.d);
        memcpy(dp_data_v(d), p->start + i * p->nstate + 1 + p->nq, p->nv * sizeof(double));
        for (size_t k = 0; k < STEPS; ++k) {
            memcpy(dp_data_control(d), control_at(p, i, k), p->nu * sizeof(double));
            assert_ok(dp_step(d));
            assert_ok(dp_sense(d));
            double *state = state_at(p, i, k);
            state[0] = dp_data_time(d);
            memcpy(state + 1, dp_data_q(d), p->nq * sizeof *state);
            memcpy(state + 1 + p->nq, dp_data_v(d), p->nv * sizeof *state);
            memcpy(p->sensors + (i * STEPS + k) * p->nsensor, dp_data_sensors(d),
                   p->nsensor * sizeof(double));
        }
        dp_data_destroy(d);
    }
}

static dp_batch *batch_of(const plan *p, int count, int threads)
{
    dp_batch *b;
    assert_ok(dp_batch_create(&b, p->x.d, count, threads, NULL));
    assert_int_equal(dp_batch_count(b), count);
    assert_ptr_equal(dp_batch_model(b), p->x.m);
    return b;
}

static void assert_rows(const plan *p, const dp_batch_arrays *a, size_t world, size_t step)
{
    const double *state = state_at(p, world, step);
    assert_true(state[0] == a->time[world]);
    assert_memory_equal(state + 1, a->q + world * p->nq, p->nq * sizeof(double));
    assert_memory_equal(state + 1 + p->nq, a->v + world * p->nv, p->nv * sizeof(double));
    if (p->nsensor > 0) {
        assert_memory_equal(p->sensors + (world * STEPS + step) * p->nsensor,
                            a->sensors + world * p->nsensor, p->nsensor * sizeof(double));
    }
}

// The first `count` worlds of a plan in closed loop.
static void run_together(const plan *p, dp_batch *b, size_t count)
{
    const dp_batch_arrays a = dp_batch_arrays_of(b);
    assert_ok(dp_batch_reset_to_states(b, NULL, p->start));
    for (size_t k = 0; k < STEPS; ++k) {
        for (size_t i = 0; i < count && p->nu > 0; ++i) {
            memcpy(a.control + i * p->nu, control_at(p, i, k), p->nu * sizeof(double));
        }
        assert_ok(dp_batch_step(b, 1, NULL));
        assert_ok(dp_batch_sense(b, NULL));
        for (size_t i = 0; i < count; ++i) {
            assert_rows(p, &a, i, k);
            assert_int_equal(a.result[i].status, DP_OK);
        }
    }
}

static void no_bit_of_a_world_depends_on_threads_or_the_number_of_worlds(void **state)
{
    (void)state;
    static const struct {
        const char *path, *law;
    } list[] = {{"quadruped_stands.xml", NULL},
                {"quadruped_stands.xml", "ncp"},
                {"quadruped_stands.xml", "lcp"},
                {"hand_16dof.xml", NULL},
                {"contact/sphere_stack.xml", NULL}};
    for (size_t i = 0; i < sizeof list / sizeof *list; ++i) {
        plan p = make_plan(list[i].path, list[i].law);
        run_alone(&p);
        for (int threads = 1; threads <= 4; threads *= 2) {
            dp_batch *b = batch_of(&p, COUNT, threads);
            run_together(&p, b, COUNT);
            dp_batch_destroy(b);
        }
        dp_batch *few = batch_of(&p, 3, 2);
        run_together(&p, few, 3);
        run_together(&p, few, 3); // nor on what it did before
        dp_batch_destroy(few);
        end_plan(&p);
    }
}

static void a_rollout_makes_the_same_steps(void **state)
{
    (void)state;
    plan p = make_plan("quadruped_stands.xml", NULL);
    run_alone(&p);
    double *states = numbers(COUNT * STEPS * p.nstate);
    double *sensors = numbers(COUNT * STEPS * p.nsensor);
    dp_batch *b = batch_of(&p, COUNT, 2);
    assert_ok(dp_batch_reset_to_states(b, NULL, p.start));
    const dp_batch_rollout_task task = {
        .steps = STEPS, .control = p.control, .states = states, .sensors = sensors};
    assert_ok(dp_batch_rollout(b, NULL, &task));
    assert_memory_equal(states, p.states, COUNT * STEPS * p.nstate * sizeof(double));
    assert_memory_equal(sensors, p.sensors, COUNT * STEPS * p.nsensor * sizeof(double));
    const dp_batch_rollout_task nothing = {.steps = 0};
    assert_ok(dp_batch_rollout(b, NULL, &nothing));
    const dp_batch_rollout_task wrong = {.steps = -1};
    assert_int_equal(dp_batch_rollout(b, NULL, &wrong), DP_ERROR_ARGUMENT);
    assert_int_equal(dp_batch_step(b, -1, NULL), DP_ERROR_ARGUMENT);
    dp_batch_destroy(b);
    free(states);
    free(sensors);
    end_plan(&p);
}

static void a_world_that_fails_keeps_its_state_and_stops_alone(void **state)
{
    (void)state;
    plan p = make_plan("contact/sphere_stack.xml", NULL);
    run_alone(&p);
    for (int threads = 1; threads <= 4; threads += 3) {
        dp_batch *b = batch_of(&p, COUNT, threads);
        const dp_batch_arrays a = dp_batch_arrays_of(b);
        assert_ok(dp_batch_reset_to_states(b, NULL, p.start));
        assert_ok(dp_batch_step(b, 10, NULL));
        const uint64_t before = dp_state_hash(dp_batch_world(b, 3));
        a.force[3 * p.nv] = (double)NAN;
        a.force[5 * p.nv] = (double)INFINITY;
        assert_int_equal(dp_batch_step(b, STEPS - 10, NULL), DP_ERROR_NUMERIC);
        assert_int_equal(strncmp(dp_last_error(), "world 3: ", 9), 0);
        assert_true(dp_state_hash(dp_batch_world(b, 3)) == before);
        for (size_t i = 0; i < COUNT; ++i) {
            const bool fails = i == 3 || i == 5;
            assert_int_equal(a.result[i].status, fails ? DP_ERROR_NUMERIC : DP_OK);
            assert_int_equal(a.result[i].steps, fails ? 0 : STEPS - 10);
        }
        a.force[3 * p.nv] = a.force[5 * p.nv] = 0.0;
        bool mask[COUNT] = {[3] = true, [5] = true};
        assert_ok(dp_batch_step(b, STEPS - 10, mask)); // they catch up
        assert_ok(dp_batch_sense(b, NULL));
        for (size_t i = 0; i < COUNT; ++i) {
            assert_rows(&p, &a, i, STEPS - 1);
        }
        dp_batch_destroy(b);
    }
    end_plan(&p);
}

static void worlds_that_a_mask_leaves_out_stay_as_they_are(void **state)
{
    (void)state;
    plan p = make_plan("quadruped_stands.xml", NULL);
    dp_batch *b = batch_of(&p, COUNT, 2);
    const dp_batch_arrays a = dp_batch_arrays_of(b);
    assert_ok(dp_batch_reset_to_states(b, NULL, p.start));
    assert_ok(dp_batch_step(b, 5, NULL));
    uint64_t hash[COUNT];
    bool odd[COUNT];
    for (int i = 0; i < COUNT; ++i) {
        hash[i] = dp_state_hash(dp_batch_world(b, i));
        odd[i] = i % 2 == 1;
    }
    assert_ok(dp_batch_step(b, 3, odd));
    for (int i = 0; i < COUNT; ++i) {
        assert_int_equal(a.result[i].steps, odd[i] ? 3 : 5);
        assert_true((dp_state_hash(dp_batch_world(b, i)) == hash[i]) == !odd[i]);
    }
    assert_ok(dp_batch_reset(b, odd));
    dp_data *fresh;
    assert_ok(dp_data_create(&fresh, p.x.m, NULL));
    for (int i = 0; i < COUNT; ++i) {
        const uint64_t is = dp_state_hash(dp_batch_world(b, i));
        assert_true(is == (odd[i] ? dp_state_hash(fresh) : hash[i]));
        assert_true(a.time[i] == dp_data_time(dp_batch_world(b, i)));
    }
    dp_data_destroy(fresh);
    dp_batch_destroy(b);
    end_plan(&p);
}

static void a_reset_to_a_keyframe_is_that_of_each_world(void **state)
{
    (void)state;
    mechanism x = standing_scene("humanoid.xml", NULL);
    dp_key_id key;
    assert_ok(dp_model_find_key(&key, x.m, "falling"));
    dp_batch *b;
    assert_ok(dp_batch_create(&b, x.d, 4, 2, NULL));
    assert_ok(dp_batch_step(b, 3, NULL));
    const bool mask[4] = {true, false, true, true};
    assert_ok(dp_batch_reset_to_key(b, mask, key));
    assert_ok(dp_data_reset_to_key(x.d, key));
    for (int i = 0; i < 4; ++i) {
        assert_true((dp_state_hash(dp_batch_world(b, i)) == dp_state_hash(x.d)) == mask[i]);
    }
    const dp_key_id none = {1000};
    assert_int_equal(dp_batch_reset_to_key(b, NULL, none), DP_ERROR_ARGUMENT);
    assert_null(dp_batch_world(b, 4));
    assert_null(dp_batch_world(b, -1));
    dp_batch_destroy(b);
    mechanism_end(&x);
}

static void the_rows_of_a_world_are_its_memory(void **state)
{
    (void)state;
    mechanism x = standing_scene("quadruped_stands.xml", NULL);
    dp_data_control(x.d)[1] = 0.25;
    dp_batch *b;
    assert_ok(dp_batch_create(&b, x.d, 3, 2, NULL));
    const dp_batch_arrays a = dp_batch_arrays_of(b);
    dp_data *d = dp_batch_world(b, 2);
    assert_ptr_equal(dp_data_q(d), a.q + 2 * a.nq);
    assert_ptr_equal(dp_data_v(d), a.v + 2 * a.nv);
    assert_ptr_equal(dp_data_control(d), a.control + 2 * a.nu);
    assert_ptr_equal(dp_data_force(d), a.force + 2 * a.nv);
    assert_ptr_equal(dp_data_wrench(d, DP_WORLD), a.wrench + 2 * a.nbody);
    assert_ptr_equal(dp_data_sensors(d), a.sensors + 2 * a.nsensordata);
    assert_true(a.control[2 * a.nu + 1] == 0.25); // a copy of all of `from`
    dp_batch_destroy(b);
    mechanism_end(&x);
}

typedef struct visit {
    int count[COUNT];
    int fails;
} visit;

static dp_status count_visit(void *context, dp_data *d, int world)
{
    visit *v = context;
    ++v->count[world];
    dp_data_v(d)[0] = world;
    return world == v->fails ? DP_ERROR_CALLBACK : DP_OK;
}

static void the_users_work_is_done_once_in_each_world(void **state)
{
    (void)state;
    plan p = make_plan("hand_16dof.xml", NULL);
    dp_batch *b = batch_of(&p, COUNT, 4);
    const dp_batch_arrays a = dp_batch_arrays_of(b);
    visit v = {.fails = 5};
    assert_int_equal(dp_batch_run(b, NULL, count_visit, &v), DP_ERROR_CALLBACK);
    for (int i = 0; i < COUNT; ++i) {
        assert_int_equal(v.count[i], 1);
        assert_true(a.v[i * a.nv] == i);
        assert_int_equal(a.result[i].status, i == 5 ? DP_ERROR_CALLBACK : DP_OK);
    }
    dp_batch_destroy(b);
    end_plan(&p);
}

// A simulation by itself with the mass that a world has, and the friction that all have.
static uint64_t hash_alone(const plan *p, dp_parameter_id mass, double value,
                           dp_parameter_id friction)
{
    dp_data *d;
    assert_ok(dp_data_create(&d, p->x.m, NULL));
    assert_ok(dp_data_set_parameter(d, friction, 0.3));
    assert_ok(dp_data_set_parameter(d, mass, value));
    for (int k = 0; k < STEPS; ++k) {
        assert_ok(dp_step(d));
    }
    const uint64_t hash = dp_state_hash(d);
    dp_data_destroy(d);
    return hash;
}

static void worlds_may_have_parameters_of_their_own(void **state)
{
    (void)state;
    plan p = make_plan("quadruped_stands.xml", NULL);
    const dp_model_size *n = dp_model_sizes(p.x.m);
    char name[DP_PARAMETER_NAME];
    snprintf(name, sizeof name, "body.%s.mass", dp_model_body(p.x.m, (dp_body_id){1}).name);
    dp_parameter_id mass, friction;
    assert_ok(dp_model_find_parameter(&mass, p.x.m, name));
    int geom = 0;
    while (dp_model_geom(p.x.m, (dp_geom_id){geom}).kind != DP_GEOM_PLANE) {
        ++geom;
    }
    assert_true(geom < n->ngeom);
    snprintf(name, sizeof name, "geom.%d.friction", geom);
    assert_ok(dp_model_find_parameter(&friction, p.x.m, name));
    assert_ok(dp_data_set_parameter(p.x.d, friction, 0.3)); // worlds start with it
    const double before = dp_data_parameter(p.x.d, mass);
    double value[COUNT];
    bool odd[COUNT];
    for (int i = 0; i < COUNT; ++i) {
        value[i] = before * (1.0 + 0.1 * i);
        odd[i] = i % 2 == 1;
    }
    for (int threads = 1; threads <= 4; threads *= 2) {
        dp_batch *b = batch_of(&p, COUNT, threads);
        assert_ok(dp_batch_set_parameters(b, odd, 1, &mass, value));
        assert_ok(dp_batch_step(b, STEPS, NULL));
        for (int i = 0; i < COUNT; ++i) {
            const double is = odd[i] ? value[i] : before;
            assert_true(dp_data_parameter(dp_batch_world(b, i), mass) == is);
            assert_true(dp_state_hash(dp_batch_world(b, i)) == hash_alone(&p, mass, is, friction));
        }
        assert_ok(dp_batch_reset(b, NULL)); // they stay
        assert_true(dp_data_parameter(dp_batch_world(b, 1), mass) == value[1]);
        value[3] = -1.0;
        assert_int_equal(dp_batch_set_parameters(b, odd, 1, &mass, value), DP_ERROR_ARGUMENT);
        assert_int_equal(strncmp(dp_last_error(), "world 3: ", 9), 0);
        value[3] = before * 1.3;
        dp_batch_destroy(b);
    }
    end_plan(&p);
}

static void steps_of_a_batch_allocate_nothing(void **state)
{
    (void)state;
    plan p = make_plan("quadruped_stands.xml", NULL);
    counting_allocator counts = {.fail_at = 0};
    const dp_allocator allocator = counting_allocator_for(&counts);
    dp_batch *b;
    assert_ok(dp_batch_create(&b, p.x.d, 4, 1, &allocator));
    assert_ok(dp_batch_step(b, 20, NULL));
    const size_t before = counts.calls;
    assert_ok(dp_batch_step(b, 20, NULL));
    assert_ok(dp_batch_reset(b, NULL));
    assert_ok(dp_batch_sense(b, NULL));
    assert_int_equal(counts.calls, before);
    dp_batch_destroy(b);
    assert_int_equal(counts.blocks, 0);
    end_plan(&p);
}

static void a_batch_needs_a_world(void **state)
{
    (void)state;
    mechanism x = standing_scene("hand_16dof.xml", NULL);
    dp_batch *b;
    assert_int_equal(dp_batch_create(&b, x.d, 0, 1, NULL), DP_ERROR_ARGUMENT);
    assert_null(b);
    assert_int_equal(dp_batch_create(&b, x.d, 1, 0, NULL), DP_ERROR_ARGUMENT);
    assert_null(b);
    mechanism_end(&x);
}

static void a_lack_of_memory_is_reported_and_leaks_nothing(void **state)
{
    (void)state;
    mechanism x = standing_scene("hand_16dof.xml", NULL);
    int failures = 0;
    for (size_t fail_at = 1;; ++fail_at) {
        counting_allocator counts = {.fail_at = fail_at};
        const dp_allocator allocator = counting_allocator_for(&counts);
        dp_batch *b;
        const dp_status status = dp_batch_create(&b, x.d, 2, 2, &allocator);
        dp_batch_destroy(b);
        assert_int_equal(counts.blocks, 0);
        assert_int_equal(counts.wrong_sizes, 0);
        if (status == DP_OK) {
            break;
        }
        assert_int_equal(status, DP_ERROR_MEMORY);
        ++failures;
    }
    assert_true(failures >= 6);
    mechanism_end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_bit_of_a_world_depends_on_threads_or_the_number_of_worlds),
        cmocka_unit_test(a_rollout_makes_the_same_steps),
        cmocka_unit_test(a_world_that_fails_keeps_its_state_and_stops_alone),
        cmocka_unit_test(worlds_that_a_mask_leaves_out_stay_as_they_are),
        cmocka_unit_test(a_reset_to_a_keyframe_is_that_of_each_world),
        cmocka_unit_test(the_rows_of_a_world_are_its_memory),
        cmocka_unit_test(the_users_work_is_done_once_in_each_world),
        cmocka_unit_test(worlds_may_have_parameters_of_their_own),
        cmocka_unit_test(steps_of_a_batch_allocate_nothing),
        cmocka_unit_test(a_batch_needs_a_world),
        cmocka_unit_test(a_lack_of_memory_is_reported_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
