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
};
const int cli_npaper = sizeof cli_papers / sizeof cli_papers[0];
