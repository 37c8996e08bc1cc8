// Which requests the server of `dashpot view` answers.
#ifndef DASHPOT_CLI_VIEW_ADMISSION_H
#define DASHPOT_CLI_VIEW_ADMISSION_H

#include "view/server/view_request.h"

/// What is wrong with a request: all but the page itself needs the token. @param words why. @param
/// port 0: not known yet. @return 0: nothing; otherwise the code to refuse it with
int view_find_fault(const char **words, const view_request *r, int port, const char *token);

#endif
