// Which links of a URDF file may touch each other, and by what.
#include "imported.h"
#include "spec_parts.h"
#include "text_file.h"

#include <dashpot/contact.h>
#include <dashpot/format.h>
#include <dashpot/model.h>

#include <stdio.h>
#include <string.h>

#define MASS "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"
#define BOX "<collision><geometry><box size='1 1 1'/></geometry></collision>"
#define LINK(name) "<link name='" name "'>" MASS BOX "</link>"
#define JOINT(name, type, from, to, x)                                                             \
    "<joint name='" name "' type='" type "'><parent link='" from "'/><child link='" to             \
    "'/><origin xyz='" x " 0 0'/><limit lower='-1' upper='1'/></joint>"

static dp_model *model_of(const char *text, const dp_import_options *options,
                          dp_import_report **report)
{
    dp_spec *spec = NULL;
    dp_model *m = NULL;
    if (dp_urdf_parse(&spec, report, text, strlen(text), DP_SCRATCH "/r.urdf", options) != DP_OK ||
        dp_model_compile(&m, spec) != DP_OK) {
        fail_msg("%s", dp_last_error());
    }
    dp_spec_destroy(spec);
    return m;
}

// Each link has one shape, in the order of the links.
static bool touch(const dp_model *m, int a, int b)
{
    return dp_model_may_touch(m, (dp_geom_id){a}, (dp_geom_id){b});
}

// How many items of the report tell of links that do not touch.
static int count_listed(const dp_import_report *report)
{
    int count = 0;
    for (int i = 0; i < dp_import_report_count(report); ++i) {
        const dp_import_item item = dp_import_report_item(report, i);
        count += item.verdict == DP_IMPORT_VERDICT_APPROXIMATED &&
                 strstr(item.note, "does not touch link") != NULL;
    }
    return count;
}

// A base with a foot and an arm of three links, one metre each; the last reaches back to the first.
#define ARM                                                                                        \
    "<robot name='arm'>" LINK("base") LINK("foot") LINK("a") LINK("b") LINK("c")                   \
        JOINT("weld", "fixed", "base", "foot", "0.5") JOINT("j1", "revolute", "base", "a", "0.9")  \
            JOINT("j2", "revolute", "a", "b", "2")                                                 \
                JOINT("j3", "revolute", "b", "c", "-1.5") "</robot>"
enum { BASE, FOOT, A, B, C };

static void links_at_a_joint_never_touch_whether_fixed_or_not(void **state)
{
    (void)state;
    for (int rule = DP_SELF_COLLISION_AUTO; rule <= DP_SELF_COLLISION_NONE; ++rule) {
        dp_import_options options = dp_import_options_default();
        options.urdf_self_collision = (dp_self_collision)rule;
        dp_model *m = model_of(ARM, &options, NULL);
        assert_false(touch(m, BASE, FOOT)); // welded
        assert_false(touch(m, BASE, A));
        assert_false(touch(m, FOOT, A)); // welded to what the joint connects
        assert_false(touch(m, A, B));
        assert_false(touch(m, B, C));
        dp_model_destroy(m);
    }
}

static void links_that_overlap_at_zero_do_not_touch_and_are_listed(void **state)
{
    (void)state;
    dp_import_report *report;
    dp_model *m = model_of(ARM, NULL, &report);
    assert_true(touch(m, BASE, B)); // 2.9 m from each other
    assert_true(touch(m, FOOT, B));
    assert_false(touch(m, A, C));    // 0.5 m from each other, 1 m wide
    assert_false(touch(m, FOOT, C)); // 0.9 m
    assert_true(touch(m, BASE, C));  // 1.4 m
    assert_int_equal(count_listed(report), 2);
    dp_import_report_destroy(report);
    dp_model_destroy(m);
}

static void all_links_that_no_joint_connects_can_be_asked_for(void **state)
{
    (void)state;
    dp_import_options options = dp_import_options_default();
    options.urdf_self_collision = DP_SELF_COLLISION_ALL;
    dp_import_report *report;
    dp_model *m = model_of(ARM, &options, &report);
    assert_true(touch(m, A, C));
    assert_true(touch(m, FOOT, C));
    assert_int_equal(count_listed(report), 0);
    dp_import_report_destroy(report);
    dp_model_destroy(m);
}

static void no_links_touch_each_other_when_asked_for(void **state)
{
    (void)state;
    dp_import_options options = dp_import_options_default();
    options.urdf_self_collision = DP_SELF_COLLISION_NONE;
    dp_model *m = model_of(ARM, &options, NULL);
    assert_int_equal(dp_model_sizes(m)->ntouch, 0);
    dp_model_destroy(m);
}

static void links_that_merely_meet_do_touch(void **state)
{
    (void)state;
    dp_model *m = model_of("<robot name='gripper'>" LINK("palm") LINK("left") LINK("right")
                               JOINT("l", "prismatic", "palm", "left", "3")
                                   JOINT("r", "prismatic", "palm", "right", "4") "</robot>",
                           NULL, NULL);
    assert_true(touch(m, 1, 2)); // face on face
    dp_model_destroy(m);
}

static void a_floating_joint_connects_nothing(void **state)
{
    (void)state;
    dp_model *m = model_of("<robot name='r'>" LINK("table") LINK("cube")
                               JOINT("flight", "floating", "table", "cube", "1.1") "</robot>",
                           NULL, NULL);
    assert_true(touch(m, 0, 1));
    dp_model_destroy(m);
}

static void a_link_called_world_is_scenery(void **state)
{
    (void)state;
    dp_model *m = model_of("<robot name='r'><link name='world'>" BOX "</link>" LINK("a")
                               JOINT("j", "revolute", "world", "a", "0.9") "</robot>",
                           NULL, NULL);
    assert_true(touch(m, 0, 1));
    dp_model_destroy(m);
}

// A tetrahedron in a file, as the only shape of two links with this joint between them.
static dp_model *two_of_mesh(const char *type, const dp_import_options *options,
                             dp_import_report **report)
{
    char text[2000];
    write_text(DP_SCRATCH "/self_collision.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
                                                 "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
    static const char link[] = MASS "<collision><geometry><mesh "
                                    "filename='self_collision.obj'/></geometry></collision></link>";
    snprintf(text, sizeof text,
             "<robot name='r'><link name='a'>%s<link name='b'>%s<joint name='j' type='%s'><parent "
             "link='a'/><child link='b'/><limit lower='-1' upper='1'/></joint></robot>",
             link, link, type);
    return model_of(text, options, report);
}

static void meshes_of_a_robot_are_hulls_and_those_of_scenery_triangles(void **state)
{
    (void)state;
    dp_import_report *report;
    dp_model *m = two_of_mesh("revolute", NULL, &report);
    assert_int_equal(dp_model_geom(m, (dp_geom_id){0}).mesh_contact, DP_MESH_CONTACT_HULL);
    assert_int_equal(dp_model_geom(m, (dp_geom_id){1}).mesh_contact, DP_MESH_CONTACT_HULL);
    assert_string_equal(item_of(report, "mesh", "").note, "touches by its convex hull");
    dp_import_report_destroy(report);
    dp_model_destroy(m);

    m = two_of_mesh("fixed", NULL, NULL);
    assert_int_equal(dp_model_geom(m, (dp_geom_id){0}).mesh_contact, DP_MESH_CONTACT_TRIANGLES);
    dp_model_destroy(m);

    dp_import_options options = dp_import_options_default();
    options.urdf_floating_base = true;
    m = two_of_mesh("fixed", &options, NULL);
    assert_int_equal(dp_model_geom(m, (dp_geom_id){0}).mesh_contact, DP_MESH_CONTACT_HULL);
    dp_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_at_a_joint_never_touch_whether_fixed_or_not),
        cmocka_unit_test(links_that_overlap_at_zero_do_not_touch_and_are_listed),
        cmocka_unit_test(all_links_that_no_joint_connects_can_be_asked_for),
        cmocka_unit_test(no_links_touch_each_other_when_asked_for),
        cmocka_unit_test(links_that_merely_meet_do_touch),
        cmocka_unit_test(a_floating_joint_connects_nothing),
        cmocka_unit_test(a_link_called_world_is_scenery),
        cmocka_unit_test(meshes_of_a_robot_are_hulls_and_those_of_scenery_triangles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
