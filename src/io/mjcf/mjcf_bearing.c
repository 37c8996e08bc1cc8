// How limits and equalities give: by our own numbers, by MuJoCo's, or not at all.
#include "io/mjcf/mjcf.h"

#include <math.h>

static const char *const STIFFNESS = "dp:stiffness", *const DAMPING = "dp:damping";

static dp_status read_own(dp_bearing *out, const dp_mjcf_view *view)
{
    out->stiffness = dp_mjcf_number(view, STIFFNESS, INFINITY);
    out->damping = dp_mjcf_number(view, DAMPING, 0.0);
    if (!(out->stiffness > 0.0)) {
        return dp_mjcf_fail(view->node, "found %s %g (expected a number above 0)", STIFFNESS,
                            out->stiffness);
    }
    if (!(out->damping >= 0.0)) {
        return dp_mjcf_fail(view->node, "found %s %g (expected 0 or more)", DAMPING, out->damping);
    }
    if (!dp_mjcf_find(view, STIFFNESS) && out->damping > 0.0) {
        return dp_mjcf_fail(view->node,
                            "found %s without %s (expected both: what is rigid does "
                            "not move)",
                            DAMPING, STIFFNESS);
    }
    return DP_OK;
}

dp_status dp_mjcf_judge_given(dp_mjcf *m, const dp_mjcf_view *view, const char *name,
                              dp_import_verdict verdict, const char *note)
{
    return dp_mjcf_find(view, name)
               ? dp_mjcf_judge(m, view->node, dp_xml_find(view->node, name), verdict, note)
               : DP_OK;
}

dp_status dp_mjcf_judge_solver(dp_mjcf *m, const dp_mjcf_view *view, const char *solref,
                               const char *solimp, bool direct)
{
    DP_TRY(dp_mjcf_judge_given(
        m, view, solimp, DP_IMPORT_VERDICT_APPROXIMATED,
        "of it only d, the second number: stiffness and damping go with 1/(1 - d)"));
    return dp_mjcf_judge_given(
        m, view, solref, DP_IMPORT_VERDICT_APPROXIMATED,
        direct ? "by the spring k = -solref[0] m/(1 - d) and the damper b = -solref[1] "
                 "m/(1 - d), where m is the inertia it meets and d = solimp[1]"
               : "by the spring k = m/((1 - d) T^2 z^2) and the damper b = 2 m/((1 - d) "
                 "T), where T z = solref, m is the inertia it meets and d = solimp[1]");
}

dp_status dp_mjcf_read_bearing(dp_mjcf_bearing *out, dp_mjcf *m, const dp_mjcf_view *view,
                               const char *solref, const char *solimp)
{
    DP_TRY(read_own(&out->own, view));
    const bool has_solref = dp_mjcf_numbers(out->solref, view, solref);
    const bool has_solimp = dp_mjcf_numbers(out->solimp, view, solimp);
    out->solver_given = (has_solref || has_solimp) && isinf(out->own.stiffness);
    if (!out->solver_given) {
        DP_TRY(
            dp_mjcf_judge_given(m, view, solref, DP_IMPORT_VERDICT_IGNORED, "dp:stiffness counts"));
        return dp_mjcf_judge_given(m, view, solimp, DP_IMPORT_VERDICT_IGNORED,
                                   "dp:stiffness counts");
    }
    return dp_mjcf_judge_solver(m, view, solref, solimp, out->solref[0] <= 0.0);
}

dp_status dp_mjcf_judge_rigid(dp_mjcf *m, const dp_xml_node *node,
                              const dp_xml_attribute *attribute, const dp_mjcf_bearing *bearing)
{
    return bearing->solver_given || isfinite(bearing->own.stiffness)
               ? DP_OK
               : dp_mjcf_judge(m, node, attribute, DP_IMPORT_VERDICT_USED,
                               "rigid by default: MuJoCo's default is soft");
}
