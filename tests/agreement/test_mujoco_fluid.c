// Forces of a fluid beside MuJoCo's, by the accelerations that they make.
#include "mujoco_pair.h"

#include <math.h>

// MuJoCo's added masses are a quadrature of 1e-8, ours are exact: its geoms are compared by that.
#define QUADRATURE 1e-8

static void both_models_push_as_mujocos_do(void **state)
{
    (void)state;
    mujoco_pair p;
    pair_open(&p, DP_SOURCE "/tests/agreement/scenes/fluid.xml", NULL);
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        pair_randomise(&p, seed);
        const double *a = dp_data_acceleration(p.d);
        double most = 0.0;
        for (int i = 0; i < p.size->nv; ++i) {
            most = fmax(most, fabs(p.their->qacc[i]));
        }
        for (int i = 0; i < p.size->nv; ++i) {
            assert_near(a[i], p.their->qacc[i], QUADRATURE * most);
        }
    }
    pair_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_models_push_as_mujocos_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
