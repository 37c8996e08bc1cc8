// Text of files and users: is it UTF-8?
#ifndef DP_BASE_UTF8_H
#define DP_BASE_UTF8_H

#include <stddef.h>

/// The length of the character at `text`, which ends with a zero; 0 when there is none that XML
/// allows: no valid UTF-8, or a control character.
size_t dp_utf8_length(const char *text);

#endif
