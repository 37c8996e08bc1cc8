// The law `vi` on step problems: which impulses it chooses, against answers in long double.
#include "law_problem.h"

#include "solve/law.h"

#include <float.h>
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

// ---- problems

static const double mass = 2.0, inertia[3] = {0.7, 1.1, 0.9};

// The velocities of a body, with what forces give in the step.
static void add_body(law_problem *lp, const double v[BODY])
{
    for (int i = 0; i < BODY; ++i) {
        law_problem_particle(lp, i < 3 ? mass : inertia[i - 3], v[i]);
    }
}

// How a force along each axis at r acts on a body: normal z, tangents x and y.
static void leg_rows(double G[3 * BODY], const double r[3])
{
    const double rows[3][BODY] = {
        {0, 0, 1, r[1], -r[0], 0}, {1, 0, 0, 0, r[2], -r[1]}, {0, 1, 0, -r[2], 0, r[0]}};
    memcpy(G, rows, sizeof rows);
}

static dp_row *add_leg(law_problem *lp, int body, const double r[3], double mu)
{
    double G[3 * BODY];
    int col[BODY];
    leg_rows(G, r);
    for (int i = 0; i < BODY; ++i) {
        col[i] = body + i;
    }
    return law_problem_contact(lp, 3, BODY, col, G, &(dp_friction){{mu, mu}, 0.0, {0.0, 0.0}});
}

// A table on n legs that chance puts within a square, and of which chance makes some softer.
static law_problem table(int n, const double v[BODY], double mu, bool even, random_source *r)
{
    law_problem lp = law_problem_create(h, BODY, 3 * n);
    add_body(&lp, v);
    for (int i = 0; i < n; ++i) {
        double at[3] = {i % 2 ? 0.5 : -0.5, i / 2 % 2 ? 0.5 : -0.5, -0.4};
        for (int k = 0; k < 2 && i >= 4; ++k) {
            at[k] = random_between(r, -0.5, 0.5);
        }
        dp_row *row = add_leg(&lp, 0, at, mu);
        row[0].k = even ? 1e6 : 1e6 * random_between(r, 0.2, 5.0);
    }
    return lp;
}

// ---- answers

// A x = b, n × n, with pivots.
static void solve_dense(long double *x, long double *A, long double *b, int n)
{
    for (int k = 0; k < n; ++k) {
        int p = k;
        for (int i = k; i < n; ++i) {
            p = fabsl(A[i * n + k]) > fabsl(A[p * n + k]) ? i : p;
        }
        for (int j = 0; j < n; ++j) {
            const long double t = A[k * n + j];
            A[k * n + j] = A[p * n + j];
            A[p * n + j] = t;
        }
        const long double t = b[k];
        b[k] = b[p];
        b[p] = t;
        for (int i = k + 1; i < n; ++i) {
            const long double f = A[i * n + k] / A[k * n + k];
            for (int j = k; j < n; ++j) {
                A[i * n + j] -= f * A[k * n + j];
            }
            b[i] -= f * b[k];
        }
    }
    for (int k = n - 1; k >= 0; --k) {
        long double sum = b[k];
        for (int j = k + 1; j < n; ++j) {
            sum -= A[k * n + j] * x[j];
        }
        x[k] = sum / A[k * n + k];
    }
}

// The x of least Σ D x² with Gᵀ x = f, n rows: D⁻¹ G (Gᵀ D⁻¹ G)⁻¹ f. @param pick the m columns of
// G that the others follow from
static void least_impulses(long double *x, int n, const double *G, const double *D, int m,
                           const int *pick, const long double f[BODY])
{
    long double K[BODY * BODY] = {0.0L}, b[BODY], y[BODY];
    for (int i = 0; i < m; ++i) {
        b[i] = f[pick[i]];
        for (int j = 0; j < m; ++j) {
            for (int r = 0; r < n; ++r) {
                K[i * m + j] += (long double)G[r * BODY + pick[i]] * G[r * BODY + pick[j]] / D[r];
            }
        }
    }
    solve_dense(y, K, b, m);
    for (int r = 0; r < n; ++r) {
        x[r] = 0.0L;
        for (int i = 0; i < m; ++i) {
            x[r] += G[r * BODY + pick[i]] * y[i] / D[r];
        }
    }
}

static const int all_columns[BODY] = {0, 1, 2, 3, 4, 5};

static double largest(const double *x, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; ++i) {
        most = fmax(most, fabs(x[i]));
    }
    return most;
}

static const double resting[BODY] = {0.003, -0.002, -0.1, 0.002, -0.004, 0.001};

// ---- claims

static void weigh_by_stiffness(double *D, const law_problem *lp)
{
    for (int i = 0; i < lp->p.nrow; ++i) {
        D[i] = 1e6 / lp->row[i - i % 3].k;
    }
}

static void momentum_to(long double f[BODY], const double *v, const double *v_free)
{
    for (int i = 0; i < BODY; ++i) {
        f[i] = ((long double)v[i] - v_free[i]) * (i < 3 ? mass : inertia[i - 3]);
    }
}

static const double standstill[BODY] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};

// Friction so large that no cone is in the way.
static void a_table_shares_its_weight_as_the_pseudo_inverse_does(void **state)
{
    (void)state;
    random_source r = {1};
    for (int n = 4; n <= 400; n = n < 10 ? n + 1 : n == 320 ? 400 : 2 * n) {
        for (int even = 0; even < 2; ++even) {
            law_problem lp = table(n, resting, 20.0, even, &r);
            const dp_law_options opt = vi_options();
            const dp_solve_info info = law_problem_solve(&lp, NULL, &opt);
            assert_int_equal(info.outcome, DP_OUTCOME_CONVERGED);
            double *D = malloc((size_t)(3 * n) * sizeof *D);
            long double *x = malloc((size_t)(3 * n) * sizeof *x), f[BODY];
            weigh_by_stiffness(D, &lp);
            momentum_to(f, standstill, resting);
            least_impulses(x, 3 * n, lp.G, D, BODY, all_columns, f);
            const double most = largest(lp.s.gamma, 3 * n);
            for (int i = 0; i < 3 * n; ++i) {
                assert_near(lp.s.gamma[i], (double)x[i], 1e-10 * most);
            }
            for (int i = 0; i < BODY; ++i) {
                assert_near(lp.s.v[i], 0.0, 1e-12);
            }
            free(D);
            free(x);
            law_problem_destroy(&lp);
        }
    }
}

static void with_equal_weights_stiffness_does_not_matter(void **state)
{
    (void)state;
    random_source r = {2};
    law_problem uneven = table(7, resting, 20.0, false, &r),
                even = table(7, resting, 20.0, true, &r);
    memcpy(even.G, uneven.G, (size_t)(21 * BODY) * sizeof *even.G);
    dp_law_options opt = vi_options();
    law_problem_solve(&even, NULL, &opt);
    opt.rigid.weights = DP_RIGID_WEIGHTS_EQUAL;
    law_problem_solve(&uneven, NULL, &opt);
    for (int i = 0; i < 21; ++i) {
        assert_near(uneven.s.gamma[i], even.s.gamma[i], 1e-12);
    }
    law_problem_destroy(&uneven);
    law_problem_destroy(&even);
}

// Legs in pairs on either side of the way that it goes: it does not turn.
static law_problem sliding_table(int pairs, double mu, random_source *r)
{
    const double v[BODY] = {1.2, 0.0, -0.1, 0.0, 0.002, 0.0};
    law_problem lp = law_problem_create(h, BODY, 6 * pairs);
    add_body(&lp, v);
    for (int i = 0; i < pairs; ++i) {
        const double x = i < 2 ? i - 0.5 : random_between(r, -0.5, 0.5);
        const double y = random_between(r, 0.2, 0.5), k = 1e6 * random_between(r, 0.2, 5.0);
        const double at[2][3] = {{x, y, -0.4}, {x, -y, -0.4}};
        add_leg(&lp, 0, at[0], mu)->k = k;
        add_leg(&lp, 0, at[1], mu)->k = k;
    }
    return lp;
}

static void row_velocities(double *u, const law_problem *lp)
{
    for (int i = 0; i < lp->p.nrow; ++i) {
        u[i] = 0.0;
        for (int j = 0; j < BODY; ++j) {
            u[i] += lp->G[i * BODY + j] * lp->s.v[j];
        }
    }
}

// Where all legs slide, friction goes with the load: each leg has one number, along its ray.
static void loads_of_a_table_that_slides_are_the_least_along_its_rays(void **state)
{
    (void)state;
    enum { MOST = 40 };
    const double mu = 0.3;
    random_source r = {3};
    for (int pairs = 2; pairs <= MOST / 2; pairs += 3) {
        const int n = 2 * pairs, carrying[3] = {2, 3, 4}; // force up, moments about x and y
        law_problem lp = sliding_table(pairs, mu, &r);
        const dp_law_options opt = vi_options();
        assert_int_equal(law_problem_solve(&lp, NULL, &opt).outcome, DP_OUTCOME_CONVERGED);
        double G[MOST * BODY] = {0.0}, D[MOST], u[3 * MOST];
        long double f[BODY], x[MOST];
        row_velocities(u, &lp);
        for (int i = 0; i < n; ++i) {
            const double e[3] = {1.0, -mu, 0.0};
            assert_near(u[3 * i], mu * u[3 * i + 1], 1e-12); // lifts off as (64) says
            assert_near(u[3 * i + 2], 0.0, 1e-12);
            for (int k = 0; k < 3 * BODY; ++k) {
                G[i * BODY + k % BODY] += e[k / BODY] * lp.G[3 * i * BODY + k];
            }
            D[i] = (1.0 + mu * mu) * 1e6 / lp.row[3 * i].k;
        }
        momentum_to(f, lp.s.v, lp.v_free);
        least_impulses(x, n, G, D, 3, carrying, f);
        for (int i = 0; i < n; ++i) {
            assert_near(lp.s.gamma[3 * i], (double)x[i], 1e-11);
            assert_near(lp.s.gamma[3 * i + 1], -mu * (double)x[i], 1e-11);
        }
        law_problem_destroy(&lp);
    }
}

// What differs from γ by nothing that acts on the body: a random direction without its part in the
// range of G.
static void draw_idle(double *d, const law_problem *lp, random_source *r)
{
    const int n = lp->p.nrow;
    double ones[64] = {0.0};
    long double f[BODY] = {0.0L}, x[64];
    for (int i = 0; i < n; ++i) {
        d[i] = random_between(r, -1.0, 1.0);
        ones[i] = 1.0;
        for (int j = 0; j < BODY; ++j) {
            f[j] += (long double)lp->G[i * BODY + j] * d[i];
        }
    }
    least_impulses(x, n, lp->G, ones, BODY, all_columns, f);
    for (int i = 0; i < n; ++i) {
        d[i] -= (double)x[i];
    }
}

static bool is_in_cones(const double *x, int n, double mu)
{
    bool is = true;
    for (int i = 0; i < n; ++i) {
        is = is && hypot(x[3 * i + 1], x[3 * i + 2]) <= mu * x[3 * i] * (1.0 + 1e-14);
    }
    return is;
}

// Here the least of all would pull at some legs: cones are in the way.
static void no_other_impulses_within_their_cones_do_the_same_with_less(void **state)
{
    (void)state;
    enum { LEGS = 9 };
    const double mu = 0.5, pushed[BODY] = {0.01, -0.02, -0.1, 0.02, -0.04, 0.01};
    random_source r = {5};
    int tried = 0, pressed = 0;
    for (int k = 0; k < 40; ++k) {
        law_problem lp = table(LEGS, pushed, mu, false, &r);
        const dp_law_options opt = vi_options();
        assert_int_equal(law_problem_solve(&lp, NULL, &opt).outcome, DP_OUTCOME_CONVERGED);
        double D[3 * LEGS], u[3 * LEGS];
        weigh_by_stiffness(D, &lp);
        row_velocities(u, &lp);
        const bool sticks = largest(u, 3 * LEGS) < 1e-10;
        for (int i = 0; sticks && i < LEGS; ++i) {
            const double *x = lp.s.gamma + 3 * i;
            pressed += hypot(x[1], x[2]) > (1.0 - 1e-9) * mu * x[0];
        }
        for (int m = 0; sticks && m < 4000; ++m) {
            double d[3 * LEGS], other[3 * LEGS], change = 0.0;
            draw_idle(d, &lp, &r);
            for (int i = 0; i < 3 * LEGS; ++i) {
                other[i] = lp.s.gamma[i] + 1e-3 * d[i];
                change += D[i] * (other[i] * other[i] - lp.s.gamma[i] * lp.s.gamma[i]);
            }
            if (is_in_cones(other, LEGS, mu)) {
                ++tried;
                assert_true(change > 0.0);
            }
        }
        law_problem_destroy(&lp);
    }
    assert_true(tried > 100);
    assert_true(pressed > 10);
}

static dp_warm warm_of(const law_problem *lp, const double *gamma)
{
    return (dp_warm){lp->p.nblock, lp->id, lp->row_start, gamma, NULL};
}

// Neither the order of legs, nor where the search starts, nor the last digits of the data matter.
static void impulses_depend_on_the_problem_alone(void **state)
{
    (void)state;
    enum { LEGS = 11 };
    random_source r = {7};
    for (int k = 0; k < 30; ++k) {
        const bool slides = k % 2;
        const double v[BODY] = {slides ? 1.0 : 0.001, 0.002, -0.1, 0.003, 0.004,
                                slides ? 0.5 : 0.0};
        law_problem lp = table(LEGS, v, 0.4, false, &r), turned = table(LEGS, v, 0.4, false, &r);
        const dp_law_options opt = vi_options();
        assert_int_equal(law_problem_solve(&lp, NULL, &opt).outcome, DP_OUTCOME_CONVERGED);
        const double most = largest(lp.s.gamma, 3 * LEGS);
        for (int i = 0; i < LEGS; ++i) { // legs in another order
            const int from = (5 * i + 3) % LEGS;
            memcpy(turned.G + 3 * i * BODY, lp.G + 3 * from * BODY, 3 * BODY * sizeof(double));
            turned.row[3 * i].k = lp.row[3 * from].k;
        }
        law_problem_solve(&turned, NULL, &opt);
        for (int i = 0; i < 3 * LEGS; ++i) {
            const int from = (5 * (i / 3) + 3) % LEGS;
            assert_near(turned.s.gamma[i], lp.s.gamma[3 * from + i % 3], 1e-9 * most);
        }
        double first[3 * LEGS], start[3 * LEGS];
        memcpy(first, lp.s.gamma, sizeof first);
        for (int i = 0; i < 3 * LEGS; ++i) {
            start[i] = random_between(&r, -0.1, 0.1);
        }
        const dp_warm warm = warm_of(&lp, start);
        law_problem_solve(&lp, &warm, &opt);
        for (int i = 0; i < 3 * LEGS; ++i) {
            assert_near(lp.s.gamma[i], first[i], 1e-9 * most);
        }
        for (int i = 0; i < BODY; ++i) {
            lp.v_free[i] += 1e-9 * random_between(&r, -1.0, 1.0);
        }
        law_problem_solve(&lp, NULL, &opt);
        for (int i = 0; i < 3 * LEGS; ++i) {
            assert_near(lp.s.gamma[i], first[i], 1e-6 * most);
        }
        law_problem_destroy(&lp);
        law_problem_destroy(&turned);
    }
}

static void the_same_leg_twice_has_half_of_its_load_each(void **state)
{
    (void)state;
    random_source r = {8};
    law_problem once = table(6, resting, 20.0, false, &r), twice = law_problem_create(h, BODY, 36);
    add_body(&twice, resting);
    for (int i = 0; i < 12; ++i) {
        const double *g = once.G + 3 * (i / 2) * BODY;
        const double at[3] = {-g[4], g[3], g[BODY + 4]};
        add_leg(&twice, 0, at, 20.0)->k = 0.5 * once.row[3 * (i / 2)].k; // as stiff together
    }
    const dp_law_options opt = vi_options();
    law_problem_solve(&once, NULL, &opt);
    law_problem_solve(&twice, NULL, &opt);
    for (int i = 0; i < 36; ++i) {
        assert_near(twice.s.gamma[i], 0.5 * once.s.gamma[3 * (i / 6) + i % 3], 1e-13);
    }
    law_problem_destroy(&once);
    law_problem_destroy(&twice);
}

// With s D the impulses of legs that stick are (W + s D)⁻¹ c, c = −u_free; as s → 0 they come to
// the least ones at the first order.
static void impulses_come_to_the_least_at_the_rate_of_the_compliance(void **state)
{
    (void)state;
    random_source r = {9};
    for (int k = 0; k < 8; ++k) { // four weightings, sticking and sliding
        law_problem lp = k < 4 ? table(8, resting, 20.0, k == 0, &r) : sliding_table(4, 0.3, &r);
        dp_law_options opt = vi_options();
        opt.rigid.weights = k % 4 == 1 ? DP_RIGID_WEIGHTS_EQUAL : DP_RIGID_WEIGHTS_STIFFNESS;
        lp.row[0].k *= k % 4 == 2 ? 0.1 : 1.0;
        lp.row[3].k *= k == 6 ? 0.1 : 1.0; // the other one of its pair
        law_problem_solve(&lp, NULL, &opt);
        double limit[24], error[3];
        memcpy(limit, lp.s.gamma, sizeof limit);
        for (int i = 0; i < 3; ++i) {
            opt.rigid.compliance = i == 0 ? 1e-3 : i == 1 ? 1e-4 : 1e-5;
            opt.tolerance = 1e-13;
            assert_int_equal(law_problem_solve(&lp, NULL, &opt).outcome, DP_OUTCOME_CONVERGED);
            error[i] = 0.0;
            for (int m = 0; m < 24; ++m) {
                error[i] += (lp.s.gamma[m] - limit[m]) * (lp.s.gamma[m] - limit[m]);
            }
        }
        assert_near(0.5 * log10(error[1] / error[2]), 1.0, 0.02);
        law_problem_destroy(&lp);
    }
}

static void the_compliance_is_met_to_the_digits_that_it_leaves(void **state)
{
    (void)state;
    random_source r = {10};
    law_problem lp = table(6, resting, 20.0, true, &r);
    dp_law_options opt = vi_options();
    opt.rigid.compliance = 1e-4;
    opt.tolerance = 1e-13;
    law_problem_solve(&lp, NULL, &opt);
    // All rows alike: R = s w̄, w̄ the mean of Σ G²/M.
    double mean = 0.0, u[18];
    for (int i = 0; i < 18 * BODY; ++i) {
        const int j = i % BODY;
        mean += lp.G[i] * lp.G[i] / (j < 3 ? mass : inertia[j - 3]) / 18.0;
    }
    row_velocities(u, &lp);
    for (int i = 0; i < 18; ++i) {
        assert_near(u[i] + 1e-4 * mean * lp.s.gamma[i], 0.0, 1e-13);
    }
    dp_certificate c;
    double scratch[BODY];
    const dp_solve_info info = law_problem_solve(&lp, NULL, &opt);
    assert_int_equal(dp_law_judge(&c, &lp.p, &lp.s, &opt, &info, scratch, NULL), DP_OK);
    assert_true(c.normal_law <= 1e-13);
    law_problem_destroy(&lp);
}

// A point of the set of a contact, drawn by chance: of the cone, or where friction is as large as
// it is of discs that are not known.
static void draw_in_cone(double *y, const dp_friction *friction, int nrow, random_source *r)
{
    const double limit[6] = {1.0,
                             friction->mu[0],
                             friction->mu[1],
                             friction->torsion,
                             friction->roll[0],
                             friction->roll[1]};
    static const int first[] = {1, 3, 4, 6};
    y[0] = random_between(r, 0.0, 2.0);
    for (int g = 0; first[g] < nrow; ++g) {
        double size = 0.0;
        for (int i = first[g]; i < first[g + 1]; ++i) {
            y[i] = random_between(r, -1.0, 1.0);
            size += y[i] * y[i];
        }
        for (int i = first[g]; i < first[g + 1]; ++i) {
            y[i] *= limit[i] * y[0] * random_between(r, 0.0, 1.0) / sqrt(size);
        }
    }
}

static void apply(double *u, const dp_step_problem *p, const double *v)
{
    for (int b = 0; b < p->nblock; ++b) {
        const double *G = p->G + p->G_start[b];
        for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r) {
            u[r] = 0.0;
            for (int k = p->col_start[b]; k < p->col_start[b + 1]; ++k) {
                u[r] += *G++ * v[p->col[k]];
            }
        }
    }
}

// (64) as it stands: ũ · (y − x) ≥ 0 for all y of the cone, with torsion, rolling and ellipses.
static void impulses_of_contacts_solve_the_variational_inequality(void **state)
{
    (void)state;
    random_source r = {11};
    int sliding = 0;
    for (int k = 0; k < 300; ++k) {
        law_problem lp = law_problem_random_contacts(6, &r);
        const dp_law_options opt = vi_options();
        const dp_solve_info info = law_problem_solve(&lp, NULL, &opt);
        assert_int_equal(info.outcome, DP_OUTCOME_CONVERGED);
        double u[64], scratch[64];
        dp_certificate c;
        assert_int_equal(dp_law_judge(&c, &lp.p, &lp.s, &opt, &info, scratch, NULL), DP_OK);
        assert_true(c.normal_law <= 1e-9 && c.momentum <= 1e-11 && c.cone <= 1e-12);
        apply(u, &lp.p, lp.s.v);
        for (int b = 0; b < lp.p.nblock; ++b) {
            const int first = lp.row_start[b], nrow = lp.row_start[b + 1] - first;
            if (lp.friction_of[b] < 0) {
                continue;
            }
            const double *x = lp.s.gamma + first;
            double slack[6];
            for (int i = 0; i < nrow; ++i) {
                const dp_row *row = &lp.row[first + i];
                slack[i] = u[first + i] + (i == 0 ? row->phi / lp.p.h + row->phi_t : row->b_ref);
            }
            sliding += x[0] > 1e-6 && hypot(slack[1], slack[2]) > 1e-3;
            for (int m = 0; m < 100; ++m) {
                double y[6], work = 0.0;
                draw_in_cone(y, &lp.friction[lp.friction_of[b]], nrow, &r);
                for (int i = 0; i < nrow; ++i) {
                    work += slack[i] * (y[i] - x[i]);
                }
                assert_true(work >= -1e-8);
            }
        }
        law_problem_destroy(&lp);
    }
    assert_true(sliding > 50);
}

// ---- the certificate

// One light body on the ground and a heavy one on it, held by a rigid joint in every other problem.
static law_problem pile(int contacts, bool joint, double ratio, random_source *r)
{
    law_problem lp = law_problem_create(h, 2 * BODY, 3 * contacts + 1);
    for (int body = 0; body < 2; ++body) {
        for (int i = 0; i < BODY; ++i) {
            const double v = i == 2 ? -9.81 * h : random_between(r, -0.1, 0.1);
            law_problem_particle(&lp, (body ? ratio : 1.0) * random_between(r, 0.5, 2.0), v);
        }
    }
    for (int k = 0; k < contacts; ++k) {
        const double at[3] = {random_between(r, -0.5, 0.5), random_between(r, -0.5, 0.5), 0.0};
        const double mu = random_between(r, 0.1, 0.9);
        double leg[3 * BODY], G[6 * BODY];
        int col[2 * BODY];
        leg_rows(leg, at);
        const int ncol = k % 2 ? 2 * BODY : BODY; // on the ground, between the bodies
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < ncol; ++j) {
                col[j] = j;
                G[i * ncol + j] = j < BODY ? (k % 2 ? -leg[i * BODY + j] : leg[i * BODY + j])
                                           : leg[i * BODY + j - BODY];
            }
        }
        dp_row *row =
            law_problem_contact(&lp, 3, ncol, col, G, &(dp_friction){{mu, mu}, 0.0, {0.0, 0.0}});
        row->phi = random_between(r, 0.0, 1e-4);
    }
    if (joint) {
        const int col = BODY + 5;
        const double G = 1.0;
        (void)law_problem_block(&lp, 1, 1, &col, &G);
    }
    return lp;
}

// The worst residual of (VI 1) with R = 0, and the largest velocity that an impulse gives a row: in
// long double, straight from the definitions, for contacts of three rows and two-sided joints.
static long double residual_by_hand(const law_problem *lp, long double *fastest)
{
    const dp_step_problem *p = &lp->p;
    long double worst = 0.0L;
    *fastest = 0.0L;
    for (int b = 0; b < p->nblock; ++b) {
        const int first = p->row_start[b], n = p->row_start[b + 1] - first;
        const int ncol = p->col_start[b + 1] - p->col_start[b];
        long double slack[3], a[3], x[3], y[3];
        for (int i = 0; i < n; ++i) {
            const double *G = p->G + p->G_start[b] + (size_t)i * (size_t)ncol;
            slack[i] = i == 0 ? (long double)p->row[first].phi / p->h : 0.0L;
            a[i] = 0.0L;
            for (int k = 0; k < ncol; ++k) {
                const int j = p->col[p->col_start[b] + k];
                slack[i] += (long double)G[k] * lp->s.v[j];
                a[i] += (long double)G[k] * G[k] / p->Mt[p->Mt_start[j]];
            }
            x[i] = lp->s.gamma[first + i];
            *fastest = fmaxl(*fastest, a[i] * fabsl(x[i]));
        }
        if (n == 1) {
            worst = fmaxl(worst, fabsl(slack[0]));
            continue;
        }
        a[1] = a[2] = 0.5L * (a[1] + a[2]);
        for (int i = 0; i < 3; ++i) {
            y[i] = x[i] - slack[i] / a[i];
        }
        const long double mu = p->friction[p->friction_of[b]].mu[0], size = hypotl(y[1], y[2]);
        long double z = y[0], turn = 1.0L; // the nearest point of the cone, in the metric a
        if (size > mu * y[0]) {
            z = fmaxl(0.0L, (a[0] * y[0] + a[1] * mu * size) / (a[0] + a[1] * mu * mu));
            turn = mu * z / size;
        }
        worst = fmaxl(worst, a[0] * fabsl(x[0] - z));
        worst = fmaxl(worst, a[1] * hypotl(x[1] - turn * y[1], x[2] - turn * y[2]));
    }
    return worst;
}

static void the_certificate_has_the_residual_of_the_limit_to_round_off(void **state)
{
    (void)state;
    random_source r = {.state = 77};
    const dp_law_options opt = vi_options();
    int compared = 0;
    for (int repeat = 0; repeat < 300; ++repeat) {
        const double ratio = pow(10.0, random_between(&r, 0.0, 6.0));
        law_problem lp = pile(6 + random_below(&r, 5), repeat % 2, ratio, &r);
        const dp_solve_info info = law_problem_solve(&lp, NULL, &opt);
        dp_certificate certificate;
        double scratch[2 * BODY];
        assert_int_equal(dp_law_judge(&certificate, &lp.p, &lp.s, &opt, &info, scratch, NULL),
                         DP_OK);
        long double fastest;
        const long double hand = residual_by_hand(&lp, &fastest);
        // The weights of impulses are 1e-12 of mobilities: what they would add is 1e4 round-offs.
        const long double round_off = 20.0L * DBL_EPSILON * fastest;
        if (fabsl(certificate.normal_law - hand) > 1e-6L * hand + round_off) {
            fail_msg("problem %d: the certificate has %.3g m/s, the residual is %.3Lg m/s "
                     "(round-off %.3Lg)",
                     repeat, certificate.normal_law, hand, round_off);
        }
        compared += info.outcome == DP_OUTCOME_CONVERGED;
        law_problem_destroy(&lp);
    }
    assert_true(compared > 250);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_shares_its_weight_as_the_pseudo_inverse_does),
        cmocka_unit_test(with_equal_weights_stiffness_does_not_matter),
        cmocka_unit_test(loads_of_a_table_that_slides_are_the_least_along_its_rays),
        cmocka_unit_test(no_other_impulses_within_their_cones_do_the_same_with_less),
        cmocka_unit_test(impulses_depend_on_the_problem_alone),
        cmocka_unit_test(the_same_leg_twice_has_half_of_its_load_each),
        cmocka_unit_test(impulses_come_to_the_least_at_the_rate_of_the_compliance),
        cmocka_unit_test(impulses_of_contacts_solve_the_variational_inequality),
        cmocka_unit_test(the_compliance_is_met_to_the_digits_that_it_leaves),
        cmocka_unit_test(the_certificate_has_the_residual_of_the_limit_to_round_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
