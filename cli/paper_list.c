// All figures and tables that `dashpot paper` knows.
#include "paper.h"

const cli_paper_item cli_papers[] = {
    {"d-fig1", "Drumwright, Fig. 1", "a spring, a mass and a damper by explicit Euler",
     "spring_mass_damper.xml", cli_paper_explicit},
    {"d-fig2", "Drumwright, Fig. 2", "the same by semi-implicit Euler", "spring_mass_damper.xml",
     cli_paper_semi_implicit},
    {"d-fig3", "Drumwright, Fig. 3", "the same by implicit Euler, which is Dashpot's own step",
     "spring_mass_damper.xml", cli_paper_implicit},
    {"d-fig4", "Drumwright, Fig. 4", "a pendulum in absolute coordinates, k = 1e15: deviation",
     "pendulum_absolute.xml", cli_paper_pendulum},
    {"d-fig6", "Drumwright, Fig. 6", "a pendulum hits a stiff limit: rebound against step",
     "pendulum_limit.xml", cli_paper_limit},
    {"d-fig7", "Drumwright, Fig. 7", "a cube on an elastic foundation: pressures under a load",
     "cube_and_load.xml", cli_paper_pressure},
    {"d-fig9", "Drumwright, Fig. 9", "a box on a ramp: how far it slides, for several frictions",
     "box_on_ramp.xml", cli_paper_ramp},
    {"d-fig10", "Drumwright, Fig. 10", "stacks of up to 100 balls that form in the air: times",
     "sphere_stack.xml", cli_paper_stack},
    {"d-table1", "Drumwright, Table 1", "the same: times of the law, of its QP and of ODE methods",
     "cube_and_load.xml", cli_paper_cube_times},
    {"d-table2", "Drumwright, Table 2", "the same: errors after one second", "cube_and_load.xml",
     cli_paper_cube_errors},
};
const int cli_npaper = sizeof cli_papers / sizeof cli_papers[0];
