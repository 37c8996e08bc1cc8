// A closed loop in many worlds at once, each with parameters of its own: one controller balances
// cart-poles whose poles have different masses. A pole that has fallen is put back.
//
//     example_worlds [threads]
#include <dashpot/dashpot.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORLDS = 8, STEPS = 2500 };

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

// q: cart, pole; v: their rates. The gains are right for a pole of 0.1 kg.
static double force_on_cart(const double *q, const double *v)
{
    return 2.0 * q[0] + 4.0 * v[0] + 40.0 * q[1] + 10.0 * v[1];
}

// listing: masses
static dp_status set_masses(dp_batch *batch, double mass[WORLDS])
{
    dp_parameter_id pole;
    dp_status status = dp_model_find_parameter(&pole, dp_batch_model(batch), "body.pole.mass");
    for (int i = 0; i < WORLDS; ++i) {
        mass[i] = 0.05 * pow(2.0, i);
    }
    return status == DP_OK ? dp_batch_set_parameters(batch, NULL, 1, &pole, mass) : status;
}
// end

// listing: loop
static dp_status balance(dp_batch *batch, dp_key_id tilted, int falls[WORLDS])
{
    const dp_batch_arrays a = dp_batch_arrays_of(batch);
    dp_status status = DP_OK;
    for (int k = 0; k < STEPS && status == DP_OK; ++k) {
        bool fallen[WORLDS];
        for (int i = 0; i < WORLDS; ++i) {
            const double *q = a.q + i * a.nq, *v = a.v + i * a.nv;
            a.control[i] = force_on_cart(q, v) / 10.0; // the gear of the motor
            fallen[i] = fabs(q[1]) > 1.0;
            falls[i] += fallen[i];
        }
        status = dp_batch_step(batch, 1, NULL);
        if (status == DP_OK) {
            status = dp_batch_reset_to_key(batch, fallen, tilted);
        }
    }
    return status;
}
// end

static dp_status run(const dp_model *model, const dp_data *from, dp_key_id tilted, int threads)
{
    dp_batch *batch;
    double mass[WORLDS] = {0.0};
    int falls[WORLDS] = {0};
    dp_status status = dp_batch_create(&batch, from, WORLDS, threads, NULL);
    if (status == DP_OK) {
        status = set_masses(batch, mass);
    }
    if (status == DP_OK) {
        status = balance(batch, tilted, falls);
    }
    for (int i = 0; i < WORLDS && status == DP_OK; ++i) {
        printf("a pole of %5.2f kg fell %d times in %g s\n", mass[i], falls[i],
               STEPS * dp_model_options(model)->step);
    }
    dp_batch_destroy(batch);
    return status;
}

int main(int argc, char **argv)
{
    dp_model *model = NULL;
    dp_data *from = NULL;
    dp_key_id tilted;
    dp_status status = load(&model, "scenes/cart_pole.xml");
    if (status == DP_OK) {
        status = dp_model_find_key(&tilted, model, "tilted");
    }
    if (status == DP_OK) {
        status = dp_data_create(&from, model, NULL);
    }
    if (status == DP_OK) {
        status = dp_data_reset_to_key(from, tilted);
    }
    if (status == DP_OK) {
        status = run(model, from, tilted, argc > 1 ? atoi(argv[1]) : 2);
    }
    if (status != DP_OK) {
        fprintf(stderr, "%s: %s\n", dp_status_name(status), dp_last_error());
    }
    dp_data_destroy(from);
    dp_model_destroy(model);
    return status == DP_OK ? 0 : 1;
}
