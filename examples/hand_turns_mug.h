// What the fingers of scenes/paper/castro_hand.xml are commanded, in open loop: middle finger and
// thumb hold the mug, index and ring finger pull it and push it by turns. The example and `dashpot
// paper t-allegro` both use it, through the public API alone.
#ifndef HAND_TURNS_MUG_H
#define HAND_TURNS_MUG_H

#include <dashpot/dashpot.h>

#include <math.h>
#include <stdio.h>

enum { HAND_FINGERS = 4, HAND_JOINTS = 4, HAND_THUMB = 3 };
static const double hand_period = 1.5; // [s]

// What the motion needs to know, looked up once by name.
typedef struct hand {
    int control[HAND_FINGERS][HAND_JOINTS]; // their places among the controls
    int mug;                                // the first of its coordinates
} hand;

static inline dp_status hand_find(hand *out, const dp_model *model)
{
    static const char *const finger[HAND_FINGERS] = {"index", "middle", "ring", "thumb"};
    static const char *const joint[HAND_JOINTS] = {"turn", "1", "2", "3"};
    for (int i = 0; i < HAND_FINGERS; ++i) {
        for (int k = 0; k < HAND_JOINTS; ++k) {
            char name[16];
            snprintf(name, sizeof name, "%s_%s", finger[i], joint[k]);
            dp_actuator_id servo;
            const dp_status status = dp_model_find_actuator(&servo, model, name);
            if (status != DP_OK) {
                return status;
            }
            out->control[i][k] = servo.index;
        }
    }
    dp_joint_id mug;
    const dp_status status = dp_model_find_joint(&mug, model, "mug");
    if (status == DP_OK) {
        out->mug = dp_model_joint(model, mug).q_index;
    }
    return status;
}

// The angles [rad] that the servos go to at the present time: a grip, into which the fingers press,
// and along it a motion of the tips that keeps their height, to the palm and away from it.
static inline dp_status hand_tell(void *context, dp_data *data)
{
    const hand *h = context;
    static const double grip[2][HAND_JOINTS] = {{0.0, 1.1, 0.75, 0.89}, {0.0, 0.9, 0.9, 1.1}};
    static const double along[HAND_JOINTS] = {0.0, -0.376, 0.48, 0.4};
    static const double share[HAND_FINGERS] = {1.0, 0.0, -1.0, 0.0};
    const double two_pi = 6.283185307179586;
    const double wave = sin(two_pi * dp_data_time(data) / hand_period);
    double *control = dp_data_control(data);
    for (int i = 0; i < HAND_FINGERS; ++i) {
        for (int k = 0; k < HAND_JOINTS; ++k) {
            control[h->control[i][k]] = grip[i == HAND_THUMB][k] + share[i] * wave * along[k];
        }
    }
    return DP_OK;
}

// How far the mug is turned about the vertical [rad].
static inline double hand_mug_angle(const hand *h, dp_data *data)
{
    const double *q = dp_data_q(data) + h->mug; // x, y, z, then w, x, y, z of a quaternion
    return 2.0 * atan2(q[6], q[3]);
}

// Where it is [m].
static inline dp_v3 hand_mug_place(const hand *h, dp_data *data)
{
    const double *q = dp_data_q(data) + h->mug;
    return (dp_v3){q[0], q[1], q[2]};
}

#endif
