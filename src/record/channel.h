// Channels: the named numbers of a simulation, each with a unit. docs/channels.md is the list.
#ifndef DP_RECORD_CHANNEL_H
#define DP_RECORD_CHANNEL_H

#include <dashpot/sim.h>

/// Which number it is. Grouped by what must be up to date before it can be read.
typedef enum dp_channel_source {
    // the state itself
    DP_CHANNEL_TIME,
    DP_CHANNEL_Q, // component: index into q
    DP_CHANNEL_V,
    DP_CHANNEL_CONTROL,
    DP_CHANNEL_ACTIVATION,
    DP_CHANNEL_STEP,        // component: dp_channel_step
    DP_CHANNEL_CERTIFICATE, // component: dp_channel_certificate
    DP_CHANNEL_LEDGER,      // component: dp_channel_ledger
    // kinematics
    DP_CHANNEL_BODY_POSITION,
    DP_CHANNEL_BODY_ROTATION,
    DP_CHANNEL_BODY_VELOCITY,
    DP_CHANNEL_BODY_ANGULAR_VELOCITY,
    DP_CHANNEL_BODY_COM,
    DP_CHANNEL_SITE_POSITION,
    DP_CHANNEL_SITE_ROTATION,
    DP_CHANNEL_ENERGY, // component: dp_channel_energy
    DP_CHANNEL_COM,
    DP_CHANNEL_LINEAR_MOMENTUM,
    DP_CHANNEL_ANGULAR_MOMENTUM,
    // forces and sensors
    DP_CHANNEL_ACCELERATION, // component: index into v, as in the next two
    DP_CHANNEL_ACTUATION,
    DP_CHANNEL_PASSIVE,
    DP_CHANNEL_BODY_REACTION,
    DP_CHANNEL_JOINT_REACTION,
    DP_CHANNEL_ACTUATOR_FORCE,
    DP_CHANNEL_SENSOR,       // component: index into the sensor data
    DP_CHANNEL_EQUALITY_GAP, // component: row of the equality, as in the next
    DP_CHANNEL_EQUALITY_FORCE,
    DP_CHANNEL_MOTION_GAP,
    DP_CHANNEL_MOTION_FORCE,
    DP_CHANNEL_LIMIT_FORCE,
    DP_CHANNEL_FRICTION_FORCE, // component: coordinate of the joint
    DP_CHANNEL_TENDON_LENGTH,
    DP_CHANNEL_TENDON_VELOCITY,
    DP_CHANNEL_TENDON_FORCE,
    DP_CHANNEL_FOUNDATION, // component: dp_channel_foundation
    DP_CHANNEL_PRESSURE,   // component: spring of the foundation. Only for those who ask for it
    DP_CHANNEL_CONTACT_OF_BODIES, // component: of the other, dp_channel_contact. The same
    DP_CHANNEL_CONTACT_OF_GEOMS,
} dp_channel_source;

typedef enum dp_channel_foundation {
    DP_CHANNEL_FOUNDATION_FORCE,
    DP_CHANNEL_PRESSURE_MAX,
    DP_CHANNEL_PRESSURE_CENTRE, // and the next two
} dp_channel_foundation;

typedef enum dp_channel_energy {
    DP_CHANNEL_KINETIC,
    DP_CHANNEL_GRAVITY,
    DP_CHANNEL_SPRING,
    DP_CHANNEL_POTENTIAL,
    DP_CHANNEL_TOTAL,
} dp_channel_energy;

typedef enum dp_channel_step {
    DP_CHANNEL_EVALUATIONS,
    DP_CHANNEL_SUBSTEPS,
    DP_CHANNEL_REJECTED,
    DP_CHANNEL_TRANSPORTED,
    DP_CHANNEL_LIMITED,
    DP_CHANNEL_ASLEEP,
} dp_channel_step;

typedef enum dp_channel_certificate {
    DP_CHANNEL_MOMENTUM,
    DP_CHANNEL_NORMAL_LAW,
    DP_CHANNEL_COMPLEMENTARITY,
    DP_CHANNEL_CONE,
    DP_CHANNEL_FRICTION_POWER,
    DP_CHANNEL_PENETRATION,
    DP_CHANNEL_LIFT_OFF,
    DP_CHANNEL_CREEP,
    DP_CHANNEL_DRIFT,
    DP_CHANNEL_GAP_ERROR,
    DP_CHANNEL_CORRECTION,
    DP_CHANNEL_HEADING,
    DP_CHANNEL_SHORTFALL,
    DP_CHANNEL_FALLBACKS,
    DP_CHANNEL_WITHIN_ERROR,
    DP_CHANNEL_DROPPED,
    DP_CHANNEL_ROWS,
    DP_CHANNEL_PASSES,
    DP_CHANNEL_ITERATIONS,
    DP_CHANNEL_FACTORIZATIONS,
} dp_channel_certificate;

typedef enum dp_channel_ledger {
    DP_CHANNEL_ELASTIC,
    DP_CHANNEL_APPLIED,
    DP_CHANNEL_DRIVES,
    DP_CHANNEL_MOVED,
    DP_CHANNEL_CORRECTED,
    DP_CHANNEL_DAMPED,
    DP_CHANNEL_FRICTION,
    DP_CHANNEL_IMPACTS,
    DP_CHANNEL_REMAINDER,
    DP_CHANNEL_CONTACT,
    DP_CHANNEL_CONTACT_DAMPED,
    DP_CHANNEL_CONTACT_FRICTION,
} dp_channel_ledger;

/// What two that touch do to each other: the component of a channel is the number of the second
/// times DP_CHANNEL_CONTACTS, plus one of these.
typedef enum dp_channel_contact {
    DP_CHANNEL_CONTACT_FN, // [N] sum of the normal forces
    DP_CHANNEL_CONTACT_FX, // [N] force on the second, world axes
    DP_CHANNEL_CONTACT_FY,
    DP_CHANNEL_CONTACT_FZ,
    DP_CHANNEL_CONTACTS,
} dp_channel_contact;

typedef struct dp_channel {
    dp_channel_source source;
    int element; // body, joint, site, actuator, equality, tendon or sensor; 0 for the whole system
    int component; // x y z, w x y z, fx fy fz tx ty tz, or as noted above
    bool usual;    // belongs to the default set
} dp_channel;

/// Longest name of a channel, with its end. Elements with names too long for it go by their number.
enum { DP_CHANNEL_NAME = 1024 };

/// Called for every channel in order, until it returns false. Strings are valid during the call.
typedef bool (*dp_channel_visitor)(void *context, const dp_channel *channel, const char *name,
                                   const char *unit);
void dp_channel_each(const dp_model *m, dp_channel_visitor visit, void *context);

/// The same for channels of two bodies or geoms that could touch, `contact.A.B.fn`, which are as
/// many as pairs: only for those who ask for them.
void dp_channel_each_contact(const dp_model *m, dp_channel_visitor visit, void *context);
/// One of these, after dp_forward.
double dp_channel_read_contact(const dp_data *d, const dp_channel *c);

/// Read `count` channels at the present state, running dp_kinematics or dp_sense where one needs
/// it.
dp_status dp_channel_read(double *values, const dp_channel *channels, int count, const dp_model *m,
                          dp_data *d);

#endif
