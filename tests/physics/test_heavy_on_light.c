// Heavy bodies on light ones under compliant laws, with contacts as stiff as steel and long steps:
// what a step costs, and what it finds.
#include "mechanism.h"

#include <dashpot/format.h>

#include <stdio.h>
#include <string.h>

static const double GRAVITY = 9.81, STIFFNESS = 1e11, H = 0.02;

typedef struct text {
    char at[8000];
    size_t used;
} text;

static void begin(text *t, const char *law, double mu)
{
    t->used = (size_t)snprintf(
        t->at, sizeof t->at,
        "<mujoco xmlns:dp='dashpot'><option timestep='%.17g' gravity='0 0 -9.81'/>"
        "<dp:option law='%s'/><default><geom friction='%.17g' dp:stiffness='%.17g' "
        "dp:damping='0'/></default><worldbody><geom type='plane' size='5 5 1'/>",
        H, law, mu, STIFFNESS);
}

static void add(text *t, int i, const char *shape, double m, dp_v3 at, dp_v3 turn)
{
    t->used += (size_t)snprintf(
        t->at + t->used, sizeof t->at - t->used,
        "<body name='b%d' pos='%.17g %.17g %.17g' euler='%.17g %.17g %.17g'><freejoint/>"
        "<geom %s mass='%.17g'/></body>",
        i, at.x, at.y, at.z, turn.x, turn.y, turn.z, shape, m);
    assert_true(t->used < sizeof t->at);
}

static mechanism compile(text *t)
{
    snprintf(t->at + t->used, sizeof t->at - t->used, "</worldbody></mujoco>");
    dp_spec *spec;
    assert_ok(dp_mjcf_parse(&spec, NULL, t->at, strlen(t->at), "heavy.xml", NULL));
    return mechanism_from(spec);
}

static const char *const BOX = "type='box' size='0.05 0.05 0.05'";
static const char *const SPHERE = "type='sphere' size='0.05'";

static const dp_v3 upright = {0.0, 0.0, 0.0};

// Light bodies below a heavy one, and light ones between heavy ones.
static void what_stands_stays_and_overlaps_by_load_over_stiffness(void **state)
{
    (void)state;
    static const double ratio[] = {1e3, 1e5};
    for (int k = 0; k < 2 * 2 * 2 * 2; ++k) {
        const char *shape = k % 2 ? SPHERE : BOX;
        const int n = k / 2 % 2 ? 5 : 2;
        const bool alternating = k / 4 % 2;
        double load = 0.0;
        text t;
        begin(&t, "tamsi", 0.5);
        for (int i = 0; i < n; ++i) {
            const bool heavy = alternating ? i % 2 : i == n - 1;
            const double m = heavy ? ratio[k / 8] : 1.0;
            load += m * GRAVITY;
            add(&t, i, shape, m, (dp_v3){0.0, 0.0, 0.05 + 0.1 * i}, upright);
        }
        mechanism x = compile(&t);
        long factorizations = 0;
        const int steps = 100;
        for (int i = 0; i < steps; ++i) {
            assert_ok(dp_step(x.d));
            const dp_step_report *info = dp_data_report(x.d);
            assert_int_equal(info->unsolved, 0);
            factorizations += info->work.factorizations;
        }
        const dp_certificate *c = &dp_data_report(x.d)->certificate;
        // Both sides of a contact yield: half the stiffness of a geom.
        const double overlap = load / (0.5 * STIFFNESS);
        assert_near(c->penetration, overlap, 1e-3 * overlap);
        assert_true(c->momentum <= 1e-14 * load);
        assert_true(factorizations <= 2 * steps);
        mechanism_end(&x);
    }
}

// Shapes that fall on each other, slide and topple.
static mechanism pile(random_source *r, const char *law, double ratio)
{
    static const char *const shapes[] = {
        "type='box' size='0.05 0.05 0.05'", "type='box' size='0.12 0.06 0.05'",
        "type='sphere' size='0.05'", "type='cylinder' size='0.05 0.05'"};
    text t;
    begin(&t, law, random_between(r, 0.2, 1.0));
    const int n = 2 + (int)(random_bits(r) % 4);
    for (int i = 0; i < n; ++i) {
        const bool heavy = i == n - 1 || (i > 0 && random_bits(r) % 2);
        const char *shape = shapes[random_bits(r) % 4];
        const dp_v3 at = {random_between(r, -0.02, 0.02), random_between(r, -0.02, 0.02),
                          0.065 + 0.115 * i};
        const dp_v3 turn = {random_between(r, -8.0, 8.0), random_between(r, -8.0, 8.0),
                            random_between(r, 0.0, 90.0)};
        add(&t, i, shape, heavy ? ratio : 1.0, at, turn);
    }
    return compile(&t);
}

// @param most factorizations a step, on average. @param left of 1000 steps: may be not solved
static void assert_solved_within(const char *law, double ratio, double most, long left)
{
    random_source r = {7};
    long factorizations = 0, unsolved = 0, steps = 0;
    for (int trial = 0; trial < 20; ++trial) {
        mechanism x = pile(&r, law, ratio);
        for (int i = 0; i < 50; ++i, ++steps) {
            assert_ok(dp_step(x.d));
            const dp_step_report *info = dp_data_report(x.d);
            factorizations += info->work.factorizations;
            unsolved += info->unsolved > 0;
        }
        mechanism_end(&x);
    }
    print_message("%s, ratio %g: %.2f factorizations a step, %ld of %ld steps not solved\n", law,
                  ratio, (double)factorizations / (double)steps, unsolved, steps);
    assert_true((double)factorizations <= most * (double)steps);
    assert_true(unsolved <= left);
}

static void what_falls_takes_twenty_factorizations_a_step_at_most_on_average(void **state)
{
    (void)state;
    assert_solved_within("tamsi", 1e3, 20.0, 0);
    assert_solved_within("tamsi", 1e5, 20.0, 0);
}

// One pile of twenty jams at the ratio of 1e5: 60 factorizations a step without it.
static void friction_of_full_size_takes_hundreds_at_most_on_average(void **state)
{
    (void)state;
    assert_solved_within("compliant", 1e3, 100.0, 0);
    assert_solved_within("compliant", 1e5, 500.0, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_stands_stays_and_overlaps_by_load_over_stiffness),
        cmocka_unit_test(what_falls_takes_twenty_factorizations_a_step_at_most_on_average),
        cmocka_unit_test(friction_of_full_size_takes_hundreds_at_most_on_average),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
