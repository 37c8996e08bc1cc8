// `dashpot compare`: one scene under every law. Is that the physics, or is it the solver?
#include "common/import_report.h"
#include "common/law_settings.h"
#include "common/outputs.h"
#include "common/program.h"
#include "common/settings.h"
#include "common/signals.h"
#include "common/text.h"
#include "compare/compare.h"

#include <dashpot/advanced/law.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const ALL[] = {"compliant", "lcp", "ncp", "vi", "tamsi", "ode"};
// What papers print and this program offers beside what it stands for.
static const char *const PUBLISHED[] = {"vi+vi.friction=disc", "vi+vi.desaxce=true",
                                        "tamsi-one-way", "tamsi-plain", "implicit-euler"};

static cli_parsed parse(cli_compare_options *o, int argc, char **argv)
{
    *o = (cli_compare_options){.seconds = 2.0,
                               .stiffness = (double)NAN,
                               .friction = (double)NAN,
                               .accuracy = (double)NAN,
                               .patience = 60.0,
                               .threads = 1};
    const cli_option option[] = {
        {"--laws", 0, CLI_WORDS, &o->laws, "NAMES",
         "laws, separated by commas; all: the six laws (default);\n"
         "published: variants that papers print. Settings of its own are\n"
         "added to a law with +: lcp+lcp.directions=16"},
        {"--steps", 0, CLI_WORDS, &o->steps, "LIST",
         "lengths of steps [s], each a whole part of the longest; default:\n"
         "the scene's"},
        {"--seconds", 0, CLI_NUMBER, &o->seconds, "T", "how long to simulate [s]; default 2"},
        {"--stiffness-scale", 0, CLI_NUMBER, &o->stiffness, "x",
         "multiply the stiffness of every contact"},
        {"--friction-scale", 0, CLI_NUMBER, &o->friction, "x",
         "multiply the friction of every contact"},
        {"--accuracy", 0, CLI_NUMBER, &o->accuracy, "x",
         "[m, rad] make steps in parts, as 'dashpot run' does"},
        {"--reference", 0, CLI_TEXT, &o->reference, "R",
         "what runs are compared with: ode (default where it can be run),\n"
         "finest (compliant with an eighth of the shortest step), none, or\n"
         "one of --laws"},
        {"--keyframe", 0, CLI_TEXT, &o->keyframe, "NAME", "start from this keyframe"},
        {"--patience", 0, CLI_NUMBER, &o->patience, "T",
         "[s] of the processor after which a run is given up; default 60"},
        {"--threads", 0, CLI_COUNT, &o->threads, "N",
         "make N runs at a time; no result depends on it; default 1"},
        {"--set", 0, CLI_LIST, &o->settings, "OPTION=VALUE",
         "as for 'dashpot run', for all laws; may be repeated"},
        CLI_ALLOW(&o->allow),
        {"--html", 0, CLI_TEXT, &o->html, "FILE",
         "write one page: all motions laid over each other, plots, what\n"
         "differs and why"},
        {"--csv", 0, CLI_TEXT, &o->csv, "FILE", "write the table as CSV, a row for each run"},
        {"--json", 0, CLI_FLAG, &o->json, NULL, "print one JSON object instead of the table"},
    };
    const cli_syntax syntax = {
        .command = "compare",
        .arguments = "SCENE [options]",
        .argument = "SCENE",
        .about = "Run a scene under every law and tell how they differ: is that the physics, or is "
                 "it\nthe solver? Differences are those of the body that is furthest off.\n"
                 "Exit code: 0 done, 1 no law could run it, 2 bad usage or input, 130 or 143 "
                 "interrupted:\n"
                 "runs are then told of up to where they came.",
        .option = option,
        .noption = sizeof option / sizeof option[0],
        .examples = "  dashpot compare scenes/contact/ramp.xml\n"
                    "  dashpot compare scenes/contact/slip_to_roll.xml --laws "
                    "lcp,lcp+lcp.directions=16,ncp\n"
                    "  dashpot compare scenes/contact/ramp.xml --steps 1e-2,1e-3 --seconds 0.5\n",
    };
    return cli_parse(&o->scene, &syntax, argc, argv);
}

// --- what is run ------------------------------------------------------------------------------

static bool check_options(const cli_compare_options *o)
{
    const struct {
        const char *name;
        double x;
    } positive[] = {{"--seconds", o->seconds},
                    {"--patience", o->patience},
                    {"--accuracy", o->accuracy},
                    {"--stiffness-scale", o->stiffness}};
    for (size_t i = 0; i < sizeof positive / sizeof positive[0]; ++i) {
        if (positive[i].x <= 0.0) { // NaN: not given
            cli_complain("%s must be above 0 (found %g)", positive[i].name, positive[i].x);
            return false;
        }
    }
    if (o->friction < 0.0) {
        cli_complain("--friction-scale must not be negative (found %g)", o->friction);
        return false;
    }
    if (o->threads < 1) {
        cli_complain("--threads must be at least 1 (found %lld)", o->threads);
        return false;
    }
    return cli_allow_check(&o->allow, NULL, 0);
}

static const dp_law *find_variant(const char *name)
{
    const dp_law *variant = NULL;
    for (int i = 0; (variant = dp_law_tamsi_variant((dp_tamsi_variant)i)) != NULL; ++i) {
        if (strcmp(variant->name, name) == 0) {
            break;
        }
    }
    return variant;
}

// "lcp", "tamsi-plain", "ode", "cvode"
static bool name_law(dp_options *options, const cli_comparison *c, const char *name)
{
    const dp_law *variant = find_variant(name);
    *options = c->of_ode;
    if (dp_options_set(options, "integrator", name) == DP_OK && dp_options_is_ode(options)) {
        return true;
    }
    *options = strcmp(name, "ode") == 0 ? c->of_ode : c->of_law;
    if (!variant) {
        return cli_set_word(options, "law", "--laws", name);
    }
    options->solver.law = DP_LAW_TAMSI; // whose options it has
    options->solver.user = variant;
    return true;
}

static bool set_option(dp_options *options, const char *name, const char *value)
{
    return strncmp(name, "ode.", 4) == 0
               ? cli_set_word(options, name, "--laws", value)
               : cli_set_law_option(&options->solver, "--laws", name, value);
}

// "lcp+lcp.directions=16"
static bool add_law(cli_comparison *c, const char *name)
{
    if (c->nlaw == CLI_MOST_COMPARED) {
        cli_complain("--laws: more than %d", CLI_MOST_COMPARED);
        return false;
    }
    for (int i = 0; i < c->nlaw; ++i) {
        if (strcmp(c->law[i].name, name) == 0) {
            cli_complain("--laws: %s is given twice", name);
            return false;
        }
    }
    cli_compared_law *law = &c->law[c->nlaw++];
    law->name = name;
    char text[256];
    if ((size_t)snprintf(text, sizeof text, "%s", name) >= sizeof text) {
        cli_complain("--laws: '%.40s…' is too long", name);
        return false;
    }
    char *plus = strchr(text, '+');
    if (plus) {
        *plus = '\0';
    }
    if (!name_law(&law->options, c, text)) {
        return false;
    }
    while (plus) {
        char *setting = plus + 1, *equals = strchr(setting, '=');
        plus = strchr(setting, '+');
        if (plus) {
            *plus = '\0';
        }
        if (!equals || (plus && equals > plus)) {
            cli_complain("--laws: '%s' has '%s' (expected LAW+OPTION=VALUE)", name, setting);
            return false;
        }
        *equals = '\0';
        if (!set_option(&law->options, setting, equals + 1)) {
            return false;
        }
    }
    return true;
}

static bool add_laws(cli_comparison *c, const char *const *name, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        if (!add_law(c, name[i])) {
            return false;
        }
    }
    return true;
}

static bool choose_laws(cli_comparison *c)
{
    const size_t all = sizeof ALL / sizeof ALL[0];
    const cli_list *list = &c->o->laws;
    if (list->count == 0) {
        return add_laws(c, ALL, all);
    }
    for (int i = 0; i < list->count; ++i) {
        const char *word = list->item[i];
        const bool fine = strcmp(word, "all") == 0 ? add_laws(c, ALL, all)
                          : strcmp(word, "published") == 0
                              ? add_laws(c, PUBLISHED, sizeof PUBLISHED / sizeof PUBLISHED[0])
                              : add_law(c, word);
        if (!fine) {
            return false;
        }
    }
    return true;
}

static int longer_first(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

static bool choose_steps(cli_comparison *c, double of_scene)
{
    const cli_list *list = &c->o->steps;
    c->step[c->nstep++] = of_scene;
    c->nstep = list->count > 0 ? 0 : 1;
    for (int i = 0; i < list->count; ++i) {
        double h;
        if (!cli_read_number(&h, list->item[i]) || !(h > 0.0) || c->nstep == CLI_MOST_COMPARED) {
            cli_complain("--steps: found '%s' (expected up to %d numbers above 0)", list->item[i],
                         CLI_MOST_COMPARED);
            return false;
        }
        c->step[c->nstep++] = h;
    }
    qsort(c->step, (size_t)c->nstep, sizeof c->step[0], longer_first);
    for (int i = 1; i < c->nstep; ++i) {
        const double parts = c->step[0] / c->step[i];
        if (!(fabs(parts - round(parts)) <= 1e-6 * parts) || c->step[i] == c->step[i - 1]) {
            cli_complain("--steps: found %g (expected a whole part of the longest, %g)", c->step[i],
                         c->step[0]);
            return false;
        }
    }
    return true;
}

// All runs are looked at at the same moments: multiples of the longest step, some hundreds of them.
static bool choose_samples(cli_comparison *c)
{
    const double most = 400.0, steps = round(c->o->seconds / c->step[0]);
    if (steps < 1.0 || steps > 1e9) {
        cli_complain("--seconds: found %g (expected at least one step of %g s, a billion at most)",
                     c->o->seconds, c->step[0]);
        return false;
    }
    const double every = ceil(steps / most);
    c->samples = (int)ceil(steps / every) + 1;
    c->sample = every * c->step[0];
    c->seconds = (c->samples - 1) * c->sample;
    return true;
}

// Steps are outermost, so that a table of one step has all laws. Error control has steps of its
// own.
static bool plan(cli_comparison *c)
{
    for (int s = 0; s < c->nstep; ++s) {
        for (int i = 0; i < c->nlaw; ++i) {
            const bool own = cli_has_error_control(&c->law[i].options);
            if (own && s > 0) {
                continue;
            }
            if (c->nrun == CLI_MOST_COMPARED) {
                cli_complain("%d laws with %d steps are more than %d runs", c->nlaw, c->nstep,
                             CLI_MOST_COMPARED);
                return false;
            }
            c->run[c->nrun++] =
                (cli_compared){.law = &c->law[i], .h = own ? c->sample : c->step[s]};
        }
    }
    return true;
}

static bool check_reference(const cli_comparison *c)
{
    const char *name = c->o->reference;
    bool known = !name || strcmp(name, "ode") == 0 || strcmp(name, "finest") == 0 ||
                 strcmp(name, "none") == 0;
    for (int i = 0; i < c->nlaw && !known; ++i) {
        known = strcmp(c->law[i].name, name) == 0;
    }
    if (!known) {
        cli_complain("--reference: found '%s' (expected ode, finest, none or one of --laws)", name);
    }
    return known;
}

static bool choose(cli_comparison *c)
{
    dp_data *d = NULL;
    if (cli_data_create(&d, c->scene.model) != DP_OK) {
        cli_complain("%s", dp_last_error());
        return false;
    }
    c->of_law = *dp_data_options(d);
    dp_data_destroy(d);
    c->of_law.ledger = true;
    c->of_law.integrator = DP_INTEGRATOR_SEMI_IMPLICIT;
    c->of_ode = c->of_law;             // it is used as a reference; --set may say otherwise
    c->of_ode.max_substeps = 10000000; // --patience ends it
    c->of_ode.relative_tolerance = 1e-8;
    c->of_ode.absolute_tolerance = 1e-10;
    const cli_twin twins[] = {
        {"law", "--laws", CLI_TWIN_INSTEAD}, // by default all of them
        {"step", "--steps", c->o->steps.count > 0},
        {"contact_stiffness_scale", "--stiffness-scale", !isnan(c->o->stiffness)},
        {"contact_friction_scale", "--friction-scale", !isnan(c->o->friction)},
        {"accuracy", "--accuracy", !isnan(c->o->accuracy)},
        {NULL, NULL, false}};
    if (!cli_set_all(&c->of_law, &c->o->settings, twins) ||
        !cli_set_all(&c->of_ode, &c->o->settings, twins)) {
        return false;
    }
    return choose_laws(c) && choose_steps(c, c->of_law.step) && choose_samples(c) && plan(c) &&
           check_reference(c);
}

// --- the command ------------------------------------------------------------------------------

static bool any_ran(const cli_comparison *c)
{
    for (int i = 0; i < c->nrun; ++i) {
        if (c->run[i].outcome != CLI_COMPARED_REFUSED) {
            return true;
        }
    }
    return false;
}

static int count_done(const cli_comparison *c)
{
    int count = 0;
    for (int i = 0; i < c->nrun; ++i) {
        count += c->run[i].outcome == CLI_COMPARED_DONE;
    }
    return count;
}

static int compare(cli_comparison *c)
{
    const cli_compare_options *o = c->o;
    const cli_outputs outputs = {.csv = o->csv, .html = o->html};
    if (!check_options(o) || !cli_outputs_check(&outputs, (const char *const[]){o->scene, NULL})) {
        return CLI_USAGE;
    }
    if (cli_scene_load(&c->scene, o->scene, &o->allow) != DP_OK) {
        cli_complain_of_file(dp_last_error(), dp_last_feature());
        return CLI_USAGE;
    }
    if (!cli_allow_fits(&o->allow, o->scene, c->scene.report) || !choose(c)) {
        return CLI_USAGE;
    }
    cli_note_scene(&c->scene, &o->allow);
    cli_interrupt_set(CLI_ENDS_SAVED);
    if (!cli_compare_run_all(c)) {
        return CLI_USAGE;
    }
    if (cli_interrupted(NULL)) {
        cli_complain("interrupted: %d of %d runs came to their end", count_done(c), c->nrun);
    }
    if (o->json) {
        cli_compare_json(c);
    } else {
        cli_compare_table(c);
    }
    if ((o->csv && !cli_compare_csv(c, o->csv)) || (o->html && !cli_compare_page(c, o->html))) {
        return CLI_LOST;
    }
    return any_ran(c) ? CLI_OK : CLI_FAILED;
}

int cli_compare(int argc, char **argv)
{
    cli_compare_options o;
    const cli_parsed parsed = parse(&o, argc, argv);
    int code = parsed == CLI_PARSED_HELP ? CLI_OK : CLI_USAGE;
    if (parsed == CLI_PARSED) {
        cli_comparison *c = calloc(1, sizeof *c);
        if (!c) {
            cli_complain("out of memory");
            code = CLI_FAILED;
        } else {
            o.allow.visuals = o.html != NULL;
            c->o = &o;
            code = compare(c);
            cli_compare_release(c);
        }
        free(c);
    }
    free(o.laws.item);
    free(o.steps.item);
    free(o.settings.item);
    cli_allow_free(&o.allow);
    return code;
}
