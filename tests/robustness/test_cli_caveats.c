// What a scene asks for and a run does without, replaces or starts with: said in tables and JSON.
#include "json_text.h"
#include "near.h"
#include "program_run.h"

#include <stdio.h>
#include <string.h>

#define SCRATCH(name) DP_SCRATCH "/caveats_" name

static void assert_says(const char *all, const char *part)
{
    if (!strstr(all, part)) {
        fail_msg("found no '%s' in: %.3000s", part, all);
    }
}

static void assert_silent(const char *all, const char *part)
{
    if (strstr(all, part)) {
        fail_msg("found '%s' in: %.3000s", part, all);
    }
}

// A ball over a floor. k: of the pair, both in series.
static const char *ball(const char *option, double height, const char *more)
{
    static char text[2000];
    snprintf(text, sizeof text,
             "<mujoco xmlns:dp='dashpot'>%s<worldbody>"
             "<geom name='floor' type='plane' size='1 1 1' dp:stiffness='2e6' dp:damping='0'/>"
             "<body pos='0 0 %.17g'><freejoint/>"
             "<geom name='ball' size='0.1' dp:stiffness='2e6' dp:damping='0'/></body>%s"
             "</worldbody></mujoco>",
             option, height, more);
    write_text(SCRATCH("ball.xml"), text);
    return SCRATCH("ball.xml");
}

static void a_scene_that_disables_contact_is_reported(void **state)
{
    (void)state;
    const char *scene = ball("<option><flag contact='disable'/></option>", 0.2, "");
    const program_result *r = RUN("run", scene, "--seconds", "0.01");
    assert_int_equal(r->code, 0);
    assert_says(r->out, "disabled ");
    assert_says(r->out, "contact: by the scene or its settings");
    r = RUN("run", scene, "--seconds", "0.01", "--json");
    assert_one_json_object(r->out);
    assert_says(r->out, "\"kind\": \"disabled\"");
    r = RUN("check", scene);
    assert_says(r->out, "N-DISABLED");
    // Nothing to report where nothing could touch, and where contact is on.
    write_text(SCRATCH("alone.xml"), "<mujoco><option><flag contact='disable'/></option><worldbody>"
                                     "<body><freejoint/><geom size='0.1'/></body></worldbody>"
                                     "</mujoco>");
    r = RUN("run", SCRATCH("alone.xml"), "--seconds", "0.01");
    assert_int_equal(r->code, 0);
    assert_silent(r->out, "disabled ");
    r = RUN("run", ball("", 0.2, ""), "--seconds", "0.01");
    assert_silent(r->out, "disabled ");
}

static void an_integrator_that_is_replaced_is_reported_with_its_name_and_why(void **state)
{
    (void)state;
    const char *scene = ball("<option integrator='RK4'/>", 0.2, "");
    const program_result *r = RUN("run", scene, "--seconds", "0.01");
    assert_says(r->out, "the integrator RK4 by the semi-implicit step, which contacts need");
    r = RUN("run", scene, "--seconds", "0.01", "--json");
    assert_one_json_object(r->out);
    assert_says(r->out, "\"kind\": \"approximated\"");
    assert_says(r->out, "the integrator RK4");
    r = RUN("check", scene);
    assert_says(r->out, "RK4 by the semi-implicit step, which contacts need");
    r = RUN("run", ball("<option integrator='implicitfast'/>", 0.2, ""), "--seconds", "0.01");
    assert_says(r->out, "the integrator implicitfast by the semi-implicit step");
    r = RUN("run", ball("<option integrator='Euler'/>", 0.2, ""), "--seconds", "0.01");
    assert_silent(r->out, "the integrator");
}

// ½ k δ² with k = 1e6 N/m and δ = 0.01 m, and with half of that depth beside it.
static void a_start_that_overlaps_is_reported_with_its_energy_and_its_pairs(void **state)
{
    (void)state;
    const char *scene =
        ball("", 0.09,
             "<body pos='5 0 0.095'><freejoint/>"
             "<geom name='other' size='0.1' dp:stiffness='2e6' dp:damping='0'/></body>");
    const program_result *r = RUN("run", scene, "--seconds", "0.01");
    assert_says(r->out, "2 pairs of geoms, 62.5 J in their springs: floor and ball by 0.01 m, "
                        "floor and other by 0.005 m");
    r = RUN("run", scene, "--seconds", "0.01", "--json", "--quiet");
    assert_one_json_object(r->out);
    assert_near(json_number(r->out, "start", "overlapping_pairs"), 2.0, 0.0);
    assert_near(json_number(r->out, "start", "elastic_energy"), 62.5, 1e-9);
    const char *first = json_first(r->out, "overlaps");
    assert_near(json_number(first, NULL, "depth"), 0.01, 1e-12);
    assert_near(json_number(json_next(first), NULL, "depth"), 0.005, 1e-12);
    r = RUN("run", scene, "--seconds", "0.01", "--law", "ncp");
    assert_says(r->out, "2 pairs of geoms, rigid under this law: floor and ball by 0.01 m");
    r = RUN("check", scene);
    assert_says(r->out, "N-OVERLAP");
    r = RUN("check", scene, "--json");
    assert_near(json_number(r->out, "start", "elastic_energy"), 62.5, 1e-9);
    r = RUN("run", ball("", 0.1, ""), "--seconds", "0.01");
    assert_silent(r->out, "initial overlap");
}

static const char *founded(const char *friction)
{
    static char text[1000];
    snprintf(text, sizeof text,
             "<mujoco xmlns:dp='dashpot'><option timestep='0.01'/><worldbody>"
             "<geom name='floor' type='plane' size='1 1 1' friction='%s 0 0'/>"
             "<body pos='0 0 0.5'><freejoint/><geom name='block' type='box' size='0.5 0.5 0.5' "
             "density='8' friction='%s 0 0' dp:foundation='4 4' dp:youngs_modulus='1e7' "
             "dp:depth='1'/></body></worldbody></mujoco>",
             friction, friction);
    write_text(SCRATCH("founded.xml"), text);
    return SCRATCH("founded.xml");
}

static void friction_that_foundations_do_not_have_is_reported(void **state)
{
    (void)state;
    const char *scene = founded("0.7");
    const program_result *r = RUN("run", scene, "--seconds", "0.1");
    assert_says(r->out, "μ = 0.7 of the foundation of block on floor is not simulated");
    assert_says(r->out, "friction of up to 16 springs of foundations");
    r = RUN("run", scene, "--seconds", "0.1", "--json");
    assert_one_json_object(r->out);
    assert_says(r->out, "\"kind\": \"friction\"");
    assert_near(json_number(r->out, "rows", "frictionless"), 16.0, 0.0);
    r = RUN("check", scene);
    assert_says(r->out, "N-FOUNDATION-FRICTION");
    assert_says(r->out, "of the foundation of block on floor");
    r = RUN("run", scene, "--seconds", "0.1", "--friction-scale", "0");
    assert_silent(r->out, "not simulated");
    r = RUN("compare", scene, "--seconds", "0.02", "--laws", "compliant,tamsi");
    assert_says(r->out, "Friction: μ = 0.7 of the foundation of block on floor");
    scene = founded("0");
    r = RUN("run", scene, "--seconds", "0.1", "--json");
    assert_silent(r->out, "\"kind\": \"friction\"");
    assert_near(json_number(r->out, "rows", "frictionless"), 0.0, 0.0);
    r = RUN("check", scene);
    assert_silent(r->out, "N-FOUNDATION-FRICTION");
}

static void an_option_that_the_law_does_not_use_is_reported(void **state)
{
    (void)state;
    const char *scene = ball("<dp:option lcp.directions='16'/>", 0.2, "");
    const program_result *r = RUN("run", scene, "--seconds", "0.01");
    assert_says(r->out, "lcp.directions=16 under the law compliant: it concerns lcp");
    r = RUN("run", scene, "--seconds", "0.01", "--law", "lcp");
    assert_silent(r->out, "no effect");
    r = RUN("run", scene, "--seconds", "0.01", "--json", "--set", "vi.friction=disc");
    assert_says(r->out, "\"kind\": \"no_effect\"");
    assert_says(r->out, "vi.friction=disc under the law compliant: it concerns vi");
    r = RUN("check", scene);
    assert_says(r->out, "N-NO-EFFECT");
    r = RUN("run", ball("", 0.2, ""), "--seconds", "0.01", "--set", "relative_tolerance=1e-3");
    assert_says(r->out, "relative_tolerance=0.001 under semi-implicit");
    r = RUN("run", ball("", 0.2, ""), "--seconds", "0.01", "--law", "vi", "--set",
            "vi.friction=disc", "--set", "vi.desaxce=true");
    assert_says(r->out, "vi.desaxce=true with vi.friction=disc");
    r = RUN("run", ball("", 0.2, ""), "--seconds", "0.01", "--law", "tamsi", "--set",
            "ode.stiffness=1e5");
    assert_says(r->out, "ode.stiffness=100000 under semi-implicit");
    r = RUN("run", DP_SCENES "/pendulum.xml", "--seconds", "0.01", "--law", "ncp", "--integrator",
            "rk4");
    assert_says(r->out, "law=ncp under rk4");
    r = RUN("run", ball("", 0.2, ""), "--seconds", "0.01", "--set", "sleep_time=1");
    assert_says(r->out, "sleep_time=1 without a sleep_speed above 0");
    r = RUN("solve", DP_SCENES "/problems/rod_on_two_feet.txt", "--set", "vi.friction=disc");
    assert_int_equal(r->code, 0);
    assert_says(r->err, "note: no effect: vi.friction=disc under the law compliant");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scene_that_disables_contact_is_reported),
        cmocka_unit_test(an_integrator_that_is_replaced_is_reported_with_its_name_and_why),
        cmocka_unit_test(a_start_that_overlaps_is_reported_with_its_energy_and_its_pairs),
        cmocka_unit_test(friction_that_foundations_do_not_have_is_reported),
        cmocka_unit_test(an_option_that_the_law_does_not_use_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
