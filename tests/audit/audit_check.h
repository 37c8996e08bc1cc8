// Claims about a run, recomputed from the scene and the recording alone. None of the files that
// implement them includes a header of the library under audit.
#ifndef AUDIT_CHECK_H
#define AUDIT_CHECK_H

#include "audit_recording.h"
#include "audit_scene.h"

typedef enum audit_claim {
    // State
    AUDIT_CLAIM_FINITE,      // no number is NaN or infinite
    AUDIT_CLAIM_UNIT,        // quaternions have unit length
    AUDIT_CLAIM_POSE,        // body poses are those of q
    AUDIT_CLAIM_TWIST,       // body twists are those of q and v
    AUDIT_CLAIM_TENDON,      // tendon lengths and rates are those of q and v
    AUDIT_CLAIM_DRIFT,       // q₁ = q₀ ⊕ h v₁
    AUDIT_CLAIM_HASH_AGAIN,  // a second run ends with the same bits
    AUDIT_CLAIM_HASH_SAVED,  // so does one that was saved and restored in mid-run
    AUDIT_CLAIM_HASH_THREAD, // and one with three threads
    // Momentum
    AUDIT_CLAIM_BALANCE,         // M(v₁ − v₀) = h(τ − c) + Gᵀγ, tree by tree
    AUDIT_CLAIM_LINEAR,          // linear momentum of trees that float
    AUDIT_CLAIM_ANGULAR,         // their angular momentum
    AUDIT_CLAIM_IMPACT_MOMENTUM, // the same in steps with impacts of rigid laws
    AUDIT_CLAIM_JACOBIAN,        // gradients of rows are derivatives of their gaps
    // Energy
    AUDIT_CLAIM_ENERGY,        // does not grow beyond the work done
    AUDIT_CLAIM_IMPACT_ENERGY, // nor in steps with impacts of rigid laws
    AUDIT_CLAIM_LEDGER,        // energies of the ledger are those of q and v, and balance
    AUDIT_CLAIM_CORRECTION,    // closing a violated start leaves no kinetic energy
    // Gaps
    AUDIT_CLAIM_GAP,         // reported gaps are those of the shapes
    AUDIT_CLAIM_REPORT,      // reported rates, slips and final gaps are those of the motion
    AUDIT_CLAIM_RECOVERY,    // final gaps are, too, where violated gaps recover bit by bit
    AUDIT_CLAIM_MISSED,      // shapes that overlap have a contact
    AUDIT_CLAIM_PENETRATION, // shapes overlap by no more than load and stiffness make them
    AUDIT_CLAIM_TUNNEL,      // nothing passes through anything between steps
    // Contacts
    AUDIT_CLAIM_PUSH,     // normal impulses push
    AUDIT_CLAIM_DISTANCE, // and not at a distance
    AUDIT_CLAIM_NORMAL,   // they are those of the material
    AUDIT_CLAIM_MATERIAL, // stiffness, damping and friction are those of the two geoms
    AUDIT_CLAIM_CONE,     // friction is within its disc or polygon
    AUDIT_CLAIM_SLIP,     // friction opposes slip, with all it has
    AUDIT_CLAIM_CREEP,    // what sticks does not move
    AUDIT_CLAIM_REBOUND,  // contacts with restitution e separate at e times the speed of approach
    // Rows
    AUDIT_CLAIM_ROW,     // forces of rows are those of their springs, dashpots and ranges
    AUDIT_CLAIM_LIMIT,   // joints and tendons stay within rigid limits
    AUDIT_CLAIM_LOOP,    // rigid loops stay closed
    AUDIT_CLAIM_PRESENT, // violated limits and loops in force have rows
    AUDIT_CLAIMS,
} audit_claim;

// A claim that failed: by how much it was off, and what was allowed, in units of `unit`.
typedef struct audit_violation {
    audit_claim claim;
    int step; // 0: from sample 0 to sample 1; −1: of the whole run
    double value, bound;
    const char *unit;
    char text[160]; // what and where
} audit_violation;

enum { AUDIT_VIOLATIONS = 64 };

typedef struct audit_report {
    int nviolation; // that were kept: the first of each claim, and the worst
    audit_violation violation[AUDIT_VIOLATIONS];
    int failed[AUDIT_CLAIMS];   // steps in which a claim failed
    int tested[AUDIT_CLAIMS];   // steps in which it was tested
    double worst[AUDIT_CLAIMS]; // the largest value/bound
} audit_report;

// Test all claims that the law of the recording promises (audit_promises.h).
void audit_check(audit_report *out, const audit_scene *scene, const audit_recording *recording);

// Is the mass matrix singular to round-off, since joints of a tree are all but the same, or on the
// way of the next step?
bool audit_joints_lock(const audit_scene *scene, const audit_sample *at);

// Is the step too long for an explicit integrator, by the springs and dampers of joints at the
// start, or by how fast bodies turn in the end?
bool audit_diverges(const audit_scene *scene, const audit_sample *start, const audit_sample *last);

// "momentum of trees". Never NULL.
const char *audit_claim_name(audit_claim claim);
const char *audit_claim_text(audit_claim claim); // a sentence

#endif
