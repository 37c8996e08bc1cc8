// What is in a model, as tables.
#include "check/checked.h"
#include "common/element_names.h"
#include "common/table.h"
#include "common/text.h"
#include "report/rows_at_start.h"
#include "report/solid.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

double cli_tidy(double x)
{
    return fabs(x) < 1e-12 ? 0.0 : x;
}

// Beside a number of the size `scale`, round-off is nothing.
static double tidy_beside(double x, double scale)
{
    return fabs(x) < 1e-12 * scale ? 0.0 : x;
}

// Three numbers of a row, as briefly as `digits` allow.
static void add_three(cli_table *t, int digits, double x, double y, double z)
{
    cli_cell(t, "%s %s %s", cli_short(digits, x).text, cli_short(digits, y).text,
             cli_short(digits, z).text);
}

static cli_table list_bodies(const dp_model *m, int digits)
{
    static const char *const heading[] = {"~body", ">mass [kg]", ">centre of mass [m]",
                                          ">inertia xx yy zz [kg m2]", ">xy xz yz"};
    cli_table t = cli_table_new(5, heading);
    for (int i = 1; i < dp_model_sizes(m)->nbody; ++i) {
        const dp_body_info b = dp_model_body(m, (dp_body_id){i});
        const dp_v3 c = b.inertial.frame.p;
        const cli_inertia I = cli_inertia_about_com(&b.inertial);
        const double scale = I.xx + I.yy + I.zz;
        cli_cell(&t, "%s", cli_label("body", b.name, i).text);
        cli_cell(&t, "%s", cli_short(4, b.inertial.mass).text);
        add_three(&t, digits, cli_tidy(c.x), cli_tidy(c.y), cli_tidy(c.z));
        add_three(&t, digits < 3 ? digits : 3, I.xx, I.yy, I.zz);
        add_three(&t, digits < 3 ? digits : 3, tidy_beside(I.xy, scale), tidy_beside(I.xz, scale),
                  tidy_beside(I.yz, scale));
    }
    return t;
}

void cli_print_bodies(const dp_model *m)
{
    if (dp_model_sizes(m)->nbody < 2) {
        return;
    }
    const int readable = 16; // columns of a name
    int digits = 4;
    cli_table t = list_bodies(m, digits);
    while (!cli_table_fits(&t, readable) && digits > 2) {
        cli_table_destroy(&t);
        t = list_bodies(m, --digits);
    }
    putchar('\n');
    cli_table_print(&t);
}

// How the ends of a range give, in N m/rad or N/m.
static void add_limit(cli_table *t, const dp_joint_info *j)
{
    if (!j->limited) {
        cli_cell(t, "-");
    } else if (isfinite(j->limit.stiffness)) {
        cli_cell(t, "%s", cli_short(4, j->limit.stiffness).text);
    } else {
        cli_cell(t, "rigid");
    }
}

void cli_print_joints(const dp_model *m)
{
    const char *heading[] = {"~joint",   "kind",       "~of body",  ">q", ">v", ">ref",
                             ">damping", ">stiffness", ">armature", "",   ""};
    const int njoint = dp_model_sizes(m)->njoint;
    if (njoint == 0) {
        return;
    }
    // A column that says the same of all is no column.
    bool friction = false, limited = false;
    for (int i = 0; i < njoint; ++i) {
        const dp_joint_info j = dp_model_joint(m, (dp_joint_id){i});
        friction = friction || j.friction_loss > 0.0;
        limited = limited || j.limited;
    }
    int columns = 9;
    if (friction) {
        heading[columns++] = ">friction";
    }
    if (limited) {
        heading[columns++] = ">limit";
    }
    cli_table t = cli_table_new(columns, heading);
    for (int i = 0; i < njoint; ++i) {
        const dp_joint_info j = dp_model_joint(m, (dp_joint_id){i});
        cli_cell(&t, "%s", cli_label("joint", j.name, i).text);
        cli_cell(&t, "%s", dp_joint_kind_name(j.kind));
        cli_cell(&t, "%s", cli_body_label(m, j.body).text);
        if (j.nq == 1) {
            cli_cell(&t, "%d", j.q_index);
            cli_cell(&t, "%d", j.v_index);
        } else {
            cli_cell(&t, "%d-%d", j.q_index, j.q_index + j.nq - 1);
            cli_cell(&t, "%d-%d", j.v_index, j.v_index + j.nv - 1);
        }
        cli_cell(&t, "%s", cli_short(4, j.ref).text);
        cli_cell(&t, "%s", cli_short(4, j.damping).text);
        cli_cell(&t, "%s", cli_short(4, j.stiffness).text);
        cli_cell(&t, "%s", cli_short(4, j.armature).text);
        if (friction) {
            cli_cell(&t, "%s", cli_short(4, j.friction_loss).text);
        }
        if (limited) {
            add_limit(&t, &j);
        }
    }
    putchar('\n');
    cli_table_print(&t);
}

// What an actuator is, in the words of MJCF.
static void describe_actuator(char *out, size_t size, const dp_actuator_spec *a)
{
    const bool constant_gain = a->gain[1] == 0.0 && a->gain[2] == 0.0;
    if (a->muscle_gain || a->muscle_bias) {
        snprintf(out, size, "muscle");
    } else if (constant_gain && a->bias[0] == 0.0 && a->bias[1] == 0.0 && a->bias[2] == 0.0) {
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

// What an actuator drives: a joint, or which tendon or site.
static void add_target(cli_table *t, const dp_model *m, const dp_actuator_info *a)
{
    switch (a->transmission) {
    case DP_TRANSMISSION_JOINT:
        cli_cell(t, "%s",
                 cli_label("joint", dp_model_joint(m, a->joint).name, a->joint.index).text);
        return;
    case DP_TRANSMISSION_TENDON: {
        const char *name = dp_model_tendon(m, a->tendon).name;
        cli_cell(t, "%s%s", name[0] != '\0' ? "tendon " : "",
                 cli_label("tendon", name, a->tendon.index).text);
        return;
    }
    case DP_TRANSMISSION_SITE: {
        const char *name = dp_model_site(m, a->site).name;
        cli_cell(t, "%s%s", name[0] != '\0' ? "site " : "",
                 cli_label("site", name, a->site.index).text);
        return;
    }
    case DP_TRANSMISSION_BODY: {
        const char *name = dp_model_body(m, a->body).name;
        cli_cell(t, "%s%s", name[0] != '\0' ? "body " : "",
                 cli_label("body", name, a->body.index).text);
        return;
    }
    }
}

static void add_range(cli_table *t, bool limited, const double range[2])
{
    if (limited) {
        cli_cell(t, "%s … %s", cli_short(4, range[0]).text, cli_short(4, range[1]).text);
    } else {
        cli_cell(t, "any");
    }
}

void cli_print_actuators(const dp_model *m, dp_spec *spec)
{
    static const char *const heading[] = {"~actuator", "~on",   "kind",      ">gear",
                                          "control",   "force", "activation"};
    if (dp_model_sizes(m)->nactuator == 0) {
        return;
    }
    // A column that says the same of all is no column.
    const bool active = dp_model_sizes(m)->na > 0;
    cli_table t = cli_table_new(active ? 7 : 6, heading);
    for (int i = 0; i < dp_model_sizes(m)->nactuator; ++i) {
        const dp_actuator_info a = dp_model_actuator(m, (dp_actuator_id){i});
        const dp_actuator_spec *details = dp_spec_actuator(spec, (dp_actuator_id){i});
        char kind[80];
        describe_actuator(kind, sizeof kind, details);
        cli_cell(&t, "%s", cli_label("actuator", a.name, i).text);
        add_target(&t, m, &a);
        cli_cell(&t, "%s", kind);
        cli_cell(&t, "%s", cli_short(4, details->gear[0]).text);
        add_range(&t, a.control_limited, a.control_range);
        add_range(&t, details->force_limited, details->force_range);
        if (active) {
            cli_cell(&t, "%s", a.activation_index >= 0 ? "yes" : "no");
        }
    }
    putchar('\n');
    cli_table_print(&t);
}

void cli_print_sensors(const dp_model *m, dp_spec *spec)
{
    static const char *const heading[] = {"~sensor", "kind", ">values", "~of", "~relative to"};
    if (dp_model_sizes(m)->nsensor == 0) {
        return;
    }
    cli_table t = cli_table_new(5, heading);
    for (int i = 0; i < dp_model_sizes(m)->nsensor; ++i) {
        const dp_sensor_info s = dp_model_sensor(m, (dp_sensor_id){i});
        const dp_sensor_spec *details = dp_spec_sensor(spec, (dp_sensor_id){i});
        cli_cell(&t, "%s", cli_label("sensor", s.name, i).text);
        cli_cell(&t, "%s", dp_sensor_kind_name(s.kind));
        cli_cell(&t, "%d", s.ndata);
        cli_cell(&t, "%s", details->object ? details->object : "");
        cli_cell(&t, "%s", details->reference ? details->reference : "");
    }
    putchar('\n');
    cli_table_print(&t);
}

// --- meshes and height fields -------------------------------------------------------------------

const char *cli_mesh_touches_by(const dp_model *m, int mesh)
{
    static const char *const by[] = {"-", "hull", "triangles", "both"};
    int touches = 0;
    for (int g = 0; g < dp_model_sizes(m)->ngeom; ++g) {
        const dp_geom_info geom = dp_model_geom(m, (dp_geom_id){g});
        if (geom.kind == DP_GEOM_MESH && geom.mesh.index == mesh) {
            touches |= (int)geom.mesh_contact; // hull 1, triangles 2
        }
    }
    return by[touches];
}

static void print_meshes(const dp_model *m)
{
    static const char *const heading[] = {"~mesh",   ">vertices",  ">triangles",  ">of hull",
                                          "inertia", "touches by", ">extent [m]", ">volume"};
    cli_table t = cli_table_new(8, heading);
    for (int i = 0; i < dp_model_sizes(m)->nmesh; ++i) {
        const dp_mesh_info mesh = dp_model_mesh(m, (dp_mesh_id){i});
        const cli_box box = cli_box_of_mesh(&mesh);
        cli_cell(&t, "%s", cli_label("mesh", mesh.name, i).text);
        cli_cell(&t, "%d", mesh.nvertex);
        cli_cell(&t, "%d", mesh.nface);
        if (mesh.nhull_vertex > 0) {
            cli_cell(&t, "%d", mesh.nhull_face);
        } else {
            cli_cell(&t, "-");
        }
        cli_cell(&t, "%s", dp_mesh_inertia_name(mesh.inertia));
        cli_cell(&t, "%s", cli_mesh_touches_by(m, i));
        cli_cell(&t, "%.3g %.3g %.3g", box.high.x - box.low.x, box.high.y - box.low.y,
                 box.high.z - box.low.z);
        if (mesh.measure > 0.0) {
            cli_cell(&t, "%.3g %s", mesh.measure,
                     mesh.inertia == DP_MESH_INERTIA_SHELL ? "m2" : "m3");
        } else {
            cli_cell(&t, "-");
        }
    }
    putchar('\n');
    cli_table_print(&t);
}

static void print_hfields(const dp_model *m)
{
    static const char *const heading[] = {"~height field", ">rows", ">columns", ">size x y [m]",
                                          ">height [m]"};
    cli_table t = cli_table_new(5, heading);
    for (int i = 0; i < dp_model_sizes(m)->nhfield; ++i) {
        const dp_hfield_info field = dp_model_hfield(m, (dp_hfield_id){i});
        cli_cell(&t, "%s", cli_label("height field", field.name, i).text);
        cli_cell(&t, "%d", field.nrow);
        cli_cell(&t, "%d", field.ncol);
        cli_cell(&t, "%.4g %.4g", 2.0 * field.size[0], 2.0 * field.size[1]);
        cli_cell(&t, "%.4g", field.elevation ? field.size[2] : 0.0);
    }
    putchar('\n');
    cli_table_print(&t);
}

void cli_print_assets(const dp_model *m)
{
    if (dp_model_sizes(m)->nmesh > 0) {
        print_meshes(m);
    }
    if (dp_model_sizes(m)->nhfield > 0) {
        print_hfields(m);
    }
}

// --- tendons and equalities ---------------------------------------------------------------------

static void print_tendons(const dp_model *m)
{
    static const char *const heading[] = {"~tendon",   "kind",       ">stations",
                                          "range [m]", ">stiffness", ">damping"};
    cli_table t = cli_table_new(6, heading);
    for (int i = 0; i < dp_model_sizes(m)->ntendon; ++i) {
        const dp_tendon_info tendon = dp_model_tendon(m, (dp_tendon_id){i});
        cli_cell(&t, "%s", cli_label("tendon", tendon.name, i).text);
        cli_cell(&t, "%s", tendon.spatial ? "spatial" : "fixed");
        cli_cell(&t, "%d", tendon.nwrap);
        add_range(&t, tendon.limited, tendon.range);
        cli_cell(&t, "%.4g", tendon.stiffness);
        cli_cell(&t, "%.4g", tendon.damping);
    }
    putchar('\n');
    cli_table_print(&t);
}

static void add_object(cli_table *t, const dp_model *m, dp_equality_kind kind, int object)
{
    cli_name label = cli_label("", "-", 0);
    if (object >= 0 && kind == DP_EQUALITY_JOINT) {
        label = cli_label("joint", dp_model_joint(m, (dp_joint_id){object}).name, object);
    } else if (object >= 0 && kind == DP_EQUALITY_TENDON) {
        label = cli_label("tendon", dp_model_tendon(m, (dp_tendon_id){object}).name, object);
    } else if (object >= 0) {
        label = cli_body_label(m, (dp_body_id){object});
    }
    cli_cell(t, "%s", label.text);
}

static void add_stiffness(cli_table *t, const dp_bearing *bearing)
{
    if (isfinite(bearing->stiffness)) {
        cli_cell(t, "%s", cli_short(4, bearing->stiffness).text);
        cli_cell(t, "%s", cli_short(4, bearing->damping).text);
    } else {
        cli_cell(t, "rigid");
        cli_cell(t, "-");
    }
}

static void print_equalities(const dp_model *m, const dp_data *d)
{
    static const char *const heading[] = {"~equality",  "kind",     "~of",  "~and",
                                          ">stiffness", ">damping", ">gap", "active"};
    cli_table t = cli_table_new(8, heading);
    for (int i = 0; i < dp_model_sizes(m)->nequality; ++i) {
        const dp_equality_info e = dp_model_equality(m, (dp_equality_id){i});
        cli_cell(&t, "%s", cli_label("equality", e.name, i).text);
        cli_cell(&t, "%s", dp_equality_kind_name(e.kind));
        add_object(&t, m, e.kind, e.object[0]);
        add_object(&t, m, e.kind, e.object[1]);
        add_stiffness(&t, &e.bearing);
        const cli_gap gap = cli_equality_gap(m, d, (dp_equality_id){i});
        cli_cell(&t, "%s", gap.there ? cli_short(3, cli_tidy(fabs(gap.gap))).text : "-");
        cli_cell(&t, "%s", e.active ? "yes" : "no");
    }
    putchar('\n');
    cli_table_print(&t);
}

// "rows at the start: 3 of equalities, 1 of a joint limit"
static void print_row_count(const dp_data *d)
{
    int count[DP_ROW_SOURCES] = {0};
    for (int i = 0; i < dp_data_row_count(d); ++i) {
        ++count[dp_data_row(d, i).source];
    }
    bool any = false;
    for (int i = 0; i < DP_ROW_SOURCES; ++i) {
        if (count[i] > 0) {
            fputs(any ? ", " : "\n  rows at the start: ", stdout);
            cli_print("%s %d", dp_row_source_name((dp_row_source)i), count[i]);
            any = true;
        }
    }
    fputs(any ? "\n" : "", stdout);
}

// "a; b; c", with 0 for what is not given; as many as there are to the last that is.
static void add_expressions(cli_table *t, const dp_expression *const e[3])
{
    char text[256] = "";
    int count = 3;
    while (count > 0 && !e[count - 1]) {
        --count;
    }
    for (int k = 0; k < count; ++k) {
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s", k > 0 ? "; " : "",
                 e[k] ? dp_expression_text(e[k]) : "0");
    }
    if (strlen(text) > 60) {
        memcpy(text + 57, "...", 4);
    }
    cli_cell(t, "%s", count > 0 ? text : "-");
}

static void print_forces(const dp_model *m)
{
    static const char *const heading[] = {"~force", "~on", "axes", "~force [N]", "~torque [N m]"};
    cli_table t = cli_table_new(5, heading);
    for (int i = 0; i < dp_model_sizes(m)->nforce; ++i) {
        const dp_force_info f = dp_model_force(m, (dp_force_id){i});
        cli_cell(&t, "%s", cli_label("force", f.name, i).text);
        if (f.joint.index >= 0) {
            cli_cell(&t, "%s",
                     cli_label("joint", dp_model_joint(m, f.joint).name, f.joint.index).text);
        } else {
            cli_cell(&t, "%s", cli_body_label(m, f.body).text);
        }
        cli_cell(&t, "%s", f.joint.index >= 0 ? "joint" : f.local ? "local" : "world");
        add_expressions(&t, f.force);
        add_expressions(&t, f.torque);
    }
    putchar('\n');
    cli_table_print(&t);
}

static void print_motions(const dp_model *m)
{
    static const char *const heading[] = {"~motion", "~of", "~position", "~rotation"};
    cli_table t = cli_table_new(4, heading);
    for (int i = 0; i < dp_model_sizes(m)->nmotion; ++i) {
        const dp_motion_info o = dp_model_motion(m, (dp_motion_id){i});
        cli_cell(&t, "%s", cli_label("motion", o.name, i).text);
        if (o.joint.index >= 0) {
            cli_cell(&t, "%s",
                     cli_label("joint", dp_model_joint(m, o.joint).name, o.joint.index).text);
        } else {
            cli_cell(&t, "%s", cli_body_label(m, o.body).text);
        }
        add_expressions(&t, o.position);
        add_expressions(&t, o.rotation);
    }
    putchar('\n');
    cli_table_print(&t);
}

void cli_print_constraints(const dp_model *m, const dp_data *d)
{
    if (dp_model_sizes(m)->nforce > 0) {
        print_forces(m);
    }
    if (dp_model_sizes(m)->nmotion > 0) {
        print_motions(m);
    }
    if (dp_model_sizes(m)->ntendon > 0) {
        print_tendons(m);
    }
    if (dp_model_sizes(m)->nequality > 0) {
        print_equalities(m, d);
    }
    print_row_count(d);
}
