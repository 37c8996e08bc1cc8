// What the library asks of HDF5: files with groups, and sets of numbers or text in them. The table
// of the plugin dashpot_hdf5 (plugins/dashpot_hdf5.c).
#ifndef DP_IO_HDF5_PLUGIN_H
#define DP_IO_HDF5_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DP_HDF5_VERSION = 1 };

/// A file that is open, and how HDF5 told its failures before: while it is open HDF5 prints none.
typedef struct dp_hdf5_file {
    int64_t id;
    void (*print)(void);
    void *data;
} dp_hdf5_file;

typedef enum dp_hdf5_kind {
    DP_HDF5_INT,    ///< int
    DP_HDF5_DOUBLE, ///< double
    DP_HDF5_CHAR,   ///< one text of a fixed length; its characters are counted
} dp_hdf5_kind;

typedef struct dp_hdf5 {
    int version;
    /// @param write make it anew @return false: it cannot be opened; nothing is to be closed then
    bool (*open)(dp_hdf5_file *file, const char *path, bool write);
    /// @return false: what was written did not get there
    bool (*close)(dp_hdf5_file *file);
    /// Is there a group or a set? @param name with all groups on the way, from the root
    bool (*exists)(const dp_hdf5_file *file, const char *name);
    /// How many elements a set has; −1 where there is none of that kind, or where it claims more
    /// than the file can hold.
    int64_t (*count)(const dp_hdf5_file *file, const char *name, dp_hdf5_kind kind);
    /// All elements of a set: as many as `count` says.
    bool (*read)(void *out, const dp_hdf5_file *file, const char *name, dp_hdf5_kind kind);
    bool (*make_group)(const dp_hdf5_file *file, const char *name);
    bool (*write)(const dp_hdf5_file *file, const char *name, dp_hdf5_kind kind, const void *x,
                  size_t count);
} dp_hdf5;

#endif
