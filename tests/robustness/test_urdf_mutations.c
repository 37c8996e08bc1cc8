// Damaged URDF files: whatever the damage, an import ends with a spec or with a message, gives all
// memory back, and what it accepts can be compiled or is refused with a message, too. The short,
// deterministic relative of tests/fuzz/fuzz_urdf.c.
#include "counting_allocator.h"
#include "damage.h"
#include "random_urdf.h"

#include <dashpot/format.h>
#include <dashpot/model.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MUTANTS = 500, LONGEST = 200000 };
static const char *const seed_file[] = {"arm_6dof", "gripper", "walker_12dof"};

// Something of everything.
static const char rich[] =
    "<robot name='r' version='1.0'><mujoco><compiler balanceinertia='true' boundmass='.1' "
    "meshdir='m'/><option timestep='.01' gravity='0 0 -1'><flag limit='enable'/></option></mujoco>"
    "<material name='m'><color rgba='1 0 0 1'/><texture filename='t.png'/></material>"
    "<gazebo reference='a'><mu1>1</mu1></gazebo><transmission name='t'><type>s</type>"
    "</transmission><link name='world'/><link name='a' concave='no'><inertial><origin xyz='1 2 3' "
    "rpy='.1 .2 .3'/><mass value='1'/><inertia ixx='1' iyy='1.1' izz='1.2' ixy='.1' ixz='.2' "
    "iyz='.05'/></inertial><visual name='v'><geometry><box size='1 2 3'/></geometry><material "
    "name='m'/></visual><collision name='c'><origin quat_xyzw='0 0 0 1'/><geometry><capsule "
    "radius='.1' length='2'/></geometry></collision><collision><geometry><mesh filename="
    "'package://p/a.stl' scale='1 1 1'/></geometry></collision></link>"
    "<link name='b'><inertial><mass value='2'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"
    "<collision><geometry><plane normal='0 0 1'/></geometry></collision></link>"
    "<link name='c'><inertial><mass value='3'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"
    "<drake:proximity_properties><drake:mu_static value='1'/></drake:proximity_properties></link>"
    "<link name='d'><inertial><mass value='3'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>"
    "<link name='e'/><joint name='f' type='floating'><parent link='world'/><child "
    "link='a'/></joint>"
    "<joint name='g' type='revolute'><parent link='a'/><child link='b'/><axis xyz='0 0 1'/><limit "
    "lower='-1' upper='1' effort='3' velocity='2'/><dynamics damping='.1' friction='.2'/>"
    "<safety_controller k_velocity='1'/><calibration rising='0'/></joint>"
    "<joint name='h' type='prismatic'><parent link='b'/><child link='c'/><mimic joint='g' "
    "multiplier='2' offset='.1'/></joint><joint name='i' type='planar'><parent link='a'/><child "
    "link='d'/><axis xyz='1 1 0'/></joint><joint name='k' type='fixed'><parent link='d'/><child "
    "link='e'/></joint></robot>";

// Words that mean something to the reader, to be put anywhere.
static const char *const word[] = {
    "<link name='z'/>",
    "<joint name='z' type='floating'><parent link='a'/><child link='b'/></joint>",
    "</link>",
    "</joint>",
    "<mujoco><compiler settotalmass='3'/></mujoco>",
    "<xacro:if/>",
    "<gazebo>",
    "<drake:joint/>",
    "'",
    "\"",
    "<",
    ">",
    "/>",
    "&",
    "nan",
    "1e999",
    "1e-320",
    "-",
    "0",
    "name='a'",
    "type='fixed'",
    "<mesh filename='file:///'/>",
    "<!--",
    "]]>",
    "x:",
    "\x80",
    "${x}",
};
enum { WORDS = sizeof word / sizeof word[0] };

// Import, compile what can be compiled, and give everything back.
static void swallow(const damaged_text *text, unsigned long long mutant)
{
    counting_allocator counts = {0};
    const dp_allocator allocator = counting_allocator_for(&counts);
    const char *const allow[] = {"limit",       "contact",  "frictionloss", "equality", "mesh",
                                 "mesh-format", "inertia",  "drake:joint",  "unknown",  "massless",
                                 "mesh-file",   "repeated", "mimic"};
    const dp_import_options options = {.allow = allow,
                                       .nallow = mutant % 4 < 2 ? 8 : 13,
                                       .allocator = &allocator,
                                       .urdf_floating_base = mutant % 2 == 1};
    dp_spec *spec;
    dp_import_report *report;
    const dp_status status =
        dp_urdf_parse(&spec, &report, text->at, text->count, "no/such/folder/a.urdf", &options);
    if (status == DP_OK) {
        dp_model *m;
        if (dp_model_compile(&m, spec) == DP_OK) {
            dp_model_destroy(m);
        } else if (dp_last_error()[0] == '\0') {
            fail_msg("mutant %llu does not compile, without a message", mutant);
        }
    } else if (dp_last_error()[0] == '\0' || spec) {
        fail_msg("mutant %llu: %s without a message", mutant, dp_status_name(status));
    }
    dp_spec_destroy(spec);
    dp_import_report_destroy(report);
    if (counts.blocks != 0 || counts.wrong_sizes != 0) {
        fail_msg("mutant %llu leaks %zu blocks", mutant, counts.blocks);
    }
}

static size_t read_seed(char *text, int k)
{
    enum { FILES = sizeof seed_file / sizeof seed_file[0] };
    if (k == FILES) {
        memcpy(text, rich, sizeof rich - 1);
        return sizeof rich - 1;
    }
    if (k > FILES) {
        char *robot = random_urdf((uint64_t)k);
        const size_t n = strlen(robot);
        memcpy(text, robot, n);
        free(robot);
        return n;
    }
    char path[512];
    snprintf(path, sizeof path, "%s/urdf/%s.urdf", DP_SCENES, seed_file[k]);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t n = fread(text, 1, LONGEST, file);
    fclose(file);
    return n;
}

static void a_damaged_file_gives_a_spec_or_a_message(void **state)
{
    (void)state;
    enum { SEEDS = 6 };
    char *seed = malloc(LONGEST), *copy = malloc(LONGEST);
    assert_non_null(seed);
    assert_non_null(copy);
    for (int k = 0; k < SEEDS; ++k) {
        const size_t length = read_seed(seed, k);
        for (int i = 0; i < MUTANTS; ++i) {
            const uint64_t mutant = (uint64_t)(k * MUTANTS + i);
            random_source r = {mutant};
            damaged_text text = {copy, length, LONGEST};
            memcpy(copy, seed, length);
            for (int c = 0; c < i % 5; ++c) { // none: the seed itself
                damage_text(&text, word, WORDS, &r);
            }
            swallow(&text, mutant);
        }
    }
    free(seed);
    free(copy);
}

// Most mutants above die as XML. Here the XML stays sound and the values are damaged.
static void damaged_values_give_a_spec_or_a_message(void **state)
{
    (void)state;
    static const char *const value[] = {"",
                                        "0",
                                        "-1",
                                        "1e300",
                                        "1e-300",
                                        "1 2",
                                        "a",
                                        "b",
                                        "0 0 0",
                                        "1 2 3 4",
                                        "world",
                                        "fixed",
                                        "floating",
                                        "1e308 1e308 1e308",
                                        "planar",
                                        "g",
                                        "j",
                                        "revolute",
                                        "spherical",
                                        "continuous",
                                        "file:///etc/x.stl",
                                        "0 0 1e-320",
                                        "-0 0 -1"};
    char *copy = malloc(LONGEST);
    assert_non_null(copy);
    for (int i = 0; i < 10 * MUTANTS; ++i) {
        random_source r = {(uint64_t)(1000000 + i)};
        damaged_text text = {copy, sizeof rich - 1, LONGEST};
        memcpy(copy, rich, sizeof rich - 1);
        for (int c = 0; c < 1 + i % 3; ++c) {
            damage_value(&text, '\'', value, sizeof value / sizeof value[0], &r);
        }
        swallow(&text, (unsigned long long)(1000000 + i));
    }
    free(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_damaged_file_gives_a_spec_or_a_message),
        cmocka_unit_test(damaged_values_give_a_spec_or_a_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
