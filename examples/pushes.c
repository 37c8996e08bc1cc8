// Many simulations of one model at once: how hard may the standing quadruped be pushed?
//
//     example_pushes [threads]
#include <dashpot/dashpot.h>

#include <stdio.h>
#include <stdlib.h>

enum { PUSHES = 12, STEPS = 600 };

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

// Each simulation starts as `from` does, but with another speed sideways.
static dp_status push(const dp_model *model, dp_data *from, int threads)
{
    const size_t size = (size_t)dp_rollout_state_size(model);
    const size_t sideways = 1 + (size_t)dp_model_sizes(model)->nq + 1; // after t and q: v_x, v_y
    const size_t height = 1 + 2;                                       // after t: x, y, z
    double *start = calloc(PUSHES * size, sizeof *start);
    double *states = calloc(PUSHES * STEPS * size, sizeof *states);
    dp_rollout *rollout = NULL;
    dp_status status = start && states ? DP_OK : DP_ERROR_MEMORY;
    if (status == DP_OK) {
        status = dp_rollout_create(&rollout, from, threads, NULL);
    }
    if (status == DP_OK) {
        for (size_t i = 0; i < PUSHES; ++i) {
            dp_rollout_state(start + i * size, from);
            start[i * size + sideways] = 0.5 * (double)i;
        }
        const dp_rollout_task task = {
            .count = PUSHES, .steps = STEPS, .start = start, .states = states};
        status = dp_rollout_run(rollout, &task);
    }
    for (size_t i = 0; status == DP_OK && i < PUSHES; ++i) {
        const double *end = states + ((i + 1) * STEPS - 1) * size;
        printf("pushed at %4.2f m/s: trunk at %.3f m\n", start[i * size + sideways], end[height]);
    }
    dp_rollout_destroy(rollout);
    free(states);
    free(start);
    return status;
}

int main(int argc, char **argv)
{
    dp_model *model = NULL;
    dp_data *from = NULL;
    dp_status status = load(&model, "scenes/quadruped_stands.xml");
    if (status == DP_OK) {
        status = dp_data_create(&from, model, NULL);
    }
    if (status == DP_OK) {
        status = push(model, from, argc > 1 ? atoi(argv[1]) : 2);
    }
    if (status != DP_OK) {
        fprintf(stderr, "%s: %s\n", dp_status_name(status), dp_last_error());
    }
    dp_data_destroy(from);
    dp_model_destroy(model);
    return status == DP_OK ? 0 : 1;
}
