// What a run says on stderr of what looks wrong, and what to try.
#include "run/run_notes.h"

#include "common/element_names.h"
#include "common/keyframe.h"
#include "common/program.h"
#include "report/warnings.h"

#include <math.h>

// An implicit step takes the life out of what swings too fast for it, and nothing looks wrong.
void cli_note_periods(const cli_run_state *r)
{
    cli_warning_list list = {0};
    cli_look_at_periods(&list, r->scene.spec, r->m, r->d);
    if (list.count == 1) {
        cli_complain("note: %s", list.item[0].text);
    } else if (list.count > 1) {
        cli_complain("note: %s; 'dashpot check' lists %d more", list.item[0].text, list.count - 1);
    }
    cli_warnings_destroy(&list);
}

// A start that the rows do not allow: the first step corrects it, with a jerk.
void cli_note_start(const cli_run_state *r)
{
    cli_warning_list list = {0};
    cli_look_at_start(&list, r->m, r->d, "");
    if (list.count > 0) {
        cli_complain("note: %s%s", list.item[0].text,
                     list.count > 1 ? "; 'dashpot check' lists more" : "");
    }
    cli_warnings_destroy(&list);
}

// Long steps take the life out of a mechanism with loops, and every certificate is fine.
void cli_note_energy(const cli_run_state *r)
{
    const double much = 0.5;    // of the largest kinetic energy
    const double little = 1e-3; // of the energy that is there: settling, no motion
    const double lost = dp_data_ledger(r->d)->remainder;
    const double there = fabs(r->first_energy.gravity) + fabs(r->first_energy.spring);
    if (r->rows.with_rows > 0 && !cli_rows_stop(&r->rows) && r->largest_kinetic > 0.0 &&
        fabs(lost) > much * r->largest_kinetic && fabs(lost) > little * there) {
        cli_complain("note: numerical dissipation %s %.2g J, %.2g of the largest kinetic energy: "
                     "the step is long for this motion; try --step %.2g or --accuracy 1e-4",
                     lost < 0.0 ? "took" : "gave", fabs(lost), fabs(lost) / r->largest_kinetic,
                     0.1 * r->h);
    }
}

// A scene drawn at rest stays there: say how to make it move.
void cli_hint_at_keyframes(const cli_run_state *r, const cli_run_options *o)
{
    const int nkey = dp_model_sizes(r->m)->nkey;
    if (r->done == 0 || r->largest_kinetic > 0.0 || o->keyframe || nkey == 0) {
        return;
    }
    char list[600];
    cli_list_keyframes(list, sizeof list, r->m);
    cli_complain("note: nothing moved; the scene has keyframes to start from: %s (--keyframe)",
                 list);
}

// What to try after a step that failed.
void cli_advise(const cli_run_state *r, const cli_run_options *o)
{
    if (r->outcome != CLI_RUN_FAILED || r->status != DP_ERROR_NUMERIC || o->quiet) {
        return;
    }
    const dp_integrator integrator = dp_data_options(r->d)->integrator;
    if (dp_options_is_ode(dp_data_options(r->d))) {
        cli_complain("try a larger --tolerance, --set max_substeps=%.0f, --integrator "
                     "semi-implicit or, with contacts, --set friction.slip_speed=%g; 'dashpot "
                     "check %s' lists what looks wrong",
                     10.0 * dp_data_options(r->d)->max_substeps,
                     10.0 * dp_data_options(r->d)->solver.friction.slip_speed, o->scene);
    } else {
        cli_complain("try --step %.3g or --integrator %s; 'dashpot check %s' lists what looks "
                     "wrong",
                     0.1 * r->h, integrator == DP_INTEGRATOR_RK4 ? "semi-implicit" : "rk45",
                     o->scene);
    }
}
