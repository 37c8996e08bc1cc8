#include "view/view_steps.h"

#include "common/progress.h"
#include "view/view_frame.h"

#include <math.h>

// [s] So long after somebody has done something, frames go at once.
static const double ATTENTION = 1.0;
// [s] So long steps go on before commands are looked at.
static const double SLICE = 0.008;
// [s] A simulation that is so far behind the clock has lost that time for good.
static const double MOST_DEBT = 0.1;
// [m/s] To which rows are solved while a body is pulled, at worst and at best.
static const double LOOSE_TOLERANCE = 1e-4, TIGHT_TOLERANCE = 1e-6;

enum {
    FEW_ITERATIONS = 16,  // of a step while a body is pulled: the next may be solved more exactly
    MANY_ITERATIONS = 24, // the same: less exactly beyond
};

// --- steps

void view_steps_begin(view_sim *s)
{
    s->tolerance = LOOSE_TOLERANCE;
    view_sim_start_meter(s, cli_clock());
}

static bool any_held(const view_sim *s)
{
    bool held = false;
    for (int i = 0; i < VIEW_MOST_CLIENTS; ++i) {
        held = held || s->grab[i].held;
    }
    return held;
}

// While somebody pulls, large moving islands would take seconds a step to the last digits: they are
// solved to what an eye can see. What comes to rest then needs more digits, or the errors of each
// step keep it moving, and it never gets cheap. The page shows what is left.
static dp_status step_in_time(view_sim *s)
{
    double *tolerance = &dp_data_options(s->d)->solver.tolerance;
    const double usual = *tolerance;
    const bool held = any_held(s);
    *tolerance = held ? fmax(usual, s->tolerance) : usual;
    const dp_status status = dp_step(s->d);
    *tolerance = usual;
    const int iterations = dp_data_report(s->d)->work.iterations;
    if (!held) {
        s->tolerance = LOOSE_TOLERANCE;
    } else if (iterations <= FEW_ITERATIONS) {
        s->tolerance = fmax(0.8 * s->tolerance, TIGHT_TOLERANCE);
    } else if (iterations > MANY_ITERATIONS) {
        s->tolerance = fmin(10.0 * s->tolerance, LOOSE_TOLERANCE);
    }
    return status;
}

// A step that fails with new options is made with the old ones.
static dp_status step_with_care(view_sim *s)
{
    dp_options *options = dp_data_options(s->d);
    dp_status status = step_in_time(s);
    if (status != DP_OK && status != DP_ERROR_INTERRUPTED && s->altered) {
        view_sim_say(s, -1, true, dp_last_error());
        *options = s->good;
        s->altered = false;
        status = step_in_time(s);
        view_sim_tell_state(s, -1);
    }
    if (status == DP_OK && s->altered) {
        s->good = *options;
        s->altered = false;
    }
    return status;
}

bool view_step(view_sim *s)
{
    const double start = cli_thread_clock();
    s->step_began = cli_clock();
    const dp_status status = step_with_care(s);
    s->meter.costs.steps += cli_thread_clock() - start;
    s->again = status == DP_ERROR_INTERRUPTED && !s->running;
    if (status == DP_ERROR_INTERRUPTED) {
        return false;
    }
    ++s->meter.costs.step_count;
    s->changed = true;
    if (status != DP_OK) {
        view_sim_say(s, -1, true, dp_last_error());
        s->running = false;
        view_sim_tell_state(s, -1);
    } else if (s->record.replay) {
        view_sim_look_at_record(s);
    }
    return true;
}

double view_steps(view_sim *s)
{
    const double start = cli_clock();
    double now = start;
    if (s->again && !s->running) {
        (void)view_step(s);
        return s->again ? now : INFINITY;
    }
    while (s->running) {
        const double h = dp_data_options(s->d)->step;
        const double due =
            s->speed > 0.0 ? s->wall0 + (dp_data_time(s->d) + h - s->time0) / s->speed : now;
        if (now < due) {
            return due;
        }
        if (now - due > MOST_DEBT) {
            s->wall0 += now - due;
        }
        if (now - start > SLICE) {
            return now;
        }
        const bool made = view_step(s);
        now = cli_clock();
        if (!made) {
            return now; // to the commands
        }
    }
    return INFINITY;
}

// --- showing

// While somebody does something, waits for what it does, or looks at what stands still.
static bool is_hurried(const view_sim *s, double now)
{
    return !s->running || any_held(s) || now < s->heard + ATTENTION;
}

static void make_frame(view_sim *s)
{
    view_stream *x = &s->stream;
    const double start = cli_thread_clock();
    if (dp_kinematics(s->d) == DP_OK &&
        view_frame_add(&x->message, s->m, s->d, s->version, s->running, &s->pace)) {
        view_stream_note_frame(x, cli_clock());
    }
    s->changed = false;
    s->meter.costs.frames += cli_thread_clock() - start;
    ++s->meter.costs.frame_count;
}

static void send_frames(view_sim *s, bool at_once)
{
    view_stream *x = &s->stream;
    const double start = cli_thread_clock();
    s->setup.audience.show(s->setup.audience.context, x->message.byte, x->message.count);
    view_stream_note_message(x, at_once);
    s->meter.costs.messages += cli_thread_clock() - start;
    ++s->meter.costs.message_count;
}

double view_show(view_sim *s, double now)
{
    view_stream *x = &s->stream;
    const bool at_once = is_hurried(s, now);
    double next = INFINITY;
    if (s->changed) {
        const double due = view_stream_frame_due(x, at_once);
        if (now >= due) {
            make_frame(s);
        } else {
            next = due;
        }
    }
    if (x->waiting > 0) {
        const double due = view_stream_message_due(x, at_once);
        if (now >= due) {
            send_frames(s, at_once);
        } else {
            next = fmin(next, due);
        }
    }
    return next;
}
