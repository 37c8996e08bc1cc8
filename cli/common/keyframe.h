// Keyframes by name.
#ifndef DASHPOT_CLI_KEYFRAME_H
#define DASHPOT_CLI_KEYFRAME_H

#include <dashpot/sim.h>

/// "home, tucked, 2 (unnamed)" or "none"
void cli_list_keyframes(char *out, size_t size, const dp_model *m);

/// The keyframe of that name, or of that number where it has none.
DP_NODISCARD dp_status cli_find_keyframe(dp_key_id *out, const dp_model *m, const char *name);

/// Reset to the keyframe of --keyframe: a name, or the number of one without. Complains and returns
/// false.
bool cli_go_to_keyframe(const dp_model *m, dp_data *d, const char *name);

#endif
