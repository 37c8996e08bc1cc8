// `dashpot paper`, run as a user runs it: its numbers where the paper or the mathematics knows
// them.
#include "json_text.h"
#include "near.h"
#include "paper_rows.h"
#include "program_run.h"
#include "well_formed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OUT DP_SCRATCH "/paper_out"

static const char *const ids[] = {"d-fig1",  "d-fig2",     "d-fig3",  "d-fig4",   "d-fig6",
                                  "d-fig7",  "d-fig9",     "d-fig10", "d-table1", "d-table2",
                                  "b-4.1",   "b-4.2",      "b-4.3",   "b-4.4",    "b-4.5",
                                  "b-4.6",   "a-painleve", "a-cone",  "a-impact", "a-quaternion",
                                  "a-drift", "a-islands"};
enum { IDS = sizeof ids / sizeof ids[0] };

static void assert_says(const char *text, const char *part)
{
    if (!strstr(text, part)) {
        fail_msg("found no '%s' in: %s", part, text);
    }
}

// --- numbers -----------------------------------------------------------------------------------

// h k ≤ b ≤ 2 m/h + h k/2 with h = 1e-5 s, k = 1e6 N/m, m = 1 kg. ρ has an error of about 1e-16, b
// one of that times m/h.
static void explicit_euler_is_stable_between_hk_and_twice_m_over_h(void **state)
{
    (void)state;
    const char *json = paper_json("d-fig1");
    assert_near(paper_ours(json, "k = 1e6, h = 1e-5", "smallest stable b"), 10.0, 1e-7);
    assert_near(paper_ours(json, "k = 1e6, h = 1e-5", "largest stable b"), 200005.0, 1e-6);
    assert_near(paper_ours(json, "b = 1", "stable (1: yes)"), 0.0, 0.0);
    assert_near(paper_ours(json, "b = 2e5", "stable (1: yes)"), 1.0, 0.0);
    assert_near(paper_ours(json, "b = 2.1e5", "stable (1: yes)"), 0.0, 0.0);
    // |λ|² = det A = 1 − h b/m + h² k/m where λ is complex
    assert_near(paper_ours(json, "b = 1", "growth per step"), sqrt(1.0 - 1e-5 + 1e-4), 1e-13);
}

// k < (4 m + 2 h b)/h² with h = 1e-3 s, b = 1 N s/m.
static void semi_implicit_euler_is_stable_up_to_a_stiffness(void **state)
{
    (void)state;
    const char *json = paper_json("d-fig2");
    assert_near(paper_ours(json, "b = 1, h = 1e-3", "largest stable k"), 4.002e6, 1e-3);
    assert_near(paper_ours(json, "k = 1e6", "stable (1: yes)"), 1.0, 0.0);
    assert_near(paper_ours(json, "k = 1e7", "stable (1: yes)"), 0.0, 0.0);
}

static void the_step_is_implicit_euler_for_springs_and_stable_for_all_of_them(void **state)
{
    (void)state;
    const char *json = paper_json("d-fig3");
    static const double step[2] = {1e-5, 1e-2};
    static const char *const name[2] = {"h = 1e-5", "h = 1e-2"};
    for (int i = 0; i < 2; ++i) {
        const double rho = 1.0 / sqrt(1.0 + step[i] * step[i] * 1e6);
        assert_near(paper_ours(json, name[i], "growth per step"), rho, 1e-13);
        // Round-off of some thousand steps of a position of 1 m.
        assert_near(paper_ours(json, name[i], "largest distance of dp_step to (13), (14)"), 0.0,
                    1e-12);
    }
    assert_true(paper_ours(json, "h = 1e-8 … 100, k and b to 1e12", "largest growth per step") <=
                1.0 + 1e-13); // round-off
}

static void the_published_extrapolation_blows_up_and_the_step_does_not(void **state)
{
    (void)state;
    const char *json = paper_json("d-fig4");
    // Known from an independent program, to their digits.
    assert_near(paper_ours(json, "h = 0.1, inertia 1, published", "blows up after"), 15.0, 0.5);
    assert_near(paper_ours(json, "h = 0.1, inertia 0.1, published", "blows up after"), 3.4, 0.15);
    assert_near(paper_ours(json, "h = 0.1, published", "largest energy error within 1 s"), 2.3,
                0.05);
    assert_near(paper_ours(json, "published", "order of the deviation in h"), 2.0, 0.01);
    assert_near(paper_ours(json, "published", "order of the energy error in h"), 1.0, 0.05);
    // The step: the tolerance of gaps, 1e-10 m in each of two directions, and the spring itself.
    static const char *const name[2] = {"h = 0.1, inertia 1, Dashpot",
                                        "h = 0.1, inertia 0.1, Dashpot"};
    for (int i = 0; i < 2; ++i) {
        assert_true(paper_ours(json, name[i], "largest deviation within 30 s") < 2e-10);
        assert_true(fabs(paper_ours(json, name[i], "energy after 30 s")) < 9.81); // m g l
    }
}

// ω = 1e6 /s: implicit Euler leaves exp(−π ω h/2), with an error of second order in ω h.
static void a_stiff_limit_gives_back_what_implicit_euler_leaves(void **state)
{
    (void)state;
    const char *json = paper_json("d-fig6");
    static const double step[2] = {1e-7, 1e-8};
    static const char *const name[2] = {"h = 1e-7", "h = 1e-8"};
    for (int i = 0; i < 2; ++i) {
        const double wh = 1e6 * step[i];
        assert_near(paper_ours(json, name[i], "restitution"), exp(-0.5 * acos(-1.0) * wh), wh * wh);
    }
    assert_true(paper_ours(json, "h = 1e-5", "restitution") < 0.02); // 2/(1 + (ω h)²): dead
    assert_true(paper_ours(json, "h = 1e-4", "restitution") < 2e-4);
    // What is seen a step late comes back with any speed.
    assert_true(paper_ours(json, "h = 1e-4", "restitution, published rule, least") < 0.1);
    assert_true(paper_ours(json, "h = 1e-4", "restitution, published rule, most") > 0.9);
}

static void the_law_is_of_order_one_on_springs_and_the_published_program_is_not(void **state)
{
    (void)state;
    const char *json = paper_json("d-table2");
    static const struct {
        const char *name;
        double most; // error
    } cases[] = {
        {"100 springs, E = 1e7, 5 N", 4e-6},
        {"100 springs, E = 1e7, 50 N", 4e-6},
        {"100 springs, E = 1e11, 5 N", 5e-10},
        {"100 springs, E = 1e11, 50 N", 5e-10},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const double error = paper_ours(json, cases[i].name, "absolute error, h = 1e-2");
        assert_true(error > 0.0 && error <= cases[i].most);
        // |(x, y, z), quaternion| = √(0.5² + 1), and it hardly moves; three digits are reported.
        assert_close(paper_ours(json, cases[i].name, "relative error, h = 1e-2"),
                     error / sqrt(1.25), 0.01);
        assert_true(paper_ours(json, cases[i].name, "absolute error, h = 1e-3") < 0.5 * error);
        assert_near(paper_ours(json, cases[i].name, "order of the law in h"), 1.0, 0.1);
    }
    const double coarse = paper_ours(json, cases[1].name, "absolute error, published QP, h = 1e-2");
    const double fine = paper_ours(json, cases[1].name, "absolute error, published QP, h = 5e-3");
    assert_true(fine > 0.75 * coarse); // half as large for a method of order one
}

static void the_law_is_faster_than_its_published_program(void **state)
{
    (void)state;
    const char *json = paper_json("d-table1");
    static const char *const cases[] = {"100 springs, E = 1e7, 5 N", "100 springs, E = 1e7, 50 N"};
    for (int i = 0; i < 2; ++i) {
        const double law = paper_ours(json, cases[i], "time, law");
        assert_true(law > 0.0 && law < paper_ours(json, cases[i], "time, published QP"));
        assert_true(paper_ours(json, cases[i], "most iterations in a step, law") <= 10.0);
        assert_true(paper_ours(json, cases[i], "time, explicit ODE") > 0.0);
        assert_true(paper_ours(json, cases[i], "time, implicit ODE") > 0.0);
        // What error control cannot do without: a step for each 1/ω of the first ringing.
        assert_true(paper_ours(json, cases[i], "steps, explicit ODE") > 100.0);
    }
}

// Weight 8 · 9.81 N and load 50 N, that acts at 0.5 m.
static void pressure_rises_towards_the_load(void **state)
{
    (void)state;
    static const char of[] = "t = 0.56 s";
    const char *json = paper_json("d-fig7");
    const double at_load = paper_ours(json, of, "pressure on the side of the load");
    const double middle = paper_ours(json, of, "pressure in the middle");
    assert_true(at_load > 1.5 * middle);
    assert_near(paper_ours(json, of, "pressure on the opposite side"), 0.0, 0.0); // beyond the kern
    assert_close(paper_ours(json, of, "force of all springs"), 8.0 * 9.81 + 50.0, 1e-3);
    assert_close(paper_ours(json, of, "centre of pressure, from the middle"),
                 25.0 / (8.0 * 9.81 + 50.0), 1e-3);
    assert_near(paper_ours(json, of, "angle from the load to the centre of pressure"), 0.0, 1e-3);
    // Springs lift where the pressure of a face that does not would be negative.
    assert_in_range((int)(100.0 * paper_ours(json, of, "part of the face that has lifted")), 5, 20);
}

// g (sin θ − μ cos θ) T²/2 (1 + h/T) with θ = 15°, h/T = 0.01; springs that give by 3e-7 m let it
// slide μ times that further.
static void a_box_slides_down_a_ramp_as_far_as_its_steps_say(void **state)
{
    (void)state;
    static const double mu[3] = {0.0, 0.125, 0.25};
    static const char *const name[3] = {"μ = 0", "μ = 0.125", "μ = 0.25"};
    const double theta = acos(-1.0) / 12.0, g = 9.81;
    const char *json = paper_json("d-fig9");
    for (int i = 0; i < 3; ++i) {
        const double depth = paper_ours(json, name[i], "depth of a foot");
        // Hertz: (4/3) 1e11 √0.01 d^{3/2} = m g cos θ/4; friction loads the front feet more, which
        // changes the mean by 4e-4 of it
        assert_close(depth, cbrt(pow(g * cos(theta) / 4.0 / (4e10 / 3.0), 2.0)), 1e-3);
        const double way = 0.505 * g * (sin(theta) - mu[i] * cos(theta)) + mu[i] * depth;
        assert_near(paper_ours(json, name[i], "distance after 1 s"), way, 1e-12);
        assert_near(paper_ours(json, name[i], "friction over normal force"), mu[i], 1e-12);
        assert_close(paper_ours(json, name[i], "normal force of a foot"), g * cos(theta) / 4.0,
                     1e-9);
        assert_near(paper_ours(json, name[i], "order of the error in h"), 1.0, 1e-3);
    }
    assert_near(
        paper_ours(json, "box turned on the ramp", "largest distance from the exact answer"), 0.0,
        1e-9);
    assert_near(paper_ours(json, "a foot", "force over depth^{3/2}"), 4e10 / 3.0, 1.0);
}

static void a_box_stays_where_friction_is_above_the_slope(void **state)
{
    (void)state;
    const double slope = tan(acos(-1.0) / 12.0);
    const char *json = paper_json("d-fig9");
    static const char of[] = "μ = 0.375";
    assert_near(paper_ours(json, of, "friction over normal force"), slope, 1e-9);
    assert_near(paper_ours(json, of, "longest way of a foot"), 0.0, 1e-12);
    assert_near(paper_ours(json, of, "fastest creep"), 0.0, 1e-9);
    // 20 halvings of 0.2 tan θ
    assert_near(paper_ours(json, "by bisection", "smallest μ that holds the box"), slope, 1e-7);
}

// One foot: λ_n = m w/(h μ) stops the slip w within the step, whatever it takes; of three digits
// 20.3 N at rest and 420 N at 0.5 m/s in the place of 9.48 N.
static void the_published_program_throws_the_box_off_the_ramp(void **state)
{
    (void)state;
    const double theta = acos(-1.0) / 12.0, g = 9.81, h = 0.01, law = g * cos(theta);
    const char *json = paper_json("d-fig9");
    static const char foot[] = "published, one foot, μ = 0.125";
    // ζ/(μ h B)² is 6e-9
    const double rest = g * sin(theta) / 0.125, slides = rest + 0.5 / (h * 0.125);
    assert_close(paper_ours(json, foot, "normal force at rest"), rest, 2e-6);
    assert_close(paper_ours(json, foot, "normal force at 0.5 m/s"), slides, 2e-6);
    assert_near(paper_ours(json, foot, "distance from the closed form"), 0.0, 1e-8);
    // The box: more than its weight, but where friction holds it anyway.
    static const char *const of[4] = {"published, μ = 0", "published, μ = 0.125",
                                      "published, μ = 0.25", "published, μ = 0.375"};
    static const double more[4] = {1.5, 1.3, 1.03, 0.99};
    for (int i = 0; i < 4; ++i) {
        const double first = paper_ours(json, of[i], "normal force on the first step");
        assert_true(first > more[i] * law && first < 2.5 * law);
        assert_true(paper_ours(json, of[i], "forces are known to") < 1e-5);
    }
    assert_close(paper_ours(json, of[3], "normal force on the first step"), law, 1e-3);
    assert_true(paper_ours(json, of[0], "spin after the first step") > 0.5);
    assert_true(paper_ours(json, of[0], "height thrown, least") > 0.05);
    assert_true(paper_ours(json, of[1], "height thrown, least") > 0.1);
    assert_near(paper_ours(json, of[3], "height thrown"), 0.0, 1e-6);
}

// A weight that keeps the box on the ramp lets it slip where it should hold.
static void no_weight_of_the_published_program_is_right_for_all_frictions(void **state)
{
    (void)state;
    const char *json = paper_json("d-fig9");
    static const char slides[] = "published, μ = 0.125, ζ = 1e12/h";
    static const char holds[] = "published, μ = 0.375, ζ = 1e12/h";
    assert_near(paper_ours(json, slides, "height thrown"), 0.0, 1e-6);
    assert_close(paper_ours(json, slides, "distance after 1 s"),
                 paper_ours(json, "μ = 0.125", "distance after 1 s"), 1e-4);
    assert_true(paper_ours(json, holds, "distance after 1 s") > 5e-3); // the law: 3.5e-9 m
    assert_true(paper_ours(json, "published, μ = 0.25, in double alone",
                           "error of a force, B = 1e8/h") > 1e-3);
}

static void stacks_form_in_the_air_and_stand_as_high_as_hertz_says(void **state)
{
    (void)state;
    static const char *const name[] = {"2 balls", "5 balls", "10 balls", "20 balls"};
    const char *json = paper_json("d-fig10");
    for (int i = 0; i < 4; ++i) {
        assert_near(paper_ours(json, name[i], "height after 5 s less that of Hertz"), 0.0, 1e-12);
        assert_near(paper_ours(json, name[i], "farthest ball from the line after 5 s"), 0.0, 0.0);
        assert_near(paper_ours(json, name[i], "steps not solved"), 0.0, 0.0);
        // round-off of the energy of 20 balls, 217 J
        assert_true(paper_ours(json, name[i], "energy that the method gives in a step, at most") <
                    1e-12);
        assert_true(paper_ours(json, name[i], "time for 1 s") > 0.0);
    }
    // Impacts of 2e-4 s by steps of 4e-6 and 2e-6: h is not yet small, 10 % of the order are left.
    static const char of[] = "3 balls after 0.1 s";
    assert_near(paper_ours(json, of, "order in h"), 1.0, 0.15);
    assert_true(paper_ours(json, of, "error of the ODE, for a tenth of its tolerance") < 1e-8);
    assert_true(paper_ours(json, of, "distance from the ODE, h = 2e-06 s") <
                5e-3); // of falls by 5 cm
}

static void files_of_fig_7_have_the_map_of_pressures(void **state)
{
    (void)state;
    static char text[MOST_TEXT];
    const program_result *r = RUN("paper", "d-fig7", "--quick", "--out", OUT);
    assert_int_equal(r->code, 0);
    read_text(text, OUT "/d-fig7-map.svg");
    assert_true(assert_well_formed(text) > 50);
    assert_says(text, "pressure [Pa]");
}

// --- what comes out ----------------------------------------------------------------------------

static void the_list_has_every_figure(void **state)
{
    (void)state;
    static const char *const options[] = {NULL, "--list"};
    for (int i = 0; i < 2; ++i) {
        const program_result *r = RUN("paper", options[i]);
        assert_int_equal(r->code, 0);
        for (int k = 0; k < IDS; ++k) {
            assert_says(r->out, ids[k]);
        }
    }
    const program_result *r = RUN("paper", "--list", "--json");
    assert_one_json_object(r->out);
    assert_non_null(json_find(r->out, "papers", "id", "d-fig4"));
}

static void the_table_has_both_numbers_and_each_note_once(void **state)
{
    (void)state;
    const program_result *r = RUN("paper", "d-fig1", "--quick");
    assert_int_equal(r->code, 0);
    assert_says(r->out, "Drumwright, Fig. 1");
    assert_says(r->out, "200005");
    const char *first = strstr(r->out, "h k ≤ b ≤ 2 m/h");
    assert_non_null(first);
    assert_null(strstr(first + 1, "h k ≤ b ≤ 2 m/h"));
}

// --- a scene of one's own ----------------------------------------------------------------------

static void a_scene_that_is_given_back_gives_the_same_numbers(void **state)
{
    (void)state;
    static char first[MOST_TEXT];
    snprintf(first, sizeof first, "%s", paper_json("d-fig4"));
    const program_result *r = RUN("paper", "d-fig4", "--quick", "--json", "--scene",
                                  DP_SCENES "/paper/pendulum_absolute.xml");
    assert_string_equal(r->out, first);
}

// 2 m/h + h k/2 with twice the mass.
static void a_changed_scene_changes_the_numbers(void **state)
{
    (void)state;
    static char text[MOST_TEXT];
    read_text(text, DP_SCENES "/paper/spring_mass_damper.xml");
    char *mass = strstr(text, "mass=\"1\"");
    assert_non_null(mass);
    mass[6] = '2';
    write_text(DP_SCRATCH "/paper_heavy.xml", text);
    const program_result *r =
        RUN("paper", "d-fig1", "--quick", "--json", "--scene", DP_SCRATCH "/paper_heavy.xml");
    assert_string_equal(r->err, "");
    assert_near(paper_ours(r->out, "k = 1e6, h = 1e-5", "largest stable b"), 400005.0, 1e-6);
    assert_says(r->out, "here 10 and 400005");
}

static void a_steeper_ramp_needs_more_friction(void **state)
{
    (void)state;
    static char text[MOST_TEXT];
    read_text(text, DP_SCENES "/paper/box_on_ramp.xml");
    int changed = 0;
    for (char *at = text; (at = strstr(at, "0 15 0")); ++changed) {
        memcpy(at, "0 20 0", 6);
    }
    assert_int_equal(changed, 2); // the ramp and what rests on it
    write_text(DP_SCRATCH "/paper_steep.xml", text);
    const program_result *r =
        RUN("paper", "d-fig9", "--quick", "--json", "--scene", DP_SCRATCH "/paper_steep.xml");
    assert_string_equal(r->err, "");
    const double theta = acos(-1.0) / 9.0;
    assert_near(paper_ours(r->out, "by bisection", "smallest μ that holds the box"), tan(theta),
                1e-7);
    assert_near(paper_ours(r->out, "μ = 0", "distance after 1 s"), 0.505 * 9.81 * sin(theta),
                1e-12);
}

// Gravity moves the middle of the oscillation and nothing else.
static void a_constant_force_leaves_the_bounds_alone(void **state)
{
    (void)state;
    static char text[MOST_TEXT];
    read_text(text, DP_SCENES "/paper/spring_mass_damper.xml");
    char *gravity = strstr(text, "gravity=\"0 0 0\"");
    assert_non_null(gravity);
    gravity[9] = '9'; // along the slide
    write_text(DP_SCRATCH "/paper_pulled.xml", text);
    const program_result *r =
        RUN("paper", "d-fig1", "--quick", "--json", "--scene", DP_SCRATCH "/paper_pulled.xml");
    assert_string_equal(r->err, "");
    assert_near(paper_ours(r->out, "k = 1e6, h = 1e-5", "largest stable b"), 200005.0, 1e-6);
}

static void a_pendulum_that_never_falls_is_refused(void **state)
{
    (void)state;
    static char text[MOST_TEXT];
    read_text(text, DP_SCENES "/paper/pendulum_limit.xml");
    char *gravity = strstr(text, "0 0 -9.81");
    assert_non_null(gravity);
    memcpy(gravity, "0 0  0.00", 9);
    write_text(DP_SCRATCH "/paper_weightless.xml", text);
    const program_result *r =
        RUN("paper", "d-fig6", "--quick", "--scene", DP_SCRATCH "/paper_weightless.xml");
    assert_int_equal(r->code, 2);
    assert_says(r->err, "expected a pendulum that meets its limit within 100 s");
}

// --- bad usage ---------------------------------------------------------------------------------

static void bad_usage_is_met_with_a_message_and_code_2(void **state)
{
    (void)state;
    write_text(DP_SCRATCH "/paper_file", "not a folder");
    static const struct {
        const char *arguments[6], *message;
    } cases[] = {
        {{"d-fgi4"}, "there is no 'd-fgi4' (did you mean 'd-fig4'?)"},
        {{"d-fig44"}, "did you mean 'd-fig4'?"},
        {{"zebra"}, "there is no 'zebra' ('dashpot paper' lists what there is)"},
        {{"d-fig1", "d-fig2"}, "one ID at a time"},
        {{"--quick"}, "no ID given"},
        {{"--list", "d-fig1"}, "--list takes no ID"},
        {{"all", "--scene", "x.xml"}, "--scene belongs to one figure"},
        {{"d-fig1", "--out", DP_SCRATCH "/paper_file"}, "is no folder"},
        {{"d-fig1", "--out", DP_SCRATCH "/no/such/place"}, "could not be made: No such file"},
        {{"d-fig1", "--scene", "none.xml"}, "none.xml"},
        {{"d-fig1", "--scene", DP_SCENES "/double_pendulum.xml"},
         "expected a mechanism of one joint"},
        {{"d-fig4", "--scene", DP_SCENES "/pendulum.xml"}, "no scene for d-fig4"},
        {{"d-fig6", "--scene", DP_SCENES "/pendulum.xml"}, "no scene for d-fig6"},
        {{"d-fig7", "--scene", DP_SCENES "/pendulum.xml"}, "no scene for d-fig7"},
        {{"d-fig9", "--scene", DP_SCENES "/pendulum.xml"}, "no scene for d-fig9"},
        {{"d-fig9", "--scene", DP_SCENES "/paper/cube_and_load.xml"}, "over a sloping plane"},
        {{"d-fig10", "--scene", DP_SCENES "/contact/sphere_stack.xml"}, "no scene for d-fig10"},
        {{"t-allegro", "--scene", DP_SCENES "/hand_16dof.xml"}, "no scene for t-allegro"},
        {{"t-iiwa", "--scene", DP_SCENES "/arm_7dof.xml"}, "no scene for t-iiwa"},
        {{"d-table2", "--scene", DP_SCENES "/cube_on_foundation.xml"}, "no scene for d-table2"},
        {{"b-4.1", "--scene", DP_SCENES "/pendulum.xml"}, "no scene for b-4.1"},
        {{"b-4.3", "--scene", DP_SCENES "/paper/berard_1_pendulum.xml"}, "no scene for b-4.3"},
        {{"b-4.4", "--scene", DP_SCENES "/paper/berard_3_friction.xml"}, "no scene for b-4.4"},
        {{"a-cone", "--scene", DP_SCENES "/pendulum.xml"}, "no scene for a-cone"},
        {{"a-painleve", "--scene", DP_SCENES "/pendulum.xml"}, "no scene for a-painleve"},
        {{"a-quaternion", "--scene", DP_SCENES "/pendulum.xml"}, "no scene for a-quaternion"},
        {{"a-impact", "--scene", DP_SCENES "/pendulum.xml"}, "no scene for a-impact"},
        {{"a-drift", "--scene", DP_SCENES "/pendulum.xml"}, "no scene for a-drift"},
        {{"a-islands", "--scene", DP_SCENES "/pendulum.xml"}, "no scene for a-islands"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const char *arguments[8] = {"paper"};
        for (int k = 0; k < 6 && cases[i].arguments[k]; ++k) {
            arguments[k + 1] = cases[i].arguments[k];
        }
        const program_result *r = program_run(arguments);
        assert_says(r->err, cases[i].message);
        assert_string_equal(r->out, "");
        assert_int_equal(r->code, 2);
    }
}

static void a_folder_without_permission_is_named(void **state)
{
    (void)state;
    mkdir(DP_SCRATCH "/paper_locked", 0777);
    chmod(DP_SCRATCH "/paper_locked", 0555);
    if (access(DP_SCRATCH "/paper_locked", W_OK) == 0) {
        skip(); // nothing is locked for this user
    }
    const program_result *r = RUN("paper", "d-fig1", "--out", DP_SCRATCH "/paper_locked");
    assert_int_equal(r->code, 2);
    assert_says(r->err, "could not be written: Permission denied");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(explicit_euler_is_stable_between_hk_and_twice_m_over_h),
        cmocka_unit_test(semi_implicit_euler_is_stable_up_to_a_stiffness),
        cmocka_unit_test(the_step_is_implicit_euler_for_springs_and_stable_for_all_of_them),
        cmocka_unit_test(the_published_extrapolation_blows_up_and_the_step_does_not),
        cmocka_unit_test(a_stiff_limit_gives_back_what_implicit_euler_leaves),
        cmocka_unit_test(the_law_is_of_order_one_on_springs_and_the_published_program_is_not),
        cmocka_unit_test(the_law_is_faster_than_its_published_program),
        cmocka_unit_test(pressure_rises_towards_the_load),
        cmocka_unit_test(a_box_slides_down_a_ramp_as_far_as_its_steps_say),
        cmocka_unit_test(a_box_stays_where_friction_is_above_the_slope),
        cmocka_unit_test(the_published_program_throws_the_box_off_the_ramp),
        cmocka_unit_test(no_weight_of_the_published_program_is_right_for_all_frictions),
        cmocka_unit_test(stacks_form_in_the_air_and_stand_as_high_as_hertz_says),
        cmocka_unit_test(files_of_fig_7_have_the_map_of_pressures),
        cmocka_unit_test(the_list_has_every_figure),
        cmocka_unit_test(the_table_has_both_numbers_and_each_note_once),
        cmocka_unit_test(a_scene_that_is_given_back_gives_the_same_numbers),
        cmocka_unit_test(a_changed_scene_changes_the_numbers),
        cmocka_unit_test(a_steeper_ramp_needs_more_friction),
        cmocka_unit_test(a_constant_force_leaves_the_bounds_alone),
        cmocka_unit_test(a_pendulum_that_never_falls_is_refused),
        cmocka_unit_test(bad_usage_is_met_with_a_message_and_code_2),
        cmocka_unit_test(a_folder_without_permission_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
