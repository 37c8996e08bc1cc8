// The law `tamsi`: springs and dashpots, with friction that grows with the slip at first (tamsi.h).
// docs/laws/tamsi.md.
#include "base/error.h"
#include "solve/law_option.h"
#include "solve/law_part.h"
#include "solve/tamsi.h"

static dp_status check_angle(const void *field, const char *name)
{
    const double most = 3.141592653589793, angle = *(const double *)field;
    return angle <= most
               ? DP_OK
               : dp_fail(DP_ERROR_ARGUMENT, "%s: found %g (expected an angle above 0, up to pi)",
                         name, angle);
}

const dp_law_option dp_tamsi_law_options[] = {
    DP_LAW_OPTION("friction.slip_speed", friction.slip_speed, .setting = DP_SETTING_POSITIVE,
                  .traits = DP_LAW_TRAIT_REGULARISED),
    DP_LAW_OPTION("tamsi.slip_turn", tamsi.slip_turn, .setting = DP_SETTING_POSITIVE,
                  .check = check_angle, .traits = DP_LAW_TRAIT_REGULARISED),
    DP_LAST_OPTION,
};

dp_status dp_tamsi_solve_part(dp_step_solution *out, dp_law_part *part, const double *guess,
                              dp_solve_info *info)
{
    dp_coulomb *c = &((dp_shared_part *)part->memory)->coulomb;
    if (!c->p) {
        return dp_part_solve(out, part, guess, info);
    }
    dp_tamsi_solve(out, c, guess, part->opt, info);
    return c->room.status;
}

dp_certify_view dp_tamsi_view(const dp_law_options *opt, const dp_solve_info *info)
{
    (void)info;
    return (dp_certify_view){.slip_speed = opt->friction.slip_speed};
}
