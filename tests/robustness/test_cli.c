// The program, run as a user runs it: exit codes, messages, tables, JSON, files.
#include "json_text.h"
#include "near.h"
#include "program_run.h"

#include <dashpot/base.h>

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PENDULUM DP_SCENES "/pendulum.xml"
#define PROBLEMS DP_SCENES "/problems"
#define ROD PROBLEMS "/rod_on_two_feet.txt"
#define CART_POLE DP_SCENES "/cart_pole.xml"
#define SCRATCH(name) DP_SCRATCH "/cli_" name

// A cart of 1 kg on a rail in weightlessness, pushed by a motor.
static const char cart[] = "<mujoco model=\"cart\">\n"
                           "  <option gravity=\"0 0 0\" timestep=\"0.01\"/>\n"
                           "  <worldbody>\n"
                           "    <body name=\"cart\">\n"
                           "      <joint name=\"rail\" type=\"slide\" axis=\"1 0 0\"/>\n"
                           "      <inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 1\"/>\n"
                           "    </body>\n"
                           "  </worldbody>\n"
                           "  <actuator><motor name=\"push\" joint=\"rail\"/></actuator>\n"
                           "</mujoco>\n";

static const char *cart_scene(void)
{
    write_text(SCRATCH("cart.xml"), cart);
    return SCRATCH("cart.xml");
}

// --- help ----------------------------------------------------------------------------------------

static void help_and_version_go_to_stdout_and_succeed(void **state)
{
    (void)state;
    const program_result *r = RUN("--version");
    assert_int_equal(r->code, 0);
    char version[40];
    snprintf(version, sizeof version, "dashpot %s\n", dp_version());
    assert_string_equal(r->out, version);
    assert_string_equal(r->err, "");
    static const char *const calls[][2] = {{"--help", NULL}, {"-h", NULL},     {"help", NULL},
                                           {"help", "help"}, {"help", "run"},  {"run", "--help"},
                                           {"check", "-h"},  {"help", "check"}};
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; ++i) {
        r = RUN(calls[i][0], calls[i][1]);
        assert_int_equal(r->code, 0);
        assert_non_null(strstr(r->out, "usage: dashpot"));
        assert_non_null(strstr(r->out, "Examples"));
        assert_string_equal(r->err, "");
    }
}

static void without_arguments_there_is_short_help_and_code_2(void **state)
{
    (void)state;
    const program_result *r = RUN(NULL);
    assert_int_equal(r->code, 2);
    assert_string_equal(r->out, "");
    assert_non_null(strstr(r->err, "usage: dashpot"));
    assert_non_null(strstr(r->err, "dashpot run scenes/"));
}

// Every option that --help shows, also in the manual page and the shell completion.
static void every_option_is_in_the_manual_and_the_completion(void **state)
{
    (void)state;
    static char manual[MOST_TEXT], completion[MOST_TEXT], plain[MOST_TEXT];
    read_text(manual, DP_SOURCE "/docs/dashpot.1");
    read_text(completion, DP_SOURCE "/tools/completion.bash");
    size_t n = 0;
    for (const char *c = manual; *c != '\0'; ++c) { // "\-" is how a manual page writes a dash
        if (!(c[0] == '\\' && c[1] == '-')) {
            plain[n++] = *c;
        }
    }
    plain[n] = '\0';
    int options = 0;
    static const char *const commands[] = {"run",   "view", "check",   "convert", "solve",
                                           "bench", "work", "compare", "paper"};
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; ++i) {
        const program_result *r = RUN("help", commands[i]);
        for (const char *line = r->out; line; line = strchr(line, '\n')) {
            line += *line == '\n' ? 1 : 0;
            const char *at = strncmp(line, "  --", 4) == 0  ? line + 2
                             : strncmp(line, "  -", 3) == 0 ? strstr(line, "--")
                                                            : NULL;
            if (at) {
                char option[40];
                snprintf(option, sizeof option, "%.*s", (int)strcspn(at, " \n"), at);
                if (!strstr(plain, option) || !strstr(completion, option)) {
                    fail_msg("%s of '%s' is missing in docs/dashpot.1 or tools/completion.bash",
                             option, commands[i]);
                }
                ++options;
            }
        }
    }
    assert_true(options > 20);
}

// What the shell offers behind an option of a command, the word at an index; "" where they end.
static void offered(char out[64], const char *command, const char *option, int index)
{
    char line[1000];
    snprintf(
        line, sizeof line,
        "bash -c 'source \"%s\"; COMP_WORDS=(dashpot %s x.xml %s \"\"); COMP_CWORD=4; _dashpot; "
        "echo \"${COMPREPLY[%d]}\"'",
        DP_SOURCE "/tools/completion.bash", command, option, index);
    FILE *pipe = popen(line, "r");
    assert_non_null(pipe);
    assert_int_equal(fscanf(pipe, "%63s", out) == 1 || feof(pipe), 1);
    pclose(pipe);
}

static void laws_and_references_that_the_completion_offers_are_not_refused(void **state)
{
    (void)state;
    static const char *const commands[] = {"work", "compare"};
    static const char *const options[] = {"--laws", "--reference"};
    for (int i = 0; i < 4; ++i) {
        const char *command = commands[i / 2], *option = options[i % 2];
        int count = 0;
        for (char word[64] = "";; ++count) {
            word[0] = '\0';
            offered(word, command, option, count);
            if (word[0] == '\0') {
                break;
            }
            const program_result *r =
                RUN(command, PENDULUM, option, word, "--steps", "1e-3", "--seconds", "1e-3",
                    i / 2 == 0 ? "--window" : NULL, "1e-3");
            if (r->code == 2) {
                fail_msg("%s %s %s: %s", command, option, word, r->err);
            }
        }
        assert_true(count >= 2);
    }
}

// Run one example in a folder of its own, without what it is piped into. A server is ended after
// two seconds, by Ctrl-C, and finds no browser. @return the exit code.
static int run_example(const char *example)
{
    char command[2000];
    const bool server = strncmp(example, "dashpot view", strlen("dashpot view")) == 0;
    snprintf(command, sizeof command, "cd '%s' && %s '%s'%.*s >example.out 2>&1",
             SCRATCH("examples"), server ? "timeout --preserve-status -s INT 2 env PATH=none" : "",
             DP_PROGRAM, (int)strcspn(example + strlen("dashpot"), "|"),
             example + strlen("dashpot"));
    const int status = system(command), code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return server && code == 130 ? 0 : code;
}

static void every_example_of_the_help_texts_runs(void **state)
{
    (void)state;
    mkdir(SCRATCH("examples"), 0777);
    mkdir(SCRATCH("examples/recordings"), 0777);
    (void)!symlink(DP_SCENES, SCRATCH("examples/scenes")); // it may be there already
    static char robot[MOST_TEXT], text[MOST_TEXT];
    read_text(robot, DP_SCENES "/urdf/arm_6dof.urdf");
    write_text(SCRATCH("examples/robot.urdf"), robot);
    write_text(SCRATCH("examples/robot.xml"), cart);
    write_text(SCRATCH("examples/push.csv"), "time,push\n0,1\n0.5,0\n1,0\n");
    int examples = 0;
    static const char *const commands[] = {NULL,    "run",   "view", "check",   "convert",
                                           "solve", "bench", "work", "compare", "paper"};
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; ++i) {
        const program_result *r = RUN("help", commands[i]);
        const char *heading = strstr(r->out, "\nExamples\n");
        assert_non_null(heading);
        snprintf(text, sizeof text, "%s", heading + strlen("\nExamples\n"));
        for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
            const char *example = line + strspn(line, " ");
            assert_int_equal(strncmp(example, "dashpot ", 8), 0);
            const int code = run_example(example);
            if (code != 0) {
                fail_msg("'%s' ends with code %d", example, code);
            }
            ++examples;
        }
    }
    assert_true(examples > 10);
}

// --- bad usage -----------------------------------------------------------------------------------

typedef struct bad_case {
    const char *arguments[8];
    const char *message;
} bad_case;

static void bad_usage_is_met_with_a_message_and_code_2(void **state)
{
    (void)state;
    static const bad_case cases[] = {
        {{"rnu"}, "unknown command 'rnu' (did you mean 'run'?)"},
        {{"--verison"}, "did you mean '--version'?"},
        {{"zzzzzz"}, "unknown command 'zzzzzz' (expected run, view, check"},
        {{PENDULUM}, "is a file, not a command (did you mean 'dashpot run "},
        {{"help", "chek"}, "did you mean 'check'?"},
        {{"run"}, "no SCENE given"},
        {{"check"}, "no MODEL given"},
        {{"run", PENDULUM, CART_POLE}, "one SCENE at a time"},
        {{"run", PENDULUM, "--secnds", "1"},
         "unknown option '--secnds' (did you mean '--seconds'?)"},
        {{"run", PENDULUM, "--sec", "1"}, "unknown option '--sec' (did you mean '--seconds'?)"},
        {{"run", PENDULUM, "--color"}, "unknown option '--color' ('dashpot help run' lists them)"},
        {{"help", "run", "extra"}, "found 'extra'"},
        {{"--version", "extra"}, "found 'extra'"},
        {{"run", PENDULUM, "--floating"}, "--floating belongs to URDF files"},
        {{"run", PENDULUM, "--self-collision", "all"}, "--self-collision belongs to URDF files"},
        {{"check", PENDULUM, "--self-collision", "some"}, "expected auto, all or none"},
        {{"check", PENDULUM, "--package", DP_SCENES}, "--package belongs to URDF files"},
        {{"convert", PENDULUM, "-", "--floating"}, "--floating belongs to URDF files"},
        {{"run", PENDULUM, "--set", "step=1e-3", "--set", "step=1e-3"},
         "--set step is given twice"},
        {{"run", PENDULUM, "--set", "step=1e-3", "--step", "1e-3"},
         "--set step=1e-3 and --step exclude each other"},
        {{"check", PENDULUM, "--tree", "--json"}, "--tree and --json exclude each other"},
        {{"check", PENDULUM, "--tree", "--all"}, "--tree and --all exclude each other"},
        {{"check", PENDULUM, "--tree", "--channels"}, "--tree and --channels exclude each other"},
        {{"check", PENDULUM, "--channels", "--all"}, "--channels and --all exclude each other"},
        {{"run", PENDULUM, "--csv", "-"}, "--csv: the standard output belongs to the table"},
        {{"run", PENDULUM, "--plot", SCRATCH("x.png")}, "(expected a name that ends in .svg)"},
        {{"run", PENDULUM, "--chanels=time"},
         "unknown option '--chanels' (did you mean '--channels'?)"},
        {{"run", PENDULUM, "-x"}, "unknown option '-x'"},
        {{"check", PENDULUM, "--seconds", "1"}, "unknown option '--seconds'"},
        {{"run", PENDULUM, "--seconds"}, "--seconds needs a value"},
        {{"run", PENDULUM, "--seconds", "--json"}, "--seconds needs a value"},
        {{"run", PENDULUM, "--csv="}, "--csv needs a value (found an empty one)"},
        {{"run", PENDULUM, "--json=yes"}, "--json takes no value (found 'yes')"},
        {{"run", PENDULUM, "--step", "1e-3", "--step", "1e-2"}, "--step is given twice"},
        {{"run", PENDULUM, "--seconds", "-1"}, "--seconds must not be negative (found -1)"},
        {{"run", PENDULUM, "--seconds", "ten"}, "--seconds: 'ten' is not a number"},
        {{"run", PENDULUM, "--seconds", "inf"}, "--seconds: 'inf' is not a number"},
        {{"run", PENDULUM, "--seconds", "1e999"}, "--seconds: '1e999' is not a number"},
        {{"run", PENDULUM, "--seconds", "1e300"}, "too many steps"},
        {{"run", PENDULUM, "--seconds", "1e-9"}, "less than half a step"},
        {{"run", PENDULUM, "--step", "0"}, "--step must be above 0 (found 0)"},
        {{"run", PENDULUM, "--step", "-0.1"}, "--step must be above 0"},
        {{"run", PENDULUM, "--step", "nan"}, "--step: 'nan' is not a number"},
        {{"run", PENDULUM, "--step", "1e-3s"}, "--step: '1e-3s' is not a number"},
        {{"run", PENDULUM, "--step", "0x1p-3"}, "--step: '0x1p-3' is not a number"},
        {{"run", PENDULUM, "--step", " 1"}, "is not a number"},
        {{"run", PENDULUM, "--integrator", "euler"},
         "--integrator: integrator 'euler' is unknown (expected semi-implicit"},
        {{"run", PENDULUM, "--tolerance", "1e-6"}, "--tolerance belongs to the integrators rk45"},
        {{"run", PENDULUM, "--tolerance", "0", "--integrator", "rk45"},
         "--tolerance must be above 0"},
        {{"run", CART_POLE, "--keyframe", "hangin"}, "did you mean 'hanging'?"},
        {{"run", CART_POLE, "--keyframe", "7"}, "; keyframes of the scene: tilted, hanging"},
        {{"run", PENDULUM, "--keyframe", "home"}, "; keyframes of the scene: "},
        {{"run", PENDULUM, "--channels", "time"}, "--channels needs a file to record to"},
        {{"run", PENDULUM, "--every", "5"}, "--every needs a file to record to"},
        {{"run", PENDULUM, "--every", "0", "--csv", SCRATCH("x.csv")},
         "--every must be at least 1"},
        {{"run", PENDULUM, "--every", "2.5", "--csv", SCRATCH("x.csv")}, "is not a whole number"},
        {{"run", PENDULUM, "--sample", "1e-9", "--csv", SCRATCH("x.csv")}, "does not fit the step"},
        {{"run", PENDULUM, "--channels", "joint.swng.q", "--csv", SCRATCH("x.csv")},
         "no channel matches 'joint.swng.q' (did you mean 'joint.swing.q'?)"},
        {{"run", PENDULUM, "--csv", DP_SCRATCH "/no/such/folder/x.csv"},
         "cannot be written: No such file"},
        {{"run", PENDULUM, "--plot", DP_SCRATCH}, "is a folder (expected a file name)"},
        {{"run", PENDULUM, "--csv", SCRATCH("x"), "--npz", SCRATCH("x")},
         "--csv and --npz both write"},
        {{"run", PENDULUM, "--csv", PENDULUM}, "is an input of this run"},
        {{"run", PENDULUM, "--interpolate"}, "--interpolate needs --control"},
        {{"run", PENDULUM, "--set", "gravity"}, "has no value (expected option=value)"},
        {{"run", PENDULUM, "--set", "graviti=0,0,0"},
         "unknown option 'graviti' (did you mean 'gravity'?)"},
        {{"run", PENDULUM, "--set", "gravity=0,0"}, "is not a vector (expected x,y,z)"},
        {{"run", PENDULUM, "--set", "gravity=0,0,0,0"}, "is not a vector"},
        {{"run", PENDULUM, "--set", "step=-1"}, "is not a positive number"},
        {{"run", PENDULUM, "--set", "max_substeps=0"}, "is not a whole number above 0"},
        {{"run", PENDULUM, "--set", "disable_gravity=maybe"}, "is neither true nor false"},
        {{"run", PENDULUM, "--set", "integrator=rk9"}, "'rk9' is unknown"},
        {{"run", PENDULUM, "--seconds", "1e11", "--csv", SCRATCH("x.csv")}, "GB of memory"},
        {{"run", SCRATCH("missing.xml")}, "No such file"},
        {{"run", DP_SCENES}, "folder"},
        {{"check", SCRATCH("missing.xml")}, "No such file"},
        {{"run", "--", "--json"}, "--json"},
        {{"run", "--help=no"}, "--help takes no value (found 'no')"},
        {{"run", PENDULUM, "--law", "vi", "--set", "law=ncp"},
         "--set law=ncp and --law exclude each other"},
        {{"view", PENDULUM, "--set", "step=1e-3", "--step", "1e-3"},
         "--set step=1e-3 and --step exclude each other"},
        {{"view", PENDULUM, "--set", "step=1e-3", "--set", "step=1e-3"},
         "--set step is given twice"},
        {{"bench", PENDULUM, "--set", "step=1e-3", "--step", "1e-3"},
         "--set step=1e-3 and --step exclude each other"},
        {{"work", PENDULUM, "--set", "law=vi"}, "--set law=vi: use --laws\n"},
        {{"work", PENDULUM, "--set", "integrator=rk4"}, "--set integrator=rk4: use --laws\n"},
        {{"work", PENDULUM, "--set", "step=1e-3"}, "--set step=1e-3: use --steps\n"},
        {{"work", PENDULUM, "--set", "accuracy=1e-3"}, "--set accuracy=1e-3: use --accuracy\n"},
        {{"work", PENDULUM, "--set", "friction.slip_speed=1e-3", "--slip-speeds", "1e-3"},
         "--set friction.slip_speed=1e-3 and --slip-speeds exclude each other"},
        {{"work", PENDULUM, "--csv", DP_SCRATCH "/no/such/folder/x.csv"},
         "--csv: '" DP_SCRATCH "/no/such/folder/x.csv' cannot be written: No such file"},
        {{"work", PENDULUM, "--plot", DP_SCRATCH}, "is a folder (expected a file name)"},
        {{"work", PENDULUM, "--csv", PENDULUM}, "--csv: '" PENDULUM "' is an input of this run"},
        {{"work", PENDULUM, "--csv", SCRATCH("x.svg"), "--plot", DP_SCRATCH "/./cli_x.svg"},
         "--csv and --plot both write"},
        // It can be written, but no file beside it.
        {{"work", PENDULUM, "--csv", "/proc/self/coredump_filter"},
         "--csv: '/proc/self/coredump_filter' cannot be written: "},
        {{"compare", PENDULUM, "--set", "law=vi"}, "--set law=vi: use --laws\n"},
        {{"compare", PENDULUM, "--csv", DP_SCRATCH "/no/such/folder/x.csv"},
         "cannot be written: No such file"},
        {{"compare", PENDULUM, "--html", PENDULUM}, "is an input of this run"},
        {{"compare", PENDULUM, "--html", SCRATCH("x.csv")}, "(expected a name that ends in .html)"},
        {{"solve", ROD, "--write", ROD}, "--write: '" ROD "' is an input of this run"},
        {{"solve", ROD, "--write", DP_SCRATCH}, "is a folder (expected a file name)"},
        {{"solve", "--profile", PROBLEMS, "--csv", "-"}, "--csv: the standard output belongs to"},
        {{"solve", "--profile", PROBLEMS, "--plot", SCRATCH("x.png")},
         "(expected a name that ends in .svg)"},
        {{"solve", "--profile", PROBLEMS, "--csv", SCRATCH("x.svg"), "--plot", SCRATCH("x.svg")},
         "--csv and --plot both write"},
    };
    remove(SCRATCH("x.csv"));
    remove(SCRATCH("x"));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const program_result *r = program_run(cases[i].arguments);
        if (r->code != 2 || strncmp(r->err, "dashpot: ", 9) != 0 ||
            !strstr(r->err, cases[i].message) || r->out[0] != '\0') {
            fail_msg("case %zu: code %d, expected '%s', found '%s' and on stdout '%.200s'", i,
                     r->code, cases[i].message, r->err, r->out);
        }
    }
    assert_false(exists(SCRATCH("x.csv"))); // trying whether a file can be written leaves none
    assert_false(exists(SCRATCH("x")));
}

static void bad_model_files_are_met_with_a_message_and_code_2(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", ":1:"},
        {"hello", ":1:"},
        {"<mujoco><worldbody></mujoco>", ":1:"},
        {"<robot name=\"r\"/>", "robot"},
        {"<mujoco><worldbdy/></mujoco>", "worldbdy"},
        {"<mujoco>\n<worldbody>\n<body pos=\"0 0\"/>\n</worldbody></mujoco>", ":3:"},
        {"<mujoco><option timestep=\"0\"/></mujoco>", "timestep"},
        {"<mujoco><worldbody><body name=\"bare\"><joint/></body></worldbody></mujoco>", "bare"},
        {"<mujoco><include file=\"missing.xml\"/></mujoco>", "missing.xml"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        write_text(SCRATCH("bad.xml"), cases[i].text);
        for (int checking = 0; checking < 2; ++checking) {
            const program_result *r = RUN(checking ? "check" : "run", SCRATCH("bad.xml"), "--json");
            if (r->code != 2 || !strstr(r->err, cases[i].message)) {
                fail_msg("case %zu: code %d, expected '%s', found '%s'", i, r->code,
                         cases[i].message, r->err);
            }
            assert_one_json_object(r->out);
            assert_non_null(strstr(json_at(r->out, "error", "message"), cases[i].message));
            assert_int_equal(strncmp(json_at(r->out, "error", "status"), "\"DP_ERROR_", 10), 0);
            r = RUN(checking ? "check" : "run", SCRATCH("bad.xml"));
            assert_string_equal(r->out, "");
        }
    }
}

static void bad_control_files_are_met_with_file_and_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "is empty"},
        {"time,push\n", "no values below the first line"},
        {"t,push\n0,1\n", ":1: the first column is 't' (expected 'time')"},
        {"time\n0\n", ":1: no actuator beside 'time'"},
        {"time,psh\n0,1\n", "did you mean 'push'?"},
        {"time,push,push\n0,1,1\n", ":1: two columns for actuator 'push'"},
        {"time,push\n0,1\n1\n", ":3: 1 value (expected 2)"},
        {"time,push\n0,1,2\n", ":2: more than the 2 values"},
        {"time,push\n0,one\n", ":2: 'one' is not a number"},
        {"time,push\n0,nan\n", ":2: 'nan' is not a number"},
        {"time,push\n0,\n", ":2: '' is not a number"},
        {"time,push\n\n# a comment\n1,1\n0.5,2\n", ":5: time 0.5 does not come after 1"},
        {"time,push\n1,1\n1,2\n", ":3: time 1 does not come after 1"},
        {"time,\"push\n0,1\n", ":1: a quote without an end"},
        {"time,push\n-1,1\n", "not later than the start"},
    };
    const char *scene = cart_scene();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        write_text(SCRATCH("control.csv"), cases[i].text);
        const program_result *r = RUN("run", scene, "--control", SCRATCH("control.csv"));
        if (r->code != 2 || !strstr(r->err, cases[i].message) || !strstr(r->err, "control.csv") ||
            r->out[0] != '\0') {
            fail_msg("case %zu: code %d, expected '%s', found '%s'", i, r->code, cases[i].message,
                     r->err);
        }
    }
    assert_non_null(
        strstr(RUN("run", scene, "--control", SCRATCH("none.csv"))->err, "No such file"));
    assert_non_null(strstr(RUN("run", scene, "--control", DP_SCRATCH)->err, "cannot be read"));
}

static void what_is_not_simulated_is_refused_with_the_options_that_go_on(void **state)
{
    (void)state;
    write_text(
        SCRATCH("odd.xml"),
        "<mujoco><option collision=\"predefined\"/><worldbody><geom type=\"plane\" size=\"1 1 1\"/>"
        "<body pos=\"0 0 1\"><freejoint/><geom size=\"0.1\"/>"
        "<body><joint range=\"-1 1\" limited=\"true\"/><geom size=\"0.1\"/></body></body>"
        "</worldbody></mujoco>");
    const program_result *r = RUN("run", SCRATCH("odd.xml"));
    assert_int_equal(r->code, 2);
    assert_non_null(strstr(r->err, "to go on without: add --allow "));
    assert_non_null(strstr(r->err, " --allow collision"));
    assert_null(strstr(r->err, " --allow limit"));
    assert_null(strstr(r->err, " --allow contact"));
    r = RUN("run", SCRATCH("odd.xml"), "--allow", "collision", "--seconds", "0.1");
    assert_int_equal(r->code, 0);
    assert_non_null(strstr(r->out, "without"));
    assert_string_equal(r->err, "");
    r = RUN("run", SCRATCH("odd.xml"), "--allow", "collision", "--allow", "limit", "--seconds",
            "0.1");
    assert_int_equal(r->code, 0);
    assert_string_equal(r->err, "dashpot: note: --allow limit: simulated, nothing is left out\n");
    r = RUN("run", SCRATCH("odd.xml"), "--allow", "collision,limit", "--seconds", "0.1");
    assert_int_equal(r->code, 0);
    r = RUN("run", SCRATCH("odd.xml"), "--allow", "collision,limt");
    assert_int_equal(r->code, 2);
    assert_non_null(strstr(r->err, "--allow limt: no such feature (did you mean 'limit'?)"));
    r = RUN("run", SCRATCH("odd.xml"), "--allow", "collision,");
    assert_int_equal(r->code, 2);
    r = RUN("check", SCRATCH("odd.xml"));
    assert_int_equal(r->code, 2); // as it stands it cannot be simulated
    assert_non_null(strstr(r->out, "--allow collision"));
    assert_non_null(strstr(r->out, "mass [kg]")); // the tables are there all the same
    r = RUN("check", SCRATCH("odd.xml"), "--json");
    assert_int_equal(r->code, 2);
    assert_one_json_object(r->out);
    assert_non_null(strstr(json_at(r->out, NULL, "missing"), "\"collision\""));
}

// The height of a ball that is dropped from 0.3 m, after 1 s.
static double fallen(const char *option, const char *value)
{
    write_text(SCRATCH("drop.xml"), "<mujoco><worldbody><geom type='plane' size='1 1 1'/>"
                                    "<body name='ball' pos='0 0 0.3'><joint name='height' "
                                    "type='slide' axis='0 0 1'/><geom size='0.1'/></body>"
                                    "</worldbody></mujoco>");
    const program_result *r = RUN("run", SCRATCH("drop.xml"), "--seconds", "1", "--channels",
                                  "joint.height.q", "--csv", SCRATCH("drop.csv"), option, value);
    assert_int_equal(r->code, 0);
    static char text[MOST_TEXT];
    read_text(text, SCRATCH("drop.csv"));
    text[strlen(text) - 1] = '\0';
    return 0.3 + strtod(strrchr(strrchr(text, '\n'), ',') + 1, NULL);
}

static void contact_is_simulated_unless_it_is_switched_off(void **state)
{
    (void)state;
    const double resting = 0.1, falling = 0.3 - 0.5 * 9.81, step = 0.002;
    const double sinks = 1e-4; // a ball of 4.2 kg: 41 N on 1e7 N/m is 4e-6 m
    assert_near(fallen("--every", "1"), resting, sinks);
    assert_near(fallen("--allow", "contact"), resting, sinks); // takes nothing away
    assert_near(fallen("--set", "disable_contact=true"), falling, 9.81 * step); // one step's worth
    const program_result *r =
        RUN("run", SCRATCH("drop.xml"), "--allow", "contact", "--seconds", "0.1");
    assert_int_equal(r->code, 0);
    assert_string_equal(r->err, "dashpot: note: --allow contact: simulated, nothing is left out "
                                "(to run without contact: --set disable_contact=true)\n");
    assert_null(strstr(r->out, "without"));
}

// The library names features and its own settings; the options are the program's.
static void each_refusal_names_the_option_that_lifts_it(void **state)
{
    (void)state;
    static const struct {
        const char *file, *text, *found, *option, *flag;
    } cases[] = {
        {SCRATCH("out.xml"), "<mujoco><include file='/etc/passwd'/></mujoco>",
         "allow_outside lifts this", "leave out --confined", "--confined"},
        {SCRATCH("lost.xml"), "<mujoco><option collision='predefined'/></mujoco>",
         "by masks and by pairs", "add --allow collision", NULL},
        {SCRATCH("mesh.xml"),
         "<mujoco><compiler meshdir='parts'/><asset><mesh name='m' file='none.stl'/></asset>"
         "<worldbody><body name='b'><joint/><geom type='mesh' mesh='m'/></body></worldbody>"
         "</mujoco>",
         "/parts'; meshdir or assetdir of <compiler> names the folder",
         "to go on with --allow mesh does not help: ", NULL}, // since the body would have no mass
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        write_text(cases[i].file, cases[i].text);
        static const char *const commands[] = {"run", "check"};
        for (int k = 0; k < 2; ++k) {
            const program_result *r = RUN(commands[k], cases[i].file, cases[i].flag);
            // What check goes on without is in its tables.
            const bool found = strstr(r->err, cases[i].found) || strstr(r->out, cases[i].found);
            const bool helped =
                strstr(r->err, cases[i].option) || strstr(r->out, strstr(cases[i].option, "--"));
            if (r->code != 2 || !found || !helped) {
                fail_msg("%s %s: code %d, expected '%s' and '%s', found '%s'", commands[k],
                         cases[i].file, r->code, cases[i].found, cases[i].option, r->err);
            }
        }
    }
}

static void a_result_tells_what_was_left_out_and_nothing_else(void **state)
{
    (void)state;
    write_text(SCRATCH("odd_pair.xml"),
               "<mujoco><option collision='predefined'/><worldbody><body>"
               "<joint range='-1 1' limited='true'/>"
               "<geom size='0.1' pos='1 0 0'/></body></worldbody></mujoco>");
    const program_result *r = RUN("run", SCRATCH("odd_pair.xml"), "--allow", "contact", "--allow",
                                  "collision", "--allow", "limit", "--seconds", "0.1", "--json");
    assert_int_equal(r->code, 0);
    assert_one_json_object(r->out);
    const char *without = json_first(r->out, "without");
    assert_non_null(without);
    assert_int_equal(strncmp(without, "\"collision\"", 11), 0);
    assert_null(json_next(without)); // contact and limits are not left out
    r = RUN("run", PENDULUM, "--seconds", "0.1", "--json");
    assert_null(json_first(r->out, "without"));
    assert_non_null(json_at(r->out, NULL, "without"));
    assert_null(strstr(RUN("run", PENDULUM, "--seconds", "0.1")->out, "without"));
}

static void a_control_outside_of_its_range_is_noted_once_with_its_line(void **state)
{
    (void)state;
    write_text(SCRATCH("strong.csv"), "time,push\n0,1\n0.5,1.5\n1,-7\n");
    const program_result *r = RUN("run", CART_POLE, "--control", SCRATCH("strong.csv"));
    assert_int_equal(r->code, 0);
    assert_string_equal(
        r->err, "dashpot: note: " SCRATCH("strong.csv") ":3: the control of actuator 'push' "
                                                        "is clamped to its range [-1, 1]\n");
    r = RUN("run", CART_POLE, "--control", SCRATCH("strong.csv"), "--set",
            "disable_clamp_control=true");
    assert_string_equal(r->err, "");
}

static void a_binary_file_is_refused_in_printable_words(void **state)
{
    (void)state;
    write_text(SCRATCH("binary.xml"), "<\x01\x02"
                                      "ab\x1B[2J>\xFF");
    write_text(SCRATCH("binary.txt"), "\x89PNG\x1B[2J");
    const char *const commands[][2] = {{"run", SCRATCH("binary.xml")},
                                       {"solve", SCRATCH("binary.txt")},
                                       {"run", "\xC2\x9B"
                                               "2J.xml"}};
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; ++i) {
        const program_result *r = RUN(commands[i][0], commands[i][1]);
        assert_int_equal(r->code, 2);
        for (const char *c = r->err; *c != '\0'; ++c) {
            assert_true(*c == '\n' || (*c >= ' ' && *c <= '~'));
        }
    }
}

// --- runs ----------------------------------------------------------------------------------------

static void a_run_ends_with_a_table(void **state)
{
    (void)state;
    const program_result *r = RUN("run", PENDULUM, "--seconds", "0.5");
    assert_int_equal(r->code, 0);
    assert_string_equal(r->err, ""); // no progress bar where there is no terminal
    static const char *const rows[] = {
        "scene",    "simulated",    "wall time",        "final pose",
        "swing 0.", "energy drift", "steps per second", "real-time factor"};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        assert_non_null(strstr(r->out, rows[i]));
    }
}

static void quiet_is_silent(void **state)
{
    (void)state;
    const program_result *r = RUN("run", PENDULUM, "--seconds", "1", "--step", "0.3", "-q");
    assert_int_equal(r->code, 0);
    assert_string_equal(r->out, "");
    assert_string_equal(r->err, "");
}

static void a_time_that_no_steps_fill_is_rounded_with_a_note(void **state)
{
    (void)state;
    const program_result *r = RUN("run", PENDULUM, "--seconds", "1", "--step", "0.3", "--json");
    assert_int_equal(r->code, 0);
    assert_non_null(strstr(r->err, "1 s is not a multiple of the step 0.3 s: simulating 0.9 s"));
    assert_near(json_number(r->out, NULL, "steps"), 3.0, 0.0);
    assert_near(json_number(r->out, NULL, "time"), 0.9, 1e-15); // a sum of three
}

static void ten_seconds_are_the_default(void **state)
{
    (void)state;
    const program_result *r = RUN("run", cart_scene(), "--json");
    assert_int_equal(r->code, 0);
    assert_near(json_number(r->out, NULL, "steps"), 1000.0, 0.0);
}

static void json_has_the_promised_keys(void **state)
{
    (void)state;
    const program_result *r =
        RUN("run", DP_SCENES "/tumbling_box.xml", "--seconds", "0.1", "--json");
    assert_int_equal(r->code, 0);
    assert_one_json_object(r->out);
    static const char *const keys[] = {
        "version", "scene", "nq",   "nv",          "integrator",       "step",
        "steps",   "time",  "hash", "evaluations", "steps_per_second", "momentum"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i) {
        json_at(r->out, NULL, keys[i]);
    }
    json_at(r->out, "energy", "kinetic");
    json_at(r->out, "energy", "potential");
    json_at(r->out, "energy", "initial");
    json_at(r->out, "energy", "final");
    assert_near(json_number(r->out, NULL, "nq"), 7.0, 0.0);
    assert_near(json_number(r->out, NULL, "nv"), 6.0, 0.0);
    const char *q = json_at(r->out, "final", "q");
    int commas = 0;
    for (; *q != ']'; ++q) {
        commas += *q == ',' ? 1 : 0;
    }
    assert_int_equal(commas, 6);
    assert_non_null(strstr(r->out, "\"scene\": \"" DP_SCENES "/tumbling_box.xml\""));
}

static void json_is_valid_whatever_the_names_are(void **state)
{
    (void)state;
    // A path with bytes that are not UTF-8, and a title with everything that must be escaped.
    const char *path = SCRATCH("odd\xFF\xC3 \"name\"\x01.xml");
    char text[2000];
    snprintf(text, sizeof text, "%s", cart);
    const char *title = "model=\"cart\"";
    char *at = strstr(text, title);
    const char *odd = "model=\"a &quot;b&quot; \\ &#9;&#127; ü\"";
    memmove(at + strlen(odd), at + strlen(title), strlen(at + strlen(title)) + 1);
    memcpy(at, odd, strlen(odd));
    write_text(path, text);
    const program_result *r = RUN("run", path, "--json", "--report", "--seconds", "0.1");
    assert_int_equal(r->code, 0);
    assert_one_json_object(r->out);
    assert_null(strchr(r->out, '\xFF'));
    r = RUN("check", path, "--json", "--channels");
    assert_int_equal(r->code, 0);
    assert_one_json_object(r->out);
    assert_non_null(strstr(r->out, "\"name\": \"joint.rail.q\""));
    remove(path);
}

static void equal_runs_have_equal_hashes_and_others_do_not(void **state)
{
    (void)state;
    char first[20], second[20], other[20];
    const char *format = "%17[^,]";
    sscanf(json_at(RUN("run", PENDULUM, "--json", "--seconds", "1")->out, NULL, "hash"), format,
           first);
    sscanf(json_at(RUN("run", PENDULUM, "--json", "--seconds", "1", "--csv", SCRATCH("h.csv"),
                       "--channels", "*")
                       ->out,
                   NULL, "hash"),
           format, second);
    sscanf(json_at(RUN("run", PENDULUM, "--json", "--seconds", "1.1")->out, NULL, "hash"), format,
           other);
    assert_string_equal(first, second); // recording everything changes nothing
    assert_string_not_equal(first, other);
}

static int count_lines(const char *text)
{
    int n = 0;
    for (; *text != '\0'; ++text) {
        n += *text == '\n' ? 1 : 0;
    }
    return n;
}

static void files_hold_the_samples_and_the_last_state(void **state)
{
    (void)state;
    static char csv[MOST_TEXT], svg[MOST_TEXT];
    remove(SCRATCH("a.csv"));
    const program_result *r =
        RUN("run", PENDULUM, "--seconds", "1", "--step", "0.01", "--json", "--csv",
            SCRATCH("a.csv"), "--npz", SCRATCH("a.npz"), "--plot", SCRATCH("a.svg"), "--every",
            "30", "--channels", "joint.swing.q,energy.total");
    assert_int_equal(r->code, 0);
    read_text(csv, SCRATCH("a.csv"));
    assert_int_equal(strncmp(csv, "time,joint.swing.q,energy.total\n", 32), 0);
    assert_int_equal(count_lines(csv), 1 + 5); // steps 0, 30, 60, 90 and the last
    const char *last = csv + strlen(csv) - 2;
    while (last[-1] != '\n') {
        --last;
    }
    char *end;
    const double t = strtod(last, &end), q = strtod(end + 1, &end), energy = strtod(end + 1, &end);
    assert_near(t, json_number(r->out, NULL, "time"), 0.0);
    assert_near(q, strtod(json_at(r->out, "final", "q") + 1, NULL), 0.0); // the same bits
    assert_near(energy, json_number(r->out, "energy", "final"), 0.0);
    read_text(svg, SCRATCH("a.svg"));
    assert_int_equal(strncmp(svg, "<svg ", 5), 0);
    assert_true(exists(SCRATCH("a.npz")));

    r = RUN("run", PENDULUM, "--seconds", "1", "--step", "0.01", "--csv", SCRATCH("a.csv"),
            "--sample", "0.1");
    assert_int_equal(r->code, 0);
    read_text(csv, SCRATCH("a.csv"));
    assert_int_equal(count_lines(csv), 1 + 11);
}

static void a_refused_run_leaves_an_old_file_alone(void **state)
{
    (void)state;
    static char text[MOST_TEXT];
    write_text(SCRATCH("old.csv"), "precious\n");
    const program_result *r =
        RUN("run", PENDULUM, "--csv", SCRATCH("old.csv"), "--plot", DP_SCRATCH "/no/x.svg");
    assert_int_equal(r->code, 2);
    read_text(text, SCRATCH("old.csv"));
    assert_string_equal(text, "precious\n");
}

static void link_to(const char *target, const char *link)
{
    remove(link);
    assert_int_equal(symlink(target, link), 0);
}

static bool is_link(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0 && S_ISLNK(info.st_mode);
}

static void a_refused_run_leaves_a_link_to_nothing_as_it_was(void **state)
{
    (void)state;
    link_to("cli_later.csv", SCRATCH("link.csv"));
    remove(SCRATCH("later.csv"));
    const program_result *r =
        RUN("run", PENDULUM, "--csv", SCRATCH("link.csv"), "--plot", DP_SCRATCH "/no/x.svg");
    assert_int_equal(r->code, 2);
    assert_true(is_link(SCRATCH("link.csv")));
    assert_false(exists(SCRATCH("later.csv")));
}

static void every_command_writes_through_a_link(void **state)
{
    (void)state;
    static char text[MOST_TEXT];
    for (int i = 0; i < 4; ++i) {
        const bool dangling = i % 2 == 0;
        link_to("cli_linked.csv", SCRATCH("link.csv"));
        remove(SCRATCH("linked.csv"));
        if (!dangling) {
            write_text(SCRATCH("linked.csv"), "old\n");
        }
        const program_result *r =
            i < 2 ? RUN("run", PENDULUM, "--seconds", "0.1", "--csv", SCRATCH("link.csv"))
                  : RUN("work", PENDULUM, "--laws", "vi", "--steps", "2.5e-2", "--seconds", "0.05",
                        "--csv", SCRATCH("link.csv"));
        assert_int_equal(r->code, 0);
        assert_true(is_link(SCRATCH("link.csv")));
        read_text(text, SCRATCH("linked.csv"));
        assert_non_null(strstr(text, i < 2 ? "time" : "law,reference"));
    }
}

static void a_failing_step_gives_code_1_and_what_was_recorded(void **state)
{
    (void)state;
    static char csv[MOST_TEXT];
    remove(SCRATCH("fail.csv"));
    const program_result *r = RUN("run", PENDULUM, "--integrator", "rk45", "--step", "0.5", "--set",
                                  "max_substeps=1", "--csv", SCRATCH("fail.csv"), "--json");
    assert_int_equal(r->code, 1);
    assert_non_null(strstr(r->err, "dashpot: step 1 failed: "));
    assert_non_null(strstr(r->err, SCRATCH("fail.csv")));
    assert_one_json_object(r->out);
    assert_non_null(strstr(json_at(r->out, NULL, "outcome"), "failed"));
    assert_near(json_number(r->out, NULL, "steps"), 0.0, 0.0);
    read_text(csv, SCRATCH("fail.csv"));
    assert_int_equal(count_lines(csv), 2);
}

static void an_interrupted_run_writes_what_it_has(void **state)
{
    (void)state;
    static char csv[MOST_TEXT];
    const char *const arguments[] = {"run",     PENDULUM, "--seconds",         "1e7", "--every",
                                     "1000000", "--csv",  SCRATCH("stop.csv"), NULL};
    const program_result *r = NULL;
    for (int attempt = 1; attempt <= 5; ++attempt) { // on a busy machine the start may take long
        remove(SCRATCH("stop.csv"));
        const pid_t child = program_start(arguments, NULL);
        nanosleep(&(struct timespec){.tv_nsec = 190000000L * attempt}, NULL);
        assert_int_equal(kill(child, SIGINT), 0);
        nanosleep(&(struct timespec){.tv_nsec = 2000000L}, NULL);
        assert_int_equal(kill(child, SIGINT), 0); // the same, sent to the group, while it writes
        r = program_finish(child);
        if (r->code >= 0) {
            break;
        }
    }
    assert_int_equal(r->code, 130);
    assert_non_null(strstr(r->err, "dashpot: interrupted at t = "));
    assert_non_null(strstr(r->out, "written"));
    read_text(csv, SCRATCH("stop.csv"));
    assert_true(count_lines(csv) >= 2);
}

// A spring that rk4 cannot hold at this step: h √(k/I) = 316.
static const char *exploding_scene(void)
{
    write_text(SCRATCH("exploding.xml"),
               "<mujoco><option integrator='RK4' timestep='0.01'/><worldbody><body name='mass'>"
               "<joint stiffness='1e9' springref='40'/><inertial pos='0 0 0' mass='1' "
               "diaginertia='1 1 1'/></body></worldbody></mujoco>");
    return SCRATCH("exploding.xml");
}

static void a_failed_step_tells_what_where_and_what_to_try(void **state)
{
    (void)state;
    const program_result *r = RUN("run", exploding_scene(), "--seconds", "1");
    assert_int_equal(r->code, 1);
    assert_int_equal(strncmp(r->err, "dashpot: step ", 14), 0);
    assert_non_null(strstr(r->err, "(joint 0 (unnamed) of body 'mass') would be "));
    assert_non_null(strstr(r->err, "expected less than 1e+60"));
    assert_non_null(strstr(r->err, "try --step 0.001 or --integrator semi-implicit"));
    const char *time = strstr(r->err, "t = 0.0");
    assert_non_null(time);
    assert_null(strstr(time + 1, "t = 0.0")); // told once
    assert_int_equal(
        RUN("run", exploding_scene(), "--seconds", "1", "--integrator", "semi-implicit")->code,
        0); // the advice helps
}

static void json_of_a_failed_run_has_the_error(void **state)
{
    (void)state;
    const program_result *r = RUN("run", exploding_scene(), "--seconds", "1", "--json");
    assert_int_equal(r->code, 1);
    assert_one_json_object(r->out);
    assert_int_equal(strncmp(json_at(r->out, "error", "status"), "\"DP_ERROR_NUMERIC\"", 18), 0);
    assert_non_null(strstr(json_at(r->out, "error", "message"), "would be"));
    const double step = json_number(r->out, "error", "step");
    assert_true(step >= 1.0);
    assert_near(json_number(r->out, "error", "time"), 0.01 * (step - 1.0), 1e-12); // round-off
    assert_near(json_number(r->out, NULL, "steps"), step - 1.0, 0.0);
    assert_int_not_equal(r->err[0], '\0'); // people read it, too
    r = RUN("run", PENDULUM, "--json", "--seconds", "0.1");
    assert_int_equal(r->code, 0);
    assert_null(strstr(r->out, "\"error\""));
}

static void a_full_disk_is_named_and_fails_the_run(void **state)
{
    (void)state;
    if (!exists("/dev/full")) {
        skip();
    }
    static const char *const options[] = {"--csv", "--npz", "--plot"};
    for (int i = 0; i < 3; ++i) {
        const program_result *r =
            RUN("run", PENDULUM, "--seconds", "5", "--json", options[i], "/dev/full");
        assert_int_equal(r->code, 1);
        assert_string_equal(r->err,
                            "dashpot: /dev/full: could not be written: No space left on device\n");
        assert_one_json_object(r->out);
        assert_int_equal(strncmp(json_at(r->out, "error", "status"), "\"DP_ERROR_IO\"", 13), 0);
        assert_non_null(strstr(json_at(r->out, "error", "message"), "No space left"));
    }
}

// 1 kg m² on a spring with a period of 2π/√4000 s = 0.0993 s.
static void an_oscillation_that_the_step_damps_is_noted_with_a_step_that_keeps_it(void **state)
{
    (void)state;
    write_text(SCRATCH("swing.xml"),
               "<mujoco><compiler angle='radian'/><option timestep='0.01'/><worldbody><body "
               "name='b'><joint name='j' stiffness='4000' springref='0.1'/><inertial pos='0 0 0' "
               "mass='1' diaginertia='1 1 1'/></body></worldbody></mujoco>");
    const program_result *r = RUN("run", SCRATCH("swing.xml"), "--seconds", "0.1", "--json");
    assert_int_equal(r->code, 0);
    assert_non_null(strstr(r->err, "note: joint 'j' swings with a period of 0.099 s: the step of "
                                   "0.01 s damps this oscillation; it does not blow up"));
    // Implicit Euler keeps (1 + (hω)²)^−n of the energy in n steps: 0.035 in 10 of 0.01 s.
    assert_true(json_number(r->out, "energy", "final") <
                0.05 * json_number(r->out, "energy", "initial"));
    const char *advice = strstr(r->err, "use --step ");
    assert_non_null(advice);
    char step[32];
    assert_int_equal(sscanf(advice, "use --step %31s", step), 1);
    r = RUN("run", SCRATCH("swing.xml"), "--seconds", "0.1", "--json", "--step", step);
    assert_string_equal(r->err, "");
    assert_true(json_number(r->out, "energy", "final") >
                0.4 * json_number(r->out, "energy", "initial"));
    r = RUN("run", SCRATCH("swing.xml"), "--seconds", "0.1", "--integrator", "rk4");
    assert_string_equal(r->err, "");
    r = RUN("run", SCRATCH("swing.xml"), "--seconds", "0.1", "--quiet");
    assert_string_equal(r->err, "");
}

static void a_full_stdout_is_a_failure(void **state)
{
    (void)state;
    if (!exists("/dev/full")) {
        skip();
    }
    const char *const arguments[] = {"run", PENDULUM, "--seconds", "0.1", NULL};
    int status;
    const pid_t child = program_start(arguments, "/dev/full");
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 1);
}

static void a_scene_that_rests_points_at_its_keyframes(void **state)
{
    (void)state;
    const program_result *r = RUN("run", CART_POLE, "--seconds", "0.1");
    assert_int_equal(r->code, 0);
    assert_non_null(strstr(r->err, "nothing moved; the scene has keyframes to start from: tilted"));
    r = RUN("run", CART_POLE, "--seconds", "0.1", "--keyframe", "tilted");
    assert_int_equal(r->code, 0);
    assert_string_equal(r->err, "");
}

// --- controls
// --------------------------------------------------------------------------------------

// Velocity after a run of the cart with this control file.
static double cart_velocity(const char *control, const char *more, const char *integrator)
{
    write_text(SCRATCH("push.csv"), control);
    const program_result *r = RUN("run", cart_scene(), "--json", "--integrator", integrator,
                                  "--control", SCRATCH("push.csv"), more);
    if (r->code != 0) {
        fail_msg("%s", r->err);
    }
    return strtod(json_at(r->out, "final", "v") + 1, NULL);
}

static void controls_are_held_until_the_next_row(void **state)
{
    (void)state;
    const double round_off = 1e-13; // 200 additions
    // 1 kg: the velocity is the sum of force × time.
    static const char rows[] = "time,push\n0.0,1\n0.5,-2\n1.0,3\n2,0\n";
    assert_near(cart_velocity(rows, NULL, "semi-implicit"), 0.5 - 1.0 + 3.0, round_off);
    assert_near(cart_velocity(rows, NULL, "rk4"), 0.5 - 1.0 + 3.0, round_off);
    // Before the first row nothing acts; quotes, spaces, comments and Windows lines are fine.
    static const char odd[] = "\xEF\xBB\xBF# pushes\r\ntime , \"push\"\r\n\r\n1.5, 4\r\n2, 0\r\n";
    assert_near(cart_velocity(odd, NULL, "semi-implicit"), 2.0, round_off);
    // The name of the channel will do, so that a recording can be played back.
    assert_near(cart_velocity("time,actuator.push.control\n0,1\n1,0\n", NULL, "semi-implicit"), 1.0,
                round_off);
}

static void interpolated_controls_are_straight_lines(void **state)
{
    (void)state;
    // A ramp from 0 to 2 in 1 s, then down to 0: 2 N s. RK4 integrates straight lines exactly.
    static const char rows[] = "time,push\n0,0\n1,2\n2,0\n";
    assert_near(cart_velocity(rows, "--interpolate", "rk4"), 2.0, 1e-12);
    assert_near(cart_velocity(rows, NULL, "rk4"), 2.0, 1e-12); // held: 0, then 2
}

static void the_last_control_row_ends_the_run(void **state)
{
    (void)state;
    write_text(SCRATCH("push.csv"), "time,push\n0,1\n0.25,0\n");
    const program_result *r = RUN("run", cart_scene(), "--json", "--control", SCRATCH("push.csv"));
    assert_int_equal(r->code, 0);
    assert_near(json_number(r->out, NULL, "steps"), 25.0, 0.0);
}

static void recorded_controls_are_those_that_act_from_then_on(void **state)
{
    (void)state;
    static char csv[MOST_TEXT];
    write_text(SCRATCH("push.csv"), "time,push\n0,1\n0.02,5\n");
    const program_result *r =
        RUN("run", cart_scene(), "--control", SCRATCH("push.csv"), "--seconds", "0.03", "--csv",
            SCRATCH("control_out.csv"), "--channels", "actuator.push.control,actuator.push.force");
    assert_int_equal(r->code, 0);
    read_text(csv, SCRATCH("control_out.csv"));
    assert_string_equal(csv, "time,actuator.push.control,actuator.push.force\n"
                             "0,1,1\n"
                             "0.01,1,1\n"
                             "0.02,5,5\n"
                             "0.029999999999999999,5,5\n");
}

static void a_recording_can_be_played_back(void **state)
{
    (void)state;
    write_text(SCRATCH("push.csv"), "time,push\n0,0.5\n0.3,-0.5\n0.5,0.1\n");
    const char *recording = SCRATCH("recording.csv");
    const program_result *r =
        RUN("run", CART_POLE, "--control", SCRATCH("push.csv"), "--seconds", "1", "--json", "--csv",
            recording, "--channels", "actuator.*.control");
    assert_int_equal(r->code, 0);
    char hash[20];
    snprintf(hash, sizeof hash, "%.18s", json_at(r->out, NULL, "hash"));
    r = RUN("run", CART_POLE, "--control", recording, "--seconds", "1", "--json");
    assert_int_equal(r->code, 0);
    assert_int_equal(strncmp(json_at(r->out, NULL, "hash"), hash, 18), 0);

    r = RUN("run", CART_POLE, "--control", SCRATCH("push.csv"), "--seconds", "1", "--quiet",
            "--csv", recording, "--channels", "actuator.*");
    assert_int_equal(r->code, 0);
    r = RUN("run", CART_POLE, "--control", recording);
    assert_int_equal(r->code, 2);
    assert_non_null(strstr(r->err, ":1: 'actuator.push.force' is recorded, and no control (to "
                                   "play a recording back, record with --channels "
                                   "'actuator.*.control')"));
}

// --- all scenes
// --------------------------------------------------------------------------------------

static void every_scene_runs_and_checks(void **state)
{
    (void)state;
    DIR *folder = opendir(DP_SCENES);
    assert_non_null(folder);
    int scenes = 0;
    for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        const size_t length = strlen(entry->d_name);
        if (length < 5 || strcmp(entry->d_name + length - 4, ".xml") != 0) {
            continue;
        }
        char path[2000];
        snprintf(path, sizeof path, "%s/%s", DP_SCENES, entry->d_name);
        const program_result *r =
            RUN("run", path, "--seconds", "0.05", "--json", "--plot", SCRATCH("scene.svg"));
        if (r->code != 0) {
            fail_msg("%s: %s", path, r->err);
        }
        assert_one_json_object(r->out);
        r = RUN("check", path);
        assert_int_equal(r->code, 0);
        assert_string_equal(r->err, "");
        r = RUN("check", path, "--json");
        assert_int_equal(r->code, 0);
        assert_one_json_object(r->out);
        ++scenes;
    }
    closedir(folder);
    assert_true(scenes >= 9);
}

static void check_lists_what_can_be_recorded(void **state)
{
    (void)state;
    const program_result *r = RUN("check", CART_POLE, "--channels");
    assert_int_equal(r->code, 0);
    assert_non_null(strstr(r->out, "joint.slider.q "));
    assert_non_null(strstr(r->out, "energy.total "));
    assert_non_null(strstr(r->out, "sensor.tip_acceleration.x "));
}

static void check_warns_of_a_servo_too_stiff_for_an_explicit_step(void **state)
{
    (void)state;
    // A spring k on 1 kg turns unstable in rk4 at h √k = 2.8; the step is 0.01 s. Semi-implicit
    // takes any.
    static const struct {
        const char *kp, *integrator;
        bool warned;
    } cases[] = {{"70000", "RK4", false}, {"90000", "RK4", true}, {"90000", "Euler", false}};
    for (int i = 0; i < 3; ++i) {
        char text[2000];
        snprintf(
            text, sizeof text,
            "<mujoco><option timestep=\"0.01\" integrator=\"%s\"/><worldbody><body name=\"cart\">"
            "<joint name=\"rail\" type=\"slide\"/>"
            "<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 1\"/></body></worldbody>"
            "<actuator><position joint=\"rail\" kp=\"%s\"/></actuator></mujoco>",
            cases[i].integrator, cases[i].kp);
        write_text(SCRATCH("servo.xml"), text);
        const program_result *r = RUN("check", SCRATCH("servo.xml"));
        assert_int_equal(r->code, 0);
        assert_int_equal(strstr(r->out, "joint 'rail' with its actuators is too stiff") != NULL,
                         cases[i].warned);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(help_and_version_go_to_stdout_and_succeed),
        cmocka_unit_test(without_arguments_there_is_short_help_and_code_2),
        cmocka_unit_test(every_option_is_in_the_manual_and_the_completion),
        cmocka_unit_test(laws_and_references_that_the_completion_offers_are_not_refused),
        cmocka_unit_test(every_example_of_the_help_texts_runs),
        cmocka_unit_test(bad_usage_is_met_with_a_message_and_code_2),
        cmocka_unit_test(bad_model_files_are_met_with_a_message_and_code_2),
        cmocka_unit_test(bad_control_files_are_met_with_file_and_line),
        cmocka_unit_test(what_is_not_simulated_is_refused_with_the_options_that_go_on),
        cmocka_unit_test(contact_is_simulated_unless_it_is_switched_off),
        cmocka_unit_test(each_refusal_names_the_option_that_lifts_it),
        cmocka_unit_test(a_result_tells_what_was_left_out_and_nothing_else),
        cmocka_unit_test(a_control_outside_of_its_range_is_noted_once_with_its_line),
        cmocka_unit_test(a_binary_file_is_refused_in_printable_words),
        cmocka_unit_test(a_run_ends_with_a_table),
        cmocka_unit_test(quiet_is_silent),
        cmocka_unit_test(a_time_that_no_steps_fill_is_rounded_with_a_note),
        cmocka_unit_test(ten_seconds_are_the_default),
        cmocka_unit_test(json_has_the_promised_keys),
        cmocka_unit_test(json_is_valid_whatever_the_names_are),
        cmocka_unit_test(equal_runs_have_equal_hashes_and_others_do_not),
        cmocka_unit_test(files_hold_the_samples_and_the_last_state),
        cmocka_unit_test(a_refused_run_leaves_an_old_file_alone),
        cmocka_unit_test(a_refused_run_leaves_a_link_to_nothing_as_it_was),
        cmocka_unit_test(every_command_writes_through_a_link),
        cmocka_unit_test(a_failing_step_gives_code_1_and_what_was_recorded),
        cmocka_unit_test(an_interrupted_run_writes_what_it_has),
        cmocka_unit_test(a_failed_step_tells_what_where_and_what_to_try),
        cmocka_unit_test(json_of_a_failed_run_has_the_error),
        cmocka_unit_test(an_oscillation_that_the_step_damps_is_noted_with_a_step_that_keeps_it),
        cmocka_unit_test(a_full_disk_is_named_and_fails_the_run),
        cmocka_unit_test(a_full_stdout_is_a_failure),
        cmocka_unit_test(a_scene_that_rests_points_at_its_keyframes),
        cmocka_unit_test(controls_are_held_until_the_next_row),
        cmocka_unit_test(interpolated_controls_are_straight_lines),
        cmocka_unit_test(the_last_control_row_ends_the_run),
        cmocka_unit_test(a_recording_can_be_played_back),
        cmocka_unit_test(recorded_controls_are_those_that_act_from_then_on),
        cmocka_unit_test(every_scene_runs_and_checks),
        cmocka_unit_test(check_lists_what_can_be_recorded),
        cmocka_unit_test(check_warns_of_a_servo_too_stiff_for_an_explicit_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
