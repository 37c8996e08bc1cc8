#include "methods/free_joint.h"

#include <math.h>

void cli_free_joint_move(double *q, const double *v, double h)
{
    for (int i = 0; i < 3; ++i) {
        q[i] += h * v[i];
    }
    const double rate = sqrt(v[3] * v[3] + v[4] * v[4] + v[5] * v[5]), half = 0.5 * h * rate;
    const double s = rate > 0.0 ? sin(half) / rate : 0.5 * h;
    const double r[4] = {cos(half), s * v[3], s * v[4], s * v[5]};
    const double a[4] = {q[3], q[4], q[5], q[6]};
    q[3] = a[0] * r[0] - a[1] * r[1] - a[2] * r[2] - a[3] * r[3];
    q[4] = a[0] * r[1] + a[1] * r[0] + a[2] * r[3] - a[3] * r[2];
    q[5] = a[0] * r[2] + a[2] * r[0] + a[3] * r[1] - a[1] * r[3];
    q[6] = a[0] * r[3] + a[3] * r[0] + a[1] * r[2] - a[2] * r[1];
}
