// <option>, <flag> and <dp:option>.
#include "io/mjcf/mjcf.h"

#include "math/v3.h"
#include "model/spec/spec.h"

#include <dashpot/model.h>

#include <stdio.h>
#include <string.h>

static dp_status read_integrator(dp_mjcf *m, const dp_xml_node *node)
{
    const dp_xml_attribute *attribute = dp_xml_find(node, "integrator");
    if (!attribute) {
        return DP_OK;
    }
    enum { EULER, RK4 }; // the order of the schema's keywords
    dp_options *o = dp_spec_options(m->spec);
    switch (attribute->keyword) {
    case EULER:
        o->integrator = DP_INTEGRATOR_SEMI_IMPLICIT;
        return DP_OK;
    case RK4:
        o->integrator = DP_INTEGRATOR_RK4;
        return DP_OK;
    default:
        break;
    }
    char note[200];
    snprintf(note, sizeof note,
             "%.40s by the semi-implicit step: joint springs and dampers are implicit, other "
             "velocity-dependent forces explicit",
             attribute->value);
    o->integrator = DP_INTEGRATOR_SEMI_IMPLICIT;
    return dp_mjcf_judge(m, node, attribute, DP_IMPORT_VERDICT_APPROXIMATED, note);
}

static void read_vector(dp_v3 *out, const dp_mjcf_view *view, const char *name)
{
    double x[3];
    dp_v3_store(x, *out);
    dp_mjcf_numbers(x, view, name);
    *out = dp_v3_load(x);
}

static dp_status read_option(dp_mjcf *m, const dp_xml_node *node)
{
    dp_options *o = dp_spec_options(m->spec);
    const dp_mjcf_view view = {.node = node};
    o->step = dp_mjcf_number(&view, "timestep", o->step);
    if (!(o->step > 0.0)) {
        return dp_mjcf_fail(node, "found timestep %g (expected a positive time)", o->step);
    }
    read_vector(&o->gravity, &view, "gravity");
    read_vector(&o->magnetic, &view, "magnetic");
    read_vector(&o->wind, &view, "wind");
    o->fluid_density = dp_mjcf_number(&view, "density", o->fluid_density);
    o->fluid_viscosity = dp_mjcf_number(&view, "viscosity", o->fluid_viscosity);
    return read_integrator(m, node);
}

static void disable(bool *out, const dp_xml_node *node, const char *name)
{
    const dp_xml_attribute *attribute = dp_xml_find(node, name);
    if (attribute) {
        *out = attribute->keyword == 0; // "disable enable"
    }
}

static dp_status read_flags(dp_mjcf *m, const dp_xml_node *node)
{
    dp_options *o = dp_spec_options(m->spec);
    bool constraint = false, passive = false;
    disable(&constraint, node, "constraint");
    disable(&passive, node, "passive");
    disable(&m->disabled.contact, node, "contact");
    disable(&m->disabled.limits, node, "limit");
    disable(&m->disabled.friction_loss, node, "frictionloss");
    disable(&m->disabled.equality, node, "equality");
    disable(&o->disable_springs, node, "spring");
    disable(&o->disable_dampers, node, "damper");
    disable(&o->disable_gravity, node, "gravity");
    disable(&o->disable_clamp_control, node, "clampctrl");
    disable(&o->disable_actuation, node, "actuation");
    if (constraint) {
        m->disabled = (dp_mjcf_disabled){true, true, true, true};
    }
    if (passive) {
        o->disable_springs = o->disable_dampers = true;
    }
    o->disable_contact = m->disabled.contact;
    o->disable_limits = m->disabled.limits;
    o->disable_equality = m->disabled.equality;
    bool neighbours = false;
    disable(&neighbours, node, "filterparent");
    return neighbours ? dp_mjcf_refuse(m, node, dp_xml_find(node, "filterparent"), "filterparent",
                                       "bodies do not touch those that they hang from")
                      : DP_OK;
}

static dp_status read_own_option(dp_mjcf *m, const dp_xml_node *node)
{
    dp_options *o = dp_spec_options(m->spec);
    const dp_xml_attribute *law = dp_xml_find(node, "law");
    for (int i = law ? -1 : 0; i < node->nattribute; ++i) { // an integrator comes after the law
        const dp_xml_attribute *attribute = i < 0 ? law : &node->attribute[i];
        if (attribute->rule && (i < 0 || attribute != law)) { // else it is of another namespace
            const dp_status status = dp_options_set(o, attribute->name, attribute->value);
            if (status != DP_OK) {
                return dp_mjcf_located(node, dp_fail_context(status, "dp:option: "));
            }
        }
    }
    m->disabled.contact = o->disable_contact;
    m->disabled.limits = o->disable_limits;
    m->disabled.equality = o->disable_equality;
    return DP_OK;
}

dp_status dp_mjcf_read_option(dp_mjcf *m)
{
    for (dp_xml_node *s = NULL; (s = dp_mjcf_section(m, "option", s));) {
        DP_TRY(read_option(m, s));
        for (dp_xml_node *flag = s->child; flag; flag = flag->next) {
            if (strcmp(flag->name, "flag") == 0) {
                DP_TRY(read_flags(m, flag));
            }
        }
    }
    for (dp_xml_node *s = NULL; (s = dp_mjcf_section(m, "dp:option", s));) {
        DP_TRY(read_own_option(m, s));
    }
    return DP_OK;
}

const char *dp_mjcf_find_rows(const dp_spec *spec)
{
    const dp_options *o = &spec->options;
    for (int i = 0; i < dp_spec_joint_count(spec); ++i) {
        const dp_joint_spec *joint = &dp_spec_joints(spec)[i].spec;
        if (joint->limited && joint->kind != DP_JOINT_FREE && !o->disable_limits) {
            return "limits of joints";
        }
        if (joint->friction_loss > 0.0) {
            return "dry friction";
        }
    }
    for (int i = 0; i < dp_spec_equality_count(spec) && !o->disable_equality; ++i) {
        if (dp_spec_equalities(spec)[i].active) {
            return "equalities";
        }
    }
    for (int i = 0; i < dp_spec_tendon_count(spec); ++i) {
        const dp_tendon_spec *t = &dp_spec_tendons(spec)[i];
        if ((t->limited && !o->disable_limits) || (t->stiffness > 0.0 && !o->disable_springs) ||
            (t->damping > 0.0 && !o->disable_dampers) || t->friction_loss > 0.0) {
            return "tendons";
        }
    }
    return NULL;
}

bool dp_mjcf_has_masks(const dp_spec *spec)
{
    bool touched = false, touches = false;
    for (int i = 0; i < dp_spec_geom_count(spec); ++i) {
        touches = touches || dp_spec_geoms(spec)[i].spec.contype != 0;
        touched = touched || dp_spec_geoms(spec)[i].spec.conaffinity != 0;
    }
    return !spec->options.disable_contact && ((touches && touched) || dp_spec_pair_count(spec) > 0);
}

// Could geoms touch? Which, the compiler knows; what it refuses is not refused here.
static dp_status find_touch(bool *out, const dp_spec *spec)
{
    *out = false;
    if (!dp_mjcf_has_masks(spec)) {
        return DP_OK;
    }
    dp_model *model;
    const dp_status status = dp_model_compile(&model, spec);
    *out = model && dp_model_sizes(model)->ntouch != 0;
    dp_model_destroy(model);
    return status == DP_ERROR_MEMORY ? status : DP_OK;
}

dp_status dp_mjcf_settle_integrator(dp_mjcf *m)
{
    dp_options *o = dp_spec_options(m->spec);
    const char *rows = o->integrator == DP_INTEGRATOR_RK4 ? dp_mjcf_find_rows(m->spec) : NULL;
    if (o->integrator == DP_INTEGRATOR_RK4 && !rows) {
        bool touch;
        DP_TRY(find_touch(&touch, m->spec));
        rows = touch ? "contacts" : NULL;
    }
    bool own = false; // the author has asked for it in our own words
    for (dp_xml_node *s = NULL; (s = dp_mjcf_section(m, "dp:option", s));) {
        own = own || dp_xml_find(s, "integrator");
    }
    for (dp_xml_node *s = NULL; rows && !own && (s = dp_mjcf_section(m, "option", s));) {
        const dp_xml_attribute *attribute = dp_xml_find(s, "integrator");
        if (attribute) {
            char note[140];
            snprintf(note, sizeof note, "%.40s by the semi-implicit step, which %s need",
                     attribute->value, rows);
            o->integrator = DP_INTEGRATOR_SEMI_IMPLICIT;
            DP_TRY(dp_mjcf_judge(m, s, attribute, DP_IMPORT_VERDICT_APPROXIMATED, note));
        }
    }
    return DP_OK;
}
