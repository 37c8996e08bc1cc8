#include "view/view_stream.h"

#include <math.h>
#include <stdlib.h>

// [s] From frame to frame, at least, and where frames are dear beside steps.
static const double FRAME_INTERVAL = 1.0 / 60.0, LONGEST_INTERVAL = 1.0 / 20.0;
// [s] Frames that can be paid for as often as this, or as there are steps, go alone: it is even
// enough, and soonest. So do those that are dearer than messages.
static const double GOOD_INTERVAL = 1.0 / 30.0;
// [s] So long frames wait for others, at most.
static const double LONGEST_WAIT = 0.5;
// [1] So much of the time of steps streaming may take before there is less of it, and so much of
// that goes to the making of frames before there are fewer.
static const double MOST_SHARE = 0.07, FOR_FRAMES = 0.5;
// [1] What is left of older costs when newer ones come.
static const double MEMORY = 0.7;
// [s] A frame may come so much too early rather than a whole step too late.
static const double EARLY = 0.001;

void view_stream_begin(view_stream *s)
{
    *s = (view_stream){.last = -INFINITY,
                       .interval = FRAME_INTERVAL,
                       .alone_interval = FRAME_INTERVAL,
                       .together = 1,
                       .growing = 1};
}

void view_stream_free(view_stream *s)
{
    free(s->message.byte);
    *s = (view_stream){0};
}

static double clamp(double x, double lo, double hi)
{
    return fmin(fmax(x, lo), hi);
}

// With p and c the costs of a frame and a message and b what may be spent in a second: frames every
// f and messages every w seconds cost p/f + c/w ≤ b.
static void decide(view_stream *s)
{
    const view_costs *x = &s->costs;
    const double b = MOST_SHARE * x->steps / x->wall;
    const double p = x->frames / x->frame_count, c = x->messages / x->message_count;
    const double alone = (p + c) / b, most_frames = p / (FOR_FRAMES * b);
    s->alone_interval = clamp(alone, FRAME_INTERVAL, LONGEST_INTERVAL);
    if (alone <= fmax(GOOD_INTERVAL, x->wall / x->step_count) || alone <= most_frames) {
        s->interval = s->alone_interval;
        s->together = 1;
        return;
    }
    const double left = b - c / LONGEST_WAIT; // for frames, if messages are as rare as can be
    const double fewest_frames = left > 0.0 ? p / left : LONGEST_INTERVAL;
    s->interval = clamp(fmax(most_frames, fewest_frames), FRAME_INTERVAL, LONGEST_INTERVAL);
    const double rest = b - p / s->interval;
    const double wait = rest > c / LONGEST_WAIT ? c / rest : LONGEST_WAIT;
    s->together = (int)fmax(1.0, ceil(wait / s->interval));
}

double view_stream_learn(view_stream *s, const view_costs *costs)
{
    view_costs *x = &s->costs;
    *x = (view_costs){.wall = MEMORY * x->wall + costs->wall,
                      .steps = MEMORY * x->steps + costs->steps,
                      .frames = MEMORY * x->frames + costs->frames,
                      .messages = MEMORY * x->messages + costs->messages,
                      .step_count = MEMORY * x->step_count + costs->step_count,
                      .frame_count = MEMORY * x->frame_count + costs->frame_count,
                      .message_count = MEMORY * x->message_count + costs->message_count};
    if (!(x->steps > 0.0 && x->frame_count > 0.0 && x->message_count > 0.0)) {
        return 0.0; // nobody looks
    }
    decide(s);
    return (x->frames + x->messages) / x->steps;
}

double view_stream_frame_due(const view_stream *s, bool at_once)
{
    return s->last + (at_once ? s->alone_interval : s->interval) - EARLY;
}

void view_stream_note_frame(view_stream *s, double now)
{
    s->first = s->waiting == 0 ? now : s->first;
    s->last = now;
    ++s->waiting;
}

double view_stream_message_due(const view_stream *s, bool at_once)
{
    // A simulation that is slow may have no other frame to offer.
    return at_once || s->waiting >= s->growing ? -INFINITY : s->first + s->growing * s->interval;
}

void view_stream_note_message(view_stream *s, bool at_once)
{
    const int more = s->growing + (s->growing < 5 ? 1 : s->growing / 5);
    s->growing = at_once ? 1 : more < s->together ? more : s->together;
    view_stream_drop(s);
}

void view_stream_drop(view_stream *s)
{
    s->message.count = 0;
    s->waiting = 0;
}
