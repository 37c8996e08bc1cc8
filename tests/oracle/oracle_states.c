// What Dashpot makes of a model file, as JSON, for compare.py to hold against another program.
//
//     oracle_states MODEL [STATES]
//
// prints the compiled model and, for each state of the file STATES, whatever can be asked about it.
// STATES has for each state the numbers: time, q, v, activations, controls, generalised forces, a
// wrench per body (moment, force), a pose per mocap body (quaternion, position); white space apart.
// Features that are not simulated are left out, as if each were given to --allow.
#include <dashpot/dashpot.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- JSON

static void separate(bool *first)
{
    fputs(*first ? "" : ", ", stdout);
    *first = false;
}

static void print_text(const char *key, const char *text)
{
    printf("\"%s\": \"", key);
    for (; *text != '\0'; ++text) {
        if (*text == '"' || *text == '\\') {
            putchar('\\');
        }
        if ((unsigned char)*text < ' ') {
            printf("\\u%04x", (unsigned)*text);
        } else {
            putchar(*text);
        }
    }
    putchar('"');
}

static void print_number(double x)
{
    if (isfinite(x)) {
        printf("%.17g", x);
    } else {
        fputs("null", stdout);
    }
}

static void print_numbers(const char *key, const double *x, int n)
{
    printf("\"%s\": [", key);
    for (int i = 0; i < n; ++i) {
        fputs(i > 0 ? ", " : "", stdout);
        print_number(x[i]);
    }
    putchar(']');
}

static void print_v3(const char *key, dp_v3 a)
{
    print_numbers(key, (double[]){a.x, a.y, a.z}, 3);
}

static void print_pose(dp_pose pose)
{
    print_v3("position", pose.p);
    fputs(", ", stdout);
    print_numbers("quaternion", (double[]){pose.q.w, pose.q.x, pose.q.y, pose.q.z}, 4);
}

// --- the model

static void print_bodies(const dp_model *m)
{
    fputs(",\n\"bodies\": [", stdout);
    bool first = true;
    for (int i = 0; i < dp_model_sizes(m)->nbody; ++i) {
        const dp_body_info b = dp_model_body(m, (dp_body_id){i});
        separate(&first);
        fputs("\n{", stdout);
        print_text("name", b.name);
        printf(", \"parent\": %d, \"mocap\": %d, ", b.parent.index, b.mocap);
        print_pose(b.pose);
        fputs(", \"mass\": ", stdout);
        print_number(b.inertial.mass);
        fputs(", \"inertial\": {", stdout);
        print_pose(b.inertial.frame);
        fputs("}, ", stdout);
        print_v3("moments", b.inertial.moments);
        fputs(", \"gravcomp\": ", stdout);
        print_number(b.gravity_compensation);
        putchar('}');
    }
    putchar(']');
}

static void print_joints(const dp_model *m)
{
    fputs(",\n\"joints\": [", stdout);
    bool first = true;
    for (int i = 0; i < dp_model_sizes(m)->njoint; ++i) {
        const dp_joint_info j = dp_model_joint(m, (dp_joint_id){i});
        separate(&first);
        fputs("\n{", stdout);
        print_text("name", j.name);
        fputs(", ", stdout);
        print_text("kind", dp_joint_kind_name(j.kind));
        printf(", \"body\": %d, \"q\": %d, \"v\": %d, \"nv\": %d, ", j.body.index, j.q_index,
               j.v_index, j.nv);
        print_v3("anchor", j.anchor);
        fputs(", ", stdout);
        print_v3("axis", j.axis);
        fputs(", ", stdout);
        print_numbers("armature", &j.armature, 1);
        fputs(", ", stdout);
        print_numbers("damping", &j.damping, 1);
        fputs(", ", stdout);
        print_numbers("stiffness", &j.stiffness, 1);
        fputs(", ", stdout);
        print_numbers("springref", &j.spring_ref, 1);
        putchar('}');
    }
    putchar(']');
}

static void print_limits(const dp_spec *spec)
{
    // The compiled model keeps no limits of joints; the spec does.
    fputs(",\n\"limits\": [", stdout);
    bool first = true;
    for (int i = 0; i < dp_spec_joint_count(spec); ++i) {
        const dp_joint_spec *j = dp_spec_joint((dp_spec *)spec, (dp_joint_id){i});
        separate(&first);
        printf("{\"limited\": %s, ", j->limited ? "true" : "false");
        print_numbers("range", j->range, 2);
        fputs(", ", stdout);
        print_numbers("frictionloss", &j->friction_loss, 1);
        putchar('}');
    }
    putchar(']');
}

static void print_geoms(const dp_model *m)
{
    fputs(",\n\"geoms\": [", stdout);
    bool first = true;
    for (int i = 0; i < dp_model_sizes(m)->ngeom; ++i) {
        const dp_geom_info g = dp_model_geom(m, (dp_geom_id){i});
        separate(&first);
        fputs("\n{", stdout);
        print_text("name", g.name);
        fputs(", ", stdout);
        print_text("kind", dp_geom_kind_name(g.kind));
        printf(", \"body\": %d, \"contype\": %d, \"conaffinity\": %d, \"condim\": %d, "
               "\"priority\": %d, \"group\": %d, ",
               g.body.index, g.contype, g.conaffinity, g.contact.condim, g.contact.priority,
               g.group);
        print_numbers("size", g.size, 3);
        fputs(", ", stdout);
        print_numbers("friction", g.friction, 3);
        fputs(", ", stdout);
        print_numbers("margin", (double[]){g.contact.margin, g.contact.gap}, 2);
        fputs(", ", stdout);
        print_numbers("solref", g.contact.solref, 2);
        fputs(", ", stdout);
        print_numbers("solimp", g.contact.solimp, 5);
        putchar('}');
    }
    putchar(']');
}

static void print_devices(const dp_model *m)
{
    const dp_model_size *n = dp_model_sizes(m);
    bool first = true;
    fputs(",\n\"sites\": [", stdout);
    for (int i = 0; i < n->nsite; ++i) {
        const dp_site_info s = dp_model_site(m, (dp_site_id){i});
        separate(&first);
        putchar('{');
        print_text("name", s.name);
        printf(", \"body\": %d}", s.body.index);
    }
    first = true;
    fputs("],\n\"actuators\": [", stdout);
    for (int i = 0; i < n->nactuator; ++i) {
        const dp_actuator_info a = dp_model_actuator(m, (dp_actuator_id){i});
        separate(&first);
        putchar('{');
        print_text("name", a.name);
        fputs(", ", stdout);
        print_text("drives", dp_transmission_name(a.transmission));
        printf(", \"activation\": %d, \"limited\": %s, ", a.activation_index,
               a.control_limited ? "true" : "false");
        print_numbers("range", a.control_range, 2);
        putchar('}');
    }
    first = true;
    fputs("],\n\"sensors\": [", stdout);
    for (int i = 0; i < n->nsensor; ++i) {
        const dp_sensor_info s = dp_model_sensor(m, (dp_sensor_id){i});
        separate(&first);
        putchar('{');
        print_text("name", s.name);
        fputs(", ", stdout);
        print_text("kind", dp_sensor_kind_name(s.kind));
        printf(", \"at\": %d, \"n\": %d}", s.data_index, s.ndata);
    }
    putchar(']');
}

static void print_couplings(const dp_model *m)
{
    const dp_model_size *n = dp_model_sizes(m);
    bool first = true;
    fputs(",\n\"tendons\": [", stdout);
    for (int i = 0; i < n->ntendon; ++i) {
        const dp_tendon_info t = dp_model_tendon(m, (dp_tendon_id){i});
        separate(&first);
        putchar('{');
        print_text("name", t.name);
        printf(", \"limited\": %s, ", t.limited ? "true" : "false");
        print_numbers("range", t.range, 2);
        fputs(", ", stdout);
        print_numbers("numbers", (double[]){t.stiffness, t.damping, t.friction_loss, t.armature},
                      4);
        fputs(", ", stdout);
        print_numbers("springlength", t.spring_range, 2);
        fputs(", \"path\": [", stdout);
        for (int k = 0; k < t.nwrap; ++k) {
            const dp_wrap_info w = dp_model_tendon_wrap(m, (dp_tendon_id){i}, k);
            printf("%s{\"object\": %d, \"side\": %d, ", k > 0 ? ", " : "", w.object, w.side.index);
            print_text("kind", dp_wrap_kind_name(w.kind));
            fputs(", ", stdout);
            print_numbers("coefficient", &w.coefficient, 1);
            putchar('}');
        }
        fputs("]}", stdout);
    }
    first = true;
    fputs("],\n\"equalities\": [", stdout);
    for (int i = 0; i < n->nequality; ++i) {
        const dp_equality_info e = dp_model_equality(m, (dp_equality_id){i});
        separate(&first);
        putchar('{');
        print_text("name", e.name);
        fputs(", ", stdout);
        print_text("kind", dp_equality_kind_name(e.kind));
        printf(", \"object\": [%d, %d], \"active\": %s, \"frame\": [{", e.object[0], e.object[1],
               e.active ? "true" : "false");
        print_pose(e.frame[0]);
        fputs("}, {", stdout);
        print_pose(e.frame[1]);
        fputs("}], ", stdout);
        print_numbers("polynomial", e.polynomial, 5);
        putchar('}');
    }
    putchar(']');
}

static dp_status print_keys(const dp_model *m, dp_data *d)
{
    const dp_model_size *n = dp_model_sizes(m);
    fputs(",\n\"keys\": [", stdout);
    bool first = true;
    for (int i = 0; i < n->nkey; ++i) {
        const dp_status status = dp_data_reset_to_key(d, (dp_key_id){i});
        if (status != DP_OK) {
            return status;
        }
        separate(&first);
        putchar('{');
        print_text("name", dp_model_key_name(m, (dp_key_id){i}));
        fputs(", ", stdout);
        print_numbers("q", dp_data_q(d), n->nq);
        fputs(", ", stdout);
        print_numbers("v", dp_data_v(d), n->nv);
        fputs(", ", stdout);
        print_numbers("activation", dp_data_activation(d), n->na);
        fputs(", ", stdout);
        print_numbers("control", dp_data_control(d), n->nu);
        putchar('}');
    }
    putchar(']');
    dp_data_reset(d);
    return DP_OK;
}

static dp_status print_model(const dp_spec *spec, const dp_model *m, dp_data *d)
{
    const dp_model_size *n = dp_model_sizes(m);
    const dp_options *o = dp_model_options(m);
    printf("{\"sizes\": {\"nbody\": %d, \"njnt\": %d, \"ngeom\": %d, \"nsite\": %d, \"nu\": %d, "
           "\"nsensor\": %d, \"nkey\": %d, \"ntendon\": %d, \"neq\": %d, \"npair\": %d, "
           "\"nexclude\": %d, \"nq\": %d, \"nv\": %d, \"na\": %d, \"nmocap\": %d, "
           "\"nsensordata\": %d},\n",
           n->nbody, n->njoint, n->ngeom, n->nsite, n->nu, n->nsensor, n->nkey, n->ntendon,
           n->nequality, n->npair, n->nexclude, n->nq, n->nv, n->na, n->nmocap, n->nsensordata);
    print_v3("gravity", o->gravity);
    fputs(", ", stdout);
    print_v3("magnetic", o->magnetic);
    fputs(", ", stdout);
    print_numbers("timestep", &o->step, 1);
    fputs(",\n", stdout);
    print_numbers("q_reference", dp_model_q_reference(m), n->nq);
    print_bodies(m);
    print_joints(m);
    print_limits(spec);
    print_geoms(m);
    print_devices(m);
    print_couplings(m);
    return print_keys(m, d);
}

// --- a state

static bool read_numbers(FILE *file, double *x, int n)
{
    for (int i = 0; i < n; ++i) {
        if (fscanf(file, "%lf", &x[i]) != 1) {
            return false;
        }
    }
    return true;
}

// The next state of the file; false at its end.
static bool read_state(FILE *file, const dp_model *m, dp_data *d)
{
    const dp_model_size *n = dp_model_sizes(m);
    double time, x[7];
    dp_data_reset(d);
    if (!read_numbers(file, &time, 1) || !read_numbers(file, dp_data_q(d), n->nq) ||
        !read_numbers(file, dp_data_v(d), n->nv) ||
        !read_numbers(file, dp_data_activation(d), n->na) ||
        !read_numbers(file, dp_data_control(d), n->nu) ||
        !read_numbers(file, dp_data_force(d), n->nv)) {
        return false;
    }
    dp_data_set_time(d, time);
    for (int i = 0; i < n->nbody; ++i) {
        if (!read_numbers(file, x, 6)) {
            return false;
        }
        *dp_data_wrench(d, (dp_body_id){i}) = (dp_wrench){{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
    }
    for (int i = 0; i < n->nmocap; ++i) {
        if (!read_numbers(file, x, 7)) {
            return false;
        }
        *dp_data_mocap(d, i) = (dp_pose){{x[0], x[1], x[2], x[3]}, {x[4], x[5], x[6]}};
    }
    return true;
}

static void print_place(const char *key, int n, dp_pose (*pose_of)(const dp_data *, int),
                        const dp_data *d)
{
    printf(",\n\"%s\": [", key);
    for (int i = 0; i < n; ++i) {
        fputs(i > 0 ? ", {" : "{", stdout);
        print_pose(pose_of(d, i));
        putchar('}');
    }
    putchar(']');
}

static dp_pose body_pose(const dp_data *d, int i)
{
    return dp_body_pose(d, (dp_body_id){i});
}

static dp_pose inertial_pose(const dp_data *d, int i)
{
    return dp_inertial_pose(d, (dp_body_id){i});
}

static dp_pose geom_pose(const dp_data *d, int i)
{
    return dp_geom_pose(d, (dp_geom_id){i});
}

static dp_pose site_pose(const dp_data *d, int i)
{
    return dp_site_pose(d, (dp_site_id){i});
}

// What forces do: accelerations, forces of springs, of actuators along q, of actuators, sensors.
typedef struct moment {
    double *acceleration, *passive, *actuation, *actuator_force, *sensors;
} moment;

// The parts of `x`, which has as many numbers as all of them. @return that many
static int divide(moment *out, double *x, const dp_model_size *n)
{
    *out = (moment){0};
    if (x) {
        *out = (moment){x, x + n->nv, x + 2 * n->nv, x + 3 * n->nv, x + 3 * n->nv + n->nu};
    }
    return 3 * n->nv + n->nu + n->nsensordata;
}

static dp_status look(double *x, const dp_model *m, dp_data *d)
{
    const dp_model_size *n = dp_model_sizes(m);
    moment at;
    const dp_status status = dp_sense(d);
    if (status == DP_OK) {
        divide(&at, x, n);
        memcpy(at.acceleration, dp_data_acceleration(d), (size_t)n->nv * sizeof *x);
        memcpy(at.passive, dp_data_passive(d), (size_t)n->nv * sizeof *x);
        memcpy(at.actuation, dp_data_actuation(d), (size_t)n->nv * sizeof *x);
        memcpy(at.actuator_force, dp_data_actuator_force(d), (size_t)n->nu * sizeof *x);
        memcpy(at.sensors, dp_data_sensors(d), (size_t)n->nsensordata * sizeof *x);
    }
    return status;
}

enum { STEPS = 4 };

// Springs, dampers and servos on tendons and sites act by their mean over a step. What they are at
// the present instant is the limit for h → 0, here by Neville's scheme on h, h/2, h/4 and h/8.
// @param x room for STEPS moments; the first is the result
static dp_status find_limit(double *x, int count, const dp_model *m, dp_data *d)
{
    const double longest = 1e-4; // [s]
    for (int k = 0; k < STEPS; ++k) {
        dp_data_options(d)->step = longest / (1 << k);
        const dp_status status = look(x + k * count, m, d);
        if (status != DP_OK) {
            return status;
        }
        for (int j = k - 1; j >= 0; --j) { // x[j]: of the steps j … k
            for (int i = j * count; i < (j + 1) * count; ++i) {
                x[i] = x[i + count] + (x[i + count] - x[i]) / ((1 << (k - j)) - 1);
            }
        }
    }
    return DP_OK;
}

static dp_status print_forces(const dp_model *m, dp_data *d)
{
    const dp_model_size *n = dp_model_sizes(m);
    const int nv = n->nv;
    moment at;
    const int count = divide(&at, NULL, n);
    double *M = calloc((size_t)nv * (size_t)nv + 1, sizeof *M);
    double *c = calloc((size_t)nv + 1, sizeof *c);
    double *x = calloc((size_t)count * STEPS + 1, sizeof *x);
    dp_status status = DP_ERROR_MEMORY;
    if (M == NULL || c == NULL || x == NULL) {
        goto cleanup;
    }
    status = find_limit(x, count, m, d);
    if (status == DP_OK) {
        status = dp_mass_matrix(M, d);
    }
    if (status == DP_OK) {
        status = dp_bias_force(c, d);
    }
    if (status != DP_OK) {
        goto cleanup;
    }
    divide(&at, x, n);
    const struct {
        const char *key;
        const double *x;
        int count;
    } part[] = {{"acceleration", at.acceleration, nv},
                {"passive", at.passive, nv},
                {"actuation", at.actuation, nv},
                {"actuator_force", at.actuator_force, n->nu},
                {"sensors", at.sensors, n->nsensordata},
                {"M", M, nv * nv},
                {"bias", c, nv}};
    for (size_t i = 0; i < sizeof part / sizeof part[0]; ++i) {
        fputs(",\n", stdout);
        print_numbers(part[i].key, part[i].x, part[i].count);
    }
cleanup:
    free(M);
    free(c);
    free(x);
    return status;
}

static dp_status print_state(const dp_model *m, dp_data *d)
{
    const dp_model_size *n = dp_model_sizes(m);
    const dp_status status = dp_kinematics(d);
    if (status != DP_OK) {
        return status;
    }
    const dp_energy e = dp_data_energy(d);
    fputs("{", stdout);
    print_numbers("energy", (double[]){e.gravity + e.spring, e.kinetic}, 2);
    const dp_momentum all = dp_body_momentum(d, DP_WORLD);
    fputs(", ", stdout);
    print_numbers("mass", &all.mass, 1);
    print_place("body", n->nbody, body_pose, d);
    print_place("inertial", n->nbody, inertial_pose, d);
    print_place("geom", n->ngeom, geom_pose, d);
    print_place("site", n->nsite, site_pose, d);
    fputs(",\n\"joint\": [", stdout);
    for (int i = 0; i < n->njoint; ++i) {
        fputs(i > 0 ? ", {" : "{", stdout);
        print_v3("anchor", dp_joint_anchor(d, (dp_joint_id){i}));
        fputs(", ", stdout);
        print_v3("axis", dp_joint_axis(d, (dp_joint_id){i}));
        putchar('}');
    }
    putchar(']');
    const dp_status forces = print_forces(m, d);
    putchar('}');
    return forces;
}

static dp_status print_states(const char *path, const dp_model *m, dp_data *d)
{
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return DP_ERROR_IO;
    }
    dp_status status = DP_OK;
    for (int i = 0; status == DP_OK && read_state(file, m, d); ++i) {
        fputs(i > 0 ? ",\n" : "\n", stdout);
        status = print_state(m, d);
    }
    fclose(file);
    return status;
}

// No rows, for the comparison of motion; compare.py does the same to MuJoCo.
static void disable_rows(dp_spec *spec)
{
    dp_options *options = dp_spec_options(spec);
    options->disable_contact = options->disable_limits = options->disable_equality = true;
    for (int i = 0; i < dp_spec_joint_count(spec); ++i) {
        dp_spec_joint(spec, (dp_joint_id){i})->friction_loss = 0.0;
    }
    for (int i = 0; i < dp_spec_tendon_count(spec); ++i) {
        dp_spec_tendon(spec, (dp_tendon_id){i})->friction_loss = 0.0;
    }
}

// The same model and data anew, without rows.
static dp_status compile_without_rows(dp_model **m, dp_data **d, dp_spec *spec)
{
    disable_rows(spec);
    dp_data_destroy(*d);
    dp_model_destroy(*m);
    *d = NULL;
    dp_status status = dp_model_compile(m, spec);
    if (status == DP_OK) {
        status = dp_data_create(d, *m, NULL);
    }
    return status;
}

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 3) {
        fputs("usage: oracle_states MODEL [STATES]\n", stderr);
        return 2;
    }
    static const char *const allow[] = {"contact",  "limit",  "frictionloss",
                                        "equality", "tendon", "transmission"};
    dp_import_options options = dp_import_options_default();
    options.allow = allow;
    options.nallow = (int)(sizeof allow / sizeof allow[0]);
    options.allow_outside = true; // robots share meshes

    dp_spec *spec = NULL;
    dp_model *m = NULL;
    dp_data *d = NULL;
    dp_status status = dp_model_file_load(&spec, NULL, argv[1], &options);
    if (status == DP_OK) {
        status = dp_model_compile(&m, spec);
    }
    if (status == DP_OK) {
        status = dp_data_create(&d, m, NULL);
    }
    if (status == DP_OK) {
        status = print_model(spec, m, d);
    }
    if (status == DP_OK) {
        status = compile_without_rows(&m, &d, spec);
    }
    if (status == DP_OK) {
        fputs(",\n\"states\": [", stdout);
        status = argc > 2 ? print_states(argv[2], m, d) : DP_OK;
        fputs("]}\n", stdout);
    }
    if (status != DP_OK) {
        fprintf(stderr, "%s\n", dp_last_error());
    }
    dp_data_destroy(d);
    dp_model_destroy(m);
    dp_spec_destroy(spec);
    return status == DP_OK ? 0 : 1;
}
