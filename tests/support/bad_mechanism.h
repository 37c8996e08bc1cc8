// Tables of impossible mechanisms, each one thing away from a sound one.
#ifndef DP_TESTS_BAD_MECHANISM_H
#define DP_TESTS_BAD_MECHANISM_H

#include "near.h"

#include <dashpot/model.h>

enum { MAX_FRAGMENTS = 4 };

typedef struct bad_mechanism {
    const char *name;
    /// Spoil one thing. Returns what adding said, or DP_OK when the compiler has to find it.
    dp_status (*spoil)(dp_spec *s);
    dp_status status;
    const char *fragment[MAX_FRAGMENTS]; ///< what the message must contain
} bad_mechanism;

typedef dp_status (*spec_maker)(dp_spec **out, const dp_allocator *allocator);

/// The mechanism compiles before it is spoilt.
void assert_sound(spec_maker make);
/// Each case is refused with its status and all fragments of its message.
void assert_refused(spec_maker make, const bad_mechanism *bad, int count);
/// Each message has a hint in brackets, or the number or name that would be right.
void assert_helpful(spec_maker make, const bad_mechanism *bad, int count);

#endif
