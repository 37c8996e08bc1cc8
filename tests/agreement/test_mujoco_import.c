// What the reader makes of a file against what MuJoCo 2 compiles from it: meshes, tendons,
// equalities, pairs, springs given by time constants, global coordinates. Not the motion: that is
// compared elsewhere. Mirror images of meshes are left out: MuJoCo 2 does not turn their faces.
#include "mesh_writer.h"
#include "mujoco_pair.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double SINGLE = 1e-6;     // MuJoCo keeps meshes as singles: a few roundings of 6e-8
static const double ROUND_OFF = 1e-13; // relative to numbers of order one

typedef struct import {
    mjModel *theirs;
    dp_spec *spec;
    dp_model *ours;
} import;

static void keep_quiet(const char *message)
{
    (void)message;
}

static import open_text(const char *text)
{
    static const char *const allow[] = {"contact",  "limit",  "frictionloss",
                                        "equality", "tendon", "transmission"};
    const dp_import_options options = {.allow = allow, .nallow = 6};
    const char *path = DP_SCRATCH "/test_mujoco_import.xml";
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);

import both = {0 };
    char message[1000] = "";
    mju_user_warning = keep_quiet;
    both.theirs = mj_loadXML(path, NULL, message, sizeof message);
    if (!both.theirs) {
        fail_msg("MuJoCo refuses: %s", message);
    }
    if (dp_mjcf_load(&both.spec, NULL, path, &options) != DP_OK ||
        dp_model_compile(&both.ours, both.spec) != DP_OK) {
        fail_msg("Dashpot refuses: %s", dp_last_error());
    }
    assert_int_equal(remove(path), 0);
    return both;
}

static void close_both(import *both)
{
    mj_deleteModel(both->theirs);
    dp_model_destroy(both->ours);
    dp_spec_destroy(both->spec);
}

static void assert_same(const char *what, int n, const double *ours, const double *theirs,
                        double tolerance)
{
    for (int i = 0; i < n; ++i) {
        if (!(fabs(ours[i] - theirs[i]) <= tolerance * fmax(1.0, fabs(theirs[i])))) {
            fail_msg("%s: number %d is %.17g, to MuJoCo %.17g", what, i, ours[i], theirs[i]);
        }
    }
}

static void store_pose(double x[7], dp_pose pose)
{
    const double numbers[7] = {pose.p.x, pose.p.y, pose.p.z, pose.q.w,
                               pose.q.x, pose.q.y, pose.q.z};
    memcpy(x, numbers, sizeof numbers);
}

// Positions as numbers, orientations up to the sign of the quaternion.
static void assert_same_pose(const char *what, dp_pose ours, const double *p, const double *q,
                             double tolerance)
{
    double x[7];
    store_pose(x, ours);
    assert_same(what, 3, x, p, tolerance);
    const double dot = x[3] * q[0] + x[4] * q[1] + x[5] * q[2] + x[6] * q[3];
    assert_near(fabs(dot), 1.0, tolerance);
}

// Inertia tensor about the centre of mass, in body axes.
static void tensor(double out[9], const double *q, const double *moments)
{
    const dp_m3 R = matrix_of((dp_quat){q[0], q[1], q[2], q[3]});
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            out[3 * i + j] = 0.0;
            for (int k = 0; k < 3; ++k) {
                out[3 * i + j] += R.m[i][k] * moments[k] * R.m[j][k];
            }
        }
    }
}

static void assert_same_bodies(const import *both, double tolerance)
{
    const mjModel *m = both->theirs;
    assert_int_equal(dp_model_sizes(both->ours)->nbody, m->nbody);
    for (int b = 1; b < m->nbody; ++b) {
        const dp_body_info info = dp_model_body(both->ours, (dp_body_id){b});
        const dp_inertial *I = &info.inertial;
        double ours[9], theirs[9], q[7];
        assert_same_pose("body", info.pose, m->body_pos + 3 * b, m->body_quat + 4 * b, ROUND_OFF);
        assert_same("mass", 1, &I->mass, m->body_mass + b, tolerance);
        assert_same("centre of mass", 3, (double[]){I->frame.p.x, I->frame.p.y, I->frame.p.z},
                    m->body_ipos + 3 * b, tolerance);
        store_pose(q, I->frame);
        tensor(ours, q + 3, (double[]){I->moments.x, I->moments.y, I->moments.z});
        tensor(theirs, m->body_iquat + 4 * b, m->body_inertia + 3 * b);
        const double scale = fmax(m->body_inertia[3 * b], 1e-12);
        for (int k = 0; k < 9; ++k) {
            // its principal axes are good to about 1.5e-6 rad
            assert_near(ours[k], theirs[k], fmax(tolerance, 3e-6) * scale);
        }
    }
}

// ---- meshes

static void bodies_of_meshes_weigh_and_turn_alike(void **state)
{
    (void)state;
import both = open_text("<mujoco><compiler exactmeshinertia='true' autolimits='true'/><default><mesh scale='.1 .2 "
                            ".1'/><default class='big'><mesh scale='1 1 2'/></default></default><asset>"
                            "<mesh name='t' vertex='0 0 0 1 0 0 0 1 0 0 0 1 1 1 1'/>"
                            "<mesh name='u' class='big' refpos='.1 .2 .3' refquat='1 2 3 4' "
                            "vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 2 1 0 1 3 0 3 2 1 2 3'/></asset><worldbody>"
                            "<body pos='1 2 3'><joint/><geom type='mesh' mesh='t' density='700' pos='.1 0 0' "
                            "euler='10 20 30'/><body name='b' euler='40 0 0'><joint type='slide'/>"
                            "<geom type='mesh' mesh='u' mass='3'/><geom type='mesh' mesh='t' pos='0 0 1'/></body></body>"
                            "</worldbody></mujoco>");
    assert_same_bodies(&both, SINGLE);
    close_both(&both);
}

static void terrain_has_the_same_heights(void **state)
{
    (void)state;
import both = open_text("<mujoco><asset><hfield name='h' nrow='3' ncol='4' size='1 2 .5 .1'/>"
                            "</asset><worldbody><geom type='hfield' hfield='h'/></worldbody>"
                            "</mujoco>");
    const dp_hfield_info h = dp_model_hfield(both.ours, (dp_hfield_id){0});
    assert_int_equal(h.nrow, both.theirs->hfield_nrow[0]);
    assert_int_equal(h.ncol, both.theirs->hfield_ncol[0]);
    assert_same("size", 4, h.size, both.theirs->hfield_size, 0.0);
    close_both(&both);
}

// ---- tendons

#define MECHANISM                                                                                  \
    "<mujoco><compiler autolimits='true'/><default><equality solref='.03 .9'/>"                    \
    "<tendon stiffness='2'/></default><worldbody><geom name='floor' type='plane' size='1 1 1'/>"   \
    "<site name='w' pos='0 0 2'/><body name='a' pos='1 0 0' euler='0 0 30'>"                       \
    "<joint name='j' axis='0 1 0' range='-40 50'/><geom name='ball' size='.1'/><site name='s'/>"   \
    "<site name='side' pos='0 .2 0'/><body name='b' pos='1 0 .2' euler='20 0 0'>"                  \
    "<joint name='k' type='slide'/><geom name='rod' type='cylinder' size='.1 .2'/>"                \
    "<site name='t' pos='0 0 .3'/></body></body><body name='c' pos='0 3 0' euler='0 50 0'>"        \
    "<freejoint name='f'/><geom name='box' type='box' size='.1 .2 .3'/></body></worldbody>"

static int their_wrap(dp_wrap_kind kind, const mjModel *m, int geom)
{
    switch (kind) {
    case DP_WRAP_JOINT:
        return mjWRAP_JOINT;
    case DP_WRAP_SITE:
        return mjWRAP_SITE;
    case DP_WRAP_PULLEY:
        return mjWRAP_PULLEY;
    case DP_WRAP_GEOM:
        return m->geom_type[geom] == mjGEOM_SPHERE ? mjWRAP_SPHERE : mjWRAP_CYLINDER;
    }
    return mjWRAP_NONE;
}

static void tendons_have_the_same_paths_and_numbers(void **state)
{
    (void)state;
import both = open_text(MECHANISM "<tendon><fixed name='x' range='-1 2' damping='.3' frictionloss='.4' margin='.01' "
                                      "springlength='.7'><joint joint='j' coef='.5'/><joint joint='k' coef='-2'/></fixed>"
                                      "<spatial name='y' solreflimit='.1' limited='true' range='0 3' stiffness='5'>"
                                      "<site site='w'/><geom geom='ball' sidesite='side'/><site site='s'/>"
                                      "<pulley divisor='3'/><site site='s'/><geom geom='rod'/><site site='t'/></spatial>"
                                      "</tendon></mujoco>");
    const mjModel *m = both.theirs;
    assert_int_equal(dp_model_sizes(both.ours)->ntendon, m->ntendon);
    for (int i = 0; i < m->ntendon; ++i) {
        const dp_tendon_info t = dp_model_tendon(both.ours, (dp_tendon_id){i});
        const dp_tendon_spec *spec = dp_spec_tendon(both.spec, (dp_tendon_id){i});
        assert_int_equal(t.limited, m->tendon_limited[i]);
        assert_same("range", 2, t.range, m->tendon_range + 2 * i, 0.0);
        assert_same("stiffness", 1, &t.stiffness, m->tendon_stiffness + i, 0.0);
        assert_same("damping", 1, &t.damping, m->tendon_damping + i, 0.0);
        assert_same("frictionloss", 1, &t.friction_loss, m->tendon_frictionloss + i, 0.0);
        assert_same("margin", 1, &spec->margin, m->tendon_margin + i, 0.0);
        assert_same("solref", 2, spec->limit_solref, m->tendon_solref_lim + 2 * i, 0.0);
        assert_same("solimp", 5, spec->limit_solimp, m->tendon_solimp_lim + 5 * i, 0.0);
        if (t.spring_range[0] >= 0.0) {
            assert_same("spring length", 1, t.spring_range, m->tendon_lengthspring + i, 0.0);
        }
        assert_int_equal(t.nwrap, m->tendon_num[i]);
        for (int k = 0; k < t.nwrap; ++k) {
            const dp_wrap_info w = dp_model_tendon_wrap(both.ours, (dp_tendon_id){i}, k);
            const int at = m->tendon_adr[i] + k;
            assert_int_equal(m->wrap_type[at], their_wrap(w.kind, m, w.object));
            if (w.kind == DP_WRAP_GEOM) {
                assert_true(m->wrap_prm[at] == w.side.index);
            } else if (w.kind != DP_WRAP_SITE) {
                assert_true(m->wrap_prm[at] == w.coefficient);
            }
            if (w.kind != DP_WRAP_PULLEY) {
                assert_int_equal(m->wrap_objid[at], w.object);
            }
        }
    }
    close_both(&both);
}

// ---- equalities

static void equalities_hold_the_same_frames(void **state)
{
    (void)state;
import both = open_text(MECHANISM "<tendon><fixed name='x'><joint joint='j' coef='1'/></fixed><fixed name='y'>"
                                      "<joint joint='k' coef='1'/></fixed></tendon><equality>"
                                      "<connect body1='a' body2='c' anchor='.1 .2 .3'/><connect body1='c' anchor='1 0 0'/>"
                                      "<weld body1='a' body2='c'/><weld body1='b'/><weld body1='a' body2='c' "
                                      "anchor='.3 0 .1' torquescale='2'/>"
                                      "<weld body1='a' body2='c' relpose='.1 .2 .3 .5 .5 -.5 .5' anchor='.1 0 0' "
                                      "active='false' solref='.1 1'/><joint joint1='j' joint2='k' polycoef='.1 .2 .3 .4 .5'/>"
                                      "<joint joint1='j'/><tendon tendon1='x' tendon2='y' solimp='.5 .6'/></equality>"
                                      "</mujoco>");
    const mjModel *m = both.theirs;
    assert_int_equal(dp_model_sizes(both.ours)->nequality, m->neq);
    for (int i = 0; i < m->neq; ++i) {
        const dp_equality_info e = dp_model_equality(both.ours, (dp_equality_id){i});
        const dp_equality_spec *spec = dp_spec_equality(both.spec, (dp_equality_id){i});
        const double *data = m->eq_data + mjNEQDATA * i;
        assert_int_equal(e.kind, m->eq_type[i]); // the same order: connect, weld, joint, tendon
        assert_int_equal(e.object[0], m->eq_obj1id[i]);
        assert_int_equal(e.object[1], m->eq_obj2id[i]);
        assert_int_equal(e.active, m->eq_active[i]);
        assert_same("solref", 2, spec->solref, m->eq_solref + 2 * i, 0.0);
        assert_same("solimp", 5, spec->solimp, m->eq_solimp + 5 * i, 0.0);
        double frame[2][7];
        store_pose(frame[0], e.frame[0]);
        store_pose(frame[1], e.frame[1]);
        switch (e.kind) {
        case DP_EQUALITY_CONNECT:
            assert_same("anchor", 3, frame[0], data, ROUND_OFF);
            assert_same("anchor", 3, frame[1], data + 3, ROUND_OFF);
            break;
        case DP_EQUALITY_WELD:
            assert_same("anchor", 3, frame[1], data, ROUND_OFF);
            assert_same_pose("relative pose", e.frame[0], data + 3, data + 6, ROUND_OFF);
            assert_same("torque scale", 1, &e.torque_scale, data + 10, 0.0);
            break;
        default:
            assert_same("polynomial", 5, e.polynomial, data, 0.0);
        }
    }
    close_both(&both);
}

// ---- contact, actuators

static void pairs_and_excludes_name_the_same(void **state)
{
    (void)state;
import both = open_text(MECHANISM "<contact><pair geom1='box' geom2='ball' friction='2 3 .1 .2 .3' condim='6' "
                                      "solref='.1 2' solimp='.5 .6 .1 .4 3' margin='.2' gap='.1'/>"
                                      "<exclude body1='a' body2='c'/></contact></mujoco>");
    const mjModel *m = both.theirs;
    const dp_pair_info p = dp_model_pair(both.ours, (dp_pair_id){0});
    assert_int_equal(p.geom[0].index + p.geom[1].index, m->pair_geom1[0] + m->pair_geom2[0]);
    assert_int_equal(p.contact.condim, m->pair_dim[0]);
    assert_same("friction", 5, p.friction, m->pair_friction, 0.0);
    assert_same("solref", 2, p.contact.solref, m->pair_solref, 0.0);
    assert_same("solimp", 5, p.contact.solimp, m->pair_solimp, 0.0);
    assert_same("margin", 1, &p.contact.margin, m->pair_margin, 0.0);
    assert_same("gap", 1, &p.contact.gap, m->pair_gap, 0.0);
    const dp_exclude_info e = dp_model_exclude(both.ours, (dp_exclude_id){0});
    assert_int_equal(m->exclude_signature[0], ((e.body[0].index + 1) << 16) + e.body[1].index + 1);
    close_both(&both);
}

static void geoms_touch_by_the_same_numbers(void **state)
{
    (void)state;
import both = open_text("<mujoco><default><geom condim='4' solref='.1' friction='.5'/><default class='c'>"
                            "<geom solimp='.5 .6' margin='.1'/></default></default><worldbody><geom size='1'/>"
                            "<geom class='c' size='1' priority='2' solmix='3' gap='.05' contype='6' conaffinity='5'/>"
                            "</worldbody></mujoco>");
    const mjModel *m = both.theirs;
    for (int i = 0; i < m->ngeom; ++i) {
        const dp_geom_info g = dp_model_geom(both.ours, (dp_geom_id){i});
        assert_int_equal(g.contype, m->geom_contype[i]);
        assert_int_equal(g.conaffinity, m->geom_conaffinity[i]);
        assert_int_equal(g.contact.condim, m->geom_condim[i]);
        assert_int_equal(g.contact.priority, m->geom_priority[i]);
        assert_same("solmix", 1, &g.contact.solmix, m->geom_solmix + i, 0.0);
        assert_same("solref", 2, g.contact.solref, m->geom_solref + 2 * i, 0.0);
        assert_same("solimp", 5, g.contact.solimp, m->geom_solimp + 5 * i, 0.0);
        assert_same("margin", 1, &g.contact.margin, m->geom_margin + i, 0.0);
        assert_same("gap", 1, &g.contact.gap, m->geom_gap + i, 0.0);
        assert_same("friction", 3, g.friction, m->geom_friction + 3 * i, 0.0);
    }
    close_both(&both);
}

static void actuators_drive_the_same(void **state)
{
    (void)state;
import both = open_text(MECHANISM "<tendon><fixed name='x'><joint joint='j' coef='1'/></fixed></tendon><actuator>"
                                      "<motor tendon='x' gear='3'/><motor site='s' gear='1 2 3 4 5 6'/>"
                                      "<position site='s' refsite='w' kp='7'/><motor joint='f' gear='6 5 4 3 2 1'/>"
                                      "<velocity jointinparent='f' kv='2'/></actuator></mujoco>");
    static const int their_kind[] = {mjTRN_JOINT, mjTRN_TENDON, mjTRN_SITE};
    const mjModel *m = both.theirs;
    for (int i = 0; i < m->nu; ++i) {
        const dp_actuator_info a = dp_model_actuator(both.ours, (dp_actuator_id){i});
        const dp_actuator_spec *spec = dp_spec_actuator(both.spec, (dp_actuator_id){i});
        const int target = a.transmission == DP_TRANSMISSION_JOINT    ? a.joint.index
                           : a.transmission == DP_TRANSMISSION_TENDON ? a.tendon.index
                                                                      : a.site.index;
        assert_int_equal(m->actuator_trntype[i],
                         spec->in_parent ? mjTRN_JOINTINPARENT : their_kind[a.transmission]);
        assert_int_equal(m->actuator_trnid[2 * i], target);
        if (a.transmission == DP_TRANSMISSION_SITE) {
            assert_int_equal(m->actuator_trnid[2 * i + 1], a.reference_site.index);
        }
        assert_same("gear", 6, spec->gear, m->actuator_gear + 6 * i, 0.0);
    }
    close_both(&both);
}

// ---- springs, coordinates

static void springs_given_by_time_constants_are_as_stiff(void **state)
{
    (void)state;
import both = open_text("<mujoco><compiler autolimits='true'/><worldbody><body pos='0 0 1' euler='10 20 30'>"
                            "<joint springdamper='.5 .7' axis='1 2 3' armature='.1' pos='.1 0 0'/>"
                            "<geom type='capsule' size='.1 .3'/><body pos='.1 0 .5' euler='30 0 0'>"
                            "<joint type='slide' springdamper='.3 1.2'/><joint springdamper='.1 .4' axis='1 0 0'/>"
                            "<geom type='box' size='.05 .2 .1'/><body pos='.3 .1 .3'><joint type='ball' "
                            "springdamper='.2 2' pos='0 .1 0'/><geom size='.2' pos='.1 .1 0'/></body></body>"
                            "<body pos='0 1 0'><joint stiffness='3' damping='4'/><geom size='.1' pos='.4 0 0'/></body>"
                            "</body><body pos='5 0 0'><freejoint/><geom size='.3'/><body><joint springdamper='1 1' "
                            "axis='0 1 0'/><geom type='ellipsoid' size='.1 .2 .3' pos='1 0 0'/></body></body>"
                            "</worldbody></mujoco>");
    const mjModel *m = both.theirs;
    for (int j = 0; j < m->njnt; ++j) {
        const dp_joint_info info = dp_model_joint(both.ours, (dp_joint_id){j});
        // by way of a principal axis that is off by 1e-6 rad, squared in the moments
        assert_same("stiffness", 1, &info.stiffness, m->jnt_stiffness + j, 1e-9);
        for (int k = 0; k < info.nv; ++k) {
            assert_same("damping", 1, &info.damping, m->dof_damping + info.v_index + k, 1e-9);
        }
    }
    close_both(&both);
}

static void global_coordinates_give_the_same_mechanism(void **state)
{
    (void)state;
import both = open_text("<mujoco><compiler coordinate='global' autolimits='true'/><worldbody>"
                            "<body pos='1 0 0' euler='0 0 90'><joint/><joint pos='1 1 0' axis='1 0 0'/>"
                            "<geom size='.1'/><geom size='.1' pos='1 1 0'/><site pos='2 0 0' euler='0 0 90'/>"
                            "<geom type='box' size='.1 .2 .3' pos='1 1 0' euler='0 0 90'/><site/>"
                            "<geom type='capsule' size='.1' fromto='1 0 0 2 0 .5'/>"
                            "<body pos='1 2 0' zaxis='1 1 1'><geom size='.1' pos='1 2 .5'/><joint axis='0 1 0'/>"
                            "<body pos='0 0 1'><inertial pos='0 0 2' mass='1' diaginertia='1 2 2.5' "
                            "euler='0 30 0'/><joint type='slide' axis='1 1 0' pos='1 0 0'/></body></body></body>"
                            "</worldbody></mujoco>");
    const mjModel *m = both.theirs;
    assert_same_bodies(&both, ROUND_OFF);
    for (int j = 0; j < m->njnt; ++j) {
        const dp_joint_info info = dp_model_joint(both.ours, (dp_joint_id){j});
        assert_same("anchor", 3, (double[]){info.anchor.x, info.anchor.y, info.anchor.z},
                    m->jnt_pos + 3 * j, ROUND_OFF);
        assert_same("axis", 3, (double[]){info.axis.x, info.axis.y, info.axis.z},
                    m->jnt_axis + 3 * j, ROUND_OFF);
    }
    for (int i = 0; i < m->ngeom; ++i) {
        assert_same_pose("geom", dp_model_geom(both.ours, (dp_geom_id){i}).pose,
                         m->geom_pos + 3 * i, m->geom_quat + 4 * i, ROUND_OFF);
    }
    for (int i = 0; i < m->nsite; ++i) {
        assert_same_pose("site", dp_model_site(both.ours, (dp_site_id){i}).pose,
                         m->site_pos + 3 * i, m->site_quat + 4 * i, ROUND_OFF);
    }
    close_both(&both);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_of_meshes_weigh_and_turn_alike),
        cmocka_unit_test(terrain_has_the_same_heights),
        cmocka_unit_test(tendons_have_the_same_paths_and_numbers),
        cmocka_unit_test(equalities_hold_the_same_frames),
        cmocka_unit_test(pairs_and_excludes_name_the_same),
        cmocka_unit_test(geoms_touch_by_the_same_numbers),
        cmocka_unit_test(actuators_drive_the_same),
        cmocka_unit_test(springs_given_by_time_constants_are_as_stiff),
        cmocka_unit_test(global_coordinates_give_the_same_mechanism),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
