// How an SDFormat file becomes a spec. Reading order: sdf.c, then the files in the order of its
// calls.
//
// Every model, link, joint and <frame> is a frame with a name, "model::nested::link", and a pose
// relative to another one (sdf_frame.c). Once their places in the world are known, links become
// bodies along the tree of joints (sdf_link.c, sdf_shape.c, sdf_joint.c). The report has every
// element: not read until a reader says that it is used. Meshes and included models are found as in
// URDF files.
#ifndef DP_FORMAT_SDF_H
#define DP_FORMAT_SDF_H

#include "io/urdf/urdf.h"
#include "math/v3.h"

#include <math.h>

typedef enum dp_sdf_kind { DP_SDF_MODEL, DP_SDF_LINK, DP_SDF_JOINT, DP_SDF_FRAME } dp_sdf_kind;

/// What a name in relative_to, attached_to, <parent> or <child> may stand for.
typedef struct dp_sdf_frame {
    const char *name; // full, "outer::inner::link"
    dp_sdf_kind kind;
    dp_xml_node *node;
    const dp_xml_node *pose; // <pose>, perhaps of the <include> that it came by; NULL: none
    int scope;               // the model that it is in; −1: the world
    bool fixed;              // of a model: static; of a link: to the world
    enum { DP_SDF_UNKNOWN, DP_SDF_ASKED, DP_SDF_PLACED } state;
    dp_pose X; // in the world
    // Of a link:
    int joint; // whose child it is, −1: none
    dp_body_id body;
} dp_sdf_frame;

typedef struct dp_sdf {
    dp_urdf u; // report, spec, memory, and the search for files
    dp_sdf_frame *frame;
    int nframe;
    size_t capacity;
    dp_name_index index;
    int nmodel; // at the top
} dp_sdf;

/// The frame or link number −1.
enum { DP_SDF_WORLD = -1 };

// ---- sdf.c

/// A child that is used; NULL: there is none.
dp_xml_node *dp_sdf_child(dp_sdf *s, const dp_xml_node *node, const char *name);
/// `count` numbers of the text of a child; left alone when there is none.
dp_status dp_sdf_numbers(double *out, int count, dp_sdf *s, const dp_xml_node *node,
                         const char *name);
dp_status dp_sdf_number(double *out, dp_sdf *s, const dp_xml_node *node, const char *name);
/// true, 1, false or 0 in a child.
dp_status dp_sdf_flag(bool *out, dp_sdf *s, const dp_xml_node *node, const char *name);
/// The text of an element without the space around it; "" when there is none.
dp_status dp_sdf_text(const char **out, dp_sdf *s, const dp_xml_node *node);
/// Enter all elements of a tree into the report as not read.
dp_status dp_sdf_list(dp_sdf *s, dp_xml_node *root);

// ---- sdf_frame.c

/// Enter what a model holds, and the models in it.
dp_status dp_sdf_enter_models(dp_sdf *s, dp_xml_node *owner);
/// Find the place of every frame.
dp_status dp_sdf_place_frames(dp_sdf *s);
/// The frame called `name` where frame `scope` (a model, −1: the world) speaks. Fails when there is
/// none.
dp_status dp_sdf_find(int *out, dp_sdf *s, const dp_xml_node *node, int scope, const char *name);
/// The link that a frame is attached to; −1: the world.
dp_status dp_sdf_link_of(int *out, dp_sdf *s, const dp_xml_node *node, int frame);
/// The pose that an element says; the identity when node is NULL. Not what it is relative to.
dp_status dp_sdf_pose(dp_pose *out, dp_sdf *s, const dp_xml_node *pose);
/// <pose> of what is in a link, in the link.
dp_status dp_sdf_pose_in_link(dp_pose *out, dp_sdf *s, const dp_xml_node *node, int link);

// ---- sdf_link.c

/// Bodies with their mass, joints and shapes, parents first.
dp_status dp_sdf_add_links(dp_sdf *s);

// ---- sdf_shape.c

dp_status dp_sdf_add_shapes(dp_sdf *s, int link);

// ---- sdf_joint.c

/// The joints of a link's body, for the joint whose child it is.
dp_status dp_sdf_add_joint(dp_sdf *s, int link);

#endif
