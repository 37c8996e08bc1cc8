// [Drumwright2019, section 6.4] once more, by the program that the paper has, (181), (182), in the
// place of a law: what it does to the box of Fig. 9.
//
// One foot tells why. A mass m on the slope has the slip w without friction at the end of the step
// and needs L = m g cos θ to stay on it. With c = 1 + h B/m, (QC 1), (QC 2) are solved by
//
//     λ_n = max(L, μ c B w/(ζ + μ² (1 + c²))),   λ_t = min(μ λ_n, c B w/(1 + c²)),        (QC 3)
//
// and with the paper's B = 1e6/h and ζ = 1/h the second of the two is m w/(h μ): the normal force
// with which friction stops the slip within the step, whatever that takes.
//
// Departures. The springs of the feet are linear here, as rows of the program are: as deep as Hertz
// under their load. A step of 0.01 s does not see them.
#include "drumwright/paper_d_ramp.h"
#include "drumwright/qcqp.h"
#include "methods/free_joint.h"

#include <dashpot/advanced/problem.h>
#include <dashpot/advanced/step.h>

#include <stdio.h>

static const double step_length = 0.01, damper_over_rate = 1e6; // [s], h B [kg]
static const double mus[CLI_PROGRAM_CASES] = {0.0, 0.125, 0.25, 0.375};
static const char *const names[CLI_PROGRAM_CASES] = {"published, μ = 0", "published, μ = 0.125",
                                                     "published, μ = 0.25", "published, μ = 0.375"};

static cli_qcqp_options as_published(double zeta_h)
{
    const double h = step_length;
    return (cli_qcqp_options){.zeta = zeta_h / h,
                              .damper = damper_over_rate / h,
                              .damping = 1.0,
                              .reach = 1e-9,
                              .tolerance = 1e-9};
}

// --- one foot ---------------------------------------------------------------------------------

typedef struct foot_forces {
    double normal, friction; // [N]
} foot_forces;

// A mass that slides with `speed` down the slope, on a spring that is rigid in a step.
static bool solve_foot(foot_forces *out, const cli_ramp *o, double mass, double mu, double speed,
                       const cli_qcqp_options *options)
{
    const double h = step_length, stiff = 1e13;
    const double v0[3] = {0.0, speed, 0.0};
    const double v_free[3] = {-h * o->g * cos(o->angle), speed + h * o->g * sin(o->angle), 0.0};
    const double masses[3] = {mass, mass, mass},
                 G[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    static const int none[3] = {-1, -1, -1}, each[4] = {0, 1, 2, 3}, three[2] = {0, 3}, first = 0;
    static const size_t packed[4] = {0, 1, 2, 3}, nine[2] = {0, 9};
    static const uint64_t id = 1;
    const dp_row slides = {.b = INFINITY, .lo = -INFINITY, .hi = INFINITY, .len = 1.0};
    const dp_row row[3] = {{.k = stiff, .hi = INFINITY, .len = 1.0}, slides, slides};
    const dp_friction friction = {.mu = {mu, mu}};
    const dp_step_problem p = {.h = h,
                               .nv = 3,
                               .ntree = 3,
                               .tree_start = each,
                               .parent = none,
                               .Mt_start = packed,
                               .Mt = masses,
                               .v0 = v0,
                               .v_free = v_free,
                               .nblock = 1,
                               .nrow = 3,
                               .row_start = three,
                               .id = &id,
                               .col_start = three,
                               .col = each,
                               .G_start = nine,
                               .G = G,
                               .row = row,
                               .nfriction = 1,
                               .friction_of = &first,
                               .friction = &friction};
    cli_qcqp q = {0};
    const bool fine = cli_qcqp_solve(&q, &p, options);
    if (fine) {
        *out = (foot_forces){q.force[0], -q.force[1]};
    }
    o->p->out_of_memory = o->p->out_of_memory || !fine;
    cli_qcqp_end(&q);
    return fine;
}

// (QC 3)
static double foot_normal(const cli_ramp *o, double mass, double mu, double speed,
                          const cli_qcqp_options *options)
{
    const double c = 1.0 + step_length * options->damper / mass;
    const double w = speed + step_length * o->g * sin(o->angle);
    return fmax(mass * o->g * cos(o->angle),
                mu * c * options->damper * w / (options->zeta + mu * mu * (1.0 + c * c)));
}

static bool tell_foot(const cli_ramp *o, double mass)
{
    static const char of[] = "published, one foot, μ = 0.125";
    const double mu = mus[1], fast = 0.5;
    const cli_qcqp_options options = as_published(1.0);
    foot_forces rest, slides;
    if (!solve_foot(&rest, o, mass, mu, 0.0, &options) ||
        !solve_foot(&slides, o, mass, mu, fast, &options)) {
        return false;
    }
    const double law = mass * o->g * cos(o->angle);
    cli_paper_tell(o->p, of, "normal force at rest", "N", NAN, rest.normal,
                   "the program (181), (182) with ζ = 1/h, B = 1e6/h. The law: m g cos θ = %.6g N. "
                   "It is m g sin θ/μ, with which friction holds",
                   law);
    cli_paper_tell(o->p, of, "normal force at 0.5 m/s", "N", NAN, slides.normal,
                   "the law: %.6g N. It is m w/(h μ), with which friction stops the slip w in a "
                   "step",
                   law);
    cli_paper_tell(o->p, of, "distance from the closed form", "N", NAN,
                   fmax(fabs(rest.normal - foot_normal(o, mass, mu, 0.0, &options)),
                        fabs(slides.normal - foot_normal(o, mass, mu, fast, &options))),
                   "of both: λ_n = max(m g cos θ, μ c B w/(ζ + μ² (1 + c²))), c = 1 + h B/m");
    return true;
}

// --- the box ----------------------------------------------------------------------------------

typedef struct program_run {
    cli_ramp ramp;
    cli_qcqp_options options;
    cli_qcqp q;
    dp_v3 start;
    double mass, law; // [kg], [N] the normal force of the law
} program_run;

typedef struct thrown {
    double first, most;   // [N] all normal forces: on the first step, on any
    double spin;          // [rad/s] after the first step
    double way, height;   // [m] down the ramp at the end, off the ramp at most
    double doubt, beside; // [N] bound of the error of a force; (CP 1), relative
} thrown;

static double along(dp_v3 a, dp_v3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// The rows at the start of a step.
static const dp_step_problem *look(program_run *r)
{
    cli_ramp *o = &r->ramp;
    return cli_paper_works(o->p, dp_forward(o->data)) ? dp_data_problem(o->data) : NULL;
}

// A spring that is as deep as Hertz under the load of a foot.
static double spring_of(const program_run *r, const dp_step_problem *p)
{
    int feet = 0;
    for (int b = 0; b < p->nblock; ++b) {
        feet += p->friction_of[b] >= 0;
    }
    const double load = r->law / feet;
    const bool hertz = p->normal && p->normal[0].kind == DP_NORMAL_HERTZ;
    const double k = p->row[p->row_start[0]].k;
    return hertz ? cbrt(load) * cbrt(k) * cbrt(k) : k;
}

static bool begin(program_run *r, cli_paper *p, double mu, double zeta_h)
{
    *r = (program_run){.options = as_published(zeta_h)};
    if (!cli_ramp_begin(&r->ramp, p, mu)) {
        return false;
    }
    cli_ramp *o = &r->ramp;
    dp_data_options(o->data)->step = step_length;
    const dp_step_problem *problem = look(r);
    if (!problem) {
        return false;
    }
    if (problem->nv != 6 || problem->nfriction == 0) {
        return cli_paper_refuse(p, "a body on feet that touch the plane, with friction");
    }
    r->mass = problem->Mt[0];
    r->law = r->mass * o->g * cos(o->angle);
    r->options.stiffness = spring_of(r, problem);
    r->start = dp_inertial_pose(o->data, o->box).p;
    return true;
}

static void end(program_run *r)
{
    cli_qcqp_end(&r->q);
    cli_ramp_end(&r->ramp);
}

static bool solve(program_run *r, const dp_step_problem *p)
{
    const bool fine = cli_qcqp_solve(&r->q, p, &r->options);
    return fine || cli_paper_refuse(r->ramp.p, "contacts with friction of two directions");
}

static bool step(program_run *r, double *normal)
{
    cli_ramp *o = &r->ramp;
    const dp_step_problem *p = look(r);
    *normal = 0.0;
    if (!p) {
        return false;
    }
    if (p->nrow == 0) { // it flies
        r->q.residual = (cli_cone_residual){0};
        return cli_paper_works(o->p, dp_step(o->data));
    }
    if (!solve(r, p)) {
        return false;
    }
    for (int b = 0; b < p->nblock; ++b) {
        *normal += r->q.force[p->row_start[b]];
    }
    double *v = dp_data_v(o->data);
    for (int i = 0; i < p->nv; ++i) {
        v[i] = r->q.v[i];
    }
    cli_free_joint_move(dp_data_q(o->data), v, p->h);
    dp_data_set_time(o->data, dp_data_time(o->data) + p->h);
    return cli_paper_works(o->p, dp_kinematics(o->data));
}

// @param way, height over time; NULL: not asked for
static bool run(thrown *out, program_run *r, cli_curve *way, cli_curve *height)
{
    cli_ramp *o = &r->ramp;
    *out = (thrown){0};
    if (way && height) {
        cli_curve_add(o->p, way, 0.0, 0.0);
        cli_curve_add(o->p, height, 0.0, 0.0);
    }
    for (int i = 0; i < 100; ++i) {
        double normal;
        if (!step(r, &normal)) {
            return false;
        }
        const dp_v3 at = dp_inertial_pose(o->data, o->box).p;
        const dp_v3 moved = {at.x - r->start.x, at.y - r->start.y, at.z - r->start.z};
        const double *v = dp_data_v(o->data), lift = along(moved, o->normal);
        if (i == 0) {
            out->first = normal;
            out->spin = sqrt(v[3] * v[3] + v[4] * v[4] + v[5] * v[5]);
        }
        out->most = fmax(out->most, normal);
        out->way = along(moved, o->down);
        out->height = fmax(out->height, lift);
        out->doubt = fmax(out->doubt, r->q.residual.error);
        out->beside = fmax(out->beside, r->q.residual.stationarity);
        if (way && height) {
            cli_curve_add(o->p, way, step_length * (i + 1), out->way);
            cli_curve_add(o->p, height, step_length * (i + 1), lift);
        }
    }
    return true;
}

// --- rows -------------------------------------------------------------------------------------

static void tell_case(const program_run *r, int i, const thrown *t)
{
    cli_paper *p = r->ramp.p;
    cli_paper_tell(p, names[i], "normal force on the first step", "N", 10.0, t->first,
                   "of all feet, ζ = 1/h; the law: %.6g N. What is more than that buys friction, "
                   "or turns the box so that its feet do not slip",
                   r->law);
    cli_paper_tell(p, names[i], "largest normal force", "N", NAN, t->most, "within 1 s");
    cli_paper_tell(p, names[i], "spin after the first step", "rad/s", NAN, t->spin,
                   "the box stands on four feet and has no reason to turn");
    cli_paper_tell(p, names[i], "height thrown", "m", NAN, t->height,
                   "of the centre of mass off the ramp, at most within 1 s");
    cli_paper_tell(p, names[i], "distance after 1 s", "m", NAN, t->way,
                   "also through the air. Fig. 9 has no numbers");
    cli_paper_tell(p, names[i], "forces are known to", "N", NAN, t->doubt,
                   "a bound, from the convexity of the program and what is left of its conditions "
                   "of optimality, %.1e at most",
                   t->beside);
}

static const double weights[CLI_PROGRAM_WEIGHTS] = {1e12, 1e8, 1e4}; // ζ h
static const char *const weight_names[CLI_PROGRAM_WEIGHTS] = {"1e12", "1e8", "1e4"};

// With larger weights of the normal forces.
static void tell_weight(cli_paper *p, int i, int k, const thrown *t)
{
    char of[96];
    snprintf(of, sizeof of, "%s, ζ = %s/h", names[i], weight_names[k]);
    cli_paper_tell(p, of, "largest normal force", "N", NAN, t->most, "within 1 s");
    cli_paper_tell(p, of, "height thrown", "m", NAN, t->height, "%s", "");
    cli_paper_tell(p, of, "distance after 1 s", "m", mus[i] > 0.3 ? 0.0 : NAN, t->way,
                   "no ζ is right for all μ: normal forces that cost much are kept small by less "
                   "friction, which would tip the box");
}

// Where in a step feet land decides how the next throw goes: runs with springs that differ a
// little.
static bool tell_spread(cli_paper *p, int i)
{
    const int count = p->quick ? 5 : 25;
    double least = INFINITY, most = 0.0;
    for (int k = 0; k < count; ++k) {
        program_run r;
        thrown t;
        bool fine = begin(&r, p, mus[i], 1.0);
        r.options.stiffness *= 1.0 + 0.1 * k / (count - 1);
        fine = fine && run(&t, &r, NULL, NULL);
        end(&r);
        if (!fine) {
            return false;
        }
        least = fmin(least, t.height);
        most = fmax(most, t.height);
    }
    cli_paper_tell(p, names[i], "height thrown, least", "m", NAN, least,
                   "of %d runs with springs up to 10 %% stiffer: where in a step feet land decides "
                   "how the next throw goes",
                   count);
    cli_paper_tell(p, names[i], "height thrown, most", "m", NAN, most, "%s", "");
    return true;
}

static bool tell_cases(cli_ramp_program *out, cli_paper *p)
{
    const int count = p->quick ? 1 : CLI_PROGRAM_WEIGHTS;
    for (int k = -1; k < count; ++k) {
        for (int i = 0; i < CLI_PROGRAM_CASES; ++i) {
            program_run r;
            thrown t;
            const bool first = k < 0;
            const bool fine =
                begin(&r, p, mus[i], first ? 1.0 : weights[k]) &&
                (!first || i > 0 || tell_foot(&r.ramp, r.mass)) &&
                run(&t, &r, first ? out->way[i] : NULL, first ? out->height[i] : NULL);
            if (fine && first) {
                tell_case(&r, i, &t);
                cli_curve_add(p, out->printed, mus[i], t.way);
            } else if (fine) {
                tell_weight(p, i, k, &t);
                if (k == 0) {
                    cli_curve_add(p, out->heavy, mus[i], t.way);
                }
            }
            end(&r);
            if (!fine || (first && mus[i] < 0.3 && !tell_spread(p, i))) {
                return false;
            }
        }
    }
    return true;
}

// --- the first step ---------------------------------------------------------------------------

static bool measure_weights(cli_ramp_program *out, cli_paper *p)
{
    const int count = p->quick ? 9 : 35;
    for (int i = 0; i < CLI_PROGRAM_CASES; ++i) {
        program_run r;
        bool fine = begin(&r, p, mus[i], 1.0);
        const dp_step_problem *problem = fine ? look(&r) : NULL;
        for (int k = 0; k < count && fine; ++k) {
            const double zeta_h = pow(10.0, 17.0 * k / (count - 1));
            r.options.zeta = zeta_h / step_length;
            fine = problem && solve(&r, problem);
            double normal = 0.0;
            for (int b = 0; fine && b < problem->nblock; ++b) {
                normal += r.q.force[problem->row_start[b]];
            }
            cli_curve_add(p, out->force[i], zeta_h, normal);
            if (i == 0) {
                cli_curve_add(p, out->law, zeta_h, r.law);
            }
        }
        end(&r);
        if (!fine) {
            return false;
        }
    }
    return true;
}

// What double alone makes of the first step, against B: largest error of a force [N].
static bool measure_numbers(cli_ramp_program *out, cli_paper *p)
{
    static const char of[] = "published, μ = 0.25, in double alone";
    program_run r;
    bool fine = begin(&r, p, mus[2], 1.0);
    const dp_step_problem *problem = fine ? look(&r) : NULL;
    for (int k = 2; k <= 12 && fine; ++k) {
        cli_qcqp plain = {0};
        double off = 0.0;
        const double rate = pow(10.0, k);
        r.options.damper = rate / step_length;
        r.options.plain = false;
        fine = problem && solve(&r, problem);
        r.options.plain = true;
        fine = fine && cli_qcqp_solve(&plain, problem, &r.options);
        for (int i = 0; fine && i < problem->nrow; ++i) {
            off = fmax(off, fabs(plain.force[i] - r.q.force[i]));
        }
        cli_curve_add(p, out->plain, rate, fmax(off, 1e-16));
        cli_curve_add(p, out->bound, rate, r.q.residual.error);
        if (fine && (k == 6 || k == 8)) {
            cli_paper_tell(p, of,
                           k == 6 ? "error of a force, B = 1e6/h" : "error of a force, B = 1e8/h",
                           "N", NAN, off,
                           "on the first step, at most, against 106 bits, which are known to %.1e "
                           "N: weights of 1 stand beside (h B/m)²",
                           r.q.residual.error);
        }
        cli_qcqp_end(&plain);
    }
    end(&r);
    return fine;
}

bool cli_ramp_tell_program(cli_ramp_program *out, cli_paper *p)
{
    for (int i = 0; i < CLI_PROGRAM_CASES; ++i) {
        out->way[i] = cli_paper_curve(p);
        out->height[i] = cli_paper_curve(p);
        out->force[i] = cli_paper_curve(p);
    }
    cli_curve **const rest[] = {&out->printed, &out->heavy, &out->law, &out->plain, &out->bound};
    for (size_t i = 0; i < sizeof rest / sizeof *rest; ++i) {
        *rest[i] = cli_paper_curve(p);
    }
    return tell_cases(out, p) && measure_weights(out, p) && measure_numbers(out, p);
}
