// From a spec to MJCF text and back.
#include "random_mechanism.h"
#include "random_spec.h"
#include "rich_spec.h"
#include "small_spec.h"
#include "written.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static dp_spec *empty_spec(void)
{
    dp_spec *spec;
    assert_ok(dp_spec_create(&spec, NULL));
    return spec;
}

// Where some steps lead to, from the first keyframe or from rest.
typedef struct arrival {
    uint64_t hash;
    int nq;
    double q[400];
} arrival;

static arrival move(const dp_spec *spec, int steps)
{
    dp_model *m;
    assert_ok(dp_model_compile(&m, spec));
    dp_data *d;
    assert_ok(dp_data_create(&d, m, NULL));
    if (dp_model_sizes(m)->nkey > 0) {
        assert_ok(dp_data_reset_to_key(d, (dp_key_id){0}));
    }
    for (int i = 0; i < dp_model_sizes(m)->nu; ++i) {
        dp_data_control(d)[i] = 0.25 * (i + 1);
    }
    for (int i = 0; i < steps; ++i) {
        if (dp_step(d) != DP_OK) { // it leaves the state as it was, in both
            break;
        }
    }
    arrival end = {.hash = dp_state_hash(d), .nq = dp_model_sizes(m)->nq};
    assert_in_range(end.nq, 0, 400);
    if (end.nq > 0) {
        memcpy(end.q, dp_data_q(d), (size_t)end.nq * sizeof *end.q);
    }
    dp_data_destroy(d);
    dp_model_destroy(m);
    return end;
}

static void assert_moves_the_same(const dp_spec *a, const dp_spec *b, int steps)
{
    assert_true(move(a, steps).hash == move(b, steps).hash);
}

// ---- the smallest texts

static void an_empty_spec_is_written_with_its_settings_only(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    char *text = written(spec);
    assert_string_equal(text, "<mujoco>\n"
                              "  <compiler angle=\"radian\" autolimits=\"false\"/>\n"
                              "  <option timestep=\"0.002\" gravity=\"0 0 -9.81\"/>\n"
                              "  <worldbody/>\n"
                              "</mujoco>\n");
    free(text);
    assert_round_trip(spec);
    dp_spec_destroy(spec);
}

static void a_free_joint_without_numbers_is_a_freejoint(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    const dp_body_id a = add_ball_body(spec, DP_WORLD, "a"), b = add_ball_body(spec, DP_WORLD, "b");
    add_joint(spec, a, "plain", DP_JOINT_FREE);
    const dp_joint_id damped = add_joint(spec, b, "damped", DP_JOINT_FREE);
    dp_spec_joint(spec, damped)->damping = 0.5;
    char *text = written(spec);
    assert_holds(text, "<freejoint name=\"plain\"/>");
    assert_holds(text, "<joint name=\"damped\" type=\"free\" damping=\"0.5\"/>");
    free(text);
    assert_round_trip(spec);
    dp_spec_destroy(spec);
}

// ---- every field

static void every_field_survives(void **state)
{
    (void)state;
    dp_spec *spec = rich_spec_create();
    assert_round_trip(spec);
    dp_spec_destroy(spec);
}

static void every_option_survives(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    dp_options *o = dp_spec_options(spec);
    o->step = 1.0 / 240.0;
    o->gravity = (dp_v3){0.1, -0.0, 1.62};
    o->magnetic = (dp_v3){1.0, 2.0, -0.0};
    o->fluid_density = 1.2;
    o->fluid_viscosity = 1.8e-5;
    o->wind = (dp_v3){-0.0, 3.0, 0.5};
    o->relative_tolerance = 1e-11;
    o->absolute_tolerance = 3e-13;
    o->max_substeps = 7;
    o->large_rotation = 0.0;
    o->solver.tolerance = 1e-11;
    o->solver.error_share = 2e-3;
    o->solver.law = DP_LAW_LCP;
    o->solver.max_factorizations = 13;
    o->solver.lcp.directions = 12;
    o->solver.lcp.method = DP_POLYHEDRAL_METHOD_LEMKE;
    o->solver.rigid.stabilisation = DP_STABILISATION_PROJECTION;
    o->solver.rigid.compliance = 0.1;
    o->solver.rigid.weights = DP_RIGID_WEIGHTS_EQUAL;
    o->solver.vi.friction = DP_VI_FRICTION_DISC;
    o->solver.friction.slip_speed = 0.001;
    o->solver.tamsi.slip_turn = 0.5;
    o->ode_stiffness = 1e7;
    o->solver.vi.desaxce = true;
    o->solver.impact.rule = DP_IMPACT_RULE_NEWTON;
    o->solver.impact.speed = 0.125;
    o->gap_tolerance = 1e-7;
    o->max_passes = 3;
    o->max_halvings = 0;
    o->patch_points = 5;
    o->accuracy = 1e-4;
    o->sleep_speed = 1e-3;
    o->sleep_time = 0.25;
    bool *const flags[] = {&o->disable_gravity,  &o->disable_contact,       &o->disable_limits,
                           &o->disable_springs,  &o->disable_dampers,       &o->disable_actuation,
                           &o->disable_equality, &o->disable_clamp_control, &o->ledger};
    for (int integrator = DP_INTEGRATOR_SEMI_IMPLICIT; integrator <= DP_INTEGRATOR_RK45;
         ++integrator) {
        o->integrator = (dp_integrator)integrator;
        for (int k = 0; k < 9; ++k) {
            *flags[k] = !*flags[k];
            assert_round_trip(spec);
        }
    }
    dp_spec_destroy(spec);
}

static void our_own_options_are_written_only_where_they_differ(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    dp_spec_options(spec)->integrator = DP_INTEGRATOR_RK4;
    char *text = written(spec);
    assert_null(strstr(text, "dashpot")); // so that others can read it
    assert_holds(text, "integrator=\"RK4\"");
    free(text);
    dp_spec_options(spec)->integrator = DP_INTEGRATOR_RK45;
    text = written(spec);
    assert_holds(text, "<dp:option xmlns:dp=\"dashpot\" integrator=\"rk45\"/>");
    free(text);
    dp_spec_destroy(spec);
}

// MuJoCo takes fixed gain kp, bias 0 −kp +x for a damping ratio x.
static void a_servo_with_negative_damping_is_not_taken_for_a_damping_ratio(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    add_joint(spec, add_ball_body(spec, DP_WORLD, "b"), "j", DP_JOINT_HINGE);
    dp_actuator_spec a = dp_actuator_spec_default();
    a.joint = "j";
    a.gain[0] = 4.0, a.bias[1] = -4.0, a.bias[2] = 0.5;
    assert_ok(dp_spec_add_actuator(NULL, spec, &a));
    assert_round_trip(spec);
    dp_spec_destroy(spec);
}

static void a_damping_ratio_stands_in_the_place_of_the_damping(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    add_joint(spec, add_ball_body(spec, DP_WORLD, "b"), "j", DP_JOINT_HINGE);
    dp_actuator_spec a = dp_actuator_spec_default();
    a.joint = "j";
    a.gain[0] = 4.0, a.bias[1] = -4.0;
    a.damping_ratio = 0.5;
    assert_ok(dp_spec_add_actuator(NULL, spec, &a));
    char *text = written(spec);
    assert_holds(text, "gaintype=\"fixed\" gainprm=\"4\" biastype=\"affine\"");
    assert_holds(text, "biasprm=\"0 -4 0.5\"");
    free(text);
    assert_round_trip(spec);
    dp_spec_destroy(spec);
}

static void geoms_of_every_group_keep_their_mass(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    const dp_body_id body = add_ball_body(spec, DP_WORLD, "b");
    for (int group = -4; group < 12; ++group) {
        dp_geom_spec geom = dp_geom_spec_default();
        geom.size[0] = 0.1;
        geom.group = group;
        assert_ok(dp_spec_add_geom(NULL, spec, body, &geom));
    }
    assert_round_trip(spec);
    dp_spec_destroy(spec);
}

static void a_quaternion_is_written_with_unit_length(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    const dp_body_id b = add_ball_body(spec, DP_WORLD, "b");
    dp_spec_body(spec, b)->pose.q = (dp_quat){0.0, 0.0, -3e250, 0.0};
    char *text = written(spec);
    assert_holds(text, "quat=\"0 0 -1 0\"");
    free(text);
    dp_spec_destroy(spec);
}

// ---- names

static const char *const difficult[] = {
    "a \"quoted\" 'name'",
    "<b> & </b> &amp; ]]>",
    "  blanks  ",
    "tab\tand\nline\r\nends",
    "Gelenk für Äpfel, 関節, 🦾",
    "\x7f\xc2\x80",                 // control characters that XML does hold
    "\xef\xbf\xbd\xf4\x8f\xbf\xbf", // the last of their kinds: U+FFFD, U+10FFFF
    "<!-- ${x} %s %n -->",
};
enum { NDIFFICULT = sizeof difficult / sizeof difficult[0] };

static void names_with_markup_white_space_and_any_script_survive(void **state)
{
    (void)state;
    for (int k = 0; k < NDIFFICULT; ++k) {
        const char *name = difficult[k];
        dp_spec *spec = empty_spec();
        assert_ok(dp_spec_set_title(spec, name));
        const dp_body_id body = add_ball_body(spec, DP_WORLD, name);
        add_joint(spec, body, name, DP_JOINT_HINGE);
        dp_site_spec site = dp_site_spec_default();
        site.name = name;
        assert_ok(dp_spec_add_site(NULL, spec, body, &site));
        dp_actuator_spec a = dp_actuator_spec_default();
        a.name = a.joint = name;
        assert_ok(dp_spec_add_actuator(NULL, spec, &a));
        dp_sensor_spec s = dp_sensor_spec_default();
        s.name = s.object = name;
        assert_ok(dp_spec_add_sensor(NULL, spec, &s));
        dp_key_spec key = dp_key_spec_default();
        key.name = name;
        assert_ok(dp_spec_add_key(NULL, spec, &key));
        assert_round_trip(spec);
        dp_spec_destroy(spec);
    }
}

// ---- order

static int child_of(dp_spec *spec, int parent, const char *name)
{
    return add_ball_body(spec, (dp_body_id){parent}, name).index;
}

static void bodies_are_written_depth_first(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    const int a = child_of(spec, 0, "a"), b = child_of(spec, 0, "b"), a1 = child_of(spec, a, "a1");
    child_of(spec, b, "b1");
    child_of(spec, a1, "a11");
    child_of(spec, a, "a2");
    child_of(spec, 0, "c");
    dp_geom_spec ground = dp_geom_spec_default();
    ground.kind = DP_GEOM_PLANE;
    ground.name = "ground";
    assert_ok(dp_spec_add_geom(NULL, spec, DP_WORLD, &ground));
    char *text = written(spec);
    dp_spec *again = read_written(text);
    static const char *const order[] = {"world", "a", "a1", "a11", "a2", "b", "b1", "c"};
    for (int i = 0; i < 8; ++i) {
        assert_string_equal(dp_spec_body(again, (dp_body_id){i})->name, order[i]);
    }
    assert_string_equal(dp_spec_geom(again, (dp_geom_id){0})->name, "ground");
    assert_round_trip(again); // from now on nothing moves
    free(text);
    dp_spec_destroy(spec);
    dp_spec_destroy(again);
}

// Joints of one body act in their order, whatever was added between them.
static void joints_of_a_body_keep_their_order(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    const dp_body_id a = add_ball_body(spec, DP_WORLD, "a"), b = add_ball_body(spec, a, "b");
    add_joint(spec, b, "b1", DP_JOINT_SLIDE);
    add_joint(spec, a, "a1", DP_JOINT_HINGE);
    add_joint(spec, b, "b2", DP_JOINT_HINGE);
    add_joint(spec, a, "a2", DP_JOINT_SLIDE);
    char *text = written(spec);
    dp_spec *again = read_written(text);
    static const char *const order[] = {"a1", "a2", "b1", "b2"};
    for (int i = 0; i < 4; ++i) {
        assert_string_equal(dp_spec_joint(again, (dp_joint_id){i})->name, order[i]);
    }
    assert_moves_the_same(spec, again, 20);
    free(text);
    dp_spec_destroy(spec);
    dp_spec_destroy(again);
}

// ---- mechanisms

static void scenes_come_back_the_same_and_move_the_same(void **state)
{
    (void)state;
    DIR *folder = opendir(DP_SCENES);
    assert_non_null(folder);
    int count = 0;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        const char *suffix = strrchr(entry->d_name, '.');
        if (!suffix || strcmp(suffix, ".xml") != 0) {
            continue;
        }
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", DP_SCENES, entry->d_name);
        dp_spec *spec;
        assert_ok(dp_mjcf_load(&spec, NULL, path, NULL));
        dp_spec *again = round_trip(spec);
        assert_moves_the_same(spec, again, 50);
        dp_spec_destroy(spec);
        dp_spec_destroy(again);
        ++count;
    }
    closedir(folder);
    assert_true(count >= 12);
}

static void random_mechanisms_come_back_the_same_and_move_the_same(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 400; ++seed) {
        const random_mechanism_options options = random_mechanism_default(seed);
        char *original = random_mechanism(&options);
        dp_spec *spec = read_written(original);
        dp_spec *again = round_trip(spec);
        assert_moves_the_same(spec, again, 10);
        dp_spec_destroy(spec);
        dp_spec_destroy(again);
        free(original);
    }
}

// Whether what is read has the ids of what was written.
static bool has_the_same_order(dp_spec *a, dp_spec *b)
{
    for (int i = 0; i < dp_spec_body_count(a); ++i) {
        const dp_body_id id = {i};
        if (strcmp(dp_spec_body(a, id)->name, dp_spec_body(b, id)->name) != 0) {
            return false;
        }
    }
    return true;
}

// Where bodies are not in the order of the tree they get other numbers, and sums over all bodies
// another order: round-off, which ten steps do not amplify much.
static void random_specs_move_the_same_whatever_their_order(void **state)
{
    (void)state;
    const double round_off = 1e-12; // [m, rad]
    int reordered = 0;
    for (uint64_t seed = 1; seed <= 200; ++seed) {
        random_spec_options options = random_spec_default(seed);
        options.actuators = true;
        dp_spec *spec = random_spec(&options);
        char *text = written(spec);
        dp_spec *again = read_written(text);
        dp_spec *third = round_trip(again); // from now on nothing changes
        assert_moves_the_same(again, third, 10);
        const arrival a = move(spec, 10), b = move(again, 10);
        assert_int_equal(a.nq, b.nq);
        for (int i = 0; i < a.nq; ++i) {
            assert_near(b.q[i], a.q[i], round_off);
        }
        if (has_the_same_order(spec, again)) {
            assert_true(a.hash == b.hash);
        } else {
            ++reordered;
        }
        free(text);
        dp_spec_destroy(spec);
        dp_spec_destroy(again);
        dp_spec_destroy(third);
    }
    assert_in_range(reordered, 20, 180); // of both kinds
}

// ---- files

static void a_saved_file_holds_what_is_written(void **state)
{
    (void)state;
    const char *path = DP_SCRATCH "/saved.xml";
    dp_spec *spec = rich_spec_create();
    assert_ok(dp_mjcf_save(path, spec));
    assert_ok(dp_mjcf_save(path, spec)); // replaces the first
    dp_spec *again;
    assert_ok(dp_mjcf_load(&again, NULL, path, NULL));
    assert_same_spec(spec, again);
    dp_spec_destroy(again);
    remove(path);
    dp_spec_destroy(spec);
}

static void a_file_that_cannot_be_written_is_not_touched(void **state)
{
    (void)state;
    const char *path = DP_SCRATCH "/untouched.xml";
    dp_spec *spec = empty_spec();
    assert_ok(dp_mjcf_save(path, spec));
    struct stat before, after;
    assert_int_equal(stat(path, &before), 0);
    assert_ok(dp_spec_set_title(spec, "\x01"));
    assert_int_equal(dp_mjcf_save(path, spec), DP_ERROR_UNSUPPORTED);
    assert_int_equal(stat(path, &after), 0);
    assert_true(before.st_ino == after.st_ino && before.st_size == after.st_size);
    remove(path);

    assert_ok(dp_spec_set_title(spec, ""));
    assert_int_equal(dp_mjcf_save(DP_SCRATCH "/no/such/folder/a.xml", spec), DP_ERROR_IO);
    assert_non_null(strstr(dp_last_error(), "no/such/folder/a.xml"));
    dp_spec_destroy(spec);
}

// ---- size

static dp_spec *many_bodies(int count, bool chain)
{
    dp_spec *spec = empty_spec();
    dp_body_id parent = DP_WORLD;
    for (int i = 0; i < count; ++i) {
        char name[16];
        snprintf(name, sizeof name, "b%d", i);
        const dp_body_id body = add_ball_body(spec, parent, name);
        snprintf(name, sizeof name, "j%d", i);
        dp_spec_joint(spec, add_joint(spec, body, name, DP_JOINT_HINGE))->damping = 1.0 / (i + 3);
        parent = chain ? body : DP_WORLD;
    }
    return spec;
}

// The text of a chain grows with its length, not with the square of it as its nesting would
// ask.
static void ten_thousand_bodies_are_written_in_well_under_a_second(void **state)
{
    (void)state;
    for (int chain = 0; chain < 2; ++chain) {
        dp_spec *spec = many_bodies(10000, chain);
        const clock_t start = clock();
        char *text = written(spec);
        const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
        assert_true(seconds < 0.5); // 0.03 s in a release build; sanitizers take their share
        assert_true(strlen(text) < 10000 * 400);
        dp_spec *again = read_written(text);
        assert_same_spec(spec, again);
        free(text);
        dp_spec_destroy(spec);
        dp_spec_destroy(again);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_spec_is_written_with_its_settings_only),
        cmocka_unit_test(a_free_joint_without_numbers_is_a_freejoint),
        cmocka_unit_test(every_field_survives),
        cmocka_unit_test(every_option_survives),
        cmocka_unit_test(our_own_options_are_written_only_where_they_differ),
        cmocka_unit_test(a_servo_with_negative_damping_is_not_taken_for_a_damping_ratio),
        cmocka_unit_test(a_damping_ratio_stands_in_the_place_of_the_damping),
        cmocka_unit_test(geoms_of_every_group_keep_their_mass),
        cmocka_unit_test(a_quaternion_is_written_with_unit_length),
        cmocka_unit_test(names_with_markup_white_space_and_any_script_survive),
        cmocka_unit_test(bodies_are_written_depth_first),
        cmocka_unit_test(joints_of_a_body_keep_their_order),
        cmocka_unit_test(scenes_come_back_the_same_and_move_the_same),
        cmocka_unit_test(random_mechanisms_come_back_the_same_and_move_the_same),
        cmocka_unit_test(random_specs_move_the_same_whatever_their_order),
        cmocka_unit_test(a_saved_file_holds_what_is_written),
        cmocka_unit_test(a_file_that_cannot_be_written_is_not_touched),
        cmocka_unit_test(ten_thousand_bodies_are_written_in_well_under_a_second),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
