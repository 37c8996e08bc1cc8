// Save a state, let two threads that share one model go on from it, and compare what they reach.
//
//     example_save_restore [scenes/double_pendulum.xml]
#include <dashpot/dashpot.h>

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

// One simulation: its own data, the model of all.
typedef struct branch {
    const dp_model *model; // const: any number of threads may read it
    const void *saved;     // where it starts from
    size_t bytes;
    double nudge; // added to the first coordinate [rad]
    bool ok;
    uint64_t hash; // of the state it reaches
    double q0;
} branch;

static void *go_on(void *context)
{
    branch *b = context;
    dp_data *data = NULL;
    b->ok = dp_data_create(&data, b->model, NULL) == DP_OK &&
            dp_state_restore(data, b->saved, b->bytes) == DP_OK;
    if (b->ok) {
        dp_data_q(data)[0] += b->nudge;
    }
    for (int i = 0; b->ok && i < 5000; ++i) {
        b->ok = dp_step(data) == DP_OK;
    }
    if (b->ok) {
        b->hash = dp_state_hash(data);
        b->q0 = dp_data_q(data)[0];
    } else {
        fprintf(stderr, "%s\n", dp_last_error()); // the message of this thread
    }
    dp_data_destroy(data);
    return NULL;
}

int main(int argc, char **argv)
{
    dp_spec *spec = NULL;
    dp_model *model = NULL;
    dp_data *data = NULL;
    const char *path = argc > 1 ? argv[1] : "scenes/double_pendulum.xml";
    bool ok = dp_mjcf_load(&spec, NULL, path, NULL) == DP_OK &&
              dp_model_compile(&model, spec) == DP_OK &&
              dp_data_create(&data, model, NULL) == DP_OK;
    for (int i = 0; ok && i < 1000; ++i) {
        ok = dp_step(data) == DP_OK;
    }
    const size_t bytes = ok ? dp_state_bytes(data) : 0;
    void *saved = malloc(bytes + 1);
    ok = ok && saved && dp_state_save(saved, bytes, data) == DP_OK;
    if (!ok) {
        fprintf(stderr, "%s\n", dp_last_error());
    }

    // Two that must agree to the last bit, and one that starts a nanoradian away.
    branch branches[3] = {0};
    pthread_t threads[3];
    int started = 0;
    for (int i = 0; ok && i < 3; ++i) {
        branches[i] = (branch){.model = model, .saved = saved, .bytes = bytes};
        branches[i].nudge = i == 2 ? 1e-9 : 0.0;
        ok = pthread_create(&threads[i], NULL, go_on, &branches[i]) == 0;
        started += ok;
    }
    for (int i = 0; i < started; ++i) {
        ok = pthread_join(threads[i], NULL) == 0 && branches[i].ok && ok;
        printf("branch %d: q[0] = %20.16f  state %016" PRIx64 "\n", i, branches[i].q0,
               branches[i].hash);
    }
    const bool agree = ok && branches[0].hash == branches[1].hash;
    const bool differ = ok && branches[0].hash != branches[2].hash;

    free(saved);
    dp_data_destroy(data);
    dp_model_destroy(model);
    dp_spec_destroy(spec);
    return agree && differ ? 0 : 1;
}
