// Rows of random mechanisms: each gradient is the derivative of its gap, each force acts along it.
#include "rows_scene.h"

#include "assemble/block.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MECHANISMS = 60, MAX_ROWS = 400, MAX_NV = 80, MAX_BODIES = 16 };

// Chains of up to a dozen bodies, lengths up to ten metres, slopes of polynomials up to 100.
static const double ROUND_OFF = 1e-11;
// Richardson's extrapolation of two central differences, steps 2e-4 and 1e-4: truncation
// (1e-4)⁴·O(1e6), round-off 1e-16·O(100)/1e-4.
static const double DIFFERENCING = 1e-8;

static void begin_at_random(rows_scene *s, uint64_t seed)
{
    rows_scene_begin(s, random_rows_spec(seed), 0.01, NULL);
    assert_true(s->m->size.nv <= MAX_NV && s->m->size.nbody <= MAX_BODIES);
    assert_true(s->rows.max_row <= MAX_ROWS);
    random_source r = {seed + 77};
    rows_scene_randomise(s, &r, 1.0);
    rows_scene_take_all(s);
    rows_scene_make(s);
}

static void random_velocity(double *v, const rows_scene *s, random_source *r)
{
    for (int k = 0; k < s->m->size.nv; ++k) {
        v[k] = random_between(r, -1.0, 1.0);
    }
}

// The gaps of all rows at q ⊕ t v: those that are not linear as a refresh sees them.
static void gaps_at(double *phi, rows_scene *s, const double *v, double t)
{
    static const double at_rest[MAX_NV];
    double worst;
    rows_scene_advance(s, v, t);
    assert_ok(dp_rows_refresh(&worst, &s->rows, &s->in, &s->end.at, at_rest));
    for (int i = 0; i < s->rows.nrow; ++i) {
        phi[i] = s->rows.row[i].phi;
    }
}

static bool is_nonlinear(const rows_scene *s, int row)
{
    return s->rows.owner[rows_scene_block(s, row)].nonlinear;
}

static void the_gradient_of_a_row_is_the_derivative_of_its_gap(void **state)
{
    (void)state;
    int checked = 0;
    for (uint64_t seed = 0; seed < MECHANISMS; ++seed) {
        rows_scene s;
        begin_at_random(&s, seed);
        memset(s.start.v, 0, (size_t)s.m->size.nv * sizeof *s.start.v); // balls meet limits where
        rows_scene_make(&s);                                            // they are
        random_source r = {seed};
        double v[MAX_NV], phi[4][MAX_ROWS];
        random_velocity(v, &s, &r);
        const double t[4] = {2e-4, -2e-4, 1e-4, -1e-4};
        for (int k = 0; k < 4; ++k) {
            gaps_at(phi[k], &s, v, t[k]);
        }
        for (int i = 0; i < s.rows.nrow; ++i) {
            if (is_nonlinear(&s, i)) {
                const double coarse = (phi[0][i] - phi[1][i]) / 4e-4;
                const double fine = (phi[2][i] - phi[3][i]) / 2e-4;
                const double expected = (4.0 * fine - coarse) / 3.0;
                assert_close(rows_scene_rate(&s, i, v), expected, DIFFERENCING);
                ++checked;
            }
        }
        rows_scene_end(&s);
    }
    assert_true(checked > 20 * MECHANISMS);
}

// Rows without spring and end, friction and drives, have no gap.
static bool has_gap(const rows_scene *s, int row)
{
    const int source = s->rows.owner[rows_scene_block(s, row)].source;
    return source < DP_ROW_SOURCE_JOINT_FRICTION && s->rows.row[row].k > 0.0;
}

static void the_gap_of_a_linear_row_moves_with_its_rate(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < MECHANISMS; ++seed) {
        rows_scene s;
        begin_at_random(&s, seed);
        random_source r = {seed};
        double v[MAX_NV], rate[MAX_ROWS], phi[MAX_ROWS];
        bool linear[MAX_ROWS];
        random_velocity(v, &s, &r);
        const int nrow = s.rows.nrow;
        for (int i = 0; i < nrow; ++i) {
            linear[i] = !is_nonlinear(&s, i) && has_gap(&s, i);
            rate[i] = rows_scene_rate(&s, i, v);
            phi[i] = s.rows.row[i].phi;
        }
        dp_kin_advance(s.start.q, s.m, s.start.q, v, 0.3);
        rows_scene_place(&s, &s.start);
        rows_scene_make(&s);
        assert_int_equal(s.rows.nrow, nrow);
        for (int i = 0; i < nrow; ++i) {
            if (linear[i]) {
                assert_near(s.rows.row[i].phi, phi[i] + 0.3 * rate[i], ROUND_OFF);
            }
        }
        rows_scene_end(&s);
    }
}

static void a_refresh_leaves_the_gap_at_the_end_of_the_step(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < MECHANISMS; ++seed) {
        rows_scene s;
        begin_at_random(&s, seed);
        random_source r = {seed};
        double v[MAX_NV], of_problem[MAX_NV], before[MAX_ROWS], at_end[MAX_ROWS], worst, again;
        random_velocity(v, &s, &r);
        gaps_at(at_end, &s, v, s.in.h);
        const dp_step_problem p = rows_scene_make(&s);
        for (int i = 0; i < s.rows.nrow; ++i) {
            before[i] = s.rows.row[i].phi;
        }
        for (int i = 0; i < p.ntree; ++i) {
            const int to = p.tree_start[i], n = p.tree_start[i + 1] - to;
            memcpy(of_problem + to, v + s.m->tree_start[s.rows.tree[i]], (size_t)n * sizeof *v);
        }
        assert_ok(dp_rows_refresh(&worst, &s.rows, &s.in, &s.end.at, of_problem));
        double largest = 0.0;
        for (int i = 0; i < s.rows.nrow; ++i) {
            const dp_row *row = &s.rows.row[i];
            if (is_nonlinear(&s, i)) {
                assert_near(row->phi + s.in.h * rows_scene_rate(&s, i, v), at_end[i], ROUND_OFF);
                largest = fmax(largest, fabs(row->phi - before[i]) * row->len);
            } else {
                assert_true(row->phi == before[i]);
            }
        }
        assert_true(worst == largest);
        assert_ok(dp_rows_refresh(&again, &s.rows, &s.in, &s.end.at, of_problem));
        assert_near(again, 0.0, ROUND_OFF);
        rows_scene_end(&s);
    }
}

// Jᵀ w summed over all bodies.
static void generalised(double *tau, const rows_scene *s, const dp_wrench *wrench)
{
    double *jacobian = malloc(6 * MAX_NV * sizeof *jacobian);
    assert_non_null(jacobian);
    const int nv = s->m->size.nv;
    for (int b = 1; b < s->m->size.nbody; ++b) {
        dp_kin_jacobian(jacobian, &s->start.kin, s->m, b, s->start.kin.link[b].X.p);
        const dp_wrench w = wrench[b];
        const double part[6] = {w.t.x, w.t.y, w.t.z, w.f.x, w.f.y, w.f.z};
        for (int r = 0; r < 6; ++r) {
            for (int k = 0; k < nv; ++k) {
                tau[k] += jacobian[r * nv + k] * part[r];
            }
        }
    }
    free(jacobian);
}

// Does a row act on bodies by itself?
static bool acts_on_bodies(const rows_scene *s, int row)
{
    const dp_row_owner *owner = &s->rows.owner[rows_scene_block(s, row)];
    const dp_model *m = s->m;
    switch ((dp_row_source)owner->source) {
    case DP_ROW_SOURCE_EQUALITY: {
        const dp_equality *e = &m->equality[owner->element];
        if (e->kind == DP_EQUALITY_TENDON) {
            return m->tendon[e->object[0]].spatial &&
                   (e->object[1] < 0 || m->tendon[e->object[1]].spatial);
        }
        return e->kind != DP_EQUALITY_JOINT;
    }
    case DP_ROW_SOURCE_TENDON_LIMIT:
    case DP_ROW_SOURCE_TENDON_SPRING:
    case DP_ROW_SOURCE_TENDON_FRICTION:
        return m->tendon[owner->element].spatial;
    default:
        return false;
    }
}

static void the_wrenches_of_rows_do_what_their_forces_do(void **state)
{
    (void)state;
    int checked = 0;
    for (uint64_t seed = 0; seed < MECHANISMS; ++seed) {
        rows_scene s;
        begin_at_random(&s, seed);
        random_source r = {seed};
        double lambda[MAX_ROWS] = {0.0}, tau[MAX_NV] = {0.0}, by_wrench[MAX_NV] = {0.0};
        dp_wrench wrench[MAX_BODIES];
        memset(wrench, 0, sizeof wrench);
        for (int i = 0; i < s.rows.nrow; ++i) {
            if (acts_on_bodies(&s, i)) {
                lambda[i] = random_between(&r, -1.0, 1.0);
                ++checked;
            }
        }
        dp_rows_add_forces(tau, &s.rows, lambda);
        dp_rows_add_wrenches(wrench, &s.rows, &s.in, lambda);
        generalised(by_wrench, &s, wrench);
        for (int k = 0; k < s.m->size.nv; ++k) {
            assert_near(by_wrench[k], tau[k], 100.0 * ROUND_OFF); // sums over a hundred rows
        }
        rows_scene_end(&s);
    }
    assert_true(checked > 20 * MECHANISMS);
}

static void rows_that_act_through_joints_give_no_wrench(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < MECHANISMS; ++seed) {
        rows_scene s;
        begin_at_random(&s, seed);
        double lambda[MAX_ROWS];
        dp_wrench wrench[MAX_BODIES];
        memset(wrench, 0, sizeof wrench);
        for (int i = 0; i < s.rows.nrow; ++i) {
            const dp_row_owner *owner = &s.rows.owner[rows_scene_block(&s, i)];
            const bool tendons = owner->source == DP_ROW_SOURCE_EQUALITY &&
                                 s.m->equality[owner->element].kind == DP_EQUALITY_TENDON;
            lambda[i] = acts_on_bodies(&s, i) || tendons ? 0.0 : 1.0;
        }
        dp_rows_add_wrenches(wrench, &s.rows, &s.in, lambda);
        for (int b = 0; b < s.m->size.nbody; ++b) {
            const dp_wrench w = wrench[b];
            assert_true(dp_v3_norm(w.t) == 0.0 && dp_v3_norm(w.f) == 0.0);
        }
        rows_scene_end(&s);
    }
}

// Two bodies that float, each with a ball, and the world with one.
static dp_spec *three_balls(void)
{
    mechanism x = mechanism_begin();
    assert_ok(dp_spec_allow(x.spec, "contact"));
    dp_geom_spec ball = dp_geom_spec_default();
    ball.size[0] = 0.1;
    assert_ok(dp_spec_add_geom(NULL, x.spec, DP_WORLD, &ball));
    const dp_v3 zero = {0.0, 0.0, 0.0}, moments = {0.1, 0.1, 0.1};
    for (int i = 0; i < 2; ++i) {
        const char *name = i ? "b" : "a";
        const dp_body_id body = mechanism_body(&x, DP_WORLD, name, zero, 1.0, zero, moments);
        dp_spec_body(x.spec, body)->inertia_source = DP_INERTIA_SOURCE_GIVEN;
        mechanism_joint(&x, body, name, DP_JOINT_FREE, (dp_v3){0.0, 0.0, 1.0});
        assert_ok(dp_spec_add_geom(NULL, x.spec, body, &ball));
    }
    return x.spec;
}

enum { POINTS = 16 };

// Points of one pair after the other, often with the normal of the one before.
static void draw_points(dp_touching *t, random_source *r)
{
    memset(t, 0, POINTS * sizeof *t);
    for (int i = 0; i < POINTS; ++i) {
        const int pair = 3 * i / POINTS; // 0 1, 0 2, 1 2
        double n[3];
        random_direction(n, 3, r);
        t[i].geom[0] = pair / 2;
        t[i].geom[1] = pair > 0 ? 2 : 1;
        t[i].body[0] = t[i].geom[0]; // one geom each
        t[i].body[1] = t[i].geom[1];
        t[i].pair = -1;
        t[i].key = (uint16_t)i;
        t[i].at.normal = i > 0 && random_chance(r, 0.7) ? t[i - 1].at.normal : dp_v3_load(n);
        t[i].at.point.x = random_between(r, -1.0, 1.0);
        t[i].at.point.y = random_between(r, -1.0, 1.0);
        t[i].at.point.z = random_between(r, -1.0, 1.0);
        t[i].at.gap = random_between(r, -1e-3, 1e-3);
        t[i].at.weight = 1.0;
    }
}

static void contacts_beside_others_have_the_gradients_of_each_alone_to_the_last_bit(void **state)
{
    (void)state;
    random_source r = {31};
    rows_scene s;
    rows_scene_begin_touching(&s, three_balls(), 0.01, POINTS);
    for (int draw = 0; draw < 50; ++draw) {
        dp_touching t[POINTS];
        double G[POINTS][36];
        int col[POINTS][12];
        rows_scene_randomise(&s, &r, 1.0);
        draw_points(t, &r);
        for (int i = 0; i < POINTS; ++i) {
            s.in.touching = &t[i];
            s.in.ntouching = 1;
            rows_scene_make(&s);
            assert_int_equal(s.rows.nblock, 1);
            memcpy(G[i], s.rows.G, s.rows.G_start[1] * sizeof *s.rows.G);
            memcpy(col[i], s.rows.col, (size_t)s.rows.col_start[1] * sizeof *s.rows.col);
        }
        t[5].dropped = draw % 2 == 1; // the others are not beside each other then
        s.in.touching = t;
        s.in.ntouching = POINTS;
        rows_scene_make(&s);
        assert_int_equal(s.rows.nblock, POINTS - t[5].dropped);
        for (int b = 0; b < s.rows.nblock; ++b) {
            const int i = s.rows.owner[b].element;
            const size_t nG = s.rows.G_start[b + 1] - s.rows.G_start[b];
            const int ncol = s.rows.col_start[b + 1] - s.rows.col_start[b];
            assert_int_equal(ncol, t[i].geom[0] == 0 ? 6 : 12);
            assert_memory_equal(s.rows.G + s.rows.G_start[b], G[i], nG * sizeof **G);
            assert_memory_equal(s.rows.col + s.rows.col_start[b], col[i],
                                (size_t)ncol * sizeof **col);
        }
    }
    rows_scene_end(&s);
}

// Rows that are as they were are not written again: nobody may tell.
static void rows_of_friction_are_the_same_when_contacts_come_again(void **state)
{
    (void)state;
    random_source r = {32};
    rows_scene s;
    rows_scene_begin_touching(&s, three_balls(), 0.01, POINTS);
    dp_touching t[POINTS];
    dp_row row[3 * POINTS];
    draw_points(t, &r);
    s.in.touching = t;
    s.in.ntouching = POINTS;
    rows_scene_make(&s);
    assert_int_equal(s.rows.nrow, 3 * POINTS);
    memcpy(row, s.rows.row, sizeof row);
    for (int draw = 0; draw < 6; ++draw) {
        for (int i = 0; i < POINTS; ++i) {
            t[i].at.gap = row[3 * i].phi = random_between(&r, -1e-3, 1e-3);
        }
        if (draw % 2 == 1) { // as laws do that see other rows
            memset(s.rows.row, 0, sizeof row);
            s.rows.layout.stands = false;
        }
        if (draw % 3 == 2) { // others in their place
            s.in.ntouching = POINTS / 2;
            rows_scene_make(&s);
            memset(s.rows.row, 0, sizeof row);
            s.in.ntouching = POINTS;
        }
        rows_scene_make(&s);
        assert_memory_equal(s.rows.row, row, sizeof row);
    }
    rows_scene_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gradient_of_a_row_is_the_derivative_of_its_gap),
        cmocka_unit_test(the_gap_of_a_linear_row_moves_with_its_rate),
        cmocka_unit_test(a_refresh_leaves_the_gap_at_the_end_of_the_step),
        cmocka_unit_test(the_wrenches_of_rows_do_what_their_forces_do),
        cmocka_unit_test(rows_that_act_through_joints_give_no_wrench),
        cmocka_unit_test(contacts_beside_others_have_the_gradients_of_each_alone_to_the_last_bit),
        cmocka_unit_test(rows_of_friction_are_the_same_when_contacts_come_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
