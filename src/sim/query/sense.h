// Sensors whose values are several fields, or that may fail.
#ifndef DP_SIM_SENSE_H
#define DP_SIM_SENSE_H

#include "sim/query/query.h"

/// Append a field to the values of a sensor where its data has it.
void dp_put_v3(double **out, unsigned data, unsigned field, dp_v3 x);
void dp_put_number(double **out, unsigned data, unsigned field, double x);

/// Is a point in the volume of a site?
DP_NODISCARD dp_status dp_site_contains(bool *out, const dp_data *d, int site, dp_v3 point);

/// Rangefinders, distances, what is inside of a site. Geoms must have been placed.
DP_NODISCARD dp_status dp_sense_scene(double *out, const dp_data *d, const dp_sensor *sensor);
/// Contacts, as of the last evaluation.
DP_NODISCARD dp_status dp_sense_contacts(double *out, const dp_data *d, const dp_sensor *sensor);

#endif
