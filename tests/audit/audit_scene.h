// A random scene, described plainly: what the generator draws, what the MJCF text says, what the
// checks recompute everything from. Nothing here comes from the library under audit.
//
// Numbering is that of the text: body 0 is the world, bodies follow depth first, joints, geoms and
// sites are sorted by body. Elements are named by their number: b1, j0, g3, s2, t0, e1, a0 … Angles
// are radians, quaternions are (w, x, y, z) and of unit length, all is in SI units.
#ifndef AUDIT_SCENE_H
#define AUDIT_SCENE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    AUDIT_BODIES = 16,
    AUDIT_JOINTS = 32,
    AUDIT_GEOMS = 32,
    AUDIT_SITES = 32,
    AUDIT_TENDONS = 4,
    AUDIT_WRAPS = 8,
    AUDIT_EQUALITIES = 8,
    AUDIT_ACTUATORS = 8,
    AUDIT_PAIRS = 8,
    AUDIT_EXCLUDES = 4,
    AUDIT_FORCES = 4,
    AUDIT_MOTIONS = 4,
    AUDIT_MESHES = 4,
    AUDIT_VERTICES = 32,
    AUDIT_FACES = 48,
    AUDIT_GRID = 64,
    AUDIT_NQ = 112,
    AUDIT_NV = 96,
};

typedef enum audit_law {
    AUDIT_COMPLIANT,
    AUDIT_LCP,
    AUDIT_NCP,
    AUDIT_VI,
    AUDIT_TAMSI,
    AUDIT_ODE,
    AUDIT_LAWS,
} audit_law;

// x(t) = constant + rate t + amplitude sin(frequency t + phase)
typedef struct audit_wave {
    double constant, rate, amplitude, frequency, phase;
} audit_wave;

// A spring and a dashpot; stiffness INFINITY: rigid.
typedef struct audit_bearing {
    double stiffness, damping;
} audit_bearing;

typedef struct audit_body {
    int parent;             // < its own number; -1 for the world
    double pos[3], quat[4]; // in the parent's frame, all joints at their reference
    double mass;            // [kg]; 0: a static or mocap body
    double com[3];          // [m] in the body frame
    double iquat[4];        // principal axes in the body frame
    double inertia[3];      // [kg m²] about the centre of mass, along them
    double gravcomp;        // [1] 1: weightless
    int mocap;              // number among mocap bodies, -1: none
} audit_body;

typedef enum audit_joint_kind { AUDIT_FREE, AUDIT_BALL, AUDIT_HINGE, AUDIT_SLIDE } audit_joint_kind;

typedef struct audit_joint {
    int body;
    audit_joint_kind kind;
    double pos[3], axis[3]; // in the body frame; the axis is of unit length
    double ref;             // hinge, slide: the q of the pose as described
    double stiffness, springref, damping, armature, frictionloss;
    bool limited;
    double range[2]; // ball: 0 and the largest angle
    audit_bearing limit;
    int q, v; // where its coordinates begin: audit_scene_layout
} audit_joint;

typedef enum audit_geom_kind {
    AUDIT_PLANE,
    AUDIT_SPHERE,
    AUDIT_CAPSULE,
    AUDIT_CYLINDER,
    AUDIT_ELLIPSOID,
    AUDIT_BOX,
    AUDIT_MESH,   // the convex hull of its vertices where its body moves, else its triangles
    AUDIT_HFIELD, // static
} audit_geom_kind;

// docs/contact.md. Numbers of two geoms act in series; those of a pair are the pair's.
typedef struct audit_material {
    double stiffness, damping; // [N/m], [N s/m]
    double youngs_modulus;     // [Pa] > 0: Hertz
    double poisson;
    double dissipation; // [s/m] > 0: Hunt and Crossley
    double restitution; // 0 … 1; negative: not given
} audit_material;

typedef struct audit_geom {
    int body;
    audit_geom_kind kind;
    double pos[3], quat[4]; // in the body frame
    double size[3];         // sphere r; capsule, cylinder r and half length; ellipsoid, box 3
    int mesh;               // of AUDIT_MESH
    int contype, conaffinity, condim, priority;
    double margin;
    double friction[3]; // sliding [1], torsion [m], rolling [m]
    audit_material material;
    double surface_velocity[3]; // of a belt, in the geom's axes
    int foundation[2]; // springs of an elastic foundation on the face -z of a box; 0 0: none
    double foundation_modulus, foundation_depth, foundation_damping;
} audit_geom;

typedef struct audit_mesh {
    int nvertex, nface; // nface 0: the convex hull
    double vertex[AUDIT_VERTICES][3];
    int face[AUDIT_FACES][3]; // counterclockwise from outside
} audit_mesh;

// Heights on a grid over [-size0, size0] x [-size1, size1], x along columns, y along rows, row 0 at
// the smallest y; the surface is at size2 · elevation, the base at -size3.
typedef struct audit_hfield {
    int nrow, ncol;               // 0: there is none
    double elevation[AUDIT_GRID]; // row · ncol + column, from 0 to 1, both reached
    double size[4];
} audit_hfield;

typedef struct audit_site {
    int body;
    double pos[3], quat[4];
} audit_site;

typedef enum audit_wrap_kind {
    AUDIT_WRAP_JOINT,
    AUDIT_WRAP_SITE,
    AUDIT_WRAP_GEOM, // a sphere or cylinder
    AUDIT_WRAP_PULLEY,
} audit_wrap_kind;

typedef struct audit_wrap {
    audit_wrap_kind kind;
    int object;         // joint, site or geom
    int side;           // of a geom: site, -1: none
    double coefficient; // of a joint; divisor of a pulley
} audit_wrap;

typedef struct audit_tendon {
    bool spatial;
    int nwrap;
    audit_wrap wrap[AUDIT_WRAPS];
    bool limited;
    double range[2];
    audit_bearing limit;
    double stiffness, damping, frictionloss, armature;
    double springlength[2]; // slack between the two; always given where there is a stiffness
} audit_tendon;

typedef enum audit_equality_kind {
    AUDIT_CONNECT, // anchor of object[0] (its frame) and the same point of object[1] as described
    AUDIT_WELD,    // objects as described, unless `relative`
    AUDIT_EQ_JOINT,
    AUDIT_EQ_TENDON,
    AUDIT_DISTANCE, // anchor of object[0] and anchor2 of object[1] stay `distance` apart
} audit_equality_kind;

typedef struct audit_equality {
    audit_equality_kind kind;
    int object[2]; // bodies (0: the world), joints or tendons; the second joint or tendon may be -1
    double anchor[3], anchor2[3];
    // Weld: the pose of the second body in the first's frame; `anchor` is in the second's frame.
    double relpos[3], relquat[4];
    double distance;
    double torquescale;
    double polycoef[5];
    audit_bearing bearing;
} audit_equality;

typedef enum audit_actuator_kind {
    AUDIT_MOTOR,
    AUDIT_POSITION,
    AUDIT_VELOCITY
} audit_actuator_kind;
typedef enum audit_target { AUDIT_ON_JOINT, AUDIT_ON_TENDON, AUDIT_ON_SITE } audit_target;
typedef enum audit_activation {
    AUDIT_ACT_NONE,
    AUDIT_ACT_INTEGRATOR,
    AUDIT_ACT_FILTER,
    AUDIT_ACT_FILTER_EXACT,
} audit_activation;

// force = gain w + bias_position l + bias_velocity l', w the control or activation, l = gear · q.
typedef struct audit_actuator {
    audit_actuator_kind kind;
    audit_target target;
    int object;
    double gear[6];
    double kp, kv; // motor: none; position: kp, kv; velocity: kv
    audit_activation activation;
    double time_constant;
    bool ctrl_limited, force_limited;
    double ctrl_range[2], force_range[2];
    double ctrl; // from the start on
} audit_actuator;

typedef struct audit_pair {
    int geom[2];
    int condim;
    double friction[5]; // two of sliding, torsion, two of rolling
    double margin;
    audit_material material;
} audit_pair;

typedef struct audit_force {
    int body, joint;                // one of them, the other -1
    double pos[3];                  // body: in its frame
    bool local;                     // components along the axes of the body, else of the world
    audit_wave force[3], torque[3]; // hinge: torque[0]; slide: force[0]
} audit_force;

typedef struct audit_motion {
    int joint, body;        // hinge or slide; or mocap body; the other -1
    audit_wave position[3]; // joint: the first alone
    audit_wave rotation[3]; // body: rotation vector in the world
    audit_bearing bearing;  // joint
} audit_motion;

typedef enum audit_integrator { AUDIT_SEMI_IMPLICIT, AUDIT_RK4, AUDIT_RK45 } audit_integrator;

typedef struct audit_options {
    double step;
    double gravity[3];
    audit_law law;
    audit_integrator integrator;
    int impact_rule;     // 0 expedient, 1 poisson, 2 newton
    double impact_speed; // [m/s]
    int stabilisation;   // 0 gap, 1 projection
    int lcp_directions;
    int vi_disc; // 0 cone, 1 disc
    bool vi_desaxce;
    double slip_speed;    // tamsi, ode
    int ode_integrator;   // 0 rk45, 1 implicit-euler
    double ode_stiffness; // 0: rigid rows are refused
    double accuracy;      // 0: none
    int max_halvings;     // 6 is the default
    double sleep_speed;   // 0: none
    double sleep_time;
    double large_rotation; // 0.1 is the default
    bool disable_contact;
} audit_options;

typedef struct audit_scene {
    uint64_t seed;
    int nsteps;
    audit_options option;
    int nbody, njoint, ngeom, nsite, ntendon, nequality, nactuator, npair, nexclude, nforce,
        nmotion;
    int nmesh, nmocap;
    audit_body body[AUDIT_BODIES];
    audit_joint joint[AUDIT_JOINTS];
    audit_geom geom[AUDIT_GEOMS];
    audit_site site[AUDIT_SITES];
    audit_tendon tendon[AUDIT_TENDONS];
    audit_equality equality[AUDIT_EQUALITIES];
    audit_actuator actuator[AUDIT_ACTUATORS];
    audit_pair pair[AUDIT_PAIRS];
    int exclude[AUDIT_EXCLUDES][2]; // bodies
    audit_force force[AUDIT_FORCES];
    audit_motion motion[AUDIT_MOTIONS];
    audit_mesh mesh[AUDIT_MESHES];
    audit_hfield hfield;                                            // of all AUDIT_HFIELD geoms
    int nq, nv;                                                     // audit_scene_layout
    double q[AUDIT_NQ], v[AUDIT_NV];                                // the start: keyframe 0
    double mocap_pos[AUDIT_BODIES][3], mocap_quat[AUDIT_BODIES][4]; // by mocap number, at the start
} audit_scene;

// Number the coordinates of the joints: sets nq, nv and q, v of each joint.
void audit_scene_layout(audit_scene *scene);
// Is the path of a tendon one that MJCF allows?
bool audit_tendon_is_path(const audit_tendon *tendon);
double audit_wave_at(const audit_wave *wave, double t);
const char *audit_law_name(audit_law law);

// A scene of that seed; the law is AUDIT_COMPLIANT.
void audit_generate(audit_scene *out, uint64_t seed);

// The scene as MJCF text; `comment` (may be NULL) comes first. Owned by the caller (free).
char *audit_write_mjcf(const audit_scene *scene, const char *comment);

// A scene from such a text, bit by bit but for the seed where the text does not name it. Takes what
// audit_write_mjcf writes, and nothing else. @return NULL, or what was not understood
const char *audit_read_mjcf(audit_scene *out, const char *text);

#endif
