// The plugin dashpot_hdf5: files of HDF5.
#include "io/problem/hdf5_plugin.h"

#include <hdf5.h>

#include <limits.h>
#include <string.h>

enum { NAME = 64 };

static bool open_file(dp_hdf5_file *file, const char *path, bool write)
{
    H5E_auto2_t print = NULL; // HDF5 prints what fails unless it is asked not to
    (void)H5Eget_auto2(H5E_DEFAULT, &print, &file->data);
    file->print = (void (*)(void))print;
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    file->id = write ? H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)
                     : H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file->id < 0) {
        (void)H5Eset_auto2(H5E_DEFAULT, print, file->data);
    }
    return file->id >= 0;
}

static bool close_file(dp_hdf5_file *file)
{
    const bool closed = H5Fclose(file->id) >= 0;
    (void)H5Eset_auto2(H5E_DEFAULT, (H5E_auto2_t)file->print, file->data);
    return closed;
}

static bool exists(const dp_hdf5_file *file, const char *name)
{
    char part[NAME] = "";
    const size_t length = strlen(name);
    for (size_t k = 1; k <= length && k < sizeof part; ++k) { // each group on the way
        if (name[k] == '/' || name[k] == '\0') {
            memcpy(part, name, k);
            part[k] = '\0';
            if (H5Lexists(file->id, part, H5P_DEFAULT) <= 0) {
                return false;
            }
        }
    }
    return true;
}

/// A set that is open, with its type and its space.
typedef struct opened {
    hid_t set, type, space;
} opened;

static opened open_set(const dp_hdf5_file *file, const char *name)
{
    opened o = {-1, -1, -1};
    o.set = exists(file, name) ? H5Dopen2(file->id, name, H5P_DEFAULT) : -1;
    if (o.set >= 0) {
        o.type = H5Dget_type(o.set);
        o.space = H5Dget_space(o.set);
    }
    return o;
}

static void close_set(opened o)
{
    if (o.type >= 0) {
        (void)H5Tclose(o.type);
    }
    if (o.space >= 0) {
        (void)H5Sclose(o.space);
    }
    if (o.set >= 0) {
        (void)H5Dclose(o.set);
    }
}

// What claims to be larger than its file, packed as well as can be, is not believed.
static bool is_stored(opened o, hsize_t points)
{
    enum { PACKED = 1100 };
    const hid_t plan = H5Dget_create_plist(o.set);
    const bool chunks = plan >= 0 && H5Pget_layout(plan) == H5D_CHUNKED;
    if (plan >= 0) {
        (void)H5Pclose(plan);
    }
    return points * H5Tget_size(o.type) <= (chunks ? PACKED : 1) * H5Dget_storage_size(o.set);
}

static int64_t count_in(opened o, dp_hdf5_kind kind)
{
    static const H5T_class_t class_of[] = {
        [DP_HDF5_INT] = H5T_INTEGER, [DP_HDF5_DOUBLE] = H5T_FLOAT, [DP_HDF5_CHAR] = H5T_STRING};
    if (o.type < 0 || o.space < 0 || H5Tget_class(o.type) != class_of[kind]) {
        return -1;
    }
    const hssize_t points = H5Sget_simple_extent_npoints(o.space);
    if (kind == DP_HDF5_CHAR) {
        return points == 1 && H5Tis_variable_str(o.type) == 0 ? (int64_t)H5Tget_size(o.type) : -1;
    }
    return points >= 0 && points <= INT_MAX && is_stored(o, (hsize_t)points) ? points : -1;
}

static int64_t count(const dp_hdf5_file *file, const char *name, dp_hdf5_kind kind)
{
    const opened o = open_set(file, name);
    const int64_t found = count_in(o, kind);
    close_set(o);
    return found;
}

static bool read_all(void *out, const dp_hdf5_file *file, const char *name, dp_hdf5_kind kind)
{
    const opened o = open_set(file, name);
    const hid_t type = kind == DP_HDF5_INT      ? H5T_NATIVE_INT
                       : kind == DP_HDF5_DOUBLE ? H5T_NATIVE_DOUBLE
                                                : o.type;
    const int64_t found = count_in(o, kind);
    const bool done =
        found == 0 || (found > 0 && H5Dread(o.set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) >= 0);
    close_set(o);
    return done;
}

static bool make_group(const dp_hdf5_file *file, const char *name)
{
    const hid_t group = H5Gcreate2(file->id, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    return group >= 0 && H5Gclose(group) >= 0;
}

static bool write_set(const dp_hdf5_file *file, const char *name, opened o, const void *x,
                      bool empty)
{
    o.set = o.type >= 0 && o.space >= 0
                ? H5Dcreate2(file->id, name, o.type, o.space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)
                : -1;
    const bool done =
        o.set >= 0 && (empty || H5Dwrite(o.set, o.type, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0);
    close_set(o);
    return done;
}

static bool write_all(const dp_hdf5_file *file, const char *name, dp_hdf5_kind kind, const void *x,
                      size_t size)
{
    opened o = {-1, -1, -1};
    if (kind == DP_HDF5_CHAR) {
        o.type = H5Tcopy(H5T_C_S1);
        o.space = o.type >= 0 && H5Tset_size(o.type, size) >= 0 ? H5Screate(H5S_SCALAR) : -1;
    } else {
        const hsize_t points = size;
        o.type = H5Tcopy(kind == DP_HDF5_INT ? H5T_NATIVE_INT : H5T_NATIVE_DOUBLE);
        o.space = H5Screate_simple(1, &points, NULL);
    }
    return write_set(file, name, o, x, size == 0);
}

extern __attribute__((visibility("default"))) const dp_hdf5 dashpot_plugin;
const dp_hdf5 dashpot_plugin = {DP_HDF5_VERSION, open_file, close_file, exists,
                                count,           read_all,  make_group, write_all};
