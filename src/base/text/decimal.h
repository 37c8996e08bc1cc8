// Decimal numbers in text, exact and the same in every locale.
#ifndef DP_BASE_DECIMAL_H
#define DP_BASE_DECIMAL_H

#include <stdbool.h>

/// The nearest double to the decimal number without sign at *cursor ("12", ".5", "2e-3"; nothing
/// hexadecimal), infinite beyond the range of a double. The cursor then stands behind it.
/// @return false, with the cursor as it was, when there is no digit, or none behind an "e".
bool dp_decimal_read(double *out, const char **cursor);

#endif
