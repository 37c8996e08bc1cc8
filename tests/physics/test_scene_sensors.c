// Sensors that ask the scene and its contacts, against closed forms.
#include "mechanism.h"

#include <dashpot/format.h>

#include <math.h>
#include <string.h>

static const double ROUND_OFF = 1e-12;

static mechanism load(const char *text)
{
    dp_spec *spec;
    assert_ok(dp_mjcf_parse(&spec, NULL, text, strlen(text), "a.xml", NULL));
    return mechanism_from(spec);
}

static void assert_values(mechanism *x, const char *sensor, const double *expected, int n,
                          double tolerance)
{
    const double *got = mechanism_sense(x, sensor);
    for (int i = 0; i < n; ++i) {
        assert_near(got[i], expected[i], tolerance);
    }
}

#define READS(x, sensor, tolerance, ...)                                                           \
    assert_values(x, sensor, (const double[]){__VA_ARGS__},                                        \
                  (int)(sizeof(double[]){__VA_ARGS__} / sizeof(double)), tolerance)

static void a_rangefinder_reads_the_distance_along_its_axis(void **state)
{
    (void)state;
    mechanism x = load(
        "<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1'/>"
        "<geom name='mist' type='box' size='1 1 0.1' pos='0 0 1' rgba='1 1 1 0'/>"
        "<geom name='ball' size='0.5' pos='10 0 2'/>"
        "<body pos='0 0 2'><joint axis='0 1 0'/><geom size='0.2'/>"
        "<site name='down' euler='180 0 0'/><site name='slanted' euler='120 0 0'/>"
        "<site name='up'/><site name='east' euler='0 90 0'/></body>"
        "<body pos='0 50 2'><freejoint/><geom name='room' type='box' size='1 2 3'/></body>"
        "<body pos='0.5 51 2'><freejoint/><geom size='0.1'/><site name='inside' euler='0 90 0'/>"
        "</body></worldbody><sensor>"
        "<rangefinder name='down' site='down'/><rangefinder name='slanted' site='slanted'/>"
        "<rangefinder name='up' site='up'/>"
        "<rangefinder name='east' site='east' data='dist dir origin point normal depth'/>"
        "<rangefinder name='near' site='east' cutoff='3'/>"
        "<rangefinder name='inside' site='inside'/></sensor></mujoco>");
    READS(&x, "down", ROUND_OFF, 2.0); // neither by its own ball nor by what is transparent
    READS(&x, "slanted", ROUND_OFF, 4.0);
    READS(&x, "up", ROUND_OFF, -1.0);
    READS(&x, "east", ROUND_OFF, 9.5, 1.0, 0.0, 0.0, 0.0, 0.0, 2.0, 9.5, 0.0, 2.0, -1.0, 0.0, 0.0,
          9.5);
    READS(&x, "near", ROUND_OFF, 3.0);
    READS(&x, "inside", ROUND_OFF, 0.5); // where it leaves the room
    mechanism_end(&x);
}

static void distances_are_those_of_the_nearest_surfaces(void **state)
{
    (void)state;
    mechanism x =
        load("<mujoco><worldbody><body name='a'><freejoint/><geom name='a1' size='0.5'/>"
             "<geom name='a2' size='0.5' pos='-2 0 0'/></body>"
             "<body name='b' pos='3 0 0'><freejoint/><geom name='b1' size='1'/>"
             "<geom name='b2' size='0.7' pos='-2 0 0'/></body></worldbody><sensor>"
             "<distance name='d' geom1='a1' geom2='b1' cutoff='5'/>"
             "<normal name='n' geom1='b1' geom2='a1' cutoff='5'/>"
             "<fromto name='s' geom1='a1' geom2='b1' cutoff='5'/>"
             "<distance name='far' geom1='a2' geom2='b1' cutoff='0.3'/>"
             "<normal name='far_n' geom1='a2' geom2='b1' cutoff='0.3'/>"
             "<distance name='in' body1='a' body2='b'/><normal name='in_n' body1='a' body2='b'/>"
             "<fromto name='in_s' body1='a' geom2='b2'/></sensor></mujoco>");
    READS(&x, "d", ROUND_OFF, 1.5);
    READS(&x, "n", ROUND_OFF, -1.0, 0.0, 0.0);
    READS(&x, "s", ROUND_OFF, 0.5, 0.0, 0.0, 2.0, 0.0, 0.0);
    READS(&x, "far", ROUND_OFF, 0.3);
    READS(&x, "far_n", ROUND_OFF, 0.0, 0.0, 0.0);
    // a1 and b2 overlap by 0.2: from the surface of a1, at 0.5, to that of b2, at 0.3
    READS(&x, "in", ROUND_OFF, -0.2);
    READS(&x, "in_n", ROUND_OFF, -1.0, 0.0, 0.0);
    READS(&x, "in_s", ROUND_OFF, 0.5, 0.0, 0.0, 0.3, 0.0, 0.0);
    mechanism_end(&x);
}

// A box of 8 kg on the floor and a ball of 2 kg on top of it, at rest.
static const char stack[] =
    "<mujoco><option timestep='0.01'/><worldbody><geom name='floor' type='plane' size='1 1 1'/>"
    "<body name='box' pos='0 0 0.5'><freejoint/>"
    "<geom name='box' type='box' size='0.5 0.4 0.5' mass='8'/>"
    "<site name='corner' pos='0.5 0.4 -0.5' size='0.1'/></body>"
    "<body name='ball' pos='0.2 0 1.25'><freejoint/>"
    "<geom name='ball' size='0.25' mass='2'/></body></worldbody><sensor>"
    "<contact name='top' geom1='box' geom2='ball' data='found force dist pos normal'/>"
    "<contact name='bottom' geom1='ball' body2='box' data='found force dist pos normal'/>"
    "<contact name='all' data='found' num='2'/>"
    "<contact name='corner' site='corner' data='found normal'/>"
    "<contact name='feet' body1='world' subtree2='box' num='6' reduce='maxforce' "
    "data='found force'/>"
    "<contact name='sum' body1='box' geom2='floor' reduce='netforce' "
    "data='found force torque pos normal tangent'/>"
    "<contact name='none' geom1='ball' geom2='floor' num='2' data='found pos'/>"
    "</sensor></mujoco>";

static void a_contact_sensor_reads_forces_in_the_frame_of_the_contact(void **state)
{
    (void)state;
    mechanism x = load(stack);
    mechanism_steps(&x, 300);
    const double weight = 2.0 * 9.81, rest = 1e-6; // of what is at rest, after 3 s
    const double *top = mechanism_sense(&x, "top");
    READS(&x, "top", 1e-4, 1.0, weight, 0.0, 0.0, 0.0, 0.2, 0.0, 1.0, 0.0, 0.0, 1.0);
    assert_true(top[4] < 0.0 && top[4] > -1e-4); // it overlaps
    READS(&x, "bottom", 1e-4, 1.0, weight, 0.0, 0.0, 0.0, 0.2, 0.0, 1.0, 0.0, 0.0, -1.0);
    READS(&x, "all", 0.0, 5.0, 5.0);
    READS(&x, "corner", rest, 1.0, 0.0, 0.0, 1.0);
    READS(&x, "none", 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
    mechanism_end(&x);
}

static void contacts_are_sorted_and_summed(void **state)
{
    (void)state;
    mechanism x = load(stack);
    mechanism_steps(&x, 300);
    const double *feet = mechanism_sense(&x, "feet");
    double sum = 0.0;
    for (int k = 0; k < 4; ++k) {
        assert_near(feet[4 * k], 4.0, 0.0);
        assert_true(k == 0 || feet[4 * k + 1] <= feet[4 * k - 3]);
        sum += feet[4 * k + 1];
    }
    assert_near(sum, 10.0 * 9.81, 1e-3);
    for (int i = 16; i < 24; ++i) {
        assert_near(feet[i], 0.0, 0.0);
    }
    // The force that the box does to the floor, where the weight of both acts.
    const double *all = mechanism_sense(&x, "sum");
    READS(&x, "sum", 1e-3, 4.0, 0.0, 0.0, -10.0 * 9.81);
    assert_near(all[7], 2.0 * 0.2 / 10.0, 1e-3);
    assert_near(all[4], 0.0, 1e-3);
    assert_near(all[5], 0.0, 1e-3);
    READS(&x, "sum", 100.0, 4.0);
    assert_near(all[10], 1.0, 0.0);
    assert_near(all[14], 1.0, 0.0);
    mechanism_end(&x);
}

static void what_is_inside_of_a_site_is_seen_there(void **state)
{
    (void)state;
    mechanism x = load(
        "<mujoco><option gravity='0 0 0'/><worldbody>"
        "<site name='gate' type='box' size='0.5 0.1 1' pos='1 0 0' euler='0 0 90'/>"
        "<body name='cart'><joint type='slide' axis='1 0 0'/><geom size='0.1'/></body></worldbody>"
        "<sensor><insidesite name='in' site='gate' objtype='xbody' objname='cart'/>"
        "<user name='mine' dim='2'/></sensor></mujoco>");
    const double way[] = {0.0, 0.89, 0.91, 1.09, 1.11}, inside[] = {0.0, 0.0, 1.0, 1.0, 0.0};
    for (int i = 0; i < 5; ++i) {
        dp_data_q(x.d)[0] = way[i];
        READS(&x, "in", 0.0, inside[i]);
    }
    READS(&x, "mine", 0.0, 0.0, 0.0);
    mechanism_end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rangefinder_reads_the_distance_along_its_axis),
        cmocka_unit_test(distances_are_those_of_the_nearest_surfaces),
        cmocka_unit_test(a_contact_sensor_reads_forces_in_the_frame_of_the_contact),
        cmocka_unit_test(contacts_are_sorted_and_summed),
        cmocka_unit_test(what_is_inside_of_a_site_is_seen_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
