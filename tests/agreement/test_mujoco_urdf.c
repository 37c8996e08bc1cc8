// URDF files against MuJoCo, which reads them, too: the scenes and random robots. MuJoCo fuses
// links and leaves out what is only seen unless <mujoco> in the file says otherwise, which these
// do.
#include "mujoco_pair.h"
#include "random_urdf.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ROBOTS = 300, STATES = 2 };
static const char *const scene[] = {"arm_6dof", "gripper", "walker_12dof"};
enum { SCENES = sizeof scene / sizeof scene[0] };

// MuJoCo 2.2.2 drops the names of shapes and <mimic>.
static void do_without(dp_spec *spec)
{
    for (int i = 0; i < dp_spec_geom_count(spec); ++i) {
        dp_spec_geom(spec, (dp_geom_id){i})->name = NULL;
    }
    assert_int_equal(dp_spec_allow(spec, "equality"), DP_OK);
}

static void open_robot(mujoco_pair *p, const char *path)
{
    pair_open(p, path, do_without);
    assert_int_equal(p->size->ngeom, p->their_m->ngeom);
    for (int i = 0; i < p->size->ngeom; ++i) {
        p->geom[i] = i; // they have no names, but the same order
    }
}

static void open_random_robot(mujoco_pair *p, uint64_t seed)
{
    char path[512]; // the process number keeps tests that run side by side apart
    snprintf(path, sizeof path, "%s/random_robot_%ld_%llu.urdf", DP_SCRATCH, (long)getpid(),
             (unsigned long long)seed);
    char *text = random_urdf(seed);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    free(text);
    open_robot(p, path);
    remove(path);
}

static void on_every_robot(void (*check)(mujoco_pair *p), int nstate)
{
    for (int i = 0; i < SCENES + ROBOTS; ++i) {
        mujoco_pair p;
        if (i < SCENES) {
            char path[512];
            snprintf(path, sizeof path, "%s/urdf/%s.urdf", DP_SCENES, scene[i]);
            open_robot(&p, path);
        } else {
            open_random_robot(&p, (uint64_t)(i - SCENES + 1));
        }
        for (int k = 0; k < nstate; ++k) {
            if (k > 0) {
                pair_randomise(&p, (uint64_t)k);
            } else {
                pair_evaluate(&p); // as described
            }
            check(&p);
        }
        pair_close(&p);
    }
}

// ---- the model

static void same_model(mujoco_pair *p)
{
    const mjModel *theirs = p->their_m;
    assert_int_equal(p->size->nbody, theirs->nbody);
    assert_int_equal(p->size->njoint, theirs->njnt);
    assert_int_equal(p->size->nq, theirs->nq);
    assert_int_equal(p->size->nv, theirs->nv);
    for (int i = 1; i < p->size->nbody; ++i) {
        const dp_body_info info = dp_model_body(p->m, (dp_body_id){i});
        assert_int_equal(p->body[i], i);
        assert_int_equal(p->body[info.parent.index], theirs->body_parentid[i]);
        assert_agree(p, "mass", info.name, 1, &p->their_inertial[i].mass, &info.inertial.mass, 0.0);
    }
    for (int j = 0; j < p->size->njoint; ++j) {
        const dp_joint_info info = dp_model_joint(p->m, (dp_joint_id){j});
        const double axis[3] = {info.axis.x, info.axis.y, info.axis.z};
        assert_int_equal(p->joint[j], j);
        assert_int_equal(info.q_index, theirs->jnt_qposadr[j]);
        assert_agree(p, "damping", info.name, 1, theirs->dof_damping + theirs->jnt_dofadr[j],
                     &info.damping, 0.0);
        if (info.kind != DP_JOINT_FREE) {
            assert_agree(p, "axis", info.name, 3, theirs->jnt_axis + 3 * j, axis, 1.0);
        }
    }
    assert_agree(p, "reference configuration", "q", p->size->nq, theirs->qpos0,
                 dp_model_q_reference(p->m), 0.0);
}

static void links_and_joints_are_counted_and_named_alike(void **state)
{
    (void)state;
    on_every_robot(same_model, 1);
}

static void same_moments(mujoco_pair *p)
{
    for (int i = 1; i < p->size->nbody; ++i) {
        const dp_body_info info = dp_model_body(p->m, (dp_body_id){i});
        const dp_inertial *theirs = &p->their_inertial[i], *ours = &info.inertial;
        if (ours->mass == 0.0) {
            continue; // a frame
        }
        const double a[3] = {theirs->moments.x, theirs->moments.y, theirs->moments.z};
        const double b[3] = {ours->moments.x, ours->moments.y, ours->moments.z};
        assert_agree(p, "principal moments", info.name, 3, a, b, 0.0);
        const double c[3] = {theirs->frame.p.x, theirs->frame.p.y, theirs->frame.p.z};
        const double d[3] = {ours->frame.p.x, ours->frame.p.y, ours->frame.p.z};
        assert_agree(p, "centre of mass", info.name, 3, c, d, 0.1);
    }
}

static void full_inertias_have_the_same_principal_moments(void **state)
{
    (void)state;
    on_every_robot(same_moments, 1);
}

static void same_shapes(mujoco_pair *p)
{
    for (int i = 0; i < p->size->ngeom; ++i) {
        const dp_geom_info info = dp_model_geom(p->m, (dp_geom_id){i});
        const int count = info.kind == DP_GEOM_SPHERE ? 1 : info.kind == DP_GEOM_BOX ? 3 : 2;
        assert_int_equal(info.body.index, p->their_m->geom_bodyid[i]);
        assert_int_equal(info.group, p->their_m->geom_group[i]);
        assert_agree(p, "size", "geom", count, p->their_m->geom_size + 3 * i, info.size, 0.0);
    }
}

static void shapes_have_the_same_size_and_group(void **state)
{
    (void)state;
    on_every_robot(same_shapes, 1);
}

// Bounds of joints, which the model does not carry yet.
static void bounds_of_joints_are_the_same(void **state)
{
    (void)state;
    for (int i = 0; i < SCENES; ++i) {
        char path[512];
        snprintf(path, sizeof path, "%s/urdf/%s.urdf", DP_SCENES, scene[i]);
        mujoco_pair p;
        open_robot(&p, path);
        dp_spec *spec;
        assert_int_equal(dp_urdf_load(&spec, NULL, path, NULL), DP_OK);
        for (int j = 0; j < p.size->njoint; ++j) {
            const dp_joint_spec *joint = dp_spec_joint(spec, (dp_joint_id){j});
            assert_int_equal(joint->limited, p.their_m->jnt_limited[j]);
            assert_agree(&p, "range", joint->name, 2, p.their_m->jnt_range + 2 * j, joint->range,
                         0.0);
        }
        dp_spec_destroy(spec);
        pair_close(&p);
    }
}

// ---- states

static void same_place(const mujoco_pair *p, const char *what, const char *name,
                       const double *position, const double *matrix, dp_pose ours)
{
    const double x[3] = {ours.p.x, ours.p.y, ours.p.z};
    assert_agree(p, what, name, 3, position, x, p->scale.length);
    assert_turned_alike(p, what, name, matrix, ours.q);
}

static void same_places(mujoco_pair *p)
{
    for (int i = 0; i < p->size->nbody; ++i) {
        same_place(p, "pose", dp_model_body(p->m, (dp_body_id){i}).name, p->their->xpos + 3 * i,
                   p->their->xmat + 9 * i, dp_body_pose(p->d, (dp_body_id){i}));
    }
    for (int i = 0; i < p->size->ngeom; ++i) {
        same_place(p, "geom", "geom", p->their->geom_xpos + 3 * i, p->their->geom_xmat + 9 * i,
                   dp_geom_pose(p->d, (dp_geom_id){i}));
    }
}

static void links_and_shapes_are_at_the_same_place(void **state)
{
    (void)state;
    on_every_robot(same_places, STATES);
}

static void same_dynamics(mujoco_pair *p)
{
    const int nv = p->size->nv;
    const size_t count = (size_t)(nv * nv) + 1;
    double *theirs = calloc(count, sizeof *theirs), *ours = calloc(count, sizeof *ours);
    assert_non_null(theirs);
    assert_non_null(ours);
    mj_fullM(p->their_m, theirs, p->their->qM);
    assert_int_equal(dp_mass_matrix(ours, p->d), DP_OK);
    assert_agree(p, "inertia matrix", "M", nv * nv, theirs, ours, 0.0);
    assert_int_equal(dp_bias_force(ours, p->d), DP_OK);
    const double weight = 9.81 * p->scale.mass; // forces may vanish, as sums of weights
    assert_agree(p, "bias force", "c", nv, p->their->qfrc_bias, ours, fmax(p->scale.force, weight));
    assert_agree(p, "passive force", "all", nv, p->their->qfrc_passive, dp_data_passive(p->d), 0.0);
    free(theirs);
    free(ours);
}

static void the_equations_of_motion_are_the_same(void **state)
{
    (void)state;
    on_every_robot(same_dynamics, STATES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_and_joints_are_counted_and_named_alike),
        cmocka_unit_test(full_inertias_have_the_same_principal_moments),
        cmocka_unit_test(shapes_have_the_same_size_and_group),
        cmocka_unit_test(bounds_of_joints_are_the_same),
        cmocka_unit_test(links_and_shapes_are_at_the_same_place),
        cmocka_unit_test(the_equations_of_motion_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
