// A law that the library does not have, in one file: friction in proportion to the slip, whatever
// the load, and no friction at all. Both against closed forms.
#include "contact_scene.h"
#include "counting_allocator.h"

#include <dashpot/advanced/law.h>
#include <dashpot/advanced/step.h>
#include <dashpot/format.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- the law "viscous": γ_t = −h c u_t, normals as the problem has them, by Gauss–Seidel

typedef struct viscous {
    double c; // [N s/m]
} viscous;

typedef struct viscous_part {
    double *LD;    // M̃ factored
    double *y, *w; // nrow × nv: M̃⁻¹ Gᵀ of each row; nrow: G M̃⁻¹ Gᵀ
} viscous_part;

static dp_status viscous_prepare_numbers(dp_law_part *part)
{
    const viscous_part *own = part->memory;
    const dp_step_problem *p = part->p;
    const dp_status status = dp_problem_factor_mass(own->LD, p);
    for (int b = 0; status == DP_OK && b < p->nblock; ++b) {
        const int ncol = p->col_start[b + 1] - p->col_start[b];
        const double *g = p->G + p->G_start[b];
        for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r, g += ncol) {
            double *y = own->y + (ptrdiff_t)r * p->nv;
            memset(y, 0, (size_t)p->nv * sizeof *y);
            for (int k = 0; k < ncol; ++k) {
                y[p->col[p->col_start[b] + k]] = g[k];
            }
            dp_problem_solve_mass(y, p, own->LD);
            own->w[r] = 0.0;
            for (int k = 0; k < ncol; ++k) {
                own->w[r] += g[k] * y[p->col[p->col_start[b] + k]];
            }
        }
    }
    return status;
}

static dp_status viscous_prepare(dp_law_part *part)
{
    viscous_part *own = part->memory;
    const dp_step_problem *p = part->p;
    const size_t nrow = (size_t)p->nrow;
    dp_status status = dp_law_take(&own->LD, part->scratch, p->Mt_start[p->nv], sizeof *own->LD);
    if (status == DP_OK) {
        status = dp_law_take(&own->y, part->scratch, nrow * (size_t)p->nv, sizeof *own->y);
    }
    if (status == DP_OK) {
        status = dp_law_take(&own->w, part->scratch, nrow, sizeof *own->w);
    }
    return status == DP_OK ? viscous_prepare_numbers(part) : status;
}

static bool viscous_is_reusable(dp_law_part *part)
{
    (void)part; // all sizes are those of the structure
    return true;
}

static bool viscous_refuses(char *why, size_t bytes, const dp_step_problem *p,
                            const dp_law_options *opt)
{
    (void)opt;
    for (int b = 0; b < p->nblock; ++b) {
        const int nrow = p->row_start[b + 1] - p->row_start[b];
        if (p->friction_of && p->friction_of[b] >= 0 && nrow > 3) {
            snprintf(why, bytes,
                     "knows no torsion or rolling (found a contact of %d rows, "
                     "expected 3)",
                     nrow);
            return true;
        }
    }
    return false;
}

// The impulse of row r that meets its own law, the others held. @param u its velocity
static double meet_row(const dp_law_part *part, int r, bool rubs, double gamma, double u)
{
    const viscous *law = part->opt->user->context;
    const double w = ((const viscous_part *)part->memory)->w[r], h = part->p->h;
    const dp_row *row = &part->p->row[r];
    const dp_soft soft =
        rubs ? (dp_soft){1.0 / (h * law->c), -row->b_ref, (double)INFINITY} : dp_row_soft(row, h);
    const double spring = gamma + (soft.u_hat - soft.R * gamma - u) / (w + soft.R);
    const double stop = gamma + (soft.u_stop - u) / w;
    return fmin(fmax(fmin(spring, stop), row->lo), row->hi);
}

static dp_status viscous_solve(dp_step_solution *out, dp_law_part *part, const double *guess,
                               dp_solve_info *info)
{
    const viscous_part *own = part->memory;
    const dp_step_problem *p = part->p;
    memcpy(out->v, p->v_free, (size_t)p->nv * sizeof *out->v);
    for (int r = 0; r < p->nrow; ++r) {
        out->gamma[r] = guess ? guess[r] : 0.0;
        for (int k = 0; k < p->nv; ++k) {
            out->v[k] += own->y[(ptrdiff_t)r * p->nv + k] * out->gamma[r];
        }
    }
    info->outcome = DP_OUTCOME_CAPPED;
    for (; info->iterations < 10000 && info->outcome == DP_OUTCOME_CAPPED; ++info->iterations) {
        info->residual = 0.0;
        for (int b = 0; b < p->nblock; ++b) {
            const int *col = p->col + p->col_start[b];
            const int ncol = p->col_start[b + 1] - p->col_start[b];
            const double *g = p->G + p->G_start[b];
            const bool contact = p->friction_of && p->friction_of[b] >= 0;
            for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r, g += ncol) {
                double u = 0.0;
                for (int k = 0; k < ncol; ++k) {
                    u += g[k] * out->v[col[k]];
                }
                const bool rubs = contact && r > p->row_start[b];
                const double gamma = meet_row(part, r, rubs, out->gamma[r], u);
                const double change = gamma - out->gamma[r];
                for (int k = 0; k < p->nv; ++k) {
                    out->v[k] += own->y[(ptrdiff_t)r * p->nv + k] * change;
                }
                out->gamma[r] = gamma;
                out->state[r] = rubs          ? DP_ROW_STATE_SLIP
                                : gamma > 0.0 ? DP_ROW_STATE_ACTIVE
                                              : DP_ROW_STATE_OPEN;
                info->residual = fmax(info->residual, own->w[r] * fabs(change));
            }
        }
        info->outcome = info->residual <= 1e-3 * part->opt->tolerance ? DP_OUTCOME_CONVERGED
                                                                      : DP_OUTCOME_CAPPED;
    }
    return DP_OK;
}

// Friction is opposite to the slip; its size is the law's own.
static dp_certify_view viscous_view(const dp_law_options *opt, const dp_solve_info *info)
{
    (void)opt;
    (void)info;
    return (dp_certify_view){.set = DP_FRICTION_SET_GIVEN};
}

static const viscous OIL = {.c = 3.0};
static const dp_law VISCOUS = {.name = "viscous",
                               .context = &OIL,
                               .part_bytes = sizeof(viscous_part),
                               .refuses = viscous_refuses,
                               .prepare = viscous_prepare,
                               .is_reusable = viscous_is_reusable,
                               .restart = viscous_prepare_numbers,
                               .solve = viscous_solve,
                               .view = viscous_view};

// ---- the law "smooth": no friction, all else by a law of the library

typedef struct smooth_part {
    dp_law_part inner; // the same island without friction, under the law `compliant`
    dp_law_options opt;
    dp_step_problem p;
    dp_friction none[4];
} smooth_part;

static void smooth_copy(dp_law_part *part)
{
    smooth_part *own = part->memory;
    own->p = *part->p;
    own->p.friction = own->none;
    own->opt = *part->opt;
    own->opt.user = NULL;
    own->opt.law = DP_LAW_COMPLIANT;
}

static bool smooth_refuses(char *why, size_t bytes, const dp_step_problem *p,
                           const dp_law_options *opt)
{
    (void)opt;
    snprintf(why, bytes, "has room for 4 kinds of friction (found %d)", p->nfriction);
    return p->nfriction > 4;
}

static dp_status smooth_prepare(dp_law_part *part)
{
    smooth_part *own = part->memory;
    smooth_copy(part);
    const dp_law *law = dp_law_of(&own->opt);
    own->inner = (dp_law_part){.p = &own->p, .opt = &own->opt, .scratch = part->scratch};
    const dp_status status = dp_law_take(&own->inner.memory, part->scratch, law->part_bytes, 1);
    if (status != DP_OK) {
        return status;
    }
    memset(own->inner.memory, 0, law->part_bytes);
    return law->prepare(&own->inner);
}

static bool smooth_is_reusable(dp_law_part *part)
{
    smooth_part *own = part->memory;
    smooth_copy(part);
    return dp_law_of(&own->opt)->is_reusable(&own->inner);
}

static dp_status smooth_restart(dp_law_part *part)
{
    smooth_part *own = part->memory;
    return dp_law_of(&own->opt)->restart(&own->inner);
}

static dp_status smooth_solve(dp_step_solution *out, dp_law_part *part, const double *guess,
                              dp_solve_info *info)
{
    smooth_part *own = part->memory;
    return dp_law_of(&own->opt)->solve(out, &own->inner, guess, info);
}

static const dp_law SMOOTH = {.name = "smooth",
                              .part_bytes = sizeof(smooth_part),
                              .refuses = smooth_refuses,
                              .prepare = smooth_prepare,
                              .is_reusable = smooth_is_reusable,
                              .restart = smooth_restart,
                              .solve = smooth_solve,
                              .view = viscous_view};

// ---- scenes

// Two sledges that cannot turn, of 2 and 5 kg, on two and three runners: two islands.
static mechanism sledges_by(const dp_law *law, const dp_allocator *allocator)
{
    static const char text[] =
        "<mujoco xmlns:dp='dashpot'><option timestep='0.01'/>"
        "<default><geom friction='0.4' condim='3' dp:stiffness='1e5' dp:damping='200'/></default>"
        "<worldbody><geom type='plane' size='9 9 1'/>"
        "<body pos='0 0 0.1'><joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 1 0'/>"
        "<joint type='slide' axis='0 0 1'/><inertial pos='0 0 0' mass='2' diaginertia='1 1 1'/>"
        "<geom type='sphere' size='0.1' pos='0 0.2 0'/>"
        "<geom type='sphere' size='0.1' pos='0 -0.2 0'/></body>"
        "<body pos='0 2 0.1'><joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 1 0'/>"
        "<joint type='slide' axis='0 0 1'/><inertial pos='0 0 0' mass='5' diaginertia='1 1 1'/>"
        "<geom type='sphere' size='0.1' pos='0 0.2 0'/><geom type='sphere' size='0.1'/>"
        "<geom type='sphere' size='0.1' pos='0 -0.2 0'/></body></worldbody></mujoco>";
    dp_spec *spec;
    const dp_import_options options = {.allocator = allocator};
    assert_ok(dp_mjcf_parse(&spec, NULL, text, strlen(text), "sledges.xml", &options));
    mechanism x = mechanism_from(spec);
    dp_data_options(x.d)->solver.user = law;
    return x;
}

static mechanism sledges(const dp_law *law)
{
    return sledges_by(law, NULL);
}

static const double V[] = {1.0, -0.5, 0.0, 0.3, 2.0, 0.0};

static void viscous_friction_slows_sledges_as_the_closed_form(void **state)
{
    (void)state;
    const double h = 0.01, mass[] = {2.0, 5.0}, runners[] = {2.0, 3.0};
    mechanism x = sledges(&VISCOUS);
    memcpy(dp_data_v(x.d), V, sizeof V);
    double v[6];
    memcpy(v, V, sizeof V);
    for (int step = 0; step < 200; ++step) {
        mechanism_steps(&x, 1);
        for (int i = 0; i < 6; ++i) {
            const int body = i / 3;
            v[i] /= 1.0 + h * runners[body] * OIL.c / mass[body]; // M (v₁ − v₀) = −h n c v₁
            if (i % 3 < 2) {
                assert_near(dp_data_v(x.d)[i], v[i], 1e-13);
            }
        }
        assert_int_equal(dp_data_report(x.d)->unsolved, 0);
        assert_true(dp_data_report(x.d)->certificate.normal_law <= 1e-9);
    }
    assert_near(contact_scene_load(x.d), 7.0 * 9.81, 1e-6); // at rest on their springs
    assert_near(dp_data_q(x.d)[2], -2.0 * 9.81 / (2.0 * 0.5e5), 1e-9);
    mechanism_end(&x);
}

static void sledges_without_friction_keep_their_speed(void **state)
{
    (void)state;
    mechanism x = sledges(&SMOOTH);
    memcpy(dp_data_v(x.d), V, sizeof V);
    for (int step = 0; step < 200; ++step) {
        mechanism_steps(&x, 1);
        for (int i = 0; i < 6; ++i) {
            if (i % 3 < 2) {
                assert_true(dp_data_v(x.d)[i] == V[i]);
            }
        }
    }
    assert_near(contact_scene_load(x.d), 7.0 * 9.81, 1e-6);
    mechanism_end(&x);
}

static void a_problem_on_its_own_is_solved_and_judged_by_the_law_of_the_user(void **state)
{
    (void)state;
    mechanism x = sledges(NULL); // under the law of the scene
    memcpy(dp_data_v(x.d), V, sizeof V);
    mechanism_steps(&x, 50);
    const dp_step_problem *p = dp_data_problem(x.d);
    double out_v[6], gamma[15], scratch[6];
    uint8_t states[15];
    dp_step_solution s = {out_v, gamma, states};
    assert_int_equal(p->nrow, 15);
    dp_law_options opt = dp_law_options_default();
    opt.user = &VISCOUS;
    dp_solve_info info;
    dp_certificate c;
    assert_ok(dp_law_solve(&s, p, NULL, &opt, NULL, &info));
    assert_int_equal(info.outcome, DP_OUTCOME_CONVERGED);
    assert_int_equal(info.islands, 2);
    for (int i = 0; i < 6; ++i) {
        const double m = i < 3 ? 2.0 : 5.0, n = i < 3 ? 2.0 : 3.0;
        if (i % 3 < 2) {
            assert_near(out_v[i], p->v_free[i] / (1.0 + p->h * n * OIL.c / m), 1e-14);
        }
    }
    assert_ok(dp_law_judge(&c, p, &s, &opt, &info, scratch, NULL));
    assert_true(dp_certificate_is_solved(&c, opt.tolerance));
    opt.user = NULL; // Coulomb's law is another one
    assert_ok(dp_law_judge(&c, p, &s, &opt, &info, scratch, NULL));
    assert_false(dp_certificate_is_solved(&c, opt.tolerance));
    mechanism_end(&x);
}

static void what_the_law_of_the_user_refuses_ends_the_step_with_its_words(void **state)
{
    (void)state;
    mechanism x = contact_scene_begin((contact_stuff){.mu = 0.5}, (dp_v3){0.0, 0.0, -9.81}, 0.01);
    contact_scene_add(&x, "ball", DP_GEOM_SPHERE, 0.1, 1.0, 0.1,
                      (contact_stuff){.mu = 0.5, .torsion = 0.1, .condim = 4});
    mechanism_compile(&x);
    dp_data_options(x.d)->solver.user = &VISCOUS;
    assert_int_equal(dp_step(x.d), DP_ERROR_ARGUMENT);
    assert_non_null(strstr(dp_last_error(), "the law viscous knows no torsion"));
    static const dp_law NOTHING = {.name = "nothing"};
    dp_data_options(x.d)->solver.user = &NOTHING;
    assert_int_equal(dp_step(x.d), DP_ERROR_ARGUMENT);
    assert_non_null(strstr(dp_last_error(), "dp_law.solve"));
    mechanism_end(&x);
}

// The errors of parts are estimated by mobilities, which this law leaves to the library.
static void steps_in_parts_and_on_threads_end_in_the_same_bits(void **state)
{
    (void)state;
    double end[2][12];
    for (int run = 0; run < 2; ++run) {
        mechanism x = sledges(&VISCOUS);
        memcpy(dp_data_v(x.d), V, sizeof V);
        dp_data_options(x.d)->accuracy = 1e-4;
        assert_ok(dp_data_set_threads(x.d, 1 + run));
        mechanism_steps(&x, 20);
        memcpy(end[run], dp_data_q(x.d), 6 * sizeof(double));
        memcpy(end[run] + 6, dp_data_v(x.d), 6 * sizeof(double));
        // v = v₀ exp(−n c t/m) in the limit of short parts
        assert_near(end[run][6], exp(-2.0 * OIL.c / 2.0 * 0.2), 1e-3);
        mechanism_end(&x);
    }
    assert_memory_equal(end[0], end[1], sizeof end[0]);
}

static void steps_by_the_law_of_the_user_allocate_nothing(void **state)
{
    (void)state;
    counting_allocator counts = {0};
    const dp_allocator allocator = counting_allocator_for(&counts);
    const dp_law *const laws[] = {&VISCOUS, &SMOOTH};
    for (int k = 0; k < 2; ++k) {
        mechanism x = sledges_by(laws[k], &allocator);
        memcpy(dp_data_v(x.d), V, sizeof V);
        mechanism_steps(&x, 1);
        const size_t calls = counts.calls;
        assert_true(calls > 0);
        mechanism_steps(&x, 50);
        assert_true(counts.calls == calls);
        mechanism_end(&x);
    }
    assert_true(counts.blocks == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(viscous_friction_slows_sledges_as_the_closed_form),
        cmocka_unit_test(sledges_without_friction_keep_their_speed),
        cmocka_unit_test(a_problem_on_its_own_is_solved_and_judged_by_the_law_of_the_user),
        cmocka_unit_test(what_the_law_of_the_user_refuses_ends_the_step_with_its_words),
        cmocka_unit_test(steps_by_the_law_of_the_user_allocate_nothing),
        cmocka_unit_test(steps_in_parts_and_on_threads_end_in_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
