// Settings by name: one table for files, for the command line and for programs.
#include "base/error.h"
#include "base/option.h"
#include "base/setting.h"
#include "model/name_index.h"

#include <dashpot/advanced/law.h>
#include <dashpot/spec.h>

#include <stddef.h>
#include <string.h>

#define FIELD(member) offsetof(dp_options, member)

static const dp_setting settings[] = {
    {"step", DP_SETTING_POSITIVE, FIELD(step)},
    {"gravity", DP_SETTING_VECTOR, FIELD(gravity)},
    {"magnetic", DP_SETTING_VECTOR, FIELD(magnetic)},
    {"fluid_density", DP_SETTING_NOT_NEGATIVE, FIELD(fluid_density)},
    {"fluid_viscosity", DP_SETTING_NOT_NEGATIVE, FIELD(fluid_viscosity)},
    {"wind", DP_SETTING_VECTOR, FIELD(wind)},
    {"relative_tolerance", DP_SETTING_POSITIVE, FIELD(relative_tolerance)},
    {"absolute_tolerance", DP_SETTING_POSITIVE, FIELD(absolute_tolerance)},
    {"ode.stiffness", DP_SETTING_NOT_NEGATIVE, FIELD(ode_stiffness)},
    {"max_substeps", DP_SETTING_COUNT_ABOVE_0, FIELD(max_substeps)},
    {"large_rotation", DP_SETTING_NOT_NEGATIVE, FIELD(large_rotation)},
    {"gap_tolerance", DP_SETTING_POSITIVE, FIELD(gap_tolerance)},
    {"correction_speed", DP_SETTING_POSITIVE, FIELD(correction_speed)},
    {"max_passes", DP_SETTING_COUNT_ABOVE_0, FIELD(max_passes)},
    {"patch_points", DP_SETTING_COUNT_ABOVE_0, FIELD(patch_points)},
    {"max_halvings", DP_SETTING_COUNT, FIELD(max_halvings)},
    {"accuracy", DP_SETTING_NOT_NEGATIVE, FIELD(accuracy)},
    {"sleep_speed", DP_SETTING_NOT_NEGATIVE, FIELD(sleep_speed)},
    {"sleep_time", DP_SETTING_NOT_NEGATIVE, FIELD(sleep_time)},
    {"contact_stiffness_scale", DP_SETTING_POSITIVE, FIELD(contact_stiffness_scale)},
    {"contact_friction_scale", DP_SETTING_NOT_NEGATIVE, FIELD(contact_friction_scale)},
    {"ledger", DP_SETTING_SWITCH, FIELD(ledger)},
    {"disable_gravity", DP_SETTING_SWITCH, FIELD(disable_gravity)},
    {"disable_contact", DP_SETTING_SWITCH, FIELD(disable_contact)},
    {"disable_limits", DP_SETTING_SWITCH, FIELD(disable_limits)},
    {"disable_equality", DP_SETTING_SWITCH, FIELD(disable_equality)},
    {"disable_springs", DP_SETTING_SWITCH, FIELD(disable_springs)},
    {"disable_dampers", DP_SETTING_SWITCH, FIELD(disable_dampers)},
    {"disable_actuation", DP_SETTING_SWITCH, FIELD(disable_actuation)},
    {"disable_clamp_control", DP_SETTING_SWITCH, FIELD(disable_clamp_control)},
};
enum { SETTINGS = sizeof settings / sizeof settings[0] };

// What is not a plain field has names of its own, and options of laws have theirs in dashpot/law.h.
static const char *const words[] = {"integrator", "law"};
enum { INTEGRATOR, LAW, WORDS };

int dp_options_name_count(void)
{
    return SETTINGS + WORDS + dp_law_options_name_count();
}

const char *dp_options_name(int index)
{
    if (index < 0) {
        return "";
    }
    if (index < SETTINGS) {
        return settings[index].name;
    }
    return index < SETTINGS + WORDS ? words[index - SETTINGS]
                                    : dp_law_options_name(index - SETTINGS - WORDS);
}

static const char *const integrator_word[] = {[DP_INTEGRATOR_SEMI_IMPLICIT] = "semi-implicit",
                                              [DP_INTEGRATOR_RK4] = "rk4",
                                              [DP_INTEGRATOR_RK45] = "rk45",
                                              [DP_INTEGRATOR_IMPLICIT_EULER] = "implicit-euler",
                                              [DP_INTEGRATOR_CVODE] = "cvode"};
enum { INTEGRATORS = sizeof integrator_word / sizeof *integrator_word };

const char *dp_integrator_name(dp_integrator integrator)
{
    return dp_word_of(integrator_word, INTEGRATORS, (int)integrator);
}

static dp_status refuse_word(const char *what, const char *value, const char *const *word,
                             int count)
{
    char known[DP_LIST_BYTES] = "";
    for (int i = 0; i < count; ++i) {
        dp_word_append(known, word[i], i, count);
    }
    return dp_fail(DP_ERROR_ARGUMENT, "%s '%.100s' is unknown (expected %s)", what, value, known);
}

static dp_status set_integrator(dp_integrator *out, const char *value)
{
    const int i = dp_word_find(integrator_word, INTEGRATORS, value);
    if (i < 0) {
        return refuse_word("integrator", value, integrator_word, INTEGRATORS);
    }
    *out = (dp_integrator)i;
    return DP_OK;
}

bool dp_options_is_ode(const dp_options *options)
{
    return options->integrator == DP_INTEGRATOR_RK45 ||
           options->integrator == DP_INTEGRATOR_IMPLICIT_EULER ||
           options->integrator == DP_INTEGRATOR_CVODE;
}

const char *dp_options_law_name(const dp_options *options)
{
    return dp_options_is_ode(options) ? "ode" : dp_law_of(&options->solver)->name;
}

static dp_status refuse_law(const char *value)
{
    const char *word[DP_LAW_TAMSI + 2];
    for (int i = 0; i <= DP_LAW_TAMSI; ++i) {
        word[i] = dp_law_name((dp_law_kind)i);
    }
    word[DP_LAW_TAMSI + 1] = "ode";
    return refuse_word("law", value, word, DP_LAW_TAMSI + 2);
}

static dp_status set_law(dp_options *options, const char *value)
{
    if (strcmp(value, "ode") != 0) {
        if (dp_law_find(&options->solver.law, value) != DP_OK) {
            return refuse_law(value);
        }
        options->integrator =
            dp_options_is_ode(options) ? DP_INTEGRATOR_SEMI_IMPLICIT : options->integrator;
        return DP_OK;
    }
    options->solver.law = DP_LAW_COMPLIANT; // springs, of which it is the differential equation
    options->integrator = dp_options_is_ode(options) ? options->integrator : DP_INTEGRATOR_RK45;
    return DP_OK;
}

static dp_status refuse_name(const char *name)
{
    enum { MOST = 64 };
    const char *all[MOST];
    const int count = dp_options_name_count() < MOST ? dp_options_name_count() : MOST;
    for (int i = 0; i < count; ++i) {
        all[i] = dp_options_name(i);
    }
    return dp_name_fail((dp_name_list){all, sizeof *all, count}, "option", name);
}

dp_status dp_options_set(dp_options *options, const char *name, const char *value)
{
    int i = 0;
    while (i < dp_options_name_count() && strcmp(dp_options_name(i), name) != 0) {
        ++i;
    }
    if (i < SETTINGS) {
        return dp_setting_read((char *)options + settings[i].offset, settings[i].kind, name, value);
    }
    switch (i - SETTINGS) {
    case INTEGRATOR:
        return set_integrator(&options->integrator, value);
    case LAW:
        return set_law(options, value);
    default:
        break;
    }
    return i < dp_options_name_count() ? dp_law_options_set(&options->solver, name, value)
                                       : refuse_name(name);
}
