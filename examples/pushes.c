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

// Each world starts as `from` does, but with another speed sideways.
static dp_status push(dp_data *from, int threads)
{
    dp_batch *batch;
    dp_status status = dp_batch_create(&batch, from, PUSHES, threads, NULL);
    if (status != DP_OK) {
        return status;
    }
    const dp_batch_arrays a = dp_batch_arrays_of(batch);
    double speed[PUSHES];
    for (int i = 0; i < PUSHES; ++i) {
        speed[i] = 0.5 * i;
        a.v[i * a.nv + 1] = speed[i]; // v: x, y, …
    }
    status = dp_batch_step(batch, STEPS, NULL);
    for (int i = 0; status == DP_OK && i < PUSHES; ++i) {
        printf("pushed at %4.2f m/s: trunk at %.3f m\n", speed[i], a.q[i * a.nq + 2]);
    }
    dp_batch_destroy(batch);
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
        status = push(from, argc > 1 ? atoi(argv[1]) : 2);
    }
    if (status != DP_OK) {
        fprintf(stderr, "%s: %s\n", dp_status_name(status), dp_last_error());
    }
    dp_data_destroy(from);
    dp_model_destroy(model);
    return status == DP_OK ? 0 : 1;
}
