// Options of laws by name, read from text and written: those that laws share, and the lists of
// each.
#include "base/error.h"
#include "base/option.h"
#include "base/text/number.h"
#include "solve/law.h"
#include "solve/law_option.h"

#include <stdio.h>
#include <string.h>

dp_law_options dp_law_options_default(void)
{
    return (dp_law_options){.law = DP_LAW_COMPLIANT,
                            .tolerance = 1e-9,
                            .error_share = 1e-2,
                            .max_factorizations = 1000,
                            .lcp.directions = 8,
                            .rigid.compliance = -1.0,
                            .impact.rule = DP_IMPACT_RULE_EXPEDIENT,
                            .impact.speed = 0.01,
                            .friction.slip_speed = 1e-4,
                            .tamsi.slip_turn = 1.0471975511965976}; // π/3
}

static dp_option_words rules = {[DP_IMPACT_RULE_EXPEDIENT] = "expedient",
                                [DP_IMPACT_RULE_POISSON] = "poisson",
                                [DP_IMPACT_RULE_NEWTON] = "newton"};

static const dp_law_option shared[] = {
    DP_LAW_OPTION("law.tolerance", tolerance, .setting = DP_SETTING_POSITIVE),
    DP_LAW_OPTION("law.error_share", error_share, .setting = DP_SETTING_NOT_NEGATIVE),
    DP_LAW_OPTION("law.max_factorizations", max_factorizations,
                  .setting = DP_SETTING_COUNT_ABOVE_0),
    DP_LAST_OPTION,
};

static const dp_law_option impacts[] = {
    DP_LAW_OPTION("impact.rule", impact.rule, .words = &rules),
    DP_LAW_OPTION("impact.speed", impact.speed, .setting = DP_SETTING_NOT_NEGATIVE),
    DP_LAST_OPTION,
};

// All of them, by number.
static const dp_law_option *const lists[] = {
    shared,  dp_lcp_law_options,  dp_rigid_law_options, dp_vi_law_options,
    impacts, dp_tamsi_law_options};
enum { LISTS = sizeof lists / sizeof *lists };

static int count_of(dp_option_words of)
{
    int count = 0;
    while (count < DP_MOST_WORDS && of[count]) {
        ++count;
    }
    return count;
}

const char *dp_option_word(dp_option_words of, int i)
{
    return dp_word_of(of, count_of(of), i);
}

const char *dp_impact_rule_name(dp_impact_rule rule)
{
    return dp_option_word(rules, (int)rule);
}

// ---- by number

// @return NULL: there is none of that number
static const dp_law_option *option_of(int index, const dp_law_option **list)
{
    for (int k = 0; k < LISTS && index >= 0; ++k) {
        *list = lists[k];
        for (const dp_law_option *o = *list; o->name; ++o, --index) {
            if (index == 0) {
                return o;
            }
        }
    }
    return NULL;
}

bool dp_law_has_option(dp_law_kind law, int index)
{
    const dp_law *own = dp_law_of(&(dp_law_options){.law = law});
    const dp_law_option *list, *o = option_of(index, &list);
    if (!o || !dp_law_is_known(law)) {
        return false;
    }
    return list == shared || list == impacts || list == own->option ||
           (o->traits & own->traits) != 0;
}

int dp_law_options_name_count(void)
{
    const dp_law_option *list;
    int count = 0;
    while (option_of(count, &list)) {
        ++count;
    }
    return count;
}

const char *dp_law_options_name(int index)
{
    const dp_law_option *list, *o = option_of(index, &list);
    return o ? o->name : "";
}

// "law.tolerance", or "tolerance" alone: no two options are the same behind the dot.
static const dp_law_option *find(const char *name)
{
    const dp_law_option *list, *o;
    for (int i = 0; (o = option_of(i, &list)) != NULL; ++i) {
        if (dp_option_is_called(o->name, name)) {
            return o;
        }
    }
    return NULL;
}

// ---- from text

static dp_status refuse(const char *name)
{
    char expected[DP_LIST_BYTES] = "";
    const int count = dp_law_options_name_count();
    for (int i = 0; i < count; ++i) {
        dp_word_append(expected, dp_law_options_name(i), i, count);
    }
    return dp_fail(DP_ERROR_ARGUMENT, "unknown option '%.100s' of a law (expected %s)", name,
                   expected);
}

dp_status dp_law_options_set(dp_law_options *options, const char *name, const char *value)
{
    const dp_law_option *o = find(name);
    if (!o) {
        return refuse(name);
    }
    dp_law_options changed = *options;
    void *field = (char *)&changed + o->offset;
    if (o->words) {
        DP_TRY(dp_word_read(field, *o->words, count_of(*o->words), name, value));
    } else if (o->left_to_law && strcmp(value, o->left_to_law) == 0) {
        memcpy(field, &(double){-1.0}, sizeof(double));
    } else {
        DP_TRY(dp_setting_read(field, o->setting, name, value));
    }
    if (o->check) {
        DP_TRY(o->check(field, name));
    }
    *options = changed;
    return DP_OK;
}

// ---- to text

static void write_number(char *out, size_t bytes, const dp_law_option *o, const void *field)
{
    char text[DP_NUMBER_BYTES];
    double number;
    memcpy(&number, field, sizeof number);
    dp_number_text(text, number);
    snprintf(out, bytes, "%s", o->left_to_law && number < 0.0 ? o->left_to_law : text);
}

void dp_law_options_text(char *out, size_t bytes, const dp_law_options *options, int index)
{
    const dp_law_option *list, *o = option_of(index, &list);
    if (!o) {
        snprintf(out, bytes, "%s", "");
        return;
    }
    const void *field = (const char *)options + o->offset;
    int i = 0;
    bool on = false;
    if (o->words) {
        memcpy(&i, field, sizeof i);
        snprintf(out, bytes, "%s", dp_option_word(*o->words, i));
    } else if (o->setting == DP_SETTING_COUNT_ABOVE_0) {
        memcpy(&i, field, sizeof i);
        snprintf(out, bytes, "%d", i);
    } else if (o->setting == DP_SETTING_SWITCH) {
        memcpy(&on, field, sizeof on);
        snprintf(out, bytes, "%s", on ? "true" : "false");
    } else {
        write_number(out, bytes, o, field);
    }
}
