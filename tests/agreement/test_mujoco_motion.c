// Where things are and how they move, against MuJoCo: poses, joint axes, velocities, Jacobians,
// momentum, energy.
#include "mujoco_pair.h"

#include <math.h>
#include <stdlib.h>

static void same_place(const mujoco_pair *p, const char *what, const char *name,
                       const double *position, const double *matrix, dp_pose ours)
{
    const double x[3] = {ours.p.x, ours.p.y, ours.p.z};
    assert_agree(p, what, name, 3, position, x, p->scale.length);
    assert_turned_alike(p, what, name, matrix, ours.q);
}

static void same_body_poses(mujoco_pair *p)
{
    for (int i = 0; i < p->size->nbody; ++i) {
        const dp_body_id id = {i};
        const int b = p->body[i];
        same_place(p, "pose", dp_model_body(p->m, id).name, p->their->xpos + 3 * b,
                   p->their->xmat + 9 * b, dp_body_pose(p->d, id));
    }
}

static void bodies_are_at_the_same_place(void **state)
{
    on_every_pair_and_state(state, same_body_poses);
}

static void same_centres(mujoco_pair *p)
{
    for (int i = 1; i < p->size->nbody; ++i) {
        const dp_body_id id = {i};
        const dp_v3 c = dp_inertial_pose(p->d, id).p;
        const double ours[3] = {c.x, c.y, c.z};
        if (p->their_m->body_mass[p->body[i]] > 0.0) {
            assert_agree(p, "centre of mass", dp_model_body(p->m, id).name, 3,
                         p->their->xipos + 3 * p->body[i], ours, p->scale.length);
        }
    }
}

static void centres_of_mass_are_at_the_same_place(void **state)
{
    on_every_pair_and_state(state, same_centres);
}

static void same_geom_and_site_poses(mujoco_pair *p)
{
    for (int i = 0; i < p->size->ngeom; ++i) {
        const int g = p->geom[i];
        if (g >= 0) {
            same_place(p, "geom", dp_model_geom(p->m, (dp_geom_id){i}).name,
                       p->their->geom_xpos + 3 * g, p->their->geom_xmat + 9 * g,
                       dp_geom_pose(p->d, (dp_geom_id){i}));
        }
    }
    for (int i = 0; i < p->size->nsite; ++i) {
        const int s = p->site[i];
        same_place(p, "site", dp_model_site(p->m, (dp_site_id){i}).name,
                   p->their->site_xpos + 3 * s, p->their->site_xmat + 9 * s,
                   dp_site_pose(p->d, (dp_site_id){i}));
    }
}

static void geoms_and_sites_are_at_the_same_place(void **state)
{
    on_every_pair_and_state(state, same_geom_and_site_poses);
}

static void same_joint_frames(mujoco_pair *p)
{
    for (int i = 0; i < p->size->njoint; ++i) {
        const dp_joint_id id = {i};
        const dp_joint_info info = dp_model_joint(p->m, id);
        const dp_v3 c = dp_joint_anchor(p->d, id), a = dp_joint_axis(p->d, id);
        const double anchor[3] = {c.x, c.y, c.z}, axis[3] = {a.x, a.y, a.z};
        assert_agree(p, "anchor", info.name, 3, p->their->xanchor + 3 * p->joint[i], anchor,
                     p->scale.length);
        if (info.kind == DP_JOINT_HINGE || info.kind == DP_JOINT_SLIDE) {
            assert_agree(p, "axis", info.name, 3, p->their->xaxis + 3 * p->joint[i], axis, 1.0);
        }
    }
}

static void joint_anchors_and_axes_are_the_same(void **state)
{
    on_every_pair_and_state(state, same_joint_frames);
}

static void same_velocities(mujoco_pair *p)
{
    for (int i = 1; i < p->size->nbody; ++i) {
        const dp_body_id id = {i};
        double theirs[6];
        mj_objectVelocity(p->their_m, p->their, mjOBJ_XBODY, p->body[i], theirs, 0);
        const dp_twist V = dp_body_velocity(p->d, id);
        const double ours[6] = {V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z};
        assert_agree(p, "velocity", dp_model_body(p->m, id).name, 6, theirs, ours,
                     p->scale.velocity);
    }
}

static void bodies_move_alike(void **state)
{
    on_every_pair_and_state(state, same_velocities);
}

static void same_accelerations(mujoco_pair *p)
{
    // MuJoCo lets the world accelerate upwards instead of having gravity pull downwards
    const bool weightless = (p->their_m->opt.disableflags & mjDSBL_GRAVITY) != 0;
    for (int i = 1; i < p->size->nbody; ++i) {
        const dp_body_id id = {i};
        double theirs[6];
        mj_objectAcceleration(p->their_m, p->their, mjOBJ_XBODY, p->body[i], theirs, 0);
        for (int k = 0; k < 3 && !weightless; ++k) {
            theirs[3 + k] += p->their_m->opt.gravity[k];
        }
        const dp_twist A = dp_body_acceleration(p->d, id);
        const double ours[6] = {A.w.x, A.w.y, A.w.z, A.v.x, A.v.y, A.v.z};
        assert_agree(p, "acceleration", dp_model_body(p->m, id).name, 6, theirs, ours,
                     p->scale.acceleration);
    }
}

static void bodies_accelerate_alike(void **state)
{
    on_every_pair_and_state(state, same_accelerations);
}

static void same_jacobians(mujoco_pair *p)
{
    const int nv = p->size->nv;
    double *theirs = calloc((size_t)(6 * nv) + 1, sizeof *theirs);
    double *ours = calloc((size_t)(6 * nv) + 1, sizeof *ours);
    assert_non_null(theirs);
    assert_non_null(ours);
    for (int i = 1; i < p->size->nbody; ++i) {
        const dp_body_id id = {i};
        const double point[3] = {0.3 - 0.1 * i, -0.2, 0.7};
        mj_jac(p->their_m, p->their, theirs + 3 * nv, theirs, point, p->body[i]); // angular first
        dp_body_jacobian(ours, p->d, id, (dp_v3){point[0], point[1], point[2]});
        assert_agree(p, "Jacobian", dp_model_body(p->m, id).name, 6 * nv, theirs, ours,
                     p->scale.length);
    }
    free(theirs);
    free(ours);
}

static void jacobians_of_a_body_at_a_point_are_the_same(void **state)
{
    on_every_pair_and_state(state, same_jacobians);
}

static void same_momenta(mujoco_pair *p)
{
    for (int i = 0; i < p->size->nbody; ++i) {
        const dp_body_id id = {i};
        const int b = p->body[i];
        const char *name = dp_model_body(p->m, id).name;
        const dp_momentum ours = dp_body_momentum(p->d, id);
        const double mass = p->their_m->body_subtreemass[b];
        assert_agree(p, "subtree mass", name, 1, &mass, &ours.mass, 0.0);
        if (!(mass > 0.0)) {
            continue;
        }
        double linear[3];
        mju_scl3(linear, p->their->subtree_linvel + 3 * b, mass);
        const double com[3] = {ours.com.x, ours.com.y, ours.com.z};
        const double our_linear[3] = {ours.linear.x, ours.linear.y, ours.linear.z};
        const double angular[3] = {ours.angular.x, ours.angular.y, ours.angular.z};
        assert_agree(p, "subtree centre", name, 3, p->their->subtree_com + 3 * b, com,
                     p->scale.length);
        assert_agree(p, "linear momentum", name, 3, linear, our_linear, mass * p->scale.velocity);
        assert_agree(p, "angular momentum", name, 3, p->their->subtree_angmom + 3 * b, angular,
                     mass * p->scale.velocity * p->scale.length);
    }
}

static void subtrees_have_the_same_centre_and_momentum(void **state)
{
    on_every_pair_and_state(state, same_momenta);
}

static void same_energies(mujoco_pair *p)
{
    const dp_energy ours = dp_data_energy(p->d);
    const double potential = ours.gravity + ours.spring;
    assert_agree(p, "kinetic energy", "all", 1, p->their->energy + 1, &ours.kinetic, 0.0);
    assert_agree(p, "potential energy", "all", 1, p->their->energy, &potential, p->scale.energy);
}

static void energies_are_the_same(void **state)
{
    on_every_pair_and_state(state, same_energies);
}

/// MuJoCo keeps the wrench that a body gets from its parent about the centre of mass of the whole
/// tree.
static void same_reactions(mujoco_pair *p)
{
    for (int i = 1; i < p->size->nbody; ++i) {
        const dp_body_id id = {i};
        const int b = p->body[i];
        const double *wrench = p->their->cfrc_int + 6 * b; // moment first
        const double *centre = p->their->subtree_com + 3 * p->their_m->body_rootid[b];
        double arm[3], theirs[6];
        mju_sub3(arm, centre, p->their->xpos + 3 * b);
        mju_cross(theirs, arm, wrench + 3);
        mju_addTo3(theirs, wrench);
        mju_copy3(theirs + 3, wrench + 3);
        const dp_wrench F = dp_body_reaction(p->d, id);
        const double ours[6] = {F.t.x, F.t.y, F.t.z, F.f.x, F.f.y, F.f.z};
        assert_agree(p, "reaction", dp_model_body(p->m, id).name, 6, theirs, ours,
                     p->scale.wrench * fmax(1.0, p->scale.length));
    }
}

static void joints_carry_the_same_load(void **state)
{
    on_every_pair_and_state(state, same_reactions);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_are_at_the_same_place),
        cmocka_unit_test(centres_of_mass_are_at_the_same_place),
        cmocka_unit_test(geoms_and_sites_are_at_the_same_place),
        cmocka_unit_test(joint_anchors_and_axes_are_the_same),
        cmocka_unit_test(bodies_move_alike),
        cmocka_unit_test(bodies_accelerate_alike),
        cmocka_unit_test(jacobians_of_a_body_at_a_point_are_the_same),
        cmocka_unit_test(subtrees_have_the_same_centre_and_momentum),
        cmocka_unit_test(energies_are_the_same),
        cmocka_unit_test(joints_carry_the_same_load),
    };
    return cmocka_run_group_tests(tests, open_all_pairs, close_all_pairs);
}
