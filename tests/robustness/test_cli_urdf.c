// The program on URDF files: run, check, --package, --floating.
#include "near.h"
#include "text_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define ROBOTS DP_SCENES "/urdf/"
#define FILES DP_SCRATCH "/cli_urdf"

static char output[100000]; // of the last command, both streams

static int run(const char *arguments)
{
    char command[2000];
    snprintf(command, sizeof command, "'%s' %s 2>&1", DP_PROGRAM, arguments);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    const size_t n = fread(output, 1, sizeof output - 1, pipe);
    output[n] = '\0';
    const int status = pclose(pipe);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void assert_told(const char *words)
{
    if (!strstr(output, words)) {
        fail_msg("'%s' is not in\n%s", words, output);
    }
}

static void a_robot_runs_like_a_scene(void **state)
{
    (void)state;
    assert_int_equal(run("run '" ROBOTS "arm_6dof.urdf' --seconds 0.1 --json"), 0);
    assert_told("\"nv\": 6");
    assert_told("\"outcome\": \"done\"");
    assert_int_equal(run("run '" ROBOTS "walker_12dof.urdf' --seconds 0.1 --json"), 0);
    assert_told("\"nv\": 18");
}

static void a_robot_is_examined(void **state)
{
    (void)state;
    assert_int_equal(run("check '" ROBOTS "walker_12dof.urdf'"), 0);
    assert_told("walker on four legs");
    assert_told("front_left_knee");
}

static void what_a_robot_asks_for_in_vain_is_told(void **state)
{
    (void)state;
    write_text(FILES ".urdf", "<robot name='r'><link name='a'/><deformable name='c'/></robot>");
    assert_int_equal(run("check '" FILES ".urdf'"), 2);
    assert_told("--allow flex");
    assert_int_equal(run("run '" FILES ".urdf' --seconds 0.1"), 2);
    assert_told("--allow flex");
}

static void joints_that_mimic_others_run(void **state)
{
    (void)state;
    assert_int_equal(run("run '" ROBOTS "gripper.urdf' --seconds 0.1"), 0);
    assert_int_equal(run("run '" ROBOTS "gripper.urdf' --seconds 0.1 --allow equality"), 0);
    assert_told("note: --allow equality: simulated, nothing is left out");
}

static void the_root_floats_by_an_option(void **state)
{
    (void)state;
    assert_int_equal(run("run '" ROBOTS "arm_6dof.urdf' --seconds 0.1 --json --floating"), 0);
    assert_told("\"nv\": 12");
}

static void packages_are_found_by_an_option(void **state)
{
    (void)state;
    mkdir(FILES, 0777);
    mkdir(FILES "/robot", 0777);
    mkdir(FILES "/shapes", 0777);
    write_text(FILES "/shapes/part.obj",
               "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    write_text(FILES "/robot/robot.urdf",
               "<robot><link name='a'><collision><geometry><mesh "
               "filename='package://shapes/part.obj'/></geometry></collision></link></robot>");
    assert_int_equal(run("check '" FILES "/robot/robot.urdf'"), 0); // beside the robot's folder
    assert_int_equal(run("check '" FILES "/robot/robot.urdf' --confined"), 2);
    assert_told("package_path '" FILES "' adds a folder that holds it");
    assert_told("--package DIR");
    assert_told("leave out --confined");
    assert_int_equal(run("check '" FILES "/robot/robot.urdf' --confined --package '" FILES "'"), 0);
    assert_int_equal(run("check '" FILES "/robot/robot.urdf' --confined --package '" FILES
                         "' --package '" FILES "/shapes'"),
                     0);
    assert_int_equal(run("check '" FILES "/robot/robot.urdf' --package /no/such"), 2);
    assert_told("--package /no/such: no such folder");
    assert_int_equal(run("check '" FILES "/robot/robot.urdf' --allow mesh"), 0);
    remove(FILES "/shapes/part.obj");
    assert_int_equal(run("run '" FILES "/robot/robot.urdf' --seconds 0.1"), 0);
    assert_told("note: " FILES "/robot/robot.urdf:1: <mesh>: found no file "
                "'package://shapes/part.obj'");
    assert_told("; left out");
    assert_told("add --package DIR");
    assert_int_equal(run("check '" FILES "/robot/robot.urdf'"), 0);
    assert_told("found no file 'package://shapes/part.obj'");
    assert_int_equal(run("check '" FILES "/robot/robot.urdf' --strict --allow W-STATIC"), 2);
    assert_int_equal(run("check '" FILES "/robot/robot.urdf' --strict --allow mesh-file,W-STATIC"),
                     0);
}

static void a_robot_in_utf_16_is_a_robot(void **state)
{
    (void)state;
    mkdir(FILES, 0777);
    static const char text[] = "<robot name='wide'><link name='a'/></robot>";
    FILE *file = fopen(FILES "/wide.urdf", "wb");
    assert_non_null(file);
    fputs("\xFF\xFE", file);
    for (const char *c = text; *c != '\0'; ++c) {
        fputc(*c, file);
        fputc(0, file);
    }
    assert_int_equal(fclose(file), 0);
    assert_int_equal(run("check '" FILES "/wide.urdf'"), 0);
    assert_told("wide");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_robot_runs_like_a_scene),
        cmocka_unit_test(a_robot_is_examined),
        cmocka_unit_test(what_a_robot_asks_for_in_vain_is_told),
        cmocka_unit_test(joints_that_mimic_others_run),
        cmocka_unit_test(the_root_floats_by_an_option),
        cmocka_unit_test(a_robot_in_utf_16_is_a_robot),
        cmocka_unit_test(packages_are_found_by_an_option),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
