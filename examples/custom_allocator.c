// Run in a fixed piece of memory, without malloc: every byte that Dashpot keeps comes from here.
//
//     example_custom_allocator [scenes/hand_16dof.xml]
#include <dashpot/dashpot.h>

#include <stdalign.h>
#include <stdio.h>

enum { CAPACITY = 4 * 1024 * 1024 };

// The simplest allocator there is: hand out what follows, take back only what was handed out last.
typedef struct stack {
    alignas(max_align_t) unsigned char memory[CAPACITY];
    size_t used, highest;
    int allocations;
} stack;

static size_t padded(size_t bytes)
{
    const size_t unit = alignof(max_align_t);
    return (bytes + unit - 1) / unit * unit;
}

static void *allocate(void *context, size_t bytes)
{
    stack *s = context;
    if (padded(bytes) > CAPACITY - s->used) {
        return NULL; // Dashpot answers with DP_ERROR_MEMORY and gives back what it holds
    }
    void *memory = s->memory + s->used;
    s->used += padded(bytes);
    s->highest = s->used > s->highest ? s->used : s->highest;
    s->allocations += 1;
    return memory;
}

static void release(void *context, void *memory, size_t bytes)
{
    stack *s = context;
    if ((unsigned char *)memory + padded(bytes) == s->memory + s->used) {
        s->used -= padded(bytes);
    }
}

int main(int argc, char **argv)
{
    static stack memory;
    const dp_allocator allocator = {&memory, allocate, release};
    dp_import_options options = dp_import_options_default();
    options.allocator = &allocator; // the spec, and with it the model

    dp_spec *spec = NULL;
    dp_model *model = NULL;
    dp_data *data = NULL;
    const char *path = argc > 1 ? argv[1] : "scenes/hand_16dof.xml";
    bool ok = dp_mjcf_load(&spec, NULL, path, &options) == DP_OK &&
              dp_model_compile(&model, spec) == DP_OK &&
              dp_data_create(&data, model, &allocator) == DP_OK;
    const int before = memory.allocations;
    for (int i = 0; ok && i < 1000; ++i) {
        ok = dp_step(data) == DP_OK;
    }
    if (ok) {
        printf("%zu kB, %d allocations, %d of them in 1000 steps\n", memory.highest / 1024,
               memory.allocations, memory.allocations - before);
    } else {
        fprintf(stderr, "%s\n", dp_last_error());
    }
    dp_data_destroy(data);
    dp_model_destroy(model);
    dp_spec_destroy(spec);
    return ok && memory.allocations == before ? 0 : 1;
}
