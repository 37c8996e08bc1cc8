// The list of a model's parameters: which numbers of its elements they are.
#ifndef DP_MODEL_PARAMETER_H
#define DP_MODEL_PARAMETER_H

#include "model/derive/derive.h"

enum { DP_PARAMETER_OF_OPTIONS = DP_ELEMENT_KINDS }; // no element has it: gravity

/// What a value changes besides the number itself.
typedef enum dp_parameter_effect {
    DP_EFFECT_NONE,
    DP_EFFECT_INERTIAL,    // of its body: what the dynamics need
    DP_EFFECT_TENSOR,      // the same, from six numbers
    DP_EFFECT_SPRING,      // no springdamper any more
    DP_EFFECT_MATERIAL,    // the material has the last word over solref
    DP_EFFECT_RIGIDITY,    // the same, and it may be infinite
    DP_EFFECT_SLIDING,     // friction in both directions
    DP_EFFECT_REST_LENGTH, // both ends
    DP_EFFECT_KP,          // gain and bias
    DP_EFFECT_KV,          // −bias, and no damping ratio any more
} dp_parameter_effect;

typedef struct dp_quantity {
    const char *name;
    const char *unit[3]; // of joints: hinge and ball, slide, free; of actuators: on angles, on
                         // lengths; NULL: the first
    size_t offset;       // of the double in the element
    double lower, upper;
    bool lower_open;
    dp_parameter_effect effect;
    bool (*applies)(const dp_model *m, int element); // NULL: to all
} dp_quantity;

const dp_quantity *dp_parameter_quantity(dp_parameter p);
/// The value that a model has for it. Of options: that of the model's.
double dp_parameter_value(const dp_model *m, dp_parameter p);
/// Write it to the tables of a model. @param tensor the six of DP_EFFECT_TENSOR: xx yy zz xy xz yz
void dp_parameter_put(const dp_tables *t, dp_parameter p, double value, const double tensor[6]);

/// "body.torso", the element that it belongs to. @param out DP_PARAMETER_LABEL
enum { DP_PARAMETER_LABEL = 448 };
void dp_parameter_element(char *out, const dp_model *m, dp_parameter p);

/// List the parameters of a model whose elements are complete.
DP_NODISCARD dp_status dp_compile_parameters(dp_model *m);

#endif
