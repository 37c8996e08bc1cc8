// The tree against the schema. Every message about a name or a value that MJCF does not know comes
// from here: file, line, what was found, what was expected.
#include "base/interrupt.h"
#include "base/text/number.h"
#include "io/mjcf/mjcf.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// ---- messages

static const char *name_of(const dp_xml_node *node)
{
    return dp_xml_value(node, "name", "");
}

dp_status dp_mjcf_fail(const dp_xml_node *node, const char *format, ...)
{
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    const char *name = name_of(node);
    return dp_fail(DP_ERROR_PARSE, "%s:%d: %s%s%.100s%s: %s", node->file, node->line, node->name,
                   name[0] ? " '" : "", name, name[0] ? "'" : "", message);
}

dp_status dp_mjcf_located(const dp_xml_node *node, dp_status status)
{
    if (status == DP_OK || status == DP_ERROR_MEMORY) {
        return status;
    }
    const size_t n = strlen(node->file);
    if (strncmp(dp_last_error(), node->file, n) == 0 && dp_last_error()[n] == ':') {
        return DP_ERROR_PARSE; // it says so already
    }
    return dp_fail_context(DP_ERROR_PARSE, "%s:%d: ", node->file, node->line);
}

dp_location dp_mjcf_where(const dp_xml_node *node)
{
    return (dp_location){node->file, node->line};
}

// Edit distance of two names, up to a small limit: enough to guess what was meant.
static int distance(const char *a, const char *b)
{
    enum { LONGEST = 31 };
    const int na = (int)strlen(a), nb = (int)strlen(b);
    if (na > LONGEST || nb > LONGEST) {
        return LONGEST;
    }
    int row[LONGEST + 1];
    for (int j = 0; j <= nb; ++j) {
        row[j] = j;
    }
    for (int i = 1; i <= na; ++i) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= nb; ++j) {
            const int change = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            const int shift = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            row[j] = change < shift ? change : shift;
        }
    }
    return row[nb];
}

// A growing text in a fixed buffer; what does not fit is dropped.
typedef struct text {
    char at[900];
    size_t used;
} text;

static void append(text *t, const char *words)
{
    const size_t n = strlen(words), room = sizeof t->at - 1 - t->used;
    const size_t taken = n < room ? n : room;
    memcpy(t->at + t->used, words, taken);
    t->used += taken;
    t->at[t->used] = '\0';
}

// The best guess so far among the names offered.
typedef struct guess {
    const char *name;
    int distance;
} guess;

static void offer(guess *g, const char *found, const char *candidate)
{
    const int d = distance(found, candidate);
    const int tolerance = (int)strlen(candidate) / 3 + 1; // more is another word
    if (d <= tolerance && (!g->name || d < g->distance)) {
        *g = (guess){candidate, d};
    }
}

static dp_status fail_unknown_element(const dp_xml_node *node, const dp_mjcf_element *in)
{
    guess g = {0};
    text expected = {0};
    for (const dp_mjcf_element *const *child = in->child; child && *child; ++child) {
        offer(&g, node->name, (*child)->name);
        append(&expected, expected.used ? ", " : "");
        append(&expected, (*child)->name);
    }
    if (g.name) {
        return dp_fail(DP_ERROR_PARSE,
                       "%s:%d: unknown element <%.60s> in <%s> (did you mean <%s>?)", node->file,
                       node->line, node->name, in->name, g.name);
    }
    return dp_fail(DP_ERROR_PARSE, "%s:%d: unknown element <%.60s> in <%s> (expected %s)",
                   node->file, node->line, node->name, in->name,
                   expected.used ? expected.at : "none");
}

static dp_status fail_unknown_attribute(const dp_xml_node *node, const char *name)
{
    guess g = {0};
    text expected = {0};
    for (const dp_mjcf_attribute *rule = node->rule->attribute; rule->name; ++rule) {
        if (rule->own && node->rule->is_default) {
            continue;
        }
        offer(&g, name, rule->name);
        append(&expected, expected.used ? ", " : "");
        append(&expected, rule->name);
    }
    if (g.name) {
        return dp_fail(DP_ERROR_PARSE,
                       "%s:%d: unknown attribute '%.60s' of <%s> (did you mean '%s'?)", node->file,
                       node->line, name, node->name, g.name);
    }
    return dp_fail(DP_ERROR_PARSE, "%s:%d: unknown attribute '%.60s' of <%s> (expected %s)",
                   node->file, node->line, name, node->name, expected.used ? expected.at : "none");
}

// ---- values

// Index of a word among the keywords, −1: none.
static int keyword_index(const char *keywords, const char *word, int length)
{
    int index = 0;
    for (const char *k = keywords; *k; ++index) {
        const int n = dp_word_length(k);
        if (n == length && memcmp(k, word, (size_t)n) == 0) {
            return index;
        }
        k = dp_skip_space(k + n);
    }
    return -1;
}

static dp_status fail_keyword(const dp_xml_node *node, const dp_xml_attribute *attribute)
{
    text expected = {0};
    for (const char *k = attribute->rule->keywords; *k;) {
        const int n = dp_word_length(k);
        const char *next = dp_skip_space(k + n);
        char word[64];
        snprintf(word, sizeof word, "%.*s", n, k);
        append(&expected, !expected.used ? "" : *next ? ", " : " or ");
        append(&expected, word);
        k = next;
    }
    return dp_mjcf_fail(node, "found %s '%.60s' (expected %s)", attribute->name, attribute->value,
                        expected.at);
}

static dp_status check_keywords(const dp_xml_node *node, dp_xml_attribute *attribute)
{
    if (attribute->rule->type == DP_MJCF_KEYWORD) {
        attribute->keyword = keyword_index(attribute->rule->keywords, attribute->value,
                                           (int)strlen(attribute->value));
        return attribute->keyword >= 0 ? DP_OK : fail_keyword(node, attribute);
    }
    for (const char *word = dp_skip_space(attribute->value); *word;) {
        const int n = dp_word_length(word);
        if (keyword_index(attribute->rule->keywords, word, n) < 0) {
            return fail_keyword(node, attribute);
        }
        word = dp_skip_space(word + n);
    }
    return DP_OK;
}

static dp_status fail_number(const dp_xml_node *node, const dp_xml_attribute *attribute,
                             const char *at, const char *expected)
{
    return dp_mjcf_fail(node, "found '%.*s' in %s (expected %s)", dp_word_length(at) % 60, at,
                        attribute->name, expected);
}

static dp_status fail_count(const dp_xml_node *node, const dp_xml_attribute *attribute)
{
    const dp_mjcf_attribute *rule = attribute->rule;
    if (rule->min == rule->max) {
        return dp_mjcf_fail(node, "found %d numbers in %s (expected %d)", attribute->count,
                            attribute->name, rule->min);
    }
    return dp_mjcf_fail(node, "found %d numbers in %s (expected %d to %d)", attribute->count,
                        attribute->name, rule->min, rule->max);
}

static dp_status check_numbers(dp_mjcf *m, const dp_xml_node *node, dp_xml_attribute *attribute)
{
    const dp_mjcf_attribute *rule = attribute->rule;
    int words = 0;
    for (const char *at = dp_skip_space(attribute->value); *at; ++words) {
        at = dp_skip_space(at + dp_word_length(at));
    }
    attribute->count = words;
    if (words < rule->min || words > rule->max) {
        return fail_count(node, attribute);
    }
    double *number;
    DP_TRY(dp_pool_take(&number, &m->pool, (size_t)words, sizeof *number));
    attribute->number = number;
    const char *at = attribute->value;
    for (int i = 0; i < words; ++i) {
        switch (dp_number_read(&number[i], &at)) {
        case DP_NUMBER_OK:
            break;
        case DP_NUMBER_TOO_LARGE:
            return fail_number(node, attribute, at, "a finite number");
        default:
            return fail_number(node, attribute, at, "a number");
        }
        if (rule->type == DP_MJCF_INTEGERS &&
            (floor(number[i]) != number[i] || fabs(number[i]) > INT_MAX)) {
            return dp_mjcf_fail(node, "found %g in %s (expected whole numbers)", number[i],
                                attribute->name);
        }
    }
    return DP_OK;
}

static dp_status check_value(dp_mjcf *m, const dp_xml_node *node, dp_xml_attribute *attribute)
{
    switch (attribute->rule->type) {
    case DP_MJCF_TEXT:
        return DP_OK;
    case DP_MJCF_KEYWORD:
    case DP_MJCF_KEYWORDS:
        return check_keywords(node, attribute);
    case DP_MJCF_NUMBERS:
    case DP_MJCF_INTEGERS:
        return check_numbers(m, node, attribute);
    }
    return DP_OK;
}

bool dp_mjcf_harmless(const dp_xml_attribute *attribute)
{
    switch (attribute->rule->type) {
    case DP_MJCF_TEXT:
    case DP_MJCF_KEYWORDS:
        return false;
    case DP_MJCF_KEYWORD:
        return attribute->keyword == 0;
    case DP_MJCF_NUMBERS:
    case DP_MJCF_INTEGERS:
        for (int i = 0; i < attribute->count; ++i) {
            if (attribute->number[i] != 0.0) {
                return false;
            }
        }
        return true;
    }
    return false;
}

// ---- verdicts

bool dp_mjcf_allowed(const dp_mjcf *m, const char *feature)
{
    for (int i = 0; i < m->options->nallow; ++i) {
        if (strcmp(m->options->allow[i], feature) == 0) {
            return true;
        }
    }
    return m->options->repair && dp_feature_is_flaw(feature);
}

dp_status dp_mjcf_repaired(dp_mjcf *m, const dp_xml_node *node, const dp_xml_attribute *attribute,
                           const char *feature, const char *note)
{
    return dp_report_set(m->report, attribute ? attribute->item : node->item,
                         DP_IMPORT_VERDICT_APPROXIMATED, feature, "%s", note);
}

dp_status dp_mjcf_not_negative(double *x, dp_mjcf *m, const dp_xml_node *node, const char *name)
{
    if (!(*x < 0.0)) {
        return DP_OK;
    }
    char why[200];
    const bool repaired = dp_mjcf_allowed(m, "negative");
    snprintf(why, sizeof why, "found %g (expected 0 or more)%s", *x, repaired ? ": 0 instead" : "");
    *x = 0.0;
    const dp_xml_attribute *own = dp_xml_find(node, name); // NULL: of a class
    return repaired ? dp_mjcf_repaired(m, node, own, "negative", why)
                    : dp_mjcf_refuse(m, node, own, "negative", why);
}

dp_status dp_mjcf_judge(dp_mjcf *m, const dp_xml_node *node, const dp_xml_attribute *attribute,
                        dp_import_verdict verdict, const char *note)
{
    return dp_report_set(m->report, attribute ? attribute->item : node->item, verdict, NULL, "%s",
                         note);
}

dp_status dp_mjcf_judge_all(dp_mjcf *m, const dp_xml_node *node, dp_import_verdict verdict,
                            const char *note)
{
    DP_TRY(dp_mjcf_judge(m, node, NULL, verdict, note));
    for (int i = 0; i < node->nattribute; ++i) {
        DP_TRY(dp_mjcf_judge(m, node, &node->attribute[i], verdict, note));
    }
    return DP_OK;
}

// Whether going on without a feature may take joints away.
static bool had_joints(const char *feature)
{
    return strcmp(feature, "composite") == 0 || strcmp(feature, "flex") == 0 ||
           strcmp(feature, "attach") == 0;
}

dp_status dp_mjcf_refuse(dp_mjcf *m, const dp_xml_node *node, const dp_xml_attribute *attribute,
                         const char *feature, const char *why)
{
    if (dp_mjcf_allowed(m, feature)) {
        m->lost_feature = had_joints(feature) ? feature : m->lost_feature;
    } else if (m->nrefused++ == 0) {
        const char *name = name_of(node);
        m->first_feature = feature;
        snprintf(m->first_refusal, sizeof m->first_refusal,
                 "%.300s:%d: %s%s%.100s%s%s%s: %s (to go on without: allow \"%s\")", node->file,
                 node->line, node->name, name[0] ? " '" : "", name, name[0] ? "'" : "",
                 attribute ? " has " : "", attribute ? attribute->name : "", why, feature);
    }
    return dp_report_set(m->report, attribute ? attribute->item : node->item,
                         DP_IMPORT_VERDICT_REFUSED, feature, "%s", why);
}

dp_status dp_mjcf_refusal(const dp_mjcf *m)
{
    char others[40] = "";
    if (m->nrefused == 0) {
        return DP_OK;
    }
    if (m->nrefused > 1) {
        snprintf(others, sizeof others, "; %d more like this", m->nrefused - 1);
    }
    const dp_status status = dp_fail(DP_ERROR_UNSUPPORTED, "%s%s", m->first_refusal, others);
    return dp_fail_feature(status, m->first_feature);
}

bool dp_mjcf_used(const dp_xml_node *node)
{
    return node->rule->verdict == DP_IMPORT_VERDICT_USED;
}

// ---- the walk

// What the schema says of an element or attribute.
typedef struct verdict {
    dp_import_verdict verdict;
    const char *feature, *note;
} verdict;

static verdict verdict_of(const dp_mjcf_element *rule)
{
    return (verdict){rule->verdict, rule->feature, rule->note};
}

static dp_status add_item(dp_mjcf *m, int *item, const dp_xml_node *node, const char *element,
                          const char *attribute, const char *name, verdict v)
{
    return dp_report_add(item, m->report,
                         &(dp_import_item){.verdict = v.verdict,
                                           .file = node->file,
                                           .line = node->line,
                                           .element = element,
                                           .attribute = attribute,
                                           .name = name,
                                           .feature = v.feature,
                                           .note = v.note ? v.note : ""});
}

static dp_status check_attribute(dp_mjcf *m, const dp_xml_node *node, dp_xml_attribute *attribute,
                                 const char *name)
{
    if (strchr(attribute->name, '|')) { // of a namespace that is neither MJCF nor ours
        const char *copy;
        DP_TRY(dp_report_text(&copy, m->report, attribute->name));
        return add_item(m, &attribute->item, node, node->rule->name, copy, name,
                        (verdict){DP_IMPORT_VERDICT_IGNORED, NULL, "of another namespace"});
    }
    attribute->rule = dp_mjcf_attribute_rule(node->rule, attribute->name);
    if (!attribute->rule || (attribute->rule->own && node->rule->is_default)) {
        return fail_unknown_attribute(node, attribute->name);
    }
    DP_TRY(check_value(m, node, attribute));

    verdict v = {attribute->rule->verdict, attribute->rule->feature, attribute->rule->note};
    const bool refused = v.verdict == DP_IMPORT_VERDICT_REFUSED;
    if (node->judge->verdict != DP_IMPORT_VERDICT_USED) {
        v = verdict_of(node->judge);
    } else if (refused && (node->rule->is_default || dp_mjcf_harmless(attribute))) {
        v = (verdict){DP_IMPORT_VERDICT_USED, NULL,
                      NULL}; // defaults are judged where they are used
    }
    DP_TRY(add_item(m, &attribute->item, node, node->rule->name, attribute->rule->name, name, v));
    if (node->judge->verdict == DP_IMPORT_VERDICT_USED && v.verdict == DP_IMPORT_VERDICT_REFUSED) {
        DP_TRY(dp_mjcf_refuse(m, node, attribute, v.feature, v.note));
    }
    return DP_OK;
}

// Attributes for numbers that hold none are passed over, as by MuJoCo.
static dp_status leave_empty(dp_mjcf *m, dp_xml_node *node, const char *name)
{
    int kept = 0;
    for (int i = 0; i < node->nattribute; ++i) {
        const dp_xml_attribute *attribute = &node->attribute[i];
        const dp_mjcf_attribute *rule = dp_mjcf_attribute_rule(node->rule, attribute->name);
        const bool numbers =
            rule && (rule->type == DP_MJCF_NUMBERS || rule->type == DP_MJCF_INTEGERS);
        if (!numbers || rule->min == 0 || rule->required || *dp_skip_space(attribute->value)) {
            node->attribute[kept++] = *attribute;
            continue;
        }
        int item;
        DP_TRY(
            add_item(m, &item, node, node->rule->name, rule->name, name,
                     (verdict){DP_IMPORT_VERDICT_IGNORED, NULL, "empty: as if it was not given"}));
    }
    node->nattribute = kept;
    return DP_OK;
}

// What is not XML in the file of a root element.
static dp_status note_mended(dp_mjcf *m, const dp_xml_node *root)
{
    if (!root->mended) {
        return DP_OK;
    }
    int item;
    const char *element;
    DP_TRY(dp_report_text(&element, m->report, root->name));
    return add_item(m, &item, root, element, "", "",
                    (verdict){DP_IMPORT_VERDICT_IGNORED, NULL, root->mended});
}

static dp_status check_required(const dp_xml_node *node)
{
    for (const dp_mjcf_attribute *rule = node->rule->attribute; rule->name; ++rule) {
        if (rule->required && !dp_xml_find(node, rule->name)) {
            return dp_mjcf_fail(node, "found no %s (expected %s=\"…\")", rule->name, rule->name);
        }
    }
    return DP_OK;
}

static dp_status check_one_orientation(const dp_xml_node *node)
{
    const char *found = NULL;
    for (int i = 0; i < node->nattribute; ++i) {
        if (!dp_mjcf_is_orientation(node->attribute[i].name)) {
            continue;
        }
        if (found) {
            return dp_mjcf_fail(node, "found both %s and %s (expected one orientation)", found,
                                node->attribute[i].name);
        }
        found = node->attribute[i].name;
    }
    return DP_OK;
}

static const dp_mjcf_element *child_rule(const dp_mjcf_element *in, const char *name)
{
    for (const dp_mjcf_element *const *child = in->child; child && *child; ++child) {
        if (strcmp((*child)->name, name) == 0) {
            return *child;
        }
    }
    return NULL;
}

// An element that is refused or ignored as a whole, without a table of what may be in it.
static bool is_opaque(const dp_mjcf_element *rule)
{
    return rule->verdict != DP_IMPORT_VERDICT_USED && rule->nattribute == 0 && !rule->child;
}

static dp_status check_opaque(dp_mjcf *m, dp_xml_node *node, verdict v)
{
    for (dp_xml_node *at = node; at; at = dp_xml_next(node, at, false)) {
        const char *element, *name;
        DP_TRY(dp_report_text(&element, m->report, at->name));
        DP_TRY(dp_report_text(&name, m->report, name_of(at)));
        if (at->item < 0) { // else it has been entered
            DP_TRY(add_item(m, &at->item, at, element, "", name, v));
        }
        for (int i = 0; i < at->nattribute; ++i) {
            const char *attribute;
            DP_TRY(dp_report_text(&attribute, m->report, at->attribute[i].name));
            DP_TRY(add_item(m, &at->attribute[i].item, at, element, attribute, name, v));
        }
    }
    return DP_OK;
}

static dp_status check_node(dp_mjcf *m, dp_xml_node *node)
{
    node->rule = node->parent ? child_rule(node->parent->rule, node->name) : &dp_mjcf_root;
    if (!node->rule) {
        return fail_unknown_element(node, node->parent->rule);
    }
    const bool judged = node->parent && node->parent->judge->verdict != DP_IMPORT_VERDICT_USED;
    node->judge = judged ? node->parent->judge : node->rule;
    const verdict v = verdict_of(node->judge);

    const char *name;
    DP_TRY(dp_report_text(&name, m->report, name_of(node)));
    DP_TRY(add_item(m, &node->item, node, node->rule->name, "", name, v));
    if (!judged && v.verdict == DP_IMPORT_VERDICT_REFUSED) {
        DP_TRY(dp_mjcf_refuse(m, node, NULL, v.feature, v.note));
    }
    DP_TRY(note_mended(m, node));
    if (is_opaque(node->rule)) {
        return check_opaque(m, node, v);
    }
    if (node->included) {
        const verdict wrapper = {DP_IMPORT_VERDICT_IGNORED, NULL,
                                 "the root of an included file only holds it"};
        node->included->child = NULL; // in place already
        DP_TRY(check_opaque(m, node->included, wrapper));
        DP_TRY(note_mended(m, node->included));
    }
    DP_TRY(leave_empty(m, node, name));
    for (int i = 0; i < node->nattribute; ++i) {
        DP_TRY(check_attribute(m, node, &node->attribute[i], name));
    }
    DP_TRY(check_one_orientation(node));
    return node->rule->is_default ? DP_OK : check_required(node);
}

dp_status dp_mjcf_check(dp_mjcf *m)
{
    bool skip = false;
    for (dp_xml_node *node = m->root; node; node = dp_xml_next(m->root, node, skip)) {
        DP_TRY(dp_interrupt_check(500));
        DP_TRY(check_node(m, node));
        skip = is_opaque(node->rule);
    }
    return DP_OK;
}

dp_xml_node *dp_mjcf_section(const dp_mjcf *m, const char *name, dp_xml_node *previous)
{
    dp_xml_node *node = previous ? previous->next : m->root->child;
    while (node && strcmp(node->name, name) != 0) {
        node = node->next;
    }
    return node;
}
