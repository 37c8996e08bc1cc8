// docs/mjcf-coverage.md: what becomes of every element and attribute of MJCF. It is written from
// the schema; this test tells when it no longer says the same. To write it anew:
//
//     DP_WRITE=1 build/release/tests/unit test_mjcf_coverage
#include "near.h"

#include "io/mjcf/schema/mjcf_schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char PATH[] = DP_SOURCE "/docs/mjcf-coverage.md";

// A growing text.
typedef struct text {
    char *at;
    size_t count, capacity;
} text;

static void put(text *t, const char *format, ...) DP_PRINTF(2, 3);
static void put(text *t, const char *format, ...)
{
    char piece[512];
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);
    assert_true(n >= 0 && n < (int)sizeof piece);
    if (t->count + (size_t)n + 1 > t->capacity) {
        t->capacity = 2 * t->capacity + (size_t)n + 1024;
        t->at = realloc(t->at, t->capacity);
        assert_non_null(t->at);
    }
    memcpy(t->at + t->count, piece, (size_t)n + 1);
    t->count += (size_t)n;
}

typedef enum fate {
    TAKEN,   // it has its effect; for some values nearly (the report says how)
    WAITS,   // it is in the spec, or known, and belongs to what is not simulated yet
    REFUSED, // physical and not simulated
    SAMPLED, // refused: delays of signals, which every actuator and sensor has
    OUTSIDE, // refused: neither rigid bodies nor what acts on them
    WITHOUT, // no effect on the motion
    FATES,
} fate;

static fate fate_of(dp_import_verdict verdict, const char *feature)
{
    switch (verdict) {
    case DP_IMPORT_VERDICT_USED:
    case DP_IMPORT_VERDICT_APPROXIMATED:
        return TAKEN;
    case DP_IMPORT_VERDICT_REFUSED:
        return strcmp(feature, "flex") == 0 || strcmp(feature, "plugin") == 0 ? OUTSIDE
               : strcmp(feature, "delay") == 0                                ? SAMPLED
                                                                              : REFUSED;
    case DP_IMPORT_VERDICT_IGNORED:
        return feature ? WAITS : WITHOUT;
    }
    return WITHOUT;
}

enum { MOST = 400 };

// Every element once, with the verdict that holds where it is first met.
typedef struct entry {
    const dp_mjcf_element *rule;
    const dp_mjcf_element *judge; // the outermost that is ignored or refused; itself: none
} entry;

static int list_elements(entry list[MOST])
{
    int n = 1;
    list[0] = (entry){&dp_mjcf_root, &dp_mjcf_root};
    for (int i = 0; i < n; ++i) {
        for (const dp_mjcf_element *const *c = list[i].rule->child; c && *c; ++c) {
            // A body in the root is only there to be refused.
            bool known = (*c)->is_default || (i == 0 && strcmp((*c)->name, "body") == 0);
            for (int k = 0; k < n && !known; ++k) {
                known = list[k].rule == *c;
            }
            if (!known) {
                assert_true(n < MOST);
                const bool judged = list[i].judge->verdict != DP_IMPORT_VERDICT_USED;
                list[n++] = (entry){*c, judged ? list[i].judge : *c};
            }
        }
    }
    return n;
}

// What is without effect stays so in an element that is refused, unless the schema says only that
// the element decides.
static fate fate_of_attribute(const entry *e, const dp_mjcf_attribute *a)
{
    const fate own = fate_of(a->verdict, a->feature);
    const bool decided = !a->note || strncmp(a->note, "part of", 7) != 0;
    return e->judge->verdict == DP_IMPORT_VERDICT_USED ||
                   (decided && (own == WITHOUT || own == SAMPLED))
               ? own
               : fate_of(e->judge->verdict, e->judge->feature);
}

static bool is_ours(const char *name)
{
    return strncmp(name, "dp:", 3) == 0;
}

static void put_counts(text *t, const entry *list, int n)
{
    static const char *const meaning[FATES] = {
        [TAKEN] = "used, for some values approximated",
        [WAITS] = "known, and waits for what is not simulated yet",
        [REFUSED] = "refused by name, or left out with `--allow`",
        [SAMPLED] =
            ("refused as well: `nsample`, `interp`, `delay`, `interval` of every actuator and "
             "sensor"),
        [OUTSIDE] = "refused as well: deformable bodies, MuJoCo's plugins",
        [WITHOUT] = "ignored: no effect on the motion, or a setting of MuJoCo's solver",
    };
    int count[FATES] = {0}, all = 0;
    for (int i = 0; i < n; ++i) {
        for (const dp_mjcf_attribute *a = list[i].rule->attribute; a->name; ++a) {
            if (!is_ours(list[i].rule->name) && !is_ours(a->name)) {
                ++count[fate_of_attribute(&list[i], a)];
                ++all;
            }
        }
    }
    const int physical = count[TAKEN] + count[WAITS] + count[REFUSED] + count[SAMPLED];
    put(t, "| attributes | of all | of the physical ones | what becomes of them |\n");
    put(t, "|--:|--:|--:|---|\n");
    for (int f = 0; f < FATES; ++f) {
        put(t, "| %d | %.1f %% | ", count[f], 100.0 * count[f] / all);
        if (f == WITHOUT || f == OUTSIDE) {
            put(t, "| %s |\n", meaning[f]);
        } else {
            put(t, "%.1f %% | %s |\n", 100.0 * count[f] / physical, meaning[f]);
        }
    }
    put(t, "| %d | | %d | in all |\n", all, physical);
}

static void put_attributes(text *t, const entry *e, fate wanted, fate or_else)
{
    bool any = false;
    put(t, " | ");
    for (const dp_mjcf_attribute *a = e->rule->attribute; a->name; ++a) {
        const fate f = fate_of_attribute(e, a);
        if (!is_ours(a->name) && (f == wanted || f == or_else)) {
            put(t, "%s%s", any ? " " : "", a->name);
            any = true;
        }
    }
}

// The way there, without the root: "worldbody/body/joint" is "joint" to whoever knows MJCF, but
// there are several.
static void put_element(text *t, const entry *list, int n, int i)
{
    const dp_mjcf_element *rule = list[i].rule;
    int same = 0;
    for (int k = 0; k < n; ++k) {
        same += strcmp(list[k].rule->name, rule->name) == 0;
    }
    for (int k = 0; k < i && same > 1; ++k) { // the first that leads here names it
        for (const dp_mjcf_element *const *c = list[k].rule->child; c && *c; ++c) {
            if (*c == rule) {
                put(t, "%s/", list[k].rule->name);
                same = 0;
                break;
            }
        }
    }
    put(t, "%s", rule->name);
}

static void put_elements(text *t, const entry *list, int n)
{
    put(t, "| element | used | waits | refused | ignored |\n|---|---|---|---|---|\n");
    for (int i = 0; i < n; ++i) {
        const entry *e = &list[i];
        if (is_ours(e->rule->name) || e->rule->nattribute == 0) {
            continue;
        }
        put(t, "| ");
        put_element(t, list, n, i);
        if (e->judge->verdict == DP_IMPORT_VERDICT_REFUSED) {
            put(t, " (`%s`)", e->judge->feature);
        }
        put_attributes(t, e, TAKEN, TAKEN);
        put_attributes(t, e, WAITS, WAITS);
        put_attributes(t, e, REFUSED, OUTSIDE); // SAMPLED is the same for all
        put_attributes(t, e, WITHOUT, WITHOUT);
        put(t, " |\n");
    }
}

static text write_coverage(void)
{
    entry list[MOST];
    const int n = list_elements(list);
    text t = {0};
    put(&t, "# MJCF, attribute by attribute\n\n");
    put(&t,
        "Written from the schema of the reader by\n"
        "`DP_WRITE=1 build/release/tests/unit test_mjcf_coverage`; a test compares the two. The "
        "schema\n"
        "has the names of MuJoCo 3, those of 4.0, and older ones that files still use. What each\n"
        "feature is: [mjcf.md](mjcf.md).\n\n");
    put_counts(&t, list, n);
    put(&t, "\nAn attribute counts once for each element that has it; defaults, which have the "
            "attributes of\ntheir elements, are not counted, nor are our own names. A refused "
            "attribute that asks for nothing\n(zeros, `false`, `none`) is used.\n\n");
    put_elements(&t, list, n);
    return t;
}

static void the_page_says_what_the_schema_says(void **state)
{
    (void)state;
    text t = write_coverage();
    FILE *file = fopen(PATH, "r");
    assert_non_null(file);
    char *page = calloc(t.count + 2, 1);
    assert_non_null(page);
    const size_t bytes = fread(page, 1, t.count + 1, file);
    fclose(file);
    const bool same = bytes == t.count && memcmp(page, t.at, bytes) == 0;
    free(page);
    free(t.at);
    if (!same) {
        fail_msg("docs/mjcf-coverage.md is out of date: DP_WRITE=1 build/release/tests/unit "
                 "test_mjcf_coverage");
    }
}

static void most_of_what_is_physical_is_read(void **state)
{
    (void)state;
    entry list[MOST];
    const int n = list_elements(list);
    int read = 0, physical = 0;
    for (int i = 0; i < n; ++i) {
        for (const dp_mjcf_attribute *a = list[i].rule->attribute; a->name; ++a) {
            const fate f = fate_of_attribute(&list[i], a);
            read += f == TAKEN || f == WAITS;
            physical += f == TAKEN || f == WAITS || f == REFUSED;
        }
    }
    assert_true(n > 140 && physical > 800); // the walk sees the schema
    assert_true(2 * read > physical);
}

int main(void)
{
    if (getenv("DP_WRITE")) {
        const text t = write_coverage();
        FILE *file = fopen(PATH, "w");
        const bool done = file && fwrite(t.at, 1, t.count, file) == t.count && fclose(file) == 0;
        free(t.at);
        return done ? 0 : 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_says_what_the_schema_says),
        cmocka_unit_test(most_of_what_is_physical_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
