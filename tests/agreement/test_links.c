// Long trees are solved link by link, without their matrices. That must lead where the matrices
// lead, and to the same file.
#include "linalg/tree_ldl.h"
#include "mechanism.h"
#include "problem/links/links.h"

#include <dashpot/advanced/law.h>
#include <dashpot/advanced/problem.h>
#include <dashpot/advanced/step.h>
#include <dashpot/contact.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINKS = 40, MOST = 8 * LINKS };

static const double ROUND_OFF = 1e-12; // of sums over a branch of so many links

// What a long tree is made of.
typedef enum feature {
    FLOATS = 1,    // its root is on a free joint
    BRANCHES = 2,  // it is no chain
    ALL_KINDS = 4, // of joints, not only hinges; some bodies are welded
    HELD = 8,      // joints with limits, friction and armature
    TURNS = 16,    // contacts with torsion and rolling
} feature;

static dp_v3 drawn_axis(random_source *r)
{
    dp_v3 axis;
    axis.x = random_between(r, -1.0, 1.0);
    axis.y = random_between(r, 0.1, 1.0);
    axis.z = random_between(r, -1.0, 1.0);
    return axis;
}

static void add_joint(mechanism *x, dp_body_id body, int features, random_source *r)
{
    const double which = features & ALL_KINDS ? random_between(r, 0.0, 1.0) : 0.5;
    if (which < 0.1) {
        return; // welded
    }
    const dp_joint_kind kind = which < 0.2   ? DP_JOINT_BALL
                               : which < 0.3 ? DP_JOINT_SLIDE
                                             : DP_JOINT_HINGE;
    const dp_v3 axis = drawn_axis(r);
    dp_joint_spec *joint = mechanism_joint(x, body, "", kind, axis);
    joint->damping = random_between(r, 1e-3, 1e-2);
    joint->stiffness = kind == DP_JOINT_SLIDE ? 1e3 : 0.0;
    if (features & HELD && kind != DP_JOINT_BALL) {
        joint->armature = random_between(r, 0.0, 1e-3);
        joint->friction_loss = random_between(r, 0.0, 1.0) < 0.3 ? 1e-2 : 0.0;
        joint->limited = random_between(r, 0.0, 1.0) < 0.5;
        joint->range[0] = -0.05;
        joint->range[1] = 0.05;
    }
}

static void add_ball(mechanism *x, dp_body_id body, int features, random_source *r)
{
    dp_geom_spec g = dp_geom_spec_default();
    g.kind = DP_GEOM_SPHERE;
    g.size[0] = random_between(r, 0.03, 0.04);
    g.mass = random_between(r, 0.05, 0.2);
    g.friction[0] = random_between(r, 0.1, 0.8);
    g.contact.condim = features & TURNS ? 6 : 3;
    g.friction[1] = g.friction[2] = 1e-3;
    g.contype = 2; // balls meet the floor and not each other
    g.conaffinity = 1;
    g.contact.material_given = true;
    g.contact.material.stiffness = random_between(r, 1e4, 1e7);
    assert_ok(dp_spec_add_geom(NULL, x->spec, body, &g));
}

static mechanism make_tree(int features, uint64_t seed)
{
    random_source r = {seed};
    mechanism x = mechanism_begin();
    dp_spec_options(x.spec)->step = 0.005;
    dp_geom_spec floor = dp_geom_spec_default();
    floor.kind = DP_GEOM_PLANE;
    floor.size[0] = floor.size[1] = floor.size[2] = 1.0;
    floor.contype = 1;
    floor.conaffinity = 2;
    assert_ok(dp_spec_add_geom(NULL, x.spec, DP_WORLD, &floor));
    dp_body_id last = DP_WORLD, body;
    for (int i = 0; i < LINKS; ++i) {
        const bool twig = features & BRANCHES && i > 0 && random_between(&r, 0.0, 1.0) < 0.2;
        dp_body_spec b = dp_body_spec_default();
        b.pose.p = (dp_v3){0.1, twig ? 0.1 : 0.0, 0.0};
        if (i == 0) {
            b.pose.p = (dp_v3){0.0, 0.0, 0.04};
        }
        assert_ok(dp_spec_add_body(&body, x.spec, last, &b));
        if (i == 0 && features & FLOATS) {
            mechanism_joint(&x, body, "", DP_JOINT_FREE, (dp_v3){0.0, 0.0, 1.0});
        } else {
            add_joint(&x, body, i > 0 ? features : 0, &r);
        }
        add_ball(&x, body, features, &r);
        last = twig ? last : body;
    }
    mechanism_compile(&x);
    for (int k = 0; k < dp_model_sizes(x.m)->nv; ++k) {
        dp_data_v(x.d)[k] = random_between(&r, -0.3, 0.3);
    }
    return x;
}

// xᵀ M̃ x by the matrix
static double square(const dp_step_problem *p, const double *x)
{
    return dp_tree_ldl_square((dp_tree_ldl){p->nv, p->parent, p->Mt_start}, p->Mt, x, 0, p->nv);
}

static void assert_same_products(const dp_step_problem *p, random_source *r)
{
    static double x[MOST], by_matrix[MOST], by_links[MOST];
    static dp_twist V[LINKS];
    static dp_wrench F[LINKS];
    static dp_rigid_inertia composite[LINKS];
    const dp_links *l = p->links;
    double size = 0.0;
    for (int i = 0; i < p->nv; ++i) {
        x[i] = random_between(r, -1.0, 1.0);
    }
    dp_tree_ldl_apply(by_matrix, (dp_tree_ldl){p->nv, p->parent, p->Mt_start}, p->Mt, x);
    dp_links_apply(by_links, l, x, V, F);
    for (int i = 0; i < p->nv; ++i) {
        size = fmax(size, fabs(by_matrix[i]));
    }
    for (int i = 0; i < p->nv; ++i) {
        assert_near(by_links[i], by_matrix[i], ROUND_OFF * size);
    }
    const double energy = square(p, x);
    assert_near(dp_links_square(l, x, V), energy, ROUND_OFF * energy);
    dp_links_diagonal(by_links, l, composite);
    for (int i = 0; i < p->nv; ++i) {
        assert_near(by_links[i], p->Mt[p->Mt_start[i]], ROUND_OFF * p->Mt[p->Mt_start[i]]);
    }
    dp_links_move(V, l, x);
    for (int b = 0; b < p->nblock; ++b) {
        const int ncol = p->col_start[b + 1] - p->col_start[b];
        const double *G = p->G + p->G_start[b];
        for (int row = p->row_start[b]; row < p->row_start[b + 1]; ++row, G += ncol) {
            double u = 0.0, terms = 0.0;
            for (int k = 0; k < ncol; ++k) {
                u += G[k] * x[p->col[p->col_start[b] + k]];
                terms += fabs(G[k]);
            }
            assert_near(dp_links_rate(l, b, row, V, x), u, ROUND_OFF * terms);
            assert_near(dp_links_rate_alone(l, b, row, x), u, ROUND_OFF * terms);
        }
    }
}

typedef struct answer {
    double v[MOST], gamma[MOST];
    uint8_t state[MOST];
    dp_certificate certificate;
    dp_solve_info info;
} answer;

static void solve(answer *out, const dp_step_problem *p, const dp_warm *warm, double tolerance)
{
    static double scratch[MOST];
    dp_law_options opt = dp_law_options_default();
    opt.tolerance = tolerance;
    dp_step_solution s = {out->v, out->gamma, out->state};
    assert_true(p->nrow <= MOST && p->nv <= MOST);
    assert_ok(dp_law_solve(&s, p, warm, &opt, NULL, &out->info));
    dp_problem_certify(&out->certificate, p, &s, scratch);
}

// [m/s] What the law is asked for, and [√J] how far apart two motions may be that meet it: a row
// off by so much moves a kilogram or a few of them, through levers of up to a hundred.
static const double TOLERANCE = 1e-11, SAME_MOTION = 1e-9;

static void assert_same_answers(const dp_step_problem *p, const dp_warm *warm)
{
    static answer by_links, by_matrices;
    static double off[MOST];
    dp_step_problem plain = *p;
    plain.links = NULL;
    solve(&by_links, p, warm, TOLERANCE);
    solve(&by_matrices, &plain, warm, TOLERANCE);
    assert_int_equal(by_links.info.outcome, DP_OUTCOME_CONVERGED);
    assert_int_equal(by_matrices.info.outcome, DP_OUTCOME_CONVERGED);
    assert_true(by_links.certificate.normal_law <= 10.0 * TOLERANCE); // its unit is another
    assert_true(by_links.certificate.momentum <= ROUND_OFF * (1.0 + 1e3 * sqrt(square(p, p->v0))));
    assert_true(by_links.certificate.friction_power <= 1e3 * TOLERANCE); // forces up to 1 kN
    for (int i = 0; i < p->nv; ++i) {
        off[i] = by_links.v[i] - by_matrices.v[i];
    }
    assert_true(sqrt(square(p, off)) <= SAME_MOTION * (1.0 + sqrt(square(p, by_links.v))));
}

static void compare_steps(int features, uint64_t seed)
{
    enum { STEPS = 12 };
    mechanism x = make_tree(features, seed);
    random_source r = {seed};
    int lifted = 0;
    for (int i = 0; i < STEPS; ++i) {
        assert_ok(dp_step(x.d));
        const dp_step_problem *p = dp_data_problem(x.d);
        if (p->links) {
            ++lifted;
            assert_same_products(p, &r);
            assert_same_answers(p, dp_data_warm(x.d));
        }
    }
    assert_true(lifted > STEPS / 2);
    mechanism_end(&x);
}

static void a_chain_of_hinges_moves_as_its_matrices_say(void **state)
{
    (void)state;
    compare_steps(0, 1);
    compare_steps(FLOATS, 2);
}

static void a_tree_of_all_joints_moves_as_its_matrices_say(void **state)
{
    (void)state;
    compare_steps(BRANCHES | ALL_KINDS, 3);
    compare_steps(FLOATS | BRANCHES | ALL_KINDS, 4);
}

static void limits_and_friction_of_joints_are_met_as_well(void **state)
{
    (void)state;
    compare_steps(HELD, 5);
    compare_steps(FLOATS | BRANCHES | ALL_KINDS | HELD, 6);
}

static void torsion_and_rolling_are_met_as_well(void **state)
{
    (void)state;
    compare_steps(TURNS, 7);
    compare_steps(FLOATS | BRANCHES | HELD | TURNS, 8);
}

static void the_certificate_of_a_step_is_that_of_its_matrices(void **state)
{
    (void)state;
    static double scratch[MOST];
    mechanism x = make_tree(BRANCHES | ALL_KINDS | HELD, 9);
    int lifted = 0;
    for (int i = 0; i < 20; ++i) {
        assert_ok(dp_step(x.d));
        const dp_step_problem *p = dp_data_problem(x.d);
        if (!p->links || dp_data_report(x.d)->work.substeps > 1) {
            continue;
        }
        ++lifted;
        const dp_certificate *own = &dp_data_report(x.d)->certificate;
        dp_certificate other;
        dp_problem_certify(&other, p, dp_data_solution(x.d), scratch);
        assert_int_equal(own->nrow, other.nrow);
        assert_int_equal(own->nactive, other.nactive);
        assert_near(own->momentum, other.momentum, 1e-9);
        assert_near(own->normal_law, other.normal_law, 1e-9);
        assert_near(own->penetration, other.penetration, ROUND_OFF);
        assert_near(own->creep, other.creep, 1e-9);
        assert_near(own->drift, other.drift, ROUND_OFF);
    }
    assert_true(lifted > 10);
    mechanism_end(&x);
}

static void a_file_has_the_bits_of_the_step(void **state)
{
    (void)state;
    static answer again;
    mechanism x = make_tree(FLOATS | BRANCHES | ALL_KINDS | HELD, 10);
    mechanism_steps(&x, 5);
    const dp_step_problem *p = dp_data_problem(x.d);
    const dp_step_solution *found = dp_data_solution(x.d);
    assert_non_null(p->links);
    assert_ok(dp_problem_save(DP_SCRATCH "/links.txt", p, dp_data_warm(x.d), found, NULL));
    dp_problem_file *file;
    assert_ok(dp_problem_load(&file, DP_SCRATCH "/links.txt", NULL));
    const dp_step_problem *read = dp_problem_of(file);
    const size_t nv = (size_t)p->nv, nrow = (size_t)p->nrow, n = (size_t)p->links->n;
    assert_non_null(read->links);
    assert_int_equal(read->links->n, p->links->n);
    assert_memory_equal(read->links->inertia, p->links->inertia, 10 * n * sizeof(double));
    assert_memory_equal(read->links->motion, p->links->motion, nv * sizeof(dp_twist));
    assert_memory_equal(read->links->along, p->links->along, nrow * sizeof(dp_wrench));
    solve(&again, read, dp_problem_warm(file), dp_law_options_default().tolerance);
    assert_memory_equal(again.v, found->v, nv * sizeof(double));
    assert_memory_equal(again.gamma, found->gamma, nrow * sizeof(double));
    dp_problem_destroy(file);
    mechanism_end(&x);
}

// A problem of links with something wrong in it.
static void refuse(const dp_step_problem *p, const dp_links *links, const char *expected)
{
    dp_step_problem wrong = *p;
    wrong.links = links;
    assert_int_equal(dp_problem_check(&wrong, NULL), DP_ERROR_ARGUMENT);
    if (!strstr(dp_last_error(), expected)) {
        fail_msg("found '%s', expected '%s'", dp_last_error(), expected);
    }
}

static void links_that_contradict_the_matrices_are_refused(void **state)
{
    (void)state;
    mechanism x = make_tree(0, 11);
    mechanism_steps(&x, 2);
    const dp_step_problem *p = dp_data_problem(x.d);
    assert_non_null(p->links);
    assert_ok(dp_problem_check(p, NULL));
    const size_t n = (size_t)p->links->n;
    double *inertia = malloc(10 * n * sizeof *inertia);
    dp_wrench *along = malloc((size_t)p->nrow * sizeof *along);
    int *parent = malloc(n * sizeof *parent), *on = malloc((size_t)p->nblock * sizeof *on);
    assert_true(inertia && along && parent && on);
    memcpy(inertia, p->links->inertia, 10 * n * sizeof *inertia);
    memcpy(along, p->links->along, (size_t)p->nrow * sizeof *along);
    memcpy(parent, p->links->parent, n * sizeof *parent);
    memcpy(on, p->links->on, (size_t)p->nblock * sizeof *on);
    dp_links l = *p->links;
    l.inertia = inertia;
    inertia[40] *= 1.001;
    refuse(p, &l, "another mass");
    inertia[40] = (double)NAN;
    refuse(p, &l, "not finite");
    l = *p->links;
    l.along = along;
    along[4].f.x += 0.1;
    refuse(p, &l, "another gradient");
    l = *p->links;
    l.parent = parent;
    parent[3] = 3;
    refuse(p, &l, "parent[3] is 3");
    l = *p->links;
    l.on = on;
    on[1] = l.n;
    refuse(p, &l, "on[1] is 40");
    free(inertia);
    free(along);
    free(parent);
    free(on);
    mechanism_end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_of_hinges_moves_as_its_matrices_say),
        cmocka_unit_test(a_tree_of_all_joints_moves_as_its_matrices_say),
        cmocka_unit_test(limits_and_friction_of_joints_are_met_as_well),
        cmocka_unit_test(torsion_and_rolling_are_met_as_well),
        cmocka_unit_test(the_certificate_of_a_step_is_that_of_its_matrices),
        cmocka_unit_test(a_file_has_the_bits_of_the_step),
        cmocka_unit_test(links_that_contradict_the_matrices_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
