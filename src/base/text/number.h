// Numbers in text: strict, exact, and the same in every locale.
#ifndef DP_BASE_NUMBER_H
#define DP_BASE_NUMBER_H

#include <stdbool.h>

/// What a piece of text turned out to be.
typedef enum dp_number_outcome {
    DP_NUMBER_OK,
    DP_NUMBER_END,       ///< nothing but space was left
    DP_NUMBER_MALFORMED, ///< not a decimal number, or followed by something else than space
    DP_NUMBER_TOO_LARGE, ///< beyond the range of a double, or written as inf or nan
} dp_number_outcome;

/// Read the next decimal number ("-1", ".5", "2e-3"; no hexadecimal, no inf, no nan) at *cursor, to
/// the nearest double. On success the cursor stands behind it, else at its first character.
dp_number_outcome dp_number_read(double *out, const char **cursor);

enum { DP_NUMBER_BYTES = 40 };
/// A finite number with as few digits, 15 to 17, as read back to the same bits. Returns the length.
int dp_number_text(char out[DP_NUMBER_BYTES], double x);
/// The same for a float, which a reader gets by rounding a double: 6 to 9 digits.
int dp_float_text(char out[DP_NUMBER_BYTES], float x);

/// The length of the word at `text`: up to the next space or the end.
int dp_word_length(const char *text);

/// `text` from its first character that is not a space.
const char *dp_skip_space(const char *text);

#endif
