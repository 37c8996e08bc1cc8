// A user's program: one call into each part of the installed library, file importer included.
#include <dashpot/dashpot.h>

#include <stdio.h>
#include <string.h>

static const char scene[] = "<mujoco><worldbody><body><joint/>"
                            "<geom size='0.1' pos='1 0 0' contype='0' conaffinity='0'/>"
                            "</body></worldbody></mujoco>";

int main(int count, char **argument)
{
    if (count > 1 && strcmp(argument[1], "hdf5") == 0) { // does it find the plugin?
        puts(dp_fc_has_hdf5() ? "HDF5" : "none");
        return 0;
    }
    dp_spec *spec = NULL;
    dp_model *model = NULL;
    dp_data *data = NULL;
    const bool stepped = dp_mjcf_parse(&spec, NULL, scene, strlen(scene), "scene", NULL) == DP_OK &&
                         dp_model_compile(&model, spec) == DP_OK &&
                         dp_data_create(&data, model, NULL) == DP_OK && dp_step(data) == DP_OK &&
                         dp_data_time(data) > 0.0;
    puts(stepped ? dp_version() : dp_last_error());
    dp_data_destroy(data);
    dp_model_destroy(model);
    dp_spec_destroy(spec);
    return stepped ? 0 : 1;
}
