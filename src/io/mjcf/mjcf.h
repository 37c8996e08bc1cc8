// How an MJCF file becomes a spec. Reading order: mjcf.c, then the files in the order of its calls.
//
// The file is read once into a tree (xml.c), includes are put in place (mjcf_include.c), and every
// element and attribute is checked against the schema and entered into the report (mjcf_check.c).
// From then on a reader finds numbers and keywords parsed, of the right count, and every name
// known: readers see meaning only.
#ifndef DP_FORMAT_MJCF_H
#define DP_FORMAT_MJCF_H

#include "io/mjcf/schema/mjcf_schema.h"
#include "model/name_index.h"
#include "model/names.h"

#include <dashpot/spec.h>

#include <limits.h>

/// <compiler>
typedef struct dp_mjcf_compiler {
    bool degrees, autolimits, balance_inertia;
    bool strip_path, fit_box, exact_mesh_inertia;
    bool global;             // coordinates are those of the world, as in MuJoCo 2
    const char *mesh_folder; // of meshes and height fields, "": none
    char euler_order[3];     // x y z: about moving axes; X Y Z: about fixed axes
    enum { DP_MJCF_INERTIA_GIVEN, DP_MJCF_INERTIA_GEOMS, DP_MJCF_INERTIA_AUTO } inertia_from_geom;
    int inertia_group[2];
    double bound_mass, bound_inertia, total_mass; // total_mass ≤ 0: as it is
} dp_mjcf_compiler;

/// What <flag> switches off and the spec has no switch for.
typedef struct dp_mjcf_disabled {
    bool contact, limits, friction_loss, equality;
} dp_mjcf_disabled;

/// An actuator before its ranges are settled. mjcf_actuator.c
typedef struct dp_mjcf_actuator dp_mjcf_actuator;
struct dp_mjcf_actuator {
    dp_status (*set)(dp_mjcf_actuator *a, const dp_xml_node *node); // of its kind; NULL: none yet
    int control_limited, force_limited, activation_limited;         // false, true, auto
    double control_range[2], force_range[2], activation_range[2];
    double gear[6], length_range[2];
    int dynamics, gain_kind, bias_kind; // indices of the schema's keywords
    double dynamics_parameter[10], gain[10], bias[10];
    double inherit_range;
    int activation_count;                // −1: as usual for the dynamics
    const dp_xml_attribute *refused[16]; // attributes that are refused where they are used
    int nrefused;
};

typedef struct dp_mjcf_class dp_mjcf_class;
struct dp_mjcf_class {
    const char *name;
    const dp_xml_attribute **attribute[DP_MJCF_KINDS]; // by the schema's index; NULL: not set
    dp_mjcf_actuator actuator;
    const dp_mjcf_class *around; // NULL: the outermost
    dp_mjcf_class *alias_of;     // another name for this class; NULL: none
    dp_mjcf_class *next;         // with the same hash
};

enum { DP_MJCF_BUCKETS = 1024 };

/// What the children of a body or frame need to know.
typedef struct dp_mjcf_scope {
    dp_body_id body;
    dp_pose frame; // of the enclosing <frame>s, in the body; of the world where that is meant
    const dp_mjcf_class *class;
} dp_mjcf_scope;

/// A <mesh> or <hfield>. mjcf_asset.c
typedef struct dp_mjcf_asset {
    const char *name;
    dp_xml_node *node;
    bool asked;          // something needs it: it is in the spec, or there is a problem
    const char *problem; // why it cannot be used; NULL: none
} dp_mjcf_asset;

typedef struct dp_mjcf_assets {
    dp_mjcf_asset *at;
    int count;
    dp_name_index index;
} dp_mjcf_assets;

/// Names of elements, each once.
typedef struct dp_mjcf_names {
    const char **name;
    int count;
    dp_name_index index;
} dp_mjcf_names;

/// A joint with a bound on the sum of its actuators' forces. mjcf_joint_force.c
typedef struct dp_mjcf_joint_force {
    const dp_xml_node *node;
    dp_joint_id joint;
    double range[2];
    struct dp_mjcf_joint_force *next;
} dp_mjcf_joint_force;

/// An element that is in the file and not in the spec.
typedef struct dp_mjcf_absent {
    dp_object_kind kind;
    const char *name, *feature;
    struct dp_mjcf_absent *next;
} dp_mjcf_absent;

typedef struct dp_mjcf_model dp_mjcf_model; // mjcf_attach.c
typedef struct dp_mjcf_graft dp_mjcf_graft;

/// One import.
typedef struct dp_mjcf dp_mjcf;
struct dp_mjcf {
    const dp_import_options *options;
    dp_pool pool; // nodes, classes, scopes: gone when the import ends
    dp_import_report *report;
    dp_spec *spec;
    dp_xml_node *root;
    dp_mjcf_compiler compiler;
    dp_mjcf_disabled disabled;
    dp_mjcf_class *main;
    dp_mjcf_class *class_bucket[DP_MJCF_BUCKETS];
    const char *folder; // of the main file, real
    dp_mjcf_assets mesh, hfield;
    dp_mjcf_names paired;                           // geoms that pairs name
    dp_mjcf_absent *absent_bucket[DP_MJCF_BUCKETS]; // elements that were left out
    const char *lost_feature; // elements of unknown names were left out with it, joints among them
    dp_mjcf_joint_force *joint_force;
    int nactuator;            // of the file, those left out included
    bool *actuator_kept;      // nactuator
    int *actuator_states;     // nactuator: activations of each, −1: not known
    int nrefused;             // refused and not allowed
    char first_refusal[1024]; // what the first of them is
    const char *first_feature;
    dp_mjcf *above;                    // the model that this one is attached to; NULL: none
    dp_mjcf_model *model;              // what can be attached
    dp_mjcf_graft *graft, *last_graft; // what was attached
    long ncopy;                        // elements that were attached
};

// ---- mjcf.c

/// Read a file into a tree, put includes in place, check it against the schema.
dp_status dp_mjcf_read_tree(dp_mjcf *m, const char *text, size_t bytes, const char *name);
/// Read the tree into the spec, apart from options and keyframes.
dp_status dp_mjcf_read_content(dp_mjcf *m);

// ---- mjcf_path.c

enum { DP_MJCF_PATH = PATH_MAX };

/// A file that an element names.
typedef struct dp_mjcf_file {
    char path[DP_MJCF_PATH]; // to open it
    char real[DP_MJCF_PATH]; // without symbolic links
} dp_mjcf_file;

/// Files must lie in the folder tree of `path`, the main file.
dp_status dp_mjcf_set_folder(dp_mjcf *m, const char *path);
/// Find `file`, which `node` names, in `folder` ("": none): relative to the main file, else to the
/// file that names it.
/// @return DP_ERROR_IO when there is none, DP_ERROR_PARSE when it may not be read.
dp_status dp_mjcf_find_file(dp_mjcf_file *out, const dp_mjcf *m, const dp_xml_node *node,
                            const char *folder, const char *file);

// ---- mjcf_include.c

/// Replace each <include> by the content of its file. The element itself stays, for the report.
dp_status dp_mjcf_include(dp_mjcf *m, const char *path);

// ---- mjcf_check.c

/// Check the tree against the schema, parse all values, enter every item into the report.
dp_status dp_mjcf_check(dp_mjcf *m);

/// Record that an element (attribute NULL) or one of its attributes is refused. Goes on: the import
/// fails at its end unless the feature is allowed.
dp_status dp_mjcf_refuse(dp_mjcf *m, const dp_xml_node *node, const dp_xml_attribute *attribute,
                         const char *feature, const char *why);
bool dp_mjcf_allowed(const dp_mjcf *m, const char *feature);
/// Zero instead of a number below zero that no mechanism has: a flaw.
dp_status dp_mjcf_not_negative(double *x, dp_mjcf *m, const dp_xml_node *node, const char *name);
/// Record that a flaw of an element (attribute NULL) or attribute was repaired, and how.
dp_status dp_mjcf_repaired(dp_mjcf *m, const dp_xml_node *node, const dp_xml_attribute *attribute,
                           const char *feature, const char *note);
/// Fail if anything was refused and not allowed, with what the first of it was.
dp_status dp_mjcf_refusal(const dp_mjcf *m);
/// Change the verdict on an element or one of its attributes.
dp_status dp_mjcf_judge(dp_mjcf *m, const dp_xml_node *node, const dp_xml_attribute *attribute,
                        dp_import_verdict verdict, const char *note);
/// The same for an element and all its attributes.
dp_status dp_mjcf_judge_all(dp_mjcf *m, const dp_xml_node *node, dp_import_verdict verdict,
                            const char *note);
/// Whether the values of a refused attribute are all zero, or its keyword the first: nothing asked
/// for.
bool dp_mjcf_harmless(const dp_xml_attribute *attribute);

/// Fail with "file:line: element 'name': message".
dp_status dp_mjcf_fail(const dp_xml_node *node, const char *format, ...) DP_PRINTF(2, 3);
/// Pass on a failure of the spec with the place in the file. DP_OK stays DP_OK.
dp_status dp_mjcf_located(const dp_xml_node *node, dp_status status);

/// The next section of that name below the root, after `previous` (NULL: the first).
dp_xml_node *dp_mjcf_section(const dp_mjcf *m, const char *name, dp_xml_node *previous);
/// Whether the schema says that the element is simulated.
bool dp_mjcf_used(const dp_xml_node *node);
dp_location dp_mjcf_where(const dp_xml_node *node);

// ---- mjcf_compiler.c, mjcf_option.c

dp_status dp_mjcf_read_compiler(dp_mjcf *m);
dp_status dp_mjcf_read_option(dp_mjcf *m);
/// What in a spec makes rows of the step problem, which only the semi-implicit step has; NULL:
/// nothing.
const char *dp_mjcf_find_rows(const dp_spec *spec);
/// Is there anything that could touch, as far as masks and pairs tell?
bool dp_mjcf_has_masks(const dp_spec *spec);
/// MuJoCo's RK4 takes constraints as forces; ours knows none. After everything else.
dp_status dp_mjcf_settle_integrator(dp_mjcf *m);

// ---- mjcf_defaults.c

dp_status dp_mjcf_read_defaults(dp_mjcf *m);
/// The class of an element: its own `class`, else that of the scope.
dp_status dp_mjcf_find_class(const dp_mjcf_class **out, const dp_mjcf *m, const dp_xml_node *node,
                             const char *attribute, const dp_mjcf_class *otherwise);

/// An element and the defaults of its class.
typedef struct dp_mjcf_view {
    const dp_xml_node *node;
    const dp_xml_attribute *const *defaults; // by the index of the kind's schema; NULL: none
    const dp_mjcf_element *rule;             // of the kind
} dp_mjcf_view;
/// An element of that kind in a class that is known. Judges nothing.
dp_mjcf_view dp_mjcf_view_in(const dp_xml_node *node, dp_mjcf_kind kind, const dp_mjcf_class *c);
/// Open an element of that kind. Refuses what its class asks for and is not simulated.
dp_status dp_mjcf_open(dp_mjcf_view *out, dp_mjcf *m, const dp_xml_node *node, dp_mjcf_kind kind,
                       const dp_mjcf_class *scope);
/// The attribute, its own or its class's; NULL: neither.
const dp_xml_attribute *dp_mjcf_find(const dp_mjcf_view *view, const char *name);
/// Overwrite as many numbers of `x` as the class gives, then as the element gives. Reports whether
/// any.
bool dp_mjcf_numbers(double *x, const dp_mjcf_view *view, const char *name);
double dp_mjcf_number(const dp_mjcf_view *view, const char *name, double otherwise);
int dp_mjcf_integer(const dp_mjcf_view *view, const char *name, int otherwise);
int dp_mjcf_keyword(const dp_mjcf_view *view, const char *name, int otherwise);
/// "limited" or the like: false, true, or auto by whether there is a range.
dp_status dp_mjcf_limited(bool *out, const dp_mjcf *m, const dp_xml_node *node, const char *what,
                          int limited, const double range[2]);

// ---- mjcf_bearing.c

/// How a limit or an equality gives.
typedef struct dp_mjcf_bearing {
    dp_bearing own;
    double solref[2], solimp[5]; // MuJoCo's defaults, to be overwritten
    bool solver_given;           // they count
} dp_mjcf_bearing;
/// dp:stiffness and dp:damping, or else the two attributes that are named.
dp_status dp_mjcf_read_bearing(dp_mjcf_bearing *out, dp_mjcf *m, const dp_mjcf_view *view,
                               const char *solref, const char *solimp);
/// Judge an attribute that was given, or the element itself where its class has it.
dp_status dp_mjcf_judge_given(dp_mjcf *m, const dp_mjcf_view *view, const char *name,
                              dp_import_verdict verdict, const char *note);
/// Say how solref and solimp, by these names, are approximated.
/// @param direct solref holds a stiffness and a damping, not a time constant and a ratio
dp_status dp_mjcf_judge_solver(dp_mjcf *m, const dp_mjcf_view *view, const char *solref,
                               const char *solimp, bool direct);
/// Say of an element, or of one of its attributes, that it does not give where the file is silent.
dp_status dp_mjcf_judge_rigid(dp_mjcf *m, const dp_xml_node *node,
                              const dp_xml_attribute *attribute, const dp_mjcf_bearing *bearing);

// ---- mjcf_orientation.c

/// The pose given by pos and one of quat, axisangle, euler, xyaxes, zaxis.
dp_status dp_mjcf_pose(dp_pose *out, const dp_mjcf *m, const dp_mjcf_view *view);
/// A pose or direction inside of frames, in the body. Outside of any it keeps its bits, down to the
/// signs of zeros: what was written comes back.
dp_pose dp_mjcf_place(const dp_mjcf_scope *in, dp_pose pose);
dp_v3 dp_mjcf_direction(const dp_mjcf_scope *in, dp_v3 x);
/// The rotation about fixed or moving axes, in the order of <compiler eulerseq>. Angles as in the
/// file.
dp_quat dp_mjcf_euler(const dp_mjcf *m, const double angle[3]);
/// Centre, direction (z) and half length of what reaches from one point to the other.
dp_status dp_mjcf_fromto(dp_pose *pose, double *half, const dp_xml_node *node,
                         const double ends[6]);
/// Angles of the file in radians.
double dp_mjcf_angle(const dp_mjcf *m, double angle);
/// Whether an attribute is one of the five ways to give an orientation.
bool dp_mjcf_is_orientation(const char *name);

// ---- mjcf_replicate.c

/// Replace the content of each <replicate> by frames with copies of it, which follow the element.
dp_status dp_mjcf_replicate(dp_mjcf *m);

// ---- mjcf_asset.c

/// Meshes and height fields of the file. None is opened yet.
dp_status dp_mjcf_list_assets(dp_mjcf *m);
/// The asset that the attribute `what` ("mesh", "hfield") of an element names.
dp_status dp_mjcf_find_asset(dp_mjcf_asset **out, const dp_mjcf_assets *list,
                             const dp_mjcf_view *view, const char *what);
/// Put an asset into the spec, if it is not there. What prevents that goes into `problem`.
dp_status dp_mjcf_need_mesh(dp_mjcf_asset *asset, dp_mjcf *m);
dp_status dp_mjcf_need_hfield(dp_mjcf_asset *asset, dp_mjcf *m);
/// Size of a primitive in the place of a mesh that is in the spec, and its frame in the mesh's.
dp_status dp_mjcf_fit(dp_geom_spec *geom, dp_pose *frame, const dp_mjcf *m,
                      const dp_mjcf_asset *asset);
/// Enter into the report which of them were of no use.
dp_status dp_mjcf_judge_assets(dp_mjcf *m);

// ---- mjcf_attach.c

/// The models that the file names. None is opened yet.
dp_status dp_mjcf_list_models(dp_mjcf *m);
/// Add a body of another model, or all of it, without what refers to it.
dp_status dp_mjcf_attach(dp_mjcf *m, dp_xml_node *node, const dp_mjcf_scope *in);
/// Add what refers to all that was attached: pairs and excludes, tendons, equalities, actuators or
/// sensors. To be called behind those of the file itself, which come first, as in MuJoCo.
dp_status dp_mjcf_attach_references(dp_mjcf *m, dp_element_kind kind);
/// Set those of `marks`, one for each body, that belong to attached bodies.
void dp_mjcf_mark_attached(bool *marks, const dp_mjcf *m);
void dp_mjcf_close_models(dp_mjcf *m);

// ---- mjcf_left_out.c

/// Remember an element that was left out by permission or for being looks only, so that what refers
/// to it can follow.
dp_status dp_mjcf_leave_out(dp_mjcf *m, dp_object_kind kind, const dp_xml_node *node,
                            const char *feature);
dp_status dp_mjcf_leave_out_name(dp_mjcf *m, dp_object_kind kind, const char *name,
                                 const char *feature);
/// The feature of an element that was left out; NULL: it was not.
const char *dp_mjcf_left_out(const dp_mjcf *m, dp_object_kind kind, const char *name);

// ---- the elements

dp_status dp_mjcf_read_bodies(dp_mjcf *m); // mjcf_body.c
dp_status dp_mjcf_read_joint(dp_mjcf *m, dp_xml_node *node,
                             const dp_mjcf_scope *in); // mjcf_joint.c
/// Springs and dampers may be polynomials of the displacement or speed; ours are linear, and others
/// refused.
dp_status dp_mjcf_linear(double *out, dp_mjcf *m, const dp_mjcf_view *view, const char *name);
dp_status dp_mjcf_read_freejoint(dp_mjcf *m, dp_xml_node *node, const dp_mjcf_scope *in);
dp_status dp_mjcf_read_geom(dp_mjcf *m, dp_xml_node *node, const dp_mjcf_scope *in); // mjcf_geom.c
/// The colour of a geom: its own, or that of its material.
void dp_mjcf_read_colour(float rgba[4], const dp_mjcf *m, const dp_mjcf_view *view); // mjcf_look.c
/// How a geom or a pair touches.
/// @param founded damping and Young's modulus are those of its foundation, not of the material
dp_status dp_mjcf_read_contact(dp_contact_spec *contact, const dp_mjcf_view *view, bool founded);
/// Say of an element that it has the default material.
dp_status dp_mjcf_judge_silent(dp_mjcf *m, const dp_xml_node *node);
/// Say what became of these numbers, for what can touch.
dp_status dp_mjcf_judge_contact(dp_mjcf *m, const dp_mjcf_view *view,
                                const dp_contact_spec *contact, bool founded);
dp_status dp_mjcf_read_site(dp_mjcf *m, dp_xml_node *node, const dp_mjcf_scope *in);
dp_status dp_mjcf_read_inertial(dp_inertial *out, const dp_mjcf *m, const dp_xml_node *node,
                                const dp_mjcf_scope *in);
dp_status dp_mjcf_adjust_masses(dp_mjcf *m);   // mjcf_mass.c
dp_status dp_mjcf_read_tendons(dp_mjcf *m);    // mjcf_tendon.c
dp_status dp_mjcf_read_equalities(dp_mjcf *m); // mjcf_equality.c
dp_status dp_mjcf_list_pairs(dp_mjcf *m);      // mjcf_contact.c
bool dp_mjcf_is_paired(const dp_mjcf *m, const char *geom);
dp_status dp_mjcf_read_contacts(dp_mjcf *m);
dp_mjcf_actuator dp_mjcf_actuator_default(void); // mjcf_actuator.c
bool dp_mjcf_is_actuator(const char *name);      // of an element
dp_status dp_mjcf_overlay_actuator(dp_mjcf_actuator *a, const dp_mjcf_class *around,
                                   const dp_xml_node *node);
dp_status dp_mjcf_read_actuators(dp_mjcf *m);
dp_status dp_mjcf_limit_joint(dp_mjcf *m, const dp_xml_node *node, dp_joint_id joint,
                              const double range[2]); // mjcf_joint_force.c
dp_status dp_mjcf_limit_joint_forces(dp_mjcf *m);
dp_status dp_mjcf_read_forces(dp_mjcf *m); // mjcf_timed.c
dp_status dp_mjcf_read_motions(dp_mjcf *m);
dp_status dp_mjcf_read_sensors(dp_mjcf *m);   // mjcf_sensor.c
dp_status dp_mjcf_read_keyframes(dp_mjcf *m); // mjcf_keyframe.c

#endif
