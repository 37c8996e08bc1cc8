// Expressions in the time t, such as "4*cos(2*pi*t)": values with exact first and second
// derivatives. The language, function by function: docs/expressions.md.
#ifndef DASHPOT_EXPRESSION_H
#define DASHPOT_EXPRESSION_H

#include <dashpot/base.h>

DP_BEGIN_C

/// A parsed expression. Immutable, so threads may share it.
typedef struct dp_expression dp_expression;

/// The longest text, and how deep parentheses, functions, powers and signs may nest in each other.
enum { DP_EXPRESSION_LENGTH = 65536, DP_EXPRESSION_NESTING = 64 };

/// Parse `text`, which is copied. The caller owns *out (dp_expression_destroy).
/// @return DP_ERROR_PARSE with the column (from 1, in bytes), what was found and what was expected;
///         *out is then NULL.
DP_API DP_NODISCARD dp_status dp_expression_parse(dp_expression **out, const char *text,
                                                  const dp_allocator *allocator);
DP_API void dp_expression_destroy(dp_expression *e); ///< NULL is allowed

/// The expression at time t [s], and its first and second derivatives with respect to t, exact to
/// round-off; at kinks those to the right. Each of the three may be NULL, and what is not asked for
/// cannot fail: √t has a value at 0 and no rate. The value is the same bits whatever is asked for.
/// Allocates nothing. On failure nothing is written.
/// @return DP_ERROR_NUMERIC where the expression has no finite value (or derivative): the message
///         names the function, its arguments and t. DP_ERROR_ARGUMENT for a t that is not finite.
DP_API DP_NODISCARD dp_status dp_expression_eval(const dp_expression *e, double t, double *value,
                                                 double *rate, double *accel);

/// The value alone: dp_expression_eval without derivatives.
DP_API DP_NODISCARD dp_status dp_expression_value(const dp_expression *e, double t, double *value);

/// The text that was parsed. Borrowed: lives as long as `e`.
DP_API const char *dp_expression_text(const dp_expression *e);

/// Does the value depend on t? "2*pi" does not.
DP_API bool dp_expression_varies(const dp_expression *e);

DP_END_C
#endif
