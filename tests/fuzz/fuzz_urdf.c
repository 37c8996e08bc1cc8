// libFuzzer target: any bytes as a URDF or, by DP_FUZZ_SDF, an SDFormat file. An import must end
// with a spec or a message; the sanitizers watch the rest. tests/fuzz/README.md says how to run it.
#include <dashpot/format.h>

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

#ifdef DP_FUZZ_SDF
#define PARSE dp_sdf_parse
#else
#define PARSE dp_urdf_parse
#endif

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    static const char *const allow[] = {"limit",       "contact",  "frictionloss", "equality",
                                        "mesh-format", "inertia",  "unknown",      "massless",
                                        "mesh-file",   "repeated", "mimic"};
    // No such folder, so that no mesh is a file of this machine.
    static const char name[] = "no/such/folder/fuzz.urdf";
    const dp_import_options options = {.allow = allow,
                                       .nallow = count % 4 < 2 ? 6 : 11,
                                       .urdf_floating_base = count % 2 == 1,
                                       .repair = count % 8 < 4};
    dp_spec *spec;
    dp_import_report *report;
    const dp_status status = PARSE(&spec, &report, (const char *)bytes, count, name, &options);
    if (status == DP_OK) {
        dp_model *m;
        if (dp_model_compile(&m, spec) == DP_OK) {
            dp_model_destroy(m);
        }
    } else if (spec || dp_last_error()[0] == '\0') {
        abort(); // a failure without a message
    }
    dp_spec_destroy(spec);
    dp_import_report_destroy(report);
    return 0;
}
