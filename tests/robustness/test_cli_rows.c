// Loops, limits and drives in `dashpot run` and `dashpot check`, run as a user runs them.
#include "json_text.h"
#include "near.h"
#include "program_run.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOUR_BAR DP_SCENES "/four_bar.xml"
#define SCRATCH(name) DP_SCRATCH "/rows_" name

static void assert_says(const char *text, const char *part)
{
    if (!strstr(text, part)) {
        fail_msg("found no '%s' in: %s", part, text);
    }
}

// A flap that falls onto the end of its range, a weight on a rope, a sledge with dry friction that
// a servo with little force pulls, and two rods in a loop.
static const char *workshop(void)
{
    write_text(SCRATCH("workshop.xml"),
               "<mujoco model='workshop'><compiler angle='radian'/><option timestep='0.005'/>"
               "<default><geom contype='0' conaffinity='0' size='0.05'/></default><worldbody>"
               "<site name='hook' pos='0 1 1'/>"
               "<body name='flap'><joint name='flap' axis='0 1 0' limited='true' range='-1 0.3'/>"
               "<geom pos='0.4 0 0'/></body>"
               "<body name='weight' pos='0 1 0'><joint name='lift' type='slide' axis='0 0 1'/>"
               "<geom/><site name='eye'/></body>"
               "<body name='sledge' pos='0 2 0'><joint name='sledge' type='slide' axis='1 0 0'"
               " frictionloss='2'/><geom/></body>"
               "<body name='left' pos='0 3 0'><joint name='left' axis='0 1 0'/>"
               "<geom pos='0 0 -0.3'/></body>"
               "<body name='right' pos='0.5 3 0'><joint name='right' axis='0 1 0'/>"
               "<geom pos='0 0 -0.3'/></body>"
               "</worldbody>"
               "<tendon><spatial name='rope' limited='true' range='0 1.1'><site site='hook'/>"
               "<site site='eye'/></spatial></tendon>"
               "<equality><joint name='pair' joint1='left' joint2='right'/></equality>"
               "<actuator><position name='pull' joint='sledge' kp='500' kv='20'"
               " forcelimited='true' forcerange='-3 3'/></actuator>"
               "<keyframe><key name='go' qpos='0 0 0 0.4 0.4' ctrl='0.2'/>"
               "<key name='down' qpos='0.3 0 0 0.4 0.4'/></keyframe></mujoco>");
    return SCRATCH("workshop.xml");
}

// A body whose weld to the world leaves a gap of 0.02 m.
static const char *open_loop(const char *equality)
{
    char text[1000];
    snprintf(text, sizeof text,
             "<mujoco><worldbody><body name='a'><joint name='a' type='slide' axis='1 0 0'/>"
             "<geom size='0.1' contype='0' conaffinity='0'/></body>"
             "<body name='still' pos='1 0 0'><geom size='0.1' contype='0' conaffinity='0'/></body>"
             "</worldbody><equality>%s</equality></mujoco>",
             equality);
    write_text(SCRATCH("open.xml"), text);
    return SCRATCH("open.xml");
}

// ---- problems as files

// Solve every problem in a folder. @return how many there are
static int solve_all(const char *folder)
{
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    int count = 0;
    for (const struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        if (strncmp(entry->d_name, "problem-", 8) != 0) {
            continue;
        }
        char path[1200];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        const program_result *r = RUN("solve", path, "--json");
        if (r->code != 0 || !strstr(r->out, "\"same_bits\": true")) {
            fail_msg("%s: code %d, %s %s", path, r->code, r->err, r->out);
        }
        ++count;
    }
    closedir(dir);
    return count;
}

static void every_dumped_problem_solves_to_the_bits_of_the_run(void **state)
{
    (void)state;
    assert_int_equal(RUN("run", FOUR_BAR, "--keyframe", "turning", "--step", "0.01", "--seconds",
                         "0.3", "--dump-problems", SCRATCH("loop"))
                         ->code,
                     0);
    assert_true(solve_all(SCRATCH("loop")) >= 30); // one for each step, or more
    assert_int_equal(RUN("run", workshop(), "--keyframe", "go", "--seconds", "0.3",
                         "--dump-problems", SCRATCH("mixed"))
                         ->code,
                     0);
    assert_true(solve_all(SCRATCH("mixed")) >= 60);
}

static void dumping_changes_nothing_and_counts_what_it_wrote(void **state)
{
    (void)state;
    char hash[40];
    const program_result *r = RUN("run", FOUR_BAR, "--seconds", "0.05", "--json");
    snprintf(hash, sizeof hash, "%.18s", json_at(r->out, NULL, "hash"));
    r = RUN("run", FOUR_BAR, "--seconds", "0.05", "--json", "--dump-problems", SCRATCH("count"));
    assert_int_equal(r->code, 0);
    assert_memory_equal(json_at(r->out, NULL, "hash"), hash, 18);
    assert_near(json_number(r->out, NULL, "problems"), 50.0, 0.0);
}

static void problems_of_an_earlier_run_are_replaced_and_other_files_stay(void **state)
{
    (void)state;
    mkdir(SCRATCH("again"), 0777);
    write_text(SCRATCH("again/problem-notes.txt"), "mine");
    for (int i = 0; i < 2; ++i) {
        const program_result *r = RUN("run", FOUR_BAR, "--seconds", i == 0 ? "0.01" : "0.005",
                                      "--dump-problems", SCRATCH("again"));
        assert_int_equal(r->code, 0);
    }
    assert_true(exists(SCRATCH("again/problem-000005.txt")));
    assert_false(exists(SCRATCH("again/problem-000006.txt")));
    assert_true(exists(SCRATCH("again/problem-notes.txt")));
}

static void problems_need_a_folder(void **state)
{
    (void)state;
    write_text(SCRATCH("file"), "");
    const program_result *r = RUN("run", FOUR_BAR, "--dump-problems", SCRATCH("file"));
    assert_int_equal(r->code, 2);
    assert_says(r->err, "--dump-problems: ");
    r = RUN("run", FOUR_BAR, "--dump-problems", SCRATCH("none/below"));
    assert_int_equal(r->code, 2);
    assert_says(r->err, "cannot be made");
}

static void a_dumped_problem_says_where_it_comes_from(void **state)
{
    (void)state;
    static char text[MOST_TEXT];
    RUN("run", workshop(), "--keyframe", "go", "--seconds", "0.5", "--dump-problems",
        SCRATCH("named"));
    read_text(text, SCRATCH("named/problem-000100.txt"));
    assert_says(text, "workshop.xml, step 100: from t = 0.495");
    assert_says(text, "equality 'pair'");
    assert_says(text, "upper limit of joint 'flap'");
    assert_says(text, "friction of joint 'sledge'");
    assert_says(text, "law compliant\n");
}

// ---- how a run went

static void the_table_tells_how_rows_were_met(void **state)
{
    (void)state;
    const program_result *r =
        RUN("run", FOUR_BAR, "--keyframe", "turning", "--seconds", "0.5", "--certificate");
    assert_int_equal(r->code, 0);
    assert_says(r->out, "3 on average, 3 at most");
    assert_says(r->out, "all steps solved");
    assert_says(r->out, "law error");
    assert_says(r->out, "gap error");
    assert_null(strstr(r->out, "penetration")); // nothing is one-sided
    assert_string_equal(r->err, "");
    r = RUN("run", DP_SCENES "/pendulum.xml", "--seconds", "0.5");
    assert_null(strstr(r->out, "\n  rows ")); // there are none
}

static void json_has_the_certificate_in_physical_units(void **state)
{
    (void)state;
    const program_result *r =
        RUN("run", FOUR_BAR, "--keyframe", "turning", "--seconds", "1", "--json");
    assert_one_json_object(r->out);
    const char *worst = json_at(r->out, "certificate", "worst");
    const char *mean = json_at(r->out, "certificate", "mean");
    static const char *const keys[] = {"momentum",    "normal_law", "complementarity",
                                       "penetration", "drift",      "gap_error"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i) {
        const double most = json_number(worst, NULL, keys[i]);
        assert_true(json_number(mean, NULL, keys[i]) <= most);
        assert_true(most < 1e-9); // the tolerances of law and gaps are 1e-9 and 1e-10
    }
    assert_near(json_number(r->out, "rows", "unsolved_steps"), 0.0, 0.0);
    assert_near(json_number(r->out, "rows", "steps"), 1000.0, 0.0);
    r = RUN("run", DP_SCENES "/pendulum.xml", "--seconds", "0.1", "--json");
    assert_says(r->out, "\"certificate\": null");
}

static void the_ledger_adds_up(void **state)
{
    (void)state;
    const program_result *r =
        RUN("run", workshop(), "--keyframe", "go", "--seconds", "2", "--json");
    assert_int_equal(r->code, 0);
    const char *ledger = json_at(r->out, NULL, "ledger");
    static const struct {
        const char *key;
        double sign;
    } part[] = {{"kinetic", 1.0},  {"gravity", 1.0}, {"spring", 1.0},    {"elastic", 1.0},
                {"applied", -1.0}, {"drives", -1.0}, {"moved", -1.0},    {"damped", 1.0},
                {"friction", 1.0}, {"impacts", 1.0}, {"remainder", -1.0}};
    double sum = 0.0, size = 0.0;
    for (size_t i = 0; i < sizeof part / sizeof *part; ++i) {
        const double x = json_number(ledger, NULL, part[i].key);
        sum += part[i].sign * x;
        size += fabs(x);
    }
    assert_near(sum, 0.0, 1e-11 * size); // round-off of 400 steps
    assert_true(json_number(ledger, NULL, "friction") > 0.0);
    assert_true(json_number(ledger, NULL, "drives") > 0.0);
    r = RUN("run", workshop(), "--keyframe", "go", "--seconds", "2");
    assert_says(r->out, "energy change");
    assert_says(r->out, "friction -");
    assert_says(r->out, "numerical dissipation");
}

static void a_start_that_tears_a_loop_is_noted(void **state)
{
    (void)state;
    static char text[MOST_TEXT];
    read_text(text, FOUR_BAR);
    char *v = strstr(text, "5 -5 2");
    assert_non_null(v);
    memcpy(v, "5 0  0", 6);
    write_text(SCRATCH("torn.xml"), text);
    const program_result *r =
        RUN("run", SCRATCH("torn.xml"), "--keyframe", "turning", "--seconds", "0.01");
    assert_int_equal(r->code, 0);
    assert_says(r->err, "note: equality 'pin' comes apart with 1.5 m/s"); // 5 · 0.3
    r = RUN("check", SCRATCH("torn.xml"), "--strict");
    assert_int_equal(r->code, 2);
    assert_says(r->out, "W-LOOP-VELOCITY");
    assert_says(r->out, "at keyframe 'turning'");
    r = RUN("check", FOUR_BAR);
    assert_null(strstr(r->out, "W-LOOP"));
}

static void an_open_loop_is_noted_and_closed(void **state)
{
    (void)state;
    const char *scene = open_loop("<weld name='w' body1='a' relpose='0.02 0 0 1 0 0 0'/>");
    const program_result *r = RUN("run", scene, "--seconds", "1", "--json");
    assert_int_equal(r->code, 0);
    assert_says(r->err, "equality 'w' is open by 0.02 m");
    double q;
    json_numbers(&q, 1, json_at(r->out, "final", "q"));
    assert_near(fabs(q), 0.02, 1e-9);
    r = RUN("check", scene);
    assert_says(r->out, "W-LOOP-OPEN");
    r = RUN("check", scene, "--json");
    assert_one_json_object(r->out);
    double gap[6];
    json_numbers(gap, 6, json_at(json_find(r->out, "equalities", "name", "w"), NULL, "gap"));
    assert_near(fabs(gap[0]), 0.02, 1e-15);
}

static void an_equality_without_effect_is_told(void **state)
{
    (void)state;
    const program_result *r = RUN("check", open_loop("<weld name='w' body1='still'/>"));
    assert_says(r->out, "W-EQUALITY-IDLE");
    assert_says(r->out, "equality 'w' holds what cannot move");
}

static void redundant_and_contradictory_rows_are_told_apart(void **state)
{
    (void)state;
    const program_result *r =
        RUN("check", open_loop("<weld name='w' body1='a'/><weld name='v' body1='a'/>"));
    assert_says(r->out, "N-REDUNDANT");
    assert_null(strstr(r->out, "W-CONTRADICTION"));
    const char *scene = open_loop("<weld name='w' body1='a'/>"
                                  "<weld name='v' body1='a' relpose='0.02 0 0 1 0 0 0'/>");
    r = RUN("check", scene);
    assert_says(r->out, "W-CONTRADICTION");
    r = RUN("run", scene, "--seconds", "0.1");
    assert_int_equal(r->code, 0);
    assert_says(r->err, "rigid rows contradict each other");
    assert_says(r->err, "most of all the equality '");
    assert_says(r->out, "rigid rows contradict each other in");
    assert_null(strstr(r->out, "all steps solved"));
    r = RUN("run", scene, "--seconds", "0.1", "--json");
    assert_true(json_number(r->out, "rows", "contradictory_steps") > 0.0);
    assert_near(json_number(r->out, "rows", "unsolved_steps"), 0.0, 0.0);
}

static void check_lists_rows_at_a_keyframe(void **state)
{
    (void)state;
    const program_result *r = RUN("check", workshop());
    assert_int_equal(r->code, 0);
    assert_says(r->out, "rows at the start: equality 1");
    assert_says(r->out, "rigid");
    r = RUN("check", workshop(), "--keyframe", "down");
    assert_says(r->out, "joint limit 1"); // the flap lies on it
    r = RUN("check", workshop(), "--keyframe", "gone");
    assert_int_equal(r->code, 2);
    assert_says(r->err, "keyframes of the scene: go");
}

static void momentum_is_not_conserved_by_what_holds_on_to_the_world(void **state)
{
    (void)state;
    write_text(SCRATCH("held.xml"),
               "<mujoco><worldbody><body name='a'><freejoint/>"
               "<geom size='0.1' contype='0' conaffinity='0'/></body></worldbody>"
               "<equality><connect name='nail' body1='a' anchor='0.1 0 0'/></equality></mujoco>");
    const program_result *r = RUN("run", SCRATCH("held.xml"), "--seconds", "0.1", "--certificate");
    assert_says(r->out, "not conserved: equality 'nail' holds on to the world");
}

// ---- settings

static void accuracy_brings_the_run_nearer_to_the_reference(void **state)
{
    (void)state;
    static const char scene[] = DP_SCENES "/double_pendulum.xml";
    double q[3][2];
    const program_result *r = RUN("run", scene, "--seconds", "1", "--integrator", "rk45", "--json");
    json_numbers(q[0], 2, json_at(r->out, "final", "q"));
    static const char *const accuracy[] = {"1e-3", "1e-5"};
    for (int i = 0; i < 2; ++i) {
        r = RUN("run", scene, "--seconds", "1", "--step", "0.01", "--accuracy", accuracy[i],
                "--json");
        assert_int_equal(r->code, 0);
        json_numbers(q[i + 1], 2, json_at(r->out, "final", "q"));
    }
    // The error of a step is at most x, or nearly so: that of the whole falls with it.
    const double coarse = fmax(fabs(q[1][0] - q[0][0]), fabs(q[1][1] - q[0][1]));
    const double fine = fmax(fabs(q[2][0] - q[0][0]), fabs(q[2][1] - q[0][1]));
    assert_true(fine < 0.1 * coarse);
    r = RUN("run", scene, "--seconds", "1", "--step", "0.01", "--accuracy", "1e-3",
            "--certificate");
    assert_says(r->out, "substeps");
}

static void accuracy_is_not_fooled_by_steps_that_cannot_be_solved(void **state)
{
    (void)state;
    const program_result *r = RUN("run", FOUR_BAR, "--keyframe", "turning", "--seconds", "0.5",
                                  "--step", "0.1", "--accuracy", "1e-3", "--json");
    assert_int_equal(r->code, 0);
    // In steps of 0.1 s the crank turns by more than a radian; made in one go they lose a third.
    const double start = json_number(r->out, "energy", "initial");
    assert_true(fabs(json_number(r->out, "ledger", "remainder")) < 0.02 * start);
}

static void a_step_that_is_too_long_is_told_by_the_energy_it_takes(void **state)
{
    (void)state;
    const program_result *r = RUN("run", FOUR_BAR, "--keyframe", "turning", "--step", "0.1");
    assert_int_equal(r->code, 0);
    assert_says(r->err, "note: numerical dissipation took ");
    assert_says(r->err, "try --step 0.01 or --accuracy");
    r = RUN("run", FOUR_BAR, "--keyframe", "turning");
    assert_string_equal(r->err, "");
}

static void laws_and_their_options_are_checked(void **state)
{
    (void)state;
    static const struct {
        const char *option, *value, *message;
    } cases[] = {
        {"--law", "coulomb", "law 'coulomb' is unknown"},
        {"--accuracy", "0", "--accuracy must be above 0"},
        {"--set", "law.tolerance=-1", "not a positive number"},
        {"--set", "law.tolerence=1", "did you mean"},
        {"--set", "vi.friction=other", "expected cone or disc"},
        {"--set", "compliant.variant=published", "unknown option 'compliant.variant'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const program_result *r = RUN("run", FOUR_BAR, cases[i].option, cases[i].value);
        assert_int_equal(r->code, 2);
        assert_says(r->err, cases[i].message);
    }
    const program_result *r =
        RUN("run", DP_SCENES "/pendulum.xml", "--integrator", "rk45", "--accuracy", "1e-4");
    assert_int_equal(r->code, 2);
    assert_says(r->err, "use --tolerance");
    r = RUN("run", FOUR_BAR, "--seconds", "0.01", "--accuracy", "1e-4", "--set", "accuracy=1e-5");
    assert_int_equal(r->code, 2);
    r = RUN("run", FOUR_BAR, "--seconds", "0.01", "--law", "compliant", "--set",
            "law.tolerance=1e-12");
    assert_int_equal(r->code, 0);
}

static void looking_changes_nothing(void **state)
{
    (void)state;
    char hash[40];
    const program_result *r =
        RUN("run", workshop(), "--keyframe", "go", "--seconds", "1", "--json", "--quiet");
    snprintf(hash, sizeof hash, "%.18s", json_at(r->out, NULL, "hash"));
    r = RUN("run", workshop(), "--keyframe", "go", "--seconds", "1", "--json", "--csv",
            SCRATCH("all.csv"), "--channels", "*");
    assert_int_equal(r->code, 0);
    assert_memory_equal(json_at(r->out, NULL, "hash"), hash, 18);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_dumped_problem_solves_to_the_bits_of_the_run),
        cmocka_unit_test(dumping_changes_nothing_and_counts_what_it_wrote),
        cmocka_unit_test(problems_of_an_earlier_run_are_replaced_and_other_files_stay),
        cmocka_unit_test(problems_need_a_folder),
        cmocka_unit_test(a_dumped_problem_says_where_it_comes_from),
        cmocka_unit_test(the_table_tells_how_rows_were_met),
        cmocka_unit_test(json_has_the_certificate_in_physical_units),
        cmocka_unit_test(the_ledger_adds_up),
        cmocka_unit_test(a_start_that_tears_a_loop_is_noted),
        cmocka_unit_test(an_open_loop_is_noted_and_closed),
        cmocka_unit_test(an_equality_without_effect_is_told),
        cmocka_unit_test(redundant_and_contradictory_rows_are_told_apart),
        cmocka_unit_test(check_lists_rows_at_a_keyframe),
        cmocka_unit_test(momentum_is_not_conserved_by_what_holds_on_to_the_world),
        cmocka_unit_test(accuracy_brings_the_run_nearer_to_the_reference),
        cmocka_unit_test(accuracy_is_not_fooled_by_steps_that_cannot_be_solved),
        cmocka_unit_test(a_step_that_is_too_long_is_told_by_the_energy_it_takes),
        cmocka_unit_test(laws_and_their_options_are_checked),
        cmocka_unit_test(looking_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
