// The compiled model against MuJoCo's: sizes, layout of q and v, mass and inertia of every body,
// shapes, keyframes.
#include "mujoco_pair.h"

#include <math.h>

static void same_sizes(mujoco_pair *p)
{
    const mjModel *theirs = p->their_m;
    assert_int_equal(p->size->nbody, theirs->nbody);
    assert_int_equal(p->size->njoint, theirs->njnt);
    assert_int_equal(p->size->ngeom, theirs->ngeom);
    assert_int_equal(p->size->nsite, theirs->nsite);
    assert_int_equal(p->size->nq, theirs->nq);
    assert_int_equal(p->size->nv, theirs->nv);
    assert_int_equal(p->size->nu, theirs->nu);
    assert_int_equal(p->size->na, theirs->na);
    assert_int_equal(p->size->nkey, theirs->nkey);
    assert_int_equal(p->size->nmocap, theirs->nmocap);
    assert_int_equal(p->size->nsensordata, theirs->nsensordata);
}

static void models_have_the_same_sizes(void **state)
{
    on_every_pair(state, same_sizes);
}

static void same_layout(mujoco_pair *p)
{
    for (int j = 0; j < p->size->njoint; ++j) {
        const dp_joint_info info = dp_model_joint(p->m, (dp_joint_id){j});
        assert_int_equal(info.q_index, p->their_m->jnt_qposadr[p->joint[j]]);
        assert_int_equal(info.v_index, p->their_m->jnt_dofadr[p->joint[j]]);
        assert_int_equal(p->body[info.body.index], p->their_m->jnt_bodyid[p->joint[j]]);
    }
    for (int i = 1; i < p->size->nbody; ++i) {
        const int parent = dp_model_body(p->m, (dp_body_id){i}).parent.index;
        assert_int_equal(p->body[parent], p->their_m->body_parentid[p->body[i]]);
    }
}

static void q_and_v_have_the_same_layout(void **state)
{
    on_every_pair(state, same_layout);
}

static void same_reference(mujoco_pair *p)
{
    assert_agree(p, "reference configuration", "q", p->size->nq, p->their_m->qpos0,
                 dp_model_q_reference(p->m), 0.0);
}

static void the_reference_configuration_is_the_same(void **state)
{
    on_every_pair(state, same_reference);
}

static void sort_descending(double *x)
{
    for (int i = 0; i < 2; ++i) {
        for (int k = 0; k < 2; ++k) {
            if (x[k] < x[k + 1]) {
                const double t = x[k];
                x[k] = x[k + 1];
                x[k + 1] = t;
            }
        }
    }
}

/// R diag(I) Rᵀ, so that the order and signs of the principal axes do not matter.
static void tensor(double *out, const dp_inertial *I)
{
    const dp_m3 R = matrix_of(I->frame.q);
    const double moments[3] = {I->moments.x, I->moments.y, I->moments.z};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            out[3 * i + j] = 0.0;
            for (int k = 0; k < 3; ++k) {
                out[3 * i + j] += R.m[i][k] * moments[k] * R.m[j][k];
            }
        }
    }
}

/// MuJoCo's principal axes are off by up to this angle: its mju_eig3 stops when 1 − cos of the next
/// rotation is below 1e-12. Moments then are good to its square.
#define THEIR_AXES 1.5e-6 // [rad]

static void same_inertia(mujoco_pair *p)
{
    for (int i = 1; i < p->size->nbody; ++i) {
        const dp_body_info info = dp_model_body(p->m, (dp_body_id){i});
        const dp_inertial *theirs = &p->their_inertial[i], *ours = &info.inertial;
        assert_agree(p, "mass", info.name, 1, &theirs->mass, &ours->mass, 0.0);

        double a[3] = {theirs->frame.p.x, theirs->frame.p.y, theirs->frame.p.z};
        double b[3] = {ours->frame.p.x, ours->frame.p.y, ours->frame.p.z};
        const double *origin = p->their_m->body_pos + 3 * p->body[i];
        const bool nothing = a[0] == origin[0] && a[1] == origin[1] && a[2] == origin[2];
        if (!nothing) { // what has neither geoms nor inertial, MuJoCo 2 centres at its `pos`
            assert_agree(p, "centre of mass", info.name, 3, a, b, 0.1);
        }

        mju_copy3(a, (double[]){theirs->moments.x, theirs->moments.y, theirs->moments.z});
        mju_copy3(b, (double[]){ours->moments.x, ours->moments.y, ours->moments.z});
        sort_descending(a);
        sort_descending(b);
        assert_agree(p, "principal moments", info.name, 3, a, b, 0.0);

        double their_tensor[9], our_tensor[9];
        tensor(their_tensor, theirs);
        tensor(our_tensor, ours);
        for (int k = 0; k < 9; ++k) {
            assert_near(our_tensor[k], their_tensor[k], THEIR_AXES * a[0]);
        }
    }
}

static void bodies_have_the_same_mass_and_inertia(void **state)
{
    on_every_pair(state, same_inertia);
}

static void same_joint_numbers(mujoco_pair *p)
{
    for (int j = 0; j < p->size->njoint; ++j) {
        const dp_joint_info info = dp_model_joint(p->m, (dp_joint_id){j});
        const int dof = p->their_m->jnt_dofadr[p->joint[j]];
        assert_agree(p, "armature", info.name, 1, p->their_m->dof_armature + dof, &info.armature,
                     0.0);
        assert_agree(p, "damping", info.name, 1, p->their_m->dof_damping + dof, &info.damping, 0.0);
        assert_agree(p, "stiffness", info.name, 1, p->their_m->jnt_stiffness + p->joint[j],
                     &info.stiffness, 0.0);
        if (info.kind == DP_JOINT_HINGE || info.kind == DP_JOINT_SLIDE) {
            const double *rest = p->their_m->qpos_spring + p->their_m->jnt_qposadr[p->joint[j]];
            assert_agree(p, "spring reference", info.name, 1, rest, &info.spring_ref, 1.0);
        }
    }
}

static void joints_have_the_same_armature_springs_and_dampers(void **state)
{
    on_every_pair(state, same_joint_numbers);
}

static void same_shapes(mujoco_pair *p)
{
    static const int size_count[] = {
        [DP_GEOM_PLANE] = 0,    [DP_GEOM_SPHERE] = 1,    [DP_GEOM_CAPSULE] = 2,
        [DP_GEOM_CYLINDER] = 2, [DP_GEOM_ELLIPSOID] = 3, [DP_GEOM_BOX] = 3};
    static const int their_kind[] = {
        [DP_GEOM_PLANE] = mjGEOM_PLANE,         [DP_GEOM_SPHERE] = mjGEOM_SPHERE,
        [DP_GEOM_CAPSULE] = mjGEOM_CAPSULE,     [DP_GEOM_CYLINDER] = mjGEOM_CYLINDER,
        [DP_GEOM_ELLIPSOID] = mjGEOM_ELLIPSOID, [DP_GEOM_BOX] = mjGEOM_BOX};
    for (int i = 0; i < p->size->ngeom; ++i) {
        const dp_geom_info info = dp_model_geom(p->m, (dp_geom_id){i});
        const int g = p->geom[i];
        if (g >= 0) {
            assert_int_equal(their_kind[info.kind], p->their_m->geom_type[g]);
            assert_int_equal(p->body[info.body.index], p->their_m->geom_bodyid[g]);
            assert_agree(p, "size", info.name, size_count[info.kind], p->their_m->geom_size + 3 * g,
                         info.size, 0.0);
        }
    }
}

static void geoms_have_the_same_shape(void **state)
{
    on_every_pair(state, same_shapes);
}

static void same_keys(mujoco_pair *p)
{
    const dp_model_size *n = p->size;
    const mjModel *theirs = p->their_m;
    for (int k = 0; k < n->nkey; ++k) {
        const char *name = dp_model_key_name(p->m, (dp_key_id){k});
        assert_int_equal(mj_name2id(theirs, mjOBJ_KEY, name), k);
        assert_int_equal(dp_data_reset_to_key(p->d, (dp_key_id){k}), DP_OK);
        const double time = dp_data_time(p->d);
        assert_agree(p, "time of key", name, 1, theirs->key_time + k, &time, 0.0);
        assert_agree(p, "q of key", name, n->nq, theirs->key_qpos + k * n->nq, dp_data_q(p->d),
                     0.0);
        assert_agree(p, "v of key", name, n->nv, theirs->key_qvel + k * n->nv, dp_data_v(p->d),
                     0.0);
        assert_agree(p, "activation of key", name, n->na, theirs->key_act + k * n->na,
                     dp_data_activation(p->d), 0.0);
        assert_agree(p, "control of key", name, n->nu, theirs->key_ctrl + k * n->nu,
                     dp_data_control(p->d), 0.0);
    }
}

static void keyframes_hold_the_same_state(void **state)
{
    on_every_pair(state, same_keys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_have_the_same_sizes),
        cmocka_unit_test(q_and_v_have_the_same_layout),
        cmocka_unit_test(the_reference_configuration_is_the_same),
        cmocka_unit_test(bodies_have_the_same_mass_and_inertia),
        cmocka_unit_test(joints_have_the_same_armature_springs_and_dampers),
        cmocka_unit_test(geoms_have_the_same_shape),
        cmocka_unit_test(keyframes_hold_the_same_state),
    };
    return cmocka_run_group_tests(tests, open_all_pairs, close_all_pairs);
}
