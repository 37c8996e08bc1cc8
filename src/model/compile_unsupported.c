// What a mechanism may ask for and is not simulated: contact, besides that of elastic foundations
// on planes. It is refused unless the spec allows
// to go on without it.
#include "model/touch.h"

#include <stdio.h>

static dp_status refuse_contact(dp_compiler *c)
{
    const dp_spec *spec = c->spec;
    if (spec->options.disable_contact) {
        return DP_OK;
    }
    dp_touch touch;
    DP_TRY(dp_find_touch(&touch, c));
    c->m->size.ntouch = touch.count;
    if (touch.count == 0 || dp_spec_allows(spec, "contact")) {
        return DP_OK;
    }
    char others[64] = "";
    if (touch.count > 1) {
        snprintf(others, sizeof others, " (%lld pairs of geoms in all)", touch.count);
    }
    const dp_label a = dp_spec_label(spec, DP_ELEMENT_GEOM, touch.geom[0]);
    const dp_label b = dp_spec_label(spec, DP_ELEMENT_GEOM, touch.geom[1]);
    if (touch.pair >= 0) {
        return dp_spec_fail(DP_ERROR_UNSUPPORTED, spec, DP_ELEMENT_PAIR, touch.pair,
                            "lets %s touch %s%s, and contact is not simulated yet (to go on "
                            "without it: allow \"contact\", or disable contact "
                            "in the options)",
                            a.text, b.text, others);
    }
    return dp_fail_at(DP_ERROR_UNSUPPORTED, dp_spec_where(spec, DP_ELEMENT_GEOM, touch.geom[1]),
                      "%s could touch %s%s, and contact is not simulated yet (to go on without it: "
                      "allow \"contact\", disable contact in the options, or "
                      "set contype and conaffinity to 0)",
                      b.text, a.text, others);
}

// Name what a refusal is about, for dp_last_feature().
static dp_status about(const char *feature, dp_status status)
{
    return status == DP_ERROR_UNSUPPORTED ? dp_fail_feature(status, feature) : status;
}

dp_status dp_refuse_unsupported(dp_compiler *c)
{
    return about("contact", refuse_contact(c));
}
