// Every sensor that both have, against MuJoCo.
#include "mujoco_pair.h"

#include <math.h>

/// How great the values of a sensor can be in the present state: its natural unit of comparison.
static double sensor_scale(const mujoco_pair *p, dp_sensor_kind kind)
{
    const pair_scale *s = &p->scale;
    switch (kind) {
    case DP_SENSOR_FRAME_POSITION:
    case DP_SENSOR_SUBTREE_COM:
        return s->length;
    case DP_SENSOR_VELOCIMETER:
    case DP_SENSOR_GYRO:
    case DP_SENSOR_FRAME_LINEAR_VELOCITY:
    case DP_SENSOR_FRAME_ANGULAR_VELOCITY:
    case DP_SENSOR_SUBTREE_LINEAR_VELOCITY:
        return s->velocity * fmax(1.0, s->length);
    case DP_SENSOR_SUBTREE_ANGULAR_MOMENTUM:
        return s->mass * s->velocity * s->length;
    case DP_SENSOR_ACCELEROMETER:
    case DP_SENSOR_FRAME_LINEAR_ACCELERATION:
    case DP_SENSOR_FRAME_ANGULAR_ACCELERATION:
        return s->acceleration * fmax(1.0, s->length);
    case DP_SENSOR_FORCE:
    case DP_SENSOR_TORQUE:
        return s->wrench * fmax(1.0, s->length);
    case DP_SENSOR_FRAME_QUATERNION:
    case DP_SENSOR_FRAME_X_AXIS:
    case DP_SENSOR_FRAME_Y_AXIS:
    case DP_SENSOR_FRAME_Z_AXIS:
    case DP_SENSOR_MAGNETOMETER:
        return 1.0;
    default: // coordinates, actuators, time: to the last digits of the value itself
        return 0.0;
    }
}

static void same_values(mujoco_pair *p)
{
    for (int i = 0; i < p->size->nsensor; ++i) {
        const dp_sensor_info info = dp_model_sensor(p->m, (dp_sensor_id){i});
        const int s = p->sensor[i];
        assert_int_equal(info.ndata, p->their_m->sensor_dim[s]);
        const double *theirs = p->their->sensordata + p->their_m->sensor_adr[s];
        double ours[4];
        mju_copy(ours, dp_data_sensors(p->d) + info.data_index, info.ndata);
        if (info.kind == DP_SENSOR_FRAME_QUATERNION && mju_dot(theirs, ours, 4) < 0.0) {
            mju_scl(ours, ours, -1.0, 4); // q and −q are one rotation
        }
        assert_agree(p, dp_sensor_kind_name(info.kind), info.name, info.ndata, theirs, ours,
                     sensor_scale(p, info.kind));
    }
}

static void sensors_read_the_same(void **state)
{
    on_every_pair_and_state(state, same_values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sensors_read_the_same),
    };
    return cmocka_run_group_tests(tests, open_all_pairs, close_all_pairs);
}
