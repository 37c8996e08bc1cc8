// Balls on contacts of Hertz and of Hunt and Crossley, against closed forms.
#include "mechanism.h"

#include <dashpot/contact.h>

#include <math.h>
#include <string.h>

#define INF ((double)INFINITY)

static const double MASS = 0.5, RADIUS = 0.04, GRAVITY = 9.81;

// A ball of 0.5 kg over a rigid plane, with this material.
static mechanism ball_on_plane(const dp_material *material, double h, double gravity)
{
    mechanism x = mechanism_begin();
    dp_options *o = dp_spec_options(x.spec);
    o->gravity = (dp_v3){0.0, 0.0, -gravity};
    o->step = h;
    dp_geom_spec floor = dp_geom_spec_default();
    floor.kind = DP_GEOM_PLANE;
    floor.name = "floor";
    floor.contact.material_given = true;
    floor.contact.material.stiffness = INF;
    floor.contact.material.damping = 0.0;
    assert_ok(dp_spec_add_geom(NULL, x.spec, DP_WORLD, &floor));
    const dp_body_id body = mechanism_body(&x, DP_WORLD, "ball", (dp_v3){0.0, 0.0, RADIUS}, MASS,
                                           (dp_v3){0.0, 0.0, 0.0}, (dp_v3){1e-3, 1e-3, 1e-3});
    mechanism_joint(&x, body, "free", DP_JOINT_FREE, (dp_v3){0.0, 0.0, 1.0});
    dp_geom_spec ball = dp_geom_spec_default();
    ball.kind = DP_GEOM_SPHERE;
    ball.name = "ball";
    ball.size[0] = RADIUS;
    ball.contact.material_given = true;
    ball.contact.material = *material;
    assert_ok(dp_spec_add_geom(NULL, x.spec, body, &ball));
    mechanism_compile(&x);
    return x;
}

static dp_material hertz(double E, double dissipation)
{
    dp_material m = dp_material_default();
    m.youngs_modulus = E;
    m.poisson = 0.25;
    m.dissipation = dissipation;
    return m;
}

static void start(mechanism *x, double height, double speed)
{
    const double q[7] = {0.0, 0.0, RADIUS + height, 1.0, 0.0, 0.0, 0.0};
    const double v[6] = {0.0, 0.0, speed, 0.0, 0.0, 0.0};
    mechanism_set(x, q, v);
}

// d = (m g/((4/3) E* √r))^{2/3}
static void a_ball_at_rest_sinks_as_deep_as_hertz_says(void **state)
{
    (void)state;
    const double step[2] = {1e-2, 1e-3};
    for (int power = 7; power <= 11; ++power) {
        for (int s = 0; s < 2; ++s) {
            const double E = pow(10.0, power), E_star = E / (1.0 - 0.25 * 0.25);
            const dp_material m = hertz(E, 0.5);
            mechanism x = ball_on_plane(&m, step[s], GRAVITY);
            const double depth =
                pow(MASS * GRAVITY / (4.0 / 3.0 * E_star * sqrt(RADIUS)), 2.0 / 3.0);
            start(&x, 0.0, 0.0);
            mechanism_steps(&x, 2000);
            const double sunk = RADIUS - dp_data_q(x.d)[2];
            assert_near(sunk / depth, 1.0, 1e-4);
            mechanism_end(&x);
        }
    }
}

// How long the contact pushes and how fast the ball leaves.
typedef struct impact {
    double seconds, rebound;
} impact;

static impact throw_down(const dp_material *m, double speed, double h)
{
    mechanism x = ball_on_plane(m, h, 0.0);
    start(&x, 0.3 * speed * h, -speed);
    impact out = {0.0, 0.0};
    double before = -speed;
    for (int i = 0; i < 1000000 && !(before > 0.0 && dp_data_v(x.d)[2] == before); ++i) {
        before = dp_data_v(x.d)[2];
        mechanism_steps(&x, 1);
        out.seconds += dp_data_v(x.d)[2] != before ? h : 0.0;
    }
    out.rebound = dp_data_v(x.d)[2];
    mechanism_end(&x);
    return out;
}

// T = 2 d_max/v ∫₀¹ dx/√(1 − x^{5/2}), d_max = (5 m v²/(4 k))^{2/5}, k = (4/3) E* √r. With
// x^{5/2} = sin²θ the integral is (4/5) ∫ sin^{−1/5}θ dθ = (4/5) √π Γ(2/5)/(2 Γ(9/10)) = 1.4716.
static void an_impact_of_hertz_lasts_as_long_as_he_says(void **state)
{
    (void)state;
    const double E = 1e8, v = 0.7, k = 4.0 / 3.0 * E / (1.0 - 0.25 * 0.25) * sqrt(RADIUS);
    const double deepest = pow(5.0 * MASS * v * v / (4.0 * k), 0.4);
    const double exact = 2.0 * deepest / v * 0.4 * sqrt(acos(-1.0)) * tgamma(0.4) / tgamma(0.9);
    double before = 0.0;
    for (int n = 100; n <= 800; n *= 2) {
        const dp_material m = hertz(E, 0.0);
        const impact found = throw_down(&m, v, exact / n);
        const double off = fabs(found.seconds / exact - 1.0), slow = 1.0 - found.rebound / v;
        assert_true(off <= 8.0 / n);                 // first order, with whole steps
        assert_true(slow > 0.0 && slow <= 12.0 / n); // implicit Euler throws back a little less
        assert_true(n == 100 || slow <= 0.6 * before);
        before = slow;
    }
}

// Whatever the exponent, m v dv/(1 + d v) = −k δᵖ dδ gives d v − ln(1 + d v) = −d w − ln(1 − d w)
// for an impact at v that is thrown back at w.
static double rebound_speed(double d, double v)
{
    double low = 0.0, high = fmin(v, 1.0 / d * (1.0 - 1e-15));
    for (int i = 0; i < 200; ++i) {
        const double w = 0.5 * (low + high);
        if (-d * w - log(1.0 - d * w) < d * v - log(1.0 + d * v)) {
            low = w;
        } else {
            high = w;
        }
    }
    return low;
}

static void a_ball_is_thrown_back_as_hunt_and_crossley_say(void **state)
{
    (void)state;
    const double v = 0.7, drag[3] = {0.2, 1.0, 5.0};
    for (int i = 0; i < 6; ++i) {
        const bool of_hertz = i >= 3;
        dp_material m = hertz(of_hertz ? 1e8 : 0.0, drag[i % 3]);
        m.stiffness = 1e5;
        const double exact = rebound_speed(drag[i % 3], v);
        double before = 0.0;
        for (int n = 0; n < 3; ++n) {
            const double h = 1e-5 / (1 << n);
            const double off = fabs(throw_down(&m, v, h).rebound - exact);
            assert_true(off <= 0.03 * v);
            assert_true(n == 0 || off <= 0.65 * before); // first order
            before = off;
        }
    }
}

// (MX 3), the spring and dashpot that a restitution becomes, where steps resolve it; else the rule.
static void the_rebound_is_that_of_the_restitution_at_any_step(void **state)
{
    (void)state;
    const double e[4] = {0.05, 0.3, 0.7, 0.95};
    for (int i = 0; i < 4; ++i) {
        for (int s = 0; s < 2; ++s) { // the speed does not matter
            dp_material m = dp_material_default();
            m.stiffness = 1e5;
            m.restitution = e[i];
            const double v = s == 0 ? 0.1 : 3.0;
            for (double h = 1e-2; h > 1e-8; h *= 0.5) {
                const double off = fabs(throw_down(&m, v, h).rebound / v - e[i]);
                assert_true(off <= 0.006 * e[i]); // what the rule leaves to the spring, 0.005
            }
        }
    }
}

// What is not in the ball is in the spring, lost to dissipation, or the method's own loss.
static void the_ledger_knows_what_the_contact_holds(void **state)
{
    (void)state;
    const double v = 0.7, E[4] = {1e8, 1e8, 0.0, 0.0}, drag[4] = {0.0, 1.0, 0.3, 1.0};
    for (int i = 0; i < 4; ++i) {
        dp_material m = hertz(E[i], drag[i]);
        m.stiffness = 1e5;
        mechanism x = ball_on_plane(&m, 1e-5, 0.0);
        dp_data_options(x.d)->ledger = true;
        start(&x, 1e-6, -v);
        const double whole = 0.5 * MASS * v * v;
        double most = 0.0;
        for (int k = 0; k < 1000; ++k) {
            mechanism_steps(&x, 1);
            const dp_ledger *l = dp_data_ledger(x.d);
            const double kinetic = dp_data_energy(x.d).kinetic;
            assert_near(kinetic + l->elastic + l->damped - l->remainder, whole, 1e-10);
            assert_true(l->remainder <= 1e-12 && l->remainder >= -0.05 * whole);
            assert_true(l->damped >= -1e-12);
            most = fmax(most, l->elastic);
        }
        assert_true(most > 0.3 * whole);
        assert_true(drag[i] > 0.0 || dp_data_ledger(x.d)->damped <= 1e-10);
        mechanism_end(&x);
    }
}

static void hertz_is_refused_between_shapes_that_are_never_round(void **state)
{
    (void)state;
    const dp_geom_kind kind[3] = {DP_GEOM_BOX, DP_GEOM_CYLINDER, DP_GEOM_SPHERE};
    for (int i = 0; i < 3; ++i) {
        dp_spec *spec;
        assert_ok(dp_spec_create(&spec, NULL));
        dp_geom_spec floor = dp_geom_spec_default();
        floor.kind = DP_GEOM_PLANE;
        floor.name = "floor";
        assert_ok(dp_spec_add_geom(NULL, spec, DP_WORLD, &floor));
        dp_body_spec body = dp_body_spec_default();
        dp_body_id id;
        assert_ok(dp_spec_add_body(&id, spec, DP_WORLD, &body));
        dp_joint_spec joint = dp_joint_spec_default();
        joint.kind = DP_JOINT_FREE;
        assert_ok(dp_spec_add_joint(NULL, spec, id, &joint));
        dp_geom_spec geom = dp_geom_spec_default();
        geom.kind = kind[i];
        geom.name = "steel";
        geom.size[0] = geom.size[1] = geom.size[2] = 0.1;
        geom.contact.material.youngs_modulus = 1e9;
        assert_ok(dp_spec_add_geom(NULL, spec, id, &geom));
        dp_model *m;
        const dp_status status = dp_model_compile(&m, spec);
        assert_int_equal(status, kind[i] == DP_GEOM_SPHERE ? DP_OK : DP_ERROR_UNSUPPORTED);
        assert_true(status == DP_OK || strstr(dp_last_error(), "'steel'"));
        dp_model_destroy(m);
        dp_spec_destroy(spec);
    }
}

static void hertz_is_refused_along_a_line(void **state)
{
    (void)state;
    mechanism x = mechanism_begin();
    dp_geom_spec floor = dp_geom_spec_default();
    floor.kind = DP_GEOM_PLANE;
    floor.name = "floor";
    assert_ok(dp_spec_add_geom(NULL, x.spec, DP_WORLD, &floor));
    const dp_body_id body = mechanism_body(&x, DP_WORLD, "wheel", (dp_v3){0.0, 0.0, 0.1}, 1.0,
                                           (dp_v3){0.0, 0.0, 0.0}, (dp_v3){0.01, 0.01, 0.01});
    mechanism_joint(&x, body, "free", DP_JOINT_FREE, (dp_v3){0.0, 0.0, 1.0});
    dp_geom_spec wheel = dp_geom_spec_default();
    wheel.kind = DP_GEOM_CAPSULE; // on its end: round; on its side: along a line
    wheel.name = "wheel";
    wheel.size[0] = wheel.size[1] = 0.1;
    wheel.pose.q = (dp_quat){sqrt(0.5), sqrt(0.5), 0.0, 0.0};
    wheel.contact.material.youngs_modulus = 1e9;
    wheel.contact.material_given = true;
    assert_ok(dp_spec_add_geom(NULL, x.spec, body, &wheel));
    mechanism_compile(&x);
    assert_int_equal(dp_step(x.d), DP_ERROR_UNSUPPORTED);
    assert_non_null(strstr(dp_last_error(), "'floor'"));
    assert_non_null(strstr(dp_last_error(), "'wheel'"));
    assert_non_null(strstr(dp_last_error(), "along a line"));
    mechanism_end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_at_rest_sinks_as_deep_as_hertz_says),
        cmocka_unit_test(an_impact_of_hertz_lasts_as_long_as_he_says),
        cmocka_unit_test(a_ball_is_thrown_back_as_hunt_and_crossley_say),
        cmocka_unit_test(the_rebound_is_that_of_the_restitution_at_any_step),
        cmocka_unit_test(the_ledger_knows_what_the_contact_holds),
        cmocka_unit_test(hertz_is_refused_between_shapes_that_are_never_round),
        cmocka_unit_test(hertz_is_refused_along_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
