// What Dashpot makes of a model file, as JSON, for compare.mjs to hold against another program.
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

static dp_status print_forces(const dp_model *m, dp_data *d)
{
    const dp_model_size *n = dp_model_sizes(m);
    const int nv = n->nv;
    double *M = calloc((size_t)nv * (size_t)nv + 1, sizeof *M);
    double *c = calloc((size_t)nv + 1, sizeof *c);
    dp_status status = DP_ERROR_MEMORY;
    if (M == NULL || c == NULL) {
        goto cleanup;
    }
    status = dp_sense(d);
    if (status != DP_OK) {
        goto cleanup;
    }
    putchar(',');
    print_numbers("acceleration", dp_data_acceleration(d), nv);
    fputs(",\n", stdout);
    print_numbers("passive", dp_data_passive(d), nv);
    fputs(",\n", stdout);
    print_numbers("actuation", dp_data_actuation(d), nv);
    fputs(",\n", stdout);
    print_numbers("actuator_force", dp_data_actuator_force(d), n->nu);
    fputs(",\n", stdout);
    print_numbers("sensors", dp_data_sensors(d), n->nsensordata);
    fputs(",\n", stdout);
    status = dp_mass_matrix(M, d);
    if (status == DP_OK) {
        status = dp_bias_force(c, d);
    }
    print_numbers("M", M, nv * nv);
    fputs(",\n", stdout);
    print_numbers("bias", c, nv);
cleanup:
    free(M);
    free(c);
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

// What is left of both engines for the comparison of motion: no rows, no forces of tendons, and
// actuators on joints alone. compare.mjs does the same to MuJoCo.
static void quieten(dp_spec *spec)
{
    dp_options *options = dp_spec_options(spec);
    options->disable_contact = options->disable_limits = options->disable_equality = true;
    for (int i = 0; i < dp_spec_joint_count(spec); ++i) {
        dp_spec_joint(spec, (dp_joint_id){i})->friction_loss = 0.0;
    }
    for (int i = 0; i < dp_spec_tendon_count(spec); ++i) {
        dp_tendon_spec *t = dp_spec_tendon(spec, (dp_tendon_id){i});
        t->stiffness = t->damping = t->friction_loss = t->armature = 0.0;
    }
    for (int i = 0; i < dp_spec_actuator_count(spec); ++i) {
        dp_actuator_spec *a = dp_spec_actuator(spec, (dp_actuator_id){i});
        if (a->transmission != DP_TRANSMISSION_JOINT) {
            memset(a->gain, 0, sizeof a->gain);
            memset(a->bias, 0, sizeof a->bias);
            a->damping_ratio = 0.0;
        }
    }
}

// The same model and data anew, quietened.
static dp_status compile_quietly(dp_model **m, dp_data **d, dp_spec *spec)
{
    quieten(spec);
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
        status = compile_quietly(&m, &d, spec);
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
