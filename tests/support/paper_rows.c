#include "paper_rows.h"

#include "json_text.h"
#include "near.h"
#include "program_run.h"
#include "well_formed.h"

#include <string.h>

const char *paper_json(const char *id)
{
    const program_result *r = RUN("paper", id, "--quick", "--json");
    assert_string_equal(r->err, "");
    assert_int_equal(r->code, 0);
    assert_one_json_object(r->out);
    return r->out;
}

bool json_is_text(const char *element, const char *key, const char *value)
{
    const char *at = json_at(element, NULL, key);
    return at && at[0] == '"' && strncmp(at + 1, value, strlen(value)) == 0 &&
           at[1 + strlen(value)] == '"';
}

static const char *find_row(const char *json, const char *of, const char *quantity)
{
    for (const char *row = json_first(json, "rows"); row; row = json_next(row)) {
        if (json_is_text(row, "case", of) && json_is_text(row, "quantity", quantity)) {
            return row;
        }
    }
    fail_msg("no row '%s', '%s' in %s", of, quantity, json);
    return NULL;
}

static double number(const char *json, const char *of, const char *quantity, const char *key)
{
    return json_number(find_row(json, of, quantity), NULL, key);
}

bool paper_gives_none(const char *json, const char *of, const char *quantity)
{
    return strncmp(json_at(find_row(json, of, quantity), NULL, "ours"), "null", 4) == 0;
}

double paper_ours(const char *json, const char *of, const char *quantity)
{
    return number(json, of, quantity, "ours");
}

double paper_theirs(const char *json, const char *of, const char *quantity)
{
    return number(json, of, quantity, "paper");
}
