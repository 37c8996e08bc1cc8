// What is measured of the runs of a comparison, and how runs are called.
#include "compare/compare.h"

#include "common/law_settings.h"
#include "common/text.h"

#include <math.h>
#include <stdio.h>

static double apart(const cli_compared *r)
{
    return r->judged > 0 ? r->apart[0] : (double)NAN;
}

static double turned(const cli_compared *r)
{
    return r->judged > 0 ? r->apart[1] : (double)NAN;
}

static double most_apart(const cli_compared *r)
{
    return r->judged > 0 ? r->most_apart : (double)NAN;
}

static double parted(const cli_compared *r)
{
    return r->judged > 0 && isfinite(r->parted) ? r->parted : (double)NAN;
}

static double overlap(const cli_compared *r)
{
    return r->samples > 0 ? r->overlap : (double)NAN;
}

// The law ode has forces, and nothing that says how rows are met.
static double worst(const cli_compared *r, int which)
{
    return r->rows.with_rows > 0 ? r->rows.worst[which] : (double)NAN;
}

static double lift_off(const cli_compared *r)
{
    return worst(r, CLI_CERT_LIFT_OFF);
}

static double creep(const cli_compared *r)
{
    return worst(r, CLI_CERT_CREEP);
}

static double heading(const cli_compared *r)
{
    return worst(r, CLI_CERT_HEADING);
}

static double drift(const cli_compared *r)
{
    return worst(r, CLI_CERT_DRIFT);
}

static double remainder_of(const cli_compared *r)
{
    return r->remainder;
}

static double energy_change(const cli_compared *r)
{
    return r->steps > 0 ? r->energy[1] - r->energy[0] : (double)NAN;
}

static double force(const cli_compared *r)
{
    return r->rows.with_contacts > 0 ? r->force : (double)NAN;
}

static double top_force(const cli_compared *r)
{
    return r->rows.with_contacts > 0 ? r->top_force : (double)NAN;
}

static double rate(const cli_compared *r)
{
    return r->steps > 0 && r->seconds > 0.0 ? (double)r->steps / r->seconds : (double)NAN;
}

static double iterations(const cli_compared *r)
{
    return r->rows.with_rows > 0 ? (double)r->iterations / (double)r->steps : (double)NAN;
}

static double unsolved(const cli_compared *r)
{
    return r->steps > 0 ? (double)(r->rows.unsolved + r->rows.fallbacks) : (double)NAN;
}

const cli_compared_measure cli_compared_measures[] = {
    {"apart", "off at the end [m]", apart},
    {"turned", "turned off at the end [rad]", turned},
    {"most_apart", "off at most [m]", most_apart},
    {"parted", "1 mm off at [s]", parted},
    {"overlap", "deepest overlap [m]", overlap},
    {"lift_off", "lift-off [m]", lift_off},
    {"creep", "creep [m/s]", creep},
    {"heading", "friction off by [rad]", heading},
    {"drift", "drift of loops [m]", drift},
    {"energy_change", "energy change [J]", energy_change},
    {"remainder", "of the method [J]", remainder_of},
    {"force", "contact force, mean [N]", force},
    {"top_force", "contact force, most [N]", top_force},
    {"steps_per_second", "steps per second", rate},
    {"iterations", "iterations per step", iterations},
    {"unsolved", "steps not solved", unsolved},
};
const int cli_ncompared_measure = sizeof cli_compared_measures / sizeof cli_compared_measures[0];

void cli_compared_name(char *out, size_t size, const cli_comparison *c, const cli_compared *r)
{
    if (c->nstep > 1 && !cli_has_error_control(&r->law->options)) {
        snprintf(out, size, "%s (%s s)", r->law->name, cli_short(3, r->h).text);
    } else {
        snprintf(out, size, "%s", r->law->name);
    }
}

void cli_compare_reference_name(char *out, size_t size, const cli_comparison *c)
{
    const cli_compared *r = c->reference;
    if (!r) {
        snprintf(out, size, "none");
    } else if (cli_has_error_control(&r->law->options)) {
        snprintf(out, size, "%s with error control", r->law->name);
    } else {
        snprintf(out, size, "%s with steps of %s s", r->law->name, cli_short(3, r->h).text);
    }
}
