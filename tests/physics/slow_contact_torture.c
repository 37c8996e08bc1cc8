// Random heaps of random shapes and materials, piled up, dropped, thrown and left alone: nothing
// may blow up, and nearly all steps must be solved. DP_FIRST and DP_DRAWS choose others; CI draws
// 1e4 in parts that run side by side, and `make torture` a million.
//
// Stiffness 1e2 … 1e15 N/m, μ 0 … 2, steps of 1e-4 … 0.1 s, masses of 1e-3 … 1e3 kg on top of each
// other, impacts of up to 20 m/s, chains of hinged bodies, and points that say the same twice.
#include "mechanism.h"
#include "test_random.h"

#include <dashpot/advanced/law.h>
#include <dashpot/advanced/step.h>
#include <dashpot/contact.h>

#include <math.h>
#include <stdlib.h>

// Of the kinetic energy at the start and of what all would gain by falling 0.3 m. What rolls makes
// O(h), and so does a contact whose points change their shares of its stiffness. Chains make more,
// and so do shapes that overlap by a third of the narrowest: the separating direction may become
// another one. What weighs a ton sinks into a floor of 100 N/m by many metres; what such floors
// throw back is measured against what they have taken up, since shares of that are what becomes
// O(h) too much.
static const double MOST_GAIN = 0.05, MOST_LOOSE_GAIN = 2.0;
static const double DEEP = 0.01;          // [m]
static const double MISSED = 1e-8;        // [m/s] more is a step that is not solved
static const double MOST_RESIDUAL = 1e-4; // [m/s] of such steps, where there is a solution

enum { MOST_BODIES = 12, MOST_STACKED = 6, STEPS = 100, DRAWS = 2500 };

typedef enum start {
    SCATTERED, // apart from each other, in any posture, the lowest just above the floor
    CHAINED,   // the same, but many hang on each other by joints
    STACKED,   // upright in columns, face on face
    STARTS
} start;

static double power(random_source *r, double least, double most)
{
    return pow(10.0, random_between(r, least, most));
}

static dp_quat random_turn(random_source *r)
{
    double q[4];
    random_direction(q, 4, r);
    return (dp_quat){q[0], q[1], q[2], q[3]};
}

static dp_geom_spec random_geom(random_source *r, start from)
{
    dp_geom_spec geom = dp_geom_spec_default();
    const dp_geom_kind kind[] = {DP_GEOM_BOX,    DP_GEOM_BOX,     DP_GEOM_CYLINDER,
                                 DP_GEOM_SPHERE, DP_GEOM_CAPSULE, DP_GEOM_ELLIPSOID};
    geom.kind = kind[random_below(r, from == STACKED ? 3 : 6)];
    for (int i = 0; i < 3; ++i) {
        geom.size[i] = random_between(r, 0.03, 0.15);
    }
    if (from != STACKED) {
        geom.pose.q = random_turn(r);
    }
    geom.friction[0] = random_chance(r, 0.2) ? 0.0 : random_between(r, 0.0, 2.0);
    const int condim[] = {1, 3, 3, 3, 4, 6};
    geom.contact.condim = condim[random_below(r, 6)];
    geom.contact.material_given = true;
    geom.contact.material.stiffness = power(r, 2.0, 15.0);
    geom.contact.material.damping =
        random_chance(r, 0.5) ? 0.0 : geom.contact.material.stiffness * power(r, -5.0, -1.0);
    geom.mass = random_chance(r, 0.2) ? power(r, -3.0, 3.0) : random_between(r, 0.1, 2.0);
    return geom;
}

// Its shape, and sometimes the same once more: there or beside it.
static void add_geoms(mechanism *x, random_source *r, dp_body_id body, const dp_geom_spec *geom)
{
    assert_ok(dp_spec_add_geom(NULL, x->spec, body, geom));
    const double which = random_between(r, 0.0, 1.0);
    dp_geom_spec twin = *geom;
    if (which < 0.1) {
        assert_ok(dp_spec_add_geom(NULL, x->spec, body, &twin));
    } else if (which < 0.2 && geom->kind == DP_GEOM_BOX && geom->pose.q.w == 1.0) {
        twin.pose.p.x = 0.04;
        assert_ok(dp_spec_add_geom(NULL, x->spec, body, &twin));
    }
}

static void add_bodies(mechanism *x, random_source *r, start from, int count)
{
    double height[4] = {0.0, 0.0, 0.0, 0.0}; // of the columns
    dp_v3 before = {0.0, 0.0, 0.0};
    dp_body_id parent = DP_WORLD;
    for (int i = 0; i < count; ++i) {
        const dp_geom_spec geom = random_geom(r, from);
        const double half = geom.kind == DP_GEOM_CYLINDER ? geom.size[1] : geom.size[2];
        const int column = i % 4;
        // No shape is larger than a ball of 0.3 m.
        dp_v3 at = {0.62 * (column % 2), 0.62 * (column / 2), height[column] + 0.31};
        height[column] += 0.62;
        if (from == STACKED) {
            at = (dp_v3){at.x + random_between(r, -0.02, 0.02), at.y, height[column] - 0.62 + half};
            height[column] += 2.0 * half - 0.62;
        }
        const bool hangs = from == CHAINED && i > 0 && random_chance(r, 0.6);
        dp_body_spec body = dp_body_spec_default();
        body.pose.p = hangs ? (dp_v3){at.x - before.x, at.y - before.y, at.z - before.z} : at;
        dp_body_id id;
        assert_ok(dp_spec_add_body(&id, x->spec, hangs ? parent : DP_WORLD, &body));
        dp_joint_spec joint = dp_joint_spec_default();
        joint.kind = DP_JOINT_FREE;
        if (hangs) { // half-way
            joint.kind = random_chance(r, 0.5) ? DP_JOINT_HINGE : DP_JOINT_BALL;
            joint.axis = (dp_v3){0.0, 1.0, 0.0};
            joint.anchor =
                (dp_v3){-0.5 * body.pose.p.x, -0.5 * body.pose.p.y, -0.5 * body.pose.p.z};
        }
        assert_ok(dp_spec_add_joint(NULL, x->spec, id, &joint));
        add_geoms(x, r, id, &geom);
        parent = id;
        before = at;
    }
}

// Columns go down until the lowest shape of each is this far above the floor.
static void lower(mechanism *x, int count, double gap)
{
    const int ngeom = dp_model_sizes(x->m)->ngeom;
    for (int i = 0; i < count; ++i) {
        double least = 1.0;
        for (int g = 1; g < ngeom; ++g) {
            const dp_geom_id geom = {g};
            if ((dp_model_geom(x->m, geom).body.index - 1) == i % 4) {
                dp_distance found;
                assert_ok(dp_geoms_distance(&found, x->d, (dp_geom_id){0}, geom, 1.0));
                least = fmin(least, found.gap);
            }
        }
        dp_data_q(x->d)[7 * i + 2] -= least - gap;
    }
}

static mechanism random_heap(random_source *r, start from)
{
    mechanism x = mechanism_begin();
    dp_options *o = dp_spec_options(x.spec);
    o->step = power(r, -4.0, -1.0);
    o->gravity = (dp_v3){random_between(r, -3.0, 3.0), 0.0, -9.81};
    dp_geom_spec floor = random_geom(r, STACKED);
    floor.kind = DP_GEOM_PLANE;
    assert_ok(dp_spec_add_geom(NULL, x.spec, DP_WORLD, &floor));
    const int n = 1 + random_below(r, from == STACKED ? MOST_STACKED : MOST_BODIES);
    add_bodies(&x, r, from, n);
    mechanism_compile(&x);
    const double speeds[] = {0.0, 0.1, 5.0, 20.0};
    double speed = speeds[random_below(r, from == STACKED ? 2 : 4)];
    if (from == CHAINED) { // not through each other: what cannot part again stays entangled
        speed = fmin(speed, 0.03 / o->step);
    }
    assert_ok(dp_kinematics(x.d));
    if (from == SCATTERED) {
        lower(&x, n, speed * o->step * random_between(r, 0.0, 20.0));
    }
    double *v = dp_data_v(x.d);
    for (int i = 0; i < dp_model_sizes(x.m)->nv; ++i) {
        v[i] = random_between(r, -speed, speed);
    }
    assert_ok(dp_kinematics(x.d));
    return x;
}

typedef struct tally {
    long steps;        // in which something touched
    long again, worse; // not solved at once, and not in parts either
    long jams;         // of these: no impulses hold rigid bodies that are wedged into each other
    double residual;   // [m/s] worst, but for those
    double gain;       // most energy beyond that of the start, over the scale
    double loose_gain; // the same where it may come from elsewhere
} tally;

// [m] The deepest overlap at either end of the step. Rigid contacts end it without, as their rows
// see it: what long steps turn by is seen at the start of the next.
static double deepest(const dp_data *d)
{
    double depth = dp_data_report(d)->certificate.penetration;
    for (int i = 0; i < dp_data_contact_count(d); ++i) {
        depth = fmax(depth, -dp_data_contact(d, i).start_gap);
    }
    return depth;
}

// Are the contacts of a rigid problem that was not solved wedged? Their convex relative tells:
// impulses that hold them have no bound, or rows contradict each other. @param context bool: are
// those of a part of the step?
static dp_status look_for_jams(void *context, const dp_data *d)
{
    const dp_step_problem *p = dp_data_problem(d);
    double *memory = calloc((size_t)(2 * p->nv + p->nrow), sizeof *memory);
    uint8_t *state = calloc((size_t)p->nrow, sizeof *state);
    assert_true(memory && state);
    dp_certificate c;
    dp_problem_certify(&c, p, dp_data_solution(d), memory);
    if (c.normal_law > MISSED) {
        dp_law_options opt = dp_law_options_default();
        opt.law = DP_LAW_VI;
        dp_step_solution s = {memory, memory + p->nv, state};
        dp_solve_info info;
        assert_ok(dp_law_solve(&s, p, NULL, &opt, NULL, &info));
        bool *jammed = context;
        *jammed = *jammed || info.outcome == DP_OUTCOME_WEAKLY_INFEASIBLE ||
                  info.outcome == DP_OUTCOME_INFEASIBLE || info.outcome == DP_OUTCOME_CONTRADICTORY;
    }
    free(memory);
    free(state);
    return DP_OK;
}

static void run(tally *t, int seed, dp_law_kind law)
{
    random_source r = {.state = (uint64_t)seed};
    const start from = (start)random_below(&r, STARTS);
    mechanism x = random_heap(&r, from);
    dp_data_options(x.d)->solver.law = law;
    const double energy = mechanism_energy(&x);
    const double scale =
        dp_data_energy(x.d).kinetic + dp_body_momentum(x.d, DP_WORLD).mass * 9.81 * 0.3;
    bool jammed = false;
    if (dp_law_is_rigid(law)) {
        dp_data_set_problem_callback(x.d, look_for_jams, &jammed);
    }
    long again = 0, worse = 0, jams = 0;
    double gain = 0.0, loss = 0.0, residual = 0.0, depth = 0.0;
    for (int i = 0; i < STEPS; ++i) {
        jammed = false;
        if (dp_step(x.d) != DP_OK) {
            print_error("draw %d, step %d: %s\n", seed, i, dp_last_error());
            fail();
        }
        const dp_step_report *info = dp_data_report(x.d);
        t->steps += dp_data_contact_count(x.d) > 0;
        again += info->work.substeps > 1;
        worse += info->residual > MISSED;
        jams += info->residual > MISSED && jammed;
        residual = jammed ? residual : fmax(residual, info->residual);
        depth = fmax(depth, deepest(x.d));
        gain = fmax(gain, (mechanism_energy(&x) - energy) / scale);
        loss = fmax(loss, (energy - mechanism_energy(&x)) / scale);
    }
    const bool loose = from == CHAINED || depth > DEEP;
    gain /= loose ? fmax(1.0, loss) : 1.0;
    if (worse > 0 || gain > (loose ? MOST_LOOSE_GAIN : MOST_GAIN)) {
        print_message("draw %d: %ld steps unsolved, %ld of them jams, residual %.1e m/s, "
                      "energy +%.2g\n",
                      seed, worse, jams, residual, gain);
    }
    t->again += again;
    t->worse += worse;
    t->jams += jams;
    t->residual = fmax(t->residual, residual);
    if (loose) {
        t->loose_gain = fmax(t->loose_gain, gain);
    } else {
        t->gain = fmax(t->gain, gain);
    }
    mechanism_end(&x);
}

// Nothing overlaps at the start, so the energy should only fall; gravity along the floor counts.
// What is not solved is listed.
static void torture(dp_law_kind law)
{
    const char *from = getenv("DP_FIRST"), *count = getenv("DP_DRAWS");
    const int first = from ? atoi(from) : 0, draws = count ? atoi(count) : DRAWS;
    tally t = {.steps = 0};
    for (int k = first; k < first + draws; ++k) {
        run(&t, k, law);
    }
    print_message("%ld steps with contact, %ld made in parts, %ld unsolved, %ld of them jams, "
                  "residual %.1e m/s, energy +%.2g, chains and deep overlaps +%.2g\n",
                  t.steps, t.again, t.worse, t.jams, t.residual, t.gain, t.loose_gain);
    assert_true(t.steps >= 50L * draws);
    assert_true(t.again * 200 <= t.steps);  // 0.5 %
    assert_true(t.worse * 2000 <= t.steps); // 0.05 %
    assert_true(t.jams * 10000 <= t.steps); // 0.01 %
    assert_true(t.residual <= MOST_RESIDUAL);
    assert_true(t.gain <= MOST_GAIN && t.loose_gain <= MOST_LOOSE_GAIN);
}

static void heaps_neither_blow_up_nor_get_stuck(void **state)
{
    (void)state;
    torture(DP_LAW_COMPLIANT);
}

static void rigid_heaps_neither_blow_up_nor_get_stuck(void **state)
{
    (void)state;
    torture(DP_LAW_NCP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heaps_neither_blow_up_nor_get_stuck),
        cmocka_unit_test(rigid_heaps_neither_blow_up_nor_get_stuck),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
