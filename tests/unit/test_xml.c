// XML trees and numbers in text.
#include "near.h"

#include "base/text/number.h"
#include "io/codec/xml.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static double read_one(const char *text)
{
    double x = NAN;
    assert_int_equal(dp_number_read(&x, &text), DP_NUMBER_OK);
    assert_int_equal(*dp_skip_space(text), '\0');
    return x;
}

static dp_number_outcome outcome_of(const char *text)
{
    double x;
    return dp_number_read(&x, &text);
}

static void numbers_are_read_to_the_last_bit(void **state)
{
    (void)state;
    random_source r = {1};
    for (int i = 0; i < 20000; ++i) {
        double x;
        const uint64_t bits = random_bits(&r);
        memcpy(&x, &bits, sizeof x);
        if (!isfinite(x)) {
            continue;
        }
        char text[64];
        snprintf(text, sizeof text, i % 2 ? "%.17g" : "%.16e", x);
        const double y = read_one(text);
        assert_memory_equal(&x, &y, sizeof x); // 17 digits name one double
    }
}

static void short_forms_of_numbers_are_read(void **state)
{
    (void)state;
    assert_true(read_one("1") == 1.0);
    assert_true(read_one("+1") == 1.0);
    assert_true(read_one("-.5") == -0.5);
    assert_true(read_one("5.") == 5.0);
    assert_true(read_one(" \t\n1e3 ") == 1000.0);
    assert_true(read_one("1E-3") == 0.001);
    assert_true(read_one("00012.50") == 12.5);
    assert_true(read_one("0.1") == 0.1);
    assert_true(read_one("1e-400") == 0.0);
    assert_true(read_one("4.9e-324") > 0.0);
    assert_true(read_one("0e999999999999") == 0.0);
    assert_true(signbit(read_one("-0")));
    assert_false(signbit(read_one("0")));
    assert_true(read_one("1.7976931348623157e308") == 1.7976931348623157e308);
}

// 2⁵³ + 1 lies halfway between two doubles; a digit 800 places further decides.
static void a_distant_digit_breaks_a_tie(void **state)
{
    (void)state;
    char text[1024];
    snprintf(text, sizeof text, "9007199254740993.%0800d", 0);
    assert_true(read_one(text) == 9007199254740992.0); // to even
    snprintf(text, sizeof text, "9007199254740993.%0800d1", 0);
    assert_true(read_one(text) == 9007199254740994.0);
    snprintf(text, sizeof text, "%01000d7", 0); // zeros in front say nothing
    assert_true(read_one(text) == 7.0);
}

static void what_is_not_a_finite_decimal_number_is_refused(void **state)
{
    (void)state;
    static const char *const malformed[] = {"x",     "1x",    "0x10", "1,5", "--1",   "+",
                                            "1e",    "1e+",   ".",    "-.",  "1.2.3", "1-2",
                                            "1_000", "1e2.5", "e5",   "½"};
    for (size_t i = 0; i < sizeof malformed / sizeof malformed[0]; ++i) {
        assert_int_equal(outcome_of(malformed[i]), DP_NUMBER_MALFORMED);
    }
    static const char *const endless[] = {"inf",    "-Infinity", "NaN",
                                          "nan(7)", "1e309",     "-1e999999"};
    for (size_t i = 0; i < sizeof endless / sizeof endless[0]; ++i) {
        assert_int_equal(outcome_of(endless[i]), DP_NUMBER_TOO_LARGE);
    }
    assert_int_equal(outcome_of("  "), DP_NUMBER_END);
}

static void the_decimal_point_is_a_point_in_every_locale(void **state)
{
    (void)state;
    static const char *const with_comma[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "nl_NL.UTF-8"};
    bool found = false;
    for (size_t i = 0; i < sizeof with_comma / sizeof with_comma[0] && !found; ++i) {
        found = setlocale(LC_NUMERIC, with_comma[i]) != NULL;
    }
    const double x = read_one("-12.5e-1");
    setlocale(LC_NUMERIC, "C");
    assert_true(x == -1.25);
    if (!found) {
        skip(); // no locale with a decimal comma on this machine
    }
}

// ---- XML

typedef struct tree {
    dp_pool pool;
    dp_xml_node *root;
} tree;

static dp_status parse(tree *t, const char *text)
{
    dp_pool_init(&t->pool, NULL);
    return dp_xml_parse(&t->root, &t->pool, text, strlen(text), "a.xml");
}

static void assert_parse_fails(const char *text, const char *message)
{
    tree t;
    assert_int_equal(parse(&t, text), DP_ERROR_PARSE);
    assert_null(t.root);
    if (!strstr(dp_last_error(), message)) {
        fail_msg("'%s' is not in '%s'", message, dp_last_error());
    }
    dp_pool_destroy(&t.pool);
}

static void nodes_know_their_line_and_their_neighbours(void **state)
{
    (void)state;
    tree t;
    assert_int_equal(parse(&t, "<?xml version='1.0'?>\n<a x='1' y=\"2 &lt; 3\">\n<!-- no -->\n"
                               "  <b/> text \n  <c>\n<d/></c></a>\n"),
                     DP_OK);
    const dp_xml_node *a = t.root;
    assert_string_equal(a->name, "a");
    assert_string_equal(a->file, "a.xml");
    assert_int_equal(a->line, 2);
    assert_int_equal(a->nattribute, 2);
    assert_string_equal(dp_xml_value(a, "y", ""), "2 < 3");
    assert_string_equal(dp_xml_value(a, "z", "none"), "none");
    assert_null(dp_xml_find(a, "z"));
    assert_string_equal(a->child->name, "b");
    assert_int_equal(a->child->line, 4);
    assert_ptr_equal(a->child->next, a->last_child);
    assert_int_equal(a->last_child->child->line, 6);
    assert_ptr_equal(a->last_child->child->parent, a->last_child);
    dp_pool_destroy(&t.pool);
}

static void the_walk_follows_the_file_and_can_skip_children(void **state)
{
    (void)state;
    tree t;
    assert_int_equal(parse(&t, "<a><b><c/><d><e/></d></b><f/></a>"), DP_OK);
    char order[16] = "", skipped[16] = "";
    for (dp_xml_node *n = t.root; n; n = dp_xml_next(t.root, n, false)) {
        strcat(order, n->name);
    }
    for (dp_xml_node *n = t.root; n; n = dp_xml_next(t.root, n, n->name[0] == 'b')) {
        strcat(skipped, n->name);
    }
    assert_string_equal(order, "abcdef");
    assert_string_equal(skipped, "abf");
    dp_xml_node *b = t.root->child; // the walk stays below its root
    char below[16] = "";
    for (dp_xml_node *n = b; n; n = dp_xml_next(b, n, false)) {
        strcat(below, n->name);
    }
    assert_string_equal(below, "bcde");
    dp_pool_destroy(&t.pool);
}

static void names_of_our_namespace_get_our_prefix(void **state)
{
    (void)state;
    tree t;
    assert_int_equal(
        parse(&t,
              "<a xmlns:q='dashpot' xmlns:o='urn:other' q:x='1' o:y='2'><q:option step='1'/></a>"),
        DP_OK);
    assert_string_equal(t.root->child->name, "dp:option");
    assert_string_equal(dp_xml_value(t.root, "dp:x", ""), "1");
    assert_string_equal(dp_xml_value(t.root, "urn:other|y", ""), "2");
    assert_string_equal(dp_xml_value(t.root->child, "step", ""), "1");
    dp_pool_destroy(&t.pool);
}

static void broken_xml_is_refused_with_its_place(void **state)
{
    (void)state;
    assert_parse_fails("", "a.xml:1: found no element");
    assert_parse_fails("<a>\n<b></a>", "a.xml:2: found mismatched tag in column");
    assert_parse_fails("<a x='1' x='2'/>", "a.xml:1: found duplicate attribute");
    assert_parse_fails("<a>\n\n&nbsp;</a>", "a.xml:3: found an undefined entity");
    assert_parse_fails("<a><dp:b/></a>", "xmlns:dp=\"dashpot\"");
    assert_parse_fails("<a>\x01</a>", "a.xml:1: found not well-formed");
    assert_parse_fails("<a>\xED\xA0\x80</a>", "a.xml:1: found not well-formed"); // half a character
}

static void foreign_bytes_are_read_as_latin_1(void **state)
{
    (void)state;
    tree t;
    assert_int_equal(parse(&t, "<a b='\xFF'>\xC3</a>"), DP_OK);
    assert_string_equal(dp_xml_value(t.root, "b", ""), "\xC3\xBF");
    dp_pool_destroy(&t.pool);
}

static void the_declaration_need_not_come_first(void **state)
{
    (void)state;
    tree t;
    assert_int_equal(parse(&t, "\n<!-- - -- a -->\n\n<?xml version='1.0'?>\n<a/>"), DP_OK);
    assert_int_equal(t.root->line, 5);
    dp_pool_destroy(&t.pool);
    assert_parse_fails("<!-->\n<?xml version='1.0'?>\n<a/>", "a.xml:1: found"); // has no end
}

static void declarations_of_entities_are_refused(void **state)
{
    (void)state;
    assert_parse_fails("<!DOCTYPE a [<!ENTITY x 'y'><!ENTITY z '&x;&x;&x;'>]>\n<a>&z;</a>",
                       "a.xml:1: found a document type with declarations");
    assert_parse_fails("<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>",
                       "found a document type with declarations");
    tree t;
    assert_int_equal(parse(&t, "<!DOCTYPE mujoco>\n<a/>"), DP_OK); // says nothing
    dp_pool_destroy(&t.pool);
}

static void nesting_is_bounded_by_memory_only(void **state)
{
    (void)state;
    enum { DEPTH = 200000 };
    char *text = malloc(7 * DEPTH + 1);
    assert_non_null(text);
    for (int i = 0; i < DEPTH; ++i) {
        memcpy(text + 3 * i, "<b>", 3);
        memcpy(text + 3 * DEPTH + 4 * i, "</b>", 4);
    }
    text[7 * DEPTH] = '\0';
    tree t;
    assert_int_equal(parse(&t, text), DP_OK);
    int count = 0;
    for (dp_xml_node *n = t.root; n; n = dp_xml_next(t.root, n, false)) {
        ++count;
    }
    assert_int_equal(count, DEPTH);
    dp_pool_destroy(&t.pool);
    free(text);
}

static void files_are_read_whole_or_not_at_all(void **state)
{
    (void)state;
    const dp_allocator a = dp_allocator_default();
    char *text;
    size_t bytes;
    assert_int_equal(dp_file_read(&text, &bytes, DP_SCRATCH "/no/such.xml", &a), DP_ERROR_IO);
    assert_null(text);
    assert_non_null(strstr(dp_last_error(), "such.xml: cannot be opened"));
    assert_int_equal(dp_file_read(&text, &bytes, DP_SCRATCH, &a), DP_ERROR_IO);
    assert_non_null(strstr(dp_last_error(), "found a folder (expected a file)"));

    enum { SIZE = 100001 }; // more than one block
    FILE *file = fopen(DP_SCRATCH "/test_xml_file", "wb");
    assert_non_null(file);
    for (int i = 0; i < SIZE; ++i) {
        fputc('a' + i % 26, file);
    }
    fclose(file);
    assert_int_equal(dp_file_read(&text, &bytes, DP_SCRATCH "/test_xml_file", &a), DP_OK);
    assert_int_equal(bytes, SIZE);
    assert_int_equal(text[SIZE], '\0');
    assert_int_equal(text[SIZE - 1], 'a' + (SIZE - 1) % 26);
    dp_release(&a, text, bytes + 1, 1);
    remove(DP_SCRATCH "/test_xml_file");
}

static void assert_not_read(const char *path, const char *words)
{
    char *text;
    size_t bytes;
    assert_int_equal(dp_file_read(&text, &bytes, path, NULL), DP_ERROR_IO);
    assert_null(text);
    if (!strstr(dp_last_error(), words)) {
        fail_msg("%s is refused by '%s' (expected '%s')", path, dp_last_error(), words);
    }
}

static void devices_and_named_pipes_are_refused_before_they_are_opened(void **state)
{
    (void)state;
    static const char fifo[] = DP_SCRATCH "/test_xml_fifo", large[] = DP_SCRATCH "/test_xml_large";
    assert_not_read("/dev/zero", "found a device (expected a file)");
    assert_not_read("/dev/tty", "");
    remove(fifo);
    assert_int_equal(mkfifo(fifo, 0600), 0); // nobody writes to it: opening it would wait for ever
    assert_not_read(fifo, "found a named pipe (expected a file)");
    remove(fifo);
    FILE *file = fopen(large, "wb");
    assert_non_null(file);
    assert_int_equal(ftruncate(fileno(file), (off_t)5 << 30), 0); // takes no room on the disk
    fclose(file);
    assert_not_read(large, "found 5368709120 bytes (expected at most 1073741824)");
    remove(large);
}

static void a_pipe_that_is_open_is_read_up_to_64_mib(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        char path[32], *text;
        size_t bytes;
        FILE *source = popen(k == 0 ? "printf '<a/>'" : "cat /dev/zero", "r");
        assert_non_null(source);
        snprintf(path, sizeof path, "/dev/fd/%d", fileno(source));
        if (k == 0) {
            assert_int_equal(dp_file_read(&text, &bytes, path, NULL), DP_OK);
            assert_string_equal(text, "<a/>");
            assert_int_equal(bytes, 4);
            free(text);
        } else {
            assert_not_read(path, "more than 67108864 bytes");
        }
        pclose(source);
    }
}

// [s] Of the processor, to read an element with one attribute.
static double time_of_attribute(size_t length)
{
    static const char head[] = "<a b='", tail[] = "'/>";
    const size_t bytes = sizeof head - 1 + length + sizeof tail - 1;
    char *text = malloc(bytes + 1);
    assert_non_null(text);
    memcpy(text, head, sizeof head - 1);
    memset(text + sizeof head - 1, 'x', length);
    memcpy(text + sizeof head - 1 + length, tail, sizeof tail);
    const dp_allocator a = dp_allocator_default();
    dp_pool pool;
    dp_pool_init(&pool, &a);
    dp_xml_node *root;
    const clock_t start = clock();
    assert_int_equal(dp_xml_parse(&root, &pool, text, bytes, "long.xml"), DP_OK);
    const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    assert_int_equal(strlen(root->attribute[0].value), length);
    dp_pool_destroy(&pool);
    free(text);
    return seconds;
}

// Eight times the length takes eight times as long, and not 64 times.
static void the_time_of_an_attribute_grows_with_its_length(void **state)
{
    (void)state;
    const size_t length = (size_t)8 << 20;
    double least[2] = {INFINITY, INFINITY};
    for (int i = 0; i < 3; ++i) {
        least[0] = fmin(least[0], time_of_attribute(length));
        least[1] = fmin(least[1], time_of_attribute(8 * length));
    }
    if (least[1] > 16.0 * least[0]) {
        fail_msg("8 MiB take %g s, 64 MiB %g s", least[0], least[1]);
    }
}

// The quick way of numbers with few digits, against strtod in the C locale.
static void short_numbers_are_rounded_as_strtod_rounds_them(void **state)
{
    (void)state;
    random_source r = {7};
    for (int i = 0; i < 200000; ++i) {
        char text[64];
        const int digits = 1 + (int)(random_bits(&r) % 17), point = (int)(random_bits(&r) % 18);
        int n = 0;
        for (int k = 0; k < digits; ++k) {
            n += k == point ? snprintf(text + n, 2, ".") : 0;
            n += snprintf(text + n, 2, "%d", (int)(random_bits(&r) % 10));
        }
        snprintf(text + n, sizeof text - (size_t)n, "e%d", (int)(random_bits(&r) % 60) - 30);
        const char *cursor = text;
        double x;
        assert_int_equal(dp_number_read(&x, &cursor), DP_NUMBER_OK);
        if (x != strtod(text, NULL)) {
            fail_msg("%s is read as %.17g", text, x);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_read_to_the_last_bit),
        cmocka_unit_test(short_forms_of_numbers_are_read),
        cmocka_unit_test(a_distant_digit_breaks_a_tie),
        cmocka_unit_test(what_is_not_a_finite_decimal_number_is_refused),
        cmocka_unit_test(the_decimal_point_is_a_point_in_every_locale),
        cmocka_unit_test(nodes_know_their_line_and_their_neighbours),
        cmocka_unit_test(the_walk_follows_the_file_and_can_skip_children),
        cmocka_unit_test(names_of_our_namespace_get_our_prefix),
        cmocka_unit_test(broken_xml_is_refused_with_its_place),
        cmocka_unit_test(foreign_bytes_are_read_as_latin_1),
        cmocka_unit_test(the_declaration_need_not_come_first),
        cmocka_unit_test(declarations_of_entities_are_refused),
        cmocka_unit_test(nesting_is_bounded_by_memory_only),
        cmocka_unit_test(files_are_read_whole_or_not_at_all),
        cmocka_unit_test(devices_and_named_pipes_are_refused_before_they_are_opened),
        cmocka_unit_test(a_pipe_that_is_open_is_read_up_to_64_mib),
        cmocka_unit_test(the_time_of_an_attribute_grows_with_its_length),
        cmocka_unit_test(short_numbers_are_rounded_as_strtod_rounds_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
