// The five ways to give an orientation, and fromto.
#include "io/mjcf/mjcf.h"

#include "math/angle.h"

#include <string.h>

// Directions shorter than this are no directions; MuJoCo draws the line at the same length.
static const double SHORTEST = 1e-14;

bool dp_mjcf_is_orientation(const char *name)
{
    static const char *const names[] = {"quat", "axisangle", "euler", "xyaxes", "zaxis"};
    for (int i = 0; i < 5; ++i) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

double dp_mjcf_angle(const dp_mjcf *m, double angle)
{
    return m->compiler.degrees ? angle * (DP_PI / 180.0) : angle;
}

dp_quat dp_mjcf_euler(const dp_mjcf *m, const double angle[3])
{
    dp_quat q = {1.0, 0.0, 0.0, 0.0};
    for (int i = 0; i < 3; ++i) {
        const char letter = m->compiler.euler_order[i];
        const dp_v3 axis = {letter == 'x' || letter == 'X', letter == 'y' || letter == 'Y',
                            letter == 'z' || letter == 'Z'};
        const dp_quat turn = dp_quat_about(axis, dp_mjcf_angle(m, angle[i]));
        const bool moving = letter >= 'x';
        q = moving ? dp_quat_mul(q, turn) : dp_quat_mul(turn, q);
    }
    return dp_quat_unit(q);
}

// The unit quaternion of the rotation with columns x, y, z. A large component is found first, so
// that nothing is divided by a small number: w if it exceeds ½, else the largest of the others. It
// is made positive, which gives MuJoCo's choice between q and −q.
static dp_quat quat_from_axes(dp_v3 x, dp_v3 y, dp_v3 z)
{
    const double ww = 1.0 + x.x + y.y + z.z; // 4 w²
    const double xx = 1.0 + x.x - y.y - z.z;
    const double yy = 1.0 - x.x + y.y - z.z;
    const double zz = 1.0 - x.x - y.y + z.z;
    dp_quat q;
    if (ww > 1.0) {
        q = (dp_quat){ww, y.z - z.y, z.x - x.z, x.y - y.x};
    } else if (xx >= yy && xx >= zz) {
        q = (dp_quat){y.z - z.y, xx, y.x + x.y, z.x + x.z};
    } else if (yy >= zz) {
        q = (dp_quat){z.x - x.z, y.x + x.y, yy, z.y + y.z};
    } else {
        q = (dp_quat){x.y - y.x, z.x + x.z, z.y + y.z, zz};
    }
    return dp_quat_unit(q);
}

// The shortest rotation that takes the z axis to the unit vector d; about x where d is −z.
static dp_quat quat_to_direction(dp_v3 d)
{
    const dp_v3 across = {-d.y, d.x, 0.0}; // z × d
    const double s = dp_v3_norm(across);
    const dp_v3 axis = s > 0.0 ? dp_v3_scale(across, 1.0 / s) : (dp_v3){1.0, 0.0, 0.0};
    return dp_quat_about(axis, dp_atan2(s, d.z));
}

static dp_status normalise(dp_v3 *x, const dp_xml_node *node, const char *what)
{
    const double n = dp_v3_norm(*x);
    if (!(n > SHORTEST) || !isfinite(n)) {
        return dp_mjcf_fail(node, "found %s of length %g (expected a direction)", what, n);
    }
    *x = dp_v3_scale(*x, 1.0 / n);
    return DP_OK;
}

static dp_status from_axes(dp_quat *out, const dp_xml_node *node, const double number[6])
{
    dp_v3 x = dp_v3_load(number), y = dp_v3_load(number + 3);
    DP_TRY(normalise(&x, node, "the first of xyaxes"));
    DP_TRY(normalise(&y, node, "the second of xyaxes"));
    y = dp_v3_madd(y, -dp_v3_dot(x, y), x);
    DP_TRY(normalise(&y, node, "the part of the second of xyaxes across the first"));
    *out = quat_from_axes(x, y, dp_v3_cross(x, y));
    return DP_OK;
}

// One orientation, as its attribute says.
static dp_status read_rotation(dp_quat *out, const dp_mjcf *m, const dp_xml_node *node,
                               const dp_xml_attribute *attribute)
{
    const double *number = attribute->number;
    if (strcmp(attribute->name, "quat") == 0) {
        const dp_quat q = dp_quat_load(number);
        const double n = dp_quat_norm(q);
        if (!(n > SHORTEST) || !isfinite(n)) {
            return dp_mjcf_fail(node, "found quat of length %g (expected a unit quaternion)", n);
        }
        *out = dp_quat_unit(q);
        return DP_OK;
    }
    if (strcmp(attribute->name, "euler") == 0) {
        *out = dp_mjcf_euler(m, number);
        return DP_OK;
    }
    if (strcmp(attribute->name, "xyaxes") == 0) {
        return from_axes(out, node, number);
    }
    dp_v3 axis = dp_v3_load(number);
    DP_TRY(normalise(&axis, node, attribute->name));
    *out = strcmp(attribute->name, "zaxis") == 0
               ? quat_to_direction(axis)
               : dp_quat_unit(dp_quat_about(axis, dp_mjcf_angle(m, number[3])));
    return DP_OK;
}

static bool is_rotation(const dp_xml_attribute *attribute)
{
    return attribute && dp_mjcf_is_orientation(attribute->name);
}

// What says how an element is turned; NULL: nothing does. An element and a class have one at most:
// the last one given, as in MuJoCo since 3.16.
static const dp_xml_attribute *find_rotation(const dp_mjcf_view *view)
{
    for (int i = 0; i < view->node->nattribute; ++i) {
        if (is_rotation(&view->node->attribute[i])) {
            return &view->node->attribute[i];
        }
    }
    for (int i = 0; view->defaults && i < view->node->rule->nattribute; ++i) {
        if (is_rotation(view->defaults[i])) {
            return view->defaults[i];
        }
    }
    return NULL;
}

dp_status dp_mjcf_pose(dp_pose *out, const dp_mjcf *m, const dp_mjcf_view *view)
{
    *out = DP_IDENTITY_POSE;
    double p[3] = {0.0, 0.0, 0.0};
    dp_mjcf_numbers(p, view, "pos");
    out->p = dp_v3_load(p);
    const dp_xml_attribute *rotation = find_rotation(view);
    return rotation ? read_rotation(&out->q, m, view->node, rotation) : DP_OK;
}

static bool is_framed(const dp_mjcf_scope *in)
{
    const dp_pose X = in->frame;
    return X.q.w != 1.0 || X.q.x != 0.0 || X.q.y != 0.0 || X.q.z != 0.0 || X.p.x != 0.0 ||
           X.p.y != 0.0 || X.p.z != 0.0;
}

dp_pose dp_mjcf_place(const dp_mjcf_scope *in, dp_pose pose)
{
    const dp_pose placed = is_framed(in) ? dp_pose_mul(in->frame, pose) : pose;
    return (dp_pose){dp_quat_unit(placed.q), placed.p};
}

dp_v3 dp_mjcf_direction(const dp_mjcf_scope *in, dp_v3 x)
{
    return is_framed(in) ? dp_quat_rotate(in->frame.q, x) : x;
}

dp_status dp_mjcf_fromto(dp_pose *pose, double *half, const dp_xml_node *node, const double ends[6])
{
    const dp_v3 from = dp_v3_load(ends), to = dp_v3_load(ends + 3);
    dp_v3 direction = dp_v3_sub(from, to); // z points back to the first end, as in MuJoCo
    const double length = dp_v3_norm(direction);
    DP_TRY(normalise(&direction, node, "fromto"));
    pose->p = dp_v3_scale(dp_v3_add(from, to), 0.5);
    pose->q = quat_to_direction(direction);
    *half = 0.5 * length;
    return DP_OK;
}
