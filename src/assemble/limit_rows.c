// Limits of joints and tendons: one-sided rows, taken in on demand.
//
// Lower end: φ = x − lower; upper end: φ = upper − x. A ball has an upper end alone, for the angle
// of its rotation; one of π or more is none.
#include "assemble/row_sources.h"
#include "assemble/turn.h"

#include "math/angle.h"

#include <math.h>

// [m, rad] An end that is passed by less than this is not: round-off of positions up to 1000, and
// far below what a law leaves. A row that was left out for it comes in the next step.
static const double PASSED = 1e-12;

enum { LOWER_END = 1 << DP_LOWER, UPPER_END = 1 << DP_UPPER };

// The ends that a joint has.
static unsigned ends_of(const dp_joint *joint)
{
    if (!joint->limited || joint->kind == DP_JOINT_FREE) {
        return 0;
    }
    if (joint->kind == DP_JOINT_BALL) {
        return joint->range[1] < DP_PI ? UPPER_END : 0;
    }
    return LOWER_END | UPPER_END;
}

bool dp_limits_possible(const dp_model *m)
{
    bool possible = false;
    for (int j = 0; j < m->size.njoint; ++j) {
        possible = possible || ends_of(&m->joint[j]);
    }
    for (int i = 0; i < m->size.ntendon; ++i) {
        possible = possible || m->tendon[i].limited;
    }
    return possible;
}

void dp_joint_limit_room(dp_rows_room *room, const dp_model *m)
{
    for (int j = 0; j < m->size.njoint; ++j) {
        for (int feature = DP_LOWER; feature <= DP_UPPER; ++feature) {
            if (ends_of(&m->joint[j]) & 1u << feature) {
                dp_room_add(room, 1, m->joint[j].nv);
            }
        }
    }
}

void dp_tendon_limit_room(dp_rows_room *room, const dp_model *m)
{
    for (int i = 0; i < m->size.ntendon; ++i) {
        for (int feature = DP_LOWER; m->tendon[i].limited && feature <= DP_UPPER; ++feature) {
            dp_room_add(room, 1, dp_tendon_max_dofs(m, i));
        }
    }
}

// ---- gaps

static double gap_of(const double range[2], int feature, double x)
{
    return feature == DP_LOWER ? x - range[0] : range[1] - x;
}

static dp_quat turn_of_ball(const dp_joint *joint, const double *q)
{
    return dp_turn_short(dp_quat_load(q + joint->q_index));
}

// What the range of a joint is about: its coordinate; of a ball, the angle of its rotation.
static double place_of(const dp_rows_input *in, const dp_joint *joint, const dp_moment *at)
{
    if (joint->kind != DP_JOINT_BALL) {
        return at->q[joint->q_index];
    }
    // From the start on: an angle that passes π in the step goes on growing.
    const dp_quat turn = dp_turn_near(turn_of_ball(joint, at->q), turn_of_ball(joint, in->start.q));
    return dp_v3_norm(dp_turn_vector(turn));
}

double dp_joint_limit_gap(const dp_rows_input *in, int joint, int feature, const dp_moment *at)
{
    const dp_joint *of = &at->m->joint[joint];
    return gap_of(of->range, feature, place_of(in, of, at));
}

double dp_tendon_limit_gap(const dp_rows_input *in, int tendon, int feature, const dp_moment *at)
{
    return gap_of(in->start.m->tendon[tendon].range, feature, at->tendon->length[tendon]);
}

// ---- on demand

// How fast a joint approaches its upper end; a ball at most.
static double rate_of_joint(const dp_joint *joint, const double *v)
{
    return joint->kind == DP_JOINT_BALL ? dp_v3_norm(dp_v3_load(v + joint->v_index))
                                        : v[joint->v_index];
}

static double towards(int feature, double rate)
{
    return feature == DP_LOWER ? rate : -rate;
}

// The ends of a joint that x is beyond, by more than `least`. @param x of a ball: its angle
static unsigned passed(const dp_joint *joint, double x, double least)
{
    const unsigned lower = x - joint->range[0] < -least ? LOWER_END : 0;
    const unsigned upper = joint->range[1] - x < -least ? UPPER_END : 0;
    return (lower | upper) & ends_of(joint);
}

void dp_limits_expect(dp_rows *rows, const dp_rows_input *in, const double *v)
{
    const dp_model *m = in->start.m;
    for (int j = 0; j < m->size.njoint; ++j) {
        const dp_joint *joint = &m->joint[j];
        if (joint->limited && joint->kind != DP_JOINT_FREE) {
            const double x = place_of(in, joint, &in->start) + in->h * rate_of_joint(joint, v);
            rows->joint_limit[j] |= (uint8_t)passed(joint, x, 0.0);
        }
    }
    for (int i = 0; i < m->size.ntendon; ++i) {
        for (int feature = DP_LOWER; m->tendon[i].limited && feature <= DP_UPPER; ++feature) {
            const double rate = towards(feature, dp_tendon_rate(in->start.tendon, i, v));
            if (dp_tendon_limit_gap(in, i, feature, &in->start) + in->h * rate < 0.0) {
                rows->tendon_limit[i] |= (uint8_t)(1u << feature);
            }
        }
    }
}

// Is the end new, and passed? Then it is taken in.
static int take_if_passed(uint8_t *taken, int feature, double gap)
{
    if (*taken & 1u << feature || !(gap < -PASSED)) {
        return 0;
    }
    *taken |= (uint8_t)(1u << feature);
    return 1;
}

int dp_limits_miss(dp_rows *rows, const dp_rows_input *in, const dp_moment *end)
{
    const dp_model *m = in->start.m;
    int found = 0;
    for (int j = 0; j < m->size.njoint; ++j) {
        const dp_joint *joint = &m->joint[j];
        if (joint->limited && joint->kind != DP_JOINT_FREE) {
            const unsigned more =
                passed(joint, place_of(in, joint, end), PASSED) & ~(unsigned)rows->joint_limit[j];
            rows->joint_limit[j] |= (uint8_t)more;
            found += (more & LOWER_END ? 1 : 0) + (more & UPPER_END ? 1 : 0);
        }
    }
    for (int i = 0; i < m->size.ntendon; ++i) {
        for (int feature = DP_LOWER; m->tendon[i].limited && feature <= DP_UPPER; ++feature) {
            found += take_if_passed(&rows->tendon_limit[i], feature,
                                    dp_tendon_limit_gap(in, i, feature, end));
        }
    }
    return found;
}

// ---- rows

// The rotation vector of a ball stays within a sphere; the row keeps it on this side of the plane
// that touches the sphere where the motion leaves it, or where the ball is if it turns back. n: the
// normal of the plane; in the reference configuration at rest, any.
static dp_v3 normal_of_ball(dp_v3 theta, dp_v3 turn)
{
    const dp_v3 ahead = dp_v3_add(theta, turn);
    const dp_v3 normal = dp_v3_dot(theta, turn) < 0.0 ? theta : ahead;
    const double small = 1e-12,
                 length = dp_v3_norm(normal); // [rad] below, directions are round-off
    return length > small ? dp_v3_scale(normal, 1.0 / length) : (dp_v3){1.0, 0.0, 0.0};
}

// @return n · θ
static double add_ball(dp_rows *rows, const dp_rows_input *in, const dp_joint *joint)
{
    const dp_v3 theta = dp_turn_vector(turn_of_ball(joint, in->start.q));
    const dp_m3 A = dp_turn_rate(theta);
    const dp_v3 w = dp_v3_load(in->start.v + joint->v_index);
    const dp_v3 n = normal_of_ball(theta, dp_v3_scale(dp_m3_apply(&A, w), in->h));
    double gradient[3];
    dp_v3_store(gradient, dp_m3_apply_transposed(&A, n));
    for (int k = 0; k < 3; ++k) {
        dp_block_add(rows, 0, joint->v_index + k, -gradient[k]);
    }
    return dp_v3_dot(n, theta);
}

static void finish(dp_row *row, double gap, const dp_bearing *bearing)
{
    if (!row) {
        return;
    }
    row->phi = gap;
    row->lo = 0.0;
    if (isfinite(bearing->stiffness)) {
        row->k = bearing->stiffness;
        row->b = bearing->damping;
    }
}

void dp_joint_limit_make(dp_rows *rows, const dp_rows_input *in)
{
    const dp_model *m = in->start.m;
    for (int j = 0; j < m->size.njoint && !in->options->disable_limits; ++j) {
        const dp_joint *joint = &m->joint[j];
        const unsigned ends = ends_of(joint) & rows->joint_limit[j];
        for (int feature = DP_LOWER; ends && feature <= DP_UPPER; ++feature) {
            if (!(ends & 1u << feature)) {
                continue;
            }
            const dp_row_owner owner = {.source = DP_ROW_SOURCE_JOINT_LIMIT,
                                        .feature = (uint8_t)feature,
                                        .nonlinear = joint->kind == DP_JOINT_BALL,
                                        .element = j};
            if (joint->kind == DP_JOINT_BALL) {
                dp_block_open(rows, 1);
                const double gap = joint->range[1] - add_ball(rows, in, joint);
                finish(dp_block_close(rows, owner), gap, &joint->limit);
            } else {
                const double gap = dp_joint_limit_gap(in, j, feature, &in->start);
                finish(dp_block_single(rows, owner, joint->v_index, towards(feature, 1.0)), gap,
                       &joint->limit);
            }
        }
    }
}

void dp_tendon_limit_make(dp_rows *rows, const dp_rows_input *in)
{
    const dp_model *m = in->start.m;
    for (int i = 0; i < m->size.ntendon && !in->options->disable_limits; ++i) {
        const unsigned ends = m->tendon[i].limited ? rows->tendon_limit[i] : 0;
        for (int feature = DP_LOWER; ends && feature <= DP_UPPER; ++feature) {
            if (!(ends & 1u << feature)) {
                continue;
            }
            dp_block_open(rows, 1);
            dp_tendon_add(rows, 0, towards(feature, 1.0), in->start.tendon, i);
            const dp_row_owner owner = {.source = DP_ROW_SOURCE_TENDON_LIMIT,
                                        .feature = (uint8_t)feature,
                                        .nonlinear = m->tendon[i].spatial,
                                        .element = i};
            finish(dp_block_close(rows, owner), dp_tendon_limit_gap(in, i, feature, &in->start),
                   &m->tendon[i].limit);
        }
    }
}
