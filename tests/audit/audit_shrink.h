// A scene that violates a claim, made smaller while it still does.
#ifndef AUDIT_SHRINK_H
#define AUDIT_SHRINK_H

#include "audit_scene.h"

// Does a scene still show what it is kept for? May be asked thousands of times.
typedef bool (*audit_predicate)(void *context, const audit_scene *scene);
// The state of a scene after so many of its steps, as its new start; false: it is not known.
typedef bool (*audit_advance)(void *context, audit_scene *scene, int steps);

// Remove and round what the violation does not need. @param expired true: stop now
void audit_shrink(audit_scene *scene, audit_predicate still, audit_advance advance,
                  bool (*expired)(void *context), void *context);

#endif
