// Settings by name: one table for files, for the command line and for programs.
#include "base/error.h"
#include "base/setting.h"
#include "model/name_index.h"

#include <dashpot/spec.h>

#include <stddef.h>
#include <string.h>

#define FIELD(member) offsetof(dp_options, member)

static const dp_setting settings[] = {
    {"step", DP_SETTING_POSITIVE, FIELD(step)},
    {"gravity", DP_SETTING_VECTOR, FIELD(gravity)},
    {"magnetic", DP_SETTING_VECTOR, FIELD(magnetic)},
    {"relative_tolerance", DP_SETTING_POSITIVE, FIELD(relative_tolerance)},
    {"absolute_tolerance", DP_SETTING_POSITIVE, FIELD(absolute_tolerance)},
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

static dp_status set_integrator(dp_integrator *out, const char *value)
{
    static const char *const word[] = {"semi-implicit", "rk4", "rk45"}; // as they are numbered
    const int i = dp_word_find(word, 3, value);
    if (i < 0) {
        return dp_fail(DP_ERROR_ARGUMENT,
                       "unknown integrator '%.100s' (expected semi-implicit, rk4 or rk45)", value);
    }
    *out = (dp_integrator)i;
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
        return dp_law_find(&options->law.law, value);
    default:
        break;
    }
    return i < dp_options_name_count() ? dp_law_options_set(&options->law, name, value)
                                       : refuse_name(name);
}
