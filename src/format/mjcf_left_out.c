#include "format/mjcf.h"

#include <string.h>

dp_status dp_mjcf_leave_out(dp_mjcf *m, dp_object_kind kind, const dp_xml_node *node,
                            const char *feature)
{
    const char *name = dp_xml_value(node, "name", "");
    if (name[0] == '\0') {
        return DP_OK; // nothing can refer to it
    }
    dp_mjcf_absent *absent;
    DP_TRY(dp_pool_take(&absent, &m->pool, 1, sizeof *absent));
    *absent = (dp_mjcf_absent){kind, name, feature, m->absent};
    m->absent = absent;
    return DP_OK;
}

const char *dp_mjcf_left_out(const dp_mjcf *m, dp_object_kind kind, const char *name)
{
    for (const dp_mjcf_absent *absent = m->absent; name && absent; absent = absent->next) {
        if (absent->kind == kind && strcmp(absent->name, name) == 0) {
            return absent->feature;
        }
    }
    return NULL;
}
