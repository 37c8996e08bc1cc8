#define _GNU_SOURCE // dlmopen
#include "contact_load.h"

#include <dlfcn.h>
#include <string.h>

void contact_load(contact_engine *out, const contact_scene *scene, int variant, void *module,
                  const char *name)
{
    void *symbol = module ? dlsym(module, name) : NULL;
    contact_create *create; // by way of its address; ISO C has no cast to a function
    memcpy(&create, &symbol, sizeof create);
    *out = (contact_engine){.self = NULL};
    if (create) {
        create(out, scene, variant);
    } else {
        strcpy(out->why, "not installed");
    }
}

// DART comes with many libraries.
void contact_dart(contact_engine *out, const contact_scene *scene, int variant)
{
    void *module = dlopen(BENCH_MODULES "/bench-dart.so", RTLD_NOW | RTLD_LOCAL);
    contact_load(out, scene, variant, module, "contact_dart_module");
}

// A newer MuJoCo defines the symbols of the one that the benchmark is linked with: it is loaded
// into a namespace of its own.
void contact_mujoco_newer(contact_engine *out, const contact_scene *scene, int variant)
{
    static void *module;
    if (!module) {
        module =
            dlmopen(LM_ID_NEWLM, BENCH_MODULES "/bench-mujoco-newer.so", RTLD_NOW | RTLD_LOCAL);
    }
    contact_load(out, scene, variant, module, "contact_mujoco");
}
