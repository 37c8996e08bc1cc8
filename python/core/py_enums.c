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
const dpy_enum dpy_outcome_enum = {"Outcome", outcome_text, 5};

static const char *normal_kind_text(int value)
{
    static const char *const text[] = {"spring", "hunt-crossley", "hertz"};
    return text[value];
}
const dpy_enum dpy_normal_kind_enum = {"NormalKind", normal_kind_text, 3};

static const char *contact_state_text(int value)
{
    return dp_contact_state_name((dp_contact_state)value);
}
const dpy_enum dpy_contact_state_enum = {"ContactState", contact_state_text, 3};

static const char *row_source_text(int value)
{
    return dp_row_source_name((dp_row_source)value);
}
const dpy_enum dpy_row_source_enum = {"RowSource", row_source_text, 11};

static const char *row_state_text(int value)
{
    static const char *const text[] = {"open", "active", "at-lo", "at-hi", "stick", "slip"};
    return text[value];
}
const dpy_enum dpy_row_state_enum = {"RowState", row_state_text, 6};

static const char *lcp_outcome_text(int value)
{
    return dp_lcp_outcome_name((dp_lcp_outcome)value);
}
const dpy_enum dpy_lcp_outcome_enum = {"LcpOutcome", lcp_outcome_text, 5};

static const char *lcp_method_text(int value)
{
    return dp_lcp_method_name((dp_lcp_method)value);
}
const dpy_enum dpy_lcp_method_enum = {"LcpMethod", lcp_method_text, 3};

static const char *fc_outcome_text(int value)
{
    return dp_fc_outcome_name((dp_fc_outcome)value);
}
const dpy_enum dpy_fc_outcome_enum = {"FcOutcome", fc_outcome_text, 3};

static const char *fc_method_text(int value)
{
    return dp_fc_method_name((dp_fc_method)value);
}
const dpy_enum dpy_fc_method_enum = {"FcMethod", fc_method_text, 3};

static const char *reaction_bound_text(int value)
{
    static const char *const text[] = {"free", "pushes", "limited", "friction", "follows"};
    return text[value];
}
const dpy_enum dpy_reaction_bound_enum = {"ReactionBound", reaction_bound_text, 5};

static const char *import_verdict_text(int value)
{
    static const char *const text[] = {"used", "approximated", "ignored", "refused"};
    return text[value];
}
const dpy_enum dpy_import_verdict_enum = {"ImportVerdict", import_verdict_text, 4};

static const char *query_outcome_text(int value)
{
    static const char *const text[] = {"exact", "beyond", "capped"};
    return text[value];
}
const dpy_enum dpy_query_outcome_enum = {"QueryOutcome", query_outcome_text, 3};

static const char *joint_kind_text(int value)
{
    return dp_joint_kind_name((dp_joint_kind)value);
}
const dpy_enum dpy_joint_kind_enum = {"JointKind", joint_kind_text, 4};

static const char *geom_kind_text(int value)
{
    return dp_geom_kind_name((dp_geom_kind)value);
}
const dpy_enum dpy_geom_kind_enum = {"GeomKind", geom_kind_text, 8};

static const char *transmission_text(int value)
{
    return dp_transmission_name((dp_transmission)value);
}
const dpy_enum dpy_transmission_enum = {"Transmission", transmission_text, 3};

static const char *sensor_kind_text(int value)
{
    return dp_sensor_kind_name((dp_sensor_kind)value);
}
const dpy_enum dpy_sensor_kind_enum = {"SensorKind", sensor_kind_text, 39};

static const char *mesh_inertia_text(int value)
{
    return dp_mesh_inertia_name((dp_mesh_inertia)value);
}
const dpy_enum dpy_mesh_inertia_enum = {"MeshInertia", mesh_inertia_text, 4};

static const char *equality_kind_text(int value)
{
    return dp_equality_kind_name((dp_equality_kind)value);
}
const dpy_enum dpy_equality_kind_enum = {"EqualityKind", equality_kind_text, 6};

static const char *box_face_text(int value)
{
    static const char *const text[] = {"minus-z", "plus-z",  "minus-y",
                                       "plus-y",  "minus-x", "plus-x"};
    return text[value];
}
const dpy_enum dpy_box_face_enum = {"BoxFace", box_face_text, 6};

static const char *inertia_source_text(int value)
{
    static const char *const text[] = {"geoms", "given"};
    return text[value];
}
const dpy_enum dpy_inertia_source_enum = {"InertiaSource", inertia_source_text, 2};

static const char *actuator_dynamics_text(int value)
{
    static const char *const text[] = {"none", "integrator", "filter", "filter-exact"};
    return text[value];
}
const dpy_enum dpy_actuator_dynamics_enum = {"ActuatorDynamics", actuator_dynamics_text, 4};

static const char *object_kind_text(int value)
{
    return dp_object_kind_name((dp_object_kind)value);
}
const dpy_enum dpy_object_kind_enum = {"ObjectKind", object_kind_text, 8};

static const char *wrap_kind_text(int value)
{
    return dp_wrap_kind_name((dp_wrap_kind)value);
}
const dpy_enum dpy_wrap_kind_enum = {"WrapKind", wrap_kind_text, 4};

static const char *stabilisation_text(int value)
{
    return dp_stabilisation_name((dp_stabilisation)value);
}
const dpy_enum dpy_stabilisation_enum = {"Stabilisation", stabilisation_text, 2};

static const char *rigid_weights_text(int value)
{
    return dp_rigid_weights_name((dp_rigid_weights)value);
}
const dpy_enum dpy_rigid_weights_enum = {"RigidWeights", rigid_weights_text, 2};

static const char *impact_rule_text(int value)
{
    return dp_impact_rule_name((dp_impact_rule)value);
}
const dpy_enum dpy_impact_rule_enum = {"ImpactRule", impact_rule_text, 3};

static const char *polyhedral_method_text(int value)
{
    return dp_polyhedral_method_name((dp_polyhedral_method)value);
}
const dpy_enum dpy_polyhedral_method_enum = {"PolyhedralMethod", polyhedral_method_text, 3};

static const char *vi_friction_text(int value)
{
    return dp_vi_friction_name((dp_vi_friction)value);
}
const dpy_enum dpy_vi_friction_enum = {"ViFriction", vi_friction_text, 2};

static const char *tamsi_scheme_text(int value)
{
    return dp_tamsi_scheme_name((dp_tamsi_scheme)value);
}
const dpy_enum dpy_tamsi_scheme_enum = {"TamsiScheme", tamsi_scheme_text, 2};

static const char *tamsi_search_text(int value)
{
    return dp_tamsi_search_name((dp_tamsi_search)value);
}
const dpy_enum dpy_tamsi_search_enum = {"TamsiSearch", tamsi_search_text, 2};

static const char *ode_integrator_text(int value)
{
    return dp_ode_integrator_name((dp_ode_integrator)value);
}
const dpy_enum dpy_ode_integrator_enum = {"OdeIntegrator", ode_integrator_text, 3};

static const char *ode_newton_text(int value)
{
    return dp_ode_newton_name((dp_ode_newton)value);
}
const dpy_enum dpy_ode_newton_enum = {"OdeNewton", ode_newton_text, 2};

static const char *law_kind_text(int value)
{
    return dp_law_name((dp_law_kind)value);
}
const dpy_enum dpy_law_kind_enum = {"LawKind", law_kind_text, 6};

static const char *integrator_text(int value)
{
    static const char *const text[] = {"semi-implicit", "rk4", "rk45"};
    return text[value];
}
const dpy_enum dpy_integrator_enum = {"Integrator", integrator_text, 3};

static const char *status_text(int value)
{
    return dp_status_name((dp_status)value) + strlen("DP_");
}
const dpy_enum dpy_status_enum = {"Status", status_text, DP_ERROR_INTERRUPTED + 1};

const dpy_enum *const dpy_enums[] = {
    &dpy_status_enum,         &dpy_outcome_enum,
    &dpy_normal_kind_enum,    &dpy_contact_state_enum,
    &dpy_row_source_enum,     &dpy_row_state_enum,
    &dpy_lcp_outcome_enum,    &dpy_lcp_method_enum,
    &dpy_fc_outcome_enum,     &dpy_fc_method_enum,
    &dpy_reaction_bound_enum, &dpy_import_verdict_enum,
    &dpy_query_outcome_enum,  &dpy_joint_kind_enum,
    &dpy_geom_kind_enum,      &dpy_transmission_enum,
    &dpy_sensor_kind_enum,    &dpy_mesh_inertia_enum,
    &dpy_equality_kind_enum,  &dpy_box_face_enum,
    &dpy_inertia_source_enum, &dpy_actuator_dynamics_enum,
    &dpy_object_kind_enum,    &dpy_wrap_kind_enum,
    &dpy_stabilisation_enum,  &dpy_rigid_weights_enum,
    &dpy_impact_rule_enum,    &dpy_polyhedral_method_enum,
    &dpy_vi_friction_enum,    &dpy_tamsi_scheme_enum,
    &dpy_tamsi_search_enum,   &dpy_ode_integrator_enum,
    &dpy_ode_newton_enum,     &dpy_law_kind_enum,
    &dpy_integrator_enum,     NULL,
};
