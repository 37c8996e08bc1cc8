// Step problems as text: every bit comes back, and what is wrong is reported by file and line.
#include "law_problem.h"
#include "made_problem.h"
#include "program_run.h"

#include <dashpot/advanced/problem.h>

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCRATCH DP_SCRATCH "/problem_file.txt"
#define INF ((double)INFINITY)

static dp_problem_file *load(const char *path)
{
    dp_problem_file *file;
    if (dp_problem_load(&file, path, NULL) != DP_OK) {
        fail_msg("%s", dp_last_error());
    }
    return file;
}

static void save(const dp_step_problem *p, const dp_warm *warm, const dp_step_solution *solution,
                 const dp_problem_notes *notes)
{
    if (dp_problem_save(SCRATCH, p, warm, solution, notes) != DP_OK) {
        fail_msg("%s", dp_last_error());
    }
}

#define SAME_BITS(a, b, count) assert_memory_equal((a), (b), (count) * sizeof *(a))

static void assert_same_problem(const dp_step_problem *a, const dp_step_problem *b)
{
    assert_memory_equal(&a->h, &b->h, sizeof a->h);
    assert_int_equal(a->nv, b->nv);
    assert_int_equal(a->ntree, b->ntree);
    assert_int_equal(a->nblock, b->nblock);
    assert_int_equal(a->nrow, b->nrow);
    const size_t nv = (size_t)a->nv, nblock = (size_t)a->nblock;
    SAME_BITS(a->tree_start, b->tree_start, (size_t)a->ntree + 1);
    SAME_BITS(a->parent, b->parent, nv);
    SAME_BITS(a->Mt_start, b->Mt_start, nv + 1);
    SAME_BITS(a->Mt, b->Mt, a->Mt_start[a->nv]);
    SAME_BITS(a->v0, b->v0, nv);
    SAME_BITS(a->v_free, b->v_free, nv);
    SAME_BITS(a->row_start, b->row_start, nblock + 1);
    SAME_BITS(a->id, b->id, nblock);
    SAME_BITS(a->col_start, b->col_start, nblock + 1);
    SAME_BITS(a->col, b->col, (size_t)a->col_start[nblock]);
    SAME_BITS(a->G_start, b->G_start, nblock + 1);
    SAME_BITS(a->G, b->G, a->G_start[nblock]);
    SAME_BITS(a->row, b->row, (size_t)a->nrow);
    assert_int_equal(a->nfriction, b->nfriction);
    assert_true((a->normal == NULL) == (b->normal == NULL));
    for (int i = 0; a->nfriction > 0 && i < a->nblock; ++i) {
        const int of_a = a->friction_of[i], of_b = b->friction_of[i];
        assert_int_equal(of_a < 0, of_b < 0);
        if (of_a >= 0) { // written in the order of blocks
            SAME_BITS(&a->friction[of_a], &b->friction[of_b], (size_t)1);
        }
        if (of_a >= 0 && a->normal) {
            assert_int_equal(a->normal[of_a].kind, b->normal[of_b].kind);
            SAME_BITS(&a->normal[of_a].dissipation, &b->normal[of_b].dissipation, (size_t)1);
        }
    }
}

static void a_problem_comes_back_bit_for_bit(void **state)
{
    (void)state;
    random_source r = {.state = 41};
    made_problem m;
    for (int repeat = 0; repeat < 50; ++repeat) {
        make_problem(&m, 1 + repeat % MADE_TREES, repeat % MADE_BLOCKS, &r);
        save(&m.p, NULL, NULL, NULL);
        dp_problem_file *file = load(SCRATCH);
        assert_same_problem(dp_problem_of(file), &m.p);
        assert_int_equal(dp_problem_warm(file)->nblock, 0);
        assert_null(dp_problem_solution(file)->v);
        assert_null(dp_problem_notes_of(file)->law);
        dp_problem_destroy(file);
    }
}

// A contact of each law, the last of the three with numbers that no decimal of few digits has.
static void contacts_with_laws_of_their_own_come_back(void **state)
{
    (void)state;
    law_problem lp = law_problem_create(0.01, 3, 9);
    const int col[3] = {0, 1, 2};
    const double G[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0};
    for (int i = 0; i < 3; ++i) {
        law_problem_particle(&lp, 1.0, -0.1);
    }
    for (int i = 0; i < 3; ++i) {
        const dp_friction friction = {{0.5, 1.0 / 3.0}, 0.1, {0.2, 0.3}};
        law_problem_contact(&lp, 3, 3, col, G, &friction)->k = 1e7;
        lp.normal[i] = (dp_normal){(dp_normal_kind)i, i / 7.0};
    }
    lp.p.normal = lp.normal;
    save(&lp.p, NULL, NULL, NULL);
    dp_problem_file *file = load(SCRATCH);
    assert_same_problem(dp_problem_of(file), &lp.p);
    dp_problem_destroy(file);

    lp.row[3].b = 1.0; // beside a law that has no dashpot
    assert_int_equal(dp_problem_check(&lp.p, NULL), DP_ERROR_ARGUMENT);
    lp.row[3].b = 0.0;
    lp.row[6].k = (double)INFINITY;
    assert_int_equal(dp_problem_check(&lp.p, NULL), DP_ERROR_ARGUMENT);
    lp.row[6].k = 1e7;
    lp.normal[1].dissipation = -1.0;
    assert_int_equal(dp_problem_check(&lp.p, NULL), DP_ERROR_ARGUMENT);
    assert_non_null(strstr(dp_last_error(), "normal[1].dissipation"));
    law_problem_destroy(&lp);
}

static void every_double_comes_back_bit_for_bit(void **state)
{
    (void)state;
    static const double special[] = {
        0.0,       -0.0,   DBL_MIN,  DBL_MAX, 0x1p-1074, -0x1p-1074,        DBL_MIN / 3.0,
        1.0 / 3.0, 5e-324, -DBL_MAX, 0.1,     1e22,      9007199254740993.0};
    random_source r = {.state = 42};
    made_problem m;
    for (int repeat = 0; repeat < 50; ++repeat) {
        make_problem(&m, 4, 4, &r);
        for (size_t i = 0; i < m.G_start[4]; ++i) {
            uint64_t bits = random_bits(&r);
            memcpy(&m.G[i], &bits, sizeof bits);
            if (!isfinite(m.G[i]) || i < sizeof special / sizeof *special) {
                m.G[i] = special[i % (sizeof special / sizeof *special)];
            }
        }
        m.id[3] = UINT64_MAX;
        save(&m.p, NULL, NULL, NULL);
        dp_problem_file *file = load(SCRATCH);
        assert_same_problem(dp_problem_of(file), &m.p);
        dp_problem_destroy(file);
    }
}

// Make contacts of every block that can be one.
static int add_friction(made_problem *m, int friction_of[MADE_BLOCKS],
                        dp_friction friction[MADE_BLOCKS], random_source *r)
{
    int count = 0;
    for (int b = 0; b < m->p.nblock; ++b) {
        const int first = m->row_start[b], nrow = m->row_start[b + 1] - first;
        friction_of[b] = nrow == 3 && random_bits(r) % 4 != 0 ? count : -1;
        if (friction_of[b] < 0) {
            continue;
        }
        for (int i = 0; i < 3; ++i) {
            m->row[first + i].lo = i == 0 ? 0.0 : -INF;
            m->row[first + i].hi = INF;
        }
        friction[count++] =
            (dp_friction){{random_between(r, 0.0, 2.0), random_between(r, 0.0, 2.0)},
                          random_between(r, 0.0, 1e-3),
                          {0x1p-1074, random_between(r, 0.0, 1.0) / 3.0}};
    }
    m->p.nfriction = count;
    m->p.friction_of = friction_of;
    m->p.friction = friction;
    return count;
}

static void friction_comes_back_bit_for_bit(void **state)
{
    (void)state;
    random_source r = {.state = 45};
    made_problem m;
    int friction_of[MADE_BLOCKS], contacts = 0;
    dp_friction friction[MADE_BLOCKS];
    uint8_t row_state[MADE_ROWS];
    double v[MADE_V] = {0.0}, gamma[MADE_ROWS] = {0.0};
    for (int repeat = 0; repeat < 50; ++repeat) {
        make_problem(&m, 1 + repeat % MADE_TREES, repeat % MADE_BLOCKS, &r);
        contacts += add_friction(&m, friction_of, friction, &r);
        for (int i = 0; i < m.p.nrow; ++i) {
            row_state[i] = (uint8_t)(random_bits(&r) % 6);
        }
        save(&m.p, NULL, &(dp_step_solution){v, gamma, row_state}, NULL);
        dp_problem_file *file = load(SCRATCH);
        assert_same_problem(dp_problem_of(file), &m.p);
        SAME_BITS(dp_problem_solution(file)->state, row_state, (size_t)m.p.nrow);
        dp_problem_destroy(file);
    }
    assert_true(contacts > 50);
}

static void a_locale_with_a_decimal_comma_changes_nothing(void **state)
{
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE.utf8"};
    random_source r = {.state = 43};
    made_problem m;
    make_problem(&m, 4, 6, &r);
    static char plain[MOST_TEXT], other[MOST_TEXT];
    save(&m.p, NULL, NULL, NULL);
    read_text(plain, SCRATCH);
    bool set = false;
    for (int i = 0; i < 3 && !set; ++i) {
        set = setlocale(LC_ALL, names[i]) != NULL;
    }
    if (!set) {
        skip(); // no such locale on this machine
    }
    save(&m.p, NULL, NULL, NULL);
    dp_problem_file *file = load(SCRATCH);
    setlocale(LC_ALL, "C");
    read_text(other, SCRATCH);
    assert_string_equal(plain, other);
    assert_same_problem(dp_problem_of(file), &m.p);
    dp_problem_destroy(file);
}

static void warm_start_solution_and_notes_come_back(void **state)
{
    (void)state;
    random_source r = {.state = 44};
    made_problem m;
    make_problem(&m, 3, 5, &r);
    double v[MADE_V], gamma[MADE_ROWS];
    uint8_t row_state[MADE_ROWS];
    for (int i = 0; i < m.p.nv; ++i) {
        v[i] = random_between(&r, -1.0, 1.0);
    }
    for (int i = 0; i < m.p.nrow; ++i) {
        gamma[i] = i == 0 ? -0.0 : random_between(&r, -1.0, 1.0);
        row_state[i] = (uint8_t)(i % 4);
    }
    const uint64_t warm_id[] = {3, 0xfedcba9876543210u};
    const int warm_start[] = {0, 1, 3};
    const double warm_gamma[] = {1.0 / 3.0, -0.0, 5e-324};
    const dp_warm warm = {2, warm_id, warm_start, warm_gamma, NULL};
    const dp_problem_option option[] = {{"tolerance", "1e-12"}, {"vi.friction", "disc"}};
    const dp_problem_notes notes = {"step 12\nof a scene", "compliant", option, 2};
    save(&m.p, &warm, &(dp_step_solution){v, gamma, row_state}, &notes);

    dp_problem_file *file = load(SCRATCH);
    assert_same_problem(dp_problem_of(file), &m.p);
    const dp_warm *w = dp_problem_warm(file);
    assert_int_equal(w->nblock, 2);
    SAME_BITS(w->id, warm_id, 2);
    SAME_BITS(w->row_start, warm_start, 3);
    SAME_BITS(w->gamma, warm_gamma, 3);
    const dp_step_solution *s = dp_problem_solution(file);
    SAME_BITS(s->v, v, (size_t)m.p.nv);
    SAME_BITS(s->gamma, gamma, (size_t)m.p.nrow);
    SAME_BITS(s->state, row_state, (size_t)m.p.nrow);
    const dp_problem_notes *n = dp_problem_notes_of(file);
    assert_string_equal(n->law, "compliant");
    assert_int_equal(n->noption, 2);
    assert_string_equal(n->option[1].name, "vi.friction");
    assert_string_equal(n->option[1].value, "disc");
    dp_problem_destroy(file);

    static char text[MOST_TEXT];
    read_text(text, SCRATCH);
    assert_memory_equal(text, "dashpot-problem 1\n# step 12\n# of a scene\nlaw compliant\n", 52);
}

static void a_problem_of_nothing_can_be_written_and_read(void **state)
{
    (void)state;
    const dp_step_problem nothing = {.h = 0.25};
    save(&nothing, NULL, NULL, NULL);
    dp_problem_file *file = load(SCRATCH);
    assert_true(dp_problem_of(file)->h == 0.25);
    assert_int_equal(dp_problem_of(file)->nv, 0);
    assert_int_equal(dp_problem_of(file)->nblock, 0);
    dp_problem_destroy(file);
}

// ---- the example of the documentation

// A fenced text of docs/problem-file.md, the first or the second.
static const char *fenced(int number)
{
    static char page[MOST_TEXT];
    read_text(page, DP_SOURCE "/docs/problem-file.md");
    char *begin = page;
    for (int k = 0; k < 2 * number + 1; ++k) {
        begin = strstr(begin, "```\n");
        assert_non_null(begin);
        begin += 4;
    }
    char *end = strstr(begin, "```");
    assert_non_null(end);
    *end = '\0';
    return begin;
}

static const char *example(void)
{
    return fenced(0);
}

static void the_example_with_friction_is_a_solved_problem(void **state)
{
    (void)state;
    const char *text = fenced(1);
    dp_problem_file *file;
    if (dp_problem_parse(&file, text, strlen(text), "example", NULL) != DP_OK) {
        fail_msg("%s", dp_last_error());
    }
    const dp_step_problem *p = dp_problem_of(file);
    assert_int_equal(p->nfriction, 1);
    assert_int_equal(p->friction_of[0], 0);
    assert_int_equal(dp_problem_solution(file)->state[2], DP_ROW_STATE_SLIP);
    dp_certificate c;
    double scratch[3];
    dp_problem_certify(&c, p, dp_problem_solution(file), scratch);
    assert_near(c.momentum, 0.0, 0.0);
    assert_near(c.normal_law, 0.0, 0.0);
    assert_near(c.cone, 0.0, 0.0);
    assert_near(c.friction_power, 0.0, 0.0); // it brakes
    dp_problem_destroy(file);
}

static void the_example_of_the_documentation_is_a_solved_problem(void **state)
{
    (void)state;
    const char *text = example();
    dp_problem_file *file;
    if (dp_problem_parse(&file, text, strlen(text), "example", NULL) != DP_OK) {
        fail_msg("%s", dp_last_error());
    }
    const dp_step_problem *p = dp_problem_of(file);
    assert_int_equal(p->nv, 2);
    assert_true(p->row[0].k == INF && p->row[0].hi == INF && p->row[0].phi == 0.05);
    assert_int_equal(p->id[0], 0x2a);
    assert_string_equal(dp_problem_notes_of(file)->option[0].value, "1e-9");
    dp_certificate c;
    double scratch[2];
    dp_problem_certify(&c, p, dp_problem_solution(file), scratch);
    assert_near(c.momentum, 0.0, 0.0);
    assert_near(c.normal_law, 0.0, 1e-16); // 0.05/0.1 is rounded
    dp_problem_destroy(file);
}

// ---- what is wrong

// An example with one piece of text replaced by another.
static void refuse_in(int number, const char *from, const char *to, const char *expected)
{
    static char text[MOST_TEXT];
    const char *original = fenced(number), *at = strstr(original, from);
    if (!at) {
        fail_msg("the example has no '%s'", from);
        return;
    }
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - original), original, to, at + strlen(from));
    dp_problem_file *file = (dp_problem_file *)1;
    const dp_status status = dp_problem_parse(&file, text, strlen(text), "in.txt", NULL);
    if (status != DP_ERROR_PARSE) {
        fail_msg("'%s' → '%s': %s", from, to, dp_status_name(status));
    }
    assert_null(file);
    if (strncmp(dp_last_error(), expected, strlen(expected)) != 0) {
        fail_msg("found '%s', expected '%s'", dp_last_error(), expected);
    }
}

static void refuse(const char *from, const char *to, const char *expected)
{
    refuse_in(0, from, to, expected);
}

static void friction_that_is_wrong_is_told_by_file_and_line(void **state)
{
    (void)state;
    refuse_in(1, "mu 2 0.5 0.5", "mu 2 0.5 -0.5", "in.txt:26: friction[0].mu[1] is -0.5 (expected");
    refuse_in(1, "mu 2 0.5 0.5", "mu 2 inf 0.5", "in.txt:26: friction[0].mu[0] is inf (expected");
    refuse_in(1, "mu 2 0.5 0.5", "mu 2 nan 0.5", "in.txt:26: found 'nan' (expected a number");
    refuse_in(1, "mu 2 0.5 0.5", "mu 1 0.5", "in.txt:26: found 1 values of mu (expected 2, two");
    refuse_in(1, "mu 2 0.5 0.5", "nu 2 0.5 0.5", "in.txt:26: found 'nu' (expected block, mu,");
    refuse_in(1, "torsion 1 0", "torsion 1 -1", "in.txt:27: friction[0].torsion is -1 (expected 0");
    refuse_in(1, "torsion 1 0\n", "", "in.txt:24: section friction has no torsion (expected one)");
    refuse_in(1, "roll 2 0 0", "roll 2 0 -2", "in.txt:28: friction[0].roll[1] is -2 (expected 0");
    refuse_in(1, "roll 2 0 0", "roll 3 0 0 0",
              "in.txt:28: found 3 values of roll (expected 2, two");
    refuse_in(1, "block 1 0", "block 1 1",
              "in.txt:25: block[0] is 1 (expected a block from 0 to 0");
    refuse_in(1, "block 1 0", "block 1 -1", "in.txt:25: block[0] is -1 (expected a block from 0");
    refuse_in(1, "block 1 0", "block 1 0.5", "in.txt:25: found '0.5' (expected a whole number)");
    refuse_in(1, "lo 3 0 -inf", "lo 3 0 -1", "in.txt:20: row[1].lo is -1 (expected");
    refuse_in(1, "lo 3 0 -inf", "lo 3 -inf -inf", "in.txt:20: row[0].lo is -inf (expected");
    refuse_in(1, "friction\n", "friction\nfriction\n",
              "in.txt:25: found section friction again (expected it once, as");
    refuse_in(1, "active slip slip", "active slip slide",
              "in.txt:33: found 'slide' (expected open");
}

static void what_is_wrong_is_told_by_file_and_line(void **state)
{
    (void)state;
    refuse("dashpot-problem 1", "dashpot 1", "in.txt:1: found 'dashpot' (expected dashpot-problem");
    refuse("dashpot-problem 1", "dashpot-problem 2", "in.txt:1: found '2' (expected version 1)");
    refuse("dashpot-problem 1", "dashpot-problem 1 x", "in.txt:1: found 'x' (expected the end");
    refuse("law compliant", "law", "in.txt:3: found the end of the line (expected the name of a");
    refuse("law compliant", "law a\tb\x15", "in.txt:3: found 'b");
    refuse("law compliant", "law b\x15",
           "in.txt:3: found 'b\\x15' (expected no control characters)");
    refuse("law compliant", "law a\nlaw b", "in.txt:4: found law again (expected it once)");
    refuse("option law.tolerance 1e-9", "option law.tolerance",
           "in.txt:4: found the end of the line");
    refuse("problem\nh", "h", "in.txt:6: found 'h' (expected problem, law or option)");
    refuse("parent 2 -1 -1", "parents 2 -1 -1",
           "in.txt:9: found 'parents' (expected h, tree_start, parent, Mt, v0");
    refuse("parent 2 -1 -1", "", "in.txt:6: section problem has no parent (expected one)");
    refuse("v0 2 -3 1", "v0 2 -3 1\nv0 2 -3 1",
           "in.txt:12: found v0 again (expected it once, as in line 11)");
    refuse("warm\n", "problem\n", "in.txt:27: found section problem again (expected it once, as");
    refuse("v0 2 -3 1", "v0 3 -3 1.5",
           "in.txt:11: found the end of the line (expected a number or");
    refuse("v0 2 -3 1", "v0 1 -3 1", "in.txt:11: found '1' (expected the end of the line)");
    refuse("v0 2 -3 1", "v0 1 -3", "in.txt:11: found 1 values of v0 (expected 2, as v_free has)");
    refuse("v0 2 -3 1", "v0 -2 -3 1", "in.txt:11: found '-2' (expected how many values follow)");
    refuse("v0 2 -3 1", "v0 2.5 -3 1", "in.txt:11: found '2.5' (expected how many values follow)");
    refuse("v0 2 -3 1", "v0", "in.txt:11: found the end of the line (expected how many values");
    refuse("v0 2 -3 1", "v0 2 -3 nan", "in.txt:11: found 'nan' (expected a number or inf)");
    refuse("v0 2 -3 1", "v0 2 -3 0x1", "in.txt:11: found '0x1' (expected a number or inf)");
    refuse("v0 2 -3 1", "v0 2 -3 1,5", "in.txt:11: found '1,5' (expected a number or inf)");
    refuse("v0 2 -3 1", "v0 2 -3 1e999", "in.txt:11: found '1e999' (expected a number or inf)");
    refuse("v0 2 -3 1", "v0 2 -3 inf", "in.txt:11: v0[1] is inf (expected a finite number)");
    refuse("v0 2 -3 1", "v0 2000000000 -3 1", "in.txt:11: found less than 2000000000 values of v0");
    refuse("parent 2 -1 -1", "parent 2 -1 0",
           "in.txt:9: parent[1] is 0 (expected -1, or one befor");
    refuse("parent 2 -1 -1", "parent 2 -1 1.", "in.txt:9: found '1.' (expected a whole number)");
    refuse("parent 2 -1 -1", "parent 2 -1 3000000000",
           "in.txt:9: found '3000000000' (expected a w");
    refuse("Mt 2 2 1", "Mt 3 2 1 1", "in.txt:10: found 3 values of Mt (expected 2, as the parents");
    refuse("Mt 2 2 1", "Mt 2 -2 1",
           "in.txt:10: Mt is not positive definite (found the pivot -2 at");
    refuse("h 1 0.1", "h 1 0", "in.txt:7: h is 0 (expected a step above 0)");
    refuse("h 1 0.1", "h 2 0.1 0.1", "in.txt:7: found 2 values of h (expected 1, the step)");
    refuse("id 1 2a", "id 1 2g", "in.txt:14: found '2g' (expected up to 16 hexadecimal digits)");
    refuse("id 1 2a", "id 1 12345678901234567",
           "in.txt:14: found '12345678901234567' (expected up");
    refuse("col 1 0", "col 1 2", "in.txt:16: col[0] is 2 (expected a velocity from 0 to 1");
    refuse("col 1 0", "col 2 0 1", "in.txt:16: found 2 values of col (expected 1, as col_start");
    refuse("col_start 2 0 1", "col_start 2 0 -1", "in.txt:15: col_start[1] is -1 (expected 0 or");
    refuse("row_start 2 0 1", "row_start 0", "in.txt:13: found 0 values of row_start (expected 1");
    refuse("row_start 2 0 1", "row_start 2 0 2", "in.txt:13: row_start[1] is 2 (expected 1");
    refuse("G 1 1", "G 2 1 1", "in.txt:17: found 2 values of G (expected 1, as the rows and colum");
    refuse("k 1 inf", "k 1 -1", "in.txt:20: row[0].k is -1 (expected 0 or more)");
    refuse("k 1 inf", "k 1 0", "in.txt:20: row[0].k is 0 and b is 0 (expected one of them to hold");
    refuse("len 1 1", "len 1 0", "in.txt:25: row[0].len is 0 (expected a length above 0)");
    refuse("len 1 1", "len 2 1 1", "in.txt:25: found 2 values of len (expected 1, as phi has)");
    refuse("gamma 1 4.5", "gamma 1 inf", "in.txt:30: gamma[0] is inf (expected a finite number)");
    refuse("gamma 1 4.5", "gamma 2 4.5 1", "in.txt:30: found 2 values of gamma (expected 1, as ro");
    refuse("gamma 1 4.5", "", "in.txt:27: section warm has no gamma (expected one)");
    refuse("state 1 active", "state 1 shut", "in.txt:35: found 'shut' (expected open, active, lo");
    refuse("gamma 1 5", "gamma 2 5 5", "in.txt:34: found 2 values of gamma (expected 1, as phi");
}

static void text_that_is_no_problem_at_all_is_refused(void **state)
{
    (void)state;
    dp_problem_file *file;
    assert_int_equal(dp_problem_parse(&file, "", 0, "empty", NULL), DP_ERROR_PARSE);
    assert_string_equal(dp_last_error(), "empty:1: found the end of the line (expected "
                                         "dashpot-problem 1)");
    assert_int_equal(dp_problem_parse(&file, "dashpot-problem 1", 17, "short", NULL),
                     DP_ERROR_PARSE);
    assert_string_equal(dp_last_error(), "short:1: found no section problem (expected one)");
    assert_int_equal(dp_problem_parse(&file, "dashpot-problem 1\nlaw a\0b\n", 25, "zero", NULL),
                     DP_ERROR_PARSE);
    assert_string_equal(dp_last_error(), "zero:2: found a byte 0 (expected text)");
    assert_int_equal(dp_problem_load(&file, DP_SCRATCH "/no_such_problem", NULL), DP_ERROR_IO);
    assert_null(file);
}

static void line_ends_of_other_systems_are_read(void **state)
{
    (void)state;
    static char text[MOST_TEXT];
    size_t n = 0;
    for (const char *c = example(); *c != '\0'; ++c) {
        if (*c == '\n') {
            text[n++] = '\r';
        }
        text[n++] = *c;
    }
    dp_problem_file *file;
    if (dp_problem_parse(&file, text, n, "dos", NULL) != DP_OK) {
        fail_msg("%s", dp_last_error());
    }
    dp_problem_destroy(file);
}

// ---- writing

static void words_that_a_line_cannot_hold_are_refused(void **state)
{
    (void)state;
    made_problem m;
    make_particle(&m, 1.0, 0.0);
    remove(SCRATCH);
    assert_int_equal(
        dp_problem_save(SCRATCH, &m.p, NULL, NULL, &(dp_problem_notes){.law = "two words"}),
        DP_ERROR_ARGUMENT);
    const dp_problem_option option = {"tolerance", "1\n2"};
    assert_int_equal(dp_problem_save(SCRATCH, &m.p, NULL, NULL,
                                     &(dp_problem_notes){.option = &option, .noption = 1}),
                     DP_ERROR_ARGUMENT);
    double x = 0.0;
    uint8_t bad = 9;
    assert_int_equal(dp_problem_save(SCRATCH, &m.p, NULL, &(dp_step_solution){&x, &x, &bad}, NULL),
                     DP_ERROR_ARGUMENT);
    assert_false(exists(SCRATCH));
}

// A problem with numbers that no law takes is worth looking at: it is written, and not read.
static void a_problem_that_is_not_finite_is_written_for_the_reader(void **state)
{
    (void)state;
    made_problem m;
    make_particle(&m, 1.0, NAN);
    save(&m.p, NULL, NULL, NULL);
    dp_problem_file *file;
    assert_int_equal(dp_problem_load(&file, SCRATCH, NULL), DP_ERROR_PARSE);
    assert_non_null(strstr(dp_last_error(), "problem_file.txt:8: found 'nan'"));
}

static void a_folder_that_is_missing_is_told(void **state)
{
    (void)state;
    made_problem m;
    make_particle(&m, 1.0, 0.0);
    assert_int_equal(dp_problem_save(DP_SCRATCH "/no/such/folder", &m.p, NULL, NULL, NULL),
                     DP_ERROR_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_problem_comes_back_bit_for_bit),
        cmocka_unit_test(contacts_with_laws_of_their_own_come_back),
        cmocka_unit_test(every_double_comes_back_bit_for_bit),
        cmocka_unit_test(friction_comes_back_bit_for_bit),
        cmocka_unit_test(a_locale_with_a_decimal_comma_changes_nothing),
        cmocka_unit_test(warm_start_solution_and_notes_come_back),
        cmocka_unit_test(a_problem_of_nothing_can_be_written_and_read),
        cmocka_unit_test(the_example_of_the_documentation_is_a_solved_problem),
        cmocka_unit_test(the_example_with_friction_is_a_solved_problem),
        cmocka_unit_test(friction_that_is_wrong_is_told_by_file_and_line),
        cmocka_unit_test(what_is_wrong_is_told_by_file_and_line),
        cmocka_unit_test(text_that_is_no_problem_at_all_is_refused),
        cmocka_unit_test(line_ends_of_other_systems_are_read),
        cmocka_unit_test(words_that_a_line_cannot_hold_are_refused),
        cmocka_unit_test(a_problem_that_is_not_finite_is_written_for_the_reader),
        cmocka_unit_test(a_folder_that_is_missing_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
