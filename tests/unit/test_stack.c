// A block of memory as an allocator.
#include "near.h"

#include "base/stack.h"

#include <string.h>

static void pieces_are_aligned_and_apart(void **state)
{
    (void)state;
    char memory[2048];
    dp_stack stack;
    dp_stack_init(&stack, memory + 1, sizeof memory - 1);
    const dp_allocator a = dp_stack_allocator(&stack);
    char *before = NULL;
    for (int i = 0; i < 8; ++i) {
        char *piece = a.allocate(a.context, 65);
        assert_non_null(piece);
        assert_int_equal((uintptr_t)piece % DP_STACK_ALIGNMENT, 0);
        assert_true(!before || piece - before >= 65);
        memset(piece, 0xff, 65);
        before = piece;
    }
}

static void a_full_block_gives_nothing_and_stays_sound(void **state)
{
    (void)state;
    char memory[512];
    dp_stack stack;
    dp_stack_init(&stack, memory, sizeof memory);
    const dp_allocator a = dp_stack_allocator(&stack);
    assert_null(a.allocate(a.context, sizeof memory));
    assert_null(a.allocate(a.context, SIZE_MAX));
    assert_null(a.allocate(a.context, SIZE_MAX - 32)); // must not wrap around
    void *first = a.allocate(a.context, 128);
    assert_non_null(first);
    assert_null(a.allocate(a.context, 400));
    a.release(a.context, first, 128);
    assert_int_equal(stack.used, 0);
    dp_stack_init(&stack, NULL, 0);
    assert_null(a.allocate(a.context, 1));
}

// Whatever the order of releases: once all above a piece are gone, so is the room that they took.
static void what_is_released_in_any_order_is_used_again(void **state)
{
    (void)state;
    static const int order[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                   {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    char memory[4096];
    dp_stack stack;
    dp_stack_init(&stack, memory, sizeof memory);
    const dp_allocator a = dp_stack_allocator(&stack);
    char *kept = a.allocate(a.context, 100);
    memset(kept, 7, 100);
    const size_t used = stack.used;
    for (int k = 0; k < 6; ++k) {
        void *piece[3];
        for (int i = 0; i < 3; ++i) {
            piece[i] = a.allocate(a.context, 200);
            memset(piece[i], i, 200);
        }
        for (int i = 0; i < 3; ++i) {
            assert_true(stack.used > used);
            a.release(a.context, piece[order[k][i]], 200);
        }
        assert_int_equal(stack.used, used);
    }
    for (int i = 0; i < 100; ++i) {
        assert_int_equal(kept[i], 7);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_aligned_and_apart),
        cmocka_unit_test(a_full_block_gives_nothing_and_stays_sound),
        cmocka_unit_test(what_is_released_in_any_order_is_used_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
