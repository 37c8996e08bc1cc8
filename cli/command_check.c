// `dashpot check`: what is in a model file.
#include "arguments.h"
#include "conserved.h"
#include "json.h"
#include "program.h"
#include "scene.h"
#include "table.h"
#include "warnings.h"

#include <dashpot/record.h>

#include <stdio.h>
#include <stdlib.h>

typedef struct check_options {
    const char *model;
    bool json, channels;
    cli_allow allow;
} check_options;

static cli_parsed parse(check_options *o, int argc, char **argv)
{
    *o = (check_options){0};
    const cli_option option[] = {
        {"--channels", 0, CLI_FLAG, &o->channels, NULL,
         "list what can be recorded and plotted, and nothing else"},
        {"--allow", 0, CLI_LIST, &o->allow.features, "FEATURE",
         "go on without a feature that is not simulated, e.g. contact;\n"
         "may be repeated"},
        {"--allow-outside", 0, CLI_FLAG, &o->allow.outside, NULL,
         "let the model include files from outside its folder"},
        {"--package", 0, CLI_LIST, &o->allow.packages, "DIR",
         "look for package://NAME/… of a URDF file in DIR/NAME; may be\n"
         "repeated"},
        {"--floating", 0, CLI_FLAG, &o->allow.floating, NULL,
         "let the root of a URDF file float instead of fixing it"},
        {"--json", 0, CLI_FLAG, &o->json, NULL, "print one JSON object instead of tables"},
    };
    const cli_syntax syntax = {
        .command = "check",
        .arguments = "MODEL [options]",
        .argument = "MODEL",
        .about =
            "Read a model file (MJCF or URDF) and tell what is in it: what was made of each part "
            "of the\n"
            "file, bodies, joints, actuators, sensors and keyframes, and what to look out for.\n"
            "Exit code: 0 it can be simulated, 2 it cannot.",
        .option = option,
        .noption = sizeof option / sizeof option[0],
        .examples = "  dashpot check scenes/humanoid.xml\n"
                    "  dashpot check robot.xml --allow contact\n"
                    "  dashpot check scenes/urdf/gripper.urdf\n"
                    "  dashpot check scenes/double_pendulum.xml --channels\n"
                    "  dashpot check scenes/arm_7dof.xml --json | jq .bodies\n",
    };
    return cli_parse(&o->model, &syntax, argc, argv);
}

// "1 body", "2 bodies"
static void put_count(int n, const char *one, const char *many, const char *after)
{
    printf("%d %s%s", n, n == 1 ? one : many, after);
}

// Round-off beside a length of one looks like what it is: nothing.
static double tidy(double x)
{
    return x > -1e-15 && x < 1e-15 ? 0.0 : x;
}

static const char *body_label(char number[16], const dp_model *m, dp_body_id body)
{
    return body.index == 0 ? "world" : cli_label(number, dp_model_body(m, body).name, body.index);
}

// --- tables -----------------------------------------------------------------------------------

static void print_bodies(const dp_model *m)
{
    static const char *const heading[] = {"body", "in", ">mass [kg]", ">centre of mass [m]",
                                          ">principal moments [kg m2]"};
    cli_table t = cli_table_new(5, heading);
    char own[16], other[16];
    for (int i = 1; i < dp_model_sizes(m)->nbody; ++i) {
        const dp_body_info b = dp_model_body(m, (dp_body_id){i});
        const dp_v3 c = b.inertial.frame.p, I = b.inertial.moments;
        cli_cell(&t, "%s", cli_label(own, b.name, i));
        cli_cell(&t, "%s", body_label(other, m, b.parent));
        cli_cell(&t, "%.4g", b.inertial.mass);
        cli_cell(&t, "%.4g %.4g %.4g", tidy(c.x), tidy(c.y), tidy(c.z));
        cli_cell(&t, "%.3g %.3g %.3g", I.x, I.y, I.z);
    }
    putchar('\n');
    cli_table_print(&t);
}

static void print_joints(const dp_model *m)
{
    static const char *const heading[] = {"joint", "kind",     "of body",    ">q",
                                          ">v",    ">damping", ">stiffness", ">armature"};
    cli_table t = cli_table_new(8, heading);
    char own[16], other[16];
    for (int i = 0; i < dp_model_sizes(m)->njoint; ++i) {
        const dp_joint_info j = dp_model_joint(m, (dp_joint_id){i});
        cli_cell(&t, "%s", cli_label(own, j.name, i));
        cli_cell(&t, "%s", dp_joint_kind_name(j.kind));
        cli_cell(&t, "%s", body_label(other, m, j.body));
        if (j.nq == 1) {
            cli_cell(&t, "%d", j.q_index);
            cli_cell(&t, "%d", j.v_index);
        } else {
            cli_cell(&t, "%d-%d", j.q_index, j.q_index + j.nq - 1);
            cli_cell(&t, "%d-%d", j.v_index, j.v_index + j.nv - 1);
        }
        cli_cell(&t, "%.4g", j.damping);
        cli_cell(&t, "%.4g", j.stiffness);
        cli_cell(&t, "%.4g", j.armature);
    }
    putchar('\n');
    cli_table_print(&t);
}

// What an actuator is, in the words of MJCF.
static void describe_actuator(char *out, size_t size, const dp_actuator_spec *a)
{
    const bool constant_gain = a->gain[1] == 0.0 && a->gain[2] == 0.0;
    if (constant_gain && a->bias[0] == 0.0 && a->bias[1] == 0.0 && a->bias[2] == 0.0) {
        snprintf(out, size, a->gain[0] == 1.0 ? "motor" : "motor, gain %.4g", a->gain[0]);
    } else if (constant_gain && a->bias[0] == 0.0 && a->bias[1] == -a->gain[0]) {
        snprintf(out, size, "position, kp %.4g, kv %.4g", a->gain[0],
                 a->bias[2] == 0.0 ? 0.0 : -a->bias[2]);
    } else if (constant_gain && a->bias[0] == 0.0 && a->bias[1] == 0.0 &&
               a->bias[2] == -a->gain[0]) {
        snprintf(out, size, "velocity, kv %.4g", a->gain[0]);
    } else {
        snprintf(out, size, "general");
    }
}

// What an actuator drives: the name of a joint, or which tendon or site.
static void describe_target(char *out, size_t size, const dp_model *m, const dp_actuator_info *a)
{
    char number[16];
    switch (a->transmission) {
    case DP_DRIVES_JOINT:
        snprintf(out, size, "%s",
                 cli_label(number, dp_model_joint(m, a->joint).name, a->joint.index));
        break;
    case DP_DRIVES_TENDON:
        snprintf(out, size, "tendon %s",
                 cli_label(number, dp_model_tendon(m, a->tendon).name, a->tendon.index));
        break;
    case DP_DRIVES_SITE:
        snprintf(out, size, "site %s",
                 cli_label(number, dp_model_site(m, a->site).name, a->site.index));
        break;
    }
}

static void print_actuators(const dp_model *m, dp_spec *spec)
{
    static const char *const heading[] = {"actuator", "on joint",      "kind",
                                          ">gear",    "control range", "activation"};
    cli_table t = cli_table_new(6, heading);
    char own[16];
    for (int i = 0; i < dp_model_sizes(m)->nactuator; ++i) {
        const dp_actuator_info a = dp_model_actuator(m, (dp_actuator_id){i});
        char target[160] = "";
        describe_target(target, sizeof target, m, &a);
        cli_cell(&t, "%s", cli_label(own, a.name, i));
        cli_cell(&t, "%s", target);
        char kind[80];
        const dp_actuator_spec *details = dp_spec_actuator(spec, (dp_actuator_id){i});
        describe_actuator(kind, sizeof kind, details);
        cli_cell(&t, "%s", kind);
        cli_cell(&t, "%.4g", details->gear[0]);
        if (a.control_limited) {
            cli_cell(&t, "%g … %g", a.control_range[0], a.control_range[1]);
        } else {
            cli_cell(&t, "any");
        }
        cli_cell(&t, "%s", a.activation_index >= 0 ? "yes" : "no");
    }
    putchar('\n');
    cli_table_print(&t);
}

static void print_sensors(const dp_model *m)
{
    static const char *const heading[] = {"sensor", "kind", ">values"};
    cli_table t = cli_table_new(3, heading);
    char own[16];
    for (int i = 0; i < dp_model_sizes(m)->nsensor; ++i) {
        const dp_sensor_info s = dp_model_sensor(m, (dp_sensor_id){i});
        cli_cell(&t, "%s", cli_label(own, s.name, i));
        cli_cell(&t, "%s", dp_sensor_kind_name(s.kind));
        cli_cell(&t, "%d", s.ndata);
    }
    putchar('\n');
    cli_table_print(&t);
}

static void print_warning(void *context, const char *warning)
{
    int *count = context;
    printf("%s  %s\n", (*count)++ == 0 ? "\nTo look out for\n" : "", warning);
}

static void print_text(const check_options *o, const cli_scene *scene, dp_data *d)
{
    const dp_model *m = scene->model;
    const dp_model_size *n = dp_model_sizes(m);
    const dp_options *options = dp_model_options(m);
    const dp_momentum all = cli_total_momentum(m, d);
    const char *title = dp_model_title(m);
    printf("%s%s%s\n", o->model, title[0] != '\0' ? ": " : "", title);
    fputs("  ", stdout);
    put_count(n->nbody - 1, "body", "bodies", ", ");
    put_count(n->njoint, "joint", "joints", ", ");
    put_count(n->nv, "degree of freedom", "degrees of freedom", ", ");
    put_count(n->nactuator, "actuator", "actuators", ", ");
    put_count(n->nsensor, "sensor", "sensors", ", ");
    put_count(n->nkey, "keyframe", "keyframes", "\n");
    printf("  moving mass %.6g kg, centre of mass at %.4g %.4g %.4g m\n", all.mass, tidy(all.com.x),
           tidy(all.com.y), tidy(all.com.z));
    printf("  step %g s, %s; gravity %g %g %g m/s2%s\n", options->step,
           cli_integrator_name(options->integrator), options->gravity.x, options->gravity.y,
           options->gravity.z, options->disable_gravity ? " (disabled)" : "");
    putchar('\n');
    cli_print_report(scene->report);
    if (n->nbody > 1) {
        print_bodies(m);
    }
    if (n->njoint > 0) {
        print_joints(m);
    }
    if (n->nactuator > 0) {
        print_actuators(m, scene->spec);
    }
    if (n->nsensor > 0) {
        print_sensors(m);
    }
    if (n->nkey > 0) {
        fputs("\n  keyframes", stdout);
        for (int i = 0; i < n->nkey; ++i) {
            char number[16];
            printf("%s %s", i == 0 ? "" : ",",
                   cli_label(number, dp_model_key_name(m, (dp_key_id){i}), i));
        }
        putchar('\n');
    }
    int warnings = 0;
    cli_warnings(scene->spec, m, d, print_warning, &warnings);
}

// --- JSON -------------------------------------------------------------------------------------

static void json_vector(cli_json *json, const char *key, dp_v3 a)
{
    cli_json_numbers(json, key, (double[]){a.x, a.y, a.z}, 3);
}

static void json_bodies(cli_json *json, const dp_model *m)
{
    cli_json_array(json, "bodies");
    for (int i = 1; i < dp_model_sizes(m)->nbody; ++i) {
        const dp_body_info b = dp_model_body(m, (dp_body_id){i});
        cli_json_open(json, NULL);
        cli_json_count(json, "id", i);
        cli_json_text(json, "name", b.name);
        cli_json_count(json, "parent", b.parent.index);
        cli_json_number(json, "mass", b.inertial.mass);
        json_vector(json, "com", b.inertial.frame.p);
        json_vector(json, "moments", b.inertial.moments);
        cli_json_close(json);
    }
    cli_json_end(json);
}

static void json_joints(cli_json *json, const dp_model *m)
{
    cli_json_array(json, "joints");
    for (int i = 0; i < dp_model_sizes(m)->njoint; ++i) {
        const dp_joint_info j = dp_model_joint(m, (dp_joint_id){i});
        cli_json_open(json, NULL);
        cli_json_count(json, "id", i);
        cli_json_text(json, "name", j.name);
        cli_json_text(json, "kind", dp_joint_kind_name(j.kind));
        cli_json_count(json, "body", j.body.index);
        cli_json_count(json, "q_index", j.q_index);
        cli_json_count(json, "v_index", j.v_index);
        cli_json_number(json, "damping", j.damping);
        cli_json_number(json, "stiffness", j.stiffness);
        cli_json_number(json, "armature", j.armature);
        cli_json_close(json);
    }
    cli_json_end(json);
}

static void json_actuators(cli_json *json, const dp_model *m)
{
    cli_json_array(json, "actuators");
    for (int i = 0; i < dp_model_sizes(m)->nactuator; ++i) {
        const dp_actuator_info a = dp_model_actuator(m, (dp_actuator_id){i});
        cli_json_open(json, NULL);
        cli_json_count(json, "id", i);
        cli_json_text(json, "name", a.name);
        cli_json_text(json, "transmission", dp_transmission_name(a.transmission));
        if (a.transmission == DP_DRIVES_JOINT) {
            cli_json_count(json, "joint", a.joint.index);
        } else {
            cli_json_null(json, "joint");
        }
        if (a.control_limited) {
            cli_json_numbers(json, "control_range", a.control_range, 2);
        } else {
            cli_json_null(json, "control_range");
        }
        cli_json_close(json);
    }
    cli_json_end(json);
}

static void json_sensors(cli_json *json, const dp_model *m)
{
    cli_json_array(json, "sensors");
    for (int i = 0; i < dp_model_sizes(m)->nsensor; ++i) {
        const dp_sensor_info s = dp_model_sensor(m, (dp_sensor_id){i});
        cli_json_open(json, NULL);
        cli_json_count(json, "id", i);
        cli_json_text(json, "name", s.name);
        cli_json_text(json, "kind", dp_sensor_kind_name(s.kind));
        cli_json_count(json, "values", s.ndata);
        cli_json_close(json);
    }
    cli_json_end(json);
}

static bool json_channel(void *context, const char *name, const char *unit)
{
    cli_json *json = context;
    cli_json_open(json, NULL);
    cli_json_text(json, "name", name);
    cli_json_text(json, "unit", unit);
    cli_json_close(json);
    return true;
}

static void json_warning(void *context, const char *warning)
{
    cli_json_text(context, NULL, warning);
}

static void print_json(const check_options *o, const cli_scene *scene, const cli_missing *missing,
                       dp_data *d)
{
    const dp_model *m = scene->model;
    const dp_model_size *n = dp_model_sizes(m);
    const dp_momentum all = cli_total_momentum(m, d);
    cli_json json = {0};
    cli_json_open(&json, NULL);
    cli_json_text(&json, "version", dp_version());
    cli_json_text(&json, "scene", o->model);
    cli_json_text(&json, "title", dp_model_title(m));
    cli_json_count(&json, "nq", n->nq);
    cli_json_count(&json, "nv", n->nv);
    cli_json_count(&json, "na", n->na);
    cli_json_count(&json, "nu", n->nu);
    cli_json_number(&json, "step", dp_model_options(m)->step);
    cli_json_text(&json, "integrator", cli_integrator_name(dp_model_options(m)->integrator));
    json_vector(&json, "gravity", dp_model_options(m)->gravity);
    cli_json_number(&json, "mass", all.mass);
    json_vector(&json, "com", all.com);
    json_bodies(&json, m);
    json_joints(&json, m);
    json_actuators(&json, m);
    json_sensors(&json, m);
    cli_json_array(&json, "keyframes");
    for (int i = 0; i < n->nkey; ++i) {
        cli_json_text(&json, NULL, dp_model_key_name(m, (dp_key_id){i}));
    }
    cli_json_end(&json);
    if (o->channels) {
        cli_json_array(&json, "channels");
        dp_channel_list(m, json_channel, &json);
        cli_json_end(&json);
    }
    cli_json_array(&json, "missing");
    for (int i = 0; i < missing->count; ++i) {
        cli_json_text(&json, NULL, missing->name[i]);
    }
    cli_json_end(&json);
    cli_json_array(&json, "warnings");
    cli_warnings(scene->spec, m, d, json_warning, &json);
    cli_json_end(&json);
    cli_json_report(&json, scene->report);
    cli_json_close(&json);
}

// --- the command --------------------------------------------------------------------------------

static bool add_channel(void *context, const char *name, const char *unit)
{
    cli_table *t = context;
    cli_cell(t, "%s", name);
    cli_cell(t, "%s", unit);
    return true;
}

static int check_model(const check_options *o, cli_scene *scene, dp_data **d)
{
    cli_missing missing;
    if (cli_scene_load_anyway(scene, &missing, o->model, &o->allow) != DP_OK) {
        cli_complain("%s", missing.count > 0 ? missing.message : dp_last_error());
        return CLI_USAGE;
    }
    if (dp_data_create(d, scene->model, NULL) != DP_OK ||
        dp_kinematics(scene->model, *d) != DP_OK) {
        cli_complain("%s", dp_last_error());
        return CLI_FAILED;
    }
    if (o->json) {
        print_json(o, scene, &missing, *d);
    } else if (o->channels) {
        static const char *const heading[] = {"channel", "unit"};
        cli_table t = cli_table_new(2, heading);
        dp_channel_list(scene->model, add_channel, &t);
        cli_table_print(&t);
    } else {
        print_text(o, scene, *d);
        for (int i = 0; i < missing.count; ++i) {
            printf("%s --allow %s", i == 0 ? "\nIt runs only without what is refused:" : "",
                   missing.name[i]);
        }
        fputs(missing.count > 0 ? "\n" : "", stdout);
    }
    if (missing.count > 0) {
        cli_complain("%s", missing.message);
        return CLI_USAGE;
    }
    return CLI_OK;
}

int cli_check(int argc, char **argv)
{
    check_options o;
    cli_scene scene = {0};
    dp_data *d = NULL;
    int code = CLI_OK;
    switch (parse(&o, argc, argv)) {
    case CLI_PARSED:
        code = check_model(&o, &scene, &d);
        break;
    case CLI_PARSED_HELP:
        break;
    case CLI_PARSED_BADLY:
        code = CLI_USAGE;
        break;
    }
    dp_data_destroy(d);
    cli_scene_destroy(&scene);
    free(o.allow.features.item);
    free(o.allow.packages.item);
    return code;
}
