// `dashpot check`: its report, tree, numbers, warnings and strictness.
#include "geom/mass.h"
#include "json_text.h"
#include "near.h"
#include "program_run.h"

#include <dashpot/format.h>
#include <dashpot/sim.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCRATCH(name) DP_SCRATCH "/check_" name

static const char *scene(const char *text)
{
    write_text(SCRATCH("scene.xml"), text);
    return SCRATCH("scene.xml");
}

static int count_of(const char *text, const char *word)
{
    int n = 0;
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) {
        ++n;
    }
    return n;
}

// What is inside of <worldbody>, with a first line that makes angles radians.
#define RADIANS "<mujoco><compiler angle='radian'/>"
#define WORLD(text) RADIANS "<worldbody>" text "</worldbody></mujoco>"
#define MASS(m, i) "<inertial pos='0 0 0' mass='" m "' diaginertia='" i " " i " " i "'/>"

// An arm without fault: two damped hinges with ranges, masses from geoms that touch nothing, a
// servo with bounds.
static const char good[] =
    RADIANS "<default><geom contype='0' conaffinity='0'/></default><worldbody>"
            "<body name='upper'><joint name='shoulder' axis='0 1 0' damping='1'/>"
            "<geom type='capsule' fromto='0 0 0 0 0 -0.3' size='0.03'/>"
            "<body name='lower' pos='0 0 -0.3'><joint name='elbow' axis='0 1 0' damping='1'/>"
            "<geom type='capsule' fromto='0 0 0 0 0 -0.3' size='0.02'/></body></body>"
            "</worldbody><actuator><position name='servo' joint='elbow' kp='10' kv='1' "
            "ctrlrange='-1 1'/></actuator><keyframe><key name='bent' qpos='0.1 0.2'/></keyframe>"
            "</mujoco>";

// --- warnings -----------------------------------------------------------------------------------

static void a_good_model_has_nothing_to_look_out_for(void **state)
{
    (void)state;
    const program_result *r = RUN("check", scene(good), "--strict");
    assert_int_equal(r->code, 0);
    assert_string_equal(r->err, "");
    assert_null(strstr(r->out, "Warnings"));
    assert_null(strstr(r->out, "Notes"));
    r = RUN("check", scene(good), "--json", "--strict");
    assert_null(json_first(r->out, "warnings"));
    assert_near(json_number(r->out, NULL, "objections"), 0.0, 0.0);
}

#define HINGE(attributes)                                                                          \
    WORLD("<body name='b'><joint name='j' damping='1' " attributes "/>" MASS("1", "1") "</body>")
#define DRIVE(joint, attributes, actuator)                                                         \
    RADIANS "<option timestep='0.01' " attributes "/><worldbody><body><joint name='j' " joint      \
            "/>" MASS("1", "1") "</body></worldbody><actuator>" actuator "</actuator></mujoco>"
#define THREE_HINGES(angle, range)                                                                 \
    "<mujoco><compiler angle='" angle "'/><option><flag limit='disable'/></option><worldbody>"     \
    "<body><joint damping='1' range='" range                                                       \
    "'/>" MASS("1", "1") "<body><joint range='" range                                              \
                         "'/>" MASS("1", "1") "<body><joint range='" range "'/>" MASS(             \
                             "1", "1") "</body></body></body></worldbody></mujoco>"
#define ROD(inertial)                                                                              \
    WORLD("<body name='rod'><joint name='j' damping='1'/>" inertial "<geom type='capsule' "        \
          "fromto='-0.5 0 0 0.5 0 0' size='0.05' contype='0' conaffinity='0'/></body>")

// Each code, with a file that asks for it and one that nearly does.
static const struct {
    const char *code, *bad, *fine;
} warning_cases[] = {
    {"W-STATIC", WORLD("<body>" MASS("1", "1") "</body>"), HINGE("")},
    {"W-MASS-RATIO",
     WORLD("<body name='heavy'><joint damping='1'/>" MASS(
         "3e6", "1") "<body name='light'><joint/>" MASS("1", "1") "</body></body>"),
     WORLD("<body name='heavy'><joint damping='1'/>" MASS(
         "3e6", "1") "</body>"
                     "<body name='light'><joint/>" MASS("1", "1") "</body>")}, // another tree
    // A rod of 1 kg and 1 m has about 1/12 kg m² across and 0.00125 along.
    {"W-INERTIA-FAR", ROD("<inertial pos='0 0 0' mass='1' diaginertia='0.08 0.08 0.0012'/>"),
     ROD("<inertial pos='0 0 0' mass='1' diaginertia='0.0012 0.08 0.08'/>")},
    {"W-COM-OUTSIDE", ROD("<inertial pos='0.7 0 0' mass='1' diaginertia='0.0012 0.08 0.08'/>"),
     ROD("<inertial pos='0.4 0 0' mass='1' diaginertia='0.0012 0.08 0.08'/>")},
    // Its volume is 0.0084 m³.
    {"W-DENSITY", ROD("<inertial pos='0 0 0' mass='0.008' diaginertia='1e-5 6e-4 6e-4'/>"),
     ROD("<inertial pos='0 0 0' mass='0.08' diaginertia='1e-4 6e-3 6e-3'/>")},
    {"W-DENSITY", ROD("<inertial pos='0 0 0' mass='9e4' diaginertia='110 7300 7300'/>"),
     ROD("<inertial pos='0 0 0' mass='8e4' diaginertia='100 6500 6500'/>")},
    {"W-RANGE-UNUSED", HINGE("range='-1 1' limited='false'"), HINGE("limited='false'")},
    {"W-RANGE-REFERENCE", HINGE("range='0.1 1' limited='true'"),
     HINGE("range='0 1' limited='true'")},
    {"W-ANGLE-UNITS", HINGE("range='-90 90' limited='true'"),
     HINGE("range='-19 19' limited='true'")},
    {"W-ANGLE-UNITS", THREE_HINGES("degree", "-3.14 3.14"), THREE_HINGES("radian", "-3.14 3.14")},
    {"W-KEY-RANGE",
     RADIANS "<worldbody><body><joint damping='1' range='-1 1' limited='true'/>" MASS(
         "1", "1") "</body></worldbody><keyframe><key qpos='1.1'/></keyframe></mujoco>",
     RADIANS "<worldbody><body><joint damping='1' range='-1 1' limited='true'/>" MASS(
         "1", "1") "</body></worldbody><keyframe><key qpos='1'/></keyframe></mujoco>"},
    {"W-SERVO-UNDAMPED", DRIVE("", "", "<position joint='j' kp='1' ctrlrange='-1 1'/>"),
     DRIVE("damping='0.1'", "", "<position joint='j' kp='1' ctrlrange='-1 1'/>")},
    {"W-SERVO-UNDAMPED", DRIVE("", "", "<position joint='j' kp='1' ctrlrange='-1 1'/>"),
     DRIVE("", "", "<position joint='j' kp='1' kv='0.1' ctrlrange='-1 1'/>")},
    {"W-SERVO-UNDAMPED", DRIVE("", "", "<position joint='j' kp='1' ctrlrange='-1 1'/>"),
     DRIVE("", "",
           "<position joint='j' kp='1' ctrlrange='-1 1'/><velocity joint='j' kv='1' "
           "ctrlrange='-1 1'/>")},
    // Unstable in rk4 above h √(k/I) = 2.8.
    {"W-STIFF", DRIVE("damping='1'", "integrator='RK4'", "<position joint='j' kp='90000'/>"),
     DRIVE("damping='1'", "integrator='RK4'", "<position joint='j' kp='70000'/>")},
    {"W-GAIN-SIGN",
     DRIVE("damping='1'", "", "<general joint='j' biastype='affine' biasprm='0 1 0'/>"),
     DRIVE("damping='1'", "", "<general joint='j' biastype='affine' biasprm='0 -1 0'/>")},
    {"W-FILTER-FAST",
     DRIVE("damping='1'", "", "<general joint='j' dyntype='filter' dynprm='0.005'/>"),
     DRIVE("damping='1'", "", "<general joint='j' dyntype='filter' dynprm='0.05'/>")},
    // 1 kg m² and a step of 0.01 s: 10 steps are a period at k = (2π/0.1)² = 3948.
    {"N-UNRESOLVED", DRIVE("damping='1' stiffness='4000'", "", ""),
     DRIVE("damping='1' stiffness='3900'", "", "")},
    {"N-UNRESOLVED", DRIVE("damping='1'", "", "<position joint='j' kp='4000'/>"),
     DRIVE("damping='1'", "", "<position joint='j' kp='3900'/>")},
    // Together, with gear² = 4; and beyond critical damping, 2 √4000 = 126.5, nothing swings.
    {"N-UNRESOLVED",
     DRIVE("damping='126' stiffness='2000'", "", "<position joint='j' kp='500' gear='2'/>"),
     DRIVE("damping='127' stiffness='2000'", "", "<position joint='j' kp='500' gear='2'/>")},
    {"N-UNRESOLVED", DRIVE("damping='1' stiffness='4000'", "", ""),
     DRIVE("damping='1' stiffness='4000'", "integrator='RK4'", "")},
    {"N-UNDAMPED", WORLD("<body><joint name='j'/>" MASS("1", "1") "</body>"), HINGE("")},
    {"N-CONTROL-RANGE", DRIVE("damping='1'", "", "<motor joint='j'/>"),
     DRIVE("damping='1'", "", "<motor joint='j' ctrlrange='-1 1'/>")},
    {"N-UNNAMED", WORLD("<body><joint damping='1'/>" MASS("1", "1") "</body>"), HINGE("")},
};

// Limits are not simulated yet; here they only matter to the warnings.
#define CHECK_ANYWAY(path, ...) RUN("check", path, "--allow", "limit", __VA_ARGS__)

static void each_warning_comes_when_it_should_and_not_otherwise(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof warning_cases / sizeof warning_cases[0]; ++i) {
        const char *code = warning_cases[i].code;
        const program_result *r = CHECK_ANYWAY(scene(warning_cases[i].bad), "--json");
        assert_one_json_object(r->out);
        const char *warning = json_find(r->out, "warnings", "code", code);
        if (r->code != 0 || !warning) {
            fail_msg("case %zu: no %s: %s", i, code, r->err);
            return;
        }
        assert_true(json_at(warning, NULL, "message")[1] != '"'); // not empty
        assert_true(json_at(warning, NULL, "advice")[1] != '"');
        r = CHECK_ANYWAY(scene(warning_cases[i].bad), NULL);
        assert_non_null(strstr(r->out, code[0] == 'W' ? "\nWarnings\n" : "\nNotes\n"));
        assert_non_null(strstr(r->out, code));
        r = CHECK_ANYWAY(scene(warning_cases[i].fine), "--json");
        if (r->code != 0 || json_find(r->out, "warnings", "code", code)) {
            fail_msg("case %zu: %s where it should not be: %s", i, code, r->err);
        }
    }
}

static void a_mesh_in_millimetres_is_noticed(void **state)
{
    (void)state;
    static const char robot[] =
        "<robot name='r'><link name='a'/><link name='b'><inertial><mass value='1'/>"
        "<inertia ixx='1' iyy='1' izz='1'/></inertial><collision><geometry>"
        "<mesh filename='check_mesh.obj'/></geometry></collision></link>"
        "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint></robot>";
    static const struct {
        const char *size;
        bool warned;
    } cases[] = {{"150", true}, {"0.15", false}, {"0.00015", true}};
    for (int i = 0; i < 3; ++i) {
        char text[1000];
        const char *s = cases[i].size;
        snprintf(text, sizeof text,
                 "v 0 0 0\nv %s 0 0\nv 0 %s 0\nv 0 0 %s\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n", s,
                 s, s);
        write_text(SCRATCH("mesh.obj"), text);
        const program_result *r = RUN("check", scene(robot), "--json");
        if (r->code != 0) {
            fail_msg("%s", r->err);
        }
        assert_int_equal(json_find(r->out, "warnings", "code", "W-MESH-SIZE") != NULL,
                         cases[i].warned);
        double high[3];
        json_numbers(high, 3, json_at(json_first(r->out, "meshes"), NULL, "high"));
        assert_near(high[1], strtod(s, NULL), 0.0);
    }
}

// A tetrahedron, and one with a face pushed in, by 0.4 of the volume.
static void a_hull_that_holds_much_more_than_its_mesh_is_noticed(void **state)
{
    (void)state;
    static const char form[] =
        "<mujoco><asset><mesh name='t' vertex='0 0 0 1 0 0 0 1 0 0 0 1 0.2 0.2 0.2' "
        "face='0 2 1 0 1 3 0 3 2 %s'/></asset><worldbody><body><freejoint/>"
        "<geom type='mesh' mesh='t' contype='%d' conaffinity='0'/></body>"
        "<geom type='plane' size='1 1 1' pos='0 0 -9'/></worldbody></mujoco>";
    static const char flat[] = "1 2 3", hollow[] = "1 2 4 2 3 4 3 1 4";
    for (int i = 0; i < 3; ++i) {
        char text[1000];
        snprintf(text, sizeof text, form, i == 0 ? flat : hollow, i < 2);
        const program_result *r = RUN("check", scene(text), "--json");
        if (r->code != 0) {
            fail_msg("%s", r->err);
        }
        const char *found = json_find(r->out, "warnings", "code", "N-HULL");
        assert_int_equal(found != NULL,
                         i == 1); // a mesh that touches nothing is what it looks like
        assert_true(!found || strstr(found, "1.67 times"));
    }
}

static void every_code_is_in_the_manual(void **state)
{
    (void)state;
    static char source[MOST_TEXT], manual[MOST_TEXT];
    read_text(source, DP_SOURCE "/cli/report/warnings.c");
    read_text(manual, DP_SOURCE "/docs/cli.md");
    int codes = 0;
    for (const char *at = strstr(source, "_(\""); at; at = strstr(at + 1, "_(\"")) {
        char quoted[40];
        snprintf(quoted, sizeof quoted, "`%.*s`", (int)strcspn(at + 3, "\""), at + 3);
        if (!strstr(manual, quoted)) {
            fail_msg("%s is missing in docs/cli.md", quoted);
        }
        ++codes;
    }
    assert_true(codes >= 15);
}

static void many_warnings_of_a_kind_are_told_briefly(void **state)
{
    (void)state;
    static char text[20000];
    strcpy(text, RADIANS "<worldbody>");
    for (int i = 0; i < 12; ++i) {
        strcat(text,
               "<body><joint damping='1' range='-1 1' limited='false'/>" MASS("1", "1") "</body>");
    }
    strcat(text, "</worldbody></mujoco>");
    const char *path = scene(text);
    const program_result *r = RUN("check", path);
    assert_int_equal(count_of(r->out, "and is not limited"), 5);
    assert_non_null(strstr(r->out, "… and 7 more like these"));
    r = RUN("check", path, "--all");
    assert_int_equal(count_of(r->out, "and is not limited"), 12);
}

// --- strictness ---------------------------------------------------------------------------------

// A URDF file with a block for another program.
static const char with_gazebo[] =
    "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/>"
    "</inertial></link><link name='b'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/>"
    "</inertial></link><joint name='j' type='continuous'><parent link='a'/><child link='b'/>"
    "<dynamics damping='1'/></joint><gazebo reference='b'><mu1>0.5</mu1></gazebo></robot>";

static void strict_objects_to_what_is_not_as_the_author_wrote_it(void **state)
{
    (void)state;
    static const struct {
        const char *text, *word, *allow;
    } cases[] = {
        {RADIANS "<option integrator='implicit'/></mujoco>", "approximated", NULL},
        {with_gazebo, "ignored, an extension for Gazebo", "gazebo"},
        {HINGE("range='-1 1' limited='false'"), "W-RANGE-UNUSED", "W-RANGE-UNUSED"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const char *path = scene(cases[i].text);
        const program_result *r = RUN("check", path);
        if (r->code != 0) {
            fail_msg("case %zu: %s", i, r->err);
        }
        assert_null(strstr(r->out, "Strictly"));
        r = RUN("check", path, "--strict");
        assert_int_equal(r->code, 2);
        const char *list = strstr(r->out, "\nStrictly\n");
        assert_non_null(list);
        assert_non_null(strstr(list, cases[i].word));
        assert_non_null(strstr(r->err, "dashpot: --strict: "));
        r = RUN("check", path, "--strict", "--json");
        assert_int_equal(r->code, 2);
        assert_one_json_object(r->out);
        assert_true(json_number(r->out, NULL, "objections") >= 1.0);
        assert_int_equal(strncmp(json_at(r->out, NULL, "can_be_simulated"), "true", 4), 0);
        if (cases[i].allow) {
            r = RUN("check", path, "--strict", "--allow", cases[i].allow);
            if (r->code != 0 || r->err[0] != '\0') {
                fail_msg("case %zu: code %d, %s", i, r->code, r->err);
            }
        }
    }
}

static void looks_and_notes_do_not_matter_to_strict(void **state)
{
    (void)state;
    const program_result *r = RUN(
        "check",
        scene(WORLD("<light pos='0 0 3'/><body><joint/><geom size='0.1' rgba='1 0 0 1'/></body>")),
        "--strict");
    assert_non_null(strstr(r->out, "N-UNDAMPED"));
    assert_non_null(strstr(r->out, "looks only"));
    assert_int_equal(r->code, 0);
}

static void a_name_that_nothing_has_is_refused_with_the_nearest(void **state)
{
    (void)state;
    const program_result *r = RUN("check", scene(good), "--allow", "equality", "--allow", "contct");
    assert_int_equal(r->code, 2);
    assert_string_equal(r->out, "");
    assert_string_equal(r->err, "dashpot: --allow contct: no such feature (did you mean "
                                "'contact'?)\n");
    r = RUN("check", scene(good), "--allow", "W-STIF");
    assert_int_equal(r->code, 2);
    assert_non_null(strstr(r->err, "did you mean 'W-STIFF'?"));
    r = RUN("run", scene(good), "--allow", "contct", "--seconds", "0.01", "--quiet");
    assert_int_equal(r->code, 2);
    assert_non_null(strstr(r->err, "did you mean 'contact'?"));
    r = RUN("convert", scene(good), SCRATCH("never.xml"), "--allow", "zzz");
    assert_int_equal(r->code, 2);
    assert_non_null(strstr(r->err, "--allow zzz: no such feature ("));
    assert_false(exists(SCRATCH("never.xml")));
}

// --- what is missing ----------------------------------------------------------------------------

// Refused are masks without pairs and a plugin; limits and contact are not.
static const char demanding[] =
    "<mujoco>\n<option collision='predefined'/>\n<worldbody>\n<geom name='floor' type='plane' "
    "size='1 1 "
    "1'/>\n"
    "<body pos='0 0 1'><joint name='j' range='-90 90' damping='1'/>\n<geom name='ball' size='0.1'/>"
    "</body></worldbody>\n<actuator><plugin joint='j'/></actuator></mujoco>";

static void all_that_is_missing_is_told_at_once(void **state)
{
    (void)state;
    const program_result *r = RUN("check", scene(demanding), "--json");
    assert_int_equal(r->code, 2);
    assert_one_json_object(r->out);
    assert_int_equal(strncmp(json_at(r->out, NULL, "can_be_simulated"), "false", 5), 0);
    const char *masks = json_find(r->out, "missing", "feature", "collision");
    const char *plugin = json_find(r->out, "missing", "feature", "plugin");
    assert_non_null(masks);
    assert_non_null(plugin);
    assert_null(json_find(r->out, "missing", "feature", "limit"));
    assert_null(json_find(r->out, "missing", "feature", "contact"));
    assert_non_null(strstr(json_at(masks, NULL, "message"), "scene.xml:2: <option> collision: "));
    assert_non_null(strstr(json_at(plugin, NULL, "message"), "scene.xml:7: "));
    const char *item = json_find(r->out, "report", "feature", "collision");
    assert_non_null(item);
    assert_near(json_number(item, NULL, "line"), 2.0, 0.0);
    assert_int_equal(strncmp(json_at(item, NULL, "attribute"), "\"collision\"", 11), 0);

    r = RUN("check", scene(demanding));
    assert_int_equal(r->code, 2);
    assert_non_null(strstr(r->out, "scene.xml:2: <option> collision: geoms touch by masks and by "
                                   "pairs, both"));
    const char *end = strchr(r->err, '\n');
    assert_true(end && end[1] == '\0'); // one line: the table has the places
    assert_non_null(strstr(r->err, " --allow collision"));
    const char *ways = strstr(r->out, "It runs only without what is refused:");
    assert_non_null(ways);
    assert_non_null(strstr(ways, " --allow collision"));
    assert_non_null(strstr(ways, " --allow plugin"));

    r = RUN("check", scene(demanding), "--allow", "collision", "--allow", "plugin");
    assert_int_equal(r->code, 0);
    assert_string_equal(r->err, "");
    assert_non_null(strstr(r->out, "; left out,"));
}

static void the_options_that_run_tells_do_work(void **state)
{
    (void)state;
    const program_result *r = RUN("run", scene(demanding));
    assert_int_equal(r->code, 2);
    const char *hint = strstr(r->err, "to go on without: add --allow ");
    assert_non_null(hint);
    static char line[1000];
    snprintf(line, sizeof line, "%.*s", (int)strcspn(hint, "\n"), hint);
    const char *arguments[MOST_ARGUMENTS] = {"run", scene(demanding), "--seconds", "0.01"};
    int n = 4;
    strtok(strstr(line, "--allow"), " ");
    for (const char *word = "--allow"; word; word = strtok(NULL, " ")) {
        arguments[n++] = word;
    }
    assert_int_equal(n, 4 + 2 * 2);
    assert_int_equal(program_run(arguments)->code, 0);
}

// --- the report ---------------------------------------------------------------------------------

static void all_lists_every_item_once(void **state)
{
    (void)state;
    const char *path = DP_SCENES "/humanoid.xml";
    const program_result *r = RUN("check", path, "--json");
    int items = 0;
    for (const char *e = json_first(r->out, "report"); e; e = json_next(e)) {
        ++items;
    }
    const double counted =
        json_number(r->out, "import", "used") + json_number(r->out, "import", "approximated") +
        json_number(r->out, "import", "ignored") + json_number(r->out, "import", "refused");
    assert_near(counted, items, 0.0);
    r = RUN("check", path, "--all");
    const int used = count_of(r->out, ": used\n") + count_of(r->out, ": used, ");
    const int ignored = count_of(r->out, ": ignored, ");
    assert_int_equal(used + ignored, items);
}

static void reasons_are_told_once_with_their_number(void **state)
{
    (void)state;
    const program_result *r =
        RUN("check", scene(WORLD("<light/><light/>\n<light pos='0 0 1'/>"
                                 "<body><joint damping='1'/>" MASS("1", "1") "</body>")));
    assert_int_equal(r->code, 0);
    assert_non_null(
        strstr(r->out, "        4  looks only: <light> …, first at check_scene.xml:1\n"));
    assert_int_equal(count_of(r->out, "looks only"), 1);
}

static int columns_of(const char *line, size_t bytes)
{
    int n = 0;
    for (size_t i = 0; i < bytes; ++i) {
        n += ((unsigned char)line[i] & 0xC0u) != 0x80u ? 1 : 0; // not the rest of a character
    }
    return n;
}

static void assert_on_the_page(const char *path, const char *out)
{
    enum { PAGE = 100 };
    for (const char *line = out; *line != '\0'; line += strcspn(line, "\n") + 1) {
        const size_t bytes = strcspn(line, "\n");
        if (columns_of(line, bytes) > PAGE) {
            fail_msg("%s: %d columns: %.*s", path, columns_of(line, bytes), (int)bytes, line);
        }
    }
}

// --- the tree -----------------------------------------------------------------------------------

static void the_tree_is_drawn_with_branches(void **state)
{
    (void)state;
    const char *path = scene("<mujoco><worldbody><body name='base'><freejoint name='float'/>" MASS(
        "2",
        "1") "<body name='arm'><joint name='yaw' axis='0 0 2' range='-90 45' limited='true'/>"
             "<joint name='pitch' axis='0 -1 0'/>" MASS(
                 "1",
                 "1") "<body name='hand'><joint name='grip' type='slide' axis='3 0 4' "
                      "range='0 0.1' limited='true'/>" MASS(
                          "0.5",
                          "1") "</body></body><body name='mast'>" MASS("0.25",
                                                                       "1") "</body></body><body "
                                                                            "name='post'/>"
                                                                            "</worldbody></"
                                                                            "mujoco>");
    const program_result *r = RUN("check", path, "--tree");
    assert_int_equal(r->code, 0);
    assert_string_equal(r->err, "");
    assert_string_equal(r->out, //
                        "  body           mass [kg]  joint   name   axis       range\n"
                        "  world\n"
                        "  ├─ base                2  free    float\n"
                        "  │  ├─ arm              1  hinge   yaw    z          -90° … 45°\n"
                        "  │  │  │                   hinge   pitch  -y\n"
                        "  │  │  └─ hand        0.5  slide   grip   0.6 0 0.8  0 … 0.1 m\n"
                        "  │  └─ mast          0.25  welded\n"
                        "  └─ post                0  fixed\n");
}

static void a_long_chain_is_drawn_straight_down(void **state)
{
    (void)state;
    const program_result *r = RUN("check", DP_SCENES "/chain_100.xml", "--tree");
    assert_int_equal(r->code, 0);
    int lines = 0;
    size_t longest = 0;
    for (const char *line = r->out; *line != '\0'; line += strcspn(line, "\n") + 1) {
        const size_t length = strcspn(line, "\n");
        longest = length > longest ? length : longest;
        ++lines;
    }
    assert_int_equal(lines, 100 + 3); // heading, world, and how to read it
    assert_true(longest < 110);       // bytes
    assert_int_equal(count_of(r->out, "└─"), 1);
    assert_non_null(strstr(r->out, "     link_2  "));
}

// Deeper than anybody draws, and with a branch at every level.
static void a_very_deep_tree_stays_on_the_page(void **state)
{
    (void)state;
    enum { DEPTH = 60 };
    static char text[40000];
    strcpy(text, "<mujoco><worldbody>");
    for (int i = 0; i < DEPTH; ++i) {
        strcat(text, "<body><joint damping='1'/>" MASS("1", "1") "<body/>");
    }
    for (int i = 0; i < DEPTH; ++i) {
        strcat(text, "</body>");
    }
    strcat(text, "</worldbody></mujoco>");
    const program_result *r = RUN("check", scene(text), "--tree");
    assert_int_equal(r->code, 0);
    assert_on_the_page("a deep tree", r->out);
    assert_non_null(strstr(r->out, "(level 60)"));
    assert_int_equal(count_of(r->out, "hinge"), DEPTH);
}

// --- tables and names ---------------------------------------------------------------------------

static void every_scene_fits_a_hundred_columns(void **state)
{
    (void)state;
    static const char *const scenes[] = {
        DP_SCENES "/hand_16dof.xml",     DP_SCENES "/chain_100.xml",
        DP_SCENES "/humanoid.xml",       DP_SCENES "/quadruped.xml",
        DP_SCENES "/urdf/arm_6dof.urdf", DP_SCENES "/urdf/walker_12dof.urdf",
        DP_SCENES "/urdf/gripper.urdf",
    };
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; ++i) {
        const program_result *r = RUN("check", scenes[i]);
        assert_non_null(strstr(r->out, "mass [kg]"));
        assert_on_the_page(scenes[i], r->out);
    }
}

#define LONG "_with_a_name_that_is_longer_than_anybody_would_like_to_read_in_a_table"

// Long names, many digits and small numbers together; JSON keeps all of it.
static void long_names_lose_their_middle_in_tables_only(void **state)
{
    (void)state;
    const char *path = scene(
        RADIANS "<default><geom contype='0' conaffinity='0'/></default><worldbody><body "
                "name='first" LONG "_1'><joint name='hinge" LONG "_1' axis='0.1234567 0.2345678 "
                "-0.3456789' damping='0.000123456' stiffness='123456.7' armature='1.23456e-7'/>"
                "<inertial pos='-0.000123456 -0.000234567 -0.000345678' mass='1.23456e-5' "
                "fullinertia='1.23456e-10 1.34567e-10 1.45678e-10 -1.2345e-12 -2.3456e-12 "
                "-3.4567e-12'/><site name='place" LONG "'/></body></worldbody><actuator><position "
                "name='servo" LONG "' joint='hinge" LONG "_1' kp='1234567' kv='12345.67' "
                "ctrlrange='-1.23456 1.23456' forcerange='-12345.6 12345.6'/></actuator><sensor>"
                "<framepos name='where" LONG "' objtype='site' objname='place" LONG
                "'/></sensor></mujoco>");
    const program_result *r = RUN("check", path);
    assert_int_equal(r->code, 0);
    assert_on_the_page(path, r->out);
    assert_non_null(strstr(r->out, "_1  hinge  first")); // the end tells it from others
    r = RUN("check", path, "--json");
    assert_non_null(strstr(r->out, "\"first" LONG "_1\""));
    assert_non_null(strstr(r->out, "\"servo" LONG "\""));
    r = RUN("check", path, "--channels"); // is there to be copied from
    assert_non_null(strstr(r->out, "joint.hinge" LONG "_1.q"));
}

// Eight levels of three columns and names of thirty: too wide with branches, fine without.
static void a_wide_tree_is_drawn_straight_rather_than_cut(void **state)
{
    (void)state;
    char text[8000] = "<mujoco><worldbody>";
    enum { DEPTH = 8 };
    for (int i = 0; i < DEPTH; ++i) {
        const size_t used = strlen(text);
        snprintf(
            text + used, sizeof text - used,
            "<body name='a_name_with_thirty_characters%d'><joint name='another_name_as_long%d' "
            "damping='1'/>" MASS("1", "1"),
            i, i);
    }
    for (int i = 0; i < DEPTH; ++i) {
        strcat(text, "</body>");
    }
    strcat(text, "</worldbody></mujoco>");
    const program_result *r = RUN("check", scene(text), "--tree");
    assert_int_equal(r->code, 0);
    assert_on_the_page("a wide tree", r->out);
    assert_int_equal(count_of(r->out, "a_name_with_thirty_characters"), DEPTH);
    assert_int_equal(count_of(r->out, "└─"), 1);
    assert_int_equal(count_of(r->out, "…"), 0);
}

static void short_names_and_numbers_stay_whole(void **state)
{
    (void)state;
    const program_result *r = RUN("check", scene(good));
    assert_null(strstr(strstr(r->out, "mass [kg]"), "…e"));
    assert_non_null(strstr(r->out, "shoulder  hinge  upper"));
    assert_non_null(strstr(r->out, "position, kp 10, kv 1"));
}

static void what_has_no_name_is_called_by_kind_and_number(void **state)
{
    (void)state;
    const char *path = scene(
        RADIANS "<worldbody><body name='base'><joint range='-1 1' limited='false' "
                "damping='1'/>" MASS(
                    "1", "1") "<geom size='0.1'/><body><joint range='-1 "
                              "1' limited='false'/>" MASS(
                                  "1", "1") "</body></body></worldbody>"
                                            "<keyframe><key qpos='0 0'/></keyframe></mujoco>");
    const program_result *r = RUN("check", path);
    assert_int_equal(r->code, 0);
    assert_non_null(strstr(r->out, "└─ body 2"));
    assert_non_null(strstr(r->out, "  joint 1  hinge  body 2"));
    assert_non_null(strstr(r->out, "geom 0 of base"));
    assert_non_null(strstr(r->out, "keyframes 0 (unnamed)"));
    assert_non_null(
        strstr(r->out, "joint 0 (unnamed) of body 'base' has the range [-57.3, 57.3]°"));
    assert_non_null(strstr(r->out, "joint 1 (unnamed) of body 2 (unnamed) has the range"));
}

// --- numbers ------------------------------------------------------------------------------------

static void assert_six(const double actual[6], dp_sym3 I)
{
    const double expected[6] = {I.xx, I.yy, I.zz, I.xy, I.xz, I.yz};
    const double tolerance = 1e-14 * (I.xx + I.yy + I.zz); // a rotation and back
    for (int i = 0; i < 6; ++i) {
        assert_near(actual[i], expected[i], tolerance);
    }
}

static void inertias_in_json_are_those_of_the_library(void **state)
{
    (void)state;
    static const char *const paths[] = {DP_SCENES "/humanoid.xml", DP_SCENES "/arm_7dof.xml",
                                        DP_SCENES "/urdf/arm_6dof.urdf"};
    for (int i = 0; i < 3; ++i) {
        dp_spec *spec;
        dp_model *m;
        assert_int_equal(dp_model_file_load(&spec, NULL, paths[i], NULL), DP_OK);
        assert_int_equal(dp_model_compile(&m, spec), DP_OK);
        const program_result *r = RUN("check", paths[i], "--json");
        assert_one_json_object(r->out);
        const char *body = json_first(r->out, "bodies");
        for (int b = 1; b < dp_model_sizes(m)->nbody; ++b) {
            const dp_body_info info = dp_model_body(m, (dp_body_id){b});
            assert_non_null(body);
            double x[6];
            assert_near(json_number(body, NULL, "mass"), info.inertial.mass, 0.0); // 17 digits
            json_numbers(x, 3, json_at(body, NULL, "com"));
            assert_near(x[0], info.inertial.frame.p.x, 0.0);
            json_numbers(x, 3, json_at(body, NULL, "moments"));
            assert_near(x[2], info.inertial.moments.z, 0.0);
            json_numbers(x, 6, json_at(body, NULL, "inertia"));
            assert_six(x, dp_inertial_tensor(&info.inertial));
            body = json_next(body);
        }
        assert_null(body);
        dp_model_destroy(m);
        dp_spec_destroy(spec);
    }
}

static void the_whole_is_the_sum_of_its_parts(void **state)
{
    (void)state;
    // Two balls of 2 and 1 kg, 0.6 m apart along y; the second is turned, which changes nothing.
    const program_result *r = RUN("check",
                                  scene(WORLD("<body pos='1 0 0'><freejoint/>" MASS("2", "0.1") //
                                              "<body pos='0 0.6 0' euler='0 0 1'><joint/>" MASS(
                                                  "1", "0.2") "</body></body>")),
                                  "--json");
    assert_int_equal(r->code, 0);
    double com[3], I[6];
    const char *totals = json_at(r->out, NULL, "gravity"); // behind the bodies' own numbers
    assert_near(json_number(totals, NULL, "mass"), 3.0, 0.0);
    json_numbers(com, 3, json_at(totals, NULL, "com"));
    json_numbers(I, 6, json_at(totals, NULL, "inertia"));
    const double round_off = 1e-15;
    assert_near(com[0], 1.0, round_off);
    assert_near(com[1], 0.2, round_off);
    const double apart = 2.0 * 0.2 * 0.2 + 1.0 * 0.4 * 0.4; // Σ m r²
    assert_near(I[0], 0.3 + apart, round_off);
    assert_near(I[1], 0.3, round_off);
    assert_near(I[2], 0.3 + apart, round_off);
    assert_near(I[3], 0.0, round_off);
}

static void geoms_with_equal_numbers_share_a_material(void **state)
{
    (void)state;
    const char *path = scene(
        "<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1' friction='0.5'/>"
        "<geom name='picture' type='box' size='1 1 1' contype='0' conaffinity='0'/>"
        "<geom name='shadow' type='box' size='1 1 1' contype='0' conaffinity='0'/>"
        "<body name='a' pos='0 0 1'><freejoint/><geom name='p' size='0.1'/>"
        "<geom name='q' size='0.2'/></body>"
        "<body name='b' pos='0 0 2'><freejoint/><geom name='r' size='0.1'/></body>"
        "<body name='c' pos='0 0 3'><freejoint/><geom name='s' size='0.1'/></body></worldbody>"
        "<contact><exclude body1='a' body2='b'/><pair geom1='picture' "
        "geom2='s'/></contact></mujoco>");
    const program_result *r = RUN("check", path, "--json");
    if (r->code != 0) {
        fail_msg("%s", r->err);
    }
    int materials = 0;
    for (const char *e = json_first(r->out, "materials"); e; e = json_next(e)) {
        ++materials;
    }
    assert_int_equal(materials, 2);
    const char *p = json_find(r->out, "geoms", "name", "p"),
               *s = json_find(r->out, "geoms", "name", "s"),
               *floor = json_find(r->out, "geoms", "name", "floor"),
               *shadow = json_find(r->out, "geoms", "name", "shadow");
    assert_near(json_number(p, NULL, "material"), json_number(s, NULL, "material"), 0.0);
    assert_true(json_number(p, NULL, "material") != json_number(floor, NULL, "material"));
    assert_int_equal(strncmp(json_at(shadow, NULL, "material"), "null", 4), 0);
    // floor with p, q, r, s; p and q with s, their body being excluded from that of r; r with s;
    // and the picture with s, since a pair says so.
    const double pairs = json_number(r->out, "contact", "pairs_that_could_touch");
    assert_near(pairs, 4.0 + 2.0 + 1.0 + 1.0, 0.0);
    assert_near(json_number(r->out, "contact", "excludes"), 1.0, 0.0);
    assert_near(json_number(r->out, "contact", "given_pairs"), 1.0, 0.0);
    r = RUN("check", path);
    assert_non_null(strstr(r->out, "  picture, p, q, r, s  "));
    assert_non_null(strstr(r->out, "  8 of 21 pairs of geoms could touch"));
    assert_non_null(strstr(r->out, "1 of 7 geoms touch nothing"));
}

static void materials_are_told_in_si_units(void **state)
{
    (void)state;
    const char *path = scene(
        "<mujoco xmlns:dp='dashpot'><worldbody><geom name='floor' type='plane' size='1 1 1'/>"
        "<body name='a' pos='0 0 1'><freejoint/><geom name='soft' size='0.1' dp:stiffness='3e4' "
        "dp:damping='12' dp:restitution='0.5' dp:surface_velocity='1 0 0'/></body>"
        "<body name='b' pos='0 0 2'><freejoint/><geom name='rated' size='0.1' solref='.01 1'/>"
        "</body></worldbody></mujoco>");
    const program_result *r = RUN("check", path);
    assert_int_equal(r->code, 0);
    assert_non_null(strstr(r->out, "k [N/m]"));
    assert_non_null(strstr(r->out, "by solref"));
    assert_non_null(strstr(r->out, "  soft: restitution 0.5, belt 1 0 0 m/s\n"));
    assert_non_null(strstr(r->out, "two act in series"));
    r = RUN("check", path, "--json");
    double found[3][2];
    static const char *const names[] = {"floor", "soft", "rated"};
    for (int i = 0; i < 3; ++i) {
        const char *geom = json_find(r->out, "geoms", "name", names[i]);
        const int id = (int)json_number(geom, NULL, "material");
        const char *material = json_first(r->out, "materials");
        for (int k = 0; k < id; ++k) {
            material = json_next(material);
        }
        assert_non_null(material);
        found[i][0] = json_number(material, NULL, "stiffness");
        found[i][1] = json_number(material, NULL, "damping");
    }
    const dp_material usual = dp_material_default();
    assert_true(found[0][0] == usual.stiffness && found[0][1] == usual.damping);
    assert_true(found[1][0] == 3e4 && found[1][1] == 12.0);
}

static void json_has_what_is_promised(void **state)
{
    (void)state;
    static char manual[MOST_TEXT];
    read_text(manual, DP_SOURCE "/docs/cli.md");
    const program_result *r = RUN("check", DP_SCENES "/cart_pole.xml", "--json", "--channels");
    assert_int_equal(r->code, 0);
    assert_one_json_object(r->out);
    static const char *const keys[] = {"version",   "scene",     "title",      "can_be_simulated",
                                       "missing",   "warnings",  "nq",         "nv",
                                       "na",        "nu",        "step",       "integrator",
                                       "gravity",   "mass",      "com",        "inertia",
                                       "bodies",    "joints",    "actuators",  "sensors",
                                       "keyframes", "tendons",   "equalities", "meshes",
                                       "geoms",     "materials", "contact",    "channels",
                                       "import",    "report"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i) {
        char quoted[40];
        json_at(r->out, NULL, keys[i]);
        snprintf(quoted, sizeof quoted, "`%s`", keys[i]);
        assert_non_null(strstr(manual, quoted));
    }
    const char *slider = json_find(r->out, "joints", "name", "slider");
    assert_non_null(slider);
    assert_int_equal(strncmp(json_at(slider, NULL, "kind"), "\"slide\"", 7), 0);
}

static void parameters_are_listed_with_units_and_bounds(void **state)
{
    (void)state;
    const program_result *r = RUN("check", DP_SCENES "/cart_pole.xml", "--parameters");
    assert_int_equal(r->code, 0);
    assert_non_null(strstr(r->out, "\n  body.pole.mass "));
    assert_non_null(strstr(r->out, " kg "));
    assert_null(strstr(r->out, "Bodies")); // nothing else
    r = RUN("check", DP_SCENES "/cart_pole.xml", "--json", "--parameters");
    assert_one_json_object(r->out);
    const char *mass = json_find(r->out, "parameters", "name", "body.pole.mass");
    assert_non_null(mass);
    assert_int_equal(strncmp(json_at(mass, NULL, "unit"), "\"kg\"", 4), 0);
    assert_true(strtod(json_at(mass, NULL, "value"), NULL) == 0.1);
    assert_true(strtod(json_at(mass, NULL, "lower"), NULL) == 0.0);
    r = RUN("check", DP_SCENES "/cart_pole.xml", "--parameters", "--tree");
    assert_int_equal(r->code, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_model_has_nothing_to_look_out_for),
        cmocka_unit_test(each_warning_comes_when_it_should_and_not_otherwise),
        cmocka_unit_test(a_mesh_in_millimetres_is_noticed),
        cmocka_unit_test(a_hull_that_holds_much_more_than_its_mesh_is_noticed),
        cmocka_unit_test(every_code_is_in_the_manual),
        cmocka_unit_test(many_warnings_of_a_kind_are_told_briefly),
        cmocka_unit_test(strict_objects_to_what_is_not_as_the_author_wrote_it),
        cmocka_unit_test(looks_and_notes_do_not_matter_to_strict),
        cmocka_unit_test(a_name_that_nothing_has_is_refused_with_the_nearest),
        cmocka_unit_test(all_that_is_missing_is_told_at_once),
        cmocka_unit_test(the_options_that_run_tells_do_work),
        cmocka_unit_test(all_lists_every_item_once),
        cmocka_unit_test(reasons_are_told_once_with_their_number),
        cmocka_unit_test(the_tree_is_drawn_with_branches),
        cmocka_unit_test(a_long_chain_is_drawn_straight_down),
        cmocka_unit_test(a_very_deep_tree_stays_on_the_page),
        cmocka_unit_test(every_scene_fits_a_hundred_columns),
        cmocka_unit_test(long_names_lose_their_middle_in_tables_only),
        cmocka_unit_test(a_wide_tree_is_drawn_straight_rather_than_cut),
        cmocka_unit_test(short_names_and_numbers_stay_whole),
        cmocka_unit_test(what_has_no_name_is_called_by_kind_and_number),
        cmocka_unit_test(inertias_in_json_are_those_of_the_library),
        cmocka_unit_test(the_whole_is_the_sum_of_its_parts),
        cmocka_unit_test(geoms_with_equal_numbers_share_a_material),
        cmocka_unit_test(materials_are_told_in_si_units),
        cmocka_unit_test(parameters_are_listed_with_units_and_bounds),
        cmocka_unit_test(json_has_what_is_promised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
