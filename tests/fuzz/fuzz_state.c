// libFuzzer target: any bytes laid over a saved state, whose checksum is then made right. It must
// be restored or refused with a message, and a step from it must end.
#include "base/checksum.h"

#include <dashpot/format.h>
#include <dashpot/sim.h>

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static const char scene[] =
    "<mujoco><worldbody><geom type='plane' size='1 1 1'/>"
    "<body name='mocap' mocap='true' pos='2 0 1'><geom size='0.1'/></body>"
    "<body pos='0 0 0.1'><freejoint/><geom size='0.1'/></body>"
    "<body name='arm' pos='1 0 1'><joint name='hinge' axis='0 1 0' range='-60 60'/>"
    "<geom type='capsule' fromto='0 0 0 0 0 0.3' size='0.05'/></body></worldbody>"
    "<equality><connect body1='arm' anchor='0 0 0.3' active='false'/></equality>"
    "<actuator><general joint='hinge' dyntype='filter' dynprm='0.1'/></actuator></mujoco>";

enum { CHECKSUM = 8, SUMMED = 16 };

// The simulation, made once; some steps after its start, so that there are impulses.
static dp_data *simulation(const dp_model **model)
{
    static dp_model *m;
    static dp_data *d;
    *model = m;
    if (d) {
        return d;
    }
    dp_spec *spec;
    dp_import_report *report;
    if (dp_mjcf_parse(&spec, &report, scene, sizeof scene - 1, "scene.xml", NULL) != DP_OK ||
        dp_model_compile(&m, spec) != DP_OK || dp_data_create(&d, m, NULL) != DP_OK) {
        abort();
    }
    dp_spec_destroy(spec);
    dp_import_report_destroy(report);
    *model = m;
    return d;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    const dp_model *m;
    dp_data *d = simulation(&m);
    dp_data_reset(d);
    for (int i = 0; i < 5; ++i) {
        if (dp_step(d) != DP_OK) {
            abort();
        }
    }
    const size_t size = dp_state_bytes(d);
    uint8_t *saved = malloc(size);
    if (!saved || dp_state_save(saved, size, d) != DP_OK) {
        abort();
    }
    // Two bytes say where; an odd second one leaves the checksum as it is.
    const size_t at = count >= 2 ? ((size_t)bytes[0] << 8 | bytes[1]) / 2 % size : 0;
    const size_t n = count < 2 ? 0 : count - 2 < size - at ? count - 2 : size - at;
    if (n > 0) {
        memcpy(saved + at, bytes + 2, n);
    }
    if (count >= 2 && bytes[1] % 2 == 0) {
        const uint64_t sum = dp_checksum64(saved + SUMMED, size - SUMMED);
        memcpy(saved + CHECKSUM, &sum, sizeof sum);
    }
    const uint64_t before = dp_state_hash(d);
    if (dp_state_restore(d, saved, size) == DP_OK) {
        if (dp_step(d) != DP_OK && dp_last_error()[0] == '\0') {
            abort();
        }
    } else if (dp_state_hash(d) != before || dp_last_error()[0] == '\0') {
        abort();
    }
    free(saved);
    return 0;
}
