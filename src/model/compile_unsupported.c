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
    return DP_OK;
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
