// The equations of motion against MuJoCo: inertia matrix, bias, passive and actuator forces,
// forward and inverse dynamics.
#include "mujoco_pair.h"

#include <math.h>
#include <stdlib.h>

/// Room for `count` numbers, from calloc.
static double *numbers(int count)
{
    double *x = calloc((size_t)count + 1, sizeof *x);
    assert_non_null(x);
    return x;
}

static void same_mass_matrix(mujoco_pair *p)
{
    const int nv = p->size->nv;
    double *theirs = numbers(nv * nv), *ours = numbers(nv * nv);
    mj_fullM(p->their_m, theirs, p->their->qM);
    assert_int_equal(dp_mass_matrix(ours, p->d), DP_OK);
    assert_agree(p, "inertia matrix", "M", nv * nv, theirs, ours, 0.0);
    free(theirs);
    free(ours);
}

static void inertia_matrices_are_the_same(void **state)
{
    on_every_pair_and_state(state, same_mass_matrix);
}

static void same_bias(mujoco_pair *p)
{
    double *ours = numbers(p->size->nv);
    assert_int_equal(dp_bias_force(ours, p->d), DP_OK);
    assert_agree(p, "bias force", "c", p->size->nv, p->their->qfrc_bias, ours, p->scale.force);
    free(ours);
}

static void bias_forces_are_the_same(void **state)
{
    on_every_pair_and_state(state, same_bias);
}

static void same_passive(mujoco_pair *p)
{
    assert_agree(p, "passive force", "all", p->size->nv, p->their->qfrc_passive,
                 dp_data_passive(p->d), 0.0);
}

static void springs_and_dampers_push_alike(void **state)
{
    on_every_pair_and_state(state, same_passive);
}

static void same_actuation(mujoco_pair *p)
{
    const dp_model_size *n = p->size;
    for (int i = 0; i < n->nactuator; ++i) {
        assert_agree(p, "actuator force", dp_model_actuator(p->m, (dp_actuator_id){i}).name, 1,
                     p->their->actuator_force + p->actuator[i], dp_data_actuator_force(p->d) + i,
                     0.0);
    }
    assert_agree(p, "generalised actuator force", "all", n->nv, p->their->qfrc_actuator,
                 dp_data_actuation(p->d), 0.0);
}

static void actuators_push_alike(void **state)
{
    on_every_pair_and_state(state, same_actuation);
}

static void same_acceleration(mujoco_pair *p)
{
    assert_agree(p, "acceleration", "all", p->size->nv, p->their->qacc, dp_data_acceleration(p->d),
                 0.0);
}

static void forward_dynamics_gives_the_same_acceleration(void **state)
{
    on_every_pair_and_state(state, same_acceleration);
}

/// Jᵀ w of the external wrenches, by MuJoCo.
static void add_wrenches(double *tau, mujoco_pair *p)
{
    for (int b = 1; b < p->their_m->nbody; ++b) {
        const double *w = p->their->xfrc_applied + 6 * b;
        mj_applyFT(p->their_m, p->their, w, w + 3, p->their->xipos + 3 * b, b, tau);
    }
}

static void draw_acceleration(double *a, int n)
{
    random_source r = {(uint64_t)n};
    for (int i = 0; i < n; ++i) {
        a[i] = random_between(&r, -3.0, 3.0);
    }
}

/// MuJoCo's inverse dynamics counts external wrenches among its result; ours takes them as given.
static void same_inverse(mujoco_pair *p)
{
    const int nv = p->size->nv;
    double *a = numbers(nv), *ours = numbers(nv);
    draw_acceleration(a, nv);
    assert_int_equal(dp_inverse_dynamics(ours, p->d, a), DP_OK);
    add_wrenches(ours, p);
    mju_copy(p->their->qacc, a, nv);
    mj_inverse(p->their_m, p->their);
    assert_agree(p, "inverse dynamics", "tau", nv, p->their->qfrc_inverse, ours, p->scale.force);
    free(a);
    free(ours);
}

static void inverse_dynamics_asks_for_the_same_force(void **state)
{
    on_every_pair_and_state(state, same_inverse);
}

/// Two solutions are compared by the forces M x: that of a long chain is ill-conditioned, and x
/// itself is known no better than to cond(M) rounding errors.
static void same_solve(mujoco_pair *p)
{
    const int nv = p->size->nv;
    double *b = numbers(nv), *theirs = numbers(nv), *ours = numbers(nv), *force = numbers(nv);
    draw_acceleration(b, nv);
    mj_solveM(p->their_m, p->their, theirs, b, 1);
    assert_int_equal(dp_mass_solve(ours, p->d, b), DP_OK);

    double *M = numbers(nv * nv), term = 0.0; // the greatest M_ij x_j
    mj_fullM(p->their_m, M, p->their->qM);
    for (int i = 0; i < nv * nv; ++i) {
        term = fmax(term, fabs(M[i] * theirs[i % nv]));
    }
    mj_mulM(p->their_m, p->their, force, ours);
    mj_mulM(p->their_m, p->their, b, theirs);
    assert_agree(p, "solution of M x = b", "M x", nv, b, force, term);
    free(b);
    free(theirs);
    free(ours);
    free(force);
    free(M);
}

static void the_factored_inertia_matrix_solves_alike(void **state)
{
    on_every_pair_and_state(state, same_solve);
}

/// dp_forward_dynamics of τ = generalised + actuator forces is MuJoCo's forward dynamics, too.
static void same_articulated(mujoco_pair *p)
{
    const int nv = p->size->nv;
    double *tau = numbers(nv), *ours = numbers(nv);
    mju_add(tau, p->their->qfrc_applied, p->their->qfrc_actuator, nv);
    assert_int_equal(dp_forward_dynamics(ours, p->d, tau), DP_OK);
    assert_agree(p, "articulated-body acceleration", "all", nv, p->their->qacc, ours, 0.0);
    free(tau);
    free(ours);
}

static void the_articulated_body_algorithm_gives_the_same_acceleration(void **state)
{
    on_every_pair_and_state(state, same_articulated);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inertia_matrices_are_the_same),
        cmocka_unit_test(bias_forces_are_the_same),
        cmocka_unit_test(springs_and_dampers_push_alike),
        cmocka_unit_test(actuators_push_alike),
        cmocka_unit_test(forward_dynamics_gives_the_same_acceleration),
        cmocka_unit_test(inverse_dynamics_asks_for_the_same_force),
        cmocka_unit_test(the_factored_inertia_matrix_solves_alike),
        cmocka_unit_test(the_articulated_body_algorithm_gives_the_same_acceleration),
    };
    return cmocka_run_group_tests(tests, open_all_pairs, close_all_pairs);
}
