// Replays: what is in the page is what happened.
#include "import_memory.h"
#include "json_text.h"
#include "mechanism.h"
#include "replay_text.h"
#include "text_file.h"

#include <dashpot/dashpot.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCRATCH(name) DP_SCRATCH "/replay_" name

// One of everything that a page can hold.
static const char scene[] =
    "<mujoco xmlns:dp='dashpot'><option timestep='0.01'/>"
    "<asset><mesh name='wedge' vertex='0 0 0  1 0 0  0 1 0  0 0 1'/>"
    "<hfield name='hill' nrow='3' ncol='4' size='2 1 0.5 0.1'"
    " elevation='0 0 0 0  0 1 0.5 0  0 0 0 0'/></asset>"
    "<worldbody><geom name='floor' type='plane' size='1 1 1'/><site name='hook' pos='0 0 3'/>"
    "<geom name='hill' type='hfield' hfield='hill' pos='9 0 0'/>"
    "<body name='hand' mocap='true' pos='0 5 1'><geom size='0.1' contype='0' conaffinity='0'/>"
    "</body>"
    "<body name='ball' pos='0 0 2'><freejoint/><geom size='0.1'/><site name='ring'/></body>"
    "<body name='wedge' pos='5 5 5'><freejoint/><geom type='mesh' mesh='wedge'/></body>"
    "<body name='cube' pos='-5 0 0.5'><freejoint/><geom type='box' size='0.5 0.5 0.5'"
    " dp:foundation='3 2' dp:youngs_modulus='1e6' dp:depth='1'/></body>"
    "</worldbody>"
    "<tendon><spatial name='rope'><site site='hook'/><site site='ring'/></spatial></tendon>"
    "</mujoco>";

static mechanism load(void)
{
    dp_spec *spec = NULL;
    assert_ok(dp_mjcf_parse(&spec, NULL, scene, strlen(scene), "scene", NULL));
    return mechanism_from(spec);
}

enum { FRAMES = 50, BODIES = 5, BALL = 2 };

// The run of the scene, and where its bodies were.
static void film(dp_replay *r, mechanism *x, dp_v3 *ball)
{
    for (int f = 0; f < FRAMES; ++f) {
        dp_pose *hand = dp_data_mocap(x->d, 0);
        assert_non_null(hand);
        hand->p.x = 0.01 * f;
        assert_ok(dp_replay_sample(r, x->d));
        ball[f] = dp_body_pose(x->d, (dp_body_id){BALL}).p;
        assert_ok(dp_step(x->d));
    }
}

static void the_page_has_the_motion(void **state)
{
    (void)state;
    mechanism x = load();
    dp_replay *r = NULL;
    static dp_v3 ball[FRAMES];
    assert_ok(dp_replay_create(&r, x.m, NULL));
    film(r, &x, ball);
    assert_int_equal(dp_replay_frames(r), FRAMES);
    assert_ok(dp_replay_write_html(r, SCRATCH("a.html"), &(dp_replay_page){.title = "a run"}));
    const char *json = replay_json(SCRATCH("a.html"));
    assert_one_json_object(json);

    static float times[FRAMES];
    replay_floats(times, FRAMES, json_at(json, "motion", "times"));
    double low[3 * BODIES], span[3 * BODIES];
    json_numbers(low, 3 * BODIES, json_at(json, "motion", "low"));
    json_numbers(span, 3 * BODIES, json_at(json, "motion", "span"));
    static uint16_t series[BODIES * 7 * FRAMES];
    replay_series(series, BODIES * 7 * FRAMES, FRAMES, json_at(json, "motion", "poses"));
    for (int f = 0; f < FRAMES; ++f) {
        assert_near((double)times[f], 0.01 * f, 1e-7); // a float of order one
        const uint16_t z = series[(BALL * 7 + 2) * FRAMES + f];
        const double height = low[3 * BALL + 2] + span[3 * BALL + 2] * z / 65535.0;
        // Half a step, and seven digits of the range.
        assert_near(height, ball[f].z, span[3 * BALL + 2] / 65535.0 + 1e-6);
        const uint16_t hand = series[7 * FRAMES + f];
        assert_near(low[3] + span[3] * hand / 65535.0, 0.01 * f, 1e-5);
    }
    dp_replay_destroy(r);
    mechanism_end(&x);
}

static void shapes_come_with_their_assets(void **state)
{
    (void)state;
    mechanism x = load();
    dp_replay *r = NULL;
    assert_ok(dp_replay_create(&r, x.m, NULL));
    assert_ok(dp_replay_write_html(r, SCRATCH("b.html"), &(dp_replay_page){0}));
    const char *json = replay_json(SCRATCH("b.html"));
    assert_one_json_object(json);
    const char *hill = json_find(json, "geoms", "name", "hill");
    assert_non_null(hill);
    assert_non_null(strstr(hill, "\"kind\":\"hfield\""));
    const char *field = json_first(json, "hfields");
    assert_non_null(field);
    float elevation[12];
    replay_floats(elevation, 12, json_at(field, NULL, "elevation"));
    assert_near((double)elevation[5], 1.0, 0.0); // rows along y, columns along x
    assert_near((double)elevation[6], 0.5, 0.0);
    const char *mesh = json_first(json, "meshes");
    assert_non_null(mesh);
    float vertex[12];
    replay_floats(vertex, 12, json_at(mesh, NULL, "vertices"));
    const char *foundation = json_first(json, "foundations");
    assert_non_null(foundation);
    assert_near(json_number(foundation, NULL, "nx"), 3.0, 0.0);
    assert_near(json_number(foundation, NULL, "ny"), 2.0, 0.0);
    const char *rope = json_find(json, "tendons", "name", "rope");
    assert_non_null(rope);
    assert_non_null(strstr(rope, "\"branches\":[[0,1]]"));
    dp_replay_destroy(r);
    mechanism_end(&x);
}

static void contacts_are_kept_with_their_forces(void **state)
{
    (void)state;
    mechanism x = load();
    dp_replay *r = NULL;
    assert_ok(dp_replay_create(&r, x.m, NULL));
    mechanism_steps(&x, 300); // at rest, on springs of the foundation and on the floor
    assert_ok(dp_replay_sample(r, x.d));
    int pushing = 0;
    double force = 0.0;
    for (int i = 0; i < dp_data_contact_count(x.d); ++i) {
        const dp_contact c = dp_data_contact(x.d, i);
        if (c.state != DP_CONTACT_STATE_OPEN) {
            force = pushing == 0 ? c.force.z : force;
            ++pushing;
        }
    }
    assert_true(pushing > 0);
    assert_ok(dp_replay_write_html(r, SCRATCH("c.html"), &(dp_replay_page){0}));
    const char *json = replay_json(SCRATCH("c.html"));
    assert_near(json_number(json, "contacts", "every"), 1.0, 0.0);
    unsigned char count[4];
    replay_bytes(count, 4, json_at(json, "contacts", "counts"));
    assert_int_equal(count[0], pushing);
    static uint16_t series[12 * 100];
    assert_true(pushing < 100);
    const size_t n = (size_t)pushing;
    replay_series(series, 12 * n, 1, json_at(json, "contacts", "series"));
    const uint32_t bits = (uint32_t)series[8 * n] << 16; // force.z of the first
    float z;
    memcpy(&z, &bits, sizeof z);
    assert_near((double)z, force, fabs(force) / 256.0); // eight bits
    dp_replay_destroy(r);
    mechanism_end(&x);
}

static void words_and_channels_are_there(void **state)
{
    (void)state;
    mechanism x = load();
    dp_replay *r = NULL;
    dp_recorder *channels = NULL;
    assert_ok(dp_replay_create(&r, x.m, NULL));
    assert_ok(dp_recorder_create(&channels, x.m, "time,energy.kinetic", NULL));
    double kinetic[3] = {0.0, 0.0, 0.0};
    for (int f = 0; f < 3; ++f) {
        assert_ok(dp_replay_sample(r, x.d));
        assert_ok(dp_recorder_sample(channels, x.d));
        kinetic[f] = dp_recorder_value(channels, (size_t)f, dp_recorder_columns(channels) - 1);
        mechanism_steps(&x, 10);
    }
    const dp_replay_fact fact[] = {{"steps", "</script>"}, {"note", "\"'\n"}};
    const dp_replay_page page = {.title = "<b>", .fact = fact, .nfact = 2, .channels = channels};
    assert_ok(dp_replay_write_html(r, SCRATCH("d.html"), &page));
    const char *json = replay_json(SCRATCH("d.html"));
    assert_one_json_object(json);
    assert_null(strpbrk(json, "<>&"));
    assert_non_null(strstr(json, "\"title\":\"\\u003cb\\u003e\""));
    assert_non_null(
        strstr(json, "[\"steps\",\"\\u003c/script\\u003e\"],[\"note\",\"\\\"'\\ufffd\"]"));
    const char *channel = json_find(json, "channels", "name", "energy.kinetic");
    assert_non_null(channel);
    float values[3];
    replay_floats(values, 3, json_at(channel, NULL, "values"));
    for (int f = 0; f < 3; ++f) {
        assert_close((double)values[f], kinetic[f], 1e-6 * fmax(kinetic[f], 1.0)); // floats
    }
    dp_recorder_destroy(channels);
    dp_replay_destroy(r);
    mechanism_end(&x);
}

static void a_page_without_frames_is_still_a_page(void **state)
{
    (void)state;
    mechanism x = load();
    dp_replay *r = NULL;
    assert_ok(dp_replay_create(&r, x.m, NULL));
    assert_int_equal(dp_replay_frames(r), 0);
    assert_ok(dp_replay_write_html(r, SCRATCH("e.html"), &(dp_replay_page){0}));
    const char *json = replay_json(SCRATCH("e.html"));
    assert_one_json_object(json);
    unsigned char none[1];
    replay_bytes(none, 0, json_at(json, "motion", "times"));
    replay_bytes(none, 0, json_at(json, "motion", "poses"));
    dp_replay_destroy(r);
    mechanism_end(&x);
}

static void data_and_page_are_there_by_themselves_and_make_the_file(void **state)
{
    (void)state;
    mechanism x = load();
    dp_replay *r = NULL;
    static dp_v3 ball[FRAMES];
    assert_ok(dp_replay_create(&r, x.m, NULL));
    film(r, &x, ball);
    const dp_replay_page page = {.title = "a run"};
    assert_ok(dp_replay_write_html(r, SCRATCH("g.html"), &page));
    char *json, *html;
    size_t json_bytes, html_bytes;
    assert_ok(dp_replay_write_json(&json, &json_bytes, r, &page, NULL));
    assert_int_equal(strlen(json), json_bytes);
    assert_one_json_object(json);
    assert_ok(dp_replay_viewer(&html, &html_bytes, json, NULL));
    assert_int_equal(strlen(html), html_bytes);
    static char file[MOST_TEXT];
    read_text(file, SCRATCH("g.html"));
    assert_string_equal(html, file);
    free(json);
    free(html);
    dp_replay_destroy(r);
    mechanism_end(&x);
}

static void another_model_is_refused(void **state)
{
    (void)state;
    mechanism x = load(), y = load();
    dp_replay *r = NULL;
    assert_ok(dp_replay_create(&r, x.m, NULL));
    assert_int_equal(dp_replay_sample(r, y.d), DP_ERROR_ARGUMENT);
    assert_non_null(strstr(dp_last_error(), "another model"));
    assert_int_equal(dp_replay_frames(r), 0);
    dp_replay_destroy(r);
    dp_replay_destroy(NULL);
    mechanism_end(&y);
    mechanism_end(&x);
}

static void geoms_whose_numbers_a_contact_cannot_hold_are_refused(void **state)
{
    (void)state;
    mechanism x = mechanism_begin();
    dp_geom_spec ball = dp_geom_spec_default();
    ball.size[0] = 0.1;
    ball.contype = ball.conaffinity = 0;
    for (int i = 0; i < 65537; ++i) {
        assert_ok(dp_spec_add_geom(NULL, x.spec, DP_WORLD, &ball));
    }
    assert_ok(dp_model_compile(&x.m, x.spec));
    dp_replay *r;
    assert_int_equal(dp_replay_create(&r, x.m, NULL), DP_ERROR_ARGUMENT);
    assert_null(r);
    assert_non_null(strstr(dp_last_error(), "65537 geoms"));
    mechanism_end(&x);
}

static void what_cannot_be_written_leaves_no_file(void **state)
{
    (void)state;
    mechanism x = load();
    dp_replay *r = NULL;
    assert_ok(dp_replay_create(&r, x.m, NULL));
    assert_ok(dp_replay_sample(r, x.d));
    assert_int_equal(dp_replay_write_html(r, SCRATCH("no/a.html"), &(dp_replay_page){0}),
                     DP_ERROR_IO);
    assert_non_null(strstr(dp_last_error(), SCRATCH("no/a.html")));
    assert_false(exists(SCRATCH("no/a.html")));
    if (exists("/dev/full")) {
        assert_int_equal(dp_replay_write_html(r, "/dev/full", &(dp_replay_page){0}), DP_ERROR_IO);
    }
    dp_replay_destroy(r);
    mechanism_end(&x);
}

static mechanism filmed; // for the next

static dp_status film_with(const dp_allocator *allocator)
{
    dp_replay *r = NULL;
    remove(SCRATCH("f.html"));
    dp_status status = dp_replay_create(&r, filmed.m, allocator);
    for (int f = 0; f < 3 && status == DP_OK; ++f) {
        status = dp_replay_sample(r, filmed.d);
    }
    if (status == DP_OK) {
        status = dp_replay_write_html(r, SCRATCH("f.html"), &(dp_replay_page){.title = "f"});
    }
    assert_int_equal(exists(SCRATCH("f.html")), status == DP_OK);
    dp_replay_destroy(r);
    return status;
}

static void each_failing_allocation_is_told_and_leaves_nothing(void **state)
{
    (void)state;
    filmed = load();
    mechanism_steps(&filmed, 5);
    assert_import_gives_back(film_with);
    assert_import_survives_each_failure(film_with);
    mechanism_end(&filmed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_has_the_motion),
        cmocka_unit_test(shapes_come_with_their_assets),
        cmocka_unit_test(contacts_are_kept_with_their_forces),
        cmocka_unit_test(words_and_channels_are_there),
        cmocka_unit_test(a_page_without_frames_is_still_a_page),
        cmocka_unit_test(data_and_page_are_there_by_themselves_and_make_the_file),
        cmocka_unit_test(another_model_is_refused),
        cmocka_unit_test(geoms_whose_numbers_a_contact_cannot_hold_are_refused),
        cmocka_unit_test(what_cannot_be_written_leaves_no_file),
        cmocka_unit_test(each_failing_allocation_is_told_and_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
