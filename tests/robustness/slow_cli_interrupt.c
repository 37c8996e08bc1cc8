// SIGINT and SIGTERM: every command ends soon, whatever it is at, and says how far it came.
#include "near.h"
#include "program_run.h"
#include "text_file.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SCRATCH(name) DP_SCRATCH "/cli_interrupt_" name
#define PENDULUM DP_SCENES "/pendulum.xml"
#define WALL DP_SCENES "/contact/wall.xml"

// [s] 0.2 are promised; the rest is for a busy machine, on which the program may have to wait.
static const double SOON = 1.0;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void wait_for(double seconds)
{
    nanosleep(&(struct timespec){.tv_sec = (time_t)seconds,
                                 .tv_nsec = (long)(1e9 * (seconds - (double)(time_t)seconds))},
              NULL);
}

// @param late [s] after its start. @return how it ended; it must end soon
static const program_result *interrupt(const char *const *arguments, int number, double late)
{
    const pid_t child = program_start(arguments, NULL);
    wait_for(late);
    const double start = now();
    assert_int_equal(kill(child, number), 0);
    const program_result *r = program_finish(child);
    if (now() - start > SOON) {
        fail_msg("%s took %.2f s to end", arguments[0], now() - start);
    }
    return r;
}

// Thousands of bodies, a second to read.
static const char *crowd(void)
{
    write_text(SCRATCH("crowd.xml"),
               "<mujoco><worldbody><replicate count='80' offset='1 0 0'><replicate count='80' "
               "offset='0 1 0'><replicate count='10' offset='0 0 1'><body><freejoint/><geom "
               "size='.1'/></body></replicate></replicate></replicate></worldbody></mujoco>");
    return SCRATCH("crowd.xml");
}

// One step of thirty years by the differential equation.
#define ENDLESS "--set", "max_substeps=2000000000", "--step", "1e9", "--seconds", "1e9"

static void every_command_ends_soon_with_the_code_of_the_signal_and_says_so(void **state)
{
    (void)state;
    const char *const commands[][16] = {
        {"run", PENDULUM, "--keyframe", "nearly_upright", "--law", "ode", ENDLESS},
        {"bench", PENDULUM, "--keyframe", "nearly_upright", "--set", "law=ode", ENDLESS},
        {"bench", WALL, "--seconds", "1000"},
        {"compare", WALL, "--seconds", "100"},
        {"compare", WALL, "--seconds", "100", "--threads", "2"},
        {"work", WALL, "--seconds", "100"},
        {"paper", "all"},
        {"check", crowd()},
        {"convert", crowd(), SCRATCH("crowd_out.xml")},
        {"view", WALL, "--port", "0"},
    };
    static const int number[] = {SIGINT, SIGTERM};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; ++i) {
        for (size_t k = 0; k < 2; ++k) {
            const program_result *r = interrupt(commands[i], number[k], 0.3);
            if (r->code != 128 + number[k]) {
                fail_msg("%s ends with %d: %s", commands[i][0], r->code, r->err);
            }
            if (!strstr(r->err, "dashpot: interrupted")) {
                fail_msg("%s ends without a word of it: %s", commands[i][0], r->err);
            }
        }
    }
}

// Ten boxes of 0.6 m within each other: a step under lcp takes seconds.
static const char *jam(void)
{
    static char text[8192];
    int n = snprintf(text, sizeof text,
                     "<mujoco><option timestep='0.01'/><worldbody><geom type='plane' "
                     "size='5 5 1'/>");
    for (int i = 0; i < 10; ++i) {
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "<body pos='%g %g %g'><freejoint/><geom type='box' size='.3 .3 .3'/></body>",
                      0.05 * i, 0.03 * (i % 3), 0.4 + 0.1 * i);
    }
    snprintf(text + n, sizeof text - (size_t)n, "</worldbody></mujoco>");
    write_text(SCRATCH("jam.xml"), text);
    return SCRATCH("jam.xml");
}

static int count_of(const char *line, char c)
{
    int count = 0;
    for (; *line && *line != '\n'; ++line) {
        count += *line == c;
    }
    return count;
}

static void files_are_complete_up_to_the_last_step_that_was_finished(void **state)
{
    (void)state;
    static char csv[MOST_TEXT], page[MOST_TEXT];
    remove(SCRATCH("jam.csv"));
    remove(SCRATCH("jam.npz"));
    remove(SCRATCH("jam.html"));
    const char *const arguments[] = {"run",       jam(),
                                     "--csv",     SCRATCH("jam.csv"),
                                     "--npz",     SCRATCH("jam.npz"),
                                     "--html",    SCRATCH("jam.html"),
                                     "--law",     "lcp",
                                     "--seconds", "100",
                                     NULL};
    const pid_t child = program_start(arguments, NULL);
    wait_for(1.5);
    assert_int_equal(kill(child, SIGINT), 0);
    wait_for(0.02);
    assert_int_equal(kill(child, SIGINT), 0); // the same, sent to the group
    const program_result *r = program_finish(child);
    assert_int_equal(r->code, 130);
    double time;
    long long steps;
    const char *message = strstr(r->err, "dashpot: interrupted at t = ");
    assert_non_null(message);
    assert_int_equal(
        sscanf(message, "dashpot: interrupted at t = %lf s, after %lld", &time, &steps), 2);
    assert_near(time, 0.01 * (double)steps, 1e-9); // as printed
    read_text(csv, SCRATCH("jam.csv"));
    const int commas = count_of(csv, ',');
    long long rows = 0;
    double last = -1.0;
    for (const char *line = strchr(csv, '\n') + 1; *line; line = strchr(line, '\n') + 1) {
        assert_non_null(strchr(line, '\n'));
        assert_int_equal(count_of(line, ','), commas);
        last = strtod(line, NULL);
        ++rows;
    }
    assert_near(last, time, 1e-9);
    assert_int_equal(rows, steps + 1);
    FILE *npz = fopen(SCRATCH("jam.npz"), "rb");
    assert_non_null(npz);
    fclose(npz);
    read_text(page, SCRATCH("jam.html"));
    assert_non_null(strstr(page, "</html>"));
}

static void an_interrupted_conversion_leaves_the_file_as_it_was(void **state)
{
    (void)state;
    static char text[MOST_TEXT];
    write_text(SCRATCH("old.xml"), "old");
    const char *const arguments[] = {"convert", crowd(), SCRATCH("old.xml"), NULL};
    const program_result *r = interrupt(arguments, SIGINT, 0.15);
    assert_int_equal(r->code, 130);
    read_text(text, SCRATCH("old.xml"));
    assert_true(strcmp(text, "old") == 0 || strstr(text, "</mujoco>"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_command_ends_soon_with_the_code_of_the_signal_and_says_so),
        cmocka_unit_test(files_are_complete_up_to_the_last_step_that_was_finished),
        cmocka_unit_test(an_interrupted_conversion_leaves_the_file_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
