#include "arm_control.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- the task -----------------------------------------------------------------------------------

// A stroke of the shake, of a quarter of a second: an offset along one axis, and a turn.
#define STROKE(y, z, turn_x, turn_y)                                                               \
    {                                                                                              \
        "shake", "shake", {0.0, y, z}, {turn_x, turn_y, 0.0}, 0.25, 25.0, ARM_NOTHING              \
    }
#define STILL                                                                                      \
    {                                                                                              \
        0.0, 0.0, 0.0                                                                              \
    }

const arm_keyframe arm_shakes_bottle[] = {
    {"look", "pick", {-0.1, 0.0, 0.0}, STILL, 1.5, 0.0, ARM_NOTHING},
    {"reach", "pick", STILL, STILL, 1.0, 0.0, ARM_NOTHING},
    {"grasp", "pick", STILL, STILL, 0.1, 25.0, ARM_GRASPED},
    {"lift", "pick", {0.0, 0.0, 0.1}, STILL, 0.8, 25.0, ARM_WEIGHED},
    {"carry", "shake", STILL, STILL, 1.0, 25.0, ARM_NOTHING},
    STROKE(0.0, 0.06, 0.0, 0.0), // up and down,
    STROKE(0.0, -0.06, 0.0, 0.0),
    STROKE(0.0, 0.06, 0.0, 0.0),
    STROKE(0.0, -0.06, 0.0, 0.0),
    STROKE(0.0, 0.06, 0.0, 0.0),
    STROKE(0.0, -0.06, 0.0, 0.0),
    STROKE(0.04, 0.0, -0.08, 0.0), // from finger to finger, leaning that way,
    STROKE(-0.04, 0.0, 0.08, 0.0),
    STROKE(0.04, 0.0, -0.08, 0.0),
    STROKE(-0.04, 0.0, 0.08, 0.0),
    STROKE(0.0, 0.05, 0.0, -0.15), // as if to pour,
    STROKE(0.0, -0.05, 0.0, 0.15),
    STROKE(0.0, 0.05, 0.0, -0.15),
    STROKE(0.0, 0.0, 0.0, 0.0), // and back
    {"bring", "place", {0.0, 0.0, 0.05}, STILL, 1.2, 25.0, ARM_NOTHING},
    {"lower", "place", {0.0, 0.0, -0.01}, STILL, 1.5, 25.0, ARM_STANDS},
    {"let go", NULL, STILL, STILL, 0.3, 0.0, ARM_OPEN},
    {"leave", "place", {-0.1, 0.0, 0.0}, STILL, 1.0, 0.0, ARM_NOTHING},
};
const int arm_nshakes_bottle = sizeof arm_shakes_bottle / sizeof arm_shakes_bottle[0];

// --- vectors and rotations ----------------------------------------------------------------------

static dp_v3 add(dp_v3 a, double s, dp_v3 b) // a + s b
{
    return (dp_v3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static dp_v3 scaled(double s, dp_v3 a)
{
    return (dp_v3){s * a.x, s * a.y, s * a.z};
}

static double dot(dp_v3 a, dp_v3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static double length(dp_v3 a)
{
    return sqrt(dot(a, a));
}

static dp_v3 cross(dp_v3 a, dp_v3 b)
{
    return (dp_v3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static dp_quat turned(dp_quat a, dp_quat b) // b, then a
{
    return (dp_quat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                     a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                     a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                     a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

static dp_quat back(dp_quat a)
{
    return (dp_quat){a.w, -a.x, -a.y, -a.z};
}

static dp_quat quat_of(dp_v3 turn)
{
    const double angle = length(turn);
    const double s = angle > 0.0 ? sin(0.5 * angle) / angle : 0.5;
    return (dp_quat){cos(0.5 * angle), s * turn.x, s * turn.y, s * turn.z};
}

// The shorter of the two turns that end there.
static dp_v3 turn_of(dp_quat a)
{
    const dp_v3 axis = {a.x, a.y, a.z};
    const double sine = length(axis);
    if (sine == 0.0) {
        return axis;
    }
    return scaled(2.0 * (a.w < 0.0 ? -atan2(sine, -a.w) : atan2(sine, a.w)) / sine, axis);
}

static dp_v3 rotate(dp_quat a, dp_v3 r)
{
    const dp_quat t = turned(turned(a, (dp_quat){0.0, r.x, r.y, r.z}), back(a));
    return (dp_v3){t.x, t.y, t.z};
}

double arm_distance(dp_pose a, dp_pose b)
{
    return length(add(b.p, -1.0, a.p));
}

double arm_angle(dp_pose a, dp_pose b)
{
    return length(turn_of(turned(b.q, back(a.q))));
}

dp_pose arm_relative(dp_pose X_WA, dp_pose X_WB)
{
    return (dp_pose){turned(back(X_WA.q), X_WB.q), rotate(back(X_WA.q), add(X_WB.p, -1.0, X_WA.p))};
}

// --- the arm ------------------------------------------------------------------------------------

struct arm_control {
    const dp_model *m;
    const arm_keyframe *keyframe;
    int count;
    dp_joint_id joint[ARM_JOINTS], finger[ARM_FINGERS];
    int q[ARM_JOINTS], v[ARM_JOINTS], motor[ARM_JOINTS]; // where their numbers are
    int grip;                                            // its motor
    dp_site_id tool;
    dp_body_id hand;

    arm_state state;
    dp_pose from, to;        // of this keyframe
    double since, seconds;   // [s] on the way, and of all the way
    double rest[ARM_JOINTS]; // [rad] where joints go as far as the tool leaves them free
    double a[ARM_JOINTS];    // [rad/s²] wanted
    double press;            // [N] of the motor of the fingers
    double payload;          // [kg] in the hand, as it was weighed
    double carried;          // [N] load when this keyframe began
    dp_data *scratch;        // another state of the model, to think about
    double *jacobian, *accelerations, *forces; // 6 nv, nv, nv
};

// Follow joints with 6 Hz, critically damped.
static const double kp = 1600.0, kd = 80.0;
static const double damping = 0.02;     // [m/rad] of least squares
static const double posture = 1.0;      // [1/s] towards `rest`
static const double close_speed = 0.05; // [m/s]
static const double touch = 1.0;        // [N] of a finger that feels something
static const double force_rate = 15.0;  // [1/s] at which fingers come to their force
static const double calm = 0.2;         // [s] before something is weighed
static const double patience = 2.0;     // [s]

static dp_status find(arm_control *c)
{
    const dp_model *m = c->m;
    char name[24];
    dp_actuator_id motor;
    for (int k = 0; k < ARM_JOINTS; ++k) {
        snprintf(name, sizeof name, "joint_%d", k + 1);
        ARM_TRY(dp_model_find_joint(&c->joint[k], m, name));
        c->q[k] = dp_model_joint(m, c->joint[k]).q_index;
        c->v[k] = dp_model_joint(m, c->joint[k]).v_index;
        snprintf(name, sizeof name, "motor_%d", k + 1);
        ARM_TRY(dp_model_find_actuator(&motor, m, name));
        c->motor[k] = motor.index;
    }
    c->hand = dp_model_joint(m, c->joint[ARM_JOINTS - 1]).body;
    ARM_TRY(dp_model_find_joint(&c->finger[0], m, "left"));
    ARM_TRY(dp_model_find_joint(&c->finger[1], m, "right"));
    ARM_TRY(dp_model_find_actuator(&motor, m, "grip"));
    c->grip = motor.index;
    ARM_TRY(dp_model_find_site(&c->tool, m, "tool"));
    for (int k = 0; k < c->count; ++k) {
        dp_site_id site;
        if (c->keyframe[k].site) {
            ARM_TRY(dp_model_find_site(&site, m, c->keyframe[k].site));
        }
    }
    return DP_OK;
}

dp_status arm_control_create(arm_control **out, const dp_model *m, const arm_keyframe *keyframe,
                             int count)
{
    const size_t nv = (size_t)dp_model_sizes(m)->nv;
    arm_control *c = calloc(1, sizeof *c);
    *out = NULL;
    if (!c) {
        return DP_ERROR_MEMORY;
    }
    c->m = m;
    c->keyframe = keyframe;
    c->count = count;
    c->jacobian = calloc(8 * nv, sizeof *c->jacobian);
    dp_status status = c->jacobian ? find(c) : DP_ERROR_MEMORY;
    if (status == DP_OK) {
        c->accelerations = c->jacobian + 6 * nv;
        c->forces = c->jacobian + 7 * nv;
        status = dp_data_create(&c->scratch, m, NULL);
    }
    if (status != DP_OK) {
        arm_control_destroy(c);
        return status;
    }
    *out = c;
    return DP_OK;
}

void arm_control_destroy(arm_control *c)
{
    if (c) {
        dp_data_destroy(c->scratch);
        free(c->jacobian);
        free(c);
    }
}

const arm_state *arm_control_state(const arm_control *c)
{
    return &c->state;
}

dp_joint_id arm_control_joint(const arm_control *c, int k)
{
    return c->joint[k];
}

dp_pose arm_control_tool(const arm_control *c, const dp_data *d)
{
    return dp_site_pose(d, c->tool);
}

// --- keyframes ----------------------------------------------------------------------------------

// Set out for the keyframe of the state, from what is wanted now.
static dp_status set_out(arm_control *c)
{
    const arm_keyframe *next = &c->keyframe[c->state.keyframe];
    c->from = c->to = c->state.tool;
    if (next->site) {
        dp_site_id site;
        ARM_TRY(dp_model_find_site(&site, c->m, next->site));
        const dp_pose at = dp_site_pose(c->scratch, site); // it is fixed: any state will do
        c->to = (dp_pose){turned(quat_of(next->turn), at.q), add(at.p, 1.0, next->offset)};
    }
    c->since = 0.0;
    c->seconds = next->seconds;
    c->carried = c->state.load;
    return DP_OK;
}

static bool felt(const arm_control *c, const arm_keyframe *k)
{
    const double *squeeze = c->state.squeeze;
    switch (k->wait) {
    case ARM_NOTHING:
        return true;
    case ARM_GRASPED:
        return squeeze[0] > 0.9 * k->grip && squeeze[1] > 0.9 * k->grip;
    case ARM_WEIGHED:
        return c->since >= k->seconds + calm;
    case ARM_STANDS:
        return c->state.load < 0.2 * c->carried;
    case ARM_OPEN:
        return squeeze[0] < touch && squeeze[1] < touch;
    }
    return false;
}

// After h: is this keyframe behind us?
static dp_status go_on(arm_control *c, double h)
{
    const arm_keyframe *k = &c->keyframe[c->state.keyframe];
    c->since += h;
    const bool arrived = c->since >= k->seconds;
    if (felt(c, k) && (arrived || k->wait == ARM_STANDS)) {
        if (k->wait == ARM_WEIGHED) {
            c->payload = c->state.load / length(dp_data_options(c->scratch)->gravity);
        }
        if (!arrived) { // stop where it is, and ask for no acceleration that would do so at once
            memset(c->state.v, 0, sizeof c->state.v);
        }
        c->state.keyframe++;
        return c->state.keyframe < c->count ? set_out(c) : DP_OK;
    }
    c->state.missed = c->since > k->seconds + patience;
    return DP_OK;
}

// The motion of least jerk from one pose to the next.
static dp_pose on_the_way(arm_control *c)
{
    const double x = fmin(c->since / c->seconds, 1.0);
    const double s = x * x * x * (10.0 + x * (6.0 * x - 15.0));
    const double rise = 60.0 * x * (1.0 - x) * (1.0 - 2.0 * x) / (c->seconds * c->seconds);
    const dp_v3 turn = turn_of(turned(c->to.q, back(c->from.q)));
    const dp_v3 way = add(c->to.p, -1.0, c->from.p);
    c->state.acceleration = scaled(rise, way);
    return (dp_pose){turned(quat_of(scaled(s, turn)), c->from.q), add(c->from.p, s, way)};
}

// --- joints -------------------------------------------------------------------------------------

// x with (J Jᵀ + damping²) x = b, by Cholesky. J: 6 × 7.
static void solve_damped(double x[6], double J[6][ARM_JOINTS], const double b[6])
{
    double L[6][6];
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j <= i; ++j) {
            double sum = i == j ? damping * damping : 0.0;
            for (int k = 0; k < ARM_JOINTS; ++k) {
                sum += J[i][k] * J[j][k];
            }
            for (int k = 0; k < j; ++k) {
                sum -= L[i][k] * L[j][k];
            }
            L[i][j] = i == j ? sqrt(sum) : sum / L[j][j];
        }
    }
    for (int i = 0; i < 6; ++i) {
        x[i] = b[i];
        for (int k = 0; k < i; ++k) {
            x[i] -= L[i][k] * x[k];
        }
        x[i] /= L[i][i];
    }
    for (int i = 5; i >= 0; --i) {
        for (int k = i + 1; k < 6; ++k) {
            x[i] -= L[k][i] * x[k];
        }
        x[i] /= L[i][i];
    }
}

// The planned joints go on by h, to where the tool is wanted then: v = v₀ + Jᵀ(J Jᵀ + ε²)⁻¹ (twist
// − J v₀), with v₀ towards rest. Accelerations are what that asks for, and what the errors of the
// joints at the start of the step do.
static dp_status plan(arm_control *c, dp_data *d, double h)
{
    arm_state *s = &c->state;
    const double *q_now = dp_data_q(d), *v_now = dp_data_v(d);
    double *q = dp_data_q(c->scratch);
    for (int k = 0; k < ARM_JOINTS; ++k) {
        q[c->q[k]] = s->q[k];
    }
    ARM_TRY(dp_kinematics(c->scratch));
    const dp_pose tool = dp_site_pose(c->scratch, c->tool);
    s->tool = on_the_way(c);
    const dp_v3 turn = turn_of(turned(s->tool.q, back(tool.q))), way = add(s->tool.p, -1.0, tool.p);
    const double twist[6] = {turn.x / h, turn.y / h, turn.z / h, way.x / h, way.y / h, way.z / h};

    const int nv = dp_model_sizes(c->m)->nv;
    dp_body_jacobian(c->jacobian, c->scratch, c->hand, tool.p);
    double J[6][ARM_JOINTS], free[ARM_JOINTS], b[6], x[6];
    for (int k = 0; k < ARM_JOINTS; ++k) {
        free[k] = posture * (c->rest[k] - s->q[k]);
    }
    for (int i = 0; i < 6; ++i) {
        b[i] = twist[i];
        for (int k = 0; k < ARM_JOINTS; ++k) {
            J[i][k] = c->jacobian[i * nv + c->v[k]];
            b[i] -= J[i][k] * free[k];
        }
    }
    solve_damped(x, J, b);
    for (int k = 0; k < ARM_JOINTS; ++k) {
        double v = free[k];
        for (int i = 0; i < 6; ++i) {
            v += J[i][k] * x[i];
        }
        c->a[k] =
            (v - s->v[k]) / h + kp * (s->q[k] - q_now[c->q[k]]) + kd * (s->v[k] - v_now[c->v[k]]);
        s->v[k] = v;
        s->q[k] += h * v;
    }
    return DP_OK;
}

// Torques that make the joints follow: inverse dynamics of the arm as it stands, with a point mass
// in its hand once it has weighed something.
static dp_status follow(arm_control *c, dp_data *d)
{
    const dp_model_size *size = dp_model_sizes(c->m);
    const double *q = dp_data_q(d), *v = dp_data_v(d);
    memcpy(dp_data_q(c->scratch), q, (size_t)size->nq * sizeof *q);
    memcpy(dp_data_v(c->scratch), v, (size_t)size->nv * sizeof *v);
    for (int k = 0; k < ARM_JOINTS; ++k) {
        c->accelerations[c->v[k]] = c->a[k];
    }
    ARM_TRY(dp_kinematics(c->scratch));
    const dp_v3 gravity = dp_data_options(d)->gravity;
    const dp_v3 force = scaled(c->payload, add(gravity, -1.0, c->state.acceleration));
    const dp_v3 arm =
        add(dp_site_pose(c->scratch, c->tool).p, -1.0, dp_inertial_pose(c->scratch, c->hand).p);
    *dp_data_wrench(c->scratch, c->hand) = (dp_wrench){cross(arm, force), force};
    ARM_TRY(dp_inverse_dynamics(c->forces, c->scratch, c->accelerations));
    for (int k = 0; k < ARM_JOINTS; ++k) {
        dp_data_control(d)[c->motor[k]] = c->forces[c->v[k]];
    }
    return DP_OK;
}

// --- fingers ------------------------------------------------------------------------------------

static void feel(arm_control *c, const dp_data *d)
{
    c->state.load = 0.0;
    for (int k = 0; k < ARM_FINGERS; ++k) {
        const dp_body_id body = dp_model_joint(c->m, c->finger[k]).body;
        const dp_v3 force = dp_contact_on_body(d, body, (dp_v3){0}).f;
        c->state.squeeze[k] = 0.0 - dot(force, dp_joint_axis(d, c->finger[k]));
        c->state.load -= force.z;
    }
}

// Open by a servo; close at a speed until both feel something, then at a rate towards the force.
static void grip(arm_control *c, dp_data *d, double h)
{
    const dp_joint_info left = dp_model_joint(c->m, c->finger[0]);
    const double q = dp_data_q(d)[left.q_index], v = dp_data_v(d)[left.v_index];
    const double *squeeze = c->state.squeeze;
    const double wanted = c->state.keyframe < c->count ? c->keyframe[c->state.keyframe].grip : 0.0;
    if (wanted == 0.0) {
        c->payload = 0.0;
        c->press = 200.0 * (left.range[0] - q) - 30.0 * v;
    } else if (squeeze[0] < touch || squeeze[1] < touch) {
        c->press += force_rate * h * (60.0 * (close_speed - v) - c->press);
    } else {
        c->press += force_rate * h * (2.0 * wanted - squeeze[0] - squeeze[1]);
    }
    dp_data_control(d)[c->grip] = c->press;
}

// --- both ---------------------------------------------------------------------------------------

dp_status arm_control_start(arm_control *c, dp_data *d)
{
    const int nv = dp_model_sizes(c->m)->nv;
    c->state = (arm_state){0};
    for (int k = 0; k < ARM_JOINTS; ++k) {
        c->state.q[k] = c->rest[k] = dp_data_q(d)[c->q[k]];
        c->a[k] = 0.0;
    }
    memset(c->accelerations, 0, (size_t)nv * sizeof *c->accelerations);
    c->press = c->payload = 0.0;
    ARM_TRY(dp_data_copy(c->scratch, d));
    ARM_TRY(dp_kinematics(c->scratch));
    c->state.tool = dp_site_pose(c->scratch, c->tool);
    return set_out(c);
}

dp_status arm_control_update(arm_control *c, dp_data *d)
{
    const double h = dp_data_options(d)->step;
    feel(c, d);
    if (c->state.keyframe < c->count && !c->state.missed) {
        ARM_TRY(go_on(c, h));
    }
    ARM_TRY(plan(c, d, h));
    grip(c, d, h);
    return follow(c, d);
}
