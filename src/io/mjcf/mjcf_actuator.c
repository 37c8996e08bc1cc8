// Actuators. All kinds are settings of one general form, and a class has defaults for that form
// only. Of its law an actuator inherits what was set by its own kind or by <general>, as in MuJoCo
// since 3.16; a class that sets the laws of several kinds keeps the last one. Where that is of
// another kind, the law is that of the nearest class around it that has the right one.
#include "io/mjcf/mjcf.h"

#include "math/angle.h"
#include "model/spec/spec.h"

#include <stdio.h>
#include <string.h>

// In the order of the schema's keywords. What comes after muscle is not simulated.
enum {
    DYNAMICS_NONE,
    DYNAMICS_INTEGRATOR,
    DYNAMICS_FILTER,
    DYNAMICS_FILTER_EXACT,
    DYNAMICS_MUSCLE,
    DYNAMICS_OTHER
};
enum { GAIN_FIXED, GAIN_AFFINE, GAIN_MUSCLE, GAIN_OTHER };
enum { BIAS_NONE, BIAS_AFFINE, BIAS_MUSCLE, BIAS_OTHER };
enum { LIMITED_NO, LIMITED_YES, LIMITED_AUTO };

dp_mjcf_actuator dp_mjcf_actuator_default(void)
{
    return (dp_mjcf_actuator){
        .control_limited = LIMITED_AUTO,
        .force_limited = LIMITED_AUTO,
        .activation_limited = LIMITED_AUTO,
        .gear = {1.0},
        .dynamics_parameter = {1.0},
        .gain = {1.0},
        .activation_count = -1,
    };
}

static bool read_number(double *out, const dp_xml_node *node, const char *name)
{
    const dp_xml_attribute *attribute = dp_xml_find(node, name);
    if (attribute) {
        *out = attribute->number[0];
    }
    return attribute != NULL;
}

static void read_keyword(int *out, const dp_xml_node *node, const char *name)
{
    const dp_xml_attribute *attribute = dp_xml_find(node, name);
    if (attribute) {
        *out = attribute->keyword;
    }
}

// ---- what is refused when an actuator uses it

static void forget_refused(dp_mjcf_actuator *a, const char *name)
{
    for (int i = 0; i < a->nrefused; ++i) {
        if (strcmp(a->refused[i]->name, name) == 0) {
            a->refused[i] = a->refused[--a->nrefused];
            return;
        }
    }
}

static void note_refused(dp_mjcf_actuator *a, const dp_xml_node *node)
{
    for (int i = 0; i < node->nattribute; ++i) {
        const dp_xml_attribute *attribute = &node->attribute[i];
        if (!attribute->rule || attribute->rule->verdict != DP_IMPORT_VERDICT_REFUSED) {
            continue;
        }
        forget_refused(a, attribute->name);
        const int room = (int)(sizeof a->refused / sizeof a->refused[0]);
        if (!dp_mjcf_harmless(attribute) && a->nrefused < room) {
            a->refused[a->nrefused++] = attribute;
        }
    }
}

// ---- the kinds

static dp_status set_general(dp_mjcf_actuator *a, const dp_xml_node *node)
{
    const dp_mjcf_view view = {.node = node};
    read_keyword(&a->dynamics, node, "dyntype");
    read_keyword(&a->gain_kind, node, "gaintype");
    read_keyword(&a->bias_kind, node, "biastype");
    dp_mjcf_numbers(a->dynamics_parameter, &view, "dynprm");
    dp_mjcf_numbers(a->gain, &view, "gainprm");
    dp_mjcf_numbers(a->bias, &view, "biasprm");
    a->activation_count = dp_mjcf_integer(&view, "actdim", a->activation_count);
    read_number(&a->inherit_range, node, "inheritrange");
    return DP_OK;
}

static dp_status set_motor(dp_mjcf_actuator *a, const dp_xml_node *node)
{
    (void)node;
    a->gain[0] = 1.0;
    a->dynamics = DYNAMICS_NONE;
    a->gain_kind = GAIN_FIXED;
    a->bias_kind = BIAS_NONE;
    return DP_OK;
}

// force = kp (u − l) − kv l̇. A positive bias[2] is a damping ratio instead, as in MuJoCo.
static dp_status set_position(dp_mjcf_actuator *a, const dp_xml_node *node)
{
    double kp = a->gain[0], kv, ratio, tau;
    read_number(&kp, node, "kp");
    a->gain[0] = kp;
    a->bias[0] = 0.0;
    a->bias[1] = -kp;
    if (read_number(&kv, node, "kv")) {
        if (dp_xml_find(node, "dampratio")) {
            return dp_mjcf_fail(node, "found both kv and dampratio (expected one of them)");
        }
        if (kv < 0.0) {
            return dp_mjcf_fail(node, "found kv %g (expected 0 or more)", kv);
        }
        a->bias[2] = -kv;
    }
    if (read_number(&ratio, node, "dampratio")) {
        if (ratio < 0.0) {
            return dp_mjcf_fail(node, "found dampratio %g (expected 0 or more)", ratio);
        }
        a->bias[2] = ratio;
    }
    if (read_number(&tau, node, "timeconst")) {
        if (tau < 0.0) {
            return dp_mjcf_fail(node, "found timeconst %g (expected 0 or more)", tau);
        }
        a->dynamics_parameter[0] = tau;
        a->dynamics = tau == 0.0 ? DYNAMICS_NONE : DYNAMICS_FILTER_EXACT;
    }
    read_number(&a->inherit_range, node, "inheritrange");
    a->gain_kind = GAIN_FIXED;
    a->bias_kind = BIAS_AFFINE;
    return DP_OK;
}

// A position servo whose target is the integral of the control.
static dp_status set_integrated_velocity(dp_mjcf_actuator *a, const dp_xml_node *node)
{
    DP_TRY(set_position(a, node));
    a->dynamics = DYNAMICS_INTEGRATOR;
    a->activation_limited = LIMITED_YES;
    return DP_OK;
}

// force = kv (u − l̇)
static dp_status set_velocity(dp_mjcf_actuator *a, const dp_xml_node *node)
{
    double kv = a->gain[0];
    read_number(&kv, node, "kv");
    memset(a->bias, 0, sizeof a->bias);
    a->gain[0] = kv;
    a->bias[2] = -kv;
    a->dynamics = DYNAMICS_NONE;
    a->gain_kind = GAIN_FIXED;
    a->bias_kind = BIAS_AFFINE;
    return DP_OK;
}

// force = −kv l̇ u
static dp_status set_damper(dp_mjcf_actuator *a, const dp_xml_node *node)
{
    double kv = 0.0;
    read_number(&kv, node, "kv");
    if (kv < 0.0) {
        return dp_mjcf_fail(node, "found kv %g (expected 0 or more)", kv);
    }
    if (a->control_range[0] < 0.0 || a->control_range[1] < 0.0) {
        return dp_mjcf_fail(node, "found a negative ctrlrange (expected 0 or more for a damper)");
    }
    memset(a->gain, 0, sizeof a->gain);
    a->gain[2] = -kv;
    a->control_limited = LIMITED_YES;
    a->dynamics = DYNAMICS_NONE;
    a->gain_kind = GAIN_AFFINE;
    a->bias_kind = BIAS_NONE;
    return DP_OK;
}

// Pressure follows the control; force = area · pressure + bias
static dp_status set_cylinder(dp_mjcf_actuator *a, const dp_xml_node *node)
{
    const dp_mjcf_view view = {.node = node};
    double diameter;
    read_number(&a->dynamics_parameter[0], node, "timeconst");
    read_number(&a->gain[0], node, "area");
    if (read_number(&diameter, node, "diameter")) {
        a->gain[0] = DP_PI / 4.0 * diameter * diameter;
    }
    dp_mjcf_numbers(a->bias, &view, "bias");
    a->dynamics = DYNAMICS_FILTER;
    a->gain_kind = GAIN_FIXED;
    a->bias_kind = BIAS_AFFINE;
    return DP_OK;
}

// Kinds that are refused. In a class they still change what a <general> starts from.
static dp_status set_other(dp_mjcf_actuator *a, const dp_xml_node *node)
{
    (void)node;
    a->dynamics = DYNAMICS_OTHER;
    a->gain_kind = GAIN_OTHER;
    a->bias_kind = BIAS_OTHER;
    return DP_OK;
}

// Its numbers stay where they are, also in what a <position> of the class starts from.
static dp_status set_muscle(dp_mjcf_actuator *a, const dp_xml_node *node)
{
    static const struct {
        const char *name;
        double usual;
    } parameter[] = {{"force", -1.0}, {"scale", 200.0}, {"lmin", 0.5}, {"lmax", 1.6},
                     {"vmax", 1.5},   {"fpmax", 1.3},   {"fvmax", 1.2}};
    const dp_mjcf_view view = {.node = node};
    const bool first = a->gain_kind != GAIN_MUSCLE; // else it has been a muscle before
    const double usual[2] = {0.75, 1.05}, usual_time[2] = {0.01, 0.04};
    if (first) {
        memcpy(a->gain, usual, sizeof usual);
        memcpy(a->dynamics_parameter, usual_time, sizeof usual_time);
    }
    dp_mjcf_numbers(a->gain, &view, "range");
    dp_mjcf_numbers(a->dynamics_parameter, &view, "timeconst");
    read_number(&a->dynamics_parameter[2], node, "tausmooth");
    for (int i = 0; i < 7; ++i) {
        a->gain[2 + i] = first ? parameter[i].usual : a->gain[2 + i];
        read_number(&a->gain[2 + i], node, parameter[i].name);
    }
    memcpy(a->bias, a->gain, sizeof a->bias);
    a->dynamics = DYNAMICS_MUSCLE;
    a->gain_kind = GAIN_MUSCLE;
    a->bias_kind = BIAS_MUSCLE;
    return DP_OK;
}

static dp_status set_adhesion(dp_mjcf_actuator *a, const dp_xml_node *node)
{
    read_number(&a->gain[0], node, "gain");
    if (a->control_range[0] < 0.0 || a->control_range[1] < 0.0) {
        return dp_mjcf_fail(node, "found a negative ctrlrange (expected 0 or more for adhesion)");
    }
    a->control_limited = LIMITED_YES;
    a->dynamics = DYNAMICS_NONE;
    a->gain_kind = GAIN_FIXED;
    a->bias_kind = BIAS_NONE;
    return DP_OK;
}

static const struct {
    const char *name;
    dp_status (*set)(dp_mjcf_actuator *a, const dp_xml_node *node);
} kind[] = {
    {"general", set_general},
    {"motor", set_motor},
    {"position", set_position},
    {"velocity", set_velocity},
    {"damper", set_damper},
    {"cylinder", set_cylinder},
    {"intvelocity", set_integrated_velocity},
    {"adhesion", set_adhesion},
    {"muscle", set_muscle},
    {"dcmotor", set_other},
    {"pid", set_other},
    {"orientation", set_other},
};

bool dp_mjcf_is_actuator(const char *name)
{
    for (size_t i = 0; i < sizeof kind / sizeof kind[0]; ++i) {
        if (strcmp(kind[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static bool has_law_for(const dp_mjcf_actuator *a,
                        dp_status (*set)(dp_mjcf_actuator *, const dp_xml_node *))
{
    return a->set == set || a->set == set_general || set == set_general;
}

// Dynamics, gain and bias.
static void copy_law(dp_mjcf_actuator *a, const dp_mjcf_actuator *from)
{
    a->dynamics = from->dynamics;
    a->gain_kind = from->gain_kind;
    a->bias_kind = from->bias_kind;
    memcpy(a->dynamics_parameter, from->dynamics_parameter, sizeof a->dynamics_parameter);
    memcpy(a->gain, from->gain, sizeof a->gain);
    memcpy(a->bias, from->bias, sizeof a->bias);
    a->inherit_range = from->inherit_range;
    a->activation_count = from->activation_count;
}

dp_status dp_mjcf_overlay_actuator(dp_mjcf_actuator *a, const dp_mjcf_class *around,
                                   const dp_xml_node *node)
{
    const dp_mjcf_view view = {.node = node};
    read_keyword(&a->control_limited, node, "ctrllimited");
    read_keyword(&a->force_limited, node, "forcelimited");
    read_keyword(&a->activation_limited, node, "actlimited");
    dp_mjcf_numbers(a->control_range, &view, "ctrlrange");
    dp_mjcf_numbers(a->force_range, &view, "forcerange");
    dp_mjcf_numbers(a->activation_range, &view, "actrange");
    dp_mjcf_numbers(a->gear, &view, "gear");
    dp_mjcf_numbers(a->length_range, &view, "lengthrange");
    note_refused(a, node);
    for (size_t i = 0; i < sizeof kind / sizeof kind[0]; ++i) {
        if (strcmp(node->name, kind[i].name) == 0) {
            if (!has_law_for(a, kind[i].set)) {
                while (around && !has_law_for(&around->actuator, kind[i].set)) {
                    around = around->around;
                }
                const dp_mjcf_actuator usual = dp_mjcf_actuator_default();
                copy_law(a, around ? &around->actuator : &usual);
            }
            a->set = kind[i].set;
            return kind[i].set(a, node);
        }
    }
    return DP_OK;
}

// ---- use

// The ways to say where a force acts. The schema refuses the last two.
static const struct {
    const char *name;
    dp_object_kind object;
} target[] = {
    {"joint", DP_OBJECT_JOINT},    {"jointinparent", DP_OBJECT_JOINT},
    {"tendon", DP_OBJECT_TENDON},  {"site", DP_OBJECT_SITE},
    {"body", DP_OBJECT_BODY},      {"slidersite", DP_OBJECT_SITE},
    {"cranksite", DP_OBJECT_SITE},
};
enum { NO_TARGET = -1, SLIDER = 5, CRANK = 6 };

static dp_status find_target(int *out, const dp_xml_node *node)
{
    *out = NO_TARGET;
    for (int i = 0; i < (int)(sizeof target / sizeof target[0]); ++i) {
        if (!dp_xml_find(node, target[i].name) || (*out == SLIDER && i == CRANK)) {
            continue;
        }
        if (*out != NO_TARGET) {
            return dp_mjcf_fail(node, "found both %s and %s (expected one of them)",
                                target[*out].name, target[i].name);
        }
        *out = i;
    }
    if (*out == NO_TARGET) {
        return dp_mjcf_fail(node, "found no transmission (expected joint, tendon or site=\"…\")");
    }
    return DP_OK;
}

// What the force acts on, or refused for want of a feature.
static dp_status read_transmission(dp_actuator_spec *out, const char **refused, dp_mjcf *m,
                                   const dp_xml_node *node)
{
    int i;
    DP_TRY(find_target(&i, node));
    const dp_xml_attribute *attribute = dp_xml_find(node, target[i].name);
    *refused = attribute->rule->feature;
    if (*refused) {
        return DP_OK; // by the schema
    }
    out->reference_site = dp_xml_value(node, "refsite", NULL);
    *refused = dp_mjcf_left_out(m, target[i].object, attribute->value);
    if (!*refused) {
        *refused = dp_mjcf_left_out(m, DP_OBJECT_SITE, out->reference_site);
    }
    if (*refused) {
        return dp_mjcf_refuse(m, node, NULL, *refused, "what it drives is left out");
    }
    switch (target[i].object) {
    case DP_OBJECT_JOINT:
        out->transmission = DP_TRANSMISSION_JOINT;
        out->joint = attribute->value;
        out->in_parent = strcmp(attribute->name, "jointinparent") == 0;
        return DP_OK;
    case DP_OBJECT_TENDON:
        out->transmission = DP_TRANSMISSION_TENDON;
        out->tendon = attribute->value;
        return DP_OK;
    case DP_OBJECT_BODY:
        out->transmission = DP_TRANSMISSION_BODY;
        out->body = attribute->value;
        return DP_OK;
    default:
        out->transmission = DP_TRANSMISSION_SITE;
        out->site = attribute->value;
        return DP_OK;
    }
}

static dp_status refuse_inherited(dp_mjcf *m, const dp_xml_node *node, const dp_mjcf_actuator *a,
                                  const char *class_name)
{
    for (int i = 0; i < a->nrefused; ++i) {
        const dp_xml_attribute *attribute = a->refused[i];
        if (dp_xml_find(node, attribute->name)) {
            continue; // its own: the schema has refused it
        }
        char why[256];
        snprintf(why, sizeof why, "%s (from its class '%.60s'): %s", attribute->name, class_name,
                 attribute->rule->note);
        DP_TRY(dp_mjcf_refuse(m, node, NULL, attribute->rule->feature, why));
    }
    return DP_OK;
}

// A law that we do not have: the feature's name and why. NULL: we have it.
static const char *missing_law(const char **why, const char **attribute, const dp_mjcf_actuator *a)
{
    if (a->dynamics > DYNAMICS_MUSCLE) {
        *why = "these activation dynamics are not simulated";
        return *attribute = "dyntype";
    }
    if (a->gain_kind > GAIN_MUSCLE) {
        *why = "this gain is not simulated";
        return *attribute = "gaintype";
    }
    if (a->bias_kind > BIAS_MUSCLE) {
        *why = "this bias is not simulated";
        return *attribute = "biastype";
    }
    if (a->activation_count > (a->dynamics == DYNAMICS_NONE ? 0 : 1)) {
        *why = "several activations per actuator are not simulated";
        return *attribute = "actdim";
    }
    return NULL;
}

// Does its force vanish where its length is the control?
static bool is_position_servo(const dp_mjcf_actuator *a)
{
    return a->gain_kind == GAIN_FIXED && a->bias_kind == BIAS_AFFINE && a->gain[0] == -a->bias[1];
}

static void read_curves(dp_muscle *out, const double parameter[10])
{
    *out = (dp_muscle){.range = {parameter[0], parameter[1]},
                       .force = parameter[2],
                       .scale = parameter[3],
                       .shortest = parameter[4],
                       .longest = parameter[5],
                       .fastest = parameter[6],
                       .passive = parameter[7],
                       .lengthening = parameter[8]};
}

// The curves of a muscle and the lengths between which it operates; MuJoCo finds these by a
// simulation where they are not given.
static dp_status read_muscle(dp_actuator_spec *out, const char **refused, dp_mjcf *m,
                             const dp_xml_node *node, const dp_mjcf_actuator *a)
{
    out->relaxation_time = a->dynamics_parameter[1];
    out->smoothing = a->dynamics_parameter[2];
    out->muscle_gain = a->gain_kind == GAIN_MUSCLE;
    out->muscle_bias = a->bias_kind == BIAS_MUSCLE;
    if (out->muscle_gain) {
        read_curves(&out->gain_muscle, a->gain);
    }
    if (out->muscle_bias) {
        read_curves(&out->bias_muscle, a->bias);
    }
    memcpy(out->length_range, a->length_range, sizeof out->length_range);
    if ((!out->muscle_gain && !out->muscle_bias) || a->length_range[0] < a->length_range[1]) {
        return DP_OK;
    }
    double range[2];
    if (!dp_spec_length_range(range, m->spec, out)) {
        *refused = "muscle";
        return dp_mjcf_refuse(
            m, node, NULL, *refused,
            "it has no lengthrange, and what it pulls at no limits that give one");
    }
    return dp_mjcf_judge(m, node, NULL, DP_IMPORT_VERDICT_APPROXIMATED,
                         "its lengthrange is that of the limits of what it pulls at, which MuJoCo "
                         "finds by a simulation");
}

// The dynamics, gain and bias in the spec's terms.
static dp_status read_law(dp_actuator_spec *out, const char **refused, dp_mjcf *m,
                          const dp_xml_node *node, const dp_mjcf_actuator *a)
{
    static const dp_actuator_dynamics dynamics[] = {
        DP_ACTUATOR_DYNAMICS_NONE, DP_ACTUATOR_DYNAMICS_INTEGRATOR, DP_ACTUATOR_DYNAMICS_FILTER,
        DP_ACTUATOR_DYNAMICS_FILTER_EXACT, DP_ACTUATOR_DYNAMICS_MUSCLE};
    const char *why, *attribute;
    *refused = missing_law(&why, &attribute, a);
    if (*refused) {
        return dp_mjcf_refuse(m, node, dp_xml_find(node, attribute), *refused, why);
    }
    out->dynamics = dynamics[a->dynamics];
    out->time_constant = a->dynamics_parameter[0];
    if (a->gain_kind == GAIN_MUSCLE || a->bias_kind == BIAS_MUSCLE ||
        a->dynamics == DYNAMICS_MUSCLE) {
        DP_TRY(read_muscle(out, refused, m, node, a));
    }
    for (int i = 0; i < 3; ++i) {
        const bool counts = a->gain_kind == GAIN_AFFINE || (a->gain_kind == GAIN_FIXED && i == 0);
        out->gain[i] = counts ? a->gain[i] : 0.0;
        out->bias[i] = a->bias_kind == BIAS_AFFINE ? a->bias[i] : 0.0;
    }
    if (is_position_servo(a) && a->bias[2] > 0.0) {
        out->damping_ratio = a->bias[2];
        out->bias[2] = 0.0;
    }
    return DP_OK;
}

// The range of the joint or tendon that an actuator drives.
static dp_status find_range(const double **out, const dp_mjcf *m, const dp_xml_node *node,
                            const dp_actuator_spec *actuator)
{
    *out = NULL;
    const bool joint = actuator->transmission == DP_TRANSMISSION_JOINT;
    const dp_element_kind element = joint ? DP_ELEMENT_JOINT : DP_ELEMENT_TENDON;
    const char *name = joint ? actuator->joint : actuator->tendon;
    if (!name) {
        return dp_mjcf_fail(node, "found inheritrange, but sites have no range");
    }
    const dp_name_list names = dp_spec_names(m->spec, element);
    const int i = dp_name_find(&m->spec->list[element].index, names, name);
    if (i < 0) {
        return dp_mjcf_located(node, dp_name_fail(names, dp_element_kind_name(element), name));
    }
    *out = joint ? dp_spec_joints(m->spec)[i].spec.range : dp_spec_tendons(m->spec)[i].range;
    if (!((*out)[0] < (*out)[1])) {
        return dp_mjcf_fail(node, "found inheritrange, but %s '%.60s' has no range",
                            dp_element_kind_name(element), name);
    }
    return DP_OK;
}

// inheritrange: the range of the servo's target is that of what it drives, scaled about the middle.
// Other actuators may have it from their class and take no notice.
static dp_status inherit_range(dp_mjcf_actuator *a, const dp_mjcf *m, const dp_xml_node *node,
                               const dp_actuator_spec *actuator)
{
    if (a->inherit_range <= 0.0 || !is_position_servo(a)) {
        return DP_OK;
    }
    double *inherited = a->dynamics == DYNAMICS_INTEGRATOR ? a->activation_range : a->control_range;
    const bool servo =
        strcmp(node->name, "position") == 0 || strcmp(node->name, "intvelocity") == 0;
    if (servo && (inherited[0] != 0.0 || inherited[1] != 0.0)) {
        return dp_mjcf_fail(node, "found both inheritrange and a range (expected one of them)");
    }
    const double *range = NULL;
    DP_TRY(find_range(&range, m, node, actuator));
    DP_ASSERT(range);
    const double middle = 0.5 * (range[0] + range[1]);
    const double half = 0.5 * (range[1] - range[0]) * a->inherit_range;
    inherited[0] = middle - half;
    inherited[1] = middle + half;
    return DP_OK;
}

static dp_status read_limits(dp_actuator_spec *out, dp_mjcf *m, const dp_xml_node *node,
                             const dp_mjcf_actuator *a)
{
    memcpy(out->control_range, a->control_range, sizeof out->control_range);
    memcpy(out->force_range, a->force_range, sizeof out->force_range);
    memcpy(out->activation_range, a->activation_range, sizeof out->activation_range);
    DP_TRY(dp_mjcf_limited(&out->control_limited, m, node, "ctrl", a->control_limited,
                           a->control_range));
    DP_TRY(
        dp_mjcf_limited(&out->force_limited, m, node, "force", a->force_limited, a->force_range));
    return dp_mjcf_limited(&out->activation_limited, m, node, "act", a->activation_limited,
                           a->activation_range);
}

// Activations that an actuator would have had; −1: not known.
static int count_states(const dp_xml_node *node, const dp_mjcf_actuator *a)
{
    if (!dp_mjcf_used(node)) {
        return -1;
    }
    if (a->activation_count >= 0) {
        return a->activation_count;
    }
    return a->dynamics == DYNAMICS_NONE ? 0 : 1;
}

// Fill in the spec of one actuator, or refuse it for want of a feature.
static dp_status read_actuator(dp_actuator_spec *out, const char **refused, dp_mjcf *m,
                               const dp_xml_node *node, dp_mjcf_actuator *a)
{
    *out = dp_actuator_spec_default();
    out->name = dp_xml_value(node, "name", NULL);
    out->where = dp_mjcf_where(node);
    memcpy(out->gear, a->gear, sizeof out->gear);
    DP_TRY(read_transmission(out, refused, m, node));
    if (*refused) {
        return DP_OK;
    }
    DP_TRY(read_law(out, refused, m, node, a));
    if (*refused) {
        return DP_OK;
    }
    DP_TRY(inherit_range(a, m, node, out));
    DP_TRY(read_limits(out, m, node, a));
    return DP_OK;
}

// Actuator number i of the file: add it, or remember that it is left out.
static dp_status add_actuator(dp_mjcf *m, const dp_xml_node *node, int i)
{
    const dp_mjcf_class *c;
    DP_TRY(dp_mjcf_find_class(&c, m, node, "class", m->main));
    dp_mjcf_actuator a = c->actuator;
    const char *refused = node->rule->feature; // the schema refuses some kinds as such
    dp_actuator_spec out;
    if (!refused) {
        DP_TRY(dp_mjcf_overlay_actuator(&a, c->around, node));
        DP_TRY(refuse_inherited(m, node, &a, c->name));
        DP_TRY(read_actuator(&out, &refused, m, node, &a));
    }
    m->actuator_kept[i] = !refused;
    m->actuator_states[i] = count_states(node, &a);
    if (refused) {
        return dp_mjcf_leave_out(m, DP_OBJECT_ACTUATOR, node, refused);
    }
    return dp_mjcf_located(node, dp_spec_add_actuator(NULL, m->spec, &out));
}

static bool is_actuator(const dp_xml_node *node)
{
    return strcmp(node->name, "include") != 0;
}

dp_status dp_mjcf_read_actuators(dp_mjcf *m)
{
    for (dp_xml_node *s = NULL; (s = dp_mjcf_section(m, "actuator", s));) {
        for (dp_xml_node *node = s->child; node; node = node->next) {
            m->nactuator += is_actuator(node);
        }
    }
    const size_t n = (size_t)m->nactuator;
    DP_TRY(dp_pool_take(&m->actuator_kept, &m->pool, n, sizeof *m->actuator_kept));
    DP_TRY(dp_pool_take(&m->actuator_states, &m->pool, n, sizeof *m->actuator_states));
    int i = 0;
    for (dp_xml_node *s = NULL; (s = dp_mjcf_section(m, "actuator", s));) {
        for (dp_xml_node *node = s->child; node; node = node->next) {
            if (is_actuator(node)) {
                DP_TRY(add_actuator(m, node, i++));
            }
        }
    }
    return DP_OK;
}
