// Plugins: shared modules beside the library that wrap what not every program shall link to.
//
// A plugin NAME.so shows one symbol, `dashpot_plugin`: a table of functions, whose first member is
// the number of its version. It needs nothing of the library, and the library links to nothing of
// it. Where it may be is fixed when the library is built, and no environment variable counts:
//
//     its own folder              a build folder; a program that comes with its plugins
//     dashpot/ in there           the folder of an installed shared library
//     ../lib/dashpot/ from there  an installed program (../lib: as it was configured)
//     PREFIX/lib/dashpot/         programs elsewhere with a static library of that installation
//
// where "its own folder" is that of the file which the library's code is in: the shared library, or
// the program.
#ifndef DP_BASE_PLUGIN_H
#define DP_BASE_PLUGIN_H

/// The table of the plugin `name`, loaded when it is asked for first and kept from then on. What
/// others may write to, or what belongs neither to root nor to the owner of the library's own file,
/// is not loaded.
/// @return NULL: there is none of that version
const void *dp_plugin(const char *name, int version);

#endif
