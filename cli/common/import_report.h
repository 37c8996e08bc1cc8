// What became of the pieces of a file, for people and for programs.
#ifndef DASHPOT_CLI_IMPORT_REPORT_H
#define DASHPOT_CLI_IMPORT_REPORT_H

#include "common/json.h"
#include "common/scene.h"

/// How many items have each verdict, in the order of dp_import_verdict.
void cli_count_verdicts(int count[4], const dp_import_report *report);

/// Counts, then what is refused and approximated, then the reasons why something is ignored. Equal
/// reasons are reported once, with the first place, inside of the folder of the main file.
void cli_print_report(const cli_scene *scene, const char *main_file, const cli_allow *allow);
/// Every item on a line of its own, in the order of the file.
void cli_print_items(const cli_scene *scene, const cli_allow *allow);
/// Of the scene and of what was added to it.
void cli_json_report(cli_json *json, const cli_scene *scene);

/// Notes on stderr: each kind of flaw of a file that was repaired or left out unasked, and what
/// --ground did.
void cli_note_scene(const cli_scene *scene, const cli_allow *allow);

/// What a strict reader objects to: items that are approximated, flaws that were left out, and what
/// is ignored although it belongs to physics, unless that is allowed. Equal ones count once.
/// @return how many; they are reported one by one.
int cli_report_objections(const cli_scene *scene, const char *main_file, const cli_allow *allow,
                          void (*tell)(void *context, const char *objection), void *context);

/// "file:line: <element> 'name' attribute"
void cli_item_place(char *out, size_t size, const dp_import_item *item);

#endif
