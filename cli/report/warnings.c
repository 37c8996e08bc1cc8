#include "report/warnings.h"

#include "common/element_names.h"
#include "common/scene.h"
#include "report/solid.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Codes, and what to do about each. docs/cli.md has the same list.
#define CODES(_)                                                                                   \
    _("W-STATIC", "give a body a joint, or ask for a floating base")                               \
    _("W-MASS-RATIO", "check units; merge the light body with its parent where it matters little") \
    _("W-INERTIA-FAR", "check units and axes of the inertia, or let it come from the geoms")       \
    _("W-COM-OUTSIDE", "check the position of the inertia, and whether geoms are missing")         \
    _("W-DENSITY", "check the units of mass and of lengths")                                       \
    _("W-RANGE-UNUSED", "set limited=\"true\", or leave the range out")                            \
    _("W-RANGE-REFERENCE", "shift the range or the reference: the motion starts beyond a limit")   \
    _("W-ANGLE-UNITS", "check the unit of angles (compiler angle=\"degree\" or \"radian\")")       \
    _("W-KEY-RANGE", "correct the keyframe or the range")                                          \
    _("W-MESH-SIZE", "check the unit of the mesh file; scale=\"0.001 0.001 0.001\" takes mm to m") \
    _("W-SERVO-UNDAMPED", "give the servo kv or the joint damping")                                \
    _("W-STIFF", "take a smaller step, or --integrator semi-implicit or rk45")                     \
    _("W-LOOP-OPEN", "correct the positions of the bodies or of the anchor, or the keyframe")      \
    _("W-LOOP-VELOCITY", "give the joints of the keyframe velocities that keep the loop closed")   \
    _("W-CONTRADICTION", "leave one of the equalities out, or give one dp:stiffness")              \
    _("W-EQUALITY-IDLE", "leave it out, or give one of the bodies a joint")                        \
    _("W-GAIN-SIGN", "check the signs of gain and bias")                                           \
    _("W-FILTER-FAST", "take a smaller step or a longer time constant")                            \
    _("W-UNEXAMINED", "see the message")                                                           \
    _("N-UNRESOLVED", "a smaller step, or --integrator rk45, if this oscillation matters")         \
    _("N-OVERLAP", "move the geoms apart, unless their springs are meant to be loaded")            \
    _("N-HULL", "compose it of several meshes where its hollows matter")                           \
    _("N-DISABLED", "enable it in <option><flag> or <dp:option>, unless this is meant")            \
    _("N-FOUNDATION-FRICTION", "friction=\"0\" on both geoms where that is meant")                 \
    _("N-NO-EFFECT", "leave it out, or choose a law or an integrator that uses it")                \
    _("N-REDUNDANT", "give such equalities dp:stiffness where their forces matter")                \
    _("N-UNDAMPED", "give joints damping, unless this is meant")                                   \
    _("N-CONTROL-RANGE", "set ctrlrange, so that no controller can ask for any force")             \
    _("N-UNNAMED", "name what is to be recorded")

#define CODE(code, advice) code,
#define ADVICE(code, advice) advice,
const char *const cli_warning_codes[] = {CODES(CODE)};
static const char *const advices[] = {CODES(ADVICE)};
const int cli_nwarning_code = sizeof cli_warning_codes / sizeof cli_warning_codes[0];

void cli_warn(cli_warning_list *list, const char *code, const char *format, ...)
{
    if (list->count == list->capacity) {
        const int more = 2 * list->capacity + 16;
        cli_warning *grown = realloc(list->item, (size_t)more * sizeof *grown);
        if (!grown) {
            list->failed = true;
            return;
        }
        list->item = grown;
        list->capacity = more;
    }
    char text[800];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    cli_warning *warning = &list->item[list->count];
    const size_t bytes = strlen(text) + 1;
    *warning = (cli_warning){.code = code, .advice = "", .text = malloc(bytes)};
    if (!warning->text) {
        list->failed = true;
        return;
    }
    memcpy(warning->text, text, bytes);
    for (int i = 0; i < cli_nwarning_code; ++i) {
        if (strcmp(cli_warning_codes[i], code) == 0) {
            warning->advice = advices[i];
        }
    }
    ++list->count;
}

void cli_warnings_destroy(cli_warning_list *list)
{
    for (int i = 0; i < list->count; ++i) {
        free(list->item[i].text);
    }
    free(list->item);
    *list = (cli_warning_list){0};
}

// --- joints -------------------------------------------------------------------------------------

static const double DEGREES = 57.29577951308232; // per radian

// "[-1, 2] m" or "[-90, 45]°"
static void put_range(char out[80], dp_joint_kind kind, const double range[2])
{
    const bool angle = kind != DP_JOINT_SLIDE;
    const double unit = angle ? DEGREES : 1.0;
    snprintf(out, 80, "[%.4g, %.4g]%s", range[0] * unit, range[1] * unit, angle ? "°" : " m");
}

static bool outside(double q, const double range[2], double tolerance)
{
    return q < range[0] - tolerance || q > range[1] + tolerance;
}

// Numbers in files are rounded: this much beyond a limit is not.
static double slack(const double range[2])
{
    return 1e-6 * fmax(1.0, fmax(fabs(range[0]), fabs(range[1])));
}

static void look_at_range(cli_warning_list *list, const dp_model *m, const dp_joint_spec *joint,
                          const dp_joint_info *info, int j)
{
    char range[80];
    put_range(range, joint->kind, joint->range);
    const cli_name name = cli_joint_name(m, (dp_joint_id){j});
    const bool given = joint->range[0] != 0.0 || joint->range[1] != 0.0;
    if (!joint->limited && given && joint->kind != DP_JOINT_FREE) {
        cli_warn(list, "W-RANGE-UNUSED", "%s has the range %s and is not limited", name.text,
                 range);
    }
    if (joint->limited && info->nv == 1 && outside(info->ref, joint->range, slack(joint->range))) {
        const double unit = joint->kind == DP_JOINT_HINGE ? DEGREES : 1.0;
        cli_warn(list, "W-RANGE-REFERENCE", "%s starts at %.4g%s, outside of its range %s",
                 name.text, info->ref * unit, joint->kind == DP_JOINT_HINGE ? "°" : " m", range);
    }
}

// Degrees that were taken for radians make ranges of many turns; radians taken for degrees make
// all ranges smaller than a few degrees.
static void look_at_angles(cli_warning_list *list, dp_spec *spec, const dp_model *m)
{
    const double many_turns = 20.0;       // [rad] more than three turns
    const double half_turn = 3.2;         // what half a turn is in radians
    const double largest_of_few = 1.0e-3; // [rad] a range of less asks for nothing
    double largest = 0.0;
    int limited = 0;
    for (int j = 0; j < dp_model_sizes(m)->njoint; ++j) {
        const dp_joint_spec *joint = dp_spec_joint(spec, (dp_joint_id){j});
        if (!joint->limited || joint->kind != DP_JOINT_HINGE) {
            continue;
        }
        const double bound = fmax(fabs(joint->range[0]), fabs(joint->range[1]));
        largest = fmax(largest, bound);
        ++limited;
        if (bound > many_turns) {
            cli_warn(list, "W-ANGLE-UNITS",
                     "%s may turn by [%.4g, %.4g] rad: degrees taken for radians?",
                     cli_joint_name(m, (dp_joint_id){j}).text, joint->range[0], joint->range[1]);
        }
    }
    if (limited >= 3 && largest > largest_of_few && largest * DEGREES <= half_turn) {
        cli_warn(list, "W-ANGLE-UNITS",
                 "no range of the %d limited hinges reaches beyond %.3g°: radians taken for "
                 "degrees?",
                 limited, largest * DEGREES);
    }
}

// Does anything but joint dampers take energy: dry friction, dampers of tendons and equalities?
static bool rows_damp(const dp_model *m, const dp_options *options)
{
    const dp_model_size *size = dp_model_sizes(m);
    for (int j = 0; j < size->njoint; ++j) {
        if (dp_model_joint(m, (dp_joint_id){j}).friction_loss > 0.0) {
            return true;
        }
    }
    for (int i = 0; i < size->ntendon; ++i) {
        const dp_tendon_info tendon = dp_model_tendon(m, (dp_tendon_id){i});
        if (tendon.friction_loss > 0.0 || (tendon.damping > 0.0 && !options->disable_dampers)) {
            return true;
        }
    }
    for (int i = 0; i < size->nequality && !options->disable_equality; ++i) {
        const dp_equality_info e = dp_model_equality(m, (dp_equality_id){i});
        if (e.active && isfinite(e.bearing.stiffness) && e.bearing.damping > 0.0) {
            return true;
        }
    }
    return false;
}

static void look_at_joints(cli_warning_list *list, dp_spec *spec, const dp_model *m,
                           const dp_options *options)
{
    const dp_model_size *size = dp_model_sizes(m);
    bool damped = false;
    int unnamed = 0;
    for (int j = 0; j < size->njoint; ++j) {
        const dp_joint_info joint = dp_model_joint(m, (dp_joint_id){j});
        damped = damped || joint.damping > 0.0;
        unnamed += joint.name[0] == '\0' ? 1 : 0;
        look_at_range(list, m, dp_spec_joint(spec, (dp_joint_id){j}), &joint, j);
    }
    look_at_angles(list, spec, m);
    if (size->nv == 0) {
        cli_warn(list, "W-STATIC", "nothing moves: no body has a joint");
    } else if ((!damped || options->disable_dampers) && !rows_damp(m, options)) {
        cli_warn(list, "N-UNDAMPED", "no joint is damped: the motion will not come to rest");
    }
    if (unnamed > 0) {
        cli_warn(list, "N-UNNAMED", "%d of %d joints without a name: channels use their numbers",
                 unnamed, size->njoint);
    }
}

// --- keyframes and meshes -----------------------------------------------------------------------

static void look_at_keyframes(cli_warning_list *list, dp_spec *spec, const dp_model *m, dp_data *d)
{
    const dp_model_size *size = dp_model_sizes(m);
    for (int k = 0; k < size->nkey; ++k) {
        if (dp_data_reset_to_key(d, (dp_key_id){k}) != DP_OK) {
            continue;
        }
        int count = 0, first = -1;
        for (int j = 0; j < size->njoint; ++j) {
            const dp_joint_spec *joint = dp_spec_joint(spec, (dp_joint_id){j});
            const dp_joint_info info = dp_model_joint(m, (dp_joint_id){j});
            if (joint->limited && info.nv == 1 &&
                outside(dp_data_q(d)[info.q_index], joint->range, slack(joint->range))) {
                first = count++ == 0 ? j : first;
            }
        }
        if (count == 0) {
            continue;
        }
        const dp_joint_info info = dp_model_joint(m, (dp_joint_id){first});
        const dp_joint_spec *joint = dp_spec_joint(spec, (dp_joint_id){first});
        const bool hinge = info.kind == DP_JOINT_HINGE;
        char range[80], more[40] = "";
        put_range(range, info.kind, joint->range);
        if (count > 1) {
            snprintf(more, sizeof more, ", and %d more joints", count - 1);
        }
        cli_warn(list, "W-KEY-RANGE", "%s puts %s at %.4g%s, outside of its range %s%s",
                 cli_key_name(m, (dp_key_id){k}).text, cli_joint_name(m, (dp_joint_id){first}).text,
                 dp_data_q(d)[info.q_index] * (hinge ? DEGREES : 1.0), hinge ? "°" : " m", range,
                 more);
    }
    dp_data_reset(d);
}

static void look_at_meshes(cli_warning_list *list, const dp_model *m)
{
    const double large = 100.0, small = 1e-3; // [m] beyond, millimetres and metres are mixed up
    for (int i = 0; i < dp_model_sizes(m)->nmesh; ++i) {
        const dp_mesh_info mesh = dp_model_mesh(m, (dp_mesh_id){i});
        const cli_box box = cli_box_of_mesh(&mesh);
        const double extent =
            fmax(box.high.x - box.low.x, fmax(box.high.y - box.low.y, box.high.z - box.low.z));
        if (mesh.nvertex > 0 && (extent > large || extent < small)) {
            cli_warn(list, "W-MESH-SIZE", "%s is %.3g m long: %s?",
                     cli_mesh_name(m, (dp_mesh_id){i}).text, extent,
                     extent > large ? "millimetres taken for metres" : "scaled to metres twice");
        }
    }
}

// [m³] that triangles enclose, counterclockwise from outside.
static double enclosed(const double *vertex, const int *face, int nface)
{
    double six = 0.0;
    for (int f = 0; f < nface; ++f) {
        const double *a = vertex + 3 * (size_t)face[3 * f],
                     *b = vertex + 3 * (size_t)face[3 * f + 1],
                     *c = vertex + 3 * (size_t)face[3 * f + 2];
        six += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
               a[2] * (b[0] * c[1] - b[1] * c[0]);
    }
    return six / 6.0;
}

static bool touches_by_hull(const dp_model *m, int mesh)
{
    for (int g = 0; g < dp_model_sizes(m)->ngeom; ++g) {
        const dp_geom_info geom = dp_model_geom(m, (dp_geom_id){g});
        if (geom.kind == DP_GEOM_MESH && geom.mesh.index == mesh &&
            geom.mesh_contact == DP_MESH_CONTACT_HULL) {
            return true;
        }
    }
    return false;
}

// Meshes whose hulls are much larger than they are: the most hollow one, and how many.
static void look_at_hulls(cli_warning_list *list, const dp_model *m)
{
    const double much = 1.25; // times the volume
    double most = 0.0;
    int count = 0, worst = 0;
    for (int i = 0; i < dp_model_sizes(m)->nmesh; ++i) {
        const dp_mesh_info mesh = dp_model_mesh(m, (dp_mesh_id){i});
        const double own = enclosed(mesh.vertex, mesh.face, mesh.nface);
        const double hull = enclosed(mesh.hull_vertex, mesh.hull_face, mesh.nhull_face);
        const double ratio = own > 0.0 ? hull / own : 0.0; // open, or from inside: not known
        if (ratio < much || !touches_by_hull(m, i)) {
            continue;
        }
        ++count;
        worst = ratio > most ? i : worst;
        most = fmax(most, ratio);
    }
    if (count > 0) {
        char more[80] = "";
        if (count > 1) {
            snprintf(more, sizeof more, "; %d more hulls exceed their meshes by a quarter or more",
                     count - 1);
        }
        cli_warn(list, "N-HULL",
                 "%s touches by its convex hull, which holds %.3g times its volume%s",
                 cli_mesh_name(m, (dp_mesh_id){worst}).text, most, more);
    }
}

void cli_warnings_find(cli_warning_list *out, const cli_scene *scene, dp_data *d)
{
    dp_spec *spec = scene->spec;
    const dp_model *m = scene->model;
    *out = (cli_warning_list){0};
    look_at_joints(out, spec, m, dp_data_options(d));
    cli_look_at_masses(out, spec, m);
    look_at_meshes(out, m);
    look_at_hulls(out, m);
    look_at_keyframes(out, spec, m, d);
    cli_look_at_drives(out, spec, m, d);
    cli_look_at_rows(out, m, d);
    cli_look_at_caveats(out, scene);
}
