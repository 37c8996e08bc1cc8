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
} view_record;

DP_NODISCARD dp_status view_record_begin(view_record *r, const dp_model *m, dp_data *d);
/// Keep a frame, if one is due. @param full set where there is no room for another
DP_NODISCARD dp_status view_record_look(view_record *r, const dp_model *m, dp_data *d, bool *full);
/// Write a page into the folder, under a name that is not taken, and forget the frames.
/// @param words the name of the file, or what is wrong where it returns false; 128 bytes or more
bool view_record_end(view_record *r, char *words, size_t bytes, const char *folder,
                     const char *title);
void view_record_drop(view_record *r);

#endif
