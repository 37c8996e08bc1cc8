// What a comparison says in plain language: whether laws agree, and what each of them shows that
// the others do not.
#include "compare/compare.h"

#include "common/keyframe.h"
#include "common/program.h"
#include "common/text.h"
#include "report/caveats.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NOTES = 256 };

// Sentences in their order; one that is true of several runs is said once.
typedef struct notes {
    const cli_comparison *c;
    struct {
        bool of[CLI_MOST_COMPARED]; // runs; none: of the comparison as a whole
        char text[800];
    } note[MOST_NOTES];
    int count;
} notes;

static void say(notes *t, const cli_compared *r, const char *format, ...) DP_PRINTF(3, 4);
static void say(notes *t, const cli_compared *r, const char *format, ...)
{
    char sentence[sizeof t->note[0].text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    int i = 0;
    while (i < t->count && strcmp(t->note[i].text, sentence) != 0) {
        ++i;
    }
    if (i == MOST_NOTES) {
        return;
    }
    if (i == t->count) {
        snprintf(t->note[t->count++].text, sizeof sentence, "%s", sentence);
    }
    if (r) {
        t->note[i].of[r - t->c->run] = true;
    }
}

// Below these nobody sees a difference: the smallest part of an overlap or a slip that matters to a
// mechanism of everyday size.
static const double SEEN_LENGTH = 1e-6, SEEN_SPEED = 1e-7, SEEN_ANGLE = 1e-3;

static void tell_failure(notes *t, const cli_compared *r)
{
    switch (r->outcome) {
    case CLI_COMPARED_DONE:
        break;
    case CLI_COMPARED_REFUSED:
        say(t, r, "cannot run this scene: %s", r->message);
        break;
    case CLI_COMPARED_FAILED:
        say(t, r, "failed in step %lld: %s", r->steps + 1, r->message);
        break;
    case CLI_COMPARED_GAVE_UP:
    case CLI_COMPARED_INTERRUPTED:
        say(t, r, "%s", r->message);
        break;
    }
}

static void tell_what_is_not_honoured(notes *t, const cli_compared *r)
{
    const dp_options *options = &r->law->options;
    if (r->rows.replaced > 0) {
        say(t, r, "the springs and dashpots of contacts and limits are not used: the law is rigid");
    }
    if (dp_options_is_ode(options) && r->outcome == CLI_COMPARED_DONE) {
        say(t, r, "has forces only: lift-off, creep, drift and contact forces are not reported");
    }
    if (dp_options_is_ode(options) && options->ode_stiffness > 0.0) {
        say(t, r, "takes what is rigid for springs of %g N/m (ode.stiffness)",
            options->ode_stiffness);
    }
}

static void tell_symptoms(notes *t, const cli_compared *r)
{
    const dp_law_options *law = &r->law->options.solver;
    const double *worst = r->rows.worst;
    if (worst[CLI_CERT_LIFT_OFF] > SEEN_LENGTH) {
        say(t, r,
            law->law == DP_LAW_VI ? "sliding contacts separate, by up to %s m: step by friction by "
                                    "speed is what the convex "
                                    "cone costs (vi.desaxce=true or ncp do not)"
                                  : "contacts push across gaps of up to %s m",
            cli_short(3, worst[CLI_CERT_LIFT_OFF]).text);
    }
    if (worst[CLI_CERT_CREEP] > SEEN_SPEED) {
        say(t, r,
            dp_law_is_regularised(law->law)
                ? "sticking contacts creep, at up to %s m/s: regularised friction needs slip "
                  "(friction.slip_speed)"
                : "contacts that stick move, at up to %s m/s",
            cli_short(3, worst[CLI_CERT_CREEP]).text);
    }
    if (worst[CLI_CERT_HEADING] > SEEN_ANGLE) {
        say(t, r,
            "friction is up to %s rad away from where it should point, and misses up to %s of its "
            "size%s",
            cli_short(3, worst[CLI_CERT_HEADING]).text,
            cli_short(2, worst[CLI_CERT_SHORTFALL]).text,
            law->law == DP_LAW_LCP ? ": a polygon stands for the cone (lcp.directions)" : "");
    }
    if (r->rows.unsolved > 0) {
        say(t, r, "%lld of %lld steps were not solved to the tolerance: up to %s m/s remain",
            r->rows.unsolved, r->steps, cli_short(2, r->rows.unsolved_residual).text);
    }
    if (r->rows.fallbacks > 0) {
        say(t, r, "in %lld of %lld steps another law stood in", r->rows.fallbacks, r->steps);
    }
    if (r->rows.painleve > 0) {
        say(t, r, "in %lld steps an impulse stopped slip that no force can (Painlevé's paradox)",
            r->rows.painleve);
    }
    if (r->rows.gains > 0) {
        say(t, r, "%lld impacts gained energy", r->rows.gains);
    }
}

static void join(char *list, size_t size, const char *word)
{
    const size_t used = strlen(list);
    snprintf(list + used, size - used, "%s%s", used > 0 ? ", " : "", word);
}

// The runs of a law that something is true of: its name alone where these are all of them.
static void join_runs(char *list, size_t size, const cli_comparison *c, const cli_compared_law *law,
                      const bool *of)
{
    int runs = 0, told = 0;
    for (int i = 0; i < c->nrun; ++i) {
        runs += c->run[i].law == law;
        told += c->run[i].law == law && of[i];
    }
    if (told == runs && runs > 0) {
        join(list, size, law->name);
        return;
    }
    for (int i = 0; i < c->nrun; ++i) {
        if (c->run[i].law == law && of[i]) {
            char name[300];
            cli_compared_name(name, sizeof name, c, &c->run[i]);
            join(list, size, name);
        }
    }
}

// All runs that something is true of.
static void join_all(char *list, size_t size, const cli_comparison *c, const bool *of)
{
    for (int k = 0; k < c->nlaw; ++k) {
        join_runs(list, size, c, &c->law[k], of);
    }
}

// Where laws are closer to each other than to the reference, what is between is the step.
static bool tell_step(notes *t, const cli_comparison *c, const char *reference)
{
    const double much = 5.0;
    bool together[CLI_MOST_COMPARED] = {false}, others[CLI_MOST_COMPARED] = {false};
    double among = 0.0, away = (double)INFINITY;
    int count = 0;
    const cli_compared *first = NULL;
    for (int i = 0; i < c->nrun; ++i) {
        const cli_compared *r = &c->run[i];
        if (r->outcome != CLI_COMPARED_DONE || r->judged == 0) {
            continue;
        }
        first = isnan(r->from_first) ? r : first;
        if (first == r || (first && much * r->from_first < first->most_apart)) {
            among = first == r ? among : fmax(among, r->from_first);
            away = fmin(away, r->most_apart);
            ++count;
            together[i] = true;
        } else {
            others[i] = true;
        }
    }
    if (count < 2) {
        return false;
    }
    char with[1500] = "", without[1500] = "";
    join_all(with, sizeof with, c, together);
    join_all(without, sizeof without, c, others);
    say(t, NULL,
        "%s: within %s m of each other with the same step, and %s m away from the reference (%s). "
        "What differs is the length of the step, not the law; shorter ones (--steps) show it.",
        with, cli_short(2, among).text, cli_short(2, away).text, reference);
    if (without[0] != '\0') {
        say(t, NULL, "%s: elsewhere. The differences of the law are listed below.", without);
    }
    return true;
}

// Are there laws on both sides with the same step?
static bool laws_part(const cli_comparison *c, const bool *is_near, const bool *is_away)
{
    for (int i = 0; i < c->nrun; ++i) {
        for (int k = 0; k < c->nrun; ++k) {
            if (is_near[i] && is_away[k] && c->run[i].h == c->run[k].h) {
                return true;
            }
        }
    }
    return false;
}

// The answer: who is with the reference, and who is not.
static void tell_agreement(notes *t, const cli_comparison *c)
{
    char with[1500] = "", without[1500] = "", reference[300];
    bool is_near[CLI_MOST_COMPARED] = {false}, is_away[CLI_MOST_COMPARED] = {false};
    double closest = (double)INFINITY, farthest = 0.0;
    int near = 0, away = 0;
    for (int i = 0; i < c->nrun; ++i) {
        const cli_compared *r = &c->run[i];
        if (r->judged == 0 || (r->outcome != CLI_COMPARED_DONE && isinf(r->parted))) {
            continue; // what ended early has not shown that it stays
        }
        if (isinf(r->parted)) {
            ++near;
            farthest = fmax(farthest, r->most_apart);
            is_near[i] = true;
        } else {
            ++away;
            closest = fmin(closest, r->parted);
            is_away[i] = true;
        }
    }
    join_all(with, sizeof with, c, is_near);
    join_all(without, sizeof without, c, is_away);
    cli_compare_reference_name(reference, sizeof reference, c);
    if (near > 0 && away == 0) {
        say(t, NULL,
            "All that ran to the end stay within %s m of the reference (%s): what is seen is the "
            "physics of "
            "the scene.",
            cli_short(2, farthest).text, reference);
    } else if (!laws_part(c, is_near, is_away) && tell_step(t, c, reference)) {
        return;
    } else if (near > 0) {
        say(t, NULL, "Within %s m of the reference (%s) all the time: %s.",
            cli_short(2, farthest).text, reference, with);
        say(t, NULL,
            "More than 1 mm off from t = %s s on: %s. That is the law or its step; what it shows "
            "is listed below.",
            cli_short(3, closest).text, without);
    } else if (away > 0) {
        say(t, NULL,
            "No law stays within 1 mm of the reference (%s); the first leaves it at t = %s s. "
            "Either the motion is sensitive, as after impacts and in heaps, or the step is long "
            "for it: try --steps with shorter ones.",
            reference, cli_short(3, closest).text);
    }
}

static bool nothing_moved(const cli_comparison *c)
{
    bool any_done = false;
    for (int i = 0; i < c->nrun; ++i) {
        any_done = any_done || c->run[i].outcome == CLI_COMPARED_DONE;
        if (c->run[i].kinetic > 0.0) {
            return false;
        }
    }
    return any_done;
}

// What concerns the scene under every law.
static void tell_caveats(notes *t)
{
    cli_caveats caveats;
    cli_caveats_find(&caveats, &t->c->scene, dp_model_options(t->c->scene.model));
    for (int i = 0; i < caveats.count; ++i) {
        const cli_caveat *item = &caveats.item[i];
        if (item->kind == CLI_CAVEAT_DISABLED) {
            say(t, NULL, "Disabled: %s.", item->text);
        } else if (item->kind == CLI_CAVEAT_APPROXIMATED) {
            say(t, NULL, "Approximated: %s.", item->text);
        } else if (item->kind == CLI_CAVEAT_FRICTION) {
            say(t, NULL, "Friction: %s.", item->text);
        }
    }
    cli_caveats_destroy(&caveats);
}

static void collect(notes *t)
{
    const cli_comparison *c = t->c;
    tell_caveats(t);
    if (nothing_moved(c)) {
        char list[600];
        cli_list_keyframes(list, sizeof list, c->scene.model);
        say(t, NULL, "Nothing moved. Keyframes to start from (--keyframe): %s.", list);
    } else if (c->reference) {
        tell_agreement(t, c);
    } else if (c->extra.law) {
        static const char *const did[] = {[CLI_COMPARED_DONE] = "",
                                          [CLI_COMPARED_REFUSED] = "cannot run this scene: ",
                                          [CLI_COMPARED_FAILED] = "failed: ",
                                          [CLI_COMPARED_GAVE_UP] = "was ",
                                          [CLI_COMPARED_INTERRUPTED] = "was "};
        say(t, NULL, "There is no reference: %s %s%s", c->extra.law->name, did[c->extra.outcome],
            c->extra.message);
    }
    for (int i = 0; i < c->nrun; ++i) {
        tell_failure(t, &c->run[i]);
        tell_what_is_not_honoured(t, &c->run[i]);
        tell_symptoms(t, &c->run[i]);
    }
}

bool cli_compare_words(const cli_comparison *c, cli_compare_teller tell, void *context)
{
    notes *t = calloc(1, sizeof *t);
    if (!t) {
        cli_complain("out of memory");
        return false;
    }
    t->c = c;
    collect(t);
    for (int i = 0; i < t->count; ++i) {
        char names[1500] = "";
        join_all(names, sizeof names, c, t->note[i].of);
        tell(context, names, t->note[i].text);
    }
    free(t);
    return true;
}
