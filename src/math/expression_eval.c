// The stack machine. Every result is checked, so that no number that is not finite goes further:
// the first function that has no value ends the run with a message about itself.
#include "math/expression.h"

#include "math/angle.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char ABOVE_ZERO[] = "expected an argument above 0";
static const char WITHIN_ONE[] = "expected an argument from -1 to 1";
static const char RISING_TIMES[] = "expected t0 < t1";

static bool needs_rising_times(dp_op op)
{
    return op == DP_OP_RAMP || op == DP_OP_SMOOTH || op == DP_OP_PULSE;
}

// What is wrong with the arguments; NULL: nothing.
static const char *complaint(dp_op op, const dp_jet *a)
{
    const double x = a[0].value;
    switch (op) {
    case DP_OP_DIVIDE:
        return a[1].value == 0.0 ? "expected a divisor other than 0" : NULL;
    case DP_OP_MOD:
        return a[1].value == 0.0 ? "expected a second argument other than 0" : NULL;
    case DP_OP_POWER:
        if (x == 0.0 && a[1].value < 0.0) {
            return "expected a base other than 0 for a negative exponent";
        }
        return x < 0.0 && floor(a[1].value) != a[1].value
                   ? "expected a whole exponent for a negative base"
                   : NULL;
    case DP_OP_LOG:
        return x > 0.0 ? NULL : ABOVE_ZERO;
    case DP_OP_SQRT:
        return x >= 0.0 ? NULL : "expected an argument of at least 0";
    case DP_OP_ASIN:
    case DP_OP_ACOS:
        return fabs(x) <= 1.0 ? NULL : WITHIN_ONE;
    case DP_OP_ATAN2:
        return x == 0.0 && a[1].value == 0.0 ? "expected a point other than the origin" : NULL;
    case DP_OP_CLAMP:
        return a[1].value <= a[2].value ? NULL : "expected low <= high";
    default:
        return needs_rising_times(op) && !(a[1].value < a[2].value) ? RISING_TIMES : NULL;
    }
}

static dp_jet truth(bool x)
{
    return dp_jet_constant(x ? 1.0 : 0.0);
}

static dp_jet apply_function(dp_op op, const dp_jet *a)
{
    switch (op) {
    case DP_OP_SIN:
        return dp_jet_sin(a[0]);
    case DP_OP_COS:
        return dp_jet_cos(a[0]);
    case DP_OP_TAN:
        return dp_jet_tan(a[0]);
    case DP_OP_ASIN:
        return dp_jet_asin(a[0]);
    case DP_OP_ACOS:
        return dp_jet_acos(a[0]);
    case DP_OP_ATAN:
        return dp_jet_atan(a[0]);
    case DP_OP_ATAN2:
        return dp_jet_atan2(a[0], a[1]);
    case DP_OP_EXP:
        return dp_jet_exp(a[0]);
    case DP_OP_LOG:
        return dp_jet_log(a[0]);
    case DP_OP_SQRT:
        return dp_jet_sqrt(a[0]);
    case DP_OP_ABS:
        return dp_jet_abs(a[0]);
    case DP_OP_MIN:
        return dp_jet_min(a[0], a[1]);
    case DP_OP_MAX:
        return dp_jet_max(a[0], a[1]);
    case DP_OP_FLOOR:
        return dp_jet_constant(floor(a[0].value));
    case DP_OP_CEIL:
        return dp_jet_constant(ceil(a[0].value));
    case DP_OP_MOD:
        return dp_jet_mod(a[0], a[1]);
    case DP_OP_SIGN:
        return dp_jet_constant((double)((a[0].value > 0.0) - (a[0].value < 0.0)));
    case DP_OP_HYPOT:
        return dp_jet_hypot(a[0], a[1]);
    case DP_OP_CLAMP:
        return dp_jet_min(dp_jet_max(a[0], a[1]), a[2]);
    case DP_OP_STEP:
        return truth(a[0].value >= a[1].value);
    case DP_OP_RAMP:
        return dp_jet_ramp(a[0], a[1], a[2]);
    case DP_OP_SMOOTH:
        return dp_jet_smooth(a[0], a[1], a[2]);
    case DP_OP_PULSE:
        return truth(a[0].value >= a[1].value && a[0].value < a[2].value);
    default:
        DP_ASSERT(false); // an instruction that is no function
        return dp_jet_constant(0.0);
    }
}

static dp_jet apply(dp_op op, const dp_jet *a)
{
    switch (op) {
    case DP_OP_NEGATIVE:
        return dp_jet_negative(a[0]);
    case DP_OP_TRUTH:
        return truth(a[0].value != 0.0);
    case DP_OP_NOT:
        return truth(a[0].value == 0.0);
    case DP_OP_ADD:
        return dp_jet_sum(a[0], a[1]);
    case DP_OP_SUBTRACT:
        return dp_jet_difference(a[0], a[1]);
    case DP_OP_MULTIPLY:
        return dp_jet_product(a[0], a[1]);
    case DP_OP_DIVIDE:
        return dp_jet_ratio(a[0], a[1]);
    case DP_OP_POWER:
        return dp_jet_pow(a[0], a[1]);
    case DP_OP_LESS:
        return truth(a[0].value < a[1].value);
    case DP_OP_LESS_EQUAL:
        return truth(a[0].value <= a[1].value);
    case DP_OP_GREATER:
        return truth(a[0].value > a[1].value);
    case DP_OP_GREATER_EQUAL:
        return truth(a[0].value >= a[1].value);
    case DP_OP_EQUAL:
        return truth(a[0].value == a[1].value);
    case DP_OP_NOT_EQUAL:
        return truth(a[0].value != a[1].value);
    default:
        return apply_function(op, a);
    }
}

// "log(-1)", "1 / 0", "(-8) ^ 0.5"
static void write_call(char *out, size_t bytes, const dp_function *f, const dp_jet *a)
{
    if (!f->usage && f->least == 2) {
        snprintf(out, bytes, a[0].value < 0.0 ? "(%.9g) %s %.9g" : "%.9g %s %.9g", a[0].value,
                 f->name, a[1].value);
    } else if (!f->usage) {
        snprintf(out, bytes, "%s%.9g", f->name, a[0].value);
    } else if (f->op == DP_OP_TABLE) {
        snprintf(out, bytes, "table(%.9g, ...)", a[0].value);
    } else {
        int n = snprintf(out, bytes, "%s(", f->name);
        for (int i = 0; i < f->least; ++i) {
            n += snprintf(out + n, bytes - (size_t)n, "%s%.9g", i ? ", " : "", a[i].value);
        }
        snprintf(out + n, bytes - (size_t)n, ")");
    }
}

static dp_status fail_call(const dp_expression *e, const dp_instruction *in, const dp_jet *a,
                           double t, const char *what, const char *expected)
{
    char call[128];
    write_call(call, sizeof call, dp_function_of((dp_op)in->op), a);
    dp_fail(DP_ERROR_NUMERIC, "%s%s at t = %.9g (%s)", what, call, t, expected);
    (void)dp_expression_fail(DP_ERROR_NUMERIC, e->text, in->column);
    return DP_ERROR_NUMERIC;
}

static dp_status check(const dp_expression *e, const dp_instruction *in, const dp_jet *r,
                       const dp_jet *a, double t, int order)
{
    static const char finite[] = "expected a finite number";
    if (!isfinite(r->value)) {
        return fail_call(e, in, a, t, "overflow of ", finite);
    }
    if (order >= 1 && !isfinite(r->rate)) {
        return fail_call(e, in, a, t, "no finite rate of ", finite);
    }
    if (order >= 2 && !isfinite(r->accel)) {
        return fail_call(e, in, a, t, "no finite acceleration of ", finite);
    }
    return DP_OK;
}

dp_status dp_expression_run(dp_jet *out, const dp_expression *e, size_t first, double t, int order)
{
    dp_jet stack[DP_EXPRESSION_STACK];
    int n = 0;
    for (size_t i = first; i < e->ncode; ++i) {
        const dp_instruction *in = &e->code[i];
        const size_t next = (size_t)in->operand;
        DP_ASSERT(n >= (in->op > DP_OP_JUMP) && n < DP_EXPRESSION_STACK + (in->op > DP_OP_TIME));
        switch (in->op) {
        case DP_OP_NUMBER:
            stack[n++] = dp_jet_constant(e->number[in->operand]);
            continue;
        case DP_OP_TIME:
            stack[n++] = (dp_jet){t, order > 0 ? 1.0 : 0.0, 0.0, order > 0};
            continue;
        case DP_OP_JUMP:
            i = next - 1;
            continue;
        case DP_OP_BRANCH:
            i = stack[--n].value == 0.0 ? next - 1 : i;
            continue;
        case DP_OP_AND:
        case DP_OP_OR:
            if ((stack[n - 1].value != 0.0) == (in->op == DP_OP_OR)) {
                stack[n - 1] = truth(in->op == DP_OP_OR); // decided: the rest is not run
                i = next - 1;
            } else {
                --n;
            }
            continue;
        default:
            break;
        }
        const bool table = in->op == DP_OP_TABLE;
        const int nargument = table ? 1 : in->count;
        DP_ASSERT(nargument >= 1 && n >= nargument);
        dp_jet *a = stack + (n - nargument);
        const char *wrong = complaint((dp_op)in->op, a);
        if (wrong) {
            return fail_call(e, in, a, t, "", wrong);
        }
        const dp_jet result = table ? dp_jet_table(a[0], e->number + in->operand, in->count)
                                    : apply((dp_op)in->op, a);
        DP_TRY(check(e, in, &result, a, t, order));
        // One by one: a whole would have to wait for its parts.
        a[0].value = result.value;
        a[0].rate = result.rate;
        a[0].accel = result.accel;
        a[0].varies = result.varies;
        n -= nargument - 1;
    }
    DP_ASSERT(n == 1);
    *out = stack[0];
    return DP_OK;
}

dp_status dp_expression_eval(const dp_expression *e, double t, double *value, double *rate,
                             double *accel)
{
    if (!isfinite(t)) {
        dp_fail(DP_ERROR_ARGUMENT, "t is %g (expected a finite time)", t);
        return dp_expression_fail(DP_ERROR_ARGUMENT, e->text, 0);
    }
    dp_jet x;
    DP_TRY(dp_expression_run(&x, e, 0, t, accel ? 2 : rate ? 1 : 0));
    if (value) {
        *value = x.value;
    }
    if (rate) {
        *rate = x.rate;
    }
    if (accel) {
        *accel = x.accel;
    }
    return DP_OK;
}

dp_status dp_expression_value(const dp_expression *e, double t, double *value)
{
    return dp_expression_eval(e, t, value, NULL, NULL);
}
