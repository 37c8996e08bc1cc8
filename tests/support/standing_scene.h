// Scenes of scenes/contact, and how far what stands there moves.
#ifndef DP_TESTS_STANDING_SCENE_H
#define DP_TESTS_STANDING_SCENE_H

#include "mechanism.h"

/// A scene by its path below scenes/, at a keyframe (NULL: as described).
mechanism standing_scene(const char *path, const char *key);

/// [m] The longest way that the origin of a body goes within so many seconds.
double standing_scene_drift(mechanism *x, double seconds);
/// The pose of a body, by name.
dp_pose standing_scene_pose(const mechanism *x, const char *body);

#endif
