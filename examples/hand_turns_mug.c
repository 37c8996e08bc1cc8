// A controller on the public API: a hand of sixteen joints turns a mug to and fro, in open loop.
//
//     example_hand_turns_mug [scenes/paper/castro_hand.xml]
#include "hand_turns_mug.h"

static dp_status load(dp_model **model, const char *path)
{
    dp_spec *spec;
    dp_status status = dp_mjcf_load(&spec, NULL, path, NULL);
    if (status == DP_OK) {
        status = dp_model_compile(model, spec);
        dp_spec_destroy(spec);
    }
    return status;
}

// Two periods, told eight times each. @param furthest [m] that the mug goes from where it was
static dp_status turn(double *furthest, const dp_model *model, dp_data *data)
{
    hand h;
    dp_key_id held;
    dp_status status = hand_find(&h, model);
    if (status == DP_OK) {
        status = dp_model_find_key(&held, model, "held");
    }
    if (status == DP_OK) {
        status = dp_data_reset_to_key(data, held);
    }
    if (status != DP_OK) {
        return status;
    }
    dp_data_set_control_callback(data, hand_tell, &h);
    const dp_v3 start = hand_mug_place(&h, data);
    puts("  time [s]  mug turned [rad]  height [m]");
    for (int i = 1; i <= 16; ++i) {
        while (status == DP_OK && dp_data_time(data) < i * hand_period / 8.0) {
            status = dp_step(data);
        }
        const dp_v3 at = hand_mug_place(&h, data);
        *furthest = fmax(*furthest, hypot(hypot(at.x - start.x, at.y - start.y), at.z - start.z));
        printf("%10.3f  %16.4f  %10.4f\n", dp_data_time(data), hand_mug_angle(&h, data), at.z);
    }
    return status;
}

int main(int argc, char **argv)
{
    dp_model *model = NULL;
    dp_data *data = NULL;
    dp_status status = load(&model, argc > 1 ? argv[1] : "scenes/paper/castro_hand.xml");
    if (status == DP_OK) {
        status = dp_data_create(&data, model, NULL);
    }
    double furthest = 0.0;
    if (status == DP_OK) {
        status = turn(&furthest, model, data);
    }
    const bool kept = status == DP_OK && furthest < 0.01;
    if (status != DP_OK) {
        fprintf(stderr, "%s: %s\n", dp_status_name(status), dp_last_error());
    } else {
        puts(kept ? "The mug is in the hand." : "The mug was lost.");
    }
    dp_data_destroy(data);
    dp_model_destroy(model);
    return kept ? 0 : 1;
}
