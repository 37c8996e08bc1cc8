// Two specs that say the same, number by number to the bit.
#ifndef DP_TESTS_SAME_SPEC_H
#define DP_TESTS_SAME_SPEC_H

#include "near.h"

#include "model/names.h"

#include <dashpot/spec.h>

/// The same settings, and the same elements in the same order. What means nothing is not compared:
/// the axis of a ball, a third size of a capsule, an inertia that comes from geoms, how negative a
/// mass is that comes from density, solver numbers that nobody gave. Failures name the element.
void assert_same_spec(const dp_spec *a, const dp_spec *b);
/// The same for the elements of one kind.
void assert_same_elements(const dp_spec *a, const dp_spec *b, dp_element_kind kind);

#endif
