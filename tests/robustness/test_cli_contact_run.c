// `dashpot run` and `solve` where things touch: certificate, channels, problems, notes.
#include "json_text.h"
#include "near.h"
#include "program_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCRATCH(name) DP_SCRATCH "/contact_run_" name

// A box slides and turns, another falls on it, and a ball rolls with friction of every kind.
static const char scene[] =
    "<mujoco><option timestep='0.005'/><worldbody>"
    "<geom name='floor' type='plane' size='1 1 1' friction='0.5'/>"
    "<body name='low' pos='0 0 0.1'><freejoint/>"
    "<geom name='lower' type='box' size='.1 .1 .1' mass='2'/></body>"
    "<body name='top' pos='0.02 0.01 0.32' euler='0 0 20'><freejoint/>"
    "<geom type='box' size='.1 .1 .1' mass='1'/></body>"
    "<body name='ball' pos='0.5 0 0.3'><freejoint/>"
    "<geom type='sphere' size='.1' mass='1' condim='6'/></body></worldbody>"
    "<keyframe><key name='moving' qvel='1 0.5 0 0 0 2  0 0 0 0 0 0  -1 0.3 0 0 3 5'/></keyframe>"
    "</mujoco>";

static const char *write_scene(void)
{
    write_text(SCRATCH("scene.xml"), scene);
    return SCRATCH("scene.xml");
}

static void the_certificate_has_cone_power_lift_off_and_creep(void **state)
{
    (void)state;
    const program_result *r =
        RUN("run", write_scene(), "--keyframe", "moving", "--seconds", "1", "--json");
    assert_int_equal(r->code, 0);
    assert_one_json_object(r->out);
    const char *worst = json_at(r->out, "certificate", "worst");
    static const char *const key[] = {"cone",       "friction_power", "penetration",
                                      "lift_off",   "creep",          "drift",
                                      "normal_law", "momentum",       "complementarity"};
    for (size_t i = 0; i < sizeof key / sizeof *key; ++i) {
        const double x = json_number(worst, NULL, key[i]);
        assert_true(x >= 0.0 && x < 1e-3);
    }
    assert_true(json_number(worst, NULL, "creep") <= 1e-9); // the law's tolerance
    assert_true(json_number(worst, NULL, "lift_off") <= 1e-12);
    assert_true(json_number(r->out, "rows", "most_contacts") >= 9.0);
    assert_near(json_number(r->out, "rows", "capped_searches"), 0.0, 0.0);
    const double friction = json_number(r->out, "ledger", "friction");
    assert_true(friction > 0.1);
    assert_near(json_number(r->out, "ledger", "contact_friction"), friction, 0.0);
    r = RUN("run", SCRATCH("scene.xml"), "--keyframe", "moving", "--seconds", "1");
    assert_null(strstr(r->out, "friction power")); // only where it is asked for
    assert_non_null(strstr(r->out, "final pose"));
    assert_non_null(strstr(r->out, "contact force"));
    assert_null(strstr(r->err, "note:"));
    r = RUN("run", SCRATCH("scene.xml"), "--keyframe", "moving", "--seconds", "1", "--certificate");
    assert_non_null(strstr(r->out, "friction power"));
    assert_non_null(strstr(r->out, "contacts"));
    assert_non_null(strstr(r->out, "not conserved: lower may touch the world"));
    assert_null(strstr(r->err, "note:"));
}

// The values of the last line of a CSV file.
static void last_line(double *out, int count, const char *path)
{
    static char text[MOST_TEXT];
    read_text(text, path);
    size_t end = strlen(text);
    while (end > 0 && text[end - 1] == '\n') {
        text[--end] = '\0';
    }
    char *at = strrchr(text, '\n') + 1;
    for (int i = 0; i < count; ++i) {
        out[i] = strtod(at, &at);
        at += *at == ',';
    }
    assert_true(*at == '\0');
}

static void channels_of_pairs_have_the_weights_at_rest(void **state)
{
    (void)state;
    const program_result *r =
        RUN("run", write_scene(), "--seconds", "3", "--csv", SCRATCH("out.csv"), "--channels",
            "contact.world.low.fn,contact.low.top.fz,contact.top.low.fz,contact.floor.lower.fn,"
            "contact.world.ball.fn,contact.low.ball.fn,cert.creep,cert.lift_off,cert.cone,"
            "cert.friction_power,energy.contact,energy.contact_friction");
    assert_string_equal(r->err, "");
    assert_int_equal(r->code, 0);
    double x[13];
    last_line(x, 13, SCRATCH("out.csv"));
    const double g = 9.81;
    assert_near(x[1], 3.0 * g, 1e-6);
    assert_near(x[2], g, 1e-6);
    assert_near(x[3], -g, 1e-6);
    assert_near(x[4], 3.0 * g, 1e-6);
    assert_near(x[5], g, 1e-6);
    assert_near(x[6], 0.0, 0.0);
    for (int i = 7; i < 11; ++i) {
        assert_near(x[i], 0.0, 1e-9);
    }
    assert_true(x[11] > 0.0);
}

static void a_pair_that_is_not_there_is_told_with_the_nearest(void **state)
{
    (void)state;
    const program_result *r = RUN("run", write_scene(), "--seconds", "0.1", "--csv",
                                  SCRATCH("none.csv"), "--channels", "contact.low.topp.fn");
    assert_int_equal(r->code, 2);
    assert_non_null(strstr(r->err, "did you mean 'contact.low.top.fn'"));
    r = RUN("run", SCRATCH("scene.xml"), "--seconds", "0.1", "--csv", SCRATCH("all.csv"),
            "--channels", "contact.*.fn");
    assert_int_equal(r->code, 0);
    static char text[MOST_TEXT];
    read_text(text, SCRATCH("all.csv"));
    assert_null(strstr(text, "cert."));
    assert_non_null(strstr(text, "contact.ball.top.fn"));
}

static void problems_with_friction_are_solved_to_the_same_bits(void **state)
{
    (void)state;
    const program_result *r = RUN("run", write_scene(), "--keyframe", "moving", "--seconds", "0.4",
                                  "--dump-problems", SCRATCH("problems"));
    assert_int_equal(r->code, 0);
    int slipping = 0;
    for (int i = 1; i <= 80; ++i) {
        char path[600];
        snprintf(path, sizeof path, "%s/problem-%06d.txt", SCRATCH("problems"), i);
        static char text[MOST_TEXT];
        read_text(text, path);
        slipping += strstr(text, "slip") != NULL;
        r = RUN("solve", path, "--json");
        assert_int_equal(r->code, 0);
        const char *same = json_at(r->out, "stored", "same_bits");
        assert_memory_equal(same, "true", 4);
        assert_true(json_number(r->out, "certificate", "creep") <= 1e-9);
        assert_true(json_number(r->out, "certificate", "lift_off") <= 1e-12);
    }
    assert_true(slipping > 20);
}

static void rows_of_friction_stick_or_slip_in_the_list(void **state)
{
    (void)state;
    const program_result *r =
        RUN("solve", DP_SOURCE "/tests/fuzz/corpus/problem/sliding.txt", "--rows");
    assert_int_equal(r->code, 0);
    assert_non_null(strstr(r->out, "slip"));
    assert_non_null(strstr(r->out, "beyond the cone"));
    assert_non_null(strstr(r->out, "same bits"));
}

static void contacts_that_are_deep_are_told_with_what_to_do(void **state)
{
    (void)state;
    write_text(SCRATCH("soft.xml"),
               "<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1'/>"
               "<body pos='0 0 0.1'><freejoint/><geom name='box' type='box' size='.1 .1 .1' "
               "solref='1 1'/></body></worldbody></mujoco>");
    const program_result *r = RUN("run", SCRATCH("soft.xml"), "--seconds", "1");
    assert_int_equal(r->code, 0);
    assert_non_null(strstr(r->err, "note: penetration"));
    assert_non_null(strstr(r->err, "floor and box overlap by"));
    assert_non_null(strstr(r->err, "dp:stiffness"));
}

static void contacts_that_creep_are_told_with_what_to_do(void **state)
{
    (void)state;
    const program_result *r =
        RUN("run", write_scene(), "--keyframe", "moving", "--seconds", "1", "--step", "0.02",
            "--set", "law.max_factorizations=1", "--set", "max_halvings=0", "--json");
    assert_int_equal(r->code, 0);
    const double creep = json_number(json_at(r->out, "certificate", "worst"), NULL, "creep");
    const bool told = strstr(r->err, "note: creep") != NULL;
    assert_int_equal(told, creep > 1e-9);
    assert_true(json_number(r->out, "rows", "unsolved_steps") > 0.0);
    assert_non_null(strstr(r->err, "--set law.max_factorizations=4"));
}

// A ball of 50 mm flies past the edge of a block, 1 mm away from it, by 0.1 m in a step.
// A ball at rest is carried by a force of its weight, and the load of a motor is its control.
static void motion_has_the_weight_that_the_ground_carries_and_the_load_of_the_motor(void **state)
{
    (void)state;
    write_text(
        SCRATCH("rest.xml"),
        "<mujoco><option timestep='0.01'/><worldbody><geom name='floor' type='plane' size='1 1 1'/>"
        "<body name='ball' pos='0 0 .1'><freejoint/><geom name='skin' size='.1' mass='2'/></body>"
        "<body pos='0 0 2'><joint name='arm' axis='0 1 0' damping='3'/>"
        "<geom type='box' size='.1 .1 .1' mass='1' contype='0' conaffinity='0'/></body></worldbody>"
        "<actuator><motor name='drive' joint='arm'/></actuator>"
        "<keyframe><key name='on' ctrl='-1.5'/></keyframe></mujoco>");
    const program_result *r = RUN("run", SCRATCH("rest.xml"), "--law", "ncp", "--keyframe", "on",
                                  "--seconds", "1", "--json");
    assert_int_equal(r->code, 0);
    assert_near(json_number(r->out, "motion", "largest_contact_force"), 2.0 * 9.81, 1e-6);
    assert_near(json_number(r->out, "motion", "final_actuator_load"), -1.5, 1e-12);
    assert_true(json_number(r->out, "motion", "final_speed") < 1e-9);
}

static void contacts_dropped_in_passing_are_counted(void **state)
{
    (void)state;
    write_text(SCRATCH("edge.xml"),
               "<mujoco><option timestep='0.01' gravity='0 0 0'/><worldbody>"
               "<geom type='box' size='.5 .5 .5' pos='-.5 0 -.5'/>"
               "<body name='ball' pos='-.1639 0 .236'><freejoint name='free'/>"
               "<geom type='sphere' size='.05'/></body></worldbody>"
               "<keyframe><key name='fly' qvel='7 0 -7 0 0 0'/></keyframe></mujoco>");
    const program_result *r =
        RUN("run", SCRATCH("edge.xml"), "--keyframe", "fly", "--seconds", "0.1", "--json");
    assert_int_equal(r->code, 0);
    assert_near(json_number(r->out, "rows", "dropped_contacts"), 1.0, 0.0);
    assert_near(json_number(r->out, "rows", "contact_steps"), 0.0, 0.0);
    r = RUN("run", SCRATCH("edge.xml"), "--keyframe", "fly", "--seconds", "0.1", "--certificate");
    assert_non_null(strstr(r->out, "in 0 of 10 steps; 1 dropped in passing"));
}

// The weights of impulses, 1e-12 of mobilities, would count as 1e-9 m/s under a mass of 1 t.
static void weights_of_vi_are_no_error_of_its_certificate(void **state)
{
    (void)state;
    const program_result *r = RUN("run", DP_SCENES "/contact/heavy_on_light.xml", "--law", "vi",
                                  "--seconds", "0.1", "--json", "--quiet");
    assert_int_equal(r->code, 0);
    assert_true(json_number(json_at(r->out, NULL, "certificate"), "worst", "normal_law") < 1e-11);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_certificate_has_cone_power_lift_off_and_creep),
        cmocka_unit_test(channels_of_pairs_have_the_weights_at_rest),
        cmocka_unit_test(a_pair_that_is_not_there_is_told_with_the_nearest),
        cmocka_unit_test(problems_with_friction_are_solved_to_the_same_bits),
        cmocka_unit_test(rows_of_friction_stick_or_slip_in_the_list),
        cmocka_unit_test(contacts_that_are_deep_are_told_with_what_to_do),
        cmocka_unit_test(contacts_that_creep_are_told_with_what_to_do),
        cmocka_unit_test(motion_has_the_weight_that_the_ground_carries_and_the_load_of_the_motor),
        cmocka_unit_test(contacts_dropped_in_passing_are_counted),
        cmocka_unit_test(weights_of_vi_are_no_error_of_its_certificate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
