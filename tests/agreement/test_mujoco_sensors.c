// Every sensor that both have, against MuJoCo.
#include "mujoco_pair.h"

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
                     pair_sensor_scale(p, info.kind));
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
