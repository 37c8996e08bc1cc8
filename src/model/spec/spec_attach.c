// One mechanism put into another: every element of the part is added anew, what lies on its world
// where the pose says, names behind a prefix.
#include "math/v3.h"
#include "model/spec/spec.h"

#include <dashpot/model.h>

#include <string.h>

typedef struct attachment {
    dp_spec *spec;
    const dp_spec *part;
    dp_pose pose; // X_WP: of the part's world
    const char *prefix;
    dp_pool scratch; // names
    int first_body;  // body b > 0 of the part becomes first_body + b
} attachment;

// ---- names

static bool is_world(const char *name)
{
    return !name || !*name || strcmp(name, "world") == 0;
}

static dp_status rename_to(const char **name, attachment *a)
{
    const char *old = *name;
    if (!old || !*old || !*a->prefix) {
        return DP_OK;
    }
    const size_t front = strlen(a->prefix), bytes = front + strlen(old) + 1;
    char *text;
    DP_TRY(dp_pool_take(&text, &a->scratch, bytes, 1));
    memcpy(text, a->prefix, front);
    memcpy(text + front, old, bytes - front);
    *name = text;
    return DP_OK;
}

// The world has the same name in both.
static dp_status rename_body(const char **name, attachment *a)
{
    return is_world(*name) ? DP_OK : rename_to(name, a);
}

static dp_status rename_object(const char **name, dp_object_kind kind, attachment *a)
{
    const bool body =
        kind == DP_OBJECT_BODY || kind == DP_OBJECT_INERTIAL || kind == DP_OBJECT_SUBTREE;
    return body ? rename_body(name, a) : rename_to(name, a);
}

static dp_status check_names(attachment *a, dp_element_kind kind)
{
    const dp_name_list own = dp_spec_names(a->spec, kind), names = dp_spec_names(a->part, kind);
    for (int i = kind == DP_ELEMENT_BODY; i < names.count; ++i) {
        const char *name = dp_name_at(names, i);
        DP_TRY(rename_to(&name, a));
        if (*name && dp_name_find(&a->spec->list[kind].index, own, name) >= 0) {
            return dp_fail(DP_ERROR_ARGUMENT,
                           "%s '%s' is in both mechanisms (expected a prefix that keeps names "
                           "apart)",
                           dp_element_kind_name(kind), name);
        }
    }
    return DP_OK;
}

// ---- elements with a place

static dp_body_id body_of(const attachment *a, int body)
{
    return (dp_body_id){body == 0 ? 0 : a->first_body + body};
}

static bool is_identity(dp_quat q)
{
    return q.x == 0.0 && q.y == 0.0 && q.z == 0.0;
}

static bool is_origin(dp_v3 p)
{
    return p.x == 0.0 && p.y == 0.0 && p.z == 0.0;
}

// What does not move keeps its bits.
static dp_pose placed(const attachment *a, int body, dp_pose pose)
{
    const bool moved = !is_identity(a->pose.q) || !is_origin(a->pose.p);
    return body == 0 && moved ? dp_pose_mul(a->pose, pose) : pose;
}

static dp_status add_bodies(attachment *a)
{
    const int count = dp_spec_body_count(a->part);
    for (int i = 1; i < count; ++i) {
        const dp_body_entry *entry = &dp_spec_bodies(a->part)[i];
        dp_body_spec body = entry->spec;
        body.pose = placed(a, entry->parent, body.pose);
        DP_TRY(rename_to(&body.name, a));
        DP_TRY(dp_spec_add_body(NULL, a->spec, body_of(a, entry->parent), &body));
    }
    for (int i = 0; i < dp_spec_joint_count(a->part); ++i) {
        const dp_joint_entry *entry = &dp_spec_joints(a->part)[i];
        dp_joint_spec joint = entry->spec;
        DP_TRY(rename_to(&joint.name, a));
        DP_TRY(dp_spec_add_joint(NULL, a->spec, body_of(a, entry->body), &joint));
    }
    return DP_OK;
}

static dp_status add_shapes(attachment *a)
{
    for (int i = 0; i < dp_spec_mesh_count(a->part); ++i) {
        dp_mesh_spec mesh = dp_spec_meshes(a->part)[i];
        DP_TRY(rename_to(&mesh.name, a));
        DP_TRY(dp_spec_add_mesh(NULL, a->spec, &mesh));
    }
    for (int i = 0; i < dp_spec_hfield_count(a->part); ++i) {
        dp_hfield_spec hfield = dp_spec_hfields(a->part)[i];
        DP_TRY(rename_to(&hfield.name, a));
        DP_TRY(dp_spec_add_hfield(NULL, a->spec, &hfield));
    }
    for (int i = 0; i < dp_spec_geom_count(a->part); ++i) {
        const dp_geom_entry *entry = &dp_spec_geoms(a->part)[i];
        dp_geom_spec geom = entry->spec;
        geom.pose = placed(a, entry->body, geom.pose);
        DP_TRY(rename_to(&geom.name, a));
        DP_TRY(rename_to(&geom.mesh, a));
        DP_TRY(rename_to(&geom.hfield, a));
        DP_TRY(dp_spec_add_geom(NULL, a->spec, body_of(a, entry->body), &geom));
    }
    for (int i = 0; i < dp_spec_site_count(a->part); ++i) {
        const dp_site_entry *entry = &dp_spec_sites(a->part)[i];
        dp_site_spec site = entry->spec;
        site.pose = placed(a, entry->body, site.pose);
        DP_TRY(rename_to(&site.name, a));
        DP_TRY(dp_spec_add_site(NULL, a->spec, body_of(a, entry->body), &site));
    }
    return DP_OK;
}

// ---- elements that refer to others

static dp_status add_pairs(attachment *a)
{
    for (int i = 0; i < dp_spec_pair_count(a->part); ++i) {
        dp_pair_spec pair = dp_spec_pairs(a->part)[i];
        DP_TRY(rename_to(&pair.name, a));
        DP_TRY(rename_to(&pair.geom[0], a));
        DP_TRY(rename_to(&pair.geom[1], a));
        DP_TRY(dp_spec_add_pair(NULL, a->spec, &pair));
    }
    for (int i = 0; i < dp_spec_exclude_count(a->part); ++i) {
        dp_exclude_spec exclude = dp_spec_excludes(a->part)[i];
        DP_TRY(rename_to(&exclude.name, a));
        DP_TRY(rename_body(&exclude.body[0], a));
        DP_TRY(rename_body(&exclude.body[1], a));
        DP_TRY(dp_spec_add_exclude(NULL, a->spec, &exclude));
    }
    return DP_OK;
}

static dp_status add_tendon(attachment *a, dp_tendon_spec tendon)
{
    dp_wrap_spec *wrap;
    DP_TRY(dp_pool_take(&wrap, &a->scratch, (size_t)tendon.nwrap, sizeof *wrap));
    for (int i = 0; i < tendon.nwrap; ++i) {
        wrap[i] = tendon.wrap[i];
        DP_TRY(rename_to(&wrap[i].object, a));
        DP_TRY(rename_to(&wrap[i].side, a));
    }
    tendon.wrap = wrap;
    DP_TRY(rename_to(&tendon.name, a));
    return dp_spec_add_tendon(NULL, a->spec, &tendon);
}

// What is given in the frame of the part's world is moved with it.
static void place_equality(const attachment *a, dp_equality_spec *e)
{
    const bool bodies = e->object_kind == DP_OBJECT_BODY;
    const bool first = bodies && is_world(e->object[0]), second = bodies && is_world(e->object[1]);
    switch (e->kind) {
    case DP_EQUALITY_CONNECT:
    case DP_EQUALITY_DISTANCE:
        e->anchor = first ? dp_pose_apply(a->pose, e->anchor) : e->anchor;
        e->second_anchor = second ? dp_pose_apply(a->pose, e->second_anchor) : e->second_anchor;
        break;
    case DP_EQUALITY_WELD:
    case DP_EQUALITY_PLANE:
        e->relative = first ? dp_pose_mul(a->pose, e->relative) : e->relative;
        if (second) {
            e->relative = dp_pose_mul(e->relative, dp_pose_inverse(a->pose));
            e->anchor = dp_pose_apply(a->pose, e->anchor);
        }
        break;
    case DP_EQUALITY_JOINT:
    case DP_EQUALITY_TENDON:
        break;
    }
}

static dp_status add_equality(attachment *a, dp_equality_spec equality)
{
    place_equality(a, &equality);
    DP_TRY(rename_to(&equality.name, a));
    const bool holds_bodies = equality.object_kind == DP_OBJECT_BODY &&
                              equality.kind != DP_EQUALITY_JOINT &&
                              equality.kind != DP_EQUALITY_TENDON;
    for (int k = 0; k < 2; ++k) {
        DP_TRY(holds_bodies ? rename_body(&equality.object[k], a)
                            : rename_to(&equality.object[k], a));
    }
    return dp_spec_add_equality(NULL, a->spec, &equality);
}

static dp_status add_actuator(attachment *a, dp_actuator_spec actuator)
{
    DP_TRY(rename_to(&actuator.name, a));
    DP_TRY(rename_to(&actuator.joint, a));
    DP_TRY(rename_to(&actuator.tendon, a));
    DP_TRY(rename_to(&actuator.site, a));
    DP_TRY(rename_to(&actuator.reference_site, a));
    DP_TRY(rename_body(&actuator.body, a));
    return dp_spec_add_actuator(NULL, a->spec, &actuator);
}

static dp_status add_sensor(attachment *a, dp_sensor_spec sensor)
{
    DP_TRY(rename_to(&sensor.name, a));
    DP_TRY(rename_object(&sensor.object, sensor.object_kind, a));
    DP_TRY(rename_object(&sensor.reference, sensor.reference_kind, a));
    return dp_spec_add_sensor(NULL, a->spec, &sensor);
}

// Expressions along axes of the world cannot be turned, and places in it not be moved.
static dp_status add_force(attachment *a, dp_force_spec force)
{
    if (!force.joint && !force.local && !is_identity(a->pose.q)) {
        return dp_fail_at(DP_ERROR_UNSUPPORTED, force.where,
                          "a force along axes of the world is not turned with the mechanism that "
                          "it belongs to (expected an upright pose, or a local force)");
    }
    DP_TRY(rename_to(&force.name, a));
    DP_TRY(rename_to(&force.site, a));
    DP_TRY(rename_body(&force.body, a));
    DP_TRY(rename_to(&force.joint, a));
    return dp_spec_add_force(NULL, a->spec, &force);
}

static dp_status add_motion(attachment *a, dp_motion_spec motion)
{
    if (motion.body && (!is_identity(a->pose.q) || !is_origin(a->pose.p))) {
        return dp_fail_at(DP_ERROR_UNSUPPORTED, motion.where,
                          "the motion of a mocap body in the world is not moved with the mechanism "
                          "that it belongs to (expected no pose)");
    }
    DP_TRY(rename_to(&motion.name, a));
    DP_TRY(rename_to(&motion.joint, a));
    DP_TRY(rename_to(&motion.body, a));
    return dp_spec_add_motion(NULL, a->spec, &motion);
}

static dp_status add_others(attachment *a)
{
    const dp_spec *part = a->part;
    DP_TRY(add_pairs(a));
    for (int i = 0; i < dp_spec_tendon_count(part); ++i) {
        DP_TRY(add_tendon(a, dp_spec_tendons(part)[i]));
    }
    for (int i = 0; i < dp_spec_equality_count(part); ++i) {
        DP_TRY(add_equality(a, dp_spec_equalities(part)[i]));
    }
    for (int i = 0; i < dp_spec_actuator_count(part); ++i) {
        DP_TRY(add_actuator(a, dp_spec_actuators(part)[i]));
    }
    for (int i = 0; i < dp_spec_sensor_count(part); ++i) {
        DP_TRY(add_sensor(a, dp_spec_sensors(part)[i]));
    }
    for (int i = 0; i < dp_spec_force_count(part); ++i) {
        DP_TRY(add_force(a, dp_spec_forces(part)[i]));
    }
    for (int i = 0; i < dp_spec_motion_count(part); ++i) {
        DP_TRY(add_motion(a, dp_spec_motions(part)[i]));
    }
    return DP_OK;
}

// ---- keyframes

// *array followed by `n` numbers of `more`, zeros where that is NULL. Nothing given stays nothing.
static dp_status extend(const double **array, int *count, int n, const double *more, dp_spec *spec)
{
    if (!*array || n == 0) {
        return DP_OK;
    }
    double *longer;
    DP_TRY(dp_pool_take(&longer, &spec->pool, (size_t)(*count + n), sizeof *longer));
    memcpy(longer, *array, (size_t)*count * sizeof *longer);
    if (more) {
        memcpy(longer + *count, more, (size_t)n * sizeof *longer);
    }
    *array = longer;
    *count += n;
    return DP_OK;
}

// The part as described, where it is attached.
static dp_status initial_q(double **out, attachment *a, const dp_model *m)
{
    const int nq = dp_model_sizes(m)->nq;
    DP_TRY(dp_pool_take(out, &a->scratch, (size_t)nq, sizeof **out));
    if (nq > 0) {
        memcpy(*out, dp_model_q_reference(m), (size_t)nq * sizeof **out);
    }
    for (int j = 0; j < dp_model_sizes(m)->njoint; ++j) {
        const dp_joint_info joint = dp_model_joint(m, (dp_joint_id){j});
        if (joint.kind == DP_JOINT_FREE) {
            double *q = *out + joint.q_index;
            const dp_pose own = {dp_quat_load(q + 3), dp_v3_load(q)};
            const dp_pose pose = dp_pose_mul(a->pose, own);
            dp_v3_store(q, pose.p);
            dp_quat_store(q + 3, pose.q);
        }
    }
    return DP_OK;
}

static dp_status extend_keys(attachment *a, const dp_model *m)
{
    const dp_model_size *n = dp_model_sizes(m);
    double *q, *position, *quaternion;
    DP_TRY(initial_q(&q, a, m));
    DP_TRY(dp_pool_take(&position, &a->scratch, 3 * (size_t)n->nmocap, sizeof *position));
    DP_TRY(dp_pool_take(&quaternion, &a->scratch, 4 * (size_t)n->nmocap, sizeof *quaternion));
    int mocap = 0;
    for (int b = 1; b < dp_spec_body_count(a->part); ++b) {
        const dp_body_spec *body = &dp_spec_bodies(a->part)[b].spec;
        if (body->mocap) {
            const dp_pose pose = dp_pose_mul(a->pose, body->pose);
            dp_v3_store(position + 3 * (size_t)mocap, pose.p);
            dp_quat_store(quaternion + 4 * (size_t)mocap, pose.q);
            ++mocap;
        }
    }
    for (int k = 0; k < dp_spec_key_count(a->spec); ++k) {
        dp_key_spec *key = dp_spec_key(a->spec, (dp_key_id){k});
        DP_TRY(extend(&key->q, &key->nq, n->nq, q, a->spec));
        DP_TRY(extend(&key->v, &key->nv, n->nv, NULL, a->spec));
        DP_TRY(extend(&key->activation, &key->na, n->na, NULL, a->spec));
        DP_TRY(extend(&key->control, &key->nu, n->nu, NULL, a->spec));
        DP_TRY(
            extend(&key->mocap_position, &key->nmocap_position, 3 * n->nmocap, position, a->spec));
        DP_TRY(extend(&key->mocap_quaternion, &key->nmocap_quaternion, 4 * n->nmocap, quaternion,
                      a->spec));
    }
    return DP_OK;
}

static dp_status attach(attachment *a)
{
    for (int kind = 0; kind < DP_ELEMENT_KINDS; ++kind) {
        DP_TRY(kind == DP_ELEMENT_KEY ? DP_OK : check_names(a, (dp_element_kind)kind));
    }
    DP_TRY(dp_spec_error(a->part));
    if (dp_spec_key_count(a->spec) > 0) {
        dp_model *m;
        DP_TRY(dp_model_compile(&m, a->part));
        const dp_status status = extend_keys(a, m);
        dp_model_destroy(m);
        DP_TRY(status);
    }
    for (int i = 0; i < a->part->nfeature; ++i) {
        DP_TRY(dp_spec_allow(a->spec, a->part->feature[i]));
    }
    DP_TRY(add_bodies(a));
    DP_TRY(add_shapes(a));
    return add_others(a);
}

dp_status dp_spec_attach(dp_spec *spec, const dp_spec *part, dp_pose pose, const char *prefix)
{
    if (spec == part) {
        return dp_fail(DP_ERROR_ARGUMENT, "a mechanism cannot be put into itself");
    }
    const dp_quat q = pose.q;
    const double square = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    if (!(square > 0.0) || !(square < INFINITY) || !(dp_v3_norm(pose.p) < INFINITY)) {
        return dp_fail(DP_ERROR_ARGUMENT, "the pose of a mechanism that is attached has a zero "
                                          "quaternion or numbers that are not finite");
    }
    attachment a = {.spec = spec,
                    .part = part,
                    .pose = {dp_quat_unit(q), pose.p},
                    .prefix = prefix ? prefix : "",
                    .first_body = dp_spec_body_count(spec) - 1};
    dp_pool_init(&a.scratch, &spec->allocator);
    const dp_status status = attach(&a);
    dp_pool_destroy(&a.scratch);
    return status;
}
