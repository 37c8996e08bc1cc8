// `solve` for a linear complementarity problem: solve it, and tell as a table or as JSON.
#ifndef DASHPOT_CLI_SOLVED_LCP_H
#define DASHPOT_CLI_SOLVED_LCP_H

#include "common/arguments.h"

#include <dashpot/advanced/lcp.h>

typedef struct cli_lcp_options {
    const char *path;
    cli_list settings; // of --set
    bool rows, json;
} cli_lcp_options;

/// @return the exit code
int cli_solve_lcp(const dp_lcp_file *file, const cli_lcp_options *o);

#endif
