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
DP_API DP_NODISCARD dp_status dp_recorder_sample(dp_recorder *r, dp_data *d);

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

/// Draw the pressures on all elastic foundations, as of the last step or dp_forward: one map of
/// each face with a common scale of colours, light and dark (`title` may be NULL).
/// @return DP_ERROR_ARGUMENT for a model without foundations; DP_ERROR_IO
DP_API DP_NODISCARD dp_status dp_pressure_write_svg(const dp_data *d, const char *path,
                                                    const char *title);

// Replays: a page that shows a run in any browser.

/// Poses, contacts and pressures of a run, frame by frame.
typedef struct dp_replay dp_replay;
/// `m` must outlive the replay.
/// @return DP_ERROR_ARGUMENT for a model of more than 65536 geoms; DP_ERROR_MEMORY
DP_API DP_NODISCARD dp_status dp_replay_create(dp_replay **out, const dp_model *m,
                                               const dp_allocator *allocator);
DP_API void dp_replay_destroy(dp_replay *r); ///< NULL is allowed
/// Append a frame: the present poses, and contacts and pressures as of the last step. May allocate
/// (between steps).
DP_API DP_NODISCARD dp_status dp_replay_sample(dp_replay *r, dp_data *d);
DP_API size_t dp_replay_frames(const dp_replay *r);

/// A line of a table.
typedef struct dp_replay_fact {
    const char *name, *value;
} dp_replay_fact;

/// What the page says besides. Borrowed; {0} is a page without words.
typedef struct dp_replay_page {
    const char *title;
    const dp_replay_fact *fact; ///< settings, how it went
    int nfact;
    const dp_recorder *channels; ///< for plots, sampled with the frames. NULL: none
} dp_replay_page;
/// Write one self-contained HTML file. Texts may be anything; what is not UTF-8 is replaced. The
/// file appears complete or not at all.
/// @return DP_ERROR_IO, DP_ERROR_MEMORY
DP_API DP_NODISCARD dp_status dp_replay_write_html(const dp_replay *r, const char *path,
                                                   const dp_replay_page *page);
/// The data of that page alone, one JSON object (docs/replay.md).
/// @param out zero-terminated text of *bytes characters, owned by the caller: give back *bytes + 1
///            to the allocator, or free() it when `allocator` is NULL. NULL on failure.
/// @return DP_ERROR_MEMORY
DP_API DP_NODISCARD dp_status dp_replay_write_json(char **out, size_t *bytes, const dp_replay *r,
                                                   const dp_replay_page *page,
                                                   const dp_allocator *allocator);
/// The page around other data, which stand in it as they are: JSON without '<'. `out` as above.
/// @return DP_ERROR_MEMORY
DP_API DP_NODISCARD dp_status dp_replay_viewer(char **out, size_t *bytes, const char *data,
                                               const dp_allocator *allocator);

/// Call `visit` for every channel of the model but those of single springs and of pairs that touch,
/// in order. Stops early when it returns false.
DP_API void dp_channel_list(const dp_model *m,
                            bool (*visit)(void *context, const char *name, const char *unit),
                            void *context);

// Plots of the user's own numbers: panels with axes, curves and marks. Plain structs that borrow
// all they point to; {0} is a good start. Texts are UTF-8.

typedef enum dp_plot_style {
    DP_PLOT_STYLE_LINE,
    DP_PLOT_STYLE_DASHED,
    DP_PLOT_STYLE_MARKS,     ///< one at each point
    DP_PLOT_STYLE_MARKED,    ///< marks joined by a line
    DP_PLOT_STYLE_REFERENCE, ///< thin, dotted, without a colour: a known slope, an exact answer
} dp_plot_style;

/// Values that are not finite, or not positive on a logarithmic axis, leave gaps.
typedef struct dp_plot_series {
    const char *name;    ///< in the legend. NULL: not there
    const double *x, *y; ///< `count` values each
    size_t count;
    dp_plot_style style;
    int colour; ///< 1 … 8; 0: by its place in the panel
} dp_plot_series;

typedef struct dp_plot_axis {
    const char *name, *unit; ///< unit "1" or NULL: none is shown
    bool log;                ///< powers of ten at even distances
    double lo, hi;           ///< what to show, lo < hi (log: 0 < lo). Otherwise all that there is
} dp_plot_axis;

typedef struct dp_plot_panel {
    const char *title; ///< NULL: none
    dp_plot_axis x, y;
    const dp_plot_series *series;
    int nseries;
} dp_plot_panel;

typedef struct dp_plot {
    const char *title; ///< NULL: none
    const dp_plot_panel *panel;
    int npanel;
    int columns; ///< panels side by side, 1 … 4. 0: 1
} dp_plot;

/// Draw as one self-contained SVG picture, light and dark. The file appears complete or not at all.
/// @return DP_ERROR_ARGUMENT for counts that are negative and arrays that are missing; DP_ERROR_IO
DP_API DP_NODISCARD dp_status dp_plot_write_svg(const char *path, const dp_plot *plot,
                                                const dp_allocator *allocator);

DP_END_C
#endif
