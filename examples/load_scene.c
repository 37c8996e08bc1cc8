// Load a model file, close a control loop around it, read its sensors: a cart balances a pole.
//
//     example_load_scene [scenes/cart_pole.xml]
#include <dashpot/dashpot.h>

#include <math.h>
#include <stdio.h>

// What the loop needs to know, looked up once by name.
typedef struct balancer {
    int cart_q, cart_v, pole_q, pole_v; // where the joints' numbers are
} balancer;

// State feedback u = Kx. The gains put the poles of the linearised cart at −2, −2, −5, −5 rad/s.
// Called at every evaluation of the forces, so the loop is closed inside the step too.
static dp_status balance(void *context, dp_data *data)
{
    const balancer *b = context;
    const double *q = dp_data_q(data), *v = dp_data_v(data);
    dp_data_control(data)[0] =
        0.42 * q[b->cart_q] + 4.1 * q[b->pole_q] + 0.59 * v[b->cart_v] + 0.81 * v[b->pole_v];
    return DP_OK;
}

// Everything that can fail, in one place: the first failure goes up with its message.
#define TRY(call)                                                                                  \
    do {                                                                                           \
        const dp_status status = (call);                                                           \
        if (status != DP_OK) {                                                                     \
            return status;                                                                         \
        }                                                                                          \
    } while (0)

static dp_status load(dp_model **model, const char *path)
{
    dp_spec *spec;
    TRY(dp_mjcf_load(&spec, NULL, path, NULL));
    const dp_status status = dp_model_compile(model, spec);
    dp_spec_destroy(spec); // the model does not need it
    return status;
}

static dp_status simulate(const dp_model *model, dp_data *data)
{
    dp_joint_id slider, hinge;
    dp_sensor_id angle, push;
    dp_key_id tilted;
    TRY(dp_model_find_joint(&slider, model, "slider"));
    TRY(dp_model_find_joint(&hinge, model, "hinge"));
    TRY(dp_model_find_sensor(&angle, model, "pole_angle"));
    TRY(dp_model_find_sensor(&push, model, "push_force"));
    TRY(dp_model_find_key(&tilted, model, "tilted"));

    const dp_joint_info cart = dp_model_joint(model, slider), pole = dp_model_joint(model, hinge);
    balancer b = {cart.q_index, cart.v_index, pole.q_index, pole.v_index};
    dp_data_set_control_callback(data, balance, &b);
    TRY(dp_data_reset_to_key(data, tilted));

    const int angle_at = dp_model_sensor(model, angle).data_index;
    const int push_at = dp_model_sensor(model, push).data_index;
    puts("  time [s]  pole [rad]  push [N]");
    for (int second = 0; second <= 5; ++second) {
        TRY(dp_sense(data));
        const double *sensed = dp_data_sensors(data);
        printf("%10.3f  %10.6f  %8.4f\n", dp_data_time(data), sensed[angle_at], sensed[push_at]);
        for (int i = 0; i < 500; ++i) { // of 2 ms, the scene's step
            TRY(dp_step(data));
        }
    }
    return DP_OK;
}

int main(int argc, char **argv)
{
    dp_model *model = NULL;
    dp_data *data = NULL;
    dp_status status = load(&model, argc > 1 ? argv[1] : "scenes/cart_pole.xml");
    if (status == DP_OK) {
        status = dp_data_create(&data, model, NULL);
    }
    if (status == DP_OK) {
        status = simulate(model, data);
    }
    bool balanced = false;
    if (status != DP_OK) {
        fprintf(stderr, "%s: %s\n", dp_status_name(status), dp_last_error());
    } else {
        balanced = fabs(dp_data_q(data)[1]) < 1e-3;
        puts(balanced ? "The pole stands." : "The pole fell.");
    }
    dp_data_destroy(data);
    dp_model_destroy(model);
    return balanced ? 0 : 1;
}
