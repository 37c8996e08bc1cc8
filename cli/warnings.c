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

// The inertia that a force along one coordinate feels, all others free: 1/(M⁻¹)ᵢᵢ.
static bool felt_inertia(double *inertia, const dp_model *m, dp_data *d)
{
    const int nv = dp_model_sizes(m)->nv;
    double *x = calloc((size_t)nv + 1, sizeof *x);
    bool fine = x != NULL;
    for (int i = 0; i < nv && fine; ++i) {
        for (int k = 0; k < nv; ++k) {
            x[k] = k == i ? 1.0 : 0.0;
        }
        fine = dp_mass_solve(x, m, d, x) == DP_OK;
        inertia[i] = x[i] > 0.0 ? 1.0 / x[i] : 0.0;
    }
    free(x);
    return fine;
}

// An explicit spring of stiffness k on the inertia m grows when h √(k/m) > 2, an explicit damper b
// when h b/m > 2 (semi-implicit Euler). A margin of two is left to motion and coupling.
static void look_at_actuators(const teller *to, dp_spec *spec, const dp_model *m,
                              const double *inertia, double h)
{
    const double limit = 1.0;
    char number[16];
    for (int a = 0; a < dp_model_sizes(m)->nactuator; ++a) {
        const dp_actuator_spec *actuator = dp_spec_actuator(spec, (dp_actuator_id){a});
        const dp_joint_info joint =
            dp_model_joint(m, dp_model_actuator(m, (dp_actuator_id){a}).joint);
        if (!actuator || (joint.kind != DP_HINGE && joint.kind != DP_SLIDE)) {
            continue;
        }
        const double gear2 = actuator->gear[0] * actuator->gear[0];
        const double k = -actuator->bias[1] * gear2, b = -actuator->bias[2] * gear2;
        const double felt = inertia[joint.v_index];
        const char *label = cli_label(number, actuator->name ? actuator->name : "", a);
        if (k > 0.0 && h * sqrt(k / felt) > limit) {
            warn(to,
                 "actuator '%s' has stiffness %.3g on an inertia of %.3g: unstable for steps above "
                 "about %.2g s (the step is %g s)",
                 label, k, felt, limit * sqrt(felt / k), h);
        }
        if (b > 0.0 && h * b / felt > limit) {
            warn(to,
                 "actuator '%s' has damping %.3g on an inertia of %.3g: unstable for steps above "
                 "about %.2g s (the step is %g s)",
                 label, b, felt, limit * felt / b, h);
        }
        if (k < 0.0 || b < 0.0) {
            warn(to, "actuator '%s' has negative %s: it pushes away from rest", label,
                 k < 0.0 ? "stiffness" : "damping");
        }
    }
}

// RK4 takes springs and dampers explicitly too; its limits are h ω < 2.83 and h b/m < 2.79.
static void look_at_explicit_joints(const teller *to, const dp_model *m, const double *inertia,
                                    double h)
{
    const double limit = 2.0;
    char number[16];
    for (int j = 0; j < dp_model_sizes(m)->njoint; ++j) {
        const dp_joint_info joint = dp_model_joint(m, (dp_joint_id){j});
        for (int i = 0; i < joint.nv; ++i) {
            const double felt = inertia[joint.v_index + i];
            const double rate = fmax(sqrt(joint.stiffness / felt), joint.damping / felt);
            if (h * rate > limit) {
                warn(to,
                     "joint '%s' is too stiff for rk4 at this step (use semi-implicit, or a step "
                     "below %.2g s)",
                     cli_label(number, joint.name, j), limit / rate);
                break;
            }
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
        warn(to, "%d of %d joints have no name: channels use their numbers", unnamed, size->njoint);
    }
}

void cli_warnings(dp_spec *spec, const dp_model *m, dp_data *d,
                  void (*tell)(void *context, const char *warning), void *context)
{
    const teller to = {tell, context};
    const dp_options *options = dp_data_options(d);
    look_at_joints(&to, m, options);
    look_at_masses(&to, m);
    const int nv = dp_model_sizes(m)->nv;
    double *inertia = calloc((size_t)nv + 1, sizeof *inertia);
    if (inertia && dp_kinematics(m, d) == DP_OK && felt_inertia(inertia, m, d)) {
        if (!options->disable_actuation) {
            look_at_actuators(&to, spec, m, inertia, options->step);
        }
        if (options->integrator == DP_RK4) {
            look_at_explicit_joints(&to, m, inertia, options->step);
        }
    } else {
        warn(&to, "the inertia matrix could not be examined: %s", dp_last_error());
    }
    free(inertia);
}
