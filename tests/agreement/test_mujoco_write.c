// What we write, read by MuJoCo: the same mechanism. Dashpot has the spec as it was before it was
// written.
#include "mujoco_pair.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROUND_OFF 1e-14 // of a few operations on numbers of order one

// Where what is written goes; the process number keeps tests that run side by side apart.
static const char *scratch_path(void)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/written_%ld.xml", DP_SCRATCH, (long)getpid());
    return path;
}

// What MuJoCo 2.2.2 says in other words than MuJoCo 3.
static const char *const older[][2] = {
    {"spring=\"disable\" damper=\"disable\"", "passive=\"disable\""},
    {"autolimits=\"false\"", "autolimits=\"false\" exactmeshinertia=\"true\""},
    {" inertia=\"exact\"", ""},
};

static void put_in_older_words(FILE *file, const char *text)
{
    while (*text != '\0') {
        size_t i = 0;
        while (i < 3 && strncmp(text, older[i][0], strlen(older[i][0])) != 0) {
            ++i;
        }
        if (i < 3) {
            fputs(older[i][1], file);
            text += strlen(older[i][0]);
        } else {
            fputc(*text++, file);
        }
    }
}

static void write_for_mujoco(const dp_spec *spec)
{
    char *text;
    size_t bytes;
    if (dp_mjcf_write(&text, &bytes, spec, NULL) != DP_OK) {
        fail_msg("%s", dp_last_error());
    }
    FILE *file = fopen(scratch_path(), "w");
    assert_non_null(file);
    put_in_older_words(file, text);
    assert_int_equal(fclose(file), 0);
    free(text);
}

// ---- for MuJoCo alone

// MuJoCo's model of what is written for it. The spec is destroyed.
static mjModel *convert_to_mujoco(dp_spec *spec)
{
    char *text, message[1000] = "";
    size_t bytes;
    if (dp_mjcf_write_mujoco(&text, &bytes, NULL, spec, NULL) != DP_OK) {
        fail_msg("%s", dp_last_error());
    }
    assert_null(strstr(text, "dp:"));
    FILE *file = fopen(scratch_path(), "w");
    assert_non_null(file);
    put_in_older_words(file, text);
    assert_int_equal(fclose(file), 0);
    free(text);
    mjModel *m = mj_loadXML(scratch_path(), NULL, message, sizeof message);
    if (!m) {
        fail_msg("MuJoCo refuses %s: %s", scratch_path(), message);
    }
    remove(scratch_path());
    dp_spec_destroy(spec);
    return m;
}

static void scenes_with_names_of_ours_open_in_mujoco(void **state)
{
    (void)state;
    static const char *const scene[] = {"cube_on_foundation", "driven_slider_crank",
                                        "hand_holds_ball", "shaking_table"};
    for (size_t i = 0; i < sizeof scene / sizeof scene[0]; ++i) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s.xml", DP_SCENES, scene[i]);
        dp_spec *spec;
        dp_model *ours;
        assert_int_equal(dp_mjcf_load(&spec, NULL, path, NULL), DP_OK);
        assert_int_equal(dp_model_compile(&ours, spec), DP_OK);
        mjModel *theirs = convert_to_mujoco(spec);
        assert_int_equal(theirs->nq, dp_model_sizes(ours)->nq);
        assert_int_equal(theirs->nv, dp_model_sizes(ours)->nv);
        assert_int_equal(theirs->nbody, dp_model_sizes(ours)->nbody);
        mj_deleteModel(theirs);
        dp_model_destroy(ours);
    }
}

// The stiffness that a point of contact has under a steady load, −solref₀/((1 − d) A).
static double stiffness_under_load(const mjModel *m, int geom)
{
    const double A = m->body_invweight0[2 * m->geom_bodyid[geom]];
    return -m->geom_solref[2 * geom] / ((1.0 - m->geom_solimp[5 * geom + 1]) * A);
}

static void materials_arrive_as_stiffness_under_a_steady_load(void **state)
{
    (void)state;
    static const char text[] =
        "<mujoco xmlns:dp='dashpot'><worldbody><geom type='plane' size='1 1 1'/>"
        "<body><freejoint/><geom name='ball' size='.1' mass='2'/></body>"
        "<body><freejoint/><geom name='soft' size='.1' mass='2' dp:stiffness='4e4'/></body>"
        "<body><freejoint/><geom name='box' type='box' size='.1 .2 .3' mass='7'/></body>"
        "</worldbody></mujoco>";
    dp_spec *spec;
    assert_int_equal(dp_mjcf_parse(&spec, NULL, text, strlen(text), "a.xml", NULL), DP_OK);
    mjModel *m = convert_to_mujoco(spec);
    const double usual = 1e7, soft = 1.0 / (1.0 / 4e4 + 1.0 / 2e7); // in series with the ground's
    assert_near(stiffness_under_load(m, 1), usual, 1e-9 * usual);
    assert_near(stiffness_under_load(m, 2), soft, 1e-9 * soft);
    assert_near(stiffness_under_load(m, 3), usual / 4.0, 1e-9 * usual); // four corners
    assert_int_equal(m->opt.cone, mjCONE_ELLIPTIC);
    mj_deleteModel(m);
}

// ---- dynamics

// MuJoCo reads what is written, Dashpot keeps the spec, which is destroyed.
static void open_written(mujoco_pair *p, dp_spec *spec)
{
    write_for_mujoco(spec);
    pair_open(p, scratch_path(), NULL);
    remove(scratch_path());
    dp_data_destroy(p->d);
    dp_model_destroy(p->m);
    assert_int_equal(dp_model_compile(&p->m, spec), DP_OK);
    assert_int_equal(dp_data_create(&p->d, p->m, NULL), DP_OK);
    p->size = dp_model_sizes(p->m);
    dp_spec_destroy(spec);
}

static dp_m3 tensor(const dp_inertial *I)
{
    const dp_m3 R = matrix_of(I->frame.q);
    const double moment[3] = {I->moments.x, I->moments.y, I->moments.z};
    dp_m3 out = {0};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            for (int k = 0; k < 3; ++k) {
                out.m[i][j] += R.m[i][k] * moment[k] * R.m[j][k];
            }
        }
    }
    return out;
}

// MuJoCo's principal axes of what geoms add up to are off by up to this angle, see
// test_mujoco_model.c.
static const double THEIR_AXES = 1.5e-6; // [rad]

static void same_inertias(const mujoco_pair *p)
{
    for (int i = 1; i < p->size->nbody; ++i) {
        const dp_body_info info = dp_model_body(p->m, (dp_body_id){i});
        const dp_inertial *theirs = &p->their_inertial[i], *ours = &info.inertial;
        assert_agree(p, "mass", info.name, 1, &theirs->mass, &ours->mass, 0.0);
        if (ours->mass > 0.0) { // MuJoCo 2 puts the centre of nothing elsewhere
            assert_agree(p, "centre of mass", info.name, 3, &theirs->frame.p.x, &ours->frame.p.x,
                         0.1);
        }
        const dp_m3 A = tensor(theirs), B = tensor(ours);
        for (int k = 0; k < 9; ++k) {
            assert_near(B.m[k / 3][k % 3], A.m[k / 3][k % 3], THEIR_AXES * ours->moments.x);
        }
    }
}

static void same_poses(const mujoco_pair *p)
{
    for (int i = 1; i < p->size->nbody; ++i) {
        const dp_pose X = dp_body_pose(p->d, (dp_body_id){i});
        const char *name = dp_model_body(p->m, (dp_body_id){i}).name;
        assert_agree(p, "position", name, 3, p->their->xpos + 3 * p->body[i], &X.p.x,
                     p->scale.length);
        assert_turned_alike(p, "orientation", name, p->their->xmat + 9 * p->body[i], X.q);
    }
    for (int i = 0; i < p->size->nsite; ++i) {
        const dp_pose X = dp_site_pose(p->d, (dp_site_id){i});
        const char *name = dp_model_site(p->m, (dp_site_id){i}).name;
        assert_agree(p, "position", name, 3, p->their->site_xpos + 3 * p->site[i], &X.p.x,
                     p->scale.length);
        assert_turned_alike(p, "orientation", name, p->their->site_xmat + 9 * p->site[i], X.q);
    }
}

static void same_forces(const mujoco_pair *p)
{
    const int nv = p->size->nv;
    double *theirs = calloc((size_t)(nv * nv) + 1, sizeof *theirs);
    double *ours = calloc((size_t)(nv * nv) + 1, sizeof *ours);
    assert_true(theirs && ours);
    mj_fullM(p->their_m, theirs, p->their->qM);
    assert_int_equal(dp_mass_matrix(ours, p->d), DP_OK);
    assert_agree(p, "inertia matrix", "M", nv * nv, theirs, ours, 0.0);
    assert_int_equal(dp_bias_force(ours, p->d), DP_OK);
    assert_agree(p, "bias force", "c", nv, p->their->qfrc_bias, ours, p->scale.force);
    assert_agree(p, "passive force", "all", nv, p->their->qfrc_passive, dp_data_passive(p->d), 0.0);
    assert_agree(p, "actuation", "all", nv, p->their->qfrc_actuator, dp_data_actuation(p->d), 0.0);
    free(theirs);
    free(ours);
}

static void same_sensors(const mujoco_pair *p)
{
    for (int i = 0; i < p->size->nsensor; ++i) {
        const dp_sensor_info info = dp_model_sensor(p->m, (dp_sensor_id){i});
        const double *theirs = p->their->sensordata + p->their_m->sensor_adr[p->sensor[i]];
        double ours[4];
        mju_copy(ours, dp_data_sensors(p->d) + info.data_index, info.ndata);
        if (info.kind == DP_SENSOR_FRAME_QUATERNION && mju_dot(theirs, ours, 4) < 0.0) {
            mju_scl(ours, ours, -1.0, 4); // q and −q are one rotation
        }
        assert_agree(p, dp_sensor_kind_name(info.kind), info.name, info.ndata, theirs, ours,
                     pair_sensor_scale(p, info.kind));
    }
}

// Ids in what is written are those of the spec, since that was read from a file.
static void same_layout(const mujoco_pair *p)
{
    for (int i = 0; i < p->size->nbody; ++i) {
        assert_int_equal(p->body[i], i);
    }
    for (int i = 0; i < p->size->njoint; ++i) {
        const dp_joint_info info = dp_model_joint(p->m, (dp_joint_id){i});
        assert_int_equal(p->joint[i], i);
        assert_int_equal(info.q_index, p->their_m->jnt_qposadr[i]);
    }
    for (int i = 0; i < p->size->nsensor; ++i) {
        assert_int_equal(p->sensor[i], i);
    }
    const int nkey = p->size->nkey, nq = p->size->nq;
    assert_int_equal(nkey, p->their_m->nkey);
    for (int i = 0; i < nkey; ++i) {
        assert_int_equal(dp_data_reset_to_key(p->d, (dp_key_id){i}), DP_OK);
        assert_agree(p, "q of key", "all", nq, p->their_m->key_qpos + i * nq, dp_data_q(p->d), 0.0);
    }
}

static void compare(dp_spec *spec, int states)
{
    mujoco_pair p;
    open_written(&p, spec);
    same_layout(&p);
    same_inertias(&p);
    for (int k = 0; k < states; ++k) {
        pair_randomise(&p, (uint64_t)k);
        same_poses(&p);
        same_forces(&p);
        same_sensors(&p);
    }
    pair_close(&p);
}

static void written_scenes_are_the_same_to_mujoco(void **state)
{
    (void)state;
    static const char *const scene[] = {
        // chain_100 nests deeper than MuJoCo 2 can read
        "pendulum", "double_pendulum", "cart_pole", "spinning_top", "chain_10",    "chain_50",
        "arm_7dof", "hand_16dof",      "quadruped", "humanoid",     "tumbling_box"};
    for (size_t i = 0; i < sizeof scene / sizeof scene[0]; ++i) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s.xml", DP_SCENES, scene[i]);
        dp_spec *spec;
        assert_int_equal(dp_mjcf_load(&spec, NULL, path, NULL), DP_OK);
        dp_spec_options(spec)->disable_contact = true; // its forces are not MuJoCo's
        compare(spec, 5);
    }
}

static void written_random_mechanisms_are_the_same_to_mujoco(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 150; ++seed) {
        const random_mechanism_options options = random_mechanism_default(seed);
        char *text = random_mechanism(&options);
        dp_spec *spec;
        assert_int_equal(dp_mjcf_parse(&spec, NULL, text, strlen(text), "random.xml", NULL), DP_OK);
        free(text);
        compare(spec, 2);
    }
}

// ---- what Dashpot does not simulate yet, by MuJoCo's own numbers

static void add_body(dp_spec *spec, const char *name, dp_v3 at, dp_joint_kind kind)
{
    dp_body_spec body = dp_body_spec_default();
    body.name = name;
    body.pose.p = at;
    dp_body_id id;
    assert_int_equal(dp_spec_add_body(&id, spec, DP_WORLD, &body), DP_OK);
    char text[32];
    dp_joint_spec joint = dp_joint_spec_default();
    snprintf(text, sizeof text, "%s_joint", name);
    joint.name = text;
    joint.kind = kind;
    joint.ref = kind == DP_JOINT_HINGE ? 0.5 : 0.0;
    assert_int_equal(dp_spec_add_joint(NULL, spec, id, &joint), DP_OK);
    dp_geom_spec geom = dp_geom_spec_default();
    snprintf(text, sizeof text, "%s_geom", name);
    geom.name = text;
    geom.size[0] = 0.1;
    assert_int_equal(dp_spec_add_geom(NULL, spec, id, &geom), DP_OK);
    dp_site_spec site = dp_site_spec_default();
    snprintf(text, sizeof text, "%s_site", name);
    site.name = text;
    site.pose.p = (dp_v3){0.0, 0.3, 0.0};
    assert_int_equal(dp_spec_add_site(NULL, spec, id, &site), DP_OK);
}

static dp_spec *three_bodies(void)
{
    dp_spec *spec;
    assert_int_equal(dp_spec_create(&spec, NULL), DP_OK);
    add_body(spec, "a", (dp_v3){0.0, 0.0, 1.0}, DP_JOINT_HINGE);
    add_body(spec, "b", (dp_v3){2.0, 0.0, 1.0}, DP_JOINT_SLIDE);
    add_body(spec, "c", (dp_v3){0.0, 3.0, 1.0}, DP_JOINT_FREE);
    return spec;
}

// MuJoCo's model of what is written. The spec is destroyed.
static mjModel *load_in_mujoco(dp_spec *spec)
{
    write_for_mujoco(spec);
    dp_spec_destroy(spec);
    char message[1000] = "";
    mjModel *m = mj_loadXML(scratch_path(), NULL, message, sizeof message);
    if (!m) {
        fail_msg("MuJoCo refuses %s: %s", scratch_path(), message);
    }
    remove(scratch_path());
    return m;
}

static int id_of(const mjModel *m, int type, const char *name)
{
    const int id = mj_name2id(m, type, name);
    assert_true(id >= 0);
    return id;
}

static void assert_numbers(const double *x, int count, const double *expected)
{
    for (int i = 0; i < count; ++i) {
        assert_near(x[i], expected[i], ROUND_OFF * fmax(1.0, fabs(expected[i])));
    }
}

static void contact_numbers_arrive(void **state)
{
    (void)state;
    dp_spec *spec = three_bodies();
    dp_geom_spec *geom = dp_spec_geom(spec, (dp_geom_id){1});
    geom->contact = (dp_contact_spec){.condim = 6,
                                      .priority = 3,
                                      .solmix = 0.25,
                                      .solref = {-1e4, -50},
                                      .solimp = {0.8, 0.9, 0.01, 0.4, 3},
                                      .solver_given = true,
                                      .margin = 0.01,
                                      .gap = 0.002,
                                      .material = dp_material_default()};
    geom->contype = 6;
    geom->conaffinity = 5;
    geom->friction[1] = 0.01;
    dp_pair_spec pair = dp_pair_spec_default();
    pair.name = "p";
    pair.geom[0] = "a_geom", pair.geom[1] = "c_geom";
    for (int k = 0; k < 5; ++k) {
        pair.friction[k] = 0.1 * (k + 1);
    }
    pair.contact = geom->contact;
    pair.contact_given = true;
    assert_int_equal(dp_spec_add_pair(NULL, spec, &pair), DP_OK);
    const dp_exclude_spec exclude = {.name = "e", .body = {"a", "b"}};
    assert_int_equal(dp_spec_add_exclude(NULL, spec, &exclude), DP_OK);

    mjModel *m = load_in_mujoco(spec);
    const int g = id_of(m, mjOBJ_GEOM, "b_geom");
    assert_int_equal(m->geom_condim[g], 6);
    assert_int_equal(m->geom_priority[g], 3);
    assert_int_equal(m->geom_contype[g], 6);
    assert_int_equal(m->geom_conaffinity[g], 5);
    assert_numbers(m->geom_friction + 3 * g, 3, (double[]){1.0, 0.01, 0.0001});
    assert_numbers(m->geom_solmix + g, 1, (double[]){0.25});
    assert_numbers(m->geom_solref + 2 * g, 2, (double[]){-1e4, -50});
    assert_numbers(m->geom_solimp + 5 * g, 5, (double[]){0.8, 0.9, 0.01, 0.4, 3});
    assert_numbers(m->geom_margin + g, 1, (double[]){0.01});
    assert_numbers(m->geom_gap + g, 1, (double[]){0.002});
    assert_int_equal(m->npair, 1);
    assert_int_equal(m->pair_dim[0], 6);
    assert_numbers(m->pair_friction, 5, (double[]){0.1, 0.2, 0.3, 0.4, 0.5});
    assert_numbers(m->pair_solref, 2, (double[]){-1e4, -50});
    assert_numbers(m->pair_margin, 1, (double[]){0.01});
    assert_numbers(m->pair_gap, 1, (double[]){0.002});
    assert_int_equal(m->nexclude, 1);
    mj_deleteModel(m);
}

static void add_equality(dp_spec *spec, dp_equality_kind kind, const char *a, const char *b)
{
    dp_equality_spec e = dp_equality_spec_default();
    e.kind = kind;
    e.object[0] = a, e.object[1] = b;
    if (kind == DP_EQUALITY_WELD) {
        e.relative_given = true;
        e.relative = (dp_pose){{0.6, 0.0, 0.8, 0.0}, {-2.0, 3.0, 0.0}}; // as it is
        e.torque_scale = 2.5;
    }
    e.anchor = (dp_v3){0.1, 0.2, 0.3};
    e.polynomial[0] = 0.25, e.polynomial[2] = -0.5;
    e.active = kind != DP_EQUALITY_JOINT;
    assert_int_equal(dp_spec_add_equality(NULL, spec, &e), DP_OK);
}

static void equalities_arrive(void **state)
{
    (void)state;
    dp_spec *spec = three_bodies();
    dp_spec_body(spec, (dp_body_id){3})->pose.q = (dp_quat){0.6, 0.0, 0.8, 0.0};
    const dp_wrap_spec wrap = {.kind = DP_WRAP_JOINT, .object = "a_joint", .coefficient = 2.0};
    dp_tendon_spec tendon = dp_tendon_spec_default();
    tendon.name = "t";
    tendon.wrap = &wrap, tendon.nwrap = 1;
    assert_int_equal(dp_spec_add_tendon(NULL, spec, &tendon), DP_OK);
    add_equality(spec, DP_EQUALITY_CONNECT, "a", "b");
    add_equality(spec, DP_EQUALITY_WELD, "b", "c");
    add_equality(spec, DP_EQUALITY_JOINT, "a_joint", "b_joint");
    add_equality(spec, DP_EQUALITY_TENDON, "t", NULL);

    mjModel *m = load_in_mujoco(spec);
    const int type[] = {mjEQ_CONNECT, mjEQ_WELD, mjEQ_JOINT, mjEQ_TENDON};
    assert_int_equal(m->neq, 4);
    for (int i = 0; i < 4; ++i) {
        assert_int_equal(m->eq_type[i], type[i]);
        assert_int_equal(m->eq_active[i], i != 2);
    }
    const double *data = m->eq_data;
    assert_numbers(data, 3, (double[]){0.1, 0.2, 0.3});
    data += mjNEQDATA;
    assert_numbers(data, 3, (double[]){0.1, 0.2, 0.3});
    assert_numbers(data + 10, 1, (double[]){2.5});
    data += mjNEQDATA;
    assert_numbers(data, 5, (double[]){0.25, 1, -0.5, 0, 0});

    // The weld holds what is as it should be: nothing to correct.
    mjData *d = mj_makeData(m);
    mj_forward(m, d);
    int rows = 0;
    for (int i = 0; i < d->nefc; ++i) {
        if (d->efc_type[i] == mjCNSTR_EQUALITY && d->efc_id[i] == 1) {
            assert_near(d->efc_pos[i], 0.0, ROUND_OFF);
            ++rows;
        }
    }
    assert_int_equal(rows, 6);
    mj_deleteData(d);
    mj_deleteModel(m);
}

static void tendons_and_what_drives_them_arrive(void **state)
{
    (void)state;
    dp_spec *spec = three_bodies();
    const dp_wrap_spec path[] = {{.kind = DP_WRAP_SITE, .object = "a_site"},
                                 {.kind = DP_WRAP_SITE, .object = "b_site"},
                                 {.kind = DP_WRAP_PULLEY, .coefficient = 2.0},
                                 {.kind = DP_WRAP_SITE, .object = "b_site"},
                                 {.kind = DP_WRAP_GEOM, .object = "a_geom", .side = "a_site"},
                                 {.kind = DP_WRAP_SITE, .object = "c_site"}};
    dp_tendon_spec tendon = dp_tendon_spec_default();
    tendon.name = "rope";
    tendon.spatial = true;
    tendon.wrap = path, tendon.nwrap = 6;
    tendon.limited = true;
    tendon.range[1] = 5.0;
    tendon.stiffness = 10.0;
    tendon.damping = 0.5;
    tendon.spring_range[0] = tendon.spring_range[1] = 0.25;
    tendon.friction_loss = 0.125;
    tendon.limit_solref[0] = 0.03;
    tendon.limit_solver_given = true;
    tendon.margin = 0.001;
    assert_int_equal(dp_spec_add_tendon(NULL, spec, &tendon), DP_OK);
    const dp_wrap_spec sum[] = {{.kind = DP_WRAP_JOINT, .object = "a_joint", .coefficient = -0.5},
                                {.kind = DP_WRAP_JOINT, .object = "b_joint", .coefficient = 3.0}};
    tendon = dp_tendon_spec_default();
    tendon.name = "sum";
    tendon.wrap = sum, tendon.nwrap = 2;
    assert_int_equal(dp_spec_add_tendon(NULL, spec, &tendon), DP_OK);
    dp_actuator_spec winch = dp_actuator_spec_default();
    winch.transmission = DP_TRANSMISSION_TENDON;
    winch.tendon = "rope";
    winch.gear[0] = 7.0;
    assert_int_equal(dp_spec_add_actuator(NULL, spec, &winch), DP_OK);
    dp_actuator_spec thruster = dp_actuator_spec_default();
    thruster.transmission = DP_TRANSMISSION_SITE;
    thruster.site = "c_site", thruster.reference_site = "a_site";
    thruster.gear[4] = 2.0;
    assert_int_equal(dp_spec_add_actuator(NULL, spec, &thruster), DP_OK);
    dp_sensor_spec length = dp_sensor_spec_default();
    length.name = "length";
    length.kind = DP_SENSOR_TENDON_POSITION;
    length.object = "sum";
    assert_int_equal(dp_spec_add_sensor(NULL, spec, &length), DP_OK);

    mjModel *m = load_in_mujoco(spec);
    mjData *d = mj_makeData(m);
    assert_int_equal(m->nwrap, 8);
    assert_int_equal(m->tendon_limited[0], 1);
    assert_numbers(m->tendon_range, 2, (double[]){0, 5});
    assert_numbers(m->tendon_stiffness, 1, (double[]){10});
    assert_numbers(m->tendon_damping, 1, (double[]){0.5});
    assert_numbers(m->tendon_lengthspring, 1, (double[]){0.25});
    assert_numbers(m->tendon_frictionloss, 1, (double[]){0.125});
    assert_numbers(m->tendon_solref_lim, 2, (double[]){0.03, 1});
    assert_numbers(m->tendon_margin, 1, (double[]){0.001});
    assert_int_equal(m->actuator_trntype[0], mjTRN_TENDON);
    assert_int_equal(m->actuator_trntype[1], mjTRN_SITE);
    assert_numbers(m->actuator_gear + 6, 6, (double[]){1, 0, 0, 0, 2, 0});

    d->qpos[m->jnt_qposadr[id_of(m, mjOBJ_JOINT, "a_joint")]] = 0.75;
    d->qpos[m->jnt_qposadr[id_of(m, mjOBJ_JOINT, "b_joint")]] = 0.25;
    mj_forward(m, d);
    assert_near(d->ten_length[1], -0.5 * 0.75 + 3.0 * 0.25, ROUND_OFF);
    assert_near(d->sensordata[0], d->ten_length[1], ROUND_OFF);
    mj_deleteData(d);
    mj_deleteModel(m);
}

// A tetrahedron with three right angles: volume a b c/6, centre (a, b, c)/4.
static void meshes_weigh_what_their_volume_says(void **state)
{
    (void)state;
    dp_spec *spec = three_bodies();
    const double a = 0.6, b = 0.5, c = 0.4;
    const double corner[12] = {0, 0, 0, a, 0, 0, 0, b, 0, 0, 0, c};
    const int face[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    dp_mesh_spec mesh = dp_mesh_spec_default();
    mesh.name = "tetra";
    mesh.vertex = corner, mesh.nvertex = 4;
    mesh.face = face, mesh.nface = 4;
    mesh.inertia = DP_MESH_INERTIA_EXACT;
    assert_int_equal(dp_spec_add_mesh(NULL, spec, &mesh), DP_OK);
    mesh.name = "hull";
    mesh.face = NULL, mesh.nface = 0;
    assert_int_equal(dp_spec_add_mesh(NULL, spec, &mesh), DP_OK);
    for (int i = 0; i < 2; ++i) { // on bodies a and b instead of their spheres
        dp_geom_spec *geom = dp_spec_geom(spec, (dp_geom_id){i});
        geom->kind = DP_GEOM_MESH;
        geom->mesh = i == 0 ? "tetra" : "hull";
        geom->density = 300.0;
        geom->pose.p = (dp_v3){0.1, 0.2, 0.3};
    }
    mjModel *m = load_in_mujoco(spec);
    for (int i = 1; i <= 2; ++i) {
        const double single = 1e-6; // MuJoCo keeps vertices with 24 bits
        assert_near(m->body_mass[i], 300.0 * a * b * c / 6.0, single);
        assert_near(m->body_ipos[3 * i], 0.1 + a / 4.0, single);
        assert_near(m->body_ipos[3 * i + 1], 0.2 + b / 4.0, single);
        assert_near(m->body_ipos[3 * i + 2], 0.3 + c / 4.0, single);
    }
    mj_deleteModel(m);
}

static void a_flat_height_field_arrives(void **state)
{
    (void)state;
    dp_spec *spec = three_bodies();
    dp_hfield_spec hfield = dp_hfield_spec_default();
    hfield.name = "plain";
    hfield.nrow = 4, hfield.ncol = 3;
    hfield.size[0] = 5.0;
    assert_int_equal(dp_spec_add_hfield(NULL, spec, &hfield), DP_OK);
    dp_geom_spec geom = dp_geom_spec_default();
    geom.name = "ground";
    geom.kind = DP_GEOM_HFIELD;
    geom.hfield = "plain";
    assert_int_equal(dp_spec_add_geom(NULL, spec, DP_WORLD, &geom), DP_OK);
    mjModel *m = load_in_mujoco(spec);
    assert_int_equal(m->hfield_nrow[0], 4);
    assert_int_equal(m->hfield_ncol[0], 3);
    assert_numbers(m->hfield_size, 4, (double[]){5, 1, 1, 1});
    assert_int_equal(m->geom_type[id_of(m, mjOBJ_GEOM, "ground")], mjGEOM_HFIELD);
    mj_deleteModel(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenes_with_names_of_ours_open_in_mujoco),
        cmocka_unit_test(materials_arrive_as_stiffness_under_a_steady_load),
        cmocka_unit_test(written_scenes_are_the_same_to_mujoco),
        cmocka_unit_test(written_random_mechanisms_are_the_same_to_mujoco),
        cmocka_unit_test(contact_numbers_arrive),
        cmocka_unit_test(equalities_arrive),
        cmocka_unit_test(tendons_and_what_drives_them_arrive),
        cmocka_unit_test(meshes_weigh_what_their_volume_says),
        cmocka_unit_test(a_flat_height_field_arrives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
