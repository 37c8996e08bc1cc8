// Version, status codes, error messages, memory. Every other header includes this one.
#ifndef DASHPOT_BASE_H
#define DASHPOT_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DP_VERSION_MAJOR 0
#define DP_VERSION_MINOR 1
#define DP_VERSION_PATCH 0

#ifdef __cplusplus
#define DP_BEGIN_C extern "C" {
#define DP_END_C }
#define DP_LITERAL(type) type ///< begins a value of a struct type: DP_LITERAL(dp_v3){1.0, 0.0, 0.0}
#else
#define DP_BEGIN_C
#define DP_END_C
#define DP_LITERAL(type) (type)
#endif

#if defined(__GNUC__)
#define DP_API __attribute__((visibility("default")))
#define DP_NODISCARD __attribute__((warn_unused_result))
#define DP_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define DP_API
#define DP_NODISCARD
#define DP_PRINTF(text, first)
#endif

DP_BEGIN_C

// In all headers: pointers must not be NULL unless the function says what NULL means.

/// Did the call work? What a method found is reported elsewhere, with its residual.
typedef enum dp_status {
    DP_OK = 0,
    DP_ERROR_ARGUMENT,    ///< impossible input: a moving body without mass, an unknown name …
    DP_ERROR_PARSE,       ///< a file says something that its format does not allow
    DP_ERROR_UNSUPPORTED, ///< meaningful input that Dashpot cannot simulate (yet)
    DP_ERROR_IO,          ///< a file could not be read or written
    DP_ERROR_MEMORY,      ///< the allocator returned NULL
    DP_ERROR_CAPACITY,    ///< a fixed reserve is too small; the message has the number needed
    DP_ERROR_NUMERIC,     ///< not a finite number, or an error control that cannot go on
    DP_ERROR_CALLBACK,    ///< a user's callback reported failure
    DP_ERROR_INTERRUPTED, ///< a dp_interrupt_fn asked for the call to end
} dp_status;

/// The name of a status, e.g. "DP_ERROR_PARSE". Never NULL.
DP_API const char *dp_status_name(dp_status status);

/// What went wrong in the last failed call of this thread: where, what was found, what was
/// expected. Never NULL; empty before the first failure. Borrowed: valid until the next failure of
/// this thread.
DP_API const char *dp_last_error(void);

/// The feature that the last failure of this thread is about, always told with
/// DP_ERROR_UNSUPPORTED: the name by which dp_spec_allow() and dp_import_options.allow go on
/// without it. "" when there is none. Never NULL; borrowed as above.
DP_API const char *dp_last_feature(void);

/// Text as a terminal or a log may show it: control characters, characters that change the
/// direction of text or are invisible, and bytes that are not UTF-8 become escapes such as \n,
/// \x1b and \u202e; all else stays. Messages of dp_last_error() have gone through this; names in
/// models and reports have not. Cut between characters where `size` bytes do not hold it.
/// @return the bytes that it takes without the zero at its end, as of snprintf
DP_API size_t dp_text_printable(char *out, size_t size, const char *text);

/// Should a call that takes long end now? Long calls that have such a function call it every now
/// and then, on the thread that made the call and on no other, after so much work (not time): some
/// thousand times a second. Once it returns true the call ends with DP_ERROR_INTERRUPTED, as a
/// failed call does: what it was to change is as it was. It must not use the objects of the call.
/// While it returns false it changes no result.
typedef bool (*dp_interrupt_fn)(void *user);

/// "0.1.0"
DP_API const char *dp_version(void);

/// Where memory comes from. `release` gets the size that was asked for. Both are called from the
/// thread that creates, copies or destroys an object; and from one that steps, where more bodies
/// touch than there was room for.
typedef struct dp_allocator {
    void *context;
    void *(*allocate)(void *context, size_t bytes);             ///< NULL when out of memory
    void (*release)(void *context, void *memory, size_t bytes); ///< memory is never NULL
} dp_allocator;

/// malloc and free. Functions that take `const dp_allocator *` use this one for NULL.
DP_API dp_allocator dp_allocator_default(void);

/// Read a file into memory, with a zero behind it. All readers of the library do it this way:
/// regular files of up to 1 GiB, and pipes of up to 64 MiB that are open already (/dev/stdin,
/// /dev/fd/N). Folders, devices and named pipes are refused before a byte is read.
/// @param out owned by the caller: release *bytes + 1 bytes to the allocator, or free() it when
///            `allocator` is NULL. NULL on failure.
/// @return DP_ERROR_IO with the path and the reason, DP_ERROR_MEMORY
DP_API DP_NODISCARD dp_status dp_file_read(char **out, size_t *bytes, const char *path,
                                           const dp_allocator *allocator);

DP_END_C
#endif
