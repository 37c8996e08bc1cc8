// Whether impulses solve the law `vi`: problems that are made from a solution are solved, others as
// an ellipsoid method of the test's own decides, and where there is none a direction of impulses
// proves it.
#include "law_problem.h"

#include <math.h>
#include <string.h>

static const double h = 0.01;
enum { BODY = 6, MOST_V = 2 * BODY, MOST_ROWS = 80, MOST_CONTACTS = 9 };

static dp_law_options vi_options(void)
{
    dp_law_options opt = dp_law_options_default();
    opt.law = DP_LAW_VI;
    return opt;
}

// ---- problems

static void draw_unit(double n[3], random_source *r)
{
    double square;
    do {
        square = 0.0;
        for (int k = 0; k < 3; ++k) {
            n[k] = random_between(r, -1.0, 1.0);
            square += n[k] * n[k];
        }
    } while (square > 1.0 || square < 1e-3);
    for (int k = 0; k < 3; ++k) {
        n[k] /= sqrt(square);
    }
}

static void cross(double out[3], const double a[3], const double b[3])
{
    for (int k = 0; k < 3; ++k) {
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
    }
}

// Normal and two tangents.
static void draw_frame(double axis[3][3], random_source *r)
{
    double other[3];
    draw_unit(axis[0], r);
    do {
        draw_unit(other, r);
        cross(axis[1], axis[0], other);
    } while (hypot(hypot(axis[1][0], axis[1][1]), axis[1][2]) < 0.3);
    const double size = hypot(hypot(axis[1][0], axis[1][1]), axis[1][2]);
    for (int k = 0; k < 3; ++k) {
        axis[1][k] /= size;
    }
    cross(axis[2], axis[0], axis[1]);
}

typedef struct kinds {
    bool torsion; // contacts of 4 and 6 rows, too
    bool rows;    // a joint, and a row with a range
} kinds;

// A contact of one body with the world, or of two.
static void add_contact(law_problem *lp, int nbody, double mu, bool torsion, random_source *r)
{
    static const int sizes[] = {3, 4, 6};
    const bool both = nbody == 2 && random_chance(r, 0.5);
    const int body = both ? 0 : random_below(r, nbody), ncol = both ? MOST_V : BODY;
    const int nrow = torsion ? sizes[random_below(r, 3)] : 3;
    double axis[3][3], G[6 * MOST_V] = {0.0};
    int col[MOST_V];
    draw_frame(axis, r);
    for (int side = 0; side < (both ? 2 : 1); ++side) {
        const double at[3] = {random_between(r, -0.5, 0.5), random_between(r, -0.5, 0.5),
                              random_between(r, -0.5, 0.5)};
        for (int i = 0; i < nrow; ++i) {
            static const int along[6] = {0, 1, 2, 0, 1, 2};
            double moment[3];
            cross(moment, at, axis[along[i]]);
            for (int k = 0; k < 3; ++k) {
                double *g = G + i * ncol + BODY * side + k;
                g[0] = i < 3 ? (side ? -1.0 : 1.0) * axis[along[i]][k] : 0.0;
                g[3] = (side ? -1.0 : 1.0) * (i < 3 ? moment[k] : axis[along[i]][k]);
            }
        }
    }
    for (int k = 0; k < ncol; ++k) {
        col[k] = BODY * body + k;
    }
    const dp_friction friction = {{mu, mu}, 0.05, {0.03, 0.03}};
    law_problem_contact(lp, nrow, ncol, col, G, &friction);
}

// One or two bodies, touched from all sides.
static law_problem draw_problem(kinds what, random_source *r)
{
    const int nbody = 1 + random_below(r, 2), n = 2 + random_below(r, MOST_CONTACTS - 1);
    const double mu = random_between(r, 0.1, 1.2);
    law_problem lp = law_problem_create(h, MOST_V, MOST_ROWS);
    for (int i = 0; i < nbody * BODY; ++i) {
        law_problem_particle(
            &lp, i % BODY < 3 ? random_between(r, 0.5, 2.0) : random_between(r, 0.05, 0.3),
            random_between(r, -1.0, 1.0));
    }
    for (int c = 0; c < n; ++c) {
        add_contact(&lp, nbody, random_chance(r, 0.3) ? random_between(r, 0.1, 1.2) : mu,
                    what.torsion, r);
    }
    for (int k = 0; what.rows && k < 2; ++k) {
        double G[BODY];
        static const int col[BODY] = {0, 1, 2, 3, 4, 5};
        for (int i = 0; i < BODY; ++i) {
            G[i] = random_between(r, -1.0, 1.0);
        }
        dp_row *row = law_problem_block(&lp, 1, BODY, col, G);
        if (k == 1) {
            row->k = 0.0;
            row->b = (double)INFINITY;
            row->lo = -random_between(r, 0.1, 1.0);
            row->hi = random_between(r, 0.1, 1.0);
        }
    }
    return lp;
}

// An impulse and a slack of a contact that belong to each other: it sticks, within its cone or on
// the rim, slides, is open, or at rest without an impulse.
static void draw_contact(double *x, double *slack, const dp_friction *f, int nrow, double size,
                         random_source *r)
{
    const int kind = random_below(r, 6);
    const double normal = kind < 3 ? size * random_between(r, 0.05, 1.0) : 0.0;
    static const int first[] = {1, 3, 4}, count[] = {2, 1, 2};
    const double reach[] = {f->mu[0], f->torsion, f->roll[0]};
    memset(x, 0, (size_t)nrow * sizeof *x);
    memset(slack, 0, (size_t)nrow * sizeof *slack);
    x[0] = normal;
    for (int g = 0; g < 3 && first[g] < nrow; ++g) {
        const double angle = random_between(r, 0.0, 6.283185307179586);
        const double way[2] = {count[g] == 2 ? cos(angle) : angle < 3.14 ? 1.0 : -1.0, sin(angle)};
        const double part = kind == 0 ? random_between(r, 0.0, 0.95) : 1.0;
        const double slip = kind == 2 || kind == 3 ? random_between(r, 0.01, 0.5) : 0.0;
        for (int k = 0; k < count[g]; ++k) {
            x[first[g] + k] = -part * reach[g] * normal * way[k];
            slack[first[g] + k] = slip * way[k];
        }
        slack[0] += reach[g] * slip;
    }
    slack[0] += kind == 4 ? random_between(r, 0.01, 0.3) : 0.0;
}

static void row_velocities(double *u, const law_problem *lp, const double *v)
{
    for (int b = 0, at = 0; b < lp->p.nblock; ++b) {
        const int ncol = lp->col_start[b + 1] - lp->col_start[b];
        for (int r = lp->row_start[b]; r < lp->row_start[b + 1]; ++r) {
            u[r] = 0.0;
            for (int k = 0; k < ncol; ++k) {
                u[r] += lp->G[at++] * v[lp->col[lp->col_start[b] + k]];
            }
        }
    }
}

// Have v, impulses x and slacks solve it.
static void make_solvable(law_problem *lp, const double *v, const double *x, const double *slack)
{
    double u[MOST_ROWS], force[MOST_V];
    row_velocities(u, lp, v);
    law_problem_force(force, &lp->p, x);
    for (int i = 0; i < lp->p.nv; ++i) {
        lp->v_free[i] = v[i] - force[i] / lp->Mt[i];
    }
    for (int b = 0; b < lp->p.nblock; ++b) {
        for (int r = lp->row_start[b]; r < lp->row_start[b + 1]; ++r) {
            dp_row *row = &lp->row[r];
            const bool by_rate = row->k == 0.0; // friction, and a range
            *(by_rate ? &row->b_ref : &row->phi_t) = slack[r] - u[r];
        }
    }
}

// ---- claims

static void problems_made_from_a_solution_are_solved_but_for_one_in_a_thousand(void **state)
{
    (void)state;
    random_source r = {31};
    int capped = 0;
    for (int k = 0; k < 1320; ++k) {
        law_problem lp = draw_problem((kinds){k % 2 == 1, k % 4 > 1}, &r);
        double v[MOST_V], x[MOST_ROWS], slack[MOST_ROWS];
        const double size = pow(10.0, random_between(&r, -1.0, 1.5)); // up to 30 N s
        for (int i = 0; i < lp.p.nv; ++i) {
            v[i] = random_between(&r, -0.5, 0.5);
        }
        for (int b = 0; b < lp.p.nblock; ++b) {
            const int first = lp.row_start[b], nrow = lp.row_start[b + 1] - first;
            if (lp.friction_of[b] >= 0) {
                draw_contact(x + first, slack + first, &lp.friction[lp.friction_of[b]], nrow, size,
                             &r);
                continue;
            }
            const bool at_end = isfinite(lp.row[first].lo) && random_chance(&r, 0.5);
            x[first] = at_end ? lp.row[first].hi : 0.05;
            slack[first] = at_end ? -random_between(&r, 0.0, 0.3) : 0.0;
        }
        make_solvable(&lp, v, x, slack);
        const dp_law_options opt = vi_options();
        const dp_solve_info info = law_problem_solve(&lp, NULL, &opt);
        capped += info.outcome == DP_OUTCOME_CAPPED; // and none is called infeasible
        assert_true(info.outcome == DP_OUTCOME_CONVERGED || info.outcome == DP_OUTCOME_CAPPED);
        assert_true(info.residual <= 1e-8);
        for (int i = 0; i < lp.p.nv; ++i) { // velocities are unique
            assert_near(lp.s.v[i], v[i], 1e-6);
        }
        law_problem_destroy(&lp);
    }
    assert_true(capped <= 1);
}

// By how much v misses what contacts ask for, μ ‖u_t − û_t‖ − (u_n − û_n) at the worst of them, and
// its slope.
static double missed(double *slope, const law_problem *lp, const double *v)
{
    double u[MOST_ROWS], worst = -(double)INFINITY;
    row_velocities(u, lp, v);
    for (int b = 0; b < lp->p.nblock; ++b) {
        const int r = lp->row_start[b], ncol = lp->col_start[b + 1] - lp->col_start[b];
        const double mu = lp->friction[lp->friction_of[b]].mu[0];
        const double slip[2] = {u[r + 1] + lp->row[r + 1].b_ref, u[r + 2] + lp->row[r + 2].b_ref};
        const double speed = hypot(slip[0], slip[1]);
        const double miss = mu * speed - (u[r] + lp->row[r].phi / h + lp->row[r].phi_t);
        if (miss > worst) {
            worst = miss;
            memset(slope, 0, MOST_V * sizeof *slope);
            const double part[3] = {-1.0, speed > 0.0 ? mu * slip[0] / speed : 0.0,
                                    speed > 0.0 ? mu * slip[1] / speed : 0.0};
            for (int k = 0; k < 3 * ncol; ++k) {
                slope[lp->col[lp->col_start[b] + k % ncol]] +=
                    part[k / ncol] * lp->G[lp->p.G_start[b] + (size_t)k];
            }
        }
    }
    return worst;
}

// The ellipsoid method on `missed`. @return −1: some velocity meets all contacts with room to
// spare; 1: none up to 1 km/s does; 0: hard to tell
static int decide(const law_problem *lp)
{
    const int n = lp->p.nv;
    const double clear = 1e-6;
    double v[MOST_V] = {0.0}, P[MOST_V][MOST_V] = {{0.0}}, g[MOST_V], Pg[MOST_V];
    for (int i = 0; i < n; ++i) {
        P[i][i] = 1e6;
    }
    for (int k = 0; k < 20000; ++k) {
        const double f = missed(g, lp, v);
        double width = 0.0;
        for (int i = 0; i < n; ++i) {
            Pg[i] = 0.0;
            for (int j = 0; j < n; ++j) {
                Pg[i] += P[i][j] * g[j];
            }
            width += g[i] * Pg[i];
        }
        width = sqrt(width); // nowhere in the ellipsoid is it below f − width
        if (f < -clear || f - width > clear) {
            return f < -clear ? -1 : 1;
        }
        if (!(width > 0.1 * clear)) {
            return 0;
        }
        const double grow = (double)n * n / (n * (double)n - 1.0);
        for (int i = 0; i < n; ++i) {
            v[i] -= Pg[i] / width / (n + 1);
            for (int j = 0; j < n; ++j) {
                P[i][j] = grow * (P[i][j] - 2.0 / (n + 1) * (Pg[i] / width) * (Pg[j] / width));
            }
        }
    }
    return 0;
}

// (FE 1) in long double: z is in its cones, gains, and what it does to bodies is nothing beside it.
static void check_proof(const law_problem *lp, const double *z)
{
    long double gain = 0.0L, force[MOST_V] = {0.0L}, square = 0.0L;
    for (int b = 0, at = 0; b < lp->p.nblock; ++b) {
        const int r = lp->row_start[b], ncol = lp->col_start[b + 1] - lp->col_start[b];
        const double mu = lp->friction[lp->friction_of[b]].mu[0];
        assert_true(hypot(z[r + 1], z[r + 2]) <= mu * z[r] * (1.0 + 1e-12) + 1e-15);
        gain -= (long double)z[r] * (lp->row[r].phi / h + lp->row[r].phi_t);
        gain -= (long double)z[r + 1] * lp->row[r + 1].b_ref;
        gain -= (long double)z[r + 2] * lp->row[r + 2].b_ref;
        for (int k = 0; k < 3 * ncol; ++k) {
            force[lp->col[lp->col_start[b] + k % ncol]] +=
                (long double)lp->G[at++] * z[r + k / ncol];
        }
    }
    for (int i = 0; i < lp->p.nv; ++i) {
        square += force[i] * force[i];
    }
    assert_true(gain > 0.0L);
    assert_true(gain > 1e4L * sqrtl(square)); // no velocity below 10 km/s
}

// Gaps, and surfaces that move.
static void what_an_ellipsoid_method_finds_feasible_is_solved_and_the_rest_is_proven(void **state)
{
    (void)state;
    random_source r = {32};
    int solved = 0, proven = 0, hard = 0;
    for (int k = 0; k < 660; ++k) {
        law_problem lp = draw_problem((kinds){false, false}, &r);
        for (int b = 0; b < lp.p.nblock; ++b) {
            dp_row *row = &lp.row[lp.row_start[b]];
            row[0].phi = random_between(&r, -0.002, 0.002);
            row[1].b_ref = random_between(&r, -0.1, 0.1);
        }
        const int verdict = decide(&lp);
        const dp_law_options opt = vi_options();
        const dp_solve_info info = law_problem_solve(&lp, NULL, &opt);
        if (verdict < 0) {
            assert_int_equal(info.outcome, DP_OUTCOME_CONVERGED);
            ++solved;
        } else if (verdict > 0 && info.outcome != DP_OUTCOME_CONTRADICTORY) {
            double ray[MOST_ROWS], scratch[MOST_V];
            dp_ray_certificate c, again;
            assert_int_equal(info.outcome, DP_OUTCOME_INFEASIBLE);
            assert_int_equal(dp_law_ray(&c, ray, &lp.p, &opt, NULL), DP_OK);
            assert_true(c.proven);
            assert_int_equal(dp_law_judge_ray(&again, &lp.p, ray, &opt, scratch, NULL), DP_OK);
            assert_memory_equal(&c, &again, sizeof c);
            check_proof(&lp, ray);
            ++proven;
        } else {
            ++hard;
        }
        law_problem_destroy(&lp);
    }
    assert_true(solved > 300 && proven > 100 && hard < 20);
}

// [AnitescuPotraStewart1998, (24)–(26)]: two sides at 90° with friction 1, turned anyhow, and a
// load (−1, 0, −ε) along the groove. It takes impulses of √2/(4 ε).
static law_problem wedge(double epsilon, random_source *r)
{
    const double c = sqrt(0.5);
    static const int col[3] = {0, 1, 2};
    const double side[2][9] = {{0, -c, c, 1, 0, 0, 0, c, c}, {0, c, c, 1, 0, 0, 0, -c, c}};
    double axis[3][3];
    law_problem lp = law_problem_create(h, 3, 6);
    draw_frame(axis, r);
    for (int i = 0; i < 3; ++i) {
        law_problem_particle(&lp, 1.0, -axis[0][i] - epsilon * axis[2][i]);
    }
    for (int k = 0; k < 2; ++k) {
        double G[9] = {0.0};
        for (int i = 0; i < 27; ++i) {
            G[i / 9 * 3 + i % 3] += side[k][i / 9 * 3 + i / 3 % 3] * axis[i / 3 % 3][i % 3];
        }
        law_problem_contact(&lp, 3, 3, col, G, &(dp_friction){{1.0, 1.0}, 0.0, {0.0, 0.0}});
    }
    return lp;
}

static double size_of(const double *x, int n)
{
    double square = 0.0;
    for (int i = 0; i < n; ++i) {
        square += x[i] * x[i];
    }
    return sqrt(square);
}

static void a_wedge_is_weakly_infeasible_and_all_near_it_are_solved(void **state)
{
    (void)state;
    random_source r = {33};
    const dp_law_options opt = vi_options();
    for (int k = 0; k < 12; ++k) {
        for (double epsilon = 1.0; epsilon > 0.9e-4; epsilon *= 0.1) {
            law_problem lp = wedge(epsilon, &r);
            assert_int_equal(law_problem_solve(&lp, NULL, &opt).outcome, DP_OUTCOME_CONVERGED);
            double off = 0.0;
            for (int i = 0; i < 3; ++i) {
                off = fmax(off, fabs(lp.s.v[i]));
            }
            assert_true(off <= 1e-6); // it is held
            const double b = 0.25 / epsilon;
            const double least = sqrt(2.0 * (0.25 + b * b + 0.25 * epsilon * epsilon));
            assert_true(size_of(lp.s.gamma, 6) >= (1.0 - 1e-6) * least);
            if (epsilon > 0.05) {
                assert_near(size_of(lp.s.gamma, 6) / least, 1.0, 1e-6);
            }
            law_problem_destroy(&lp);
        }
        law_problem lp = wedge(0.0, &r);
        const dp_solve_info info = law_problem_solve(&lp, NULL, &opt);
        double ray[6];
        dp_ray_certificate c;
        assert_int_equal(info.outcome, DP_OUTCOME_WEAKLY_INFEASIBLE);
        assert_true(info.residual > 0.0 && info.residual < 1e-2);
        assert_int_equal(dp_law_ray(&c, ray, &lp.p, &opt, NULL), DP_OK);
        // Across the groove: each side pushes along the inner rim of its cone.
        assert_true(!c.proven && c.outside <= 1e-9 && c.effect < 1e-3);
        assert_near(ray[0] / ray[3], 1.0, 1e-3);
        assert_near(-ray[2] / ray[0], 1.0, 1e-2);
        law_problem_destroy(&lp);
    }
}

// Factorizations of searches and of the decision between them. Nothing is proven without one, and
// what has no solution is not called solved.
static void a_decision_is_within_the_limit_of_work_or_is_not_made(void **state)
{
    (void)state;
    enum { LIMITS = 4, FEWEST = 2 }; // FEWEST and more of them suffice for a decision
    static const int limit[LIMITS] = {64, 199, 200, 1000};
    random_source r = {34};
    int proven = 0;
    for (int k = 0; k < 200; ++k) {
        law_problem lp = draw_problem((kinds){true, false}, &r);
        for (int b = 0; b < lp.p.nblock; ++b) {
            lp.row[lp.row_start[b]].phi = random_between(&r, -0.002, 0.002);
        }
        dp_outcome outcome[LIMITS];
        for (int i = 0; i < LIMITS; ++i) {
            dp_law_options opt = vi_options();
            opt.max_factorizations = limit[i];
            const dp_solve_info info = law_problem_solve(&lp, NULL, &opt);
            outcome[i] = info.outcome;
            assert_true(info.factorizations <= limit[i]);
        }
        const bool none = outcome[FEWEST] == DP_OUTCOME_INFEASIBLE;
        proven += none;
        for (int i = 0; none && i < LIMITS; ++i) {
            assert_int_equal(outcome[i] == DP_OUTCOME_INFEASIBLE, i >= FEWEST);
            assert_int_not_equal(outcome[i], DP_OUTCOME_CONVERGED);
        }
        law_problem_destroy(&lp);
    }
    assert_true(proven > 40);
}

static void a_direction_proves_nothing_unless_it_is_in_its_cones_idle_and_gains(void **state)
{
    (void)state;
    // A ball between two walls that approach each other.
    static const int col[3] = {0, 1, 2};
    const double left[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, right[9] = {-1, 0, 0, 0, 1, 0, 0, 0, -1};
    const dp_friction friction = {{0.5, 0.5}, 0.0, {0.0, 0.0}};
    law_problem lp = law_problem_create(h, 3, 6);
    for (int i = 0; i < 3; ++i) {
        law_problem_particle(&lp, 2.0, 0.1);
    }
    law_problem_contact(&lp, 3, 3, col, left, &friction)->phi_t = -0.1;
    law_problem_contact(&lp, 3, 3, col, right, &friction)->phi_t = -0.2;
    static const double rays[][6] = {
        {1, 0, 0, 1, 0, 0},      // both push: a proof
        {1, 0.2, 0, 1, -0.2, 0}, // and rub against each other: a proof
        {1, 0.6, 0, 1, -0.6, 0}, // more than friction allows
        {-1, 0, 0, -1, 0, 0},    // they pull
        {1, 0, 0, 1.001, 0, 0},  // it moves the ball
        {1, 0.2, 0, 1, 0.2, 0},  // so does this
        {0, 0, 0, 0, 0, 0},
    };
    const dp_law_options opt = vi_options();
    for (int k = 0; k < 7; ++k) {
        dp_ray_certificate c;
        double scratch[3];
        assert_int_equal(dp_law_judge_ray(&c, &lp.p, rays[k], &opt, scratch, NULL), DP_OK);
        assert_int_equal(c.proven, k < 2);
        if (k < 2) {
            assert_near(c.gain, 0.3, 1e-15);
        }
    }
    law_problem_destroy(&lp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(problems_made_from_a_solution_are_solved_but_for_one_in_a_thousand),
        cmocka_unit_test(what_an_ellipsoid_method_finds_feasible_is_solved_and_the_rest_is_proven),
        cmocka_unit_test(a_wedge_is_weakly_infeasible_and_all_near_it_are_solved),
        cmocka_unit_test(a_decision_is_within_the_limit_of_work_or_is_not_made),
        cmocka_unit_test(a_direction_proves_nothing_unless_it_is_in_its_cones_idle_and_gains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
