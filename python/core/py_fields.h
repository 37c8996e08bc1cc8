// Structs of the library as Python sees them: a table of their members makes a type of Python with
// a property for each, a dtype of NumPy, and a way to set members from keywords.
//
// To add a property: a line in the table of its struct (py_results.c, py_outcomes.c, py_infos.c,
// py_options.c, py_specs.c).
#ifndef DASHPOT_PYTHON_FIELDS_H
#define DASHPOT_PYTHON_FIELDS_H

#include "py_core.h"

/// What a member is.
typedef enum dpy_kind {
    DPY_BOOL,
    DPY_INT,
    DPY_LONG,  ///< long long
    DPY_INT64, ///< int64_t, also uint64_t
    DPY_DOUBLE,
    DPY_NAME,    ///< count chars in a row
    DPY_TEXT,    ///< const char *, may be NULL: None
    DPY_ENUM,    ///< of = dpy_enum: its name
    DPY_ID,      ///< a dp_…_id: its number
    DPY_VECTOR,  ///< count doubles in a row
    DPY_FLOATS,  ///< count floats in a row
    DPY_INTS,    ///< count ints (or ids) in a row
    DPY_TEXTS,   ///< count const char * in a row
    DPY_STRUCT,  ///< of = dpy_struct
    DPY_STRUCTS, ///< of = dpy_struct: a pointer to as many as the int at `counter` says
    DPY_DOUBLES, ///< a pointer to count doubles for each of as many as the int at `counter` says
    DPY_WHOLES,  ///< the same of ints
    DPY_GRID,    ///< a pointer to rows × columns doubles, by the two ints at `counter`
} dpy_kind;

/// The names of the values of an enumeration, from 0.
typedef struct dpy_enum {
    const char *name;
    const char *(*text)(int value);
    int count;
} dpy_enum;

typedef struct dpy_field {
    const char *name;
    dpy_kind kind;
    size_t offset;
    int count;
    void *of;
    size_t counter; ///< where the int is that counts; where the bool is that says `given`. 0: none
    const char *doc;
} dpy_field;

typedef struct dpy_struct {
    const char *name; ///< of the type in Python
    const char *doc;
    size_t size;
    const dpy_field *field;
    int nfield;
    PyTypeObject *type; ///< made when the module is imported
    PyObject *dtype;    ///< of NumPy: made when it is asked for first
} dpy_struct;

// Rows of tables: a member of struct S under its own name. No control flow is in them.
#define DPY_MEMBER(S, member, kind, doc)                                                           \
    {                                                                                              \
#member, kind, offsetof(S, member), 1, NULL, 0, doc                                        \
    }
#define DPY_ARRAY(S, member, kind, count, doc)                                                     \
    {                                                                                              \
#member, kind, offsetof(S, member), count, NULL, 0, doc                                    \
    }
#define DPY_OF(S, member, kind, of, doc)                                                           \
    {                                                                                              \
#member, kind, offsetof(S, member), 1, of, 0, doc                                          \
    }
#define DPY_GIVEN(S, member, kind, count, of, flag, doc)                                           \
    {                                                                                              \
#member, kind, offsetof(S, member), count, of, offsetof(S, flag), doc                      \
    }
#define DPY_AS(S, text, member, kind, count, doc)                                                  \
    {                                                                                              \
        text, kind, offsetof(S, member), count, NULL, 0, doc                                       \
    }
#define DPY_TABLE(S, title, fields, doc)                                                           \
    {                                                                                              \
        title, doc, sizeof(S), fields, (int)(sizeof(fields) / sizeof((fields)[0])), NULL, NULL     \
    }

/// dp_energy, and its sum.
typedef struct dpy_energy {
    double kinetic, gravity, spring, total;
} dpy_energy;

/// Where a body is and how it moves, and what its contacts do to it. World axes.
typedef struct dpy_body_state {
    dp_pose pose;
    dp_pose inertial;  ///< centre of mass and principal axes
    dp_twist velocity; ///< of its origin
    dp_wrench contact; ///< about the centre of mass
} dpy_body_state;

extern dpy_struct dpy_body_state_struct, dpy_certificate_struct, dpy_step_work_struct,
    dpy_step_report_struct, dpy_energy_struct, dpy_ledger_struct, dpy_momentum_struct,
    dpy_friction_struct, dpy_normal_struct, dpy_contact_struct, dpy_row_info_struct,
    dpy_foundation_load_struct, dpy_parameter_info_struct, dpy_batch_result_struct,
    dpy_lcp_info_struct, dpy_fc_residual_struct, dpy_fc_info_struct, dpy_solve_info_struct,
    dpy_ray_certificate_struct, dpy_row_struct, dpy_statics_info_struct, dpy_reaction_struct,
    dpy_import_item_struct, dpy_contact_point_struct, dpy_distance_struct, dpy_found_contact_struct,
    dpy_ray_hit_struct, dpy_model_size_struct, dpy_inertial_struct, dpy_bearing_struct,
    dpy_body_info_struct, dpy_joint_info_struct, dpy_geom_info_struct, dpy_site_info_struct,
    dpy_actuator_info_struct, dpy_sensor_info_struct, dpy_mesh_info_struct, dpy_hfield_info_struct,
    dpy_pair_info_struct, dpy_exclude_info_struct, dpy_tendon_info_struct, dpy_equality_info_struct,
    dpy_force_info_struct, dpy_motion_info_struct, dpy_material_struct, dpy_muscle_struct,
    dpy_contact_spec_struct, dpy_foundation_spec_struct, dpy_body_spec_struct,
    dpy_joint_spec_struct, dpy_geom_spec_struct, dpy_site_spec_struct, dpy_actuator_spec_struct,
    dpy_sensor_spec_struct, dpy_mesh_spec_struct, dpy_hfield_spec_struct, dpy_pair_spec_struct,
    dpy_exclude_spec_struct, dpy_wrap_spec_struct, dpy_tendon_spec_struct, dpy_equality_spec_struct,
    dpy_key_spec_struct, dpy_force_spec_struct, dpy_motion_spec_struct, dpy_rigid_options_struct,
    dpy_impact_options_struct, dpy_polyhedral_options_struct, dpy_vi_options_struct,
    dpy_regularised_options_struct, dpy_tamsi_options_struct, dpy_law_options_struct,
    dpy_options_struct;
/// What is known of an element, and how it is described, by dpy_element; NULL: nothing.
extern dpy_struct *const dpy_info_struct[DPY_ELEMENTS], *const dpy_spec_struct[DPY_ELEMENTS];

extern const dpy_enum dpy_status_enum, dpy_mesh_contact_enum, dpy_contact_reduction_enum,
    dpy_outcome_enum, dpy_normal_kind_enum, dpy_contact_state_enum, dpy_row_source_enum,
    dpy_row_state_enum, dpy_lcp_outcome_enum, dpy_lcp_method_enum, dpy_fc_outcome_enum,
    dpy_fc_method_enum, dpy_reaction_bound_enum, dpy_import_verdict_enum, dpy_query_outcome_enum,
    dpy_joint_kind_enum, dpy_geom_kind_enum, dpy_transmission_enum, dpy_sensor_kind_enum,
    dpy_mesh_inertia_enum, dpy_equality_kind_enum, dpy_box_face_enum, dpy_inertia_source_enum,
    dpy_actuator_dynamics_enum, dpy_object_kind_enum, dpy_wrap_kind_enum, dpy_stabilisation_enum,
    dpy_rigid_weights_enum, dpy_impact_rule_enum, dpy_polyhedral_method_enum, dpy_vi_friction_enum,
    dpy_law_kind_enum, dpy_integrator_enum;
extern const dpy_enum *const dpy_enums[];

/// Make the types of all structs and add them to the module, with their enumerations.
bool dpy_fields_init(PyObject *module);

/// A record with a copy of `value`. What its strings point to is kept alive by `keep` (may be
/// NULL).
PyObject *dpy_record(dpy_struct *type, const void *value, PyObject *keep);
/// A record of memory that `owner` keeps alive and that changes with it; members can be set.
PyObject *dpy_record_live(dpy_struct *type, void *memory, PyObject *owner);
/// The same of memory that may move: fetch(owner, kind, index) has it now, or NULL with an
/// exception. Strings that are set are kept in `strings`, a list.
typedef void *(*dpy_fetch)(PyObject *owner, int kind, int index);
PyObject *dpy_record_fetched(dpy_struct *type, dpy_fetch fetch, PyObject *owner, int kind,
                             int index, PyObject *strings);

/// Where the struct of a record is now; NULL with an exception.
const void *dpy_record_memory(PyObject *self);

/// Set one member of the struct at `base`, which stays as it was where that fails. What it points
/// to is kept in `keep`, a list.
bool dpy_write(dpy_struct *type, const dpy_field *f, char *base, PyObject *value, PyObject *keep);
/// Set members from a dict. What they point to is kept in `keep`, a list. Raises ArgumentError that
/// names what has no such member, or TypeError.
bool dpy_write_all(dpy_struct *type, void *memory, PyObject *values, PyObject *keep);

/// A structured array of `count` structs, filled by get(out, index, context).
typedef void (*dpy_get)(void *out, int index, const void *context);
PyObject *dpy_rows(dpy_struct *type, int count, dpy_get get, const void *context);

#endif
