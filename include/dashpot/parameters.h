// Parameters: the numbers of a model by name, and values of their own for them in each simulation.
//
//     dp_parameter_id mass;
//     dp_model_find_parameter(&mass, model, "body.torso.mass");
//     dp_data_set_parameter(d, mass, 8.5);
//
// Which parameters a model has says model.h. A name is the kind of an element, its name (its number
// where it has none) and a quantity, as spec.h calls it: `body.torso.com.z`, `geom.floor.friction`,
// `joint.knee.damping`, `gravity.z`. docs/parameters.md lists them.
#ifndef DASHPOT_PARAMETERS_H
#define DASHPOT_PARAMETERS_H

#include <dashpot/sim.h>

DP_BEGIN_C

// Values in a simulation. They act in all that it computes, as a model does that was compiled with
// them, and nowhere else: models stay constant and may be shared. Like options they are settings
// and no part of the state: dp_data_copy takes them along, a reset leaves them, and dp_state_save,
// dp_state_restore and dp_state_hash know nothing of them. Not from a callback.

/// The value in force; 0 for a parameter that does not exist.
DP_API double dp_data_parameter(const dp_data *d, dp_parameter_id parameter);
/// Set one, or several at once: bounds are checked when all are set, so that the six numbers of an
/// inertia may be changed together. The first of them takes memory for a table of the model's
/// elements, and so does one that lets rows act which the model does not have (friction of a joint
/// that has none); the others take none. Sleepers wake. The impulses that the next step starts its
/// search from are forgotten where they do not fit.
/// @return DP_ERROR_ARGUMENT for a parameter that does not exist and a value that it cannot have,
///         DP_ERROR_MEMORY; nothing is changed
DP_API DP_NODISCARD dp_status dp_data_set_parameter(dp_data *d, dp_parameter_id parameter,
                                                    double value);
/// @param parameter, value count each; of a parameter that is named twice the last value counts
DP_API DP_NODISCARD dp_status dp_data_set_parameters(dp_data *d, int count,
                                                     const dp_parameter_id *parameter,
                                                     const double *value);
/// Give all parameters the values of the model again. @return DP_ERROR_MEMORY; nothing is changed
DP_API DP_NODISCARD dp_status dp_data_reset_parameters(dp_data *d);

DP_END_C
#endif
