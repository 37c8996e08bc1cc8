#include "format/mjcf.h"

#include <string.h>

static void read_list(const double **out, int *count, const dp_xml_node *node, const char *name)
{
    const dp_xml_attribute *attribute = dp_xml_find(node, name);
    *out = attribute && attribute->count > 0 ? attribute->number : NULL;
    *count = *out ? attribute->count : 0;
}

static dp_status read_key(dp_mjcf *m, const dp_xml_node *node)
{
    const dp_mjcf_view view = {node, NULL};
    dp_key_spec key = dp_key_spec_default();
    key.name = dp_xml_value(node, "name", NULL);
    key.where = dp_mjcf_where(node);
    key.time = dp_mjcf_number(&view, "time", 0.0);
    read_list(&key.q, &key.nq, node, "qpos");
    read_list(&key.v, &key.nv, node, "qvel");
    read_list(&key.activation, &key.na, node, "act");
    read_list(&key.control, &key.nu, node, "ctrl");
    read_list(&key.mocap_position, &key.nmocap_position, node, "mpos");
    read_list(&key.mocap_quaternion, &key.nmocap_quaternion, node, "mquat");
    return dp_mjcf_located(node, dp_spec_add_key(NULL, m->spec, &key));
}

dp_status dp_mjcf_read_keyframes(dp_mjcf *m)
{
    for (dp_xml_node *s = NULL; (s = dp_mjcf_section(m, "keyframe", s));) {
        for (dp_xml_node *node = s->child; node; node = node->next) {
            if (strcmp(node->name, "key") == 0) {
                DP_TRY(read_key(m, node));
            }
        }
    }
    return DP_OK;
}
