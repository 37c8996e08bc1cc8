// <mujoco> in <robot>: a piece of MJCF, read by the reader of MJCF. MuJoCo takes <compiler>,
// <option> and <size> from it and nothing else.
#include "io/urdf/urdf.h"

#include <string.h>

static bool is_read(const char *section)
{
    return strcmp(section, "compiler") == 0 || strcmp(section, "option") == 0 ||
           strcmp(section, "size") == 0 || strcmp(section, "dp:option") == 0;
}

// Take out what MuJoCo does not read here.
static dp_status leave_others(dp_urdf *u, dp_xml_node *block)
{
    dp_xml_node **link = &block->child;
    block->last_child = NULL;
    while (*link) {
        dp_xml_node *section = *link;
        if (is_read(section->name)) {
            const dp_xml_node *include = dp_urdf_child(section, "include");
            if (include) {
                return dp_mjcf_fail(include, "found in a URDF file (expected no includes)");
            }
            block->last_child = section;
            link = &section->next;
            continue;
        }
        *link = section->next;
        DP_TRY(dp_urdf_ignore(u, section,
                              "MuJoCo reads only compiler, option and size in a URDF file"));
    }
    return DP_OK;
}

// Settings that have another meaning, or none, in a URDF file.
static dp_status judge_compiler(dp_urdf *u, const dp_xml_node *compiler)
{
    static const struct {
        const char *name;
        dp_import_verdict verdict;
        const char *note;
    } differs[] = {
        {"angle", DP_IMPORT_VERDICT_IGNORED, "URDF has radians"},
        {"eulerseq", DP_IMPORT_VERDICT_IGNORED, "URDF has roll, pitch and yaw"},
        {"autolimits", DP_IMPORT_VERDICT_IGNORED, "URDF has no such switch"},
        {"inertiagrouprange", DP_IMPORT_VERDICT_IGNORED, "mass comes from <inertial> only"},
        {"meshdir", DP_IMPORT_VERDICT_USED, ""},
        {"assetdir", DP_IMPORT_VERDICT_USED, ""},
        {"discardvisual", DP_IMPORT_VERDICT_USED, ""},
        {"strippath", DP_IMPORT_VERDICT_IGNORED,
         "a mesh is looked for by its path first, then by its bare name in meshdir"},
    };
    for (size_t i = 0; i < sizeof differs / sizeof differs[0]; ++i) {
        const dp_xml_attribute *attribute = dp_xml_find(compiler, differs[i].name);
        if (attribute) {
            DP_TRY(dp_mjcf_judge(&u->m, compiler, attribute, differs[i].verdict, differs[i].note));
        }
    }
    enum { FALSE, TRUE }; // the order of the schema's keywords
    const dp_xml_attribute *from_geom = dp_xml_find(compiler, "inertiafromgeom");
    if (from_geom && from_geom->keyword == TRUE) {
        DP_TRY(dp_mjcf_refuse(&u->m, compiler, from_geom, "inertiafromgeom",
                              "the mass of a URDF file comes from <inertial> only"));
    }
    const dp_xml_attribute *discard = dp_xml_find(compiler, "discardvisual");
    u->keep_visual = !discard || discard->keyword == FALSE;
    u->mesh_folder = dp_xml_value(compiler, "assetdir", u->mesh_folder);
    u->mesh_folder = dp_xml_value(compiler, "meshdir", u->mesh_folder);
    return DP_OK;
}

static dp_status read_block(dp_urdf *u, dp_xml_node *block)
{
    u->m.root = block;
    DP_TRY(dp_mjcf_check(&u->m));
    DP_TRY(dp_mjcf_read_compiler(&u->m));
    DP_TRY(dp_mjcf_read_option(&u->m));
    for (dp_xml_node *s = NULL; (s = dp_mjcf_section(&u->m, "compiler", s));) {
        DP_TRY(judge_compiler(u, s));
    }
    return DP_OK;
}

dp_status dp_urdf_read_mujoco(dp_urdf *u, dp_xml_node *block)
{
    if (dp_urdf_child(block->parent, "mujoco") != block) {
        return dp_mjcf_fail(block, "found a second one (expected one)");
    }
    DP_TRY(leave_others(u, block));
    dp_xml_node *parent = block->parent;
    block->parent = NULL; // the root of a file of its own
    const dp_status status = read_block(u, block);
    block->parent = parent;
    return status;
}
