// libFuzzer target: any bytes as the CSV file of `run --control`. Reading must end with controls
// that can be applied, or with a complaint. tests/fuzz/README.md says how to run it.
#include "common/program.h"
#include "run/controls.h"

#include <dashpot/dashpot.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static int complaints;

// In place of the program's own, which would fill the terminal.
void cli_complain(const char *format, ...)
{
    complaints += format[0] != '\0';
}

static void check(bool ok)
{
    if (!ok) {
        abort();
    }
}

static dp_model *model_with_a_motor(void)
{
    static const char text[] = "<mujoco><worldbody><body><joint name='slide' type='slide'/>"
                               "<geom size='1'/></body></worldbody>"
                               "<actuator><motor name='push' joint='slide'/></actuator></mujoco>";
    dp_spec *spec;
    dp_model *m;
    check(dp_mjcf_parse(&spec, NULL, text, sizeof text - 1, "fuzz", NULL) == DP_OK);
    check(dp_model_compile(&m, spec) == DP_OK);
    dp_spec_destroy(spec);
    return m;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    static dp_model *m;
    static dp_data *d;
    static char path[] = "/tmp/fuzz_controls_XXXXXX";
    if (!m) {
        m = model_with_a_motor();
        check(dp_data_create(&d, m, NULL) == DP_OK);
        const int file = mkstemp(path);
        check(file >= 0);
        close(file);
    }
    FILE *out = fopen(path, "wb");
    check(out && fwrite(bytes, 1, count, out) == count && fclose(out) == 0);

    cli_controls controls;
    complaints = 0;
    if (cli_controls_load(&controls, path, m)) {
        const double end = cli_controls_end(&controls);
        for (int i = -1; i <= 5; ++i) {
            cli_controls_apply(&controls, d, 0.25 * i * end);
            controls.interpolate = !controls.interpolate;
        }
        check(dp_data_control(d)[0] - dp_data_control(d)[0] == 0.0); // finite
        cli_controls_destroy(&controls);
    } else {
        check(complaints > 0);
    }
    return 0;
}
