// The order that keeps envelopes small.
#include "near.h"

#include "linalg/cuthill_mckee.h"
#include "test_random.h"

#include <stdlib.h>

enum { MOST = 60, ROOM = 8 * MOST };

// A graph whose vertices lie in some cliques each, by number of clique.
typedef struct graph {
    int start[MOST + 1], clique[2 * MOST], order[MOST], place[MOST], scratch[ROOM];
    dp_clique_graph g;
} graph;

static void order(graph *x)
{
    const size_t n = (size_t)x->g.n, entries = (size_t)x->g.start[n];
    assert_true(dp_cuthill_mckee_scratch(n, (size_t)x->g.nclique, entries) <= ROOM);
    dp_cuthill_mckee(x->order, &x->g, x->scratch);
    for (int v = 0; v < x->g.n; ++v) {
        x->place[v] = -1;
    }
    for (int k = 0; k < x->g.n; ++k) {
        assert_in_range(x->order[k], 0, x->g.n - 1);
        x->place[x->order[k]] = k;
    }
    for (int v = 0; v < x->g.n; ++v) { // every one once
        assert_in_range(x->place[v], 0, x->g.n - 1);
    }
}

// Vertex `of[k]` joins the cliques k and k + 1: a path, whatever the numbers of its vertices.
static void make_path(graph *x, int n, const int *of)
{
    *x = (graph){.g = {n, n + 1, x->start, x->clique}};
    int at[MOST];
    for (int k = 0; k < n; ++k) {
        at[of[k]] = k;
    }
    for (int v = 0; v < n; ++v) {
        x->start[v + 1] = 2 * (v + 1);
        x->clique[2 * v] = at[v];
        x->clique[2 * v + 1] = at[v] + 1;
    }
}

static void neighbours_of_a_path_are_next_to_each_other(void **state)
{
    (void)state;
    random_source r = {1};
    for (int trial = 0; trial < 100; ++trial) {
        const int n = 2 + random_below(&r, MOST - 2);
        int of[MOST];
        for (int k = 0; k < n; ++k) {
            const int other = random_below(&r, k + 1);
            of[k] = of[other];
            of[other] = k;
        }
        graph x;
        make_path(&x, n, of);
        order(&x);
        for (int k = 0; k + 1 < n; ++k) {
            assert_int_equal(abs(x.place[of[k]] - x.place[of[k + 1]]), 1);
        }
    }
}

static void parts_that_are_not_connected_stay_together(void **state)
{
    (void)state;
    random_source r = {2};
    for (int trial = 0; trial < 100; ++trial) {
        graph x = {.g = {MOST, 12, x.start, x.clique}};
        for (int v = 0; v < MOST; ++v) { // two cliques of one of three parts
            const int part = random_below(&r, 3), first = random_below(&r, 4);
            x.start[v + 1] = 2 * (v + 1);
            x.clique[2 * v] = 4 * part;
            x.clique[2 * v + 1] = 4 * part + 1 + first % 3;
        }
        order(&x);
        int changes = 0;
        for (int k = 0; k + 1 < MOST; ++k) {
            changes += x.clique[2 * x.order[k]] != x.clique[2 * x.order[k + 1]];
        }
        assert_in_range(changes, 0, 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_of_a_path_are_next_to_each_other),
        cmocka_unit_test(parts_that_are_not_connected_stay_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
