#include "report/caveats.h"

#include "common/element_names.h"

#include <dashpot/contact.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add(cli_caveats *out, cli_caveat_kind kind, const char *format, ...) DP_PRINTF(3, 4);
static void add(cli_caveats *out, cli_caveat_kind kind, const char *format, ...)
{
    char text[800];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    cli_caveat *const grown = realloc(out->item, ((size_t)out->count + 1) * sizeof *grown);
    if (!grown) {
        out->failed = true;
        return;
    }
    out->item = grown;
    grown[out->count] = (cli_caveat){kind, malloc(strlen(text) + 1)};
    if (!grown[out->count].text) {
        out->failed = true;
        return;
    }
    memcpy(grown[out->count].text, text, strlen(text) + 1);
    ++out->count;
}

void cli_caveats_destroy(cli_caveats *caveats)
{
    for (int i = 0; i < caveats->count; ++i) {
        free(caveats->item[i].text);
    }
    free(caveats->item);
    *caveats = (cli_caveats){0};
}

// --- what is switched off -----------------------------------------------------------------------

static bool has_limits(const dp_model *m)
{
    for (int j = 0; j < dp_model_sizes(m)->njoint; ++j) {
        if (dp_model_joint(m, (dp_joint_id){j}).limited) {
            return true;
        }
    }
    for (int i = 0; i < dp_model_sizes(m)->ntendon; ++i) {
        if (dp_model_tendon(m, (dp_tendon_id){i}).limited) {
            return true;
        }
    }
    return false;
}

// Could any two geoms touch? Of very many, some do.
static bool has_contacts(const dp_model *m)
{
    const int n = dp_model_sizes(m)->ngeom, very_many = 1000;
    for (int a = 0; a < n && n <= very_many; ++a) {
        for (int b = a + 1; b < n; ++b) {
            if (dp_model_may_touch(m, (dp_geom_id){a}, (dp_geom_id){b})) {
                return true;
            }
        }
    }
    return n > very_many || dp_model_sizes(m)->nfoundation > 0;
}

static bool has_springs(const dp_model *m, bool dampers)
{
    for (int j = 0; j < dp_model_sizes(m)->njoint; ++j) {
        const dp_joint_info joint = dp_model_joint(m, (dp_joint_id){j});
        if ((dampers ? joint.damping : joint.stiffness) != 0.0) {
            return true;
        }
    }
    return false;
}

static void find_disabled(cli_caveats *out, const dp_model *m, const dp_options *o)
{
    const dp_model_size *size = dp_model_sizes(m);
    const struct {
        const char *name;
        bool is;
    } part[] = {{"contact", o->disable_contact && has_contacts(m)},
                {"limits", o->disable_limits && has_limits(m)},
                {"equalities", o->disable_equality && size->nequality > 0},
                {"actuation", o->disable_actuation && size->nactuator > 0},
                {"joint springs", o->disable_springs && has_springs(m, false)},
                {"joint dampers", o->disable_dampers && has_springs(m, true)},
                {"gravity", o->disable_gravity}};
    char list[200] = "";
    for (size_t i = 0; i < sizeof part / sizeof part[0]; ++i) {
        if (part[i].is) {
            const size_t used = strlen(list);
            snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "", part[i].name);
        }
    }
    if (list[0] != '\0') {
        add(out, CLI_CAVEAT_DISABLED, "%s: by the scene or its settings", list);
    }
}

// --- what is replaced ---------------------------------------------------------------------------

static void find_approximated(cli_caveats *out, const dp_import_report *report, const dp_options *o)
{
    int others = 0;
    for (int i = 0; i < dp_import_report_count(report); ++i) {
        const dp_import_item item = dp_import_report_item(report, i);
        if (item.verdict != DP_IMPORT_VERDICT_APPROXIMATED) {
            continue;
        }
        if (strcmp(item.element, "option") != 0 || strcmp(item.attribute, "integrator") != 0) {
            ++others;
        } else if (o->integrator == DP_INTEGRATOR_SEMI_IMPLICIT) {
            add(out, CLI_CAVEAT_APPROXIMATED, "the integrator %s", item.note);
        }
    }
    if (others > 0) {
        add(out, CLI_CAVEAT_APPROXIMATED,
            "%d element%s or attribute%s of the file: 'dashpot check' lists them", others,
            others == 1 ? "" : "s", others == 1 ? "" : "s");
    }
}

static void find_friction(cli_caveats *out, const dp_model *m, const dp_options *o)
{
    for (int i = 0; i < dp_model_sizes(m)->nfoundation && !o->disable_contact; ++i) {
        const dp_foundation_info f = dp_model_foundation(m, i);
        const double mu = f.friction * o->contact_friction_scale;
        if (mu > 0.0) {
            add(out, CLI_CAVEAT_FRICTION,
                "μ = %.4g of the foundation of %s on %s is not simulated: it slides freely", mu,
                cli_geom_label(m, f.geom).text, cli_geom_label(m, f.plane).text);
        }
    }
}

// --- settings without effect --------------------------------------------------------------------

int cli_idle_option(char *out, size_t size, const dp_law_options *law, int first)
{
    const dp_law_options usual = dp_law_options_default();
    for (int i = first; i < dp_law_options_name_count(); ++i) {
        char value[64], standard[64], laws[80] = "";
        dp_law_options_text(value, sizeof value, law, i);
        dp_law_options_text(standard, sizeof standard, &usual, i);
        if (dp_law_has_option(law->law, i) || strcmp(value, standard) == 0) {
            continue;
        }
        for (int k = DP_LAW_COMPLIANT; k <= DP_LAW_TAMSI; ++k) {
            if (dp_law_has_option((dp_law_kind)k, i)) {
                const size_t used = strlen(laws);
                snprintf(laws + used, sizeof laws - used, "%s%s", used > 0 ? ", " : "",
                         dp_law_name((dp_law_kind)k));
            }
        }
        snprintf(out, size, "%s=%s under the law %s: it concerns %s", dp_law_options_name(i), value,
                 dp_law_name(law->law), laws);
        return i;
    }
    return -1;
}

// Options of the chosen law that another of its options leaves without effect.
static void find_idle_beside(cli_caveats *out, const dp_law_options *law)
{
    if (law->law == DP_LAW_VI && law->vi.desaxce && law->vi.friction == DP_VI_FRICTION_DISC) {
        add(out, CLI_CAVEAT_NO_EFFECT, "vi.desaxce=true with vi.friction=disc: it concerns cones");
    }
}

static void find_idle(cli_caveats *out, const dp_options *o)
{
    char text[200];
    for (int i = -1; (i = cli_idle_option(text, sizeof text, &o->solver, i + 1)) >= 0;) {
        add(out, CLI_CAVEAT_NO_EFFECT, "%s", text);
    }
    find_idle_beside(out, &o->solver);
    const dp_options usual = dp_options_default();
    if (o->integrator != DP_INTEGRATOR_SEMI_IMPLICIT && o->solver.law != usual.solver.law) {
        add(out, CLI_CAVEAT_NO_EFFECT, "law=%s under %s: the semi-implicit step has laws",
            dp_law_name(o->solver.law), dp_integrator_name(o->integrator));
    }
    if (o->ode_stiffness > 0.0 && !dp_options_is_ode(o)) {
        add(out, CLI_CAVEAT_NO_EFFECT,
            "ode.stiffness=%g under %s: it concerns rk45, "
            "implicit-euler and cvode",
            o->ode_stiffness, dp_integrator_name(o->integrator));
    }
    if (o->sleep_time != usual.sleep_time && !(o->sleep_speed > 0.0)) {
        add(out, CLI_CAVEAT_NO_EFFECT, "sleep_time=%g without a sleep_speed above 0",
            o->sleep_time);
    }
    const struct {
        const char *name;
        double value, usual;
    } tolerance[] = {
        {"relative_tolerance", o->relative_tolerance, usual.relative_tolerance},
        {"absolute_tolerance", o->absolute_tolerance, usual.absolute_tolerance},
    };
    for (size_t i = 0; i < 2 && !cli_has_error_control(o); ++i) {
        if (tolerance[i].value != tolerance[i].usual) {
            add(out, CLI_CAVEAT_NO_EFFECT, "%s=%g under %s: it concerns rk45 and cvode",
                tolerance[i].name, tolerance[i].value, dp_integrator_name(o->integrator));
        }
    }
}

void cli_caveats_find(cli_caveats *out, const cli_scene *scene, const dp_options *settings)
{
    *out = (cli_caveats){0};
    find_disabled(out, scene->model, settings);
    find_approximated(out, scene->report, settings);
    find_friction(out, scene->model, settings);
    find_idle(out, settings);
}

// --- output -------------------------------------------------------------------------------------

static const char *const labels[CLI_CAVEAT_KINDS] = {"disabled", "approximated", "friction",
                                                     "no effect"};
static const char *const keys[CLI_CAVEAT_KINDS] = {"disabled", "approximated", "friction",
                                                   "no_effect"};

void cli_caveats_cells(cli_table *t, const cli_caveats *caveats)
{
    enum { MOST = 3 };
    int told = 0, more = 0;
    for (int i = 0; i < caveats->count; ++i) {
        const cli_caveat *c = &caveats->item[i];
        const bool first = i == 0 || c[-1].kind != c->kind;
        const bool last = i + 1 == caveats->count || c[1].kind != c->kind;
        told = first ? 0 : told;
        more = first ? 0 : more;
        if (told < MOST) {
            cli_cell(t, "%s", first ? labels[c->kind] : "");
            cli_cell(t, "%s", c->text);
            ++told;
        } else {
            ++more;
        }
        if (last && more > 0) {
            cli_cell(t, "%s", "");
            cli_cell(t, "… and %d more of this kind", more);
        }
    }
}

void cli_caveats_json(cli_json *j, const cli_caveats *caveats)
{
    cli_json_array(j, "caveats");
    for (int i = 0; i < caveats->count; ++i) {
        cli_json_open(j, NULL);
        cli_json_text(j, "kind", keys[caveats->item[i].kind]);
        cli_json_text(j, "message", caveats->item[i].text);
        cli_json_close(j);
    }
    cli_json_end(j);
}
