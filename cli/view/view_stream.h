// How often pages are shown the simulation: as often and as soon as its steps can pay for. Where a
// message is dear beside them, several frames go in one.
#ifndef DASHPOT_CLI_VIEW_STREAM_H
#define DASHPOT_CLI_VIEW_STREAM_H

#include "view/view_frame.h"

/// What a while has cost: seconds of processor time, in whatever thread.
typedef struct view_costs {
    double wall; // [s] how long it was, by the clock
    double steps, frames, messages;
    double step_count, frame_count, message_count;
} view_costs;

typedef struct view_stream {
    view_bytes message; // frames that wait
    int waiting;        // their number
    double first, last; // [s] when the first of them was made, and the last of all
    // What steps can pay for.
    double interval;       // [s] from frame to frame
    double alone_interval; // [s] the same where each goes at once
    int together;          // frames in a message
    int growing;           // the same now: a page would wait for a message that is suddenly late
    view_costs costs;      // of the last seconds
} view_stream;

/// Nothing waits, and nothing is known of costs.
void view_stream_begin(view_stream *s);
void view_stream_free(view_stream *s);

/// Learn from what a while has cost, and decide what can be paid for.
/// @return frames and messages over steps, of the last seconds
double view_stream_learn(view_stream *s, const view_costs *costs);

/// When the next frame is due [s]. @param at_once it will not wait for others
double view_stream_frame_due(const view_stream *s, bool at_once);
/// A frame was added to the message, at `now`.
void view_stream_note_frame(view_stream *s, double now);
/// When the frames that wait are to be sent [s].
double view_stream_message_due(const view_stream *s, bool at_once);
/// They were.
void view_stream_note_message(view_stream *s, bool at_once);
/// They will not be.
void view_stream_drop(view_stream *s);

#endif
