// The trees of a model: what is numbered by them, and what they are.
#ifndef DP_MODEL_TREES_H
#define DP_MODEL_TREES_H

#include "model/model.h"

/// A run of trees with all that is numbered by tree: bodies, with what is fixed to the world among
/// them, positions and velocities. Each is in one run.
typedef struct dp_trees {
    int first, end;
    int first_body, end_body;
    int first_q, end_q;
    int first_v, end_v;
} dp_trees;

/// Where the positions of tree t begin; ntree: where they end.
static inline int dp_tree_q(const dp_model *m, int t)
{
    return t < m->size.ntree ? m->joint[m->dof_joint[m->tree_start[t]]].q_index : m->size.nq;
}

/// The trees first … end − 1.
static inline dp_trees dp_trees_of(const dp_model *m, int first, int end)
{
    const dp_model_size *n = &m->size;
    const bool from_start = first == 0, to_end = end == n->ntree; // both where one thread does all
    return (dp_trees){.first = first,
                      .end = end,
                      .first_body = from_start ? 1 : m->tree_body[first],
                      .end_body = to_end ? n->nbody : m->tree_body[end],
                      .first_q = from_start ? 0 : dp_tree_q(m, first),
                      .end_q = to_end ? n->nq : dp_tree_q(m, end),
                      .first_v = from_start ? 0 : m->tree_start[first],
                      .end_v = to_end ? n->nv : m->tree_start[end]};
}

/// Is tree t one rigid body (welded parts included) on a single free or ball joint?
static inline bool dp_tree_is_one_body(const dp_model *m, int t)
{
    const dp_body *root = &m->body[m->tree_body[t]];
    if (root->ndof != m->tree_start[t + 1] - m->tree_start[t] || root->njoint != 1) {
        return false;
    }
    const dp_joint *joint = &m->joint[m->body_joint[root->joint_start]];
    return (joint->kind == DP_JOINT_FREE || joint->kind == DP_JOINT_BALL) && joint->armature == 0.0;
}

/// Does no joint hold the centre of mass of tree t?
static inline bool dp_tree_floats(const dp_model *m, int t)
{
    const dp_body *root = &m->body[m->tree_body[t]];
    const dp_joint *joint = &m->joint[m->body_joint[root->joint_start]];
    return joint->kind == DP_JOINT_FREE && joint->stiffness == 0.0 && joint->armature == 0.0;
}

#endif
