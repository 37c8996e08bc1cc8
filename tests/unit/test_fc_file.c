// Friction-contact problems in the files of Siconos and FCLIB: every bit comes back, and what is
// wrong is reported by file and line.
#include "fc_draw.h"
#include "text_file.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#define TEXT DP_SCRATCH "/fc_file.dat"
#define AGAIN DP_SCRATCH "/fc_file_again.dat"
#define HDF5 DP_SCRATCH "/fc_file.hdf5"

static void assert_same_numbers(const double *a, const double *b, size_t n)
{
    if (n > 0) {
        assert_memory_equal(a, b, n * sizeof *a);
    }
}

// Blocks hold zeros that were not there.
static double element(const dp_sparse *A, int i, int j)
{
    for (int k = A->start[j]; k < A->start[j + 1]; ++k) {
        if (A->row[k] == i) {
            return A->value[k];
        }
    }
    return 0.0;
}

static void assert_same_matrix(const dp_sparse *a, const dp_sparse *b)
{
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(a->columns, b->columns);
    for (int j = 0; j < a->columns; ++j) {
        for (int i = 0; i < a->rows; ++i) {
            const double x = element(a, i, j), y = element(b, i, j);
            assert_memory_equal(&x, &y, sizeof x);
        }
    }
}

static void assert_same(const dp_fc *a, const dp_fc *b)
{
    assert_int_equal(a->form, b->form);
    assert_int_equal(a->dimension, b->dimension);
    assert_int_equal(a->nc, b->nc);
    assert_int_equal(a->nl, b->nl);
    const size_t n = (size_t)a->dimension * (size_t)a->nc, nl = (size_t)a->nl;
    assert_same_numbers(a->mu, b->mu, (size_t)a->nc);
    if (a->form == DP_FC_FORM_LOCAL) {
        assert_same_matrix(&a->W, &b->W);
        assert_same_numbers(a->q, b->q, n);
        if (nl > 0) {
            assert_same_matrix(&a->V, &b->V);
            assert_same_matrix(&a->R, &b->R);
            assert_same_numbers(a->s, b->s, nl);
        }
        return;
    }
    assert_same_matrix(&a->M, &b->M);
    assert_same_matrix(&a->H, &b->H);
    assert_same_numbers(a->f, b->f, (size_t)a->M.rows);
    assert_same_numbers(a->w, b->w, n);
    if (nl > 0) {
        assert_same_matrix(&a->G, &b->G);
        assert_same_numbers(a->b, b->b, nl);
    }
}

static const double odd[] = {DBL_MAX, -DBL_MAX, 5e-324, 1.0 / 3.0, -0x1.fffffffffffffp-3, 1e22};

static drawn_fc draw(uint64_t seed)
{
    drawn_fc x = fc_network(3, 7, 1.0, 0.3, seed);
    for (size_t k = 0; k < sizeof odd / sizeof *odd; ++k) {
        x.w[k] = odd[k];
        x.H_value[3 * k] = odd[(k + seed) % 6];
    }
    return x;
}

static void the_text_of_siconos_comes_back_bit_for_bit(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; ++seed) {
        drawn_fc x = draw(seed), plain = fc_network(3, 7, 1.0, 0.3, seed);
        dp_fc_file *local, *file;
        assert_int_equal(dp_fc_localise(&local, &plain.p, NULL), DP_OK);
        const dp_fc *p[] = {&x.p, dp_fc_of(local)};
        for (int k = 0; k < 2; ++k) {
            assert_int_equal(dp_fc_save(TEXT, p[k]), DP_OK);
            assert_int_equal(dp_fc_load(&file, TEXT, NULL), DP_OK);
            assert_same(dp_fc_of(file), p[k]);
            assert_null(dp_fc_stored(file));
            assert_int_equal(dp_fc_save(AGAIN, dp_fc_of(file)), DP_OK);
            static char one[MOST_TEXT], two[MOST_TEXT];
            read_text(one, TEXT);
            read_text(two, AGAIN);
            assert_string_equal(one, two);
            dp_fc_destroy(file);
        }
        dp_fc_destroy(local);
        fc_free(&x);
        fc_free(&plain);
    }
}

static void the_files_of_fclib_come_back_bit_for_bit(void **state)
{
    (void)state;
    if (!dp_fc_has_hdf5()) {
        skip();
    }
    for (uint64_t seed = 0; seed < 8; ++seed) {
        drawn_fc x = draw(seed), plain = fc_network(3, 7, 1.0, 0.3, seed);
        const int start[3] = {0, 1, 2}, row[2] = {1, 4};
        x.p.nl = 2;
        x.p.G = (dp_sparse){18, 2, start, row, odd};
        x.p.b = odd + 2;
        dp_fc_file *made, *file;
        assert_int_equal(dp_fc_localise(&made, &plain.p, NULL), DP_OK);
        dp_fc local = *dp_fc_of(made);
        const int across[3] = {0, 1, 2}, first[2] = {0, 1};
        local.nl = 2;
        local.V = (dp_sparse){21, 2, start, row, odd};
        local.R = (dp_sparse){2, 2, across, first, odd + 1};
        local.s = odd + 3;
        const dp_fc *p[] = {&x.p, &local, dp_fc_of(made)};
        double r[21], u[21];
        for (int i = 0; i < 21; ++i) {
            r[i] = odd[i % 6];
            u[i] = i;
        }
        for (int k = 0; k < 3; ++k) {
            const dp_fc_solution solution = {.r = r, .u = u};
            assert_int_equal(dp_fc_save_hdf5(HDF5, p[k], k > 0 ? &solution : NULL, "a title"),
                             DP_OK);
            assert_int_equal(dp_fc_load(&file, HDF5, NULL), DP_OK);
            assert_same(dp_fc_of(file), p[k]);
            assert_string_equal(dp_fc_title(file), "a title");
            assert_true((dp_fc_stored(file) != NULL) == (k > 0));
            if (k > 0) {
                assert_same_numbers(dp_fc_stored(file), r, 21);
            }
            dp_fc_destroy(file);
        }
        dp_fc_destroy(made);
        fc_free(&x);
        fc_free(&plain);
    }
}

static const dp_fc *parse(dp_fc_file **file, const char *text)
{
    if (dp_fc_parse(file, text, strlen(text), "x.dat", NULL) != DP_OK) {
        fail_msg("%s", dp_last_error());
    }
    return dp_fc_of(*file);
}

// W of one contact by columns: 1 4 7 / 2 5 8 / 3 6 9.
static void all_storages_of_a_matrix_say_the_same(void **state)
{
    (void)state;
    static const char dense[] = "3\n1\n0\n3\n3\n3\t3\n1 2 3\n4 5 6\n7 8 9\n-1 2 3\n0.5\n";
    static const char blocks[] =
        "3\n1\n1\n3\n3\n1\n1\n1\n3\t\n3\t\n2\n1\n0\t1\t\n0\t\n0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n"
        "-1 2 3\n0.5\n1\n";
    static const char columns[] =
        "3\n1\n2\n3\n3\n2\nCSparse Version 3.1.9\n3-by-3, nzmax: 9 nnz: 9, 1-norm: 24\n"
        "    col 0 : locations 0 to 2\n 0 : 1\n 1 : 2\n 2 : 3\n"
        "    col 1 : locations 3 to 5\n 0 : 4\n 1 : 5\n 2 : 6\n"
        "    col 2 : locations 6 to 8\n 0 : 7\n 1 : 8\n 2 : 9\n-1 2 3\n0.5 remarks\n";
    static const char triplets[] =
        "3\n1\n2\n3\n3\n1\nCSparse Version 3.1.9\ntriplet: 3-by-3, nzmax: 10 nnz: 10\n"
        "2 2 : 4\n2 2 : 5\n0 0 : 1\n1 0 : 2\n2 0 : 3\n0 1 : 4\n1 1 : 5\n2 1 : 6\n0 2 : 7\n"
        "1 2 : 8\n-1 2 3\n0.5\n";
    static const char *const text[] = {dense, blocks, columns, triplets};
    for (size_t k = 0; k < sizeof text / sizeof *text; ++k) {
        dp_fc_file *file;
        const dp_fc *p = parse(&file, text[k]);
        assert_int_equal(p->form, DP_FC_FORM_LOCAL);
        assert_int_equal(dp_fc_format_of(text[k], strlen(text[k])), DP_FC_FORMAT_SICONOS);
        assert_false(dp_lcp_is_siconos(text[k], strlen(text[k])));
        for (int e = 0; e < 9; ++e) {
            assert_near(element(&p->W, e % 3, e / 3), e + 1.0, 0.0);
        }
        assert_near(p->q[2], 3.0, 0.0);
        assert_near(p->mu[0], 0.5, 0.0);
        dp_fc_destroy(file);
    }
}

// q and μ of whole numbers look like the head of a matrix.
static void whole_numbers_are_not_taken_for_a_matrix(void **state)
{
    (void)state;
    dp_fc_file *file;
    const dp_fc *p = parse(&file, "3\n1\n0\n3\n3\n3\t3\n1 0 0\n0 1 0\n0 0 1\n0 3 3\n3\n1\n");
    assert_int_equal(p->form, DP_FC_FORM_LOCAL);
    assert_near(p->q[1], 3.0, 0.0);
    dp_fc_destroy(file);
    p = parse(&file,
              "3\n1\n0\n3\n3\n3\t3\n1 0 0\n0 1 0\n0 0 1\n0\n3\n3\n3\t3\n1 0 0\n0 1 0\n0 0 1\n"
              "1 2 3\n4 5 6\n0.5\n");
    assert_int_equal(p->form, DP_FC_FORM_GLOBAL);
    assert_near(p->w[2], 6.0, 0.0);
    dp_fc_destroy(file);
}

// What a flag and remarks are, and what is not.
static void numbers_that_are_left_over_are_refused(void **state)
{
    (void)state;
#define W "3\n1\n0\n3\n3\n3 3\n1 0 0\n0 1 0\n0 0 1\n-1 2 3\n0.5\n"
    static const char *const fine[] = {W, W "0\n", W "1", W "remarks 1 2 3", W "0\n# 1 2 3\n"};
    static const char *const bad[] = {W "0.01\n", W "2\n", W "0 1\n", W "0 3\n0.3\n", W "-inf"};
#undef W
    for (size_t k = 0; k < sizeof fine / sizeof *fine; ++k) {
        dp_fc_file *file;
        (void)parse(&file, fine[k]);
        dp_fc_destroy(file);
    }
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        dp_fc_file *file;
        assert_int_equal(dp_fc_parse(&file, bad[k], strlen(bad[k]), "x.dat", NULL), DP_ERROR_PARSE);
        assert_null(file);
        assert_non_null(strstr(dp_last_error(), "behind the coefficients of friction"));
    }
    static const char relay[] = "2\n0\n2\n2\n2 2\n2 1\n0 3\n-5 -6\n-1 -inf\n1 inf\n";
    static const char mixed[] = "1\n1\n1\n1\n0 1 2\n0 1\n0\n2\n2\n2 2\n2 1\n0 3\n-5 -6\n";
    dp_lcp_file *lcp;
    assert_int_equal(dp_lcp_parse_siconos(&lcp, relay, strlen(relay), "x.dat", NULL),
                     DP_ERROR_PARSE);
    assert_non_null(strstr(dp_last_error(), "x.dat:9: found 4 numbers behind q: bounds"));
    assert_int_equal(dp_lcp_parse_siconos(&lcp, mixed, strlen(mixed), "x.dat", NULL),
                     DP_ERROR_PARSE);
    assert_non_null(strstr(dp_last_error(), "of 1 free and 1 complementary variables"));
}

static void complementarity_problems_of_siconos_come_back(void **state)
{
    (void)state;
    static const char dense[] = "2\n0\n2\n2\n2\t2\n 2 1 \n 0 3 \n -5 -6 \n# a remark\n";
    static const char blocks[] =
        "2\n1\n2\n2\n1\n1\n1\n2\t\n2\t\n2\n1\n0\t1\t\n0\t\n0\n2\n1\n0\n3\n-5 -6\n";
    static const char sparse[] =
        "2\n2\n2\n2\n2\nCSparse\n2-by-2, nzmax: 3 nnz: 3, 1-norm: 3\ncol 0 : locations 0 to 1\n"
        "0 : 2\n1 : 1\ncol 1 : locations 2 to 2\n1 : 3\n-5 -6\n";
    static const char *const text[] = {dense, blocks, sparse};
    for (size_t k = 0; k < sizeof text / sizeof *text; ++k) {
        assert_true(dp_lcp_is_siconos(text[k], strlen(text[k])));
        dp_lcp_file *file, *again;
        assert_int_equal(dp_lcp_parse_siconos(&file, text[k], strlen(text[k]), "x.dat", NULL),
                         DP_OK);
        const dp_lcp *p = dp_lcp_of(file);
        const double M[4] = {2.0, 0.0, 1.0, 3.0}; // by rows: files go by columns
        assert_same_numbers(p->M, M, 4);
        assert_near(p->q[1], -6.0, 0.0);
        assert_int_equal(dp_lcp_save_siconos(TEXT, p), DP_OK);
        static char saved[MOST_TEXT];
        read_text(saved, TEXT);
        assert_int_equal(dp_lcp_parse_siconos(&again, saved, strlen(saved), TEXT, NULL), DP_OK);
        assert_same_numbers(dp_lcp_of(again)->M, M, 4);
        assert_same_numbers(dp_lcp_of(again)->q, p->q, 2);
        dp_lcp_destroy(file);
        dp_lcp_destroy(again);
    }
    const double M = 1.0, q = -1.0, hi = 3.0;
    const dp_lcp box = {.n = 1, .M = &M, .q = &q, .hi = &hi};
    assert_int_equal(dp_lcp_save_siconos(TEXT, &box), DP_ERROR_UNSUPPORTED);
}

static void what_is_wrong_is_told_by_file_and_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"5\n1\n0\n", "x.dat:1: found '5' (expected 2 or 3 dimensions: friction without rolling)"},
        {"3\n-1\n", "x.dat:2: found '-1' (expected the number of contacts)"},
        {"3\n1\n7\n", "x.dat:3: found '7' (expected 0, 1 or 2: a dense, block or sparse matrix)"},
        {"3\n1\n0\n3\n4\n", "x.dat:5: found '4' (expected the number of columns)"},
        {"3\n1\n0\n3\n3\n3 3\n1 2 x", "x.dat:6: found a file too short for a dense matrix"},
        {"3\n1\n0\n3\n3\n3 3\n1 2 3\n1 2 y\n1 2 3\n1 2 3 1\n",
         "x.dat:8: found 'y' (expected a number of a dense matrix)"},
        {"3\n1\n0\n3\n3\n3 3\n1 0 0\n0 1 0\n0 0 1\n1 2 3\n-1\n",
         "x.dat:11: mu[0] is -1 (expected 0 or more)"},
        {"3\n1\n0\n3\n3\n3 3\n1 0 0\n0 1 0\n0 0 1\n1 2 3\n",
         "x.dat:11: found the end of the file (expected a coefficient of friction)"},
        {"3\n1\n1\n3\n3\n1\n1\n1\n3\n3\n2\n1\n0 1\n5\n",
         "x.dat:14: found '5' (expected a column of blocks)"},
        {"3\n1\n2\n3\n3\n2\nCSparse\n3-by-4, nzmax: 1 nnz: 1\n",
         "x.dat:8: found '3-by-4,' (expected ROWS-by-COLUMNS, as the matrix has)"},
        {"3\n1\n0\n3\n3\n3 3\n1 0 0\n0 1 0\n0 0 1e999\n1 2 3\n1\n",
         "x.dat:9: found '1e999' (expected a number of a dense matrix)"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        dp_fc_file *file;
        assert_int_equal(dp_fc_parse(&file, bad[k].text, strlen(bad[k].text), "x.dat", NULL),
                         DP_ERROR_PARSE);
        assert_null(file);
        if (strncmp(dp_last_error(), bad[k].message, strlen(bad[k].message)) != 0) {
            fail_msg("found '%s', expected '%s'", dp_last_error(), bad[k].message);
        }
    }
}

static void equations_have_no_place_in_the_text(void **state)
{
    (void)state;
    drawn_fc x = draw(1);
    const int start[2] = {0, 1}, row[1] = {1};
    x.p.nl = 1;
    x.p.G = (dp_sparse){18, 1, start, row, odd};
    x.p.b = odd + 2;
    assert_int_equal(dp_fc_save(TEXT, &x.p), DP_ERROR_UNSUPPORTED);
    assert_string_equal(dp_last_feature(), "equations");
    fc_free(&x);
}

// Bytes of HDF5 that are none, and a library without it.
static void damaged_hdf5_is_refused(void **state)
{
    (void)state;
    static const char bytes[] = "\x89HDF\r\n\x1a\nand then nothing of the kind";
    assert_int_equal(dp_fc_format_of(bytes, sizeof bytes), DP_FC_FORMAT_FCLIB);
    write_text(HDF5, bytes);
    dp_fc_file *file;
    const dp_status expected = dp_fc_has_hdf5() ? DP_ERROR_PARSE : DP_ERROR_UNSUPPORTED;
    assert_int_equal(dp_fc_load(&file, HDF5, NULL), expected);
    assert_null(file);
    assert_non_null(strstr(dp_last_error(), "fc_file.hdf5: found "));
    assert_int_equal(dp_fc_format_of("dashpot-problem 1\n", 18), DP_FC_FORMAT_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_text_of_siconos_comes_back_bit_for_bit),
        cmocka_unit_test(the_files_of_fclib_come_back_bit_for_bit),
        cmocka_unit_test(all_storages_of_a_matrix_say_the_same),
        cmocka_unit_test(whole_numbers_are_not_taken_for_a_matrix),
        cmocka_unit_test(numbers_that_are_left_over_are_refused),
        cmocka_unit_test(complementarity_problems_of_siconos_come_back),
        cmocka_unit_test(what_is_wrong_is_told_by_file_and_line),
        cmocka_unit_test(equations_have_no_place_in_the_text),
        cmocka_unit_test(damaged_hdf5_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
