// A moment of the simulation as bytes: docs/live.md, "Frames".
#ifndef DASHPOT_CLI_VIEW_FRAME_H
#define DASHPOT_CLI_VIEW_FRAME_H

#include <dashpot/sim.h>

enum { VIEW_FRAME_MAGIC = 0x46504431 };

/// What a frame says besides the state.
typedef struct view_pace {
    double factor;  // of real time; NaN: not yet known
    double cost_us; // of a step; NaN: not yet known
    double share;   // streaming, as a part of the time that steps take
} view_pace;

/// Bytes that grow.
typedef struct view_bytes {
    unsigned char *byte; // free() it
    size_t count, capacity;
} view_bytes;

/// Make room for `count` bytes. False: there is no memory
bool view_bytes_reserve(view_bytes *out, size_t count);

/// Add the present state of `d`, after kinematics, with contacts and the certificate of its last
/// step. @param version of the scene. @return false where there is no memory
bool view_frame_add(view_bytes *out, const dp_model *m, dp_data *d, uint32_t version, bool running,
                    const view_pace *pace);

#endif
