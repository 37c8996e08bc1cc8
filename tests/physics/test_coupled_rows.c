// One-sided rows that couple, through the step: the law λ = max(0, …) of every row.
#include "mechanism.h"

#include <math.h>

// A row that is linear in q: φ = phi + Σ g q, one-sided.
typedef struct flat_row {
    double phi, gradient[2], k;
} flat_row;

static dp_status evaluate(void *context, dp_data *d, bool end, dp_row *row, double *gradient)
{
    const dp_model *m = dp_data_model(d);
    (void)m, (void)end;
    const flat_row *flat = context;
    const double *q = dp_data_q(d);
    row->phi = flat->phi + flat->gradient[0] * q[0] + flat->gradient[1] * q[1];
    row->k = flat->k;
    row->lo = 0.0;
    gradient[0] = flat->gradient[0];
    gradient[1] = flat->gradient[1];
    return DP_OK;
}

// Two bodies of mass 1 on slides, or one that also turns about y.
static mechanism two_coordinates(bool turns, double moment, double h)
{
    mechanism x = mechanism_begin();
    dp_spec_options(x.spec)->step = h;
    dp_spec_options(x.spec)->gravity = (dp_v3){0.0, 0.0, turns ? -9.81 : 0.0};
    const dp_body_id body = mechanism_body(&x, DP_WORLD, "body", (dp_v3){0.0, 0.0, 0.0}, 1.0,
                                           (dp_v3){0.0, 0.0, 0.0}, (dp_v3){moment, moment, moment});
    (void)mechanism_joint(&x, body, "up", DP_JOINT_SLIDE, (dp_v3){0.0, 0.0, 1.0});
    (void)mechanism_joint(&x, body, "other", turns ? DP_JOINT_HINGE : DP_JOINT_SLIDE,
                          (dp_v3){turns ? 0.0 : 1.0, turns ? -1.0 : 0.0, 0.0});
    mechanism_compile(&x);
    return x;
}

static void row_forces(double force[2], const mechanism *x)
{
    assert_int_equal(dp_data_row_count(x->d), 2);
    force[0] = dp_data_row(x->d, 0).force;
    force[1] = dp_data_row(x->d, 1).force;
}

// A = [[1, .9], [.9, 1]], b = (1, .5): the law is (1, 0).
static void coupled_rows_obey_the_law(void **state)
{
    (void)state;
    double gamma[2];
    const double h = 1e-3, along = 0.9, across = sqrt(1.0 - along * along);
    mechanism x = two_coordinates(false, 1.0, h);
    flat_row rows[2] = {{0.0, {1.0, 0.0}, INFINITY}, {0.0, {along, across}, INFINITY}};
    assert_ok(dp_data_add_row(NULL, x.d, evaluate, &rows[0]));
    assert_ok(dp_data_add_row(NULL, x.d, evaluate, &rows[1]));
    double *v = dp_data_v(x.d); // G v = −b
    v[0] = -1.0;
    v[1] = (-0.5 + along) / across;
    mechanism_steps(&x, 1);
    row_forces(gamma, &x);
    gamma[0] *= h;
    gamma[1] *= h;
    // Nothing penetrates, and no row that opens has an impulse.
    const double u[2] = {v[0], along * v[0] + across * v[1]};
    assert_true(u[0] >= -1e-12 && u[1] >= -1e-12);
    assert_near(gamma[0] * u[0] + gamma[1] * u[1], 0.0, 1e-12);
    assert_near(gamma[0], 1.0, 1e-12);
    assert_near(gamma[1], 0.0, 1e-12);
    mechanism_end(&x);
}

// A rod on a foot under its centre, at rest on the foot's spring, that touches the ground with a
// second foot which carries nothing.
static void a_rod_on_two_feet_stays_at_rest(void **state)
{
    (void)state;
    const double h = 0.01, k = 1e7, weight = 9.81, arm = 0.4;
    mechanism x = two_coordinates(true, 0.1, h);
    flat_row feet[2] = {{-weight / k, {1.0, 0.0}, k}, {0.0, {1.0, arm}, k}};
    assert_ok(dp_data_add_row(NULL, x.d, evaluate, &feet[0]));
    assert_ok(dp_data_add_row(NULL, x.d, evaluate, &feet[1]));
    mechanism_steps(&x, 1);
    double force[2];
    row_forces(force, &x);
    const double spin = dp_data_v(x.d)[1];
    mechanism_end(&x);
    print_message("law (%.6f, %.6f) N, ω %.2e rad/s\n", force[0], force[1], spin);
    assert_near(force[0], 9.81, 1e-9);
    assert_near(force[1], 0.0, 1e-9);
    assert_near(spin, 0.0, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coupled_rows_obey_the_law),
        cmocka_unit_test(a_rod_on_two_feet_stays_at_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
