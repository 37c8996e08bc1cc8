// What the numbers of two geoms make together.
#include "mechanism.h"
#include "model/combine_materials.h"

#include <math.h>

#define INF ((double)INFINITY)

typedef struct two {
    mechanism x;
    dp_geom_spec geom[2]; // of bodies of 2 kg and 3 kg
    dp_pair_spec pair;
    bool paired;
} two;

static two two_balls(void)
{
    two t = {.x = mechanism_begin(), .geom = {dp_geom_spec_default(), dp_geom_spec_default()}};
    t.pair = dp_pair_spec_default();
    for (int i = 0; i < 2; ++i) {
        t.geom[i].kind = DP_GEOM_SPHERE;
        t.geom[i].size[0] = 0.1;
        t.geom[i].name = i == 0 ? "a" : "b";
        t.pair.geom[i] = t.geom[i].name;
    }
    return t;
}

static dp_touch_law mixed(two *t)
{
    for (int i = 0; i < 2; ++i) {
        const dp_body_id body =
            mechanism_body(&t->x, DP_WORLD, i == 0 ? "A" : "B", (dp_v3){i, 0.0, 0.0}, 2.0 + i,
                           (dp_v3){0.0, 0.0, 0.0}, (dp_v3){1.0, 1.0, 1.0});
        mechanism_joint(&t->x, body, i == 0 ? "ja" : "jb", DP_JOINT_FREE, (dp_v3){0.0, 0.0, 1.0});
        assert_ok(dp_spec_add_geom(NULL, t->x.spec, body, &t->geom[i]));
    }
    if (t->paired) {
        assert_ok(dp_spec_add_pair(NULL, t->x.spec, &t->pair));
    }
    mechanism_compile(&t->x);
    dp_touch_law law;
    dp_combine(&law, t->x.m, 0, 1, t->paired ? 0 : -1);
    mechanism_end(&t->x);
    return law;
}

static dp_material *material(two *t, int i)
{
    t->geom[i].contact.material_given = true;
    return &t->geom[i].contact.material;
}

static void geoms_that_say_nothing_have_the_default_material(void **state)
{
    (void)state;
    two t = two_balls();
    const dp_touch_law law = mixed(&t);
    assert_near(law.stiffness, 1e7, 1e-9);
    assert_near(law.damping, 1e4, 1e-9);
    assert_int_equal(law.normal.kind, DP_NORMAL_SPRING);
    assert_int_equal(law.condim, 3);
    assert_true(law.restitution < 0.0 && law.modulus == 0.0);
}

static void springs_act_in_series(void **state)
{
    (void)state;
    two t = two_balls();
    material(&t, 0)->stiffness = 3e5;
    material(&t, 1)->stiffness = 6e5;
    material(&t, 0)->damping = 90.0;
    material(&t, 1)->damping = 180.0;
    const dp_touch_law law = mixed(&t);
    assert_near(law.stiffness, 2e5, 1e-9);
    assert_near(law.damping, 4.0 / 9.0 * 90.0 + 1.0 / 9.0 * 180.0, 1e-12);

    t = two_balls();
    material(&t, 0)->stiffness = INF;
    material(&t, 1)->stiffness = 6e5;
    material(&t, 0)->damping = 90.0;
    material(&t, 1)->damping = 180.0;
    const dp_touch_law one = mixed(&t);
    assert_true(one.stiffness == 6e5 && one.damping == 180.0);

    t = two_balls();
    material(&t, 0)->stiffness = material(&t, 1)->stiffness = INF;
    const dp_touch_law rigid = mixed(&t);
    assert_true(rigid.stiffness == INF && rigid.damping == 0.0);
}

static void friction_is_the_larger_of_each(void **state)
{
    (void)state;
    two t = two_balls();
    const double a[3] = {0.3, 0.02, 0.001}, b[3] = {0.7, 0.01, 0.002};
    for (int i = 0; i < 3; ++i) {
        t.geom[0].friction[i] = a[i];
        t.geom[1].friction[i] = b[i];
    }
    t.geom[0].contact.condim = 6;
    const dp_touch_law law = mixed(&t);
    assert_true(law.friction.mu[0] == 0.7 && law.friction.mu[1] == 0.7);
    assert_true(law.friction.torsion == 0.02);
    assert_true(law.friction.roll[0] == 0.002 && law.friction.roll[1] == 0.002);
    assert_int_equal(law.condim, 6);
}

static void the_higher_priority_has_its_way(void **state)
{
    (void)state;
    two t = two_balls();
    t.geom[0].contact.priority = 1;
    t.geom[0].friction[0] = 0.1;
    t.geom[0].contact.condim = 1;
    material(&t, 0)->stiffness = 3e5;
    material(&t, 0)->damping = 7.0;
    material(&t, 1)->youngs_modulus = 1e9;
    const dp_touch_law law = mixed(&t);
    assert_true(law.friction.mu[0] == 0.1 && law.stiffness == 3e5 && law.damping == 7.0);
    assert_int_equal(law.condim, 1);
    assert_int_equal(law.normal.kind, DP_NORMAL_SPRING);
}

static void a_pair_takes_nothing_from_its_geoms(void **state)
{
    (void)state;
    two t = two_balls();
    t.paired = true;
    t.geom[0].contact.priority = 1;
    material(&t, 0)->stiffness = 3e5;
    t.pair.contact_given = true;
    t.pair.contact.condim = 4;
    t.pair.contact.material_given = true;
    t.pair.contact.material.stiffness = 5e5;
    t.pair.contact.material.damping = 11.0;
    const double friction[5] = {0.1, 0.2, 0.3, 0.4, -1.0};
    for (int i = 0; i < 5; ++i) {
        t.pair.friction[i] = friction[i];
    }
    t.geom[0].friction[2] = 0.05;
    const dp_touch_law law = mixed(&t);
    assert_true(law.stiffness == 5e5 && law.damping == 11.0);
    assert_int_equal(law.condim, 4);
    assert_true(law.friction.mu[0] == 0.1 && law.friction.mu[1] == 0.2);
    assert_true(law.friction.torsion == 0.3 && law.friction.roll[0] == 0.4);
    assert_true(law.friction.roll[1] == 0.05); // not given: the geoms'
}

// m = 2·3/5 kg: k = m/((1 − d) T² z²), b = 2 m/((1 − d) T)
static void solref_means_masses(void **state)
{
    (void)state;
    two t = two_balls();
    for (int i = 0; i < 2; ++i) {
        t.geom[i].contact.solver_given = true;
        t.geom[i].contact.solref[0] = i == 0 ? 0.01 : 0.03;
        t.geom[i].contact.solimp[1] = 0.9;
    }
    const double T = 0.02, inertia = 1.2 / 0.1;
    const dp_touch_law law = mixed(&t);
    assert_near(law.stiffness, inertia / (T * T), 1e-9 * law.stiffness);
    assert_near(law.damping, 2.0 * inertia / T, 1e-9 * law.damping);

    t = two_balls(); // a material has the last word
    t.geom[0].contact.solver_given = true;
    material(&t, 1)->stiffness = 2e7;
    assert_near(mixed(&t).stiffness, 1e7, 1e-8);
}

static void moduli_act_in_series(void **state)
{
    (void)state;
    two t = two_balls();
    material(&t, 0)->youngs_modulus = 2e11;
    material(&t, 0)->poisson = 0.3;
    material(&t, 0)->dissipation = 0.1;
    material(&t, 1)->youngs_modulus = 1e9;
    material(&t, 1)->poisson = 0.5;
    material(&t, 1)->dissipation = 0.4;
    const dp_touch_law law = mixed(&t);
    const double a = 2e11 / 0.91, b = 1e9 / 0.75, E = 1.0 / (1.0 / a + 1.0 / b);
    assert_int_equal(law.normal.kind, DP_NORMAL_HERTZ);
    assert_near(law.modulus / E, 1.0, 1e-15);
    const double d = 0.1 * (E / a) * (E / a) + 0.4 * (E / b) * (E / b);
    assert_near(law.normal.dissipation, d, 1e-15);
    assert_true(law.damping == 0.0);

    t = two_balls(); // beside one without a modulus, which is rigid then
    material(&t, 1)->youngs_modulus = 1e9;
    material(&t, 1)->poisson = 0.5;
    assert_near(mixed(&t).modulus / b, 1.0, 1e-15);
}

static void a_dissipation_stands_for_the_damping(void **state)
{
    (void)state;
    two t = two_balls();
    material(&t, 0)->stiffness = 3e5;
    material(&t, 1)->stiffness = 6e5;
    material(&t, 0)->dissipation = 0.9;
    const dp_touch_law law = mixed(&t);
    assert_int_equal(law.normal.kind, DP_NORMAL_HUNT_CROSSLEY);
    assert_near(law.stiffness, 2e5, 1e-9);
    assert_near(law.normal.dissipation, 0.4, 1e-15);
    assert_true(law.damping == 0.0);
}

// The rebound of m ẍ + 2 ζ ẋ + x = 0 until the force is zero, by its own integration.
static double rebound(double zeta)
{
    double x = 0.0, v = 1.0;
    const double h = 1e-5;
    for (int i = 0; i < 10000000 && x + 2.0 * zeta * v > 0.0; ++i) { // midpoint rule
        const double a = -x - 2.0 * zeta * v;
        const double xm = x + 0.5 * h * v, vm = v + 0.5 * h * a;
        x += h * vm;
        v += h * (-xm - 2.0 * zeta * vm);
    }
    return -v;
}

static void a_restitution_becomes_the_damping_that_throws_back_as_much(void **state)
{
    (void)state;
    const double e[5] = {0.02, 0.13, 0.14, 0.5, 0.9}; // e⁻² = 0.135 is ζ = 1
    for (int i = 0; i < 5; ++i) {
        assert_near(rebound(dp_damping_ratio(e[i])), e[i], 3e-5); // the last step: h
    }
    assert_true(dp_damping_ratio(1.0) == 0.0);
    two t = two_balls();
    material(&t, 0)->stiffness = 3e5;
    material(&t, 1)->stiffness = 6e5;
    material(&t, 0)->restitution = 0.8;
    material(&t, 1)->restitution = 0.5;
    const dp_touch_law law = mixed(&t);
    assert_true(law.restitution == 0.5);
    assert_near(law.damping, 2.0 * dp_damping_ratio(0.5) * sqrt(2e5 * 1.2), 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(geoms_that_say_nothing_have_the_default_material),
        cmocka_unit_test(springs_act_in_series),
        cmocka_unit_test(friction_is_the_larger_of_each),
        cmocka_unit_test(the_higher_priority_has_its_way),
        cmocka_unit_test(a_pair_takes_nothing_from_its_geoms),
        cmocka_unit_test(solref_means_masses),
        cmocka_unit_test(moduli_act_in_series),
        cmocka_unit_test(a_dissipation_stands_for_the_damping),
        cmocka_unit_test(a_restitution_becomes_the_damping_that_throws_back_as_much),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
