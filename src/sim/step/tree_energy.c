#include "sim/step/step.h"

#include "sim/parallel_for.h"

double dp_tree_energy(const dp_constrained *c, int t, const double *v)
{
    const dp_step_problem *p = &c->problem;
    if (p->links) {
        return 0.5 * dp_links_square(p->links, v, c->rows.lift.V);
    }
    const dp_tree_ldl at = {p->nv, p->parent, p->Mt_start};
    return 0.5 * dp_tree_ldl_square(at, p->Mt, v, p->tree_start[t], p->tree_start[t + 1]);
}

double dp_trees_energy(const dp_constrained *c, const double *v)
{
    double sum = 0.0;
    for (int t = 0; t < c->problem.ntree; ++t) {
        sum += dp_tree_energy(c, t, v);
    }
    return sum;
}

// ½ vᵀ M v: M̃ has springs and dampers besides. @param v nv of the problem
static double kinetic_energy(const dp_data *d, int t, const double *v)
{
    const dp_model *m = d->model;
    const dp_constrained *c = &d->rows;
    const int first = m->tree_start[c->rows.tree[t]], at = c->problem.tree_start[t];
    double implicit = 0.0;
    for (int k = at; k < c->problem.tree_start[t + 1]; ++k) {
        const int of = first + k - at;
        implicit += 0.5 * (d->scratch.diagonal[of] - m->dof_armature[of]) * v[k] * v[k];
    }
    return dp_tree_energy(c, t, v) - implicit;
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
        const double own = c->problem.links ? c->rows.lift.mass[k - m->tree_start[tree]]
                                            : c->inertia.Mt[m->dof_packed[k]];
        const double inertia = own - diagonal[k] + m->dof_armature[k];
        sum += 0.5 * inertia * speed * speed;
    }
    return sum;
}

// @param job v: the diagonal
static dp_status note_recovery(void *job, int first, int end)
{
    const dp_tree_job *s = job;
    dp_constrained *c = &s->d->rows;
    for (int t = first; t < end; ++t) {
        const int i = c->rows.tree_index[t];
        if (i >= 0) {
            c->gaps.tree_recovery[i] = recovery_energy(s->d, i, s->v);
        }
    }
    return DP_OK;
}

void dp_recoveries_note(dp_data *d, const double *diagonal)
{
    dp_constrained *c = &d->rows;
    dp_tree_job s = {.d = d, .v = diagonal};
    dp_spread_trees(d, note_recovery, &s);
    c->gaps.recovery = 0.0;
    for (int t = 0; t < c->problem.ntree; ++t) {
        c->gaps.recovery += c->gaps.tree_recovery[t];
    }
}

// The most energy that tree t has at the end of a step in which nothing but gravity acts,
// ½ (v₀ + h g)² ≤ v₀² + (h g)², and a recovery. A tree that ends with more is thrown. Forces do
// that, and so do velocity terms and gaps in directions in which the mechanism can hardly move.
// @param before that of v₀
static double unthrown_energy(const dp_data *d, int t, double before)
{
    const dp_constrained *c = &d->rows;
    const double hg = c->problem.h * dp_v3_norm(d->key.gravity);
    return 2.0 * before + (1.0 + 2.0 * hg * hg) * c->gaps.tree_recovery[t];
}

double dp_unthrown_energy(const dp_data *d, int t)
{
    return unthrown_energy(d, t, dp_tree_energy(&d->rows, t, d->rows.problem.v0));
}

double dp_usual_energy(const dp_data *d)
{
    const dp_constrained *c = &d->rows;
    double unthrown = 0.0;
    for (int t = 0; t < c->problem.ntree; ++t) {
        unthrown += dp_unthrown_energy(d, t);
    }
    return fmin(dp_trees_energy(c, c->problem.v_free), unthrown);
}

// Only what moves is thrown: what stiff springs and dampers of joints take up in M̃ is no speed.
// None is that has no more than its recovery, nor if all of them together do not. What an earlier
// solve of the part threw, before gaps or contacts were others, does not count.
void dp_limit_thrown(dp_data *d)
{
    const dp_constrained *c = &d->rows;
    for (int t = 0; t < d->model->size.ntree; ++t) {
        d->scratch.tree_limited[t] &= DP_LIMITED_BY_TURN;
    }
    for (int t = 0; t < c->problem.ntree; ++t) {
        const double recovery = c->gaps.tree_recovery[t];
        if (c->gaps.energy <= recovery || c->gaps.tree_energy[t] <= recovery) {
            continue; // T is no more than that of M̃
        }
        const double before = kinetic_energy(d, t, c->problem.v0);
        if (kinetic_energy(d, t, c->solution.v) > unthrown_energy(d, t, before)) {
            d->scratch.tree_limited[c->rows.tree[t]] |= DP_LIMITED_BY_ROWS;
        }
    }
}
