// What only Dashpot is asked for: it judges the states of all engines.
#ifndef CONTACT_DASHPOT_H
#define CONTACT_DASHPOT_H

#include "contact_engine.h"

#include <dashpot/dashpot.h>

/// The scene as a model; the caller owns it.
dp_status contact_dashpot_model(dp_model **out, const contact_scene *scene);

/// Of Dashpot's present state.
uint64_t contact_dashpot_hash(const contact_engine *dashpot);

#endif
