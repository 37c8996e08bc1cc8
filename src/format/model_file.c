// A model file of either format, told by its root element.
#include "format/xml.h"

#include <dashpot/format.h>

#include <string.h>

// Behind the next `end`, or at the end of the text.
static const char *skip_past(const char *text, const char *end)
{
    const char *found = strstr(text, end);
    return found ? found + strlen(end) : text + strlen(text);
}

// The name of the first element; "" when there is none. Comments, declarations and document types
// may come before it.
static const char *find_root(size_t *length, const char *text)
{
    for (;;) {
        text = strchr(text, '<');
        if (!text) {
            *length = 0;
            return "";
        }
        if (strncmp(text, "<!--", 4) == 0) {
            text = skip_past(text, "-->");
        } else if (text[1] == '?') {
            text = skip_past(text, "?>");
        } else if (text[1] == '!') {
            text = skip_past(text, ">");
        } else {
            *length = strcspn(text + 1, " \t\r\n/>");
            return text + 1;
        }
    }
}

static dp_status parse(dp_spec **out, dp_import_report **report, const char *text, size_t bytes,
                       const char *path, const dp_import_options *options)
{
    size_t length;
    const char *root = find_root(&length, text);
    if (length == 5 && memcmp(root, "robot", 5) == 0) {
        return dp_urdf_parse(out, report, text, bytes, path, options);
    }
    if (length > 0 && !(length == 6 && memcmp(root, "mujoco", 6) == 0)) {
        return dp_fail(DP_ERROR_PARSE,
                       "%s: found <%.*s> (expected <mujoco>, an MJCF file, or <robot>, a URDF "
                       "file)",
                       path, length < 60 ? (int)length : 60, root);
    }
    return dp_mjcf_parse(out, report, text, bytes, path, options); // it says what is wrong, if any
}

dp_status dp_model_file_load(dp_spec **out, dp_import_report **report, const char *path,
                             const dp_import_options *options)
{
    *out = NULL;
    if (report) {
        *report = NULL;
    }
    const dp_allocator a = dp_allocator_or_default(options ? options->allocator : NULL);
    char *text;
    size_t bytes;
    DP_TRY(dp_file_read(&text, &bytes, path, &a));
    const dp_status status = parse(out, report, text, bytes, path, options);
    dp_release(&a, text, bytes + 1, 1);
    return status;
}
