// Many linear complementarity problems, large ones, and those of friction as
// [AnitescuPotraStewart1998] (7) has them: polyhedral cones, redundant legs, two ways to write one
// step.
#include "lcp_draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// What the solver ends with is exact to round-off, which grows with the number of terms.
static const double ROUND_OFF = 1e-12;

static void assert_solved(const drawn_lcp *x, const dp_lcp_info *info, int draw)
{
    if (info->outcome != DP_LCP_OUTCOME_SOLVED || !(info->residual <= ROUND_OFF) ||
        !(lcp_error(&x->p, x->z) <= ROUND_OFF)) {
        fail_msg("draw %d, %d variables: %s, residual %g, error %g, %d pivots", draw, x->p.n,
                 dp_lcp_outcome_name(info->outcome), info->residual, lcp_error(&x->p, x->z),
                 info->pivots);
    }
}

// ---- known solutions

static void large_problems_have_the_solution_that_they_were_made_from(void **state)
{
    (void)state;
    static const lcp_kind kind[] = {LCP_POSITIVE_DEFINITE, LCP_MONOTONE, LCP_SEMIDEFINITE,
                                    LCP_SKEW};
    for (int k = 0; k < 4; ++k) {
        for (int n = 50; n <= 500; n = n < 400 ? 2 * n : n + 100) {
            random_source r = {.state = (uint64_t)(n + k)};
            drawn_lcp x = lcp_new(n);
            lcp_draw_matrix(&x, kind[k], &r);
            lcp_draw_solution(&x, &r);
            double *made = malloc((size_t)n * sizeof *made);
            assert_non_null(made);
            memcpy(made, x.z, (size_t)n * sizeof *made);
            const bool definite = k < 2;
            for (dp_lcp_method method = DP_LCP_METHOD_AUTOMATIC; method <= DP_LCP_METHOD_PIVOTING;
                 ++method) {
                if (!definite && method > DP_LCP_METHOD_LEMKE) {
                    continue; // these meet singular matrices
                }
                const dp_lcp_info info = lcp_solve(&x, method);
                assert_solved(&x, &info, n);
                assert_true(info.pivots <= 3 * n + 10 && info.factorizations <= 60);
                for (int i = 0; definite && i < n; ++i) {
                    assert_near(x.z[i], made[i], 1e-8); // condition about 1e4
                }
            }
            free(made);
            lcp_free(&x);
        }
    }
}

// A pivot costs n² and there are about n of them. The best of three, for a busy machine.
static void the_time_of_lemke_grows_with_less_than_the_fourth_power(void **state)
{
    (void)state;
    double seconds[2] = {(double)INFINITY, (double)INFINITY};
    static const int size[2] = {100, 400};
    for (int k = 0; k < 2; ++k) {
        random_source r = {.state = (uint64_t)k};
        drawn_lcp x = lcp_new(size[k]);
        lcp_draw_matrix(&x, LCP_MONOTONE, &r);
        lcp_draw_solution(&x, &r);
        for (int repeat = 0; repeat < 3; ++repeat) {
            const clock_t began = clock();
            const dp_lcp_info info = lcp_solve(&x, DP_LCP_METHOD_LEMKE);
            seconds[k] = fmin(seconds[k], (double)(clock() - began) / CLOCKS_PER_SEC);
            assert_int_equal(info.outcome, DP_LCP_OUTCOME_SOLVED);
        }
        lcp_free(&x);
    }
    print_message("100: %g s, 400: %g s, n^%.2f\n", seconds[0], seconds[1],
                  log(seconds[1] / fmax(seconds[0], 1e-6)) / log(4.0));
    assert_true(seconds[1] <= 256.0 * fmax(seconds[0], 1e-3)); // the clock ticks in microseconds
}

// ---- ten thousand

static void ten_thousand_problems_are_solved_or_proven_impossible(void **state)
{
    (void)state;
    int solved = 0, impossible = 0;
    for (int draw = 0; draw < 10000; ++draw) {
        random_source r = {.state = (uint64_t)draw};
        drawn_lcp x = lcp_new(1 + (int)(random_bits(&r) % 12));
        const lcp_kind kind = (lcp_kind)(draw % LCP_GENERAL);
        const bool whole = draw / 6 % 3 == 0;
        if (whole && (kind == LCP_SEMIDEFINITE || kind == LCP_SKEW)) {
            lcp_draw_whole(&x, x.p.n / 2 + 1, kind == LCP_SKEW, &r);
        } else {
            lcp_draw_matrix(&x, kind, &r);
        }
        lcp_draw_vector(&x, whole, &r);
        if (draw / 18 % 2 == 0) {
            lcp_scale(&x, 6, &r);
        }
        const dp_lcp_info info =
            lcp_solve(&x, draw % 2 == 0 ? DP_LCP_METHOD_LEMKE : DP_LCP_METHOD_AUTOMATIC);
        const bool may_fail = kind == LCP_SEMIDEFINITE || kind == LCP_SKEW;
        if (may_fail && info.outcome == DP_LCP_OUTCOME_RAY) {
            assert_true(info.infeasible);
            ++impossible;
        } else {
            assert_int_equal(info.outcome, DP_LCP_OUTCOME_SOLVED);
            assert_true(info.residual <= ROUND_OFF);
            ++solved;
        }
        lcp_free(&x);
    }
    print_message("%d solved, %d proven impossible\n", solved, impossible);
    assert_true(solved > 7500 && impossible > 500);
}

// ---- friction

enum { V = 6, MOST_CONTACTS = 6, MOST_DIRECTIONS = 12 };

// A rigid body over a floor: m (1, 1, 1), moments of inertia J, contacts at points p of the body.
typedef struct footing {
    double m[V];
    int contacts, directions;
    double point[MOST_CONTACTS][3], mu[MOST_CONTACTS], gap[MOST_CONTACTS];
    double v[V]; // before contact impulses: angular, linear
} footing;

// The row of a direction d at contact c: d · (v + ω × p)
static void row_of(double out[V], const footing *f, int c, const double d[3])
{
    const double *p = f->point[c];
    out[0] = p[1] * d[2] - p[2] * d[1];
    out[1] = p[2] * d[0] - p[0] * d[2];
    out[2] = p[0] * d[1] - p[1] * d[0];
    memcpy(out + 3, d, 3 * sizeof *d);
}

static void rows_of(double rows[][V], const footing *f, int c)
{
    row_of(rows[0], f, c, (double[]){0.0, 0.0, 1.0});
    for (int k = 0; k < f->directions; ++k) {
        const double angle = 2.0 * acos(-1.0) * k / f->directions;
        row_of(rows[1 + k], f, c, (double[]){cos(angle), sin(angle), 0.0});
    }
}

static int size_of(const footing *f)
{
    return f->contacts * (f->directions + 2);
}

// (c_n, β, λ) of each contact in turn, the velocities eliminated.
static drawn_lcp eliminated(const footing *f)
{
    const int n = size_of(f), width = f->directions + 2;
    drawn_lcp x = lcp_new(n);
    double rows[MOST_CONTACTS][MOST_DIRECTIONS + 1][V];
    for (int c = 0; c < f->contacts; ++c) {
        rows_of(rows[c], f, c);
    }
    for (int a = 0; a < f->contacts; ++a) {
        for (int i = 0; i <= f->directions; ++i) {
            for (int b = 0; b < f->contacts; ++b) {
                for (int j = 0; j <= f->directions; ++j) {
                    double sum = 0.0;
                    for (int k = 0; k < V; ++k) {
                        sum += rows[a][i][k] * rows[b][j][k] / f->m[k];
                    }
                    x.M[(a * width + i) * n + b * width + j] = sum;
                }
            }
            double *q = &x.q[a * width + i];
            *q = i == 0 ? f->gap[a] : 0.0;
            for (int k = 0; k < V; ++k) {
                *q += rows[a][i][k] * f->v[k];
            }
            const int last = a * width + f->directions + 1;
            x.M[(a * width + i) * n + last] = i == 0 ? 0.0 : 1.0;
            x.M[last * n + a * width + i] = i == 0 ? f->mu[a] : -1.0;
        }
    }
    return x;
}

// The same with the velocities as free variables, −M v + Σ rowsᵀ impulses + M v₀ = 0.
static drawn_lcp mixed(const footing *f)
{
    const int contact = f->directions + 2, n = V + size_of(f);
    drawn_lcp x = lcp_new(n);
    x.p.lo = x.lo;
    for (int k = 0; k < V; ++k) {
        x.lo[k] = -(double)INFINITY;
        x.M[k * n + k] = -f->m[k];
        x.q[k] = f->m[k] * f->v[k];
    }
    for (int c = 0; c < f->contacts; ++c) {
        double rows[MOST_DIRECTIONS + 1][V];
        rows_of(rows, f, c);
        const int first = V + c * contact, last = first + f->directions + 1;
        for (int i = 0; i <= f->directions; ++i) {
            for (int k = 0; k < V; ++k) {
                x.M[k * n + first + i] = x.M[(first + i) * n + k] = rows[i][k];
            }
            x.M[(first + i) * n + last] = i == 0 ? 0.0 : 1.0;
            x.M[last * n + first + i] = i == 0 ? f->mu[c] : -1.0;
        }
        x.q[first] = f->gap[c];
    }
    return x;
}

// v after the impulses of z.
static void velocities_after(double v[V], const footing *f, const double *z)
{
    memcpy(v, f->v, sizeof f->v);
    for (int c = 0; c < f->contacts; ++c) {
        double rows[MOST_DIRECTIONS + 1][V];
        rows_of(rows, f, c);
        for (int i = 0; i <= f->directions; ++i) {
            for (int k = 0; k < V; ++k) {
                v[k] += rows[i][k] * z[c * (f->directions + 2) + i] / f->m[k];
            }
        }
    }
}

static double energy_of(const footing *f, const double v[V])
{
    double sum = 0.0;
    for (int k = 0; k < V; ++k) {
        sum += 0.5 * f->m[k] * v[k] * v[k];
    }
    return sum;
}

static footing draw_footing(random_source *r)
{
    footing f = {.contacts = 1 + (int)(random_bits(r) % MOST_CONTACTS),
                 .directions = 4 + 2 * (int)(random_bits(r) % 5)};
    const double mass = random_between(r, 0.1, 10.0);
    for (int k = 0; k < V; ++k) {
        f.m[k] = k < 3 ? mass * random_between(r, 0.05, 0.2) : mass;
        f.v[k] = random_between(r, -2.0, 2.0);
    }
    for (int c = 0; c < f.contacts; ++c) {
        f.point[c][0] = random_between(r, -1.0, 1.0);
        f.point[c][1] = random_between(r, -1.0, 1.0);
        f.point[c][2] = -0.5; // all in one plane: from four on they are redundant
        f.mu[c] = random_between(r, 0.0, 1.5);
        f.gap[c] = random_bits(r) % 3 == 0 ? random_between(r, 0.0, 1.0) : 0.0;
    }
    return f;
}

// [AnitescuPotraStewart1998, §2]: the matrix is copositive, a solution exists, Lemke's finds one,
// and no energy is gained. The gaps lie ahead: q of a normal is rate + gap/h.
static void lemke_solves_every_step_with_friction(void **state)
{
    (void)state;
    int restarts = 0;
    for (int draw = 0; draw < 3000; ++draw) {
        random_source r = {.state = (uint64_t)draw};
        const footing f = draw_footing(&r);
        drawn_lcp x = eliminated(&f);
        const dp_lcp_info info = lcp_solve(&x, DP_LCP_METHOD_LEMKE);
        assert_solved(&x, &info, draw);
        restarts += info.restarts;
        double v[V];
        velocities_after(v, &f, x.z);
        assert_true(energy_of(&f, v) <= energy_of(&f, f.v) * (1.0 + 1e-12));
        lcp_free(&x);
    }
    assert_true(restarts <= 30); // one in a hundred
}

// Which impulses of redundant contacts there are is open, and with friction the velocities may be
// too; with up to three legs and little friction they are not.
static void velocities_as_free_variables_give_the_same_step(void **state)
{
    (void)state;
    for (int draw = 0; draw < 1500; ++draw) {
        random_source r = {.state = (uint64_t)draw};
        footing f = draw_footing(&r);
        f.contacts = f.contacts > 3 ? 3 : f.contacts;
        for (int c = 0; c < f.contacts; ++c) {
            f.mu[c] *= 0.1;
        }
        drawn_lcp x = eliminated(&f), y = mixed(&f);
        const dp_lcp_info direct = lcp_solve(&x, DP_LCP_METHOD_LEMKE);
        const dp_lcp_info by_velocities = lcp_solve(&y, DP_LCP_METHOD_AUTOMATIC);
        assert_solved(&x, &direct, draw);
        assert_solved(&y, &by_velocities, draw);
        double v[V];
        velocities_after(v, &f, x.z);
        for (int k = 0; k < V; ++k) {
            assert_near(y.z[k], v[k], 1e-10);
        }
        lcp_free(&x);
        lcp_free(&y);
    }
}

// A table on four legs slides, spins and stops. Every one of 2000 steps is solved, none gains
// energy, the floor is not entered, and in the end it stands still.
static void a_table_slides_on_four_legs_until_it_stops(void **state)
{
    (void)state;
    const double h = 1e-3, g = 9.81;
    footing f = {.m = {2.0, 3.0, 4.0, 12.0, 12.0, 12.0},
                 .contacts = 4,
                 .directions = 8,
                 .v = {0.0, 0.0, 1.5, 2.0, 0.7, 0.0}};
    for (int c = 0; c < 4; ++c) {
        f.point[c][0] = c < 2 ? 0.5 : -0.5;
        f.point[c][1] = c % 2 == 0 ? 0.3 : -0.3;
        f.point[c][2] = -0.7;
        f.mu[c] = 0.2;
    }
    double speed = 0.0;
    for (int step = 0; step < 2000; ++step) {
        f.v[5] -= h * g;
        drawn_lcp x = eliminated(&f);
        const dp_lcp_info info = lcp_solve(&x, DP_LCP_METHOD_LEMKE);
        assert_solved(&x, &info, step);
        double v[V];
        velocities_after(v, &f, x.z);
        assert_true(energy_of(&f, v) <= energy_of(&f, f.v) * (1.0 + 1e-12));
        const double angle = h * v[2]; // the legs turn with the table; it stays upright
        for (int c = 0; c < 4; ++c) {
            const double px = f.point[c][0], py = f.point[c][1];
            f.point[c][0] = cos(angle) * px - sin(angle) * py;
            f.point[c][1] = sin(angle) * px + cos(angle) * py;
            const double rate = v[5] + v[0] * py - v[1] * px;
            assert_true(rate >= -1e-12);
            f.gap[c] = fmax(0.0, f.gap[c] + rate); // gap/h
        }
        memcpy(f.v, v, sizeof v);
        speed = sqrt(v[3] * v[3] + v[4] * v[4]) + fabs(v[2]);
        lcp_free(&x);
    }
    assert_true(speed <= 1e-12); // √(2² + 0.7²)/(0.2 g) ≈ 1.1 s, longer by what the octagon lacks
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_problems_have_the_solution_that_they_were_made_from),
        cmocka_unit_test(the_time_of_lemke_grows_with_less_than_the_fourth_power),
        cmocka_unit_test(ten_thousand_problems_are_solved_or_proven_impossible),
        cmocka_unit_test(lemke_solves_every_step_with_friction),
        cmocka_unit_test(velocities_as_free_variables_give_the_same_step),
        cmocka_unit_test(a_table_slides_on_four_legs_until_it_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
