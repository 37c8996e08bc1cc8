// The rows of equalities, limits and dry friction against MuJoCo: gaps and gradients in random
// states, and where what is soft comes to rest.
//
// Both write gaps as second less first and count them > 0 apart, but for equalities of bodies,
// which MuJoCo writes as first less second. The turn of a weld is torquescale · a sin ½θ there and
// the rotation vector a θ here.
#include "near.h"

#include "model/model.h"
#include "rows_scene.h"
#include "written.h"

#include <mujoco/mujoco.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AGREEMENT 1e-10 // of gaps and gradients of size 1

typedef struct pair {
    rows_scene s;
    mjModel *m;
    mjData *d;
} pair;

static void ignore_warnings(const char *message)
{
    (void)message;
}

static mjModel *load_in_mujoco(const char *text)
{
    char path[512], message[1000] = "";
    snprintf(path, sizeof path, "%s/rows_%ld.xml", DP_SCRATCH, (long)getpid());
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    mju_user_warning = ignore_warnings;
    mjModel *m = mj_loadXML(path, NULL, message, sizeof message);
    if (!m) {
        fail_msg("MuJoCo refuses %s: %s", path, message);
    }
    remove(path);
    return m;
}

// A joint that comes twice in a fixed tendon: MuJoCo adds its length twice and its gradient once.
static void merge_joints(dp_tendon_spec *t, dp_wrap_spec *wrap)
{
    int count = 0;
    for (int k = 0; k < t->nwrap; ++k) {
        int at = 0;
        while (at < count && strcmp(wrap[at].object, t->wrap[k].object) != 0) {
            ++at;
        }
        if (at == count) {
            wrap[count++] = t->wrap[k];
        } else {
            wrap[at].coefficient += t->wrap[k].coefficient;
        }
    }
    t->wrap = wrap;
    t->nwrap = count;
}

// Only what MuJoCo 2.2.2 has: no distances, planes or bearings, springs that rest at one length.
static void simplify(dp_spec *spec)
{
    for (int i = 0; i < dp_spec_equality_count(spec); ++i) {
        dp_equality_spec *e = dp_spec_equality(spec, (dp_equality_id){i});
        if (e->kind == DP_EQUALITY_DISTANCE || e->kind == DP_EQUALITY_PLANE) {
            e->kind = DP_EQUALITY_CONNECT;
        }
        e->second_anchor = (dp_v3){0.0, 0.0, 0.0};
        e->relative_given = e->relative_given && e->kind == DP_EQUALITY_WELD;
        e->bearing.stiffness = INFINITY;
        if (e->relative_given) { // beside an anchor a relpose may lose digits, and is not written
            e->anchor = (dp_v3){0.0, 0.0, 0.0};
        }
    }
    for (int j = 0; j < dp_spec_joint_count(spec); ++j) {
        dp_spec_joint(spec, (dp_joint_id){j})->limit.stiffness = INFINITY;
    }
    for (int i = 0; i < dp_spec_tendon_count(spec); ++i) {
        dp_tendon_spec *t = dp_spec_tendon(spec, (dp_tendon_id){i});
        t->limit.stiffness = INFINITY;
        t->spring_range[1] = t->spring_range[0];
        if (!t->spatial) {
            static dp_wrap_spec wrap[16][16]; // until it is written
            assert_true(i < 16 && t->nwrap <= 16);
            merge_joints(t, wrap[i]);
        }
    }
    for (int b = 0; b < dp_spec_body_count(spec); ++b) {
        dp_spec_body(spec, (dp_body_id){b})->gravity_compensation = 0.0;
    }
    for (int u = 0; u < dp_spec_actuator_count(spec); ++u) {
        dp_spec_actuator(spec, (dp_actuator_id){u})->dynamics = DP_ACTUATOR_DYNAMICS_NONE;
    }
    dp_spec_options(spec)->disable_contact = true;
}

// The spec, which is destroyed, goes through a file, so that all ids are those of its order.
static void pair_begin(pair *p, dp_spec *spec)
{
    char *text = written(spec);
    dp_spec_destroy(spec);
    rows_scene_begin(&p->s, read_written(text), 1e-3, NULL);
    p->m = load_in_mujoco(text);
    free(text);
    p->m->opt.jacobian = mjJAC_DENSE;
    p->m->njmax = 300;
    for (int j = 0; j < p->m->njnt; ++j) {
        p->m->jnt_margin[j] = 1e3; // both ends of every range are rows
    }
    for (int i = 0; i < p->m->ntendon; ++i) {
        p->m->tendon_margin[i] = 1e3;
    }
    p->d = mj_makeData(p->m);
    assert_int_equal(p->m->nq, p->s.m->size.nq);
    assert_int_equal(p->m->nv, p->s.m->size.nv);
    assert_int_equal(p->m->neq, p->s.m->size.nequality);
}

static void pair_end(pair *p)
{
    mj_deleteData(p->d);
    mj_deleteModel(p->m);
    rows_scene_end(&p->s);
}

// At rest: the row of a ball looks ahead, to where its motion meets the limit.
static void pair_randomise(pair *p, random_source *r)
{
    rows_scene_randomise(&p->s, r, 0.0);
    rows_scene_take_all(&p->s);
    rows_scene_make(&p->s);
    memcpy(p->d->qpos, p->s.start.q, (size_t)p->m->nq * sizeof(double));
    memcpy(p->d->qvel, p->s.start.v, (size_t)p->m->nv * sizeof(double));
    mj_fwdPosition(p->m, p->d);
}

// Our gradient of a row over all velocities.
static void gradient(double *out, const pair *p, int block, int row)
{
    const dp_rows *rows = &p->s.rows;
    const int first = rows->col_start[block], ncol = rows->col_start[block + 1] - first;
    memset(out, 0, (size_t)p->m->nv * sizeof *out);
    for (int k = 0; k < ncol; ++k) {
        out[rows->col[first + k]] = rows->G[rows->G_start[block] + (size_t)(row * ncol + k)];
    }
}

// MuJoCo's n-th row of that kind and element; −1: there is none.
static int their_row(const pair *p, int type, int id, int n)
{
    for (int i = 0; i < p->d->nefc; ++i) {
        if (p->d->efc_type[i] == type && p->d->efc_id[i] == id && n-- == 0) {
            return i;
        }
    }
    return -1;
}

static void assert_row(const pair *p, const char *what, int element, int theirs, double sign,
                       double gap, const double *G)
{
    if (theirs < 0) {
        fail_msg("%s %d: MuJoCo has no row for it", what, element);
    }
    const double their_gap = sign * p->d->efc_pos[theirs];
    if (!(fabs(their_gap - gap) <= AGREEMENT)) {
        fail_msg("%s %d: gap %.17g in MuJoCo, %.17g in Dashpot", what, element, their_gap, gap);
    }
    for (int k = 0; k < p->m->nv; ++k) {
        const double J = sign * p->d->efc_J[theirs * p->m->nv + k];
        if (!(fabs(J - G[k]) <= AGREEMENT)) {
            fail_msg("%s %d, velocity %d: gradient %.17g in MuJoCo, %.17g in Dashpot", what,
                     element, k, J, G[k]);
        }
    }
}

// ---- equalities

// What MuJoCo measures of the turn: x = s a sin ½θ of the rotation vector y = a θ, and dx/dy.
static void half_turn(double x[3], double D[3][3], const double y[3], double scale)
{
    const double angle = sqrt(y[0] * y[0] + y[1] * y[1] + y[2] * y[2]);
    const double s = sin(0.5 * angle) / angle;
    const double slope = (0.5 * cos(0.5 * angle) - s) / (angle * angle); // ds/dθ/θ
    for (int i = 0; i < 3; ++i) {
        x[i] = scale * s * y[i];
        for (int j = 0; j < 3; ++j) {
            D[i][j] = scale * ((i == j ? s : 0.0) + slope * y[i] * y[j]);
        }
    }
}

static void assert_turn(const pair *p, int block, int element)
{
    const dp_row *row = p->s.rows.row + p->s.rows.row_start[block];
    double y[3], x[3], D[3][3], ours[3][512], G[512];
    assert_true(p->m->nv <= 512);
    for (int i = 0; i < 3; ++i) {
        y[i] = row[3 + i].phi;
        gradient(ours[i], p, block, 3 + i);
    }
    half_turn(x, D, y, p->s.m->equality[element].torque_scale);
    // MuJoCo takes the quaternion of the turn as it is, w < 0 or not: one sign for all rows.
    double along = 0.0;
    for (int i = 0; i < 3; ++i) {
        along += x[i] * p->d->efc_pos[their_row(p, mjCNSTR_EQUALITY, element, 3 + i)];
    }
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < p->m->nv; ++k) {
            G[k] = D[i][0] * ours[0][k] + D[i][1] * ours[1][k] + D[i][2] * ours[2][k];
        }
        // MuJoCo 2.2.2 applies torquescale to the gradient alone, MuJoCo 3 to both.
        const double gap =
            mj_version() <= 222 ? x[i] / p->s.m->equality[element].torque_scale : x[i];
        assert_row(p, "turn of weld", element, their_row(p, mjCNSTR_EQUALITY, element, 3 + i),
                   along > 0.0 ? 1.0 : -1.0, gap, G);
    }
}

static int compare_equalities(const pair *p)
{
    int compared = 0;
    for (int i = 0; i < p->m->neq; ++i) {
        const int block = rows_scene_find(&p->s, DP_ROW_SOURCE_EQUALITY, i, 0);
        if (block < 0) {
            continue; // nothing can change it
        }
        const dp_equality *e = &p->s.m->equality[i];
        const bool bodies = e->kind == DP_EQUALITY_CONNECT || e->kind == DP_EQUALITY_WELD;
        const dp_row *row = p->s.rows.row + p->s.rows.row_start[block];
        for (int k = 0; k < (bodies ? 3 : 1); ++k) {
            double G[512];
            gradient(G, p, block, k);
            assert_row(p, "equality", i, their_row(p, mjCNSTR_EQUALITY, i, k), bodies ? -1.0 : 1.0,
                       row[k].phi, G);
            ++compared;
        }
        if (e->kind == DP_EQUALITY_WELD && e->torque_scale > 0.0) {
            assert_turn(p, block, i);
            compared += 3;
        }
    }
    return compared;
}

static void on_random_mechanisms(int (*compare)(const pair *p), int least)
{
    int compared = 0;
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        dp_spec *spec = random_rows_spec(seed);
        simplify(spec);
        pair p;
        pair_begin(&p, spec);
        random_source r = {seed};
        for (int k = 0; k < 5; ++k) {
            pair_randomise(&p, &r);
            compared += compare(&p);
        }
        pair_end(&p);
    }
    print_message("             %d rows compared\n", compared);
    assert_true(compared >= least);
}

static void equalities_have_the_same_gaps_and_gradients(void **state)
{
    (void)state;
    on_random_mechanisms(compare_equalities, 1000);
}

// ---- limits

static int compare_limits(const pair *p)
{
    static const struct {
        dp_row_source ours;
        int theirs;
    } kind[] = {{DP_ROW_SOURCE_JOINT_LIMIT, mjCNSTR_LIMIT_JOINT},
                {DP_ROW_SOURCE_TENDON_LIMIT, mjCNSTR_LIMIT_TENDON}};
    int compared = 0;
    for (int k = 0; k < 2; ++k) {
        const int count = k == 0 ? p->m->njnt : p->m->ntendon;
        for (int i = 0; i < count; ++i) {
            for (int end = 0, n = 0; end < 2; ++end) {
                const int block = rows_scene_find(&p->s, kind[k].ours, i, end);
                if (block >= 0) { // MuJoCo has the lower end first, too
                    double G[512];
                    gradient(G, p, block, 0);
                    assert_row(p, k == 0 ? "joint" : "tendon", i,
                               their_row(p, kind[k].theirs, i, n++), 1.0,
                               p->s.rows.row[p->s.rows.row_start[block]].phi, G);
                    ++compared;
                }
            }
        }
    }
    return compared;
}

static void limits_have_the_same_gaps_and_gradients(void **state)
{
    (void)state;
    on_random_mechanisms(compare_limits, 1000);
}

// ---- dry friction

static int compare_friction(const pair *p)
{
    int compared = 0;
    double G[512];
    for (int j = 0; j < p->m->njnt; ++j) {
        const int block = rows_scene_find(&p->s, DP_ROW_SOURCE_JOINT_FRICTION, j, 0);
        const dp_joint *joint = &p->s.m->joint[j];
        for (int k = 0; block >= 0 && k < joint->nv; ++k) {
            const int theirs = their_row(p, mjCNSTR_FRICTION_DOF, joint->v_index + k, 0);
            gradient(G, p, block, k);
            assert_row(p, "joint", j, theirs, 1.0, 0.0, G);
            const dp_row *row = &p->s.rows.row[p->s.rows.row_start[block] + k];
            assert_near(row->hi / p->s.in.h, p->d->efc_frictionloss[theirs], AGREEMENT);
            ++compared;
        }
    }
    for (int i = 0; i < p->m->ntendon; ++i) {
        const int block = rows_scene_find(&p->s, DP_ROW_SOURCE_TENDON_FRICTION, i, 0);
        if (block >= 0) {
            const int theirs = their_row(p, mjCNSTR_FRICTION_TENDON, i, 0);
            gradient(G, p, block, 0);
            assert_row(p, "tendon", i, theirs, 1.0, 0.0, G);
            ++compared;
        }
    }
    return compared;
}

static void dry_friction_acts_along_the_same_coordinates(void **state)
{
    (void)state;
    on_random_mechanisms(compare_friction, 1000);
}

// ---- what is soft

// Ask for the spring of solref 0.02 1 and solimp 0.9 0.95 everywhere.
static void soften(dp_spec *spec)
{
    for (int j = 0; j < dp_spec_joint_count(spec); ++j) {
        dp_spec_joint(spec, (dp_joint_id){j})->limit_solver_given = true;
    }
    for (int i = 0; i < dp_spec_tendon_count(spec); ++i) {
        dp_spec_tendon(spec, (dp_tendon_id){i})->limit_solver_given = true;
    }
    for (int i = 0; i < dp_spec_equality_count(spec); ++i) {
        dp_spec_equality(spec, (dp_equality_id){i})->solver_given = true;
    }
}

// The mobility that a stiffness of (R 4) comes from, against MuJoCo's. It finds principal axes to
// 1e-6 rad, and so inertias to some 1e-6.
static void assert_mobility(const char *what, int element, double theirs, double stiffness)
{
    const double ours = 1.0 / ((1.0 - 0.95) * 0.02 * 0.02 * stiffness);
    const double tolerance = 1e-5;
    if (theirs > 1e-15 ? !(fabs(ours - theirs) <= tolerance * theirs) : ours != 0.0) {
        fail_msg("%s %d: mobility %.17g in MuJoCo, %.17g in Dashpot", what, element, theirs, ours);
    }
}

static double mobility_between(const mjModel *m, int i)
{
    const int a = m->eq_obj1id[i], b = m->eq_obj2id[i];
    if (m->eq_type[i] == mjEQ_JOINT) {
        return m->dof_invweight0[m->jnt_dofadr[a]] +
               (b >= 0 ? m->dof_invweight0[m->jnt_dofadr[b]] : 0.0);
    }
    if (m->eq_type[i] == mjEQ_TENDON) {
        return m->tendon_invweight0[a] + (b >= 0 ? m->tendon_invweight0[b] : 0.0);
    }
    return m->body_invweight0[2 * a] + m->body_invweight0[2 * b];
}

static void soft_rows_meet_the_same_inertia(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        dp_spec *spec = random_rows_spec(seed);
        simplify(spec);
        soften(spec);
        pair p;
        pair_begin(&p, spec);
        const dp_model *ours = p.s.m;
        for (int j = 0; j < p.m->njnt; ++j) {
            if (ours->joint[j].limited) {
                assert_mobility("joint", j, p.m->dof_invweight0[p.m->jnt_dofadr[j]],
                                ours->joint[j].limit.stiffness);
            }
        }
        for (int i = 0; i < p.m->ntendon; ++i) {
            assert_mobility("tendon", i, p.m->tendon_invweight0[i],
                            ours->tendon[i].limit.stiffness);
        }
        for (int i = 0; i < p.m->neq; ++i) {
            const dp_equality *e = &ours->equality[i];
            assert_mobility("equality", i, mobility_between(p.m, i), e->bearing.stiffness);
            if (e->kind == DP_EQUALITY_WELD && e->torque_scale > 0.0) {
                const double *turn = p.m->body_invweight0 + 1;
                const double arm = 0.5 * e->torque_scale; // of sin ½θ
                assert_mobility("turn of weld", i,
                                turn[2 * p.m->eq_obj1id[i]] + turn[2 * p.m->eq_obj2id[i]],
                                e->turning.stiffness / (arm * arm));
            }
        }
        pair_end(&p);
    }
}

// MuJoCo at rest: where its joint comes to lie after a long time.
static double their_rest(const char *text, double seconds)
{
    mjModel *m = load_in_mujoco(text);
    mjData *d = mj_makeData(m);
    while (d->time < seconds) {
        mj_step(m, d);
    }
    const double q = d->qpos[0];
    mj_deleteData(d);
    mj_deleteModel(m);
    return q;
}

static double our_rest(const char *text, double seconds)
{
    mechanism x = mechanism_from(read_written(text));
    while (dp_data_time(x.d) < seconds) {
        assert_ok(dp_step(x.d));
    }
    const double q = dp_data_q(x.d)[0];
    mechanism_end(&x);
    return q;
}

// Weights on springs that are given by solref and solimp, of constant impedance: at rest nothing of
// MuJoCo's mass is left, and both have given way by as much. To 1e-6 of it, for MuJoCo's solver.
static void assert_same_rest(const char *text)
{
    const double theirs = their_rest(text, 5.0), ours = our_rest(text, 5.0);
    assert_true(fabs(theirs) > 1e-6); // it does yield
    assert_near(ours, theirs, 1e-6 * fabs(theirs));
}

#define OPTION "<option timestep='0.001' tolerance='0' iterations='200'/>"
#define ARM                                                                                        \
    "<inertial pos='0.3 0.1 0' mass='2' diaginertia='0.1 0.2 0.3'/>"                               \
    "<geom size='0.1' contype='0' conaffinity='0'/>"

static void soft_limits_give_way_as_far_as_in_mujoco(void **state)
{
    (void)state;
    assert_same_rest("<mujoco>" OPTION "<worldbody><body><joint name='j' type='slide' "
                     "axis='0 0 1' limited='true' range='0 1' solreflimit='0.02 1' "
                     "solimplimit='0.9 0.9 0.001'/>" ARM "</body></worldbody></mujoco>");
    assert_same_rest("<mujoco>" OPTION "<compiler angle='radian'/><worldbody><body><joint name='j' "
                     "axis='0 1 0' limited='true' range='-1 0' solreflimit='0.03 0.7' "
                     "solimplimit='0.95 0.95 0.001'/>" ARM "<body pos='0.5 0 0'><joint "
                     "axis='0 1 0' stiffness='1000' damping='10'/>" ARM
                     "</body></body></worldbody></mujoco>");
    assert_same_rest("<mujoco>" OPTION "<worldbody><body><joint name='j' type='slide' "
                     "axis='0 0 1' limited='true' range='0 1' solreflimit='-500 -40' "
                     "solimplimit='0.8 0.8 0.001'/>" ARM "</body></worldbody></mujoco>");
}

static void soft_tendons_and_equalities_give_way_as_far_as_in_mujoco(void **state)
{
    (void)state;
    assert_same_rest("<mujoco>" OPTION "<worldbody><body><joint name='j' type='slide' "
                     "axis='0 0 1'/>" ARM "</body></worldbody><tendon><fixed name='t' "
                     "limited='true' range='0 5' solreflimit='0.02 1' solimplimit='0.9 0.9 "
                     "0.001'><joint joint='j' coef='2.5'/></fixed></tendon></mujoco>");
    assert_same_rest("<mujoco>" OPTION "<worldbody><site name='top' pos='0 0.1 1'/><body><joint "
                     "name='j' type='slide' axis='0 0 1'/><site name='s'/>" ARM
                     "</body></worldbody><tendon><spatial name='t' limited='true' range='0 "
                     "1.00498756211208902702' solreflimit='0.02 1' solimplimit='0.9 0.9 0.001'>"
                     "<site site='top'/><site site='s'/></spatial></tendon></mujoco>");
    assert_same_rest("<mujoco>" OPTION "<worldbody><body name='b'><joint name='j' type='slide' "
                     "axis='0 0 1'/>" ARM "</body></worldbody><equality><joint joint1='j' "
                     "solref='0.02 1' solimp='0.9 0.9 0.001'/></equality></mujoco>");
    assert_same_rest("<mujoco>" OPTION "<worldbody><body name='b'><joint name='j' type='slide' "
                     "axis='0 0 1'/>" ARM "</body></worldbody><equality><connect body1='b' "
                     "anchor='0.2 0 0' solref='0.02 1' solimp='0.9 0.9 0.001'/></equality>"
                     "</mujoco>");
}

// A weight on an arm of 2 cm whose hinge the weld holds. MuJoCo 2.2.2 takes the inertia of the
// centre of mass for turning, too; MuJoCo 3 and Dashpot that of the turn, which differs by the arm
// squared.
static void a_soft_weld_turns_as_far_as_in_mujoco(void **state)
{
    (void)state;
    static const char text[] =
        "<mujoco>" OPTION "<worldbody><body name='b'><joint name='j' axis='0 1 0'/>"
        "<inertial pos='0.02 0 0' mass='2' diaginertia='0.1 0.2 0.3'/>"
        "<geom size='0.1' contype='0' conaffinity='0'/></body></worldbody><equality>"
        "<weld body1='b' solref='0.02 1' solimp='0.9 0.9 0.001' torquescale='1'/></equality>"
        "</mujoco>";
    const double too_stiff = mj_version() <= 222 ? 1.0 / (0.02 * 0.02) : 1.0;
    const double theirs = too_stiff * their_rest(text, 5.0), ours = our_rest(text, 5.0);
    assert_true(theirs > 1e-5);
    assert_near(ours, theirs, 1e-6 * theirs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equalities_have_the_same_gaps_and_gradients),
        cmocka_unit_test(limits_have_the_same_gaps_and_gradients),
        cmocka_unit_test(dry_friction_acts_along_the_same_coordinates),
        cmocka_unit_test(soft_rows_meet_the_same_inertia),
        cmocka_unit_test(soft_limits_give_way_as_far_as_in_mujoco),
        cmocka_unit_test(soft_tendons_and_equalities_give_way_as_far_as_in_mujoco),
        cmocka_unit_test(a_soft_weld_turns_as_far_as_in_mujoco),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
