// Touch sensors beside MuJoCo's, of things at rest. Contacts give differently in the two, but what
// they bear follows from weights and arms alone; who is felt by which site is the same rule.
#include "mechanism.h"
#include "mujoco_pair.h"
#include "text_file.h"

// A foot with a ball on its toe, without friction between the two: it could hold the foot level.
// Beside them a post on a slide.
static const char scene[] =
    "<mujoco><option timestep='0.002'/><default><geom friction='1'/><site size='0.02 0.02 0.02'/>"
    "</default><worldbody><geom name='floor' type='plane' size='0 0 1'/>"
    "<site name='ground' type='box' size='1 1 0.01'/>"
    "<body name='foot' pos='0 0 0.05'><freejoint name='foot'/>"
    "<geom type='box' size='0.2 0.1 0.05' mass='3'/>"
    "<site name='sole' type='box' size='0.21 0.11 0.01' pos='0 0 -0.05'/>"
    "<site name='toe' type='box' pos='0.2 0 -0.05' size='0.02 0.12 0.01'/>"
    "<site name='heel' type='cylinder' pos='-0.2 0 -0.05' size='0.03 0.12' euler='90 0 0'/>"
    "<site name='corner' type='sphere' pos='0.2 0.1 -0.05'/>"
    "<site name='both' type='capsule' fromto='0.2 -0.1 -0.05 0.2 0.1 -0.05' size='0.015'/>"
    "<site name='round' type='ellipsoid' pos='0 0 -0.05' size='0.23 0.3 0.02'/>"
    "<site name='below' type='box' pos='0 0 -0.2' size='0.21 0.11 0.01'/>"
    "<site name='within' type='box' size='0.21 0.11 0.01'/>"
    "<site name='top' pos='0.1 0 0.05' size='0.03'/></body>"
    "<body name='ball' pos='0.1 0 0.15'><joint name='ball' type='slide' axis='0 0 1'/>"
    "<geom type='sphere' size='0.05' mass='2' condim='1' priority='1'/>"
    "<site name='skin' size='0.06'/></body>"
    "<body name='post' pos='1 0 0.3'><joint name='post' type='slide' axis='0 0 1'/>"
    "<geom type='capsule' size='0.1 0.2' mass='5'/><site name='tip' pos='0 0 -0.3'/></body>"
    "</worldbody><sensor>"
    "<touch name='ground' site='ground'/><touch name='sole' site='sole'/>"
    "<touch name='toe' site='toe'/><touch name='heel' site='heel'/>"
    "<touch name='corner' site='corner'/><touch name='both' site='both'/>"
    "<touch name='round' site='round'/><touch name='below' site='below'/>"
    "<touch name='within' site='within'/><touch name='top' site='top'/>"
    "<touch name='skin' site='skin'/><touch name='tip' site='tip'/>"
    "<touch name='cut' site='tip' cutoff='10'/></sensor></mujoco>";

static void with_contact(dp_spec *spec)
{
    dp_spec_options(spec)->disable_contact = false; // a pair has none
}

static void loads_at_rest_are_the_same_on_every_shape_of_site(void **state)
{
    (void)state;
    static const char path[] = DP_SCRATCH "/touch_sensors.xml";
    write_text(path, scene);
    mujoco_pair p = {.nstate = 0};
    pair_open(&p, path, with_contact);
    p.their_m->opt.disableflags &= ~mjDSBL_CONSTRAINT; // a pair has none, and no room for any
    p.their_m->njmax = 500;
    p.their_m->nconmax = 100;
    mj_deleteData(p.their);
    p.their = mj_makeData(p.their_m);
    const mjModel *their_m = p.their_m;
    mjData *their = p.their;
    mechanism x = {.m = p.m, .d = p.d};
    for (int i = 0; i < 5000; ++i) {
        mj_step(their_m, their);
    }
    mj_forward(their_m, their);
    mechanism_steps(&x, 5000);

    int felt = 0;
    for (int s = 0; s < their_m->nsensor; ++s) {
        const char *name = mj_id2name(their_m, mjOBJ_SENSOR, s);
        const double ours = mechanism_sense(&x, name)[0], theirs = their->sensordata[s];
        felt += ours > 0.0;
        // MuJoCo's bodies sink by about a millimetre and tilt, which shifts the arms of 0.1 m
        assert_near(ours, theirs, 1e-3 * (1.0 + theirs));
    }
    assert_int_equal(felt, their_m->nsensor - 1); // not "within", from which normals lead away
    const double g = 9.81;
    assert_near(mechanism_sense(&x, "ground")[0], 10.0 * g, 1e-6);
    assert_near(mechanism_sense(&x, "sole")[0], 5.0 * g, 1e-6);
    assert_near(mechanism_sense(&x, "top")[0], 2.0 * g, 1e-6);
    assert_near(mechanism_sense(&x, "toe")[0], 1.5 * g + 1.5 * g, 1e-4); // 2 kg at three quarters
    assert_near(mechanism_sense(&x, "cut")[0], 10.0, 0.0);
    pair_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_at_rest_are_the_same_on_every_shape_of_site),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
