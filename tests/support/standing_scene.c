#include "standing_scene.h"

#include <dashpot/format.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

mechanism standing_scene(const char *path, const char *key)
{
    char full[512];
    const int length = snprintf(full, sizeof full, "%s/%s", DP_SCENES, path);
    assert_in_range(length, 1, sizeof full - 1);
    dp_spec *spec;
    assert_ok(dp_mjcf_load(&spec, NULL, full, NULL));
    mechanism x = mechanism_from(spec);
    if (key) {
        dp_key_id id;
        assert_ok(dp_model_find_key(&id, x.m, key));
        assert_ok(dp_data_reset_to_key(x.d, id));
    }
    return x;
}

double standing_scene_drift(mechanism *x, double seconds)
{
    const int nbody = dp_model_sizes(x->m)->nbody;
    dp_v3 *before = calloc((size_t)nbody, sizeof *before);
    assert_non_null(before);
    for (int b = 0; b < nbody; ++b) {
        before[b] = dp_body_pose(x->d, (dp_body_id){b}).p;
    }
    mechanism_steps(x, (int)lround(seconds / dp_data_options(x->d)->step));
    double worst = 0.0;
    for (int b = 0; b < nbody; ++b) {
        const dp_v3 now = dp_body_pose(x->d, (dp_body_id){b}).p;
        const double way = sqrt((now.x - before[b].x) * (now.x - before[b].x) +
                                (now.y - before[b].y) * (now.y - before[b].y) +
                                (now.z - before[b].z) * (now.z - before[b].z));
        worst = way <= worst ? worst : way;
    }
    free(before);
    return worst;
}

dp_pose standing_scene_pose(const mechanism *x, const char *body)
{
    dp_body_id id;
    assert_ok(dp_model_find_body(&id, x->m, body));
    return dp_body_pose(x->d, id);
}
