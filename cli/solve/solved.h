// What `solve` found: the table and the JSON object.
#ifndef DASHPOT_CLI_SOLVED_H
#define DASHPOT_CLI_SOLVED_H

#include <dashpot/advanced/law.h>
#include <dashpot/law.h>

typedef struct cli_solved {
    const char *path;
    const dp_problem_file *file;
    dp_law_options law;
    bool warm; // whether it started from the impulses of the file
    dp_step_solution solution;
    dp_solve_info info;
    dp_certificate certificate;
} cli_solved;

void cli_solved_table(const cli_solved *s);
/// One line per row: id, impulse, rate, gap at the end, state.
void cli_solved_rows(const cli_solved *s);
void cli_solved_json(const cli_solved *s, bool rows);

#endif
