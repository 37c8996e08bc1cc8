// Recordings of `dashpot view`: frames kept at even distances, and written as a replay.
#ifndef DASHPOT_CLI_VIEW_RECORD_H
#define DASHPOT_CLI_VIEW_RECORD_H

#include <dashpot/record.h>

/// All zeros: nothing is recorded.
typedef struct view_record {
    dp_replay *replay;
    dp_recorder *channels;
    double next;     // [s] when the next frame is due
    size_t contacts; // points kept so far
    long long bytes; // that the frames take in a file, at most
} view_record;

/// Whether there is room for a recording: on the disk, and in what is left of the limit of all of
/// them [bytes]. @param words what is wrong where it returns false; 256 bytes or more
bool view_record_fits(char *words, size_t bytes, const view_record *r, const char *folder,
                      long long left);
DP_NODISCARD dp_status view_record_begin(view_record *r, const dp_model *m, dp_data *d);
/// Keep a frame, if one is due. @param left [bytes] of the limit of all recordings
/// @param full NULL, or in words why there is no room for another
DP_NODISCARD dp_status view_record_look(view_record *r, const dp_model *m, dp_data *d,
                                        long long left, const char **full);
/// Write a page into the folder, under a name that is not taken, and forget the frames.
/// @param words the name of the file, or what is wrong where it returns false; 256 bytes or more
/// @param left [bytes] of the limit of all recordings, made smaller by the file
bool view_record_end(view_record *r, char *words, size_t bytes, const char *folder,
                     const char *title, long long *left);
void view_record_drop(view_record *r);

#endif
