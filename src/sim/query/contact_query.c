// What can be asked about the contacts of the last step.
#include "problem/gradient.h"
#include "problem/laws/contact_law.h"
#include "sim/data.h"

const char *dp_contact_state_name(dp_contact_state state)
{
    static const char *const name[] = {"open", "stick", "slip"};
    return (unsigned)state < 3 ? name[state] : "";
}

static int first_contact(const dp_data *d)
{
    return d->rows.problem.nblock > 0 ? dp_first_contact(&d->rows.rows) : 0;
}

int dp_data_contact_count(const dp_data *d)
{
    return d->rows.problem.nblock - first_contact(d);
}

static const dp_touching *touching_of(const dp_data *d, int block)
{
    return &d->rows.candidates.point[d->rows.rows.owner[block].element];
}

static dp_contact_state state_of(const uint8_t *state, int nrow)
{
    if (state[0] == DP_ROW_STATE_OPEN) {
        return DP_CONTACT_STATE_OPEN;
    }
    return nrow > 1 && state[1] == DP_ROW_STATE_STICK ? DP_CONTACT_STATE_STICK
                                                      : DP_CONTACT_STATE_SLIP;
}

// Force and torque from their components along normal and tangents.
static void add_wrench(dp_contact *c)
{
    c->force = dp_v3_scale(c->normal, c->normal_force);
    c->torque = dp_v3_scale(c->normal, c->torsion);
    for (int k = 0; k < 2; ++k) {
        c->force = dp_v3_madd(c->force, c->friction[k], c->tangent[k]);
        c->torque = dp_v3_madd(c->torque, c->roll[k], c->tangent[k]);
    }
}

dp_contact dp_data_contact(const dp_data *d, int index)
{
    if (index < 0 || index >= dp_data_contact_count(d)) {
        return (dp_contact){.geom = {{-1}, {-1}}, .body = {{-1}, {-1}}, .pair = {-1}};
    }
    const dp_constrained *c = &d->rows;
    const dp_step_problem *p = &c->problem;
    const int block = first_contact(d) + index;
    const int first = p->row_start[block], nrow = p->row_start[block + 1] - first;
    const dp_touching *t = touching_of(d, block);
    const dp_row *row = p->row + first;
    const double *lambda = c->lambda + first;
    double u[DP_CONTACT_ROWS] = {0.0};
    double way[DP_CONTACT_ROWS] = {0.0};
    dp_gradient_apply(u, p, block, dp_end_velocities(c));
    dp_gradient_apply(way, p, block, dp_moving_velocities(c));
    const int a = t->geom[0], b = t->geom[1];
    const dp_v3 t1 = c->rows.tangent[c->rows.owner[block].element];
    dp_contact out = {
        .geom = {{a}, {b}},
        .body = {{d->model->geom[a].body}, {d->model->geom[b].body}},
        .pair = {t->pair},
        .point = t->at.point,
        .normal = t->at.normal,
        .tangent = {t1, dp_v3_cross(t->at.normal, t1)},
        .start_gap = c->gaps.start[first],
        .gap = row[0].phi + dp_gap_left_open(c, first) + p->h * (way[0] + row[0].phi_t),
        .normal_force = lambda[0],
        .approach = u[0] + row[0].phi_t,
        .state = state_of(c->solution.state + first, nrow),
        .stiffness = row[0].k,
        .damping = row[0].b,
        .condim = nrow,
    };
    for (int k = 0; k < 2 && nrow >= 3; ++k) {
        out.friction[k] = lambda[1 + k];
        out.slip[k] = u[1 + k] + row[1 + k].b_ref;
    }
    if (nrow >= 4) {
        out.torsion = lambda[3];
        out.spin = u[3] + row[3].b_ref;
    }
    for (int k = 0; k < 2 && nrow >= 6; ++k) {
        out.roll[k] = lambda[4 + k];
    }
    if (p->friction_of && p->friction_of[block] >= 0) {
        const dp_friction *f = &p->friction[p->friction_of[block]];
        out.law = p->normal ? p->normal[p->friction_of[block]] : out.law;
        out.limit =
            (dp_friction){.mu = {f->mu[0], f->mu[1]},
                          .torsion = nrow >= 4 ? f->torsion : 0.0,
                          .roll = {nrow >= 6 ? f->roll[0] : 0.0, nrow >= 6 ? f->roll[1] : 0.0}};
    }
    add_wrench(&out);
    return out;
}

// What a block of a contact does to its second body about the world point.
static dp_wrench push_about(const dp_data *d, int block, dp_v3 about)
{
    const dp_constrained *c = &d->rows;
    const int first = c->problem.row_start[block];
    const dp_touching *t = touching_of(d, block);
    const dp_wrench w = dp_contact_push(&c->rows, t, c->rows.owner[block].element,
                                        c->problem.row_start[block + 1] - first, c->lambda + first);
    return dp_wrench_shift(w, dp_v3_sub(t->at.point, about));
}

// @param a −1: any
static dp_wrench sum_on(const dp_data *d, int a, int b, dp_v3 about)
{
    dp_wrench sum = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    for (int i = first_contact(d); i < d->rows.problem.nblock; ++i) {
        const dp_touching *t = touching_of(d, i);
        const int first = d->model->geom[t->geom[0]].body, second = d->model->geom[t->geom[1]].body;
        if (second == b && (a < 0 || first == a)) {
            sum = dp_wrench_madd(sum, 1.0, push_about(d, i, about));
        } else if (first == b && (a < 0 || second == a)) {
            sum = dp_wrench_madd(sum, -1.0, push_about(d, i, about));
        }
    }
    return sum;
}

dp_wrench dp_contact_between_bodies(const dp_data *d, dp_body_id a, dp_body_id b, dp_v3 about)
{
    return sum_on(d, a.index < 0 ? d->model->size.nbody : a.index, b.index, about);
}

dp_wrench dp_contact_on_body(const dp_data *d, dp_body_id b, dp_v3 about)
{
    return sum_on(d, -1, b.index, about);
}

double dp_contact_normal_force(const dp_data *d, dp_geom_id a, dp_geom_id b)
{
    const int low = a.index < b.index ? a.index : b.index;
    const int high = a.index < b.index ? b.index : a.index;
    double sum = 0.0;
    for (int i = first_contact(d); i < d->rows.problem.nblock; ++i) {
        const dp_touching *t = touching_of(d, i);
        if (t->geom[0] == low && t->geom[1] == high) {
            sum += d->rows.lambda[d->rows.problem.row_start[i]];
        }
    }
    return sum;
}

dp_status dp_contact_touch(double *out, const dp_data *d, dp_body_id b, const dp_shape *shape,
                           dp_pose X_WS)
{
    *out = 0.0;
    if (b.index < 0 || b.index >= d->model->size.nbody) {
        return dp_fail(DP_ERROR_ARGUMENT, "no body %d (expected 0 to %d)", b.index,
                       d->model->size.nbody - 1);
    }
    double sum = 0.0;
    for (int i = first_contact(d); i < d->rows.problem.nblock; ++i) {
        const dp_touching *t = touching_of(d, i);
        const double force = d->rows.lambda[d->rows.problem.row_start[i]];
        const bool first = d->model->geom[t->geom[0]].body == b.index;
        const bool second = d->model->geom[t->geom[1]].body == b.index;
        if (!(force > 0.0) || (!first && !second)) {
            continue;
        }
        const dp_v3 outward = dp_v3_scale(t->at.normal, first ? 1.0 : -1.0);
        dp_ray_hit hit;
        DP_TRY(dp_shape_ray(&hit, shape, X_WS, t->at.point, outward, (double)INFINITY));
        sum += hit.hit ? force : 0.0;
    }
    *out = sum;
    return DP_OK;
}
