// libFuzzer target: any bytes as a mesh file of the format that DP_FUZZ_FORMAT says. Reading must
// end with a mesh or a message; what is read must have moments and a hull, or a message why not.
#include "io/mesh/mesh_file.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void use(const dp_mesh *m, dp_pool *pool)
{
    dp_mesh_topology t;
    if (dp_mesh_check(m) != DP_OK || dp_mesh_edges(&t, m, NULL) != DP_OK) {
        abort();
    }
    for (int kind = DP_MESH_INERTIA_CONVEX; kind <= DP_MESH_INERTIA_LEGACY; ++kind) {
        dp_mesh_moments I;
        if (dp_mesh_integrate(&I, m, (dp_mesh_inertia)kind, NULL) == DP_OK && !(I.measure > 0.0)) {
            abort();
        }
    }
    const dp_m3 A = {{{0.0, 1e-3, 0.0}, {2.0, 0.0, 0.0}, {0.0, 0.0, 1.0}}};
    dp_mesh image;
    if (dp_mesh_transform(&image, pool, m, &A, (dp_v3){1.0, 2.0, 3.0}) == DP_OK &&
        dp_mesh_check(&image) != DP_OK) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    dp_pool pool;
    dp_pool_init(&pool, NULL);
    dp_mesh m;
    dp_mesh_file_info info;
    if (dp_mesh_parse(&m, &info, &pool, bytes, count, "fuzz", DP_FUZZ_FORMAT) == DP_OK) {
        use(&m, &pool);
    } else if (m.vertex || dp_last_error()[0] == '\0') {
        abort(); // a failure without a message
    }
    dp_pool_destroy(&pool);
    return 0;
}
