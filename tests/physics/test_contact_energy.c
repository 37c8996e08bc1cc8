// Energy in random scenes that drop and slide. The ledger's remainder promises that the method
// gives nothing while nothing rotates. What turns is judged by its kinetic energy and height alone:
// a stiff spring that a turn has pressed deeper than the step foresaw holds energy, on paper, that
// no step can release. DP_FIRST and DP_DRAWS choose others.
#include "mechanism.h"
#include "test_random.h"

#include <dashpot/contact.h>

#include <math.h>
#include <stdlib.h>

enum { DRAWS = 200, MOST_STEPS = 300, MOST_BODIES = 6 };

typedef enum scene {
    SLIDING,  // balls, or boxes that lie straight, on slides: nothing rotates
    ROUND,    // balls and ellipsoids, free
    TUMBLING, // all shapes, free, with a damping ratio of at least a tenth
} scene;

static double power(random_source *r, double least, double most)
{
    return pow(10.0, random_between(r, least, most));
}

// A spring and a damper, Hunt and Crossley or, where all are round, Hertz.
static void draw_material(random_source *r, dp_geom_spec *geom, scene kind, bool round)
{
    dp_material *m = &geom->contact.material;
    const double which = random_between(r, 0.0, 1.0), ratio = random_between(r, 0.1, 1.0);
    const double dissipation = power(r, -2.0, 1.0), modulus = power(r, 5.0, 11.0);
    geom->contact.material_given = true;
    geom->friction[0] = random_chance(r, 0.2) ? 0.0 : random_between(r, 0.0, 1.5);
    m->stiffness = power(r, 3.0, 12.0);
    m->damping = which < 0.5 ? 0.0 : m->stiffness * power(r, -6.0, -2.0);
    if (kind == TUMBLING) {
        m->damping = 2.0 * ratio * sqrt(m->stiffness * geom->mass);
    } else if (which < 0.25) {
        m->dissipation = dissipation;
    } else if (which < 0.5 && round) {
        m->youngs_modulus = modulus;
        m->dissipation = which < 0.4 ? dissipation : 0.0;
    }
}

static dp_geom_spec draw_geom(random_source *r, scene kind, bool round)
{
    static const dp_geom_kind of[] = {DP_GEOM_SPHERE,  DP_GEOM_ELLIPSOID, DP_GEOM_BOX,
                                      DP_GEOM_CAPSULE, DP_GEOM_CYLINDER,  DP_GEOM_BOX};
    dp_geom_spec geom = dp_geom_spec_default();
    const int any = random_below(r, 6);
    geom.kind = kind == TUMBLING ? of[any]
                : kind == ROUND  ? (round ? DP_GEOM_SPHERE : of[any % 2])
                : round          ? DP_GEOM_SPHERE
                                 : DP_GEOM_BOX;
    for (int i = 0; i < 3; ++i) {
        geom.size[i] = random_between(r, 0.04, 0.12);
    }
    geom.mass = random_chance(r, 0.3) ? power(r, -2.0, 2.0) : 1.0;
    draw_material(r, &geom, kind, round);
    return geom;
}

// Things over a floor, thrown, none of which touches another at the start.
static mechanism draw_scene(random_source *r, scene kind)
{
    const bool round = random_chance(r, 0.5);
    mechanism x = mechanism_begin();
    dp_options *o = dp_spec_options(x.spec);
    o->step = power(r, -3.5, -1.5);
    o->gravity = (dp_v3){random_between(r, -5.0, 5.0), 0.0, -9.81};
    o->ledger = true;
    dp_geom_spec floor = dp_geom_spec_default();
    floor.kind = DP_GEOM_PLANE;
    floor.friction[0] = 0.0;
    floor.contact.material_given = true;
    floor.contact.material.stiffness = (double)INFINITY;
    floor.contact.material.damping = 0.0;
    assert_ok(dp_spec_add_geom(NULL, x.spec, DP_WORLD, &floor));
    const int n = 1 + random_below(r, MOST_BODIES);
    for (int i = 0; i < n; ++i) {
        dp_body_spec body = dp_body_spec_default();
        const double at = random_between(r, 0.0, 0.02);
        // The longest reaches 0.24 m, those that do not turn 0.12 m.
        const double step = kind == SLIDING ? 0.25 : 0.5;
        body.pose.p = (dp_v3){0.1 * (i % 2) + at, 0.0, 0.25 + step * i};
        dp_body_id id;
        assert_ok(dp_spec_add_body(&id, x.spec, DP_WORLD, &body));
        static const dp_v3 axis[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
        for (int k = 0; k < (kind == SLIDING ? 3 : 1); ++k) {
            dp_joint_spec joint = dp_joint_spec_default();
            joint.kind = kind == SLIDING ? DP_JOINT_SLIDE : DP_JOINT_FREE;
            joint.axis = axis[k];
            assert_ok(dp_spec_add_joint(NULL, x.spec, id, &joint));
        }
        const dp_geom_spec geom = draw_geom(r, kind, round);
        assert_ok(dp_spec_add_geom(NULL, x.spec, id, &geom));
    }
    mechanism_compile(&x);
    double *v = dp_data_v(x.d);
    const double speed = random_chance(r, 0.5) ? 0.3 : 3.0;
    for (int i = 0; i < dp_model_sizes(x.m)->nv; ++i) {
        v[i] = random_between(r, -speed, speed);
    }
    assert_ok(dp_kinematics(x.d));
    return x;
}

// Shares of the energy at the start.
typedef struct found {
    double gain;   // most that the remainder grew by in a step
    double excess; // most kinetic energy and height beyond the start
    long touching; // steps with contact forces
} found;

static void run(found *out, mechanism *x)
{
    const double start = mechanism_energy(x), h = dp_data_options(x->d)->step;
    const dp_ledger *l = dp_data_ledger(x->d);
    double before = 0.0;
    for (int i = 0; i < MOST_STEPS && i * h < 1.5; ++i) {
        mechanism_steps(x, 1);
        out->gain = fmax(out->gain, (l->remainder - before) / start);
        out->excess = fmax(out->excess, (mechanism_energy(x) - start) / start);
        out->touching += l->contact > 0.0;
        before = l->remainder;
    }
}

static found run_draws(scene kind)
{
    const char *from = getenv("DP_FIRST"), *count = getenv("DP_DRAWS");
    const int first = from ? atoi(from) : 1, draws = count ? atoi(count) : DRAWS;
    found f = {0.0, -INFINITY, 0};
    for (int draw = first; draw < first + draws; ++draw) {
        random_source r = {.state = (uint64_t)draw};
        mechanism x = draw_scene(&r, kind);
        run(&f, &x);
        mechanism_end(&x);
    }
    print_message("%d draws: gain %.2g, excess %.2g, %ld steps with contact\n", draws, f.gain,
                  f.excess, f.touching);
    assert_true(f.touching > 20L * draws);
    return f;
}

// Sums of some hundred terms, each right to 1e-16 of the largest.
static const double ROUND_OFF = 1e-12;

static void what_does_not_turn_is_given_no_energy_in_any_step(void **state)
{
    (void)state;
    const found f = run_draws(SLIDING);
    assert_true(f.gain <= ROUND_OFF);
    assert_true(f.excess <= ROUND_OFF);
}

static void balls_and_ellipsoids_never_rise_or_move_with_more_than_they_had(void **state)
{
    (void)state;
    assert_true(run_draws(ROUND).excess <= ROUND_OFF);
}

static void damped_things_that_tumble_never_rise_or_move_with_more_than_they_had(void **state)
{
    (void)state;
    assert_true(run_draws(TUMBLING).excess <= ROUND_OFF);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_turn_is_given_no_energy_in_any_step),
        cmocka_unit_test(balls_and_ellipsoids_never_rise_or_move_with_more_than_they_had),
        cmocka_unit_test(damped_things_that_tumble_never_rise_or_move_with_more_than_they_had),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
