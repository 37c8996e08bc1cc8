// `solve` for a friction-contact problem: solve it, and tell as a table or as JSON; write problems
// for other programs.
#ifndef DASHPOT_CLI_SOLVED_FC_H
#define DASHPOT_CLI_SOLVED_FC_H

#include "common/arguments.h"

#include <dashpot/advanced/fc.h>
#include <dashpot/advanced/lcp.h>
#include <dashpot/advanced/problem.h>

typedef struct cli_fc_options {
    const char *path;
    cli_list settings; // of --set
    const char *write; // of --write, NULL: nothing is written
    const char *form;  // of --form: "local" or "global", NULL: as it is
    bool rows, json;
} cli_fc_options;

/// @return the exit code
int cli_solve_fc(const dp_fc_file *file, const cli_fc_options *o);

/// Write a step problem as a friction-contact problem, in the local form unless `form` says else.
/// Complains and returns false.
bool cli_export_step(const dp_step_problem *p, const char *path, const char *write,
                     const char *form);
/// Write a complementarity problem: as Siconos does, or where the name ends with .txt, as we do.
bool cli_export_lcp(const dp_lcp_file *file, const char *write);

/// Whether the name of a file is that of HDF5.
bool cli_is_hdf5_name(const char *path);

#endif
