// Engines in modules, which are loaded when they are asked for.
#ifndef CONTACT_LOAD_H
#define CONTACT_LOAD_H

#include "contact_engine.h"

/// Have the function `name` of a module make the engine. @param module NULL: it is not installed
void contact_load(contact_engine *out, const contact_scene *scene, int variant, void *module,
                  const char *name);

#endif
