// The simulation behind `dashpot view`, and pages that speak faster than it steps.
#include "json_text.h"
#include "near.h"
#include "text_file.h"
#include "view/view_frame.h"
#include "view/view_session.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define BALL DP_SCRATCH "/thread_session_ball.xml"

// A ball on the ground, and another on a rail with a motor.
static const char ball_scene[] =
    "<mujoco><option gravity='0 0 -10'/><worldbody><geom type='plane' size='9 9 1'/>"
    "<body pos='0 0 0.1'><freejoint/><geom size='0.1'/></body>"
    "<body pos='5 0 1'><joint name='rail' type='slide'/><geom size='0.1'/></body></worldbody>"
    "<actuator><motor joint='rail'/></actuator></mujoco>";

// Listens in place of pages. A closed gate holds the simulation up as a step without end would.
typedef struct listener {
    pthread_t tester;
    pthread_mutex_t lock;
    pthread_cond_t opened;
    bool closed, held;
    int complaints; // to the one who speaks, at once
    bool running;   // as it was told last
    // Of the newest frame:
    double height; // of the ball
    float reach;   // of the one on the rail, which moves up
    double time;
    bool stands;   // it was made while paused
    int together;  // frames in its message
    int alone;     // messages of one frame, one after the other
    int messages;  // so far
    int known;     // of them to the test
    bool disorder; // time has gone back
    double price;  // [s] of a message
    double spent;
} listener;

static void hear_words(void *context, int client, const char *text, size_t bytes)
{
    (void)client;
    (void)bytes;
    listener *l = context;
    pthread_mutex_lock(&l->lock);
    if (pthread_equal(pthread_self(), l->tester)) {
        ++l->complaints;
    } else {
        if (strstr(text, "\"running\"")) { // of a state
            l->running = strncmp(json_at(text, NULL, "running"), "true", 4) == 0;
        }
        while (l->closed) {
            l->held = true;
            pthread_cond_wait(&l->opened, &l->lock);
        }
        l->held = false;
    }
    pthread_mutex_unlock(&l->lock);
}

static uint32_t word_at(const char *bytes)
{
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

static float float_at(const char *bytes)
{
    float x;
    memcpy(&x, bytes, sizeof x);
    return x;
}

// @return the bytes of the frame
static size_t see_frame(listener *l, const char *frame)
{
    const uint32_t nbody = word_at(frame + 12), ncontact = word_at(frame + 16);
    const double before = l->time;
    assert_int_equal(word_at(frame), VIEW_FRAME_MAGIC);
    assert_int_equal(nbody, 3);
    memcpy(&l->time, frame + 24, sizeof l->time);
    l->disorder = l->disorder || l->time < before;
    l->stands = (word_at(frame + 8) & 1) == 0;
    l->height = (double)float_at(frame + 64 + 28 + 8);
    l->reach = float_at(frame + 64 + 56 + 8);
    return 64 + 28 * nbody + 48 * ncontact + (ncontact + 3) / 4 * 4 + 4 * word_at(frame + 20);
}

static void see_frames(void *context, const void *frames, size_t bytes)
{
    listener *l = context;
    pthread_mutex_lock(&l->lock);
    size_t at = 0;
    for (l->together = 0; at < bytes; ++l->together) {
        at += see_frame(l, (const char *)frames + at);
    }
    assert_int_equal(at, bytes);
    l->alone = l->together == 1 ? l->alone + 1 : 0;
    l->spent += l->price;
    ++l->messages;
    pthread_mutex_unlock(&l->lock);
}

static double tell_spent(void *context)
{
    listener *l = context;
    pthread_mutex_lock(&l->lock);
    const double spent = l->spent;
    pthread_mutex_unlock(&l->lock);
    return spent;
}

// @param price [s] of processor time that a message is said to take
static view_session *start_at(listener *l, double speed, double price)
{
    *l = (listener){.tester = pthread_self(), .height = NAN, .price = price};
    pthread_mutex_init(&l->lock, NULL);
    pthread_cond_init(&l->opened, NULL);
    write_text(BALL, ball_scene);
    static cli_allow allow;
    view_scene scene = {.title = "ball"};
    assert_int_equal(cli_scene_load(&scene.loaded, BALL, &allow), DP_OK);
    const view_setup setup = {.ground = {BALL, DP_SCRATCH, &allow},
                              .options = *dp_model_options(scene.loaded.model),
                              .paused = true,
                              .speed = speed,
                              .audience = {l, hear_words, see_frames, tell_spent}};
    view_session *s;
    assert_true(view_session_start(&s, &scene, &setup));
    view_session_join(s, 0);
    return s;
}

// As fast as it goes.
static view_session *start(listener *l)
{
    return start_at(l, 0.0, 0.0);
}

static void stop(listener *l, view_session *s)
{
    char saved[VIEW_SAVED];
    double time;
    assert_true(view_session_stop(s, saved, &time));
    assert_string_equal(saved, "");
    pthread_cond_destroy(&l->opened);
    pthread_mutex_destroy(&l->lock);
}

static void say(view_session *s, const char *text)
{
    view_session_hear(s, 0, text, strlen(text));
}

static void set_gate(listener *l, bool closed)
{
    pthread_mutex_lock(&l->lock);
    l->closed = closed;
    pthread_cond_broadcast(&l->opened);
    pthread_mutex_unlock(&l->lock);
}

static bool is_held(const listener *l)
{
    return l->held;
}

static bool is_paused(const listener *l)
{
    return !l->running;
}

static bool is_half_way_up(const listener *l)
{
    // The hand is at 0.5 m; it hangs lower by g/ω², with ω = 10π rad/s.
    return fabs(l->height - (0.5 - 10.0 / (100.0 * 9.8696))) < 0.01;
}

static bool is_down(const listener *l)
{
    return fabs(l->height - 0.1) < 0.01;
}

static bool has_several(const listener *l)
{
    return l->together >= 5;
}

static bool has_single_ones(const listener *l)
{
    return l->alone >= 10;
}

static bool has_more(const listener *l)
{
    return l->messages > l->known;
}

static bool stands_still(const listener *l)
{
    return l->stands;
}

static void wait_until(listener *l, bool (*good)(const listener *))
{
    bool done = false;
    for (int i = 0; i < 6000 && !done; ++i) { // a minute
        pthread_mutex_lock(&l->lock);
        done = good(l);
        pthread_mutex_unlock(&l->lock);
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    assert_true(done);
}

// The next thing that it says holds it up.
static void hold_up(listener *l, view_session *s)
{
    set_gate(l, true);
    say(s, "{\"do\":\"run\"}");
    wait_until(l, is_held);
}

static void a_thousand_pulls_in_one_step_are_one_and_the_last_counts(void **state)
{
    (void)state;
    listener l;
    view_session *s = start(&l);
    hold_up(&l, s);
    say(s, "{\"do\":\"grab\",\"body\":1,\"at\":[0,0,0]}");
    for (int i = 0; i < 1000; ++i) {
        say(s, "{\"do\":\"pull\",\"to\":[0,0,2]}");
    }
    say(s, "{\"do\":\"pull\",\"to\":[0,0,0.5]}");
    set_gate(&l, false);
    wait_until(&l, is_half_way_up);
    hold_up(&l, s);
    for (int i = 0; i < 1000; ++i) {
        say(s, "{\"do\":\"pull\",\"to\":[0,0,2]}");
    }
    say(s, "{\"do\":\"release\"}");
    say(s, "{\"do\":\"pull\",\"to\":[0,0,2]}"); // of nothing
    set_gate(&l, false);
    wait_until(&l, is_down);
    assert_int_equal(l.complaints, 0);
    stop(&l, s);
}

static void release_and_pause_are_heard_where_nothing_else_is(void **state)
{
    (void)state;
    listener l;
    view_session *s = start(&l);
    say(s, "{\"do\":\"grab\",\"body\":1,\"at\":[0,0,0]}");
    say(s, "{\"do\":\"pull\",\"to\":[0,0,0.5]}");
    say(s, "{\"do\":\"run\"}");
    wait_until(&l, is_half_way_up);
    hold_up(&l, s);
    for (int i = 0; i < 1000; ++i) {
        say(s, "{\"do\":\"control\",\"actuator\":0,\"value\":1}");
    }
    const int refused = l.complaints;
    assert_true(refused > 0 && refused < 1000);
    for (int i = 0; i < 1000; ++i) {
        say(s, "{\"do\":\"release\"}");
        say(s, "{\"do\":\"pause\"}");
    }
    assert_int_equal(l.complaints, refused);
    set_gate(&l, false);
    wait_until(&l, is_paused);
    say(s, "{\"do\":\"run\"}");
    wait_until(&l, is_down);
    stop(&l, s);
}

// --- how frames are sent

enum { DEAR = 1 }; // [s] of a message: more than steps could ever pay for

static void frames_that_are_dear_go_together_and_in_order(void **state)
{
    (void)state;
    listener l;
    view_session *s = start_at(&l, 1.0, DEAR);
    say(s, "{\"do\":\"run\"}");
    wait_until(&l, has_several);
    pthread_mutex_lock(&l.lock);
    assert_true(l.together <= 31); // half a second of 60 frames a second
    assert_false(l.disorder);
    pthread_mutex_unlock(&l.lock);
    stop(&l, s);
}

static void frames_go_at_once_while_a_body_is_held_and_after_a_control(void **state)
{
    (void)state;
    listener l;
    view_session *s = start_at(&l, 1.0, DEAR);
    say(s, "{\"do\":\"run\"}");
    wait_until(&l, has_several);
    say(s, "{\"do\":\"grab\",\"body\":1,\"at\":[0,0,0]}");
    wait_until(&l, has_single_ones);
    nanosleep(&(struct timespec){.tv_sec = 3}, NULL); // long after it was said
    pthread_mutex_lock(&l.lock);
    assert_int_equal(l.together, 1);
    pthread_mutex_unlock(&l.lock);
    say(s, "{\"do\":\"release\"}");
    wait_until(&l, has_several);
    say(s, "{\"do\":\"control\",\"actuator\":0,\"value\":1}");
    wait_until(&l, has_single_ones);
    wait_until(&l, has_several);
    stop(&l, s);
}

static void a_pause_shows_the_last_state_and_a_step_the_next(void **state)
{
    (void)state;
    listener l;
    view_session *s = start_at(&l, 1.0, DEAR);
    say(s, "{\"do\":\"run\"}");
    wait_until(&l, has_several);
    say(s, "{\"do\":\"pause\"}");
    wait_until(&l, stands_still);
    pthread_mutex_lock(&l.lock);
    const double time = l.time;
    const int messages = l.messages;
    pthread_mutex_unlock(&l.lock);
    nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
    pthread_mutex_lock(&l.lock);
    assert_true(l.time == time && l.messages == messages);
    l.known = messages;
    pthread_mutex_unlock(&l.lock);
    say(s, "{\"do\":\"step\"}");
    wait_until(&l, has_more);
    pthread_mutex_lock(&l.lock);
    assert_true(l.time == time + 0.002 && l.together == 1);
    pthread_mutex_unlock(&l.lock);
    stop(&l, s);
}

// Where the ball on the rail is after so long, without pages.
static float run_alone(double time)
{
    static cli_allow allow;
    cli_scene scene = {0};
    dp_data *d;
    assert_int_equal(cli_scene_load(&scene, BALL, &allow), DP_OK);
    assert_int_equal(dp_data_create(&d, scene.model, NULL), DP_OK);
    dp_data_control(d)[0] = 1.0;
    while (dp_data_time(d) < time) {
        assert_int_equal(dp_step(d), DP_OK);
    }
    assert_true(dp_data_time(d) == time);
    assert_int_equal(dp_kinematics(d), DP_OK);
    const float reach = (float)dp_body_pose(d, (dp_body_id){2}).p.z;
    dp_data_destroy(d);
    cli_scene_destroy(&scene);
    return reach;
}

static void pages_see_what_happens_without_them(void **state)
{
    (void)state;
    listener l;
    view_session *s = start_at(&l, 1.0, DEAR);
    say(s, "{\"do\":\"control\",\"actuator\":0,\"value\":1}");
    say(s, "{\"do\":\"run\"}");
    wait_until(&l, has_several);
    pthread_mutex_lock(&l.lock);
    const double time = l.time;
    const float reach = l.reach;
    pthread_mutex_unlock(&l.lock);
    assert_true(time > 0.0 && reach != 1.0f);
    assert_true(reach == run_alone(time)); // to the last bit
    stop(&l, s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thousand_pulls_in_one_step_are_one_and_the_last_counts),
        cmocka_unit_test(release_and_pause_are_heard_where_nothing_else_is),
        cmocka_unit_test(frames_that_are_dear_go_together_and_in_order),
        cmocka_unit_test(frames_go_at_once_while_a_body_is_held_and_after_a_control),
        cmocka_unit_test(a_pause_shows_the_last_state_and_a_step_the_next),
        cmocka_unit_test(pages_see_what_happens_without_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
