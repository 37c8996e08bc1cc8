// The law `ncp`: rigid contacts with Coulomb's cone. Its rows come as rigid ones; how contacts that
// slide as Painlevé's rod does are counted is all that it adds to law_part.c. docs/laws/ncp.md.
#include "solve/law_option.h"
#include "solve/law_part.h"
#include "solve/paradox.h"

static dp_option_words stabilisations = {
    [DP_STABILISATION_GAP] = "gap", [DP_STABILISATION_PROJECTION] = "projection"};
static dp_option_words weightings = {
    [DP_RIGID_WEIGHTS_STIFFNESS] = "stiffness", [DP_RIGID_WEIGHTS_EQUAL] = "equal"};

const dp_law_option dp_rigid_law_options[] = {
    DP_LAW_OPTION("rigid.stabilisation", rigid.stabilisation, .words = &stabilisations,
                  .traits = DP_LAW_TRAIT_RIGID),
    DP_LAW_OPTION("rigid.compliance", rigid.compliance, .setting = DP_SETTING_NOT_NEGATIVE,
                  .left_to_law = "automatic", .traits = DP_LAW_TRAIT_WEIGHTED),
    DP_LAW_OPTION("rigid.weights", rigid.weights, .words = &weightings,
                  .traits = DP_LAW_TRAIT_WEIGHTED),
    DP_LAST_OPTION,
};

const char *dp_stabilisation_name(dp_stabilisation stabilisation)
{
    return dp_option_word(stabilisations, (int)stabilisation);
}

const char *dp_rigid_weights_name(dp_rigid_weights weights)
{
    return dp_option_word(weightings, (int)weights);
}

double dp_ncp_compliance(const dp_law_options *opt)
{
    return opt->rigid.compliance >= 0.0 ? opt->rigid.compliance : 0.0;
}

dp_status dp_ncp_solve(dp_step_solution *out, dp_law_part *part, const double *guess,
                       dp_solve_info *info)
{
    dp_shared_part *s = part->memory;
    DP_TRY(dp_part_solve(out, part, guess, info));
    if (s->coulomb.p) {
        info->painleve = dp_count_paradoxes(&s->coulomb, out);
    }
    return DP_OK;
}
