#include "warnings.h"

#include "scene.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct teller {
    void (*tell)(void *context, const char *warning);
    void *context;
} teller;

static void warn(const teller *to, const char *format, ...) DP_PRINTF(2, 3);

static void warn(const teller *to, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    to->tell(to->context, text);
}

static void look_at_masses(const teller *to, const dp_model *m)
{
    const double large_ratio = 1e6; // beyond, round-off of the heavy body drowns the light one
    const int nbody = dp_model_sizes(m)->nbody;
    int lightest = -1, heaviest = -1;
    for (int b = 1; b < nbody; ++b) {
        const dp_body_info body = dp_model_body(m, (dp_body_id){b});
        if (body.tree < 0 || body.inertial.mass <= 0.0) {
            continue;
        }
        if (lightest < 0 ||
            body.inertial.mass < dp_model_body(m, (dp_body_id){lightest}).inertial.mass) {
            lightest = b;
        }
        if (heaviest < 0 ||
            body.inertial.mass > dp_model_body(m, (dp_body_id){heaviest}).inertial.mass) {
            heaviest = b;
        }
    }
    if (lightest < 0) {
        return;
    }
    const dp_body_info light = dp_model_body(m, (dp_body_id){lightest});
    const dp_body_info heavy = dp_model_body(m, (dp_body_id){heaviest});
    if (heavy.inertial.mass > large_ratio * light.inertial.mass) {
        char a[16], b[16];
        warn(to, "body '%s' (%.3g kg) is %.1g times heavier than body '%s' (%.3g kg)",
             cli_label(a, heavy.name, heaviest), heavy.inertial.mass,
             heavy.inertial.mass / light.inertial.mass, cli_label(b, light.name, lightest),
             light.inertial.mass);
    }
}

// What acts on one coordinate explicitly, and the inertia that it acts on.
typedef struct coordinate {
    double stiffness, damping;
    double inertia;
} coordinate;

// The inertia that a force along one coordinate feels, all others free: 1/(M⁻¹)ᵢᵢ.
static bool felt_inertia(coordinate *c, const dp_model *m, dp_data *d)
{
    const int nv = dp_model_sizes(m)->nv;
    double *x = calloc((size_t)nv + 1, sizeof *x);
    bool fine = x != NULL;
    for (int i = 0; i < nv && fine; ++i) {
        for (int k = 0; k < nv; ++k) {
            x[k] = k == i ? 1.0 : 0.0;
        }
        fine = dp_mass_solve(x, m, d, x) == DP_OK;
        c[i].inertia = x[i] > 0.0 ? 1.0 / x[i] : INFINITY;
    }
    free(x);
    return fine;
}

// Servos whose force grows with the error; `semi-implicit` takes those on hinges and slides
// implicitly.
static void add_servos(coordinate *c, dp_spec *spec, const dp_model *m, dp_integrator integrator)
{
    for (int a = 0; a < dp_model_sizes(m)->nactuator; ++a) {
        const dp_actuator_spec *actuator = dp_spec_actuator(spec, (dp_actuator_id){a});
        const dp_joint_info joint =
            dp_model_joint(m, dp_model_actuator(m, (dp_actuator_id){a}).joint);
        if (!actuator || (integrator == DP_SEMI_IMPLICIT && joint.nv == 1)) {
            continue;
        }
        for (int i = 0; i < joint.nv; ++i) {
            const double gear2 = actuator->gear[i] * actuator->gear[i];
            c[joint.v_index + i].stiffness += fmax(0.0, -actuator->bias[1]) * gear2;
            c[joint.v_index + i].damping += fmax(0.0, -actuator->bias[2]) * gear2;
        }
    }
}

static void add_joints(coordinate *c, const dp_model *m, const dp_options *options)
{
    for (int j = 0; j < dp_model_sizes(m)->njoint; ++j) {
        const dp_joint_info joint = dp_model_joint(m, (dp_joint_id){j});
        for (int i = 0; i < joint.nv; ++i) {
            c[joint.v_index + i].stiffness += options->disable_springs ? 0.0 : joint.stiffness;
            c[joint.v_index + i].damping += options->disable_dampers ? 0.0 : joint.damping;
        }
    }
}

// A spring k or damper b taken explicitly on the inertia m makes the motion grow when h √(k/m) or h
// b/m exceeds 2 (semi-implicit) or about 2.8 (rk4).
static void look_at_stiffness(const teller *to, const coordinate *c, const dp_model *m,
                              const dp_options *options)
{
    const double limit = options->integrator == DP_RK4 ? 2.8 : 2.0;
    for (int j = 0; j < dp_model_sizes(m)->njoint; ++j) {
        const dp_joint_info joint = dp_model_joint(m, (dp_joint_id){j});
        double rate = 0.0;
        for (int i = joint.v_index; i < joint.v_index + joint.nv; ++i) {
            const double felt = c[i].inertia;
            rate = fmax(rate, fmax(sqrt(c[i].stiffness / felt), c[i].damping / felt));
        }
        if (rate * options->step > limit) {
            char number[16];
            warn(to,
                 "joint '%s' with its actuators is too stiff for %s at a step of %g s: unstable "
                 "above "
                 "about %.2g s",
                 cli_label(number, joint.name, j), cli_integrator_name(options->integrator),
                 options->step, limit / rate);
        }
    }
}

static void look_at_actuators(const teller *to, dp_spec *spec, const dp_model *m, double h)
{
    char number[16];
    for (int a = 0; a < dp_model_sizes(m)->nactuator; ++a) {
        const dp_actuator_spec *actuator = dp_spec_actuator(spec, (dp_actuator_id){a});
        if (!actuator) {
            continue;
        }
        const char *label = cli_label(number, actuator->name ? actuator->name : "", a);
        if (actuator->bias[1] > 0.0 || actuator->bias[2] > 0.0) {
            warn(to, "actuator '%s' has negative %s: it drives away from rest", label,
                 actuator->bias[1] > 0.0 ? "stiffness" : "damping");
        }
        if (actuator->dynamics == DP_DYNAMICS_FILTER && actuator->time_constant < h) {
            warn(to, "actuator '%s' has a filter of %.3g s, faster than the step of %g s", label,
                 actuator->time_constant, h);
        }
    }
}

static void look_at_joints(const teller *to, const dp_model *m, const dp_options *options)
{
    const dp_model_size *size = dp_model_sizes(m);
    bool damped = false;
    int unnamed = 0;
    for (int j = 0; j < size->njoint; ++j) {
        const dp_joint_info joint = dp_model_joint(m, (dp_joint_id){j});
        damped = damped || joint.damping > 0.0;
        unnamed += joint.name[0] == '\0' ? 1 : 0;
    }
    if (size->nv == 0) {
        warn(to, "nothing moves: no body has a joint");
    } else if (!damped || options->disable_dampers) {
        warn(to, "no joint is damped: the motion will not come to rest");
    }
    if (unnamed > 0) {
        warn(to, "%d of %d joints without a name: channels use their numbers", unnamed,
             size->njoint);
    }
}

void cli_warnings(dp_spec *spec, const dp_model *m, dp_data *d,
                  void (*tell)(void *context, const char *warning), void *context)
{
    const teller to = {tell, context};
    const dp_options *options = dp_data_options(d);
    look_at_joints(&to, m, options);
    look_at_masses(&to, m);
    if (!options->disable_actuation) {
        look_at_actuators(&to, spec, m, options->step);
    }
    if (options->integrator == DP_RK45) {
        return; // its substeps take care of stiffness
    }
    const int nv = dp_model_sizes(m)->nv;
    coordinate *c = calloc((size_t)nv + 1, sizeof *c);
    if (c && dp_kinematics(m, d) == DP_OK && felt_inertia(c, m, d)) {
        if (options->integrator == DP_RK4) {
            add_joints(c, m, options);
        }
        if (!options->disable_actuation) {
            add_servos(c, spec, m, options->integrator);
        }
        look_at_stiffness(&to, c, m, options);
    } else {
        warn(&to, "the inertia matrix could not be examined: %s", dp_last_error());
    }
    free(c);
}
