// Heaps of bodies that touch at single points: by sweeps alone, where the tolerance is loose or a
// share of the error of the step.
#include "law_problem.h"
#include "near.h"

#include "base/arena.h"
#include "linalg/tree_ldl.h"
#include "solve/contact/gauss_seidel/gauss_seidel_simd.h"
#include "solve/law.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 6, BODIES = SIDE * SIDE * SIDE, BODY = 6, CONTACTS = 4 * BODIES };
enum { NV = BODY * BODIES, SEEDS = 3 };

static const double RADIUS = 0.1; // [m]

typedef struct heap {
    double decades; // of their masses
    int side;       // bodies along each edge; 0: SIDE
    double off;     // [m] of their centres of mass along each axis, at most: M̃ is full then
    bool ellipses;  // friction that is not the same along both tangents
    bool soft;      // contacts yield as much as bodies do
} heap;

// An element of M̃, j ≤ i, of a ball of 1 kg. @param c its centre of mass, from its middle
static double mass_at(int i, int j, const double c[3])
{
    const double cross[3][3] = {{0.0, -c[2], c[1]}, {c[2], 0.0, -c[0]}, {-c[1], c[0], 0.0}};
    const double same = i == j ? 1.0 : 0.0;
    if (i < 3) {
        return same;
    }
    if (j < 3) {
        return cross[i - 3][j];
    }
    const double square = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
    return (0.4 * RADIUS * RADIUS + square) * same - c[i - 3] * c[j - 3];
}

static void add_body(law_problem *lp, const heap *of, random_source *r)
{
    const int from = lp->p.nv;
    const double m = random_between(r, 0.5, 2.0) *
                     (of->decades > 0.0 ? pow(10.0, random_between(r, 0.0, of->decades)) : 1.0);
    double c[3];
    law_problem_tree(lp, BODY, true, 1.0, r);
    for (int k = 0; k < 3; ++k) {
        c[k] = random_between(r, -of->off, of->off);
    }
    for (int i = 0; i < BODY; ++i) {
        double *row = lp->Mt + lp->Mt_start[from + i]; // from i down to the root
        for (int k = 0; k <= i; ++k) {
            row[k] = m * mass_at(i, i - k, c);
        }
        lp->v_free[from + i] = random_between(r, -0.1, 0.1) - (i == 2 ? 0.1 : 0.0); // they fall
        lp->v0[from + i] = lp->v_free[from + i];
    }
}

// Velocities along axis e where two bodies touch. @param n from the first to the second
// @param sign −1: of the first body
static void put_axis(double *G, const double e[3], const double n[3], double sign)
{
    const double arm[3] = {RADIUS * n[0], RADIUS * n[1], RADIUS * n[2]};
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        G[k] = sign * e[k];
        G[3 + k] = -(arm[i] * e[j] - arm[j] * e[i]); // of both: sign and arm turn together
    }
}

static void find_axes(double e[3][3], random_source *r, int along)
{
    double size = 0.0;
    for (int k = 0; k < 3; ++k) {
        e[0][k] = random_between(r, -0.4, 0.4) + (k == along ? 1.0 : 0.0);
        size += e[0][k] * e[0][k];
    }
    const int least = (along + 1) % 3;
    for (int k = 0; k < 3; ++k) {
        e[0][k] /= sqrt(size);
    }
    const double across = sqrt(1.0 - e[0][least] * e[0][least]);
    for (int k = 0; k < 3; ++k) {
        e[1][k] = ((k == least ? 1.0 : 0.0) - e[0][least] * e[0][k]) / across;
    }
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        e[2][k] = e[0][i] * e[1][j] - e[0][j] * e[1][i];
    }
}

// @param low −1: the ground
static void add_contact(law_problem *lp, const heap *of, int low, int high, int along,
                        random_source *r)
{
    double e[3][3], G[3 * 2 * BODY];
    int col[2 * BODY], ncol = 0;
    find_axes(e, r, along);
    for (int side = 0; side < 2; ++side) {
        for (int k = 0; k < BODY && (side == 1 || low >= 0); ++k) {
            col[ncol++] = BODY * (side == 0 ? low : high) + k;
        }
    }
    for (int i = 0; i < 3; ++i) {
        if (low >= 0) {
            put_axis(G + i * ncol, e[i], e[0], -1.0);
        }
        put_axis(G + i * ncol + ncol - BODY, e[i], e[0], 1.0);
    }
    const double mu = random_between(r, 0.1, 0.8);
    const dp_friction friction = {{mu, of->ellipses ? 0.5 * mu : mu}, 0.0, {0.0, 0.0}};
    dp_row *row = law_problem_contact(lp, 3, ncol, col, G, &friction);
    row[0].phi = random_between(r, -1e-4, 1e-4);
    row[0].k = of->soft ? 1e4 : 1e7;
    row[0].b = random_chance(r, 0.5) ? 1e3 : 0.0;
}

static law_problem make_heap(const heap *of, random_source *r)
{
    const int side = of->side > 0 ? of->side : SIDE, bodies = side * side * side;
    const int step[3] = {1, side, side * side};
    law_problem lp = law_problem_create(0.01, NV, 3 * CONTACTS);
    for (int b = 0; b < bodies; ++b) {
        add_body(&lp, of, r);
    }
    for (int b = 0; b < bodies; ++b) {
        if (b < step[2]) {
            add_contact(&lp, of, -1, b, 2, r);
        }
        for (int along = 0; along < 3; ++along) {
            if (b / step[along] % side + 1 < side) {
                add_contact(&lp, of, b, b + step[along], along, r);
            }
        }
    }
    return lp;
}

// --- an evaluation of its own

// G M̃⁻¹ Gᵀ of a row.
static double mobility(const dp_step_problem *p, const double *LD, int block, const double *G)
{
    static double g[NV], y[NV];
    double w = 0.0;
    memset(g, 0, sizeof g);
    for (int k = p->col_start[block]; k < p->col_start[block + 1]; ++k) {
        g[p->col[k]] = G[k - p->col_start[block]];
    }
    dp_tree_ldl_solve(y, (dp_tree_ldl){p->nv, p->parent, p->Mt_start}, LD, g);
    for (int i = 0; i < p->nv; ++i) {
        w += g[i] * y[i];
    }
    return w;
}

typedef struct judgement {
    double residual; // [m/s] of the worst contact, by the natural map
    double beyond;   // [N s] friction beyond its cone, at worst
    int pushes, slips;
} judgement;

static void judge_contact(judgement *out, const law_problem *lp, const double *LD, int block)
{
    const dp_step_problem *p = &lp->p;
    const int first = p->row_start[block], ncol = p->col_start[block + 1] - p->col_start[block];
    const double *gamma = lp->s.gamma + first, *mu = p->friction[p->friction_of[block]].mu;
    double w[3], u[3];
    for (int i = 0; i < 3; ++i) {
        const double *G = p->G + p->G_start[block] + (size_t)(i * ncol);
        w[i] = mobility(p, LD, block, G);
        u[i] = 0.0;
        for (int k = 0; k < ncol; ++k) {
            u[i] += G[k] * lp->s.v[p->col[p->col_start[block] + k]];
        }
    }
    const dp_row *row = p->row + first;
    const double a = w[0] + dp_row_soft(row, p->h).R;
    const double normal = dp_row_residual(row, p->h, a, gamma[0], u[0]);
    // Friction with its ellipse stretched to a disc of radius μ₁ γ_n.
    const double s = mu[1] / mu[0], radius = mu[0] * gamma[0];
    const double x[2] = {gamma[1], gamma[2] / s}, slip[2] = {u[1], s * u[2]};
    const double b = 0.5 * (w[1] + s * s * w[2]);
    const double y[2] = {x[0] - slip[0] / b, x[1] - slip[1] / b}, size = hypot(y[0], y[1]);
    const double shrink = size > radius ? radius / size : 1.0;
    const double friction = b * hypot(x[0] - shrink * y[0], x[1] - shrink * y[1]);
    out->residual = fmax(out->residual, fmax(normal, friction));
    out->beyond = fmax(out->beyond, fmax(hypot(x[0], x[1]) - radius, -gamma[0]));
    out->pushes += gamma[0] > 0.0;
    out->slips += gamma[0] > 0.0 && size > radius;
}

static judgement judge(const law_problem *lp)
{
    const dp_step_problem *p = &lp->p;
    const size_t bytes = p->Mt_start[p->nv] * sizeof(double);
    judgement out = {0};
    double *LD = malloc(bytes);
    assert_non_null(LD);
    memcpy(LD, p->Mt, bytes);
    assert_int_equal(dp_tree_ldl_factor(LD, (dp_tree_ldl){p->nv, p->parent, p->Mt_start}), -1);
    for (int b = 0; b < p->nblock; ++b) {
        judge_contact(&out, lp, LD, b);
    }
    free(LD);
    return out;
}

// From no impulses, and no factorization: sweeps have done it all.
static void solve_loosely(const heap *of, double tolerance)
{
    for (uint64_t seed = 1; seed <= SEEDS; ++seed) {
        random_source r = {.state = seed};
        law_problem lp = make_heap(of, &r);
        dp_law_options opt = dp_law_options_default();
        opt.tolerance = tolerance;
        opt.error_share = 0.0;
        memcpy(lp.s.v, lp.p.v_free, NV * sizeof *lp.s.v);
        assert_true(judge(&lp).residual > 10.0 * tolerance); // there is something to do
        const dp_solve_info info = law_problem_solve(&lp, NULL, &opt);
        assert_int_equal(info.outcome, DP_OUTCOME_CONVERGED);
        assert_int_equal(info.factorizations, 0);
        const judgement j = judge(&lp);
        assert_true(j.residual <= tolerance * (1.0 + 1e-9)); // but for round-off
        assert_near(j.residual, info.residual, 1e-12);
        assert_true(j.beyond <= 1e-15);
        assert_true(j.slips > 0 && j.pushes > j.slips && lp.p.nblock > j.pushes); // some of each
        static double scratch[NV];
        dp_certificate c;
        dp_problem_certify(&c, &lp.p, &lp.s, scratch);
        assert_true(c.momentum <= 1e-14); // velocities are those of the impulses
        law_problem_destroy(&lp);
    }
}

static void sweeps_alone_solve_heaps_of_balls(void **state)
{
    (void)state;
    solve_loosely(&(heap){0}, 1e-2);
    solve_loosely(&(heap){0}, 1e-3);
}

static void sweeps_alone_solve_heaps_of_lopsided_balls(void **state)
{
    (void)state;
    solve_loosely(&(heap){.off = 0.03}, 1e-2);
    solve_loosely(&(heap){.off = 0.03}, 1e-3);
}

// The third digit of ellipses may take more sweeps than it is worth.
static void sweeps_alone_solve_heaps_with_ellipses_of_friction(void **state)
{
    (void)state;
    solve_loosely(&(heap){.ellipses = true}, 1e-2);
}

// What sweeps are not for: they fall short of it, whatever they cost.
static void a_tight_tolerance_is_met_by_factorizations(void **state)
{
    (void)state;
    random_source r = {.state = 1};
    law_problem lp = make_heap(&(heap){0}, &r);
    dp_law_options opt = dp_law_options_default();
    opt.error_share = 0.0;
    const dp_solve_info info = law_problem_solve(&lp, NULL, &opt);
    assert_int_equal(info.outcome, DP_OUTCOME_CONVERGED);
    assert_true(info.factorizations > 0);
    assert_int_equal(info.within_error, 0);
    assert_true(judge(&lp).residual <= opt.tolerance);
    law_problem_destroy(&lp);
}

// Bodies on top of each other make no loops: factors cost little, and load goes a long way.
static void a_stack_of_balls_is_left_to_factorizations(void **state)
{
    (void)state;
    random_source r = {.state = 1};
    law_problem lp = law_problem_create(0.01, NV, 3 * CONTACTS);
    for (int b = 0; b < BODIES; ++b) {
        add_body(&lp, &(heap){0}, &r);
        add_contact(&lp, &(heap){0}, b - 1, b, 2, &r);
    }
    dp_law_options opt = dp_law_options_default();
    opt.tolerance = 1e-2;
    const dp_solve_info info = law_problem_solve(&lp, NULL, &opt);
    assert_int_equal(info.outcome, DP_OUTCOME_CONVERGED);
    assert_true(info.factorizations > 0);
    assert_true(judge(&lp).residual <= opt.tolerance);
    law_problem_destroy(&lp);
}

// Else hundreds of sweeps are done again, where they have been in vain.
static void there_is_room_for_the_factors_of_a_heap_before_it_is_swept(void **state)
{
    (void)state;
    random_source r = {.state = 1};
    law_problem lp = make_heap(&(heap){0}, &r);
    dp_law_options opt = dp_law_options_default();
    opt.error_share = 0.0;
    const size_t most = (size_t)1 << 28;
    char *memory = malloc(most);
    assert_non_null(memory);
    dp_arena scratch;
    dp_arena_init(&scratch, memory, most);
    dp_law_task *task;
    dp_solve_info info;
    assert_int_equal(dp_law_begin(&task, &lp.p, &opt, &scratch, NULL), DP_OK);
    const size_t taken = scratch.used, needed = scratch.needed;
    dp_arena_end(&scratch);
    dp_arena_init(&scratch, memory, taken + DP_ARENA_ALIGNMENT);
    assert_int_equal(dp_law_begin(&task, &lp.p, &opt, &scratch, NULL), DP_ERROR_CAPACITY);
    dp_arena_end(&scratch);
    dp_arena_init(&scratch, memory, needed + DP_ARENA_ALIGNMENT);
    assert_int_equal(dp_law_begin(&task, &lp.p, &opt, &scratch, NULL), DP_OK);
    assert_int_equal(dp_law_continue(&lp.s, task, &lp.p, NULL, &info), DP_OK);
    assert_true(info.factorizations > 0);
    assert_true(2 * scratch.used > scratch.needed); // and not far more
    dp_arena_end(&scratch);
    free(memory);
    law_problem_destroy(&lp);
}

// By the certificate, which knows the problem and the solution alone.
static void assert_within_error(law_problem *lp, const dp_law_options *opt,
                                const dp_solve_info *info)
{
    static double scratch[NV];
    dp_certificate c;
    assert_int_equal(dp_law_judge(&c, &lp->p, &lp->s, opt, info, scratch, NULL), DP_OK);
    assert_int_equal(c.within_error, info->within_error);
    assert_true(dp_certificate_is_solved(&c, opt->tolerance));
}

static dp_solve_info solve_by_default(law_problem *lp)
{
    const dp_law_options opt = dp_law_options_default();
    const dp_solve_info info = law_problem_solve(lp, NULL, &opt);
    assert_int_equal(info.outcome, DP_OUTCOME_CONVERGED);
    assert_near(judge(lp).residual, info.residual, 1e-12);
    return info;
}

static void a_heap_that_moves_is_solved_to_a_share_of_the_error_of_its_step(void **state)
{
    (void)state;
    const dp_law_options opt = dp_law_options_default();
    for (uint64_t seed = 1; seed <= SEEDS; ++seed) {
        random_source r = {.state = seed};
        law_problem lp = make_heap(&(heap){0}, &r);
        const dp_solve_info info = solve_by_default(&lp);
        assert_int_equal(info.factorizations, 0);
        assert_int_equal(info.within_error, 1);
        assert_true(info.residual > opt.tolerance);
        assert_within_error(&lp, &opt, &info);
        law_problem_destroy(&lp);
    }
}

static void a_heap_that_moves_is_solved_from_any_impulses(void **state)
{
    (void)state;
    static const double size[] = {1e3, 1e6, 1e20, 1e35, 1e100}; // [N s]
    static double gamma[3 * CONTACTS];
    for (size_t i = 0; i < sizeof size / sizeof *size; ++i) {
        random_source r = {.state = i + 1};
        law_problem lp = make_heap(&(heap){.soft = i % 2 == 0}, &r);
        for (int k = 0; k < lp.p.nrow; ++k) {
            gamma[k] =
                size[i] * random_between(&r, k % 3 == 0 ? 0.0 : -0.1, k % 3 == 0 ? 1.0 : 0.1);
        }
        const dp_warm warm = {lp.p.nblock, lp.p.id, lp.p.row_start, gamma, NULL};
        const dp_law_options opt = dp_law_options_default();
        const dp_solve_info info = law_problem_solve(&lp, &warm, &opt);
        assert_int_equal(info.outcome, DP_OUTCOME_CONVERGED);
        assert_near(judge(&lp).residual, info.residual, 1e-12);
        assert_within_error(&lp, &opt, &info);
        law_problem_destroy(&lp);
    }
}

// Sweeps alone do not.
static void a_heap_of_unequal_bodies_is_solved_all_the_same(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 2 * SEEDS; ++seed) {
        random_source r = {.state = seed};
        law_problem lp = make_heap(&(heap){.decades = 6.0}, &r);
        const dp_law_options opt = dp_law_options_default();
        const dp_solve_info info = law_problem_solve(&lp, NULL, &opt);
        assert_int_equal(info.outcome, DP_OUTCOME_CONVERGED);
        assert_within_error(&lp, &opt, &info);
        law_problem_destroy(&lp);
    }
}

static void a_heap_at_rest_is_solved_to_the_tolerance(void **state)
{
    (void)state;
    random_source r = {.state = 1};
    law_problem lp = make_heap(&(heap){0}, &r);
    memset(lp.v0, 0, NV * sizeof *lp.v0); // forces alone move it
    const dp_solve_info info = solve_by_default(&lp);
    assert_int_equal(info.within_error, 0);
    assert_true(info.residual <= 1e-9);
    law_problem_destroy(&lp);
}

// Digits cost little there.
static void a_small_heap_is_solved_to_the_tolerance_however_it_moves(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; ++seed) {
        random_source r = {.state = seed};
        law_problem lp = make_heap(&(heap){.side = 4}, &r);
        const dp_solve_info info = solve_by_default(&lp);
        assert_int_equal(info.within_error, 0);
        assert_true(info.residual <= 1e-9);
        law_problem_destroy(&lp);
    }
}

// What is off fades from solution to solution, until it is a guess that needs no sweep.
static void sweeps_from_a_solution_come_nearer(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; ++seed) {
        random_source r = {.state = seed};
        law_problem lp = make_heap(&(heap){.soft = true}, &r);
        static double gamma[3 * CONTACTS];
        dp_law_options opt = dp_law_options_default();
        opt.tolerance = 1e-4;
        opt.error_share = 0.0;
        double last = law_problem_solve(&lp, NULL, &opt).residual;
        for (int k = 0; k < 16 && last > 1e-3 * opt.tolerance; ++k) {
            memcpy(gamma, lp.s.gamma, (size_t)lp.p.nrow * sizeof *gamma);
            const dp_warm warm = {lp.p.nblock, lp.p.id, lp.p.row_start, gamma, NULL};
            const dp_solve_info info = law_problem_solve(&lp, &warm, &opt);
            assert_int_equal(info.factorizations, 0);
            assert_true(info.residual <= last);
            last = info.residual;
        }
        assert_true(last <= 1e-3 * opt.tolerance);
        assert_near(judge(&lp).residual, last, 1e-12);
        law_problem_destroy(&lp);
    }
}

// A sweep that visits eight points at once is one of single points in their order: none of the
// eight sees another, and of two that share a body the one that comes first is in a group before.
static void points_at_once_share_no_body_and_keep_their_order(void **state)
{
    (void)state;
    random_source r = {.state = 1};
    law_problem lp = make_heap(&(heap){0}, &r);
    const dp_law_options opt = dp_law_options_default();
    const size_t bytes = (size_t)1 << 26;
    void *memory = malloc(bytes);
    assert_non_null(memory);
    dp_arena arena;
    dp_arena_init(&arena, memory, bytes);
    dp_coulomb c;
    assert_int_equal(dp_coulomb_begin(&c, &lp.p, &opt, &arena), DP_OK);
    assert_true(c.gs.has_points);
    static int last[BODIES], taken[CONTACTS * DP_AT_ONCE];
    memset(last, -1, sizeof last);
    memset(taken, 0, sizeof taken);
    for (int b = 0; b < lp.p.nblock; ++b) {
        const int group = c.gs.place[b] / DP_AT_ONCE;
        assert_in_range(c.gs.place[b], 0, c.gs.npoints * DP_AT_ONCE - 1);
        assert_int_equal(taken[c.gs.place[b]]++, 0);
        for (int k = lp.p.col_start[b]; k < lp.p.col_start[b + 1]; k += BODY) {
            int *body = &last[lp.p.col[k] / BODY];
            assert_true(*body < group);
            *body = group;
        }
    }
    assert_true(c.gs.npoints * DP_AT_ONCE < 2 * lp.p.nblock); // most places are taken
    dp_arena_end(&arena);
    free(memory);
    law_problem_destroy(&lp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_at_once_share_no_body_and_keep_their_order),
        cmocka_unit_test(sweeps_from_a_solution_come_nearer),
        cmocka_unit_test(sweeps_alone_solve_heaps_of_balls),
        cmocka_unit_test(sweeps_alone_solve_heaps_of_lopsided_balls),
        cmocka_unit_test(sweeps_alone_solve_heaps_with_ellipses_of_friction),
        cmocka_unit_test(a_tight_tolerance_is_met_by_factorizations),
        cmocka_unit_test(a_stack_of_balls_is_left_to_factorizations),
        cmocka_unit_test(there_is_room_for_the_factors_of_a_heap_before_it_is_swept),
        cmocka_unit_test(a_heap_that_moves_is_solved_to_a_share_of_the_error_of_its_step),
        cmocka_unit_test(a_heap_that_moves_is_solved_from_any_impulses),
        cmocka_unit_test(a_heap_of_unequal_bodies_is_solved_all_the_same),
        cmocka_unit_test(a_heap_at_rest_is_solved_to_the_tolerance),
        cmocka_unit_test(a_small_heap_is_solved_to_the_tolerance_however_it_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
