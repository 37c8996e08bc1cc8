// Specs as MJCF text and back.
#ifndef DP_TESTS_WRITTEN_H
#define DP_TESTS_WRITTEN_H

#include "mechanism.h"
#include "same_spec.h"

#include <dashpot/format.h>

/// The text of a spec; free() it.
char *written(const dp_spec *spec);
/// The spec of a text.
dp_spec *read_written(const char *text);
/// Write, read: the same spec; write again: the same text. Returns what was read.
dp_spec *round_trip(const dp_spec *spec);
void assert_round_trip(const dp_spec *spec);

/// The text holds this, once.
void assert_holds(const char *text, const char *part);
/// Writing fails so, and the message holds this.
void assert_not_written(const dp_spec *spec, dp_status expected, const char *part);

#endif
