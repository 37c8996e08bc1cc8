// What the checks share: one run, taken step by step.
#ifndef AUDIT_CHECK_PARTS_H
#define AUDIT_CHECK_PARTS_H

#include "audit_check.h"
#include "audit_kinematics.h"

#include <stdbool.h>

// How the velocity terms of a tree are treated in a step (docs/theory/stepping.md), as the auditor
// reads it from the velocities at its ends.
typedef enum tree_mode {
    TREE_EXPLICIT, // the kick ends with v₁
    TREE_SPIN,     // one rigid body on a free or ball joint: kicked, then it turns freely
    TREE_UNKNOWN,  // momentum is transported, or the energy may have been limited: no equation
} tree_mode;

typedef struct audit_case {
    const audit_scene *scene;
    const audit_recording *recording;
    audit_report *report;
    int step;
    double h;
    const audit_sample *from, *to;
    const audit_step *now;
    audit_kinematics k0, k1; // at the start and the end of the step
    audit_kinematics kv;     // at q₀ ⊕ h v, where rows act: k1 but in split steps
    double q_kick[AUDIT_NQ]; // the same as coordinates
    audit_kinematics rest;   // as described: hinges and slides at their reference
    audit_mocap mocap0[AUDIT_BODIES], mocap1[AUDIT_BODIES];
    tree_mode mode[AUDIT_BODIES]; // of trees
    bool thrown[AUDIT_BODIES];    // trees: rows may have given them more than the limit of energy
    bool floats[AUDIT_BODIES];    // trees: a free joint without spring and armature at the root
    bool balanced[AUDIT_BODIES];  // trees that float and turn so far that they have a limit
    // The velocities of the step (audit_motion.c).
    bool split;                      // v_move may be another than v_kick:
    bool corrects;                   // since rigid rows started violated
    double v_kick[AUDIT_NV];         // solve the equations of motion at q₀
    double kick_noise[AUDIT_NV];     // to which they are known beside tendons with armature
    double v_move[AUDIT_NV];         // q₁ = q₀ ⊕ h v_move
    bool kick_known;                 // false: a tendon with armature has a path that is not known
    bool way_known[AUDIT_BODIES];    // trees: v_move is known
    double spin_scale[AUDIT_BODIES]; // single trees: s of (AV 1)
    double displacement[AUDIT_NV];   // of joint springs at the start
    double law_noise[AUDIT_BODIES];  // [m/s] trees: round-off of what their impulses do (AN 1)
    int tested_step[AUDIT_CLAIMS], failed_step[AUDIT_CLAIMS];
} audit_case;

// Note that a claim was tested in this step: value ≤ bound holds, or it is a violation. What is not
// a number is a violation. Returns whether it holds.
bool audit_test(audit_case *c, audit_claim claim, double value, double bound, const char *unit,
                const char *format, ...) __attribute__((format(printf, 6, 7)));
// Does the law of the run promise the claim?
bool audit_wants(const audit_case *c, audit_claim claim);

// Is the step one by the semi-implicit method in a single part, so that its rows and contacts are
// all that acted? Balanced: and nothing is asleep or projected, so that rows and contacts act by
// the positions at its end. Plain: and no impact has phases of its own, so that they act once.
bool audit_step_is_whole(const audit_case *c);
bool audit_step_is_balanced(const audit_case *c);
bool audit_step_is_plain(const audit_case *c);
// Does a rigid row start violated, so that the step closes it apart from v? The gap is in its own
// units.
bool audit_row_is_corrected(const audit_case *c, const audit_row *row);
bool audit_law_is_rigid(audit_law law);
// [m/s] to which rows and contacts are met: ten times law.tolerance, a hundred where the law has a
// compliance (docs/laws/vi.md: De Saxcé's term).
double audit_law_fuzz(const audit_case *c);
bool audit_law_yields(const audit_case *c); // rigid rows have a compliance of 1e-6
// law_noise of the case. All of the above is known.
void audit_find_noise(audit_case *c);
// [m/s] (AN 1) of the island of a row or a contact. NULL: 0.
double audit_row_noise(const audit_case *c, const audit_row *row);
double audit_contact_noise(const audit_case *c, const audit_contact *contact);
// [m/s] Places of points are known to their last digits, so arms are, and a body that turns by ω
// has velocities to that times ω.
double audit_spin_noise(const audit_case *c, int body);
int audit_joint_nv(const audit_joint *joint);
int audit_root_joint(const audit_case *c, int tree);
bool audit_tree_is_single(const audit_case *c, int tree); // one rigid body on a free or ball joint
// split … spin_scale of the case. k0, k1 and mocap1 are known.
void audit_find_velocities(audit_case *c);
// By how much the gap of a row ends at q₀ ⊕ h v off its start and h G v, its way along the
// gradient. False: not known here.
bool audit_row_bend(double *bend, const audit_case *c, const audit_row *row);
// The gap of a row in a configuration. False: not known here, or in units of its own.
bool audit_row_gap(double *gap, const audit_case *c, const audit_kinematics *k,
                   const audit_row *row);
void audit_place_rest(audit_case *c); // `rest` of the case
double audit_row_dot(const audit_case *c, const audit_row *row, const double *v); // G · v
bool audit_is_mocap(const audit_scene *scene, int body); // or welded to one that is

// Generalised forces of a step that are no rows [N, N m], on the velocities v_kick.
typedef struct audit_forces {
    double gravity[AUDIT_NV], velocity[AUDIT_NV]; // velocity terms: 0 where a tree spins
    double drives[AUDIT_NV], applied[AUDIT_NV], springs[AUDIT_NV], dampers[AUDIT_NV];
    double round[AUDIT_NV];   // [N, N m] round-off of springs, servos and weight
    double drive_work;        // [J] of drives
    bool known[AUDIT_BODIES]; // of trees: all of the above are known
} audit_forces;
void audit_step_forces(audit_forces *out, const audit_case *c);
// The velocities that forces and the reported impulses lead to, M̃ (v − v₀) = h f + Gᵀ γ.
void audit_find_pushed(double *v, const audit_case *c);
// From M at q₀ and the forces at v_kick to those of the implicit step, M̃ = M + h D + h² K and the
// forces at v₀, of joints and servos that are no rows: M̃ (v* − v₀) = h f.
void audit_add_implicit(double *M, double *f, const audit_case *c);

// x ← M⁻¹ x by Gauss' method with pivots; M, n × n, is spoilt. False: M is singular.
bool audit_solve(double *x, double *M, int n);
// M̃ = M + h D + h² K, nv × nv.
void audit_implicit_mass(double *M, const audit_case *c);
// [kg, kg m²] What a row meets is 1/w with its mobility w = G M̃⁻¹ Gᵀ, which by Cauchy and Schwarz
// is no more than this, G M̃ Gᵀ/(G Gᵀ)².
double audit_row_mass(const audit_case *c, const audit_row *row, const double *M);
// The body with joints, or the mocap body, that a body is fixed to; 0: the world.
int audit_weld_root(const audit_scene *s, int body);
// With H = h kv + h² kp of a servo that is no row, along its length l: ½ H (l̇² − l̇₀²) − H (l̇ − l̇₀)
// l̇_move.
double audit_servo_energy(const audit_case *c, int actuator);

void audit_check_state(audit_case *c);
void audit_check_run(audit_case *c); // claims of the whole run
void audit_check_momentum(audit_case *c);
void audit_check_energy(audit_case *c);
void audit_check_gaps(audit_case *c);
void audit_check_contacts(audit_case *c);
void audit_check_rows(audit_case *c);

#endif
