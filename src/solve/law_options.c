// Options of laws by name: one table for dp_options_set, for problem files and for the command
// line.
#include "base/error.h"
#include "base/number.h"
#include "base/setting.h"

#include "solve/polyhedral.h"

#include <stdio.h>
#include <string.h>

enum {
    TOLERANCE,
    MAX_FACTORIZATIONS,
    VARIANT,
    DIRECTIONS,
    METHOD,
    STABILISATION,
    COMPLIANCE,
    WEIGHTS,
    VI_FRICTION,
    DESAXCE,
    IMPACT_RULE,
    IMPACT_SPEED,
    OPTIONS
};

static const char *const names[OPTIONS] = {
    [TOLERANCE] = "law.tolerance",     [MAX_FACTORIZATIONS] = "law.max_factorizations",
    [VARIANT] = "compliant.variant",   [DIRECTIONS] = "lcp.directions",
    [METHOD] = "lcp.method",           [STABILISATION] = "rigid.stabilisation",
    [COMPLIANCE] = "rigid.compliance", [WEIGHTS] = "rigid.weights",
    [VI_FRICTION] = "vi.friction",     [DESAXCE] = "vi.desaxce",
    [IMPACT_RULE] = "impact.rule",     [IMPACT_SPEED] = "impact.speed",
};

static const char *const variants[] = {
    [DP_COMPLIANT_EXACT] = "exact",
    [DP_COMPLIANT_PUBLISHED] = "published",
};
enum { VARIANTS = sizeof variants / sizeof *variants };

const char *dp_compliant_variant_name(dp_compliant_variant variant)
{
    return (unsigned)variant < VARIANTS ? variants[variant] : "unknown";
}

static const char *const rules[] = {
    [DP_IMPACT_EXPEDIENT] = "expedient",
    [DP_IMPACT_POISSON] = "poisson",
    [DP_IMPACT_NEWTON] = "newton",
};
enum { RULES = sizeof rules / sizeof *rules };

const char *dp_impact_rule_name(dp_impact_rule rule)
{
    return (unsigned)rule < RULES ? rules[rule] : "unknown";
}

static const char *const methods[] = {
    [DP_POLYHEDRAL_AUTOMATIC] = "automatic",
    [DP_POLYHEDRAL_LEMKE] = "lemke",
    [DP_POLYHEDRAL_MAP] = "map",
};
enum { METHODS = sizeof methods / sizeof *methods };

const char *dp_polyhedral_method_name(dp_polyhedral_method method)
{
    return (unsigned)method < METHODS ? methods[method] : "unknown";
}

static const char *const stabilisations[] = {
    [DP_STABILISE_GAP] = "gap",
    [DP_STABILISE_PROJECTION] = "projection",
};
enum { STABILISATIONS = sizeof stabilisations / sizeof *stabilisations };

const char *dp_stabilisation_name(dp_stabilisation stabilisation)
{
    return (unsigned)stabilisation < STABILISATIONS ? stabilisations[stabilisation] : "unknown";
}

static const char *const weightings[] = {
    [DP_WEIGHTS_STIFFNESS] = "stiffness",
    [DP_WEIGHTS_EQUAL] = "equal",
};
enum { WEIGHTINGS = sizeof weightings / sizeof *weightings };

const char *dp_rigid_weights_name(dp_rigid_weights weights)
{
    return (unsigned)weights < WEIGHTINGS ? weightings[weights] : "unknown";
}

static const char *const frictions[] = {
    [DP_VI_CONE] = "cone",
    [DP_VI_DISC] = "disc",
};
enum { FRICTIONS = sizeof frictions / sizeof *frictions };

const char *dp_vi_friction_name(dp_vi_friction friction)
{
    return (unsigned)friction < FRICTIONS ? frictions[friction] : "unknown";
}

int dp_law_options_name_count(void)
{
    return OPTIONS;
}

const char *dp_law_options_name(int index)
{
    return index >= 0 && index < OPTIONS ? names[index] : "";
}

// "law.tolerance", or "tolerance" alone: no two options are alike behind the dot.
static int find(const char *name)
{
    for (int i = 0; i < OPTIONS; ++i) {
        if (strcmp(name, names[i]) == 0 || strcmp(name, strchr(names[i], '.') + 1) == 0) {
            return i;
        }
    }
    return OPTIONS;
}

// One of the words of an option. @param expected how a message lists them
static dp_status read_word(int *out, const char *const *words, int count, const char *expected,
                           const char *name, const char *value)
{
    const int i = dp_word_find(words, count, value);
    if (i < 0) {
        return dp_fail(DP_ERROR_ARGUMENT, "%s: '%.100s' is unknown (expected %s)", name, value,
                       expected);
    }
    *out = i;
    return DP_OK;
}

static dp_status set_variant(dp_law_options *out, const char *name, const char *value)
{
    int i = 0;
    DP_TRY(read_word(&i, variants, VARIANTS, "exact or published", name, value));
    out->variant = (dp_compliant_variant)i;
    return DP_OK;
}

static dp_status set_method(dp_law_options *out, const char *name, const char *value)
{
    int i = 0;
    DP_TRY(read_word(&i, methods, METHODS, "automatic, lemke or map", name, value));
    out->polyhedral_method = (dp_polyhedral_method)i;
    return DP_OK;
}

static dp_status set_stabilisation(dp_law_options *out, const char *name, const char *value)
{
    int i = 0;
    DP_TRY(read_word(&i, stabilisations, STABILISATIONS, "gap or projection", name, value));
    out->stabilisation = (dp_stabilisation)i;
    return DP_OK;
}

static dp_status set_rule(dp_law_options *out, const char *name, const char *value)
{
    int i = 0;
    DP_TRY(read_word(&i, rules, RULES, "expedient, poisson or newton", name, value));
    out->impact_rule = (dp_impact_rule)i;
    return DP_OK;
}

static dp_status set_weights(dp_law_options *out, const char *name, const char *value)
{
    int i = 0;
    DP_TRY(read_word(&i, weightings, WEIGHTINGS, "stiffness or equal", name, value));
    out->weights = (dp_rigid_weights)i;
    return DP_OK;
}

static dp_status set_friction(dp_law_options *out, const char *name, const char *value)
{
    int i = 0;
    DP_TRY(read_word(&i, frictions, FRICTIONS, "cone or disc", name, value));
    out->vi_friction = (dp_vi_friction)i;
    return DP_OK;
}

static const char *const OWN_COMPLIANCE = "automatic";

static dp_status set_compliance(dp_law_options *out, const char *name, const char *value)
{
    if (strcmp(value, OWN_COMPLIANCE) == 0) {
        out->compliance = -1.0;
        return DP_OK;
    }
    return dp_setting_read(&out->compliance, DP_SETTING_NOT_NEGATIVE, name, value);
}

static dp_status set_directions(int *out, const char *name, const char *value)
{
    int directions;
    DP_TRY(dp_setting_read(&directions, DP_SETTING_COUNT_ABOVE_0, name, value));
    if (!dp_directions_are_sound(directions)) {
        return dp_fail(DP_ERROR_ARGUMENT, "%s: found %d (expected an even number, %d to %d)", name,
                       directions, DP_LEAST_DIRECTIONS, DP_MOST_DIRECTIONS);
    }
    *out = directions;
    return DP_OK;
}

dp_status dp_law_options_set(dp_law_options *options, const char *name, const char *value)
{
    switch (find(name)) {
    case TOLERANCE:
        return dp_setting_read(&options->tolerance, DP_SETTING_POSITIVE, name, value);
    case MAX_FACTORIZATIONS:
        return dp_setting_read(&options->max_factorizations, DP_SETTING_COUNT_ABOVE_0, name, value);
    case VARIANT:
        return set_variant(options, name, value);
    case DIRECTIONS:
        return set_directions(&options->directions, name, value);
    case METHOD:
        return set_method(options, name, value);
    case STABILISATION:
        return set_stabilisation(options, name, value);
    case COMPLIANCE:
        return set_compliance(options, name, value);
    case WEIGHTS:
        return set_weights(options, name, value);
    case VI_FRICTION:
        return set_friction(options, name, value);
    case DESAXCE:
        return dp_setting_read(&options->desaxce, DP_SETTING_SWITCH, name, value);
    case IMPACT_RULE:
        return set_rule(options, name, value);
    case IMPACT_SPEED:
        return dp_setting_read(&options->impact_speed, DP_SETTING_NOT_NEGATIVE, name, value);
    default:
        break;
    }
    return dp_fail(DP_ERROR_ARGUMENT,
                   "unknown option '%.100s' of a law (expected law.tolerance, "
                   "law.max_factorizations, compliant.variant, lcp.directions, "
                   "lcp.method, rigid.stabilisation, rigid.compliance, rigid.weights, "
                   "vi.friction, vi.desaxce, impact.rule or impact.speed)",
                   name);
}

void dp_law_options_text(char *out, size_t bytes, const dp_law_options *options, int index)
{
    char number[DP_NUMBER_BYTES];
    switch (index) {
    case TOLERANCE:
        dp_number_text(number, options->tolerance);
        snprintf(out, bytes, "%s", number);
        break;
    case MAX_FACTORIZATIONS:
        snprintf(out, bytes, "%d", options->max_factorizations);
        break;
    case VARIANT:
        snprintf(out, bytes, "%s", dp_compliant_variant_name(options->variant));
        break;
    case DIRECTIONS:
        snprintf(out, bytes, "%d", options->directions);
        break;
    case METHOD:
        snprintf(out, bytes, "%s", dp_polyhedral_method_name(options->polyhedral_method));
        break;
    case STABILISATION:
        snprintf(out, bytes, "%s", dp_stabilisation_name(options->stabilisation));
        break;
    case COMPLIANCE:
        if (options->compliance < 0.0) {
            snprintf(out, bytes, "%s", OWN_COMPLIANCE);
            break;
        }
        dp_number_text(number, options->compliance);
        snprintf(out, bytes, "%s", number);
        break;
    case WEIGHTS:
        snprintf(out, bytes, "%s", dp_rigid_weights_name(options->weights));
        break;
    case VI_FRICTION:
        snprintf(out, bytes, "%s", dp_vi_friction_name(options->vi_friction));
        break;
    case DESAXCE:
        snprintf(out, bytes, "%s", options->desaxce ? "true" : "false");
        break;
    case IMPACT_RULE:
        snprintf(out, bytes, "%s", dp_impact_rule_name(options->impact_rule));
        break;
    case IMPACT_SPEED:
        dp_number_text(number, options->impact_speed);
        snprintf(out, bytes, "%s", number);
        break;
    default:
        snprintf(out, bytes, "%s", "");
        break;
    }
}
