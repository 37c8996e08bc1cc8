// The law `vi` beside other laws, with joints, discs and wedges.
#include "law_problem.h"

#include "solve/law.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double h = 0.01;
enum { BODY = 6 };

static dp_law_options vi_options(void)
{
    dp_law_options opt = dp_law_options_default();
    opt.law = DP_LAW_VI;
    return opt;
}

static void add_body(law_problem *lp, double m, double inertia, const double v[BODY])
{
    for (int i = 0; i < BODY; ++i) {
        law_problem_particle(lp, i < 3 ? m : inertia, v[i]);
    }
}

// ---- friction

static law_problem particle(double vx, double vy, double vz, double mu)
{
    law_problem lp = law_problem_create(h, 3, 3);
    law_problem_particle(&lp, 2.0, vx);
    law_problem_particle(&lp, 2.0, vy);
    law_problem_particle(&lp, 2.0, vz);
    const int col[3] = {0, 1, 2};
    const double G[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0};
    law_problem_contact(&lp, 3, 3, col, G, &(dp_friction){{mu, mu}, 0.0, {0.0, 0.0}});
    return lp;
}

// By hand: on the ray (1, −μ) with u_n = μ u_t, so γ = m (g h + μ v)/(1 + μ²).
static void a_particle_that_begins_to_slide_is_thrown_up_by_its_cone(void **state)
{
    (void)state;
    const double mu = 0.5, v = 1.0, fall = 0.1;
    law_problem lp = particle(v, 0.0, -fall, mu);
    const dp_law_options opt = vi_options();
    assert_int_equal(law_problem_solve(&lp, NULL, &opt).outcome, DP_OUTCOME_CONVERGED);
    const double normal = 2.0 * (fall + mu * v) / (1.0 + mu * mu);
    assert_near(lp.s.gamma[0], normal, 1e-14);
    assert_near(lp.s.gamma[1], -mu * normal, 1e-14);
    assert_near(lp.s.v[2], mu * lp.s.v[0], 1e-14);
    law_problem_destroy(&lp);
}

static void a_disc_has_the_radius_of_the_load_without_friction(void **state)
{
    (void)state;
    law_problem lp = particle(0.6, 0.8, -0.1, 0.5);
    dp_law_options opt = vi_options();
    opt.vi.friction = DP_VI_FRICTION_DISC;
    const dp_solve_info info = law_problem_solve(&lp, NULL, &opt);
    assert_int_equal(info.outcome, DP_OUTCOME_CONVERGED);
    assert_near(lp.s.gamma[0], 0.2, 1e-15);
    assert_near(lp.s.gamma[1], -0.06, 1e-14);
    assert_near(lp.s.gamma[2], -0.08, 1e-14);
    assert_near(lp.s.v[2], 0.0, 1e-15);
    dp_certificate c;
    double scratch[3];
    assert_int_equal(dp_law_judge(&c, &lp.p, &lp.s, &opt, &info, scratch, NULL), DP_OK);
    assert_true(c.normal_law <= 1e-12 && c.heading <= 1e-12);
    law_problem_destroy(&lp);
}

static void discs_are_judged_by_the_direction_of_friction(void **state)
{
    (void)state;
    random_source r = {1};
    for (int k = 0; k < 200; ++k) {
        law_problem lp = law_problem_random_contacts(3, &r);
        dp_law_options opt = vi_options();
        opt.vi.friction = DP_VI_FRICTION_DISC;
        const dp_solve_info info = law_problem_solve(&lp, NULL, &opt);
        assert_int_equal(info.outcome, DP_OUTCOME_CONVERGED);
        dp_certificate c;
        double scratch[64];
        assert_int_equal(dp_law_judge(&c, &lp.p, &lp.s, &opt, &info, scratch, NULL), DP_OK);
        assert_true(c.normal_law <= 1e-9 && c.friction_power <= 1e-8);
        law_problem_destroy(&lp);
    }
}

// Three legs: loads are determined, and the compliance is all that is between the two laws.
static void with_de_saxces_term_it_is_the_law_ncp(void **state)
{
    (void)state;
    const double legs[3][3] = {{0.5, 0.1, -0.4}, {-0.4, 0.5, -0.4}, {-0.2, -0.6, -0.4}};
    for (int k = 0; k < 20; ++k) {
        const double v[BODY] = {0.1 * k, 0.5, -0.1, 0.01, 0.02, 0.1 * k - 1.0};
        law_problem lp = law_problem_create(h, BODY, 9);
        add_body(&lp, 2.0, 0.8, v);
        for (int i = 0; i < 3; ++i) {
            const double *r = legs[i];
            const double G[3 * BODY] = {0, 0,    1,     r[1], -r[0], 0, 1,     0, 0,
                                        0, r[2], -r[1], 0,    1,     0, -r[2], 0, r[0]};
            const int col[BODY] = {0, 1, 2, 3, 4, 5};
            law_problem_contact(&lp, 3, BODY, col, G, &(dp_friction){{0.3, 0.3}, 0.0, {0.0, 0.0}});
        }
        dp_law_options opt = vi_options();
        opt.vi.desaxce = true;
        double found[2][BODY];
        assert_int_equal(law_problem_solve(&lp, NULL, &opt).outcome, DP_OUTCOME_CONVERGED);
        memcpy(found[0], lp.s.v, sizeof found[0]);
        opt.rigid.compliance = 0.0;
        assert_int_equal(law_problem_solve(&lp, NULL, &opt).outcome, DP_OUTCOME_CONVERGED);
        memcpy(found[1], lp.s.v, sizeof found[1]);
        opt.law = DP_LAW_NCP;
        law_problem_solve(&lp, NULL, &opt);
        for (int i = 0; i < BODY; ++i) {
            assert_near(found[0][i], lp.s.v[i], 2e-6); // s = 1e-6, impulses of 1 N s
            assert_true(found[1][i] == lp.s.v[i]);
        }
        law_problem_destroy(&lp);
    }
}

// Two contacts of the same place. What shows of s is far below the tolerance.
static void with_a_compliance_loads_go_by_stiffness_at_the_usual_tolerance(void **state)
{
    (void)state;
    const double v[BODY] = {0.0, 0.0, -0.1, 0.0, 0.0, 0.0};
    law_problem lp = law_problem_create(h, BODY, 6);
    add_body(&lp, 2.0, 0.8, v);
    for (int i = 0; i < 2; ++i) {
        const double G[3 * BODY] = {0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0};
        const int col[BODY] = {0, 1, 2, 3, 4, 5};
        dp_row *row =
            law_problem_contact(&lp, 3, BODY, col, G, &(dp_friction){{0.3, 0.3}, 0.0, {0.0, 0.0}});
        row[0].k = i == 0 ? 1e6 : 1e5;
        row[0].b = 0.0;
    }
    dp_law_options opt = vi_options();
    opt.law = DP_LAW_NCP;
    for (int i = 0; i < 2; ++i) {
        opt.rigid.compliance = i == 0 ? 1e-6 : 1e-7;
        assert_int_equal(law_problem_solve(&lp, NULL, &opt).outcome, DP_OUTCOME_CONVERGED);
        assert_near(lp.s.gamma[0] / lp.s.gamma[3], 10.0, 0.01);
    }
    law_problem_destroy(&lp);
}

static void rows_that_nothing_moves_are_met_as_well_as_can_be(void **state)
{
    (void)state;
    law_problem lp = law_problem_create(h, 1, 1);
    law_problem_block(&lp, 1, 0, NULL, NULL);
    dp_law_options opt = vi_options();
    law_problem_solve(&lp, NULL, &opt);
    assert_true(lp.s.gamma[0] == 0.0);
    opt.rigid.compliance = 1e-6;
    law_problem_solve(&lp, NULL, &opt);
    assert_true(lp.s.gamma[0] == 0.0);
    law_problem_destroy(&lp);
}

// ---- joints

// A body on the floor with a speck of dust on it: mobilities of 0.5 and 1e9.
static void contacts_are_rigid_however_mobile_others_are(void **state)
{
    (void)state;
    law_problem lp = law_problem_create(h, 6, 6);
    for (int i = 0; i < 6; ++i) {
        law_problem_particle(&lp, i < 3 ? 2.0 : 1e-9, (const double[]){0.3, 0, -0.1, 0, 0, -1}[i]);
    }
    const int col[6] = {0, 1, 2, 3, 4, 5};
    const double floor[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0};
    const double between[18] = {0, 0, -1, 0, 0, 1, -1, 0, 0, 1, 0, 0, 0, -1, 0, 0, 1, 0};
    law_problem_contact(&lp, 3, 3, col, floor, &(dp_friction){{0.5, 0.5}, 0.0, {0.0, 0.0}});
    law_problem_contact(&lp, 3, 6, col, between, &(dp_friction){{0.5, 0.5}, 0.0, {0.0, 0.0}});
    const dp_law_options opt = vi_options();
    const dp_solve_info info = law_problem_solve(&lp, NULL, &opt);
    assert_int_equal(info.outcome, DP_OUTCOME_CONVERGED);
    dp_certificate c;
    double scratch[6];
    assert_int_equal(dp_law_judge(&c, &lp.p, &lp.s, &opt, &info, scratch, NULL), DP_OK);
    assert_true(c.normal_law <= 1e-12);
    law_problem_destroy(&lp);
}

// A carriage of seven tonnes that is moved at 0.1 m/s, and friction of 0.4 mN s in a hinge of a bob
// on it: mobilities of 1e-4 and 5e3.
static void motions_are_met_however_mobile_others_are(void **state)
{
    (void)state;
    law_problem lp = law_problem_create(h, 2, 2);
    law_problem_particle(&lp, 7000.0, 0.0);
    law_problem_particle(&lp, 2e-4, 0.3);
    const int col[2] = {0, 1};
    dp_row *motion = law_problem_block(&lp, 1, 2, col, (const double[]){1, 0});
    motion->phi_t = motion->b_ref = -0.1;
    dp_row *friction = law_problem_block(&lp, 1, 2, col, (const double[]){0, 1});
    friction->lo = -4e-4;
    friction->hi = 4e-4;
    const dp_law_options opt = vi_options();
    const dp_solve_info info = law_problem_solve(&lp, NULL, &opt);
    assert_int_equal(info.outcome, DP_OUTCOME_CONVERGED);
    assert_near(lp.s.v[0], 0.1, 1e-12);
    assert_near(lp.s.gamma[0], 700.0, 1e-8);
    law_problem_destroy(&lp);
}

// Compliance would let impulses grow until they have closed the gap that nothing can.
static void a_gap_that_nothing_can_close_is_not_solved(void **state)
{
    (void)state;
    law_problem lp = law_problem_create(h, 1, 3);
    law_problem_particle(&lp, 20.0, 0.0);
    const int col[1] = {0};
    const double G[3] = {0, 0, -1};
    law_problem_contact(&lp, 3, 1, col, G, &(dp_friction){{0.0, 0.0}, 0.0, {0.0, 0.0}});
    lp.row[0].phi = -1e-4;
    const dp_law_options opt = vi_options();
    const dp_solve_info info = law_problem_solve(&lp, NULL, &opt);
    assert_int_equal(info.outcome, DP_OUTCOME_INFEASIBLE);
    assert_true(lp.s.gamma[0] < 1e6);
    law_problem_destroy(&lp);
}

// The rows of a hinge about y at r1 of one body and r2 of another; −1: the world.
static void add_hinge(law_problem *lp, int one, const double r1[3], int two, const double r2[3])
{
    double G[5 * 2 * BODY] = {0.0};
    int col[2 * BODY], ncol = 0;
    for (int k = 0; k < 2; ++k) {
        const int body = k == 0 ? one : two;
        const double *r = k == 0 ? r1 : r2, sign = k == 0 ? -1.0 : 1.0;
        const double at[5][BODY] = {{1, 0, 0, 0, r[2], -r[1]},
                                    {0, 1, 0, -r[2], 0, r[0]},
                                    {0, 0, 1, r[1], -r[0], 0},
                                    {0, 0, 0, 1, 0, 0},
                                    {0, 0, 0, 0, 0, 1}};
        for (int j = 0; body >= 0 && j < BODY; ++j) {
            for (int i = 0; i < 5; ++i) {
                G[i * 2 * BODY + ncol] = sign * at[i][j];
            }
            col[ncol++] = BODY * body + j;
        }
    }
    double packed[5 * 2 * BODY];
    for (int i = 0; i < 5 * ncol; ++i) {
        packed[i] = G[i / ncol * 2 * BODY + i % ncol];
    }
    law_problem_block(lp, 5, ncol, col, packed);
}

// Bodies in a row, hung at both ends: joints 0 … n, from last to first if `back`.
static law_problem chain(int n, bool back)
{
    law_problem lp = law_problem_create(h, BODY * n, 5 * (n + 1));
    for (int i = 0; i < n; ++i) {
        const double v[BODY] = {0.0, 0.0, -0.1, 0.0, 0.01 * i, 0.0};
        add_body(&lp, 1.0 + 0.1 * i, 0.2, v);
    }
    for (int k = 0; k <= n; ++k) { // down and up again: a polygon of links, two metres each
        const int i = back ? n - k : k;
        const double slope = 0.3 - 0.6 * i / n, before = 0.3 - 0.6 * (i - 1) / n;
        const double left[3] = {sqrt(1.0 - before * before), 0.05, -before};
        const double right[3] = {-sqrt(1.0 - slope * slope), 0.05, slope};
        add_hinge(&lp, i - 1, left, i < n ? i : -1, right);
    }
    return lp;
}

// An orthonormal basis of the range of G, nrow × at most nv. @return how many
static int find_range(long double *Q, const dp_step_problem *p)
{
    long double a[512];
    int count = 0;
    for (int j = 0; j < p->nv; ++j) {
        memset(a, 0, sizeof a);
        for (int b = 0; b < p->nblock; ++b) {
            const int first = p->col_start[b], ncol = p->col_start[b + 1] - first;
            for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r) {
                for (int k = 0; k < ncol; ++k) {
                    if (p->col[first + k] == j) {
                        a[r] = p->G[p->G_start[b] + (size_t)((r - p->row_start[b]) * ncol + k)];
                    }
                }
            }
        }
        for (int twice = 0; twice < 2; ++twice) {
            for (int q = 0; q < count; ++q) {
                long double dot = 0.0L;
                for (int r = 0; r < p->nrow; ++r) {
                    dot += Q[q * p->nrow + r] * a[r];
                }
                for (int r = 0; r < p->nrow; ++r) {
                    a[r] -= dot * Q[q * p->nrow + r];
                }
            }
        }
        long double size = 0.0L;
        for (int r = 0; r < p->nrow; ++r) {
            size += a[r] * a[r];
        }
        if (size > 1e-20L) {
            for (int r = 0; r < p->nrow; ++r) {
                Q[count * p->nrow + r] = a[r] / sqrtl(size);
            }
            ++count;
        }
    }
    return count;
}

// The least of all impulses that act alike lie in the range of G.
static void reactions_of_joints_are_the_least_of_those_that_do(void **state)
{
    (void)state;
    static const int lengths[] = {3, 10, 16}; // 3: a four-bar
    for (int k = 0; k < 3; ++k) {
        const int n = lengths[k];
        law_problem lp = chain(n, false), turned = chain(n, true);
        dp_law_options opt = vi_options();
        assert_int_equal(law_problem_solve(&lp, NULL, &opt).outcome, DP_OUTCOME_CONVERGED);
        const int nrow = lp.p.nrow;
        long double *Q = malloc((size_t)(nrow * lp.p.nv) * sizeof *Q);
        assert_non_null(Q);
        const int rank = find_range(Q, &lp.p);
        assert_int_equal(nrow - rank, 3); // what a plane has too many
        double most = 0.0;
        for (int r = 0; r < nrow; ++r) {
            most = fmax(most, fabs(lp.s.gamma[r]));
        }
        for (int r = 0; r < nrow; ++r) {
            long double in_range = 0.0L;
            for (int q = 0; q < rank; ++q) {
                long double dot = 0.0L;
                for (int i = 0; i < nrow; ++i) {
                    dot += Q[q * nrow + i] * lp.s.gamma[i];
                }
                in_range += Q[q * nrow + r] * dot;
            }
            assert_near(lp.s.gamma[r], (double)in_range, 1e-10 * most);
        }
        law_problem_solve(&turned, NULL, &opt);
        for (int r = 0; r < nrow; ++r) {
            const int other = 5 * (n - r / 5) + r % 5;
            assert_near(turned.s.gamma[other], lp.s.gamma[r], 1e-9 * most);
        }
        free(Q);
        law_problem_destroy(&lp);
        law_problem_destroy(&turned);
    }
}

// A pin twice, with gaps that differ: both are met half-way, and what they do stays what it is.
static void joints_that_contradict_each_other_do_not_press_without_bound(void **state)
{
    (void)state;
    const double v[BODY] = {0.1, -0.2, -0.1, 0.3, 0.1, -0.4}, at[3] = {0.3, 0.2, 0.5};
    const double off = 1e-4; // [m]
    dp_law_options opt = vi_options();
    for (int k = 0; k < 9; ++k) {
        opt.rigid.compliance = k == 0 ? -1.0 : pow(10.0, -1.0 - k);
        law_problem agree = law_problem_create(h, BODY, 10),
                    differ = law_problem_create(h, BODY, 10);
        for (int i = 0; i < 2; ++i) {
            law_problem *lp = i ? &differ : &agree;
            add_body(lp, 2.0, 0.5, v);
            add_hinge(lp, 0, at, -1, at);
            add_hinge(lp, 0, at, -1, at);
            for (int r = 0; r < 10; ++r) {
                lp->row[r].phi = i == 0 ? 0.5 * off : r < 5 ? off : 0.0;
            }
        }
        assert_int_equal(law_problem_solve(&agree, NULL, &opt).outcome, DP_OUTCOME_CONVERGED);
        const dp_solve_info info = law_problem_solve(&differ, NULL, &opt);
        assert_int_equal(info.outcome, DP_OUTCOME_CONTRADICTORY);
        assert_near(info.inconsistent, 0.5 * off / h, 1e-9);
        for (int r = 0; r < 10; ++r) { // round-off over s is what may be between them
            assert_near(differ.s.gamma[r], agree.s.gamma[r], 1e-9);
            assert_near(agree.s.gamma[r], agree.s.gamma[(r + 5) % 10], 1e-7);
        }
        law_problem_destroy(&agree);
        law_problem_destroy(&differ);
    }
}

// ---- others

// [AnitescuPotraStewart1998, (24)–(26)]: two sides at 90° with friction 1. A load (−1, 0, −ε) takes
// impulses of √2/(4 ε); none hold (−1, 0, 0).
static law_problem wedge(double epsilon)
{
    const double c = sqrt(0.5);
    const int col[3] = {0, 1, 2};
    const double left[9] = {0, -c, c, 1, 0, 0, 0, c, c}, right[9] = {0, c, c, 1, 0, 0, 0, -c, c};
    law_problem lp = law_problem_create(h, 3, 6);
    law_problem_particle(&lp, 1.0, -1.0);
    law_problem_particle(&lp, 1.0, 0.0);
    law_problem_particle(&lp, 1.0, -epsilon);
    law_problem_contact(&lp, 3, 3, col, left, &(dp_friction){{1.0, 1.0}, 0.0, {0.0, 0.0}});
    law_problem_contact(&lp, 3, 3, col, right, &(dp_friction){{1.0, 1.0}, 0.0, {0.0, 0.0}});
    return lp;
}

static void a_wedge_without_least_impulses_is_told_and_not_solved(void **state)
{
    (void)state;
    const dp_law_options opt = vi_options();
    static const double loads[] = {1.0, 0.1, 0.01};
    for (int k = 0; k < 3; ++k) {
        law_problem lp = wedge(loads[k]);
        assert_int_equal(law_problem_solve(&lp, NULL, &opt).outcome, DP_OUTCOME_CONVERGED);
        const double a = 0.5, b = 0.25 / loads[k], c = 0.5 * loads[k];
        double square = 0.0;
        for (int r = 0; r < 6; ++r) {
            square += lp.s.gamma[r] * lp.s.gamma[r];
        }
        assert_close(sqrt(square), sqrt(2.0 * (a * a + b * b + c * c)), 1e-7);
        law_problem_destroy(&lp);
    }
    law_problem open = wedge(0.0);
    assert_int_equal(law_problem_solve(&open, NULL, &opt).outcome, DP_OUTCOME_WEAKLY_INFEASIBLE);
    for (int i = 0; i < 3; ++i) {
        assert_true(isfinite(open.s.v[i]));
    }
    law_problem_destroy(&open);
}

// Supports of a beam: springs that become stiffer share its weight as the law does in the limit.
static void springs_come_to_the_same_loads_as_they_become_stiff(void **state)
{
    (void)state;
    enum { SUPPORTS = 7 };
    double off[3] = {0.0};
    for (int k = 0; k < 3; ++k) {
        law_problem lp = law_problem_create(h, 2, SUPPORTS);
        law_problem_particle(&lp, 3.0, -0.1);
        law_problem_particle(&lp, 0.7, 0.03);
        const double stiff = pow(10.0, 7.0 + k);
        for (int i = 0; i < SUPPORTS; ++i) {
            const int col[2] = {0, 1};
            const double G[2] = {1.0, -0.6 + 0.2 * i};
            dp_row *row = law_problem_block(&lp, 1, 2, col, G);
            row->lo = 0.0;
            row->k = stiff * (1.0 + 0.5 * (i % 3));
        }
        const dp_law_options opt = vi_options();
        double rigid[SUPPORTS];
        assert_int_equal(law_problem_solve(&lp, NULL, &opt).outcome, DP_OUTCOME_CONVERGED);
        memcpy(rigid, lp.s.gamma, sizeof rigid);
        law_problem_solve(&lp, NULL, NULL);
        for (int i = 0; i < SUPPORTS; ++i) {
            assert_true(rigid[i] > 0.0);
            off[k] = fmax(off[k], fabs(lp.s.gamma[i] - rigid[i]));
        }
        law_problem_destroy(&lp);
    }
    assert_near(log10(off[0] / off[1]), 1.0, 0.02);
    assert_near(log10(off[1] / off[2]), 1.0, 0.02);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_particle_that_begins_to_slide_is_thrown_up_by_its_cone),
        cmocka_unit_test(a_disc_has_the_radius_of_the_load_without_friction),
        cmocka_unit_test(discs_are_judged_by_the_direction_of_friction),
        cmocka_unit_test(with_de_saxces_term_it_is_the_law_ncp),
        cmocka_unit_test(with_a_compliance_loads_go_by_stiffness_at_the_usual_tolerance),
        cmocka_unit_test(contacts_are_rigid_however_mobile_others_are),
        cmocka_unit_test(motions_are_met_however_mobile_others_are),
        cmocka_unit_test(a_gap_that_nothing_can_close_is_not_solved),
        cmocka_unit_test(rows_that_nothing_moves_are_met_as_well_as_can_be),
        cmocka_unit_test(reactions_of_joints_are_the_least_of_those_that_do),
        cmocka_unit_test(joints_that_contradict_each_other_do_not_press_without_bound),
        cmocka_unit_test(a_wedge_without_least_impulses_is_told_and_not_solved),
        cmocka_unit_test(springs_come_to_the_same_loads_as_they_become_stiff),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
