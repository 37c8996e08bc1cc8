// Both precisions of Bullet define the same symbols, some of them unique in a process by the rules
// of C++. Each module is therefore loaded into a namespace of its own.
#define _GNU_SOURCE // dlmopen
#include "collide_engine.h"
#include "contact_load.h"
#include "engine_bullet.h"
#include "engine_dashpot.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static void *find_module(bench_precision precision)
{
    static void *module[2];
    static bool tried[2];
    static const char *const path[2] = {BENCH_MODULES "/bench-bullet.so",
                                        BENCH_MODULES "/bench-bullet-float64.so"};
    if (!tried[precision]) {
        tried[precision] = true;
        module[precision] = dlmopen(LM_ID_NEWLM, path[precision], RTLD_NOW | RTLD_LOCAL);
    }
    return module[precision];
}

// A function of a module, by way of its address; ISO C has no cast to a function.
static void find_function(void *out, size_t size, bench_precision precision, const char *name)
{
    void *module = find_module(precision);
    void *symbol = module ? dlsym(module, name) : NULL;
    memcpy(out, &symbol, size);
}

static bench_bullet_create *find_create(bench_precision precision)
{
    bench_bullet_create *create;
    find_function(&create, sizeof create, precision, "bench_bullet_module");
    return create;
}

bench_boxes_create *bench_bullet_boxes_in(bench_precision precision)
{
    bench_boxes_create *create;
    find_function(&create, sizeof create, precision, "bench_bullet_boxes");
    return create;
}

void bench_collide_bullet(bench_collide_engine *out, const bench_collide_setup *setup,
                          int precision)
{
    bench_collide_create *create;
    find_function(&create, sizeof create, (bench_precision)precision,
                  "bench_bullet_collide_module");
    *out = (bench_collide_engine){0};
    if (create) {
        create(out, setup);
    }
}

void contact_bullet(contact_engine *out, const contact_scene *scene, int variant)
{
    void *module = find_module(variant == CONTACT_BULLET_FLOAT ? BENCH_FLOAT : BENCH_DOUBLE);
    contact_load(out, scene, variant, module, "contact_bullet_module");
}

void bench_bullet(bench_engine *out, bench_precision precision, const dp_model *m,
                  const bench_setup *setup)
{
    *out = (bench_engine){0};
    strcpy(out->name, precision == BENCH_FLOAT ? "bullet32" : "bullet64");
    bench_bullet_create *create = find_create(precision);
    int count;
    bench_link *link = create ? bench_dashpot_links(&count, m) : NULL;
    if (!link) {
        return;
    }
    for (int i = 0; setup->conservative && i < count; ++i) {
        link[i].damping = 0.0;
    }
    const dp_v3 g = dp_model_options(m)->gravity;
    create(out, link, count, (const double[3]){g.x, g.y, g.z}, setup->h);
    free(link);
}
