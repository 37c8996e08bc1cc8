// Random damage to sound files: whatever comes in, an import ends with a spec or a message. No
// crash, no leak, no hang; the sanitizer builds make this a strong claim. Seeds are fixed, so a
// failure can be repeated.
#include "counting_allocator.h"
#include "near.h"

#include <dashpot/format.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const seed_file[] = {"arm_7dof", "humanoid", "spinning_top", "cart_pole"};
enum { SEEDS = 4, MUTANTS = 400, LONGEST = 200000 };

static const char extra[] =
    "<mujoco xmlns:dp='dashpot'><compiler angle='radian' inertiafromgeom='true' settotalmass='3'/>"
    "<dp:option step='.01'/><default><default class='a'><geom size='.1 .2 .3' type='box'/>"
    "<position kp='2' dampratio='1'/><mesh scale='1 2 3'/><tendon damping='1'/><equality "
    "solref='.1 1'/><pair condim='3'/></default></default><asset><mesh name='m' vertex='0 0 0 1 0 "
    "0 "
    "0 1 0 0 0 1' face='0 2 1 0 1 3 0 3 2 1 2 3' inertia='exact' refquat='1 0 0 1'/><hfield "
    "name='h' "
    "nrow='2' ncol='2' size='1 1 1 1' elevation='1 2 3 4'/></asset><worldbody><geom type='hfield' "
    "hfield='h'/><body name='x'><joint name='k' springdamper='1 2'/><geom "
    "name='g' type='mesh' mesh='m'/><geom name='f' type='capsule' mesh='m' "
    "class='main'/></body><replicate count='3' offset='1 0 0' euler='0 "
    "0 1'>"
    "<frame pos='1 2 3' childclass='a'><body name='b' xyaxes='1 0 0 0 1 0'><joint name='j' "
    "type='ball'/>"
    "<geom/><site name='s'/></body></frame></replicate></worldbody><actuator><general joint='j0' "
    "dyntype='filter' dynprm='.1' biastype='affine' biasprm='0 -1 -2'/></actuator><sensor>"
    "<framequat objtype='site' objname='s1' reftype='xbody' refname='b2'/><tendonpos tendon='t'/>"
    "</sensor><tendon><fixed name='t' range='0 1'><joint joint='k' coef='2'/></fixed><spatial "
    "name='u' springlength='1 2'><site site='s0'/><geom geom='f' sidesite='s1'/><site site='s2'/>"
    "<pulley divisor='2'/><site site='s0'/><site site='s1'/></spatial></tendon><equality><weld "
    "body1='x' body2='b1' relpose='1 2 3 1 0 0 0' class='a'/><connect site1='s0' "
    "site2='s1'/><joint "
    "joint1='k' polycoef='1 2'/><tendon tendon1='t' tendon2='u' dp:stiffness='3' "
    "dp:damping='1'/><dp:distance site1='s0' "
    "site2='s1' distance='1'/><dp:plane body1='x' body2='b0' pos='1 2 3' euler='1 2 "
    "3'/></equality><contact><pair "
    "geom1='g' geom2='f'/><exclude body1='x' body2='b0'/></contact><actuator><motor tendon='t'/>"
    "<motor site='s0' refsite='s1'/><position joint='k' class='a'/></actuator><dp:force body='x' "
    "pos='1 2 3' frame='local' "
    "force='t;;2' torque='1;2;3'/><dp:motion joint='k' position='sin(t)' stiffness='9'/></mujoco>";

// Words that mean something to the reader, to be put anywhere.
static const char *const word[] = {
    "<body>",
    "</body>",
    "<frame euler='1 2 3'>",
    "<joint/>",
    "<geom size='1'/>",
    "'",
    "\"",
    "<",
    ">",
    "/>",
    "&",
    "nan",
    "1e999",
    "-",
    " ",
    "0",
    "class='a'",
    "name='b'",
    "<include file='.'/>",
    "<!--",
    "]]>",
    "xmlns:dp=''",
    "<dp:option/>",
    "<dp:option gravity='1,2,3' vi.friction='disc'/>",
    "dp:stiffness='1'",
    "solreflimit='-1 -1'",
    "<dp:force joint='k' torque='t;'/>",
    "<dp:motion joint='k' position='sin(t'/>",
    "\x80",
    "<default class='z'><joint damping='1'/></default>",
    "<replicate count='9'>",
    "1e-320",
    "quat='0 0 0 0'",
};

static uint64_t below(random_source *r, uint64_t n)
{
    return n ? random_bits(r) % n : 0;
}

static void cut(char *text, size_t *n, size_t at, size_t count)
{
    count = at + count > *n ? *n - at : count;
    memmove(text + at, text + at + count, *n - at - count);
    *n -= count;
}

static void insert(char *text, size_t *n, size_t at, const char *piece, size_t count)
{
    if (*n + count > LONGEST) {
        return;
    }
    memmove(text + at + count, text + at, *n - at);
    memcpy(text + at, piece, count);
    *n += count;
}

static void mutate(char *text, size_t *n, random_source *r)
{
    const size_t at = below(r, *n);
    switch (below(r, 7)) {
    case 0: // a bit
        text[at] = (char)(text[at] ^ (1 << below(r, 8)));
        break;
    case 1: // a character
        text[at] = (char)below(r, 256);
        break;
    case 2: // less
        cut(text, n, at, 1 + below(r, 30));
        break;
    case 3: // the end
        *n = at;
        break;
    case 4: { // more
        const char *w = word[below(r, sizeof word / sizeof word[0])];
        insert(text, n, at, w, strlen(w));
        break;
    }
    case 5: { // a piece twice
        char piece[400];
        size_t count = 1 + below(r, sizeof piece);
        count = at + count > *n ? *n - at : count;
        memcpy(piece, text + at, count);
        insert(text, n, below(r, *n), piece, count);
        break;
    }
    default: { // a digit
        for (size_t i = at; i < *n; ++i) {
            if (text[i] >= '0' && text[i] <= '9') {
                text[i] = (char)('0' + below(r, 10));
                break;
            }
        }
    }
    }
}

// Import, compile what can be compiled, and give everything back.
static void swallow(const char *text, size_t n, unsigned long long mutant)
{
    counting_allocator counts = {0};
    const dp_allocator allocator = counting_allocator_for(&counts);
    const char *const allow[] = {"limit",  "contact", "frictionloss", "equality",
                                 "tendon", "sensor",  "mesh"};
    const dp_import_options options = {.allow = allow, .nallow = 7, .allocator = &allocator};
    dp_spec *spec;
    dp_import_report *report;
    const dp_status status = dp_mjcf_parse(&spec, &report, text, n, "mutant.xml", &options);
    if (status == DP_OK) {
        dp_model *m;
        if (dp_model_compile(&m, spec) == DP_OK) {
            dp_model_destroy(m);
        }
    } else if (dp_last_error()[0] == '\0' || spec) {
        fail_msg("mutant %llu: %s without a message", mutant, dp_status_name(status));
    }
    dp_spec_destroy(spec);
    dp_import_report_destroy(report);
    if (counts.blocks != 0 || counts.wrong_sizes != 0) {
        fail_msg("mutant %llu leaks %zu blocks", mutant, counts.blocks);
    }
}

static size_t read_seed(char *text, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s.xml", DP_SCENES, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t n = fread(text, 1, LONGEST, file);
    fclose(file);
    return n;
}

static void a_damaged_file_gives_a_spec_or_a_message(void **state)
{
    (void)state;
    char *seed = malloc(LONGEST), *text = malloc(LONGEST);
    assert_non_null(seed);
    assert_non_null(text);
    for (int k = 0; k <= SEEDS; ++k) {
        size_t length = sizeof extra - 1;
        if (k < SEEDS) {
            length = read_seed(seed, seed_file[k]);
        } else {
            memcpy(seed, extra, length);
        }
        swallow(seed, length, 0);
        for (int i = 1; i <= MUTANTS; ++i) {
            random_source r = {(uint64_t)(k * MUTANTS + i)};
            size_t n = length;
            memcpy(text, seed, n);
            const uint64_t count = 1 + below(&r, 4);
            for (uint64_t c = 0; c < count && n > 0; ++c) {
                mutate(text, &n, &r);
            }
            swallow(text, n, (unsigned long long)(k * MUTANTS + i));
        }
    }
    free(seed);
    free(text);
}

// Most mutants above die as XML. Here the XML stays sound and the values are damaged.
static void damaged_values_give_a_spec_or_a_message(void **state)
{
    (void)state;
    static const char *const value[] = {"",       "0",     "-1",         "1e300",
                                        "1e-300", "1 2",   "a",          "true",
                                        "auto",   "0 0 0", "1 2 3 4",    "1e308 1e308 1e308",
                                        "world",  "b1",    "2147483647", "-2147483648"};
    char *text = malloc(LONGEST);
    assert_non_null(text);
    for (int i = 0; i < 5 * MUTANTS; ++i) {
        random_source r = {(uint64_t)(1000000 + i)};
        size_t n = sizeof extra - 1;
        memcpy(text, extra, n);
        const uint64_t count = 1 + below(&r, 3);
        for (uint64_t c = 0; c < count; ++c) {
            // the text between the next two quotes
            size_t from = below(&r, n);
            while (from < n && text[from] != '\'') {
                ++from;
            }
            size_t to = from + 1;
            while (to < n && text[to] != '\'') {
                ++to;
            }
            if (to < n) {
                cut(text, &n, from + 1, to - from - 1);
                const char *v = value[below(&r, sizeof value / sizeof value[0])];
                insert(text, &n, from + 1, v, strlen(v));
            }
        }
        swallow(text, n, (unsigned long long)(1000000 + i));
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_damaged_file_gives_a_spec_or_a_message),
        cmocka_unit_test(damaged_values_give_a_spec_or_a_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
