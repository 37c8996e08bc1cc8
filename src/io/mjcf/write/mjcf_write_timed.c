// Forces and motions given by expressions. What other readers of MJCF do not know comes last, and
// only where it is needed.
#include "io/mjcf/write/mjcf_write.h"

#include <stdio.h>
#include <string.h>

static bool is_given(const char *text)
{
    return text && *text;
}

// `count` expressions, separated by ';'. None is written where none is given.
static dp_status put_expressions(dp_mjcf_writer *w, dp_element_kind kind, int i, const char *name,
                                 const char *const text[3], int count)
{
    size_t bytes = 1;
    for (int k = 0; k < 3; ++k) {
        bytes += is_given(text[k]) ? strlen(text[k]) + 2 : 2;
        if (is_given(text[k]) && (strchr(text[k], ';') || k >= count)) {
            return dp_mjcf_cannot_say(w, kind, i, "has '%.60s' for its %s (expected %s)", text[k],
                                      name, k >= count ? "one expression" : "no ';' in it");
        }
    }
    if (!is_given(text[0]) && !is_given(text[1]) && !is_given(text[2])) {
        return DP_OK;
    }
    char *joined;
    DP_TRY(dp_pool_take(&joined, &w->scratch, bytes, 1));
    size_t used = 0;
    for (int k = 0; k < count; ++k) {
        used += (size_t)snprintf(joined + used, bytes - used, "%s%s", k > 0 ? "; " : "",
                                 is_given(text[k]) ? text[k] : "");
    }
    dp_xml_put_text(&w->xml, name, joined);
    return DP_OK;
}

static int joint_components(const dp_mjcf_writer *w, const char *name)
{
    const dp_name_list names = dp_spec_names(w->spec, DP_ELEMENT_JOINT);
    const int j = dp_name_find(&w->spec->list[DP_ELEMENT_JOINT].index, names, name);
    const dp_joint_kind kind = j < 0 ? DP_JOINT_HINGE : dp_spec_joints(w->spec)[j].spec.kind;
    return kind == DP_JOINT_BALL || kind == DP_JOINT_FREE ? 3 : 1;
}

static dp_status write_force(dp_mjcf_writer *w, int i)
{
    const dp_force_spec *f = &dp_spec_forces(w->spec)[i];
    const dp_v3 origin = {0.0, 0.0, 0.0};
    const int count = is_given(f->joint) ? joint_components(w, f->joint) : 3;
    dp_xml_begin(&w->xml, "dp:force");
    dp_xml_put_text(&w->xml, "xmlns:dp", "dashpot");
    dp_xml_put_text(&w->xml, "name", f->name);
    dp_xml_put_text(&w->xml, "body", f->body);
    dp_xml_put_text(&w->xml, "site", f->site);
    dp_xml_put_text(&w->xml, "joint", f->joint);
    if (is_given(f->body)) {
        dp_mjcf_put_vector(w, "pos", f->point, origin);
    }
    dp_xml_put_text(&w->xml, "frame", f->local ? "local" : NULL);
    DP_TRY(put_expressions(w, DP_ELEMENT_FORCE, i, "force", f->force, count));
    DP_TRY(put_expressions(w, DP_ELEMENT_FORCE, i, "torque", f->torque, count));
    dp_xml_end(&w->xml, "dp:force");
    return dp_mjcf_written(w, DP_ELEMENT_FORCE, i);
}

static dp_status write_motion(dp_mjcf_writer *w, int i)
{
    const dp_motion_spec *o = &dp_spec_motions(w->spec)[i];
    const dp_motion_spec usual = dp_motion_spec_default();
    const bool joint = is_given(o->joint);
    const int turns = joint ? joint_components(w, o->joint) : 3;
    dp_xml_begin(&w->xml, "dp:motion");
    dp_xml_put_text(&w->xml, "xmlns:dp", "dashpot");
    dp_xml_put_text(&w->xml, "name", o->name);
    dp_xml_put_text(&w->xml, "joint", o->joint);
    dp_xml_put_text(&w->xml, "body", o->body);
    DP_TRY(put_expressions(w, DP_ELEMENT_MOTION, i, "position", o->position, joint ? 1 : 3));
    DP_TRY(put_expressions(w, DP_ELEMENT_MOTION, i, "rotation", o->rotation, turns));
    dp_mjcf_put_number(w, "stiffness", o->bearing.stiffness, usual.bearing.stiffness);
    dp_mjcf_put_number(w, "damping", o->bearing.damping, usual.bearing.damping);
    dp_xml_end(&w->xml, "dp:motion");
    return dp_mjcf_written(w, DP_ELEMENT_MOTION, i);
}

dp_status dp_mjcf_write_timed(dp_mjcf_writer *w)
{
    for (int i = 0; i < dp_spec_force_count(w->spec); ++i) {
        if (w->model) {
            dp_mjcf_note_lacking(w, DP_ELEMENT_FORCE, i, "a force given by expressions");
        } else {
            DP_TRY(write_force(w, i));
        }
    }
    for (int i = 0; i < dp_spec_motion_count(w->spec); ++i) {
        if (w->model) {
            dp_mjcf_note_lacking(w, DP_ELEMENT_MOTION, i, "a motion given by expressions");
        } else {
            DP_TRY(write_motion(w, i));
        }
    }
    return w->xml.status;
}
