// `dashpot convert`: a model file in the other words of MJCF.
#include "common/arguments.h"
#include "common/import_report.h"
#include "common/outputs.h"
#include "common/program.h"
#include "common/scene.h"
#include "common/signals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct convert_options {
    const char *in, *out;
    bool quiet, mujoco;
    cli_allow allow;
} convert_options;

static cli_parsed parse(convert_options *o, int argc, char **argv)
{
    *o = (convert_options){0};
    const cli_option option[] = {
        {"--allow", 0, CLI_WORDS, &o->allow.features, "FEATURE",
         "leave out a feature that is not read, e.g. plugin; may be\n"
         "repeated or list several"},
        CLI_ALLOW_FILES(&o->allow),
        {"--mujoco", 0, CLI_FLAG, &o->mujoco, NULL,
         "for MuJoCo 4: without names of Dashpot's own, which become\n"
         "solref and the like or are left out, with a note each"},
        {"--quiet", 'q', CLI_FLAG, &o->quiet, NULL, "no notes"},
    };
    const cli_syntax syntax = {
        .command = "convert",
        .arguments = "IN OUT [options]",
        .argument = "IN",
        .second = "OUT",
        .second_target = &o->out,
        .about =
            "Read a model file (MJCF, URDF or SDF) and write it as MJCF, to a file whose name ends "
            "in\n"
            ".xml or, with -, to the standard output. Includes, classes, frames, meshes and the\n"
            "like are resolved, and every number comes back bit by bit. What the file says that\n"
            "has no effect on the motion is left behind, with a note; 'dashpot check' lists it.\n"
            "Exit code: 0 done, 1 writing failed, e.g. on a full disk, 2 bad usage, input or OUT,\n"
            "130 or 143 interrupted.",
        .option = option,
        .noption = sizeof option / sizeof option[0],
        .examples = "  dashpot convert robot.urdf robot.xml --floating\n"
                    "  dashpot convert scenes/hand_holds_ball.xml for_mujoco.xml --mujoco\n"
                    "  dashpot convert scenes/humanoid.xml flat.xml\n"
                    "  dashpot convert scenes/pendulum.xml - | less\n",
    };
    return cli_parse(&o->in, &syntax, argc, argv);
}

static bool is_stdout(const char *path)
{
    return strcmp(path, "-") == 0;
}

static bool ends_in(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n > m && strcmp(text + n - m, end) == 0;
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat one, other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

// Whether OUT may be written without harm to what was read. Files that include others count, too.
static bool may_write(const convert_options *o, const dp_import_report *report)
{
    if (is_stdout(o->out)) {
        return true;
    }
    if (!ends_in(o->out, ".xml") && !ends_in(o->out, ".mjcf")) {
        cli_complain("%s: only MJCF is written (expected a name that ends in .xml, or - for the "
                     "standard output)",
                     o->out);
        return false;
    }
    const char *last = NULL;
    for (int i = -1; i < dp_import_report_count(report); ++i) {
        const char *file = i < 0 ? o->in : dp_import_report_item(report, i).file;
        if (!last || strcmp(file, last) != 0) {
            if (is_same_file(file, o->out)) {
                cli_complain("%s would be overwritten while it is read (expected another file)",
                             file);
                return false;
            }
            last = file;
        }
    }
    return true;
}

static dp_status write_spec(const convert_options *o, dp_import_report **notes, const dp_spec *spec)
{
    if (!is_stdout(o->out)) {
        return o->mujoco ? dp_mjcf_save_mujoco(o->out, notes, spec) : dp_mjcf_save(o->out, spec);
    }
    char *text;
    size_t bytes;
    const dp_status status = o->mujoco ? dp_mjcf_write_mujoco(&text, &bytes, notes, spec, NULL)
                                       : dp_mjcf_write(&text, &bytes, spec, NULL);
    if (status == DP_OK) {
        fwrite(text, 1, bytes, stdout); // whether it arrived is seen at the end of the program
        free(text);
    }
    return status;
}

// What MuJoCo does not have.
static void note_left_out(const dp_import_report *notes)
{
    for (int i = 0; i < dp_import_report_count(notes); ++i) {
        const dp_import_item item = dp_import_report_item(notes, i);
        cli_complain("note: %s: MuJoCo does not have %s", item.element, item.note);
    }
}

static void note(int count, const convert_options *o, const char *what)
{
    if (count > 0) {
        cli_complain("note: %d part%s of %s %s %s ('dashpot check --all %s' lists them)", count,
                     count == 1 ? "" : "s", o->in, count == 1 ? "is" : "are", what, o->in);
    }
}

// What is in the one file and not in the other.
static void note_losses(const convert_options *o, const dp_import_report *report)
{
    int left_out = 0, approximated = 0, ignored = 0;
    for (int i = 0; i < dp_import_report_count(report); ++i) {
        const dp_import_item item = dp_import_report_item(report, i);
        left_out += item.verdict == DP_IMPORT_VERDICT_REFUSED;
        approximated += item.verdict == DP_IMPORT_VERDICT_APPROXIMATED;
        ignored += item.verdict == DP_IMPORT_VERDICT_IGNORED;
    }
    note(left_out, o, "left out, as allowed");
    note(approximated, o, "approximated");
    note(ignored, o, "left behind, without effect on the motion");
}

static int convert(const convert_options *o, cli_scene *scene)
{
    if (!cli_allow_check(&o->allow, NULL, 0) || !may_write(o, NULL)) {
        return CLI_USAGE;
    }
    if (cli_scene_read(scene, o->in, &o->allow) != DP_OK) {
        cli_complain_of_file(dp_last_error(), dp_last_feature());
        return CLI_USAGE;
    }
    if (!cli_allow_fits(&o->allow, o->in, scene->report) || !may_write(o, scene->report)) {
        return CLI_USAGE;
    }
    if (!is_stdout(o->out) && !cli_can_be_written("OUT", o->out)) {
        return CLI_USAGE;
    }
    cli_interrupt_set(CLI_ENDS_SAVED); // OUT is complete or not touched at all
    dp_import_report *notes = NULL;
    const dp_status status = write_spec(o, &notes, scene->spec);
    if (status == DP_OK && !o->quiet) {
        note_left_out(notes);
    }
    dp_import_report_destroy(notes);
    if (status != DP_OK) {
        cli_complain("%s", dp_last_error());
        return status == DP_ERROR_IO || status == DP_ERROR_MEMORY ? CLI_LOST : CLI_USAGE;
    }
    if (!o->quiet) {
        cli_note_scene(scene, &o->allow);
        note_losses(o, scene->report);
    }
    if (cli_interrupted(NULL)) { // while it was written
        cli_complain("interrupted after %s was complete", o->out);
    }
    return CLI_OK;
}

int cli_convert(int argc, char **argv)
{
    convert_options o;
    cli_scene scene = {0};
    int code = CLI_OK;
    switch (parse(&o, argc, argv)) {
    case CLI_PARSED:
        code = convert(&o, &scene);
        break;
    case CLI_PARSED_HELP:
        break;
    case CLI_PARSED_BADLY:
        code = CLI_USAGE;
        break;
    }
    cli_scene_destroy(&scene);
    cli_allow_free(&o.allow);
    return code;
}
