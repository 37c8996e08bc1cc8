// Sensors on limits beside MuJoCo's: gap and rate of the end that is passed. Forces differ, since
// MuJoCo's limits are soft and ours rigid; who pushes is the same.
#include "mechanism.h"
#include "near.h"
#include "text_file.h"

#include <dashpot/format.h>

#include <mujoco/mujoco.h>

#include <math.h>

static const char scene[] =
    "<mujoco><compiler angle='radian'/><option timestep='0.002'/>"
    "<worldbody><site name='hook' pos='0 0 1'/>"
    "<body name='a'><joint name='a' axis='0 1 0' limited='true' range='-1 0.5'/>"
    "<geom size='0.1' pos='0.3 0 0' contype='0' conaffinity='0'/>"
    "<body name='b' pos='0.6 0 0'><joint name='b' type='slide' axis='1 0 0' limited='true'"
    " range='-0.1 0.1'/><geom size='0.1' contype='0' conaffinity='0'/><site "
    "name='eye'/></body></body>"
    "<body name='c' pos='0 1 0'><joint name='c' type='ball' limited='true' range='0 0.4'/>"
    "<geom size='0.1' pos='0 0 0.2' contype='0' conaffinity='0'/></body></worldbody>"
    "<tendon><spatial name='t' limited='true' range='0.9 1.2'><site site='hook'/>"
    "<site site='eye'/></spatial></tendon><sensor>"
    "<jointlimitpos name='pa' joint='a'/><jointlimitvel name='va' joint='a'/>"
    "<jointlimitfrc name='fa' joint='a'/>"
    "<jointlimitpos name='pb' joint='b'/><jointlimitvel name='vb' joint='b'/>"
    "<jointlimitfrc name='fb' joint='b'/>"
    "<jointlimitpos name='pc' joint='c'/><jointlimitvel name='vc' joint='c'/>"
    "<jointlimitfrc name='fc' joint='c'/>"
    "<tendonlimitpos name='pt' tendon='t'/><tendonlimitvel name='vt' tendon='t'/>"
    "<tendonlimitfrc name='ft' tendon='t'/></sensor></mujoco>";

static void gaps_and_rates_of_passed_ends_are_the_same(void **state)
{
    (void)state;
    static const char path[] = DP_SCRATCH "/limit_sensors.xml";
    write_text(path, scene);
    char message[1000];
    mjModel *their_m = mj_loadXML(path, NULL, message, sizeof message);
    if (!their_m) {
        fail_msg("MuJoCo: %s", message);
    }
    mjData *their = mj_makeData(their_m);
    dp_spec *spec;
    const dp_import_options options = dp_import_options_default();
    assert_ok(dp_mjcf_load(&spec, NULL, path, &options));
    mechanism x = mechanism_from(spec);

    random_source random = {7};
    int passed = 0, pushing = 0;
    for (int draw = 0; draw < 200; ++draw) {
        double q[6] = {random_between(&random, -1.5, 1.0), random_between(&random, -0.2, 0.2)};
        double v[5];
        double size = 0.0;
        for (int i = 2; i < 6; ++i) {
            q[i] = i == 2 ? 2.0 : random_between(&random, -1.0, 1.0);
            size += q[i] * q[i];
        }
        for (int i = 2; i < 6; ++i) {
            q[i] /= sqrt(size);
        }
        for (int i = 0; i < 5; ++i) {
            v[i] = random_between(&random, -1.0, 1.0);
        }
        mju_copy(their->qpos, q, 6);
        mju_copy(their->qvel, v, 5);
        mj_forward(their_m, their);
        mechanism_set(&x, q, v);
        for (int s = 0; s < their_m->nsensor; ++s) {
            const char *name = mj_id2name(their_m, mjOBJ_SENSOR, s);
            const double ours = mechanism_sense(&x, name)[0], theirs = their->sensordata[s];
            const double gap = their->sensordata[s - s % 3];
            if (gap == 0.0) {
                continue; // not passed; ours may push already, as it would be in this step
            }
            ++passed;
            if (s % 3 < 2) {
                assert_near(ours, theirs, 1e-12); // round-off of numbers of order 1
            } else {
                pushing += ours > 0.0;
                assert_true(ours >= 0.0);
            }
        }
    }
    assert_true(passed > 300 && pushing > 100);
    mechanism_end(&x);
    mj_deleteData(their);
    mj_deleteModel(their_m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_and_rates_of_passed_ends_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
