// The simulation behind `dashpot view`, and pages that speak faster than it steps.
#include "json_text.h"
#include "near.h"
#include "text_file.h"
#include "view_frame.h"
#include "view_session.h"

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
    double height;  // of the ball, in the newest frame
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

static void see_frame(void *context, const void *frame, size_t bytes)
{
    listener *l = context;
    float z;
    assert_true(bytes > 64 + 56);
    memcpy(&z, (const char *)frame + 64 + 28 + 8, sizeof z); // of body 1
    pthread_mutex_lock(&l->lock);
    l->height = (double)z;
    pthread_mutex_unlock(&l->lock);
}

static double spend_nothing(void *context)
{
    (void)context;
    return 0.0;
}

static view_session *start(listener *l)
{
    *l = (listener){.tester = pthread_self(), .height = NAN};
    pthread_mutex_init(&l->lock, NULL);
    pthread_cond_init(&l->opened, NULL);
    write_text(BALL, ball_scene);
    static cli_allow allow;
    view_scene scene = {.title = "ball"};
    assert_int_equal(cli_scene_load(&scene.loaded, BALL, &allow), DP_OK);
    const view_setup setup = {.ground = {BALL, DP_SCRATCH, &allow},
                              .options = *dp_model_options(scene.loaded.model),
                              .paused = true,
                              .audience = {l, hear_words, see_frame, spend_nothing}};
    view_session *s;
    assert_true(view_session_start(&s, &scene, &setup));
    view_session_join(s, 0);
    return s;
}

static void stop(listener *l, view_session *s)
{
    char saved[VIEW_SAVED];
    assert_true(view_session_stop(s, saved));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thousand_pulls_in_one_step_are_one_and_the_last_counts),
        cmocka_unit_test(release_and_pause_are_heard_where_nothing_else_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
