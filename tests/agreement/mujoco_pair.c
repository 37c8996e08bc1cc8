#include "mujoco_pair.h"

#include "math/v3.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static double worst; // difference so far, in units of the scale

// --- opening and closing

static void stop_on_mujoco_error(const char *message)
{
    fail_msg("MuJoCo stops: %s", message);
}

static void keep_quiet(const char *message)
{
    (void)message; // "inertia matrix is close to singular": the comparison will tell
}

static int *map_names(const mujoco_pair *p, int n, int type,
                      const char *(*name_of)(const dp_model *, int))
{
    int *map = calloc((size_t)n + 1, sizeof *map);
    assert_non_null(map);
    for (int i = 0; i < n; ++i) {
        const char *name = name_of(p->m, i);
        map[i] = name[0] != '\0' ? mj_name2id(p->their_m, type, name) : -1;
        if (name[0] != '\0' && map[i] < 0) {
            fail_msg("%s: MuJoCo knows no '%s'", p->path, name);
        }
    }
    return map;
}

static const char *body_name(const dp_model *m, int i)
{
    return dp_model_body(m, (dp_body_id){i}).name;
}

static const char *joint_name(const dp_model *m, int i)
{
    return dp_model_joint(m, (dp_joint_id){i}).name;
}

static const char *geom_name(const dp_model *m, int i)
{
    return dp_model_geom(m, (dp_geom_id){i}).name;
}

static const char *site_name(const dp_model *m, int i)
{
    return dp_model_site(m, (dp_site_id){i}).name;
}

static const char *actuator_name(const dp_model *m, int i)
{
    return dp_model_actuator(m, (dp_actuator_id){i}).name;
}

static const char *sensor_name(const dp_model *m, int i)
{
    return dp_model_sensor(m, (dp_sensor_id){i}).name;
}

static void write_random(const char *path, const random_mechanism_options *options)
{
    char *text = random_mechanism(options);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    free(text);
}

static void open_theirs(mujoco_pair *p)
{
    mju_user_error = stop_on_mujoco_error;
    mju_user_warning = keep_quiet;
    char message[1000] = "";
    p->their_m = mj_loadXML(p->path, NULL, message, sizeof message);
    if (p->their_m == NULL) {
        fail_msg("MuJoCo refuses %s: %s", p->path, message);
    }
    p->their_m->opt.enableflags |= mjENBL_ENERGY;
    p->their_m->opt.disableflags |= mjDSBL_CONSTRAINT;
    p->their_m->njmax = 1; // no contacts and no constraints: spare the memory for them
    p->their_m->nconmax = 1;
    p->their = mj_makeData(p->their_m);
}

// Contacts, loops, limits and dry friction are soft in one and rigid in the other: here they are
// left out of both (test_mujoco_rows.c and test_mujoco_contact.c compare them).
static void leave_out_rows(dp_spec *spec)
{
    dp_spec_options(spec)->disable_contact = true;
    dp_spec_options(spec)->disable_equality = true;
    dp_spec_options(spec)->disable_limits = true;
    for (int j = 0; j < dp_spec_joint_count(spec); ++j) {
        dp_spec_joint(spec, (dp_joint_id){j})->friction_loss = 0.0;
    }
    for (int i = 0; i < dp_spec_tendon_count(spec); ++i) {
        dp_spec_tendon(spec, (dp_tendon_id){i})->friction_loss = 0.0;
    }
}

static void open_ours(mujoco_pair *p, void (*edit)(dp_spec *spec))
{
    dp_spec *spec = NULL;
    if (dp_model_file_load(&spec, NULL, p->path, NULL) != DP_OK) {
        fail_msg("Dashpot refuses %s: %s", p->path, dp_last_error());
    }
    leave_out_rows(spec);
    if (edit != NULL) {
        edit(spec);
    }
    const dp_status status = dp_model_compile(&p->m, spec);
    dp_spec_destroy(spec);
    if (status != DP_OK) {
        fail_msg("Dashpot does not compile %s: %s", p->path, dp_last_error());
    }
    assert_int_equal(dp_data_create(&p->d, p->m, NULL), DP_OK);
}

/// Keep what MuJoCo has compiled, then hand it our centres of mass, principal axes and moments.
static void exchange_inertials(mujoco_pair *p)
{
    mjModel *m = p->their_m;
    p->their_inertial = calloc((size_t)p->size->nbody, sizeof *p->their_inertial);
    assert_non_null(p->their_inertial);
    for (int i = 1; i < p->size->nbody; ++i) {
        double *centre = m->body_ipos + 3 * p->body[i], *axes = m->body_iquat + 4 * p->body[i];
        double *moments = m->body_inertia + 3 * p->body[i];
        p->their_inertial[i] = (dp_inertial){
            .mass = m->body_mass[p->body[i]],
            .frame = {dp_quat_load(axes), dp_v3_load(centre)},
            .moments = dp_v3_load(moments),
        };
        const dp_inertial ours = dp_model_body(p->m, (dp_body_id){i}).inertial;
        dp_v3_store(centre, ours.frame.p);
        dp_quat_store(axes, ours.frame.q);
        dp_v3_store(moments, ours.moments);
        m->body_sameframe[p->body[i]] = 0; // MuJoCo's short cuts for frames that were equal
    }
    memset(m->geom_sameframe, 0, (size_t)m->ngeom);
    memset(m->site_sameframe, 0, (size_t)m->nsite);
}

void pair_open(mujoco_pair *p, const char *path, void (*edit)(dp_spec *spec))
{
    *p = (mujoco_pair){.nstate = SCENE_STATES};
    snprintf(p->path, sizeof p->path, "%s", path);
    open_theirs(p);
    open_ours(p, edit);
    p->size = dp_model_sizes(p->m);
    p->body = map_names(p, p->size->nbody, mjOBJ_BODY, body_name);
    p->body[0] = 0;
    p->joint = map_names(p, p->size->njoint, mjOBJ_JOINT, joint_name);
    p->geom = map_names(p, p->size->ngeom, mjOBJ_GEOM, geom_name);
    p->site = map_names(p, p->size->nsite, mjOBJ_SITE, site_name);
    p->actuator = map_names(p, p->size->nactuator, mjOBJ_ACTUATOR, actuator_name);
    p->sensor = map_names(p, p->size->nsensor, mjOBJ_SENSOR, sensor_name);
    exchange_inertials(p);
}

void pair_open_random(mujoco_pair *p, const random_mechanism_options *options,
                      void (*edit)(dp_spec *spec))
{
    char path[512]; // the process number keeps tests that run side by side apart
    snprintf(path, sizeof path, "%s/random_mechanism_%ld.xml", DP_SCRATCH, (long)getpid());
    write_random(path, options);
    pair_open(p, path, edit);
    remove(path);
    p->random = *options;
    p->nstate = RANDOM_STATES;
    snprintf(p->path, sizeof p->path, "%s/disagrees_%llu.xml", DP_SCRATCH,
             (unsigned long long)options->seed);
}

void pair_close(mujoco_pair *p)
{
    dp_data_destroy(p->d);
    dp_model_destroy(p->m);
    mj_deleteData(p->their);
    mj_deleteModel(p->their_m);
    int *const maps[] = {p->body, p->joint, p->geom, p->site, p->actuator, p->sensor};
    for (int i = 0; i < 6; ++i) {
        free(maps[i]);
    }
    free(p->their_inertial);
}

enum { MAX_SCENES = 64 };

typedef struct all_pairs {
    int n;
    mujoco_pair pair[MAX_SCENES + RANDOM_MECHANISMS];
} all_pairs;

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

// Does a scene use names of our own, which MuJoCo refuses?
static bool has_own_names(const char *scene)
{
    char path[512], text[4096];
    const int length = snprintf(path, sizeof path, "%s/%s", DP_SCENES, scene);
    assert_in_range(length, 1, sizeof path - 1);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return strstr(text, "xmlns:dp=") != NULL;
}

int open_all_pairs(void **state)
{
    all_pairs *all = calloc(1, sizeof *all);
    assert_non_null(all);
    *state = all;

    DIR *folder = opendir(DP_SCENES);
    assert_non_null(folder);
    char names[MAX_SCENES][256];
    int nname = 0;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL && nname < MAX_SCENES;) {
        const size_t length = strlen(entry->d_name);
        if (length > 4 && strcmp(entry->d_name + length - 4, ".xml") == 0 &&
            !has_own_names(entry->d_name)) {
            snprintf(names[nname++], sizeof names[0], "%s", entry->d_name);
        }
    }
    closedir(folder);
    assert_true(nname >= 12);
    qsort(names, (size_t)nname, sizeof names[0], by_name);
    for (int i = 0; i < nname; ++i) {
        char path[512];
        const int length = snprintf(path, sizeof path, "%s/%s", DP_SCENES, names[i]);
        assert_in_range(length, 1, sizeof path - 1);
        pair_open(&all->pair[all->n++], path, NULL);
    }
    for (uint64_t seed = 1; seed <= RANDOM_MECHANISMS; ++seed) {
        const random_mechanism_options options = random_mechanism_default(seed);
        pair_open_random(&all->pair[all->n++], &options, NULL);
    }
    return 0;
}

int close_all_pairs(void **state)
{
    all_pairs *all = *state;
    for (int i = 0; i < all->n; ++i) {
        pair_close(&all->pair[i]);
    }
    free(all);
    return 0;
}

// --- states

static void draw(double *x, int n, double size, random_source *r)
{
    for (int i = 0; i < n; ++i) {
        x[i] = random_between(r, -size, size);
    }
}

static void draw_positions(mujoco_pair *p, random_source *r)
{
    double *q = dp_data_q(p->d);
    for (int j = 0; j < p->size->njoint; ++j) {
        const dp_joint_info info = dp_model_joint(p->m, (dp_joint_id){j});
        if (info.kind == DP_JOINT_FREE) {
            draw(q + info.q_index, 3, 2.0, r);
            random_direction(q + info.q_index + 3, 4, r);
        } else if (info.kind == DP_JOINT_BALL) {
            random_direction(q + info.q_index, 4, r);
        } else {
            draw(q + info.q_index, 1, 1.5, r);
        }
    }
}

static void draw_mocap(mujoco_pair *p, random_source *r)
{
    for (int i = 0; i < p->size->nbody; ++i) {
        const int ours = dp_model_body(p->m, (dp_body_id){i}).mocap;
        if (ours < 0) {
            continue;
        }
        double x[3], q[4];
        draw(x, 3, 1.0, r);
        random_direction(q, 4, r);
        *dp_data_mocap(p->d, ours) = (dp_pose){dp_quat_load(q), dp_v3_load(x)};
        const int theirs = p->their_m->body_mocapid[p->body[i]];
        memcpy(p->their->mocap_pos + 3 * theirs, x, sizeof x);
        memcpy(p->their->mocap_quat + 4 * theirs, q, sizeof q);
    }
}

static void draw_wrenches(mujoco_pair *p, random_source *r)
{
    for (int i = 1; i < p->size->nbody; ++i) {
        double w[6];
        draw(w, 6, 5.0, r);
        *dp_data_wrench(p->d, (dp_body_id){i}) = (dp_wrench){dp_v3_load(w), dp_v3_load(w + 3)};
        double *theirs = p->their->xfrc_applied + 6 * p->body[i]; // force first
        memcpy(theirs, w + 3, 3 * sizeof(double));
        memcpy(theirs + 3, w, 3 * sizeof(double));
    }
}

/// A servo of a ball joint goes the nearest way, in MuJoCo since 3.12. Version 2 is handed the
/// target that is nearest.
static void wind_targets(mujoco_pair *p)
{
    mjModel *m = p->their_m;
    mj_fwdPosition(m, p->their);
    for (int i = 0; i < p->size->nactuator; ++i) {
        const dp_actuator_info info = dp_model_actuator(p->m, (dp_actuator_id){i});
        const int u = p->actuator[i];
        const bool servo =
            m->actuator_gaintype[u] == mjGAIN_FIXED &&
            m->actuator_gainprm[mjNGAIN * u] == -m->actuator_biasprm[mjNBIAS * u + 1];
        if (!servo || dp_model_joint(p->m, info.joint).kind != DP_JOINT_BALL) {
            continue;
        }
        const double turn = 2.0 * mjPI * mju_norm3(m->actuator_gear + 6 * u);
        const double length = p->their->actuator_length[u];
        if (info.activation_index >= 0) {
            double *w = p->their->act + info.activation_index;
            *w -= turn * round((*w - length) / turn);
            continue;
        }
        double w = p->their->ctrl[u];
        if (info.control_limited && !dp_data_options(p->d)->disable_clamp_control) {
            w = fmin(fmax(w, info.control_range[0]), info.control_range[1]);
        }
        m->actuator_ctrllimited[u] = 0;
        p->their->ctrl[u] = w - turn * round((w - length) / turn);
    }
}

static double greatest(const double *x, int n, double so_far)
{
    for (int i = 0; i < n; ++i) {
        so_far = fmax(so_far, fabs(x[i]));
    }
    return so_far;
}

/// The greatest term of M v̇ + c = τ: every product of the left side, every force of the right.
static double force_scale(const mjModel *m, mjData *d)
{
    double *M = calloc((size_t)(m->nv * m->nv) + 1, sizeof *M);
    assert_non_null(M);
    mj_fullM(m, M, d->qM);
    double scale = 0.0;
    for (int i = 0; i < m->nv; ++i) {
        for (int j = 0; j < m->nv; ++j) {
            scale = fmax(scale, fabs(M[i * m->nv + j] * d->qacc[j]));
        }
    }
    free(M);
    scale = greatest(d->qfrc_bias, m->nv, scale);
    scale = greatest(d->qfrc_passive, m->nv, scale);
    scale = greatest(d->qfrc_actuator, m->nv, scale);
    return greatest(d->qfrc_applied, m->nv, scale);
}

static pair_scale measure(const mjModel *m, mjData *d)
{
    pair_scale s = {0};
    s.length = greatest(d->xpos, 3 * m->nbody, s.length);
    s.length = greatest(d->xipos, 3 * m->nbody, s.length);
    s.length = greatest(d->geom_xpos, 3 * m->ngeom, s.length);
    s.length = greatest(d->site_xpos, 3 * m->nsite, s.length);
    s.velocity = greatest(d->cvel, 6 * m->nbody, 0.0);
    s.acceleration = greatest(d->cacc, 6 * m->nbody, 0.0);
    s.wrench = greatest(d->cfrc_int, 6 * m->nbody, 0.0);
    s.force = force_scale(m, d);
    s.energy = fabs(d->energy[0]) + fabs(d->energy[1]);
    for (int i = 1; i < m->nbody; ++i) {
        s.energy += fabs(m->body_mass[i] * mju_dot3(m->opt.gravity, d->xipos + 3 * i));
        s.mass += m->body_mass[i];
    }
    return s;
}

void pair_evaluate(mujoco_pair *p)
{
    mj_forward(p->their_m, p->their);
    mj_subtreeVel(p->their_m, p->their);
    mj_rnePostConstraint(p->their_m, p->their);
    if (dp_sense(p->d) != DP_OK) {
        fail_msg("%s: %s", p->path, dp_last_error());
    }
    p->scale = measure(p->their_m, p->their);
}

void pair_randomise(mujoco_pair *p, uint64_t seed)
{
    random_source r = {seed * 1000003u + 17u};
    const dp_model_size *size = p->size;
    dp_data_reset(p->d);
    mj_resetData(p->their_m, p->their);

    draw_positions(p, &r);
    draw(dp_data_v(p->d), size->nv, 2.0, &r);
    draw(dp_data_activation(p->d), size->na, 1.5, &r);
    draw(dp_data_control(p->d), size->nu, 1.5, &r);
    draw(dp_data_force(p->d), size->nv, 5.0, &r);
    draw_mocap(p, &r);
    draw_wrenches(p, &r);
    dp_data_set_time(p->d, random_between(&r, 0.0, 1.0));

    mju_copy(p->their->qpos, dp_data_q(p->d), size->nq);
    mju_copy(p->their->qvel, dp_data_v(p->d), size->nv);
    mju_copy(p->their->act, dp_data_activation(p->d), size->na);
    mju_copy(p->their->ctrl, dp_data_control(p->d), size->nu);
    mju_copy(p->their->qfrc_applied, dp_data_force(p->d), size->nv);
    p->their->time = dp_data_time(p->d);
    wind_targets(p);
    pair_evaluate(p);
}

void on_every_pair(void **state, void (*check)(mujoco_pair *p))
{
    all_pairs *all = *state;
    worst = 0.0;
    for (int i = 0; i < all->n; ++i) {
        check(&all->pair[i]);
    }
    print_message("             worst difference %.1e\n", worst);
}

void on_every_pair_and_state(void **state, void (*check)(mujoco_pair *p))
{
    all_pairs *all = *state;
    worst = 0.0;
    for (int i = 0; i < all->n; ++i) {
        for (int k = 0; k < all->pair[i].nstate; ++k) {
            pair_randomise(&all->pair[i], (uint64_t)k);
            check(&all->pair[i]);
        }
    }
    print_message("             worst difference %.1e\n", worst);
}

// --- comparing

void assert_agree(const mujoco_pair *p, const char *what, const char *name, int n,
                  const double *theirs, const double *ours, double scale)
{
    const double size = greatest(theirs, n, scale);
    for (int i = 0; i < n; ++i) {
        const double difference = fabs(theirs[i] - ours[i]);
        if (!(difference <= AGREEMENT * size)) {
            if (p->random.seed != 0) {
                write_random(p->path, &p->random);
            }
            fail_msg("%s: %s of '%s' [%d]: MuJoCo %.17g, Dashpot %.17g, relative difference %.3g",
                     p->path, what, name, i, theirs[i], ours[i], difference / size);
        }
        worst = size > 0.0 ? fmax(worst, difference / size) : worst;
    }
}

double pair_sensor_scale(const mujoco_pair *p, dp_sensor_kind kind)
{
    const pair_scale *s = &p->scale;
    switch (kind) {
    case DP_SENSOR_FRAME_POSITION:
    case DP_SENSOR_SUBTREE_COM:
        return s->length;
    case DP_SENSOR_VELOCIMETER:
    case DP_SENSOR_GYRO:
    case DP_SENSOR_FRAME_LINEAR_VELOCITY:
    case DP_SENSOR_FRAME_ANGULAR_VELOCITY:
    case DP_SENSOR_SUBTREE_LINEAR_VELOCITY:
        return s->velocity * fmax(1.0, s->length);
    case DP_SENSOR_SUBTREE_ANGULAR_MOMENTUM:
        return s->mass * s->velocity * s->length;
    case DP_SENSOR_ACCELEROMETER:
    case DP_SENSOR_FRAME_LINEAR_ACCELERATION:
    case DP_SENSOR_FRAME_ANGULAR_ACCELERATION:
        return s->acceleration * fmax(1.0, s->length);
    case DP_SENSOR_FORCE:
    case DP_SENSOR_TORQUE:
        return s->wrench * fmax(1.0, s->length);
    case DP_SENSOR_FRAME_QUATERNION:
    case DP_SENSOR_FRAME_X_AXIS:
    case DP_SENSOR_FRAME_Y_AXIS:
    case DP_SENSOR_FRAME_Z_AXIS:
    case DP_SENSOR_MAGNETOMETER:
        return 1.0;
    default: // coordinates, actuators, time: to the last digits of the value itself
        return 0.0;
    }
}

dp_m3 matrix_of(dp_quat q)
{
    return dp_m3_from_quat(q);
}

void assert_turned_alike(const mujoco_pair *p, const char *what, const char *name,
                         const double *their_matrix, dp_quat q)
{
    const dp_m3 ours = matrix_of(q);
    assert_agree(p, what, name, 9, their_matrix, &ours.m[0][0], 1.0);
}
