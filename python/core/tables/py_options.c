// Settings of a run and of its law.
#include "py_fields.h"

static const dpy_field rigid_options_fields[] = {
    DPY_OF(dp_rigid_options, stabilisation, DPY_ENUM, (void *)&dpy_stabilisation_enum, ""),
    DPY_MEMBER(
        dp_rigid_options, compliance, DPY_DOUBLE,
        "[1] s of ncp and vi, which give rigid rows a compliance of s times their "
        "mobility, weighted; 0: none. Below 0, the default: what the law needs, dp_law_compliance"),
    DPY_OF(dp_rigid_options, weights, DPY_ENUM, (void *)&dpy_rigid_weights_enum, "of that"),
};
dpy_struct dpy_rigid_options_struct =
    DPY_TABLE(dp_rigid_options, "RigidOptions", rigid_options_fields, "Of rigid laws.");

static const dpy_field impact_options_fields[] = {
    DPY_OF(dp_impact_options, rule, DPY_ENUM, (void *)&dpy_impact_rule_enum, ""),
    DPY_MEMBER(dp_impact_options, speed, DPY_DOUBLE,
               "[m/s] ≥ 0: contacts that meet more slowly do not rebound. Default 0.01: what "
               "bounces lower than 5 µm is at rest"),
};
dpy_struct dpy_impact_options_struct =
    DPY_TABLE(dp_impact_options, "ImpactOptions", impact_options_fields, "Of impacts.");

static const dpy_field polyhedral_options_fields[] = {
    DPY_MEMBER(dp_polyhedral_options, directions, DPY_INT,
               "corners of the friction polygons, even, 4 … 256. Default 8: friction misses at "
               "most 22.5° and 8 % of its size"),
    DPY_OF(dp_polyhedral_options, method, DPY_ENUM, (void *)&dpy_polyhedral_method_enum, ""),
};
dpy_struct dpy_polyhedral_options_struct =
    DPY_TABLE(dp_polyhedral_options, "PolyhedralOptions", polyhedral_options_fields,
              "Of polyhedral friction.");

static const dpy_field vi_options_fields[] = {
    DPY_OF(dp_vi_options, friction, DPY_ENUM, (void *)&dpy_vi_friction_enum, ""),
    DPY_MEMBER(dp_vi_options, desaxce, DPY_BOOL,
               "with cones: with De Saxcé's term μ‖u_t‖, sliding contacts do not lift off: "
               "ncp with that compliance. Default false"),
};
dpy_struct dpy_vi_options_struct =
    DPY_TABLE(dp_vi_options, "ViOptions", vi_options_fields, "Of the law vi.");

static const dpy_field regularised_options_fields[] = {
    DPY_MEMBER(dp_regularised_options, slip_speed, DPY_DOUBLE,
               "[m/s] > 0: where friction has its full size. Default 1e-4"),
};
dpy_struct dpy_regularised_options_struct =
    DPY_TABLE(dp_regularised_options, "RegularisedOptions", regularised_options_fields,
              "Of laws that regularise friction.");

static const dpy_field tamsi_options_fields[] = {
    DPY_MEMBER(dp_tamsi_options, slip_turn, DPY_DOUBLE,
               "[rad] > 0, up to π: by how much a Newton step may turn a slip, with "
               "implicit-euler, too. Default π/3"),
};
dpy_struct dpy_tamsi_options_struct =
    DPY_TABLE(dp_tamsi_options, "TamsiOptions", tamsi_options_fields, "Of the law tamsi.");

static const dpy_field law_options_fields[] = {
    DPY_OF(dp_law_options, law, DPY_ENUM, (void *)&dpy_law_kind_enum, ""),
    DPY_MEMBER(dp_law_options, tolerance, DPY_DOUBLE,
               "[m/s] largest residual of a row that counts as solved. Default 1e-9"),
    DPY_MEMBER(dp_law_options, error_share, DPY_DOUBLE,
               "[1] ≥ 0: contacts of many bodies that move may leave this share of the "
               "discretisation error of the step beside the tolerance: compliant, "
               "ncp. Default 0.01; 0: never"),
    DPY_MEMBER(dp_law_options, max_factorizations, DPY_INT,
               "work of a solve on one island before its best point is taken. Default 1000"),
    DPY_OF(dp_law_options, rigid, DPY_STRUCT, &dpy_rigid_options_struct, ""),
    DPY_OF(dp_law_options, impact, DPY_STRUCT, &dpy_impact_options_struct, ""),
    DPY_OF(dp_law_options, lcp, DPY_STRUCT, &dpy_polyhedral_options_struct, ""),
    DPY_OF(dp_law_options, vi, DPY_STRUCT, &dpy_vi_options_struct, ""),
    DPY_OF(dp_law_options, friction, DPY_STRUCT, &dpy_regularised_options_struct, ""),
    DPY_OF(dp_law_options, tamsi, DPY_STRUCT, &dpy_tamsi_options_struct, ""),
};
dpy_struct dpy_law_options_struct =
    DPY_TABLE(dp_law_options, "LawOptions", law_options_fields, "The law and its options.");

static const dpy_field options_fields[] = {
    DPY_MEMBER(dp_options, step, DPY_DOUBLE, "[s] > 0. Default 0.002"),
    DPY_ARRAY(dp_options, gravity, DPY_VECTOR, 3, "[m/s²]. Default (0, 0, −9.81)"),
    DPY_ARRAY(dp_options, magnetic, DPY_VECTOR, 3, "[T] for magnetometers. Default (0, −0.5, 0)"),
    DPY_MEMBER(dp_options, fluid_density, DPY_DOUBLE,
               "[kg/m³] of the medium around the bodies. Default 0"),
    DPY_MEMBER(
        dp_options, fluid_viscosity, DPY_DOUBLE,
        "[Pa s] Default 0. Where a model is compiled with neither, the two cannot be set later"),
    DPY_ARRAY(dp_options, wind, DPY_VECTOR, 3, "[m/s] velocity of that medium. Default 0"),
    DPY_OF(dp_options, integrator, DPY_ENUM, (void *)&dpy_integrator_enum, "Default semi-implicit"),
    DPY_MEMBER(dp_options, relative_tolerance, DPY_DOUBLE,
               "[1] of integrators with error control, per unit of the state's size. Default 1e-8"),
    DPY_MEMBER(dp_options, absolute_tolerance, DPY_DOUBLE,
               "[m, rad, m/s, rad/s] of these. Default 1e-10"),
    DPY_MEMBER(dp_options, max_substeps, DPY_INT,
               "of these, implicit-euler and accuracy: substeps before a step fails. "
               "Default 100000"),
    DPY_MEMBER(dp_options, ode_stiffness, DPY_DOUBLE,
               "[N/m, N m/rad] ≥ 0: what is rigid is a spring of this stiffness under "
               "rk45, implicit-euler and cvode. Default 0: what is rigid is "
               "refused. Its text name is \"ode.stiffness\""),
    DPY_MEMBER(dp_options, large_rotation, DPY_DOUBLE,
               "[rad] semi-implicit: a tree whose fastest body turns further than "
               "this in one step is advanced by momentum transport instead of explicit Coriolis "
               "terms. Default 0.1"),
    DPY_OF(dp_options, solver, DPY_STRUCT, &dpy_law_options_struct,
           "how rows are solved: loops, limits, drives at the end of their range"),
    DPY_MEMBER(dp_options, gap_tolerance, DPY_DOUBLE,
               "[m] how well gaps at the end of the step are met by rows that are not linear in q. "
               "Default 1e-10"),
    DPY_MEMBER(dp_options, correction_speed, DPY_DOUBLE,
               "[m/s] > 0: rigid rows that start a step violated are closed no faster. What closes "
               "them moves bodies and leaves no velocity. Default 1"),
    DPY_MEMBER(dp_options, max_passes, DPY_INT, "solves for that in one attempt. Default 25"),
    DPY_MEMBER(dp_options, patch_points, DPY_INT,
               "contact points of a patch of a hull, at most: 4 … 8. Default 8"),
    DPY_MEMBER(dp_options, max_halvings, DPY_INT,
               "a step that is not solved is made in 2, 4 … 2^n parts. Default 6"),
    DPY_MEMBER(dp_options, accuracy, DPY_DOUBLE,
               "> 0: steps are made in parts such that the error of a second of motion is about "
               "that or less, in every position [m, rad] and velocity [m/s, rad/s]; across rigid "
               "blows in positions alone. Of motion that does not lose track by itself "
               "(docs/theory/stepping.md). rk45 and cvode have "
               "tolerances of their own instead. Default 0: as they are"),
    DPY_MEMBER(dp_options, sleep_speed, DPY_DOUBLE,
               "[m/s] > 0: what moves no faster for sleep_time, with all that it touches, is "
               "stopped and left out of steps until something disturbs it (docs/contact.md). Of a "
               "tree, √(2T/m). semi-implicit only. Default 0: nothing sleeps, since "
               "what stands still need not"),
    DPY_MEMBER(dp_options, sleep_time, DPY_DOUBLE, "[s] Default 0.5"),
    DPY_MEMBER(dp_options, contact_stiffness_scale, DPY_DOUBLE,
               "[1] > 0: what the stiffnesses of contacts and foundations are multiplied by, and "
               "their dampings by its root, so that as much is thrown back. Default 1"),
    DPY_MEMBER(dp_options, contact_friction_scale, DPY_DOUBLE,
               "[1] ≥ 0: the same for friction: sliding, torsion, rolling. Default 1"),
    DPY_MEMBER(dp_options, ledger, DPY_BOOL,
               "keep account of energy (dp_data_ledger). Default false"),
    DPY_MEMBER(dp_options, disable_gravity, DPY_BOOL, "Default false, as all below"),
    DPY_MEMBER(dp_options, disable_contact, DPY_BOOL, ""),
    DPY_MEMBER(dp_options, disable_limits, DPY_BOOL, ""),
    DPY_MEMBER(dp_options, disable_equality, DPY_BOOL, ""),
    DPY_MEMBER(dp_options, disable_springs, DPY_BOOL, "joint springs"),
    DPY_MEMBER(dp_options, disable_dampers, DPY_BOOL, "joint dampers"),
    DPY_MEMBER(dp_options, disable_actuation, DPY_BOOL, ""),
    DPY_MEMBER(dp_options, disable_clamp_control, DPY_BOOL, "controls may leave their ranges"),
};
dpy_struct dpy_options_struct =
    DPY_TABLE(dp_options, "Options", options_fields, "Settings of a run.");
