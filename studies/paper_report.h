// All figures on one page: the papers' numbers beside ours, the plots, and why they differ.
#ifndef DASHPOT_CLI_PAPER_REPORT_H
#define DASHPOT_CLI_PAPER_REPORT_H

#include "paper.h"

/// How a number of ours stands to the paper's.
typedef enum cli_paper_verdict {
    CLI_PAPER_NONE,   // the paper gives none
    CLI_PAPER_AGREES, // to five in a hundred, or both are zero to round-off
    CLI_PAPER_DIFFERS,
} cli_paper_verdict;
cli_paper_verdict cli_paper_judge(const cli_paper_row *row);

/// The number of the note of row `i` among those of its figure that differ, whose first row is
/// `first`; 0: it has none.
int cli_paper_note_number(const cli_paper *p, int first, int i);

/// Behind the last row of the figure that row `first` begins.
int cli_paper_figure_end(const cli_paper *p, int first);

/// Write report.html and report.md to the folder for files, beside the plots that are there.
/// Complains and returns false.
bool cli_paper_report(const cli_paper *p);

#endif
