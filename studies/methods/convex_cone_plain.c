// What double alone makes of a cone program.
#define CLI_PLAIN_DOUBLE
#include "methods/convex_cone_method.h"

bool cli_cone_solve_plain(cli_cone_solution *out, const cli_cone_program *p, double tolerance)
{
    return solve_cone_program(out, p, tolerance);
}
