// What all commands of the program share.
#ifndef DASHPOT_CLI_PROGRAM_H
#define DASHPOT_CLI_PROGRAM_H

#include <dashpot/base.h>

/// Exit codes of the program.
enum {
    CLI_OK = 0,
    CLI_FAILED = 1, // the run failed
    CLI_USAGE = 2,  // bad usage or bad input
    CLI_LOST = 3, // to main: what was to be written is lost, which is CLI_FAILED to the user, also
                  // after a signal
};

typedef struct cli_command {
    const char *name;
    const char *arguments;             // what follows the name in the usage line
    const char *summary;               // one line
    int (*run)(int argc, char **argv); // without the program and the command's name
} cli_command;

extern const cli_command cli_commands[];
extern const int cli_ncommand;

int cli_run(int argc, char **argv);
int cli_view(int argc, char **argv);
int cli_check(int argc, char **argv);
int cli_convert(int argc, char **argv);
int cli_solve(int argc, char **argv);
int cli_bench(int argc, char **argv);
int cli_paper_command(int argc, char **argv);
int cli_work(int argc, char **argv);
int cli_compare(int argc, char **argv);

/// Print "dashpot: …" and a line end on stderr.
void cli_complain(const char *format, ...) DP_PRINTF(1, 2);
/// The first of them that is not a note; "" when there is none.
const char *cli_first_complaint(void);

#endif
