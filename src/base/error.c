#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

// The only state of the library that outlives a call: one message per thread, and the feature it is
// about.
// Names and paths of users are in it, so that all messages are made printable here.
static _Thread_local char last_error[2048];
static _Thread_local char last_feature[64];

const char *dp_last_error(void)
{
    return last_error;
}

const char *dp_last_feature(void)
{
    return last_feature;
}

dp_status dp_fail(dp_status status, const char *format, ...)
{
    char message[sizeof last_error]; // arguments may point into last_error
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    dp_text_printable(last_error, sizeof last_error, message);
    last_feature[0] = '\0';
    return status;
}

dp_status dp_fail_feature(dp_status status, const char *feature)
{
    snprintf(last_feature, sizeof last_feature, "%s", feature);
    return status;
}

dp_status dp_fail_context(dp_status status, const char *format, ...)
{
    char message[sizeof last_error];
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (n < 0) {
        n = 0;
    }
    if ((size_t)n < sizeof message) {
        snprintf(message + n, sizeof message - (size_t)n, "%s", last_error);
    }
    dp_text_printable(last_error, sizeof last_error, message); // what was there stays as it is
    return status;
}

const char *dp_status_name(dp_status status)
{
    switch (status) {
    case DP_OK:
        return "DP_OK";
    case DP_ERROR_ARGUMENT:
        return "DP_ERROR_ARGUMENT";
    case DP_ERROR_PARSE:
        return "DP_ERROR_PARSE";
    case DP_ERROR_UNSUPPORTED:
        return "DP_ERROR_UNSUPPORTED";
    case DP_ERROR_IO:
        return "DP_ERROR_IO";
    case DP_ERROR_MEMORY:
        return "DP_ERROR_MEMORY";
    case DP_ERROR_CAPACITY:
        return "DP_ERROR_CAPACITY";
    case DP_ERROR_NUMERIC:
        return "DP_ERROR_NUMERIC";
    case DP_ERROR_CALLBACK:
        return "DP_ERROR_CALLBACK";
    case DP_ERROR_INTERRUPTED:
        return "DP_ERROR_INTERRUPTED";
    }
    return "unknown dp_status";
}

#define TEXT(x) #x
#define VERSION(major, minor, patch) TEXT(major) "." TEXT(minor) "." TEXT(patch)

const char *dp_version(void)
{
    return VERSION(DP_VERSION_MAJOR, DP_VERSION_MINOR, DP_VERSION_PATCH);
}
