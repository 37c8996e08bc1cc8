// Enumerations of the library, by the names that it gives their values.
#include "py_fields.h"

#include <dashpot/advanced/fc.h>
#include <dashpot/advanced/lcp.h>
#include <dashpot/advanced/statics.h>

#include <string.h>

static const char *outcome_text(int value)
{
    return dp_outcome_name((dp_outcome)value);
}
const dpy_enum dpy_outcome_enum = {"Outcome", outcome_text, DP_OUTCOME_WEAKLY_INFEASIBLE + 1};

static const char *normal_kind_text(int value)
{
    static const char *const text[] = {"spring", "hunt-crossley", "hertz"};
    return text[value];
}
const dpy_enum dpy_normal_kind_enum = {"NormalKind", normal_kind_text, DP_NORMAL_HERTZ + 1};

static const char *contact_state_text(int value)
{
    return dp_contact_state_name((dp_contact_state)value);
}
const dpy_enum dpy_contact_state_enum = {"ContactState", contact_state_text,
                                         DP_CONTACT_STATE_SLIP + 1};

static const char *row_source_text(int value)
{
    return dp_row_source_name((dp_row_source)value);
}
const dpy_enum dpy_row_source_enum = {"RowSource", row_source_text, DP_ROW_SOURCES};

static const char *row_state_text(int value)
{
    static const char *const text[] = {"open", "active", "at-lo", "at-hi", "stick", "slip"};
    return text[value];
}
const dpy_enum dpy_row_state_enum = {"RowState", row_state_text, DP_ROW_STATE_SLIP + 1};

static const char *lcp_outcome_text(int value)
{
    return dp_lcp_outcome_name((dp_lcp_outcome)value);
}
const dpy_enum dpy_lcp_outcome_enum = {"LcpOutcome", lcp_outcome_text,
                                       DP_LCP_OUTCOME_CONTRADICTORY + 1};

static const char *lcp_method_text(int value)
{
    return dp_lcp_method_name((dp_lcp_method)value);
}
const dpy_enum dpy_lcp_method_enum = {"LcpMethod", lcp_method_text, DP_LCP_METHOD_PIVOTING + 1};

static const char *fc_outcome_text(int value)
{
    return dp_fc_outcome_name((dp_fc_outcome)value);
}
const dpy_enum dpy_fc_outcome_enum = {"FcOutcome", fc_outcome_text, DP_FC_OUTCOME_INFEASIBLE + 1};

static const char *fc_method_text(int value)
{
    return dp_fc_method_name((dp_fc_method)value);
}
const dpy_enum dpy_fc_method_enum = {"FcMethod", fc_method_text, DP_FC_METHOD_CONE + 1};

static const char *reaction_bound_text(int value)
{
    static const char *const text[] = {"free", "pushes", "limited", "friction", "follows"};
    return text[value];
}
const dpy_enum dpy_reaction_bound_enum = {"ReactionBound", reaction_bound_text,
                                          DP_REACTION_BOUND_FOLLOWS + 1};

static const char *import_verdict_text(int value)
{
    static const char *const text[] = {"used", "approximated", "ignored", "refused"};
    return text[value];
}
const dpy_enum dpy_import_verdict_enum = {"ImportVerdict", import_verdict_text,
                                          DP_IMPORT_VERDICT_REFUSED + 1};

static const char *query_outcome_text(int value)
{
    static const char *const text[] = {"exact", "beyond", "capped"};
    return text[value];
}
const dpy_enum dpy_query_outcome_enum = {"QueryOutcome", query_outcome_text,
                                         DP_QUERY_OUTCOME_CAPPED + 1};

static const char *joint_kind_text(int value)
{
    return dp_joint_kind_name((dp_joint_kind)value);
}
const dpy_enum dpy_joint_kind_enum = {"JointKind", joint_kind_text, DP_JOINT_SLIDE + 1};

static const char *geom_kind_text(int value)
{
    return dp_geom_kind_name((dp_geom_kind)value);
}
const dpy_enum dpy_geom_kind_enum = {"GeomKind", geom_kind_text, DP_GEOM_HFIELD + 1};

static const char *transmission_text(int value)
{
    return dp_transmission_name((dp_transmission)value);
}
const dpy_enum dpy_transmission_enum = {"Transmission", transmission_text,
                                        DP_TRANSMISSION_SITE + 1};

static const char *sensor_kind_text(int value)
{
    return dp_sensor_kind_name((dp_sensor_kind)value);
}
const dpy_enum dpy_sensor_kind_enum = {"SensorKind", sensor_kind_text, DP_SENSOR_KINDS};

static const char *mesh_inertia_text(int value)
{
    return dp_mesh_inertia_name((dp_mesh_inertia)value);
}
const dpy_enum dpy_mesh_inertia_enum = {"MeshInertia", mesh_inertia_text,
                                        DP_MESH_INERTIA_LEGACY + 1};

static const char *equality_kind_text(int value)
{
    return dp_equality_kind_name((dp_equality_kind)value);
}
const dpy_enum dpy_equality_kind_enum = {"EqualityKind", equality_kind_text, DP_EQUALITY_PLANE + 1};

static const char *box_face_text(int value)
{
    static const char *const text[] = {"minus-z", "plus-z",  "minus-y",
                                       "plus-y",  "minus-x", "plus-x"};
    return text[value];
}
const dpy_enum dpy_box_face_enum = {"BoxFace", box_face_text, DP_BOX_FACE_PLUS_X + 1};

static const char *inertia_source_text(int value)
{
    static const char *const text[] = {"geoms", "given"};
    return text[value];
}
const dpy_enum dpy_inertia_source_enum = {"InertiaSource", inertia_source_text,
                                          DP_INERTIA_SOURCE_GIVEN + 1};

static const char *actuator_dynamics_text(int value)
{
    static const char *const text[] = {"none", "integrator", "filter", "filter-exact"};
    return text[value];
}
const dpy_enum dpy_actuator_dynamics_enum = {"ActuatorDynamics", actuator_dynamics_text,
                                             DP_ACTUATOR_DYNAMICS_FILTER_EXACT + 1};

static const char *object_kind_text(int value)
{
    return dp_object_kind_name((dp_object_kind)value);
}
const dpy_enum dpy_object_kind_enum = {"ObjectKind", object_kind_text, DP_OBJECT_SUBTREE + 1};

static const char *wrap_kind_text(int value)
{
    return dp_wrap_kind_name((dp_wrap_kind)value);
}
const dpy_enum dpy_wrap_kind_enum = {"WrapKind", wrap_kind_text, DP_WRAP_PULLEY + 1};

static const char *stabilisation_text(int value)
{
    return dp_stabilisation_name((dp_stabilisation)value);
}
const dpy_enum dpy_stabilisation_enum = {"Stabilisation", stabilisation_text,
                                         DP_STABILISATION_PROJECTION + 1};

static const char *rigid_weights_text(int value)
{
    return dp_rigid_weights_name((dp_rigid_weights)value);
}
const dpy_enum dpy_rigid_weights_enum = {"RigidWeights", rigid_weights_text,
                                         DP_RIGID_WEIGHTS_EQUAL + 1};

static const char *impact_rule_text(int value)
{
    return dp_impact_rule_name((dp_impact_rule)value);
}
const dpy_enum dpy_impact_rule_enum = {"ImpactRule", impact_rule_text, DP_IMPACT_RULE_NEWTON + 1};

static const char *polyhedral_method_text(int value)
{
    return dp_polyhedral_method_name((dp_polyhedral_method)value);
}
const dpy_enum dpy_polyhedral_method_enum = {"PolyhedralMethod", polyhedral_method_text,
                                             DP_POLYHEDRAL_METHOD_MAP + 1};

static const char *vi_friction_text(int value)
{
    return dp_vi_friction_name((dp_vi_friction)value);
}
const dpy_enum dpy_vi_friction_enum = {"ViFriction", vi_friction_text, DP_VI_FRICTION_DISC + 1};

static const char *law_kind_text(int value)
{
    return dp_law_name((dp_law_kind)value);
}
const dpy_enum dpy_law_kind_enum = {"LawKind", law_kind_text, DP_LAW_TAMSI + 1};

static const char *integrator_text(int value)
{
    return dp_integrator_name((dp_integrator)value);
}
const dpy_enum dpy_integrator_enum = {"Integrator", integrator_text, DP_INTEGRATOR_CVODE + 1};

static const char *contact_reduction_text(int value)
{
    static const char *const text[] = {"none", "deepest", "strongest", "sum"};
    return text[value];
}
const dpy_enum dpy_contact_reduction_enum = {"ContactReduction", contact_reduction_text,
                                             DP_CONTACT_REDUCTION_SUM + 1};

static const char *mesh_contact_text(int value)
{
    static const char *const text[] = {"auto", "hull", "triangles"};
    return text[value];
}
const dpy_enum dpy_mesh_contact_enum = {"MeshContact", mesh_contact_text,
                                        DP_MESH_CONTACT_TRIANGLES + 1};

static const char *status_text(int value)
{
    return dp_status_name((dp_status)value) + strlen("DP_");
}
const dpy_enum dpy_status_enum = {"Status", status_text, DP_ERROR_INTERRUPTED + 1};

const dpy_enum *const dpy_enums[] = {
    &dpy_status_enum,
    &dpy_mesh_contact_enum,
    &dpy_contact_reduction_enum,
    &dpy_outcome_enum,
    &dpy_normal_kind_enum,
    &dpy_contact_state_enum,
    &dpy_row_source_enum,
    &dpy_row_state_enum,
    &dpy_lcp_outcome_enum,
    &dpy_lcp_method_enum,
    &dpy_fc_outcome_enum,
    &dpy_fc_method_enum,
    &dpy_reaction_bound_enum,
    &dpy_import_verdict_enum,
    &dpy_query_outcome_enum,
    &dpy_joint_kind_enum,
    &dpy_geom_kind_enum,
    &dpy_transmission_enum,
    &dpy_sensor_kind_enum,
    &dpy_mesh_inertia_enum,
    &dpy_equality_kind_enum,
    &dpy_box_face_enum,
    &dpy_inertia_source_enum,
    &dpy_actuator_dynamics_enum,
    &dpy_object_kind_enum,
    &dpy_wrap_kind_enum,
    &dpy_stabilisation_enum,
    &dpy_rigid_weights_enum,
    &dpy_impact_rule_enum,
    &dpy_polyhedral_method_enum,
    &dpy_vi_friction_enum,
    &dpy_law_kind_enum,
    &dpy_integrator_enum,
    NULL,
};
