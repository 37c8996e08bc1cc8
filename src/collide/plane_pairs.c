// A plane and a convex shape. The plane is the boundary of a half space, so the shortest way out is
// always its own normal n, and the gap is n·(p_B − p_A) − h_B(−n): never ambiguous.
#include "collide/closed_forms.h"

#include "geom/support.h"

// The point of B furthest along −n, relative to p_B, and h_B(−n). `m` is n in the frame of B.
static dp_v3 lowest(double *reach, const dp_shape *s, dp_v3 m, dp_pair_memory *memory)
{
    const double *size = s->size;
    switch (s->kind) {
    case DP_SPHERE:
        *reach = size[0];
        return dp_v3_scale(m, -size[0]);
    case DP_CAPSULE: {
        *reach = size[0] + size[1] * fabs(m.z);
        const dp_v3 skin = dp_v3_scale(m, -size[0]);
        return (dp_v3){skin.x, skin.y, skin.z - copysign(size[1], m.z)};
    }
    case DP_CYLINDER: {
        const double across = sqrt(m.x * m.x + m.y * m.y);
        *reach = size[0] * across + size[1] * fabs(m.z);
        // Standing upright, the middle of the cap is as low as its rim.
        const double rim = across > 0.0 ? -size[0] / across : 0.0;
        return (dp_v3){rim * m.x, rim * m.y, -copysign(size[1], m.z)};
    }
    case DP_ELLIPSOID: {
        const dp_v3 w = {size[0] * m.x, size[1] * m.y, size[2] * m.z};
        const double length = dp_v3_norm(w);
        *reach = length;
        const double t = -1.0 / length;
        return (dp_v3){t * size[0] * w.x, t * size[1] * w.y, t * size[2] * w.z};
    }
    case DP_BOX:
        *reach = size[0] * fabs(m.x) + size[1] * fabs(m.y) + size[2] * fabs(m.z);
        return (dp_v3){-copysign(size[0], m.x), -copysign(size[1], m.y), -copysign(size[2], m.z)};
    case DP_PLANE:
    case DP_MESH:
    case DP_HFIELD:
        break;
    }
    int vertex = memory ? memory->vertex[1][0] : 0;
    const dp_v3 x = dp_core_support(s, (dp_v3){-m.x, -m.y, -m.z}, &vertex);
    if (memory) {
        memory->vertex[1][0] = vertex;
    }
    *reach = -dp_v3_dot(m, x);
    return x;
}

void dp_plane_convex(dp_distance *out, const dp_placed *a, const dp_placed *b,
                     dp_pair_memory *memory)
{
    const dp_v3 n = dp_m3_column(&a->R, 2);
    const dp_v3 d = dp_v3_sub(b->p, a->p);
    double reach;
    const dp_v3 x = lowest(&reach, b->shape, dp_m3_apply_transposed(&b->R, n), memory);
    const double gap = dp_v3_dot(n, d) - reach;
    const dp_v3 on_b = dp_v3_add(b->p, dp_m3_apply(&b->R, x));
    dp_distance_set(out, gap, n, dp_v3_madd(on_b, -gap, n), false);
    out->point[1] = on_b;
}
