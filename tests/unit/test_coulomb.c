// Contacts with friction through the law: closed forms of small problems, and every random problem
// judged by its own law.
#include "law_problem.h"
#include "near.h"

#include "solve/law.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define INF ((double)INFINITY)

// A particle of mass m with three velocities, at a floor z = 0 with gap φ.
static law_problem particle(double h, double m, double vx, double vy, double vz)
{
    law_problem lp = law_problem_create(h, 3, 6);
    law_problem_particle(&lp, m, vx);
    law_problem_particle(&lp, m, vy);
    law_problem_particle(&lp, m, vz);
    return lp;
}

static dp_row *put_on_floor(law_problem *lp, double mu)
{
    const int col[3] = {0, 1, 2};
    const double G[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0};
    return law_problem_contact(lp, 3, 3, col, G, &(dp_friction){{mu, mu}, 0.0, {0.0, 0.0}});
}

static dp_solve_info solve(law_problem *lp)
{
    const dp_law_options opt = dp_law_options_default();
    return law_problem_solve(lp, NULL, &opt);
}

// h = 0.01, gravity 10: the normal impulse is m g h = 0.2 and friction takes at most μ of it.
static void a_particle_sticks_or_slips_as_coulomb_says(void **state)
{
    (void)state;
    const double h = 0.01, m = 2.0, fall = 10.0 * h;
    for (int heading = 0; heading < 12; ++heading) {
        const double x = cos(0.5236 * heading), y = sin(0.5236 * heading);
        for (int kind = 0; kind < 2; ++kind) { // 0: slow enough to be stopped
            const double mu = 0.5, speed = kind == 0 ? 0.9 * mu * fall : 3.0 * mu * fall;
            law_problem lp = particle(h, m, speed * x, speed * y, -fall);
            put_on_floor(&lp, mu);
            const dp_solve_info info = solve(&lp);
            assert_int_equal(info.outcome, DP_OUTCOME_CONVERGED);
            assert_near(lp.s.gamma[0], m * fall, 1e-12);
            const double left = kind == 0 ? 0.0 : speed - mu * fall;
            assert_near(lp.s.v[0], left * x, 1e-9);
            assert_near(lp.s.v[1], left * y, 1e-9);
            assert_near(lp.s.v[2], 0.0, 1e-9);
            assert_int_equal(lp.s.state[0], DP_ROW_STATE_ACTIVE);
            assert_int_equal(lp.s.state[1], kind == 0 ? DP_ROW_STATE_STICK : DP_ROW_STATE_SLIP);
            law_problem_destroy(&lp);
        }
    }
}

static void a_spring_gives_and_an_open_gap_does_nothing(void **state)
{
    (void)state;
    const double h = 0.01, m = 1.0;
    law_problem lp = particle(h, m, 0.0, 0.0, -0.1);
    dp_row *row = put_on_floor(&lp, 0.5);
    row->k = 1e4; // R = 1/(h² k) = 1: γ + u = 0 and u = −0.1 + γ
    solve(&lp);
    assert_near(lp.s.gamma[0], 0.05, 1e-10);
    law_problem_destroy(&lp);

    lp = particle(h, m, 0.3, 0.0, -0.1);
    put_on_floor(&lp, 0.5)->phi = 0.0011; // the fall takes 0.001
    solve(&lp);
    assert_true(lp.s.gamma[0] == 0.0 && lp.s.gamma[1] == 0.0);
    assert_true(lp.s.v[0] == 0.3 && lp.s.v[2] == -0.1);
    assert_int_equal(lp.s.state[1], DP_ROW_STATE_OPEN);
    law_problem_destroy(&lp);
}

// On an ellipse the force opposes (μ₁² u₁, μ₂² u₂): of all forces within, the one of most loss.
static void check_ellipse(double mu_x, double mu_y)
{
    const double h = 0.01, m = 1.0, fall = 0.1, mu[2] = {mu_x, mu_y};
    law_problem lp = particle(h, m, 3.0, 2.0, -fall);
    const int col[3] = {0, 1, 2};
    const double G[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0};
    law_problem_contact(&lp, 3, 3, col, G, &(dp_friction){{mu[0], mu[1]}, 0.0, {0.0, 0.0}});
    solve(&lp);
    const double *g = lp.s.gamma, *v = lp.s.v;
    assert_near(hypot(g[1] / mu[0], g[2] / mu[1]), m * fall, 1e-10);
    const double loss = -(g[1] * v[0] + g[2] * v[1]);
    for (int i = 0; i < 360; ++i) {
        const double a = 3.14159265358979 * i / 180.0;
        const double other = -(mu[0] * cos(a) * v[0] + mu[1] * sin(a) * v[1]) * m * fall;
        assert_true(other <= loss + 1e-9);
    }
    law_problem_destroy(&lp);
}

static void an_ellipse_takes_the_most_energy(void **state)
{
    (void)state;
    check_ellipse(0.8, 0.2);
    check_ellipse(0.2, 0.8);
}

// The belt runs at 0.5 m/s: b_ref of a tangent is what is added to G v.
static void a_belt_carries_what_sticks_to_it(void **state)
{
    (void)state;
    law_problem lp = particle(0.01, 1.0, 0.45, 0.0, -0.1);
    dp_row *row = put_on_floor(&lp, 0.6);
    row[1].b_ref = -0.5;
    solve(&lp);
    assert_near(lp.s.v[0], 0.5, 1e-9);
    assert_int_equal(lp.s.state[1], DP_ROW_STATE_STICK);
    law_problem_destroy(&lp);
}

// A disc on a point of its axis: spin about the normal against torsional friction.
static void torsion_brakes_a_spin(void **state)
{
    (void)state;
    const double h = 0.01, m = 2.0, I = 0.05, fall = 0.1, reach = 0.01;
    law_problem lp = law_problem_create(h, 4, 6);
    law_problem_particle(&lp, m, 0.0);
    law_problem_particle(&lp, m, 0.0);
    law_problem_particle(&lp, m, -fall);
    law_problem_particle(&lp, I, 4.0);
    const int col[4] = {0, 1, 2, 3};
    const double G[16] = {0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1};
    law_problem_contact(&lp, 4, 4, col, G, &(dp_friction){{0.5, 0.5}, reach, {0.0, 0.0}});
    solve(&lp);
    assert_near(lp.s.gamma[3], -reach * m * fall, 1e-12);
    assert_near(lp.s.v[3], 4.0 - reach * m * fall / I, 1e-9);
    law_problem_destroy(&lp);
}

// A rod that slides into a wall and a floor, a particle between two slopes, a stack: random
// contacts over random trees with joints and limits among them.
static law_problem random_contacts(random_source *r, bool own_laws)
{
    const int ntree = 1 + random_below(r, 6), ncontact = 1 + random_below(r, 10);
    law_problem lp = law_problem_create(random_chance(r, 0.5) ? 0.01 : 0.001, 40, 100);
    for (int t = 0; t < ntree; ++t) {
        law_problem_tree(&lp, 6, true, pow(10.0, random_between(r, -1.0, 2.0)), r);
    }
    const law_rows kinds = {1e2, 1e12, 0.0, 0.3, 0.3, 0.2};
    for (int b = 0; b < 2; ++b) {
        if (random_chance(r, 0.5)) {
            law_problem_random_block(&lp, &kinds, r);
        }
    }
    for (int c = 0; c < ncontact; ++c) {
        int col[12], ncol = 0;
        double G[6 * 12];
        const int a = random_below(r, ntree), b = random_below(r, ntree);
        for (int t = 0; t < ntree; ++t) {
            for (int k = 0; (t == a || t == b) && k < 6; ++k) {
                col[ncol++] = 6 * t + k;
            }
        }
        const int choice = random_below(r, 4), nrow = choice == 0 ? 4 : choice == 1 ? 6 : 3;
        for (int k = 0; k < nrow * ncol; ++k) {
            G[k] = random_between(r, -1.0, 1.0);
        }
        const double mu = random_between(r, 0.0, 0.8);
        const dp_friction friction = {{mu, random_chance(r, 0.7) ? mu : 0.5 * mu},
                                      random_between(r, 0.0, 0.1),
                                      {random_between(r, 0.0, 0.1), random_between(r, 0.0, 0.1)}};
        dp_row *row = law_problem_contact(&lp, nrow, ncol, col, G, &friction);
        row[0].phi = random_between(r, -1e-3, 1e-3);
        row[0].k = pow(10.0, random_between(r, 2.0, 15.0));
        row[0].b = random_chance(r, 0.3) ? pow(10.0, random_between(r, 0.0, 6.0)) : 0.0;
        if (own_laws && random_chance(r, 0.8)) {
            const dp_normal_kind kind =
                random_chance(r, 0.5) ? DP_NORMAL_HERTZ : DP_NORMAL_HUNT_CROSSLEY;
            const double d = random_chance(r, 0.5) ? pow(10.0, random_between(r, -3.0, 1.0)) : 0.0;
            lp.normal[lp.p.nfriction - 1] = (dp_normal){kind, d};
            row[0].b = 0.0;
        }
    }
    lp.p.normal = own_laws ? lp.normal : NULL;
    return lp;
}

static void solve_and_certify(uint64_t seed, bool own_laws)
{
    random_source r = {.state = seed};
    const int draws = 2000;
    int missed = 0;
    for (int k = 0; k < draws; ++k) {
        law_problem lp = random_contacts(&r, own_laws);
        const dp_solve_info info = solve(&lp);
        double scratch[40];
        dp_certificate c;
        dp_problem_certify(&c, &lp.p, &lp.s, scratch);
        missed += info.outcome != DP_OUTCOME_CONVERGED;
        double most = 0.0;
        for (int i = 0; i < lp.p.nv; ++i) {
            assert_true(isfinite(lp.s.v[i]));
            most = fmax(most, fabs(lp.s.v[i]));
        }
        if (info.outcome == DP_OUTCOME_CONVERGED) {
            double size = 0.0; // of the impulses
            for (int i = 0; i < lp.p.nrow; ++i) {
                size = fmax(size, fabs(lp.s.gamma[i]));
            }
            // The certificate has its own mobilities, larger or smaller by the condition of M̃.
            assert_true(c.normal_law <= 1e-4 * (1.0 + most));
            assert_true(c.momentum <= 1e-10 * (1.0 + size));
            assert_true(c.friction_power <= 1e-4 * (1.0 + size));
        }
        law_problem_destroy(&lp);
    }
    print_message("%d of %d missed\n", missed, draws);
    assert_true(missed <= draws / 200);
}

static void random_contacts_are_solved_and_certified(void **state)
{
    (void)state;
    solve_and_certify(11, false);
}

static void random_contacts_of_hertz_and_hunt_and_crossley_are_solved(void **state)
{
    (void)state;
    solve_and_certify(12, true);
}

// m g h = γ at rest, where the depth does not change: δ = (m g/k)^{2/3}.
static void a_particle_at_rest_lies_as_deep_as_hertz_says(void **state)
{
    (void)state;
    for (int power = 4; power < 16; power += 3) {
        const double k = pow(10.0, power);
        const double h = 0.01, m = 2.0, depth = pow(m * 10.0 / k, 2.0 / 3.0);
        law_problem lp = particle(h, m, 0.0, 0.0, -10.0 * h);
        dp_row *row = put_on_floor(&lp, 0.5);
        row->phi = -depth;
        row->k = k;
        lp.normal[0] = (dp_normal){DP_NORMAL_HERTZ, 0.1};
        lp.p.normal = lp.normal;
        assert_int_equal(solve(&lp).outcome, DP_OUTCOME_CONVERGED);
        assert_near(lp.s.v[2], 0.0, 1e-9);
        assert_near(lp.s.gamma[0], m * 10.0 * h, 1e-8);
        law_problem_destroy(&lp);
    }
}

// A solution made up by hand, wrong in every way: the certificate says by how much.
static void the_certificate_sees_what_is_wrong(void **state)
{
    (void)state;
    const double h = 0.01, mu = 0.5;
    law_problem lp = particle(h, 1.0, 0.0, 0.0, 0.0);
    put_on_floor(&lp, mu)->phi = 0.002;
    const double v[3] = {0.3, 0.4, 0.1}, gamma[3] = {2.0, 3.0, 4.0};
    for (int i = 0; i < 3; ++i) {
        lp.s.v[i] = v[i];
        lp.s.gamma[i] = gamma[i];
        lp.s.state[i] = i == 0 ? DP_ROW_STATE_ACTIVE : DP_ROW_STATE_STICK;
    }
    double scratch[3];
    dp_certificate c;
    dp_problem_certify(&c, &lp.p, &lp.s, scratch);
    assert_near(c.creep, 0.5, 1e-15);
    assert_near(c.cone, 5.0 - mu * 2.0, 1e-14);
    assert_near(c.friction_power, (3.0 * 0.3 + 4.0 * 0.4) / h, 1e-11);
    assert_near(c.lift_off, 0.002 + h * 0.1, 1e-17);
    law_problem_destroy(&lp);
}

// The same contact four times over, each of a quarter of the stiffness, gives the same motion.
static void four_quarters_are_one(void **state)
{
    (void)state;
    random_source r = {.state = 3};
    for (int k = 0; k < 50; ++k) {
        const double mu = random_between(&r, 0.1, 1.0), stiffness = 1e6;
        const double vx = random_between(&r, -1.0, 1.0), vy = random_between(&r, -1.0, 1.0);
        law_problem one = particle(0.01, 1.0, vx, vy, -0.5);
        put_on_floor(&one, mu)->k = stiffness;
        solve(&one);
        law_problem four = law_problem_create(0.01, 3, 12);
        for (int i = 0; i < 3; ++i) {
            law_problem_particle(&four, 1.0, one.v_free[i]);
        }
        for (int i = 0; i < 4; ++i) {
            put_on_floor(&four, mu)->k = 0.25 * stiffness;
        }
        solve(&four);
        for (int i = 0; i < 3; ++i) {
            assert_near(four.s.v[i], one.s.v[i], 3e-9);
        }
        law_problem_destroy(&one);
        law_problem_destroy(&four);
    }
}

// Particles that push each other at random, and for each contact `open` others that
// are far apart.
static law_problem crowd_of_particles(random_source *r, int open)
{
    const int n = 30, closed = 50;
    law_problem lp = law_problem_create(0.01, 3 * n, 3 * closed * (1 + open));
    for (int t = 0; t < n; ++t) {
        law_problem_tree(&lp, 3, true, random_between(r, 0.5, 2.0), r);
    }
    for (int c = 0; c < closed; ++c) {
        for (int k = 0; k <= open; ++k) {
            random_source far = {.state = (uint64_t)(1000 * c + k)};
            random_source *from = k == 0 ? r : &far; // the closed ones are the same, however many
            const int a = random_below(from, n - 1), b = a + 1 + random_below(from, n - 1 - a);
            const int col[6] = {3 * a, 3 * a + 1, 3 * a + 2, 3 * b, 3 * b + 1, 3 * b + 2};
            double G[18];
            for (int i = 0; i < 18; ++i) {
                G[i] = random_between(from, -1.0, 1.0);
            }
            dp_row *row =
                law_problem_contact(&lp, 3, 6, col, G, &(dp_friction){{0.2, 0.2}, 0.0, {0.0, 0.0}});
            row[0].phi = k == 0 ? -1e-4 : 1e3;
            row[0].k = 1e5;
        }
    }
    return lp;
}

// Both answers are within 1e-9 m/s of the law by every row; velocities of light particles between
// rows in almost the same directions may differ by more.
static void open_contacts_change_nothing(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        random_source r = {.state = seed}, again = r;
        law_problem few = crowd_of_particles(&r, 0), many = crowd_of_particles(&again, 4);
        assert_int_equal(solve(&few).outcome, DP_OUTCOME_CONVERGED);
        assert_int_equal(solve(&many).outcome, DP_OUTCOME_CONVERGED);
        for (int i = 0; i < few.p.nv; ++i) {
            assert_near(many.s.v[i], few.s.v[i], 1e-7);
        }
        law_problem_destroy(&few);
        law_problem_destroy(&many);
    }
}

// Which contacts pushed in the solve before must not show.
static void a_task_finds_the_same_bits_whatever_it_solved_before(void **state)
{
    (void)state;
    random_source r = {.state = 5};
    law_problem lp = crowd_of_particles(&r, 2);
    const dp_law_options opt = dp_law_options_default();
    const size_t bytes = (size_t)1 << 26;
    void *memory = malloc(bytes);
    dp_arena scratch;
    dp_arena_init(&scratch, memory, bytes);
    dp_law_task *task;
    dp_solve_info info;
    assert_int_equal(dp_law_begin(&task, &lp.p, &opt, &scratch, NULL), DP_OK);
    assert_int_equal(dp_law_continue(&lp.s, task, &lp.p, NULL, &info), DP_OK);
    double v[90];
    assert_int_equal(lp.p.nv, 90);
    memcpy(v, lp.s.v, sizeof v);
    for (int i = 0; i < lp.p.nrow; i += 3) { // others push
        lp.row[i].phi = -lp.row[i].phi * 1e-6;
    }
    assert_int_equal(dp_law_continue(&lp.s, task, &lp.p, NULL, &info), DP_OK);
    assert_memory_not_equal(v, lp.s.v, sizeof v);
    for (int i = 0; i < lp.p.nrow; i += 3) {
        lp.row[i].phi = lp.row[i].phi > 0.0 ? -1e-4 : 1e3;
    }
    assert_int_equal(dp_law_continue(&lp.s, task, &lp.p, NULL, &info), DP_OK);
    assert_memory_equal(v, lp.s.v, sizeof v);
    dp_arena_end(&scratch);
    free(memory);
    law_problem_destroy(&lp);
}

// What factors take is known once they are needed.
static void a_law_without_room_for_its_factors_says_so_and_finds_the_same_with_more(void **state)
{
    (void)state;
    random_source r = {.state = 5};
    law_problem lp = crowd_of_particles(&r, 2);
    const dp_law_options opt = dp_law_options_default();
    const size_t most = (size_t)1 << 26;
    void *memory = malloc(most);
    dp_arena scratch;
    dp_arena_init(&scratch, memory, most);
    dp_law_task *task;
    dp_solve_info info;
    assert_int_equal(dp_law_begin(&task, &lp.p, &opt, &scratch, NULL), DP_OK);
    const size_t begun = scratch.used;
    assert_int_equal(dp_law_continue(&lp.s, task, &lp.p, NULL, &info), DP_OK);
    const size_t all = scratch.used;
    assert_true(all > begun && info.factorizations > 0);
    double v[90];
    assert_int_equal(lp.p.nv, 90);
    memcpy(v, lp.s.v, sizeof v);
    for (size_t bytes = begun; bytes <= all; bytes += (all - begun) / 8) {
        const size_t skipped = (size_t)(scratch.base - (char *)memory);
        dp_arena_end(&scratch);
        dp_arena_init(&scratch, memory, skipped + bytes);
        assert_int_equal(dp_law_begin(&task, &lp.p, &opt, &scratch, NULL), DP_OK);
        for (int again = 0; again < 2; ++again) { // the task goes on to say so
            const dp_status status = dp_law_continue(&lp.s, task, &lp.p, NULL, &info);
            assert_int_equal(status, bytes < all ? DP_ERROR_CAPACITY : DP_OK);
        }
        assert_true((scratch.needed > scratch.capacity) == (bytes < all));
    }
    assert_memory_equal(v, lp.s.v, sizeof v);
    dp_arena_end(&scratch);
    free(memory);
    law_problem_destroy(&lp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_particle_sticks_or_slips_as_coulomb_says),
        cmocka_unit_test(a_spring_gives_and_an_open_gap_does_nothing),
        cmocka_unit_test(an_ellipse_takes_the_most_energy),
        cmocka_unit_test(a_belt_carries_what_sticks_to_it),
        cmocka_unit_test(torsion_brakes_a_spin),
        cmocka_unit_test(the_certificate_sees_what_is_wrong),
        cmocka_unit_test(four_quarters_are_one),
        cmocka_unit_test(open_contacts_change_nothing),
        cmocka_unit_test(a_task_finds_the_same_bits_whatever_it_solved_before),
        cmocka_unit_test(a_law_without_room_for_its_factors_says_so_and_finds_the_same_with_more),
        cmocka_unit_test(random_contacts_are_solved_and_certified),
        cmocka_unit_test(random_contacts_of_hertz_and_hunt_and_crossley_are_solved),
        cmocka_unit_test(a_particle_at_rest_lies_as_deep_as_hertz_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
