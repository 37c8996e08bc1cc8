// What solvers, queries and imports report.
#include "py_fields.h"

#include <dashpot/advanced/fc.h>
#include <dashpot/advanced/law.h>
#include <dashpot/advanced/lcp.h>
#include <dashpot/advanced/statics.h>

static const dpy_field lcp_info_fields[] = {
    DPY_OF(dp_lcp_info, outcome, DPY_ENUM, (void *)&dpy_lcp_outcome_enum, ""),
    DPY_MEMBER(dp_lcp_info, residual, DPY_DOUBLE, "of z, dp_lcp_residual"),
    DPY_OF(dp_lcp_info, method, DPY_ENUM, (void *)&dpy_lcp_method_enum, "the one that found z"),
    DPY_MEMBER(dp_lcp_info, pivots, DPY_INT, "of Lemke's, all starts together"),
    DPY_MEMBER(dp_lcp_info, iterations, DPY_INT, "of principal pivoting"),
    DPY_MEMBER(dp_lcp_info, factorizations, DPY_INT, ""),
    DPY_MEMBER(dp_lcp_info, restarts, DPY_INT, "of Lemke's that were needed"),
    DPY_MEMBER(dp_lcp_info, dependent, DPY_INT,
               "rows of free variables dropped since others imply them"),
    DPY_MEMBER(dp_lcp_info, inconsistent, DPY_DOUBLE,
               "by how much these miss what others say, beside the largest q, both scaled"),
    DPY_MEMBER(dp_lcp_info, infeasible, DPY_BOOL,
               "with ray: the ray, or a row by itself, proves that no z within its bounds "
               "has a w of the right signs, whatever M is: there is u ≥ 0 with Mᵀu ≤ 0 < −qᵀu"),
};
dpy_struct dpy_lcp_info_struct =
    DPY_TABLE(dp_lcp_info, "LcpInfo", lcp_info_fields, "How a complementarity problem was solved.");

static const dpy_field fc_residual_fields[] = {
    DPY_MEMBER(dp_fc_residual, natural, DPY_DOUBLE,
               "‖r − P_K(r − û)‖ [whatever r and û have]: the natural map itself"),
    DPY_MEMBER(dp_fc_residual, siconos, DPY_DOUBLE,
               "the same over max(‖q‖, ‖r‖, ‖u‖): fc3d_compute_error. Of the global form: "
               "gfc3d_compute_error, without ‖q‖, and with that of M v = H r + f added"),
    DPY_MEMBER(dp_fc_residual, fclib, DPY_DOUBLE,
               "over 1 + √‖q‖, and that of the equations: MERIT_1 of FCLIB"),
    DPY_MEMBER(dp_fc_residual, impulse, DPY_DOUBLE, "[1] max ‖e‖ / max ‖r‖"),
    DPY_MEMBER(dp_fc_residual, velocity, DPY_DOUBLE, "[1] max d ‖e‖ / max ‖q‖"),
    DPY_MEMBER(dp_fc_residual, worst, DPY_DOUBLE, "of siconos, impulse and velocity"),
    DPY_MEMBER(dp_fc_residual, penetration, DPY_DOUBLE, "[m/s] max(−u_n), ≥ 0"),
    DPY_MEMBER(dp_fc_residual, cone, DPY_DOUBLE, "[N s] max(‖r_t‖ − μ r_n), ≥ 0"),
    DPY_MEMBER(dp_fc_residual, friction, DPY_DOUBLE,
               "[J] Σ r_t·u_t + μ r_n ‖u_t‖: 0 where friction opposes slip,"),
    DPY_MEMBER(dp_fc_residual, friction_size, DPY_DOUBLE, "[J] beside Σ μ r_n ‖u_t‖"),
    DPY_MEMBER(dp_fc_residual, open, DPY_INT, ""),
    DPY_MEMBER(dp_fc_residual, stick, DPY_INT, ""),
    DPY_MEMBER(dp_fc_residual, slide, DPY_INT, ""),
};
dpy_struct dpy_fc_residual_struct = DPY_TABLE(dp_fc_residual, "FcResidual", fc_residual_fields,
                                              "How well impulses meet a friction-contact problem.");

static const dpy_field fc_info_fields[] = {
    DPY_OF(dp_fc_info, outcome, DPY_ENUM, (void *)&dpy_fc_outcome_enum, ""),
    DPY_OF(dp_fc_info, residual, DPY_STRUCT, &dpy_fc_residual_struct, ""),
    DPY_OF(dp_fc_info, method, DPY_ENUM, (void *)&dpy_fc_method_enum,
           "the one that found the impulses"),
    DPY_MEMBER(dp_fc_info, outer, DPY_INT, "proximal steps"),
    DPY_MEMBER(dp_fc_info, newton, DPY_INT, "Newton steps"),
    DPY_MEMBER(dp_fc_info, factorizations, DPY_INT, ""),
    DPY_MEMBER(dp_fc_info, failed, DPY_INT, "proximal steps whose Newton steps did not end"),
    DPY_MEMBER(dp_fc_info, shift, DPY_DOUBLE, "the last proximal compliance, as a part of W"),
    DPY_MEMBER(dp_fc_info, feasibility, DPY_DOUBLE,
               "where it was not solved: the least of |Nᵀz|/d and |qᵀz + 1| over z ≥ 0 (FC 5): "
               "below 1e-9 infeasible, below 1e-3 nearly so; −1: not asked"),
};
dpy_struct dpy_fc_info_struct =
    DPY_TABLE(dp_fc_info, "FcInfo", fc_info_fields, "How a friction-contact problem was solved.");

static const dpy_field solve_info_fields[] = {
    DPY_OF(dp_solve_info, outcome, DPY_ENUM, (void *)&dpy_outcome_enum, ""),
    DPY_MEMBER(dp_solve_info, residual, DPY_DOUBLE, "[m/s] worst row"),
    DPY_MEMBER(dp_solve_info, islands, DPY_INT, ""),
    DPY_MEMBER(dp_solve_info, iterations, DPY_INT,
               "those on dense matrices, which vi makes to decide whether there is a "
               "solution, count as many as they cost"),
    DPY_MEMBER(dp_solve_info, factorizations, DPY_INT, ""),
    DPY_MEMBER(dp_solve_info, fallbacks, DPY_INT,
               "islands that were solved by another law: lcp falls back to Coulomb's cone "
               "where its complementarity problem is not solved"),
    DPY_MEMBER(dp_solve_info, within_error, DPY_INT,
               "islands solved to dp_law_options.error_share alone"),
    DPY_MEMBER(dp_solve_info, painleve, DPY_INT,
               "rigid laws: contacts at which sliding friction has no force, or more than one: "
               "Painlevé's paradox, solved by an impulse"),
    DPY_MEMBER(dp_solve_info, replaced, DPY_INT,
               "rows that a rigid law took for rigid, against what they say"),
    DPY_MEMBER(dp_solve_info, dependent, DPY_INT,
               "rigid rows found to depend on others: their impulses are the smallest"),
    DPY_MEMBER(dp_solve_info, inconsistent, DPY_DOUBLE,
               "[m/s] by how much dependent rigid rows contradict each other"),
    DPY_MEMBER(dp_solve_info, exhausted, DPY_BOOL,
               "capped, and the residual is within the round-off of what impulses do: no other "
               "start or shorter step can bring more digits"),
};
dpy_struct dpy_solve_info_struct =
    DPY_TABLE(dp_solve_info, "SolveInfo", solve_info_fields, "How a step problem was solved.");

static const dpy_field ray_certificate_fields[] = {
    DPY_MEMBER(dp_ray_certificate, outside, DPY_DOUBLE,
               "[1] how far z is from those directions, over its largest element"),
    DPY_MEMBER(dp_ray_certificate, effect, DPY_DOUBLE,
               "[1] ‖Gᵀz‖ over the same of its elements one by one, in the metric of diag M̃"),
    DPY_MEMBER(dp_ray_certificate, gain, DPY_DOUBLE, "[J] ûᵀz"),
    DPY_MEMBER(dp_ray_certificate, energy, DPY_DOUBLE,
               "[J] a velocity that meets all rows has Σ ½ M̃_ii v_i² of this or more; infinite: "
               "there is none"),
    DPY_MEMBER(dp_ray_certificate, proven, DPY_BOOL,
               "no velocity that bodies could have meets all rows: outside is up to 1e-9, and "
               "energy above 1e10 times that of v_free and of every row on its own"),
};
dpy_struct dpy_ray_certificate_struct =
    DPY_TABLE(dp_ray_certificate, "RayCertificate", ray_certificate_fields,
              "What a direction of impulses proves.");

static const dpy_field row_fields[] = {
    DPY_MEMBER(dp_row, phi, DPY_DOUBLE,
               "φ: gap at the start of the step, > 0 apart. Where φ is not linear in v: such that "
               "φ + h φ̇ is the gap at the end"),
    DPY_MEMBER(dp_row, phi_t, DPY_DOUBLE, "∂φ/∂t: moving floors, references"),
    DPY_MEMBER(dp_row, k, DPY_DOUBLE, "≥ 0, may be infinite, not both 0"),
    DPY_MEMBER(dp_row, b, DPY_DOUBLE, "≥ 0, may be infinite, not both 0"),
    DPY_MEMBER(dp_row, b_ref, DPY_DOUBLE,
               "what the dashpot adds to G v; φ_t unless a drive says else"),
    DPY_MEMBER(dp_row, lo, DPY_DOUBLE, "range of the impulse, lo ≤ 0 ≤ hi, may be infinite"),
    DPY_MEMBER(dp_row, hi, DPY_DOUBLE, "range of the impulse, lo ≤ 0 ≤ hi, may be infinite"),
    DPY_MEMBER(dp_row, len, DPY_DOUBLE,
               "[m] > 0: turns angles into lengths in residuals; 1 for linear rows"),
};
dpy_struct dpy_row_struct = DPY_TABLE(dp_row, "Row", row_fields, "One row of a step problem.");

static const dpy_field statics_info_fields[] = {
    DPY_MEMBER(dp_statics_info, nequation, DPY_INT, "six for each body that moves"),
    DPY_MEMBER(dp_statics_info, ncomponent, DPY_INT,
               "unknown components, those that follow others left out"),
    DPY_MEMBER(dp_statics_info, rank, DPY_INT, "of Gᵀ"),
    DPY_MEMBER(dp_statics_info, nullity, DPY_INT, "ncomponent − rank: dimension of the null space"),
    DPY_MEMBER(dp_statics_info, mobility, DPY_INT,
               "nequation − rank: instantaneous degrees of freedom. −1 where friction slides: then "
               "accelerations are unknowns, too, and rank is that of both"),
    DPY_MEMBER(dp_statics_info, nundetermined, DPY_INT, "components with a part in the null space"),
    DPY_MEMBER(dp_statics_info, motion_open, DPY_BOOL,
               "reactions between which equilibrium cannot choose make different motions: friction "
               "that slides depends on them"),
    DPY_MEMBER(dp_statics_info, length, DPY_DOUBLE, "[m] of the norm"),
    DPY_MEMBER(dp_statics_info, smallest, DPY_DOUBLE,
               "[1] the smallest singular value that counts, over the largest"),
    DPY_MEMBER(dp_statics_info, largest_zero, DPY_DOUBLE,
               "[1] the largest that does not. The rank is sure where they are far apart"),
    DPY_MEMBER(dp_statics_info, tolerance, DPY_DOUBLE, "between the two"),
    DPY_MEMBER(dp_statics_info, admissible, DPY_BOOL,
               "some reaction holds the loads and keeps all bounds"),
    DPY_MEMBER(dp_statics_info, missed, DPY_DOUBLE,
               "[N] how far least_norm is from holding the loads"),
    DPY_MEMBER(dp_statics_info, range_gap, DPY_DOUBLE, "[N] by how much ranges may be too narrow"),
    DPY_MEMBER(dp_statics_info, unknown_ranges, DPY_INT, "components whose range is not known"),
    DPY_OF(dp_statics_info, outcome, DPY_ENUM, (void *)&dpy_outcome_enum,
           "of the search for accelerations"),
    DPY_MEMBER(dp_statics_info, residual, DPY_DOUBLE, "[m/s²] of it"),
    DPY_MEMBER(dp_statics_info, impacts, DPY_INT,
               "contacts and limits that close with a speed, as if nothing struck"),
};
dpy_struct dpy_statics_info_struct =
    DPY_TABLE(dp_statics_info, "StaticsInfo", statics_info_fields, "Equilibrium at one moment.");

static const dpy_field reaction_fields[] = {
    DPY_MEMBER(dp_reaction, joint, DPY_BOOL,
               "of what connects `on` to its parent `by`: its joints, or where it has none a weld. "
               "Else of a row"),
    DPY_OF(dp_reaction, source, DPY_ENUM, (void *)&dpy_row_source_enum, "of a row"),
    DPY_MEMBER(dp_reaction, element, DPY_INT,
               "of a row: as in dp_row_info; contacts: their number among those of the report; "
               "joints: the first joint of the body, −1: a weld"),
    DPY_MEMBER(dp_reaction, component, DPY_INT,
               "of a row: as in dp_row_info; contacts: 0 normal, 1 and 2 friction, 3 torsion, 4 "
               "and 5 rolling; joints: 0 … 5 − dof"),
    DPY_ARRAY(dp_reaction, geom, DPY_INTS, 2, "of a contact, A and B; else index −1"),
    DPY_MEMBER(dp_reaction, on, DPY_ID, "index −1: not one body, as for tendons"),
    DPY_MEMBER(dp_reaction, by, DPY_ID, "index −1: not one body, as for tendons"),
    DPY_MEMBER(dp_reaction, moment, DPY_BOOL, "[N m], else [N]"),
    DPY_ARRAY(dp_reaction, point, DPY_VECTOR, 3, "[m] where it acts; world"),
    DPY_ARRAY(dp_reaction, direction, DPY_VECTOR, 6,
              "what a unit of it does about `point`, world axes. Zeros: as for `on`"),
    DPY_OF(dp_reaction, bound, DPY_ENUM, (void *)&dpy_reaction_bound_enum, ""),
    DPY_MEMBER(dp_reaction, limit, DPY_DOUBLE, "of the bound"),
    DPY_MEMBER(dp_reaction, determined, DPY_BOOL, "equilibrium determines it"),
    DPY_MEMBER(dp_reaction, freedom, DPY_DOUBLE,
               "[1] how much of it lies in the null space: 0 determined, 1 wholly open"),
    DPY_MEMBER(dp_reaction, least_norm, DPY_DOUBLE,
               "[N, N m] in the admissible reaction of least norm Σ force² + Σ (moment/length)²"),
    DPY_MEMBER(dp_reaction, lowest, DPY_DOUBLE,
               "[N, N m] among all admissible reactions; may be infinite"),
    DPY_MEMBER(dp_reaction, highest, DPY_DOUBLE,
               "[N, N m] among all admissible reactions; may be infinite"),
    DPY_MEMBER(dp_reaction, range_known, DPY_BOOL, "false: not looked for, or the work was spent"),
};
dpy_struct dpy_reaction_struct =
    DPY_TABLE(dp_reaction, "Reaction", reaction_fields, "One component of a reaction.");

static const dpy_field import_item_fields[] = {
    DPY_OF(dp_import_item, verdict, DPY_ENUM, (void *)&dpy_import_verdict_enum, ""),
    DPY_MEMBER(dp_import_item, file, DPY_TEXT, ""),
    DPY_MEMBER(dp_import_item, line, DPY_INT, ""),
    DPY_MEMBER(dp_import_item, element, DPY_TEXT, "\"joint\""),
    DPY_MEMBER(dp_import_item, attribute, DPY_TEXT, "\"range\"; \"\" for the element itself"),
    DPY_MEMBER(dp_import_item, name, DPY_TEXT, "of the element, \"\" when it has none"),
    DPY_MEMBER(dp_import_item, feature, DPY_TEXT,
               "refused: its name for dp_import_options.allow. Ignored: the physics it belongs to "
               "and that is not simulated. Else \"\""),
    DPY_MEMBER(dp_import_item, note, DPY_TEXT, "why or how; mostly \"\" for what is used"),
};
dpy_struct dpy_import_item_struct = DPY_TABLE(dp_import_item, "ImportItem", import_item_fields,
                                              "What became of a piece of a file.");

static const dpy_field contact_point_fields[] = {
    DPY_ARRAY(dp_contact_point, point, DPY_VECTOR, 3, "[m] midway between the surfaces"),
    DPY_ARRAY(dp_contact_point, normal, DPY_VECTOR, 3, "unit, from A to B"),
    DPY_MEMBER(dp_contact_point, gap, DPY_DOUBLE, "[m] along the normal; negative: overlap"),
    DPY_MEMBER(dp_contact_point, weight, DPY_DOUBLE,
               "[1] share in the stiffness of its patch; those of a patch sum to 1"),
    DPY_MEMBER(dp_contact_point, patch, DPY_INT,
               "number of the patch, from 0: one for convex shapes, several on terrain"),
    DPY_MEMBER(dp_contact_point, feature, DPY_INT64,
               "the same as long as the same vertices, edges and faces meet"),
};
dpy_struct dpy_contact_point_struct = DPY_TABLE(
    dp_contact_point, "ContactPoint", contact_point_fields, "A place where two shapes touch.");

static const dpy_field distance_fields[] = {
    DPY_MEMBER(dp_distance, gap, DPY_DOUBLE,
               "[m] signed distance; negative: they overlap by this much"),
    DPY_ARRAY(dp_distance, normal, DPY_VECTOR, 3,
              "unit, from A to B: the gradient of the gap with respect to moving B"),
    DPY_AS(dp_distance, "point", point, DPY_VECTOR, 6,
           "[m] on A and on B, point[1] − point[0] = gap·normal"),
    DPY_MEMBER(dp_distance, ambiguous, DPY_BOOL,
               "another normal gives the same gap within round-off: the gap has a kink here"),
    DPY_OF(dp_distance, outcome, DPY_ENUM, (void *)&dpy_query_outcome_enum, ""),
    DPY_MEMBER(dp_distance, iterations, DPY_INT, "0: closed form"),
};
dpy_struct dpy_distance_struct =
    DPY_TABLE(dp_distance, "Distance", distance_fields, "The nearest points of two shapes.");

static const dpy_field found_contact_fields[] = {
    DPY_ARRAY(dp_found_contact, geom, DPY_INTS, 2, "A and B, ascending"),
    DPY_ARRAY(dp_found_contact, body, DPY_INTS, 2, "theirs"),
    DPY_MEMBER(dp_found_contact, pair, DPY_ID, "the pair that was given for them; index −1: none"),
    DPY_MEMBER(dp_found_contact, margin, DPY_DOUBLE,
               "[m] up to which points of these two were looked for"),
    DPY_OF(dp_found_contact, at, DPY_STRUCT, &dpy_contact_point_struct,
           "its normal points from A to B"),
};
dpy_struct dpy_found_contact_struct =
    DPY_TABLE(dp_found_contact, "FoundContact", found_contact_fields,
              "A point that a search for contacts has found.");

static const dpy_field ray_hit_fields[] = {
    DPY_MEMBER(dp_ray_hit, hit, DPY_BOOL, ""),
    DPY_MEMBER(dp_ray_hit, distance, DPY_DOUBLE,
               "[m] from the origin of the ray; 0 when it starts inside"),
    DPY_ARRAY(dp_ray_hit, point, DPY_VECTOR, 3, "[m]"),
    DPY_ARRAY(dp_ray_hit, normal, DPY_VECTOR, 3,
              "unit, outward at the point; against the ray when it starts inside"),
};
dpy_struct dpy_ray_hit_struct =
    DPY_TABLE(dp_ray_hit, "RayHit", ray_hit_fields, "Where a ray meets a shape.");

static const dpy_field model_size_fields[] = {
    DPY_MEMBER(dp_model_size, nbody, DPY_INT, "bodies, the world included"),
    DPY_MEMBER(dp_model_size, njoint, DPY_INT, ""),
    DPY_MEMBER(dp_model_size, ngeom, DPY_INT, ""),
    DPY_MEMBER(dp_model_size, nsite, DPY_INT, ""),
    DPY_MEMBER(dp_model_size, nactuator, DPY_INT, ""),
    DPY_MEMBER(dp_model_size, nsensor, DPY_INT, ""),
    DPY_MEMBER(dp_model_size, nkey, DPY_INT, ""),
    DPY_MEMBER(dp_model_size, nmesh, DPY_INT, ""),
    DPY_MEMBER(dp_model_size, nhfield, DPY_INT, ""),
    DPY_MEMBER(dp_model_size, npair, DPY_INT, ""),
    DPY_MEMBER(dp_model_size, nexclude, DPY_INT, ""),
    DPY_MEMBER(dp_model_size, ntendon, DPY_INT, ""),
    DPY_MEMBER(dp_model_size, nequality, DPY_INT, ""),
    DPY_MEMBER(dp_model_size, nforce, DPY_INT, ""),
    DPY_MEMBER(dp_model_size, nmotion, DPY_INT, ""),
    DPY_MEMBER(dp_model_size, nq, DPY_INT, "generalised positions"),
    DPY_MEMBER(dp_model_size, nv, DPY_INT, "generalised velocities (degrees of freedom)"),
    DPY_MEMBER(dp_model_size, na, DPY_INT, "activations"),
    DPY_MEMBER(dp_model_size, nu, DPY_INT, "controls, one per actuator"),
    DPY_MEMBER(dp_model_size, nmocap, DPY_INT, "bodies moved by the user"),
    DPY_MEMBER(dp_model_size, nsensordata, DPY_INT, "numbers that all sensors give"),
    DPY_MEMBER(dp_model_size, ntree, DPY_INT, "kinematic trees that can move"),
    DPY_MEMBER(dp_model_size, nfoundation, DPY_INT,
               "pairs of an elastic foundation and a plane that it may stand on"),
    DPY_MEMBER(
        dp_model_size, ntouch, DPY_LONG,
        "pairs of geoms that could touch, by masks, bodies, excludes and given pairs, foundations "
        "on planes left out; −1: some, too many kinds of masks to count; 0: contact is disabled"),
};
dpy_struct dpy_model_size_struct =
    DPY_TABLE(dp_model_size, "ModelSize", model_size_fields, "How many there are of everything.");

static const dpy_field parameter_info_fields[] = {
    DPY_ARRAY(dp_parameter_info, name, DPY_NAME, DP_PARAMETER_NAME, "kind, element and quantity"),
    DPY_MEMBER(dp_parameter_info, unit, DPY_TEXT, "\"kg\", \"N m s/rad\", \"1\""),
    DPY_MEMBER(dp_parameter_info, value, DPY_DOUBLE, "of the model"),
    DPY_MEMBER(dp_parameter_info, lower, DPY_DOUBLE, "the least that it may be set to"),
    DPY_MEMBER(dp_parameter_info, upper, DPY_DOUBLE, "the most"),
    DPY_MEMBER(dp_parameter_info, lower_open, DPY_BOOL, "above `lower`, not at it"),
};
dpy_struct dpy_parameter_info_struct = DPY_TABLE(
    dp_parameter_info, "ParameterInfo", parameter_info_fields, "A number of a model by name.");

static const dpy_field batch_result_fields[] = {
    DPY_OF(dp_batch_result, status, DPY_ENUM, (void *)&dpy_status_enum, "of what failed; OK"),
    DPY_MEMBER(dp_batch_result, steps, DPY_INT, "that were made"),
    DPY_MEMBER(dp_batch_result, unsolved, DPY_INT, "of them, with rows that were not solved"),
    DPY_MEMBER(dp_batch_result, residual, DPY_DOUBLE, "[m/s] the worst"),
};
dpy_struct dpy_batch_result_struct = DPY_TABLE(dp_batch_result, "BatchResult", batch_result_fields,
                                               "How a world went in the last call that ran it.");
