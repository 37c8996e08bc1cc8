// Islands: each a problem of its own, together the whole.
#include "made_problem.h"

#include "problem/island.h"

#include <stdlib.h>
#include <string.h>

typedef struct split_memory {
    void *block;
    dp_arena arena;
} split_memory;

static dp_step_size size_of(const dp_step_problem *p)
{
    return (dp_step_size){.nv = p->nv,
                          .ntree = p->ntree,
                          .nblock = p->nblock,
                          .nrow = p->nrow,
                          .nMt = p->Mt_start[p->nv],
                          .ncol = (size_t)p->col_start[p->nblock],
                          .nG = p->G_start[p->nblock]};
}

// An arena of the size that dp_islands_memory tells, and not a byte more.
static dp_islands split(split_memory *memory, const dp_step_problem *p)
{
    const dp_step_size size = size_of(p);
    const size_t bytes = dp_islands_memory(&size);
    memory->block = aligned_alloc(DP_ARENA_ALIGNMENT, bytes);
    assert_non_null(memory->block);
    dp_arena_init(&memory->arena, memory->block, bytes);
    dp_islands islands;
    if (dp_islands_split(&islands, p, &memory->arena) != DP_OK) {
        fail_msg("%s", dp_last_error());
    }
    return islands;
}

static void give_back(split_memory *memory)
{
    dp_arena_rewind(&memory->arena, 0);
    free(memory->block);
}

static int tree_of(const dp_step_problem *p, int velocity)
{
    int tree = 0;
    while (p->tree_start[tree + 1] <= velocity) {
        ++tree;
    }
    return tree;
}

// Blocks i and j meet the same tree, directly or by way of other blocks.
static void find_connected(bool connected[MADE_BLOCKS][MADE_BLOCKS], const dp_step_problem *p)
{
    bool meets[MADE_BLOCKS][MADE_TREES] = {{false}};
    for (int i = 0; i < p->nblock; ++i) {
        for (int c = p->col_start[i]; c < p->col_start[i + 1]; ++c) {
            meets[i][tree_of(p, p->col[c])] = true;
        }
    }
    for (int i = 0; i < p->nblock; ++i) {
        for (int j = 0; j < p->nblock; ++j) {
            connected[i][j] = i == j;
            for (int t = 0; t < p->ntree; ++t) {
                connected[i][j] = connected[i][j] || (meets[i][t] && meets[j][t]);
            }
        }
    }
    for (int k = 0; k < p->nblock; ++k) { // Warshall's closure
        for (int i = 0; i < p->nblock; ++i) {
            for (int j = 0; j < p->nblock; ++j) {
                connected[i][j] = connected[i][j] || (connected[i][k] && connected[k][j]);
            }
        }
    }
}

static int block_with_id(const dp_step_problem *p, uint64_t id)
{
    for (int i = 0; i < p->nblock; ++i) {
        if (p->id[i] == id) {
            return i;
        }
    }
    fail_msg("no block has the id of one of an island");
    return -1;
}

static void blocks_share_an_island_exactly_if_trees_connect_them(void **state)
{
    (void)state;
    random_source r = {.state = 21};
    made_problem m;
    int several = 0;
    for (int repeat = 0; repeat < 200; ++repeat) {
        make_problem(&m, 1 + repeat % MADE_TREES, 1 + repeat % 7, &r);
        bool connected[MADE_BLOCKS][MADE_BLOCKS];
        find_connected(connected, &m.p);
        split_memory memory;
        const dp_islands islands = split(&memory, &m.p);
        int island_of[MADE_BLOCKS], blocks = 0;
        for (int i = 0; i < islands.count; ++i) {
            for (int b = 0; b < islands.island[i].nblock; ++b, ++blocks) {
                island_of[block_with_id(&m.p, islands.island[i].id[b])] = i;
            }
        }
        assert_int_equal(blocks, m.p.nblock);
        for (int i = 0; i < m.p.nblock; ++i) {
            for (int j = 0; j < m.p.nblock; ++j) {
                assert_int_equal(connected[i][j], island_of[i] == island_of[j]);
            }
        }
        several += islands.count > 1;
        give_back(&memory);
    }
    assert_true(several > 50); // the claim is about more than one
}

// The element of M̃ for two velocities.
static double inertia(const dp_step_problem *p, int i, int j)
{
    const double *element = p->Mt + p->Mt_start[i > j ? i : j];
    for (int a = i > j ? i : j; a >= 0; a = p->parent[a], ++element) {
        if (a == (i > j ? j : i)) {
            return *element;
        }
    }
    return 0.0;
}

static double element_of_G(const dp_step_problem *p, int row, int velocity)
{
    int block = 0;
    while (p->row_start[block + 1] <= row) {
        ++block;
    }
    const int columns = p->col_start[block + 1] - p->col_start[block];
    const double *G = p->G + p->G_start[block] + (size_t)((row - p->row_start[block]) * columns);
    for (int c = 0; c < columns; ++c) {
        if (p->col[p->col_start[block] + c] == velocity) {
            return G[c];
        }
    }
    return 0.0;
}

static void assert_same_bits(const void *a, const void *b, size_t bytes)
{
    assert_memory_equal(a, b, bytes);
}

static void an_island_has_the_numbers_of_the_whole(void **state)
{
    (void)state;
    random_source r = {.state = 22};
    made_problem m;
    for (int repeat = 0; repeat < 100; ++repeat) {
        make_problem(&m, 1 + repeat % MADE_TREES, 1 + repeat % 7, &r);
        split_memory memory;
        const dp_islands islands = split(&memory, &m.p);
        for (int i = 0; i < islands.count; ++i) {
            const dp_step_problem *p = &islands.island[i];
            const int *v_of = islands.v_of + islands.v_start[i];
            const int *row_of = islands.row_of + islands.row_start[i];
            assert_int_equal(dp_problem_check(p, NULL), DP_OK);
            assert_true(p->h == m.p.h);
            for (int a = 0; a < p->nv; ++a) {
                assert_true(p->v0[a] == m.v0[v_of[a]] && p->v_free[a] == m.v_free[v_of[a]]);
                for (int b = 0; b < p->nv; ++b) {
                    assert_true(inertia(p, a, b) == inertia(&m.p, v_of[a], v_of[b]));
                }
            }
            for (int row = 0; row < p->nrow; ++row) {
                assert_same_bits(&p->row[row], &m.row[row_of[row]], sizeof p->row[row]);
                for (int a = 0; a < p->nv; ++a) {
                    assert_true(element_of_G(p, row, a) ==
                                element_of_G(&m.p, row_of[row], v_of[a]));
                }
            }
        }
        give_back(&memory);
    }
}

static void islands_come_in_the_order_of_their_lowest_trees(void **state)
{
    (void)state;
    random_source r = {.state = 23};
    made_problem m;
    for (int repeat = 0; repeat < 100; ++repeat) {
        make_problem(&m, MADE_TREES, 4, &r);
        split_memory memory;
        const dp_islands islands = split(&memory, &m.p);
        for (int i = 0; i < islands.count; ++i) {
            const int *v_of = islands.v_of + islands.v_start[i];
            const int *row_of = islands.row_of + islands.row_start[i];
            assert_true(i == 0 || v_of[0] > islands.v_of[islands.v_start[i - 1]]);
            for (int a = 1; a < islands.island[i].nv; ++a) {
                assert_true(v_of[a] > v_of[a - 1]);
            }
            for (int a = 1; a < islands.island[i].nrow; ++a) {
                assert_true(row_of[a] > row_of[a - 1]);
            }
        }
        give_back(&memory);
    }
}

static void trees_without_blocks_belong_to_no_island(void **state)
{
    (void)state;
    random_source r = {.state = 24};
    made_problem m;
    make_problem(&m, MADE_TREES, 1, &r);
    split_memory memory;
    dp_islands islands = split(&memory, &m.p);
    assert_int_equal(islands.count, 1);
    assert_true(islands.island[0].ntree <= 2 && islands.island[0].ntree >= 1);
    assert_int_equal(islands.island[0].nv, m.col_start[1]);
    give_back(&memory);

    make_problem(&m, MADE_TREES, 0, &r);
    islands = split(&memory, &m.p);
    assert_int_equal(islands.count, 0);
    give_back(&memory);
}

static void one_island_of_everything_is_the_problem_itself(void **state)
{
    (void)state;
    random_source r = {.state = 25};
    made_problem m;
    make_problem(&m, 1, 5, &r);
    split_memory memory;
    const dp_islands islands = split(&memory, &m.p);
    assert_int_equal(islands.count, 1);
    assert_ptr_equal(islands.island[0].G, m.G);
    assert_ptr_equal(islands.island[0].row, m.row);
    for (int a = 0; a < m.p.nv; ++a) {
        assert_int_equal(islands.v_of[a], a);
    }
    for (int row = 0; row < m.p.nrow; ++row) {
        assert_int_equal(islands.row_of[row], row);
    }
    assert_int_equal(islands.row_start[1], m.p.nrow);
    give_back(&memory);
}

// A block that meets nothing is solved with the first tree: its rows must not be lost.
static void a_block_without_columns_is_in_an_island(void **state)
{
    (void)state;
    random_source r = {.state = 26};
    made_problem m;
    make_problem(&m, 4, 1, &r);
    m.p.nblock = 2;
    m.id[1] = m.id[0] + 1;
    m.row_start[2] = m.p.nrow + 1;
    m.col_start[2] = m.col_start[1];
    m.G_start[2] = m.G_start[1];
    m.row[m.p.nrow] = m.row[0];
    m.p.nrow += 1;
    split_memory memory;
    const dp_islands islands = split(&memory, &m.p);
    int rows = 0;
    for (int i = 0; i < islands.count; ++i) {
        rows += islands.island[i].nrow;
    }
    assert_int_equal(rows, m.p.nrow);
    give_back(&memory);
}

static void a_refresh_brings_gaps_rates_and_free_velocities_and_nothing_else(void **state)
{
    (void)state;
    random_source r = {.state = 27};
    static made_problem m, changed;
    for (int repeat = 0; repeat < 20; ++repeat) {
        const random_source same = r;
        make_problem(&m, MADE_TREES, 5, &r);
        r = same;
        make_problem(&changed, MADE_TREES, 5, &r);
        for (int row = 0; row < m.p.nrow; ++row) {
            changed.row[row].phi += 1.0;
            changed.row[row].phi_t -= 2.0;
            changed.row[row].b_ref += 3.0;
            changed.row[row].len = 9.0; // not taken
        }
        for (int i = 0; i < m.p.nv; ++i) {
            changed.v_free[i] += 4.0;
        }
        split_memory memory;
        dp_islands islands = split(&memory, &m.p);
        assert_true(islands.count > 1 || islands.island[0].nv < m.p.nv);
        for (int i = 0; i < islands.count; ++i) {
            dp_islands_refresh_one(&islands, &changed.p, i);
            for (int row = 0; row < islands.island[i].nrow; ++row) {
                dp_row expected = changed.row[islands.row_of[islands.row_start[i] + row]];
                expected.len = m.row[islands.row_of[islands.row_start[i] + row]].len;
                assert_same_bits(&islands.island[i].row[row], &expected, sizeof expected);
            }
            for (int a = 0; a < islands.island[i].nv; ++a) {
                assert_true(islands.island[i].v_free[a] ==
                            changed.v_free[islands.v_of[islands.v_start[i] + a]]);
            }
        }
        give_back(&memory);
    }
}

static void a_refresh_of_the_whole_takes_the_new_problem(void **state)
{
    (void)state;
    random_source r = {.state = 28};
    static made_problem m, other;
    make_problem(&m, 1, 3, &r);
    other = m;
    other.p.v_free = other.v_free;
    split_memory memory;
    dp_islands islands = split(&memory, &m.p);
    dp_islands_refresh_one(&islands, &other.p, 0);
    assert_ptr_equal(islands.island[0].v_free, other.v_free);
    give_back(&memory);
}

static void what_islands_find_goes_where_it_belongs(void **state)
{
    (void)state;
    random_source r = {.state = 29};
    made_problem m;
    make_problem(&m, MADE_TREES, 5, &r);
    split_memory memory;
    const dp_islands islands = split(&memory, &m.p);
    double v[MADE_V], gamma[MADE_ROWS];
    uint8_t row_state[MADE_ROWS];
    memcpy(v, m.v_free, sizeof v);
    dp_step_solution whole = {v, gamma, row_state};
    for (int i = 0; i < islands.count; ++i) {
        double part_v[MADE_V], part_gamma[MADE_ROWS];
        uint8_t part_state[MADE_ROWS];
        for (int a = 0; a < islands.island[i].nv; ++a) {
            part_v[a] = 1000.0 + islands.island[i].v_free[a];
        }
        for (int row = 0; row < islands.island[i].nrow; ++row) {
            part_gamma[row] = islands.island[i].row[row].phi;
            part_state[row] = (uint8_t)i;
        }
        dp_islands_scatter(&whole, &islands, i,
                           &(dp_step_solution){part_v, part_gamma, part_state});
    }
    for (int row = 0; row < m.p.nrow; ++row) {
        assert_true(gamma[row] == m.row[row].phi);
    }
    for (int i = 0; i < m.p.nv; ++i) {
        assert_true(v[i] == m.v_free[i] || v[i] == 1000.0 + m.v_free[i]);
    }
    give_back(&memory);
}

static void an_arena_that_is_too_small_is_told(void **state)
{
    (void)state;
    random_source r = {.state = 30};
    made_problem m;
    make_problem(&m, 4, 4, &r);
    _Alignas(64) char little[256];
    dp_arena arena;
    dp_arena_init(&arena, little, sizeof little);
    dp_islands islands;
    assert_int_equal(dp_islands_split(&islands, &m.p, &arena), DP_ERROR_CAPACITY);
    assert_int_equal(islands.count, 0);
    dp_arena_rewind(&arena, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_share_an_island_exactly_if_trees_connect_them),
        cmocka_unit_test(an_island_has_the_numbers_of_the_whole),
        cmocka_unit_test(islands_come_in_the_order_of_their_lowest_trees),
        cmocka_unit_test(trees_without_blocks_belong_to_no_island),
        cmocka_unit_test(one_island_of_everything_is_the_problem_itself),
        cmocka_unit_test(a_block_without_columns_is_in_an_island),
        cmocka_unit_test(a_refresh_brings_gaps_rates_and_free_velocities_and_nothing_else),
        cmocka_unit_test(a_refresh_of_the_whole_takes_the_new_problem),
        cmocka_unit_test(what_islands_find_goes_where_it_belongs),
        cmocka_unit_test(an_arena_that_is_too_small_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
