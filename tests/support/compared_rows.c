#include "compared_rows.h"

#include "json_text.h"
#include "near.h"
#include "paper_rows.h"

const char *compared_run(const char *json, const char *law, int n)
{
    for (const char *run = json_first(json, "runs"); run; run = json_next(run)) {
        if (json_is_text(run, "law", law) && n-- == 0) {
            return run;
        }
    }
    return NULL;
}

double compared(const char *json, const char *law, const char *measure)
{
    const char *run = compared_run(json, law, 0);
    assert_non_null(run);
    return json_number(run, NULL, measure);
}
