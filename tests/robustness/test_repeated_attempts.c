// A part of a step that is made again starts from what the step started from: every part of the
// state, to the bit, whatever the attempt before has left.
#include "mechanism.h"

#include "sim/data.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { MOST = 8, MOST_ROWS = 64, MOST_BLOCKS = 32 };

static void add_filtered_motor(mechanism *x)
{
    dp_actuator_spec motor = dp_actuator_spec_default();
    motor.name = "motor";
    motor.joint = "hinge";
    motor.dynamics = DP_ACTUATOR_DYNAMICS_FILTER;
    motor.time_constant = 0.05;
    motor.gain[0] = 3.0;
    assert_ok(dp_spec_add_actuator(NULL, x->spec, &motor));
}

static void add_connect(mechanism *x, const char *name, const char *body, dp_v3 anchor)
{
    dp_equality_spec e = dp_equality_spec_default();
    e.kind = DP_EQUALITY_CONNECT;
    e.name = name;
    e.object[0] = body;
    e.object[1] = "lower";
    e.anchor = anchor;
    e.bearing = (dp_bearing){1e5, 10.0};
    assert_ok(dp_spec_add_equality(NULL, x->spec, &e));
}

// Two links, the second a free body on a pin, with a motor that has an activation, a hand that is
// moved by the user, and a spring to it that can be switched.
static mechanism linkage(double h)
{
    mechanism x = mechanism_begin();
    dp_spec_options(x.spec)->step = h;
    const dp_body_id upper = mechanism_body(&x, DP_WORLD, "upper", (dp_v3){0.0, 0.0, 0.0}, 1.0,
                                            (dp_v3){0.3, 0.0, 0.0}, (dp_v3){0.01, 0.03, 0.03});
    (void)mechanism_joint(&x, upper, "hinge", DP_JOINT_HINGE, (dp_v3){0.0, 1.0, 0.0});
    const dp_body_id lower = mechanism_body(&x, DP_WORLD, "lower", (dp_v3){0.9, 0.0, 0.0}, 0.5,
                                            (dp_v3){0.0, 0.0, 0.0}, (dp_v3){0.01, 0.02, 0.02});
    (void)mechanism_joint(&x, lower, "free", DP_JOINT_FREE, (dp_v3){0.0, 0.0, 1.0});
    dp_body_spec hand = dp_body_spec_default();
    hand.name = "hand";
    hand.mocap = true;
    hand.pose.p = (dp_v3){1.0, 0.0, 0.0};
    assert_ok(dp_spec_add_body(NULL, x.spec, DP_WORLD, &hand));
    add_connect(&x, "pin", "upper", (dp_v3){0.6, 0.0, 0.0});
    add_connect(&x, "grip", "hand", (dp_v3){0.0, 0.0, 0.0});
    add_filtered_motor(&x);
    mechanism_compile(&x);
    dp_data_control(x.d)[0] = 1.0;
    dp_data_options(x.d)->ledger = true;
    return x;
}

// All that follows the flag are numbers.
static void assert_same_ledger(const dp_ledger *a, const dp_ledger *b)
{
    const size_t first = offsetof(dp_ledger, elastic_before);
    assert_int_equal(a->begun, b->begun);
    assert_memory_equal((const char *)a + first, (const char *)b + first, sizeof *a - first);
}

// ---- the state at the start of an attempt

typedef struct seen {
    double time;
    double q[MOST], v[MOST], activation;
    dp_pose hand;
    uint8_t grip, row;
    int64_t nblock;
    uint64_t id[MOST_BLOCKS];
    double gamma[MOST_ROWS];
    dp_bend bend[MOST_ROWS];
    dp_ledger ledger;
} seen;

static void look(seen *s, const dp_model *m, const dp_data *d)
{
    const dp_impulses *now = &d->rows.now;
    memset(s, 0, sizeof *s);
    s->time = d->time;
    assert_true(m->size.nq <= MOST && m->size.nv <= MOST && m->size.na == 1);
    memcpy(s->q, d->q, (size_t)m->size.nq * sizeof(double));
    memcpy(s->v, d->v, (size_t)m->size.nv * sizeof(double));
    s->activation = d->activation[0];
    s->hand = d->mocap[0];
    s->grip = d->rows.equality_active[1];
    s->row = d->rows.user_active[0];
    s->nblock = now->nblock;
    s->ledger = d->ledger;
    if (now->nblock > 0) {
        const size_t nrow = (size_t)now->row_start[now->nblock];
        assert_true(now->nblock <= MOST_BLOCKS && nrow <= MOST_ROWS);
        memcpy(s->id, now->id, (size_t)now->nblock * sizeof *s->id);
        memcpy(s->gamma, now->gamma, nrow * sizeof(double));
        memcpy(s->bend, now->bend, nrow * sizeof *s->bend);
    }
}

typedef struct watch {
    double start; // of the step
    int attempts; // from there
    int calls;    // in all
    seen first;
    bool rowed, bent; // there were impulses, and gaps that bend
} watch;

// Impulses of the same forces, in times whose ratio is a power of two.
static void assert_same_forces(const double *gamma, const double *other)
{
    double times = 1.0;
    for (int r = 0; r < MOST_ROWS && times == 1.0; ++r) {
        times = other[r] != 0.0 ? gamma[r] / other[r] : 1.0;
    }
    int power = 0;
    assert_true(frexp(times, &power) == 0.5);
    for (int r = 0; r < MOST_ROWS; ++r) {
        assert_true(gamma[r] == times * other[r]);
    }
}

// At the start of each attempt: look. In the first, do mischief to what only callbacks can change.
static dp_status watch_attempts(void *context, dp_data *d)
{
    const dp_model *m = dp_data_model(d);
    watch *w = context;
    seen now;
    look(&now, m, d);
    assert_true(++w->calls < 10000); // a step that does not go back may not end
    if (now.time == w->start) {
        if (w->attempts++ == 0) {
            w->first = now;
        }
        const seen *a = &w->first;
        assert_memory_equal(now.q, a->q, sizeof a->q);
        assert_memory_equal(now.v, a->v, sizeof a->v);
        assert_memory_equal(&now.activation, &a->activation, sizeof a->activation);
        assert_memory_equal(&now.hand, &a->hand, sizeof a->hand);
        assert_int_equal(now.grip, a->grip);
        assert_int_equal(now.row, a->row);
        assert_true(now.nblock == a->nblock);
        assert_memory_equal(now.id, a->id, sizeof a->id);
        assert_same_forces(now.gamma, a->gamma);
        assert_memory_equal(now.bend, a->bend, sizeof a->bend);
        assert_same_ledger(&now.ledger, &a->ledger);
        w->rowed = w->rowed || now.nblock > 0;
        w->bent = w->bent || now.bend[0].difference[DP_BENDS - 1] != 0.0;
    }
    if (now.time == w->start && w->attempts == 1) {
        dp_data_mocap(d, 0)->p.x += 0.01;
        dp_data_set_equality_active(d, (dp_equality_id){1}, !now.grip);
        dp_data_set_row_active(d, 0, !now.row);
    }
    return DP_OK;
}

// A soft spring between the hinge and its place.
static dp_status spring_row(void *context, dp_data *d, bool end, dp_row *row, double *gradient)
{
    const dp_model *m = dp_data_model(d);
    (void)context, (void)m, (void)end;
    row->phi = dp_data_q(d)[0];
    row->k = 5.0;
    gradient[0] = 1.0;
    return DP_OK;
}

static void step_doubling_starts_each_attempt_from_the_same_bits(void **state)
{
    (void)state;
    mechanism x = linkage(0x1p-6);
    dp_data_options(x.d)->accuracy = 1e-3;
    assert_ok(dp_data_add_row(NULL, x.d, spring_row, NULL));
    watch w = {.rowed = false};
    dp_data_set_control_callback(x.d, watch_attempts, &w);
    int rejected = 0;
    for (int n = 0; n < 20; ++n) {
        w.start = dp_data_time(x.d);
        w.attempts = 0;
        mechanism_steps(&x, 1);
        const bool repeated =
            dp_data_report(x.d)->work.rejected > 0;    // the first time from the start
        assert_true(w.attempts >= (repeated ? 6 : 3)); // the whole, the first half and quarter
        rejected += repeated;
    }
    assert_true(rejected > 0); // otherwise parts that are halved were not put to the test
    assert_true(w.rowed && w.bent);
    mechanism_end(&x);
}

// ---- what a repeated attempt leads to

// Of a method of first order, from the ends of one piece, of two and of four.
static double limit_of(double whole, double halves, double quarters)
{
    return (8.0 * quarters - 6.0 * halves + whole) / 3.0;
}

static void normalise(double *quaternion)
{
    double square = 0.0;
    for (int i = 0; i < 4; ++i) {
        square += quaternion[i] * quaternion[i];
    }
    for (int i = 0; i < 4; ++i) {
        quaternion[i] /= sqrt(square);
    }
}

// A step with an accuracy that any part meets ends where the whole, halves and quarters point to,
// each made from the bits that the step began with.
static void an_accurate_step_is_the_limit_of_its_pieces(void **state)
{
    (void)state;
    const double h = 0x1p-6;
    mechanism x = linkage(h);
    dp_data_options(x.d)->accuracy = 1e6;
    dp_data *plain;
    assert_ok(dp_data_create(&plain, x.m, NULL));
    enum { NV = 7, NQ = 8 };
    assert_int_equal(dp_model_sizes(x.m)->nv, NV);
    assert_int_equal(dp_model_sizes(x.m)->nq, NQ);
    double v[3][NV], q[3][NQ], limit[NQ];
    for (int n = 0; n < 30; ++n) {
        for (int i = 0; i < 3; ++i) {
            assert_ok(dp_data_copy(plain, x.d));
            dp_data_options(plain)->step = h / (1 << i);
            dp_data_options(plain)->accuracy = 0.0;
            for (int k = 0; k < 1 << i; ++k) {
                assert_ok(dp_step(plain));
            }
            memcpy(v[i], dp_data_v(plain), sizeof v[i]);
            memcpy(q[i], dp_data_q(plain), sizeof q[i]);
        }
        mechanism_steps(&x, 1);
        for (int k = 0; k < NV; ++k) { // gaps are met to 1e-10 m at the end of pieces of 4 ms
            assert_near(dp_data_v(x.d)[k], limit_of(v[0][k], v[1][k], v[2][k]), 1e-6);
        }
        for (int k = 0; k < NQ; ++k) {
            limit[k] = limit_of(q[0][k], q[1][k], q[2][k]);
        }
        normalise(limit + 4);
        for (int k = 0; k < NQ; ++k) { // over a step of 16 ms
            assert_near(dp_data_q(x.d)[k], limit[k], 2e-8);
        }
    }
    dp_data_destroy(plain);
    mechanism_end(&x);
}

// What is stored, less what the ledger says came from outside or was lost.
static double unexplained(const mechanism *x)
{
    const dp_energy e = dp_data_energy(x->d);
    const dp_ledger *l = dp_data_ledger(x->d);
    const double gained =
        l->applied + l->drives + l->moved - l->damped - l->friction - l->impacts + l->remainder;
    return e.kinetic + e.gravity + e.spring + l->elastic - l->elastic_before - gained;
}

// Nothing of parts that are made again is left in the ledger, nor is the way to the limit left out.
static void the_ledger_balances_over_parts_accepted_and_rejected(void **state)
{
    (void)state;
    for (int i = 0; i < 2; ++i) {
        mechanism x = linkage(0x1p-6);
        dp_data_options(x.d)->accuracy = i == 0 ? 1e-3 : 1e6;
        assert_ok(dp_kinematics(x.d));
        const double before = unexplained(&x);
        int rejected = 0;
        for (int n = 0; n < 30; ++n) {
            mechanism_steps(&x, 1);
            rejected += dp_data_report(x.d)->work.rejected;
            assert_near(unexplained(&x), before, 1e-11); // of some 10 J, over thousands of pieces
        }
        assert_true(i == 0 ? rejected > 0 : rejected == 0);
        assert_true(fabs(dp_data_ledger(x.d)->drives) > 1e-3); // the motor, at least
        mechanism_end(&x);
    }
}

// Holds the lower link in its plane, in parts of up to a length: beyond, it is open wherever the
// step ends.
typedef struct short_row {
    double longest, start; // [s]
} short_row;

static dp_status hold_shortly(void *context, dp_data *d, bool end, dp_row *row, double *gradient)
{
    short_row *own = context;
    own->start = end ? own->start : dp_data_time(d);
    const bool hopeless = end && dp_data_time(d) - own->start > own->longest;
    row->phi = hopeless ? 1.0 : dp_data_q(d)[2];
    gradient[2] = 1.0;
    return DP_OK;
}

// Impulses are kept for the next step, as what their forces do in all of it.
static void a_step_made_in_parts_is_those_parts(void **state)
{
    (void)state;
    const double h = 0x1p-6;
    for (int i = 0; i < 6; ++i) {
        const int parts = 2 << i % 3;
        const double part = h / parts;
        short_row own = {1.5 * part, 0.0}, other = own;
        mechanism x = linkage(h), y = linkage(part);
        if (i >= 3) { // trees in transport look ahead with the kinematics of the state
            dp_data_options(x.d)->large_rotation = dp_data_options(y.d)->large_rotation = 1e-6;
        }
        assert_ok(dp_data_add_row(NULL, x.d, hold_shortly, &own));
        assert_ok(dp_data_add_row(NULL, y.d, hold_shortly, &other));
        for (int n = 0; n < 10; ++n) {
            mechanism_steps(&x, 1);
            mechanism_steps(&y, parts);
            assert_int_equal(dp_data_report(x.d)->work.substeps, parts);
            assert_int_equal(dp_data_report(y.d)->work.substeps, 1);
            dp_impulses_scale(&x.d->rows.now, 1.0 / parts);
            assert_true(dp_state_hash(x.d) == dp_state_hash(y.d));
            dp_impulses_scale(&x.d->rows.now, parts);
            assert_same_ledger(dp_data_ledger(x.d), dp_data_ledger(y.d));
        }
        mechanism_end(&x);
        mechanism_end(&y);
    }
}

// Fails at the start of the last part of a step that is made in parts.
typedef struct last_part {
    short_row row;
    double until; // [s]
} last_part;

static dp_status hold_or_fail(void *context, dp_data *d, bool end, dp_row *row, double *gradient)
{
    last_part *own = context;
    if (!end && dp_data_time(d) >= own->until) {
        return DP_ERROR_ARGUMENT;
    }
    return hold_shortly(&own->row, d, end, row, gradient);
}

static void a_step_that_fails_in_its_last_part_leaves_state_and_impulses(void **state)
{
    (void)state;
    const double h = 0x1p-6;
    for (int parts = 2; parts <= 8; parts *= 2) {
        last_part own = {{1.5 * h / parts, 0.0}, 1e9};
        mechanism x = linkage(h);
        assert_ok(dp_data_add_row(NULL, x.d, hold_or_fail, &own));
        mechanism_steps(&x, 3);
        assert_int_equal(dp_data_report(x.d)->work.substeps, parts);
        const uint64_t before = dp_state_hash(x.d);
        own.until = dp_data_time(x.d) + h - 0.5 * h / parts;
        assert_int_equal(dp_step(x.d), DP_OK); // that is within the last part
        assert_true(dp_state_hash(x.d) != before);
        const uint64_t then = dp_state_hash(x.d);
        own.until = dp_data_time(x.d) + h - 1.5 * h / parts;
        assert_int_not_equal(dp_step(x.d), DP_OK);
        assert_true(dp_state_hash(x.d) == then);
        mechanism_end(&x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(step_doubling_starts_each_attempt_from_the_same_bits),
        cmocka_unit_test(an_accurate_step_is_the_limit_of_its_pieces),
        cmocka_unit_test(the_ledger_balances_over_parts_accepted_and_rejected),
        cmocka_unit_test(a_step_made_in_parts_is_those_parts),
        cmocka_unit_test(a_step_that_fails_in_its_last_part_leaves_state_and_impulses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
