// `dashpot view`, as a browser sees it.
#include "json_text.h"
#include "live_client.h"
#include "near.h"
#include "program_run.h"
#include "text_file.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SCRATCH(name) DP_SCRATCH "/thread_view_" name
#define PENDULUM DP_SCENES "/pendulum.xml"
#define BALL SCRATCH("ball.xml")

// A ball of 1 kg on springs of 1000 N/m, so that it rests 1 cm deep where g is 10; a motor that
// pushes nothing else.
static const char ball_scene[] =
    "<mujoco xmlns:dp='dashpot'><option gravity='0 0 -10'/><worldbody>"
    "<geom type='plane' size='1 1 1' dp:stiffness='1e12'/>"
    "<body name='ball' pos='0 0 0.09'><freejoint/><geom size='0.1' mass='1' dp:stiffness='1000' "
    "dp:damping='60'/></body>"
    "<body pos='5 0 1'><joint name='slide' type='slide'/><geom size='0.1' mass='1'/></body>"
    "</worldbody><actuator><motor name='push' joint='slide' ctrlrange='-2 2'/></actuator>"
    "<keyframe><key name='high' qpos='0 0 3 1 0 0 0 0'/></keyframe></mujoco>";

static int make_scene(void **state)
{
    (void)state;
    write_text(BALL, ball_scene);
    return 0;
}

static void join(live_page *page, const live_server *server)
{
    assert_int_equal(live_connect(page, server, NULL), 101);
}

static void expect_text(const char *json, const char *key, const char *value)
{
    char quoted[300];
    snprintf(quoted, sizeof quoted, "\"%s\"", value);
    const char *found = json_at(json, NULL, key);
    assert_non_null(found);
    if (strncmp(found, quoted, strlen(quoted)) != 0) {
        fail_msg("%s is %.80s (expected %s)", key, found, quoted);
    }
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// --- who may come in

static void the_page_is_all_that_is_served(void **state)
{
    (void)state;
    static const char *const other[] = {"/favicon.ico",
                                        "/index.html",
                                        "/..",
                                        "/../../../../etc/passwd",
                                        "/%2e%2e/%2e%2e/etc/passwd",
                                        "//etc/passwd",
                                        "/live/x",
                                        "/pendulum.xml"};
    live_server server = {0};
    LIVE_START(&server, PENDULUM);
    static char page[MOST_TEXT];
    assert_int_equal(live_get(&server, "/", NULL, page, sizeof page), 200);
    assert_non_null(strstr(page, "\"live\":true"));
    for (size_t i = 0; i < sizeof other / sizeof *other; ++i) {
        const int status = live_get(&server, other[i], NULL, page, sizeof page);
        if (status != 404) {
            fail_msg("%s is answered by %d", other[i], status);
        }
        assert_null(strstr(page, "root:"));
        assert_null(strstr(page, "\"live\":true"));
    }
    assert_int_equal(live_stop(&server), CTRL_C);
}

static void strangers_are_refused(void **state)
{
    (void)state;
    live_server server = {0};
    LIVE_START(&server, PENDULUM);
    char other_port[64];
    snprintf(other_port, sizeof other_port, "127.0.0.1:%d", server.port + 1);
    const live_claim bad[] = {
        {.origin = "http://example.org"},
        {.origin = "null"},
        {.origin = ""},
        {.origin = "https://127.0.0.1"},
        {.host = "example.org"},
        {.host = other_port},
        {.token = "00000000000000000000000000000000"},
        {.token = ""},
        {.token = "0"},
        {.token = "", .path = "/l%69ve"}, // another way to write the same
        {.origin = "http://example.org", .path = "/%6cive"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        live_page page;
        assert_int_equal(live_connect(&page, &server, &bad[i]), 403);
    }
    assert_int_equal(live_get(&server, "/", "example.org", NULL, 0), 403);
    live_page page;
    join(&page, &server); // and its own page is not
    live_text(&page, "scene");
    live_close(&page);
    assert_int_equal(live_stop(&server), CTRL_C);
}

// The server's library takes most of these for /live.
static const char *const near_live[] = {
    "/live/",  "/live/x", "/livex",        "/live.x",   "/LIVE",      "/Live/",
    "/live//", "/live;a", "/live%2f",      "/live%2fx", "/x/../live", "//live",
    "/live/.", "/./live", "/live/../live", "/",         "/?x",        "/x"};

static void only_the_exact_path_leads_to_the_simulation(void **state)
{
    (void)state;
    live_server server = {0};
    LIVE_START(&server, PENDULUM);
    for (size_t i = 0; i < sizeof near_live / sizeof *near_live; ++i) {
        const live_claim claims[] = {
            {.path = near_live[i]}, // even with all else that is asked for
            {.path = near_live[i], .token = ""},
            {.path = near_live[i], .token = "", .origin = "http://example.org"},
            {.path = near_live[i], .token = "", .origin = ""},
        };
        for (size_t k = 0; k < sizeof claims / sizeof *claims; ++k) {
            live_page page;
            const int status = live_connect(&page, &server, &claims[k]);
            if (status == 101) {
                fail_msg("%s is let in with claim %zu", near_live[i], k);
            }
        }
    }
    live_page page;
    join(&page, &server);
    live_text(&page, "scene");
    live_close(&page);
    assert_int_equal(live_stop(&server), CTRL_C);
}

static void no_method_but_get_and_head_is_answered(void **state)
{
    (void)state;
    static const char *const method[] = {"OPTIONS", "POST", "PUT", "DELETE", "PROPFIND", "TRACE"};
    static const char *const path[] = {"/", "/live", "/x", "*"};
    static char answer[MOST_TEXT];
    live_server server = {0};
    LIVE_START(&server, PENDULUM);
    char own[100], preflight[300];
    snprintf(own, sizeof own, "Host: 127.0.0.1:%d\r\n", server.port);
    snprintf(preflight, sizeof preflight,
             "%sOrigin: http://example.org\r\nAccess-Control-Request-Method: GET\r\n", own);
    const char *const headers[] = {own, preflight, "Host: example.org\r\n",
                                   "Host: example.org\r\nOrigin: http://example.org\r\n"
                                   "Access-Control-Request-Method: GET\r\n"};
    for (size_t i = 0; i < sizeof method / sizeof *method; ++i) {
        for (size_t j = 0; j < sizeof path / sizeof *path; ++j) {
            for (size_t k = 0; k < sizeof headers / sizeof *headers; ++k) {
                const int status =
                    live_ask(&server, method[i], path[j], headers[k], answer, sizeof answer);
                // 0: it hangs up on *.
                if ((status != 0 && status < 400) || strstr(answer, "Access-Control-Allow")) {
                    fail_msg("%s %s with %s is answered by %s", method[i], path[j], headers[k],
                             answer);
                }
            }
        }
    }
    assert_int_equal(live_ask(&server, "HEAD", "/", own, answer, sizeof answer), 200);
    assert_null(strstr(answer, "token"));
    assert_int_equal(live_stop(&server), CTRL_C);
}

static void wait_for_clients(live_page *page, int count)
{
    while ((int)json_number(live_text(page, "state"), NULL, "clients") != count) {
    }
}

static void more_pages_than_there_are_places_are_turned_away(void **state)
{
    (void)state;
    enum { PLACES = 8 };
    live_server server = {0};
    LIVE_START(&server, PENDULUM);
    live_page page[PLACES], more;
    for (int i = 0; i < PLACES; ++i) {
        join(&page[i], &server);
        live_text(&page[i], "scene");
    }
    assert_int_not_equal(live_connect(&more, &server, NULL), 101);
    wait_for_clients(&page[0], PLACES); // the others go on
    live_close(&page[3]);
    wait_for_clients(&page[0], PLACES - 1);
    join(&more, &server); // a place is free again
    live_text(&more, "scene");
    live_close(&more);
    for (int i = 0; i < PLACES; ++i) {
        live_close(&page[i]);
    }
    assert_int_equal(live_stop(&server), CTRL_C);
}

// --- what pages say

static void a_page_is_told_scene_and_state_and_gets_frames(void **state)
{
    (void)state;
    live_server server = {0};
    LIVE_START(&server, BALL, "--paused", "--law", "ncp");
    live_page page;
    join(&page, &server);
    const char *scene = live_text(&page, "scene");
    assert_true(json_number(scene, NULL, "version") == 1.0);
    assert_non_null(json_find(scene, "bodies", "name", "ball"));
    static const char *const law[] = {"compliant", "lcp", "ncp", "vi", "tamsi", "ode"};
    for (size_t i = 0; i < sizeof law / sizeof *law; ++i) {
        assert_non_null(json_find(scene, "laws", "name", law[i]));
    }
    const char *push = json_find(scene, "actuators", "name", "push");
    assert_non_null(push);
    assert_true(json_number(push, NULL, "lo") == -2.0 && json_number(push, NULL, "hi") == 2.0);
    const char *told = live_text(&page, "state");
    expect_text(told, "law", "ncp");
    expect_text(told, "scene", "thread_view_ball");
    assert_int_equal(strncmp(json_at(told, NULL, "running"), "false", 5), 0);
    const live_frame still = live_next_frame(&page, 1);
    assert_true(still.time == 0.0 && still.nbody == 3 && still.nchannel == 1);
    live_send(&page, "{\"do\":\"step\"}");
    assert_near(live_next_frame(&page, 1).time, 0.002, 1e-12);
    live_send(&page, "{\"do\":\"reset\",\"key\":\"high\"}");
    const live_frame high = live_next_frame(&page, 1);
    assert_near(high.z, 3.0, 1e-6);
    assert_true(high.time == 0.0);
    live_send_in_parts(&page, "{\"do\":\"control\",\"actuator\":0,\"value\":1.5}");
    assert_near(live_next_frame(&page, 1).control, 1.5, 1e-6);
    live_close(&page);
    assert_int_equal(live_stop(&server), CTRL_C);
}

static void what_is_malformed_is_answered_and_the_page_stays(void **state)
{
    (void)state;
    static const struct {
        const char *text, *answer;
    } bad[] = {
        {"", "expected '{'"},
        {"[]", "expected '{'"},
        {"{}", "no field 'do'"},
        {"{\"do\":\"fly\"}", "unknown command 'fly'"},
        {"{\"do\":\"run\"", "expected '}'"},
        {"{\"do\":\"run\"}x", "goes on"},
        {"{\"do\":\"run\",\"do\":\"run\"}", "twice"},
        {"{\"do\":\"run\",\"value\":1}", "takes no value"},
        {"{\"do\":\"law\"}", "no value"},
        {"{\"do\":\"law\",\"value\":3}", "no value that is a text"},
        {"{\"do\":\"law\",\"value\":\"magic\"}", "magic"},
        {"{\"do\":\"speed\",\"value\":-1}", "expected 0 to 1000"},
        {"{\"do\":\"speed\",\"value\":1e999}", "finite number"},
        {"{\"do\":\"set\",\"name\":\"step\",\"value\":0}", "step"},
        {"{\"do\":\"set\",\"name\":\"colour\",\"value\":1}", "colour"},
        {"{\"do\":\"control\",\"actuator\":7,\"value\":1}", "no actuator 7"},
        {"{\"do\":\"control\",\"actuator\":0.5,\"value\":1}", "whole number"},
        {"{\"do\":\"grab\",\"body\":0,\"at\":[0,0,0]}", "cannot be moved"},
        {"{\"do\":\"grab\",\"body\":99,\"at\":[0,0,0]}", "cannot be moved"},
        {"{\"do\":\"grab\",\"body\":1,\"at\":[0,0]}", "expected ','"},
        {"{\"do\":\"reset\",\"key\":\"nowhere\"}", "nowhere"},
        {"{\"do\":\"scene\",\"name\":\"../x.xml\",\"text\":\"\"}", "plain name"},
        {"{\"do\":\"scene\",\"name\":\"/etc/x.xml\",\"text\":\"\"}", "plain name"},
        {"{\"do\":\"scene\",\"name\":\".x.xml\",\"text\":\"\"}", "plain name"},
        {"{\"do\":\"\\ud800\"}", "not valid"},
        {"{\"do\":\"\xff\"}", "not valid"},
    };
    live_server server = {0};
    LIVE_START(&server, BALL);
    live_page page;
    join(&page, &server);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        live_send(&page, bad[i].text);
        const char *said = live_text(&page, "say");
        expect_text(said, "level", "error");
        if (!strstr(said, bad[i].answer)) {
            fail_msg("%s is answered by %s (expected %s)", bad[i].text, said, bad[i].answer);
        }
    }
    live_send(&page, "{\"do\":\"pause\"}");
    assert_int_equal(strncmp(json_at(live_text(&page, "state"), NULL, "running"), "false", 5), 0);
    live_close(&page);
    assert_int_equal(live_stop(&server), CTRL_C);
}

static void a_message_that_is_too_long_is_told(void **state)
{
    (void)state;
    const size_t most = (size_t)32 << 20;
    char *text = malloc(most + 2);
    assert_non_null(text);
    memset(text, ' ', most + 1);
    text[most + 1] = '\0';
    live_server server = {0};
    LIVE_START(&server, PENDULUM);
    live_page page;
    join(&page, &server);
    live_send(&page, text);
    assert_non_null(strstr(live_text(&page, "say"), "too long (at most 32 MiB)"));
    live_send_in_parts(&page, text);
    assert_non_null(strstr(live_text(&page, "say"), "too long (at most 32 MiB)"));
    live_send(&page, "{\"do\":\"fly\"}"); // the page stays
    assert_non_null(strstr(live_text(&page, "say"), "unknown command 'fly'"));
    free(text);
    live_close(&page);
    assert_int_equal(live_stop(&server), CTRL_C);
}

static void two_pages_share_one_simulation(void **state)
{
    (void)state;
    live_server server = {0};
    LIVE_START(&server, BALL);
    live_page one, two;
    join(&one, &server);
    live_text(&one, "state");
    join(&two, &server);
    assert_true(json_number(live_text(&one, "state"), NULL, "clients") == 2.0);
    live_text(&two, "state");
    live_send(&two, "{\"do\":\"set\",\"name\":\"friction\",\"value\":0.5}");
    assert_true(json_number(live_text(&one, "state"), NULL, "friction") == 0.5);
    assert_true(json_number(live_text(&two, "state"), NULL, "friction") == 0.5);
    live_close(&two); // without a word
    assert_true(json_number(live_text(&one, "state"), NULL, "clients") == 1.0);
    live_next_frame(&one, 0);
    live_send(&one, "{\"do\":\"control\",\"actuator\":0,\"value\":1.5}");
    live_send(&one, "{\"do\":\"pause\"}"); // and it is answered: both have been heard
    live_text(&one, "state");
    join(&two, &server);
    const char *push = json_find(live_text(&two, "scene"), "actuators", "name", "push");
    assert_true(json_number(push, NULL, "value") == 1.5);
    assert_true(json_number(push, NULL, "own") == 0.0); // as the file has it
    live_close(&two);
    live_close(&one);
    assert_int_equal(live_stop(&server), CTRL_C);
}

// --- what the simulation does

// Frames until the ball is so high, or for ten simulated seconds.
static live_frame frames_until(live_page *page, double height)
{
    live_frame f = live_next_frame(page, 1);
    const double end = f.time + 10.0;
    while (f.time < end && fabs(f.z - height) > 0.01) {
        f = live_next_frame(page, 1);
    }
    return f;
}

static void a_grabbed_body_goes_where_it_is_pulled(void **state)
{
    (void)state;
    live_server server = {0};
    LIVE_START(&server, BALL);
    live_page page;
    join(&page, &server);
    live_send(&page, "{\"do\":\"grab\",\"body\":1,\"at\":[0,0,0]}");
    live_send(&page, "{\"do\":\"pull\",\"to\":[0,0,1]}");
    // It hangs lower than the hand by g/ω², with ω = 10π rad/s.
    const double sag = 10.0 / (100.0 * 9.8696);
    assert_near(frames_until(&page, 1.0 - sag).z, 1.0 - sag, 0.01);
    live_send(&page, "{\"do\":\"release\"}");
    assert_near(frames_until(&page, 0.09).z, 0.09, 0.01);
    live_send(&page, "{\"do\":\"grab\",\"body\":1,\"at\":[0,0,0]}");
    live_send(&page, "{\"do\":\"pull\",\"to\":[0,0,1]}");
    frames_until(&page, 1.0 - sag);
    live_close(&page); // lets go, too
    join(&page, &server);
    assert_near(frames_until(&page, 0.09).z, 0.09, 0.01);
    live_close(&page);
    assert_int_equal(live_stop(&server), CTRL_C);
}

static void law_and_stiffness_change_while_it_runs(void **state)
{
    (void)state;
    live_server server = {0};
    LIVE_START(&server, BALL, "--speed", "0");
    live_page page;
    join(&page, &server);
    live_text(&page, "state");
    assert_near(frames_until(&page, 0.09).overlap, 0.01, 0.005);
    live_send(&page, "{\"do\":\"set\",\"name\":\"stiffness\",\"value\":10}");
    assert_true(json_number(live_text(&page, "state"), NULL, "stiffness") == 10.0);
    live_frame f = live_next_frame(&page, 1);
    const double end = f.time + 5.0;
    while (f.time < end) {
        f = live_next_frame(&page, 1);
    }
    assert_near(f.overlap, 0.001, 1e-5); // m g/k
    static const char *const law[] = {"lcp", "ncp", "vi", "tamsi", "ode", "compliant"};
    for (size_t i = 0; i < sizeof law / sizeof *law; ++i) {
        char text[100];
        snprintf(text, sizeof text, "{\"do\":\"law\",\"value\":\"%s\"}", law[i]);
        live_send(&page, text);
        expect_text(live_text(&page, "state"), "law", law[i]);
        const double start = live_next_frame(&page, 1).time;
        do {
            f = live_next_frame(&page, 1);
        } while (f.time < start + 0.1);
        assert_int_equal(f.flags & 2u, 2); // solved
        assert_true(f.residual < 1e-6f);
    }
    live_close(&page);
    assert_int_equal(live_stop(&server), CTRL_C);
}

static void a_bad_scene_is_told_and_the_old_one_goes_on(void **state)
{
    (void)state;
    live_server server = {0};
    LIVE_START(&server, BALL);
    live_page page;
    join(&page, &server);
    live_send(&page, "{\"do\":\"scene\",\"name\":\"bad.xml\",\"text\":\"<mujoco><worldbody><body>"
                     "<joint type='bend'/></body></worldbody></mujoco>\"}");
    assert_non_null(strstr(live_text(&page, "say"), "bend"));
    const double time = live_next_frame(&page, 1).time;
    live_frame f;
    do {
        f = live_next_frame(&page, 1);
    } while (f.time <= time);
    assert_true(f.version == 1);
    live_send(&page, "{\"do\":\"scene\",\"name\":\"good.xml\",\"text\":\"<mujoco><worldbody>"
                     "<body name='other'><freejoint/><geom size='1'/></body></worldbody>"
                     "</mujoco>\"}");
    const char *scene = live_text(&page, "scene");
    assert_true(json_number(scene, NULL, "version") == 2.0);
    assert_non_null(json_find(scene, "bodies", "name", "other"));
    expect_text(live_text(&page, "state"), "scene", "good");
    live_close(&page);
    assert_int_equal(live_stop(&server), CTRL_C);
}

static void the_pace_is_measured_anew_after_a_pause(void **state)
{
    (void)state;
    live_server server = {0};
    LIVE_START(&server, BALL);
    live_page page;
    join(&page, &server);
    live_frame f;
    do {
        f = live_next_frame(&page, 1);
    } while (!isfinite(f.factor));
    live_send(&page, "{\"do\":\"pause\"}");
    while (live_next_frame(&page, 1).flags & 1u) {
    }
    nanosleep(&(struct timespec){.tv_sec = 2}, NULL);
    live_send(&page, "{\"do\":\"run\"}");
    do {
        f = live_next_frame(&page, 1);
    } while (!(f.flags & 1u));
    assert_true(isnan(f.factor));
    const double start = f.time, clock = now();
    do {
        f = live_next_frame(&page, 1);
    } while (isnan(f.factor));
    // Had the pause been measured, too, it would be a fifth at most of what the clock here says.
    assert_true((double)f.factor > 0.5 * (f.time - start) / (now() - clock));
    live_close(&page);
    assert_int_equal(live_stop(&server), CTRL_C);
}

static void a_simulation_that_hardly_moves_hears_what_is_said(void **state)
{
    (void)state;
    live_server server = {0};
    LIVE_START(&server, BALL);
    live_page page;
    join(&page, &server);
    live_text(&page, "state");
    live_send(&page, "{\"do\":\"speed\",\"value\":1e-300}");
    assert_true(json_number(live_text(&page, "state"), NULL, "speed") == 1e-300);
    live_send(&page, "{\"do\":\"speed\",\"value\":1}");
    assert_true(json_number(live_text(&page, "state"), NULL, "speed") == 1.0);
    const double time = live_next_frame(&page, 1).time;
    while (live_next_frame(&page, 1).time <= time) {
    }
    live_close(&page);
    assert_int_equal(live_stop(&server), CTRL_C);
}

// What streaming takes in two simulated seconds: of the steps, and of the time on the wall.
typedef struct streaming {
    double of_steps, of_time;
} streaming;

static streaming streaming_share(live_page *page, live_page *other, double start)
{
    const double step = 0.002; // [s] of the scene
    double steps = 0.0, wall = 0.0, time = 0.0;
    int count = 0;
    while (time < start + 2.0) {
        const live_frame f = live_next_frame(page, 0);
        live_next_frame(other, 0);
        time = f.time;
        if (time >= start) {
            assert_true(f.share > 0.0f); // somebody looks
            steps += (double)f.share;
            wall += (double)(f.share * f.cost_us * f.factor) * 1e-6 / step;
            ++count;
        }
    }
    print_message("%d frames, %g of the steps, %g of the time\n", count, steps / count,
                  wall / count);
    assert_true(count >= 20); // half of what there is where frames are dear
    return (streaming){steps / count, wall / count};
}

// Of steps that take next to nothing there need not be a tenth: a picture must be seen to move.
// What the first moments cost, before anything is known of costs, is forgotten in some seconds.
// Shares are ratios of times on the wall: other programs may disturb one interval, not each.
static void streaming_takes_less_than_a_tenth_of_the_steps_or_a_hundredth_of_the_time(void **state)
{
    (void)state;
    const double settled = 7.5; // [s]
    const int intervals = 6;
    live_server server = {0};
    LIVE_START(&server, DP_SCENES "/humanoid.xml"); // whose steps are short beside a message
    live_page page, other;
    join(&page, &server);
    join(&other, &server);
    bool little = false;
    for (int k = 0; k < intervals && !little; ++k) {
        const streaming s = streaming_share(&page, &other, settled + 2.0 * k);
        little = s.of_steps < 0.1 || s.of_time < 0.01;
    }
    assert_true(little);
    live_close(&other);
    live_close(&page);
    assert_int_equal(live_stop(&server), CTRL_C);
}

// Of the times that one page saw, those that another did not: it read on until after the last.
static int count_missed(live_page *page, const double *seen, int n)
{
    int missed = 0, k = 0;
    while (k < n) {
        const double time = live_next_frame(page, 0).time;
        for (; k < n && seen[k] <= time; ++k) {
            missed += seen[k] < time;
        }
    }
    return missed;
}

static void a_page_that_does_not_listen_holds_up_nobody(void **state)
{
    (void)state;
    enum { MOST_SEEN = 60, MANY = 10 };
    double seen[MOST_SEEN];
    live_server server = {0};
    LIVE_START(&server, DP_SCENES "/contact/pyramid.xml"); // whose frames are large
    live_page page, deaf;
    assert_int_equal(live_connect(&deaf, &server, &(live_claim){.room = 4096}), 101);
    join(&page, &server);
    int n = 0;
    for (const double clock = now(); now() < clock + 4.0 && n < MOST_SEEN;) {
        seen[n++] = live_next_frame(&page, 0).time;
    }
    const int missed = count_missed(&deaf, seen, n);
    print_message("it missed %d of %d frames\n", missed, n);
    assert_true(missed >= MANY); // since nothing more could be sent to it, while others saw them
    live_close(&deaf);
    live_close(&page);
    assert_int_equal(live_stop(&server), CTRL_C);
}

// --- files

static int count_files(const char *folder)
{
    DIR *d = opendir(folder);
    assert_non_null(d);
    int n = 0;
    for (const struct dirent *e = readdir(d); e; e = readdir(d)) {
        n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    }
    closedir(d);
    return n;
}

static void remove_all(const char *folder)
{
    DIR *d = opendir(folder);
    for (const struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
        char path[2000];
        snprintf(path, sizeof path, "%s/%.200s", folder, e->d_name);
        remove(path);
    }
    if (d) {
        closedir(d);
    }
}

static void recordings_go_to_the_chosen_folder(void **state)
{
    (void)state;
    mkdir(SCRATCH("out"), 0777);
    remove_all(SCRATCH("out"));
    live_server server = {0};
    LIVE_START(&server, BALL, "--folder", SCRATCH("out"), "--speed", "0");
    live_page page;
    join(&page, &server);
    live_text(&page, "state");
    for (int i = 1; i <= 2; ++i) {
        live_send(&page, "{\"do\":\"record\",\"on\":true}");
        assert_int_equal(strncmp(json_at(live_text(&page, "state"), NULL, "recording"), "true", 4),
                         0);
        const double start = live_next_frame(&page, 1).time;
        while (live_next_frame(&page, 1).time < start + 0.5) {
        }
        live_send(&page, "{\"do\":\"record\",\"on\":false}");
        char name[100], path[2000];
        snprintf(name, sizeof name, "thread_view_ball-%d.html", i);
        expect_text(live_text(&page, "saved"), "file", name);
        live_text(&page, "state"); // it records no more
        snprintf(path, sizeof path, "%s/%s", SCRATCH("out"), name);
        assert_true(exists(path));
    }
    live_send(&page, "{\"do\":\"record\",\"on\":true}");
    live_text(&page, "state");
    assert_int_equal(live_stop(&server), CTRL_C); // writes what is under way
    assert_int_equal(count_files(SCRATCH("out")), 3);
    live_close(&page);
}

static void recordings_end_at_their_limit_and_no_other_begins(void **state)
{
    (void)state;
    mkdir(SCRATCH("limit"), 0777);
    remove_all(SCRATCH("limit"));
    live_server server = {0};
    // A frame counts about 2 kB: it ends after some dozens, and the page is as large as the limit.
    LIVE_START(&server, BALL, "--folder", SCRATCH("limit"), "--speed", "0", "--recordings", "0.2");
    live_page page;
    join(&page, &server);
    live_send(&page, "{\"do\":\"record\",\"on\":true}");
    assert_non_null(strstr(live_text(&page, "say"), "as large as they may be (--recordings)"));
    live_text(&page, "saved");
    live_send(&page, "{\"do\":\"record\",\"on\":true}");
    assert_non_null(strstr(live_text(&page, "say"), "nothing is recorded"));
    assert_int_equal(strncmp(json_at(live_text(&page, "state"), NULL, "recording"), "false", 5), 0);
    assert_int_equal(count_files(SCRATCH("limit")), 1);
    live_close(&page);
    assert_int_equal(live_stop(&server), CTRL_C);
}

static void a_recording_that_is_lost_at_the_end_is_told(void **state)
{
    (void)state;
    mkdir(SCRATCH("gone"), 0777);
    remove_all(SCRATCH("gone"));
    live_server server = {0};
    LIVE_START(&server, BALL, "--folder", SCRATCH("gone"));
    live_page page;
    join(&page, &server);
    live_text(&page, "state");
    live_send(&page, "{\"do\":\"record\",\"on\":true}");
    live_text(&page, "state");
    assert_int_equal(rmdir(SCRATCH("gone")), 0);
    assert_int_equal(live_stop(&server), 1);
    live_close(&page);
}

static void files_of_a_scene_are_read_and_leave_nothing(void **state)
{
    (void)state;
    // A tetrahedron, as OBJ: v 0 0 0, v 1 0 0, v 0 1 0, v 0 0 1.
    static const char obj[] = "diAwIDAgMAp2IDEgMCAwCnYgMCAxIDAKdiAwIDAgMQo=";
    static const char scene[] =
        "{\"do\":\"scene\",\"name\":\"mesh ü, 2.xml\",\"text\":\"<mujoco><asset><mesh name='t' "
        "file='Würfel/t.obj'/></asset><worldbody><body><freejoint/><geom type='mesh' mesh='t'/>"
        "</body></worldbody></mujoco>\",\"files\":{\"%s\":\"%s\"}}";
    static const char *const hostile[] = {
        "../t.obj",     "/tmp/t.obj",   "a/../../t.obj", ".t.obj",    "",
        "a//t.obj",     "t.obj/",       "a/.t.obj",      "a/./t.obj", "a\\\\t.obj",
        "\\u0001t.obj", "\\u0085t.obj", "\\u007ft.obj"};
    mkdir(SCRATCH("meshes"), 0777);
    remove_all(SCRATCH("meshes"));
    live_server server = {0};
    LIVE_START(&server, BALL, "--folder", SCRATCH("meshes"));
    live_page page;
    join(&page, &server);
    char text[1000];
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; ++i) {
        snprintf(text, sizeof text, scene, hostile[i], obj);
        live_send(&page, text);
        assert_non_null(strstr(live_text(&page, "say"), "plain name"));
    }
    snprintf(text, sizeof text, scene, "Würfel/t.obj", "not base64!");
    live_send(&page, text);
    assert_non_null(strstr(live_text(&page, "say"), "base64"));
    snprintf(text, sizeof text, scene, "Würfel/t.obj", obj);
    live_send(&page, text);
    do {
    } while (json_number(live_text(&page, "scene"), NULL, "version") < 2.0);
    assert_int_equal(count_files(SCRATCH("meshes")), 0);
    live_close(&page);
    assert_int_equal(live_stop(&server), CTRL_C);
}

// --- the program

static void ctrl_c_ends_it_soon(void **state)
{
    (void)state;
    live_server server = {0};
    LIVE_START(&server, BALL);
    live_page page;
    join(&page, &server);
    live_next_frame(&page, 1);
    const double start = now();
    assert_int_equal(live_stop(&server), CTRL_C);
    assert_true(now() - start < 2.0); // a tenth of it in fact, and a busy machine
    live_close(&page);
}

// One step of thirty years by the differential equation.
static void
who_comes_or_speaks_within_a_step_of_minutes_is_answered_and_ctrl_c_ends_it(void **state)
{
    (void)state;
    live_server server = {0};
    LIVE_START(&server, DP_SCENES "/pendulum.xml", "--keyframe", "nearly_upright", "--law", "ode",
               "--step", "1e9", "--speed", "0", "--set", "max_substeps=2000000000");
    live_page one, two;
    join(&one, &server);
    live_text(&one, "scene"); // from now on it makes that step
    const double soon = 2.0;  // [s] 0.1 in fact, and a busy machine
    const struct timespec moment = {.tv_nsec = 300000000L};
    nanosleep(&moment, NULL);
    double start = now();
    join(&two, &server);
    live_text(&two, "scene");
    assert_true(now() - start < soon);
    nanosleep(&moment, NULL);
    start = now();
    live_send(&two, "{\"do\":\"set\",\"name\":\"friction\",\"value\":0.5}");
    while (!strstr(live_text(&two, "state"), "0.5")) {
        assert_true(now() - start < soon);
    }
    nanosleep(&moment, NULL);
    start = now();
    assert_int_equal(live_stop(&server), CTRL_C);
    assert_true(now() - start < soon);
    live_close(&one);
    live_close(&two);
}

static void bad_usage_is_told_before_anything_is_served(void **state)
{
    (void)state;
    static const struct {
        const char *option, *value, *message;
    } bad[] = {{"--port", "70000", "--port is 70000"},
               {"--folder", "/nowhere/at/all", "is not a folder"},
               {"--speed", "-1", "--speed is -1"},
               {"--recordings", "-1", "--recordings is -1"},
               {"--step", "0", "--step"},
               {"--law", "magic", "magic"},
               {"--set", "colour=1", "colour"},
               {"--keyframe", "nowhere", "nowhere"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        const program_result *r = RUN("view", BALL, bad[i].option, bad[i].value);
        assert_int_equal(r->code, 2);
        assert_non_null(strstr(r->err, bad[i].message));
        assert_string_equal(r->out, "");
    }
    assert_int_equal(RUN("view", SCRATCH("none.xml"))->code, 2);
}

static void a_port_that_is_taken_is_told(void **state)
{
    (void)state;
    live_server server = {0};
    LIVE_START(&server, BALL, "--port", "0");
    char port[16];
    snprintf(port, sizeof port, "%d", server.port);
    const program_result *r = RUN("view", BALL, "--port", port);
    assert_int_equal(r->code, 1);
    assert_non_null(strstr(r->err, port));
    assert_int_equal(live_stop(&server), CTRL_C);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_is_all_that_is_served),
        cmocka_unit_test(strangers_are_refused),
        cmocka_unit_test(only_the_exact_path_leads_to_the_simulation),
        cmocka_unit_test(no_method_but_get_and_head_is_answered),
        cmocka_unit_test(more_pages_than_there_are_places_are_turned_away),
        cmocka_unit_test(a_page_is_told_scene_and_state_and_gets_frames),
        cmocka_unit_test(what_is_malformed_is_answered_and_the_page_stays),
        cmocka_unit_test(a_message_that_is_too_long_is_told),
        cmocka_unit_test(two_pages_share_one_simulation),
        cmocka_unit_test(a_grabbed_body_goes_where_it_is_pulled),
        cmocka_unit_test(law_and_stiffness_change_while_it_runs),
        cmocka_unit_test(a_bad_scene_is_told_and_the_old_one_goes_on),
        cmocka_unit_test(the_pace_is_measured_anew_after_a_pause),
        cmocka_unit_test(a_simulation_that_hardly_moves_hears_what_is_said),
        cmocka_unit_test(streaming_takes_less_than_a_tenth_of_the_steps_or_a_hundredth_of_the_time),
        cmocka_unit_test(a_page_that_does_not_listen_holds_up_nobody),
        cmocka_unit_test(recordings_go_to_the_chosen_folder),
        cmocka_unit_test(recordings_end_at_their_limit_and_no_other_begins),
        cmocka_unit_test(a_recording_that_is_lost_at_the_end_is_told),
        cmocka_unit_test(files_of_a_scene_are_read_and_leave_nothing),
        cmocka_unit_test(ctrl_c_ends_it_soon),
        cmocka_unit_test(
            who_comes_or_speaks_within_a_step_of_minutes_is_answered_and_ctrl_c_ends_it),
        cmocka_unit_test(bad_usage_is_told_before_anything_is_served),
        cmocka_unit_test(a_port_that_is_taken_is_told),
    };
    return cmocka_run_group_tests(tests, make_scene, NULL);
}
