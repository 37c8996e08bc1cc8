// Pairs of geoms that touch by numbers of their own, and pairs of bodies that never touch.
#include "model/check.h"
#include "model/compile/compile.h"

#include <string.h>

static const dp_field pair_field[] = {
    DP_FIELD(dp_pair_spec, friction, "friction"),
    DP_FIELD(dp_pair_spec, contact.solmix, "solmix"),
    DP_FIELD(dp_pair_spec, contact.solref, "solref"),
    DP_FIELD(dp_pair_spec, contact.solimp, "solimp"),
    DP_FIELD(dp_pair_spec, contact.margin, "margin"),
    DP_FIELD(dp_pair_spec, contact.gap, "gap"),
};

dp_status dp_check_pair(const dp_spec *spec, int i)
{
    const dp_pair_spec *pair = &dp_spec_pairs(spec)[i];
    DP_TRY(dp_check_finite(spec, DP_ELEMENT_PAIR, i, pair, pair_field, DP_FIELD_COUNT(pair_field)));
    return pair->contact_given ? dp_check_contact(spec, DP_ELEMENT_PAIR, i, &pair->contact) : DP_OK;
}

dp_status dp_compile_pairs(dp_compiler *c)
{
    for (int i = 0; i < c->m->size.npair; ++i) {
        const dp_pair_spec *from = &dp_spec_pairs(c->spec)[i];
        dp_pair *pair = &c->pair[i];
        for (int k = 0; k < 2; ++k) {
            DP_TRY(
                dp_resolve(&pair->geom[k], c, DP_ELEMENT_PAIR, i, DP_ELEMENT_GEOM, from->geom[k]));
        }
        if (pair->geom[0] == pair->geom[1]) {
            return dp_spec_fail(DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_PAIR, i,
                                "has %s twice (expected two different geoms)",
                                dp_spec_label(c->spec, DP_ELEMENT_GEOM, pair->geom[0]).text);
        }
        memcpy(pair->friction, from->friction, sizeof pair->friction);
        pair->contact = from->contact;
        pair->contact_given = from->contact_given;
    }
    return DP_OK;
}

// A body that is excluded from itself is no error: it never touches itself anyway.
dp_status dp_compile_excludes(dp_compiler *c)
{
    for (int i = 0; i < c->m->size.nexclude; ++i) {
        const dp_exclude_spec *from = &dp_spec_excludes(c->spec)[i];
        for (int k = 0; k < 2; ++k) {
            DP_TRY(dp_resolve(&c->exclude[i].body[k], c, DP_ELEMENT_EXCLUDE, i, DP_ELEMENT_BODY,
                              from->body[k]));
        }
    }
    return DP_OK;
}
