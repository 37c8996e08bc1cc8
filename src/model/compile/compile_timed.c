// Forces and motions given by expressions in the time: what they act on, and their programs. Each
// is evaluated once, at t = 0, so that what never has a value shows before the first step.
#include "model/check.h"
#include "model/compile/compile.h"
#include "model/motion.h"

static bool is_given(const char *text)
{
    return text && *text;
}

static bool any_given(const char *const text[3])
{
    return is_given(text[0]) || is_given(text[1]) || is_given(text[2]);
}

static dp_status fail(const dp_spec *spec, dp_element_kind kind, int i, const char *what,
                      const char *expected)
{
    return dp_spec_fail(DP_ERROR_ARGUMENT, spec, kind, i, "%s (expected %s)", what, expected);
}

dp_status dp_check_force(const dp_spec *spec, int i)
{
    static const dp_field field[] = {DP_FIELD(dp_force_spec, point, "point")};
    const dp_force_spec *f = &dp_spec_forces(spec)[i];
    const dp_element_kind kind = DP_ELEMENT_FORCE;
    DP_TRY(dp_check_finite(spec, kind, i, f, field, DP_FIELD_COUNT(field)));
    if (!any_given(f->force) && !any_given(f->torque)) {
        return fail(spec, kind, i, "has neither force nor torque", "an expression for one of them");
    }
    const dp_v3 p = f->point;
    if (!is_given(f->body) && (p.x != 0.0 || p.y != 0.0 || p.z != 0.0)) {
        return fail(spec, kind, i, "has a point and no body", "a body, or no point");
    }
    if (is_given(f->joint) && f->local) {
        return fail(spec, kind, i, "has local axes and acts on a joint", "a body or a site");
    }
    return DP_OK;
}

dp_status dp_check_motion(const dp_spec *spec, int i)
{
    const dp_motion_spec *o = &dp_spec_motions(spec)[i];
    const dp_element_kind kind = DP_ELEMENT_MOTION;
    DP_TRY(dp_check_bearing(spec, kind, i, "bearing", &o->bearing));
    if (!is_given(o->joint)) {
        if (!any_given(o->position) && !any_given(o->rotation)) {
            return fail(spec, kind, i, "has neither position nor rotation",
                        "an expression for one of them");
        }
        return isinf(o->bearing.stiffness) ? DP_OK
                                           : fail(spec, kind, i, "of a mocap body has a stiffness",
                                                  "none: what holds bodies to it may give");
    }
    return DP_OK;
}

// ---- expressions

static dp_status locate(dp_status status, const dp_compiler *c, dp_element_kind kind, int i,
                        const char *what)
{
    const dp_location where = dp_spec_where(c->spec, kind, i);
    const dp_label label = dp_spec_label(c->spec, kind, i);
    if (status == DP_OK || status == DP_ERROR_MEMORY) {
        return status;
    }
    return where.file ? dp_fail_context(status, "%s:%d: %s: %s: ", where.file, where.line,
                                        label.text, what)
                      : dp_fail_context(status, "%s: %s: ", label.text, what);
}

static dp_status parse_three(dp_expression *out[3], const dp_compiler *c, dp_element_kind kind,
                             int i, const char *what, const char *const text[3])
{
    for (int k = 0; k < 3; ++k) {
        if (is_given(text[k])) {
            double value;
            dp_status status = dp_expression_parse(&out[k], text[k], &c->m->pool.allocator);
            status = status == DP_OK ? dp_expression_value(out[k], 0.0, &value) : status;
            DP_TRY(locate(status, c, kind, i, what));
        }
    }
    return DP_OK;
}

static void destroy_three(dp_expression *const e[3])
{
    for (int k = 0; k < 3; ++k) {
        dp_expression_destroy(e[k]);
    }
}

void dp_destroy_expressions(dp_model *m)
{
    for (int i = 0; m->force && i < m->size.nforce; ++i) {
        destroy_three(m->force[i].force);
        destroy_three(m->force[i].torque);
    }
    for (int i = 0; m->motion && i < m->size.nmotion; ++i) {
        destroy_three(m->motion[i].position);
        destroy_three(m->motion[i].rotation);
    }
}

// ---- forces

// What a joint of each kind takes.
static dp_status check_joint_force(const dp_compiler *c, int i)
{
    static const char *const takes[] = {[DP_JOINT_FREE] = "forces and torques",
                                        [DP_JOINT_BALL] = "torques",
                                        [DP_JOINT_HINGE] = "one torque",
                                        [DP_JOINT_SLIDE] = "one force"};
    const dp_force_spec *from = &dp_spec_forces(c->spec)[i];
    const dp_joint *joint = &c->joint[c->force[i].joint];
    const bool more[2] = {is_given(from->force[1]) || is_given(from->force[2]),
                          is_given(from->torque[1]) || is_given(from->torque[2])};
    const bool force = any_given(from->force), torque = any_given(from->torque);
    const bool wrong = (joint->kind == DP_JOINT_HINGE && (force || more[1])) ||
                       (joint->kind == DP_JOINT_SLIDE && (torque || more[0])) ||
                       (joint->kind == DP_JOINT_BALL && force);
    if (!wrong) {
        return DP_OK;
    }
    return dp_spec_fail(DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_FORCE, i,
                        "acts on %s, a %s joint, by %s (expected %s)",
                        dp_spec_label(c->spec, DP_ELEMENT_JOINT, c->force[i].joint).text,
                        dp_joint_kind_name(joint->kind),
                        force && joint->kind != DP_JOINT_SLIDE    ? "a force"
                        : torque && joint->kind == DP_JOINT_SLIDE ? "a torque"
                                                                  : "several components",
                        takes[joint->kind]);
}

static dp_status find_place(dp_compiler *c, int i)
{
    const dp_force_spec *from = &dp_spec_forces(c->spec)[i];
    const dp_element_kind kind = DP_ELEMENT_FORCE;
    dp_force *f = &c->force[i];
    f->frame = DP_IDENTITY_POSE;
    f->body = f->joint = -1;
    if (is_given(from->joint)) {
        DP_TRY(dp_resolve(&f->joint, c, kind, i, DP_ELEMENT_JOINT, from->joint));
        return check_joint_force(c, i);
    }
    if (is_given(from->site)) {
        int site;
        DP_TRY(dp_resolve(&site, c, kind, i, DP_ELEMENT_SITE, from->site));
        f->body = c->site[site].body;
        f->frame = c->site[site].pose;
    } else {
        DP_TRY(dp_resolve(&f->body, c, kind, i, DP_ELEMENT_BODY, from->body));
        f->frame.p = from->point;
    }
    if (c->weld[f->body] == 0) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, c->spec, kind, i,
                            "acts on %s, which no joint moves (expected a body that can move)",
                            dp_spec_label(c->spec, DP_ELEMENT_BODY, f->body).text);
    }
    return DP_OK;
}

dp_status dp_compile_forces(dp_compiler *c)
{
    for (int i = 0; i < c->m->size.nforce; ++i) {
        const dp_force_spec *from = &dp_spec_forces(c->spec)[i];
        DP_TRY(find_place(c, i));
        c->force[i].local = from->local;
        DP_TRY(parse_three(c->force[i].force, c, DP_ELEMENT_FORCE, i, "force", from->force));
        DP_TRY(parse_three(c->force[i].torque, c, DP_ELEMENT_FORCE, i, "torque", from->torque));
    }
    return DP_OK;
}

// ---- motions

static dp_status find_joint(dp_compiler *c, int i)
{
    const dp_motion_spec *from = &dp_spec_motions(c->spec)[i];
    dp_motion *o = &c->motion[i];
    DP_TRY(dp_resolve(&o->joint, c, DP_ELEMENT_MOTION, i, DP_ELEMENT_JOINT, from->joint));
    const dp_element_kind kind = DP_ELEMENT_MOTION;
    switch (c->joint[o->joint].kind) {
    case DP_JOINT_HINGE:
    case DP_JOINT_SLIDE:
        if (!is_given(from->position[0])) {
            return fail(c->spec, kind, i, "of a joint has no position", "an expression");
        }
        return is_given(from->position[1]) || is_given(from->position[2]) ||
                       any_given(from->rotation)
                   ? fail(c->spec, kind, i, "of a joint has more than one expression",
                          "its position alone")
                   : DP_OK;
    case DP_JOINT_BALL:
        return any_given(from->position) || !any_given(from->rotation)
                   ? fail(c->spec, kind, i,
                          any_given(from->position) ? "of a ball joint has a position"
                                                    : "of a ball joint has no rotation",
                          "its rotation alone")
                   : DP_OK;
    case DP_JOINT_FREE:
        break;
    }
    return dp_spec_fail(DP_ERROR_ARGUMENT, c->spec, kind, i,
                        "moves %s, a free joint (expected a hinge, slide or ball; a free body can "
                        "be welded to a mocap body that moves)",
                        dp_spec_label(c->spec, DP_ELEMENT_JOINT, o->joint).text);
}

// Joints below a body that is put from place to place would not feel its acceleration.
static dp_status refuse_joints_below(const dp_compiler *c, int i, int mocap)
{
    const dp_body *top = &c->body[mocap];
    for (int b = mocap + 1; b < c->m->size.nbody; ++b) {
        const dp_body *body = &c->body[b];
        if (body->order > top->order && body->order < top->order_end && body->njoint > 0) {
            return dp_spec_fail(DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_MOTION, i,
                                "moves %s, and %s on it has joints, which would not feel it "
                                "(expected a body of its own, held by an equality)",
                                dp_spec_label(c->spec, DP_ELEMENT_BODY, mocap).text,
                                dp_spec_label(c->spec, DP_ELEMENT_BODY, b).text);
        }
    }
    return DP_OK;
}

static dp_status find_mocap(dp_compiler *c, int i)
{
    const dp_motion_spec *from = &dp_spec_motions(c->spec)[i];
    int body;
    DP_TRY(dp_resolve(&body, c, DP_ELEMENT_MOTION, i, DP_ELEMENT_BODY, from->body));
    c->motion[i].mocap = c->body[body].mocap;
    if (c->motion[i].mocap < 0) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_MOTION, i,
                            "moves %s, which is no mocap body (expected one, or a joint)",
                            dp_spec_label(c->spec, DP_ELEMENT_BODY, body).text);
    }
    c->m->moves_mocap = true;
    return refuse_joints_below(c, i, body);
}

// @param mover by joint, then by mocap body: the motion that has it, counted from 1; 0: none yet
static dp_status refuse_second(const dp_compiler *c, int i, int *mover)
{
    const dp_motion *o = &c->motion[i];
    int *first = &mover[o->joint >= 0 ? o->joint : c->m->size.njoint + o->mocap];
    if (*first > 0) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_MOTION, i,
                            "moves what %s moves (expected one motion)",
                            dp_spec_label(c->spec, DP_ELEMENT_MOTION, *first - 1).text);
    }
    *first = i + 1;
    return DP_OK;
}

dp_status dp_compile_motions(dp_compiler *c)
{
    const dp_element_kind kind = DP_ELEMENT_MOTION;
    const size_t movable = (size_t)c->m->size.njoint + (size_t)c->m->size.nmocap;
    int *mover;
    DP_TRY(dp_pool_take(&mover, &c->scratch, movable, sizeof *mover));
    for (int i = 0; i < c->m->size.nmotion; ++i) {
        const dp_motion_spec *from = &dp_spec_motions(c->spec)[i];
        dp_motion *o = &c->motion[i];
        o->joint = o->mocap = -1;
        DP_TRY(is_given(from->joint) ? find_joint(c, i) : find_mocap(c, i));
        DP_TRY(refuse_second(c, i, mover));
        o->bearing = from->bearing;
        DP_TRY(parse_three(o->position, c, kind, i, "position", from->position));
        DP_TRY(parse_three(o->rotation, c, kind, i, "rotation", from->rotation));
        dp_quat turn; // may be too far
        DP_TRY(locate(dp_motion_turn(&turn, o, 0.0), c, kind, i, "at the start"));
    }
    return DP_OK;
}
