// Options of laws: one table says which there are, what they may be, and where they are kept.
#include "base/error.h"
#include "base/number.h"
#include "base/setting.h"
#include "solve/polyhedral.h"

#include <stdio.h>
#include <string.h>

enum { MOST_WORDS = 3, EXPECTED_BYTES = 512 };
typedef const char *const words[MOST_WORDS]; // by the number of the enumerator

static words rules = {[DP_IMPACT_EXPEDIENT] = "expedient",
                      [DP_IMPACT_POISSON] = "poisson",
                      [DP_IMPACT_NEWTON] = "newton"};
static words methods = {[DP_POLYHEDRAL_AUTOMATIC] = "automatic",
                        [DP_POLYHEDRAL_LEMKE] = "lemke",
                        [DP_POLYHEDRAL_MAP] = "map"};
static words stabilisations = {
    [DP_STABILISE_GAP] = "gap", [DP_STABILISE_PROJECTION] = "projection"};
static words weightings = {[DP_WEIGHTS_STIFFNESS] = "stiffness", [DP_WEIGHTS_EQUAL] = "equal"};
static words frictions = {[DP_VI_CONE] = "cone", [DP_VI_DISC] = "disc"};
static words schemes = {[DP_TAMSI_TWO_WAY] = "two-way", [DP_TAMSI_ONE_WAY] = "one-way"};
static words searches = {[DP_TAMSI_TRANSITION] = "transition", [DP_TAMSI_PLAIN] = "plain"};
static words integrators = {[DP_ODE_RUNGE_KUTTA] = "runge-kutta",
                            [DP_ODE_IMPLICIT_EULER] = "implicit-euler",
                            [DP_ODE_CVODE] = "cvode"};
static words newtons = {[DP_ODE_NEWTON_QUASI] = "quasi", [DP_ODE_NEWTON_FULL] = "full"};

static int count_of(words of)
{
    int count = 0;
    while (count < MOST_WORDS && of[count]) {
        ++count;
    }
    return count;
}

static const char *word_of(words of, int i)
{
    return i >= 0 && i < count_of(of) ? of[i] : "unknown";
}

const char *dp_impact_rule_name(dp_impact_rule rule)
{
    return word_of(rules, (int)rule);
}

const char *dp_polyhedral_method_name(dp_polyhedral_method method)
{
    return word_of(methods, (int)method);
}

const char *dp_stabilisation_name(dp_stabilisation stabilisation)
{
    return word_of(stabilisations, (int)stabilisation);
}

const char *dp_rigid_weights_name(dp_rigid_weights weights)
{
    return word_of(weightings, (int)weights);
}

const char *dp_vi_friction_name(dp_vi_friction friction)
{
    return word_of(frictions, (int)friction);
}

const char *dp_tamsi_scheme_name(dp_tamsi_scheme scheme)
{
    return word_of(schemes, (int)scheme);
}

const char *dp_tamsi_search_name(dp_tamsi_search search)
{
    return word_of(searches, (int)search);
}

const char *dp_ode_integrator_name(dp_ode_integrator integrator)
{
    return word_of(integrators, (int)integrator);
}

const char *dp_ode_newton_name(dp_ode_newton newton)
{
    return word_of(newtons, (int)newton);
}

// ---- the table

typedef enum kind {
    NUMBER,     // double, or an int: as `setting` says
    WORD,       // an enumeration
    DIRECTIONS, // an int that friction polygons may have for corners
    COMPLIANCE, // a double ≥ 0, or left to the law
    ANGLE,      // a double above 0, π at most
} kind;

typedef struct option {
    const char *name;
    size_t offset;
    kind kind;
    dp_setting_kind setting; // of NUMBER
    words *words;            // of WORD
    unsigned laws;           // that it has an effect on: bits 1 << dp_law_kind
} option;

enum {
    COMPLIANT = 1 << DP_LAW_COMPLIANT,
    LCP = 1 << DP_LAW_LCP,
    NCP = 1 << DP_LAW_NCP,
    VI = 1 << DP_LAW_VI,
    TAMSI = 1 << DP_LAW_TAMSI,
    ODE = 1 << DP_LAW_ODE,
    RIGID = LCP | NCP | VI,
    ROWS = COMPLIANT | RIGID | TAMSI, // those that solve step problems
    ALL = ROWS | ODE
};

#define AT(field) offsetof(dp_law_options, field)
static const option table[] = {
    {"law.tolerance", AT(tolerance), NUMBER, DP_SETTING_POSITIVE, NULL, ALL},
    {"law.heap_tolerance", AT(heap_tolerance), NUMBER, DP_SETTING_NOT_NEGATIVE, NULL, ROWS},
    {"law.max_factorizations", AT(max_factorizations), NUMBER, DP_SETTING_COUNT_ABOVE_0, NULL,
     ROWS},
    {"lcp.directions", AT(directions), DIRECTIONS, DP_SETTING_COUNT_ABOVE_0, NULL, LCP},
    {"lcp.method", AT(polyhedral_method), WORD, 0, &methods, LCP},
    {"rigid.stabilisation", AT(stabilisation), WORD, 0, &stabilisations, RIGID},
    {"rigid.compliance", AT(compliance), COMPLIANCE, DP_SETTING_NOT_NEGATIVE, NULL, NCP | VI},
    {"rigid.weights", AT(weights), WORD, 0, &weightings, NCP | VI},
    {"vi.friction", AT(vi_friction), WORD, 0, &frictions, VI},
    {"vi.desaxce", AT(desaxce), NUMBER, DP_SETTING_SWITCH, NULL, VI},
    {"impact.rule", AT(impact_rule), WORD, 0, &rules, ROWS},
    {"impact.speed", AT(impact_speed), NUMBER, DP_SETTING_NOT_NEGATIVE, NULL, ROWS},
    {"friction.slip_speed", AT(slip_speed), NUMBER, DP_SETTING_POSITIVE, NULL, TAMSI | ODE},
    {"tamsi.slip_turn", AT(slip_turn), ANGLE, DP_SETTING_POSITIVE, NULL, TAMSI | ODE},
    {"tamsi.scheme", AT(tamsi_scheme), WORD, 0, &schemes, TAMSI},
    {"tamsi.search", AT(tamsi_search), WORD, 0, &searches, TAMSI | ODE},
    {"ode.stiffness", AT(ode_stiffness), NUMBER, DP_SETTING_NOT_NEGATIVE, NULL, ODE},
    {"ode.integrator", AT(ode_integrator), WORD, 0, &integrators, ODE},
    {"ode.newton", AT(ode_newton), WORD, 0, &newtons, ODE},
};
enum { OPTIONS = sizeof table / sizeof *table };

static const char *const OWN_COMPLIANCE = "automatic";

bool dp_law_has_option(dp_law_kind law, int index)
{
    return index >= 0 && index < OPTIONS && (unsigned)law <= DP_LAW_ODE &&
           (table[index].laws & (1U << law)) != 0;
}

int dp_law_options_name_count(void)
{
    return OPTIONS;
}

const char *dp_law_options_name(int index)
{
    return index >= 0 && index < OPTIONS ? table[index].name : "";
}

// "law.tolerance", or "tolerance" alone: no two options are alike behind the dot.
static const option *find(const char *name)
{
    for (int i = 0; i < OPTIONS; ++i) {
        const char *full = table[i].name;
        if (strcmp(name, full) == 0 || strcmp(name, strchr(full, '.') + 1) == 0) {
            return &table[i];
        }
    }
    return NULL;
}

// ---- from text

// Add the i-th of `count` words to a list as sentences have it.
static void list(char *out, size_t bytes, const char *word, int i, int count)
{
    const size_t used = strlen(out);
    const char *before = i == 0 ? "" : i + 1 < count ? ", " : " or ";
    snprintf(out + used, bytes - used, "%s%s", before, word);
}

// Enumerations are kept as ints.
static int load(const void *field)
{
    int i;
    memcpy(&i, field, sizeof i);
    return i;
}

static dp_status read_word(void *field, words of, const char *name, const char *value)
{
    const int count = count_of(of), i = dp_word_find(of, count, value);
    if (i < 0) {
        char expected[EXPECTED_BYTES] = "";
        for (int k = 0; k < count; ++k) {
            list(expected, sizeof expected, of[k], k, count);
        }
        return dp_fail(DP_ERROR_ARGUMENT, "%s: '%.100s' is unknown (expected %s)", name, value,
                       expected);
    }
    memcpy(field, &i, sizeof i);
    return DP_OK;
}

static dp_status read_directions(void *field, const char *name, const char *value)
{
    int directions;
    DP_TRY(dp_setting_read(&directions, DP_SETTING_COUNT_ABOVE_0, name, value));
    if (!dp_directions_are_sound(directions)) {
        return dp_fail(DP_ERROR_ARGUMENT, "%s: found %d (expected an even number, %d to %d)", name,
                       directions, DP_LEAST_DIRECTIONS, DP_MOST_DIRECTIONS);
    }
    memcpy(field, &directions, sizeof directions);
    return DP_OK;
}

static dp_status read_compliance(void *field, const char *name, const char *value)
{
    const double own = -1.0;
    if (strcmp(value, OWN_COMPLIANCE) == 0) {
        memcpy(field, &own, sizeof own);
        return DP_OK;
    }
    return dp_setting_read(field, DP_SETTING_NOT_NEGATIVE, name, value);
}

static dp_status read_angle(void *field, const char *name, const char *value)
{
    const double most = 3.141592653589793;
    double angle;
    DP_TRY(dp_setting_read(&angle, DP_SETTING_POSITIVE, name, value));
    if (angle > most) {
        return dp_fail(DP_ERROR_ARGUMENT, "%s: found %g (expected an angle above 0, up to pi)",
                       name, angle);
    }
    memcpy(field, &angle, sizeof angle);
    return DP_OK;
}

static dp_status refuse(const char *name)
{
    char expected[EXPECTED_BYTES] = "";
    for (int i = 0; i < OPTIONS; ++i) {
        list(expected, sizeof expected, table[i].name, i, OPTIONS);
    }
    return dp_fail(DP_ERROR_ARGUMENT, "unknown option '%.100s' of a law (expected %s)", name,
                   expected);
}

dp_status dp_law_options_set(dp_law_options *options, const char *name, const char *value)
{
    const option *o = find(name);
    if (!o) {
        return refuse(name);
    }
    void *field = (char *)options + o->offset;
    switch (o->kind) {
    case WORD:
        return read_word(field, *o->words, name, value);
    case DIRECTIONS:
        return read_directions(field, name, value);
    case COMPLIANCE:
        return read_compliance(field, name, value);
    case ANGLE:
        return read_angle(field, name, value);
    default:
        return dp_setting_read(field, o->setting, name, value);
    }
}

// ---- to text

static void write_number(char *out, size_t bytes, const void *field)
{
    char text[DP_NUMBER_BYTES];
    double number;
    memcpy(&number, field, sizeof number);
    dp_number_text(text, number);
    snprintf(out, bytes, "%s", text);
}

void dp_law_options_text(char *out, size_t bytes, const dp_law_options *options, int index)
{
    if (index < 0 || index >= OPTIONS) {
        snprintf(out, bytes, "%s", "");
        return;
    }
    const option *o = &table[index];
    const void *field = (const char *)options + o->offset;
    if (o->kind == WORD) {
        snprintf(out, bytes, "%s", word_of(*o->words, load(field)));
    } else if (o->kind == COMPLIANCE && options->compliance < 0.0) {
        snprintf(out, bytes, "%s", OWN_COMPLIANCE);
    } else if (o->setting == DP_SETTING_COUNT_ABOVE_0) {
        snprintf(out, bytes, "%d", load(field));
    } else if (o->setting == DP_SETTING_SWITCH) {
        bool on;
        memcpy(&on, field, sizeof on);
        snprintf(out, bytes, "%s", on ? "true" : "false");
    } else {
        write_number(out, bytes, field);
    }
}
