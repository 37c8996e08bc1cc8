// Topology: which joints a body has, how coordinates are numbered, what depends on what.
//
// Coordinates are numbered depth first: children in their order of addition, the joints of one body
// in theirs. So the degrees of freedom of every subtree are contiguous, as branch-sparse
// factorisation wants them [Featherstone2008, §6.4]. Nothing here recurses: a chain may be as long
// as memory allows.
#include "model/compile/compile.h"

#include <string.h>

// Group items by owner: *grouped lists the items of owner 0, then 1, …, each group in the order of
// the items; those of owner b are at [start[b], start[b+1]). An item owned by −1 is left out.
static dp_status group_by_owner(const int **start_out, int *grouped, const int *owner, int nitem,
                                int nowner, dp_pool *scratch)
{
    int *start;
    DP_TRY(dp_pool_take(&start, scratch, (size_t)nowner + 2, sizeof *start));
    for (int i = 0; i < nitem; ++i) {
        if (owner[i] >= 0) {
            ++start[owner[i] + 2];
        }
    }
    for (int b = 2; b < nowner + 2; ++b) {
        start[b] += start[b - 1];
    }
    // Filling moves start[b + 1] from the first of b to the first of b + 1.
    for (int i = 0; i < nitem; ++i) {
        if (owner[i] >= 0) {
            grouped[start[owner[i] + 1]++] = i;
        }
    }
    *start_out = start;
    return DP_OK;
}

static dp_status group_elements(dp_compiler *c)
{
    const dp_model_size *n = &c->m->size;
    int *owner, *child, *body_geom;
    const int most = n->nbody > n->njoint ? n->nbody : n->njoint;
    DP_TRY(dp_pool_take(&owner, &c->scratch, (size_t)(most > n->ngeom ? most : n->ngeom),
                        sizeof *owner));
    DP_TRY(dp_pool_take(&child, &c->scratch, (size_t)n->nbody, sizeof *child));
    DP_TRY(dp_pool_take(&body_geom, &c->scratch, (size_t)n->ngeom, sizeof *body_geom));
    DP_TRY(dp_pool_take(&c->body_joint, &c->m->pool, (size_t)n->njoint, sizeof *c->body_joint));

    for (int b = 0; b < n->nbody; ++b) {
        owner[b] = dp_spec_bodies(c->spec)[b].parent;
    }
    DP_TRY(group_by_owner(&c->child_start, child, owner, n->nbody, n->nbody, &c->scratch));
    for (int g = 0; g < n->ngeom; ++g) {
        owner[g] = dp_spec_geoms(c->spec)[g].body;
    }
    DP_TRY(group_by_owner(&c->geom_start, body_geom, owner, n->ngeom, n->nbody, &c->scratch));
    for (int j = 0; j < n->njoint; ++j) {
        owner[j] = dp_spec_joints(c->spec)[j].body;
    }
    const int *joint_start;
    DP_TRY(group_by_owner(&joint_start, c->body_joint, owner, n->njoint, n->nbody, &c->scratch));

    c->child = child;
    c->body_geom = body_geom;
    c->m->body_joint = c->body_joint;
    for (int b = 0; b < n->nbody; ++b) {
        c->body[b].joint_start = joint_start[b];
        c->body[b].njoint = joint_start[b + 1] - joint_start[b];
    }
    return DP_OK;
}

static int position_count(dp_joint_kind kind)
{
    return kind == DP_JOINT_FREE ? 7 : kind == DP_JOINT_BALL ? 4 : 1;
}

static int velocity_count(dp_joint_kind kind)
{
    return kind == DP_JOINT_FREE ? 6 : kind == DP_JOINT_BALL ? 3 : 1;
}

static dp_status compile_body(dp_compiler *c, int b)
{
    const dp_body_entry *entry = &dp_spec_bodies(c->spec)[b];
    dp_body *body = &c->body[b];
    body->parent = entry->parent;
    body->tree = -1;
    body->mocap = -1;
    body->gravity_compensation = entry->spec.gravity_compensation;
    body->pose = entry->spec.pose;
    if (!dp_normalise_quat(&body->pose.q)) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_BODY, b,
                            "has a zero quaternion (expected an orientation)");
    }
    body->turned = body->pose.q.x != 0.0 || body->pose.q.y != 0.0 || body->pose.q.z != 0.0;
    if (entry->spec.mocap) {
        if (body->njoint > 0 || body->parent != 0) {
            return dp_spec_fail(
                DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_BODY, b,
                body->njoint > 0
                    ? "is a mocap body with joints (expected none: the user moves it)"
                    : "is a mocap body on another body (expected a child of the world)");
        }
        body->mocap = c->m->size.nmocap++;
    }
    return DP_OK;
}

static dp_status check_world(const dp_compiler *c)
{
    const dp_body *world = &c->body[0];
    const dp_v3 p = world->pose.p;
    if (world->turned || p.x != 0.0 || p.y != 0.0 || p.z != 0.0 ||
        dp_spec_bodies(c->spec)[0].spec.mocap) {
        return dp_fail(DP_ERROR_ARGUMENT, "the world has been moved (expected it at the origin)");
    }
    if (world->njoint > 0) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_JOINT, c->body_joint[0],
                            "is on the world, which does not move (expected a joint of a body)");
    }
    return DP_OK;
}

// Which joints may share a body.
static dp_status check_joints_of_body(const dp_compiler *c, int b)
{
    const dp_body *body = &c->body[b];
    int ndof = 0, ball = -1;
    for (int k = 0; k < body->njoint; ++k) {
        const int j = c->body_joint[body->joint_start + k];
        const dp_joint_kind kind = dp_spec_joints(c->spec)[j].spec.kind;
        if (kind == DP_JOINT_FREE && body->parent != 0) {
            return dp_spec_fail(DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_JOINT, j,
                                "is free, but %s is not a child of the world (expected free joints "
                                "only there)",
                                dp_spec_label(c->spec, DP_ELEMENT_BODY, b).text);
        }
        if (kind == DP_JOINT_FREE && body->njoint > 1) {
            return dp_spec_fail(DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_JOINT, j,
                                "is free, but %s has %d joints (expected a free joint alone)",
                                dp_spec_label(c->spec, DP_ELEMENT_BODY, b).text, body->njoint);
        }
        // The angular velocity of a ball joint is in body axes: nothing may turn the body after it.
        if (ball >= 0 && (kind == DP_JOINT_BALL || kind == DP_JOINT_HINGE)) {
            return dp_spec_fail(
                DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_JOINT, j,
                "is a %s after %s on the same body (expected no rotation after a ball)",
                dp_joint_kind_name(kind), dp_spec_label(c->spec, DP_ELEMENT_JOINT, ball).text);
        }
        ball = kind == DP_JOINT_BALL ? j : ball;
        ndof += velocity_count(kind);
    }
    if (ndof > 6) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_BODY, b,
                            "has %d degrees of freedom (expected at most 6)", ndof);
    }
    return DP_OK;
}

static dp_status compile_joint(dp_compiler *c, int j)
{
    const dp_joint_entry *entry = &dp_spec_joints(c->spec)[j];
    const dp_joint_spec *from = &entry->spec;
    dp_joint *joint = &c->joint[j];
    joint->kind = from->kind;
    joint->body = entry->body;
    joint->nq = position_count(from->kind);
    joint->nv = velocity_count(from->kind);
    joint->anchor = from->kind == DP_JOINT_FREE ? (dp_v3){0.0, 0.0, 0.0} : from->anchor;
    joint->axis = (dp_v3){0.0, 0.0, 1.0};
    if (from->kind == DP_JOINT_HINGE || from->kind == DP_JOINT_SLIDE) {
        joint->axis = from->axis;
        if (!dp_normalise_v3(&joint->axis)) {
            return dp_spec_fail(DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_JOINT, j,
                                "has a zero axis (expected a direction)");
        }
    }
    joint->ref = from->ref;
    joint->armature = from->armature;
    joint->damping = from->damping;
    joint->stiffness = from->stiffness;
    joint->spring_ref = from->spring_ref;
    joint->friction_loss = from->friction_loss;
    joint->limited = from->limited && from->kind != DP_JOINT_FREE;
    joint->range[0] = from->range[0];
    joint->range[1] = from->range[1];
    joint->limit = from->limit;
    dp_joint_ratio *ratio = &c->joint_ratio[j];
    memcpy(ratio->spring_damper, from->spring_damper, sizeof ratio->spring_damper);
    ratio->limit_given = from->limited && from->limit_solver_given;
    memcpy(ratio->limit_solref, from->limit_solref, sizeof ratio->limit_solref);
    memcpy(ratio->limit_solimp, from->limit_solimp, sizeof ratio->limit_solimp);
    return DP_OK;
}

// What the kinematics of the commonest kinds of body can have ready.
static void prepare_joint(dp_compiler *c, dp_body *body)
{
    const dp_joint *joint = &c->joint[c->body_joint[body->joint_start]];
    body->floats = body->njoint == 1 && joint->kind == DP_JOINT_FREE && body->parent == 0;
    body->single_hinge = body->njoint == 1 && joint->kind == DP_JOINT_HINGE;
    if (body->single_hinge) {
        const dp_quat axis = {0.0, joint->axis.x, joint->axis.y, joint->axis.z};
        body->hinge_cos = body->pose.q;
        body->hinge_sin = dp_quat_mul(body->pose.q, axis);
        body->hinge_anchor = dp_pose_apply(body->pose, joint->anchor);
        body->pure_turn = dp_v3_dot(joint->anchor, joint->anchor) == 0.0;
    }
}

// Reference and spring positions of one joint that has its place in q.
static void set_reference(dp_compiler *c, const dp_joint *joint)
{
    double *q = c->q_reference + joint->q_index, *q_spring = c->q_spring + joint->q_index;
    const dp_pose pose = c->body[joint->body].pose;
    switch (joint->kind) {
    case DP_JOINT_FREE:
        dp_v3_store(q, pose.p);
        dp_quat_store(q + 3, pose.q);
        dp_v3_store(q_spring, pose.p);
        dp_quat_store(q_spring + 3, pose.q);
        break;
    case DP_JOINT_BALL:
        q[0] = q_spring[0] = 1.0;
        break;
    case DP_JOINT_HINGE:
    case DP_JOINT_SLIDE:
        q[0] = joint->ref; // and q_spring: dp_derive
        break;
    }
}

// What is known of every degree of freedom while they are numbered.
typedef struct numbering {
    int *dof_body, *dof_joint, *dof_parent;
    size_t *packed;
    int *tree_start, *tree_body;
    int *last_dof; // nbody: the last degree of freedom at or above a body, −1: none
    int nq, nv, ntree, nbody;
    bool *turned;
} numbering;

static void number_joint(dp_compiler *c, numbering *n, int j, int parent)
{
    dp_joint *joint = &c->joint[j];
    joint->q_index = n->nq;
    joint->v_index = n->nv;
    n->nq += joint->nq;
    set_reference(c, joint);
    for (int k = 0; k < joint->nv; ++k) {
        const int i = n->nv++;
        n->dof_body[i] = joint->body;
        n->dof_joint[i] = j;
        n->dof_parent[i] = parent;
        n->turned[i] = parent >= 0 &&
                       (n->turned[parent] || c->joint[n->dof_joint[parent]].kind != DP_JOINT_SLIDE);
        // A packed row holds the diagonal and one number per degree of freedom above.
        const size_t above = parent < 0 ? 0 : n->packed[parent + 1] - n->packed[parent];
        n->packed[i + 1] = n->packed[i] + above + 1;
        parent = i;
    }
}

// First visit of a body: its joints get the next numbers.
static void enter_body(dp_compiler *c, numbering *n, int b)
{
    dp_body *body = &c->body[b];
    body->order = n->nbody++;
    int last = b == 0 ? -1 : n->last_dof[body->parent];
    body->dof_start = n->nv;
    for (int k = 0; k < body->njoint; ++k) {
        number_joint(c, n, c->body_joint[body->joint_start + k], last);
        last = n->nv - 1;
    }
    body->ndof = n->nv - body->dof_start;
    n->last_dof[b] = last;
    if (b > 0) {
        body->tree = c->body[body->parent].tree;
    }
    if (body->tree < 0 && body->ndof > 0) {
        body->tree = n->ntree;
        n->tree_start[n->ntree] = body->dof_start;
        n->tree_body[n->ntree] = b;
        ++n->ntree;
    }
}

static dp_status take_numbering(dp_compiler *c, numbering *n, int ntree)
{
    dp_pool *pool = &c->m->pool;
    const size_t nv = (size_t)c->m->size.nv, nq = (size_t)c->m->size.nq;
    DP_TRY(dp_pool_take(&n->dof_body, pool, nv, sizeof *n->dof_body));
    DP_TRY(dp_pool_take(&n->dof_joint, pool, nv, sizeof *n->dof_joint));
    DP_TRY(dp_pool_take(&n->dof_parent, pool, nv, sizeof *n->dof_parent));
    DP_TRY(dp_pool_take(&n->turned, pool, nv, sizeof *n->turned));
    DP_TRY(dp_pool_take(&c->dof_armature, pool, nv, sizeof(double))); // dp_derive fills these
    DP_TRY(dp_pool_take(&c->dof_damping, pool, nv, sizeof(double)));
    DP_TRY(dp_pool_take(&c->dof_stiffness, pool, nv, sizeof(double)));
    DP_TRY(dp_pool_take(&n->packed, pool, nv + 1, sizeof *n->packed));
    DP_TRY(dp_pool_take(&n->tree_start, pool, (size_t)ntree + 1, sizeof *n->tree_start));
    DP_TRY(dp_pool_take(&n->tree_body, pool, (size_t)ntree, sizeof *n->tree_body));
    DP_TRY(dp_pool_take(&n->last_dof, &c->scratch, (size_t)c->m->size.nbody, sizeof *n->last_dof));
    DP_TRY(dp_pool_take(&c->q_reference, pool, nq, sizeof *c->q_reference));
    DP_TRY(dp_pool_take(&c->q_spring, pool, nq, sizeof *c->q_spring));
    c->m->q_reference = c->q_reference;
    c->m->q_spring = c->q_spring;
    c->m->dof_body = n->dof_body;
    c->m->dof_joint = n->dof_joint;
    c->m->dof_parent = n->dof_parent;
    c->m->dof_turned = n->turned;
    c->m->dof_armature = c->dof_armature;
    c->m->dof_damping = c->dof_damping;
    c->m->dof_stiffness = c->dof_stiffness;
    c->m->dof_packed = n->packed;
    c->m->tree_start = n->tree_start;
    c->m->tree_body = n->tree_body;
    return DP_OK;
}

// Walk the forest depth first by a cursor into the children of each body.
static dp_status number_coordinates(dp_compiler *c, int ntree)
{
    numbering n = {.nv = 0};
    DP_TRY(take_numbering(c, &n, ntree));
    int *cursor;
    DP_TRY(dp_pool_take(&cursor, &c->scratch, (size_t)c->m->size.nbody, sizeof *cursor));

    int b = 0;
    enter_body(c, &n, b);
    while (b >= 0) {
        const int next = c->child_start[b] + cursor[b];
        if (next < c->child_start[b + 1]) {
            ++cursor[b];
            b = c->child[next];
            enter_body(c, &n, b);
        } else {
            c->body[b].order_end = n.nbody;
            b = c->body[b].parent;
        }
    }
    DP_ASSERT(n.nq == c->m->size.nq && n.nv == c->m->size.nv && n.ntree == ntree);
    n.tree_start[ntree] = n.nv;
    c->m->depth_first = true;
    for (int i = 0; i < n.nbody; ++i) {
        c->m->depth_first = c->m->depth_first && c->body[i].order == i;
    }
    return DP_OK;
}

static dp_status list_quaternions(dp_compiler *c)
{
    int *quaternion, n = 0;
    DP_TRY(dp_pool_take(&quaternion, &c->m->pool, (size_t)c->m->size.njoint, sizeof *quaternion));
    for (int j = 0; j < c->m->size.njoint; ++j) {
        const dp_joint *joint = &c->joint[j];
        if (joint->kind == DP_JOINT_FREE || joint->kind == DP_JOINT_BALL) {
            quaternion[n++] = joint->q_index + (joint->kind == DP_JOINT_FREE ? 3 : 0);
        }
    }
    c->m->quaternion = quaternion;
    c->m->nquaternion = n;
    return DP_OK;
}

static dp_status list_mocap_bodies(dp_compiler *c)
{
    int *mocap_body;
    DP_TRY(dp_pool_take(&mocap_body, &c->m->pool, (size_t)c->m->size.nmocap, sizeof *mocap_body));
    for (int b = 0; b < c->m->size.nbody; ++b) {
        if (c->body[b].mocap >= 0) {
            mocap_body[c->body[b].mocap] = b;
        }
    }
    c->m->mocap_body = mocap_body;
    return DP_OK;
}

// Of fixed bodies, each with its own group below the world: does a body that moves hang from it?
static dp_status find_carriers(dp_compiler *c)
{
    const int nbody = c->m->size.nbody;
    bool *carries;
    int *top; // of the fixed body: that of its group which is on the world
    DP_TRY(dp_pool_take(&carries, &c->scratch, (size_t)nbody, sizeof *carries));
    DP_TRY(dp_pool_take(&top, &c->scratch, (size_t)nbody, sizeof *top));
    for (int b = 1; b < nbody; ++b) { // parents come before children
        const int parent = c->body[b].parent;
        top[b] = parent == 0 ? b : top[parent];
        carries[top[b]] =
            carries[top[b]] || (c->weld[b] == b && c->weld[parent] == 0 && parent != 0);
    }
    for (int b = 1; b < nbody; ++b) {
        carries[b] = c->weld[b] == 0 && carries[top[b]];
    }
    c->carries = carries;
    return DP_OK;
}

dp_status dp_compile_topology(dp_compiler *c)
{
    dp_model_size *size = &c->m->size;
    DP_TRY(group_elements(c));
    int *weld;
    DP_TRY(dp_pool_take(&weld, &c->m->pool, (size_t)size->nbody, sizeof *weld));
    for (int b = 0; b < size->nbody; ++b) { // parents come before children
        DP_TRY(compile_body(c, b));
        if (b == 0) {
            DP_TRY(check_world(c));
            continue;
        }
        DP_TRY(check_joints_of_body(c, b));
        const int above = weld[c->body[b].parent];
        weld[b] = c->body[b].njoint > 0 ? b : above;
        size->ntree += above == 0 && weld[b] != 0;
    }
    c->weld = c->m->weld = weld;
    DP_TRY(
        dp_pool_take(&c->joint_ratio, &c->m->pool, (size_t)size->njoint, sizeof(dp_joint_ratio)));
    c->m->joint_ratio = c->joint_ratio;
    DP_TRY(find_carriers(c));
    for (int j = 0; j < size->njoint; ++j) {
        DP_TRY(compile_joint(c, j));
        size->nq += c->joint[j].nq;
        size->nv += c->joint[j].nv;
    }
    for (int b = 1; b < size->nbody; ++b) {
        if (c->body[b].njoint > 0) {
            prepare_joint(c, &c->body[b]);
        }
    }
    DP_TRY(number_coordinates(c, size->ntree));
    DP_TRY(list_quaternions(c));
    return list_mocap_bodies(c);
}
