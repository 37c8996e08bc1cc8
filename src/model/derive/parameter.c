// One table for each kind of element that has parameters: names, units, bounds, and where in the
// element the number is. All else walks these tables.
#include "model/derive/parameter.h"

#include "geom/mass.h"
#include "model/derive/body_inertia.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- what applies to which elements

static bool is_hinge_or_slide(const dp_model *m, int j)
{
    return m->joint[j].kind == DP_JOINT_HINGE || m->joint[j].kind == DP_JOINT_SLIDE;
}

static bool has_lower_end(const dp_model *m, int j)
{
    return m->joint[j].limited && is_hinge_or_slide(m, j);
}

static bool has_upper_end(const dp_model *m, int j)
{
    return m->joint[j].limited;
}

static bool touches(const dp_model *m, int g)
{
    return dp_can_touch(m, g);
}

static bool has_modulus(const dp_model *m, int g)
{
    return dp_can_touch(m, g) && m->geom[g].contact.material.youngs_modulus > 0.0;
}

static bool pair_slides(const dp_model *m, int i)
{
    return m->pair[i].friction[0] >= 0.0 && m->pair[i].friction[1] >= 0.0;
}

static bool pair_drills(const dp_model *m, int i)
{
    return m->pair[i].friction[2] >= 0.0;
}

static bool pair_has_material(const dp_model *m, int i)
{
    return m->pair[i].contact_given;
}

static bool tendon_is_limited(const dp_model *m, int i)
{
    return m->tendon[i].limited;
}

static bool tendon_has_slack(const dp_model *m, int i)
{
    return m->tendon[i].spring_range[0] != m->tendon[i].spring_range[1];
}

static bool tendon_has_none(const dp_model *m, int i)
{
    return !tendon_has_slack(m, i);
}

static bool is_servo(const dp_model *m, int u)
{
    const dp_actuator *a = &m->actuator[u];
    return a->gain[0] != 0.0 && a->gain[0] == -a->bias[1] && a->gain[1] == 0.0 && a->gain[2] == 0.0;
}

static bool is_no_servo(const dp_model *m, int u)
{
    return !is_servo(m, u);
}

static bool has_one_gear(const dp_model *m, int u)
{
    const dp_actuator *a = &m->actuator[u];
    return a->tendon >= 0 || (a->joint >= 0 && m->joint[a->joint].nv == 1);
}

static bool is_filter(const dp_model *m, int u)
{
    const dp_actuator_dynamics kind = m->actuator[u].dynamics;
    return kind == DP_ACTUATOR_DYNAMICS_FILTER || kind == DP_ACTUATOR_DYNAMICS_FILTER_EXACT;
}

static bool has_force_range(const dp_model *m, int u)
{
    return m->actuator[u].force_limited;
}

static bool has_control_range(const dp_model *m, int u)
{
    return m->actuator[u].control_limited;
}

// ---- the tables

#define ANY -(double)INFINITY, (double)INFINITY, false
#define NOT_NEGATIVE 0.0, (double)INFINITY, false
#define POSITIVE 0.0, (double)INFINITY, true
#define AT(type, member) offsetof(type, member)

static const dp_quantity option_table[] = {
    {"x", {"m/s²"}, AT(dp_options, gravity.x), ANY, DP_EFFECT_NONE, NULL},
    {"y", {"m/s²"}, AT(dp_options, gravity.y), ANY, DP_EFFECT_NONE, NULL},
    {"z", {"m/s²"}, AT(dp_options, gravity.z), ANY, DP_EFFECT_NONE, NULL},
};

#define TENSOR(name, component, bounds)                                                            \
    {                                                                                              \
        "inertia." name, {"kg m²"}, AT(dp_body, inertia_com.component), bounds, DP_EFFECT_TENSOR,  \
            NULL                                                                                   \
    }
static const dp_quantity body_table[] = {
    {"mass", {"kg"}, AT(dp_body, inertial.mass), NOT_NEGATIVE, DP_EFFECT_INERTIAL, NULL},
    {"com.x", {"m"}, AT(dp_body, inertial.frame.p.x), ANY, DP_EFFECT_INERTIAL, NULL},
    {"com.y", {"m"}, AT(dp_body, inertial.frame.p.y), ANY, DP_EFFECT_INERTIAL, NULL},
    {"com.z", {"m"}, AT(dp_body, inertial.frame.p.z), ANY, DP_EFFECT_INERTIAL, NULL},
    TENSOR("xx", xx, NOT_NEGATIVE), // these six together: set_tensor
    TENSOR("yy", yy, NOT_NEGATIVE),
    TENSOR("zz", zz, NOT_NEGATIVE),
    TENSOR("xy", xy, ANY),
    TENSOR("xz", xz, ANY),
    TENSOR("yz", yz, ANY),
    {"gravity_compensation", {"1"}, AT(dp_body, gravity_compensation), ANY, DP_EFFECT_NONE, NULL},
};

#define OF_JOINT(name, angular, linear, both, member, bounds, effect, applies)                     \
    {                                                                                              \
        name, {angular, linear, both}, AT(dp_joint, member), bounds, effect, applies               \
    }
static const dp_quantity joint_table[] = {
    OF_JOINT("damping", "N m s/rad", "N s/m", "N s/m, N m s/rad", damping, NOT_NEGATIVE,
             DP_EFFECT_SPRING, NULL),
    OF_JOINT("stiffness", "N m/rad", "N/m", "N/m, N m/rad", stiffness, NOT_NEGATIVE,
             DP_EFFECT_SPRING, NULL),
    OF_JOINT("spring_ref", "rad", "m", NULL, spring_ref, ANY, DP_EFFECT_NONE, is_hinge_or_slide),
    OF_JOINT("armature", "kg m²", "kg", "kg, kg m²", armature, NOT_NEGATIVE, DP_EFFECT_NONE, NULL),
    OF_JOINT("friction_loss", "N m", "N", "N, N m", friction_loss, NOT_NEGATIVE, DP_EFFECT_NONE,
             NULL),
    OF_JOINT("range.lower", "rad", "m", NULL, range[0], ANY, DP_EFFECT_NONE, has_lower_end),
    OF_JOINT("range.upper", "rad", "m", NULL, range[1], ANY, DP_EFFECT_NONE, has_upper_end),
};

#define MATERIAL(type, name, unit, member, bounds, effect, applies)                                \
    {                                                                                              \
        name, {unit}, AT(type, contact.material.member), bounds, effect, applies                   \
    }
#define AT_MOST_ONE -(double)INFINITY, 1.0, false
static const dp_quantity geom_table[] = {
    {"friction", {"1"}, AT(dp_geom, friction[0]), NOT_NEGATIVE, DP_EFFECT_NONE, touches},
    {"friction.torsional", {"m"}, AT(dp_geom, friction[1]), NOT_NEGATIVE, DP_EFFECT_NONE, touches},
    {"friction.rolling", {"m"}, AT(dp_geom, friction[2]), NOT_NEGATIVE, DP_EFFECT_NONE, touches},
    MATERIAL(dp_geom, "stiffness", "N/m", stiffness, POSITIVE, DP_EFFECT_RIGIDITY, touches),
    MATERIAL(dp_geom, "damping", "N s/m", damping, NOT_NEGATIVE, DP_EFFECT_RIGIDITY, touches),
    MATERIAL(dp_geom, "restitution", "1", restitution, AT_MOST_ONE, DP_EFFECT_MATERIAL, touches),
    MATERIAL(dp_geom, "dissipation", "s/m", dissipation, NOT_NEGATIVE, DP_EFFECT_MATERIAL, touches),
    MATERIAL(dp_geom, "youngs_modulus", "Pa", youngs_modulus, POSITIVE, DP_EFFECT_MATERIAL,
             has_modulus),
};

static const dp_quantity pair_table[] = {
    {"friction", {"1"}, AT(dp_pair, friction[0]), NOT_NEGATIVE, DP_EFFECT_SLIDING, pair_slides},
    {"friction.torsional",
     {"m"},
     AT(dp_pair, friction[2]),
     NOT_NEGATIVE,
     DP_EFFECT_NONE,
     pair_drills},
    MATERIAL(dp_pair, "stiffness", "N/m", stiffness, POSITIVE, DP_EFFECT_RIGIDITY,
             pair_has_material),
    MATERIAL(dp_pair, "damping", "N s/m", damping, NOT_NEGATIVE, DP_EFFECT_RIGIDITY,
             pair_has_material),
    MATERIAL(dp_pair, "restitution", "1", restitution, AT_MOST_ONE, DP_EFFECT_MATERIAL,
             pair_has_material),
    MATERIAL(dp_pair, "dissipation", "s/m", dissipation, NOT_NEGATIVE, DP_EFFECT_MATERIAL,
             pair_has_material),
};

#define OF_TENDON(name, unit, member, bounds, effect, applies)                                     \
    {                                                                                              \
        name, {unit}, AT(dp_tendon, member), bounds, effect, applies                               \
    }
static const dp_quantity tendon_table[] = {
    OF_TENDON("stiffness", "N/m", stiffness, NOT_NEGATIVE, DP_EFFECT_NONE, NULL),
    OF_TENDON("damping", "N s/m", damping, NOT_NEGATIVE, DP_EFFECT_NONE, NULL),
    OF_TENDON("friction_loss", "N", friction_loss, NOT_NEGATIVE, DP_EFFECT_NONE, NULL),
    OF_TENDON("armature", "kg", armature, NOT_NEGATIVE, DP_EFFECT_NONE, NULL),
    OF_TENDON("rest_length", "m", spring_range[0], ANY, DP_EFFECT_REST_LENGTH, tendon_has_none),
    OF_TENDON("spring_range.lower", "m", spring_range[0], ANY, DP_EFFECT_NONE, tendon_has_slack),
    OF_TENDON("spring_range.upper", "m", spring_range[1], ANY, DP_EFFECT_NONE, tendon_has_slack),
    OF_TENDON("range.lower", "m", range[0], ANY, DP_EFFECT_NONE, tendon_is_limited),
    OF_TENDON("range.upper", "m", range[1], ANY, DP_EFFECT_NONE, tendon_is_limited),
};

#define OF_ACTUATOR(name, angular, linear, member, bounds, effect, applies)                        \
    {                                                                                              \
        name, {angular, linear}, AT(dp_actuator, member), bounds, effect, applies                  \
    }
static const dp_quantity actuator_table[] = {
    OF_ACTUATOR("kp", "N m/rad", "N/m", gain[0], NOT_NEGATIVE, DP_EFFECT_KP, is_servo),
    OF_ACTUATOR("kv", "N m s/rad", "N s/m", bias[2], ANY, DP_EFFECT_KV, is_servo),
    OF_ACTUATOR("gain", "N m", "N", gain[0], ANY, DP_EFFECT_NONE, is_no_servo),
    OF_ACTUATOR("bias", "N m", "N", bias[0], ANY, DP_EFFECT_NONE, NULL),
    OF_ACTUATOR("bias.length", "N m/rad", "N/m", bias[1], ANY, DP_EFFECT_NONE, is_no_servo),
    OF_ACTUATOR("bias.velocity", "N m s/rad", "N s/m", bias[2], ANY, DP_EFFECT_NONE, is_no_servo),
    OF_ACTUATOR("gear", "1", "1", gear[0], ANY, DP_EFFECT_NONE, has_one_gear),
    OF_ACTUATOR("time_constant", "s", "s", time_constant, POSITIVE, DP_EFFECT_NONE, is_filter),
    OF_ACTUATOR("force_range.lower", "N m", "N", force_range[0], ANY, DP_EFFECT_NONE,
                has_force_range),
    OF_ACTUATOR("force_range.upper", "N m", "N", force_range[1], ANY, DP_EFFECT_NONE,
                has_force_range),
    OF_ACTUATOR("control_range.lower", "1", "1", control_range[0], ANY, DP_EFFECT_NONE,
                has_control_range),
    OF_ACTUATOR("control_range.upper", "1", "1", control_range[1], ANY, DP_EFFECT_NONE,
                has_control_range),
};

// Kinds in the order of the list.
typedef struct family {
    const char *name;
    int kind;
    const dp_quantity *row;
    int count;
} family;

#define FAMILY(name, kind, table)                                                                  \
    {                                                                                              \
        name, kind, table, (int)(sizeof(table) / sizeof *(table))                                  \
    }
static const family FAMILIES[] = {
    FAMILY("gravity", DP_PARAMETER_OF_OPTIONS, option_table),
    FAMILY("body", DP_ELEMENT_BODY, body_table),
    FAMILY("joint", DP_ELEMENT_JOINT, joint_table),
    FAMILY("geom", DP_ELEMENT_GEOM, geom_table),
    FAMILY("pair", DP_ELEMENT_PAIR, pair_table),
    FAMILY("tendon", DP_ELEMENT_TENDON, tendon_table),
    FAMILY("actuator", DP_ELEMENT_ACTUATOR, actuator_table),
};
enum { NFAMILY = sizeof FAMILIES / sizeof *FAMILIES };

static const family *family_of(int kind)
{
    const family *f = FAMILIES;
    while (f->kind != kind) {
        ++f;
    }
    return f;
}

const dp_quantity *dp_parameter_quantity(dp_parameter p)
{
    return &family_of(p.kind)->row[p.row];
}

// ---- elements

// How many there are that may have parameters, and the first of them: the world has none.
static int element_count(const dp_model *m, int kind)
{
    return kind == DP_PARAMETER_OF_OPTIONS ? 1 : dp_model_names(m, (dp_element_kind)kind).count;
}

static int first_element(int kind)
{
    return kind == DP_ELEMENT_BODY ? 1 : 0;
}

static const void *element_of(const dp_model *m, dp_parameter p)
{
    switch (p.kind) {
    case DP_ELEMENT_BODY:
        return &m->body[p.element];
    case DP_ELEMENT_JOINT:
        return &m->joint[p.element];
    case DP_ELEMENT_GEOM:
        return &m->geom[p.element];
    case DP_ELEMENT_PAIR:
        return &m->pair[p.element];
    case DP_ELEMENT_TENDON:
        return &m->tendon[p.element];
    case DP_ELEMENT_ACTUATOR:
        return &m->actuator[p.element];
    default:
        return &m->options;
    }
}

static void *own_element(const dp_tables *t, dp_parameter p)
{
    switch (p.kind) {
    case DP_ELEMENT_BODY:
        return &t->body[p.element];
    case DP_ELEMENT_JOINT:
        return &t->joint[p.element];
    case DP_ELEMENT_GEOM:
        return &t->geom[p.element];
    case DP_ELEMENT_PAIR:
        return &t->pair[p.element];
    case DP_ELEMENT_TENDON:
        return &t->tendon[p.element];
    default:
        return &t->actuator[p.element];
    }
}

double dp_parameter_value(const dp_model *m, dp_parameter p)
{
    const dp_quantity *quantity = dp_parameter_quantity(p);
    double value;
    memcpy(&value, (const char *)element_of(m, p) + quantity->offset, sizeof value);
    return quantity->effect == DP_EFFECT_KV ? 0.0 - value : value;
}

static void set_tensor(dp_body *body, const double tensor[6])
{
    const dp_sym3 I = {.xx = tensor[0],
                       .yy = tensor[1],
                       .zz = tensor[2],
                       .xy = tensor[3],
                       .xz = tensor[4],
                       .yz = tensor[5]};
    dp_inertial inertial = body->inertial;
    dp_principal_axes(&inertial.moments, &inertial.frame.q, I);
    dp_body_set_inertial(body, &inertial);
}

void dp_parameter_put(const dp_tables *t, dp_parameter p, double value, const double tensor[6])
{
    const dp_quantity *quantity = dp_parameter_quantity(p);
    char *element = own_element(t, p);
    if (quantity->effect != DP_EFFECT_TENSOR) {
        memcpy(element + quantity->offset, &value, sizeof value);
    }
    switch (quantity->effect) {
    case DP_EFFECT_NONE:
        break;
    case DP_EFFECT_INERTIAL: {
        const dp_inertial inertial = t->body[p.element].inertial;
        dp_body_set_inertial(&t->body[p.element], &inertial);
        break;
    }
    case DP_EFFECT_TENSOR:
        set_tensor(&t->body[p.element], tensor);
        break;
    case DP_EFFECT_SPRING:
        memset(t->joint_ratio[p.element].spring_damper, 0,
               sizeof t->joint_ratio[p.element].spring_damper);
        break;
    case DP_EFFECT_MATERIAL:
    case DP_EFFECT_RIGIDITY:
        if (p.kind == DP_ELEMENT_GEOM) {
            t->geom[p.element].contact.material_given = true;
        } else {
            t->pair[p.element].contact.material_given = true;
        }
        break;
    case DP_EFFECT_SLIDING:
        t->pair[p.element].friction[1] = value;
        break;
    case DP_EFFECT_REST_LENGTH:
        t->tendon[p.element].spring_range[1] = value;
        break;
    case DP_EFFECT_KP:
        t->actuator[p.element].bias[1] = -value;
        break;
    case DP_EFFECT_KV:
        t->actuator[p.element].bias[2] = -value;
        t->actuator[p.element].damping_ratio = 0.0;
        break;
    }
}

// ---- the list

// Visit all in their order. @param out NULL: they are only counted
static int list_parameters(dp_parameter *out, const dp_model *m)
{
    int n = 0;
    for (const family *f = FAMILIES; f < FAMILIES + NFAMILY; ++f) {
        for (int i = first_element(f->kind); i < element_count(m, f->kind); ++i) {
            for (int row = 0; row < f->count; ++row) {
                if (f->row[row].applies && !f->row[row].applies(m, i)) {
                    continue;
                }
                if (out) {
                    out[n] = (dp_parameter){(uint8_t)f->kind, (uint8_t)row, i};
                }
                ++n;
            }
        }
    }
    return n;
}

dp_status dp_compile_parameters(dp_model *m)
{
    dp_parameter *list;
    m->nparameter = list_parameters(NULL, m);
    DP_TRY(dp_pool_take(&list, &m->pool, (size_t)m->nparameter, sizeof *list));
    list_parameters(list, m);
    m->parameter = list;
    return DP_OK;
}

// ---- names

void dp_parameter_element(char *out, const dp_model *m, dp_parameter p)
{
    const family *f = family_of(p.kind);
    if (p.kind == DP_PARAMETER_OF_OPTIONS) {
        snprintf(out, DP_PARAMETER_LABEL, "%s", f->name);
        return;
    }
    const char *name = dp_name_at(dp_model_names(m, (dp_element_kind)p.kind), p.element);
    const int length = snprintf(out, DP_PARAMETER_LABEL, "%s.%s", f->name, name);
    if (!*name || length >= DP_PARAMETER_LABEL) {
        snprintf(out, DP_PARAMETER_LABEL, "%s.%d", f->name, p.element);
    }
}

int dp_model_parameter_count(const dp_model *m)
{
    return m->nparameter;
}

static bool turns(const dp_joint *joint)
{
    return joint->kind == DP_JOINT_HINGE || joint->kind == DP_JOINT_BALL;
}

static const char *unit_of(const dp_model *m, dp_parameter p)
{
    const char *const *unit = dp_parameter_quantity(p)->unit;
    if (p.kind == DP_ELEMENT_JOINT) {
        const dp_joint *joint = &m->joint[p.element];
        return unit[turns(joint) ? 0 : joint->kind == DP_JOINT_SLIDE ? 1 : 2];
    }
    if (p.kind == DP_ELEMENT_ACTUATOR) {
        const int joint = m->actuator[p.element].joint;
        return unit[joint >= 0 && turns(&m->joint[joint]) ? 0 : 1];
    }
    return unit[0];
}

dp_parameter_info dp_model_parameter(const dp_model *m, dp_parameter_id parameter)
{
    dp_parameter_info info = {.unit = ""};
    if (parameter.index < 0 || parameter.index >= m->nparameter) {
        return info;
    }
    const dp_parameter p = m->parameter[parameter.index];
    const dp_quantity *quantity = dp_parameter_quantity(p);
    char element[DP_PARAMETER_LABEL];
    dp_parameter_element(element, m, p);
    snprintf(info.name, sizeof info.name, "%s.%s", element, quantity->name);
    info.unit = unit_of(m, p);
    info.value = dp_parameter_value(m, p);
    info.lower = quantity->lower;
    info.upper = quantity->upper;
    info.lower_open = quantity->lower_open;
    return info;
}

static int compare(dp_parameter a, dp_parameter b)
{
    const int of_kind = (int)(family_of(a.kind) - family_of(b.kind));
    return of_kind != 0 ? of_kind : a.element != b.element ? a.element - b.element : a.row - b.row;
}

// Its place in the list, −1: it does not apply to that element.
static int place_of(const dp_model *m, dp_parameter p)
{
    int first = 0, end = m->nparameter;
    while (first < end) {
        const int middle = first + (end - first) / 2;
        const int order = compare(m->parameter[middle], p);
        if (order == 0) {
            return middle;
        }
        if (order < 0) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    return -1;
}

// The element of a name of `length` letters: its own, or its number where it has none.
static int find_element(const dp_model *m, dp_element_kind kind, const char *name, size_t length)
{
    char copy[DP_PARAMETER_LABEL];
    if (length == 0 || length >= sizeof copy) {
        return -1;
    }
    memcpy(copy, name, length);
    copy[length] = '\0';
    const dp_name_list names = dp_model_names(m, kind);
    const int named = dp_name_find(&m->name_index[kind], names, copy);
    if (named >= 0) {
        return named;
    }
    char *end;
    const long number = strtol(copy, &end, 10);
    return *end == '\0' && copy[0] != '-' && number < names.count ? (int)number : -1;
}

// "mass, com.x, …"
static const char *list_quantities(char *out, size_t room, const family *f)
{
    size_t used = 0;
    for (int row = 0; row < f->count && used < room; ++row) {
        used += (size_t)snprintf(out + used, room - used, "%s%s", row > 0 ? ", " : "",
                                 f->row[row].name);
    }
    return out;
}

// The quantity that `rest`, "NAME.quantity", ends with, and the length of NAME; −1: none.
static int find_quantity(size_t *length, const family *f, const char *rest)
{
    const size_t all = strlen(rest);
    for (int row = 0; row < f->count; ++row) {
        const size_t n = strlen(f->row[row].name);
        if (all > n && strcmp(rest + all - n, f->row[row].name) == 0 && rest[all - n - 1] == '.') {
            *length = all - n - 1;
            return row;
        }
    }
    return -1;
}

static dp_status find_in_family(int *out, const dp_model *m, const family *f, const char *name)
{
    const char *rest = name + strlen(f->name);
    const bool of_options = f->kind == DP_PARAMETER_OF_OPTIONS;
    char quantities[512];
    size_t length = 0;
    const int row = find_quantity(&length, f, of_options ? rest : rest + 1);
    if (of_options && row >= 0) {
        *out = place_of(m, (dp_parameter){(uint8_t)f->kind, (uint8_t)row, 0});
        return DP_OK;
    }
    if (row < 0) {
        return dp_fail(DP_ERROR_ARGUMENT, "no parameter '%s' (expected %s.%s and one of %s)", name,
                       f->name, of_options ? "" : "NAME.",
                       list_quantities(quantities, sizeof quantities, f));
    }
    const int element = find_element(m, (dp_element_kind)f->kind, rest + 1, length);
    if (element < 0) {
        char copy[DP_PARAMETER_LABEL];
        snprintf(copy, sizeof copy, "%.*s", (int)length, rest + 1);
        return dp_fail_context(
            dp_name_fail(dp_model_names(m, (dp_element_kind)f->kind), f->name, copy),
            "no parameter '%s': ", name);
    }
    const int place = place_of(m, (dp_parameter){(uint8_t)f->kind, (uint8_t)row, element});
    if (place < 0) {
        return dp_fail(DP_ERROR_ARGUMENT, "no parameter '%s': %s is nothing that this %s has", name,
                       f->row[row].name, f->name);
    }
    *out = place;
    return DP_OK;
}

dp_status dp_model_find_parameter(dp_parameter_id *out, const dp_model *m, const char *name)
{
    for (const family *f = FAMILIES; name && f < FAMILIES + NFAMILY; ++f) {
        const size_t n = strlen(f->name);
        if (strncmp(name, f->name, n) == 0 && name[n] == '.') {
            return find_in_family(&out->index, m, f, name);
        }
    }
    return dp_fail(DP_ERROR_ARGUMENT,
                   "no parameter '%s' (expected body., joint., geom., pair., tendon. or "
                   "actuator.NAME.QUANTITY, or gravity.x, y, z)",
                   name ? name : "");
}
