// The words of the language, and what people write instead of them.
#include "math/expression.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static const dp_function function[] = {
    {"sin", DP_OP_SIN, 1, 1, "sin(x)"},
    {"cos", DP_OP_COS, 1, 1, "cos(x)"},
    {"tan", DP_OP_TAN, 1, 1, "tan(x)"},
    {"asin", DP_OP_ASIN, 1, 1, "asin(x)"},
    {"acos", DP_OP_ACOS, 1, 1, "acos(x)"},
    {"atan", DP_OP_ATAN, 1, 1, "atan(x)"},
    {"atan2", DP_OP_ATAN2, 2, 2, "atan2(y, x)"},
    {"exp", DP_OP_EXP, 1, 1, "exp(x)"},
    {"log", DP_OP_LOG, 1, 1, "log(x)"},
    {"sqrt", DP_OP_SQRT, 1, 1, "sqrt(x)"},
    {"pow", DP_OP_POWER, 2, 2, "pow(x, y)"},
    {"hypot", DP_OP_HYPOT, 2, 2, "hypot(x, y)"},
    {"abs", DP_OP_ABS, 1, 1, "abs(x)"},
    {"sign", DP_OP_SIGN, 1, 1, "sign(x)"},
    {"min", DP_OP_MIN, 2, -1, "min(x, y, ...)"},
    {"max", DP_OP_MAX, 2, -1, "max(x, y, ...)"},
    {"clamp", DP_OP_CLAMP, 3, 3, "clamp(x, low, high)"},
    {"floor", DP_OP_FLOOR, 1, 1, "floor(x)"},
    {"ceil", DP_OP_CEIL, 1, 1, "ceil(x)"},
    {"mod", DP_OP_MOD, 2, 2, "mod(x, y)"},
    {"step", DP_OP_STEP, 2, 2, "step(t, t0)"},
    {"ramp", DP_OP_RAMP, 3, 3, "ramp(t, t0, t1)"},
    {"smooth", DP_OP_SMOOTH, 3, 3, "smooth(t, t0, t1)"},
    {"pulse", DP_OP_PULSE, 3, 3, "pulse(t, t0, t1)"},
    {"table", DP_OP_TABLE, 5, -1, "table(t, t0, v0, t1, v1, ...)"},
    {"if", DP_OP_BRANCH, 3, 3, "if(condition, then, else)"},
};
enum { FUNCTIONS = sizeof function / sizeof function[0] };

static const dp_function operation[] = {
    {"-", DP_OP_NEGATIVE, 1, 1, NULL},    {"not ", DP_OP_NOT, 1, 1, NULL},
    {"+", DP_OP_ADD, 2, 2, NULL},         {"-", DP_OP_SUBTRACT, 2, 2, NULL},
    {"*", DP_OP_MULTIPLY, 2, 2, NULL},    {"/", DP_OP_DIVIDE, 2, 2, NULL},
    {"^", DP_OP_POWER, 2, 2, NULL},       {"<", DP_OP_LESS, 2, 2, NULL},
    {"<=", DP_OP_LESS_EQUAL, 2, 2, NULL}, {">", DP_OP_GREATER, 2, 2, NULL},
    {"==", DP_OP_EQUAL, 2, 2, NULL},      {">=", DP_OP_GREATER_EQUAL, 2, 2, NULL},
    {"!=", DP_OP_NOT_EQUAL, 2, 2, NULL},  {"truth", DP_OP_TRUTH, 1, 1, NULL},
};
enum { OPERATIONS = sizeof operation / sizeof operation[0] };

static const char *const other_word[] = {"t", "pi", "e", "and", "or", "not"};
enum { OTHER_WORDS = sizeof other_word / sizeof other_word[0] };

// What other languages call it.
static const char *const synonym[][2] = {
    {"ln", "log"},         {"time", "t"},       {"arcsin", "asin"},  {"arccos", "acos"},
    {"arctan", "atan"},    {"sgn", "sign"},     {"fabs", "abs"},     {"fmod", "mod"},
    {"heaviside", "step"}, {"ceiling", "ceil"}, {"interp", "table"}, {"smoothstep", "smooth"},
};
enum { SYNONYMS = sizeof synonym / sizeof synonym[0] };

static bool same(const char *word, const char *name, size_t length)
{
    return strlen(word) == length && memcmp(word, name, length) == 0;
}

const dp_function *dp_function_find(const char *name, size_t length)
{
    for (int i = 0; i < FUNCTIONS; ++i) {
        if (same(function[i].name, name, length)) {
            return &function[i];
        }
    }
    return NULL;
}

const dp_function *dp_function_of(dp_op op)
{
    for (int i = 0; i < OPERATIONS; ++i) { // operators first: pow is reported as ^
        if (operation[i].op == op) {
            return &operation[i];
        }
    }
    for (int i = 0; i < FUNCTIONS; ++i) {
        if (function[i].op == op) {
            return &function[i];
        }
    }
    return NULL;
}

enum { LONGEST_WORD = 15 };

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

// How many letters must be inserted, deleted or replaced to turn a into b, whatever their case.
static int edit_distance(const char *a, size_t na, const char *b)
{
    const size_t nb = strlen(b);
    int row[LONGEST_WORD + 1];
    DP_ASSERT(nb <= LONGEST_WORD);
    for (size_t j = 0; j <= nb; ++j) {
        row[j] = (int)j;
    }
    for (size_t i = 1; i <= na; ++i) {
        int diagonal = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= nb; ++j) {
            int best = diagonal + (lower(a[i - 1]) != lower(b[j - 1]));
            best = row[j] + 1 < best ? row[j] + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[nb];
}

static const char *probably_meant(const char *name, size_t length)
{
    for (int i = 0; i < SYNONYMS; ++i) {
        if (same(synonym[i][0], name, length)) {
            return synonym[i][1];
        }
    }
    const char *nearest = NULL;
    int least = INT_MAX;
    for (int i = 0; i < FUNCTIONS + OTHER_WORDS && length <= LONGEST_WORD; ++i) {
        const char *word = i < FUNCTIONS ? function[i].name : other_word[i - FUNCTIONS];
        const int distance = edit_distance(name, length, word);
        if (distance < least) {
            least = distance;
            nearest = word;
        }
    }
    return nearest && 2 * (size_t)least <= length ? nearest : NULL; // half the letters are right
}

dp_status dp_expression_fail_name(const char *name, size_t length)
{
    const int shown = length < 40 ? (int)length : 40;
    const char *word = probably_meant(name, length);
    if (word) {
        return dp_fail(DP_ERROR_PARSE, "unknown name '%.*s' (did you mean '%s'?)", shown, name,
                       word);
    }
    char list[256] = "t, pi, e";
    size_t used = strlen(list);
    for (int i = 0; i < FUNCTIONS; ++i) {
        used += (size_t)snprintf(list + used, sizeof list - used, ", %s", function[i].name);
        DP_ASSERT(used < sizeof list);
    }
    return dp_fail(DP_ERROR_PARSE, "unknown name '%.*s' (expected one of %s)", shown, name, list);
}
