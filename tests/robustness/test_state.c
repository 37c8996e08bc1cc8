// The state as bytes: what is saved can be restored, hashed and resumed; what does not belong is
// refused.
#include "base/checksum.h"
#include "mechanism.h"
#include "random_spec.h"
#include "small_spec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const dp_integrator INTEGRATORS[] = {DP_INTEGRATOR_SEMI_IMPLICIT, DP_INTEGRATOR_RK4,
                                            DP_INTEGRATOR_RK45};

static mechanism random_mechanism_at(uint64_t seed, double speed)
{
    random_spec_options o = random_spec_default(seed);
    o.actuators = true;
    o.regular = true;
    mechanism x = mechanism_from(random_spec(&o));
    random_source r = {seed + 1};
    random_state(x.d, &r, speed);
    random_inputs(x.d, &r);
    return x;
}

static mechanism small_mechanism(void)
{
    dp_spec *spec;
    assert_ok(small_spec_create(&spec, NULL));
    return mechanism_from(spec);
}

static void resuming_from_a_saved_state_reproduces_the_same_bits(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 30; ++seed) {
        for (size_t k = 0; k < 3; ++k) {
            mechanism x = random_mechanism_at(seed, 2.0), y = random_mechanism_at(seed, 2.0);
            dp_data_options(x.d)->integrator = dp_data_options(y.d)->integrator = INTEGRATORS[k];
            const bool transport = INTEGRATORS[k] == DP_INTEGRATOR_SEMI_IMPLICIT && seed % 2;
            dp_data_options(x.d)->step = dp_data_options(y.d)->step = transport ? 0.05 : 0.001;
            const size_t bytes = dp_state_bytes(x.d);
            void *saved = malloc(bytes);
            mechanism_steps(&x, 20);
            assert_ok(dp_state_save(saved, bytes, x.d));
            const uint64_t at_save = dp_state_hash(x.d);
            mechanism_steps(&x, 20);

            // In another simulation that has been elsewhere.
            mechanism_steps(&y, 3);
            assert_ok(dp_state_restore(y.d, saved, bytes));
            assert_true(dp_state_hash(y.d) == at_save);
            mechanism_steps(&y, 20);
            assert_true(dp_state_hash(y.d) == dp_state_hash(x.d));

            // And in itself.
            assert_ok(dp_state_restore(x.d, saved, bytes));
            mechanism_steps(&x, 20);
            assert_true(dp_state_hash(x.d) == dp_state_hash(y.d));
            free(saved);
            mechanism_end(&x);
            mechanism_end(&y);
        }
    }
}

static void a_copy_goes_on_as_the_original_does(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 30; ++seed) {
        mechanism x = random_mechanism_at(seed, 2.0);
        dp_data *copy;
        assert_ok(dp_data_create(&copy, x.m, NULL));
        dp_data_options(x.d)->step = 0.003;
        dp_data_options(x.d)->gravity.x = 1.0;
        mechanism_steps(&x, 10);
        assert_ok(dp_data_copy(copy, x.d));
        assert_true(dp_state_hash(copy) == dp_state_hash(x.d));
        assert_near(dp_data_options(copy)->gravity.x, 1.0, 0.0);
        mechanism_steps(&x, 10);
        for (int i = 0; i < 10; ++i) {
            assert_ok(dp_step(copy));
        }
        assert_true(dp_state_hash(copy) == dp_state_hash(x.d)); // inputs and options came along
        dp_data_destroy(copy);
        mechanism_end(&x);
    }
    mechanism x = small_mechanism(), y = small_mechanism();
    assert_int_equal(dp_data_copy(x.d, y.d), DP_ERROR_ARGUMENT); // alike, but not the same model
    assert_ok(dp_data_copy(x.d, x.d));
    mechanism_end(&x);
    mechanism_end(&y);
}

static void every_part_of_the_state_counts_in_the_hash(void **state)
{
    (void)state;
    mechanism x = small_mechanism();
    const uint64_t start = dp_state_hash(x.d);
    double *part[] = {&dp_data_q(x.d)[0],          &dp_data_q(x.d)[8],
                      &dp_data_v(x.d)[0],          &dp_data_v(x.d)[7],
                      &dp_data_activation(x.d)[0], &dp_data_mocap(x.d, 0)->p.z,
                      &dp_data_mocap(x.d, 0)->q.y};
    for (size_t i = 0; i < sizeof part / sizeof *part; ++i) {
        const double was = *part[i];
        *part[i] = nextafter(was, INFINITY);
        assert_true(dp_state_hash(x.d) != start);
        *part[i] = was;
        assert_true(dp_state_hash(x.d) == start);
    }
    dp_data_set_time(x.d, 1e-300);
    assert_true(dp_state_hash(x.d) != start);
    dp_data_set_time(x.d, 0.0);
    dp_data_control(x.d)[0] = 1.0; // an input is not the state
    dp_data_force(x.d)[0] = 1.0;
    assert_true(dp_state_hash(x.d) == start);
    mechanism_end(&x);
}

// Behind a saved state's format: its checksum, of all that follows.
enum { CHECKSUM = 8, MODEL = 16, TIME = 24, COUNTS = 32, NUMBERS = 72 };

// The checksum of bytes that were changed on purpose: what else is wrong is then seen.
static void seal(char *saved, size_t bytes)
{
    const uint64_t sum = dp_checksum64(saved + MODEL, bytes - MODEL);
    memcpy(saved + CHECKSUM, &sum, sizeof sum);
}

// Refused, and nothing has changed.
static void assert_refused(mechanism *x, const void *saved, size_t bytes, dp_status status,
                           const char *text)
{
    const uint64_t before = dp_state_hash(x->d);
    assert_int_equal(dp_state_restore(x->d, saved, bytes), status);
    assert_non_null(strstr(dp_last_error(), text));
    assert_true(dp_state_hash(x->d) == before);
}

static void what_is_no_state_of_this_model_is_refused(void **state)
{
    (void)state;
    mechanism x = small_mechanism(), other = random_mechanism_at(3, 1.0);
    const size_t bytes = dp_state_bytes(x.d), other_bytes = dp_state_bytes(other.d);
    char *saved = calloc(bytes + 1, 1), *of_other = malloc(other_bytes);
    assert_ok(dp_state_save(saved, bytes, x.d));
    assert_ok(dp_state_save(of_other, other_bytes, other.d));
    mechanism_steps(&x, 1);

    assert_refused(&x, saved, bytes - 1, DP_ERROR_ARGUMENT, "bytes");
    assert_refused(&x, saved, bytes + 1, DP_ERROR_ARGUMENT, "bytes");
    assert_refused(&x, saved, 0, DP_ERROR_ARGUMENT, "bytes");
    assert_refused(&x, of_other, other_bytes, DP_ERROR_ARGUMENT, "");

    saved[0] ^= 1; // the format
    assert_refused(&x, saved, bytes, DP_ERROR_ARGUMENT, "version");
    saved[0] ^= 1;
    saved[MODEL + 1] ^= 1;
    seal(saved, bytes);
    assert_refused(&x, saved, bytes, DP_ERROR_ARGUMENT, "another model");
    saved[MODEL + 1] ^= 1;
    const int64_t count = -1;
    for (size_t at = COUNTS; at <= COUNTS + 8; at += 8) { // of impulses, and of rows that bend
        memcpy(saved + at, &count, sizeof count);
        seal(saved, bytes);
        assert_refused(&x, saved, bytes, DP_ERROR_ARGUMENT, "another model");
        memset(saved + at, 0, sizeof count);
    }
    const double bad = NAN;
    const dp_model_size *n = dp_model_sizes(x.m);
    const size_t numbers = (size_t)(n->nq + n->nv + n->na + 7 * n->nmocap);
    for (size_t i = 0; i <= numbers; ++i) { // the time, and all numbers after that count
        const size_t at = i == 0 ? TIME : NUMBERS + (i - 1) * sizeof bad;
        char good[sizeof bad];
        memcpy(good, saved + at, sizeof bad);
        memcpy(saved + at, &bad, sizeof bad);
        seal(saved, bytes);
        assert_refused(&x, saved, bytes, DP_ERROR_NUMERIC, "not finite");
        memcpy(saved + at, good, sizeof bad);
    }
    seal(saved, bytes);
    assert_ok(dp_state_restore(x.d, saved, bytes));

    memset(saved, 0x5a, bytes);
    assert_int_equal(dp_state_save(saved, bytes - 1, x.d), DP_ERROR_CAPACITY);
    assert_non_null(strstr(dp_last_error(), "needed"));
    for (size_t i = 0; i < bytes; ++i) {
        assert_int_equal(saved[i], 0x5a); // nothing was written
    }
    free(saved);
    free(of_other);
    mechanism_end(&x);
    mechanism_end(&other);
}

// Models of the same sizes but another topology.
static void a_state_with_any_bit_flipped_is_refused(void **state)
{
    (void)state;
    mechanism x = small_mechanism();
    mechanism_steps(&x, 3);
    const size_t bytes = dp_state_bytes(x.d);
    char *saved = malloc(bytes);
    assert_ok(dp_state_save(saved, bytes, x.d));
    mechanism_steps(&x, 1);
    for (size_t i = 0; i < 8 * bytes; ++i) {
        saved[i / 8] ^= (char)(1u << i % 8);
        const char *text = i < 56 ? "not a saved state" : i < 64 ? "version" : "damaged";
        assert_refused(&x, saved, bytes, DP_ERROR_ARGUMENT, text);
        saved[i / 8] ^= (char)(1u << i % 8);
    }
    // The signs of two numbers at once: what sums of whole words without a shift would miss.
    for (size_t i = NUMBERS; i + 16 <= bytes; i += 8) {
        saved[i + 7] ^= (char)0x80;
        saved[i + 15] ^= (char)0x80;
        assert_refused(&x, saved, bytes, DP_ERROR_ARGUMENT, "damaged");
        saved[i + 7] ^= (char)0x80;
        saved[i + 15] ^= (char)0x80;
    }
    assert_ok(dp_state_restore(x.d, saved, bytes));
    free(saved);
    mechanism_end(&x);
}

static void a_state_of_the_version_before_is_refused_by_name(void **state)
{
    (void)state;
    mechanism x = small_mechanism();
    const size_t bytes = dp_state_bytes(x.d);
    char *saved = malloc(bytes);
    assert_ok(dp_state_save(saved, bytes, x.d));
    saved[7] = '8';
    assert_refused(&x, saved, bytes, DP_ERROR_ARGUMENT, "version '8' of the format (expected 9");
    free(saved);
    mechanism_end(&x);
}

static void a_state_of_a_model_with_equal_sizes_is_refused(void **state)
{
    (void)state;
    mechanism x[2];
    for (int k = 0; k < 2; ++k) {
        x[k] = mechanism_begin();
        const dp_v3 zero = {0.0, 0.0, 0.0}, ones = {1.0, 1.0, 1.0};
        const dp_body_id a = mechanism_body(&x[k], DP_WORLD, "a", zero, 1.0, zero, ones);
        const dp_body_id b = mechanism_body(&x[k], DP_WORLD, "b", zero, 1.0, zero, ones);
        const dp_body_id c = mechanism_body(&x[k], k ? a : b, "c", zero, 1.0, zero, ones);
        mechanism_joint(&x[k], a, "one", DP_JOINT_HINGE, (dp_v3){0.0, 0.0, 1.0});
        mechanism_joint(&x[k], b, "two", DP_JOINT_HINGE, (dp_v3){0.0, 1.0, 0.0});
        mechanism_joint(&x[k], c, "three", DP_JOINT_HINGE, (dp_v3){1.0, 0.0, 0.0});
        mechanism_compile(&x[k]);
    }
    char saved[1024];
    const size_t bytes = dp_state_bytes(x[0].d);
    assert_true(bytes == dp_state_bytes(x[1].d) && bytes <= sizeof saved);
    assert_ok(dp_state_save(saved, bytes, x[0].d));
    assert_refused(&x[1], saved, bytes, DP_ERROR_ARGUMENT, "another model");
    mechanism_end(&x[0]);
    mechanism_end(&x[1]);
}

static void reset_and_keyframes_return_to_their_states(void **state)
{
    (void)state;
    mechanism x = small_mechanism();
    const uint64_t fresh = dp_state_hash(x.d);
    dp_data_control(x.d)[0] = 3.0;
    mechanism_steps(&x, 5);
    assert_true(dp_state_hash(x.d) != fresh);
    dp_data_reset(x.d);
    assert_true(dp_state_hash(x.d) == fresh);
    assert_near(dp_data_control(x.d)[0], 0.0, 0.0);

    dp_key_id home;
    assert_ok(dp_model_find_key(&home, x.m, "home"));
    assert_ok(dp_data_reset_to_key(x.d, home));
    assert_near(dp_data_time(x.d), 1.5, 0.0);
    assert_near(dp_data_q(x.d)[1], 0.2, 0.0);
    assert_near(dp_data_q(x.d)[5], 1.0, 0.0); // the key says 2 0 0 0: normalised
    assert_near(dp_data_control(x.d)[1], -0.5, 0.0);
    const uint64_t at_home = dp_state_hash(x.d);
    assert_int_equal(dp_data_reset_to_key(x.d, (dp_key_id){1}), DP_ERROR_ARGUMENT);
    assert_int_equal(dp_data_reset_to_key(x.d, (dp_key_id){-1}), DP_ERROR_ARGUMENT);
    assert_true(dp_state_hash(x.d) == at_home);
    mechanism_end(&x);
}

// Looking changes nothing: not the state, not the motion that follows.
static void looking_does_not_change_the_motion(void **state)
{
    (void)state;
    for (size_t k = 0; k < 3; ++k) {
        mechanism x = random_mechanism_at(11, 2.0), y = random_mechanism_at(11, 2.0);
        dp_data_options(x.d)->integrator = dp_data_options(y.d)->integrator = INTEGRATORS[k];
        double M[64 * 64], tau[64], a[64] = {0.0};
        assert_true(dp_model_sizes(x.m)->nv <= 64);
        for (int i = 0; i < 20; ++i) {
            mechanism_steps(&x, 1);
            mechanism_steps(&y, 1);
            const uint64_t before = dp_state_hash(y.d);
            assert_ok(dp_sense(y.d));
            assert_ok(dp_mass_matrix(M, y.d));
            assert_ok(dp_bias_force(tau, y.d));
            assert_ok(dp_inverse_dynamics(tau, y.d, a));
            assert_ok(dp_kinematics(y.d));
            assert_true(dp_state_hash(y.d) == before);
        }
        assert_true(dp_state_hash(x.d) == dp_state_hash(y.d));
        mechanism_end(&x);
        mechanism_end(&y);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resuming_from_a_saved_state_reproduces_the_same_bits),
        cmocka_unit_test(a_copy_goes_on_as_the_original_does),
        cmocka_unit_test(every_part_of_the_state_counts_in_the_hash),
        cmocka_unit_test(what_is_no_state_of_this_model_is_refused),
        cmocka_unit_test(a_state_with_any_bit_flipped_is_refused),
        cmocka_unit_test(a_state_of_the_version_before_is_refused_by_name),
        cmocka_unit_test(a_state_of_a_model_with_equal_sizes_is_refused),
        cmocka_unit_test(reset_and_keyframes_return_to_their_states),
        cmocka_unit_test(looking_does_not_change_the_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
