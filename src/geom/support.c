// Support maps.
#include "geom/support.h"

#include "geom/core.h"

double dp_core_radius(const dp_shape *s)
{
    return dp_core_radius_of(s);
}

dp_v3 dp_core_support(const dp_shape *s, dp_v3 direction, int *vertex)
{
    return dp_core_support_of(s, direction, vertex);
}
