// Actuators that ask for trouble, and what is too stiff for the step.
#include "common/element_names.h"
#include "common/scene.h"
#include "report/warnings.h"

#include <math.h>
#include <stdlib.h>

// --- actuators ----------------------------------------------------------------------------------

// A servo for positions on a joint that nothing brings to rest.
static bool rings(const dp_actuator_spec *actuator, const dp_joint_info *joint,
                  const dp_options *options)
{
    return actuator->bias[1] < 0.0 && actuator->bias[2] == 0.0 && actuator->gain[2] == 0.0 &&
           (joint->damping == 0.0 || options->disable_dampers);
}

// Is there another actuator that brings the joint to rest?
static bool damped_by_another(dp_spec *spec, const dp_model *m, int joint)
{
    for (int a = 0; a < dp_model_sizes(m)->nactuator; ++a) {
        const dp_actuator_info info = dp_model_actuator(m, (dp_actuator_id){a});
        if (info.transmission == DP_TRANSMISSION_JOINT && info.joint.index == joint &&
            dp_spec_actuator(spec, (dp_actuator_id){a})->bias[2] < 0.0) {
            return true;
        }
    }
    return false;
}

static void look_at_actuators(cli_warning_list *list, dp_spec *spec, const dp_model *m,
                              const dp_options *options)
{
    const int nactuator = dp_model_sizes(m)->nactuator;
    int unbounded = 0;
    for (int a = 0; a < nactuator; ++a) {
        const dp_actuator_spec *actuator = dp_spec_actuator(spec, (dp_actuator_id){a});
        const dp_actuator_info info = dp_model_actuator(m, (dp_actuator_id){a});
        const dp_joint_info joint = dp_model_joint(m, info.joint);
        const cli_name name = cli_actuator_name(m, (dp_actuator_id){a});
        unbounded += actuator->control_limited || actuator->force_limited ? 0 : 1;
        if (actuator->bias[1] > 0.0 || actuator->bias[2] > 0.0) {
            cli_warn(list, "W-GAIN-SIGN", "%s has negative %s: it drives away from rest", name.text,
                     actuator->bias[1] > 0.0 ? "stiffness" : "damping");
        }
        if (actuator->dynamics == DP_ACTUATOR_DYNAMICS_FILTER &&
            actuator->time_constant < options->step) {
            cli_warn(list, "W-FILTER-FAST",
                     "%s has a filter of %.3g s, faster than the step of %g s", name.text,
                     actuator->time_constant, options->step);
        }
        if (info.transmission == DP_TRANSMISSION_JOINT && rings(actuator, &joint, options) &&
            !damped_by_another(spec, m, info.joint.index)) {
            cli_warn(list, "W-SERVO-UNDAMPED",
                     "%s holds %s by a spring, and nothing damps it: it will swing", name.text,
                     cli_joint_name(m, info.joint).text);
        }
    }
    if (unbounded > 0) {
        cli_warn(list, "N-CONTROL-RANGE",
                 "%d of %d actuators have neither a control range nor a force range", unbounded,
                 nactuator);
    }
}

// --- stiffness ----------------------------------------------------------------------------------

// What acts on one coordinate, and the inertia that it acts on.
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
        if (c[i].stiffness == 0.0 && c[i].damping == 0.0) {
            continue; // nobody asks
        }
        for (int k = 0; k < nv; ++k) {
            x[k] = k == i ? 1.0 : 0.0;
        }
        fine = dp_mass_solve(x, d, x) == DP_OK;
        c[i].inertia = x[i] > 0.0 ? 1.0 / x[i] : INFINITY;
    }
    free(x);
    return fine;
}

// Servos whose force grows with the error. `semi-implicit` takes those on hinges and slides
// implicitly, other integrators none.
static void add_servos(coordinate *c, dp_spec *spec, const dp_model *m, dp_integrator integrator,
                       bool implicit)
{
    for (int a = 0; a < dp_model_sizes(m)->nactuator; ++a) {
        const dp_actuator_spec *actuator = dp_spec_actuator(spec, (dp_actuator_id){a});
        const dp_actuator_info info = dp_model_actuator(m, (dp_actuator_id){a});
        const dp_joint_info joint = dp_model_joint(m, info.joint);
        if (info.transmission != DP_TRANSMISSION_JOINT ||
            (integrator == DP_INTEGRATOR_SEMI_IMPLICIT && joint.nv == 1) != implicit) {
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

// What the step takes explicitly, or what it takes implicitly, by coordinate; NULL: out of memory.
// *known: inertias were known.
static coordinate *find_coordinates(bool *known, dp_spec *spec, const dp_model *m, dp_data *d,
                                    bool implicit)
{
    const dp_options *options = dp_data_options(d);
    coordinate *c = calloc((size_t)dp_model_sizes(m)->nv + 1, sizeof *c);
    if (!c) {
        return NULL;
    }
    if ((options->integrator == DP_INTEGRATOR_SEMI_IMPLICIT) == implicit) {
        add_joints(c, m, options);
    }
    if (!options->disable_actuation) {
        add_servos(c, spec, m, options->integrator, implicit);
    }
    *known = dp_kinematics(d) == DP_OK && felt_inertia(c, m, d);
    return c;
}

// A spring k or damper b taken explicitly on the inertia m makes the motion grow when h √(k/m) or h
// b/m exceeds 2 (semi-implicit) or about 2.8 (rk4).
static void look_at_stiffness(cli_warning_list *list, const coordinate *c, const dp_model *m,
                              const dp_options *options)
{
    const double limit = options->integrator == DP_INTEGRATOR_RK4 ? 2.8 : 2.0;
    for (int j = 0; j < dp_model_sizes(m)->njoint; ++j) {
        const dp_joint_info joint = dp_model_joint(m, (dp_joint_id){j});
        double rate = 0.0;
        for (int i = joint.v_index; i < joint.v_index + joint.nv; ++i) {
            if (c[i].stiffness > 0.0 || c[i].damping > 0.0) {
                const double felt = c[i].inertia;
                rate = fmax(rate, fmax(sqrt(c[i].stiffness / felt), c[i].damping / felt));
            }
        }
        if (rate * options->step > limit) {
            cli_warn(list, "W-STIFF",
                     "%s with its actuators is too stiff for %s at a step of %g s: unstable above "
                     "about %.2g s",
                     cli_joint_name(m, (dp_joint_id){j}).text,
                     dp_integrator_name(options->integrator), options->step, limit / rate);
        }
    }
}

// The shortest period of a joint that swings by its springs and servos [s]; 0: it does not. With
// more than critical damping, b ≥ 2 √(k m), nothing swings.
static double shortest_period(const coordinate *c, const dp_joint_info *joint)
{
    const double turn = 6.283185307179586;
    double shortest = 0.0;
    for (int i = joint->v_index; i < joint->v_index + joint->nv; ++i) {
        if (c[i].stiffness > 0.0 && isfinite(c[i].inertia) &&
            c[i].damping < 2.0 * sqrt(c[i].stiffness * c[i].inertia)) {
            const double period = turn * sqrt(c[i].inertia / c[i].stiffness);
            shortest = shortest == 0.0 ? period : fmin(shortest, period);
        }
    }
    return shortest;
}

// Taken implicitly, an oscillation of rate ω loses the factor √(1 + (hω)²) in each step: nearly all
// of itself in a period of 10 steps, a third in one of 50.
static void look_at_periods(cli_warning_list *list, const coordinate *c, const dp_model *m,
                            const dp_options *options)
{
    const double few = 10.0, enough = 50.0; // steps in a period
    for (int j = 0; j < dp_model_sizes(m)->njoint; ++j) {
        const dp_joint_info joint = dp_model_joint(m, (dp_joint_id){j});
        const double period = shortest_period(c, &joint);
        if (period > 0.0 && period < few * options->step) {
            cli_warn(list, "N-UNRESOLVED",
                     "%s swings with a period of %.2g s: the step of %g s damps this oscillation; "
                     "it does not blow up; use --step %.1g to resolve it",
                     cli_joint_name(m, (dp_joint_id){j}).text, period, options->step,
                     period / enough);
        }
    }
}

void cli_look_at_periods(cli_warning_list *list, dp_spec *spec, const dp_model *m, dp_data *d)
{
    const int most = 2000; // degrees of freedom: time grows with the square, 0.4 s for so many
    bool known = false;
    if (dp_data_options(d)->integrator != DP_INTEGRATOR_SEMI_IMPLICIT ||
        dp_model_sizes(m)->nv > most) {
        return;
    }
    coordinate *c = find_coordinates(&known, spec, m, d, true);
    list->failed = list->failed || !c;
    if (c && known) {
        look_at_periods(list, c, m, dp_data_options(d));
    }
    free(c);
}

void cli_look_at_drives(cli_warning_list *list, dp_spec *spec, const dp_model *m, dp_data *d)
{
    const dp_options *options = dp_data_options(d);
    if (!options->disable_actuation) {
        look_at_actuators(list, spec, m, options);
    }
    if (options->integrator == DP_INTEGRATOR_RK45) {
        return; // its substeps take care of stiffness
    }
    bool known = false;
    coordinate *c = find_coordinates(&known, spec, m, d, false);
    list->failed = list->failed || !c;
    if (c && known) {
        look_at_stiffness(list, c, m, options);
    } else if (c) {
        cli_warn(list, "W-UNEXAMINED", "the inertia matrix could not be examined: %s",
                 dp_last_error());
    }
    free(c);
    cli_look_at_periods(list, spec, m, d);
}
