// The program on scenes of several files and with a floor: --add, --ground.
#include "near.h"
#include "program_run.h"
#include "text_file.h"

#include <stdio.h>
#include <string.h>

#define SCRATCH(name) DP_SCRATCH "/compose_" name

#define BOX(name, mass, origin)                                                                    \
    "<robot name='r'><link name='" name "'><inertial><mass value='" mass                           \
    "'/><inertia ixx='1' iyy='1' izz='1'/></inertial><collision><origin xyz='" origin              \
    "'/><geometry><box size='0.2 0.2 0.2'/></geometry></collision></link></robot>"
#define ARM                                                                                        \
    "<mujoco><worldbody><body name='base' pos='0 0 0.5'><geom name='g' size='0.1'/>"               \
    "<body name='arm'><joint name='hinge' axis='0 1 0'/>"                                          \
    "<geom type='capsule' fromto='0 0 0 0 0 -0.8' size='0.05'/></body></body></worldbody>"         \
    "<keyframe><key name='out' qpos='1'/></keyframe></mujoco>"

static int write_files(void **state)
{
    (void)state;
    write_text(SCRATCH("box.urdf"), BOX("box", "1", "0 0 0.3"));
    write_text(SCRATCH("arm.xml"), ARM);
    write_text(SCRATCH("floor.xml"), "<mujoco><worldbody><geom name='tiles' type='plane' "
                                     "size='1 1 1'/><body><freejoint/><geom size='1'/></body>"
                                     "</worldbody></mujoco>");
    return 0;
}

static void assert_in(const char *words, const char *text)
{
    if (!strstr(text, words)) {
        fail_msg("'%s' is not in\n%s", words, text);
    }
}

static void a_robot_that_floats_stands_on_the_ground(void **state)
{
    (void)state;
    const program_result *r =
        RUN("run", SCRATCH("box.urdf"), "--ground", "--floating", "--seconds", "0.5", "--json");
    assert_int_equal(r->code, 0);
    assert_in("note: --ground: a plane at z = 0 m; what floats was moved by -0.2 m along z",
              r->err);
    r = RUN("check", SCRATCH("box.urdf"), "--ground", "--floating", "--contacts", "--margin",
            "1e-9");
    assert_int_equal(r->code, 0);
    assert_in("ground", r->out);
    r = RUN("run", SCRATCH("box.urdf"), "--ground", "--floating", "-q");
    assert_string_equal(r->err, "");
}

static void on_the_ground_contact_is_enabled(void **state)
{
    (void)state;
    write_text(SCRATCH("off.xml"),
               "<mujoco><option><flag contact='disable'/></option><worldbody><body pos='0 0 1'>"
               "<freejoint/><geom size='.1'/></body></worldbody></mujoco>");
    const program_result *r = RUN("run", SCRATCH("off.xml"), "--ground", "--seconds", "0.5");
    assert_int_equal(r->code, 0);
    assert_in("contact, which the file disables, is enabled", r->err);
    assert_in("contact force", r->out);
}

static void the_ground_is_below_what_the_base_holds(void **state)
{
    (void)state;
    const program_result *r = RUN("check", SCRATCH("arm.xml"), "--ground");
    assert_int_equal(r->code, 0);
    assert_in("a plane at z = -0.35 m, below what the base holds", r->err);
}

static void a_floor_that_is_there_is_enough(void **state)
{
    (void)state;
    const program_result *r = RUN("check", SCRATCH("floor.xml"), "--ground");
    assert_int_equal(r->code, 0);
    assert_in("the scene has a floor, 'tiles'; no other one is added", r->err);
}

static void files_are_added_at_their_places(void **state)
{
    (void)state;
    const program_result *r = RUN("convert", SCRATCH("arm.xml"), "-", "-q", "--ground", "--add",
                                  SCRATCH("box.urdf") "@1,2,3", "--add",
                                  SCRATCH("box.urdf") "@0,0,1,0,0,1.5707963267948966,floating");
    assert_int_equal(r->code, 0);
    assert_in("<body name=\"box\" pos=\"1 2 3\"", r->out);
    assert_in("<body name=\"compose_box/box\" pos=\"0 0 1\"", r->out);
    assert_in("name=\"compose_box/box_free_joint\"", r->out);
    assert_in("type=\"plane\"", r->out);
    r = RUN("run", SCRATCH("arm.xml"), "--add", SCRATCH("box.urdf") "@3,0,1,floating", "--keyframe",
            "out", "--seconds", "0.01", "--json");
    assert_int_equal(r->code, 0);
    assert_in("\"nv\": 7", r->out);
    static const char *const commands[] = {"check", "bench", "compare"};
    for (int i = 0; i < 3; ++i) {
        r = RUN(commands[i], SCRATCH("arm.xml"), "--add", SCRATCH("box.urdf") "@3,0,1,floating",
                i > 0 ? "--seconds" : NULL, "0.1", "--json");
        assert_int_equal(r->code, 0);
    }
}

static void what_cannot_be_added_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *added, *message;
    } bad[] = {
        {SCRATCH("box.urdf") "@1,2", "(expected FILE, FILE@x,y,z or FILE@x,y,z,roll,pitch,yaw"},
        {SCRATCH("box.urdf") "@1,2,x", "expected FILE"},
        {SCRATCH("box.urdf") "@1,2,3,4,5,6,7", "expected FILE"},
        {SCRATCH("box.urdf") "@floating", "expected FILE"},
        {"@1,2,3", "expected FILE"},
        {SCRATCH("none.urdf") "@1,2,3", "none.urdf"},
        {SCRATCH("bad.urdf"), "compose_bad.urdf:1: "},
    };
    write_text(SCRATCH("bad.urdf"), "<robot><link/></robot>");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        static const char *const commands[] = {"run", "check"};
        for (int k = 0; k < 2; ++k) {
            const program_result *r = RUN(commands[k], SCRATCH("arm.xml"), "--add", bad[i].added);
            assert_int_equal(r->code, 2);
            assert_in(bad[i].message, r->err);
        }
    }
}

// An added file may ask for what is not simulated, too.
static void what_an_added_file_lacks_is_named(void **state)
{
    (void)state;
    write_text(SCRATCH("flex.xml"), "<mujoco><worldbody><flexcomp name='f' type='grid' "
                                    "count='2 2 2'/></worldbody></mujoco>");
    const program_result *r = RUN("run", SCRATCH("arm.xml"), "--add", SCRATCH("flex.xml"));
    assert_int_equal(r->code, 2);
    assert_in("add --allow flex", r->err);
    write_text(SCRATCH("flawed.urdf"),
               "<robot name='r'><link name='a'><inertial><mass value='1'/>"
               "<inertia ixx='1' iyy='1' izz='5'/></inertial></link></robot>");
    r = RUN("run", SCRATCH("arm.xml"), "--add", SCRATCH("flawed.urdf") "@1,1,1,floating",
            "--seconds", "0.01");
    assert_int_equal(r->code, 0);
    assert_in("compose_flawed.urdf:1: <inertia>: no mass has these moments", r->err);
    r = RUN("check", SCRATCH("arm.xml"), "--add", SCRATCH("flawed.urdf") "@1,1,1,floating");
    assert_in("Import of " SCRATCH("flawed.urdf"), r->out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_robot_that_floats_stands_on_the_ground),
        cmocka_unit_test(on_the_ground_contact_is_enabled),
        cmocka_unit_test(the_ground_is_below_what_the_base_holds),
        cmocka_unit_test(a_floor_that_is_there_is_enough),
        cmocka_unit_test(files_are_added_at_their_places),
        cmocka_unit_test(what_cannot_be_added_is_refused),
        cmocka_unit_test(what_an_added_file_lacks_is_named),
    };
    return cmocka_run_group_tests(tests, write_files, NULL);
}
