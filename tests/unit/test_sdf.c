// SDFormat: models and worlds become the mechanisms that they describe.
#include "counting_allocator.h"
#include "near.h"
#include "spec_parts.h"
#include "text_file.h"

#include <dashpot/dashpot.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define FILES DP_SCRATCH "/sdf_files"
#define MODEL(content) "<sdf version='1.9'><model name='m'>" content "</model></sdf>"
#define LINK(name, content) "<link name='" name "'>" content "</link>"
#define JOINT(type, content)                                                                       \
    "<joint name='j' type='" type "'><parent>a</parent><child>b</child>" content "</joint>"
#define TWO(type, content) MODEL(LINK("a", "") LINK("b", "") JOINT(type, content))

static const double ROUND_OFF = 1e-14;

static dp_status parse(dp_spec **s, dp_import_report **report, const char *text, bool repair)
{
    dp_import_options options = dp_import_options_default();
    options.repair = repair;
    return dp_model_file_parse(s, report, text, strlen(text), FILES "/a.sdf", &options);
}

static dp_spec *load(const char *text)
{
    dp_spec *s;
    if (parse(&s, NULL, text, false) != DP_OK) {
        fail_msg("%s", dp_last_error());
    }
    return s;
}

static void assert_compiles(const dp_spec *s)
{
    dp_model *m;
    if (dp_model_compile(&m, s) != DP_OK) {
        fail_msg("%s", dp_last_error());
    }
    dp_model_destroy(m);
}

static void assert_at(dp_v3 p, double x, double y, double z)
{
    assert_near(p.x, x, ROUND_OFF);
    assert_near(p.y, y, ROUND_OFF);
    assert_near(p.z, z, ROUND_OFF);
}

// ---- frames

static void a_pose_is_relative_to_what_it_names(void **state)
{
    (void)state;
    dp_spec *s = load(MODEL("<static>true</static><pose>10 0 0 0 0 0</pose>"
                            "<frame name='f' attached_to='b'><pose>0 0 1 0 0 0</pose></frame>"
                            "<link name='a'><pose relative_to='f'>1 0 0 0 0 0</pose></link>"
                            "<link name='b'><pose degrees='true'>0 1 0 0 0 90</pose></link>"
                            "<link name='c'><pose relative_to='a' rotation_format='quat_xyzw'>"
                            "1 0 0 0 0 0 2</pose></link>"));
    assert_at(body(s, 1)->pose.p, 10, 2, 1); // f: at (0, 1, 1) in the model, x along y
    assert_at(body(s, 2)->pose.p, 10, 1, 0);
    assert_at(body(s, 3)->pose.p, 10, 3, 1);
    assert_near(body(s, 3)->pose.q.z, sqrt(0.5), ROUND_OFF);
    assert_compiles(s);
    dp_spec_destroy(s);
}

static void frames_that_go_in_circles_are_refused(void **state)
{
    (void)state;
    dp_spec *s;
    assert_int_equal(parse(&s, NULL,
                           MODEL("<link name='a'><pose relative_to='b'/></link>\n"
                                 "<link name='b'><pose relative_to='a'/></link>"),
                           false),
                     DP_ERROR_PARSE);
    assert_non_null(strstr(dp_last_error(), "relative to itself"));
}

static void an_axis_is_in_the_frame_that_it_names(void **state)
{
    (void)state;
    // The child is turned by 90° about z, the joint then by 90° about x of the model: its z is the
    // model's −y, and that the child's −x.
    static const char *const axis[] = {
        "<axis><xyz>0 0 1</xyz></axis>", "<axis><xyz expressed_in='__model__'>0 -1 0</xyz></axis>",
        "<axis><xyz expressed_in='a'>0 -1 0</xyz></axis>",
        "<axis><xyz>0 -1 0</xyz><use_parent_model_frame>1</use_parent_model_frame></axis>"};
    for (int i = 0; i < 4; ++i) {
        char text[1000];
        snprintf(text, sizeof text,
                 MODEL("<link name='a'/><link name='b'><pose degrees='true'>0 0 0 0 0 90</pose>"
                       "</link><joint name='j' type='revolute'><pose relative_to='__model__' "
                       "degrees='true'>0 0 2 90 0 0</pose><parent>a</parent><child>b</child>%s"
                       "</joint>"),
                 axis[i]);
        dp_spec *s = load(text);
        assert_at(joint(s, 1)->anchor, 0, 0, 2);
        assert_at(joint(s, 1)->axis, -1, 0, 0);
        dp_spec_destroy(s);
    }
}

// ---- joints

static void each_type_of_joint_is_what_it_says(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        int count;
        dp_joint_kind kind;
    } types[] = {{"revolute", 1, DP_JOINT_HINGE},  {"continuous", 1, DP_JOINT_HINGE},
                 {"prismatic", 1, DP_JOINT_SLIDE}, {"fixed", 0, DP_JOINT_FREE},
                 {"ball", 1, DP_JOINT_BALL},       {"universal", 2, DP_JOINT_HINGE},
                 {"revolute2", 2, DP_JOINT_HINGE}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i) {
        char text[1000];
        snprintf(text, sizeof text,
                 TWO("%s", "<axis><xyz>1 0 0</xyz><limit><lower>-1</lower><upper>2</upper></limit>"
                           "<dynamics><damping>3</damping><friction>4</friction>"
                           "<spring_stiffness>5</spring_stiffness></dynamics></axis>"
                           "<axis2><xyz>0 1 0</xyz></axis2>"),
                 types[i].type);
        dp_spec *s = load(text);
        assert_int_equal(dp_spec_joint_count(s), 1 + types[i].count); // and that of the root
        assert_int_equal(joint(s, 0)->kind, DP_JOINT_FREE);
        if (types[i].count > 0) {
            const dp_joint_spec *j = joint(s, 1);
            assert_int_equal(j->kind, types[i].kind);
            const bool scalar = types[i].kind != DP_JOINT_BALL;
            assert_int_equal(j->limited, scalar && strcmp(types[i].type, "continuous") != 0);
            assert_near(j->damping, scalar ? 3.0 : 0.0, 0.0);
            assert_near(j->stiffness, scalar ? 5.0 : 0.0, 0.0);
        }
        if (types[i].count == 2) {
            assert_string_equal(joint(s, 1)->name, "j_1");
            assert_at(joint(s, 2)->axis, 0, 1, 0);
        }
        assert_compiles(s);
        dp_spec_destroy(s);
    }
}

static void a_double_pendulum_swings_as_that_of_mjcf(void **state)
{
    (void)state;
#define ROD                                                                                        \
    "<inertial><pose>0 0 -0.5 0 0 0</pose><mass>2</mass><inertia><ixx>0.2</ixx><iyy>0.2</iyy>"     \
    "<izz>0.01</izz><ixy>0</ixy><ixz>0</ixz><iyz>0</iyz></inertia></inertial>"
#define MJCF_ROD "<inertial pos='0 0 -0.5' mass='2' diaginertia='0.2 0.2 0.01'/>"
    dp_spec *a = load(
        "<sdf version='1.7'><world name='w'><gravity>0 0 -9.81</gravity><physics type='ode'>"
        "<max_step_size>0.002</max_step_size></physics><model name='m'><pose>0 0 3 0 0 0</pose>"
        "<link name='upper'><pose>0 0 0 0.5 0 0</pose>" ROD "</link>"
        "<link name='lower'><pose relative_to='upper'>0 0 -1 0.3 0 0</pose>" ROD "</link>"
        "<joint name='top' type='revolute'><parent>world</parent><child>upper</child>"
        "<axis><xyz>1 0 0</xyz></axis></joint>"
        "<joint name='elbow' type='revolute'><parent>upper</parent><child>lower</child>"
        "<axis><xyz>1 0 0</xyz><dynamics><damping>0.1</damping></dynamics></axis></joint>"
        "</model></world></sdf>");
    static const char mjcf[] =
        "<mujoco><worldbody><body name='upper' pos='0 0 3' euler='28.64788975654116 0 0'>"
        "<joint axis='1 0 0'/>" MJCF_ROD
        "<body name='lower' pos='0 0 -1' euler='17.188733853924695 0 0'>"
        "<joint axis='1 0 0' damping='0.1'/>" MJCF_ROD "</body></body></worldbody></mujoco>";
    dp_spec *b;
    assert_int_equal(dp_mjcf_parse(&b, NULL, mjcf, strlen(mjcf), "b.xml", NULL), DP_OK);
    dp_spec *const spec[2] = {a, b};
    double q[2][2];
    for (int i = 0; i < 2; ++i) {
        dp_model *m;
        dp_data *d;
        assert_int_equal(dp_model_compile(&m, spec[i]), DP_OK);
        assert_int_equal(dp_data_create(&d, m, NULL), DP_OK);
        for (int k = 0; k < 500; ++k) {
            assert_int_equal(dp_step(d), DP_OK);
        }
        memcpy(q[i], dp_data_q(d), sizeof q[i]);
        dp_data_destroy(d);
        dp_model_destroy(m);
        dp_spec_destroy(spec[i]);
    }
    assert_true(fabs(q[0][0]) > 0.1);
    assert_near(q[0][0], q[1][0], 1e-10); // rounding, over 500 steps
    assert_near(q[0][1], q[1][1], 1e-10);
}

// ---- models

static void what_is_static_is_fixed_and_what_is_not_floats(void **state)
{
    (void)state;
    dp_spec *s = load("<sdf version='1.9'><world name='w'>"
                      "<model name='table'><static>true</static><link name='l'/></model>"
                      "<model name='ball'><link name='l'><gravity>0</gravity></link></model>"
                      "</world></sdf>");
    assert_string_equal(dp_spec_title(s), "w");
    assert_near(dp_spec_options(s)->step, 0.001, 0.0); // as the format says
    assert_string_equal(body(s, 1)->name, "table::l");
    assert_string_equal(body(s, 2)->name, "ball::l");
    assert_near(body(s, 2)->gravity_compensation, 1.0, 0.0);
    assert_int_equal(dp_spec_joint_count(s), 1);
    assert_string_equal(joint(s, 0)->name, "ball::l_free_joint");
    dp_spec_destroy(s);
}

static void models_in_models_are_reached_by_their_names(void **state)
{
    (void)state;
    dp_spec *s = load(MODEL("<link name='a'/><model name='inner'><pose>0 0 1 0 0 0</pose>"
                            "<link name='l'><pose>1 0 0 0 0 0</pose></link></model>"
                            "<joint name='j' type='fixed'><parent>a</parent><child>inner::l</child>"
                            "</joint>"));
    assert_string_equal(body(s, 2)->name, "inner::l");
    assert_at(body(s, 2)->pose.p, 1, 0, 1);
    dp_spec_destroy(s);
}

static void a_model_is_included_by_its_uri(void **state)
{
    (void)state;
    mkdir(FILES, 0777);
    mkdir(FILES "/box", 0777);
    write_text(FILES "/box/model.sdf",
               "<sdf version='1.6'><model name='box'><pose>5 5 5 0 0 0</pose><link name='l'>"
               "</link></model></sdf>");
    dp_spec *s = load("<sdf version='1.9'><world name='w'>"
                      "<include><uri>model://box</uri></include>"
                      "<include><uri>box/model.sdf</uri><name>other</name>"
                      "<pose>1 2 3 0 0 0</pose><static>true</static></include></world></sdf>");
    assert_string_equal(body(s, 1)->name, "box::l");
    assert_at(body(s, 1)->pose.p, 5, 5, 5);
    assert_string_equal(body(s, 2)->name, "other::l");
    assert_at(body(s, 2)->pose.p, 1, 2, 3);
    assert_int_equal(dp_spec_joint_count(s), 1);
    dp_spec_destroy(s);
    write_text(FILES "/box/model.sdf", "<sdf version='1.6'><model name='box'><link name='l'/>"
                                       "<include><uri>model://box</uri></include></model></sdf>");
    assert_int_equal(parse(&s, NULL,
                           "<sdf version='1.9'><world name='w'><include><uri>model://box</uri>"
                           "</include></world></sdf>",
                           false),
                     DP_ERROR_PARSE);
    assert_non_null(strstr(dp_last_error(), "models in models, more than 20 deep"));
    assert_int_equal(parse(&s, NULL,
                           "<sdf version='1.9'><world name='w'><include><uri>model://none</uri>"
                           "</include></world></sdf>",
                           false),
                     DP_ERROR_IO);
}

static void links_of_a_model_touch_each_other_where_it_says_so(void **state)
{
    (void)state;
    dp_spec *s = load(TWO("ball", ""));
    assert_int_equal(dp_spec_exclude_count(s), 1);
    dp_spec_destroy(s);
    s = load(MODEL("<self_collide>1</self_collide>" LINK("a", "") LINK("b", "")));
    assert_int_equal(dp_spec_exclude_count(s), 0);
    dp_spec_destroy(s);
}

// ---- shapes

static void shapes_touch_as_their_surface_says(void **state)
{
    (void)state;
    dp_spec *s = load(MODEL(LINK(
        "a",
        "<collision name='c'><pose>0 0 1 0 0 0</pose><geometry><box><size>2 4 6</size></box>"
        "</geometry><surface><friction><ode><mu>0.3</mu></ode></friction><contact>"
        "<collide_bitmask>6</collide_bitmask></contact></surface></collision>"
        "<collision name='d'><geometry><cylinder><radius>1</radius><length>4</length>"
        "</cylinder></geometry></collision>"
        "<collision name='e'><geometry><plane><normal>1 0 0</normal></plane></geometry>"
        "</collision><collision name='e'><geometry><empty/></geometry></collision>"
        "<visual name='v'><geometry><sphere><radius>1</radius></sphere></geometry></visual>")));
    assert_int_equal(dp_spec_geom_count(s), 4);
    assert_string_equal(geom(s, 0)->name, "a::c");
    assert_near(geom(s, 0)->size[2], 3.0, 0.0);
    assert_near(geom(s, 0)->friction[0], 0.3, 0.0);
    assert_int_equal(geom(s, 0)->contype, 6);
    assert_at(geom(s, 0)->pose.p, 0, 0, 1);
    assert_int_equal(geom(s, 1)->kind, DP_GEOM_CYLINDER);
    assert_near(geom(s, 1)->size[1], 2.0, 0.0);
    assert_int_equal(geom(s, 1)->contype, 65535);
    const dp_quat q = geom(s, 2)->pose.q; // z to x
    assert_near(2.0 * (q.x * q.z + q.w * q.y), 1.0, ROUND_OFF);
    assert_int_equal(geom(s, 3)->contype, 0);
    dp_spec_destroy(s);
}

// ---- what is wrong, and what is not read

static void a_file_that_errs_is_refused_with_the_line(void **state)
{
    (void)state;
    static const struct {
        dp_status status;
        const char *text, *message;
    } bad[] = {
        {DP_ERROR_PARSE, "<sdf version='1.9'/>", "a.sdf:1: sdf: found no <model>"},
        {DP_ERROR_PARSE, MODEL("\n<link/>"), "a.sdf:2: link: found name ''"},
        {DP_ERROR_PARSE, MODEL("<link name='a'/>\n<link name='a'/>"),
         "a.sdf:2: link 'a': found a second 'm::a' (the first is in line 1)"},
        {DP_ERROR_PARSE, TWO("helix", ""), "joint 'j': found type 'helix' (expected revolute"},
        {DP_ERROR_PARSE, MODEL(LINK("a", "") "\n" JOINT("fixed", "")),
         "a.sdf:2: joint 'j': found 'b' (expected the name of a link, joint, frame or model)"},
        {DP_ERROR_PARSE, MODEL("<link name='a'>\n<pose>1 2 x</pose></link>"),
         "a.sdf:2: pose: found 'x' as number 3 of the pose (expected 6 finite numbers)"},
        {DP_ERROR_PARSE, TWO("revolute", "<axis>\n<xyz>0 0 0</xyz></axis>"),
         "a.sdf:2: xyz: found an axis of length 0"},
        {DP_ERROR_PARSE, MODEL("<static>\nperhaps</static>"), "(expected true or false)"},
        {DP_ERROR_PARSE,
         MODEL(LINK("a", "") LINK("b", "")
                   JOINT("ball", "") "\n<joint name='k' type='ball'>"
                                     "<parent>b</parent><child>a</child></joint>"),
         "found joints that form a circle"},
        {DP_ERROR_PARSE,
         MODEL(LINK("a", "") "\n<joint name='k' type='ball'><parent>a</parent>"
                             "<child>world</child></joint>"),
         "a.sdf:2: joint 'k': found the world as <child>"},
        {DP_ERROR_UNSUPPORTED, TWO("screw", ""), "allow \"sdf-joint\""},
        {DP_ERROR_UNSUPPORTED,
         MODEL(LINK("a", "<collision name='c'><geometry><heightmap/></geometry></collision>")),
         "allow \"sdf-shape\""},
        {DP_ERROR_UNSUPPORTED, MODEL(LINK("a", "<inertial><mass>0</mass></inertial>")),
         "allow \"massless\""},
        {DP_ERROR_UNSUPPORTED,
         MODEL(LINK("a", "<inertial><inertia><ixx>9</ixx></inertia></inertial>")),
         "allow \"inertia\""},
        {DP_ERROR_UNSUPPORTED,
         MODEL(LINK("a", "") LINK("b", "")
                   JOINT("ball", "") "<joint name='k' type='ball'>"
                                     "<parent>world</parent><child>b</child></joint>"),
         "allow \"loop_joint\""},
        {DP_ERROR_UNSUPPORTED, "#usda 1.0\n", "found a USD file, which is not read (expected MJCF"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        dp_spec *s;
        const dp_status status = parse(&s, NULL, bad[i].text, false);
        if (status != bad[i].status || s || !strstr(dp_last_error(), bad[i].message)) {
            fail_msg("%s: '%s' (expected '%s')", dp_status_name(status), dp_last_error(),
                     bad[i].message);
        }
    }
}

static void flaws_are_repaired_and_what_is_not_read_is_listed(void **state)
{
    (void)state;
    dp_spec *s;
    dp_import_report *report;
    assert_int_equal(parse(&s, &report,
                           MODEL(LINK("a", "<inertial><mass>0</mass></inertial>") LINK(
                               "b", "<inertial><inertia><ixx>9</ixx></inertia></inertial>"
                                    "<sensor name='s' type='imu'/>") "<plugin name='p'/>"),
                           true),
                     DP_OK);
    assert_int_equal(dp_spec_joint_count(s), 1); // a does not float: its mass is 0
    assert_compiles(s);
    static const char *const notes[] = {"fixed to the world, as in Bullet",
                                        "three equal ones instead", "a plugin of Gazebo",
                                        "sensors of SDFormat are not read"};
    for (int k = 0; k < 4; ++k) {
        bool found = false;
        for (int i = 0; i < dp_import_report_count(report); ++i) {
            found = found || strstr(dp_import_report_item(report, i).note, notes[k]);
        }
        assert_true(found);
    }
    dp_import_report_destroy(report);
    dp_spec_destroy(s);
}

static void each_allocation_may_fail_in_turn(void **state)
{
    (void)state;
    static const char text[] =
        TWO("revolute", "<pose>0 0 1 0 0 0</pose><axis><limit><lower>0</lower><upper>1</upper>"
                        "</limit></axis>");
    dp_status status = DP_ERROR_MEMORY;
    for (size_t n = 1; status != DP_OK; ++n) {
        counting_allocator counts = {.fail_at = n};
        const dp_allocator allocator = counting_allocator_for(&counts);
        dp_import_options options = dp_import_options_default();
        options.allocator = &allocator;
        dp_spec *s;
        dp_import_report *report;
        status = dp_sdf_parse(&s, &report, text, strlen(text), "a.sdf", &options);
        assert_true(status == DP_OK || status == DP_ERROR_MEMORY);
        dp_spec_destroy(s);
        dp_import_report_destroy(report);
        assert_int_equal(counts.blocks, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pose_is_relative_to_what_it_names),
        cmocka_unit_test(frames_that_go_in_circles_are_refused),
        cmocka_unit_test(an_axis_is_in_the_frame_that_it_names),
        cmocka_unit_test(each_type_of_joint_is_what_it_says),
        cmocka_unit_test(a_double_pendulum_swings_as_that_of_mjcf),
        cmocka_unit_test(what_is_static_is_fixed_and_what_is_not_floats),
        cmocka_unit_test(models_in_models_are_reached_by_their_names),
        cmocka_unit_test(a_model_is_included_by_its_uri),
        cmocka_unit_test(links_of_a_model_touch_each_other_where_it_says_so),
        cmocka_unit_test(shapes_touch_as_their_surface_says),
        cmocka_unit_test(a_file_that_errs_is_refused_with_the_line),
        cmocka_unit_test(flaws_are_repaired_and_what_is_not_read_is_listed),
        cmocka_unit_test(each_allocation_may_fail_in_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
