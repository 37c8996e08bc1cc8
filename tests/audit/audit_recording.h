// What a run leaves behind: everything that the checks may know of the library under audit.
#ifndef AUDIT_RECORDING_H
#define AUDIT_RECORDING_H

#include "audit_scene.h"

// The moment a body is in. World axes.
typedef struct audit_body_state {
    double pos[3], quat[4]; // of the body frame
    double w[3], v[3];      // angular velocity; velocity of the body's origin
} audit_body_state;

typedef enum audit_contact_mode { AUDIT_OPEN, AUDIT_STICK, AUDIT_SLIP } audit_contact_mode;
typedef enum audit_normal_law {
    AUDIT_NORMAL_SPRING,
    AUDIT_NORMAL_HUNT_CROSSLEY,
    AUDIT_NORMAL_HERTZ,
} audit_normal_law;

// A contact point of a step. World axes; impulses are the mean force over the step times its
// length, and act on B; the opposite ones act on A.
typedef struct audit_contact {
    int geom[2], body[2];  // A and B, geom[0] < geom[1]
    int pair;              // -1: none
    double point[3];       // at the start of the step
    double normal[3];      // unit, from A to B
    double tangent[2][3];  // unit; tangent[0] x tangent[1] = normal
    double start_gap, gap; // [m] at the start and the end, < 0: overlap
    double normal_impulse; // [N s]
    double friction[2];    // [N s] along the tangents
    double torsion;        // [N m s] about the normal
    double roll[2];        // [N m s] about the tangents
    double approach;       // [m/s] rate of the gap at the end, > 0 apart
    double slip[2];        // [m/s] of B's surface past A's at the end, belts included
    double spin;           // [rad/s]
    audit_contact_mode mode;
    audit_normal_law law;
    double stiffness, damping, dissipation; // of this point: its share
    int condim;
    double mu[2], mu_torsion, mu_roll[2]; // as the library sees them; 0 where there is none
    double impulse[3], moment[3];         // on B about `point`: all of the above, in world axes
} audit_contact;

typedef enum audit_row_source { // in the order of the library
    AUDIT_ROW_EQUALITY,
    AUDIT_ROW_JOINT_LIMIT,
    AUDIT_ROW_TENDON_LIMIT,
    AUDIT_ROW_TENDON_SPRING, // springs, dampers and armature
    AUDIT_ROW_JOINT_FRICTION,
    AUDIT_ROW_TENDON_FRICTION,
    AUDIT_ROW_DRIVE,
    AUDIT_ROW_USER,
    AUDIT_ROW_MOTION,
    AUDIT_ROW_FOUNDATION,
    AUDIT_ROW_CONTACT,
    AUDIT_ROW_SOURCES,
} audit_row_source;

// A row of a step, contacts included (their numbers are in audit_contact, too).
typedef struct audit_row {
    audit_row_source source;
    int element;   // number of the equality, joint, tendon, actuator, motion, foundation, contact
    int component; // limits: 0 the lower end, 1 the upper; friction: coordinate of the joint;
                   // foundation: spring i + nx j
    double start_gap, start_rate, gap, rate;
    double impulse; // [N s, N m s] along the gap, > 0 apart: mean force times the step
    int state;      // 0 open, 1 active, 2 at lo, 3 at hi, 4 stick, 5 slip
    double len;     // [m] what turns an angle into a length; 1 of linear rows
    double k, b;    // the spring and dashpot of the row as the law saw it; may be infinite
    double lo, hi;  // [N s] range of the impulse; may be infinite
    int jacobian;   // offset into audit_step.G of nv numbers, d(gap rate)/dv at the start of the
                    // step; -1: not known
} audit_row;

// The ledger of energies as the library reports it [J], since the start.
typedef struct audit_ledger {
    bool kept;
    double kinetic, gravity, spring; // of the state
    double elastic_before, elastic;
    double applied, drives, moved, corrected, damped, friction, impacts, remainder;
} audit_ledger;

typedef struct audit_certificate {
    double momentum, normal_law, complementarity, penetration, lift_off, cone, friction_power,
        creep, drift, heading, shortfall;
} audit_certificate;

// From sample k to sample k + 1.
typedef struct audit_step {
    int parts; // in which the step was made. Contacts and rows are those of the last part, so that
               // balances of impulses are known for parts == 1 alone
    double part_length; // [s] of the last part; the impulses are over it
    int rejected, recovering, dropped, impacts, impact_gains, unsolved, transported, asleep;
    int outcome; // 0 converged, 1 capped, 2 contradictory, 3 infeasible, 4 weakly
                 // infeasible; else other
    int fallbacks, painleve, replaced;
    double residual, gap_error, inconsistent;
    double corrected;  // [m] largest violation of a rigid row at the start; 0: positions are not
                       // corrected
    double correction; // [m/s] fastest rate at which one is closed
    audit_certificate certificate;
    int ncontact, nrow;
    audit_contact *contact;
    audit_row *row;
    double *G; // see audit_row.jacobian
} audit_step;

typedef struct audit_sample {
    double t;
    double q[AUDIT_NQ], v[AUDIT_NV];
    double activation[AUDIT_ACTUATORS]; // of those actuators that have one, in their order
    audit_body_state body[AUDIT_BODIES];
    bool tendons_known;
    double tendon_length[AUDIT_TENDONS], tendon_rate[AUDIT_TENDONS];
    audit_ledger ledger;
    uint64_t hash;
} audit_sample;

typedef enum audit_end {
    AUDIT_RAN,     // all steps were made
    AUDIT_REFUSED, // by the importer, the compiler or, in its first step, the law: `message`
    AUDIT_FAILED,  // a step failed: `message`; samples and steps up to there are valid
    AUDIT_BROKEN,  // the instrument and the library disagree on names or sizes: `message`
} audit_end;

typedef struct audit_recording {
    audit_end end;
    char message[512];
    audit_law law;
    double h;
    int nstep;            // steps made; there is one sample more
    bool cut;             // fewer than asked for, since they took too long
    audit_sample *sample; // nstep + 1
    audit_step *step;     // nstep
    // Hashes of the final state of three other runs of the same text; 0: not made.
    uint64_t hash_again;    // the same once more, in a new simulation
    uint64_t hash_restored; // saved and restored into a new simulation in mid-run
    uint64_t hash_threads;  // with three threads
    bool hashes_made;
} audit_recording;

// Run a scene of MJCF text for nsteps, or until `seconds` of processor time are spent. `hashes`:
// make the other three runs, too. Never fails otherwise than by recording->end.
void audit_record(audit_recording *out, const audit_scene *scene, const char *mjcf, double seconds,
                  bool hashes);
void audit_recording_free(audit_recording *recording);

#endif
