// Colours of links, which have no effect on motion: pages show them.
#include "io/urdf/urdf.h"

#include "base/text/number.h"

#include <string.h>

// <color rgba="…">, as far as these are numbers.
static bool read(float rgba[4], const dp_xml_node *material)
{
    const dp_xml_node *color = dp_urdf_child(material, "color");
    const char *at = color ? dp_xml_value(color, "rgba", "") : "";
    double x[4] = {0.5, 0.5, 0.5, 1.0};
    int count = 0;
    while (count < 4 && dp_number_read(&x[count], &at) == DP_NUMBER_OK) {
        ++count;
    }
    for (int k = 0; k < 4 && count >= 3; ++k) {
        rgba[k] = (float)(x[k] < 0.0 ? 0.0 : x[k] > 1.0 ? 1.0 : x[k]);
    }
    return count >= 3;
}

// A material may be defined below <robot>, or where it is used first.
static bool find(float rgba[4], const dp_xml_node *below, const char *name)
{
    for (const dp_xml_node *node = below->child; node; node = node->next) {
        const bool is_it = strcmp(node->name, "material") == 0 &&
                           strcmp(dp_xml_value(node, "name", ""), name) == 0;
        const bool may_have_it =
            strcmp(node->name, "link") == 0 || strcmp(node->name, "visual") == 0;
        if ((is_it && read(rgba, node)) || (may_have_it && find(rgba, node, name))) {
            return true;
        }
    }
    return false;
}

bool dp_urdf_read_colour(float rgba[4], const dp_urdf *u, const dp_xml_node *visual)
{
    const dp_xml_node *material = dp_urdf_child(visual, "material");
    if (!material) {
        return false;
    }
    const char *name = dp_xml_value(material, "name", "");
    return read(rgba, material) || (name[0] != '\0' && find(rgba, u->robot, name));
}
