// Equalities: what shall stay zero, as rows.
//
// Between bodies φ runs from the first to the second. Connect: the gap between the origins of the
// two frames, along world axes. Weld: that, and θ, the rotation vector of the second frame in the
// first, in their axes. θ rather than the vector part of a quaternion: its spring is k θ about the
// axis for all angles, and its gradient (turn.h) is I at zero and regular up to π and beyond, where
// that of 2 sin ½θ vanishes along the axis. Turning is stiffer by torque_scale², an arm squared,
// and counts as torque_scale metres per radian. Gradients are those of φ exactly, so the dashpot of
// a connect also resists the turning of a gap that its spring leaves open; that of a distance,
// along the line between the points, does not.
#include "assemble/row_sources.h"
#include "assemble/turn.h"

#include <math.h>

static bool holds_bodies(const dp_equality *e)
{
    return e->kind != DP_EQUALITY_JOINT && e->kind != DP_EQUALITY_TENDON;
}

static int row_count(const dp_equality *e)
{
    if (e->kind == DP_EQUALITY_WELD && e->torque_scale > 0.0) {
        return 6;
    }
    return e->kind == DP_EQUALITY_CONNECT || e->kind == DP_EQUALITY_WELD ? 3 : 1;
}

void dp_equality_room(dp_rows_room *room, const dp_model *m)
{
    for (int i = 0; i < m->size.nequality; ++i) {
        const dp_equality *e = &m->equality[i];
        int ncol = 0;
        for (int k = 0; k < 2; ++k) {
            if (holds_bodies(e)) {
                ncol += dp_chain_length(m, e->object[k]);
            } else if (e->object[k] >= 0) {
                ncol += e->kind == DP_EQUALITY_JOINT ? 1 : dp_tendon_max_dofs(m, e->object[k]);
            }
        }
        dp_room_add(room, row_count(e), ncol);
    }
}

// ---- between bodies

typedef struct frames {
    dp_pose X[2]; // in the world; their axes where the equality has a direction
    dp_quat turn; // of the second in the first, angle at most π; of six rows
} frames;

static dp_v3 place_point(const dp_equality *e, int k, const dp_kin *kin)
{
    const dp_link *link = &kin->link[e->object[k]];
    return dp_v3_add(link->X.p, dp_m3_apply(&link->R, e->frame[k].p));
}

static void place_one(dp_pose *X, const dp_equality *e, int k, const dp_kin *kin)
{
    const dp_link *link = &kin->link[e->object[k]];
    X->p = place_point(e, k, kin);
    const bool needs_axes = e->kind == DP_EQUALITY_WELD || e->kind == DP_EQUALITY_PLANE;
    X->q = needs_axes ? dp_quat_mul(link->X.q, e->frame[k].q) : link->X.q;
}

static frames place(const dp_equality *e, const dp_moment *at)
{
    frames f;
    place_one(&f.X[0], e, 0, at->kin);
    place_one(&f.X[1], e, 1, at->kin);
    f.turn = row_count(e) == 6 ? dp_turn_short(dp_quat_mul(dp_quat_conjugate(f.X[0].q), f.X[1].q))
                               : f.X[0].q;
    return f;
}

static dp_v3 z_axis(dp_pose X)
{
    return dp_quat_rotate(X.q, (dp_v3){0.0, 0.0, 1.0});
}

// From the first point to the second. Where they meet any direction is as good as another.
static dp_v3 direction_between(const frames *f)
{
    const dp_v3 gap = dp_v3_sub(f->X[1].p, f->X[0].p);
    const double length = dp_v3_norm(gap);
    return length > 0.0 ? dp_v3_scale(gap, 1.0 / length) : (dp_v3){0.0, 0.0, 1.0};
}

// How the rows of an equality between bodies act: `nlinear` along directions at the points, then
// `nturn` about directions.
typedef struct action {
    int nlinear, nturn;
    dp_v3 linear[3], turn[3]; // linear: three are the axes of the world
    dp_two_points at;
} action;

static action action_of(const dp_equality *e, const frames *f)
{
    action a = {.nlinear = 1, .at = {{e->object[0], e->object[1]}, {f->X[0].p, f->X[1].p}}};
    if (e->kind == DP_EQUALITY_DISTANCE) {
        a.linear[0] = direction_between(f);
    } else if (e->kind == DP_EQUALITY_PLANE) {
        a.linear[0] = z_axis(f->X[0]);
        a.at.point[0] = f->X[1].p; // the plane moves with the first body, where the point is
    } else {
        a.nlinear = 3;
        a.linear[0].x = a.linear[1].y = a.linear[2].z = 1.0;
    }
    if (row_count(e) == 6) {
        a.nturn = 3;
        const dp_m3 A = dp_turn_rate(dp_turn_vector(f->turn));
        for (int i = 0; i < 3; ++i) { // θ̇ = A R₁ᵀ (ω₁ − ω₀)
            a.turn[i] = dp_quat_rotate(f->X[1].q, dp_v3_load(A.m[i]));
        }
    }
    return a;
}

static void measure_bodies(double *phi, const dp_equality *e, const frames *f)
{
    const dp_v3 gap = dp_v3_sub(f->X[1].p, f->X[0].p);
    if (e->kind == DP_EQUALITY_DISTANCE) {
        phi[0] = dp_v3_norm(gap) - e->distance;
    } else if (e->kind == DP_EQUALITY_PLANE) {
        phi[0] = dp_v3_dot(z_axis(f->X[0]), gap);
    } else {
        dp_v3_store(phi, gap);
    }
    if (row_count(e) == 6) {
        dp_v3_store(phi + 3, dp_turn_vector(f->turn));
    }
}

static void make_between_bodies(dp_rows *rows, const dp_rows_input *in, const dp_equality *e,
                                const frames *f)
{
    const dp_model *m = in->start.m;
    const dp_kin *kin = in->start.kin;
    const action a = action_of(e, f);
    dp_block_open(rows, a.nlinear + a.nturn);
    dp_block_add_points(rows, 0, a.nlinear, a.nlinear == 3 ? NULL : a.linear, &a.at, kin, m);
    if (a.nturn > 0) {
        dp_block_add_turns(rows, 3, 3, a.turn, e->object, kin, m);
    }
}

// ---- between scalars

// p(x) = Σ cᵢ xⁱ and its derivative
static double polynomial(double *slope, const double c[5], double x)
{
    double p = c[4], d = 0.0;
    for (int i = 3; i >= 0; --i) {
        d = d * x + p;
        p = p * x + c[i];
    }
    *slope = d;
    return p;
}

// How far joint or tendon k of the equality is from its reference; 0 where there is none.
static double displacement(const dp_rows_input *in, const dp_equality *e, int k,
                           const dp_moment *at)
{
    const int i = e->object[k];
    if (i < 0) {
        return 0.0;
    }
    if (e->kind == DP_EQUALITY_TENDON) {
        return at->tendon->length[i] - in->start.tendon->reference[i];
    }
    const int q = at->m->joint[i].q_index;
    return at->q[q] - at->m->q_reference[q];
}

// d(polynomial)/dx at the start of the step
static double slope_of(const dp_rows_input *in, const dp_equality *e)
{
    double slope;
    polynomial(&slope, e->polynomial, displacement(in, e, 1, &in->start));
    return slope;
}

static void make_between_scalars(dp_rows *rows, const dp_rows_input *in, const dp_equality *e)
{
    const double scale[2] = {1.0, -slope_of(in, e)};
    dp_block_open(rows, 1);
    for (int k = 0; k < 2; ++k) {
        if (e->object[k] < 0) {
            continue;
        }
        if (e->kind == DP_EQUALITY_TENDON) {
            dp_tendon_add(rows, 0, scale[k], in->start.tendon, e->object[k]);
        } else {
            dp_block_add(rows, 0, in->start.m->joint[e->object[k]].v_index, scale[k]);
        }
    }
}

static bool is_nonlinear(const dp_model *m, const dp_equality *e)
{
    if (holds_bodies(e)) {
        return true;
    }
    const double *c = e->polynomial;
    bool curved = e->object[1] >= 0 && (c[2] != 0.0 || c[3] != 0.0 || c[4] != 0.0);
    for (int k = 0; k < 2 && e->kind == DP_EQUALITY_TENDON; ++k) {
        curved = curved || (e->object[k] >= 0 && m->tendon[e->object[k]].spatial);
    }
    return curved;
}

// ---- both

void dp_equality_gap(double *phi, const dp_rows_input *in, int equality, const dp_moment *at)
{
    const dp_equality *e = &in->start.m->equality[equality];
    if (!holds_bodies(e)) {
        double slope;
        phi[0] = displacement(in, e, 0, at) -
                 polynomial(&slope, e->polynomial, displacement(in, e, 1, at));
        return;
    }
    if (e->kind == DP_EQUALITY_CONNECT) {
        dp_v3_store(phi, dp_v3_sub(place_point(e, 1, at->kin), place_point(e, 0, at->kin)));
        return;
    }
    frames f = place(e, at);
    if (at != &in->start && row_count(e) == 6) {
        f.turn = dp_turn_near(f.turn, place(e, &in->start).turn);
    }
    measure_bodies(phi, e, &f);
}

// How fast the gap changes while the joints stand still: mocap bodies may be moved in the step.
static void measure_motion(double *phi_t, const dp_rows_input *in, const dp_equality *e,
                           const frames *start, const double *phi)
{
    const dp_model *m = in->start.m;
    frames f = *start;
    for (int k = 0; k < 2; ++k) {
        if (m->body[e->object[k]].tree < 0) {
            place_one(&f.X[k], e, k, in->moved);
        }
    }
    f.turn = dp_turn_near(dp_quat_mul(dp_quat_conjugate(f.X[0].q), f.X[1].q), start->turn);
    measure_bodies(phi_t, e, &f);
    for (int r = 0; r < row_count(e); ++r) {
        phi_t[r] = (phi_t[r] - phi[r]) / in->h;
    }
}

static void finish(dp_row *row, const dp_equality *e, const double *phi, const double *phi_t)
{
    const int nrow = row_count(e);
    for (int r = 0; r < nrow; ++r) {
        const dp_bearing *bearing = r < 3 ? &e->bearing : &e->turning;
        row[r].phi = phi[r];
        row[r].phi_t = row[r].b_ref = phi_t[r];
        row[r].len = r < 3 ? 1.0 : e->torque_scale;
        if (isfinite(bearing->stiffness)) {
            row[r].k = bearing->stiffness;
            row[r].b = bearing->damping;
        }
    }
}

static void make_one(dp_rows *rows, const dp_rows_input *in, int i)
{
    const dp_model *m = in->start.m;
    const dp_equality *e = &m->equality[i];
    const dp_row_owner owner = {
        .source = DP_ROW_SOURCE_EQUALITY, .nonlinear = is_nonlinear(m, e), .element = i};
    double phi[DP_BLOCK_ROWS], phi_t[DP_BLOCK_ROWS] = {0.0};
    dp_row *row;
    if (!holds_bodies(e)) {
        dp_equality_gap(phi, in, i, &in->start);
        make_between_scalars(rows, in, e);
        row = dp_block_close(rows, owner);
    } else if (dp_last_dof(m, e->object[0]) == dp_last_dof(m, e->object[1])) {
        return;                                                // nothing can change it
    } else if (e->kind == DP_EQUALITY_CONNECT && !in->moved) { // the most common
        const dp_two_points at = {
            {e->object[0], e->object[1]},
            {place_point(e, 0, in->start.kin), place_point(e, 1, in->start.kin)}};
        dp_v3_store(phi, dp_v3_sub(at.point[1], at.point[0]));
        row = dp_block_pin(rows, owner, &at, in->start.kin, m);
    } else {
        const frames f = place(e, &in->start);
        measure_bodies(phi, e, &f);
        if (in->moved) {
            measure_motion(phi_t, in, e, &f, phi);
        }
        make_between_bodies(rows, in, e, &f);
        row = dp_block_close(rows, owner);
    }
    if (row) {
        finish(row, e, phi, phi_t);
    }
}

void dp_equality_make(dp_rows *rows, const dp_rows_input *in)
{
    for (int i = 0; i < in->start.m->size.nequality && !in->options->disable_equality; ++i) {
        if (in->equality_active[i]) {
            make_one(rows, in, i);
        }
    }
}

double dp_equality_tension(const dp_rows_input *in, int equality, int tendon, double lambda)
{
    const dp_equality *e = &in->start.m->equality[equality];
    if (e->kind != DP_EQUALITY_TENDON) {
        return 0.0;
    }
    return (e->object[0] == tendon ? -lambda : 0.0) +
           (e->object[1] == tendon ? slope_of(in, e) * lambda : 0.0);
}

void dp_equality_wrench(dp_wrench *wrench, const dp_rows_input *in, int equality,
                        const double *lambda)
{
    const dp_moment *at = &in->start;
    const dp_equality *e = &at->m->equality[equality];
    if (e->kind == DP_EQUALITY_JOINT) {
        return;
    }
    if (e->kind == DP_EQUALITY_TENDON) {
        dp_tendon_pull(wrench, at->kin, at->m, e->object[0], -lambda[0]);
        if (e->object[1] >= 0) {
            dp_tendon_pull(wrench, at->kin, at->m, e->object[1], slope_of(in, e) * lambda[0]);
        }
        return;
    }
    const frames f = place(e, at);
    const action a = action_of(e, &f);
    dp_v3 force = {0.0, 0.0, 0.0}, torque = {0.0, 0.0, 0.0};
    for (int r = 0; r < a.nlinear; ++r) {
        force = dp_v3_madd(force, lambda[r], a.linear[r]);
    }
    for (int r = 0; r < a.nturn; ++r) {
        torque = dp_v3_madd(torque, lambda[3 + r], a.turn[r]);
    }
    for (int k = 0; k < 2; ++k) {
        const dp_v3 arm = dp_v3_sub(a.at.point[k], at->kin->link[e->object[k]].X.p);
        const dp_wrench w = {dp_v3_add(torque, dp_v3_cross(arm, force)), force};
        dp_wrench *to = &wrench[e->object[k]];
        *to = dp_wrench_madd(*to, k ? 1.0 : -1.0, w);
    }
}
