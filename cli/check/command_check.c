// `dashpot check`: what is in a model file.
#include "check/checked.h"
#include "common/arguments.h"
#include "common/element_names.h"
#include "common/import_report.h"
#include "common/keyframe.h"
#include "common/program.h"
#include "common/signals.h"
#include "common/table.h"
#include "common/text.h"
#include "report/conserved.h"

#include <dashpot/record.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct check_options {
    const char *model, *keyframe;
    bool json, channels, parameters, tree, all, strict, contacts, forces;
    double margin, length;
    cli_allow allow;
} check_options;

static cli_parsed parse(check_options *o, int argc, char **argv)
{
    *o = (check_options){.margin = NAN, .length = NAN};
    const cli_option option[] = {
        {"--all", 0, CLI_FLAG, &o->all, NULL,
         "list every element and attribute of the file, and every warning"},
        {"--tree", 0, CLI_FLAG, &o->tree, NULL, "draw the tree of bodies, and nothing else"},
        {"--channels", 0, CLI_FLAG, &o->channels, NULL,
         "list what can be recorded and plotted, and nothing else"},
        {"--parameters", 0, CLI_FLAG, &o->parameters, NULL,
         "list the numbers that a simulation may have values of its own\n"
         "for, with units and bounds, and nothing else"},
        {"--contacts", 0, CLI_FLAG, &o->contacts, NULL,
         "list what touches what, and where, and nothing else"},
        {"--margin", 0, CLI_NUMBER, &o->margin, "M",
         "with --contacts: also what is nearer than M metres"},
        {"--forces", 0, CLI_FLAG, &o->forces, NULL,
         "list the reactions of all joints and contacts, which of them\n"
         "equilibrium does not determine, and what they may be"},
        {"--length", 0, CLI_NUMBER, &o->length, "M",
         "with --forces: a moment counts as the force that makes it on\n"
         "an arm of M metres; else on a typical arm of the mechanism"},
        {"--keyframe", 0, CLI_TEXT, &o->keyframe, "NAME",
         "look at loops, rows, contacts and reactions at this keyframe"},
        {"--strict", 0, CLI_FLAG, &o->strict, NULL,
         "object to warnings, to what is approximated, and to what is\n"
         "ignored although it is physical: exit code 2"},
        {"--allow", 0, CLI_WORDS, &o->allow.features, "NAME",
         "go on without a feature that is not simulated, e.g. flex;\n"
         "with --strict also a warning, e.g. W-STIFF; may be repeated or\n"
         "list several: sensor,flex"},
        CLI_ALLOW_FILES(&o->allow),
        {"--json", 0, CLI_FLAG, &o->json, NULL, "print one JSON object with everything instead"},
    };
    const cli_syntax syntax = {
        .command = "check",
        .arguments = "MODEL [options]",
        .argument = "MODEL",
        .about =
            "Read a model file (MJCF, URDF or SDF) and tell what is in it: what was made of each\n"
            "part of the file, the tree of bodies, inertias, joints, actuators, sensors,\n"
            "materials, and what to look out for.\n"
            "Exit code: 0 it can be simulated, 2 it cannot, or --strict objects,\n"
            "130 or 143 interrupted.",
        .option = option,
        .noption = sizeof option / sizeof option[0],
        .examples = "  dashpot check scenes/humanoid.xml\n"
                    "  dashpot check scenes/quadruped.xml --tree\n"
                    "  dashpot check scenes/gripper_linkage.xml --keyframe closing\n"
                    "  dashpot check robot.xml --allow flex --strict\n"
                    "  dashpot check scenes/urdf/gripper.urdf --all\n"
                    "  dashpot check scenes/double_pendulum.xml --channels\n"
                    "  dashpot check scenes/double_pendulum.xml --parameters\n"
                    "  dashpot check scenes/contact/shelf.xml --contacts\n"
                    "  dashpot check scenes/gripper_linkage.xml --forces\n"
                    "  dashpot check scenes/arm_7dof.xml --json | jq .bodies\n",
    };
    return cli_parse(&o->model, &syntax, argc, argv);
}

// --- text ---------------------------------------------------------------------------------------

// "1 body", "2 bodies"
static void put_count(int n, const char *one, const char *many, const char *after)
{
    cli_print("%d %s", n, n == 1 ? one : many);
    fputs(after, stdout);
}

static void print_summary(const cli_checked *c)
{
    const dp_model *m = c->scene.model;
    const dp_model_size *n = dp_model_sizes(m);
    const dp_options *options = dp_model_options(m);
    const dp_momentum all = cli_total_momentum(m, c->data);
    const char *title = dp_model_title(m);
    cli_print("%s%s%s\n", c->path, title[0] != '\0' ? ": " : "", title);
    fputs("  ", stdout);
    put_count(n->nbody - 1, "body", "bodies", ", ");
    put_count(n->njoint, "joint", "joints", ", ");
    put_count(n->nv, "degree of freedom", "degrees of freedom", ", ");
    put_count(n->nactuator, "actuator", "actuators", ", ");
    put_count(n->nsensor, "sensor", "sensors", ", ");
    put_count(n->nkey, "keyframe", "keyframes", "\n");
    cli_print("  moving mass %.6g kg, centre of mass at %.4g %.4g %.4g m\n", all.mass,
              cli_tidy(all.com.x), cli_tidy(all.com.y), cli_tidy(all.com.z));
    cli_print("  step %g s, %s; gravity %g %g %g m/s2%s\n", options->step,
              dp_integrator_name(options->integrator), options->gravity.x, options->gravity.y,
              options->gravity.z, options->disable_gravity ? " (disabled)" : "");
}

static bool in_report(const dp_import_report *report, const char *feature)
{
    for (int i = 0; i < dp_import_report_count(report); ++i) {
        const dp_import_item item = dp_import_report_item(report, i);
        if (item.verdict == DP_IMPORT_VERDICT_REFUSED && strcmp(item.feature, feature) == 0) {
            return true;
        }
    }
    return false;
}

// What no element of the report asks for.
static void print_missing(const cli_checked *c)
{
    bool heading = false;
    for (int i = 0; i < c->missing.count; ++i) {
        const cli_missing_feature *missing = &c->missing.item[i];
        if (!in_report(c->scene.report, missing->feature)) {
            fputs(heading ? "" : "  not simulated\n", stdout);
            cli_print_sentence(6, "    %s", missing->message);
            heading = true;
        }
    }
}

static void print_keyframes(const dp_model *m)
{
    for (int i = 0; i < dp_model_sizes(m)->nkey; ++i) {
        fputs(i == 0 ? "\n  keyframes" : ",", stdout);
        cli_print(" %s", cli_key_label(m, (dp_key_id){i}).text);
    }
    fputs(dp_model_sizes(m)->nkey > 0 ? "\n" : "", stdout);
}

// All warnings of one code, beginning with number `first`.
static void print_warnings_of(const cli_checked *c, int first)
{
    const int most = c->all ? c->warnings.count : 5;
    const cli_warning *item = c->warnings.item;
    int told = 0, more = 0;
    cli_print("  %s\n", item[first].code);
    for (int i = first; i < c->warnings.count; ++i) {
        if (strcmp(item[i].code, item[first].code) != 0) {
            continue;
        }
        if (told < most) {
            cli_print_sentence(6, "    %s", item[i].text);
            ++told;
        } else {
            ++more;
        }
    }
    if (more > 0) {
        cli_print("    … and %d more like these (--all lists them)\n", more);
    }
    cli_print_sentence(6, "    → %s", item[first].advice);
}

static bool told_before(const cli_warning_list *list, int i)
{
    for (int k = 0; k < i; ++k) {
        if (strcmp(list->item[k].code, list->item[i].code) == 0) {
            return true;
        }
    }
    return false;
}

static void print_warnings(const cli_checked *c)
{
    static const char *const heading[] = {"\nWarnings", "\nNotes"};
    for (int kind = 0; kind < 2; ++kind) {
        bool any = false;
        for (int i = 0; i < c->warnings.count; ++i) {
            if ((c->warnings.item[i].code[0] == 'N') == (kind == 1) &&
                !told_before(&c->warnings, i)) {
                if (!any) {
                    puts(heading[kind]);
                }
                any = true;
                print_warnings_of(c, i);
            }
        }
    }
}

static void print_text(const cli_checked *c)
{
    const dp_model *m = c->scene.model;
    dp_spec *spec = c->scene.spec;
    print_summary(c);
    putchar('\n');
    cli_print_report(&c->scene, c->path, c->allow);
    print_missing(c);
    if (c->all) {
        cli_print_items(&c->scene, c->allow);
    }
    if (dp_model_sizes(m)->nbody > 1) {
        putchar('\n');
        cli_print_tree(m, spec);
    }
    cli_print_bodies(m);
    cli_print_joints(m);
    cli_print_actuators(m, spec);
    cli_print_sensors(m, spec);
    cli_print_constraints(m, c->data);
    cli_print_assets(m);
    print_keyframes(m);
    cli_print_materials(m);
    print_warnings(c);
}

// --- strictness ---------------------------------------------------------------------------------

static void print_objection(void *context, const char *objection)
{
    const bool *aloud = context;
    if (*aloud) {
        cli_print_sentence(4, "  %s", objection);
    }
}

// How many objections there are; reported `aloud` or only counted.
static int object(const cli_checked *c, bool aloud)
{
    int count = cli_report_objections(&c->scene, c->path, c->allow, print_objection, &aloud);
    for (int i = 0; i < c->warnings.count; ++i) {
        const cli_warning *w = &c->warnings.item[i];
        if (w->code[0] == 'W' && !cli_allowed(c->allow, w->code)) {
            ++count;
            if (aloud) {
                cli_print_sentence(4, "  %s: %s", w->code, w->text);
            }
        }
    }
    return count;
}

// --- the command --------------------------------------------------------------------------------

static bool add_channel(void *context, const char *name, const char *unit)
{
    cli_table *t = context;
    cli_cell(t, "%s", name);
    cli_cell(t, "%s", unit);
    return true;
}

static void print_channels(const dp_model *m)
{
    static const char *const heading[] = {"channel", "unit"};
    cli_table t = cli_table_new(2, heading);
    dp_channel_list(m, add_channel, &t);
    cli_table_print(&t);
}

// "> 0", "≥ 0", "≤ 1", or nothing.
static void cell_bounds(cli_table *t, const dp_parameter_info *p)
{
    if (isfinite(p->upper)) {
        cli_cell(t, "≤ %g", p->upper);
    } else if (isfinite(p->lower)) {
        cli_cell(t, "%s %g", p->lower_open ? ">" : "≥", p->lower);
    } else {
        cli_cell(t, "%s", "");
    }
}

static void print_parameters(const dp_model *m)
{
    static const char *const heading[] = {"parameter", "value", "unit", "bounds"};
    cli_table t = cli_table_new(4, heading);
    for (int i = 0; i < dp_model_parameter_count(m); ++i) {
        const dp_parameter_info p = dp_model_parameter(m, (dp_parameter_id){i});
        cli_cell(&t, "%s", p.name);
        cli_cell(&t, "%.9g", p.value);
        cli_cell(&t, "%s", p.unit);
        cell_bounds(&t, &p);
    }
    cli_table_print(&t);
}

static void list_options(char *out, size_t size, const cli_missing *missing)
{
    for (int i = 0; i < missing->count; ++i) {
        const size_t used = strlen(out);
        snprintf(out + used, size - used, " --allow %s", missing->item[i].feature);
    }
}

static void print_ways_on(const cli_checked *c)
{
    char list[1024] = "";
    list_options(list, sizeof list, &c->missing);
    if (c->missing.count > 0) {
        cli_print_sentence(2, "\nIt runs only without what is refused:%s", list);
    }
}

static void print_result(const cli_checked *c, const check_options *o)
{
    if (o->json) {
        cli_print_check_json(c, o->channels, o->parameters);
    } else if (o->channels) {
        print_channels(c->scene.model);
    } else if (o->parameters) {
        print_parameters(c->scene.model);
    } else if (o->tree) {
        cli_print_tree(c->scene.model, c->scene.spec);
    } else if (o->contacts) {
        cli_print_contacts(c);
    } else if (o->forces) {
        cli_print_forces(c);
    } else {
        print_text(c);
        if (c->objections > 0) {
            puts("\nStrictly");
            object(c, true);
        }
        print_ways_on(c);
    }
}

static bool exclude(const char *a, const char *b)
{
    cli_complain("%s and %s exclude each other", a, b);
    return false;
}

static bool options_agree(const check_options *o)
{
    const struct {
        const char *name;
        bool wanted;
    } view[] = {{"--tree", o->tree},
                {"--contacts", o->contacts},
                {"--forces", o->forces},
                {"--channels", o->channels},
                {"--parameters", o->parameters}};
    const int count = (int)(sizeof view / sizeof view[0]);
    for (int i = 0; i < count; ++i) {
        const bool alone = i == 0 || !o->json; // in one object there is room for all but the tree
        for (int k = i + 1; view[i].wanted && alone && k < count; ++k) {
            if (view[k].wanted) {
                return exclude(view[i].name, view[k].name);
            }
        }
        if (view[i].wanted && i == 0 && o->json) {
            return exclude(view[i].name, "--json");
        }
        if (view[i].wanted && alone && o->all) {
            return exclude(view[i].name, "--all");
        }
    }
    if (!isnan(o->margin) && !o->contacts) {
        cli_complain("--margin goes with --contacts");
        return false;
    }
    if (o->margin < 0.0) {
        cli_complain("--margin is %g m (expected a number ≥ 0)", o->margin);
        return false;
    }
    if (!isnan(o->length) && !o->forces) {
        cli_complain("--length goes with --forces");
        return false;
    }
    if (o->length <= 0.0) {
        cli_complain("--length is %g m (expected a number > 0)", o->length);
        return false;
    }
    return true;
}

// One line: the tables tell the places.
static void complain_about_missing(const cli_checked *c)
{
    char list[1024] = "";
    list_options(list, sizeof list, &c->missing);
    cli_complain("%s cannot be simulated as it stands, only with%s", c->path, list);
}

// What was asked for beside the model itself. @return an exit code; complaints have been printed.
static int look_at_state(cli_checked *c, const check_options *o)
{
    const dp_model *m = c->scene.model;
    if (o->keyframe && !cli_go_to_keyframe(m, c->data, o->keyframe)) {
        return CLI_USAGE;
    }
    const bool evaluated = dp_forward(c->data) == DP_OK; // else there are no rows to tell of
    if (evaluated) {
        cli_overlaps_find(&c->overlaps, m, c->data);
    }
    if (c->warnings.failed || (!evaluated && dp_kinematics(c->data) != DP_OK)) {
        cli_complain("%s", c->warnings.failed ? "out of memory" : dp_last_error());
        return CLI_FAILED;
    }
    if ((o->contacts && cli_find_contacts(c) != DP_OK) ||
        (o->forces && cli_find_forces(c, isnan(o->length) ? 0.0 : o->length) != DP_OK)) {
        cli_complain("%s", dp_last_error());
        return CLI_FAILED;
    }
    return CLI_OK;
}

static int check_model(cli_checked *c, const check_options *o)
{
    if (!cli_allow_check(&o->allow, cli_warning_codes, cli_nwarning_code)) {
        return CLI_USAGE;
    }
    const dp_status status = cli_scene_load_anyway(&c->scene, &c->missing, o->model, &o->allow);
    if (status != DP_OK) {
        c->status = status;
        cli_complain_of_missing(&c->missing, status);
        return CLI_USAGE;
    }
    if (!cli_allow_fits(&o->allow, o->model, c->scene.report)) {
        return CLI_USAGE;
    }
    if (c->scene.note[0] != '\0') {
        cli_complain("note: %s", c->scene.note);
    }
    const dp_model *m = c->scene.model;
    cli_interrupt_at("while checking %s", o->model);
    if (cli_data_create(&c->data, m) != DP_OK) {
        cli_complain("%s", dp_last_error());
        return CLI_FAILED;
    }
    if (o->strict || o->json ||
        !(o->tree || o->channels || o->parameters || o->contacts ||
          o->forces)) { // somebody wants to know
        cli_warnings_find(&c->warnings, &c->scene, c->data);
    }
    const int code = look_at_state(c, o);
    if (code != CLI_OK) {
        return code;
    }
    c->objections = o->strict ? object(c, false) : 0;
    print_result(c, o);
    c->printed = true;
    if (c->missing.count > 0) {
        complain_about_missing(c);
        return CLI_USAGE;
    }
    if (c->objections > 0) {
        cli_complain("--strict: %d objection%s", c->objections, c->objections == 1 ? "" : "s");
        return CLI_USAGE;
    }
    return CLI_OK;
}

int cli_check(int argc, char **argv)
{
    check_options o;
    static cli_checked c; // zeroed, and too large for a stack
    int code = CLI_OK;
    switch (parse(&o, argc, argv)) {
    case CLI_PARSED:
        c.path = o.model;
        c.allow = &o.allow;
        c.strict = o.strict;
        c.all = o.all;
        c.contacts = o.contacts;
        c.margin = isnan(o.margin) ? 0.0 : o.margin;
        c.keyframe = o.keyframe;
        if (!options_agree(&o)) {
            code = CLI_USAGE;
            break;
        }
        code = check_model(&c, &o);
        if (o.json && !c.printed) {
            cli_print_check_json_refusal(c.status);
        }
        break;
    case CLI_PARSED_HELP:
        break;
    case CLI_PARSED_BADLY:
        code = CLI_USAGE;
        break;
    }
    cli_warnings_destroy(&c.warnings);
    dp_statics_destroy(c.forces);
    dp_data_destroy(c.data);
    cli_scene_destroy(&c.scene);
    cli_allow_free(&o.allow);
    return code;
}
