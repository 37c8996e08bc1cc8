// Where energy goes in contacts, against closed forms and the recursion of the step.
#include "contact_scene.h"

#include <math.h>

static const double G = 10.0;

static mechanism begin(contact_stuff floor, double h)
{
    mechanism x = contact_scene_begin(floor, (dp_v3){0.0, 0.0, -G}, h);
    dp_spec_options(x.spec)->ledger = true;
    return x;
}

static double total(const mechanism *x)
{
    return mechanism_energy(x) + dp_data_ledger(x->d)->elastic;
}

// The ledger is a balance: what is there changes by what is entered.
static void assert_balanced(const mechanism *x, double before, double tolerance)
{
    const dp_ledger *l = dp_data_ledger(x->d);
    const double entered =
        l->applied + l->drives + l->moved - l->damped - l->friction - l->impacts + l->remainder;
    assert_near(total(x) - before - l->elastic_before, entered, tolerance);
}

static void a_sliding_box_loses_mu_m_g_times_its_way_to_friction(void **state)
{
    (void)state;
    const double mu[3] = {0.125, 0.25, 0.5}, mass = 2.0;
    for (int i = 0; i < 3; ++i) {
        const contact_stuff stuff = {.mu = mu[i]}; // rigid: it does not tilt
        mechanism x = begin(stuff, 0.01);
        contact_scene_add(&x, "box", DP_GEOM_BOX, 0.1, mass, 0.1, stuff);
        mechanism_compile(&x);
        const double q[7] = {0.0, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0};
        const double v[6] = {0.8, 0.6, 0.0, 0.0, 0.0, 0.0};
        mechanism_set(&x, q, v);
        const double before = mechanism_energy(&x);
        mechanism_steps(&x, 200); // it stands by then
        const dp_ledger *l = dp_data_ledger(x.d);
        const double way = hypot(dp_data_q(x.d)[0], dp_data_q(x.d)[1]);
        assert_true(way > 0.05);
        assert_near(l->friction, mu[i] * mass * G * way, 1e-9);
        assert_near(l->contact_friction, l->friction, 0.0);
        assert_near(l->damped, 0.0, 1e-12);
        assert_near(l->moved, 0.0, 1e-12);
        // ½ m Σ (Δv)² is the method's, which brakes a little too early.
        assert_near(l->friction - l->remainder - 0.5 * mass, 0.0, 1e-9);
        assert_true(l->remainder < 0.0);
        assert_balanced(&x, before, 1e-9);
        mechanism_end(&x);
    }
}

// v₁ = v − g h + γ/m with γ = max(0, −h k (z + h v₁)).
static void a_ball_on_an_undamped_spring_loses_what_the_implicit_step_does(void **state)
{
    (void)state;
    const double h = 1e-3, k = 1e4, m = 2.0, r = 0.1;
    const contact_stuff stuff = {.mu = 0.5, .stiffness = k};
    mechanism x = begin((contact_stuff){.mu = 0.5}, h);
    contact_scene_add(&x, "ball", DP_GEOM_SPHERE, r, m, r + 0.2, stuff);
    mechanism_compile(&x);
    const double before = mechanism_energy(&x);
    double z = 0.2, v = 0.0;
    int touching = 0;
    for (int step = 0; step < 2000; ++step) {
        v -= G * h;
        if (z + h * v < 0.0) {
            v = (m * v - h * k * z) / (m + h * h * k);
            ++touching;
        }
        z += h * v;
        mechanism_steps(&x, 1);
    }
    assert_true(touching > 50);
    assert_near(dp_data_q(x.d)[2] - r, z, 1e-9);
    const double elastic = z < 0.0 ? 0.5 * k * z * z : 0.0;
    const double after = 0.5 * m * v * v + m * G * (z + r) + elastic;
    const dp_ledger *l = dp_data_ledger(x.d);
    assert_near(l->remainder, after - before, 1e-8);
    assert_true(l->remainder < -0.01);
    assert_near(l->contact, elastic, 1e-9);
    assert_near(fabs(l->damped) + fabs(l->friction) + fabs(l->impacts) + fabs(l->moved), 0.0,
                1e-12);
    mechanism_end(&x);
}

static void a_box_at_rest_has_half_its_weight_squared_over_k_in_its_springs(void **state)
{
    (void)state;
    const contact_stuff stuff = {.mu = 0.5, .stiffness = 1e4, .damping = 200.0};
    mechanism x = begin((contact_stuff){.mu = 0.5}, 0.01);
    contact_scene_add(&x, "box", DP_GEOM_BOX, 0.1, 2.0, 0.1, stuff);
    mechanism_compile(&x);
    const double before = mechanism_energy(&x);
    mechanism_steps(&x, 1000);
    const dp_ledger *l = dp_data_ledger(x.d);
    assert_near(l->contact, 0.5 * 20.0 * 20.0 / 1e4, 1e-9);
    assert_near(l->elastic, l->contact, 0.0);
    assert_true(l->contact_damped > 0.0);
    assert_near(l->damped, l->contact_damped, 0.0);
    assert_true(l->remainder <= 1e-12);
    assert_balanced(&x, before, 1e-9);
    mechanism_end(&x);
}

static void a_rigid_floor_takes_the_kinetic_energy_as_an_impact(void **state)
{
    (void)state;
    const contact_stuff stuff = {.mu = 0.5};
    mechanism x = begin(stuff, 1e-3);
    contact_scene_add(&x, "ball", DP_GEOM_SPHERE, 0.1, 2.0, 0.3, stuff);
    mechanism_compile(&x);
    const double before = mechanism_energy(&x);
    mechanism_steps(&x, 500);
    const dp_ledger *l = dp_data_ledger(x.d);
    // It falls 0.2 m; where in a step it lands is off by up to h v, 0.2 %.
    assert_near(l->impacts - l->remainder, 2.0 * G * 0.2, 1e-9);
    assert_near(l->impacts, 2.0 * G * 0.2, 0.01 * 2.0 * G * 0.2);
    assert_balanced(&x, before, 1e-9);
    mechanism_end(&x);
}

// A belt pulls a box from rest to its own speed: it gives μ m g times its own way.
static void a_belt_gives_what_friction_takes_and_the_box_gets(void **state)
{
    (void)state;
    const double mu = 0.5, mass = 2.0, speed = 1.0, h = 1e-3;
    const contact_stuff stuff = {.mu = mu};
    mechanism x = begin(stuff, h);
    dp_geom_spec *floor = dp_spec_geom(x.spec, (dp_geom_id){0});
    floor->contact.material.surface_velocity = (dp_v3){speed, 0.0, 0.0};
    contact_scene_add(&x, "box", DP_GEOM_BOX, 0.1, mass, 0.1, stuff);
    mechanism_compile(&x);
    const double before = mechanism_energy(&x);
    mechanism_steps(&x, 100); // half of the time that it takes to be as fast
    const dp_ledger *l = dp_data_ledger(x.d);
    const double v = mu * G * 0.1, way = dp_data_q(x.d)[0];
    assert_near(dp_data_v(x.d)[0], v, 1e-9);
    assert_near(l->moved, mu * mass * G * speed * 0.1, 1e-9);
    assert_near(l->friction, mu * mass * G * (speed * 0.1 - way), 1e-9);
    assert_balanced(&x, before, 1e-9);
    mechanism_steps(&x, 400);
    assert_near(dp_data_v(x.d)[0], speed, 1e-9);
    const double lost = l->friction;
    mechanism_steps(&x, 100); // it rides
    assert_near(l->friction, lost, 1e-9);
    mechanism_end(&x);
}

// Hertz and Hunt–Crossley: the elastic energy is (2/5) k δ^{5/2} at rest, and what the bracket
// takes is damped.
static void a_round_ball_has_the_energy_of_hertz(void **state)
{
    (void)state;
    const double E = 1e6, r = 0.1, weight = 20.0;
    mechanism x = begin((contact_stuff){.mu = 0.5}, 1e-3);
    contact_scene_add(&x, "ball", DP_GEOM_SPHERE, r, 2.0, r, (contact_stuff){.mu = 0.5});
    dp_material *of[2];
    for (int i = 0; i < 2; ++i) {
        of[i] = &dp_spec_geom(x.spec, (dp_geom_id){i})->contact.material;
        of[i]->youngs_modulus = E;
        of[i]->poisson = 0.0;
        of[i]->dissipation = 5.0;
    }
    mechanism_compile(&x);
    const double before = mechanism_energy(&x);
    mechanism_steps(&x, 8000);
    const dp_ledger *l = dp_data_ledger(x.d);
    const double k = 4.0 / 3.0 * (0.5 * E) * sqrt(r); // E* of two alike with ν = 0 is E/2
    const double depth = cbrt(weight / k) * cbrt(weight / k);
    assert_near(dp_data_contact(x.d, 0).stiffness, k, 1e-9 * k);
    assert_int_equal(dp_data_contact(x.d, 0).law.kind, DP_NORMAL_HERTZ);
    assert_near(r - dp_data_q(x.d)[2], depth, 1e-9);
    assert_near(l->contact, 0.4 * k * depth * depth * sqrt(depth), 1e-8);
    assert_true(l->contact_damped > 0.0);
    assert_true(l->remainder <= 1e-12);
    assert_balanced(&x, before, 1e-9);
    mechanism_end(&x);
}

// Tumbling boxes: turning makes the remainder first order in the step, and nothing is hidden in
// works that nobody did.
static void what_turning_costs_is_in_the_remainder(void **state)
{
    (void)state;
    const contact_stuff stuff = {.mu = 0.5, .stiffness = 1e6, .damping = 500.0};
    mechanism x = begin((contact_stuff){.mu = 0.5}, 1e-3);
    contact_scene_add(&x, "box", DP_GEOM_BOX, 0.1, 2.0, 0.4, stuff);
    mechanism_compile(&x);
    const double q[7] = {0.0, 0.0, 0.4, 0.9, 0.3, -0.2, 0.1};
    const double v[6] = {1.0, 0.0, -1.0, 3.0, 2.0, -1.0};
    mechanism_set(&x, q, v);
    const double before = mechanism_energy(&x);
    mechanism_steps(&x, 1500);
    const dp_ledger *l = dp_data_ledger(x.d);
    assert_near(l->moved, 0.0, 1e-12);
    assert_true(l->friction > 0.0 && l->contact_damped > 0.0);
    assert_balanced(&x, before, 1e-9);
    mechanism_end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sliding_box_loses_mu_m_g_times_its_way_to_friction),
        cmocka_unit_test(a_ball_on_an_undamped_spring_loses_what_the_implicit_step_does),
        cmocka_unit_test(a_box_at_rest_has_half_its_weight_squared_over_k_in_its_springs),
        cmocka_unit_test(a_rigid_floor_takes_the_kinetic_energy_as_an_impact),
        cmocka_unit_test(a_belt_gives_what_friction_takes_and_the_box_gets),
        cmocka_unit_test(a_round_ball_has_the_energy_of_hertz),
        cmocka_unit_test(what_turning_costs_is_in_the_remainder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
