// Directions, attitudes and points.
#include "audit_draw.h"

void audit_set3(double *x, double a, double b, double c)
{
    x[0] = a;
    x[1] = b;
    x[2] = c;
}

void audit_set_identity(double *quat)
{
    quat[0] = 1.0;
    quat[1] = quat[2] = quat[3] = 0.0;
}

void audit_draw_direction(audit_random *r, double *x)
{
    double n;
    do {
        for (int i = 0; i < 3; ++i) {
            x[i] = audit_between(r, -1.0, 1.0);
        }
        n = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    } while (n < 0.1 || n > 1.0);
    for (int i = 0; i < 3; ++i) {
        x[i] /= n;
    }
}

void audit_quat_about(double *quat, const double *axis, double angle)
{
    const double s = sin(0.5 * angle);
    quat[0] = cos(0.5 * angle);
    for (int i = 0; i < 3; ++i) {
        quat[1 + i] = s * axis[i];
    }
}

void audit_draw_quaternion(audit_random *r, double *quat)
{
    double axis[3];
    audit_draw_direction(r, axis);
    audit_quat_about(quat, axis, audit_between(r, -3.1, 3.1));
}

// Upright, on a side, tilted slightly, or anyhow.
void audit_draw_attitude(audit_theme *t, double *quat)
{
    static const double axis[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const int which = audit_pick(&t->r, 3);
    if (t->flat || audit_chance(&t->r, 0.4)) {
        audit_set_identity(quat);
    } else if (audit_chance(&t->r, 0.3)) {
        audit_quat_about(quat, axis[which], (1 + audit_pick(&t->r, 3)) * 0.5 * 3.14159265358979312);
    } else if (audit_chance(&t->r, 0.3)) {
        audit_quat_about(quat, axis[which], audit_between(&t->r, -0.1, 0.1));
    } else {
        audit_draw_quaternion(&t->r, quat);
    }
}

void audit_draw_axis(audit_theme *t, double *axis)
{
    if (audit_chance(&t->r, 0.6)) {
        audit_set3(axis, 0, 0, 0);
        axis[audit_pick(&t->r, 3)] = audit_chance(&t->r, 0.8) ? 1.0 : -1.0;
    } else {
        audit_draw_direction(&t->r, axis);
    }
}

void audit_draw_point(audit_theme *t, double *x, double reach)
{
    for (int i = 0; i < 3; ++i) {
        x[i] = audit_between(&t->r, -reach, reach);
    }
}
