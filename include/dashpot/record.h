// Channels (named numbers of a simulation) and what a run leaves behind: CSV, npz, SVG.
#ifndef DASHPOT_RECORD_H
#define DASHPOT_RECORD_H

#include <dashpot/sim.h>

DP_BEGIN_C

/// A growing table: one column per channel, one row per sample. The first column is always `time`.
typedef struct dp_recorder dp_recorder;

/// Create a recorder for the channels that `names` asks for, separated by commas; `*` and `?` match
/// any part of a name, a backslash takes their meaning and that of a comma. NULL and the word
/// "default": all joint positions and velocities, and the energies. Channels: docs/channels.md, or
/// dp_channel_list(). `m` must outlive the recorder.
/// @return DP_ERROR_ARGUMENT for a name that matches nothing, with the nearest channel in the
///         message.
DP_API DP_NODISCARD dp_status dp_recorder_create(dp_recorder **out, const dp_model *m,
                                                 const char *names, const dp_allocator *allocator);
DP_API void dp_recorder_destroy(dp_recorder *r); ///< NULL is allowed

/// Append one row with the present values. May allocate (between steps). Runs dp_sense when a
/// channel needs forces or sensors.
DP_API DP_NODISCARD dp_status dp_recorder_sample(dp_recorder *r, const dp_model *m, dp_data *d);

// The table. Out of range, names and units are "" and values are not a number.
DP_API int dp_recorder_columns(const dp_recorder *r);
DP_API size_t dp_recorder_rows(const dp_recorder *r);
DP_API const char *dp_recorder_name(const dp_recorder *r, int column);
DP_API const char *dp_recorder_unit(const dp_recorder *r, int column); ///< "m", "rad/s", "1" …
DP_API double dp_recorder_value(const dp_recorder *r, size_t row, int column);

/// Write the table: CSV with 17 digits, one header line; npz with one float64 array per channel;
/// SVG with one panel per unit, light and dark (`title` may be NULL). A file appears complete or
/// not at all.
/// @return DP_ERROR_IO with the file and the reason; DP_ERROR_CAPACITY for an npz above 4 GiB.
DP_API DP_NODISCARD dp_status dp_recorder_write_csv(const dp_recorder *r, const char *path);
DP_API DP_NODISCARD dp_status dp_recorder_write_npz(const dp_recorder *r, const char *path);
DP_API DP_NODISCARD dp_status dp_recorder_write_svg(const dp_recorder *r, const char *path,
                                                    const char *title);

/// Call `visit` for every channel of the model, in order. Stops early when it returns false.
DP_API void dp_channel_list(const dp_model *m,
                            bool (*visit)(void *context, const char *name, const char *unit),
                            void *context);

DP_END_C
#endif
