#include "io/mjcf/mjcf.h"

#include <string.h>

static dp_status read_euler_order(dp_mjcf *m, const dp_xml_node *node)
{
    const char *order = dp_xml_value(node, "eulerseq", NULL);
    if (!order) {
        return DP_OK;
    }
    if (strlen(order) != 3 || strspn(order, "xyzXYZ") != 3) {
        return dp_mjcf_fail(
            node, "found eulerseq '%.20s' (expected three of x, y, z, X, Y, Z, e.g. \"xyz\")",
            order);
    }
    memcpy(m->compiler.euler_order, order, 3);
    return DP_OK;
}

static void read_switch(bool *out, const dp_xml_node *node, const char *name)
{
    const dp_xml_attribute *attribute = dp_xml_find(node, name);
    if (attribute) {
        *out = attribute->keyword == 1;
    }
}

static dp_status read_section(dp_mjcf *m, const dp_xml_node *node)
{
    dp_mjcf_compiler *c = &m->compiler;
    const dp_mjcf_view view = {.node = node};
    read_switch(&c->degrees, node, "angle"); // "radian degree"
    read_switch(&c->autolimits, node, "autolimits");
    read_switch(&c->balance_inertia, node, "balanceinertia");
    read_switch(&c->strip_path, node, "strippath");
    read_switch(&c->global, node, "coordinate"); // "local global"
    read_switch(&c->fit_box, node, "fitaabb");
    read_switch(&c->exact_mesh_inertia, node, "exactmeshinertia");
    c->mesh_folder = dp_xml_value(node, "meshdir", dp_xml_value(node, "assetdir", c->mesh_folder));
    c->bound_mass = dp_mjcf_number(&view, "boundmass", c->bound_mass);
    c->bound_inertia = dp_mjcf_number(&view, "boundinertia", c->bound_inertia);
    c->total_mass = dp_mjcf_number(&view, "settotalmass", c->total_mass);
    if (c->bound_mass < 0.0 || c->bound_inertia < 0.0) {
        return dp_mjcf_fail(node,
                            "found a negative bound (expected boundmass and boundinertia ≥ 0)");
    }
    const dp_xml_attribute *from = dp_xml_find(node, "inertiafromgeom");
    if (from) {
        c->inertia_from_geom = from->keyword == 0   ? DP_MJCF_INERTIA_GIVEN
                               : from->keyword == 1 ? DP_MJCF_INERTIA_GEOMS
                                                    : DP_MJCF_INERTIA_AUTO;
    }
    const dp_xml_attribute *group = dp_xml_find(node, "inertiagrouprange");
    if (group) {
        c->inertia_group[0] = (int)group->number[0];
        c->inertia_group[1] = (int)group->number[1];
    }
    return read_euler_order(m, node);
}

dp_status dp_mjcf_read_compiler(dp_mjcf *m)
{
    m->compiler = (dp_mjcf_compiler){
        .degrees = true,
        .autolimits = true,
        .euler_order = {'x', 'y', 'z'},
        .inertia_from_geom = DP_MJCF_INERTIA_AUTO,
        .inertia_group = {0, 5},
        .mesh_folder = "",
        .total_mass = -1.0,
    };
    for (dp_xml_node *s = NULL; (s = dp_mjcf_section(m, "compiler", s));) {
        DP_TRY(read_section(m, s));
    }
    return DP_OK;
}
