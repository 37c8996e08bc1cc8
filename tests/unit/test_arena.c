// The memory of a step.
#include "near.h"

#include "base/arena.h"
#include "mechanism.h"

#include <stdio.h>
#include <string.h>

static void pieces_are_aligned_and_apart(void **state)
{
    (void)state;
    char memory[4096];
    dp_arena arena;
    dp_arena_init(&arena, memory + 1, sizeof memory - 1);
    char *before = NULL;
    for (int i = 0; i < 8; ++i) {
        char *piece;
        assert_ok(dp_arena_take(&piece, &arena, 65, 1));
        assert_int_equal((uintptr_t)piece % DP_ARENA_ALIGNMENT, 0);
        assert_true(!before || piece - before >= 65);
        memset(piece, i, 65);
        before = piece;
    }
    dp_arena_end(&arena);
}

static void the_bytes_of_the_pieces_add_up_to_what_is_used(void **state)
{
    (void)state;
    char memory[4096];
    dp_arena arena;
    dp_arena_init(&arena, memory, sizeof memory);
    double *x;
    int *i;
    assert_ok(dp_arena_take(&x, &arena, 7, sizeof *x));
    assert_ok(dp_arena_take(&i, &arena, 3, sizeof *i));
    assert_int_equal(dp_arena_mark(&arena),
                     dp_arena_bytes(7, sizeof *x) + dp_arena_bytes(3, sizeof *i));
    dp_arena_end(&arena);
}

static void an_arena_that_is_full_says_how_much_it_lacks(void **state)
{
    (void)state;
    char memory[256];
    dp_arena arena;
    dp_arena_init(&arena, memory, sizeof memory);
    char *piece = memory;
    assert_int_equal(dp_arena_take(&piece, &arena, 1000, 1), DP_ERROR_CAPACITY);
    assert_null(piece);
    char needed[32];
    snprintf(needed, sizeof needed, "expected %zu", dp_arena_bytes(1000, 1));
    assert_non_null(strstr(dp_last_error(), needed));
    assert_int_equal(arena.used, 0); // as it was
    dp_arena_end(&arena);
}

static void what_was_taken_since_a_mark_is_taken_again(void **state)
{
    (void)state;
    char memory[4096];
    dp_arena arena;
    dp_arena_init(&arena, memory, sizeof memory);
    char *kept, *first, *second;
    assert_ok(dp_arena_take(&kept, &arena, 10, 1));
    const size_t mark = dp_arena_mark(&arena);
    assert_ok(dp_arena_take(&first, &arena, 100, 1));
    dp_arena_rewind(&arena, mark);
    assert_ok(dp_arena_take(&second, &arena, 100, 1));
    assert_ptr_equal(first, second);
    assert_true(second > kept);
    dp_arena_end(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_aligned_and_apart),
        cmocka_unit_test(the_bytes_of_the_pieces_add_up_to_what_is_used),
        cmocka_unit_test(an_arena_that_is_full_says_how_much_it_lacks),
        cmocka_unit_test(what_was_taken_since_a_mark_is_taken_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
