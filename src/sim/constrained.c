// Rows within a step. The law gives velocities for gaps that are linear in them; where a gap is
// not, it is evaluated at the end of the step, φ(q₁), and the problem solved again with φ ← φ(q₁) −
// h φ̇ until that changes nothing:
//
//     φ(q₀ ⊕ h v) met along G(q₀).                                                         (CS 1)
//
// So gaps do not drift, and G need not be differentiated. Only φ changes between passes, hence
// everything is factored once. A pass leaves about hω of the error of the one before; when the
// mechanism turns too far in the step for that to settle, the solution of the first pass is kept,
// which is bounded at any step, and the caller is told.
#include "sim/data.h"

#include "dynamics/composite.h"
#include "problem/island.h"
#include "problem/normal_law.h"
#include "problem/rigid.h"
#include "sim/spread.h"
#include "sim/stepping.h"

#include <string.h>

// Of two parts of a step, one after the other.
static void add_certificate(dp_certificate *sum, const dp_certificate *part)
{
    const int nrow = sum->nrow, nactive = sum->nactive, replaced = sum->replaced;
    dp_certificate_add(sum, part);
    sum->replaced = part->replaced > replaced ? part->replaced : replaced;
    sum->nrow = part->nrow > nrow ? part->nrow : nrow;
    sum->nactive = part->nactive > nactive ? part->nactive : nactive;
}

void dp_constrained_certify(const dp_data *d)
{
    const dp_constrained *c = &d->rows;
    if (c->verdict->pending) {
        dp_certificate part;
        if (c->landing.certified) {
            part = c->landing.certificate;
        } else {
            dp_law_certify(&part, c->task, &c->solution, d->crew, c->scratch);
        }
        part.replaced = c->replaced;
        part.impacts = c->landing.impact.count;
        part.fallbacks += part.impacts > 0 ? c->landing.impact.fallbacks : 0;
        add_certificate(&c->verdict->certified, &part);
        c->verdict->pending = false;
    }
}

void dp_constrained_clear(dp_data *d)
{
    dp_constrained *c = &d->rows;
    if (c->is_clear) {
        return;
    }
    c->is_clear = true;
    c->problem = (dp_step_problem){.nrow = 0};
    c->verdict->unfolded = false;
    c->warm = (dp_warm){.nblock = 0};
    c->next.nblock = c->next.nbend = 0;
    c->info = (dp_solve_info){.outcome = DP_CONVERGED};
    c->landing.any = c->landing.certified = false;
    c->landing.impact.count = 0;
    memset(d->scratch.tree_held, 0, (size_t)d->model->size.ntree);
    if (c->possible) {
        memset(c->pressure, 0, (size_t)d->model->nspring * sizeof *c->pressure);
    }
}

// What a callback of the user is asked for, and at which end of the step.
typedef struct user_context {
    dp_data *d;
    const dp_row_solve *solve;
} user_context;

// For the time of a callback, the end of the step is the present.
static void swap_ends(dp_data *d, double **q, double **v)
{
    const dp_kin kin = d->kin;
    d->kin = d->kin_end;
    d->kin_end = kin;
    double *const q_now = d->q, *const v_now = d->v;
    d->q = *q;
    d->v = *v;
    *q = q_now;
    *v = v_now;
}

static dp_status evaluate_user(void *context, int index, bool end, dp_row *row, double *gradient)
{
    const user_context *user = context;
    dp_data *d = user->d;
    const dp_user_row *own = &d->rows.user[index];
    if (!d->rows.user_active[index]) {
        return DP_OK; // no gradient: left out
    }
    const double time = d->time;
    double *q = user->solve->q1, *v = user->solve->v1;
    *row = (dp_row){.k = INFINITY, .lo = -INFINITY, .hi = INFINITY, .len = 1.0};
    if (end) {
        swap_ends(d, &q, &v);
        d->time = time + user->solve->h;
    }
    d->in_row_callback = true;
    const dp_status status = own->callback(own->context, d->model, d, end, row, gradient);
    d->in_row_callback = false;
    if (end) {
        swap_ends(d, &q, &v);
        d->time = time;
    }
    if (status != DP_OK) {
        return dp_fail(DP_ERROR_CALLBACK, "the callback of row %d failed at t = %.17g s (%s)",
                       index, time, dp_status_name(status));
    }
    if (!isfinite(row->phi) || !isfinite(row->phi_t) || !isfinite(row->b_ref)) {
        return dp_fail(DP_ERROR_NUMERIC,
                       "the callback of row %d gave a gap of %g, a rate of %g and a reference of "
                       "%g at t = %.17g s (expected finite numbers)",
                       index, row->phi, row->phi_t, row->b_ref, time);
    }
    if (!(row->k >= 0.0) || !(row->b >= 0.0) || !(row->lo <= 0.0) || !(row->hi >= 0.0) ||
        !(row->len > 0.0)) {
        return dp_fail(
            DP_ERROR_ARGUMENT,
            "the callback of row %d gave k = %g, b = %g, range [%g, %g], len = %g at t = "
            "%.17g s (expected k, b ≥ 0, lo ≤ 0 ≤ hi, len > 0)",
            index, row->k, row->b, row->lo, row->hi, row->len, time);
    }
    for (int k = 0; !end && k < d->model->size.nv; ++k) {
        if (!isfinite(gradient[k])) {
            return dp_fail(DP_ERROR_NUMERIC,
                           "the callback of row %d gave the gradient %g for velocity %d (joint "
                           "'%s') at t = %.17g s",
                           index, gradient[k], k, d->model->joint[d->model->dof_joint[k]].name,
                           time);
        }
    }
    row->lo *= user->solve->h;
    row->hi *= user->solve->h;
    return DP_OK;
}

static dp_moment start_of(const dp_data *d)
{
    return (dp_moment){
        .m = d->model, .kin = &d->kin, .q = d->q, .v = d->v, .time = d->time, .tendon = &d->tendon};
}

static dp_moment end_of(const dp_data *d, const dp_row_solve *s)
{
    return (dp_moment){.m = d->model,
                       .kin = &d->kin_end,
                       .q = s->q1,
                       .v = s->v1,
                       .time = d->time + s->h,
                       .tendon = &d->rows.tendon_end};
}

// May a long tree go without its matrices?
static bool may_lift(const dp_data *d)
{
    return !d->wants_matrices && !d->rows.Mt_known && d->options.law.law == DP_LAW_COMPLIANT &&
           d->options.law.variant == DP_COMPLIANT_EXACT;
}

static dp_rows_input input_of(const dp_data *d, double h, const dp_user_rows *user)
{
    return (dp_rows_input){.start = start_of(d),
                           .h = h,
                           .options = &d->options,
                           .equality_active = d->rows.equality_active,
                           .transmission = &d->transmission,
                           .drive = d->rows.drive,
                           .user = user,
                           .motion = d->timed.target,
                           .touching = d->rows.touching,
                           .ntouching = d->rows.ntouching,
                           .may_lift = may_lift(d),
                           .crew = d->crew,
                           .moved = d->model->moves_mocap ? &d->kin_end : NULL};
}

static dp_warm warm_start(const dp_impulses *from)
{
    return (dp_warm){.nblock = (int)from->nblock,
                     .id = from->id,
                     .row_start = from->row_start,
                     .gamma = from->gamma};
}

dp_status dp_constrained_expect(dp_data *d, double h)
{
    dp_constrained *c = &d->rows;
    dp_stage_enter(&d->stopwatch, DP_STAGE_CONTACTS);
    DP_TRY(dp_touching_find(d, h));
    if (!dp_rows_on_demand(&c->rows, d->model)) {
        return DP_OK;
    }
    dp_stage_enter(&d->stopwatch, DP_STAGE_ROWS);
    const dp_user_rows none = {.count = 0};
    const dp_rows_input in = input_of(d, h, &none);
    const dp_warm warm = warm_start(&c->now);
    for (int u = 0; u < d->model->size.nu; ++u) {
        c->drive[u] = dp_drive_law_of(d, u);
    }
    dp_rows_expect(&c->rows, &in, &warm, d->v);
    for (int u = 0; u < d->model->size.nu; ++u) {
        const dp_drive_law *law = &c->drive[u];
        uint8_t *stand = &c->rows.drive[u];
        if (*stand == DP_STANDS_WITHIN && dp_drive_needs_row(d, u)) {
            *stand = DP_STANDS_AS_ROW;
        } else if (law->stiffness + law->damping == 0.0 || d->options.disable_actuation) {
            *stand = DP_STANDS_WITHIN; // its gain has vanished since the last step
        }
    }
    return DP_OK;
}

dp_status dp_constrained_gather(dp_data *d, double h)
{
    dp_constrained *c = &d->rows;
    const dp_row_solve moment = {.h = h};
    user_context context = {d, &moment};
    const dp_user_rows user = {
        .count = c->most.nuser, .context = &context, .evaluate = evaluate_user};
    const dp_warm none = {.nblock = 0};
    DP_TRY(dp_timed_expect(d, h));
    DP_TRY(dp_touching_find(d, h));
    dp_rows_input in = input_of(d, h, &user);
    in.drive = NULL;
    in.may_lift = false;
    dp_rows_expect(&c->rows, &in, &none, d->v);
    return dp_rows_make(&c->rows, &in);
}

// The rows up to the last whose gap bends. Contacts, which come last and are many, never do.
static int count_bent(const dp_rows *rows)
{
    int b = rows->nblock;
    while (b > 0 && !rows->owner[b - 1].nonlinear) {
        --b;
    }
    return rows->row_start[b];
}

// The impulses of some blocks, for the next step, and their forces.
static dp_status note_part(void *job, int part, int first, int end)
{
    (void)part;
    dp_constrained *c = job;
    const dp_rows *rows = &c->rows;
    const int row = rows->row_start[first], nrow = rows->row_start[end] - row;
    memcpy(c->next.id + first, rows->id + first, (size_t)(end - first) * sizeof *c->next.id);
    memcpy(c->next.gamma + row, c->solution.gamma + row, (size_t)nrow * sizeof *c->next.gamma);
    for (int i = row; i < row + nrow; ++i) {
        c->lambda[i] = c->solution.gamma[i] / c->problem.h;
    }
    return DP_OK;
}

// next.bend holds the differences of the steps before.
static void note_impulses(dp_constrained *c)
{
    const dp_rows *rows = &c->rows;
    const size_t nblock = (size_t)rows->nblock;
    c->next.nblock = rows->nblock;
    memcpy(c->next.row_start, rows->row_start, (nblock + 1) * sizeof *c->next.row_start);
    for (int r = 0; r < c->next.nbend; ++r) {
        double *difference = c->next.bend[r].difference, now = c->bend[r];
        for (int k = 0; k < DP_BENDS; ++k) {
            const double before = difference[k];
            difference[k] = now;
            now -= before;
        }
    }
}

static void keep_gaps(double *phi, const dp_rows *rows, int first, int end)
{
    for (int i = first; i < end; ++i) {
        phi[i] = rows->row[i].phi;
    }
}

static dp_status keep_start(void *job, int part, int first, int end)
{
    (void)part;
    dp_constrained *c = job;
    keep_gaps(c->phi_start, &c->rows, c->rows.row_start[first], c->rows.row_start[end]);
    return DP_OK;
}

// The bends of the steps before, for the rows of this one: 0 for those that were not there. Both
// lists of blocks ascend.
static void recall_bends(dp_constrained *c)
{
    const dp_rows *rows = &c->rows;
    const dp_impulses *now = &c->now;
    int64_t at = 0;
    for (int i = 0; rows->row_start[i] < c->next.nbend; ++i) {
        while (at < now->nblock && now->id[at] < rows->id[i]) {
            ++at;
        }
        const int first = rows->row_start[i], n = rows->row_start[i + 1] - first;
        const bool known = at < now->nblock && now->id[at] == rows->id[i] &&
                           now->row_start[at + 1] - now->row_start[at] == n &&
                           now->row_start[at + 1] <= now->nbend;
        if (known) {
            memcpy(c->next.bend + first, now->bend + now->row_start[at],
                   (size_t)n * sizeof *c->next.bend);
        } else {
            memset(c->next.bend + first, 0, (size_t)n * sizeof *c->next.bend);
        }
    }
}

// How the gaps of a block bend if that goes on as in the last steps: β ≈ ∇⁰β + ∇¹β + … + ∇ᵖ⁻¹β,
// Newton's extrapolation. Its error in the last step was ∇ᵖβ, which chooses p; 0 is no guess.
// Judged by the block, since components of it may pass through zero.
// @param least [m/s²] less is round-off, and no concern of any tolerance
static void expect_block(dp_constrained *c, int first, int n, double least)
{
    const dp_bend *bend = c->next.bend;
    double error[DP_BENDS] = {0.0};
    for (int r = first; r < first + n; ++r) {
        for (int k = 0; k < DP_BENDS; ++k) {
            error[k] += fabs(bend[r].difference[k]);
        }
    }
    int p = 0;
    for (int k = 1; k < DP_BENDS; ++k) {
        p = error[k] < error[p] ? k : p;
    }
    for (int r = first; r < first + n; ++r) {
        double next = 0.0;
        for (int k = p - 1; k >= 0; --k) {
            next += bend[r].difference[k];
        }
        c->bend[r] = fabs(next) * c->rows.row[r].len > least ? next : 0.0;
    }
}

static void expect_bends(dp_constrained *c, double least)
{
    recall_bends(c);
    memset(c->bend, 0, (size_t)c->next.nbend * sizeof *c->bend);
    for (int i = 0; c->rows.row_start[i] < c->next.nbend; ++i) {
        const int first = c->rows.row_start[i];
        expect_block(c, first, c->rows.row_start[i + 1] - first, least);
    }
}

static void forget_bends(dp_constrained *c)
{
    memset(c->next.bend, 0, (size_t)c->next.nbend * sizeof *c->next.bend);
    memset(c->bend, 0, (size_t)c->next.nbend * sizeof *c->bend);
}

// The dashpot of a row sees what its gap really does in the step, (φ(q₁) − φ(q₀))/h, like its
// spring.
static void set_gap(dp_constrained *c, int row, double phi)
{
    dp_row *r = &c->rows.row[row];
    r->phi = phi;
    r->b_ref = r->phi_t + (phi - c->phi_start[row]) / c->problem.h;
}

// Gaps that do not bend are those of the start, unless they have been scaled.
static void set_gaps(dp_constrained *c, const double *phi)
{
    const dp_rows *rows = &c->rows;
    const int end = c->scaled ? rows->nrow : (int)c->next.nbend;
    c->scaled = false;
    for (int i = 0; rows->row_start[i] < end; ++i) {
        for (int r = rows->row_start[i]; r < rows->row_start[i + 1]; ++r) {
            if (rows->owner[i].nonlinear) {
                set_gap(c, r, phi[r]);
            } else {
                rows->row[r].phi = phi[r];
            }
        }
    }
}

// ½ vᵀ M̃ v of tree t of the problem.
static double tree_energy(const dp_constrained *c, int t, const double *v)
{
    const dp_step_problem *p = &c->problem;
    if (p->links) {
        return 0.5 * dp_links_square(p->links, v, c->rows.lift.V);
    }
    const dp_branch at = {p->nv, p->parent, p->Mt_start};
    return 0.5 * dp_branch_square(at, p->Mt, v, p->tree_start[t], p->tree_start[t + 1]);
}

// The same over the trees of the problem.
static double energy_of(const dp_constrained *c, const double *v)
{
    double sum = 0.0;
    for (int t = 0; t < c->problem.ntree; ++t) {
        sum += tree_energy(c, t, v);
    }
    return sum;
}

typedef struct moving {
    dp_data *d;
    double *v;
    const double *v_free;
} moving;

// v of all trees, those without rows go freely, and the energies of those with.
static dp_status move_trees(void *job, int first, int end)
{
    const moving *s = job;
    const dp_model *m = s->d->model;
    dp_constrained *c = &s->d->rows;
    for (int t = first; t < end; ++t) {
        const int at = m->tree_start[t], n = m->tree_start[t + 1] - at, i = c->rows.tree_index[t];
        const double *v = i < 0 ? s->v_free + at : c->solution.v + c->rows.tree_start[i];
        memcpy(s->v + at, v, (size_t)n * sizeof *v);
        if (i >= 0) {
            c->tree_energy[i] = tree_energy(c, i, c->solution.v);
        }
    }
    return DP_OK;
}

static dp_status solve_once(dp_data *d, const dp_row_solve *s, dp_law_task *task)
{
    dp_constrained *c = &d->rows;
    keep_gaps(c->phi, &c->rows, 0, (int)c->next.nbend);
    dp_stage_enter(&d->stopwatch, DP_STAGE_SOLVE);
    DP_TRY(dp_law_continue(&c->solution, task, &c->problem, &c->warm, &c->info));
    dp_stage_enter(&d->stopwatch, DP_STAGE_END);
    d->info.passes++;
    d->info.iterations += c->info.iterations;
    d->info.factorizations += c->info.factorizations;
    moving moved = {d, s->v, s->v_free};
    dp_spread_trees(d, move_trees, &moved);
    c->energy = 0.0;
    for (int t = 0; t < c->problem.ntree; ++t) {
        c->energy += c->tree_energy[t];
    }
    if (!s->once) {
        DP_TRY(dp_refuse_velocities(d, s->v));
        s->drift(s->q1, s->v1, d, s->v, s->h);
        c->end_known = false;
    }
    return DP_OK;
}

// The energy of tree t of the problem with every coordinate at this speed. @param diagonal nv: what
// M̃ has besides M
static double recovery_energy(const dp_data *d, int t, const double *diagonal)
{
    const double speed = 1.0; // [m/s, rad/s] of mechanisms that find themselves apart
    const dp_model *m = d->model;
    const dp_constrained *c = &d->rows;
    const int tree = c->rows.tree[t];
    double sum = 0.0;
    for (int k = m->tree_start[tree]; k < m->tree_start[tree + 1]; ++k) {
        const double own =
            c->problem.links ? c->rows.lift.mass[k - m->tree_start[tree]] : c->Mt[m->dof_packed[k]];
        const double inertia = own - diagonal[k] + m->dof_armature[k];
        sum += 0.5 * inertia * speed * speed;
    }
    return sum;
}

typedef struct recovering {
    dp_data *d;
    const double *diagonal;
} recovering;

static dp_status note_recovery(void *job, int first, int end)
{
    const recovering *s = job;
    dp_constrained *c = &s->d->rows;
    for (int t = first; t < end; ++t) {
        const int i = c->rows.tree_index[t];
        if (i >= 0) {
            c->tree_recovery[i] = recovery_energy(s->d, i, s->diagonal);
        }
    }
    return DP_OK;
}

static void note_recoveries(dp_data *d, const double *diagonal)
{
    dp_constrained *c = &d->rows;
    recovering s = {d, diagonal};
    dp_spread_trees(d, note_recovery, &s);
    c->recovery = 0.0;
    for (int t = 0; t < c->problem.ntree; ++t) {
        c->recovery += c->tree_recovery[t];
    }
}

// The most energy that tree t has at the end of a step in which nothing but gravity acts,
// ½ (v₀ + h g)² ≤ v₀² + (h g)², and a recovery. A tree that ends with more is thrown. Forces do
// that, and so do velocity terms and gaps in directions in which the mechanism can hardly move.
static double unthrown_energy(const dp_data *d, int t)
{
    const dp_constrained *c = &d->rows;
    const double hg = c->problem.h * dp_v3_norm(d->key.gravity);
    return 2.0 * tree_energy(c, t, c->problem.v0) + (1.0 + 2.0 * hg * hg) * c->tree_recovery[t];
}

// Of all trees, at the end of a step without rows; at least 0.
static double usual_energy(const dp_data *d)
{
    const dp_constrained *c = &d->rows;
    double unthrown = 0.0;
    for (int t = 0; t < c->problem.ntree; ++t) {
        unthrown += unthrown_energy(d, t);
    }
    return fmin(energy_of(c, c->problem.v_free), unthrown);
}

// Trees that are thrown get a limit on their energy (transport.c), which knows the work of forces.
// None is that has no more than its recovery, nor if all of them together do not.
static void limit_thrown(dp_data *d)
{
    const dp_constrained *c = &d->rows;
    for (int t = 0; t < c->problem.ntree; ++t) {
        if (c->energy <= c->tree_recovery[t]) {
            continue;
        }
        const double energy = c->tree_energy[t];
        if (energy > c->tree_recovery[t] && energy > unthrown_energy(d, t)) {
            d->scratch.tree_limited[c->rows.tree[t]] = 1;
        }
    }
}

// Close only a share of the gaps that rows cannot leave open: those of springs too stiff for the
// step to resolve.
static void scale_gaps(dp_constrained *c, double share)
{
    const double h = c->problem.h;
    int block = 0;
    c->scaled = true;
    for (int i = 0; i < c->rows.nrow; ++i) {
        block += c->rows.row_start[block + 1] <= i;
        const dp_normal *law =
            i == c->rows.row_start[block] ? dp_normal_of(&c->problem, block) : NULL;
        dp_row *row = &c->rows.row[i];
        const double k =
            law ? dp_normal_force_at(law, row->k, -c->phi_start[i], 0.0).stiffness : row->k;
        const bool pushes = isinf(row->hi) && (isinf(row->lo) || row->lo == 0.0); // without end
        const bool violated = pushes && (isinf(row->lo) || c->phi_start[i] < 0.0);
        const bool stiff = h * h * k * c->mobility[i] > 1.0;
        row->phi = violated && stiff ? share * c->phi_start[i] : c->phi_start[i];
    }
}

// Closing a gap within the step takes the velocity φ/h. Where the mechanism can hardly move that
// way, or has come far apart, that is more than it can bear: then a share of the gaps is closed,
// such that it takes no more than recovery_energy. A share of 0 only slows the mechanism down.
// @param phi the gaps to begin with; NULL: as they are
static dp_status solve_gently(dp_data *d, const dp_row_solve *s, dp_law_task *task,
                              const double *phi)
{
    dp_constrained *c = &d->rows;
    if (phi) {
        set_gaps(c, phi);
    }
    DP_TRY(solve_once(d, s, task));
    const double allowance = c->recovery;
    if (c->energy <= allowance || c->energy <= usual_energy(d) + allowance) { // most are slow
        return DP_OK;
    }
    set_gaps(c, c->phi_start);
    DP_TRY(dp_law_mobility(c->mobility, task));
    scale_gaps(c, 0.0);
    DP_TRY(solve_once(d, s, task));
    const double limit = c->energy + allowance;
    double share = 1.0;
    for (int halvings = 0; halvings < 10; ++halvings, share *= 0.5) {
        scale_gaps(c, share);
        DP_TRY(solve_once(d, s, task));
        if (c->energy <= limit) {
            c->recovering = share < 1.0;
            return DP_OK;
        }
    }
    c->recovering = true;
    scale_gaps(c, 0.0);
    return solve_once(d, s, task);
}

// The gaps at the end go to phi_end, what bent them to bend; those of the last solve stay.
static dp_status look_at_the_end(double *worst, dp_data *d, const dp_row_solve *s,
                                 const dp_rows_input *in)
{
    dp_constrained *c = &d->rows;
    dp_spread_kin(&d->kin_end, d, s->q1, s->v1);
    c->end_known = true;
    if (d->model->size.ntendon > 0) {
        dp_tendon_lengths(c->tendon_end.length, &d->kin_end, d->model, s->q1);
    }
    const dp_moment end = end_of(d, s);
    DP_TRY(dp_rows_refresh(worst, &c->rows, in, &end, c->solution.v));
    for (int i = 0; i < c->next.nbend; ++i) {
        c->phi_end[i] = c->rows.row[i].phi;
        c->bend[i] = (c->phi_end[i] - c->phi_start[i]) / (s->h * s->h);
        c->rows.row[i].phi = c->phi[i];
    }
    return DP_OK;
}

// (CS 1)
static dp_status solve_to_the_end(dp_data *d, const dp_row_solve *s, const dp_rows_input *in,
                                  dp_law_task *task)
{
    const double hopeless = 4.0;   // a pass that ends this much worse than the best will not settle
    const double slowly = 0.7;     // passes that leave more than this of the error do not settle,
    const int patience = 4;        // unless these are not many
    const double too_small = 1e-3; // a bend, of the tolerance, to be taken into account
    const double most =
        1.02; // of the energy before and after the first pass: more is no correction
    dp_constrained *c = &d->rows;
    double worst = INFINITY, best = INFINITY, before = INFINITY, limit = INFINITY;
    int slow = 0;
    expect_bends(c, too_small * d->options.gap_tolerance / (s->h * s->h));
    memcpy(c->phi_end, c->phi_start, (size_t)c->rows.nrow * sizeof *c->phi_end);
    for (int i = 0; i < c->next.nbend; ++i) {
        c->phi_end[i] += s->h * s->h * c->bend[i];
    }
    for (int pass = 0; pass < d->options.max_passes; ++pass) {
        DP_TRY(pass == 0 ? solve_gently(d, s, task, c->phi_end) : solve_once(d, s, task));
        DP_TRY(look_at_the_end(&worst, d, s, in));
        if (c->recovering) {
            forget_bends(c);
            return DP_OK;
        }
        if (!(c->energy <= limit)) {
            break;
        }
        if (worst <= d->options.gap_tolerance &&
            (c->gap_aim == 0.0 || worst <= c->gap_aim || worst > slowly * before ||
             pass + 1 == d->options.max_passes)) {
            c->gap_error = worst;
            return DP_OK;
        }
        limit = pass == 0 ? most * fmax(c->energy, usual_energy(d)) + c->recovery : limit;
        slow = worst > slowly * before ? slow + 1 : 0;
        before = worst;
        if (!(worst < hopeless * best) || slow > patience) {
            break;
        }
        best = worst < best ? worst : best;
        set_gaps(c, c->phi_end);
    }
    DP_TRY(solve_gently(d, s, task, c->phi_start));
    DP_TRY(look_at_the_end(&worst, d, s, in));
    c->gap_error = worst;
    c->solved = false;
    return DP_OK;
}

static void note_drive_forces(dp_constrained *c, int nu)
{
    memset(c->drive_force, 0, (size_t)nu * sizeof(double));
    for (int i = 0; i < c->rows.nblock; ++i) {
        if (c->rows.owner[i].source == DP_ROWS_DRIVE) {
            c->drive_force[c->rows.owner[i].element] = c->lambda[c->rows.row_start[i]];
        }
    }
}

// A face over several planes has the sum.
static void note_pressures(dp_constrained *c, const dp_model *m)
{
    for (int i = 0; i < c->rows.nblock; ++i) {
        if (c->rows.owner[i].source != DP_ROWS_FOUNDATION) {
            continue;
        }
        const dp_foundation *f = &m->foundation[c->rows.owner[i].element];
        const double *lambda = c->lambda + c->rows.row_start[i];
        for (int k = 0; k < f->nx * f->ny; ++k) {
            c->pressure[f->first + k] += lambda[k] / f->area;
        }
    }
}

dp_status dp_constrained_solve(dp_data *d, const dp_row_solve *s, const double *diagonal)
{
    const dp_model *m = d->model;
    dp_constrained *c = &d->rows;
    user_context context = {d, s};
    const dp_user_rows user = {
        .count = c->most.nuser, .context = &context, .evaluate = evaluate_user};
    const dp_rows_input in = input_of(d, s->h, &user);
    c->solved = true;
    c->gap_error = 0.0;
    if (c->again) {
        dp_impulses_copy(&c->before, &c->next);
    }
    dp_constrained_clear(d);
    c->is_clear = false;
    c->warm = warm_start(c->again ? &c->before : &c->now);
    c->again = false;
    dp_stage_enter(&d->stopwatch, DP_STAGE_ROWS);
    DP_TRY(dp_rows_make(&c->rows, &in));
    if (c->rows.nblock == 0) {
        memcpy(s->v, s->v_free, (size_t)m->size.nv * sizeof *s->v);
        if (!s->once) {
            DP_TRY(dp_refuse_velocities(d, s->v));
            s->drift(s->q1, s->v1, d, s->v, s->h);
            c->end_known = false;
        }
        return DP_OK;
    }
    DP_TRY(dp_rows_share(&c->rows, d->crew, keep_start, c));
    c->scaled = false;
    if (!c->Mt_known && !c->rows.lifted) {
        dp_crba(c->Mt, d->scratch.composite, &d->kin, m, diagonal);
    }
    dp_rows_problem(&c->problem, &c->rows, m, s->h, c->Mt, d->v, s->v_free, d->crew);
    c->problem.LD = c->Mt_known && c->problem.Mt == c->Mt ? c->LD : NULL;
    if (c->rows.lifted) {
        dp_rows_lift(&c->problem, &c->rows, &d->kin, m, diagonal);
    }
    c->replaced = 0;
    if (dp_law_is_rigid(d->options.law.law)) {
        c->compliance.s = dp_law_compliance(&d->options.law);
        c->compliance.equal = d->options.law.weights == DP_WEIGHTS_EQUAL;
        c->replaced = c->compliance.s > 0.0
                          ? dp_compliant_rows(c->rows.row, &c->problem, &c->compliance)
                          : dp_rigid_rows(c->rows.row, &c->problem);
        c->problem.normal = NULL;
    }
    for (int t = 0; t < c->problem.ntree; ++t) {
        d->scratch.tree_held[c->rows.tree[t]] = 1;
    }
    note_recoveries(d, diagonal);
    dp_stage_enter(&d->stopwatch, DP_STAGE_FACTOR);
    const dp_status begun =
        dp_law_restart(&c->task, &c->problem, &d->options.law, &c->arena, d->crew);
    c->no_room = begun == DP_ERROR_CAPACITY;
    DP_TRY(begun);
    dp_law_task *const task = c->task;
    c->recovering = false;
    c->next.nbend = count_bent(&c->rows);
    if (s->once || c->next.nbend == 0) {
        forget_bends(c);
        DP_TRY(solve_gently(d, s, task, c->next.nbend > 0 ? c->phi_start : NULL));
    } else {
        DP_TRY(solve_to_the_end(d, s, &in, task));
    }
    c->solved = c->solved && dp_outcome_is_solved(c->info.outcome);
    DP_TRY(dp_rows_share(&c->rows, d->crew, note_part, c));
    limit_thrown(d);
    if (m->size.nu > 0) {
        note_drive_forces(c, m->size.nu);
    }
    if (m->size.nfoundation > 0) {
        note_pressures(c, m);
    }
    note_impulses(c);
    return DP_OK;
}

int dp_constrained_miss(dp_data *d, const dp_row_solve *s)
{
    if (!dp_rows_on_demand(&d->rows.rows, d->model)) {
        return 0;
    }
    const dp_user_rows none = {.count = 0};
    const dp_rows_input in = input_of(d, s->h, &none);
    const dp_model *m = d->model;
    const bool needed = m->size.ntendon > 0 || m->size.nfoundation > 0;
    const bool looked = count_bent(&d->rows.rows) > 0 && !s->once && !d->rows.recovering;
    if (needed && !looked) {
        dp_spread_kin(&d->kin_end, d, s->q1, s->v1);
        if (m->size.ntendon > 0) {
            dp_tendon_lengths(d->rows.tendon_end.length, &d->kin_end, m, s->q1);
        }
    }
    const dp_moment end = end_of(d, s);
    return dp_rows_miss(&d->rows.rows, &in, &end);
}

bool dp_constrained_arrive(dp_data *d)
{
    const dp_model *m = d->model;
    const size_t q_bytes = (size_t)m->size.nq * sizeof(double);
    if (!d->rows.end_known) {
        return false;
    }
    d->rows.end_known = false;
    dp_kin_normalise(d->q, m);
    const bool same = m->nquaternion == 0 || memcmp(d->q, d->scratch.q, q_bytes) == 0;
    if (same) {
        const dp_kin kin = d->kin;
        d->kin = d->kin_end;
        d->kin_end = kin;
        memcpy(d->key.q, d->q, q_bytes);
        memcpy(d->key.v, d->v, (size_t)m->size.nv * sizeof(double));
        d->key.moving = true;
    }
    return same;
}

bool dp_constrained_any(const dp_data *d)
{
    for (int i = 0; i < d->rows.problem.nblock; ++i) {
        if (d->rows.rows.owner[i].source != DP_ROWS_DRIVE) {
            return true;
        }
    }
    return false;
}

void dp_constrained_forces(double *tau, const dp_data *d)
{
    if (d->rows.problem.nrow > 0) {
        dp_rows_add_forces(tau, &d->rows.rows, d->rows.lambda);
    }
}

void dp_constrained_push(dp_wrench *wrench, const dp_data *d, const double *lambda)
{
    if (d->rows.problem.nrow > 0) {
        const dp_user_rows none = {.count = 0};
        const dp_rows_input in = input_of(d, d->rows.problem.h, &none);
        dp_rows_add_wrenches(wrench, &d->rows.rows, &in, lambda);
    }
}

void dp_constrained_wrenches(dp_wrench *wrench, const dp_data *d)
{
    dp_constrained_push(wrench, d, d->rows.lambda);
}

double dp_constrained_tension(const dp_data *d, int tendon)
{
    if (d->rows.problem.nrow == 0) {
        return 0.0;
    }
    const dp_user_rows none = {.count = 0};
    const dp_rows_input in = input_of(d, d->rows.problem.h, &none);
    return dp_rows_tension(&d->rows.rows, &in, d->rows.lambda, tendon);
}

static dp_status refuse(const char *what, const char *name)
{
    return dp_fail(
        DP_ERROR_UNSUPPORTED,
        "%s '%s' needs the semi-implicit step (expected integrator semi-implicit, or the "
        "element disabled)",
        what, name);
}

dp_status dp_refuse_rows(const dp_data *d)
{
    const dp_model *m = d->model;
    const dp_options *o = &d->options;
    for (int j = 0; j < m->size.njoint; ++j) {
        const dp_joint *joint = &m->joint[j];
        if (joint->limited && !o->disable_limits) {
            return refuse("the limit of joint", joint->name);
        }
        if (joint->friction_loss > 0.0) {
            return refuse("the friction of joint", joint->name);
        }
    }
    for (int i = 0; i < m->size.nequality && !o->disable_equality; ++i) {
        if (d->rows.equality_active[i]) {
            return refuse("equality", m->equality[i].name);
        }
    }
    for (int i = 0; i < m->size.ntendon; ++i) {
        const dp_tendon *tendon = &m->tendon[i];
        if ((tendon->limited && !o->disable_limits) ||
            (tendon->stiffness > 0.0 && !o->disable_springs) ||
            (tendon->damping > 0.0 && !o->disable_dampers) || tendon->friction_loss > 0.0 ||
            tendon->armature > 0.0) {
            return refuse("tendon", tendon->name);
        }
    }
    for (int i = 0; i < m->size.nmotion; ++i) {
        if (m->motion[i].joint >= 0) {
            return refuse("motion", m->motion[i].name);
        }
    }
    if (m->size.nfoundation > 0 && !o->disable_contact) {
        return refuse("the foundation of geom", m->geom[m->foundation[0].geom].name);
    }
    if (m->size.ntouch != 0 && !o->disable_contact) {
        return dp_fail(DP_ERROR_UNSUPPORTED,
                       "geoms could touch, and contact needs the semi-implicit step (expected "
                       "integrator semi-implicit, or disable_contact)");
    }
    for (int i = 0; i < d->rows.most.nuser; ++i) {
        if (d->rows.user_active[i]) {
            return dp_fail(DP_ERROR_UNSUPPORTED,
                           "row %d of the user needs the semi-implicit step (expected integrator "
                           "semi-implicit, or the row switched off)",
                           i);
        }
    }
    return DP_OK;
}
