// Colours of geoms, which have no effect on motion: pages show them.
#include "io/mjcf/mjcf.h"

#include <string.h>

static const dp_xml_node *find_in_assets(const dp_mjcf *m, const char *element, const char *name)
{
    for (dp_xml_node *s = NULL; name && (s = dp_mjcf_section(m, "asset", s));) {
        for (const dp_xml_node *node = s->child; node; node = node->next) {
            if (strcmp(node->name, element) == 0 &&
                strcmp(dp_xml_value(node, "name", ""), name) == 0) {
                return node;
            }
        }
    }
    return NULL;
}

// The mean colour of a texture that MuJoCo makes itself. Images are not opened: white.
static void read_texture(double rgb[3], const dp_xml_node *texture)
{
    const char *builtin = texture ? dp_xml_value(texture, "builtin", "none") : "none";
    if (strcmp(builtin, "none") == 0) {
        return;
    }
    double first[3] = {0.8, 0.8, 0.8}, second[3] = {0.5, 0.5, 0.5}; // MuJoCo's defaults
    const dp_mjcf_view view = {.node = texture};
    dp_mjcf_numbers(first, &view, "rgb1");
    dp_mjcf_numbers(second, &view, "rgb2");
    const double share = strcmp(builtin, "flat") == 0 ? 1.0 : 0.5;
    for (int k = 0; k < 3; ++k) {
        rgb[k] = share * first[k] + (1.0 - share) * second[k];
    }
}

void dp_mjcf_read_colour(float rgba[4], const dp_mjcf *m, const dp_mjcf_view *view)
{
    double x[4] = {1.0, 1.0, 1.0, 1.0};
    const dp_xml_attribute *named = dp_mjcf_find(view, "material");
    const dp_xml_node *material = find_in_assets(m, "material", named ? named->value : NULL);
    if (!dp_mjcf_numbers(x, view, "rgba")) {
        if (!material) {
            return;
        }
        double rgb[3] = {1.0, 1.0, 1.0};
        const dp_mjcf_view own = {.node = material};
        dp_mjcf_numbers(x, &own, "rgba");
        read_texture(rgb, find_in_assets(m, "texture", dp_xml_value(material, "texture", NULL)));
        for (int k = 0; k < 3; ++k) {
            x[k] *= rgb[k];
        }
    }
    for (int k = 0; k < 4; ++k) {
        rgba[k] = (float)x[k];
    }
}
