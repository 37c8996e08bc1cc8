#include "accuracy_rig.h"

#include <dashpot/format.h>

#include <math.h>
#include <string.h>

#define GRAVITY "<option gravity='0 0 -9.81'/>"
#define SCENE(body) "<mujoco xmlns:dp='dashpot'>" body "</mujoco>"
#define FLOOR "<geom type='plane' size='2 2 .1'/>"

const accuracy_scene RIG_SPRINGS = {
    .name = "springs",
    .text =
        SCENE(GRAVITY "<worldbody><body><joint axis='0 1 0' stiffness='3' damping='0.02'/>"
                      "<inertial mass='1' pos='0.3 0 0' diaginertia='.01 .03 .03'/>"
                      "<body pos='0.6 0 0'><joint axis='0 1 0' stiffness='2' damping='0.02'/>"
                      "<inertial mass='0.5' pos='0.2 0 0' diaginertia='.01 .02 .02'/></body></body>"
                      "</worldbody>"),
    .seconds = 1.0,
    .step = 0.02,
};

const accuracy_scene RIG_TOP = {
    .name = "top",
    .text = SCENE(GRAVITY "<worldbody><body><joint type='ball'/>"
                          "<inertial mass='1' pos='0 0 0.1' diaginertia='.02 .02 .01'/></body>"
                          "</worldbody><keyframe><key qpos='0.98 0.199 0 0' qvel='0.2 0 20'/>"
                          "</keyframe>"),
    .seconds = 1.0,
    .step = 0.02,
};

const accuracy_scene RIG_FOUR_BAR = {
    .name = "four-bar",
    .text = SCENE(
        GRAVITY
        "<default><joint axis='0 1 0'/><geom type='capsule' size='0.01' contype='0' "
        "conaffinity='0'/></default><worldbody><body><joint/><geom fromto='0 0 0 0 0 0.1'/>"
        "<body name='coupler' pos='0 0 0.1'><joint/><geom fromto='0 0 0 0.3 0 0.15'/></body>"
        "</body><body name='rocker' pos='0.3 0 0'><joint/><geom fromto='0 0 0 0 0 0.25'/></body>"
        "</worldbody><equality><connect body1='coupler' body2='rocker' anchor='0.3 0 0.15' "
        "dp:stiffness='500' dp:damping='5'/></equality>"
        "<keyframe><key qvel='2 -1 0.5'/></keyframe>"),
    .seconds = 0.5,
    .step = 0.01,
};

const accuracy_scene RIG_SLIDE = {
    .name = "slide",
    .text = SCENE(GRAVITY
                  "<default><geom friction='0.5' dp:stiffness='2e3' dp:dissipation='1'/></default>"
                  "<worldbody>" FLOOR "<body pos='0 0 0.0498'><joint type='slide' axis='1 0 0'/>"
                  "<joint type='slide' axis='0 0 1'/><geom type='box' size='.1 .1 .05' mass='1'/>"
                  "</body></worldbody><keyframe><key qvel='1 0'/></keyframe>"),
    .seconds = 0.5,
    .step = 0.01,
    .slip_speed = 1e-5,
};

const accuracy_scene RIG_SLOPE = {
    .name = "slope",
    .text = SCENE("<option gravity='5 0 -9.81'/>"
                  "<default><geom friction='0.3' dp:stiffness='2e3' dp:dissipation='1'/></default>"
                  "<worldbody>" FLOOR "<body pos='0 0 0.0498'><joint type='slide' axis='1 0 0'/>"
                  "<joint type='slide' axis='0 0 1'/><geom type='box' size='.05 .05 .05' mass='1'/>"
                  "</body></worldbody><keyframe><key qvel='-1 0'/></keyframe>"),
    .seconds = 0.5,
    .step = 0.01,
    .slip_speed = 1e-4,
};

const accuracy_scene RIG_PUSH = {
    .name = "push",
    .text = SCENE("<option gravity='0 0 -9.8'/>"
                  "<default><geom friction='1' dp:stiffness='2e4' dp:dissipation='0'/></default>"
                  "<worldbody>" FLOOR "<body pos='0 0 0.0496766'>"
                  "<joint name='x' type='slide' axis='1 0 0'/>"
                  "<geom type='box' size='.05 .05 .05' mass='0.33'/></body></worldbody>"
                  "<dp:force joint='x' force='4*cos(2*pi*t)'/>"),
    .seconds = 1.0,
    .step = 0.01,
    .slip_speed = 1e-4,
};

const accuracy_scene RIG_BELT = {
    .name = "belt",
    .text = SCENE(GRAVITY
                  "<default><geom friction='0.4' dp:stiffness='2e4' dp:dissipation='1'/></default>"
                  "<worldbody><geom type='plane' size='2 2 .1' dp:surface_velocity='0.3 0 0'/>"
                  "<body pos='0 0 0.0498'><joint type='slide' axis='1 0 0' stiffness='60'/>"
                  "<joint type='slide' axis='0 0 1'/><geom type='box' size='.05 .05 .05' mass='1'/>"
                  "</body></worldbody>"),
    .seconds = 1.0,
    .step = 0.01,
    .slip_speed = 1e-4,
};

const accuracy_scene RIG_BOUNCE = {
    .name = "bounce",
    .text =
        SCENE(GRAVITY "<default><geom friction='0.3' dp:stiffness='2e4' dp:damping='10'/></default>"
                      "<worldbody>" FLOOR "<body pos='0 0 0.1'><freejoint/>"
                      "<geom type='sphere' size='.05' mass='1'/></body></worldbody>"
                      "<keyframe><key qpos='0 0 .1 1 0 0 0' qvel='1 0 0 0 0 0'/></keyframe>"),
    .seconds = 0.5,
    .step = 0.01,
    .slip_speed = 1e-4,
};

mechanism accuracy_scene_load(const accuracy_scene *scene)
{
    dp_spec *spec;
    assert_ok(dp_mjcf_parse(&spec, NULL, scene->text, strlen(scene->text), scene->name, NULL));
    mechanism x = mechanism_from(spec);
    if (dp_model_sizes(x.m)->nkey > 0) {
        assert_ok(dp_data_reset_to_key(x.d, (dp_key_id){0}));
    }
    if (scene->slip_speed > 0.0) {
        dp_data_options(x.d)->solver.friction.slip_speed = scene->slip_speed;
    }
    return x;
}

void accuracy_run_make(accuracy_run *out, const accuracy_scene *scene, rig_method how)
{
    mechanism x = accuracy_scene_load(scene);
    const int divide = how.divide > 0 ? how.divide : 1;
    dp_options *o = dp_data_options(x.d);
    o->solver.law = how.law;
    o->integrator = how.by;
    o->step = scene->step / divide;
    o->accuracy = how.accuracy;
    o->relative_tolerance = o->absolute_tolerance = 1e-11;
    o->max_substeps = 10000000;
    *out = (accuracy_run){.steps = (int)lround(scene->seconds / scene->step),
                          .nq = dp_model_sizes(x.m)->nq,
                          .nv = dp_model_sizes(x.m)->nv};
    assert_true(out->steps <= RIG_STEPS && out->nq <= RIG_NUMBERS);
    for (int i = 0; i < out->steps; ++i) {
        for (int k = 0; k < divide; ++k) {
            mechanism_steps(&x, 1);
            out->parts += dp_data_report(x.d)->work.substeps;
        }
        memcpy(out->q[i], dp_data_q(x.d), (size_t)out->nq * sizeof(double));
        memcpy(out->v[i], dp_data_v(x.d), (size_t)out->nv * sizeof(double));
    }
    mechanism_end(&x);
}

static double distance(const double (*a)[RIG_NUMBERS], const double (*b)[RIG_NUMBERS], int steps,
                       int n)
{
    double worst = 0.0;
    for (int i = 0; i < steps; ++i) {
        for (int k = 0; k < n; ++k) {
            worst = fmax(worst, fabs(a[i][k] - b[i][k]));
        }
    }
    return worst;
}

double accuracy_run_distance_q(const accuracy_run *a, const accuracy_run *b)
{
    return distance(a->q, b->q, a->steps, a->nq);
}

double accuracy_run_distance_v(const accuracy_run *a, const accuracy_run *b)
{
    return distance(a->v, b->v, a->steps, a->nv);
}

void assert_accuracies_met(const accuracy_scene *scene, rig_method how,
                           const accuracy_run *reference, double least)
{
    static accuracy_run run;
    for (int i = 3; pow(10.0, -i) > 0.9 * least; ++i) {
        how.accuracy = pow(10.0, -i);
        accuracy_run_make(&run, scene, how);
        const double q = accuracy_run_distance_q(&run, reference) / how.accuracy;
        const double v = accuracy_run_distance_v(&run, reference) / how.accuracy;
        print_message(
            "%s, law %d, accuracy %.0e: error over asked %.2g of q, %.2g of v, %ld parts\n",
            scene->name, (int)how.law, how.accuracy, q, v, run.parts);
        assert_true(q <= 10.0 && v <= 10.0);
        assert_true(fmax(q, v) >= 1e-3);
    }
}
