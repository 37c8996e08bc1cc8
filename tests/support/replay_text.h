// The data within the page of a replay, read back as docs/replay.md describes them.
#ifndef DP_TESTS_REPLAY_TEXT_H
#define DP_TESTS_REPLAY_TEXT_H

#include <stddef.h>
#include <stdint.h>

/// The JSON in the page `path`. Lasts until the next call.
const char *replay_json(const char *path);

/// Exactly `count` bytes of a value of the JSON that is packed: base64, then zlib.
void replay_bytes(unsigned char *out, size_t count, const char *value);
/// The same as floats, and as 16-bit numbers in series of `length` each.
void replay_floats(float *out, size_t count, const char *value);
void replay_series(uint16_t *out, size_t count, size_t length, const char *value);

#endif
