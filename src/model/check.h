// Checks of numbers that several kinds of elements share. Each failure names the element.
#ifndef DP_MODEL_CHECK_H
#define DP_MODEL_CHECK_H

#include "model/spec/spec.h"

/// Doubles inside a struct, and what a user calls them.
typedef struct dp_field {
    const char *name;
    size_t offset;
    int count;
} dp_field;

#define DP_FIELD(type, member, name)                                                               \
    {                                                                                              \
        name, offsetof(type, member), (int)(sizeof(((type *)0)->member) / sizeof(double))          \
    }
#define DP_FIELD_COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

dp_status dp_check_finite(const dp_spec *spec, dp_element_kind kind, int index, const void *element,
                          const dp_field *f, int count);
dp_status dp_check_not_negative(const dp_spec *spec, dp_element_kind kind, int index,
                                const char *name, double value);
/// The first number must be below the second.
dp_status dp_check_range(const dp_spec *spec, dp_element_kind kind, int index, const char *name,
                         const double range[2]);
/// A time constant and a damping ratio, both positive, or −stiffness and −damping, neither positive
/// and not both zero.
dp_status dp_check_solref(const dp_spec *spec, dp_element_kind kind, int index,
                          const double solref[2]);
/// Stiffness > 0 or infinite, damping ≥ 0 and finite.
dp_status dp_check_bearing(const dp_spec *spec, dp_element_kind kind, int index, const char *name,
                           const dp_bearing *bearing);
/// condim, solmix, and the solver's numbers where the author gave them.
dp_status dp_check_contact(const dp_spec *spec, dp_element_kind kind, int index,
                           const dp_contact_spec *contact);

#endif
