// A parsed expression: a program for a small stack machine. expression_parse.c writes it,
// expression_eval.c runs it, expression_names.c knows the words.
#ifndef DP_MATH_EXPRESSION_H
#define DP_MATH_EXPRESSION_H

#include "base/memory.h"

#include "math/jet.h"

#include <dashpot/expression.h>

/// What an instruction does. From DP_OP_NEGATIVE on: takes its arguments from the stack, leaves one
/// result.
typedef enum dp_op {
    DP_OP_NUMBER, // push number[operand]
    DP_OP_TIME,   // push t
    DP_OP_JUMP,   // go on at operand
    DP_OP_BRANCH, // pop; go on at operand if it was 0
    DP_OP_AND,    // if the top is 0: go on at operand; else pop
    DP_OP_OR,     // if the top is not 0: make it 1, go on at operand; else pop
    DP_OP_TABLE,  // the top becomes table(top), with `count` knots at number[operand]
    DP_OP_NEGATIVE,
    DP_OP_TRUTH, // 0 stays 0, all else becomes 1
    DP_OP_NOT,
    DP_OP_ADD,
    DP_OP_SUBTRACT,
    DP_OP_MULTIPLY,
    DP_OP_DIVIDE,
    DP_OP_POWER,
    DP_OP_LESS,
    DP_OP_LESS_EQUAL,
    DP_OP_GREATER,
    DP_OP_GREATER_EQUAL,
    DP_OP_EQUAL,
    DP_OP_NOT_EQUAL,
    DP_OP_SIN,
    DP_OP_COS,
    DP_OP_TAN,
    DP_OP_ASIN,
    DP_OP_ACOS,
    DP_OP_ATAN,
    DP_OP_ATAN2,
    DP_OP_EXP,
    DP_OP_LOG,
    DP_OP_SQRT,
    DP_OP_ABS,
    DP_OP_MIN,
    DP_OP_MAX,
    DP_OP_FLOOR,
    DP_OP_CEIL,
    DP_OP_MOD,
    DP_OP_SIGN,
    DP_OP_HYPOT,
    DP_OP_CLAMP,
    DP_OP_STEP,
    DP_OP_RAMP,
    DP_OP_SMOOTH,
    DP_OP_PULSE,
} dp_op;

typedef struct dp_instruction {
    uint8_t op; // a dp_op
    int column; // where it was written, from 1
    int operand;
    int count;
} dp_instruction;

enum { DP_EXPRESSION_STACK = 64 }; // values that wait for an operator at once

struct dp_expression {
    dp_allocator allocator;
    char *text;
    size_t text_bytes;
    dp_instruction *code;
    size_t ncode, code_capacity;
    double *number;
    size_t nnumber, number_capacity;
};

/// Run the instructions from `first` to the end; what they leave on the stack goes to *out. Order:
/// 0 the value alone, 1 the rate too, 2 the acceleration too; nothing beyond it can fail.
dp_status dp_expression_run(dp_jet *out, const dp_expression *e, size_t first, double t, int order);

/// Put the text and the column in front of the message of a failure.
dp_status dp_expression_fail(dp_status status, const char *text, int column);

/// A function: how it is called and what it becomes.
typedef struct dp_function {
    const char *name;
    dp_op op;
    int least, most;   // number of arguments; most −1: any
    const char *usage; // "atan2(y, x)"
} dp_function;

/// The function of that name, NULL when there is none.
const dp_function *dp_function_find(const char *name, size_t length);
/// The function that an instruction came from; an operator has least = 1 (prefix) or 2 (infix) and
/// no usage.
const dp_function *dp_function_of(dp_op op);
/// Record the failure for a word that means nothing, with the word that was probably meant.
dp_status dp_expression_fail_name(const char *name, size_t length);

#endif
