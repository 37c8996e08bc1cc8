// Contact pairs and equality constraints: known, not simulated yet, and no matter where switched
// off.
#include "format/mjcf.h"

#include <string.h>

static dp_status refuse_pairs(dp_mjcf *m, dp_xml_node *section)
{
    for (dp_xml_node *node = section->child; node; node = node->next) {
        if (strcmp(node->name, "pair") != 0) {
            continue;
        }
        if (m->disabled.contact) {
            DP_TRY(dp_mjcf_judge(m, node, NULL, DP_IMPORT_IGNORED, "contact is switched off"));
        } else {
            DP_TRY(dp_mjcf_refuse(m, node, NULL, "contact", "contact is not simulated yet"));
        }
    }
    return DP_OK;
}

static dp_status refuse_equalities(dp_mjcf *m, dp_xml_node *section)
{
    for (dp_xml_node *node = section->child; node; node = node->next) {
        if (strcmp(node->name, "include") == 0) {
            continue;
        }
        const dp_xml_attribute *active = dp_xml_find(node, "active");
        if (m->disabled.equality || (active && active->keyword == 0)) {
            DP_TRY(dp_mjcf_judge(m, node, NULL, DP_IMPORT_IGNORED, "it is switched off"));
        } else {
            DP_TRY(dp_mjcf_refuse(m, node, NULL, "equality",
                                  "equality constraints are not simulated yet"));
        }
    }
    return DP_OK;
}

dp_status dp_mjcf_read_constraints(dp_mjcf *m)
{
    for (dp_xml_node *s = NULL; (s = dp_mjcf_section(m, "contact", s));) {
        DP_TRY(refuse_pairs(m, s));
    }
    for (dp_xml_node *s = NULL; (s = dp_mjcf_section(m, "equality", s));) {
        DP_TRY(refuse_equalities(m, s));
    }
    return DP_OK;
}
