// Memory of an import: each allocation made to fail in turn, expat's included. Nothing leaks, sizes
// are given back right, and the cost is bounded by the size of the file.
#include "import_memory.h"
#include "near.h"
#include "text_file.h"

#include <dashpot/format.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// Something of everything.
static const char rich[] =
    "<mujoco model='rich' xmlns:dp='dashpot'>\n"
    "<compiler settotalmass='7' boundmass='.1' angle='radian'/>\n"
    "<option timestep='.01' integrator='implicit'><flag contact='disable'/></option>\n"
    "<dp:option step='.002'/>\n"
    "<visual><map znear='.1'/></visual>\n"
    "<default><joint damping='.1'/><geom size='.1 .2 .3'/><position kp='3'/>\n"
    "<default class='a'><geom type='capsule' size='.2'/></default></default>\n"
    "<asset><material name='red' rgba='1 0 0 1'/><mesh name='t' scale='.1 .2 .3'\n"
    "vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 2 1 0 1 3 0 3 2 1 2 3'/><mesh file='block.obj'/>\n"
    "<hfield name='h' nrow='2' ncol='2' size='1 1 1 1' elevation='1 2 3 4'/>\n"
    "<model name='other' file='other.xml'/></asset>\n"
    "<worldbody><geom type='plane' size='1 1 1'/><light pos='0 0 3'/>\n"
    "<include file='part.xml'/><attach model='other' prefix='o_'/>\n"
    "<geom type='hfield' hfield='h'/><body name='m'><joint springdamper='1 1'/>\n"
    "<geom type='mesh' mesh='t' name='g'/><geom type='mesh' mesh='block'/>\n"
    "<geom type='capsule' mesh='block'/></body>\n"
    "<body name='b' childclass='a'><freejoint/><geom fromto='0 0 0 1 0 0'/>\n"
    "<frame euler='0 1 0'><body name='c'><joint name='j' range='-1 1'/><geom/><site name='s'/>\n"
    "<inertial pos='0 0 0' mass='1' fullinertia='1 2 3 .1 .1 .1'/></body></frame>\n"
    "<replicate count='3' offset='1 0 0'><body name='r'><joint/><geom/></body></replicate>\n"
    "</body></worldbody>\n"
    "<tendon><fixed name='x'><joint joint='j' coef='1'/></fixed><spatial><site site='s'/>\n"
    "<site site='o_s'/></spatial></tendon>\n"
    "<contact><pair geom1='g' geom2='o_g'/><exclude body1='b' body2='m'/></contact>\n"
    "<equality><weld body1='b' solref='.01 1'/><tendon tendon1='x' dp:stiffness='2'/>\n"
    "<dp:distance site1='s' site2='o_s'/><dp:plane body1='b' pos='0 0 1'/></equality>\n"
    "<actuator><position joint='j' name='p'/><muscle joint='j' name='m'/>\n"
    "<motor tendon='x'/></actuator>\n"
    "<dp:force site='s' force='t;;1'/><dp:motion joint='j' position='sin(t)'/>\n"
    "<sensor><gyro site='s'/><actuatorfrc actuator='m'/></sensor>\n"
    "<keyframe><key ctrl='1 2 3' act='3'/></keyframe></mujoco>";

static const char *const allowed[] = {"muscle"};

static dp_status import(const dp_allocator *allocator)
{
    const dp_import_options options = {.allow = allowed, .nallow = 1, .allocator = allocator};
    dp_spec *spec = (dp_spec *)1;
    dp_import_report *report = (dp_import_report *)1;
    const dp_status status =
        dp_mjcf_load(&spec, &report, DP_SCRATCH "/mjcf_memory/rich.xml", &options);
    if (status != DP_OK) {
        assert_null(spec);
    }
    dp_spec_destroy(spec);
    dp_import_report_destroy(report);
    return status;
}

static int write_files(void **state)
{
    (void)state;
    mkdir(DP_SCRATCH "/mjcf_memory", 0777);
    static const struct {
        const char *path, *text;
    } files[] = {
        {DP_SCRATCH "/mjcf_memory/rich.xml", rich},
        {DP_SCRATCH "/mjcf_memory/part.xml", "<any><body name='part'><geom/></body></any>"},
        {DP_SCRATCH "/mjcf_memory/block.obj",
         "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"},
        {DP_SCRATCH "/mjcf_memory/other.xml",
         "<mujoco><option timestep='1'/><worldbody><body name='b'><joint name='j'/><geom name='g' "
         "size='1'/><site name='s'/></body></worldbody><tendon><fixed name='t'><joint joint='j' "
         "coef='1'/></fixed></tendon><equality><joint joint1='j'/></equality><actuator><motor "
         "name='a' tendon='t'/></actuator><sensor><actuatorfrc actuator='a'/></sensor></mujoco>"}};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; ++i) {
        write_text(files[i].path, files[i].text);
    }
    return 0;
}

static void an_import_gives_everything_back(void **state)
{
    (void)state;
    assert_import_gives_back(import);
}

static void each_allocation_of_an_import_may_fail_in_turn(void **state)
{
    (void)state;
    assert_import_survives_each_failure(import);
}

static void memory_is_proportional_to_the_file(void **state)
{
    (void)state;
    static const repeated_file shape[] = {
        {"<mujoco><worldbody>", "<body><joint/><geom size='1'/></body>", "</worldbody></mujoco>"},
        {"<mujoco><worldbody>", "<frame>", ""}, // and not well-formed
        {"<mujoco><worldbody>", "<site/>", "</worldbody></mujoco>"},
        {"<mujoco>", "<default><joint damping='1'/></default>", "</mujoco>"},
        {"<mujoco><keyframe><key qpos='", "1 ", "'/></keyframe></mujoco>"},
        {"<mujoco>", "<option/>", "</mujoco>"},
        {"<mujoco><a ", "x", "/></mujoco>"},
    };
    // The smallest element, <site/>, has seven characters; its node, its report item and its entry
    // in the spec take some 400 bytes: 55 per character, measured.
    const size_t most = 100;
    assert_memory_follows_the_file(dp_mjcf_parse, "a.xml", shape, sizeof shape / sizeof shape[0],
                                   most);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_import_gives_everything_back),
        cmocka_unit_test(each_allocation_of_an_import_may_fail_in_turn),
        cmocka_unit_test(memory_is_proportional_to_the_file),
    };
    return cmocka_run_group_tests(tests, write_files, NULL);
}
