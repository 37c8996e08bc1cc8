// A parameter that is set against a model that was compiled with that value: bit for bit.
#include "mechanism.h"

#include <dashpot/advanced/statics.h>
#include <dashpot/format.h>
#include <dashpot/parameters.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Numbers in $…$ are parameters: $name=value$. Everything that depends on inertia as described is
// there: springdamper, dampratio, solref of limits, contacts and equalities, restitution.
static const char SCENE[] =
    "<mujoco xmlns:dp='dashpot'><compiler angle='radian'/>"
    "<option timestep='0.002' gravity='0 0 $gravity.z=-9.81$'/>"
    "<worldbody>"
    "<geom name='floor' type='plane' size='5 5 0.1' friction='0.6 0.00002 0.00001'/>"
    "<body name='box' pos='0 0 0.11'><freejoint name='box'/>"
    "<inertial pos='$body.box.com.x=0.01$ 0 0.02' mass='$body.box.mass=2$'"
    " diaginertia='0.02 0.03 0.04'/>"
    "<geom name='box' type='box' size='0.1 0.1 0.1'"
    " friction='$geom.box.friction=0.8$ 0.01 0.001' dp:stiffness='$geom.box.stiffness=1e6$'"
    " dp:damping='$geom.box.damping=300$'/></body>"
    "<body name='ball' pos='0.05 0 0.312' gravcomp='$body.ball.gravity_compensation=0$'>"
    "<freejoint name='ball'/><geom name='ball' size='0.1' density='500'/></body>"
    "<body name='soft' pos='2 2 0.095'><freejoint name='soft'/>"
    "<geom name='soft' size='0.1' condim='6' solref='0.03 0.8'"
    " friction='1 $geom.soft.friction.torsional=0.0001$ "
    "$geom.soft.friction.rolling=0.0001$'/></body>"
    "<body name='drop' pos='3 3 0.101'><freejoint name='drop'/><geom name='drop' size='0.1'"
    " dp:restitution='$geom.drop.restitution=0.5$'/></body>"
    "<body name='arm' pos='0 1 1'>"
    "<joint name='shoulder' axis='0 1 0' damping='$joint.shoulder.damping=0.1$'"
    " stiffness='$joint.shoulder.stiffness=3$' springref='$joint.shoulder.spring_ref=0.2$'"
    " armature='$joint.shoulder.armature=0.02$'"
    " frictionloss='$joint.shoulder.friction_loss=0$' limited='true'"
    " range='-0.3 $joint.shoulder.range.upper=0.1$' solreflimit='0.02 1'/>"
    "<inertial pos='0.2 0 0' mass='1.5' diaginertia='0.01 0.02 0.02'/>"
    "<site name='low' pos='0.3 0 -0.05'/>"
    "<body name='fore' pos='0.4 0 0'>"
    "<joint name='elbow' axis='0 1 0' springdamper='0.1 1' limited='true' range='-0.4 1'"
    " solreflimit='0.03 0.9'/>"
    "<inertial pos='0.1 0 0' mass='$body.fore.mass=0.5$' diaginertia='0.002 0.003 0.003'/>"
    "<site name='tip' pos='0.2 0 0'/></body></body>"
    "<body name='turner' pos='-1 0 1'>"
    "<joint name='turn' axis='1 0 0' damping='$joint.turn.damping=0.05$'/>"
    "<inertial pos='0 0.1 0' mass='1' fullinertia='$body.turner.inertia.xx=0.02$"
    " $body.turner.inertia.yy=0.03$ $body.turner.inertia.zz=0.025$ $body.turner.inertia.xy=0.001$"
    " $body.turner.inertia.xz=-0.002$ $body.turner.inertia.yz=0.003$'/>"
    "<site name='eye' pos='0 0.2 0'/></body>"
    "<body name='cart' pos='-1 2 0.5'>"
    "<joint name='rail' type='slide' axis='1 0 0' frictionloss='$joint.rail.friction_loss=0.5$'/>"
    "<inertial pos='0 0 0' mass='1' diaginertia='0.01 0.01 0.01'/></body>"
    "</worldbody>"
    "<contact><pair name='given' geom1='ball' geom2='box'"
    " friction='$pair.given.friction=0.4$ $pair.given.friction=0.4$ 0.005 0.001 0.001'/></contact>"
    "<tendon>"
    "<spatial name='cord' stiffness='$tendon.cord.stiffness=40$'"
    " damping='$tendon.cord.damping=0.3$' frictionloss='$tendon.cord.friction_loss=0$'"
    " armature='$tendon.cord.armature=0$' springlength='$tendon.cord.rest_length=-1$'>"
    "<site site='tip'/><site site='eye'/></spatial>"
    "<fixed name='sum' limited='true' range='-0.5 $tendon.sum.range.upper=0.05$'>"
    "<joint joint='turn' coef='1'/><joint joint='elbow' coef='0.5'/></fixed></tendon>"
    "<equality><joint joint1='rail' joint2='turn' polycoef='0 0.3 0 0 0' solref='0.03 1'/>"
    "</equality>"
    "<actuator>"
    "<position name='servo' joint='shoulder' kp='$actuator.servo.kp=20$'"
    " kv='$actuator.servo.kv=1$' forcelimited='true'"
    " forcerange='-2 $actuator.servo.force_range.upper=2$'/>"
    "<position name='critical' joint='elbow' kp='$actuator.critical.kp=5$' dampratio='1'/>"
    "<motor name='motor' joint='turn' gear='$actuator.motor.gear=1.5$'/>"
    "<general name='lag' joint='rail' dyntype='filter' dynprm='$actuator.lag.time_constant=0.05$'"
    " gainprm='$actuator.lag.gain=3$'/>"
    "</actuator>"
    "<sensor><accelerometer site='tip'/><tendonpos tendon='cord'/><touch site='eye'/></sensor>"
    "</mujoco>";

// The scene with one value, or several, changed. NULL: none.
typedef struct change {
    const char *name;
    double value;
} change;

static char *scene_with(const change *list, int count)
{
    char *text = malloc(sizeof SCENE + 1024), *out = text;
    assert_non_null(text);
    const char *in = SCENE;
    while (*in) {
        if (*in != '$') {
            *out++ = *in++;
            continue;
        }
        const char *equals = strchr(in, '='), *end = strchr(in + 1, '$');
        const size_t name = (size_t)(equals - in - 1);
        const change *found = NULL;
        for (int i = 0; i < count; ++i) {
            const bool same =
                strlen(list[i].name) == name && strncmp(list[i].name, in + 1, name) == 0;
            found = same ? &list[i] : found;
        }
        out += found ? sprintf(out, "%.17g", found->value)
                     : sprintf(out, "%.*s", (int)(end - equals - 1), equals + 1);
        in = end + 1;
    }
    *out = '\0';
    return text;
}

static dp_model *model_with(const change *list, int count)
{
    char *text = scene_with(list, count);
    dp_spec *spec;
    dp_model *m;
    assert_ok(dp_mjcf_parse(&spec, NULL, text, strlen(text), "scene.xml", NULL));
    assert_ok(dp_model_compile(&m, spec));
    dp_spec_destroy(spec);
    free(text);
    return m;
}

static void push_off(dp_data *d)
{
    for (int k = 0; k < dp_model_sizes(dp_data_model(d))->nv; ++k) {
        dp_data_v(d)[k] = -0.5 * sin(1.0 + k);
    }
}

static dp_data *data_of(const dp_model *m, const char *law)
{
    dp_data *d;
    assert_ok(dp_data_create(&d, m, NULL));
    assert_ok(dp_options_set(dp_data_options(d), "law", law));
    push_off(d);
    return d;
}

static dp_parameter_id parameter(const dp_model *m, const char *name)
{
    dp_parameter_id out;
    assert_ok(dp_model_find_parameter(&out, m, name));
    return out;
}

static void set_all(dp_data *d, const change *list, int count)
{
    dp_parameter_id id[8] = {{0}};
    double value[8] = {0.0};
    for (int i = 0; i < count; ++i) {
        id[i] = parameter(dp_data_model(d), list[i].name);
        value[i] = list[i].value;
    }
    assert_ok(dp_data_set_parameters(d, count, id, value));
    for (int i = 0; i < count; ++i) {
        assert_true(dp_data_parameter(d, id[i]) == value[i]);
    }
}

// Everything that two simulations compute at one moment.
static void assert_equal_moments(dp_data *a, dp_data *b)
{
    const dp_model_size *n = dp_model_sizes(dp_data_model(a));
    const size_t nv = (size_t)n->nv;
    double *of[2][4];
    dp_data *d[2] = {a, b};
    for (int i = 0; i < 2; ++i) {
        for (int k = 0; k < 4; ++k) {
            of[i][k] = calloc(nv * nv, sizeof(double));
            assert_non_null(of[i][k]);
        }
        assert_ok(dp_sense(d[i]));
        assert_ok(dp_mass_matrix(of[i][0], d[i]));
        assert_ok(dp_bias_force(of[i][1], d[i]));
        memcpy(of[i][2], dp_data_acceleration(d[i]), nv * sizeof(double));
        assert_ok(dp_forward_dynamics(of[i][3], d[i], of[i][1]));
    }
    for (int k = 0; k < 4; ++k) {
        assert_memory_equal(of[0][k], of[1][k], nv * nv * sizeof(double));
        free(of[0][k]);
        free(of[1][k]);
    }
    assert_memory_equal(dp_data_sensors(a), dp_data_sensors(b),
                        (size_t)n->nsensordata * sizeof(double));
    const dp_energy ea = dp_data_energy(a), eb = dp_data_energy(b);
    assert_memory_equal(&ea, &eb, sizeof ea);
}

static void assert_equal_certificates(const dp_data *a, const dp_data *b)
{
    const dp_step_report *ra = dp_data_report(a), *rb = dp_data_report(b);
    assert_true(ra->residual == rb->residual);
    assert_true(ra->certificate.momentum == rb->certificate.momentum);
    assert_true(ra->certificate.creep == rb->certificate.creep);
    assert_int_equal(ra->work.iterations, rb->work.iterations);
}

static void assert_equal_statics(const dp_data *a, const dp_data *b)
{
    dp_statics *s[2];
    assert_ok(dp_statics_create(&s[0], a, NULL, NULL));
    assert_ok(dp_statics_create(&s[1], b, NULL, NULL));
    assert_int_equal(dp_statics_count(s[0]), dp_statics_count(s[1]));
    for (int i = 0; i < dp_statics_count(s[0]); ++i) {
        assert_true(dp_statics_reaction(s[0], i)->least_norm ==
                    dp_statics_reaction(s[1], i)->least_norm);
    }
    dp_statics_destroy(s[0]);
    dp_statics_destroy(s[1]);
}

static void control(dp_data *d, int step)
{
    for (int u = 0; u < dp_model_sizes(dp_data_model(d))->nu; ++u) {
        dp_data_control(d)[u] = 0.3 * sin(0.1 * step + u);
    }
}

enum { STEPS = 60 };

static void compare(const dp_model *base, const change *list, int count, const char *law)
{
    dp_model *compiled = model_with(list, count);
    dp_data *a = data_of(base, law), *b = data_of(compiled, law), *without = data_of(base, law);
    set_all(a, list, count);
    assert_equal_moments(a, b);
    for (int k = 0; k < STEPS; ++k) {
        control(a, k);
        control(b, k);
        control(without, k);
        assert_ok(dp_step(a));
        assert_ok(dp_step(b));
        assert_ok(dp_step(without));
        assert_true(dp_state_hash(a) == dp_state_hash(b));
    }
    assert_true(dp_state_hash(a) != dp_state_hash(without));
    assert_equal_certificates(a, b);
    assert_equal_moments(a, b);
    assert_equal_statics(a, b);
    dp_data_destroy(a);
    dp_data_destroy(b);
    dp_data_destroy(without);
    dp_model_destroy(compiled);
}

static const change ONE_BY_ONE[] = {
    {"body.box.mass", 3.25},
    {"body.box.com.x", -0.03},
    {"body.ball.gravity_compensation", 0.9},
    {"body.fore.mass", 0.125},
    {"geom.box.friction", 0.1},
    {"geom.box.stiffness", 2.5e5},
    {"geom.box.damping", 50.0},
    {"geom.drop.restitution", 0.9},
    {"geom.soft.friction.torsional", 0.02},
    {"geom.soft.friction.rolling", 0.01},
    {"joint.shoulder.damping", 2.0},
    {"joint.shoulder.stiffness", 0.0},
    {"joint.shoulder.spring_ref", -0.5},
    {"joint.shoulder.armature", 0.5},
    {"joint.shoulder.friction_loss", 0.7}, // a row that the model does not have
    {"joint.rail.friction_loss", 0.0},     // and one that it has
    {"joint.shoulder.range.upper", 0.02},
    {"joint.turn.damping", 0.0},
    {"pair.given.friction", 0.9},
    {"tendon.cord.stiffness", 100.0},
    {"tendon.cord.stiffness", 0.0},
    {"tendon.cord.damping", 0.0},
    {"tendon.cord.friction_loss", 0.4},
    {"tendon.cord.armature", 0.3},
    {"tendon.cord.rest_length", 0.7},
    {"tendon.sum.range.upper", -0.1},
    {"actuator.servo.kp", 60.0},
    {"actuator.servo.kp", 0.0},
    {"actuator.servo.kv", 4.0},
    {"actuator.servo.force_range.upper", 0.5},
    {"actuator.critical.kp", 12.0}, // its damping follows
    {"actuator.motor.gear", -2.0},
    {"actuator.lag.gain", 7.0},
    {"actuator.lag.time_constant", 0.2},
    {"gravity.z", -1.62},
};
enum { SINGLE = sizeof ONE_BY_ONE / sizeof *ONE_BY_ONE };

static void a_parameter_acts_as_in_a_model_compiled_with_it(void **state)
{
    (void)state;
    dp_model *base = model_with(NULL, 0);
    for (int i = 0; i < SINGLE; ++i) {
        print_message("%s = %g\n", ONE_BY_ONE[i].name, ONE_BY_ONE[i].value);
        compare(base, &ONE_BY_ONE[i], 1, "compliant");
    }
    dp_model_destroy(base);
}

static void so_do_parameters_under_rigid_laws(void **state)
{
    (void)state;
    static const char *const law[] = {"ncp", "lcp", "tamsi"};
    static const int which[] = {0, 4, 7, 14, 20, 23, 30};
    dp_model *base = model_with(NULL, 0);
    for (int l = 0; l < 3; ++l) {
        for (int i = 0; i < 7; ++i) {
            compare(base, &ONE_BY_ONE[which[i]], 1, law[l]);
        }
    }
    dp_model_destroy(base);
}

static void an_inertia_is_set_as_a_whole(void **state)
{
    (void)state;
    static const change whole[] = {
        {"body.turner.inertia.xx", 0.05}, {"body.turner.inertia.yy", 0.04},
        {"body.turner.inertia.zz", 0.06}, {"body.turner.inertia.xy", -0.004},
        {"body.turner.inertia.xz", 0.0},  {"body.turner.inertia.yz", 0.007}};
    dp_model *base = model_with(NULL, 0);
    compare(base, whole, 6, "compliant");
    dp_model_destroy(base);
}

static mechanism swimmer(double mass, double inertia)
{
    char text[400];
    snprintf(
        text, sizeof text,
        "<mujoco><option density='900' viscosity='0.1'/><worldbody><body name='fish'>"
        "<freejoint/><inertial pos='0 0 0.1' mass='%.17g' fullinertia='%.17g 0.03 0.04 0 0 0'/>"
        "</body></worldbody></mujoco>",
        mass, inertia);
    dp_spec *spec;
    assert_ok(dp_mjcf_parse(&spec, NULL, text, strlen(text), "fish.xml", NULL));
    return mechanism_from(spec);
}

static void the_box_that_a_fluid_sees_follows_the_inertia(void **state)
{
    (void)state;
    mechanism a = swimmer(2.0, 0.02), b = swimmer(3.0, 0.025);
    const change list[] = {{"body.fish.mass", 3.0}, {"body.fish.inertia.xx", 0.025}};
    set_all(a.d, list, 2);
    for (int i = 0; i < 6; ++i) {
        dp_data_v(a.d)[i] = dp_data_v(b.d)[i] = 0.5 - 0.3 * i;
    }
    mechanism_steps(&a, 50);
    mechanism_steps(&b, 50);
    for (int i = 0; i < 6; ++i) { // five of the six numbers of the inertia are read back
        assert_near(dp_data_v(a.d)[i], dp_data_v(b.d)[i], 1e-12);
    }
    assert_true(fabs(dp_data_v(a.d)[0]) < 0.4); // of 0.5 m/s
    mechanism_end(&a);
    mechanism_end(&b);
}

static void what_was_set_before_leaves_no_trace(void **state)
{
    (void)state;
    dp_model *base = model_with(NULL, 0);
    for (int i = 0; i < SINGLE; ++i) {
        dp_data *a = data_of(base, "compliant"), *b = data_of(base, "compliant");
        const change *other = &ONE_BY_ONE[(i + 7) % SINGLE];
        set_all(a, &ONE_BY_ONE[i], 1);
        assert_ok(dp_step(a));
        assert_ok(dp_data_reset_parameters(a));
        dp_data_reset(a);
        push_off(a);
        set_all(a, other, 1);
        set_all(b, other, 1);
        for (int k = 0; k < 10; ++k) {
            assert_ok(dp_step(a));
            assert_ok(dp_step(b));
            assert_true(dp_state_hash(a) == dp_state_hash(b));
        }
        dp_data_destroy(a);
        dp_data_destroy(b);
    }
    dp_model_destroy(base);
}

static void a_copy_has_the_parameters_and_the_model_does_not(void **state)
{
    (void)state;
    dp_model *base = model_with(NULL, 0);
    dp_data *a = data_of(base, "compliant"), *b = data_of(base, "compliant");
    dp_data *untouched = data_of(base, "compliant"), *fresh = data_of(base, "compliant");
    set_all(a, &ONE_BY_ONE[14], 1);
    set_all(a, &ONE_BY_ONE[0], 1);
    assert_ok(dp_step(a));
    assert_ok(dp_data_copy(b, a));
    for (int k = 0; k < 20; ++k) {
        assert_ok(dp_step(a));
        assert_ok(dp_step(b));
        assert_true(dp_state_hash(a) == dp_state_hash(b));
    }
    assert_ptr_equal(dp_data_model(a), base);
    assert_true(dp_model_body(base, (dp_body_id){1}).inertial.mass == 2.0);
    assert_ok(dp_data_copy(a, untouched)); // and takes them away
    for (int k = 0; k < 20; ++k) {
        assert_ok(dp_step(a));
        assert_ok(dp_step(fresh));
        assert_true(dp_state_hash(a) == dp_state_hash(fresh));
    }
    dp_data_destroy(a);
    dp_data_destroy(b);
    dp_data_destroy(untouched);
    dp_data_destroy(fresh);
    dp_model_destroy(base);
}

static void a_parameter_may_change_between_steps(void **state)
{
    (void)state;
    dp_model *base = model_with(NULL, 0);
    dp_data *d = data_of(base, "compliant");
    const dp_parameter_id id = parameter(base, "body.box.mass");
    for (int k = 0; k < 50; ++k) {
        assert_ok(dp_data_set_parameter(d, id, 2.0 + 0.01 * k));
        assert_ok(dp_step(d));
        assert_true(dp_data_report(d)->unsolved == 0);
    }
    dp_data_destroy(d);
    dp_model_destroy(base);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_parameter_acts_as_in_a_model_compiled_with_it),
        cmocka_unit_test(so_do_parameters_under_rigid_laws),
        cmocka_unit_test(an_inertia_is_set_as_a_whole),
        cmocka_unit_test(the_box_that_a_fluid_sees_follows_the_inertia),
        cmocka_unit_test(what_was_set_before_leaves_no_trace),
        cmocka_unit_test(a_copy_has_the_parameters_and_the_model_does_not),
        cmocka_unit_test(a_parameter_may_change_between_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
