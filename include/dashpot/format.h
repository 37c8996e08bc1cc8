// Model files.
#ifndef DASHPOT_FORMAT_H
#define DASHPOT_FORMAT_H

#include <dashpot/model.h>

DP_BEGIN_C

/// What became of a piece of a file.
typedef enum dp_import_verdict {
    DP_IMPORT_VERDICT_USED,
    DP_IMPORT_VERDICT_APPROXIMATED, ///< `note` says how
    DP_IMPORT_VERDICT_IGNORED,      ///< looks only, or a setting of another engine's solver
    DP_IMPORT_VERDICT_REFUSED,      ///< physical and not simulated; the import fails unless it is
                               ///< allowed. What a spec can hold (contact) fails when the spec is
                               ///< compiled
} dp_import_verdict;

/// One element or attribute of the file. Strings are borrowed from the report.
typedef struct dp_import_item {
    dp_import_verdict verdict;
    const char *file;
    int line;
    const char *element;   ///< "joint"
    const char *attribute; ///< "range"; "" for the element itself
    const char *name;      ///< of the element, "" when it has none
    const char *feature; ///< refused: its name for dp_import_options.allow. Ignored: the physics it
                         ///< belongs to and that is not simulated. Else ""
    const char *note;    ///< why or how; mostly "" for what is used
} dp_import_item;

/// A feature that a file may ask for and that is not simulated, or was not in earlier versions.
typedef struct dp_feature {
    const char *name;  ///< for dp_import_options.allow
    const char *about; ///< what it is, in a few words
    bool simulated;    ///< by now: to allow it changes nothing
    bool flaw; ///< a defect of the file rather than a gap of the simulation: repaired or left out
               ///< under dp_import_options.repair
} dp_feature;
DP_API int dp_feature_count(void);
DP_API dp_feature dp_feature_at(int index); ///< out of range, both texts are ""

/// What was made of a file, item by item in the order of the file.
typedef struct dp_import_report dp_import_report;
DP_API void dp_import_report_destroy(dp_import_report *report); ///< NULL is allowed
DP_API int dp_import_report_count(const dp_import_report *report);
DP_API dp_import_item dp_import_report_item(const dp_import_report *report, int index);

/// Which links of a URDF file may touch each other. Adjacent ones never do (docs/urdf.md).
typedef enum dp_self_collision {
    DP_SELF_COLLISION_AUTO, ///< those that do not overlap with all joints at zero
    DP_SELF_COLLISION_ALL,
    DP_SELF_COLLISION_NONE,
} dp_self_collision;

typedef struct dp_import_options {
    const char *const *allow; ///< names of features to go on without, e.g. "flex". May be NULL
    int nallow;
    bool repair; ///< allow all features that are flaws (dp_feature.flaw): moments of inertia that
                 ///< no mass has, missing mesh files … The report names each. Default false
    bool allow_outside; ///< let includes and meshes leave the folder tree of the file. Default
                        ///< false
    /// Folders that hold packages, to look for package://NAME/… in, before the folders above the
    /// file. What they hold may be read. May be NULL
    const char *const *package_path;
    int npackage_path;
    bool urdf_floating_base; ///< the root link of a URDF file floats. Default false: it is fixed to
                             ///< the world, as in MuJoCo
    dp_self_collision urdf_self_collision; ///< Default DP_SELF_COLLISION_AUTO
    bool visuals; ///< also read meshes that are only seen, for pages: what of them cannot be read
                  ///< is left out and reported. They touch and weigh nothing. Default false
    const dp_allocator *allocator; ///< for spec and report. NULL: malloc
    dp_interrupt_fn interrupt;     ///< ends an import that takes long: DP_ERROR_INTERRUPTED, and no
                               ///< spec. Polled per element, line of a mesh and row of an image.
                               ///< NULL: nothing ends it
    void *interrupt_user; ///< what it is called with
} dp_import_options;
DP_API dp_import_options dp_import_options_default(void);

/// Read an MJCF file (MuJoCo 3 semantics, docs/mjcf.md) into a spec the caller owns
/// (dp_spec_destroy).
/// @param report may be NULL; else it is set, also when the import fails while reading the content
///               (dp_import_report_destroy).
/// @return DP_ERROR_IO, DP_ERROR_PARSE (message "file:line: found, expected") or
///         DP_ERROR_UNSUPPORTED.
DP_API DP_NODISCARD dp_status dp_mjcf_load(dp_spec **out, dp_import_report **report,
                                           const char *path, const dp_import_options *options);
/// The same from memory; `name` stands for the file in messages, includes are looked up relative to
/// the folder of `name`.
DP_API DP_NODISCARD dp_status dp_mjcf_parse(dp_spec **out, dp_import_report **report,
                                            const char *text, size_t bytes, const char *name,
                                            const dp_import_options *options);

/// Write a spec as MJCF (docs/mjcf.md, "Writing"). Reading the text gives a spec with the same
/// numbers, to the bit, and so the same motion. Bodies are written depth first: after reading, ids
/// are those of a walk through the tree, with what is on the world before all else, as they are in
/// every spec that was read from a file. What is left behind: permissions (dp_spec_allow), the
/// places where elements were written, numbers that mean nothing (the axis of a ball), and the
/// length of a quaternion, which is written as 1.
/// @param out zero-terminated text of *bytes characters, owned by the caller: give back *bytes + 1
///            to the allocator, or free() it when `allocator` is NULL. NULL on failure.
/// @return DP_ERROR_UNSUPPORTED for what MJCF has no way to say, DP_ERROR_ARGUMENT for numbers that
///         are not finite and elements that no mechanism has; the message names the element.
DP_API DP_NODISCARD dp_status dp_mjcf_write(char **out, size_t *bytes, const dp_spec *spec,
                                            const dp_allocator *allocator);
/// The same to a file, which is complete or not touched at all. @return also DP_ERROR_IO.
DP_API DP_NODISCARD dp_status dp_mjcf_save(const char *path, const dp_spec *spec);

/// Write a spec as MJCF that MuJoCo 4 opens (docs/mjcf.md, "For MuJoCo"): without names of ours,
/// with materials as solref and solimp. Parameters and failures as for dp_mjcf_write; the spec is
/// compiled, so DP_ERROR_ARGUMENT also for an impossible mechanism.
/// @param notes may be NULL; else it is set, also where writing fails (dp_import_report_destroy):
///              an item for each thing that is left out, `element` names what it belongs to
DP_API DP_NODISCARD dp_status dp_mjcf_write_mujoco(char **out, size_t *bytes,
                                                   dp_import_report **notes, const dp_spec *spec,
                                                   const dp_allocator *allocator);
/// The same to a file, which is complete or not touched at all. @return also DP_ERROR_IO.
DP_API DP_NODISCARD dp_status dp_mjcf_save_mujoco(const char *path, dp_import_report **notes,
                                                  const dp_spec *spec);

/// Read a URDF file (docs/urdf.md) into a spec the caller owns (dp_spec_destroy). Parameters and
/// failures as for dp_mjcf_load.
DP_API DP_NODISCARD dp_status dp_urdf_load(dp_spec **out, dp_import_report **report,
                                           const char *path, const dp_import_options *options);
/// The same from memory; meshes are looked up relative to the folder of `name`.
DP_API DP_NODISCARD dp_status dp_urdf_parse(dp_spec **out, dp_import_report **report,
                                            const char *text, size_t bytes, const char *name,
                                            const dp_import_options *options);

/// Read an SDFormat world or model file (docs/sdf.md) into a spec the caller owns
/// (dp_spec_destroy). Parameters and failures as for dp_mjcf_load.
DP_API DP_NODISCARD dp_status dp_sdf_load(dp_spec **out, dp_import_report **report,
                                          const char *path, const dp_import_options *options);
/// The same from memory; files that it names are looked up relative to the folder of `name`.
DP_API DP_NODISCARD dp_status dp_sdf_parse(dp_spec **out, dp_import_report **report,
                                           const char *text, size_t bytes, const char *name,
                                           const dp_import_options *options);

/// Read an MJCF, URDF or SDFormat file, whichever its root element says. Parameters and failures as
/// for dp_mjcf_load.
DP_API DP_NODISCARD dp_status dp_model_file_load(dp_spec **out, dp_import_report **report,
                                                 const char *path,
                                                 const dp_import_options *options);
/// The same from memory; files that it names are looked up relative to the folder of `name`.
DP_API DP_NODISCARD dp_status dp_model_file_parse(dp_spec **out, dp_import_report **report,
                                                  const char *text, size_t bytes, const char *name,
                                                  const dp_import_options *options);

DP_END_C
#endif
