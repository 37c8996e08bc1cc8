// Questions to the scene.
#ifndef DP_SIM_SCENE_QUERY_H
#define DP_SIM_SCENE_QUERY_H

#include "sim/data.h"

/// Does a query with this filter see a geom?
bool dp_scene_sees(const dp_model *m, int geom, const dp_scene_filter *filter);

#endif
