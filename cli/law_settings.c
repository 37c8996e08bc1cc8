#include "law_settings.h"

#include "program.h"
#include "text.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static const char *const names[] = {"tolerance", "max_factorizations", "variant"};
enum { TOLERANCE, MAX_FACTORIZATIONS, VARIANT, NAMES };

static const char *const variants[] = {
    [DP_COMPLIANT_EXACT] = "exact", [DP_COMPLIANT_PUBLISHED] = "published"};
enum { VARIANTS = sizeof variants / sizeof *variants };

const char *cli_variant_name(dp_compliant_variant variant)
{
    return variants[variant];
}

static bool set_variant(dp_law_options *options, const char *where, const char *value)
{
    for (int i = 0; i < VARIANTS; ++i) {
        if (strcmp(value, variants[i]) == 0) {
            options->variant = (dp_compliant_variant)i;
            return true;
        }
    }
    cli_complain("%s variant: '%s' is unknown (expected exact or published)", where, value);
    return false;
}

bool cli_set_law_option(dp_law_options *options, const char *where, const char *name,
                        const char *value)
{
    int found = 0;
    while (found < NAMES && strcmp(names[found], name) != 0) {
        ++found;
    }
    long long n;
    switch (found) {
    case TOLERANCE:
        if (!cli_read_number(&options->tolerance, value) || !(options->tolerance > 0.0)) {
            cli_complain("%s %s: '%s' is not a positive number", where, name, value);
            return false;
        }
        return true;
    case MAX_FACTORIZATIONS:
        if (!cli_read_count(&n, value) || n < 1 || n > INT_MAX) {
            cli_complain("%s %s: '%s' is not a whole number above 0", where, name, value);
            return false;
        }
        options->max_factorizations = (int)n;
        return true;
    case VARIANT:
        return set_variant(options, where, value);
    default:
        break;
    }
    const char *near = cli_nearest(name, names, NAMES);
    if (near) {
        cli_complain("%s: unknown option '%s' (did you mean '%s'?)", where, name, near);
    } else {
        cli_complain("%s: unknown option '%s' (expected tolerance, max_factorizations or variant)",
                     where, name);
    }
    return false;
}

bool cli_set_law(dp_law_options *options, const char *assignment)
{
    const char *equals = strchr(assignment, '=');
    if (!equals) {
        cli_complain("--set: '%s' has no value (expected option=value)", assignment);
        return false;
    }
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(equals - assignment), assignment);
    return cli_set_law_option(options, "--set", name, equals + 1);
}

bool cli_choose_law(dp_law_options *options, const char *where, const char *name)
{
    if (dp_law_find(&options->law, name) != DP_OK) {
        cli_complain("%s: %s", where, dp_last_error());
        return false;
    }
    return true;
}
