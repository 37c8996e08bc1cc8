// Plugins: found beside the program, of the version that is asked for, and of nobody else's making.
#include "near.h"
#include "text_file.h"

#include "base/plugin.h"
#include "io/problem/hdf5_plugin.h"

#include <dashpot/advanced/fc.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void skip_without_hdf5(void)
{
    if (!dp_fc_has_hdf5()) {
        skip();
    }
}

// Another file with the plugin of HDF5 in it, beside this program.
static void copy_plugin(const char *path, mode_t mode)
{
    char *bytes;
    size_t count;
    assert_int_equal(dp_file_read(&bytes, &count, DP_SCRATCH "/dashpot_hdf5.so", NULL), DP_OK);
    (void)remove(path);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, mode), 0);
    free(bytes);
}

static void what_is_not_there_is_not_found(void **state)
{
    (void)state;
    assert_null(dp_plugin("dashpot_nothing", 1));
    assert_null(dp_plugin("", 1));
    char name[5000];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    assert_null(dp_plugin(name, 1));
}

static void a_plugin_has_the_version_that_is_asked_for(void **state)
{
    (void)state;
    skip_without_hdf5();
    const dp_hdf5 *table = dp_plugin("dashpot_hdf5", DP_HDF5_VERSION);
    assert_non_null(table);
    assert_int_equal(table->version, DP_HDF5_VERSION);
    assert_ptr_equal(dp_plugin("dashpot_hdf5", DP_HDF5_VERSION), table);
    assert_null(dp_plugin("dashpot_hdf5", DP_HDF5_VERSION + 1));
}

static void what_is_no_plugin_is_not_loaded(void **state)
{
    (void)state;
    write_text(DP_SCRATCH "/dashpot_text.so", "text");
    assert_null(dp_plugin("dashpot_text", 1));
    assert_int_equal(remove(DP_SCRATCH "/dashpot_text.so"), 0);
    assert_int_equal(mkdir(DP_SCRATCH "/dashpot_folder.so", 0755), 0);
    assert_null(dp_plugin("dashpot_folder", 1));
    assert_int_equal(rmdir(DP_SCRATCH "/dashpot_folder.so"), 0);
}

static void what_others_may_write_to_is_not_loaded(void **state)
{
    (void)state;
    skip_without_hdf5();
    const char *path = DP_SCRATCH "/dashpot_copy.so";
    copy_plugin(path, 0757);
    assert_null(dp_plugin("dashpot_copy", DP_HDF5_VERSION));
    copy_plugin(path, 0755);
    assert_non_null(dp_plugin("dashpot_copy", DP_HDF5_VERSION));
    assert_int_equal(remove(path), 0);
}

static void what_belongs_to_others_is_not_loaded(void **state)
{
    (void)state;
    skip_without_hdf5();
    const char *path = DP_SCRATCH "/dashpot_theirs.so";
    copy_plugin(path, 0755);
    if (chown(path, 65534, (gid_t)-1) != 0) { // for root alone
        assert_int_equal(remove(path), 0);
        skip();
    }
    assert_null(dp_plugin("dashpot_theirs", DP_HDF5_VERSION));
    assert_int_equal(remove(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_there_is_not_found),
        cmocka_unit_test(a_plugin_has_the_version_that_is_asked_for),
        cmocka_unit_test(what_is_no_plugin_is_not_loaded),
        cmocka_unit_test(what_others_may_write_to_is_not_loaded),
        cmocka_unit_test(what_belongs_to_others_is_not_loaded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
