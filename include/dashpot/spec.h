// The editable description of a mechanism: bodies, joints, shapes, actuators, sensors, keyframes.
//
//     dp_spec *spec;
//     dp_spec_create(&spec, NULL);
//     dp_body_spec rod = dp_body_spec_default();
//     rod.name = "rod";
//     dp_body_id body;
//     dp_spec_add_body(&body, spec, DP_WORLD, &rod);
//
// Each `dp_spec_add_*` copies what it is given, strings and arrays included. The first that fails
// is reported by dp_model_compile. Strings may be NULL where a name is optional. Numbers are
// checked when the spec is compiled (model.h), with messages that name the element. Elements refer
// to each other by name, so the order of addition is free except that a body's parent comes before
// it.
#ifndef DASHPOT_SPEC_H
#define DASHPOT_SPEC_H

#include <dashpot/law.h>
#include <dashpot/types.h>

DP_BEGIN_C

/// An editable description. Never simulated itself. Used by one thread at a time.
typedef struct dp_spec dp_spec;

/// Where an element was written, for messages. file == NULL: it was built by a program.
typedef struct dp_location {
    const char *file;
    int line;
} dp_location;

/// How the equations of motion are advanced by one step. The semi-implicit step alone solves rows
/// (contacts, loops, limits, drives) by a law. The last three integrate what the law `compliant`
/// is a step of, a differential equation: rows are springs and dashpots, and friction grows with
/// the slip up to friction.slip_speed. docs/laws/ode.md.
typedef enum dp_integrator {
    DP_INTEGRATOR_SEMI_IMPLICIT, ///< order 1, springs and dampers implicit: stable at any
                                 ///< stiffness; default
    DP_INTEGRATOR_RK4,  ///< order 4, explicit: accurate for smooth motion, unstable when too stiff.
                        ///< Refuses rows
    DP_INTEGRATOR_RK45, ///< order 5 with error control inside each step (Dormand and Prince)
    DP_INTEGRATOR_IMPLICIT_EULER, ///< order 1, one step, or as many parts as Newton's method needs
    DP_INTEGRATOR_CVODE, ///< backward differences with error control, by SUNDIALS: dp_has_cvode()
} dp_integrator;
/// "semi-implicit", "rk4", "rk45", "implicit-euler" or "cvode". Never NULL.
DP_API const char *dp_integrator_name(dp_integrator integrator);

/// Settings of a run. The model carries the spec's; each dp_data has its own copy that can be
/// changed between steps.
typedef struct dp_options {
    double step;            ///< [s] > 0. Default 0.002
    dp_v3 gravity;          ///< [m/s²]. Default (0, 0, −9.81)
    dp_v3 magnetic;         ///< [T] for magnetometers. Default (0, −0.5, 0)
    double fluid_density;   ///< [kg/m³] ≥ 0 of the medium around the bodies. Default 0
    double fluid_viscosity; ///< [Pa s] ≥ 0. Default 0. Where a model is compiled with neither, the
                            ///< two cannot be set later
    dp_v3 wind;                ///< [m/s] velocity of that medium. Default 0
    dp_integrator integrator;  ///< Default DP_INTEGRATOR_SEMI_IMPLICIT
    double relative_tolerance; ///< [1] of integrators with error control, per unit of the state's
                               ///< size. Default 1e-8
    double absolute_tolerance; ///< [m, rad, m/s, rad/s] of these. Default 1e-10
    int max_substeps; ///< of these, DP_INTEGRATOR_IMPLICIT_EULER and accuracy: substeps before a
                      ///< step fails. Default 100000
    double ode_stiffness; ///< [N/m, N m/rad] ≥ 0: what is rigid is a spring of this stiffness under
                          ///< DP_INTEGRATOR_RK45, _IMPLICIT_EULER and _CVODE. Default 0: what is
                          ///< rigid is refused. Its text name is "ode.stiffness"
    double large_rotation; ///< [rad] DP_INTEGRATOR_SEMI_IMPLICIT: a tree whose fastest body turns
                           ///< further than this in one step is advanced by momentum transport
                           ///< instead of explicit Coriolis terms. Default 0.1
    dp_law_options solver; ///< how rows are solved: loops, limits, drives at the end of their range
    double gap_tolerance; ///< [m] how well gaps at the end of the step are met by rows that are not
                          ///< linear in q. Default 1e-10
    double correction_speed; ///< [m/s] > 0: rigid rows that start a step violated are closed no
                             ///< faster. What closes them moves bodies and leaves no velocity.
                             ///< Default 1
    int max_passes;          ///< solves for that in one attempt. Default 25
    int patch_points; ///< contact points of a patch of a hull, at most: 4 … 8 (docs/collision.md).
                      ///< Default 8
    int max_halvings; ///< a step that is not solved is made in 2, 4 … 2^n parts. Default 6
    double accuracy;  ///< > 0: steps are made in parts such that the error of a second of motion
                      ///< is about that or less, in every position [m, rad] and velocity [m/s,
                      ///< rad/s]; across rigid blows in positions alone. Of motion that does
    ///< not lose track by itself (docs/theory/stepping.md). DP_INTEGRATOR_RK45 and
    ///< DP_INTEGRATOR_CVODE have tolerances of their own instead.
    ///< Default 0: as they are
    double sleep_speed; ///< [m/s] > 0: what moves no faster for sleep_time, with all that it
                        ///< touches, is stopped and left out of steps until something disturbs it
                        ///< (docs/contact.md). Of a tree, √(2T/m). DP_INTEGRATOR_SEMI_IMPLICIT
                        ///< only. Default 0: nothing sleeps, since what stands still need not
    double sleep_time;  ///< [s] Default 0.5
    double contact_stiffness_scale; ///< [1] > 0: what the stiffnesses of contacts and foundations
                                    ///< are multiplied by, and their dampings by its root, so that
                                    ///< as much is thrown back. Default 1
    double contact_friction_scale; ///< [1] ≥ 0: the same for friction: sliding, torsion, rolling.
                                   ///< Default 1
    bool ledger;                   ///< keep account of energy (dp_data_ledger). Default false
    bool disable_gravity;          ///< Default false, as all below
    bool disable_contact;
    bool disable_limits;
    bool disable_equality;
    bool disable_springs; ///< joint springs
    bool disable_dampers; ///< joint dampers
    bool disable_actuation;
    bool disable_clamp_control; ///< controls may leave their ranges
} dp_options;
DP_API dp_options dp_options_default(void);

/// Change one setting by its name, as <dp:option> of a file and `--set` spell it: "gravity" to
/// "0,0,-1.62", "law" to "compliant", "law.tolerance" to "1e-10", "disable_dampers" to "true".
/// "law" to "ode" chooses DP_INTEGRATOR_RK45, unless the integrator already is one without laws;
/// to any other law, DP_INTEGRATOR_SEMI_IMPLICIT instead of one of these.
/// @return DP_ERROR_ARGUMENT for an unknown name or a value that it cannot have; nothing is changed
DP_API DP_NODISCARD dp_status dp_options_set(dp_options *options, const char *name,
                                             const char *value);
/// The names that dp_options_set takes; out of range: "".
DP_API int dp_options_name_count(void);
DP_API const char *dp_options_name(int index);
/// Do rows act as a differential equation has them, without a law: DP_INTEGRATOR_RK45,
/// DP_INTEGRATOR_IMPLICIT_EULER and DP_INTEGRATOR_CVODE?
DP_API bool dp_options_is_ode(const dp_options *options);
/// What solves rows: the name of the law, or "ode". Never NULL.
DP_API const char *dp_options_law_name(const dp_options *options);

/// How a limit or an equality gives: a spring and a dashpot along it. Lengths: N/m and N s/m;
/// angles: N m/rad and N m s/rad.
typedef struct dp_bearing {
    double stiffness; ///< > 0, INFINITY: rigid. The default
    double damping;   ///< ≥ 0, of no effect where it is rigid. Default 0
} dp_bearing;

/// Mass properties in principal axes.
typedef struct dp_inertial {
    double mass;   ///< [kg]
    dp_pose frame; ///< centre of mass and principal axes in the body frame
    dp_v3 moments; ///< [kg m²] about the centre of mass along those axes
} dp_inertial;

/// Where a body's mass comes from.
typedef enum dp_inertia_source {
    DP_INERTIA_SOURCE_GEOMS, ///< the sum over its geoms. The default.
    DP_INERTIA_SOURCE_GIVEN, ///< `inertial`
} dp_inertia_source;

typedef struct dp_body_spec {
    const char *name;
    dp_pose pose; ///< in the parent's frame. Default identity
    dp_inertia_source inertia_source;
    dp_inertial inertial;
    double gravity_compensation; ///< [1] 1: weightless; 2: as much upwards. Default 0
    bool mocap; ///< a child of the world without joints, moved by the user. Default false
    dp_location where;
} dp_body_spec;
DP_API dp_body_spec dp_body_spec_default(void);

/// Joints of one body act in their order of addition, each in the frame that the earlier ones
/// leave. A body without joints is welded to its parent.
typedef enum dp_joint_kind {
    DP_JOINT_FREE, ///< q: position x y z in the world, quaternion w x y z; v: velocity of the body
                   ///< origin in world axes, angular velocity in body axes. Only on children of the
                   ///< world.
    DP_JOINT_BALL, ///< q: quaternion w x y z of the body in its parent; v: angular velocity in body
                   ///< axes
    DP_JOINT_HINGE, ///< q: angle [rad]; v [rad/s]
    DP_JOINT_SLIDE, ///< q: displacement [m]; v [m/s]
} dp_joint_kind;

typedef struct dp_joint_spec {
    const char *name;
    dp_joint_kind kind; ///< Default DP_JOINT_HINGE
    dp_v3 anchor;       ///< [m] in the body frame. Default 0. Ignored by free joints
    dp_v3 axis;        ///< in the body frame, need not be a unit vector. Default z. Hinge and slide
    double ref;        ///< [rad, m] the q that belongs to the pose as described. Default 0
    double armature;   ///< [kg m², kg] ≥ 0 added inertia of every coordinate. Default 0
    double damping;    ///< [N m s/rad, N s/m] ≥ 0. Default 0
    double stiffness;  ///< [N m/rad, N/m] ≥ 0. Default 0
    double spring_ref; ///< [rad, m] where the spring rests; ball, free: as described. Default 0
    double spring_damper[2]; ///< [s, 1] time constant and damping ratio. Both > 0: stiffness and
                             ///< damping follow from them and from the inertia that the joint meets
                             ///< as described, whatever the fields above say. Default 0 0
    double friction_loss;    ///< [N m, N] ≥ 0, dry friction of every coordinate. Default 0
    bool limited;            ///< Default false
    double range[2];         ///< [rad, m]; ball: 0 and the largest angle
    dp_bearing limit;        ///< how both ends of the range give
    double limit_solref[2], limit_solimp[5]; ///< the same in MuJoCo's numbers. Default 0.02 1 and
                                             ///< 0.9 0.95 0.001 0.5 2
    bool limit_solver_given; ///< false: `limit` counts. True: the stiffness and damping that these
                             ///< numbers mean for the inertia as described. Default false
    dp_location where;
} dp_joint_spec;
DP_API dp_joint_spec dp_joint_spec_default(void);

/// What a surface is made of. The numbers of two geoms that touch act in series: each is what the
/// geom would have against something rigid. Those of a pair are the pair's.
typedef struct dp_material {
    double stiffness; ///< [N/m] > 0, may be infinite: force over overlap. Shared by the points of a
                      ///< contact, so that more points are not stiffer. Default 2e7
    double damping;   ///< [N s/m] ≥ 0, may be infinite; of springs that are linear. Default 2e4:
                      ///< little rebound
    double youngs_modulus; ///< [Pa] ≥ 0. Above 0 the stiffness is that of Hertz, for which surfaces
                           ///< must be round where they touch, and damping does not count. Beside
                           ///< one without, the other is rigid. Default 0
    double poisson; ///< [1] > −1, ≤ 0.5, beside youngs_modulus. Default 0.3
    double dissipation; ///< [s/m] ≥ 0, Hunt and Crossley: force k δ (1 + dissipation δ̇) instead of
                        ///< damping. Default 0
    double restitution; ///< [1] 0 … 1: becomes a damping (docs/contact.md), or an impact of rigid
                        ///< laws, not beside youngs_modulus or dissipation; negative: not given,
                        ///< the default
    double tangential_stiffness; ///< [N/m] > 0: what sticks yields by so much; infinite: it does
                                 ///< not, the default. Refused where it is finite
    dp_v3 surface_velocity;      ///< [m/s] of a belt, in the geom's frame. Default 0
} dp_material;
DP_API dp_material dp_material_default(void);

/// How a geom or a pair touches: SI numbers, and those of MJCF.
typedef struct dp_contact_spec {
    int condim;         ///< 1, 3, 4 or 6. Default 3
    int priority;       ///< Default 0
    double solmix;      ///< Default 1
    double solref[2];   ///< Default 0.02 1
    double solimp[5];   ///< Default 0.9 0.95 0.001 0.5 2
    bool solver_given;  ///< the author set solref or solimp: the stiffness and damping that they
                        ///< mean for the masses that touch. Default false
    double margin, gap; ///< [m] Default 0 0
    dp_material material;
    bool material_given; ///< the author set a number of the material, which then has the last word
                         ///< over solref and solimp. Default false
} dp_contact_spec;

typedef enum dp_geom_kind {
    DP_GEOM_PLANE,     ///< z = 0, free side z > 0. size: half lengths to draw, spacing of the grid
    DP_GEOM_SPHERE,    ///< size: radius
    DP_GEOM_CAPSULE,   ///< along z. size: radius, half length of the cylindrical part
    DP_GEOM_CYLINDER,  ///< along z. size: radius, half length
    DP_GEOM_ELLIPSOID, ///< size: three semi-axes
    DP_GEOM_BOX,       ///< size: three half lengths
    DP_GEOM_MESH,   ///< the convex hull of `mesh` (as a static body without joints: its triangles).
                    ///< No size
    DP_GEOM_HFIELD, ///< `hfield`, static. No size
} dp_geom_kind;

/// How the volume and inertia of a mesh are found.
typedef enum dp_mesh_inertia {
    DP_MESH_INERTIA_CONVEX, ///< of the convex hull. The default
    DP_MESH_INERTIA_EXACT,  ///< of the enclosed volume; refused when the mesh is not closed and
                            ///< oriented
    DP_MESH_INERTIA_SHELL,  ///< of the surface; density is then per area [kg/m²]
    DP_MESH_INERTIA_LEGACY, ///< MuJoCo's default: of the pyramids over the faces, all counted
                            ///< positive. Takes any faces; exact where each is seen from the
                            ///< centre, else too heavy
} dp_mesh_inertia;

/// A triangle mesh in its own frame.
typedef struct dp_mesh_spec {
    const char *name;     ///< required
    const double *vertex; ///< 3·nvertex [m]
    int nvertex;          ///< ≥ 4, not all in one plane
    const int
        *face; ///< 3·nface vertex numbers, counterclockwise from outside; NULL: the convex hull
    int nface;
    dp_mesh_inertia inertia;
    int max_hull_vertices; ///< of its convex hull, ≥ 4: the furthest ones stay, as with MuJoCo's
                           ///< maxhullvert. Default 0: all
    dp_location where;
} dp_mesh_spec;
DP_API dp_mesh_spec dp_mesh_spec_default(void);

/// Terrain: heights on a grid over [−size[0], size[0]] × [−size[1], size[1]], x along columns, y
/// along rows.
typedef struct dp_hfield_spec {
    const char *name;        ///< required
    int nrow, ncol;          ///< ≥ 2; at most 2²⁶ points in all height fields of a model
    const double *elevation; ///< nrow·ncol, by rows, scaled to 0 … 1; NULL: flat
    double
        size[4]; ///< [m] half lengths in x and y, height of elevation 1, depth of the base below 0
    dp_location where;
} dp_hfield_spec;
DP_API dp_hfield_spec dp_hfield_spec_default(void);

/// A face of a box, by its outward normal in the geom's frame.
typedef enum dp_box_face {
    DP_BOX_FACE_MINUS_Z, ///< the default
    DP_BOX_FACE_PLUS_Z,
    DP_BOX_FACE_MINUS_Y,
    DP_BOX_FACE_PLUS_Y,
    DP_BOX_FACE_MINUS_X,
    DP_BOX_FACE_PLUS_X,
} dp_box_face;

/// An elastic foundation (Winkler): the face of a box is tiled with springs that stand upright on
/// planes, each of stiffness youngs_modulus · area/depth. They push where their middle is below the
/// plane, do not pull and know no friction. nx counts along the first of the two axes of the face
/// in the order x, y, z, ny along the second.
typedef struct dp_foundation_spec {
    int nx, ny;            ///< ≥ 1, at most 2^20 together; 0 0: none. Default 0 0
    dp_box_face face;      ///< Default DP_BOX_FACE_MINUS_Z
    double youngs_modulus; ///< [Pa] > 0. Default 1e7
    double depth;          ///< [m] > 0, of the elastic layer. Default 1
    double damping;        ///< [N s/m] ≥ 0, of each spring. Default 0
} dp_foundation_spec;

/// By what a geom of a mesh touches.
typedef enum dp_mesh_contact {
    DP_MESH_CONTACT_AUTO,      ///< by its triangles if it is scenery: fixed, and nothing that moves
                               ///< hangs from its body or from what this is welded to but for the
                               ///< world. Else by its convex hull
    DP_MESH_CONTACT_HULL,      ///< by its convex hull
    DP_MESH_CONTACT_TRIANGLES, ///< by its triangles: on fixed bodies only
} dp_mesh_contact;

typedef struct dp_geom_spec {
    const char *name;
    dp_geom_kind kind;        ///< Default DP_GEOM_SPHERE
    double size[3];           ///< [m]
    dp_pose pose;             ///< in the body frame. Default identity
    double mass;              ///< [kg] ≥ 0; negative: from density. Default −1
    double density;           ///< [kg/m³] ≥ 0. Default 1000
    int contype, conaffinity; ///< two may touch if one's contype & the other's conaffinity. 1, 1
    int group;                ///< Default 0
    double friction[3];       ///< sliding [1], torsional [m], rolling [m]. Default 1, 0.005, 0.0001
    float rgba[4];            ///< Default 0.5 0.5 0.5 1
    const char *mesh;         ///< name, for DP_GEOM_MESH
    dp_mesh_contact mesh_contact; ///< for DP_GEOM_MESH. Default DP_MESH_CONTACT_AUTO
    const char *hfield;           ///< name, for DP_GEOM_HFIELD
    bool shell; ///< mass on the surface; density is then per area [kg/m²]. Default false
    dp_contact_spec contact;       ///< how it touches
    dp_foundation_spec foundation; ///< springs under a face of a box. Default none
    bool fluid_ellipsoid; ///< a fluid acts on the geom as on an ellipsoid, instead of on its body
                          ///< as on a box. Default false
    double fluid_coefficient[5]; ///< [1] of that: drag where it is blunt and where it is slender,
                                 ///< drag against turning, lift by Kutta and by Magnus. Default
                                 ///< 0.5 0.25 1.5 1 1
    dp_location where;
} dp_geom_spec;
DP_API dp_geom_spec dp_geom_spec_default(void);

/// A named frame on a body, and the volume around it in which a touch sensor feels.
typedef struct dp_site_spec {
    const char *name;
    dp_geom_kind kind; ///< sphere, capsule, ellipsoid, cylinder or box. Default DP_GEOM_SPHERE
    double size[3]; ///< [m] ≥ 0, as many as a geom of the kind has; 0: no volume. Default 0.005
    dp_pose pose;   ///< in the body frame. Default identity
    int group;
    dp_location where;
} dp_site_spec;
DP_API dp_site_spec dp_site_spec_default(void);

/// Activation dynamics, with u the (clamped) control and a the activation.
typedef enum dp_actuator_dynamics {
    DP_ACTUATOR_DYNAMICS_NONE,         ///< no activation; the force sees u
    DP_ACTUATOR_DYNAMICS_INTEGRATOR,   ///< ȧ = u
    DP_ACTUATOR_DYNAMICS_FILTER,       ///< ȧ = (u − a)/τ, τ = time_constant
    DP_ACTUATOR_DYNAMICS_FILTER_EXACT, ///< the same; the semi-implicit step integrates it exactly
    DP_ACTUATOR_DYNAMICS_MUSCLE, ///< a filter of u in [0, 1] with τ = time_constant (½ + 3/2 a) for
                                 ///< u > a, else relaxation_time/(½ + 3/2 a)
} dp_actuator_dynamics;

/// The curves of a muscle, in units of its optimal length L₀ and of its peak force
/// (docs/theory/tendons.md#muscles).
typedef struct dp_muscle {
    double range[2]; ///< [L₀] the lengths that length_range means. Default 0.75 1.05
    double force;    ///< [N, N m] peak; < 0: scale over the acceleration that a unit of force
                     ///< gives to the mechanism as described. Default −1
    double scale;    ///< [m/s², rad/s²] Default 200
    double shortest; ///< [L₀] < 1, below which there is no active force. Default 0.5
    double longest;  ///< [L₀] > 1, above. Default 1.6
    double fastest;  ///< [L₀/s] > 0, of shortening, at which there is none. Default 1.5
    double passive;  ///< [1] passive force halfway between L₀ and the longest, twice. Default 1.3
    double lengthening; ///< [1] ≥ 1, the most active force when it is lengthened. Default 1.2
} dp_muscle;
DP_API dp_muscle dp_muscle_default(void);

/// What an actuator acts on.
typedef enum dp_transmission {
    DP_TRANSMISSION_JOINT,
    DP_TRANSMISSION_TENDON,
    DP_TRANSMISSION_SITE,
    DP_TRANSMISSION_BODY, ///< pulls a body and what it touches together
} dp_transmission;

/// A force along joint coordinates: force = (gain[0] + gain[1] l + gain[2] l̇) w + bias[0] + bias[1]
/// l + bias[2] l̇, where w is the control or the activation and l = gear·(joint coordinates). A
/// servo (gain[0] = −bias[1], no other gain) of a ball joint goes the nearest way: to that of the
/// targets w + 2π‖gear‖·(whole number) which is nearest to l.
typedef struct dp_actuator_spec {
    const char *name;
    dp_transmission transmission; ///< Default DP_TRANSMISSION_JOINT
    const char *joint;            ///< name of the joint it drives, for DP_TRANSMISSION_JOINT
    const char *tendon;           ///< for DP_TRANSMISSION_TENDON
    const char
        *site; ///< for DP_TRANSMISSION_SITE: gear is a wrench (force, torque) in the site's axes
    const char *body;           ///< for DP_TRANSMISSION_BODY: the force is shared by its contacts
                                ///< and acts along their normals; length, rate and gear are nothing
    const char *reference_site; ///< for DP_TRANSMISSION_SITE: NULL, or the frame in which length is
                                ///< measured
    bool in_parent; ///< ball and free joints: `gear` is in the parent's axes. Default false
    double gear[6]; ///< hinge, slide: gear[0]; ball: 3; free: 6. Default 1 0 0 0 0 0
    dp_actuator_dynamics dynamics; ///< Default DP_ACTUATOR_DYNAMICS_NONE
    double time_constant;          ///< [s] > 0 for filters. Default 1
    double relaxation_time;        ///< [s] > 0 for muscles. Default 1
    double smoothing; ///< [1] ≥ 0: differences u − a over which a muscle changes between its two
                      ///< times. Default 0
    double gain[3], bias[3];       ///< Default 1 0 0 and 0 0 0: a motor
    bool muscle_gain, muscle_bias; ///< the active and the passive force of a muscle instead of gain
                                   ///< and bias. Default false
    dp_muscle gain_muscle, bias_muscle; ///< their curves
    double length_range[2]; ///< [m, rad] lengths between which a muscle operates; equal: those that
                            ///< the limits of its joint or tendon allow. Default 0 0
    double damping_ratio; ///< [1] > 0: of a position servo, gain[0] = −bias[1], instead of bias[2];
                          ///< 1 is critical for the inertia that it meets as described. Default 0
    bool control_limited, force_limited, activation_limited; ///< Default false
    double control_range[2], force_range[2], activation_range[2];
    dp_location where;
} dp_actuator_spec;
DP_API dp_actuator_spec dp_actuator_spec_default(void);

/// What a name refers to.
typedef enum dp_object_kind {
    DP_OBJECT_NONE,
    DP_OBJECT_BODY,     ///< the body frame
    DP_OBJECT_INERTIAL, ///< the body's inertial frame
    DP_OBJECT_JOINT,
    DP_OBJECT_GEOM,
    DP_OBJECT_SITE,
    DP_OBJECT_ACTUATOR,
    DP_OBJECT_TENDON,
    DP_OBJECT_SUBTREE, ///< a body and all below it
} dp_object_kind;

/// Two geoms that touch by numbers of their own, whatever their filters say.
typedef struct dp_pair_spec {
    const char *name;
    const char *geom[2]; ///< required
    double
        friction[5]; ///< two sliding [1], torsional [m], two rolling [m]; negative: from the geoms
    dp_contact_spec contact;
    bool contact_given; ///< `contact` counts, not the geoms' numbers
    dp_location where;
} dp_pair_spec;
DP_API dp_pair_spec dp_pair_spec_default(void);

/// Two bodies whose geoms never touch.
typedef struct dp_exclude_spec {
    const char *name;
    const char *body[2]; ///< required
    dp_location where;
} dp_exclude_spec;
DP_API dp_exclude_spec dp_exclude_spec_default(void);

/// A path whose length matters: limits, springs, actuators and sensors act along it.
typedef enum dp_wrap_kind {
    DP_WRAP_JOINT,  ///< fixed tendons: coefficient · q of a hinge or slide
    DP_WRAP_SITE,   ///< spatial tendons: through a site
    DP_WRAP_GEOM,   ///< around a sphere or cylinder; `side` names a site on the side it passes
    DP_WRAP_PULLEY, ///< starts a new branch whose length counts 1/divisor
} dp_wrap_kind;

typedef struct dp_wrap_spec {
    dp_wrap_kind kind;
    const char *object; ///< joint, site or geom
    const char *side;   ///< site; NULL: the shorter way
    double coefficient; ///< DP_WRAP_JOINT [m/rad, 1]; DP_WRAP_PULLEY: the divisor
} dp_wrap_spec;

typedef struct dp_tendon_spec {
    const char *name;
    bool spatial; ///< Default false: fixed
    const dp_wrap_spec *wrap;
    int nwrap;
    bool limited;
    double range[2];        ///< [m]
    double stiffness;       ///< [N/m] ≥ 0
    double damping;         ///< [N s/m] ≥ 0
    double spring_range[2]; ///< [m] slack between the two; −1 −1 (default): the length where the
                            ///< springs of the joints rest
    double friction_loss; ///< [N] ≥ 0
    double armature;      ///< [kg] ≥ 0
    double limit_solref[2], limit_solimp[5], margin;
    dp_bearing limit;        ///< how both ends of the range give
    bool limit_solver_given; ///< as for joints: the numbers of MuJoCo count, not `limit`
    dp_location where;
} dp_tendon_spec;
DP_API dp_tendon_spec dp_tendon_spec_default(void);

/// What is held together.
typedef enum dp_equality_kind {
    DP_EQUALITY_CONNECT, ///< a point of two bodies (or two sites): `anchor`
    DP_EQUALITY_WELD,    ///< two bodies (or two sites): `relative`
    DP_EQUALITY_JOINT, ///< y − y₀ = polynomial(x − x₀) of two hinges or slides, or of one alone
    DP_EQUALITY_TENDON,   ///< the same for tendon lengths
    DP_EQUALITY_DISTANCE, ///< `distance` between a point of each of two bodies (or two sites): a
                          ///< massless rod; with a bearing, a spring and a damper between points
    DP_EQUALITY_PLANE, ///< a point of the second body (or site) stays on the plane z = 0 of a frame
                       ///< of the first: `relative`
} dp_equality_kind;

typedef struct dp_equality_spec {
    const char *name;
    dp_equality_kind kind;
    dp_object_kind object_kind; ///< body or site, unless joints or tendons are held. Default body
    const char *object[2];      ///< the second may be NULL: the world, or a constant; not for sites
    dp_v3
        anchor; ///< [m] connect, distance: in the first body's frame; weld, plane: in the second's
    dp_v3 second_anchor; ///< [m] distance: in the second body's frame
    dp_pose relative;    ///< weld: the second body in the first's frame; plane: its frame there
    bool relative_given; ///< false: as described by the bodies' poses; plane: the axes of the first
                         ///< body, moved to where the point is as described
    double distance;     ///< [m] > 0; negative: as described. Default −1
    double torque_scale; ///< [m] weld. Default 1
    double polynomial[5]; ///< Default 0 1 0 0 0
    bool active;          ///< Default true
    double solref[2], solimp[5];
    bool solver_given; ///< false: `bearing` counts. True: the stiffness and damping that solref and
                       ///< solimp mean for the inertia as described. Default false
    dp_bearing bearing; ///< of turning (weld): times torque_scale²
    dp_location where;
} dp_equality_spec;
DP_API dp_equality_spec dp_equality_spec_default(void);

/// What a sensor measures. The number of values follows in brackets.
typedef enum dp_sensor_kind {
    DP_SENSOR_ACCELEROMETER, ///< [3] site: acceleration less gravity, in site axes [m/s²]
    DP_SENSOR_VELOCIMETER,   ///< [3] site: velocity, in site axes [m/s]
    DP_SENSOR_GYRO,          ///< [3] site: angular velocity, in site axes [rad/s]
    DP_SENSOR_FORCE,         ///< [3] site: force of the parent on the site's body, in site axes [N]
    DP_SENSOR_TORQUE,        ///< [3] site: the same wrench's moment about the site [N m]
    DP_SENSOR_MAGNETOMETER,  ///< [3] site: magnetic field, in site axes [T]
    DP_SENSOR_TOUCH, ///< [1] site: normal forces of its body's contacts within its volume, ≥ 0 [N]
    DP_SENSOR_JOINT_POSITION,         ///< [1] hinge, slide [rad, m]
    DP_SENSOR_JOINT_VELOCITY,         ///< [1] hinge, slide [rad/s, m/s]
    DP_SENSOR_BALL_QUATERNION,        ///< [4] ball
    DP_SENSOR_BALL_VELOCITY,          ///< [3] ball: angular velocity in body axes [rad/s]
    DP_SENSOR_ACTUATOR_POSITION,      ///< [1] actuator length [gear·rad, gear·m]
    DP_SENSOR_ACTUATOR_VELOCITY,      ///< [1]
    DP_SENSOR_ACTUATOR_FORCE,         ///< [1] scalar force [N, N m]
    DP_SENSOR_JOINT_ACTUATOR_FORCE,   ///< [1] hinge, slide: sum over the joint's actuators [N m, N]
    DP_SENSOR_FRAME_POSITION,         ///< [3] frame (relative to `reference` where given) [m]
    DP_SENSOR_FRAME_QUATERNION,       ///< [4]
    DP_SENSOR_FRAME_X_AXIS,           ///< [3]
    DP_SENSOR_FRAME_Y_AXIS,           ///< [3]
    DP_SENSOR_FRAME_Z_AXIS,           ///< [3]
    DP_SENSOR_FRAME_LINEAR_VELOCITY,  ///< [3] [m/s]
    DP_SENSOR_FRAME_ANGULAR_VELOCITY, ///< [3] [rad/s]
    DP_SENSOR_FRAME_LINEAR_ACCELERATION,  ///< [3] world axes, gravity subtracted as in an
                                          ///< accelerometer
    DP_SENSOR_FRAME_ANGULAR_ACCELERATION, ///< [3] world axes [rad/s²]
    DP_SENSOR_SUBTREE_COM,                ///< [3] body: centre of mass of it and all below [m]
    DP_SENSOR_SUBTREE_LINEAR_VELOCITY,    ///< [3] velocity of that point [m/s]
    DP_SENSOR_SUBTREE_ANGULAR_MOMENTUM,   ///< [3] about that point, world axes [kg m²/s]
    DP_SENSOR_TENDON_POSITION,            ///< [1] tendon length [m]
    DP_SENSOR_TENDON_VELOCITY,            ///< [1] [m/s]
    DP_SENSOR_TENDON_ACTUATOR_FORCE, ///< [1] sum over the tendon's actuators, before their gear [N]
    DP_SENSOR_JOINT_LIMIT_POSITION,  ///< [1] hinge, slide, ball with a limit: the gap to the end
                                     ///< that is passed or pushes, < 0 beyond it; else 0 [rad, m]
    DP_SENSOR_JOINT_LIMIT_VELOCITY,  ///< [1] the rate of that gap; else 0 [rad/s, m/s]
    DP_SENSOR_JOINT_LIMIT_FORCE,     ///< [1] how hard that end pushes, ≥ 0 [N m, N]
    DP_SENSOR_TENDON_LIMIT_POSITION, ///< [1] the same for tendons [m]
    DP_SENSOR_TENDON_LIMIT_VELOCITY, ///< [1] [m/s]
    DP_SENSOR_TENDON_LIMIT_FORCE,    ///< [1] [N]
    DP_SENSOR_CLOCK,                 ///< [1] time [s]
    DP_SENSOR_POTENTIAL_ENERGY,      ///< [1] [J]
    DP_SENSOR_KINETIC_ENERGY,        ///< [1] [J]
    DP_SENSOR_RANGEFINDER,     ///< [1, or by `data`] site: along its z axis to the first geom of
                               ///< another body that is not transparent; −1: none [m]
    DP_SENSOR_DISTANCE,        ///< [1] geom or body, and `reference` the same: the least signed
                               ///< distance of their surfaces, at most `cutoff` [m]
    DP_SENSOR_DISTANCE_NORMAL, ///< [3] of these: unit, from the surface of the first to that of the
                               ///< second; 0: they are `cutoff` apart or more
    DP_SENSOR_DISTANCE_SEGMENT, ///< [6] of these: the point on the first, the point on the second
                                ///< [m]
    DP_SENSOR_CONTACT, ///< [`count` times what `data` says] contacts of a geom, body or subtree, or
                       ///< in the volume of a site, with the geom, body or subtree `reference`;
                       ///< none: of anything. In the frame of the contact, its normal from the
                       ///< first to the second
    DP_SENSOR_INSIDE_SITE, ///< [1] frame: 1 where its origin is in the volume of the site
                           ///< `reference`, else 0
    DP_SENSOR_USER,        ///< [`count`] nothing: zeros, for a program to overwrite
    DP_SENSOR_KINDS,
} dp_sensor_kind;

/// What a rangefinder reports, in this order, as bits. A ray that meets nothing has −1 for lengths
/// and 0 for the rest.
typedef enum dp_ray_field {
    DP_RAY_FIELD_DISTANCE = 1,  ///< [1] the default [m]
    DP_RAY_FIELD_DIRECTION = 2, ///< [3]
    DP_RAY_FIELD_ORIGIN = 4,    ///< [3] also where it meets nothing [m]
    DP_RAY_FIELD_POINT = 8,     ///< [3] [m]
    DP_RAY_FIELD_NORMAL = 16,   ///< [3] outward
    DP_RAY_FIELD_DEPTH = 32,    ///< [1] of a site the distance [m]
    DP_RAY_FIELDS = 63,
} dp_ray_field;

/// What a contact sensor reports of each contact, in this order, as bits.
typedef enum dp_contact_field {
    DP_CONTACT_FIELD_FOUND = 1,              ///< [1] how many there are; 0: none here. The default
    DP_CONTACT_FIELD_FORCE = 2,              ///< [3] [N]
    DP_CONTACT_FIELD_TORQUE = 4,             ///< [3] [N m]
    DP_CONTACT_FIELD_DISTANCE = 8,           ///< [1] < 0: overlap [m]
    DP_CONTACT_FIELD_POINT = 16,             ///< [3] [m]
    DP_CONTACT_FIELD_NORMAL = 32,            ///< [3]
    DP_CONTACT_FIELD_TANGENT = 64,           ///< [3]
    DP_CONTACT_FIELD_LINEAR_VELOCITY = 128,  ///< [3] of the second against the first [m/s]
    DP_CONTACT_FIELD_ANGULAR_VELOCITY = 256, ///< [3] [rad/s]
    DP_CONTACT_FIELDS = 511,
} dp_contact_field;

/// Which contacts a contact sensor reports where there are more than `count`.
typedef enum dp_contact_reduction {
    DP_CONTACT_REDUCTION_NONE,      ///< the first, by geoms
    DP_CONTACT_REDUCTION_DEEPEST,   ///< those of least distance
    DP_CONTACT_REDUCTION_STRONGEST, ///< those of greatest force
    DP_CONTACT_REDUCTION_SUM,       ///< one in their place, in the axes of the world: the sum of
                                    ///< their forces at their centroid, weighted by force
} dp_contact_reduction;

/// The names of kinds, spelled as in MJCF: "hinge", "box", "accelerometer". Never NULL.
DP_API const char *dp_joint_kind_name(dp_joint_kind kind);
DP_API const char *dp_geom_kind_name(dp_geom_kind kind);
DP_API const char *dp_object_kind_name(dp_object_kind kind);
DP_API const char *dp_sensor_kind_name(dp_sensor_kind kind);
DP_API const char *dp_mesh_inertia_name(dp_mesh_inertia inertia);
DP_API const char *dp_transmission_name(dp_transmission transmission);
DP_API const char *dp_wrap_kind_name(dp_wrap_kind kind);
DP_API const char *dp_equality_kind_name(dp_equality_kind kind);

typedef struct dp_sensor_spec {
    const char *name;
    dp_sensor_kind kind;
    dp_object_kind object_kind;    ///< frame sensors: body, inertial, geom or site
    const char *object;            ///< name; NULL for the clock and the energies
    dp_object_kind reference_kind; ///< for positions, axes, velocities. Default none: the world
    const char *reference;
    double cutoff; ///< > 0: values are clamped to ±cutoff (real) or to cutoff (non-negative).
                   ///< Default 0
    unsigned data; ///< rangefinders: dp_ray_field, contacts: dp_contact_field; 0: the first of
                   ///< them. Default 0
    int count;     ///< contacts, user: ≥ 1. Default 1
    dp_contact_reduction reduction; ///< Default DP_CONTACT_REDUCTION_NONE
    dp_location where;
} dp_sensor_spec;
DP_API dp_sensor_spec dp_sensor_spec_default(void);

/// A stored state. A NULL array means the initial value. Sizes are checked when compiled.
typedef struct dp_key_spec {
    const char *name;
    double time;                                            ///< [s]
    const double *q, *v, *activation, *control;             ///< nq, nv, na, nu
    const double *mocap_position, *mocap_quaternion;        ///< 3·nmocap, 4·nmocap
    int nq, nv, na, nu, nmocap_position, nmocap_quaternion; ///< how many numbers are given
    dp_location where;
} dp_key_spec;
DP_API dp_key_spec dp_key_spec_default(void);

/// A force or torque given by expressions in the time t [s] (expression.h). It acts on one of: the
/// origin of a site, a point of a body, a joint. Expressions that are NULL are 0.
typedef struct dp_force_spec {
    const char *name;
    const char *site;
    const char *body;
    dp_v3 point; ///< [m] where it acts on `body`, in the body frame. Default 0
    const char *joint;
    bool local; ///< along the axes of the site or body, which turn with it. Default false: world
    const char *force[3];  ///< [N] slide: the first alone; free: x y z in the world
    const char *torque[3]; ///< [N m] hinge: the first alone; ball, free: x y z in body axes
    dp_location where;
} dp_force_spec;
DP_API dp_force_spec dp_force_spec_default(void);

/// A position given by expressions in the time t [s]: of a hinge, slide or ball, or of a mocap
/// body.
typedef struct dp_motion_spec {
    const char *name;
    const char *joint;       ///< hinge or slide, held at position[0] [rad, m]; ball: at `rotation`
    const char *body;        ///< mocap, put to its place
    const char *position[3]; ///< mocap: x y z in the world [m]; NULL: as described
    const char *rotation[3]; ///< ball: rotation vector x y z [rad] from the pose as described, in
                             ///< the body's axes there; mocap: in the world. NULL: 0; all of them
                             ///< NULL: as described
    dp_bearing bearing;      ///< how a joint gives. Default rigid
    dp_location where;
} dp_motion_spec;
DP_API dp_motion_spec dp_motion_spec_default(void);

/// Create an empty mechanism: the world and nothing else. The caller owns *out (dp_spec_destroy).
DP_API DP_NODISCARD dp_status dp_spec_create(dp_spec **out, const dp_allocator *allocator);
DP_API void dp_spec_destroy(dp_spec *spec); ///< NULL is allowed

/// The settings, to be changed in place. Borrowed.
DP_API dp_options *dp_spec_options(dp_spec *spec);
/// Title of the scene; "" by default.
DP_API DP_NODISCARD dp_status dp_spec_set_title(dp_spec *spec, const char *title);
DP_API const char *dp_spec_title(const dp_spec *spec);

/// Go on without `feature`, should a mechanism ask for it and it not be simulated. All that a spec
/// can hold is simulated by now, so this changes nothing; contact is left out by
/// dp_options.disable_contact.
DP_API DP_NODISCARD dp_status dp_spec_allow(dp_spec *spec, const char *feature);

/// Each adds one element and, where `out` is not NULL, tells its id. Nothing is added where it
/// fails, and the id has index −1. The spec keeps the first failure, and dp_model_compile returns
/// it with its message: a mechanism can be built without a check of every call.
/// @return DP_ERROR_ARGUMENT for an unknown parent, a duplicate name or a missing required name.
DP_API dp_status dp_spec_add_body(dp_body_id *out, dp_spec *spec, dp_body_id parent,
                                  const dp_body_spec *body);
DP_API dp_status dp_spec_add_joint(dp_joint_id *out, dp_spec *spec, dp_body_id body,
                                   const dp_joint_spec *joint);
DP_API dp_status dp_spec_add_geom(dp_geom_id *out, dp_spec *spec, dp_body_id body,
                                  const dp_geom_spec *geom);
DP_API dp_status dp_spec_add_site(dp_site_id *out, dp_spec *spec, dp_body_id body,
                                  const dp_site_spec *site);
DP_API dp_status dp_spec_add_actuator(dp_actuator_id *out, dp_spec *spec,
                                      const dp_actuator_spec *actuator);
DP_API dp_status dp_spec_add_sensor(dp_sensor_id *out, dp_spec *spec, const dp_sensor_spec *sensor);
DP_API dp_status dp_spec_add_mesh(dp_mesh_id *out, dp_spec *spec, const dp_mesh_spec *mesh);
DP_API dp_status dp_spec_add_hfield(dp_hfield_id *out, dp_spec *spec, const dp_hfield_spec *hfield);
DP_API dp_status dp_spec_add_pair(dp_pair_id *out, dp_spec *spec, const dp_pair_spec *pair);
DP_API dp_status dp_spec_add_exclude(dp_exclude_id *out, dp_spec *spec,
                                     const dp_exclude_spec *exclude);
DP_API dp_status dp_spec_add_tendon(dp_tendon_id *out, dp_spec *spec, const dp_tendon_spec *tendon);
DP_API dp_status dp_spec_add_equality(dp_equality_id *out, dp_spec *spec,
                                      const dp_equality_spec *equality);
DP_API dp_status dp_spec_add_key(dp_key_id *out, dp_spec *spec, const dp_key_spec *key);
DP_API dp_status dp_spec_add_force(dp_force_id *out, dp_spec *spec, const dp_force_spec *force);
DP_API dp_status dp_spec_add_motion(dp_motion_id *out, dp_spec *spec, const dp_motion_spec *motion);

/// Add everything that is in `part`, which is not changed: what lies on its world is placed at
/// `pose` in that of `spec`, and names get `prefix` ("" or NULL: none) before them. Keyframes of
/// `spec` get the part as described; those of the part, its settings and its title are left out.
/// @return DP_ERROR_ARGUMENT when a name is in both, and nothing was added; DP_ERROR_UNSUPPORTED
///         for forces and motions by expressions in world axes, which are not turned or moved.
DP_API DP_NODISCARD dp_status dp_spec_attach(dp_spec *spec, const dp_spec *part, dp_pose pose,
                                             const char *prefix);

/// The first failure of an addition, with its message in dp_last_error(); DP_OK: none.
DP_API DP_NODISCARD dp_status dp_spec_error(const dp_spec *spec);
/// Forget it: who has seen to it may go on.
DP_API void dp_spec_clear_error(dp_spec *spec);

/// How many elements of each kind there are. The world counts as a body.
DP_API int dp_spec_body_count(const dp_spec *spec);
DP_API int dp_spec_joint_count(const dp_spec *spec);
DP_API int dp_spec_geom_count(const dp_spec *spec);
DP_API int dp_spec_site_count(const dp_spec *spec);
DP_API int dp_spec_actuator_count(const dp_spec *spec);
DP_API int dp_spec_sensor_count(const dp_spec *spec);
DP_API int dp_spec_mesh_count(const dp_spec *spec);
DP_API int dp_spec_hfield_count(const dp_spec *spec);
DP_API int dp_spec_pair_count(const dp_spec *spec);
DP_API int dp_spec_exclude_count(const dp_spec *spec);
DP_API int dp_spec_tendon_count(const dp_spec *spec);
DP_API int dp_spec_equality_count(const dp_spec *spec);
DP_API int dp_spec_key_count(const dp_spec *spec);
DP_API int dp_spec_force_count(const dp_spec *spec);
DP_API int dp_spec_motion_count(const dp_spec *spec);

/// An element, to be changed in place; NULL for an id that does not exist. Borrowed until the next
/// addition of the same kind. A string put in place must live until the spec is compiled.
DP_API dp_body_spec *dp_spec_body(dp_spec *spec, dp_body_id body);
DP_API dp_joint_spec *dp_spec_joint(dp_spec *spec, dp_joint_id joint);
DP_API dp_geom_spec *dp_spec_geom(dp_spec *spec, dp_geom_id geom);
DP_API dp_site_spec *dp_spec_site(dp_spec *spec, dp_site_id site);
DP_API dp_actuator_spec *dp_spec_actuator(dp_spec *spec, dp_actuator_id actuator);
DP_API dp_sensor_spec *dp_spec_sensor(dp_spec *spec, dp_sensor_id sensor);
DP_API dp_mesh_spec *dp_spec_mesh(dp_spec *spec, dp_mesh_id mesh);
DP_API dp_hfield_spec *dp_spec_hfield(dp_spec *spec, dp_hfield_id hfield);
DP_API dp_pair_spec *dp_spec_pair(dp_spec *spec, dp_pair_id pair);
DP_API dp_exclude_spec *dp_spec_exclude(dp_spec *spec, dp_exclude_id exclude);
DP_API dp_tendon_spec *dp_spec_tendon(dp_spec *spec, dp_tendon_id tendon);
DP_API dp_equality_spec *dp_spec_equality(dp_spec *spec, dp_equality_id equality);
DP_API dp_key_spec *dp_spec_key(dp_spec *spec, dp_key_id key);
DP_API dp_force_spec *dp_spec_force(dp_spec *spec, dp_force_id force);
DP_API dp_motion_spec *dp_spec_motion(dp_spec *spec, dp_motion_id motion);

/// Mass properties of a geom from its shape and mass or density, in the body frame. Planes and
/// height fields have none.
/// @return DP_ERROR_ARGUMENT for a size or mass that no body has, and for a mesh: the numbers that
///         its shape takes are in the spec.
DP_API DP_NODISCARD dp_status dp_geom_inertial(dp_inertial *out, const dp_geom_spec *geom);
/// The same for a geom of a spec, meshes included: their principal axes need not be those of the
/// geom. Takes time in proportion to the mesh.
/// @return DP_ERROR_ARGUMENT also for a geom that does not exist, an unknown mesh, or a mesh that
///         has no volume.
DP_API DP_NODISCARD dp_status dp_spec_geom_inertial(dp_inertial *out, const dp_spec *spec,
                                                    dp_geom_id geom);

DP_END_C
#endif
