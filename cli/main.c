// The `dashpot` command: find out which command is meant, and run it.
#include "common/arguments.h"
#include "common/program.h"
#include "common/signals.h"
#include "common/text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

const cli_command cli_commands[] = {
    {"run", "SCENE [options]", "simulate a scene; tables, plots and files come out", cli_run},
    {"view", "SCENE [options]", "simulate it live in the browser: drag, change, record", cli_view},
    {"check", "MODEL [options]", "what is in a model file, and what to look out for", cli_check},
    {"convert", "IN OUT [options]", "write a model file as MJCF", cli_convert},
    {"solve", "FILE [options]", "solve one step problem, and tell how well", cli_solve},
    {"bench", "SCENE [options]", "how fast and how well a scene is simulated", cli_bench},
    {"work", "SCENE [options]", "what precision costs: several laws, steps and accuracies",
     cli_work},
    {"compare", "SCENE [options]", "one scene under every law: what differs, and why", cli_compare},
    {"paper", "[ID] [options]", "figures of papers: their numbers beside ours", cli_paper_command},
};
const int cli_ncommand = sizeof cli_commands / sizeof cli_commands[0];

static void print_help(FILE *file)
{
    fputs("usage: dashpot COMMAND …\n\n"
          "Multibody dynamics from model files (MJCF, URDF).\n\n",
          file);
    for (int i = 0; i < cli_ncommand; ++i) {
        fprintf(file, "  dashpot %-7s %-16s %s\n", cli_commands[i].name, cli_commands[i].arguments,
                cli_commands[i].summary);
    }
    fputs("  dashpot help    COMMAND          all options of a command, with examples\n"
          "  dashpot --version\n\n"
          "Ctrl-C (SIGINT) and SIGTERM end every command at once, also within a step; what was\n"
          "recorded until then is written. Exit code: 130, 143.\n\n"
          "Examples\n"
          "  dashpot run scenes/double_pendulum.xml --plot out.svg\n"
          "  dashpot view scenes/humanoid.xml --open\n"
          "  dashpot check scenes/humanoid.xml\n"
          "  dashpot convert robot.urdf robot.xml\n"
          "  dashpot solve scenes/problems/rod_on_two_feet.txt\n"
          "  dashpot bench scenes/contact/ramp.xml\n"
          "  dashpot work scenes/paper/castro_box.xml --seconds 0.1\n"
          "  dashpot compare scenes/contact/ramp.xml\n"
          "  dashpot paper d-fig4 --out pendulum\n",
          file);
}

static const cli_command *find_command(const char *name)
{
    for (int i = 0; i < cli_ncommand; ++i) {
        if (strcmp(cli_commands[i].name, name) == 0) {
            return &cli_commands[i];
        }
    }
    return NULL;
}

static int unknown_command(const char *name)
{
    struct stat info;
    if (name[0] != '-' && stat(name, &info) == 0) {
        cli_complain("'%s' is a file, not a command (did you mean 'dashpot run %s'?)", name, name);
        return CLI_USAGE;
    }
    static const char *const known[] = {"run",   "view",  "check",  "convert",
                                        "solve", "bench", "work",   "compare",
                                        "paper", "help",  "--help", "--version"};
    const char *near = cli_nearest(name, known, sizeof known / sizeof known[0]);
    if (near) {
        cli_complain("unknown command '%s' (did you mean '%s'?)", name, near);
    } else {
        cli_complain("unknown command '%s' (expected run, view, check, convert, solve, bench, "
                     "work, compare, "
                     "paper, help or --version)",
                     name);
    }
    return CLI_USAGE;
}

static int too_many(const char *usage, const char *found)
{
    cli_complain("found '%s' (usage: dashpot %s)", found, usage);
    return CLI_USAGE;
}

static int help(int argc, char **argv)
{
    if (argc == 0) {
        print_help(stdout);
        return CLI_OK;
    }
    if (argc > 1) {
        return too_many("help COMMAND", argv[1]);
    }
    if (strcmp(argv[0], "help") == 0) {
        print_help(stdout);
        return CLI_OK;
    }
    const cli_command *command = find_command(argv[0]);
    if (!command) {
        return unknown_command(argv[0]);
    }
    char *arguments[] = {"--help", NULL};
    return command->run(1, arguments);
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return CLI_USAGE;
    }
    const char *first = argv[1];
    if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0 || strcmp(first, "help") == 0) {
        return help(argc - 2, argv + 2);
    }
    if (strcmp(first, "--version") == 0 || strcmp(first, "-V") == 0) {
        if (argc > 2) {
            return too_many("--version", argv[2]);
        }
        cli_print("dashpot %s\n", dp_version());
        return CLI_OK;
    }
    const cli_command *command = find_command(first);
    return command ? command->run(argc - 2, argv + 2) : unknown_command(first);
}

int main(int argc, char **argv)
{
    cli_interrupt_begin();
    const int own = dispatch(argc, argv), by_signal = cli_interrupt_code();
    const int code = own == CLI_LOST ? CLI_FAILED : by_signal != 0 ? by_signal : own;
    if (fflush(stdout) != 0 || ferror(stdout)) {
        cli_complain("standard output could not be written: %s", strerror(errno));
        return code == CLI_OK ? CLI_FAILED : code;
    }
    return code;
}
