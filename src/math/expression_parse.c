// From text to a program, by precedence climbing:
//
//     expression := binary ['?' expression ':' expression]
//     binary     := prefix {operator binary}      or < and < not < comparison < + − < * / < sign <
//     ^ prefix     := ('-' | '+' | 'not') binary | value value      := number | t | pi | e |
//     function '(' expression {',' expression} ')'
//                 | '(' expression ')'
//
// Recursion is bounded by DP_EXPRESSION_NESTING, the stack of the program by DP_EXPRESSION_STACK,
// and both code and time are linear in the text.
#include "math/expression.h"

#include "base/text/decimal.h"
#include "math/angle.h"

#include <math.h>
#include <string.h>

// How tightly operators bind.
enum { LEVEL_OR = 1, LEVEL_AND, LEVEL_NOT, LEVEL_COMPARE, LEVEL_SUM, LEVEL_PRODUCT, LEVEL_POWER };

typedef struct binary_operator {
    const char *text;
    dp_op op;
    int level;
} binary_operator;

static const binary_operator binary[] = {
    {"or", DP_OP_OR, LEVEL_OR},           {"and", DP_OP_AND, LEVEL_AND},
    {"<", DP_OP_LESS, LEVEL_COMPARE},     {"<=", DP_OP_LESS_EQUAL, LEVEL_COMPARE},
    {">", DP_OP_GREATER, LEVEL_COMPARE},  {">=", DP_OP_GREATER_EQUAL, LEVEL_COMPARE},
    {"==", DP_OP_EQUAL, LEVEL_COMPARE},   {"!=", DP_OP_NOT_EQUAL, LEVEL_COMPARE},
    {"+", DP_OP_ADD, LEVEL_SUM},          {"-", DP_OP_SUBTRACT, LEVEL_SUM},
    {"*", DP_OP_MULTIPLY, LEVEL_PRODUCT}, {"/", DP_OP_DIVIDE, LEVEL_PRODUCT},
    {"^", DP_OP_POWER, LEVEL_POWER},
};
enum { BINARIES = sizeof binary / sizeof binary[0] };

typedef enum token_kind { TOKEN_END, TOKEN_NUMBER, TOKEN_NAME, TOKEN_SYMBOL } token_kind;

typedef struct parser {
    dp_expression *e;
    token_kind kind; // the next token, not used up yet
    const char *at;
    size_t length;
    double number;
    int nesting;
    int waiting; // values on the program's stack here
} parser;

static int column_of(const parser *p, const char *at)
{
    return (int)(at - p->e->text) + 1;
}

dp_status dp_expression_fail(dp_status status, const char *text, int column)
{
    enum { SHOWN = 60 };
    const char *more = strlen(text) > SHOWN ? "..." : "";
    if (column <= 0) {
        return dp_fail_context(status, "expression '%.*s%s': ", SHOWN, text, more);
    }
    return dp_fail_context(status, "expression '%.*s%s', column %d: ", SHOWN, text, more, column);
}

// After dp_fail: say where.
static dp_status fail_at(const parser *p, const char *at)
{
    return dp_expression_fail(DP_ERROR_PARSE, p->e->text, column_of(p, at));
}

// The next token is not what can stand here.
static dp_status fail_found(const parser *p, const char *expected)
{
    const int shown = p->length < 40 ? (int)p->length : 40;
    if (p->kind == TOKEN_END) {
        dp_fail(DP_ERROR_PARSE, "found the end (expected %s)", expected);
    } else {
        dp_fail(DP_ERROR_PARSE, "found '%.*s' (expected %s)", shown, p->at, expected);
    }
    return fail_at(p, p->at);
}

// ---- tokens

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static dp_status read_number(parser *p)
{
    const char *end = p->at;
    p->kind = TOKEN_NUMBER;
    if (!dp_decimal_read(&p->number, &end)) {
        while (is_digit(*end) || is_letter(*end) || *end == '.') {
            ++end;
        }
        const size_t n = (size_t)(end - p->at);
        dp_fail(DP_ERROR_PARSE, "malformed number '%.*s' (expected digits, with a digit behind e)",
                n < 40 ? (int)n : 40, p->at);
        return fail_at(p, p->at);
    }
    p->length = (size_t)(end - p->at);
    if (!isfinite(p->number)) {
        dp_fail(DP_ERROR_PARSE, "'%.*s' is too large (expected at most 1.8e308)",
                p->length < 40 ? (int)p->length : 40, p->at);
        return fail_at(p, p->at);
    }
    return DP_OK;
}

// Characters that mean something elsewhere.
static dp_status fail_character(const parser *p)
{
    const unsigned char c = (unsigned char)*p->at;
    const char *expected = c == '='               ? "'=='"
                           : c == '&'             ? "'and'"
                           : c == '|'             ? "'or'"
                           : c == '!'             ? "'not' or '!='"
                           : c == '%'             ? "mod(x, y)"
                           : c == '[' || c == '{' ? "'('"
                           : c == ']' || c == '}' ? "')'"
                           : c == ';'             ? "','"
                                                  : NULL;
    if (expected) {
        dp_fail(DP_ERROR_PARSE, "found '%c' (expected %s)", c, expected);
    } else if (c > ' ' && c < 0x7f) {
        dp_fail(DP_ERROR_PARSE, "found '%c' (expected a number, a name or an operator)", c);
    } else {
        dp_fail(DP_ERROR_PARSE,
                "found the byte 0x%02X (expected plain ASCII: numbers, names, operators)", c);
    }
    return fail_at(p, p->at);
}

// Use up the present token and look at the next.
static dp_status next_token(parser *p)
{
    const char *at = p->at + p->length;
    at += strspn(at, " \t\r\n");
    p->at = at;
    p->length = 1;
    if (*at == '\0') {
        p->kind = TOKEN_END;
        p->length = 0;
    } else if (is_digit(*at) || *at == '.') {
        return read_number(p);
    } else if (is_letter(*at)) {
        p->kind = TOKEN_NAME;
        while (is_letter(at[p->length]) || is_digit(at[p->length])) {
            ++p->length;
        }
    } else if (strchr("<>=!", *at) && at[1] == '=') {
        p->kind = TOKEN_SYMBOL;
        p->length = 2;
    } else if (strchr("+-*/^()<>,?:", *at)) {
        p->kind = TOKEN_SYMBOL;
    } else {
        return fail_character(p);
    }
    return DP_OK;
}

static bool is_token(const parser *p, const char *text)
{
    return (p->kind == TOKEN_NAME || p->kind == TOKEN_SYMBOL) && strlen(text) == p->length &&
           memcmp(text, p->at, p->length) == 0;
}

static dp_status expect(parser *p, const char *text, const char *expected)
{
    return is_token(p, text) ? next_token(p) : fail_found(p, expected);
}

// ---- code

// How many values an instruction leaves beyond those it takes.
static int stack_effect(dp_op op, int narguments)
{
    switch (op) {
    case DP_OP_NUMBER:
    case DP_OP_TIME:
        return 1;
    case DP_OP_BRANCH:
    case DP_OP_AND: // where it goes straight on
    case DP_OP_OR:
    case DP_OP_JUMP: // what follows is another way to the same place, one value earlier
        return -1;
    case DP_OP_TABLE:
        return 0;
    default:
        return 1 - narguments;
    }
}

static dp_status emit(parser *p, dp_op op, const char *at, int operand, int count)
{
    dp_expression *e = p->e;
    DP_TRY(dp_grow(&e->code, &e->code_capacity, e->ncode, sizeof *e->code, &e->allocator));
    e->code[e->ncode++] = (dp_instruction){(uint8_t)op, column_of(p, at), operand, count};
    p->waiting += stack_effect(op, count);
    if (p->waiting > DP_EXPRESSION_STACK) {
        dp_fail(DP_ERROR_PARSE, "more than %d values wait for an operator (expected fewer)",
                DP_EXPRESSION_STACK);
        return fail_at(p, at);
    }
    return DP_OK;
}

static dp_status keep_number(dp_expression *e, double x)
{
    DP_TRY(dp_grow(&e->number, &e->number_capacity, e->nnumber, sizeof *e->number, &e->allocator));
    e->number[e->nnumber++] = x;
    return DP_OK;
}

static dp_status emit_number(parser *p, double x)
{
    DP_TRY(emit(p, DP_OP_NUMBER, p->at, (int)p->e->nnumber, 0));
    return keep_number(p->e, x);
}

static void land_here(parser *p, size_t jump)
{
    p->e->code[jump].operand = (int)p->e->ncode;
}

// ---- grammar

static dp_status parse_binary(parser *p, int least);

static dp_status enter(parser *p)
{
    if (p->nesting == DP_EXPRESSION_NESTING) {
        dp_fail(DP_ERROR_PARSE, "nested too deeply (expected at most %d levels)",
                DP_EXPRESSION_NESTING);
        return fail_at(p, p->at);
    }
    ++p->nesting;
    return DP_OK;
}

// c₁ ? a₁ : c₂ ? a₂ : … : z without recursion along the chain; the jumps to its end are linked
// through their operands until the end is known.
static dp_status parse_expression(parser *p)
{
    DP_TRY(enter(p));
    int last_jump = -1;
    for (;;) {
        DP_TRY(parse_binary(p, LEVEL_OR));
        if (!is_token(p, "?")) {
            break;
        }
        const char *at = p->at;
        const size_t branch = p->e->ncode;
        DP_TRY(emit(p, DP_OP_BRANCH, at, 0, 0));
        DP_TRY(next_token(p));
        DP_TRY(parse_expression(p));
        DP_TRY(expect(p, ":", "':' and the other value"));
        const int jump = (int)p->e->ncode;
        DP_TRY(emit(p, DP_OP_JUMP, at, last_jump, 0));
        last_jump = jump;
        land_here(p, branch);
    }
    while (last_jump >= 0) {
        const int previous = p->e->code[last_jump].operand;
        land_here(p, (size_t)last_jump);
        last_jump = previous;
    }
    --p->nesting;
    return DP_OK;
}

// What stands between the parentheses of if(condition, then, else).
static dp_status parse_if(parser *p, const dp_function *f, const char *at)
{
    DP_TRY(parse_expression(p));
    const size_t branch = p->e->ncode;
    DP_TRY(emit(p, DP_OP_BRANCH, at, 0, 0));
    DP_TRY(expect(p, ",", f->usage));
    DP_TRY(parse_expression(p));
    const size_t jump = p->e->ncode;
    DP_TRY(emit(p, DP_OP_JUMP, at, 0, 0));
    land_here(p, branch);
    DP_TRY(expect(p, ",", f->usage));
    DP_TRY(parse_expression(p));
    land_here(p, jump);
    return expect(p, ")", f->usage);
}

// The number that a piece of code computes, which is then forgotten: a knot of a table.
static dp_status fold(parser *p, double *out, size_t code, size_t numbers, const char *at)
{
    dp_expression *e = p->e;
    for (size_t i = code; i < e->ncode; ++i) {
        if (e->code[i].op == DP_OP_TIME) {
            dp_fail(DP_ERROR_PARSE, "a knot of a table depends on t (expected a number)");
            return fail_at(p, at);
        }
    }
    dp_jet x;
    if (dp_expression_run(&x, e, code, 0.0, 0) != DP_OK) {
        return DP_ERROR_PARSE; // the message is there
    }
    e->ncode = code;
    e->nnumber = numbers;
    --p->waiting;
    *out = x.value;
    return DP_OK;
}

// table(x, t0, v0, t1, v1, …), from the first comma on
static dp_status parse_table(parser *p, const dp_function *f, const char *at)
{
    dp_expression *e = p->e;
    const size_t first = e->nnumber;
    while (is_token(p, ",")) {
        DP_TRY(next_token(p));
        const char *knot_at = p->at;
        const size_t code = e->ncode, numbers = e->nnumber, have = e->nnumber - first;
        double x = 0.0;
        DP_TRY(parse_expression(p));
        DP_TRY(fold(p, &x, code, numbers, knot_at));
        DP_TRY(keep_number(e, x));
        if (have >= 2 && have % 2 == 0 && !(x > e->number[numbers - 2])) {
            dp_fail(DP_ERROR_PARSE, "the time %g of a table follows %g (expected growing times)", x,
                    e->number[numbers - 2]);
            return fail_at(p, knot_at);
        }
    }
    const size_t have = e->nnumber - first;
    if (have < 4 || have % 2 != 0) {
        dp_fail(DP_ERROR_PARSE, "table with %zu numbers (expected %s)", have, f->usage);
        return fail_at(p, at);
    }
    DP_TRY(emit(p, DP_OP_TABLE, at, (int)first, (int)(have / 2)));
    return expect(p, ")", "',' or ')'");
}

// The arguments of f behind its "("; min and max take them two by two.
static dp_status parse_arguments(parser *p, const dp_function *f, const char *at)
{
    int n = 0;
    while (!is_token(p, ")")) {
        if (n > 0) {
            DP_TRY(expect(p, ",", "an operator, ',' or ')'"));
        }
        DP_TRY(parse_expression(p));
        ++n;
        if (f->most < 0 && n > 1) {
            DP_TRY(emit(p, f->op, at, 0, 2));
        }
        if (f->op == DP_OP_TABLE) {
            return parse_table(p, f, at);
        }
    }
    if (n < f->least || (f->most >= 0 && n > f->most)) {
        dp_fail(DP_ERROR_PARSE, "%s with %d argument%s (expected %s)", f->name, n,
                n == 1 ? "" : "s", f->usage);
        return fail_at(p, at);
    }
    if (f->most >= 0) {
        DP_TRY(emit(p, f->op, at, 0, n));
    }
    return next_token(p);
}

static dp_status parse_name(parser *p)
{
    if (is_token(p, "t")) {
        DP_TRY(emit(p, DP_OP_TIME, p->at, 0, 0));
        return next_token(p);
    }
    if (is_token(p, "pi") || is_token(p, "e")) {
        DP_TRY(emit_number(p, is_token(p, "pi") ? DP_PI : 2.71828182845904523536));
        return next_token(p);
    }
    const char *at = p->at;
    const dp_function *f = dp_function_find(at, p->length);
    if (!f) {
        (void)dp_expression_fail_name(at, p->length);
        return fail_at(p, at);
    }
    DP_TRY(next_token(p));
    DP_TRY(expect(p, "(", f->usage));
    return f->op == DP_OP_BRANCH ? parse_if(p, f, at) : parse_arguments(p, f, at);
}

static dp_status parse_value(parser *p)
{
    if (p->kind == TOKEN_NUMBER) {
        DP_TRY(emit_number(p, p->number));
        return next_token(p);
    }
    if (is_token(p, "(")) {
        DP_TRY(next_token(p));
        DP_TRY(parse_expression(p));
        return expect(p, ")", "an operator or ')'");
    }
    if (p->kind == TOKEN_NAME && !is_token(p, "and") && !is_token(p, "or") && !is_token(p, "not")) {
        return parse_name(p);
    }
    return fail_found(p, is_token(p, "not") ? "a value; put 'not ...' in parentheses" : "a value");
}

// A sign binds less than ^ and more than * and /; "not" less than a comparison.
static dp_status parse_prefix(parser *p, int least)
{
    const bool negation = is_token(p, "not") && least <= LEVEL_NOT;
    const bool minus = is_token(p, "-");
    if (!negation && !minus && !is_token(p, "+")) {
        return parse_value(p);
    }
    const char *at = p->at;
    DP_TRY(enter(p));
    DP_TRY(next_token(p));
    DP_TRY(parse_binary(p, negation ? LEVEL_NOT : LEVEL_POWER));
    --p->nesting;
    if (negation || minus) {
        DP_TRY(emit(p, negation ? DP_OP_NOT : DP_OP_NEGATIVE, at, 0, 1));
    }
    return DP_OK;
}

static const binary_operator *present_operator(const parser *p)
{
    for (int i = 0; i < BINARIES; ++i) {
        if (is_token(p, binary[i].text)) {
            return &binary[i];
        }
    }
    return NULL;
}

static dp_status parse_right_side(parser *p, const binary_operator *o, const char *at)
{
    if (o->level <= LEVEL_AND) { // the right side runs only if the left does not decide
        const size_t jump = p->e->ncode;
        DP_TRY(emit(p, o->op, at, 0, 0));
        DP_TRY(parse_binary(p, o->level + 1));
        DP_TRY(emit(p, DP_OP_TRUTH, at, 0, 1));
        land_here(p, jump);
        return DP_OK;
    }
    if (o->level == LEVEL_POWER) { // from the right: 2^3^2 = 2^(3^2)
        DP_TRY(enter(p));
        DP_TRY(parse_binary(p, LEVEL_POWER));
        --p->nesting;
    } else {
        DP_TRY(parse_binary(p, o->level + 1));
    }
    return emit(p, o->op, at, 0, 2);
}

// A value and all operators behind it that bind at least as tightly as `least`.
static dp_status parse_binary(parser *p, int least)
{
    DP_TRY(parse_prefix(p, least));
    bool compared = false;
    for (;;) {
        const binary_operator *o = present_operator(p);
        if (!o || o->level < least) {
            return DP_OK;
        }
        if (compared && o->level == LEVEL_COMPARE) {
            return fail_found(p, "one comparison; write 'a < b and b < c'");
        }
        compared = o->level == LEVEL_COMPARE;
        const char *at = p->at;
        DP_TRY(next_token(p));
        if (o->op == DP_OP_MULTIPLY && is_token(p, "*")) {
            return fail_found(p, "a value; powers are written '^'");
        }
        DP_TRY(parse_right_side(p, o, at));
    }
}

static dp_status parse(dp_expression *e)
{
    parser p = {.e = e, .at = e->text};
    DP_TRY(next_token(&p));
    DP_TRY(parse_expression(&p));
    if (p.kind == TOKEN_END) {
        DP_ASSERT(p.waiting == 1);
        return DP_OK;
    }
    return fail_found(&p, p.kind == TOKEN_SYMBOL ? "an operator or the end"
                                                 : "an operator such as '*', or the end");
}

dp_status dp_expression_parse(dp_expression **out, const char *text, const dp_allocator *allocator)
{
    *out = NULL;
    const size_t length = strlen(text);
    if (length > DP_EXPRESSION_LENGTH) {
        return dp_fail(DP_ERROR_PARSE,
                       "expression '%.60s...': %zu characters (expected at most %d)", text, length,
                       DP_EXPRESSION_LENGTH);
    }
    const dp_allocator a = dp_allocator_or_default(allocator);
    dp_expression *e;
    DP_TRY(dp_allocate(&e, &a, 1, sizeof *e));
    e->allocator = a;
    e->text_bytes = length + 1;
    dp_status status = dp_allocate(&e->text, &a, e->text_bytes, 1);
    if (status == DP_OK) {
        memcpy(e->text, text, e->text_bytes);
        status = parse(e);
    }
    if (status != DP_OK) {
        dp_expression_destroy(e);
        return status;
    }
    *out = e;
    return DP_OK;
}

void dp_expression_destroy(dp_expression *e)
{
    if (!e) {
        return;
    }
    const dp_allocator a = e->allocator;
    dp_release(&a, e->text, e->text_bytes, 1);
    dp_release(&a, e->code, e->code_capacity, sizeof *e->code);
    dp_release(&a, e->number, e->number_capacity, sizeof *e->number);
    dp_release(&a, e, 1, sizeof *e);
}

const char *dp_expression_text(const dp_expression *e)
{
    return e->text;
}

bool dp_expression_varies(const dp_expression *e)
{
    for (size_t i = 0; i < e->ncode; ++i) {
        if (e->code[i].op == DP_OP_TIME) {
            return true;
        }
    }
    return false;
}
