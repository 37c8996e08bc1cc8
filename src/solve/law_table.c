// Which laws there are: one row each. All that is particular to a law is here or in its own
// file; others ask for traits. docs/laws/own.md says how to add one.
#include "base/error.h"
#include "base/option.h"
#include "solve/law_option.h"
#include "solve/law_part.h"
#include "solve/tamsi.h"

#include <stdio.h>
#include <string.h>

// The law `tamsi` and its variants. Slip speeds say nothing of an instant: impacts are those of
// `compliant`.
#define TAMSI(name_)                                                                               \
    {                                                                                              \
        .name = (name_), .traits = DP_LAW_TRAIT_REGULARISED, .impact = &table[DP_LAW_COMPLIANT],   \
        .option = dp_tamsi_law_options, .part_bytes = sizeof(dp_shared_part),                      \
        .memory = dp_part_memory, .prepare = dp_part_prepare, .is_reusable = dp_part_is_reusable,  \
        .restart = dp_part_restart, .solve = dp_tamsi_solve_part, .view = dp_tamsi_view,           \
        .mobility = dp_part_mobility                                                               \
    }
static const dp_law table[] = {
    [DP_LAW_COMPLIANT] = {.name = "compliant",
                          .traits = DP_LAW_TRAIT_LINKS,
                          .part_bytes = sizeof(dp_shared_part),
                          .memory = dp_part_memory,
                          .prepare = dp_part_prepare,
                          .is_reusable = dp_part_is_reusable,
                          .restart = dp_part_restart,
                          .solve = dp_part_solve,
                          .mobility = dp_part_mobility},
    [DP_LAW_LCP] = {.name = "lcp",
                    .traits = DP_LAW_TRAIT_RIGID | DP_LAW_TRAIT_POLYHEDRAL,
                    .option = dp_lcp_law_options,
                    .part_bytes = sizeof(dp_lcp_part),
                    .memory = dp_part_memory,
                    .refuses = dp_lcp_refuses,
                    .prepare = dp_lcp_prepare,
                    .is_reusable = dp_lcp_is_reusable,
                    .restart = dp_part_restart,
                    .solve = dp_lcp_solve_part,
                    .view = dp_lcp_view,
                    .mobility = dp_part_mobility},
    [DP_LAW_NCP] = {.name = "ncp",
                    .traits = DP_LAW_TRAIT_RIGID | DP_LAW_TRAIT_WEIGHTED,
                    .compliance = dp_ncp_compliance,
                    .option = dp_rigid_law_options,
                    .part_bytes = sizeof(dp_shared_part),
                    .memory = dp_part_memory,
                    .prepare = dp_part_prepare,
                    .is_reusable = dp_part_is_reusable,
                    .restart = dp_part_restart,
                    .solve = dp_ncp_solve,
                    .mobility = dp_part_mobility},
    [DP_LAW_VI] = {.name = "vi",
                   .traits = DP_LAW_TRAIT_RIGID | DP_LAW_TRAIT_WEIGHTED,
                   .more_traits = dp_vi_traits,
                   .compliance = dp_vi_compliance,
                   .option = dp_vi_law_options,
                   .part_bytes = sizeof(dp_vi_part),
                   .memory = dp_vi_memory,
                   .prepare = dp_part_prepare,
                   .is_reusable = dp_part_is_reusable,
                   .restart = dp_part_restart,
                   .solve = dp_vi_solve,
                   .view = dp_vi_view,
                   .mobility = dp_part_mobility},
    [DP_LAW_TAMSI] = TAMSI("tamsi"),
};
enum { LAWS = sizeof table / sizeof *table };

static const dp_law variant[] = {
    [DP_TAMSI_VARIANT_ONE_WAY] = TAMSI("tamsi-one-way"),
    [DP_TAMSI_VARIANT_PLAIN] = TAMSI("tamsi-plain"),
};
enum { VARIANTS = sizeof variant / sizeof *variant };

dp_status dp_law_take(void *out, dp_arena *scratch, size_t count, size_t size)
{
    return dp_arena_take(out, scratch, count, size);
}

bool dp_law_is_known(dp_law_kind law)
{
    return (unsigned)law < LAWS;
}

const dp_law *dp_law_of(const dp_law_options *opt)
{
    return opt->user ? opt->user : &table[dp_law_is_known(opt->law) ? opt->law : 0];
}

const dp_law *dp_law_tamsi_variant(dp_tamsi_variant number)
{
    return (unsigned)number < VARIANTS ? &variant[number] : NULL;
}

bool dp_tamsi_is(const dp_law_options *opt, dp_tamsi_variant number)
{
    return opt->user == &variant[number];
}

unsigned dp_law_traits(const dp_law_options *opt)
{
    const dp_law *law = dp_law_of(opt);
    return law->traits | (law->more_traits ? law->more_traits(opt) : 0);
}

const char *dp_law_name(dp_law_kind law)
{
    return dp_law_is_known(law) ? table[law].name : "unknown";
}

dp_status dp_law_find(dp_law_kind *out, const char *name)
{
    for (int i = 0; i < LAWS; ++i) {
        if (name && strcmp(name, table[i].name) == 0) {
            *out = (dp_law_kind)i;
            return DP_OK;
        }
    }
    char known[DP_LIST_BYTES] = "";
    for (int i = 0; i < LAWS; ++i) {
        dp_word_append(known, table[i].name, i, LAWS);
    }
    return dp_fail(DP_ERROR_ARGUMENT, "law '%s' is unknown (expected %s)", name ? name : "(none)",
                   known);
}

bool dp_law_is_rigid(dp_law_kind law)
{
    return dp_law_is_known(law) && (table[law].traits & DP_LAW_TRAIT_RIGID) != 0;
}

bool dp_law_is_regularised(dp_law_kind law)
{
    return dp_law_is_known(law) && (table[law].traits & DP_LAW_TRAIT_REGULARISED) != 0;
}

double dp_law_slip_speed(const dp_law_options *opt)
{
    return dp_law_has(opt, DP_LAW_TRAIT_REGULARISED) ? opt->friction.slip_speed : 0.0;
}

double dp_law_compliance(const dp_law_options *opt)
{
    const dp_law *law = dp_law_of(opt);
    return law->compliance ? law->compliance(opt) : 0.0;
}

dp_certify_view dp_law_view(const dp_law_options *opt, const dp_solve_info *info)
{
    const dp_law *law = dp_law_of(opt);
    dp_certify_view view = law->view ? law->view(opt, info) : (dp_certify_view){.rigid = false};
    view.error_share = info->within_error > 0 ? opt->error_share : 0.0;
    return view;
}

size_t dp_law_most_memory(const dp_step_size *max, const dp_law_options *opt)
{
    size_t most = dp_law_memory(max, opt);
    for (int i = 0; i < LAWS; ++i) {
        dp_law_options other = *opt;
        other.user = &table[i];
        const size_t own = dp_law_memory(max, &other);
        most = own > most ? own : most;
    }
    return most;
}

dp_status dp_law_check(const dp_step_problem *p, const dp_law_options *opt)
{
    const dp_law *law = dp_law_of(opt);
    char why[256] = "";
    if (!opt->user && !dp_law_is_known(opt->law)) {
        return dp_fail(DP_ERROR_ARGUMENT, "law %d is unknown (expected 0 to %d)", (int)opt->law,
                       LAWS - 1);
    }
    if (law->refuses && law->refuses(why, sizeof why, p, opt)) {
        return dp_fail(DP_ERROR_ARGUMENT, "the law %s %s", law->name, why);
    }
    return law->name && law->solve
               ? DP_OK
               : dp_fail(DP_ERROR_ARGUMENT, "a law has no name or does not solve (expected "
                                            "dp_law.name and dp_law.solve)");
}
