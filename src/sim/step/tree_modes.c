// How a step treats the velocity terms of each tree, and which trees have a limit on their energy.
#include "sim/parallel_for.h"
#include "sim/step/step.h"

#include <string.h>

// How a tree can reach out by a slide that turns with it: then slow rotation is no bound on its
// energy.
typedef enum reach { REACH_NONE, REACH_HELD, REACH_FREE } reach; // held: by a spring or a servo

static reach stretches(const dp_data *d, int t)
{
    const dp_model *m = d->model;
    reach most = REACH_NONE;
    for (int k = m->tree_start[t]; k < m->tree_start[t + 1]; ++k) {
        if (m->dof_turned[k] && m->joint[m->dof_joint[k]].kind == DP_JOINT_SLIDE) {
            if (m->dof_stiffness[k] == 0.0 && d->forces.stiffness[k] == 0.0) {
                return REACH_FREE;
            }
            most = REACH_HELD;
        }
    }
    return most;
}

// Below these shares of options.large_rotation a tree that stretches goes without the limit, which
// would be a bias in motion that is resolved well. Explicit velocity terms gain at most ³⁄₂ (hω)²
// of the energy in a step (a mass on a turning slide): 4e-5 at 0.005 rad, a half in 1e4 steps.
// Springs are implicit and lose more than that unless they are very soft.
static const double SLOW_SHARE[] = {[REACH_NONE] = 1.0, [REACH_HELD] = 0.2, [REACH_FREE] = 0.05};

// @param turn the angle of the fastest body in the step, in units of options.large_rotation
static void set_mode(dp_data *d, int t, double turn)
{
    const dp_model *m = d->model;
    dp_scratch *s = &d->scratch;
    if (dp_tree_is_one_body(m, t)) {
        s->tree_mode[t] = DP_TREE_SPIN;
        s->tree_limited[t] = turn > 1.0 && !dp_tree_floats(m, t) ? DP_LIMITED_BY_TURN : 0;
    } else if (turn > 1.0) {
        s->tree_mode[t] = DP_TREE_TRANSPORT;
        s->tree_limited[t] = DP_LIMITED_BY_TURN;
    } else {
        s->tree_mode[t] = DP_TREE_EXPLICIT;
        const bool far = turn > SLOW_SHARE[REACH_FREE] && turn > SLOW_SHARE[stretches(d, t)];
        s->tree_limited[t] = far ? DP_LIMITED_BY_TURN : 0;
    }
}

// The fastest angular velocity of each tree, squared, for body velocities V(i).
static void note_turn(double *fastest, const dp_model *m, int i, dp_v3 w)
{
    const int t = m->body[i].tree;
    const double w2 = dp_v3_dot(w, w);
    if (t >= 0 && w2 > fastest[t]) {
        fastest[t] = w2;
    }
}

static dp_status choose_modes_of(void *job, int first, int end)
{
    const dp_tree_job *s = job;
    dp_data *d = s->d;
    const dp_model *m = d->model;
    const dp_trees part = dp_trees_of(m, first, end);
    const double limit = d->options.large_rotation / s->h;
    double *fastest = d->scratch.tree_turn;
    memset(fastest + first, 0, (size_t)(end - first) * sizeof *fastest);
    for (int i = part.first_body; i < part.end_body; ++i) {
        note_turn(fastest, m, i, d->kin.link[i].V.w);
    }
    for (int t = first; t < end; ++t) {
        set_mode(d, t, sqrt(fastest[t]) / limit);
        d->scratch.tree_steady[t] = d->scratch.tree_mode[t] == DP_TREE_TRANSPORT &&
                                    dp_tree_turns_steadily(&d->kin, m, t, d->key.gravity);
        if (d->scratch.tree_steady[t]) {
            d->scratch.tree_mode[t] = DP_TREE_EXPLICIT;
            d->scratch.tree_limited[t] = 0;
        }
    }
    return DP_OK;
}

void dp_tree_modes_choose(dp_data *d, double h)
{
    dp_tree_job s = {.d = d, .h = h};
    dp_spread_trees(d, choose_modes_of, &s);
}

// Could a body of a tree with explicit terms turn further than the limit at v1? The rates of its
// coordinates add up to a bound that needs no velocities of bodies.
static bool may_turn_far(const dp_data *d, const double *v1, double limit)
{
    const dp_model *m = d->model;
    for (int t = 0; t < m->size.ntree; ++t) {
        double sum = 0.0;
        for (int k = m->tree_start[t];
             d->scratch.tree_mode[t] == DP_TREE_EXPLICIT && k < m->tree_start[t + 1]; ++k) {
            const dp_v3 w = d->kin.S[k].w; // a unit vector, or zero for translations
            sum += dp_v3_dot(w, w) > 0.5 ? fabs(v1[k]) : 0.0;
        }
        if (sum > limit) {
            return true;
        }
    }
    return false;
}

bool dp_tree_modes_revise(dp_data *d, const double *v1, double h)
{
    const dp_model *m = d->model;
    const double limit = d->options.large_rotation / h;
    if (!may_turn_far(d, v1, limit)) {
        return false;
    }
    double *fastest = d->scratch.tree_turn;
    memset(fastest, 0, (size_t)m->size.ntree * sizeof *fastest);
    dp_spread_velocities(d->scratch.twist, d, v1);
    for (int i = 1; i < m->size.nbody; ++i) {
        note_turn(fastest, m, i, d->scratch.twist[i].w);
    }
    bool changed = false;
    for (int t = 0; t < m->size.ntree; ++t) {
        const double turn = sqrt(fastest[t]) / limit;
        if (d->scratch.tree_mode[t] == DP_TREE_EXPLICIT && !d->scratch.tree_steady[t] &&
            turn > 1.0) {
            set_mode(d, t, turn);
            changed = true;
        }
    }
    return changed;
}

// What rows give to one tree they take from another: where one of the trees that a row meets is
// limited, all are. True when one of them was not.
static bool spread_limit(dp_data *d, int block)
{
    const dp_model *m = d->model;
    const dp_step_problem *p = &d->rows.problem;
    const int *col = d->rows.rows.col + p->col_start[block];
    const int ncol = p->col_start[block + 1] - p->col_start[block];
    bool any = false, all = true;
    for (int k = 0; k < ncol; ++k) {
        const bool limited = d->scratch.tree_limited[m->body[m->dof_body[col[k]]].tree];
        any = any || limited;
        all = all && limited;
    }
    for (int k = 0; any && !all && k < ncol; ++k) {
        d->scratch.tree_limited[m->body[m->dof_body[col[k]]].tree] |= DP_LIMITED_BY_ROWS;
    }
    return any && !all;
}

bool dp_any_tree_limited(const dp_data *d)
{
    bool any = false;
    for (int t = 0; t < d->model->size.ntree && !any; ++t) {
        any = d->scratch.tree_limited[t];
    }
    return any;
}

// Of trees that a row connects all have a limit on their energy, or none.
static void spread_limits(dp_data *d)
{
    for (bool more = dp_any_tree_limited(d); more;) {
        more = false;
        for (int i = 0; i < d->rows.problem.nblock; ++i) {
            more = spread_limit(d, i) || more;
        }
    }
}

void dp_limit_unmet(dp_data *d, const dp_attempt *s)
{
    const dp_constrained *c = &d->rows;
    const bool violated = c->gaps.corrects || c->gaps.recovering;
    const bool unmet = !c->solved || s->jams || (s->level > 0 && violated);
    for (int t = 0; unmet && t < c->problem.ntree; ++t) {
        d->scratch.tree_limited[c->rows.tree[t]] |= DP_LIMITED_BY_GAPS;
    }
    spread_limits(d);
}
