// How a URDF file becomes a spec. Reading order: urdf.c, then the files in the order of its calls.
//
// The file is read once into a tree (xml.c), and every element and attribute is checked against the
// schema of URDF (urdf_schema.c) by the machinery that checks MJCF (mjcf_check.c), which also keeps
// the report. Extensions are listed and left alone (urdf_check.c). Links and joints then form a
// tree (urdf_tree.c), which is added to the spec link by link.
#ifndef DP_FORMAT_URDF_H
#define DP_FORMAT_URDF_H

#include "io/mjcf/mjcf.h"

#include "model/name_index.h"

/// The types of joints, in the order of the schema's keywords.
typedef enum dp_urdf_kind {
    DP_URDF_REVOLUTE,
    DP_URDF_CONTINUOUS,
    DP_URDF_PRISMATIC,
    DP_URDF_FIXED,
    DP_URDF_FLOATING,
    DP_URDF_PLANAR,
    DP_URDF_SPHERICAL,
} dp_urdf_kind;

typedef struct dp_urdf_link {
    const char *name;
    dp_xml_node *node;
    int joint;       // whose child it is, −1: the root
    int first, last; // joints whose parent it is, a list by `next`; −1: none
    dp_body_id body;
    int mover;    // the link that moves it, itself or the nearest above with a joint; −1: fixed
    dp_pose pose; // in the world, all joints at zero
} dp_urdf_link;

typedef struct dp_urdf_joint {
    const char *name;
    dp_xml_node *node;
    dp_urdf_kind kind;
    int parent, child; // links
    int next;          // the next joint of the same parent, −1: none
} dp_urdf_joint;

typedef struct dp_urdf_mesh dp_urdf_mesh; // urdf_mesh.c

/// One import.
typedef struct dp_urdf {
    dp_mjcf m; // report, spec, memory, refusals; and what <mujoco> says
    dp_xml_node *robot;
    const char *mesh_folder; // <mujoco><compiler meshdir="…"/>; NULL: none
    bool keep_visual;        // shapes that are only seen go into the spec
    dp_urdf_link *link;
    int nlink;
    dp_urdf_joint *joint;
    int njoint;
    dp_name_index link_index, joint_index;
    int root;
    int *order;         // nlink: links, each behind its parent
    bool moves;         // a joint does, or the root floats: it is no scenery
    dp_urdf_mesh *mesh; // those read so far
} dp_urdf;

/// <robot>
extern const dp_mjcf_element dp_urdf_root;

// ---- urdf_check.c

/// Check the tree against the schema, parse all values, enter every item into the report.
dp_status dp_urdf_check(dp_urdf *u);
/// Enter an element and all below it into the report as ignored.
dp_status dp_urdf_ignore(dp_urdf *u, dp_xml_node *node, const char *note);
/// The child of that name; NULL: there is none.
dp_xml_node *dp_urdf_child(const dp_xml_node *node, const char *name);
/// The same; fails when there is none.
dp_status dp_urdf_need(dp_xml_node **out, const dp_xml_node *node, const char *name);
/// A number of the child element; `otherwise` when it is not given.
double dp_urdf_number(const dp_xml_node *node, const char *attribute, double otherwise);
/// The pose of <origin>; the identity when there is none.
dp_status dp_urdf_origin(dp_pose *out, const dp_xml_node *node);

// ---- urdf_mujoco.c

/// <mujoco> in <robot>, where MuJoCo looks for settings.
dp_status dp_urdf_read_mujoco(dp_urdf *u, dp_xml_node *block);

// ---- urdf_tree.c

/// Find links, joints, the root, and the order.
dp_status dp_urdf_read_tree(dp_urdf *u);

// ---- urdf_joint.c

/// The joints of a link's body, for the joint that leads to it.
dp_status dp_urdf_add_joint(dp_urdf *u, const dp_urdf_link *link);
/// <mimic>, once all joints are known.
dp_status dp_urdf_read_mimics(dp_urdf *u);

// ---- urdf_drake.c

/// What Drake has between points of two links, once all links are bodies.
dp_status dp_urdf_read_drake(dp_urdf *u);

// ---- urdf_link.c

/// Bodies, joints and shapes of all links.
dp_status dp_urdf_add_links(dp_urdf *u);
/// Masses once <mujoco> has had its way with them: possible, and not missing.
dp_status dp_urdf_check_masses(dp_urdf *u);

// ---- urdf_geometry.c

/// All <visual> and <collision> of a link.
dp_status dp_urdf_add_shapes(dp_urdf *u, const dp_urdf_link *link);

// ---- urdf_self_collision.c

/// Excludes for links that never touch each other, once all have their shapes.
dp_status dp_urdf_exclude_links(dp_urdf *u);

// ---- urdf_contact.c

/// Friction and material of a shape that touches, as far as the file gives them.
dp_status dp_urdf_read_contact(dp_geom_spec *geom, dp_urdf *u, const dp_xml_node *link,
                               const dp_xml_node *collision);

// ---- urdf_mesh.c

/// The mesh of a shape that touches: its name in the spec, NULL when it is left out.
dp_status dp_urdf_read_mesh(const char **out, dp_urdf *u, const dp_xml_node *node);
/// The same for a mesh that is only seen: NULL, and a line in the report, where it cannot be read.
dp_status dp_urdf_read_visual_mesh(const char **out, dp_urdf *u, const dp_xml_node *node);

// ---- urdf_file.c

/// The file that a mesh names: package://, file://, or a path beside the URDF file. The result
/// lives in the import's pool. NULL: there is no such file, which is allowed.
dp_status dp_urdf_find_file(const char **out, dp_urdf *u, const dp_xml_node *node);
/// The same where it may be missing. Nothing is reported.
dp_status dp_urdf_look_for_file(const char **out, dp_urdf *u, const dp_xml_node *node);

// ---- urdf_look.c

/// The colour of a <visual>, if its material says one.
bool dp_urdf_read_colour(float rgba[4], const dp_urdf *u, const dp_xml_node *visual);

#endif
