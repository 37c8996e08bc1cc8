// `dashpot check --forces`: the reactions of joints and contacts, and which of them equilibrium
// does not determine.
#include "check/checked.h"
#include "common/element_names.h"
#include "common/table.h"
#include "common/text.h"

#include <math.h>
#include <stdio.h>

dp_status cli_find_forces(cli_checked *c, double length)
{
    dp_statics_options options = dp_statics_options_default();
    options.length = length;
    return dp_statics_create(&c->forces, c->data, &options, NULL);
}

// ---- names

// "hinge A", "weld of lid", "joints of ram", "floor on leg", "lower limit of joint 'knee'"
static cli_name connection(const dp_model *m, const dp_reaction *r)
{
    cli_name out;
    if (r->joint) {
        const dp_body_info body = dp_model_body(m, r->on);
        const char *of = body.njoint == 0 ? "weld of" : "joints of";
        if (body.njoint == 1) {
            return cli_label("joint", dp_model_joint(m, (dp_joint_id){r->element}).name,
                             r->element);
        }
        snprintf(out.text, sizeof out.text, "%s %.250s", of, cli_body_label(m, r->on).text);
    } else if (r->source == DP_ROW_SOURCE_CONTACT) {
        snprintf(out.text, sizeof out.text, "%.150s on %.150s", cli_geom_label(m, r->geom[1]).text,
                 cli_geom_label(m, r->geom[0]).text);
    } else if (r->source == DP_ROW_SOURCE_EQUALITY) {
        return cli_label("equality", dp_model_equality(m, (dp_equality_id){r->element}).name,
                         r->element);
    } else {
        return cli_row_name(
            m,
            &(dp_row_info){.source = r->source, .element = r->element, .component = r->component});
    }
    return out;
}

static double along_axis(const cli_checked *c, const dp_reaction *r)
{
    const dp_v3 a = dp_joint_axis(c->data, (dp_joint_id){r->element});
    const dp_v3 d = r->moment ? r->direction.t : r->direction.f;
    return fabs(a.x * d.x + a.y * d.y + a.z * d.z);
}

static const char *component(const cli_checked *c, const dp_reaction *r)
{
    static const char *const of_contact[] = {"normal",  "friction", "friction",
                                             "torsion", "rolling",  "rolling"};
    if (!r->joint && r->source == DP_ROW_SOURCE_CONTACT) {
        return of_contact[r->component];
    }
    if (r->joint && r->element >= 0 && along_axis(c, r) > 1.0 - 1e-9) {
        return r->moment ? "axial moment" : "axial force";
    }
    return r->moment ? "moment" : "force";
}

// "x", "-z", "0.6 0 0.8"; of what is both a force and a moment, the force
static cli_name direction(const dp_reaction *r)
{
    static const char *const axis[] = {"x", "y", "z"};
    const dp_v3 v = r->moment ? r->direction.t : r->direction.f;
    const double d[3] = {cli_tidy(v.x), cli_tidy(v.y), cli_tidy(v.z)};
    const double size = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    cli_name out = {""};
    for (int k = 0; size > 0.0 && k < 3; ++k) {
        if (fabs(d[k]) > size * (1.0 - 1e-12)) {
            snprintf(out.text, sizeof out.text, "%s%s", d[k] < 0.0 ? "-" : "", axis[k]);
            return out;
        }
    }
    if (size > 0.0) {
        snprintf(out.text, sizeof out.text, "%.3g %.3g %.3g", d[0], d[1], d[2]);
    }
    return out;
}

static const char *bound_name(dp_reaction_bound bound)
{
    static const char *const name[] = {"free", "pushes", "limited", "friction", "follows"};
    return name[bound];
}

// ---- text

// @param size the largest of all: beside it less than 1e-12 looks like what it is
static void put_number(cli_table *t, double x, double size)
{
    cli_cell(t, "%s",
             isinf(x)                  ? (x < 0.0 ? "-inf" : "inf")
             : fabs(x) <= 1e-12 * size ? "0"
                                       : cli_short(5, x).text);
}

static double largest(const dp_statics *s)
{
    double size = 0.0;
    for (int i = 0; i < dp_statics_count(s); ++i) {
        size = fmax(size, fabs(dp_statics_reaction(s, i)->least_norm));
    }
    return size;
}

static void put_names(cli_table *t, const cli_checked *c, const dp_reaction *r)
{
    cli_cell(t, "%s", connection(c->scene.model, r).text);
    cli_cell(t, "%s", r->on.index >= 0 ? cli_body_label(c->scene.model, r->on).text : "");
    cli_cell(t, "%s", component(c, r));
    cli_cell(t, "%s", direction(r).text);
}

static void print_undetermined(const cli_checked *c)
{
    static const char *const heading[] = {"~reaction",   "~on",       "component", "along",
                                          ">least norm", ">smallest", ">largest",  "unit"};
    const dp_statics *s = c->forces;
    const double size = largest(s);
    cli_table t = cli_table_new(8, heading);
    for (int i = 0; i < dp_statics_count(s); ++i) {
        const dp_reaction *r = dp_statics_reaction(s, i);
        if (r->determined) {
            continue;
        }
        put_names(&t, c, r);
        put_number(&t, r->least_norm, size);
        if (r->range_known) {
            put_number(&t, r->lowest, size);
            put_number(&t, r->highest, size);
        } else {
            cli_cell(&t, "?");
            cli_cell(&t, "?");
        }
        cli_cell(&t, "%s", r->moment ? "N m" : "N");
    }
    puts("\nNot determined: how these share their load is a choice");
    cli_table_print(&t);
}

static void print_determined(const cli_checked *c)
{
    static const char *const heading[] = {"~reaction", "~on",    "component",
                                          "along",     ">value", "unit"};
    const dp_statics *s = c->forces;
    const double size = largest(s);
    cli_table t = cli_table_new(6, heading);
    for (int i = 0; i < dp_statics_count(s); ++i) {
        const dp_reaction *r = dp_statics_reaction(s, i);
        if (r->determined) {
            put_names(&t, c, r);
            put_number(&t, r->least_norm, size);
            cli_cell(&t, "%s", r->moment ? "N m" : "N");
        }
    }
    puts("\nDetermined by equilibrium");
    cli_table_print(&t);
}

static void print_rank(const dp_statics_info *info)
{
    cli_print("  %d component%s in %d equations of rank %d: ", info->ncomponent,
              info->ncomponent == 1 ? "" : "s", info->nequation, info->rank);
    if (info->nullity == 0) {
        puts("equilibrium determines them all");
    } else {
        cli_print("%d %s too many, in which %d take part\n", info->nullity,
                  info->nullity == 1 ? "is" : "are", info->nundetermined);
    }
    cli_print("  smallest singular value %s of the largest", cli_short(3, info->smallest).text);
    if (info->largest_zero > 0.0) {
        cli_print(", next %s", cli_short(3, info->largest_zero).text);
    }
    cli_print("; up to %s counts as 0\n", cli_short(3, info->tolerance).text);
}

static void print_troubles(const dp_statics_info *info)
{
    if (info->outcome != DP_OUTCOME_CONVERGED) {
        cli_print("  accelerations are not exact: %s, residual %s m/s2\n",
                  dp_outcome_name(info->outcome), cli_short(3, info->residual).text);
    }
    if (!info->admissible) {
        puts("  no reaction within its bounds holds these loads");
    }
    if (info->motion_open) {
        puts("  the motion is open, too: friction that slides depends on what is not determined");
    }
    if (info->impacts > 0) {
        cli_print(
            "  %d contact%s or limit%s just being struck: taken as closed, without the blow\n",
            info->impacts, info->impacts == 1 ? "" : "s", info->impacts == 1 ? " is" : "s are");
    }
    if (info->unknown_ranges > 0) {
        cli_print("  ?: %d range%s not known, the search was stopped\n", info->unknown_ranges,
                  info->unknown_ranges == 1 ? " is" : "s are");
    }
}

void cli_print_forces(const cli_checked *c)
{
    const dp_statics_info *info = dp_statics_info_of(c->forces);
    cli_print("Reactions at %s%s\n", c->keyframe ? "keyframe " : "the start",
              c->keyframe ? c->keyframe : "");
    if (dp_statics_count(c->forces) == 0) {
        puts("  none: nothing holds anything");
        return;
    }
    print_rank(info);
    print_troubles(info);
    if (info->nundetermined > 0) {
        print_undetermined(c);
    }
    if (info->nundetermined < dp_statics_count(c->forces)) {
        print_determined(c);
    }
    puts("\n  as rigid bodies, under gravity, applied forces, drives, springs and the inertia of "
         "the\n"
         "  accelerations at this moment; forces on the body named, along axes of the world");
    if (info->nundetermined > 0) {
        cli_print("  least norm: of sqrt(sum force^2 + sum (moment/%s m)^2) within the bounds\n",
                  cli_short(4, info->length).text);
    }
}

// ---- JSON

static void json_v3(cli_json *json, const char *key, dp_v3 v)
{
    cli_json_numbers(json, key, (double[]){v.x, v.y, v.z}, 3);
}

static void json_reaction(cli_json *json, const cli_checked *c, const dp_reaction *r)
{
    cli_json_open(json, NULL);
    cli_json_text(json, "reaction", connection(c->scene.model, r).text);
    cli_json_text(json, "source", r->joint ? "joint" : dp_row_source_name(r->source));
    cli_json_count(json, "element", r->element);
    cli_json_count(json, "component", r->component);
    cli_json_text(json, "name", component(c, r));
    cli_json_count(json, "on", r->on.index);
    cli_json_count(json, "by", r->by.index);
    if (r->geom[0].index >= 0) {
        cli_json_count(json, "geom_a", r->geom[0].index);
        cli_json_count(json, "geom_b", r->geom[1].index);
    }
    cli_json_text(json, "unit", r->moment ? "N m" : "N");
    json_v3(json, "point", r->point);
    json_v3(json, "force", r->direction.f);
    json_v3(json, "moment", r->direction.t);
    cli_json_text(json, "bound", bound_name(r->bound));
    cli_json_number(json, "limit", r->limit);
    cli_json_bool(json, "determined", r->determined);
    cli_json_number(json, "freedom", r->freedom);
    cli_json_number(json, "least_norm", r->least_norm);
    cli_json_number(json, "smallest", r->lowest);
    cli_json_number(json, "largest", r->highest);
    cli_json_bool(json, "range_known", r->range_known);
    cli_json_close(json);
}

void cli_json_forces(cli_json *json, const cli_checked *c)
{
    const dp_statics_info *info = dp_statics_info_of(c->forces);
    cli_json_open(json, "statics");
    cli_json_count(json, "equations", info->nequation);
    cli_json_count(json, "components", info->ncomponent);
    cli_json_count(json, "rank", info->rank);
    cli_json_count(json, "nullity", info->nullity);
    cli_json_count(json, "mobility", info->mobility);
    cli_json_count(json, "undetermined", info->nundetermined);
    cli_json_bool(json, "motion_open", info->motion_open);
    cli_json_number(json, "length", info->length);
    cli_json_number(json, "smallest_singular_value", info->smallest);
    cli_json_number(json, "largest_zero", info->largest_zero);
    cli_json_number(json, "tolerance", info->tolerance);
    cli_json_bool(json, "admissible", info->admissible);
    cli_json_number(json, "missed", info->missed);
    cli_json_number(json, "range_gap", info->range_gap);
    cli_json_count(json, "unknown_ranges", info->unknown_ranges);
    cli_json_text(json, "outcome", dp_outcome_name(info->outcome));
    cli_json_number(json, "residual", info->residual);
    cli_json_count(json, "impacts", info->impacts);
    cli_json_array(json, "reactions");
    for (int i = 0; i < dp_statics_count(c->forces); ++i) {
        json_reaction(json, c, dp_statics_reaction(c->forces, i));
    }
    cli_json_end(json);
    cli_json_close(json);
}
