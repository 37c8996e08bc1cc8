// Loops that do not close, limits that are passed and rows that say the same, before the first
// step.
#include "common/element_names.h"
#include "report/caveats.h"
#include "report/overlaps.h"
#include "report/rows_at_start.h"
#include "report/warnings.h"

#include <math.h>
#include <stdio.h>

// Numbers in files are rounded: this much [m, m/s, rad, rad/s] is not.
static const double ROUNDED = 1e-6;

static bool holds_angles(const dp_model *m, const dp_equality_info *e)
{
    return e->kind == DP_EQUALITY_JOINT &&
           dp_model_joint(m, (dp_joint_id){e->object[0]}).kind != DP_JOINT_SLIDE;
}

// @param where " at keyframe 'home'", or ""
static void look_at_equalities(cli_warning_list *list, const dp_model *m, dp_data *d,
                               const char *where)
{
    for (int i = 0; i < dp_model_sizes(m)->nequality; ++i) {
        const dp_equality_id id = {i};
        const dp_equality_info e = dp_model_equality(m, id);
        const cli_gap gap = cli_equality_gap(m, d, id);
        const cli_name name = cli_equality_name(m, id);
        const char *unit = holds_angles(m, &e) ? "rad" : "m";
        if (!gap.there || isfinite(e.bearing.stiffness)) {
            continue; // a spring may be loaded
        }
        if (fabs(gap.gap) > ROUNDED) {
            cli_warn(list, "W-LOOP-OPEN", "%s is open by %.3g %s%s: the first steps pull it shut",
                     name.text, fabs(gap.gap), unit, where);
        }
        if (fabs(gap.rate) > ROUNDED) {
            cli_warn(list, "W-LOOP-VELOCITY",
                     "%s comes apart with %.3g %s/s%s: the first step stops that and loses energy",
                     name.text, fabs(gap.rate), unit, where);
        }
    }
}

static void look_for_idle(cli_warning_list *list, const dp_model *m, dp_data *d)
{
    for (int i = 0; i < dp_model_sizes(m)->nequality; ++i) {
        const dp_equality_id id = {i};
        if (dp_data_equality_active(d, id) && !cli_equality_gap(m, d, id).there) {
            cli_warn(list, "W-EQUALITY-IDLE",
                     "%s holds what cannot move: it has no effect, met or not",
                     cli_equality_name(m, id).text);
        }
    }
}

static void look_at_tendons(cli_warning_list *list, const dp_model *m, dp_data *d,
                            const char *where)
{
    for (int i = 0; i < dp_model_sizes(m)->ntendon; ++i) {
        const dp_tendon_info tendon = dp_model_tendon(m, (dp_tendon_id){i});
        const double length = dp_tendon_length(d, (dp_tendon_id){i});
        if (tendon.limited &&
            (length < tendon.range[0] - ROUNDED || length > tendon.range[1] + ROUNDED)) {
            cli_warn(list, where[0] != '\0' ? "W-KEY-RANGE" : "W-RANGE-REFERENCE",
                     "%s has the length %.4g m%s, outside of its range [%.4g, %.4g] m",
                     cli_tendon_name(m, (dp_tendon_id){i}).text, length, where, tendon.range[0],
                     tendon.range[1]);
        }
    }
}

static void look_at_redundancy(cli_warning_list *list, dp_data *d)
{
    const dp_law_options *law = &dp_data_options(d)->solver;
    dp_solve_info info;
    if (!cli_solve_at_start(&info, law, d)) {
        return;
    }
    if (info.dependent > 0) {
        cli_warn(list, "N-REDUNDANT",
                 "%d rigid row%s of %d say%s what others say already: the motion is the same, how "
                 "they share forces is not determined (the smallest are taken)",
                 info.dependent, info.dependent == 1 ? "" : "s", dp_data_row_count(d),
                 info.dependent == 1 ? "s" : "");
    }
    if (info.inconsistent > fmax(law->tolerance, ROUNDED)) {
        cli_warn(list, "W-CONTRADICTION",
                 "rigid rows contradict each other by %.3g m/s in a step of %g s",
                 info.inconsistent, dp_data_options(d)->step);
    }
}

void cli_look_at_start(cli_warning_list *list, const dp_model *m, dp_data *d, const char *where)
{
    if (dp_data_options(d)->integrator != DP_INTEGRATOR_SEMI_IMPLICIT || dp_forward(d) != DP_OK) {
        return; // others have no rows; what cannot be evaluated is reported by the run
    }
    look_at_equalities(list, m, d, where);
    look_at_tendons(list, m, d, where);
}

// After dp_forward.
static void look_at_overlaps(cli_warning_list *list, const dp_model *m, dp_data *d,
                             const char *where)
{
    cli_overlaps overlaps;
    cli_overlaps_find(&overlaps, m, d);
    if (overlaps.pairs > 0) {
        char words[700];
        cli_overlaps_words(words, sizeof words, &overlaps, m);
        cli_warn(list, "N-OVERLAP", "overlap%s of %s", where[0] != '\0' ? where : " at the start",
                 words);
    }
}

void cli_look_at_caveats(cli_warning_list *list, const cli_scene *scene)
{
    static const char *const code[CLI_CAVEAT_KINDS] = {[CLI_CAVEAT_DISABLED] = "N-DISABLED",
                                                       [CLI_CAVEAT_FRICTION] =
                                                           "N-FOUNDATION-FRICTION",
                                                       [CLI_CAVEAT_NO_EFFECT] = "N-NO-EFFECT"};
    cli_caveats caveats;
    cli_caveats_find(&caveats, scene, dp_model_options(scene->model));
    for (int i = 0; i < caveats.count; ++i) {
        const cli_caveat *c = &caveats.item[i];
        if (code[c->kind]) { // the import report has the others
            cli_warn(list, code[c->kind], "%s", c->text);
        }
    }
    list->failed = list->failed || caveats.failed;
    cli_caveats_destroy(&caveats);
}

void cli_look_at_rows(cli_warning_list *list, const dp_model *m, dp_data *d)
{
    cli_look_at_start(list, m, d, "");
    if (dp_data_options(d)->integrator == DP_INTEGRATOR_SEMI_IMPLICIT && dp_forward(d) == DP_OK) {
        look_at_overlaps(list, m, d, "");
        if (!dp_data_options(d)->disable_equality) {
            look_for_idle(list, m, d);
        }
        look_at_redundancy(list, d);
    }
    for (int k = 0; k < dp_model_sizes(m)->nkey; ++k) {
        char where[400];
        snprintf(where, sizeof where, " at %s", cli_key_name(m, (dp_key_id){k}).text);
        if (dp_data_reset_to_key(d, (dp_key_id){k}) == DP_OK) {
            cli_look_at_start(list, m, d, where);
            if (dp_data_options(d)->integrator == DP_INTEGRATOR_SEMI_IMPLICIT &&
                dp_forward(d) == DP_OK) {
                look_at_overlaps(list, m, d, where);
            }
        }
    }
    dp_data_reset(d);
}
