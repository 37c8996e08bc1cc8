#include "run/run_motion.h"

#include "common/element_names.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double norm(dp_v3 a)
{
    return sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
}

cli_motion_seen cli_motion_begin(void)
{
    return (cli_motion_seen){.geom = {{-1}, {-1}}};
}

void cli_motion_note(cli_motion_seen *seen, const dp_data *d)
{
    const int count = dp_data_contact_count(d);
    dp_v3 sum = {0.0, 0.0, 0.0};
    dp_geom_id pair[2] = {{-1}, {-1}};
    for (int i = 0; i < count; ++i) { // points between the same two geoms follow one another
        const dp_contact c = dp_data_contact(d, i);
        if (c.geom[0].index != pair[0].index || c.geom[1].index != pair[1].index) {
            sum = (dp_v3){0.0, 0.0, 0.0};
            pair[0] = c.geom[0], pair[1] = c.geom[1];
        }
        sum = (dp_v3){sum.x + c.force.x, sum.y + c.force.y, sum.z + c.force.z};
        const double force = norm(sum);
        if (force > seen->most_force) {
            seen->most_force = force;
            seen->time_of_force = dp_data_time(d);
            seen->geom[0] = pair[0], seen->geom[1] = pair[1];
        }
    }
}

// ---- where it is

// [deg] between the body's z axis and the world's.
static double tilt(dp_pose X)
{
    const double c = 1.0 - 2.0 * (X.q.x * X.q.x + X.q.y * X.q.y);
    return acos(fmax(-1.0, fmin(1.0, c))) * 180.0 / 3.14159265358979323846;
}

// What is less than a micrometre from 0 is there.
static double rounded(double x)
{
    return fabs(x) < 5e-7 ? 0.0 : x;
}

static void append(char *out, size_t size, const char *text)
{
    const size_t used = strlen(out);
    snprintf(out + used, size - used, "%s%s", used > 0 ? "; " : "", text);
}

// Bodies that float, else joints: the first few, and how many more there are.
static void pose_cells(cli_table *t, dp_data *d)
{
    const int most_bodies = 2, most_joints = 6;
    const dp_model *m = dp_data_model(d);
    const int njoint = dp_model_sizes(m)->njoint;
    char text[600] = "", one[400];
    int floating = 0, others = 0;
    for (int j = 0; j < njoint; ++j) {
        const dp_joint_info joint = dp_model_joint(m, (dp_joint_id){j});
        if (joint.kind == DP_JOINT_FREE && ++floating <= most_bodies) {
            const dp_pose X = dp_body_pose(d, joint.body);
            snprintf(one, sizeof one, "%.60s at (%.4g, %.4g, %.4g) m, tilted %.3g deg",
                     cli_body_label(m, joint.body).text, rounded(X.p.x), rounded(X.p.y),
                     rounded(X.p.z), tilt(X));
            append(text, sizeof text, one);
        }
    }
    for (int j = 0; j < njoint && floating == 0; ++j) {
        const dp_joint_info joint = dp_model_joint(m, (dp_joint_id){j});
        if (joint.nq == 1 && ++others <= most_joints) {
            snprintf(one, sizeof one, "%.40s %.4g %s", cli_label("joint", joint.name, j).text,
                     rounded(dp_data_q(d)[joint.q_index]),
                     joint.kind == DP_JOINT_SLIDE ? "m" : "rad");
            append(text, sizeof text, one);
        }
    }
    const int more = floating > 0 ? floating - most_bodies : others - most_joints;
    if (more > 0) {
        snprintf(one, sizeof one, "%d more", more);
        append(text, sizeof text, one);
    }
    if (text[0] != '\0') {
        cli_cell(t, "final pose");
        cli_cell(t, "%s", text);
    }
}

// ---- how fast

typedef struct fastest {
    double speed; // [m/s] of its origin
    dp_body_id body;
} fastest;

static fastest fastest_body(const dp_data *d)
{
    const int nbody = dp_model_sizes(dp_data_model(d))->nbody;
    fastest out = {0.0, {-1}};
    for (int b = 1; b < nbody; ++b) {
        const double speed = norm(dp_body_velocity(d, (dp_body_id){b}).v);
        if (speed > out.speed) {
            out = (fastest){speed, {b}};
        }
    }
    return out;
}

// ---- what its actuators do

typedef struct load {
    double force; // [N, N m]
    int actuator; // −1: there is none, or forces could not be evaluated
} load;

static load largest_load(dp_data *d)
{
    const int nu = dp_model_sizes(dp_data_model(d))->nu;
    load out = {0.0, -1};
    if (nu == 0 || dp_forward(d) != DP_OK) {
        return out;
    }
    const double *force = dp_data_actuator_force(d);
    for (int u = 0; u < nu; ++u) {
        if (out.actuator < 0 || fabs(force[u]) > fabs(out.force)) {
            out = (load){force[u], u};
        }
    }
    return out;
}

static const char *actuator_label(char out[400], const dp_model *m, int actuator)
{
    const dp_actuator_info info = dp_model_actuator(m, (dp_actuator_id){actuator});
    const char *joint = info.transmission == DP_TRANSMISSION_JOINT && info.name[0] == '\0'
                            ? dp_model_joint(m, info.joint).name
                            : "";
    snprintf(out, 400, "%s", joint[0] ? joint : cli_label("actuator", info.name, actuator).text);
    return out;
}

static const char *unit_of(const dp_model *m, int actuator)
{
    const dp_actuator_info info = dp_model_actuator(m, (dp_actuator_id){actuator});
    const bool turns = info.transmission == DP_TRANSMISSION_JOINT &&
                       dp_model_joint(m, info.joint).kind == DP_JOINT_HINGE;
    return turns ? "N m" : "N";
}

void cli_motion_cells(cli_table *t, const cli_motion_seen *seen, dp_data *d)
{
    const dp_model *m = dp_data_model(d);
    pose_cells(t, d);
    const fastest f = fastest_body(d);
    if (f.body.index >= 0) {
        cli_cell(t, "final speed");
        cli_cell(t, "%.3g m/s at most: %s", f.speed, cli_body_label(m, f.body).text);
    }
    if (seen->geom[0].index >= 0) {
        cli_cell(t, "contact force");
        cli_cell(t, "%.3g N at most: %s and %s, at t = %.6g s", seen->most_force,
                 cli_geom_label(m, seen->geom[0]).text, cli_geom_label(m, seen->geom[1]).text,
                 seen->time_of_force);
    }
    const load l = largest_load(d);
    if (l.actuator >= 0) {
        char name[400];
        cli_cell(t, "actuator load");
        cli_cell(t, "%.3g %s at most at the end: %s", fabs(l.force), unit_of(m, l.actuator),
                 actuator_label(name, m, l.actuator));
    }
}

void cli_motion_json(cli_json *j, const cli_motion_seen *seen, dp_data *d)
{
    const dp_model *m = dp_data_model(d);
    const fastest f = fastest_body(d);
    const load l = largest_load(d);
    char name[400];
    cli_json_open(j, "motion");
    cli_json_number(j, "final_speed", f.speed);
    cli_json_text(j, "fastest_body", f.body.index >= 0 ? cli_body_label(m, f.body).text : "");
    cli_json_number(j, "largest_contact_force", seen->most_force);
    cli_json_number(j, "largest_contact_force_time", seen->time_of_force);
    cli_json_array(j, "largest_contact_force_geoms");
    for (int side = 0; side < 2 && seen->geom[0].index >= 0; ++side) {
        cli_json_text(j, NULL, cli_geom_label(m, seen->geom[side]).text);
    }
    cli_json_end(j);
    cli_json_number(j, "final_actuator_load", l.force);
    cli_json_text(j, "loaded_actuator", l.actuator >= 0 ? actuator_label(name, m, l.actuator) : "");
    cli_json_close(j);
}
