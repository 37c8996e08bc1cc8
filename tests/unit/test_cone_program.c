// Loads held by intervals and friction cones: minimum norms and ranges.
#include "solve/cones/cone_program.h"
#include "test_random.h"

#include <math.h>
#include <string.h>

static const double INFINITE = (double)INFINITY;

// A contact with friction in an ellipse, torsion and rolling, as far as it has rows.
static dp_cone contact(int first, int nrow, const dp_friction *f)
{
    dp_cone cone = {.first = first};
    cone.ngroup = dp_friction_groups(cone.group, f, nrow);
    return cone;
}

static dp_cone interval(int first, double lo, double hi)
{
    return (dp_cone){.first = first, .ngroup = -1, .lo = lo, .hi = hi};
}

static dp_friction draw_friction(random_source *r)
{
    dp_friction f = {{0.0, 0.0}, 0.0, {0.0, 0.0}};
    double *of[] = {&f.mu[0], &f.mu[1], &f.torsion, &f.roll[0], &f.roll[1]};
    for (int k = 0; k < 5; ++k) {
        *of[k] = random_chance(r, 0.15) ? 0.0 : random_between(r, 0.05, 1.5);
    }
    return f;
}

// A point of a cone.
static void draw_point(double *x, const dp_cone *cone, random_source *r)
{
    if (cone->ngroup < 0) {
        const double lo = fmax(cone->lo, -3.0), hi = fmin(cone->hi, 3.0);
        x[0] = random_between(r, lo, hi);
        return;
    }
    x[0] = random_chance(r, 0.2) ? 0.0 : random_between(r, 0.0, 2.0);
    for (int g = 0; g < cone->ngroup; ++g) {
        const dp_friction_group *group = &cone->group[g];
        const double angle = random_between(r, 0.0, 6.3), size = random_between(r, 0.0, 1.0);
        const double way[2] = {group->count == 1 ? (angle > 3.15 ? 1.0 : -1.0) : cos(angle),
                               sin(angle)};
        for (int k = 0; k < 2 && k < group->count; ++k) {
            x[group->first + k] = x[0] * size * way[k] * group->reach * group->scale[k];
        }
    }
}

// Of points at random: how far beyond its bounds a point is, from what it takes to go back to them
// along its own friction, or down to no friction where there is none.
static void excess_is_zero_within_and_grows_beyond(void **state)
{
    (void)state;
    random_source r = {.state = 11};
    static const int rows[] = {1, 3, 4, 6};
    for (int draw = 0; draw < 3000; ++draw) {
        const dp_friction f = draw_friction(&r);
        const dp_cone cone = contact(0, rows[random_below(&r, 4)], &f);
        const dp_cone_program p = {.n = dp_cone_size(&cone), .cone = &cone, .ncone = 1};
        double x[6] = {0.0};
        draw_point(x, &cone, &r);
        assert_true(dp_cone_excess(&p, x) <= 1e-15);
        const double normal = x[0];
        x[0] = -random_between(&r, 0.1, 1.0);
        assert_true(dp_cone_excess(&p, x) >= -x[0]);
        x[0] = normal;
        for (int g = 0; g < cone.ngroup;
             ++g) { // out of its ellipse by 0.1 of the largest semi-axis
            const dp_friction_group *group = &cone.group[g];
            const int k = group->count == 2 && group->scale[1] > group->scale[0] ? 1 : 0;
            double out[6];
            memcpy(out, x, sizeof out);
            out[group->first] = out[group->first + group->count - 1] = 0.0;
            out[group->first + k] = group->reach * normal + 0.1;
            assert_near(dp_cone_excess(&p, out), 0.1, 1e-12);
        }
    }
}

// ---- programs

// A load on a row of supports: Σ x = 1, Σ x at = moment, made orthonormal by hand.
typedef struct beam {
    double E[2 * 8], e[2];
    dp_cone cone[8];
    dp_cone_program program;
    double x[8];
} beam;

static void make_beam(beam *b, int n, const double *at, double moment)
{
    double mean = 0.0, square = 0.0;
    for (int i = 0; i < n; ++i) {
        mean += at[i] / n;
    }
    for (int i = 0; i < n; ++i) {
        square += (at[i] - mean) * (at[i] - mean);
    }
    for (int i = 0; i < n; ++i) {
        b->E[i] = 1.0 / sqrt((double)n);
        b->E[n + i] = (at[i] - mean) / sqrt(square);
        b->cone[i] = interval(i, 0.0, INFINITE);
    }
    b->e[0] = 1.0 / sqrt((double)n);
    b->e[1] = (moment - mean) / sqrt(square);
    for (int i = 0; i < n; ++i) { // of minimum norm, without bounds
        b->x[i] = b->E[i] * b->e[0] + b->E[n + i] * b->e[1];
    }
    b->program =
        (dp_cone_program){.n = n, .m = 2, .E = b->E, .e = b->e, .cone = b->cone, .ncone = n};
}

static dp_cone_end end_of(const dp_cone_program *p, int j, double sign)
{
    dp_cone_search *s;
    dp_cone_holds holds;
    assert_int_equal(dp_cone_search_create(&s, &holds, p, 100000000, NULL), DP_OK);
    assert_int_equal(holds, DP_CONE_HOLDS);
    const dp_cone_end end = dp_cone_search_end(s, j, sign);
    dp_cone_search_destroy(s);
    assert_true(end.known);
    return end;
}

static void a_beam_on_three_supports_shares_its_load_within_limits(void **state)
{
    (void)state;
    static const double at[] = {-1.0, 0.0, 1.0};
    beam b;
    make_beam(&b, 3, at, 0.3);
    // with l + m + r = 1 and r − l = 0.3: m = 0.7 − 2 l, r = l + 0.3
    static const double low[] = {0.0, 0.0, 0.3}, high[] = {0.35, 0.7, 0.65};
    for (int i = 0; i < 3; ++i) {
        assert_near(end_of(&b.program, i, -1.0).value, low[i], 1e-12);
        assert_near(end_of(&b.program, i, 1.0).value, high[i], 1e-12);
    }
}

static void the_least_norm_lets_no_support_pull(void **state)
{
    (void)state;
    static const double at[] = {-1.0, 0.0, 1.0};
    beam b;
    make_beam(&b, 3, at, 0.9); // without bounds the left one would pull
    assert_true(b.x[0] < -0.1);
    double x[3], missed;
    assert_int_equal(dp_cone_least(x, &missed, &b.program, NULL), DP_OK);
    assert_near(missed, 0.0, 1e-13);
    assert_near(x[0], 0.0, 1e-13);
    assert_near(x[1], 0.1, 1e-13);
    assert_near(x[2], 0.9, 1e-13);
}

static void a_load_beside_all_supports_is_not_held(void **state)
{
    (void)state;
    static const double at[] = {-1.0, 0.0, 1.0};
    beam b;
    make_beam(&b, 3, at, 1.1);
    dp_cone_search *s;
    dp_cone_holds holds;
    assert_int_equal(dp_cone_search_create(&s, &holds, &b.program, 100000000, NULL), DP_OK);
    assert_int_equal(holds, DP_CONE_HOLDS_NOT);
    dp_cone_search_destroy(s);
}

static void no_work_leaves_ranges_unknown(void **state)
{
    (void)state;
    static const double at[] = {-1.0, 0.0, 1.0};
    beam b;
    make_beam(&b, 3, at, 0.3);
    dp_cone_search *s;
    dp_cone_holds holds;
    assert_int_equal(dp_cone_search_create(&s, &holds, &b.program, 0, NULL), DP_OK);
    assert_int_equal(holds, DP_CONE_UNKNOWN);
    assert_false(dp_cone_search_end(s, 0, 1.0).known);
    dp_cone_search_destroy(s);
}

// Random loads that some point of K holds: every end found is in the set and beyond every point of
// it that is drawn, and the minimum norm is not above that of any.
typedef struct drawn {
    int n, m;
    double E[12 * 40], e[12], x[40];
    dp_cone cone[40];
    int ncone;
} drawn;

// Rows of E x = e, independent.
static void orthonormalise(double *E, double *e, int m, int n)
{
    for (int i = 0; i < m; ++i) {
        for (int pass = 0; pass < 2; ++pass) {
            for (int l = 0; l < i; ++l) {
                double along = 0.0;
                for (int k = 0; k < n; ++k) {
                    along += E[i * n + k] * E[l * n + k];
                }
                for (int k = 0; k < n; ++k) {
                    E[i * n + k] -= along * E[l * n + k];
                }
                e[i] -= along * e[l];
            }
        }
        double size = 0.0;
        for (int k = 0; k < n; ++k) {
            size += E[i * n + k] * E[i * n + k];
        }
        for (int k = 0; k < n; ++k) {
            E[i * n + k] /= sqrt(size);
        }
        e[i] /= sqrt(size);
    }
}

static void draw_program(drawn *p, random_source *r)
{
    static const int rows[] = {1, 3, 3, 4, 6};
    p->n = p->ncone = 0;
    for (int k = 2 + random_below(r, 4); k > 0; --k) {
        const dp_friction f = draw_friction(r);
        dp_cone *cone = &p->cone[p->ncone++];
        if (random_chance(r, 0.3)) {
            const double lo = random_chance(r, 0.3) ? -INFINITE : random_between(r, -1.0, 0.0);
            const double hi = random_chance(r, 0.3) ? INFINITE : random_between(r, 0.0, 1.0);
            *cone = interval(p->n, lo, hi);
        } else {
            *cone = contact(p->n, rows[random_below(r, 5)], &f);
        }
        p->n += dp_cone_size(cone);
    }
    p->m = 1 + random_below(r, p->n > 6 ? 6 : p->n);
    for (int i = 0; i < p->m; ++i) {
        for (int k = 0; k < p->n; ++k) {
            p->E[i * p->n + k] = random_between(r, -1.0, 1.0);
        }
    }
    orthonormalise(p->E, p->e, p->m, p->n);
    for (int c = 0; c < p->ncone; ++c) {
        draw_point(p->x + p->cone[c].first, &p->cone[c], r);
    }
    for (int i = 0; i < p->m; ++i) {
        p->e[i] = 0.0;
        for (int k = 0; k < p->n; ++k) {
            p->e[i] += p->E[i * p->n + k] * p->x[k];
        }
    }
}

// The minimum norm satisfies (x)·(y − x) ≥ 0 for every y of the set, here the point that was drawn;
// and with a multiplier x = P_K(Eᵀy), which the method itself ensures.
static void the_least_norm_and_the_ends_enclose_every_point_that_is_known(void **state)
{
    (void)state;
    random_source r = {.state = 13};
    int ends = 0;
    for (int draw = 0; draw < 400; ++draw) {
        static drawn d;
        draw_program(&d, &r);
        const dp_cone_program p = {
            .n = d.n, .m = d.m, .E = d.E, .e = d.e, .cone = d.cone, .ncone = d.ncone};
        double least[40], missed, towards = 0.0;
        assert_int_equal(dp_cone_least(least, &missed, &p, NULL), DP_OK);
        // Points on the rim of K may have no multiplier; then digits are lost.
        assert_true(missed <= 1e-6);
        for (int k = 0; k < p.n; ++k) {
            towards += least[k] * (d.x[k] - least[k]);
        }
        assert_true(towards >= -1e-5);
        dp_cone_search *s;
        dp_cone_holds holds;
        assert_int_equal(dp_cone_search_create(&s, &holds, &p, 1000000000, NULL), DP_OK);
        assert_int_equal(holds, DP_CONE_HOLDS);
        for (int k = 0; k < p.n; ++k) {
            const dp_cone_end low = dp_cone_search_end(s, k, -1.0);
            const dp_cone_end high = dp_cone_search_end(s, k, 1.0);
            if (low.known && high.known) {
                assert_true(low.value - low.gap <= d.x[k] + 1e-8);
                assert_true(high.value + high.gap >= d.x[k] - 1e-8);
                ends += 2;
            }
        }
        dp_cone_search_destroy(s);
    }
    assert_true(ends > 5000);
}

// What forces along a normal and two tangents at a point of a body do: three columns of six rows.
static void draw_wrenches(double *E, int n, random_source *r)
{
    double axis[3][3], at[3];
    for (int k = 0; k < 9; ++k) {
        axis[k / 3][k % 3] = random_between(r, -1.0, 1.0);
    }
    double *rows = &axis[0][0], none[3] = {0.0};
    orthonormalise(rows, none, 3, 3);
    for (int k = 0; k < 3; ++k) {
        at[k] = random_between(r, -0.5, 0.5);
    }
    for (int c = 0; c < 3; ++c) {
        for (int k = 0; k < 3; ++k) {
            const int i = (k + 1) % 3, j = (k + 2) % 3;
            E[k * n + c] = axis[c][k];
            E[(3 + k) * n + c] = at[i] * axis[c][j] - at[j] * axis[c][i];
        }
    }
}

// Contacts all around a body whose normals are 1 in all, with a seventh equation for what their
// impulses gain: close to singular bases, and no end is infinite.
static void ends_of_a_bounded_set_are_finite(void **state)
{
    (void)state;
    enum { M = 8, MOST = 12, N = 3 * MOST + 2, FIRST = 3200 }; // one in thousands is hard
    random_source r = {.state = 14};
    for (int draw = 0; draw < FIRST + 200; ++draw) {
        const int nc = 6 + random_below(&r, MOST - 5), n = 3 * nc + 2;
        const double mu = random_between(&r, 0.05, 1.2);
        static double E[M * N];
        double e[M] = {0.0}, x[N] = {0.0};
        dp_cone cone[MOST + 2];
        memset(E, 0, sizeof E);
        for (int c = 0; c < nc; ++c) {
            const dp_friction f = {.mu = {mu, mu}};
            cone[c] = contact(3 * c, 3, &f);
            draw_wrenches(E + 3 * c, n, &r);
            E[6 * n + 3 * c] = 1.0;
            E[7 * n + 3 * c] = random_between(&r, -0.2, 0.2);
            E[7 * n + 3 * c + 1] = random_between(&r, -0.1, 0.1);
        }
        cone[nc] = interval(3 * nc, 0.0, INFINITE);
        cone[nc + 1] = interval(3 * nc + 1, -INFINITE, INFINITE);
        E[6 * n + 3 * nc] = x[3 * nc] = e[6] = 1.0;
        E[7 * n + 3 * nc + 1] = -1.0;
        if (draw < FIRST) {
            continue;
        }
        orthonormalise(E, e, M, n);
        const dp_cone_program p = {.n = n, .m = M, .E = E, .e = e, .cone = cone, .ncone = nc + 2};
        dp_cone_search *s;
        dp_cone_holds holds;
        assert_int_equal(dp_cone_search_create(&s, &holds, &p, 1000000000, NULL), DP_OK);
        assert_int_equal(holds, DP_CONE_HOLDS);
        const dp_cone_end end = dp_cone_search_end(s, 3 * nc + 1, 1.0);
        assert_true(!end.known || end.value < 1.0);
        dp_cone_search_destroy(s);
    }
}

// Two legs on a floor with friction: each may push outwards against the other as far as friction
// of the two holds, ½ μ each way in all directions; anisotropic friction has an ellipse.
static void friction_of_two_legs_reaches_the_rim_of_the_ellipse(void **state)
{
    (void)state;
    const dp_friction f = {.mu = {0.8, 0.3}};
    // x: n1 s1 t1 n2 s2 t2; n1 = n2 = 1, s1 + s2 = 0, t1 + t2 = 0, and s1 cos − t1 sin = 0: the
    // pair acts along (sin, cos)
    for (int k = 0; k < 12; ++k) {
        const double angle = 0.3 + 0.5 * k, c = cos(angle), s = sin(angle), q = 1.0 / sqrt(2.0);
        double E[5 * 6] = {1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, q, 0,
                           0, q, 0, 0, 0, q, 0, 0, q, 0, 0, 0, 0, 0, 0};
        E[4 * 6 + 1] = c * q;
        E[4 * 6 + 2] = -s * q;
        E[4 * 6 + 4] = -c * q;
        E[4 * 6 + 5] = s * q;
        const double e[5] = {1.0, 1.0, 0.0, 0.0, 0.0};
        const dp_cone cone[2] = {contact(0, 3, &f), contact(3, 3, &f)};
        const dp_cone_program p = {.n = 6, .m = 5, .E = E, .e = e, .cone = cone, .ncone = 2};
        const double reach = 1.0 / sqrt(s * s / 0.64 + c * c / 0.09);
        const dp_cone_end end[] = {end_of(&p, 1, 1.0), end_of(&p, 2, -1.0), end_of(&p, 0, 1.0)};
        const double exact[] = {fabs(s) * reach, -fabs(c) * reach, 1.0};
        for (int i = 0; i < 3; ++i) { // the gap is what is reported of the error
            assert_near(end[i].value, exact[i], end[i].gap);
            assert_true(end[i].gap <= 1e-8);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(excess_is_zero_within_and_grows_beyond),
        cmocka_unit_test(a_beam_on_three_supports_shares_its_load_within_limits),
        cmocka_unit_test(the_least_norm_lets_no_support_pull),
        cmocka_unit_test(a_load_beside_all_supports_is_not_held),
        cmocka_unit_test(no_work_leaves_ranges_unknown),
        cmocka_unit_test(the_least_norm_and_the_ends_enclose_every_point_that_is_known),
        cmocka_unit_test(ends_of_a_bounded_set_are_finite),
        cmocka_unit_test(friction_of_two_legs_reaches_the_rim_of_the_ellipse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
