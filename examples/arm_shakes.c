// An arm fetches a bottle, shakes it and puts it down elsewhere: inverse dynamics through keyframes
// of the tool, force feedback at the fingers. The controller is control/arm_control.c.
//
//     example_arm_shakes [replay.html [law]]
#include "control/arm_control.h"

#include <math.h>
#include <stdio.h>

static dp_status load(dp_model **model, const char *path)
{
    dp_spec *spec;
    ARM_TRY(dp_mjcf_load(&spec, NULL, path, NULL));
    const dp_status status = dp_model_compile(model, spec);
    dp_spec_destroy(spec);
    return status;
}

// Until the last keyframe, at most 30 s. The replay may be NULL.
static dp_status act(dp_data *data, arm_control *arm, dp_replay *replay)
{
    const arm_state *state = arm_control_state(arm);
    ARM_TRY(dp_data_reset_to_key(data, (dp_key_id){0}));
    ARM_TRY(arm_control_start(arm, data));
    const char *doing = "";
    for (int i = 0; i < 10000 && state->keyframe < arm_nshakes_bottle && !state->missed; ++i) {
        const char *now = arm_shakes_bottle[state->keyframe].name;
        if (now != doing) {
            printf("%6.2f s  %-8s fingers feel %5.2f and %5.2f N, carry %5.2f N\n",
                   dp_data_time(data), now, state->squeeze[0], state->squeeze[1], state->load);
            doing = now;
        }
        if (replay && i % 10 == 0) {
            ARM_TRY(dp_replay_sample(replay, data));
        }
        ARM_TRY(arm_control_update(arm, data));
        ARM_TRY(dp_step(data));
    }
    return DP_OK;
}

// How far from where it was to be put does the bottle stand?
static dp_status look(double *off, const dp_model *model, const dp_data *data)
{
    dp_site_id place;
    dp_body_id bottle;
    ARM_TRY(dp_model_find_site(&place, model, "place"));
    ARM_TRY(dp_model_find_body(&bottle, model, "bottle"));
    const dp_v3 to = dp_site_pose(data, place).p, at = dp_body_pose(data, bottle).p;
    *off = hypot(at.x - to.x, at.y - to.y);
    return DP_OK;
}

static dp_status run(double *off, dp_model **model, dp_data **data, arm_control **arm,
                     dp_replay **replay, const char *page, const char *law)
{
    ARM_TRY(load(model, "scenes/paper/castro_arm.xml"));
    ARM_TRY(dp_data_create(data, *model, NULL));
    if (law) {
        ARM_TRY(dp_options_set(dp_data_options(*data), "law", law));
    }
    if (page) {
        ARM_TRY(dp_replay_create(replay, *model, NULL));
    }
    ARM_TRY(arm_control_create(arm, *model, arm_shakes_bottle, arm_nshakes_bottle));
    ARM_TRY(act(*data, *arm, *replay));
    if (page) {
        ARM_TRY(dp_replay_write_html(*replay, page, &(dp_replay_page){.title = "An arm shakes"}));
    }
    return look(off, *model, *data);
}

int main(int argc, char **argv)
{
    dp_model *model = NULL;
    dp_data *data = NULL;
    arm_control *arm = NULL;
    dp_replay *replay = NULL;
    double off = INFINITY;
    const dp_status status = run(&off, &model, &data, &arm, &replay, argc > 1 ? argv[1] : NULL,
                                 argc > 2 ? argv[2] : NULL);
    if (status != DP_OK) {
        fprintf(stderr, "%s: %s\n", dp_status_name(status), dp_last_error());
    } else {
        printf("The bottle stands %.1f mm from its place.\n", 1e3 * off);
    }
    dp_replay_destroy(replay);
    arm_control_destroy(arm);
    dp_data_destroy(data);
    dp_model_destroy(model);
    return status == DP_OK && off < 0.005 ? 0 : 1;
}
