// Bad URDF files: each is refused with a status and a message that says where, what was found and
// what was expected. The file is called a.urdf; the line is part of the claim.
#include "bad_file.h"
#include "near.h"
#include "text_file.h"

#include <dashpot/format.h>
#include <dashpot/model.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MASS "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"
// Two links, and a joint between them that is complete otherwise
#define JOINT(type, content)                                                                       \
    "<robot name='r'><link name='a'/><link name='b'>" MASS "</link>\n"                             \
    "<joint name='j' type='" type "'><parent link='a'/><child link='b'/>\n" content                \
    "</joint></robot>"
#define LINK(content) "<robot name='r'>\n<link name='a'>\n" content "</link></robot>"
#define SHAPE(content) LINK("<collision>\n<geometry>" content "</geometry></collision>")
#define ROBOT(content) "<robot name='r'><link name='a'/>\n" content "</robot>"

static const bad_file bad[] = {
    // XML
    {DP_ERROR_PARSE, "", "a.urdf:1: found no element (expected an XML file)"},
    {DP_ERROR_PARSE, "<robot>\n<link name='a'>\n</robot>", "a.urdf:3: found mismatched tag"},
    {DP_ERROR_PARSE, "<robot><link name='a' name='b'/></robot>",
     "a.urdf:1: found duplicate attribute"},
    {DP_ERROR_PARSE, "<!DOCTYPE r [<!ENTITY a 'b'>]>\n<robot/>",
     "a.urdf:1: found a document type with declarations of its own (expected none"},
    {DP_ERROR_PARSE, "<mujoco/>", "a.urdf:1: found <mujoco> (expected <robot>, the root of a URDF"},
    // Names
    {DP_ERROR_PARSE, ROBOT("<lnk name='b'/>"),
     "a.urdf:2: unknown element <lnk> in <robot> (did you mean <link>?) (to go on without: "
     "allow \"unknown\")"},
    {DP_ERROR_PARSE, ROBOT("<xyzzy/>"), "a.urdf:2: unknown element <xyzzy> in <robot> (expected"},
    {DP_ERROR_PARSE, LINK("<colision/>"),
     "a.urdf:3: unknown element <colision> in <link> (did you mean <collision>?)"},
    {DP_ERROR_PARSE, JOINT("continuous", "<limits lower='1'/>"),
     "a.urdf:3: unknown element <limits> in <joint> (did you mean <limit>?)"},
    {DP_ERROR_PARSE, JOINT("continuous", "<axis zyx='1 0 0'/>"),
     "a.urdf:3: unknown attribute 'zyx' of <axis> (did you mean 'xyz'?) (to go on without: "
     "allow \"unknown\")"},
    {DP_ERROR_PARSE, JOINT("continuous", "<dynamics dampng='1'/>"),
     "a.urdf:3: unknown attribute 'dampng' of <dynamics> (did you mean 'damping'?)"},
    {DP_ERROR_PARSE, LINK("<inertial><mass value='1'/><moment ixx='1'/></inertial>"),
     "a.urdf:3: unknown element <moment> in <inertial> (expected origin, mass, inertia, density)"},
    {DP_ERROR_PARSE, "<robot colour='red'/>", "a.urdf:1: unknown attribute 'colour' of <robot>"},
    {DP_ERROR_PARSE, SHAPE("<cube size='1 1 1'/>"),
     "a.urdf:4: unknown element <cube> in <geometry> (expected box, sphere, cylinder"},
    {DP_ERROR_PARSE, ROBOT("<mujoco><compiler balanceinertias='true'/></mujoco>"),
     "a.urdf:2: unknown attribute 'balanceinertias' of <compiler> (did you mean "
     "'balanceinertia'?)"},
    // xacro
    {DP_ERROR_PARSE, ROBOT("<xacro:macro name='leg'/>"),
     "a.urdf:2: found <xacro:macro>, which is xacro (expected plain URDF: run xacro"},
    {DP_ERROR_PARSE, ROBOT("<include filename='leg.xacro'/>"),
     "a.urdf:2: found <include>, which is xacro"},
    {DP_ERROR_PARSE, LINK("<xacro:if value='1'/>"), "a.urdf:3: found <xacro:if>, which is xacro"},
    {DP_ERROR_PARSE, SHAPE("<sphere radius='${r/2}'/>"),
     "a.urdf:4: found radius=\"${r/2}\", which is xacro"},
    {DP_ERROR_PARSE, SHAPE("<mesh filename='$(find robot)/a.stl'/>"),
     "a.urdf:4: found filename=\"$(find robot)/a.stl\", which is xacro"},
    // Values
    {DP_ERROR_PARSE, JOINT("hinge", ""),
     "a.urdf:2: joint 'j': found type 'hinge' (expected revolute, continuous, prismatic, fixed, "
     "floating, planar or spherical)"},
    {DP_ERROR_PARSE, JOINT("revolute", "<limit lower='a' upper='1'/>"),
     "a.urdf:3: limit: found 'a' in lower (expected a number)"},
    {DP_ERROR_PARSE, JOINT("revolute", "<limit lower='-inf' upper='1'/>"),
     "a.urdf:3: limit: found '-inf' in lower (expected a finite number)"},
    {DP_ERROR_PARSE, JOINT("revolute", "<origin xyz='0 0'/>"),
     "a.urdf:3: origin: found 2 numbers in xyz (expected 3)"},
    {DP_ERROR_PARSE, JOINT("revolute", "<origin rpy='0, 0, 0'/>"),
     "a.urdf:3: origin: found '0,' in rpy (expected a number)"},
    {DP_ERROR_PARSE, JOINT("revolute", "<origin rpy='0 0 0' quat_xyzw='0 0 0 1'/>"),
     "a.urdf:3: origin: found both rpy and quat_xyzw (expected one orientation)"},
    {DP_ERROR_PARSE, JOINT("revolute", "<origin quat_xyzw='0 0 0 0'/>"),
     "a.urdf:3: origin: found quat_xyzw of length 0 (expected a unit quaternion)"},
    {DP_ERROR_PARSE, JOINT("continuous", "<axis xyz='0 0 0'/>"),
     "a.urdf:3: axis: found xyz of length 0 (expected a direction)"},
    {DP_ERROR_UNSUPPORTED, JOINT("continuous", "<dynamics armature='-1'/>"),
     "a.urdf:3: dynamics has armature: found -1 (expected 0 or more)"},
    {DP_ERROR_UNSUPPORTED, JOINT("continuous", "<dynamics damping='-1'/>"),
     "a.urdf:3: dynamics has damping: found -1 (expected 0 or more) (to go on without: allow "
     "\"negative\")"},
    {DP_ERROR_PARSE, SHAPE("<sphere radius='-1'/>"),
     "a.urdf:4: sphere: found a length of -1 (expected 0 or more)"},
    {DP_ERROR_PARSE, SHAPE("<box size='1 -2 3'/>"), "a.urdf:4: box: found a length of -2"},
    {DP_ERROR_PARSE, SHAPE("<cylinder radius='1' length='-4'/>"),
     "a.urdf:4: cylinder: found a length of -4"},
    {DP_ERROR_PARSE, SHAPE("<plane normal='0 0 0'/>"),
     "a.urdf:4: plane: found a normal of length 0 (expected a direction)"},
    {DP_ERROR_PARSE,
     LINK("<inertial><mass value='-1'/><inertia ixx='1' iyy='1' izz='1'/>"
          "</inertial>"),
     "a.urdf:3: mass: found -1 kg (expected 0 or more)"},
    {DP_ERROR_PARSE, LINK("<visual><geometry><box size='one'/></geometry></visual>"),
     "a.urdf:3: box: found 1 numbers in size (expected 3)"}, // also in what is ignored
    // What is missing, what is too much
    {DP_ERROR_PARSE, "<robot>\n<material name='red'/></robot>",
     "a.urdf:1: robot: found no <link> (expected at least one; of a file of macros"},
    {DP_ERROR_PARSE, ROBOT("<link/>"), "a.urdf:2: link: found no name (expected name="},
    {DP_ERROR_PARSE, ROBOT("<link name=''/>"), "a.urdf:2: link: found an empty name"},
    {DP_ERROR_PARSE, ROBOT("<joint name='j'/>"), "a.urdf:2: joint 'j': found no type"},
    {DP_ERROR_PARSE, ROBOT("<joint name='j' type='fixed'/>"),
     "a.urdf:2: joint 'j': found no <parent> (expected one)"},
    {DP_ERROR_PARSE, ROBOT("<joint name='j' type='fixed'><parent link='a'/></joint>"),
     "a.urdf:2: joint 'j': found no <child> (expected one)"},
    {DP_ERROR_PARSE, ROBOT("<joint name='j' type='fixed'><parent/></joint>"),
     "a.urdf:2: parent: found no link (expected link="},
    {DP_ERROR_PARSE, LINK("<inertial><mass value='1'/>\n<inertia ixx='1' iyy='1'/></inertial>"),
     "a.urdf:4: inertia: found no izz (expected izz="},
    {DP_ERROR_UNSUPPORTED, LINK(MASS "\n" MASS),
     "a.urdf:4: inertial: found a second one in the same <link> (expected one; the first is in "
     "line 3) (to go on without: allow \"repeated\")"},
    {DP_ERROR_UNSUPPORTED, JOINT("fixed", "<origin xyz='0 0 0'/>\n<origin xyz='0 0 1'/>"),
     "a.urdf:4: origin: found a second one in the same <joint> (expected one; the first is in line "
     "3) (to go on without: allow"},
    {DP_ERROR_UNSUPPORTED, LINK("<collision/>"),
     "a.urdf:3: collision: found no shape (expected <geometry> with box, sphere"},
    {DP_ERROR_UNSUPPORTED, SHAPE(""), "a.urdf:3: collision: found no shape"},
    {DP_ERROR_UNSUPPORTED, SHAPE("<box size='1 1 1'/>\n<sphere radius='1'/>"),
     "a.urdf:5: sphere: a second shape in one <geometry>: the first counts (to go on without: "
     "allow \"repeated\")"},
    {DP_ERROR_PARSE, SHAPE("<cylinder radius='1'/>"), "a.urdf:4: cylinder: found no length"},
    {DP_ERROR_PARSE, SHAPE("<mesh/>"), "a.urdf:4: mesh: found no filename"},
    {DP_ERROR_PARSE, ROBOT("<mujoco/>\n<mujoco/>"), "a.urdf:3: mujoco: found a second one"},
    {DP_ERROR_PARSE, ROBOT("<mujoco><option><include file='b.xml'/></option></mujoco>"),
     "a.urdf:2: include: found in a URDF file (expected no includes)"},
    // The tree
    {DP_ERROR_PARSE, ROBOT("<link name='a'/>"),
     "a.urdf:2: link 'a': found a second one of this name (the first is in line 1)"},
    {DP_ERROR_PARSE,
     ROBOT("<link name='b'/><link name='c'/><joint name='j' type='fixed'><parent link='a'/><child "
           "link='b'/></joint>\n<joint name='j' type='fixed'><parent link='a'/><child link='c'/>"
           "</joint>"),
     "a.urdf:3: joint 'j': found a second one of this name (the first is in line 2)"},
    {DP_ERROR_PARSE,
     ROBOT("<link name='trunk'/><joint name='j' type='fixed'><parent link='a'/>\n<child "
           "link='trnk'/></joint>"),
     "a.urdf:3: child of joint 'j': no link 'trnk' (did you mean 'trunk'?)"},
    {DP_ERROR_PARSE, ROBOT("<link name='b'/>"),
     "a.urdf:2: link 'b': found no joint with this link as its child, and none for link 'a' either "
     "(expected one root"},
    {DP_ERROR_PARSE,
     ROBOT("<joint name='j' type='fixed'><parent link='a'/><child link='a'/></joint>"),
     "a.urdf:2: joint 'j': found link 'a' as parent and child (expected two links)"},
    {DP_ERROR_PARSE,
     ROBOT("<link name='b'/><joint name='j' type='fixed'><parent link='a'/><child link='b'/>"
           "</joint>\n<joint name='k' type='fixed'><parent link='a'/><child link='b'/></joint>"),
     "a.urdf:3: joint 'k': found child 'b', which is the child of joint 'j' already (expected one "
     "joint per child"},
    {DP_ERROR_PARSE,
     "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='fixed'><parent "
     "link='a'/><child link='b'/></joint><joint name='k' type='fixed'><parent link='b'/><child "
     "link='a'/></joint></robot>",
     "a.urdf:1: robot 'r': found joints in a circle"},
    {DP_ERROR_PARSE,
     ROBOT("<link name='b'/>\n<link name='c'/><joint name='j' type='fixed'><parent link='b'/>"
           "<child link='c'/></joint><joint name='k' type='fixed'><parent link='c'/><child "
           "link='b'/></joint>"),
     "a.urdf:2: link 'b': found in a circle of joints (expected a tree that hangs from the root "
     "link 'a')"},
    {DP_ERROR_PARSE,
     ROBOT("<link name='world'/><joint name='j' type='fixed'><parent link='a'/><child "
           "link='world'/></joint>"),
     "a.urdf:2: link 'world': found as the child of joint 'j' (expected it at the root"},
    // Masses
    {DP_ERROR_UNSUPPORTED,
     ROBOT("<link name='b'/><joint name='j' type='continuous'><parent link='a'/><child "
           "link='b'/></joint>"),
     "a.urdf:2: link 'b': found no mass, although joint 'j' moves it (expected <inertial> in it or "
     "in a link fixed to it; or a joint of type \"fixed\")"},
    {DP_ERROR_UNSUPPORTED,
     "<robot><link name='a'/><link name='b'><inertial><mass value='1'/>\n<inertia ixx='1' iyy='1' "
     "izz='3'/></inertial></link><joint name='j' type='continuous'><parent link='a'/><child "
     "link='b'/></joint></robot>",
     "a.urdf:2: inertia: link 'b' has principal moments 3, 1, 1 kg m², which no mass has"},
    {DP_ERROR_UNSUPPORTED,
     "<robot><link name='a'/><link name='b'>\n<inertial><mass value='1'/></inertial></link>"
     "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint></robot>",
     "a.urdf:2: inertial: link 'b' moves and has principal moments 0, 0, 0 kg m² (expected all > "
     "0: give it <inertia>, or write <mujoco><compiler boundinertia=\"1e-6\"/></mujoco>) (to go "
     "on without: allow"},
    {DP_ERROR_UNSUPPORTED,
     LINK("<inertial><mass value='1'/>\n<inertia ixx='1' iyy='1' izz='1' ixy='0.1' iyx='0.2'/>"
          "</inertial>"),
     "a.urdf:4: inertia: found ixy 0.1 and iyx 0.2 (expected a symmetric matrix) "
     "(to go on without: allow \"inertia\")"},
    // Mimics
    {DP_ERROR_UNSUPPORTED, JOINT("continuous", "<mimic joint='k'/>"),
     "a.urdf:3: mimic: joint 'j' mimics what is not there: no joint 'k' (the nearest name is 'j') "
     "(to go on without: allow \"mimic\""},
    {DP_ERROR_PARSE, JOINT("continuous", "<mimic joint='j'/>"),
     "a.urdf:3: mimic: found joint 'j' mimicking itself (expected another joint)"},
    {DP_ERROR_PARSE, JOINT("planar", "<mimic joint='j'/>"), "a.urdf:3: mimic: found joint 'j'"},
    // What Drake has between points
    {DP_ERROR_PARSE, ROBOT("<drake:ball_constraint/>"),
     "drake:ball_constraint: found no <drake:ball_constraint_body_A> (expected one)"},
    {DP_ERROR_PARSE,
     ROBOT(
         "<drake:ball_constraint><drake:ball_constraint_body_A name='x'/></drake:ball_constraint>"),
     "no link 'x'"},
    {DP_ERROR_PARSE,
     ROBOT("<drake:ball_constraint><drake:ball_constraint_p_AP value='0 0'/>"
           "</drake:ball_constraint>"),
     "found 2 numbers in value (expected 3)"},
    // What has a meaning that is not simulated
    {DP_ERROR_UNSUPPORTED, ROBOT("<drake:joint name='j' type='ball'/>"),
     "a.urdf:2: drake:joint 'j': joints of Drake's own are not read (to go on "
     "without: allow \"drake:joint\")"},
    {DP_ERROR_UNSUPPORTED, ROBOT("<loop_joint name='j'/>"),
     "a.urdf:2: loop_joint 'j': loops are not read from URDF (to go on without: "
     "allow \"loop_joint\")"},
    {DP_ERROR_UNSUPPORTED, JOINT("continuous", "<axis xyz='1 0 0' rpy='0 0 1'/>"),
     "a.urdf:3: axis has rpy: an axis is given by its direction xyz alone"},
    {DP_ERROR_UNSUPPORTED, JOINT("continuous", "<dynamics spring_stiffness='3'/>"),
     "a.urdf:3: dynamics has spring_stiffness: springs of joints are not part of URDF"},
    {DP_ERROR_UNSUPPORTED, ROBOT("<mujoco><compiler inertiafromgeom='true'/></mujoco>"),
     "a.urdf:2: compiler has inertiafromgeom: the mass of a URDF file comes from <inertial> only"},
    {DP_ERROR_UNSUPPORTED, ROBOT("<deformable name='cloth'/>"),
     "a.urdf:2: deformable 'cloth': deformable bodies are not simulated (to go on "
     "without: allow \"flex\")"},
    {DP_ERROR_UNSUPPORTED, SHAPE("<sphere radius='0'/>"),
     "a.urdf:4: sphere: a shape without volume cannot touch anything (to go on "
     "without: allow \"flat\")"},
    {DP_ERROR_UNSUPPORTED, SHAPE("<mesh filename='hand.3ds'/>"),
     "a.urdf:4: mesh: 'hand.3ds' is of a kind that is not read: convert it to .stl, .obj, .msh "
     "or .dae"},
};

static dp_status try_load(dp_spec **out, const char *text)
{
    return dp_urdf_parse(out, NULL, text, strlen(text), "a.urdf", NULL);
}

static void each_bad_file_is_refused_with_its_message(void **state)
{
    (void)state;
    assert_files_refused(dp_urdf_parse, "a.urdf", bad, sizeof bad / sizeof bad[0]);
}

// So that the cases above fail for the reason they give.
static void the_surroundings_of_the_bad_cases_load(void **state)
{
    (void)state;
    static const char *const sound[] = {
        JOINT("continuous", ""),
        JOINT("fixed", "<axis xyz='0 0 0'/>"),
        JOINT("continuous", "<axis xyz='1 0 0' rpy='0 0 0'/>"),
        JOINT("continuous", "<dynamics spring_stiffness='0'/>"),
        LINK(""),
        SHAPE("<sphere radius='1'/>"),
        ROBOT(""),
        ROBOT("<mujoco/>"),
    };
    assert_files_load(dp_urdf_parse, "a.urdf", sound, sizeof sound / sizeof sound[0]);
}

static void a_missing_file_is_an_error_of_the_file_system(void **state)
{
    (void)state;
    dp_spec *spec;
    dp_import_report *report = (dp_import_report *)1;
    assert_int_equal(dp_urdf_load(&spec, &report, DP_SCRATCH "/no_such_robot.urdf", NULL),
                     DP_ERROR_IO);
    assert_null(spec);
    assert_null(report);
    assert_non_null(strstr(dp_last_error(), "no_such_robot.urdf"));
}

static void a_report_tells_what_was_read_before_the_failure(void **state)
{
    (void)state;
    static const char text[] = ROBOT("<lnk/>");
    dp_spec *spec;
    dp_import_report *report;
    assert_int_equal(dp_urdf_parse(&spec, &report, text, strlen(text), "a.urdf", NULL),
                     DP_ERROR_PARSE);
    assert_non_null(report);
    assert_int_equal(dp_import_report_count(report), 4); // robot, its name, link, its name
    dp_import_report_destroy(report);
}

// ---- meshes that must not be read

#define FILES DP_SCRATCH "/bad_urdf"

static void a_mesh_does_not_leave_the_folder_of_the_robot_by_a_link(void **state)
{
    (void)state;
    mkdir(FILES, 0777);
    mkdir(FILES "/robot", 0777);
    write_text(FILES "/secret.stl", "solid\nendsolid\n");
    remove(FILES "/robot/inside.stl"); // by name, but outside in fact
    assert_int_equal(symlink("../secret.stl", FILES "/robot/inside.stl"), 0);
    write_text(FILES "/robot/a.urdf", SHAPE("<mesh filename='inside.stl'/>"));
    dp_spec *spec;
    assert_int_equal(dp_urdf_load(&spec, NULL, FILES "/robot/a.urdf", NULL), DP_ERROR_PARSE);
    assert_non_null(strstr(dp_last_error(), "outside of the folder of the robot"));

    // from memory, as if from a folder that does not exist: nothing is inside of it
    static const char text[] = SHAPE("<mesh filename='" FILES "/secret.stl'/>");
    assert_int_equal(
        dp_urdf_parse(&spec, NULL, text, sizeof text - 1, "no/such/folder/a.urdf", NULL),
        DP_ERROR_PARSE);
    assert_non_null(strstr(dp_last_error(), "outside of the folder of the robot"));
}

static void a_bad_mesh_file_is_told_with_both_places(void **state)
{
    (void)state;
    mkdir(FILES, 0777);
    write_text(FILES "/bad.obj", "v 0 0 0\nv 1 nothing 0\n");
    write_text(FILES "/a.urdf", SHAPE("<mesh filename='bad.obj'/>"));
    dp_spec *spec;
    assert_int_equal(dp_urdf_load(&spec, NULL, FILES "/a.urdf", NULL), DP_ERROR_PARSE);
    assert_non_null(strstr(dp_last_error(), "a.urdf:4: "));
    assert_non_null(strstr(dp_last_error(), "bad.obj:2: "));
}

// ---- absurd sizes

static void a_chain_of_ten_thousand_links_is_no_problem(void **state)
{
    (void)state;
    enum { LINKS = 10000 };
    char *text = malloc(400 * (size_t)LINKS), *at = text;
    assert_non_null(text);
    at += sprintf(at, "<robot>");
    for (int i = LINKS; i-- > 0;) { // children first
        at += sprintf(at, "<link name='l%d'>" MASS "</link>", i);
    }
    for (int i = 1; i < LINKS; ++i) {
        at += sprintf(at,
                      "<joint name='j%d' type='continuous'><parent link='l%d'/><child link='l%d'/>"
                      "</joint>",
                      i, i - 1, i);
    }
    sprintf(at, "</robot>");
    dp_spec *spec;
    assert_int_equal(try_load(&spec, text), DP_OK);
    dp_model *m;
    assert_int_equal(dp_model_compile(&m, spec), DP_OK);
    assert_int_equal(dp_model_sizes(m)->nv, LINKS - 1);
    dp_model_destroy(m);
    dp_spec_destroy(spec);
    free(text);
}

static void absurd_nesting_is_no_problem(void **state)
{
    (void)state;
    enum { DEPTH = 100000 };
    char *text = malloc(20 * (size_t)DEPTH), *at = text;
    assert_non_null(text);
    at += sprintf(at, "<robot><link name='a'/><gazebo>");
    for (int i = 0; i < DEPTH; ++i) {
        at += sprintf(at, "<a>");
    }
    for (int i = 0; i < DEPTH; ++i) {
        at += sprintf(at, "</a>");
    }
    sprintf(at, "</gazebo></robot>");
    dp_spec *spec;
    assert_int_equal(try_load(&spec, text), DP_OK);
    dp_spec_destroy(spec);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_bad_file_is_refused_with_its_message),
        cmocka_unit_test(the_surroundings_of_the_bad_cases_load),
        cmocka_unit_test(a_missing_file_is_an_error_of_the_file_system),
        cmocka_unit_test(a_report_tells_what_was_read_before_the_failure),
        cmocka_unit_test(a_mesh_does_not_leave_the_folder_of_the_robot_by_a_link),
        cmocka_unit_test(a_bad_mesh_file_is_told_with_both_places),
        cmocka_unit_test(a_chain_of_ten_thousand_links_is_no_problem),
        cmocka_unit_test(absurd_nesting_is_no_problem),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
