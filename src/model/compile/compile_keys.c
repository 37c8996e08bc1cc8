// Keyframes: complete states, with the initial value where a key says nothing.
#include "model/compile/compile.h"

#include <string.h>

// One array of a key: what the user calls it, what was given, and how many numbers the model has.
typedef struct key_array {
    const char *name, *size_name;
    const double *given;
    int ngiven, n;
} key_array;

static dp_status check_array(const dp_compiler *c, int key, const key_array *a)
{
    if (!a->given) {
        return DP_OK;
    }
    if (a->ngiven != a->n) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_KEY, key,
                            "has %d number%s in %s, the model has %s = %d", a->ngiven,
                            a->ngiven == 1 ? "" : "s", a->name, a->size_name, a->n);
    }
    for (int i = 0; i < a->n; ++i) {
        if (!isfinite(a->given[i])) {
            return dp_spec_fail(DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_KEY, key,
                                "has %g in %s at place %d (expected finite numbers)", a->given[i],
                                a->name, i + 1);
        }
    }
    return DP_OK;
}

// A copy of the given numbers, of `initial`, or of zeros, whichever comes first.
static dp_status complete(double **out, dp_compiler *c, int key, const key_array *a,
                          const double *initial)
{
    DP_TRY(check_array(c, key, a));
    DP_TRY(dp_pool_take(out, &c->m->pool, (size_t)a->n, sizeof **out));
    const double *from = a->given ? a->given : initial;
    if (from && a->n > 0) {
        memcpy(*out, from, (size_t)a->n * sizeof **out);
    }
    return DP_OK;
}

static dp_status normalise_quaternions(dp_compiler *c, int key, double *q)
{
    for (int j = 0; j < c->m->size.njoint; ++j) {
        const dp_joint *joint = &c->joint[j];
        if (joint->kind != DP_JOINT_FREE && joint->kind != DP_JOINT_BALL) {
            continue;
        }
        double *at = q + joint->q_index + (joint->kind == DP_JOINT_FREE ? 3 : 0);
        dp_quat quaternion = dp_quat_load(at);
        if (!dp_normalise_quat(&quaternion)) {
            return dp_spec_fail(DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_KEY, key,
                                "has a zero quaternion for %s (expected an orientation)",
                                dp_spec_label(c->spec, DP_ELEMENT_JOINT, j).text);
        }
        dp_quat_store(at, quaternion);
    }
    return DP_OK;
}

static dp_status complete_mocap(const dp_pose **out, dp_compiler *c, int key,
                                const dp_key_spec *from)
{
    const int nmocap = c->m->size.nmocap;
    const key_array position = {"mpos", "3 nmocap", from->mocap_position, from->nmocap_position,
                                3 * nmocap};
    const key_array quaternion = {"mquat", "4 nmocap", from->mocap_quaternion,
                                  from->nmocap_quaternion, 4 * nmocap};
    DP_TRY(check_array(c, key, &position));
    DP_TRY(check_array(c, key, &quaternion));
    dp_pose *pose;
    DP_TRY(dp_pool_take(&pose, &c->m->pool, (size_t)nmocap, sizeof *pose));
    for (int i = 0; i < nmocap; ++i) {
        const int body = c->m->mocap_body[i];
        pose[i] = c->body[body].pose;
        if (position.given) {
            pose[i].p = dp_v3_load(position.given + 3 * i);
        }
        if (quaternion.given) {
            pose[i].q = dp_quat_load(quaternion.given + 4 * i);
        }
        if (!dp_normalise_quat(&pose[i].q)) {
            return dp_spec_fail(DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_KEY, key,
                                "has a zero quaternion for %s (expected an orientation)",
                                dp_spec_label(c->spec, DP_ELEMENT_BODY, body).text);
        }
    }
    *out = pose;
    return DP_OK;
}

dp_status dp_compile_keys(dp_compiler *c)
{
    const dp_model_size *size = &c->m->size;
    for (int i = 0; i < size->nkey; ++i) {
        const dp_key_spec *from = &dp_spec_keys(c->spec)[i];
        const key_array qpos = {"qpos", "nq", from->q, from->nq, size->nq};
        const key_array qvel = {"qvel", "nv", from->v, from->nv, size->nv};
        const key_array act = {"act", "na", from->activation, from->na, size->na};
        const key_array ctrl = {"ctrl", "nu", from->control, from->nu, size->nu};
        double *q, *v, *activation, *control;
        DP_TRY(complete(&q, c, i, &qpos, c->q_reference));
        DP_TRY(complete(&v, c, i, &qvel, NULL));
        DP_TRY(complete(&activation, c, i, &act, NULL));
        DP_TRY(complete(&control, c, i, &ctrl, NULL));
        DP_TRY(normalise_quaternions(c, i, q));

        dp_key *key = &c->key[i];
        key->time = from->time;
        key->q = q;
        key->v = v;
        key->activation = activation;
        key->control = control;
        DP_TRY(complete_mocap(&key->mocap, c, i, from));
    }
    return DP_OK;
}
