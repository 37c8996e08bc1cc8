// A simulation in twenty lines: load a mechanism, let it move, watch one coordinate.
#include <dashpot/dashpot.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    const char *file = argc > 1 ? argv[1] : "scenes/double_pendulum.xml";
    dp_spec *spec = NULL;
    dp_model *model = NULL;
    dp_data *data = NULL;
    bool ok = dp_mjcf_load(&spec, NULL, file, NULL) == DP_OK && // what the file describes
              dp_model_compile(&model, spec) == DP_OK &&        // constant, shared by threads
              dp_data_create(&data, model, NULL) == DP_OK;      // one simulation
    while (ok && dp_data_time(data) < 1.0) {
        ok = dp_step(data) == DP_OK;
        printf("%.3f s %9.5f rad\n", dp_data_time(data), dp_data_q(data)[0]);
    }
    if (!ok) {
        fprintf(stderr, "%s\n", dp_last_error());
    }
    dp_data_destroy(data);
    dp_model_destroy(model);
    dp_spec_destroy(spec);
    return ok ? 0 : 1;
}
