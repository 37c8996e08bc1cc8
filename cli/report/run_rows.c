#include "report/run_rows.h"

#include "common/program.h"
#include "common/text.h"

#include <dashpot/advanced/problem.h>
#include <dashpot/advanced/step.h>
#include <dashpot/contact.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *key, *label, *unit;
} cert[CLI_CERTS] = {
    [CLI_CERT_MOMENTUM] = {"momentum", "momentum error", "N s"},
    [CLI_CERT_NORMAL_LAW] = {"normal_law", "law error", "m/s"},
    [CLI_CERT_COMPLEMENTARITY] = {"complementarity", "complementarity", "J"},
    [CLI_CERT_CONE] = {"cone", "beyond the cone", "N s"},
    [CLI_CERT_FRICTION_POWER] = {"friction_power", "friction power", "W"},
    [CLI_CERT_PENETRATION] = {"penetration", "penetration", "m"},
    [CLI_CERT_LIFT_OFF] = {"lift_off", "lift-off", "m"},
    [CLI_CERT_CREEP] = {"creep", "creep", "m/s"},
    [CLI_CERT_DRIFT] = {"drift", "drift", "m"},
    [CLI_CERT_GAP_ERROR] = {"gap_error", "gap error", "m"},
    [CLI_CERT_CORRECTION] = {"correction", "correction", "m/s"},
    [CLI_CERT_HEADING] = {"heading", "friction off by", "rad"},
    [CLI_CERT_SHORTFALL] = {"shortfall", "friction missing", "of its size"},
};

// The rigid row whose gap is off by most at the end of the step.
static cli_name worst_rigid_row(const dp_model *m, const dp_data *d)
{
    const dp_step_problem *p = dp_data_problem(d);
    dp_row_info worst = {.element = -1};
    double most = -1.0;
    for (int i = 0; i < dp_data_row_count(d); ++i) {
        const dp_row_info row = dp_data_row(d, i);
        const double off = fabs(row.gap) * p->row[i].len;
        if (isinf(p->row[i].k) && row.state != DP_ROW_STATE_OPEN && off > most) {
            most = off;
            worst = row;
        }
    }
    if (most < 0.0) {
        return (cli_name){""};
    }
    return cli_row_name(m, &worst);
}

// [m] How thick a geom is where it is thinnest; infinite: no matter how deep others are in it.
static double thickness(const dp_model *m, dp_geom_id geom)
{
    const dp_geom_info info = dp_model_geom(m, geom);
    switch (info.kind) {
    case DP_GEOM_SPHERE:
    case DP_GEOM_CAPSULE:
        return 2.0 * info.size[0];
    case DP_GEOM_CYLINDER:
        return 2.0 * fmin(info.size[0], info.size[1]);
    case DP_GEOM_BOX:
    case DP_GEOM_ELLIPSOID:
        return 2.0 * fmin(info.size[0], fmin(info.size[1], info.size[2]));
    default:
        return (double)INFINITY;
    }
}

static double thinnest(const dp_model *m)
{
    double least = (double)INFINITY;
    for (int g = 0; g < dp_model_sizes(m)->ngeom; ++g) {
        least = fmin(least, thickness(m, (dp_geom_id){g}));
    }
    return least;
}

// The contacts of the last part of the step.
static void note_contacts(cli_rows_seen *seen, const dp_model *m, const dp_data *d)
{
    seen->capped_searches += dp_data_found_contact_outcome(d) == DP_QUERY_OUTCOME_CAPPED;
    const int count = dp_data_contact_count(d);
    int pushing = 0;
    seen->thinnest = seen->thinnest > 0.0 || count == 0 ? seen->thinnest : thinnest(m);
    for (int i = 0; i < count; ++i) {
        const dp_contact c = dp_data_contact(d, i);
        pushing += c.normal_force > 0.0;
        if (-c.gap <= seen->overlap * seen->thinnest) { // most are like many others
            continue;
        }
        const double thin = fmin(thickness(m, c.geom[0]), thickness(m, c.geom[1]));
        if (-c.gap / thin > seen->overlap) {
            seen->overlap = -c.gap / thin;
            seen->overlap_depth = -c.gap;
            seen->overlapping[0] = cli_geom_label(m, c.geom[0]);
            seen->overlapping[1] = cli_geom_label(m, c.geom[1]);
        }
    }
    seen->with_contacts += pushing > 0;
    seen->most_contacts = pushing > seen->most_contacts ? pushing : seen->most_contacts;
}

// [m/s] What closes gaps more slowly closes none.
static const double LEAST_CORRECTION = 1e-9;

void cli_rows_note(cli_rows_seen *seen, const dp_model *m, const dp_data *d)
{
    const dp_step_report *info = dp_data_report(d);
    const dp_certificate *c = &dp_data_report(d)->certificate;
    ++seen->steps;
    seen->dropped += info->dropped;
    seen->open = info->recovering > 0 ? info->corrected : 0.0;
    if (c->nrow == 0) {
        return;
    }
    ++seen->with_rows;
    note_contacts(seen, m, d);
    seen->rows += c->nrow;
    seen->most_rows = c->nrow > seen->most_rows ? c->nrow : seen->most_rows;
    seen->passes += info->work.passes;
    seen->iterations += info->work.iterations;
    seen->factorizations += info->work.factorizations;
    seen->parts += info->work.substeps;
    seen->most_parts =
        info->work.substeps > seen->most_parts ? info->work.substeps : seen->most_parts;
    seen->dependent = info->dependent > seen->dependent ? info->dependent : seen->dependent;
    seen->recovering += info->recovering > 0 ? 1 : 0;
    seen->fallbacks += c->fallbacks > 0 ? 1 : 0;
    seen->within_error += c->within_error > 0 ? 1 : 0;
    if (c->painleve > 0) {
        seen->first_painleve = seen->painleve == 0 ? dp_data_time(d) : seen->first_painleve;
        ++seen->painleve;
    }
    seen->impacts += c->impacts;
    seen->gains += info->impact_gains;
    seen->by_rule += info->by_rule;
    seen->by_spring += info->by_spring;
    if (info->corrected > 0.0) {
        ++*(c->correction > LEAST_CORRECTION ? &seen->corrected : &seen->jammed);
    }
    seen->violation = fmax(seen->violation, info->corrected);
    seen->replaced = c->replaced > seen->replaced ? c->replaced : seen->replaced;
    if (c->frictionless > seen->frictionless) {
        seen->frictionless = c->frictionless;
    }
    if (info->outcome == DP_OUTCOME_CONTRADICTORY) {
        ++seen->contradictory;
        if (info->inconsistent > seen->inconsistent) {
            seen->contradicting = worst_rigid_row(m, d);
        }
    }
    seen->inconsistent = fmax(seen->inconsistent, info->inconsistent);
    if (info->unsolved > 0) {
        seen->first_unsolved = seen->unsolved == 0 ? dp_data_time(d) : seen->first_unsolved;
        ++seen->unsolved;
        seen->unsolved_residual = fmax(seen->unsolved_residual, info->residual);
        seen->unsolved_gap = fmax(seen->unsolved_gap, info->gap_error);
    }
    const double x[CLI_CERTS] = {
        [CLI_CERT_MOMENTUM] = c->momentum,
        [CLI_CERT_NORMAL_LAW] = c->normal_law,
        [CLI_CERT_COMPLEMENTARITY] = c->complementarity,
        [CLI_CERT_CONE] = c->cone,
        [CLI_CERT_FRICTION_POWER] = c->friction_power,
        [CLI_CERT_PENETRATION] = c->penetration,
        [CLI_CERT_LIFT_OFF] = c->lift_off,
        [CLI_CERT_CREEP] = c->creep,
        [CLI_CERT_DRIFT] = c->drift,
        [CLI_CERT_GAP_ERROR] = info->gap_error,
        [CLI_CERT_CORRECTION] = c->correction,
        [CLI_CERT_HEADING] = c->heading,
        [CLI_CERT_SHORTFALL] = c->shortfall,
    };
    for (int i = 0; i < CLI_CERTS; ++i) {
        seen->worst[i] = fmax(seen->worst[i], x[i]);
        seen->sum[i] += x[i];
    }
}

// ---- table

// What friction may miss of its direction [rad] and size before it is worth a line: laws that have
// the cone miss it by what their tolerance leaves.
static const double LEAST_BIAS = 1e-4;

static double mean(double sum, long long count)
{
    return count > 0 ? sum / (double)count : 0.0;
}

void cli_rows_outcome_cells(cli_table *t, const cli_rows_seen *seen)
{
    if (seen->with_rows == 0) {
        return;
    }
    cli_cell(t, "outcome");
    if (seen->unsolved == 0 && seen->contradictory == 0) {
        char open[80] = "";
        if (seen->open > 0.0) {
            snprintf(open, sizeof open, "; rigid rows are still open by %.2g m at the end",
                     seen->open);
        }
        cli_cell(t, "all steps solved%s", open);
    } else if (seen->unsolved == 0) {
        cli_cell(t, "rigid rows contradict each other in %lld of %lld steps: least squares",
                 seen->contradictory, seen->steps);
    } else {
        cli_cell(t, "%lld of %lld steps not solved: residual %.2g m/s, gap %.2g m", seen->unsolved,
                 seen->steps, seen->unsolved_residual, seen->unsolved_gap);
    }
    if (seen->within_error > 0) {
        cli_cell(t, "within error");
        cli_cell(t, "%lld of %lld steps solved to law.error_share of their error",
                 seen->within_error, seen->steps);
    }
    if (seen->impacts > 0) {
        cli_cell(t, "impacts");
        cli_cell(t, "%lld with restitution, %lld of them with a gain of energy", seen->impacts,
                 seen->gains);
    }
    if (seen->by_rule + seen->by_spring > 0) {
        cli_cell(t, "restitution");
        cli_cell(t, "by the impact rule at %lld contacts, by resolved springs at %lld",
                 seen->by_rule, seen->by_spring);
    }
    if (seen->painleve > 0) {
        cli_cell(t, "Painlevé");
        cli_cell(t, "in %lld of %lld steps: no force, an impulse stops the slip", seen->painleve,
                 seen->steps);
    }
    if (seen->replaced > 0) {
        cli_cell(t, "not used");
        cli_cell(t, "springs and dashpots of up to %d rows: the law is rigid", seen->replaced);
    }
    if (seen->frictionless > 0) {
        cli_cell(t, "not used");
        cli_cell(t, "friction of up to %d springs of foundations: it is not simulated",
                 seen->frictionless);
    }
    if (seen->fallbacks > 0) {
        cli_cell(t, "fallback");
        cli_cell(t, "to the cone of Coulomb in %lld of %lld steps", seen->fallbacks, seen->steps);
    }
}

void cli_rows_certificate_cells(cli_table *t, const cli_rows_seen *seen)
{
    const long long n = seen->with_rows;
    if (n == 0) {
        return;
    }
    cli_cell(t, "rows");
    char where[60] = "";
    if (n < seen->steps) {
        snprintf(where, sizeof where, " in %lld of %lld steps", n, seen->steps);
    }
    cli_cell(t, "%.3g on average, %d at most%s", mean((double)seen->rows, n), seen->most_rows,
             where);
    if (seen->with_contacts > 0 || seen->dropped > 0) {
        cli_cell(t, "contacts");
        char dropped[60] = "";
        if (seen->dropped > 0) {
            snprintf(dropped, sizeof dropped, "; %lld dropped in passing", seen->dropped);
        }
        cli_cell(t, "%d points at most, in %lld of %lld steps%s", seen->most_contacts,
                 seen->with_contacts, seen->steps, dropped);
    }
    cli_cell(t, "solves");
    char parts[80] = "";
    if (seen->parts > n) {
        snprintf(parts, sizeof parts, "; %.3g parts, at most %lld", mean((double)seen->parts, n),
                 seen->most_parts);
    }
    cli_cell(t, "passes %.3g, iterations %.3g, factorizations %.3g per step%s",
             mean((double)seen->passes, n), mean((double)seen->iterations, n),
             mean((double)seen->factorizations, n), parts);
    for (int i = 0; i < CLI_CERTS; ++i) {
        const bool of_polygon = i == CLI_CERT_HEADING || i == CLI_CERT_SHORTFALL;
        if (seen->worst[i] > (of_polygon ? LEAST_BIAS : 0.0) || i == CLI_CERT_NORMAL_LAW) {
            cli_cell(t, "%s", cert[i].label);
            cli_cell(t, "%.2g %s at worst, %.2g on average", seen->worst[i], cert[i].unit,
                     mean(seen->sum[i], n));
        }
    }
}

// ---- JSON

void cli_rows_json(cli_json *j, const cli_rows_seen *seen)
{
    const long long n = seen->with_rows;
    if (n == 0) {
        cli_json_null(j, "rows");
        cli_json_null(j, "certificate");
        return;
    }
    cli_json_open(j, "rows");
    cli_json_count(j, "steps", n);
    cli_json_number(j, "mean", mean((double)seen->rows, n));
    cli_json_count(j, "most", seen->most_rows);
    cli_json_count(j, "passes", seen->passes);
    cli_json_count(j, "iterations", seen->iterations);
    cli_json_count(j, "factorizations", seen->factorizations);
    cli_json_count(j, "parts", seen->parts);
    cli_json_count(j, "unsolved_steps", seen->unsolved);
    cli_json_number(j, "unsolved_residual", seen->unsolved_residual);
    cli_json_number(j, "unsolved_gap", seen->unsolved_gap);
    cli_json_count(j, "recovering_steps", seen->recovering);
    cli_json_count(j, "jammed_steps", seen->jammed);
    cli_json_number(j, "open_gap", seen->open);
    cli_json_count(j, "dropped_contacts", seen->dropped);
    cli_json_count(j, "fallback_steps", seen->fallbacks);
    cli_json_count(j, "within_error_steps", seen->within_error);
    cli_json_count(j, "painleve_steps", seen->painleve);
    cli_json_count(j, "impacts", seen->impacts);
    cli_json_count(j, "impact_gains", seen->gains);
    cli_json_count(j, "restitution_by_rule", seen->by_rule);
    cli_json_count(j, "restitution_by_spring", seen->by_spring);
    cli_json_count(j, "replaced", seen->replaced);
    cli_json_count(j, "frictionless", seen->frictionless);
    cli_json_count(j, "dependent", seen->dependent);
    cli_json_count(j, "contradictory_steps", seen->contradictory);
    cli_json_number(j, "inconsistent", seen->inconsistent);
    cli_json_count(j, "contact_steps", seen->with_contacts);
    cli_json_count(j, "most_contacts", seen->most_contacts);
    cli_json_count(j, "capped_searches", seen->capped_searches);
    cli_json_close(j);
    cli_json_open(j, "certificate");
    cli_json_open(j, "worst");
    for (int i = 0; i < CLI_CERTS; ++i) {
        cli_json_number(j, cert[i].key, seen->worst[i]);
    }
    cli_json_close(j);
    cli_json_open(j, "mean");
    for (int i = 0; i < CLI_CERTS; ++i) {
        cli_json_number(j, cert[i].key, mean(seen->sum[i], n));
    }
    cli_json_close(j);
    cli_json_close(j);
}

// ---- symptoms

// [m] Less is what the curvature of a path leaves in a step: the certificate has it, and no note.
static const double RESOLVED_VIOLATION = 1e-4;

// Contacts: how they stick, whether they push at a distance, how deep they are.
static void complain_of_contacts(const cli_rows_seen *seen, const dp_options *options)
{
    const double creep = seen->worst[CLI_CERT_CREEP], lift = seen->worst[CLI_CERT_LIFT_OFF];
    const double much = 0.1;                                        // of the thickness of a geom
    const bool met = seen->within_error > 0 && seen->unsolved == 0; // the table says so
    if (options->solver.law == DP_LAW_TAMSI) {
        if (creep > options->solver.tolerance) {
            cli_complain("note: creep %.2g m/s: friction of this law holds by creeping, at %g m/s "
                         "at most (friction.slip_speed)",
                         creep, options->solver.friction.slip_speed);
        }
    } else if (creep > options->solver.tolerance && dp_law_compliance(&options->solver) > 0.0) {
        cli_complain("note: creep %.2g m/s: what holds gives way by the compliance of the law "
                     "(rigid.compliance)",
                     creep);
    } else if (creep > options->solver.tolerance && !met) {
        cli_complain("note: creep %.2g m/s: contacts that stick moved, since the law was not met; "
                     "try --step %.2g or --set law.max_factorizations=%d",
                     creep, 0.1 * options->step, 4 * options->solver.max_factorizations);
    }
    const dp_law_options *law = &options->solver;
    const bool separates =
        law->law == DP_LAW_VI && law->vi.friction == DP_VI_FRICTION_CONE && !law->vi.desaxce;
    if (lift > options->gap_tolerance && separates) {
        cli_complain(
            "note: lift-off %.2g m: under the law vi contacts that slide at v separate by "
            "h mu v, step by friction by speed; --set vi.desaxce=true or --law ncp keep it "
            "on the ground",
            lift);
    } else if (lift > options->gap_tolerance && !met) {
        cli_complain("note: lift-off %.2g m: rows pushed across a gap, since the law was not met; "
                     "try --step %.2g or --set law.max_factorizations=%d",
                     lift, 0.1 * options->step, 4 * options->solver.max_factorizations);
    }
    if (seen->overlap > much) {
        cli_complain("note: penetration %.2g m: %s and %s overlap by %.0f %% of the thinner one; "
                     "try a stiffer dp:stiffness on them, --step %.2g, or a start further apart",
                     seen->overlap_depth, seen->overlapping[0].text, seen->overlapping[1].text,
                     100.0 * seen->overlap, 0.1 * options->step);
    }
    if (seen->capped_searches > 0) {
        cli_complain("note: in %lld steps the search for contacts was cut short: points and "
                     "normals are approximate there; meshes with very flat or very many faces do "
                     "this, simpler ones help",
                     seen->capped_searches);
    }
}

void cli_rows_complain(const cli_rows_seen *seen, dp_data *d, const char *scene)
{
    const dp_options *options = dp_data_options(d);
    if (seen->unsolved > 0 && seen->unsolved_gap > options->gap_tolerance) {
        cli_complain("note: in %lld steps, the first before t = %.10g s, gaps were missed by up to "
                     "%.2g m: the mechanism turns too far in a step; try --step %.2g or --accuracy "
                     "1e-4",
                     seen->unsolved, seen->first_unsolved, seen->unsolved_gap, 0.1 * options->step);
    } else if (seen->unsolved > 0) {
        cli_complain("note: in %lld steps, the first before t = %.10g s, the law was missed by up "
                     "to %.2g m/s (tolerance %g); try --set law.max_factorizations=%d or --step "
                     "%.2g, and --dump-problems to look into it",
                     seen->unsolved, seen->first_unsolved, seen->unsolved_residual,
                     options->solver.tolerance, 4 * options->solver.max_factorizations,
                     0.1 * options->step);
    }
    if (seen->fallbacks > 0) {
        cli_complain("note: in %lld steps the complementarity problem was not solved, and friction "
                     "is that of the cone instead; --dump-problems shows them to 'dashpot solve'",
                     seen->fallbacks);
    }
    if (seen->painleve > 0) {
        cli_complain(
            "note: in %lld steps, the first before t = %.10g s, sliding friction has no "
            "force at a contact, or more than one (Painlevé's paradox): an impulse stopped "
            "the slip; less friction or a compliant contact avoids it",
            seen->painleve, seen->first_painleve);
    }
    if (seen->gains > 0) {
        cli_complain("note: %lld impacts gained energy: the rule %s does that where contacts "
                     "couple; --set impact.rule=expedient never does",
                     seen->gains, dp_impact_rule_name(options->solver.impact.rule));
    }
    if (seen->jammed > 0 && seen->open > 0.0) {
        cli_complain("note: rigid rows are open by %.2g m at the end: in %lld steps no motion that "
                     "the mechanism can bear closed them; 'dashpot check %s' lists loops that "
                     "do not close",
                     seen->open, seen->jammed, scene);
    }
    if (seen->corrected > 0 && (seen->recovering > 0 || seen->violation > RESOLVED_VIOLATION)) {
        cli_complain(
            "note: rigid rows were violated by up to %.2g m and were closed in %lld steps, "
            "at up to %g m/s (correction_speed); that moved bodies and left no velocity",
            seen->violation, seen->corrected, options->correction_speed);
    } else if (seen->recovering > 0) {
        cli_complain("note: in %lld steps springs that the step does not resolve were closed in "
                     "part, for no more than about 1 m/s or rad/s: what the rest of their gaps "
                     "held is lost (position correction); a shorter --step releases it",
                     seen->recovering);
    }
    if (seen->inconsistent > options->solver.tolerance) {
        cli_complain("note: rigid rows contradict each other, by up to %.2g m/s%s%s: they are met "
                     "in the least squares; 'dashpot check %s' lists loops that do not close; "
                     "dp:stiffness on an equality lets it give",
                     seen->inconsistent, seen->contradicting.text[0] ? ", most of all the " : "",
                     seen->contradicting.text, scene);
    }
    complain_of_contacts(seen, options);
}

// ---- energy

bool cli_rows_stop(const cli_rows_seen *seen)
{
    return seen->worst[CLI_CERT_COMPLEMENTARITY] > 0.0 || seen->worst[CLI_CERT_PENETRATION] > 0.0;
}

void cli_ledger_words(char *out, size_t size, const dp_ledger *ledger)
{
    const struct {
        const char *word;
        double work;
    } part[] = {
        {"applied forces", ledger->applied}, {"drives", ledger->drives},
        {"moved references", ledger->moved}, {"position correction", ledger->corrected},
        {"dampers", -ledger->damped},        {"friction", -ledger->friction},
        {"impacts", -ledger->impacts},
    };
    out[0] = '\0';
    for (size_t i = 0; i < sizeof part / sizeof part[0]; ++i) {
        if (part[i].work != 0.0) {
            const size_t used = strlen(out);
            snprintf(out + used, size - used, "%s%s %.3g", used > 0 ? ", " : "", part[i].word,
                     part[i].work);
        }
    }
    const size_t used = strlen(out);
    if (used > 0) {
        snprintf(out + used, size - used, ", numerical dissipation %.2g", ledger->remainder);
    }
}

void cli_ledger_json(cli_json *j, const dp_ledger *ledger, dp_energy first, dp_energy last)
{
    if (!ledger->begun) {
        cli_json_null(j, "ledger");
        return;
    }
    cli_json_open(j, "ledger");
    cli_json_number(j, "kinetic", last.kinetic - first.kinetic);
    cli_json_number(j, "gravity", last.gravity - first.gravity);
    cli_json_number(j, "spring", last.spring - first.spring);
    cli_json_number(j, "elastic", ledger->elastic - ledger->elastic_before);
    cli_json_number(j, "applied", ledger->applied);
    cli_json_number(j, "drives", ledger->drives);
    cli_json_number(j, "moved", ledger->moved);
    cli_json_number(j, "corrected", ledger->corrected);
    cli_json_number(j, "damped", ledger->damped);
    cli_json_number(j, "friction", ledger->friction);
    cli_json_number(j, "impacts", ledger->impacts);
    cli_json_number(j, "remainder", ledger->remainder);
    cli_json_number(j, "contact", ledger->contact);
    cli_json_number(j, "contact_damped", ledger->contact_damped);
    cli_json_number(j, "contact_friction", ledger->contact_friction);
    cli_json_close(j);
}
