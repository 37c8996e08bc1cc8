#include "import_memory.h"

#include "counting_allocator.h"
#include "near.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void assert_nothing_left(const counting_allocator *counts)
{
    assert_int_equal(counts->blocks, 0);
    assert_int_equal(counts->bytes, 0);
    assert_int_equal(counts->wrong_sizes, 0);
}

void assert_import_gives_back(import_call import)
{
    counting_allocator counts = {0};
    const dp_allocator allocator = counting_allocator_for(&counts);
    if (import(&allocator) != DP_OK) {
        fail_msg("%s", dp_last_error());
    }
    assert_true(counts.calls > 50); // expat's own are among them
    assert_nothing_left(&counts);
}

void assert_import_survives_each_failure(import_call import)
{
    counting_allocator counts = {0};
    const dp_allocator allocator = counting_allocator_for(&counts);
    assert_int_equal(import(&allocator), DP_OK);
    const size_t calls = counts.calls;
    for (size_t k = 1; k <= calls; ++k) {
        counts = (counting_allocator){.fail_at = k};
        const dp_status status = import(&allocator);
        if (status != DP_ERROR_MEMORY) {
            fail_msg("allocation %zu of %zu failed: %s: %s", k, calls, dp_status_name(status),
                     dp_last_error());
        }
        assert_non_null(strstr(dp_last_error(), "out of memory"));
        assert_nothing_left(&counts);
    }
}

static char *repeat(const repeated_file *file, size_t bytes)
{
    const size_t n = strlen(file->piece), count = bytes / n;
    char *text = malloc(strlen(file->head) + count * n + strlen(file->tail) + 1), *at = text;
    assert_non_null(text);
    at += sprintf(at, "%s", file->head);
    for (size_t i = 0; i < count; ++i, at += n) {
        memcpy(at, file->piece, n);
    }
    sprintf(at, "%s", file->tail);
    return text;
}

void assert_memory_follows_the_file(file_parser parse, const char *path, const repeated_file *file,
                                    int count, size_t most)
{
    enum { BYTES = 1 << 20 };
    for (int i = 0; i < count; ++i) {
        char *text = repeat(&file[i], BYTES);
        counting_allocator counts = {0};
        const dp_allocator allocator = counting_allocator_for(&counts);
        const dp_import_options options = {.allocator = &allocator};
        dp_spec *spec;
        dp_import_report *report;
        (void)!parse(&spec, &report, text, strlen(text), path, &options);
        dp_spec_destroy(spec);
        dp_import_report_destroy(report);
        if (counts.most_bytes > most * BYTES) {
            fail_msg("%s: %zu bytes of memory per byte of file", file[i].piece,
                     counts.most_bytes / BYTES);
        }
        assert_nothing_left(&counts);
        free(text);
    }
}
