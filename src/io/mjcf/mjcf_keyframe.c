// Keyframes. Their arrays count everything in the file, so what was left out is taken out of them
// too.
#include "io/mjcf/mjcf.h"

#include "model/spec/spec.h"

#include <string.h>

static void read_list(const double **out, int *count, const dp_xml_node *node, const char *name)
{
    const dp_xml_attribute *attribute = dp_xml_find(node, name);
    *out = attribute && attribute->count > 0 ? attribute->number : NULL;
    *count = *out ? attribute->count : 0;
}

// `width(i)` numbers belong to actuator i of the file; keep those of actuators that are in the
// spec.
static dp_status take_out(const double **x, int *count, dp_mjcf *m, const int *width)
{
    double *kept;
    DP_TRY(dp_pool_take(&kept, &m->pool, (size_t)*count, sizeof *kept));
    int from = 0, to = 0;
    for (int i = 0; i < m->nactuator; ++i) {
        const int n = width ? width[i] : 1;
        for (int k = 0; k < n; ++k, ++from) {
            if (m->actuator_kept[i]) {
                kept[to++] = (*x)[from];
            }
        }
    }
    *x = to > 0 ? kept : NULL;
    *count = to;
    return DP_OK;
}

static dp_status follow_actuators(dp_key_spec *key, dp_mjcf *m, const dp_xml_node *node)
{
    bool all = true, known = true;
    int states = 0;
    for (int i = 0; i < m->nactuator; ++i) {
        all = all && m->actuator_kept[i];
        known = known && m->actuator_states[i] >= 0;
        states += m->actuator_states[i];
    }
    if (all) {
        return DP_OK;
    }
    if (key->control && key->nu == m->nactuator) {
        DP_TRY(take_out(&key->control, &key->nu, m, NULL));
    }
    if (key->activation && !known) {
        key->activation = NULL;
        key->na = 0;
        return dp_mjcf_judge(m, node, dp_xml_find(node, "act"), DP_IMPORT_VERDICT_IGNORED,
                             "left out: it counts activations of actuators that were left out");
    }
    if (key->activation && key->na == states) {
        return take_out(&key->activation, &key->na, m, m->actuator_states);
    }
    return DP_OK;
}

// A quaternion of zeros is no rotation, as in MuJoCo.
static dp_status complete_quaternions(dp_key_spec *key, dp_mjcf *m, const dp_xml_node *node)
{
    double *q = NULL;
    int at = 0;
    for (int j = 0; j < dp_spec_joint_count(m->spec); ++j) { // in the order of the coordinates
        const dp_joint_kind kind = dp_spec_joints(m->spec)[j].spec.kind;
        const int start = at + (kind == DP_JOINT_FREE ? 3 : 0);
        at = start + (kind == DP_JOINT_FREE || kind == DP_JOINT_BALL ? 4 : 1);
        if (at > key->nq || kind == DP_JOINT_HINGE || kind == DP_JOINT_SLIDE ||
            key->q[start] != 0.0 || key->q[start + 1] != 0.0 || key->q[start + 2] != 0.0 ||
            key->q[start + 3] != 0.0) {
            continue;
        }
        if (!q) {
            DP_TRY(dp_pool_take(&q, &m->pool, (size_t)key->nq, sizeof *q));
            memcpy(q, key->q, (size_t)key->nq * sizeof *q);
            key->q = q;
            DP_TRY(dp_mjcf_judge(m, node, dp_xml_find(node, "qpos"), DP_IMPORT_VERDICT_APPROXIMATED,
                                 "a quaternion of zeros is taken for no rotation"));
        }
        q[start] = 1.0;
    }
    return DP_OK;
}

// How many coordinates the joints have; where `q` is not NULL, their values as described.
static int count_coordinates(double *q, const dp_spec *spec, bool velocities)
{
    int n = 0;
    for (int j = 0; j < dp_spec_joint_count(spec); ++j) {
        const dp_joint_entry *joint = &dp_spec_joints(spec)[j];
        const dp_joint_kind kind = joint->spec.kind;
        const int turn = velocities ? 3 : 4;
        if (q && kind == DP_JOINT_FREE) {
            const dp_pose pose = dp_spec_bodies(spec)[joint->body].spec.pose;
            dp_v3_store(q + n, pose.p);
            dp_quat_store(q + n + 3, pose.q);
        } else if (q) {
            q[n] = kind == DP_JOINT_BALL ? 1.0 : joint->spec.ref;
        }
        n += kind == DP_JOINT_FREE ? 3 + turn : kind == DP_JOINT_BALL ? turn : 1;
    }
    return n;
}

// `*x` is followed by the values as described, zeros where `usual` is NULL, up to n in all.
static dp_status lengthen(const double **x, int *count, int n, const double *usual, dp_mjcf *m,
                          const dp_xml_node *node, const char *attribute)
{
    if (!*x || *count >= n) {
        return DP_OK;
    }
    double *longer;
    DP_TRY(dp_pool_take(&longer, &m->pool, (size_t)n, sizeof *longer));
    if (usual) {
        memcpy(longer, usual, (size_t)n * sizeof *longer);
    }
    memcpy(longer, *x, (size_t)*count * sizeof *longer);
    *x = longer;
    *count = n;
    return dp_mjcf_judge(m, node, dp_xml_find(node, attribute), DP_IMPORT_VERDICT_APPROXIMATED,
                         "fewer numbers than the model has: the others as described");
}

static dp_status complete_short(dp_key_spec *key, dp_mjcf *m, const dp_xml_node *node)
{
    const int nq = count_coordinates(NULL, m->spec, false);
    double *q;
    DP_TRY(dp_pool_take(&q, &m->pool, (size_t)nq, sizeof *q));
    count_coordinates(q, m->spec, false);
    DP_TRY(lengthen(&key->q, &key->nq, nq, q, m, node, "qpos"));
    DP_TRY(
        lengthen(&key->v, &key->nv, count_coordinates(NULL, m->spec, true), NULL, m, node, "qvel"));
    return lengthen(&key->control, &key->nu, dp_spec_actuator_count(m->spec), NULL, m, node,
                    "ctrl");
}

static dp_status read_key(dp_mjcf *m, const dp_xml_node *node)
{
    const dp_mjcf_view view = {.node = node};
    dp_key_spec key = dp_key_spec_default();
    key.name = dp_xml_value(node, "name", NULL);
    key.where = dp_mjcf_where(node);
    key.time = dp_mjcf_number(&view, "time", 0.0);
    read_list(&key.q, &key.nq, node, "qpos");
    read_list(&key.v, &key.nv, node, "qvel");
    read_list(&key.activation, &key.na, node, "act");
    read_list(&key.control, &key.nu, node, "ctrl");
    read_list(&key.mocap_position, &key.nmocap_position, node, "mpos");
    read_list(&key.mocap_quaternion, &key.nmocap_quaternion, node, "mquat");
    if (m->lost_feature && (key.q || key.v)) {
        return dp_mjcf_judge(m, node, NULL, DP_IMPORT_VERDICT_IGNORED,
                             "left out: it counts joints of what was left out");
    }
    DP_TRY(follow_actuators(&key, m, node));
    DP_TRY(complete_short(&key, m, node));
    if (key.q) {
        DP_TRY(complete_quaternions(&key, m, node));
    }
    return dp_mjcf_located(node, dp_spec_add_key(NULL, m->spec, &key));
}

dp_status dp_mjcf_read_keyframes(dp_mjcf *m)
{
    for (dp_xml_node *s = NULL; (s = dp_mjcf_section(m, "keyframe", s));) {
        for (dp_xml_node *node = s->child; node; node = node->next) {
            if (strcmp(node->name, "key") == 0) {
                DP_TRY(read_key(m, node));
            }
        }
    }
    return DP_OK;
}
