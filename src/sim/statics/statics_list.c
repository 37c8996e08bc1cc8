// The components of reactions that there are at a moment, and what each does to bodies.
#include "dynamics/recursive.h"
#include "problem/laws/contact_law.h"
#include "sim/statics/statics.h"

#include <dashpot/contact.h>

#include <string.h>

static const double ROUND_OFF = 1e-12; // of generalised forces, over the largest

// ---- what there is

dp_v3 dp_report_centre(const dp_data *d, int b)
{
    return dp_v3_add(d->kin.link[b].X.p, dp_body_centre(&d->kin, d->model, b));
}

typedef struct arms {
    double sum;
    int count;
} arms;

static void add_arm(arms *a, const dp_data *d, int body, dp_v3 point)
{
    if (body >= 0 && d->model->body[body].tree >= 0) {
        const dp_v3 r = dp_v3_sub(point, dp_report_centre(d, body));
        a->sum += dp_v3_dot(r, r);
        ++a->count;
    }
}

// The root mean square of the arms of reactions.
static double typical_length(const dp_data *d)
{
    const dp_model *m = d->model;
    arms a = {0.0, 0};
    for (int b = 1; b < m->size.nbody; ++b) {
        const dp_body *body = &m->body[b];
        if (body->tree >= 0 && body->ndof < 6) {
            const dp_v3 p = dp_joint_frame_point(&d->kin, m, b);
            add_arm(&a, d, b, p);
            add_arm(&a, d, body->parent, p);
        }
    }
    for (int i = 0; i < m->size.nequality; ++i) {
        const dp_equality *e = &m->equality[i];
        const bool bodies = e->kind != DP_EQUALITY_JOINT && e->kind != DP_EQUALITY_TENDON;
        for (int k = 0; bodies && d->rows.equality_active[i] && k < 2; ++k) {
            add_arm(&a, d, e->object[k], dp_pose_apply(d->kin.link[e->object[k]].X, e->frame[k].p));
        }
    }
    for (int i = 0; i < dp_data_contact_count(d); ++i) {
        const dp_contact c = dp_data_contact(d, i);
        add_arm(&a, d, c.body[0].index, c.point);
        add_arm(&a, d, c.body[1].index, c.point);
    }
    return a.sum > 0.0 ? sqrt(a.sum / a.count) : 1.0;
}

static dp_component *append(dp_report *s, dp_reaction one, double found)
{
    DP_ASSERT(s->count < s->room);
    dp_component *to = &s->component[s->count++];
    *to = (dp_component){.reaction = one, .found = found, .sign = 1.0, .normal = -1};
    return to;
}

static void list_joint(dp_report *s, int b)
{
    const dp_body *body = &s->m->body[b];
    const dp_joint_frame *f = &s->frame[b];
    const dp_wrench all =
        dp_wrench_shift(s->d->sensed.reaction[b], dp_v3_sub(s->d->kin.link[b].X.p, f->point));
    for (int k = 0; k < f->count; ++k) {
        const dp_wrench unit = f->reaction[k];
        const dp_wrench scaled = {
            // as vectors of one unit
            dp_v3_scale(unit.t, f->moment[k] ? 1.0 : 1.0 / (s->length * s->length)), unit.f};
        append(s,
               (dp_reaction){.joint = true,
                             .element = body->njoint > 0 ? s->m->body_joint[body->joint_start] : -1,
                             .component = k,
                             .geom = {{-1}, {-1}},
                             .on = {b},
                             .by = {body->parent},
                             .moment = f->moment[k],
                             .point = f->point,
                             .direction = unit},
               dp_v3_dot(scaled.t, all.t) + dp_v3_dot(scaled.f, all.f));
    }
}

// Friction of a contact, against the slip where it slides: rows `first` + 1 … of a block.
static void list_friction(dp_report *s, int block, dp_reaction one)
{
    const dp_step_problem *p = &s->d->rows.problem;
    const int first = p->row_start[block], n = p->row_start[block + 1] - first;
    const int normal = s->count - 1;
    dp_friction_group group[DP_CONTACT_GROUPS];
    const int ngroup =
        n > 1 ? dp_friction_groups(group, &p->friction[p->friction_of[block]], n) : 0;
    const dp_contact c = dp_data_contact(s->d, one.element);
    for (int g = 0; g < ngroup; ++g) {
        double size = 0.0, pull[2] = {0.0, 0.0};
        bool slides = false;
        for (int k = 0; k < group[g].count; ++k) {
            const int r = first + group[g].first + k;
            const double slip = s->now.row[r].moving ? s->now.row[r].rate : s->now.row[r].pull;
            pull[k] = group[g].reach * group[g].scale[k] * slip;
            size += pull[k] * pull[k];
            slides = slides || s->now.row[r].sliding;
        }
        size = sqrt(size);
        for (int k = 0; k < group[g].count; ++k) {
            const int i = group[g].first + k;
            const double limit = group[g].reach * group[g].scale[k];
            const bool follows = slides && size > 0.0;
            const dp_v3 axis = i == 3 ? c.normal : c.tangent[i == 2 || i == 5];
            one.component = i;
            one.moment = i >= 3;
            one.direction = (dp_wrench){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
            *(one.moment ? &one.direction.t : &one.direction.f) = axis;
            one.bound = follows ? DP_REACTION_BOUND_FOLLOWS : DP_REACTION_BOUND_FRICTION;
            one.limit = follows ? -limit * pull[k] / size : limit;
            append(s, one, s->d->rows.lambda[first + i])->normal = normal;
        }
    }
}

static void list_contact(dp_report *s, int block, int index)
{
    const int first = s->d->rows.problem.row_start[block];
    const dp_contact c = dp_data_contact(s->d, index);
    if (!s->now.row[first].closed) {
        return;
    }
    const dp_reaction one = {.source = DP_ROW_SOURCE_CONTACT,
                             .element = index,
                             .geom = {c.geom[0], c.geom[1]},
                             .on = c.body[1],
                             .by = c.body[0],
                             .point = c.point,
                             .direction = {{0.0, 0.0, 0.0}, c.normal},
                             .bound = DP_REACTION_BOUND_PUSHES};
    append(s, one, s->d->rows.lambda[first]);
    list_friction(s, block, one);
}

// The bodies that a row of an equality or along a joint acts between.
// @return −1: they act on the other one of the two, so that signs change
static double find_bodies(dp_reaction *out, const dp_report *s, const dp_row_info *row)
{
    const dp_model *m = s->m;
    int joint = -1;
    double sign = 1.0;
    out->on = out->by = (dp_body_id){-1};
    if (row->source == DP_ROW_SOURCE_EQUALITY) {
        const dp_equality *e = &m->equality[row->element];
        if (e->kind == DP_EQUALITY_JOINT) {
            joint = e->object[0];
        } else if (e->kind != DP_EQUALITY_TENDON) {
            const int on = m->body[e->object[1]].tree >= 0 ? 1 : 0; // something that moves
            out->on = (dp_body_id){e->object[on]};
            out->by = (dp_body_id){e->object[1 - on]};
            out->point = dp_pose_apply(s->d->kin.link[e->object[on]].X, e->frame[on].p);
            sign = on == 1 ? 1.0 : -1.0;
        }
    } else if (row->source == DP_ROW_SOURCE_JOINT_LIMIT ||
               row->source == DP_ROW_SOURCE_JOINT_FRICTION) {
        joint = row->element;
    } else if (row->source == DP_ROW_SOURCE_MOTION) {
        joint = m->motion[row->element].joint;
    }
    if (joint >= 0) {
        out->on = (dp_body_id){m->joint[joint].body};
        out->by = (dp_body_id){m->body[m->joint[joint].body].parent};
        out->point = s->d->kin.anchor[joint];
    }
    const bool turning = row->source == DP_ROW_SOURCE_EQUALITY && row->component >= 3;
    out->moment = turning || (joint >= 0 && m->joint[joint].kind != DP_JOINT_SLIDE);
    return sign;
}

static void list_row(dp_report *s, int row)
{
    const dp_row_info info = dp_data_row(s->d, row);
    const dp_row *r = &s->d->rows.problem.row[row];
    const bool friction =
        info.source == DP_ROW_SOURCE_JOINT_FRICTION || info.source == DP_ROW_SOURCE_TENDON_FRICTION;
    if (!s->now.row[row].closed || (friction && s->now.row[row].sliding)) {
        return;
    }
    dp_reaction one = {.source = info.source,
                       .element = info.element,
                       .component = info.component,
                       .geom = {{-1}, {-1}}};
    const double sign = find_bodies(&one, s, &info);
    one.bound = isfinite(r->lo) && isfinite(r->hi) ? DP_REACTION_BOUND_LIMITED
                : isfinite(r->lo)                  ? DP_REACTION_BOUND_PUSHES
                                                   : DP_REACTION_BOUND_FREE;
    one.limit = one.bound == DP_REACTION_BOUND_LIMITED ? r->hi : 0.0;
    append(s, one, sign * s->d->rows.lambda[row])->sign = sign;
}

static dp_status take_room(dp_report *s)
{
    const dp_model *m = s->m;
    const size_t nbody = (size_t)m->size.nbody;
    const size_t nv = (size_t)m->size.nv, nrow = (size_t)s->d->rows.problem.nrow;
    s->room = 6 * m->size.nbody + s->d->rows.problem.nrow;
    DP_TRY(dp_pool_take(&s->frame, s->pool, nbody, sizeof(dp_joint_frame)));
    DP_TRY(dp_pool_take(&s->equation, s->pool, nbody, sizeof(int)));
    DP_TRY(dp_pool_take(&s->wrench, s->pool, nbody, sizeof(dp_wrench)));
    DP_TRY(dp_pool_take(&s->sums, s->pool, nbody, sizeof(dp_wrench)));
    DP_TRY(dp_pool_take(&s->response, s->pool, nv, sizeof(double)));
    DP_TRY(dp_pool_take(&s->tau, s->pool, nv, sizeof(double)));
    DP_TRY(dp_pool_take(&s->opening, s->pool, nrow, sizeof(double)));
    DP_TRY(dp_pool_take(&s->lambda, s->pool, nrow, sizeof(double)));
    return dp_pool_take(&s->component, s->pool, (size_t)s->room, sizeof *s->component);
}

static void list_rows(dp_report *s)
{
    const dp_step_problem *p = &s->d->rows.problem;
    for (int i = 0, contact = 0; i < p->nblock; ++i) {
        if (s->d->rows.rows.owner[i].source == DP_ROW_SOURCE_CONTACT) {
            list_contact(s, i, contact++);
            continue;
        }
        for (int r = p->row_start[i]; r < p->row_start[i + 1]; ++r) {
            list_row(s, r);
        }
    }
}

// ---- what they do

// So many units of a wrench about a point act on one body, and back on another.
static void act_between(dp_report *s, int on, int by, dp_v3 point, dp_wrench unit, double force)
{
    for (int side = 0; side < 2; ++side) {
        const int body = side == 0 ? on : by;
        const dp_v3 arm = dp_v3_sub(point, s->d->kin.link[body].X.p);
        s->wrench[body] =
            dp_wrench_madd(s->wrench[body], side == 0 ? force : -force, dp_wrench_shift(unit, arm));
    }
}

// A force along degree of freedom k acts on its body through the joint, and back on the parent.
static void act_along(dp_report *s, int k, double force)
{
    const int b = s->m->dof_body[k];
    const dp_joint_frame *f = &s->frame[b];
    act_between(s, b, s->m->body[b].parent, f->point, f->drive[k - s->m->body[b].dof_start], force);
}

// A row acts on bodies by itself, or along coordinates and so through joints: what is left of its
// generalised force.
static void act_through_joints(dp_report *s)
{
    const dp_model *m = s->m;
    const dp_kin *kin = &s->d->kin;
    const size_t nv = (size_t)m->size.nv;
    double most = 0.0;
    memset(s->tau, 0, nv * sizeof *s->tau);
    dp_rows_add_forces(s->tau, &s->d->rows.rows, s->lambda);
    for (size_t k = 0; k < nv; ++k) {
        most = fmax(most, fabs(s->tau[k]));
        s->tau[k] = -s->tau[k];
    }
    memcpy(s->sums, s->wrench, (size_t)m->size.nbody * sizeof *s->sums);
    dp_project_wrenches(s->tau, s->sums, kin, m);
    for (int k = 0; k < m->size.nv; ++k) {
        if (fabs(s->tau[k]) <= ROUND_OFF * most) {
            continue;
        }
        act_along(s, k, -s->tau[k]);
    }
}

void dp_report_act(dp_report *s, int i)
{
    const dp_reaction *one = &s->component[i].reaction;
    memset(s->wrench, 0, (size_t)s->m->size.nbody * sizeof *s->wrench);
    if (one->joint || one->source == DP_ROW_SOURCE_CONTACT) {
        act_between(s, one->on.index, one->by.index, one->point, one->direction, 1.0);
        return;
    }
    const int row = dp_data_find_row(s->d, one->source, one->element, one->component);
    DP_ASSERT(row >= 0);
    const double kept = s->lambda[row];
    s->lambda[row] = s->component[i].sign;
    dp_constrained_push(s->wrench, s->d, s->lambda);
    act_through_joints(s);
    s->lambda[row] = kept;
}

void dp_report_respond(dp_report *s)
{
    const dp_model *m = s->m;
    const dp_data *d = s->d;
    const dp_rows *rows = &d->rows.rows;
    memset(s->tau, 0, (size_t)m->size.nv * sizeof *s->tau);
    memcpy(s->sums, s->wrench, (size_t)m->size.nbody * sizeof *s->sums);
    dp_project_wrenches(s->tau, s->sums, &d->kin, m);
    dp_articulated_solve(s->response, &s->d->art, &d->kin, m, s->tau, NULL);
    dp_tendon_inertia_correct(s->response, &d->tendon_inertia, &d->tendon, m, false);
    dp_twist *motion = d->scratch.twist;
    dp_kin_velocities(motion, &d->kin, m, s->response); // accelerations are carried the same way
    for (int b = 1; b < m->size.nbody; ++b) {
        if (m->body[b].tree >= 0) {
            const dp_wrench inertia = dp_rigid_inertia_apply(&d->kin.link[b].J, motion[b]);
            s->wrench[b] = dp_wrench_sub(s->wrench[b], inertia);
        }
    }
    for (int k = 0; k < m->size.nv; ++k) {
        if (m->dof_armature[k] > 0.0) {
            act_along(s, k, -m->dof_armature[k] * s->response[k]);
        }
    }
    for (int n = 0; n < d->tendon_inertia.count; ++n) {
        const int i = d->tendon_inertia.tendon[n];
        const double tension = m->tendon[i].armature * dp_tendon_rate(&d->tendon, i, s->response);
        dp_tendon_pull(s->wrench, &d->kin, m, i, tension);
        for (int k = 0; !m->tendon[i].spatial && k < d->tendon.count[i]; ++k) {
            const size_t at = d->tendon.start[i] + (size_t)k;
            act_along(s, d->tendon.dof[at], -tension * d->tendon.gradient[at]);
        }
    }
    for (int i = 0, n = 0; i < rows->nblock; ++i) {
        for (int r = rows->row_start[i]; r < rows->row_start[i + 1]; ++r) {
            if (s->now.row[r].closed && !s->now.row[r].sliding) {
                s->opening[n++] = s->mass * dp_rows_rate(rows, i, r, s->response);
            }
        }
    }
}

// The direction of a row as its body feels it.
static void find_direction(dp_report *s, int i)
{
    dp_reaction *one = &s->component[i].reaction;
    if (one->joint || one->source == DP_ROW_SOURCE_CONTACT || one->on.index < 0) {
        return;
    }
    dp_report_act(s, i);
    const dp_v3 arm = dp_v3_sub(s->d->kin.link[one->on.index].X.p, one->point);
    one->direction = dp_wrench_shift(s->wrench[one->on.index], arm);
}

dp_status dp_report_list(dp_report *s)
{
    const dp_model *m = s->m;
    DP_TRY(take_room(s));
    s->length = s->options.length > 0.0 ? s->options.length : typical_length(s->d);
    for (int b = 0; b < m->size.nbody; ++b) {
        s->equation[b] = -1;
        if (m->body[b].tree >= 0) {
            s->equation[b] = s->nequation;
            s->nequation += 6;
            s->frame[b] = dp_joint_frame_of(&s->d->kin, m, b, s->length);
            list_joint(s, b);
        }
    }
    list_rows(s);
    for (int i = 0; i < s->count; ++i) {
        find_direction(s, i);
        dp_component *one = &s->component[i];
        one->column = one->reaction.bound == DP_REACTION_BOUND_FOLLOWS ? -1 : s->n++;
        s->slides = s->slides || (one->column < 0 && one->reaction.limit != 0.0);
    }
    for (int r = 0; s->slides && r < s->d->rows.problem.nrow; ++r) {
        s->nclosed += s->now.row[r].closed && !s->now.row[r].sliding;
    }
    const dp_momentum all = dp_subtree_momentum(&s->d->kin, m, 0);
    s->mass = all.mass / fmax(1.0, s->nequation / 6.0);
    return DP_OK;
}
