// Memory of a URDF import: each allocation made to fail in turn, expat's included. Nothing leaks,
// sizes are given back right, and the cost is bounded by the size of the file.
#include "import_memory.h"
#include "near.h"
#include "text_file.h"

#include <dashpot/format.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FILES DP_SCRATCH "/urdf_memory"

// Something of everything.
static const char rich[] =
    "<robot name='rich' xmlns:drake='d'><mujoco><compiler/><option timestep='.01'/>"
    "<asset><mesh file='x'/></asset></mujoco><material name='m'><color rgba='1 0 0 1'/></material>"
    "<gazebo reference='a'><mu1>1</mu1></gazebo><link name='a'/><link name='b'><inertial><origin "
    "rpy='1 2 3'/><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='.1'/></inertial><visual>"
    "<geometry><sphere radius='1'/></geometry></visual><collision name='box'><geometry><box "
    "size='1 1 1'/></geometry></collision><collision name='box'><geometry><mesh "
    "filename='part.obj'/></geometry></collision><collision><geometry><mesh "
    "filename='package://urdf_memory/part.obj' scale='1 2 3'/></geometry></collision><collision>"
    "<geometry><mesh filename='part.dae'/></geometry></collision><collision><geometry><mesh "
    "filename='package://rich/part.obj'/></geometry></collision><collision><geometry><mesh "
    "filename='package://rich/none.obj'/></geometry></collision></link><link name='c'><inertial>"
    "<mass value='1'/><inertia ixx='1' iyy='1' izz='4'/></inertial></link><link name='d'><inertial>"
    "<mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>"
    "<joint name='h' type='revolute' drake:note='x'><parent link='a'/><child link='b'/><limit "
    "upper='1'/><dynamics friction='1'/></joint><joint name='p' type='planar'><parent link='b'/>"
    "<child link='c'/></joint><joint name='s' type='prismatic'><parent link='c'/><child link='d'/>"
    "<mimic joint='h' offset='1'/></joint><link name='e'><inertial><density value='9'/></inertial>"
    "</link><joint name='w' type='continuous'><parent link='d'/><child link='e'/><axis xyz='1 0 "
    "0'/>"
    "<axis xyz='0 1 0'/><mimic joint='nobody'/></joint><joint name='base' type='fixed'><parent "
    "link='world'/><child link='a'/></joint>"
    "<drake:ball_constraint>"
    "<drake:ball_constraint_body_A name='b'/><drake:ball_constraint_body_B name='d'/>"
    "<drake:ball_constraint_p_AP value='0 0 1'/><drake:ball_constraint_p_BQ value='0 1 0'/>"
    "</drake:ball_constraint><drake:linear_spring_damper>"
    "<drake:linear_spring_damper_body_A name='b'/><drake:linear_spring_damper_body_B name='d'/>"
    "<drake:linear_spring_damper_p_AP value='0 0 1'/>"
    "<drake:linear_spring_damper_p_BQ value='0 1 0'/>"
    "<drake:linear_spring_damper_free_length value='1'/>"
    "<drake:linear_spring_damper_stiffness value='2'/>"
    "<drake:linear_spring_damper_damping value='3'/></drake:linear_spring_damper></robot>";

static const char *const allowed[] = {"inertia",  "mesh-format", "mesh-file",
                                      "repeated", "mimic",       "massless"};

static dp_status import(const dp_allocator *allocator)
{
    const dp_import_options options = {.allow = allowed, .nallow = 6, .allocator = allocator};
    dp_spec *spec = (dp_spec *)1;
    dp_import_report *report = (dp_import_report *)1;
    const dp_status status =
        dp_model_file_load(&spec, &report, FILES "/rich.urdf", &options); // → dp_urdf_parse
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
    mkdir(FILES, 0777);
    static const struct {
        const char *path, *text;
    } files[] = {{FILES "/rich.urdf", rich},
                 {FILES "/package.xml", "<package><name>rich</name></package>"},
                 {FILES "/part.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 "
                                     "3\nf 2 3 4\n"}};
    for (int i = 0; i < 3; ++i) {
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
        {"<robot><link name='a'>",
         "<collision><geometry><sphere radius='1'/></geometry></collision>", "</link></robot>"},
        {"<robot><link name='a'>",
         "<collision><geometry><mesh filename='part.obj'/></geometry></collision>",
         "</link></robot>"},
        {"<robot><link name='a'/>", "<gazebo/>", "</robot>"},
        {"<robot><link name='a'/>", "<x:y/>", "</robot>"},
        {"<robot><link name='a'/><gazebo>", "<a>", ""}, // and not well-formed
        {"<robot><link name='a'/>", "<link name='b'/>", "</robot>"},
        {"<robot ", "x", "='1'/>"},
    };
    // The smallest element, <a>, has three characters; its node takes some 150 bytes, and its item
    // in the report 72 where it comes so far.
    const size_t most = 120;
    assert_memory_follows_the_file(dp_urdf_parse, FILES "/a.urdf", shape,
                                   sizeof shape / sizeof shape[0], most);
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
