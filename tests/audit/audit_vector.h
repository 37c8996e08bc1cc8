// Three-vectors, rotations and poses of the auditor. Nothing here comes from the library under
// audit.
#ifndef AUDIT_VECTOR_H
#define AUDIT_VECTOR_H

#include <math.h>

typedef struct v3 {
    double x, y, z;
} v3;

// A rotation by its columns' components, row by row: (R x)_i = Σ_j m[i][j] x_j.
typedef struct m3 {
    double m[3][3];
} m3;

// The pose of a frame in another: x ↦ R x + p.
typedef struct pose {
    m3 R;
    v3 p;
} pose;

static inline v3 v3_load(const double *x)
{
    return (v3){x[0], x[1], x[2]};
}
static inline void v3_store(double *out, v3 a)
{
    out[0] = a.x;
    out[1] = a.y;
    out[2] = a.z;
}
static inline v3 v3_add(v3 a, v3 b)
{
    return (v3){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline v3 v3_sub(v3 a, v3 b)
{
    return (v3){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline v3 v3_scale(v3 a, double s)
{
    return (v3){a.x * s, a.y * s, a.z * s};
}
static inline v3 v3_madd(v3 a, double s, v3 b)
{
    return (v3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
static inline double v3_dot(v3 a, v3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline v3 v3_cross(v3 a, v3 b)
{
    return (v3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double v3_norm(v3 a)
{
    return sqrt(v3_dot(a, a));
}
// A zero vector stays zero.
static inline v3 v3_unit(v3 a)
{
    const double n = v3_norm(a);
    return n > 0.0 ? v3_scale(a, 1.0 / n) : a;
}
static inline v3 v3_perpendicular(v3 a)
{
    const v3 other = fabs(a.x) < 0.6 * v3_norm(a) ? (v3){1, 0, 0} : (v3){0, 1, 0};
    return v3_unit(v3_cross(a, other));
}

static inline m3 m3_identity(void)
{
    return (m3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
}
static inline v3 m3_apply(const m3 *R, v3 a)
{
    return (v3){R->m[0][0] * a.x + R->m[0][1] * a.y + R->m[0][2] * a.z,
                R->m[1][0] * a.x + R->m[1][1] * a.y + R->m[1][2] * a.z,
                R->m[2][0] * a.x + R->m[2][1] * a.y + R->m[2][2] * a.z};
}
static inline v3 m3_apply_transposed(const m3 *R, v3 a)
{
    return (v3){R->m[0][0] * a.x + R->m[1][0] * a.y + R->m[2][0] * a.z,
                R->m[0][1] * a.x + R->m[1][1] * a.y + R->m[2][1] * a.z,
                R->m[0][2] * a.x + R->m[1][2] * a.y + R->m[2][2] * a.z};
}
static inline m3 m3_multiply(const m3 *A, const m3 *B)
{
    m3 C;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            C.m[i][j] = A->m[i][0] * B->m[0][j] + A->m[i][1] * B->m[1][j] + A->m[i][2] * B->m[2][j];
        }
    }
    return C;
}
static inline m3 m3_transpose(const m3 *A)
{
    m3 C;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            C.m[i][j] = A->m[j][i];
        }
    }
    return C;
}

// The rotation of a quaternion (w, x, y, z) of any length but zero.
static inline m3 m3_of_quaternion(const double *q)
{
    const double s = 1.0 / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    return (m3){{{1 - 2 * s * (y * y + z * z), 2 * s * (x * y - w * z), 2 * s * (x * z + w * y)},
                 {2 * s * (x * y + w * z), 1 - 2 * s * (x * x + z * z), 2 * s * (y * z - w * x)},
                 {2 * s * (x * z - w * y), 2 * s * (y * z + w * x), 1 - 2 * s * (x * x + y * y)}}};
}
// The rotation by `angle` about the unit vector `axis`.
static inline m3 m3_about(v3 axis, double angle)
{
    const double c = cos(0.5 * angle), s = sin(0.5 * angle);
    const double q[4] = {c, s * axis.x, s * axis.y, s * axis.z};
    return m3_of_quaternion(q);
}
// The rotation vector of R, of length 0 … π.
static inline v3 m3_log(const m3 *R)
{
    const v3 axial = {R->m[2][1] - R->m[1][2], R->m[0][2] - R->m[2][0], R->m[1][0] - R->m[0][1]};
    const double s = 0.5 * v3_norm(axial), c = 0.5 * (R->m[0][0] + R->m[1][1] + R->m[2][2] - 1.0);
    const double angle = atan2(s, c);
    if (s > 1e-6) {
        return v3_scale(axial, 0.5 * angle / s);
    }
    if (c > 0.0) {
        return v3_scale(axial, 0.5);
    }
    // Near π: the axis is the column of R + I that is longest.
    int best = 0;
    for (int i = 1; i < 3; ++i) {
        best = R->m[i][i] > R->m[best][best] ? i : best;
    }
    v3 axis = {R->m[0][best] + (best == 0), R->m[1][best] + (best == 1),
               R->m[2][best] + (best == 2)};
    axis = v3_unit(axis);
    return v3_scale(axis, v3_dot(axis, axial) < 0.0 ? -angle : angle);
}

static inline pose pose_identity(void)
{
    return (pose){m3_identity(), {0, 0, 0}};
}
static inline v3 pose_apply(const pose *X, v3 a)
{
    return v3_add(m3_apply(&X->R, a), X->p);
}
static inline v3 pose_apply_inverse(const pose *X, v3 a)
{
    return m3_apply_transposed(&X->R, v3_sub(a, X->p));
}
static inline pose pose_compose(const pose *A, const pose *B)
{
    return (pose){m3_multiply(&A->R, &B->R), pose_apply(A, B->p)};
}
static inline pose pose_of(const double *p, const double *quaternion)
{
    return (pose){m3_of_quaternion(quaternion), v3_load(p)};
}
// The pose a share s of the way from A to B: places on a straight line, turning steadily.
static inline pose pose_between(const pose *A, const pose *B, double s)
{
    const m3 back = m3_transpose(&A->R), turn = m3_multiply(&back, &B->R);
    const v3 w = m3_log(&turn);
    const double angle = v3_norm(w);
    const m3 part = angle > 0.0 ? m3_about(v3_scale(w, 1.0 / angle), s * angle) : m3_identity();
    return (pose){m3_multiply(&A->R, &part), v3_madd(A->p, s, v3_sub(B->p, A->p))};
}

#endif
