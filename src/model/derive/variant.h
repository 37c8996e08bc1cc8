// A model in which some parameters have values of their own. It shares with the model that it was
// made for all that no parameter changes. Which values it has depends on those that are given
// alone, not on what was given before.
#ifndef DP_MODEL_VARIANT_H
#define DP_MODEL_VARIANT_H

#include "model/derive/body_inertia.h"
#include "model/derive/parameter.h"

typedef struct dp_variant {
    dp_model model; // its pool is empty
    const dp_model *shared;
    dp_pool pool;
    dp_tables tables; // of `model`
    double *value;    // nparameter: where `given`
    uint8_t *given;
    double *value_before; // as they were, while others are tried
    uint8_t *given_before;
    dp_reference reference; // scratch, as the next
    dp_cluster *cluster;    // nbody
} dp_variant;

DP_NODISCARD dp_status dp_variant_create(dp_variant **out, const dp_model *shared,
                                         const dp_allocator *allocator);
void dp_variant_destroy(dp_variant *v); // NULL is allowed

/// Make `model` that of the values that are given. Takes no memory.
/// @return DP_ERROR_ARGUMENT, with the name of the culprit, for values that no model has; others
///         are to be given, and this called again
DP_NODISCARD dp_status dp_variant_apply(dp_variant *v);

/// Is any value given?
bool dp_variant_differs(const dp_variant *v);

#endif
