// Equalities: what they hold together, and the frames that shall meet.
//
// What holds two bodies is described in the frame of one of them; where the other is held follows
// from the poses as described, all joints at their reference.
#include "model/check.h"
#include "model/compile/compile.h"

#include <string.h>

static const dp_field equality_field[] = {
    DP_FIELD(dp_equality_spec, anchor, "anchor"),
    DP_FIELD(dp_equality_spec, second_anchor, "second anchor"),
    DP_FIELD(dp_equality_spec, relative.p, "relative position"),
    DP_FIELD(dp_equality_spec, relative.q, "relative quaternion"),
    DP_FIELD(dp_equality_spec, distance, "distance"),
    DP_FIELD(dp_equality_spec, torque_scale, "torque scale"),
    DP_FIELD(dp_equality_spec, polynomial, "polynomial"),
    DP_FIELD(dp_equality_spec, solref, "solref"),
    DP_FIELD(dp_equality_spec, solimp, "solimp"),
};

static bool holds_bodies(dp_equality_kind kind)
{
    return kind != DP_EQUALITY_JOINT && kind != DP_EQUALITY_TENDON;
}

dp_status dp_check_equality(const dp_spec *spec, int i)
{
    const dp_equality_spec *e = &dp_spec_equalities(spec)[i];
    const dp_element_kind kind = DP_ELEMENT_EQUALITY;
    DP_TRY(dp_check_finite(spec, kind, i, e, equality_field, DP_FIELD_COUNT(equality_field)));
    if ((unsigned)e->kind > DP_EQUALITY_PLANE) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, spec, kind, i,
                            "has kind number %d (expected connect, weld, joint, tendon, distance "
                            "or plane)",
                            (int)e->kind);
    }
    if (holds_bodies(e->kind) && e->object_kind != DP_OBJECT_BODY &&
        e->object_kind != DP_OBJECT_SITE) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, spec, kind, i,
                            "is a %s of object kind '%s' (expected body or site)",
                            dp_equality_kind_name(e->kind), dp_object_kind_name(e->object_kind));
    }
    DP_TRY(dp_check_not_negative(spec, kind, i, "torque scale", e->torque_scale));
    DP_TRY(dp_check_bearing(spec, kind, i, "bearing", &e->bearing));
    return e->solver_given ? dp_check_solref(spec, kind, i, e->solref) : DP_OK;
}

static bool is_given(const char *name)
{
    return name && *name;
}

static dp_element_kind element_of(const dp_equality_spec *e)
{
    if (e->kind == DP_EQUALITY_JOINT) {
        return DP_ELEMENT_JOINT;
    }
    if (e->kind == DP_EQUALITY_TENDON) {
        return DP_ELEMENT_TENDON;
    }
    return e->object_kind == DP_OBJECT_SITE ? DP_ELEMENT_SITE : DP_ELEMENT_BODY;
}

// Numbers of what is held; −1 where the second is not given.
static dp_status resolve_objects(int object[2], const dp_compiler *c, int i)
{
    const dp_equality_spec *from = &dp_spec_equalities(c->spec)[i];
    const dp_element_kind kind = element_of(from);
    object[1] = -1;
    DP_TRY(dp_resolve(&object[0], c, DP_ELEMENT_EQUALITY, i, kind, from->object[0]));
    if (!is_given(from->object[1])) {
        return DP_OK;
    }
    DP_TRY(dp_resolve(&object[1], c, DP_ELEMENT_EQUALITY, i, kind, from->object[1]));
    if (object[0] == object[1]) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_EQUALITY, i,
                            "holds %s to itself (expected another %s)",
                            dp_spec_label(c->spec, kind, object[0]).text,
                            dp_element_kind_name(kind));
    }
    return DP_OK;
}

static dp_status check_joints(const dp_compiler *c, int i)
{
    for (int k = 0; k < 2; ++k) {
        const int j = c->equality[i].object[k];
        if (j >= 0 && c->joint[j].kind != DP_JOINT_HINGE && c->joint[j].kind != DP_JOINT_SLIDE) {
            return dp_spec_fail(DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_EQUALITY, i,
                                "holds %s, a %s joint (expected hinges and slides)",
                                dp_spec_label(c->spec, DP_ELEMENT_JOINT, j).text,
                                dp_joint_kind_name(c->joint[j].kind));
        }
    }
    return DP_OK;
}

// Sites are held together as they are, whatever their poses.
static dp_status hold_sites(dp_compiler *c, int i)
{
    dp_equality *e = &c->equality[i];
    if (e->object[1] < 0) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_EQUALITY, i,
                            "holds %s to nothing (expected a second site)",
                            dp_spec_label(c->spec, DP_ELEMENT_SITE, e->object[0]).text);
    }
    for (int k = 0; k < 2; ++k) {
        const dp_site *site = &c->site[e->object[k]];
        e->frame[k] = site->pose;
        e->object[k] = site->body;
    }
    return DP_OK;
}

static dp_status hold_bodies(dp_compiler *c, int i, const dp_pose *X_W)
{
    const dp_equality_spec *from = &dp_spec_equalities(c->spec)[i];
    dp_equality *e = &c->equality[i];
    if (e->object[1] < 0) {
        e->object[1] = 0;
        if (e->object[0] == 0) {
            return dp_spec_fail(DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_EQUALITY, i,
                                "holds the world to itself (expected a body)");
        }
    }
    dp_pose relative = from->relative;
    const bool relative_counts = e->kind == DP_EQUALITY_WELD || e->kind == DP_EQUALITY_PLANE;
    if (relative_counts && from->relative_given && !dp_normalise_quat(&relative.q)) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_EQUALITY, i,
                            "has a zero quaternion (expected an orientation)");
    }
    // The second body in the first's frame, and the anchor in the frame that it is described in.
    const dp_pose X_12 = dp_pose_mul(dp_pose_inverse(X_W[e->object[0]]), X_W[e->object[1]]);
    const dp_pose at = {{1.0, 0.0, 0.0, 0.0}, from->anchor};
    if (e->kind == DP_EQUALITY_CONNECT) {
        e->frame[0] = at;
        e->frame[1] = dp_pose_mul(dp_pose_inverse(X_12), at);
    } else if (e->kind == DP_EQUALITY_WELD) {
        e->frame[1] = at;
        e->frame[0] = dp_pose_mul(from->relative_given ? relative : X_12, at);
    } else if (e->kind == DP_EQUALITY_DISTANCE) {
        e->frame[0] = at;
        e->frame[1].p = from->second_anchor;
    } else {
        e->frame[1] = at;
        e->frame[0].p = dp_pose_apply(X_12, from->anchor);
        e->frame[0] = from->relative_given ? relative : e->frame[0];
    }
    return DP_OK;
}

// The distance, where the origins of the frames are that far apart as described.
static dp_status measure_distance(dp_compiler *c, int i, const dp_pose *X_W)
{
    const double given = dp_spec_equalities(c->spec)[i].distance;
    dp_equality *e = &c->equality[i];
    dp_v3 p[2];
    for (int k = 0; k < 2; ++k) {
        p[k] = dp_pose_apply(X_W[e->object[k]], e->frame[k].p);
    }
    e->distance = given < 0.0 ? dp_v3_norm(dp_v3_sub(p[1], p[0])) : given;
    if (!(e->distance > 0.0)) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_EQUALITY, i,
                            "holds two points at distance 0%s (expected > 0; a connect holds them "
                            "together)",
                            given < 0.0 ? " as described" : "");
    }
    return DP_OK;
}

static dp_status compile_equality(dp_compiler *c, int i, const dp_pose *X_W)
{
    const dp_equality_spec *from = &dp_spec_equalities(c->spec)[i];
    dp_equality *e = &c->equality[i];
    e->kind = from->kind;
    e->frame[0] = e->frame[1] = DP_IDENTITY_POSE;
    e->torque_scale = from->torque_scale;
    e->active = from->active;
    e->solver_given = from->solver_given;
    e->bearing = e->turning = from->bearing;
    e->turning.stiffness *= e->torque_scale * e->torque_scale;
    e->turning.damping *= e->torque_scale * e->torque_scale;
    memcpy(e->polynomial, from->polynomial, sizeof e->polynomial);
    memcpy(e->solref, from->solref, sizeof e->solref);
    memcpy(e->solimp, from->solimp, sizeof e->solimp);
    DP_TRY(resolve_objects(e->object, c, i));
    if (e->kind == DP_EQUALITY_JOINT) {
        return check_joints(c, i);
    }
    if (holds_bodies(e->kind)) {
        DP_TRY(from->object_kind == DP_OBJECT_SITE ? hold_sites(c, i) : hold_bodies(c, i, X_W));
    }
    return e->kind == DP_EQUALITY_DISTANCE ? measure_distance(c, i, X_W) : DP_OK;
}

dp_status dp_compile_equalities(dp_compiler *c)
{
    if (c->m->size.nequality == 0) {
        return DP_OK;
    }
    dp_pose *X_W; // nbody: as described, in the world
    DP_TRY(dp_pool_take(&X_W, &c->scratch, (size_t)c->m->size.nbody, sizeof *X_W));
    X_W[0] = DP_IDENTITY_POSE;
    for (int b = 1; b < c->m->size.nbody; ++b) { // parents come before children
        X_W[b] = dp_pose_mul(X_W[c->body[b].parent], c->body[b].pose);
        X_W[b].q = dp_quat_unit(X_W[b].q);
    }
    for (int i = 0; i < c->m->size.nequality; ++i) {
        DP_TRY(compile_equality(c, i, X_W));
    }
    return DP_OK;
}
