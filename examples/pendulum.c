// A pendulum: describe it, compile it, step it.
#include <dashpot/dashpot.h>

#include <stdio.h>

int main(void)
{
    dp_body_spec body = dp_body_spec_default();
    dp_joint_spec hinge = dp_joint_spec_default();
    hinge.axis = (dp_v3){0.0, 1.0, 0.0};
    dp_geom_spec bob = dp_geom_spec_default(); // a sphere
    bob.size[0] = 0.05;                        // radius [m]
    bob.mass = 1.0;                            // [kg]
    bob.pose.p = (dp_v3){1.0, 0.0, 0.0};       // released level, 1 m from the hinge

    dp_spec *spec = NULL;
    dp_model *model = NULL;
    dp_data *data = NULL;
    dp_body_id id;
    bool ok = dp_spec_create(&spec, NULL) == DP_OK &&
              dp_spec_add_body(&id, spec, DP_WORLD, &body) == DP_OK &&
              dp_spec_add_joint(NULL, spec, id, &hinge) == DP_OK &&
              dp_spec_add_geom(NULL, spec, id, &bob) == DP_OK &&
              dp_model_compile(&model, spec) == DP_OK &&
              dp_data_create(&data, model, NULL) == DP_OK;
    for (int i = 1; ok && i <= 1000; ++i) { // 2 s in steps of 2 ms, the default
        ok = dp_step(data) == DP_OK;
        if (ok && i % 100 == 0) {
            printf("t = %.1f s  angle = %8.4f rad\n", dp_data_time(data), dp_data_q(data)[0]);
        }
    }
    if (!ok) {
        fprintf(stderr, "%s\n", dp_last_error());
    }
    dp_data_destroy(data);
    dp_model_destroy(model);
    dp_spec_destroy(spec);
    return ok ? 0 : 1;
}
