// Runge–Kutta steps against MuJoCo's, and what MuJoCo 2 can only be given as forces: gravity
// compensation.
//
// Only mechanisms without quaternions are stepped: MuJoCo's RK4 adds up angular velocities of
// different stages before it turns a body by them, ours does not (docs/mujoco.md). Nor are those
// with ranges of activations: MuJoCo's stages look beyond them.
#include "mujoco_pair.h"

#include <math.h>
#include <stdio.h>

enum { STEPS = 10, STEPPED_MECHANISMS = 100, COMPENSATED_MECHANISMS = 50 };

static void step_both(mujoco_pair *p)
{
    p->their_m->opt.integrator = mjINT_RK4;
    dp_data_options(p->d)->integrator = DP_INTEGRATOR_RK4;
    pair_randomise(p, 5);
    for (int k = 0; k < STEPS; ++k) {
        mj_step(p->their_m, p->their);
        if (dp_step(p->d) != DP_OK) {
            fail_msg("%s: %s", p->path, dp_last_error());
        }
        const double time = dp_data_time(p->d);
        assert_agree(p, "time", "t", 1, &p->their->time, &time, 0.0);
        assert_agree(p, "positions", "q", p->size->nq, p->their->qpos, dp_data_q(p->d), 0.0);
        assert_agree(p, "velocities", "v", p->size->nv, p->their->qvel, dp_data_v(p->d), 0.0);
        assert_agree(p, "activations", "a", p->size->na, p->their->act, dp_data_activation(p->d),
                     0.0);
    }
}

static void runge_kutta_steps_of_scenes_are_the_same(void **state)
{
    (void)state;
    static const char *const names[] = {"pendulum", "double_pendulum", "cart_pole", "chain_10",
                                        "chain_50", "arm_7dof",        "hand_16dof"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s.xml", DP_SCENES, names[i]);
        mujoco_pair p;
        pair_open(&p, path, NULL);
        step_both(&p);
        pair_close(&p);
    }
}

static bool has_activation_range(const mjModel *m)
{
    for (int u = 0; u < m->nu; ++u) {
        if (m->actuator_actlimited[u]) {
            return true;
        }
    }
    return false;
}

static void runge_kutta_steps_of_random_mechanisms_are_the_same(void **state)
{
    (void)state;
    int stepped = 0;
    for (uint64_t seed = 1; stepped < STEPPED_MECHANISMS; ++seed) {
        random_mechanism_options options = random_mechanism_default(seed);
        options.scalar_joints = true;
        mujoco_pair p;
        pair_open_random(&p, &options, NULL);
        if (!has_activation_range(p.their_m)) {
            step_both(&p);
            ++stepped;
        }
        pair_close(&p);
    }
}

// --- gravity compensation

static double compensation_of(int body)
{
    return 0.25 * (body % 6); // none, some, all, more than all
}

static void compensate(dp_spec *spec)
{
    for (int i = 1; i < dp_spec_body_count(spec); ++i) {
        dp_spec_body(spec, (dp_body_id){i})->gravity_compensation = compensation_of(i);
    }
}

static void gravity_compensation_is_a_force_at_the_centre_of_mass(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= COMPENSATED_MECHANISMS; ++seed) {
        const random_mechanism_options options = random_mechanism_default(seed);
        mujoco_pair p;
        pair_open_random(&p, &options, compensate);
        pair_randomise(&p, seed);
        const mjModel *m = p.their_m;
        for (int i = 1; i < p.size->nbody && !(m->opt.disableflags & mjDSBL_GRAVITY); ++i) {
            const int b = p.body[i];
            mju_addToScl3(p.their->xfrc_applied + 6 * b, m->opt.gravity,
                          -compensation_of(i) * m->body_mass[b]);
        }
        pair_evaluate(&p);
        assert_agree(&p, "acceleration", "all", p.size->nv, p.their->qacc,
                     dp_data_acceleration(p.d), 0.0);
        pair_close(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runge_kutta_steps_of_scenes_are_the_same),
        cmocka_unit_test(runge_kutta_steps_of_random_mechanisms_are_the_same),
        cmocka_unit_test(gravity_compensation_is_a_force_at_the_centre_of_mass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
