// <link>: bodies, and their mass, which comes from <inertial> alone.
#include "io/urdf/urdf.h"

#include "geom/mass.h"
#include "model/spec/spec.h"

#include <stdio.h>
#include <string.h>

// ---- inertial

// The lower half of the matrix, which some files have as well, should repeat the upper one.
static dp_status check_mirror(dp_urdf *u, const dp_xml_node *inertia)
{
    static const char *const name[][2] = {{"iyx", "ixy"}, {"izx", "ixz"}, {"izy", "iyz"}};
    for (int i = 0; inertia && i < 3; ++i) {
        const double upper = dp_urdf_number(inertia, name[i][1], 0.0);
        const double lower = dp_urdf_number(inertia, name[i][0], upper);
        if (lower != upper) {
            char why[200];
            snprintf(why, sizeof why, "found %s %g and %s %g (expected a symmetric matrix)",
                     name[i][1], upper, name[i][0], lower);
            return dp_mjcf_allowed(&u->m, "inertia")
                       ? dp_mjcf_repaired(&u->m, inertia, NULL, "inertia",
                                          "the matrix is not symmetric: its upper half counts")
                       : dp_mjcf_refuse(&u->m, inertia, NULL, "inertia", why);
        }
    }
    return DP_OK;
}

// What is missing is zero.
static dp_status judge_parts(dp_urdf *u, const dp_xml_node *inertial)
{
    const dp_xml_node *mass = dp_urdf_child(inertial, "mass");
    const dp_xml_node *density = dp_urdf_child(inertial, "density");
    if (!mass) {
        DP_TRY(dp_mjcf_judge(&u->m, inertial, NULL, DP_IMPORT_VERDICT_APPROXIMATED,
                             density ? "no <mass>: that of the shapes by <density>"
                                     : "no <mass>: 0 kg"));
    } else if (density) {
        DP_TRY(dp_mjcf_judge_all(&u->m, density, DP_IMPORT_VERDICT_IGNORED, "<mass> is given"));
    }
    if (mass && !dp_urdf_child(inertial, "inertia")) {
        DP_TRY(dp_mjcf_judge(&u->m, inertial, NULL, DP_IMPORT_VERDICT_APPROXIMATED,
                             "no <inertia>: the moments are 0"));
    }
    return DP_OK;
}

static dp_status read_inertial(dp_inertial *out, dp_urdf *u, const dp_xml_node *link)
{
    *out = (dp_inertial){.frame = DP_IDENTITY_POSE};
    const dp_xml_node *inertial = dp_urdf_child(link, "inertial");
    if (!inertial) {
        return DP_OK;
    }
    DP_TRY(judge_parts(u, inertial));
    const dp_xml_node *mass = dp_urdf_child(inertial, "mass");
    const dp_xml_node *inertia = dp_urdf_child(inertial, "inertia");
    out->mass = dp_urdf_number(mass, "value", 0.0);
    if (out->mass < 0.0) {
        return dp_mjcf_fail(mass, "found %g kg (expected 0 or more)", out->mass);
    }
    DP_TRY(check_mirror(u, inertia));
    const dp_sym3 I = {.xx = dp_urdf_number(inertia, "ixx", 0.0),
                       .yy = dp_urdf_number(inertia, "iyy", 0.0),
                       .zz = dp_urdf_number(inertia, "izz", 0.0),
                       .xy = dp_urdf_number(inertia, "ixy", 0.0),
                       .xz = dp_urdf_number(inertia, "ixz", 0.0),
                       .yz = dp_urdf_number(inertia, "iyz", 0.0)};
    dp_quat axes;
    dp_principal_axes(&out->moments, &axes, I);
    DP_TRY(dp_urdf_origin(&out->frame, inertial));
    out->frame.q = dp_quat_unit(dp_quat_mul(out->frame.q, axes));

    const double round_off = 1e-12; // of the largest moment: below zero by this much is zero
    if (out->moments.z < 0.0 && out->moments.z > -round_off * out->moments.x) {
        out->moments.z = 0.0; // they come in decreasing order
    }
    return DP_OK;
}

// ---- bodies

// Where a body hangs. A floating joint hangs from the world if its parent is fixed to it.
static void place(dp_pose *pose, dp_body_id *parent, const dp_urdf *u, const dp_urdf_link *link)
{
    if (link->joint < 0) {
        *parent = DP_WORLD;
        return;
    }
    const dp_urdf_joint *joint = &u->joint[link->joint];
    const dp_urdf_link *above = &u->link[joint->parent];
    *parent = above->body;
    if (joint->kind == DP_URDF_FLOATING && above->mover < 0) {
        *parent = DP_WORLD;
        *pose = link->pose;
    }
}

static dp_status add_floating_base(dp_urdf *u, const dp_urdf_link *link)
{
    char name[512];
    snprintf(name, sizeof name, "%.490s_free_joint", link->name);
    dp_joint_spec joint = dp_joint_spec_default();
    joint.name = name;
    joint.kind = DP_JOINT_FREE;
    joint.where = dp_mjcf_where(link->node);
    return dp_mjcf_located(link->node, dp_spec_add_joint(NULL, u->m.spec, link->body, &joint));
}

// A root link called "world" is the world itself.
static dp_status enter_world(dp_urdf *u, dp_urdf_link *link)
{
    if (link->joint >= 0) {
        return dp_mjcf_fail(link->node,
                            "found as the child of joint '%s' (expected it at the root: a link of "
                            "this name is the world)",
                            u->joint[link->joint].name);
    }
    if (u->m.options->urdf_floating_base) {
        return dp_fail(DP_ERROR_ARGUMENT,
                       "%s:%d: link 'world' is the root of the robot and cannot float (expected a "
                       "robot whose root is a link of its own)",
                       link->node->file, link->node->line);
    }
    link->body = DP_WORLD;
    const dp_xml_node *inertial = dp_urdf_child(link->node, "inertial");
    if (inertial) {
        DP_TRY(dp_mjcf_judge(&u->m, inertial, NULL, DP_IMPORT_VERDICT_IGNORED,
                             "the world does not move"));
    }
    return DP_OK;
}

static dp_status add_body(dp_urdf *u, dp_urdf_link *link)
{
    dp_body_spec body = dp_body_spec_default();
    body.name = link->name;
    body.where = dp_mjcf_where(link->node);
    body.inertia_source = DP_INERTIA_SOURCE_GIVEN;
    DP_TRY(read_inertial(&body.inertial, u, link->node));
    if (link->joint >= 0) {
        DP_TRY(dp_urdf_origin(&body.pose, u->joint[link->joint].node));
    }
    dp_body_id parent;
    place(&body.pose, &parent, u, link);
    return dp_mjcf_located(link->node, dp_spec_add_body(&link->body, u->m.spec, parent, &body));
}

static dp_status add_link(dp_urdf *u, int index)
{
    dp_urdf_link *link = &u->link[index];
    if (link->joint >= 0) {
        const dp_urdf_joint *joint = &u->joint[link->joint];
        const dp_urdf_link *above = &u->link[joint->parent];
        dp_pose origin;
        DP_TRY(dp_urdf_origin(&origin, joint->node));
        link->pose = dp_pose_mul(above->pose, origin);
        link->pose.q = dp_quat_unit(link->pose.q);
        link->mover = joint->kind == DP_URDF_FIXED ? above->mover : index;
    } else if (u->m.options->urdf_floating_base) {
        link->mover = index;
    }
    if (strcmp(link->name, "world") == 0) {
        DP_TRY(enter_world(u, link));
    } else {
        DP_TRY(add_body(u, link));
    }
    if (link->joint >= 0) {
        DP_TRY(dp_urdf_add_joint(u, link));
    } else if (link->mover >= 0) {
        DP_TRY(add_floating_base(u, link));
    }
    return dp_urdf_add_shapes(u, link);
}

dp_status dp_urdf_add_links(dp_urdf *u)
{
    for (int i = 0; i < u->nlink; ++i) {
        DP_TRY(add_link(u, u->order[i]));
    }
    return DP_OK;
}

// ---- masses

static const double WATER = 1000.0; // [kg/m³]

static bool is_impossible(dp_v3 I)
{
    const double tolerance = 1e-9; // of the largest moment, as when the spec is compiled
    const double largest = fmax(I.x, fmax(I.y, I.z));
    const double others = fmin(I.x + I.y, fmin(I.y + I.z, I.z + I.x));
    return fmin(I.x, fmin(I.y, I.z)) < 0.0 || others < largest * (1.0 - tolerance);
}

static dp_status check_inertia(dp_urdf *u, const dp_urdf_link *link, dp_v3 *I)
{
    if (!is_impossible(*I)) {
        return DP_OK;
    }
    const dp_xml_node *inertial = dp_urdf_child(link->node, "inertial");
    const dp_xml_node *node = inertial ? dp_urdf_child(inertial, "inertia") : link->node;
    const double mean = fabs(I->x + I->y + I->z) / 3.0;
    if (link->mover < 0) {
        *I = (dp_v3){mean, mean, mean};
        return dp_mjcf_judge(&u->m, node, NULL, DP_IMPORT_VERDICT_IGNORED,
                             "no mass has these moments; of no effect, since the link is fixed");
    }
    char why[400];
    snprintf(why, sizeof why,
             "link '%.100s' has principal moments %g, %g, %g kg m², which no mass has: each is at "
             "most the sum of the others (correct it, or write <mujoco><compiler "
             "balanceinertia=\"true\"/></mujoco>)",
             link->name, I->x, I->y, I->z);
    DP_TRY(dp_mjcf_refuse(&u->m, node, NULL, "inertia", why));
    if (dp_mjcf_allowed(&u->m, "inertia")) {
        *I = (dp_v3){mean, mean, mean};
        return dp_mjcf_repaired(
            &u->m, node, NULL, "inertia",
            "no mass has these moments: three equal ones of the same sum instead");
    }
    return DP_OK;
}

// What moves and what is fixed to it.
typedef struct cluster {
    dp_inertial sum; // all joints at zero, in the world
    int part;        // the last link of it that has mass
    bool given;      // the mass is in the file or comes from shapes
} cluster;

static void add_to_cluster(cluster *all, const dp_urdf_link *link, int index,
                           const dp_inertial *own)
{
    if (link->mover < 0 || !(own->mass > 0.0)) {
        return;
    }
    cluster *whole = &all[link->mover];
    dp_inertial part[] = {*own, whole->sum};
    part[0].frame = dp_pose_mul(link->pose, own->frame);
    whole->sum = whole->given ? dp_inertial_sum(part, 2) : part[0];
    whole->part = index;
    whole->given = true;
}

// A point or a rod that moves: links of that kind which lie on one line.
static dp_status check_point(dp_urdf *u, const cluster *whole)
{
    const dp_urdf_link *link = &u->link[whole->part];
    const dp_xml_node *inertial = dp_urdf_child(link->node, "inertial");
    dp_v3 *I = &dp_spec_body(u->m.spec, link->body)->inertial.moments;
    const double round_off = 1e-12; // of the largest moment: less is zero
    const dp_v3 sum = whole->sum.moments;
    if (!inertial ||
        fmin(sum.x, fmin(sum.y, sum.z)) > round_off * fmax(sum.x, fmax(sum.y, sum.z))) {
        return DP_OK;
    }
    const dp_xml_node *inertia = dp_urdf_child(inertial, "inertia");
    const dp_xml_node *node = inertia ? inertia : inertial;
    if (dp_mjcf_allowed(&u->m, "inertia")) {
        const double radius = 0.01; // [m] of gyration: little against the size of a link
        const double given = I->y > 0.0 ? I->y : INFINITY; // they come in decreasing order
        const double moment = fmin(whole->sum.mass * radius * radius, given);
        *I = (dp_v3){fmax(I->x, moment), fmax(I->y, moment), moment};
        return dp_mjcf_repaired(&u->m, node, NULL, "inertia",
                                "it moves, and moments are 0: those of its mass at 0.01 m instead");
    }
    char why[400];
    snprintf(why, sizeof why,
             "link '%.100s' moves and has principal moments %g, %g, %g kg m² (expected all > 0: "
             "give it <inertia>, or write <mujoco><compiler boundinertia=\"1e-6\"/></mujoco>)",
             link->name, sum.x, sum.y, sum.z);
    return dp_mjcf_refuse(&u->m, node, NULL, "inertia", why);
}

static double density_of(const dp_urdf_link *link)
{
    const dp_xml_node *inertial = dp_urdf_child(link->node, "inertial");
    const dp_xml_node *density = inertial ? dp_urdf_child(inertial, "density") : NULL;
    return dp_urdf_number(density, "value", 0.0);
}

// Give the links that `weightless` names (by body) the mass of the shapes that they touch with, if
// they have a density or may be taken for water.
static dp_status weigh_shapes(dp_urdf *u, const int *weightless, cluster *all)
{
    const bool allowed = dp_mjcf_allowed(&u->m, "massless");
    for (int g = 0; g < dp_spec_geom_count(u->m.spec); ++g) {
        const int i = weightless[dp_spec_geoms(u->m.spec)[g].body] - 1;
        dp_geom_spec *geom = dp_spec_geom(u->m.spec, (dp_geom_id){g});
        if (i < 0 || geom->contype == 0 || geom->kind == DP_GEOM_PLANE) {
            continue;
        }
        const dp_urdf_link *link = &u->link[i];
        const double density = density_of(link);
        if (!allowed && !(density > 0.0)) {
            continue;
        }
        geom->mass = -1.0; // from the density
        geom->density = density > 0.0 ? density : WATER;
        dp_spec_body(u->m.spec, link->body)->inertia_source = DP_INERTIA_SOURCE_GEOMS;
        all[link->mover].given = true;
        DP_TRY(density > 0.0
                   ? dp_mjcf_judge(&u->m, link->node, NULL, DP_IMPORT_VERDICT_APPROXIMATED,
                                   "no mass is given: that of its shapes by their density")
                   : dp_mjcf_repaired(&u->m, link->node, NULL, "massless",
                                      "no mass is given: that of its shapes at 1000 kg/m³"));
    }
    return DP_OK;
}

// What moves must have mass, its own or that of a link fixed to it. `total`: of the robot; 0: only
// shapes have mass, or nothing has.
static dp_status check_massless(dp_urdf *u, const dp_urdf_link *link, double total)
{
    const double share = 1e-6, radius = 0.1; // [1, m] little enough not to matter
    char why[400];
    if (link->joint < 0) {
        snprintf(why, sizeof why,
                 "found no mass, although it floats (expected <inertial> in it or in a link fixed "
                 "to it)");
    } else {
        snprintf(why, sizeof why,
                 "found no mass, although joint '%.100s' moves it (expected <inertial> in it or in "
                 "a link fixed to it; or a joint of type \"fixed\")",
                 u->joint[link->joint].name);
    }
    if (!dp_mjcf_allowed(&u->m, "massless")) {
        return dp_mjcf_refuse(&u->m, link->node, NULL, "massless", why);
    }
    dp_inertial *inertial = &dp_spec_body(u->m.spec, link->body)->inertial;
    const double mass = share * (total > 0.0 ? total : 1.0), I = mass * radius * radius;
    *inertial =
        (dp_inertial){.frame = DP_IDENTITY_POSE, .mass = mass, .moments = {.x = I, .y = I, .z = I}};
    return dp_mjcf_repaired(&u->m, link->node, NULL, "massless",
                            "no mass is given: a millionth of the robot's, or of 1 kg, at 0.1 m");
}

static dp_status check_moving(dp_urdf *u, cluster *all)
{
    int *weightless; // nbody: link + 1 of a body that lacks mass, 0: it does not
    DP_TRY(dp_pool_take(&weightless, &u->m.pool, (size_t)dp_spec_body_count(u->m.spec),
                        sizeof *weightless));
    double total = 0.0;
    for (int i = 0; i < u->nlink; ++i) {
        const int mover = u->link[i].mover;
        total += all[i].sum.mass;
        if (mover >= 0 && !all[mover].given) {
            weightless[u->link[i].body.index] = i + 1;
        }
    }
    DP_TRY(weigh_shapes(u, weightless, all));
    for (int k = 0; k < u->nlink; ++k) {
        const int i = u->order[k];
        if (u->link[i].mover != i) {
            continue;
        }
        if (!all[i].given) {
            DP_TRY(check_massless(u, &u->link[i], total));
        } else if (all[i].sum.mass > 0.0) {
            DP_TRY(check_point(u, &all[i]));
        }
    }
    return DP_OK;
}

dp_status dp_urdf_check_masses(dp_urdf *u)
{
    cluster *all; // nlink: by the link that moves
    DP_TRY(dp_pool_take(&all, &u->m.pool, (size_t)u->nlink, sizeof *all));
    for (int k = 0; k < u->nlink; ++k) {
        const dp_urdf_link *link = &u->link[u->order[k]];
        if (link->body.index == DP_WORLD.index) {
            continue;
        }
        dp_inertial *inertial = &dp_spec_body(u->m.spec, link->body)->inertial;
        DP_TRY(check_inertia(u, link, &inertial->moments));
        add_to_cluster(all, link, u->order[k], inertial);
    }
    return check_moving(u, all);
}
