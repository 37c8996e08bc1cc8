// Eight numbers at once, in two registers and in one: the bits of one number after the other.
#include "near.h"

#include "math/f32x8.h"

#include <math.h>
#include <string.h>

enum { N = 8, TRIALS = 1000 };

typedef struct operands {
    float a[N], b[N], c[N];
} operands;

// Of all sizes, with zeros of both signs, infinities and pairs that are equal.
static float draw(random_source *r)
{
    static const float special[] = {0.0F, -0.0F, 1.0F, -1.0F, INFINITY, -INFINITY};
    const uint64_t which = random_bits(r) % 24;
    return which < 6 ? special[which]
                     : (float)ldexp(random_between(r, -1.0, 1.0), (int)(random_bits(r) % 81) - 40);
}

static operands draw_operands(random_source *r)
{
    operands x;
    for (int k = 0; k < N; ++k) {
        x.a[k] = draw(r);
        x.b[k] = random_bits(r) % 8 ? draw(r) : x.a[k];
        x.c[k] = draw(r);
    }
    return x;
}

static bool same_bits(float x, float y)
{
    return memcmp(&x, &y, sizeof x) == 0 || (isnan(x) && isnan(y));
}

static void assert_alike(const float *actual, const float *expected, const char *what)
{
    for (int k = 0; k < N; ++k) {
        if (!same_bits(actual[k], expected[k])) {
            fail_msg("%s: number %d is %.9g, expected %.9g", what, k, (double)actual[k],
                     (double)expected[k]);
        }
    }
}

// Every operation on eight numbers, by one of both types. @param out one row for each
enum { ADD, SUB, MUL, DIV, MAX, MIN, SQRT, MADD, WHERE, RESULTS };

static const char *const named[RESULTS] = {"add", "sub",  "mul",  "div",  "max",
                                           "min", "sqrt", "madd", "where"};

static void one_by_one(float out[RESULTS][N], const operands *x)
{
    for (int k = 0; k < N; ++k) {
        const float a = x->a[k], b = x->b[k], c = x->c[k];
        out[ADD][k] = a + b;
        out[SUB][k] = a - b;
        out[MUL][k] = a * b;
        out[DIV][k] = a / b;
        out[MAX][k] = a > b ? a : b;
        out[MIN][k] = a < b ? a : b;
        out[SQRT][k] = sqrtf(a);
        const float product = b * c;
        out[MADD][k] = a + product;
        out[WHERE][k] = a <= b ? c : a;
    }
}

#define ALL_AT_ONCE(prefix, type)                                                                  \
    const type a = prefix##_load(x->a), b = prefix##_load(x->b), c = prefix##_load(x->c);          \
    prefix##_store(out[ADD], prefix##_add(a, b));                                                  \
    prefix##_store(out[SUB], prefix##_sub(a, b));                                                  \
    prefix##_store(out[MUL], prefix##_mul(a, b));                                                  \
    prefix##_store(out[DIV], prefix##_div(a, b));                                                  \
    prefix##_store(out[MAX], prefix##_max(a, b));                                                  \
    prefix##_store(out[MIN], prefix##_min(a, b));                                                  \
    prefix##_store(out[SQRT], prefix##_sqrt(a));                                                   \
    prefix##_store(out[MADD], prefix##_madd(a, b, c));                                             \
    prefix##_store(out[WHERE], prefix##_where(a, b, c, a));                                        \
    return prefix##_are_within(a, b);

static bool by_fours(float out[RESULTS][N], const operands *x)
{
    ALL_AT_ONCE(dp_f32x8, dp_f32x8)
}

// Numbers 0 … 5 of eight bodies from where they stand to columns, twice that, and back.
#define THERE_AND_BACK(prefix, type)                                                               \
    type z[6];                                                                                     \
    for (int i = 0; i < 4; ++i) {                                                                  \
        z[i] = prefix##_load_fours(from[i], from[i + 4]);                                          \
    }                                                                                              \
    z[4] = prefix##_load_twos(from[0] + 4, from[1] + 4, from[4] + 4, from[5] + 4);                 \
    z[5] = prefix##_load_twos(from[2] + 4, from[3] + 4, from[6] + 4, from[7] + 4);                 \
    prefix##_transpose(z);                                                                         \
    prefix##_split(z + 4);                                                                         \
    for (int i = 0; i < 6; ++i) {                                                                  \
        prefix##_store(column[i], z[i]);                                                           \
        z[i] = prefix##_mul(prefix##_all(2.0F), z[i]);                                             \
    }                                                                                              \
    prefix##_transpose(z);                                                                         \
    prefix##_join(z + 4);                                                                          \
    for (int i = 0; i < 4; ++i) {                                                                  \
        prefix##_store_fours(from[i], from[i + 4], z[i]);                                          \
    }                                                                                              \
    prefix##_store_twos(from[0] + 4, from[1] + 4, from[4] + 4, from[5] + 4, z[4]);                 \
    prefix##_store_twos(from[2] + 4, from[3] + 4, from[6] + 4, from[7] + 4, z[5]);

static void move_by_fours(float column[6][N], float from[N][6]){THERE_AND_BACK(dp_f32x8, dp_f32x8)}

#ifdef DP_AVX2
DP_AVX2
    static bool by_eights(float out[RESULTS][N], const operands *x){ALL_AT_ONCE(dp_wide, dp_wide)}

DP_AVX2 static void move_by_eights(float column[6][N], float from[N][6])
{
    THERE_AND_BACK(dp_wide, dp_wide)
}
#endif

typedef bool calculates(float out[RESULTS][N], const operands *x);
typedef void moves(float column[6][N], float from[N][6]);

static void assert_calculates(calculates *at_once)
{
    random_source r = {.state = 1};
    int within = 0;
    for (int trial = 0; trial < TRIALS; ++trial) {
        operands x = draw_operands(&r);
        if (trial % 2 == 0) { // else one of eight is above almost always
            for (int k = 0; k < N; ++k) {
                x.b[k] = trial % 4 == 0 || k != trial % N ? fmaxf(x.a[k], x.b[k]) : x.b[k];
            }
        }
        float expected[RESULTS][N], found[RESULTS][N];
        one_by_one(expected, &x);
        const bool are = at_once(found, &x);
        bool all = true;
        for (int k = 0; k < N; ++k) {
            all = all && x.a[k] <= x.b[k];
        }
        assert_int_equal(are, all);
        within += all;
        for (int i = 0; i < RESULTS; ++i) {
            assert_alike(found[i], expected[i], named[i]);
        }
    }
    assert_true(within > TRIALS / 8 && within < TRIALS - TRIALS / 8);
}

static void assert_moves(moves *at_once)
{
    float body[N][6], column[6][N];
    for (int i = 0; i < N; ++i) {
        for (int k = 0; k < 6; ++k) {
            body[i][k] = (float)(10 * i + k);
        }
    }
    at_once(column, body);
    for (int i = 0; i < N; ++i) {
        for (int k = 0; k < 6; ++k) {
            assert_true(column[k][i] == (float)(10 * i + k));
            assert_true(body[i][k] == (float)(2 * (10 * i + k)));
        }
    }
}

static void two_fours_have_the_bits_of_single_numbers(void **state)
{
    (void)state;
    assert_calculates(by_fours);
    assert_moves(move_by_fours);
}

static void one_register_of_eight_has_the_bits_of_single_numbers(void **state)
{
    (void)state;
#ifdef DP_AVX2
    if (dp_has_avx2()) {
        assert_calculates(by_eights);
        assert_moves(move_by_eights);
        return;
    }
#endif
    skip(); // there is none
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_fours_have_the_bits_of_single_numbers),
        cmocka_unit_test(one_register_of_eight_has_the_bits_of_single_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
