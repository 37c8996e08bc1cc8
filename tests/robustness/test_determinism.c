// Same input, same bits. The final states of a set of mechanisms are printed as lines "hash NAME
// VALUE"; tools/same_hashes.sh compares those of programs built by different compilers. Threads:
// test_threads.c.
#include "mechanism.h"
#include "random_spec.h"
#include "small_spec.h"

#include <dashpot/expression.h>

#include <stdio.h>
#include <string.h>

enum { SEEDS = 12, STEPS = 200 };
static const dp_integrator INTEGRATORS[] = {DP_INTEGRATOR_SEMI_IMPLICIT, DP_INTEGRATOR_RK4,
                                            DP_INTEGRATOR_RK45};
static const char *const NAMES[] = {"semi-implicit", "rk4", "rk45"};

// The state after STEPS steps, sensors read on the way.
static uint64_t final_hash(mechanism *x, dp_integrator integrator, double step)
{
    dp_data_options(x->d)->integrator = integrator;
    dp_data_options(x->d)->step = step;
    for (int i = 0; i < STEPS; ++i) {
        mechanism_steps(x, 1);
        if (i % 50 == 0) {
            assert_ok(dp_sense(x->d));
        }
    }
    return dp_state_hash(x->d);
}

static uint64_t random_hash(uint64_t seed, int integrator, double step)
{
    random_spec_options o = random_spec_default(seed);
    o.actuators = true;
    o.regular = true;
    mechanism x = mechanism_from(random_spec(&o));
    random_source r = {seed};
    random_state(x.d, &r, 3.0);
    random_inputs(x.d, &r);
    const uint64_t hash = final_hash(&x, INTEGRATORS[integrator], step);
    mechanism_end(&x);
    return hash;
}

static void two_runs_end_in_the_same_bits(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; ++seed) {
        for (int k = 0; k < 3; ++k) {
            const uint64_t hash = random_hash(seed, k, 0.001);
            assert_true(random_hash(seed, k, 0.001) == hash);
            printf("hash random-%d-%s %016llx\n", (int)seed, NAMES[k], (unsigned long long)hash);
        }
        // Long steps: momentum transport and the limit on energy.
        const uint64_t hash = random_hash(seed, 0, 0.05);
        assert_true(random_hash(seed, 0, 0.05) == hash);
        printf("hash random-%d-long-steps %016llx\n", (int)seed, (unsigned long long)hash);
    }
}

static void a_fresh_model_gives_the_bits_of_a_used_one(void **state)
{
    (void)state;
    for (int k = 0; k < 3; ++k) {
        uint64_t hash[2];
        for (int run = 0; run < 2; ++run) {
            dp_spec *spec;
            assert_ok(small_spec_create(&spec, NULL));
            mechanism x = mechanism_from(spec);
            if (run == 1) { // the same data once more, after another life
                final_hash(&x, DP_INTEGRATOR_RK4, 0.01);
                dp_data_reset(x.d);
            }
            dp_data_control(x.d)[0] = 0.3;
            hash[run] = final_hash(&x, INTEGRATORS[k], 0.005);
            mechanism_end(&x);
        }
        assert_true(hash[0] == hash[1]);
        printf("hash small-%s %016llx\n", NAMES[k], (unsigned long long)hash[0]);
    }
}

static uint64_t hash_number(uint64_t hash, double x) // FNV-1a
{
    unsigned char byte[sizeof x];
    memcpy(byte, &x, sizeof x);
    for (size_t i = 0; i < sizeof x; ++i) {
        hash = (hash ^ byte[i]) * 0x100000001b3u;
    }
    return hash;
}

static void an_expression_gives_the_same_bits_when_parsed_again(void **state)
{
    (void)state;
    static const char *const text[] = {
        "sin(t)",       "cos(t)",           "tan(t)",
        "asin(sin(t))", "acos(t/30)",       "atan2(t, 2 - t)",
        "exp(20*t)",    "log(t + 20)",      "sqrt(t + 20)",
        "(t + 20)^t",   "t^7 - t^-3",       "hypot(t, 3)",
        "mod(t, 0.37)", "smooth(t, -9, 9)", "table(t, -5, 1, 0, 0.3, 5, 7)",
    };
    for (size_t i = 0; i < sizeof text / sizeof text[0]; ++i) {
        uint64_t hash[2] = {0, 0};
        for (int run = 0; run < 2; ++run) {
            dp_expression *e;
            assert_ok(dp_expression_parse(&e, text[i], NULL));
            for (int k = -1000; k < 1000; ++k) {
                double x[3];
                assert_ok(dp_expression_eval(e, 0.0173 * k + 1e-3, &x[0], &x[1], &x[2]));
                hash[run] = hash_number(hash_number(hash_number(hash[run], x[0]), x[1]), x[2]);
            }
            dp_expression_destroy(e);
        }
        assert_true(hash[0] == hash[1]);
        printf("hash expression-%d %016llx\n", (int)i, (unsigned long long)hash[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_runs_end_in_the_same_bits),
        cmocka_unit_test(a_fresh_model_gives_the_bits_of_a_used_one),
        cmocka_unit_test(an_expression_gives_the_same_bits_when_parsed_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
