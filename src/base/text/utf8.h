// Text of files and users: is it UTF-8, and may it be shown?
#ifndef DP_BASE_UTF8_H
#define DP_BASE_UTF8_H

#include <stddef.h>

/// The length of the character at `text`, which ends with a zero; 0 when there is none that XML
/// allows: no valid UTF-8, or a control character.
size_t dp_utf8_length(const char *text);

/// The code of a character that must not be shown as it is; 0: there is none at `text`. These are
/// the control characters U+0000 to U+001F and U+007F to U+009F, line and paragraph separators, and
/// what is invisible or changes the direction of the text around it.
unsigned dp_utf8_control(const char *text);

enum { DP_SHOWN_BYTES = 8 };
/// The character at `text` as it may be shown, zero-terminated: itself, or an escape as those of C,
/// of a control character of ASCII (n, t, r, x1b), of another one (u202e) or of a byte that is not
/// UTF-8 (xff).
/// @return how many bytes of text it is; 0 at its end
size_t dp_utf8_shown(char out[DP_SHOWN_BYTES], const char *text);

#endif
