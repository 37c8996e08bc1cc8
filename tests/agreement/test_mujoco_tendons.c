// Lengths and gradients of tendons, lengths and moments of actuators on joints, tendons and sites.
//
// MuJoCo 2.2.2 and Dashpot differ, by intent, in these:
//
// * A side site. MuJoCo 2.2.2 goes through an obstacle when the projection of the side site on the
//   plane of the path is in it; MuJoCo 3 and Dashpot, when the site is nearer to the centre than
//   the radius. Of two ways around, MuJoCo takes the one whose points of contact have their mean on
//   the side that is asked for. That is the wrong one where a way goes around by more than half a
//   turn; Dashpot takes the one with the middle of its arc on that side. Tendons of which one or
//   the other can be said are `contested` and left out.
// * Going through an obstacle. MuJoCo looks for the point of contact by Newton's method until an
//   angle is right to 1e-6. The length, which is least there, is then good to 1e-12, its gradient
//   only to 1e-6. Where Newton's method does not come to an end, it takes the point halfway between
//   the sites, a longer path than Dashpot's.
// * A site seen from a reference site. MuJoCo lets the reaction act at the reference site, Dashpot
//   where the force does, and MuJoCo 2.2.2 composes the orientation of sites in the wrong order.
//   The expected numbers are therefore put together from MuJoCo's Jacobians and poses.
#include "mujoco_pair.h"
#include "tendon_rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;
static const double OF_NEWTON = 1e-5; // [m, 1] see above; the angle times lengths of a few metres

enum { MECHANISMS = 120, STATES = 4 };

typedef struct tally {
    int tendons, bends, throughs, halfway, contested, references;
} tally;

static dp_v3 their_site(const mujoco_pair *p, int site)
{
    return dp_v3_load(p->their->site_xpos + 3 * p->site[site]);
}

/// The geom at station k, and the sites before and after it and on its side, from its centre.
typedef struct obstacle {
    double radius, side_in_plane; // of the side site, from the centre or axis
    dp_v3 a, b, side;             // in the plane of the path; side: in space
} obstacle;

static obstacle obstacle_at(const mujoco_pair *p, const dp_wrap *wrap)
{
    const double *centre = p->their->geom_xpos + 3 * p->geom[wrap->object];
    const double *axes = p->their->geom_xmat + 9 * p->geom[wrap->object];
    const dp_v3 c = dp_v3_load(centre);
    obstacle o = {.radius = p->m->geom[wrap->object].size[0]};
    o.a = dp_v3_sub(their_site(p, wrap[-1].object), c);
    o.b = dp_v3_sub(their_site(p, wrap[1].object), c);
    o.side = dp_v3_sub(their_site(p, wrap->side), c);
    dp_v3 normal = {axes[2], axes[5], axes[8]};
    if (p->m->geom[wrap->object].kind == DP_GEOM_SPHERE) {
        normal = dp_v3_cross(o.a, o.b);
        normal = dp_v3_scale(normal, 1.0 / dp_v3_norm(normal));
    }
    o.a = dp_v3_madd(o.a, -dp_v3_dot(o.a, normal), normal);
    o.b = dp_v3_madd(o.b, -dp_v3_dot(o.b, normal), normal);
    o.side_in_plane = dp_v3_norm(dp_v3_madd(o.side, -dp_v3_dot(o.side, normal), normal));
    return o;
}

static double angle_of_tangent(dp_v3 a, double radius)
{
    return acos(fmin(1.0, radius / dp_v3_norm(a)));
}

static bool is_contested(const obstacle *o)
{
    const bool in_space = dp_v3_norm(o->side) < o->radius, in_plane = o->side_in_plane < o->radius;
    const double gap = atan2(dp_v3_norm(dp_v3_cross(o->a, o->b)), dp_v3_dot(o->a, o->b));
    const double long_arc =
        2.0 * PI - gap - angle_of_tangent(o->a, o->radius) - angle_of_tangent(o->b, o->radius);
    return in_space != in_plane || (!in_space && long_arc > PI);
}

typedef struct path_facts {
    bool contested, through; // through: the path may touch an obstacle from outside in one point
} path_facts;

static path_facts look_at(const mujoco_pair *p, int tendon)
{
    path_facts facts = {false, false};
    const dp_tendon *t = &p->m->tendon[tendon];
    for (int k = 0; k < t->nwrap; ++k) {
        if (t->wrap[k].kind == DP_WRAP_GEOM && t->wrap[k].side >= 0) {
            const obstacle o = obstacle_at(p, &t->wrap[k]);
            facts.contested = facts.contested || is_contested(&o);
            facts.through = facts.through || dp_v3_norm(o.side) < o.radius;
        }
    }
    return facts;
}

static int bends_of(const mujoco_pair *p, int tendon)
{
    const int at = p->their->ten_wrapadr[tendon];
    int points = 0;
    for (int k = at; k < at + p->their->ten_wrapnum[tendon]; ++k) {
        points += p->their->wrap_obj[k] >= 0 ? 1 : 0;
    }
    return points / 2;
}

static void their_gradient(double *row, const mujoco_pair *p, int tendon)
{
    const size_t nv = (size_t)p->size->nv;
    const mjData *d = p->their;
    memset(row, 0, nv * sizeof *row);
    if (!mj_isSparse(p->their_m)) {
        memcpy(row, d->ten_J + (size_t)tendon * nv, nv * sizeof *row);
        return;
    }
    const int at = d->ten_J_rowadr[tendon];
    for (int k = at; k < at + d->ten_J_rownnz[tendon]; ++k) {
        row[d->ten_J_colind[k]] = d->ten_J[k];
    }
}

/// Arms are of the size of the mechanism, slides count 1.
static double gradient_scale(const mujoco_pair *p)
{
    return fmax(1.0, p->scale.length);
}

static void assert_same_row(const mujoco_pair *p, const char *what, const char *name,
                            const double *theirs, const double *ours, double gear, bool through)
{
    const int nv = p->size->nv;
    if (!through) {
        assert_agree(p, what, name, nv, theirs, ours, gear * gradient_scale(p));
        return;
    }
    for (int k = 0; k < nv; ++k) {
        assert_near(ours[k], theirs[k], gear * OF_NEWTON * gradient_scale(p));
    }
}

/// Has MuJoCo made do with the point halfway?
static bool is_longer(const mujoco_pair *p, int theirs, double ours, path_facts facts)
{
    return facts.through && p->their->ten_length[theirs] > ours + AGREEMENT * p->scale.length;
}

static void compare_tendons(mujoco_pair *p, tendon_rig *rig, double *row, tally *n)
{
    for (int i = 0; i < p->size->ntendon; ++i) {
        const char *name = p->m->tendon[i].name;
        const int theirs = mj_name2id(p->their_m, mjOBJ_TENDON, name);
        const path_facts facts = look_at(p, i);
        ++n->tendons;
        n->contested += facts.contested ? 1 : 0;
        if (facts.contested) {
            continue;
        }
        n->throughs += facts.through ? 1 : 0;
        n->bends += bends_of(p, theirs);
        if (is_longer(p, theirs, rig->tendon.length[i], facts)) {
            ++n->halfway;
            continue;
        }
        assert_agree(p, "length of tendon", name, 1, p->their->ten_length + theirs,
                     rig->tendon.length + i, p->scale.length);
        their_gradient(row, p, theirs);
        assert_same_row(p, "gradient of tendon", name, row, rig_gradient(rig, i), 1.0,
                        facts.through);
    }
}

static dp_quat their_site_axes(const mujoco_pair *p, int site)
{
    const int id = p->site[site];
    double q[4];
    mju_mulQuat(q, p->their->xquat + 4 * p->their_m->site_bodyid[id],
                p->their_m->site_quat + 4 * id);
    return dp_quat_load(q);
}

/// row += sign · Jᵀ wrench at the point x of a body
static void add_wrench(double *row, mujoco_pair *p, int body, const double *x, double sign,
                       const double *force, const double *torque)
{
    double f[3], t[3];
    mju_scl3(f, force, sign);
    mju_scl3(t, torque, sign);
    mj_applyFT(p->their_m, p->their, f, t, x, body, row);
}

/// The length of an actuator on a site seen from another, and its moment.
static double expect_reference(double *row, mujoco_pair *p, const dp_actuator *actuator)
{
    const mjModel *m = p->their_m;
    const int site = p->site[actuator->site], reference = p->site[actuator->reference_site];
    const double *x = p->their->site_xpos + 3 * site, *axes = p->their->site_xmat + 9 * reference;
    double force[3], torque[3], seen[3], turn[3], q[4], q_ref[4];
    mju_rotVecMat(force, actuator->gear, axes);
    mju_rotVecMat(torque, actuator->gear + 3, axes);
    add_wrench(row, p, m->site_bodyid[site], x, 1.0, force, torque);
    add_wrench(row, p, m->site_bodyid[reference], x, -1.0, force, torque);

    mju_sub3(seen, x, p->their->site_xpos + 3 * reference);
    mju_rotVecMatT(seen, seen, axes);
    dp_quat_store(q, their_site_axes(p, actuator->site));
    dp_quat_store(q_ref, their_site_axes(p, actuator->reference_site));
    mju_subQuat(turn, q, q_ref);
    return mju_dot3(seen, actuator->gear) + mju_dot3(turn, actuator->gear + 3);
}

static void compare_actuators(mujoco_pair *p, tendon_rig *rig, double *row, tally *n)
{
    const size_t nv = (size_t)p->size->nv;
    for (int u = 0; u < p->size->nu; ++u) {
        const dp_actuator *actuator = &p->m->actuator[u];
        path_facts facts = {false, false};
        if (actuator->tendon >= 0) {
            const int i = actuator->tendon;
            const int theirs = mj_name2id(p->their_m, mjOBJ_TENDON, p->m->tendon[i].name);
            facts = look_at(p, i);
            if (facts.contested || is_longer(p, theirs, rig->tendon.length[i], facts)) {
                continue;
            }
        }
        const double *gear = actuator->gear;
        double length = p->their->actuator_length[p->actuator[u]], size = 0.0;
        for (int k = 0; k < 6; ++k) {
            size += fabs(gear[k]);
        }
        if (actuator->reference_site >= 0) {
            memset(row, 0, nv * sizeof *row);
            length = expect_reference(row, p, actuator);
            ++n->references;
        } else {
            memcpy(row, p->their->actuator_moment + (size_t)p->actuator[u] * nv, nv * sizeof *row);
        }
        assert_agree(p, "length of actuator", actuator->name, 1, &length,
                     rig->transmission.length + u, size * gradient_scale(p));
        assert_same_row(p, "moment of actuator", actuator->name, row, rig_moment(rig, u), size,
                        facts.through);
    }
}

static void compare(mujoco_pair *p, int nstate, tally *n)
{
    tendon_rig rig;
    rig_open(&rig, p->m);
    double *row = calloc((size_t)p->size->nv + 1, sizeof *row);
    assert_non_null(row);
    for (int s = 0; s < nstate; ++s) {
        pair_randomise(p, (uint64_t)s);
        for (int i = 0; i < p->size->nmocap; ++i) {
            rig.mocap[i] = *dp_data_mocap(p->d, i);
        }
        rig_move(&rig, dp_data_q(p->d));
        compare_tendons(p, &rig, row, n);
        compare_actuators(p, &rig, row, n);
    }
    free(row);
    rig_close(&rig);
}

static void tendons_and_transmissions_of_random_mechanisms_are_the_same(void **state)
{
    (void)state;
    tally n = {0};
    for (uint64_t seed = 1; seed <= MECHANISMS; ++seed) {
        random_mechanism_options options = random_mechanism_default(seed);
        options.tendons = true;
        mujoco_pair p;
        pair_open_random(&p, &options, NULL);
        compare(&p, STATES, &n);
        pair_close(&p);
    }
    print_message("             %d tendons, %d bends, %d by way of an obstacle (%d halfway), "
                  "%d contested; %d reference sites\n",
                  n.tendons, n.bends, n.throughs, n.halfway, n.contested, n.references);
    assert_true(n.bends > MECHANISMS * STATES);
    assert_true(n.throughs > MECHANISMS);
    assert_true(n.halfway < n.throughs / 20);
    assert_true(n.references > MECHANISMS);
    assert_true(n.contested < n.tendons / 5);
}

static void rest_lengths_are_the_same(void **state)
{
    (void)state;
    int compared = 0;
    for (uint64_t seed = 1; seed <= MECHANISMS; ++seed) {
        random_mechanism_options options = random_mechanism_default(seed);
        options.tendons = true;
        mujoco_pair p;
        pair_open_random(&p, &options, NULL);
        tendon_rig rig;
        rig_open(&rig, p.m);
        pair_evaluate(&p); // at the reference configuration
        for (int i = 0; i < p.size->ntendon; ++i) {
            const char *name = p.m->tendon[i].name;
            const int theirs = mj_name2id(p.their_m, mjOBJ_TENDON, name);
            bool has_side = false;
            for (int k = 0; k < p.m->tendon[i].nwrap; ++k) {
                has_side = has_side || p.m->tendon[i].wrap[k].side >= 0;
            }
            if (has_side) {
                continue; // contested at the one configuration or the other
            }
            ++compared;
            assert_agree(&p, "reference length", name, 1, p.their_m->tendon_length0 + theirs,
                         rig.tendon.reference + i, p.scale.length);
            assert_agree(&p, "rest length", name, 1, p.their_m->tendon_lengthspring + theirs,
                         rig.tendon.spring_range[i], p.scale.length);
        }
        rig_close(&rig);
        pair_close(&p);
    }
    assert_true(compared > MECHANISMS);
}

static double stiffness_of(int tendon)
{
    return 30.0 + 7.0 * tendon;
}

static bool has_side(const dp_wrap_spec *wrap, int nwrap)
{
    for (int k = 0; k < nwrap; ++k) {
        if (wrap[k].side && wrap[k].side[0]) {
            return true;
        }
    }
    return false;
}

/// Springs on tendons whose path is not contested.
static void add_springs(dp_spec *spec)
{
    for (int i = 0; i < dp_spec_tendon_count(spec); ++i) {
        dp_tendon_spec *t = dp_spec_tendon(spec, (dp_tendon_id){i});
        t->stiffness = has_side(t->wrap, t->nwrap) ? 0.0 : stiffness_of(i);
    }
}

static void potential_energies_of_tendon_springs_are_the_same(void **state)
{
    (void)state;
    int loaded = 0;
    for (uint64_t seed = 1; seed <= MECHANISMS; ++seed) {
        random_mechanism_options options = random_mechanism_default(seed);
        options.tendons = true;
        mujoco_pair p;
        pair_open_random(&p, &options, add_springs);
        for (int i = 0; i < p.size->ntendon; ++i) {
            const int theirs = mj_name2id(p.their_m, mjOBJ_TENDON, p.m->tendon[i].name);
            p.their_m->tendon_stiffness[theirs] = p.m->tendon[i].stiffness;
        }
        for (int s = 0; s < STATES; ++s) {
            pair_randomise(&p, (uint64_t)s);
            mj_energyPos(p.their_m, p.their);
            const dp_energy ours = dp_data_energy(p.d);
            const double potential = ours.gravity + ours.spring;
            assert_agree(&p, "potential energy", "all", 1, p.their->energy, &potential,
                         p.scale.energy);
            loaded += ours.spring > 1.0;
        }
        pair_close(&p);
    }
    assert_true(loaded > MECHANISMS * STATES / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tendons_and_transmissions_of_random_mechanisms_are_the_same),
        cmocka_unit_test(rest_lengths_are_the_same),
        cmocka_unit_test(potential_energies_of_tendon_springs_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
