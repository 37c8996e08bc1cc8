// DART comes with many libraries: it is loaded when it is asked for.
#include "contact_engine.h"

#include <dlfcn.h>
#include <string.h>

void contact_dart(contact_engine *out, const contact_scene *scene, int variant)
{
    void *module = dlopen(BENCH_MODULES "/bench-dart.so", RTLD_NOW | RTLD_LOCAL);
    void *symbol = module ? dlsym(module, "contact_dart_module") : NULL;
    contact_create *create; // by way of its address; ISO C has no cast to a function
    memcpy(&create, &symbol, sizeof create);
    *out = (contact_engine){.self = NULL};
    if (create) {
        create(out, scene, variant);
    } else {
        strcpy(out->why, "not installed");
    }
}
