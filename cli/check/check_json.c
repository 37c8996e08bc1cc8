// `dashpot check --json`: one object with everything that was found.
#include "check/checked.h"
#include "common/import_report.h"
#include "common/program.h"
#include "report/conserved.h"
#include "report/solid.h"

#include <dashpot/record.h>

#include <math.h>
#include <string.h>

static void json_vector(cli_json *json, const char *key, dp_v3 a)
{
    cli_json_numbers(json, key, (double[]){a.x, a.y, a.z}, 3);
}

static void json_inertia(cli_json *json, const char *key, cli_inertia I)
{
    cli_json_numbers(json, key, (double[]){I.xx, I.yy, I.zz, I.xy, I.xz, I.yz}, 6);
}

static void json_range(cli_json *json, const char *key, bool limited, const double range[2])
{
    if (limited) {
        cli_json_numbers(json, key, range, 2);
    } else {
        cli_json_null(json, key);
    }
}

// --- the mechanism ------------------------------------------------------------------------------

// Everything that moves, as one body in the reference configuration: world axes.
static cli_solid moving_solid(const dp_model *m, const dp_data *d)
{
    cli_solid sum = {0};
    for (int b = 1; b < dp_model_sizes(m)->nbody; ++b) {
        const dp_body_info body = dp_model_body(m, (dp_body_id){b});
        if (body.tree >= 0 && body.inertial.mass > 0.0) {
            dp_inertial placed = body.inertial;
            placed.frame = dp_inertial_pose(d, (dp_body_id){b});
            sum =
                sum.mass > 0.0 ? cli_solid_join(sum, cli_solid_of(&placed)) : cli_solid_of(&placed);
        }
    }
    return sum;
}

static void json_totals(cli_json *json, const cli_checked *c)
{
    const dp_model *m = c->scene.model;
    const dp_model_size *n = dp_model_sizes(m);
    const dp_options *options = dp_model_options(m);
    const cli_solid all = moving_solid(m, c->data);
    cli_json_count(json, "nq", n->nq);
    cli_json_count(json, "nv", n->nv);
    cli_json_count(json, "na", n->na);
    cli_json_count(json, "nu", n->nu);
    cli_json_number(json, "step", options->step);
    cli_json_text(json, "integrator", dp_integrator_name(options->integrator));
    json_vector(json, "gravity", options->gravity);
    cli_json_number(json, "mass", all.mass);
    json_vector(json, "com", all.com);
    json_inertia(json, "inertia", all.inertia);
}

static void json_bodies(cli_json *json, const dp_model *m)
{
    cli_json_array(json, "bodies");
    for (int i = 1; i < dp_model_sizes(m)->nbody; ++i) {
        const dp_body_info b = dp_model_body(m, (dp_body_id){i});
        const dp_quat q = b.inertial.frame.q;
        cli_json_open(json, NULL);
        cli_json_count(json, "id", i);
        cli_json_text(json, "name", b.name);
        cli_json_count(json, "parent", b.parent.index);
        cli_json_bool(json, "moves", b.tree >= 0);
        cli_json_number(json, "mass", b.inertial.mass);
        json_vector(json, "com", b.inertial.frame.p);
        json_inertia(json, "inertia", cli_inertia_about_com(&b.inertial));
        json_vector(json, "moments", b.inertial.moments);
        cli_json_numbers(json, "principal_axes", (double[]){q.w, q.x, q.y, q.z}, 4);
        cli_json_array(json, "joint_ids");
        for (int k = 0; k < b.njoint; ++k) {
            cli_json_count(json, NULL, dp_model_body_joint(m, (dp_body_id){i}, k).index);
        }
        cli_json_end(json);
        cli_json_close(json);
    }
    cli_json_end(json);
}

static void json_joints(cli_json *json, const dp_model *m, dp_spec *spec)
{
    cli_json_array(json, "joints");
    for (int i = 0; i < dp_model_sizes(m)->njoint; ++i) {
        const dp_joint_info j = dp_model_joint(m, (dp_joint_id){i});
        const dp_joint_spec *details = dp_spec_joint(spec, (dp_joint_id){i});
        cli_json_open(json, NULL);
        cli_json_count(json, "id", i);
        cli_json_text(json, "name", j.name);
        cli_json_text(json, "kind", dp_joint_kind_name(j.kind));
        cli_json_count(json, "body", j.body.index);
        cli_json_count(json, "q_index", j.q_index);
        cli_json_count(json, "v_index", j.v_index);
        json_vector(json, "anchor", j.anchor);
        if (j.nv == 1) {
            json_vector(json, "axis", j.axis);
        } else {
            cli_json_null(json, "axis");
        }
        json_range(json, "range", details->limited && j.kind != DP_JOINT_FREE, details->range);
        cli_json_number(json, "ref", j.ref);
        cli_json_number(json, "damping", j.damping);
        cli_json_number(json, "stiffness", j.stiffness);
        cli_json_number(json, "armature", j.armature);
        cli_json_number(json, "frictionloss", details->friction_loss);
        cli_json_close(json);
    }
    cli_json_end(json);
}

static void json_target(cli_json *json, const char *key, bool drives, int index)
{
    if (drives) {
        cli_json_count(json, key, index);
    } else {
        cli_json_null(json, key);
    }
}

static void json_actuators(cli_json *json, const dp_model *m, dp_spec *spec)
{
    cli_json_array(json, "actuators");
    for (int i = 0; i < dp_model_sizes(m)->nactuator; ++i) {
        const dp_actuator_info a = dp_model_actuator(m, (dp_actuator_id){i});
        const dp_actuator_spec *details = dp_spec_actuator(spec, (dp_actuator_id){i});
        cli_json_open(json, NULL);
        cli_json_count(json, "id", i);
        cli_json_text(json, "name", a.name);
        cli_json_text(json, "transmission", dp_transmission_name(a.transmission));
        json_target(json, "joint", a.transmission == DP_TRANSMISSION_JOINT, a.joint.index);
        json_target(json, "tendon", a.transmission == DP_TRANSMISSION_TENDON, a.tendon.index);
        json_target(json, "site", a.transmission == DP_TRANSMISSION_SITE, a.site.index);
        json_target(json, "body", a.transmission == DP_TRANSMISSION_BODY, a.body.index);
        cli_json_numbers(json, "gear", details->gear, 6);
        cli_json_numbers(json, "gain", details->gain, 3);
        cli_json_numbers(json, "bias", details->bias, 3);
        cli_json_bool(json, "activation", a.activation_index >= 0);
        json_range(json, "control_range", a.control_limited, a.control_range);
        json_range(json, "force_range", details->force_limited, details->force_range);
        cli_json_close(json);
    }
    cli_json_end(json);
}

static void json_sensors(cli_json *json, const dp_model *m, dp_spec *spec)
{
    cli_json_array(json, "sensors");
    for (int i = 0; i < dp_model_sizes(m)->nsensor; ++i) {
        const dp_sensor_info s = dp_model_sensor(m, (dp_sensor_id){i});
        cli_json_open(json, NULL);
        cli_json_count(json, "id", i);
        cli_json_text(json, "name", s.name);
        cli_json_text(json, "kind", dp_sensor_kind_name(s.kind));
        cli_json_count(json, "values", s.ndata);
        const dp_sensor_spec *details = dp_spec_sensor(spec, (dp_sensor_id){i});
        cli_json_text(json, "of", details->object ? details->object : "");
        cli_json_text(json, "relative_to", details->reference ? details->reference : "");
        cli_json_close(json);
    }
    cli_json_end(json);
}

static void json_meshes(cli_json *json, const dp_model *m)
{
    cli_json_array(json, "meshes");
    for (int i = 0; i < dp_model_sizes(m)->nmesh; ++i) {
        const dp_mesh_info mesh = dp_model_mesh(m, (dp_mesh_id){i});
        const cli_box box = cli_box_of_mesh(&mesh);
        cli_json_open(json, NULL);
        cli_json_count(json, "id", i);
        cli_json_text(json, "name", mesh.name);
        cli_json_count(json, "vertices", mesh.nvertex);
        cli_json_count(json, "triangles", mesh.nface);
        cli_json_count(json, "hull_triangles", mesh.nhull_face);
        cli_json_text(json, "inertia", dp_mesh_inertia_name(mesh.inertia));
        cli_json_text(json, "touches_by", cli_mesh_touches_by(m, i));
        if (mesh.measure > 0.0) {
            cli_json_number(json, mesh.inertia == DP_MESH_INERTIA_SHELL ? "area" : "volume",
                            mesh.measure);
        }
        json_vector(json, "low", box.low);
        json_vector(json, "high", box.high);
        cli_json_close(json);
    }
    cli_json_end(json);
}

static void json_expressions(cli_json *json, const char *name, const dp_expression *const e[3])
{
    cli_json_array(json, name);
    for (int k = 0; k < 3; ++k) {
        cli_json_text(json, NULL, e[k] ? dp_expression_text(e[k]) : "");
    }
    cli_json_end(json);
}

// What expressions prescribe; what is not given is "".
static void json_expressed(cli_json *json, const dp_model *m)
{
    cli_json_array(json, "forces");
    for (int i = 0; i < dp_model_sizes(m)->nforce; ++i) {
        const dp_force_info f = dp_model_force(m, (dp_force_id){i});
        cli_json_open(json, NULL);
        cli_json_count(json, "id", i);
        cli_json_text(json, "name", f.name);
        cli_json_count(json, "body", f.body.index);
        cli_json_count(json, "joint", f.joint.index);
        cli_json_bool(json, "local", f.local);
        json_expressions(json, "force", f.force);
        json_expressions(json, "torque", f.torque);
        cli_json_close(json);
    }
    cli_json_end(json);
    cli_json_array(json, "motions");
    for (int i = 0; i < dp_model_sizes(m)->nmotion; ++i) {
        const dp_motion_info o = dp_model_motion(m, (dp_motion_id){i});
        cli_json_open(json, NULL);
        cli_json_count(json, "id", i);
        cli_json_text(json, "name", o.name);
        cli_json_count(json, "body", o.body.index);
        cli_json_count(json, "joint", o.joint.index);
        json_expressions(json, "position", o.position);
        json_expressions(json, "rotation", o.rotation);
        cli_json_close(json);
    }
    cli_json_end(json);
}

static void json_constraints(cli_json *json, const dp_model *m, const dp_data *d)
{
    json_expressed(json, m);
    cli_json_array(json, "tendons");
    for (int i = 0; i < dp_model_sizes(m)->ntendon; ++i) {
        const dp_tendon_info tendon = dp_model_tendon(m, (dp_tendon_id){i});
        cli_json_open(json, NULL);
        cli_json_count(json, "id", i);
        cli_json_text(json, "name", tendon.name);
        cli_json_bool(json, "spatial", tendon.spatial);
        cli_json_count(json, "stations", tendon.nwrap);
        json_range(json, "range", tendon.limited, tendon.range);
        cli_json_number(json, "stiffness", tendon.stiffness);
        cli_json_number(json, "damping", tendon.damping);
        cli_json_close(json);
    }
    cli_json_end(json);
    cli_json_array(json, "equalities");
    for (int i = 0; i < dp_model_sizes(m)->nequality; ++i) {
        const dp_equality_info e = dp_model_equality(m, (dp_equality_id){i});
        cli_json_open(json, NULL);
        cli_json_count(json, "id", i);
        cli_json_text(json, "name", e.name);
        cli_json_text(json, "kind", dp_equality_kind_name(e.kind));
        cli_json_numbers(json, "objects", (double[]){e.object[0], e.object[1]}, 2);
        cli_json_bool(json, "active", e.active);
        if (isfinite(e.bearing.stiffness)) {
            cli_json_number(json, "stiffness", e.bearing.stiffness);
            cli_json_number(json, "damping", e.bearing.damping);
        } else {
            cli_json_null(json, "stiffness");
            cli_json_null(json, "damping");
        }
        double gap[6];
        int n = 0, row;
        while ((row = dp_data_find_row(d, DP_ROW_SOURCE_EQUALITY, i, n)) >= 0 && n < 6) {
            gap[n++] = dp_data_row(d, row).start_gap;
        }
        cli_json_numbers(json, "gap", gap, n);
        cli_json_close(json);
    }
    cli_json_end(json);
    cli_json_array(json, "rows");
    for (int i = 0; i < dp_data_row_count(d); ++i) {
        const dp_row_info row = dp_data_row(d, i);
        cli_json_open(json, NULL);
        cli_json_text(json, "source", dp_row_source_name(row.source));
        cli_json_count(json, "element", row.element);
        cli_json_count(json, "component", row.component);
        cli_json_number(json, "gap", row.start_gap);
        cli_json_number(json, "rate", row.start_rate);
        cli_json_number(json, "force", row.force);
        cli_json_close(json);
    }
    cli_json_end(json);
}

// --- what to make of it -------------------------------------------------------------------------

static void json_verdict(cli_json *json, const cli_checked *c)
{
    cli_json_bool(json, "can_be_simulated", c->missing.count == 0);
    if (c->strict) {
        cli_json_count(json, "objections", c->objections);
    }
    cli_json_array(json, "missing");
    for (int i = 0; i < c->missing.count; ++i) {
        cli_json_open(json, NULL);
        cli_json_text(json, "feature", c->missing.item[i].feature);
        cli_json_text(json, "message", c->missing.item[i].message);
        cli_json_close(json);
    }
    cli_json_end(json);
    cli_json_array(json, "warnings");
    for (int i = 0; i < c->warnings.count; ++i) {
        const cli_warning *w = &c->warnings.item[i];
        cli_json_open(json, NULL);
        cli_json_text(json, "code", w->code);
        cli_json_text(json, "message", w->text);
        cli_json_text(json, "advice", w->advice);
        cli_json_close(json);
    }
    cli_json_end(json);
}

static void json_counts(cli_json *json, const dp_import_report *report)
{
    int count[4];
    cli_count_verdicts(count, report);
    cli_json_open(json, "import");
    cli_json_count(json, "used", count[DP_IMPORT_VERDICT_USED]);
    cli_json_count(json, "approximated", count[DP_IMPORT_VERDICT_APPROXIMATED]);
    cli_json_count(json, "ignored", count[DP_IMPORT_VERDICT_IGNORED]);
    cli_json_count(json, "refused", count[DP_IMPORT_VERDICT_REFUSED]);
    cli_json_close(json);
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

// Bounds that are infinite are left out.
static void json_parameters(cli_json *json, const dp_model *m)
{
    cli_json_array(json, "parameters");
    for (int i = 0; i < dp_model_parameter_count(m); ++i) {
        const dp_parameter_info p = dp_model_parameter(m, (dp_parameter_id){i});
        cli_json_open(json, NULL);
        cli_json_text(json, "name", p.name);
        cli_json_number(json, "value", p.value);
        cli_json_text(json, "unit", p.unit);
        if (isfinite(p.lower)) {
            cli_json_number(json, p.lower_open ? "above" : "lower", p.lower);
        }
        if (isfinite(p.upper)) {
            cli_json_number(json, "upper", p.upper);
        }
        cli_json_close(json);
    }
    cli_json_end(json);
}

void cli_print_check_json(const cli_checked *c, bool channels, bool parameters)
{
    const dp_model *m = c->scene.model;
    cli_json json = {0};
    cli_json_open(&json, NULL);
    cli_json_text(&json, "version", dp_version());
    cli_json_text(&json, "scene", c->path);
    cli_json_text(&json, "title", dp_model_title(m));
    json_verdict(&json, c);
    json_totals(&json, c);
    json_bodies(&json, m);
    json_joints(&json, m, c->scene.spec);
    json_actuators(&json, m, c->scene.spec);
    json_sensors(&json, m, c->scene.spec);
    cli_json_array(&json, "keyframes");
    for (int i = 0; i < dp_model_sizes(m)->nkey; ++i) {
        cli_json_text(&json, NULL, dp_model_key_name(m, (dp_key_id){i}));
    }
    cli_json_end(&json);
    json_meshes(&json, m);
    json_constraints(&json, m, c->data);
    cli_overlaps_json(&json, &c->overlaps, m);
    cli_json_materials(&json, m);
    if (c->contacts) {
        cli_json_contacts(&json, c);
    }
    if (c->forces) {
        cli_json_forces(&json, c);
    }
    if (channels) {
        cli_json_array(&json, "channels");
        dp_channel_list(m, json_channel, &json);
        cli_json_end(&json);
    }
    if (parameters) {
        json_parameters(&json, m);
    }
    json_counts(&json, c->scene.report);
    cli_json_report(&json, &c->scene);
    cli_json_close(&json);
}

void cli_print_check_json_refusal(dp_status status)
{
    cli_json j = {0};
    cli_json_open(&j, NULL);
    cli_json_open(&j, "error");
    cli_json_text(&j, "status", dp_status_name(status != DP_OK ? status : DP_ERROR_ARGUMENT));
    cli_json_text(&j, "message", cli_first_complaint());
    cli_json_close(&j);
    cli_json_close(&j);
}
