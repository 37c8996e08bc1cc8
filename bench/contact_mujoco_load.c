// A newer MuJoCo defines the symbols of the one that the benchmark is linked with: it is loaded
// into a namespace of its own.
#define _GNU_SOURCE // dlmopen
#include "contact_engine.h"

#include <dlfcn.h>
#include <string.h>

void contact_mujoco_newer(contact_engine *out, const contact_scene *scene, int variant)
{
    static void *module;
    if (!module) {
        module =
            dlmopen(LM_ID_NEWLM, BENCH_MODULES "/bench-mujoco-newer.so", RTLD_NOW | RTLD_LOCAL);
    }
    void *symbol = module ? dlsym(module, "contact_mujoco") : NULL;
    contact_create *create; // by way of its address; ISO C has no cast to a function
    memcpy(&create, &symbol, sizeof create);
    *out = (contact_engine){.self = NULL};
    if (create) {
        create(out, scene, variant);
    } else {
        strcpy(out->why, "not installed");
    }
}
