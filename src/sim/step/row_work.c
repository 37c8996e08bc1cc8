// What rows give to the budgets of limited trees (transport.c).
//
// By the impulses of the step, the work of a block of rows is Σ λ h G v, v being the velocity that
// ends the step. A row really works along what its gap does, φ(q₁) − φ(q₀): a body that goes round
// on a pin is not driven by it. The difference, of order h² ω², goes to the trees of the block by
// their share in that. What is left of a violated gap, φ(q₀) less what the step closes of it, does
// no work.
//
// Where gaps are not met λ is not the force that belongs to them: a gap may open by metres under
// the force of a rigid row, and λ (φ(q₁) − φ(q₀)) may be anything. There a block gives no more than
// its springs release,
//
//     Σ λ (φ(q₁) − φ(q₀)) ≤ Σ V(φ(q₀)) − V(φ(q₁)),       V = 0 of rigid rows,              (SI 6)
//
// which rows that meet their gaps obey by themselves: V is convex, and dashpots and friction lose.
#include "sim/step/step.h"

#include "problem/laws/row_law.h"

#include <string.h>

// Can a block give more than its springs hold? Drives, motions, rows of the user and contacts with
// what moves are given work from outside; armature is kinetic energy.
static bool has_a_source(const dp_constrained *c, int block)
{
    const dp_row_owner *owner = &c->rows.owner[block];
    bool moved = false;
    for (int r = c->problem.row_start[block]; r < c->problem.row_start[block + 1]; ++r) {
        moved = moved || c->problem.row[r].phi_t != 0.0;
    }
    return moved || owner->source == DP_ROW_SOURCE_DRIVE || owner->source == DP_ROW_SOURCE_MOTION ||
           owner->source == DP_ROW_SOURCE_USER || owner->source == DP_ROW_SOURCE_CONTACT ||
           dp_is_tendon_inertia(owner);
}

// φ(q₁) − φ(q₀) − h G v
static double bend_of(const dp_constrained *c, int row, bool corrected)
{
    const double h = c->problem.h;
    return corrected ? h * h * c->gaps.bend[row] : c->gaps.end[row] - c->gaps.target[row];
}

// V(φ) − V(φ + way)
static double released(const dp_data *d, int row, double way)
{
    const dp_constrained *c = &d->rows;
    const double h = c->problem.h, phi = c->gaps.start[row];
    const dp_row *spring = &c->problem.row[row];
    return dp_row_is_rigid(c, &d->options.solver, row)
               ? 0.0
               : dp_row_spring_energy(spring, h, phi) - dp_row_spring_energy(spring, h, phi + way);
}

// What a block does besides Σ λ h G v. @param tree one of those that it meets
static double work_besides(const dp_data *d, int block, int tree)
{
    const dp_constrained *c = &d->rows;
    const dp_step_problem *p = &c->problem;
    const double *v = dp_end_velocities(c);
    const bool corrected = dp_split_of(c, tree) == DP_SPLIT_BY_CORRECTION;
    const bool unmet = d->scratch.tree_limited[tree] & DP_LIMITED_BY_GAPS;
    const bool bounded = unmet && !has_a_source(c, block);
    double besides = 0.0, work = 0.0, most = 0.0;
    for (int r = p->row_start[block]; r < p->row_start[block + 1]; ++r) {
        const double bend = c->rows.owner[block].nonlinear ? bend_of(c, r, corrected) : 0.0;
        const double way = bounded ? p->h * dp_row_speed(p, block, r, v) + bend : 0.0;
        besides += c->lambda[r] * bend;
        work += c->lambda[r] * way;
        most += bounded ? released(d, r, way) : 0.0;
    }
    return bounded ? besides - fmax(0.0, work - most) : besides;
}

// To the trees of a block by their ω² of the fastest body, evenly where none turns at the start.
static void share_out(dp_data *d, int block, double work)
{
    const dp_model *m = d->model;
    const dp_step_problem *p = &d->rows.problem;
    const double *turn = d->scratch.tree_turn;
    const int *col = d->rows.rows.col + p->col_start[block];
    const int ncol = p->col_start[block + 1] - p->col_start[block];
    double sum = 0.0, trees = 0.0;
    for (int k = 0, last = -1; k < ncol; ++k) {
        const int t = m->body[m->dof_body[col[k]]].tree;
        sum += t != last ? turn[t] : 0.0;
        trees += t != last;
        last = t;
    }
    for (int k = 0, last = -1; k < ncol; ++k) {
        const int t = m->body[m->dof_body[col[k]]].tree;
        if (t != last && d->scratch.tree_limited[t]) {
            d->scratch.budget[t].row_excess -= sum > 0.0 ? work * turn[t] / sum : work / trees;
        }
        last = t;
    }
}

void dp_row_work_add(dp_data *d, const double *v, double h)
{
    const dp_model *m = d->model;
    const dp_constrained *c = &d->rows;
    const dp_step_problem *p = &c->problem;
    if (p->nrow == 0) {
        return;
    }
    double *force = d->scratch.rhs;
    memset(force, 0, (size_t)m->size.nv * sizeof *force);
    dp_rows_add_forces(force, &c->rows, c->lambda);
    for (int t = 0; t < m->size.ntree; ++t) {
        for (int k = m->tree_start[t]; d->scratch.tree_limited[t] && k < m->tree_start[t + 1];
             ++k) {
            d->scratch.budget[t].work += h * force[k] * v[k];
        }
    }
    for (int b = 0; b < p->nblock; ++b) {
        if (p->col_start[b + 1] > p->col_start[b]) {
            const int tree = m->body[m->dof_body[c->rows.col[p->col_start[b]]]].tree;
            const double work = d->scratch.tree_limited[tree] ? work_besides(d, b, tree) : 0.0;
            if (work != 0.0) {
                share_out(d, b, work);
            }
        }
    }
}
