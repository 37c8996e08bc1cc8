#include "math/spatial.h"

dp_v3 dp_sym3_solve(dp_sym3 A, dp_v3 b)
{
    // LDLᵀ by hand
    const double d0 = A.xx;
    if (!(d0 > 0.0)) {
        return (dp_v3){0.0, 0.0, 0.0};
    }
    const double l10 = A.xy / d0, l20 = A.xz / d0;
    const double d1 = A.yy - l10 * A.xy;
    if (!(d1 > 0.0)) {
        return (dp_v3){0.0, 0.0, 0.0};
    }
    const double l21 = (A.yz - l20 * A.xy) / d1;
    const double d2 = A.zz - l20 * A.xz - l21 * l21 * d1;
    if (!(d2 > 0.0)) {
        return (dp_v3){0.0, 0.0, 0.0};
    }
    const double y1 = b.y - l10 * b.x;
    const double y2 = b.z - l20 * b.x - l21 * y1;
    dp_v3 x;
    x.z = y2 / d2;
    x.y = y1 / d1 - l21 * x.z;
    x.x = b.x / d0 - l10 * x.y - l20 * x.z;
    return x;
}

void dp_rigid_inertia_accumulate(dp_rigid_inertia *sum, const dp_rigid_inertia *J, dp_v3 r)
{
    // About the new point the centre of mass is at c + r: with h = m c,
    //   I' = I + (2 h·r + m r·r) 1 − (h rᵀ + r hᵀ + m r rᵀ)
    const dp_v3 h = J->h;
    const dp_v3 k = dp_v3_madd(h, J->m, r); // h + m r
    const double s = dp_v3_dot(h, r) + dp_v3_dot(k, r);
    sum->I.xx += J->I.xx + s - (h.x * r.x + r.x * k.x);
    sum->I.yy += J->I.yy + s - (h.y * r.y + r.y * k.y);
    sum->I.zz += J->I.zz + s - (h.z * r.z + r.z * k.z);
    sum->I.xy += J->I.xy - (h.x * r.y + r.x * k.y);
    sum->I.xz += J->I.xz - (h.x * r.z + r.x * k.z);
    sum->I.yz += J->I.yz - (h.y * r.z + r.y * k.z);
    sum->h = dp_v3_add(sum->h, k);
    sum->m += J->m;
}
