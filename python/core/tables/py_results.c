// What a simulation reports: certificate, contacts, rows, energy.
#include "py_fields.h"

static const dpy_field certificate_fields[] = {
    DPY_MEMBER(dp_certificate, momentum, DPY_DOUBLE, "[N s] ‖M̃(v − v_free) − Gᵀγ‖∞"),
    DPY_MEMBER(dp_certificate, normal_law, DPY_DOUBLE,
               "[m/s] worst residual of a row, with w = Σ G²/diag M̃"),
    DPY_MEMBER(dp_certificate, beyond_error, DPY_DOUBLE,
               "[m/s] the same without what dp_certify_view.error_share allows"),
    DPY_MEMBER(dp_certificate, round_off, DPY_DOUBLE,
               "[m/s] 4 ε times the largest velocity that the impulse of a row makes at it: no "
               "residual is less to any purpose"),
    DPY_MEMBER(dp_certificate, complementarity, DPY_DOUBLE,
               "[J] Σ |γ · slack| over one-sided and bounded rows, γ counted from the end of its "
               "range that the slack points to, where that is finite"),
    DPY_MEMBER(dp_certificate, penetration, DPY_DOUBLE,
               "[m] deepest gap of a one-sided row at the end of the step, ≥ 0"),
    DPY_MEMBER(dp_certificate, lift_off, DPY_DOUBLE,
               "[m] highest gap at the end of the step of a row that pushes, ≥ 0"),
    DPY_MEMBER(dp_certificate, cone, DPY_DOUBLE,
               "[N s] worst friction beyond its disc; moments divided by the row's len"),
    DPY_MEMBER(dp_certificate, friction_power, DPY_DOUBLE,
               "[W] largest power of friction on slip: must not be above 0"),
    DPY_MEMBER(dp_certificate, creep, DPY_DOUBLE, "[m/s] fastest contact that sticks"),
    DPY_MEMBER(dp_certificate, drift, DPY_DOUBLE,
               "[m] worst |φ₁| of the two-sided rows beyond what their springs give"),
    DPY_MEMBER(dp_certificate, heading, DPY_DOUBLE,
               "[rad] largest angle between sliding friction and what is opposite to its slip, "
               "where that is 1 mm/s or more: up to π/r with polyhedral friction"),
    DPY_MEMBER(dp_certificate, shortfall, DPY_DOUBLE,
               "[1] there: the largest part that is missing of μ γ_n"),
    DPY_MEMBER(dp_certificate, fallbacks, DPY_INT,
               "islands that were solved by another law than the one that was asked for"),
    DPY_MEMBER(dp_certificate, within_error, DPY_INT,
               "islands that leave more than the tolerance, and no more beyond it than "
               "dp_law_options.error_share of the error of the step"),
    DPY_MEMBER(dp_certificate, painleve, DPY_INT,
               "contacts at which sliding friction has no force, or more than one, so that an "
               "impulse stops the slip: Painlevé's paradox"),
    DPY_MEMBER(dp_certificate, impacts, DPY_INT,
               "islands with an impact: contacts that close and have a restitution"),
    DPY_MEMBER(dp_certificate, correction, DPY_DOUBLE,
               "[m/s] fastest rate at which a rigid row that started violated is closed, by a "
               "velocity that moves bodies and is not part of v"),
    DPY_MEMBER(dp_certificate, replaced, DPY_INT,
               "rows that a rigid law has taken for rigid, against what they say"),
    DPY_MEMBER(dp_certificate, frictionless, DPY_INT,
               "rows that push without the friction that their materials have: springs of elastic "
               "foundations"),
    DPY_MEMBER(dp_certificate, nrow, DPY_INT, "rows, and those with an impulse"),
    DPY_MEMBER(dp_certificate, nactive, DPY_INT, "rows, and those with an impulse"),
};
dpy_struct dpy_certificate_struct =
    DPY_TABLE(dp_certificate, "Certificate", certificate_fields,
              "How well a solution meets its problem, in physical units.");

static const dpy_field step_work_fields[] = {
    DPY_MEMBER(dp_step_work, evaluations, DPY_INT, "of the forward dynamics"),
    DPY_MEMBER(dp_step_work, substeps, DPY_INT, "parts in which the step was made"),
    DPY_MEMBER(dp_step_work, rejected, DPY_INT, "substeps that were tried and repeated"),
    DPY_MEMBER(dp_step_work, passes, DPY_INT, "solves of step problems, over all that were tried"),
    DPY_MEMBER(dp_step_work, iterations, DPY_INT, "within them"),
    DPY_MEMBER(dp_step_work, factorizations, DPY_INT, "within them"),
};
dpy_struct dpy_step_work_struct =
    DPY_TABLE(dp_step_work, "StepWork", step_work_fields, "What a step cost.");

static const dpy_field step_report_fields[] = {
    DPY_OF(dp_step_report, outcome, DPY_ENUM, (void *)&dpy_outcome_enum,
           "capped: some part was accepted although its rows were not solved; else "
           "contradictory: in some part rigid rows contradict each other"),
    DPY_MEMBER(dp_step_report, residual, DPY_DOUBLE,
               "[m/s] worst row of the parts that were accepted"),
    DPY_MEMBER(dp_step_report, unsolved, DPY_INT,
               "parts that were accepted although their rows were not solved"),
    DPY_MEMBER(dp_step_report, gap_error, DPY_DOUBLE,
               "[m] worst gap at the end of a part beyond what its rows say"),
    DPY_MEMBER(dp_step_report, error, DPY_DOUBLE,
               "rk45, options.accuracy: largest accepted error of a part, in units "
               "of what is allowed; > 1: the smallest parts would not do"),
    DPY_OF(dp_step_report, certificate, DPY_STRUCT, &dpy_certificate_struct,
           "how well rows were met: the worst of the parts; complementarity: their sum. All zero "
           "when there were no rows"),
    DPY_OF(dp_step_report, work, DPY_STRUCT, &dpy_step_work_struct, ""),
    DPY_MEMBER(dp_step_report, recovering, DPY_INT,
               "parts whose rigid gaps were too wide to be closed at once"),
    DPY_MEMBER(dp_step_report, corrected, DPY_DOUBLE,
               "[m] largest gap by which a rigid row was violated at the start of a part; it is "
               "closed at up to options.correction_speed, or in part or not at all (recovering) "
               "where the mechanism cannot bear that"),
    DPY_MEMBER(dp_step_report, dropped, DPY_INT,
               "contact points that were left out, and the rest solved again: they would have "
               "pushed at geoms that pass each other by"),
    DPY_MEMBER(
        dp_step_report, impacts, DPY_INT,
        "islands with an impact: contacts that close and have a restitution, over all parts"),
    DPY_MEMBER(dp_step_report, impact_gains, DPY_INT,
               "of these, those that gained energy: options.solver.impact.rule"),
    DPY_MEMBER(dp_step_report, impact_loss, DPY_DOUBLE, "[J] what they lost in contacts"),
    DPY_MEMBER(dp_step_report, by_rule, DPY_INT,
               "contacts that closed with a restitution, and have it by the impact rule"),
    DPY_MEMBER(dp_step_report, by_spring, DPY_INT, "and by their spring, which the step resolves"),
    DPY_MEMBER(dp_step_report, dependent, DPY_INT,
               "most rigid rows of a part that depend on others"),
    DPY_MEMBER(dp_step_report, inconsistent, DPY_DOUBLE,
               "[m/s] by how much dependent rigid rows contradict each other"),
    DPY_MEMBER(dp_step_report, transported, DPY_INT,
               "trees advanced by momentum transport (options.large_rotation)"),
    DPY_MEMBER(dp_step_report, limited, DPY_INT,
               "trees that ended a part with more energy than they had and were given, so that "
               "their velocities were scaled down to that: they turn far, are thrown by rows, or "
               "their rows were not met in a step that was cut or not solved"),
    DPY_MEMBER(dp_step_report, asleep, DPY_INT,
               "trees that sleep at the end of the step (options.sleep_speed)"),
};
dpy_struct dpy_step_report_struct =
    DPY_TABLE(dp_step_report, "StepReport", step_report_fields, "How the last step went.");

static const dpy_field energy_fields[] = {
    DPY_MEMBER(dpy_energy, kinetic, DPY_DOUBLE, "[J] of bodies, armature included"),
    DPY_MEMBER(dpy_energy, gravity, DPY_DOUBLE, "[J] potential, less compensation"),
    DPY_MEMBER(dpy_energy, spring, DPY_DOUBLE, "[J] in springs of joints and tendons"),
    DPY_MEMBER(dpy_energy, total, DPY_DOUBLE, "[J] the sum"),
};
dpy_struct dpy_energy_struct =
    DPY_TABLE(dpy_energy, "Energy", energy_fields, "Energy at the present state [J].");

static const dpy_field ledger_fields[] = {
    DPY_MEMBER(dp_ledger, begun, DPY_BOOL, "a step has been made since"),
    DPY_MEMBER(dp_ledger, elastic_before, DPY_DOUBLE,
               "in springs of rows other than tendons, before the first step"),
    DPY_MEMBER(dp_ledger, elastic, DPY_DOUBLE, "the same at the end of the last"),
    DPY_MEMBER(dp_ledger, applied, DPY_DOUBLE,
               "work of the user's forces and wrenches, and of forces given by expressions"),
    DPY_MEMBER(dp_ledger, drives, DPY_DOUBLE, "work of actuators"),
    DPY_MEMBER(dp_ledger, moved, DPY_DOUBLE,
               "work of what moves the references of rows (motions, mocap bodies, belts) or "
               "switches them"),
    DPY_MEMBER(dp_ledger, corrected, DPY_DOUBLE,
               "work of closing rigid rows that started violated: against gravity, springs and "
               "what else acts; none of it becomes kinetic energy. Of springs closed in part "
               "(recovering): what the rest loses"),
    DPY_MEMBER(dp_ledger, damped, DPY_DOUBLE, "lost in dampers of joints and rows"),
    DPY_MEMBER(dp_ledger, friction, DPY_DOUBLE, "lost in dry friction"),
    DPY_MEMBER(dp_ledger, impacts, DPY_DOUBLE,
               "lost where rigid ends stop what runs into them, or throw it back"),
    DPY_MEMBER(dp_ledger, remainder, DPY_DOUBLE,
               "of the method: ≤ 0 to round-off while nothing rotates"),
    DPY_MEMBER(dp_ledger, contact, DPY_DOUBLE, "of `elastic`: in springs of contacts"),
    DPY_MEMBER(dp_ledger, contact_damped, DPY_DOUBLE, "of `damped`: in dampers of contacts"),
    DPY_MEMBER(dp_ledger, contact_friction, DPY_DOUBLE,
               "of `friction`: where surfaces slide, turn or roll on each other"),
};
dpy_struct dpy_ledger_struct =
    DPY_TABLE(dp_ledger, "Ledger", ledger_fields,
              "Where energy came from and went since the last reset [J].");

static const dpy_field momentum_fields[] = {
    DPY_MEMBER(dp_momentum, mass, DPY_DOUBLE, "[kg]"),
    DPY_ARRAY(dp_momentum, com, DPY_VECTOR, 3, "centre of mass [m]"),
    DPY_ARRAY(dp_momentum, linear, DPY_VECTOR, 3, "[kg m/s]"),
    DPY_ARRAY(dp_momentum, angular, DPY_VECTOR, 3, "about `com` [kg m²/s]"),
};
dpy_struct dpy_momentum_struct =
    DPY_TABLE(dp_momentum, "Momentum", momentum_fields, "Sums over a subtree.");

static const dpy_field friction_fields[] = {
    DPY_ARRAY(dp_friction, mu, DPY_VECTOR, 2,
              "[1] ≥ 0: largest tangential impulse along each tangent over the normal one"),
    DPY_MEMBER(dp_friction, torsion, DPY_DOUBLE,
               "[m] ≥ 0: largest impulse moment about the normal over the normal impulse"),
    DPY_ARRAY(dp_friction, roll, DPY_VECTOR, 2, "[m] ≥ 0: about each tangent"),
};
dpy_struct dpy_friction_struct =
    DPY_TABLE(dp_friction, "Friction", friction_fields, "What friction a contact has.");

static const dpy_field normal_fields[] = {
    DPY_OF(dp_normal, kind, DPY_ENUM, (void *)&dpy_normal_kind_enum, ""),
    DPY_MEMBER(dp_normal, dissipation, DPY_DOUBLE, "d [s/m] ≥ 0; of no account for a spring"),
};
dpy_struct dpy_normal_struct =
    DPY_TABLE(dp_normal, "Normal", normal_fields, "The law of a normal row.");

static const dpy_field contact_fields[] = {
    DPY_ARRAY(dp_contact, geom, DPY_INTS, 2, "A and B, ascending"),
    DPY_ARRAY(dp_contact, body, DPY_INTS, 2, "theirs"),
    DPY_MEMBER(dp_contact, pair, DPY_ID, "the pair that was given for them; index −1: none"),
    DPY_ARRAY(dp_contact, point, DPY_VECTOR, 3,
              "[m] at the start of the step, midway between the surfaces"),
    DPY_ARRAY(dp_contact, normal, DPY_VECTOR, 3, "unit, from A to B"),
    DPY_AS(dp_contact, "tangent", tangent, DPY_VECTOR, 6, "unit; tangent[0] × tangent[1] = normal"),
    DPY_ARRAY(dp_contact, force, DPY_VECTOR, 3, "[N] normal force and friction"),
    DPY_ARRAY(dp_contact, torque, DPY_VECTOR, 3, "[N m] about the point: torsion and rolling"),
    DPY_MEMBER(dp_contact, start_gap, DPY_DOUBLE,
               "[m] at the start of the step: after dp_forward, now"),
    DPY_MEMBER(dp_contact, gap, DPY_DOUBLE,
               "[m] at the end of it, along the normal; negative: overlap"),
    DPY_MEMBER(dp_contact, normal_force, DPY_DOUBLE, "[N] ≥ 0"),
    DPY_ARRAY(dp_contact, friction, DPY_VECTOR, 2, "[N] along the tangents"),
    DPY_MEMBER(dp_contact, torsion, DPY_DOUBLE, "[N m] about the normal"),
    DPY_ARRAY(dp_contact, roll, DPY_VECTOR, 2, "[N m] about the tangents"),
    DPY_MEMBER(dp_contact, approach, DPY_DOUBLE,
               "[m/s] rate of the gap at the end of the step, > 0 apart"),
    DPY_ARRAY(dp_contact, slip, DPY_VECTOR, 2,
              "[m/s] of B's surface past A's along the tangents, belts included"),
    DPY_MEMBER(dp_contact, spin, DPY_DOUBLE,
               "[rad/s] of B against A about the normal; 0 without torsion"),
    DPY_OF(dp_contact, state, DPY_ENUM, (void *)&dpy_contact_state_enum, "of sliding"),
    DPY_OF(dp_contact, law, DPY_STRUCT, &dpy_normal_struct, "of the normal force"),
    DPY_MEMBER(dp_contact, stiffness, DPY_DOUBLE,
               "[N/m], Hertz: [N/m^{3/2}], of this point: its share in the pair's"),
    DPY_MEMBER(dp_contact, damping, DPY_DOUBLE, "[N s/m] the same"),
    DPY_MEMBER(dp_contact, condim, DPY_INT,
               "rows: 1 no friction, 3, 4 with torsion, 6 with rolling"),
    DPY_OF(dp_contact, limit, DPY_STRUCT, &dpy_friction_struct,
           "largest friction over the normal force; 0 where there is none"),
};
dpy_struct dpy_contact_struct =
    DPY_TABLE(dp_contact, "Contact", contact_fields, "A contact point of a step.");

static const dpy_field row_info_fields[] = {
    DPY_OF(dp_row_info, source, DPY_ENUM, (void *)&dpy_row_source_enum, ""),
    DPY_MEMBER(dp_row_info, element, DPY_INT,
               "equality, joint, tendon, actuator, motion, number of the user's row, foundation "
               "(dp_model_foundation) or contact point"),
    DPY_MEMBER(dp_row_info, component, DPY_INT,
               "of an equality; limits: 0 the lower end, 1 the upper; friction: coordinate; "
               "foundation: the spring, i + nx · j"),
    DPY_MEMBER(dp_row_info, start_gap, DPY_DOUBLE,
               "[m, rad], [m/s, rad/s] at the start of the step: after dp_forward, now; of balls, "
               "where they meet a limit"),
    DPY_MEMBER(dp_row_info, start_rate, DPY_DOUBLE,
               "[m, rad], [m/s, rad/s] at the start of the step: after dp_forward, now; of balls, "
               "where they meet a limit"),
    DPY_MEMBER(dp_row_info, gap, DPY_DOUBLE, "at the end of it"),
    DPY_MEMBER(dp_row_info, rate, DPY_DOUBLE, "at the end of it"),
    DPY_MEMBER(dp_row_info, force, DPY_DOUBLE,
               "[N, N m] along the gap, > 0 apart: mean over the step. Drives: beyond the force of "
               "their range that is nearest to 0"),
    DPY_OF(dp_row_info, state, DPY_ENUM, (void *)&dpy_row_state_enum, ""),
};
dpy_struct dpy_row_info_struct =
    DPY_TABLE(dp_row_info, "RowInfo", row_info_fields, "One row of the last step.");

static const dpy_field foundation_load_fields[] = {
    DPY_MEMBER(dp_foundation_load, force, DPY_DOUBLE,
               "[N] of all springs, along the normals of their planes"),
    DPY_MEMBER(dp_foundation_load, pressure, DPY_DOUBLE, "[Pa] the largest"),
    DPY_ARRAY(dp_foundation_load, centre, DPY_VECTOR, 3,
              "[m] of pressure, in the geom's frame; of the face where nothing pushes"),
};
dpy_struct dpy_foundation_load_struct =
    DPY_TABLE(dp_foundation_load, "FoundationLoad", foundation_load_fields,
              "The pressures of an elastic foundation, summed up.");

static const dpy_field body_state_fields[] = {
    DPY_AS(dpy_body_state, "position", pose.p, DPY_VECTOR, 3, "[m] of its origin"),
    DPY_AS(dpy_body_state, "quaternion", pose.q, DPY_VECTOR, 4, "of its frame"),
    DPY_AS(dpy_body_state, "com", inertial.p, DPY_VECTOR, 3, "[m] centre of mass"),
    DPY_AS(dpy_body_state, "inertial_quaternion", inertial.q, DPY_VECTOR, 4, "of principal axes"),
    DPY_AS(dpy_body_state, "angular_velocity", velocity.w, DPY_VECTOR, 3, "[rad/s]"),
    DPY_AS(dpy_body_state, "velocity", velocity.v, DPY_VECTOR, 3, "[m/s] of its origin"),
    DPY_AS(dpy_body_state, "contact_torque", contact.t, DPY_VECTOR, 3,
           "[N m] of all its contacts about the centre of mass"),
    DPY_AS(dpy_body_state, "contact_force", contact.f, DPY_VECTOR, 3, "[N] of all its contacts"),
};
dpy_struct dpy_body_state_struct =
    DPY_TABLE(dpy_body_state, "BodyState", body_state_fields,
              "Where a body is and how it moves, and what its contacts do to it. World axes.");
