// Tables of files that are refused, whatever their format.
#ifndef DP_TESTS_BAD_FILE_H
#define DP_TESTS_BAD_FILE_H

#include <dashpot/format.h>

/// dp_mjcf_parse or dp_urdf_parse.
typedef dp_status (*file_parser)(dp_spec **spec, dp_import_report **report, const char *text,
                                 size_t bytes, const char *path, const dp_import_options *options);

typedef struct bad_file {
    dp_status status;
    const char *text;
    const char *message; ///< what the message must contain
} bad_file;

/// Each file is refused with its status and message, and leaves no spec behind.
void assert_files_refused(file_parser parse, const char *path, const bad_file *bad, int count);
/// Each file loads.
void assert_files_load(file_parser parse, const char *path, const char *const *text, int count);

#endif
