// How a failure travels: dp_fail records the message of this thread, DP_TRY passes the status up.
#ifndef DP_BASE_ERROR_H
#define DP_BASE_ERROR_H

#include <dashpot/base.h>

#include <assert.h>

/// Record a message for dp_last_error() and return `status`.
dp_status dp_fail(dp_status status, const char *format, ...) DP_PRINTF(2, 3);

/// Put text in front of the message of the failure that is on its way up, e.g. a file and line.
dp_status dp_fail_context(dp_status status, const char *format, ...) DP_PRINTF(2, 3);

/// Name the feature that the failure on its way up is about, for dp_last_feature().
dp_status dp_fail_feature(dp_status status, const char *feature);

#define DP_TRY(call)                                                                               \
    do {                                                                                           \
        const dp_status dp_try_status = (call);                                                    \
        if (dp_try_status != DP_OK) {                                                              \
            return dp_try_status;                                                                  \
        }                                                                                          \
    } while (0)

/// For our own mistakes, never for input. Off in release builds, like assert.
#define DP_ASSERT(condition) assert(condition)

#endif
