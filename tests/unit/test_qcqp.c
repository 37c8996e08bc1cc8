// The program [Drumwright2019, (181), (182)] against its closed form for one contact, and what it
// does that Coulomb's law does not.
#include "mechanism.h"

#include "drumwright/qcqp.h"

#include <dashpot/advanced/problem.h>
#include <dashpot/advanced/step.h>
#include <dashpot/format.h>

static const double h = 0.01, gravity = 9.81;

// Particles with three velocities each, normal first; the first one touches a plane.
enum { MOST_PARTICLES = 2 };
typedef struct particles {
    dp_step_problem p;
    double mass[3 * MOST_PARTICLES], v[3 * MOST_PARTICLES], G[9 + 18];
    int parent[3 * MOST_PARTICLES], each[3 * MOST_PARTICLES + 1], col[3 + 6];
    size_t packed[3 * MOST_PARTICLES + 1], G_start[3];
    int row_start[3], col_start[3], friction_of[2];
    uint64_t id[2];
    dp_row row[6];
    dp_friction friction;
} particles;

static const double slope = 3.14159265358979323846 / 12.0;

// One on a slope of 15°, with a speed along it.
static void put_on_slope(particles *o, double mass, double mu, double speed, double heading)
{
    const dp_row slides = {.b = INFINITY, .lo = -INFINITY, .hi = INFINITY, .len = 1.0};
    const double down = speed + h * gravity * sin(slope);
    *o = (particles){.mass = {mass, mass, mass},
                     .v = {-h * gravity * cos(slope), down * cos(heading), down * sin(heading)},
                     .G = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0},
                     .parent = {-1, -1, -1, -1, -1, -1},
                     .each = {0, 1, 2, 3, 4, 5, 6},
                     .col = {0, 1, 2, 0, 1, 2, 3, 4, 5},
                     .packed = {0, 1, 2, 3, 4, 5, 6},
                     .G_start = {0, 9, 27},
                     .row_start = {0, 3, 6},
                     .col_start = {0, 3, 9},
                     .friction_of = {0, -1},
                     .id = {1, 2},
                     .row = {{.k = 1e13, .hi = INFINITY, .len = 1.0}, slides, slides},
                     .friction = {.mu = {mu, mu}}};
    o->p = (dp_step_problem){.h = h,
                             .nv = 3,
                             .ntree = 3,
                             .tree_start = o->each,
                             .parent = o->parent,
                             .Mt_start = o->packed,
                             .Mt = o->mass,
                             .v0 = o->v,
                             .v_free = o->v,
                             .nblock = 1,
                             .nrow = 3,
                             .row_start = o->row_start,
                             .id = o->id,
                             .col_start = o->col_start,
                             .col = o->col,
                             .G_start = o->G_start,
                             .G = o->G,
                             .row = o->row,
                             .nfriction = 1,
                             .friction_of = o->friction_of,
                             .friction = &o->friction};
    assert_ok(dp_problem_check(&o->p, NULL));
}

static cli_qcqp_options options_of(double zeta, double damper)
{
    return (cli_qcqp_options){.zeta = zeta, .damper = damper, .reach = 1e-9, .tolerance = 1e-9};
}

// w: slip at the end of the step without friction; L: what the plane needs.
static double normal_of(double mass, double mu, double w, double L, const cli_qcqp_options *o)
{
    const double c = 1.0 + h * o->damper / mass;
    return fmax(L, mu * c * o->damper * w / (o->zeta + mu * mu * (1.0 + c * c)));
}

static double friction_of(double mass, double mu, double w, double normal,
                          const cli_qcqp_options *o)
{
    const double c = 1.0 + h * o->damper / mass;
    return fmin(mu * normal, c * o->damper * w / (1.0 + c * c));
}

static void one_contact_is_what_the_closed_form_says(void **state)
{
    (void)state;
    static const double mus[] = {0.0, 0.01, 0.125, 0.25, 0.375, 1.0};
    static const double speeds[] = {0.0, 0.5, 3.0}, masses[] = {0.1, 1.0, 30.0};
    static const double zetas[] = {1.0, 1e2, 1e6, 1e10, 1e12}, dampers[] = {1.0, 1e4, 1e8};
    for (int k = 0; k < 6 * 3 * 3 * 5 * 3; ++k) {
        const double mu = mus[k % 6], speed = speeds[k / 6 % 3], mass = masses[k / 18 % 3];
        const cli_qcqp_options o = options_of(zetas[k / 54 % 5], dampers[k / 270]);
        particles x;
        cli_qcqp q = {0};
        put_on_slope(&x, mass, mu, speed, 0.7);
        assert_true(cli_qcqp_solve(&q, &x.p, &o));
        const double w = speed + h * gravity * sin(slope);
        const double normal = normal_of(mass, mu, w, mass * gravity * cos(slope), &o);
        const double friction = friction_of(mass, mu, w, normal, &o);
        // the bound itself, and the spring of 1e13 N/m: m/(h² k) of it
        const double tolerance = q.residual.error + 1e-7 * normal;
        assert_true(q.residual.error < 1e-5 * (1.0 + normal));
        assert_near(q.force[0], normal, tolerance);
        assert_near(q.force[1], -friction * cos(0.7), tolerance);
        assert_near(q.force[2], -friction * sin(0.7), tolerance);
        assert_near(q.v[0], h * (q.force[0] / mass - gravity * cos(slope)), 1e-13 * (1.0 + normal));
        cli_qcqp_end(&q);
    }
}

static void normal_forces_grow_to_buy_friction(void **state)
{
    (void)state;
    const cli_qcqp_options o = options_of(1.0 / h, 1e6 / h);
    static const double speed[2] = {0.0, 0.5}, told[2] = {20.3, 420.0}; // 3 digits
    for (int i = 0; i < 2; ++i) {
        particles x;
        cli_qcqp q = {0};
        put_on_slope(&x, 1.0, 0.125, speed[i], 0.0);
        assert_true(cli_qcqp_solve(&q, &x.p, &o));
        assert_close(q.force[0], told[i], 2e-3);
        // Coulomb: 9.4757 N and friction of an eighth of it. Here the slip ends and the mass rises.
        assert_near(q.v[1], 0.0, 1e-6);
        assert_close(q.v[0], h * (told[i] - gravity * cos(slope)), 5e-3);
        cli_qcqp_end(&q);
    }
}

// The second particle hangs on the first one, pulled down the slope harder than gravity does: (197)
// as printed does not know of it.
static void what_hangs_on_joints_slips_with_the_whole(void **state)
{
    (void)state;
    const double m = 0.4, n = 1.7, mu = 0.3, w = 0.02, pulled = 0.11;
    static const double zetas[] = {1e2, 1e12};
    for (int i = 0; i < 2; ++i) {
        particles x;
        put_on_slope(&x, m, mu, 0.0, 0.0);
        const dp_row held = {.k = INFINITY, .lo = -INFINITY, .hi = INFINITY, .len = 1.0};
        x.v[1] = w;
        for (int k = 0; k < 3; ++k) {
            x.mass[3 + k] = n;
            x.v[3 + k] = k == 1 ? pulled : x.v[k];
            x.row[3 + k] = held;
            x.G[9 + 6 * k + k] = 1.0;
            x.G[9 + 6 * k + 3 + k] = -1.0;
        }
        x.p.nv = x.p.ntree = 6;
        x.p.nblock = 2;
        x.p.nrow = 6;
        assert_ok(dp_problem_check(&x.p, NULL));
        const cli_qcqp_options o = options_of(zetas[i], 1e6 / h);
        cli_qcqp q = {0};
        assert_true(cli_qcqp_solve(&q, &x.p, &o));
        const double slip = (m * w + n * pulled) / (m + n);
        const double normal = normal_of(m + n, mu, slip, (m + n) * gravity * cos(slope), &o);
        assert_near(q.force[0], normal, q.residual.error + 1e-7 * normal);
        assert_near(q.force[1], -friction_of(m + n, mu, slip, normal, &o),
                    q.residual.error + 1e-7 * normal);
        for (int k = 0; k < 3; ++k) {
            assert_near(q.v[k], q.v[3 + k], 1e-15);
        }
        cli_qcqp_end(&q);
    }
}

static void rows_that_it_does_not_know_are_refused(void **state)
{
    (void)state;
    particles x;
    cli_qcqp q = {0};
    put_on_slope(&x, 1.0, 0.125, 0.0, 0.0);
    const cli_qcqp_options o = options_of(1.0, 1.0);
    x.friction_of[0] = -1;
    x.p.nfriction = 0;
    x.row[1].lo = -1.0;
    x.row[1].hi = 2.0;
    assert_false(cli_qcqp_solve(&q, &x.p, &o));
    x.row[1].lo = -INFINITY;
    x.row[1].hi = INFINITY;
    assert_true(cli_qcqp_solve(&q, &x.p, &o));
    cli_qcqp_end(&q);
}

static void contacts_beyond_reach_do_not_push(void **state)
{
    (void)state;
    particles x;
    cli_qcqp q = {0};
    put_on_slope(&x, 1.0, 0.125, 0.0, 0.0);
    x.row[0].phi = 1e-6;
    const cli_qcqp_options o = options_of(1.0 / h, 1e6 / h);
    assert_true(cli_qcqp_solve(&q, &x.p, &o));
    assert_near(q.force[0], 0.0, 0.0);
    assert_near(q.v[1], x.v[1], 0.0);
    cli_qcqp_end(&q);
}

// --- the box of section 6.4 -------------------------------------------------------------------

static void solve_box(cli_qcqp *q, const dp_step_problem *p, double zeta_h, double h_damper,
                      bool plain)
{
    const cli_qcqp_options o = {.zeta = zeta_h / h,
                                .damper = h_damper / h,
                                .stiffness = 7.5e6,
                                .damping = 1.0,
                                .reach = 1e-9,
                                .tolerance = 1e-9,
                                .plain = plain};
    assert_true(cli_qcqp_solve(q, p, &o));
    assert_int_equal(q->contacts, 4);
    assert_int_equal(q->normals, 4);
    assert_int_equal(q->tangents, 8);
}

static mechanism box_on_ramp(void)
{
    dp_spec *spec;
    assert_ok(dp_mjcf_load(&spec, NULL, DP_SCENES "/paper/box_on_ramp.xml", NULL));
    mechanism x = mechanism_from(spec);
    assert_ok(dp_forward(x.d));
    assert_near(dp_data_options(x.d)->step, h, 0.0);
    return x;
}

static double farthest(const cli_qcqp *a, const cli_qcqp *b, int rows)
{
    double off = 0.0;
    for (int i = 0; i < rows; ++i) {
        off = fmax(off, fabs(a->force[i] - b->force[i]));
    }
    return off;
}

// Weights of 1 and (h B/m)² in one matrix: double loses the former from h B = 1e8 kg on.
static void double_alone_fails_where_the_damper_is_strong(void **state)
{
    (void)state;
    mechanism x = box_on_ramp();
    const dp_step_problem *p = dp_data_problem(x.d);
    static const double dampers[] = {1e4, 1e6, 1e8, 1e10};
    double off[4];
    for (int i = 0; i < 4; ++i) {
        cli_qcqp q = {0}, plain = {0};
        solve_box(&q, p, 1.0, dampers[i], false);
        solve_box(&plain, p, 1.0, dampers[i], true);
        off[i] = farthest(&q, &plain, p->nrow);
        print_message("h B = %g kg: double is off by %.1e N, 106 bits by at most %.1e N\n",
                      dampers[i], off[i], q.residual.error);
        assert_true(q.residual.error < 1e-6);
        assert_true(q.residual.stationarity < 1e-26);
        // What it says of itself is true, if not sharp.
        assert_true(off[i] <= plain.residual.error + q.residual.error);
        cli_qcqp_end(&q);
        cli_qcqp_end(&plain);
    }
    assert_true(off[0] < 1e-6);
    assert_true(off[1] < 1e-2);
    assert_true(off[2] > 1e-2); // of forces of 3 N
    assert_true(off[3] > 0.1);
    mechanism_end(&x);
}

static void no_weight_leaves_the_box_alone(void **state)
{
    (void)state;
    mechanism x = box_on_ramp();
    const dp_step_problem *p = dp_data_problem(x.d);
    const double weight = gravity * cos(slope);
    double normal[2] = {0.0, 0.0}, friction[2] = {0.0, 0.0}, spin[2];
    for (int k = 0; k < 2; ++k) {
        cli_qcqp q = {0};
        solve_box(&q, p, k == 0 ? 1.0 : 1e12, 1e6, false);
        for (int b = 0; b < p->nblock; ++b) {
            normal[k] += q.force[p->row_start[b]];
            friction[k] += hypot(q.force[p->row_start[b] + 1], q.force[p->row_start[b] + 2]);
        }
        spin[k] = hypot(hypot(q.v[3], q.v[4]), q.v[5]);
        cli_qcqp_end(&q);
    }
    assert_true(normal[0] > 1.3 * weight);
    assert_true(spin[0] > 0.1);
    // springs of 7.5e6 N/m yield within the step: m/(4 h² k) of the load
    assert_close(normal[1], weight, 1e-3);
    assert_true(friction[1] <= 0.125 * normal[1] * (1.0 + 1e-9));
    mechanism_end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_contact_is_what_the_closed_form_says),
        cmocka_unit_test(normal_forces_grow_to_buy_friction),
        cmocka_unit_test(what_hangs_on_joints_slips_with_the_whole),
        cmocka_unit_test(rows_that_it_does_not_know_are_refused),
        cmocka_unit_test(contacts_beyond_reach_do_not_push),
        cmocka_unit_test(double_alone_fails_where_the_damper_is_strong),
        cmocka_unit_test(no_weight_leaves_the_box_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
